"""Who may play a seat: agents by name, agents, and plain functions."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..core.bits import U8
from ..core.errors import BidtrickError
from ..core.game import Policy
from ..core.spec import GameSpec

Bools = npt.NDArray[np.bool_]


@runtime_checkable
class ActingAgent(Protocol):
    """Anything with the `act` of `bidtrick.agents.Agent`."""

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> npt.NDArray[Any]: ...


Opponent = str | ActingAgent | Policy


def named_agent(name: str, spec: GameSpec) -> ActingAgent:
    """The agent of a name ("random", "heuristic", "checkpoint:runs/x" …).

    Agents are a layer above the adapters and know nothing of them, so they are looked up by name, when a name
    is given, and never imported from here: a program that passes its own policies does not load them.
    """
    root = __name__.partition(".envs.")[0]
    return import_module(f"{root}.agents.registry").make_agent(name, spec)


def as_policy(opponent: Opponent, spec: GameSpec) -> Policy:
    """The function that plays for an opponent. Raises UnknownNameError or BidtrickError."""
    if isinstance(opponent, str):
        return named_agent(opponent, spec).act
    if isinstance(opponent, ActingAgent):
        return opponent.act
    if callable(opponent):
        return opponent
    raise BidtrickError(
        f"{spec.id}: {opponent!r} cannot play; give the name of an agent, an agent, or a function "
        "(observations, masks, rng) -> actions"
    )
