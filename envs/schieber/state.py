"""The state of N games of Schieber as arrays. Cards are bits of uint64 words; seats index the last axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import U8, U64
from ..core.state import BatchState
from .tables import NO_CONTRACT, NO_SUIT

I8 = npt.NDArray[np.int8]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]

#: winner: nobody yet, or a draw of a match of a fixed number of hands.
UNDECIDED, DRAW = -1, 2

#: Columns of `sheet`: score as 250ths of the target (units of 20 points without one), points to the target
#: (255 if more), whether half the target is reached; then of this hand, before the multiplier: card points
#: and last trick, tricks, Weis, Stöck and match bonus, the last three in tens.
SCORE, TO_GO, SAFE, POINTS, TRICKS, WEIS, STOCK, BONUS = range(8)
SCORES = slice(SCORE, SAFE + 1)

#: Width of `when`: 36 cards, then columns that other actions may write to.
WHEN = 64


@dataclass
class SchieberState(BatchState):
    """Fields that begin with `last_` describe the last finished hand and outlive an automatic reset."""

    # The cards.
    hands: U64  # [N, 4] cards held
    played: U64  # [N, 4] cards played in this hand
    table: U64  # [N, 4] card on the table, empty word if none
    when: U8  # [N, 64] 1 + place of each card in the order of play, 0 if not played (columns ≥ 36: scratch)
    flags: U64  # [N] public facts of seats and table (tables.FLAGS)

    # The trick.
    code: I16  # [N] winning code (core.tricks), EMPTY if no card lies
    led: I8  # [N] suit led, 4 if none
    order: I8  # [N] cards on the table
    leader: I8  # [N] seat that leads this trick
    tricks: I8  # [N] tricks completed in this hand
    trick_points: I16  # [N] card points on the table

    # The contract.
    contract: I8  # [N] 0..3 trump, 4 Obenabe, 5 Undenufe, 6 none yet
    forehand: I8  # [N]
    declarer: I8  # [N] seat that chose, -1 before
    pushes: I8  # [N] times pushed in this hand
    multiplier: I32  # [N] 1 before the contract

    # Weis and Stöck.
    weis_tens: U8  # [N, 4] sum of each seat's sets, divided by 10
    weis_cards: U64  # [N, 4] cards of each seat's sets (known from the contract on)
    weis_key: I16  # [N, 4] key of each seat's best set, 0 if none
    shown: U64  # [N, 4] cards shown to all (J-WEIS-08)
    pair: U64  # [N] unplayed cards of an unscored Stöck that one seat was dealt, empty if none
    pair_seat: I8  # [N] its seat, -1

    #: Score sheet: what an observation shows of each team, one byte each (SCORE … BONUS below).
    sheet: U8  # [N, 2, 8]

    # The match.
    scores: I32  # [N, 2] live
    start_scores: I32  # [N, 2] at the start of the hand
    hand_number: I32  # [N] hands finished in this match
    winner: I8  # [N] team that won the match, UNDECIDED, or DRAW

    last_contract: I8  # [N] 6 if the match ended before the choice (never), see contract
    last_declarer: I8  # [N]
    last_forehand: I8  # [N]
    last_pushes: I8  # [N]
    last_sheet: U8  # [N, 2, 8]
    last_points: I32  # [N, 2] everything scored in the hand, with the multiplier
    last_scores: I32  # [N, 2] after the hand
    last_winner: I8  # [N] of the match, if the hand ended it
    last_schneider: npt.NDArray[np.bool_]  # [N]


def empty_state(n: int) -> SchieberState:
    """N finished games of which nothing is known yet."""

    def zeros(dtype: Any, *shape: int) -> npt.NDArray[Any]:
        return np.zeros((n, *shape), dtype)

    fields: dict[str, npt.NDArray[Any]] = {}
    for name in ("game_id", "hand_id", "episode_hand"):
        fields[name] = zeros(np.int64)
    for name in ("hands", "played", "table", "weis_cards", "shown"):
        fields[name] = zeros(np.uint64, 4)
    for name in ("flags", "pair"):
        fields[name] = zeros(np.uint64)
    fields["when"] = zeros(np.uint8, WHEN)
    for name in (
        "led", "order", "leader", "tricks", "contract", "forehand", "declarer", "pushes", "player", "pair_seat",
        "winner", "last_contract", "last_declarer", "last_forehand", "last_pushes", "last_winner",
    ):  # fmt: skip
        fields[name] = zeros(np.int8)
    fields["last_sheet"] = zeros(np.uint8, 2, 8)
    for name in ("code", "trick_points"):
        fields[name] = zeros(np.int16)
    fields["weis_tens"] = zeros(np.uint8, 4)
    fields["weis_key"] = zeros(np.int16, 4)
    fields["sheet"] = zeros(np.uint8, 2, 8)
    for name in ("scores", "start_scores", "last_points", "last_scores"):
        fields[name] = zeros(np.int32, 2)
    fields["multiplier"] = zeros(np.int32)
    fields["hand_number"] = zeros(np.int32)
    fields["last_schneider"] = zeros(np.bool_)
    state = SchieberState(**fields)  # pyright: ignore[reportArgumentType]
    state.player[:] = -1
    state.winner[:] = UNDECIDED
    state.last_winner[:] = UNDECIDED
    state.declarer[:] = -1
    state.contract[:] = state.last_contract[:] = NO_CONTRACT
    state.led[:] = NO_SUIT
    state.code[:] = tricks.EMPTY
    state.pair_seat[:] = state.last_declarer[:] = state.last_forehand[:] = -1
    return state
