"""Counter-based deals: the deal of game i, hand h is a pure function of (seed, i, h).

The hash is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
OOPSLA 2014): three rounds of its output function absorb seed, game and hand into a stream key, and
card c of that hand gets the c-th number of the SplitMix64 stream that starts at this key. Sorting
the cards by these numbers shuffles the deck, so a batch of N games deals exactly what N single
games would, and any hand of any run can be dealt again from three numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .bits import BIT, I64, U64

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
_CARD_BITS = np.uint64(0x3F)
#: Decks shuffled at once: their numbers fit into the cache.
_BLOCK = 512

#: Streams: numbers drawn for one (game, hand) beside the shuffle never share a key with it.
DEAL, CONTEXT, FIRST_DEALER, CHANCE = 0, 1, 2, 3


def splitmix64(x: U64) -> U64:
    """SplitMix64's output function of each word (uint64 → uint64, same shape)."""
    return _mixed(x + _GAMMA)


def _mixed(z: U64) -> U64:
    """The same of words to which the constant has been added, in place: large temporary arrays cost more than sums."""
    shifted = z >> _S30
    z ^= shifted
    z *= _M1
    np.right_shift(z, _S27, out=shifted)
    z ^= shifted
    z *= _M2
    np.right_shift(z, _S31, out=shifted)
    z ^= shifted
    return z


def stream_keys(seed: int, games: I64, hands: I64, stream: int = DEAL) -> U64:
    """Key of the random stream of each (game, hand). int64 [n], int64 [n] → uint64 [n]."""
    key = splitmix64(_seed_key(seed) ^ games.astype(np.uint64))
    key ^= hands.astype(np.uint64) | (np.uint64(stream) << np.uint64(56))
    return splitmix64(key)


@lru_cache(maxsize=64)
def _seed_key(seed: int) -> U64:
    return splitmix64(np.array([seed % (1 << 64)], np.uint64))


def numbers(keys: U64, count: int) -> U64:
    """The first `count` numbers of each stream. uint64 [n] → uint64 [n, count]."""
    steps = np.arange(1, count + 1, dtype=np.uint64) * _GAMMA
    return _mixed(keys[:, None] + steps)


def shuffle(seed: int, games: I64, hands: I64, deck_size: int, deck: I64 | None = None) -> I64:
    """A shuffled deck for each (game, hand). int64 [n], int64 [n] → int64 [n, deck_size].

    Args:
        deck: int64 [deck_size], the cards of a deck that are not those from 0 on.
    """
    streams = stream_keys(seed, games, hands)
    decks = np.empty((len(streams), deck_size), np.int64)
    cards = np.arange(deck_size, dtype=np.uint64)
    for start in range(0, len(streams), _BLOCK):
        keys = numbers(streams[start : start + _BLOCK], deck_size)
        keys &= ~_CARD_BITS
        keys |= cards
        keys.sort(axis=1)
        np.bitwise_and(keys, _CARD_BITS, out=decks[start : start + _BLOCK].view(np.uint64))
    return decks if deck is None else deck.take(decks)


def words_of_packets(decks: I64, sizes: tuple[int, ...]) -> U64:
    """Hands as words: the first sizes[0] cards to packet 0, and so on. int64 [n, D] → uint64 [n, len(sizes)]."""
    return np.bitwise_or.reduceat(BIT.take(decks[:, : sum(sizes)], mode="clip"), _starts(sizes), axis=1)


@lru_cache(maxsize=64)
def _starts(sizes: tuple[int, ...]) -> I64:
    return np.cumsum([0, *sizes[:-1]])


def integers(keys: U64, draw: int, bound: int) -> I64:
    """A number in [0, bound) for each stream, its `draw`-th. Bias below bound·2⁻³². int64 [n]."""
    word = splitmix64(keys + np.uint64(draw * int(_GAMMA) % (1 << 64))) >> np.uint64(32)
    return ((word * np.uint64(bound)) >> np.uint64(32)).astype(np.int64)


#: Owner of cards that no seat is dealt.
NOBODY = -1


