"""The course of a tournament: what is played, what is taken from the results file, when it stops."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path

from .config import TournamentConfig
from .play import Block
from .pool import play_apart, play_here
from .results import Analysis, TournamentResult, conclude
from .results_file import ResultsFile
from .units import Player, Unit

#: Called with (games finished, games in all) while a tournament runs.
Progress = Callable[[int, int], None]


def run(
    config: TournamentConfig, progress: Progress | None = None, results: str | Path | None = None
) -> TournamentResult:
    """Play a tournament: all contests on the same deals. The same config gives the same result.

    Args:
        progress: told how far it is.
        results: file to which every block of deals is written when it is finished. If it exists, its blocks are
            taken from there: an interrupted tournament goes on, with the same result.

    Raises: ConfigError for settings or a results file that cannot be, UnknownNameError for an agent that is none.
    """
    player = Player(config)
    file = ResultsFile(results, player) if results is not None else None
    try:
        return _Course(player, progress, file).run()
    finally:
        if file is not None:
            file.close()


class _Course:
    def __init__(self, player: Player, progress: Progress | None, file: ResultsFile | None) -> None:
        self.player, self.config, self.file, self.progress = player, player.config, file, progress
        spec = player.spec
        self.analysis = Analysis(self.config, len(set(spec.teams)), spec.reward_scale)
        self.blocks: dict[Unit, Block] = {}
        self.total = self.finished = 0

    def run(self) -> TournamentResult:
        units = {episode: self.player.units(episode) for episode in ("hand", "match")}
        self.total = sum(self._games(unit) for both in units.values() for unit in both)
        hands = self._play(units["hand"], self._stop(units["hand"]))
        matches = self._play(units["match"], lambda: None)
        if self.progress is not None:
            self.progress(self.total, self.total)
        contests = self.player.contests

        def of(units: list[Unit]) -> list[list[Block]]:
            return [[self.blocks[unit] for unit in units if unit.contest == contest] for contest in contests]

        names = {name: agent.describe() for name, agent in self.player.agents.items()}
        spec = self.player.spec
        return conclude(self.config, spec.rules.name, names, contests, of(hands), of(matches), self.analysis)

    def _play(self, units: list[Unit], stop: Callable[[], int | None]) -> list[Unit]:
        """Play units until `stop` says how many of them count. Returns those."""
        for unit in units:
            if self.file is not None and unit.key in self.file.blocks:
                self.blocks[unit] = self.file.blocks[unit.key]
                self._count(self._games(unit))
        enough = stop()
        missing = [unit for unit in units if unit not in self.blocks]
        if enough is None and missing:
            with closing(self._source(missing)) as source:
                for unit, block in source:
                    self.blocks[unit] = block
                    if self.file is not None:
                        self.file.add(unit, block)
                    enough = stop()
                    if enough is not None:
                        break
        return units if enough is None else units[:enough]

    def _source(self, units: list[Unit]) -> Generator[tuple[Unit, Block], None, None]:
        if self.config.workers == 1 or len(units) == 1:
            return play_here(self.player, units, self._count)
        return play_apart(self.config, units, self.config.workers, self._count)

    def _stop(self, units: list[Unit]) -> Callable[[], int | None]:
        """A function that says how many units make all intervals narrow enough, None if they do not.

        It looks after each turn of all contests, in order, so blocks that were played ahead change nothing.
        """
        contests = self.player.contests
        size = len(contests)
        points = {contest: [] for contest in contests}
        turns = 0

        def stop() -> int | None:
            nonlocal turns
            if self.config.until is None:
                return None
            while size * (turns + 1) <= len(units):
                turn = units[size * turns : size * (turns + 1)]
                if any(unit not in self.blocks for unit in turn):
                    return None
                for unit in turn:
                    points[unit.contest].append(self.analysis.points(unit.contest, self.blocks[unit]))
                turns += 1
                if all(self.analysis.narrow(contest, points[contest]) for contest in contests):
                    return size * turns
            return None

        return stop

    def _games(self, unit: Unit) -> int:
        return (unit.stop - unit.start) * self.player.plays(unit.contest)

    def _count(self, games: int) -> None:
        self.finished = min(self.finished + games, self.total)
        if self.progress is not None and games:
            self.progress(self.finished, self.total)


