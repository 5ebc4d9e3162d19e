"""Whole deals with open cards: what every contract is worth with every declarer, and the par result.

Each game has a class `Deals` in `agents/search/<game>/deals.py`, which says what a contract, a value and the par
result are there. A deal is written as `reset(options={"deal": ...})` takes it: the deck in the order of dealing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ...envs.core.bits import I64
from ...envs.core.game import BatchedGame
from ...envs.core.spec import GameSpec
from .base import part_of

Bools = npt.NDArray[np.bool_]

#: Positions that may be visited for one contract of one declarer, unless the caller says otherwise.
NODES = 3_000_000


@dataclass(frozen=True, eq=False)
class DealValues:
    """The values of a deal: C contracts × S declarers.

    Attributes:
        low, high: int64 [C, S], bounds of the value in points for the declarer's side; equal where it is known.
        nodes: int64 [C, S], positions visited for it.
        asked: bool [C, S], whether it was asked for (a seat without cards declares nothing); the rest is 0.
        parts: what else is known by contract and declarer, int64 [C, S] each (`DealSolver.parts`).
    """

    low: I64
    high: I64
    nodes: I64
    asked: Bools
    parts: dict[str, I64]

    @property
    def exact(self) -> bool:
        """Whether all that was asked for is known."""
        return bool((self.low == self.high)[self.asked].all())


@dataclass(frozen=True)
class Par:
    """The par result, as the game's `Deals` defines it.

    Attributes:
        low, high: bounds of it, equal where it is known, in points for the side of `seat`.
        seat: whose side that is. declarer, contract: who plays what then, -1 where that is not known (yet).
        bid: what was bid in the game's numbers, 0 where bids are no numbers, or not known.
    """

    low: float
    high: float
    seat: int
    declarer: int
    contract: int
    bid: int = 0


class DealSolver(Protocol):
    """Solves deals of one set of rules; one object serves one thread.

    What it says of a deal does not depend on the deals before it, the number of nodes and bounds included.

    Attributes:
        contracts: names of the C contracts.
        parts: name and meaning of each of `DealValues.parts`.
        meaning: what a value is, for people. par_meaning: what the par result is.
    """

    contracts: tuple[str, ...]
    parts: Mapping[str, str]
    meaning: str
    par_meaning: str

    def dealer(self, games: BatchedGame[Any]) -> I64:
        """Who has dealt. int64 [N]."""
        ...

    def solve(self, deck: I64, dealer: int, nodes: int = NODES, every: bool = False) -> DealValues:
        """The values of a deal.

        Args:
            deck: int64 [D], the cards in the order of dealing; checked already.
            nodes: positions that may be visited for each contract of each declarer. What is not settled then is
                given as bounds.
            every: also declarers whom this dealer does not allow (Schieber's other forehands).
        """
        ...

    def par(self, values: DealValues, dealer: int) -> Par | None:
        """The par result; None if it cannot be told from bounds."""
        ...

    def part_text(self, part: str, value: int) -> str:
        """A part's value for people, e.g. the name of a card."""
        ...


def deal_solver(spec: GameSpec) -> DealSolver:
    """The solver of whole deals for a spec. Raises UnknownNameError if the game has none, or a short deck."""
    return part_of(spec, "deals", "Deals", "solver of deals")
