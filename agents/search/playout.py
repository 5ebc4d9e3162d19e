"""What actions are worth if an agent plays on for everybody: the cheap judge where a solver would take too long.

Unlike a solver the agent sees each seat's own cards only, so nothing is taken for granted about what others will
know; but it is only as good as it plays (a rollout, Tesauro and Galperin 1996: taking the best action by it is
one step of policy improvement).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.core.game import BatchedGame
from ..base import F64, I64, U8, Agent, Bools
from .base import Floats

#: Finished games are left behind as soon as no more than this share of a batch goes on.
_GOING_ON = 0.75


def choose(agent: Agent, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
    """What an agent does in each row: it is asked only where there is a choice. -1 where nothing is legal."""
    count = np.count_nonzero(mask, axis=1)
    actions = np.where(count > 0, mask.argmax(axis=1), -1)
    rows = np.flatnonzero(count > 1)
    if len(rows):
        actions[rows] = agent.act(obs[rows], mask[rows], rng)
    return actions


def finish(games: BatchedGame[Any], agent: Agent, rng: np.random.Generator) -> F64:
    """Let an agent play all seats to the end of each hand.

    Args:
        games: n games of single hands; they are played on. (Those that finish late may be left before their ends.)

    Returns: float64 [n, seats], what the hands pay from here on.
    """
    total = np.zeros((games.num_games, games.spec.num_seats))
    number = np.arange(games.num_games)
    while len(going := np.flatnonzero(~games.done)):
        if len(going) <= _GOING_ON * len(number):
            games, number = games.select(going), number[going]
        actions = choose(agent, games.observe(), games.legal_actions(), rng)
        rewards, _ = games.step(actions, validate=False)
        total[number] += rewards
    return total


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
    total = rewards[:, seat] + finish(played, agent, rng)[:, seat]
    values = np.full((n, len(mask)), np.nan)
    values[:, actions] = total.reshape(n, len(actions)) * games.spec.reward_scale
    return values
