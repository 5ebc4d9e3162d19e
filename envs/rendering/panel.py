"""Draws the panel on the right: contract, score sheet, auction, last trick, log.

Sections follow each other downwards.
"""

from __future__ import annotations

from .canvas import GOLD, WHITE, Canvas
from .layout import PANEL, Rect, fan_offsets
from .scene import Scene
from .style import RGB

GROUND: RGB = (16, 30, 26)
HEADING: RGB = (150, 178, 162)
TEXT: RGB = (222, 230, 224)
_PAD = 10.0
_ROW = 17.0
_GAP = 6.0


def draw_panel(canvas: Canvas, scene: Scene) -> None:
    """All sections; the log takes what is left."""
    canvas.box(PANEL, GROUND, radius=8, edge=(44, 70, 60), edge_w=1)
    y = PANEL.y + 8
    y = _contract(canvas, scene, y)
    y = _scores(canvas, scene, y)
    y = _auction(canvas, scene, y)
    y = _last_trick(canvas, scene, y)
    _log(canvas, scene, y)


def _heading(canvas: Canvas, text: str, y: float) -> float:
    canvas.text(text.upper(), PANEL.x + _PAD, y, 10.5, HEADING)
    canvas.fill(Rect(PANEL.x + _PAD, y + 14, PANEL.w - 2 * _PAD, 1), (52, 78, 68))
    return y + 19


def _contract(canvas: Canvas, scene: Scene, y: float) -> float:
    contract = scene.contract
    if contract is None:
        return y
    lines = canvas.wrap(contract.detail, 11.5, PANEL.w - 3 * _PAD, 2)
    line_h = canvas.line_height(11.5)
    box = Rect(PANEL.x + 6, y, PANEL.w - 12, 34 + line_h * len(lines))
    canvas.box(box, (52, 44, 20), radius=7, edge=GOLD, edge_w=1.5)
    x = box.x + _PAD
    if contract.suit:
        canvas.box(Rect(x - 3, y + 5, 26, 24), (250, 248, 238), radius=5)
        canvas.suit(contract.suit, x + 10, y + 17, 19)
        x += 31
    canvas.text(contract.label, x, y + 8, 16, WHITE, width=box.right - 8 - x)
    for i, line in enumerate(lines):
        canvas.text(line, box.x + _PAD, y + 30 + i * line_h, 11.5, TEXT)
    return box.bottom + 10


def _scores(canvas: Canvas, scene: Scene, y: float) -> float:
    if not scene.score_rows:
        return y
    y = _heading(canvas, "Score", y)
    inner = PANEL.w - 2 * _PAD
    size, head = 12.0, 10.0
    columns = range(len(scene.score_columns))
    while True:
        names = max(canvas.text_width(row.name, size) for row in scene.score_rows)
        values = [max(canvas.text_width(row.values[i], size) for row in scene.score_rows) for i in columns]
        if sum(values) + len(values) * (_GAP + 1) <= inner * 0.75 or size <= 9.5:
            break
        size -= 0.5  # smaller numbers before cut ones
    heads = [canvas.text_width(name, head) for name in scene.score_columns]
    while (
        head > 8.5
        and sum(max(h, v) + _GAP + 1 for h, v in zip(heads, values, strict=True)) > inner - names - 5
    ):
        head -= 0.5  # smaller headings before cut ones
        heads = [canvas.text_width(name, head) for name in scene.score_columns]
    widths = _column_widths(heads, values, names, inner)
    edges = [PANEL.right - _PAD - sum(widths[i + 1 :]) for i in range(len(widths))]
    for name, edge, width in zip(scene.score_columns, edges, widths, strict=True):
        canvas.text(name, edge, y, head, HEADING, align="right", width=width - _GAP)
    y += 15
    for row in scene.score_rows:
        color = GOLD if row.highlight else TEXT
        canvas.text(row.name, PANEL.x + _PAD, y, size, color, width=inner - sum(widths) - 4)
        for value, edge, width in zip(row.values, edges, widths, strict=True):
            canvas.text(value, edge, y, size, color, align="right", width=width - _GAP)
        y += _ROW
    return y + 8


