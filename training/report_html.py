"""A tournament as one HTML page that needs nothing else: no network, no scripts, light and dark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import yaml

from . import report, svg
from .stats import Estimate
from .tournament import TournamentResult

STYLE = svg.COLOURS + svg.MARKS + """
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 60rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); font-size: .9rem; }
figure, .scroll { margin: .6rem 0; padding: .8rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; width: 100%; }
th, td { padding: .35rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td.name, th.name { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 8.5rem; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; white-space: normal; }
tbody tr:last-child > * { border-bottom: 0; }
td.up { background: var(--upwash); } td.down { background: var(--downwash); } td.even { background: var(--evenwash); }
td small { display: block; color: var(--soft); }
td.bar { width: 7rem; } .track { background: var(--evenwash); height: .55rem; border-radius: 3px; }
.fill { background: var(--even); height: 100%; border-radius: 3px; }
svg { width: 100%; height: auto; display: block; }
.failed { border-left: 4px solid var(--down); padding: .2rem .8rem; margin: .4rem 0; overflow-wrap: anywhere; }
pre { overflow-x: auto; font-size: .85rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .8rem; } summary { cursor: pointer; }
@media print { body { max-width: none; } }
"""

#: Pairs and agents whose course is drawn.
_COURSES = 6


def _table(head: Sequence[str], body: Sequence[Sequence[str]], names: int = 1) -> str:
    """A table of cells that are HTML: `<td …>` as they are, others as text; the first `names` columns are names."""

    def cell(text: str, column: int) -> str:
        if text.startswith("<t"):
            return text
        return f'<td class="name">{text}</td>' if column < names else f"<td>{text}</td>"

    top = "".join(f'<th class="{"name" if k < names else ""}" scope="col">{text}</th>' for k, text in enumerate(head))
    lines = "".join(f"<tr>{''.join(cell(text, k) for k, text in enumerate(row))}</tr>" for row in body)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _colour(value: Estimate) -> str:
    return {"ahead": "up", "behind": "down"}.get(report.verdict(value), "even")


def _standings(result: TournamentResult) -> str:
    order = list(result.standings)
    body = [
        [
            escape(name), report.interval(result.standings[name]), f"{result.ratings[name].rating:.0f}",
            f"{result.ratings[name].low:.0f} to {result.ratings[name].high:.0f}",
            f"{100 * result.ratings[name].wins:.0f}%", report.milliseconds(result.milliseconds.get(name, 0.0)),
        ]
        for name in order
    ]  # fmt: skip
    points = [(name, v.mean, v.low, v.high) for name, v in result.standings.items()]
    ratings = [(name, v.rating, v.low, v.high) for name, v in result.ratings.items()]
    return (
        "<h2>Standings</h2>"
        + _table(("agent", "points per hand against the others", "rating", "95%", "deals won", "ms a decision"), body)
        + f"<figure>{svg.intervals('Points per hand', points, 'points per hand against the others')}</figure>"
        + f"<figure>{svg.intervals('Ratings', ratings, 'rating (mean 1500)', zero=False)}</figure>"
        + '<p class="soft">Ratings are Bradley–Terry strengths of deals won, 400 points for odds of 10 : 1, with '
        "bootstrap intervals over deals. A deal is won by who has more points on it over all its seatings.</p>"
    )


def _times(result: TournamentResult) -> str:
    times = result.milliseconds
    rows = [(name, times.get(name, 0.0), v.mean, v.low, v.high) for name, v in result.standings.items()]
    rows = [row for row in rows if row[1] > 0]
    if len(rows) < 2:
        return ""
    plot = svg.scatter("Strength against time", rows, "CPU milliseconds a decision", "points per hand")
    return (
        f"<h2>Strength against time</h2><figure>{plot}</figure>"
        '<p class="soft">Points per hand against the others, and CPU time for a decision with a choice, on the machine '
        "that played.</p>"
    )


def _cross(result: TournamentResult) -> str:
    if not result.pairs:
        return ""
    names = list(result.standings)
    found: dict[tuple[str, str], str] = {}
    for pair in result.pairs:
        there = pair.points
        back = Estimate(-there.mean, there.half_width, there.count)
        for names_, value, sign in (((pair.first, pair.second), there, 1), ((pair.second, pair.first), back, -1)):
            won = ""
            if pair.wins is not None:
                mean = pair.wins.mean if sign == 1 else 1 - pair.wins.mean
                won = f"<small>{100 * mean:.0f}% ± {100 * pair.wins.half_width:.0f} of matches</small>"
            found[names_] = f'<td class="{_colour(value)}">{report.interval(value)}{won}</td>'
    body = [[escape(one), *(found.get((one, other), "<td>·</td>") for other in names)] for one in names]
    widths = [
        [
            escape(pair.first), escape(pair.second), f"± {pair.points.half_width:.2f}",
            f"± {pair.single.half_width:.2f}", f"{pair.interval_ratio:.2f}",
        ]
        for pair in result.pairs
    ]  # fmt: skip
    return (
        "<h2>Cross table</h2>"
        + '<p class="soft">Points per hand that the agent of the row wins more than the agent of the column: green '
        "ahead, red behind, grey not clear.</p>"
        + _table(["", *(escape(name) for name in names)], body)
        + "<h2>What duplicate deals save</h2>"
        + _table(("agent", "against", "duplicate", "as unrelated deals", "ratio"), widths, names=2)
    )


def _tables(result: TournamentResult) -> str:
    text = ""
    for one in result.tables:
        points = sorted(one.points.items(), key=lambda item: -item[1].mean)
        rows = [(name, value.mean, value.low, value.high) for name, value in points]
        title = f"Table of {', '.join(one.lineup)}"
        body = [
            [escape(name), report.interval(value), *([report.share(one.wins[name])] if one.wins is not None else [])]
            for name, value in points
        ]
        head = ["agent", "points per hand", *(["matches won"] if one.wins is not None else [])]
        text += (
            f"<h3>{escape(title)}</h3>" + _table(head, body)
            + f"<figure>{svg.intervals(title, rows, 'points per hand more than the others at the table')}</figure>"
            + f'<p class="soft">{one.plays} seatings of each deal.</p>'
        )  # fmt: skip
    if result.differences:
        body = [
            [
                escape(one.first), escape(one.second), escape(", ".join(one.opponents)),
                f'<td class="{_colour(one.points)}">{report.interval(one.points)}</td>',
            ]
            for one in result.differences
        ]  # fmt: skip
        text += (
            "<h3>Differences at the same table</h3>"
            + _table(("agent", "less", "opponents", "points per hand"), body, names=3)
            + '<p class="soft">Both played the same deals with the same opponents.</p>'
        )
    return f"<h2>Tables</h2>{text}" if text else ""


def _statistics(result: TournamentResult) -> str:
    if not result.statistics:
        return ""
    names = list(result.standings)
    phases = list(dict.fromkeys(one.phase for one in result.statistics))
    text = "<h2>Bidding and play</h2>"
    for phase in phases:
        body: list[list[str]] = []
        for one in result.statistics:
            if one.phase != phase:
                continue
            cells: list[str] = []
            for name in names:
                value = one.agents.get(name)
                shown = escape(report.measured(value, one.unit))
                if value is not None and one.unit == "share":
                    width = 100 * min(max(value.mean, 0), 1)
                    shown += f'<div class="track"><div class="fill" style="width:{width:.0f}%"></div></div>'
                cells.append(f'<td class="bar">{shown}</td>')
            body.append([escape(one.name), *cells])
        text += f"<h3>{escape(phase.capitalize())}</h3>" + _table(["", *(escape(name) for name in names)], body)
    return text + '<p class="soft">Means over the hands in which it could be so, with 95% intervals by deal.</p>'


def _courses(result: TournamentResult) -> str:
    drawn = [(f"{p.first} against {p.second}", p.deals) for p in result.pairs]
    for table in result.tables:
        drawn += [(f"{name} at {', '.join(table.lineup)}", table.deals[:, k]) for k, name in enumerate(table.points)]
    text = "".join(
        f"<h3>{escape(title)}</h3><figure>{svg.course(title, deals, 'deals')}</figure>"
        for title, deals in drawn[:_COURSES]
        if len(deals) > 2
    )
    return f"<h2>How the means settled</h2>{text}" if text else ""


def _failures(result: TournamentResult) -> str:
    if not result.failures:
        return ""
    lines = "".join(f'<p class="failed">{escape(report.failure(one))}</p>' for one in result.failures)
    rule = (
        "An agent that raises an error, answers with no legal action or takes too long loses the play (a deal in one "
        f"seating) there and then: it counts as {result.forfeit:g} points lost, a match as lost, and is left out of "
        "the statistics of bidding and play."
    )
    return f"<h2>Agents that failed</h2>{lines}<p class='soft'>{rule}</p>"


def to_html(result: TournamentResult) -> str:
    """The page."""
    plain: dict[str, Any] = report.to_json(result)
    title = f"{result.config.game.capitalize()}: {len(result.standings)} agents"
    settings = yaml.safe_dump(plain["config"], sort_keys=False, allow_unicode=True)
    facts = yaml.safe_dump(
        json.loads(json.dumps({"agents": plain["agents"], "made": plain["provenance"]}, default=str)),
        sort_keys=False, allow_unicode=True,
    )  # fmt: skip
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1><p>{escape(report.note(result))}</p>"
        + _failures(result) + _standings(result) + _times(result) + _cross(result) + _tables(result)
        + _statistics(result) + _courses(result)
        + f"<h2>How it was made</h2><details><summary>Settings</summary><pre>{escape(settings)}</pre></details>"
        + f"<details><summary>Agents and versions</summary><pre>{escape(facts)}</pre></details></body></html>\n"
    )  # fmt: skip


def write_report(result: TournamentResult, path: str | Path) -> list[Path]:
    """Write the page, and beside it the numbers: NAME.json, NAME.csv and, deal by deal, NAME-deals.csv."""
    page = Path(path)
    files = [page, page.with_suffix(".json"), page.with_suffix(".csv"), page.with_name(f"{page.stem}-deals.csv")]
    report.write(files[0], to_html(result))
    report.write_json(result, files[1])
    report.write(files[2], report.to_csv(result))
    report.write(files[3], report.deals_to_csv(result))
    return files
