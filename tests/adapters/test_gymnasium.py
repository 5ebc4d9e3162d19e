"""Gymnasium: its own checker, and single and vector environments against each other and the engine."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import bidtrick  # registers the environments
from bidtrick.envs.core.errors import BidtrickError, DealError, GameOverError, IllegalActionError, UnknownNameError

ID = "bidtrick/Schieber-v0"
OPTIONS: list[dict[str, Any]] = [
    {},
    {"episode": "match", "rules": "swiss", "target": 300, "reward": "match", "seat": 3},
    {"context": "sampled", "obs_dtype": "uint8", "skip_forced": True, "seat": "random"},
]


def first_legal(obs: Any, mask: Any, rng: np.random.Generator) -> Any:
    """A policy without randomness: batches and single games must then agree."""
    return np.argmax(mask, axis=1)


def last_legal(obs: Any, mask: Any, rng: np.random.Generator) -> Any:
    return mask.shape[1] - 1 - np.argmax(mask[:, ::-1], axis=1)


def choose(mask: Any, turn: int) -> int:
    """A legal action that depends on the turn."""
    legal = np.flatnonzero(mask)
    return int(legal[turn % len(legal)])


# -- single


@pytest.mark.parametrize("options", OPTIONS)
def test_check_env(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(ID, **options).unwrapped)


def test_ids_are_registered_with_both_entry_points() -> None:
    assert bidtrick.__version__
    spec = gym.spec(ID)
    assert spec.entry_point is not None
    assert spec.vector_entry_point is not None
    vec = gym.make_vec(ID, num_envs=1024)
    assert vec.num_envs == 1024
    assert isinstance(vec.metadata["autoreset_mode"], AutoresetMode)
    sync = gym.make_vec(ID, num_envs=2, vectorization_mode="sync")
    assert sync.reset(seed=1)[0]["action_mask"].shape == (2, 43)


def test_the_learning_seat_decides_and_only_it() -> None:
    env = gym.make(ID, seat=2, episode="match", target=500).unwrapped
    obs, info = env.reset(seed=4)
    done, turn, hands = False, 0, []
    while not done:
        assert int(env.game.current_player[0]) == info["seat"] == 2
        assert np.array_equal(obs["action_mask"], env.game.legal_actions()[0])
        assert np.array_equal(env.action_masks(), obs["action_mask"].astype(bool))
        assert np.array_equal(obs["observation"], env.game.spec.layout.to_float(env.game.observe(2)[0]))
        obs, _, done, truncated, info = env.step(choose(obs["action_mask"], turn))
        assert not truncated
        assert env.observation_space.contains(obs)
        turn += 1
        if "hand" in info:
            hands.append(info["hand"])
    assert len(hands) > 1
    assert hands[-1]["winner"] in (0, 1)
    assert "hand" not in env.reset()[1]
    assert {"contract_name", "base_points", "weis", "stock", "scores", "schneider"} <= set(hands[0])
    assert not obs["action_mask"].any()


def test_rewards_are_the_teams_points() -> None:
    env = gym.make(ID, seat=1, episode="match", target=600)
    obs, _ = env.reset(seed=9)
    total, points, done, turn = 0.0, np.zeros(2), False, 0
    while not done:
        obs, reward, done, _, info = env.step(choose(obs["action_mask"], turn))
        total, turn = total + reward, turn + 1
        if "hand" in info:
            points += info["hand"]["points"]
    assert total == pytest.approx((points[1] - points[0]) / 100, abs=1e-4)


def test_illegal_actions() -> None:
    env = gym.make(ID)
    env.reset(seed=1)
    obs, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["illegal_action"]) == (-1.0, True, True)
    assert not obs["action_mask"].any()
    with pytest.raises(GameOverError, match="reset"):
        env.step(36)
    strict = gym.make(ID, illegal_action="raise").unwrapped
    strict.reset(seed=1)
    before = {n: a.tobytes() for n, a in strict.game.state_dict()["arrays"].items()}
    for action in (0, 43, -1, 10**6, 1.5):
        with pytest.raises(IllegalActionError, match="schieber"):
            strict.step(action)
    assert before == {n: a.tobytes() for n, a in strict.game.state_dict()["arrays"].items()}
    with pytest.raises(IllegalActionError, match=r"seat 0, phase contract: action 0 \(Eichel 6\)"):
        strict.step(0)


def test_seeds_reproduce_and_random_seats_vary() -> None:
    def run(seed: int) -> Any:
        env = gym.make(ID, seat="random")
        data = []
        for episode in range(8):
            obs, info = env.reset(seed=seed if episode == 0 else None)
            data.append((obs, info["seat"]))
            done = False
            while not done:
                obs, reward, done, _, info = env.step(choose(obs["action_mask"], len(data)))
                data.append((obs, reward, info))
        return data

    assert data_equivalence(run(5), run(5), exact=True)
    assert not data_equivalence(run(5), run(6))
    env = gym.make(ID, seat="random")
    env.reset(seed=0)
    assert {env.reset()[1]["seat"] for _ in range(40)} == {0, 1, 2, 3}


def test_given_deal_and_an_episode_that_ends_too_early() -> None:
    env = gym.make(ID, seat=1, episode="match").unwrapped
    deal = np.arange(36).reshape(4, 9)
    obs, _ = env.reset(options={"deal": deal.tolist(), "dealer": 0, "scores": [5, 7]})
    hand = env.game.spec.layout.view(obs["observation"], "hand")
    assert np.flatnonzero(hand).tolist() == list(range(9, 18))
    with pytest.raises(DealError, match="dealer"):
        env.reset(options={"dealer": 9})
    # J-STK-02: seat 0 chooses Eichel (the first legal action) and wins at once with its Stöck
    early = gym.make(ID, seat=1, episode="match", opponents=first_legal).unwrapped
    with pytest.raises(DealError, match="seat 1 decides"):
        early.reset(options={"deal": deal.tolist(), "dealer": 3, "scores": [2990, 0]})


def test_opponents_and_partner() -> None:
    """Which policy plays which seat, counted from the learning seat in playing order."""
    asked: set[tuple[int, int]] = set()
    game: Any = None

    def policy(number: int) -> Any:
        def act(obs: Any, mask: Any, rng: np.random.Generator) -> Any:
            if game is not None:
                asked.add((number, int(game.current_player[0])))
            return first_legal(obs, mask, rng)

        return act

    for seat in range(4):
        right, opposite, left = ((seat + place) % 4 for place in (1, 2, 3))
        for options, expected in (
            ({"opponents": policy(1)}, {(1, right), (1, opposite), (1, left)}),
            ({"opponents": [policy(1), policy(2), policy(3)]}, {(1, right), (2, opposite), (3, left)}),
            ({"opponents": policy(1), "partner": policy(7)}, {(1, right), (7, opposite), (1, left)}),
            ({"opponents": ["random", policy(2), "random"]}, {(2, opposite)}),
        ):
            asked.clear()
            env = gym.make(ID, seat=seat, **options).unwrapped
            game = env.game
            obs, _ = env.reset(seed=0)
            for turn in range(5):
                obs, *_ = env.step(choose(obs["action_mask"], turn))
            assert asked == expected
    with pytest.raises(BidtrickError, match="lists 2 policies"):
        gym.make(ID, opponents=["random", "random"])
    with pytest.raises(UnknownNameError, match="nobody"):
        gym.make(ID, opponents="nobody")
    with pytest.raises(BidtrickError, match="cannot play"):
        gym.make(ID, opponents=3)
    with pytest.raises(BidtrickError, match="seat=4"):
        gym.make(ID, seat=4)


# -- vector


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_batch_is_single_games(options: dict[str, Any], mode: AutoresetMode) -> None:
    """Game i of a vector environment is the single environment with game_id i, in every autoreset mode."""
    n, steps = 5, 60
    options = {**options, "opponents": first_legal, "partner": last_legal}
    vec = gym.make_vec(ID, num_envs=n, autoreset_mode=mode, **options)
    obs, infos = vec.reset(seed=6)
    envs = [gym.make(ID, **options).unwrapped for _ in range(n)]
    singles = [env.reset(seed=6, options={"game_id": i}) for i, env in enumerate(envs)]
    finished = [False] * n
    ended = 0
    for turn in range(steps):
        for i, (one, info) in enumerate(singles):
            assert np.array_equal(obs["observation"][i], one["observation"])
            assert np.array_equal(obs["action_mask"][i], one["action_mask"])
            assert infos["seat"][i] == info["seat"]
            assert infos["_seat"][i]
        if mode is AutoresetMode.DISABLED and any(finished):
            obs, infos = vec.reset(options={"reset_mask": np.array(finished)})
            for i in np.flatnonzero(finished):
                singles[i] = envs[i].reset()
            finished = [False] * n
            continue
        actions = [0 if f else choose(one["action_mask"], turn) for (one, _), f in zip(singles, finished, strict=True)]
        obs, rewards, terminated, truncated, infos = vec.step(np.array(actions))
        assert not truncated.any()
        for i, env in enumerate(envs):
            if finished[i]:  # NEXT_STEP: this step only began the next episode
                singles[i], reward, done = env.reset(), 0.0, False
                assert not infos.get("_hand", np.zeros(n, bool))[i]
            else:
                one, reward, done, _, info = env.step(actions[i])
                singles[i] = (one, info)
                where = infos["final_info"] if done and mode is AutoresetMode.SAME_STEP else infos
                assert ("hand" in info) == bool("hand" in where and where["_hand"][i])
                if "hand" in info:
                    for name, values in env.game.report().items():
                        assert np.array_equal(where["hand"][name][i], values[0])
                        assert where["hand"][f"_{name}"][i]
            assert rewards[i] == pytest.approx(reward)
            assert terminated[i] == done
            ended += done
            if done and mode is AutoresetMode.SAME_STEP:
                assert data_equivalence(infos["final_obs"][i], singles[i][0], exact=True)
                assert infos["_final_obs"][i]
                assert infos["_final_info"][i]
                assert not infos.get("_hand", np.zeros(n, bool))[i]
                singles[i] = env.reset()
            finished[i] = done and mode is not AutoresetMode.SAME_STEP
    assert ended >= n


def test_same_step_masks_always_have_a_legal_action() -> None:
    vec = gym.make_vec(ID, num_envs=16)
    obs, _ = vec.reset(seed=0)
    for turn in range(60):
        assert obs["action_mask"].any(axis=1).all()
        assert np.array_equal(vec.unwrapped.action_masks(), obs["action_mask"].astype(bool))
        assert vec.observation_space.contains(obs)
        obs, *_ = vec.step(np.array([choose(mask, turn) for mask in obs["action_mask"]]))


def test_vector_arrays_are_never_reused_and_wrappers_work() -> None:
    vec = RecordEpisodeStatistics(gym.make_vec(ID, num_envs=4))
    calls = [vec.reset(seed=0)]
    episodes = 0
    for turn in range(15):
        mask = calls[-1][0]["action_mask"]
        obs, _, terminated, _, infos = vec.step(np.array([choose(m, turn) for m in mask]))
        calls.append((obs, infos))
        episodes += int(terminated.sum())
        assert ("episode" in infos) == bool(terminated.any())
    assert episodes == vec.episode_count > 0
    for i, (first, _) in enumerate(calls):
        for second, _ in calls[i + 1 :]:
            assert not any(np.shares_memory(first[name], second[name]) for name in ("observation", "action_mask"))


def test_vector_illegal_actions() -> None:
    vec = gym.make_vec(ID, num_envs=3)
    obs, _ = vec.reset(seed=1)
    actions = np.array([choose(m, 0) for m in obs["action_mask"]])
    actions[1] = int(np.flatnonzero(obs["action_mask"][1] == 0)[0])
    _, rewards, terminated, _, infos = vec.step(actions)
    assert terminated.tolist() == [False, True, False]
    assert rewards[1] == -1
    assert infos["final_info"]["illegal_action"].tolist() == [False, True, False]
    strict = gym.make_vec(ID, num_envs=3, illegal_action="raise").unwrapped
    strict.reset(seed=1)
    before = strict.game.state_dict()["arrays"]
    for bad in (actions, np.array([36, 36]), np.array([-1, 36, 36]), np.array([0.5, 1, 2])):
        with pytest.raises(IllegalActionError, match="schieber"):
            strict.step(bad)
    assert data_equivalence(before, strict.game.state_dict()["arrays"], exact=True)


def test_reset_mask_is_checked() -> None:
    vec = gym.make_vec(ID, num_envs=3, autoreset_mode="Disabled")
    vec.reset(seed=1)
    for bad in (np.zeros(3, bool), np.ones(2, bool), [True, False, False]):
        with pytest.raises(BidtrickError, match="reset_mask"):
            vec.reset(options={"reset_mask": bad})
    for turn in range(12):
        mask = vec.unwrapped.action_masks()
        if not mask.any(axis=1).all():
            break
        vec.step(np.array([choose(m, turn) for m in mask]))
    with pytest.raises(BidtrickError, match="is finished"):
        vec.step(np.zeros(3, int))


@pytest.mark.parametrize("mode", ["ansi", "rgb_array", "human"])
def test_vector_pictures(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    vec = gym.make_vec(ID, num_envs=2, render_mode=mode)
    vec.reset(seed=1)
    frames = vec.render()
    if mode == "human":
        assert frames is None
    else:
        assert len(frames) == 2
        assert all(isinstance(f, str) or f.dtype == np.uint8 for f in frames)
    vec.close()
