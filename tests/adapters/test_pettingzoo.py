"""PettingZoo: its own conformance tests, and what they do not look at."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from bidtrick.envs import make_batch, schieber_v0
from bidtrick.envs.core.errors import BidtrickError, DealError, GameOverError, IllegalActionError, RulesError

OPTIONS: list[dict[str, Any]] = [
    {},
    {"episode": "match", "rules": "swiss", "target": 300, "reward": "match"},
    {"context": "sampled", "obs_dtype": "uint8", "skip_forced": True},
]


def play(env: Any, seed: int, stop: int = 10**6) -> list[tuple[str, int]]:
    """Random legal play from a seed, until the end or for some turns."""
    rng = np.random.default_rng(seed)
    moves: list[tuple[str, int]] = []
    for agent in env.agent_iter():
        obs, _, done, _, _ = env.last()
        if len(moves) == stop:
            break
        action = None if done else int(rng.choice(np.flatnonzero(obs["action_mask"])))
        if action is not None:
            moves.append((agent, action))
        env.step(action)
    return moves


# -- PettingZoo's tests


@pytest.mark.parametrize("options", OPTIONS)
def test_api(options: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(schieber_v0.env(**options), num_cycles=500)
    # Dict observations are warned about unless the environment's name is in a list inside PettingZoo.
    unexpected = {str(w.message) for w in caught} - {
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    }
    assert not unexpected


@pytest.mark.parametrize("options", OPTIONS)
def test_seed(options: dict[str, Any]) -> None:
    seed_test(lambda: schieber_v0.env(**options), num_cycles=100)


def test_render(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(schieber_v0.env)


def test_parallel_api() -> None:
    parallel_api_test(schieber_v0.parallel_env(), num_cycles=200)
    parallel_api_test(turn_based_aec_to_parallel(schieber_v0.env(episode="match")), num_cycles=100)


def test_performance_benchmark_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    benchmark = import_module("pettingzoo.test.performance_benchmark")
    clock = iter(range(0, 1000, 2))  # it measures until five seconds have passed
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(time=lambda: next(clock)))
    benchmark.performance_benchmark(schieber_v0.env())
    assert "turns per second" in capsys.readouterr().out


# -- names and registration


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
def test_registered() -> None:
    assert str(pettingzoo.make("aec", "bidtrick/schieber_v0", target=500)) == "schieber_v0"
    assert pettingzoo.make("parallel", "bidtrick/schieber_v0").possible_agents[0] == "player_0"


def test_module_is_importable_in_every_way() -> None:
    code = (
        "import bidtrick.envs.schieber_v0 as a\n"
        "from bidtrick.envs import schieber_v0 as b\n"
        "import bidtrick.envs\n"
        "assert a is b is bidtrick.envs.schieber_v0\n"
        "assert not hasattr(bidtrick.envs, 'schieber_v99') and not hasattr(bidtrick.envs, 'no_v0')\n"
        "try:\n    import bidtrick.envs.schieber_v99\n"
        "except ModuleNotFoundError as e: print(e)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "schieber_v0" in out


def test_import_is_cheap() -> None:
    code = "import bidtrick, sys; print([m for m in ('torch', 'pygame', 'rich', 'pandas') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_pickle_keeps_the_options() -> None:
    env = schieber_v0.raw_env("swiss", target=777, episode="match", obs_dtype="uint8")
    code = (
        "import sys, pickle\n"
        "env = pickle.load(sys.stdin.buffer)\n"
        "print(type(env).__module__, env.game.rules.target, env.game.episode, env.game.rules.undenufe_eleven)"
    )
    out = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(env), capture_output=True, check=True)
    assert out.stdout.decode().split() == ["bidtrick.envs.schieber_v0", "777", "match", "six"]


# -- observations and masks


@pytest.mark.parametrize("options", OPTIONS)
def test_observations_are_the_engines(options: dict[str, Any]) -> None:
    """Every seat's view and the mask of the seat to act, against a second batch that makes the same moves."""
    env = schieber_v0.raw_env(**options)
    rules = {k: v for k, v in options.items() if k in ("target",)}
    twin = make_batch(
        "schieber", 1, rules=dict(rules, preset=options.get("rules", "source")), seed=5,
        **{k: v for k, v in options.items() if k in ("episode", "reward", "context", "skip_forced")},
    )  # fmt: skip
    env.reset(seed=5)
    twin.reset(seed=5)
    rng = np.random.default_rng(5)
    while not env.terminations[env.agent_selection]:
        player = int(twin.current_player[0])
        assert env.agent_selection == f"player_{player}"
        for seat, agent in enumerate(env.possible_agents):
            obs = env.observe(agent)
            raw = twin.observe(seat)[0]
            expected = raw if options.get("obs_dtype") == "uint8" else twin.spec.layout.to_float(raw)
            assert obs["observation"].dtype == expected.dtype
            assert np.array_equal(obs["observation"], expected)
            legal = twin.legal_actions()[0] if seat == player else np.zeros(43, bool)
            assert obs["action_mask"].dtype == np.int8
            assert np.array_equal(obs["action_mask"], legal)
            assert env.observation_space(agent).contains(obs)
        assert np.array_equal(env.state()[: twin.spec.layout.size], twin.spec.layout.to_float(twin.observe(0)[0]))
        assert env.state_space.contains(env.state())
        action = int(rng.choice(np.flatnonzero(twin.legal_actions()[0])))
        env.step(np.int64(action))
        twin.step([action])
    assert twin.done[0]
    assert all(not env.observe(a)["action_mask"].any() for a in env.possible_agents)


