"""Canonical forms: renaming suits changes nothing that a network sees, and translates back."""

import numpy as np
import pytest

from bidtrick.envs import make_batch

NONE = np.zeros((200, 0), np.uint8)


def positions(seed, steps):
    games = make_batch("schieber", num_games=200, seed=seed, rules={"first_forehand": "random"})
    games.reset(seed=seed, options={"dealer": 0})
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        games.step(games.sample_actions(rng))
    return games


@pytest.mark.parametrize("steps", [0, 3, 10, 25, 36])
def test_actions_translate_back_to_legal_ones(steps):
    games = positions(1, steps)
    symmetry = games.spec.symmetry
    obs, mask = games.observe(), games.legal_actions()
    seen = symmetry.canonical(obs, mask, NONE)
    assert (seen.mask.sum(axis=1) == mask.sum(axis=1)).all()
    back = np.zeros_like(mask)
    for action in range(mask.shape[1]):
        rows = np.flatnonzero(seen.mask[:, action])
        back[rows, symmetry.to_original(np.full(len(rows), action), seen.turn[rows])] = True
    assert (back == mask).all()


def test_bidding_keeps_the_suits():
    games = positions(2, 0)
    seen = games.spec.symmetry.canonical(games.observe(), games.legal_actions(), NONE)
    assert (seen.obs == games.observe()).all()


def test_trump_then_led_suit_come_first():
    games = positions(3, 4)
    obs = games.observe()
    order = games.spec.symmetry.order(obs)
    contract, led = games.state.contract, games.state.led
    playing = np.flatnonzero((contract < 4) & (led < 4))
    assert len(playing) > 50
    assert (order[playing, 0] == contract[playing]).all()
    other = playing[contract[playing] != led[playing]]
    assert (order[other, 1] == led[other]).all()


def test_renamed_suits_look_the_same():
    """The same deal with every card's suit renamed, the same play: equal canonical observations (multipliers equal)."""
    rules = {"preset": "swisslos1000", "first_forehand": "random"}
    perm = np.array([2, 0, 3, 1])
    rename = np.concatenate([perm.repeat(9) * 9 + np.tile(np.arange(9), 4), 36 + perm, [40, 41, 42]])
    rng = np.random.default_rng(5)
    deal = rng.permuted(np.tile(np.arange(36), (200, 1)), axis=1).reshape(200, 4, 9)
    one, two = (make_batch("schieber", num_games=200, rules=rules) for _ in range(2))
    one.reset(options={"deal": deal, "dealer": 1})
    two.reset(options={"deal": rename[deal], "dealer": 1})
    symmetry = one.spec.symmetry
    compared = 0
    while not one.done.all():
        seats = one.current_player.astype(np.int64).clip(0)
        a = symmetry.canonical(one.observe(), one.legal_actions(), one.state_planes(seats))
        b = symmetry.canonical(two.observe(), two.legal_actions(), two.state_planes(seats))
        # suits that are neither trump nor led and held alike (both void) may come in either order
        held = one.observe()[:, :36].reshape(-1, 4, 9)
        unique = np.array([len({tuple(suit) for suit in hand}) == 4 for hand in held])
        rows = np.flatnonzero(unique & (one.phase == 1) & ~one.done)
        assert (a.obs[rows] == b.obs[rows]).all()
        assert (a.mask[rows] == b.mask[rows]).all()
        assert (a.hidden[rows] == b.hidden[rows]).all()
        compared += len(rows)
        actions = one.sample_actions(rng)
        one.step(actions)
        two.step(np.where(actions < 0, -1, rename[actions]))
    assert compared > 2000


def test_to_canonical_is_the_inverse():
    games = positions(4, 10)
    symmetry = games.spec.symmetry
    seen = symmetry.canonical(games.observe(), games.legal_actions(), NONE)
    for action in range(43):
        actions = np.full(200, action)
        assert (symmetry.to_original(symmetry.to_canonical(actions, seen.turn), seen.turn) == actions).all()
