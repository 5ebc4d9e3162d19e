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

#: Columns of `bid`, and its row and the context before a contract is chosen.
CONTRACT, FOREHAND, DECLARER, PUSHES = range(4)
NO_BID: I8 = np.array([NO_CONTRACT, -1, -1, 0], np.int8)
NO_CONTEXT = NO_CONTRACT * 5 + NO_SUIT

#: Width of `when`: 36 cards, then columns that other actions may write to.
WHEN = 64


@dataclass
class SchieberState(BatchState):
    """Fields that begin with `last_` describe the last finished hand and outlive an automatic reset."""

    # The cards.
    hands: U64  # [N, 4] cards held
    played: U64  # [N, 4] cards played in this hand
    before: U64  # [N, 4] cards played in completed tricks of this hand
    when: U8  # [N, 64] 1 + place of each card in the order of play, 0 if not played (columns ≥ 36: scratch)
    flags: U64  # [N] public facts of seats and table (tables.FLAGS)

    # The trick.
    context: I64  # [N] contract · 5 + suit led (6 · 5 and 4 if there is none)
    code: I16  # [N] winning code (core.tricks), EMPTY if no card lies
    ply: I8  # [N] cards played in this hand
    leader: I8  # [N] seat that leads this trick
    trick_points: I16  # [N] card points on the table

    # The contract.
    bid: I8  # [N, 4] CONTRACT (0..3 trump, 4 Obenabe, 5 Undenufe, 6 none yet), FOREHAND, DECLARER (-1), PUSHES
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

    last_bid: I8  # [N, 4]
    last_sheet: U8  # [N, 2, 8]
    last_points: I32  # [N, 2] everything scored in the hand, with the multiplier
    last_scores: I32  # [N, 2] after the hand
    last_winner: I8  # [N] of the match, if the hand ended it
    last_schneider: npt.NDArray[np.bool_]  # [N]

    @property
    def contract(self) -> I8:
        """Contract, 6 before it is chosen. int8 [N], a view."""
        return self.bid[:, CONTRACT]

    @property
    def forehand(self) -> I8:
        """Seat that chooses first and leads. int8 [N], a view."""
        return self.bid[:, FOREHAND]

    @property
    def declarer(self) -> I8:
        """Seat that chose the contract, -1 before. int8 [N], a view."""
        return self.bid[:, DECLARER]

    @property
    def pushes(self) -> I8:
        """Times pushed in this hand. int8 [N], a view."""
        return self.bid[:, PUSHES]

    @property
    def led(self) -> I8:
        """Suit led, 4 if none. int8 [N], computed."""
        return (self.context % 5).astype(np.int8)

    @property
    def order(self) -> I8:
        """Cards on the table. int8 [N], computed."""
        return (self.ply & np.int8(3)) + np.int8(4) * self.stalled

    @property
    def tricks(self) -> I8:
        """Tricks completed in this hand. int8 [N], computed."""
        return (self.ply >> np.int8(2)) - self.stalled.astype(np.int8)

    @property
    def stalled(self) -> npt.NDArray[np.bool_]:
        """The fourth card of a trick ended the match, so nobody took the trick. bool [N], computed."""
        return (self.player < 0) & (self.code >= 0) & (self.ply & np.int8(3) == 0)

    @property
    def table(self) -> U64:
        """Card on the table of each seat, empty word if none. uint64 [N, 4], computed."""
        return self.played & ~self.before


def empty_state(n: int) -> SchieberState:
    """N finished games of which nothing is known yet."""

    def zeros(dtype: Any, *shape: int) -> npt.NDArray[Any]:
        return np.zeros((n, *shape), dtype)

    fields: dict[str, npt.NDArray[Any]] = {}
    for name in ("game_id", "hand_id", "episode_hand"):
        fields[name] = zeros(np.int64)
    for name in ("hands", "played", "before", "weis_cards", "shown"):
        fields[name] = zeros(np.uint64, 4)
    for name in ("flags", "pair"):
        fields[name] = zeros(np.uint64)
    fields["when"] = zeros(np.uint8, WHEN)
    for name in ("player", "ply", "leader", "pair_seat", "winner", "last_winner"):
        fields[name] = zeros(np.int8)
    for name in ("bid", "last_bid"):
        fields[name] = zeros(np.int8, 4)
    fields["context"] = zeros(np.int64)
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
    state.bid[:] = state.last_bid[:] = NO_BID
    state.context[:] = NO_CONTEXT
    state.code[:] = tricks.EMPTY
    state.pair_seat[:] = -1
    return state
