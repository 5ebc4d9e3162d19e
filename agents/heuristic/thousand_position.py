"""What a Thousand observation means for the card play: where unseen cards may lie, and who can take what.

Arrays have one row a decision. Cards are [n, 4, 6]: spades, clubs, diamonds, hearts × 9 J Q K 10 A, so "a higher card"
is always further right. The two other seats of the play are A, who plays after the own seat, and B, who plays after A.
With two players B is no player: it stands for the undealt cards, which nobody plays.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...envs.core.layout import ObsLayout
from ...envs.thousand.rules import ThousandRules
from ...envs.thousand.state import BOLTS, MARRIAGES, POINTS, TRICKS
from ...envs.thousand.tables import CARDS, KING, QUEEN
from ...envs.thousand.tables import POINTS as CARD_POINTS

#: float32 in fact; the stubs of NumPy widen many results.
Floats = npt.NDArray[np.floating[Any]]
I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

#: How much likelier the declarer still holds a card of the talon than that he gave it away.
TALON_KEPT = np.float32(4)
TINY = np.float32(1e-6)
POINTS_OF: Floats = np.array(CARD_POINTS, np.float32)


def wide(rows: npt.NDArray[Any]) -> Floats:
    """One value a row, to be combined with cards: [n] → float32 [n, 1, 1]."""
    return rows.astype(np.float32, copy=False)[:, None, None]


def suit_sum(cards: Floats) -> Floats:
    """Sum over each suit. [n, 4, 6] → [n, 4]."""
    return np.einsum("nsc->ns", cards)


def above(values: Floats) -> Floats:
    """Sum over the higher cards of the same suit. [n, 4, 6] → [n, 4, 6]."""
    sums = np.zeros_like(values)
    for place in range(4, -1, -1):
        np.add(sums[:, :, place + 1], values[:, :, place + 1], out=sums[:, :, place])
    return sums


class Other:
    """Another seat of the play, as far as it is known. float32.

    Attributes:
        declares: [n], 1 for the declarer. plays: [n], 1 if the seat is still to play to this trick.
        where: [n, 4, 6], probability that it holds a card. none_above: [n, 4, 6], that it holds no higher one.
        void: [n, 4], that it is out of a suit. ruffs: [n, 4], that it is, and has a trump.
    """

    declares: Floats
    plays: Floats
    where: Floats
    none_above: Floats
    void: Floats
    ruffs: Floats


class Position:
    """The facts of n card plays, read from observations. float32 unless said otherwise.

    Attributes:
        mine, unseen: [n, 4, 6], 1 for cards held, for cards in other hands. points: [6], card points by rank.
        length: [n, 4], cards held of each suit. left: [n, 4], unseen cards of each suit.
        trump: [n, 4], 1 for the trump suit. has_trump: [n]. my_trump: [n], declared by oneself.
        placed: [n], cards on the table. tricks_left: [n], this one included. table_points: [n].
        declares: [n], 1 if one is the declarer. a, b: the other seats.
        pairs: [n, 4], 1 for a marriage in hand. pair_values: [4], in hundreds.
        may_declare: [n], 1 if one could declare now on lead. tricks: [n], own tricks.
        needs: [n], points that the declarer still needs for his contract. bolts: [n], own bolts.
    """

    def __init__(self, obs: U8, layout: ObsLayout, rules: ThousandRules) -> None:
        self.rules, self._obs, self._layout = rules, np.ascontiguousarray(obs), layout
        n = len(obs)
        self.rows = np.arange(n)
        self.points = POINTS_OF
        self.mine = self.cards(self.segment("hand"))
        played = self.segment("played").max(axis=1)
        self.unseen = self.cards(1 - (self.segment("hand") | played))
        self.length, self.left = suit_sum(self.mine), suit_sum(self.unseen)
        self.trump = self.segment("trump").astype(np.float32)
        self.has_trump = self.trump.sum(axis=1)
        self.my_trump = self.segment("trump_owner")[:, 0].astype(np.float32)
        self.placed = self.number("cards_on_table")
        self.tricks_left = rules.tricks - self.number("trick_number")
        self.table_points = self.number("trick_points")
        self.declares = self.segment("declarer")[:, 0].astype(np.float32)
        sheet = self.segment("sheet")
        self.tricks = sheet[:, 0, TRICKS].astype(np.float32)
        self.bolts = sheet[:, 0, BOLTS].astype(np.float32)
        self.pairs = self.mine[:, :, QUEEN] * self.mine[:, :, KING]
        self.pair_values = np.array(rules.marriage_values, np.float32) / 100
        self.may_declare = np.ones(n, np.float32) if not rules.marriage_needs_trick else np.minimum(self.tricks, 1)
        declarer = self.segment("declarer").argmax(axis=1)
        reached = sheet[self.rows, declarer, POINTS] + 10.0 * sheet[self.rows, declarer, MARRIAGES]
        self.needs = np.maximum(5 * self.number("contract") - reached, 0).astype(np.float32)
        self._seat_others()
        self._locate()

    def segment(self, name: str) -> U8:
        """A segment of the observations. uint8 [n, ...]."""
        return cast(U8, self._layout.view(self._obs, name))

    def number(self, name: str) -> Floats:
        """A segment of one byte. float32 [n]."""
        return self.segment(name)[:, 0].astype(np.float32)

    @staticmethod
    def cards(plane: U8) -> Floats:
        """A plane of cards. uint8 [n, 24] → float32 [n, 4, 6]."""
        return plane.astype(np.float32).reshape(-1, 4, 6)

    def _seat_others(self) -> None:
        """Who A and B are: with four players the dealer is skipped."""
        players = self.rules.players
        first = np.ones(len(self.rows), np.int64)
        second = np.full(len(self.rows), 2)
        if players == 4:
            dealer = self.segment("dealer").argmax(axis=1)
            first += dealer == 1
            second += dealer <= 2
        self.a, self.b = Other(), Other()
        self.seat_a, self.seat_b = first, second
        self.b_exists = players > 2
        self.a.plays = (self.placed < (2 if self.b_exists else 1)).astype(np.float32)
        self.b.plays = (self.placed < 1).astype(np.float32) * self.b_exists
        self.a.declares = self.of_seat("declarer", first)
        self.b.declares = self.of_seat("declarer", second) if self.b_exists else np.zeros_like(self.declares)

    def of_seat(self, name: str, seats: I64) -> Floats:
        """The flags of one relative seat a row. [n, ..., P] → float32 [n, ...]."""
        return self.segment(name)[self.rows, ..., seats].astype(np.float32)

    def _locate(self) -> None:
        """Where unseen cards may lie: by hand sizes, voids, marriages declared, cards passed, the talon shown."""
        hidden = self.unseen
        gave = self.segment("gave")
        mine = self.declares[:, None, None]
        known_a, known_b = mine * self.cards(gave[:, 0]), mine * self.cards(gave[:, 1])
        married = self.segment("married")[:, :4]
        known_a[:, :, QUEEN : KING + 1] += married[self.rows, :, self.seat_a][:, :, None]
        if self.b_exists:
            known_b[:, :, QUEEN : KING + 1] += married[self.rows, :, self.seat_b][:, :, None]
            if self.rules.pass_visibility == "public":  # what the other defender got
                passed = (1 - mine) * self.cards(gave.max(axis=1))
                known_a += passed * wide(1 - self.a.declares)
                known_b += passed * wide(1 - self.b.declares)
        known_a, known_b = np.minimum(known_a, 1) * hidden, np.minimum(known_b, 1) * hidden
        free = np.maximum(hidden - known_a - known_b, 0)
        held_a = self.tricks_left - (1 - self.a.plays) - known_a.sum(axis=(1, 2))
        if self.b_exists:
            held_b = self.tricks_left - (1 - self.b.plays) - known_b.sum(axis=(1, 2))
            open_b = 1 - self.segment("void")[self.rows, :, self.seat_b].astype(np.float32)
        else:
            held_b = free.sum(axis=(1, 2)) - held_a
            open_b = np.ones((len(self.rows), 4), np.float32)
        open_a = 1 - self.segment("void")[self.rows, :, self.seat_a].astype(np.float32)
        held_a, held_b = np.maximum(held_a, 0), np.maximum(held_b, 0)
        talon = self.cards(self.segment("talon")) * (TALON_KEPT - 1)
        weight_a = (open_a * held_a[:, None] + TINY)[:, :, None] * (1 + talon * wide(self.a.declares))
        weight_b = (open_b * held_b[:, None] + TINY)[:, :, None] * (1 + talon * wide(self.b.declares))
        for _ in range(2):  # hand sizes are met nearly: two rounds of scaling are enough
            share = weight_a / (weight_a + weight_b)
            expected = (share * free).sum(axis=(1, 2))
            rest = free.sum(axis=(1, 2)) - expected
            weight_a *= wide(held_a / np.maximum(expected, 1e-3))
            weight_b *= wide(held_b / np.maximum(rest, 1e-3))
            weight_a += TINY
            weight_b += TINY
        share = weight_a / (weight_a + weight_b)
        self._know(self.a, free * share + known_a, True)
        self._know(self.b, free * (1 - share) + known_b, self.b_exists)

    def _know(self, seat: Other, where: Floats, exists: bool) -> None:
        if not exists:
            where = np.zeros_like(where)
        seat.where = where
        log = np.log1p(-np.minimum(where, np.float32(0.9999)))
        log_above = above(log)
        seat.none_above = np.exp(log_above)
        seat.void = np.exp(log_above[:, :, 0] + log[:, :, 0])
        armed = ((1 - seat.void) * self.trump).sum(axis=1, keepdims=True) * exists
        seat.ruffs = seat.void * armed * (1 - self.trump)


assert CARDS == 24
