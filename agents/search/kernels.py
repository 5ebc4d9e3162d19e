"""What the compiled solvers share: numba, bits of 64-bit words, and the transposition table.

Sets of cards are int64 words here (cards are numbers below 62): numba turns arithmetic on uint64 and int64 into
floats, so the kernels keep to one type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ...envs.core.errors import BidtrickError

F = TypeVar("F", bound=Callable[..., Any])
I64 = npt.NDArray[np.int64]


class MissingExtraError(BidtrickError, ImportError):
    """Something needs a package that is not installed; the message names the extra to install."""


try:
    import numba
    from numba.core import types
    from numba.extending import intrinsic
except ImportError as error:
    raise MissingExtraError("search needs numba: pip install 'bidtrick[search]'") from error


def compiled(function: F) -> F:
    """Compile a function at its first call; the machine code is kept on disk (`cache=True`)."""
    return numba.njit(cache=True, error_model="numpy", nogil=True)(function)  # pyright: ignore[reportReturnType]


def inlined(function: F) -> F:
    """Compile a small function that is put into its callers, where the compiler sees fit."""
    return numba.njit(cache=True, error_model="numpy", nogil=True, forceinline=True)(function)  # pyright: ignore[reportReturnType]


@intrinsic
def _cttz(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), generate


@intrinsic
def _ctlz(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), generate


@intrinsic
def _ctpop(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@inlined
def lowest(word: int) -> int:
    """Place of the lowest set bit, 64 for the empty word."""
    return _cttz(word)  # pyright: ignore[reportCallIssue]


@inlined
def highest(word: int) -> int:
    """Place of the highest set bit, -1 for the empty word."""
    return 63 - _ctlz(word)  # pyright: ignore[reportCallIssue]


@inlined
def popcount(word: int) -> int:
    """Number of set bits."""
    return _ctpop(word)  # pyright: ignore[reportCallIssue]


# The transposition table: int64 [2, size], keys and values, size a power of two. A key holds the whole position and
# the number of the deal, so that the table is never cleared and never mistaken; 0 is no key. Two neighbours share a
# place: the first keeps what took more work (given by the caller), the other what came last.


def new_table(bits: int) -> I64:
    """An empty table of 2^bits entries. int64 [2, 2^bits], 16 bytes an entry."""
    return np.zeros((2, 1 << bits), np.int64)


@inlined
def slot_of(key: int, size: int) -> int:
    """The first of the two places of a key."""
    mixed = key * -7046029254386353131
    mixed ^= (mixed >> 32) & 0xFFFFFFFF
    mixed *= -4417276706812531889
    return ((mixed >> 20) & (size - 1)) & ~1


@inlined
def probe(table: I64, key: int) -> int:
    """The value under a key, -1 if there is none."""
    slot = slot_of(key, table.shape[1])
    if table[0, slot] == key:
        return table[1, slot]
    if table[0, slot + 1] == key:
        return table[1, slot + 1]
    return -1


@inlined
def store(table: I64, key: int, value: int, keep: bool) -> None:
    """Write a value (not negative) under a key. `keep`: it took more work than what may lie in the first place."""
    slot = slot_of(key, table.shape[1])
    if table[0, slot] != key and (table[0, slot + 1] == key or not keep):
        slot += 1
    table[0, slot] = key
    table[1, slot] = value
