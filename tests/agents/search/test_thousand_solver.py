"""The solver of Thousand against plain search through the rule functions of the oracle, and against the engine."""

from __future__ import annotations

import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "reference"))

from reference.thousand_cards import card_points, declarable, legal_cards, suit_of, trick_winner
from thousand_differential import oracle_rules

from bidtrick.agents.search.thousand import position
from bidtrick.agents.search.thousand.solver import Objective, Solver, total_of
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.tables import PLAY, action_space

pytest.importorskip("numba")

#: Rules that change what may be played or what it is worth in the card play.
VARIANTS: dict[str, Any] = {
    "default": {},
    "duties": {"play_must_beat": True, "play_must_overtrump": True},
    "free": {"play_must_trump": False, "play_must_overtrump": True, "marriage_optional": False},
    "foreign": {"play_foreign_trump_lead": "forbidden", "marriage_values": (80, 100, 40, 60)},
    "followers": {"marriage_on_lead_only": False, "play_must_beat": True},
    "followers_early": {"marriage_on_lead_only": False, "marriage_needs_trick": False, "marriage_optional": False},
    "next_trick": {"marriage_trump_from": "next_trick", "play_foreign_trump_lead": "forbidden"},
    "next_followers": {"marriage_trump_from": "next_trick", "marriage_on_lead_only": False},
    "aces": {"ace_marriage": True, "ace_marriage_sets_trump": True, "ace_marriage_needs_trick": False},
    "aces_plain": {"ace_marriage": True, "ace_marriage_value": 100, "marriage_needs_trick": False},
    "aces_later": {"ace_marriage": True, "ace_marriage_sets_trump": True, "marriage_trump_from": "next_trick"},
    "two": {"players": 2},
    "two_bank": {"players": 2, "two_player_layout": "9+3+3", "ace_marriage": True},
    "four": {"players": 4},
}


@lru_cache(maxsize=32)
def solver(rules: ThousandRules) -> Solver:
    return Solver(rules, slots=1 << 12)


def endings(rules: ThousandRules, cards: int, count: int, seed: int) -> Any:
    """Games of random play with declarations, each stopped with at most so many cards in all hands."""
    games = make_batch("thousand", num_games=count, seed=seed, rules=rules)
    rng = np.random.default_rng(seed)
    declares = slice(24, action_space(rules).card_actions)
    for _ in range(600):
        state = games.state
        left = np.bitwise_count(state.hands).sum(axis=1)
        stop = (state.phase == PLAY) & (left <= cards - (games.state.game_id % 3 if cards > 6 else 0))
        if stop.all():
            return games
        actions = games.sample_actions(rng)
        legal = games.legal_actions()
        may = legal[:, declares].any(axis=1) & (rng.random(count) < 0.7) & (state.phase == PLAY)
        actions = np.where(may, 24 + legal[:, declares].argmax(axis=1), actions)
        space = action_space(rules)
        for refused in (space.redeal, space.write_off):
            other = space.keep if refused == space.redeal else space.amount + legal[:, space.amount :].argmax(axis=1)
            swap = (actions == refused) & legal[np.arange(count), other]
            actions = np.where(swap, other, actions)
        games.step(np.where(stop, -1, actions))
    raise AssertionError("some games never came to an ending")


