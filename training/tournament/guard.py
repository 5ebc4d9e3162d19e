"""Calls of agents that may fail: a failure costs the deal, never the tournament.

An agent *fails* on a decision if it raises an exception, answers with anything but the number of a legal action, or
takes longer than the time for a decision. What it was asked for at once is halved until the decisions at fault are
found, so that it loses these deals and no others.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt

from ...agents.base import Agent

I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

#: Why an agent lost a deal.
KINDS = ("crash", "illegal", "timeout", "died")

#: Answer that stands for a failed decision.
FAILED = -2

#: Decisions asked for at once where time is limited: a decision that hangs holds up no more than these.
AT_ONCE = 32

#: Characters of a message that are kept.
_LENGTH = 200


@dataclass(frozen=True)
class Failure:
    """A decision on which an agent failed. game: row of the batch. kind: one of KINDS."""

    agent: int
    game: int
    seat: int
    kind: str
    message: str


class _TimeUp(BaseException):
    """Raised inside a call that takes too long (a BaseException, so that an agent does not swallow it)."""


@dataclass
class Guard:
    """Watches over the calls of agents.

    seconds: time for one decision, None for no limit (needs the main thread of a process with SIGALRM).
    calling: told (agent, seconds that the call may take) before and (-1, 0) after each call.
    dead: agents that ended the process when they were asked here before; they fail on every decision.
    """

    seconds: float | None = None
    calling: Callable[[int, float], None] | None = None
    dead: frozenset[int] = frozenset()
    failures: list[Failure] = field(default_factory=list[Failure])
    #: agent → seconds of this process's CPU time that it took, and decisions that it was asked for with a choice
    spent: dict[int, tuple[float, int]] = field(default_factory=dict[int, tuple[float, int]])

    def act(
        self, number: int, agent: Agent, obs: Any, mask: Bools, rng: np.random.Generator, games: I64, seats: I64
    ) -> I64:
        """The agent's answers; FAILED where it has none that is legal, which is noted.

        Args:
            number: of the agent. games, seats: int [n], where the rows come from, for the notes.
        """
        answers = np.full(len(mask), FAILED, np.int64)
        if number in self.dead:
            for row in range(len(mask)):
                self._fail(number, games[row], seats[row], "died", "the process ended while the agent was asked")
            return answers
        size = len(mask)
        if not getattr(agent, "batched", True):
            size = 1
        elif self.seconds is not None:
            size = min(size, AT_ONCE)
        waiting = [np.arange(start, min(start + size, len(mask))) for start in range(0, len(mask), size)]
        while waiting:
            rows = waiting.pop(0)
            whole = len(rows) == len(mask)
            given = (obs, mask) if whole else (obs[rows], mask[rows])
            kind, got = self._ask(number, agent, *given, rng)
            if isinstance(got, str):
                if len(rows) > 1 and kind != "illegal":
                    middle = len(rows) // 2
                    waiting[:0] = [rows[:middle], rows[middle:]]
                    continue
                for row in rows:
                    self._fail(number, games[row], seats[row], kind, got)
                continue
            inside = (got >= 0) & (got < mask.shape[1])
            legal = inside & mask[rows, np.where(inside, got, 0)]
            answers[rows[legal]] = got[legal]
            for k in np.flatnonzero(~legal):
                name = agent.spec.actions[got[k]] if inside[k] else "no action of this game"
                self._fail(number, games[rows[k]], seats[rows[k]], "illegal", f"answered {got[k]} ({name})")
        return answers

    def _fail(self, agent: int, game: Any, seat: Any, kind: str, message: str) -> None:
        self.failures.append(Failure(agent, int(game), int(seat), kind, message[:_LENGTH]))

    def _ask(
        self, number: int, agent: Agent, obs: Any, mask: Bools, rng: np.random.Generator
    ) -> tuple[str, I64 | str]:
        """("", answers as int64 [n]) or (kind of failure, message)."""
        limit = None if self.seconds is None else self.seconds * len(mask)
        if self.calling is not None:
            self.calling(number, limit or 0.0)
        began = time.process_time()
        try:
            with _limited(limit):
                got = agent.act(obs, mask, rng)
        except _TimeUp:
            return "timeout", f"took more than {self.seconds:g} s for a decision"
        except (Exception, SystemExit) as error:
            return "crash", f"{type(error).__name__}: {error}"
        finally:
            seconds, decisions = self.spent.get(number, (0.0, 0))
            choices = int((np.count_nonzero(mask, axis=1) > 1).sum())
            self.spent[number] = seconds + time.process_time() - began, decisions + choices
            if self.calling is not None:
                self.calling(-1, 0.0)
        try:
            answers = np.asarray(got)
        except (ValueError, TypeError):
            answers = np.empty(0, object)
        if answers.shape != (len(mask),) or answers.dtype.kind not in "iu":
            return "illegal", f"answered {answers.dtype}{list(answers.shape)}, must be int{[len(mask)]}"
        return "", answers.astype(np.int64)


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Raise _TimeUp inside the block after this time."""
    if seconds is None or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def up(number: int, frame: FrameType | None) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, up)
    try:
        # repeated, in case the first one is raised where it is lost (a destructor)
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), 1.0)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