@dataclass(frozen=True)
class DealPlan:
    """How a deal is written down as a deck of cards, so that some of them can be given and the others drawn.

    cards: int64 [D], the cards of the deck, ascending. owner: int64 [D], the seat that gets the card at each place of
    the deck, NOBODY for a stock or a talon. packet: int64 [D], equal numbers where the order of cards means nothing;
    None if only each seat's cards are such a packet.
    """

    cards: I64
    owner: I64
    packet: I64 | None = None

    def packets(self) -> I64:
        """The number of the packet at each place. int64 [D]."""
        if self.packet is not None:
            return self.packet
        places = np.arange(len(self.owner))
        return np.where(self.owner == NOBODY, len(self.owner) + places, self.owner)


class DealsAhead:
    """Deals computed before they are needed, many at once: the array operations of a deal cost less that way.

    A deal is a pure function of (seed, game, hand), so this is a cache and no state: it may be dropped or
    shared at any time. A game that asks for the hand after its last one gets several in advance.

    Args:
        make: (seed, games int64 [n], hands int64 [n]) → arrays with one row a deal.
        depth: hands computed in advance.
        keep: a game may ask for its last hand once more.
    """

    def __init__(
        self, make: Callable[[int, I64, I64], tuple[npt.NDArray[Any], ...]], depth: int = 8, keep: bool = False
    ) -> None:
        self._make, self._depth, self._kept = make, depth, int(keep)
        self._seed: int | None = None
        self._game: I64 = np.zeros(0, np.int64)

    def take(self, seed: int, games: I64, hands: I64, batch: int) -> tuple[npt.NDArray[Any], ...]:
        """What `make(seed, games, hands)` returns.

        Args:
            batch: number of games that are played together; a hint for the size of the cache.
        """
        if seed != self._seed or len(self._game) < batch:
            self._clear(seed, batch)
        slot = games & (len(self._game) - 1)
        here, ahead = self._find(slot, games, hands)
        if np.count_nonzero(here) < len(here):
            self._fill(slot[~here], games[~here], hands[~here])
            here, ahead = self._find(slot, games, hands)
            if np.count_nonzero(here) < len(here):  # games that share a slot: rare, and no harm
                return self._make(seed, games, hands)
        place = slot * self._depth + ahead
        self._last[slot] = hands
        return tuple(store.take(place, axis=0) for store in self._stores)

    def _find(self, slot: I64, games: I64, hands: I64) -> tuple[npt.NDArray[np.bool_], I64]:
        """Which deals are there, and how many places after the first of their game's."""
        ahead: I64 = hands - self._first.take(slot)
        inside = ahead.view(np.uint64) < self._count.take(slot).view(np.uint64)  # a negative number is a large one
        return (self._game.take(slot) == games) & inside, ahead

    def _clear(self, seed: int, batch: int) -> None:
        size = 1 << max(0, batch - 1).bit_length()
        self._seed = seed
        self._game = np.full(size, -1, np.int64)
        self._first: I64 = np.zeros(size, np.int64)
        self._last: I64 = np.full(size, -1, np.int64)
        self._count: I64 = np.zeros(size, np.int64)
        one = self._make(seed, np.zeros(1, np.int64), np.zeros(1, np.int64))
        self._stores = [np.zeros((size * self._depth, *part.shape[1:]), part.dtype) for part in one]

    def _fill(self, slot: I64, games: I64, hands: I64) -> None:
        """Deal the missing hands, and those of games that have used half of what they had."""
        assert self._seed is not None
        follows = (self._game.take(slot) == games) & (self._last.take(slot) == hands - 1)
        self._count[slot] = np.where(follows, self._depth, 1)
        self._game[slot] = games
        self._first[slot] = hands
        fresh = np.zeros(len(self._game), np.bool_)
        fresh[slot] = True
        if follows.any():
            worn = (self._last - self._first) * 2 >= self._count + self._kept
            worn &= (self._count > 0) & ~fresh
            self._first[worn] = self._last[worn] + 1 - self._kept
            self._count[worn] = self._depth
            fresh |= worn
        slots = np.flatnonzero(fresh)
        counts = self._count[slots]
        which = np.repeat(slots, counts)
        step = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        made = self._make(self._seed, self._game[which], self._first[which] + step)
        for store, part in zip(self._stores, made, strict=True):
            store[which * self._depth + step] = part