class Plain:
    """A position searched without any cleverness, by the oracle's rules."""

    def __init__(self, rules: ThousandRules, row: np.ndarray, objective: Objective) -> None:
        self.rules, self.places = oracle_rules(rules), rules.active
        self.weights, self.maximisers, self.bank = objective.weights, objective.maximisers, int(row[position.BANK])
        hands = tuple(tuple(c for c in range(24) if int(row[k]) >> c & 1) for k in range(self.places))
        leader = int(row[position.LEADER])
        trick = tuple(
            ((leader + k) % self.places, int(row[position.CARD + k])) for k in range(int(row[position.ORDER]))
        )
        trump = None if row[position.TRUMP] == 4 else int(row[position.TRUMP])
        waits = (
            None
            if row[position.NEXT_TRUMP] == 4
            else (int(row[position.NEXT_TRUMP]), int(row[position.NEXT_OWNER]))
        )
        has = frozenset(k for k in range(self.places) if int(row[position.HAS]) >> k & 1)
        self.root = (hands, leader, trick, trump, int(row[position.OWNER]), has, waits)

    def actions(self, node: Any) -> list[tuple[int, bool, int]]:
        """(card, declares, worth)."""
        hands, leader, trick, trump, owner, has, _ = node
        seat = (leader + len(trick)) % self.places
        found = []
        for card in legal_cards(self.rules, hands[seat], seat, list(trick), trump, owner):
            worth = declarable(self.rules, hands[seat], card, not trick, seat in has)
            if not worth or self.rules["marriage"]["optional"]:
                found.append((card, False, 0))
            if worth:
                found.append((card, True, worth))
        return found

    def after(self, node: Any, card: int, declares: bool, worth: int) -> tuple[Any, int]:
        hands, leader, trick, trump, owner, has, waits = node
        seat = (leader + len(trick)) % self.places
        gain = self.weights[seat] * worth
        if declares and (card % 6 != 5 or self.rules["ace_marriage"]["sets_trump"]):
            if self.rules["marriage"]["trump_from"] == "immediately":
                trump, owner = suit_of(card), seat
            else:
                waits = (suit_of(card), seat)
        hands = tuple(tuple(c for c in hand if c != card) for hand in hands)
        trick = (*trick, (seat, card))
        if len(trick) == self.places:
            leader = trick_winner(list(trick), trump)
            gain += self.weights[leader] * card_points([c for _, c in trick])
            has, trick = has | {leader}, ()
            if waits is not None:
                (trump, owner), waits = waits, None
            if not hands[leader]:
                gain += self.weights[leader] * self.bank
        return (hands, leader, trick, trump, owner, has, waits), gain

    def value(self, node: Any) -> int:
        hands, leader, trick = node[:3]
        seat = (leader + len(trick)) % self.places
        if not hands[seat]:
            return 0
        values = []
        for action in self.actions(node):
            child, gain = self.after(node, *action)
            values.append(gain + self.value(child))
        return max(values) if seat in self.maximisers else min(values)

    def by_action(self, rules: ThousandRules) -> dict[int, int]:
        declare = {c: 24 + k for k, c in enumerate(c for s in range(4) for c in (6 * s + 2, 6 * s + 3))}
        declare |= {6 * s + 5: 32 + s for s in range(4)}
        found = {}
        for card, declares, worth in self.actions(self.root):
            child, gain = self.after(self.root, card, declares, worth)
            found[declare[card] if declares else card] = gain + self.value(child)
        return found


def objectives(active: int) -> list[Objective]:
    two = Objective((1, 0, -1) if active == 3 else (1, -1, 0), (0,))
    return [*(total_of(place) for place in range(active)), two, Objective((-1, 2, -1), (1, 2) if active == 3 else (1,))]


@pytest.mark.parametrize("name", VARIANTS)
def test_values_are_those_of_plain_search(name: str) -> None:
    """T-PLAY, T-MAR, T-ACE: value of a position and of each action, of every seat's own total and of differences."""
    rules = ThousandRules.make(VARIANTS[name])
    cards, count = (9, 10) if rules.active == 3 else (8, 10)
    games = endings(rules, cards, count, seed=len(name))
    rows, _ = position.of_games(games.state, rules)
    found = solver(rules)
    for objective in objectives(rules.active):
        values = found.values(rows, objective)
        by_action = found.action_values(rows, objective)
        assert values.exact.all()
        for k, row in enumerate(rows):
            plain = Plain(rules, row, objective)
            expected = plain.by_action(rules)
            legal = np.flatnonzero(games.legal_actions()[k])
            assert set(expected) == set(legal.tolist()) == set(np.flatnonzero(by_action.low[k] <= by_action.high[k]))
            assert {a: by_action.low[k, a] for a in expected} == expected
            assert {a: by_action.high[k, a] for a in expected} == expected
            assert values.low[k] == plain.value(plain.root)
            for target in (values.low[k] - 3, values.low[k], values.low[k] + 1, values.low[k] + 9):
                answer = found.at_least(rows[k : k + 1], objective, target)[0]
                assert answer == (values.low[k] >= target)
                answers = found.actions_at_least(rows[k : k + 1], objective, target)[0]
                assert {a: answers[a] for a in expected} == {a: int(v >= target) for a, v in expected.items()}


@pytest.mark.parametrize("name", ["default", "duties", "followers", "two_bank", "four"])
def test_solved_lines_come_out_so_in_the_engine(name: str) -> None:
    """Whole deals: both sides play best actions, and the declarer's total in the report is the value (T-SCO-01)."""
    rules = ThousandRules.make({**VARIANTS[name], "auction_cap": "none"})
    games = endings(rules, 24, 4, seed=3)
    rows, seats = position.of_games(games.state, rules)
    found = Solver(rules, slots=1 << 15)
    state = games.state
    declarer = state.declarer.astype(int)
    place = (seats == declarer[:, None]).argmax(axis=1)
    sheet = state.sheet[np.arange(len(rows)), declarer]
    before = sheet[:, 8].astype(int) + 10 * sheet[:, 10].astype(int)
    expected = [int(found.values(rows[k : k + 1], total_of(int(place[k]))).low[0]) for k in range(len(rows))]
    while not games.done.all():
        rows, seats = position.of_games(games.select(np.flatnonzero(~games.done)).state, rules)
        actions = np.full(len(place), -1)
        for row, k in zip(rows, np.flatnonzero(~games.done), strict=True):
            values = found.action_values(row[None], total_of(int(place[k])))
            legal = values.low[0] <= values.high[0]
            best = games.state.player[k] == declarer[k]
            low = np.where(legal, values.low[0], -(10**6) if best else 10**6)
            actions[k] = low.argmax() if best else low.argmin()
        games.step(actions)
    report = games.report()
    total = report["points"] + report["marriages"]
    assert (total[np.arange(len(place)), declarer] - before).tolist() == expected


