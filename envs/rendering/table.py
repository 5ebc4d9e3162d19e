"""The table as a picture: ``render_rgb`` draws off-screen, ``TableWindow`` shows scenes in a window.

pygame is imported at the first drawing only, and ``pygame.display`` is used by the window alone, so
pictures can be made on machines without any screen or video driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._deps import require
from .canvas import GOLD, INK, WHITE, Canvas
from .layout import (
    CENTRE_PILE,
    CORNER,
    FOOTER,
    HEIGHT,
    PILES_LEFT,
    PILES_RIGHT,
    PROMPT,
    TABLE,
    TITLE_BAR,
    WIDTH,
    Rect,
    fan_offsets,
    seat_places,
)
from .panel import draw_panel
from .scene import Pile, Scene
from .seats import draw_opponent, draw_own, draw_trick

if TYPE_CHECKING:
    import pygame

DEFAULT_SIZE = (WIDTH, HEIGHT)


def render_rgb(scene: Scene, *, size: tuple[int, int] = DEFAULT_SIZE) -> npt.NDArray[np.uint8]:
    """Draw a scene: uint8 [height, width, 3]. `size` is (width, height); the sheet is scaled to fit.

    Raises:
        MissingRenderDependencyError: pygame is not installed.
        ValueError: a side of `size` is not positive.
    """
    pixels = require("pygame.surfarray").array3d(draw_scene(scene, size))  # uint8 [width, height, 3]
    return np.ascontiguousarray(pixels.swapaxes(0, 1))


def draw_scene(scene: Scene, size: tuple[int, int] = DEFAULT_SIZE) -> pygame.Surface:
    """Draw a scene on a new off-screen surface of `size` (width, height)."""
    canvas = Canvas(size)
    _draw_ground(canvas)
    _draw_title(canvas, scene)
    places = seat_places(scene)
    for seat, place in zip(scene.seats, places, strict=True):
        (draw_own if place.slot == "bottom" else draw_opponent)(canvas, scene, seat, place)
    _draw_piles(canvas, scene)
    draw_trick(canvas, scene, places)
    _draw_prompt(canvas, scene)
    _draw_corner(canvas, scene)
    canvas.text(scene.footer, FOOTER.x, FOOTER.y, 11, (150, 190, 166), width=FOOTER.w)
    draw_panel(canvas, scene)
    return canvas.surface


def _draw_ground(canvas: Canvas) -> None:
    """Wooden rim and green cloth, a little lighter in the middle."""
    canvas.box(Rect(2, TABLE.y + 4, TABLE.w, TABLE.h - 6), (84, 56, 32), radius=18)
    canvas.box(Rect(6, TABLE.y + 8, TABLE.w - 8, TABLE.h - 14), (22, 88, 58), radius=15)
    for i in range(12):
        w, h = 600 - 38 * i, 420 - 28 * i
        canvas.box(Rect(358 - w / 2, 300 - h / 2, w, h), (46, 132, 88), radius=min(w, h) / 2, alpha=12)


def _draw_title(canvas: Canvas, scene: Scene) -> None:
    canvas.fill(TITLE_BAR, (14, 26, 22))
    x = 14 + canvas.text(scene.title, 14, 8, 18, WHITE, width=420)
    canvas.text(scene.subtitle, x + 16, 12, 13, (166, 190, 176), width=WIDTH - 14 - x - 16)


def _draw_corner(canvas: Canvas, scene: Scene) -> None:
    """Phase and direction of play, in the corner that no seat uses."""
    y = CORNER.y
    for line in canvas.wrap(scene.phase, 14, CORNER.w, 2):
        canvas.text(line, CORNER.x, y, 14, GOLD)
        y += canvas.line_height(14) + 1
    canvas.text(f"play: {scene.direction}", CORNER.x, y + 2, 11, (170, 204, 184), width=CORNER.w)


def _draw_prompt(canvas: Canvas, scene: Scene) -> None:
    if not scene.prompt:
        return
    lines = canvas.wrap(scene.prompt, 13, PROMPT.w - 20, 2)
    line_h = canvas.line_height(13)
    width = max(canvas.text_width(line, 13) for line in lines) + 22
    height = line_h * len(lines) + 8
    rect = Rect(PROMPT.cx - width / 2, PROMPT.bottom - height, width, height)
    canvas.box(rect, GOLD, radius=8)
    for i, line in enumerate(lines):
        canvas.text(line, rect.cx, rect.y + 4 + i * line_h, 13, INK, align="center", on_light=True)


# -- piles


def _draw_piles(canvas: Canvas, scene: Scene) -> None:
    """Centre piles in the middle while there is no trick; the others in the lower corners of the table."""
    centre = [p for p in scene.piles if p.center and not scene.trick]
    side = [p for p in scene.piles if p not in centre]
    for i, pile in enumerate(centre):
        w = CENTRE_PILE.w / len(centre)
        _draw_pile(
            canvas, pile, Rect(CENTRE_PILE.x + i * w, CENTRE_PILE.y, w - 4, CENTRE_PILE.h), (58.0, 82.0), True
        )
    # The right corner fills first: the left one is nearer to the seat that mostly acts next.
    right, left = side[: (len(side) + 1) // 2], side[(len(side) + 1) // 2 :]
    for column, area in ((right, PILES_RIGHT), (left, PILES_LEFT)):
        row_h = min(64.0, area.h / len(column)) if column else 0.0
        for i, pile in enumerate(column):
            # Rows stand on the lower edge, away from the seats.
            y = area.bottom - row_h * (len(column) - i)
            card_h = min(42.0, row_h - 20)
            _draw_pile(canvas, pile, Rect(area.x, y, area.w, row_h), (card_h * 5 / 7, card_h), False)


def _draw_pile(canvas: Canvas, pile: Pile, area: Rect, card: tuple[float, float], centered: bool) -> None:
    """Label, then the cards in a row below it."""
    total = len(pile.cards) + pile.face_down
    label = f"{pile.label} ({total})" + (f" · {pile.note}" if pile.note else "")
    if centered:
        canvas.text(label, area.cx, area.y, 13, WHITE, align="center", width=area.w)
    else:
        canvas.text(label, area.x, area.y, 11, (206, 226, 214), width=area.w)
    card_w, card_h = card
    used, offsets = fan_offsets(total, card_w, area.w, card_w + 6 if centered else card_w * 0.66)
    left = area.cx - used / 2 if centered else area.x
    y = area.y + (22 if centered else 15)
    for i, dx in enumerate(offsets):
        rect = Rect(left + dx, y, card_w, card_h)
        if i < len(pile.cards):
            face = pile.cards[i]
            canvas.card(face, rect, frame=GOLD if face.legal else None)
        else:
            canvas.card_back(rect)


class TableWindow:
    """A window for human mode. It opens at the first `show`; nothing is imported or opened before.

    Args:
        size: (width, height) in pixels.
        fps: pictures per second at most; `show` waits as long as needed. 0: never wait.
        caption: title of the window.
    """

    def __init__(
        self, *, size: tuple[int, int] = DEFAULT_SIZE, fps: float = 4.0, caption: str = "bidtrick"
    ) -> None:
        if fps < 0:
            raise ValueError(f"fps: {fps}, must be 0 (never wait) or more")
        self.size = size
        self.fps = fps
        self.caption = caption
        self.closed_by_user = False
        self._screen: pygame.Surface | None = None
        self._clock: Any = None

    @property
    def is_open(self) -> bool:
        return self._screen is not None

    def show(self, scene: Scene) -> bool:
        """Draw `scene` into the window; False, and nothing drawn, once the user has closed it."""
        if self.closed_by_user:
            return False
        pg = require("pygame")
        if self._screen is None:
            pg.display.init()
            pg.display.set_caption(self.caption)
            self._screen = pg.display.set_mode(self.size)
            self._clock = pg.time.Clock()
        assert self._screen is not None
        self._screen.blit(draw_scene(scene, self.size), (0, 0))
        pg.display.flip()
        return self._wait(pg)

    def _wait(self, pg: Any) -> bool:
        """Answer the window system, so that it does not call the program hung, and keep the frame rate."""
        for event in pg.event.get():
            if event.type == pg.QUIT:
                self.closed_by_user = True
                self.close()
                return False
        if self.fps:
            self._clock.tick(self.fps)
        return True

    def close(self) -> None:
        """Close the window if it is open; may be called again."""
        if self._screen is not None:
            # Only the display: other users of pygame in this process keep their fonts and sounds.
            require("pygame").display.quit()
            self._screen = None
            self._clock = None
