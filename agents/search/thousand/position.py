"""Positions of the card play of Thousand for the solver: a row of numbers each, for places instead of seats.

Place 0 is forehand, place k plays after place k - 1; with four players the sitting dealer has no place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ....envs.core.bits import I64
from ....envs.core.errors import BidtrickError
from ....envs.core.tricks import SLOT_BITS, SLOTS
from ....envs.thousand.lookup import tables
from ....envs.thousand.rules import ThousandRules
from ....envs.thousand.state import TRICKS, ThousandState
from ....envs.thousand.tables import NO_SUIT, PLAY, card_points

#: Cards by place (bits); who leads the trick; trump (4: none), its owner (-1: nobody), places with a trick as bits;
#: trump and owner from the next trick on (4, -1: no change waits); then the trick: cards on the table, suit led (4 on
#: lead), the strength of its best card (-1) and who played it as a number in the trick, its points, the cards in order
#: (-1); card points that the last trick brings besides.
FIELDS = (
    "hand_0", "hand_1", "hand_2", "leader", "trump", "owner", "has_trick", "next_trump", "next_owner", "order", "led",
    "best", "winner", "points", "card_0", "card_1", "card_2", "bank",
)  # fmt: skip
(
    HAND, HAND_1, HAND_2, LEADER, TRUMP, OWNER, HAS, NEXT_TRUMP, NEXT_OWNER, ORDER, LED, BEST, WINNER, PTS, CARD,
    CARD_1, CARD_2, BANK,
) = range(len(FIELDS))  # fmt: skip
WIDTH = len(FIELDS)


def at_the_start(hands: npt.ArrayLike, leader: npt.ArrayLike = 0, bank: npt.ArrayLike = 0) -> I64:
    """Positions before the first trick. hands: [n, places] cards as bits; leader, bank: [n] or one number."""
    cards = np.asarray(hands).astype(np.int64)
    rows = np.zeros((len(cards), WIDTH), np.int64)
    rows[:, : cards.shape[1]] = cards
    rows[:, LEADER], rows[:, BANK] = leader, bank
    rows[:, [TRUMP, NEXT_TRUMP, LED]] = NO_SUIT
    rows[:, [OWNER, NEXT_OWNER, BEST, CARD, CARD_1, CARD_2]] = -1
    return rows


def bank_of(state: ThousandState, rules: ThousandRules) -> I64:
    """Card points that the last trick brings besides (T-2P-02, T-2P-04, T-2P-08). int64 [N]."""
    if rules.players != 2:
        return np.zeros(len(state), np.int64)
    cards = np.bitwise_or.reduce(state.talons, axis=1) & ~state.talon
    if rules.gives == 2:
        cards |= np.bitwise_or.reduce(state.sees_gave[:, :, 1], axis=1)
    return card_points(cards).astype(np.int64)


def of_games(state: ThousandState, rules: ThousandRules) -> tuple[I64, I64]:
    """Positions of games in the card play, and the seat of each place: int64 [N, WIDTH], int64 [N, active].

    Raises: BidtrickError if a game is in another phase.
    """
    other = np.flatnonzero((state.phase != PLAY) | (state.player < 0))
    if len(other):
        raise BidtrickError(f"game {other[0]} is not in the card play; allowed: the phase 'play'")
    t, p, n = tables(rules).turns, rules.players, len(state)
    rows, dealer = np.arange(n), state.dealer.astype(np.int64)
    seats = t.active.take(dealer[:, None] * p + np.arange(rules.active))
    place: Any = np.append(np.zeros((n, p), np.int64), np.full((n, 1), -1), axis=1)
    place[rows[:, None], seats] = np.arange(rules.active)
    found = at_the_start(state.hands[rows[:, None], seats], place[rows, state.leader], bank_of(state, rules))
    order = state.order.astype(np.int64)
    found[:, TRUMP], found[:, NEXT_TRUMP] = state.trump, NO_SUIT
    found[:, OWNER] = place[rows, state.trump_owner]
    found[:, HAS] = (state.sheet[rows[:, None], seats, TRICKS] > 0) @ (1 << np.arange(rules.active))
    if rules.marriage_trump_from == "next_trick":
        found[:, NEXT_TRUMP] = state.next_trump
        found[:, NEXT_OWNER] = np.where(state.next_trump == NO_SUIT, -1, place[rows, state.next_owner])
    found[:, ORDER], found[:, LED] = order, state.led
    found[:, PTS] = state.trick_points
    placed = order > 0
    found[:, BEST] = np.where(placed, state.code >> SLOT_BITS, -1)
    found[:, WINNER] = np.where(placed, SLOTS - 1 - (state.code & (SLOTS - 1)), 0)
    for k in range(rules.active):
        seat = seats[rows, (found[:, LEADER] + k) % rules.active]
        lies = state.table[rows, seat]
        card = np.bitwise_count(lies - np.uint64(1)).astype(np.int64)
        found[:, CARD + k] = np.where((k < order) & (lies != 0), card, -1)
    return found, seats
