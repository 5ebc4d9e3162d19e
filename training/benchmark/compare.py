"""Where agents stand on a benchmark set, and how far they are apart, deal by deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..stats import Estimate, estimate
from .sets import Result


@dataclass(frozen=True)
class Difference:
    """Points a deal that an agent has more than another one, on the same deals."""

    other: str
    points: Estimate


@dataclass(frozen=True)
class Row:
    """One agent's place.

    points: a deal more than the references. won: share of deals with more points than they, equal ones half.
    best, worst: the places that its differences to the others leave open: those who are clearly ahead are before it,
        those who are clearly behind after it.
    """

    agent: str
    points: Estimate
    won: float
    place: int
    best: int
    worst: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Standings:
    """Agents on a set, best first."""

    rows: tuple[Row, ...]

    def of(self, agent: str) -> Row:
        return next(row for row in self.rows if row.agent == agent)


def standings(results: Sequence[Result]) -> Standings:
    """The order of agents by their points on a set, with paired differences.

    Args:
        results: one an agent, with different names, all of one set.
    """
    ordered = sorted(results, key=lambda one: -float(one.by_deal.mean()))
    rows: list[Row] = []
    for place, one in enumerate(ordered, 1):
        mine = one.by_deal
        apart = tuple(
            Difference(other.agent, estimate(mine - other.by_deal)) for other in ordered if other is not one
        )
        ahead = sum(d.points.high < 0 for d in apart)
        behind = sum(d.points.low > 0 for d in apart)
        won = float(np.mean((np.sign(mine) + 1) / 2))
        rows.append(Row(one.agent, estimate(mine), won, place, 1 + ahead, len(ordered) - behind, apart))
    return Standings(tuple(rows))
