"""Positions of the card play of Pitch in which all cards are seen: arrays, one row a position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....envs.core import tricks
from ....envs.core.bits import I64, U64, lowest_bit
from ....envs.core.errors import BidtrickError
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.state import IN_BLIND, PLAYED, PitchState
from ....envs.pitch.tables import ALL_CARDS, CARD, NO_CARD, PLAY, tables

Bools = npt.NDArray[np.bool_]


class PositionError(BidtrickError):
    """A position that cannot be solved."""


@dataclass(frozen=True, eq=False)
class Positions:
    """W positions; seats are numbered as the caller likes, in playing order.

    hands: uint64 [W, P] trumps held. trump: int64 [W], 0..3.
    seat, leader: int64 [W], who plays next, who led (or leads) this trick.
    best, best_seat: int64 [W] card that wins so far and who played it; 54 and -1 before the lead.
    pot: int64 [W] points on the table that go with the trick.
    first: uint64 [W, P] cards of which one must be played to this trick by who holds one (see `duties`).
    """

    hands: U64
    trump: I64
    seat: I64
    leader: I64
    best: I64
    best_seat: I64
    pot: I64
    first: U64

    def __len__(self) -> int:
        return len(self.hands)

    def take(self, rows: npt.NDArray[np.integer]) -> Positions:
        """Some of the positions, in this order. int [n]."""
        return Positions(**{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})

    def distinct(self, side: I64) -> tuple[I64, I64]:
        """Positions that differ, or are looked at for other sides.

        Args:
            side: int64 [W], masks of seats.

        Returns: rows that stand for all, in order, int64 [D], and which of them each position is like, int64 [W].
        """
        columns = [getattr(self, name).reshape(len(self), -1).astype(np.int64) for name in self.__dataclass_fields__]
        _, first, same = np.unique(np.column_stack([*columns, side]), axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return first[order], order.argsort()[same.reshape(-1)]


def duties(
    rules: PitchRules,
    hands: U64,
    trump: I64,
    leader: I64,
    leading: Bools,
    first_trick: Bools,
    called: I64,
    blind: Bools,
) -> U64:
    """What must be played to this trick (P-5H-05, P-5H-06, P-PLAY-01, BD-22). uint64 [W, P]; all cards where nothing.

    Args:
        leading: nobody has played to this trick yet. called: int64 [W], the called card, 54 for none.
        blind: the called card came from the blind. (The others are as in `Positions`, one row a position.)
    """
    first: U64 = np.full(hands.shape, ALL_CARDS)
    if rules.first_lead_natural:
        rows = np.flatnonzero(leading & first_trick)
        first[rows, leader[rows]] = tables(rules).natural.take(trump[rows])
    must = first_trick & (blind | rules.called_card_first_trick)
    card = np.where(must, CARD.take(called), np.uint64(0))[:, None]
    return np.where(hands & card != 0, card, first)


def positions_of(s: PitchState, rules: PitchRules) -> Positions:
    """The positions of games; all must be in the card play. Raises PositionError naming one that is not."""
    wrong = np.flatnonzero((s.phase != PLAY) | (s.player < 0))
    if len(wrong):
        raise PositionError(f"pitch: game {int(wrong[0])} is not in the card play, which alone can be solved")
    leader, trump = s.leader.astype(np.int64), s.trump.astype(np.int64)
    leading: Bools = s.code == tricks.EMPTY
    winner = (leader + tricks.order_of(s.code)) % rules.players
    card = s.cards[np.arange(len(s)), winner, PLAYED] & s.table
    return Positions(
        hands=s.hands.copy(),
        trump=trump,
        seat=s.player.astype(np.int64),
        leader=leader,
        best=np.where(leading, NO_CARD, lowest_bit(card)),
        best_seat=np.where(leading, -1, winner),
        pot=s.trick_points.astype(np.int64),
        first=duties(
            rules, s.hands, trump, leader, leading, s.tricks == 0, s.called.astype(np.int64), s.called_from == IN_BLIND
        ),
    )
