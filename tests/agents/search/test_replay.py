"""Games rebuilt from an observation and a sampled deal look the same to the seat that saw them, to the last byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.agents.registry import make_agent
from bidtrick.agents.search.base import search_game
from bidtrick.agents.search.belief import Belief
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError

WORLDS = 3
#: Weights of deals from here on are not "impossible".
POSSIBLE = 1e-6

#: What a seat near the target could have claimed early (J-STK-02) is no part of the cases of Schieber: off here.
RULES: list[tuple[str, Any, set[str]]] = [
    ("schieber", {"early_stock": "off"}, {"contract", "play"}),
    ("schieber", {"early_stock": "off", "push_back": True, "weis_reveal": "all"}, {"contract", "play"}),
    ("schieber", {"hands": 12, "first_forehand": "random", "kreuzweis": True}, {"contract", "play"}),
    ("schieber", "tournament", {"contract", "play"}),
    ("pitch", "source", {"bid", "play"}),
    ("pitch", "playpitch", {"bid", "play"}),
    ("pitch", "nyx", {"bid", "kitty", "play"}),
    ("pitch", "campbell31", {"bid", "play"}),
    ("pitch", {"burn_visible": False, "version": 15, "kitty_mode": "bidder_only"}, {"play"}),
    ("pitch", {"discarded_trump": "dead", "version": 13, "misdeal_rule": "no_face_no_point"}, {"discard", "play"}),
    ("pitch", "five", {"bid", "trump", "call", "play"}),
    ("thousand", "mailru", {"auction", "contract", "give", "play"}),
    ("thousand", {"dark": "C", "golden": "on", "cut_ritual": "penalty_only"}, {"dark", "play"}),
    ("thousand", {"contract_declare": "after_pass", "talon_show": False, "marriage_optional": False}, {"give", "play"}),
    ("thousand", "duel_c", {"auction", "talon", "contract", "give", "play"}),
    ("thousand", "four", {"auction", "contract", "give", "play"}),
]


def compare(game: str, rules: Any, games: int, seed: int, episode: str = "hand") -> tuple[int, set[str]]:
    """Play games, half at random and half well; rebuild all decisions before the card play, and some of it.

    Returns: the number of games compared, and the phases met.
    """
    played = make_batch(game, games, seed=seed, rules=rules, context="sampled", episode=episode)
    search, heuristic = search_game(played.spec), make_agent("heuristic", played.spec)
    evidence = getattr(search, "evidence", lambda obs: None)
    layout, rng = played.spec.layout, np.random.default_rng(seed)
    told = np.ones(layout.size, bool)
    if episode == "match":  # rebuilt games are hands
        told[layout["match_episode"].start] = False
    compared, phases, hands = 0, set[str](), played.state.hand_id.copy()
    while len(running := np.flatnonzero((played.current_player >= 0) & (played.state.hand_id < hands + 2))):
        obs, mask = played.observe(), played.legal_actions()
        often = np.array([played.spec.phases[phase] != "play" for phase in played.phase[running]])
        for row in running[often | (rng.random(len(running)) < 0.3)].tolist():
            weight = evidence(obs[row])
            worlds = Belief(search.cases(obs[row])).sample(WORLDS, rng, weight)
            rebuilt = search.games(obs[row], worlds)
            may = np.ones(WORLDS, bool) if weight is None else weight(worlds) > POSSIBLE
            assert (rebuilt.current_player[may] == 0).all()
            np.testing.assert_array_equal(rebuilt.observe(np.zeros(WORLDS, int))[may][:, told] - obs[row, told], 0)
            np.testing.assert_array_equal(rebuilt.legal_actions()[may], np.tile(mask[row], (may.sum(), 1)))
            compared += int(may.sum())
            phases.add(played.spec.phases[played.phase[row]])
        actions = np.full(games, -1)
        actions[running] = played.sample_actions(rng)[running]
        well = running[rng.random(len(running)) < 0.5]
        if len(well):
            actions[well] = heuristic.act(obs[well], mask[well], rng)
        played.step(actions)
    return compared, phases


@pytest.mark.parametrize(("game", "rules", "phases"), RULES)
def test_rebuilt_games_look_as_the_seat_saw_them(game: str, rules: Any, phases: set[str]) -> None:
    compared, met = compare(game, rules, 3, 9)
    assert compared > 60
    assert met >= phases


@pytest.mark.parametrize("game", ["schieber", "pitch", "thousand"])
def test_hands_of_a_match_are_rebuilt_as_hands(game: str) -> None:
    assert compare(game, {"early_stock": "off"} if game == "schieber" else {}, 3, 1, "match")[0] > 90


@pytest.mark.soak
@pytest.mark.parametrize(("game", "rules", "phases"), RULES)
def test_rebuilt_games_in_many_more_positions(game: str, rules: Any, phases: set[str]) -> None:
    for seed in range(20):
        compare(game, rules, 20, 100 + seed)


def test_all_hidden_cards_are_those_of_the_world() -> None:
    """What a rebuilt game deals the others is what was drawn, and it pays the hand's points to its end."""
    game = make_batch("schieber", 1, seed=3)
    search = search_game(game.spec)
    rng = np.random.default_rng(0)
    for _ in range(10):
        game.step(game.sample_actions(rng))
    obs = game.observe()[0]
    worlds = Belief(search.cases(obs)).sample(5, rng, search.evidence(obs))
    rebuilt = search.games(obs, worlds)
    np.testing.assert_array_equal(rebuilt.state.hands[:, 1:], worlds)
    paid = np.zeros((5, 4))
    while (rebuilt.current_player >= 0).any():
        paid += rebuilt.step(rebuilt.sample_actions(rng))[0]
    points = rebuilt.report()["points"]
    np.testing.assert_allclose(paid[:, 0] * rebuilt.spec.reward_scale, points[:, 0] - points[:, 1], atol=1e-3)


def test_rules_that_cannot_be_replayed_are_refused_by_name() -> None:
    for game, rules, message in (
        ("pitch", {"discarded_trump": "to_kitty"}, "discarded_trump='to_kitty'.*allowed: 'forbidden' | 'dead'"),
        ("thousand", {"info_bonus": "talon", "info_bonus_seats": (0,)}, "info_bonus='talon'.*allowed: 'none'"),
    ):
        played = make_batch(game, 1, rules=rules)
        search, obs = search_game(played.spec), played.observe()[0]
        worlds = Belief(search.cases(obs)).sample(1, np.random.default_rng(0))
        with pytest.raises(BidtrickError, match=message):
            search.games(obs, worlds)
