"""The `heuristic` agent for Pitch."""

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
    """A club player: deterministic, sees what its seat sees."""

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
