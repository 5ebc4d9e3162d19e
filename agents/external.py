"""Agents from outside: any Python callable, named as "module:attribute".

The attribute is one of these:

- a subclass of `Agent`, made with (name, spec);
- another class, made without arguments, whose objects are called as below;
- a callable: (obs, mask) → action, for one decision: uint8 [D] (`spec.layout` says what it means; its `to_float` scales
  it) and bool [num_actions] to the number of a legal action. With an attribute `batched = True` it takes and returns
  arrays of n decisions. A callable of one argument is a policy as in PettingZoo's examples: it gets the dict
  {"observation": scaled float32 [D], "action_mask": int8 [num_actions]} that `bidtrick.envs` hands out there.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..envs.core.errors import UnknownNameError
from ..envs.core.spec import GameSpec
from .base import I64, U8, Agent, Bools

#: How such an agent is written.
REFERENCE = "MODULE:ATTRIBUTE"


def is_reference(name: str) -> bool:
    """Whether a name may be one of a module and its attribute."""
    return re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", name) is not None


class CallableAgent(Agent):
    """Asks a callable, decision by decision unless it is `batched`."""

    def __init__(self, name: str, spec: GameSpec, policy: Callable[..., Any]) -> None:
        super().__init__(name, spec)
        self.policy = policy
        self.batched = bool(getattr(policy, "batched", False))
        self.takes_dict = _arguments(policy) == 1

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        if self.batched:
            return self._ask(obs, mask)
        return np.array([self._one(self._ask(row, legal)) for row, legal in zip(obs, mask, strict=True)])

    def _ask(self, obs: U8, mask: Bools) -> Any:
        if self.takes_dict:
            return self.policy({"observation": self.spec.layout.to_float(obs), "action_mask": mask.astype(np.int8)})
        return self.policy(obs, mask)

    def _one(self, answer: Any) -> int:
        number = np.asarray(answer)
        if number.size != 1 or number.dtype.kind not in "iu":
            raise TypeError(f"{self.name} answered {answer!r}, must be the number of an action")
        return int(number.reshape(()))


def _arguments(policy: Callable[..., Any]) -> int:
    """Arguments that must be given; 2 if that cannot be found out."""
    try:
        parameters = inspect.signature(policy).parameters.values()
    except (TypeError, ValueError):
        return 2
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if any(p.kind == inspect.Parameter.VAR_POSITIONAL for p in parameters):
        return 2
    return sum(p.kind in places and p.default is inspect.Parameter.empty for p in parameters)


def _import(module_name: str) -> Any:
    """The module; one of the working directory if there is no other, as a script there could import it."""
    try:
        return import_module(module_name)
    except ModuleNotFoundError:
        here, top = Path.cwd(), module_name.split(".")[0]
        if str(here) in sys.path or not ((here / f"{top}.py").is_file() or (here / top).is_dir()):
            raise
        sys.path.append(str(here))
        return import_module(module_name)


def load(name: str, spec: GameSpec) -> Agent:
    """The agent "module:attribute". Raises UnknownNameError saying what is not there."""
    module_name, _, path = name.partition(":")
    try:
        found = _import(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # the module is there, what it imports is not
        from .registry import agent_names

        raise UnknownNameError(
            f"no agent is called {name!r} and there is no module {module_name!r}; agents: {', '.join(agent_names())}"
        ) from None
    for part in path.split("."):
        if not hasattr(found, part):
            raise UnknownNameError(f"{name}: {module_name} has no attribute {path!r}")
        found = getattr(found, part)
    if inspect.isclass(found):
        if issubclass(found, Agent):
            return found(name, spec)
        found = cast("Callable[[], Any]", found)()
    if isinstance(found, Agent):
        found.name = name
        return found
    if not callable(found):
        raise UnknownNameError(f"{name}: must be an Agent or a callable (obs, mask) → action, is {found!r}")
    return CallableAgent(name, spec, found)
