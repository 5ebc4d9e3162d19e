"""What is fixed about a game with given rules: names, sizes, layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .bits import I64, U8
from .cards import Deck
from .errors import UnknownNameError
from .layout import ObsLayout
from .rules import Rules
from .symmetry import Symmetry

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class GameSpec:
    """Facts that adapters, agents and tests rely on.

    Attributes:
        id: name in the registry, e.g. "schieber".
        version: changes whenever records or checkpoints of older versions would mean something else.
        teams: team number of each seat (equal numbers win together).
        actions: name of each action.
        phases: names of the phases; a game's `phase` array indexes them.
        bidding_phases: the phases of the auction, up to the contract; the others are card play.
        seen_phase: the phase that observations show to the seat to act. uint8 [n, D] → int64 [n].
        clockwise: whether play runs clockwise on a picture of the table.
        reward_scale: points that make a reward of 1 under `reward="points"`.
    """

    id: str
    version: int
    title: str
    num_seats: int
    teams: tuple[int, ...]
    actions: tuple[str, ...]
    phases: tuple[str, ...]
    bidding_phases: tuple[str, ...]
    seen_phase: Callable[[U8], I64] = field(repr=False, compare=False)
    deck: Deck
    layout: ObsLayout
    rules: Rules
    clockwise: bool
    reward_scale: float
    #: Longest possible hand, in decisions.
    max_hand_actions: int
    #: Columns of `BatchedGame.state_planes`, what a seat cannot see.
    hidden_size: int
    #: How networks may see decisions that differ in names only as one; None if the game offers nothing.
    symmetry: Symmetry | None = None
    #: Calls that give way in the auction; after them somebody else's bid can become the contract.
    passes: tuple[int, ...] = ()
    #: Answers to questions asked in private that leave no trace for the others.
    silent: tuple[int, ...] = ()
    _numbers: dict[str, int] = field(default_factory=dict[str, int], compare=False, repr=False)

    @cached_property
    def bids_in(self) -> Bools:
        """Whether each phase belongs to the auction. bool [phases], read-only."""
        return np.isin(self.phases, self.bidding_phases)

    def is_bidding(self, obs: U8) -> Bools:
        """Whether a decision belongs to the auction. uint8 [n, D], observations of seats to act → bool [n]."""
        return self.bids_in[self.seen_phase(obs)]

    @property
    def num_actions(self) -> int:
        return len(self.actions)

    @property
    def action_words(self) -> int:
        """Words of 64 bits that hold one action mask."""
        return (len(self.actions) + 63) // 64

    def action_name(self, action: int) -> str:
        """Name of an action. Raises UnknownNameError for a number that is none."""
        if not 0 <= action < len(self.actions):
            raise UnknownNameError(f"{self.id}: action {action} is not in 0..{len(self.actions) - 1}")
        return self.actions[action]

    def parse_action(self, text: str) -> int:
        """Number of the action named `text` (any case). Raises UnknownNameError listing some names."""
        if not self._numbers:
            self._numbers.update({name.lower(): number for number, name in enumerate(self.actions)})
        number = self._numbers.get(" ".join(text.split()).lower())
        if number is None:
            others = ", ".join(name for name in self.actions if name not in self._card_names())
            raise UnknownNameError(
                f"{self.id}: no action is called {text!r}; actions are cards like "
                f"{self.deck.format(0)!r}, or: {others}"
            )
        return number

    def _card_names(self) -> set[str]:
        return {self.deck.format(card) for card in range(self.deck.size)}
