"""Tournament results as tables for a terminal, as JSON and as CSV."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from .config import to_plain
from .provenance import provenance
from .stats import Estimate
from .tournament import Forfeit, StatisticResult, TournamentResult

#: Settings that say how a result was computed, not what was computed.
_HOW = ("workers",)
#: Parts of a result that another run of the same tournament does not repeat.
_MEASURED = ("milliseconds", "provenance")


def _plain(value: Estimate | None) -> dict[str, float] | None:
    if value is None:
        return None
    return {"mean": value.mean, "low": value.low, "high": value.high, "clusters": value.count}


def to_json(result: TournamentResult) -> dict[str, Any]:
    """The result as plain data. Nothing in it depends on the time but `_MEASURED`."""

    def each(values: dict[str, Estimate] | None) -> dict[str, Any] | None:
        return None if values is None else {name: _plain(value) for name, value in values.items()}

    return {
        "format": "bidtrick-tournament-2",
        "config": to_plain(result.config),
        "rules": result.rules,
        "deals": result.deals,
        "agents": result.agents,
        "standings": each(result.standings),
        "ratings": {name: dataclasses.asdict(value) for name, value in result.ratings.items()},
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "points_per_hand": _plain(pair.points),
                "without_duplicates": _plain(pair.single),
                "interval_ratio": pair.interval_ratio,
                "matches_won": _plain(pair.wins),
            }
            for pair in result.pairs
        ],
        "tables": [
            {
                "lineup": list(table.lineup),
                "seatings": table.plays,
                "points_per_hand": each(table.points),
                "matches_won": each(table.wins),
            }
            for table in result.tables
        ],
        "differences": [
            {
                "first": one.first,
                "second": one.second,
                "opponents": list(one.opponents),
                "points_per_hand": _plain(one.points),
            }
            for one in result.differences
        ],
        "statistics": [
            {"phase": one.phase, "name": one.name, "unit": one.unit, "agents": each(one.agents)}
            for one in result.statistics
        ],
        "forfeit": {"points": result.forfeit, "agents": [dataclasses.asdict(one) for one in result.failures]},
        "milliseconds": result.milliseconds,
        "provenance": provenance(),
    }


def write(path: str | Path, text: str) -> None:
    """Write a file, all or nothing, making its folder."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(target)


def write_json(result: TournamentResult, path: str | Path) -> None:
    """Write the result to a file (all or nothing)."""
    write(path, json.dumps(to_json(result), indent=1, ensure_ascii=False))


def rows(result: TournamentResult) -> Iterator[tuple[str, str, str, str, str, Estimate]]:
    """Every number with an interval: (table, agent, against, measure, unit, value)."""
    for name, value in result.standings.items():
        yield "standings", name, "", "points per hand", "points", value
    for pair in result.pairs:
        yield "pairs", pair.first, pair.second, "points per hand", "points", pair.points
        if pair.wins is not None:
            yield "pairs", pair.first, pair.second, "matches won", "share", pair.wins
    for table in result.tables:
        against = " | ".join(table.lineup)
        for name, value in table.points.items():
            yield "tables", name, against, "points per hand", "points", value
        for name, value in (table.wins or {}).items():
            yield "tables", name, against, "matches won", "share", value
    for one in result.differences:
        yield "differences", one.first, one.second, f"with {' | '.join(one.opponents)}", "points", one.points
    for one in result.statistics:
        for name, value in one.agents.items():
            yield one.phase, name, "", one.name, one.unit, value


def to_csv(result: TournamentResult) -> str:
    """Every number with its interval, a line each; ratings among them."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["table", "agent", "against", "measure", "unit", "mean", "low", "high", "deals"])
    for kind, agent, against, measure, unit, value in rows(result):
        table.writerow([kind, agent, against, measure, unit, value.mean, value.low, value.high, value.count])
    for name, one in result.ratings.items():
        table.writerow(["ratings", name, "", "rating", "points", one.rating, one.low, one.high, result.deals])
    for name, value in result.milliseconds.items():
        table.writerow(["time", name, "", "CPU time a decision", "ms", value, "", "", ""])
    for fail in result.failures:
        table.writerow(["failures", fail.agent, "", fail.kind, "count", fail.count, "", "", ""])
    return out.getvalue()


def deals_to_csv(result: TournamentResult) -> str:
    """Points of each agent on each deal of each pair and table, averaged over its seatings."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["contest", "deal", "agent", "points"])
    for pair in result.pairs:
        for deal, value in enumerate(pair.deals):
            table.writerow([f"{pair.first} | {pair.second}", deal, pair.first, value])
    for one in result.tables:
        for deal, values in enumerate(one.deals):
            for name, value in zip(one.points, values, strict=True):
                table.writerow([" | ".join(one.lineup), deal, name, value])
    return out.getvalue()


def verdict(value: Estimate) -> str:
    """What an interval says in words."""
    if value.low > 0:
        return "ahead"
    return "behind" if value.high < 0 else "not clear"


def interval(value: Estimate) -> str:
    return f"{value.mean:+.2f} ± {value.half_width:.2f}"


def share(value: Estimate) -> str:
    return f"{100 * value.mean:.0f}% ± {100 * value.half_width:.0f}"


def measured(value: Estimate | None, unit: str) -> str:
    """A statistic in its unit; — where there is none."""
    if value is None:
        return "—"
    if unit == "share":
        return share(value) if value.count > 1 else f"{100 * value.mean:.0f}%"
    return f"{value.mean:.1f} ± {value.half_width:.1f}" if value.count > 1 else f"{value.mean:.1f}"


