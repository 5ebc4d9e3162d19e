"""Choosing the contract in Schieber: what a hand is worth under each contract, and what a push is worth.

A hand is counted the way players count: so much for each trump, for length, for aces beside it. The counts
estimate the difference of points (own side less the other, Weis and Stöck included) before the multiplier.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from ...envs.core.layout import ObsLayout
from ...envs.schieber.rules import SchieberRules
from ...envs.schieber.tables import CARDS, FIRST_CONTRACT, PUSH
from ..base import I64, U8, Bools
from .schieber_position import ORDER, Floats

#: Who the hand belongs to: forehand who chooses and leads, the partner who was pushed to, and forehand who
#: pushed, for the contract that the partner then chooses. They are the columns of the tables below.
FOREHAND, PUSHED, PUSHER = 0, 1, 2

Counts = dict[str, tuple[float, float, float]]

#: What counts with a trump suit, in points before the multiplier (fitted to the outcomes of many played hands).
TRUMP_COUNTS: Counts = {
    "six": (25.8, 24.3, 21.0),
    "seven": (26.9, 26.8, 22.2),
    "eight": (28.1, 28.9, 24.1),
    "banner": (30.8, 30.2, 26.1),
    "ober": (36.9, 31.3, 28.3),
    "koenig": (34.6, 36.7, 26.4),
    "ass": (41.3, 39.4, 32.0),
    "nine": (55.7, 51.4, 37.9),
    "under": (83.0, 78.7, 54.6),
    "length_5": (-13.8, -4.3, 18.8),  # five trumps or more
    "length_6": (-8.4, -14.3, -10.7),  # six trumps or more
    "stock": (19.5, 16.0, 26.8),  # König and Ober of trump
    "side_ace": (14.2, 17.1, 17.6),  # each Ass beside
    "side_ace_king": (10.9, 2.2, 10.7),  # each Ass with its König beside
    "side_king": (3.9, 6.2, 6.6),  # each guarded König beside
    "side_void": (6.8, 1.0, 3.9),  # each suit without a card
    "weis": (11.1, 10.0, 10.7),  # each ten of one's own Weis
    "one": (-128.3, -121.4, -33.9),  # the rest: what is always added
}

#: What counts without trump. Ranks are named by strength: "first" is the highest (the Six in Undenufe).
OBENABE_COUNTS: Counts = {
    "ninth": (-5.2, -8.6, -6.8),
    "eighth": (-1.3, -5.8, -5.2),
    "seventh": (-3.0, -11.2, -6.2),
    "sixth": (-1.5, -8.1, -1.6),
    "fifth": (-5.1, -4.6, -2.4),
    "fourth": (-0.9, 0.0, -4.3),
    "third": (-1.3, 1.3, 2.4),
    "second": (3.9, 11.0, 0.6),
    "first": (14.4, 26.0, 23.7),
    "top_2": (13.5, -1.4, 25.9),  # each suit with the two highest cards
    "top_3": (17.0, 14.7, 14.6),  # the three highest
    "top_4": (17.9, 19.3, 22.1),  # the four highest
    "length_under_first": (3.2, 0.5, 0.7),  # each card of a suit with its highest
    "guarded_second": (-4.4, -14.9, -6.4),  # each suit headed by a guarded second
    "open_suit": (-10.0, -11.2, -17.3),  # each suit with neither
    "weis": (11.8, 10.9, 13.1),  # each ten of one's own Weis
    "one": (6.6, 20.3, 96.1),  # the rest: what is always added
}

#: The same for Undenufe, by the rank that counts eleven (J-PTS-03).
UNDENUFE_COUNTS: dict[str, Counts] = {
    "ace": {
        "ninth": (-4.8, -12.8, -7.6),
        "eighth": (-2.8, -7.9, -6.4),
        "seventh": (-1.4, -4.4, -5.2),
        "sixth": (-1.8, -4.4, -6.4),
        "fifth": (-3.0, -7.9, -3.6),
        "fourth": (1.7, -2.3, -1.6),
        "third": (3.9, 5.2, 3.8),
        "second": (3.9, 14.9, 6.9),
        "first": (4.3, 19.6, 20.1),
        "top_2": (20.8, 5.9, 21.1),
        "top_3": (22.0, 7.2, 0.5),
        "top_4": (16.2, 3.3, 0.0),
        "length_under_first": (5.9, 1.7, 1.1),
        "guarded_second": (1.4, -10.2, -6.6),
        "open_suit": (-5.6, -9.4, -13.5),
        "weis": (11.3, 11.2, 11.8),
        "one": (-11.5, 6.2, 81.1),
    },
    "six": {
        "ninth": (-2.6, -6.4, -7.7),
        "eighth": (-3.8, -6.7, -5.8),
        "seventh": (-2.6, -6.2, -5.3),
        "sixth": (-3.9, -5.1, -6.8),
        "fifth": (-4.0, -6.5, -4.3),
        "fourth": (0.0, -1.5, -1.4),
        "third": (2.3, 5.0, 3.9),
        "second": (2.0, 6.1, 2.8),
        "first": (12.4, 21.5, 24.5),
        "top_2": (13.8, 9.2, 23.4),
        "top_3": (14.3, 1.9, -0.5),
        "top_4": (8.8, 15.9, 0.0),
        "length_under_first": (3.7, 3.2, -0.6),
        "guarded_second": (-4.8, -9.1, -7.6),
        "open_suit": (-7.6, -12.4, -16.9),
        "weis": (11.9, 11.3, 10.9),
        "one": (2.6, 3.6, 92.7),
    },
}

#: Points before the multiplier that a side surely makes with a good hand (found by playing out matches).
GOOD_HAND = 65

#: Sample hands from which the partner's choices after a push are counted.
SAMPLES = 4000


def hand_counts(hand: U8, contract: int, weis: Floats) -> Floats:
    """Counts of hands under one contract, as the tables name them.

    Args:
        hand: uint8 [n, 36]. weis: float32 [n], value of one's own Weis in tens.

    Returns: float32 [n, F].
    """
    cards = hand.take(ORDER[contract], axis=1).reshape(-1, 4, 9).astype(np.float32)
    if contract < 4:
        trumps, sides = cards[:, 0], cards[:, 1:]
        length, side_length = trumps.sum(axis=1), sides.sum(axis=2)
        ace, king = sides[:, :, 8], sides[:, :, 7]
        rows = [trumps[:, rank] for rank in range(9)]
        rows += [length >= 5, length >= 6, trumps[:, 4] * trumps[:, 5]]
        rows += [ace.sum(axis=1), (ace * king).sum(axis=1), ((1 - ace) * king * (side_length > 1)).sum(axis=1)]
        rows += [(side_length == 0).sum(axis=1)]
    else:
        length = cards.sum(axis=2)
        tops = np.cumprod(cards[:, :, ::-1], axis=2).sum(axis=2)  # unbroken cards from the highest down
        first = cards[:, :, 8]
        guarded = (1 - first) * cards[:, :, 7] * (length > 1)
        rows = [cards[:, :, rank].sum(axis=1) for rank in range(9)]
        rows += [(tops >= number).sum(axis=1) for number in (2, 3, 4)]
        rows += [(first * length).sum(axis=1), guarded.sum(axis=1), ((1 - first) * (1 - guarded)).sum(axis=1)]
    rows += [weis, np.ones(len(hand))]
    return np.stack(rows, axis=1).astype(np.float32)


class Bidder:
    """Chooses the contract or pushes, for one set of rules.

    A push is worth what the partner's best contract is worth on average, with what one's own hand adds: how often
    the partner ends in which contract is found once, by counting sample hands under the rules' multipliers.
    """

    def __init__(self, rules: SchieberRules, layout: ObsLayout) -> None:
        self._rules, self._layout = rules, layout
        self._multipliers = np.array(rules.multipliers, np.float32)
        tables = (TRUMP_COUNTS, OBENABE_COUNTS, UNDENUFE_COUNTS[rules.undenufe_eleven])
        self._weights: list[Floats] = [np.array(list(table.values()), np.float32) for table in tables]
        if not rules.stock:
            self._weights[0][list(TRUMP_COUNTS).index("stock")] = 0
        samples = np.zeros((SAMPLES, CARDS), np.uint8)
        decks = np.random.default_rng(0).permuted(np.tile(np.arange(CARDS), (SAMPLES, 1)), axis=1)
        np.put_along_axis(samples, decks[:, :9], 1, axis=1)
        chosen = (self.values(samples, np.zeros(SAMPLES, np.float32), PUSHED) * self._multipliers).argmax(axis=1)
        self._partner_chooses = np.bincount(chosen, minlength=6).astype(np.float32) / SAMPLES

    def values(self, hand: U8, weis: Floats, role: int) -> Floats:
        """Expected differences of points before the multiplier, by contract. uint8 [n, 36], float32 [n] → [n, 6]."""
        return np.stack(
            [hand_counts(hand, c, weis) @ self._weights[max(0, c - 3)][:, role] for c in range(6)], axis=1
        )

    def choose(self, obs: U8, mask: Bools) -> I64:
        """uint8 [n, D], bool [n, 43] → actions, int64 [n]."""
        hand = cast(U8, self._layout.view(obs, "hand"))
        weis = self._layout.view(obs, "own_weis")[:, 0].astype(np.float32)
        forehand = self._layout.view(obs, "forehand")[:, :1] == 1
        values = np.zeros((len(obs), 7), np.float32)
        own = np.where(forehand, self.values(hand, weis, FOREHAND), self.values(hand, weis, PUSHED))
        factors = self._useful_multipliers(obs)
        values[:, :6] = own * factors
        values[:, 6] = (self.values(hand, weis, PUSHER) * factors) @ self._partner_chooses
        values[~forehand[:, 0], 6] = -np.inf  # never pushes back (J-CON-02): forehand has said that he is weak
        values[~mask[:, FIRST_CONTRACT : PUSH + 1]] = -np.inf
        return FIRST_CONTRACT + values.argmax(axis=1)

    def _useful_multipliers(self, obs: U8) -> Floats:
        """Multipliers, no higher than is needed to reach the target in this hand (J-END-01). [n, 6]."""
        if not self._rules.live_target:
            return np.broadcast_to(self._multipliers, (len(obs), 6))
        exact = self._layout.view(obs, "own_to_go").astype(np.float32)
        score = self._layout.view(obs, "own_score").astype(np.float32) / 250
        to_go = np.where(exact < 255, exact, self._rules.target * (1 - score))
        return np.minimum(self._multipliers, np.maximum(to_go / GOOD_HAND, 1))
