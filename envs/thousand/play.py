"""Tricks and marriages of Thousand (T-PLAY, T-MAR, T-ACE): the hot path, done on all games of a batch at once.

Every table has a column of no effect for games that do something else, so that card plays need no selection;
declarations and ends of tricks are done on the games concerned only.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import I64, ONE, U64, ZERO
from .state import MARRIAGES, POINTS, SHEET, TRICKS, WHEN, ThousandState
from .tables import (
    ACE,
    ACES,
    DECLARE,
    KING,
    NO_SUIT,
    NUM_RANKS,
    PLAY,
    QUEEN,
    STRENGTHS,
    SUIT_MASK,
    SUITS,
    Tables,
    card_points,
    queens_of_pairs,
)

_LOW12, _TWELVE = np.uint64(0xFFF), np.uint64(12)


def legal(s: ThousandState, t: Tables) -> U64:
    """Cards to play and to declare with; meaningless in other phases. uint64 [N], bits of word 0."""
    rules = t.rules
    n, p = len(s), rules.players
    slot = np.arange(0, n * p, p) + np.maximum(s.player, 0)
    held = s.hands.ravel().take(slot)
    index = (s.trump * np.int32(5) + s.led) * np.int32(STRENGTHS) + np.maximum(tricks.strength_of(s.code), 0)
    words = _ruffing(t, held, index, s)
    follow = held & t.follow.take(index, mode="clip")
    words = np.where(follow != 0, follow, words)
    if rules.play_must_beat:  # T-PLAY-05
        beat = held & t.beat.take(index, mode="clip")
        words = np.where(beat != 0, beat, words)
    if rules.play_foreign_trump_lead == "forbidden":  # T-PLAY-07: waived when only trumps are left
        foreign = (s.order == 0) & (s.trump_owner != s.player)
        others = held & ~SUIT_MASK.take(s.trump)
        words = np.where(foreign & (others != 0), others, words)
    _add_declarations(s, t, slot, held, words)
    return words


def _ruffing(t: Tables, held: U64, index: npt.NDArray[np.int32], s: ThousandState) -> U64:
    """What who cannot follow (or leads) may play (T-PLAY-03 to T-PLAY-05)."""
    rules = t.rules
    words = held
    if rules.play_must_trump:
        ruff = held & t.ruff.take(index, mode="clip")
        words = np.where(ruff != 0, ruff, words)
    if rules.play_must_overtrump:
        over = held & t.overtrump.take(index, mode="clip")
        # without the duty to trump other cards stay free, and a trump must still be a higher one
        free = ZERO if rules.play_must_trump else held & ~SUIT_MASK.take(s.trump)
        words = np.where(over != 0, over | free, words)
    return words


def _add_declarations(s: ThousandState, t: Tables, slot: I64, held: U64, words: U64) -> None:
    """Add the declarations that the seat may make with a card it may play (T-MAR-03 to T-MAR-06, T-ACE-02 to -04)."""
    rules = t.rules
    pairs = queens_of_pairs(held)
    rows = np.flatnonzero((s.phase == PLAY) & (pairs != 0) & (s.player >= 0))
    if rules.marriage_on_lead_only:
        rows = rows[s.order[rows] == 0]
    if rules.marriage_needs_trick:
        rows = rows[s.sheet.ravel()[slot[rows] * SHEET + TRICKS] > 0]
    _offer(t, rows, words, words[rows] & (pairs[rows] | (pairs[rows] << ONE)))
    if rules.ace_marriage:
        rows = np.flatnonzero((s.phase == PLAY) & ((held & ACES) == ACES) & (s.order == 0) & (s.player >= 0))
        if rules.ace_marriage_needs_trick:
            rows = rows[s.sheet.ravel()[slot[rows] * SHEET + TRICKS] > 0]
        _offer(t, rows, words, words[rows] & ACES)


def _offer(t: Tables, rows: I64, words: U64, cards: U64) -> None:
    low = t.declare_low.take((cards & _LOW12).view(np.int64))
    high = t.declare_high.take((cards >> _TWELVE & _LOW12).view(np.int64))
    silent = words[rows] if t.rules.marriage_optional else words[rows] & ~cards  # T-MAR-06
    words[rows] = silent | low | high


def advance(s: ThousandState, t: Tables, actions: I64) -> I64:
    """Play the cards of all actions that play one; returns the games whose last trick is complete."""
    space, rules = t.space, t.rules
    n, p = len(s), rules.players
    columns = space.card_actions + 1
    a = np.minimum(actions.view(np.uint64), np.uint64(space.card_actions)).view(np.int64)  # others: no card
    declaring = np.flatnonzero((a >= DECLARE) & (a < space.card_actions))
    if len(declaring):
        _declare(s, t, declaring, t.card_index.take(a[declaring]).astype(np.int64))

    rows = np.arange(n)
    playing = a < space.card_actions
    seat = np.maximum(s.player, 0)
    slot = rows * p + seat
    card = t.card.take(a)
    led = t.led.take(s.led * np.int64(columns) + a)
    index = (s.trump * np.int64(5) + led) * columns + a
    power = t.strength.take(index)

    hands, played, table = s.hands.ravel(), s.played.ravel(), s.table.ravel()
    hands[slot] &= ~card
    played[slot] |= card
    table[slot] |= card
    place = s.tricks * np.int8(rules.active) + s.order + np.int8(1)
    s.when.ravel()[rows * WHEN + t.card_index.take(a)] = place
    s.facts |= t.voids.take(index) << seat.astype(np.uint64)
    s.trick_points += t.points.take(a)
    s.led = led.astype(np.int8)
    s.code = np.maximum(s.code, tricks.codes(power, s.order))
    s.order += playing
    following = t.next.take(s.dealer * np.int64(p) + seat)
    s.player = np.where(playing, following, s.player)

    complete = np.flatnonzero(s.order == rules.active)
    return _end_tricks(s, t, complete) if len(complete) else complete


def _declare(s: ThousandState, t: Tables, games: I64, cards: I64) -> None:
    """Marriages and four aces, credited at once (T-MAR-07); the suit becomes trump (T-MAR-08, T-ACE-05)."""
    rules = t.rules
    seats = s.player[games].astype(np.int64)
    suit, rank = cards // NUM_RANKS, cards % NUM_RANKS
    aces = rank == ACE
    value = np.where(aces, rules.ace_marriage_value, np.array(rules.marriage_values).take(suit))
    s.sheet[games, seats, MARRIAGES] += (value // 10).astype(np.uint8)
    flags = _marriage_flags(t).ravel().take(np.where(aces, 4, suit) * rules.players + seats)
    s.married[games] |= flags
    if not rules.ace_marriage_sets_trump:
        games, suit, seats = games[~aces], suit[~aces], seats[~aces]
    if rules.marriage_trump_from == "next_trick":
        s.next_trump[games] = suit
        s.next_owner[games] = seats
        return
    _set_trump(s, t, games, suit, seats)
    if not rules.marriage_on_lead_only:
        _weigh_again(s, t, games[s.order[games] > 0])


def _marriage_flags(t: Tables) -> U64:
    """Flags of (suit, or 4 for the aces) × seat. uint64 [5, P]."""
    return np.array([t.marry[name][:-1] for name in (*(suit.lower() for suit in SUITS), "aces")])


def _set_trump(
    s: ThousandState, t: Tables, games: I64, suit: npt.NDArray[np.integer], seats: npt.NDArray[np.integer]
) -> None:
    s.trump[games] = suit
    s.trump_owner[games] = seats
    s.facts[games] = (s.facts[games] & ~np.bitwise_or.reduce(t.fact["trump_owner"])) | t.fact["trump_owner"].take(seats)


def _weigh_again(s: ThousandState, t: Tables, games: I64) -> None:
    """A follower has declared: the cards on the table are compared under the new trump (T-MAR-04, T-MAR-08)."""
    if not len(games):
        return
    rules = t.rules
    seat = s.leader[games].astype(np.int64)
    code = np.full(len(games), tricks.EMPTY, np.int16)
    columns = t.space.card_actions + 1
    for order in range(rules.active - 1):
        lies = s.table[games, seat]
        card = np.bitwise_count(lies - ONE).astype(np.int64)  # of a single bit; an empty word is left out below
        index = (s.trump[games].astype(np.int64) * 5 + s.led[games]) * columns + np.minimum(card, columns - 1)
        weighed = tricks.codes(t.strength.take(index), np.full(len(games), order, np.int16))
        code = np.where(order < s.order[games], np.maximum(code, weighed), code)
        seat = t.next.take(s.dealer[games].astype(np.int64) * rules.players + seat).astype(np.int64)
    s.code[games] = code


def _end_tricks(s: ThousandState, t: Tables, games: I64) -> I64:
    """The trick goes to the winner, who leads the next one; returns the games that have no cards left."""
    rules = t.rules
    p = rules.players
    index = (s.dealer[games].astype(np.int64) * p + s.leader[games]) * tricks.SLOTS + (
        s.code[games] & (tricks.SLOTS - 1)
    )
    winner = t.winner.take(index)
    number = s.tricks[games] + np.int8(1)
    column = (games * p + winner) * SHEET
    sheet = s.sheet.ravel()
    sheet[column + TRICKS] += np.uint8(1)
    sheet[column + POINTS] += s.trick_points[games].astype(np.uint8)
    s.tricks[games] = number
    s.table[games] = 0
    s.order[games] = 0
    s.trick_points[games] = 0
    s.code[games] = tricks.EMPTY
    s.led[games] = NO_SUIT
    s.leader[games] = s.player[games] = winner
    if rules.marriage_trump_from == "next_trick":
        new = games[s.next_trump[games] != NO_SUIT]
        _set_trump(s, t, new, s.next_trump[new], s.next_owner[new])
        s.next_trump[new] = NO_SUIT
    last = number == rules.tricks
    games, column = games[last], column[last]
    if rules.players == 2 and len(games):  # T-2P-02, T-2P-08: the other talon, and what was given to the bank
        bank = (s.talons[games, 0] | s.talons[games, 1]) & ~s.talon[games]
        if rules.gives == 2:
            bank |= s.gave[games, 1]
        sheet[column + POINTS] += card_points(bank).astype(np.uint8)
    return games


assert KING == QUEEN + 1
