"""Tournaments in games of more than two sides: seatings, margins, matches, tables, statistics."""

import hashlib
from itertools import pairwise

import numpy as np
import pytest
from tournament_agents import First, Last

from bidtrick.agents.random import RandomAgent
from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.envs.core.statistics import UNITS
from bidtrick.training import ppo
from bidtrick.training.config import ConfigError, load
from bidtrick.training.opponents import OpponentSettings, seat_opponents
from bidtrick.training.stats import estimate
from bidtrick.training.tournament import (
    TournamentConfig,
    duplicate_margin,
    match_shares,
    play_pair,
    run,
    seatings,
)
from bidtrick.training.tournament.play import HasStatistics, play_block
from bidtrick.training.tournament.results import TableResult, differences
from bidtrick.training.tournament.seating import Contest

GAMES = {
    "thousand, 2": ("thousand", "duel_c"),
    "thousand, 3": ("thousand", "default"),
    "thousand, 4": ("thousand", "four"),
    "pitch, 4": ("pitch", "source"),
    "pitch, 5": ("pitch", "five"),
    "schieber": ("schieber", "source"),
}
every_game = pytest.mark.parametrize(("game", "rules"), GAMES.values(), ids=GAMES)


def spec_of(game, rules):
    return make_batch(game, rules=rules).spec


@pytest.mark.parametrize(
    ("game", "rules", "episode", "digests"),
    [
        ("schieber", "source", "hand", ["10e34fba2f2e790f", "1045bf5b7a34b486"]),
        ("pitch", "source", "hand", ["6c242dc72d8d59a7", "1045bf5b7a34b486"]),
        ("schieber", "swisslos1000", "match", ["5591383efe86a885", "fa64056face2f5b3"]),
    ],
)
def test_two_teams_give_the_results_that_they_always_gave(game, rules, episode, digests):
    """Digests of the version before games of many sides (one block of deals)."""
    spec = spec_of(game, rules)
    margins, outcomes = play_pair(
        RandomAgent("a", spec), First("b", spec), deals=60, seed=7,
        context="sampled" if episode == "hand" else "start", episode=episode, batch=4096,
    )  # fmt: skip
    assert [hashlib.sha256(array.tobytes()).hexdigest()[:16] for array in (margins, outcomes)] == digests


