"""Weis of many hands at once (J-WEIS-01..06): the sets each hand declares, their value and best key."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..core.bits import U64
from .rules import SchieberRules
from .tables import UNDENUFE, weis_tables

I16 = npt.NDArray[np.int16]
I64 = npt.NDArray[np.int64]
_PATTERN = np.uint64(511)


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


def declared_values(hands: U64, rules: SchieberRules) -> I16:
    """Sum of the sets that each hand declares, whatever the contract (J-WEIS-01..03). uint64 [n] → int16 [n]."""
    t = weis_tables(rules)
    patterns = _patterns(hands)
    value: I16 = t.value.take(patterns).sum(axis=0, dtype=np.int16)
    for rows, choice in _choices(patterns, rules):
        other = t.quartet_value.take(choice) + t.value.take(patterns[:, rows] + choice * 512).sum(axis=0)
        value[rows] = np.maximum(value[rows], other)
    return value


def declared_sets(hands: U64, contracts: npt.NDArray[np.integer], rules: SchieberRules) -> tuple[I16, I16, U64]:
    """What each hand declares under a contract.

    Args:
        hands: uint64 [n], nine cards each.
        contracts: int [n], 0..5 (the sum of the sets does not depend on it, the comparison does).

    Returns:
        value int16 [n] (sum of the sets), key int16 [n] (best set, 0 if none; see `tables.weis_key`),
        cards uint64 [n] (all cards of the sets).
    """
    t = weis_tables(rules)
    sets = len(t.quartets)
    up = (contracts == UNDENUFE).astype(np.int64)
    patterns = _patterns(hands)

    def evaluate(rows: slice | I64, choice: I64) -> tuple[I16, I16, U64]:
        """The sets if exactly the quartets of `choice` are declared."""
        direction, trump = up[rows], contracts[rows]
        index: I64 = patterns[:, rows] + choice * 512
        value: I16 = t.quartet_value.take(choice) + t.value.take(index).sum(axis=0, dtype=np.int16)
        index += direction * (512 * sets)
        best: I16 = t.key.take(index)
        best += (trump == _SUITS) & (best > 0)  # bit 0: a run in trumps beats an equal plain run
        quartet: I64 = direction * sets + choice
        key = np.maximum(t.quartet_key.take(quartet), best.max(axis=0))
        runs: U64 = t.cards.take(index) << _SUIT_SHIFTS
        cards: U64 = t.quartet_cards.take(choice) | np.bitwise_or.reduce(runs, axis=0)
        return value, key, cards

    value, key, cards = evaluate(slice(None), np.zeros(len(hands), np.int64))
    for rows, choice in _choices(patterns, rules):
        new_value, new_key, new_cards = evaluate(rows, choice)
        # J-WEIS-03: the largest total; at equal totals the choice whose best set ranks highest
        better = (new_value > value[rows]) | ((new_value == value[rows]) & (new_key > key[rows]))
        chosen = rows[better]
        value[chosen], key[chosen], cards[chosen] = new_value[better], new_key[better], new_cards[better]
    return value, key, cards
