"""Options and presets of Dozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bidtrick.envs.core.rules import Rules, option, positive_int


@dataclass(frozen=True)
class DozenRules(Rules):
    game: ClassVar[str] = "dozen"

    players: int = option(2, choices=(2, 3), ids="D-EQP-01", doc="number of players")
    target: int = option(12, check=positive_int, values="a positive int", ids="D-END-01", doc="points that win a match")
    max_hands: int = option(50, check=positive_int, values="a positive int", ids="D-END-01", doc="longest match")

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"two": {}, "three": {"players": 3}}

    @property
    def hand_size(self) -> int:
        return 12 // self.players
