"""Decisions of Schieber with open cards: contracts by whole deals, cards by what the rest of the hand brings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ....envs.core.bits import U64
from ....envs.core.game import BatchedGame
from ....envs.core.spec import GameSpec
from ....envs.schieber.rules import SchieberRules
from ....envs.schieber.tables import FIRST_CONTRACT, PUSH
from ..judge import NODES, Judged
from .deals import CONTRACTS, stock_difference, weis_difference
from .game import Search
from .solver import Position, Solver

_POINTS = "difference of points, multiplied"


class Judge:
    """A `judge.DecisionJudge`.

    A contract is worth what the hand then makes for forehand's side, a push what the partner's best contract makes. A
    card is worth what the rest of the hand makes. Where the nodes do not do (most trump contracts, and most cards of
    the first tricks under them), the search goes as deep as they last and the rest is played out (`Solver.estimate`).
    """

    units: Mapping[str, str] = {"contract": _POINTS, "play": _POINTS}

    def __init__(self, spec: GameSpec) -> None:
        self._search, self.rules = Search(spec), cast(SchieberRules, spec.rules)
        self._solver = Solver(self.rules)

    def __call__(self, games: BatchedGame[Any], nodes: int = NODES) -> Judged:
        """See `judge.DecisionJudge`."""
        self._solver.clear()
        mask = games.legal_actions()[0]
        values = np.full(len(mask), np.nan)
        if games.spec.phases[int(games.phase[0])] == "contract":
            exact = self._contracts(games, mask, values, nodes)
        else:
            exact = self._cards(games, values, nodes)
        return Judged(values, exact)

    def _contracts(self, games: BatchedGame[Any], mask: Any, values: Any, nodes: int) -> bool:
        hands: U64 = games.state.hands[0]
        forehand = int(games.state.forehand[0])
        side = 1 if forehand % 2 == 0 else -1
        weis, stock = weis_difference(hands, forehand, self.rules), stock_difference(hands, self.rules)
        first, second, third, fourth = hands.tolist()
        exact, totals = True, list[int]()
        for contract in range(CONTRACTS):
            position = Position((first, second, third, fourth), contract, forehand)
            found = self._solver.value(position, nodes)
            value = found.low
            if not found.exact:
                exact = False
                guess = self._solver.estimate_value(position, nodes).low
                value = min(max(guess, found.low), found.high)
            totals.append((value + weis[contract] + stock[contract]) * side * self.rules.multipliers[contract])
            if mask[FIRST_CONTRACT + contract]:
                values[FIRST_CONTRACT + contract] = totals[-1]
        if mask[PUSH]:
            values[PUSH] = max(totals)
        return exact

    def _cards(self, games: BatchedGame[Any], values: Any, nodes: int) -> bool:
        seat = games.current_player.astype(np.int64)
        obs = games.observe()[0]
        hands = np.roll(games.state.hands[0], -int(seat[0])).tolist()
        contract = int(games.state.contract[0])
        position = self._search.position(obs, contract, hands)
        left = hands[0].bit_count()
        found = self._solver.estimate(position, nodes * left)
        for card, value in found.values.items():
            values[card] = value * self.rules.multipliers[contract]
        return found.exact
