"""`bidtrick replay`: look at recorded games."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .shared import app, console


class View(StrEnum):
    """How `replay` shows a game."""

    actions = "actions"
    story = "story"
    table = "table"
    window = "window"


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="Records, one JSON line a game.")],
    game: Annotated[int, typer.Option(help="Number of the record in the file, from 1; 0 for all.")] = 1,
    view: Annotated[
        View, typer.Option(help="A line for each action, each deal in words, the table after each action, or a window.")
    ] = View.actions,
    seat: Annotated[int, typer.Option(help="Seat at the bottom of the table.")] = 0,
    hidden: Annotated[bool, typer.Option("--hidden", help="Show only the cards that this seat sees.")] = False,
    color: Annotated[bool, typer.Option("--color/--no-color", help="Suits in colour.")] = True,
) -> None:
    """Replay recorded games, check that they end as recorded, and show them."""
    from ..replay import replay_file

    replay_file(file, number=game, view=view.value, seat=seat, open_hands=not hidden, color=color, console=console)
