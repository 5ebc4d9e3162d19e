"""The play of tricks (section 12): whole arrays for each card, subsets for what ends with it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import I64, U64
from .scoring import makes_target
from .state import CREDIT, HELD, IN_BLIND, PLAYED, POINTS, SHEET_ROWS, TABLE, PitchState
from .tables import CARD, COLUMNS, NO_CARD, NO_PLAY, PLAY, Tables

_SEAT_BIT = np.array([1 << s for s in range(8)], np.uint8)


def start(t: Tables, s: PitchState, games: I64) -> I64:
    """The bidder leads, or the first to his left with a trump (P-PLAY-01, BD-21). Returns hands without a trump."""
    alive = (s.cards[games, :, HELD] != 0) @ _SEAT_BIT[: t.players]
    s.alive[games] = alive
    s.phase[games] = PLAY
    return _lead(t, s, games, alive, s.bidder[games])


def _lead(t: Tables, s: PitchState, games: I64, alive: npt.NDArray[np.uint8], seat: npt.NDArray[np.int8]) -> I64:
    """The first seat from `seat` on that holds a trump leads (P-OUT-02). Returns the games in which nobody does."""
    index = alive.astype(np.int64) * 8 + seat
    leader = t.first.take(index)
    s.leader[games] = s.player[games] = leader
    # the leader's flag is replaced; seats passed over are shown to be out (BD-23)
    lead = t.leader_flag.take(leader)
    s.flags[games] = (s.flags[games] & ~np.bitwise_or.reduce(t.leader_flag)) | lead | t.skipped.take(index)
    return games[leader < 0]


def play(t: Tables, s: PitchState, actions: I64, playing: npt.NDArray[np.bool_]) -> I64:
    """Play a card in the games where `playing` holds (the whole of the others stays). Returns complete tricks."""
    players = t.players
    rows = np.arange(len(s))
    column = np.where(playing, actions, NO_CARD)
    seat = np.maximum(s.player, 0)
    card = CARD.take(column)
    slot = (rows * players + seat) * 8
    cards = s.cards.reshape(-1)
    held = cards.take(slot) & ~card
    cards[slot] = held
    cards[slot + PLAYED] |= card
    cards[slot + TABLE] |= card

    away = seat - s.leader
    away += np.int8(players) * (away < 0)
    s.when.reshape(-1)[rows * COLUMNS + column] = s.tricks * np.int8(players) + away + np.int8(1)
    index = s.trump * np.int64(COLUMNS) + column
    s.code = np.maximum(s.code, tricks.codes(t.strength.take(index), away))
    s.trick_points += t.won.take(index)
    s.sheet.reshape(-1)[(rows * SHEET_ROWS + POINTS) * s.sheet.shape[2] + seat] += t.own.take(index)  # P-TWO-01
    if players == 5:  # P-5H-04: the called card shows who is the partner
        s.shown |= (column == s.called) & playing

    alive = s.alive & ~(_SEAT_BIT.take(seat) * (held == 0))
    s.alive = alive
    index = np.where(playing, alive.astype(np.int64) * 64 + seat * np.int64(8) + s.leader, NO_PLAY)
    s.flags |= t.passed.take(index)
    following = t.next.take(index)
    s.player = np.where(following >= 0, following, s.player)
    return np.flatnonzero(playing & (following < 0))


def end_trick(t: Tables, s: PitchState, games: I64) -> I64:
    """Credit the trick to the highest trump, whose player leads (P-PLAY-04). Returns the games whose hand is over."""
    winner = (s.leader[games] + tricks.order_of(s.code[games]).astype(np.int8)) % np.int8(t.players)
    s.sheet[games, POINTS, winner] += s.trick_points[games]  # P-PTS-02
    s.trick_points[games] = 0
    s.tricks[games] += np.int8(1)
    s.code[games] = tricks.EMPTY
    s.cards[games, :, TABLE] = 0
    if t.rules.check != "mid_hand":
        return _lead(t, s, games, s.alive[games], winner)
    took, _ = points_by_side(t, s, games)  # P-END-01, BD-34: nobody leads any more
    early = makes_target(t.rules, s.scores[games], s.bidder[games], s.bid[games], took)
    s.flags[games[early]] &= ~np.bitwise_or.reduce(t.leader_flag)
    going_on = games[~early]
    return np.concatenate([games[early], _lead(t, s, going_on, s.alive[going_on], winner[~early])])


def points_by_seat(t: Tables, s: PitchState, games: I64) -> I64:
    """Points of each seat so far, credited ones included. int64 [n, P]."""
    return (s.sheet[games, POINTS, : t.players].astype(np.int64)) + s.sheet[games, CREDIT, : t.players]


def points_by_side(t: Tables, s: PitchState, games: I64) -> tuple[I64, I64]:
    """Points so far of the bidding side and of the defenders. int64 [n] each."""
    points = points_by_seat(t, s, games)
    seats = np.arange(t.players)
    ours = (seats == s.bidder[games][:, None]) | (seats == s.partner[games][:, None])
    took = (points * ours).sum(axis=1)
    return took, points.sum(axis=1) - took


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
