"""A whole deal of Schieber with open cards: what each contract is worth with each forehand, and the par result.

The leader of the first trick is forehand, whoever of his side chose the contract (J-CON-04), so contract and forehand
say all. The par result is what forehand's side makes with its best contract, since it is free to choose any: by the
forehand himself, or by his partner after a push.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....envs.core.bits import U64
from ....envs.schieber.rules import SchieberRules
from ....envs.schieber.tables import FIRST_CONTRACT, tables
from ....envs.schieber.weis import facts, winners
from .solver import Position, Solver

CONTRACTS = 6


class ContractValue(NamedTuple):
    """What a contract is worth, as a difference of points for forehand's side.

    `low` and `high`: of the card play before the multiplier, equal if it was solved. `weis`, `stock`: what the cards
    bring as they lie. `multiplier`: on all of them. `nodes`: positions visited.
    """

    contract: int
    forehand: int
    low: int
    high: int
    weis: int
    stock: int
    multiplier: int
    nodes: int

    @property
    def total(self) -> tuple[int, int]:
        """Bounds of everything, multiplied."""
        rest = self.weis + self.stock
        return (self.low + rest) * self.multiplier, (self.high + rest) * self.multiplier


def contract_values(solver: Solver, hands: U64, forehand: int, nodes: int) -> list[ContractValue]:
    """The six contracts of a deal. hands: uint64 [4]; nodes: positions that may be visited for each contract."""
    rules, side = solver.rules, 1 if forehand % 2 == 0 else -1
    weis, stock = weis_difference(hands, forehand, rules), stock_difference(hands, rules)
    values: list[ContractValue] = []
    for contract in range(CONTRACTS):
        first, second, third, fourth = hands.tolist()
        found = solver.value(Position((first, second, third, fourth), contract, forehand), nodes)
        low, high = sorted((side * found.low, side * found.high))
        values.append(
            ContractValue(
                contract, forehand, low, high, side * weis[contract], side * stock[contract],
                rules.multipliers[contract], found.nodes,
            )
        )  # fmt: skip
    return values


def par(values: list[ContractValue]) -> tuple[int, int]:
    """Bounds of the best that forehand's side can make."""
    return max(value.total[0] for value in values), max(value.total[1] for value in values)


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
