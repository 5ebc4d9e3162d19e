"""Where and with what a result was made."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def git_commit() -> str | None:
    """Commit of the source tree (with "+changes" if it was edited), None for an installed package."""
    root = Path(__file__).resolve().parent.parent
    try:
        if not (root / ".git").exists():
            return None
        out = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, timeout=10)
        dirty = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if out.returncode:
        return None
    return out.stdout.strip() + ("+changes" if dirty.stdout.strip() else "")


def machine() -> str:
    """CPU and cores, e.g. "Intel Xeon Processor, 2 cores"."""
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2]
                break
    except OSError:
        pass  # another system
    name = " ".join(name.replace("(R)", "").replace("(TM)", "").split())
    return f"{name}, {os.cpu_count()} cores"


def provenance() -> dict[str, Any]:
    """Where and with what a result was made."""
    names = ("bidtrick", "numpy", "torch", "gymnasium", "pettingzoo")
    versions: dict[str, str] = {}
    for name in names:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "commit": git_commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "versions": versions,
        "machine": machine(),
        "command": " ".join(sys.argv[:1] and [Path(sys.argv[0]).name, *sys.argv[1:]]),
    }
