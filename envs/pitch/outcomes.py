"""Scores of hands looked up: what the usual hand pays follows from bid and points alone, whatever the scores are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.bits import I64, U8, U64
from .play import by_side
from .rules import PitchRules
from .scoring import Bools, makes_target, own_entry, score_hand
from .state import BID, BIDDER, I8, I32, PARTNER, TRICKS, masked

F32 = npt.NDArray[np.float32]
#: Scores [n, E], winners of the match (masks), rewards of the seats [n, P].
Scored = tuple[npt.NDArray[np.integer], U8, npt.NDArray[np.floating[Any]]]

#: Points of a side lie below 1 << POINT_BITS.
POINT_BITS = 5
_RADIX = np.int64(1 << POINT_BITS)
_ONE, _TWO, _FOUR = np.int8(1), np.int64(2), np.int64(4)
_TEAM_BITS: I64 = np.array([1, 2])

#: The bit of `Outcomes.result` above the winners of the match: a moon was made.
SHOT = 4
#: What one team wins and the other loses, by team and seat.
SIDES: F32 = np.array([[1, -1, 1, -1], [-1, 1, -1, 1]], np.float32)

#: Targets up to this one have tables of what is shown of scores.
_LARGEST_TARGET = 1000


@dataclass(frozen=True)
class Outcomes:
    """Hands of four; the index is (bid, team of the bidder, points of team 0, points of team 1).

    gains: uint64, what the hand adds to the scores, two int32 in a word, but for a moon that was made.
    result: uint8, teams that win the match by a failed moon (a mask), and SHOT.
    rewards: float32 [·, 4] of the seats for points, but for a moon that was made.
    winners: uint8 [8] (team of the bidder, teams at the target) → teams that win.
    """

    gains: U64
    result: U8
    rewards: F32
    winners: U8


#: BD-33: if both teams reach the target the bidder's wins.
_WINNERS: U8 = np.array([0, 1, 2, 1, 0, 1, 2, 2], np.uint8)


@lru_cache(maxsize=64)
def outcomes(rules: PitchRules, scale: float) -> Outcomes | None:
    """None for rules under which scores decide in other ways than by reaching the target (P-END-01, P-END-02)."""
    usual = rules.both_out == "bidder" and rules.check == "hand_end" and not rules.win_by_lead
    if rules.five or rules.defender_cap or rules.win_requires_bid or not usual:
        return None
    shape = (rules.total + 3, 2, 1 << POINT_BITS, 1 << POINT_BITS)
    axes: I64 = np.indices(shape).reshape(4, -1)
    bid: I64 = axes[0]
    bidder: I64 = axes[1]
    sides: I64 = axes[2:]
    took, against = np.where(bidder, sides[::-1], sides)
    before, early = np.zeros((len(bid), 2), np.int64), np.zeros(len(bid), np.bool_)
    scores, made, _ = score_hand(rules, before, bidder, bidder + 2, bid, took, against, early)
    outright = (bid > rules.total) & (rules.moon_mode != "pm20")
    # the other team wins by a failed moon (P-MOON-04); what a made one pays depends on the score (P-MOON-02)
    result = np.where(outright & ~made, 2 - bidder, 0) | np.where(outright & made, SHOT, 0)
    rewards = seat_rewards(rules, point_shares(rules, scores, own_entry(rules, bidder), outright & ~made, scale))
    gains: U64 = scores.astype(np.int32).view(np.uint64)[:, 0]
    return Outcomes(gains, result.astype(np.uint8), rewards.astype(np.float32, order="C"), _WINNERS)


def point_shares(rules: PitchRules, gain: I64, own: I64, lost: Bools, scale: float) -> npt.NDArray[np.float64]:
    """What a hand is worth to the score entries. [n, E].

    Args:
        own: the bidder's entry. lost: hands in which a moon lost the match outright.
    """
    # a failed moon loses the match although it leaves the score as it is: it costs the whole target
    if np.count_nonzero(lost):
        mine = np.arange(rules.entries) == own[:, None]
        gain = np.where(lost[:, None] & mine, -rules.target, gain)
    return gain / scale


def match_shares(winners: Bools) -> npt.NDArray[np.float64]:
    """What the end of the match is worth to the score entries. [n, E]."""
    return winners / np.maximum(winners.sum(axis=1, keepdims=True), 1)


def seat_rewards(rules: PitchRules, share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of the seats from values of the score entries: own value less the mean of the others'. [n, E] → [n, P]."""
    reward = share - (share.sum(axis=1, keepdims=True) - share) / (rules.entries - 1)
    return reward if rules.five else reward[:, [0, 1, 0, 1]]


