"""What a finished hand of Schieber says about how each seat bid and played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.statistics import Statistic, statistic
from .rules import SchieberRules
from .tables import OBENABE

SEATS = np.arange(4)
TEAMS = SEATS % 2


def of_hands(report: Mapping[str, npt.NDArray[Any]], rules: SchieberRules) -> list[Statistic]:
    """Statistics of the hands that a report tells of; games without a finished hand do not count."""
    declarer, pushes = report["declarer"][:, None], report["pushes"][:, None]
    done = declarer >= 0
    own = (declarer == SEATS) & done
    forehand = (report["forehand"][:, None] == SEATS) & done
    partner = ((report["forehand"][:, None] + 2) % 4 == SEATS) & done
    everyone = np.broadcast_to(done, own.shape)
    pushed = np.where(forehand, pushes >= 1, pushes >= 2)
    could_push = forehand | (partner & (pushes >= 1)) if rules.push_back else forehand
    points, base = report["points"][:, TEAMS], report["base_points"][:, TEAMS]
    others, their_base = report["points"][:, 1 - TEAMS], report["base_points"][:, 1 - TEAMS]
    suitless = np.broadcast_to(report["contract"][:, None] >= OBENABE, own.shape)
    return [
        statistic("bidding", "hands as declarer", "share", own, everyone, "declarer"),
        statistic("bidding", "pushed", "share", pushed, could_push),
        statistic("bidding", "Obenabe or Undenufe chosen", "share", suitless, own),
        statistic("play", "card points as declarer's team", "points", base, own),
        statistic("play", "more card points as declarer's team", "share", base > their_base, own, "made"),
        statistic("play", "card points against the declarer", "points", base, everyone & (declarer % 2 != TEAMS)),
        statistic("play", "Weis", "points", report["weis"][:, TEAMS], everyone),
        statistic("play", "Stöck", "share", report["stock"][:, TEAMS] > 0, everyone),
        statistic("play", "match (all tricks)", "share", report["tricks"][:, TEAMS] == rules.hand_size, everyone),
        statistic("result", "margin as declarer's team", "points", points - others, own),
        statistic("result", "points written", "points", points, everyone),
    ]
