"""`ismcts:N`: what it may know, what it may play, what it may use; and that it finds what a play-out finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.agents.registry import make_agent
from bidtrick.agents.search import ismcts as module
from bidtrick.agents.search import pimc as pimc_module
from bidtrick.agents.search.base import search_game
from bidtrick.agents.search.belief import Belief
from bidtrick.agents.search.ismcts import BIDDING, TRIES, IsmctsAgent, _Search, joined, policy
from bidtrick.agents.search.pimc import PimcAgent
from bidtrick.agents.search.tree import Forest
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError, UnknownNameError
from bidtrick.training.tournament.play import duplicate_margin

GAMES: list[tuple[str, Any]] = [
    ("schieber", "source"),
    ("schieber", {"push_back": True, "weis_reveal": "values_only", "target": 300}),
    ("pitch", {"burn_policy": "any", "misdeal_rule": "no_face_no_point"}),
    ("pitch", "nyx"),
    ("pitch", "five"),
    ("thousand", "mailru"),
    ("thousand", {"dark": "C", "redeal_optional": False}),
    ("thousand", "duel_c"),
    ("thousand", "four"),
]


#: Play-outs at random are quick.
QUICK = "ismcts:4,net=random,rollout=net"


def play_legally(game: str, rules: Any, name: str, games: int, seed: int) -> int:
    """Games in which one agent plays all seats; the number of decisions with a choice."""
    played = make_batch(game, games, seed=seed, rules=rules, context="sampled")
    agent, rng, decisions = make_agent(name, played.spec), np.random.default_rng(seed), 0
    while not played.done.all():
        running = np.flatnonzero(~played.done)
        obs, mask = played.observe()[running], played.legal_actions()[running]
        actions = np.full(games, -1)
        actions[running] = agent.act(obs, mask, rng)
        assert mask[np.arange(len(running)), actions[running]].all()
        decisions += int((np.count_nonzero(mask, axis=1) > 1).sum())
        played.step(actions)
    return decisions


@pytest.mark.parametrize(("game", "rules"), GAMES[1::2])
def test_every_choice_is_legal(game: str, rules: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCHES", 2)  # quicker
    assert play_legally(game, rules, QUICK, 2, 5) > 10


@pytest.mark.soak
@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_thousands_of_choices_are_legal(game: str, rules: Any) -> None:
    decisions = sum(play_legally(game, rules, f"ismcts:{n},net=random,rollout=net", 50, n) for n in (1, 5, 20))
    assert decisions > 1500


@pytest.mark.parametrize("game", ["schieber", "pitch", "thousand"])
def test_no_decision_uses_more_than_its_budget(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deals drawn, games played to the end (two a deal) and descents that come back to the root are counted."""
    games = make_batch(game, 3, seed=2)
    agent = make_agent("ismcts:7,net=random,rollout=net", games.spec)
    used = {"deals": 0, "ends": 0, "descents": 0}
    sample, finish, run = Belief.sample, module.finish, _Search.run

    def sampled(self: Any, n: int, *rest: Any) -> Any:
        used["deals"] += n
        return sample(self, n, *rest)

    def finished(batch: Any, *rest: Any) -> Any:
        used["ends"] += batch.num_games
        return finish(batch, *rest)

    def ran(self: Any, *rest: Any) -> Any:
        found = run(self, *rest)
        used["descents"] += int(self._of_roots()[0].sum())
        return found

    monkeypatch.setattr(Belief, "sample", sampled)
    monkeypatch.setattr(module, "finish", finished)
    monkeypatch.setattr(_Search, "run", ran)
    rng = np.random.default_rng(0)
    for _ in range(6):
        obs, mask = games.observe(), games.legal_actions()
        asked = np.count_nonzero(mask, axis=1) > 1
        budget = int(np.where(games.spec.is_bidding(obs), 7 * BIDDING, 7)[asked].sum())
        used.update(deals=0, ends=0, descents=0)
        actions = agent.act(obs, mask, rng)
        assert used == {"deals": budget, "ends": 2 * budget, "descents": budget}
        games.step(actions)


