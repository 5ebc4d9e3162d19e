"""The state of N games of Thousand as arrays. Cards are bits of uint64 words; P seats index the second axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import U8, U64
from ..core.state import BatchState
from .rules import ThousandRules
from .tables import CARDS, NO_SUIT, action_space

I8 = npt.NDArray[np.int8]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

#: winner: nobody yet, or equal totals after the last of a fixed number of deals (T-TOUR-01).
UNDECIDED, DRAW = -1, -2

#: Columns of `sheet`, what everybody sees of a seat: score in steps of 16 from -2048 and its low four bits,
#: points to the barrel (or to the target, without or on the barrel), bolts, failed attempts on the barrel, falls,
#: write-offs, last contract in fives; then of this deal card points, tricks, marriage points in tens, and the
#: last bid in fives.
SCORE, SCORE_LOW, TO_GO, BOLTS, ATTEMPTS, FALLS, WRITE_OFFS, LAST_CONTRACT, POINTS, TRICKS, MARRIAGES, BID = range(12)
SHEET = 12

#: Columns of `desk`: three that an observation adds (points on the table, cards there, tricks), then cards given
#: away, highest bid and contract in fives, redeals of this deal, deals of this match.
GIVEN, PRICE, NAMED, REDEALS, DEALS = range(3, 8)

#: Bits of `last_events`, what happened to a seat at the end of a deal (section 20).
EVENTS = (
    "bolt",
    "bolt_fine",
    "write_off_fine",
    "truck",
    "attempt",
    "fall",
    "mount",
    "third_fall",
    "win",
    "golden_reset",
)
BOLT, BOLT_FINE, WRITE_OFF_FINE, TRUCK, ATTEMPT, FALL, MOUNT, THIRD_FALL, WIN, GOLDEN_RESET = (
    np.int16(1 << k) for k in range(10)
)

#: Width of `when`: 24 cards and the places to which other actions write.
WHEN = 32


@dataclass
class ThousandState(BatchState):
    """Fields that begin with `last_` describe the last finished deal and outlive an automatic reset."""

    phase: I8  # [N] tables.PHASES

    # The cards.
    hands: U64  # [N, P] cards held
    played: U64  # [N, P] cards played in this deal
    table: U64  # [N, P] card on the table, empty word if none
    when: U8  # [N, 32] 1 + place of each card in the order of play, 0 if not played (columns ≥ 24: scratch)
    stock: I8  # [N, S] the undealt cards in the order of the deck: the first talon, then the second
    talons: U64  # [N, 2] the talons (the second one empty unless two play)
    talon: U64  # [N] the talon that was taken, empty before
    gave: U64  # [N, 2] the cards that the declarer gave away, in order
    sees_talon: U64  # [N, P] the taken talon, as far as each seat knows it (T-TAL-03 to T-TAL-05)
    sees_gave: U64  # [N, P, 2] the cards given away, as far as each seat knows them (T-PASS-02)
    facts: U64  # [N] public facts of seats (tables.facts)
    married: U64  # [N] who declared what, and facts of the table (tables.married, TABLE_BITS)

    # Before the auction.
    queue: U8  # [N] places (from forehand) still to be asked in a phase of questions, as bits
    dark: I8  # [N] who announced a dark game and was not outbid, -1
    blind: I8  # [N] whose cards lie unseen, -1
    info: I8  # [N, P] index in `stock` of the card that a bonus shows to the seat, -1
    redeals: I16  # [N] how often this deal was thrown in

    # Auction and contract.
    price: I16  # [N] highest bid, 0 before the first; after the auction the declarer's bid
    holder: I8  # [N] who bid it, -1
    out: U8  # [N] seats that have passed or are silent, as bits
    silent: U8  # [N] seats that pass by themselves (T-AUC-10), as bits
    said: U64  # [N, P, A] amounts that each seat has named, as bits
    passed_at: I16  # [N, P] number of the highest amount when the seat passed, -1 if it has not
    at_100: Bools  # [N] the bid is 100 and came from an auction (T-TAL-04)
    declarer: I8  # [N] -1 before
    contract: I16  # [N] 0 before
    gives: I8  # [N] cards given so far

    # The trick.
    code: I16  # [N] winning code (core.tricks), EMPTY if no card lies
    led: I8  # [N] suit led, 4 if none
    order: I8  # [N] cards on the table
    leader: I8  # [N] seat that leads this trick
    tricks: I8  # [N] tricks completed in this deal
    trick_points: I16  # [N] card points on the table
    trump: I8  # [N] 4 if none
    trump_owner: I8  # [N] who declared it, -1
    next_trump: I8  # [N] trump from the next trick on (T-MAR-08), 4 if no change waits
    next_owner: I8  # [N]

    #: What an observation shows of each seat and of the table, one byte each (SCORE … BID, GIVEN … DEALS above).
    sheet: U8  # [N, P, 12]
    desk: U8  # [N, 8]

    # The match.
    dealer: I8  # [N]
    scores: I32  # [N, P]
    start_scores: I32  # [N, P] at the start of the deal, before a cut is fined
    bolts: I16  # [N, P]
    barrel: Bools  # [N, P]
    attempts: I16  # [N, P] failed attempts since mounting
    falls: I16  # [N, P]
    write_offs: I16  # [N, P]
    last_contracts: I16  # [N, P] last contract named (or bid written off) in the match, 120 if none
    deals_played: I32  # [N] deals finished in this match
    golden_left: I8  # [N] deals left in the golden round, this one included
    golden_made: Bools  # [N] somebody made his contract in this golden round
    winner: I8  # [N] seat that won the match, UNDECIDED, or DRAW

    last_dealer: I8  # [N]
    last_declarer: I8  # [N] -1 before the first deal is finished
    last_bid: I16  # [N]
    last_contract: I16  # [N] 0 if written off
    last_written_off: Bools  # [N]
    last_made: Bools  # [N]
    last_golden: Bools  # [N]
    last_dark: Bools  # [N]
    last_talon: U64  # [N]
    last_points: I16  # [N, P] card points taken
    last_marriages: I16  # [N, P]
    last_tricks: I8  # [N, P]
    last_entries: I32  # [N, P] what each seat wrote, before fines
    last_fines: I32  # [N, P] fines for bolts and write-offs
    last_scores: I32  # [N, P] after the deal
    last_gains: I32  # [N, P] change of the score in the deal, everything included
    last_events: I16  # [N, P] bits of EVENTS
    last_winner: I8  # [N] of the match, if the deal ended it


_SHAPES: dict[Any, dict[str, str]] = {
    np.int64: {"game_id": "", "hand_id": "", "episode_hand": ""},
    np.uint64: {
        "hands": "P", "played": "P", "table": "P", "talons": "2", "talon": "", "gave": "2", "sees_talon": "P",
        "sees_gave": "P2", "facts": "", "married": "",
        "said": "PA", "last_talon": "",
    },
    np.uint8: {"when": "W", "queue": "", "out": "", "silent": "", "sheet": "PC", "desk": "8"},
    np.int8: dict.fromkeys(
        (
            "player", "phase", "dark", "blind", "holder", "declarer", "gives", "led", "order", "leader", "tricks",
            "trump", "trump_owner", "next_trump", "next_owner", "dealer", "golden_left", "winner", "last_dealer",
            "last_declarer", "last_winner",
        ),
        "",
    ) | {"stock": "S", "info": "P", "last_tricks": "P"},
    np.int16: dict.fromkeys(("redeals", "price", "contract", "code", "trick_points", "last_bid", "last_contract"), "")
    | dict.fromkeys(
        (
            "bolts", "attempts", "falls", "write_offs", "last_contracts", "last_points", "last_marriages",
            "last_events", "passed_at",
        ),
        "P",
    ),
    np.int32: {"deals_played": ""}
    | dict.fromkeys(("scores", "start_scores", "last_entries", "last_fines", "last_scores", "last_gains"), "P"),
    np.bool_: {"barrel": "P"}
    | dict.fromkeys(("at_100", "golden_made", "last_written_off", "last_made", "last_golden", "last_dark"), ""),
}  # fmt: skip


def said_words(rules: ThousandRules) -> int:
    """Words that hold one bit for each amount."""
    return (action_space(rules).amounts + 63) // 64


def empty_state(n: int, rules: ThousandRules) -> ThousandState:
    """N finished games of which nothing is known yet."""
    sizes = {"P": rules.players, "2": 2, "8": 8, "A": said_words(rules), "W": WHEN, "C": SHEET, "S": rules.stock_size}
    fields: dict[str, Any] = {
        name: np.zeros((n, *(sizes[axis] for axis in axes)), dtype)
        for dtype, names in _SHAPES.items()
        for name, axes in names.items()
    }
    state = ThousandState(**fields)
    for name in (
        "player",
        "dark",
        "blind",
        "info",
        "holder",
        "declarer",
        "trump_owner",
        "last_declarer",
        "last_dealer",
    ):
        getattr(state, name)[...] = -1
    state.winner[:] = state.last_winner[:] = UNDECIDED
    state.led[:] = state.trump[:] = state.next_trump[:] = NO_SUIT
    state.code[:] = tricks.EMPTY
    assert WHEN > CARDS
    return state
