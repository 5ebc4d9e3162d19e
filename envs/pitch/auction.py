"""From the deal to the trump and the called card: misdeal calls, bids, trump, call (sections 5, 6, 7 and 16)."""

from __future__ import annotations

import numpy as np

from ..core.bits import BIT, I64
from .state import BIDS, HELD, IN_BLIND, IN_HAND, KITTY_TO, OWN, SEEN, PitchState
from .tables import BID, CALL, CARD, DISCARD, MISDEAL, TRUMP, Tables

_NOBODY = np.zeros(0, np.int64)


def begin(t: Tables, s: PitchState, games: I64) -> None:
    """Ask the first seat: about a misdeal if the rules allow one and a hand qualifies, else for a bid (P-BID-01)."""
    if t.rules.misdeal_rule == "none":
        s.phase[games] = BID
        s.player[games] = (s.dealer[games] + 1) % t.players
        return
    weak = (s.cards[games, :, HELD] & t.face_or_point) == 0  # P-MIS-01, BD-6
    s.asked[games] = weak @ (1 << np.arange(t.players))
    s.declined[games] = 0
    _ask_next(t, s, games)


def _ask_next(t: Tables, s: PitchState, games: I64) -> None:
    """BD-6: qualifying seats are asked in turn from the dealer's left; then the auction begins."""
    left = (s.dealer[games] + 1) % t.players
    seat = t.first.take(s.asked[games].astype(np.int64) * 8 + left)
    s.phase[games] = np.where(seat >= 0, MISDEAL, BID)
    s.player[games] = np.where(seat >= 0, seat, left)


def answer_misdeal(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """A seat calls a misdeal or plays on. Returns the games whose hand is void (P-MIS-01)."""
    called = actions == t.actions.misdeal
    bit = (1 << s.player[games]).astype(np.int8)
    s.asked[games] &= ~bit
    s.declined[games] |= np.where(called, 0, bit).astype(np.int8)
    _ask_next(t, s, games[~called])
    return games[called]


def bid(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """A pass or a bid; after the dealer's the auction is over. Returns the games in which all have passed (BD-7)."""
    seat, value = s.player[games], actions - t.actions.first_bid
    s.sheet[games, BIDS, seat] = value + 1
    real = np.flatnonzero(value)
    s.bidder[games[real]] = seat[real]
    s.bid[games[real]] = value[real]
    s.player[games] = (seat + 1) % t.players
    last = games[seat == s.dealer[games]]
    nobody = s.bid[last] == 0
    won = last[~nobody]
    bidder = s.bidder[won]
    s.phase[won] = TRUMP
    s.player[won] = bidder
    s.flags[won] |= t.bidder_flag.take(bidder)
    if t.players == 4:  # P-EQP-01
        partner = (bidder + 2) & 3
        s.partner[won] = partner
        s.shown[won] = True
        s.flags[won] |= t.partner_flag.take(partner)
    return last[nobody]


def name_trump(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """P-TRP-01. Returns the games that go on to the fill at once (four-handed, no choice of discards)."""
    trump = actions - t.actions.first_suit
    s.trump[games] = trump
    if t.players == 5:  # P-5H-02: the call comes before the blind
        s.phase[games] = CALL
        return _NOBODY
    s.cards[games, :, HELD] &= t.trumps.take(trump)[:, None]  # P-DSC-01
    if t.rules.discarded_trump == "forbidden":  # P-DSC-02
        return games
    s.phase[games] = DISCARD
    s.player[games] = (s.dealer[games] + 1) & 3  # BD-12
    return _NOBODY


def call(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """Fix the partner and give the bidder the blind (P-5H-02..05, P-5H-07). Returns the games, ready to burn."""
    s.called[games] = actions
    bidder = s.bidder[games]
    holds = (s.cards[games, :, HELD] & CARD.take(actions)[:, None]) != 0
    holder = np.argmax(holds, axis=1)
    place = np.where(holder == bidder, OWN, IN_HAND)
    place[~holds.any(axis=1)] = IN_BLIND
    s.called_from[games] = place
    s.partner[games] = np.where(place == IN_HAND, holder, -1)
    s.filled[games] = True
    if t.stock_size:
        blind = np.bitwise_or.reduce(BIT.take(s.stock[games]), axis=1)
        s.cards[games, bidder, HELD] |= blind
        s.cards[games, bidder, SEEN] = blind
        s.sheet[games, KITTY_TO, bidder] = t.stock_size
        s.kitty_size[games] = t.stock_size
        s.stock_next[games] = t.stock_size
    s.cards[games, :, HELD] &= t.trumps.take(s.trump[games])[:, None]
    return games
