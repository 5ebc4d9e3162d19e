"""Plots of a study as a PNG file, drawn by matplotlib (the extra "notebooks")."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .. import svg


def write_png(path: Path, headline: str, panels: Sequence[tuple[str, Sequence[svg.Row], str]]) -> None:
    """Draw plots below each other: a mean with its interval for each row."""
    heights = [2 + len(rows) for _, rows, _ in panels]
    figure = Figure(figsize=(9, 0.3 * sum(heights) + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    figure.suptitle(headline, fontsize="medium", wrap=True)
    for axis, (title, rows, label) in zip(axes, panels, strict=True):
        mean, low, high = np.array([row[1:] for row in rows]).T
        axis.errorbar(mean, np.arange(len(rows)), xerr=[mean - low, high - mean], fmt="o", capsize=3)
        axis.axvline(0, color="grey", linewidth=0.8)
        axis.set_yticks(range(len(rows)), [row[0] for row in rows])
        axis.invert_yaxis()
        axis.set(title=title, xlabel=label)
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=120)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(data.getvalue())
    part.replace(path)