@pytest.mark.parametrize("game", ["schieber", "pitch", "thousand"])
def test_hidden_cards_do_not_change_the_choice(game: str) -> None:
    """Deals that look the same get the same choices, generator for generator; other generators may choose otherwise."""
    real = make_batch(game, 1, seed=4)
    rng = np.random.default_rng(1)
    agent = make_agent(QUICK, real.spec)
    chosen, different = set[int](), 0
    for decision in range(6):
        if decision % 3:
            real.step(real.sample_actions(rng))
            continue
        obs, mask = real.observe()[0], real.legal_actions()[0]
        search = search_game(real.spec)
        worlds = Belief(search.cases(obs)).sample(2, rng, getattr(search, "evidence", lambda obs: None)(obs))
        others = search.games(obs, worlds)
        different += len(np.unique(worlds, axis=0)) > 1
        for seed in range(3):
            first = agent.act(obs[None], mask[None], np.random.default_rng(seed))
            chosen.add(int(first[0]))
            for k in range(2):
                one = others.select([k])
                again = agent.act(one.observe(), one.legal_actions(), np.random.default_rng(seed))
                assert again[0] == first[0]
        real.step(real.sample_actions(rng))
    assert different
    assert len(chosen) > 1


def test_search_beats_its_guide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guided and judged by random play, it plays far better than at random."""
    monkeypatch.setattr(module, "BATCHES", 2)  # quicker
    spec = make_batch("pitch", 1).spec
    agent = make_agent("ismcts:12,net=random,rollout=net", spec)
    margin = duplicate_margin(agent, make_agent("random", spec), deals=6, seed=3)
    assert margin.mean > margin.half_width


def test_certain_points_are_found() -> None:
    """Two cards are left, one of which surely pays more: the advice is left for it, and it for nothing else."""
    game, rng = make_batch("schieber", 20, seed=1, rules={"weis": False, "stock": False}), np.random.default_rng(1)
    agent = make_agent("ismcts:20", game.spec)
    assert isinstance(agent, IsmctsAgent)
    game.step(np.full(20, 40))
    while game.state.ply[0] < 28:
        game.step(game.sample_actions(rng))
    certain = 0
    obs, mask = game.observe(), game.legal_actions()
    for row in np.flatnonzero(mask.sum(axis=1) == 2).tolist():
        worlds = agent._worlds(obs[row], mask[row], 60, rng)
        assert worlds is not None
        actions = np.flatnonzero(mask[row])
        paid = [_Search(agent, worlds, 60, rng)._baseline(actions[[k]])[:, 0] for k in (0, 1)]
        gain = paid[1] - paid[0]
        if abs(gain.mean()) > 4 * gain.std() / np.sqrt(60):
            certain += 1
            for advice in actions:
                found = _Search(agent, worlds, 60, rng).run(obs[[row]], mask[[row]], np.array([advice]))[0]
                assert found == actions[int(gain.mean() > 0)]
    assert certain > 1


def test_a_tree_counts_what_was_there_to_be_chosen() -> None:
    forest = Forest(2, 4, 3)
    roots, spread = forest.root(np.arange(2)), np.ones(2)
    even = np.full((2, 3), 1 / 3)
    legal = np.array([[True, True, False], [False, True, True]])
    first = forest.choose(roots, legal, even, spread, 1.0)
    assert first.tolist() == [0, 1]
    child, new = forest.follow(roots, first)
    assert new.all()
    assert child.tolist() == [1, 5]
    again, known = forest.follow(roots, first)
    assert not known.any()
    assert again.tolist() == child.tolist()
    # a descent under way counts as a visit, so that the next one takes the other action
    second = forest.choose(roots, legal, even, spread, 1.0)
    assert second.tolist() == [1, 2]
    assert forest.available[roots].tolist() == [[2, 2, 0], [0, 2, 2]]
    forest.back_up(roots, first, np.array([-5.0, 5.0]))
    forest.back_up(roots, second, np.zeros(2))
    assert forest.choose(roots, legal, even, spread, 0.1).tolist() == [1, 1]
    # an action that was rarely there is not punished for it: its bonus grows with its own availability only
    forest.available[0] = [100, 4, 0]
    forest.visits[0], forest.done[0], forest.total[0] = [3, 3, 0], [3, 3, 0], [0, 0, 0]
    assert forest.choose(roots[:1], legal[:1], even[:1], spread[:1], 1.0)[0] == 0
    # what is untried counts as the mean of its node, so that the bonus decides and not whether the node is good
    for value in (3.0, -3.0):
        fresh = Forest(1, 4, 3)
        fresh.visits[0, 0] = fresh.done[0, 0] = 1
        fresh.total[0, 0] = value
        assert fresh.choose(roots[:1], legal[:1], even[:1], spread[:1], 0.1)[0] == 1
    # no room: a descent ends at what counts as new, and the tree stays as it is
    for node, action in ((0, 1), (1, 0)):
        forest.follow(np.array([node]), np.array([action]))
    full, is_new = forest.follow(np.array([2]), np.array([0]))
    assert full[0] == 0
    assert is_new[0]


def test_caution() -> None:
    """The advice is left for what is surely better, and tried often enough, and for nothing else."""
    game = make_batch("schieber", 4, seed=1)
    agent = make_agent("ismcts:4", game.spec)
    assert isinstance(agent, IsmctsAgent)
    search = _Search(agent, joined([game] * 4), 4, np.random.default_rng(0))
    roots = search._forest.root(np.arange(4))
    values = {
        0: {37: [1.0, 1.1, 0.9], 38: [0.5, 0.6, 0.4]},  # clear
        1: {37: [3.0, -2.0, 2.0], 38: [-1.0, -1.0, -1.0]},  # noisy
        2: {37: [9.0] * (TRIES - 1)},  # tried too rarely
        3: {37: [-1.0, -1.1, -1.2]},  # worse
    }
    for tree, actions in values.items():
        for action, found in actions.items():
            for value in found:
                search._forest.back_up(roots[[tree]], np.array([action]), np.array([value]))
    others = game.legal_actions()
    others[:, 36] = False
    assert search._decide(others, np.full(4, 36)).tolist() == [37, 36, 36, 36]


def test_networks_guide() -> None:
    """A network's action is the advice and its probabilities are the priors; agents without a formula are certain."""
    games = make_batch("pitch", 6, seed=1)
    agent, net = make_agent("ismcts:3,net=pretrained,rollout=net", games.spec), make_agent("pretrained", games.spec)
    assert isinstance(agent, IsmctsAgent)
    assert agent.guide is agent.rollout is net
    obs, mask, rng = games.observe(), games.legal_actions(), np.random.default_rng(0)
    np.testing.assert_allclose(policy(net, obs, mask, rng), net.probabilities(obs, mask, rng))
    heuristic = make_agent("heuristic", games.spec)
    combined = make_agent("combine:bid=heuristic,play=pretrained", games.spec)
    for one in (heuristic, combined):
        certain = policy(one, obs, mask, rng)
        assert (certain.max(axis=1) == 1).all()
        assert (certain.argmax(axis=1) == heuristic.act(obs, mask, rng)).all()
    assert mask[np.arange(6), agent.act(obs, mask, rng)].all()
    assert agent.describe()["guide"]["name"] == "pretrained"


