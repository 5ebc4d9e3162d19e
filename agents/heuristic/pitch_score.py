"""What the match makes of points: the chance to win it from given scores, and what moons pay."""

from __future__ import annotations

import numpy as np

from .pitch_position import Floats, TrumpOrder, View

#: Spread of the difference of points that one hand makes, as a share of the points of a hand.
HAND_SPREAD = np.float32(0.95)
#: Part of the points of a hand that the leading side wins in a usual hand.
HAND_GAIN = np.float32(0.6)


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
        hands = np.maximum(np.minimum(to_go, other_to_go), 1) / (HAND_GAIN * total) + 0.3
        lead = (other_to_go - to_go) / (HAND_SPREAD * total * np.sqrt(hands))
        chance = 1 / (1 + np.exp(-1.6 * lead))
        won, lost = to_go <= 0, other_to_go <= 0
        return np.where(won & (bidder | ~lost), 1, np.where(lost, 0, chance)).astype(np.float32)

    def slope(self) -> Floats:
        """What one point is worth now, as a chance to win the match."""
        half = np.float32(0.1 * self.t.total)
        up = self.win_chance(self.own + half, self.other - half, True)
        down = self.win_chance(self.own - half, self.other + half, True)
        return np.maximum((up - down) / (4 * half), 1e-4)

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
