"""What a hand of Pitch is worth: the share of the points that its side takes as bidder, and the chance of each bid.

The counts are those of a player at the table: top trumps, length, points in hand, and what the others have said. Points
are shares of all points of a hand, so that one set of weights serves every point version.
"""

from __future__ import annotations

import numpy as np

from .pitch_position import Floats, TrumpOrder, View
from .pitch_weights import CHANCE, HAND, MOON

#: Top trumps that count one by one.
TOPS = 7


def kind(t: TrumpOrder) -> int:
    """Column of the weights: 0 four-handed, 1 five-handed, 2 reverse order."""
    return 2 if t.rules.reverse else int(t.rules.five)


def hand_counts(view: View, t: TrumpOrder) -> Floats:
    """Counts of hands under each trump suit, as `pitch_weights.HAND` names them first. float32 [n, 4, F]."""
    cards = view.segment("hand")[:, t.cards].astype(np.float32)
    length = cards.sum(axis=2)
    high = np.moveaxis(cards[:, :, : -TOPS - 1 : -1], 2, 0)  # strongest first
    three = t.won * (t.won > 1) / t.total
    rows = [*high, cards[:, :, :-TOPS].sum(axis=2), length >= 3, length >= 4, length >= 5, length >= 6]
    rows += [cards @ t.own / t.total, cards @ (t.won / t.total - three), cards @ three]
    rows += [high[0] * high[1], (1 - high[0]) * high[1]]
    rows += [np.ones_like(length), np.full_like(length, 10 / t.total)]
    return np.stack(rows, axis=2).astype(np.float32)


def table_counts(view: View, t: TrumpOrder) -> Floats:
    """What the others have said, as `pitch_weights.HAND` names it last. float32 [n, F]."""
    bids = view.segment("bids")
    value = np.clip(bids.astype(np.float32) - 1, 0, t.total) / t.total
    partner = [2] if t.players == 4 else []  # five-handed nobody is known yet
    others = [seat for seat in range(1, t.players) if seat not in partner]
    rows = [(bids[:, partner] == 1).sum(axis=1), (bids[:, partner] > 1).sum(axis=1), value[:, partner].sum(axis=1)]
    rows += [(bids[:, others] == 1).sum(axis=1), (bids[:, others] > 1).sum(axis=1), value[:, others].max(axis=1)]
    return np.stack(rows, axis=1).astype(np.float32)


def shares(view: View, t: TrumpOrder) -> Floats:
    """Expected share of the points that the bidding side takes, if one bids, by trump suit. float32 [n, 4]."""
    weights = np.array([row[kind(t)] for row in HAND.values()], np.float32)
    own, table = hand_counts(view, t), table_counts(view, t)
    return own @ weights[: own.shape[2]] + (table @ weights[own.shape[2] :])[:, None]


def chances(share: Floats, t: TrumpOrder) -> Floats:
    """Chance that the bidding side takes at least 0..N points. float32 [n] → [n, N + 1]."""
    slope, one, level, all_points, strength = (row[kind(t)] for row in CHANCE.values())
    part = np.arange(t.total + 1, dtype=np.float32) / t.total
    expected = share[:, None]
    logit = slope * (expected - part) + one + level * part + all_points * (part == 1) + strength * expected
    return 1 / (1 + np.exp(-logit))


def parts(chance: Floats) -> Floats:
    """Chances of taking exactly 0..N points, from `chances`. float32 [n, N + 1]."""
    least = np.concatenate([np.ones((len(chance), 1), np.float32), chance[:, 1:]], axis=1)
    falling = np.minimum.accumulate(least, axis=1)
    return falling - np.concatenate([falling[:, 1:], np.zeros((len(chance), 1), np.float32)], axis=1)


def moon_chance(view: View, t: TrumpOrder) -> Floats:
    """Chance that the bidding side takes all points, if one bids, by trump suit. float32 [n, 4]."""
    weights = np.array([row[kind(t)] for row in MOON.values()], np.float32)
    own, table = hand_counts(view, t), table_counts(view, t)
    logit = own @ weights[: own.shape[2]] + (table @ weights[own.shape[2] :])[:, None]
    return 1 / (1 + np.exp(-logit))
