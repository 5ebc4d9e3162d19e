"""Tricks of any game: who wins, as one comparable code a card.

A card played to a trick has a *strength* that depends on the contract (or trump), the suit led and
the card: a table lookup, so a rule variant that changes ranks is another table. The code
`strength · SLOTS + (SLOTS − 1 − order)` makes the winner a running `maximum`: of two cards of equal
strength the one played first wins, which is what discards and "first joker is high" both need.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: Places in a trick that a code can tell apart (games have at most five players).
SLOTS = 8
SLOT_BITS = 3

#: The code of an empty trick: any card beats it.
EMPTY = -1


def codes(strength: npt.NDArray[np.int16], order: npt.NDArray[np.integer]) -> npt.NDArray[np.int16]:
    """Comparable code of a card of `strength` played as the `order`-th (from 0) of its trick. int16."""
    return (strength << SLOT_BITS) + (SLOTS - 1 - order).astype(np.int16)


def first_codes(strength: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Codes of cards played first; the code of the n-th card (from 0) is n less. A negative strength beats nothing."""
    return np.where(strength < 0, EMPTY, (strength << SLOT_BITS) + SLOTS - 1).astype(np.int16)


def strength_of(code: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Strength of the winning card; -1 for an empty trick."""
    return code >> SLOT_BITS


def order_of(code: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Place of the winning card in its trick, from 0 (meaningless for an empty trick)."""
    return SLOTS - 1 - (code & (SLOTS - 1))


def seat_of(code: npt.NDArray[np.int16], leader: npt.NDArray[np.int8]) -> npt.NDArray[np.int16]:
    """Seat that wins a trick, leader plus `order_of`, modulo a number of seats that divides SLOTS."""
    return leader + ~code
