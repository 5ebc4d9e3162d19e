"""Canonical suits of Pitch: the eight renamings that keep the colours (P-INV) change nothing that a network sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.pitch.symmetry import ORDERS
from bidtrick.envs.pitch.tables import CARDS, LOW_JOKER, SAME_COLOUR

RULES: list[Any] = ["source", "five", {"version": 16, "reverse": True}, {"discarded_trump": "to_kitty"}]
N = 200


def positions(rules: Any, steps: int) -> Any:
    games = make_batch("pitch", num_games=N, seed=3, rules=rules, context="sampled", auto_reset=True)
    rng = np.random.default_rng(steps)
    for _ in range(steps):
        games.step(games.sample_actions(rng))
    return games


def test_the_orders_are_the_renamings_that_keep_the_colours() -> None:
    assert len({tuple(order) for order in ORDERS.tolist()}) == 8
    for order in ORDERS.tolist():
        assert sorted(order) == [0, 1, 2, 3]
        assert SAME_COLOUR[order[0]] == order[3]
        assert SAME_COLOUR[order[1]] == order[2]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("steps", [0, 4, 7, 15, 31])
def test_actions_translate_back_to_legal_ones(rules: Any, steps: int) -> None:
    games = positions(rules, steps)
    symmetry, mask = games.spec.symmetry, games.legal_actions()
    seen = symmetry.canonical(games.observe(), mask, np.zeros((N, 0), np.uint8))
    back = np.zeros_like(mask)
    for action in range(mask.shape[1]):
        actions = np.full(N, action)
        rows = np.flatnonzero(seen.mask[:, action])
        back[rows, symmetry.to_original(actions[rows], seen.turn[rows])] = True
        assert (symmetry.to_original(symmetry.to_canonical(actions, seen.turn), seen.turn) == actions).all()
    assert (back == mask).all()


def test_trump_comes_first() -> None:
    games = positions("source", 15)
    order = ORDERS[games.spec.symmetry.order(games.observe())]
    named = np.flatnonzero(games.state.trump < 4)
    assert len(named) > 50
    assert (order[named, 0] == games.state.trump[named]).all()


@pytest.mark.parametrize("number", range(1, 8))
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_renamed_deals_look_the_same(rules: Any, number: int) -> None:
    """The same deals and the same play with renamed suits: equal canonical observations, masks and hidden cards."""
    suits = ORDERS[number]
    rename = np.concatenate([(suits[:, None] * 13 + np.arange(13)).ravel(), np.arange(LOW_JOKER, CARDS)])
    one, two = (make_batch("pitch", num_games=N, rules=rules) for _ in range(2))
    symmetry, players = one.spec.symmetry, one.spec.num_seats
    decks = np.random.default_rng(number).permuted(np.tile(np.arange(CARDS), (N, 1)), axis=1)
    one.reset(options={"deal": decks, "dealer": 1})
    two.reset(options={"deal": rename[decks], "dealer": 1})
    first_suit = one.spec.parse_action("Trump Clubs")
    names = np.arange(one.spec.num_actions)
    names[:CARDS], names[first_suit : first_suit + 4] = rename, first_suit + suits
    # suits of which one was dealt the same ranks may come in either order
    dealt = np.stack([one.observe(seat)[:, one.spec.layout["dealt"].columns] for seat in range(players)], axis=1)
    shape = dealt[:, :, :LOW_JOKER].reshape(N, players, 4, 13)
    unique = np.array([[len({tuple(suit) for suit in hand}) == 4 for hand in game] for game in shape])
    rng, compared = np.random.default_rng(5), 0
    while not one.done.all():
        seats = one.current_player.astype(np.int64).clip(0)
        a = symmetry.canonical(one.observe(), one.legal_actions(), one.state_planes(seats))
        b = symmetry.canonical(two.observe(), two.legal_actions(), two.state_planes(seats))
        rows = np.flatnonzero(unique[np.arange(N), seats] & ~one.done)
        assert (a.obs[rows] == b.obs[rows]).all()
        assert (a.mask[rows] == b.mask[rows]).all()
        assert (a.hidden[rows] == b.hidden[rows]).all()
        compared += len(rows)
        actions = one.sample_actions(rng)
        one.step(actions)
        two.step(np.where(actions < 0, -1, names[actions]))
    assert compared > 1000
