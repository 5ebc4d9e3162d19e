"""Draws the players: name plates, hands, bubbles, and the cards they played to the trick."""

from __future__ import annotations

from .canvas import GOLD, INK, WHITE, Canvas
from .layout import HAND, TRICK_CARD, Rect, SeatPlace, fan_offsets
from .scene import Scene, SeatScene, sort_hand
from .style import BADGE_RGB, RGB, TO_ACT

PLATE: RGB = (24, 50, 40)
PLATE_OUT: RGB = (46, 54, 50)
MUTED: RGB = (176, 196, 184)
# Ring colour by team, so that partners are recognised without reading.
TEAM_RGB: tuple[RGB, ...] = ((92, 150, 224), (224, 134, 78), (150, 190, 90), (190, 120, 200), (200, 180, 90))
NO_TEAM: RGB = (112, 136, 124)


def seat_color(scene: Scene, seat: SeatScene) -> RGB:
    """The colour of a seat's team."""
    return TEAM_RGB[scene.team_names.index(seat.team) % len(TEAM_RGB)] if seat.team else NO_TEAM


def _info(seat: SeatScene) -> str:
    """Second line of a plate: team, tricks, note."""
    tricks = "" if seat.tricks is None else f"{seat.tricks} trick{'' if seat.tricks == 1 else 's'}"
    return " · ".join(part for part in (seat.team, tricks, seat.note) if part)


def _chips(canvas: Canvas, seat: SeatScene, x: float, y: float, width: float, max_rows: int) -> float:
    """Badges in rows of `width`; returns the height used."""
    if not seat.badges:
        return 0.0
    size, row_h = 11.0, canvas.line_height(11.0) + 6
    left, row = x, 0
    for i, badge in enumerate(seat.badges):
        chip_w = min(canvas.text_width(badge, size) + 10, width)
        if left > x and left + chip_w > x + width:
            if row == max_rows - 1:
                # What does not fit is counted, so that nobody believes to see all.
                canvas.text(
                    f"+{len(seat.badges) - i}", left, y + row * row_h + 2, size, MUTED, width=x + width - left
                )
                break
            left, row = x, row + 1
        fill = BADGE_RGB.get(badge, (70, 84, 78))
        ink = INK if badge == TO_ACT else WHITE
        left += canvas.chip(badge, left, y + row * row_h, size, fill, ink, width) + 4
    return (row + 1) * row_h


def _bubble(
    canvas: Canvas, text: str, x: float, y: float, width: float, *, center: bool, max_lines: int = 2
) -> None:
    """A speech bubble below (or beside) a plate."""
    lines = canvas.wrap(text, 13, width - 16, max_lines)
    line_h = canvas.line_height(13)
    used = max(canvas.text_width(line, 13) for line in lines) + 16
    left = x + (width - used) / 2 if center else x
    canvas.box(
        Rect(left, y, used, line_h * len(lines) + 7), (250, 244, 214), radius=8, edge=(150, 132, 70), edge_w=1
    )
    for i, line in enumerate(lines):
        canvas.text(line, left + used / 2, y + 3.5 + i * line_h, 13, INK, align="center", on_light=True)


def draw_opponent(canvas: Canvas, scene: Scene, seat: SeatScene, place: SeatPlace) -> None:
    """A seat that is not at the bottom: plate, badges, small cards, bubble, one below the other."""
    rows_h = canvas.line_height(11.0) + 6
    rows = 0
    if seat.badges:  # the plate is drawn before its chips, so its height is needed first
        left, rows = 0.0, 1
        for badge in seat.badges:
            chip_w = min(canvas.text_width(badge, 11) + 10, place.w - 16)
            if left > 0 and left + chip_w > place.w - 16:
                left, rows = 0.0, min(2, rows + 1)
            left += chip_w + 4
    plate_h = 41 + rows * rows_h
    plate = Rect(place.x, place.y, place.w, plate_h)
    _plate(canvas, scene, seat, plate)
    name_color = MUTED if seat.out else WHITE
    canvas.text(seat.name, place.x + 10, place.y + 5, 15, name_color, width=place.w - 18)
    canvas.text(_info(seat), place.x + 10, place.y + 23, 11.5, MUTED, width=place.w - 18)
    _chips(canvas, seat, place.x + 10, place.y + 41, place.w - 16, 2)
    y = plate.bottom + 5
    y += _small_hand(canvas, scene, seat, place, y)
    if seat.bubble:
        _bubble(canvas, seat.bubble, place.x, y, place.w, center=True)


