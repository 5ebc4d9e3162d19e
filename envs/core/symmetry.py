"""Symmetries: positions that differ only in the names of suits, seen as one by a network.

A game may offer a `Symmetry`. Networks then see each decision in a canonical form (the trump suit first, say), and
their choice is translated back. Nothing is lost, and what is learned in one suit is known in all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .bits import I64, U8

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Canonical:
    """Decisions in canonical form.

    Attributes:
        obs, mask, hidden: as `observe`, `legal_actions` and `state_planes` give them, with renamed suits.
        turn: what `Symmetry.to_original` needs to translate actions back.
    """

    obs: U8
    mask: Bools
    hidden: U8
    turn: I64


class Symmetry(ABC):
    """How a game's decisions are brought to a canonical form."""

    @abstractmethod
    def canonical(self, obs: U8, mask: Bools, hidden: U8) -> Canonical:
        """uint8 [n, D], bool [n, A], uint8 [n, H] (H may be 0) → the same decisions, renamed."""

    @abstractmethod
    def to_original(self, actions: I64, turn: I64) -> I64:
        """Actions chosen in canonical form, as the game knows them. int64 [n] → int64 [n]."""

    @abstractmethod
    def to_canonical(self, actions: I64, turn: I64) -> I64:
        """The inverse of `to_original`. int64 [n] → int64 [n]."""
