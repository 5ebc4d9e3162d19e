"""The auction of Thousand (T-AUC), and the deals that have none: golden, dark "C", a barrel player's free talon.

Functions return the games that are thrown in at once (see `questions`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.bits import BIT, I64, U64
from . import talon
from .state import BID, PRICE, Bools, ThousandState
from .tables import AUCTION, Tables, auction_caps

NONE: I64 = np.zeros(0, np.int64)


def begin(s: ThousandState, t: Tables, games: I64) -> I64:
    """Open the auction, or name the declarer where there is none."""
    rules = t.rules
    thrown: list[I64] = []

    def declare(which: npt.NDArray[np.bool_], seats: npt.NDArray[np.integer], bid: int) -> None:
        nonlocal games
        thrown.append(talon.won(s, t, games[which], seats[which], bid))
        games = games[~which]

    if not len(games):
        return games
    if rules.golden == "on":  # T-GOLD-02
        declare(s.golden_left[games] > 0, _forehand(s, t, games), 120)
    if rules.dark == "C":  # T-DARK-04: nobody may outbid
        dark = games[s.dark[games] >= 0]
        place_bid(s, t, dark, s.dark[dark], np.full(len(dark), 120))
        declare(s.dark[games] >= 0, s.dark[games], 120)
    if rules.barrel_auction != "normal":  # T-TAL-06
        p = rules.players
        seats = t.active.take(s.dealer[games].astype(np.int64)[:, None] * p + np.arange(rules.active))
        sits: Bools = s.barrel[games[:, None], seats]
        if rules.barrel_auction == "own_turn":
            sits[:, 1:] = False
        buyer = seats[np.arange(len(games)), np.argmax(sits, axis=1)]
        declare(sits.any(axis=1), buyer, 100)
    thrown.append(_open(s, t, games))
    return np.concatenate(thrown)


def _forehand(s: ThousandState, t: Tables, games: I64) -> I64:
    return t.active.take(s.dealer[games].astype(np.int64) * t.rules.players)


def place_bid(s: ThousandState, t: Tables, games: I64, seats: npt.NDArray[np.integer], amounts: I64) -> None:
    """Write a bid down, said or automatic."""
    s.price[games] = amounts
    s.holder[games] = seats
    number = (amounts - 100) // t.space.step
    s.said[games, seats, number >> 6] |= BIT.take(number & 63)
    s.sheet[games, seats, BID] = s.desk[games, PRICE] = amounts // 5


def _open(s: ThousandState, t: Tables, games: I64) -> I64:
    """Put the automatic bids down and give the first seat its turn (T-AUC-01, T-AUC-10, T-DARK-03)."""
    if not len(games):
        return games
    rules = t.rules
    forehand = _forehand(s, t, games)
    s.phase[games] = AUCTION
    if rules.auction_opening == "dealer_100":
        place_bid(s, t, games, s.dealer[games], np.full(len(games), 100))
    else:
        forced = ((s.silent[games] >> forehand.astype(np.uint8)) & 1) != 0
        if rules.auction_opening == "forced_100":
            forced[:] = True
        forced &= s.dark[games] < 0
        sat = games[forced]
        place_bid(s, t, sat, forehand[forced], np.full(len(sat), 100))
    if rules.dark != "off":
        dark = games[s.dark[games] >= 0]
        place_bid(s, t, dark, s.dark[dark], np.full(len(dark), 120))
    # the seat before forehand "has spoken", so that forehand is next, unless he sits on a bid already
    last = t.active.take(s.dealer[games].astype(np.int64) * rules.players + rules.active - 1)
    return _follow(s, t, games, np.where(s.holder[games] == forehand, forehand, last))


def _follow(s: ThousandState, t: Tables, games: I64, seats: npt.NDArray[np.integer]) -> I64:
    """Clockwise to the next seat that is still in; when it is the holder nobody else is left (T-AUC-02, T-AUC-05)."""
    rules = t.rules
    holder = s.holder[games].astype(np.int64)
    if rules.dark != "off":  # T-DARK-04: outbid, he looks at his cards
        outbid = games[(s.dark[games] >= 0) & (s.dark[games] != holder)]
        s.dark[outbid] = s.blind[outbid] = -1
        s.facts[outbid] &= ~np.bitwise_or.reduce(t.fact["dark"])
    # a silent seat passes on its turn without a decision, but the holder of an automatic 100 is never passed over
    holds = np.where(holder >= 0, np.left_shift(1, np.maximum(holder, 0)), 0)
    out = (s.out[games] | s.silent[games]) & ~holds
    p = rules.players
    index = ((s.dealer[games].astype(np.int64) * p + seats) << p) | out
    following = t.next_in.take(index)
    s.player[games] = following
    closed = following == holder
    won = games[closed]
    if not len(won):
        return NONE
    s.at_100[won] = s.price[won] == 100
    return talon.won(s, t, won, holder[closed], None)


def act(s: ThousandState, t: Tables, games: I64, actions: I64) -> I64:
    """Bids and passes (T-AUC-03, T-AUC-04)."""
    seats = s.player[games].astype(np.int64)
    passes = actions == t.space.pass_
    passing, bidding = games[passes], games[~passes]
    s.out[passing] |= np.left_shift(1, seats[passes]).astype(np.uint8)
    s.facts[passing] |= t.fact["passed"].take(seats[passes])
    s.passed_at[passing, seats[passes]] = (s.price[passing] - 100) // t.space.step
    amounts = (actions[~passes] - t.space.amount) * t.space.step + 100
    place_bid(s, t, bidding, seats[~passes], amounts)
    return _follow(s, t, games, seats)


def legal(s: ThousandState, t: Tables, games: I64) -> U64:
    """Bids up to the cap of the hand, and a pass unless the seat must open (T-AUC-05 to T-AUC-11). uint64 [n, W]."""
    price = s.price[games].astype(np.int64)
    low = np.where(price > 0, (price - 100) // t.space.step + 1, 0)
    caps = auction_caps(s.hands[games, s.player[games]], t.rules)
    high = np.minimum((caps - 100) // t.space.step + 1, t.space.amounts)  # one beyond the highest
    if not t.rules.auction_jumps:
        high = np.minimum(high, low + 1)
    words = t.below.take(np.maximum(high, low), axis=0) & ~t.below.take(low, axis=0)
    action = t.space.pass_
    words[:, action >> 6] |= np.where(price > 0, BIT[action & 63], np.uint64(0))
    return words
