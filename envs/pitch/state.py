"""The state of N games of Pitch as arrays. Cards are bits of uint64 words; seats are the second axis.

What is written together lies together: a new hand is a few rows copied, not a field at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import U8, U64, lowest_bit
from ..core.state import BatchState
from .rules import PitchRules
from .tables import KITTY, NO_CARD, NO_TRUMP, PHASE_OF, TRUMP_OF, partner_shown, tables
from .turns import ALIVE_OF, LEADER_OF, NOBODY

I8 = npt.NDArray[np.int8]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

#: Columns of `cards`, one word each: what a seat holds (all its cards before trump is named, its trumps after),
#: was dealt, drew from the stock, saw or received of the leftovers, threw away of its trumps, burned, and
#: played in this hand.
HELD, DEALT, DRAWN, SEEN, THROWN, BURNED, PLAYED = range(7)
SEAT_WORDS = 7

#: Rows of `sheet`, one byte a seat: burned points credited (BD-4), bid (0 not yet, 1 pass, 1 + value), 1 + cards
#: asked for (0 not asked), cards drawn, leftovers received, cards burned, points won so far, and the score:
#: coarse, points to the target, sign (0 below zero, 1 zero, 2 above). All but the first are shown to everybody.
CREDIT, BIDS, ASKED, DREW, KITTY_TO, BURNS, POINTS, SCORE, TO_GO, SIGN = range(10)
SHEET_ROWS = 10

#: Columns of `hand`, one byte each. Numbers that an observation shows: standing bid (0 none, 1..N, N + 1 moon, N + 2
#: double moon), leftovers after the fill, points on the table that go with the trick, complete tricks, hands scored
#: in the match (255 if more). Then seats and cards; the first card of the stock not yet given out and the end of the
#: leftovers; seats still to be asked about a misdeal, and that declined to call one (masks; private, BD-6).
BID, KITTY_SIZE, TRICK_POINTS, TRICKS, NUMBER = range(5)
BIDDER, PARTNER, DEALER, CALLED, CALLED_FROM, STOCK_NEXT, STOCK_END, ASKING, DECLINED, LOG_LENGTH = range(5, 15)
HAND_BYTES = 16
SHOWN_NUMBERS = NUMBER + 1

#: Room for bids, trump, call, four "done", 38 leftovers one by one, "stop", and 14 burned cards.
LOG = 64

#: Width of `when`: 54 cards, then columns that other actions may write to.
WHEN = 64

#: Where the called card was (P-5H-04, P-5H-05, BD-24); in the last two cases the bidder is alone.
NOT_CALLED, IN_HAND, IN_BLIND, OWN = range(4)

#: Words of `last`: the row of `hand`; points by seat, the byte LAST_TRUMP of it is the trump; then the row of
#: `match` and the change of the scores, two numbers a word.
LAST_HAND, LAST_POINTS, LAST_MATCH = 0, 2, 3
LAST_TRUMP = 6


@dataclass
class PitchState(BatchState):
    """P seats; E score entries (two teams, or five players). `last` describes the last scored hand."""

    # The cards.
    cards: U64  # [N, P, 7] see HELD …
    table: U64  # [N] cards on the table
    left: U64  # [N] trumps neither played nor openly burned, none before trump is named
    when: U8  # [N, 64] 1 + place in the play (trick · P + distance from the leader), 0 if not played
    heads: U64  # [N, W + 1] the first k cards of the stock, or blind; thrown trumps are put below it (BD-12)

    # The hand and the trick.
    hand: I8  # [N, 16] see BID …
    context: I64  # [N] phase · 5 + trump (tables.context_of)
    turn: I64  # [N] who holds trumps, who leads and how far the trick has gone (see `turns`)
    code: I16  # [N] winning code (core.tricks), EMPTY if no card lies
    flags: U64  # [N] public facts of seats (tables.SEAT_FIELDS), and tables.partner_shown
    sheet: U8  # [N, 10, B] see CREDIT …; B = 4, five-handed 8 (a row is one word), bytes from P on are 0
    log: I16  # [N, 64] public actions that play no card, in order: action · 8 + seat

    match: I32  # [N, M] scores, hands scored (BD-37), winners (a mask), and with five players a spare one
    last: U64  # [N, L] LAST_HAND … LAST_MATCH

    # Parts by name: views.

    @property
    def hands(self) -> U64:
        """Cards held: all before trump is named, the trumps after. uint64 [N, P], a view."""
        return self.cards[:, :, HELD]

    @property
    def bid(self) -> I8:
        """Standing bid: 0 none, 1..N, N + 1 moon, N + 2 double moon. int8 [N], a view."""
        return self.hand[:, BID]

    @property
    def kitty_size(self) -> I8:
        """All leftovers, 0 before the fill. int8 [N], a view."""
        return self.hand[:, KITTY_SIZE]

    @property
    def trick_points(self) -> I8:
        """Points on the table that go with the trick. int8 [N], a view."""
        return self.hand[:, TRICK_POINTS]

    @property
    def tricks(self) -> I8:
        """Complete tricks. int8 [N], a view."""
        return self.hand[:, TRICKS]

    @property
    def bidder(self) -> I8:
        """Who made the standing bid, -1 if nobody has. int8 [N], a view."""
        return self.hand[:, BIDDER]

    @property
    def partner(self) -> I8:
        """Of the bidder, -1 none (five-handed: also before the call). int8 [N], a view."""
        return self.hand[:, PARTNER]

    @property
    def dealer(self) -> I8:
        """int8 [N], a view."""
        return self.hand[:, DEALER]

    @property
    def called(self) -> I8:
        """Card called five-handed, 54 none. int8 [N], a view."""
        return self.hand[:, CALLED]

    @property
    def called_from(self) -> I8:
        """NOT_CALLED, IN_HAND, IN_BLIND, OWN. int8 [N], a view."""
        return self.hand[:, CALLED_FROM]

    @property
    def stock_next(self) -> I8:
        """First card of the stock not yet given out. int8 [N], a view."""
        return self.hand[:, STOCK_NEXT]

    @property
    def stock_end(self) -> I8:
        """End of the leftovers. int8 [N], a view."""
        return self.hand[:, STOCK_END]

    @property
    def asking(self) -> I8:
        """Seats still to be asked about a misdeal (mask). int8 [N], a view."""
        return self.hand[:, ASKING]

    @property
    def declined(self) -> I8:
        """Seats that declined to call a misdeal (mask; private, BD-6). int8 [N], a view."""
        return self.hand[:, DECLINED]

    @property
    def log_length(self) -> I8:
        """int8 [N], a view."""
        return self.hand[:, LOG_LENGTH]

    @property
    def entries(self) -> int:
        """E, the number of score entries."""
        return 5 if self.cards.shape[1] == 5 else 2

    @property
    def scores(self) -> I32:
        """int32 [N, E], a view."""
        return self.match[:, : self.entries]

    @property
    def hand_number(self) -> I32:
        """Hands scored in this match (BD-37). int32 [N], a view."""
        return self.match[:, self.entries]

    # Facts that follow from others: computed.

    @property
    def phase(self) -> I8:
        """Index into tables.PHASES. int8 [N]."""
        return PHASE_OF.take(self.context)

    @property
    def trump(self) -> I8:
        """0..3, 4 none yet. int8 [N]."""
        return TRUMP_OF.take(self.context)

    @property
    def winners(self) -> Bools:
        """Winners of the match, none while it goes on. bool [N, E]."""
        return masked(self.match[:, self.entries + 1], self.entries)

    @property
    def shown(self) -> Bools:
        """Everybody knows who is the partner (four-handed, from the auction on). bool [N]."""
        return self.flags & partner_shown(self.cards.shape[1]) != 0

    @property
    def filled(self) -> Bools:
        """The fill is over, or the blind taken up. bool [N]."""
        return self.phase >= KITTY

    @property
    def leader(self) -> I8:
        """Seat that leads this trick, -1 if nobody does. int8 [N]."""
        return LEADER_OF.take(self.turn)

    @property
    def alive(self) -> U8:
        """Seats that hold trumps (mask; meaningful in the play). uint8 [N]."""
        return ALIVE_OF.take(self.turn)

    @property
    def stock(self) -> U8:
        """Stock, or blind, top first; columns beyond its end are 64. uint8 [N, W]."""
        cards = self.heads[:, 1:] ^ self.heads[:, :-1]
        place: I64 = np.arange(int(self.heads.shape[1]) - 1)
        cards[place >= self.stock_end[:, None]] = 0
        return lowest_bit(cards).astype(np.uint8)


def masked(masks: npt.NDArray[np.integer], entries: int) -> Bools:
    """Masks of score entries as rows. int [n] → bool [n, E]."""
    return ((masks[:, None] >> np.arange(entries)) & 1).astype(np.bool_)


def stock_width(rules: PitchRules) -> int:
    """Room for the stock: with to_kitty the thrown trumps follow the cards of the deck."""
    t = tables(rules)
    thrown = int(np.bitwise_count(t.trumps).max()) if rules.discarded_trump == "to_kitty" else 0
    return t.stock_size + thrown


def sheet_width(players: int) -> int:
    """Bytes of a row of the sheet."""
    return 4 if players == 4 else 8


def match_width(entries: int) -> int:
    """Columns of `match`: whole words."""
    return entries + 2 + entries % 2


def new_hand(dealer: int, stock_size: int) -> list[int]:
    """A row of `hand` before the auction."""
    row = [0] * HAND_BYTES
    row[BIDDER] = row[PARTNER] = -1
    row[DEALER], row[CALLED], row[STOCK_END] = dealer, NO_CARD, stock_size
    return row


def empty_state(n: int, rules: PitchRules) -> PitchState:
    """N finished games of which nothing is known yet."""
    p, e = rules.players, rules.entries

    def zeros(dtype: Any, *shape: int) -> npt.NDArray[Any]:
        return np.zeros((n, *shape), dtype)

    fields: dict[str, npt.NDArray[Any]] = {}
    for name in ("game_id", "hand_id", "episode_hand", "context"):
        fields[name] = zeros(np.int64)
    for name in ("table", "left", "flags"):
        fields[name] = zeros(np.uint64)
    fields["player"] = np.full(n, -1, np.int8)
    fields["cards"] = zeros(np.uint64, p, SEAT_WORDS)
    fields["when"] = zeros(np.uint8, WHEN)
    fields["heads"] = zeros(np.uint64, stock_width(rules) + 1)
    fields["hand"] = np.tile(np.array(new_hand(0, 0), np.int8), (n, 1))
    fields["context"][:] = NO_TRUMP
    fields["turn"] = np.full(n, NOBODY, np.int64)
    fields["code"] = np.full(n, tricks.EMPTY, np.int16)
    fields["sheet"] = zeros(np.uint8, SHEET_ROWS, sheet_width(p))
    fields["log"] = zeros(np.int16, LOG)
    fields["match"] = zeros(np.int32, match_width(e))
    last = zeros(np.uint64, LAST_MATCH + (match_width(e) + e + e % 2) // 2)
    last[:, LAST_HAND:LAST_POINTS] = np.array(new_hand(-1, 0), np.int8).view(np.uint64)
    last[:, LAST_POINTS : LAST_POINTS + 1].view(np.uint8)[:, LAST_TRUMP] = NO_TRUMP
    fields["last"] = last
    return PitchState(**fields)  # pyright: ignore[reportArgumentType]
