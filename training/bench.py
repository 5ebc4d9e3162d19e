"""The benchmark: decisions per second of every game's engine, side by side with other suites.

Speeds depend on the machine and on what else it does, so everything that is compared is measured in turns, a
fraction of a second each, several times over; ratios are taken round by round and printed with their range.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.metadata
import json
import os
import platform
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..envs.core.game import NO_ACTION, BatchedGame
from ..envs.registry import games as all_games
from ..envs.registry import make_batch
from .bench_peers import CONTENDERS, PeerError, PeerProcess, play_for

PACKAGES = (
    "bidtrick", "numpy", "torch", "gymnasium", "pettingzoo", "stable-baselines3", "sb3-contrib", "open-spiel",
    "rlcard", "pgx", "jax",
)  # fmt: skip

LEVELS = ("floor", "aim", "extreme")


@dataclass(frozen=True)
class Target:
    """What a figure should reach: at least the floor, normally the aim, at best the extreme."""

    floor: float
    aim: float
    extreme: float

    def reached(self, value: float) -> str:
        """The highest level that a value reaches, or "below"."""
        return next((level for level in reversed(LEVELS) if value >= getattr(self, level)), "below")


#: Decisions per second of a game's engine, by batch size.
ENGINE_TARGETS = {256: Target(0.7e6, 1.5e6, 2e6), 4096: Target(2e6, 5e6, 8e6)}
#: The batch size that peers are compared with.
COMPARED = 4096
OPENSPIEL_RATIO = Target(7, 19, 30)
AEC_TURNS = Target(5e3, 10e3, 20e3)
PPO_RATIO = Target(2, 3, 5)


@dataclass(frozen=True)
class BenchSettings:
    """What to measure, and for how long.

    Attributes:
        games: ids, empty for all.
        sizes: batch sizes; the largest is also the one whose memory is measured.
        seconds: length of one measurement.
        rounds: how often everything is measured; the best counts, the others tell how steady it was.
        contenders: keys of `bench_peers.CONTENDERS` to measure beside the engines.
        seed: seed of deals and random actions.
        patience: seconds after which a contender that does not answer is given up.
    """

    games: tuple[str, ...] = ()
    sizes: tuple[int, ...] = (1, 256, 1024, 4096, 16384)
    seconds: float = 0.4
    rounds: int = 5
    contenders: tuple[str, ...] = ()
    seed: int = 0
    patience: float = 180.0


@dataclass
class EngineResult:
    """Speed of one game's engine at one batch size; `rates` has one entry a round."""

    game: str
    num_games: int
    rates: list[float]
    bytes_per_decision: int
    state_bytes: int
    peak_bytes: int | None = None

    @property
    def best(self) -> float:
        return max(self.rates)

    @property
    def microseconds_per_step(self) -> float:
        return 1e6 * self.num_games / self.best

    @property
    def level(self) -> str | None:
        """The level of the target that the best round reaches, None where there is no target."""
        target = ENGINE_TARGETS.get(self.num_games)
        return target.reached(self.best) if target else None


@dataclass
class PeerResult:
    """Speed of a contender, one entry a round, or why there is none."""

    key: str
    title: str
    group: str
    ours: bool
    rates: list[float] = dataclasses.field(default_factory=list[float])
    error: str | None = None

    @property
    def best(self) -> float | None:
        return max(self.rates) if self.rates else None


@dataclass
class Ratio:
    """How many times faster ours is, round by round."""

    ours: str
    peer: str
    values: list[float]
    target: Target | None = None

    @property
    def middle(self) -> float:
        return median(self.values)

    @property
    def level(self) -> str | None:
        return self.target.reached(self.middle) if self.target else None


@dataclass
class BenchReport:
    """Everything that one run measured."""

    settings: BenchSettings
    machine: dict[str, Any]
    engines: list[EngineResult]
    peers: list[PeerResult]
    ratios: list[Ratio]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, with the figures that are worked out from the measurements."""
        plain = dataclasses.asdict(self)
        for row, engine in zip(plain["engines"], self.engines, strict=True):
            row.update(best=engine.best, microseconds_per_step=engine.microseconds_per_step, level=engine.level)
        for row, peer in zip(plain["peers"], self.peers, strict=True):
            row["best"] = peer.best
        for row, ratio in zip(plain["ratios"], self.ratios, strict=True):
            row.update(median=ratio.middle, level=ratio.level)
        return plain


def machine_info() -> dict[str, Any]:
    """Processor, cores and versions: without them a speed says little."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    versions: dict[str, str] = {}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": model,
        "cores": usable,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "versions": versions,
    }


