"""The `heuristic` agent for Pitch: counts its hand to bid, weighs trumps by what they do."""

from __future__ import annotations

from typing import cast

import numpy as np

from ...envs.core.spec import GameSpec
from ...envs.pitch.rules import PitchRules
from ...envs.pitch.tables import PLAY
from ..base import I64, U8, Agent, Bools
from .pitch_bidding import Bidder
from .pitch_play import choose_cards
from .pitch_position import trump_order


class Heuristic(Agent):
    """A club player: deterministic, sees what its seat sees.

    It bids what pays with its best suit after what the others have said; keeps leftovers unless it has six trumps;
    burns the lowest trumps without points; calls the highest trump it lacks; in the play it estimates where the unseen
    trumps lie from the numbers of cards asked for, and five-handed who may be the hidden partner. In matches it bids
    for the chance to win them, moons included; in single hands it counts points.

    It does not search, does not read signals from single cards, never throws a trump away on purpose, and never burns
    a point card to spoil a hand, where the rules would let it.
    """

    deterministic = True

    def __init__(self, name: str, spec: GameSpec) -> None:
        super().__init__(name, spec)
        self.rules = cast(PitchRules, spec.rules)
        self._order = trump_order(self.rules)
        self._bidder = Bidder(self._order, spec.layout)

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        """Choose actions: uint8 [n, D], bool [n, A] → int64 [n]. Draws nothing from `rng`."""
        actions = np.zeros(len(obs), np.int64)
        plays = self.spec.layout.view(obs, "phase")[:, PLAY] == 1
        playing, choosing = np.flatnonzero(plays), np.flatnonzero(~plays)
        if len(choosing):
            actions[choosing] = self._bidder.choose(obs[choosing], mask[choosing])
        if len(playing):
            actions[playing] = choose_cards(obs[playing], mask[playing], self.spec.layout, self._order)
        return actions
