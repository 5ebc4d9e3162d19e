"""Counter-based deals: the deal of game i, hand h is a pure function of (seed, i, h).

The hash is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
OOPSLA 2014): three rounds of its output function absorb seed, game and hand into a stream key, and
card c of that hand gets the c-th number of the SplitMix64 stream that starts at this key. Sorting
the cards by these numbers shuffles the deck, so a batch of N games deals exactly what N single
games would, and any hand of any run can be dealt again from three numbers.
"""

from __future__ import annotations

import numpy as np

from .bits import BIT, I64, U64

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
_CARD_BITS = np.uint64(0x3F)

#: Streams: numbers drawn for one (game, hand) beside the shuffle never share a key with it.
DEAL, CONTEXT, FIRST_DEALER = 0, 1, 2


def splitmix64(x: U64) -> U64:
    """SplitMix64's output function of each word (uint64 → uint64, same shape)."""
    z = x + _GAMMA
    z ^= z >> _S30
    z *= _M1
    z ^= z >> _S27
    z *= _M2
    z ^= z >> _S31
    return z


def stream_keys(seed: int, games: I64, hands: I64, stream: int = DEAL) -> U64:
    """Key of the random stream of each (game, hand). int64 [n], int64 [n] → uint64 [n]."""
    start = splitmix64(np.array([seed % (1 << 64)], np.uint64))
    key = splitmix64(start ^ games.astype(np.uint64))
    key ^= hands.astype(np.uint64) | (np.uint64(stream) << np.uint64(56))
    return splitmix64(key)


def numbers(keys: U64, count: int) -> U64:
    """The first `count` numbers of each stream. uint64 [n] → uint64 [n, count]."""
    steps = np.arange(count, dtype=np.uint64) * _GAMMA
    return splitmix64(keys[:, None] + steps)


def shuffle(seed: int, games: I64, hands: I64, deck_size: int) -> I64:
    """A shuffled deck for each (game, hand). int64 [n], int64 [n] → int64 [n, deck_size]."""
    keys = numbers(stream_keys(seed, games, hands), deck_size)
    keys &= ~_CARD_BITS
    keys |= np.arange(deck_size, dtype=np.uint64)
    keys.sort(axis=1)
    keys &= _CARD_BITS
    return keys.view(np.int64)


def words_of_packets(decks: I64, sizes: tuple[int, ...]) -> U64:
    """Hands as words: the first sizes[0] cards to packet 0, and so on. int64 [n, D] → uint64 [n, len(sizes)]."""
    words = np.zeros((len(decks), len(sizes)), np.uint64)
    start = 0
    for packet, size in enumerate(sizes):
        for place in range(start, start + size):
            words[:, packet] |= BIT.take(decks[:, place], mode="clip")
        start += size
    return words


def integers(keys: U64, draw: int, bound: int) -> I64:
    """A number in [0, bound) for each stream, its `draw`-th. Bias below bound·2⁻³². int64 [n]."""
    word = splitmix64(keys + np.uint64(draw * int(_GAMMA) % (1 << 64))) >> np.uint64(32)
    return ((word * np.uint64(bound)) >> np.uint64(32)).astype(np.int64)
