"""What every training script shares: settings, games, networks and optimiser, evaluation, checkpoints, the loop.

A script subclasses `Learner` and says how one iteration collects decisions and learns from them.
"""

from __future__ import annotations

import copy
import dataclasses
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..agents.base import Agent
from ..agents.combine import CombinedAgent
from ..agents.neural import checkpoint
from ..agents.neural.agent import NeuralAgent
from ..agents.neural.network import CRITICS, NetworkConfig, PolicyValueNet, fast_bfloat16
from ..agents.registry import make_agent
from ..envs.core.game import BatchedGame
from ..envs.registry import make_batch
from . import runs
from .config import ConfigError, setting, to_plain
from .opponents import Opponents, OpponentSettings, check_settings, seat_opponents
from .tournament import duplicate_margin


@dataclass(frozen=True)
class NetworkSettings:
    hidden: tuple[int, ...] = setting((256, 256), "widths of the hidden layers")
    critic: str = setting(
        "central", "value from the policy's layers, from its own, or from its own with all cards open", choices=CRITICS
    )
    symmetry: bool = setting(True, "see decisions in the game's canonical form, where it has one")


@dataclass(frozen=True)
class EvaluateSettings:
    opponents: tuple[str, ...] = setting(("random", "heuristic"), "agents to play duplicate deals against")
    every: int = setting(50, "iterations between evaluations, 0 for none", low=0)
    deals: int = setting(500, "duplicate deals of one evaluation", low=2)
    seed: int = setting(1_000_003, "seed of the evaluation deals (never the training ones)")


@dataclass(frozen=True)
class LearnerConfig:
    """Settings that all training scripts know."""

    algorithm: str = setting("", "the training script")
    game: str = setting("schieber", "id of the game")
    rules: str | dict[str, Any] | None = setting(
        None, "preset, or options with an optional `preset` to start from; none for the game's first preset"
    )
    episode: str = setting("hand", "what an episode is", choices=("hand", "match"))
    context: str = setting(
        "sampled", "where a hand starts: drawn match state, or a new match", choices=("sampled", "start")
    )
    phase: str = setting(
        "full", "what is learned: everything, the auction, or the card play", choices=("full", "bidding", "play")
    )
    autopilot: str = setting("heuristic", "deterministic agent that plays the other part, if only one is learned")
    reward: str = setting(
        "points", "hand points, or what the match pays (stake: Thousand)", choices=("points", "match", "stake")
    )
    seed: int = setting(0, "seed of deals, weights and actions")
    decisions: int = setting(20_000_000, "decisions to train on", low=1)
    minutes: float | None = setting(None, "stop after this many minutes of wall-clock time", low=0)
    num_games: int = setting(1024, "games played at once", low=1)
    steps: int = setting(64, "decisions of each game in one iteration", low=2)
    minibatch: int = setting(8192, "decisions of one gradient step", low=1)
    learning_rate: float = setting(1e-3, "Adam's step size at the start", low=0)
    final_learning_rate: float = setting(1e-4, "Adam's step size at the end (linear in between)", low=0)
    average: float = setting(
        0.999, "decay a gradient step of the averaged weights, which are what an agent plays; 0 for the newest", low=0
    )
    max_grad_norm: float = setting(0.5, "gradients are scaled down to this norm", low=0)
    skip_forced: bool = setting(True, "decisions with one legal action are played, not learned from")
    precision: str = setting("auto", "hidden layers' arithmetic", choices=("auto", "float32", "bfloat16"))
    device: str = setting("auto", "auto, cpu, cuda, cuda:0 …")
    threads: int = setting(0, "CPU threads of torch, 0 for its default", low=0)
    network: NetworkSettings = dataclasses.field(default_factory=NetworkSettings)
    opponents: OpponentSettings = dataclasses.field(default_factory=OpponentSettings)
    evaluate: EvaluateSettings = dataclasses.field(default_factory=EvaluateSettings)
    checkpoint_every: int = setting(50, "iterations between checkpoints", low=1)
    keep: int = setting(2, "checkpoints to keep", low=1)

    @property
    def iterations(self) -> int:
        """Iterations that make up `decisions`."""
        return max(1, round(self.decisions / (self.num_games * self.steps)))


