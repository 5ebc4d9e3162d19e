"""Where things lie on the picture: pure geometry, no drawing.

All numbers are logical units on a 960 × 640 sheet; the canvas scales them to the real size. Seats sit on a
ring that starts at the bottom and runs clockwise as seen from above (bottom, left, top, right); a counter-
clockwise game walks it the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from .scene import Direction, Scene

WIDTH, HEIGHT = 960, 640

Slot = Literal["bottom", "left", "top_left", "top", "top_right", "right"]


class Rect(NamedTuple):
    """A rectangle in logical units."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def bottom(self) -> float:
        return self.y + self.h

    @property
    def cx(self) -> float:
        return self.x + self.w / 2

    @property
    def cy(self) -> float:
        return self.y + self.h / 2


@dataclass(frozen=True)
class SeatPlace:
    """Where one seat is drawn."""

    slot: Slot
    x: float  # left edge of the seat's block
    y: float  # top of its name plate; cards and bubble hang below
    w: float  # width of the block
    trick_x: float  # centre of the card this seat plays
    trick_y: float


TITLE_BAR = Rect(0, 0, WIDTH, 36)
TABLE = Rect(0, 36, 712, 604)
PANEL = Rect(716, 42, 238, 592)
CORNER = Rect(18, 54, 140, 56)  # direction of play and phase; free with any number of seats
FOOTER = Rect(18, 616, 684, 14)
PROMPT = Rect(176, 438, 364, 36)
HAND = Rect(16, 519, 684, 92)
OWN_PLATE = Rect(14, 478, 688, 30)
PILES_LEFT = Rect(18, 356, 152, 114)
PILES_RIGHT = Rect(550, 356, 152, 114)
TRICK_CENTRE = (358.0, 314.0)
TRICK_CARD = (58.0, 82.0)
CENTRE_PILE = Rect(178, 232, 360, 150)

_MID = TABLE.w / 2 + 2  # the rim takes more on the left
_SIDE_W, _TOP_W, _TOP_W5 = 152.0, 200.0, 176.0
_LEFT_X, _RIGHT_X = 14.0, TABLE.w - 10 - _SIDE_W
_TOP_Y, _SIDE_Y, _SIDE_Y3 = 50.0, 190.0, 120.0

# Slots clockwise from the bottom, by number of seats.
_RING: dict[int, tuple[Slot, ...]] = {
    2: ("bottom", "top"),
    3: ("bottom", "left", "right"),
    4: ("bottom", "left", "top", "right"),
    5: ("bottom", "left", "top_left", "top_right", "right"),
}
# Offset of the played card from the middle of the table.
_TRICK: dict[int, dict[Slot, tuple[float, float]]] = {
    2: {"bottom": (0, 60), "top": (0, -62)},
    3: {"bottom": (0, 60), "left": (-96, -36), "right": (96, -36)},
    4: {"bottom": (0, 60), "left": (-104, 0), "top": (0, -62), "right": (104, 0)},
    5: {
        "bottom": (0, 60),
        "left": (-146, 30),
        "top_left": (-62, -62),
        "top_right": (62, -62),
        "right": (146, 30),
    },
}


def slot_of_seat(seat: int, num_seats: int, bottom_seat: int, direction: Direction) -> Slot:
    """The slot in which `seat` is drawn: the next player is on the left if play runs clockwise."""
    steps = (seat - bottom_seat) % num_seats
    if direction == "counterclockwise":
        steps = -steps % num_seats
    return _RING[num_seats][steps]


def seat_places(scene: Scene) -> tuple[SeatPlace, ...]:
    """The places of all seats, indexed by seat."""
    n = len(scene.seats)
    places: list[SeatPlace] = []
    for seat in range(n):
        slot = slot_of_seat(seat, n, scene.bottom_seat, scene.direction)
        dx, dy = _TRICK[n][slot]
        side_y = _SIDE_Y3 if n == 3 else _SIDE_Y
        x, y, w = {
            "bottom": (OWN_PLATE.x, OWN_PLATE.y, OWN_PLATE.w),
            "left": (_LEFT_X, side_y, _SIDE_W),
            "right": (_RIGHT_X, side_y, _SIDE_W),
            "top": (_MID - _TOP_W / 2, _TOP_Y, _TOP_W),
            "top_left": (_MID - 104 - _TOP_W5 / 2, _TOP_Y, _TOP_W5),
            "top_right": (_MID + 104 - _TOP_W5 / 2, _TOP_Y, _TOP_W5),
        }[slot]
        places.append(SeatPlace(slot, x, y, w, TRICK_CENTRE[0] + dx, TRICK_CENTRE[1] + dy))
    return tuple(places)


def fan_offsets(count: int, card_w: float, width: float, max_step: float) -> tuple[float, list[float]]:
    """Lay `count` cards in a row of `width`, overlapping if need be: (width used, left edge of each card)."""
    if count == 0:
        return 0.0, []
    step = max_step if count == 1 else min(max_step, (width - card_w) / (count - 1))
    return card_w + step * (count - 1), [step * i for i in range(count)]
