"""The exact dealer: counts and draws the deals of unseen cards that fit what a seat knows.

What is known is a list of *cases* that exclude each other. A case says which cards are unseen, where each of them may
be, and how many go to each place. A place is a hand, the talon, a discard, or a part of a hand ("the trumps of the
next seat"), so that knowledge with an "or" in it ("no trump, or only the bare Under") becomes a few cases.

The deals are counted by dynamic programming: cards that may go to the same places form a group, and only how many of
a group go to each place matters. The state is what room is left, so a table has some dozens to some thousands of
rows. A deal is drawn by *unranking*: one integer, uniform below the number of deals, is read as the choice of case
and of every split; the cards of a group are then dealt out by a shuffle. Hence every deal has exactly the same
probability, nothing is ever rejected, and the counts are exact integers however large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ...envs.core.bits import BIT, I64, U64
from ...envs.core.errors import BidtrickError

Bools = npt.NDArray[np.bool_]
#: int64, or Python ints where numbers of deals may exceed them.
Ints = npt.NDArray[Any]
#: Weights of deals: uint64 [n, L] → float [n], finite and not negative, not all zero.
Weight = Callable[[U64], npt.NDArray[np.floating[Any]]]

#: Deals drawn for each one that is kept, when deals are weighted.
CANDIDATES = 16
_INT64 = 1 << 62


class BeliefError(BidtrickError):
    """Cases that cannot be, knowledge that fits no deal, or weights that are no weights."""


@dataclass(frozen=True, eq=False)
class Case:
    """One way things may stand.

    Attributes:
        cards: int64 [k], the unseen cards, different numbers from 0 to 63.
        allowed: bool [k, L], whether a card may be in a place.
        sizes: int64 [L], how many cards each place holds, exactly; their sum is k.

    Raises: BeliefError naming the field and what is wrong with it.
    """

    cards: I64
    allowed: Bools
    sizes: I64

    def __post_init__(self) -> None:
        cards, sizes = np.asarray(self.cards, np.int64), np.asarray(self.sizes, np.int64)
        allowed = np.asarray(self.allowed, np.bool_)
        if cards.ndim != 1 or sizes.ndim != 1 or not len(sizes):
            raise BeliefError(f"case: cards must be [k] and sizes [L]; got {list(cards.shape)} and {list(sizes.shape)}")
        if len(set(cards.tolist())) < len(cards) or (len(cards) and not 0 <= cards.min() <= cards.max() < 64):
            raise BeliefError(f"case: cards must be different numbers from 0 to 63; got {cards.tolist()}")
        if allowed.shape != (len(cards), len(sizes)):
            raise BeliefError(f"case: allowed must be [{len(cards)}, {len(sizes)}]; got {list(allowed.shape)}")
        if sizes.min() < 0 or sizes.sum() != len(cards):
            raise BeliefError(f"case: sizes must be numbers from 0 that sum to {len(cards)}; got {sizes.tolist()}")
        for name, value in (("cards", cards), ("allowed", allowed), ("sizes", sizes)):
            object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False)
class _Step:
    """How many cards of a group go to one place, for every state of the room left.

    place: its number. move: int64 [S, J], cards that choice j puts there. after: int64 [S, J], the state after it.
    ends: Ints [S, J], sums of the deals of choices up to j, the last repeated where there are fewer than J.
    deals: Ints [S, J], the deals that follow a choice, for one way to pick its cards.
    """

    place: int
    move: I64
    after: I64
    ends: Ints
    deals: Ints


class _Table:
    """The deals of one case, counted so that they can be drawn by number."""

    def __init__(self, case: Case) -> None:
        self.places = len(case.sizes)
        keys = case.allowed @ (1 << np.arange(self.places, dtype=np.int64))
        # few places first: that keeps the states few
        order = sorted(set(keys.tolist()), key=lambda key: (key.bit_count(), key))
        self.groups: list[U64] = [BIT[case.cards[keys == key]] for key in order]
        most = factorial(len(case.cards)) // prod(factorial(size) for size in case.sizes.tolist())
        self._dtype: Any = np.int64 if most < _INT64 else object
        self.steps: list[_Step] = []
        self.count = 0
        if 0 in order:  # a card without a place
            return
        forward: list[tuple[int, I64, Bools, I64]] = []
        room = case.sizes[None, :]
        after = len(case.cards)
        for key, group in zip(order, self.groups, strict=True):
            after -= len(group)
            places = [place for place in range(self.places) if key >> place & 1]
            for at, place in enumerate(places):
                left = room.sum(axis=1) - after
                step, room = self._expand(room, left, place, places[at + 1 :])
                forward.append(step)
        if not len(room):
            return
        deals: Ints = np.ones(len(room), self._dtype)
        for step in reversed(forward):
            deals = self._backward(step, deals)
        self.steps.reverse()
        self.count = int(deals[0])

    def _expand(
        self, room: I64, left: I64, place: int, others: list[int]
    ) -> tuple[tuple[int, I64, Bools, I64], I64]:
        """All choices for one place: (place, left, possible, state after), and the room of the states after."""
        least = np.maximum(left - room[:, others].sum(axis=1), 0)  # the others of the group take no more than this
        most = np.minimum(left, room[:, place])
        choices = np.arange(int(most.max(initial=0)) + 1)
        possible = (choices >= least[:, None]) & (choices <= most[:, None])
        source, move = possible.nonzero()
        rooms = room[source]
        rooms[:, place] -= move
        _, first, number = np.unique(rooms @ self._radix(rooms), return_index=True, return_inverse=True)
        after = np.zeros(possible.shape, np.int64)
        after[source, move] = number
        return (place, left, possible, after), rooms[first]

    @staticmethod
    def _radix(rooms: I64) -> I64:
        """Factors that make a row of rooms a number of its own."""
        bases = rooms.max(axis=0, initial=0) + 1
        return np.concatenate([[1], np.cumprod(bases[:-1])])

    def _backward(self, step: tuple[int, I64, Bools, I64], deals: Ints) -> Ints:
        """Number of deals from each state on, given those of the states after; the step is written down."""
        place, left, possible, after = step
        follow: Ints = np.where(possible, deals[after], 0)
        move = np.broadcast_to(np.arange(possible.shape[1]), possible.shape)
        ways = _binomials(self._dtype is object)[left[:, None], move]
        ends: Ints = np.cumsum(ways * follow, axis=1)
        self.steps.append(_Step(place, move, after, ends, follow))
        return ends[:, -1]

    def draw(self, ranks: Ints, rng: np.random.Generator) -> U64:
        """The deals of given numbers (below `count`), cards of groups shuffled. Ints [n] → uint64 [n, L]."""
        n = len(ranks)
        state = np.zeros(n, np.int64)
        moves = np.empty((n, len(self.steps)), np.int64)
        for number, step in enumerate(self.steps):
            ends = step.ends[state]
            choice = np.count_nonzero(ends <= ranks[:, None], axis=1)
            # how the choice's cards are picked is left to the shuffle: any rank among the ways will do
            ranks = (ranks - np.where(choice > 0, ends[np.arange(n), choice - 1], 0)) % step.deals[state, choice]
            moves[:, number] = choice
            state = step.after[state, choice]
        words = np.concatenate(
            [rng.permuted(np.broadcast_to(group, (n, len(group))), axis=1) for group in self.groups]
            or [np.empty((n, 0), np.uint64)],
            axis=1,
        )
        places = np.tile(np.array([step.place for step in self.steps], np.int64), n)
        where = np.repeat(places, moves.ravel()).reshape(words.shape)
        worlds = np.empty((n, self.places), np.uint64)
        for place in range(self.places):
            worlds[:, place] = np.where(where == place, words, 0).sum(axis=1, dtype=np.uint64)
        return worlds


@lru_cache(maxsize=2)
def _binomials(exact: bool) -> Ints:
    """BINOMIALS[n, k] for n, k ≤ 64, as Python ints, or as int64 where they fit (more are not asked for then)."""
    table = [[comb(n, k) for k in range(65)] for n in range(65)]
    if exact:
        return np.array(table, object)
    return np.array([[min(value, _INT64) for value in row] for row in table], np.int64)


class Belief:
    """All deals that fit one of some cases, ready to be counted and drawn.

    Args:
        cases: at least one; over the same cards and the same number of places, and no deal fits two of them. (That
            is up to the caller, since comparing all pairs costs more than drawing; `overlap` checks it.)

    Attributes:
        count: number of deals, an exact int; 0 if the cases contradict themselves.
    """

    def __init__(self, cases: Sequence[Case]) -> None:
        if not cases:
            raise BeliefError("cases: there must be at least one")
        cards = set(cases[0].cards.tolist())
        for number, case in enumerate(cases):
            if set(case.cards.tolist()) != cards or len(case.sizes) != len(cases[0].sizes):
                raise BeliefError(f"cases: number {number} has other cards, or other places, than number 0")
        self.places = len(cases[0].sizes)
        self._tables = [_Table(case) for case in cases]
        self.count = sum(table.count for table in self._tables)

    def sample(self, n: int, rng: np.random.Generator, weight: Weight | None = None) -> U64:
        """Draw n deals, independently and uniformly over all of them. uint64 [n, L], the cards of each place as bits.

        With a `weight` (auction evidence, say: how likely a deal makes the bids that were heard) deals come with
        probabilities proportional to it, approximately: 16 n deals are drawn uniformly, and n of them are chosen by
        their weights (importance resampling, systematic). The more the weights differ, the more of the n are equal.

        Raises: BeliefError if no deal fits, or if weights are negative, not finite, or all zero.
        """
        if not self.count:
            raise BeliefError("cases: no deal fits what is known")
        if weight is None:
            return self._uniform(n, rng)
        worlds = self._uniform(CANDIDATES * n, rng)
        weights = np.asarray(weight(worlds), np.float64)
        if weights.shape != (len(worlds),) or not np.isfinite(weights).all() or (weights < 0).any():
            raise BeliefError(f"weight: must give finite numbers from 0, one a deal [{len(worlds)}]")
        sums = np.cumsum(weights)
        if n and sums[-1] <= 0:
            raise BeliefError(f"weight: gave 0 to all of {len(worlds)} deals")
        points = (np.arange(n) + rng.random()) / max(n, 1) * sums[-1:].sum()
        chosen = np.minimum(np.searchsorted(sums, points, side="right"), len(worlds) - 1)
        return worlds[rng.permutation(chosen)]

    def _uniform(self, n: int, rng: np.random.Generator) -> U64:
        ranks = _below(self.count, n, rng)
        if len(self._tables) == 1:
            return self._tables[0].draw(ranks, rng)
        worlds = np.empty((n, self.places), np.uint64)
        ends = np.array(np.cumsum([table.count for table in self._tables], dtype=object), ranks.dtype)
        case = np.searchsorted(ends, ranks, side="right")
        for number in np.unique(case).tolist():
            rows = (case == number).nonzero()[0]
            start = ends[number - 1] if number else 0
            worlds[rows] = self._tables[number].draw(ranks[rows] - start, rng)
        return worlds


def _below(count: int, n: int, rng: np.random.Generator) -> Ints:
    """Uniform integers from 0 to count - 1. int64 [n], or Python ints if the count does not fit."""
    if count < _INT64:
        return rng.integers(0, count, n)
    bits = count.bit_length()
    ranks: list[int] = []
    while len(ranks) < n:
        rank = int.from_bytes(rng.bytes((bits + 7) // 8), "little") >> (-bits % 8)
        if rank < count:
            ranks.append(rank)
    return np.array(ranks, object)


def count(cases: Sequence[Case]) -> int:
    """The exact number of deals that fit one of the cases (see `Belief`)."""
    return Belief(cases).count


def sample(cases: Sequence[Case], n: int, rng: np.random.Generator, weight: Weight | None = None) -> U64:
    """n deals drawn uniformly from all that fit (see `Belief.sample`). uint64 [n, L], the cards of each place."""
    return Belief(cases).sample(n, rng, weight)


def overlap(a: Case, b: Case) -> int:
    """How many deals fit both cases: 0 for cases that may stand in one belief. They must have the same cards."""
    if not np.array_equal(a.sizes, b.sizes):
        return 0
    order = np.argsort(a.cards)[np.argsort(np.argsort(b.cards))]
    if not np.array_equal(a.cards[order], b.cards):
        raise BeliefError("overlap: the cases have different cards")
    return Belief([Case(b.cards, a.allowed[order] & b.allowed, b.sizes)]).count
