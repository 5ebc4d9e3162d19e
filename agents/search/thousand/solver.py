"""Perfect-information solver of the card play of Thousand, for two, three and four players.

All hands are known. One side maximises a weighed sum of what the places still take (card points and marriages), the
others minimise it: `total_of(place)` is somebody's own total against all others, for the declarer the game that the
defenders play together. Every answer is exact unless the budget runs out; then it is a pair of bounds.

It needs numba (`pip install 'bidtrick[search]'`), which is imported with the first solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....envs.core.errors import BidtrickError
from ....envs.thousand.contexts import IN_PLAY, STRENGTHS, legality
from ....envs.thousand.rules import ThousandRules
from ....envs.thousand.tables import CARDS, POINTS, action_space, card_points, declare_cards, strength
from .position import WIDTH

I64 = npt.NDArray[np.int64]

#: Slots of the table of positions: 16 bytes each.
TABLE_SLOTS = 1 << 16
#: Positions looked at for one value, unless said otherwise: a full deal needs some thousands.
BUDGET = 20_000_000
_DEALS = 1 << 22  # numbers of deals before the table is emptied


class Objective(NamedTuple):
    """What is solved for: the worth of a point of each place, and which places maximise."""

    weights: tuple[int, int, int]
    maximisers: tuple[int, ...]


def total_of(place: int) -> Objective:
    """The total of a place against all others."""
    return Objective((int(place == 0), int(place == 1), int(place == 2)), (place,))


class Values(NamedTuple):
    """Bounds of values, in weighed points still to come (those on the table too), equal where they are exact.

    low, high: int64 [n] or [n, actions]. nodes: positions looked at, of the same shape.
    """

    low: I64
    high: I64
    nodes: I64

    @property
    def exact(self) -> npt.NDArray[np.bool_]:
        return self.low == self.high


@dataclass(frozen=True)
class SolverTables:
    """What the compiled search reads of a set of rules (`kernel.search`); legality is the engine's."""

    options: I64
    arrays: tuple[I64, I64, I64, I64, I64, I64]


def solver_tables(rules: ThousandRules) -> SolverTables:
    """The tables of a set of rules."""
    legal = legality(rules)
    first = IN_PLAY * STRENGTHS
    masks = np.stack(
        [table[first:].astype(np.int64) for table in (legal.beat, legal.follow, legal.overtrump, legal.ruff)]
    )
    strengths = np.array(
        [strength(trump, led, card) for trump in range(5) for led in range(5) for card in range(CARDS)], np.int64
    )
    points = np.array([POINTS[card % 6] for card in range(CARDS)], np.int64)
    points12 = card_points(np.arange(4096, dtype=np.uint64)).astype(np.int64)
    cards = [*range(CARDS), *declare_cards(rules)]
    declare = np.full(CARDS, -1, np.int64)
    declare[cards[CARDS:]] = np.arange(CARDS, len(cards))
    options = np.array(
        [
            rules.active,
            rules.play_must_trump,
            rules.play_must_overtrump,
            rules.play_must_beat,
            rules.play_foreign_trump_lead == "forbidden",
            rules.marriage_needs_trick,
            rules.marriage_on_lead_only,
            rules.marriage_optional,
            rules.marriage_trump_from == "next_trick",
            rules.ace_marriage,
            rules.ace_marriage_needs_trick,
            rules.ace_marriage_sets_trump,
            *rules.marriage_values,
            rules.ace_marriage_value,
        ],
        np.int64,
    )
    return SolverTables(options, (masks, strengths, points, points12, declare, np.array(cards, np.int64)))


