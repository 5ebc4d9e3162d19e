"""`bidtrick games` and `bidtrick rules`: what can be played, and by which rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..envs.registry import game_class, make_batch
from ..envs.registry import games as registered
from .shared import GameArgument, app, console


@app.command("games")
def list_games() -> None:
    """List the games with their presets, seats, actions and observation size."""
    table = Table(title="Games", title_justify="left")
    for column in ("game", "seats", "actions", "observation", "presets"):
        table.add_column(column, justify="right" if column in ("seats", "actions", "observation") else "left")
    for game in registered():
        spec = make_batch(game).spec
        presets = ", ".join(game_class(game).rules_class.presets)
        table.add_row(game, str(spec.num_seats), str(spec.num_actions), f"{spec.layout.size} bytes", presets)
    console.print(table)


@app.command()
def rules(
    game: GameArgument,
    differences: Annotated[
        bool, typer.Option("--presets", help="Show only how the presets differ, side by side.")
    ] = False,
) -> None:
    """Print every rule option of a game: its values, its default, its rule ids; and how the presets differ.

    The rule book itself is RULES.md in the game's folder. Options are given to environments, configs and this
    command as a preset's name, or as a mapping like {preset: swiss, target: 1000}.
    """
    cls = game_class(game).rules_class
    if not differences:
        console.print(f"Rule options of {game}: name = default, its values, its meaning and rule ids\n", style="italic")
        for row in cls.describe():
            console.print(Text.assemble((row.name, "bold"), f" = {row.default!r}"))
            console.print(Padding(Text(row.values), (0, 0, 0, 4)))
            console.print(Padding(Text.assemble(row.doc, (f" ({row.ids})", "dim")), (0, 0, 1, 4)))
    for table in _preset_tables(game, {name: cls.make(name).to_dict() for name in cls.presets}, console.width):
        console.print(table)


def _preset_tables(game: str, presets: dict[str, dict[str, Any]], width: int) -> Iterator[Table]:
    """The first preset beside as many others as fit on a line, where one of them differs from it."""

    def text(value: Any) -> str:
        return value if isinstance(value, str) else repr(value)

    (base, usual), *others = presets.items()
    differing = {name: {k: text(v) for k, v in options.items() if v != usual[k]} for name, options in others}
    # an option's name, a value, and for each column two spaces and a rule
    sizes = {name: max(len(name), *map(len, values.values()), 0) + 3 for name, values in differing.items()}
    names = list(differing)
    while names:
        here = names[:1]
        while len(here) < len(names):
            more = names[: len(here) + 1]
            rows = {option for name in more for option in differing[name]}
            first = max(map(len, rows), default=0) + max((len(text(usual[k])) for k in rows), default=0) + 7
            if first + sum(sizes[name] for name in more) > width:
                break
            here = more
        names = names[len(here) :]
        table = Table(title=f"Presets of {game}, where they differ from {base}", title_justify="left")
        table.add_column("option", no_wrap=True)
        for name in (base, *here):
            table.add_column(name, overflow="fold")
        for option, value in usual.items():
            values = [differing[name].get(option, "") for name in here]
            if any(values):
                table.add_row(option, Text(text(value)), *(Text(value, style="bold") for value in values))
        if not table.rows:
            table.add_row("(nothing differs)", "", *("" for _ in here))
        yield table
