"""A study of bids as a table for a terminal, as JSON and as a picture."""

from __future__ import annotations

import json
import math
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ...envs.core.errors import BidtrickError
from .. import svg
from ..provenance import provenance
from ..report import write
from ..report_html import STYLE
from .values import Mean, Reading, Study

#: Kinds of files that a plot may be.
PLOTS = (".svg", ".html", ".png")
#: A plot: its title, its rows and what its axis shows.
Panel = tuple[str, list[svg.Row], str]


def points(value: Mean) -> str:
    """ "+12.3 ± 1.2", without ± if there is no error."""
    return f"{value.mean:+.1f}" + ("" if math.isnan(value.error) else f" ± {value.error:.1f}")


def percent(value: Mean | None) -> str:
    """ "85% ± 2", "·" for None."""
    if value is None:
        return "·"
    return f"{100 * value.mean:.0f}%" + ("" if math.isnan(value.error) else f" ± {100 * value.error:.0f}")


def headline(study: Study) -> str:
    """The position in words."""
    position = study.position
    spec = position.spec
    calls = ", ".join(position.calls) or "nothing yet"
    return (
        f"{spec.title}, seat {position.seat} with {spec.deck.format_all(position.hand)}; "
        f"seat {position.dealer} dealt; called so far: {calls}"
    )


def note(study: Study) -> str:
    """How the numbers were made."""
    share = 100 * study.deals / study.position.drawn
    bidder = "" if study.bidder == study.play else f", {study.bidder} bids on"
    return (
        f"{study.deals} deals, the same for every bid (seed {study.seed}; {share:.3g}% of the deals with this hand "
        f"agree with the auction); {study.play} plays the cards{bidder}. Points: what the own side gains more than the "
        "others' mean, as the auction goes on, and if the bid becomes the contract since all others pass. Own: the "
        "contract is the own side's; made: it makes it. ± is one standard error."
    )


def render(study: Study) -> RenderableType:
    """The table."""
    says = any(bid.auction.declares is not None for bid in study.bids)
    contracts = any(bid.contract is not None and bid.contract != bid.auction for bid in study.bids)
    table = Table(box=SIMPLE_HEAD)
    table.add_column("bid")
    for name in study.agents:
        table.add_column(name, justify="right", overflow="fold")
    heads = ["auction goes on", "to the best", *(["own", "made"] if says else [])]
    if contracts:
        heads += ["as the contract", *(["made"] if says else [])]
    for head in heads:
        table.add_column(head, justify="right")
    for k, bid in enumerate(study.bids):
        reading, best = bid.auction, bid is study.best
        asked = (shares[k] for shares in study.agents.values())
        row = [bid.name, *(f"{100 * share:.0f}%" if share >= 0.005 else "·" for share in asked)]
        row += [points(reading.points), "best" if best else points(Mean(-bid.behind.mean, bid.behind.error))]
        own = "·" if reading.declares is None else f"{100 * reading.declares.mean:.0f}%"
        row += [own, percent(reading.made)] if says else []
        if contracts and bid.contract is None:
            row += ["·"] * (2 if says else 1)
        elif contracts and bid.contract is not None:
            row += [points(bid.contract.points), *([percent(bid.contract.made)] if says else [])]
        table.add_row(*row, style="bold" if best else "")
    return Group(Text(headline(study)), table, Text(note(study), style="dim"))


def print_study(study: Study, console: Console | None = None) -> None:
    (console or Console()).print(render(study))


