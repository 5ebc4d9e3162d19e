"""Section 20: the rule book's figures and the engine's, side by side."""

from __future__ import annotations

import pytest
from pitch_figures import BOOK_HANDS, Figure, figures, main


def check(found: list[Figure]) -> None:
    assert len(found) == 24
    wrong = [f for f in found if f.deviation > 4]
    assert not wrong, wrong


def test_a_small_sample_agrees_with_the_book() -> None:
    check(figures(10_000, seed=100))


@pytest.mark.soak
def test_as_many_hands_as_the_book_has() -> None:
    check(figures(BOOK_HANDS))


def test_a_wrong_figure_is_noticed() -> None:
    assert Figure("", 0.494, 0.474, 0.005, hands=10_000).deviation > 3
    assert Figure("", 0.49, 0.494, 0.0005).deviation == 0  # no further away than the book rounds


def test_the_script_prints_every_figure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["pitch_figures.py", "200"])
    main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 24
    assert any("the bidder must burn" in line and "0.494" in line for line in lines)
