"""Which action is best on average over sampled deals, without valuing the hopeless ones in all of them.

Deals are looked at in batches, each as large as all before it. After each one, actions that are surely worse than the
leader, or have been worth the same in every deal, are given up (a race: Maron and Moore, "Hoeffding races", 1994; here
with the standard error of the paired difference). It ends when one action is left, or the deals are used up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..base import Bools
from .base import Floats

#: Deals of the first batch, unless the caller says otherwise.
FIRST = 16
#: Standard errors by which an action must be behind to be given up.
SURE = 2.5
#: Standard errors by which an action must be better than the advised one to be taken instead.
CAUTION = 1.5


def race(
    values_of: Callable[[int, int, Bools], Floats], deals: int, mask: Bools, advice: int = -1, first: int = FIRST
) -> int:
    """The action to take.

    Args:
        values_of: (first deal, last one excluded, bool [A] of the actions) → float64 [deals, A], nan elsewhere.
        deals: how many there are. mask: bool [A], the legal actions.
        advice: the action that is left only for a surely better one (`cautious`), -1 for none.
        first: deals of the first batch, two at least.
    """
    values: Floats = np.full((deals, len(mask)), np.nan)
    open_, done, size = mask.copy(), 0, max(first, 2)
    while True:
        end = min(done + size, deals)
        values[done:end] = values_of(done, end, open_)
        done = size = end
        if done == deals:
            break
        open_ = contenders(values[:done], open_, advice)
        if np.count_nonzero(open_) == 1:
            break
    return cautious(values[:done], open_, advice if advice >= 0 and open_[advice] else -1)


def contenders(values: Floats, mask: Bools, advice: int) -> Bools:
    """The actions that may still be the best: bool [A]. values: float64 [n, A] with n > 1, known where the mask is."""
    leader = best_action(values.mean(axis=0), mask)
    if advice >= 0 and mask[advice] and (values[:, advice] == values[:, leader]).all():
        leader = advice
    mean, error = _gains(values, leader)
    left = mask & (mean + few(SURE, len(values)) * error >= 0) & ((mean != 0) | (error != 0))
    left[leader] = True
    return left


def best_action(values: Floats, mask: Bools) -> int:
    """The legal action of the highest value, the first of equals."""
    return int(np.where(mask, values, -np.inf).argmax())


def cautious(values: Floats, mask: Bools, advice: int) -> int:
    """The action that is most surely better than the advised one, by CAUTION standard errors, or the advised one.

    Args:
        values: float64 [n, A], the values in n deals. advice: an action of the mask, -1 for none.
    """
    if advice < 0:
        return best_action(values.mean(axis=0), mask)
    mean, error = _gains(values, advice)
    sure = np.where(mask, mean - few(CAUTION, len(values)) * error, -np.inf)
    return int(sure.argmax()) if sure.max() > 0 else advice


def few(errors: float, n: int) -> float:
    """So many standard errors for a mean of n values that says as little about its own error.

    The quantile of Student's t for the one of the normal distribution, to the first order in 1 / (n - 1) (Abramowitz
    and Stegun, 26.7.5).
    """
    return errors * (1 + (errors**2 + 1) / (4 * max(n - 1, 1)))


def _gains(values: Floats, action: int) -> tuple[Floats, Floats]:
    """How much better actions are than one, on average, and the standard error (0 with one deal). float64 [A], [A]."""
    gains = values - values[:, [action]]
    error = gains.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.zeros(values.shape[1])
    return gains.mean(axis=0), error
