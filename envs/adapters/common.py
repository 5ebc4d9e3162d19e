"""What all adapters share: making a game from keyword options, spaces, observations as dicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ..core.bits import U8
from ..core.errors import BidtrickError
from ..core.game import BatchedGame, one_of
from ..core.rules import Rules
from ..core.spec import GameSpec
from ..registry import game_class
from .policies import Opponent, as_policy

ObsDtype = Literal["float32", "uint8"]
ObsArray = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]

OBS_DTYPES = ("float32", "uint8")


def make_game(
    game: str,
    num_games: int = 1,
    *,
    rules: str | Mapping[str, Any] | Rules | None = None,
    episode: str = "hand",
    reward: str = "points",
    context: str = "start",
    skip_forced: bool = False,
    phase: str = "full",
    autopilot: Opponent | None = None,
    **overrides: Any,
) -> BatchedGame[Any]:
    """A batch without automatic resets; further keywords change single rules, e.g. `target=1000`.

    With `phase="bidding"` or `phase="play"` the `autopilot` (an agent's name, by default "heuristic", an agent or a
    function) plays the other part of each hand.

    Raises: UnknownNameError, RulesError or BidtrickError naming what is not allowed.
    """
    cls = game_class(game)
    made = cls.rules_class.make(rules, **overrides)
    if phase != "full" and autopilot is None:
        autopilot = "heuristic"
    return cls(
        made,
        num_games=num_games,
        episode=episode,
        reward=reward,
        context=context,
        skip_forced=skip_forced,
        phase=phase,
        autopilot=None if autopilot is None else as_policy(autopilot, cls(made).spec),
    )


class Encoder:
    """Observations and masks as consumers want them, and the spaces they lie in.

    Attributes:
        dtype: "float32" (scaled to about [0, 1] by the layout) or "uint8" (as the engine writes them).
        observation_space: Dict(observation [D], action_mask int8 [num_actions]).
        action_space: Discrete(num_actions).
    """

    def __init__(self, spec: GameSpec, dtype: str = "float32") -> None:
        self.spec, self.dtype = spec, one_of("obs_dtype", dtype, OBS_DTYPES)
        self._scale = spec.layout.scale
        self.observation_space = self.new_observation_space()
        self.action_space = self.new_action_space()

    def new_observation_space(self) -> spaces.Dict:
        """A new space object (agents seed theirs separately)."""
        size = self.spec.layout.size
        if self.dtype == "uint8":
            box = spaces.Box(0, 255, (size,), np.uint8)
        else:
            # The highest value that a byte can become; the usual range is [0, 1].
            box = spaces.Box(np.zeros(size, np.float32), np.float32(255) * self._scale, dtype=np.float32)
        mask = spaces.Box(0, 1, (self.spec.num_actions,), np.int8)
        return spaces.Dict({"observation": box, "action_mask": mask})

    def new_action_space(self) -> spaces.Discrete[Any]:
        return spaces.Discrete(self.spec.num_actions)

    def observation(self, obs: U8) -> ObsArray:
        """uint8 [..., D] as the engine writes it → a new array of `dtype`."""
        return obs * self._scale if self.dtype == "float32" else obs.copy()

    def as_dict(self, obs: U8, mask: Bools) -> dict[str, ObsArray]:
        """uint8 [..., D] and bool [..., num_actions] → the dict of new arrays that adapters hand out."""
        return {"observation": self.observation(obs), "action_mask": mask.astype(np.int8)}


def check_seat(spec: GameSpec, name: str, seat: int | None) -> int | None:
    """A seat number or None. Raises BidtrickError naming the argument."""
    if seat is not None and not (isinstance(seat, int | np.integer) and 0 <= seat < spec.num_seats):
        raise BidtrickError(f"{spec.id}: {name}={seat!r} is not allowed; allowed: 0..{spec.num_seats - 1}")
    return seat


def title_of(game: str) -> str:
    """The game's id as Gymnasium writes it: "schieber" → "Schieber"."""
    return "".join(part.capitalize() for part in game.split("_"))
