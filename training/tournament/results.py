"""What a tournament found out, from the blocks that were played."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...envs.core.records import GameRecord
from ..ratings import Rating, rate
from ..ratings import wins as wins_of
from ..stats import Estimate, estimate, ratio
from .config import TournamentConfig
from .play import Block, Forfeit, pair_margins, pair_outcomes
from .seating import Contest

F64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PairResult:
    """How agent `first` did against agent `second`.

    points: points per hand that first's seats won more than second's, on duplicate deals.
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
class TableResult:
    """How several agents did in the same games.

    points: points per hand that each agent's seats won more than the other sides, averaged over all seatings.
    wins: share of matches won by each agent (by its seats, together), None without matches.
    deals: float [n, agents], points of each agent on each deal, averaged over its seatings.
    """

    lineup: tuple[str, ...]
    plays: int
    points: dict[str, Estimate]
    wins: dict[str, Estimate] | None
    deals: F64 = field(repr=False)


@dataclass(frozen=True)
class Difference:
    """How much more `first` won than `second` at the same table: with the same opponents, on the same deals."""

    first: str
    second: str
    opponents: tuple[str, ...]
    points: Estimate


@dataclass(frozen=True)
class StatisticResult:
    """A number of how the agents bid and play; an agent to which it never applied is left out."""

    phase: str
    name: str
    unit: str
    agents: dict[str, Estimate]


@dataclass(frozen=True)
class TournamentResult:
    """Everything a tournament found out."""

    config: TournamentConfig
    rules: str
    pairs: list[PairResult]
    #: agent → mean points per hand more than the others, over the deals that all played
    standings: dict[str, Estimate]
    agents: dict[str, dict[str, Any]]
    #: the first `config.records` deals of each pair, every seating
    records: list[GameRecord] = field(default_factory=list[GameRecord], repr=False)
    tables: list[TableResult] = field(default_factory=list[TableResult])
    differences: list[Difference] = field(default_factory=list[Difference])
    ratings: dict[str, Rating] = field(default_factory=dict[str, Rating])
    statistics: list[StatisticResult] = field(default_factory=list[StatisticResult])
    #: plays that agents lost because they failed
    failures: list[Forfeit] = field(default_factory=list[Forfeit])
    #: duplicate deals that were played
    deals: int = 0
    forfeit: float = 0.0
    #: agent → CPU milliseconds a decision with a choice, over all games; 0 for one that was never asked. A measurement
    #: of the machines that played: the only numbers here that the seed does not fix.
    milliseconds: dict[str, float] = field(default_factory=dict[str, float], compare=False)


class Analysis:
    """Results of contests from their blocks in order."""

    def __init__(self, config: TournamentConfig, sides: int, scale: float) -> None:
        self.config, self.sides = config, sides
        self.forfeit = 5 * scale if config.forfeit is None else config.forfeit

    def points(self, contest: Contest, block: Block) -> F64:
        """What the intervals are about, by deal: the first agent's margin [n, 1] or each agent's points [n, agents]."""
        if contest.kind == "pair":
            return pair_margins(block, self.sides, self.forfeit).mean(axis=1)[:, None]
        return self.table_points(contest, block).mean(axis=1)

    def table_points(self, contest: Contest, block: Block) -> F64:
        """Points of each agent at a table: float [n, plays, agents]. A failing agent pays the others what it loses."""
        places = np.array([contest.lineup.count(name) for name in contest.agents])
        failing = block.forfeit[:, :, None] == np.arange(len(places))
        held = np.where(block.forfeit >= 0, places[block.forfeit], 0)[:, :, None]
        paid = np.where(failing, -self.forfeit, self.forfeit * held / (places.sum() - held))
        return np.where(block.forfeit[:, :, None] >= 0, paid, block.gain)

    def table_wins(self, contest: Contest, block: Block) -> F64:
        """Share of each match that an agent won: float [n, plays, agents]. The others share a forfeited one."""
        places = np.array([contest.lineup.count(name) for name in contest.agents])
        failing = block.forfeit[:, :, None] == np.arange(len(places))
        held = np.where(block.forfeit >= 0, places[block.forfeit], 0)[:, :, None]
        return np.where(block.forfeit[:, :, None] >= 0, np.where(failing, 0, places / (places.sum() - held)), block.won)

    def narrow(self, contest: Contest, found: Sequence[F64]) -> bool:
        """Whether all intervals of a contest are as narrow as `until` asks, given the points of its deals."""
        assert self.config.until is not None
        points = np.concatenate(found)
        return all(estimate(points[:, k]).half_width <= self.config.until for k in range(points.shape[1]))

    def pair(self, contest: Contest, hands: Sequence[Block], matches: Sequence[Block]) -> PairResult:
        margins = np.concatenate([pair_margins(block, self.sides, self.forfeit) for block in hands])
        won = np.concatenate([pair_outcomes(block) for block in matches]) if matches else None
        by_deal = margins.mean(axis=1)
        wins = None if won is None else estimate(won.mean(axis=1))
        first, second = contest.lineup
        return PairResult(first, second, estimate(by_deal), estimate(margins.ravel()), wins, by_deal)

    def table(self, contest: Contest, hands: Sequence[Block], matches: Sequence[Block]) -> TableResult:
        points = np.concatenate([self.table_points(contest, block).mean(axis=1) for block in hands])
        won = None
        if matches:
            shares = np.concatenate([self.table_wins(contest, block).mean(axis=1) for block in matches])
            won = {name: estimate(shares[:, k]) for k, name in enumerate(contest.agents)}
        return TableResult(
            contest.lineup,
            hands[0].gain.shape[1],
            {name: estimate(points[:, k]) for k, name in enumerate(contest.agents)},
            won,
            points,
        )


