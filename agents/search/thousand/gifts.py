"""The cards that the declarer of Thousand gives away, searched with open cards: every way to give them.

The heuristic agent's order is only where to look first. The first way is solved to the point; of every other it is
asked whether it makes one point more than the best so far, and only those that do are solved in turn.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np

from ....envs.core.bits import I64, indices_of
from ....envs.thousand.rules import ThousandRules
from ....envs.thousand.tables import CARDS, card_points
from ...heuristic.thousand_hand import AFTER_GIVING, HandEstimate, holdings
from ...heuristic.thousand_passing import give_costs
from . import position
from .solver import Solver, total_of


class Given(NamedTuple):
    """The best way to give: bounds of the declarer's total, the cards in order of giving, positions visited."""

    low: int
    high: int
    cards: tuple[int, ...]
    nodes: int


class Giving:
    """Searches gifts for one set of rules; it keeps a solver, so one object serves one thread."""

    def __init__(self, rules: ThousandRules) -> None:
        self.rules = rules
        self._solver = Solver(rules)
        self._estimate = HandEstimate(rules)

    def clear(self) -> None:
        """Forget all positions (`Solver.clear`)."""
        self._solver.clear()

    def best(self, hands: list[int], declarer: int, bank: int, given: int, nodes: int) -> Given:
        """The best total of a declarer who is to give cards away, against all others, who see everything too.

        Args:
            hands: cards of each place as bits; the declarer has taken the talon.
            declarer: his place; he leads. bank: cards that the last trick brings besides.
            given: how many cards he has given already. The next goes to the next place, after all places to the bank.
            nodes: positions that may be visited, for all ways together.
        """
        held = indices_of(hands[declarer])
        left = self.rules.gives - given
        ways = sorted(permutations(held, left), key=lambda way: (-self._worth(hands[declarer], way), way))
        rows = self._rows(hands, declarer, bank, given, ways)
        objective = total_of(declarer)
        first = self._solver.values(rows[:1], objective, 100, 0, nodes)
        low, high, best = int(first.low[0]), int(first.high[0]), ways[0]
        used, unsure = int(first.nodes[0]), low
        waiting: I64 = np.arange(1, len(ways))
        while len(waiting):
            share = max((nodes - used) // len(waiting), 1)
            found = self._solver.values(rows[waiting], objective, low + 1, -1, share)
            used += int(found.nodes.sum())
            better = found.low > low
            if not better.any():
                # those that took more than their share get a larger one, of what the others have left
                waiting = waiting[found.high > low]
                unsure = int(found.high[found.high > low].max(initial=low))
                if used >= nodes:
                    break
                continue
            pick = int(better.argmax())
            value = self._solver.values(rows[waiting[[pick]]], objective, low + 1, 0, max(nodes - used, 1))
            used += int(value.nodes[0])
            # both answers hold, though the second may have come to less within what was left
            low = max(int(value.low[0]), int(found.low[pick]))
            high, best = int(min(value.high[0], found.high[pick])), ways[waiting[pick]]
            rest = found.high > low
            rest[pick] = False
            waiting = waiting[rest]
            unsure = int(found.high[rest].max(initial=high))
            if used >= nodes:
                break
        return Given(low, max(low, high, unsure), best, used)

    def _worth(self, hand: int, way: tuple[int, ...]) -> float:
        """What the heuristic agent thinks of the hand without these cards, and of what they bring to others."""
        if not way:
            return 0.0
        plane = np.array([[hand >> card & 1 for card in range(CARDS)]], np.uint8)
        costs = give_costs(plane, self._estimate)[0, list(way)].sum()
        plane[0, list(way)] = 0
        return float(self._estimate.points(holdings(plane), AFTER_GIVING)[0] + costs)

    def _rows(self, hands: list[int], declarer: int, bank: int, given: int, ways: list[tuple[int, ...]]) -> I64:
        """Positions after each way of giving. int64 [ways, position.WIDTH]."""
        active = self.rules.active
        after = np.tile(np.array(hands, np.int64), (len(ways), 1))
        banks = np.full(len(ways), bank, np.uint64)
        for row, way in enumerate(ways):
            for number, card in enumerate(way, start=given):
                after[row, declarer] &= ~(1 << card)
                if number + 1 < active:
                    after[row, (declarer + 1 + number) % active] |= 1 << card
                else:
                    banks[row] |= np.uint64(1 << card)
        return position.at_the_start(after, declarer, card_points(banks))
