"""One observation of Thousand as plain numbers: cards as bits of an int, seats relative to the observer (0)."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from ....envs.core.bits import U8
from ....envs.core.layout import ObsLayout
from ....envs.thousand.rules import ThousandRules
from ....envs.thousand.state import BID, MARRIAGES, POINTS, TRICKS
from ....envs.thousand.tables import ACE, CARDS, KING, PHASES, QUEEN, strength

NO_SUIT = 4


class Play(NamedTuple):
    """A card that was played, and the table before it: trump and its owner (4, -1: none), the cards of the trick."""

    seat: int
    card: int
    declares: bool
    trump: int
    owner: int
    has_trick: bool
    trick: tuple[int, ...]


def cards_of(word: int) -> list[int]:
    """The cards of a set."""
    return [card for card in range(CARDS) if word >> card & 1]


def _word(plane: U8) -> int:
    return sum(1 << int(card) for card in np.flatnonzero(plane))


def _one(flags: U8) -> int:
    """The seat that has a flag, -1 for none."""
    return int(flags.argmax()) if flags.any() else -1


class Seen:
    """What an observation says.

    Attributes:
        others: relative seats that hold cards, next seat first. hand: own cards. played: by seat. talon: the taken
            talon, 0 if not seen. gave: the cards given away, 0 if not known. given: how many were given.
        declarer, dealer, leader: -1 for none. phase: name. trump, led: 4 for none. bids: last amount said, by seat.
        bid, contract: 0 for none. married: bits of seats by spades, clubs, diamonds, hearts, four aces.
        barrel, dark, passed: bits of seats. tricks, points, marriages: of this deal, by seat. order: cards on the
        table. trick_points: there. table: cards on the table in order of play.
    """

    def __init__(self, obs: U8, layout: ObsLayout, rules: ThousandRules) -> None:
        def segment(name: str) -> U8:
            return cast(U8, layout.view(obs, name))

        def bits(name: str) -> int:
            return sum(1 << int(seat) for seat in np.flatnonzero(segment(name)))

        self.rules, self.segment = rules, segment
        p = rules.players
        self.dealer, self.declarer = _one(segment("dealer")), _one(segment("declarer"))
        self.leader = _one(segment("leader"))
        self.others = [seat for seat in range(1, p) if p < 4 or seat != self.dealer]
        self.hand = _word(segment("hand"))
        self.played = [_word(plane) for plane in segment("played")]
        self.talon = _word(segment("talon"))
        self.gave = [_word(plane) for plane in segment("gave")]
        self.phase = PHASES[int(segment("phase").argmax())]
        self.trump, self.led = (int(s.argmax()) if s.any() else NO_SUIT for s in (segment("trump"), segment("led")))
        self.owner = _one(segment("trump_owner"))
        sheet = segment("sheet").astype(np.int64)
        self.bids = (5 * sheet[:, BID]).tolist()
        self.tricks, self.points = sheet[:, TRICKS].tolist(), sheet[:, POINTS].tolist()
        self.marriages = (10 * sheet[:, MARRIAGES]).tolist()
        self.bid, self.contract = 5 * int(segment("bid")[0]), 5 * int(segment("contract")[0])
        self.given, self.trick_points = int(segment("given")[0]), int(segment("trick_points")[0])
        self.order = int(segment("cards_on_table")[0])
        self.golden = int(segment("golden_left")[0]) > 0
        self.second_talon = bool(segment("second_talon")[0])
        self.married = [sum(1 << int(seat) for seat in np.flatnonzero(row)) for row in segment("married")]
        self.barrel, self.dark, self.passed = bits("barrel"), bits("dark"), bits("passed")
        self._when = segment("when")

    @property
    def active(self) -> list[int]:
        """Seats that hold cards, the observer first."""
        return [0, *self.others]

    def following(self, seat: int) -> list[int]:
        """The other active seats, from the one after this on."""
        active = self.active
        place = active.index(seat)
        return active[place + 1 :] + active[:place]

    def receivers(self) -> list[int]:
        """Who gets the cards that the declarer gives away, in order; -1 for the bank (T-PASS-01, T-2P-04)."""
        return [*self.following(self.declarer), -1][: self.rules.gives]

    def seat_of(self, card: int) -> int:
        """Who has played a card."""
        return next(seat for seat, word in enumerate(self.played) if word >> card & 1)

    def plays(self) -> list[Play]:
        """The card play so far, in order, with the trump of each moment.

        A marriage was declared with the first of its cards that was played, four aces with the first ace, since the
        others must be in hand then (T-MAR-05, T-ACE-03).
        """
        rules, n = self.rules, self.rules.active
        order = sorted((int(when), card) for card, when in enumerate(self._when) if when)
        trump, owner, waits = NO_SUIT, -1, (NO_SUIT, -1)
        has, trick, down, found = set[int](), list[tuple[int, int]](), 0, list[Play]()
        for _, card in order:
            seat = self.seat_of(card)
            suit, rank = divmod(card, 6)
            mates = {QUEEN: 2 << card, KING: 1 << card >> 1, ACE: 0o40404040}.get(rank, 0)
            kind = 4 if rank == ACE else suit
            first = mates != 0 and not down & mates
            declares = first and bool(self.married[kind] >> seat & 1)
            found.append(Play(seat, card, declares, trump, owner, seat in has, tuple(c for _, c in trick)))
            down |= 1 << card
            if declares and (rank != ACE or rules.ace_marriage_sets_trump):
                if rules.marriage_trump_from == "immediately":
                    trump, owner = suit, seat
                else:
                    waits = (suit, seat)
            trick.append((seat, card))
            if len(trick) == n:
                led = trick[0][1] // 6
                has.add(max(trick, key=lambda play: strength(trump, led, play[1]))[0])
                if waits[0] != NO_SUIT:
                    (trump, owner), waits = waits, (NO_SUIT, -1)
                trick = []
        self.table, self.next_trump = tuple(c for _, c in trick), waits
        self.has_trick = has
        return found
