"""One renderer for all adapters: a mode chosen once, scenes drawn one after the other."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from ..core.errors import BidtrickError
from .ansi import render_ansi
from .scene import Scene
from .table import DEFAULT_SIZE, TableWindow, render_rgb

RenderMode = Literal["human", "ansi", "rgb_array"]

#: The modes that every environment of every game offers.
RENDER_MODES: tuple[RenderMode, ...] = ("human", "ansi", "rgb_array")

#: Pictures per second in the window of mode "human".
RENDER_FPS = 4


class Renderer:
    """Draws scenes in one mode.

    Args:
        mode: "human" (a window), "ansi" (text), "rgb_array" (pixels), or None (nothing).
        size: (width, height) of window and pixels.
        fps: pictures per second in the window at most; 0 never waits.
        color: whether text has escape codes for colours.

    Raises: BidtrickError naming the modes for an unknown one.
    """

    def __init__(
        self,
        mode: str | None,
        *,
        size: tuple[int, int] = DEFAULT_SIZE,
        fps: float = RENDER_FPS,
        color: bool = True,
        caption: str = "bidtrick",
    ) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise BidtrickError(f"render_mode={mode!r} is not allowed; allowed: None | {' | '.join(RENDER_MODES)}")
        self.mode, self.size, self.color = mode, size, color
        self.window = TableWindow(size=size, fps=fps, caption=caption)

    def render(self, scene: Scene) -> str | npt.NDArray[np.uint8] | None:
        """Draw one scene: None (human), a str (ansi) or uint8 [height, width, 3] (rgb_array)."""
        if self.mode == "ansi":
            return render_ansi(scene, color=self.color)
        if self.mode == "rgb_array":
            return render_rgb(scene, size=self.size)
        if self.mode == "human":
            self.window.show(scene)
        return None

    def close(self) -> None:
        """Close the window if there is one; may be called again."""
        self.window.close()