def _column_widths(heads: list[float], values: list[float], names: float, inner: float) -> list[float]:
    """Widths of the value columns. If space is short, headings give way first, numbers last."""
    wanted = [max(h, v) + _GAP + 1 for h, v in zip(heads, values, strict=True)]
    needed = [v + _GAP + 1 for v in values]
    room = max(inner - min(names + 5, inner * 0.45), min(sum(needed), inner * 0.75))
    if sum(wanted) <= room:
        return wanted
    if sum(needed) > room:
        return [n * room / sum(needed) for n in needed]
    share = (room - sum(needed)) / (sum(wanted) - sum(needed))
    return [n + (w - n) * share for w, n in zip(wanted, needed, strict=True)]


def _auction(canvas: Canvas, scene: Scene, y: float) -> float:
    if not scene.auction:
        return y
    y = _heading(canvas, "Auction", y)
    name_w = 84.0
    for line in scene.auction:
        x = PANEL.x + _PAD
        canvas.text(scene.seats[line.seat].name, x, y, 12, TEXT, width=name_w - 6)
        calls = ", ".join(line.calls) if line.calls else "–"
        # The latest calls matter most, so a long line loses its beginning.
        room = PANEL.w - 2 * _PAD - name_w
        shown, cut = calls, 0
        while canvas.text_width(shown, 12) > room and cut < len(line.calls) - 1:
            cut += 1
            shown = "… " + ", ".join(line.calls[cut:])
        canvas.text(shown, x + name_w, y, 12, WHITE, width=room)
        y += _ROW
    return y + 8


def _last_trick(canvas: Canvas, scene: Scene, y: float) -> float:
    if not scene.last_trick:
        return y
    y = _heading(canvas, "Last trick", y)
    count = len(scene.last_trick)
    card_w, card_h = 30.0, 42.0
    cell = (PANEL.w - 2 * _PAD) / max(count, 4)
    _, offsets = fan_offsets(count, cell, PANEL.w - 2 * _PAD, cell)
    for played, dx in zip(scene.last_trick, offsets, strict=True):
        x = PANEL.x + _PAD + dx
        canvas.card(
            played.card,
            Rect(x + (cell - card_w) / 2, y, card_w, card_h),
            frame=GOLD if played.winning else None,
        )
        color = GOLD if played.winning else TEXT
        canvas.text(
            scene.seats[played.seat].name,
            x + cell / 2,
            y + card_h + 4,
            10.5,
            color,
            align="center",
            width=cell - 3,
        )
    y += card_h + 20
    for line in canvas.wrap(scene.last_trick_note, 11.5, PANEL.w - 2 * _PAD, 2):
        canvas.text(line, PANEL.x + _PAD, y, 11.5, TEXT)
        y += canvas.line_height(11.5)
    return y + 9


def _log(canvas: Canvas, scene: Scene, y: float) -> None:
    if not scene.events or y + 40 > PANEL.bottom:
        return
    y = _heading(canvas, "Log", y)
    line_h = canvas.line_height(11.5) + 2
    room = int((PANEL.bottom - 6 - y) // line_h)
    lines: list[tuple[str, bool]] = []  # text, whether it starts an event
    for event in reversed(scene.events):
        wrapped = canvas.wrap(event, 11.5, PANEL.w - 2 * _PAD - 9, 3)
        if len(lines) + len(wrapped) > room:
            break
        lines = [(line, i == 0) for i, line in enumerate(wrapped)] + lines
    for line, first in lines:
        if first:
            canvas.text("·", PANEL.x + _PAD, y, 11.5, HEADING)
        canvas.text(line, PANEL.x + _PAD + 9, y, 11.5, TEXT)
        y += line_h
