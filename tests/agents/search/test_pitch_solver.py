"""The exact solver of Pitch: against plain minimax, and against the engine that plays its line out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.core.bits import indices_of
from bidtrick.envs.pitch.game import Pitch
from bidtrick.envs.pitch.rules import PitchRules
from bidtrick.envs.pitch.state import PLAYED
from bidtrick.envs.pitch.tables import COLUMNS, NO_CARD, PLAY, tables

pytest.importorskip("numba")

from bidtrick.agents.search.pitch.positions import PositionError, Positions, positions_of
from bidtrick.agents.search.pitch.solver import NO, UNKNOWN, YES, solver

RULES: dict[str, dict[str, Any]] = {
    "source": {},
    "dirty": {"two_rule": "captured"},
    "equal_jokers": {"joker_order": "first_played_high"},
    "reverse": {"reverse": True, "joker_order": "first_played_high"},
    "sixteen": {"version": 16},
    "fourteen": {"version": 14, "off_two": "captured", "first_lead_natural": True},
    "removed": {"version": 11, "uncounted": "removed", "burn_policy": "any"},
    "five": {"players": 5},
    "five_free": {"players": 5, "version": 13, "called_card_first_trick": False, "call_own": True},
}


def brute_force(
    order: list[tuple[int, int, int]],
    hands: list[frozenset[int]],
    trick: list[tuple[int, int]],
    seat: int,
    leader: int,
    side: int,
    allowed: dict[int, frozenset[int]],
) -> tuple[int, dict[int, int]]:
    """(value, value of each card) by looking at everything: points of `side` from here on.

    Args:
        order: card → (strength, points with the trick, points of the player). trick: (seat, card) played so far;
            allowed: what seats must play to this trick, if they hold any of it.
    """
    if not any(hands):
        return 0, {}
    players = len(hands)
    values: dict[int, int] = {}
    must = hands[seat] & allowed.get(seat, hands[seat])
    for card in must or hands[seat]:
        gain = order[card][2] if side >> seat & 1 else 0
        held = [hand - {card} if s == seat else hand for s, hand in enumerate(hands)]
        now = [*trick, (seat, card)]
        following = (seat + 1) % players
        while following != leader and not held[following]:
            following = (following + 1) % players
        if following != leader:
            rest, _ = brute_force(order, held, now, following, leader, side, allowed)
        else:
            winner = now[0]
            for play in now[1:]:
                if order[play[1]][0] > order[winner[1]][0]:
                    winner = play
            if side >> winner[0] & 1:
                gain += sum(order[c][1] for _, c in now)
            lead = winner[0]
            while any(held) and not held[lead]:
                lead = (lead + 1) % players
            rest, _ = brute_force(order, held, [], lead, lead, side, {})
        values[card] = gain + rest
    best = max(values.values()) if side >> seat & 1 else min(values.values())
    return best, values


def played_to(rules: PitchRules, num_games: int, seed: int, cards_left: int) -> Pitch:
    """Games of random play, each stopped in the play when at most so many trumps are left in all hands."""
    games = cast(Pitch, make_batch("pitch", num_games=num_games, seed=seed, rules=rules))
    rng = np.random.default_rng(seed)
    while True:
        left = np.bitwise_count(games.state.hands).sum(axis=1)
        go_on = ((games.phase != PLAY) | (left > cards_left)) & ~games.done
        if not go_on.any():
            return games.select(np.flatnonzero(~games.done))
        games.step(np.where(go_on, games.sample_actions(rng), -1))


def declaring_side(games: Pitch) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Masks of the seats of the bidder and his partner."""
    bidder, partner = games.state.bidder.astype(np.int64), games.state.partner.astype(np.int64)
    return (1 << bidder) | np.where(partner >= 0, 1 << np.maximum(partner, 0), 0)


def order_of(rules: PitchRules, trump: int) -> list[tuple[int, int, int]]:
    t = tables(rules)
    row = slice(trump * COLUMNS, (trump + 1) * COLUMNS)
    return list(zip(t.strength[row].tolist(), t.won[row].tolist(), t.own[row].tolist(), strict=True))


def compare_with_brute_force(rules: PitchRules, positions: Positions, tricks: list[Any], side: Any) -> None:
    value, cards = solver(rules).value(positions, side), solver(rules).cards(positions, side)
    assert value.exact
    assert cards.exact
    for i in range(len(positions)):
        hands = [frozenset(indices_of(int(word))) for word in positions.hands[i]]
        allowed = {p: frozenset(indices_of(int(word))) for p, word in enumerate(positions.first[i])}
        best, each = brute_force(
            order_of(rules, int(positions.trump[i])), hands, tricks[i], int(positions.seat[i]),
            int(positions.leader[i]), int(side[i]), allowed,
        )  # fmt: skip
        assert value.low[i] == best
        assert {c: int(cards.low[i, c]) for c in range(NO_CARD) if cards.low[i, c] >= 0} == each


@pytest.mark.parametrize("name", RULES)
def test_endings_against_plain_minimax(name: str) -> None:
    """Every card of every ending, for the bidding side and for a single seat against the rest."""
    rules = PitchRules(**RULES[name])
    played = played_to(rules, 40, 5, 8)
    positions, s = positions_of(played.state, rules), played.state
    tricks: list[list[tuple[int, int]]] = []
    for i in range(len(positions)):
        cards = sorted(indices_of(int(s.table[i])), key=lambda card: int(s.when[i, card]))
        tricks.append([(int(np.argmax(s.cards[i, :, PLAYED] >> np.uint64(c) & np.uint64(1))), c) for c in cards])
    assert len(positions) > 30
    assert sum(map(bool, tricks)) > 5
    for side in (declaring_side(played), np.full(len(positions), 2)):
        compare_with_brute_force(rules, positions, tricks, side)