def test_returned_arrays_are_never_reused() -> None:
    env = schieber_v0.raw_env(obs_dtype="uint8")
    env.reset(seed=1)
    for agent in env.possible_agents:
        first, second = env.observe(agent), env.observe(agent)
        for name in first:
            assert not np.shares_memory(first[name], second[name])
            first[name][:] = 7
            assert not np.array_equal(env.observe(agent)[name], first[name])


# -- rewards, infos, seeds, options


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_rewards_add_up_to_the_points(episode: str) -> None:
    env = schieber_v0.env(episode=episode, target=700)
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    points = np.zeros(2)
    for agent in env.agent_iter():
        obs, reward, done, _, info = env.last()
        returns[agent] += reward
        if agent == "player_2" and "hand" in info:
            points += info["hand"]["points"]
        env.step(None if done else int(rng.choice(np.flatnonzero(obs["action_mask"]))))
    assert points.sum() > 150
    gain = (points[0] - points[1]) / 100
    assert list(returns.values()) == pytest.approx([gain, -gain, gain, -gain], abs=1e-4)


def test_infos_tell_each_agent_once_how_a_hand_ended() -> None:
    env = schieber_v0.env(episode="match", target=700)
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    reports: dict[str, list[Any]] = {agent: [] for agent in env.possible_agents}
    for agent in env.agent_iter():
        obs, _, done, _, info = env.last()
        if "hand" in info:
            reports[agent].append(info["hand"])
        env.step(None if done else int(rng.choice(np.flatnonzero(obs["action_mask"]))))
    hands = reports["player_0"]
    assert len(hands) > 2
    assert all(reports[agent] == hands for agent in reports)
    assert len({hand["contract_name"] for hand in hands} - {"Obenabe", "Undenufe"}) >= 1
    for hand in hands:
        assert hand["contract_name"] in env.unwrapped.game.spec.actions[36:42]
        assert {"base_points", "weis", "stock", "scores", "winner", "schneider", "points"} <= set(hand)
    assert all(sum(hand["base_points"]) == 157 for hand in hands[:-1])
    assert [hand["winner"] for hand in hands[:-1]] == [-1] * (len(hands) - 1)
    last = hands[-1]
    assert last["scores"][last["winner"]] >= 700
    assert last["schneider"] == (2 * min(last["scores"]) < 700)


def test_seeds_reproduce_and_episodes_differ() -> None:
    env = schieber_v0.env()
    env.reset(seed=11)
    first = play(env, 1)
    env.reset()
    other = env.unwrapped.game.state.hands.copy()
    env.reset(seed=11)
    assert not np.array_equal(env.unwrapped.game.state.hands, other)
    assert play(env, 1) == first
    unseeded = [schieber_v0.raw_env() for _ in range(2)]
    for one in unseeded:
        one.reset()
    assert not np.array_equal(unseeded[0].game.state.hands, unseeded[1].game.state.hands)


def test_given_deal_scores_and_dealer() -> None:
    env = schieber_v0.raw_env(episode="match")
    deal = np.arange(36).reshape(4, 9)[::-1].tolist()
    env.reset(options={"deal": deal, "scores": [10, 20], "dealer": 1})
    assert env.agent_selection == "player_2"
    layout = env.game.spec.layout
    assert np.flatnonzero(layout.view(env.observe("player_3")["observation"], "hand")).tolist() == list(range(9))
    assert env.game.state.scores[0].tolist() == [10, 20]


# -- what is refused


def snapshot(env: Any) -> Any:
    saved = env.game.state_dict()["arrays"]
    return (
        {name: array.tobytes() for name, array in saved.items()}, env.agent_selection, dict(env.rewards),
        dict(env._cumulative_rewards), dict(env.terminations), dict(env.infos), list(env.agents),
    )  # fmt: skip


@pytest.mark.parametrize("action", [0, 43, 1000, -1, None, 1.5, "Push", [36, 37]])
def test_raw_env_refuses_illegal_actions_and_changes_nothing(action: Any) -> None:
    env = schieber_v0.raw_env()
    env.reset(seed=2)
    before = snapshot(env)
    with pytest.raises(IllegalActionError, match="schieber"):
        env.step(action)
    assert snapshot(env) == before


def test_raw_env_refuses_actions_after_the_end() -> None:
    env = schieber_v0.raw_env()
    env.reset(seed=2)
    play(env, 0)
    assert not env.agents
    with pytest.raises(GameOverError, match="reset"):
        env.step(36)


def test_wrapped_env_ends_the_game_on_an_illegal_action() -> None:
    env = schieber_v0.env()
    env.reset(seed=2)
    agent = env.agent_selection
    env.step(0)  # a card before the contract
    assert all(env.terminations.values())
    assert env.rewards[agent] == -1
    assert sum(env.rewards.values()) == -1
    assert all(not env.observe(a)["action_mask"].any() for a in env.agents)
    env.reset()
    with pytest.raises(AssertionError, match="action space"):
        env.step(99)


def test_bad_options_are_named() -> None:
    with pytest.raises(RulesError, match="targt"):
        schieber_v0.env(targt=1000)
    with pytest.raises(BidtrickError, match="obs_dtype"):
        schieber_v0.env(obs_dtype="float64")
    with pytest.raises(BidtrickError, match="render_mode"):
        schieber_v0.env(render_mode="svg")
    with pytest.raises(BidtrickError, match="render_seat"):
        schieber_v0.env(render_seat=4)
    env = schieber_v0.raw_env()
    env.reset(seed=1)
    before = snapshot(env)
    with pytest.raises(DealError, match="delaer"):
        env.reset(seed=2, options={"delaer": 1})
    with pytest.raises(DealError, match="scores"):
        env.reset(seed=2, options={"scores": [-1, 0]})
    assert snapshot(env) == before
