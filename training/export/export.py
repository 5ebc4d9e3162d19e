"""From a run to an agent's folder: what plays, rounded; measured; described."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ...agents.neural import checkpoint
from ...agents.neural.agent import load_agent
from ...agents.neural.network import PolicyNet
from ...agents.registry import make_agent
from ...envs.core.spec import GameSpec
from ...envs.registry import game_class, make_batch
from ..config import ConfigError, setting
from ..provenance import provenance
from . import card, measure
from .history import history

CARD = "CARD.md"
PRECISIONS = {"float16": torch.float16, "float32": torch.float32}
#: What a checkpoint's description says of its training that an exported agent's says too.
_KEPT = (
    "game", "version", "rules", "rules_digest", "layout_hash", "observation_size", "num_actions", "algorithm",
    "config", "seed", "iteration", "decisions", "updates", "created",
)  # fmt: skip
#: What identifies a checkpoint in the results of a tournament (`Agent.describe`).
_FACTS = ("iteration", "decisions", "seed", "created")


@dataclass(frozen=True)
class ExportConfig:
    """Settings of an export."""

    opponents: tuple[str, ...] = setting(
        ("heuristic", "random"), "agents it is measured against; the first decides which presets it may play"
    )
    deals: int = setting(2000, "duplicate deals of each pair and preset", low=20)
    seed: int = setting(2000003, "seed of these deals (not that of the deals it was trained on)")
    precision: str = setting("float16", "how weights are stored", choices=tuple(PRECISIONS))
    workers: int = setting(1, "processes that play", low=1)
    bootstrap: int = setting(400, "resamples behind the ratings (on the rules it was trained on)", low=20)
    compared: int = setting(400, "deals of self-play whose decisions show what rounding changed", low=1)
    machine: str | None = setting(None, "CPU and cores on which it was trained, where the run does not say")
    weaknesses: tuple[str, ...] = setting((), "known weaknesses, beside those that the results show")


@dataclass(frozen=True)
class Exported:
    """What came out. meta: the description, as it is on disk. bytes: size of the folder."""

    folder: Path
    meta: dict[str, Any]
    bytes: int


#: Called with (what is done, steps finished, steps in all).
Progress = Callable[[str, int, int], None]


def export(
    run: str | Path,
    to: str | Path,
    name: str,
    config: ExportConfig | None = None,
    *,
    results: tuple[Path, ...] = (),
    replace: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write the agent of a run's newest checkpoint to a folder of its own, with a model card.

    Its results are played (and kept in the run's folder under `export`, so that an interrupted export goes on), but
    for the rules of which `results` has some. It may play the presets whose observations it can read and where it
    wins at least as many points as the first opponent; and those rules on which it was trained.

    Args:
        run: the run's folder, or a checkpoint's.
        to: the folder to be written, all or nothing. name: what the agent is called in its card.
        results: files of `bidtrick tournament --json` in which this checkpoint played.
        replace: an exported agent that is there already may be replaced.

    Raises: CheckpointError for a run without a checkpoint, or of another version; ConfigError for a setting, a results
        file or a folder that cannot be. Nothing is written to `to` then.
    """
    config = config or ExportConfig()
    run, to = Path(run), Path(to)
    _check_target(to, replace)
    if not config.opponents:
        raise ConfigError("opponents: give at least one agent, e.g. heuristic")
    found = checkpoint.find(run)
    meta = checkpoint.read_meta(found)
    if meta["format"] != checkpoint.FORMAT:
        raise checkpoint.CheckpointError(f"{found} is an exported agent already; give the run it comes from")
    spec = make_batch(meta["game"], rules=meta["rules"]).spec
    checkpoint.check_identity(meta, spec, found)
    for opponent in config.opponents:
        make_agent(opponent, spec)
    names = measure.fitting(spec)
    presets = {preset: digest for digest, group in names.items() for preset in group}
    tensors = {
        key: tensor.to(PRECISIONS[config.precision])
        for key, tensor in PolicyNet.part_of(checkpoint.read_tensors(found, checkpoint.MODEL, meta)).items()
    }
    part = meta.get("phase", "full")
    about: dict[str, Any] = {
        "format": checkpoint.AGENT_FORMAT,
        "name": name,
        **{key: meta.get(key) for key in _KEPT},
        "phase": part,
        "autopilot": meta.get("autopilot", "heuristic"),
        "network": {key: meta["network"][key] for key in ("hidden", "symmetry")},
        "temperature": meta.get("temperature", 1.0),
        "precision": config.precision,
    }
    trained = history(run, meta, config.machine)
    about["commit"] = trained.commit
    work = run / "export"
    staged = checkpoint.write_folder(work / "agent", {**about, "presets": presets}, {checkpoint.MODEL: tensors})
    played = _measure(staged, spec, names, meta, config, results, work, progress)
    decisions, changed = measure.changed_decisions(
        load_agent(found, spec, make_agent), load_agent(staged, spec, make_agent), part, config.compared, config.seed
    )
    good = {preset: presets[preset] for one in played for preset in one.presets if _good(one, spec, config)}
    final = {
        **about,
        "presets": good,
        "opponents": list(config.opponents),
        "results": [row for one in played for row in one.rows(config.opponents)],
        "rounding": {"decisions": decisions, "changed": changed},
        "training": trained.plain(),
        "exported": {key: value for key, value in provenance().items() if key in ("commit", "created", "versions")},
    }
    text = card.write(final, trained, played, config.weaknesses, tuple(game_class(spec.id).rules_class.presets))
    _check_target(to, replace)
    checkpoint.write_folder(to, final, {checkpoint.MODEL: tensors}, {CARD: text})
    return Exported(to, checkpoint.read_meta(to), sum(path.stat().st_size for path in to.iterdir()))


