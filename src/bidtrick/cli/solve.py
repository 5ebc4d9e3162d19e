"""`bidtrick solve`: what a deal is worth with open cards."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer
from rich.table import Table

from ..envs.core.errors import UnknownNameError
from ..envs.registry import make_batch
from .shared import GameArgument, app, console


@app.command()
def solve(
    game: GameArgument,
    deal: Annotated[
        str | None, typer.Argument(help='Four hands, seat 0 first, with "/" between them; none: a deal of --seed.')
    ] = None,
    rules: Annotated[str | None, typer.Option(help="Preset of the rules; none: the first.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the deal, as in environments.")] = 0,
    forehand: Annotated[int | None, typer.Option(min=0, max=3, help="Seat that leads; none: as dealt.")] = None,
    nodes: Annotated[int, typer.Option(min=1, help="Positions that may be visited for each contract.")] = 3_000_000,
) -> None:
    """Solve a deal with open cards: each contract's worth and the par result, for forehand's side.

    Points are differences between the sides. What is not settled within --nodes is printed as bounds. (Contracts
    without trump usually need some millions of positions, a trump contract needs many times as many.)
    """
    if game != "schieber":
        raise UnknownNameError(f"solve: there is no table of contracts for {game}; games: schieber")
    from ..agents.search.schieber.deals import contract_values, par
    from ..agents.search.schieber.solver import Solver

    if make_batch(game, rules=rules).rules.reduced:
        raise UnknownNameError(f"solve: rules={rules!r} have a short deck; the solver knows whole decks only")
    options: dict[str, Any] = {}
    if deal is not None:
        options["deal"] = [hand.strip() for hand in deal.split("/")]
    if forehand is not None:
        options["dealer"] = (forehand - 1) % 4
    games = cast(Any, make_batch(game, rules=rules, seed=seed))
    games.reset(seed=seed, options=options)
    hands, leader = games.state.hands[0], int(games.state.forehand[0])
    for seat, hand in enumerate(hands.tolist()):
        cards = " ".join(games.spec.deck.format(card) for card in range(36) if hand >> card & 1)
        console.print(f"seat {seat}{' (forehand)' if seat == leader else ''}: {cards}", highlight=False)
    values = contract_values(Solver(games.rules), hands, leader, nodes)
    table = Table(title=f"Points for seats {leader % 2} and {leader % 2 + 2}", title_justify="left")
    for column in ("contract", "card play", "Weis", "Stöck", "factor", "total"):
        table.add_column(column, justify="left" if column == "contract" else "right")
    for value in values:
        name = games.spec.actions[36 + value.contract]
        table.add_row(
            name, _bounds(value.low, value.high), f"{value.weis:+d}", f"{value.stock:+d}", f"× {value.multiplier}",
            _bounds(*value.total),
        )  # fmt: skip
    console.print(table)
    console.print(f"par: {_bounds(*par(values))}")


def _bounds(low: int, high: int) -> str:
    return f"{low:+d}" if low == high else f"{low:+d} … {high:+d}"
