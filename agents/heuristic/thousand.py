"""The `heuristic` agent for Thousand: bids by the odds of the talon, weighs cards by what they do."""

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
    """A club player: deterministic, sees what its seat sees, remembers what was played (all in the observation).

    It counts what its hand makes with the talon (sample talons before it is seen), bids as long as playing is worth
    more than passing, throws worthless hands in, names the contract of the best odds or writes off. It gives away what
    it misses least, gets in to declare its marriages, draws trumps, cashes and smears, needs the first trick more when
    a bolt would be fined, aims no further than the barrel, and takes every chance on it.

    It always raises by one step, announces no dark game, does not look at what others have bid or avoid ±555, does not
    hold its play back because a contract is made or lost, and uses no information bonus. With two players it plays its
    cards by the weights found for three.
    """

    deterministic = True

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
