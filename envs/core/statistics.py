"""Statistics of how seats bid and play: a game counts, tournaments average for each agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

#: What a statistic is: a part of the cases in which it could be so, points, or a number of things.
UNITS = ("share", "points", "count")


@dataclass(frozen=True)
class Statistic:
    """One number of each seat over finished hands; its mean is Σ value / Σ weight.

    Attributes:
        name: e.g. "contracts made".
        phase: part of a hand that it is about, e.g. "bidding".
        unit: one of UNITS.
        value: float [N, seats], counted at each seat.
        weight: float [N, seats], how often it could be counted there (0: does not concern the seat).
        role: "declarer" if it says whose contract the hand was (1 at that seat), "made" if it says whether he made it
            (1 at that seat); "" for all others.
    """

    name: str
    phase: str
    unit: str
    value: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]
    role: str = ""


def statistic(phase: str, name: str, unit: str, value: Any, weight: Any, role: str = "") -> Statistic:
    """A statistic from a number of each seat and whether it counts there, arrays that broadcast to [N, seats]."""
    value, weight = np.broadcast_arrays(value, weight)
    counts = weight.astype(np.float64)
    return Statistic(name, phase, unit, np.where(counts > 0, value, 0).astype(np.float64) * counts, counts, role)
