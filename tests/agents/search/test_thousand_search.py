"""Thousand as search sees it: values in every phase, nothing beyond the seat's own view, known deals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from bidtrick.agents.base import act_masked
from bidtrick.agents.registry import make_agent
from bidtrick.agents.search.belief import Belief
from bidtrick.agents.search.thousand import position
from bidtrick.agents.search.thousand.game import Search
from bidtrick.envs import make_batch
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.tables import PHASES, action_space

VARIANTS: dict[str, Any] = {
    "default": {},
    "late": {"contract_declare": "after_pass", "play_must_beat": True, "marriage_trump_from": "next_trick"},
    "followers": {"marriage_on_lead_only": False, "marriage_needs_trick": False, "golden": "on"},
    "dark": {"dark": "C", "ace_marriage": True, "redeal_defender_four_nines": True},
    "two": {"players": 2},
    "bank": {"players": 2, "two_player_layout": "9+3+3", "two_player_take": "choice"},
    "four": {"players": 4, "pass_visibility": "public"},
}


def choose(search: Search, game: Any, worlds: int, seed: int) -> tuple[int, np.ndarray]:
    """The action of the best mean value over some deals, and the values."""
    obs, mask = game.observe()[0], game.legal_actions()[0]
    deals = Belief(search.cases(obs)).sample(worlds, np.random.default_rng(seed))
    values = search.values(obs, mask, deals, 40_000 * worlds)
    assert values.shape == (worlds, len(mask))
    assert np.isfinite(values[:, mask]).all()
    assert np.isnan(values[:, ~mask]).all()
    return int(np.nanargmax(values.mean(axis=0))), values


@pytest.mark.parametrize("name", VARIANTS)
def test_every_decision_of_some_games(name: str) -> None:
    """Games of search and random moves in turn: values for the legal actions, and positions as the engine has them."""
    rules = ThousandRules.make(VARIANTS[name])
    rng, phases = np.random.default_rng(1), set[str]()
    game = make_batch("thousand", 1, rules=rules)
    search = Search(game.spec)
    for seed in range(2):
        game.reset(seed=seed)
        while not game.done[0]:
            phases.add(PHASES[game.phase[0]])
            action, _ = choose(search, game, 2, seed)
            if PHASES[game.phase[0]] == "play":
                _same_position(search, game)
            searches = rng.random() < 0.7 and action not in (search.space.redeal, search.space.write_off)
            game.step([action if searches else int(game.sample_actions(rng)[0])])
    assert {"contract" if name in ("followers", "dark") else "auction", "give", "play"} <= phases


def _same_position(search: Search, game: Any) -> None:
    """The true deal gives the position that the engine has, its places turned so that the own seat is the first."""
    seen = search._knowledge.seen(game.observe()[0])
    state, rules = game.state, game.rules
    row, seats = position.of_games(state, rules)
    own = seats[0].tolist().index(int(game.current_player[0]))
    n = rules.active
    hands = np.array([[int(row[0, (own + k) % n]) for k in range(1, n)] + [0] * (4 - n)], np.uint64)
    if rules.players == 2:
        rest = [int(t) for t in state.talons[0] if int(t) != int(state.talon[0])]
        bank = int(state.gave[0, 1]) if rules.gives == 2 and seen.declarer != 0 else 0
        hands = np.array([[int(hands[0, 0]), rest[0], bank]], np.uint64)
    found = search.positions(seen, hands)[0]
    expected = row[0].copy()
    expected[:n] = np.roll(row[0, :n], -own)
    for field in (position.LEADER, position.OWNER, position.NEXT_OWNER):
        if expected[field] >= 0:
            expected[field] = (expected[field] - own) % n
    has = int(row[0, position.HAS])
    expected[position.HAS] = sum(1 << k for k in range(n) if has >> (own + k) % n & 1)
    assert found.tolist() == expected.tolist()


def test_hidden_cards_change_nothing() -> None:
    """Cards that the seat cannot see, exchanged: the same cases, the same values, the same choice."""
    rules = ThousandRules.make(None)
    rng = np.random.default_rng(3)
    asked = 0
    for seed in range(6):
        game = make_batch("thousand", 1, seed=seed, rules=rules)
        search = Search(game.spec)
        for _ in range(int(rng.integers(0, 22))):
            if not game.done[0]:
                game.step(game.sample_actions(rng))
        if game.done[0]:
            continue
        obs = game.observe()[0]
        deals = Belief(search.cases(obs)).sample(40, rng)
        other = game.clone()
        seat, state = int(game.current_player[0]), other.state
        others = [(seat + k) % 3 for k in (1, 2)]
        differs = deals[deals[:, 0] != state.hands[0, others[0]]]
        if not len(differs):
            continue
        state.hands[0, others] = differs[0, :2]
        if not int(state.talon[0]):
            state.talons[0, 0] = differs[0, 2]
        assert (other.observe() == game.observe()).all()
        before, after = choose(search, game, 3, 5), choose(search, other, 3, 5)
        assert before[0] == after[0]
        np.testing.assert_array_equal(before[1], after[1])
        asked += 1
    assert asked >= 3


def test_a_strong_hand_is_bought_and_played() -> None:
    """Aces and the marriage of hearts: search buys the talon and takes 120 at least against random cards."""
    strong = "♠A ♥A ♥K ♥Q ♥10 ♦A ♣A", "♠9 ♠J ♣9 ♣J ♦9 ♦J ♥9", "♠10 ♠K ♣10 ♣K ♦Q ♦10 ♥J", "♠Q ♣Q ♦K"
    game = make_batch("thousand", 1, rules={"redeal_hand_nines_ge": None, "redeal_hand_points_lt": None})
    game.reset(seed=0, options={"dealer": 2, "deal": [hand.replace(" ", ", ") for hand in strong]})
    search, space, rng = Search(game.spec), action_space(game.rules), np.random.default_rng(0)
    first, values = choose(search, game, 4, 1)
    assert values[:, space.amount : space.amount + 5].min() > 0
    assert first >= space.amount
    while not game.done[0]:
        own = game.current_player[0] == 0
        if not own and game.phase[0] == PHASES.index("auction"):
            action = space.pass_
        else:
            action = choose(search, game, 4, 1)[0] if own else int(game.sample_actions(rng)[0])
        game.step([action])
    report = game.report()
    assert report["declarer"][0] == 0
    assert report["points"][0, 0] + report["marriages"][0, 0] >= 120


def test_agents_by_name_play_whole_deals() -> None:
    """`pimc:N` and `cheat` from the registry: legal moves to the end, the true deal from the planes."""
    for rules in (None, "four", "duel_c"):
        games = make_batch("thousand", 2, seed=4, rules=rules)
        agents = [make_agent("pimc:1,nodes=5000", games.spec), make_agent("cheat", games.spec)]
        agents[1].nodes = 5000  # type: ignore[attr-defined]
        rng, turn = np.random.default_rng(0), 0
        while not games.done.all():
            agent = agents[turn % 2]
            obs = games.observe() if turn % 2 == 0 else games.state_vector()
            turn += 1
            games.step(act_masked(agent, obs, games.legal_actions(), rng))
        assert games.done.all()
