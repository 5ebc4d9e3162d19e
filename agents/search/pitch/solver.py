"""Exact play of Pitch when all cards are seen: the points that a side takes from here on, and by each card.

The card play is a game of two sides with a constant sum: every trump that is held is played, so what one side does not
take the other does. That is exact four-handed, and five-handed for the bidder and the partner of this deal against the
other three. Any other set of seats may be asked about too (one seat against the rest, say, while the partner is not
known): the answer is exact for the game in which the rest plays together.

A payoff that never falls when one's points rise (scores, sets and moons are such) is best where the points are: the
payoff of the value is the value of the payoff, so nothing but points need be solved. `check="mid_hand"`, which may stop
a hand early, is not looked at: tricks are played out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ....envs.core.bits import I64, U64, unpack
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.tables import CARDS, COLUMNS, tables, trumps_by_strength
from ..kernels import new_table
from . import kernel
from .positions import PositionError, Positions

#: Answers of `PitchSolver.at_least`.
YES, NO, UNKNOWN = kernel.YES, kernel.NO, kernel.UNKNOWN

#: Nodes for all positions together, unless the caller says otherwise: no bound that is met in practice.
NODES = 1 << 40

#: The compiled functions: their arguments are arrays made here, not for a type checker to count.
_SOLVE: Any = kernel.solve
_DECIDE: Any = kernel.decide

#: Size of the table of positions: 512 KiB, which the processor keeps near.
TABLE_BITS = 15

Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Bounds:
    """Points of the side from here on, those on the table included: int64 arrays, equal where the value is known.

    Attributes:
        low, high: the value lies from `low` to `high`; -1 for cards that may not be played now.
        nodes: how many positions the search went through.
    """

    low: I64
    high: I64
    nodes: int

    @property
    def exact(self) -> bool:
        """Whether all values are known: the budget was enough."""
        return bool((self.low == self.high).all())


class PitchSolver:
    """The solver for one set of rules. It keeps its memory between calls; one object serves one thread.

    (Importing this module raises MissingExtraError without numba.)
    """

    def __init__(self, rules: PitchRules) -> None:
        self.rules = rules
        t = tables(rules)
        #: The card at each place, weakest first, under each trump suit. int64 [4, K].
        self.order: I64 = np.array([trumps_by_strength(rules, suit)[::-1] for suit in range(4)], np.int64)
        size = self.order.shape[1]
        strength, won, own = (column[: 4 * COLUMNS].reshape(4, COLUMNS)[0] for column in (t.strength, t.won, t.own))
        columns = [column[self.order[0]].astype(np.int64) for column in (strength, won, own)]
        worth = columns[1] * 32 + columns[2]
        self._tables: I64 = np.stack([*columns, np.unique(worth, return_inverse=True)[1].astype(np.int64)])
        bits = np.arange(1024)[:, None] >> np.arange(10) & 1
        halves = np.zeros(20, np.int64)
        halves[:size] = columns[1]
        self._sums: I64 = np.stack([bits @ halves[:10], bits @ halves[10:]])
        self._place: I64 = 1 << np.arange(size, dtype=np.int64)
        self._memory: I64 = new_table(TABLE_BITS)
        self._path: I64 = np.zeros((kernel.PATH_ROWS, kernel.PATH_COLUMNS), np.int64)
        self._counts: I64 = np.zeros(3, np.int64)
        self._scratch: I64 = np.zeros((2, rules.players), np.int64)

    def clear(self) -> None:
        """Forget all positions: what is asked next takes as many nodes as if it were asked first."""
        self._memory[:] = 0
        self._counts[:] = 0

    def value(self, positions: Positions, side: Ints | int, nodes: int = NODES) -> Bounds:
        """Points that a side takes from here on with best play of all. low, high: int64 [W].

        Args:
            side: masks of the seats of the side, int or int [W].
            nodes: budget for all positions together, shared evenly; what one leaves, the next may use. Where it runs
                out the bounds differ.

        Raises: PositionError if the positions are not of this game.
        """
        bounds, total = self._solve(positions, side, False, nodes)
        return Bounds(bounds[:, -1, 0], bounds[:, -1, 1], total)

    def cards(self, positions: Positions, side: Ints | int, nodes: int = NODES) -> Bounds:
        """The same for every card that the seat to act may play now. low, high: int64 [W, 54].

        Args and Raises: see `value`.
        """
        bounds, total = self._solve(positions, side, True, nodes)
        out: I64 = np.full((2, len(positions), CARDS), -1, np.int64)
        rows = np.arange(len(positions))[:, None]
        out[:, rows, self.order[positions.trump]] = np.moveaxis(bounds[:, :-1], 2, 0)
        return Bounds(out[0], out[1], total)

    def at_least(self, positions: Positions, side: Ints | int, points: Ints | int, nodes: int = NODES) -> I64:
        """Whether a side takes at least some points from here on: YES, NO, or UNKNOWN if nodes ran out. int64 [W].

        Args and Raises: see `value`. points: int or int [W].
        """
        arrays = self._arrays(positions, side, nodes)
        need = np.broadcast_to(np.asarray(points, np.int64), (len(positions),)).copy()
        answers: I64 = np.full(len(positions), UNKNOWN, np.int64)
        _DECIDE(*arrays, need, nodes, *self._work, answers)
        return answers

    @property
    def _work(self) -> tuple[I64, ...]:
        return self._tables, self._sums, self._memory, self._path, self._counts, self._scratch

    def _solve(self, positions: Positions, side: Ints | int, each: bool, nodes: int) -> tuple[I64, int]:
        arrays = self._arrays(positions, side, nodes)
        bounds: I64 = np.empty((len(positions), self.order.shape[1] + 1, 2), np.int64)
        total = _SOLVE(*arrays, each, nodes, *self._work, bounds)
        return bounds, int(total)

    def _arrays(self, p: Positions, side: Ints | int, nodes: int) -> list[I64]:
        """What the compiled search takes: places instead of cards."""
        n = len(p)
        if p.hands.shape != (n, self.rules.players):
            raise PositionError(f"pitch: hands must be uint64 [W, {self.rules.players}]; got {list(p.hands.shape)}")
        trumps = tables(self.rules).trumps.take(p.trump)
        wrong = np.flatnonzero((p.hands & ~trumps[:, None]).any(axis=1) | (self._held(p.hands) > 6).any(axis=1))
        if len(wrong):
            raise PositionError(f"pitch: hands of position {int(wrong[0])} must be at most six trumps each")
        rows = np.arange(n)
        wrong = np.flatnonzero((p.hands[rows, p.seat] == 0) & p.hands.any(axis=1))
        if len(wrong):
            raise PositionError(f"pitch: seat {int(p.seat[wrong[0]])} of position {int(wrong[0])} holds no trump")
        if nodes < 1:
            raise PositionError(f"nodes must be at least 1; got {nodes}")
        order = self.order[p.trump]
        best = (order == p.best[:, None]) @ np.arange(1, order.shape[1] + 1) - 1
        sides = np.broadcast_to(np.asarray(side, np.int64), (n,)).copy()
        return [
            self._places(p.hands, order), p.seat.astype(np.int64), p.leader.astype(np.int64), best,
            p.best_seat.astype(np.int64), p.pot.astype(np.int64), self._places(p.first, order), sides,
        ]  # fmt: skip

    @staticmethod
    def _held(hands: U64) -> npt.NDArray[np.uint8]:
        return np.bitwise_count(hands)

    def _places(self, cards: U64, order: I64) -> I64:
        """Card masks as masks of places. uint64 [W, P], int64 [W, K] → int64 [W, P]."""
        bits = unpack(cards[:, :, None], CARDS)
        return np.take_along_axis(bits, order[:, None, :], axis=2) @ self._place


@lru_cache(maxsize=8)
def solver(rules: PitchRules) -> PitchSolver:
    """The solver of a set of rules (cached)."""
    return PitchSolver(rules)