class Collected(Protocol):
    """What one iteration has collected, as far as all scripts log it; arrays of the same first axes.

    action: int64, one a decision that is learned from. done: bool, the hands that ended; reward: float32, their pay.
    """

    @property
    def action(self) -> npt.NDArray[np.int64]: ...
    @property
    def reward(self) -> npt.NDArray[np.float32]: ...
    @property
    def done(self) -> npt.NDArray[np.bool_]: ...


C = TypeVar("C", bound=LearnerConfig)


class Learner(ABC, Generic[C]):
    """A run's state: games, network, optimiser, generator. It can be saved and restored exactly."""

    def __init__(self, config: C) -> None:
        self.config = config
        self.iteration = 0
        self.decisions = 0
        if config.threads:
            torch.set_num_threads(config.threads)
        self.device = runs.choose_device(config.device)
        check_settings(config.opponents)
        self.autopilot: Agent | None = None
        if config.phase != "full":
            self.autopilot = make_agent(config.autopilot, make_batch(config.game, rules=config.rules).spec)
        self.games = self.make_games()
        self.spec = self.games.spec
        torch.manual_seed(config.seed)
        self.net = self.make_network().to(self.device)
        automatic = config.precision == "auto" and fast_bfloat16(self.device)
        self.net.low_precision = automatic or config.precision == "bfloat16"
        self.average = copy.deepcopy(self.net).requires_grad_(False)
        self.updates = 0
        self.optimizer = self.make_optimizer()
        self.generator = torch.Generator().manual_seed(config.seed + 1)
        self.opponents = self.make_opponents()

    # What it is made of.

    def make_games(self) -> BatchedGame[Any]:
        """The games that are played."""
        config = self.config
        return make_batch(
            config.game,
            num_games=config.num_games,
            seed=config.seed,
            rules=config.rules,
            episode=config.episode,
            context=config.context,
            reward=config.reward,
            auto_reset=True,
            skip_forced=config.skip_forced,
            phase=config.phase,
            autopilot=self.autopilot.act if self.autopilot else None,
        )

    def make_network(self) -> PolicyValueNet:
        """The network that learns."""
        settings = self.config.network
        return PolicyValueNet(self.spec, NetworkConfig(settings.hidden, settings.critic, settings.symmetry))

    def make_optimizer(self) -> torch.optim.Optimizer:
        """What descends; its state is saved."""
        return torch.optim.Adam(self.net.parameters(), lr=self.config.learning_rate, eps=1e-5, fused=True)

    def make_opponents(self) -> Opponents | None:
        """Who else plays."""
        settings = self.config.opponents
        agents = [make_agent(name, self.spec) for name in settings.agents] if settings.share else []
        return seat_opponents(self.games, agents, settings, self.config.seed, self.average)

    def opponents_rng(self) -> np.random.Generator:
        """What other agents draw from in this iteration."""
        return np.random.default_rng((self.config.seed, self.iteration))

    # One iteration.

    @abstractmethod
    def collect(self) -> Collected:
        """Play `steps` steps of all games."""

    @abstractmethod
    def learn(self, rollout: Any) -> dict[str, float]:
        """Learn from what was collected. Returns the numbers to log."""

    @property
    def learning_rate(self) -> float:
        """Step size of this iteration."""
        return self.scheduled(self.config.learning_rate, self.config.final_learning_rate)

    def iterate(self) -> dict[str, float]:
        """Collect a rollout and learn from it. Returns the numbers to log."""
        rate = self.learning_rate
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        start = time.perf_counter()
        rollout = self.collect()
        collected = time.perf_counter()
        logs = self.learn(rollout)
        self.iteration += 1
        self.decisions += rollout.action.size
        if self.opponents is not None:
            logs |= self.opponents.end_iteration(self.iteration, self.average)
        end = time.perf_counter()
        logs["speed/decisions_per_second"] = rollout.action.size / (end - start)
        logs["speed/rollout_share"] = (collected - start) / (end - start)
        logs["schedule/learning_rate"] = rate
        logs["reward/mean_absolute"] = float(np.abs(rollout.reward[rollout.done]).mean()) if rollout.done.any() else 0.0
        return logs

    def scheduled(self, first: float, last: float) -> float:
        """A number that goes from `first` to `last` over the run, at this iteration."""
        return first + min(1.0, self.iteration / self.config.iterations) * (last - first)

    def gradient_step(self, loss: Tensor) -> Tensor:
        """Descend, and move the averaged weights along. Returns the norm of the gradient before it was clipped."""
        config = self.config
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.net.parameters(), config.max_grad_norm)
        self.optimizer.step()
        self.move_average()
        return norm

    def move_average(self) -> None:
        """Count a gradient step, and move the averaged weights towards the newest."""
        self.updates += 1
        with torch.no_grad():
            decay = min(self.config.average, self.updates / (10 + self.updates))  # forgets the random start quickly
            for mean_weight, weight in zip(self.average.parameters(), self.net.parameters(), strict=True):
                mean_weight.lerp_(weight, 1 - decay)

    #: What the policy head's numbers are divided by to be logits of the policy; 0 if the best action is the policy.
    @property
    def policy_temperature(self) -> float:
        return 1.0

    # Evaluation.

    def agent(self) -> Agent:
        """The averaged network as an agent (with the autopilot for the part that it does not learn)."""
        learner = NeuralAgent("learner", self.spec, self.average)
        if self.autopilot is None:
            return learner
        bid, play = (learner, self.autopilot) if self.config.phase == "bidding" else (self.autopilot, learner)
        return CombinedAgent("learner", self.spec, bid, play)

    def evaluate(self) -> dict[str, float]:
        """Points per hand won against each fixed opponent on duplicate deals, with the interval's half width."""
        logs: dict[str, float] = {}
        settings = self.config.evaluate
        for name in settings.opponents:
            result = duplicate_margin(
                self.agent(), make_agent(name, self.spec), deals=settings.deals, seed=settings.seed
            )
            logs[f"margin/{name}"] = result.mean
            logs[f"margin/{name}_interval"] = result.half_width
        return logs

    # Saving.

    def more_state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What else a script needs to continue exactly: tensors, and plain data for JSON."""
        return self.opponents.state() if self.opponents is not None else ({}, {})

    def load_more_state(self, tensors: Mapping[str, Tensor], plain: Mapping[str, Any]) -> None:
        """Continue from `more_state`, when all else is restored. Raises KeyError, ValueError or RuntimeError."""
        if self.opponents is not None:
            self.opponents.load_state(tensors, plain)

    def save(self, folder: Path) -> Path:
        """Write a checkpoint to the run's folder (atomic)."""
        games = self.games.state_dict()
        options = games.pop("options")
        assert not options, "training games are begun without options"
        state = {f"state.{name}": array for name, array in games.pop("arrays").items()}
        arrays, shapes = runs.pack_arrays({**state, "log": games.pop("log"), "log_length": games.pop("log_length")})
        trainer = {f"games.{name}": tensor for name, tensor in arrays.items()}
        for number, state in self.optimizer.state_dict()["state"].items():
            for name, value in state.items():
                trainer[f"optimizer.{number}.{name}"] = torch.as_tensor(value).cpu()
        trainer["generator"] = self.generator.get_state()
        trainer |= {f"newest.{name}": tensor.cpu() for name, tensor in self.net.state_dict().items()}
        more, plain = self.more_state()
        trainer |= {f"more.{name}": tensor for name, tensor in more.items()}
        meta = {
            **checkpoint.identity(self.spec),
            "algorithm": self.config.algorithm,
            "phase": self.config.phase,
            "autopilot": self.config.autopilot,
            "network": to_plain(self.config.network),
            "temperature": self.policy_temperature,
            "config": to_plain(self.config),
            "seed": self.config.seed,
            "iteration": self.iteration,
            "decisions": self.decisions,
            "updates": self.updates,
            "games": {**games, "shapes": shapes},
            "more": plain,
            **runs.provenance(),
        }
        model = {name: tensor.cpu() for name, tensor in self.average.state_dict().items()}
        return checkpoint.save(
            folder / "checkpoints",
            f"{self.iteration:06d}",
            meta,
            {checkpoint.MODEL: model, checkpoint.TRAINER: trainer},
            keep=self.config.keep,
        )

    def restore(self, folder: Path) -> None:
        """Continue from a run's newest checkpoint, exactly. Raises CheckpointError."""
        found = checkpoint.find(folder)
        meta = checkpoint.read_meta(found)
        checkpoint.check_identity(meta, self.spec, found)
        model = checkpoint.read_tensors(found, checkpoint.MODEL, meta)
        trainer = checkpoint.read_tensors(found, checkpoint.TRAINER, meta)
        newest = {name[7:]: tensor for name, tensor in trainer.items() if name.startswith("newest.")}
        checkpoint.load_into(self.net, newest, found)
        checkpoint.load_into(self.average, model, found)
        try:
            games: Mapping[str, Any] = meta["games"]
            packed = {name[6:]: tensor for name, tensor in trainer.items() if name.startswith("games.")}
            arrays = runs.unpack_arrays(packed, games["shapes"])
            saved = {name: games[name] for name in ("game", "version", "rules", "episode", "seed")}
            log, lengths = arrays.pop("log"), arrays.pop("log_length")
            arrays = {name.removeprefix("state."): array for name, array in arrays.items()}
            self.games.load_state_dict({**saved, "arrays": arrays, "log": log, "log_length": lengths, "options": {}})
            state: dict[int, dict[str, Tensor]] = {}
            for name, tensor in trainer.items():
                if name.startswith("optimizer."):
                    _, number, field = name.split(".")
                    state.setdefault(int(number), {})[field] = tensor
            groups = self.optimizer.state_dict()["param_groups"]
            self.optimizer.load_state_dict({"state": state, "param_groups": groups})
            self.generator.set_state(trainer["generator"])
            self.iteration, self.decisions = int(meta["iteration"]), int(meta["decisions"])
            self.updates = int(meta["updates"])
            more = {name[5:]: tensor for name, tensor in trainer.items() if name.startswith("more.")}
            if "more" in meta:  # runs that are older have none
                self.load_more_state(more, meta["more"])
        except (KeyError, ValueError, RuntimeError) as error:
            raise checkpoint.CheckpointError(f"{found}: cannot be resumed: {error}") from None


