"""Gymnasium: `Env` (one learning seat, policies play the others) and a native `VectorEnv` over one batch.

    gym.make("bidtrick/Schieber-v0", opponents="random")
    gym.make_vec("bidtrick/Schieber-v0", num_envs=1024)

Observations are dicts of "observation" and "action_mask"; `action_masks()` gives the mask as bools. An illegal action
ends the episode with `illegal_reward` and `info["illegal_action"]` by default, since Gymnasium's own tools sample
actions without a mask; `illegal_action="raise"` refuses it with IllegalActionError instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import logger
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..core.errors import BidtrickError, GameOverError
from ..core.rules import Rules
from ..rendering import RENDER_FPS, RENDER_MODES, Renderer
from .common import Bools, Encoder, ObsArray, make_game
from .opponents import LearningTable, Opponent, Opponents

Obs = dict[str, ObsArray]


class _Base:
    """What `Env` and `VectorEnv` share: the table, its options, and pictures.

    Args:
        game: id of the game.
        num_envs: number of games.
        rules: a preset's name, a mapping of options, or rules; further keywords change single options.
        episode: "hand" or "match". reward: "points" or "match". context: "start" or "sampled".
        seat: the learning seat, or "random" for another one each episode.
        opponents: who plays the other seats: the name of an agent, an agent, a function (observations uint8 [n, D],
            masks bool [n, num_actions], rng) -> actions [n]; or a list of these in playing order after the learning
            seat.
        partner: the same for the partner alone, in games with fixed partners.
        obs_dtype: "float32" (scaled to about [0, 1]) or "uint8".
        illegal_action: "terminate" or "raise".
        illegal_reward: reward of an illegal action that terminates the episode.
        render_mode: None, "human", "ansi" or "rgb_array". open_hands: show all cards in pictures.
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        *,
        rules: str | Mapping[str, Any] | Rules | None = None,
        episode: str = "hand",
        reward: str = "points",
        context: str = "start",
        skip_forced: bool = False,
        seat: int | str = 0,
        opponents: Opponents = "random",
        partner: Opponent | None = None,
        obs_dtype: str = "float32",
        illegal_action: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        open_hands: bool = False,
        **overrides: Any,
    ) -> None:
        self.game = make_game(
            game, num_envs, rules=rules, episode=episode, reward=reward, context=context, skip_forced=skip_forced,
            **overrides,
        )  # fmt: skip
        self.table = LearningTable(
            self.game, seat=seat, opponents=opponents, partner=partner, illegal_action=illegal_action,
            illegal_reward=illegal_reward,
        )  # fmt: skip
        self.encoder = Encoder(self.game.spec, obs_dtype)
        self.renderer = Renderer(render_mode, caption=self.game.spec.title)
        self.open_hands = open_hands
        self._begun = False

    def begin(self, seed: int | None, rng: np.random.Generator, options: Mapping[str, Any] | None) -> None:
        """Restart the deals from the seed; the first time without one, from a number of the generator."""
        if seed is None and not self._begun:
            seed = int(rng.integers(1 << 31))
        self.table.reset(seed, rng, options)
        self._begun = True

    def picture(self, index: int) -> Any:
        return self.renderer.render(
            self.game.scene(index, seat=int(self.table.seats[index]), open_hands=self.open_hands)
        )


