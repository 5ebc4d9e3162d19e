"""`bidtrick benchmark`: where an agent stands among those that come with the package."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from .shared import GameArgument, app, console, progress_bar


@app.command()
def benchmark(
    game: GameArgument,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", "-a", help="An agent by name, e.g. my.module:Agent. Repeat.")
    ] = None,
    set_name: Annotated[str | None, typer.Option("--set", help="Name of the set. [default: the game's newest]")] = None,
    compare: Annotated[
        list[Path] | None, typer.Option(help="Results of others (a file of --json) to compare with, too. Repeat.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that play; the result is the same.")] = 1,
    seconds: Annotated[float | None, typer.Option(min=0, help="Time for one decision, or the deal is lost.")] = None,
    results: Annotated[
        Path | None, typer.Option(help="Keep what was played in this file; the same command goes on from it.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write results by deal and differences to this file.")
    ] = None,
    update: Annotated[
        bool,
        typer.Option("--update", help="Maintainers: store the results of these agents (none: of all stored) anew."),
    ] = False,
    define: Annotated[bool, typer.Option("--define", help="Maintainers: begin a new set, the next number.")] = False,
) -> None:
    """Let agents play a fixed set of deals, and compare them with the agents whose results come with it.

    Everybody plays the set's reference opponents, on the same deals in all seatings; points a deal are what an agent
    wins more than they. Differences between agents are paired by deal. Intervals are 95%.

    Example: bidtrick benchmark thousand --agent my.module:Agent --json mine.json
    """
    from ..training import benchmark as sets
    from ..training.benchmark import sets as store
    from ..training.report import write

    if define:
        names = sets.set_names(game)
        number = int(names[-1].rpartition("-")[2]) + 1 if names else 1
        console.print(f"The set {sets.define(f'{game}-{number}').name} is defined")
        return
    chosen = sets.read_set(set_name) if set_name else sets.default_set(game)
    if chosen.game != game:
        own = ", ".join(sets.set_names(game)) or "none"
        raise store.BenchmarkError(f"set: {chosen.name} is of {chosen.game}; sets of {game}: {own}")
    known = store.stored(chosen)
    agents = list(dict.fromkeys(agent or (known if update else [])))
    others = [one for file in compare or () for one in sets.load_results(file, chosen)]
    played: list[sets.Result] = []
    with progress_bar() as bar:
        for name in agents:
            task = bar.add_task(name, total=None, note="")
            played.append(
                sets.evaluate(
                    chosen, name, workers=workers, seconds=seconds, results=results,
                    progress=lambda done, total, task=task: bar.update(task, completed=done, total=total),
                )
            )  # fmt: skip
    if update:
        for one in played:
            before = known.get(one.agent)
            file = store.store(chosen, one)
            changed = "new" if before is None else f"{int((before.by_deal != one.by_deal).sum())} deals changed"
            console.print(f"{one.agent}: {changed}, stored in {file}", soft_wrap=True)
        known, played = store.stored(chosen), []
    entries = dict(known)
    mine: list[str] = []
    for one, kind in [*((r, "compared") for r in others), *((r, "played now") for r in played)]:
        label = one.agent if one.agent not in entries else f"{one.agent} ({kind})"
        entries[label] = dataclasses.replace(one, agent=label)
        if kind == "played now":
            mine.append(label)
    if not entries:
        raise store.BenchmarkError(f"{chosen.name} has no stored results; give an agent with --agent")
    table = sets.standings(list(entries.values()))
    _print(chosen, table, mine)
    for label in mine:
        for failure in entries[label].failures:
            console.print(
                f"{failure['agent']} lost {failure['count']} plays ({failure['kind']}), {chosen.forfeit:g} points "
                f"each; first on deal {failure['deal']}: {failure['message']}",
                style="red", markup=False,
            )  # fmt: skip
    if json_file is not None:
        write(json_file, json.dumps(_plain(chosen, table, played), indent=1, ensure_ascii=False))
        console.print(f"Written to {json_file}", soft_wrap=True)


def _print(chosen: Any, table: Any, mine: list[str]) -> None:
    from ..training.report import interval, verdict

    shown = Table(title=f"Benchmark set {chosen.name}", title_justify="left")
    shown.add_column("place", justify="right", no_wrap=True)
    shown.add_column("agent", overflow="fold")
    shown.add_column("points a deal", justify="right", no_wrap=True)
    shown.add_column("deals won", justify="right", no_wrap=True)
    for row in table.rows:
        open_places = "" if row.best == row.worst else f" ({row.best}–{row.worst})"
        shown.add_row(
            f"{row.place}{open_places}", Text(row.agent, style="bold" if row.agent in mine else ""),
            interval(row.points), f"{100 * row.won:.0f}%",
        )  # fmt: skip
    console.print(shown)
    for name in mine:
        row = table.of(name)
        shown = Table(title=Text(f"{name} less each other agent, on the same deals"), title_justify="left")
        shown.add_column("agent", overflow="fold")
        shown.add_column("points a deal", justify="right", no_wrap=True)
        shown.add_column("", no_wrap=True)
        for one in row.differences:
            shown.add_row(Text(one.other), interval(one.points), verdict(one.points))
        console.print(shown)
    console.print(
        f"{chosen.game}, rules {chosen.preset}, {chosen.deals} deals of seed {chosen.seed}, each in all seatings, "
        f"against {', '.join(chosen.references)}. ± is half a 95% interval by deal; in brackets the places that the "
        "differences leave open.",
        style="dim",
    )


def _plain(chosen: Any, table: Any, played: list[Any]) -> dict[str, Any]:
    from ..training.benchmark.sets import RESULT_FORMAT

    def numbers(value: Any) -> dict[str, float]:
        return {"mean": value.mean, "low": value.low, "high": value.high, "deals": value.count}

    return {
        "format": RESULT_FORMAT,
        "set": dataclasses.asdict(chosen),
        "standings": [
            {
                "agent": row.agent, "place": row.place, "places": [row.best, row.worst], "points": numbers(row.points),
                "deals_won": row.won, "less": {one.other: numbers(one.points) for one in row.differences},
            }
            for row in table.rows
        ],
        "results": [one.plain() for one in played],
    }  # fmt: skip
