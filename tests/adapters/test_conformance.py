"""Pitch and Thousand, for all numbers of players, through the conformance tests of PettingZoo, Gymnasium and SB3."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from bidtrick.envs import pitch_v0, thousand_v0
from bidtrick.envs.adapters.sb3 import make_sb3_vec_env

MODULES = {"pitch": pitch_v0, "thousand": thousand_v0}
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("pitch", {}),
    ("pitch", {"episode": "match", "rules": "nyx", "target": 12, "reward": "match"}),
    ("pitch", {"context": "sampled", "obs_dtype": "uint8", "skip_forced": True, "misdeal_rule": "no_face_no_point"}),
    ("pitch", {"rules": "five"}),
    ("pitch", {"rules": "five", "episode": "match", "target": 10, "version": 13, "moon_5h": "on"}),
    ("thousand", {}),
    ("thousand", {"rules": "igrafan", "context": "sampled", "obs_dtype": "uint8", "skip_forced": True}),
    ("thousand", {"rules": "duel_d", "episode": "match", "deals": 3, "reward": "stake"}),
    ("thousand", {"rules": "duel_c"}),
    ("thousand", {"rules": "four", "episode": "match", "deals": 4, "reward": "match"}),
]
TABLES = [("pitch", "source"), ("pitch", "five"), ("thousand", "default"), ("thousand", "duel_d"), ("thousand", "four")]


def name(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ",".join(f"{key}={chosen}" for key, chosen in value.items()) or "default"


@pytest.mark.parametrize(("game", "options"), OPTIONS, ids=name)
def test_pettingzoo_api(game: str, options: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(MODULES[game].env(**options), num_cycles=300)
    unexpected = {str(w.message) for w in caught} - {
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    }
    assert not unexpected


@pytest.mark.parametrize(("game", "options"), OPTIONS, ids=name)
def test_pettingzoo_seed(game: str, options: dict[str, Any]) -> None:
    seed_test(lambda: MODULES[game].env(**options), num_cycles=60)


@pytest.mark.parametrize(("game", "options"), OPTIONS, ids=name)
def test_pettingzoo_parallel(game: str, options: dict[str, Any]) -> None:
    parallel_api_test(MODULES[game].parallel_env(**options), num_cycles=100)


@pytest.mark.parametrize(("game", "rules"), TABLES)
def test_pettingzoo_render(game: str, rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(lambda **options: MODULES[game].env(rules=rules, **options))


@pytest.mark.parametrize(("game", "options"), OPTIONS, ids=name)
def test_gymnasium_check_env(game: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(f"bidtrick/{game.capitalize()}-v0", **options).unwrapped)


@pytest.mark.parametrize(("game", "options"), OPTIONS, ids=name)
def test_gymnasium_vector(game: str, options: dict[str, Any]) -> None:
    """The learning seat always has a legal action, also against the heuristic in all other seats."""
    vec = gym.make_vec(f"bidtrick/{game.capitalize()}-v0", num_envs=16, opponents="heuristic", seat="random", **options)
    obs, _ = vec.reset(seed=1)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(60):
        mask = obs["action_mask"].astype(bool)
        assert mask.any(axis=1).all()
        assert vec.observation_space.contains(obs)
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in mask])
        obs, rewards, terminated, _, _ = vec.step(actions)
        assert np.isfinite(rewards).all()
        ended += int(terminated.sum())
    assert ended > 10


@pytest.mark.parametrize(("game", "rules"), TABLES)
def test_maskable_ppo_trains(game: str, rules: str) -> None:
    torch.set_num_threads(1)
    vec = VecMonitor(make_sb3_vec_env(game, 32, seed=0, rules=rules))
    model = MaskablePPO("MultiInputPolicy", vec, n_steps=16, batch_size=256, n_epochs=1, seed=0, device="cpu")
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(1024)
    assert model.num_timesteps == 1024
    assert any(not torch.equal(a, b) for a, b in zip(before, model.policy.parameters(), strict=True))
    assert len(model.ep_info_buffer) > 20