def test_seatings_of_many_sides_are_one_against_the_others_and_the_mirror():
    assert seatings((0, 1, 2)) == [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert seatings((0, 1)) == [(0, 1), (1, 0)]
    assert len(seatings(range(5))) == 10
    three_teams = seatings((0, 1, 2, 0, 1, 2))
    assert len(three_teams) == 6
    assert all(seats[:3] == seats[3:] for seats in three_teams)


@every_game
def test_equal_deterministic_agents_cancel_on_every_deal(game, rules):
    spec = spec_of(game, rules)
    margins, _ = play_pair(
        First("a", spec), First("b", spec), deals=30, seed=5, context="sampled", episode="hand", batch=100
    )
    assert margins.shape == (30, len(seatings(spec.teams)))
    assert np.abs(margins.mean(axis=1)).max() < 1e-3
    assert np.abs(margins).max() > 1


@every_game
def test_margin_is_the_mean_score_of_own_seats_less_the_others(game, rules):
    """Against the points that the engine reports for the same games."""
    spec = spec_of(game, rules)
    first, last = First("a", spec), Last("b", spec)
    margins, _ = play_pair(first, last, deals=4, seed=5, context="start", episode="hand", batch=1000)
    for number, seats in enumerate(seatings(spec.teams)):
        games = make_batch(game, rules=rules, num_games=4, seed=5)
        while not games.done.all():
            mask = games.legal_actions()
            low, high = np.argmax(mask, axis=1), mask.shape[1] - 1 - np.argmax(mask[:, ::-1], axis=1)
            chosen = np.where(np.array(seats)[np.maximum(games.current_player, 0)] == 0, low, high)
            games.step(np.where(games.done, -1, chosen))
        report = games.report()
        points = report[{"schieber": "points", "pitch": "gain", "thousand": "gains"}[game]].astype(float)
        by_seat = points[:, list(spec.teams)]
        own = np.array(seats) == 0
        if game == "pitch" and (report["moon"] == 2).any():
            continue  # a lost match counts as the target, which is not what is written
        expected = by_seat[:, own].mean(axis=1) - by_seat[:, ~own].mean(axis=1)
        assert margins[:, number] == pytest.approx(expected, abs=1e-3)


def test_first_agents_of_like_tables_are_compared_deal_by_deal():
    lineups = (("heuristic", "random", "random"), ("random", "heuristic", "heuristic"), ("first", "random", "random"))
    tables = [TableResult(line, 3, {}, None, np.zeros((0, 2))) for line in lineups]
    points = {"heuristic": [5.0, 1.0, 3.0], "random": [0.0, 9.0, 9.0], "first": [4.0, 2.0, 3.0]}
    for k, line in enumerate(lineups):
        names = dict.fromkeys(line)
        deals = np.array([points[name] for name in names]).T
        tables[k] = TableResult(line, 3, {name: estimate(points[name]) for name in names}, None, deals)
    (found,) = differences(tables)
    assert (found.first, found.second, found.opponents) == ("heuristic", "first", ("random", "random"))
    assert (found.points.mean, found.points.count) == (0.0, 3)
    assert found.points.half_width == pytest.approx(estimate([1, -1, 0]).half_width)
    assert found.points.half_width < tables[0].points["heuristic"].half_width


@every_game
def test_exchanging_the_agents_turns_the_sign(game, rules):
    spec = spec_of(game, rules)
    there, back = (
        duplicate_margin(*agents, deals=30, seed=3)
        for agents in ((First("a", spec), Last("b", spec)), (Last("b", spec), First("a", spec)))
    )
    assert there.mean == pytest.approx(-back.mean, abs=1e-3)
    assert there.half_width == pytest.approx(back.half_width, abs=1e-3)


@every_game
def test_intervals_cover_the_truth(game, rules):
    """Equal random players: the margin is 0."""
    spec = spec_of(game, rules)
    covered = 0
    for seed in range(20):
        value = duplicate_margin(RandomAgent("a", spec), RandomAgent("b", spec), deals=40, seed=seed)
        covered += value.low <= 0 <= value.high
    assert covered >= 16


@pytest.mark.parametrize("rules", ["source", "five"])
def test_shares_of_matches(rules):
    """Pitch, whose five-handed matches may have several winners."""
    spec = spec_of("pitch", rules)
    sides = len(set(spec.teams))
    agents = (RandomAgent("a", spec), RandomAgent("b", spec))
    _, outcomes = play_pair(*agents, deals=12, seed=2, context="start", episode="match", batch=500)
    assert outcomes.shape == (12, len(seatings(spec.teams)))
    assert 0.2 < outcomes.mean() < 0.8
    if sides > 2:
        one, others = outcomes[:, :sides].mean(), outcomes[:, sides:].mean()
        assert one < 0.5 < others, "one agent at one of five sides wins less often than at four"


class Told:
    """A game of three sides whose matches ended as told."""

    def __init__(self, **report):
        self.spec = spec_of("thousand", "default")
        self.told = {name: np.array(value) for name, value in report.items()}

    def report(self):
        return self.told


def test_a_match_is_its_winners_or_everybodys():
    third = [1 / 3] * 3
    shares = match_shares(Told(winner=[0, 2, -1, -2, 3]))
    assert shares == pytest.approx(np.array([[1, 0, 0], [0, 0, 1], third, third, third]))
    shares = match_shares(Told(winner=[0, -1], winners=[[True, False, True], [False] * 3]))
    assert shares == pytest.approx(np.array([[0.5, 0, 0.5], third]))


def test_a_match_without_end_is_cut_off_as_a_draw():
    """Three players who never bid more than they must play Thousand for ever."""
    spec = spec_of("thousand", "default")
    agents = [First("a", spec), RandomAgent("b", spec)]
    block = play_block(
        Contest("pair", ("a", "b")), agents, range(3), seed=1, context="start", episode="match", hands=2
    )
    assert block.won[:, :3, 0] == pytest.approx(1 / 3)
    assert block.won[:, 3:, 0] == pytest.approx(2 / 3)
    assert (block.forfeit == -1).all()


# Opponents while training.


def test_opponents_sit_as_in_duplicate_pairs():
    games = make_batch("thousand", num_games=12)
    found = seat_opponents(games, [First("a", games.spec)], OpponentSettings(share=0.5))
    assert found is not None
    assert [tuple((row == 0).astype(int)) for row in found.seats[:6]] == seatings((0, 1, 2))
    assert (found.seats[6:] == -1).all()
    games = make_batch("schieber", num_games=8)
    found = seat_opponents(games, [First("a", games.spec), Last("b", games.spec)], OpponentSettings(share=1.0))
    assert found is not None
    assert found.seats.tolist() == 2 * [[-1, 0, -1, 0], [0, -1, 0, -1], [-1, 1, -1, 1], [1, -1, 1, -1]]


@pytest.mark.parametrize(("game", "rules"), [("thousand", "default"), ("pitch", "five")])
def test_ppo_evaluates_and_meets_opponents_in_games_of_many_sides(game, rules, tmp_path):
    config = load(
        ppo.PPOConfig, None,
        [f"game={game}", f"rules={rules}", "num_games=32", "steps=16", "decisions=1024", "network.hidden=[16]",
         "evaluate.opponents=[random]", "evaluate.every=1", "evaluate.deals=5", "opponents.agents=[random]",
         "opponents.share=0.5", "threads=1", "precision=float32"],
    )  # fmt: skip
    logs = []
    ppo.train(config, tmp_path / "run", on_iteration=lambda trainer, values: logs.append(dict(values)))
    assert all(np.isfinite(values["margin/random"]) for values in logs)


# Tables of several agents.

TABLE = ("random", "tournament_agents:First", "tournament_agents:Last")


def test_all_seatings_of_a_table():
    found = Contest("table", ("a", "b", "c")).seatings((0, 1, 2), np.arange(4), seed=0, limit=24)
    assert found.shape == (4, 6, 3)
    assert sorted(map(tuple, found[0])) == sorted(map(tuple, found[3]))
    assert len(set(map(tuple, found[0]))) == 6


def test_two_teams_of_mixed_agents():
    """One agent a seat in a game of teams, and one a side."""
    by_seat = Contest("table", ("a", "b", "a", "c")).seatings((0, 1, 0, 1), np.arange(2), seed=0, limit=24)
    assert by_seat.shape == (2, 12, 4)
    by_side = Contest("table", ("a", "b")).seatings((0, 1, 0, 1), np.arange(2), seed=0, limit=24)
    assert by_side[0].tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]


