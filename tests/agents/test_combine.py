"""Agents made of others."""

from __future__ import annotations

import numpy as np
import pytest

from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import UnknownNameError


def test_one_bids_and_another_plays() -> None:
    games = make_batch("schieber", num_games=64, seed=1, auto_reset=True)
    agent = make_agent("combine:bid=always:Obenabe,play=heuristic", games.spec)
    heuristic = make_agent("heuristic", games.spec)
    rng = np.random.default_rng(0)
    bids = 0
    for _ in range(40):
        obs, mask = games.observe(), games.legal_actions()
        actions = agent.act(obs, mask, rng)
        bidding = games.spec.is_bidding(obs)
        assert (actions[bidding] == games.spec.parse_action("Obenabe")).all()
        assert np.array_equal(actions[~bidding], heuristic.act(obs, mask, rng)[~bidding])
        bids += int(bidding.sum())
        games.step(actions)
    assert bids > 64
    assert (games.report()["contract"] == 4).all()
    assert agent.describe()["bid"]["name"] == "always:Obenabe"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("combine:heuristic", "write combine:bid=AGENT,play=AGENT"),
        ("combine:bid=nobody,play=heuristic", "no agent is called 'nobody'"),
        ("always:Grand", "no action is called 'Grand'"),
        ("combine", "no agent is called 'combine'; agents: "),
    ],
)
def test_names_that_mean_nothing(name: str, reason: str) -> None:
    with pytest.raises(UnknownNameError, match=reason):
        make_agent(name, make_batch("schieber").spec)
