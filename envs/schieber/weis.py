"""Weis of many hands at once (J-WEIS-01..06): the sets each hand declares, their value and best key."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..core.bits import U8, U64
from .rules import SchieberRules
from .tables import UNDENUFE, weis_tables

I16 = npt.NDArray[np.int16]
I64 = npt.NDArray[np.int64]
_PATTERN = np.uint64(511)
_KEY_SHIFT = np.uint64(6)  # above one bit a contract


_SUIT_SHIFTS: U64 = np.array([[0], [9], [18], [27]], np.uint64)
_SUITS: I64 = np.arange(4)[:, None]


def _patterns(hands: U64) -> I64:
    """The nine ranks held of each suit, as ints of nine bits. int64 [4, n]."""
    return ((hands >> _SUIT_SHIFTS) & _PATTERN).view(np.int64)


def _choices(patterns: I64, rules: SchieberRules) -> Iterator[tuple[I64, I64]]:
    """Rows of the hands with quartets, and one choice of quartets to declare for each; every choice comes once.

    Nearly all such hands have one quartet and so one choice beside declaring none: one round does.
    """
    t = weis_tables(rules)
    quartets: I64 = np.bitwise_and.reduce(patterns, axis=0) & t.quartet_ranks
    rows = np.flatnonzero(quartets)
    for choices in t.choices:
        choice = choices.take(quartets[rows])
        rows, choice = rows[choice > 0], choice[choice > 0]
        if not len(rows):
            return
        yield rows, choice


def facts(hands: U64, rules: SchieberRules) -> tuple[U8, U64, U64]:
    """What hands declare: the value of their sets, and for both directions the best set and the cards.

    The sum of the sets does not depend on the contract; of two choices with the same sum, the one whose best set
    ranks highest is declared (J-WEIS-03), and no two of them rank the same before a tie is broken by trump.

    Args:
        hands: uint64 [n], nine cards each.

    Returns:
        tens uint8 [n], the sum of the sets divided by 10; keys uint64 [2, n] (ranking up, ranking down), see
        `keys_of`, 0 without sets; cards uint64 [2, n] of all sets.
    """
    t = weis_tables(rules)
    sets = len(t.quartets)
    patterns = _patterns(hands)
    value: I16 = t.value.take(patterns).sum(axis=0, dtype=np.int16)
    tens = np.zeros(len(hands), np.uint8)
    keys, cards = np.zeros((2, len(hands)), np.uint64), np.zeros((2, len(hands)), np.uint64)
    quartets: I64 = np.bitwise_and.reduce(patterns, axis=0) & t.quartet_ranks
    some = np.flatnonzero((value > 0) | (quartets > 0))
    patterns, value = patterns[:, some], value[some]

    def evaluate(down: int, rows: slice | I64, choice: I64) -> tuple[U64, U64]:
        """The sets if exactly the quartets of `choice` are declared."""
        index: I64 = patterns[:, rows] + (choice + down * sets) * 512
        best = t.key.take(index)
        quartet: I64 = down * sets + choice
        key = np.maximum(t.quartet_key.take(quartet), best.max(axis=0))
        in_suit = (((best == key) & (best > 0)) << _SUITS).sum(axis=0)
        runs: U64 = t.cards.take(index) << _SUIT_SHIFTS
        declared: U64 = t.quartet_cards.take(choice) | np.bitwise_or.reduce(runs, axis=0)
        return (key.astype(np.uint64) << _KEY_SHIFT) | in_suit.astype(np.uint64), declared

    nothing = np.zeros(len(some), np.int64)
    for down in (0, 1):
        total = value.copy()
        key, declared = evaluate(down, slice(None), nothing)
        for rows, choice in _choices(patterns, rules):
            index: I64 = patterns[:, rows] + choice * 512
            new_total: I16 = t.quartet_value.take(choice) + t.value.take(index).sum(axis=0, dtype=np.int16)
            new_key, new_cards = evaluate(down, rows, choice)
            better = (new_total > total[rows]) | ((new_total == total[rows]) & (new_key > key[rows]))
            chosen = rows[better]
            total[chosen], key[chosen], declared[chosen] = new_total[better], new_key[better], new_cards[better]
        keys[down, some], cards[down, some], tens[some] = key, declared, total // 10
    return tens, keys, cards


def keys_of(keys: U64, contract: int) -> I64:
    """Comparable keys of best sets under a contract: a run in trumps beats an equal plain run (J-WEIS-05).

    Args:
        keys: uint64, from `facts` (of the contract's direction): key · 64 + suits in which a run has that key.

    Returns: int64, shape of keys; 0 for no set.
    """
    return ((keys >> _KEY_SHIFT) | ((keys >> np.uint64(contract)) & np.uint64(1))).view(np.int64)


def winners(keys: U64) -> U64:
    """Which team scores its Weis, for every contract and first leader (J-WEIS-04, J-WEIS-05).

    Args:
        keys: uint64 [2, n, 4], from `facts`, of the four hands of a deal.

    Returns: uint64 [n]; the two bits from 2·(4·contract + leader) on are 0 for no Weis, 1 + team otherwise.
    """
    out = np.zeros(keys.shape[1], np.uint64)
    some = np.flatnonzero(keys[0].any(axis=1))
    for contract in range(6):
        best = keys_of(keys[int(contract == UNDENUFE), some].T, contract) * 4
        for leader in range(4):
            near = [best[seat] + (3 - (seat - leader) % 4) for seat in range(4)]  # a tie is the nearer seat's
            second = np.maximum(near[1], near[3]) > np.maximum(near[0], near[2])
            out[some] |= (second + np.uint64(1)) << np.uint64(2 * (4 * contract + leader))
    return out
