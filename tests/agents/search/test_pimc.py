"""The agents that search: what they may know, what they may play, what they may use."""

import sys
from importlib import import_module

import numpy as np
import pytest

from bidtrick.agents.registry import make_agent
from bidtrick.agents.search.base import search_game
from bidtrick.agents.search.belief import Belief
from bidtrick.agents.search.race import cautious, few, race
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError, UnknownNameError
from bidtrick.training.tournament import TournamentConfig, run

QUICK = "pimc:1,nodes=500"
SPEC = make_batch("schieber", 1).spec


def other_deals(game, n, rng):
    """Deals that look the same to forehand before anything has happened: the other hands are dealt anew."""
    seat = int(game.current_player[0])
    deals = np.tile(game.state.hands[0], (n, 1))
    worlds = Belief(search_game(game.spec).cases(game.observe()[0])).sample(n, rng)
    for place in range(3):
        deals[:, (seat + 1 + place) % 4] = worlds[:, place]
    return deals


def test_hidden_cards_do_not_change_the_choice():
    """A forehand's contract, push and lead are the same, number for number, whatever the others hold."""
    agent = make_agent(QUICK, SPEC)
    for seed in range(2):
        game = make_batch("schieber", 1, seed=seed)
        deals = other_deals(game, 3, np.random.default_rng(seed))
        same = make_batch("schieber", 3)
        same.reset(options={"deal": deals, "dealer": (game.current_player[0] - 1) % 4})
        game.reset(options={"deal": game.state.hands[0], "dealer": (game.current_player[0] - 1) % 4})
        assert len(np.unique(deals, axis=0)) > 1
        for action in (None, 36 + seed):
            if action is not None:
                same.step(np.full(3, action))
                game.step(np.array([action]))
            chosen = agent.act(game.observe(), game.legal_actions(), np.random.default_rng(1))
            for k in range(3):
                one = same.select([k])
                again = agent.act(one.observe(), one.legal_actions(), np.random.default_rng(1))
                assert again[0] == chosen[0]
            drawn = [agent.worlds(g.observe()[0], np.random.default_rng(2)) for g in (game, same.select([0]))]
            np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize("rules", ["source", "tournament", {"push_back": True, "weis_reveal": "values_only"}])
def test_every_choice_is_legal(rules):
    games = make_batch("schieber", 1, seed=9, rules=rules)
    agent = make_agent(QUICK, games.spec)
    rng, decisions = np.random.default_rng(0), 0
    while (games.current_player >= 0).any():
        running = np.flatnonzero(games.current_player >= 0)
        actions = np.full(1, -1)
        mask = games.legal_actions()
        actions[running] = agent.act(games.observe()[running], mask[running], rng)
        assert mask[running, actions[running]].all()
        decisions += len(running)
        games.step(actions)
    assert decisions >= 37


def play_within_budgets(game, decisions, size):
    """Let pimc:2 decide everything in games that begin anew: legal actions only, within its budget (by its own
    assertion, and by a count of the positions here)."""
    games = make_batch(game, size, seed=3, auto_reset=True)
    agent, rng, made = make_agent("pimc:2,nodes=1000", games.spec), np.random.default_rng(0), 0
    while made < decisions:
        obs, mask = games.observe(), games.legal_actions()
        actions = mask.argmax(axis=1)
        for row in np.flatnonzero(mask.sum(axis=1) > 1):
            before = agent.game.visited
            actions[row] = agent.act(obs[[row]], mask[[row]], rng)[0]
            assert agent.game.visited - before <= 1.2 * 2000
            made += 1
        assert mask[np.arange(size), actions].all()
        games.step(actions)


@pytest.mark.parametrize("game", ["pitch", "schieber", "thousand"])
def test_budgets_and_legality(game):
    play_within_budgets(game, 60, 4)


@pytest.mark.soak
@pytest.mark.parametrize("game", ["pitch", "schieber", "thousand"])
def test_budgets_and_legality_over_many_decisions(game):
    play_within_budgets(game, 34_000, 64)


