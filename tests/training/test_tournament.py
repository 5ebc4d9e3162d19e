"""Duplicate tournaments: fairness, reproducibility, intervals."""

import dataclasses
import json

import numpy as np
import pytest

from bidtrick.agents.base import Agent
from bidtrick.agents.random import RandomAgent
from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch, replay
from bidtrick.envs.core.errors import IllegalActionError, UnknownNameError
from bidtrick.training import report, report_html
from bidtrick.training.config import ConfigError
from bidtrick.training.stats import estimate
from bidtrick.training.tournament import TournamentConfig, play_pair, run, seatings

SPEC = make_batch("schieber").spec


class First(Agent):
    """Plays the legal action with the lowest number."""

    def act(self, obs, mask, rng):
        return np.argmax(mask, axis=1)


def test_equal_deterministic_agents_cancel_on_every_deal():
    """Both seatings of a deal are the same play, so the margin of each deal is exactly 0."""
    margins, _ = play_pair(
        First("a", SPEC), First("b", SPEC), deals=60, seed=5, context="sampled", episode="hand", batch=50
    )
    assert margins.shape == (60, 2)
    assert (margins.sum(axis=1) == 0).all()
    assert (margins != 0).any()


def test_seatings_exchange_the_teams():
    assert seatings((0, 1, 0, 1)) == [(0, 1, 0, 1), (1, 0, 1, 0)]


def test_margin_is_points_of_a_hand():
    """The margin equals the difference of points that the engine reports."""
    first, second = First("a", SPEC), First("b", SPEC)
    margins, _ = play_pair(first, second, deals=3, seed=5, context="start", episode="hand", batch=10)
    games = make_batch("schieber", num_games=3, seed=5)
    while not games.done.all():
        games.step(np.where(games.done, -1, np.argmax(games.legal_actions(), axis=1)))
    points = games.report()["points"]
    assert margins[:, 0] == pytest.approx((points[:, 0] - points[:, 1]).astype(float), abs=1e-3)


def test_same_seed_same_result_other_seed_other_result():
    config = TournamentConfig(agents=("random", "heuristic"), deals=80, matches=4, seed=3)
    one, two = run(config), run(config)
    assert report.same(one, two)
    assert not report.same(one, run(TournamentConfig(agents=("random", "heuristic"), deals=80, matches=4, seed=4)))


def test_duplicates_narrow_the_interval_of_equal_players():
    """For players of equal strength and little randomness most of the variance is the cards'."""
    result = run(TournamentConfig(agents=("heuristic", "random"), deals=300, seed=1))
    pair = result.pairs[0]
    assert pair.interval_ratio < 1
    assert pair.points.low > 0
    assert pair.points.count == 300
    assert pair.single.count == 600


def test_matches_are_won_by_the_better():
    result = run(TournamentConfig(agents=("heuristic", "random"), rules="swisslos1000", deals=20, matches=20, seed=1))
    wins = result.pairs[0].wins
    assert wins is not None
    assert wins.mean > 0.7


def test_standings_weigh_all_pairs():
    result = run(TournamentConfig(agents=("heuristic", "random"), deals=50, seed=1))
    assert list(result.standings) == ["heuristic", "random"]
    assert result.standings["heuristic"].mean == pytest.approx(-result.standings["random"].mean)
    assert result.standings["heuristic"].mean == pytest.approx(result.pairs[0].points.mean)


def test_agents_are_timed_and_times_are_no_part_of_what_a_seed_fixes():
    config = TournamentConfig(agents=("heuristic", "random"), deals=20)
    one, two = run(config), run(config)
    assert set(one.milliseconds) == {"heuristic", "random"}
    assert one.milliseconds["heuristic"] > one.milliseconds["random"] > 0
    other = dataclasses.replace(two, milliseconds={"heuristic": 1e9, "random": 0.0})
    assert report.same(one, two)
    assert report.same(one, other)
    assert report.to_json(other)["milliseconds"]["heuristic"] == 1e9
    assert "Strength against time" in report_html.to_html(one)
    assert "Strength against time" not in report_html.to_html(other)  # one dot is no plot


def test_report_and_json(tmp_path):
    result = run(TournamentConfig(agents=("heuristic", "random"), deals=30, matches=2, seed=1, records=2))
    report.write_json(result, tmp_path / "out" / "r.json")
    data = json.loads((tmp_path / "out" / "r.json").read_text())
    assert data["pairs"][0]["points_per_hand"]["low"] < data["pairs"][0]["points_per_hand"]["mean"]
    assert data["config"]["deals"] == 30
    assert len(result.records) == 4  # two deals in two seatings
    assert result.records[0].game_id == result.records[1].game_id
    for record in result.records:
        replay(record)


def test_refusals():
    with pytest.raises(ConfigError, match="at least two"):
        run(TournamentConfig(agents=("random",)))
    with pytest.raises(ConfigError, match="at least two"):
        run(TournamentConfig(agents=("random", "random")))
    with pytest.raises(UnknownNameError, match="agents: random, heuristic, pretrained, "):
        run(TournamentConfig(agents=("random", "nobody")))
    with pytest.raises(UnknownNameError):
        make_agent("random:3", SPEC)


def test_illegal_agents_are_found_out():
    class Cheat(Agent):
        def act(self, obs, mask, rng):
            return np.full(len(mask), 42)

    with pytest.raises(IllegalActionError):
        play_pair(Cheat("c", SPEC), First("a", SPEC), deals=2, seed=0, context="start", episode="hand", batch=4)


def test_estimate_is_the_textbook_interval():
    value = estimate([1.0, 2.0, 3.0, 4.0])
    assert value.mean == 2.5
    assert value.half_width == pytest.approx(1.959964 * np.std([1, 2, 3, 4], ddof=1) / 2)
    assert str(value) == "+2.50 ± 1.27"


def test_intervals_cover_the_truth():
    """95 % intervals of the margin of two equal random players contain 0 about 95 % of the time."""
    covered = 0
    for seed in range(60):
        margins, _ = play_pair(
            RandomAgent("a", SPEC), RandomAgent("b", SPEC), deals=60, seed=seed, context="sampled", episode="hand",
            batch=200,
        )  # fmt: skip
        value = estimate(margins.mean(axis=1))
        covered += value.low <= 0 <= value.high
    assert 51 <= covered <= 60
