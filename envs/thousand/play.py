"""Tricks and marriages of Thousand (T-PLAY, T-MAR, T-ACE): the hot path, done on all games of a batch at once.

Every table has a row of no effect for games that do something else, so that card plays need no selection;
declarations and ends of tricks are done on the games concerned only.
"""

from __future__ import annotations

import numpy as np

from ..core import tricks
from ..core.bits import I64, ONE, U64, ZERO, row_starts
from .columns import SHEET, TRICKS
from .contexts import LEAD, LED_NOTHING, STRENGTH_BITS, led_of, play_context, trump_of
from .lookup import Tables
from .state import Bools, ThousandState
from .tables import ACE, ACES, KING, NO_SUIT, NUM_RANKS, QUEEN, card_points
from .turns import SLOTS

_LOW12, _TWELVE = np.uint64(0xFFF), np.uint64(12)
_POINTS = np.uint64(0xFF)
_ONE_TRICK = np.uint32(1 << 8)
_SEAT = np.int8(3)


def held_by_player(s: ThousandState, t: Tables) -> U64:
    """The cards of the seat to act; anything in a finished game. uint64 [N]."""
    return s.rows.ravel().take(row_starts(len(s), t.columns.width) + (s.player & _SEAT), mode="clip")


def legal(s: ThousandState, t: Tables, held: U64) -> U64:
    """Cards to play and to declare with; meaningless in other phases. uint64 [N], bits of word 0."""
    rules, tables = t.rules, t.legal
    index = (s.context << STRENGTH_BITS) + (s.code >> tricks.SLOT_BITS)
    words = held.copy()
    if rules.play_must_trump:  # T-PLAY-03
        ruff = held & tables.ruff.take(index, mode="clip")
        np.copyto(words, ruff, where=ruff != 0)
    if rules.play_must_overtrump:
        over = held & tables.overtrump.take(index, mode="clip")
        # without the duty to trump other cards stay free, and a trump must still be a higher one
        free = ZERO if rules.play_must_trump else held & ~tables.trumps.take(s.context)
        np.copyto(words, over | free, where=over != 0)
    follow = held & tables.follow.take(index, mode="clip")
    np.copyto(words, follow, where=follow != 0)
    if rules.play_must_beat:  # T-PLAY-05
        beat = held & tables.beat.take(index, mode="clip")
        np.copyto(words, beat, where=beat != 0)
    if rules.play_foreign_trump_lead == "forbidden":  # T-PLAY-07: waived when only trumps are left
        others = held & ~tables.trumps.take(s.context)
        foreign = (s.ply & 3 == 0) & (s.facts & t.fact["trump_owner"].take(s.player, mode="wrap") == 0)
        np.copyto(words, others, where=foreign & (others != 0))
    _add_declarations(s, t, held, words)
    return words


def _add_declarations(s: ThousandState, t: Tables, held: U64, words: U64) -> None:
    """Add the declarations that the seat may make with a card it may play (T-MAR-03 to T-MAR-06, T-ACE-02 to -04)."""
    rules = t.rules
    queens = held & (held >> ONE) & t.legal.queens.take(s.context)
    rows = queens.nonzero()[0]
    if rules.marriage_needs_trick:
        rows = rows[_has_trick(s, t, rows)]
    queens = queens.take(rows)
    _offer(t, rows, words, queens | queens << ONE)
    if rules.ace_marriage:
        aces = t.legal.aces.take(s.context)
        rows = ((held & aces == aces) & (aces != 0)).nonzero()[0]
        if rules.ace_marriage_needs_trick:
            rows = rows[_has_trick(s, t, rows)]
        _offer(t, rows, words, ACES)


def _has_trick(s: ThousandState, t: Tables, games: I64) -> Bools:
    place: I64 = games * (8 * t.columns.width) + s.player.take(games) * np.int64(SHEET)
    return s.rows.view(np.uint8).ravel().take(place + (8 * t.columns.sheet + TRICKS)) != 0


def _offer(t: Tables, rows: I64, words: U64, cards: U64 | np.uint64) -> None:
    """Declarations with those of the cards that may be played."""
    if not len(rows):
        return
    playable = words.take(rows)
    may = playable & cards
    low = t.declare_low.take((may & _LOW12).view(np.int64))
    high = t.declare_high.take((may >> _TWELVE & _LOW12).view(np.int64))
    if not t.rules.marriage_optional:
        playable ^= may  # T-MAR-06
    words[rows] = playable | low | high


