"""What search needs to know of a game: the deals a seat thinks possible, and what an action is worth in them."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ...envs.core.bits import U8, U64
from ...envs.core.errors import UnknownNameError
from ...envs.core.game import BatchedGame
from ...envs.core.spec import GameSpec
from .belief import Bools, Case, Weight

Floats = npt.NDArray[np.float64]


class SearchGame(Protocol):
    """A game as search sees it; one object for a set of rules (`agents/search/<game>/game.py`, class `Search`).

    All but `open_world` take one observation of the seat to act, and nothing else of the game: so no agent that is
    built on them can know more than its seat. `evidence`, `open_world` and `games` may be left out.
    Where an open deal leaves something to chance in the auction, `open_orders` says how often to look at it.
    """

    @property
    def visited(self) -> int:
        """Positions that the solver has visited in all calls of `values` so far."""
        ...

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

    def games(self, obs: U8, worlds: U64) -> BatchedGame[Any]:
        """Games in which all that the seat has seen has happened, with the cards of the worlds.

        They are hands that pay points (episode "hand", reward "points"); `observe` says in them what `obs` says, but
        for the columns that say what an episode is and what is paid. Where a world leaves open how things came about
        (which of the cards that a seat threw away came first, say) they come about in one way, that the world seeds.

        A world that contradicts what no case can say (`evidence`), or what the game leaves out of its cases, may give
        a game in which something else has happened: its seat to act is not seat 0, or its legal actions are others.

        Args:
            obs: uint8 [D], an observation of the seat to act.
            worlds: uint64 [n, L], deals drawn from `cases(obs)`, n from 1.

        Returns: n games; the observer is seat 0, and the other seats follow in playing order.

        Raises: BidtrickError if the rules are among the few that cannot be replayed, naming the option.
        """
        ...


def part_of(spec: GameSpec, module: str, name: str, what: str) -> Any:
    """An object of a game's part of search, made for a spec: class `name` of `agents/search/<game>/<module>.py`.

    Raises: UnknownNameError if the game has no such part, or a short deck; `what` says in an error what it is.
    """
    if spec.rules.reduced:
        raise UnknownNameError(f"there is no {what} for {spec.id} with a short deck ({spec.rules.name})")
    path = f"{__package__}.{spec.id}.{module}"
    try:
        found = import_module(path)
    except ModuleNotFoundError as error:
        if not path.startswith(str(error.name)):
            raise  # the module is there, what it imports is not
        raise UnknownNameError(f"there is no {what} for {spec.id}") from None
    return getattr(found, name)(spec)


def search_game(spec: GameSpec) -> SearchGame:
    """The game of a spec for search. Raises UnknownNameError if there is none for it, or none for short decks."""
    return part_of(spec, "game", "Search", "search")
