"""Adapters to other libraries: one file a consumer, none of which knows a game."""

from __future__ import annotations

from ..registry import GAMES, game_class
from .common import title_of
from .modules import install, module_name

_registered: set[str] = set()


def gymnasium_id(game: str) -> str:
    """The game's id in Gymnasium's registry, e.g. "bidtrick/Schieber-v0"."""
    return f"bidtrick/{title_of(game)}-v{game_class(game).version}"


def pettingzoo_id(game: str) -> str:
    """The game's id in PettingZoo's registry, e.g. "bidtrick/schieber_v0"."""
    return f"bidtrick/{game}_v{game_class(game).version}"


def register_all() -> None:
    """Register every game with Gymnasium and, where it has a registry (1.27 and later), with PettingZoo.

    Called when `bidtrick` is imported; may be called again after a game was added.
    """
    import gymnasium
    import pettingzoo

    install()
    for game in GAMES.keys() - _registered:
        _registered.add(game)
        gymnasium.register(
            id=gymnasium_id(game),
            entry_point=f"{__name__}.gymnasium:Env",
            vector_entry_point=f"{__name__}.gymnasium:VectorEnv",
            kwargs={"game": game},
        )
        register = getattr(pettingzoo, "register", None)
        if register is not None:
            register("aec", pettingzoo_id(game), entry_point=f"{module_name(game)}:env")
            register("parallel", pettingzoo_id(game), entry_point=f"{module_name(game)}:parallel_env")


__all__ = ["gymnasium_id", "pettingzoo_id", "register_all"]
