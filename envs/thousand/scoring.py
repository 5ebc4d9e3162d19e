"""The end of a deal of Thousand: section 20 of the rule book, over many games at once.

`settle` writes the match after the deal and the `last_` fields of the state. The steps below are methods of one
settlement, whose arrays have a row for each game that ends its deal and a column for each seat.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.bits import I64
from .rules import ThousandRules
from .state import (
    ATTEMPT,
    BOLT,
    BOLT_FINE,
    FALL,
    GOLDEN_RESET,
    MARRIAGES,
    MOUNT,
    POINTS,
    THIRD_FALL,
    TRICKS,
    TRUCK,
    UNDECIDED,
    WIN,
    WRITE_OFF_FINE,
    Bools,
    ThousandState,
)
from .tables import KINGS, QUEENS, Tables, card_points, pair_index, queens_of_pairs, round_points

Ints = npt.NDArray[np.integer]

#: Where a fall leads (T-BAR-10).
FALL_TO = 760


def half_bid(bid: I64) -> I64:
    """Half of a written-off bid, down to a multiple of 5 (T-WO-02)."""
    return bid // 2 // 5 * 5


def sitter_bonus(talon: npt.NDArray[np.uint64], t: Tables) -> tuple[I64, I64]:
    """Card points and marriages of a talon for the sitting dealer (T-4P-02 to T-4P-04). int64 [n], int64 [n]."""
    rules = t.rules
    marriages = np.zeros(len(talon), np.int64)
    if rules.sitter_points == "none":
        return marriages, marriages
    if rules.sitter_marriage:
        marriages += t.marriages.take(pair_index(talon))
    if rules.sitter_half_marriage:
        pairs = queens_of_pairs(talon)
        single = ((talon & QUEENS) | ((talon & KINGS) >> np.uint64(1))) & ~pairs
        # a lone king or queen of a suit, moved to the queen's place: the whole marriage's half
        both = single | (single << np.uint64(1))
        marriages += t.marriages.take(pair_index(both)) // 2
    return card_points(talon).astype(np.int64), marriages


class Settlement:
    """One settlement of the games whose deal has ended."""

    def __init__(self, s: ThousandState, t: Tables, games: I64) -> None:
        rules = t.rules
        p = rules.players
        self.s, self.t, self.rules, self.games = s, t, rules, games
        n = len(games)
        self.rows = np.arange(n)
        self.dealer = s.dealer[games].astype(np.int64)
        self.declarer = s.declarer[games].astype(np.int64)
        #: Places from forehand; the dealer is last.
        self.place = t.place.take(self.dealer[:, None] * p + np.arange(p))
        self.active = self.place < rules.active
        self.own = np.arange(p) == self.declarer[:, None]
        self.bid = s.price[games].astype(np.int64)
        self.contract = s.contract[games].astype(np.int64)
        self.off = self.contract == 0  # written off
        self.golden = s.golden_left[games] > 0
        self.dark = s.dark[games] >= 0
        sheet = s.sheet[games].astype(np.int64)
        self.cards, self.marriages, self.tricks = sheet[:, :, POINTS], 10 * sheet[:, :, MARRIAGES], sheet[:, :, TRICKS]
        self.raw = self.cards + self.marriages  # T-SCO-01
        self.made = np.zeros(n, np.bool_)
        self.entries = np.zeros((n, p), np.int64)
        self.fines = np.zeros((n, p), np.int64)
        self.events = np.zeros((n, p), np.int16)
        self.winner = np.full(n, UNDECIDED, np.int64)
        #: The match before the deal.
        self.was_on: Bools = s.barrel[games]
        self.before = s.scores[games].astype(np.int64)
        #: The match after it.
        self.scores: Ints = self.before.copy()
        self.bolts = s.bolts[games].astype(np.int64)
        self.barrel: Bools = self.was_on.copy()
        self.attempts: I64 = s.attempts[games].astype(np.int64)
        self.falls = s.falls[games].astype(np.int64)
        self.write_offs = s.write_offs[games].astype(np.int64)
        #: T-BAR-10: the last contract named, or bid written off, in the match.
        self.last_contracts = s.last_contracts[games].astype(np.int64)
        self.last_contracts[self.rows, self.declarer] = np.where(self.off, self.bid, self.contract)

    def run(self) -> None:
        """Steps 1 to 10 in order; a match that is won stops where it is won."""
        self._enter_played()
        if self.off.any():
            self._enter_written_off()
        if self.rules.players == 4:
            self._enter_sitter()
        self._win_from_barrel()
        self._add()
        self._count_bolts()
        self._truck(self.winner[:, None] == UNDECIDED)
        self._win_by_total()
        if self.rules.barrel_at is not None:
            self._count_attempts()
            self._mount()
            self._third_falls()
        if self.rules.golden == "on":
            self._golden_round()

    @property
    def open(self) -> Bools:
        """Games that are not won yet. bool [n, 1]."""
        return self.winner[:, None] == UNDECIDED

    # Steps 1 to 3: what each seat would write.

    def _written(self, cards: I64, marriages: I64, golden: Bools) -> Ints:
        """A taken total as it is written, golden doubling included (T-SCO-05, T-RND-01, T-GOLD-05)."""
        unit = self.rules.score_defender_round_to
        written = round_points(cards + marriages, unit)
        if self.rules.golden == "on":
            factor = 2 if self.rules.golden_double_marriages else 1
            written = np.where(golden, 2 * round_points(cards, unit) + factor * marriages, written)
        return written

    def _in_the_dark(self, entries: Ints) -> Ints:
        """Dark doubling: everybody's entry, under "C" only the announcer's (T-DARK-05)."""
        if self.rules.dark == "off":
            return entries
        doubled = self.dark[:, None] & (self.own | (self.rules.dark != "C"))
        return np.where(doubled, 2 * entries, entries)

    def _enter_played(self) -> None:
        """± the contract for the declarer, what they took for the others (T-SCO-02 to T-SCO-05)."""
        rules = self.rules
        total: Ints = self.raw[self.rows, self.declarer]
        if rules.score_declarer_rounding == "before_check":  # T-SCO-04
            total = round_points(total, rules.score_defender_round_to)
        self.made = (total >= self.contract) & ~self.off
        written = self._written(self.cards, self.marriages, self.golden[:, None])
        worth = self.contract * np.where(self.golden, 2, 1)
        mine = np.where(self.made, worth, -worth)
        if rules.score_declarer == "actual":
            mine = np.where(self.made, written[self.rows, self.declarer], mine)
        written[self.rows, self.declarer] = mine
        self.entries = np.where(self.active & ~self.off[:, None], self._in_the_dark(written), 0)

    def _enter_written_off(self) -> None:
        """The declarer pays, the opponents share (T-WO)."""
        rules = self.rules
        off = self.off
        self.write_offs += self.own & off[:, None]
        count = self.write_offs[self.rows, self.declarer]
        factor = np.where(self.golden | self.dark, 2, 1)
        cost = self.bid if rules.write_off_cost == "bid" else np.zeros_like(self.bid)
        if rules.write_off_first_free:
            cost = np.where(count == 1, 0, cost)
        share = half_bid(self.bid) if rules.write_off_opponents == "half_floor5" else np.full_like(self.bid, 60)
        entries = np.where(self.own, -(cost * factor)[:, None], (share * factor)[:, None])
        self.entries = np.where(off[:, None] & self.active, entries, self.entries)
        if rules.write_off_every_third_fine:
            fined = off & (count % 3 == 0) & ~self.was_on[self.rows, self.declarer]
            fine = rules.write_off_every_third_fine * np.where(self.golden, 2, 1)
            self.fines[self.rows, self.declarer] += np.where(fined, fine, 0)
            self.events[self.rows, self.declarer] |= np.where(fined, WRITE_OFF_FINE, np.int16(0))

    def _enter_sitter(self) -> None:
        """The sitting dealer's talon, also of a written-off deal (T-4P-02, T-WO-05); rounded on its own."""
        cards, marriages = sitter_bonus(self.s.talon[self.games], self.t)
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
        if rules.barrel_at is None or not self.was_on.any():
            return
        wins = self.made & self.was_on[self.rows, self.declarer] & (self.contract >= rules.need)
        self.winner = np.where(wins, self.declarer, self.winner)
        if not rules.barrel_own_contract_only:
            may = self.was_on & self.active & ~self.own & (self.entries >= rules.need) & ~self.off[:, None]
            best = np.argmax(np.where(may, self.entries * 8 - self.place, -1), axis=1)
            self.winner = np.where(may.any(axis=1) & ~wins, best, self.winner)
        won = self.winner >= 0
        seat = np.arange(rules.players) == self.winner[:, None]
        self.entries = np.where(won[:, None] & ~seat, 0, self.entries)
        self.scores += np.where(seat, self.entries, 0)

    def _add(self) -> None:
        """Entries and fines of write-offs (T-BAR-04, T-BAR-09, T-BAR-14, T-WO-07)."""
        open_ = self.open
        void = self.was_on
        if self.rules.lock is not None:
            void = void | ((self.before >= self.rules.lock) & ~self.own)
        self.entries = np.where(open_ & void, 0, self.entries)
        self.scores += np.where(open_, self.entries - self.fines, 0)

    def _count_bolts(self) -> None:
        """Step 6 (T-BOLT-01 to T-BOLT-09)."""
        rules = self.rules
        if rules.bolt_mode == "off":
            return
        concerned = self.active & self.open & ~self.off[:, None]
        if not rules.bolt_on_barrel:
            concerned &= ~self.was_on
        trickless = self.tricks == 0
        earned = ~trickless
        if rules.bolt_basis == "points":
            rounded = round_points(self.raw, rules.score_defender_round_to)
            bolt = (rounded == 0) & ~self.own
            earned &= rounded > 0
        else:
            bolt = trickless if rules.bolt_declarer else trickless & ~self.own
        bolt = bolt & concerned
        if rules.bolt_mode == "consecutive3":
            self.bolts[concerned & ~bolt & earned] = 0
        if rules.golden == "on":
            self.bolts += bolt * np.where(self.golden, rules.bolt_golden_weight, 1)[:, None]
        else:
            self.bolts += bolt
        self.events |= np.where(bolt, BOLT, np.int16(0))
        full = bolt & (self.bolts >= 3)
        if not full.any():
            return
        self.bolts[full] = 0  # T-BOLT-03
        self.events |= np.where(full, BOLT_FINE, np.int16(0))
        self._fall(full & self.was_on, FALL_TO)  # T-BOLT-05
        fine = np.where(full & ~self.was_on, rules.bolt_fine * np.where(self.golden, 2, 1)[:, None], 0)
        self.fines += fine
        self.scores -= fine

    def _truck(self, where: Bools) -> None:
        """Exactly ±555 off the barrel becomes 0 (T-TRK-01 to T-TRK-03)."""
        rules = self.rules
        if not (rules.truck_plus_555 or rules.truck_minus_555):
            return
        hit: Bools = rules.truck_plus_555 & (self.scores == 555) | rules.truck_minus_555 & (self.scores == -555)
        hit &= where & ~self.barrel
        self.scores[hit] = 0
        self.events[hit] |= TRUCK

    def _win_by_total(self) -> None:
        """The target reached without a barrel (T-END-03), or by a jump over it (T-BAR-16)."""
        rules = self.rules
        if rules.barrel_at is not None and rules.barrel_jump_over != "win":
            return
        reached = (self.scores >= rules.target) & self.open
        if rules.barrel_at is not None:
            others = self.active & ~self.own & (not rules.barrel_own_contract_only)
            reached &= ~self.was_on & ((self.own & self.made[:, None]) | others)
        if not reached.any():
            return
        # declarer first, then the larger total, then the seat from forehand
        key = np.where(self.own, 1 << 40, self.scores * 8 - self.place)
        best = np.argmax(np.where(reached, key, np.iinfo(np.int64).min), axis=1)
        self.winner = np.where(reached.any(axis=1), best, self.winner)

    # Steps 8 to 10.

    def _fall(self, which: Bools, total: int | Ints) -> None:
        """Off the barrel, or never on it; a fall is counted (T-BAR-10)."""
        self.scores = np.where(which, total, self.scores)
        self.barrel &= ~which
        self.attempts[which] = 0
        self.falls += which
        self.events |= np.where(which, FALL, np.int16(0))

    def _count_attempts(self) -> None:
        """Step 8 (T-BAR-07 to T-BAR-10, T-BAR-14, T-WO-08)."""
        rules = self.rules
        assert rules.barrel_at is not None
        concerned = self.active & self.was_on & self.barrel & self.open
        if not concerned.any():
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
        self.events |= np.where(counted, ATTEMPT, np.int16(0))
        last = counted & (self.attempts >= rules.barrel_attempts)
        if rules.barrel_fall_to == "last_contract":
            self._fall(last, rules.barrel_at - self.last_contracts)
        else:
            self._fall(last, FALL_TO)
        self._truck(fell | last)  # T-TRK-03: looked at once more for who has just fallen

    def _mount(self) -> None:
        """Step 9 (T-BAR-01, T-BAR-12, T-BAR-13, T-BAR-16)."""
        rules = self.rules
        assert rules.barrel_at is not None
        new = ~self.barrel & (self.scores >= rules.barrel_at) & self.open
        if not new.any():
            return
        meets = new.any(axis=1)[:, None]
        sits = self.barrel & meets
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
        self.scores = np.where(mounted, rules.barrel_at, self.scores)
        self.barrel |= mounted
        self.attempts[mounted] = 0  # T-BAR-08
        self.events |= np.where(mounted, MOUNT, np.int16(0))

    def _stays(self, new: Bools) -> Bools:
        """Which of several newcomers of one deal stays (T-BAR-13)."""
        kind = self.rules.barrel_same_deal
        if kind == "all_fined":
            return np.zeros_like(new)
        key = -self.place if kind == "declarer_then_seat" else self.scores * 8 - self.place
        key = np.where(self.own, 1 << 40, key)
        best = np.argmax(np.where(new, key, np.iinfo(np.int64).min), axis=1)
        return np.arange(self.rules.players) == best[:, None]

    def _third_falls(self) -> None:
        """Step 10 (T-BAR-11)."""
        if self.rules.barrel_third_fall != "zero":
            return
        third = (self.falls >= 3) & self.open
        self.scores[third] = 0
        self.falls[third] = 0
        self.events[third] |= THIRD_FALL

    def _golden_round(self) -> None:
        """A golden round that nobody made (T-GOLD-07)."""
        s, games, fail = self.s, self.games, self.rules.golden_fail
        golden = self.golden & self.open[:, 0]
        made = s.golden_made[games] | (self.made & golden)
        left = s.golden_left[games] - golden
        failed = golden & (left == 0) & ~made
        if fail in ("reset_and_normal", "reset_and_replay"):
            self.scores[failed] = 0
            self.barrel[failed] = False
            self.attempts[failed] = 0
            self.events[failed] |= GOLDEN_RESET
        if fail in ("replay", "reset_and_replay"):
            left = np.where(failed, self.rules.players, left)
        s.golden_left[games] = left
        s.golden_made[games] = made

    def write(self) -> None:
        """The match after the deal, and the report of it."""
        s, games = self.s, self.games
        won = self.winner >= 0
        self.events[won, self.winner[won]] |= WIN
        gains = self.scores - s.start_scores[games]
        s.scores[games] = self.scores
        s.bolts[games] = self.bolts
        s.barrel[games] = self.barrel
        s.attempts[games] = self.attempts
        s.falls[games] = self.falls
        s.write_offs[games] = self.write_offs
        s.last_contracts[games] = self.last_contracts
        s.deals_played[games] += 1  # T-WO-05
        s.winner[games] = self.winner
        s.last_dealer[games] = self.dealer
        s.last_declarer[games] = self.declarer
        s.last_bid[games] = self.bid
        s.last_contract[games] = self.contract
        s.last_written_off[games] = self.off
        s.last_made[games] = self.made
        s.last_golden[games] = self.golden
        s.last_dark[games] = self.dark
        s.last_talon[games] = s.talon[games]
        s.last_points[games] = self.cards
        s.last_marriages[games] = self.marriages
        s.last_tricks[games] = self.tricks
        s.last_entries[games] = self.entries
        s.last_fines[games] = self.fines
        s.last_scores[games] = self.scores
        s.last_gains[games] = gains
        s.last_events[games] = self.events
        s.last_winner[games] = self.winner


def settle(s: ThousandState, t: Tables, games: I64) -> None:
    """Write the deals of the given games down (section 20)."""
    settlement = Settlement(s, t, games)
    settlement.run()
    settlement.write()


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
