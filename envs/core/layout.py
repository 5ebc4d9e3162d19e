"""Observation layouts: one flat `uint8` vector made of named segments.

A row has three regions, in this order:

* *planes*: card sets, one bit a card, of equal width (36 bits a plane in Schieber);
* *flags*: bits that say something of each seat (`SeatFlags`) or of the table;
* *bytes*: small numbers, one byte each, with a scale.

Planes and flags are assembled as words and unpacked once for the whole batch; bytes are written over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm, prod

import numpy as np
import numpy.typing as npt

from .bits import I64, U8, U64
from .errors import UnknownNameError


@dataclass(frozen=True)
class Segment:
    """A named part of an observation.

    Attributes:
        start: first column; the segment covers `size` columns from there.
        shape: shape of the part within a row, e.g. (4, 36).
        scale: `to_float` multiplies by it, to reach about [0, 1].
        meaning: what a value says, in words, with the rule that makes it known.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    scale: float
    meaning: str

    @cached_property
    def size(self) -> int:
        return prod(self.shape)

    @cached_property
    def columns(self) -> slice:
        return slice(self.start, self.start + self.size)


class ObsLayout:
    """The segments of an observation vector, and how to read them.

    Attributes:
        segments: all segments by name, in column order.
        size: number of columns D.
    """

    def __init__(self, segments: Iterable[tuple[str, tuple[int, ...], float, str]]) -> None:
        self.segments: dict[str, Segment] = {}
        start = 0
        for name, shape, scale, meaning in segments:
            if name in self.segments:
                raise ValueError(f"two observation segments are called {name!r}")
            self.segments[name] = Segment(name, start, shape, scale, meaning)
            start += self.segments[name].size
        self.size = start
        self._scale: npt.NDArray[np.float32] = np.ones(start, np.float32)
        for segment in self.segments.values():
            self._scale[segment.columns] = segment.scale

    def __getitem__(self, name: str) -> Segment:
        try:
            return self.segments[name]
        except KeyError:
            raise UnknownNameError(
                f"no observation segment is called {name!r}; segments: {', '.join(self.segments)}"
            ) from None

    def view(self, obs: npt.NDArray[np.generic], name: str) -> npt.NDArray[np.generic]:
        """One segment of observations: [..., D] → [..., *segment.shape] (a view where strides allow)."""
        segment = self[name]
        return obs[..., segment.columns].reshape(*obs.shape[:-1], *segment.shape)

    @property
    def scale(self) -> npt.NDArray[np.float32]:
        """Multipliers that bring each column to about [0, 1]. float32 [D], read-only."""
        view = self._scale.view()
        view.flags.writeable = False
        return view

    def to_float(self, obs: U8) -> npt.NDArray[np.float32]:
        """uint8 [..., D] → float32 [..., D], scaled to about [0, 1] for networks."""
        return obs * self._scale

    def index_of(self, name: str) -> Callable[[U8], I64]:
        """A reader of a segment of which one column is 1: uint8 [n, D] → number of that column, int64 [n]."""
        columns = self[name].columns
        return lambda obs: obs[:, columns].argmax(axis=1)

    def to_dict(self) -> list[dict[str, object]]:
        """The layout as plain data, for documentation and hashes."""
        return [
            {"name": s.name, "start": s.start, "shape": list(s.shape), "scale": s.scale, "meaning": s.meaning}
            for s in self.segments.values()
        ]

    @property
    def hash(self) -> str:
        """Hash of everything a network depends on: names, places, shapes, scales. 16 hex digits."""
        rows = [[s.name, s.start, list(s.shape), s.scale] for s in self.segments.values()]
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]


