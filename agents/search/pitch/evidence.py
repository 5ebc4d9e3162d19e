"""What deals of Pitch make of the hands: who holds which trumps, and which deals cannot be though no case says so."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from ....envs.core.bits import BIT, I64, U8, U64, indices_of
from ....envs.pitch.tables import CARDS, KITTY, MAX_TRUMPS, NO_TRUMP, PLAY
from .knowledge import DEALT, GAINED, SEAT_PLACES, Facts, Knowledge

#: How much a deal counts that cannot be: so little that it is drawn only if there is no other.
IMPOSSIBLE = 1e-9

_COMB = np.array([[comb(n, k) for k in range(28)] for n in range(28)], np.float64)


def trumps_had(k: Knowledge, f: Facts, worlds: U64) -> U64:
    """The trumps that each seat has had in this hand, also those played and burned, not those thrown away.
    uint64 [n, P], own first.

    Where leftovers were swapped without a word (BD-15) their order is drawn for each deal, by a generator that the deal
    itself seeds: equal deals give equal hands.
    """
    trumps = k.tables.trumps[f.trump]
    had: U64 = np.empty((len(worlds), k.seats), np.uint64)
    had[:, 0] = np.uint64(f.own & ~f.thrown | f.got) & trumps
    for seat in range(1, k.seats):
        at = SEAT_PLACES * (seat - 1)
        had[:, seat] = (worlds[:, at + DEALT] | worlds[:, at + GAINED]) & trumps
    if k.taker(f) > 0:
        had[:, k.taker(f)] |= np.uint64(f.thrown)
    if f.kitty_size and k.swaps(f, f.bidder):
        _swap(k, f, worlds, had)
    return had


def trumps_held(k: Knowledge, f: Facts, worlds: U64) -> U64:
    """The trumps that each seat holds now. uint64 [n, P], own first.

    Of burned cards that were not shown the lowest are taken, those without points first, as the rules and good sense
    have it.
    """
    had = trumps_had(k, f, worlds)
    held = had & ~(f.played | f.burned)
    if k.rules.burn_visible:
        return held
    order = [card for card in k.by_cost(f.trump) if card != f.called]
    for seat in np.flatnonzero(f.burns[1:]) + 1:
        missing = np.full(len(worlds), f.burns[seat])
        for card in order:
            here = (held[:, seat] & BIT[card] != 0) & (missing > 0)
            held[here, seat] ^= BIT[card]
            missing -= here
    return held


def _shares(k: Knowledge, f: Facts, worlds: U64, had: U64) -> tuple[I64, I64, I64, U64]:
    """Swapped leftovers by the rule BD-15 (bidder first, each up to six trumps).

    Returns: numbers int64 [n, 2] of trumps that bidder and partner got; those of them that are known, by having been
    played, burned or received by oneself, int64 [n, 2]; trumps in the leftovers int64 [n]; and those of which nobody
    knows who got them, uint64 [n].
    """
    trumps = k.tables.trumps[f.trump]
    there = worlds[:, k.stock] & trumps
    own = np.uint64(f.got) & trumps
    g = np.bitwise_count(there | own).astype(np.int64)
    left, open_ = g.copy(), there.copy()
    numbers, known = np.empty((len(worlds), 2), np.int64), np.empty((len(worlds), 2), np.int64)
    for column, seat in enumerate((f.bidder, (f.bidder + 2) % 4)):
        before = had[:, seat] if seat else np.full(len(worlds), np.uint64(f.own & ~f.thrown) & trumps)
        need = np.maximum(MAX_TRUMPS - np.bitwise_count(before).astype(np.int64), 0)
        numbers[:, column] = np.minimum(need, left)
        left -= numbers[:, column]
        shown = there & (f.played[seat] | f.burned[seat]) if seat else np.full(len(worlds), own)
        known[:, column] = np.bitwise_count(shown)
        open_ &= ~shown
    return numbers, known, g, open_


def _swap(k: Knowledge, f: Facts, worlds: U64, had: U64) -> None:
    """Give bidder and partner what they got of the leftovers."""
    numbers, known, _, open_ = _shares(k, f, worlds, had)
    for i in range(len(worlds)):
        rest = indices_of(int(open_[i]))
        np.random.default_rng([int(word) for word in worlds[i]]).shuffle(rest)
        for column, seat in enumerate((f.bidder, (f.bidder + 2) % 4)):
            if seat:
                more = int(max(numbers[i, column] - known[i, column], 0))
                got, rest = rest[:more], rest[more:]
                shown = worlds[i, k.stock] & (f.played[seat] | f.burned[seat])
                had[i, seat] |= np.bitwise_or.reduce(BIT[got], initial=0) | shown


def swap_chance(k: Knowledge, f: Facts, worlds: U64) -> npt.NDArray[np.float64]:
    """The chance that leftovers in a random order give everybody what he is known to have got. float64 [n]."""
    trumps = k.tables.trumps[f.trump]
    had: U64 = np.zeros((len(worlds), k.seats), np.uint64)
    for seat in range(1, k.seats):
        at = SEAT_PLACES * (seat - 1)
        had[:, seat] = (worlds[:, at + DEALT] | worlds[:, at + GAINED]) & trumps
    numbers, known, g, _ = _shares(k, f, worlds, had)
    (a, b), (ka, kb) = numbers.T, known.T
    possible = (ka <= a) & (kb <= b)
    for column, seat in enumerate((f.bidder, (f.bidder + 2) % 4)):
        if seat == 0:
            possible &= numbers[:, column] == known[:, column]
    ways = _choose(g - ka - kb, a - ka) * _choose(g - a - kb, b - kb)
    return np.where(possible, ways / (_choose(g, a) * _choose(g - a, b)), 0)


def _choose(n: I64, k: I64) -> npt.NDArray[np.float64]:
    """Binomials, 0 where there are none. int64 [n] each."""
    return np.where((n >= 0) & (k >= 0), _COMB[np.maximum(n, 0), np.maximum(k, 0)], 0)


def weight_of(k: Knowledge, obs: U8) -> Weight | None:
    """What the cases of an observation leave open, as a weight of deals; None where they say it all. obs: uint8 [D]."""
    f = k.facts(obs)
    if f.trump == NO_TRUMP or f.phase < KITTY:
        return None
    weight = Weight(k, f)
    return weight if weight.says_something else None


class Weight:
    """How much deals count: 1, or less for what is less likely, or IMPOSSIBLE. uint64 [n, L] → float64 [n]."""

    def __init__(self, knowledge: Knowledge, facts: Facts) -> None:
        self._k, self._f = k, f = knowledge, facts
        seats = list(range(1, k.seats))
        had = np.bitwise_count(f.played)[1:].astype(np.int64) + f.burns[1:]
        self._most = f.burns[1:] + np.array([MAX_TRUMPS if k.has_burned(f, seat) else CARDS for seat in seats])
        at_once = (~f.out[1:]) & (f.phase == PLAY) & (k.rules.out_reveal == "at_once")
        self._least = had + at_once
        self._out = f.out[1:] & (f.phase == PLAY)
        self._swapping = f.kitty_size > 0 and k.swaps(f, f.bidder)
        one_by_one = k.rules.kitty_mode == "one_by_one" and not k.rules.five
        self._looked = f.bidder if one_by_one and f.bidder > 0 and f.received[f.bidder] > 0 else 0
        self.says_something = k.rules.five or bool(at_once.any()) or self._swapping or bool(self._looked)

    def __call__(self, worlds: U64) -> npt.NDArray[np.floating[Any]]:
        k, f = self._k, self._f
        counts = np.bitwise_count(trumps_had(k, f, worlds)[:, 1:]).astype(np.int64)
        result = swap_chance(k, f, worlds) if self._swapping else np.ones(len(worlds))
        if self._looked:
            # BD-14: who has six stops at once, so that the last of the cards he got is the sixth trump
            at = SEAT_PLACES * (self._looked - 1) + GAINED
            got = np.bitwise_count((worlds[:, at] | worlds[:, at + 1]) & k.tables.trumps[f.trump])
            size = int(f.drew[self._looked] + f.received[self._looked])
            result = np.where(counts[:, self._looked - 1] == MAX_TRUMPS, got / size, result)
        wrong = (counts < self._least) | (counts > self._most) | (self._out & (counts != self._least))
        result[wrong.any(axis=1)] = 0
        return np.maximum(result, IMPOSSIBLE)