@pytest.mark.parametrize("name", ["fourteen", "five", "five_free"])
def test_first_tricks_against_plain_minimax(name: str) -> None:
    """Called cards and natural leads bind in the first trick only. Hands are cut so that plain minimax can do it."""
    rules = PitchRules(**RULES[name])
    games = played_to(rules, 150, 8, 1000)
    full = positions_of(games.state, rules)
    legal = games.legal_actions()[:, :NO_CARD]
    rows = np.arange(len(full))
    bound = np.flatnonzero(legal.sum(axis=1) < np.bitwise_count(full.hands[rows, full.seat]))
    own = [frozenset(indices_of(int(w))) for w in full.hands[rows, full.seat] & full.first[rows, full.seat]]
    assert [frozenset(np.flatnonzero(row).tolist()) for row in legal] == own  # duties are those of the engine
    rng = np.random.default_rng(1)
    hands = full.hands.copy()
    for i in rows:
        while True:
            held = [(p, c) for p in range(rules.players) for c in indices_of(int(hands[i, p]))]
            several = [p for p in range(rules.players) if hands[i, p].bit_count() > 1]
            loose = [(p, c) for p, c in held if p in several and c != games.state.called[i]]
            if len(held) <= 8 or not loose:
                break
            p, c = loose[int(rng.integers(len(loose)))]
            hands[i, p] ^= np.uint64(1 << c)
    cut = replace(full, hands=hands)
    duty = (hands & full.first != hands) & (hands & full.first != 0)
    assert len(bound) > 5
    assert duty.any(axis=1).sum() > 5
    compare_with_brute_force(rules, cut, [[]] * len(cut), declaring_side(games))


@pytest.mark.parametrize("name", RULES)
def test_the_line_played_in_the_engine_takes_the_value(name: str) -> None:
    """Full hands: each seat plays a best card, and the points in the end are the value at the start."""
    rules = PitchRules(**RULES[name])
    games = played_to(rules, 30, 11, 1000)
    side = declaring_side(games)
    start = positions_of(games.state, rules)
    value = solver(rules).value(start, side)
    assert value.exact
    assert not games.state.tricks.any()
    assert len(games.state) > 20
    least = solver(rules).at_least(start, side, value.low)
    more = solver(rules).at_least(start, side, value.low + 1)
    assert (least == YES).all()
    assert (more == NO).all()
    going = np.arange(len(start))
    while len(going):
        part = games.select(going)
        cards = solver(rules).cards(positions_of(part.state, rules), side[going])
        declares = side[going] >> part.current_player & 1
        worth = np.where(declares[:, None] == 1, cards.low, -cards.low)
        worth[cards.low < 0] = -100
        actions = np.full(len(games.state), -1)
        actions[going] = worth.argmax(axis=1)
        games.step(actions)  # refuses what is not legal
        going = np.flatnonzero(~games.done)
    assert np.array_equal(games.report()["took"], value.low)


def test_budget_that_runs_out_gives_bounds_around_the_value() -> None:
    rules = PitchRules(version=16)
    games = played_to(rules, 40, 3, 1000)
    side = declaring_side(games)
    positions = positions_of(games.state, rules)
    exact = solver(rules).cards(positions, side)
    whole = solver(rules).value(positions, side)
    unsure = 0
    for each in (1, 10, 100, 400):
        budget = each * len(positions)
        cards, value = solver(rules).cards(positions, side, budget), solver(rules).value(positions, side, budget)
        assert cards.nodes <= budget + len(positions) * 30  # one node over for each card asked about
        assert value.nodes <= budget + len(positions)
        assert ((cards.low <= exact.low) & (exact.low <= cards.high)).all()
        assert ((value.low <= whole.low) & (whole.low <= value.high)).all()
        answers = solver(rules).at_least(positions, side, whole.low, budget)
        assert set(answers.tolist()) <= {YES, UNKNOWN}
        unsure += int((answers == UNKNOWN).sum()) + int((value.low < value.high).sum())
    assert unsure > 20
    # the memory of a search that was given up is not wrong
    assert np.array_equal(solver(rules).value(positions, side).low, whole.low)


def test_refuses_what_is_no_position() -> None:
    rules = PitchRules()
    games = cast(Pitch, make_batch("pitch", num_games=2, seed=0))
    with pytest.raises(PositionError, match="game 0 is not in the card play"):
        positions_of(games.state, rules)
    played = played_to(rules, 3, 1, 9)
    p = positions_of(played.state, rules)
    dead = Positions(p.hands | np.uint64((1 << 54) - 1), *[getattr(p, n) for n in list(p.__dataclass_fields__)[1:]])
    with pytest.raises(PositionError, match="position 0 must be at most six trumps"):
        solver(rules).value(dead, 1)
    with pytest.raises(PositionError, match="nodes must be at least 1; got 0"):
        solver(rules).value(p, 1, 0)
    five = PitchRules(players=5)
    with pytest.raises(PositionError, match=r"hands must be uint64 \[W, 5\]"):
        solver(five).value(p, 1)
