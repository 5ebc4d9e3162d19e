"""What a finished deal of Thousand says about how each seat bid and played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.statistics import Statistic, statistic
from .rules import ThousandRules
from .state import BOLT


def of_hands(report: Mapping[str, npt.NDArray[Any]], rules: ThousandRules) -> list[Statistic]:
    """Statistics of the deals that a report tells of; games without a finished deal do not count.

    A seat that sat out (the dealer of four) counts only for what it wrote.
    """
    seats = np.arange(rules.players)
    declarer = report["declarer"][:, None]
    done = np.broadcast_to(declarer >= 0, (len(declarer), rules.players))
    own = (seats == declarer) & done
    active = done & (seats != report["dealer"][:, None]) if rules.players > rules.active else done

    def wide(name: str) -> npt.NDArray[np.int64]:
        return np.broadcast_to(report[name][:, None].astype(np.int64), own.shape)

    points, marriages = report["points"].astype(np.int64), report["marriages"].astype(np.int64)
    bid, contract = wide("bid"), wide("contract")
    off = wide("written_off") > 0
    played = own & ~off
    found = [
        statistic("bidding", "deals as declarer", "share", own, active, "declarer"),
        statistic("bidding", "bid", "points", bid, own),
        statistic("bidding", "contract", "points", contract, played),
        statistic("bidding", "raised over the bid", "points", contract - bid, played),
        statistic("bidding", "contracts written off", "share", off, own),
        statistic("play", "contracts made", "share", wide("made") > 0, played, "made"),
        statistic("play", "overbid (contract less points)", "points", contract - points - marriages, played),
        statistic("play", "card points as declarer", "points", points, played),
        statistic("play", "card points against the declarer", "points", points, active & ~own & ~off),
        statistic("play", "marriages", "points", marriages, active & ~off),
        statistic("play", "deals with a marriage", "share", marriages > 0, active & ~off),
        statistic("play", "bolts (no trick)", "share", (report["events"] & BOLT) > 0, active & ~own & ~off),
        statistic("result", "points written", "points", report["gains"], done),
    ]
    if rules.dark != "off":
        found.insert(3, statistic("bidding", "dark deals", "share", wide("dark") > 0, own))
    return found
