"""Deep Monte Carlo: the network learns what each action is worth from how hands end.

After DouZero (Zha et al. 2021): every decision's target is what its seat was paid from there to the end of the
episode, nothing is bootstrapped; the best action is played, and now and then any. The file reads top to bottom:
settings, then one iteration. The network's policy head holds the values of the actions, the largest of which is what
the agent plays; the value head is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from . import learner
from .config import setting
from .learner import Learner, LearnerConfig, NetworkSettings
from .opponents import PoolSettings
from .rollout import Rollout, collect, outcomes


@dataclass(frozen=True)
class DMCNetworkSettings(NetworkSettings):
    critic: str = setting("shared", "there is no critic: only the policy's layers are used", choices=("shared",))


@dataclass(frozen=True)
class DMCConfig(LearnerConfig):
    """Settings of a DMC run."""

    algorithm: str = setting("dmc", "the training script", choices=("dmc",))
    epochs: int = setting(2, "passes over each iteration's decisions", low=1)
    explore: float = setting(0.1, "part of the decisions taken at random, at the start", low=0)
    final_explore: float = setting(0.02, "part of the decisions taken at random, at the end", low=0)
    max_grad_norm: float = setting(10.0, "gradients are scaled down to this norm", low=0)
    opponents: PoolSettings = field(default_factory=PoolSettings)
    network: DMCNetworkSettings = field(default_factory=DMCNetworkSettings)


class Trainer(Learner[DMCConfig]):
    """A DMC run."""

    def collect(self) -> Rollout:
        """The best actions, and now and then any."""
        return collect(
            self.games, self.net, self.config.steps, self.generator, self.device, opponents=self.opponents,
            explore=self.explore, rng=self.opponents_rng(),
        )  # fmt: skip

    @property
    def explore(self) -> float:
        """Part of this iteration's decisions that are taken at random."""
        return self.scheduled(self.config.explore, self.config.final_explore)

    @property
    def policy_temperature(self) -> float:
        """The network's numbers are values: the best action is what is played."""
        return 0.0

    def learn(self, rollout: Rollout) -> dict[str, float]:
        """Epochs of minibatch steps towards the outcomes."""
        config, device = self.config, self.device
        outcome, known = outcomes(rollout)
        rows = np.flatnonzero(known.ravel())

        def flat(array: Any) -> Tensor:
            return torch.from_numpy(array.reshape(rollout.action.size, *array.shape[2:]))

        obs, action, target = flat(rollout.obs), flat(rollout.action), flat(outcome)
        losses: list[float] = []
        norms: list[float] = []
        for _ in range(config.epochs):
            order = torch.from_numpy(rows)[torch.randperm(len(rows), generator=self.generator)]
            for batch in order.split(config.minibatch):
                values = self.net.policy(obs[batch].to(device))
                chosen = values.gather(1, action[batch].to(device)[:, None]).squeeze(1)
                loss = 0.5 * (chosen - target[batch].to(device)).pow(2).mean()
                norms.append(float(self.gradient_step(loss)))
                losses.append(float(loss.detach()))
        return {
            "value/loss": float(np.mean(losses)) if losses else float("nan"),
            "value/gradient_norm": float(np.mean(norms)) if norms else float("nan"),
            "value/known_share": len(rows) / rollout.action.size,
            "schedule/explore": self.explore,
        }


def train(
    config: DMCConfig,
    run_dir: str | Path,
    *,
    resume: bool = False,
    on_iteration: Callable[[Learner[DMCConfig], dict[str, float]], None] | None = None,
) -> Path:
    """Train, log to TensorBoard, write checkpoints (`learner.train`). Returns the last checkpoint's folder."""
    return learner.train(Trainer, config, run_dir, resume=resume, on_iteration=on_iteration)
