"""The table as text for a terminal.

Laid out by rich into a string. The result depends on the scene and the arguments only: size, colours and
environment variables of the real terminal are ignored, so the same scene gives the same bytes everywhere.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ._deps import require
from .layout import Slot, slot_of_seat
from .scene import CardFace, Pile, Scene, SeatScene, sort_hand
from .style import BADGE_RICH, SUIT_OF_SYMBOL, SUIT_STYLES, YOU, clean_text, split_symbols

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

MIN_WIDTH = 60
_MAX_EVENTS = 10
_NAME = 24  # longest name in lists
_BACK = "▒"


def render_ansi(scene: Scene, *, color: bool = True, width: int = 80) -> str:
    """Draw a scene as text of at most `width` columns; with `color` false it contains no escape codes.

    Raises:
        MissingRenderDependencyError: rich is not installed.
        ValueError: `width` is less than 60.
    """
    if width < MIN_WIDTH:
        raise ValueError(f"width: {width}, at least {MIN_WIDTH} columns are needed")
    out = io.StringIO()
    console = require("rich.console").Console(
        file=out,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        force_jupyter=False,
        highlight=False,
        markup=False,
        emoji=False,
        _environ={},  # NO_COLOR, COLUMNS, TERM of the caller must not change the picture
    )
    for part in _parts(scene, width):
        console.print(part)
    # Padding at line ends is invisible and only makes diffs and golden files noisy.
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _parts(scene: Scene, width: int) -> list[Any]:
    """The picture from top to bottom, as rich renderables."""
    parts: list[Any] = [_title(scene)]
    head = _headline(scene)
    if head:
        parts.append(head)
    parts += [_table(scene, width), _own_hand(scene)]
    if scene.piles:
        parts.append(_piles(scene.piles))
    if scene.last_trick:
        parts.append(_last_trick(scene))
    parts += _side_by_side([sheet for sheet in (_score_sheet(scene), _auction(scene)) if sheet], width)
    if scene.events:
        log = _styled("Log", "bold underline")
        for event in scene.events[-_MAX_EVENTS:]:
            log.append("\n  · ").append_text(_rich(event))
        parts.append(log)
    if scene.prompt:
        parts.append(_rich("» ", "bold").append_text(_rich(scene.prompt, "bold")))
    if scene.footer:
        parts.append(_rich(scene.footer, "dim"))
    return parts


# -- pieces of text


def _rich(text: str, style: str = "") -> Text:
    """Text in which every suit symbol has the colour of its suit."""
    result = require("rich.text").Text(style=style)
    for run in split_symbols(clean_text(text)):
        suit = SUIT_OF_SYMBOL.get(run)
        result.append(run, suit.rich if suit else None)
    return result


def _styled(text: str, style: str) -> Text:
    """A heading: only the words are styled, not what is appended later."""
    return require("rich.text").Text().append(clean_text(text), style)


def _card(card: CardFace) -> Text:
    """Symbol and rank in the suit's colour; legal cards in brackets, which also show without colour."""
    text = require("rich.text").Text()
    style = SUIT_STYLES[card.suit].rich
    face = clean_text(card.text)
    return text.append(f"[{face}]", style + " reverse") if card.legal else text.append(face, style)


def _cards(cards: tuple[CardFace, ...]) -> Text:
    return require("rich.text").Text(" ").join(_card(card) for card in cards)


# -- sections


def _title(scene: Scene) -> Any:
    title = _styled(scene.title, "bold")
    if scene.subtitle:
        title.append(" · ").append_text(_rich(scene.subtitle))
    return require("rich.rule").Rule(title, characters="═", style="green", align="left")


def _headline(scene: Scene) -> Text | None:
    """Phase, contract and direction of play."""
    lines: list[Text] = []
    if scene.contract:
        line = _styled("Contract: ", "bold")
        if scene.contract.suit:
            suit = SUIT_STYLES[scene.contract.suit]
            line.append(f"{suit.symbol} ", suit.rich)
        line.append_text(_rich(scene.contract.label, "bold"))
        if scene.contract.detail:
            line.append(" · ").append_text(_rich(scene.contract.detail))
        lines.append(line)
    side = "left" if scene.direction == "clockwise" else "right"
    line = _styled("Now: ", "bold").append_text(_rich(scene.phase)) if scene.phase else _rich("")
    line.append(
        f"{' · ' if scene.phase else ''}play runs {scene.direction}, the next seat sits on the {side}", "dim"
    )
    lines.append(line)
    return require("rich.text").Text("\n").join(lines)