def test_pimc_takes_a_network_for_its_advice() -> None:
    games = make_batch("pitch", 1, seed=1)
    pimc = make_agent("pimc:1,nodes=2000,net=always:Pass", games.spec)
    obs, mask, rng = games.observe(), games.legal_actions(), np.random.default_rng(0)
    assert isinstance(pimc, PimcAgent)
    assert len(pimc.worlds(obs[0], rng)) == pimc_module.BIDDING
    pimc.game.values = lambda obs, mask, worlds, nodes: np.where(mask, np.zeros((len(worlds), 1)), np.nan)
    assert games.spec.action_name(int(pimc.act(obs, mask, rng)[0])) == "Pass"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ismcts:0", "'0' is no iterations a decision from 1; write ismcts:N"),
        ("ismcts:5,depth=3", "'5,depth=3' is no iterations"),
        ("ismcts:5,net=", "net has no value"),
        ("ismcts:5,c=1,c=2", "c is given twice"),
        ("ismcts:5,c=-1", "c='-1' is no number from 0"),
        ("ismcts:5,rollout=net", "rollout='net' needs net"),
        ("ismcts:5,rollout=deep,net=random", r"rollout='deep' is not allowed; allowed: heuristic \| net"),
        ("ismcts:5,net=nobody", "no agent is called 'nobody'"),
        ("pimc:5,nodes=many", "nodes='many' is no whole number from 1; write pimc:N"),
    ],
)
def test_names_that_mean_nothing(name: str, reason: str) -> None:
    with pytest.raises(UnknownNameError, match=reason):
        make_agent(name, make_batch("schieber").spec)


def test_names_within_names() -> None:
    spec = make_batch("schieber").spec
    agent = make_agent("ismcts:5,net=combine:bid=heuristic,play=random,c=0.5", spec)
    assert isinstance(agent, IsmctsAgent)
    assert (agent.guide.name, agent.c, agent.iterations) == ("combine:bid=heuristic,play=random", 0.5, 5)
    with pytest.raises(BidtrickError, match="net=cheat sees all cards"):
        make_agent("ismcts:5,net=cheat", spec)
    with pytest.raises(BidtrickError, match="discarded_trump='to_kitty' cannot be replayed"):
        make_agent("ismcts:5", make_batch("pitch", rules={"discarded_trump": "to_kitty"}).spec)
