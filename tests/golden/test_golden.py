"""Golden playthroughs stay as they are written down; every registered game has one."""

from __future__ import annotations

import pytest
from golden import CASES, FOLDER, Case, text

from bidtrick.envs.registry import games
from bidtrick.envs.schieber.rules import SchieberRules


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.game}-{case.name}")
def test_golden(case: Case) -> None:
    """If a change is meant: `python tests/golden/golden.py --write`, and read what it changes."""
    assert case.path.exists(), f"no golden file {case.path.name}"
    assert text(case) == case.path.read_text(encoding="utf-8")


@pytest.mark.parametrize("game", games())
def test_every_game_has_a_golden_file(game: str) -> None:
    assert list(FOLDER.glob(f"{game}_*.txt"))


def test_no_golden_file_is_left_over() -> None:
    assert {case.path for case in CASES} == set(FOLDER.glob("*.txt"))


def test_every_preset_is_played() -> None:
    played = {case.rules for case in CASES if case.game == "schieber" and isinstance(case.rules, str)}
    assert played == set(SchieberRules.presets)
