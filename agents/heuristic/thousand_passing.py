"""Which cards the Thousand declarer gives away: those whose loss costs the hand least.

The rest of the hand is counted for every way to give the cards that are still to be given. Half a marriage whose other
half may lie with an opponent costs extra, and every card what it brings to him who gets it.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from ...envs.core.layout import ObsLayout
from ...envs.thousand.rules import ThousandRules
from ...envs.thousand.tables import CARDS, KING, NUM_RANKS, QUEEN
from ..base import I64, U8, Bools
from .thousand_hand import AFTER_GIVING, HOLDINGS, HandEstimate, holdings
from .thousand_position import Floats
from .thousand_weights import GIVE

_SUIT, _RANK = np.divmod(np.arange(CARDS), NUM_RANKS)
#: Cards given together are tried in pairs.
FIRST, SECOND = (x.astype(np.int64) for x in np.triu_indices(CARDS, 1))


def give_costs(hand: U8, estimate: HandEstimate) -> Floats:
    """What giving each card does to the points, beside leaving the hand. uint8 [n, 24] → float32 [n, 24]."""
    cards = hand.reshape(-1, 4, NUM_RANKS)
    costs = np.broadcast_to(estimate.give, cards.shape).copy()
    # the mate of a king or queen that one does not hold may be with an opponent
    costs[:, :, QUEEN] += np.float32(GIVE["mate"]) * (1 - cards[:, :, KING])
    costs[:, :, KING] += np.float32(GIVE["mate"]) * (1 - cards[:, :, QUEEN])
    return costs.reshape(-1, CARDS)


def best_giving(hand: U8, gives: int, estimate: HandEstimate) -> tuple[I64, Floats]:
    """The card to give first, and the points of the hand that is left when all are given.

    Args:
        hand: uint8 [n, 24]. gives: cards still to be given, 1 or 2.

    Returns: int64 [n], float32 [n].
    """
    held, costs = holdings(hand), give_costs(hand, estimate)
    rows = np.arange(len(hand))
    if gives == 1:
        values = _after(held, [np.arange(CARDS)], estimate) + costs
        values[hand == 0] = -np.inf
        best = values.argmax(axis=1)
        return best, values[rows, best]
    values = _after(held, [FIRST, SECOND], estimate) + costs.take(FIRST, axis=1) + costs.take(SECOND, axis=1)
    values[(hand.take(FIRST, axis=1) & hand.take(SECOND, axis=1)) == 0] = -np.inf
    best = values.argmax(axis=1)
    return FIRST[best], values[rows, best]


def _after(held: I64, cards: list[I64], estimate: HandEstimate) -> Floats:
    """Points of the hands without the given cards (those not held give nonsense). int64 [n, 4] → float32 [n, C]."""
    keeps = np.full((len(cards[0]), 4), HOLDINGS - 1)
    for card in cards:
        keeps[np.arange(len(card)), _SUIT[card]] &= ~(1 << _RANK[card])
    return estimate.points(held[:, None, :] & keeps, AFTER_GIVING)


def choose_gifts(obs: U8, mask: Bools, layout: ObsLayout, rules: ThousandRules, estimate: HandEstimate) -> I64:
    """The card to give in each row: uint8 [n, D] → card numbers, int64 [n]."""
    hand = np.ascontiguousarray(cast(U8, layout.view(obs, "hand")))
    given = layout.view(obs, "given")[:, 0]
    cards = np.zeros(len(obs), np.int64)
    for number in range(rules.gives):
        rows = np.flatnonzero(given == number)
        if len(rows):
            cards[rows] = best_giving(hand[rows], rules.gives - number, estimate)[0]
    return cards
