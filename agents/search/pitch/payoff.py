"""What points of a hand of Pitch are worth to a seat, and the score that an observation shows."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ....envs.core.bits import I64, U8, U64
from ....envs.core.layout import ObsLayout
from ....envs.pitch.outcomes import point_shares, seat_rewards
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.scoring import own_entry, score_hand
from ....envs.pitch.tables import CARDS, COLUMNS, tables
from .positions import Positions

Floats = npt.NDArray[np.float64]

#: Points to go that an observation cannot tell from more.
_CLIPPED = 255


def shown_scores(obs: U8, layout: ObsLayout, rules: PitchRules) -> I64:
    """The scores: own side and the other, five-handed of the seats, own first. uint8 [D] → int64 [E].

    Scores that are further from the target than an observation shows are taken to be as near as they may be.
    """
    to_go = cast(U8, layout.view(obs, "to_go")).astype(np.int64)[: rules.entries]
    sign = cast(U8, layout.view(obs, "sign")).astype(np.int64)[: rules.entries] - 1
    scores = rules.target - to_go
    far = (to_go == _CLIPPED) & (np.sign(scores) != sign)
    return np.where(far, sign, scores)


def payoff(rules: PitchRules, scores: I64, bid: I64, bidder: I64, partner: I64, took: I64, against: I64) -> Floats:
    """What hands are worth to seat 0, in points: its gain less that of the others (their mean, five-handed).

    As the reward "points" of the engine, not divided: a failed moon that loses the match costs the whole target.

    Args:
        scores: int64 [E] before the hand, by entry of seat 0 first.
        bid, bidder, partner: int64 [n] (partner -1 for none). took, against: int64 [n], points of the bidding side and
            of the others.

    Returns: float64 [n]. It never falls when the points of the own side rise, but for the partner of a moon with five
    players: the bidder alone wins by it (BD-31).
    """
    before = np.broadcast_to(scores, (len(bid), rules.entries)).copy()
    early = np.zeros(len(bid), np.bool_)
    hand = score_hand(rules, before, bidder, partner, bid, took, against, early)
    lost = (bid > rules.total) & ~hand.made & (rules.moon_mode in ("source", "instant"))
    gain = point_shares(rules, hand.scores - before, own_entry(rules, bidder), lost, 1.0)
    return seat_rewards(rules, gain)[:, 0]


class Points:
    """Points of sets of cards under one set of rules."""

    def __init__(self, rules: PitchRules) -> None:
        t = tables(rules)
        self._won = t.won.reshape(5, COLUMNS)[:, :CARDS].astype(np.int64)
        self._own = t.own.reshape(5, COLUMNS)[:, :CARDS].astype(np.int64)
        self._holder = rules.two_scores_when == "holder"

    def of(self, cards: U64, trump: int) -> I64:
        """All points of sets of cards. uint64 [...] → int64 [...]."""
        return self._sum(cards, self._won[trump] + self._own[trump])

    def in_positions(self, positions: Positions) -> I64:
        """Points of all cards held, and on the table. int64 [W]."""
        held = np.bitwise_or.reduce(positions.hands, axis=1)
        total = positions.pot.copy()
        for trump in np.unique(positions.trump).tolist():
            rows = positions.trump == trump
            total[rows] += self.of(held[rows], trump)
        return total

    def credited(self, burned: U64, trump: int) -> I64:
        """What burning cards credits to the side of who burned them (BD-4). uint64 [...] → int64 [...]."""
        return self._sum(burned, self._own[trump]) if self._holder else np.zeros(burned.shape, np.int64)

    @staticmethod
    def _sum(cards: U64, worth: npt.NDArray[Any]) -> I64:
        total = np.zeros(cards.shape, np.int64)
        for card in np.flatnonzero(worth).tolist():
            total += (cards >> np.uint64(card) & np.uint64(1)).astype(np.int64) * int(worth[card])
        return total
