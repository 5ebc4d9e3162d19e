"""The uniformly random agent."""

from __future__ import annotations

import numpy as np

from .base import F64, I64, U8, Agent, Bools


class RandomAgent(Agent):
    """Plays every legal action with the same probability."""

    def act(self, obs: U8, mask: Bools, rng: np.random.Generator) -> I64:
        counts = mask.sum(axis=1)
        nth = (rng.random(len(mask)) * counts).astype(np.int64) + 1
        return np.argmax(np.cumsum(mask, axis=1) == nth[:, None], axis=1)

    def probabilities(self, obs: U8, mask: Bools, rng: np.random.Generator) -> F64:
        return mask / mask.sum(axis=1, keepdims=True)
