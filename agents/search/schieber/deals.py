"""A whole deal of Schieber with open cards: what each contract is worth with each forehand, and the par result.

The leader of the first trick is forehand, whoever of his side chose the contract (J-CON-04), so contract and forehand
say all: the "declarer" of a value is forehand. The par result is what forehand's side makes with its best contract,
since it is free to choose any: by the forehand himself, or by his partner after a push.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ....envs.core.bits import BIT, I64, U64
from ....envs.core.game import BatchedGame
from ....envs.core.spec import GameSpec
from ....envs.schieber.rules import SchieberRules
from ....envs.schieber.tables import FIRST_CONTRACT, tables
from ....envs.schieber.weis import facts, winners
from ..deals import NODES, DealValues, Par
from .solver import Position, Solver

CONTRACTS, SEATS = 6, 4


class Deals:
    """A `deals.DealSolver`: six contracts × four forehands.

    A value is the difference of points that the hand makes for forehand's side: card play, last trick, match, Weis
    and Stöck, times the contract's multiplier. Without `every` it is asked for the forehand of this dealer only.
    """

    meaning = "points that forehand's side makes more than the other, all multiplied"
    par_meaning = "the best contract for the side of the forehand, who may choose any or leave it to his partner"
    parts: Mapping[str, str] = {
        "play_low": "least difference of the card play (last trick and match with it), before the multiplier",
        "play_high": "greatest difference of the card play, the same where it is known",
        "weis": "difference that the Weis make as the cards lie, before the multiplier",
        "stock": "difference that the Stöck makes, before the multiplier",
        "factor": "the contract's multiplier",
    }

    def __init__(self, spec: GameSpec, table_bits: int = 20) -> None:
        self.rules = cast(SchieberRules, spec.rules)
        self.contracts = tuple(spec.actions[FIRST_CONTRACT : FIRST_CONTRACT + CONTRACTS])
        self._solver = Solver(self.rules, table_bits)

    def dealer(self, games: BatchedGame[Any]) -> I64:
        """Who has dealt: forehand sits at his right (J-DEAL-02). int64 [N]."""
        return (games.state.forehand.astype(np.int64) - 1) % SEATS

    def solve(self, deck: I64, dealer: int, nodes: int = NODES, every: bool = False) -> DealValues:
        """See `deals.DealSolver.solve`. int64 [36], nine cards a seat."""
        hands: U64 = np.bitwise_or.reduce(BIT[deck.reshape(SEATS, -1)], axis=1)
        self._solver.clear()
        shape = (CONTRACTS, SEATS)
        low, high, used = (np.zeros(shape, np.int64) for _ in range(3))
        asked = np.zeros(shape, np.bool_)
        parts = {name: np.zeros(shape, np.int64) for name in self.parts}
        first, second, third, fourth = hands.tolist()
        stock = stock_difference(hands, self.rules)
        for forehand in range(SEATS) if every else [(dealer + 1) % SEATS]:
            side = 1 if forehand % 2 == 0 else -1
            weis = weis_difference(hands, forehand, self.rules)
            for contract in range(CONTRACTS):
                found = self._solver.value(Position((first, second, third, fourth), contract, forehand), nodes)
                least, most = sorted((side * found.low, side * found.high))
                here, factor = (contract, forehand), self.rules.multipliers[contract]
                rest = side * (weis[contract] + stock[contract])
                low[here], high[here] = (least + rest) * factor, (most + rest) * factor
                used[here], asked[here] = found.nodes, True
                shown = (least, most, side * weis[contract], side * stock[contract], factor)
                for name, value in zip(self.parts, shown, strict=True):
                    parts[name][here] = value
        return DealValues(low, high, used, asked, parts)

    def par(self, values: DealValues, dealer: int) -> Par:
        """Bounds of the best that the side of this dealer's forehand can make."""
        forehand = (dealer + 1) % SEATS
        low, high = values.low[:, forehand], values.high[:, forehand]
        best = int(low.argmax())
        sure = low[best] >= np.delete(high, best).max()
        return Par(int(low.max()), int(high.max()), forehand, forehand, best if sure else -1)

    def part_text(self, part: str, value: int) -> str:
        return f"× {value}" if part == "factor" else f"{value:+d}"


def weis_difference(hands: U64, forehand: int, rules: SchieberRules) -> list[int]:
    """What the Weis bring seats 0 and 2 under each contract, before the multiplier (J-WEIS-04). uint64 [4] → six."""
    if not rules.weis:
        return [0] * CONTRACTS
    tens, keys, _ = facts(hands, rules)
    sums = 10 * tens.astype(np.int64).reshape(2, 2).sum(axis=0)
    word = int(winners(keys.reshape(2, 1, 4))[0])
    won = [word >> 2 * (4 * contract + forehand) & 3 for contract in range(CONTRACTS)]
    return [int((0, sums[0], -sums[1])[side]) for side in won]


def stock_difference(hands: U64, rules: SchieberRules) -> list[int]:
    """What the Stöck brings seats 0 and 2 under each contract, before the multiplier (J-STK-01). uint64 [4] → six."""
    if not rules.stock:
        return [0] * CONTRACTS
    pairs = tables(rules).pair[FIRST_CONTRACT : FIRST_CONTRACT + CONTRACTS].tolist()
    held = [[pair and hand & pair == pair for hand in hands.tolist()] for pair in pairs]
    return [20 * bool(h[0] or h[2]) - 20 * bool(h[1] or h[3]) for h in held]
