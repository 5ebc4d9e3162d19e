"""Playing positions on to the end of their episodes, many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..envs.core.bits import I64
from ..envs.core.game import NO_ACTION, BatchedGame

F64 = npt.NDArray[np.float64]

#: (running games, their numbers in the whole batch int64 [n]) → an action of each, int64 [n].
Decide = Callable[[BatchedGame[Any], I64], I64]

#: Games are copied together again when fewer than this part of them still run.
_RUNNING = 0.75


def play_to_end(games: BatchedGame[Any], decide: Decide) -> F64:
    """Play every game of a batch to the end of its episode.

    Games end at different times; those that have ended are left out of what `decide` sees, so that the last few do
    not cost as much as all of them.

    Args:
        games: positions, made without `auto_reset`; they are finished afterwards, `report()` tells how.
        decide: chooses the actions; the games that it gets all run.

    Returns: float64 [N, seats], what each seat was paid from here on.
    """
    paid = np.zeros((games.num_games, games.spec.num_seats))
    index = (games.state.player >= 0).nonzero()[0]
    while len(index):
        part = games.select(index)
        running = np.arange(len(index))
        while len(running) > _RUNNING * len(index):
            whole = len(running) == len(index)
            asked = part if whole else part.select(running)
            actions = np.full(len(index), NO_ACTION, np.int64)
            actions[running] = decide(asked, index[running])
            rewards, _ = part.step(actions)
            paid[index] += rewards
            running = (part.state.player >= 0).nonzero()[0]
        games.put(index, part)
        index = index[running]
    return paid
