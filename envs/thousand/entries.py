"""What every seat of Thousand would write after a deal (section 20 of the rule book, steps 1 to 3)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.bits import I64, U64, row_starts
from .columns import LAST_CONTRACT, NAMED, PRICE
from .lookup import Tables
from .rules import ThousandRules
from .state import (
    ATTEMPTS,
    BARREL,
    BOLTS,
    FALLS,
    GOLDEN_LEFT,
    I32,
    MATCH_WORDS,
    SEAT_WORDS,
    START,
    TOTAL,
    UNDECIDED,
    WINNER,
    WRITE_OFF_FINE,
    WRITE_OFFS,
    Bools,
    ThousandState,
)
from .tables import KINGS, QUEENS, card_points, marriages, pair_index, queens_of_pairs, round_points

Ints = npt.NDArray[np.integer[Any]]

_FIVE, _TEN = np.int64(5), np.int64(10)
_SEATS: I64 = np.arange(4)


def half_bid(bid: I64) -> I64:
    """Half of a written-off bid, down to a multiple of 5 (T-WO-02)."""
    return bid // 2 // 5 * 5


def sitter_bonus(talon: U64, rules: ThousandRules) -> tuple[I64, I64]:
    """Card points and marriages of a talon for the sitting dealer (T-4P-02 to T-4P-04). int64 [n], int64 [n]."""
    bonus = np.zeros(len(talon), np.int64)
    if rules.sitter_points == "none":
        return bonus, bonus
    if rules.sitter_marriage:
        bonus += marriages(rules).take(pair_index(talon))
    if rules.sitter_half_marriage:
        pairs = queens_of_pairs(talon)
        single = ((talon & QUEENS) | ((talon & KINGS) >> np.uint64(1))) & ~pairs
        # a lone king or queen of a suit, moved to the queen's place: the whole marriage's half
        both = single | (single << np.uint64(1))
        bonus += marriages(rules).take(pair_index(both)) // 2
    return card_points(talon).astype(np.int64), bonus


_NOBODY: dict[int, Bools] = {}


def _nobody(n: int, width: int) -> Bools:
    """No seat of any game, not to be written to. bool [n, width]."""
    mask = _NOBODY.get(width)
    if mask is None or len(mask) < n:
        mask = np.zeros((n, width), np.bool_)
        mask.flags.writeable = False
        _NOBODY[width] = mask
    return mask[:n]


class Entries:
    """The games whose deal has ended: their match before it, and what each seat would write.

    `match` is a copy of the rows of the match, changed step by step: scores, bolts, attempts, falls and write_offs are
    views of it. What nobody needs in these games (somebody on the barrel, a match that is won) costs one question.
    """

    def __init__(self, s: ThousandState, t: Tables, games: I64) -> None:
        rules, c = t.rules, t.columns
        p = rules.players
        n = len(games)
        self.s, self.t, self.rules, self.games = s, t, rules, games
        self.facts = s.facts.take(games)
        self.desk = s.desk.take(games)
        self.declarer: I64 = t.declarer.take((self.facts & t.all_of["declarer"]).view(np.int64))
        #: Where the declarer stands in a flat array of seats.
        self.slot: I64 = row_starts(n, p) + self.declarer
        bytes_ = self.desk.view(np.uint8).reshape(n, 8)
        self.bid: I64 = bytes_[:, PRICE] * _FIVE
        self.contract: I64 = bytes_[:, NAMED] * _FIVE
        self.off: Bools = self.contract == 0  # written off
        self.any_off = np.count_nonzero(self.off)
        row = s.rows.take(games, axis=0)
        self.talon: U64 = row[:, c.taken]
        #: The last word of each score sheet: card points, tricks, marriages in tens.
        self.taken = row.view(np.uint32)[:, 2 * c.sheet + 2 : 2 * c.sheet + 3 * p : 3].copy()
        taken = self.taken.view(np.uint8).reshape(n, p, 4)
        self.cards, self.tricks, self.tens = taken[:, :, 0], taken[:, :, 1], taken[:, :, 2]
        self.raw: I64 = self.tens * _TEN + self.cards  # T-SCO-01
        self.made: Bools
        self.entries: I64
        self.fines: I32 = np.zeros((n, p), np.int32)
        self.fined = False
        self.events: I32 = np.zeros((n, p), np.int32)
        self.decided = False  # some match is won
        self.fell = False  # somebody has fallen

        #: The match after the deal, before it at first.
        self.match: I32 = s.match.take(games, axis=0)
        by_seat = self.match[:, :-MATCH_WORDS].reshape(n, p, SEAT_WORDS)
        self.scores: I32 = by_seat[:, :, TOTAL]
        self.barrel: I32 = by_seat[:, :, BARREL]
        self.bolts: I32 = by_seat[:, :, BOLTS]
        self.attempts: I32 = by_seat[:, :, ATTEMPTS]
        self.falls: I32 = by_seat[:, :, FALLS]
        self.write_offs: I32 = by_seat[:, :, WRITE_OFFS]
        self.last_contracts: I32 = by_seat[:, :, LAST_CONTRACT]
        self.start: I32 = by_seat[:, :, START]
        self.table: I32 = self.match[:, -MATCH_WORDS:]
        self.winner: I32 = self.table[:, WINNER]
        self.any_on = rules.barrel_at is not None and np.count_nonzero(self.facts & t.all_of["barrel"])
        self.was_on: Bools = self.barrel != 0 if self.any_on else _nobody(n, p)
        self.golden: Bools = self.table[:, GOLDEN_LEFT] > 0 if rules.golden == "on" else _nobody(n, 1)[:, 0]

    @cached_property
    def own(self) -> Bools:
        """The declarer's column. bool [n, P]."""
        return _SEATS[: self.rules.players] == self.declarer[:, None]

    @cached_property
    def dealer(self) -> I64:
        return self.t.turns.dealer.take(self.s.node.take(self.games))

    @cached_property
    def place(self) -> I64:
        """Places from forehand; the dealer is last. int64 [n, P]."""
        p = self.rules.players
        return self.t.turns.place.take(self.dealer[:, None] * p + np.arange(p))

    @cached_property
    def active(self) -> Bools:
        """Seats that hold cards. bool [n, P]."""
        return self.place < self.rules.active

    @cached_property
    def dark(self) -> Bools:
        """Games in the dark. bool [n]."""
        return (self.facts & self.t.all_of["dark"]) != 0

    @cached_property
    def rows(self) -> I64:
        return np.arange(len(self.games))

    @property
    def open(self) -> Bools:
        """Games that are not won yet. bool [n, 1]."""
        return self.winner[:, None] == UNDECIDED

    def _win(self, winner: Ints) -> None:
        self.winner[...] = winner
        self.decided = True

    # Steps 1 to 3: what each seat would write.

    def _enter(self) -> None:
        """± the contract for the declarer, what they took for the others (T-SCO-02 to T-SCO-05), or a write-off."""
        rules, t = self.rules, self.t
        total: I64 = self.raw.ravel().take(self.slot)
        worth = self.contract
        if self.any_off:
            worth = np.where(self.off, self.bid, worth)
        # T-BAR-10: the last contract named, or bid written off, in the match
        place = row_starts(len(self.games), self.match.shape[1]) + self.declarer * SEAT_WORDS
        self.match.ravel()[place + LAST_CONTRACT] = worth // _FIVE
        if rules.score_declarer_rounding == "before_check":  # T-SCO-04
            total = t.rounded.take(total)
        self.made = total >= worth
        if self.any_off:
            self.made &= ~self.off
        if rules.golden == "on":
            written = self._written(self.cards, self.raw - self.cards, self.golden[:, None])
            worth = worth * np.where(self.golden, 2, 1)
        else:
            written = t.rounded.take(self.raw)  # T-RND-01
        mine = np.where(self.made, worth, -worth)
        if rules.score_declarer == "actual":
            mine = np.where(self.made, written.ravel().take(self.slot), mine)
        written.ravel()[self.slot] = mine
        if rules.players == 4:
            written *= self.active
        if rules.dark != "off":
            written = self._in_the_dark(written)
        self.entries = written
        if self.any_off:
            self._enter_written_off()

    def _written(self, cards: Ints, marriages: Ints, golden: Bools) -> I64:
        """Taken totals of a rule set with golden deals as they are written, doubled in these (T-SCO-05, T-GOLD-05)."""
        rounded = self.t.rounded
        factor = 2 if self.rules.golden_double_marriages else 1
        return np.where(golden, 2 * rounded.take(cards) + factor * marriages, rounded.take(cards + marriages))

    def _in_the_dark(self, entries: I64) -> I64:
        """Dark doubling: everybody's entry, under "C" only the announcer's (T-DARK-05)."""
        doubled = self.dark[:, None] & (self.own | (self.rules.dark != "C"))
        return np.where(doubled, 2 * entries, entries)

    def _enter_written_off(self) -> None:
        """The declarer pays, the opponents share (T-WO)."""
        rules = self.rules
        rows = self.off.nonzero()[0]
        seat, bid = self.declarer.take(rows), self.bid.take(rows)
        count = self.write_offs[rows, seat] + 1
        self.write_offs[rows, seat] = count
        share, cost = self.t.shares.take(bid // 5), -bid
        if rules.write_off_cost == "none":
            cost = np.zeros_like(bid)
        if rules.write_off_first_free:
            cost = np.where(count == 1, 0, cost)
        if rules.golden == "on" or rules.dark != "off":
            factor = np.where(self.golden | self.dark, 2, 1)[rows]
            cost, share = cost * factor, share * factor
        self.entries[rows] = share[:, None]
        self.entries[rows, seat] = cost
        if rules.players == 4:
            self.entries *= self.active
        if rules.write_off_every_third_fine:
            fined = (count % 3 == 0) & ~self.was_on[rows, seat]
            fine = rules.write_off_every_third_fine * np.where(self.golden[rows], 2, 1)
            self.fines[rows, seat] = np.where(fined, fine, 0)
            self.events[rows, seat] |= np.where(fined, WRITE_OFF_FINE, 0)
            self.fined = True

    def _enter_sitter(self) -> None:
        """The sitting dealer's talon, also of a written-off deal (T-4P-02, T-WO-05); rounded on its own."""
        cards, marriages = sitter_bonus(self.talon, self.rules)
        written = round_points(cards, self.rules.score_defender_round_to) + marriages
        if self.rules.golden == "on":
            written = np.where(self.golden, self._written(cards, marriages, self.golden), written)
        if self.rules.dark not in ("off", "C"):
            written = np.where(self.dark, 2 * written, written)
        self.entries[self.rows, self.dealer] = written
