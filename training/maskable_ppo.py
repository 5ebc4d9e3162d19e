"""MaskablePPO of sb3-contrib through the vector environment: the recipe that users of Stable-Baselines3 know.

One seat of each game learns, drawn anew for every episode; the other seats are played by a frozen copy of the newest
policy (self-play) and, in some games, by named agents. The file reads top to bottom: settings, environment, model,
one iteration, and what a resumed run needs. What it learns is saved as every script's network is, so that a checkpoint
plays without Stable-Baselines3.

Stable-Baselines3 draws from the global generators of NumPy and torch. Here they are set for each iteration from the
seed and the iteration's number, and given back afterwards; so a resumed run ends with the same weights, and nothing
else in the program notices.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..agents.neural.agent import NeuralAgent
from ..agents.neural.network import NetworkConfig, PolicyValueNet
from ..agents.registry import make_agent
from ..envs.core.game import BatchedGame
from ..envs.core.spec import GameSpec
from ..envs.registry import make_batch
from . import learner
from .config import ConfigError, setting
from .learner import Learner, LearnerConfig, NetworkSettings
from .opponents import OpponentSettings
from .rollout import Rollout
from .tournament.seating import seatings


@dataclass(frozen=True)
class MaskableNetworkSettings(NetworkSettings):
    critic: str = setting("separate", "SB3's policies have layers of their own for the value", choices=("separate",))


@dataclass(frozen=True)
class MaskableOpponentSettings(OpponentSettings):
    agents: tuple[str, ...] = setting(("heuristic",), "agents that play the other sides of some games")
    share: float = setting(0.5, "part of the games against these agents; the others are against a copy", low=0)
    refresh: int = setting(1, "iterations until the frozen copy is made anew from the newest policy", low=1)


@dataclass(frozen=True)
class MaskablePPOConfig(LearnerConfig):
    """Settings of a MaskablePPO run; in brackets what sb3-contrib calls them."""

    algorithm: str = setting("maskable_ppo", "the training script", choices=("maskable_ppo",))
    num_games: int = setting(256, "games played at once [n_envs]", low=1)
    steps: int = setting(64, "decisions of each game in one iteration [n_steps]", low=2)
    minibatch: int = setting(4096, "decisions of one gradient step [batch_size]", low=2)
    epochs: int = setting(4, "passes over each iteration's decisions [n_epochs]", low=1)
    gamma: float = setting(1.0, "discount from one decision of a seat to its next [gamma]", low=0)
    gae_lambda: float = setting(0.95, "λ of the advantage estimates [gae_lambda]", low=0)
    clip: float = setting(0.2, "range of the probability ratio [clip_range]", low=0)
    clip_value: float | None = setting(None, "range of the value's change, none for no clipping [clip_range_vf]", low=0)
    normalize_advantage: bool = setting(True, "advantages of a minibatch are standardised [normalize_advantage]")
    value_coef: float = setting(0.5, "weight of the value loss [vf_coef]", low=0)
    entropy_coef: float = setting(0.01, "weight of the entropy bonus at the start [ent_coef]", low=0)
    final_entropy_coef: float = setting(0.001, "weight of the entropy bonus at the end", low=0)
    target_kl: float | None = setting(None, "stop an iteration's epochs at 1.5 times this mean KL [target_kl]", low=0)
    precision: str = setting("float32", "SB3 computes in single precision", choices=("float32",))
    network: MaskableNetworkSettings = field(default_factory=MaskableNetworkSettings)
    opponents: MaskableOpponentSettings = field(default_factory=MaskableOpponentSettings)


#: Numbers that sb3-contrib logs, as the other scripts call them.
LOGGED = {
    "train/policy_gradient_loss": "policy/loss",
    "train/entropy_loss": "policy/entropy",  # the negative of it
    "train/approx_kl": "policy/kl",
    "train/clip_fraction": "policy/clip_fraction",
    "train/value_loss": "value/loss",
    "train/explained_variance": "value/explained_variance",
}


class Trainer(Learner[MaskablePPOConfig]):
    """A MaskablePPO run. vec: the environment. model: the MaskablePPO. copy: who plays the seats that do not learn."""

    def __init__(self, config: MaskablePPOConfig) -> None:
        if find_spec("sb3_contrib") is None:
            raise ConfigError(
                "algorithm='maskable_ppo' needs sb3-contrib, which is not installed; "
                "install it with: pip install 'bidtrick[sb3]'"
            )
        if config.opponents.share and not config.opponents.agents:
            raise ConfigError("opponents.agents is empty; name an agent, or set opponents.share to 0")
        super().__init__(config)

    # The environment and the model.

    def make_games(self) -> BatchedGame[Any]:
        """One learning seat a game; the others are the copy's, and in part of the games the named agents'."""
        from ..envs.adapters.opponents import Lineup
        from ..envs.adapters.sb3 import make_sb3_vec_env

        config, settings = self.config, self.config.opponents
        spec = make_batch(config.game, rules=config.rules).spec
        self.copy = NeuralAgent("copy", spec, PolicyValueNet(spec, network_config(config)), greedy=False)
        lineups = [Lineup(self.copy, weight=1 - settings.share)]
        places = places_of_others(spec)
        for agent in [make_agent(name, spec) for name in settings.agents] if settings.share else []:
            weight = settings.share / len(settings.agents) / len(places)
            lineups += [Lineup([agent if other else self.copy for other in row], weight=weight) for row in places]
        self.vec = make_sb3_vec_env(
            config.game,
            config.num_games,
            config.seed,
            mask_in_observation=False,
            canonical=config.network.symmetry,
            rules=config.rules,
            episode=config.episode,
            context=config.context,
            reward=config.reward,
            skip_forced=config.skip_forced,
            phase=config.phase,
            autopilot=self.autopilot,
            seat="random",
            opponents=lineups,
        )
        return self.vec.game

    def make_network(self) -> PolicyValueNet:
        """MaskablePPO with multilayer perceptrons; the returned network consists of the policy's own layers."""
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.logger import Logger

        config = self.config
        with self.global_generators(0):
            self.model = MaskablePPO(
                "MlpPolicy",
                self.vec,
                learning_rate=lambda _: self.learning_rate,
                n_steps=config.steps,
                batch_size=config.minibatch,
                n_epochs=config.epochs,
                gamma=config.gamma,
                gae_lambda=config.gae_lambda,
                clip_range=config.clip,
                clip_range_vf=config.clip_value,
                normalize_advantage=config.normalize_advantage,
                ent_coef=config.entropy_coef,
                vf_coef=config.value_coef,
                max_grad_norm=config.max_grad_norm,
                target_kl=config.target_kl,
                policy_kwargs={"net_arch": list(config.network.hidden), "activation_fn": nn.ReLU},
                device=self.device,
            )
        self.model.set_logger(Logger(None, []))  # what it logs is read by `iterate`
        return network_of(self.model.policy, self.spec, network_config(config))

    def make_optimizer(self) -> torch.optim.Optimizer:
        """The policy's; the averaged weights move along with each of its steps."""
        optimizer = self.model.policy.optimizer
        optimizer.register_step_post_hook(lambda *_: self.move_average())
        return optimizer

    def make_opponents(self) -> None:
        """They sit in the environment."""

    # One iteration.

    def iterate(self) -> dict[str, float]:
        """Let MaskablePPO collect and learn once. Returns the numbers to log."""
        config, model = self.config, self.model
        start = time.perf_counter()
        if self.iteration % config.opponents.refresh == 0:
            self.copy.net.load_state_dict(self.net.state_dict())
        model.ent_coef = self.scheduled(config.entropy_coef, config.final_entropy_coef)
        rate, size = self.learning_rate, config.num_games * config.steps
        with self.global_generators(1 + self.iteration):
            model.learn(size, reset_num_timesteps=False)
        self.iteration += 1
        self.decisions += size
        logs = {ours: float(model.logger.name_to_value[theirs]) for theirs, ours in LOGGED.items()}
        logs["policy/entropy"] *= -1
        rewards, starts = model.rollout_buffer.rewards, model.rollout_buffer.episode_starts
        ended = np.concatenate([starts[1:], self._episode_starts()[None]]).astype(np.bool_)
        logs["reward/mean"] = float(rewards.sum() / max(1, ended.sum()))
        logs["reward/mean_absolute"] = float(np.abs(rewards[ended]).mean()) if ended.any() else 0.0
        logs["schedule/learning_rate"], logs["schedule/entropy_coef"] = rate, model.ent_coef
        logs["speed/decisions_per_second"] = size / (time.perf_counter() - start)
        return logs

    def collect(self) -> Rollout:
        raise NotImplementedError("MaskablePPO collects and learns in one call")

    def learn(self, rollout: Rollout) -> dict[str, float]:
        raise NotImplementedError("MaskablePPO collects and learns in one call")

    @contextmanager
    def global_generators(self, number: int) -> Iterator[None]:
        """Set the global generators of NumPy and torch from the seed and a number, and put them back afterwards."""
        numpy_state = np.random.get_state()  # noqa: NPY002
        devices = [self.device] if self.device.type == "cuda" else []
        words = np.random.SeedSequence((self.config.seed, number)).generate_state(2)
        with torch.random.fork_rng(devices):
            torch.manual_seed(int(words[0]))
            np.random.seed(int(words[1]))  # noqa: NPY002
            try:
                yield
            finally:
                np.random.set_state(numpy_state)  # noqa: NPY002

    # Saving.

    def _episode_starts(self) -> Any:
        """Whether each game's next decision is its episode's first, as the model notes it. bool [N]."""
        return self.model._last_episode_starts

    def more_state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """The learning seats, the opponents' generator, the copy's weights, and where episodes start."""
        table = self.vec.state_dict()
        tensors = {name: torch.from_numpy(table[name]) for name in ("seats", "stopped")}
        tensors["starts"] = torch.from_numpy(np.array(self._episode_starts()))
        tensors |= {f"copy.{name}": tensor.cpu() for name, tensor in self.copy.net.state_dict().items()}
        return tensors, {"rng": table["rng"]}

    def load_more_state(self, tensors: Mapping[str, Tensor], plain: Mapping[str, Any]) -> None:
        copy = {name[5:]: tensor for name, tensor in tensors.items() if name.startswith("copy.")}
        self.copy.net.load_state_dict(copy)
        table = {name: tensors[name].numpy() for name in ("seats", "stopped")}
        saved = {"game": self.games.state_dict(), "rng": plain["rng"], **table}
        self.model._last_obs = self.vec.load_state_dict(saved)
        self.model._last_episode_starts = tensors["starts"].numpy().copy()
        self.model.num_timesteps = self.decisions


