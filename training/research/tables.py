"""Tables of solved deals, and how they are written: as plain data, CSV, and for people."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...agents.search.deals import NODES, DealSolver, DealValues, Par, deal_solver
from ...envs.core.game import BatchedGame
from .deals import Deal


@dataclass(frozen=True, eq=False)
class DealTable:
    """A deal and what its contracts are worth. par: None where bounds do not tell."""

    deal: Deal
    values: DealValues
    par: Par | None
    solver: DealSolver

    def rows(self) -> list[dict[str, Any]]:
        """One row a contract and declarer that was asked for."""
        found: list[dict[str, Any]] = []
        v = self.values
        for contract, name in enumerate(self.solver.contracts):
            for seat in range(v.low.shape[1]):
                if v.asked[contract, seat]:
                    here = (contract, seat)
                    parts = {part: int(array[here]) for part, array in v.parts.items()}
                    found.append({
                        "contract": name, "declarer": seat, "low": int(v.low[here]), "high": int(v.high[here]),
                        "nodes": int(v.nodes[here]), **parts,
                    })  # fmt: skip
        return found

    def to_dict(self, games: BatchedGame[Any]) -> dict[str, Any]:
        """Everything as plain data."""
        names = games.spec.deck.format
        par: dict[str, Any] | None = None
        if self.par is not None:
            contract = self.solver.contracts[self.par.contract] if self.par.contract >= 0 else None
            par = {**vars(self.par), "contract": contract}
        packets = {name: [names(card) for card in cards] for name, cards in self.deal.packets(games)}
        return {
            "name": self.deal.name, "game": games.spec.id, "rules": games.rules.to_dict(), "dealer": self.deal.dealer,
            "deal": self.deal.deck.tolist(), "cards": packets, "values": self.rows(), "par": par,
        }  # fmt: skip


def solve_deals(
    games: BatchedGame[Any],
    deals: Iterable[Deal],
    *,
    nodes: int = NODES,
    every: bool = False,
    progress: Callable[[], None] | None = None,
) -> Iterator[DealTable]:
    """Solve deals one after the other (`agents.search.deals.DealSolver.solve`); equal deals have equal tables.

    Args:
        games: any batch of the game and rules. progress: called after each deal.

    Raises: UnknownNameError if the game has no solver, MissingExtraError without numba.
    """
    solver = deal_solver(games.spec)
    for deal in deals:
        values = solver.solve(deal.deck, deal.dealer, nodes, every)
        table = DealTable(deal, values, solver.par(values, deal.dealer), solver)
        if progress is not None:
            progress()
        yield table


def bounds_text(low: float, high: float, sign: str = "") -> str:
    """Bounds for people: "12" or "12 … 40"; `sign`: "+" to write it always."""
    return f"{low:{sign}g}" if low == high else f"{low:{sign}g} … {high:{sign}g}"


def par_text(table: DealTable) -> str:
    """The par result in a line."""
    par = table.par
    if par is None:
        return "not settled within the nodes"
    text = f"{bounds_text(par.low, par.high, '+')} for the side of seat {par.seat}"
    if par.declarer >= 0 and par.contract >= 0:
        text += f" (seat {par.declarer}, {table.solver.contracts[par.contract]}{f', bid {par.bid}' if par.bid else ''})"
    return text


def write_csv(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows with equal keys, all or nothing."""
    listed = list(rows)
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(listed[0]) if listed else [])
        writer.writeheader()
        writer.writerows(listed)
    part.replace(path)
