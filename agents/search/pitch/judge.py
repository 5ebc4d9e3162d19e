"""Decisions of Pitch with open cards: bids by the rest of the auction, everything after it by what the side takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ....envs.core.bits import I64, indices_of
from ....envs.core.game import BatchedGame
from ....envs.core.spec import GameSpec
from ....envs.pitch.game import Pitch
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.state import DEALT
from ....envs.pitch.tables import BID, MISDEAL, tables
from ..deals import DealValues
from ..judge import NODES, Judged
from .bidding import Auction
from .deals import Deals
from .finish import Finish

_TAKEN = "card points of the own side"


class Judge:
    """A `judge.DecisionJudge`.

    A bid is worth what the hand pays the seat, at the scores of the match, when everybody bids on as is best for him
    with open cards and the bidder makes the best of it (`bidding`). Everything later is worth the points that the own
    side takes with best play of all; burns and cards thrown away that come after it are those of `finish`. Whether to
    call a misdeal is not judged.
    """

    units: Mapping[str, str] = {
        "bid": "points written, less the others'",
        **dict.fromkeys(("trump", "call", "discard", "kitty", "burn", "play"), _TAKEN),
    }

    def __init__(self, spec: GameSpec) -> None:
        self.rules = cast(PitchRules, spec.rules)
        self._finish, self._deals = Finish(self.rules), Deals(spec)
        self._last: tuple[bytes, int, DealValues] | None = None

    def __call__(self, games: BatchedGame[Any], nodes: int = NODES) -> Judged | None:
        """See `judge.DecisionJudge`."""
        assert isinstance(games, Pitch)
        phase = int(games.phase[0])
        if phase == MISDEAL:
            return None
        return self._bids(games, nodes) if phase == BID else self._later(games, nodes)

    def _bids(self, games: Pitch, nodes: int) -> Judged:
        s, a = games.state, tables(self.rules).actions
        deal, dealer = deck_of(games), int(s.dealer[0])
        if self._last is None or self._last[:2] != (deal.tobytes(), nodes):
            self._last = deal.tobytes(), nodes, self._deals.solve(deal, dealer, nodes)
        values = self._last[2]
        scores = s.scores[0].astype(np.int64)
        auction: Auction = self._deals.auction(values, dealer, scores)
        seat = int(games.current_player[0])
        endings = auction.calls(seat, int(s.bid[0]), int(s.bidder[0]))
        worth = np.full(games.spec.num_actions, np.nan)
        for call, ending in endings.items():
            worth[a.first_bid + call] = ending.pays[seat]
        return Judged(worth, values.exact)

    def _later(self, games: Pitch, nodes: int) -> Judged:
        self._finish.clear()
        seat = int(games.current_player[0])
        actions = np.flatnonzero(games.legal_actions()[0])
        after = games.select(np.zeros(len(actions), np.int64))
        after.step(actions, validate=False)
        found = self._finish(after, nodes)
        rows = found.best(len(actions))
        bidder = int(games.state.bidder[0])
        own = (seat == bidder) | (found.partner[rows] == seat)
        worth = np.full(games.spec.num_actions, np.nan)
        worth[actions] = np.where(own, found.low[rows], (found.total - found.low)[rows])
        return Judged(worth, bool((found.low == found.high).all()))


def deck_of(games: Pitch) -> I64:
    """The deck of the present hand of a batch of one game: hands by seat, then the stock in order. int64 [D]."""
    s, t = games.state, tables(games.rules)
    cards = [card for hand in s.cards[0, :, DEALT].tolist() for card in indices_of(hand)]
    heads = s.heads[0, : t.stock_size + 1]
    stock = (heads[1:] ^ heads[:-1]).tolist()
    return np.array([*cards, *(card.bit_length() - 1 for card in stock)], np.int64)
