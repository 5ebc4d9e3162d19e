"""Modules that exist for every game without a file: `bidtrick.envs.schieber_v0` with `env`, `raw_env`, `parallel_env`.

A finder makes them when they are imported, so a new game has its module as soon as it is in the registry.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..registry import GAMES, game_class

#: The package that the modules live in, "bidtrick.envs".
PACKAGE = __name__.rpartition(".adapters")[0]
_NAME = re.compile(rf"{re.escape(PACKAGE)}\.(?P<game>[a-z_]+)_v(?P<version>\d+)")


def module_name(game: str) -> str:
    """The module of a game's present version, e.g. "bidtrick.envs.schieber_v0"."""
    return f"{PACKAGE}.{game}_v{game_class(game).version}"


class GameModules(MetaPathFinder, Loader):
    """Finds and fills the modules of games."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        match = _NAME.fullmatch(fullname)
        if match is None or match["game"] not in GAMES:
            return None
        present = module_name(match["game"])
        if fullname != present:
            raise ModuleNotFoundError(f"there is no {fullname}; the present version is {present}", name=fullname)
        return ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        from . import pettingzoo  # only who wants PettingZoo's environments loads it

        match = _NAME.fullmatch(module.__name__)
        assert match is not None
        raw_env = pettingzoo.env_class(match["game"], int(match["version"]))

        def env(*args: Any, **options: Any) -> Any:
            """An AEC environment in PettingZoo's usual wrappers (`raw_env` has the arguments)."""
            return pettingzoo.wrap(raw_env(*args, **options))

        def parallel_env(*args: Any, **options: Any) -> Any:
            """The same for the parallel API; only the agent whose turn it is has legal actions."""
            return pettingzoo.wrap_parallel(raw_env(*args, **options))

        module.__doc__ = f"{match['game'].capitalize()} for PettingZoo: env, raw_env, parallel_env."
        # a class is pickled by the name of its module
        for name, value in (("env", env), ("raw_env", raw_env), ("parallel_env", parallel_env)):
            value.__module__ = module.__name__
            setattr(module, name, value)
        module.__dict__["__all__"] = ["env", "parallel_env", "raw_env"]


def install() -> None:
    """Let the modules be found; may be called again."""
    if not any(isinstance(finder, GameModules) for finder in sys.meta_path):
        sys.meta_path.append(GameModules())