def network_config(config: MaskablePPOConfig) -> NetworkConfig:
    """The shape of the network in this package's terms."""
    return NetworkConfig(config.network.hidden, config.network.critic, config.network.symmetry)


def network_of(policy: Any, spec: GameSpec, config: NetworkConfig) -> PolicyValueNet:
    """The layers of an SB3 policy (an MLP with ReLU over observations scaled by the layout) as our network.

    The layers are the policy's own, not copies: what the one learns the other knows.

    Raises: ConfigError if the policy has other layers than the configuration says.
    """
    net = PolicyValueNet(spec, config)

    def linear(layers: nn.Sequential) -> nn.ModuleList:
        return nn.ModuleList(layer for layer in layers if isinstance(layer, nn.Linear))

    net.policy_trunk = linear(policy.mlp_extractor.policy_net)
    net.value_trunk = linear(policy.mlp_extractor.value_net)
    expected = {name: tuple(tensor.shape) for name, tensor in PolicyValueNet(spec, config).state_dict().items()}
    net.policy_head, net.value_head = policy.action_net, policy.value_net
    shapes = {name: tuple(tensor.shape) for name, tensor in net.state_dict().items()}
    if shapes != expected:
        raise ConfigError(f"the policy's layers {shapes} are not those of the network {expected}")
    return net


def places_of_others(spec: GameSpec) -> list[tuple[bool, ...]]:
    """Where the agents of a duplicate pair sit, seen from a seat of the learner's, in playing order after it.

    With two sides the other side's seats; with more, all the others, or one of them with copies beside it.
    """
    rows = [
        tuple(bool(layout[(seat + place) % spec.num_seats]) for place in range(1, spec.num_seats))
        for layout in seatings(spec.teams)
        for seat in range(spec.num_seats)
        if not layout[seat]
    ]
    return list(dict.fromkeys(rows))


def train(
    config: MaskablePPOConfig,
    run_dir: str | Path,
    *,
    resume: bool = False,
    on_iteration: Callable[[Learner[MaskablePPOConfig], dict[str, float]], None] | None = None,
) -> Path:
    """Train, log to TensorBoard, write checkpoints (`learner.train`). Returns the last checkpoint's folder."""
    return learner.train(Trainer, config, run_dir, resume=resume, on_iteration=on_iteration)
