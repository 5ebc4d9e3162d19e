"""What actions are worth if an agent plays on for everybody: the cheap judge where a solver would take too long.

Unlike a solver the agent sees each seat's own cards only, so nothing is taken for granted about what others will
know; but it is only as good as it plays (a rollout, Tesauro and Galperin 1996: taking the best action by it is
one step of policy improvement).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.core.game import BatchedGame
from ..base import Agent, Bools, act_masked
from .base import Floats


def play_out(games: BatchedGame[Any], mask: Bools, agent: Agent, rng: np.random.Generator) -> Floats:
    """Take each legal action in each game and let an agent finish the hand.

    Args:
        games: n games (reward "points", episode "hand") in which the same seat is to act; they stay as they are.
        mask: bool [A], the actions to be tried, legal in all of them.

    Returns: float64 [n, A], what the hand then brings that seat's side, in points (its own less the mean of the other
    sides'); nan where the mask is False.
    """
    n, seat, actions = games.num_games, int(games.current_player[0]), np.flatnonzero(mask)
    played = games.select(np.repeat(np.arange(n), len(actions)))
    rewards, _ = played.step(np.tile(actions, n))
    total = rewards[:, seat].astype(np.float64)
    while (played.current_player >= 0).any():
        rewards, _ = played.step(act_masked(agent, played.observe(), played.legal_actions(), rng), validate=False)
        total += rewards[:, seat]
    values = np.full((n, len(mask)), np.nan)
    values[:, actions] = total.reshape(n, len(actions)) * games.spec.reward_scale
    return values
