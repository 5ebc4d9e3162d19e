"""`ismcts:N`: single-observer information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012).

N deals that may be are drawn by the exact dealer for a decision, and each becomes a game in the real engine in which
all that the seat has seen has happened. One descent is made in each: through the tree that all deals of the decision
share (`tree.Forest`, every seat for its own side) until a node is new, then to the end of the hand by an agent, as a
play-out. N is a budget, not an aim: there are never more descents (BIDDING times as many in the auction, which comes
once a hand).

What differs from the paper:

- *Every deal is played twice*: by its descent, and with the action that a quick player would take (the *advice*: of
  the heuristic agent, or of the network that guides) followed by the same play-out. What goes into the tree is the
  difference. A hand's luck is in both and drops out (a control variate: Veness, Lanctot and Bowling 2011), without
  which 50 play-outs say next to nothing about a card. As the advice is known from every deal, no descent begins with
  it.
- *Caution*, as in `pimc`: the advice is left only for an action whose mean difference is above zero by CAUTION standard
  errors. The most visited action, as in the paper, is the luckiest one as long as budgets are small.
- *Priors*: below the root actions are chosen by PUCT (Rosin 2011; Silver et al. 2017) by what the guide would do with
  what that seat sees in that deal, and a little (EVEN) evenly. So others do not play against what they cannot know.
  With even priors the next seats try calls and cards that they would never choose, small budgets do not find out, and
  contracts look better than they are.
- Descents come in batches: a fifth of the budget is under way at once, for all decisions of a call together.

Nodes are told apart by actions alone: a seat that turns up cards later on (a talon, drawn cards) plays on in the same
node whatever they are; only its priors differ. `alphamu` (Cazenave and Ventos 2019) was not built.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.core.errors import UnknownNameError
from ...envs.core.game import BatchedGame
from ...envs.core.spec import GameSpec
from ...envs.registry import make_batch
from ..base import F64, I64, U8, Agent, Bools
from ..combine import CombinedAgent
from .base import search_game
from .belief import Belief, BeliefError
from .options import Make, Option, Options
from .playout import choose, finish
from .tree import Forest

#: In the auction so many times the deals are drawn.
BIDDING = 4
#: Standard errors by which an action must be better than the advised one, and how often it must have been tried.
CAUTION, TRIES = 1.5, 3
#: How much is explored, in standard deviations of what comes back.
EXPLORATION = 1.0
#: The part of priors that is even, below the root (there it is half, since all alternatives are to be compared).
EVEN = 0.05
#: Descents of a decision that are under way at once: its budget divided by this.
BATCHES = 5
#: Games that are held at once.
MOST_GAMES = 8192

_OPTIONS = {
    "net": Option("AGENT", "guides: advice and priors"),
    "rollout": Option("heuristic|net", "who plays the hands out"),
    "c": Option("C", f"how much is explored, {EXPLORATION:g}"),
}


class IsmctsAgent(Agent):
    """Searches trees of information sets.

    Args:
        iterations: descents a decision (BIDDING times as many in the auction).
        guide: gives the advice and the priors. rollout: plays the hands out.
        c: how much is explored.

    Raises: BidtrickError naming the option of rules that search cannot replay.
    """

    def __init__(
        self, name: str, spec: GameSpec, iterations: int, guide: Agent, rollout: Agent, c: float = EXPLORATION
    ) -> None:
        super().__init__(name, spec)
        self.iterations, self.guide, self.rollout, self.c = iterations, guide, rollout, c
        self.game = search_game(spec)
        if not hasattr(self.game, "games"):
            raise UnknownNameError(f"ismcts does not play {spec.id}: its search rebuilds no games")
        self._evidence = getattr(self.game, "evidence", lambda obs: None)
        # rules that cannot be replayed are refused now, and not at the first decision
        first = make_batch(spec.id, rules=spec.rules)
        self._worlds(first.observe()[0], first.legal_actions()[0], 1, np.random.default_rng(0))

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        actions = choose(self.guide, obs, mask, rng)
        bidding = self.spec.is_bidding(obs)
        choice = np.count_nonzero(mask, axis=1) > 1
        for rows, budget in ((choice & bidding, BIDDING * self.iterations), (choice & ~bidding, self.iterations)):
            together = max(1, MOST_GAMES // budget)
            numbers = np.flatnonzero(rows)
            for start in range(0, len(numbers), together):
                some = numbers[start : start + together]
                actions[some] = self._search(obs[some], mask[some], actions[some], budget, rng)
        return actions

    def _search(self, obs: U8, mask: Bools, advice: I64, budget: int, rng: np.random.Generator) -> I64:
        """The actions of R decisions with a choice each. int64 [R]."""
        actions = advice.copy()
        found = [self._worlds(obs[row], mask[row], budget, rng) for row in range(len(obs))]
        rows = np.array([row for row, games in enumerate(found) if games is not None], np.int64)
        if not len(rows):
            return actions
        search = _Search(self, joined([games for games in found if games is not None]), budget, rng)
        actions[rows] = search.run(obs[rows], mask[rows], advice[rows])
        return actions

    def _worlds(self, obs: U8, mask: Bools, budget: int, rng: np.random.Generator) -> BatchedGame[Any] | None:
        """As many games as the budget has descents; None if no deal gives the decision as it is."""
        try:
            worlds = Belief(self.game.cases(obs)).sample(budget, rng, self._evidence(obs))
        except BeliefError:
            return None
        games = self.game.games(obs, worlds)
        # what a game leaves out of its cases may make something else of a deal: others take its place
        good = np.flatnonzero((games.current_player == 0) & (games.legal_actions() == mask).all(axis=1))
        if len(good) == budget:
            return games
        return games.select(np.resize(good, budget)) if len(good) else None

    def describe(self) -> dict[str, Any]:
        return {
            **super().describe(), "iterations": self.iterations, "c": self.c,
            "guide": self.guide.describe(), "rollout": self.rollout.describe(),
        }  # fmt: skip


def joined(parts: list[BatchedGame[Any]]) -> BatchedGame[Any]:
    """The games of some batches of equal rules as one batch."""
    sizes = [part.num_games for part in parts]
    games = parts[0].select(np.zeros(sum(sizes), np.int64))
    start = 0
    for part, size in zip(parts, sizes, strict=True):
        games.put(np.arange(start, start + size), part)
        start += size
    return games


class _Search:
    """The search of R decisions at once.

    Args:
        worlds: R · budget games, those of a decision together.
    """

    def __init__(self, agent: IsmctsAgent, worlds: BatchedGame[Any], budget: int, rng: np.random.Generator) -> None:
        self._agent, self._worlds, self._budget, self._rng = agent, worlds, budget, rng
        self._trees = worlds.num_games // budget
        self._forest = Forest(self._trees, budget + 1, worlds.spec.num_actions)
        self._spread = np.zeros(self._trees)

    def run(self, obs: U8, mask: Bools, advice: I64) -> I64:
        """The action of each decision. obs: uint8 [R, D], mask: bool [R, A], advice: int64 [R] → int64 [R]."""
        rows = np.arange(self._trees)
        others = mask.copy()
        others[rows, advice] = False
        weight = 0.5 + 0.5 * self._prior(obs, mask) * np.count_nonzero(mask, axis=1)[:, None]
        baseline = self._baseline(advice)
        lanes = -(-self._budget // BATCHES)
        for start in range(0, self._budget, lanes):
            part = range(start, min(start + lanes, self._budget))
            self._round(part, others, weight, baseline)
        return self._decide(others, advice)

    def _prior(self, obs: U8, mask: Bools) -> F64:
        """Half what the guide would do, half even. float64 [n, A]."""
        count = np.maximum(np.count_nonzero(mask, axis=1), 1)[:, None]
        return (1 - EVEN) * policy(self._agent.guide, obs, mask, self._rng) + EVEN * mask / count

    def _baseline(self, advice: I64) -> F64:
        """What each deal pays if the advice is taken. float64 [R · budget, seats]."""
        games = self._worlds.clone()
        rewards, _ = games.step(np.repeat(advice, self._budget), validate=False)
        return rewards + finish(games, self._agent.rollout, self._rng)

    def _round(self, part: range, others: Bools, weight: F64, baseline: F64) -> None:
        """Descents in the deals of these numbers, of every decision."""
        forest, k, c = self._forest, len(part), self._agent.c
        worlds = (np.arange(self._trees)[:, None] * self._budget + np.arange(part.start, part.stop)).ravel()
        games = self._worlds.select(worlds)
        tree, lane = np.repeat(np.arange(self._trees), k), np.tile(np.arange(k), self._trees)
        node = forest.root(tree)
        total = np.zeros(baseline[worlds].shape)
        taken: list[tuple[I64, I64, I64, I64]] = []  # descents, their nodes, actions, seats
        going = np.arange(len(tree))
        depth = 0
        while len(going):
            if depth:
                obs, legal = games.observe()[going], games.legal_actions()[going]
                prior = self._prior(obs, legal)
            else:
                legal, prior = others[tree], weight[tree]
            actions, new = np.empty(len(going), np.int64), np.zeros(len(going), np.bool_)
            following = np.empty(len(going), np.int64)
            choose_by = forest.choose if depth else forest.challenge
            for number in range(k):
                some = np.flatnonzero(lane[going] == number)
                if len(some):
                    at, spread = node[going[some]], self._spread[tree[going[some]]]
                    actions[some] = choose_by(at, legal[some], prior[some], spread, c)
                    following[some], new[some] = forest.follow(at, actions[some])
            seats = games.current_player[going].astype(np.int64)
            taken.append((going, node[going].copy(), actions, seats))
            every = np.full(len(tree), -1, np.int64)
            every[going] = actions
            rewards, _ = games.step(every, validate=False)
            total += rewards
            node[going] = following
            going = going[~new & ~games.done[going]]
            depth += 1
        total += finish(games, self._agent.rollout, self._rng)
        total -= baseline[worlds]
        for descents, nodes, actions, seats in taken:
            forest.back_up(nodes, actions, total[descents, seats])
        self._measure()

    def _measure(self) -> None:
        """The standard deviation of what has come back to each tree."""
        done, total, squares = (array.sum(axis=1) for array in self._of_roots())
        self._spread = np.sqrt(np.maximum(squares / done - (total / done) ** 2, 0))

    def _of_roots(self) -> tuple[F64, F64, F64]:
        """Times, sum and sum of squares of what has come back of each action. float64 [R, A] each."""
        roots = self._forest.root(np.arange(self._trees))
        return self._forest.done[roots].astype(np.float64), self._forest.total[roots], self._forest.squares[roots]

    def _decide(self, others: Bools, advice: I64) -> I64:
        """The action that is most surely better than the advice, or the advice."""
        done, total, squares = self._of_roots()
        times = np.maximum(done, 1)
        within = np.maximum(squares - total**2 / times, 0)
        # few values say little of how far they scatter: two more are added that scatter as all do
        usual = within.sum(axis=1) / np.maximum(done.sum(axis=1) - np.count_nonzero(done, axis=1), 1)
        error = np.sqrt((within + 2 * usual[:, None]) / (times + 1) / times)
        sure = np.where(others & (done >= TRIES), total / times - CAUTION * error, -np.inf)
        best = sure.argmax(axis=1)
        return np.where(sure.max(axis=1) > 0, best, advice)


def policy(agent: Agent, obs: U8, mask: Bools, rng: np.random.Generator) -> F64:
    """The probabilities of an agent's actions; of one that has no formula for them, what it would do.

    float64 [n, A]; rows without a legal action are 0.
    """
    found = np.zeros(mask.shape)
    rows = np.flatnonzero(mask.any(axis=1))
    if not len(rows):
        return found
    if isinstance(agent, CombinedAgent):
        bidding = agent.spec.is_bidding(obs)
        for part, some in ((agent.bid, rows[bidding[rows]]), (agent.play, rows[~bidding[rows]])):
            found[some] = policy(part, obs[some], mask[some], rng)
    elif type(agent).probabilities is Agent.probabilities:
        found[rows, choose(agent, obs[rows], mask[rows], rng)] = 1
    else:
        found[rows] = agent.probabilities(obs[rows], mask[rows], rng)
    return found


def ismcts(spec: GameSpec, argument: str, make: Make) -> IsmctsAgent:
    """The agent of "ismcts:N" with options, e.g. "ismcts:50,net=pretrained,rollout=net". Raises UnknownNameError."""
    options = Options("ismcts", argument, "iterations a decision", _OPTIONS)
    heuristic = make("heuristic", spec)
    net = options.agent("net", spec, make)
    rollout = options.choice("rollout", "heuristic", ("heuristic", "net"))
    if rollout == "net" and net is None:
        raise options.refuse("rollout='net' needs net")
    c = options.real("c", EXPLORATION)
    return IsmctsAgent(
        options.name, spec, options.number, net or heuristic, net if rollout == "net" and net else heuristic, c
    )
