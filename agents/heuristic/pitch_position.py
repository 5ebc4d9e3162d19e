"""What a Pitch observation means for bidding and card play.

Trumps are looked at in *trump order*: place 0 is the weakest trump of the rules, the last place the strongest. Which
cards these are depends on the trump suit; what they are worth does not. So every suit looks the same, and a point
version, dirty or reverse Pitch are other vectors of points and strengths, nothing else.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...envs.core.layout import ObsLayout
from ...envs.pitch.rules import PitchRules
from ...envs.pitch.tables import MAX_TRUMPS, SUITS, Actions, actions, tables, trumps_by_strength
from ..base import U8

#: float32 in fact; the stubs of NumPy widen many results.
Floats = npt.NDArray[np.floating[Any]]
I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

#: The number of trumps that somebody who may still hold some is thought to hold at least.
LEAST = np.float32(0.1)


class TrumpOrder:
    """The trumps of one set of rules in trump order.

    Attributes:
        cards: int64 [4, K], the card at each place under each trump suit.
        strength: int64 [K], equal for jokers of which the first played is high.
        won, own: float32 [K], points that go with the trick, points of whoever plays the card.
        higher: float32 [K, K], 1 where the second trump beats the first.
        total: points of a hand. actions: numbers of the actions.
    """

    def __init__(self, rules: PitchRules) -> None:
        t = tables(rules)
        self.rules = rules
        self.cards: I64 = np.array([trumps_by_strength(rules, suit)[::-1] for suit in range(len(SUITS))], np.int64)
        self.size = self.cards.shape[1]
        self.strength: I64 = t.strength.take(self.cards[0]).astype(np.int64)
        self.won: Floats = t.won.take(self.cards[0]).astype(np.float32)
        self.own: Floats = t.own.take(self.cards[0]).astype(np.float32)
        self.points: Floats = self.won + self.own
        self.higher: Floats = (self.strength[:, None] < self.strength).astype(np.float32)
        self.total = rules.total
        self.players = rules.players
        self.actions: Actions = actions(rules.total, rules.five)


@lru_cache(maxsize=64)
def trump_order(rules: PitchRules) -> TrumpOrder:
    return TrumpOrder(rules)


class View:
    """Observations by name. `segment` gives uint8 [n, ...], `number` float32 [n]."""

    def __init__(self, obs: U8, layout: ObsLayout) -> None:
        self._obs, self._layout = obs, layout

    def __len__(self) -> int:
        return len(self._obs)

    def segment(self, name: str) -> U8:
        return cast(U8, self._layout.view(self._obs, name))

    def floats(self, name: str) -> Floats:
        return self.segment(name).astype(np.float32)

    def number(self, name: str) -> Floats:
        return self.segment(name)[:, 0].astype(np.float32)


class Position:
    """The facts of n decisions after trump is known. Float arrays are float32; seats are relative, own seat first.

    Attributes:
        order: int64 [n, K], the card at each place.
        mine, unseen: [n, K], 1 for trumps held, for trumps whose place one does not know.
        ours: [n, P], the probability that a seat is on one's own side (its own entry is 1).
        share: [n, P], the probability that an unseen trump lies with a seat.
        held: [n, P], trumps that a seat is thought to hold.
        top: int64 [n], strength of the trump that wins so far, 0 before the lead; top_ours: [n], that it is ours.
        later: bool [n, P], seats that play to this trick after oneself.
        bidding: [n], the probability that one's own side has bid.
        need: [n], points that the bidding side still needs. open: [n], 1 while its bid is neither made nor lost.
    """

    def __init__(self, obs: U8, layout: ObsLayout, t: TrumpOrder) -> None:
        self.t, self.view = t, View(obs, layout)
        n, players = len(obs), t.players
        self.trump = self.view.segment("trump").argmax(axis=1)
        self.order = t.cards.take(self.trump, axis=0)
        self.mine = self.ordered("hand")
        self.unseen = self.ordered("unseen")
        self._locate()
        self._sides()
        table = self.view.segment("table")
        cards = np.take_along_axis(table, self.order[:, None], axis=2)
        strengths = (cards * t.strength).max(axis=2)
        self.top = strengths.max(axis=1).astype(np.int64)
        winner = self.view.segment("winning").argmax(axis=1)
        self.top_ours = np.where(self.top > 0, self.ours[np.arange(n), winner], 0).astype(np.float32)
        leader = self.view.segment("leader").argmax(axis=1)
        until = np.where(leader == 0, players, leader)[:, None]
        seats = np.arange(players)
        self.later = (seats > 0) & (seats < until) & (self.share > 0)
        self.trick_points = self.view.number("trick_points")
        self.left = self.mine.sum(axis=1)
        self._contract()

    def ordered(self, name: str) -> Floats:
        """A plane of cards in trump order. [n, 54] → float32 [n, K]."""
        return np.take_along_axis(self.view.segment(name), self.order, axis=1).astype(np.float32)

    def _locate(self) -> None:
        """Expected trumps of the other seats: from the cards they asked for, drew and received, played and burned."""
        v, t = self.view, self.t
        asked, burned = v.floats("asked"), v.floats("burned_count")
        extra = v.floats("drew") + v.floats("received")
        out = v.segment("out")
        deck = tables(t.rules)
        usual = np.float32(deck.hand_size * t.size / len(deck.deck))
        dealt = np.where(asked > 0, MAX_TRUMPS + 1 - asked, usual)  # P-INFO-02
        rest = np.clip(t.size - dealt.sum(axis=1), 0.5, None)
        density = np.minimum(rest / max(1, deck.stock_size), 1)[:, None]
        kept = np.minimum(dealt + density * extra, MAX_TRUMPS)
        kept = np.where(burned > 0, MAX_TRUMPS, kept)
        played = v.segment("played").sum(axis=2)
        held = np.maximum(kept - played, LEAST) * ((out == 0) & (played < MAX_TRUMPS))
        held[:, 0] = 0
        total = held.sum(axis=1, keepdims=True)
        self.share = (held / np.maximum(total, LEAST)).astype(np.float32)
        self.held = (self.share * self.unseen.sum(axis=1)[:, None]).astype(np.float32)

    def _sides(self) -> None:
        """Who plays with whom; five-handed the partner may be hidden (P-5H-04): whoever may hold the called card."""
        v, players = self.view, self.t.players
        bidder = v.segment("bidder") == 1
        if players == 4:
            self.ours = np.broadcast_to(np.array([1, 0, 1, 0], np.float32), (len(v), 4))
            self.bidding = (bidder[:, 0] | bidder[:, 2]).astype(np.float32)
            return
        known = v.number("partner_known")[:, None]
        may = self.share * ~bidder
        may[:, 0] = 0  # a holder knows that he is the partner
        guess = may / np.maximum(may.sum(axis=1, keepdims=True), LEAST)
        helps = np.where(known > 0, v.floats("partner"), guess)
        with_bidder = np.where(bidder, 1, helps).astype(np.float32)
        mine = with_bidder[:, :1]
        self.ours = mine * with_bidder + (1 - mine) * (1 - with_bidder)
        self.bidding = mine[:, 0]

    def _contract(self) -> None:
        v, t = self.view, self.t
        bid = v.number("bid")
        points = v.floats("points")
        side = (points * self.ours).sum(axis=1)
        others = points.sum(axis=1) - side
        taken = np.where(self.bidding > 0.5, side, others)
        against = np.where(self.bidding > 0.5, others, side)
        burned = (np.take_along_axis(v.segment("burned").max(axis=1), self.order, axis=1) * t.points).sum(axis=1)
        self.bid = np.minimum(bid, t.total)
        self.moon = (bid > t.total).astype(np.float32)
        self.need = np.maximum(self.bid - taken, 0).astype(np.float32)
        reach = t.total - burned - against
        self.open = ((self.need > 0) & (reach >= self.bid)).astype(np.float32)
