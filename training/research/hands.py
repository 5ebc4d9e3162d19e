"""Hands of agents, recorded: every deal with every agent at every side, so that all have the same cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...agents.base import Agent
from ...envs.core.errors import BidtrickError
from ...envs.core.records import GameRecord
from ...envs.registry import make_batch


def record_hands(
    agents: Sequence[Agent],
    deals: int,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[tuple[GameRecord, tuple[str, ...]]]:
    """Let agents play single hands and record them.

    Args:
        agents: of one game and rules. The sides take them in turn; the next playing of a deal begins with the next one.
        deals: deals of the seed. progress: called with the number of playings done.

    Returns: records, deal by deal, with the name of the agent at each seat.
    """
    if not agents or len({agent.spec.rules for agent in agents}) > 1:
        raise BidtrickError("agents: give one or more for the same rules")
    if deals < 1:
        raise BidtrickError(f"deals={deals} is not allowed; allowed: an int from 1")
    spec = agents[0].spec
    sides = sorted(set(spec.teams))
    playings: list[list[tuple[GameRecord, tuple[str, ...]]]] = []
    for turn in range(len(agents)):
        seated = [agents[(turn + sides.index(team)) % len(agents)] for team in spec.teams]
        games = make_batch(spec.id, deals, seed=seed, rules=spec.rules, record=True)
        rng = np.random.default_rng([seed, 71, turn])
        while (games.current_player >= 0).any():
            player, mask = games.current_player, games.legal_actions()
            actions = np.full(deals, -1, np.int64)
            for agent in dict.fromkeys(seated):
                seats = [seat for seat, other in enumerate(seated) if other is agent]
                rows = np.flatnonzero(np.isin(player, seats))
                if len(rows):
                    obs: Any = games.state_vector() if agent.open_cards else games.observe()
                    actions[rows] = agent.act(obs[rows], mask[rows], rng)
            games.step(actions)
        names = tuple(agent.name for agent in seated)
        playings.append([(games.record(game), names) for game in range(deals)])
        if progress is not None:
            progress(turn + 1)
    return [playing[deal] for deal in range(deals) for playing in playings]
