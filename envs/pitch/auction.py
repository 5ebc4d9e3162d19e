"""From the deal to the trump and the called card: misdeal calls, bids, trump, call (sections 5, 6, 7 and 16)."""

from __future__ import annotations

import numpy as np

from ..core.bits import I64, row_starts
from .state import (
    BIDS,
    CALLED,
    CALLED_FROM,
    HELD,
    I8,
    IN_BLIND,
    IN_HAND,
    KITTY_SIZE,
    KITTY_TO,
    OWN,
    PARTNER,
    SEAT_WORDS,
    SEEN,
    SHEET_ROWS,
    STOCK_NEXT,
    PitchState,
)
from .tables import BIDDING, CALL, CARD, DISCARDING, MISDEAL, NAMING, NO_TRUMP, Tables

_NOBODY = np.zeros(0, np.int64)
_MISDEAL = MISDEAL * 5 + NO_TRUMP
_CALLING = CALL * 5


def _called_card() -> tuple[I8, I8]:
    """(who holds the called card as a mask, bidder) → where it is, the partner. Two int8 [32·8]."""
    place, partner = np.full((32, 8), IN_HAND, np.int8), np.full((32, 8), -1, np.int8)
    place[0] = IN_BLIND
    for holder in range(5):
        partner[1 << holder] = holder
        place[1 << holder, holder], partner[1 << holder, holder] = OWN, -1
    return place.ravel(), partner.ravel()


_PLACE, _HOLDER = _called_card()


def ask_about_misdeal(t: Tables, s: PitchState, games: I64) -> None:
    """Ask those who may call a misdeal, before the auction (P-MIS-01)."""
    weak = (s.cards[games, :, HELD] & t.face_or_point) == 0  # BD-6
    s.asking[games] = weak @ (1 << np.arange(t.players))
    _ask_next(t, s, games)


def _ask_next(t: Tables, s: PitchState, games: I64) -> None:
    """BD-6: qualifying seats are asked in turn from the dealer's left; then the auction begins."""
    left = t.next_seat.take(s.dealer[games])
    seat = t.turns.first.take(s.asking[games].astype(np.int64) * 8 + left)
    s.context[games] = np.where(seat >= 0, _MISDEAL, BIDDING)
    s.player[games] = np.where(seat >= 0, seat, left)


def answer_misdeal(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """A seat calls a misdeal or plays on. Returns the games whose hand is void (P-MIS-01)."""
    called = actions == t.actions.misdeal
    bit = (1 << s.player[games]).astype(np.int8)
    s.asking[games] &= ~bit
    s.declined[games] |= np.where(called, 0, bit).astype(np.int8)
    _ask_next(t, s, games[~called])
    return games[called]


def bid(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """A pass or a bid; after the dealer's the auction is over. Returns the games in which all have passed (BD-7)."""
    seat = s.player.take(games)
    value = actions - t.actions.first_bid
    width = s.sheet.shape[2]
    place = games * (SHEET_ROWS * width) + (seat + BIDS * width)
    s.sheet.ravel()[place] = value + 1
    real = value.nonzero()[0]
    raised = games[real]
    s.bidder[raised] = seat[real]
    s.bid[raised] = value[real]
    s.player[games] = t.next_seat.take(seat)
    won = games[(seat == s.dealer[games]).nonzero()[0]]
    nobody = _NOBODY
    if t.rules.stuck_rule == "redeal":
        some = s.bid[won] > 0
        won, nobody = won[some], won[~some]
    bidder = s.bidder[won]
    s.context[won] = NAMING
    s.player[won] = bidder
    s.flags[won] |= t.bidder_flag.take(bidder)
    if t.players == 4:  # P-EQP-01
        s.partner[won] = bidder ^ 2
    return nobody


def discard_first(t: Tables, s: PitchState, games: I64, trump: I64) -> None:
    """P-TRP-01, P-DSC-02: all dead cards are thrown away; trumps may be, from the dealer's left on (BD-12)."""
    s.left[games] = t.trumps.take(trump)
    s.cards[games, :, HELD] &= t.trumps.take(trump)[:, None]  # P-DSC-01
    s.context[games] = DISCARDING + trump
    s.player[games] = t.next_seat.take(s.dealer[games])


def ask_for_card(t: Tables, s: PitchState, games: I64, trump: I64) -> None:
    """P-5H-02: the call comes before the blind."""
    s.left[games] = t.trumps.take(trump)
    s.context[games] = _CALLING + trump


def call(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """Fix the partner and give the bidder the blind (P-5H-02..05, P-5H-07). Returns the games, ready to burn."""
    n = len(games)
    bidder = s.bidder[games].astype(np.int64)
    trumps = s.left.take(games)
    cards = s.cards.take(games, axis=0)
    hands = cards[:, :, HELD]
    holds = (hands & CARD.take(actions)[:, None]) != 0
    index = np.packbits(holds, axis=1, bitorder="little")[:, 0] * np.int64(8)
    index += bidder
    hand = s.hand.take(games, axis=0)
    hand[:, CALLED] = actions
    hand[:, CALLED_FROM] = _PLACE.take(index)
    hand[:, PARTNER] = _HOLDER.take(index)
    if t.stock_size:
        blind = s.heads[:, t.stock_size][games]
        slot = row_starts(n, 5 * SEAT_WORDS) + bidder * SEAT_WORDS
        flat = cards.ravel()
        flat[slot] |= blind
        flat[slot + SEEN] = blind
        s.sheet.ravel()[games * (SHEET_ROWS * 8) + (bidder + KITTY_TO * 8)] = t.stock_size
        hand[:, KITTY_SIZE] = hand[:, STOCK_NEXT] = t.stock_size
    hands &= trumps[:, None]
    s.cards[games] = cards
    s.hand[games] = hand
    return games
