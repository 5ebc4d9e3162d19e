"""Games in which a seat's past has happened, with the unseen cards of one's choice: the start of every look ahead.

An observation holds the whole past that its seat knows. So a game with other unseen cards is made by dealing them and
taking all actions again in the real engine; what is rebuilt is then a game like any other, seen rightly by every seat.
Each game says where the cards of a deal were at first and who does what next; the loop is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ...envs.core.bits import I64
from ...envs.core.errors import BidtrickError
from ...envs.core.game import BatchedGame

G = TypeVar("G", bound=BatchedGame[Any])

#: No hand has more actions than this before a decision (and private questions that differ from deal to deal).
MOST_ACTIONS = 300


def replay(games: G, following: Callable[[G], I64]) -> G:
    """Take actions until no game has one to take.

    Args:
        games: a batch that has been dealt.
        following: the games → the action of each, int64 [N], -1 where its past is over. They need not be legal by the
            engine's book-keeping; they are not checked.

    Returns: the same games.
    """
    for _ in range(MOST_ACTIONS):
        actions = following(games)
        if not (actions >= 0).any():
            return games
        games.step(np.where(games.state.player >= 0, actions, -1), validate=False)
    raise BidtrickError(f"{games.spec.id}: the past of an observation does not end")
