"""What search needs to know of a game: the deals a seat thinks possible, and what an action is worth in them."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ...envs.core.bits import U8, U64
from ...envs.core.errors import UnknownNameError
from ...envs.core.spec import GameSpec
from .belief import Bools, Case, Weight

Floats = npt.NDArray[np.float64]


class SearchGame(Protocol):
    """A game as search sees it; one object for a set of rules (`agents/search/<game>/game.py`, class `Search`).

    All but `open_world` take one observation of the seat to act, and nothing else of the game: so no agent that is
    built on them can know more than its seat. `evidence`, `advice` and `open_world` may be left out.
    """

    def cases(self, obs: U8) -> list[Case]:
        """Where the unseen cards may be, as cases that exclude each other (`belief`).

        Args:
            obs: uint8 [D], an observation of the seat to act.

        Returns: cases over L places (seat-relative: next seat first), the same L for all observations of a phase.
        """
        ...

    def evidence(self, obs: U8) -> Weight | None:
        """Knowledge that no case can say, as a weight of deals (`belief.Weight`); None if there is none."""
        ...

    def advice(self, obs: U8, mask: Bools) -> int:
        """The action that a quick player would take, -1 for none: search leaves it only for what is surely better."""
        ...

    def open_world(self, hidden: U8) -> U64:
        """The deal as it is, from what the game's `state_planes` show of it: uint8 [hidden_size] → uint64 [L]."""
        ...

    def values(self, obs: U8, mask: Bools, worlds: U64, nodes: int) -> Floats:
        """What each legal action is worth in each deal, in points of the game for the side of the seat to act.

        Differences between actions count, not the level: what happened before may be left out.

        Args:
            obs: uint8 [D], an observation of the seat to act.
            mask: bool [A], the legal actions.
            worlds: uint64 [n, L], deals drawn from `cases(obs)`: the cards of each place.
            nodes: positions that the solver may visit, for all deals together. Where that does not do, the game falls
                back on something cheaper that its docstring names, rather than to go on.

        Returns: float64 [n, A], nan where the mask is False.
        """
        ...


def search_game(spec: GameSpec) -> SearchGame:
    """The game of a spec for search. Raises UnknownNameError if there is none for it, or none for short decks."""
    if spec.rules.reduced:
        raise UnknownNameError(f"search does not play {spec.id} with a short deck ({spec.rules.name})")
    package = f"{__package__}.{spec.id}"
    try:
        module = import_module(f"{package}.game")
    except ModuleNotFoundError as error:
        if not package.startswith(str(error.name)) and str(error.name) != f"{package}.game":
            raise  # the module is there, what it imports is not
        raise UnknownNameError(f"there is no search for {spec.id}") from None
    return module.Search(spec)
