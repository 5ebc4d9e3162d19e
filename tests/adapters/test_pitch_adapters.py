"""Pitch, four- and five-handed, through the conformance tests of PettingZoo, Gymnasium and Stable-Baselines3."""

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

from bidtrick.envs import pitch_v0
from bidtrick.envs.adapters.sb3 import make_sb3_vec_env

ID = "bidtrick/Pitch-v0"
OPTIONS: list[dict[str, Any]] = [
    {},
    {"episode": "match", "rules": "nyx", "target": 12, "reward": "match"},
    {"context": "sampled", "obs_dtype": "uint8", "skip_forced": True, "misdeal_rule": "no_face_no_point"},
    {"rules": "five"},
    {"rules": "five", "episode": "match", "target": 10, "version": 13, "moon_5h": "on"},
]


def name(options: dict[str, Any]) -> str:
    return ",".join(f"{key}={value}" for key, value in options.items()) or "default"


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_pettingzoo_api(options: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(pitch_v0.env(**options), num_cycles=300)
    unexpected = {str(w.message) for w in caught} - {
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    }
    assert not unexpected


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_pettingzoo_seed(options: dict[str, Any]) -> None:
    seed_test(lambda: pitch_v0.env(**options), num_cycles=60)


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_pettingzoo_parallel(options: dict[str, Any]) -> None:
    parallel_api_test(pitch_v0.parallel_env(**options), num_cycles=100)


@pytest.mark.parametrize("rules", ["source", "five"])
def test_pettingzoo_render(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(lambda **options: pitch_v0.env(rules=rules, **options))


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_gymnasium_check_env(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(ID, **options).unwrapped)


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_gymnasium_vector(options: dict[str, Any]) -> None:
    """The learning seat always has a legal action, also against the heuristic in all other seats."""
    vec = gym.make_vec(ID, num_envs=16, opponents="heuristic", seat="random", **options)
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


@pytest.mark.parametrize("rules", ["source", "five"])
def test_maskable_ppo_trains(rules: str) -> None:
    torch.set_num_threads(1)
    vec = VecMonitor(make_sb3_vec_env("pitch", 32, seed=0, rules=rules))
    model = MaskablePPO("MultiInputPolicy", vec, n_steps=16, batch_size=256, n_epochs=1, seed=0, device="cpu")
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(1024)
    assert model.num_timesteps == 1024
    assert any(not torch.equal(a, b) for a, b in zip(before, model.policy.parameters(), strict=True))
    assert len(model.ep_info_buffer) > 20
