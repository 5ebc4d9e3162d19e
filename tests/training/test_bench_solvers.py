"""The benchmark of solvers: what it says of its measurements, and that DDS may be missing."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from bidtrick.cli.shared import app

pytest.importorskip("numba")

from bidtrick.training import bench_solvers
from bidtrick.training.bench_solvers import CASES, PEERS, SolverTimes, measure_solvers


def test_figures_and_levels() -> None:
    one = SolverTimes("k", "t", "c", [0.009, 0.009, 0.009], [0.001, 0.002, 0.006], (5, 3, 1))
    found = one.figures()
    assert (found["mean"], found["median"], one.figures("seconds")["mean"]) == pytest.approx((3.0, 2.0, 9.0))
    assert found["error"] == pytest.approx(np.std([1, 2, 6], ddof=1) / np.sqrt(3))
    assert found["p90"] == pytest.approx(np.percentile([1, 2, 6], 90))
    assert one.level == "aim"
    one.targets = (2, 1, 0.5)
    assert one.level == "below"
    assert SolverTimes("k", "t", "c").figures() == {}


def test_measures_in_turns_without_dds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_solvers.importlib.util, "find_spec", lambda name: None)
    quick = [case for case in CASES if case.key != "schieber-plain"]
    times = measure_solvers(2, seed=1, cases=[*quick, *PEERS])
    assert [len(one.seconds) for one in times] == [2, 2, 2, 0, 0]
    assert all("endplay is not installed" in (one.error or "") for one in times[3:])


def test_the_positions_are_what_their_titles_say() -> None:
    """Exact values of the right size: a total of Thousand, points of a Pitch hand, differences of Schieber."""
    by_key = {case.key: [call() for call in case.make(3, 0)] for case in CASES if case.key != "schieber-plain"}
    assert all(found.exact.all() and 0 <= found.low[0] <= 400 for found in by_key["thousand"])
    assert all(found.exact and 0 <= found.low[0] <= 10 for found in by_key["pitch"])
    assert all(found.exact and abs(found.low) <= 257 for found in by_key["schieber-trump"])


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr(bench_solvers, "measure_solvers", lambda n, progress: measure_solvers(n, cases=[CASES[0]]))
    done = CliRunner().invoke(app, ["bench", "--solvers", "--positions", "2", "--json", f"{tmp_path}/a.json"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads((tmp_path / "a.json").read_text())["solvers"]
    assert len(row["seconds"]) == 2
    assert row["cpu_ms"]["mean"] == pytest.approx(1e3 * sum(row["cpu"]) / 2)