def out_of_step(games: BatchedGame[Any], rng: np.random.Generator) -> None:
    """Play on until the games of a batch are at all places of a hand alike: each stops after a number of its own."""
    steps = 2 * games.spec.max_hand_actions
    stops = rng.integers(0, steps, games.num_games)
    for step in range(steps):
        actions = games.sample_actions(rng)
        actions[stops <= step] = NO_ACTION
        games.step(actions, validate=False)


def engine_loop(games: BatchedGame[Any], rng: np.random.Generator) -> Callable[[], int]:
    """One step of a batch with all that training needs: observations, a boolean mask, random legal actions."""
    n = games.num_games

    def loop() -> int:
        games.observe()
        games.legal_actions()
        games.step(games.sample_actions(rng), validate=False)
        return n

    return loop


def peak_memory(game: str, num_games: int, seed: int) -> int:
    """Most bytes that a batch holds at any moment while it is made and plays a hand (a little is the profiler's)."""
    rng = np.random.default_rng(seed)
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        games = make_batch(game, num_games=num_games, seed=seed, auto_reset=True)
        loop = engine_loop(games, rng)
        for _ in range(games.spec.max_hand_actions):
            loop()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not tracing:
            tracemalloc.stop()


def run(
    games: Sequence[str] = (),
    *,
    peers: bool = False,
    quick: bool = False,
    progress: Callable[[str], None] | None = None,
) -> BenchReport:
    """The benchmark as `bidtrick bench` runs it: all games or the given ones, with or without contenders."""
    settings = BenchSettings(games=tuple(games), contenders=tuple(CONTENDERS) if peers else ())
    if quick:
        settings = dataclasses.replace(settings, seconds=0.1, rounds=3)
    return measure(settings, progress)


def measure(settings: BenchSettings, progress: Callable[[str], None] | None = None) -> BenchReport:
    """Measure engines and contenders in turns.

    Args:
        settings: what to measure.
        progress: called with a line of text now and then.

    Peers run in processes of their own, started by importing the calling script anew: a script needs the usual
    `if __name__ == "__main__":`. Raises: KeyError for a contender that does not exist, UnknownNameError for a game.
    """
    say = progress or (lambda text: None)
    games = settings.games or tuple(all_games())
    peers = [_peer_result(key) for key in settings.contenders]
    machine = machine_info()
    engines: list[EngineResult] = []
    loops: list[Callable[[], int]] = []
    for game in games:
        for size in settings.sizes:
            say(f"setting up {game}, {size} games")
            batch = make_batch(game, num_games=size, seed=settings.seed, auto_reset=True)
            rng = np.random.default_rng(settings.seed)
            out_of_step(batch, rng)
            loops.append(engine_loop(batch, rng))
            engines.append(EngineResult(game, size, [], batch.observe().shape[1], batch.state.nbytes))
    with contextlib.ExitStack() as stack:
        running: list[tuple[PeerResult, PeerProcess]] = []
        for peer in peers:
            if peer.error is None:
                say(f"setting up {peer.title}")
                try:
                    process = PeerProcess(CONTENDERS[peer.key].make, games[0], settings.patience)
                    running.append((peer, stack.enter_context(process)))
                except PeerError as error:
                    peer.error = str(error)
        for number in range(settings.rounds):
            say(f"round {number + 1} of {settings.rounds}")
            for engine, loop in zip(engines, loops, strict=True):
                engine.rates.append(play_for(loop, settings.seconds))
            for peer, process in running:
                if peer.error is None:
                    try:
                        peer.rates.append(process.rate(settings.seconds))
                    except PeerError as error:
                        peer.error = str(error)
    loops.clear()
    for engine in engines:
        if engine.num_games == max(settings.sizes):
            engine.peak_bytes = peak_memory(engine.game, engine.num_games, settings.seed)
    return BenchReport(settings, machine, engines, peers, compare(engines, peers))