def declare(s: ThousandState, t: Tables, games: I64, actions: I64) -> None:
    """Marriages and four aces, credited at once (T-MAR-07); the suit becomes trump (T-MAR-08, T-ACE-05).

    The card is on the table already, and the context has the new trump.
    """
    rules, c = t.rules, t.columns
    seats = s.player.take(games)
    sheet = s.rows.view(np.uint32).ravel()
    place: I64 = games * (2 * c.width) + seats * np.int64(3) + (2 * c.sheet + 2)
    sheet[place] = sheet.take(place) + t.declared_tens.take(actions)
    s.married[games] = s.married.take(games) | t.declared.take(actions * rules.players + seats)
    if rules.marriage_trump_from == "next_trick" or not rules.ace_marriage_sets_trump:
        card = t.moves.byte.take(actions)
        if not rules.ace_marriage_sets_trump and rules.ace_marriage:
            suits = card % NUM_RANKS != ACE
            games, card, seats = games[suits], card[suits], seats[suits]
        if rules.marriage_trump_from == "next_trick":
            s.next_trump[games] = card // NUM_RANKS
            s.next_owner[games] = seats
            return
    _own_trump(s, t, games, seats)
    if not rules.marriage_on_lead_only:
        _weigh_again(s, t, games[(s.ply[games] & 3) > 1])


def _own_trump(s: ThousandState, t: Tables, games: I64, seats: np.ndarray[tuple[int], np.dtype[np.int8]]) -> None:
    rest = s.facts.take(games) & ~t.all_of["trump_owner"]
    s.facts[games] = rest | t.fact["trump_owner"].take(seats)


def _weigh_again(s: ThousandState, t: Tables, games: I64) -> None:
    """A follower has declared: the cards on the table are compared under the new trump (T-MAR-04, T-MAR-08)."""
    if not len(games):
        return
    row = s.context[games] << t.moves.bits
    table, cards = s.table[games], s.ply[games] & 3
    code = np.full(len(games), LEAD)
    for order in range(t.active):
        seat = t.turns.turn.take((s.node[games] // SLOTS) * SLOTS + order)
        lies = table[np.arange(len(games)), seat]
        card = np.bitwise_count(lies - ONE).astype(np.int64)  # of a single bit; an empty word is left out below
        weighed = t.moves.first.take(row | (card & 31)) - order
        code = np.where(order < cards, np.maximum(code, weighed), code)
    s.code[games] = code


def end_tricks(s: ThousandState, t: Tables, games: I64) -> I64:
    """The trick goes to the winner, who leads the next one; returns the games that have no cards left."""
    rules, c = t.rules, t.columns
    winner = t.turns.after.take(s.node.take(games) + (s.code.take(games) & (SLOTS - 1)))
    ply: I64 = s.ply.take(games) + (4 - t.active)
    desk = s.desk.take(games)
    points = desk & _POINTS
    sheet = s.rows.view(np.uint32).ravel()
    place = t.taken.take(winner) + games * (2 * c.width)
    sheet[place] = sheet.take(place) + (points.astype(np.uint32) + _ONE_TRICK)
    s.desk[games] = desk ^ points
    s.node[games] = winner
    s.code[games] = LEAD
    s.ply[games] = ply
    s.context[games] = LED_NOTHING.take(s.context.take(games))
    s.rows[games, c.table : c.played] = 0
    if rules.marriage_trump_from == "next_trick":
        new = games[s.next_trump[games] != NO_SUIT]
        s.context[new] = play_context(0, NO_SUIT) + 5 * s.next_trump[new].astype(np.int64)
        _own_trump(s, t, new, s.next_owner[new])
        s.next_trump[new] = NO_SUIT
    complete: Bools = ply == t.last_ply
    last = complete.nonzero()[0]
    games = games.take(last)
    if rules.players == 2 and len(games):  # T-2P-02, T-2P-08: the other talon, and what was given to the bank
        row = s.rows[games]
        bank = (row[:, c.talons] | row[:, c.talons + 1]) & ~row[:, c.taken]
        if t.gives == 2:
            bank |= row[:, c.gave + 2] | row[:, c.gave + 3]
        place = place.take(last)
        sheet[place] += card_points(bank).astype(np.uint32)
    return games


assert KING == QUEEN + 1
assert led_of(LED_NOTHING).min() == NO_SUIT
assert (trump_of(LED_NOTHING) == trump_of(np.arange(len(LED_NOTHING)))).all()
