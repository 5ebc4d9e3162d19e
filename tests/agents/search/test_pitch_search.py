"""What actions of Pitch are worth in sampled deals: against the engine and the solver, for every phase."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.pitch.game import Pitch
from bidtrick.envs.pitch.rules import PitchRules
from bidtrick.envs.pitch.scoring import score_hand
from bidtrick.envs.pitch.tables import BURN, KITTY, PHASES, PLAY, tables

pytest.importorskip("numba")

from bidtrick.agents.search.belief import sample
from bidtrick.agents.search.pitch.game import Search
from bidtrick.agents.search.pitch.payoff import payoff, shown_scores
from bidtrick.agents.search.pitch.positions import positions_of
from bidtrick.agents.search.pitch.solver import solver

RULES: dict[str, dict[str, Any]] = {
    "source": {},
    "playpitch": {"preset": "playpitch"},
    "trickster10": {"preset": "trickster10"},
    "campbell31": {"preset": "campbell31"},
    "nyx": {"preset": "nyx"},
    "colorado": {"preset": "colorado"},
    "five": {"preset": "five"},
    "hidden": {"burn_visible": False, "burn_policy": "misdeal_if_point", "misdeal_rule": "no_face_no_point"},
    "thrown": {"discarded_trump": "to_kitty", "version": 16},
    "dead": {"discarded_trump": "dead", "stuck_rule": "redeal", "min_bid": 9},
    "five_odd": {"players": 5, "call_own": True, "moon_5h": "on", "partner_shares_set": False, "version": 13},
}


def choice(search: Search, obs: Any, mask: Any, seed: int, deals: int = 4) -> tuple[int, Any]:
    """The action of the best mean over drawn deals, and the values."""
    rng = np.random.default_rng(seed)
    worlds = sample(search.cases(obs), deals, rng, search.evidence(obs))
    values = search.values(obs, mask, worlds, 10_000_000)
    return int(np.nan_to_num(values.mean(axis=0), nan=-np.inf).argmax()), values


@pytest.mark.parametrize("name", RULES)
def test_values_of_legal_actions_in_every_phase(name: str) -> None:
    """Random play reaches everything; each decision gets finite values for the legal actions and for no other."""
    play_and_value(name, 30)


@pytest.mark.soak
@pytest.mark.parametrize("name", RULES)
def test_values_in_many_positions(name: str) -> None:
    play_and_value(name, 2000)


def play_and_value(name: str, steps: int) -> None:
    games = cast(Pitch, make_batch("pitch", num_games=5, seed=2, rules=RULES[name], episode="match", auto_reset=True))
    search, rng = Search(games.spec), np.random.default_rng(3)
    seen: set[int] = set()
    for step in range(steps):
        row = step % 5
        obs, mask = games.observe(), games.legal_actions()
        seen.add(int(games.phase[row]))
        action, values = choice(search, obs[row], mask[row], step, deals=2)
        assert mask[row, action]
        assert np.isfinite(values[:, mask[row]]).all()
        assert np.isnan(values[:, ~mask[row]]).all()
        games.step(games.sample_actions(rng))
    assert {PHASES[phase] for phase in seen} >= {"bid", "play"}


@pytest.mark.parametrize("name", ["source", "five", "playpitch"])
def test_values_with_open_cards_are_what_the_engine_pays(name: str) -> None:
    """In the deal as it is the best card is worth the reward of a hand in which everybody then plays his best."""
    rules = PitchRules.make(RULES[name])
    rng = np.random.default_rng(1)
    compared = 0
    for seed in range(30):
        game = cast(Pitch, make_batch("pitch", num_games=1, seed=seed, rules=rules))
        while not game.done[0] and (game.phase[0] != PLAY or game.state.tricks[0] < seed % 3):
            game.step(game.sample_actions(rng))
        if game.done[0]:
            continue
        search, seat = Search(game.spec), int(game.current_player[0])
        state, mask = game.state_vector()[0], game.legal_actions()[0]
        width = game.spec.layout.size
        world = search.open_world(state[width:])
        values = search.values(state[:width], mask, world[None], 10_000_000)[0]
        partner = int(game.state.partner[0])
        side = int(1 << game.state.bidder[0]) | (1 << partner if partner >= 0 else 0)
        line = game.clone()
        reward = np.zeros(rules.players)
        while not line.done[0]:
            cards = solver(rules).cards(positions_of(line.state, rules), side)
            worth = cards.low[0] if side >> line.current_player[0] & 1 else -cards.low[0]
            worth[cards.low[0] < 0] = -100
            paid, _ = line.step(worth.argmax(keepdims=True))
            reward += paid[0]
        assert np.nanmax(values) == pytest.approx(reward[seat] * game.spec.reward_scale, abs=1e-4)
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("name", RULES)
def test_open_cards_in_every_phase(name: str) -> None:
    games = cast(Pitch, make_batch("pitch", num_games=5, seed=9, rules=RULES[name]))
    search, rng = Search(games.spec), np.random.default_rng(3)
    width = games.spec.layout.size
    for step in range(60):
        row = step % 5
        if step % 2 and not games.done[row]:
            state, mask = games.state_vector()[row], games.legal_actions()[row]
            values = search.values(state[:width], mask, search.open_world(state[width:])[None], 10_000_000)
            assert np.isfinite(values[0, mask]).all()
        games.step(np.where(games.done, -1, games.sample_actions(rng)))


@pytest.mark.parametrize("name", ["source", "five"])
def test_hidden_cards_do_not_change_the_choice(name: str) -> None:
    """Others' cards exchanged among them so that the seat sees the same: the same action from the same generator."""
    rules = PitchRules.make(RULES[name])
    tested = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        deck = rng.permutation(tables(rules).deck)
        size, players = tables(rules).hand_size, rules.players
        game = cast(Pitch, make_batch("pitch", num_games=2, seed=0, rules=rules))
        seat = seed % players
        other = deck.copy()
        hidden = [i for i in range(len(deck)) if not seat * size <= i < (seat + 1) * size]
        other[hidden] = other[rng.permutation(hidden)]
        game.reset(options={"deal": np.stack([deck, other]), "dealer": 0})
        while game.current_player[0] != seat:
            game.step(np.repeat(np.flatnonzero(game.legal_actions()[0])[:1], 2))
        obs, mask = game.observe(), game.legal_actions()
        assert np.array_equal(obs[0], obs[1])
        assert (game.state.hands[0] != game.state.hands[1]).any()
        chosen = [choice(Search(game.spec), obs[i], mask[i], seed)[0] for i in range(2)]
        assert chosen[0] == chosen[1]
        tested += 1
    assert tested == 12


