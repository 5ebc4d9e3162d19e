"""The state of N games of Thousand as arrays. Cards are bits of uint64 words; P is the number of seats.

What is written together lies together: a new deal is one row copied, not a field at a time. The fields by name are
views of parts, or follow from others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.bits import I64, U8, U64
from ..core.state import BatchState
from .columns import (
    ATTEMPTS,
    FALLS,
    GIVEN,
    LAST_CONTRACT,
    NAMED,
    PRICE,
    TRICK_POINTS,
    Columns,
    columns,
)
from .columns import BID as BID
from .columns import BOLTS as BOLTS
from .columns import MARRIAGES as MARRIAGES
from .columns import POINTS as POINTS
from .columns import SCORE as SCORE
from .columns import SCORE_LOW as SCORE_LOW
from .columns import SHEET as SHEET
from .columns import TRICKS as TRICKS
from .columns import WRITE_OFFS as WRITE_OFFS
from .contexts import IDLE, NO_CONTEXT, PHASE_OF, led_of, trump_of
from .rules import ThousandRules
from .tables import AT_100, NO_SUIT, fact_seat, facts, said_words
from .turns import turns

I8 = npt.NDArray[np.int8]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

#: winner: nobody yet, or equal totals after the last of a fixed number of deals (T-TOUR-01).
UNDECIDED, DRAW = -1, -2

#: Columns of a seat in `match`: score, score at the start of the deal (before a cut is fined), on the barrel or not;
#: then bolts, failed attempts since mounting, falls, write-offs and the last contract named (or bid written off) in the
#: match in fives, where the score sheet has them too. The columns after all seats: deals finished in this match, deals
#: left in the golden round (this one included), whether somebody made his contract in it, winner.
TOTAL, START, BARREL = 0, 1, 2
SEAT_WORDS = 8
DEALS_PLAYED, GOLDEN_LEFT, GOLDEN_MADE, WINNER = range(4)
MATCH_WORDS = 4

#: Words of `last`: facts, desk and talon; then as int32 the winner and two bits (made, golden), and by seat what it
#: took (the last word of its score sheet), entries, fines, score, gain, events.
LAST_FACTS, LAST_DESK, LAST_TALON = range(3)
LAST_WINNER, LAST_BITS, LAST_SEATS = 6, 7, 8
LAST_TAKEN, LAST_ENTRIES, LAST_FINES, LAST_SCORES, LAST_GAINS, LAST_EVENTS = range(6)

#: Bits of `last_events`, what happened to a seat at the end of a deal (section 20).
EVENTS = (
    "bolt", "bolt_fine", "write_off_fine", "truck", "attempt", "fall", "mount", "third_fall", "win", "golden_reset",
)  # fmt: skip
BOLT, BOLT_FINE, WRITE_OFF_FINE, TRUCK, ATTEMPT, FALL, MOUNT, THIRD_FALL, WIN, GOLDEN_RESET = (
    np.int32(1 << k) for k in range(10)
)


@dataclass
class ThousandState(BatchState):
    """`last` describes the last finished deal and outlives an automatic reset."""

    rows: U64  # [N, columns.width] cards, amounts said, score sheets (columns.Columns)
    facts: U64  # [N] public facts of seats (tables.facts)
    married: U64  # [N] who declared what, and facts of the table (tables.married, TABLE_BITS, AT_100)
    desk: U64  # [N] eight numbers of one byte (TRICK_POINTS … DEALS)

    context: I64  # [N] phase; in the play trump and suit led (`contexts`)
    node: I64  # [N] dealer and leader or seat to act; in the auction who bids and who has passed (`turns`)
    code: I64  # [N] winning code (core.tricks); LEAD if no card lies, IDLE outside the play
    ply: I64  # [N] 4 · tricks completed in this deal + cards on the table
    redeals: I16  # [N] how often this deal was thrown in
    info: I8  # [N, P] index in `stock` of the card that a bonus shows to the seat, -1
    next_trump: I8  # [N] trump from the next trick on (T-MAR-08), 4 if no change waits
    next_owner: I8  # [N] who declared it

    match: I32  # [N, 8·P + 4] TOTAL … for each seat, then DEALS_PLAYED …
    last: U64  # [N, 4 + 3·P] LAST_FACTS …

    # Parts by name: views.

    @property
    def columns(self) -> Columns:
        """Where everything stands in `rows` (the width apart, which depends on the amounts that can be said)."""
        return columns(self.info.shape[1], 1)

    def _seats(self, first: int) -> U64:
        return self.rows[:, first : first + self.info.shape[1]]

    @property
    def hands(self) -> U64:
        """Cards held. uint64 [N, P], a view."""
        return self._seats(self.columns.hands)

    @property
    def table(self) -> U64:
        """Card on the table of each seat, empty word if none. uint64 [N, P], a view."""
        return self._seats(self.columns.table)

    @property
    def played(self) -> U64:
        """Cards played in this deal. uint64 [N, P], a view."""
        return self._seats(self.columns.played)

    @property
    def sees_talon(self) -> U64:
        """The taken talon, as far as each seat knows it. uint64 [N, P], a view."""
        return self._seats(self.columns.sees_talon)

    @property
    def sees_gave(self) -> U64:
        """The cards given away, as far as each seat knows them. uint64 [N, P, 2], a view."""
        c = self.columns
        return self.rows[:, c.gave : c.talons].reshape(len(self), 2, c.players).transpose(0, 2, 1)

    @property
    def said(self) -> U64:
        """Amounts that each seat has named, as bits. uint64 [N, P, A], a view; the last words may be empty ones."""
        c, p = self.columns, self.info.shape[1]
        words = (self.rows.shape[1] - c.said) // p
        return self.rows[:, c.said : c.said + p * words].reshape(len(self), words, p).transpose(0, 2, 1)

    @property
    def talons(self) -> U64:
        """The talons (the second one empty unless two play). uint64 [N, 2], a view."""
        c = self.columns
        return self.rows[:, c.talons : c.taken]

    @property
    def talon(self) -> U64:
        """The talon that was taken, empty before. uint64 [N], a view."""
        return self.rows[:, self.columns.taken]

    @property
    def stock(self) -> I8:
        """The undealt cards in the order of the deck: the first talon, then the second. int8 [N, 8], a view."""
        c = self.columns
        return self.rows[:, c.stock : c.luck].view(np.int8)

    @property
    def when(self) -> U8:
        """1 + place of each card in the order of play, 0 if not played. uint8 [N, 24], a view."""
        c = self.columns
        return self.rows[:, c.when : c.sheet].view(np.uint8)

    @property
    def sheet(self) -> U8:
        """What an observation shows of each seat (SCORE … BID). uint8 [N, P, 12], a view."""
        c = self.columns
        sheets = self.rows[:, c.sheet :].view(np.uint8)[:, : SHEET * c.players]
        return sheets.reshape(len(self), c.players, SHEET)

    @property
    def by_seat(self) -> I32:
        """The match as far as it has a number for each seat. int32 [N, P, 8], a view."""
        return self.match[:, :-MATCH_WORDS].reshape(len(self), -1, SEAT_WORDS)

    @property
    def by_table(self) -> I32:
        """The rest of the match. int32 [N, 4], a view."""
        return self.match[:, -MATCH_WORDS:]

    @property
    def scores(self) -> I32:
        """int32 [N, P], a view."""
        return self.by_seat[:, :, TOTAL]

    @property
    def start_scores(self) -> I32:
        """Scores at the start of the deal, before a cut is fined. int32 [N, P], a view."""
        return self.by_seat[:, :, START]

    @property
    def bolts(self) -> I32:
        """int32 [N, P], a view."""
        return self.by_seat[:, :, BOLTS]

    @property
    def attempts(self) -> I32:
        """Failed attempts since mounting the barrel. int32 [N, P], a view."""
        return self.by_seat[:, :, ATTEMPTS]

    @property
    def falls(self) -> I32:
        """int32 [N, P], a view."""
        return self.by_seat[:, :, FALLS]

    @property
    def write_offs(self) -> I32:
        """int32 [N, P], a view."""
        return self.by_seat[:, :, WRITE_OFFS]

    @property
    def deals_played(self) -> I32:
        """Deals finished in this match. int32 [N], a view."""
        return self.by_table[:, DEALS_PLAYED]

    @property
    def golden_left(self) -> I32:
        """Deals left in the golden round, this one included. int32 [N], a view."""
        return self.by_table[:, GOLDEN_LEFT]

    @property
    def winner(self) -> I32:
        """Seat that won the match, UNDECIDED, or DRAW. int32 [N], a view."""
        return self.by_table[:, WINNER]

    # Facts that follow from others: computed.

    @property
    def phase(self) -> I8:
        """tables.PHASES. int8 [N]."""
        return PHASE_OF.take(self.context)

    @property
    def trump(self) -> I8:
        """4 if none. int8 [N]."""
        return trump_of(self.context)

    @property
    def led(self) -> I8:
        """Suit led, 4 if none. int8 [N]."""
        return led_of(self.context)

    @property
    def order(self) -> I8:
        """Cards on the table. int8 [N]."""
        return (self.ply & 3).astype(np.int8)

    @property
    def tricks(self) -> I8:
        """Tricks completed in this deal. int8 [N]."""
        return (self.ply >> 2).astype(np.int8)

    @property
    def dealer(self) -> I8:
        """int8 [N]."""
        return turns(self.info.shape[1]).dealer.take(self.node).astype(np.int8)

    @property
    def leader(self) -> I8:
        """Seat that leads the present trick; the seat to act outside the play. int8 [N]."""
        return turns(self.info.shape[1]).leader.take(self.node)

    def _fact(self, name: str) -> I8:
        return fact_seat(self.facts, self.info.shape[1], name)

    @property
    def declarer(self) -> I8:
        """-1 before there is one. int8 [N]."""
        return self._fact("declarer")

    @property
    def trump_owner(self) -> I8:
        """Who declared the trump, -1. int8 [N]."""
        return self._fact("trump_owner")

    @property
    def dark(self) -> I8:
        """Who announced a dark game and was not outbid, -1. int8 [N]."""
        return self._fact("dark")

    @property
    def blind(self) -> I8:
        """Whose cards lie unseen, -1: in the dark until the talon is taken (T-DARK-08). int8 [N]."""
        return np.where(self.talon == 0, self.dark, np.int8(-1))

    def _byte(self, number: int) -> U8:
        return self.desk.view(np.uint8).reshape(-1, 8)[:, number]

    @property
    def trick_points(self) -> U8:
        """Card points on the table. uint8 [N]."""
        return self._byte(TRICK_POINTS)

    @property
    def gives(self) -> U8:
        """Cards given away so far. uint8 [N]."""
        return self._byte(GIVEN)

    @property
    def price(self) -> I16:
        """Highest bid, 0 before the first; after the auction the declarer's. int16 [N]."""
        return self._byte(PRICE).astype(np.int16) * np.int16(5)

    @property
    def contract(self) -> I16:
        """0 before it is named. int16 [N]."""
        return self._byte(NAMED).astype(np.int16) * np.int16(5)

    @property
    def at_100(self) -> Bools:
        """The bid is 100 and came from an auction (T-TAL-04). bool [N]."""
        return (self.married & AT_100) != 0

    @property
    def gave(self) -> U64:
        """The cards that the declarer gave away, in order: he knows them. uint64 [N, 2]."""
        return self.sees_gave[np.arange(len(self)), self.declarer]

    @property
    def barrel(self) -> Bools:
        """Who is on the barrel. bool [N, P]."""
        return self.by_seat[:, :, BARREL] != 0

    @property
    def golden_made(self) -> Bools:
        """Somebody made his contract in this golden round. bool [N]."""
        return self.by_table[:, GOLDEN_MADE] != 0

    @property
    def last_contracts(self) -> I32:
        """Last contract named (or bid written off) in the match, 120 if none. int32 [N, P]."""
        return self.by_seat[:, :, LAST_CONTRACT] * 5

    def passed_at(self, step: int) -> I64:
        """Number of the highest amount when each seat passed, -1 if it has not. int64 [N, P]."""
        c = self.columns
        spoke = self.rows.view(np.uint8)[:, c.spoke : c.spoke + c.players].astype(np.int64)
        passed = (self.facts[:, None] & facts(c.players).column("passed")[:-1]) != 0
        return np.where(passed, (5 * spoke - 100) // step, -1)

    # The last finished deal.

    def _last(self, row: int) -> I32:
        p = self.info.shape[1]
        return self.last.view(np.int32)[:, LAST_SEATS + p * row : LAST_SEATS + p * (row + 1)]

    def report(self) -> dict[str, npt.NDArray[np.generic]]:
        """The last finished deal, one row a game (`Thousand.report`). New arrays."""
        p = self.info.shape[1]
        facts, desk = self.last[:, LAST_FACTS], self.last[:, LAST_DESK]
        numbers = self.last.view(np.int32)
        declarer = fact_seat(facts, p, "declarer")
        contract = ((desk >> np.uint64(8 * NAMED)) & np.uint64(0xFF)).astype(np.int16) * np.int16(5)
        taken = self._last(LAST_TAKEN)
        return {
            "dealer": fact_seat(facts, p, "dealer"),
            "declarer": declarer,
            "bid": ((desk >> np.uint64(8 * PRICE)) & np.uint64(0xFF)).astype(np.int16) * np.int16(5),
            "contract": contract,
            "written_off": (contract == 0) & (declarer >= 0),
            "made": (numbers[:, LAST_BITS] & 1) != 0,
            "golden": (numbers[:, LAST_BITS] & 2) != 0,
            "dark": fact_seat(facts, p, "dark") >= 0,
            "points": (taken & 0xFF).astype(np.int16),
            "marriages": ((taken >> 16) & 0xFF).astype(np.int16) * np.int16(10),
            "tricks": ((taken >> 8) & 0xFF).astype(np.int8),
            "entries": self._last(LAST_ENTRIES).copy(),
            "fines": self._last(LAST_FINES).copy(),
            "scores": self._last(LAST_SCORES).copy(),
            "gains": self._last(LAST_GAINS).copy(),
            "events": self._last(LAST_EVENTS).astype(np.int16),
            "winner": numbers[:, LAST_WINNER].astype(np.int8),
        }


def empty_state(n: int, rules: ThousandRules) -> ThousandState:
    """N finished games of which nothing is known yet."""
    p = rules.players
    c = columns(p, said_words(rules))
    by_seat, by_table = np.zeros((p, SEAT_WORDS), np.int32), np.array([0, 0, 0, UNDECIDED], np.int32)
    last = np.zeros((n, LAST_SEATS // 2 + 3 * p), np.uint64)
    last.view(np.int32)[:, LAST_WINNER] = UNDECIDED
    return ThousandState(
        player=np.full(n, -1, np.int8),
        game_id=np.zeros(n, np.int64),
        hand_id=np.zeros(n, np.int64),
        episode_hand=np.zeros(n, np.int64),
        rows=np.zeros((n, c.width), np.uint64),
        facts=np.zeros(n, np.uint64),
        married=np.zeros(n, np.uint64),
        desk=np.zeros(n, np.uint64),
        context=np.full(n, NO_CONTEXT, np.int64),
        node=np.full(n, turns(p).finished, np.int64),
        code=np.full(n, IDLE, np.int64),
        ply=np.zeros(n, np.int64),
        redeals=np.zeros(n, np.int16),
        info=np.full((n, p), -1, np.int8),
        next_trump=np.full(n, NO_SUIT, np.int8),
        next_owner=np.full(n, -1, np.int8),
        match=np.tile(np.concatenate([by_seat.ravel(), by_table]), (n, 1)),
        last=last,
    )
