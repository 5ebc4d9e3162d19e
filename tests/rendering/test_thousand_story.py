"""Deals of Thousand in words: every kind of deal can be told, and what is told agrees with the report."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.tables import card_points
from bidtrick.envs.thousand.view import NAMES

TABLES: dict[str, Any] = {
    **{name: name for name in ThousandRules.presets},
    "dark": {"dark": "D"},
    "golden": {"golden": "on"},
    "after pass": {"contract_declare": "after_pass", "redeal_defender_four_nines": True},
    "next trick": {"marriage_trump_from": "next_trick", "ace_marriage": True, "ace_marriage_needs_trick": False},
}


@pytest.mark.parametrize("table", list(TABLES))
def test_every_deal_is_told(table: str) -> None:
    rules = ThousandRules.make(TABLES[table])
    names = NAMES[rules.players]
    told = tricks = 0
    for seed in range(6):
        game = make_batch("thousand", seed=seed, rules=rules, episode="match", context="sampled")
        rng = np.random.default_rng(seed)
        for _ in range(90):
            if game.done[0]:
                break
            before, action = game.clone(), int(game.sample_actions(rng)[0])
            game.step([action])
            lines = before.story(action, game)
            if not lines:
                assert game.state.hand_id[0] == before.state.hand_id[0]
                continue
            told += 1
            assert lines[0].startswith("Deal ")
            played = [line for line in lines if re.match(r" +\d+\. ", line)]
            if not played:
                continue
            tricks += len(played)
            facts = game.result()
            assert len(played) == rules.tricks
            # the last "together" of each seat is what it took in tricks; with two players the rest lay in the bank
            taken = dict.fromkeys(names, 0)
            for line in played:
                name, together = re.findall(r": (\w+) \d+, together (\d+)", line)[0]
                taken[name] = int(together)
            deck = sum(card_points(np.array([1 << card for card in rules.cards], np.uint64)).tolist())
            bank = deck - sum(taken.values())
            missing = [facts["points"][k] - taken[name] for k, name in enumerate(names)]
            assert sum(missing) == bank
            assert sorted(missing)[:-1] == [0] * (len(names) - 1)
            scores = ", ".join(f"{n} {s}" for n, s in zip(names, facts["scores"], strict=True))
            assert re.sub(" —+", "", lines[-2]) == f"  Score: {scores}"
    assert told > 8
    assert tricks > 40
