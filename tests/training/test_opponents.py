"""Who else plays in training: drawn by results, past selves among them, and the same again after a resumption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from bidtrick.agents.neural import checkpoint
from bidtrick.agents.neural.agent import NeuralAgent
from bidtrick.agents.neural.network import NetworkConfig, PolicyValueNet
from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.training import dmc, ppo
from bidtrick.training.config import ConfigError, load
from bidtrick.training.opponents import Opponents, PoolSettings, seat_opponents
from bidtrick.training.ppo import PPOConfig, train

SMALL = [
    "num_games=48", "steps=12", "minibatch=512", "network.hidden=[16]", "evaluate.every=0", "threads=1",
    "checkpoint_every=2", "precision=float32", f"decisions={8 * 48 * 12}",
]  # fmt: skip
POOL = [
    "opponents.share=0.5", "opponents.agents=[heuristic, random]", "opponents.snapshots=2",
    "opponents.snapshot_every=2", "opponents.draw=hard",
]  # fmt: skip


def seated(draw: str, *, agents: int = 2, snapshots: int = 0, num_games: int = 4000, **more: Any) -> Any:
    games = make_batch("schieber", num_games=num_games, seed=1, auto_reset=True)
    net = PolicyValueNet(games.spec, NetworkConfig((8,)))
    names = ["heuristic", "random"][:agents]
    settings = PoolSettings(tuple(names), 1.0, snapshots=snapshots, draw=draw, **more)
    return games, seat_opponents(games, [make_agent(name, games.spec) for name in names], settings, 3, net)


def end_all(games: Any, opponents: Opponents, seat_pay: Any) -> None:
    """Let every game's episode end with this pay."""
    games.state.hand_id += 1
    n = games.num_games
    opponents.note(games, np.asarray(seat_pay, np.float32) * np.ones((n, 1), np.float32), np.ones(n, np.bool_))


def test_hard_opponents_are_drawn_as_in_alphastar() -> None:
    games, opponents = seated("hard")
    opponents.episodes[:], opponents.wins[:] = (90, 190), (5, 175)
    p = np.array([(5 + 5) / 100, (175 + 5) / 200])  # a prior of ten drawn episodes
    expected = (1 - p) ** 2 / ((1 - p) ** 2).sum()
    assert opponents.chances() == pytest.approx(expected)
    end_all(games, opponents, [0, 0, 0, 0])
    shares = np.bincount(opponents.number) / 4000
    assert abs(shares - opponents.chances()).max() < 0.2  # the draws were made after the results of these episodes
    opponents.episodes[:], opponents.wins[:] = (90, 190), (5, 175)
    opponents._draw(games, np.arange(4000))
    assert np.bincount(opponents.number) / 4000 == pytest.approx(expected, abs=0.02)


def test_even_opponents_are_those_of_equal_strength() -> None:
    _, opponents = seated("even")
    opponents.episodes[:], opponents.wins[:] = (90, 190), (45, 185)
    p = np.array([0.5, 190 / 200])
    assert opponents.chances() == pytest.approx(p * (1 - p) / (p * (1 - p)).sum())


def test_results_count_the_learners_side_against_the_opponents() -> None:
    games, opponents = seated("uniform", num_games=40)
    before = opponents.number.copy()
    theirs = opponents.places[:, 0]  # the opponent has seats 0 and 2
    end_all(games, opponents, [0.3, -0.3, 0.3, -0.3])
    for number in (0, 1):
        met = before == number
        assert opponents.episodes[number] == met.sum() > 5
        assert opponents.wins[number] == (met & ~theirs).sum()
        margin = 0.6 * ((met & ~theirs).sum() - (met & theirs).sum())
        assert opponents.margins[number] == pytest.approx(margin, abs=1e-5)
    assert not opponents.paid.any()
    end_all(games, opponents, [0, 0, 0, 0])
    assert opponents.wins.sum() == theirs.size / 2 + 20  # a draw is half a win


