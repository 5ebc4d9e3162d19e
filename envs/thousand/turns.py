"""Whose turn it is in Thousand: one number says who deals, leads or acts, bids and has passed.

A node is a multiple of 8, the slots of tables that are read at node + something small. There are three kinds: seated
(dealer, seat: the leader of a trick, or who is asked outside the play), the same of finished games, and those of the
auction (dealer, seat to bid, holder of the highest bid, seats that are out).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import I64, U64
from .contexts import LEAD
from .tables import active_seats, facts

I8 = npt.NDArray[np.int8]

SLOTS = tricks.SLOTS


@dataclass(frozen=True)
class Turns:
    """The nodes of P players; flat tables. Nodes are multiples of SLOTS.

    By node + slot: turn int8, slot = cards on the table → seat to act, -1 in a finished game; after int64, slot =
        code & 7 → the node of the winner of a trick, or in the auction 0 after a bid, 1 after a pass → the next node
        (a seated one when the auction is over); flags uint64, slot = code & 7 → leader and winning seat.
    By node: dealer int64, leader int8 (seat to act outside the play).
    Of seats: seated int64 [P·P] (dealer, seat) → node; placed int64 [P·P] (dealer, place) → node of an active seat;
        opening int64 [P] the node of an auction that forehand opens, by dealer; place int64 [P·P] (dealer, seat) →
        place from forehand; active int64 [P·P] (dealer, place) → seat; next_in int64 [P·P·2^P] (dealer, seat, seats
        that are out) → the next seat that is in.
    finished: what makes a seated node one of a finished game. auction: the first node of the auction.
    """

    finished: int
    auction: int
    turn: I8
    after: I64
    flags: U64
    dealer: I64
    leader: I8
    seated: I64
    placed: I64
    opening: I64
    place: I64
    active: I64
    next_in: I64


def auction_node(players: int, dealer: Any, seat: Any, holder: Any, out: Any) -> Any:
    """Node of the auction with this seat to bid (ints or arrays); holder -1 for none, `out` seats as bits."""
    p = players
    return (2 * p * p + ((((dealer * p + seat) * (p + 1) + holder + 1) << p) | out)) * SLOTS


@lru_cache(maxsize=4)
def turns(players: int) -> Turns:
    """The nodes of a number of players (cached)."""
    p = players
    seats_of = [active_seats(p, dealer) for dealer in range(p)]
    rows = 2 * p * p + (p * p * (p + 1) << p)
    turn = np.full((rows, SLOTS), -1, np.int8)
    after = np.zeros((rows, SLOTS), np.int64)
    flags = np.zeros((rows, SLOTS), np.uint64)
    dealers, leaders = np.zeros((rows, SLOTS), np.int64), np.zeros((rows, SLOTS), np.int8)
    next_in = np.full((p, p, 1 << p), -1, np.int64)
    for dealer, seats in enumerate(seats_of):
        for k, seat in enumerate(seats):
            order = [seats[(k + j) % len(seats)] for j in range(len(seats) + 1)]
            for out in range(1 << p):
                next_in[dealer, seat, out] = next((s for s in order[1:] if not out >> s & 1), -1)
    for dealer, seats in enumerate(seats_of):
        for seat in range(p):
            row = dealer * p + seat
            for kind in (row, p * p + row):
                dealers[kind], leaders[kind] = dealer, seat
            turn[row] = seat
            if seat not in seats:
                continue
            order = [seats[(seats.index(seat) + j) % len(seats)] for j in range(SLOTS)]
            turn[row, : len(seats)] = order[: len(seats)]
            leads = facts(p).bit("leader", seat)
            flags[row, LEAD & (SLOTS - 1)] = leads
            for place in range(len(seats)):
                low = SLOTS - 1 - place
                after[row, low] = (dealer * p + order[place]) * SLOTS
                flags[row, low] = leads | facts(p).bit("winning", order[place])
            flags[p * p + row] = flags[row]
            for holder in range(-1, p):
                for out in range(1 << p):
                    node = auction_node(p, dealer, seat, holder, out) // SLOTS
                    turn[node], dealers[node], leaders[node] = seat, dealer, seat
                    for passes in (0, 1):
                        holds, gone = (holder, out | 1 << seat) if passes else (seat, out)
                        # who holds the bid is never passed over, even if he is silent (T-AUC-10)
                        passed_over = gone & ~(1 << holds) if holds >= 0 else gone
                        following = int(next_in[dealer, seat, passed_over])
                        if following < 0:
                            continue
                        # when the turn comes to the holder nobody else is left (T-AUC-02, T-AUC-05)
                        after[node, passes] = (
                            (dealer * p + following) * SLOTS
                            if following == holds
                            else auction_node(p, dealer, following, holds, gone)
                        )
    seat = np.arange(p)
    place = (seat - seat[:, None] - 1) % p
    active = (seat + seat[:, None] + 1) % p
    seated = (seat[:, None] * p + seat) * SLOTS
    return Turns(
        finished=p * p * SLOTS,
        auction=2 * p * p * SLOTS,
        turn=turn.ravel(),
        after=after.ravel(),
        flags=flags.ravel(),
        dealer=dealers.ravel(),
        leader=leaders.ravel(),
        seated=seated.ravel(),
        placed=np.take_along_axis(seated, active, axis=1).ravel(),
        opening=np.array([auction_node(p, d, seats_of[d][0], -1, 0) for d in range(p)]),
        place=place.ravel(),
        active=active.ravel(),
        next_in=next_in.ravel(),
    )
