"""What every training script shares: the run's folder and its provenance, devices, packed arrays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from .config import ConfigError, to_plain
from .provenance import git_commit, provenance

#: Config keys that may change when a run is resumed: they say how long and where, not what is computed.
FREE_ON_RESUME = ("decisions", "minutes", "device", "evaluate", "checkpoint_every", "keep")


def prepare_run(folder: Path, config: Any, *, resume: bool) -> None:
    """Create a run's folder with its config, or check that a run to resume has the same one.

    Raises: ConfigError if the folder already holds a run (without `resume`) or was made with other settings.
    """
    file = folder / "config.yaml"
    plain = to_plain(config)
    if file.exists():
        if not resume:
            raise ConfigError(f"{folder} already holds a run; resume it with --resume, or choose another --run-dir")
        old = with_defaults(yaml.safe_load(file.read_text(encoding="utf-8")) or {}, plain_defaults(config))
        changed = [k for k in plain if k not in FREE_ON_RESUME and old.get(k) != json.loads(json.dumps(plain[k]))]
        if changed:
            raise ConfigError(f"{folder} was made with other settings: {', '.join(changed)}; choose another --run-dir")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(file, yaml.safe_dump(plain, sort_keys=False, allow_unicode=True))
    write_whole(folder / "provenance.json", json.dumps(provenance(), indent=1))


def write_whole(file: Path, text: str) -> None:
    """Write a file so that it is the old one or the new one, wherever the program is killed."""
    part = file.with_name(f".{file.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def plain_defaults(config: Any) -> dict[str, Any]:
    """The defaults of a configuration's settings, as plain data."""
    return json.loads(json.dumps(to_plain(type(config)())))


def with_defaults(given: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Settings with the defaults of those that are missing (a run that is older than a setting lacks it)."""
    filled = {**defaults, **given}
    for key, value in defaults.items():
        if isinstance(value, dict) and isinstance(filled[key], dict) and key != "rules":
            filled[key] = with_defaults(filled[key], value)
    return filled


def choose_device(name: str) -> torch.device:
    """ "auto" is CUDA when present. Raises ConfigError for a device that is not there."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(f"device={name!r} is not allowed; allowed: 'auto' | 'cpu' | 'cuda' | 'cuda:0' …") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"device={name!r}: CUDA is not available here; use 'auto' or 'cpu'")
    return device


def pack_arrays(arrays: dict[str, Any]) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """NumPy arrays as byte tensors (safetensors knows no uint64), and their dtypes and shapes."""
    tensors: dict[str, torch.Tensor] = {}
    shapes: dict[str, Any] = {}
    for name, value in arrays.items():
        array = np.ascontiguousarray(value)
        tensors[name] = torch.from_numpy(np.frombuffer(array.tobytes(), np.uint8).copy())
        shapes[name] = [array.dtype.str, list(array.shape)]
    return tensors, shapes


def unpack_arrays(tensors: dict[str, torch.Tensor], shapes: dict[str, Any]) -> dict[str, Any]:
    """The inverse of `pack_arrays`."""
    return {
        name: np.frombuffer(tensors[name].numpy().tobytes(), np.dtype(dtype)).reshape(shape).copy()
        for name, (dtype, shape) in shapes.items()
    }


__all__ = [
    "FREE_ON_RESUME", "choose_device", "git_commit", "pack_arrays", "prepare_run", "provenance", "unpack_arrays",
    "write_whole",
]  # fmt: skip
