"""What the commands share: the application, consoles, progress bars, how settings are given."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)  # fmt: skip

app = typer.Typer(
    name="bidtrick",
    help="Train, judge and study agents for card games with bidding and tricks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
console = Console()
errors = Console(stderr=True)

GameArgument = Annotated[str, typer.Argument(help="Id of the game; `bidtrick games` lists them.")]


def settings_first(config: Path | None, overrides: list[str] | None) -> tuple[Path | None, list[str]]:
    """`key=value` where a config could stand is a setting, and there is no config."""
    given = list(overrides or [])
    if config is not None and "=" in str(config) and not config.exists():
        return None, [str(config), *given]
    return config, given


def progress_bar() -> Progress:
    columns: list[Any] = [
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("{task.fields[note]}"),
    ]  # fmt: skip
    return Progress(*columns, console=errors)
