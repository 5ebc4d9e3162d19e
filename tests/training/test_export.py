"""Exported agents: only what plays, measured, with a card; and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file
from typer.testing import CliRunner

from bidtrick.agents.neural import checkpoint
from bidtrick.agents.neural.agent import load_agent
from bidtrick.agents.pretrained import find, shipped
from bidtrick.agents.registry import make_agent
from bidtrick.cli import app
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import UnknownNameError
from bidtrick.training import config as configs
from bidtrick.training import ppo, report, tournament
from bidtrick.training.config import ConfigError
from bidtrick.training.export import ExportConfig, export
from bidtrick.training.export.measure import changed_decisions

QUICK = ExportConfig(
    deals=20, seed=5, bootstrap=20, compared=60, machine="Some CPU, 3 cores", weaknesses=("It was hardly trained.",)
)
PLAIN = {
    "game": "schieber", "num_games": 16, "steps": 8, "decisions": 256, "minibatch": 64, "epochs": 1, "seed": 7,
    "evaluate": {"every": 0}, "imitate": {"decisions": 0}, "network": {"hidden": [12]},
}  # fmt: skip


def train(folder, **changes):
    ppo.train(configs.build(ppo.PPOConfig, {**PLAIN, **changes}, "test"), folder)
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run, and what was exported from it."""
    folder = tmp_path_factory.mktemp("runs")
    run = train(folder / "run")
    return run, export(run, folder / "mine", "mine", QUICK)


def test_only_what_plays_is_kept(trained):
    run, done = trained
    assert sorted(path.name for path in done.folder.iterdir()) == ["CARD.md", "meta.json", "model.safetensors"]
    tensors = load_file(done.folder / "model.safetensors")
    assert set(tensors) == {"policy_trunk.0.weight", "policy_trunk.0.bias", "policy_head.weight", "policy_head.bias"}
    assert {array.dtype.name for array in tensors.values()} == {"float16"}
    whole = load_file(checkpoint.find(run) / "model.safetensors")
    assert all(np.array_equal(array, whole[name].astype(np.float16)) for name, array in tensors.items())
    assert done.bytes == sum(path.stat().st_size for path in done.folder.iterdir())


def test_float32_changes_no_decision(trained, tmp_path):
    run, done = trained
    exact = export(run, tmp_path / "exact", "exact", configs.build(
        ExportConfig, {**vars(QUICK), "precision": "float32", "opponents": ["random"]}, "test"
    ))  # fmt: skip
    assert exact.meta["rounding"]["changed"] == 0
    assert exact.meta["rounding"]["decisions"] == done.meta["rounding"]["decisions"] > 1000
    assert done.meta["rounding"]["changed"] < 0.02 * done.meta["rounding"]["decisions"]
    spec = make_batch("schieber").spec
    count, other = changed_decisions(load_agent(run, spec, make_agent), make_agent("random", spec), "full", 60, 5)
    assert count == done.meta["rounding"]["decisions"]
    assert 0.5 * count < other < count  # so it does count what is decided otherwise


def test_results_are_those_of_a_tournament(trained):
    _, done = trained
    agent = f"checkpoint:{done.folder}"
    result = tournament.run(tournament.TournamentConfig(agents=(agent, "heuristic", "random"), deals=20, seed=5))
    rows = {(row["preset"], row["opponent"]): row for row in done.meta["results"]}
    for pair in result.pairs[:2]:
        row = rows["source", pair.second]
        assert row["mean"] == pytest.approx(pair.points.mean, abs=1e-3)
        assert row["half_width"] == pytest.approx(pair.points.half_width, abs=1e-3)
        assert row["deals"] == 20
    assert {preset for preset, _ in rows} == {  # all presets have the same observations
        "source", "swiss", "swisslos2500", "swisslos1000", "tournament", "jass_kit"
    }  # fmt: skip


def test_presets_where_it_loses_are_refused(trained):
    _, done = trained
    assert list(done.meta["presets"]) == ["source"]  # it was hardly trained
    assert all(row["mean"] < 0 for row in done.meta["results"] if row["opponent"] == "heuristic")
    other = make_batch("schieber", rules="swiss").spec
    with pytest.raises(checkpoint.CheckpointError, match="rules swiss; it plays the presets source"):
        load_agent(done.folder, other, make_agent)


def test_the_card_says_how_it_was_made(trained):
    run, done = trained
    card = (done.folder / "CARD.md").read_text()
    row = next(r for r in done.meta["results"] if r["preset"] == "source" and r["opponent"] == "heuristic")
    assert f"{row['mean']:+.2f} ± {row['half_width']:.2f} points a hand against `heuristic`" in card
    assert (run / "config.yaml").read_text().rstrip() in card
    for text in ("Some CPU, 3 cores", "| seed | 7 |", "256 in 2 iterations", "It was hardly trained.", "## Licence"):
        assert text in card
    assert "it is behind `heuristic`" in card
    assert str(run) not in card
    assert str(run) not in (done.folder / "meta.json").read_text()
    assert "imitating" not in card


