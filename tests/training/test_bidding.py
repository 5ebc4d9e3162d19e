"""The bidding script: what trials pay, how they are learned from, exact resuming, agents of its checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from bidtrick.agents.combine import CombinedAgent
from bidtrick.agents.neural import checkpoint
from bidtrick.agents.neural.agent import NeuralAgent
from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.training.bidding import BiddingConfig, Trainer, calibration, train
from bidtrick.training.config import ConfigError, load
from bidtrick.training.playouts import play_to_end
from bidtrick.training.tournament import duplicate_margin
from bidtrick.training.tournament.play import play

GAMES = ["schieber", "pitch", "thousand"]
SMALL = [
    "num_games=24", "steps=5", "minibatch=16", "network.hidden=[16]", "evaluate.every=0", "threads=1", "epochs=2",
    "checkpoint_every=2", "precision=float32",
]  # fmt: skip


def trainer(game: str, *more: str) -> Trainer:
    return Trainer(load(BiddingConfig, None, [*SMALL, f"game={game}", *more]))


@pytest.mark.parametrize("game", GAMES)
def test_playing_to_the_end_pays_what_a_plain_loop_pays(game: str) -> None:
    one, two = (make_batch(game, num_games=40, seed=5, context="sampled") for _ in range(2))
    agent = make_agent("heuristic", one.spec)
    rng = np.random.default_rng(0)
    paid = play_to_end(one, lambda games, rows: agent.act(games.observe(), games.legal_actions(), rng))
    assert np.allclose(paid, play(two, [agent], np.zeros((40, one.spec.num_seats), np.int64), [rng]))
    assert np.abs(paid).sum() > 0
    assert all(np.array_equal(value, two.report()[name]) for name, value in one.report().items())


@pytest.mark.parametrize(("game", "share"), [("schieber", 0.0), ("pitch", 0.0), ("thousand", 1.0)])
def test_trials_pay_what_the_position_pays_when_played_alone(game: str, share: float) -> None:
    # at a temperature of almost 0 the policy is the network's best bid, so that a single game can be played beside
    learner = trainer(game, "temperature=1e-6", "final_temperature=1e-6", f"opponents.share={share}", "explore=0.5")
    torch.manual_seed(1)
    torch.nn.init.normal_(learner.net.policy_head.weight, std=0.3)
    picked: list[Any] = []
    pick = learner.pick_positions

    def remember(rng: np.random.Generator) -> Any:
        found = pick(rng)
        picked.append((found[0].clone(), found[1]))
        return found

    learner.pick_positions = remember  # type: ignore[method-assign]
    trials = learner.collect()
    ((positions, asked),) = picked
    network, heuristic = NeuralAgent("n", learner.spec, learner.net), make_agent("heuristic", learner.spec)
    own = CombinedAgent("own", learner.spec, network, heuristic)
    rng = np.random.default_rng(0)
    assert trials.done.any(axis=1).tolist() == asked.tolist()
    assert asked.sum() > 6
    for number in np.flatnonzero(asked)[:3]:
        for column in np.flatnonzero(trials.done[number]):
            game_alone = positions.select([number])
            seat = int(game_alone.current_player[0])
            assert learner.spec.bids_in[game_alone.phase[0]]
            bid = trials.action[number, column : column + 1]
            if learner.net.symmetry is not None:
                hidden = np.zeros((1, 0), np.uint8)
                seen = learner.net.symmetry.canonical(game_alone.observe(), game_alone.legal_actions(), hidden)
                bid = learner.net.symmetry.to_original(bid, seen.turn)
            paid = game_alone.step(bid)[0][0].astype(float)
            while not game_alone.done[0]:
                who = int(game_alone.current_player[0])
                theirs = share > 0 and learner.opponents is not None and learner.opponents.seats[number, who] >= 0
                agent = heuristic if theirs else own
                paid += game_alone.step(agent.act(game_alone.observe(), game_alone.legal_actions(), rng))[0][0]
            assert trials.reward[number, column] == pytest.approx(paid[seat], abs=1e-4)
    if share:
        assert learner.opponents is not None
        assert (learner.opponents.seats[np.flatnonzero(asked), positions.current_player[asked]] < 0).all()


def test_bids_are_tried_once_each_and_all_of_them_where_there_is_room() -> None:
    learner = trainer("thousand", "steps=8")
    positions, asked = learner.pick_positions(np.random.default_rng(2))
    obs, mask, _ = learner.as_seen(positions.observe(), positions.legal_actions())
    bids = learner.pick_bids(obs, mask, np.random.default_rng(0))
    for row, legal in zip(bids[asked], mask[asked], strict=True):
        tried = row[row >= 0]
        assert legal[tried].all()
        assert len(set(tried.tolist())) == len(tried) == min(8, legal.sum())


def test_luck_that_all_bids_share_is_the_levels_alone() -> None:
    learner = trainer("schieber")
    trials = learner.collect()
    obs, bids = torch.from_numpy(trials.obs), torch.from_numpy(trials.action.clip(0))
    tried, paid = torch.from_numpy(trials.done), torch.from_numpy(trials.reward)
    differences, level = learner.losses(obs, bids, tried, paid)
    luck = torch.arange(len(obs))[:, None].float()
    shifted, other = learner.losses(obs, bids, tried, paid + luck)
    assert float(shifted.detach()) == pytest.approx(float(differences.detach()), rel=1e-4)
    assert float(other.detach()) != pytest.approx(float(level.detach()), rel=0.1)
    # by hand, for two positions: the first tries three bids, the second two
    heads, base = learner.net(obs[:2])
    tried = torch.tensor([[True, True, True], [True, True, False]])
    paid = torch.tensor([[1.0, 2.0, 6.0], [-1.0, 3.0, 99.0]])
    bids = torch.tensor([[36, 37, 38], [40, 41, 36]])
    differences, level = learner.losses(obs[:2], bids, tried, paid)
    errors, left = [], []
    for k, count in ((0, 3), (1, 2)):
        q, g = heads[k, bids[k, :count]].detach().numpy(), paid[k, :count].numpy()
        errors += (((q - q.mean()) - (g - g.mean())) ** 2).tolist()
        left.append((float(base[k].detach()) - (g - q).mean()) ** 2)
    assert float(differences.detach()) == pytest.approx(0.5 * np.mean(errors), rel=1e-4)
    assert float(level.detach()) == pytest.approx(0.5 * np.mean(left), rel=1e-4)


def test_calibration_of_predictions_that_are_known() -> None:
    predicted = np.linspace(-1, 1, 1000)
    good = calibration(predicted, predicted, 10)
    assert good == pytest.approx({"bias_points": 0, "error_points": 0, "slope": 1})
    wide = calibration(predicted, 0.5 * predicted + 0.2, 10)
    assert wide["slope"] == pytest.approx(0.5)
    assert wide["bias_points"] == pytest.approx(-2)
    # within the bins of predictions from -1 + 0.2 k on: |half the prediction - 0.2|, mean over the bins' middles
    assert wide["error_points"] == pytest.approx(10 * np.abs(0.5 * np.arange(-0.9, 1, 0.2) - 0.2).mean(), rel=0.01)


def test_learns_to_bid(tmp_path: Path) -> None:
    config = load(
        BiddingConfig, None,
        ["game=pitch", "num_games=256", "steps=6", "decisions=11000", "minibatch=128", "network.hidden=[64]",
         "learning_rate=3e-3", "evaluate.every=0", "threads=1"],
    )  # fmt: skip
    train(config, tmp_path / "run")
    spec = make_batch("pitch").spec
    chance = make_agent("combine:bid=random,play=heuristic", spec)
    margin = duplicate_margin(make_agent(f"checkpoint:{tmp_path / 'run'}", spec), chance, deals=300, seed=99)
    assert margin.low > 1.0, margin


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(learner: Any, logs: dict[str, float]) -> None:
        if learner.iteration == 3:
            raise Stop

    config = load(BiddingConfig, None, [*SMALL, f"decisions={5 * 24 * 5}"])
    train(config, tmp_path / "whole")
    with pytest.raises(Stop):
        train(config, tmp_path / "cut", on_iteration=stop)
    train(config, tmp_path / "cut", resume=True)
    one, two = (load_file(checkpoint.find(tmp_path / name) / checkpoint.MODEL) for name in ("whole", "cut"))
    assert all(torch.equal(one[name], two[name]) for name in one)
    # its agent bids by the network and plays as the autopilot does
    spec = make_batch("schieber").spec
    agent = make_agent(f"checkpoint:{tmp_path / 'cut'}", spec)
    assert isinstance(agent, CombinedAgent)
    assert agent.play.name == "heuristic"
    games = make_batch("schieber", num_games=16, seed=4)
    obs, mask = games.observe(), games.legal_actions()
    shares = agent.probabilities(obs, mask, np.random.default_rng(0))
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares[~mask] == 0).all()
    assert np.array_equal(shares.argmax(axis=1), agent.act(obs, mask, np.random.default_rng(0)))
    assert isinstance(agent.bid, NeuralAgent)
    assert agent.bid.temperature == config.final_temperature


def test_settings_that_cannot_be() -> None:
    with pytest.raises(ConfigError, match=r"phase='full' is not allowed; allowed: 'bidding'"):
        load(BiddingConfig, None, ["phase=full"])
    with pytest.raises(ConfigError, match=r"explore=1.5 is not allowed; allowed: from 0 to 1"):
        trainer("pitch", "explore=1.5")
    with pytest.raises(ConfigError, match="temperature"):
        load(BiddingConfig, None, ["temperature=0"])