class PlanePacker:
    """Packs card sets of `width` bits without gaps, so that unpacking gives contiguous planes.

    Planes are taken in groups whose bits fill whole bytes (2 × 36 bits = 9 bytes, 3 bytes for 24 bits,
    4 × 54 bits = 27 bytes), and a group is a packed record of words: a few array operations for all
    groups of all games at once.
    """

    def __init__(self, width: int, planes: int) -> None:
        self.group = lcm(width, 8) // width
        if planes % self.group:
            raise ValueError(f"{planes} planes of {width} bits do not fill bytes; use a multiple of {self.group}")
        self.width, self.planes = width, planes
        self.bytes = width * planes // 8
        # A group as a packed record of little-endian words: (offset in bytes, size in bytes) of each piece.
        pieces: list[tuple[int, int]] = []
        offset, total = 0, width * self.group // 8
        while offset < total:
            size = next(k for k in (8, 4, 2, 1) if k <= total - offset)
            pieces.append((offset, size))
            offset += size
        # of each piece: its field in the record, and the planes of a group that reach into it with their shifts
        self._pieces = [(f"p{offset}", self._reaching(offset, size)) for offset, size in pieces]
        self._record = np.dtype(
            {
                "names": [f"p{o}" for o, _ in pieces],
                "formats": [f"<u{size}" for _, size in pieces],
                "offsets": [o for o, _ in pieces],
                "itemsize": total,
            }
        )

        # Groups of many words are packed in place, and copied as one piece each.
        self._in_place = total > 16
        words = range(-(-total // 8)) if self._in_place else range(0)
        self._reached = [self._reaching(8 * word, 8) for word in words]
        self._whole = np.dtype((np.void, total))
        self._padded = np.dtype(
            {"names": ["group"], "formats": [self._whole], "offsets": [0], "itemsize": 8 * self.group}
        )

    def _reaching(self, offset: int, size: int) -> list[tuple[int, np.uint64, bool]]:
        """(plane of the group, bits to shift, to the left) of the planes that reach into a piece."""
        shifts = [(i, i * self.width - offset * 8) for i in range(self.group)]
        return [(i, np.uint64(abs(by)), by > 0) for i, by in shifts if -self.width < by < size * 8]

    def pack(self, words: U64, out: U8, *, spare: bool = False) -> None:
        """uint64 [N, planes] → the first `bytes` columns of uint8 [N, ≥ bytes].

        Args:
            spare: the words are not needed any more and may be used up, which saves a copy.
        """
        if self._in_place and not spare:
            words = words.copy()
        fields = words.reshape(len(words), -1, self.group)
        if self._in_place:
            # no plane before the n-th reaches into the n-th word of a group, so that its place is free
            for n, ((_, by, _), *more) in enumerate(self._reached):
                word = fields[:, :, n]
                if by:
                    word >>= by
                for i, by, _ in more:
                    word |= fields[:, :, i] << by
            out[:, : self.bytes].view(self._whole)[...] = words.view(self._padded)["group"]
            return
        records = out[:, : self.bytes].view(self._record)
        for name, reaching in self._pieces:
            word: U64 | None = None
            for i, by, left in reaching:
                field = fields[:, :, i]
                if by:
                    field = field << by if left else field >> by
                word = field if word is None else word | field
            assert word is not None
            records[name] = word  # the cast keeps the low bytes


class FieldPacker:
    """Packs fields of given widths without gaps into the 64-bit words of a row, bit 0 first.

    For layouts whose planes do not fill bytes, or many planes that are gathered one by one: each word is made
    of the two or three fields that meet in it, from contiguous arrays.
    """

    def __init__(self, widths: Sequence[int]) -> None:
        self.widths = tuple(widths)
        self.bits = sum(widths)
        self.words = -(-self.bits // 64)
        # for each word: (field, shift to the left, negative to the right)
        self._parts: list[list[tuple[int, int]]] = [[] for _ in range(self.words)]
        start = 0
        for field, width in enumerate(widths):
            for word in range(start // 64, (start + width - 1) // 64 + 1):
                self._parts[word].append((field, start - 64 * word))
            start += width

    def pack(self, fields: U64, out: U64) -> None:
        """uint64 [fields, N], no bits beyond the widths → the first `words` columns of uint64 [N, ≥ words]."""
        for word, parts in enumerate(self._parts):
            value: U64 | None = None
            for field, shift in parts:
                piece = fields[field]
                if shift:
                    piece = piece << np.uint64(shift) if shift > 0 else piece >> np.uint64(-shift)
                value = piece if value is None else value | piece
            assert value is not None
            out[:, word] = value


class SeatFlags:
    """Facts of seats as bits of one word, stored by absolute seat and turned to be seat-relative at once.

    Field f of the word has one bit a seat: bit `f · seats + seat`. Turning a word for an observer s moves
    every field's bit of seat (s + r) to place r; bits from `fields · seats` on are left alone.
    """

    def __init__(self, seats: int, fields: Sequence[str]) -> None:
        self.seats = seats
        self.fields = {name: index for index, name in enumerate(fields)}
        self.bits = seats * len(fields)
        if self.bits > 64:
            raise ValueError("too many seat flags for one word")
        low: list[int] = []
        high: list[int] = []
        rest = (1 << 64) - 1 ^ ((1 << self.bits) - 1)
        for s in range(seats):
            stay = sum(((1 << (seats - s)) - 1) << (f * seats) for f in range(len(fields)))
            wrap = sum((((1 << seats) - 1) ^ ((1 << (seats - s)) - 1)) << (f * seats) for f in range(len(fields)))
            low.append(stay)
            high.append(wrap)
        self._low: U64 = np.array(low, np.uint64)
        self._high: U64 = np.array(high, np.uint64)
        self._rest = np.uint64(rest)
        self._down: U64 = np.arange(seats, dtype=np.uint64)
        self._up: U64 = np.uint64(seats) - self._down

    def bit(self, name: str, seat: int = 0) -> int:
        """The bit (a Python int) of a field for a seat."""
        return 1 << (self.fields[name] * self.seats + seat)

    def column(self, name: str) -> U64:
        """The bit of a field for each seat, then the empty word for "nobody" (index -1). uint64 [seats + 1]."""
        return np.array([self.bit(name, s) for s in range(self.seats)] + [0], np.uint64)

    def parts(self) -> dict[str, U64]:
        """The tables that `turn` uses, for those who turn several words at once: by observer down, up, low, high
        (uint64 [seats]), and rest (uint64 [])."""
        rest = np.array(self._rest, np.uint64)
        return {"down": self._down, "up": self._up, "low": self._low, "high": self._high, "rest": rest}

    def turn(self, words: U64, seats: npt.NDArray[np.integer]) -> U64:
        """Words as each observer sees them. uint64 [N], int [N] → uint64 [N]."""
        # relative bit r of a field comes from absolute seat (s + r) mod seats
        turned = (words >> self._down.take(seats, mode="clip")) & self._low.take(seats, mode="clip")
        turned |= (words << self._up.take(seats, mode="clip")) & self._high.take(seats, mode="clip")
        turned |= words & self._rest
        return turned
