"""Tournament results as tables and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from .config import to_plain
from .runs import provenance
from .stats import Estimate
from .tournament import TournamentResult


def to_json(result: TournamentResult) -> dict[str, Any]:
    """The result as plain data. Nothing in it depends on the time but `provenance`."""

    def plain(value: Estimate | None) -> dict[str, float] | None:
        if value is None:
            return None
        return {"mean": value.mean, "low": value.low, "high": value.high, "clusters": value.count}

    return {
        "format": "bidtrick-tournament-1",
        "config": to_plain(result.config),
        "rules": result.rules,
        "agents": result.agents,
        "standings": {name: plain(value) for name, value in result.standings.items()},
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "points_per_hand": plain(pair.points),
                "without_duplicates": plain(pair.single),
                "interval_ratio": pair.interval_ratio,
                "matches_won": plain(pair.wins),
            }
            for pair in result.pairs
        ],
        "provenance": provenance(),
    }


def write_json(result: TournamentResult, path: str | Path) -> None:
    """Write the result to a file (all or nothing)."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    part.write_text(json.dumps(to_json(result), indent=1, ensure_ascii=False), encoding="utf-8")
    part.replace(target)


def verdict(value: Estimate) -> str:
    """What an interval says in words."""
    if value.low > 0:
        return "ahead"
    return "behind" if value.high < 0 else "not clear"


def _interval(value: Estimate) -> str:
    return f"{value.mean:+.2f} ± {value.half_width:.2f}"


def render(result: TournamentResult) -> Group:
    """Standings and pairs as tables for a terminal."""
    config = result.config
    standings = Table(title="Standings", title_justify="left")
    standings.add_column("agent", overflow="fold")
    standings.add_column("points per hand against the others", justify="right")
    for name, value in result.standings.items():
        standings.add_row(Text(name), _interval(value))
    pairs = Table(title="Pairs", title_justify="left")
    pairs.add_column("agent", overflow="fold")
    pairs.add_column("against", overflow="fold")
    pairs.add_column("points per hand", justify="right", no_wrap=True)
    pairs.add_column("", no_wrap=True)
    pairs.add_column("width", justify="right", no_wrap=True)
    if config.matches:
        pairs.add_column("matches won", justify="right", no_wrap=True)
    for pair in result.pairs:
        row = [
            Text(pair.first), Text(pair.second), _interval(pair.points), verdict(pair.points),
            f"{pair.interval_ratio:.2f}",
        ]  # fmt: skip
        if pair.wins is not None:
            row.append(f"{100 * pair.wins.mean:.0f}% ± {100 * pair.wins.half_width:.0f}")
        pairs.add_row(*row)
    note = (
        f"{config.game}, rules {result.rules}: {config.deals} duplicate deals a pair, seed {config.seed}"
        + (f", {config.matches} duplicate matches" if config.matches else "")
        + ". ± is half a 95% interval, clustered by deal; width compares it with the interval that the same number of "
        "plays would give without duplicate deals."
    )
    return Group(standings, pairs, Text(note, style="dim"))


def print_report(result: TournamentResult, console: Console | None = None) -> None:
    (console or Console()).print(render(result))


def same(one: TournamentResult, two: TournamentResult) -> bool:
    """Whether two results agree in every number."""
    strip = [{k: v for k, v in to_json(r).items() if k != "provenance"} for r in (one, two)]
    return json.dumps(strip[0]) == json.dumps(strip[1])


__all__ = ["print_report", "render", "same", "to_json", "verdict", "write_json"]