def test_a_budget_that_runs_out_leaves_bounds() -> None:
    rules = ThousandRules.make(None)
    rng = np.random.default_rng(5)
    decks = np.array([rng.permutation(24) for _ in range(12)], np.uint64)
    rows = position.at_the_start((np.uint64(1) << decks).reshape(12, 3, 8).sum(axis=2))
    found = Solver(rules)
    exact = found.values(rows, total_of(0))
    for budget in (1, 50, 2000):
        bounds = found.values(rows, total_of(0), budget=budget)
        assert (bounds.low <= exact.low).all()
        assert (bounds.high >= exact.low).all()
        assert (bounds.nodes <= budget).all()
    assert not found.values(rows, total_of(0), budget=1).exact.all()
    assert (found.at_least(rows, total_of(0), exact.low, budget=1) == -1).any()
    assert (found.at_least(rows, total_of(0), exact.low) == 1).all()
    assert (found.at_least(rows, total_of(0), exact.low + 1) == 0).all()


def test_a_table_that_is_emptied_or_small_changes_nothing() -> None:
    rules = ThousandRules.make("mailru")
    rng = np.random.default_rng(6)
    decks = np.array([rng.permutation(24) for _ in range(4)], np.uint64)
    rows = position.at_the_start((np.uint64(1) << decks).reshape(4, 3, 8).sum(axis=2))
    small, large = Solver(rules, slots=2), Solver(rules)
    assert small.values(rows, total_of(1)).low.tolist() == large.values(rows, total_of(1)).low.tolist()
    large._deal = (1 << 22) - 2  # the next call empties the table
    assert small.values(rows, total_of(2)).low.tolist() == large.values(rows, total_of(2)).low.tolist()
    assert large._deal == 4


def test_what_cannot_be_solved_is_refused() -> None:
    rules = ThousandRules.make(None)
    games = make_batch("thousand", num_games=2, seed=0)
    with pytest.raises(BidtrickError, match="game 0 is not in the card play"):
        position.of_games(games.state, rules)
    rows = position.at_the_start(np.array([[255, 255 << 8, 255 << 16]]))
    found = solver(rules)
    with pytest.raises(BidtrickError, match="positions must be int64"):
        found.values(rows[0], total_of(0))
    with pytest.raises(BidtrickError, match=r"maximisers=\(3,\) are not allowed"):
        found.values(rows, Objective((1, 0, 0), (3,)))
    with pytest.raises(BidtrickError, match="weights"):
        found.values(rows, Objective((9, 0, 0), (0,)))
    with pytest.raises(BidtrickError, match="budget=0"):
        found.values(rows, total_of(0), budget=0)
    with pytest.raises(BidtrickError, match="power of two"):
        Solver(rules, slots=3)


@pytest.mark.soak
def test_print_the_time_of_full_deals() -> None:
    """Times of exact values, of bounds, and of all actions, on random deals of eight cards (`pytest -s`)."""
    rng = np.random.default_rng(1)
    decks = np.array([rng.permutation(24) for _ in range(300)], np.uint64)
    rows = position.at_the_start((np.uint64(1) << decks).reshape(300, 3, 8).sum(axis=2))
    found = Solver(ThousandRules.make(None))
    found.action_values(rows[:1], total_of(0))
    for name, solve in (("value", found.values), ("within 8", _within), ("all actions", found.action_values)):
        times = []
        for row in rows[: 300 if name != "all actions" else 60]:
            start = time.process_time()
            solve(row[None], total_of(0))
            times.append(1000 * (time.process_time() - start))
        low, middle, high = np.mean(times), np.median(times), np.quantile(times, 0.9)
        print(f"{name}: mean {low:.2f} ms, median {middle:.2f} ms, 90th percentile {high:.2f} ms")


def _within(rows: Any, objective: Objective) -> Any:
    return solver(ThousandRules.make(None)).values(rows, objective, 100, 8)
