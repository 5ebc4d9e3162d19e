"""Playing the deals of a contest, block by block.

A block is a range of deals of one contest, each in all its seatings, played as one batch. What comes out depends
on the settings, the contest and the range alone, so blocks can be played in any order and by any process.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ...agents.base import Agent, act_masked
from ...envs.core.game import BatchedGame
from ...envs.core.records import GameRecord
from ...envs.core.statistics import Statistic
from ...envs.registry import make_batch
from ..stats import Estimate, estimate
from .guard import FAILED, Failure, Guard
from .seating import MATCH_HANDS, Contest

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

@runtime_checkable
class HasStatistics(Protocol):
    """A game that counts how its seats bid and play."""

    def seat_statistics(self) -> list[Statistic]:
        """Statistics of the last finished hand of each game."""
        ...


@dataclass(frozen=True)
class Forfeit:
    """Plays that an agent lost because it failed.

    kind: one of guard.KINDS. count: plays (a deal in one seating). message, contest, deal, seat: of the first one.
    """

    agent: str
    kind: str
    count: int
    message: str
    contest: str
    deal: int
    seat: int


@dataclass(frozen=True)
class Block:
    """What came out of a range of deals of a contest.

    gain: float [deals, plays, agents], points an episode that the agent's seats won more than the other sides (a
        game's "points" reward, in points), mean over its seats; nan where the play was forfeited.
    won: float [deals, plays, agents], the agent's share of the match, nan for single hands.
    forfeit: int8 [deals, plays], number of the agent that failed, -1 for none.
    statistics: (phase, name, unit) of each statistic; counts: float [deals, agents, statistics, 2], value and weight.
    failures: plays that each agent lost by failing, by kind.
    time: float [agents, 2], seconds of CPU time that each agent took, and decisions with a choice that it was asked for
        (0 if the block was played without a guard). The one thing here that two plays of a block do not share.
    """

    gain: F64
    won: F64
    forfeit: npt.NDArray[np.int8]
    statistics: list[tuple[str, str, str]]
    counts: F64
    failures: list[Forfeit]
    records: list[GameRecord]
    time: F64


def play(
    games: BatchedGame[Any],
    agents: Sequence[Agent],
    seats: I64,
    rngs: Sequence[np.random.Generator],
    progress: Callable[[int], None] | None = None,
    guard: Guard | None = None,
    hands: int | None = None,
) -> F64:
    """Play games to their ends.

    Args:
        games: a batch that was reset (without auto_reset).
        seats: int [N, seats], number of the agent at each seat.
        rngs: one generator an agent.
        guard: notes failures of agents and leaves their games where they are; without it errors are raised.
        hands: games are left where they are when they have finished this many hands.

    Returns: float [N, seats], rewards summed over each game.
    """
    total = np.zeros((games.num_games, games.spec.num_seats))
    rows = np.arange(games.num_games)
    stopped = np.zeros(games.num_games, np.bool_)
    while True:
        players = games.current_player
        if hands is not None:
            cut = (games.state.hand_id - games.state.episode_hand > hands) & (players >= 0) & ~stopped
            stopped |= cut
            if progress is not None:
                progress(int(cut.sum()))
        running = (players >= 0) & ~stopped
        if not running.any():
            return total
        obs, mask = games.observe(), games.legal_actions()
        seen = [games.state_vector() if getattr(agent, "open_cards", False) else obs for agent in agents]
        whose = np.where(running, seats[rows, players], -1)
        actions, whose_seat = np.full(games.num_games, -1, np.int64), players.astype(np.int64)
        for number, agent in enumerate(agents):
            mine = np.flatnonzero(whose == number)
            if not len(mine):
                continue
            if guard is None:
                actions[mine] = act_masked(agent, seen[number][mine], mask[mine], rngs[number])
                continue
            answers = guard.act(
                number, agent, seen[number][mine], mask[mine], rngs[number], mine, whose_seat[mine]
            )
            stopped[mine[answers == FAILED]] = True
            actions[mine] = np.where(answers == FAILED, -1, answers)
        if progress is not None and guard is not None:
            progress(int((stopped & running).sum()))
        rewards, done = games.step(actions)
        total += rewards
        if progress is not None:
            progress(int(done.sum()))


def generators(seed: int, start: int, agents: int) -> list[np.random.Generator]:
    """A generator for each agent in the block that begins at this deal."""
    place = [start] if start else []
    return [np.random.default_rng([seed, 17, number, *place]) for number in range(agents)]


def match_shares(games: BatchedGame[Any]) -> F64:
    """Each side's share of a finished match: 1 for its winner, shared if there are several or none. [N, sides].

    A report says who won as `winner`, the number of a side, with any other number for a draw or a match that was
    cut off; where a match may have several winners, also as `winners`, bool [N, sides].
    """
    report, sides = games.report(), len(set(games.spec.teams))
    won = np.asarray(report["winners"]) if "winners" in report else report["winner"][:, None] == np.arange(sides)
    won = np.where(won.any(axis=1, keepdims=True), won, True)
    return won / won.sum(axis=1, keepdims=True)


def play_block(
    contest: Contest,
    agents: Sequence[Agent],
    deals: range,
    *,
    seed: int,
    context: str,
    episode: str,
    limit: int = 24,
    keep: int = 0,
    hands: int = MATCH_HANDS,
    guard: Guard | None = None,
    progress: Callable[[int], None] | None = None,
) -> Block:
    """Play a range of deals of a contest.

    Args:
        agents: the agents of `contest.agents`.
        limit: most seatings of a table on a deal.
        keep: games of deals below this number are kept as records.
        hands: a match that is not decided after this many hands is cut off and is a draw.
    """
    spec = agents[0].spec
    numbers = np.arange(deals.start, deals.stop)
    layout = contest.seatings(spec.teams, numbers, seed, limit)
    plays = layout.shape[1]
    game_id = np.repeat(numbers, plays)
    games = make_batch(
        spec.id, num_games=len(game_id), seed=seed, rules=spec.rules, episode=episode, context=context,
        record=deals.start < keep,
    )  # fmt: skip
    # all seatings of a deal share its number, and so its cards
    games.reset(options={"game_id": game_id, "hand_id": 0})
    seats = np.ascontiguousarray(layout.reshape(len(game_id), spec.num_seats))
    rngs = generators(seed, deals.start, len(agents))
    rewards = play(games, agents, seats, rngs, progress, guard, hands if episode == "match" else None)
    rewards *= spec.reward_scale
    forfeit = np.full(len(game_id), -1, np.int8)
    failures, spent = ([], {}) if guard is None else (guard.failures, guard.spent)
    for failure in failures:
        forfeit[failure.game] = failure.agent
    gain = np.stack([_mean(rewards, seats == number) for number in range(len(agents))], axis=1)
    gain[forfeit >= 0] = np.nan
    won = np.full_like(gain, np.nan)
    if episode == "match":
        # a seat's part of its side's share: an agent that plays a whole side has all of it
        side = np.unique(spec.teams, return_inverse=True)[1]
        share = match_shares(games)[:, side] / np.bincount(side)[side]
        won = np.stack([(share * (seats == number)).sum(axis=1) for number in range(len(agents))], axis=1)
        won[forfeit >= 0] = np.nan
    named, counts = _count(games, seats, len(agents), episode)
    records = [games.record(game) for game in range(plays * max(0, min(deals.stop, keep) - deals.start))]
    shape = (len(numbers), plays)
    return Block(
        gain=gain.reshape(*shape, -1),
        won=won.reshape(*shape, -1),
        forfeit=forfeit.reshape(shape),
        statistics=named,
        counts=counts.reshape(*shape, *counts.shape[1:]).sum(axis=1),
        failures=_forfeits(failures, contest, game_id),
        records=records,
        time=np.array([spent.get(number, (0.0, 0)) for number in range(len(agents))], np.float64),
    )


def _mean(values: F64, where: npt.NDArray[np.bool_]) -> F64:
    """Mean of each row over the marked columns: a team's points are at each of its seats and count once."""
    return (values * where).sum(axis=1) / where.sum(axis=1)


