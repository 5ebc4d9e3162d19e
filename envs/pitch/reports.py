"""The facts of the last scored hand, read from what the engine keeps of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .play import by_side
from .rules import PitchRules
from .scoring import does_what_it_bid
from .state import (
    BID,
    BIDDER,
    CALLED,
    CALLED_FROM,
    DEALER,
    LAST_HAND,
    LAST_MATCH,
    LAST_POINTS,
    LAST_TRUMP,
    PARTNER,
    TRICKS,
    PitchState,
    masked,
)

#: Values of "moon".
NO_MOON, MOON_MADE, MOON_FAILED = range(3)


def facts_of(s: PitchState, rules: PitchRules) -> dict[str, npt.NDArray[Any]]:
    """As `Pitch.report` describes, new arrays."""
    hand = s.last[:, LAST_HAND:LAST_POINTS].view(np.int8)
    seats = s.last[:, LAST_POINTS:LAST_MATCH].view(np.uint8)
    points = seats[:, : rules.players].copy()
    numbers = s.last[:, LAST_MATCH:].view(np.int32)
    entries = rules.entries
    gain = numbers[:, s.match.shape[1] :][:, :entries].copy()
    hand_number, won = numbers[:, entries], numbers[:, entries + 1]
    bid, partner = hand[:, BID].copy(), hand[:, PARTNER].copy()
    took, against = by_side(points, np.maximum(hand[:, BIDDER], 0), partner)
    made = does_what_it_bid(rules, bid, took, against) & (bid > 0)
    moon = np.where(bid > rules.total, np.where(made, MOON_MADE, MOON_FAILED), NO_MOON)
    winners = masked(won, entries)
    return {
        "bid": bid,
        "bidder": hand[:, BIDDER].copy(),
        "partner": partner,
        "dealer": hand[:, DEALER].copy(),
        "trump": seats[:, LAST_TRUMP].astype(np.int8),
        "called": hand[:, CALLED].copy(),
        "called_from": hand[:, CALLED_FROM].copy(),
        "took": took.astype(np.int16),
        "against": against.astype(np.int16),
        "made": made,
        "moon": moon.astype(np.int8),
        "tricks": hand[:, TRICKS].copy(),
        "points": points,
        "gain": gain,
        "scores": numbers[:, :entries].copy(),
        "winners": winners,
        "truncated": (won == 0) & (hand_number >= rules.max_hands),
        "winner": np.where(won > 0, np.argmax(winners, axis=1), -1).astype(np.int8),
    }
