"""The end of a deal of Thousand: section 20 of the rule book, over many games at once.

`settle` writes the match after the deal and the report of it. The steps below are methods of one settlement, whose
arrays have a row for each game that ends its deal and a column for each seat.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.bits import I64
from .entries import Entries, Ints
from .lookup import Tables
from .rules import ThousandRules
from .state import (
    ATTEMPT,
    BOLT,
    BOLT_FINE,
    DEALS_PLAYED,
    FALL,
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
    MOUNT,
    THIRD_FALL,
    TRUCK,
    UNDECIDED,
    WIN,
    Bools,
    ThousandState,
)

_TWO, _EIGHT = np.int64(2), np.int64(8)

#: Where a fall leads (T-BAR-10).
FALL_TO = 760


class Settlement(Entries):
    """One settlement of the games whose deal has ended."""

    def run(self) -> None:
        """Steps 1 to 10 in order; a match that is won stops where it is won."""
        rules = self.rules
        self._enter()
        self.before: I32 = self.scores.copy() if rules.lock is not None else self.scores
        if rules.players == 4:
            self._enter_sitter()
        if self.any_on:
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
            if self.fell and rules.barrel_third_fall == "zero":
                self._third_falls()
        if rules.golden == "on":
            self._golden_round()

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
        lock = self.rules.lock
        if self.any_on or lock is not None:
            void: Bools = self.open & self.was_on
            if lock is not None:
                void |= self.open & (self.before >= lock) & ~self.own
            self.entries = np.where(void, 0, self.entries)
        change: I64 = self.entries - self.fines if self.fined else self.entries
        self.scores += np.where(self.open, change, 0) if self.decided else change

    def _count_bolts(self) -> None:
        """Step 6 (T-BOLT-01 to T-BOLT-09)."""
        rules = self.rules
        trickless = self.tricks == 0
        if rules.bolt_basis == "points":
            rounded = self.t.rounded.take(self.raw)
            bolt = (rounded == 0) & ~self.own
            earned = ~trickless & (rounded > 0)
        else:
            bolt = trickless if rules.bolt_declarer else trickless & ~self.own
            earned = ~trickless
        bolt = self._concerned(bolt)
        if rules.bolt_mode == "consecutive3":
            self.bolts[self._concerned(earned) & ~bolt] = 0
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

    def _concerned(self, mask: Bools) -> Bools:
        """Those whose bolts are counted (T-BOLT-05, T-BOLT-06)."""
        if self.rules.players == 4:
            mask = mask & self.active
        if self.decided:
            mask = mask & self.open
        if self.any_off:
            mask = mask & ~self.off[:, None]
        if self.any_on and not self.rules.bolt_on_barrel:
            mask = mask & ~self.was_on
        return mask

    def _truck(self, where: Bools) -> None:
        """Exactly ±555 off the barrel becomes 0 (T-TRK-01 to T-TRK-03)."""
        rules = self.rules
        if not (rules.truck_plus_555 or rules.truck_minus_555):
            return
        scores: I32 = self.scores
        hit: Bools = (scores == 555) & rules.truck_plus_555 | (scores == -555) & rules.truck_minus_555
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
        self.fell = True
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
        losers: Bools = new & (np.count_nonzero(new, axis=1) > 1)[:, None] & ~self._stays(new)
        if rules.barrel_collision == "coexist":
            losers = np.zeros_like(new)
        elif rules.barrel_collision == "first_stays":
            losers = np.where(occupied, new, losers)
        elif rules.barrel_collision == "all_fall":
            losers = np.where(occupied, new | sits, losers)
        else:
            losers |= sits
        self._fall(losers, FALL_TO)
        mounted: Bools = new & ~losers
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
        s.match[games] = self.match

        last = np.zeros((n, s.last.shape[1]), np.uint64)
        last[:, LAST_FACTS] = self.facts
        last[:, LAST_DESK] = self.desk
        last[:, LAST_TALON] = self.talon
        numbers = last.view(np.int32)
        numbers[:, LAST_WINNER] = self.winner
        numbers[:, LAST_BITS] = self.made + self.golden * _TWO if self.rules.golden == "on" else self.made
        by_seat = numbers[:, LAST_SEATS:].reshape(n, -1, self.rules.players)
        by_seat[:, LAST_TAKEN] = self.taken.view(np.int32)
        by_seat[:, LAST_ENTRIES] = self.entries
        if self.fined:
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
    seats: I64 = np.arange(int(scores.shape[1]))
    wins: Bools = np.equal(seats, np.asarray(winner, np.int64)[:, None])
    key = np.where(wins, np.iinfo(np.int64).max, scores.astype(np.int64))
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
