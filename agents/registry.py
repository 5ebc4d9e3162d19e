"""Agents by name: "random", "heuristic", "checkpoint:runs/x" … one language for configs, CLI and tournaments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from ..envs.core.errors import UnknownNameError
from ..envs.core.spec import GameSpec
from . import external
from .base import Agent
from .combine import always, combined
from .pretrained import NAMES as PRETRAINED
from .random import RandomAgent


def _random(spec: GameSpec, argument: str) -> Agent:
    return RandomAgent("random", spec)


def _heuristic(spec: GameSpec, argument: str) -> Agent:
    try:
        module = import_module(f".heuristic.{spec.id}", __package__)
    except ModuleNotFoundError as error:
        if not str(error.name).endswith(f".heuristic.{spec.id}"):
            raise  # the module is there, what it imports is not
        raise UnknownNameError(f"there is no heuristic agent for {spec.id}") from None
    return module.Heuristic("heuristic", spec)


def _checkpoint(spec: GameSpec, argument: str) -> Agent:
    from .neural.agent import load_agent  # torch is imported only where it is needed

    return load_agent(argument, spec, make_agent)


def _combine(spec: GameSpec, argument: str) -> Agent:
    return combined(spec, argument, make_agent)


def _always(spec: GameSpec, argument: str) -> Agent:
    return always(spec, argument, make_agent)


def _pretrained(name: str, spec: GameSpec, argument: str) -> Agent:
    from .pretrained.load import pretrained  # torch, as above

    return pretrained(name, spec, make_agent)


def _pimc(spec: GameSpec, argument: str) -> Agent:
    from .search.pimc import pimc  # numba, an extra, is imported only where it is needed

    return pimc(spec, argument, make_agent)


def _ismcts(spec: GameSpec, argument: str) -> Agent:
    from .search.ismcts import ismcts

    return ismcts(spec, argument, make_agent)


def _cheat(spec: GameSpec, argument: str) -> Agent:
    from .search.pimc import CheatAgent

    return CheatAgent("cheat", spec)


#: Name → (factory, what the argument after ":" means, "" for none, what it is).
AGENTS: dict[str, tuple[Callable[[GameSpec, str], Agent], str, str]] = {
    "random": (_random, "", "uniformly random legal actions"),
    "heuristic": (_heuristic, "", "rules of thumb of a club player"),
    **{name: (partial(_pretrained, name), "", about) for name, about in PRETRAINED.items()},
    "checkpoint": (_checkpoint, "PATH", "a network from a run's folder, a checkpoint folder or an exported folder"),
    "pimc": (_pimc, "N", "solves N deals that may be and takes what is best on average (nodes=M, net=AGENT)"),
    "ismcts": (_ismcts, "N", "searches the tree of what is known, N deals a decision (net=AGENT, rollout=net, c=C)"),
    "cheat": (_cheat, "", "sees all cards and solves the deal: a ceiling (tournaments only)"),
    "combine": (_combine, "bid=AGENT,play=AGENT", "one agent in the auction, another in the card play"),
    "always": (_always, "ACTION", "an action wherever it is legal, else the heuristic's"),
}


def register_agent(name: str, make: Callable[[GameSpec, str], Agent], about: str, argument: str = "") -> None:
    """Add an agent by name, so that configs, tournaments and environments know it.

    Args:
        make: (spec, what stands after ":") → the agent.
        about: what it is, in a few words. argument: what stands after ":" ("" for nothing).

    Raises: UnknownNameError if the name is taken or has a colon.
    """
    if ":" in name or AGENTS.get(name, (make,))[0] is not make:
        raise UnknownNameError(f"an agent cannot be called {name!r}; taken: {', '.join(AGENTS)}")
    AGENTS[name] = (make, argument, about)


def make_agent(name: str, spec: GameSpec) -> Agent:
    """The agent of a name, for a game. Raises UnknownNameError listing the names."""
    kind, _, argument = name.partition(":")
    if kind not in AGENTS and external.is_reference(name):
        return external.load(name, spec)
    if kind not in AGENTS or bool(argument) != bool(AGENTS[kind][1]):
        raise UnknownNameError(f"no agent is called {name!r}; agents: {', '.join(agent_names())}")
    return AGENTS[kind][0](spec, argument)


def agent_names() -> list[str]:
    """How every agent is written, e.g. "checkpoint:PATH"."""
    names = [f"{name}:{argument}" if argument else name for name, (_, argument, _) in AGENTS.items()]
    return [*names, external.REFERENCE]