class Solver:
    """Solves positions of one set of rules. It keeps its work space, so one solver serves one thread.

    Positions are int64 [n, position.WIDTH] (`position.FIELDS`; `position.of_games`, `position.at_the_start`).
    """

    def __init__(self, rules: ThousandRules, slots: int = TABLE_SLOTS) -> None:
        """Args: slots: of the table of positions, a power of two.

        Raises: kernels.MissingExtraError without numba, BidtrickError for other numbers of slots.
        """
        if slots < 2 or slots & (slots - 1):
            raise BidtrickError(f"slots={slots} is not allowed; allowed: a power of two from 2 on")
        self._kernel = _kernel()
        self.rules, self._tables = rules, solver_tables(rules)
        self.actions = action_space(rules).card_actions
        k = self._kernel
        self._work = (
            np.zeros((k.DEPTH, k.FRAME), np.int64),
            np.zeros((k.DEPTH, k.MOVES), np.int64),
            np.zeros((k.DEPTH, k.MOVES), np.int64),
            np.full((slots, 2), -1, np.int64),
        )
        self._deal = 0
        #: positions looked at so far, by all calls
        self.visited = 0

    def clear(self) -> None:
        """Forget all positions: what is asked next takes as many nodes as if it were asked first."""
        self._work[3][...] = -1
        self._deal = 0

    def values(
        self,
        positions: I64,
        objective: Objective,
        guess: int | I64 = 60,
        within: int = 0,
        budget: int = BUDGET,
    ) -> Values:
        """The exact value of each position.

        Args:
            positions: int64 [n, WIDTH]. guess: where to look first (it costs time only); the bounds tell on which side
                of it the value lies. within: how far apart the bounds may be.
            budget: positions that may be looked at for each value.
        """
        arguments = self._arguments(positions, objective, guess, budget)
        out = np.zeros((len(positions), 3), np.int64)
        self._kernel.values(*arguments[:2], within, self._work, *arguments[2:], out)
        self.visited += int(out[:, 2].sum())
        return Values(out[:, 0], out[:, 1], out[:, 2])

    def at_least(
        self, positions: I64, objective: Objective, target: int | I64, budget: int = BUDGET
    ) -> npt.NDArray[np.int8]:
        """Whether the maximising side reaches a target: 1 yes, 0 no, -1 unknown within the budget. int8 [n]."""
        found = self.values(positions, objective, target, -1, budget)
        return _answer(found, np.asarray(target))

    def action_values(
        self,
        positions: I64,
        objective: Objective,
        guess: int | I64 = 60,
        within: int = 0,
        budget: int = BUDGET,
        wanted: npt.NDArray[np.bool_] | None = None,
    ) -> Values:
        """The exact value of each legal action, int64 [n, actions]; actions are the game's, silent cards first.

        Those that are not legal, or not among those that are wanted (bool [actions]; None: all are), have low > high
        (1 and 0). The budget holds for each action.
        """
        arguments = self._arguments(positions, objective, guess, budget)
        out = np.zeros((len(positions), self.actions, 3), np.int64)
        out[:, :, 0] = 1
        if wanted is not None:
            out[:, ~wanted, 2] = -1
        self._kernel.action_values(*arguments[:2], within, self._work, *arguments[2:], out)
        nodes = np.maximum(out[:, :, 2], 0)
        self.visited += int(nodes.sum())
        return Values(out[:, :, 0], out[:, :, 1], nodes)

    def actions_at_least(
        self,
        positions: I64,
        objective: Objective,
        target: int | I64,
        budget: int = BUDGET,
        wanted: npt.NDArray[np.bool_] | None = None,
    ) -> npt.NDArray[np.int8]:
        """Whether each action reaches a target: 1, 0, -1 unknown, -2 not legal or not wanted. int8 [n, actions]."""
        found = self.action_values(positions, objective, target, -1, budget, wanted)
        answer = _answer(found, np.broadcast_to(np.asarray(target), (len(positions),))[:, None])
        answer[found.low > found.high] = -2
        return answer

    def _arguments(self, positions: I64, objective: Objective, goals: int | I64, budget: int) -> tuple[Any, ...]:
        active = self.rules.active
        if positions.ndim != 2 or positions.shape[1] != WIDTH or positions.dtype != np.int64:
            raise BidtrickError(f"positions must be int64 [n, {WIDTH}], got {positions.dtype}{list(positions.shape)}")
        maximisers = objective.maximisers
        if any(not 0 <= place < active for place in maximisers):
            raise BidtrickError(f"maximisers={maximisers} are not allowed; allowed: places from 0 to {active - 1}")
        if any(abs(weight) > 4 for weight in objective.weights):
            raise BidtrickError(f"weights={objective.weights} are not allowed; allowed: numbers from -4 to 4")
        if budget < 1:
            raise BidtrickError(f"budget={budget} is not allowed; allowed: 1 or more")
        if self._deal + len(positions) >= _DEALS:
            self.clear()
        deal = self._deal
        self._deal += len(positions)
        goal: I64 = np.ascontiguousarray(np.broadcast_to(np.asarray(goals, np.int64), (len(positions),)))
        sides = sum(1 << place for place in set(maximisers))
        weights = np.array(objective.weights, np.int64)
        return (
            np.ascontiguousarray(positions),
            goal,
            deal,
            (sides, weights, self._tables.options, *self._tables.arrays),
            budget,
        )


def _answer(found: Values, target: I64) -> npt.NDArray[np.int8]:
    return np.where(found.low >= target, 1, np.where(found.high < target, 0, -1)).astype(np.int8)


def _kernel() -> Any:
    from . import kernel

    return kernel
