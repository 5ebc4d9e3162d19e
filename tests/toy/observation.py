"""What a seat knows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bidtrick.envs.core import bits
from bidtrick.envs.core.bits import I64, U8
from bidtrick.envs.core.layout import ObsLayout

from .state import CARDS, PHASES, DozenState


@lru_cache
def layout(players: int) -> ObsLayout:
    own = "own seat first, then in playing order"
    return ObsLayout(
        [
            ("hand", (CARDS,), 1.0, "own cards"),
            ("played", (players, CARDS), 1.0, f"cards played in this hand ({own})"),
            ("table", (players, CARDS), 1.0, f"cards on the table ({own})"),
            ("phase", (len(PHASES),), 1.0, "phase: " + ", ".join(PHASES)),
            ("dealer", (players,), 1.0, f"dealer ({own})"),
            ("bidder", (players,), 1.0, f"who has the standing bid ({own})"),
            ("led", (4,), 1.0, "suit led, or none"),
            ("calls", (players,), 1 / 8, f"calls: 0 none yet, 1 pass, 1 + bid ({own})"),
            ("taken", (players,), 1 / 6, f"tricks taken ({own})"),
            ("score", (players,), 1 / 255, f"score: 128 at zero, clipped ({own})"),
            ("target", (1,), 1 / 255, "rules: target, 255 if more"),
        ]
    )


def write(s: DozenState, seats: I64, target: int) -> U8:
    """uint8 [N, D]."""
    n, players = s.hands.shape
    turn = (seats[:, None] + np.arange(players)) % players
    rows = np.arange(n)[:, None]

    def seat_flags(seat: np.ndarray) -> U8:
        return (turn == seat[:, None]).astype(np.uint8)

    words = np.concatenate([s.hands[rows, turn[:, :1]], s.played[rows, turn], s.table[rows, turn]], axis=1)
    return np.concatenate(
        [
            bits.unpack(words[:, :, None], CARDS).reshape(n, -1),
            np.eye(len(PHASES), dtype=np.uint8)[s.phase],
            seat_flags(s.dealer),
            seat_flags(s.bidder),
            np.eye(4, dtype=np.uint8)[s.led],
            s.calls[rows, turn].astype(np.uint8),
            s.taken[rows, turn].astype(np.uint8),
            np.clip(s.scores[rows, turn] + 128, 0, 255).astype(np.uint8),
            np.full((n, 1), min(target, 255), np.uint8),
        ],
        axis=1,
    )


def hidden(s: DozenState, seats: I64) -> U8:
    """The others' hands. uint8 [N, 12·(P - 1)]."""
    n, players = s.hands.shape
    turn = (seats[:, None] + np.arange(1, players)) % players
    return bits.unpack(s.hands[np.arange(n)[:, None], turn][:, :, None], CARDS).reshape(n, -1)
