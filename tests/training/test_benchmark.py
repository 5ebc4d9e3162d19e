"""Benchmark sets: fixed cards, results that reproduce, comparisons paired by deal."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from bidtrick.agents.pretrained import find
from bidtrick.cli import app
from bidtrick.envs import games, make_batch
from bidtrick.envs.core.errors import UnknownNameError
from bidtrick.training.benchmark import default_set, define, evaluate, load_results, read_set, set_names, standings
from bidtrick.training.benchmark import sets as store
from bidtrick.training.benchmark.sets import BenchmarkError, Result


def test_every_game_has_a_set_of_a_thousand_deals():
    assert {name.rpartition("-")[0] for name in set_names()} == set(games())
    for name in set_names():
        one = read_set(name)
        assert one.deals == 1000
        one.check()
        assert default_set(one.game).game == one.game


@pytest.mark.parametrize("name", set_names())
def test_other_cards_would_be_noticed(name):
    one = read_set(name)
    with pytest.raises(BenchmarkError, match="checksum"):
        dataclasses.replace(one, seed=one.seed + 1).check()
    with pytest.raises(BenchmarkError, match="checksum"):
        dataclasses.replace(one, context="start").check()
    with pytest.raises(BenchmarkError, match="version"):
        dataclasses.replace(one, version=99).check()


@pytest.mark.parametrize("name", set_names())
def test_stored_results_are_played_again_exactly(name):
    """The random agent's results depend on every card, every rule and every choice of the reference."""
    one = read_set(name)
    known = store.stored(one)
    assert {"random", "heuristic", "pretrained"} <= set(known)
    again = evaluate(one, "random", deals=one.block)
    assert again.points["heuristic"].tolist() == known["random"].points["heuristic"][: one.block].tolist()
    assert len(set(again.points["heuristic"].tolist())) > 10
    assert not known["heuristic"].by_deal.any()  # against itself, by symmetry


@pytest.mark.parametrize("name", set_names())
def test_stored_results_are_those_of_the_shipped_networks(name):
    one = read_set(name)
    spec = make_batch(one.game, rules=one.rules).spec
    for agent, result in store.stored(one).items():
        if agent in ("random", "heuristic"):
            continue
        described = result.facts.get("bid", result.facts)
        assert described["model"] == find(agent, spec).meta["checksums"]["model.safetensors"][:12]
        again = evaluate(one, agent, deals=one.block).points["heuristic"]
        # another processor may sum floats in another order, and decide a near tie otherwise
        assert np.mean(again == result.points["heuristic"][: one.block]) >= 0.95


@pytest.mark.parametrize("game", ["schieber", "thousand"])
def test_a_reference_has_no_points_against_its_double(game, tmp_path):
    """Which is why it does not play itself: an equal agent of another name gets exactly nothing on every deal."""
    one = define(f"{game}-1", deals=6, block=3, home=tmp_path)
    double = f"bidtrick.agents.heuristic.{game}:Heuristic"
    assert evaluate(one, double).by_deal.tolist() == evaluate(one, "heuristic").by_deal.tolist() == [0.0] * 6


def test_blocks_make_results_independent_of_what_follows(tmp_path):
    one = define("schieber-1", deals=12, block=4, home=tmp_path)
    whole, part = evaluate(one, "random"), evaluate(one, "random", deals=8)
    assert whole.by_deal[:8].tolist() == part.by_deal.tolist()


def result(name, points):
    return Result("schieber-1", "x", name, {"heuristic": np.array(points, float)})


def test_differences_are_paired_by_deal():
    a, b = result("a", [10, -10, 30, 2]), result("b", [9, -11, 29, 1])
    table = standings([b, a])
    assert [row.agent for row in table.rows] == ["a", "b"]
    (apart,) = table.of("a").differences
    assert (apart.points.mean, apart.points.half_width) == (1, 0)  # although each of them has a wide interval
    assert table.of("a").points.half_width > 10
    assert (table.of("a").best, table.of("a").worst, table.of("b").best) == (1, 1, 2)
    assert table.of("b").differences[0].points.mean == -1
    assert table.of("a").won == 0.75


def test_places_stay_open_where_differences_are_not_clear():
    a, b = result("a", [10, -10, 31, -31]), result("b", [-10, 10, -31, 30])
    table = standings([a, b, result("c", [-99, -98, -99, -97])])
    assert (table.of("a").best, table.of("a").worst) == (1, 2)
    assert (table.of("b").best, table.of("b").worst) == (1, 2)
    assert (table.of("c").best, table.of("c").worst) == (3, 3)