def _forfeits(failures: Sequence[Failure], contest: Contest, game_id: I64) -> list[Forfeit]:
    """Failures of a block, counted for each agent and kind."""
    found: dict[tuple[int, str], Forfeit] = {}
    for one in sorted(failures, key=lambda failure: failure.game):
        first = found.get((one.agent, one.kind))
        if first is None:
            name = contest.agents[one.agent]
            first = Forfeit(name, one.kind, 0, one.message, contest.key, int(game_id[one.game]), one.seat)
        found[one.agent, one.kind] = dataclasses.replace(first, count=first.count + 1)
    return list(found.values())


def _count(
    games: BatchedGame[Any], seats: I64, agents: int, episode: str
) -> tuple[list[tuple[str, str, str]], F64]:
    """Statistics by agent: names, and values and weights as float [N, agents, statistics, 2].

    A forfeited hand was not finished, so its game has nothing to count.
    """
    if episode != "hand" or not isinstance(games, HasStatistics):
        return [], np.zeros((len(seats), agents, 0, 2))
    found = games.seat_statistics()
    counts = np.zeros((len(seats), agents, len(found), 2))
    for number in range(agents):
        mine = seats == number
        for k, one in enumerate(found):
            counts[:, number, k, 0] = (one.value * mine).sum(axis=1)
            counts[:, number, k, 1] = (one.weight * mine).sum(axis=1)
    return [(one.phase, one.name, one.unit) for one in found], counts


