"""Bradley–Terry ratings from the deals that agents won of each other, with bootstrap intervals by deal.

The strengths are fitted by `choix` (iterative Luce spectral ranking, the maximum of the likelihood). Each pair that
met is given half a win either way, so that an agent that never loses has a finite rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]

#: Rating of the average agent, and points for odds of e : 1; 400 points are odds of 10 : 1, as in chess.
MEAN = 1500.0
SCALE = 400.0 / np.log(10.0)
_PRIOR = 0.5
#: Points are sums of whole points over a few seatings, computed in floats.
_EQUAL = 1e-3


@dataclass(frozen=True)
class Rating:
    """A rating with its 95 % bootstrap interval. wins: share of deals won of all others that it met (ties half)."""

    rating: float
    low: float
    high: float
    wins: float


def wins(points: F64) -> F64:
    """Who won each deal of whom: 1, ½ for a tie; nan where an agent did not play. [n, agents] → [n, agents, agents]."""
    difference = points[:, :, None] - points[:, None, :]
    won = (np.sign(np.where(np.abs(difference) < _EQUAL, 0, difference)) + 1) / 2
    won[:, np.arange(points.shape[1]), np.arange(points.shape[1])] = 0
    return np.where(np.isnan(difference), 0.0, won)


def fit(won: F64) -> F64:
    """Ratings from how often each agent beat each other one. float [agents, agents] → float [agents].

    Agents that are not connected by deals are rated apart, each group around the mean.
    """
    import choix  # takes SciPy along, which processes that only play do without

    met = (won + won.T) > 0
    counts = won + _PRIOR * met
    ratings = np.full(len(won), MEAN)
    for group in _groups(met):
        if len(group) > 1:
            strength: Any = choix.ilsr_pairwise_dense(counts[np.ix_(group, group)], max_iter=1000)
            ratings[group] = MEAN + SCALE * (strength - strength.mean())
    return ratings


def _groups(met: npt.NDArray[np.bool_]) -> list[list[int]]:
    reach = np.linalg.matrix_power((met | np.eye(len(met), dtype=bool)).astype(np.int64), len(met)) > 0
    return [list(group) for group in dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in reach)]


def rate(names: Sequence[str], won: F64, resamples: int, seed: int) -> dict[str, Rating]:
    """Ratings of agents, best first.

    Args:
        won: float [deals, agents, agents], how often each agent beat each other one on each deal.
        resamples: how often the deals are drawn anew, with replacement, for the intervals.
    """
    deals, agents = len(won), len(names)
    flat = won.reshape(deals, -1)
    total = won.sum(axis=0)
    rng = np.random.default_rng([seed, 29])
    drawn = rng.multinomial(deals, np.full(deals, 1 / deals), size=resamples)
    ratings = np.stack([fit(sample.reshape(agents, agents)) for sample in drawn @ flat])
    low, high = np.quantile(ratings, [0.025, 0.975], axis=0)
    best = fit(total)
    games = (total + total.T).sum(axis=1)
    share = total.sum(axis=1) / np.where(games > 0, games, 1)
    found = {
        name: Rating(float(best[k]), float(low[k]), float(high[k]), float(share[k])) for k, name in enumerate(names)
    }
    return dict(sorted(found.items(), key=lambda item: -item[1].rating))
