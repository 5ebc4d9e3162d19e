"""The names of agents that search: a number, then options, as in "pimc:20,nodes=500000,net=pretrained"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...envs.core.errors import BidtrickError, UnknownNameError
from ...envs.core.spec import GameSpec
from ..base import Agent

#: Makes an agent of a name (`agents.registry.make_agent`).
Make = Callable[[str, GameSpec], Agent]


@dataclass(frozen=True)
class Option:
    """An option of a name. placeholder: how its value is written, "M". about: what it means, in a few words."""

    placeholder: str
    about: str


class Options:
    """A name in parts.

    Args:
        kind: what stands before the colon. argument: what stands after it.
        number: what the number is, in a few words. options: by key.

    Raises: UnknownNameError naming what is wrong with it and what may be written.
    """

    def __init__(self, kind: str, argument: str, number: str, options: Mapping[str, Option]) -> None:
        self.name = f"{kind}:{argument}"
        self._kind, self._number, self._options = kind, number, options
        # values may be names with commas of their own ("combine:bid=A,play=B"): only what follows is a known key splits
        head, *parts = re.split(rf",(?=(?:{'|'.join(options)})=)", argument)
        if not re.fullmatch(r"[1-9]\d*", head):
            raise self.refuse(f"{head!r} is no {number} from 1")
        self.number = int(head)
        self._values: dict[str, str] = {}
        for part in parts:
            key, _, value = part.partition("=")
            if key in self._values:
                raise self.refuse(f"{key} is given twice")
            if not value:
                raise self.refuse(f"{key} has no value")
            self._values[key] = value

    def refuse(self, why: str) -> UnknownNameError:
        """The error that says why the name is not understood and how it is written."""
        forms = ", ".join(f"{key}={option.placeholder} ({option.about})" for key, option in self._options.items())
        return UnknownNameError(
            f"{self.name} is not understood: {why}; write {self._kind}:N (N: {self._number}) and, after commas, "
            f"any of {forms}"
        )

    def whole(self, key: str, default: int) -> int:
        """A whole number from 1."""
        text = self._values.get(key, str(default))
        if not re.fullmatch(r"[1-9]\d*", text):
            raise self.refuse(f"{key}={text!r} is no whole number from 1")
        return int(text)

    def real(self, key: str, default: float) -> float:
        """A number from 0."""
        text = self._values.get(key, str(default))
        if not re.fullmatch(r"\d+(\.\d+)?", text):
            raise self.refuse(f"{key}={text!r} is no number from 0")
        return float(text)

    def choice(self, key: str, default: str, allowed: tuple[str, ...]) -> str:
        """One of some words."""
        text = self._values.get(key, default)
        if text not in allowed:
            raise self.refuse(f"{key}={text!r} is not allowed; allowed: {' | '.join(allowed)}")
        return text

    def agent(self, key: str, spec: GameSpec, make: Make) -> Agent | None:
        """The agent that an option names, None if it is not given. Raises what `make` raises, too."""
        if key not in self._values:
            return None
        agent = make(self._values[key], spec)
        if agent.open_cards:
            raise BidtrickError(f"{self.name}: {key}={agent.name} sees all cards, and is no guide for who does not")
        return agent
