"""What a Schieber observation means for the card play: where cards may lie, and what a card can win.

All arrays have one row a decision and are in *contract order*: slot 0 of the suit axis is the trump suit (an
ordinary suit without trump), and the last axis ascends in strength under the contract. So "a higher card" is
always "further right", for trumps, for Obenabe and for Undenufe alike.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...envs.core.layout import ObsLayout
from ...envs.schieber.rules import SchieberRules
from ...envs.schieber.tables import CARDS, OBENABE, TRUMP_ORDER, UNDENUFE, card_points

#: float32 in fact; the stubs of NumPy widen many results.
Floats = npt.NDArray[np.floating[Any]]
I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

#: Relative seats.
NEXT, PARTNER, PREVIOUS = 1, 2, 3
#: Places of trumps in contract order.
TRUMP_UNDER, TRUMP_NINE = 8, 7
#: How much likelier than another seat the declarer holds an unseen trump, before anything is played.
DECLARER_TRUMPS = np.float32(2.5)
#: How much less likely than another seat one that showed no trump holds the Under of trump.
LONE_UNDER = np.float32(0.3)
TINY = np.float32(1e-6)


def _orders() -> tuple[I64, I64, I64]:
    """Cards in contract order, int64 [6, 36]; the suit of each slot and the slot of each suit, int64 [6, 4]."""
    order = np.zeros((6, CARDS), np.int64)
    suit_at = np.zeros((6, 4), np.int64)
    for contract in range(6):
        suits = sorted(range(4), key=lambda suit, trump=contract: suit != trump)
        suit_at[contract] = suits
        for slot, suit in enumerate(suits):
            ranks = TRUMP_ORDER if suit == contract else range(9)
            cards = [9 * suit + rank for rank in ranks]
            order[contract, 9 * slot : 9 * slot + 9] = cards[::-1] if contract == UNDENUFE else cards
    return order, suit_at, suit_at.argsort(axis=1)


ORDER, SUIT_AT, SLOT = _orders()


def ordered_points(rules: SchieberRules) -> Floats:
    """Card points in contract order. float32 [6, 36]."""
    points = np.array([card_points(contract, rules) for contract in range(6)], np.float32)
    return np.take_along_axis(points, ORDER, axis=1)


def above(values: Floats) -> Floats:
    """Sum over the higher cards of the same suit. [n, 4, 9] → [n, 4, 9]."""
    sums = np.zeros_like(values)
    for place in range(7, -1, -1):  # much faster than a cumulative sum over so short an axis
        np.add(sums[:, :, place + 1], values[:, :, place + 1], out=sums[:, :, place])
    return sums


def by_suit_sum(values: Floats) -> Floats:
    """Sum over each suit. [n, 4, 9] → [n, 4]."""
    return np.einsum("nsc->ns", values)


class Position:
    """The facts of n card plays, read from observations.

    Attributes (float32 [n, 4, 9] unless said otherwise):
        contract: int64 [n]. order: int64 [n, 36], the card at each place of contract order.
        trump: [n], 1 if there is a trump suit.
        mine, unseen: 1 for cards held, for cards in other hands. points: card points.
        length: [n, 4], cards held of each suit.
        placed: [n], cards on the table. tricks_left: [n], tricks to be played, this one included.
        table_points: [n], worth of the trick so far, the last trick's 5 included.
        where: by relative seat (its own entry is empty), the probability that it holds a card.
        none_above: by relative seat, the probability that it holds no higher card of the suit.
        void: by relative seat, [n, 4], the probability that it is out of a suit.
        armed: by relative seat, [n], the probability that it holds a trump.
    """

    def __init__(self, obs: U8, layout: ObsLayout, points: Floats, rules: SchieberRules) -> None:
        self.rules = rules
        self._obs, self._layout = np.ascontiguousarray(obs), layout
        self._rows = np.arange(len(obs))[:, None]
        self.contract = self.segment("contract").argmax(axis=1)
        self.order = ORDER.take(self.contract, axis=0)
        self._suits = SUIT_AT.take(self.contract, axis=0)
        self.trump = (self.contract < OBENABE).astype(np.float32)
        self.points = points.take(self.contract, axis=0).reshape(-1, 4, 9)
        self.mine = self.ordered(self.segment("hand"))
        self.length = by_suit_sum(self.mine)
        self.placed = self.number("cards_on_table")
        self.tricks_left = 9 - self.number("trick_number")
        self.table_points = self.number("trick_points") + np.float32(5) * (self.tricks_left == 1)
        self._locate()

    def segment(self, name: str) -> U8:
        """A segment of the observations. uint8 [n, ...]."""
        return cast(U8, self._layout.view(self._obs, name))

    def number(self, name: str) -> Floats:
        """A segment of one byte. float32 [n]."""
        return self.segment(name)[:, 0].astype(np.float32)

    def ordered(self, cards: U8) -> Floats:
        """A plane of cards in contract order. [n, 36] → float32 [n, 4, 9]."""
        places = self.order + CARDS * self._rows
        return cards.ravel().take(places).astype(np.float32).reshape(-1, 4, 9)

    def by_suit(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Suits in contract order. [n, 4] → [n, 4]."""
        return values.ravel().take(self._suits + 4 * self._rows)

    def may_ruff(self, seat: int) -> Floats:
        """Chance that a relative seat is out of each suit and has a trump. [n, 4]."""
        return self.void[seat] * self.armed[seat][:, None]

    def _locate(self) -> None:
        """Where unseen cards may lie: by hand sizes, shown voids and Weis; the declarer rather has trumps."""
        played, hand = self.segment("played"), self.segment("hand")
        unseen = 1 - (played[:, 0] | played[:, 1] | played[:, 2] | played[:, 3] | hand)
        self.unseen = hidden = self.ordered(unseen)
        placed = self.placed[:, None] > (3, 2, 1)  # the seats that have played to this trick
        held = self.tricks_left[:, None] - placed.astype(np.float32)
        shown = self.segment("shown")[:, 1:] & unseen[:, None]
        known: list[Floats] = []
        if shown.any():
            known = [self.ordered(shown[:, j]) for j in range(3)]
            held -= np.stack([by_suit_sum(cards).sum(axis=1) for cards in known], axis=1)
            hidden = hidden - known[0] - known[1] - known[2]
        open_ = [1 - self.by_suit(self.segment("void")[:, :, seat]).astype(np.float32) for seat in (1, 2, 3)]
        share = self._shares(held, open_, by_suit_sum(hidden))

        # a seat out of trumps may still hide the lone Under (J-PLAY-03)
        hiding = [held[:, j] * np.where(open_[j][:, 0] > 0, 1, LONE_UNDER) + TINY for j in range(3)]
        lone = self.trump * (1 - open_[0][:, 0] * open_[1][:, 0] * open_[2][:, 0]) > 0
        self.where: list[Floats] = [np.zeros(0)]
        self.none_above: list[Floats] = [np.zeros(0)]
        self.void: list[Floats] = [np.zeros(0)]
        self.armed: list[Floats] = [np.zeros(0)]
        for j in range(3):
            where = hidden * share[j][:, :, None]
            under = hidden[:, 0, TRUMP_UNDER] * hiding[j] / (hiding[0] + hiding[1] + hiding[2])
            where[:, 0, TRUMP_UNDER] = np.where(lone, under, where[:, 0, TRUMP_UNDER])
            if known:
                where += known[j]
            log = np.log1p(-np.minimum(where, np.float32(0.9999)))
            log_above = above(log)
            void = np.exp(log_above[:, :, 0] + log[:, :, 0])
            self.where.append(where)
            self.none_above.append(np.exp(log_above))
            self.void.append(void)
            self.armed.append((1 - void[:, 0]) * self.trump)

    def _shares(self, held: Floats, open_: list[Floats], counts: Floats) -> list[Floats]:
        """Share of the unseen cards of each suit that the three other seats hold.

        Args:
            held: [n, 3], unknown cards of each seat. open_: [n, 4] a seat, 1 for suits it may hold.
            counts: [n, 4], unknown cards of each suit.

        Returns: three float32 [n, 4], summing to 1.
        """
        declarer = self.segment("declarer")
        weight = [open_[j] * held[:, j, None] + TINY for j in range(3)]
        for j in range(3):
            weight[j][:, 0] *= 1 + (DECLARER_TRUMPS - 1) * self.trump * declarer[:, j + 1]
        for _ in range(2):  # hand sizes are met nearly: two rounds of scaling are enough
            total = weight[0] + weight[1] + weight[2]
            for j in range(3):
                expected = (weight[j] / total * counts).sum(axis=1)
                weight[j] *= (held[:, j] / np.maximum(expected, 1e-3))[:, None]
                weight[j] += TINY
        total = weight[0] + weight[1] + weight[2]
        return [weight[j] / total for j in range(3)]
