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

F32 = npt.NDArray[np.float32]
I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

#: Relative seats.
NEXT, PARTNER, PREVIOUS = 1, 2, 3
#: Places of trumps in contract order.
TRUMP_UNDER, TRUMP_NINE = 8, 7
#: How much likelier than another seat the declarer holds an unseen trump, before anything is played.
DECLARER_TRUMPS = 2.5


def _orders() -> tuple[I64, I64]:
    """Cards in contract order, int64 [6, 36], and the slot of each suit, int64 [6, 4]."""
    order = np.zeros((6, CARDS), np.int64)
    slot = np.zeros((6, 4), np.int64)
    for contract in range(6):
        suits = sorted(range(4), key=lambda suit, trump=contract: suit != trump)
        for place, suit in enumerate(suits):
            ranks = TRUMP_ORDER if suit == contract else range(9)
            cards = [9 * suit + rank for rank in ranks]
            order[contract, 9 * place : 9 * place + 9] = cards[::-1] if contract == UNDENUFE else cards
            slot[contract, suit] = place
    return order, slot


ORDER, SLOT = _orders()


def ordered_points(rules: SchieberRules) -> F32:
    """Card points in contract order. float32 [6, 36]."""
    points = np.array([card_points(contract, rules) for contract in range(6)], np.float32)
    return np.take_along_axis(points, ORDER, axis=1)


def _above(values: F32) -> F32:
    """Sum over the higher cards of the same suit. float32 [n, 4, 9] → [n, 4, 9]."""
    sums = np.cumsum(values[:, :, ::-1], axis=2)[:, :, ::-1]
    return sums - values


class Position:
    """The facts of n card plays, read from observations.

    Attributes (bool or float32; [n, 4, 9] unless said otherwise):
        order: int64 [n, 36], the card at each place of contract order.
        trump: [n], whether there is a trump suit.
        mine, unseen, points: cards held, cards in other hands, card points.
        where: by relative seat, the probability that it holds a card (index 0 unused).
        none_above: by relative seat, the probability that it holds no higher card of the suit.
        void: by relative seat, [n, 4], the probability that it is out of a suit.
        armed: by relative seat, [n], the probability that it holds a trump.
        length: [n, 4], cards held of each suit.
        placed: [n], cards on the table. table_points: [n], worth of the trick so far, the last trick's 5 included.
        tricks_left: [n], tricks to be played, this one included.
    """

    def __init__(self, obs: U8, layout: ObsLayout, points: F32, rules: SchieberRules) -> None:
        self.rules = rules
        n = len(obs)
        rows = np.arange(n)
        self._flat, self._layout = np.ascontiguousarray(obs).ravel(), layout
        self._base = rows[:, None] * layout.size
        self._obs = obs
        self.contract = self.segment("contract").argmax(axis=1)
        self.order = ORDER.take(self.contract, axis=0)
        self.trump = (self.contract < OBENABE).astype(np.float32)
        self.points = points.take(self.contract, axis=0).reshape(n, 4, 9)
        self.mine = self.cards("hand").astype(np.float32)
        self.length = self.mine.sum(axis=2)
        self.placed = self.number("cards_on_table")
        number = self.number("trick_number")
        self.tricks_left = 9 - number
        self.table_points = self.number("trick_points") + 5 * (number == 8)
        self.suits = np.take_along_axis(  # the suit of each slot
            np.broadcast_to(np.arange(4), (n, 4)), SLOT.take(self.contract, axis=0).argsort(axis=1), axis=1
        )
        self._locate()

    def segment(self, name: str) -> U8:
        return cast(U8, self._layout.view(self._obs, name))

    def number(self, name: str) -> F32:
        """A segment of one byte. float32 [n]."""
        return self.segment(name)[:, 0].astype(np.float32)

    def cards(self, name: str, plane: int = 0) -> U8:
        """A plane of cards in contract order. uint8 [n, 4, 9]."""
        columns = self.order + (self._layout[name].start + plane * CARDS)
        return self._flat.take(self._base + columns).reshape(-1, 4, 9)

    def ordered(self, planes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Cards [n, 36] in contract order [n, 4, 9]."""
        return np.take_along_axis(planes, self.order, axis=1).reshape(-1, 4, 9)

    def by_suit(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Suits [n, 4] in contract order."""
        return np.take_along_axis(values, self.suits, axis=1)

    def _locate(self) -> None:
        """Where unseen cards may lie: in proportion to hand sizes, shown voids and shown Weis respected."""
        played = self.segment("played")
        seen = played.sum(axis=1, dtype=np.uint8)
        unseen = 1 - seen - self.segment("hand")
        self.unseen = self.ordered(unseen).astype(np.float32)
        held = 9 - played.sum(axis=2, dtype=np.uint8)[:, 1:].astype(np.float32)
        shown = self.segment("shown")[:, 1:] & unseen[:, None]
        known = [self.ordered(shown[:, j]).astype(np.float32) for j in range(3)] if shown.any() else None
        free = self.unseen if known is None else self.unseen - known[0] - known[1] - known[2]
        if known is not None:
            held = held - shown.sum(axis=2)
        counts = free.sum(axis=2)
        declarer = self.segment("declarer")
        weight, open_ = [], []
        for j in range(3):
            open_.append(1 - self.by_suit(self.segment("void")[:, :, j + 1]).astype(np.float32))
            w = open_[j] * held[:, j, None] + np.float32(1e-6)
            w[:, 0] *= 1 + (DECLARER_TRUMPS - 1) * self.trump * declarer[:, j + 1]
            weight.append(w)
        # hand sizes are met approximately: two rounds of scaling are enough
        for _ in range(2):
            total = np.maximum(weight[0] + weight[1] + weight[2], 1e-6)
            for j in range(3):
                expected = (weight[j] / total * counts).sum(axis=1)
                weight[j] *= (held[:, j] / np.maximum(expected, 1e-3))[:, None]
        total = np.maximum(weight[0] + weight[1] + weight[2], 1e-6)
        # a seat out of trumps may still hide the lone Under (J-PLAY-03)
        hidden = [held[:, j] * np.where(open_[j][:, 0] > 0, 1, 0.3) + 1e-6 for j in range(3)]
        anywhere = hidden[0] + hidden[1] + hidden[2]
        some_void = self.trump * (open_[0][:, 0] * open_[1][:, 0] * open_[2][:, 0] == 0)
        self.where: list[F32] = [np.zeros(0, np.float32)]
        self.none_above: list[F32] = [np.zeros(0, np.float32)]
        self.log_above: list[F32] = [np.zeros(0, np.float32)]
        self.void: list[F32] = [np.zeros(0, np.float32)]
        self.armed: list[F32] = [np.zeros(0, np.float32)]
        for j in range(3):
            share = weight[j] / total
            where = free * share[:, :, None]
            under = free[:, 0, TRUMP_UNDER] * hidden[j] / anywhere
            where[:, 0, TRUMP_UNDER] = np.where(some_void > 0, under, where[:, 0, TRUMP_UNDER])
            if known is not None:
                where += known[j]
            where = where.astype(np.float32)
            log = np.log1p(-np.minimum(where, np.float32(0.9999)))
            above = _above(log)
            void = np.exp(above[:, :, 0] + log[:, :, 0])
            self.where.append(where)
            self.log_above.append(above)
            self.none_above.append(np.exp(above))
            self.void.append(void)
            self.armed.append((1 - void[:, 0]) * self.trump)
