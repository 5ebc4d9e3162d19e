"""Decisions of Thousand with open cards: cards and gifts by the declarer's total, contracts by what is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ....envs.core.bits import BIT
from ....envs.core.game import BatchedGame
from ....envs.core.spec import GameSpec
from ....envs.thousand.rules import ThousandRules
from ....envs.thousand.tables import ALL_CARDS, CARDS, action_space, active_seats, round_points
from ..judge import NODES, Judged, search_values
from . import position
from .gifts import Giving
from .solver import Solver, total_of

_TOTAL = "the declarer's total"
#: Phases that are not judged: answers about new cards, the choice of a talon, a dark game.
_LEFT_OUT = ("dark", "hand redeal", "talon card", "talon", "talon redeal", "pass redeal")


class Judge:
    """A `judge.DecisionJudge`.

    A card is worth the total that the declarer then makes against all others, for a defender the same with the other
    sign. A card given away is worth the total after the best further gift. A contract is worth what is then written for
    the declarer, who makes it or not. Bids are estimates: `game.Search` reads each as the contract at that price.
    A write-off in place of a gift is not judged, nor are new cards, the choice of a talon and dark games.
    """

    units: Mapping[str, str] = {
        "auction": "own gain less the others' mean", "contract": "written for the declarer", "give": _TOTAL,
        "play": _TOTAL,
    }  # fmt: skip

    def __init__(self, spec: GameSpec) -> None:
        self.rules = cast(ThousandRules, spec.rules)
        self._space = action_space(self.rules)
        self._solver, self._giving = Solver(self.rules), Giving(self.rules)

    def __call__(self, games: BatchedGame[Any], nodes: int = NODES) -> Judged | None:
        """See `judge.DecisionJudge`."""
        phase = games.spec.phases[int(games.phase[0])]
        if phase in _LEFT_OUT:
            return None
        if phase == "auction":
            return search_values(games, nodes)
        self._solver.clear()
        self._giving.clear()
        if phase == "play":
            return self._play(games, nodes)
        return self._give(games, nodes) if phase == "give" else self._contract(games, nodes)

    def _play(self, games: BatchedGame[Any], nodes: int) -> Judged:
        rows, seats = position.of_games(games.state, self.rules)
        place = int((seats[0] == games.state.declarer[0]).argmax())
        found = self._solver.action_values(rows, total_of(place), 60, 0, nodes)
        legal = found.low[0] <= found.high[0]
        sign = 1 if games.current_player[0] == games.state.declarer[0] else -1
        values = np.full(games.spec.num_actions, np.nan)
        values[: self._solver.actions][legal] = sign * ((found.low + found.high)[0] / 2)[legal]
        return Judged(values, bool(found.exact[0][legal].all()))

    def _hands(self, games: BatchedGame[Any]) -> tuple[list[int], int, int]:
        """Cards by place, the declarer's place, and what the last trick will bring besides, of two players."""
        state, rules = games.state, self.rules
        seats = list(active_seats(rules.players, int(state.dealer[0])))
        hands = [int(state.hands[0, seat]) for seat in seats]
        bank = int(ALL_CARDS) & ~sum(hands) if rules.players == 2 else 0
        return hands, seats.index(int(state.declarer[0])), bank

    def _give(self, games: BatchedGame[Any], nodes: int) -> Judged:
        hands, declarer, bank = self._hands(games)
        given = int(games.state.gives[0])
        active = self.rules.active
        values, exact = np.full(games.spec.num_actions, np.nan), True
        for card in range(CARDS):
            bit = int(BIT[card])
            if not hands[declarer] & bit:
                continue
            after, rest = hands.copy(), bank
            after[declarer] &= ~bit
            if given + 1 < active:
                after[(declarer + 1 + given) % active] |= bit
            else:
                rest |= bit
            found = self._giving.best(after, declarer, rest, given + 1, nodes)
            values[self._space.give + card] = (found.low + found.high) / 2
            exact &= found.low == found.high
        return Judged(values, exact)

    def _contract(self, games: BatchedGame[Any], nodes: int) -> Judged:
        rules, space = self.rules, self._space
        hands, declarer, bank = self._hands(games)
        given = rules.gives if rules.contract_declare == "after_pass" else 0
        mask = games.legal_actions()[0]
        found = self._giving.best(hands, declarer, bank, given, nodes * int(mask.sum()))
        total = np.array([(found.low + found.high) // 2])
        if rules.score_declarer_rounding == "before_check":  # T-SCO-04
            total = round_points(total, rules.score_defender_round_to)
        values = np.full(len(mask), np.nan)
        for number in np.flatnonzero(mask[space.amount : space.amount + space.amounts]).tolist():
            amount = 100 + space.step * number
            made = int(total[0]) if rules.score_declarer == "actual" else amount
            values[space.amount + number] = made if total[0] >= amount else -amount
        if mask[space.write_off]:
            values[space.write_off] = 0 if rules.write_off_cost == "none" else -int(games.state.price[0])
        return Judged(values, found.low == found.high)