def _plate(canvas: Canvas, scene: Scene, seat: SeatScene, rect: Rect) -> None:
    fill = PLATE_OUT if seat.out else PLATE
    edge = GOLD if seat.to_act else seat_color(scene, seat)
    canvas.box(rect, fill, radius=8, edge=edge, edge_w=3.0 if seat.to_act else 1.5, alpha=235)
    canvas.box(Rect(rect.x + 3.5, rect.y + 6, 3, rect.h - 12), seat_color(scene, seat), radius=1.5)


def _small_hand(canvas: Canvas, scene: Scene, seat: SeatScene, place: SeatPlace, y: float) -> float:
    """The cards of an opponent; returns the height used with the gap below."""
    faces = sort_hand(seat.shown_cards, scene.trump)
    total = len(faces) + seat.backs
    if total == 0:
        return 0.0
    card_w, card_h = (30.0, 42.0) if faces else (20.0, 28.0)
    used, offsets = fan_offsets(total, card_w, place.w - 26, card_w * 0.62)
    left = place.x + (place.w - 24 - used) / 2
    for i, dx in enumerate(offsets):
        rect = Rect(left + dx, y, card_w, card_h)
        if i < len(faces):
            canvas.card(faces[i], rect, frame=GOLD if faces[i].legal else None)
        else:
            canvas.card_back(rect)
    # Backs that overlap cannot be counted by eye.
    canvas.text(f"{total}", left + used + 6, y + (card_h - canvas.line_height(12)) / 2, 12, MUTED)
    return card_h + 6


def draw_own(canvas: Canvas, scene: Scene, seat: SeatScene, place: SeatPlace) -> None:
    """The seat at the bottom: a plate in one line and the hand below it."""
    rect = Rect(place.x, place.y, place.w, 30)
    _plate(canvas, scene, seat, rect)
    x = rect.x + 12
    name_color = MUTED if seat.out else WHITE
    x += canvas.text(seat.name, x, rect.y + 7, 15, name_color, width=180) + 10
    x += canvas.text(_info(seat), x, rect.y + 9, 12, MUTED, width=200) + 10
    chips_w = sum(min(canvas.text_width(b, 11) + 14, 120) for b in seat.badges)
    limit = rect.right - 10 - (110 if seat.bubble else 0)
    _chips(canvas, seat, x, rect.y + 7, max(40.0, min(chips_w + 4, limit - x)), 1)
    if seat.bubble:
        x = min(x + chips_w + 8, rect.right - 110)
        _bubble(canvas, seat.bubble, x, rect.y + 4, rect.right - 6 - x, center=False, max_lines=1)
    _own_hand(canvas, scene, seat)


def _own_hand(canvas: Canvas, scene: Scene, seat: SeatScene) -> None:
    faces = sort_hand(seat.shown_cards, scene.trump)
    total = len(faces) + seat.backs
    card_w, card_h = 60.0, 84.0
    used, offsets = fan_offsets(total, card_w, HAND.w, card_w + 6)
    left = HAND.x + (HAND.w - used) / 2
    # Dimming says "not now"; where nothing is legal it is simply another player's turn and all stay bright.
    choosing = any(face.legal for face in faces)
    for i, dx in enumerate(offsets):
        if i >= len(faces):
            canvas.card_back(Rect(left + dx, HAND.y + 8, card_w, card_h))
            continue
        lift = 8.0 if faces[i].legal else 0.0
        rect = Rect(left + dx, HAND.y + 8 - lift, card_w, card_h)
        canvas.card(
            faces[i], rect, frame=GOLD if faces[i].legal else None, dim=choosing and not faces[i].legal
        )


def draw_trick(canvas: Canvas, scene: Scene, places: tuple[SeatPlace, ...]) -> None:
    """The cards of the trick, each before its player; captions number them, a gold frame marks the winner."""
    card_w, card_h = TRICK_CARD
    caption_w = 84.0 if len(scene.seats) == 5 else 112.0
    for number, played in enumerate(scene.trick, start=1):
        place = places[played.seat]
        rect = Rect(place.trick_x - card_w / 2, place.trick_y - card_h / 2, card_w, card_h)
        if played.winning:
            canvas.box(Rect(rect.x - 6, rect.y - 6, card_w + 12, card_h + 12), GOLD, radius=10, alpha=90)
        canvas.card(played.card, rect, frame=GOLD if played.winning else None)
        color = GOLD if played.winning else WHITE
        mark = " wins" if played.winning else ""
        caption = canvas.fit(
            f"{number}. {scene.seats[played.seat].name}", 11.5, caption_w - canvas.text_width(mark, 11.5)
        )
        canvas.text(caption + mark, rect.cx, rect.bottom + 5, 11.5, color, align="center")
