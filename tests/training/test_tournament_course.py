"""The course of a tournament: failing agents, processes, stopping, results files that survive SIGKILL."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tournament_agents import First

from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import UnknownNameError
from bidtrick.training import ratings, report
from bidtrick.training.config import ConfigError
from bidtrick.training.stats import estimate, ratio
from bidtrick.training.tournament import TournamentConfig, play_pair, pool, run
from bidtrick.training.tournament.guard import FAILED, Guard

HERE = Path(__file__).parent
FIRST, LAST = "tournament_agents:First", "tournament_agents:Last"
SMALL = TournamentConfig(agents=("random", FIRST, LAST), deals=60, batch=40, bootstrap=20, seed=2)


def failures(result):
    return {(one.agent, one.kind): one for one in result.failures}


# Agents that fail.


def guarded(name, seconds=None, size=64):
    """(answers, failures, mask) of an agent in the middle of some games."""
    games = make_batch("schieber", num_games=size, seed=3)
    for _ in range(12):
        games.step(games.sample_actions(np.random.default_rng(0)))
    agent, guard = make_agent(f"tournament_agents:{name}", games.spec), Guard(seconds)
    rows = np.arange(size)
    mask = games.legal_actions()
    answers = guard.act(0, agent, games.observe(), mask, np.random.default_rng(0), rows, games.current_player + 0)
    return answers, guard.failures, mask


def test_only_the_decisions_at_fault_fail():
    """One row of a batch raises an error: the others are answered all the same."""
    _, _, mask = guarded("First")
    spec, guard, rows = make_batch("schieber").spec, Guard(), np.arange(64)
    agent, obs = make_agent("tournament_agents:Picky", spec), np.zeros((64, spec.layout.size), np.uint8)
    odd = np.where(rows[:, None] == 7, True, mask)
    answers = guard.act(0, agent, obs, odd, np.random.default_rng(0), rows, rows % 4)
    assert np.flatnonzero(answers == FAILED).tolist() == [7]
    assert [(one.game, one.seat, one.kind) for one in guard.failures] == [(7, 3, "crash")]
    assert "too many actions" in guard.failures[0].message
    assert (answers == np.where(rows == 7, FAILED, np.argmax(mask, axis=1))).all()


def test_answers_that_are_no_legal_actions():
    answers, found, mask = guarded("Cheat")
    assert (answers == np.where(mask[:, 0], 0, FAILED)).all()
    assert {one.kind for one in found} == {"illegal"}
    assert "answered 0" in found[0].message
    answers, found, _ = guarded("Shapeless")
    assert (answers == FAILED).all()
    assert "must be int[64]" in found[0].message


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs SIGALRM")
def test_time_for_a_decision():
    start = time.monotonic()
    answers, found, mask = guarded("hangs", seconds=0.05, size=12)
    many = mask.sum(axis=1) > 4
    assert many.any()
    assert ((answers == FAILED) == many).all()
    assert {one.kind for one in found} == {"timeout"}
    assert time.monotonic() - start < 5
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


@pytest.mark.parametrize(("game", "rules"), [("schieber", "source"), ("thousand", "default"), ("pitch", "five")])
def test_a_failing_agent_loses_those_deals_and_is_named(game, rules):
    config = replace(SMALL, agents=(FIRST, "tournament_agents:Cheat"), game=game, rules=rules, forfeit=777.0)
    result = run(replace(config, matches=2, match_hands=3))
    (one,) = result.failures
    assert one.agent == "tournament_agents:Cheat"
    assert one.kind == "illegal"
    plays = 2 * len(set(make_batch(game, rules=rules).spec.teams)) if game != "schieber" else 2
    assert one.count == (config.deals + 2) * plays, "its first decision is no card"
    assert result.pairs[0].points.mean == pytest.approx(777)
    assert result.pairs[0].wins is not None
    assert result.pairs[0].wins.mean == 1
    assert result.standings["tournament_agents:Cheat"].mean == pytest.approx(-777)
    assert all(not one.agents for one in result.statistics), "forfeited plays count in no statistic"
    text = report.to_json(result)["forfeit"]
    assert text["points"] == 777
    assert text["agents"][0]["agent"] == "tournament_agents:Cheat"


def test_a_failing_agent_at_a_table_pays_the_others():
    config = replace(
        SMALL, agents=("random", FIRST, "tournament_agents:Cheat"), game="thousand", format="tables", forfeit=100.0
    )
    table = run(replace(config, matches=2, match_hands=2)).tables[0]
    assert table.points["tournament_agents:Cheat"].mean == pytest.approx(-100)
    assert table.points["random"].mean == pytest.approx(50)
    assert table.wins is not None
    assert {name: value.mean for name, value in table.wins.items()} == {
        "random": 0.5, FIRST: 0.5, "tournament_agents:Cheat": 0,
    }  # fmt: skip


def test_default_forfeit_is_five_times_the_scale():
    result = run(replace(SMALL, agents=(FIRST, "tournament_agents:Cheat"), game="pitch", deals=4))
    assert result.forfeit == 50
    assert result.pairs[0].points.mean == pytest.approx(50)


def test_an_agent_that_ends_its_process_loses_the_block():
    config = replace(SMALL, agents=(FIRST, LAST, "tournament_agents:Dies"), deals=30, batch=30, workers=2)
    result = run(config)
    found = failures(result)
    assert found["tournament_agents:Dies", "died"].count == 2 * 2 * 30
    assert result.standings["tournament_agents:Dies"].mean == -500
    assert FIRST not in {one.agent for one in result.failures}


def test_an_agent_that_no_signal_reaches_is_ended_with_its_process(monkeypatch):
    monkeypatch.setattr(pool, "GRACE", 0.2)
    result = run(replace(SMALL, agents=(FIRST, "tournament_agents:Deaf"), deals=8, batch=8, workers=2, seconds=0.05))
    assert failures(result)["tournament_agents:Deaf", "died"].count == 16


def test_references_that_lead_nowhere():
    spec = make_batch("schieber").spec
    for name, message in (
        ("nomodule:x", "there is no module 'nomodule'; agents: random, heuristic, pretrained, "),
        ("tournament_agents:Nobody", "tournament_agents has no attribute 'Nobody'"),
        ("tournament_agents:NOTHING", "must be an Agent or a callable"),
    ):
        with pytest.raises(UnknownNameError, match=message):
            make_agent(name, spec)


# Processes.


@pytest.mark.parametrize("workers", [2, 3])
def test_results_do_not_depend_on_the_number_of_processes(workers):
    config = replace(SMALL, game="thousand", rules="default", format="both", records=2)
    config = replace(config, agents=(*SMALL.agents[:2], "tournament_agents:Picky"))
    alone = run(config)
    seen = []
    together = run(replace(config, workers=workers), lambda done, total: seen.append((done, total)))
    assert report.same(alone, together)
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]


def test_an_error_in_a_process_arrives():
    with pytest.raises(UnknownNameError, match="no agent is called 'nobody'"):
        run(replace(SMALL, agents=("random", "nobody"), workers=2))


# Stopping.


def test_stops_when_the_intervals_are_narrow_enough():
    config = replace(SMALL, agents=("random", FIRST), deals=4000, until=12.0, look=40, batch=4096)
    result = run(config)
    assert result.pairs[0].points.half_width <= 12
    assert result.deals % 40 == 0
    assert 40 < result.deals < 4000
    before = result.pairs[0].deals[: result.deals - 40]
    assert estimate(before).half_width > 12, "it did not play on"
    assert report.same(result, run(replace(config, workers=2)))


def test_until_holds_for_every_pair_and_table():
    config = replace(SMALL, game="thousand", rules="default", format="both", deals=600, until=20.0, look=30, batch=4096)
    result = run(config)
    values = [pair.points for pair in result.pairs]
    values += [value for table in result.tables for value in table.points.values()]
    assert max(value.half_width for value in values) <= 20
    assert {value.count for value in values} == {result.deals}
    assert result.deals < 600


def test_until_ends_with_the_deals():
    result = run(replace(SMALL, until=0.01, deals=60, look=25, batch=4096))
    assert result.deals == 60
    assert "stopped at the last deal" in report.note(result)


def test_stopping_early_does_not_spoil_the_intervals():
    """Equal players, stopped at ±: about 95 % of the intervals contain 0 (fewer if looking were harmful)."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        values = rng.normal(0, 100, 3000)
        count = next(n for n in range(200, 3001, 200) if estimate(values[:n]).half_width <= 8)
        value = estimate(values[:count])
        covered += value.low <= 0 <= value.high
    assert covered >= 0.92 * 400


