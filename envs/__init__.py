"""Games, their shared core, and the adapters to other libraries."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from .adapters import modules
from .registry import games, make_batch, register_game, replay

__all__ = ["games", "make_batch", "register_game", "replay"]

modules.install()


def __getattr__(name: str) -> ModuleType:
    """`bidtrick.envs.schieber_v0` and its like, made by `adapters.modules` when first wanted."""
    if "_v" in name and not name.startswith("_"):
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
            raise AttributeError(str(error)) from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
