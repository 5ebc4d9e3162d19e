"""The course of tricks as one number a game: who holds trumps, who leads and how far the trick has gone.

A turn is `alive · 64 + leader · 8 + distance`: the seats that hold trumps (a mask), the seat that leads, and how far
the seat to act sits from it. COMPLETE is added when everybody has played; in NOBODY there is no leader, as before the
play and after a hand. A card played is then one lookup for what comes next, whatever the number of players
(P-OUT-01..03, BD-21, BD-23).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import U8, U64
from ..core.layout import SeatFlags

I8 = npt.NDArray[np.int8]
I64 = npt.NDArray[np.int64]

NOBODY = 7 << 3
COMPLETE = 32 << 6
#: Bits of a turn that tell the leader, and of a complete one shifted by three that tell who holds trumps, times 8.
LEADER_BITS = np.int64(7 << 3)
ALIVE_BITS = np.int64(31 << 3)

_TURNS = np.arange(2 * COMPLETE)
#: By turn: the leader, -1 if nobody leads; and the seats that hold trumps.
LEADER_OF: I8 = np.where(_TURNS & NOBODY == NOBODY, -1, (_TURNS >> 3) & 7).astype(np.int8)
ALIVE_OF: U8 = ((_TURNS >> 6) & 31).astype(np.uint8)
#: By turn: 1 + the distance of the seat to act from the leader.
PLACE_OF: I8 = ((_TURNS & 7) + 1).astype(np.int8)


@dataclass(frozen=True)
class Turns:
    """Tables for a number of players and a rule of showing who is out.

    next: int64 [4 · COMPLETE] (turn, a card is played, it was the seat's last trump) → turn.
    move: int8, the same index → what is added to the seat to act, 0 if the trick is complete.
    passed: uint64, the same index → flags of seats shown to be out by it.
    lead: int64 [256] (alive, seat) → turn if the first of `alive` from `seat` on leads.
    first: int8 [256] → that seat, -1 if there is none. skipped: uint64 [256] flags of seats shown to be out by it.
    winner: int8 [64] (leader, low bits of the winning code) → seat that wins a complete trick.
    flags: uint64 [512] (leader, distance, low bits of the winning code) → flags of who leads and whose card wins.
    """

    next: I64
    move: I8
    passed: U64
    lead: I64
    first: I8
    skipped: U64
    winner: I8
    flags: U64


def turns(n: int, at_once: bool, flags: SeatFlags) -> Turns:
    """The tables for `n` players; `at_once`: whoever plays his last trump is shown to be out (BD-23)."""

    def out(seats: list[int], alive: int) -> int:
        if at_once:
            seats = [s for s in range(n) if not alive >> s & 1]
        return sum(flags.bit("out", s) for s in seats)

    play_next = np.repeat(np.arange(COMPLETE), 4).reshape(COMPLETE, 2, 2)  # without a card all stays as it is
    move, passed = np.zeros((COMPLETE, 2, 2), np.int8), np.zeros((COMPLETE, 2, 2), np.uint64)
    for alive in range(1 << n):
        for leader in range(n):
            for distance in range(n):
                turn = alive << 6 | leader << 3 | distance
                for last in (0, 1):
                    seat = (leader + distance) % n
                    still = alive & ~(last << seat)
                    over: list[int] = []
                    play_next[turn, 1, last] = COMPLETE | still << 6 | leader << 3
                    for k in range(1, n - distance):
                        other = (seat + k) % n
                        if still >> other & 1:
                            play_next[turn, 1, last] = still << 6 | leader << 3 | distance + k
                            move[turn, 1, last] = other - seat
                            break
                        over.append(other)
                    passed[turn, 1, last] = out(over, still)
    lead, first = np.full((32, 8), NOBODY), np.full((32, 8), -1, np.int8)
    skipped = np.zeros((32, 8), np.uint64)
    for alive in range(1 << n):
        for seat in range(n):
            k = next((k for k in range(n) if alive >> ((seat + k) % n) & 1), None)
            if k is None:
                skipped[alive] = out([], alive)
            else:
                first[alive, seat] = (seat + k) % n
                lead[alive, seat] = alive << 6 | (seat + k) % n << 3
                skipped[alive, seat] = out([(seat + j) % n for j in range(k)], alive)
    winner, shown = np.zeros((8, 8), np.int8), np.zeros((8, 8, 8), np.uint64)
    for leader in range(n):
        shown[leader] = flags.bit("leader", leader)
        for low in range(tricks.SLOTS):
            winner[leader, low] = (leader + tricks.SLOTS - 1 - low) % n
            shown[leader, 1:, low] |= np.uint64(flags.bit("winning", int(winner[leader, low])))
    return Turns(
        play_next.ravel(), move.ravel(), passed.ravel(), lead.ravel(), first.ravel(), skipped.ravel(),
        winner.ravel(), shown.ravel(),
    )  # fmt: skip
