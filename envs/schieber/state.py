"""The state of N games of Schieber as arrays. Cards are bits of uint64 words; seats index the last axis.

What is written together lies together: a new hand is a few rows copied, not a field at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import U8, U64
from ..core.state import BatchState
from .tables import FLAGS, NO_CONTRACT, NO_SUIT

I8 = npt.NDArray[np.int8]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]

#: winner: nobody yet, or a draw of a match of a fixed number of hands.
UNDECIDED, DRAW = -1, 2

#: Rows of `cards`: held, on the table, played in this hand, shown to all as Weis (J-WEIS-08).
HANDS, TABLE, PLAYED, SHOWN = range(4)
CARD_WORDS = 16  # of a game in `cards`

#: Columns of `weis`, what the cards of a deal say: the value of each seat's sets in tens (four bytes) and the first
#: forehand (the fifth byte, J-DEAL-02); who scores (see `weis.winners`) and, in bytes 6 and 7, how many tens each
#: team would; the cards of each seat's sets, with ranks counted up and (Undenufe) down.
TENS, WINNERS, SETS = 0, 1, 2
WEIS_WORDS = 10

#: Columns of `sheet`: score as 250ths of the target (units of 20 points without one), points to the target
#: (255 if more), whether half the target is reached; then of this hand, before the multiplier: card points
#: and last trick, tricks, Weis, Stöck and match bonus, the last three in tens.
SCORE, TO_GO, SAFE, POINTS, TRICKS, WEIS, STOCK, BONUS = range(8)
SCORES = slice(SCORE, SAFE + 1)

#: Columns of `match`: scores of the teams at the start of the hand, hands finished, winner.
START, HAND_NUMBER, WINNER = 0, 2, 3
NEW_MATCH: I32 = np.array([0, 0, 0, UNDECIDED], np.int32)

#: Words of `last`: flags, context, two score sheets, scores, scores at the start of the hand, 1 + winner and (second
#: byte) Schneider.
LAST_FLAGS, LAST_CONTEXT, LAST_SHEET, LAST_SCORES, LAST_START, LAST_WINNER = 0, 1, 2, 4, 5, 6
LAST_WORDS = 7

#: The context before a contract is chosen.
NO_CONTEXT = NO_CONTRACT * 5 + NO_SUIT

#: Width of `when`: 36 cards, then columns that other actions may write to.
WHEN = 64

_DECLARER, _FOREHAND, _PUSHED = (np.uint64(FLAGS.fields[name] * 4) for name in ("declarer", "forehand", "pushed"))
#: The seat of a flag that one seat has, -1 if none has it.
_SEAT_OF: I8 = np.array([-1, 0, 1, -1, 2, -1, -1, -1, 3], np.int8)


def _nibble(flags: U64, shift: np.uint64) -> U64:
    return (flags >> shift) & np.uint64(15)


def declarer_of(flags: U64) -> I8:
    """Seat that chose the contract, -1 before."""
    return _SEAT_OF.take(_nibble(flags, _DECLARER), mode="clip")


def forehand_of(flags: U64) -> I8:
    """Seat that chooses first and leads, -1 before a deal."""
    return _SEAT_OF.take(_nibble(flags, _FOREHAND), mode="clip")


def pushes_of(flags: U64) -> I8:
    """Times pushed in a hand."""
    return np.bitwise_count(_nibble(flags, _PUSHED)).astype(np.int8)


def contract_of(context: npt.NDArray[np.integer]) -> I8:
    """Contract (0..3 trump, 4 Obenabe, 5 Undenufe, 6 none yet) of a context."""
    return (context // 5).astype(np.int8)


@dataclass
class SchieberState(BatchState):
    """`last` describes the last finished hand and outlives an automatic reset."""

    # The cards.
    cards: U64  # [N, 4, 4] HANDS, TABLE, PLAYED, SHOWN of each seat
    when: U8  # [N, 64] 1 + place of each card in the order of play, 0 if not played (columns ≥ 36: scratch)
    flags: U64  # [N] public facts of seats and table (tables.FLAGS)

    # The trick.
    context: I64  # [N] contract · 5 + suit led (6 · 5 and 4 if there is none)
    code: I16  # [N] winning code (core.tricks), EMPTY if no card lies
    ply: I8  # [N] cards played in this hand
    leader: I8  # [N] seat that leads this trick
    trick_points: I16  # [N] card points on the table

    # Weis and Stöck.
    weis: U64  # [N, 10] TENS, WINNERS, SETS
    pair: U64  # [N] unplayed cards of an unscored Stöck that one seat was dealt; of all suits before the contract

    #: Score sheet: what an observation shows of each team, one byte each (SCORE … BONUS above).
    sheet: U8  # [N, 2, 8]

    scores: I32  # [N, 2] live
    match: I32  # [N, 4] START, HAND_NUMBER, WINNER (a team, UNDECIDED or DRAW)
    last: U64  # [N, 7] LAST_FLAGS … LAST_WINNER

    # Parts by name: views.

    @property
    def hands(self) -> U64:
        """Cards held. uint64 [N, 4], a view."""
        return self.cards[:, HANDS]

    @property
    def table(self) -> U64:
        """Card on the table of each seat, empty word if none. uint64 [N, 4], a view."""
        return self.cards[:, TABLE]

    @property
    def played(self) -> U64:
        """Cards played in this hand. uint64 [N, 4], a view."""
        return self.cards[:, PLAYED]

    @property
    def shown(self) -> U64:
        """Cards shown to all (J-WEIS-08). uint64 [N, 4], a view."""
        return self.cards[:, SHOWN]

    @property
    def weis_tens(self) -> U8:
        """Sum of each seat's sets, divided by 10. uint8 [N, 4], a view."""
        return self.weis[:, TENS : TENS + 1].view(np.uint8)[:, :4]

    @property
    def start_scores(self) -> I32:
        """Scores at the start of the hand. int32 [N, 2], a view."""
        return self.match[:, START:HAND_NUMBER]

    @property
    def hand_number(self) -> I32:
        """Hands finished in this match. int32 [N], a view."""
        return self.match[:, HAND_NUMBER]

    @property
    def winner(self) -> I32:
        """Team that won the match, UNDECIDED, or DRAW. int32 [N], a view."""
        return self.match[:, WINNER]

    # Facts that follow from others: computed.

    @property
    def contract(self) -> I8:
        """Contract, 6 before it is chosen. int8 [N]."""
        return contract_of(self.context)

    @property
    def led(self) -> I8:
        """Suit led, 4 if none. int8 [N]."""
        return (self.context % 5).astype(np.int8)

    @property
    def declarer(self) -> I8:
        """Seat that chose the contract, -1 before. int8 [N]."""
        return declarer_of(self.flags)

    @property
    def forehand(self) -> I8:
        """Seat that chooses first and leads. int8 [N]."""
        return forehand_of(self.flags)

    @property
    def pushes(self) -> I8:
        """Times pushed in this hand. int8 [N]."""
        return pushes_of(self.flags)

    @property
    def order(self) -> I8:
        """Cards on the table. int8 [N]."""
        return (self.ply & np.int8(3)) + np.int8(4) * self.stalled

    @property
    def tricks(self) -> I8:
        """Tricks completed in this hand. int8 [N]."""
        return (self.ply >> np.int8(2)) - self.stalled.astype(np.int8)

    @property
    def stalled(self) -> npt.NDArray[np.bool_]:
        """The fourth card of a trick ended the match, so nobody took the trick. bool [N]."""
        return (self.player < 0) & (self.code >= 0) & (self.ply & np.int8(3) == 0)

    @property
    def pair_seat(self) -> I8:
        """Seat that was dealt the Stöck, if its cards are not both played; -1 if nobody. int8 [N]."""
        held = (self.hands & self.pair[:, None]) != 0
        found = held.any(axis=1) & (self.context < NO_CONTEXT)
        return np.where(found, np.argmax(held, axis=1), -1).astype(np.int8)


