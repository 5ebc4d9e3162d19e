"""`bidtrick export` and `bidtrick agents`: trained agents for others, and which there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from ..agents.pretrained import NAMES, store
from .shared import app, console, progress_bar


@app.command()
def export(
    run: Annotated[Path, typer.Argument(help="Folder of a training run, or of one of its checkpoints.")],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(help="Settings as key=value: opponents, deals, seed, precision, workers, machine, weaknesses."),
    ] = None,
    to: Annotated[Path | None, typer.Option(help="Folder to write the agent to.")] = None,
    ship: Annotated[
        str | None,
        typer.Option(help=f"Instead of --to: ship it with the package under this name ({', '.join(NAMES)})."),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(help="A file of `tournament --json` in which it played, instead of playing again. Repeat."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an exported agent that is there.")] = False,
) -> None:
    """Turn a run's newest checkpoint into a small agent with a model card.

    Only what plays is kept. It is measured against fixed opponents for every preset that it can read; it may play
    those where it wins at least as many points as the first opponent. The card says all that, and how it was trained.
    What was played is kept in the run's folder: the same command goes on after an interruption.

    Example: bidtrick export runs/schieber-ppo --to agents/mine deals=4000
    """
    from ..agents.neural import checkpoint
    from ..training import config as configs
    from ..training import export as exports

    loaded = configs.load(exports.ExportConfig, None, list(overrides or []))
    if (to is None) == (ship is None):
        raise configs.ConfigError("give either --to FOLDER or --ship NAME")
    name = to.name if to is not None else str(ship)
    if to is None:
        if ship not in NAMES:
            raise configs.ConfigError(f"ship={ship!r} is not allowed; allowed: {' | '.join(map(repr, NAMES))}")
        meta = checkpoint.read_meta(checkpoint.find(run))
        to = store.HOME / str(meta.get("game")) / name
    with progress_bar() as bar:
        task = bar.add_task("exporting", total=None, note="")
        done = exports.export(
            run, to, name, loaded, results=tuple(results or ()), replace=replace,
            progress=lambda what, at, total: bar.update(task, description=what, completed=at, total=total),
        )  # fmt: skip
    rounding = done.meta["rounding"]
    console.print(
        f"Written to {done.folder} ({done.bytes / 1e6:.2f} MB). Rounding changed {rounding['changed']} of "
        f"{rounding['decisions']} decisions. It plays the presets {', '.join(done.meta['presets'])}.",
        soft_wrap=True,
    )
    called = ship or f"checkpoint:{done.folder}"
    console.print(f"Its name is {called}; its card is {done.folder / 'CARD.md'}", soft_wrap=True)


@app.command()
def agents(
    card: Annotated[str | None, typer.Option(help="Print the card of a shipped agent: GAME or GAME/NAME.")] = None,
) -> None:
    """List the agents, and the trained ones that come with the package."""
    from ..agents.registry import AGENTS, external

    if card is not None:
        console.print(_card(card), markup=False, highlight=False, soft_wrap=True)
        return
    table = Table(title="Agents", title_justify="left")
    table.add_column("name", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    for name, (_, argument, about) in AGENTS.items():
        table.add_row(Text(f"{name}:{argument}" if argument else name), Text(about))
    table.add_row(external.REFERENCE, "your own: a callable, a PettingZoo-style policy or an Agent")
    console.print(table)
    table = Table(title="Trained agents that come with the package", title_justify="left")
    for column in ("game", "name", "size", "points a hand", "presets"):
        table.add_column(column, overflow="fold", no_wrap=column in ("game", "name", "size"))
    for one in store.shipped():
        best = one.headline
        points = (
            f"{best['mean']:+.2f} ± {best['half_width']:.2f} against {best['opponent']}, {best['preset']}, "
            f"{best['deals']} deals" if best else "—"
        )  # fmt: skip
        table.add_row(one.game, one.name, f"{one.size / 1e6:.2f} MB", points, ", ".join(one.presets))
    console.print(table)


def _card(which: str) -> str:
    game, _, name = which.partition("/")
    found = [one for one in store.shipped(game) if one.name == (name or "pretrained")]
    if not found:
        there = ", ".join(f"{one.game}/{one.name}" for one in store.shipped()) or "none"
        raise store.UnknownNameError(f"no shipped agent is called {which!r}; shipped: {there}")
    return "\n".join((one.folder / "CARD.md").read_text(encoding="utf-8") for one in found)
