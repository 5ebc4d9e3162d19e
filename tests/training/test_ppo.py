"""PPO runs: they learn, log, resume exactly and refuse what does not fit."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from bidtrick.agents.neural import checkpoint
from bidtrick.agents.neural.agent import load_agent
from bidtrick.agents.registry import make_agent
from bidtrick.envs import games, make_batch
from bidtrick.training.config import ConfigError, load
from bidtrick.training.ppo import PPOConfig, train
from bidtrick.training.tournament import duplicate_margin

SMALL = [
    "num_games=64", "steps=32", "minibatch=512", "network.hidden=[32]", "evaluate.every=0", "threads=1",
    "checkpoint_every=2", "precision=float32",
]  # fmt: skip


def small(*overrides: str) -> PPOConfig:
    return load(PPOConfig, None, [*SMALL, *overrides])


def weights(path):
    return load_file(checkpoint.find(path) / checkpoint.MODEL)


def equal(one, two):
    return one.keys() == two.keys() and all(torch.equal(one[k], two[k]) for k in one)


def test_learns_to_beat_random_and_logs(tmp_path):
    config = load(
        PPOConfig, None,
        ["num_games=256", "steps=48", "decisions=500000", "minibatch=2048", "network.hidden=[128]",
         "learning_rate=2e-3", "evaluate.opponents=[random]", "evaluate.every=20", "evaluate.deals=300", "threads=1"],
    )  # fmt: skip
    train(config, tmp_path / "run")
    spec = make_batch("schieber").spec
    trained = load_agent(tmp_path / "run", spec, make_agent)
    margin = duplicate_margin(trained, make_agent("random", spec), deals=500, seed=99)
    assert margin.low > 0, margin
    events = EventAccumulator(str(tmp_path / "run")).Reload()
    tags = events.Tags()["scalars"]
    for tag in (
        "policy/loss", "policy/entropy", "policy/kl", "policy/clip_fraction", "value/loss", "value/explained_variance",
        "speed/decisions_per_second", "margin/random", "margin/random_interval",
    ):  # fmt: skip
        assert tag in tags
    assert len(events.Scalars("margin/random")) >= 2
    assert events.Scalars("policy/entropy")[-1].value < events.Scalars("policy/entropy")[0].value
    assert events.Scalars("value/explained_variance")[-1].value > 0.1


@pytest.mark.parametrize(
    "options",
    [["rules={target: 300}"], ["episode=match", "rules={target: 300}"]]
    + [[f"game={game}"] for game in games() if game != "schieber"],
    ids=lambda options: options[0],
)
def test_resumed_run_has_the_weights_of_one_without_interruption(tmp_path, options):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    options = [*options, "decisions=12288"]
    train(small(*options), whole)

    class Killed(Exception):
        pass

    def kill(trainer, logs):
        if trainer.iteration == 3:  # one iteration after the checkpoint of iteration 2: that work is lost
            raise Killed

    with pytest.raises(Killed):
        train(small(*options), cut, on_iteration=kill)
    train(small(*options), cut, resume=True)
    assert checkpoint.read_meta(checkpoint.find(cut))["iteration"] == 6
    assert equal(weights(whole), weights(cut))
    one, two = (load_file(checkpoint.find(path) / checkpoint.TRAINER) for path in (whole, cut))
    assert equal(one, two)


def test_killed_process_resumes_to_the_same_weights(tmp_path):
    """A real process, killed without warning while it trains."""
    options = [*SMALL, "decisions=40960", "checkpoint_every=1"]
    config = tmp_path / "c.yaml"
    config.write_text("algorithm: ppo\n")
    command = [sys.executable, "-m", "bidtrick.cli", "train", str(config), *options, "--run-dir"]
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    process = subprocess.Popen([*command, str(tmp_path / "cut")], env=env, stderr=subprocess.DEVNULL)
    latest = tmp_path / "cut" / "checkpoints" / checkpoint.LATEST
    for _ in range(600):
        if latest.exists() and latest.read_text().strip() >= "000003":
            break
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    subprocess.run([*command, str(tmp_path / "cut"), "--resume"], env=env, check=True, stderr=subprocess.DEVNULL)
    train(load(PPOConfig, None, options), tmp_path / "whole")
    assert equal(weights(tmp_path / "whole"), weights(tmp_path / "cut"))


def test_same_seed_same_weights_other_seed_others(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(small("decisions=4096", f"seed={seed}"), tmp_path / name)
    assert equal(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not equal(weights(tmp_path / "a"), weights(tmp_path / "c"))


def test_refuses_to_overwrite_or_to_resume_with_other_settings(tmp_path):
    train(small("decisions=4096"), tmp_path)
    before = weights(tmp_path)
    with pytest.raises(ConfigError, match="--resume"):
        train(small("decisions=4096"), tmp_path)
    with pytest.raises(ConfigError, match="gamma"):
        train(small("decisions=8192", "gamma=0.9"), tmp_path, resume=True)
    with pytest.raises(ConfigError, match="raise decisions"):
        train(small("decisions=4096"), tmp_path, resume=True)
    assert equal(before, weights(tmp_path))
    train(small("decisions=8192"), tmp_path, resume=True)
    assert not equal(before, weights(tmp_path))


def test_stops_by_the_clock(tmp_path):
    last = train(small("decisions=1e9", "minutes=0.02"), tmp_path)
    meta = checkpoint.read_meta(last)
    assert 0 < meta["decisions"] < 1e8


def test_checkpoint_says_where_it_comes_from(tmp_path):
    last = train(small("decisions=4096", "rules=swiss"), tmp_path)
    meta = json.loads((last / checkpoint.META).read_text())
    spec = make_batch("schieber", rules="swiss").spec
    assert meta["rules"]["undenufe_eleven"] == "six"
    assert meta["layout_hash"] == spec.layout.hash
    assert meta["config"]["num_games"] == 64
    assert {"commit", "versions", "created", "seed"} <= meta.keys()
    assert not list((tmp_path / "checkpoints").glob(".*"))


def test_agent_refuses_other_rules_layouts_and_damage(tmp_path):
    last = train(small("decisions=4096"), tmp_path / "run")
    spec = make_batch("schieber").spec
    load_agent(tmp_path / "run", spec, make_agent)
    with pytest.raises(checkpoint.CheckpointError, match="undenufe_eleven='ace'"):
        load_agent(tmp_path / "run", make_batch("schieber", rules="swiss").spec, make_agent)
    with pytest.raises(checkpoint.CheckpointError, match="no checkpoint"):
        load_agent(tmp_path / "nothing", spec, make_agent)
    meta_file, model = last / checkpoint.META, last / checkpoint.MODEL
    good_meta, good_model = meta_file.read_text(), model.read_bytes()
    meta_file.write_text(good_meta.replace(spec.layout.hash, "0" * 16))
    with pytest.raises(checkpoint.CheckpointError, match="layout_hash"):
        load_agent(tmp_path / "run", spec, make_agent)
    meta_file.write_text(good_meta[:200])
    with pytest.raises(checkpoint.CheckpointError, match="cannot be read"):
        load_agent(tmp_path / "run", spec, make_agent)
    meta_file.write_text(good_meta)
    model.write_bytes(good_model[:-100])
    with pytest.raises(checkpoint.CheckpointError, match="damaged"):
        load_agent(tmp_path / "run", spec, make_agent)
    flipped = bytearray(good_model)
    flipped[-5] ^= 1
    model.write_bytes(bytes(flipped))
    with pytest.raises(checkpoint.CheckpointError, match="damaged"):
        load_agent(tmp_path / "run", spec, make_agent)
    model.unlink()
    with pytest.raises(checkpoint.CheckpointError, match="missing"):
        load_agent(tmp_path / "run", spec, make_agent)
    model.write_bytes(good_model)
    load_agent(tmp_path / "run", spec, make_agent)


def test_a_checkpoint_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    train(small("decisions=4096"), tmp_path)
    before = weights(tmp_path)

    def full(*args, **kwargs):
        raise OSError("no space left")

    monkeypatch.setattr(checkpoint, "save_file", full)
    with pytest.raises(OSError, match="no space"):
        train(small("decisions=8192"), tmp_path, resume=True)
    assert equal(before, weights(tmp_path))


def test_neural_agent_is_greedy_or_samples(tmp_path):
    train(small("decisions=4096"), tmp_path)
    games = make_batch("schieber", num_games=500, seed=4)
    agent = load_agent(tmp_path, games.spec, make_agent)
    obs, mask = games.observe(), games.legal_actions()
    rng = np.random.default_rng(0)
    first = agent.act(obs, mask, rng)
    assert (agent.act(obs, mask, rng) == first).all()
    assert mask[np.arange(500), first].all()
    agent.greedy = False
    sampled = agent.act(obs, mask, rng)
    assert mask[np.arange(500), sampled].all()
    assert (sampled != first).any()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_trains_on_cuda(tmp_path):
    train(small("decisions=4096", "device=cuda"), tmp_path)
