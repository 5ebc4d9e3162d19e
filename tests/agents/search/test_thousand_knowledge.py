"""What a seat of Thousand knows, against the engine: the deals in which the game could have gone as it did."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from search_enumeration import enumerate_deals

from bidtrick.agents.search.belief import Belief, count
from bidtrick.agents.search.thousand.knowledge import Knowledge, merged
from bidtrick.envs import make_batch
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.tables import PHASES, PLAY, action_space

QUIET: dict[str, Any] = {
    "redeal_hand_points_lt": None,
    "redeal_hand_nines_ge": None,
    "redeal_hand_jacks_eq": None,
    "redeal_talon_points_lt": None,
    "redeal_talon_nines_ge": None,
    "redeal_talon_jacks_eq": None,
}
VARIANTS: dict[str, Any] = {
    "default": {},
    "duties": {"play_must_beat": True, "play_must_overtrump": True, "auction_step": 10},
    "foreign": {"play_foreign_trump_lead": "forbidden", "pass_visibility": "public"},
    "forced": {"marriage_optional": False, "marriage_on_lead_only": False, "marriage_needs_trick": False},
    "free": {"play_must_trump": False, "play_must_overtrump": True, "marriage_trump_from": "next_trick"},
    "aces": {"ace_marriage": True, "marriage_optional": False, "ace_marriage_sets_trump": True},
    "late": {"contract_declare": "after_pass"},
    "hidden": {"talon_show": False, "auction_cap": "none"},
    "two": {"players": 2},
    "bank": {"players": 2, "two_player_layout": "9+3+3", "two_player_take": "choice"},
    "four": {"players": 4, "ace_marriage": True},
}


def random_game(rules: ThousandRules, seed: int, decisions: int, options: Any) -> tuple[Any, list[int]]:
    """A game of random legal actions: long auctions, no write-offs, declarations where they may be."""
    game = make_batch("thousand", 1, seed=seed, rules=rules)
    game.reset(seed=seed, options=options)
    rng, space = np.random.default_rng(seed), action_space(rules)
    actions: list[int] = []
    for _ in range(decisions):
        legal = game.legal_actions()[0].copy()
        if legal.sum() > 1:
            legal[space.write_off] = False
        declares = np.flatnonzero(legal[24 : space.card_actions])
        amounts = np.flatnonzero(legal[space.amount :])
        action = int(rng.choice(np.flatnonzero(legal)))
        if len(declares) and game.state.phase[0] == PLAY and rng.random() < 0.7:
            action = 24 + int(declares[0])
        elif len(amounts) and rng.random() < 0.6:
            action = space.amount + int(amounts[min(len(amounts) - 1, rng.integers(3) ** 2)])
        actions.append(action)
        game.step([action])
        if game.done[0]:
            break
    return game, actions


def replayable(rules: ThousandRules, game: Any, actions: list[int], options: Any, worlds: list[list[int]]) -> bool:
    """Whether some deal with the cards of the other places where `worlds` says lets the game go as the seat saw it.

    Args:
        worlds: cards of each place now, as bits.
    """
    state, seat, space = game.state, int(game.current_player[0]), action_space(rules)
    p, declarer = rules.players, int(state.declarer[0])
    dealer = int(state.dealer[0])
    active = [(dealer + 1 + k) % p for k in range(rules.active)]
    place = active.index(seat)
    others = active[place + 1 :] + active[:place]
    now = {seat: int(state.hands[0, seat]) | int(state.played[0, seat])}
    for s, word in zip(others, worlds, strict=False):
        now[s] = word | int(state.played[0, s])
    taken = declarer >= 0 and PHASES[state.phase[0]] != "talon"
    given = int(state.gives[0])
    deals: list[tuple[list[int], dict[int, int]]] = []  # decks, and gifts that differ from those that were given
    at = active.index(declarer) if declarer >= 0 else 0
    receivers = ([*active[at + 1 :], *active[:at], -1])[:given] if declarer >= 0 else []
    real = [int(w) for w in state.sees_gave[0, declarer]] if declarer >= 0 else [0, 0]
    second = taken and bool(game.spec.layout.view(game.observe(), "second_talon")[0, 0])
    hidden = [k for k, to in enumerate(receivers) if not int(state.sees_gave[0, seat, k])]
    choices: list[list[int]] = []
    for k, to in enumerate(receivers):
        if k not in hidden:
            choices.append([real[k]])
        elif to < 0:
            choices.append([worlds[1 + second]])
        else:
            choices.append([1 << c for c in range(24) if now[to] >> c & 1])
    for gifts in _product(choices):
        hands = dict(now)
        bank = 0
        for to, gift in zip(receivers, gifts, strict=True):
            hands[declarer] |= gift
            if to >= 0:
                hands[to] &= ~gift
            else:
                bank |= gift
        talons = [worlds[2]] if p > 2 else [worlds[1], worlds[2]]
        if not taken:
            deals.append((_deck(hands, active, talons), {}))
            continue
        seen = int(state.sees_talon[0, seat])
        cards = [c for c in range(24) if hands[declarer] >> c & 1]
        options_ = [seen] if seen else [sum(1 << c for c in some) for some in combinations(cards, rules.talon_size)]
        for talon in options_:
            if talon & ~hands[declarer]:
                continue
            before = {**hands, declarer: hands[declarer] & ~talon}
            if p == 2:
                talons = [talon, worlds[2]] if not second else [worlds[1], talon]
            else:
                talons = [talon]
            deals.append((_deck(before, active, talons), {k: int(gifts[k]).bit_length() - 1 for k in hidden}))
    deals = [deal for deal in deals if len(deal[0]) == 24]
    if not deals:
        return False
    batch = make_batch("thousand", len(deals), rules=rules)
    batch.reset(options={**options, "dealer": dealer, "deal": np.array([deck for deck, _ in deals])})
    alive, number = np.ones(len(deals), bool), 0
    for action in actions:
        chosen = np.full(len(deals), action)
        if space.give <= action < space.give + 24:
            for row, (_, other) in enumerate(deals):
                chosen[row] = space.give + other[number] if number in other else action
            number += 1
        alive &= batch.legal_actions()[np.arange(len(deals)), chosen]
        batch.step(np.where(alive, chosen, -1))
    alive &= (batch.observe(seat) == game.observe(seat)[0]).all(axis=1)
    held = np.array(worlds[: len(others)], np.uint64)
    return bool((alive & (batch.state.hands[:, others] == held).all(axis=1)).any())


def _product(choices: list[list[int]]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for some in choices:
        found = [(*before, c) for before in found for c in some]
    return found


def _deck(hands: dict[int, int], active: list[int], talons: list[int]) -> list[int]:
    return [c for word in [*(hands[s] for s in active), *talons] for c in range(24) if word >> c & 1]


def fits(case: Any, world: list[int]) -> bool:
    """Whether a deal is one of a case."""
    places = {card: k for k, word in enumerate(world) for card in range(24) if word >> card & 1}
    return all(case.allowed[i, places[card]] for i, card in enumerate(case.cards.tolist()))


def truth(game: Any) -> list[int]:
    """The places as they are."""
    state, rules = game.state, game.rules
    seat, p = int(game.current_player[0]), rules.players
    active = [(int(state.dealer[0]) + 1 + k) % p for k in range(rules.active)]
    place = active.index(seat)
    words = [int(state.hands[0, s]) for s in active[place + 1 :] + active[:place]]
    taken = int(state.talon[0])
    if p > 2:
        return [*words, 0 if taken else int(state.talons[0, 0])]
    bank = int(state.gave[0, 1]) if rules.gives == 2 and state.gives[0] == 2 and state.declarer[0] != seat else 0
    return [*words, *(bank if taken and int(t) == taken else int(t) for t in state.talons[0])]


def swapped(world: list[int], rng: np.random.Generator) -> list[int]:
    """The same with some cards exchanged between places."""
    words = list(world)
    for _ in range(int(rng.integers(1, 4))):
        a, b = rng.permutation(len(words))[:2]
        if words[a] and words[b]:
            x, y = (int(rng.choice([c for c in range(24) if words[k] >> c & 1])) for k in (a, b))
            words[a] ^= 1 << x | 1 << y
            words[b] ^= 1 << x | 1 << y
    return words


@pytest.mark.parametrize("name", VARIANTS)
def test_cases_are_the_deals_that_could_have_been(name: str) -> None:
    """Deals near the true one are in exactly one case if the game can be replayed with them, else in none."""
    rules = ThousandRules.make({**QUIET, **VARIANTS[name]})
    rng = np.random.default_rng(len(name))
    answers: list[bool] = []
    for seed in range(8 if name != "hidden" else 5):
        options = {"scores": [880, 0, 0, 0][: rules.players]} if seed % 5 == 4 else {}
        decisions = int(rng.integers(2, 8)) if seed % 3 == 0 else int(rng.integers(10, 26))
        game, actions = random_game(rules, seed, decisions, options)
        if game.done[0]:
            continue
        knowledge = Knowledge(game.spec)
        cases = knowledge.cases(game.observe()[0])
        assert all(case.sizes.tolist() == [w.bit_count() for w in truth(game)] for case in cases)
        worlds = [truth(game), *(swapped(truth(game), rng) for _ in range(10))]
        for number, world in enumerate(worlds):
            possible = replayable(rules, game, actions, options, world)
            assert possible or number
            assert sum(fits(case, world) for case in cases) == possible, (seed, world, possible)
            answers.append(possible)
    assert 20 < sum(answers) < len(answers)


@pytest.mark.parametrize("name", ["default", "duties", "aces", "two"])
def test_all_deals_of_endings(name: str) -> None:
    """Endings: the deals of all cases, listed, are all placements that can be replayed; `count` is their number."""
    rules = ThousandRules.make({**QUIET, **VARIANTS[name]})
    # in the last two somebody has shown that he is out of trumps (T-PLAY-03), under the default rules
    for seed, left in ((100, 6), (101, 6), (109, 7), (124, 6)):
        game, actions = random_game(rules, seed, 60, {})
        game, actions = _stopped(rules, seed, actions, left)
        cases = Knowledge(game.spec).cases(game.observe()[0])
        listed = enumerate_deals(cases)
        assert len(set(listed)) == len(listed) == count(cases)
        places = truth(game)
        unseen = [c for c in range(24) if sum(places) >> c & 1]
        found = set()
        for first in combinations(unseen, places[0].bit_count()):
            rest = [c for c in unseen if c not in first]
            for second in combinations(rest, places[1].bit_count()):
                third = [c for c in rest if c not in second]
                world = [sum(1 << c for c in part) for part in (first, second, third)]
                if replayable(rules, game, actions, {}, world):
                    found.add(tuple(world))
        assert found == set(listed)


def _stopped(rules: ThousandRules, seed: int, actions: list[int], left: int) -> tuple[Any, list[int]]:
    """The same game, before the last so many actions."""
    game = make_batch("thousand", 1, seed=seed, rules=rules)
    game.reset(seed=seed, options={})
    for action in actions[:-left]:
        game.step([action])
    return game, actions[:-left]


def test_the_weight_counts_the_ways_to_deal_and_pass() -> None:
    """A shown talon card in the other defender's hand was the gift; else any of his eight may have been."""
    rules = ThousandRules.make({**QUIET, "talon_hide_on_uncontested_100": False})
    for seed in range(40):
        game, _ = random_game(rules, seed, 9, {})
        state = game.state
        if state.phase[0] != PLAY or state.player[0] == state.declarer[0]:
            continue
        obs = game.observe()[0]
        knowledge = Knowledge(game.spec)
        ways, cases = knowledge.gifts(obs), knowledge.cases(obs)
        assert ways is not None
        if not cases or max(knowledge.seen(obs).bids) > 120:
            continue
        worlds = Belief(cases).sample(50, np.random.default_rng(0))
        seen = knowledge.seen(obs)
        other = next(seat for seat in seen.others if seat != seen.declarer)
        held = worlds[:, seen.others.index(other)] | np.uint64(seen.played[other])
        expected = [1 if int(word) & seen.talon else 8 for word in held]
        assert ways(worlds).tolist() == expected
        return
    raise AssertionError("no defender was asked")


def test_merged_choices_are_disjoint_boxes_of_the_same() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        choices = sorted({tuple(row) for row in rng.integers(0, 3, (20, 4)).tolist()})
        listed = [c for box in merged(choices) for c in _product([sorted(places) for places in box])]
        assert sorted(listed) == choices
        assert len(merged(choices)) <= len(choices)

