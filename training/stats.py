"""Means with confidence intervals, clustered by deal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_Z = 1.959963984540054  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % confidence interval over independent clusters (deals).

    Attributes:
        mean: the estimate.
        half_width: half the width of the interval; the interval is mean ± half_width.
        count: number of clusters.
    """

    mean: float
    half_width: float
    count: int

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.half_width:.2f}"


def estimate(clusters: npt.ArrayLike) -> Estimate:
    """Mean and interval of one number a cluster. float [n] with n ≥ 1."""
    values = np.asarray(clusters, float)
    spread = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("inf")
    return Estimate(float(values.mean()), _Z * spread, len(values))


def ratio(values: npt.ArrayLike, weights: npt.ArrayLike) -> Estimate | None:
    """Σ values / Σ weights with its interval (linearised), for float [n] sums of n clusters. None without weight."""
    value, weight = np.asarray(values, float), np.asarray(weights, float)
    total = float(weight.sum())
    if not total:
        return None
    mean, count = float(value.sum()) / total, int((weight > 0).sum())
    if count < 2:
        return Estimate(mean, float("inf"), count)
    n = len(value)
    spread = float(np.sqrt(((value - mean * weight) ** 2).sum() * n / (n - 1))) / total
    return Estimate(mean, _Z * spread, count)