def pair_margins(block: Block, sides: int, forfeit: float) -> F64:
    """Points that the first agent of a pair won more than the second. float [deals, plays].

    Rewards are a side's points less the mean of the others', which stretches differences by k / (k - 1).
    """
    margin = (block.gain[:, :, 0] - block.gain[:, :, 1]) * ((sides - 1) / sides)
    return np.where(block.forfeit < 0, margin, np.where(block.forfeit == 0, -forfeit, forfeit))


def pair_outcomes(block: Block) -> F64:
    """The first agent's share of each match; a forfeited one is lost. float [deals, plays]."""
    return np.where(block.forfeit < 0, block.won[:, :, 0], np.where(block.forfeit == 0, 0.0, 1.0))


def blocks(total: int, plays: int, batch: int) -> list[range]:
    """The ranges in which deals are played."""
    size = max(1, batch // plays)
    return [range(start, min(start + size, total)) for start in range(0, total, size)]


def play_pair(
    first: Agent, second: Agent, *, deals: int, seed: int, context: str, episode: str, batch: int,
    progress: Callable[[int], None] | None = None, records: list[GameRecord] | None = None, keep: int = 0,
) -> tuple[F64, F64]:  # fmt: skip
    """Play duplicate episodes of two agents; errors of the agents are raised.

    Args:
        batch: games played at once.
        records: the games of the first `keep` deals are appended here.

    Returns:
        margins float [deals, seatings]: mean points of first's seats less those of second's (over the episode), and
        outcomes float [deals, seatings]: first's share of the match: 1 if it won, ½ for a draw of two (nan in
        single hands).
    """
    contest = Contest("pair", ("first", "second"))
    teams = first.spec.teams
    margins: list[F64] = []
    outcomes: list[F64] = []
    for part in blocks(deals, contest.plays(teams, 1), batch):
        block = play_block(
            contest, (first, second), part, seed=seed, context=context, episode=episode,
            keep=keep if records is not None else 0, progress=progress,
        )  # fmt: skip
        margins.append(pair_margins(block, len(set(teams)), 0.0))
        outcomes.append(pair_outcomes(block))
        if records is not None:
            records += block.records
    return np.concatenate(margins), np.concatenate(outcomes)


def duplicate_margin(
    first: Agent, second: Agent, *, deals: int, seed: int, context: str = "sampled", batch: int = 4096
) -> Estimate:
    """Points per hand that `first` wins more than `second`, on duplicate deals."""
    margins, _ = play_pair(
        first, second, deals=deals, seed=seed, context=context, episode="hand", batch=batch
    )
    return estimate(margins.mean(axis=1))