def _peer_result(key: str) -> PeerResult:
    contender = CONTENDERS[key]
    missing = contender.missing()
    error = f"not installed: {', '.join(missing)}" if missing else None
    return PeerResult(key, contender.title, contender.group, contender.ours, error=error)


def compare(engines: list[EngineResult], peers: list[PeerResult]) -> list[Ratio]:
    """Ratios of ours to each peer that was measured in every round."""
    ratios: list[Ratio] = []
    for peer in peers:
        if peer.ours or peer.error is not None or not peer.rates:
            continue
        ours: list[tuple[str, list[float], Target | None]]
        if peer.group == "engine":
            target = OPENSPIEL_RATIO if peer.key == "openspiel" else None
            ours = [(f"{e.game}, N={e.num_games}", e.rates, target) for e in engines if e.num_games == COMPARED]
        else:
            target = PPO_RATIO if peer.group == "ppo" else None
            ours = [(p.title, p.rates, target) for p in peers if p.ours and p.group == peer.group and p.error is None]
        for title, rates, wanted in ours:
            values = [a / b for a, b in zip(rates, peer.rates, strict=True)]
            ratios.append(Ratio(title, peer.title, values, wanted))
    return ratios


def speed(value: float) -> str:
    """A speed for people, e.g. "6.95 M"."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if value >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}"


def print_report(report: BenchReport, console: Any = None) -> None:
    """Print a report as tables (to a rich console, by default one on standard output)."""
    from rich.console import Console

    console = console or Console(width=None if sys.stdout.isatty() else 120)
    machine = report.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    console.print(f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, load {machine['load']}")
    console.print(versions + "\n", style="dim")

    table = _table(
        "Engines: random legal play with bidding, resets, masks and observations",
        "game", "N>", "decisions/s>", "worst>", "µs/step>", "obs bytes>", "reached",
    )  # fmt: skip
    for e in report.engines:
        table.add_row(
            e.game, str(e.num_games), speed(e.best), speed(min(e.rates)), f"{e.microseconds_per_step:.0f}",
            str(e.bytes_per_decision), _level(e.level),
        )  # fmt: skip
    console.print(table)
    for e in report.engines:
        if e.peak_bytes is not None:
            memory = f"{e.state_bytes / 1e6:.1f} MB of state, at most {e.peak_bytes / 1e6:.0f} MB with all arrays"
            console.print(f"memory of {e.game} at N = {e.num_games}: {memory}", style="dim")
    for size, target in ENGINE_TARGETS.items():
        marks = ", ".join(f"{level} {speed(getattr(target, level))}" for level in LEVELS)
        console.print(f"targets at N = {size}: {marks} decisions/s", style="dim")

    if report.peers:
        table = _table("Contenders, in turns with the engines", "contender", "decisions/s>", "worst>", "reached")
        for p in report.peers:
            if p.best is None or p.error is not None:
                table.add_row(p.title, "–", "–", p.error or "not measured")
                continue
            level = AEC_TURNS.reached(p.best) if p.group == "aec" and p.ours else None
            table.add_row(p.title, speed(p.best), speed(min(p.rates)), _level(level))
        console.print(table)

    if report.ratios:
        title = "How many times faster: median of the rounds, and their range"
        table = _table(title, "ours", "peer", "ratio>", "range>", "reached")
        for r in report.ratios:
            of = f" of {'/'.join(f'{getattr(r.target, level):g}' for level in LEVELS)}" if r.target else ""
            between = f"{min(r.values):.3g}–{max(r.values):.3g}"
            table.add_row(r.ours, r.peer, f"{r.middle:.3g} ×", between, _level(r.level) + of)
        console.print(table)


def _table(title: str, *columns: str) -> Any:
    """An empty table; columns whose name ends in ">" are flush right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for name in columns:
        table.add_column(name.rstrip(">"), justify="right" if name.endswith(">") else "left")
    return table


def _level(level: str | None) -> str:
    return {None: "", "below": "below floor"}.get(level, level or "")


def write_json(report: BenchReport, path: str | Path) -> None:
    """Write a report as JSON."""
    Path(path).write_text(json.dumps(report.to_dict(), indent=1) + "\n", encoding="utf-8")
