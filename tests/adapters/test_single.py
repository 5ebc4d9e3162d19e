"""The shortcuts for single games do exactly what the batched engine does: every field, mask and observation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import GameOverError, IllegalActionError
from bidtrick.envs.core.single import SingleGame

RULES: list[dict[str, Any]] = [
    {"preset": "source"},
    {"preset": "swiss", "target": 400, "push_back": True, "weis_reveal": "all"},
    {
        "preset": "swisslos1000",
        "early_stock": "first_card",
        "claim_order": "stock_trick_weis",
        "weis_reveal": "values_only",
    },
    {"preset": "tournament", "hands": 3},
    {
        "preset": "source",
        "target": 157,
        "early_stock": "off",
        "kreuzweis": True,
        "four_nines": 150,
        "multipliers": (9,) * 6,
    },
]


@pytest.mark.parametrize("options", [{"episode": "match"}, {"context": "sampled"}, {"skip_forced": True}])
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules["preset"] + str(rules.get("target", "")))
def test_every_field_is_the_engines(rules: dict[str, Any], options: dict[str, Any]) -> None:
    games = [make_batch("schieber", 1, seed=1, rules=rules, **options) for _ in range(2)]
    single, engine = games[0].single(), games[1]
    assert type(single) is not SingleGame
    rng = np.random.default_rng(2)
    decisions, shortcuts = 0, 0
    for episode in range(12):
        for game in games:
            game.reset(seed=episode)
        while not engine.done[0]:
            assert single.player == engine.current_player[0]
            mask = single.mask()
            assert mask.dtype == np.uint8
            assert np.array_equal(mask, engine.legal_actions()[0])
            for seat in range(4):
                assert np.array_equal(single.observe(seat), engine.observe(seat)[0])
            action = int(rng.choice(np.flatnonzero(mask)))
            before = games[0]._rewards
            rewards = single.step(action)
            shortcuts += games[0]._rewards is before
            expected, _ = engine.step([action])
            assert (rewards or [0.0] * 4) == expected[0].tolist()
            arrays = engine.state.arrays()
            for name, array in games[0].state.arrays().items():
                assert array.dtype == arrays[name].dtype
                width = 36 if name == "when" else None  # the rest of `when` is scratch
                assert np.array_equal(array[..., :width], arrays[name][..., :width]), name
            assert np.array_equal(games[0].legal_actions(), engine.legal_actions())
            decisions += 1
        for seat in range(4):
            assert np.array_equal(single.observe(seat), engine.observe(seat)[0])
        assert not single.mask().any()
        assert games[0].result() == engine.result()
    assert decisions > 50
    assert shortcuts == 0 if options.get("skip_forced") else shortcuts > decisions // 4


def test_illegal_actions_change_nothing() -> None:
    game = make_batch("schieber", 1, seed=1)
    single = game.single()
    single.step(36)
    before = {name: array.copy() for name, array in game.state.arrays().items()}
    illegal = int(np.flatnonzero(single.mask() == 0)[0])
    for action in (illegal, 36, 42, 99):
        with pytest.raises(IllegalActionError, match="phase play"):
            single.step(action)
    assert all(np.array_equal(before[name], array) for name, array in game.state.arrays().items())
    while single.player >= 0:
        single.step(int(np.flatnonzero(single.mask())[0]))
    with pytest.raises(GameOverError, match="finished"):
        single.step(0)


def test_the_general_single_game() -> None:
    game, twin = make_batch("schieber", 1, seed=1), make_batch("schieber", 1, seed=1)
    single, fast = SingleGame(game), twin.single()
    while single.player >= 0:
        assert np.array_equal(single.mask(), fast.mask())
        assert np.array_equal(single.observe(1), fast.observe(1))
        action = int(np.flatnonzero(single.mask())[-1])
        assert single.step(action) == fast.step(action)
