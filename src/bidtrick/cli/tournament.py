"""`bidtrick tournament`: agents on duplicate deals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ..envs.core.records import write_records
from .shared import app, console, progress_bar, settings_first


@app.command()
def tournament(
    config: Annotated[
        Path | None, typer.Argument(help="YAML file, e.g. configs/tournaments/schieber.yaml; none: the defaults.")
    ] = None,
    overrides: Annotated[
        list[str] | None, typer.Argument(help="Settings that replace those of the file, as key=value.")
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            help="An agent, instead of the file's: random, heuristic, pretrained, checkpoint:PATH, MODULE:ATTRIBUTE. "
            "Repeat.",
        ),
    ] = None,
    game: Annotated[str | None, typer.Option(help="Id of the game.")] = None,
    deals: Annotated[int | None, typer.Option(help="Duplicate deals of each pair; with --until, at most.")] = None,
    until: Annotated[float | None, typer.Option(help="Stop when every ± is at most this many points.")] = None,
    matches: Annotated[int | None, typer.Option(help="Duplicate matches of each pair.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same result.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that play; the result is the same.")] = None,
    results: Annotated[
        Path | None,
        typer.Option(help="Keep what was played in this file; the same command goes on from it after an interruption."),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the result to this file.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a report to this file, and beside it the same as .json and .csv.")
    ] = None,
    records: Annotated[
        Path | None, typer.Option(help="Write games of the first deals of each pair here, for `bidtrick replay`.")
    ] = None,
) -> None:
    """Let agents play each other on duplicate deals.

    Every deal is replayed with the agents' seats exchanged, so all play the same cards. Differences are points per
    hand with 95% intervals clustered by deal. An agent that crashes, takes too long or answers illegally loses the
    deal.

    Example: bidtrick tournament -a checkpoint:runs/schieber-ppo -a heuristic -a random --deals 2000
    """
    from ..training import config as configs
    from ..training import report, report_html
    from ..training import tournament as tournaments

    config, overrides = settings_first(config, overrides)
    given = list(overrides or [])
    if agent:
        given.append(f"agents={json.dumps(agent)}")
    numbers = {"deals": deals, "matches": matches, "seed": seed, "until": until, "workers": workers, "game": game}
    given += [f"{key}={value}" for key, value in numbers.items() if value is not None]
    if records is not None:
        given.insert(0, "records=5")
    loaded = configs.load(tournaments.TournamentConfig, config, given)
    with progress_bar() as bar:
        task = bar.add_task("playing", total=None, note="")
        result = tournaments.run(
            loaded, lambda done, total: bar.update(task, completed=done, total=total), results=results
        )
    report.print_report(result, console)
    if json_file is not None:
        report.write_json(result, json_file)
        console.print(f"Written to {json_file}", soft_wrap=True)
    if html is not None:
        for file in report_html.write_report(result, html):
            console.print(f"Written to {file}", soft_wrap=True)
    if records is not None:
        write_records(records, result.records)
        console.print(f"{len(result.records)} games written to {records}", soft_wrap=True)