def test_another_agent_changes_nothing_for_the_others():
    few = standings([result("a", [1, 2, 3, 4]), result("b", [2, 2, 2, 2])])
    more = standings([result("a", [1, 2, 3, 4]), result("b", [2, 2, 2, 2]), result("c", [9, 9, 9, 8])])
    for name in "ab":
        assert few.of(name).points == more.of(name).points
        assert set(few.of(name).differences) <= set(more.of(name).differences)


def test_results_are_kept_and_checked(tmp_path):
    one = define("schieber-1", deals=4, block=2, home=tmp_path)
    played = evaluate(one, "random")
    file = store.store(one, played, tmp_path)
    assert store.stored(one, tmp_path)["random"].by_deal.tolist() == played.by_deal.tolist()
    data = json.loads(file.read_text())
    for change, message in (
        ({"set": "schieber-2"}, "random played schieber-2, and this is schieber-1"),
        ({"cards": "0"}, "random played schieber-1"),
        ({"points": {"heuristic": [1.0]}}, "must have points on 4 deals against heuristic"),
        ({"points": {"random": [1.0] * 4}}, "must have points on 4 deals against heuristic"),
        ({"points": 3}, "holds no results"),
        ({"format": "other"}, "format must be"),
    ):
        file.write_text(json.dumps({**data, **change}))
        with pytest.raises(BenchmarkError, match=message):
            load_results(file, one)
    with pytest.raises(BenchmarkError, match="never changed"):
        define("schieber-1", home=tmp_path)
    with pytest.raises(BenchmarkError, match="a set is called <game>-<number>"):
        define("bridge-1", home=tmp_path)
    with pytest.raises(BenchmarkError, match="no benchmark set is called 'schieber-7'; sets: schieber-1"):
        read_set("schieber-7", tmp_path)
    with pytest.raises(BenchmarkError, match="no benchmark set for pitch; sets: schieber-1"):
        default_set("pitch", tmp_path)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A small set, as if it were the one of the package."""
    monkeypatch.setattr(store, "HOME", tmp_path / "sets")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine_agents.py").write_text(
        "def low(obs, mask):\n    return int(mask.argmax())\n\n\ndef bad(obs, mask):\n    raise ValueError('no idea')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return define("schieber-1", deals=10, block=5)


def command(*words):
    return CliRunner().invoke(app, ["benchmark", *map(str, words)], env={"COLUMNS": "160"})


def test_the_command_from_storing_to_comparing(small, tmp_path):
    assert "no stored results" in str(command("schieber").exception)
    stored = command("schieber", "-a", "random", "-a", "heuristic", "--update")
    assert stored.exit_code == 0, stored.output
    assert "random: new" in stored.output
    assert "random: 0 deals changed" in command("schieber", "--update").output
    first = command("schieber", "-a", "mine_agents:low", "--json", "low.json", "--results", "kept.jsonl")
    assert first.exit_code == 0, first.output
    assert "mine_agents:low less each other agent" in first.output
    data = json.loads((tmp_path / "low.json").read_text())
    assert data["standings"][0]["agent"] == "heuristic"
    low = np.array(data["results"][0]["points"]["heuristic"])
    row = next(row for row in data["standings"] if row["agent"] == "mine_agents:low")
    other = store.stored(small)["random"].by_deal
    assert row["less"]["random"]["mean"] == pytest.approx((low - other).mean())
    # somebody else compares with it, and with the stored agent played again
    second = command("schieber", "-a", "random", "--compare", "low.json", "--json", "again.json")
    assert second.exit_code == 0, second.output
    less = next(
        row["less"] for row in json.loads((tmp_path / "again.json").read_text())["standings"]
        if row["agent"] == "random (played now)"
    )  # fmt: skip
    assert less["random"] == {"mean": 0, "low": 0, "high": 0, "deals": 10}
    assert less["mine_agents:low"]["mean"] == pytest.approx((other - low).mean())
    assert "schieber-2 is defined" in command("schieber", "--define").output


def test_an_agent_that_fails_loses_the_deals_and_is_named(small):
    done = command("schieber", "-a", "mine_agents:bad", "-a", "heuristic")
    assert done.exit_code == 0, done.output
    assert "mine_agents:bad lost 20 plays (crash), 500 points each" in done.output
    assert "-500.00 ± 0.00" in done.output


def test_wrong_names_are_refused(small):
    for words, message in (
        (("bridge",), "no game is called 'bridge'"),
        (("schieber", "--set", "schieber-9"), "no benchmark set is called 'schieber-9'; sets: schieber-1"),
        (("pitch", "--set", "schieber-1"), "schieber-1 is of schieber"),
        (("schieber", "--compare", "nothing.json"), "nothing.json cannot be read"),
    ):
        assert message in str(command(*words).exception)
    assert isinstance(command("schieber", "-a", "nobody").exception, UnknownNameError)
