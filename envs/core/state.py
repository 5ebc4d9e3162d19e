"""Struct-of-arrays states: dataclasses of NumPy arrays whose first axis is the game."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from .errors import StateError


@dataclass
class BatchState:
    """Base of a game's state; N games share every array's first axis.

    Attributes:
        player: int8 [N], the seat to act, -1 when the game is finished.
        game_id: int64 [N], number of the game in counter-based deals (`deals`).
        hand_id: int64 [N], number of the hand in counter-based deals; counts on over episodes.
        episode_hand: int64 [N], `hand_id` of the episode's first hand.
    """

    player: npt.NDArray[np.int8]
    game_id: npt.NDArray[np.int64]
    hand_id: npt.NDArray[np.int64]
    episode_hand: npt.NDArray[np.int64]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def __len__(self) -> int:
        return len(self.player)

    @property
    def nbytes(self) -> int:
        """Bytes of memory of all arrays."""
        return sum(a.nbytes for a in self.arrays().values())

    def select(self, indices: npt.ArrayLike) -> Self:
        """A copy of the given games, in the given order (repeats allowed)."""
        index = np.asarray(indices)
        return type(self)(**{name: array[index] for name, array in self.arrays().items()})

    def copy(self) -> Self:
        return type(self)(**{name: array.copy() for name, array in self.arrays().items()})

    def put(self, indices: npt.NDArray[np.int64], other: Self) -> None:
        """Overwrite the given games by those of `other`, in order."""
        for name, array in self.arrays().items():
            array[indices] = getattr(other, name)

    def load(self, arrays: Mapping[str, Any]) -> None:
        """Overwrite everything from saved arrays. Raises StateError and changes nothing if they do not fit."""
        own = self.arrays()
        if set(own) != set(arrays):
            raise StateError(f"saved state has arrays {sorted(arrays)}, expected {sorted(own)}")
        new = {name: np.asarray(arrays[name]) for name in own}
        for name, array in own.items():
            if new[name].shape != array.shape or new[name].dtype != array.dtype:
                raise StateError(
                    f"saved state: {name} is {new[name].dtype}{list(new[name].shape)}, "
                    f"expected {array.dtype}{list(array.shape)}"
                )
        for name, array in own.items():
            array[...] = new[name]
