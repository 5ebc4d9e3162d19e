"""Who sits where: contests, and the seatings in which every deal of a contest is replayed.

A *side* is a team, or a player where everybody plays for himself. Two agents meet like this: one of them sits at
one side, the other at all others, for every side; and the other way round. With two sides these are the two
seatings that exchange the teams. A table of more agents is replayed in all its seatings; where these are many, in
some drawn for each deal together with their rotations, so that every agent sits equally often at every place.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..config import ConfigError

I64 = npt.NDArray[np.int64]

#: Hands after which a match is cut off: poor players of some games never end theirs.
MATCH_HANDS = 200


@dataclass(frozen=True)
class Contest:
    """Agents that meet on the same deals.

    kind: "pair" or "table". lineup: names of the agents; of a table one a side or one a seat, perhaps repeated.
    """

    kind: str
    lineup: tuple[str, ...]

    @property
    def agents(self) -> tuple[str, ...]:
        """The different agents, in the order of the line-up."""
        return tuple(dict.fromkeys(self.lineup))

    @property
    def key(self) -> str:
        """Text that identifies the contest in a results file."""
        return f"{self.kind}: {' | '.join(self.lineup)}"

    def seatings(self, teams: Sequence[int], deals: I64, seed: int, limit: int) -> I64:
        """Number (in `agents`) of the agent at each seat. int [deals, plays, seats].

        Args:
            deals: numbers of the deals.
            limit: most seatings of a table on a deal.
        """
        if self.kind == "pair":
            fixed = np.array(seatings(teams), np.int64)
            return np.broadcast_to(fixed, (len(deals), *fixed.shape))
        places = [self.agents.index(name) for name in self.lineup]
        return table_seatings(teams, places, deals, seed, limit)

    def plays(self, teams: Sequence[int], limit: int) -> int:
        """Seatings of one deal."""
        return self.seatings(teams, np.zeros(1, np.int64), 0, limit).shape[1]


def seatings(teams: Sequence[int]) -> list[tuple[int, ...]]:
    """Which of two agents sits where, in each seating of a deal.

    The first (0) at one side and the second (1) at the others, for every side; then the mirror images, where they
    differ. Two sides give the two seatings that exchange the teams, k > 2 sides give 2k.
    """
    sides = sorted(set(teams))
    if len(sides) < 2:
        raise ConfigError(f"two agents need a game of at least two sides; this one has {len(sides)}")
    one = [tuple(int(team != side) for team in teams) for side in sides]
    others = [tuple(int(team == side) for team in teams) for side in sides]
    return list(dict.fromkeys(one + others))


def table_seatings(teams: Sequence[int], places: Sequence[int], deals: I64, seed: int, limit: int) -> I64:
    """Seatings of a table on each of its deals. int [deals, plays, seats].

    Args:
        places: number of the agent at each place; places are sides (one a side) or seats.
        limit: if there are more seatings than this, as many rotations of drawn seatings as fit (at least one set).
    """
    sides = sorted(set(teams))
    size = len(places)
    distinct = sorted(set(itertools.permutations(places)))
    if len(distinct) <= limit:
        chosen = np.broadcast_to(np.array(distinct, np.int64), (len(deals), len(distinct), size))
    else:
        # one seating of each circle (the first place fixed), then its rotations
        circles = np.array([(0, *rest) for rest in itertools.permutations(range(1, size))], np.int64)
        count = min(max(1, limit // size), len(circles))
        drawn = np.stack([_draw(seed, int(deal), len(circles), count) for deal in deals])
        turned = (np.arange(size) + np.arange(size)[:, None]) % size  # [rotation, place]
        orders = circles[drawn][:, :, turned]  # [deals, circles, rotation, place]
        chosen = np.array(places, np.int64)[orders].reshape(len(deals), count * size, size)
    if size == len(teams):
        return chosen
    at = np.array([sides.index(team) for team in teams])
    return chosen[:, :, at]


def _draw(seed: int, deal: int, total: int, count: int) -> npt.NDArray[Any]:
    """`count` of `total` numbers, drawn for a deal."""
    return np.random.default_rng([seed, 23, deal]).permutation(total)[:count]