def empty_state(n: int) -> SchieberState:
    """N finished games of which nothing is known yet."""

    def zeros(dtype: Any, *shape: int) -> npt.NDArray[Any]:
        return np.zeros((n, *shape), dtype)

    fields: dict[str, npt.NDArray[Any]] = {}
    for name in ("game_id", "hand_id", "episode_hand"):
        fields[name] = zeros(np.int64)
    fields["cards"] = zeros(np.uint64, 4, 4)
    fields["when"] = zeros(np.uint8, WHEN)
    for name in ("flags", "pair"):
        fields[name] = zeros(np.uint64)
    fields["context"] = np.full(n, NO_CONTEXT, np.int64)
    fields["code"] = np.full(n, tricks.EMPTY, np.int16)
    fields["trick_points"] = zeros(np.int16)
    for name in ("ply", "leader"):
        fields[name] = zeros(np.int8)
    fields["player"] = np.full(n, -1, np.int8)
    fields["weis"] = zeros(np.uint64, WEIS_WORDS)
    fields["sheet"] = zeros(np.uint8, 2, 8)
    fields["scores"] = zeros(np.int32, 2)
    fields["match"] = np.tile(NEW_MATCH, (n, 1))
    fields["last"] = zeros(np.uint64, LAST_WORDS)
    fields["last"][:, LAST_CONTEXT] = NO_CONTEXT
    return SchieberState(**fields)  # pyright: ignore[reportArgumentType]