def test_one_opponent_among_three_players_is_measured_by_the_mean_of_each_side() -> None:
    games = make_batch("thousand", num_games=6, seed=1, auto_reset=True)
    settings = PoolSettings(("heuristic",), 1.0, draw="uniform")
    opponents = seat_opponents(games, [make_agent("heuristic", games.spec)], settings)
    assert opponents is not None
    end_all(games, opponents, [0.9, -0.3, -0.6])
    # the learner alone (three games), or the opponent alone (three games), at each seat
    assert opponents.margins[0] == pytest.approx(0, abs=1e-5)
    assert opponents.wins[0] == 1 + 2


def test_past_selves_take_the_oldest_ones_place_and_begin_unknown() -> None:
    games, opponents = seated("uniform", agents=0, snapshots=2, snapshot_every=10)
    assert (opponents.seats == -1).all()  # nobody yet: the network plays all seats
    average = PolicyValueNet(games.spec, NetworkConfig((8,)))
    for iteration in range(1, 41):
        torch.nn.init.constant_(average.policy_head.bias, float(iteration))
        opponents.end_iteration(iteration, average)
        end_all(games, opponents, [1, -1, 1, -1])
        assert (opponents.number == -1).all() == (iteration < 10)
        assert set(opponents.number.tolist()) <= {-1, 0, 1}
    biases = []
    for agent in opponents.agents:
        assert isinstance(agent, NeuralAgent)
        biases.append((agent.name, float(agent.net.policy_head.bias[0])))
    assert biases == [("self-000030", 30.0), ("self-000040", 40.0)]
    assert opponents.episodes[0] > opponents.episodes[1] > 0


@pytest.mark.parametrize("script", ["ppo", "dmc"])
def test_a_resumed_run_meets_the_same_opponents(script: str, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(trainer: Any, logs: dict[str, float]) -> None:
        if trainer.iteration == 5:
            raise Stop

    module: Any = {"ppo": ppo, "dmc": dmc}[script]
    config = load({"ppo": PPOConfig, "dmc": dmc.DMCConfig}[script], None, [*SMALL, *POOL])
    whole = module.train(config, tmp_path / "whole")
    with pytest.raises(Stop):
        module.train(config, tmp_path / "cut", on_iteration=stop)
    cut = module.train(config, tmp_path / "cut", resume=True)
    for file in (checkpoint.MODEL, checkpoint.TRAINER):
        one, two = load_file(whole / file), load_file(cut / file)
        assert one.keys() == two.keys()
        assert all(torch.equal(one[name], two[name]) for name in one)
    assert checkpoint.read_meta(cut)["more"]["selves"] == {"2": "self-000006", "3": "self-000008"}
    tags = EventAccumulator(str(tmp_path / "whole")).Reload().Tags()["scalars"]
    for tag in ("heuristic_won", "random_margin", "random_chance", "self-000002_won", "self-000006_margin"):
        assert f"opponents/{tag}" in tags


def test_opponents_change_what_is_learned_and_none_are_as_before(tmp_path: Path) -> None:
    """The pool's settings do nothing without a share of the games."""
    ends = [
        load_file(train(load(PPOConfig, None, [*SMALL, *more]), tmp_path / str(number)) / checkpoint.MODEL)
        for number, more in enumerate(([], ["opponents.draw=hard", "opponents.memory=0.5"], POOL))
    ]
    assert all(torch.equal(ends[0][name], ends[1][name]) for name in ends[0])
    assert not all(torch.equal(ends[0][name], ends[2][name]) for name in ends[0])


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["opponents.share=1.5"], "opponents.share=1.5"),
        (["opponents.share=0.5", "opponents.memory=2"], "opponents.memory=2"),
        (["opponents.share=0.5", "opponents.snapshots=2"], "'uniform' | 'hard' | 'even'"),
        (["opponents.snapshots=2", "opponents.draw=hard"], "opponents.share above 0"),
        (["opponents.share=0.5", "opponents.agents=[]"], "opponents.agents is empty"),
    ],
)
def test_settings_that_cannot_be(overrides: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        train(load(PPOConfig, None, [*SMALL, *overrides]), tmp_path / "run")
    assert message in str(caught.value)
    assert not (tmp_path / "run").exists()
    with pytest.raises(ConfigError, match=r"allowed: 'fixed' \| 'uniform'"):
        load(PPOConfig, None, ["opponents.draw=best"])
