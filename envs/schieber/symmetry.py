"""Suits in a canonical order: trump, the suit led, then by the cards held.

While cards are played the four suits differ only in which is trump and which was led; while the contract is
chosen they differ in their multipliers, so there they keep their places.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import I64, U8
from ..core.symmetry import Bools, Canonical, Symmetry
from .observation import layout
from .tables import CARDS

_PLANES = 12
_CARD_COLUMNS = CARDS * _PLANES


class SuitSymmetry(Symmetry):
    """Renames suits in observations, masks and actions of Schieber."""

    def __init__(self) -> None:
        segments = layout()
        self._when = segments["when"].columns
        self._void = segments["void"].columns
        self._trump = slice(segments["contract"].start, segments["contract"].start + 4)
        self._led = segments["led"].columns
        self._fixed = segments["contract_fixed"].start
        assert segments["hand"].start == 0
        assert segments["shown"].columns.stop == _CARD_COLUMNS

    def order(self, obs: U8) -> I64:
        """Original suit at each canonical place. uint8 [n, D] → int64 [n, 4]."""
        held = obs[:, :CARDS].reshape(-1, 4, 9).astype(np.int64)
        # longer suits first, then those with higher cards; the suit's number makes the order unique
        key = held.sum(axis=2) * 512 + held @ (1 << np.arange(9))
        key += obs[:, self._trump].astype(np.int64) << 16
        key += obs[:, self._led].astype(np.int64) << 15
        key = key * 4 + np.arange(3, -1, -1)
        order = np.argsort(-key, axis=1)
        return np.where(obs[:, self._fixed, None] > 0, order, np.arange(4))

    def canonical(self, obs: U8, mask: Bools, hidden: U8) -> Canonical:
        n = len(obs)
        order = self.order(obs)
        rows = np.arange(n)[:, None] * 4 + order

        def suits(columns: U8, planes: int) -> U8:
            """Columns of `planes` × 4 suits × w with the suits in canonical order."""
            width = columns.shape[1] // (4 * planes)
            flat = np.ascontiguousarray(columns).reshape(n * planes * 4, width)
            index = (np.arange(n)[:, None, None] * planes + np.arange(planes)[:, None]) * 4 + order[:, None, :]
            return flat.take(index.reshape(n, -1), axis=0).reshape(n, -1)

        out = obs.copy()
        out[:, :_CARD_COLUMNS] = suits(obs[:, :_CARD_COLUMNS], _PLANES)
        for columns in (self._when, self._void, self._trump, self._led):
            out[:, columns] = suits(obs[:, columns], 1)
        new_mask = mask.copy()
        cards = np.ascontiguousarray(mask[:, :CARDS]).reshape(n * 4, 9)
        new_mask[:, :CARDS] = cards.take(rows, axis=0).reshape(n, CARDS)
        new_hidden = suits(hidden, hidden.shape[1] // CARDS) if hidden.shape[1] else hidden
        return Canonical(out, new_mask, new_hidden, order)

    def to_original(self, actions: I64, turn: I64) -> I64:
        return self._rename(actions, turn)

    def to_canonical(self, actions: I64, turn: I64) -> I64:
        return self._rename(actions, np.argsort(turn, axis=1))

    @staticmethod
    def _rename(actions: I64, suits: I64) -> I64:
        """Cards with suit s become cards of suit suits[s]; other actions stay."""
        suit = np.take_along_axis(suits, np.minimum(actions // 9, 3)[:, None], axis=1)[:, 0]
        return np.where(actions < CARDS, suit * 9 + actions % 9, actions)
