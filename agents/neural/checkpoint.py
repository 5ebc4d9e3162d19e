"""Checkpoints: a folder with tensors (safetensors) and a description (JSON), written atomically.

    runs/x/checkpoints/000123/model.safetensors   the network
                              trainer.safetensors optimiser, generators and games, to continue training
                              meta.json           game, rules, layout, network, config, versions, checksums
    runs/x/checkpoints/LATEST                     name of the newest complete folder

An exported agent is such a folder too, of another format: only what plays, rounded, and for rules beside those it was
trained on (`presets`), with a model card (CARD.md).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from ...envs.core.errors import BidtrickError
from ...envs.core.spec import GameSpec

FORMAT = "bidtrick-checkpoint-1"
#: Format of an exported agent.
AGENT_FORMAT = "bidtrick-agent-1"
META, MODEL, TRAINER, LATEST = "meta.json", "model.safetensors", "trainer.safetensors", "LATEST"


class CheckpointError(BidtrickError):
    """A checkpoint that is missing, damaged, or made for another game, other rules or another layout."""


def identity(spec: GameSpec) -> dict[str, Any]:
    """What a checkpoint must share with the game it plays."""
    return {
        "game": spec.id,
        "version": spec.version,
        "rules": spec.rules.to_dict(),
        "rules_digest": spec.rules.digest(),
        "layout_hash": spec.layout.hash,
        "observation_size": spec.layout.size,
        "num_actions": spec.num_actions,
    }


def save(
    folder: Path, name: str, meta: Mapping[str, Any], files: Mapping[str, Mapping[str, torch.Tensor]], keep: int = 2
) -> Path:
    """Write a checkpoint: everything to a hidden folder first, then one rename, then the LATEST pointer.

    Args:
        folder: the run's `checkpoints` folder.
        files: file name → tensors.
        keep: how many of the newest checkpoints to keep.
    """
    final = write_folder(folder / name, {"format": FORMAT, **meta}, files)
    pointer = folder / f"{LATEST}.part"
    pointer.write_text(name + "\n", encoding="utf-8")
    _sync(pointer)
    pointer.replace(folder / LATEST)
    complete = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    for old in complete[:-keep]:
        if old != final:
            shutil.rmtree(old, ignore_errors=True)
    return final


def write_folder(
    final: Path,
    meta: Mapping[str, Any],
    files: Mapping[str, Mapping[str, torch.Tensor]],
    texts: Mapping[str, str] | None = None,
) -> Path:
    """Write a folder of tensors, texts and a description: to a hidden folder first, then one rename.

    Args:
        files: file name → tensors. texts: file name → text.
    """
    final.parent.mkdir(parents=True, exist_ok=True)
    part = final.with_name(f".{final.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    sums = {}
    for file, tensors in files.items():
        save_file({key: tensor.contiguous() for key, tensor in tensors.items()}, part / file)
        (part / file).chmod(0o644)  # as the other files, which others may read
        sums[file] = _checksum(part / file)
    for file, text in (texts or {}).items():
        (part / file).write_text(text, encoding="utf-8")
    text = json.dumps({**meta, "checksums": sums}, indent=1, ensure_ascii=False)
    (part / META).write_text(text, encoding="utf-8")
    for path in part.iterdir():
        _sync(path)
    shutil.rmtree(final, ignore_errors=True)
    part.rename(final)
    return final


def find(path: str | Path) -> Path:
    """The checkpoint folder that a path means: itself, a run's folder, or a run's `checkpoints` folder."""
    start = Path(path)
    for base in (start, start / "checkpoints"):
        if (base / META).is_file():
            return base
        if (base / LATEST).is_file():
            name = (base / LATEST).read_text(encoding="utf-8").strip()
            if (base / name / META).is_file():
                return base / name
            raise CheckpointError(f"{base}: LATEST names {name!r}, which is no complete checkpoint")
    raise CheckpointError(f"{start}: there is no checkpoint here (looked for {META} and checkpoints/{LATEST})")


def read_meta(folder: Path) -> dict[str, Any]:
    """The description of a checkpoint. Raises CheckpointError if it is damaged."""
    try:
        meta = json.loads((folder / META).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CheckpointError(f"{folder / META} cannot be read: {error}") from None
    if not isinstance(meta, dict) or meta.get("format") not in (FORMAT, AGENT_FORMAT):
        raise CheckpointError(f"{folder / META}: format must be {FORMAT!r} or {AGENT_FORMAT!r}")
    return meta


def read_tensors(folder: Path, file: str, meta: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Tensors of one file of a checkpoint, after its checksum was compared. Raises CheckpointError."""
    path = folder / file
    expected = meta.get("checksums", {}).get(file)
    if expected is None or not path.is_file():
        raise CheckpointError(f"{folder}: {file} is missing")
    if _checksum(path) != expected:
        raise CheckpointError(f"{path} is damaged: its checksum differs from the one in {META}")
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from None


def check_identity(meta: Mapping[str, Any], spec: GameSpec, where: Path) -> None:
    """Refuse a checkpoint of another game, other rules or another layout. Raises CheckpointError saying which."""
    own = identity(spec)
    presets = meta.get("presets")
    for name in ("game", "version"):
        _same(meta, own, name, where)
    if isinstance(presets, Mapping) and presets and own["rules_digest"] not in presets.values():
        raise CheckpointError(
            f"{where}: the agent is not meant for the rules {spec.rules.name}; it plays the presets "
            f"{', '.join(map(str, presets))}"
        )
    for name in ("layout_hash", "num_actions"):
        _same(meta, own, name, where)
    if not presets and meta.get("rules_digest") != own["rules_digest"]:
        other, mine = dict(meta.get("rules", {})), json.loads(json.dumps(own["rules"]))
        changes = [f"{k}={other.get(k)!r} (here {mine[k]!r})" for k in mine if other.get(k) != mine[k]]
        raise CheckpointError(f"{where}: checkpoint is of other rules: {', '.join(changes) or 'unknown options'}")


def _same(meta: Mapping[str, Any], own: Mapping[str, Any], name: str, where: Path) -> None:
    if meta.get(name) != own[name]:
        raise CheckpointError(f"{where}: checkpoint has {name} {meta.get(name)!r}, this game has {own[name]!r}")


def load_into(module: torch.nn.Module, tensors: Mapping[str, torch.Tensor], where: Path) -> None:
    """Load tensors into a module. Raises CheckpointError if names or shapes differ."""
    try:
        module.load_state_dict(dict(tensors))
    except RuntimeError as error:
        raise CheckpointError(f"{where}: the tensors do not fit the network: {error}") from None


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