# Results files.


def test_a_results_file_gives_the_same_result(tmp_path):
    config = replace(SMALL, matches=3, records=2, match_hands=5)
    file = tmp_path / "runs" / "r.jsonl"
    whole = run(config)
    assert report.same(whole, run(config, results=file))
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 3 * (3 + 1)
    for keep in (0, 2, len(lines)):
        for torn in (b"", b'{"contest": "pair: rand', lines[-1][:-1]):
            file.write_bytes(b"".join(lines[:keep]) + (torn if keep else b""))
            assert report.same(whole, run(config, results=file))
    seen = []
    run(config, lambda done, total: seen.append(done), results=file)
    assert file.stat().st_size == sum(map(len, lines)), "nothing was played again"


def test_a_results_file_with_more_than_what_counts(tmp_path):
    """Blocks that were played ahead, or before `until` was set, change nothing."""
    file = tmp_path / "r.jsonl"
    config = replace(SMALL, agents=("random", FIRST), deals=400, until=0.0, look=40)
    run(config, results=file)
    size = file.stat().st_size
    config = replace(config, until=16.0)
    result = run(config, results=file)
    assert result.deals < 400
    assert file.stat().st_size == size
    assert report.same(result, run(config))


def test_more_agents_and_deals_go_on_from_a_results_file(tmp_path):
    file = tmp_path / "r.jsonl"
    run(replace(SMALL, agents=("random", FIRST)), results=file)
    size = file.stat().st_size
    more = replace(SMALL, deals=80)
    assert report.same(run(more), run(more, results=file))
    assert b'"agent"' in file.read_bytes()[size:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 9}, "other settings: seed"),
        ({"rules": "swiss"}, "other settings: rules"),
        ({"batch": 50, "context": "start"}, "other settings: context, batch"),
        ({"game": "pitch"}, "other settings: game"),
    ],
)
def test_a_results_file_of_another_tournament_is_refused(tmp_path, change, message):
    file = tmp_path / "r.jsonl"
    config = replace(SMALL, deals=4)
    run(config, results=file)
    before = file.read_bytes()
    with pytest.raises(ConfigError, match=message):
        run(replace(config, **change), results=file)
    assert file.read_bytes() == before


