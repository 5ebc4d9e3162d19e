"""Stable-Baselines3 and sb3-contrib: a native `VecEnv` over one batch of games.

    vec = make_sb3_vec_env("schieber", num_envs=256, seed=0, opponents="random")
    MaskablePPO("MultiInputPolicy", vec).learn(100_000)

`env_method("action_masks")` is one array for all games, which is what MaskablePPO asks for at every step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.errors import BidtrickError
from .common import Bools, Encoder, ObsArray, make_game
from .opponents import LearningTable

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        "the Stable-Baselines3 adapter needs stable-baselines3, which is not installed; "
        "install it with: pip install 'bidtrick[sb3]'",
        name="stable_baselines3",
    ) from error

from ..rendering import Renderer

Indices = None | int | Iterable[int]

_TABLE_OPTIONS = ("seat", "opponents", "partner", "illegal_action", "illegal_reward")


class CardVecEnv(VecEnv):
    """N games of one kind; one seat of each learns, policies play the others.

    A finished game begins its next episode within the step: `infos[i]` then holds "terminal_observation" and "hand",
    the report of the hand. An illegal action raises IllegalActionError unless `illegal_action="terminate"`.

    Args:
        game: id of the game.
        num_envs: number of games.
        seed: seed of deals and opponents; None draws one.
        obs_dtype: "float32" or "uint8".
        mask_in_observation: observations are dicts with the mask (for "MultiInputPolicy"); False: arrays
            ("MlpPolicy"). The mask is always available from `action_masks()`.
        canonical: observations, masks and actions in the game's canonical form (`envs.core.symmetry`), if it has one.
        render_mode: None, "ansi", "rgb_array" or "human". open_hands: show all cards in pictures.
        options: `rules`, `episode`, `reward`, `context`, `skip_forced`, `seat`, `opponents`, `partner`,
            `illegal_action`, `illegal_reward` as in `adapters.gymnasium`; others change single rules.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        seed: int | None = None,
        *,
        obs_dtype: str = "float32",
        mask_in_observation: bool = True,
        canonical: bool = False,
        render_mode: str | None = None,
        open_hands: bool = False,
        **options: Any,
    ) -> None:
        table = {name: options.pop(name) for name in _TABLE_OPTIONS if name in options}
        self.game = make_game(game, num_envs, **options)
        self.table = LearningTable(self.game, **table)
        self.encoder = Encoder(self.game.spec, obs_dtype)
        self.renderer = Renderer(render_mode, caption=self.game.spec.title)
        self.mask_in_observation, self.open_hands = mask_in_observation, open_hands
        self._render_mode = render_mode
        self._symmetry = self.game.spec.symmetry if canonical else None
        self._actions: Any = None
        space = self.encoder.observation_space
        super().__init__(num_envs, space if mask_in_observation else space["observation"], self.encoder.action_space)
        self._look()
        self.seed(int(np.random.default_rng().integers(1 << 31)) if seed is None else seed)

    # -- playing

    def reset(self) -> Any:
        """Begin an episode of every game; seed and options given before are used once."""
        seed = self._seeds[0]
        rng = self.table.rng if seed is None else np.random.default_rng(seed)
        self.table.reset(seed, rng, self._stacked_options())
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{"seat": int(seat)} for seat in self.table.seats]
        return self._look()

    def _stacked_options(self) -> dict[str, Any]:
        """Options of the single games (`set_options`) as one array a name."""
        first = self._options[0]
        if any(set(options) != set(first) for options in self._options):
            raise BidtrickError("set_options: all games must be given the same options")
        return {name: np.stack([np.asarray(options[name]) for options in self._options]) for name in first}

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Observations, rewards float32 [N], dones bool [N], infos (one dict a game)."""
        table = self.table
        actions = np.asarray(self._actions)
        if self._symmetry is not None:
            actions = self._symmetry.to_original(actions.astype(np.int64), self._turn)
        rewards, done, illegal = table.step(actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(table.hand_ended):
            infos[game]["hand"] = self.game.result(int(game))
        ended: list[int] = np.flatnonzero(done).tolist()
        if ended:
            last = self._look()
            for game in ended:
                infos[game]["TimeLimit.truncated"] = False
                infos[game]["terminal_observation"] = _row(last, game)
                if illegal[game]:
                    infos[game]["illegal_action"] = True
            table.restart(np.array(ended))
            for game in ended:
                self.reset_infos[game] = {"seat": int(table.seats[game])}
        return self._look(), rewards, done, infos

    def _look(self) -> ObsArray | dict[str, ObsArray]:
        """What the learning seats see now; their masks are kept for `action_masks`."""
        obs, self._masks = self.table.observe(), self.table.masks()
        if self._symmetry is not None:
            seen = self._symmetry.canonical(obs, self._masks, np.zeros((len(obs), 0), np.uint8))
            obs, self._masks, self._turn = seen.obs, seen.mask, seen.turn
        return self.encoder.as_dict(obs, self._masks) if self.mask_in_observation else self.encoder.observation(obs)

    def action_masks(self) -> Bools:
        """Legal actions of all games. bool [N, num_actions]."""
        return self._masks.copy()

    # -- saving

    def state_dict(self) -> dict[str, Any]:
        """Where the games are, between two steps (`LearningTable.state_dict`)."""
        return self.table.state_dict()

    def load_state_dict(self, saved: Mapping[str, Any]) -> Any:
        """Continue from `state_dict()` without a reset. Returns the observation. Raises StateError."""
        self.table.load_state_dict(saved)
        self.reset_infos = [{"seat": int(seat)} for seat in self.table.seats]
        return self._look()

    # -- what SB3 asks of single environments

    def _indices(self, indices: Indices) -> list[int]:
        return [int(i) for i in self._get_indices(indices)]  # pyright: ignore[reportArgumentType]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of single games: "action_masks", "render_mode", the spaces, "game" (the batch)."""
        chosen = self._indices(indices)
        if attr_name == "render_mode":
            return [self._render_mode] * len(chosen)
        if attr_name in ("observation_space", "action_space", "game", "action_masks"):
            return [getattr(self, attr_name)] * len(chosen)
        raise AttributeError(f"{self.game.spec.id} games have no attribute {attr_name!r}")

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        raise AttributeError(f"games of one batch have no attributes of their own; {attr_name!r} cannot be set")

    def env_method(self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any) -> Any:
        """A method of single games: "action_masks" (one array, bool [n, num_actions]) or "render"."""
        chosen = self._indices(indices)
        if method_name == "action_masks":
            masks = self.action_masks()
            return masks if indices is None else masks[chosen]
        if method_name == "render":
            return [self._picture(game) for game in chosen]
        raise AttributeError(f"{self.game.spec.id} games have no method {method_name!r}")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        return [False] * len(self._indices(indices))

    # -- pictures

    def _picture(self, game: int) -> Any:
        scene = self.game.scene(game, seat=int(self.table.seats[game]), open_hands=self.open_hands)
        return self.renderer.render(scene)

    def get_images(self) -> Sequence[np.ndarray | None]:
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        return [self._picture(game) for game in range(self.num_envs)]

    def close(self) -> None:
        self.renderer.close()


def _row(obs: Any, game: int) -> Any:
    return {name: array[game] for name, array in obs.items()} if isinstance(obs, dict) else obs[game]


def make_sb3_vec_env(game: str, num_envs: int = 1, seed: int | None = None, **options: Any) -> CardVecEnv:
    """A vector environment for Stable-Baselines3 (`CardVecEnv` has the options)."""
    return CardVecEnv(game, num_envs, seed, **options)


__all__ = ["CardVecEnv", "make_sb3_vec_env"]