def test_many_seatings_are_drawn_evenly():
    names = ("a", "b", "c", "d", "e")
    found = Contest("table", names).seatings(range(5), np.arange(200), seed=4, limit=24)
    assert found.shape == (200, 20, 5)
    for deal in found[:5]:
        assert len(set(map(tuple, deal))) == 20
        for seat in range(5):
            assert np.bincount(deal[:, seat]).tolist() == [4] * 5, "everybody sits everywhere equally often"
    assert len({np.sort(deal.view("i8,i8,i8,i8,i8"), axis=0).tobytes() for deal in found}) > 190, "for each deal anew"
    neighbours = sum(int(one == 0 and two == 1) for deal in found for row in deal for one, two in pairwise(row))
    assert neighbours == pytest.approx(200 * 20 * 4 / 20, rel=0.1), "all orders are as likely"
    again = Contest("table", names).seatings(range(5), np.arange(100, 200), seed=4, limit=24)
    assert (again == found[100:]).all(), "they do not depend on the block"


def test_a_table_of_three():
    config = TournamentConfig(agents=TABLE, game="thousand", rules="default", format="tables", deals=40, seed=2)
    result = run(config)
    assert not result.pairs
    (table,) = result.tables
    assert table.plays == 6
    assert sum(value.mean for value in table.points.values()) == pytest.approx(0, abs=1e-3)
    assert set(result.standings) == set(TABLE)
    assert list(result.standings) == sorted(TABLE, key=lambda name: -table.points[name].mean)
    assert all(value.count == 40 for value in table.points.values())


def test_a_table_of_two_sides_is_a_pair():
    config = TournamentConfig(agents=TABLE[1:], game="pitch", format="both", deals=20, seed=2, matches=2)
    result = run(config)
    (pair,), (table,) = result.pairs, result.tables
    assert table.points[pair.first] == pair.points
    assert table.wins is not None
    assert table.wins[pair.first] == pair.wins


