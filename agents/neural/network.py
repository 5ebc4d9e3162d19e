"""Policy and value networks over flat observations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...envs.core.spec import GameSpec


@dataclass(frozen=True)
class NetworkConfig:
    """Shape of a network.

    Attributes:
        hidden: widths of the hidden layers.
        shared: whether policy and value share the hidden layers.
    """

    hidden: tuple[int, ...] = (256, 256)
    shared: bool = True


def _trunk(size: int, hidden: tuple[int, ...]) -> nn.ModuleList:
    layers = nn.ModuleList()
    for width in hidden:
        layer = nn.Linear(size, width)
        nn.init.orthogonal_(layer.weight, 2**0.5)
        nn.init.zeros_(layer.bias)
        layers.append(layer)
        size = width
    return layers


class PolicyValueNet(nn.Module):
    """A multilayer perceptron from observations to action logits and a value.

    Observations are scaled by the layout inside the network, so callers hand over `uint8` as the engine
    writes it. The hidden layers may run in bfloat16 (`half`); the two heads always run in float32.
    """

    def __init__(self, spec: GameSpec, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.half = False
        self.register_buffer("scale", torch.from_numpy(np.array(spec.layout.scale)), persistent=False)
        self.policy_trunk = _trunk(spec.layout.size, config.hidden)
        self.value_trunk = None if config.shared else _trunk(spec.layout.size, config.hidden)
        self.policy_head = nn.Linear(config.hidden[-1], spec.num_actions)
        self.value_head = nn.Linear(config.hidden[-1], 1)
        nn.init.orthogonal_(self.policy_head.weight, 0.01)
        nn.init.orthogonal_(self.value_head.weight, 1.0)
        nn.init.zeros_(self.policy_head.bias)
        nn.init.zeros_(self.value_head.bias)

    def _run(self, trunk: nn.ModuleList, x: Tensor) -> Tensor:
        scale = cast(Tensor, self.scale)
        for number, module in enumerate(trunk):
            layer = cast(nn.Linear, module)
            # scaling the first weights instead of the input saves a pass over the (large) batch
            weight = layer.weight * scale if number == 0 else layer.weight
            x = F.relu(F.linear(x, weight.to(x.dtype), layer.bias.to(x.dtype)))
        return x.float()

    def forward(self, obs: Tensor) -> tuple[Tensor, Tensor]:
        """uint8 [n, D] → logits float32 [n, num_actions] (not masked), value float32 [n]."""
        x = obs.to(torch.bfloat16 if self.half else torch.float32)
        hidden = self._run(self.policy_trunk, x)
        seen = hidden if self.value_trunk is None else self._run(self.value_trunk, x)
        return self.policy_head(hidden), self.value_head(seen).squeeze(-1)


def masked_log_probs(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities of the legal actions, a very negative number for the others. float32 [n, A]."""
    return F.log_softmax(logits.masked_fill(~mask, -1e9), dim=-1)


def fast_half(device: torch.device) -> bool:
    """Whether the hidden layers run faster in bfloat16 on this device."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return bool(torch.backends.mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported())
