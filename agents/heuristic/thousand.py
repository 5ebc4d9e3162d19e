"""The `heuristic` agent for Thousand."""

from __future__ import annotations

from typing import cast

import numpy as np

from ...envs.core.spec import GameSpec
from ...envs.thousand.rules import ThousandRules
from ...envs.thousand.tables import (
    AUCTION,
    CONTRACT,
    DARK,
    GIVE,
    HAND_REDEAL,
    PASS_REDEAL,
    PLAY,
    TALON_REDEAL,
    action_space,
)
from ..base import I64, U8, Agent, Bools
from .thousand_bidding import Bidder
from .thousand_hand import HandEstimate
from .thousand_passing import choose_gifts
from .thousand_play import choose_cards

#: Phases in which the bidder decides.
DECIDED = (HAND_REDEAL, AUCTION, TALON_REDEAL, CONTRACT)


class Heuristic(Agent):
    def __init__(self, name: str, spec: GameSpec) -> None:
        super().__init__(name, spec)
        self.rules = cast(ThousandRules, spec.rules)
        self._estimate = HandEstimate(self.rules)
        self._space = action_space(self.rules)
        self._bidder = Bidder(self.rules, spec.layout, self._estimate)

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        """Choose actions: uint8 [n, D], bool [n, num_actions] → int64 [n]. Draws nothing from `rng`."""
        layout, rules = self.spec.layout, self.rules
        actions = mask.argmax(axis=1)  # questions whose answer matters little: which bonus, which unseen talon
        phases = layout.view(obs, "phase").argmax(axis=1)
        for phase in np.unique(phases).tolist():
            rows = np.flatnonzero(phases == phase)
            seen, legal = obs[rows], mask[rows]
            if phase == PLAY:
                actions[rows] = choose_cards(seen, legal, layout, rules)
            elif phase == GIVE:
                actions[rows] = self._give(seen, legal)
            elif phase == DARK:
                actions[rows] = self._space.look
            elif phase == PASS_REDEAL:
                actions[rows] = self._space.redeal  # four nines
            elif phase in DECIDED:
                actions[rows] = self._bidder.choose(seen, legal, phase)
        return actions

    def _give(self, obs: U8, mask: Bools) -> I64:
        """Cards to give away, or a write-off where it is still open then (T-RAISE-02)."""
        gifts = self._space.give + choose_gifts(obs, mask, self.spec.layout, self.rules, self._estimate)
        may = np.flatnonzero(mask[:, self._space.write_off])
        if len(may):
            chosen = self._bidder.choose(obs[may], mask[may], GIVE)
            gifts[may] = np.where(chosen == self._space.write_off, chosen, gifts[may])
        return gifts
