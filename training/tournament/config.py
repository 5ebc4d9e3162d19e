"""Settings of a tournament, and who meets whom because of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from ...envs.core.spec import GameSpec
from ..config import ConfigError, setting
from .seating import MATCH_HANDS, Contest

FORMATS = ("pairs", "tables", "both", "lineups")

#: Settings that a resumed tournament may change: they say how long and where, not how a block of deals is played.
FREE_ON_RESUME = (
    "agents", "format", "lineups", "deals", "matches", "until", "look", "workers", "seconds", "forfeit", "bootstrap",
)  # fmt: skip


@dataclass(frozen=True)
class TournamentConfig:
    """Settings of a duplicate tournament."""

    agents: tuple[str, ...] = setting(("heuristic", "random"), "agents that meet each other, by name")
    game: str = setting("schieber", "id of the game")
    rules: str | dict[str, Any] | None = setting(
        None, "preset, or options with an optional `preset` to start from; none: the first preset of the game"
    )
    context: str = setting(
        "sampled", "where a hand starts: drawn match state, or a new match", choices=("sampled", "start")
    )
    deals: int = setting(2000, "duplicate deals of each pair of agents (with `until`: at most)", low=2)
    matches: int = setting(0, "duplicate matches of each pair of agents, for the share of matches won", low=0)
    match_hands: int = setting(MATCH_HANDS, "hands after which an undecided match is cut off as a draw", low=1)
    seed: int = setting(0, "seed of deals and of the agents' choices")
    batch: int = setting(4096, "games played at once (part of what a seed reproduces)", low=2)
    records: int = setting(0, "deals of each pair whose games are kept as records, for `bidtrick replay`", low=0)
    format: str = setting(
        "pairs",
        "two agents a game, tables of as many agents as there are sides, both, or only `lineups`",
        choices=FORMATS,
    )
    lineups: tuple[tuple[str, ...], ...] = setting(
        (), "tables that play as well: each names one agent a side, or one a seat (an agent may sit twice)"
    )
    permutations: int = setting(24, "seatings of a table on each deal: all, or this many drawn evenly", low=1)
    until: float | None = setting(None, "stop when ± of every pair and table is at most this many points", low=0)
    look: int = setting(200, "with `until`: deals between two looks at the intervals", low=20)
    workers: int = setting(1, "processes that play; the result does not depend on it", low=1)
    seconds: float | None = setting(None, "time for one decision; an agent that needs more loses the deal", low=0)
    forfeit: float | None = setting(
        None, "points lost with a deal on which an agent fails; none: five times the game's reward scale", low=0
    )
    bootstrap: int = setting(400, "resamples of the deals behind the intervals of the ratings", low=20)

    def contests(self, spec: GameSpec) -> list[Contest]:
        """Who meets whom, in order.

        Raises: ConfigError naming the field, for too few agents, a name given twice or a line-up of a wrong size.
        """
        names, sides = self.agents, len(set(spec.teams))
        found: list[Contest] = []
        if self.format != "lineups" and (len(names) < 2 or len(set(names)) < len(names)):
            raise ConfigError(f"agents: give at least two different agents, got {list(names)}")
        if self.format in ("pairs", "both"):
            found += [Contest("pair", pair) for pair in itertools.combinations(names, 2)]
        if self.format in ("tables", "both"):
            if len(names) < sides:
                raise ConfigError(
                    f"format={self.format!r} with {len(names)} agents is not allowed: {spec.id} has {sides} sides; "
                    f"give at least {sides} agents, or name the tables in lineups"
                )
            found += [Contest("table", table) for table in itertools.combinations(names, sides)]
        for lineup in self.lineups:
            if len(lineup) not in (sides, spec.num_seats) or len(set(lineup)) < 2:
                sizes = " or ".join(str(size) for size in sorted({sides, spec.num_seats}))
                raise ConfigError(
                    f"lineups: {list(lineup)} is not allowed; allowed: {sizes} agents, at least two of them different"
                )
            contest = Contest("table", lineup)
            if all(sorted(contest.lineup) != sorted(c.lineup) or c.kind != "table" for c in found):
                found.append(contest)
        if not found:
            raise ConfigError("lineups: format='lineups' needs at least one line-up")
        return found
