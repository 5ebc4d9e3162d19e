"""Reset options: numbers that a caller gives for one game or for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bits import I64
from .errors import DealError


def ints(value: Any, name: str, shape: tuple[int, ...]) -> I64:
    """An option as an array of ints, one row a game; one row serves all games. Raises DealError naming the option."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise DealError(f"{name} must hold ints; got {value!r}")
    try:
        return np.broadcast_to(array, shape).astype(np.int64)
    except ValueError:
        raise DealError(f"{name} must have shape {shape[1:]} or {shape}; got {array.shape}") from None


def bounded(value: Any, name: str, shape: tuple[int, ...], low: int, high: int) -> I64:
    """The same with numbers from `low` to `high` only."""
    array = ints(value, name, shape)
    if array.min() < low or array.max() > high:
        raise DealError(f"{name} must be from {low} to {high}; got {value}")
    return array
