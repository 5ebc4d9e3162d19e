"""Tables of whole deals: Weis and Stöck as the engine scores them, and the sides the right way round."""

import numpy as np
from typer.testing import CliRunner

from bidtrick.agents.search.schieber.deals import Deals, stock_difference, weis_difference
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
    packets = [rest[0::3], [card for card in range(36) if high >> card & 1], rest[1::3], rest[2::3]]
    deck = np.array([card for packet in packets for card in packet])
    deals = Deals(make_batch("schieber").spec, table_bits=14)
    values = deals.solve(deck, dealer=0, nodes=20_000)
    hands = np.array([sum(1 << card for card in packet) for packet in packets], np.uint64)
    assert values.asked.sum(axis=0).tolist() == [0, 6, 0, 0]
    obenabe = {name: int(part[4, 1]) for name, part in values.parts.items()}
    assert (obenabe["play_low"], obenabe["play_high"], obenabe["factor"]) == (257, 257, 3)
    # three runs of three, and what the partner has: for the side of seat 1, who scores
    assert obenabe["weis"] == -weis_difference(hands, 1, deals.rules)[4] >= 60
    assert values.low[4, 1] == values.high[4, 1] == 3 * (257 + obenabe["weis"])
    assert (values.low <= values.high).all()
    assert (values.nodes <= 20_000).all()
    par = deals.par(values, dealer=0)
    assert par.seat == 1
    assert values.low[4, 1] <= par.low <= par.high
    # the same cards, seen from every forehand: a contract that is solved is the better for the lead
    every = deals.solve(deck, dealer=0, nodes=2_000, every=True)
    assert every.asked.all()
    assert (every.low[:, [0, 2]] <= 0).all()  # the others cannot be sure of anything against three suits of tops


def test_the_command_prints_a_table():
    found = CliRunner().invoke(app, ["solve", "schieber", "--seed", "3", "--nodes", "2000"])
    assert found.exit_code == 0, found.output
    for word in ("seat 3", "dealer", "Trump Eichel", "Undenufe", "par:"):
        assert word in found.output