def test_an_interrupted_export_goes_on_with_the_same_result(trained, tmp_path):
    _, done = trained

    class Enough(Exception):
        pass

    def stop(what, at, total):
        if at > total / 2:
            raise Enough

    again = train(tmp_path / "run")
    with pytest.raises(Enough):
        export(again, tmp_path / "mine", "mine", QUICK, progress=stop)
    assert not (tmp_path / "mine").exists()
    kept = sum(len(file.read_bytes().splitlines()) for file in (again / "export").glob("*.jsonl"))
    assert kept > 6  # blocks that need not be played again
    resumed = export(again, tmp_path / "mine", "mine", QUICK)
    assert resumed.meta["results"] == done.meta["results"]
    assert resumed.meta["checksums"] == done.meta["checksums"]


def test_results_of_a_tournament_are_taken(trained, tmp_path):
    run, done = trained
    result = tournament.run(
        tournament.TournamentConfig(agents=("random", f"checkpoint:{run}", "heuristic"), deals=30, seed=8)
    )
    report.write_json(result, tmp_path / "t.json")
    taken = export(run, tmp_path / "mine", "mine", QUICK, results=(tmp_path / "t.json",))
    row = next(r for r in taken.meta["results"] if r["preset"] == "source" and r["opponent"] == "random")
    assert (row["deals"], row["seed"]) == (30, 8)
    assert row["mean"] == pytest.approx(-result.pairs[0].points.mean, abs=1e-3)  # random was first
    # the others were played
    assert [r for r in taken.meta["results"] if r["preset"] != "source"] == [
        r for r in done.meta["results"] if r["preset"] != "source"
    ]


def test_wrong_results_are_refused(trained, tmp_path):
    run, _ = trained
    result = tournament.run(tournament.TournamentConfig(agents=("random", "heuristic"), deals=4))
    report.write_json(result, tmp_path / "t.json")
    with pytest.raises(ConfigError, match="has no agent of this checkpoint; its agents: random, heuristic"):
        export(run, tmp_path / "mine", "mine", QUICK, results=(tmp_path / "t.json",))
    plain = json.loads((tmp_path / "t.json").read_text())
    plain["config"]["game"] = "pitch"
    (tmp_path / "t.json").write_text(json.dumps(plain))
    with pytest.raises(ConfigError, match="rules that the agent cannot play; allowed: source, swiss"):
        export(run, tmp_path / "mine", "mine", QUICK, results=(tmp_path / "t.json",))
    (tmp_path / "t.json").write_text("{}")
    with pytest.raises(ConfigError, match="is no result of"):
        export(run, tmp_path / "mine", "mine", QUICK, results=(tmp_path / "t.json",))
    assert not (tmp_path / "mine").exists()


def test_folders_are_not_overwritten(trained, tmp_path):
    run, done = trained
    with pytest.raises(ConfigError, match="give --replace"):
        export(run, done.folder, "mine", QUICK)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    with pytest.raises(ConfigError, match="holds no exported agent"):
        export(run, tmp_path / "notes", "mine", QUICK, replace=True)
    assert (tmp_path / "notes" / "a.txt").read_text() == "mine"
    with pytest.raises(checkpoint.CheckpointError, match="exported agent already"):
        export(done.folder, tmp_path / "again", "mine", QUICK)


def test_a_bidder_plays_with_its_autopilot(tmp_path):
    run = train(tmp_path / "run", phase="bidding", autopilot="heuristic")
    done = export(run, tmp_path / "home" / "schieber" / "pretrained-bidder", "pretrained-bidder", QUICK)
    assert "the auction; the cards are played by `heuristic`" in (done.folder / "CARD.md").read_text()
    spec = make_batch("schieber").spec
    one = find("pretrained-bidder", spec, tmp_path / "home")
    agent = load_agent(one.folder, spec, make_agent, one.name)
    games = make_batch("schieber", num_games=32, seed=3)
    rng, heuristic = np.random.default_rng(0), make_agent("heuristic", spec)
    while not games.done.all():
        running = np.flatnonzero(~games.done)
        obs, mask = games.observe()[running], games.legal_actions()[running]
        actions = np.full(32, -1)
        actions[running] = agent.act(obs, mask, rng)
        plays = ~spec.is_bidding(obs)
        assert np.array_equal(actions[running][plays], heuristic.act(obs, mask, rng)[plays])
        games.step(actions)
    with pytest.raises(UnknownNameError, match=r"no pretrained agent .* for schieber; .* it: pretrained-bidder"):
        find("pretrained", spec, tmp_path / "home")
    assert [one.name for one in shipped(home=tmp_path / "home")] == ["pretrained-bidder"]


def test_command(trained, tmp_path):
    run, _ = trained
    words = ["export", str(run), "deals=20", "seed=5", "bootstrap=20", "compared=20"]
    done = CliRunner().invoke(app, [*words, "--to", str(tmp_path / "mine")])
    assert done.exit_code == 0, done.output
    assert "It plays the presets source" in done.output
    for more, message in (
        ([], "give either --to FOLDER or --ship NAME"),
        (["--ship", "best"], "ship='best' is not allowed; allowed: 'pretrained' | 'pretrained-bidder'"),
        (["precision=int8", "--to", "x"], "precision='int8' is not allowed; allowed: 'float16' | 'float32'"),
    ):
        refused = CliRunner().invoke(app, [*words, *more])
        assert message in str(refused.exception)