def _seat(scene: Scene, seat: SeatScene, width: int) -> Text:
    """One player: name and team, badges, cards, what he said."""
    arrow = "► " if seat.to_act else ""
    text = _styled(arrow + _cut(seat.name, width - len(arrow)), "bold reverse" if seat.to_act else "bold")
    tricks = "" if seat.tricks is None else f"{seat.tricks} trick{'' if seat.tricks == 1 else 's'}"
    info = " · ".join(part for part in (seat.team, tricks, seat.note) if part)
    if info:
        text.append("\n").append_text(_rich(info))
    if seat.badges:
        text.append("\n")
        for i, badge in enumerate(seat.badges):
            text.append(" " if i else "").append(f"<{clean_text(badge)}>", BADGE_RICH.get(badge, "dim"))
    shown = sort_hand(seat.shown_cards, scene.trump)
    if scene.seats[scene.bottom_seat] is not seat:
        if shown:
            text.append("\n").append_text(_cards(shown))
        if seat.backs:
            text.append("\n").append(f"{_BACK * seat.backs} {seat.backs} cards", "dim")
        elif not seat.hand_size:
            text.append("\nno cards", "dim")
    if seat.bubble:
        text.append("\n“").append_text(_rich(seat.bubble, "italic")).append("”")
    return text


def _cut(text: str, width: int) -> str:
    """At most `width` characters, with an ellipsis if something is missing."""
    text = clean_text(text)
    return text if len(text) <= width else text[: max(1, width - 1)] + "…"


def _trick(scene: Scene, width: int) -> Text:
    """The middle of the table: who played what, in order, and who is winning."""
    centre = [] if scene.trick else [pile for pile in scene.piles if pile.center]
    if not scene.trick:
        text = _rich("no card on the table" if not centre else "")
        for i, pile in enumerate(centre):
            text.append("\n" if i else "").append_text(_pile(pile))
        return text
    text = (
        require("rich.text")
        .Text("\n")
        .join(
            _played(scene, played.seat, played.card, played.winning, number, width - 7)
            for number, played in enumerate(scene.trick, start=1)
        )
    )
    return text


def _played(scene: Scene, seat: int, card: CardFace, winning: bool, number: int, name_w: int) -> Text:
    text = _rich(f"{number} ").append_text(_card(card)).append(" " * max(1, 5 - len(card.text)))
    mark = " ◄ wins" if winning else ""
    text.append(_cut(scene.seats[seat].name, name_w - len(mark)), "bold" if winning else "")
    return text.append(mark, "bold yellow")


