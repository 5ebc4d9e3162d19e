"""Suits in a canonical order: trump first, its off-suit last, between them the other colour, its longer suit first.

The suits of Pitch differ only in their names, but the off-jack binds the two of a colour (P-RNK-02): a renaming must
keep the pairs {♣ ♠} and {♦ ♥} (P-INV). There are eight such renamings.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import I64, U8
from ..core.symmetry import Bools, Canonical, Symmetry
from .observation import layout
from .rules import PitchRules
from .tables import CARDS, CLUBS, DIAMONDS, HEARTS, LABELS, LOW_JOKER, SAME_COLOUR, SPADES, actions

RANKS = len(LABELS)
#: All renamings: the original suit at each canonical place; the colours are places {0, 3} and {1, 2} as in the deck.
ORDERS: I64 = np.array(
    [
        (first, second, SAME_COLOUR[second], SAME_COLOUR[first])
        for first in (CLUBS, DIAMONDS, HEARTS, SPADES)
        for second in (CLUBS, DIAMONDS, HEARTS, SPADES)
        if second not in (first, SAME_COLOUR[first])
    ],
    np.int64,
)


def _cards() -> I64:
    """The original card at each canonical place of a plane, by renaming. int64 [8, 54]."""
    cards = ORDERS[:, :, None] * RANKS + np.arange(RANKS)
    jokers = np.broadcast_to(np.arange(LOW_JOKER, CARDS), (len(ORDERS), CARDS - LOW_JOKER))
    return np.concatenate([cards.reshape(len(ORDERS), -1), jokers], axis=1)


class SuitSymmetry(Symmetry):
    """Renames suits in observations, masks and actions of Pitch with some rules."""

    def __init__(self, rules: PitchRules) -> None:
        segments = layout(rules)
        numbers = actions(rules.total, rules.five)
        cards = _cards()
        self._dealt = segments["dealt"].columns
        self._trump = segments["trump"].columns
        self._planes = segments["burned"].start // CARDS + 3 * rules.players - 1
        columns = np.tile(np.arange(segments.size), (len(ORDERS), 1))
        for name in ("when", "strength"):
            columns[:, segments[name].columns] = segments[name].start + cards
        for plane in range(self._planes):
            columns[:, plane * CARDS : (plane + 1) * CARDS] = plane * CARDS + cards
        columns[:, self._trump] = segments["trump"].start + ORDERS
        self._columns = columns
        # the original action for each canonical one, and back
        self._actions = np.tile(np.arange(len(numbers.names)), (len(ORDERS), 1))
        self._actions[:, :CARDS] = cards
        self._actions[:, numbers.first_suit : numbers.first_suit + 4] = numbers.first_suit + ORDERS
        self._canonical = np.argsort(self._actions, axis=1)
        players = rules.players
        self._hidden_columns = np.concatenate(
            [
                *(plane * CARDS + cards for plane in range(2 * players - 1)),
                np.tile((2 * players - 1) * CARDS + np.arange(players), (len(ORDERS), 1)),
            ],
            axis=1,
        )

    def order(self, obs: U8) -> I64:
        """Row of ORDERS for each decision. uint8 [n, D] → int64 [n]."""
        dealt = obs[:, self._dealt][:, :LOW_JOKER].reshape(-1, 4, RANKS).astype(np.int64)
        # trump, then suits of which one was dealt more or higher cards
        key = (dealt.sum(axis=2) << RANKS) + dealt @ (1 << np.arange(RANKS))
        key += obs[:, self._trump].astype(np.int64) << (RANKS + 5)
        return ((key.take(ORDERS[:, 0], axis=1) << 20) + key.take(ORDERS[:, 1], axis=1)).argmax(axis=1)

    def canonical(self, obs: U8, mask: Bools, hidden: U8) -> Canonical:
        turn = self.order(obs)
        new_obs, new_mask, new_hidden = np.empty_like(obs), np.empty_like(mask), np.empty_like(hidden)
        for number in range(len(ORDERS)):
            rows = np.flatnonzero(turn == number)
            if len(rows):
                new_obs[rows] = obs[rows].take(self._columns[number], axis=1)
                new_mask[rows] = mask[rows].take(self._actions[number], axis=1)
                if hidden.shape[1]:
                    new_hidden[rows] = hidden[rows].take(self._hidden_columns[number], axis=1)
        return Canonical(new_obs, new_mask, new_hidden, turn)

    def to_original(self, actions: I64, turn: I64) -> I64:
        return self._actions[turn, actions]

    def to_canonical(self, actions: I64, turn: I64) -> I64:
        return self._canonical[turn, actions]
