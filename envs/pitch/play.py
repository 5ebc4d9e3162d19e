"""The play of tricks (section 12): whole arrays for each card, subsets for what ends with it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import I64, U8, U64, row_starts
from .scoring import makes_target
from .state import CREDIT, HELD, IN_BLIND, PLAYED, POINTS, SEAT_WORDS, SHEET_ROWS, TRICKS, WHEN, PitchState
from .tables import CARD, PLAYING, SUIT_CONTEXTS, Tables, partner_shown
from .turns import ALIVE_BITS, COMPLETE, LEADER_BITS, NOBODY, PLACE_OF

#: Where the words lie that a card played changes: taken from the hand, put to those played.
_MOVES: I64 = np.array([[HELD], [PLAYED]])
_LAST_COLUMN = np.int64(WHEN - 1)
_LOW = np.int16(tricks.SLOTS - 1)
_ONE = np.int8(1)
_THREE = np.int8(3)


def start(t: Tables, s: PitchState, games: I64, alive: npt.NDArray[np.uint8]) -> I64:
    """The bidder leads, or the first to his left with a trump (P-PLAY-01, BD-21). Returns hands without a trump."""
    s.context[games] = s.context.take(games) % SUIT_CONTEXTS + PLAYING
    return _lead(t, s, games, alive.astype(np.int64) * 8 + s.bidder[games])


def _lead(t: Tables, s: PitchState, games: I64, index: I64) -> I64:
    """The first seat from a seat on that holds a trump leads (P-OUT-02), `index` as in `Turns.lead`.

    Returns: the games in which nobody does.
    """
    leader = t.turns.first.take(index)
    s.player[games] = leader
    s.turn[games] = t.turns.lead.take(index)
    s.flags[games] |= t.turns.skipped.take(index)  # seats passed over are shown to be out (BD-23)
    return games[leader < 0]


def play(t: Tables, s: PitchState, actions: I64, index: I64, card: U64, played: npt.NDArray[np.bool_]) -> I64:
    """Play a card in the games where `played` holds; nothing changes in the others. Returns complete tricks.

    Args:
        actions: reduced to the columns of tables over actions.
        index: place in such tables. card: what is played, the empty word if nothing is.
    """
    n = len(s)
    seat = s.player & _THREE if t.players == 4 else np.maximum(s.player, 0)
    moves = (row_starts(n, t.players * SEAT_WORDS) + seat * SEAT_WORDS) + _MOVES
    cards = s.cards.ravel()
    moved = cards.take(moves, mode="clip") ^ card
    cards[moves] = moved
    s.table |= card
    s.left ^= card

    hand, turn, course = s.hand, s.turn, t.turns
    place = PLACE_OF.take(turn, mode="clip")
    # without a card 0 is written, where a 0 is already or to the last column: other phases come before the play
    s.when.ravel()[row_starts(n, WHEN) + (actions & _LAST_COLUMN)] = (hand[:, TRICKS] * t.players + place) * played
    np.maximum(s.code, t.play_code.take(index, mode="clip") - place, out=s.code)
    points = s.trick_points
    points += t.play_won.take(index, mode="clip")
    value = t.play_own.take(index, mode="clip")
    own = value.nonzero()[0]
    if len(own):  # P-TWO-01
        width = s.sheet.shape[2]
        slot = own * (SHEET_ROWS * width) + (seat.take(own) + POINTS * width)
        sheet = s.sheet.ravel()
        sheet[slot] += value.take(own).view(np.uint8)
    if t.players == 5:  # P-5H-04: the called card shows who is the partner
        shown = ((actions == s.called) & played).nonzero()[0]
        if len(shown):
            s.flags[shown] |= partner_shown(5)

    step: I64 = (turn << 1) + played
    step <<= 1
    step += moved[0] == 0
    s.flags |= course.passed.take(step, mode="clip")
    s.player += course.move.take(step, mode="clip")
    after: I64 = course.next.take(step, mode="clip")
    s.turn = after
    return (after >= COMPLETE).nonzero()[0]


def end_trick(t: Tables, s: PitchState, games: I64) -> I64:
    """Credit the trick to the highest trump, whose player leads (P-PLAY-04). Returns the games whose hand is over."""
    turn = s.turn.take(games)
    winner = t.turns.winner.take((turn & LEADER_BITS) | (s.code.take(games) & _LOW))
    sheet, points, count = s.sheet.ravel(), s.trick_points, s.tricks
    width = s.sheet.shape[2]
    slot = games * (SHEET_ROWS * width) + (winner + POINTS * width)
    sheet[slot] += points[games].view(np.uint8)  # P-PTS-02
    points[games] = 0
    count[games] += _ONE
    s.code[games] = tricks.EMPTY
    s.table[games] = 0
    index = ((turn >> 3) & ALIVE_BITS) + winner
    if t.rules.check != "mid_hand":
        return _lead(t, s, games, index)
    took, _ = points_by_side(t, s, games)  # P-END-01, BD-34: nobody leads any more
    early = makes_target(t.rules, s.scores[games], s.bidder[games], s.bid[games], took)
    s.turn[games[early]] = NOBODY
    return np.concatenate([games[early], _lead(t, s, games[~early], index[~early])])


def points_by_seat(t: Tables, s: PitchState, games: I64) -> U8:
    """Points of each seat so far, credited ones included. uint8 [n, P]."""
    sheet = s.sheet.view(np.uint32 if t.players == 4 else np.uint64)
    points = sheet[:, POINTS, 0][games].view(np.uint8).reshape(len(games), -1)
    if t.rules.two_scores_when == "holder":
        points += s.sheet[games, CREDIT]
    return points[:, : t.players]


def points_by_side(t: Tables, s: PitchState, games: I64) -> tuple[I64, I64]:
    """Points so far of the bidding side and of the defenders. int64 [n] each."""
    return by_side(points_by_seat(t, s, games), s.bidder[games], s.partner[games])


def by_side(
    points: npt.NDArray[np.integer], bidder: npt.NDArray[np.integer], partner: npt.NDArray[np.integer]
) -> tuple[I64, I64]:
    """Points of the bidding side and of the defenders from those by seat [n, P]. int64 [n] each."""
    wide = points.astype(np.int64)
    total = wide.sum(axis=1)
    rows = row_starts(len(points), points.shape[1])
    flat = wide.ravel()
    took = flat.take(rows + bidder, mode="clip") + flat.take(rows + partner, mode="clip") * (partner >= 0)
    return took, total - took


def bind_first_trick(t: Tables, s: PitchState, games: I64, held: U64) -> U64:
    """Duties of trick 1 for the cards held: the called card (P-5H-05, P-5H-06, BD-24), a natural lead (BD-22)."""
    if t.rules.first_lead_natural:
        natural = held & t.natural.take(s.trump[games])
        leads = s.player[games] == s.leader[games]
        bound = np.where(leads & (natural != 0), natural, held)
    else:
        bound = held
    if t.players == 5:
        called = held & CARD.take(s.called[games])
        must = called != 0
        if not t.rules.called_card_first_trick:
            must &= s.called_from[games] == IN_BLIND
        bound = np.where(must, called, bound)
    return bound
