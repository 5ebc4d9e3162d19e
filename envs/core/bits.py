"""Sets of up to 64 cards or actions as `uint64` words: the arithmetic that every engine shares.

All functions are vectorized over leading axes and never loop over games.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

U64 = npt.NDArray[np.uint64]
U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]

ONE = np.uint64(1)
ZERO = np.uint64(0)

#: BIT[i] is the word with bit i set; BIT[64] is the empty word, the "no card" sentinel's bit. uint64 [65].
BIT: U64 = np.concatenate([ONE << np.arange(64, dtype=np.uint64), np.zeros(1, np.uint64)])

_BYTES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_BYTE, _THREE, _EIGHT = np.uint64(0xFF), np.uint64(3), np.uint64(8)
#: Where a byte begins, by the number of bytes from it to the end of the word. uint64 [9].
_SHIFT_OF: U64 = np.arange(64, -1, -8, dtype=np.uint64)


_STARTS: dict[int, I64] = {}


def row_starts(rows: int, width: int) -> I64:
    """Where the rows of a flat [rows, width] array begin. int64 [rows], read-only; kept, so asking again is cheap."""
    starts = _STARTS.get(width)
    if starts is None or len(starts) < rows:
        starts = np.arange(0, rows * width, width)
        starts.flags.writeable = False
        _STARTS[width] = starts
    return starts[:rows]


def word_of(cards: npt.ArrayLike) -> int:
    """The word (a Python int) with the bits of the given indices set."""
    word = 0
    for card in np.asarray(cards, dtype=np.int64).ravel().tolist():
        word |= 1 << int(card)
    return word


def indices_of(word: int) -> list[int]:
    """The set bits of a word in ascending order."""
    word = int(word)
    return [i for i in range(64) if word >> i & 1]


def popcount(words: U64) -> U8:
    """Number of set bits of each word. uint8, shape of `words`."""
    return np.bitwise_count(words)


def unpack(words: U64, width: int) -> U8:
    """Bits as bytes: uint64 [..., W] → uint8 [..., width] of 0/1, bit 0 of word 0 first (width ≤ 64·W)."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, count=width, bitorder="little")


def pack(bits: npt.NDArray[np.bool_], words: int = 1) -> U64:
    """The inverse of `unpack`: bool [..., width] → uint64 [..., words]."""
    padded = np.zeros((*bits.shape[:-1], words * 64), np.uint8)
    padded[..., : bits.shape[-1]] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view(np.uint64)


def _byte_select() -> U8:
    """SELECT[byte·8 + n]: position of the n-th set bit of a byte. uint8 [2048]."""
    table = np.zeros((256, 8), np.uint8)
    for byte in range(256):
        for n, position in enumerate(i for i in range(8) if byte >> i & 1):
            table[byte, n] = position
    return table.ravel()


_SELECT = _byte_select()


def nth_set_bit(words: U64, n: U64) -> I64:
    """Position of the n-th (from 0) set bit of each word. uint64 [N], uint64 [N] with n < popcount → int64 [N].

    Broadword select: byte counts are summed by one multiplication, the byte is found by one parallel
    comparison, the bit inside it by a 2 KB table.
    """
    counts = np.bitwise_count(words[:, None].view(np.uint8)).view(np.uint64)[:, 0]
    sums = counts * _BYTES  # byte k holds the number of set bits in bytes 0..k
    above = ((sums | _HIGHS) - (n + ONE) * _BYTES) & _HIGHS  # high bit set where that number exceeds n
    shift = _SHIFT_OF.take(np.bitwise_count(above), mode="clip")
    before = ((sums << _EIGHT) >> shift) & _BYTE
    byte = (words >> shift) & _BYTE
    within = _SELECT.take(((byte << _THREE) | (n - before)).view(np.int64), mode="clip")
    return shift.view(np.int64) + within


def lowest_bit(words: U64) -> I64:
    """Position of the lowest set bit of each word; 64 for an empty word. int64 [N]."""
    return np.bitwise_count((words & (~words + ONE)) - ONE).astype(np.int64)


def sample_set_bit(words: U64, rng: np.random.Generator) -> I64:
    """A uniformly random set bit of each row of action words.

    Args:
        words: uint64 [N, W], each row nonempty (an empty row gives a meaningless number).
        rng: the source of randomness; one number is drawn a row.

    Returns: int64 [N], in [0, 64·W). Uniform up to a bias below 2⁻⁴⁷.
    """
    draw = rng.random(len(words))  # times a count below 2⁵³ it never rounds up to that count
    first = words[:, 0]
    count = np.bitwise_count(first)
    if words.shape[1] == 1:
        return nth_set_bit(first, (draw * count).astype(np.uint64))
    if words.shape[1] > 2:
        return _across_words(words, draw)
    second = words[:, 1]
    n = (draw * (count + np.bitwise_count(second))).astype(np.uint64)
    beyond = n >= count
    n -= count * beyond
    word: U64 = first.copy()
    np.copyto(word, second, where=beyond)
    found = nth_set_bit(word, n)
    found += beyond * np.int64(64)
    return found


def _across_words(words: U64, draw: npt.NDArray[np.float64]) -> I64:
    """`sample_set_bit` for any number of words; `draw` is in [0, 1)."""
    counts = np.bitwise_count(words).astype(np.int64)
    sums = np.cumsum(counts, axis=1)
    n = (draw * sums[:, -1]).astype(np.int64)
    column = np.count_nonzero(sums <= n[:, None], axis=1)
    rows: I64 = np.arange(len(words)) * words.shape[1] + np.minimum(column, words.shape[1] - 1)
    n -= (sums - counts).ravel().take(rows)
    return nth_set_bit(words.ravel().take(rows), n.astype(np.uint64)) + 64 * column
