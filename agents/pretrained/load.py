"""Agents from the networks that come with the package."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from ...envs.core.spec import GameSpec
from ..base import Agent
from ..neural.agent import load_agent
from .store import find

#: Networks that are kept for the next time that they are asked for.
_KEPT = 16


def pretrained(name: str, spec: GameSpec, make: Callable[[str, GameSpec], Agent]) -> Agent:
    """The shipped agent of a name (`store.NAMES`); the same object for the same rules.

    Args:
        make: makes the agent that plays what the network has not learned.

    Raises: UnknownNameError if none is shipped for these rules, CheckpointError if it is damaged.
    """
    return _load(find(name, spec).folder, name, _Key(spec), make)


class _Key:
    """A spec that is equal to all specs of the same game and rules: what an agent depends on."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.key = (spec.id, spec.version, spec.layout.hash, spec.rules.digest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=_KEPT)
def _load(folder: Path, name: str, key: _Key, make: Callable[[str, GameSpec], Agent]) -> Agent:
    return load_agent(folder, key.spec, make, name)