def _check_target(to: Path, replace: bool) -> None:
    if not to.exists():
        return
    try:
        ours = checkpoint.read_meta(to)["format"] == checkpoint.AGENT_FORMAT
    except checkpoint.CheckpointError:
        ours = False
    if not ours:
        raise ConfigError(f"to: {to} is there already and holds no exported agent; choose another folder")
    if not replace:
        raise ConfigError(f"to: {to} holds an exported agent already; give --replace to replace it")


def _measure(
    staged: Path, spec: GameSpec, names: dict[str, tuple[str, ...]], meta: dict[str, Any], config: ExportConfig,
    results: tuple[Path, ...], work: Path, progress: Progress | None,
) -> list[measure.Measured]:  # fmt: skip
    facts = {key: meta.get(key) for key in _FACTS}
    known = {one.presets: one for one in (measure.given(file, spec, facts, names) for file in results)}
    for one in known.values():
        one.rows(config.opponents)  # refuses results without one of the opponents before others are played
    played: list[measure.Measured] = []
    model = checkpoint.read_meta(staged)["checksums"][checkpoint.MODEL]
    for number, (digest, presets) in enumerate(names.items()):
        if presets in known:
            played.append(known[presets])
            continue

        def tell(done: int, total: int, number: int = number, presets: tuple[str, ...] = presets) -> None:
            if progress is not None:
                progress(f"playing {presets[0]}", number * total + done, len(names) * total)

        file = work / f"{digest[:8]}-{model[:8]}-{config.seed}.jsonl"
        played.append(
            measure.play(
                f"checkpoint:{staged}", spec, presets, config.opponents, deals=config.deals, seed=config.seed,
                workers=config.workers, bootstrap=20 if number else config.bootstrap, file=file, progress=tell,
            )
        )  # fmt: skip
    return played


def _good(one: measure.Measured, spec: GameSpec, config: ExportConfig) -> bool:
    """Whether the agent may play these presets."""
    own = measure.fitting(spec)[spec.rules.digest()]
    return one.presets == own or one.against(config.opponents[0]).mean > 0
