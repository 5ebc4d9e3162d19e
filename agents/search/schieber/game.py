"""Schieber for search: what a seat knows (`knowledge`), and what actions are worth in a deal (`solver`).

Card play: each legal card is solved as deep as the nodes allow (`Solver.estimate`), and worth the difference of points
that the rest of the hand makes for the own side, times the multiplier.

Contracts: each of the six is worth what `Solver.estimate_value` says of the whole deal, with the Weis and the Stöck
of the deal. A push is worth the contract that the partner (and, after a push back, whoever must) would choose as the
heuristic agent does, who sees his own hand only: a partner who saw all cards would make pushing look too good.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from ....envs.core import bits
from ....envs.core.bits import BIT, I64, U8, U64
from ....envs.core.spec import GameSpec
from ....envs.registry import make_batch
from ....envs.schieber.rules import SchieberRules
from ....envs.schieber.tables import CARDS, FIRST_CONTRACT, PUSH, UNDENUFE, tables
from ....envs.schieber.weis import facts, winners
from ...heuristic.schieber import Heuristic
from ..base import Bools, Floats
from ..belief import Case, Weight
from .knowledge import PLACES, Knowledge
from .solver import Position, Solver

CONTRACTS = 6


class Search:
    """A `base.SearchGame`. Seats are relative: 0 is the seat to act, and 2 his partner."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec, self.rules = spec, cast(SchieberRules, spec.rules)
        self._knowledge = Knowledge(spec)
        self._solver = Solver(self.rules)
        self._partner = Heuristic("heuristic", spec)

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
        """Points for the own side after each legal action, multiplied. See `base.SearchGame.values`."""
        own = self._knowledge.segment(obs, "hand").astype(np.uint64) @ BIT[:CARDS]
        hands: U64 = np.concatenate([np.full((len(worlds), 1), own, np.uint64), worlds], axis=1)
        values = np.full((len(worlds), len(mask)), np.nan)
        if self._knowledge.contract(obs) < 0:
            contracts = self._contract_values(obs, hands, nodes)
            values[:, FIRST_CONTRACT : FIRST_CONTRACT + CONTRACTS] = contracts
            if mask[PUSH]:
                chosen = self._after_push(obs, hands)
                values[:, PUSH] = contracts[np.arange(len(hands)), chosen]
            values[:, ~mask] = np.nan
            return values
        contract = self._knowledge.contract(obs)
        multiplier = self.rules.multipliers[contract]
        left = nodes
        for number, deal in enumerate(hands.tolist()):
            found = self._solver.estimate(self._position(obs, contract, deal), left // (len(hands) - number))
            left -= found.nodes
            for card, value in found.values.items():
                values[number, card] = value * multiplier
        return values

    def _position(self, obs: U8, contract: int, hands: list[int]) -> Position:
        segment = self._knowledge.segment
        leader = int(segment(obs, "leader").argmax())
        table = segment(obs, "table")  # of the next, partner, previous seat
        trick = tuple(int(table[seat - 1].argmax()) for seat in range(leader, 4)) if leader else ()
        sweeps = (not segment(obs, "their_tricks")[0], not segment(obs, "own_tricks")[0])
        return Position((hands[0], hands[1], hands[2], hands[3]), contract, leader, trick, sweeps)

    # The contract.

    def _contract_values(self, obs: U8, hands: U64, nodes: int) -> Floats:
        """What each contract brings the own side in each deal. float64 [n, 6]."""
        leader = int(self._knowledge.segment(obs, "forehand").argmax())
        values = self._weis(hands, leader) + self._stock(hands)
        left, rounds = nodes, values.size
        for number, deal in enumerate(hands.tolist()):
            for contract in range(CONTRACTS):
                position = Position((deal[0], deal[1], deal[2], deal[3]), contract, leader)
                found = self._solver.estimate_value(position, left // rounds)
                values[number, contract] += found.low
                left -= found.nodes
                rounds -= 1
        return values * np.array(self.rules.multipliers)

    def _weis(self, hands: U64, leader: int) -> Floats:
        """The difference that the Weis make, before the multiplier. float64 [n, 6]."""
        out = np.zeros((len(hands), CONTRACTS))
        if self.rules.weis:
            tens, keys, _ = facts(hands.ravel(), self.rules)
            sums = tens.reshape(-1, 2, 2).sum(axis=1).astype(np.float64) * 10
            words = winners(keys.reshape(2, -1, 4))
            for contract in range(UNDENUFE + 1):
                side = words >> np.uint64(2 * (4 * contract + leader)) & np.uint64(3)
                out[:, contract] = np.where(side == 1, sums[:, 0], 0) - np.where(side == 2, sums[:, 1], 0)
        return out

    def _stock(self, hands: U64) -> Floats:
        """The difference that the Stöck makes. float64 [n, 6]."""
        out = np.zeros((len(hands), CONTRACTS))
        if self.rules.stock:
            pairs = tables(self.rules).pair[FIRST_CONTRACT : FIRST_CONTRACT + CONTRACTS]
            held = ((hands[:, :, None] & pairs) == pairs) & (pairs > 0)
            out += 20.0 * (held[:, 0::2].any(axis=1)) - 20.0 * (held[:, 1::2].any(axis=1))
        return out

    def _after_push(self, obs: U8, hands: U64) -> I64:
        """The contract that is chosen in each deal if the seat to act pushes. int64 [n]."""
        forehand = int(self._knowledge.segment(obs, "forehand").argmax())
        games = make_batch(self.spec.id, len(hands), rules=self.rules)
        games.reset(options={"deal": hands, "dealer": (forehand - 1) % 4})
        pushed = int(bits.popcount(self._knowledge.segment(obs, "pushed").astype(np.uint64) @ BIT[:4]))
        for _ in range(pushed + 1):
            games.step(np.full(len(hands), PUSH))
        rng = np.random.default_rng(0)  # the heuristic agent draws nothing from it
        for _ in range(2):
            if (games.phase == 0).any():
                actions = self._partner.act(games.observe(), games.legal_actions(), rng)
                games.step(np.where(games.phase == 0, actions, -1))
        return games.state.contract.astype(np.int64)


__all__ = ["Search"]
