"""The results file of a tournament: a line for each block of deals, so that an interrupted tournament goes on.

The first line says what the blocks belong to. A line is written at once and ends with a newline: what a killed
process has left without one is dropped.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import os
import zlib
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...envs.core.records import GameRecord
from ..config import ConfigError, to_plain
from .config import FREE_ON_RESUME
from .play import Block, Forfeit
from .units import Player, Unit

try:
    import fcntl
except ImportError:  # no such locks on this system
    fcntl = None

FORMAT = "bidtrick-results-2"
_ARRAYS = ("gain", "won", "forfeit", "counts", "time")


class ResultsFile:
    """Blocks that were played, on disk.

    Raises: ConfigError if the file is no results file, belongs to another tournament, or is in use.
    """

    def __init__(self, path: str | Path, player: Player) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b")
        self.blocks: dict[tuple[str, str, int, int], Block] = {}
        try:
            self._lock()
            self._read(player)
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ConfigError(f"{self.path}: another tournament is writing to this results file") from None

    def _read(self, player: Player) -> None:
        self._file.seek(0)
        data = self._file.read()
        end = data.rfind(b"\n") + 1
        lines = data[:end].splitlines()
        about = _about(player)
        if not lines:
            if data and not data.startswith(b'{"format"'[: len(data)]):
                raise ConfigError(f"{self.path}: is no results file of a tournament; choose another name")
            self._file.truncate(0)
            self._write({"format": FORMAT, **about})
            known: dict[str, Any] = about["agents"]
        else:
            known = self._check(lines, about)
            self._file.truncate(end)
        for name, facts in about["agents"].items():
            if name not in known:
                self._write({"agent": name, "facts": facts})
            elif known[name] != facts:
                raise ConfigError(
                    f"{self.path}: the agent {name} was another one ({known[name]}, now {facts}); choose another file"
                )

    def _check(self, lines: list[bytes], about: dict[str, Any]) -> dict[str, Any]:
        """Take over the blocks of a file. Returns the facts of its agents."""
        try:
            head, *rest = (cast("dict[str, Any]", json.loads(line)) for line in lines)
            if head.get("format") != FORMAT:
                raise ConfigError(f"{self.path}: is no results file of a tournament; choose another name")
            for name in ("settings", "game"):
                changed = [key for key in about[name] if head[name].get(key) != about[name][key]]
                if changed:
                    raise ConfigError(
                        f"{self.path} belongs to a tournament with other settings: {', '.join(changed)}; "
                        "choose another results file"
                    )
            known = dict(head["agents"])
            for line in rest:
                if "agent" in line:
                    known[line["agent"]] = line["facts"]
                else:
                    key = (line["contest"], line["episode"], line["start"], line["stop"])
                    self.blocks[key] = _unpack(line)
        except (KeyError, TypeError, ValueError, AttributeError, zlib.error) as error:
            raise ConfigError(f"{self.path}: is damaged ({type(error).__name__}: {error})") from None
        return known

    def add(self, unit: Unit, block: Block) -> None:
        """Write a block down."""
        contest, episode, start, stop = unit.key
        self._write({"contest": contest, "episode": episode, "start": start, "stop": stop, **_pack(block)})
        self.blocks[unit.key] = block

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def _about(player: Player) -> dict[str, Any]:
    """What blocks belong to, as it is read back from JSON."""
    config, spec = player.config, player.spec
    settings = {key: value for key, value in to_plain(config).items() if key not in FREE_ON_RESUME}
    game = {"id": spec.id, "version": spec.version, "rules": spec.rules.digest()}
    agents = {name: agent.describe() for name, agent in player.agents.items()}
    return json.loads(json.dumps({"settings": settings, "game": game, "agents": agents}, default=str))


def _pack(block: Block) -> dict[str, Any]:
    def packed(array: npt.NDArray[Any]) -> list[Any]:
        data = base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 6)).decode()
        return [array.dtype.str, list(array.shape), data]

    return {
        **{name: packed(getattr(block, name)) for name in _ARRAYS},
        "statistics": block.statistics,
        "failures": [dataclasses.asdict(one) for one in block.failures],
        "records": [record.to_json() for record in block.records],
    }


def _unpack(line: dict[str, Any]) -> Block:
    arrays: dict[str, Any] = {}
    for name in _ARRAYS:
        dtype, shape, data = line[name]
        arrays[name] = np.frombuffer(zlib.decompress(base64.b64decode(data)), np.dtype(dtype)).reshape(shape)
    return Block(
        **arrays,
        statistics=[(phase, name, unit) for phase, name, unit in line["statistics"]],
        failures=[Forfeit(**one) for one in line["failures"]],
        records=[GameRecord.from_json(text) for text in line["records"]],
    )
