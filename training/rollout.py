"""Self-play rollouts over the batched engine, and the returns of each seat's own decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..agents.base import Agent
from ..agents.neural.network import PolicyValueNet, masked_log_probs
from ..envs.core.game import BatchedGame
from .opponents import Opponents

F32 = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]


@dataclass
class Rollout:
    """T steps of N games; at each step one seat of each game decides.

    obs, mask, action and hidden are as the network sees them (in canonical form, if it uses the symmetry).

    obs: uint8 [T, N, D]. mask: bool [T, N, A]. action: int64 [T, N]. log_prob, value: float32 [T, N], of the
    policy that played. hidden: uint8 [T, N, H], what the seat cannot see, or H = 0. player: int8 [T, N], the seat
    that decided. reward: float32 [T, N, seats], paid by the step. done: bool [T, N], the step ended the episode.
    learner: bool [T, N], the network decided, not an opponent.
    """

    obs: npt.NDArray[np.uint8]
    hidden: npt.NDArray[np.uint8]
    mask: Bools
    action: npt.NDArray[np.int64]
    log_prob: F32
    value: F32
    player: npt.NDArray[np.int8]
    reward: F32
    done: Bools
    learner: Bools


@torch.inference_mode()
def collect(
    games: BatchedGame[Any],
    net: PolicyValueNet,
    steps: int,
    generator: torch.Generator,
    device: torch.device,
    teacher: Agent | None = None,
    opponents: Opponents | None = None,
    explore: float | None = None,
    rng: np.random.Generator | None = None,
) -> Rollout:
    """Play `steps` steps of a batch made with `auto_reset=True`, all seats by the network.

    The network's policy is sampled; with `explore`, its most probable action is played, or with this probability any
    legal one. With a `teacher`, all seats are played by that (deterministic) agent, and the actions are its own. With
    `opponents`, some seats of some games are played by other agents, whose decisions are not learned from.
    """
    rng = np.random.default_rng(0)
    rows = np.arange(games.num_games)
    n, size, actions = games.num_games, games.spec.layout.size, games.spec.num_actions
    rollout = Rollout(
        obs=np.empty((steps, n, size), np.uint8),
        hidden=np.empty((steps, n, games.spec.hidden_size if net.hidden_cards is not None else 0), np.uint8),
        mask=np.empty((steps, n, actions), np.bool_),
        action=np.empty((steps, n), np.int64),
        log_prob=np.empty((steps, n), np.float32),
        value=np.empty((steps, n), np.float32),
        player=np.empty((steps, n), np.int8),
        reward=np.empty((steps, n, games.spec.num_seats), np.float32),
        done=np.empty((steps, n), np.bool_),
        learner=np.ones((steps, n), np.bool_),
    )
    nothing = np.empty((n, 0), np.uint8)
    for t in range(steps):
        rollout.player[t] = games.current_player
        seen_obs, seen_mask = games.observe(), games.legal_actions()
        obs, mask, hidden, turn = seen_obs, seen_mask, nothing, None
        if net.hidden_cards is not None:
            hidden = games.state_planes(rollout.player[t].astype(np.int64))
        if net.symmetry is not None:
            seen = net.symmetry.canonical(obs, mask, hidden)
            obs, mask, hidden, turn = seen.obs, seen.mask, seen.hidden, seen.turn
        rollout.obs[t], rollout.mask[t], rollout.hidden[t] = obs, mask, hidden
        logits, value = net(torch.from_numpy(obs).to(device), torch.from_numpy(hidden).to(device))
        log_probs = masked_log_probs(logits, torch.from_numpy(rollout.mask[t]).to(device)).cpu()
        if teacher is None and explore is not None:
            rated = log_probs.masked_fill(~torch.from_numpy(rollout.mask[t]), -torch.inf)
            anything = torch.rand(rated.shape, generator=generator) + torch.where(rated.isinf(), -2.0, 0.0)
            astray = torch.rand(n, 1, generator=generator) < explore
            action = torch.where(astray, anything, rated).argmax(dim=-1, keepdim=True)
        elif teacher is None:
            # the largest of p / Exp(1) is a sample of p
            noise = torch.empty_like(log_probs).exponential_(generator=generator)
            action = (log_probs - noise.log()).argmax(dim=-1, keepdim=True)
        else:
            taught = teacher.act(seen_obs, seen_mask, rng)
            if net.symmetry is not None and turn is not None:
                taught = net.symmetry.to_canonical(taught, turn)
            action = torch.from_numpy(taught)[:, None]
        rollout.log_prob[t] = log_probs.gather(1, action).squeeze(1).numpy()
        rollout.value[t] = value.cpu().numpy()
        rollout.action[t] = action.squeeze(1).numpy()
        chosen = rollout.action[t].copy()
        if net.symmetry is not None and turn is not None:
            chosen = net.symmetry.to_original(chosen, turn)
        if opponents is not None:
            whose = opponents.seats[rows, rollout.player[t]]
            for number, agent in enumerate(opponents.agents):
                theirs = np.flatnonzero(whose == number)
                if len(theirs):
                    chosen[theirs] = agent.act(seen_obs[theirs], seen_mask[theirs], rng)
                    rollout.learner[t, theirs] = False
        rollout.reward[t], rollout.done[t] = games.step(chosen, validate=False)
        if opponents is not None:
            opponents.note(games, rollout.reward[t], rollout.done[t])
    return rollout


def outcomes(rollout: Rollout) -> tuple[F32, Bools]:
    """What each decision's seat was paid from there to the end of its episode, by whomever's move.

    Returns: float32 [T, N], and bool [T, N]: the episode ended within the rollout, and the learner decided.
    """
    steps, n = rollout.action.shape
    rows = np.arange(n)
    outcome, known = np.zeros((steps, n), np.float32), np.zeros((steps, n), np.bool_)
    paid = np.zeros((n, rollout.reward.shape[2]), np.float32)
    ended = np.zeros(n, np.bool_)
    for t in range(steps - 1, -1, -1):
        paid[rollout.done[t]] = 0
        ended |= rollout.done[t]
        paid += rollout.reward[t]
        outcome[t] = paid[rows, rollout.player[t]]
        known[t] = ended & rollout.learner[t]
    return outcome, known


def advantages(rollout: Rollout, gamma: float, lam: float) -> tuple[F32, F32, Bools]:
    """Generalised advantage estimates (Schulman et al. 2016) along each seat's own decisions.

    A seat's sequence is made of the steps at which it decides. What is paid between two of its decisions, by
    whomever's move, is the reward of the earlier one. The end of an episode ends all sequences with value 0.
    A sequence that the rollout cuts off is bootstrapped from the value of its last decision, which itself
    has no estimate.

    Returns: advantage, return (advantage + value), float32 [T, N], and valid, bool [T, N].
    """
    steps, n = rollout.action.shape
    seats = rollout.reward.shape[2]
    rows = np.arange(n)
    advantage = np.zeros((steps, n), np.float32)
    valid = np.zeros((steps, n), np.bool_)
    paid = np.zeros((n, seats), np.float32)  # since the seat's decision that comes next in this backward pass
    next_value = np.zeros((n, seats), np.float32)
    next_advantage = np.zeros((n, seats), np.float32)
    known = np.zeros((n, seats), np.bool_)  # whether the seat decides again, or its episode ends, in the rollout
    for t in range(steps - 1, -1, -1):
        over = rollout.done[t]
        if over.any():
            paid[over] = next_value[over] = next_advantage[over] = 0
            known[over] = True
        paid += rollout.reward[t]
        seat = rollout.player[t]
        delta = paid[rows, seat] + gamma * next_value[rows, seat] - rollout.value[t]
        advantage[t] = delta + gamma * lam * next_advantage[rows, seat]
        valid[t] = known[rows, seat] & rollout.learner[t]
        advantage[t][~valid[t]] = 0
        paid[rows, seat] = 0
        next_value[rows, seat] = rollout.value[t]
        next_advantage[rows, seat] = advantage[t]
        known[rows, seat] = True
    return advantage, advantage + rollout.value, valid
