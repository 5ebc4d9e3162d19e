"""What the match makes of points: the chance to win it from given scores, and what moons pay."""

from __future__ import annotations

import numpy as np

from .pitch_position import Floats, TrumpOrder, View

#: The chance to win a match, fitted to the outcomes of matches from the scores at the start of each hand: points that
#: one is ahead, as a share of a hand's points, times STEEP, over (hands to come + LONGER) ** SPREADS.
STEEP, LONGER, SPREADS = np.float32(1.8), np.float32(2.0), np.float32(0.65)
#: Part of the points of a hand by which the leading side comes nearer to the target.
HAND_GAIN = np.float32(0.8)


class Standing:
    """The scores of n decisions. Float arrays are float32 [n].

    Attributes:
        own, other: own score, and the highest of the others.
        match: 1 where the match counts; elsewhere only the points of this hand do.
    """

    def __init__(self, view: View, t: TrumpOrder) -> None:
        self.t = t
        score = t.rules.target - view.floats("to_go")
        others = [seat for seat in range(1, t.players) if t.players == 5 or seat != 2]
        self.own, self.other = score[:, 0], score[:, others].max(axis=1)
        self.sign = view.segment("sign")[:, 0].astype(np.int64) - 1
        self.match = np.maximum(view.number("match_episode"), view.number("match_reward"))

    def win_chance(self, own: Floats, other: Floats, bidder: bool) -> Floats:
        """Chance to win the match after a hand that leaves these scores. `bidder`: one's own side has bid."""
        target, total = self.t.rules.target, self.t.total
        to_go, other_to_go = target - own, target - other
        hands = np.maximum(np.minimum(to_go, other_to_go), 1) / (HAND_GAIN * total) + LONGER
        chance = 1 / (1 + np.exp(-STEEP * (other_to_go - to_go) / total / hands**SPREADS))
        won, lost = to_go <= 0, other_to_go <= 0
        return np.where(won & (bidder | ~lost), 1, np.where(lost, 0, chance)).astype(np.float32)

    def slope(self) -> Floats:
        """What one point is worth now, as a chance to win the match."""
        half = np.float32(0.1 * self.t.total)
        up = self.win_chance(self.own + half, self.other - half, True)
        down = self.win_chance(self.own - half, self.other + half, True)
        return np.maximum((up - down) / (4 * half), 1e-4)

    def beyond(self, parts: Floats, bid: Floats, ours: bool) -> Floats:
        """What a hand is worth to win the match, beyond its points at their present worth. float32 [n].

        Args:
            parts: [n, N + 1], chances that the bidding side takes 0..N points.
            bid: [n]. ours: one's own side has bid.
        """
        total, slope = self.t.total, self.slope()
        worth = np.zeros(len(bid), np.float32)
        for took in range(total + 1):
            bidders = np.where(took >= bid, took, -bid).astype(np.float32)
            others = np.full(len(bid), total - took, np.float32)
            mine, theirs = (bidders, others) if ours else (others, bidders)
            chance = self.win_chance(self.own + mine, self.other + theirs, ours)
            worth += parts[:, took] * (chance - slope * (mine - theirs))
        return worth

    def moon_gain(self, chance: Floats) -> tuple[Floats, Floats]:
        """Points that a moon wins when made and loses when it fails (sections 14 and BD-27 to BD-31)."""
        rules = self.t.rules
        if rules.moon_mode == "pm20":
            return np.full_like(chance, 20 + 0.0), np.full_like(chance, 22)
        wins = self.sign > 0
        if rules.moon_mode == "instant":
            wins = np.ones_like(wins)
        elif rules.five or rules.moon_at_zero == "win":
            wins |= self.sign == 0
        gain = np.where(wins, np.maximum(rules.target - self.own, 0), -self.own)
        return gain, np.full_like(chance, rules.target + 2)