def _table(scene: Scene, width: int) -> Any:
    """Seats around the trick: top row, middle row with the side seats, bottom row."""
    rich_table, align = require("rich.table"), require("rich.align").Align
    n = len(scene.seats)
    slots: dict[Slot, SeatScene] = {
        slot_of_seat(i, n, scene.bottom_seat, scene.direction): seat for i, seat in enumerate(scene.seats)
    }
    inner = width - 4
    side_w = max(17, inner * 3 // 10)
    trick_w = inner - 2 * side_w - 4  # a blank on both sides of each border between columns

    def seat(slot: Slot, room: int) -> Any:
        return _seat(scene, slots[slot], room) if slot in slots else ""

    rows: list[Any] = []
    if "top" in slots:
        rows.append(align.center(seat("top", inner)))
    elif "top_left" in slots:
        top = rich_table.Table.grid(expand=True, padding=(0, 1))
        top.add_column(ratio=1, justify="center")
        top.add_column(ratio=1, justify="center")
        top.add_row(seat("top_left", inner // 2 - 1), seat("top_right", inner // 2 - 1))
        rows.append(top)
    middle = rich_table.Table.grid(expand=True, padding=(0, 1))
    for column_w in (side_w, trick_w, side_w):
        middle.add_column(width=column_w, vertical="middle")
    box = require("rich.panel").Panel(
        _trick(scene, trick_w - 4), title="trick", box=require("rich.box").ROUNDED, border_style="green"
    )
    middle.add_row(seat("left", side_w), box, seat("right", side_w))
    rows += [middle, align.center(seat("bottom", inner))]
    return require("rich.panel").Panel(
        require("rich.console").Group(*rows),
        box=require("rich.box").SQUARE,
        border_style="green",
        width=width,
    )


def _own_hand(scene: Scene) -> Text:
    """The hand of the bottom seat, a line a suit; the names are the legend of the symbols."""
    seat = scene.seats[scene.bottom_seat]
    shown = sort_hand(seat.shown_cards, scene.trump)
    whose = "Your hand" if YOU in seat.badges else f"Hand of {seat.name}"
    text = _styled(f"{whose} ({seat.hand_size})", "bold underline")
    if any(card.legal for card in shown):
        text.append("  [ ] = legal now", "dim")
    for suit in dict.fromkeys(card.suit for card in shown):
        style = SUIT_STYLES[suit]
        text.append("\n  ").append(f"{style.symbol} {style.name:<9}", style.rich)
        text.append("trump  " if suit == scene.trump else "       ", "dim")
        text.append_text(_cards(tuple(card for card in shown if card.suit == suit)))
    if seat.backs:
        text.append(f"\n  {_BACK * seat.backs} {seat.backs} face down", "dim")
    return text


def _pile(pile: Pile) -> Text:
    text = _styled(f"{pile.label}: ", "bold").append_text(_cards(pile.cards))
    if pile.face_down:
        text.append(" " if pile.cards else "").append(
            f"{_BACK * min(pile.face_down, 12)} {pile.face_down} face down", "dim"
        )
    if pile.note:
        text.append(" · ").append_text(_rich(pile.note))
    return text


def _piles(piles: tuple[Pile, ...]) -> Text:
    text = _styled("On the table", "bold underline")
    for pile in piles:
        text.append("\n  ").append_text(_pile(pile))
    return text


def _last_trick(scene: Scene) -> Text:
    text = _styled("Last trick", "bold underline").append("  ")
    for i, played in enumerate(scene.last_trick):
        text.append(", " if i else "").append_text(_card(played.card)).append(" ")
        name = _cut(scene.seats[played.seat].name, _NAME)
        text.append(name + (" (won)" if played.winning else ""), "bold" if played.winning else "")
    if scene.last_trick_note:
        text.append(" · ").append_text(_rich(scene.last_trick_note))
    return text


def _sheet(title: str, columns: tuple[str, ...]) -> Table:
    """An empty sheet; its title heads the column of names."""
    table = require("rich.table").Table(box=require("rich.box").SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column(_styled(title, "bold underline"), max_width=_NAME)
    for column in columns:
        table.add_column(_rich(column), justify="right", no_wrap=True)
    return table


def _side_by_side(sheets: list[Table], width: int) -> list[Any]:
    """One row of sheets if they fit without squeezing, else one below the other."""
    measure = require("rich.measure").Measurement.get
    console = require("rich.console").Console(width=1000, _environ={}, file=io.StringIO())
    if sum(measure(console, console.options, sheet).maximum + 4 for sheet in sheets) > width:
        return list(sheets)
    row = require("rich.table").Table.grid(padding=(0, 4, 0, 0))
    row.add_row(*sheets)
    return [row] if sheets else []


def _score_sheet(scene: Scene) -> Table | None:
    if not scene.score_rows:
        return None
    table = _sheet("Score", scene.score_columns)
    for row in scene.score_rows:
        cells = [_rich(_cut(row.name, _NAME)), *(_rich(value) for value in row.values)]
        table.add_row(*cells, style="bold" if row.highlight else None)
    return table


def _auction(scene: Scene) -> Table | None:
    if not scene.auction:
        return None
    table = _sheet("Auction", ("calls",))
    table.columns[1].justify = "left"
    table.columns[1].no_wrap = False
    for line in scene.auction:
        table.add_row(_rich(_cut(scene.seats[line.seat].name, _NAME)), _rich(", ".join(line.calls) or "–"))
    return table
