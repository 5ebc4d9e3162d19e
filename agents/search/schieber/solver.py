"""Schieber with open cards, solved exactly: what a position is worth when nobody has anything to guess.

The worth of a position is the *difference* that the rest of the hand makes between the teams: card points, the 5 of
the last trick and the match bonus (J-PTS-01..05) of the seats 0 and 2 less those of the others, before the contract's
multiplier. Weis do not depend on the play, and Stöck goes to whoever holds it, so they are left to the caller; that a
match may end in the middle of a hand (J-END-01) is not considered either.

Queries: the value, the value of every legal card, and whether it is at least so much; each with a budget of positions
that may be visited, and an honest answer when it runs out: bounds.

Random deals on one core of a busy machine, mean (median) of a value: trump with 5, 6, 7 tricks left 1.8 (1.2), 14 (9),
87 (50) ms; Obenabe with 7 tricks 9 (5) ms, whole deals 0.38 (0.21) s; Undenufe, whole deals, 0.56 (0.31) s. Whole
deals with trumps take far longer: give them a budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....envs.core import bits
from ....envs.core.bits import BIT, I64, U64
from ....envs.core.errors import BidtrickError
from ....envs.schieber.rules import SchieberRules
from ....envs.schieber.tables import CARDS, OBENABE, card_points
from ...heuristic.schieber_position import ORDER
from ..kernels import new_table
from . import kernel as k

#: Place of each card in contract order. int64 [6, 36].
PLACE: I64 = ORDER.argsort(axis=1)
#: More positions than any search visits.
NO_LIMIT = 1 << 60
#: All cards.
ALL = (1 << CARDS) - 1
#: Deals that a transposition table tells apart.
_DEALS = 1 << 22


class PositionError(BidtrickError):
    """A position that cannot be: hands of unequal size, a card in two places."""


class Bounds(NamedTuple):
    """An answer: the value is from `low` to `high`, and exact if they are equal; `nodes` positions were visited."""

    low: int
    high: int
    nodes: int

    @property
    def exact(self) -> bool:
        return self.low == self.high


class Estimate(NamedTuple):
    """Values that may be estimates: `tricks` complete tricks were searched (-1: none, not even the present one), and
    what follows was played out by `kernel.play_out`; `exact` if nothing was left to play out."""

    values: dict[int, int]
    tricks: int
    exact: bool
    nodes: int


@dataclass(frozen=True)
class Position:
    """A position of the card play with open cards.

    Attributes:
        hands: four words of cards held, by seat.
        contract: 0..3 the trump suit, 4 Obenabe, 5 Undenufe.
        leader: seat that leads, or has led, the present trick.
        trick: cards on the table, in order.
        sweeps: whether seats 0 and 2, and seats 1 and 3, may still take all nine tricks of the hand.
    """

    hands: tuple[int, int, int, int]
    contract: int
    leader: int
    trick: tuple[int, ...] = ()
    sweeps: tuple[bool, bool] = (True, True)

    def __post_init__(self) -> None:
        counts = [hand.bit_count() for hand in self.hands]
        played = [(seat - self.leader) % 4 < len(self.trick) for seat in range(4)]
        total = sum(counts) + len(self.trick)
        whole = 0
        for word in (*self.hands, *(1 << card for card in self.trick)):
            whole |= word
        if not 0 <= self.contract < 6 or not 0 <= self.leader < 4 or len(self.trick) > 3:
            raise PositionError(
                "position: contract must be from 0 to 5, leader from 0 to 3, trick of up to three cards; got "
                f"{self.contract}, {self.leader}, {len(self.trick)}"
            )
        if len({count + there for count, there in zip(counts, played, strict=True)}) > 1 or not total:
            raise PositionError(f"position: hands must have been equally large before this trick; they have {counts}")
        if whole >> CARDS or whole.bit_count() != total:
            raise PositionError(f"position: cards must be different numbers from 0 to {CARDS - 1}")

    @property
    def tricks_left(self) -> int:
        """Tricks that are not complete."""
        return self.hands[self.leader].bit_count() + bool(self.trick)

    @property
    def player(self) -> int:
        """The seat to act."""
        return (self.leader + len(self.trick)) % 4


class Solver:
    """Solves positions of one set of rules; keeps its memory between calls (one thread at a time).

    Args:
        rules: card points and match bonus are read from them.
        table_bits: the transposition table has 2^table_bits entries of 16 bytes.
    """

    def __init__(self, rules: SchieberRules, table_bits: int = 20) -> None:
        self.rules = rules
        self._half = rules.match_bonus // 2
        points = np.array([card_points(contract, rules) for contract in range(6)], np.int64)
        self._points = np.take_along_axis(points, ORDER, axis=1)
        patterns = (np.arange(512)[:, None] >> np.arange(9)) & 1
        #: points of nine bits of a slot, by contract. int64 [6, 4, 512]
        self._sums = np.einsum("csr,pr->csp", self._points.reshape(6, 4, 9), patterns)
        self._table = new_table(table_bits)
        self._deal = 0
        self._frames = np.zeros((k.FRAMES, k.COLUMNS), np.int64)
        self._moves = np.zeros((k.FRAMES, 9, 2), np.int64)
        self._history = np.zeros((8, CARDS), np.int64)
        self._hands = np.zeros(4, np.int64)

    def clear(self) -> None:
        """Forget all positions: what is asked next takes as many nodes as if it were asked first."""
        self._table[:] = 0
        self._deal = 0

    def value(self, position: Position, nodes: int = NO_LIMIT) -> Bounds:
        """The difference that the rest of the hand makes, for seats 0 and 2, with best play of all."""
        low, high, left = self._begin(position)
        low, high, used = self._solve(position, low, high, left // 2, nodes)
        return Bounds(2 * low - left, 2 * high - left, used)

    def at_least(self, position: Position, difference: int, nodes: int = NO_LIMIT) -> bool | None:
        """Whether the value is at least `difference`; None if the nodes ran out before that was settled."""
        low, high, left = self._begin(position)
        need = -((-difference - left) // 2)  # the least whole number of points that makes the difference
        if need <= low or need > high:
            return need <= low
        frame = self._frames[0]
        frame[k.NEED] = need
        found = k.search(*self._arguments(position), 0, nodes)
        return None if found == k.OUT_OF_NODES else bool(found >= need)

    def cards(self, position: Position, nodes: int = NO_LIMIT) -> dict[int, Bounds]:
        """The value after each legal card, by card; the nodes are those of all cards together."""
        left, root, legal = self._root(position)
        lows, highs, used = self._solve_cards(position, root, legal, 0, nodes)
        return {
            card: Bounds(int(2 * lows[place] - left), int(2 * highs[place] - left), used)
            for card, place in self._places(position, legal)
        }

    def estimate(self, position: Position, nodes: int, cards: int = ALL) -> Estimate:
        """The value after each legal card (of the mask `cards`) as well as it can be known with so many nodes.

        First every card is played out (which is done whatever `nodes` is: at most 9 · 36 cards). Then the present trick
        is searched, then one trick more, and so on, with the rest played out, while the nodes last. What the deepest
        complete search says counts.
        """
        left, root, legal = self._root(position)
        if cards != ALL:
            legal &= int(ordered(np.array(cards, np.uint64), position.contract))
        values = np.zeros(CARDS, np.int64)
        used = int(k.play_out_cards(*self._arguments(position)[:5], *self._arguments(position)[6:8], legal, values))
        after = 4 * (position.tricks_left - 1)  # cards left when the present trick is complete
        depth, exact = -1, False
        while not exact and used < nodes:
            horizon = after - 4 * (depth + 1)
            exact = horizon <= 4  # last tricks play themselves
            self._new_deal()
            lows, highs, more = self._solve_cards(position, root, legal, 0 if exact else horizon, nodes - used)
            used += more
            if (lows != highs).any():
                exact = False
                break
            values, depth = lows, depth + 1
        found = {card: int(2 * values[place] - left) for card, place in self._places(position, legal)}
        return Estimate(found, position.tricks_left if exact else depth, exact, used)

    def estimate_value(self, position: Position, nodes: int) -> Bounds:
        """The value as well as it can be known with so many nodes, as `estimate` does; both bounds say the same."""
        low, high, left = self._begin(position)
        used, depth = int(position.tricks_left * 4), 0
        value = int(k.play_out(self._frames, 0, *self._arguments(position)[1:5], *self._arguments(position)[6:8]))
        tricks = position.tricks_left - bool(position.trick)
        while used < nodes and depth < tricks:
            depth += 1
            horizon = 4 * (tricks - depth)
            self._new_deal()
            arguments = self._arguments(position)
            a, b, more = k.solve(*arguments, 0 if horizon <= 4 else horizon, low, high, value, nodes - used)
            used += int(more)
            if a != b:
                break
            value = int(a)
            if horizon <= 4:
                break
        return Bounds(2 * value - left, 2 * value - left, used)

    def _root(self, position: Position) -> tuple[int, I64, int]:
        """Begin. Returns the points left, a copy of frame 0, and the legal cards in contract order."""
        _, _, left = self._begin(position)
        root = self._frames[0].copy()
        hand = int(self._hands[position.player])
        legal = k.legal_cards(hand, int(root[k.LED]), int(root[k.BEST]), position.contract < OBENABE)
        return left, root, int(legal)

    def _solve_cards(self, position: Position, root: I64, legal: int, horizon: int, nodes: int) -> tuple[I64, I64, int]:
        lows, highs = np.zeros(CARDS, np.int64), np.zeros(CARDS, np.int64)
        lows[bits.indices_of(legal)] = 1  # not known yet
        used = k.solve_cards(*self._arguments(position), horizon, legal, root, nodes, lows, highs)
        return lows, highs, int(used)

    @staticmethod
    def _places(position: Position, legal: int) -> list[tuple[int, int]]:
        """Legal cards and their places in contract order."""
        return [(int(ORDER[position.contract][place]), place) for place in bits.indices_of(legal)]

    def _begin(self, position: Position) -> tuple[int, int, int]:
        """Fill frame 0 in. Returns the bounds of its value, and the points left."""
        contract, place = position.contract, PLACE[position.contract]
        self._hands[:] = ordered(np.array(position.hands, np.uint64), contract).view(np.int64)
        points = self._points[contract]
        trump = contract < OBENABE
        f = self._frames[0]
        f[:] = 0
        f[k.SEAT], f[k.LED], f[k.BEST] = position.player, -1, -1
        table = 0
        for order, card in enumerate(int(place[card]) for card in position.trick):
            if not order:
                f[k.LED] = card // 9
            if not order or k.beats(card, int(f[k.BEST]), trump):
                f[k.BEST], f[k.BEST_SEAT] = card, (position.leader + order) % 4
            f[k.LYING] += points[card]
            table |= 1 << card
        f[k.ORDER_OF] = len(position.trick)
        f[k.ALIVE] = np.bitwise_or.reduce(self._hands) | table
        f[k.SWEEP] = (position.sweeps[0] | position.sweeps[1] << 1) if self._half else 0
        left = int(points[bits.indices_of(int(f[k.ALIVE]))].sum()) + 5
        f[k.LEFT] = left
        self._new_deal()
        self._history[:] = 0
        low = -self._half if f[k.SWEEP] & 2 else 0
        return low, left + (self._half if f[k.SWEEP] & 1 else 0), left

    def _new_deal(self) -> None:
        """Tell what comes from what the table holds."""
        self._deal = (self._deal + 1) % _DEALS
        if not self._deal:
            self.clear()
            self._deal = 1

    def _arguments(self, position: Position) -> tuple[I64, I64, I64, I64, I64, I64, bool, int, I64, int]:
        contract = position.contract
        return (
            self._frames, self._moves, self._history, self._hands, self._points[contract], self._sums[contract],
            contract < OBENABE,            self._half, self._table, self._deal,
        )  # fmt: skip

    def _solve(self, position: Position, low: int, high: int, guess: int, nodes: int) -> tuple[int, int, int]:
        return k.solve(*self._arguments(position), 0, low, high, guess, nodes)


def ordered(words: U64, contract: int) -> U64:
    """Words of cards in contract order (`kernel`). uint64 [...] → uint64 [...]."""
    planes = bits.unpack(words[..., None], CARDS)
    return planes[..., ORDER[contract]] @ BIT[:CARDS]
