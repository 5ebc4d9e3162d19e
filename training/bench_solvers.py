"""The benchmark of the exact solvers: times on random deals, beside the DDS library on bridge boards in the same run.

Everything is measured in turns, one position of each at a time, so that all have the same machine. DDS (Bo Haglund and
Sören Hein, "Double Dummy Solver") is called through `endplay` from PyPI where that is installed. Bridge boards have
13 tricks and one point a trick, so the times stand side by side and are no contest; they say what a well-known
solver takes on this machine. Only the calls are timed, positions are made before.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import importlib.util
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..envs.core.bits import I64
from ..envs.registry import make_batch
from .bench import LEVELS, machine_info

#: A call that is timed, for each of n positions.
Calls = list[Callable[[], Any]]


@dataclass(frozen=True)
class SolverCase:
    """What is solved. make: (n, seed) → n calls, the first of which is also made once before. title, call: for people.

    targets: milliseconds of the mean: floor, aim, extreme; None for other libraries.
    """

    key: str
    title: str
    call: str
    make: Callable[[int, int], Calls]
    targets: tuple[float, float, float] | None = None


@dataclass
class SolverTimes:
    """Times of a case, one a position; or why there are none.

    seconds: by the clock. cpu: of the processor, all threads together, which says more on a machine that is busy.
    """

    key: str
    title: str
    call: str
    seconds: list[float] = dataclasses.field(default_factory=list[float])
    cpu: list[float] = dataclasses.field(default_factory=list[float])
    targets: tuple[float, float, float] | None = None
    error: str | None = None

    def figures(self, of: str = "cpu") -> dict[str, float]:
        """Milliseconds of "cpu" or "seconds": mean, its standard error, median, 90th percentile; empty without any."""
        ms = 1e3 * np.array(self.cpu if of == "cpu" else self.seconds)
        if not len(ms):
            return {}
        error = float(ms.std(ddof=1) / np.sqrt(len(ms))) if len(ms) > 1 else float("nan")
        median, high = np.percentile(ms, [50, 90])
        return {"mean": float(ms.mean()), "error": error, "median": float(median), "p90": float(high)}

    @property
    def level(self) -> str | None:
        """The level of the target that the mean (processor time) reaches, "below" for none, None without a target."""
        if self.targets is None or not self.seconds:
            return None
        mean = self.figures()["mean"]
        reached = [level for level, most in zip(LEVELS, self.targets, strict=True) if mean <= most]
        return reached[-1] if reached else "below"


def thousand_full(n: int, seed: int) -> Calls:
    """Three hands of eight, the declarer leads: his total."""
    from ..agents.search.thousand.position import at_the_start
    from ..agents.search.thousand.solver import Solver, total_of

    games = make_batch("thousand")
    solver = Solver(cast(Any, games.rules))
    decks = np.random.default_rng([seed, 1]).permuted(np.tile(np.arange(24), (n, 1)), axis=1).reshape(n, 3, 8)
    rows = at_the_start((1 << decks).sum(axis=2))
    return [lambda row=rows[[k]]: solver.values(row, total_of(0)) for k in range(n)]


def schieber_trump(n: int, seed: int) -> Calls:
    """Trump contracts after three tricks of random play."""
    from ..agents.search.schieber.solver import Position, Solver

    games = make_batch("schieber", n, seed=seed, rules={"target": 100_000})
    rng = np.random.default_rng([seed, 2])
    contracts = np.arange(n) % 4
    games.step(36 + contracts)
    for _ in range(12):
        games.step(games.sample_actions(rng))
    s: Any = games.state
    solver = Solver(cast(Any, games.rules))
    tricks = s.sheet[:, :, 1]  # see envs.schieber.state.TRICKS
    calls: Calls = []
    for k in range(n):
        hands = tuple(s.hands[k].tolist())
        sweeps = (bool(tricks[k, 1] == 0), bool(tricks[k, 0] == 0))
        position = Position(cast(Any, hands), int(contracts[k]), int(games.current_player[k]), (), sweeps)
        calls.append(lambda position=position: solver.value(position))
    return calls


def schieber_plain(n: int, seed: int) -> Calls:
    """Whole deals without trump, Obenabe and Undenufe in turn."""
    from ..agents.search.schieber.solver import Position, Solver

    games = make_batch("schieber", n, seed=seed)
    solver = Solver(cast(Any, games.rules))
    hands = cast(Any, games.state).hands.tolist()
    leaders = cast(Any, games.state).forehand.tolist()
    found = [Position(cast(Any, tuple(hands[k])), 4 + k % 2, int(leaders[k])) for k in range(n)]
    return [lambda position=position: solver.value(position) for position in found]


def pitch_full(n: int, seed: int) -> Calls:
    """Four-handed, after bids, fill, leftovers and burns of the heuristic agent: the bidding side's points."""
    from ..agents.registry import make_agent
    from ..agents.search.pitch.positions import positions_of
    from ..agents.search.pitch.solver import PitchSolver

    games = make_batch("pitch", n, seed=seed)
    agent, rng = make_agent("heuristic", games.spec), np.random.default_rng([seed, 3])
    play = games.spec.phases.index("play")
    while (going := np.flatnonzero(games.phase != play)).size:
        actions = np.full(n, -1, np.int64)
        actions[going] = agent.act(games.observe()[going], games.legal_actions()[going], rng)
        games.step(actions)
    state, rules = cast(Any, games.state), cast(Any, games.rules)
    solver, positions = PitchSolver(rules), positions_of(state, rules)
    sides: I64 = np.where(state.bidder % 2 == 0, 0b0101, 0b1010).astype(np.int64)
    single = [positions.take(np.array([k])) for k in range(n)]
    return [lambda one=one, side=int(side): solver.value(one, side) for one, side in zip(single, sides, strict=True)]


