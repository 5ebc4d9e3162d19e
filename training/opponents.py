"""Who else plays in a training run: named agents and past selves, drawn by how they fare against the learner.

Prioritised fictitious self-play after AlphaStar (Vinyals et al. 2019): with p the learner's share of won episodes
against an opponent, "hard" draws it with a weight of (1 - p)^exponent, "even" with p(1 - p). The results are those of
the rollouts themselves. A draw is a function of (seed, game, hand), so that a resumed run makes the same ones.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..agents.base import Agent
from ..agents.neural.agent import NeuralAgent
from ..agents.neural.network import PolicyValueNet
from ..envs.core import deals
from ..envs.core.game import BatchedGame
from .config import ConfigError, setting
from .tournament.seating import seatings

Bools = npt.NDArray[np.bool_]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

DRAWS = ("fixed", "uniform", "hard", "even")

#: Stream of the counter-based numbers that draw an opponent (core.deals has the lowest ones, the adapters 16).
OPPONENT_STREAM = 17

#: Drawn episodes that an opponent's record is begun with: one that is hardly known counts as even.
PRIOR = 10.0


@dataclass(frozen=True)
class OpponentSettings:
    agents: tuple[str, ...] = setting(("heuristic",), "agents that play one side of some games")
    share: float = setting(0.0, "part of the games that have such an opponent; the others are self-play", low=0)


@dataclass(frozen=True)
class PoolSettings(OpponentSettings):
    snapshots: int = setting(0, "past selves that are opponents too, the newest so many; 0 for none", low=0)
    snapshot_every: int = setting(25, "iterations between two past selves", low=1)
    draw: str = setting(
        "fixed",
        "which opponent: fixed (a named agent keeps its games), or drawn for each episode: uniform (all alike), hard "
        "(those that win against the learner), even (those of its strength)",
        choices=DRAWS,
    )
    exponent: float = setting(2.0, "of the weight (1 - p)^exponent of hard opponents; p: share the learner wins", low=0)
    memory: float = setting(0.9, "part of the results that is kept from one iteration to the next", low=0)
    alone: bool = setting(
        False, "the network has one side only where it meets an opponent, never all but one (games of more sides)"
    )


def check_settings(settings: OpponentSettings) -> None:
    """Raises ConfigError naming the setting and what it may be."""
    if not 0 <= settings.share <= 1:
        raise ConfigError(f"opponents.share={settings.share} is not allowed; allowed: from 0 to 1")
    if not isinstance(settings, PoolSettings):
        return
    if settings.memory > 1:
        raise ConfigError(f"opponents.memory={settings.memory} is not allowed; allowed: from 0 to 1")
    if settings.snapshots and (settings.draw == "fixed" or not settings.share):
        raise ConfigError(
            f"opponents.snapshots={settings.snapshots} needs games to play in: opponents.share above 0 "
            f"(it is {settings.share}) and opponents.draw of 'uniform' | 'hard' | 'even' (it is {settings.draw!r})"
        )
    if settings.share and not settings.agents and not settings.snapshots:
        raise ConfigError("opponents.agents is empty; name an agent, or set opponents.share to 0")


class Opponents:
    """Other agents at some seats of the first `share` of the games, and what came of it.

    Their seatings are those of a duplicate pair: the network has one side and an agent the others, for every side; with
    more than two sides in as many games the agent has one side and the network the others, unless `alone` is set.

    Args:
        games: the batch that they sit at.
        agents: the named agents.
        settings: the share, and how opponents are drawn.
        seed: seed of the draws.
        spare: untrained networks for the past selves, one each; none without snapshots.

    Attributes:
        agents: the named agents, then the past selves.
        places: bool [N, seats], seats that the opponent has.
        number: int64 [N], number of the opponent in `agents`, -1 for none.
        episodes, wins, margins: float64 [agents], fading results: how many, how many the learner won (a draw is half a
            win), its margin of reward (the mean of its seats less that of the opponent's) summed.
    """

    def __init__(
        self,
        games: BatchedGame[Any],
        agents: Sequence[Agent],
        settings: OpponentSettings,
        seed: int = 0,
        spare: Sequence[PolicyValueNet] = (),
    ) -> None:
        plain = not isinstance(settings, PoolSettings)
        self.settings = PoolSettings(settings.agents, settings.share) if plain else settings
        self.spec, self.seed, self.named = games.spec, seed, len(agents)
        selves = [NeuralAgent("", games.spec, net) for net in spare]
        self.agents: list[Agent] = [*agents, *selves]
        self.known = np.array([True] * len(agents) + [False] * len(selves))  # a slot without a past self yet is empty
        layouts = np.array(seatings(games.spec.teams))
        if self.settings.alone:
            layouts = layouts[: len(set(games.spec.teams))]
        count = round(settings.share * games.num_games)
        rows = np.arange(count)
        self.places = np.zeros((games.num_games, games.spec.num_seats), np.bool_)
        self.places[:count] = layouts[rows % len(layouts)] == 1
        self.number = np.full(games.num_games, -1, np.int64)
        if agents:
            self.number[:count] = (rows // len(layouts)) % len(agents)
        self.paid = np.zeros((games.num_games, games.spec.num_seats), np.float32)
        self.episodes, self.wins, self.margins = (np.zeros(len(self.agents)) for _ in range(3))
        if self.settings.draw != "fixed":
            self._draw(games, rows)

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """Number of the agent at each seat, -1 for the network. int64 [N, seats]."""
        return np.where(self.places, self.number[:, None], -1)

    # While games are played.

    def note(self, games: BatchedGame[Any], reward: F32, done: Bools) -> None:
        """Count the results of episodes that have ended, and draw who plays the next ones.

        Args:
            games: after the step (their next episodes have begun). reward: float32 [N, seats]. done: bool [N].
        """
        self.paid += reward
        rows = np.flatnonzero(done & self.places.any(axis=1))
        met = rows[self.number[rows] >= 0]
        if len(met):
            theirs, paid, number = self.places[met], self.paid[met], self.number[met]
            margin = (paid * ~theirs).sum(axis=1) / (~theirs).sum(axis=1)
            margin -= (paid * theirs).sum(axis=1) / theirs.sum(axis=1)
            size = len(self.agents)
            self.episodes += np.bincount(number, minlength=size)
            self.wins += np.bincount(number, np.where(margin > 0, 1.0, np.where(margin == 0, 0.5, 0.0)), size)
            self.margins += np.bincount(number, margin, size)
        self.paid[done] = 0
        if self.settings.draw != "fixed":
            self._draw(games, rows)

    def _draw(self, games: BatchedGame[Any], rows: npt.NDArray[np.int64]) -> None:
        if not self.known.any() or not len(rows):
            return
        state = games.state
        keys = deals.stream_keys(self.seed, state.game_id[rows], state.hand_id[rows], OPPONENT_STREAM)
        even = (deals.numbers(keys, 1)[:, 0] >> np.uint64(11)) * 2.0**-53
        ends = np.cumsum(self.chances())
        self.number[rows] = np.searchsorted(ends / ends[-1], even, side="right")

    def chances(self) -> F64:
        """How probable each opponent is at the next draw. float64 [agents]."""
        p = (self.wins + PRIOR / 2) / (self.episodes + PRIOR)
        weights = {
            "hard": (1 - p) ** self.settings.exponent,
            "even": p * (1 - p),
        }.get(self.settings.draw, np.ones(len(p)))
        weights = np.where(self.known, weights, 0.0)
        return weights / weights.sum() if weights.sum() else self.known / max(1, self.known.sum())

    # Between iterations.

    def end_iteration(self, iteration: int, average: PolicyValueNet) -> dict[str, float]:
        """Take in a past self when it is time, and let old results fade. Returns the numbers to log.

        A new past self takes the place of the oldest when there is no empty one; games that are under way against that
        one go on against the new one.
        """
        logs: dict[str, float] = {}
        chances = self.chances()
        for number, agent in enumerate(self.agents):
            if self.episodes[number]:
                logs[f"opponents/{agent.name}_won"] = float(self.wins[number] / self.episodes[number])
                margin = self.margins[number] / self.episodes[number] * self.spec.reward_scale
                logs[f"opponents/{agent.name}_margin"] = float(margin)
            if self.settings.draw != "fixed" and self.known[number]:
                logs[f"opponents/{agent.name}_chance"] = float(chances[number])
        for results in (self.episodes, self.wins, self.margins):
            results *= self.settings.memory
        settings = self.settings
        if settings.snapshots and iteration % settings.snapshot_every == 0:
            slot = self.named + (iteration // settings.snapshot_every - 1) % settings.snapshots
            self._seat_self(slot, f"self-{iteration:06d}", average.state_dict())
        return logs

    def _seat_self(self, slot: int, name: str, weights: Mapping[str, Tensor]) -> None:
        agent = self.agents[slot]
        assert isinstance(agent, NeuralAgent)
        agent.name = name
        agent.net.load_state_dict(dict(weights))
        self.known[slot] = True
        self.episodes[slot] = self.wins[slot] = self.margins[slot] = 0

    # Saving.

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What a resumed run needs: tensors, and plain data for JSON."""
        arrays = (self.number, self.paid, self.episodes, self.wins, self.margins)
        tensors = {
            name: torch.from_numpy(array.copy())
            for name, array in zip(("number", "paid", "episodes", "wins", "margins"), arrays, strict=True)
        }
        names: dict[str, str] = {}
        for slot in np.flatnonzero(self.known[self.named :]) + self.named:
            agent = self.agents[slot]
            assert isinstance(agent, NeuralAgent)
            names[str(slot)] = agent.name
            tensors |= {f"self.{slot}.{name}": tensor.cpu() for name, tensor in agent.net.state_dict().items()}
        return tensors, {"selves": names}

    def load_state(self, tensors: Mapping[str, Tensor], plain: Mapping[str, Any]) -> None:
        """Continue from `state`. Raises KeyError, ValueError or RuntimeError."""
        for slot, name in plain["selves"].items():
            start = f"self.{slot}."
            found = {key.removeprefix(start): tensor for key, tensor in tensors.items() if key.startswith(start)}
            self._seat_self(int(slot), name, found)
        for name in ("number", "paid", "episodes", "wins", "margins"):
            getattr(self, name)[...] = tensors[name].numpy()


def seat_opponents(
    games: BatchedGame[Any],
    agents: Sequence[Agent],
    settings: OpponentSettings,
    seed: int = 0,
    net: PolicyValueNet | None = None,
) -> Opponents | None:
    """The opponents of a run, None without any. `net`: what past selves are made like, if the settings want some.

    Raises: ConfigError if the settings cannot be.
    """
    check_settings(settings)
    if not settings.share:
        return None
    count = settings.snapshots if isinstance(settings, PoolSettings) else 0
    spare = [copy.deepcopy(net).requires_grad_(False) for _ in range(count)] if net is not None else []
    return Opponents(games, agents, settings, seed, spare)
