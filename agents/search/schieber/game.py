"""Schieber for search: what a seat knows (`knowledge`), and what actions are worth in a deal.

Card play with few cards left is solved (`solver`): each card is worth the difference of points that the rest of the
hand then makes for the own side, with open cards and best play of all, times the multiplier.

Before that, and for contracts and pushes, solving would take minutes. There each action is played out by the heuristic
agent on all seats (`playout`), which counts the Weis and the Stöck too.
"""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import numpy as np

from ....envs.core.bits import BIT, U8, U64
from ....envs.core.game import BatchedGame
from ....envs.core.spec import GameSpec
from ....envs.schieber.game import spec as schieber_spec
from ....envs.schieber.rules import SchieberRules
from ....envs.schieber.tables import CARDS, OBENABE
from ...heuristic.schieber import Heuristic
from ..base import Bools, Floats
from ..belief import Case, Weight
from ..playout import play_out
from .knowledge import PLACES, Knowledge
from .replay import Replays
from .solver import Position, Solver

#: Positions that valuing all cards of a deal takes, about, by tricks left (index): with trumps, and without.
TRUMP_NODES = (0, 10, 100, 1000, 8000, 60_000, 600_000, 4_000_000, 40_000_000, 400_000_000)
PLAIN_NODES = (0, 10, 60, 400, 2500, 15_000, 80_000, 500_000, 3_000_000, 20_000_000)
#: A target that no hand reaches: play-outs go to the end of the hand.
FAR = 20_000


class Search:
    """A `base.SearchGame`. Seats are relative: 0 is the seat to act, and 2 his partner."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec, self.rules, self.visited = spec, cast(SchieberRules, spec.rules), 0
        self._knowledge = Knowledge(spec)
        self._solver = Solver(self.rules)
        far = dataclasses.replace(self.rules, target=FAR)
        self._judge = Heuristic("heuristic", schieber_spec(far))
        self._replays, self._endless = Replays(self.rules, self._knowledge), Replays(far, self._knowledge)

    def cases(self, obs: U8) -> list[Case]:
        """One case over the hands of the next, partner, previous seat."""
        return self._knowledge.cases(obs)

    def evidence(self, obs: U8) -> Weight | None:
        """What the declared Weis say of deals."""
        return self._knowledge.weis_evidence(obs)

    def open_world(self, hidden: U8) -> U64:
        """The deal as it is, from `state_planes`. uint8 [hidden_size] → uint64 [3]."""
        return hidden.reshape(PLACES, CARDS).astype(np.uint64) @ BIT[:CARDS]

    def values(self, obs: U8, mask: Bools, worlds: U64, nodes: int) -> Floats:
        """Points for the own side after each legal action, multiplied. See `base.SearchGame.values`.

        Cards are solved where `nodes` can be expected to do (TRUMP_NODES, PLAIN_NODES); a deal that takes more is
        searched as deep as its share allows (`Solver.estimate`). All else is played out: 9 · 37 decisions a deal.
        """
        hands = self._all_hands(obs, worlds)
        contract = self._knowledge.contract(obs)
        tricks = int(hands[0, 0]).bit_count()
        needed = (TRUMP_NODES if contract < OBENABE else PLAIN_NODES)[tricks]
        if contract < 0 or needed * len(worlds) > nodes:
            # the heuristic agent draws nothing from a generator
            return play_out(self._endless.games(obs, hands), mask, self._judge, np.random.default_rng(0))
        values = np.full((len(worlds), len(mask)), np.nan)
        cards = sum(1 << card for card in np.flatnonzero(mask[:CARDS]).tolist())
        left = nodes
        for number, deal in enumerate(hands.tolist()):
            share = left // (len(hands) - number)
            found = self._solver.estimate(self.position(obs, contract, deal), share, cards)
            left -= found.nodes
            self.visited += found.nodes
            for card, value in found.values.items():
                values[number, card] = value * self.rules.multipliers[contract]
        return values

    def games(self, obs: U8, worlds: U64) -> BatchedGame[Any]:
        """Games in which all that the seat has seen has happened (`base.SearchGame.games`)."""
        replays = self._replays
        return replays.games(obs, self._all_hands(obs, worlds), replays.start_scores(obs))

    def _all_hands(self, obs: U8, worlds: U64) -> U64:
        own = self._knowledge.segment(obs, "hand").astype(np.uint64) @ BIT[:CARDS]
        return np.concatenate([np.full((len(worlds), 1), own, np.uint64), worlds], axis=1)

    def position(self, obs: U8, contract: int, hands: list[int]) -> Position:
        """The position of the card play for the solver: seat 0 is the one to act. hands: of it, the next, and so on."""
        segment = self._knowledge.segment
        leader = int(segment(obs, "leader").argmax())
        table = segment(obs, "table")  # of the next, partner, previous seat
        trick = tuple(int(table[seat - 1].argmax()) for seat in range(leader, 4)) if leader else ()
        sweeps = (not segment(obs, "their_tricks")[0], not segment(obs, "own_tricks")[0])
        return Position((hands[0], hands[1], hands[2], hands[3]), contract, leader, trick, sweeps)
