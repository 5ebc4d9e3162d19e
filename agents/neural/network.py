"""Policy and value networks over flat observations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...envs.core.spec import GameSpec

CRITICS = ("shared", "separate", "central")


@dataclass(frozen=True)
class NetworkConfig:
    """Shape of a network.

    Attributes:
        hidden: widths of the hidden layers.
        critic: "shared" (the value is a second head of the policy's layers), "separate" (it has layers of its
            own), or "central" (layers of its own that also see what the seat cannot: only used in training).
        symmetry: see decisions in the game's canonical form (`envs.core.symmetry`), if it has one.
    """

    hidden: tuple[int, ...] = (256, 256)
    critic: str = "shared"
    symmetry: bool = True


def _trunk(size: int, hidden: tuple[int, ...]) -> nn.ModuleList:
    layers = nn.ModuleList()
    for width in hidden:
        layer = nn.Linear(size, width)
        nn.init.orthogonal_(layer.weight, 2**0.5)
        nn.init.zeros_(layer.bias)
        layers.append(layer)
        size = width
    return layers


class _Body(nn.Module):
    """What all networks share: layers from observations to action logits.

    Observations are scaled by the layout inside the network, so callers hand over `uint8` as the engine
    writes it. The hidden layers may run in bfloat16 (`low_precision`); the heads always run in float32.
    """

    policy_head: nn.Linear

    def __init__(self, spec: GameSpec, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.low_precision = False
        self.symmetry = spec.symmetry if config.symmetry else None
        self.register_buffer("scale", torch.from_numpy(np.array(spec.layout.scale)), persistent=False)
        self.policy_trunk = _trunk(spec.layout.size, config.hidden)

    def _run(self, trunk: nn.ModuleList, x: Tensor, more: Tensor | None = None) -> Tensor:
        scale = cast(Tensor, self.scale)
        for number, module in enumerate(trunk):
            layer = cast(nn.Linear, module)
            # scaling the first weights instead of the input saves a pass over the (large) batch
            weight = layer.weight * scale if number == 0 else layer.weight
            y = F.linear(x, weight.to(x.dtype), layer.bias.to(x.dtype))
            if number == 0 and more is not None:
                y = y + more
            x = F.relu(y)
        return x.float()

    def policy(self, obs: Tensor) -> Tensor:
        """uint8 [n, D] → logits float32 [n, num_actions] (not masked)."""
        return self.policy_head(self._run(self.policy_trunk, self._input(obs)))

    def _input(self, bits: Tensor) -> Tensor:
        return bits.to(torch.bfloat16 if self.low_precision else torch.float32)


class PolicyNet(_Body):
    """Only what plays: the policy's layers, without a value. It is loaded, never trained."""

    def __init__(self, spec: GameSpec, config: NetworkConfig) -> None:
        super().__init__(spec, config)
        self.policy_head = nn.Linear(config.hidden[-1], spec.num_actions)

    def forward(self, obs: Tensor) -> Tensor:
        """uint8 [n, D] → logits float32 [n, num_actions] (not masked)."""
        return self.policy(obs)

    @staticmethod
    def part_of(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The tensors of a `PolicyValueNet` that are also this network's."""
        return {name: tensor for name, tensor in tensors.items() if name.startswith("policy_")}


class PolicyValueNet(_Body):
    """A multilayer perceptron from observations to action logits and a value."""

    def __init__(self, spec: GameSpec, config: NetworkConfig) -> None:
        if config.critic not in CRITICS:
            raise ValueError(f"critic={config.critic!r} is not allowed; allowed: {' | '.join(map(repr, CRITICS))}")
        super().__init__(spec, config)
        self.value_trunk = None if config.critic == "shared" else _trunk(spec.layout.size, config.hidden)
        #: what the hidden cards add to the first value layer
        self.hidden_cards: nn.Linear | None = None
        if config.critic == "central":
            self.hidden_cards = nn.Linear(spec.hidden_size, config.hidden[0], bias=False)
            nn.init.orthogonal_(self.hidden_cards.weight, 2**0.5)
        self.policy_head = nn.Linear(config.hidden[-1], spec.num_actions)
        self.value_head = nn.Linear(config.hidden[-1], 1)
        nn.init.orthogonal_(self.policy_head.weight, 0.01)
        nn.init.orthogonal_(self.value_head.weight, 1.0)
        nn.init.zeros_(self.policy_head.bias)
        nn.init.zeros_(self.value_head.bias)

    def forward(self, obs: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits and values.

        Args:
            obs: uint8 [n, D].
            hidden: uint8 [n, H], `BatchedGame.state_planes`; a central critic needs it, others ignore it.

        Returns: logits float32 [n, num_actions] (not masked), value float32 [n].
        """
        x = self._input(obs)
        policy = self._run(self.policy_trunk, x)
        if self.value_trunk is None:
            seen = policy
        else:
            more = None
            if self.hidden_cards is not None:
                assert hidden is not None, "a central critic needs the hidden cards"
                more = F.linear(self._input(hidden), self.hidden_cards.weight.to(x.dtype))
            seen = self._run(self.value_trunk, x, more)
        return self.policy_head(policy), self.value_head(seen).squeeze(-1)


def masked_log_probs(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities of the legal actions, a very negative number for the others. float32 [n, A]."""
    return F.log_softmax(logits.masked_fill(~mask, -1e9), dim=-1)


def fast_bfloat16(device: torch.device) -> bool:
    """Whether the hidden layers run faster in bfloat16 on this device."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return bool(torch.backends.mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported())
