"""Tables of whole deals: Weis and Stöck as the engine scores them, and the sides the right way round."""

import numpy as np
from typer.testing import CliRunner

from bidtrick.agents.search.schieber.deals import contract_values, par, stock_difference, weis_difference
from bidtrick.agents.search.schieber.solver import Solver
from bidtrick.cli.shared import app
from bidtrick.envs import make_batch
from bidtrick.envs.schieber.rules import SchieberRules


def test_weis_and_stock_are_what_the_engine_scores():
    games = make_batch("schieber", 300, seed=4, rules={"target": 100_000})
    hands, forehand = games.state.hands.copy(), games.state.forehand.copy()
    contracts, rng = np.arange(300) % 6, np.random.default_rng(0)
    games.step(36 + contracts)
    while (games.current_player >= 0).any():
        games.step(games.sample_actions(rng))
    report, seen = games.report(), 0
    for game in range(300):
        weis = weis_difference(hands[game], int(forehand[game]), games.rules)[contracts[game]]
        stock = stock_difference(hands[game], games.rules)[contracts[game]]
        assert weis == report["weis"][game, 0] - report["weis"][game, 1]
        assert stock == report["stock"][game, 0] - report["stock"][game, 1]
        seen += weis != 0 or stock != 0
    assert seen > 100
    bare = SchieberRules(weis=False, stock=False)
    assert weis_difference(hands[0], 0, bare) == stock_difference(hands[0], bare) == [0] * 6


def test_values_are_for_forehands_side():
    """Seat 1 leads and has nine cards that take every trick in Obenabe: three suits headed by Ass, König, Ober."""
    high = sum(0b111 << (9 * suit + 6) for suit in (0, 1, 2))
    rest = [card for card in range(36) if not high >> card & 1]
    hands = [sum(1 << card for card in rest[k::3]) for k in range(3)]
    hands.insert(1, high)
    rules = SchieberRules()
    values = contract_values(Solver(rules, 14), np.array(hands, np.uint64), 1, 20_000)
    obenabe = values[4]
    assert (obenabe.low, obenabe.high, obenabe.multiplier) == (257, 257, 3)
    # three runs of three, and what the partner has: for the side of seat 1, who scores
    assert obenabe.weis == -weis_difference(np.array(hands, np.uint64), 1, rules)[4] >= 60
    assert obenabe.total == (3 * (257 + obenabe.weis),) * 2
    assert all(value.low <= value.high and value.nodes <= 20_000 for value in values)
    low, high = par(values)
    assert obenabe.total[0] <= low <= high


def test_the_command_prints_a_table():
    found = CliRunner().invoke(app, ["solve", "schieber", "--seed", "3", "--nodes", "2000"])
    assert found.exit_code == 0, found.output
    for word in ("seat 3", "forehand", "Trump Eichel", "Undenufe", "par:"):
        assert word in found.output
    wrong = CliRunner().invoke(app, ["solve", "pitch"])
    assert wrong.exit_code != 0
    assert "games: schieber" in str(wrong.exception)
