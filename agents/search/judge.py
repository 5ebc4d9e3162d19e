"""What each legal action of a decision is worth with open cards: the judge of what was played.

Each game has a class `Judge` in `agents/search/<game>/judge.py`, which says in which points it counts, by phase.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ...envs.core.game import BatchedGame
from ...envs.core.spec import GameSpec
from .base import Floats, part_of, search_game

#: Positions that may be visited for one action, unless the caller says otherwise.
NODES = 200_000


@dataclass(frozen=True, eq=False)
class Judged:
    """The values of one decision.

    Attributes:
        values: float64 [A], points for the side of the seat to act; nan for actions that are illegal or not judged.
        exact: all of them are solved. Otherwise they are estimates, and may be wrong on either side.
    """

    values: Floats
    exact: bool


class DecisionJudge(Protocol):
    """Judges decisions of one set of rules; one object serves one thread.

    Attributes:
        units: phase → what its values count.
    """

    units: Mapping[str, str]

    def __call__(self, games: BatchedGame[Any], nodes: int = NODES) -> Judged | None:
        """The values of the decision that a batch of one game waits for; None if the game does not judge it.

        Args:
            games: it stays as it is. nodes: positions that may be visited for each action.
        """
        ...


def decision_judge(spec: GameSpec) -> DecisionJudge:
    """The judge for a spec. Raises UnknownNameError if the game has none, or a short deck."""
    return part_of(spec, "judge", "Judge", "judge of decisions")


def search_values(games: BatchedGame[Any], nodes: int) -> Judged:
    """What the game's search says of a decision when the cards are open (`base.SearchGame.values`): an estimate."""
    search = search_game(games.spec)
    mask = games.legal_actions()[0]
    world = search.open_world(games.state_planes(games.current_player.astype(np.int64))[0])
    values = search.values(games.observe()[0], mask, world[None], nodes * int(mask.sum()))[0]
    return Judged(values, exact=False)