@pytest.mark.parametrize("name", RULES)
def test_payoff_never_falls_with_ones_own_points(name: str) -> None:
    """That is what lets the solver count points only. The scores are those of the engine's own scoring."""
    rules = PitchRules.make(RULES[name])
    rng = np.random.default_rng(0)
    for _ in range(200):
        scores = rng.integers(-10, rules.target - 1, rules.entries)
        bid = int(rng.integers(rules.min_bid, rules.total + (3 if rules.moons else 1)))
        bidder = int(rng.integers(rules.players))
        partner = (bidder + 2) % rules.players if not rules.five or rng.random() < 0.8 else -1
        play = int(rng.integers(rules.total // 2, rules.total + 1))
        took = np.arange(play + 1)
        n = len(took)
        worth = payoff(
            rules, scores, np.full(n, bid), np.full(n, bidder), np.full(n, partner), took, play - took
        )  # fmt: skip
        own = bidder == 0 or partner == 0
        if rules.five and bid > rules.total and partner == 0:
            continue  # BD-31: the bidder alone wins by a moon
        assert (np.diff(worth if own else -worth) >= -1e-9).all()
        early = np.zeros(n, np.bool_)
        hand = score_hand(
            rules, np.tile(scores, (n, 1)), np.full(n, bidder), np.full(n, partner), np.full(n, bid), took,
            play - took, early,
        )  # fmt: skip
        if bid <= rules.total:
            gain = hand.scores - scores
            others = (gain.sum(axis=1) - gain[:, 0]) / (rules.entries - 1)
            assert worth == pytest.approx(gain[:, 0] - others)


def test_scores_are_read_back_from_observations() -> None:
    rules = PitchRules()
    games = cast(Pitch, make_batch("pitch", num_games=4, seed=1, rules=rules, episode="match"))
    scores = np.array([[51, -3], [0, 0], [-150, 20], [-300, -220]])
    games.reset(options={"scores": scores, "dealer": 3})
    obs = games.observe()
    read = np.array([shown_scores(row, games.spec.layout, rules) for row in obs])
    assert read.tolist() == [[51, -3], [0, 0], [-150, 20], [-203, -203]]


def test_small_budget_is_kept_and_gives_values() -> None:
    games = cast(Pitch, make_batch("pitch", num_games=1, seed=5, rules={"version": 16}))
    rng = np.random.default_rng(0)
    search = Search(games.spec)
    while games.phase[0] not in (KITTY, BURN, PLAY):
        games.step(games.sample_actions(rng))
    obs, mask = games.observe()[0], games.legal_actions()[0]
    worlds = sample(search.cases(obs), 5, rng, search.evidence(obs))
    few, many = (search.values(obs, mask, worlds, nodes) for nodes in (100, 10_000_000))
    assert np.isfinite(few[:, mask]).all()
    assert not np.array_equal(few[:, mask], many[:, mask])
