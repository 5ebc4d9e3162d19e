"""The agent protocol: arrays in, arrays out, one row a decision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..envs.core.spec import GameSpec

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

#: How often an agent is asked to estimate its probabilities, if it has no formula for them.
SAMPLES = 256


class Agent(ABC):
    """A policy for every seat of one game.

    An agent sees observations and masks only, so it cannot know more than the seat it plays. It keeps no
    memory between calls: an observation holds everything a perfect-memory player knows.

    Attributes:
        name: the text that names it in configs, on the command line and in tables.
        spec: the game it plays, with its rules and layout.
        open_cards: it cheats: its rows are state vectors (`BatchedGame.state_vector`), observations followed by what
            the seat cannot see. Tournaments honour it; everything else hands out observations, which it refuses.
        deterministic: `act` depends on observation and mask alone, and draws nothing.
    """

    open_cards: bool = False
    deterministic: bool = False

    def __init__(self, name: str, spec: GameSpec) -> None:
        self.name, self.spec = name, spec

    @abstractmethod
    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        """Choose a legal action for each row.

        Args:
            obs: uint8 [n, D], observations of the seats to act (`spec.layout`).
            mask: bool [n, num_actions], legal actions, at least one a row.
            rng: the only source of randomness; equal generators give equal actions.

        Returns: int64 [n].
        """

    def probabilities(self, obs: U8, mask: Bools, rng: np.random.Generator) -> F64:
        """How probable each action is. An agent that does not know better is asked `SAMPLES` times.

        Args: as of `act`.

        Returns: float64 [n, num_actions], rows that sum to 1.
        """
        n = len(obs)
        repeated = np.repeat(np.arange(n), SAMPLES)
        actions = self.act(obs[repeated], mask[repeated], rng)
        counts = np.zeros(mask.shape)
        np.add.at(counts, (repeated, actions), 1.0)
        return counts / SAMPLES

    def describe(self) -> dict[str, Any]:
        """Facts for reports, e.g. where a checkpoint comes from."""
        return {"name": self.name, "class": type(self).__name__}


def act_masked(agent: Agent, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
    """`agent.act` for rows that may be empty of legal actions (those get NO_ACTION) or none at all."""
    rows = np.flatnonzero(mask.any(axis=1))
    actions = np.full(len(mask), -1, np.int64)
    if len(rows):
        whole = len(rows) == len(mask)
        actions[rows] = agent.act(obs if whole else obs[rows], mask if whole else mask[rows], rng)
    return actions
