"""The benchmark's structure on tiny budgets; speeds are never asserted."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable

import numpy as np
import pytest
from rich.console import Console

from bidtrick.envs import make_batch
from bidtrick.training import bench, bench_peers
from bidtrick.training.bench_peers import Contender, PeerError, PeerProcess


def counting(game: str) -> Callable[[], int]:
    """A contender that is always there."""
    return lambda: 1


def banner(game: str) -> Callable[[], int]:
    print("a peer that prints")
    raise SystemExit(1)


def crashing(game: str) -> Callable[[], int]:
    """A contender that dies in its second call, after the warm-up."""
    calls = []

    def loop() -> int:
        calls.append(1)
        if len(calls) > 1:
            os._exit(3)
        return 1

    return loop


def refusing(game: str) -> Callable[[], int]:
    raise ValueError("no such deal")


@pytest.fixture(scope="module")
def report() -> bench.BenchReport:
    with pytest.MonkeyPatch.context() as patch:
        entries = {
            "openspiel": Contender("a peer", "engine", counting),
            "absent": Contender("an absent peer", "engine", counting, ("no_such_module_of_anyone",)),
            "crash": Contender("a crashing peer", "engine", crashing),
        }
        for key, entry in entries.items():
            patch.setitem(bench_peers.CONTENDERS, key, entry)
        settings = bench.BenchSettings(
            games=("schieber",), sizes=(1, 4096), seconds=0.01, rounds=2, contenders=tuple(entries)
        )
        return bench.measure(settings)


def test_every_cell_is_measured_in_every_round(report: bench.BenchReport) -> None:
    assert [(e.game, e.num_games) for e in report.engines] == [("schieber", 1), ("schieber", 4096)]
    size = make_batch("schieber").spec.layout.size
    for engine in report.engines:
        assert len(engine.rates) == 2
        assert min(engine.rates) > 0
        assert engine.bytes_per_decision == size
    small, large = report.engines
    assert small.peak_bytes is None
    assert large.peak_bytes is not None
    assert large.peak_bytes > large.state_bytes > 1000 * small.state_bytes
    assert small.level is None
    assert large.level in ("below", *bench.LEVELS)


def test_absent_and_crashing_peers_are_reported_and_harm_nobody(report: bench.BenchReport) -> None:
    peer, absent, crash = report.peers
    assert peer.error is None
    assert len(peer.rates) == 2
    assert absent.error == "not installed: no_such_module_of_anyone"
    assert absent.best is None
    assert crash.error == "the process crashed (exit code 3)"
    assert [(r.ours, r.peer, len(r.values)) for r in report.ratios] == [("schieber, N=4096", "a peer", 2)]
    assert report.ratios[0].target == bench.OPENSPIEL_RATIO


def test_json_has_measurements_machine_and_derived_figures(report: bench.BenchReport, tmp_path) -> None:
    bench.write_json(report, tmp_path / "bench.json")
    data = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert data["machine"]["cpu"]
    assert data["machine"]["cores"] >= 1
    assert data["machine"]["versions"]["numpy"] == np.__version__
    assert [row["best"] for row in data["engines"]] == [max(row["rates"]) for row in data["engines"]]
    assert data["ratios"][0]["median"] == pytest.approx(np.median(report.ratios[0].values))
    assert data["settings"]["sizes"] == [1, 4096]


def test_printed_report_names_games_peers_and_reasons(report: bench.BenchReport) -> None:
    out = io.StringIO()
    bench.print_report(report, Console(file=out, width=140))
    for text in ("schieber", "4096", "an absent peer", "not installed", "exit code 3", "7/19/30"):
        assert text in out.getvalue()


def test_peer_that_refuses_or_exits_says_why() -> None:
    with pytest.raises(PeerError, match="ValueError: no such deal"):
        PeerProcess(refusing, "schieber")
    with pytest.raises(PeerError, match="SystemExit: 1"):
        PeerProcess(banner, "schieber")


def test_targets_name_the_highest_level_reached() -> None:
    target = bench.Target(2, 5, 8)
    assert [target.reached(x) for x in (1.9, 2, 5.1, 80)] == ["below", "floor", "aim", "extreme"]


def test_games_are_out_of_step_after_the_warm_up() -> None:
    games = make_batch("schieber", num_games=256, auto_reset=True)
    bench.out_of_step(games, np.random.default_rng(0))
    assert len(np.unique(games.phase)) == len(games.spec.phases)
    assert not games.done.any()
    played = np.bincount(games.state.ply, minlength=36)  # about 256 / 38 games each, those in the auction more
    assert played[1:].min() > 0
    assert played[1:].max() < 20


def test_every_contender_is_documented_and_has_a_group() -> None:
    for key, contender in bench_peers.CONTENDERS.items():
        assert contender.group in ("engine", "aec", "ppo"), key
        assert contender.title
    assert {c.group for c in bench_peers.CONTENDERS.values() if c.ours} == {"aec", "ppo"}


@pytest.mark.parametrize("key", ["aec", "ppo-same", "ppo-sb3"])
def test_our_contenders_play(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_peers, "PPO_ENVS", 8)
    monkeypatch.setattr(bench_peers, "PPO_STEPS", 8)
    contender = bench_peers.CONTENDERS[key]
    if contender.missing():
        pytest.skip(f"not installed: {', '.join(contender.missing())}")
    assert contender.make("schieber")() > 0