def train(
    make: Callable[[C], Learner[C]],
    config: C,
    run_dir: str | Path,
    *,
    resume: bool = False,
    on_iteration: Callable[[Learner[C], dict[str, float]], None] | None = None,
) -> Path:
    """Train, log to TensorBoard, write checkpoints. Returns the last checkpoint's folder.

    Args:
        make: the script's learner.
        config: the settings.
        run_dir: folder of the run; TensorBoard files, config.yaml and checkpoints/ go there.
        resume: continue the run in this folder (a run killed and resumed ends with the same weights).
        on_iteration: called after each iteration with the trainer and its numbers (for a progress bar).
    """
    from torch.utils.tensorboard import SummaryWriter

    folder = Path(run_dir)
    began = time.monotonic()
    trainer = make(config)  # first: it refuses bad settings before anything is written
    for name in config.evaluate.opponents if config.evaluate.every else ():
        make_agent(name, trainer.spec)
    runs.prepare_run(folder, config, resume=resume)
    if resume and (folder / "checkpoints" / checkpoint.LATEST).exists():
        trainer.restore(folder)
    if trainer.iteration >= config.iterations:
        raise ConfigError(f"{folder} has all its {config.iterations} iterations; raise decisions to go on")
    writer = SummaryWriter(str(folder), purge_step=trainer.decisions + 1)
    last: Path | None = None
    try:
        while trainer.iteration < config.iterations:
            logs = trainer.iterate()
            final = trainer.iteration == config.iterations
            if config.minutes is not None and time.monotonic() - began > 60 * config.minutes:
                final = True
            every = config.evaluate.every
            if every and (final or trainer.iteration % every == 0):
                logs.update(trainer.evaluate())
            for name, value in logs.items():
                writer.add_scalar(name, value, trainer.decisions)
            if final or trainer.iteration % config.checkpoint_every == 0:
                last = trainer.save(folder)
                writer.flush()
            if on_iteration is not None:
                on_iteration(trainer, logs)
            if final:
                break
    finally:
        writer.close()
    assert last is not None
    return last
