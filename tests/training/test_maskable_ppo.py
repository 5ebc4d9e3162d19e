"""MaskablePPO of sb3-contrib as a training script: it trains, resumes exactly, and its agent needs no SB3."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from bidtrick.agents.combine import CombinedAgent
from bidtrick.agents.neural import checkpoint
from bidtrick.agents.neural.agent import NeuralAgent
from bidtrick.agents.neural.network import NetworkConfig
from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.training import maskable_ppo
from bidtrick.training.config import ConfigError, load
from bidtrick.training.maskable_ppo import MaskablePPOConfig, Trainer, network_of, places_of_others, train
from bidtrick.training.scripts import SCRIPTS, algorithm_of
from bidtrick.training.tournament import duplicate_margin

pytest.importorskip("sb3_contrib")

SMOKE = Path(__file__).resolve().parents[2] / "configs/smoke/maskable.yaml"
SMALL = [
    "num_games=32", "steps=4", "minibatch=128", "network.hidden=[16, 12]", "evaluate.every=0", "threads=1",
    "checkpoint_every=2", f"decisions={4 * 32 * 4}", "device=cpu",
]  # fmt: skip


def small(*overrides: str) -> MaskablePPOConfig:
    return load(MaskablePPOConfig, None, [*SMALL, *overrides])


def sb3_logits(trainer: Trainer, obs: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits and values of SB3's policy for observations as its environment shows them."""
    policy = trainer.model.policy
    with torch.no_grad():
        shown = torch.from_numpy(trainer.vec.encoder.observation(obs))
        actor, critic = policy.mlp_extractor(policy.extract_features(shown))
        return policy.action_net(actor), policy.value_net(critic).squeeze(1)


@pytest.mark.parametrize("game", ["schieber", "pitch", "thousand"])
def test_a_checkpoint_plays_what_the_policy_of_sb3_plays_and_needs_no_sb3(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Trainer] = []
    train(small(f"game={game}", "average=0"), tmp_path, on_iteration=lambda trainer, _: kept.append(trainer))  # pyright: ignore[reportArgumentType]
    for name in ("sb3_contrib", "stable_baselines3"):
        monkeypatch.setitem(sys.modules, name, None)
    games = make_batch(game, num_games=200, seed=5)
    agent = make_agent(f"checkpoint:{tmp_path}", games.spec)
    assert isinstance(agent, NeuralAgent)
    rng = np.random.default_rng(0)
    for _ in range(12):
        obs, mask = games.observe(), games.legal_actions()
        symmetry = games.spec.symmetry
        seen = symmetry.canonical(obs, mask, np.zeros((200, 0), np.uint8)) if symmetry else None
        shown, legal = (obs, mask) if seen is None else (seen.obs, seen.mask)
        logits, values = sb3_logits(kept[-1], shown)
        with torch.no_grad():
            ours, our_values = agent.net(torch.from_numpy(shown))
        assert torch.allclose(ours, logits, atol=1e-5)
        assert torch.allclose(our_values, values, atol=1e-5)
        assert logits.std() > 1e-4
        best = logits.masked_fill(~torch.from_numpy(legal), -torch.inf).argmax(dim=1).numpy()
        chosen = best if seen is None or symmetry is None else symmetry.to_original(best, seen.turn)
        clear = np.sort(np.where(legal, logits.numpy(), -9), axis=1)
        clear = clear[:, -1] - clear[:, -2] > 1e-4
        assert np.array_equal(agent.act(obs, mask, rng)[clear], chosen[clear])
        games.step(games.sample_actions(rng))


def test_other_layers_than_the_network_has_are_refused() -> None:
    trainer = Trainer(small())
    with pytest.raises(ConfigError, match="are not those of the network"):
        network_of(trainer.model.policy, trainer.spec, NetworkConfig((16, 13), "separate"))


