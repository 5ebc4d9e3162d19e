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
_HELD: list[Floats] = [((_CODES >> rank) & 1).astype(np.float32) for rank in range(NUM_RANKS)]
PAIR: Floats = _HELD[QUEEN] * _HELD[KING]


def has_pair(held: I64) -> I64:
    """1 where a hand holds a marriage. int64 [..., 4] → int64 [...]."""
    pair = _PACKED.take(held[..., 0])
    for suit in (1, 2, 3):
        pair |= _PACKED.take(held[..., suit])
    return pair & 1


def holdings(hand: U8) -> I64:
    """Cards of each suit as a number of six bits. uint8 [n, 24] → int64 [n, 4]."""
    cards = hand.reshape(-1, NUM_RANKS)
    held = cards[:, 0].astype(np.int64)
    for rank in range(1, NUM_RANKS):
        held += cards[:, rank].astype(np.int64) << rank
    return held.reshape(-1, 4)


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


def hand_counts(pairs: I64, aces: I64, tens: I64, rules: ThousandRules) -> Iterator[tuple[str, Floats]]:
    """What counts in the whole hand, by name: numbers of marriages, aces, tens without their ace → float32."""
    some = (pairs > 0).astype(np.float32)
    yield "any_pair", some
    yield "pair_aces", some * aces
    yield "pair_no_ace", some * (aces == 0)
    yield "pair_tens", some * tens
    yield "aces_2", (aces >= 2).astype(np.float32)
    yield "four_aces", (aces == 4) * np.float32(rules.ace_marriage * rules.ace_marriage_value / 10)
    yield "one", np.ones(pairs.shape, np.float32)


#: Numbers of marriages, aces, tens without ace of a holding, packed so that suits can be added. int64 [64].
_PACKED: I64 = (PAIR + 8 * _HELD[ACE] + 64 * _HELD[TEN] * (1 - _HELD[ACE])).astype(np.int64)


class HandEstimate:
    """Estimates for one set of rules.

    Attributes:
        give: float32 [6], what giving a card of each rank does beside leaving the hand.
    """

    def __init__(self, rules: ThousandRules) -> None:
        values = np.array(rules.marriage_values, np.float32)[:, None] / 10
        packed = np.arange(512)
        #: By stage: points of a holding, float32 [4, 64]; of the whole hand by packed numbers, float32 [512].
        self._suits: list[Floats] = []
        self._whole: list[Floats] = []
        for column in (0, 1) if rules.players > 2 else (2, 3):
            suits = np.zeros((4, HOLDINGS), np.float32)
            suits += np.float32(HAND["pairs"][column]) * PAIR + np.float32(HAND["pair_values"][column]) * PAIR * values
            for name, count in suit_counts():
                suits += np.float32(HAND[name][column]) * count
            whole = np.zeros(512, np.float32)
            for name, count in hand_counts(packed & 7, packed >> 3 & 7, packed >> 6, rules):
                whole += np.float32(HAND[name][column]) * count
            self._suits.append(suits)
            self._whole.append(whole)
        self.give: Floats = np.array([GIVE[name] for name in RANK_NAMES], np.float32)

    def points(self, held: I64, stage: int) -> Floats:
        """Points that the declarer may expect, marriages included. int64 [..., 4] → float32 [...]."""
        suits = self._suits[stage]
        total, packed = suits[0].take(held[..., 0]), _PACKED.take(held[..., 0])
        for suit in (1, 2, 3):
            total += suits[suit].take(held[..., suit])
            packed += _PACKED.take(held[..., suit])
        return total + self._whole[stage].take(packed)

    def chance(self, points: Floats, contract: Floats, pair: npt.ArrayLike, stage: int) -> Floats:
        """Chance to reach a contract with so many expected points; less sure with a marriage. Broadcasts."""
        spread = np.float32(MAKE["spread"][stage]) + np.float32(MAKE["spread_pair"][stage]) * np.asarray(pair)
        margin = (points - contract + np.float32(MAKE["shift"][stage])) / spread
        return 1 / (1 + np.exp(-np.clip(margin, -30, 30)))


assert CARDS == 4 * NUM_RANKS
