"""`bidtrick solve`: what deals are worth with open cards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ..envs.core.errors import BidtrickError
from ..envs.registry import make_batch
from .shared import GameArgument, app, console, progress_bar

if TYPE_CHECKING:
    from ..training.research import Deal, DealTable


@app.command()
def solve(
    game: GameArgument,
    deal: Annotated[
        str | None,
        typer.Argument(
            metavar="[DEAL|FILE]",
            help='Cards in the order of dealing, with "/" between the hands (and what nobody is dealt last), or a file '
            'with a deal a line: such text, {"deal": ..., "dealer": ...}, or records. None: deals of --seed.',
        ),
    ] = None,
    rules: Annotated[str | None, typer.Option(help="Preset of the rules; none: the first.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the deals, as in environments.")] = 0,
    deals: Annotated[int, typer.Option(min=1, help="Deals of the seed: those of games 0, 1, ...")] = 1,
    dealer: Annotated[
        int | None, typer.Option(min=0, help="Seat of the dealer; none: as drawn, of given deals the last seat.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All four forehands (Schieber).")] = False,
    nodes: Annotated[
        int, typer.Option(min=1, help="Positions that may be visited for each contract of each declarer.")
    ] = 3_000_000,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all tables to this file.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write a row for each contract to this file.")] = None,
) -> None:
    """Solve deals with open cards: what every contract is worth with every declarer, and the par result.

    Schieber: the points that forehand's side makes more, in each contract. Thousand: the total of each seat as
    declarer, who takes the talon and gives the best cards away. Pitch: the points of each bidder's side with each
    trump. What is not settled within --nodes is printed as bounds (trump contracts of Schieber usually are).

    Example: bidtrick solve thousand --seed 3 --deals 20 --csv deals.csv
    """
    from ..training.research import solve_deals
    from ..training.research.tables import write_csv

    games = make_batch(game, rules=rules)
    listed = _deals(games, deal, seed, deals, dealer)
    tables: list[DealTable] = []
    with progress_bar() as bar:
        task = bar.add_task("solving", total=len(listed), note="", visible=len(listed) > 1)
        for table in solve_deals(games, listed, nodes=nodes, every=every, progress=lambda: bar.advance(task)):
            if json_file is None and csv_file is None:
                _show(games, table)
            else:
                tables.append(table)
    if json_file is not None:
        text = json.dumps([table.to_dict(games) for table in tables], indent=1, ensure_ascii=False)
        json_file.write_text(text + "\n", encoding="utf-8")
        console.print(f"Written to {json_file}", soft_wrap=True)
    if csv_file is not None:
        write_csv(csv_file, _csv_rows(tables))
        console.print(f"Written to {csv_file}", soft_wrap=True)


def _deals(games: Any, text: str | None, seed: int, count: int, dealer: int | None) -> list[Deal]:
    from ..training.research.deals import Deal, deals_of, make_deal, read_deals

    if text is None:
        if dealer is not None and dealer >= games.spec.num_seats:
            raise BidtrickError(f"dealer={dealer} is not allowed; allowed: from 0 to {games.spec.num_seats - 1}")
        drawn = deals_of(games, seed, count)
        return [one if dealer is None else Deal(one.deck, dealer, one.name) for one in drawn]
    try:
        is_file = Path(text).is_file()
    except OSError:  # too long for a name
        is_file = False
    if is_file:
        return read_deals(games, text, dealer)
    if "/" not in text.strip("/") and Path(text).suffix:
        raise BidtrickError(f"{text}: there is no such file (a deal has \"/\" between its hands)")
    return [make_deal(games, text, dealer, "given deal")]


def _show(games: Any, table: DealTable) -> None:
    """Print a deal and its table."""
    from ..training.research.tables import bounds_text, par_text

    deck, values, solver = games.spec.deck, table.values, table.solver
    console.print(Text(f"{table.deal.name}, dealer: seat {table.deal.dealer}", style="bold"))
    for name, cards in table.deal.packets(games):
        console.print(Text(f"{name}: {deck.format_all(cards)}"), soft_wrap=True)
    seats = [seat for seat in range(values.low.shape[1]) if values.asked[:, seat].any()]
    of = f" (seat {seats[0]})" if len(seats) == 1 else ""
    console.print(Text(f"Values: {solver.meaning}{of}", style="italic"))
    if len(seats) > 1 and len(solver.contracts) > 1:
        grid = Table()
        grid.add_column("contract")
        for seat in seats:
            grid.add_column(f"seat {seat}", justify="right")
        for contract, name in enumerate(solver.contracts):
            low, high = values.low[contract], values.high[contract]
            grid.add_row(name, *(bounds_text(int(low[seat]), int(high[seat])) for seat in seats))
        console.print(grid)
    else:
        console.print(_long(table, seats))
    console.print(Text(f"par: {par_text(table)}"))
    console.print(Text(f"(par is {solver.par_meaning})\n", style="dim"), soft_wrap=True)


def _long(table: DealTable, seats: list[int]) -> Table:
    """One row a contract and declarer, with all parts."""
    from ..training.research.tables import bounds_text

    values, solver = table.values, table.solver
    # bounds that are two parts are one column
    columns = [(name.removesuffix("_low"), name) for name in values.parts if not name.endswith("_high")]
    leading = [name for name, many in (("contract", solver.contracts), ("seat", seats)) if len(many) > 1]
    grid = Table()
    for column in (*leading, "value", *(name.replace("_", " ") for name, _ in columns)):
        grid.add_column(column, justify="left" if column == "contract" else "right", no_wrap=True)
    for contract, name in enumerate(solver.contracts):
        for seat in seats:
            here = (contract, seat)
            shown = [bounds_text(int(values.low[here]), int(values.high[here]))]
            for short, part in columns:
                value = int(values.parts[part][here])
                other = int(values.parts.get(f"{short}_high", values.parts[part])[here])
                texts = [solver.part_text(part, number) for number in (value, other)]
                shown.append(texts[0] if value == other else " … ".join(texts))
            first = {"contract": name, "seat": str(seat)}
            grid.add_row(*(first[column] for column in leading), *shown)
    return grid


def _csv_rows(tables: list[DealTable]) -> Iterator[dict[str, Any]]:
    for number, table in enumerate(tables):
        for row in table.rows():
            yield {"number": number, "deal": table.deal.name, "dealer": table.deal.dealer, **row}
