"""`bidtrick regret`: what recorded decisions cost, with open cards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from ..envs.core.errors import BidtrickError
from ..envs.core.records import GameRecord, read_records, write_records
from ..envs.registry import make_batch
from .shared import app, console, progress_bar

if TYPE_CHECKING:
    from ..training.research.regret import Regret, Row


@app.command()
def regret(
    records: Annotated[
        list[Path] | None, typer.Argument(help="Files of records (`bidtrick tournament --records`), one game a line.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="Without files: the game that --agent play now.")] = None,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", "-a", help="An agent that plays; every deal with each at each side.")
    ] = None,
    rules: Annotated[str | None, typer.Option(help="Preset of the rules they play; none: the first.")] = None,
    deals: Annotated[int, typer.Option(min=1, help="Deals that they play.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed of these deals, and of what agents draw.")] = 0,
    save: Annotated[Path | None, typer.Option(help="Write the hands that they played to this file.")] = None,
    nodes: Annotated[
        int, typer.Option(min=1, help="Positions that may be visited for each action; then it is an estimate.")
    ] = 200_000,
    each: Annotated[bool, typer.Option("--each", help="Print every decision that cost something, too.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write decisions and means to this file.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write a row for each decision to this file.")] = None,
) -> None:
    """What decisions cost: the best legal action's worth with open cards less that of the action taken.

    The judge sees all cards, so regret is not what a player could have known; compare players on the same deals. Means
    are points a hand, with standard errors over hands. "exact" is the share of decisions that were solved; the
    rest are estimates (bids of Thousand, most first tricks of Schieber).

    Example: bidtrick regret --game thousand -a heuristic -a random --deals 50
    """
    from ..agents.registry import make_agent
    from ..training.research.hands import record_hands
    from ..training.research.regret import judge_records, summary
    from ..training.research.tables import write_csv

    played: list[tuple[GameRecord, Sequence[str]]]
    if records and (game or agent):
        raise BidtrickError("regret: give files of records, or --game and --agent, not both")
    if records:
        played = [(record, ()) for file in records for record in read_records(file)]
    elif game and agent:
        spec = make_batch(game, rules=rules).spec
        players = [make_agent(name, spec) for name in dict.fromkeys(agent)]
        played = list(record_hands(players, deals, seed))
    else:
        raise BidtrickError("regret: give files of records, or --game and at least one --agent")
    if not played:
        raise BidtrickError("regret: there is no record in these files")
    if save is not None:
        write_records(save, [record for record, _ in played])
        console.print(f"{len(played)} games written to {save}", soft_wrap=True)
    with progress_bar() as bar:
        task = bar.add_task("judging", total=len(played), note="")
        found, units = judge_records(played, nodes, lambda: bar.advance(task))
    rows = summary(found, units)
    if each:
        _show_decisions(found)
    _show(rows)
    if json_file is not None:
        text = {"decisions": [one.to_dict() for one in found], "means": [vars(row) for row in rows]}
        json_file.write_text(json.dumps(text, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        console.print(f"Written to {json_file}", soft_wrap=True)
    if csv_file is not None:
        write_csv(csv_file, [one.to_dict() for one in found])
        console.print(f"Written to {csv_file}", soft_wrap=True)


def _show(rows: list[Row]) -> None:
    table = Table(title="Regret a hand, ± one standard error", title_justify="left")
    for column in ("who", "phase", "judged", "regret", "best", "decisions", "hands"):
        left = column in ("who", "phase", "judged")
        table.add_column(column, justify="left" if left else "right", no_wrap=column != "who", overflow="fold")
    for row in rows:
        error = f" ± {row.error:.2f}" if row.error == row.error else ""
        table.add_row(
            row.who, row.phase, "exactly" if row.exact else "estimate", f"{row.mean:.2f}{error}", f"{row.best:.0%}",
            str(row.decisions), str(row.hands),
        )  # fmt: skip
    console.print(table)
    for phase, unit in dict.fromkeys((row.phase, row.unit) for row in rows):
        console.print(Text(f"{phase}: {unit}", style="dim"))


def _show_decisions(found: list[Regret]) -> None:
    for number in dict.fromkeys(one.record for one in found):
        ones = [one for one in found if one.record == number]
        total = sum(one.regret for one in ones)
        table = Table(title=f"Record {number}: {len(ones)} decisions, regret {total:g}", title_justify="left")
        for column in ("hand", "action", "seat", "phase", "taken", "best", "worth", "regret", ""):
            table.add_column(column, justify="right" if column in ("hand", "action", "worth", "regret") else "left")
        for one in ones:
            if one.regret:
                who = f"{one.seat} {one.agent}".strip()
                table.add_row(
                    str(one.hand), str(one.number), who, one.phase, one.action, one.best, f"{one.value:g}",
                    f"{one.regret:g}", "" if one.exact else "estimate",
                )  # fmt: skip
        console.print(table if table.row_count else Text(f"{table.title}"))
