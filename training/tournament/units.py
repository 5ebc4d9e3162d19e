"""The work of a tournament in units, and what it takes to play one: the same in this process and in others."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from ...agents.base import Agent
from ...agents.registry import make_agent
from ...envs.registry import make_batch
from .config import TournamentConfig
from .guard import Guard
from .play import Block, blocks, play_block
from .seating import Contest

EPISODES = ("hand", "match")


@dataclass(frozen=True)
class Unit:
    """A range of deals of a contest: single hands, or matches that begin with these deals."""

    contest: Contest
    episode: str
    start: int
    stop: int

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What identifies it in a results file."""
        return self.contest.key, self.episode, self.start, self.stop


class Player:
    """Plays units of one tournament: the settings and the agents, each made once."""

    def __init__(self, config: TournamentConfig) -> None:
        self.config = config
        self.spec = make_batch(config.game, rules=config.rules).spec
        self.contests = config.contests(self.spec)
        names = dict.fromkeys([*self._listed(), *(name for c in self.contests for name in c.agents)])
        self.agents: dict[str, Agent] = {name: make_agent(name, self.spec) for name in names}
        if "torch" in sys.modules:
            # sums of floats depend on how many threads add them, and results must not
            sys.modules["torch"].set_num_threads(1)

    def _listed(self) -> tuple[str, ...]:
        return () if self.config.format == "lineups" else self.config.agents

    def plays(self, contest: Contest) -> int:
        """Seatings of each deal of a contest."""
        return contest.plays(self.spec.teams, self.config.permutations)

    def units(self, episode: str) -> list[Unit]:
        """All that may have to be played, in the order in which it is looked at."""
        config = self.config
        total = config.deals if episode == "hand" else config.matches
        split: list[list[Unit]] = []
        most = max(self.plays(contest) for contest in self.contests)
        for contest in self.contests:
            plays, batch = self.plays(contest), config.batch
            if episode == "hand" and config.until is not None:
                # every contest has the same ranges, which end where the intervals are looked at
                plays, batch = most, min(batch, config.look * most)
            split.append([Unit(contest, episode, r.start, r.stop) for r in blocks(total, plays, batch)])
        if episode == "hand" and config.until is not None:
            return [unit for turn in zip(*split, strict=True) for unit in turn]
        return [unit for units in split for unit in units]

    def play(self, unit: Unit, guard: Guard, progress: Callable[[int], None] | None = None) -> Block:
        """Play one unit."""
        config, hand = self.config, unit.episode == "hand"
        return play_block(
            unit.contest, [self.agents[name] for name in unit.contest.agents], range(unit.start, unit.stop),
            seed=config.seed if hand else config.seed + 1, context=config.context if hand else "start",
            episode=unit.episode, limit=config.permutations, keep=config.records if hand else 0,
            hands=config.match_hands, guard=guard, progress=progress,
        )  # fmt: skip
