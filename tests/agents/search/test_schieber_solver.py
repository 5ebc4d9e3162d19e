"""The solver of Schieber against brute force over the oracle's rules, and its honesty about budgets."""

import numpy as np
import pytest
from reference import schieber as oracle

from bidtrick.agents.search.schieber.solver import Bounds, Position, PositionError, Solver
from bidtrick.envs.schieber.rules import SchieberRules

RULES = [
    SchieberRules(match_bonus=bonus, undenufe_eleven=eleven)
    for bonus, eleven in ((100, "ace"), (100, "six"), (0, "ace"), (0, "six"))
]


@pytest.fixture(scope="module")
def solvers():
    return {rules: Solver(rules, table_bits=14) for rules in RULES}


def minimax(hands, position, trick, leader, sweeps, rules, known):
    """The difference that the rest makes for seats 0 and 2, by trying everything."""
    key = (tuple(hands), leader, trick, sweeps)
    if key in known:
        return known[key]
    if not any(hands):
        return rules.match_bonus * (sweeps[0] - sweeps[1])
    seat, results = (leader + len(trick)) % 4, []
    for card in oracle.legal_cards(sorted(hands[seat]), trick, position.contract):
        left = tuple(hand - {card} if s == seat else hand for s, hand in enumerate(hands))
        now = (*trick, card)
        if len(now) < 4:
            results.append(minimax(left, position, now, leader, sweeps, rules, known))
            continue
        taker = (leader + oracle.winning_index(now, position.contract)) % 4
        points = sum(oracle.card_points(c, position.contract, rules.undenufe_eleven) for c in now)
        points += 0 if any(left) else 5
        still = (sweeps[0] and taker % 2 == 0, sweeps[1] and taker % 2 == 1)
        rest = minimax(left, position, (), taker, still, rules, known)
        results.append(rest + (points if taker % 2 == 0 else -points))
    known[key] = max(results) if seat % 2 == 0 else min(results)
    return known[key]


def worth(position, rules):
    hands = tuple(frozenset(c for c in range(36) if hand >> c & 1) for hand in position.hands)
    sweeps = position.sweeps if rules.match_bonus else (False, False)
    return minimax(hands, position, position.trick, position.leader, sweeps, rules, {})


def after(position, card, rules):
    """The value after a card, by brute force."""
    seat = position.player
    hands = [frozenset(c for c in range(36) if hand >> c & 1) for hand in position.hands]
    hands[seat] -= {card}
    now = (*position.trick, card)
    sweeps = position.sweeps if rules.match_bonus else (False, False)
    if len(now) < 4:
        return minimax(tuple(hands), position, now, position.leader, sweeps, rules, {})
    taker = (position.leader + oracle.winning_index(now, position.contract)) % 4
    points = sum(oracle.card_points(c, position.contract, rules.undenufe_eleven) for c in now) + 5 * (not any(hands))
    still = (sweeps[0] and taker % 2 == 0, sweeps[1] and taker % 2 == 1)
    rest = minimax(tuple(hands), position, (), taker, still, rules, {})
    return rest + (points if taker % 2 == 0 else -points)


def endings(seeds, most_cards):
    """Random positions of every contract, also in the middle of a trick, with rules."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        contract, tricks = seed % 6, int(rng.integers(1, most_cards + 1))
        cards = rng.permutation(36)[: 4 * tricks].reshape(4, tricks)
        hands = [set(hand.tolist()) for hand in cards]
        leader, trick = int(rng.integers(4)), []
        for _ in range(int(rng.integers(0, 4))):
            seat = (leader + len(trick)) % 4
            trick.append(int(rng.choice(oracle.legal_cards(sorted(hands[seat]), trick, contract))))
            hands[seat].remove(trick[-1])
        words = tuple(sum(1 << c for c in hand) for hand in hands)
        sweeps = (bool(rng.integers(2)), bool(rng.integers(2)))
        yield Position(words, contract, leader, tuple(trick), sweeps), RULES[int(rng.integers(len(RULES)))]


def full_deal(seed, contract, tricks=9):
    cards = np.random.default_rng(seed).permutation(36)
    words = [sum(1 << int(c) for c in cards[9 * s : 9 * s + tricks]) for s in range(4)]
    return Position(tuple(words), contract, seed % 4)


def test_value_and_at_least_are_exact(solvers):
    for position, rules in endings(range(120), 4):
        value = worth(position, rules)
        found = solvers[rules].value(position)
        assert (found.low, found.high) == (value, value), position
        for bound in (value - 1, value, value + 1):
            assert solvers[rules].at_least(position, bound) is (value >= bound)


def test_every_card_is_valued(solvers):
    for position, rules in endings(range(200, 290), 3):
        found = solvers[rules].cards(position)
        hand = sorted(c for c in range(36) if position.hands[position.player] >> c & 1)
        assert sorted(found) == oracle.legal_cards(hand, position.trick, position.contract)
        for card, bounds in found.items():
            assert (bounds.low, bounds.high) == (after(position, card, rules),) * 2, (position, card)
        estimate = solvers[rules].estimate(position, 100_000)
        assert estimate.exact
        assert estimate.values == {card: bounds.low for card, bounds in found.items()}


def test_bounds_hold_when_the_nodes_run_out(solvers):
    rules = RULES[0]
    solver, cut = solvers[rules], 0
    for seed in range(12):
        position = full_deal(seed, seed % 6, tricks=5)
        value = solver.value(position).low
        for nodes in (1, 50, 500, 3000):
            found = solver.value(position, nodes)
            assert found.low <= value <= found.high
            assert found.nodes <= nodes
            cut += not found.exact
            assert solver.at_least(position, value, nodes) in (True, None)
            assert solver.at_least(position, value + 2, nodes) in (False, None)
    assert cut > 20


def test_estimates_keep_to_their_nodes(solvers):
    solver = solvers[RULES[0]]
    for seed in range(8):
        position = full_deal(seed, seed % 6)
        for nodes in (0, 2000, 20_000):
            found = solver.estimate(position, nodes)
            assert found.nodes <= max(nodes, 9 * 36) + 36
            assert len(found.values) == 9
            assert all(abs(value) <= 257 for value in found.values.values())
            assert solver.estimate_value(position, nodes).nodes <= max(nodes, 36) + 36


def test_all_tricks_and_the_bonus():
    """Obenabe with all Asse, Könige, Ober, Under … of every suit on one side: 157 and the match bonus."""
    high = sum(0b111 << (9 * suit + 6) for suit in (0, 1, 2))
    hands = [high, 0, 0, 0]
    rest = [c for c in range(36) if not high >> c & 1]
    for k, seat in enumerate((1, 2, 3)):
        hands[seat] = sum(1 << c for c in rest[k::3])
    position = Position(tuple(hands), 4, 0)
    assert Solver(SchieberRules(), 12).value(position, 10**6)[:2] == (257, 257)
    assert Solver(SchieberRules(match_bonus=0), 12).value(position, 10**6)[:2] == (157, 157)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((1, 2, 4, 0), 0, 0), "equally large"),
        (((1, 1, 4, 8), 0, 0), "different numbers"),
        (((1, 2, 4, 8), 6, 0), "contract must be from 0 to 5"),
        (((1, 2, 4, 1 << 36), 0, 0), "different numbers from 0 to 35"),
        (((0, 0, 0, 0), 0, 0), "equally large"),
    ],
)
def test_bad_positions_are_refused(arguments, message):
    with pytest.raises(PositionError, match=message):
        Position(*arguments)


def test_bounds_say_whether_they_are_exact():
    assert Bounds(3, 3, 0).exact
    assert not Bounds(3, 4, 0).exact