def to_json(study: Study) -> dict[str, Any]:
    """The study as plain data; `error` is a standard error, null where there is none."""
    position = study.position
    spec = position.spec

    def mean(value: Mean | None) -> dict[str, float | None] | None:
        if value is None:
            return None
        return {"mean": value.mean, "error": None if math.isnan(value.error) else value.error}

    def reading(value: Reading | None) -> dict[str, Any] | None:
        if value is None:
            return None
        return {"points": mean(value.points), "own_contract": mean(value.declares), "made": mean(value.made)}

    return {
        "format": "bidtrick-bids-1",
        "game": spec.id,
        "rules": spec.rules.to_dict(),
        "seat": position.seat,
        "dealer": position.dealer,
        "hand": [spec.deck.format(card) for card in position.hand],
        "auction": list(position.calls),
        "deals": study.deals,
        "drawn": position.drawn,
        "seed": study.seed,
        "play": study.play,
        "bidder": study.bidder,
        "best": study.best.name,
        "bids": [
            {
                "action": bid.action,
                "name": bid.name,
                "probability": {name: shares[k] for name, shares in study.agents.items()},
                "auction_goes_on": reading(bid.auction),
                "becomes_the_contract": reading(bid.contract),
                "behind_the_best": mean(bid.behind),
            }
            for k, bid in enumerate(study.bids)
        ],
        "provenance": provenance(),
    }


def write_json(study: Study, path: str | Path) -> None:
    """Write the study as JSON, all or nothing."""
    write(path, json.dumps(to_json(study), indent=1, ensure_ascii=False))


def check_plot(path: Path) -> None:
    """Refuse a plot of a kind that is not known, or that needs what is not installed. Raises BidtrickError."""
    if path.suffix.lower() == ".png" and find_spec("matplotlib") is None:
        raise BidtrickError(f"plot={str(path)!r} needs matplotlib; install it with: pip install 'bidtrick[notebooks]'")
    if path.suffix.lower() not in PLOTS:
        raise BidtrickError(f"plot={str(path)!r} is not allowed; allowed: a file that ends in {' or '.join(PLOTS)}")


def _panels(study: Study) -> list[Panel]:
    """Values, and chances to make the contract, as plots: (title, rows of name, mean, low, high, axis)."""

    def rows(values: list[tuple[str, Mean | None]], scale: float) -> list[svg.Row]:
        return [
            (name, scale * one.mean, scale * (one.mean - error), scale * (one.mean + error))
            for name, one in values
            if one is not None
            for error in [0.0 if math.isnan(one.error) else one.error]
        ]

    goes_on = rows([(bid.name, bid.auction.points) for bid in study.bids], 1)
    found = [("As the auction goes on", goes_on, "points as the auction goes on, ± standard error")]
    wins = [bid for bid in study.bids if bid.contract is not None]
    if any(bid.contract != bid.auction for bid in wins):
        values = rows([(bid.name, bid.contract.points) for bid in wins if bid.contract], 1)
        found.append(("As the contract", values, "points if it becomes the contract, ± standard error"))
    made = rows([(bid.name, bid.contract.made) for bid in wins if bid.contract], 100)
    if made:
        found.append(("Contracts made", made, "% of own contracts made, if it becomes the contract"))
    return found


def _pictures(study: Study) -> list[str]:
    return [svg.intervals(title, rows, axis) for title, rows, axis in _panels(study)]


def to_html(study: Study) -> str:
    """The drawings as a page that needs nothing else."""
    figures = "".join(f"<figure>{picture}</figure>" for picture in _pictures(study))
    body = f"<h1>{escape(study.position.spec.title)}</h1><p>{escape(headline(study))}</p>{figures}"
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(study.position.spec.title)}: bids</title><style>{STYLE}</style></head><body>"
        f'{body}<p class="soft">{escape(note(study))}</p></body></html>\n'
    )


def write_plot(study: Study, path: str | Path) -> None:
    """Draw the study to a file: `.svg` or `.png` (the plots below each other) or `.html` (a page).

    Raises: BidtrickError for another kind, or for a .png without the extra "notebooks".
    """
    target = Path(path)
    check_plot(target)
    kind = target.suffix.lower()
    if kind == ".png":
        from .picture import write_png  # rare, and needs an extra

        write_png(target, headline(study), _panels(study))
    else:
        write(target, svg.document(_pictures(study)) if kind == ".svg" else to_html(study))
