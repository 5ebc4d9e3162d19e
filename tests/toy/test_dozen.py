"""The toy game gets everything a game gets, by being registered (CONTRIBUTING.md, "A new game")."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from typer.testing import CliRunner

from bidtrick.agents.base import Agent
from bidtrick.agents.registry import AGENTS, make_agent, register_agent
from bidtrick.cli import app
from bidtrick.envs import games, make_batch, register_game, replay
from bidtrick.envs.adapters import register_all
from bidtrick.envs.core.errors import BidtrickError, DealError, UnknownNameError
from bidtrick.envs.core.records import read_records, write_records
from bidtrick.envs.registry import GAMES
from bidtrick.envs.rendering import render_ansi, render_rgb
from bidtrick.training import bench, bidding, config, ppo, tournament
from bidtrick.training.auction import find_position, study
from toy.game import Dozen


class Highest(Agent):
    """Plays its last legal action."""

    def act(self, obs: Any, mask: Any, rng: np.random.Generator) -> Any:
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    """One call for the game, one for an agent. Afterwards other tests see the registry as it was."""
    assert register_game(Dozen) == "dozen"
    register_all()
    register_agent("highest", lambda spec, argument: Highest("highest", spec), "the last legal action")
    yield
    del GAMES["dozen"], AGENTS["highest"]


RULES = ["two", "three"]


def played(rules: str, n: int = 200, seed: int = 1, **options: Any) -> Any:
    """Games played at random to their ends, checked at every step."""
    game = make_batch("dozen", num_games=n, seed=seed, rules=rules, **options)
    rng = np.random.default_rng(seed)
    rewards = np.zeros((n, game.spec.num_seats))
    while not game.done.all():
        assert game.legal_actions()[~game.done].any(axis=1).all()
        rewards += game.step(game.sample_actions(rng))[0]
    assert np.allclose(rewards.sum(axis=1), 0, atol=1e-5)
    return game


# The game itself.


@pytest.mark.parametrize("rules", RULES)
def test_hands_are_played_out_and_scored(rules: str) -> None:
    game = played(rules)
    report, rows = game.report(), np.arange(200)
    size = game.rules.hand_size
    assert (report["taken"].sum(axis=1) == size).all()
    assert (game.state.played.sum(axis=1) == 0xFFF).all()  # every card once
    bidder, bid, taken = report["bidder"], report["bid"], report["taken"]
    made = taken[rows, bidder] >= bid  # D-SCR-01
    assert 0 < made.sum() < 200
    assert (report["gain"][rows, bidder] == np.where(made, taken[rows, bidder], -bid)).all()


def test_suit_is_followed_and_the_highest_wins() -> None:
    """D-PLAY-01: hearts are led; without one any card may be played, and does not win."""
    game = make_batch("dozen")
    ace, queen, other = 11, 9, [0, 1, 2, 3, 4, 5]
    mine = [ace, queen, 10, 8, 7, 6]
    game.reset(options={"deal": [[mine, other]], "dealer": 1})
    for action in ("Bid 2", "Pass", "Hearts Queen"):
        game.step([game.spec.parse_action(action)])
    assert np.flatnonzero(game.legal_actions()[0]).tolist() == other
    game.step([3])
    assert game.state.taken[0].tolist() == [1, 0]
    assert game.current_player[0] == 0
    game.step([ace])
    game.step([0])
    assert game.state.taken[0].tolist() == [2, 0]


def test_matches_end_at_the_target() -> None:
    report = played("three", episode="match").report()
    assert (report["scores"].max(axis=1) >= 12).sum() > 150
    won = report["winner"] >= 0
    rows = np.flatnonzero(won)
    assert (report["scores"][rows, report["winner"][rows]] == report["scores"][rows].max(axis=1)).all()


def test_bad_deals_are_named() -> None:
    game = make_batch("dozen")
    with pytest.raises(DealError, match="deal"):
        game.reset(options={"deal": [[3, 5]]})
    with pytest.raises(DealError, match="dealer"):
        game.reset(options={"dealer": 7})


# What the core gives.


@pytest.mark.parametrize("rules", RULES)
def test_a_batch_is_single_games(rules: str) -> None:
    batch = make_batch("dozen", num_games=5, seed=4, rules=rules)
    for number in range(5):
        one = make_batch("dozen", seed=4, rules=rules)
        one.reset(options={"game_id": number, "hand_id": 0})
        assert (one.observe()[0] == batch.observe()[number]).all()


@pytest.mark.parametrize("rules", RULES)
def test_hidden_cards_do_not_show(rules: str) -> None:
    """Another deal of the others' cards: the same observation and mask for the seat that speaks first."""
    game = make_batch("dozen", num_games=100, seed=2, rules=rules)
    size, players = game.rules.hand_size, game.spec.num_seats
    rng = np.random.default_rng(0)
    rest = np.array([[c for c in rng.permutation(12) if c >= size] for _ in range(100)])
    hands = np.concatenate([np.tile(np.arange(size), (100, 1)), rest], axis=1).reshape(100, players, size)
    game.reset(options={"deal": hands, "dealer": players - 1})
    assert (game.observe() == game.observe()[:1]).all()
    assert (game.legal_actions() == game.legal_actions()[:1]).all()
    assert len(np.unique(game.state_vector(), axis=0)) > (1 if players == 3 else 0)


