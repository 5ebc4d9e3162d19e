"""The `heuristic` agent for Schieber: counts its hand to choose a contract, weighs cards by what they do."""

from __future__ import annotations

from typing import cast

import numpy as np

from ...envs.core.spec import GameSpec
from ...envs.schieber.rules import SchieberRules
from ..base import I64, U8, Agent, Bools
from .schieber_bidding import Bidder
from .schieber_play import choose_cards
from .schieber_position import ordered_points


class Heuristic(Agent):
    """A club player: deterministic, sees what its seat sees, remembers what was played (all in the observation)."""

    deterministic = True

    def __init__(self, name: str, spec: GameSpec) -> None:
        super().__init__(name, spec)
        self.rules = cast(SchieberRules, spec.rules)
        self._points = ordered_points(self.rules)
        self._bidder = Bidder(self.rules, spec.layout)

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        """Choose actions: uint8 [n, D], bool [n, 43] → int64 [n]. Draws nothing from `rng`."""
        actions = np.zeros(len(obs), np.int64)
        fixed = self.spec.layout.view(obs, "contract_fixed")[:, 0] == 1
        playing, choosing = np.flatnonzero(fixed), np.flatnonzero(~fixed)
        if len(choosing):
            actions[choosing] = self._bidder.choose(obs[choosing], mask[choosing])
        if len(playing):
            actions[playing] = choose_cards(obs[playing], mask[playing], self.spec.layout, self._points, self.rules)
        return actions