@pytest.mark.parametrize("options", [["game=pitch"], ["episode=match", "rules={target: 300}", "opponents.refresh=3"]])
def test_a_resumed_run_ends_with_the_same_weights(options: list[str], tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(trainer: Any, logs: dict[str, float]) -> None:
        if trainer.iteration == 3:  # one iteration after the checkpoint of iteration 2: that work is lost
            raise Stop

    config = small("opponents.agents=[heuristic, random]", *options)
    whole = train(config, tmp_path / "whole")
    with pytest.raises(Stop):
        train(config, tmp_path / "cut", on_iteration=stop)
    np.random.seed(5)  # noqa: NPY002
    torch.manual_seed(6)
    cut = train(config, tmp_path / "cut", resume=True)
    for file in (checkpoint.MODEL, checkpoint.TRAINER):
        one, two = load_file(whole / file), load_file(cut / file)
        assert one.keys() == two.keys()
        assert all(torch.equal(one[name], two[name]) for name in one)


def test_seeds_and_the_global_generators() -> None:
    ends = []
    for seed in (1, 1, 2):
        trainer = Trainer(small(f"seed={seed}"))
        before = np.random.get_state()[1].copy(), torch.get_rng_state()  # noqa: NPY002  # pyright: ignore
        trainer.iterate()
        after = np.random.get_state()[1], torch.get_rng_state()  # noqa: NPY002  # pyright: ignore
        assert np.array_equal(before[0], after[0])
        assert torch.equal(before[1], after[1])
        ends.append(trainer.net.policy_head.weight.detach().clone())
        np.random.random(7)  # noqa: NPY002
    assert torch.equal(ends[0], ends[1])
    assert not torch.equal(ends[0], ends[2])


def test_the_copy_is_refreshed_and_the_named_agents_have_their_share() -> None:
    trainer = Trainer(small("opponents.refresh=2", "opponents.share=0.25"))
    assert np.bincount(trainer.vec.table.lineup).tolist() == [24, 8]
    copies = []
    for _ in range(3):
        trainer.iterate()
        copies.append(trainer.copy.net.policy_head.weight.detach().clone())
    assert torch.equal(copies[0], copies[1])
    assert not torch.equal(copies[1], copies[2])
    assert not torch.equal(copies[2], trainer.net.policy_head.weight)


def test_the_others_sit_as_in_duplicate_pairs() -> None:
    assert places_of_others(make_batch("schieber").spec) == [(True, False, True)]
    assert places_of_others(make_batch("pitch").spec) == [(True, False, True)]
    assert set(places_of_others(make_batch("thousand").spec)) == {(True, True), (True, False), (False, True)}


def test_the_smoke_config_trains_and_logs(tmp_path: Path) -> None:
    assert algorithm_of(SMOKE) == "maskable_ppo"
    config = load(MaskablePPOConfig, SMOKE, ["steps=8", "decisions=2048", "evaluate.every=2", "evaluate.deals=10"])
    SCRIPTS["maskable_ppo"].train(config, tmp_path / "run")
    events = EventAccumulator(str(tmp_path / "run")).Reload()
    for tag in (
        "policy/loss", "policy/entropy", "policy/kl", "policy/clip_fraction", "value/loss", "value/explained_variance",
        "reward/mean", "speed/decisions_per_second", "margin/random", "margin/random_interval",
    ):  # fmt: skip
        assert tag in events.Tags()["scalars"]
    entropy = [event.value for event in events.Scalars("policy/entropy")]
    assert 0 < entropy[-1] < entropy[0]
    assert events.Scalars("policy/kl")[-1].value > 0
    meta = checkpoint.read_meta(checkpoint.find(tmp_path / "run"))
    assert (meta["algorithm"], meta["iteration"], meta["decisions"]) == ("maskable_ppo", 4, 2048)


@pytest.mark.soak
def test_learns_to_beat_random(tmp_path: Path) -> None:
    config = load(
        MaskablePPOConfig, None,
        ["num_games=512", "steps=16", "decisions=400000", "minibatch=1024", "network.hidden=[128]", "threads=1",
         "learning_rate=2e-3", "evaluate.every=0", "opponents.agents=[random]"],
    )  # fmt: skip
    train(config, tmp_path)
    spec = make_batch("schieber").spec
    agents = make_agent(f"checkpoint:{tmp_path}", spec), make_agent("random", spec)
    margin = duplicate_margin(*agents, deals=500, seed=99)
    assert margin.low > 0, margin


@pytest.mark.parametrize("phase", [pytest.param("bidding", marks=pytest.mark.soak), "play"])
def test_one_part_alone(phase: str, tmp_path: Path) -> None:
    train(small(f"phase={phase}", "num_games=16", "steps=2", "decisions=32"), tmp_path)
    agent = make_agent(f"checkpoint:{tmp_path}", make_batch("schieber").spec)
    assert isinstance(agent, CombinedAgent)
    assert isinstance(agent.bid if phase == "bidding" else agent.play, NeuralAgent)


def test_settings_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"network: critic='central' is not allowed; allowed: 'separate'"):
        load(MaskablePPOConfig, None, ["network.critic=central"])
    with pytest.raises(ConfigError, match="precision"):
        load(MaskablePPOConfig, None, ["precision=bfloat16"])
    with pytest.raises(ConfigError, match=r"opponents\.share=2\.0 is not allowed"):
        train(small("opponents.share=2"), tmp_path / "run")
    with pytest.raises(ConfigError, match=r"opponents\.agents is empty"):
        train(small("opponents.agents=[]"), tmp_path / "run")
    with pytest.raises(ConfigError, match="no key is called 'snapshots'"):
        load(MaskablePPOConfig, None, ["opponents.snapshots=2"])
    monkeypatch.setattr(maskable_ppo, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'bidtrick\[sb3\]'"):
        train(small(), tmp_path / "run")
    assert not (tmp_path / "run").exists()
