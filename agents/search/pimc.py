"""`pimc:N`: perfect information Monte Carlo. Solve N deals that may be, and take the action that is best on average.

The deals are drawn by the exact dealer from what the seat knows, and every legal action is valued in each of them with
open cards (`base.SearchGame.values`). The known weakness of the method (Frank and Basin, "Search in games with
incomplete information", 1998) stays: it takes for granted that all uncertainty is gone after the next card, so it
sees no worth in finding things out or in hiding them.

Few deals say little: where actions differ by less than chance does, the best mean is often the luckiest. So a quick
player, the heuristic agent or a network (`net=AGENT`), gives an *advice*, and the agent leaves it only for an action
that is surely better (`race.cautious`). More deals make it bolder. N is the most that are looked at: actions
that are surely worse are given up on the way, and a decision with one action left is made at once (`race`).

`cheat` is the same with the cards open: what could be won by knowing everything, a ceiling for all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.core.bits import U64
from ...envs.core.errors import BidtrickError, UnknownNameError
from ...envs.core.spec import GameSpec
from ..base import I64, U8, Agent, Bools
from .base import Floats, search_game
from .belief import Belief
from .options import Make, Option, Options
from .playout import choose
from .race import FIRST, best_action, race

#: Positions that may be visited a deal and decision, if an agent's name does not say.
NODES = 100_000
#: The same for `cheat`, who has one deal only.
CHEAT_NODES = 500_000
#: In the auction so many times the deals are drawn, up to BIDDING_DEALS (or as many as elsewhere, if that is more): it
#: comes once a hand, decides most, and deals differ more there.
BIDDING = 4
BIDDING_DEALS = 80
#: What a decision visits at most, as a part of its budget: a solver looks at the budget between positions, not in them.
SLACK = 1.2

_OPTIONS = {
    "nodes": Option("M", f"positions a deal, {NODES}"),
    "net": Option("AGENT", "whose actions are left only for surely better ones, heuristic"),
}


class PimcAgent(Agent):
    """Takes the action with the best mean over sampled deals, with caution; the first of equals.

    Args:
        deals: how many deals are drawn for a decision (up to BIDDING times as many in the auction).
        nodes: positions that may be visited a deal; a decision may use `deals` times as many.
        net: gives the advice.
    """

    def __init__(self, name: str, spec: GameSpec, deals: int, net: Agent, nodes: int = NODES) -> None:
        super().__init__(name, spec)
        self.deals, self.nodes, self.net = deals, nodes, net
        self.game = search_game(spec)
        self._evidence = getattr(self.game, "evidence", lambda obs: None)

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        actions = choose(self.net, obs, mask, rng)
        for row in np.flatnonzero(np.count_nonzero(mask, axis=1) > 1).tolist():
            actions[row] = self.choose(obs[row], mask[row], int(actions[row]), rng)
        return actions

    def choose(self, obs: U8, mask: Bools, advice: int, rng: np.random.Generator) -> int:
        """The action of one decision. obs: uint8 [D]. mask: bool [A]. advice: a legal action."""
        worlds, before = self.worlds(obs, rng), self.game.visited

        def values(start: int, stop: int, actions: Bools) -> Floats:
            share = self.nodes * self.deals * (stop - start) // len(worlds)
            return self.game.values(obs, actions, worlds[start:stop], share)

        # a bid that was lucky in a few deals would be taken for the best of many, so half of them are seen to the end
        first = len(worlds) // 2 if self.spec.is_bidding(obs[None])[0] else FIRST
        action = race(values, len(worlds), mask, advice, first)
        used = self.game.visited - before
        assert used <= SLACK * self.nodes * self.deals, f"{self.name} visited {used} positions for one decision"
        return action

    def worlds(self, obs: U8, rng: np.random.Generator) -> U64:
        """The deals that are drawn for a decision: up to BIDDING times as many in the auction. uint64 [n, L]."""
        deals = self.deals
        if self.spec.is_bidding(obs[None])[0]:
            deals = max(deals, min(BIDDING * deals, BIDDING_DEALS))
        return Belief(self.game.cases(obs)).sample(deals, rng, self._evidence(obs))

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "deals": self.deals, "nodes": self.nodes, "net": self.net.describe()}


class CheatAgent(Agent):
    """Plays with open cards. Its rows are state vectors, which only tournaments hand out (`Agent.open_cards`)."""

    open_cards = True

    def __init__(self, name: str, spec: GameSpec, nodes: int = CHEAT_NODES) -> None:
        super().__init__(name, spec)
        self.nodes = nodes
        self.game = search_game(spec)
        self._orders = getattr(self.game, "open_orders", 1)
        if not hasattr(self.game, "open_world"):
            raise UnknownNameError(f"cheat does not play {spec.id}: its search reads no open cards")

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        width = self.spec.layout.size
        if obs.shape[1] != width + self.spec.hidden_size:
            raise BidtrickError(
                f"{self.name} needs open cards, rows of {width + self.spec.hidden_size} columns (state_vector); "
                f"got {obs.shape[1]}. Tournaments give them, environments and training do not"
            )
        actions = mask.argmax(axis=1)
        for row in np.flatnonzero(np.count_nonzero(mask, axis=1) > 1).tolist():
            worlds = self.game.open_world(obs[row, width:])[None]
            if self._orders > 1 and self.spec.is_bidding(obs[[row], :width])[0]:
                worlds = np.repeat(worlds, self._orders, axis=0)
            before = self.game.visited
            values = self.game.values(obs[row, :width], mask[row], worlds, self.nodes)
            used = self.game.visited - before
            assert used <= SLACK * self.nodes, f"{self.name} visited {used} positions for one decision"
            actions[row] = best_action(values.mean(axis=0), mask[row])
        return actions


def pimc(spec: GameSpec, argument: str, make: Make) -> PimcAgent:
    """The agent of "pimc:N" with options, e.g. "pimc:20,nodes=500000,net=pretrained". Raises UnknownNameError."""
    options = Options("pimc", argument, "deals a decision", _OPTIONS)
    net = options.agent("net", spec, make) or make("heuristic", spec)
    return PimcAgent(options.name, spec, options.number, net, options.whole("nodes", NODES))
