"""Agents for the tests of tournaments, named tournament_agents:NAME there."""

import contextlib
import os
import signal
import time

import numpy as np

from bidtrick.agents.base import Agent


class First(Agent):
    """Plays the legal action with the lowest number."""

    def act(self, obs, mask, rng):
        return np.argmax(mask, axis=1)


class Last(Agent):
    """Plays the legal action with the highest number."""

    def act(self, obs, mask, rng):
        return mask.shape[1] - 1 - np.argmax(mask[:, ::-1], axis=1)


class Picky(Agent):
    """Raises an error when it may choose among more than 9 actions, of any row of the batch."""

    def act(self, obs, mask, rng):
        if (mask.sum(axis=1) > 9).any():
            raise ValueError("too many actions to choose from")
        return np.argmax(mask, axis=1)


class Cheat(Agent):
    """Answers 0 whatever is legal."""

    def act(self, obs, mask, rng):
        return np.zeros(len(mask), np.int64)


class Shapeless(Agent):
    """Answers one number for all."""

    def act(self, obs, mask, rng):
        return 3.5


class Dies(Agent):
    """Ends its process."""

    def act(self, obs, mask, rng):
        os.kill(os.getpid(), signal.SIGKILL)
        return np.zeros(len(mask), np.int64)


class Deaf(Agent):
    """Hangs where no signal reaches it."""

    def act(self, obs, mask, rng):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        while True:
            time.sleep(0.05)


def first(obs, mask):
    """The same as First, one decision a call."""
    return int(np.argmax(mask))


def policy(observation):
    """The same, as a policy in PettingZoo's style."""
    assert observation["observation"].dtype == np.float32
    return int(np.argmax(observation["action_mask"]))


def batched(obs, mask):
    return np.argmax(mask, axis=1)


batched.batched = True


class Policy:
    def __call__(self, obs, mask):
        return np.argmax(mask)


def hangs(obs, mask):
    """Hangs on some of its decisions, and would swallow any error."""
    while mask.sum() > 4:
        with contextlib.suppress(Exception):
            time.sleep(0.01)
    return int(np.argmax(mask))


def slow(obs, mask):
    time.sleep(0.0005)
    return int(np.argmax(mask))


NOTHING = 3
