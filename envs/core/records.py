"""Game records: one JSON line a game, which replays to the same result."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from .errors import RecordError

_FORMAT = "bidtrick-record-1"
_TYPES: dict[str, type | tuple[type, ...]] = {
    "game": str,
    "version": int,
    "rules": dict,
    "episode": str,
    "context": str,
    "seed": int,
    "game_id": int,
    "hand_id": int,
    "options": dict,
    "actions": list,
    "result": dict,
}


@dataclass(frozen=True)
class GameRecord:
    """One episode: where its cards come from, what was done, how it ended.

    Attributes:
        seed, game_id, hand_id: the counter-based deals of the episode (hand_id of its first hand).
        options: reset options it was begun with (given deal, scores, dealer …).
        actions: action numbers in order, all seats.
        result: `BatchedGame.result` when the record was written.
    """

    game: str
    version: int
    rules: dict[str, Any]
    episode: str
    context: str
    seed: int
    game_id: int
    hand_id: int
    options: dict[str, Any]
    actions: list[int]
    result: dict[str, Any]

    def to_json(self) -> str:
        """The record as one line of JSON."""
        return json.dumps({"format": _FORMAT, **dataclasses.asdict(self)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str, where: str = "record") -> GameRecord:
        """Read one line. Raises RecordError naming `where` and the reason."""
        try:
            loaded: Any = json.loads(line)
        except json.JSONDecodeError as error:
            raise RecordError(f"{where}: not a JSON line ({error.msg} at column {error.colno}); truncated?") from None
        if not isinstance(loaded, dict):
            raise RecordError(f"{where}: a record is a JSON object, not {type(loaded).__name__}")
        data = cast("dict[str, Any]", loaded)
        if data.pop("format", None) != _FORMAT:
            raise RecordError(f"{where}: field format must be {_FORMAT!r}")
        for name, kind in _TYPES.items():
            if name not in data:
                raise RecordError(f"{where}: field {name} is missing")
            if not isinstance(data[name], kind) or isinstance(data[name], bool):
                raise RecordError(f"{where}: field {name} has the wrong type ({type(data[name]).__name__})")
        unknown = set(data) - set(_TYPES)
        if unknown:
            raise RecordError(f"{where}: unknown fields {', '.join(sorted(unknown))}")
        if not all(isinstance(a, int) and not isinstance(a, bool) and a >= 0 for a in data["actions"]):
            raise RecordError(f"{where}: field actions must hold action numbers from 0")
        return cls(**data)


def write_records(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Write records to a file, one line each, all or nothing."""
    target = Path(path)
    part = target.with_name(target.name + ".part")
    part.write_text("".join(record.to_json() + "\n" for record in records), encoding="utf-8")
    part.replace(target)


def read_records(path: str | Path) -> Iterator[GameRecord]:
    """Records of a file in order. Raises RecordError naming file, line and reason."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read ({error})") from None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield GameRecord.from_json(line, where=f"{path} line {number}")
