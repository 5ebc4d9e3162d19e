"""What a hand of Thousand is worth to the declarer: an estimate of his points, and his chance to make a contract.

A hand is counted suit by suit: so much for each card, for top cards together, for length, for a marriage. The counts
(`thousand_weights.HAND`) estimate the points that the declarer ends with, marriages included.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ...envs.thousand.rules import ThousandRules
from ...envs.thousand.tables import ACE, CARDS, KING, NUM_RANKS, QUEEN, TEN
from ..base import I64
from .thousand_position import U8, Floats
from .thousand_weights import GIVE, HAND, MAKE

#: When a hand is counted: with the talon, or after cards were given away.
WITH_TALON, AFTER_GIVING = 0, 1

RANK_NAMES = ("nine", "jack", "queen", "king", "ten", "ace")
HOLDINGS = 1 << NUM_RANKS
_CODES = np.arange(HOLDINGS)
_BITS: I64 = 1 << np.arange(NUM_RANKS)
_HELD: list[Floats] = [((_CODES >> rank) & 1).astype(np.float32) for rank in range(NUM_RANKS)]
PAIR: Floats = _HELD[QUEEN] * _HELD[KING]


def holdings(hand: U8) -> I64:
    """Cards of each suit as a number of six bits. uint8 [n, 24] → int64 [n, 4]."""
    return hand.reshape(-1, 4, NUM_RANKS).astype(np.int64) @ _BITS


def suit_counts() -> Iterator[tuple[str, Floats]]:
    """What counts in one suit, by name: float32 [64], for every holding."""
    ace, ten, king = _HELD[ACE], _HELD[TEN], _HELD[KING]
    length = sum(_HELD)
    yield from zip(RANK_NAMES, _HELD, strict=True)
    yield "ace_ten", ace * ten
    yield "ace_ten_king", ace * ten * king
    yield "ace_king", ace * king * (1 - ten)
    yield "bare_ten", (1 - ace) * ten * (length == 1)
    yield "guarded_ten", (1 - ace) * ten * (length > 2)
    for number in (0, 1, 3, 4, 5, 6):
        yield f"length_{number}", (length >= number if number > 1 else length == number) * np.float32(1)
    yield "pair_ace", PAIR * ace
    yield "pair_ten", PAIR * ten
    yield "pair_long", PAIR * (length >= 4)


def hand_counts(held: I64, rules: ThousandRules) -> Iterator[tuple[str, Floats]]:
    """What counts in the whole hand, by name: int64 [..., 4] → float32 [...]."""
    pairs = PAIR.take(held)
    number = pairs.sum(axis=-1)
    aces = _HELD[ACE].take(held).sum(axis=-1)
    tens = (_HELD[TEN] * (1 - _HELD[ACE])).take(held).sum(axis=-1)
    some = (number > 0).astype(np.float32)
    values = np.array(rules.marriage_values, np.float32) / 10
    yield "pairs", number
    yield "pair_values", (pairs * values).sum(axis=-1)
    yield "any_pair", some
    yield "pair_aces", some * aces
    yield "pair_no_ace", some * (aces == 0)
    yield "pair_tens", some * tens
    yield "aces_2", (aces >= 2).astype(np.float32)
    yield "four_aces", (aces == 4) * np.float32(rules.ace_marriage * rules.ace_marriage_value / 10)
    yield "one", np.ones(held.shape[:-1], np.float32)


class HandEstimate:
    """Estimates for one set of rules."""

    def __init__(self, rules: ThousandRules) -> None:
        self._rules = rules
        columns = (0, 1) if rules.players > 2 else (2, 3)
        self._whole = {name: [HAND[name][c] for c in columns] for name in _names_of_hand(rules)}
        self._suits: list[Floats] = []
        for column in columns:
            table = np.zeros(HOLDINGS, np.float32)
            for name, count in suit_counts():
                table += np.float32(HAND[name][column]) * count
            self._suits.append(table)
        #: What giving a card of each rank does beside leaving the hand, and what giving half a marriage does.
        self.give: Floats = np.array([GIVE[name] for name in RANK_NAMES], np.float32)

    def points(self, held: I64, stage: int) -> Floats:
        """Points that the declarer may expect, marriages included. int64 [..., 4] → float32 [...]."""
        total = self._suits[stage].take(held).sum(axis=-1)
        for name, count in hand_counts(held, self._rules):
            total += np.float32(self._whole[name][stage]) * count
        return total

    def chance(self, points: Floats, contract: Floats, pair: npt.ArrayLike, stage: int) -> Floats:
        """Chance to reach a contract with so many expected points; less sure with a marriage. Broadcasts."""
        spread = np.float32(MAKE["spread"][stage]) + np.float32(MAKE["spread_pair"][stage]) * np.asarray(pair)
        margin = (points - contract + np.float32(MAKE["shift"][stage])) / spread
        return 1 / (1 + np.exp(-np.clip(margin, -30, 30)))


def _names_of_hand(rules: ThousandRules) -> list[str]:
    return [name for name, _ in hand_counts(np.zeros((1, 4), np.int64), rules)]


assert CARDS == 4 * NUM_RANKS
