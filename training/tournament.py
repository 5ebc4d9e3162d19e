"""Duplicate tournaments: every deal is replayed with the line-ups' seats exchanged.

Two agents meet on the same deals, dealer and match state; each deal is played once in every seating (in a
game of two teams: twice). An agent's margin on a deal is its team's points less the others', averaged over
the seatings, so the luck of the cards cancels. Intervals treat deals as independent, never single plays.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents.base import Agent, act_masked
from ..agents.registry import make_agent
from ..envs.core.game import BatchedGame
from ..envs.core.records import GameRecord
from ..envs.registry import make_batch
from .config import ConfigError, setting
from .stats import Estimate, estimate

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

#: Called with (games finished, games in all) while a tournament runs.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class TournamentConfig:
    """Settings of a duplicate tournament."""

    agents: tuple[str, ...] = setting(("heuristic", "random"), "agents that meet each other, by name")
    game: str = setting("schieber", "id of the game")
    rules: str | dict[str, Any] = setting("source", "preset, or options with an optional `preset` to start from")
    context: str = setting(
        "sampled", "where a hand starts: drawn match state, or a new match", choices=("sampled", "start")
    )
    deals: int = setting(2000, "duplicate deals of each pair of agents", low=2)
    matches: int = setting(0, "duplicate matches of each pair of agents, for the share of matches won", low=0)
    seed: int = setting(0, "seed of deals and of the agents' choices")
    batch: int = setting(4096, "games played at once (part of what a seed reproduces)", low=2)
    records: int = setting(0, "deals of each pair whose games are kept as records, for `bidtrick replay`", low=0)


@dataclass(frozen=True)
class PairResult:
    """How agent `first` did against agent `second`.

    points: points per hand that first's team won more than second's, on duplicate deals.
    single: the same plays taken as unrelated deals; how much wider its interval is, is what duplicates save.
    wins: share of matches won by first (a draw counts half), None without matches.
    deals: float [n], margin of each deal, averaged over its seatings.
    """

    first: str
    second: str
    points: Estimate
    single: Estimate
    wins: Estimate | None
    deals: F64 = field(repr=False)

    @property
    def interval_ratio(self) -> float:
        """Width of the duplicate interval as a part of the width without duplicates."""
        return self.points.half_width / self.single.half_width if self.single.half_width else float("nan")


@dataclass(frozen=True)
class TournamentResult:
    """Everything a tournament found out."""

    config: TournamentConfig
    rules: str
    pairs: list[PairResult]
    #: agent → mean margin per hand against the others, over the deals that all played
    standings: dict[str, Estimate]
    agents: dict[str, dict[str, Any]]
    #: the first `config.records` deals of each pair, every seating
    records: list[GameRecord] = field(default_factory=list[GameRecord], repr=False)


def seatings(teams: Sequence[int]) -> list[tuple[int, ...]]:
    """Which of two agents sits where, in each seating of a deal: by team, and exchanged."""
    sides = sorted(set(teams))
    if len(sides) != 2:
        raise ConfigError(f"duplicate pairs need a game of two teams; this one has {len(sides)} sides")
    return [tuple(int(team != side) for team in teams) for side in sides]


def play(
    games: BatchedGame[Any],
    agents: Sequence[Agent],
    seats: I64,
    rngs: Sequence[np.random.Generator],
    progress: Callable[[int], None] | None = None,
) -> F64:
    """Play games to their ends.

    Args:
        games: a batch that was reset (without auto_reset).
        seats: int [N, seats], number of the agent at each seat.
        rngs: one generator an agent.

    Returns: float [N, seats], rewards summed over each game.
    """
    total = np.zeros((games.num_games, games.spec.num_seats))
    rows = np.arange(games.num_games)
    while True:
        players = games.current_player
        if (players < 0).all():
            return total
        obs, mask = games.observe(), games.legal_actions()
        whose = np.where(players < 0, -1, seats[rows, players])
        actions = np.full(games.num_games, -1, np.int64)
        for number, agent in enumerate(agents):
            mine = np.flatnonzero(whose == number)
            if len(mine):
                actions[mine] = act_masked(agent, obs[mine], mask[mine], rngs[number])
        rewards, done = games.step(actions)
        total += rewards
        if progress is not None:
            progress(int(done.sum()))


def play_pair(
    first: Agent, second: Agent, *, deals: int, seed: int, context: str, episode: str, batch: int,
    progress: Callable[[int], None] | None = None, records: list[GameRecord] | None = None, keep: int = 0,
) -> tuple[F64, F64]:  # fmt: skip
    """Play duplicate episodes of two agents.

    Args:
        batch: games played at once.
        records: the games of the first `keep` deals are appended here.

    Returns:
        margins float [deals, seatings]: points of first's team less second's (over the episode), and
        outcomes float [deals, seatings]: 1 if first's team won the match, ½ for a draw, 0 (nan in single hands).
    """
    spec = first.spec
    layout = np.array(seatings(spec.teams))
    per_deal = len(layout)
    margins = np.zeros((deals, per_deal))
    outcomes = np.full((deals, per_deal), np.nan)
    rngs = [np.random.default_rng([seed, 17, number]) for number in (0, 1)]
    size = max(1, batch // per_deal)
    for start in range(0, deals, size):
        numbers = np.arange(start, min(start + size, deals))
        game_id = np.repeat(numbers, per_deal)
        games = make_batch(
            spec.id, num_games=len(game_id), seed=seed, rules=spec.rules, episode=episode, context=context,
            record=start < keep,
        )  # fmt: skip
        # both seatings of a deal share its number, and so its cards
        games.reset(options={"game_id": game_id, "hand_id": 0})
        seats = np.tile(layout, (len(numbers), 1))
        rewards = play(games, (first, second), seats, rngs, progress) * spec.reward_scale
        ours = seats == 0
        # a team's points are at each of its seats: the mean over its seats counts them once
        gain = (rewards * ours).sum(axis=1) / ours.sum(axis=1)
        margins[numbers] = gain.reshape(-1, per_deal)
        if episode == "match":
            winner = games.report()["winner"]
            side = np.array(spec.teams)[np.argmax(ours, axis=1)]
            won = np.where(winner == side, 1.0, np.where(winner > 1, 0.5, 0.0))
            outcomes[numbers] = won.reshape(-1, per_deal)
        if records is not None:
            records += [games.record(game) for game in range(per_deal * min(len(numbers), max(0, keep - start)))]
    return margins, outcomes


def duplicate_margin(
    first: Agent, second: Agent, *, deals: int, seed: int, context: str = "sampled", batch: int = 4096
) -> Estimate:
    """Points per hand that `first` wins more than `second`, on duplicate deals."""
    margins, _ = play_pair(
        first, second, deals=deals, seed=seed, context=context, episode="hand", batch=batch
    )
    return estimate(margins.mean(axis=1))


def run(config: TournamentConfig, progress: Progress | None = None) -> TournamentResult:
    """Play a tournament: every pair of agents on the same deals. The same config gives the same result.

    Raises: ConfigError for fewer than two agents or a name given twice; the agents' own errors.
    """
    names = list(config.agents)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ConfigError(f"agents: give at least two different agents, got {names}")
    spec = make_batch(config.game, rules=config.rules).spec
    agents = {name: make_agent(name, spec) for name in names}
    pairs = list(itertools.combinations(names, 2))
    plays = len(seatings(spec.teams))
    total = len(pairs) * plays * (config.deals + config.matches)
    finished = 0

    def count(games: int) -> None:
        nonlocal finished
        finished += games
        if progress is not None and games:
            progress(finished, total)

    results: list[PairResult] = []
    records: list[GameRecord] = []
    for one, two in pairs:
        first, second = agents[one], agents[two]
        margins, _ = play_pair(
            first, second, deals=config.deals, seed=config.seed, context=config.context, episode="hand",
            batch=config.batch, progress=count, records=records, keep=config.records,
        )  # fmt: skip
        wins = None
        if config.matches:
            _, outcomes = play_pair(
                first, second, deals=config.matches, seed=config.seed + 1, context="start", episode="match",
                batch=config.batch, progress=count,
            )  # fmt: skip
            wins = estimate(outcomes.mean(axis=1))
        by_deal = margins.mean(axis=1)
        results.append(PairResult(one, two, estimate(by_deal), estimate(margins.ravel()), wins, by_deal))
    standings = {
        name: estimate(
            np.mean(
                [r.deals if r.first == name else -r.deals for r in results if name in (r.first, r.second)], axis=0
            )
        )
        for name in names
    }
    ordered = dict(sorted(standings.items(), key=lambda item: -item[1].mean))
    return TournamentResult(
        config, spec.rules.name, results, ordered,
        {name: agent.describe() for name, agent in agents.items()}, records,
    )  # fmt: skip
