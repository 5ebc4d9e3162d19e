"""The command line, run as a user runs it."""

import json
import subprocess
import sys

import pytest

from bidtrick.envs import games
from bidtrick.envs.registry import game_class


def run(*args, cwd=None, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "bidtrick.cli", *map(str, args)], cwd=cwd, capture_output=True, text=True, timeout=300,
        env={**__import__("os").environ, "COLUMNS": "160", "NO_COLOR": "1"},
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_help_names_every_command():
    text = run("--help")
    for command in (
        "games", "rules", "train", "tournament", "replay", "bench", "agents", "export", "benchmark", "solve", "regret",
        "dataset", "exploit",
    ):  # fmt: skip
        assert command in text
        assert "Usage" in run(command, "--help")
    assert "bidtrick" in run("--version")


def test_games_lists_presets():
    text = run("games")
    for game in games():
        assert game in text
        assert next(iter(game_class(game).rules_class.presets)) in text


def test_rules_print_every_option_with_ids_and_presets():
    for game in games():
        cls = game_class(game).rules_class
        text = run("rules", game)
        squeezed = text.replace("\n", " ")
        for row in cls.describe():
            assert row.name in squeezed, row.name
            assert row.ids.split(",")[0] in squeezed, row.ids
        differences = run("rules", game, "--presets")
        assert all(preset in differences for preset in cls.presets)  # no column so narrow that its name is broken
    assert "undenufe_eleven" in run("rules", "schieber", "--presets")


def test_settings_explain_every_key():
    text = run("train", "--settings")
    assert "gae_lambda" in text
    assert "network.hidden" in text


def test_train_tournament_replay(tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text("algorithm: ppo\nnum_games: 32\nsteps: 16\ndecisions: 2048\nminibatch: 256\n")
    text = run("train", config, "network.hidden=[16]", "evaluate.deals=10", "--run-dir", tmp_path / "r", "--seed", 3)
    assert f"checkpoint:{tmp_path / 'r'}" in text.replace("\n", "")
    out, games_file = tmp_path / "t.json", tmp_path / "g.jsonl"
    text = run(
        "tournament", "-a", f"checkpoint:{tmp_path / 'r'}", "-a", "random", "--deals", 20, "--matches", 2,
        "--json", out, "--records", games_file,
    )  # fmt: skip
    assert "Standings" in text
    assert json.loads(out.read_text())["config"]["deals"] == 20
    text = run("replay", games_file)
    assert "result: contract" in text
    assert "seat" in text
    text = run("replay", games_file, "--view", "table", "--no-color")
    assert "\x1b" not in text
    assert run("replay", games_file, "--game", 0).count("result: contract") == 10


def test_tournament_of_many_sides_with_report(tmp_path):
    (tmp_path / "mine.py").write_text("def low(obs, mask):\n    return int(mask.argmax())\n")
    command = (
        "tournament", "--game", "thousand", "-a", "random", "-a", "mine:low", "--deals", 40, "--until", 1, "batch=60",
        "look=20", "--workers", 2, "--results", "r.jsonl", "--html", "out/page.html",
    )  # fmt: skip
    text = run(*command, cwd=tmp_path)
    assert "contracts made" in text
    assert "stopped at the last deal" in " ".join(text.split())
    made = {file.name for file in (tmp_path / "out").iterdir()}
    assert made == {"page.html", "page.json", "page.csv", "page-deals.csv"}
    first = json.loads((tmp_path / "out" / "page.json").read_text())
    assert run(*command, cwd=tmp_path)
    second = json.loads((tmp_path / "out" / "page.json").read_text())
    assert first["pairs"] == second["pairs"]
    assert "other settings: seed" in " ".join(run(*command, "--seed", 5, cwd=tmp_path, code=2).split())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("rules", "poker"), "no game is called 'poker'; games: "),
        (("tournament", "-a", "nobody", "-a", "random"), "no agent is called 'nobody'; agents: random"),
        (("tournament", "-a", "random"), "at least two different agents"),
        (("tournament", "-a", "random", "-a", "checkpoint:nothing"), "there is no checkpoint here"),
        (("train", "missing.yaml"), "missing.yaml: cannot be read"),
        (("replay", "missing.jsonl"), "cannot be read"),
    ],
)
def test_errors_are_one_line_and_exit_2(args, message, tmp_path):
    text = run(*args, cwd=tmp_path, code=2)
    assert message in text.replace("\n", " ").replace("  ", " ")
    assert "Traceback" not in text


def test_damaged_record_names_line_and_reason(tmp_path):
    games_file = tmp_path / "g.jsonl"
    run("tournament", "-a", "random", "-a", "heuristic", "--deals", 2, "--records", games_file)
    whole = games_file.read_text()
    lines = whole.splitlines()
    games_file.write_text(lines[0] + "\n" + lines[1][:-40])
    assert "line 2: not a JSON line" in run("replay", games_file, "--game", 2, code=2).replace("\n", " ")
    record = json.loads(lines[0])
    record["actions"][5] = 36
    games_file.write_text(json.dumps(record))
    assert "action 5 of" in run("replay", games_file, code=2).replace("\n", " ")
