"""Drawing primitives on an off-screen pygame surface: scaled coordinates, text that fits, cards.

Text may contain suit symbols; they are drawn as vector shapes, since the bundled font lacks them. No
function here touches ``pygame.display``: everything works without a video driver.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from ._deps import require
from .layout import HEIGHT, WIDTH, Rect
from .scene import CardFace
from .style import RGB, SUIT_OF_SYMBOL, SUIT_STYLES, clean_text, split_symbols
from .suits import suit_sprite

if TYPE_CHECKING:
    import pygame

Align = Literal["left", "center", "right"]

WHITE: RGB = (244, 246, 242)
INK: RGB = (28, 30, 34)
GOLD: RGB = (246, 196, 60)
CARD_WHITE: RGB = (252, 251, 246)
CARD_EDGE: RGB = (120, 120, 118)
CARD_DIM: RGB = (205, 206, 200)
BACK: RGB = (44, 74, 140)

_OVERSAMPLE = 4
# Text too is drawn larger and scaled down: at 11 to 13 pixels the font's hinting tears words apart.
_TEXT_OVERSAMPLE = 4
# pygame scales the nominal size of its bundled font by this factor; undone here: sizes are true pixels.
_DEFAULT_FONT_FACTOR = 0.6875
# Characters that people type and the bundled font lacks.
_REPLACE = str.maketrans(
    {"→": ">", "←": "<", "▶": ">", "◀": "<", "✓": "+", "✗": "x", "\u00a0": " ", "\u202f": " "}
)


@lru_cache(maxsize=512)
def _round_rect(w: int, h: int, radius: int, fill: RGB, edge: RGB, edge_w: int, alpha: int) -> pygame.Surface:
    """A smooth rounded rectangle as a shared sprite."""
    pg = require("pygame")
    k = _OVERSAMPLE
    big = pg.Surface((w * k, h * k), pg.SRCALPHA, 32)
    big.fill((*(edge if edge_w else fill), 0))
    if edge_w:
        pg.draw.rect(big, (*edge, alpha), (0, 0, w * k, h * k), border_radius=radius * k)
    inner = (edge_w * k, edge_w * k, (w - 2 * edge_w) * k, (h - 2 * edge_w) * k)
    pg.draw.rect(big, (*fill, alpha), inner, border_radius=max(0, radius - edge_w) * k)
    return pg.transform.smoothscale(big, (w, h))


def _open_font(pixels: int) -> Any:
    """The bundled font. It is not kept: pygame.quit() invalidates fonts (not surfaces, which are cached)."""
    font = require("pygame.font")
    font.init()  # fonts only: needs no display and no audio
    return font.Font(None, pixels)


@lru_cache(maxsize=4096)
def _text_size(text: str, pixels: int) -> tuple[int, int]:
    """Width and height of a line at its final size."""
    w, h = _open_font(pixels).size(text)
    return round(w / _TEXT_OVERSAMPLE), round(h / _TEXT_OVERSAMPLE)


@lru_cache(maxsize=2048)
def _text_sprite(text: str, pixels: int, color: RGB) -> pygame.Surface:
    """A line of text as a shared sprite."""
    w, h = _text_size(text, pixels)
    big = _open_font(pixels).render(text, True, color)
    return require("pygame").transform.smoothscale(big, (max(1, w), max(1, h)))


class Canvas:
    """A surface on which a 960 × 640 sheet is drawn, scaled and centred in `size` (width, height)."""

    def __init__(self, size: tuple[int, int], ground: RGB = (18, 24, 22)) -> None:
        if size[0] < 1 or size[1] < 1:
            raise ValueError(f"size: {size!r}, width and height must be positive")
        self._pg = require("pygame")
        self.surface: pygame.Surface = self._pg.Surface(size, 0, 32)
        self.surface.fill(ground)
        self.scale = min(size[0] / WIDTH, size[1] / HEIGHT)
        self._dx = (size[0] - WIDTH * self.scale) / 2
        self._dy = (size[1] - HEIGHT * self.scale) / 2

    # -- coordinates

    def px(self, length: float) -> int:
        """A length in pixels, at least 1."""
        return max(1, round(length * self.scale))

    def at(self, x: float, y: float) -> tuple[int, int]:
        """A point in pixels."""
        return round(x * self.scale + self._dx), round(y * self.scale + self._dy)

    # -- shapes

    def box(
        self,
        rect: Rect,
        fill: RGB,
        *,
        radius: float = 6,
        edge: RGB | None = None,
        edge_w: float = 1.5,
        alpha: int = 255,
    ) -> None:
        """A rounded rectangle with an optional edge."""
        w, h = self.px(rect.w), self.px(rect.h)
        line = min(self.px(edge_w), max(0, min(w, h) // 2 - 1)) if edge else 0
        sprite = _round_rect(w, h, min(self.px(radius), min(w, h) // 2), fill, edge or fill, line, alpha)
        self.surface.blit(sprite, self.at(rect.x, rect.y))

    def fill(self, rect: Rect, color: RGB) -> None:
        """A plain rectangle."""
        x0, y0 = self.at(rect.x, rect.y)
        x1, y1 = self.at(rect.right, rect.bottom)
        self.surface.fill(color, (x0, y0, x1 - x0, y1 - y0))

    def suit(
        self, suit: str, x: float, y: float, size: float, *, dark: bool = False, turned: bool = False
    ) -> None:
        """The shape of a suit, (x, y) is its centre."""
        sprite = suit_sprite(suit, self.px(size), dark)
        if turned:
            sprite = self._pg.transform.rotate(sprite, 180)
        px, py = self.at(x, y)
        self.surface.blit(sprite, (px - sprite.get_width() // 2, py - sprite.get_height() // 2))

    # -- text

    def _pixels(self, size: float) -> int:
        """Nominal font size for a size in logical units, `_TEXT_OVERSAMPLE` times too large."""
        return max(5, round(size * self.scale * _TEXT_OVERSAMPLE / _DEFAULT_FONT_FACTOR))

    def _render(self, text: str, size: float, color: RGB) -> pygame.Surface:
        """A line of text without suit symbols as a surface of its final size."""
        return _text_sprite(text.translate(_REPLACE), self._pixels(size), color)

    def line_height(self, size: float) -> float:
        """Height of a line of text in logical units."""
        return _text_size("", self._pixels(size))[1] / self.scale

    def text_width(self, text: str, size: float) -> float:
        """Width of one line in logical units, suit shapes included."""
        return sum(self._run_width(run, size) for run in split_symbols(clean_text(text))) / self.scale

    def _run_width(self, run: str, size: float) -> int:
        if run in SUIT_OF_SYMBOL:
            return round(self.px(size) * 0.98)
        return _text_size(run.translate(_REPLACE), self._pixels(size))[0]

    def fit(self, text: str, size: float, width: float) -> str:
        """`text`, cut with an ellipsis if it is wider than `width`."""
        text = clean_text(text)
        if self.text_width(text, size) <= width:
            return text
        low, high = 0, len(text)  # the longest head that fits
        while low < high:
            middle = (low + high + 1) // 2
            if self.text_width(text[:middle].rstrip() + "…", size) <= width:
                low = middle
            else:
                high = middle - 1
        return text[:low].rstrip() + "…"

    def wrap(self, text: str, size: float, width: float, max_lines: int) -> list[str]:
        """Break `text` between words into at most `max_lines` lines of `width`; the last is cut to fit."""
        lines: list[str] = []
        words = clean_text(text).split()
        while words:
            if len(lines) == max_lines - 1:
                lines.append(self.fit(" ".join(words), size, width))
                break
            count = 1
            while count < len(words) and self.text_width(" ".join(words[: count + 1]), size) <= width:
                count += 1
            lines.append(self.fit(" ".join(words[:count]), size, width))
            words = words[count:]
        return lines

    def text(
        self,
        text: str,
        x: float,
        y: float,
        size: float,
        color: RGB = WHITE,
        *,
        align: Align = "left",
        width: float | None = None,
        on_light: bool = False,
    ) -> float:
        """Draw one line whose top is `y`; `x` is its left edge, middle or right edge. Returns the width used.

        `width` cuts the text with an ellipsis; `on_light` chooses the suit colours for light grounds.
        """
        text = self.fit(text, size, width) if width is not None else clean_text(text)
        used = self.text_width(text, size)
        left, top = self.at(x - {"left": 0.0, "center": used / 2, "right": used}[align], y)
        line_h = self.px(self.line_height(size))
        for run in split_symbols(text):
            step = self._run_width(run, size)
            if run in SUIT_OF_SYMBOL:
                sprite = suit_sprite(SUIT_OF_SYMBOL[run].key, self.px(size * 0.92), not on_light)
                self.surface.blit(sprite, (left, top + (line_h - sprite.get_height()) // 2))
            else:
                self.surface.blit(self._render(run, size, color), (left, top))
            left += step
        return used

    def chip(self, text: str, x: float, y: float, size: float, fill: RGB, color: RGB, max_w: float) -> float:
        """A small label on a coloured ground; returns its width."""
        text = self.fit(text, size, max_w - 10)
        width = self.text_width(text, size) + 10
        height = self.line_height(size) + 3
        self.box(Rect(x, y, width, height), fill, radius=5)
        self.text(text, x + 5, y + 1.5, size, color, on_light=color == INK)
        return width

    # -- cards

    def card_back(self, rect: Rect) -> None:
        """A face-down card."""
        self._shadow(rect)
        radius = max(2.0, rect.w * 0.1)
        self.box(rect, BACK, radius=radius, edge=CARD_WHITE, edge_w=max(1.0, rect.w * 0.05))
        inset = max(3.0, rect.w * 0.16)
        inner = Rect(rect.x + inset, rect.y + inset, rect.w - 2 * inset, rect.h - 2 * inset)
        self.box(inner, BACK, radius=2, edge=(128, 158, 220), edge_w=1)

    def card(self, face: CardFace, rect: Rect, *, frame: RGB | None = None, dim: bool = False) -> None:
        """A face-up card; `frame` colours its edge, `dim` greys the paper."""
        style = SUIT_STYLES[face.suit]
        self._shadow(rect)
        paper = CARD_DIM if dim else CARD_WHITE
        edge_w = max(2.5, rect.w * 0.05) if frame else 1.0
        self.box(rect, paper, radius=max(3.0, rect.w * 0.1), edge=frame or CARD_EDGE, edge_w=edge_w)
        rank_size, pip = max(11.0, rect.w * 0.29), max(9.0, rect.w * 0.22)
        pad = max(3.0, rect.w * 0.07)
        # A rank label longer than usual gets smaller rather than cut: "Ass" must stay readable.
        while rank_size > 7 and self.text_width(face.rank_label, rank_size) > rect.w * 0.62:
            rank_size -= 1
        rank_w = self.text_width(face.rank_label, rank_size)
        rank_h = self.line_height(rank_size)
        index_x = rect.x + pad + max(rank_w, pip) / 2
        self.text(
            face.rank_label, index_x, rect.y + pad - 1, rank_size, style.rgb, align="center", on_light=True
        )
        self.suit(face.suit, index_x, rect.y + pad + rank_h + pip / 2 - 1, pip)
        if rect.w >= 48:
            self.suit(face.suit, rect.cx + rect.w * 0.06, rect.cy + rect.h * 0.08, rect.w * 0.46)
            self._turned_index(face, rect, rank_size, pad, style.rgb)

    def _turned_index(self, face: CardFace, rect: Rect, size: float, pad: float, color: RGB) -> None:
        """The rank upside down in the lower right corner."""
        rank = self._pg.transform.rotate(self._render(clean_text(face.rank_label), size, color), 180)
        x, y = self.at(rect.right - pad, rect.bottom - pad + 1)
        self.surface.blit(rank, (x - rank.get_width(), y - rank.get_height()))

    def _shadow(self, rect: Rect) -> None:
        self.box(
            Rect(rect.x + 1, rect.y + 2, rect.w, rect.h), (0, 0, 0), radius=max(3.0, rect.w * 0.1), alpha=70
        )
