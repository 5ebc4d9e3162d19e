"""Bidding from values: what each bid is worth is learned from play-outs, and the policy follows from the values.

In one iteration many hands are dealt and their auctions played by the present policy. In each, one decision of the
auction is picked. Copies of that position then try several bids; from there the auction goes on by the present policy
and a fixed agent plays the cards, and what the seat is paid at the end of the hand is the target of the bid's value.
The file reads top to bottom: settings, then one iteration: picking positions, trying bids, and learning from the pay.

All bids of a position share its cards, and most of what a hand pays is the luck of those. So the pay is learned in two
parts. The policy head has the *differences* between bids: they are regressed on the pay less its mean over the bids
that were tried in the position, from which the common luck has gone. The value head has the *level* that is left over.
A bid's value is the sum of both; the agent plays the bid of the highest value, and while it learns it plays the softmax
of the differences, at a temperature that falls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..agents.neural.network import masked_log_probs
from ..envs.core.bits import I64, U8
from ..envs.core.game import NO_ACTION, BatchedGame
from ..envs.registry import make_batch
from . import learner
from .config import ConfigError, setting
from .learner import Learner, LearnerConfig, NetworkSettings, OpponentSettings
from .playouts import F64, play_to_end
from .rollout import F32, Bools


@dataclass(frozen=True)
class BiddingNetworkSettings(NetworkSettings):
    critic: str = setting(
        "shared", "level of the values from the policy's layers, or from its own", choices=("shared", "separate")
    )


@dataclass(frozen=True)
class BiddingConfig(LearnerConfig):
    """Settings of a bidding run."""

    algorithm: str = setting("bidding", "the training script", choices=("bidding",))
    phase: str = setting("bidding", "what is learned: the auction", choices=("bidding",))
    episode: str = setting("hand", "what an episode is", choices=("hand",))
    autopilot: str = setting("heuristic", "agent that plays the cards of the play-outs, and of the trained agent")
    decisions: int = setting(1_000_000, "play-outs: bids tried, at most `steps` in each position", low=1)
    num_games: int = setting(1024, "positions of one iteration, each of another deal", low=1)
    steps: int = setting(8, "bids tried in each position, if so many are legal", low=2)
    minibatch: int = setting(256, "positions of one gradient step", low=1)
    epochs: int = setting(6, "passes over each iteration's positions", low=1)
    temperature: float = setting(0.3, "of the policy at the start, in rewards (1: `reward_scale` points)", low=1e-6)
    final_temperature: float = setting(0.03, "of the policy at the end", low=1e-6)
    explore: float = setting(0.2, "part of the bids before and in the position that are any legal ones", low=0)
    level_coef: float = setting(0.25, "weight of the level's loss beside that of the differences", low=0)
    average: float = setting(
        0.99, "decay a gradient step of the averaged weights, which are what an agent plays; 0 for the newest", low=0
    )
    max_grad_norm: float = setting(1.0, "gradients are scaled down to this norm", low=0)
    opponents: OpponentSettings = field(
        default_factory=lambda: OpponentSettings(share=0.5)  # values depend on how the others bid
    )
    network: BiddingNetworkSettings = field(default_factory=BiddingNetworkSettings)


@dataclass(frozen=True)
class Trials:
    """N positions, K bids tried in each; observations and bids as the network sees them (in canonical form).

    obs: uint8 [N, D]. mask: bool [N, A]. action: int64 [N, K], the bids. done: bool [N, K], false where no more bids
    were legal, or no decision of the auction was the learner's. reward: float32 [N, K], paid to the seat that bid, from
    there to the end of the hand. played: decisions of the play-outs.
    """

    obs: U8
    mask: Bools
    action: I64
    done: Bools
    reward: F32
    played: int


class Trainer(Learner[BiddingConfig]):
    """A bidding run. Its games are whole ones, of which copies are played to the end."""

    def __init__(self, config: BiddingConfig) -> None:
        if not 0 <= config.explore <= 1:
            raise ConfigError(f"explore={config.explore} is not allowed; allowed: from 0 to 1")
        super().__init__(config)

    def make_games(self) -> BatchedGame[Any]:
        """Whole games, each of one hand: the play-outs go on in copies of them."""
        config = self.config
        return make_batch(
            config.game, num_games=config.num_games, seed=config.seed, rules=config.rules, context=config.context,
            reward=config.reward, skip_forced=config.skip_forced,
        )  # fmt: skip

    @property
    def temperature(self) -> float:
        """Of the policy, at this iteration."""
        return self.scheduled(self.config.temperature, self.config.final_temperature)

    @property
    def policy_temperature(self) -> float:
        """Of the policy that the trained network stands for."""
        return self.config.final_temperature

    # Collecting.

    @torch.inference_mode()
    def collect(self) -> Trials:
        """Pick a decision of each auction, try bids there, and play the hands to the end."""
        config = self.config
        rng = np.random.default_rng([config.seed, 31, self.iteration])  # nothing to save: it resumes all the same
        positions, asked = self.pick_positions(rng)
        obs, mask, turn = self.as_seen(positions.observe(), positions.legal_actions())
        bids = self.pick_bids(obs, mask, rng)
        tried = asked[:, None] & (bids != NO_ACTION)
        index, column = tried.nonzero()
        played = 0

        def decide(games: BatchedGame[Any], rows: I64) -> I64:
            nonlocal played
            played += len(rows)
            actions = np.empty(len(rows), np.int64)
            bidding = self.spec.bids_in[games.phase]
            auction, cards = bidding.nonzero()[0], (~bidding).nonzero()[0]
            if len(auction):
                # all bids of a position meet the same luck of the policy
                noise = rng.gumbel(size=(config.num_games, self.spec.num_actions)).astype(np.float32)
                part = games.select(auction)
                actions[auction] = self.bid(part, index[rows[auction]], noise, rng)
            if len(cards):
                part = games.select(cards) if len(auction) else games
                assert self.autopilot is not None
                actions[cards] = self.autopilot.act(part.observe(), part.legal_actions(), rng)
            return actions

        branches = positions.select(index)
        seat = branches.current_player
        at_once, _ = branches.step(self.as_played(bids[index, column], None if turn is None else turn[index]))
        paid = at_once + play_to_end(branches, decide)
        reward = np.zeros(bids.shape, np.float32)
        reward[index, column] = paid[np.arange(len(index)), seat]
        return Trials(obs, mask, bids, tried, reward, played)

    def pick_positions(self, rng: np.random.Generator) -> tuple[BatchedGame[Any], Bools]:
        """Deal the next hands and play their auctions; of each, one of the learner's decisions, all equally likely.

        Returns: N positions, and bool [N], there is such a decision (otherwise the position means nothing).
        """
        games, config = self.games, self.config
        games.reset()
        positions, count = games.clone(), np.zeros(games.num_games, np.int64)
        while True:
            rows = (self.spec.bids_in[games.phase] & (games.state.player >= 0)).nonzero()[0]
            if not len(rows):
                return positions, count > 0
            part = games.select(rows)
            own = np.ones(len(rows), np.bool_)
            if self.opponents is not None:
                own = self.opponents.seats[rows, part.current_player] < 0
            count[rows] += own
            kept = own & (rng.random(len(rows)) * count[rows] < 1)  # a sample of one out of a stream
            if kept.any():
                positions.put(rows[kept], part.select(kept))
            actions = np.full(games.num_games, NO_ACTION, np.int64)
            noise = rng.gumbel(size=(games.num_games, self.spec.num_actions)).astype(np.float32)
            actions[rows] = self.bid(part, rows, noise, rng)
            astray = own & (rng.random(len(rows)) < config.explore)
            actions[rows[astray]] = part.sample_actions(rng)[astray]
            games.step(actions)

    def pick_bids(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        """Bids to try in each position: all, or a sample without replacement that the policy and chance draw.

        Returns: int64 [N, K], NO_ACTION where no more are legal.
        """
        explore = self.config.explore
        policy = np.exp(self.log_policy(obs, mask))
        chance = (1 - explore) * policy + explore * mask / np.maximum(mask.sum(axis=1, keepdims=True), 1)
        # the largest of log p + Gumbel noise are a sample without replacement (Vieira 2014; Kool et al. 2019)
        with np.errstate(divide="ignore"):
            keys = np.log(chance, where=mask, out=np.full(mask.shape, -np.inf)) + rng.gumbel(size=mask.shape)
        keys[~mask] = -np.inf
        width = min(self.config.steps, mask.shape[1])
        bids = np.argsort(-keys, axis=1)[:, :width]
        bids[~np.take_along_axis(mask, bids, axis=1)] = NO_ACTION
        out = np.full((len(mask), self.config.steps), NO_ACTION, np.int64)
        out[:, :width] = bids
        return out

    def bid(self, games: BatchedGame[Any], position: I64, noise: F32, rng: np.random.Generator) -> I64:
        """What is bid in games of the auction: sampled from the policy, or by an opponent.

        Args:
            position: int64 [n], number of each game's position. noise: float32 [N, A], Gumbel noise of the positions.
        """
        seen, legal = games.observe(), games.legal_actions()
        obs, mask, turn = self.as_seen(seen, legal)
        actions = self.as_played((self.log_policy(obs, mask) + noise[position]).argmax(axis=1), turn)
        if self.opponents is not None:
            whose = self.opponents.seats[position, games.current_player]
            for number, agent in enumerate(self.opponents.agents):
                theirs = (whose == number).nonzero()[0]
                if len(theirs):
                    actions[theirs] = agent.act(seen[theirs], legal[theirs], rng)
        return actions

    @torch.inference_mode()
    def log_policy(self, obs: U8, mask: Bools) -> F32:
        """Log-probabilities of the present policy: the softmax of the values. float32 [n, A]."""
        values = self.net.policy(torch.from_numpy(obs).to(self.device))
        return masked_log_probs(values / self.temperature, torch.from_numpy(mask).to(self.device)).cpu().numpy()

    def as_seen(self, obs: U8, mask: Bools) -> tuple[U8, Bools, I64 | None]:
        """Decisions as the network sees them, and how to turn its actions back."""
        if self.net.symmetry is None:
            return obs, mask, None
        seen = self.net.symmetry.canonical(obs, mask, np.zeros((len(obs), 0), np.uint8))
        return seen.obs, seen.mask, seen.turn

    def as_played(self, actions: I64, turn: I64 | None) -> I64:
        """Actions of the network as the game knows them."""
        if self.net.symmetry is None or turn is None:
            return actions
        return self.net.symmetry.to_original(actions, turn)

    # Learning.

    def learn(self, rollout: Trials) -> dict[str, float]:
        """Epochs of minibatch steps towards the pay, its level and its differences apart."""
        config, device = self.config, self.device
        rows = torch.from_numpy(np.flatnonzero(rollout.done.any(axis=1)))
        obs, bids = torch.from_numpy(rollout.obs), torch.from_numpy(rollout.action.clip(0))
        tried, paid = torch.from_numpy(rollout.done), torch.from_numpy(rollout.reward)
        logs = self.judge(rollout)
        sums = np.zeros(3)
        count = 0
        for _ in range(config.epochs):
            order = rows[torch.randperm(len(rows), generator=self.generator)]
            for batch in order.split(config.minibatch):
                part = [x[batch].to(device) for x in (obs, bids, tried, paid)]
                differences, level = self.losses(*part)
                norm = self.gradient_step(differences + config.level_coef * level)
                sums += (float(differences.detach()), float(level.detach()), float(norm))
                count += 1
        names = ("value/differences_loss", "value/level_loss", "value/gradient_norm")
        logs |= dict(zip(names, (sums / max(1, count)).tolist(), strict=True))
        logs["schedule/temperature"] = self.temperature
        logs["speed/decisions_played"] = float(rollout.played)
        return logs

    def losses(self, obs: Tensor, bids: Tensor, tried: Tensor, paid: Tensor) -> tuple[Tensor, Tensor]:
        """Squared errors of the differences between the bids of a position, and of the level that they leave over."""
        heads, level = self.net(obs)
        values = heads.gather(1, bids)
        number = tried.sum(dim=1, keepdim=True).clamp(min=1)

        def centred(x: Tensor) -> Tensor:
            return (x - (x * tried).sum(dim=1, keepdim=True) / number) * tried

        differences = 0.5 * (centred(values) - centred(paid)).pow(2).sum() / tried.sum()
        left = ((paid - values.detach()) * tried).sum(dim=1) / number.squeeze(1)
        return differences, 0.5 * (level - left).pow(2).mean()

    @torch.inference_mode()
    def judge(self, rollout: Trials) -> dict[str, float]:
        """How well the values foretold what was paid, before they have learned of it."""
        rows = np.flatnonzero(rollout.done.any(axis=1))
        tried, paid = rollout.done[rows], rollout.reward[rows].astype(np.float64)
        heads, level = self.net(torch.from_numpy(rollout.obs[rows]).to(self.device))
        differences = heads.cpu().numpy().astype(np.float64)
        values = np.take_along_axis(differences, rollout.action[rows].clip(0), axis=1) + level.cpu().numpy()[:, None]
        values[~tried] = -np.inf
        best = values.argmax(axis=1)[:, None]
        mean = (paid * tried).sum(axis=1) / tried.sum(axis=1)
        scale = self.spec.reward_scale
        logs = {f"calibration/{name}": value for name, value in calibration(values[tried], paid[tried], scale).items()}
        chosen = np.take_along_axis(values, best, axis=1), np.take_along_axis(paid, best, axis=1)
        best_bids = calibration(chosen[0].ravel(), chosen[1].ravel(), scale)
        logs |= {f"calibration/{name}_of_best": value for name, value in best_bids.items()}
        logs["policy/best_over_mean_points"] = float((chosen[1].ravel() - mean).mean() * scale)
        log_probs = self.log_policy(rollout.obs[rows], rollout.mask[rows])
        logs["policy/entropy"] = float(-(np.exp(log_probs) * log_probs).sum(axis=1).mean())
        return logs


def calibration(predicted: F64, paid: F64, scale: float, bins: int = 10) -> dict[str, float]:
    """How predictions of pay compare with the pay. float64 [n], float64 [n], in rewards.

    Returns: "bias_points", mean of predicted less paid; "error_points", their mean difference within bins of equally
    many predictions, weighted by number; "slope" of the regression of paid on predicted (1 if calibrated, less if the
    predictions are too far apart).
    """
    order = np.argsort(predicted, kind="stable")
    gaps = predicted[order] - paid[order]
    parts = np.array_split(gaps, min(bins, len(gaps)))
    spread = predicted - predicted.mean()
    return {
        "bias_points": float(gaps.mean() * scale),
        "error_points": float(sum(abs(part.sum()) for part in parts) / len(gaps) * scale),
        "slope": float((spread * paid).sum() / max(float((spread**2).sum()), 1e-12)),
    }


def train(
    config: BiddingConfig,
    run_dir: str | Path,
    *,
    resume: bool = False,
    on_iteration: Callable[[Learner[BiddingConfig], dict[str, float]], None] | None = None,
) -> Path:
    """Train, log to TensorBoard, write checkpoints (`learner.train`). Returns the last checkpoint's folder."""
    return learner.train(Trainer, config, run_dir, resume=resume, on_iteration=on_iteration)
