"""Units played in this process or in several: the blocks are the same.

An agent that ends its process (or hangs where no signal reaches it) is found out by the parent, which knows whom
each process was asking. The unit is played once more; if it ends the process again, that agent has lost the unit.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from ...envs.core.errors import BidtrickError
from .config import TournamentConfig
from .guard import Guard
from .play import Block
from .units import Player, Unit

#: Seconds beyond its own limit after which a call that no signal has ended is ended with its process.
GRACE = 5.0

#: Times that a unit is begun anew when its process ends without an agent being to blame.
RETRIES = 1

Count = Callable[[int], None]


class WorkerError(BidtrickError):
    """A process of a tournament ended without an agent being to blame, again and again."""


def play_here(player: Player, units: Sequence[Unit], count: Count) -> Generator[tuple[Unit, Block], None, None]:
    """Play units in this process, in order."""
    for unit in units:
        yield unit, player.play(unit, Guard(player.config.seconds), count)


@dataclass
class _Worker:
    """A process, our end of its pipe, and whom it is asking (number, since when, for how long)."""

    process: Any
    pipe: Connection
    asking: Any
    unit: Unit | None = None
    ended: bool = False


@dataclass
class _Trouble:
    deaths: int = 0
    dead: set[int] = field(default_factory=set[int])


def play_apart(
    config: TournamentConfig, units: Sequence[Unit], workers: int, count: Count
) -> Generator[tuple[Unit, Block], None, None]:
    """Play units in processes, in the order in which they are finished. Closing the iterator ends the processes."""
    context = _context()
    waiting = list(reversed(units))
    troubles: dict[Unit, _Trouble] = {}
    crew: list[_Worker] = []

    def start() -> None:
        ours, theirs = context.Pipe()
        asking = context.RawArray("d", [-1.0, 0.0, 0.0])
        process = context.Process(target=_work, args=(config, theirs, asking), daemon=True)
        process.start()
        theirs.close()
        crew.append(_Worker(process, ours, asking))

    def hand_out(worker: _Worker) -> None:
        worker.unit = waiting.pop() if waiting else None
        if worker.unit is not None:
            trouble = troubles.get(worker.unit)
            try:
                worker.pipe.send((worker.unit, frozenset(trouble.dead if trouble else ())))
            except OSError:  # it ended just now
                worker.ended = True

    try:
        for _ in range(min(workers, len(units))):
            start()
            hand_out(crew[-1])
        while any(worker.unit for worker in crew):
            ready = wait([worker.pipe for worker in crew if worker.unit], timeout=0.5)
            for worker in [w for w in crew if w.pipe in ready]:
                try:
                    kind, value = worker.pipe.recv()
                except (EOFError, OSError):
                    worker.ended = True
                    continue
                if kind == "count":
                    count(value)
                elif kind == "error":
                    raise value
                else:
                    unit = worker.unit
                    assert unit is not None
                    hand_out(worker)
                    yield unit, value
            for worker in [w for w in crew if w.ended or _hangs(w)]:
                crew.remove(worker)
                worker.process.kill()
                worker.process.join()
                assert worker.unit is not None
                _blame(worker, troubles.setdefault(worker.unit, _Trouble()))
                waiting.append(worker.unit)
                start()
                hand_out(crew[-1])
    finally:
        for worker in crew:
            worker.process.kill()
            worker.process.join()


def _context() -> Any:
    """How processes are made: never by forking this one, whose threads (of torch) would hang."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{__package__}.units"])
    return context


def _hangs(worker: _Worker) -> bool:
    number, since, limit = worker.asking[:]
    return number >= 0 and limit > 0 and time.monotonic() - since > limit + GRACE


def _blame(worker: _Worker, trouble: _Trouble) -> None:
    """Decide who lost the unit whose process has ended. Raises WorkerError if nobody was asked, again."""
    number = int(worker.asking[0])
    trouble.deaths += 1
    if trouble.deaths <= RETRIES and worker.ended:
        return  # it may have been ended from outside
    if number < 0:
        assert worker.unit is not None
        code = worker.process.exitcode
        raise WorkerError(f"a process that played {worker.unit.contest.key} ended with code {code}, again")
    trouble.dead.add(number)


def _work(config: TournamentConfig, pipe: Connection, asking: Any) -> None:
    """What a process does: play units until the pipe is closed."""

    def calling(number: int, limit: float) -> None:
        asking[0] = -1.0  # no lock: a process that ends while it holds one would take the parent with it
        asking[1], asking[2] = time.monotonic(), limit
        asking[0] = float(number)

    unsent, last = 0, time.monotonic()

    def count(games: int) -> None:
        nonlocal unsent, last
        unsent += games
        if unsent and time.monotonic() - last > 0.2:
            pipe.send(("count", unsent))
            unsent, last = 0, time.monotonic()

    try:
        player = Player(config)
        while True:
            unit, dead = pipe.recv()
            block = player.play(unit, Guard(config.seconds, calling, dead), count)
            pipe.send(("count", unsent))
            unsent = 0
            pipe.send(("block", block))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
    except Exception as error:
        try:
            pipe.send(("error", error))
        except (OSError, TypeError, AttributeError):  # cannot be sent
            pipe.send(("error", WorkerError(f"{type(error).__name__}: {error}")))
