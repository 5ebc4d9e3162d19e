"""The end of a deal of Thousand: section 20 of the rule book, over many games at once.

`settle` writes the match after the deal and the `last_` fields of the state. The steps below are methods of one
settlement, whose arrays have a row for each game that ends its deal and a column for each seat.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..core.bits import I64, U64, row_starts
from .columns import LAST_CONTRACT, NAMED, PRICE
from .lookup import Tables
from .rules import ThousandRules
from .state import (
    ATTEMPT,
    ATTEMPTS,
    BARREL,
    BOLT,
    BOLT_FINE,
    BOLTS,
    DEALS_PLAYED,
    FALL,
    FALLS,
    GOLDEN_LEFT,
    GOLDEN_MADE,
    GOLDEN_RESET,
    I32,
    LAST_BITS,
    LAST_DESK,
    LAST_ENTRIES,
    LAST_EVENTS,
    LAST_FACTS,
    LAST_FINES,
    LAST_GAINS,
    LAST_SCORES,
    LAST_SEATS,
    LAST_TAKEN,
    LAST_TALON,
    LAST_WINNER,
    MATCH_WORDS,
    MOUNT,
    SEAT_WORDS,
    START,
    THIRD_FALL,
    TOTAL,
    TRUCK,
    UNDECIDED,
    WIN,
    WINNER,
    WRITE_OFF_FINE,
    WRITE_OFFS,
    Bools,
    ThousandState,
)
from .tables import KINGS, QUEENS, card_points, fact_seat, marriages, pair_index, queens_of_pairs, round_points

Ints = npt.NDArray[np.integer]

_TWO, _FIVE, _EIGHT, _TEN = np.int64(2), np.int64(5), np.int64(8), np.int64(10)
_SEATS: I64 = np.arange(4)

#: Where a fall leads (T-BAR-10).
FALL_TO = 760


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


class Settlement:
    """One settlement of the games whose deal has ended.

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
        self.dealer: I64 = t.turns.dealer.take(s.node.take(games))
        self.declarer: I64 = fact_seat(self.facts, p, "declarer").astype(np.int64)
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
        self.made = np.zeros(n, np.bool_)
        self.entries = np.zeros((n, p), np.int64)
        self.fines = np.zeros((n, p), np.int32)
        self.fined = False
        self.events = np.zeros((n, p), np.int32)
        self.winner = np.full(n, UNDECIDED, np.int32)
        self.decided = False  # some match is won

        #: The match after the deal, before it at first.
        self.match: I32 = s.match.take(games, axis=0)
        by_seat = self.match[:, :-MATCH_WORDS].reshape(n, p, SEAT_WORDS)
        self.scores, self.barrel, self.bolts, self.attempts, self.falls, self.write_offs, self.last_contracts = (
            by_seat[:, :, column] for column in (TOTAL, BARREL, BOLTS, ATTEMPTS, FALLS, WRITE_OFFS, LAST_CONTRACT)
        )
        self.start = by_seat[:, :, START]
        self.table = self.match[:, -MATCH_WORDS:]
        self.before: I32 = self.scores.copy()
        self.was_on: Bools = self.barrel != 0
        self.any_on = np.count_nonzero(self.was_on)
        self.golden: Bools = self.table[:, GOLDEN_LEFT] > 0
        self.dark: Bools = (self.facts & t.all_of["dark"]) != 0

    @cached_property
    def own(self) -> Bools:
        """The declarer's column. bool [n, P]."""
        return _SEATS[: self.rules.players] == self.declarer[:, None]

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
    def rows(self) -> I64:
        return np.arange(len(self.games))

    def run(self) -> None:
        """Steps 1 to 10 in order; a match that is won stops where it is won."""
        rules = self.rules
        self._enter()
        if rules.players == 4:
            self._enter_sitter()
        if self.any_on and rules.barrel_at is not None:
            self._win_from_barrel()
        self._add()
        if rules.bolt_mode != "off":
            self._count_bolts()
        if rules.truck_plus_555 or rules.truck_minus_555:
            self._truck(self.open)
        if rules.barrel_at is None or rules.barrel_jump_over == "win":
            self._win_by_total()
        if rules.barrel_at is not None:
            if self.any_on:
                self._count_attempts()
            if np.count_nonzero(self.scores >= rules.barrel_at):
                self._mount()
            if rules.barrel_third_fall == "zero" and np.count_nonzero(self.falls >= 3):
                self._third_falls()
        if rules.golden == "on":
            self._golden_round()

    @property
    def open(self) -> Bools:
        """Games that are not won yet. bool [n, 1]."""
        return self.winner[:, None] == UNDECIDED

    def _win(self, winner: Ints) -> None:
        self.winner = winner.astype(np.int32)
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
        self.last_contracts[self.rows, self.declarer] = worth // 5
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
        if rules.players > rules.active:
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
        if rules.players > rules.active:
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

    # Steps 4 to 7.

    def _win_from_barrel(self) -> None:
        """A made own contract of at least the need wins and stops everything (T-BAR-04, section 20 step 4)."""
        rules = self.rules
        wins = self.made & self.was_on[self.rows, self.declarer] & (self.contract >= rules.need)
        winner = np.where(wins, self.declarer, UNDECIDED)
        if not rules.barrel_own_contract_only:
            may = self.was_on & self.active & ~self.own & (self.entries >= rules.need) & ~self.off[:, None]
            best = np.argmax(np.where(may, self.entries * 8 - self.place, -1), axis=1)
            winner = np.where(may.any(axis=1) & ~wins, best, winner)
        won = winner >= 0
        if not np.count_nonzero(won):
            return
        self._win(winner)
        seat = np.arange(rules.players) == winner[:, None]
        self.entries = np.where(won[:, None] & ~seat, 0, self.entries)
        self.scores += np.where(seat, self.entries, 0)

    def _add(self) -> None:
        """Entries and fines of write-offs (T-BAR-04, T-BAR-09, T-BAR-14, T-WO-07)."""
        locked = self.rules.lock is not None
        if self.any_on or locked:
            void = self.open & self.was_on
            if locked:
                void |= self.open & (self.before >= self.rules.lock) & ~self.own
            self.entries = np.where(void, 0, self.entries)
        change = self.entries - self.fines if self.fined else self.entries
        self.scores += np.where(self.open, change, 0) if self.decided else change

    def _count_bolts(self) -> None:
        """Step 6 (T-BOLT-01 to T-BOLT-09)."""
        rules = self.rules
        concerned = self.active if rules.players > rules.active else np.ones(self.tricks.shape, np.bool_)
        if self.decided:
            concerned = concerned & self.open
        if self.any_off:
            concerned = concerned & ~self.off[:, None]
        if self.any_on and not rules.bolt_on_barrel:
            concerned = concerned & ~self.was_on
        trickless = self.tricks == 0
        if rules.bolt_basis == "points":
            rounded = self.t.rounded.take(self.raw)
            bolt = (rounded == 0) & ~self.own & concerned
            earned = ~trickless & (rounded > 0)
        else:
            bolt = trickless & concerned
            if not rules.bolt_declarer:
                bolt &= ~self.own
            earned = ~trickless
        if rules.bolt_mode == "consecutive3":
            self.bolts[concerned & ~bolt & earned] = 0
        if not np.count_nonzero(bolt):
            return
        if rules.golden == "on":
            self.bolts += bolt * np.where(self.golden, rules.bolt_golden_weight, 1)[:, None]
        else:
            self.bolts += bolt
        self.events |= bolt * BOLT
        full = bolt & (self.bolts >= 3)
        if not np.count_nonzero(full):
            return
        self.bolts[full] = 0  # T-BOLT-03
        self.events |= full * BOLT_FINE
        self._fall(full & self.was_on, FALL_TO)  # T-BOLT-05
        fine = np.where(full & ~self.was_on, rules.bolt_fine * np.where(self.golden, 2, 1)[:, None], 0)
        self.fines += fine
        self.fined = True
        self.scores -= fine

    def _truck(self, where: Bools) -> None:
        """Exactly ±555 off the barrel becomes 0 (T-TRK-01 to T-TRK-03)."""
        rules = self.rules
        if not (rules.truck_plus_555 or rules.truck_minus_555):
            return
        hit: Bools = rules.truck_plus_555 & (self.scores == 555) | rules.truck_minus_555 & (self.scores == -555)
        hit &= where & (self.barrel == 0)
        self.scores[hit] = 0
        self.events[hit] |= TRUCK

    def _win_by_total(self) -> None:
        """The target reached without a barrel (T-END-03), or by a jump over it (T-BAR-16)."""
        rules = self.rules
        reached = (self.scores >= rules.target) & self.open
        if rules.barrel_at is not None:
            others = self.active & ~self.own & (not rules.barrel_own_contract_only)
            reached &= ~self.was_on & ((self.own & self.made[:, None]) | others)
        if not np.count_nonzero(reached):
            return
        # declarer first, then the larger total, then the seat from forehand
        key = np.where(self.own, 1 << 40, self.scores * _EIGHT - self.place)
        best = np.argmax(np.where(reached, key, np.iinfo(np.int64).min), axis=1)
        self._win(np.where(reached.any(axis=1), best, self.winner))

    # Steps 8 to 10.

    def _fall(self, which: Bools, total: int | Ints) -> None:
        """Off the barrel, or never on it; a fall is counted (T-BAR-10)."""
        np.copyto(self.scores, total, where=which, casting="same_kind")
        self.barrel &= ~which
        self.attempts[which] = 0
        self.falls += which
        self.events |= which * FALL

    def _count_attempts(self) -> None:
        """Step 8 (T-BAR-07 to T-BAR-10, T-BAR-14, T-WO-08)."""
        rules = self.rules
        assert rules.barrel_at is not None
        concerned = self.active & self.was_on & (self.barrel != 0) & self.open
        if not np.count_nonzero(concerned):
            return
        off, fell = self.off[:, None], np.zeros_like(concerned)
        if rules.write_off_on_barrel == "falls":
            down = concerned & self.own & off
            self._fall(down, FALL_TO)
            fell |= down
        if rules.barrel_fail_cost == "contract":  # T-BAR-09
            down = concerned & self.own & ~off & ~self.made[:, None]
            lost = self.contract * np.where(self.golden | self.dark, 2, 1)
            self._fall(down, (rules.barrel_at - lost)[:, None])
            fell |= down
        counted = concerned & ~fell
        if rules.barrel_attempt_counts == "own_contracts":
            counted &= self.own
        self.attempts += counted
        self.events |= counted * ATTEMPT
        last = counted & (self.attempts >= rules.barrel_attempts)
        if rules.barrel_fall_to == "last_contract":
            self._fall(last, rules.barrel_at - 5 * self.last_contracts)
        else:
            self._fall(last, FALL_TO)
        self._truck(fell | last)  # T-TRK-03: looked at once more for who has just fallen

    def _mount(self) -> None:
        """Step 9 (T-BAR-01, T-BAR-12, T-BAR-13, T-BAR-16)."""
        rules = self.rules
        assert rules.barrel_at is not None
        new = (self.barrel == 0) & (self.scores >= rules.barrel_at) & self.open
        if not np.count_nonzero(new):
            return
        meets = new.any(axis=1)[:, None]
        sits = (self.barrel != 0) & meets
        occupied = sits.any(axis=1)[:, None]
        losers = new & (np.count_nonzero(new, axis=1) > 1)[:, None] & ~self._stays(new)
        if rules.barrel_collision == "coexist":
            losers = np.zeros_like(new)
        elif rules.barrel_collision == "first_stays":
            losers = np.where(occupied, new, losers)
        elif rules.barrel_collision == "all_fall":
            losers = np.where(occupied, new | sits, losers)
        else:
            losers |= sits
        self._fall(losers, FALL_TO)
        mounted = new & ~losers
        self.scores[mounted] = rules.barrel_at
        self.barrel |= mounted
        self.attempts[mounted] = 0  # T-BAR-08
        self.events |= mounted * MOUNT

    def _stays(self, new: Bools) -> Bools:
        """Which of several newcomers of one deal stays (T-BAR-13)."""
        kind = self.rules.barrel_same_deal
        if kind == "all_fined":
            return np.zeros_like(new)
        key = -self.place if kind == "declarer_then_seat" else self.scores * _EIGHT - self.place
        key = np.where(self.own, 1 << 40, key)
        best = np.argmax(np.where(new, key, np.iinfo(np.int64).min), axis=1)
        return np.arange(self.rules.players) == best[:, None]

    def _third_falls(self) -> None:
        """Step 10 (T-BAR-11)."""
        third = (self.falls >= 3) & self.open
        self.scores[third] = 0
        self.falls[third] = 0
        self.events[third] |= THIRD_FALL

    def _golden_round(self) -> None:
        """A golden round that nobody made (T-GOLD-07)."""
        fail = self.rules.golden_fail
        golden = self.golden & self.open[:, 0]
        made = (self.table[:, GOLDEN_MADE] != 0) | (self.made & golden)
        left = self.table[:, GOLDEN_LEFT] - golden
        failed = golden & (left == 0) & ~made
        if fail in ("reset_and_normal", "reset_and_replay"):
            self.scores[failed] = 0
            self.barrel[failed] = 0
            self.attempts[failed] = 0
            self.events[failed] |= GOLDEN_RESET
        if fail in ("replay", "reset_and_replay"):
            left = np.where(failed, self.rules.players, left)
        self.table[:, GOLDEN_LEFT] = left
        self.table[:, GOLDEN_MADE] = made

    def write(self) -> I32:
        """The match after the deal, and the report of it. Returns the change of each score."""
        s, games, n = self.s, self.games, len(self.games)
        if self.decided:
            won = self.winner >= 0
            self.events[won, self.winner[won]] |= WIN
        gains = self.scores - self.start
        self.table[:, DEALS_PLAYED] += 1  # T-WO-05
        self.table[:, WINNER] = self.winner
        s.match[games] = self.match

        last = np.empty((n, s.last.shape[1]), np.uint64)
        last[:, LAST_FACTS] = self.facts
        last[:, LAST_DESK] = self.desk
        last[:, LAST_TALON] = self.talon
        numbers = last.view(np.int32)
        numbers[:, LAST_WINNER] = self.winner
        numbers[:, LAST_BITS] = self.made | self.golden * _TWO
        by_seat = numbers[:, LAST_SEATS:].reshape(n, -1, self.rules.players)
        by_seat[:, LAST_TAKEN] = self.taken.view(np.int32)
        by_seat[:, LAST_ENTRIES] = self.entries
        by_seat[:, LAST_FINES] = self.fines
        by_seat[:, LAST_SCORES] = self.scores
        by_seat[:, LAST_GAINS] = gains
        by_seat[:, LAST_EVENTS] = self.events
        s.last[games] = last
        return gains


