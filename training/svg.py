"""Small plots as SVG text, coloured by the page's CSS variables so that they fit light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from .stats import estimate

#: Colours, in light and dark.
COLOURS = """
:root { color-scheme: light dark; --page: #fbfbf9; --ink: #1d2126; --soft: #5f6873; --line: #d9dcd8; --card: #ffffff;
  --up: #13713f; --down: #b3261e; --even: #4a5a6a; --upwash: #d9efe1; --downwash: #f8dedb; --evenwash: #eceff1; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --ink: #e7e9ea; --soft: #9aa4ae; --line: #343a40;
  --card: #1b1f23; --up: #6fd39c; --down: #ff9a90; --even: #a9b8c6; --upwash: #173a27; --downwash: #47201d;
  --evenwash: #262c31; } }
"""
#: How the parts of plots look.
MARKS = """
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
svg .axis { fill: var(--soft); font-size: 12px; } svg .grid { stroke: var(--line); }
svg .zero { stroke: var(--soft); stroke-width: 1.5; }
svg .mark { stroke: var(--even); fill: var(--even); stroke-width: 2.5; stroke-linecap: round; }
svg .up { stroke: var(--up); fill: var(--up); } svg .down { stroke: var(--down); fill: var(--down); }
svg .band { fill: var(--even); opacity: .22; } svg .mean { fill: none; stroke: var(--even); stroke-width: 2; }
"""

#: A line of a plot: its label, a mean, and its interval's ends.
Row = tuple[str, float, float, float]

_WIDTH = 720
_ROW = 26


def ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Round numbers that cover a range."""
    raw = (high - low) / count
    base = 10 ** math.floor(math.log10(raw))
    step = next(base * k for k in (1, 2, 5, 10) if base * k >= raw)
    first = math.ceil(low / step)
    return [step * k for k in range(first, math.floor(high / step) + 1)]


def number_text(value: float) -> str:
    """A tick's label."""
    return f"{value:g}" if abs(value) < 1e4 else f"{value:.0f}"


def plot_range(lows: Sequence[float], highs: Sequence[float], zero: bool) -> tuple[float, float]:
    """Ends of an axis, with some room; `zero` is on it."""
    finite = [v for v in (*lows, *highs, *([0.0] if zero else [])) if math.isfinite(v)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>'


def _svg(height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def document(plots: Sequence[str]) -> str:
    """Plots below each other as a file of its own."""
    parts: list[str] = []
    top = 0
    for plot in plots:
        height = int(plot.split('viewBox="0 0 ', 1)[1].split('"', 1)[0].split()[1])
        parts.append(plot.replace("<svg ", f'<svg x="0" y="{top}" width="{_WIDTH}" height="{height}" ', 1))
        top += height + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top}" width="{_WIDTH}" height="{top}">'
        f'<style>{COLOURS}{MARKS}</style><rect width="100%" height="100%" style="fill: var(--page)"/>'
        f"{''.join(parts)}</svg>\n"
    )


def intervals(title: str, rows: Sequence[Row], axis: str, *, zero: bool = True) -> str:
    """A dot and a bar for each row (label, mean, low, high), with a line at zero."""
    longest = max((len(label) for label, *_ in rows), default=0)
    left = min(300.0, 16.0 + 7.2 * longest)
    fits = int((left - 16) / 7.2)
    low, high = plot_range([row[2] for row in rows], [row[3] for row in rows], zero)
    bottom = 10 + _ROW * len(rows)

    def at(value: float) -> float:
        return left + (_WIDTH - left - 20) * (min(max(value, low), high) - low) / (high - low)

    parts: list[str] = []
    for tick in ticks(low, high):
        kind = "zero" if zero and abs(tick) < 1e-12 else "grid"
        parts.append(f'<line x1="{at(tick):.1f}" x2="{at(tick):.1f}" y1="6" y2="{bottom}" class="{kind}"/>')
        parts.append(_text(at(tick), bottom + 16, number_text(tick), "axis", "middle"))
    parts.append(_text((left + _WIDTH - 20) / 2, bottom + 34, axis, "axis", "middle"))
    for k, (label, mean, below, above) in enumerate(rows):
        y = 10 + _ROW * (k + 0.5)
        shown = label if len(label) <= fits else f"{label[: fits - 1]}…"
        parts.append(_text(left - 10, y + 4, shown, "label", "end"))
        side = "" if not zero else " up" if below > 0 else " down" if above < 0 else ""
        hint = f"{label}: {mean:.2f} ({below:.2f} to {above:.2f})"
        parts.append(
            f'<g class="mark{side}"><title>{escape(hint)}</title>'
            f'<line x1="{at(below):.1f}" x2="{at(above):.1f}" y1="{y}" y2="{y}"/>'
            f'<circle cx="{at(mean):.1f}" cy="{y}" r="4.5"/></g>'
        )
    return _svg(bottom + 42, title, parts)


def _levels(values: Sequence[float], y: Callable[[float], float], left: float, right: float) -> list[str]:
    """Lines across a plot at some values, zero marked, with the values to the left of them."""
    parts: list[str] = []
    for value in values:
        kind = "zero" if abs(value) < 1e-12 else "grid"
        parts.append(f'<line x1="{left}" x2="{right}" y1="{y(value):.1f}" y2="{y(value):.1f}" class="{kind}"/>')
        parts.append(_text(left - 8, y(value) + 4, number_text(value), "axis", "end"))
    return parts


def scatter(title: str, rows: Sequence[tuple[str, float, float, float, float]], across: str, axis: str) -> str:
    """A dot and a bar for each row (label, x > 0, mean, its interval's ends) over a logarithmic x axis."""
    left, right, bottom, top = 64.0, _WIDTH - 130.0, 290.0, 12.0
    low, high = plot_range([row[3] for row in rows], [row[4] for row in rows], True)
    first = math.floor(min(math.log10(row[1]) for row in rows))
    last = max(math.ceil(max(math.log10(row[1]) for row in rows)), first + 1)

    def x(value: float) -> float:
        return left + (right - left) * (math.log10(value) - first) / (last - first)

    def y(value: float) -> float:
        return bottom - (bottom - top) * (value - low) / (high - low)

    parts = _levels(ticks(low, high, 5), y, left, right)
    for power in range(first, last + 1):
        tick, at = 10.0**power, x(10.0**power)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{bottom}" class="grid"/>')
        parts.append(_text(at, bottom + 18, number_text(tick), "axis", "middle"))
    parts.append(_text((left + right) / 2, bottom + 36, across, "axis", "middle"))
    parts.append(_text(left, bottom + 36, axis, "axis"))
    taken: list[tuple[float, float]] = []
    for label, value, mean, below, above in sorted(rows, key=lambda row: row[2]):
        side = " up" if below > 0 else " down" if above < 0 else ""
        hint = f"{label}: {mean:.2f} ({below:.2f} to {above:.2f}) at {value:.3g}"
        parts.append(
            f'<g class="mark{side}"><title>{escape(hint)}</title>'
            f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{y(below):.1f}" y2="{y(above):.1f}"/>'
            f'<circle cx="{x(value):.1f}" cy="{y(mean):.1f}" r="4.5"/></g>'
        )
        at = y(mean) + 4
        while any(abs(at - other) < 14 and abs(x(value) - there) < 140 for there, other in taken):
            at -= 14  # labels of near dots one above the other
        taken.append((x(value), at))
        shown = label if len(label) <= 24 else f"{label[:23]}…"
        parts.append(_text(x(value) + 9, at, shown, "label"))
    return _svg(bottom + 44, title, parts)


def course(title: str, values: npt.NDArray[np.float64], axis: str) -> str:
    """How a mean and its interval settled, deal by deal."""
    left, bottom, top = 64.0, 170.0, 10.0
    n = len(values)
    counts = np.unique(np.geomspace(min(10, n), n, 80).round().astype(int))
    found = [estimate(values[:count]) for count in counts]
    low, high = plot_range([one.low for one in found], [one.high for one in found], True)

    def x(count: float) -> float:
        return left + (_WIDTH - left - 20) * count / n

    def y(value: float) -> float:
        return bottom - (bottom - top) * (value - low) / (high - low)

    parts = _levels(ticks(low, high, 4), y, left, _WIDTH - 20)
    for tick in ticks(0, n, 6):
        parts.append(_text(x(tick), bottom + 18, number_text(tick), "axis", "middle"))
    parts.append(_text((left + _WIDTH - 20) / 2, bottom + 36, axis, "axis", "middle"))
    ends = [(x(c), y(e.low), y(e.high), y(e.mean)) for c, e in zip(counts, found, strict=True) if e.count > 1]
    band = [f"{px:.1f},{above:.1f}" for px, _, above, _ in ends]
    band += [f"{px:.1f},{below:.1f}" for px, below, _, _ in reversed(ends)]
    parts.append(f'<polygon class="band" points="{" ".join(band)}"/>')
    parts.append(f'<polyline class="mean" points="{" ".join(f"{px:.1f},{mean:.1f}" for px, *_, mean in ends)}"/>')
    return _svg(bottom + 44, title, parts)