def test_other_files_are_left_alone(tmp_path):
    for text in ("# my notes", "# my notes\n", '{"format": "something"}\n'):
        file = tmp_path / "notes"
        file.write_text(text)
        with pytest.raises(ConfigError, match=r"is no results file|is damaged"):
            run(replace(SMALL, deals=4), results=file)
        assert file.read_text() == text


def test_a_changed_agent_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "r.jsonl"
    run(replace(SMALL, deals=4), results=file)
    monkeypatch.setattr(First, "describe", lambda self: {"name": "first", "trained": "longer"})
    with pytest.raises(ConfigError, match="the agent tournament_agents:First was another one"):
        run(replace(SMALL, deals=4), results=file)


@pytest.mark.parametrize(
    ("workers", "attempts", "deals"), [(1, 4, 40), (2, 4, 40), pytest.param(2, 20, 200, marks=pytest.mark.soak)]
)
def test_killed_at_random_moments_it_ends_with_the_same_result(tmp_path, workers, attempts, deals):
    """SIGKILL, several times; then the same command to its end."""
    command = [
        sys.executable, "-m", "bidtrick.cli", "tournament", "-a", "random", "-a", FIRST, "-a", "tournament_agents:slow",
        "--deals", str(deals), "--workers", str(workers), "--seed", "2", "batch=10", "bootstrap=20", "until=1",
        "look=20", "--results", "r.jsonl", "--json", "r.json",
    ]  # fmt: skip
    paths = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *paths])}
    rng = np.random.default_rng(workers)
    kills, file = [], tmp_path / "r.jsonl"

    def size():
        return file.stat().st_size if file.exists() else 0

    for attempt in range(attempts + 1):
        before = size()
        with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL) as process:
            if attempt < attempts:
                while process.poll() is None and size() == before:
                    time.sleep(0.01)
                time.sleep(rng.uniform(0, 0.3))
                if process.poll() is None:
                    process.kill()
                    kills.append(size())
    assert process.returncode == 0
    assert len(kills) >= attempts // 2
    assert len(set(kills)) == len(kills), "each went on from the one before"
    found = json.loads((tmp_path / "r.json").read_text())
    config = TournamentConfig(
        agents=("random", FIRST, "tournament_agents:first"), deals=deals, seed=2, batch=10, bootstrap=20, until=1,
        look=20,
    )
    expected = report.to_json(run(config))
    for part in ("pairs", "standings", "ratings", "statistics"):
        text = json.dumps(expected[part]).replace("tournament_agents:first", "tournament_agents:slow")
        assert json.loads(text) == found[part]


