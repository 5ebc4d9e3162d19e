"""PPO by self-play: every seat of every game is played and taught by one network.

Proximal policy optimisation (Schulman et al. 2017) with masked actions (Huang and Ontañón 2022). The file
reads top to bottom: settings, then one iteration: collecting, and learning from what was collected.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..agents.neural.network import masked_log_probs
from ..agents.registry import make_agent
from . import learner
from .config import setting
from .learner import EvaluateSettings, Learner, LearnerConfig, NetworkSettings
from .opponents import OpponentSettings, PoolSettings
from .rollout import Rollout, advantages, collect


@dataclass(frozen=True)
class ImitateSettings:
    agent: str = setting("heuristic", "deterministic agent that plays the first decisions, to be learned by heart")
    decisions: int = setting(0, "how many decisions to learn from it before self-play, 0 for none", low=0)


@dataclass(frozen=True)
class PPOConfig(LearnerConfig):
    """Settings of a PPO run."""

    algorithm: str = setting("ppo", "the training script", choices=("ppo",))
    epochs: int = setting(4, "passes over each iteration's decisions", low=1)
    gamma: float = setting(1.0, "discount from one decision of a seat to its next", low=0)
    gae_lambda: float = setting(0.95, "λ of the advantage estimates", low=0)
    clip: float = setting(0.2, "range of the probability ratio", low=0)
    value_coef: float = setting(0.5, "weight of the value loss", low=0)
    entropy_coef: float = setting(0.01, "weight of the entropy bonus at the start", low=0)
    final_entropy_coef: float = setting(0.001, "weight of the entropy bonus at the end", low=0)
    target_kl: float | None = setting(None, "stop an iteration's epochs when the mean KL exceeds this", low=0)
    opponents: PoolSettings = dataclasses.field(default_factory=PoolSettings)
    imitate: ImitateSettings = dataclasses.field(default_factory=ImitateSettings)


class Trainer(Learner[PPOConfig]):
    """A PPO run."""

    def __init__(self, config: PPOConfig) -> None:
        super().__init__(config)
        self.teacher = make_agent(config.imitate.agent, self.spec) if config.imitate.decisions else None

    def collect(self) -> Rollout:
        """By the network, or by the teacher for the first decisions."""
        teacher = self.teacher if self.decisions < self.config.imitate.decisions else None
        opponents = self.opponents if teacher is None else None
        return collect(
            self.games, self.net, self.config.steps, self.generator, self.device, teacher, opponents,
            rng=self.opponents_rng(),
        )  # fmt: skip

    def learn(self, rollout: Rollout) -> dict[str, float]:
        """Epochs of minibatch steps on the clipped objective, or on the likelihood of a teacher's actions."""
        config, device = self.config, self.device
        imitate = self.teacher is not None and self.decisions < config.imitate.decisions
        entropy_coef = self.scheduled(config.entropy_coef, config.final_entropy_coef)
        # a teacher's choices are its own whatever the values say: its returns are what was paid
        advantage, returns, valid = advantages(rollout, config.gamma, 1.0 if imitate else config.gae_lambda)
        rows = np.flatnonzero(valid.ravel())

        def flat(array: Any) -> Tensor:
            return torch.from_numpy(array.reshape(rollout.action.size, *array.shape[2:]))

        obs, hidden, mask, action = flat(rollout.obs), flat(rollout.hidden), flat(rollout.mask), flat(rollout.action)
        old_log_prob, adv, ret = flat(rollout.log_prob), flat(advantage), flat(returns)
        index = torch.from_numpy(rows)
        mean, std = adv[index].mean(), adv[index].std() + 1e-8
        sums: dict[str, float] = {}
        count = 0
        for epoch in range(config.epochs):
            order = index[torch.randperm(len(index), generator=self.generator)]
            kls = []
            for batch in order.split(config.minibatch):
                if len(batch) < 2:
                    continue
                part = [x[batch].to(device) for x in (obs, hidden, mask, action, old_log_prob, adv, ret)]
                values = self._step(part, mean, std, entropy_coef, imitate)
                kls.append(values["policy/kl"])
                for name, value in values.items():
                    sums[name] = sums.get(name, 0.0) + value
                count += 1
            if config.target_kl is not None and float(np.mean(kls)) > config.target_kl:
                sums["policy/stopped_epoch"] = float(epoch + 1) * count
                break
        logs = {name: value / max(1, count) for name, value in sums.items()}
        value = rollout.value.ravel()[rows]
        target = returns.ravel()[rows]
        logs["schedule/entropy_coef"] = entropy_coef
        logs["value/explained_variance"] = 1.0 - float(np.var(target - value) / (np.var(target) + 1e-8))
        return logs

    def _step(
        self, part: list[Tensor], mean: Tensor, std: Tensor, entropy_coef: float, imitate: bool
    ) -> dict[str, float]:
        config = self.config
        obs, hidden, mask, action, old, adv, ret = part
        logits, value = self.net(obs, hidden)
        log_probs = masked_log_probs(logits, mask)
        log_prob = log_probs.gather(1, action[:, None]).squeeze(1)
        log_ratio = log_prob - old
        ratio = log_ratio.exp()
        scaled = (adv - mean) / std
        policy_loss = -torch.min(ratio * scaled, ratio.clamp(1 - config.clip, 1 + config.clip) * scaled).mean()
        if imitate:
            policy_loss = -log_prob.mean()
        value_loss = 0.5 * (value - ret).pow(2).mean()
        entropy = -(torch.softmax(log_probs, dim=-1) * log_probs).sum(dim=-1).mean()
        loss = policy_loss + config.value_coef * value_loss
        if not imitate:
            loss = loss - entropy_coef * entropy
        norm = self.gradient_step(loss)
        with torch.no_grad():
            numbers = {
                "policy/loss": policy_loss,
                "policy/entropy": entropy,
                "policy/kl": (ratio - 1 - log_ratio).mean(),
                "policy/clip_fraction": ((ratio - 1).abs() > config.clip).float().mean(),
                "value/loss": value_loss,
                "policy/gradient_norm": norm,
            }
            return dict(zip(numbers, torch.stack(list(numbers.values())).tolist(), strict=True))


def train(
    config: PPOConfig,
    run_dir: str | Path,
    *,
    resume: bool = False,
    on_iteration: Callable[[Learner[PPOConfig], dict[str, float]], None] | None = None,
) -> Path:
    """Train, log to TensorBoard, write checkpoints (`learner.train`). Returns the last checkpoint's folder."""
    return learner.train(Trainer, config, run_dir, resume=resume, on_iteration=on_iteration)


__all__ = [
    "EvaluateSettings", "ImitateSettings", "NetworkSettings", "OpponentSettings", "PPOConfig", "PoolSettings",
    "Trainer", "train",
]  # fmt: skip
