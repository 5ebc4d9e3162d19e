"""The story of a deal of Thousand in short sentences, for pictures, terminals and logs."""

from __future__ import annotations

from .tables import POINTS as CARD_POINTS
from .view import MARRIAGE_KINDS, TableView

#: What `last_events` say of a seat.
EVENT_TEXTS = {
    "bolt": "{} gets a bolt",
    "bolt_fine": "{} pays for three bolts",
    "write_off_fine": "{} pays for the third write-off",
    "truck": "{} is run over by the truck: 0",
    "attempt": "{} has used an attempt on the barrel",
    "fall": "{} falls off the barrel",
    "mount": "{} mounts the barrel: 880",
    "third_fall": "{} has fallen three times: 0",
    "win": "{} wins the match",
    "golden_reset": "{} is set back to 0: nobody made a golden contract",
}


def events(view: TableView) -> tuple[str, ...]:
    """What everybody at the table has seen, oldest first: the end of the last deal, then the present one."""
    past = [] if view.finished else _ending(view)
    now = _ending(view) if view.finished else []
    return (*past, *_opening(view), *_auction(view), *_plays(view), *now)


def _opening(view: TableView) -> list[str]:
    lines = [f"{view.names[view.dealer]} deals, {view.names[view.forehand]} is forehand"]
    if view.redeals:
        lines.append(f"the cards were thrown in {view.redeals} time{'s' if view.redeals > 1 else ''}")
    return lines


def _auction(view: TableView) -> list[str]:
    lines = [f"{view.names[seat]}: {call}" for seat, call in view.calls]
    if view.declarer >= 0:
        name = view.names[view.declarer]
        if view.shown:
            lines.append(f"{name} takes the talon: {' '.join(view.card_text(c) for c in view.talon)}")
        elif view.talon:
            lines.append(f"{name} takes the talon unseen")
        if view.contract:
            lines.append(f"{name} plays {view.contract}")
    return lines


def _plays(view: TableView) -> list[str]:
    """A line for each declaration and each complete trick, one for each card of the present trick."""
    lines: list[str] = []
    for number in range(view.tricks + 1):
        plays = view.trick_number(number)
        for play in plays:
            if play.declares:
                kind = 4 if play.card % 6 == 5 else play.card // 6
                value = view.marriage_value(kind)
                lines.append(
                    f"{view.names[play.seat]} declares {MARRIAGE_KINDS[kind]} with {view.card_text(play.card)}: {value}"
                )
        if number < view.tricks:
            best = plays[view.best_of(plays, number)]
            points = sum(CARD_POINTS[p.card % 6] for p in plays)
            cards = " ".join(view.card_text(p.card) for p in plays)
            lines.append(f"Trick {number + 1}: {cards}, {view.names[best.seat]} takes {points}")
        else:
            lines += [f"{view.names[p.seat]} plays {view.card_text(p.card)}" for p in plays]
    return lines


def _ending(view: TableView) -> list[str]:
    if view.last is None:
        return []
    last = view.last
    declarer: int = last["declarer"]
    name = view.names[declarer]
    if last["written_off"]:
        lines = [f"{name} writes {last['bid']} off"]
    else:
        lines = [f"{name} {'made' if last['made'] else 'missed'} {last['contract']}"]
    written = ", ".join(f"{n} {e:+d}" for n, e in zip(view.names, last["entries"], strict=True))
    lines.append(f"Written: {written}")
    for seat in range(view.players):
        lines += [EVENT_TEXTS[event].format(view.names[seat]) for event in view.happened(seat)]
    return lines
