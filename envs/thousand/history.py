"""The public actions of the present deal in order, for sequence models (`BatchedGame.history`).

The state keeps no list of them: amounts only rise, a pass falls between two of them, and every card knows its place.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.bits import BIT, I64
from .lookup import Tables
from .state import ThousandState
from .tables import ACE, CARDS, DECLARE, KING, NUM_RANKS, QUEEN, declare_cards, table_bit

#: Sort keys: calls by amount, then what the declarer says, then cards in their order, then nothing.
_AFTER_BIDS, _CARDS, _NEVER = 100_000, 200_000, 1_000_000


def history(s: ThousandState, seats: I64, t: Tables, length: int) -> npt.NDArray[np.int16]:
    """Bids (automatic ones too), passes, the choice of a talon, the contract, cards. int16 [N, length, 2].

    Cards given away and questions are private and not listed, dark announcements show as their bid. Each entry is
    (seat relative to the observer, action); the rest is -1.
    """
    n = len(s)
    parts = [*_calls(s, t), *_cards(s, t)]
    key = np.concatenate([key for key, _, _ in parts], axis=1)
    who = np.concatenate([np.broadcast_to(seat, key_.shape) for key_, seat, _ in parts], axis=1)
    action = np.concatenate([np.broadcast_to(action, key_.shape) for key_, _, action in parts], axis=1)
    order = np.argsort(key, axis=1, kind="stable")[:, :length]
    tokens = np.full((n, length, 2), -1, np.int16)
    there = np.take_along_axis(key, order, axis=1) < _NEVER
    turned = (np.take_along_axis(who, order, axis=1) - seats[:, None]) % t.rules.players
    tokens[:, : order.shape[1], 0] = np.where(there, turned, -1)
    tokens[:, : order.shape[1], 1] = np.where(there, np.take_along_axis(action, order, axis=1), -1)
    return tokens


_Part = tuple[I64, I64, I64]


def _calls(s: ThousandState, t: Tables) -> list[_Part]:
    """Keys, seats and actions of the auction and of what the declarer says."""
    p, space, n = t.rules.players, t.space, len(s)
    amounts = np.arange(space.amounts)
    bits = (s.said[:, :, amounts >> 6] >> (amounts & 63).astype(np.uint64)) & np.uint64(1)
    said = bits != 0  # [N, P, amounts]
    bids = said.any(axis=1)
    bidder = np.argmax(said, axis=1)
    parts: list[_Part] = [(np.where(bids, 16 * amounts, _NEVER), bidder, space.amount + amounts)]

    seat = np.arange(p)
    passed_at = s.passed_at(space.step)
    level = np.maximum(passed_at, 0)
    holder = np.take_along_axis(bidder, level, axis=1)
    base = s.dealer.astype(np.int64)[:, None] * p
    turns = (t.turns.place.take(base + seat) - t.turns.place.take(base + holder)) % p
    parts.append((np.where(passed_at >= 0, 16 * level + 1 + turns, _NEVER), seat, np.array(space.pass_)))

    declarer = np.maximum(s.declarer, 0).astype(np.int64)[:, None]
    if space.talon >= 0:
        second = (s.married & BIT[table_bit(p, "second_talon")]) != 0
        chosen = np.where(s.talon != 0, _AFTER_BIDS, _NEVER)[:, None]
        parts.append((chosen, declarer, (space.talon + second.astype(np.int64))[:, None]))
    contract = np.where(s.contract > 0, _AFTER_BIDS + 1, _NEVER).reshape(n, 1)
    number = (s.contract.astype(np.int64) - 100) // space.step
    parts.append((contract, declarer, (space.amount + number)[:, None]))
    return parts


def _cards(s: ThousandState, t: Tables) -> list[_Part]:
    """Keys, seats and actions of the cards played; the first card of what was declared is the declaration."""
    p = t.rules.players
    when = s.when[:, :CARDS].astype(np.int64)
    card = np.arange(CARDS)
    who = np.argmax((s.played[:, :, None] >> card.astype(np.uint64)) & np.uint64(1), axis=1)
    action = np.tile(card, (len(s), 1))
    number = {c: DECLARE + k for k, c in enumerate(declare_cards(t.rules))}
    groups = [[NUM_RANKS * suit + QUEEN, NUM_RANKS * suit + KING] for suit in range(4)]
    if t.rules.ace_marriage:
        groups.append([NUM_RANKS * suit + ACE for suit in range(4)])
    for kind, group in enumerate(groups):
        declared = (s.married >> np.uint64(kind * p)) & np.uint64((1 << p) - 1)
        rows = np.flatnonzero(declared)
        first = np.array(group)[np.argmin(np.where(when[rows][:, group] > 0, when[rows][:, group], 99), axis=1)]
        action[rows, first] = np.array([number[c] for c in group])[np.searchsorted(group, first)]
    return [(np.where(when > 0, _CARDS + when, _NEVER), who, action)]
