"""Hands of Pitch from the end of the auction on, with open cards: the best that a bidder can do.

The engine plays what comes before the first card. What the bidder decides alone is searched: the trump, the call
(five-handed), keeping leftovers or passing them on, one by one where the rules have it so (he sees what comes). Nobody
throws trumps away of his own will. Who must burn burns the lowest of the cheapest trumps that he may, which is the
usual choice and nearly always a best one, but is not searched. Then the card play is solved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....envs.core.bits import I64
from ....envs.pitch.game import Pitch
from ....envs.pitch.play import points_by_side
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.state import KITTY_TO
from ....envs.pitch.tables import BURN, CALL, CARDS, COLUMNS, DISCARD, KITTY, PLAY, TRUMP, tables, trumps_by_strength
from .payoff import Points
from .positions import positions_of
from .solver import PitchSolver

#: Phases in which the bidder chooses, and everything is tried.
_SEARCHED = (TRUMP, CALL, KITTY)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """How hands end, one row each, with best play of both sides.

    Attributes:
        root: int64 [n], the game that the row began with.
        low, high: int64 [n], bounds of the points of the bidding side, with those that it has already.
        total: int64 [n], the points of both sides together; burned ones are lost.
        nodes: positions visited for all of them.
        partner, trump, called, kept: int64 [n]; -1 for no partner, 54 for no called card, leftovers the bidder kept.
    """

    root: I64
    low: I64
    high: I64
    total: I64
    nodes: int
    partner: I64
    trump: I64
    called: I64
    kept: I64

    def best(self, roots: int) -> I64:
        """For each root the row that is best for the bidder: the most points for sure, the first of equals."""
        order = np.lexsort((np.arange(len(self.root)), -self.low, self.root))
        return order[np.searchsorted(self.root[order], np.arange(roots))]


class Finish:
    """Ends hands of one set of rules; it keeps a solver, so one object serves one thread."""

    def __init__(self, rules: PitchRules) -> None:
        self.rules, self._tables = rules, tables(rules)
        self._solver, self._points = PitchSolver(rules), Points(rules)
        worth = (self._tables.won + self._tables.own).reshape(5, COLUMNS)
        orders = [trumps_by_strength(rules, trump)[::-1] for trump in range(4)]
        #: Trumps in the order in which one burns them: cheapest first, of equal ones the lowest.
        self._burns = [sorted(order, key=lambda card: int(worth[t, card])) for t, order in enumerate(orders)]

    def clear(self) -> None:
        """Forget all positions (`PitchSolver.clear`)."""
        self._solver.clear()

    def __call__(self, games: Pitch, nodes: int) -> Outcomes:
        """All that the bidders can do, a row for each way; games that are past the auction, in the same hand.

        Args:
            games: they stay as they are. nodes: positions that may be visited for each game.
        """
        rules = self.rules
        count, root = games.num_games, np.arange(games.num_games)
        games = games.clone()
        number, scored = games.state.hand_id.copy(), games.state.hand_number.copy()
        while True:
            going = (games.state.player >= 0) & (games.state.hand_id == number)
            searched = going & np.isin(games.phase, _SEARCHED)
            if searched.any():
                rows, actions = np.nonzero(games.legal_actions() & searched[:, None])
                still = np.flatnonzero(~searched)
                order = np.argsort(np.concatenate([still, rows]), kind="stable")
                actions = np.concatenate([np.full(len(still), -1), actions])[order]
                chosen = np.concatenate([still, rows])[order]
                games, root = games.select(chosen), root[chosen]
                number, scored = number[chosen], scored[chosen]
                games.step(actions, validate=False)
                continue
            forced = going & np.isin(games.phase, (BURN, DISCARD))
            if not forced.any():
                break
            games.step(self._forced(games, forced), validate=False)
        s, facts = games.state, games.report()
        low, high, total, kept = (np.zeros(len(root), np.int64) for _ in range(4))
        partner, trump, called = (np.full(len(root), value, np.int64) for value in (-1, -1, CARDS))
        over = np.flatnonzero(s.hand_number > scored)  # a hand that is void instead is worth nothing to anybody
        low[over] = high[over] = facts["took"][over]
        total[over] = facts["took"][over] + facts["against"][over]
        for name, array in (("trump", trump), ("partner", partner), ("called", called)):
            array[over] = facts[name][over]
        used = 0
        playing = np.flatnonzero((s.player >= 0) & (s.hand_id == number) & (games.phase == PLAY))
        if len(playing):
            part = s.select(playing)
            bidder, helper = part.bidder.astype(np.int64), part.partner.astype(np.int64)
            side = (1 << bidder) | np.where(helper >= 0, 1 << np.maximum(helper, 0), 0)
            positions = positions_of(part, rules)
            bounds = self._solver.value(positions, side, max(nodes, 1) * count)
            took, against = points_by_side(self._tables, s, playing)
            low[playing], high[playing] = took + bounds.low, took + bounds.high
            total[playing] = took + against + self._points.in_positions(positions)
            partner[playing], trump[playing], called[playing] = helper, positions.trump, part.called
            kept[playing] = part.sheet[np.arange(len(playing)), KITTY_TO, bidder]
            used = bounds.nodes
        return Outcomes(root, low, high, total, used, partner, trump, called, kept)

    def _forced(self, games: Pitch, rows: npt.NDArray[np.bool_]) -> I64:
        """What is done in the discard and the burn without a search. int64 [N], -1 for the other games."""
        actions = np.full(games.num_games, -1, np.int64)
        mask = games.legal_actions()
        for row in np.flatnonzero(rows).tolist():
            if games.phase[row] == DISCARD:
                actions[row] = self._tables.actions.done
            else:
                trump = int(games.state.trump[row])
                actions[row] = next(card for card in self._burns[trump] if mask[row, card])
        return actions