def test_certain_points_are_taken():
    """Two cards each, one unseen split that does not matter: the winning card is led first."""
    game = make_batch("schieber", 1, seed=1, rules={"weis": False, "stock": False})
    game.step(np.array([40]))
    rng = np.random.default_rng(1)
    agent = make_agent("pimc:8", game.spec)
    cheat = make_agent("cheat", game.spec)
    while game.current_player[0] >= 0:
        hands = game.state.hands[0]
        if np.bitwise_count(hands).max() == 2 and game.state.order[0] == 0:
            break
        game.step(game.sample_actions(rng))
    chosen = agent.act(game.observe(), game.legal_actions(), rng)[0]
    obs, mask = game.observe()[0], game.legal_actions()[0]
    values = agent.game.values(obs, mask, agent.worlds(obs, rng), 10**6).mean(axis=0)
    assert values[chosen] >= np.nanmax(values) - 1e-9 or chosen == agent.net.act(obs[None], mask[None], rng)[0]
    # with open cards: what comes of the choice is what the solver says, played out by cheats on all seats
    start = game.state.sheet[0, :, 3].astype(int)
    seat = int(game.current_player[0])
    world = cheat.game.open_world(game.state_vector()[0, game.spec.layout.size :])
    open_values = cheat.game.values(game.observe()[0], game.legal_actions()[0], world[None], 10**6)[0]
    while game.current_player[0] >= 0:
        game.step(cheat.act(game.state_vector(), game.legal_actions(), rng))
    made = game.report()["base_points"][0] - start
    multiplier = game.rules.multipliers[4]
    assert (made[seat % 2] - made[1 - seat % 2]) * multiplier == np.nanmax(open_values)


def test_cheat_needs_open_cards_and_tournaments_give_them():
    game = make_batch("schieber", 1)
    cheat = make_agent("cheat", game.spec)
    with pytest.raises(BidtrickError, match=r"needs open cards, rows of \d+ columns"):
        cheat.act(game.observe(), game.legal_actions(), np.random.default_rng(0))
    # two plays: the cheat gets what it needs, or it would forfeit them all
    result = run(TournamentConfig(agents=("random", "cheat"), game="schieber", deals=1))
    assert not result.failures


def test_caution_keeps_to_the_advice_until_others_are_surely_better():
    mask = np.array([True, True, False, True])
    clear = np.array([[0, 5, np.nan, -1], [0, 6, np.nan, -1], [0, 5, np.nan, -2.0]])
    noisy = np.array([[0, 30, np.nan, 1], [0, -26, np.nan, 1], [0, 5, np.nan, -3.0]])
    assert cautious(clear, mask, 0) == cautious(clear, mask, -1) == 1
    assert cautious(noisy, mask, 0) == 0
    assert cautious(noisy, mask, -1) == cautious(noisy[:1], mask, 0) == 1


def test_a_race_ends_early_and_values_only_what_may_still_win():
    rng, asked = np.random.default_rng(0), []
    values = np.array([5.0, 4.0, 5.0, 0.0]) + rng.normal(size=(100, 1)) * 20 + rng.normal(size=(100, 4))
    values[:, 2] = values[:, 0]  # always worth the same

    def values_of(start, stop, actions):
        asked.append((start, stop, tuple(actions)))
        return np.where(actions, values[start:stop], np.nan)

    legal = np.array([True, True, True, True])
    assert race(values_of, 100, legal, advice=2) == 2
    assert asked[0] == (0, 16, (True, True, True, True))
    assert asked[1:] == [] or asked[1][2] == (False, True, True, False)
    assert sum(stop - start for start, stop, _ in asked) < 100
    asked.clear()
    assert race(values_of, 100, legal, advice=1, first=60) == 0  # a better one than the advice, surely
    assert asked[0][:2] == (0, 60)


def test_a_decision_beyond_its_budget_is_an_error():
    game = make_batch("schieber", 1, seed=2)
    agent = make_agent("pimc:2,nodes=100", game.spec)
    values = agent.game.values

    def wasteful(*args):
        agent.game.visited += 241  # of 200, and 20% more
        return values(*args)

    agent.act(game.observe(), game.legal_actions(), np.random.default_rng(0))
    agent.game.values = wasteful
    with pytest.raises(AssertionError, match=r"pimc:2,nodes=100 visited \d+ positions for one decision"):
        agent.act(game.observe(), game.legal_actions(), np.random.default_rng(0))


def test_few_deals_need_a_larger_lead():
    """Standard errors as Student's t would ask for (with 4 and with 49 degrees of freedom: 1.88 and 1.53)."""
    assert 1.75 < few(1.5, 5) < 1.9
    assert few(1.5, 50) == pytest.approx(1.525, abs=0.005)


def test_names():
    assert make_agent("pimc:7,nodes=12", SPEC).describe()["nodes"] == 12
    for wrong in ("pimc:0", "pimc:x", "pimc:3,nodes="):
        with pytest.raises(UnknownNameError, match=r"write pimc:N .*nodes=M"):
            make_agent(wrong, SPEC)


def test_without_numba_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "bidtrick.agents.search.kernels")
    with pytest.raises(BidtrickError, match=r"pip install 'bidtrick\[search\]'"):
        import_module("bidtrick.agents.search.kernels")