def bridge_boards(n: int, seed: int) -> list[Any]:
    """Random boards of `endplay`, with a random strain and leader."""
    types: Any = importlib.import_module("endplay.types")
    rng = np.random.default_rng([seed, 4])
    strains = (types.Denom.spades, types.Denom.hearts, types.Denom.diamonds, types.Denom.clubs, types.Denom.nt)
    players = (types.Player.north, types.Player.east, types.Player.south, types.Player.west)
    boards: list[Any] = []
    for _ in range(n):
        hands: list[str] = []
        for hand in rng.permutation(52).reshape(4, 13):
            suits = ["".join("AKQJT98765432"[card % 13] for card in sorted(hand) if card // 13 == k) for k in range(4)]
            hands.append(".".join(suits))
        board = types.Deal("N:" + " ".join(hands))
        board.trump, board.first = strains[rng.integers(5)], players[rng.integers(4)]
        boards.append(board)
    return boards


def dds_value(n: int, seed: int) -> Calls:
    """One strain and one leader: the tricks that can be made, and a card that makes them."""
    dds: Any = importlib.import_module("endplay.dds")
    mode: Any = importlib.import_module("endplay.dds.solve").SolveMode
    return [lambda board=board: dds.solve_board(board, mode.OptimalOne) for board in bridge_boards(n, seed)]


def dds_table(n: int, seed: int) -> Calls:
    """All five strains with all four declarers."""
    dds: Any = importlib.import_module("endplay.dds")
    return [lambda board=board: dds.calc_dd_table(board) for board in bridge_boards(n, seed)]


CASES: tuple[SolverCase, ...] = (
    SolverCase("thousand", "Thousand, whole deal (8 tricks)", "one total", thousand_full, (5, 2.5, 1)),
    SolverCase("schieber-trump", "Schieber, trump, 6 tricks left", "one value", schieber_trump, (25, 12, 5)),
    SolverCase("schieber-plain", "Schieber, no trump, whole deal (9 tricks)", "one value", schieber_plain,
               (1000, 500, 200)),
    SolverCase("pitch", "Pitch, whole hand (6 tricks)", "one value", pitch_full, (10, 3, 1)),
)  # fmt: skip
PEERS: tuple[SolverCase, ...] = (
    SolverCase("dds", "Bridge by DDS, whole board", "solve_board, one strain and leader", dds_value),
    SolverCase("dds-table", "Bridge by DDS, whole board", "calc_dd_table, all 20", dds_table),
)


def measure_solvers(
    positions: int = 100,
    seed: int = 0,
    *,
    cases: Sequence[SolverCase] = (*CASES, *PEERS),
    progress: Callable[[str], None] | None = None,
) -> list[SolverTimes]:
    """Time the solvers on random positions, in turns. A case that cannot be set up, or that fails, says so.

    Raises: MissingExtraError without numba.
    """
    from ..agents.search import kernels as _  # noqa: F401  (names the extra if numba is missing)

    say = progress or (lambda text: None)
    times: list[SolverTimes] = []
    running: list[tuple[SolverTimes, Calls]] = []
    for case in cases:
        one = SolverTimes(case.key, case.title, case.call, targets=case.targets)
        times.append(one)
        if case in PEERS and importlib.util.find_spec("endplay") is None:
            one.error = "endplay is not installed (pip install endplay)"
            continue
        say(f"setting up {case.title}")
        try:
            calls = case.make(positions, seed)
            calls[0]()  # compiles, or loads the library
        except Exception as error:
            if case not in PEERS:
                raise
            one.error = f"{type(error).__name__}: {error}"
            continue
        running.append((one, calls))
    for number in range(positions):
        say(f"position {number + 1} of {positions}")
        for one, calls in running:
            start, cpu = time.perf_counter(), time.process_time()
            calls[number]()
            one.seconds.append(time.perf_counter() - start)
            one.cpu.append(time.process_time() - cpu)
    return times


def solvers_machine() -> dict[str, Any]:
    """The machine, with the versions of the libraries that are measured."""
    machine = machine_info()
    for name in ("numba", "endplay"):
        try:
            machine["versions"][name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return machine


def print_solvers(times: Sequence[SolverTimes], console: Any) -> None:
    """Print the times as a table."""
    from rich.table import Table

    count = max((len(one.seconds) for one in times), default=0)
    table = Table(title=f"Exact solvers, {count} random positions each, milliseconds", title_justify="left")
    numbers = ("CPU mean", "median", "90%", "clock mean")
    for column in ("solved", *numbers, "floor/aim/extreme: reached"):
        table.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    for one in times:
        name = f"{one.title}: {one.call}"
        cpu, clock = one.figures(), one.figures("seconds")
        if not cpu:
            table.add_row(name, "–", "–", "–", "–", one.error or "not measured")
            continue
        goal = ""
        if one.targets:
            reached = "below floor" if one.level == "below" else one.level
            goal = f"{'/'.join(f'{ms:g}' for ms in one.targets)}: {reached}"
        mean = f"{cpu['mean']:.3g} ± {cpu['error']:.2g}"
        table.add_row(name, mean, f"{cpu['median']:.3g}", f"{cpu['p90']:.3g}", f"{clock['mean']:.3g}", goal)
    console.print(table)
    console.print("CPU: time of the processor, all threads; targets are of its mean on random deals", style="dim")


def write_solvers(times: Sequence[SolverTimes], path: str | Path) -> None:
    """Write everything as JSON."""
    rows = [
        {**dataclasses.asdict(one), "cpu_ms": one.figures(), "clock_ms": one.figures("seconds"), "level": one.level}
        for one in times
    ]
    text = json.dumps({"machine": solvers_machine(), "solvers": rows}, indent=1)
    Path(path).write_text(text + "\n", encoding="utf-8")
