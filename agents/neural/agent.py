"""Agents that play a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...envs.core.spec import GameSpec
from ..base import F64, I64, U8, Agent, Bools
from ..combine import CombinedAgent
from . import checkpoint
from .network import NetworkConfig, PolicyNet, PolicyValueNet, masked_log_probs


class NeuralAgent(Agent):
    """Plays the most probable action of a network (`greedy`), or samples from its policy."""

    def __init__(self, name: str, spec: GameSpec, net: PolicyValueNet | PolicyNet, *, greedy: bool = True) -> None:
        super().__init__(name, spec)
        self.net, self.greedy = net, greedy
        self.facts: dict[str, Any] = {}
        #: Of the policy: what the network's numbers are divided by; at 0 the most probable action is certain.
        self.temperature = 1.0

    @property
    def deterministic(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.greedy

    def log_probs(self, obs: U8, mask: Bools) -> torch.Tensor:
        """Log-probabilities of the policy, for decisions in the network's form. float32 [n, num_actions]."""
        device = self.net.policy_head.weight.device
        with torch.inference_mode():
            logits = self.net.policy(torch.from_numpy(np.ascontiguousarray(obs)).to(device))
            return masked_log_probs(logits, torch.from_numpy(np.ascontiguousarray(mask)).to(device)).cpu()

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        symmetry, turn = self.net.symmetry, None
        if symmetry is not None:
            seen = symmetry.canonical(obs, mask, np.zeros((len(obs), 0), np.uint8))
            obs, mask, turn = seen.obs, seen.mask, seen.turn
        logits = self.log_probs(obs, mask)
        if not self.greedy:
            # the Gumbel-max trick, with the caller's generator
            logits = logits - torch.from_numpy(np.log(-np.log(rng.random(mask.shape).clip(1e-12, 1 - 1e-12)))).float()
        actions = logits.argmax(dim=-1).numpy()
        return actions if symmetry is None or turn is None else symmetry.to_original(actions, turn)

    def probabilities(self, obs: U8, mask: Bools, rng: np.random.Generator) -> F64:
        """Those of the network's policy, also where the agent plays its most probable action."""
        symmetry, turn = self.net.symmetry, None
        if symmetry is not None:
            seen = symmetry.canonical(obs, mask, np.zeros((len(obs), 0), np.uint8))
            obs, mask, turn = seen.obs, seen.mask, seen.turn
        logits = self.log_probs(obs, mask).double()
        if self.temperature:
            found = torch.softmax(logits / self.temperature, dim=-1).numpy()
        else:
            found = torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.shape[1]).double().numpy()
        found = found * mask
        if symmetry is None or turn is None:
            return found
        original = np.zeros(found.shape)
        for action in np.flatnonzero(mask.any(axis=0)):  # few: those that are legal somewhere
            named = symmetry.to_original(np.full(len(obs), action), turn)
            original[np.arange(len(obs)), named] += found[:, action]
        return original

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), **self.facts}


def load_agent(
    path: str | Path, spec: GameSpec, make: Callable[[str, GameSpec], Agent], name: str | None = None
) -> Agent:
    """The agent of a checkpoint or an exported one; one that has learned a part only has its autopilot (by `make`)
    for the other part.

    Args:
        name: what the agent is called; None is "checkpoint:" and the path.

    Raises: CheckpointError if it is damaged or made for something else.
    """
    folder = checkpoint.find(path)
    meta = checkpoint.read_meta(folder)
    checkpoint.check_identity(meta, spec, folder)
    net = _playing(folder, spec, meta)
    agent = NeuralAgent(name or f"checkpoint:{path}", spec, net)
    agent.temperature = float(meta.get("temperature", 1.0))
    agent.facts = {name: meta.get(name) for name in ("iteration", "decisions", "seed", "commit", "created")}
    if meta["format"] == checkpoint.AGENT_FORMAT:
        agent.facts["model"] = meta["checksums"][checkpoint.MODEL][:12]
    part = meta.get("phase", "full")
    if part == "full":
        return agent
    try:
        other = make(meta["autopilot"], spec)
    except KeyError:
        raise checkpoint.CheckpointError(f"{folder}: field autopilot is missing, and phase is {part!r}") from None
    return CombinedAgent(agent.name, spec, *((agent, other) if part == "bidding" else (other, agent)))


def _playing(folder: Path, spec: GameSpec, meta: dict[str, Any]) -> PolicyNet | PolicyValueNet:
    """The network of a checkpoint, with its weights."""
    net = build(spec, meta, folder)
    checkpoint.load_into(net, checkpoint.read_tensors(folder, checkpoint.MODEL, meta), folder)
    return net.eval()


def build(spec: GameSpec, meta: dict[str, Any], where: Any) -> PolicyNet | PolicyValueNet:
    """The (untrained) network that a checkpoint or an exported agent describes."""
    only_plays = meta.get("format") == checkpoint.AGENT_FORMAT
    try:
        described = meta["network"]
        critic = "shared" if only_plays else described["critic"]
        config = NetworkConfig(tuple(described["hidden"]), critic, bool(described["symmetry"]))
    except (KeyError, TypeError) as error:
        raise checkpoint.CheckpointError(f"{where}: the description of the network is unreadable: {error}") from None
    try:
        return PolicyNet(spec, config) if only_plays else PolicyValueNet(spec, config)
    except (ValueError, TypeError, RuntimeError) as error:
        raise checkpoint.CheckpointError(f"{where}: the network cannot be built: {error}") from None
