"""Auction, trump, called card, leftovers and burns of the Pitch heuristic.

A call is worth what hands of this strength won with it on average: a weighted sum of the chance to make it, the share
of the points it brings and what a set costs, depending on how many speak afterwards. A pass is weighed in the same way.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.layout import ObsLayout
from ...envs.pitch.tables import BID, BURN, CALL, DISCARD, KITTY, MISDEAL, TRUMP
from ..base import I64, U8, Bools
from .pitch_hand import chances, moon_chance, parts, shares
from .pitch_position import Floats, Position, TrumpOrder, View
from .pitch_score import Standing
from .pitch_weights import BIDS, PASS

Features = dict[str, Floats]

#: Share of the points that a bidding side usually takes.
USUAL = np.float32(0.74)
#: A match seldom looks so hopeless as its scores do: moons are bid at half their chance (found by playing matches).
MOON_CAUTION = np.float32(0.5)


def partner_stands(view: View, t: TrumpOrder) -> Bools:
    """The standing bid is the partner's (five-handed nobody knows his). bool [n]."""
    if t.players == 5:
        return np.zeros(len(view), np.bool_)
    bids = view.segment("bids").astype(np.int64)
    # of equal bids the dealer's is the later (P-BID-05)
    ranked = bids * 2 + view.segment("dealer")
    return (bids[:, 2] > 1) & (ranked.argmax(axis=1) == 2)


def bid_features(view: View, t: TrumpOrder) -> tuple[Features, list[Features]]:
    """What a pass and each bid promise, by name. Values float32 [n]."""
    share = shares(view, t).max(axis=1)
    chance = chances(share, t)
    bids = view.segment("bids")
    after = np.minimum((bids[:, 1:] == 0).sum(axis=1), 3)
    standing = np.minimum(view.number("bid"), t.total) / t.total
    lowest = np.clip(np.round(standing * t.total).astype(np.int64) + 1, t.rules.min_bid, t.total)
    could = chance[np.arange(len(share)), lowest]
    ours = partner_stands(view, t).astype(np.float32)
    theirs = (standing > 0) * (1 - ours)
    free = (standing == 0).astype(np.float32)
    passing: Features = {}
    for number in range(4):
        here = (after == number).astype(np.float32)
        for name, who in (("free", free), ("ours", ours), ("theirs", theirs)):
            if name == "free" and number == 0:
                continue
            passing[f"{name}_{number}"] = here * who
            passing[f"{name}_{number}_share"] = here * who * share
            passing[f"{name}_{number}_could"] = here * who * could
            if name != "free":
                passing[f"{name}_{number}_bid"] = here * who * standing
    levels: list[Features] = []
    for level in range(t.total + 1):
        made, part = chance[:, level], np.float32(level / t.total)
        row: Features = {}
        for number in range(4):
            here = (after == number).astype(np.float32)
            row[f"one_{number}"] = here
            row[f"made_{number}"] = here * made
            row[f"made_share_{number}"] = here * made * share
            row[f"set_{number}"] = here * (1 - made) * part
            row[f"share_{number}"] = here * share
            row[f"level_{number}"] = here * part
            row[f"over_{number}"] = here * theirs
            row[f"over_ours_{number}"] = here * ours
        levels.append(row)
    return passing, levels


def weigh(features: Features, weights: dict[str, tuple[float, float]], column: int) -> Floats:
    """Weighted sums. float32 [n]."""
    total = np.zeros((), np.float32)
    for name, values in features.items():
        total = total + np.float32(weights[name][column]) * values
    return total


