"""The shared renderer: what a picture must show, must not show, and where things lie."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from rendering_scenes import EXAMPLES, card, hand, pitch_five, schieber_trick

from bidtrick.envs.rendering import (
    DEALER,
    SUIT_STYLES,
    TO_ACT,
    CardFace,
    Contract,
    Pile,
    Scene,
    ScoreRow,
    SeatScene,
    TrickCard,
    render_ansi,
    render_rgb,
    sort_hand,
)
from bidtrick.envs.rendering.layout import seat_places, slot_of_seat

LONG = "Maximilian-Theodor von und zu Hohenlohe-Langenburg"


def plain_table(num_seats: int, **changes: object) -> Scene:
    """A table of `num_seats` players with nothing special."""
    seats = tuple(SeatScene(f"P{i}", face_down=5, tricks=0) for i in range(num_seats))
    return replace(Scene("Test", seats), **changes)  # type: ignore[arg-type]


def changed_box(a: Scene, b: Scene) -> tuple[float, float, float, float]:
    """Bounding box (x0, y0, x1, y1) of the pixels that differ between two scenes."""
    ys, xs = np.nonzero((render_rgb(a) != render_rgb(b)).any(axis=2))
    assert xs.size, "the pictures are equal"
    return float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())


def with_seat(scene: Scene, seat: int, **changes: object) -> Scene:
    seats = list(scene.seats)
    seats[seat] = replace(seats[seat], **changes)  # type: ignore[arg-type]
    return replace(scene, seats=tuple(seats))


# -- pictures


@pytest.mark.parametrize("name", EXAMPLES)
def test_picture_has_shape_dtype_and_is_deterministic(name: str) -> None:
    first, second = render_rgb(EXAMPLES[name]()), render_rgb(EXAMPLES[name]())
    assert first.shape == (640, 960, 3)
    assert first.dtype == np.uint8
    assert first.flags.c_contiguous
    assert np.array_equal(first, second)
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 200  # something is drawn


@pytest.mark.parametrize("size", [(480, 320), (1440, 960), (300, 900), (64, 48), (1, 1)])
def test_picture_has_the_size_asked_for(size: tuple[int, int]) -> None:
    assert render_rgb(schieber_trick(), size=size).shape == (size[1], size[0], 3)


def test_size_must_be_positive() -> None:
    with pytest.raises(ValueError, match="size"):
        render_rgb(schieber_trick(), size=(0, 10))


def test_pictures_survive_pygame_quit() -> None:
    import pygame

    before = render_rgb(schieber_trick())
    pygame.quit()
    assert np.array_equal(before, render_rgb(schieber_trick()))
    assert np.array_equal(
        before.shape, render_rgb(pitch_five()).shape
    )  # texts not seen before need a new font


@pytest.mark.parametrize("name", EXAMPLES)
def test_legal_cards_are_highlighted(name: str) -> None:
    scene = EXAMPLES[name]()
    own = scene.seats[scene.bottom_seat]
    none = tuple(replace(c, legal=False) for c in own.hand)
    one = (replace(none[0], legal=True), *none[1:])
    off, on = (with_seat(scene, scene.bottom_seat, hand=h) for h in (none, one))
    _, y0, _, y1 = changed_box(off, on)
    assert y0 > 500
    assert y1 < 616
    assert f"[{one[0].text}]" in render_ansi(on, color=False)
    assert f"[{one[0].text}]" not in render_ansi(off, color=False)


@pytest.mark.parametrize("bottom", [0, 1, 2, 3, 4])
def test_hidden_hands_change_nothing(bottom: int) -> None:
    """Whatever a hidden seat holds, only the number of its cards shows (at the bottom too)."""
    for first, second in (("sA hK c7", "d2 *HJ h10"), ("EA LU", "R6 S9")):
        pictures, texts = [], []
        for held in (first, second):
            seats = tuple(SeatScene(f"P{i}", hand=hand(held, held.split()[0])) for i in range(5))
            scene = Scene("Test", seats, bottom_seat=bottom, contract=Contract("x", "hearts"))
            pictures.append(render_rgb(scene))
            texts.append(render_ansi(scene))
        assert np.array_equal(pictures[0], pictures[1])
        assert texts[0] == texts[1]
    shown = with_seat(
        Scene("Test", tuple(SeatScene(f"P{i}", hand=hand("sA hK")) for i in range(5))), 2, show_hand=True
    )
    assert "♠A" in render_ansi(shown, color=False)


def test_hidden_and_unknown_cards_look_alike() -> None:
    known = Scene("Test", (SeatScene("A", hand=hand("sA hK")), SeatScene("B")))
    unknown = Scene("Test", (SeatScene("A", face_down=2), SeatScene("B")))
    assert np.array_equal(render_rgb(known), render_rgb(unknown))
    assert render_ansi(known) == render_ansi(unknown)


@pytest.mark.parametrize("suit", SUIT_STYLES)
def test_every_suit_has_its_own_shape(suit: str) -> None:
    def picture(key: str) -> np.ndarray:
        return render_rgb(plain_table(2, trick=(TrickCard(0, CardFace("9", key)),)))

    assert all(not np.array_equal(picture(suit), picture(other)) for other in SUIT_STYLES if other != suit)


def test_suit_symbols_in_texts_are_drawn_as_shapes() -> None:
    """The bundled font has no suit symbols: as glyphs they would all be the same empty box."""
    pictures = [render_rgb(plain_table(2, events=(f"x {s.symbol} y",))) for s in SUIT_STYLES.values()]
    assert all(not np.array_equal(pictures[0], other) for other in pictures[1:])


def test_winning_card_is_marked() -> None:
    scene = plain_table(4, trick=(TrickCard(0, card("sA")), TrickCard(1, card("s9"))))
    won = replace(scene, trick=(replace(scene.trick[0], winning=True), scene.trick[1]))
    x0, y0, x1, y1 = changed_box(scene, won)
    place = seat_places(scene)[0]
    assert x0 < place.trick_x < x1
    assert y0 < place.trick_y < y1
    assert "P0 ◄ wins" in render_ansi(won, color=False)
    assert "wins" not in render_ansi(scene, color=False)


# -- places


@pytest.mark.parametrize(
    ("num_seats", "clockwise"),
    [
        (2, ("bottom", "top")),
        (3, ("bottom", "left", "right")),
        (4, ("bottom", "left", "top", "right")),
        (5, ("bottom", "left", "top_left", "top_right", "right")),
    ],
)
@pytest.mark.parametrize("bottom", range(5))
def test_slots_follow_the_playing_order(num_seats: int, clockwise: tuple[str, ...], bottom: int) -> None:
    bottom %= num_seats
    order = [(bottom + k) % num_seats for k in range(num_seats)]
    assert tuple(slot_of_seat(s, num_seats, bottom, "clockwise") for s in order) == clockwise
    other_way = (clockwise[0], *reversed(clockwise[1:]))
    assert tuple(slot_of_seat(s, num_seats, bottom, "counterclockwise") for s in order) == other_way


@pytest.mark.parametrize("num_seats", [3, 4, 5])
def test_next_seat_is_left_clockwise_and_right_counterclockwise(num_seats: int) -> None:
    for direction, on_left in (("clockwise", True), ("counterclockwise", False)):
        for bottom in range(num_seats):
            scene = plain_table(num_seats, bottom_seat=bottom, direction=direction)
            following = (bottom + 1) % num_seats
            x0, _, x1, _ = changed_box(scene, with_seat(scene, following, bubble="hello"))
            assert (x1 < 356) if on_left else (x0 > 356)


@pytest.mark.parametrize("num_seats", [2, 3, 4, 5])
@pytest.mark.parametrize("direction", ["clockwise", "counterclockwise"])
def test_played_card_lies_before_its_player(num_seats: int, direction: str) -> None:
    scene = plain_table(num_seats, direction=direction)
    for seat, place in enumerate(seat_places(scene)):
        played = replace(scene, trick=(TrickCard(seat, card("hA")),))
        x0, y0, x1, y1 = changed_box(scene, played)
        assert x0 < place.trick_x < x1
        assert y0 < place.trick_y < y1
        if place.slot != "bottom":
            assert y0 < 320
            assert abs(place.trick_x - 358) <= abs(place.x + place.w / 2 - 358)


@pytest.mark.parametrize("num_seats", [2, 3, 4, 5])
def test_seats_and_trick_cards_do_not_overlap(num_seats: int) -> None:
    places = seat_places(plain_table(num_seats))
    for i, a in enumerate(places):
        for b in places[i + 1 :]:
            apart_x = abs(a.trick_x - b.trick_x) >= 58 + 4
            apart_y = abs(a.trick_y - b.trick_y) >= 82 + 20
            assert apart_x or apart_y
            assert a.x + a.w <= b.x or b.x + b.w <= a.x or abs(a.y - b.y) >= 75


def test_ansi_seats_stand_in_playing_order() -> None:
    for direction, left, right in (("clockwise", "P1", "P3"), ("counterclockwise", "P3", "P1")):
        scene = plain_table(4, direction=direction)
        lines = render_ansi(scene, color=False).splitlines()
        row = {
            name: next(i for i, line in enumerate(lines) if name in line) for name in ("P0", "P1", "P2", "P3")
        }
        assert row["P2"] < min(row["P1"], row["P3"])
        assert row["P0"] > max(row["P1"], row["P3"])
        assert lines[row[left]].index(left) < 30 < lines[row[right]].index(right)


# -- terminal


@pytest.mark.parametrize("name", EXAMPLES)
def test_ansi_shows_every_visible_fact(name: str) -> None:
    scene = EXAMPLES[name]()
    text = render_ansi(scene, color=False, width=120)
    cards = [c for s in scene.seats for c in s.shown_cards]
    cards += [t.card for t in (*scene.trick, *scene.last_trick)] + [c for p in scene.piles for c in p.cards]
    facts = (
        [c.text for c in cards] + [s.name for s in scene.seats] + [b for s in scene.seats for b in s.badges]
    )
    facts += [s.bubble for s in scene.seats] + [p.label for p in scene.piles] + list(scene.events)
    facts += [v for row in scene.score_rows for v in (row.name, *row.values)] + [
        scene.title,
        scene.phase,
        scene.prompt,
    ]
    facts += [scene.contract.label, scene.contract.detail] if scene.contract else []
    assert [fact for fact in facts if fact not in text] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_ansi_without_color_has_no_escape_codes(name: str) -> None:
    plain, colored = (render_ansi(EXAMPLES[name](), color=c) for c in (False, True))
    assert "\x1b" not in plain
    assert "\x1b[" in colored
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


@pytest.mark.parametrize("width", [60, 80, 100, 132])
@pytest.mark.parametrize("name", EXAMPLES)
def test_ansi_keeps_to_the_width(name: str, width: int) -> None:
    assert max(map(len, render_ansi(EXAMPLES[name](), color=False, width=width).splitlines())) <= width


def test_ansi_ignores_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    before = render_ansi(schieber_trick())
    for key, value in {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "40", "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(key, value)
    assert render_ansi(schieber_trick()) == before


def test_ansi_refuses_a_narrow_width() -> None:
    with pytest.raises(ValueError, match="width"):
        render_ansi(schieber_trick(), width=59)


def test_names_cannot_inject_control_codes_or_markup() -> None:
    scene = with_seat(plain_table(2), 1, name="[red]x\x1b[2J\0\ny")
    text = render_ansi(scene, color=False)
    assert "[red]x" in text
    assert "\x1b" not in text
    assert "\0" not in text
    assert render_rgb(scene).shape == (640, 960, 3)


# -- robustness


@pytest.mark.parametrize("num_seats", [2, 3, 4, 5])
@pytest.mark.parametrize("show", [False, True])
def test_long_texts_and_full_tables_are_drawn(num_seats: int, show: bool) -> None:
    cards = hand("sA sK sQ s10 h10 h9 d10 d2 c3 *HJ c10 c9 d8 d7")
    badges = (DEALER, TO_ACT, "a badge of unusual length", "another", "and one more", "and more")
    seats = tuple(
        SeatScene(LONG, LONG, cards, show, 2, badges, "words " * 30, 11, "note " * 9)
        for _ in range(num_seats)
    )
    trick = tuple(TrickCard(i, card("sA"), i == 0) for i in range(num_seats))
    scene = Scene(
        LONG * 3,
        seats,
        LONG * 3,
        prompt="prompt " * 60,
        phase="phase " * 20,
        contract=Contract(LONG, "spades", "detail " * 40),
        trick=trick,
        last_trick=trick,
        last_trick_note="note " * 50,
        piles=tuple(Pile(LONG, cards, 9, "note " * 9, center=True) for _ in range(6)),
        score_columns=("a long heading",) * 6,
        score_rows=tuple(ScoreRow(LONG, ("-123456",) * 6) for _ in range(num_seats)),
        events=("word " * 80,) * 50,
        footer="foot " * 90,
    )
    picture = render_rgb(scene)
    # Nothing runs over the edge of the sheet: the outermost columns keep the ground colour.
    assert (picture[40:, -4:] == picture[-1, -1]).all()
    assert (picture[40:, :1] == picture[-1, 0]).all()
    for width in (60, 80, 120):
        assert max(map(len, render_ansi(scene, color=False, width=width).splitlines())) <= width
    assert render_rgb(replace(scene, trick=())).shape == picture.shape


def test_sort_hand_puts_trump_first_and_high_cards_first() -> None:
    cards = hand("d9 sK hA s2 *LJ hQ")
    assert [c.text for c in sort_hand(cards)] == ["♠K", "♠2", "♥A", "♥Q", "♦9", "★LJ"]
    assert sort_hand(cards, "diamonds")[0].text == "♦9"


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: plain_table(1), "seats"),
        (lambda: plain_table(6), "seats"),
        (lambda: plain_table(3, bottom_seat=3), "bottom_seat"),
        (lambda: plain_table(3, direction="left"), "direction"),
        (lambda: plain_table(3, trick=(TrickCard(3, card("sA")),)), "trick"),
        (lambda: plain_table(3, score_columns=("a",), score_rows=(ScoreRow("x", ()),)), "score_rows"),
        (lambda: CardFace("A", "swords"), "suit"),
        (lambda: Contract("x", "swords"), "suit"),
    ],
)
def test_inconsistent_scenes_are_refused(make: object, field: str) -> None:
    with pytest.raises(ValueError, match=field):
        make()  # type: ignore[operator]
