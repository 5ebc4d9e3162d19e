"""Showing recorded games: action by action, as a table in the terminal, or in a window."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from rich.console import Console
from rich.text import Text

from .envs import rendering
from .envs.core.errors import RecordError
from .envs.core.game import BatchedGame
from .envs.core.records import GameRecord, read_records
from .envs.registry import replay, start_replay


def replay_file(
    path: Path, *, number: int, view: str, seat: int, open_hands: bool, color: bool, console: Console
) -> None:
    """Show one record of a file (from 1), or all (0). Raises RecordError naming line and reason."""
    shown = 0
    for count, record in enumerate(read_records(path), start=1):
        if number in (0, count):
            where = f"{path} record {count}"
            replay(record, where)  # refuses what does not end as recorded, before anything is shown
            show(record, where, view=view, seat=seat, open_hands=open_hands, color=color, console=console)
            shown += 1
    if not shown:
        raise RecordError(f"{path}: there is no record number {number}")


def show(
    record: GameRecord, where: str, *, view: str, seat: int, open_hands: bool, color: bool, console: Console
) -> None:
    """Show one record in the given view: "actions", "story", "table" or "window"."""
    game = start_replay(record, where)
    if view == "story":
        console.print(Text(f"{game.spec.title}, rules {game.rules.name}, one {record.episode}", style="bold"))
        _tell(game, record.actions, console)
        return
    window = rendering.TableWindow(caption=f"bidtrick: {record.game}") if view == "window" else None
    console.print(Text(f"{where}: {record.game}, {game.rules.name}, one {record.episode}", style="bold"))
    _picture(game, view, seat, open_hands, color, window, console)
    for action in record.actions:
        player = int(game.current_player[0])
        console.print(Text(f"seat {player}: {game.spec.action_name(action)}"))
        game.step([action])
        if not _picture(game, view, seat, open_hands, color, window, console):
            break
    if window is not None:
        window.close()
    result = game.result()
    console.print(Text("result: " + ", ".join(f"{name} {value}" for name, value in result.items())))


@runtime_checkable
class Storyteller(Protocol):
    """A game that can tell its deals in words."""

    def story(self, action: int, after: Any) -> list[str]:
        """The deal that this action ends, with all cards open; nothing for other actions."""
        ...


def _tell(game: BatchedGame[Any], actions: Iterable[int], console: Console) -> None:
    """Each deal in words, when it ends."""
    if not isinstance(game, Storyteller):
        raise RecordError(f"{game.spec.id} has no view called story; use actions, table or window")
    for action in actions:
        before = game.clone()
        game.step([action])
        assert isinstance(before, Storyteller)
        for line in before.story(action, game):
            console.print(Text(line), soft_wrap=True)


def _picture(
    game: BatchedGame[Any], view: str, seat: int, open_hands: bool, color: bool, window: Any, console: Console
) -> bool:
    """Draw the present position if the view wants pictures; False when the window was closed."""
    if view == "actions":
        return True
    scene = game.scene(0, seat=seat, open_hands=open_hands)
    if window is not None:
        return window.show(scene)
    console.print(Text.from_ansi(rendering.render_ansi(scene, color=color)))
    return True
