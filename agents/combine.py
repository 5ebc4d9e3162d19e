"""Agents made of others: one bids and another plays the cards, or a wish comes first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..envs.core.errors import UnknownNameError
from ..envs.core.spec import GameSpec
from .base import F64, I64, U8, Agent, Bools

_PARTS = re.compile(r"bid=(?P<bid>.+),play=(?P<play>.+)")


class CombinedAgent(Agent):
    """`bid` decides in the auction (`spec.bidding_phases`), `play` everything after it.

    Where one of them sees all cards (`Agent.open_cards`) so does the whole; the other is shown its observations only.
    """

    def __init__(self, name: str, spec: GameSpec, bid: Agent, play: Agent) -> None:
        super().__init__(name, spec)
        self.bid, self.play = bid, play
        self.deterministic = bid.deterministic and play.deterministic
        self.open_cards = bid.open_cards or play.open_cards

    def _shown(self, agent: Agent, rows: U8) -> U8:
        """What one of the two may see of rows that may be state vectors."""
        return rows if agent.open_cards else rows[:, : self.spec.layout.size]

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        bidding = self.spec.is_bidding(obs)
        actions = np.empty(len(obs), np.int64)
        for agent, rows in ((self.bid, bidding.nonzero()[0]), (self.play, (~bidding).nonzero()[0])):
            if len(rows):
                actions[rows] = agent.act(self._shown(agent, obs[rows]), mask[rows], rng)
        return actions

    def probabilities(self, obs: U8, mask: Bools, rng: np.random.Generator) -> F64:
        bidding = self.spec.is_bidding(obs)
        found = np.zeros(mask.shape)
        for agent, rows in ((self.bid, bidding.nonzero()[0]), (self.play, (~bidding).nonzero()[0])):
            if len(rows):
                found[rows] = agent.probabilities(self._shown(agent, obs[rows]), mask[rows], rng)
        return found

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "bid": self.bid.describe(), "play": self.play.describe()}


class AlwaysAgent(Agent):
    """Takes one action wherever it is legal (a contract to study, say), and leaves the rest to another agent."""

    def __init__(self, name: str, spec: GameSpec, action: int, otherwise: Agent) -> None:
        super().__init__(name, spec)
        self.action, self.otherwise = action, otherwise
        self.deterministic = otherwise.deterministic

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        return np.where(mask[:, self.action], self.action, self.otherwise.act(obs, mask, rng))

    def probabilities(self, obs: U8, mask: Bools, rng: np.random.Generator) -> F64:
        always = np.arange(mask.shape[1]) == self.action
        return np.where(mask[:, self.action, None], always, self.otherwise.probabilities(obs, mask, rng))


def combined(spec: GameSpec, argument: str, make: Callable[[str, GameSpec], Agent]) -> Agent:
    """The agent of "combine:bid=A,play=B". Raises UnknownNameError."""
    parts = _PARTS.fullmatch(argument)
    if parts is None:
        raise UnknownNameError(f"combine:{argument} is not understood; write combine:bid=AGENT,play=AGENT")
    return CombinedAgent(f"combine:{argument}", spec, make(parts["bid"], spec), make(parts["play"], spec))


def always(spec: GameSpec, argument: str, make: Callable[[str, GameSpec], Agent]) -> Agent:
    """The agent of "always:ACTION", e.g. "always:Obenabe". Raises UnknownNameError."""
    return AlwaysAgent(f"always:{argument}", spec, spec.parse_action(argument), make("heuristic", spec))
