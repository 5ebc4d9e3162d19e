"""Agents made of others."""

from __future__ import annotations

import numpy as np
import pytest

from bidtrick.agents.combine import CombinedAgent
from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError, UnknownNameError
from bidtrick.training.tournament import TournamentConfig, run


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


def test_the_part_that_cheats_gets_open_cards_and_the_other_does_not() -> None:
    game = make_batch("pitch", seed=1)
    agent = make_agent("combine:bid=heuristic,play=cheat", game.spec)
    assert agent.open_cards
    assert not make_agent("combine:bid=heuristic,play=random", game.spec).open_cards
    assert isinstance(agent, CombinedAgent)
    width, seen = game.spec.layout.size, set[int]()
    bid = agent.bid.act
    agent.bid.act = lambda obs, mask, rng: seen.add(obs.shape[1]) or bid(obs, mask, rng)
    rng, played = np.random.default_rng(0), 0
    while game.current_player[0] >= 0:
        played += int(not game.spec.is_bidding(game.observe())[0])
        game.step(agent.act(game.state_vector(), game.legal_actions(), rng))
    assert seen == {width}
    assert played > 10
    # tournaments know it, and without open cards it says what it needs
    result = run(TournamentConfig(agents=("random", agent.name), game="pitch", deals=1))
    assert not result.failures
    game.reset()
    while game.spec.is_bidding(game.observe())[0]:
        game.step(game.sample_actions(rng))
    with pytest.raises(BidtrickError, match="cheat needs open cards"):
        agent.act(game.observe(), game.legal_actions(), rng)


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
