"""Training runs that are killed without warning, again and again, end as if nothing had happened."""

from __future__ import annotations

import dataclasses
import multiprocessing
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from bidtrick.agents.neural import checkpoint
from bidtrick.training.config import load
from bidtrick.training.scripts import SCRIPTS, Script, algorithm_of

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
SMOKE = {algorithm_of(file): file for file in sorted((CONFIGS / "smoke").glob("*.yaml"), reverse=True)}
POOL = [
    "opponents.share=0.5", "opponents.agents=[heuristic, random]", "opponents.snapshots=3",
    "opponents.snapshot_every=2", "opponents.draw=hard",
]  # fmt: skip

#: The server imports everything once; a run is a process of its own all the same.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["bidtrick.training.scripts", "torch.utils.tensorboard"])


def start(script: Script, config: Any, folder: Path) -> Any:
    """A process that trains or goes on training, once it is past its preparations."""
    file = folder / "config.yaml"
    before = file.stat().st_mtime_ns if file.exists() else 0
    process = PROCESSES.Process(target=script.train, args=(config, folder), kwargs={"resume": True})
    process.start()
    while not file.exists() or file.stat().st_mtime_ns == before:
        assert process.is_alive(), "the run ended before it began"
        time.sleep(0.005)
    return process


def kill(process: Any) -> bool:
    """SIGKILL. Returns whether there was something to kill."""
    alive = process.is_alive()
    process.kill()
    process.join()
    return alive and process.exitcode != 0


def assert_equal_runs(one: Path, two: Path) -> None:
    for file in (checkpoint.MODEL, checkpoint.TRAINER):
        first, second = (load_file(checkpoint.find(folder) / file) for folder in (one, two))
        assert first.keys() == second.keys()
        assert all(torch.equal(first[name], second[name]) for name in first), file


def test_a_run_killed_twice_ends_with_the_same_weights(tmp_path: Path) -> None:
    script = SCRIPTS["ppo"]
    config = load(
        script.config, None,
        ["num_games=32", "steps=16", "minibatch=256", "network.hidden=[16]", "evaluate.every=0", "threads=1",
         f"decisions={14 * 32 * 16}", "checkpoint_every=1", "precision=float32", "device=cpu", *POOL],
    )  # fmt: skip
    cut = tmp_path / "cut"
    latest = cut / "checkpoints" / checkpoint.LATEST
    for seen in (2, 6):
        process = start(script, config, cut)
        while not latest.exists() or int(latest.read_text()) < seen:
            assert process.is_alive(), "the run ended before it could be killed"
            time.sleep(0.005)
        assert kill(process)
    assert int(latest.read_text()) < config.iterations
    script.train(config, cut, resume=True)
    script.train(config, tmp_path / "whole")
    assert_equal_runs(tmp_path / "whole", cut)


@pytest.mark.soak
@pytest.mark.parametrize("case", [*SCRIPTS, "ppo with a pool"])
def test_a_run_killed_twenty_times_ends_with_the_same_weights(case: str, tmp_path: Path) -> None:
    script = SCRIPTS[case.split()[0]]
    settings = ["checkpoint_every=1", "evaluate.every=0", "threads=1", "device=cpu", "precision=float32"]
    settings += POOL if case.endswith("pool") else []
    config = load(script.config, SMOKE[script.name], settings)
    config = dataclasses.replace(config, decisions=60 * config.num_games * config.steps)
    process = start(script, config, tmp_path / "whole")
    began = time.monotonic()
    process.join()
    seconds = time.monotonic() - began
    assert process.exitcode == 0
    rng = np.random.default_rng(1)
    latest = tmp_path / "cut" / "checkpoints" / checkpoint.LATEST

    def reached() -> int:
        return int(latest.read_text()) if latest.exists() else 0

    for _ in range(20):
        process = start(script, config, tmp_path / "cut")
        # at most two iterations in all, or a machine that has become faster ends the run before its last kill
        end, goal = time.monotonic() + rng.uniform(0, seconds / 15), reached() + 2
        while time.monotonic() < end and reached() < goal:
            time.sleep(0.005)
        assert kill(process), "the run ended before it was killed twenty times"
    process = start(script, config, tmp_path / "cut")
    process.join()
    assert process.exitcode == 0
    assert_equal_runs(tmp_path / "whole", tmp_path / "cut")