def standings(names: Iterable[str], pairs: Sequence[PairResult], tables: Sequence[TableResult]) -> dict[str, Estimate]:
    """Mean points per hand of each agent over all it played in, by deal; best first."""
    found: dict[str, Estimate] = {}
    for name in names:
        rows = [r.deals if r.first == name else -r.deals for r in pairs if name in (r.first, r.second)]
        rows += [r.deals[:, list(r.points).index(name)] for r in tables if name in r.points]
        if rows:
            found[name] = estimate(np.mean(rows, axis=0))
    return dict(sorted(found.items(), key=lambda item: -item[1].mean))


def differences(tables: Sequence[TableResult]) -> list[Difference]:
    """Compares the first agents of tables whose other agents are the same, the better one first."""
    groups: dict[tuple[str, ...], list[tuple[str, F64]]] = {}
    for table in tables:
        first, *others = table.lineup
        if first not in others:
            groups.setdefault(tuple(others), []).append((first, table.deals[:, list(table.points).index(first)]))
    found: list[Difference] = []
    for others, agents in groups.items():
        agents.sort(key=lambda agent: -agent[1].mean())
        for (first, more), (second, less) in itertools.combinations(agents, 2):
            found.append(Difference(first, second, others, estimate(more - less)))
    return found


def deals_won(names: Sequence[str], pairs: Sequence[PairResult], tables: Sequence[TableResult]) -> F64:
    """How often each agent beat each other one on each deal, over all contests. float [deals, agents, agents]."""
    number = {name: k for k, name in enumerate(names)}
    count = len(pairs[0].deals if pairs else tables[0].deals)
    total = np.zeros((count, len(names), len(names)))
    for one in pairs:
        a, b = number[one.first], number[one.second]
        won = wins_of(np.stack([one.deals, -one.deals], axis=1))
        total[:, a, b] += won[:, 0, 1]
        total[:, b, a] += won[:, 1, 0]
    for one in tables:
        at = [number[name] for name in one.points]
        total[:, np.array(at)[:, None], at] += wins_of(one.deals)
    return total


def statistics(contests: Sequence[Contest], blocks: Sequence[Sequence[Block]]) -> list[StatisticResult]:
    """Means of the game's statistics for each agent, over all contests, clustered by deal."""
    sums: dict[str, F64] = {}
    named: list[tuple[str, str, str]] = []
    for contest, parts in zip(contests, blocks, strict=True):
        named = parts[0].statistics
        counts = np.concatenate([block.counts for block in parts])
        for k, name in enumerate(contest.agents):
            sums[name] = sums[name] + counts[:, k] if name in sums else counts[:, k]
    results: list[StatisticResult] = []
    for k, (phase, title, unit) in enumerate(named):
        means = {name: ratio(total[:, k, 0], total[:, k, 1]) for name, total in sums.items()}
        results.append(StatisticResult(phase, title, unit, {n: mean for n, mean in means.items() if mean is not None}))
    return results


def milliseconds(
    names: Iterable[str], contests: Sequence[Contest], blocks: Sequence[Sequence[Block]]
) -> dict[str, float]:
    """CPU time that each agent took for a decision with a choice."""
    spent = {name: np.zeros(2) for name in names}
    for contest, parts in zip(contests, blocks, strict=True):
        for block in parts:
            for name, time in zip(contest.agents, block.time, strict=True):
                spent[name] += time
    return {name: 1000 * float(seconds) / max(float(count), 1) for name, (seconds, count) in spent.items()}


def forfeits(blocks: Iterable[Block]) -> list[Forfeit]:
    """What each agent lost by failing, by kind, with its first failure."""
    found: dict[tuple[str, str], Forfeit] = {}
    for block in blocks:
        for one in block.failures:
            first = found.get((one.agent, one.kind))
            found[one.agent, one.kind] = one if first is None else replace(first, count=first.count + one.count)
    return list(found.values())


def conclude(
    config: TournamentConfig,
    rules: str,
    agents: dict[str, dict[str, Any]],
    contests: Sequence[Contest],
    hands: Sequence[Sequence[Block]],
    matches: Sequence[Sequence[Block]],
    analysis: Analysis,
) -> TournamentResult:
    """The result of a tournament from the blocks of each contest."""
    played = list(zip(contests, hands, matches, strict=True))
    pairs = [analysis.pair(*one) for one in played if one[0].kind == "pair"]
    tables = [analysis.table(*one) for one in played if one[0].kind == "table"]
    names = list(agents)
    won = deals_won(names, pairs, tables)
    return TournamentResult(
        config=config,
        rules=rules,
        pairs=pairs,
        standings=standings(names, pairs, tables),
        agents=agents,
        records=[record for parts in hands for block in parts for record in block.records],
        tables=tables,
        differences=differences(tables),
        ratings=rate(names, won, config.bootstrap, config.seed),
        statistics=statistics(contests, hands),
        failures=forfeits([block for parts in (*hands, *matches) for block in parts]),
        deals=len(won),
        forfeit=analysis.forfeit,
        milliseconds=milliseconds(names, contests, [[*h, *m] for h, m in zip(hands, matches, strict=True)]),
    )
