"""Deep Monte Carlo: its targets are outcomes, it learns, and it resumes exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from bidtrick.agents.neural import checkpoint
from bidtrick.agents.neural.network import NetworkConfig, PolicyValueNet
from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.training.config import ConfigError, load
from bidtrick.training.dmc import DMCConfig, train
from bidtrick.training.rollout import collect, outcomes
from bidtrick.training.scripts import algorithm_of
from bidtrick.training.tournament import duplicate_margin

SMALL = [
    "num_games=64", "steps=48", "minibatch=512", "network.hidden=[32]", "evaluate.every=0", "threads=1",
    "checkpoint_every=2", "precision=float32",
]  # fmt: skip


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(checkpoint.find(folder) / checkpoint.MODEL)


def rollout(game: str, explore: float, steps: int = 90) -> Any:
    games = make_batch(game, num_games=32, seed=1, auto_reset=True)
    torch.manual_seed(0)
    net = PolicyValueNet(games.spec, NetworkConfig((16,)))
    return collect(games, net, steps, torch.Generator().manual_seed(0), torch.device("cpu"), explore=explore)


@pytest.mark.parametrize("game", ["schieber", "pitch", "thousand"])
def test_outcomes_are_what_the_seat_is_paid_until_the_episode_ends(game: str) -> None:
    played = rollout(game, 0.5)
    outcome, known = outcomes(played)
    checked = 0
    for n in range(32):
        ends = np.flatnonzero(played.done[:, n])
        for t in range(90):
            later = ends[ends >= t]
            assert known[t, n] == bool(len(later))
            if len(later):
                paid = played.reward[t : later[0] + 1, n, played.player[t, n]].sum()
                assert outcome[t, n] == pytest.approx(paid, abs=1e-5)
                checked += 1
    assert checked > 1000


def test_exploring_is_uniform_over_legal_actions_and_not_exploring_is_the_best() -> None:
    played = rollout("schieber", 0.0)
    again = rollout("schieber", 0.0)
    assert np.array_equal(played.action, again.action)
    rng = rollout("schieber", 1.0, steps=400)
    assert rng.mask[np.arange(400)[:, None], np.arange(32), rng.action].all()
    contracts = rng.action[rng.mask[..., 42]]  # forehand may push: seven legal actions
    counts = np.bincount(contracts - 36, minlength=7)
    assert len(contracts) > 300
    assert abs(counts / len(contracts) - 1 / 7).max() < 0.06


def test_learns_to_beat_random(tmp_path: Path) -> None:
    config = load(
        DMCConfig, None,
        ["num_games=256", "steps=48", "decisions=600000", "minibatch=1024", "network.hidden=[128]",
         "learning_rate=2e-3", "evaluate.every=0", "threads=1"],
    )  # fmt: skip
    train(config, tmp_path / "run")
    spec = make_batch("schieber").spec
    margin = duplicate_margin(
        make_agent(f"checkpoint:{tmp_path / 'run'}", spec), make_agent("random", spec), deals=400, seed=99
    )
    assert margin.low > 0, margin


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(trainer: Any, logs: dict[str, float]) -> None:
        if trainer.iteration == 3:
            raise Stop

    config = load(DMCConfig, None, [*SMALL, f"decisions={6 * 64 * 48}"])
    train(config, tmp_path / "whole")
    with pytest.raises(Stop):
        train(config, tmp_path / "cut", on_iteration=stop)
    train(config, tmp_path / "cut", resume=True)
    one, two = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_settings_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="critic"):
        load(DMCConfig, None, ["network.critic=central"])
    with pytest.raises(ConfigError, match=r"algorithm='a2c' is not allowed; allowed: 'ppo' \| 'dmc'"):
        algorithm_of(None, ["algorithm=a2c"])
    file = tmp_path / "x.yaml"
    file.write_text("algorithm: dmc\n", encoding="utf-8")
    assert algorithm_of(file) == "dmc"
    assert algorithm_of(file, ["algorithm=ppo"]) == "ppo"