def milliseconds(value: float) -> str:
    """A time per decision with two figures; — for none."""
    return "—" if value <= 0 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 1 else f"{value:.3g}"


def failure(one: Forfeit) -> str:
    """One agent's failures of a kind in a sentence."""
    plays = "play" if one.count == 1 else "plays"
    return (
        f"{one.agent} lost {one.count} {plays} ({one.kind}); first: {one.contest}, deal {one.deal}, seat {one.seat}: "
        f"{one.message}"
    )


def note(result: TournamentResult) -> str:
    """What the numbers are, in one paragraph."""
    config = result.config
    text = (
        f"{config.game}, rules {result.rules}: {result.deals} duplicate deals a pair, seed {config.seed}"
        + (f", {config.matches} duplicate matches" if config.matches else "")
        + ". ± is half a 95% interval, clustered by deal; ms: CPU time a decision with a choice"
    )
    if result.pairs:
        text += (
            "; width compares it with the interval that the same number of plays would give without duplicate deals"
        )
    if config.until is not None:
        reached = result.deals < config.deals
        text += f"; stopped {f'when ± was at most {config.until:g}' if reached else 'at the last deal'}"
    return text + "."


def _columns(table: Table, *names: str) -> Table:
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _standings(result: TournamentResult) -> Table:
    table = Table(title="Standings", title_justify="left")
    table.add_column("agent", overflow="fold")
    table.add_column("points per hand against the others", justify="right")
    _columns(table, "rating", "95%", "deals won", "ms")
    for name, value in result.standings.items():
        one = result.ratings[name]
        table.add_row(
            Text(name), interval(value), f"{one.rating:.0f}", f"{one.low:.0f} to {one.high:.0f}",
            f"{100 * one.wins:.0f}%", milliseconds(result.milliseconds.get(name, 0.0)),
        )  # fmt: skip
    return table


def _pairs(result: TournamentResult) -> Table:
    table = Table(title="Pairs", title_justify="left")
    table.add_column("agent", overflow="fold")
    table.add_column("against", overflow="fold")
    _columns(table, "points per hand")
    table.add_column("", no_wrap=True)
    _columns(table, "width")
    if result.config.matches:
        _columns(table, "matches won")
    for pair in result.pairs:
        row = [
            Text(pair.first), Text(pair.second), interval(pair.points), verdict(pair.points),
            f"{pair.interval_ratio:.2f}",
        ]  # fmt: skip
        if pair.wins is not None:
            row.append(share(pair.wins))
        table.add_row(*row)
    return table


def _tables(result: TournamentResult) -> Iterator[Table]:
    for one in result.tables:
        title = f"Table of {', '.join(one.lineup)}: {one.plays} seatings a deal"
        table = Table(title=Text(title), title_justify="left")
        table.add_column("agent", overflow="fold")
        _columns(table, "points per hand")
        if one.wins is not None:
            _columns(table, "matches won")
        for name, value in sorted(one.points.items(), key=lambda item: -item[1].mean):
            won = [share(one.wins[name])] if one.wins is not None else []
            table.add_row(Text(name), interval(value), *won)
        yield table


def _differences(result: TournamentResult) -> Table:
    table = Table(title="Differences at the same table, on the same deals", title_justify="left")
    for name in ("agent", "less", "opponents"):
        table.add_column(name, overflow="fold")
    _columns(table, "points per hand")
    table.add_column("", no_wrap=True)
    for one in result.differences:
        others = ", ".join(one.opponents)
        table.add_row(Text(one.first), Text(one.second), Text(others), interval(one.points), verdict(one.points))
    return table


def _statistics(found: list[StatisticResult], names: list[str]) -> Table:
    table = Table(title="Bidding and play", title_justify="left")
    table.add_column("phase")
    table.add_column("a hand", overflow="fold")
    for name in names:
        table.add_column(Text(name), justify="right", overflow="fold")
    phase = ""
    for one in found:
        shown, phase = ("" if one.phase == phase else one.phase), one.phase
        table.add_row(shown, Text(one.name), *(measured(one.agents.get(name), one.unit) for name in names))
    return table


def render(result: TournamentResult) -> Group:
    """Standings, pairs, tables and statistics for a terminal."""
    parts: list[RenderableType] = [_standings(result)]
    if result.pairs:
        parts.append(_pairs(result))
    parts += _tables(result)
    if result.differences:
        parts.append(_differences(result))
    if result.statistics:
        parts.append(_statistics(result.statistics, list(result.standings)))
    for one in result.failures:
        parts.append(Text(failure(one), style="red"))
    if result.failures:
        parts.append(Text(f"A play lost by failing counts as {result.forfeit:g} points lost.", style="red"))
    parts.append(Text(note(result), style="dim"))
    return Group(*parts)


def print_report(result: TournamentResult, console: Console | None = None) -> None:
    (console or Console()).print(render(result))


def same(one: TournamentResult, two: TournamentResult) -> bool:
    """Whether two results agree in every number (however many processes played)."""

    def numbers(result: TournamentResult) -> str:
        plain = {key: value for key, value in to_json(result).items() if key not in _MEASURED}
        plain["config"] = {key: value for key, value in plain["config"].items() if key not in _HOW}
        return json.dumps([plain, deals_to_csv(result), [record.to_json() for record in result.records]])

    return numbers(one) == numbers(two)


__all__ = [
    "deals_to_csv", "failure", "interval", "measured", "milliseconds", "note", "print_report", "render", "rows",
    "same", "share", "to_csv", "to_json", "verdict", "write", "write_json",
]  # fmt: skip
