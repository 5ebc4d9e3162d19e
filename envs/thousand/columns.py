"""Where everything stands in a game's row of words: the cards, and the bytes that go with them.

What a deal begins with lies in one row, so that dealing is one copy and an observation one gather.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

#: Columns of a seat's score sheet, what everybody sees of a seat: score in steps of 16 from -2048 and its low four
#: bits, points to the barrel (or to the target, without or on the barrel), bolts, failed attempts on the barrel, falls,
#: write-offs, last contract in fives; then of this deal card points, tricks, marriage points in tens, and the last bid
#: in fives.
SCORE, SCORE_LOW, TO_GO, BOLTS, ATTEMPTS, FALLS, WRITE_OFFS, LAST_CONTRACT, POINTS, TRICKS, MARRIAGES, BID = range(12)
SHEET = 12

#: Bytes of `desk`: points on the table, two that an observation adds (cards there, tricks), then cards given away,
#: highest bid (after the auction the declarer's) and contract in fives, redeals of this deal, deals of this match.
TRICK_POINTS, GIVEN, PRICE, NAMED, REDEALS, DEALS = 0, 3, 4, 5, 6, 7

#: Score sheets and the places of cards are read in pieces of 12 bytes.
PIECE = np.dtype("V12")
_PIECE_WORDS = 3  # of two pieces


@dataclass(frozen=True)
class Columns:
    """Columns of `ThousandState.rows` for P players and A words of amounts.

    Words, P each: hands (cards held), table (card on the table), played (cards played in this deal), sees_talon (the
    taken talon, as far as each seat knows it: T-TAL-03 to T-TAL-05), gave (the first card given away as far as each
    seat knows it, then the second: T-PASS-02). Then talons (2; the second one empty unless two play), taken (the talon
    that was taken), stock (the undealt cards in the order of the deck as bytes), luck (what follows from the cards, see
    `dealing`), when (3 words: byte c is 1 + place of card c in the order of play, 0 if not played), sheet (12 bytes a
    seat, SCORE … BID), as bytes spoke (the highest bid, in fives, after each seat's last word) and one of scratch, to
    which actions write that have nothing to write; then said (A times P words: amounts that each seat has named, as
    bits). `when`, the sheets and the rows begin at multiples of PIECE.
    """

    players: int
    hands: int
    table: int
    played: int
    sees_talon: int
    gave: int
    talons: int
    taken: int
    stock: int
    luck: int
    when: int
    sheet: int
    spoke: int
    scratch: int
    said: int
    width: int


@lru_cache(maxsize=16)
def columns(players: int, said_words: int) -> Columns:
    """The columns of a number of players and of words of amounts (cached)."""
    p = players
    talons = 6 * p
    when = -(-(talons + 5) // _PIECE_WORDS) * _PIECE_WORDS
    sheet = when + 3
    spoke = 8 * sheet + SHEET * p
    said = -(-(spoke + p + 1) // 8)
    return Columns(
        players=p, hands=0, table=p, played=2 * p, sees_talon=3 * p, gave=4 * p, talons=talons, taken=talons + 2,
        stock=talons + 3, luck=talons + 4, when=when, sheet=sheet, spoke=spoke, scratch=spoke + p, said=said,
        width=-(-(said + p * said_words) // _PIECE_WORDS) * _PIECE_WORDS,
    )  # fmt: skip
