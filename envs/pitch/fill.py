"""Discard, fill, leftovers and burn (sections 8 to 11): from the trump to six trumps or fewer in every hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.bits import I64, U64
from .state import (
    ASKED,
    BURNED,
    BURNS,
    CREDIT,
    DRAWN,
    HELD,
    KITTY_TO,
    SEAT_WORDS,
    SEEN,
    SHEET_ROWS,
    THROWN,
    PitchState,
)
from .tables import BURNING, CARD, COLUMNS, LOOKING, MAX_TRUMPS, NO_FILL, SUIT_CONTEXTS, Tables

#: Seats of games, whatever their width.
Seats = npt.NDArray[np.integer]

_NONE = np.zeros(0, np.int64)
_MOST = np.uint8(MAX_TRUMPS)
_RADIX: I64 = 8 ** np.arange(4)
_SEAT_ROWS = np.int64(8**4)
#: Where the words lie that a burned card changes.
_BURN_MOVES: I64 = np.array([[HELD], [BURNED]])
_ONE = np.uint8(1)


def _slots(s: PitchState, games: I64, seats: Seats) -> I64:
    """Where the words of seats begin in the flat `cards`. int64 [n]."""
    return games * (s.cards.shape[1] * SEAT_WORDS) + seats * SEAT_WORDS


def _places(s: PitchState, row: int, games: I64, seats: Seats) -> I64:
    """Where the numbers of seats lie in the flat `sheet`. int64 [n]."""
    width = s.sheet.shape[2]
    return games * (SHEET_ROWS * width) + (seats + row * width)


def discard(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """Throw a trump away, or be done (BD-12). Returns the games in which everybody is done."""
    seat = s.player[games]
    done = actions == t.actions.done
    thrown, by, card = games[~done], seat[~done], actions[~done]
    s.cards[thrown, by, HELD] &= ~CARD.take(card)
    s.cards[thrown, by, THROWN] |= CARD.take(card)
    if t.rules.discarded_trump == "to_kitty":  # at the bottom of the leftovers, in the order thrown
        end = s.stock_end[thrown].astype(np.int64)
        s.heads[thrown, end + 1] = s.heads[thrown, end] | CARD.take(card)
        s.stock_end[thrown] += 1
    last = done & (seat == s.dealer[games])
    s.player[games] = np.where(done, (seat + 1) & 3, seat)
    return games[last]


def fill(t: Tables, s: PitchState, games: I64, trump: I64) -> I64:
    """Everybody asks in turn for six less the trumps kept (P-FILL-01, P-FILL-02, P-FILL-04), and what becomes of the
    leftovers is decided or asked. Returns the games that are ready to burn."""
    trumps = t.trumps.take(trump)
    cards = s.cards.take(games, axis=0)
    held = cards[:, :, HELD] & trumps[:, None]  # P-DSC-01
    kept = np.minimum(np.bitwise_count(held), _MOST)
    first = s.dealer[games]
    if t.rules.fill_order != "dealer_left":
        bidder = s.bidder[games]
        if t.rules.fill_order == "bidder_left":
            first = bidder
        else:  # bidder_takes_rest, BD-13: the bidder asks for nothing
            kept[np.arange(len(games)), bidder] = NO_FILL
    index = kept @ _RADIX
    index += first * _SEAT_ROWS
    fills = t.fills.take(index, axis=0)
    place: I64 = fills[:, :1].view(np.uint8) + (games * s.heads.shape[1])[:, None]
    # the cards from k to m of the stock are the difference of its first k and first m cards
    heads: U64 = s.heads.ravel().take(place, mode="clip")
    drawn: U64 = heads[:, :4] ^ heads[:, 4:]
    cards[:, :, DRAWN] = drawn
    drawn &= trumps[:, None]  # P-FILL-03: the others are dead
    drawn |= held
    cards[:, :, HELD] = drawn
    s.cards[games] = cards
    s.left[games] = trumps
    s.sheet.reshape(len(s), -1).view(np.uint64)[:, ASKED // 2][games] = fills[:, 1]  # ASKED and DREW
    given = fills[:, 2].view(np.int64)
    s.stock_next[games] = given
    size = s.stock_end[games] - given
    s.kitty_size[games] = size
    return _leftovers(t, s, games, trump, size)


def _leftovers(t: Tables, s: PitchState, games: I64, trump: I64, size: I64) -> I64:
    """What becomes of the leftovers after the fill (section 10). Returns the games that are ready to burn."""
    mode = t.rules.kitty_mode
    s.context[games] = LOOKING + trump
    some = size > 0  # P-KIT-04
    left, ready = (games, _NONE) if np.count_nonzero(some) == len(some) else (games[some], games[~some])
    bidder = s.bidder[left]
    if mode == "bidder_only":
        _give_rest(t, s, left, bidder)
        return games
    if mode == "auto_swap":
        _swap(t, s, left)
        return games
    if mode == "keep_or_pass_all":  # P-KIT-02, BD-16
        s.player[left] = bidder
        return ready
    return np.concatenate([ready, _go_on_looking(t, s, left)])


def decide_leftovers(t: Tables, s: PitchState, games: I64, actions: I64) -> I64:
    """Keep or pass all, look at the next card or stop (P-KIT-02). Returns the games that are ready to burn."""
    if t.rules.kitty_mode == "keep_or_pass_all":
        # the bidder decides; his partner sits opposite
        _give_rest(t, s, games, s.player.take(games) ^ ((actions == t.actions.give) * np.int8(2)))
        return games
    stop = actions == t.actions.stop
    stopped, looking = games[stop], games[~stop]
    _give_rest(t, s, stopped, s.partner[stopped])
    place = s.stock_next[looking].astype(np.int64)
    card = s.heads[looking, place + 1] ^ s.heads[looking, place]
    s.stock_next[looking] += 1
    _give(t, s, looking, s.bidder[looking], card, _ONE)
    return np.concatenate([stopped, _go_on_looking(t, s, looking)])


def _go_on_looking(t: Tables, s: PitchState, games: I64) -> I64:
    """one_by_one: ask again unless the leftovers are at an end or the bidder holds six trumps (BD-14)."""
    bidder = s.bidder[games]
    empty = s.stock_next[games] >= s.stock_end[games]
    full = np.bitwise_count(s.cards[games, bidder, HELD]) >= MAX_TRUMPS
    forced = games[full & ~empty]
    _give_rest(t, s, forced, s.partner[forced])
    ask = ~(full | empty)
    s.player[games[ask]] = bidder[ask]
    return games[~ask]


def _give(
    t: Tables, s: PitchState, games: I64, seats: Seats, cards: U64, count: npt.NDArray[np.integer] | np.uint8
) -> None:
    """P-KIT-03: the receiver adds all trumps and drops the rest."""
    slot = _slots(s, games, seats)
    flat = s.cards.ravel()
    # no trump is played or burned yet, so what is left of them is all
    flat[slot] |= cards & s.left.take(games)
    flat[slot + SEEN] |= cards
    sheet = s.sheet.ravel()
    place = _places(s, KITTY_TO, games, seats)
    sheet[place] += count.astype(np.uint8)


def _give_rest(t: Tables, s: PitchState, games: I64, seats: Seats) -> None:
    """Give all leftovers that are still there."""
    start, end = s.stock_next[games], s.stock_end[games]
    row: I64 = games * s.heads.shape[1]
    heads = s.heads.ravel()
    cards: U64 = heads.take(row + end) ^ heads.take(row + start)
    _give(t, s, games, seats, cards, end - start)
    s.stock_next[games] = end


def _swap(t: Tables, s: PitchState, games: I64) -> None:
    """auto_swap: trumps in stock order, to the bidder up to six, then to his partner; the rest is dead (BD-15)."""
    bidder, partner, heads = s.bidder[games], s.partner[games], s.heads[games]
    place: I64 = np.arange(int(s.heads.shape[1]) - 1)
    words = (heads[:, 1:] ^ heads[:, :-1]) & s.left[games][:, None]
    words[(place < s.stock_next[games][:, None]) | (place >= s.stock_end[games][:, None])] = 0
    number = np.cumsum(words != 0, axis=1)  # of this trump among the trumps there, from 1
    first = np.maximum(MAX_TRUMPS - np.bitwise_count(s.cards[games, bidder, HELD]).astype(np.int64), 0)[:, None]
    second = np.maximum(MAX_TRUMPS - np.bitwise_count(s.cards[games, partner, HELD]).astype(np.int64), 0)[:, None]
    for seat, wanted in ((bidder, number <= first), (partner, (number > first) & (number <= first + second))):
        got = np.bitwise_or.reduce(np.where(wanted, words, 0), axis=1)
        s.cards[games, seat, HELD] |= got
        s.cards[games, seat, SEEN] |= got
    s.stock_next[games] = s.stock_end[games]


def ask_to_burn(t: Tables, s: PitchState, games: I64) -> tuple[I64, npt.NDArray[np.uint8]]:
    """Ask the first seat with more than six trumps (P-BURN-01, BD-17).

    Returns: the games in which nobody has, and masks of the seats that hold trumps in them.
    """
    counts = np.bitwise_count(s.cards.take(games, axis=0)[:, :, HELD])
    over = np.packbits(counts > MAX_TRUMPS, axis=1, bitorder="little")[:, 0]
    alive = np.packbits(counts, axis=1, bitorder="little")[:, 0]
    some = over.nonzero()[0]
    if not len(some):
        return games, alive
    asked = games[some]
    seat = t.burner.take(s.bidder[asked] * np.int64(32) + over[some])
    s.context[asked] = s.context.take(asked) % SUIT_CONTEXTS + BURNING
    s.player[asked] = seat
    none = (over == 0).nonzero()[0]
    return games[none], alive[none]


def burn(t: Tables, s: PitchState, games: I64, actions: I64) -> tuple[I64, I64]:
    """Burn one card. Returns the games to go on with, and those whose hand is void (BD-18)."""
    seat, card = s.player.take(games), CARD.take(actions)
    moves = _slots(s, games, seat) + _BURN_MOVES
    cards = s.cards.ravel()
    cards[moves] = cards.take(moves) ^ card
    if t.rules.burn_visible:
        s.left[games] ^= card
    sheet = s.sheet.ravel()
    sheet[_places(s, BURNS, games, seat)] += _ONE
    if t.rules.two_scores_when == "holder":  # P-TWO-02, BD-4
        value = t.own.take(s.trump[games].astype(np.int64) * COLUMNS + actions)
        sheet[_places(s, CREDIT, games, seat)] += value
    if t.rules.burn_policy != "misdeal_if_point":
        return games, _NONE
    void = (card & t.points.take(s.trump[games])) != 0
    return games[~void], games[void]


def burnable(t: Tables, s: PitchState, games: I64, held: U64) -> U64:
    """What the seat to act may burn next: never the called card, first cards without points (BD-18, BD-20)."""
    if t.players == 5:
        held = held & ~CARD.take(s.called[games])
    if t.rules.burn_policy != "nonpoint_first":  # P-BURN-03
        return held
    plain: U64 = held & ~t.points.take(s.trump[games])
    return np.where(plain == 0, held, plain)