def settle(s: ThousandState, t: Tables, games: I64) -> I32:
    """Write the deals of the given games down (section 20). Returns the change of each score, int32 [n, P]."""
    settlement = Settlement(s, t, games)
    settlement.run()
    return settlement.write()


def decide(s: ThousandState, games: I64, winner: I64) -> None:
    """The match is over for another reason than the deal (T-TOUR-01)."""
    s.winner[games] = winner
    s.last.view(np.int32)[games, LAST_WINNER] = winner


# What the outcome of a match is worth.


def by_rank(scores: Ints, winner: Ints, places: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """What each seat gets for its place: the winner first, then by total; equal totals share (T-BANK-01, T-BANK-02).

    Args:
        scores: int [n, P]. winner: int [n], a seat, or negative for nobody (then by total alone).
        places: worth of each place, best first.
    """
    seats: I64 = np.arange(scores.shape[1])
    key = np.where(seats == winner[:, None], np.iinfo(np.int64).max, scores.astype(np.int64))
    ahead = (key[:, None, :] > key[:, :, None]).sum(axis=2)
    level = (key[:, None, :] == key[:, :, None]).sum(axis=2)
    sums = np.concatenate([[0.0], np.cumsum(np.array(places, np.float64))])
    return (sums[ahead + level] - sums[ahead]) / level


def stakes(rules: ThousandRules) -> tuple[float, ...]:
    """The payout of each place (T-BANK-01)."""
    first, middle, last = rules.payout
    return (first, *([middle] * (rules.players - 2)), last)


def ranks(rules: ThousandRules) -> tuple[float, ...]:
    """Places in even steps from 1 to -1."""
    return tuple(np.linspace(1.0, -1.0, rules.players).tolist())