class Bidder:
    """Everything but the play of cards, for one set of rules."""

    def __init__(self, t: TrumpOrder, layout: ObsLayout) -> None:
        self.t, self.layout = t, layout

    def choose(self, obs: U8, mask: Bools) -> I64:
        """uint8 [n, D], bool [n, A] → int64 [n]."""
        chosen = np.zeros(len(obs), np.int64)
        phase = self.layout.view(obs, "phase").argmax(axis=1)
        ways = {
            MISDEAL: self._misdeal, BID: self._bid, TRUMP: self._trump, CALL: self._call, DISCARD: self._discard,
            KITTY: self._kitty, BURN: self._burn,
        }  # fmt: skip
        for number, way in ways.items():
            rows = np.flatnonzero(phase == number)
            if len(rows):
                chosen[rows] = way(obs[rows], mask[rows])
        return chosen

    def _misdeal(self, obs: U8, mask: Bools) -> I64:
        """Call it: such a hand is worth less than a new one."""
        return np.full(len(obs), self.t.actions.misdeal)

    def _discard(self, obs: U8, mask: Bools) -> I64:
        """Throw no trump away."""
        return np.full(len(obs), self.t.actions.done)

    def _bid(self, obs: U8, mask: Bools) -> I64:
        a = self.t.actions
        legal = mask[:, a.first_bid :]
        value = self.bid_values(View(obs, self.layout))
        return a.first_bid + np.where(legal, value, -np.inf).argmax(axis=1)

    def bid_values(self, view: View) -> Floats:
        """What each call is worth: points, or where the match counts the chance to win it. float32 [n, N + 3]."""
        t = self.t
        passing, bidding = bid_features(view, t)
        column = int(t.rules.five)
        value = np.full((len(view), t.total + 3), -np.inf, np.float32)
        value[:, 0] = weigh(passing, PASS, column) * t.total
        for level in range(1, t.total + 1):
            value[:, level] = weigh(bidding[level], BIDS, column) * t.total
        standing = Standing(view, t)
        moon = moon_chance(view, t).max(axis=1)
        gain, loss = standing.moon_gain(moon)
        value[:, t.total + 1] = moon * gain - (1 - moon) * loss
        counts = np.flatnonzero(standing.match)
        if len(counts):
            value[counts] = self._match_values(view, standing, value, moon)[counts]
        value[view.number("bid") > t.total] = -np.inf  # nobody goes beyond a moon
        value[:, 0] = np.maximum(value[:, 0], -1e6)
        return value

    def _match_values(self, view: View, standing: Standing, points: Floats, moon: Floats) -> Floats:
        """The same as chances to win the match: points at their present worth, and what the scores make of them."""
        t = self.t
        slope = standing.slope()
        value = points * slope[:, None]
        mine = parts(chances(shares(view, t).max(axis=1), t))
        for level in range(1, t.total + 1):
            value[:, level] += standing.beyond(mine, np.full(len(view), level), True)
        usual = parts(chances(np.full(len(view), USUAL), t))
        bid = np.clip(view.number("bid"), t.rules.min_bid, t.total)
        value[:, 0] += np.where(
            partner_stands(view, t), standing.beyond(usual, bid, True), standing.beyond(usual, bid, False)
        )
        if t.rules.moon_mode != "pm20":
            gain, _ = standing.moon_gain(moon)
            value[:, t.total + 1] = MOON_CAUTION * moon * standing.win_chance(standing.own + gain, standing.other, True)
        return value

    def _trump(self, obs: U8, mask: Bools) -> I64:
        """The suit with the largest expected share, after a moon the one likeliest to take all."""
        view = View(obs, self.layout)
        moon = view.number("bid")[:, None] > self.t.total
        worth = np.where(moon, moon_chance(view, self.t), shares(view, self.t))
        return self.t.actions.first_suit + worth.argmax(axis=1)

    def _call(self, obs: U8, mask: Bools) -> I64:
        """The highest trump that one does not hold: every other call did worse in trials."""
        view = View(obs, self.layout)
        order = self.t.cards.take(view.segment("trump").argmax(axis=1), axis=0)
        legal = np.take_along_axis(mask, order, axis=1)
        held = np.take_along_axis(view.segment("hand"), order, axis=1)  # may be legal too (BD-24)
        place = np.where(legal, np.arange(self.t.size) - self.t.size * held.astype(np.int64), -np.inf).argmax(axis=1)
        return np.take_along_axis(order, place[:, None], axis=1)[:, 0]

    def _kitty(self, obs: U8, mask: Bools) -> I64:
        """Pass leftovers only with six trumps already; look at them one by one as long as that is allowed."""
        held = View(obs, self.layout).segment("hand").sum(axis=1)
        a = self.t.actions
        return np.where(mask[:, a.look], a.look, np.where(held >= 6, a.give, a.keep))

    def _burn(self, obs: U8, mask: Bools) -> I64:
        """The lowest of the cheapest trumps."""
        p = Position(obs, self.layout, self.t)
        legal = np.take_along_axis(mask, p.order, axis=1)
        value = self.t.points * 100 + np.arange(self.t.size)
        place = np.where(legal, value, np.inf).argmin(axis=1)
        return np.take_along_axis(p.order, place[:, None], axis=1)[:, 0]