def test_lineups_of_five_with_an_agent_at_two_seats():
    lineup = ("random", "random", "random", "tournament_agents:First", "tournament_agents:Last")
    config = TournamentConfig(
        format="lineups", lineups=(lineup,), game="pitch", rules="five", deals=12, matches=2, seed=2, permutations=10
    )
    result = run(config)
    (table,) = result.tables
    assert table.plays == 10
    weighed = sum(table.points[name].mean * lineup.count(name) for name in table.points)
    assert weighed == pytest.approx(0, abs=1e-3)
    assert table.wins is not None
    assert sum(value.mean for value in table.wins.values()) == pytest.approx(1)


def test_formats_that_cannot_be():
    with pytest.raises(ConfigError, match="thousand has 3 sides; give at least 3 agents"):
        run(TournamentConfig(agents=TABLE[:2], game="thousand", format="tables"))
    with pytest.raises(ConfigError, match=r"lineups: \['random'\] is not allowed; allowed: 3 agents, at least two"):
        run(TournamentConfig(lineups=(("random",),), game="thousand", rules="default", agents=TABLE))
    with pytest.raises(ConfigError, match="allowed: 2 or 4 agents"):
        run(TournamentConfig(lineups=(("random", "heuristic", "random"),), format="lineups"))
    with pytest.raises(ConfigError, match="needs at least one line-up"):
        run(TournamentConfig(format="lineups"))
    with pytest.raises(ConfigError, match=r"allowed: 'pairs' \| 'tables' \| 'both' \| 'lineups'"):
        load(TournamentConfig, None, ["format=swiss"])


# Statistics of bidding and play.


@every_game
def test_statistics_are_plausible(game, rules):
    games = make_batch(game, rules=rules, num_games=64, seed=1)
    assert isinstance(games, HasStatistics)
    assert all(one.weight.sum() == 0 for one in games.seat_statistics()), "nothing is finished yet"
    rng = np.random.default_rng(0)
    while not games.done.all():
        games.step(games.sample_actions(rng))
    found = games.seat_statistics()
    names = [(one.phase, one.name) for one in found]
    assert len(set(names)) == len(names)
    assert {"bidding", "play", "result"} <= {one.phase for one in found}
    for one in found:
        assert one.value.shape == one.weight.shape == (64, games.spec.num_seats)
        assert one.unit in UNITS
        assert (one.value[one.weight == 0] == 0).all()
        assert one.unit != "share" or ((one.value >= 0) & (one.value <= one.weight)).all()
    declared = found[0]
    assert (declared.value.sum(axis=1) == 1).all(), "every hand has one declarer"


def test_statistics_by_agent():
    """Thousand: who always passes has few deals, and all forced ones."""
    config = TournamentConfig(agents=TABLE, game="thousand", rules="default", format="both", deals=60, seed=2)
    result = run(config)
    found = {(one.phase, one.name): one.agents for one in result.statistics}
    declared = found["bidding", "deals as declarer"]
    assert sum(declared[name].mean for name in TABLE) == pytest.approx(1, abs=0.02)
    made = found["play", "contracts made"]
    assert all(0 <= value.mean <= 1 for value in made.values())
    assert 100 <= found["bidding", "bid"]["random"].mean <= 300
    written = found["result", "points written"]
    best = max(TABLE, key=lambda name: written[name].mean)
    assert best == next(iter(result.standings))


def test_statistics_of_a_known_hand():
    """Schieber: the first player always pushes or always chooses, and the numbers say so."""
    result = run(TournamentConfig(agents=("tournament_agents:First", "tournament_agents:Last"), deals=30, seed=2))
    found = {one.name: one.agents for one in result.statistics}
    assert found["pushed"]["tournament_agents:First"].mean == 0
    assert found["pushed"]["tournament_agents:Last"].mean == 1
    assert found["Obenabe or Undenufe chosen"]["tournament_agents:First"].mean == 0
    assert found["hands as declarer"]["tournament_agents:First"].mean == 0.25


def test_agents_by_reference():
    spec = spec_of("thousand", "default")
    games = make_batch("thousand", num_games=8, seed=1)
    obs, mask, rng = games.observe(), games.legal_actions(), np.random.default_rng(0)
    expected = np.argmax(mask, axis=1).tolist()
    for name in ("First", "first", "policy", "batched", "Policy"):
        assert make_agent(f"tournament_agents:{name}", spec).act(obs, mask, rng).tolist() == expected