class Scorer:
    """Scores of hands, who wins the match, and what is paid for it."""

    def __init__(self, rules: PitchRules, reward: str, scale: float) -> None:
        self._rules, self._scale, self._entries = rules, scale, rules.entries
        self._outcomes = outcomes(rules, scale)
        # P-MOON-02, P-MOON-03, BD-30: a moon that is made wins from scores above this one
        self._moon_above = -(2**31) if rules.moon_mode == "instant" else -1 if rules.moon_at_zero == "win" else 0
        masks = masked(np.arange(1 << rules.entries), rules.entries)
        #: Rewards of the seats for the winners of the match (a mask), if it is them that count. float32 [2^E, P].
        self._match_rewards: F32 | None = None
        if reward == "match":
            self._match_rewards = seat_rewards(rules, match_shares(masks)).astype(np.float32, order="C")

    def __call__(self, hand: I8, match: I32, points: U8) -> Scored:
        """Score hands.

        Args:
            hand, match: rows of `PitchState.hand` and `match` before the hand is scored.
            points: [n, P] by seat.

        Returns: scores [n, E], winners of the match (masks), rewards of the seats [n, P].
        """
        if self._outcomes is None:
            scores, won, paid = self._compute(hand, match, points)
        else:
            scores, won, paid = self._look_up(self._outcomes, hand, match, points)
        if self._match_rewards is not None:
            paid = self._match_rewards.take(won, axis=0)
        return scores, won, paid

    def _compute(self, hand: I8, match: I32, points: U8) -> Scored:
        """By the rules, whatever they are; rewards are for points."""
        rules, entries = self._rules, self._entries
        wide = hand.astype(np.int64)
        bidder, partner, bid = wide[:, BIDDER], wide[:, PARTNER], wide[:, BID]
        took, against = by_side(points, bidder, partner)
        before = match[:, :entries].astype(np.int64)
        early = np.zeros(len(hand), np.bool_)
        if rules.check == "mid_hand":  # BD-34
            early = makes_target(rules, before, bidder, bid, took) & (hand[:, TRICKS] > 0)
        scores, made, winners = score_hand(rules, before, bidder, partner, bid, took, against, early)
        won = np.packbits(winners, axis=1, bitorder="little")[:, 0]
        lost = (bid > self._rules.total) & ~made & (rules.moon_mode in ("source", "instant"))
        paid = point_shares(rules, scores - before, own_entry(rules, bidder), lost, self._scale)
        return scores, won, seat_rewards(rules, paid)

    def _look_up(self, o: Outcomes, hand: I8, match: I32, points: U8) -> Scored:
        """By tables, four-handed."""
        team = points[:, :2] + points[:, 2:]
        bidder = hand[:, BIDDER] & _ONE
        index = hand[:, BID] * _TWO + bidder
        index <<= 2 * POINT_BITS
        index += team[:, 0] * _RADIX
        index += team[:, 1]
        scores = match[:, :2] + o.gains.take(index).view(np.int32).reshape(-1, 2)
        won, paid = o.result.take(index), o.rewards.take(index, axis=0)
        shot = (won & SHOT).nonzero()[0]
        if len(shot):  # P-MOON-06, BD-28: a winning moon writes the target, one from below zero writes 0
            one = bidder.take(shot)
            slot = shot * 2 + one
            before = match[:, :2].ravel().take(slot)
            wins = before > self._moon_above
            now = wins * np.int32(self._rules.target)
            scores.ravel()[slot] = now
            won[shot] = 0
            paid[shot] = SIDES.take(one, axis=0) * ((now - before) / self._scale)[:, None] + 0.0
        at_target = scores >= self._rules.target
        if np.count_nonzero(at_target):
            won |= o.winners.take(bidder * _FOUR + (at_target @ _TEAM_BITS))
        return scores, won, paid


class ShownScores:
    """Scores as an observation shows them: rows SCORE, TO_GO and SIGN of the sheet."""

    def __init__(self, rules: PitchRules) -> None:
        self._five, self._target = rules.five, rules.target
        # all is equal below the lowest and above the highest of these scores
        self._lowest = min(-2 * rules.target, rules.target - 255)
        self._tables: list[npt.NDArray[Any]] = []
        if rules.target <= _LARGEST_TARGET:
            scores = np.arange(self._lowest, 2 * rules.target + 1)
            table = self._compute(np.repeat(scores[:, None], rules.entries, axis=1))
            if rules.five:
                self._tables = [np.ascontiguousarray(table[:, :, 0])]
            else:  # the bytes of each team in the three rows
                words = table.view(np.uint32)[:, :, 0]
                self._tables = [words & np.uint32(0x00FF00FF), words & np.uint32(0xFF00FF00)]

    def rows(self, scores: npt.NDArray[np.integer]) -> U8:
        """int [n, E] → uint8 [n, 3, B]."""
        if not self._tables:
            return self._compute(scores)
        place = scores - self._lowest
        if self._five:
            out = np.zeros((len(scores), 3, 8), np.uint8)
            out[:, :, :5] = self._tables[0].take(place, axis=0, mode="clip").transpose(0, 2, 1)
            return out
        first, second = self._tables
        words = first.take(place[:, 0], axis=0, mode="clip")
        words |= second.take(place[:, 1], axis=0, mode="clip")
        return words.view(np.uint8).reshape(-1, 3, 4)

    def _compute(self, scores: npt.NDArray[np.integer]) -> U8:
        out = np.zeros((len(scores), 3, 8 if self._five else 4), np.uint8)
        seats = out[:, :, :5] if self._five else out.reshape(-1, 3, 2, 2)
        wide = scores.astype(np.int64)
        # 64 steps to the target, zero at 128: cut two targets away from zero on either side
        coarse = np.minimum(np.maximum(wide * 64 // self._target + 128, 0), 255)
        to_go = np.minimum(np.maximum(self._target - wide, 0), 255)
        shown = np.stack([coarse, to_go, np.sign(wide) + 1], axis=1)
        seats[...] = shown if self._five else shown[:, :, None]
        return out