class Env(gymnasium.Env[Any, Any]):
    """One game as a Gymnasium environment (`_Base` has the arguments).

    `reset(seed=…)` restarts the deals from that seed; `reset(options=…)` takes the game's reset options (deal, scores,
    dealer, game_id …). `info["seat"]` is the learning seat; `info["hand"]` is the report of a hand that ended.
    """

    metadata: ClassVar[dict[str, Any]] = {  # pyright: ignore[reportIncompatibleVariableOverride]
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(self, game: str, *, render_mode: str | None = None, **options: Any) -> None:
        self._base = _Base(game, 1, render_mode=render_mode, **options)
        self.render_mode = render_mode
        self.observation_space = self._base.encoder.observation_space
        self.action_space = self._base.encoder.action_space

    @property
    def game(self) -> Any:
        """The batch of one game behind the environment."""
        return self._base.game

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Obs, dict[str, Any]]:
        super().reset(seed=seed)
        self._base.begin(seed, self.np_random, options)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Obs, float, bool, bool, dict[str, Any]]:
        """The action, then the opponents' answers, up to the next decision of the learning seat.

        Raises: GameOverError after the end; IllegalActionError with `illegal_action="raise"`; nothing is changed then.
        """
        if self._base.table.done[0]:
            raise GameOverError(f"{self.game.spec.id}: the episode is over; reset the environment")
        rewards, done, illegal = self._base.table.step(np.asarray(action).reshape(1))
        info = self._info()
        if illegal[0]:
            info["illegal_action"] = True
        if self.render_mode == "human":
            self.render()
        return self._observation(), float(rewards[0]), bool(done[0]), False, info

    def action_masks(self) -> Bools:
        """Legal actions of the learning seat. bool [num_actions]."""
        return self._base.table.masks()[0]

    def _observation(self) -> Obs:
        table = self._base.table
        return self._base.encoder.as_dict(table.observe()[0], table.masks()[0])

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"seat": int(self._base.table.seats[0])}
        if self._base.table.hand_ended[0]:
            info["hand"] = self._base.game.result()
        return info

    def render(self) -> Any:
        """None (human), a str (ansi), or uint8 [height, width, 3] (rgb_array)."""
        if self.render_mode is None:
            logger.warn("render() was called, but the environment was made without a render_mode")
            return None
        return self._base.picture(0)

    def close(self) -> None:
        self._base.renderer.close()


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """N games in one batch as a Gymnasium vector environment (`_Base` has the arguments).

    autoreset_mode: `SAME_STEP` (default): a finished game begins its next episode within the step, so every mask
    that is handed out has a legal action; the last observation is in `infos["final_obs"]`, the last info in
    `infos["final_info"]`. `NEXT_STEP`: the step after ignores the action and begins the next episode; the finished
    observation has an all-zero mask. `DISABLED`: `reset(options={"reset_mask": bool [N]})` does it.

    Game i of `reset(seed=s)` is dealt as `Env.reset(seed=s, options={"game_id": i})`. Infos are dicts of arrays with
    the masks that Gymnasium expects: "seat" int64 [N], "hand" a dict of the game's report where a hand has ended.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **options: Any,
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self._base = _Base(game, num_envs, render_mode=render_mode, **options)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.num_envs, self.render_mode = num_envs, render_mode
        self.single_observation_space = self._base.encoder.observation_space
        self.single_action_space = self._base.encoder.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._finished = np.zeros(num_envs, np.bool_)

    @property
    def game(self) -> Any:
        """The batch behind the environments."""
        return self._base.game

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Obs, dict[str, Any]]:
        """Begin an episode of every game, or of those in `options["reset_mask"]` (bool [N]).

        Raises: DealError naming an option that cannot be; nothing is changed then.
        """
        super().reset(seed=seed)
        if options is not None and "reset_mask" in options:
            self._base.table.restart(np.flatnonzero(self._reset_mask(seed, options)))
        else:
            self._base.begin(seed, self.np_random, options)
        self._finished = self._base.table.done
        return self._observation(), self._info(np.ones(self.num_envs, np.bool_))

    def _reset_mask(self, seed: int | None, options: dict[str, Any]) -> Bools:
        mask = options["reset_mask"]
        fits = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (self.num_envs,) and mask.any()
        if not fits or len(options) > 1 or seed is not None:
            raise BidtrickError(
                f"reset_mask must be bool [{self.num_envs}] with a True value, without seed and other options"
            )
        return mask

    def step(self, actions: Any) -> tuple[Obs, Any, Any, Any, dict[str, Any]]:
        """Rewards float32 [N], terminations and truncations bool [N] (no episode is ever truncated)."""
        table, mode = self._base.table, self.autoreset_mode
        if mode is AutoresetMode.DISABLED and self._finished.any():
            raise BidtrickError(
                f"{self.game.spec.id}: game {int(np.argmax(self._finished))} is finished; reset it with reset_mask"
            )
        rewards, done, illegal = table.step(actions)
        infos: dict[str, Any] = {}
        if mode is AutoresetMode.SAME_STEP and done.any():
            infos = self._final(done, illegal)
            illegal = illegal & ~done
            table.restart(np.flatnonzero(done))
        elif mode is AutoresetMode.NEXT_STEP:
            table.restart(np.flatnonzero(self._finished))
        self._finished = table.done
        infos |= self._info(np.ones(self.num_envs, np.bool_), table.hand_ended, illegal)
        return self._observation(), rewards, done, np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> Bools:
        """Legal actions of the learning seats. bool [N, num_actions]."""
        return self._base.table.masks()

    def _observation(self) -> Obs:
        return self._base.encoder.as_dict(self._base.table.observe(), self._base.table.masks())

    def _info(self, shown: Bools, hands: Bools | None = None, illegal: Bools | None = None) -> dict[str, Any]:
        """Infos of the games in `shown`, with the reports of those in `hands`."""
        info: dict[str, Any] = {"seat": self._base.table.seats * shown, "_seat": shown.copy()}
        if hands is not None and hands.any():
            report: dict[str, Any] = {}
            for name, values in self.game.report().items():
                report[name] = np.where(hands.reshape(-1, *[1] * (values.ndim - 1)), values, np.zeros((), values.dtype))
                report[f"_{name}"] = hands.copy()
            info |= {"hand": report, "_hand": hands.copy()}
        if illegal is not None and illegal.any():
            info |= {"illegal_action": illegal.copy(), "_illegal_action": illegal.copy()}
        return info

    def _final(self, done: Bools, illegal: Bools) -> dict[str, Any]:
        """The last observations and infos of the games that end in this step (before they begin again)."""
        obs = self._observation()
        final = np.full(self.num_envs, None, dtype=object)
        for game in np.flatnonzero(done):
            final[game] = {name: array[game].copy() for name, array in obs.items()}
        info = self._info(done, self._base.table.hand_ended & done, illegal & done)
        return {"final_obs": final, "_final_obs": done.copy(), "final_info": info, "_final_info": done.copy()}

    def render(self) -> tuple[Any, ...] | None:
        """One picture a game; None in mode "human", which shows the first game."""
        if self.render_mode is None:
            logger.warn("render() was called, but the environment was made without a render_mode")
            return None
        if self.render_mode == "human":
            self._base.picture(0)
            return None
        return tuple(self._base.picture(game) for game in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        self._base.renderer.close()


__all__ = ["Env", "VectorEnv"]

