"""Reports of tournaments: the page stands alone, and page, JSON, CSV and terminal say the same."""

import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

from bidtrick.training import report, report_html, svg
from bidtrick.training.stats import Estimate
from bidtrick.training.tournament import TournamentConfig, run

FIRST, CHEAT = "tournament_agents:First", "tournament_agents:Cheat"
VOID = {"meta", "line", "circle", "polygon", "polyline"}


@pytest.fixture(scope="module")
def result():
    return run(
        TournamentConfig(
            agents=("random", FIRST, CHEAT), game="thousand", format="both", deals=30, matches=2, match_hands=2,
            bootstrap=20, seed=4,
        )
    )  # fmt: skip


class Page(HTMLParser):
    """Checks that elements are closed in order; collects names and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.words = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_needs_nothing_else(result):
    text = report_html.to_html(result)
    page = Page(text)
    tags = {tag for tag, _ in page.seen}
    assert not tags & {"script", "img", "link", "iframe", "object", "base", "a"}
    assert not any({"src", "href", "srcset", "background"} & set(attrs) for _, attrs in page.seen)
    assert not re.search(r"https?:|url\(|@import", text)
    assert "prefers-color-scheme: dark" in text
    light, dark = (set(re.findall(r"(--[a-z]+):", part)) for part in text.split("prefers-color-scheme: dark")[:2])
    assert light == dark, "every colour has a dark one"
    assert set(re.findall(r"var\((--[a-z]+)\)", text)) <= light


def test_the_page_says_what_was_found(result):
    text = "".join(Page(report_html.to_html(result)).words)
    for part in ("Standings", "Cross table", "Tables", "Bidding and play", "How the means settled", "that failed"):
        assert part in text
    for pair in result.pairs:
        assert report.interval(pair.points) in text
    for one in result.statistics:
        assert one.name in text
        for value in one.agents.values():
            assert report.measured(value, one.unit) in text
    assert f"{CHEAT} lost" in text
    assert "500 points lost" in text


def test_names_are_text_on_the_page(result):
    odd = "checkpoint:<script>alert(1)</script>&"

    def renamed(found):
        return {odd if name == FIRST else name: value for name, value in found.items()}

    other = replace(
        result, standings=renamed(result.standings), ratings=renamed(result.ratings), tables=[],
        pairs=[replace(pair, first=odd if pair.first == FIRST else pair.first, second=odd if pair.second == FIRST
                       else pair.second) for pair in result.pairs],
    )  # fmt: skip
    page = Page(report_html.to_html(other))
    assert "script" not in {tag for tag, _ in page.seen}
    assert any(odd in words for words in page.words)


def test_files_beside_the_page(result, tmp_path):
    files = report_html.write_report(result, tmp_path / "out" / "thousand.html")
    assert [file.name for file in files] == [
        "thousand.html", "thousand.json", "thousand.csv", "thousand-deals.csv",
    ]  # fmt: skip
    data = json.loads(files[1].read_text())
    lines = list(csv.DictReader(files[2].read_text().splitlines()))
    deals = list(csv.DictReader(files[3].read_text().splitlines()))
    first = data["pairs"][0]
    line = next(one for one in lines if one["table"] == "pairs" and one["measure"] == "points per hand")
    assert float(line["mean"]) == first["points_per_hand"]["mean"]
    assert (line["agent"], line["against"]) == (first["first"], first["second"])
    margins = [float(one["points"]) for one in deals if one["contest"] == f"{first['first']} | {first['second']}"]
    assert np.mean(margins) == pytest.approx(first["points_per_hand"]["mean"])
    assert len(margins) == data["deals"] == 30
    assert {one["measure"] for one in lines if one["table"] == "bidding"} >= {"bid", "contract"}
    assert {one["agent"] for one in lines if one["table"] == "ratings"} == set(result.ratings)
    assert data["statistics"][0]["agents"]["random"]["mean"] == result.statistics[0].agents["random"].mean


def test_the_terminal_says_the_same(result):
    console = Console(record=True, width=120, file=open("/dev/null", "w"))  # noqa: SIM115
    report.print_report(result, console)
    text = console.export_text()
    for value in (*result.standings.values(), *(pair.points for pair in result.pairs)):
        assert report.interval(value) in text
    assert "contracts made" in text
    assert "illegal" in text


def test_plots_show_their_numbers():
    text = svg.intervals("t", [("a <b>", 5.0, 1.0, 9.0), ("c", -5.0, -9.0, -1.0), ("d", 0.0, -3.0, 3.0)], "points")
    page = Page(text)
    marks = [attrs["class"] for tag, attrs in page.seen if tag == "g"]
    assert marks == ["mark up", "mark down", "mark"]
    centres = [float(attrs["cx"]) for tag, attrs in page.seen if tag == "circle"]
    assert centres[0] > centres[2] > centres[1]
    assert centres[2] == pytest.approx((centres[0] + centres[1]) / 2, abs=0.11)
    assert any("a <b>: 5.00 (1.00 to 9.00)" in words for words in page.words)
    for values in (np.zeros(3), np.full(40, 7.0), np.arange(5000) * 1e6):
        Page(svg.course("t", values, "deals"))
    Page(svg.intervals("t", [("one", 1.0, float("-inf"), float("inf"))], "points"))


def test_measures_in_their_units():
    value = Estimate(0.123, 0.045, 50)
    assert report.measured(value, "share") == "12% ± 4"
    assert report.measured(value, "points") == "0.1 ± 0.0"
    assert report.measured(Estimate(4.0, float("inf"), 1), "points") == "4.0"
    assert report.measured(None, "points") == "—"
