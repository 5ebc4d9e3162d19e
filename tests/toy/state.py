"""N games of Dozen as arrays, and the cards as tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bidtrick.envs.core import tricks
from bidtrick.envs.core.bits import U64
from bidtrick.envs.core.cards import Deck
from bidtrick.envs.core.state import BatchState

DECK = Deck(
    "Dozen cards", ("Clubs", "Diamonds", "Hearts"), ("Jack", "Queen", "King", "Ace"),
    ("clubs", "diamonds", "hearts"), ("J", "Q", "K", "A"),
)  # fmt: skip
CARDS, RANKS, NO_SUIT = 12, 4, 3
PHASES = ("bid", "play")
BID, PLAY = range(2)
#: Cards of each suit, and of all for "no suit led". uint64 [4].
SUIT_WORDS: U64 = np.array([0xF, 0xF0, 0xF00, 0xFFF], np.uint64)
#: Strength of a card when a suit (or none) is led, -1 if it does not follow. int16 [4, 12].
STRENGTH = np.array(
    [[c % RANKS if led in (c // RANKS, NO_SUIT) else -1 for c in range(CARDS)] for led in range(4)], np.int16
)

I8 = npt.NDArray[np.int8]
Ints = npt.NDArray[Any]


@dataclass
class DozenState(BatchState):
    """P seats."""

    hands: U64  # [N, P]
    played: U64  # [N, P] in this hand
    table: U64  # [N, P] in this trick
    phase: I8  # [N] index into PHASES
    dealer: I8  # [N]
    calls: I8  # [N, P] 0 none yet, 1 pass, 1 + bid
    bid: I8  # [N] standing bid, 0 none
    bidder: I8  # [N] -1 none
    leader: I8  # [N]
    led: I8  # [N] suit led, 3 none
    code: npt.NDArray[np.int16]  # [N] winning card (core.tricks), EMPTY without one
    taken: I8  # [N, P] tricks
    log: npt.NDArray[np.int16]  # [N, 12 + P] actions · 4 + seat
    log_length: I8  # [N]
    scores: npt.NDArray[np.int32]  # [N, P]
    hand_number: npt.NDArray[np.int32]  # [N]
    last_bid: I8  # [N] of the last hand, as all that follow; 0 before the first
    last_bidder: I8  # [N]
    last_taken: I8  # [N, P]
    last_gain: npt.NDArray[np.int32]  # [N, P]
    last_scores: npt.NDArray[np.int32]  # [N, P]
    last_winner: I8  # [N] of the match, -1 undecided


def empty_state(n: int, players: int) -> DozenState:
    """N finished games."""
    wide = {"hands": np.uint64, "played": np.uint64, "table": np.uint64, "calls": np.int8, "taken": np.int8}
    wide |= {"scores": np.int32, "last_taken": np.int8, "last_gain": np.int32, "last_scores": np.int32}
    single = {"game_id": np.int64, "hand_id": np.int64, "episode_hand": np.int64, "code": np.int16}
    single |= {"hand_number": np.int32}
    fields: dict[str, Any] = {"log": np.zeros((n, CARDS + players), np.int16)}
    for name in DozenState.__dataclass_fields__:
        if name not in fields:
            shape = (n, players) if name in wide else (n,)
            fields[name] = np.zeros(shape, wide.get(name, single.get(name, np.int8)))
    state = DozenState(**fields)
    state.player[:] = state.last_winner[:] = state.last_bidder[:] = -1
    state.code[:] = tricks.EMPTY
    return state
