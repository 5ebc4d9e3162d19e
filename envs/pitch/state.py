"""The state of N games of Pitch as arrays. Cards are bits of uint64 words; seats are the second axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import U8, U64
from ..core.state import BatchState
from .rules import PitchRules
from .tables import NO_CARD, NO_TRUMP, tables

I8 = npt.NDArray[np.int8]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

#: Columns of `cards`, one word each: what a seat holds (all its cards before trump is named, its trumps after),
#: was dealt, drew from the stock, saw or received of the leftovers, threw away of its trumps, burned,
#: played in this hand, and has on the table.
HELD, DEALT, DRAWN, SEEN, THROWN, BURNED, PLAYED, TABLE = range(8)

#: Rows of `sheet`, one byte a seat: burned points credited (BD-4), bid (0 not yet, 1 pass, 1 + value), 1 + cards
#: asked for (0 not asked), cards drawn, leftovers received, cards burned, points won so far, and the score:
#: coarse, points to the target, sign (0 below zero, 1 zero, 2 above). All but the first are shown to everybody.
CREDIT, BIDS, ASKED, DREW, KITTY_TO, BURNS, POINTS, SCORE, TO_GO, SIGN = range(10)
SHEET_ROWS = 10

#: Room for bids, trump, call, four "done", 38 leftovers one by one, "stop", and 14 burned cards.
LOG = 64

#: Where the called card was (P-5H-04, P-5H-05, BD-24).
NOT_CALLED, IN_HAND, IN_BLIND, OWN = range(4)

#: `last_moon`.
NO_MOON, MOON_MADE, MOON_FAILED = range(3)


@dataclass
class PitchState(BatchState):
    """P seats; E score entries (two teams, or five players). `last_…` describe the last scored hand."""

    # The cards.
    cards: U64  # [N, P, 8] see HELD …
    when: U8  # [N, 64] 1 + place in the play (trick · P + distance from the leader), 0 if not played
    stock: U8  # [N, W] stock, or blind, top first; thrown trumps are put below it (BD-12)
    stock_next: I8  # [N] first card of the stock not yet given out
    stock_end: I8  # [N] end of the leftovers

    # The hand.
    phase: I8  # [N] index into tables.PHASES
    dealer: I8  # [N]
    asked: I8  # [N] seats still to be asked about a misdeal (mask)
    declined: I8  # [N] seats that declined to call one (mask; private, BD-6)
    bid: I8  # [N] standing bid: 0 none, 1..N, N + 1 moon, N + 2 double moon
    bidder: I8  # [N] -1 if nobody has bid
    trump: I8  # [N] 0..3, 4 none yet
    called: I8  # [N] card called five-handed, 54 none
    called_from: I8  # [N] NOT_CALLED, IN_HAND, IN_BLIND, OWN
    partner: I8  # [N] of the bidder, -1 none (five-handed: also before the call)
    shown: Bools  # [N] everybody knows who is the partner (always four-handed, from the auction on)
    filled: Bools  # [N] the fill is over, or the blind taken up
    kitty_size: I8  # [N] all leftovers, 0 before the fill

    # The trick.
    code: I16  # [N] winning code (core.tricks), EMPTY if no card lies
    leader: I8  # [N] seat that leads this trick, 0 before the play
    alive: U8  # [N] seats that hold trumps (mask; meaningful in the play)
    tricks: I8  # [N] complete tricks
    trick_points: U8  # [N] points on the table that go with the trick

    flags: U64  # [N] public facts of seats (tables.SEAT_FIELDS)
    sheet: U8  # [N, 10, B] see CREDIT …; B = 4, five-handed 8 (a row is one word), bytes from P on are 0

    log: I16  # [N, 64] public actions that play no card, in order: action · 8 + seat
    log_length: I8  # [N]

    # The match.
    scores: I32  # [N, E]
    hand_number: I32  # [N] hands scored in this match (BD-37)
    winners: Bools  # [N, E]

    last_bid: I8  # [N] as `bid`
    last_bidder: I8  # [N] -1 before the first scored hand
    last_partner: I8  # [N] -1 for none
    last_dealer: I8  # [N]
    last_trump: I8  # [N]
    last_called: I8  # [N]
    last_called_from: I8  # [N]
    last_took: I16  # [N] points of the bidding side
    last_against: I16  # [N] points of the defenders
    last_made: Bools  # [N]
    last_moon: I8  # [N] NO_MOON, MOON_MADE, MOON_FAILED
    last_tricks: I8  # [N]
    last_points: U8  # [N, P] points by seat, credited ones included
    last_gain: I32  # [N, E] change of the scores
    last_scores: I32  # [N, E] after the hand
    last_winners: Bools  # [N, E] of the match, if the hand ended it
    last_truncated: Bools  # [N] cut off after `max_hands` (P-END-05)

    @property
    def hands(self) -> U64:
        """Cards held: all before trump is named, the trumps after. uint64 [N, P], a view."""
        return self.cards[:, :, HELD]


def stock_width(rules: PitchRules) -> int:
    """Columns of `stock`: with to_kitty the thrown trumps follow the cards of the deck."""
    t = tables(rules)
    thrown = int(np.bitwise_count(t.trumps).max()) if rules.discarded_trump == "to_kitty" else 0
    return max(1, t.stock_size + thrown)


def sheet_width(players: int) -> int:
    """Bytes of a row of the sheet."""
    return 4 if players == 4 else 8


def empty_state(n: int, rules: PitchRules) -> PitchState:
    """N finished games of which nothing is known yet."""
    p, e = rules.players, rules.entries
    shapes: dict[str, tuple[type, tuple[int, ...]]] = {
        "cards": (np.uint64, (p, 8)),
        "when": (np.uint8, (64,)),
        "stock": (np.uint8, (stock_width(rules),)),
        "code": (np.int16, ()),
        "log": (np.int16, (LOG,)),
        "alive": (np.uint8, ()),
        "trick_points": (np.uint8, ()),
        "flags": (np.uint64, ()),
        "sheet": (np.uint8, (SHEET_ROWS, sheet_width(p))),
        "hand_number": (np.int32, ()),
        "last_points": (np.uint8, (p,)),
    }
    for name in ("game_id", "hand_id", "episode_hand"):
        shapes[name] = (np.int64, ())
    for name in ("shown", "filled", "last_made", "last_truncated"):
        shapes[name] = (np.bool_, ())
    for name in ("winners", "last_winners"):
        shapes[name] = (np.bool_, (e,))
    for name in ("scores", "last_gain", "last_scores"):
        shapes[name] = (np.int32, (e,))
    for name in ("last_took", "last_against"):
        shapes[name] = (np.int16, ())
    for name in PitchState.__dataclass_fields__:
        shapes.setdefault(name, (np.int8, ()))
    fields: dict[str, npt.NDArray[np.generic]] = {}
    for name, (dtype, shape) in shapes.items():
        fields[name] = np.zeros((n, *shape), dtype)
    state = PitchState(**fields)  # pyright: ignore[reportArgumentType]
    state.player[:] = -1
    state.code[:] = tricks.EMPTY
    for array in (state.bidder, state.partner, state.last_bidder, state.last_partner, state.last_dealer):
        array[:] = -1
    state.trump[:] = state.last_trump[:] = NO_TRUMP
    state.called[:] = state.last_called[:] = NO_CARD
    return state
