"""The `bidtrick` command: each module here has the commands that its name says."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from .. import __version__
from ..envs.core.errors import BidtrickError
from .shared import app, console, errors


def main() -> None:
    """Run the command; errors that bidtrick names are printed without a traceback."""
    try:
        app()
    except BidtrickError as error:
        errors.print(Text(f"{type(error).__name__}: {error}", style="red"))
        raise SystemExit(2) from None


def _version(show: bool) -> None:
    if show:
        console.print(f"bidtrick {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


# importing a module adds its commands; this is their order in the help
from . import (  # noqa: E402, I001
    games, train, export, tournament, benchmark, bid, solve, regret, dataset, exploit, replay, bench,  # noqa: F401
)
