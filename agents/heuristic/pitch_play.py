"""Card play of the Pitch heuristic: each trump gets a value from what it does, the highest is played.

The value is a weighted sum of named features (`pitch_weights` says what each means and weighs). Leading and adding to a
trick have different weights, and so have the bidding side and the defenders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...envs.core.layout import ObsLayout
from ..base import I64, U8, Bools
from .pitch_position import Floats, Position, TrumpOrder
from .pitch_weights import FOLLOW, LEAD

Features = Iterator[tuple[str, Floats]]

#: Decisions weighed at once: their arrays stay in the processor's cache.
BLOCK = 2048
TINY = np.float32(1e-6)


def choose_cards(obs: U8, mask: Bools, layout: ObsLayout, t: TrumpOrder) -> I64:
    """The card to play in each row: uint8 [n, D], bool [n, A] → int64 [n]."""
    cards = np.zeros(len(obs), np.int64)
    for start in range(0, len(obs), BLOCK):
        block = slice(start, start + BLOCK)
        p = Position(obs[block], layout, t)
        value = card_values(p, LEAD, FOLLOW)
        legal = np.take_along_axis(mask[block], p.order, axis=1)
        best = np.where(legal, value, -np.inf).argmax(axis=1)
        cards[block] = np.take_along_axis(p.order, best[:, None], axis=1)[:, 0]
    return cards


def card_values(
    p: Position, lead: Mapping[str, tuple[float, float]], follow: Mapping[str, tuple[float, float]]
) -> Floats:
    """The value of every trump, held or not. float32 [n, K]."""
    value = np.zeros_like(p.mine)
    leads = (p.top == 0)[:, None]
    bidding = p.bidding[:, None]
    for name, feature in features(p):
        a, b = np.array(lead[name], np.float32), np.array(follow[name], np.float32)
        weight = np.where(leads, a[1] + bidding * (a[0] - a[1]), b[1] + bidding * (b[0] - b[1]))
        value += weight * feature
    return value


def features(p: Position) -> Features:
    """What each trump does. Pairs of a name and float32 [n, K]."""
    t = p.t
    above = p.unseen @ t.higher.T  # unseen trumps that beat each
    top_place = (t.strength <= p.top[:, None]).sum(axis=1) - 1
    above_top = np.where(top_place >= 0, np.take_along_axis(above, np.maximum(top_place, 0)[:, None], axis=1)[:, 0], 0)
    beats = (t.strength > p.top[:, None]).astype(np.float32)
    follows = (p.top > 0).astype(np.float32)[:, None]
    later = p.share * p.later
    may = later.sum(axis=1)  # an unseen trump lies with somebody who plays later
    ours = (later * p.ours).sum(axis=1)
    opposing = p.share * (1 - p.ours)
    opponents = (p.held * (1 - p.ours)).sum(axis=1)

    left = (p.left / 6)[:, None]
    winning_above = np.where(beats > 0, above, above_top[:, None])
    none = np.maximum(1 - may, 0)[:, None] ** winning_above
    side = np.where(beats > 0, 1, p.top_ours[:, None])
    win = side * none + (1 - none) * (ours / np.maximum(may, TINY))[:, None]
    points = p.trick_points[:, None] + t.won
    gain = (2 * win - 1) * points
    hidden = np.maximum(p.unseen.sum(axis=1), 1)
    to_come = (p.unseen * t.won).sum(axis=1) / hidden * (np.minimum(p.held, 1) * p.later).sum(axis=1)
    open_ = p.open[:, None]

    yield "gain", gain
    yield "gain_open", gain * open_
    yield "gain_needed", gain * open_ * (np.abs(points) >= p.need[:, None])
    yield "gain_settled", gain * ((win > 0.97) | (win < 0.03))
    yield "to_come", (2 * win - 1) * to_come[:, None]
    yield "win", win
    yield "points", np.broadcast_to(t.won, win.shape)
    yield "points_left", left * t.won
    yield "three", np.broadcast_to((t.won > 1).astype(np.float32), win.shape)
    yield "two", np.broadcast_to(t.own, win.shape)
    yield "two_left", left * t.own

    # what the card would be worth later
    sure = (above == 0).astype(np.float32)
    master = np.maximum(1 - opposing.sum(axis=1), 0)[:, None] ** above
    yield "sure", sure
    yield "sure_left", sure * left
    yield "master", master
    yield "master_left", master * left
    yield "height", np.broadcast_to(np.arange(t.size, dtype=np.float32) / t.size, win.shape)
    yield "height_left", left * np.arange(t.size, dtype=np.float32) / t.size
    mine_sure = (p.mine * sure).sum(axis=1, keepdims=True)
    at_risk = (p.mine * (1 - master) * t.won).sum(axis=1, keepdims=True)
    yield "sure_others", sure * (mine_sure - p.mine * sure)
    yield "risk_kept", -(at_risk - p.mine * (1 - master) * t.won) * (1 - sure)
    yield "sure_protects", sure * at_risk

    # drawing trumps
    yield "draws", win * opponents[:, None] * left
    yield "sure_draws", sure * opponents[:, None]
    yield "catch", win * (opposing * p.later).sum(axis=1)[:, None] * (p.unseen * t.won).sum(axis=1)[:, None]
    yield "partner", (1 - win) * (p.share * p.ours).sum(axis=1)[:, None] * points

    # in a trick
    yield "takes", beats * follows * win
    yield "overtakes", beats * follows * p.top_ours[:, None]
    yield "overtakes_safe", beats * follows * p.top_ours[:, None] * (np.maximum(1 - may, 0) ** above_top)[:, None]
    yield "smears", (1 - beats) * follows * p.top_ours[:, None] * t.won
    yield "last", beats * follows * (may < TINY)[:, None]