# Ratings.


def test_ratings_recover_known_strengths():
    """Deals drawn from a Bradley–Terry model with ratings 1700, 1500 and 1300."""
    truth = np.array([1700.0, 1500.0, 1300.0])
    rng = np.random.default_rng(0)
    won = np.zeros((4000, 3, 3))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        first = rng.random(4000) < 1 / (1 + 10 ** ((truth[b] - truth[a]) / 400))
        won[:, a, b], won[:, b, a] = first, ~first
    found = ratings.rate(["a", "b", "c"], won, 100, seed=1)
    assert list(found) == ["a", "b", "c"]
    for name, rating in zip("abc", truth, strict=True):
        assert found[name].low <= rating <= found[name].high
        assert found[name].high - found[name].low < 40
        assert found[name].low < found[name].rating < found[name].high


def test_ratings_of_two_are_the_odds():
    won = np.array([[0.0, 75.0], [25.0, 0.0]])
    found = ratings.fit(won)
    assert found.mean() == pytest.approx(1500)
    assert found[0] - found[1] == pytest.approx(400 * np.log10(75.5 / 25.5), abs=0.01)


def test_ratings_are_finite_and_groups_apart():
    won = np.zeros((4, 4))
    won[0, 1] = 50
    won[2, 3] = won[3, 2] = 10
    found = ratings.fit(won)
    assert np.isfinite(found).all()
    assert found[0] - found[1] == pytest.approx(400 * np.log10(101), abs=0.1)
    assert found[2] == pytest.approx(1500)


def test_wins_of_deals():
    points = np.array([[3.0, 1.0, np.nan], [2.0, 2.0 + 1e-6, 5.0]])
    found = ratings.wins(points)
    assert found[0].tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert found[1].tolist() == [[0, 0.5, 0], [0.5, 0, 0], [1, 1, 0]]


def test_ratios_by_deal():
    """The interval of Σ value / Σ weight against a bootstrap over deals."""
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, 500).astype(float)
    value = rng.binomial(weight.astype(int), 0.3).astype(float)
    found = ratio(value, weight)
    assert found is not None
    assert found.mean == value.sum() / weight.sum()
    draws = rng.integers(0, 500, (4000, 500))
    spread = (value[draws].sum(axis=1) / weight[draws].sum(axis=1)).std()
    assert found.half_width == pytest.approx(1.96 * spread, rel=0.06)
    assert ratio([0.0, 0.0], [0.0, 0.0]) is None


def test_errors_are_raised_where_nobody_guards():
    spec = make_batch("thousand").spec
    agents = make_agent("tournament_agents:Picky", spec), First("a", spec)
    with pytest.raises(ValueError, match="too many"):
        play_pair(*agents, deals=20, seed=0, context="start", episode="hand", batch=40)


def test_modules_of_the_working_directory(tmp_path, monkeypatch):
    """They are found there, and the directory joins the path only if one of them is asked for."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "only_here.py").write_text("def low(obs, mask):\n    return int(mask.argmax())\n")
    spec = make_batch("schieber").spec
    make_agent(FIRST, spec)
    with pytest.raises(UnknownNameError, match="there is no module 'nowhere'"):
        make_agent("nowhere:x", spec)
    assert str(tmp_path) not in sys.path
    assert make_agent("only_here:low", spec).name == "only_here:low"
