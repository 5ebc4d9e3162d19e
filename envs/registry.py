"""The games of bidtrick: one line each, and how to make them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .core.errors import BidtrickError, RecordError, UnknownNameError
from .core.game import BatchedGame
from .core.records import GameRecord
from .core.rules import Rules

#: Game id → module and class of its batched game. A new game is one folder and one line here, or `register_game`.
GAMES: dict[str, tuple[str, str]] = {
    "schieber": (".schieber.game", "Schieber"),
    "pitch": (".pitch.game", "Pitch"),
    "thousand": (".thousand.game", "Thousand"),
}


def register_game(cls: type[BatchedGame[Any]]) -> str:
    """Add a game that lives outside this package, by its class. Returns its id, that of its rules.

    From then on `make_batch`, configs, tournaments, records and the benchmark know it by its id; call
    `adapters.register_all()` for its ids in Gymnasium and PettingZoo.

    Raises: BidtrickError if the id is that of another game, or none.
    """
    game = cls.rules_class.game
    if not re.fullmatch("[a-z]+(_[a-z]+)*", game):
        raise BidtrickError(f"{cls.__qualname__}: game={game!r} is not allowed; allowed: small letters and _")
    known = GAMES.setdefault(game, (cls.__module__, cls.__qualname__))
    if known != (cls.__module__, cls.__qualname__):
        raise BidtrickError(f"{game!r} is the id of {known[1]} in {known[0]} already")
    return game


def games() -> list[str]:
    """Ids of all games."""
    return list(GAMES)


def game_class(game: str) -> type[BatchedGame[Any]]:
    """The class of a game. Raises UnknownNameError listing the games."""
    if game not in GAMES:
        raise UnknownNameError(f"no game is called {game!r}; games: {', '.join(GAMES)}")
    module, name = GAMES[game]
    return getattr(import_module(module, __package__), name)


def make_batch(
    game: str,
    num_games: int = 1,
    seed: int = 0,
    rules: str | Mapping[str, Any] | Rules | None = None,
    episode: str = "hand",
    **options: Any,
) -> BatchedGame[Any]:
    """A batch of games (`core.game.BatchedGame` documents the options).

    Args:
        game: id of the game, e.g. "schieber".
        rules: name of a preset, a mapping of options, or rules; None is the first preset.
        episode: "hand" or "match".
    """
    return game_class(game)(rules, num_games=num_games, seed=seed, episode=episode, **options)


def replay(record: GameRecord, where: str = "record") -> BatchedGame[Any]:
    """Play a record again and check its result; the game is left at its end.

    Raises: RecordError naming `where` and the reason if it cannot be replayed or ends otherwise.
    """
    game = start_replay(record, where)
    for number, action in enumerate(record.actions):
        try:
            game.step([action])
        except ValueError as error:
            raise RecordError(f"{where}: action {number} of {len(record.actions)}: {error}") from None
    result = game.result()
    if set(record.result) != set(result):
        raise RecordError(f"{where}: field result must hold {', '.join(result)}")
    for name, value in record.result.items():
        if result.get(name) != value:
            raise RecordError(f"{where}: replay gives {name}={result.get(name)}, the record says {value}")
    return game


def start_replay(record: GameRecord, where: str = "record") -> BatchedGame[Any]:
    """The game of a record before its first action. Raises RecordError naming `where` and the reason."""
    try:
        cls = game_class(record.game)
        game = cls(
            record.rules, seed=record.seed, episode=record.episode, context=record.context, record=True
        )
        if game.spec.version != record.version:
            raise RecordError(f"is of version {record.version} of {record.game}, this is version {game.spec.version}")
        options = {**record.options}
        if options.get("deal") is not None:
            options["deal"] = _words(options["deal"])
        game.reset(options={**options, "game_id": record.game_id, "hand_id": record.hand_id})
    except (ValueError, TypeError, OverflowError, KeyError) as error:  # a garbled record fails in many ways
        raise RecordError(f"{where}: {error}") from None
    return game


def _words(deal: Any) -> Any:
    import numpy as np

    return np.array(deal, np.uint64)
