"""Stable-Baselines3: the native VecEnv against Gymnasium's vector environment, and a short MaskablePPO training."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from bidtrick.envs.adapters.opponents import Lineup
from bidtrick.envs.adapters.sb3 import make_sb3_vec_env
from bidtrick.envs.core.errors import BidtrickError, IllegalActionError


def first_legal(obs: Any, mask: Any, rng: np.random.Generator) -> Any:
    return np.argmax(mask, axis=1)


def choose(masks: Any, turn: int) -> Any:
    return np.array([np.flatnonzero(m)[turn % int(m.sum())] for m in masks])


def test_equals_the_gymnasium_vector_env() -> None:
    options: dict[str, Any] = {"opponents": first_legal, "episode": "match", "target": 200, "seat": "random"}
    vec = make_sb3_vec_env("schieber", 4, seed=3, **options)
    twin = gym.make_vec("bidtrick/Schieber-v0", num_envs=4, **options)
    obs, (other, infos) = vec.reset(), twin.reset(seed=3)
    ended = 0
    for turn in range(80):
        assert np.array_equal(obs["observation"], other["observation"])
        assert np.array_equal(obs["action_mask"], other["action_mask"])
        assert [info["seat"] for info in vec.reset_infos] == infos["seat"].tolist()
        actions = choose(vec.env_method("action_masks"), turn)
        obs, rewards, dones, listed = vec.step(actions)
        other, expected, terminated, _, infos = twin.step(actions)
        assert rewards.dtype == np.float32
        assert np.allclose(rewards, expected)
        assert np.array_equal(dones, terminated)
        for i in np.flatnonzero(dones):
            ended += 1
            final = infos["final_obs"][i]
            assert all(np.array_equal(listed[i]["terminal_observation"][k], final[k]) for k in final)
            assert listed[i]["hand"]["scores"] == infos["final_info"]["hand"]["scores"][i].tolist()
            assert listed[i]["TimeLimit.truncated"] is False
    assert ended > 3


def test_action_masks_are_one_array_of_the_engines() -> None:
    vec = make_sb3_vec_env("schieber", 8, seed=0)
    vec.reset()
    masks = vec.env_method("action_masks")
    assert masks.shape == (8, 43)
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, vec.game.legal_actions())
    assert np.array_equal(get_action_masks(vec), masks)
    assert np.array_equal(vec.env_method("action_masks", indices=[2, 5]), masks[[2, 5]])
    assert is_masking_supported(vec)
    assert is_masking_supported(VecMonitor(vec))
    assert vec.env_is_wrapped(gym.Wrapper) == [False] * 8
    assert vec.get_attr("render_mode", [0, 1]) == [None, None]
    with pytest.raises(AttributeError, match="nothing"):
        vec.env_method("nothing")
    with pytest.raises(AttributeError, match="nothing"):
        vec.get_attr("nothing")
    with pytest.raises(AttributeError, match="seat"):
        vec.set_attr("seat", 1)


def test_seeds_and_options() -> None:
    def hands(vec: Any) -> Any:
        vec.reset()
        return vec.game.state.hands.copy()

    vec = make_sb3_vec_env("schieber", 3, seed=1)
    first = hands(vec)
    assert not np.array_equal(first, hands(vec))  # the seed is used once, then the deals go on
    vec.seed(1)
    assert np.array_equal(first, hands(vec))
    assert not np.array_equal(hands(make_sb3_vec_env("schieber", 3)), hands(make_sb3_vec_env("schieber", 3)))
    vec = make_sb3_vec_env("schieber", 2, episode="match")
    vec.set_options([{"scores": [1, 2]}, {"scores": [3, 4]}])
    vec.reset()
    assert vec.game.state.scores.tolist() == [[1, 2], [3, 4]]
    vec.set_options([{"scores": [1, 2]}, {}])
    with pytest.raises(BidtrickError, match="set_options"):
        vec.reset()


def test_illegal_actions() -> None:
    def bad(vec: Any) -> Any:
        """Illegal in the second game only."""
        vec.reset()
        masks = vec.env_method("action_masks")
        actions = choose(masks, 0)
        actions[1] = np.flatnonzero(~masks[1])[0]
        return actions

    vec = make_sb3_vec_env("schieber", 2, seed=0)
    with pytest.raises(IllegalActionError, match="schieber game 1, seat 0, phase"):
        vec.step(bad(vec))
    vec = make_sb3_vec_env("schieber", 2, seed=0, illegal_action="terminate", illegal_reward=-5)
    _, rewards, dones, infos = vec.step(bad(vec))
    assert rewards[1] == -5
    assert dones.tolist() == [False, True]
    assert infos[1]["illegal_action"]


def test_observations_without_mask_and_pictures() -> None:
    vec = make_sb3_vec_env("schieber", 2, seed=0, mask_in_observation=False, obs_dtype="uint8", render_mode="rgb_array")
    obs = vec.reset()
    assert vec.observation_space.shape == obs.shape[1:]
    assert obs.dtype == np.uint8
    picture = vec.render()
    assert picture is not None
    assert picture.shape[2] == 3
    vec.close()


@pytest.mark.parametrize(("policy", "dicts"), [("MultiInputPolicy", True), ("MlpPolicy", False)])
def test_maskable_ppo_trains(policy: str, dicts: bool) -> None:
    torch.set_num_threads(1)
    vec = VecMonitor(make_sb3_vec_env("schieber", 32, seed=0, mask_in_observation=dicts))
    model = MaskablePPO(policy, vec, n_steps=16, batch_size=256, n_epochs=1, seed=0, device="cpu")
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(2048)
    assert model.num_timesteps == 2048
    assert any(not torch.equal(a, b) for a, b in zip(before, model.policy.parameters(), strict=True))
    assert len(model.ep_info_buffer) > 50
    assert {int(info["l"]) for info in model.ep_info_buffer} <= {9, 10}
    mean, _ = evaluate_policy(model, vec, n_eval_episodes=32)
    assert -20 < mean < 20


def test_missing_stable_baselines_is_named() -> None:
    code = (
        "import sys; sys.modules['stable_baselines3'] = None\n"
        "try: import bidtrick.envs.adapters.sb3\n"
        "except ImportError as e: print(e)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "bidtrick[sb3]" in out


def test_lineups_share_the_games_and_sit_where_they_say() -> None:
    asked: set[str] = set()

    def named(name: str) -> Any:
        def policy(obs: Any, mask: Any, rng: np.random.Generator) -> Any:
            asked.add(name)
            return np.argmax(mask, axis=1)

        return policy

    one, two, three = named("one"), named("two"), named("three")
    lineups = [Lineup(one, weight=0.5), Lineup([two, one, two], weight=0.25), Lineup(two, three, weight=0.25)]
    vec = make_sb3_vec_env("schieber", 8, seed=3, opponents=lineups)
    assert vec.table.lineup.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    seated = dict(vec.table._groups)
    assert seated[one][:, 1:].tolist() == [[True] * 3] * 4 + [[False, True, False]] * 2 + [[False] * 3] * 2
    assert seated[two][:, 1:].tolist() == [[False] * 3] * 4 + [[True, False, True]] * 4
    assert seated[three][:, 1:].tolist() == [[False] * 3] * 6 + [[False, True, False]] * 2
    vec.reset()
    for turn in range(20):
        vec.step(choose(vec.env_method("action_masks"), turn))
    assert asked == {"one", "two", "three"}
    with pytest.raises(BidtrickError, match="line-ups only"):
        make_sb3_vec_env("schieber", 2, opponents=lineups, partner=one)
    with pytest.raises(BidtrickError, match="weights"):
        make_sb3_vec_env("schieber", 2, opponents=[Lineup(one, weight=0.0)])


@pytest.mark.parametrize("game", ["schieber", "pitch"])
def test_the_canonical_form_is_the_same_game(game: str) -> None:
    """Decisions are shown in canonical form and taken in it; deals, rewards and ends are those of the plain one."""
    shown = make_sb3_vec_env(game, 16, seed=2, opponents=first_legal, obs_dtype="uint8", canonical=True)
    plain = make_sb3_vec_env(game, 16, seed=2, opponents=first_legal, obs_dtype="uint8")
    symmetry = plain.game.spec.symmetry
    seen, obs = shown.reset(), plain.reset()
    changed = ended = 0
    for turn in range(30):
        masks = plain.action_masks()
        form = symmetry.canonical(obs["observation"], masks, np.zeros((16, 0), np.uint8))
        assert np.array_equal(seen["observation"], form.obs)
        assert np.array_equal(shown.action_masks(), form.mask)
        changed += int((form.obs != obs["observation"]).any(axis=1).sum())
        actions = choose(form.mask, turn)
        seen, rewards, dones, infos = shown.step(actions)
        obs, expected, ends, others = plain.step(symmetry.to_original(actions, form.turn))
        assert np.array_equal(rewards, expected)
        assert np.array_equal(dones, ends)
        ended += int(ends.sum())
        assert [info.get("hand") for info in infos] == [info.get("hand") for info in others]
    assert changed > 100
    assert ended > 10


def test_saved_games_go_on_as_they_would_have() -> None:
    options: dict[str, Any] = {"opponents": "random", "seat": "random"}
    vec, other = (make_sb3_vec_env("thousand", 6, seed=seed, **options) for seed in (1, 2))
    obs = vec.reset()
    other.reset()
    for turn in range(7):
        obs, *_ = vec.step(choose(vec.action_masks(), turn))
    again = other.load_state_dict(vec.state_dict())
    assert np.array_equal(obs["observation"], again["observation"])
    for turn in range(25):
        masks = vec.action_masks()
        assert np.array_equal(masks, other.action_masks())
        one, two = vec.step(choose(masks, turn)), other.step(choose(masks, turn))
        assert np.array_equal(one[0]["observation"], two[0]["observation"])
        assert np.array_equal(one[1], two[1])
        assert np.array_equal(one[2], two[2])
        assert vec.table.seats.tolist() == other.table.seats.tolist()
