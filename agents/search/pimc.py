"""`pimc:N`: perfect information Monte Carlo. Solve N deals that may be, and take the action that is best on average.

The deals are drawn by the exact dealer from what the seat knows, and every legal action is valued in each of them with
open cards (`base.SearchGame.values`). The known weakness of the method (Frank and Basin, "Search in games with
incomplete information", 1998) stays: it takes for granted that all uncertainty is gone after the next card, so it
sees no worth in finding things out or in hiding them.

Few deals say little: where actions differ by less than chance does, the best mean is often the luckiest. So a game may
give an *advice*, what a quick player would do (or, with `net=AGENT`, what a network does), and the agent leaves it only
for an action that is better by CAUTION standard errors of the paired difference. More deals make it bolder.

`cheat` is the same with the cards open: what could be won by knowing everything, a ceiling for all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.core.errors import BidtrickError, UnknownNameError
from ...envs.core.spec import GameSpec
from ..base import I64, U8, Agent, Bools
from .base import Floats, search_game
from .belief import Belief
from .options import Make, Option, Options
from .playout import choose

#: Positions that may be visited a deal and decision, if an agent's name does not say.
NODES = 100_000
#: The same for `cheat`, who has one deal only.
CHEAT_NODES = 500_000
#: In the auction so many times the deals are drawn: it comes once a hand, decides most, and deals differ more there.
BIDDING = 8
#: Standard errors by which an action must be better than the advised one.
CAUTION = 1.5

_OPTIONS = {
    "nodes": Option("M", f"positions a deal, {NODES}"),
    "net": Option("AGENT", "whose actions are left only for surely better ones"),
}


class PimcAgent(Agent):
    """Takes the action with the best mean over sampled deals, with caution; the first of equals.

    Args:
        deals: how many deals are drawn for a decision (BIDDING times as many in the auction).
        nodes: positions that may be visited a deal; a decision may use `deals` times as many.
        net: gives the advice; None leaves that to the game, which may have none.
    """

    def __init__(self, name: str, spec: GameSpec, deals: int, nodes: int = NODES, net: Agent | None = None) -> None:
        super().__init__(name, spec)
        self.deals, self.nodes, self.net = deals, nodes, net
        self.game = search_game(spec)
        self._evidence = getattr(self.game, "evidence", lambda obs: None)
        self._advice = getattr(self.game, "advice", lambda obs, mask: -1)

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        actions = mask.argmax(axis=1) if self.net is None else choose(self.net, obs, mask, rng)
        for row in np.flatnonzero(np.count_nonzero(mask, axis=1) > 1).tolist():
            advice = self._advice(obs[row], mask[row]) if self.net is None else int(actions[row])
            actions[row] = cautious(self.values(obs[row], mask[row], rng), mask[row], advice)
        return actions

    def values(self, obs: U8, mask: Bools, rng: np.random.Generator) -> Floats:
        """The values of each action in the deals that are drawn for one decision.

        Args:
            obs: uint8 [D]. mask: bool [A].

        Returns: float64 [n, A], nan where illegal.
        """
        deals = self.deals * (BIDDING if self.spec.is_bidding(obs[None])[0] else 1)
        worlds = Belief(self.game.cases(obs)).sample(deals, rng, self._evidence(obs))
        return self.game.values(obs, mask, worlds, self.nodes * self.deals)

    def describe(self) -> dict[str, Any]:
        facts = {**super().describe(), "deals": self.deals, "nodes": self.nodes}
        return facts if self.net is None else {**facts, "net": self.net.describe()}


class CheatAgent(Agent):
    """Plays with open cards. Its rows are state vectors, which only tournaments hand out (`Agent.open_cards`)."""

    open_cards = True

    def __init__(self, name: str, spec: GameSpec, nodes: int = CHEAT_NODES) -> None:
        super().__init__(name, spec)
        self.nodes = nodes
        self.game = search_game(spec)
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
            world = self.game.open_world(obs[row, width:])
            values = self.game.values(obs[row, :width], mask[row], world[None], self.nodes)
            actions[row] = best_action(values[0], mask[row])
        return actions


def best_action(values: Floats, mask: Bools) -> int:
    """The legal action of the highest value, the first of equals."""
    return int(np.where(mask, values, -np.inf).argmax())


def cautious(values: Floats, mask: Bools, advice: int) -> int:
    """The action of the best mean, or the advised one if none is better by CAUTION standard errors.

    Args:
        values: float64 [n, A], the values in n deals. advice: a legal action, -1 for none.
    """
    if advice < 0:
        return best_action(values.mean(axis=0), mask)
    gains = values - values[:, [advice]]
    error = gains.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.zeros(len(mask))
    sure = np.where(mask, gains.mean(axis=0) - CAUTION * error, -np.inf)
    return int(sure.argmax()) if sure.max() > 0 else advice


def pimc(spec: GameSpec, argument: str, make: Make) -> PimcAgent:
    """The agent of "pimc:N" with options, e.g. "pimc:20,nodes=500000,net=pretrained". Raises UnknownNameError."""
    options = Options("pimc", argument, "deals a decision", _OPTIONS)
    net = options.agent("net", spec, make)
    return PimcAgent(options.name, spec, options.number, options.whole("nodes", NODES), net)
