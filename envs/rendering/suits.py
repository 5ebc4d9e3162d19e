"""The nine suit shapes as vector drawings: no image files, and pygame's bundled font has no suit symbols.

Each shape is drawn four times too large on a unit square and scaled down smoothly, because ``pygame.draw``
has no anti-aliased filled polygons.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ._deps import require
from .style import RGB, SUIT_STYLES

if TYPE_CHECKING:
    import pygame

_OVERSAMPLE = 4


class _Pen:
    """Draws in unit coordinates: (0, 0) top left, (1, 1) bottom right."""

    def __init__(self, surface: pygame.Surface, size: int) -> None:
        self._draw = require("pygame").draw
        self._surface = surface
        self._size = size

    def polygon(self, color: RGB, points: Sequence[tuple[float, float]]) -> None:
        self._draw.polygon(self._surface, color, [(x * self._size, y * self._size) for x, y in points])

    def circle(self, color: RGB, x: float, y: float, radius: float) -> None:
        self._draw.circle(self._surface, color, (x * self._size, y * self._size), radius * self._size)

    def ellipse(self, color: RGB, x: float, y: float, rx: float, ry: float) -> None:
        box = ((x - rx) * self._size, (y - ry) * self._size, 2 * rx * self._size, 2 * ry * self._size)
        self._draw.ellipse(self._surface, color, box)

    def line(self, color: RGB, a: tuple[float, float], b: tuple[float, float], width: float) -> None:
        # A quadrilateral, since pygame.draw.line cuts thick slanted lines along the axes.
        (ax, ay), (bx, by) = a, b
        length = math.hypot(bx - ax, by - ay) or 1.0
        nx, ny = -(by - ay) / length * width / 2, (bx - ax) / length * width / 2
        self.polygon(color, [(ax + nx, ay + ny), (bx + nx, by + ny), (bx - nx, by - ny), (ax - nx, ay - ny)])


def _heart_points(
    top: float, bottom: float, half_width: float, flip: bool = False
) -> list[tuple[float, float]]:
    """The classic heart curve, scaled into the box; flipped it is the body of a spade."""
    points: list[tuple[float, float]] = []
    for i in range(72):
        t = 2 * math.pi * i / 72
        x = 16 * math.sin(t) ** 3 / 16
        y = (
            13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        )  # from -17 to 11.97
        part = (11.97 - y) / 28.97
        points.append(
            (0.5 + half_width * x, bottom - part * (bottom - top) if flip else top + part * (bottom - top))
        )
    return points


def _stem(pen: _Pen, color: RGB, top: float) -> None:
    pen.polygon(color, [(0.47, top), (0.53, top), (0.57, 0.84), (0.68, 0.95), (0.32, 0.95), (0.43, 0.84)])


def _heart(pen: _Pen, color: RGB) -> None:
    pen.polygon(color, _heart_points(0.08, 0.95, 0.46))


def _spade(pen: _Pen, color: RGB) -> None:
    pen.polygon(color, _heart_points(0.05, 0.78, 0.43, flip=True))
    _stem(pen, color, 0.55)


def _club(pen: _Pen, color: RGB) -> None:
    for x, y in ((0.5, 0.26), (0.27, 0.57), (0.73, 0.57)):
        pen.circle(color, x, y, 0.205)
    pen.circle(color, 0.5, 0.5, 0.12)
    _stem(pen, color, 0.5)


def _diamond(pen: _Pen, color: RGB) -> None:
    corners = [(0.5, 0.03), (0.87, 0.5), (0.5, 0.97), (0.13, 0.5)]
    points: list[tuple[float, float]] = []
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        for i in range(8):
            # Sides bend slightly inwards, as printed diamonds do.
            t = i / 8
            bend = 1 - 0.16 * 4 * t * (1 - t) / 2
            points.append((0.5 + (ax + (bx - ax) * t - 0.5) * bend, 0.5 + (ay + (by - ay) * t - 0.5) * bend))
    pen.polygon(color, points)


def _star(pen: _Pen, color: RGB) -> None:
    points = [
        (0.5 + r * math.sin(math.pi * i / 5), 0.53 - r * math.cos(math.pi * i / 5))
        for i, r in enumerate((0.5, 0.21) * 5)
    ]
    pen.polygon(color, points)
    pen.circle((250, 214, 92), 0.5, 0.53, 0.12)


def _acorn(pen: _Pen, color: RGB) -> None:
    nut, shine, cap, scale = (206, 164, 52), (238, 208, 110), color, (128, 150, 60)
    pen.line(cap, (0.5, 0.2), (0.6, 0.02), 0.09)
    body: list[tuple[float, float]] = []
    for i in range(37):
        # Half an ellipse that ends in the acorn's point.
        t = math.pi * i / 36
        body.append((0.5 + 0.31 * math.cos(t), 0.42 + 0.42 * math.sin(t) ** 0.85))
    pen.polygon(nut, body)
    pen.polygon(nut, [(0.42, 0.8), (0.58, 0.8), (0.5, 0.98)])
    pen.ellipse(shine, 0.38, 0.58, 0.06, 0.14)
    dome = [
        (0.5 + 0.42 * math.cos(t), 0.45 - 0.32 * math.sin(t)) for t in (math.pi * i / 24 for i in range(25))
    ]
    pen.polygon(cap, dome)
    pen.ellipse(cap, 0.5, 0.45, 0.42, 0.07)
    for x, y in (
        (0.24, 0.4),
        (0.41, 0.42),
        (0.59, 0.42),
        (0.76, 0.4),
        (0.33, 0.29),
        (0.5, 0.3),
        (0.67, 0.29),
        (0.5, 0.19),
    ):
        pen.circle(scale, x, y, 0.045)


def _rose(pen: _Pen, color: RGB) -> None:
    light: RGB = (236, 116, 132)
    for i in range(5):
        a = 2 * math.pi * (i + 0.5) / 5 - math.pi / 2
        tip = (0.5 + 0.48 * math.cos(a), 0.5 + 0.48 * math.sin(a))
        side = (0.13 * math.sin(a), -0.13 * math.cos(a))
        base = (0.5 + 0.25 * math.cos(a), 0.5 + 0.25 * math.sin(a))
        pen.polygon(
            (52, 124, 52),
            [tip, (base[0] + side[0], base[1] + side[1]), (base[0] - side[0], base[1] - side[1])],
        )
    for radius, petal, fill in ((0.27, 0.2, color), (0.24, 0.14, light)):
        for i in range(5):
            a = 2 * math.pi * i / 5 - math.pi / 2
            pen.circle(fill, 0.5 + radius * math.cos(a), 0.5 + radius * math.sin(a), petal)
    pen.circle(color, 0.5, 0.5, 0.2)
    pen.circle((248, 202, 62), 0.5, 0.5, 0.14)


def _shield_points(inset: float) -> list[tuple[float, float]]:
    half, top = 0.4 - inset, 0.06 + inset
    side = [(0.5 + half, top), (0.5 + half, 0.46)]
    curve = [
        (0.5 + half * math.cos(t), 0.46 + (0.5 - 1.3 * inset) * math.sin(t))
        for t in (math.pi * i / 32 for i in range(33))
    ]
    return [(0.5 - half, top), *side, *curve, (0.5 - half, 0.46)]


def _shield(pen: _Pen, color: RGB) -> None:
    pen.polygon(color, _shield_points(0.0))
    pen.polygon((250, 236, 190), _shield_points(0.07))
    pen.polygon(color, [(0.17, 0.28), (0.5, 0.5), (0.83, 0.28), (0.83, 0.46), (0.5, 0.68), (0.17, 0.46)])
    pen.circle((206, 60, 52), 0.5, 0.28, 0.085)


def _bell(pen: _Pen, color: RGB) -> None:
    gold, shine = (240, 184, 44), (255, 232, 150)
    pen.circle(color, 0.5, 0.12, 0.12)
    pen.circle((255, 255, 255), 0.5, 0.12, 0.055)
    pen.circle(color, 0.5, 0.56, 0.42)
    pen.circle(gold, 0.5, 0.56, 0.365)
    pen.ellipse(shine, 0.37, 0.38, 0.1, 0.07)
    pen.polygon(color, [(0.1, 0.52), (0.9, 0.52), (0.9, 0.63), (0.1, 0.63)])
    pen.circle(color, 0.5, 0.72, 0.085)
    pen.line(color, (0.5, 0.72), (0.5, 0.95), 0.06)


_SHAPES: dict[str, Callable[[_Pen, RGB], None]] = {
    "heart": _heart,
    "spade": _spade,
    "club": _club,
    "diamond": _diamond,
    "star": _star,
    "acorn": _acorn,
    "rose": _rose,
    "shield": _shield,
    "bell": _bell,
}


@lru_cache(maxsize=512)
def suit_sprite(suit: str, size: int, dark: bool = False) -> pygame.Surface:
    """The shape of a suit as a square surface with alpha, `size` pixels wide; `dark`: for dark grounds.

    The surface is shared: blit it, do not draw on it.
    """
    pg = require("pygame")
    style = SUIT_STYLES[suit]
    color = style.rgb_dark if dark else style.rgb
    big = pg.Surface((size * _OVERSAMPLE, size * _OVERSAMPLE), pg.SRCALPHA, 32)
    big.fill(
        (*color, 0)
    )  # transparent, but coloured: smoothscale mixes colours of transparent pixels into the edge
    _SHAPES[style.shape](_Pen(big, size * _OVERSAMPLE), color)
    return pg.transform.smoothscale(big, (size, size))
