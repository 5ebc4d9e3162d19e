"""Choosing the contract in Schieber: what a hand is worth under each contract, and what a push is worth.

A hand is counted the way players count: so much for each trump, for length, for aces beside it. The counts
give the expected difference of points (own side less the other, Weis and Stöck included) before the multiplier.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .schieber_position import ORDER, F32

U8 = npt.NDArray[np.uint8]

TRUMP_FEATURES = (
    "trump_6", "trump_7", "trump_8", "trump_banner", "trump_ober", "trump_koenig", "trump_ass", "trump_nine",
    "trump_under", "under_nine", "four", "five", "six", "seven", "stock", "ace", "ace_king", "king", "banner", "void", "single", "weis", "one",
)
PLAIN_FEATURES = (
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "top2", "top3", "top4", "top5", "top_length", "guarded", "open", "weis", "one",
)


def hand_features(hand: U8, contract: int, weis: F32) -> F32:
    """Counts of hands under one contract. uint8 [n, 36], float32 [n] (tens) → float32 [n, F]."""
    cards = hand.take(ORDER[contract], axis=1).reshape(-1, 4, 9).astype(np.float32)
    if contract < 4:
        trumps, sides = cards[:, 0], cards[:, 1:]
        length, side_length = trumps.sum(axis=1), sides.sum(axis=2)
        ace, king = sides[:, :, 8], sides[:, :, 7]
        rows = [trumps[:, k] for k in range(9)]
        rows += [trumps[:, 8] * trumps[:, 7], length >= 4, length >= 5, length >= 6, length >= 7]
        rows += [trumps[:, 4] * trumps[:, 5]]
        rows += [ace.sum(axis=1), (ace * king).sum(axis=1), ((1 - ace) * king * (side_length > 1)).sum(axis=1)]
        rows += [sides[:, :, 4].sum(axis=1), (side_length == 0).sum(axis=1), (side_length == 1).sum(axis=1)]
    else:
        length = cards.sum(axis=2)
        runs = np.cumprod(cards[:, :, ::-1], axis=2)  # unbroken from the top
        rows = [cards[:, :, k].sum(axis=1) for k in range(9)]
        rows += [runs[:, :, k].sum(axis=1) for k in range(1, 5)]
        rows += [(cards[:, :, 8] * length).sum(axis=1)]
        guarded = (1 - cards[:, :, 8]) * cards[:, :, 7] * (length > 1)
        rows += [guarded.sum(axis=1), ((1 - cards[:, :, 8]) * (1 - guarded)).sum(axis=1)]
    rows += [weis, np.ones(len(hand))]
    return np.stack(rows, axis=1).astype(np.float32)
