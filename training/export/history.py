"""How a run was trained, as far as its folder says: time, command, commit, machine."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class History:
    """How an agent was trained.

    Attributes:
        config: the settings as YAML. command: without the folder, which is no matter.
        hours: wall-clock time of training (all its parts, if it was resumed), None if nothing says.
        commit: of the source it was started with; "+changes" follows if that was edited.
        machine: CPU and cores, None if it was not written down.
    """

    config: str
    command: str | None
    hours: float | None
    commit: str | None
    machine: str | None
    versions: dict[str, str]

    def plain(self) -> dict[str, Any]:
        """All of it but the settings, for a description in JSON."""
        return {"command": self.command, "hours": self.hours, "machine": self.machine, "versions": self.versions}


def history(run: Path, meta: dict[str, Any], machine: str | None) -> History:
    """The history of a run.

    Args:
        run: the run's folder; a checkpoint that lies elsewhere has only what its description says.
        meta: the checkpoint's description. machine: in words, where the run has not written it down.
    """
    start = _read(run / "provenance.json")
    settings = run / "config.yaml"
    if settings.is_file():
        config = settings.read_text(encoding="utf-8")
    else:
        config = yaml.safe_dump(meta.get("config", {}), sort_keys=False, allow_unicode=True)
    command = start.get("command") or meta.get("command")
    return History(
        config=config,
        command=None if not command else _neutral(command),
        hours=_hours(run),
        commit=start.get("commit") or meta.get("commit"),
        machine=machine or start.get("machine") or meta.get("machine"),
        versions=dict(start.get("versions") or meta.get("versions") or {}),
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _neutral(command: str) -> str:
    """A command without the folder of the run, and with paths as they are seen from the root of the source."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    kept: list[str] = []
    for word in words:
        if kept and kept[-1] == "--run-dir":
            kept.pop()
        elif not word.startswith("--run-dir="):
            kept.append(re.sub(r"^/.*/(?=configs/)", "", word))
    return shlex.join(kept)


def _hours(run: Path) -> float | None:
    """Time between the first and the last line of each TensorBoard file, summed."""
    files = sorted(run.glob("events.out.tfevents.*"))
    if not files:
        return None
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    seconds = 0.0
    for file in files:
        times = [event.wall_time for event in EventFileLoader(str(file)).Load()]
        seconds += max(times, default=0.0) - min(times, default=0.0)
    return round(seconds / 3600, 3)
