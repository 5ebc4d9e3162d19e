"""PettingZoo: every game as an AEC environment, and as a parallel one.

`bidtrick.envs.<game>_v<version>` are modules with `env`, `raw_env` and `parallel_env`, made by `modules`
from the class here; nothing in this file knows a game.

* The observation of any agent is its own view; the mask is all zeros unless it is its turn.
* `raw_env` refuses an illegal action with IllegalActionError and changes nothing. `env` adds PettingZoo's
  usual wrappers, of which `TerminateIllegalWrapper` ends the game with -1 for who made an illegal move.
* `infos[agent]["hand"]` is the report of the hand that ended since the agent last acted (contract, base points,
  Weis, Stöck, scores, winner, Schneider …), as plain data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import logger, spaces
from gymnasium.utils import EzPickle, seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from ..core.errors import GameOverError, IllegalActionError
from ..core.rules import Rules
from ..rendering import RENDER_FPS, RENDER_MODES, Renderer
from .common import Encoder, ObsArray, check_seat, make_game

#: Reward of an agent that makes an illegal move in a wrapped environment.
ILLEGAL_REWARD = -1.0


class CardGameEnv(AECEnv[str, Any, Any], EzPickle):
    """One game as an AEC environment.

    Args:
        rules: a preset's name, a mapping of options, or rules; further keywords change single options.
        episode: "hand" or "match".
        reward: "points" or "match".
        context: "start" or "sampled".
        skip_forced: play decisions with one legal action through.
        obs_dtype: "float32" (scaled to about [0, 1]) or "uint8".
        render_mode: None, "human", "ansi" or "rgb_array".
        render_seat: whose cards are seen in pictures.
        open_hands: show all cards in pictures.

    `reset(seed=…)` restarts the deals from that seed; `reset(options=…)` takes the game's reset options (deal, scores,
    dealer …). Without a seed the first reset draws one, later ones go on to the next deal.
    """

    game_id: ClassVar[str]
    metadata: ClassVar[dict[str, Any]]  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(
        self,
        rules: str | Mapping[str, Any] | Rules | None = None,
        *,
        episode: str = "hand",
        reward: str = "points",
        context: str = "start",
        skip_forced: bool = False,
        obs_dtype: str = "float32",
        render_mode: str | None = None,
        render_seat: int = 0,
        open_hands: bool = False,
        **overrides: Any,
    ) -> None:
        AECEnv.__init__(self)  # pyright: ignore[reportUnknownMemberType]
        EzPickle.__init__(
            self, rules, episode=episode, reward=reward, context=context, skip_forced=skip_forced, obs_dtype=obs_dtype,
            render_mode=render_mode, render_seat=render_seat, open_hands=open_hands, **overrides,
        )  # fmt: skip
        self.game = make_game(
            self.game_id, rules=rules, episode=episode, reward=reward, context=context, skip_forced=skip_forced,
            **overrides,
        )  # fmt: skip
        self._single = self.game.single()
        spec = self.game.spec
        self._encoder = Encoder(spec, obs_dtype)
        self._renderer = Renderer(render_mode, caption=spec.title)
        self.render_mode = render_mode
        self.render_seat, self.open_hands = check_seat(spec, "render_seat", render_seat), open_hands
        self.possible_agents = [f"player_{seat}" for seat in range(spec.num_seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            a: self._encoder.new_observation_space() for a in self.possible_agents
        }
        self.action_spaces = {a: self._encoder.new_action_space() for a in self.possible_agents}
        self.state_space = self._state_space()
        self._no_mask = np.zeros(spec.num_actions, np.int8)
        self._seeded = False
        self.agents = []

    # -- spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def _state_space(self) -> spaces.Box:
        width = self.game.state_vector(0).shape[1]
        high = np.ones(width, np.float32)
        high[: self.game.spec.layout.size] = np.float32(255) * self.game.spec.layout.scale
        return spaces.Box(np.zeros(width, np.float32), high, dtype=np.float32)

    # -- playing

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new episode. Raises DealError naming the option that cannot be, changing nothing."""
        # PettingZoo's own conformance tests pass {"options": 1}; every other unknown name is refused.
        options = {name: value for name, value in (options or {}).items() if name != "options"}
        if seed is None and not self._seeded:
            seed = int(seeding.np_random()[0].integers(1 << 31))
        self.game.reset(seed=seed, options=options)
        self._seeded = True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._paid = False
        self._hand_id = int(self.game.state.hand_id[0])
        self._find_player()
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Carry out the action of `agent_selection` (None for an agent that is done).

        Raises: IllegalActionError or GameOverError; nothing is changed then.
        """
        if not self.agents:
            raise GameOverError(f"{self.game.spec.id}: the episode is over; reset the environment")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        rewards = self._single.step(self._action(action))
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {}
        if rewards is not None:
            self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
            self._paid = True
            self._accumulate_rewards()
        elif self._paid:
            self._clear_rewards()
            self._paid = False
        self._find_player()
        hand_id = self.game.state.hand_id.item(0)
        if self._player < 0 or hand_id != self._hand_id:
            self._hand_id = hand_id
            report = self.game.result()
            for name in self.agents:
                self.infos[name] = {"hand": dict(report)}
        if self._player < 0:
            self.terminations = dict.fromkeys(self.agents, True)
        if self.render_mode == "human":
            self.render()

    def _action(self, action: Any) -> int:
        """The action as an int. Raises IllegalActionError for what is no action number at all."""
        if not isinstance(action, int):
            array = np.asarray(action)
            action = array.item() if array.dtype.kind in "iu" and array.size == 1 else action
        if not isinstance(action, int) or action < 0:
            raise IllegalActionError(
                f"{self.game.spec.id}, {self.agent_selection}: {action!r} is no action; "
                f"actions are ints from 0 to {self.game.spec.num_actions - 1}"
            )
        return action

    def _find_player(self) -> None:
        self._player = player = self._single.player
        self.agent_selection = self.possible_agents[max(player, 0)]

    # -- looking

    def observe(self, agent: str) -> dict[str, ObsArray]:
        """The agent's own view and the legal actions, none if it is not its turn."""
        seat = self._seat_of[agent]
        observation = self._encoder.observation(self._single.observe(seat))
        live = seat == self._player and not self.terminations.get(agent, True)
        mask = self._single.mask().view(np.int8) if live else self._no_mask.copy()
        return {"observation": observation, "action_mask": mask}

    def state(self) -> npt.NDArray[np.float32]:
        """Perfect information, seen from seat 0, scaled to about [0, 1]. float32 [S]."""
        vector = self.game.state_vector(0)[0].astype(np.float32)
        vector[: self.game.spec.layout.size] *= self.game.spec.layout.scale
        return vector

    def render(self) -> Any:
        """None (human), a str (ansi), or uint8 [height, width, 3] (rgb_array)."""
        if self.render_mode is None:
            logger.warn("render() was called, but the environment was made without a render_mode")
            return None
        scene = self.game.scene(
            0, seat=self.render_seat, open_hands=self.open_hands, names=self.possible_agents
        )
        return self._renderer.render(scene)

    def close(self) -> None:
        """Close the window of mode "human"; may be called again."""
        self._renderer.close()


def env_class(game: str, version: int) -> type[CardGameEnv]:
    """The `raw_env` of a game."""
    name = f"{game}_v{version}"
    metadata = {
        "name": name,
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        # Agents act one at a time, so the simultaneous conversion would be wrong; see `wrap_parallel`.
        "is_parallelizable": False,
    }
    return type("raw_env", (CardGameEnv,), {"game_id": game, "metadata": metadata, "__doc__": CardGameEnv.__doc__})


def wrap(raw: CardGameEnv) -> AECEnv[str, Any, Any]:
    """A raw environment in the wrappers of PettingZoo's classic games."""
    wrapped = wrappers.TerminateIllegalWrapper(raw, illegal_reward=ILLEGAL_REWARD)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


def wrap_parallel(raw: CardGameEnv) -> Any:
    """A raw environment for the parallel API: every step takes the action of the one agent whose turn it is."""
    return turn_based_aec_to_parallel(wrap(raw))
