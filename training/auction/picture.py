"""Plots of a study as a PNG file, drawn with what draws the tables of the games (the extra "render")."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from ...envs.rendering.canvas import Canvas
from ...envs.rendering.layout import HEIGHT, WIDTH, Rect
from ...envs.rendering.style import RGB
from .. import svg

_PAGE: RGB = (251, 251, 249)
_INK: RGB = (29, 33, 38)
_SOFT: RGB = (95, 104, 115)
_LINE: RGB = (217, 220, 216)
_EVEN: RGB = (74, 90, 106)
_UP: RGB = (19, 113, 63)
_DOWN: RGB = (179, 38, 30)

_ROW, _LEFT, _RIGHT, _TOP, _PANEL = 24.0, 150.0, 30.0, 64.0, 84.0
#: Pixels of one unit of the sheet.
_SCALE = 1.5


def write_png(path: Path, headline: str, panels: Sequence[tuple[str, Sequence[svg.Row], str]]) -> None:
    """Draw plots below each other. Raises MissingRenderDependencyError without pygame."""
    height = _TOP + sum(_PANEL + _ROW * len(rows) for _, rows, _ in panels)
    canvas = Canvas((round(WIDTH * _SCALE), round(max(height, HEIGHT) * _SCALE)), _PAGE)
    # the canvas centres its sheet: what is higher begins above it
    top = min(0.0, (HEIGHT - height) / 2)
    for number, line in enumerate(canvas.wrap(headline, 14, WIDTH - 40, 2)):
        canvas.text(line, 20, top + 12 + 20 * number, 14, _SOFT, on_light=True)
    y = top + _TOP
    for title, rows, axis in panels:
        _panel(canvas, y, title, rows, axis)
        y += _PANEL + _ROW * len(rows)
    data = io.BytesIO()
    canvas.save_png(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(data.getvalue())
    part.replace(path)


def _panel(canvas: Canvas, top: float, title: str, rows: Sequence[svg.Row], axis: str) -> None:
    low, high = svg.plot_range([row[2] for row in rows], [row[3] for row in rows], True)
    first = top + 26
    bottom = first + _ROW * len(rows)

    def at(value: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low)

    canvas.text(title, 20, top, 16, _INK)
    for tick in svg.ticks(low, high):
        zero = abs(tick) < 1e-12
        canvas.fill(Rect(at(tick), first, 1.5 if zero else 0.7, bottom - first), _SOFT if zero else _LINE)
        canvas.text(svg.number_text(tick), at(tick), bottom + 4, 12, _SOFT, align="center")
    canvas.text(axis, (_LEFT + WIDTH - _RIGHT) / 2, bottom + 22, 12, _SOFT, align="center")
    for number, (label, mean, below, above) in enumerate(rows):
        middle = first + _ROW * (number + 0.5)
        color = _UP if below > 0 else _DOWN if above < 0 else _EVEN
        canvas.text(label, _LEFT - 12, middle - 8, 14, _INK, align="right", width=_LEFT - 24, on_light=True)
        canvas.fill(Rect(at(below), middle - 1, max(at(above) - at(below), 1), 2), color)
        canvas.box(Rect(at(mean) - 4.5, middle - 4.5, 9, 9), color, radius=4.5)
