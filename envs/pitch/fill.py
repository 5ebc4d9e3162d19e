"""Discard, fill, leftovers and burn (sections 8 to 11): from the trump to six trumps or fewer in every hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.bits import BIT, I64, U64
from .state import ASKED, BURNED, BURNS, CREDIT, DRAWN, DREW, HELD, KITTY_TO, SEEN, THROWN, PitchState, stock_width
from .tables import BURN, CARD, COLUMNS, KITTY, MAX_TRUMPS, Tables

#: Seats of games, whatever their width.
Seats = npt.NDArray[np.integer]

_NONE = np.zeros(0, np.int64)


def discard(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """Throw a trump away, or be done (BD-12). Returns the games in which everybody is done."""
    seat = s.player[games]
    done = actions == t.actions.done
    thrown, by, card = games[~done], seat[~done], actions[~done]
    s.cards[thrown, by, HELD] &= ~CARD.take(card)
    s.cards[thrown, by, THROWN] |= CARD.take(card)
    if t.rules.discarded_trump == "to_kitty":  # at the bottom of the leftovers, in the order thrown
        s.stock[thrown, s.stock_end[thrown]] = card
        s.stock_end[thrown] += 1
    last = done & (seat == s.dealer[games])
    s.player[games] = np.where(done, (seat + 1) & 3, seat)
    return games[last]


def fill(t: Tables, s: PitchState, games: I64) -> I64:
    """Everybody asks in turn for six less the trumps kept (P-FILL-01, P-FILL-02, P-FILL-04). Returns the games."""
    bidder, trump = s.bidder[games], s.trump[games]
    held = s.cards[games, :, HELD]
    want = np.maximum(MAX_TRUMPS - np.bitwise_count(held).astype(np.int64), 0)
    asked = want + 1
    rows = np.arange(len(games))
    if t.rules.fill_order == "bidder_takes_rest":  # BD-13: the bidder asks for nothing
        want[rows, bidder] = asked[rows, bidder] = 0
    order = t.fill_order[bidder if t.rules.fill_order == "bidder_left" else s.dealer[games]].astype(np.int64)
    ends = np.minimum(np.cumsum(np.take_along_axis(want, order, axis=1), axis=1), t.stock_size)
    starts = np.concatenate([np.zeros((len(games), 1), np.int64), ends[:, :-1]], axis=1)
    # the words of the first k cards of the stock; those from k to m are the difference of two
    heads = np.zeros((len(games), t.stock_size + 1), np.uint64)
    np.bitwise_or.accumulate(BIT.take(s.stock[games, : t.stock_size]), axis=1, out=heads[:, 1:])
    drawn = np.zeros((len(games), 4), np.uint64)
    count = np.zeros((len(games), 4), np.int64)
    words = np.take_along_axis(heads, ends, axis=1) ^ np.take_along_axis(heads, starts, axis=1)
    np.put_along_axis(drawn, order, words, axis=1)
    np.put_along_axis(count, order, ends - starts, axis=1)
    s.cards[games, :, HELD] = held | (drawn & t.trumps.take(trump)[:, None])  # P-FILL-03: the others are dead
    s.cards[games, :, DRAWN] = drawn
    s.sheet[games, ASKED, :4] = asked
    s.sheet[games, DREW, :4] = count
    s.filled[games] = True
    s.stock_next[games] = ends[:, -1]
    s.kitty_size[games] = s.stock_end[games] - ends[:, -1]
    return games


def leftovers(t: Tables, s: PitchState, games: I64) -> I64:
    """What becomes of the leftovers after the fill (section 10). Returns the games that are ready to burn."""
    some = s.kitty_size[games] > 0  # P-KIT-04
    mode = t.rules.kitty_mode
    left = games[some]
    if mode == "bidder_only":
        _give_rest(t, s, left, s.bidder[left])
        return games
    if mode == "auto_swap":
        _swap(t, s, left)
        return games
    if mode == "keep_or_pass_all":  # P-KIT-02, BD-16
        s.phase[left] = KITTY
        s.player[left] = s.bidder[left]
        return games[~some]
    return np.concatenate([games[~some], _go_on_looking(t, s, left)])


def decide_leftovers(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """Keep or pass all, look at the next card or stop (P-KIT-02). Returns the games that are ready to burn."""
    if t.rules.kitty_mode == "keep_or_pass_all":
        bidder = s.bidder[games]
        _give_rest(t, s, games, np.where(actions == t.actions.keep, bidder, (bidder + 2) & 3))
        return games
    stop = actions == t.actions.stop
    stopped, looking = games[stop], games[~stop]
    _give_rest(t, s, stopped, s.partner[stopped])
    card = CARD.take(s.stock[looking, s.stock_next[looking]])
    s.stock_next[looking] += 1
    _give(t, s, looking, s.bidder[looking], card, 1)
    return np.concatenate([stopped, _go_on_looking(t, s, looking)])


def _go_on_looking(t: Tables, s: PitchState, games: I64) -> I64:
    """one_by_one: ask again unless the leftovers are at an end or the bidder holds six trumps (BD-14)."""
    bidder = s.bidder[games]
    empty = s.stock_next[games] >= s.stock_end[games]
    full = np.bitwise_count(s.cards[games, bidder, HELD]) >= MAX_TRUMPS
    forced = games[full & ~empty]
    _give_rest(t, s, forced, s.partner[forced])
    ask = ~(full | empty)
    s.phase[games[ask]] = KITTY
    s.player[games[ask]] = bidder[ask]
    return games[~ask]


def _give(t: Tables, s: PitchState, games: I64, seats: Seats, cards: U64, count: npt.NDArray[np.integer] | int) -> None:
    """P-KIT-03: the receiver adds all trumps and drops the rest."""
    s.cards[games, seats, HELD] |= cards & t.trumps.take(s.trump[games])
    s.cards[games, seats, SEEN] |= cards
    s.sheet[games, KITTY_TO, seats] += np.asarray(count).astype(np.uint8)


def _give_rest(t: Tables, s: PitchState, games: I64, seats: Seats) -> None:
    """Give all leftovers that are still there."""
    start, end = s.stock_next[games], s.stock_end[games]
    place = np.arange(stock_width(t.rules))
    there = (place >= start[:, None]) & (place < end[:, None])
    words = np.bitwise_or.reduce(np.where(there, CARD.take(s.stock[games]), 0), axis=1)
    _give(t, s, games, seats, words, end - start)
    s.stock_next[games] = end


def _swap(t: Tables, s: PitchState, games: I64) -> None:
    """auto_swap: trumps in stock order, to the bidder up to six, then to his partner; the rest is dead (BD-15)."""
    bidder, partner, trump = s.bidder[games], s.partner[games], s.trump[games]
    place = np.arange(stock_width(t.rules))
    words = CARD.take(s.stock[games]) & t.trumps.take(trump)[:, None]
    words[(place < s.stock_next[games][:, None]) | (place >= s.stock_end[games][:, None])] = 0
    number = np.cumsum(words != 0, axis=1)  # of this trump among the trumps there, from 1
    first = np.maximum(MAX_TRUMPS - np.bitwise_count(s.cards[games, bidder, HELD]).astype(np.int64), 0)[:, None]
    second = np.maximum(MAX_TRUMPS - np.bitwise_count(s.cards[games, partner, HELD]).astype(np.int64), 0)[:, None]
    for seat, wanted in ((bidder, number <= first), (partner, (number > first) & (number <= first + second))):
        got = np.bitwise_or.reduce(np.where(wanted, words, 0), axis=1)
        s.cards[games, seat, HELD] |= got
        s.cards[games, seat, SEEN] |= got
    s.stock_next[games] = s.stock_end[games]


def ask_to_burn(t: Tables, s: PitchState, games: I64) -> I64:
    """Ask the first seat with more than six trumps (P-BURN-01, BD-17). Returns the games in which nobody has."""
    over = np.bitwise_count(s.cards[games, :, HELD]) > MAX_TRUMPS
    some = over.any(axis=1)
    asked = games[some]
    if not len(asked):
        return games
    order = t.burn_order[s.bidder[asked]].astype(np.int64)
    place = np.argmax(np.take_along_axis(over[some], order, axis=1), axis=1)
    s.phase[asked] = BURN
    s.player[asked] = order[np.arange(len(asked)), place]
    return games[~some]


def burn(t: Tables, s: PitchState, games: I64, actions: I64) -> tuple[I64, I64]:
    """Burn one card. Returns the games to go on with, and those whose hand is void (BD-18)."""
    seat, card = s.player[games], CARD.take(actions)
    trump = s.trump[games]
    s.cards[games, seat, HELD] &= ~card
    s.cards[games, seat, BURNED] |= card
    s.sheet[games, BURNS, seat] += np.uint8(1)
    if t.rules.two_scores_when == "holder":  # P-TWO-02, BD-4
        s.sheet[games, CREDIT, seat] += t.own.take(trump.astype(np.int64) * COLUMNS + actions)
    if t.rules.burn_policy != "misdeal_if_point":
        return games, _NONE
    void = (card & t.points.take(trump)) != 0
    return games[~void], games[void]


def burnable(t: Tables, s: PitchState, games: I64) -> U64:
    """What the seat to act may burn next: never the called card, first cards without points (BD-18, BD-20)."""
    held = s.cards[games, s.player[games], HELD] & ~CARD.take(s.called[games])
    if t.rules.burn_policy != "nonpoint_first":  # P-BURN-03
        return held
    plain: U64 = held & ~t.points.take(s.trump[games])
    only_points = plain == 0
    plain[only_points] = held[only_points]
    return plain
