"""What a finished hand of Pitch says about how each seat bid and played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.statistics import Statistic, statistic
from .rules import PitchRules


def of_hands(report: Mapping[str, npt.NDArray[Any]], rules: PitchRules) -> list[Statistic]:
    """Statistics of the hands that a report tells of; games without a scored hand do not count.

    A moon counts as a bid of all points.
    """
    seats = np.arange(rules.players)
    entry = seats if rules.five else seats % 2
    bidder, partner = report["bidder"][:, None], report["partner"][:, None]
    done = bidder >= 0
    own = (seats == bidder) & done
    side = own | ((seats == partner) & done)
    everyone = np.broadcast_to(done, own.shape)

    def wide(name: str) -> npt.NDArray[np.int64]:
        return np.broadcast_to(report[name][:, None].astype(np.int64), own.shape)

    moon = wide("bid") > rules.total
    bid, took, made = np.minimum(wide("bid"), rules.total), wide("took"), wide("made") > 0
    found = [
        statistic("bidding", "hands as bidder", "share", own, everyone, "declarer"),
        statistic("bidding", "bid", "points", bid, own),
        statistic("bidding", "moons bid", "share", moon, own),
        statistic("play", "contracts made", "share", made, own, "made"),
        statistic("play", "moons made", "share", made, own & moon),
        statistic("play", "overbid (bid less points taken)", "points", bid - took, own),
        statistic("play", "points taken by the bidder's side", "points", took, own),
        statistic("play", "points taken against the bidder", "points", wide("against"), everyone & ~side),
        statistic("play", "points in own tricks", "points", report["points"].astype(np.int64), everyone),
        statistic("result", "points written", "points", report["gain"][:, entry], everyone),
    ]
    if rules.five:
        found.insert(3, statistic("bidding", "alone as bidder", "share", partner < 0, own))
        found.insert(1, statistic("bidding", "hands as called partner", "share", side & ~own, everyone))
    return found
