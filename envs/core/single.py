"""One game, one decision at a time: what adapters need that hand out single decisions.

A batch of one pays the cost of every array operation for a single game. A game may subclass `SingleGame` with
scalar shortcuts for its frequent transitions; the batch stays the only state, and a test compares the two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bits import U8
from .game import BatchedGame


class SingleGame:
    """A batch of one game. It keeps nothing itself, so the batch may be reset and stepped beside it."""

    def __init__(self, game: BatchedGame[Any]) -> None:
        self.game = game

    @property
    def player(self) -> int:
        """The seat to act, -1 for a finished game."""
        return self.game.state.player.item(0)

    def step(self, action: int) -> list[float] | None:
        """Carry out one action; the rewards by seat, or None if all are zero.

        Raises: IllegalActionError or GameOverError as `BatchedGame.step`; nothing is changed then.
        """
        return self._step(action, validate=True)

    def _step(self, action: int, validate: bool) -> list[float] | None:
        rewards, _ = self.game.step(np.array([action]), validate=validate)
        return rewards[0].tolist() if rewards.any() else None

    def observe(self, seat: int) -> U8:
        """What a seat knows, a new array. uint8 [D]."""
        return self.game.observe(seat)[0]

    def mask(self) -> U8:
        """Legal actions of the seat to act as 0 and 1, a new array. uint8 [num_actions]."""
        return self.game.legal_actions()[0].view(np.uint8)
