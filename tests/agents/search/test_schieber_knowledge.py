"""What a seat of Schieber knows, against brute force: all deals in which the hand could have gone as it did."""

import numpy as np
import pytest
from search_enumeration import enumerate_deals

from bidtrick.agents.search.belief import count
from bidtrick.agents.search.schieber.knowledge import Knowledge
from bidtrick.envs import make_batch

#: The last three: which side scored its Weis tells deals apart.
SIDES = (*range(170, 184), 287, 1058, 1157)
QUIET = {"weis": False, "stock": False}


def play(rules, seed, plies, contract):
    """A hand of random legal cards (a contract may be given), its actions, and the hands that were dealt."""
    game = make_batch("schieber", 1, seed=seed, rules=rules)
    dealt = game.state.hands[0].copy()
    rng = np.random.default_rng(seed)
    actions = [36 + contract]
    game.step(np.array(actions))
    for _ in range(plies):
        actions.append(int(game.sample_actions(rng)[0]))
        game.step(np.array(actions[-1:]))
    return game, actions, dealt


def replays(rules, deals, game, actions):
    """Whether each deal lets all actions happen, by the same seats, and shows the seat to act the same now."""
    seat = int(game.current_player[0])
    batch = make_batch("schieber", len(deals), rules=rules)
    batch.reset(options={"deal": deals})
    first = make_batch("schieber", 1, seed=game.seed, rules=rules)
    alive = np.ones(len(deals), bool)
    for action in actions:
        legal = batch.legal_actions()
        alive &= legal[:, action] & (batch.current_player == first.current_player[0])
        chosen = np.where(alive, action, -1)
        batch.step(chosen)
        first.step(np.array([action]))
    seen = game.observe()
    return alive & (batch.observe(np.full(len(deals), seat)) == seen).all(axis=1)


def positions(rules, seeds, plies):
    for seed in seeds:
        rng = np.random.default_rng([seed, 5])
        game, actions, dealt = play(rules, seed, int(rng.integers(*plies)), int(rng.integers(0, 6)))
        if game.current_player[0] >= 0:
            yield game, actions, dealt


def whole_deals(game, dealt, worlds):
    """Deals from worlds: what each seat was dealt, uint64 [n, 4]."""
    seat = int(game.current_player[0])
    deals = np.tile(dealt, (len(worlds), 1))
    for place in range(3):
        other = (seat + 1 + place) % 4
        deals[:, other] = worlds[:, place] | game.state.played[0, other]
    return deals


def all_worlds(case):
    """Every deal of the unseen cards by hand sizes alone."""
    free = type(case)(case.cards, np.ones_like(case.allowed), case.sizes)
    return np.array(enumerate_deals([free]), np.uint64)


@pytest.mark.parametrize(
    ("rules", "seeds"),
    [
        (QUIET, (*range(30), 167, 569, 862, 883)),  # the last four: a seat may hold the lone trump Under
        ({"first_forehand": "schellen_banner", **QUIET}, range(60, 80)),
        ({"weis_reveal": "winner_cards", "target": 100_000}, range(100, 120)),
        ({"weis_reveal": "all", "kreuzweis": True, "target": 100_000}, range(140, 156)),
        ({"weis_reveal": "values_only", "four_nines": 150, "target": 100_000}, SIDES),
    ],
)
def test_cases_are_the_deals_that_fit(rules, seeds):
    tested = proved = 0
    for game, actions, dealt in positions(rules, seeds, (24, 36)):
        knowledge = Knowledge(game.spec)
        obs = game.observe()[0]
        cases = knowledge.cases(obs)
        if len(cases[0].cards) > 8:
            continue
        worlds = all_worlds(cases[0])
        fits = {tuple(w) for w in worlds[replays(rules, whole_deals(game, dealt, worlds), game, actions)].tolist()}
        drawn = enumerate_deals(cases)
        evidence = knowledge.weis_evidence(obs)
        if evidence is not None and drawn:
            heavy = evidence(np.array(drawn, np.uint64)) == 1
            drawn = [deal for deal, keep in zip(drawn, heavy, strict=True) if keep]
        assert len(drawn) == len(set(drawn))
        assert set(drawn) == fits
        tested += 1
        proved += len(fits) < len(worlds)
    assert tested >= 8
    assert proved >= 3


def test_before_and_after_the_contract():
    """27 unseen cards, nothing proved but the place of the card that named forehand."""
    game = make_batch("schieber", 1, seed=3)
    knowledge = Knowledge(game.spec)
    first = knowledge.cases(game.observe()[0])
    assert count(first) == 227_873_431_500  # 27! / 9!³: forehand holds the Rosen 7 himself
    game.step(np.array([42]))
    assert count(knowledge.cases(game.observe()[0])) == 227_873_431_500 // 3