def test_copies_and_saved_states_go_on_alike() -> None:
    game = make_batch("dozen", num_games=20, seed=2, auto_reset=True)
    rng = np.random.default_rng(0)
    for _ in range(7):
        game.step(game.sample_actions(rng))
    copy, loaded = game.clone(), make_batch("dozen", num_games=20, seed=9, auto_reset=True)
    loaded.load_state_dict(game.state_dict())
    for _ in range(30):
        actions = game.sample_actions(rng)
        for other in (copy, loaded, game):
            other.step(actions)
        assert (copy.observe() == game.observe()).all()
        assert (loaded.observe() == game.observe()).all()


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_records_replay(episode: str, tmp_path: Path) -> None:
    game = played("three", 5, episode=episode, record=True)
    file = tmp_path / "games.jsonl"
    write_records(file, [game.record(number) for number in range(5)])
    for number, record in enumerate(read_records(file)):
        assert replay(record).result() == game.result(number)


@pytest.mark.parametrize("rules", RULES)
def test_pictures(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    game = make_batch("dozen", rules=rules)
    rng = np.random.default_rng(0)
    while True:
        assert "Dozen" in render_ansi(game.scene(seat=1, open_hands=True), color=False)
        if game.done[0]:
            break
        game.step(game.sample_actions(rng))
    assert render_rgb(game.scene()).shape[2] == 3


@pytest.mark.parametrize("part", ["bidding", "play"])
def test_one_part_of_the_game_alone(part: str) -> None:
    """The autopilot plays the other part."""
    spec = make_batch("dozen").spec
    game = make_batch(
        "dozen", num_games=20, seed=1, auto_reset=True, phase=part, autopilot=Highest("highest", spec).act
    )
    rng = np.random.default_rng(0)
    for _ in range(30):
        assert (spec.is_bidding(game.observe()) == (part == "bidding")).all()
        game.step(game.sample_actions(rng))


# What the adapters give.


@pytest.mark.parametrize("rules", RULES)
def test_pettingzoo(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    from bidtrick.envs import dozen_v0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(dozen_v0.env(rules=rules, episode="match"), num_cycles=100)
    seed_test(lambda: dozen_v0.env(rules=rules), num_cycles=50)
    parallel_api_test(dozen_v0.parallel_env(rules=rules), num_cycles=50)
    render_test(lambda **options: dozen_v0.env(rules=rules, **options))


@pytest.mark.parametrize("rules", RULES)
def test_gymnasium(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make("bidtrick/Dozen-v0", rules=rules, seat="random").unwrapped)
    vec = gym.make_vec("bidtrick/Dozen-v0", num_envs=8, rules=rules, opponents="highest")
    obs, _ = vec.reset(seed=0)
    for _ in range(30):
        obs, *_ = vec.step(obs["action_mask"].argmax(axis=1))
    assert obs["action_mask"].any(axis=1).all()


def test_stable_baselines() -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from bidtrick.envs.adapters.sb3 import make_sb3_vec_env

    vec = make_sb3_vec_env("dozen", 16, seed=0, rules="three")
    model = sb3_contrib.MaskablePPO(
        "MultiInputPolicy", vec, n_steps=16, batch_size=128, n_epochs=1, seed=0, device="cpu"
    )
    model.learn(256)
    assert model.num_timesteps == 256


# What agents and training give.


def test_agents_by_name() -> None:
    spec = make_batch("dozen").spec
    assert make_agent("highest", spec).name == "highest"
    with pytest.raises(UnknownNameError, match="no heuristic agent for dozen"):
        make_agent("heuristic", spec)
    with pytest.raises(UnknownNameError, match="taken"):
        register_agent("random", lambda spec, argument: Highest("random", spec), "")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, registered: None) -> Path:
    """A short training run."""
    folder = tmp_path_factory.mktemp("runs") / "dozen"
    plain = {
        "game": "dozen", "rules": "two", "decisions": 4096, "num_games": 64, "steps": 32, "minibatch": 256,
        "network": {"hidden": [16]}, "evaluate": {"opponents": ["highest", "random"], "every": 1, "deals": 20},
        "imitate": {"agent": "highest", "decisions": 2048}, "opponents": {"agents": ["highest"], "share": 0.5},
        "threads": 1,
    }  # fmt: skip
    ppo.train(config.build(ppo.PPOConfig, plain, "toy"), folder)
    return folder


def test_trained_agent_plays_a_tournament(run: Path) -> None:
    plain = {
        "game": "dozen", "rules": "two", "agents": [f"checkpoint:{run}", "highest", "random"], "deals": 20,
        "matches": 10, "records": 1,
    }  # fmt: skip
    result = tournament.run(config.build(tournament.TournamentConfig, plain, "toy"))
    assert len(result.pairs) == 3
    assert all(np.isfinite(pair.points.mean) for pair in result.pairs)
    assert all(0 <= pair.wins.mean <= 1 for pair in result.pairs if pair.wins is not None)
    assert replay(result.records[0]).done.all()


def test_bids_are_studied_and_learned(tmp_path: Path) -> None:
    hand = "Clubs Jack, Clubs Queen, Diamonds Jack, Diamonds Queen, Hearts Jack, Hearts Queen"
    position = find_position("dozen", hand, auction="pass", deals=30, options={"scores": [3, 4]})
    assert position.seat == 1
    result = study(position, [], make_agent("highest", position.spec), seed=5)
    assert [bid.name for bid in result.bids] == [f"Bid {n}" for n in range(1, 7)]  # D-BID-01: the dealer is stuck
    assert all(bid.auction.made is None for bid in result.bids)  # the game counts nothing
    assert result.bids[0].auction.points.mean > result.bids[-1].auction.points.mean
    plain = {
        "algorithm": "bidding", "game": "dozen", "autopilot": "highest", "decisions": 256, "num_games": 16, "steps": 4,
        "minibatch": 8, "threads": 1, "network": {"hidden": [8]}, "evaluate": {"every": 0},
        "opponents": {"agents": ["highest"]},
    }  # fmt: skip
    bidding.train(config.build(bidding.BiddingConfig, plain, "toy"), tmp_path / "run")
    agent = make_agent(f"checkpoint:{tmp_path / 'run'}", position.spec)
    assert position.games.legal_actions()[0, agent.act(
        position.games.observe(), position.games.legal_actions(), np.random.default_rng(0)
    )[0]]  # fmt: skip


def test_benchmark() -> None:
    report = bench.measure(bench.BenchSettings(games=("dozen",), sizes=(16,), seconds=0.01, rounds=1))
    assert [engine.game for engine in report.engines] == ["dozen"]
    assert report.engines[0].best > 0


# What the command line gives, in a program that has registered the game.


def test_command_line(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    runner = CliRunner()

    def text(*words: Any) -> str:
        result = runner.invoke(app, [str(word) for word in words])
        assert result.exit_code == 0, result.output
        return result.output

    assert "dozen" in text("games")
    assert "D-END-01" in text("rules", "dozen")
    games_file, json_file = tmp_path / "g.jsonl", tmp_path / "t.json"
    settings = tmp_path / "t.yaml"
    settings.write_text("game: dozen\nrules: two\nagents: [highest, random]\ndeals: 10\nrecords: 1\n")
    text("tournament", settings, "--json", json_file, "--records", games_file)
    assert json.loads(json_file.read_text())["rules"] == "two"
    assert "Clubs" in text("replay", games_file)
    settings.write_text("game: dozen\ndecisions: 512\nnum_games: 16\nsteps: 16\nminibatch: 64\nthreads: 1\n")
    overrides = ("network.hidden=[8]", "evaluate.every=0")
    hand = "Clubs Ace, Clubs King, Hearts Ace, Hearts King, Hearts Jack, Diamonds Ace"
    assert "Bid 6" in text("bid", "dozen", hand, "-a", "highest", "--play", "highest", "--deals", 5)
    assert "Checkpoint" in text("train", settings, *overrides, "--run-dir", tmp_path / "r")


# The registry.


def test_registry_refuses_other_games_of_the_same_name() -> None:
    assert "dozen" in games()
    assert register_game(Dozen) == "dozen"  # once more changes nothing

    class Impostor(Dozen):
        pass

    with pytest.raises(BidtrickError, match="already"):
        register_game(Impostor)

    class Nameless(Dozen):
        rules_class = type("Rules", (Dozen.rules_class,), {"game": "no id"})

    with pytest.raises(BidtrickError, match="no id"):
        register_game(Nameless)
