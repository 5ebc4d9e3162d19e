"""What a seat of Pitch knows, against brute force: all deals in which the hand could have gone as it did.

Of a position that random play has reached a few unseen cards are taken and dealt anew in all ways. The engine replays
the hand with every such deck; a deck fits if all actions are legal, of the same seats, and the observation is the same
to the last byte. The cases, with their weight, must give each deal the share of its decks that fit.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial
from typing import Any, cast

import numpy as np
import pytest

from bidtrick.agents.search.belief import count, sample
from bidtrick.agents.search.pitch.evidence import IMPOSSIBLE, trumps_had, trumps_held, weight_of
from bidtrick.agents.search.pitch.knowledge import SEAT_PLACES, Knowledge
from bidtrick.envs import make_batch
from bidtrick.envs.core.bits import indices_of
from bidtrick.envs.pitch.game import Pitch
from bidtrick.envs.pitch.rules import PitchRules
from bidtrick.envs.pitch.state import BURNED, DEALT, DRAWN, KITTY_TO, PLAYED, SEEN
from bidtrick.envs.pitch.tables import KITTY, PLAY, tables

RULES: dict[str, dict[str, Any]] = {
    "source": {},
    "pass_on": {"burn_policy": "any", "version": 16},
    "takes_rest": {"fill_order": "bidder_takes_rest", "version": 14},
    "bidder_only": {"kitty_mode": "bidder_only", "burn_visible": False, "version": 15},
    "natural": {"first_lead_natural": True, "version": 16, "kitty_mode": "bidder_only"},
    "at_once": {"out_reveal": "at_once", "kitty_mode": "bidder_only"},
    "dead": {"discarded_trump": "dead", "version": 13},
    "one_by_one": {"kitty_mode": "one_by_one"},
    "auto_swap": {"kitty_mode": "auto_swap"},
    "five": {"players": 5},
    "five_sixteen": {"players": 5, "version": 16, "out_reveal": "at_once"},
    "five_own": {"players": 5, "call_own": True, "called_card_first_trick": False},
}


def one_hand(rules: PitchRules, seed: int) -> tuple[Pitch, list[int], list[int]]:
    """A hand of random play stopped at a random decision after trump, its deck and its actions."""
    rng = np.random.default_rng(seed)
    deck = rng.permutation(tables(rules).deck)
    while True:
        game = cast(Pitch, make_batch("pitch", num_games=1, seed=seed, rules=rules))
        game.reset(options={"deal": deck, "dealer": seed % rules.players})
        actions: list[int] = []
        stop = int(rng.integers(1, 26))
        while not game.done[0] and (game.phase[0] < KITTY or stop > 0):
            stop -= int(game.phase[0] >= KITTY)
            actions.append(int(game.sample_actions(rng)[0]))
            game.step(np.array(actions[-1:]))
        if not game.done[0]:
            return game, deck.tolist(), actions


def pools_of(game: Pitch, deck: list[int], observer: int) -> list[int]:
    """The pool of each card of the deck as it lies: 2 · (seat - 1) dealt, and got, -1 of the observer, -2 nobody's."""
    rules, s = game.rules, game.state
    size, found = tables(rules).hand_size, []
    for place, card in enumerate(deck):
        owner, pool = place // size, 0
        if owner >= rules.players:
            pool = 1
            # who got which of swapped leftovers is secret: they are nobody's, also the observer's own
            got = s.cards[0, :, DRAWN] | (s.cards[0, :, SEEN] if rules.kitty_mode != "auto_swap" else 0)
            holders = [p for p in range(rules.players) if int(got[p]) >> card & 1]
            owner = holders[0] if holders else -1
        seat = (owner - observer) % rules.players
        found.append(-2 if owner < 0 else -1 if seat == 0 else 2 * (seat - 1) + pool)
    return found


def row_of(
    knowledge: Knowledge, case: Any, pools: dict[int, int], trumps: int, shown: int
) -> list[int] | None:
    """A deal by pools as a row of places, None if it does not fit the case. shown: cards that were played or burned."""
    row = [0] * knowledge.places
    for pool, word in pools.items():
        if pool == -2:
            row[-1] = word
            continue
        at = SEAT_PLACES * (pool // 2) + 2 * (pool % 2)
        if pool % 2 and not case.sizes[at : at + 2].any():
            at -= 2  # both pools are one
        if case.sizes[at + 1]:
            kept = word & trumps
            for card in indices_of(kept & ~shown):  # beyond that, trumps were thrown away
                kept ^= 1 << card if kept.bit_count() > case.sizes[at] else 0
            row[at] |= kept
            row[at + 1] |= word & ~kept
        else:
            row[at] |= word
    cards = case.cards.tolist()
    for place, word in enumerate(row):
        if word.bit_count() != case.sizes[place]:
            return None
        if not all(case.allowed[cards.index(card), place] for card in indices_of(word)):
            return None
    return row


def fitting(game: Pitch, decks: np.ndarray[Any, Any], actions: list[int], dealer: int) -> np.ndarray[Any, Any]:
    """Whether each deck lets all happen as it did, and shows the seat to act the same. bool [n]."""
    seat, n = int(game.current_player[0]), len(decks)
    batch = cast(Pitch, make_batch("pitch", num_games=n, seed=game.seed, rules=game.rules))
    batch.reset(options={"deal": decks, "dealer": dealer})
    alive = np.ones(n, np.bool_)
    first = cast(Pitch, make_batch("pitch", num_games=1, seed=game.seed, rules=game.rules))
    first.reset(options={"deal": decks[0], "dealer": dealer})
    for action in actions:
        alive &= batch.legal_actions()[:, action] & (batch.current_player == first.current_player[0])
        batch.step(np.where(alive, action, -1))
        first.step(np.array([action]))
    return alive & (batch.observe(np.full(n, seat)) == game.observe()[0]).all(axis=1)


def chosen_places(
    rules: PitchRules, game: Pitch, deck: list[int], pools: list[int], rng: np.random.Generator
) -> list[int]:
    """Six places of the deck to deal anew: those whose order matters to the rules, then mostly trumps."""
    trumps = int(tables(rules).trumps[game.state.trump[0]])
    own = int(np.bitwise_or.reduce(game.state.cards[0, int(game.current_player[0]), [DEALT, DRAWN]]))
    free = [place for place, pool in enumerate(pools) if pool != -1 and not own >> deck[place] & 1]
    bidder = (int(game.state.bidder[0]) - int(game.current_player[0])) % rules.players
    first: list[int] = []
    if rules.kitty_mode == "auto_swap":
        first = [place for place in free if pools[place] == -2]
    if rules.kitty_mode == "one_by_one" and bidder:
        first = [place for place in free if pools[place] == 2 * (bidder - 1) + 1]
    others = [place for place in free if place not in first]
    rng.shuffle(others)
    others.sort(key=lambda place: not trumps >> deck[place] & 1 and rng.random() < 0.6)
    return (first + others)[: max(6, len(first))]


@pytest.mark.parametrize("name", RULES)
def test_cases_give_each_deal_its_share_of_decks(name: str) -> None:
    tested, narrowed = compare_with_decks(name, range(5))
    assert tested >= 4
    assert narrowed >= 1


@pytest.mark.soak
@pytest.mark.parametrize("name", RULES)
def test_many_more_positions(name: str) -> None:
    tested, narrowed = compare_with_decks(name, range(1000, 1060))
    assert tested >= 40
    assert narrowed >= 20


def compare_with_decks(name: str, seeds: range) -> tuple[int, int]:
    """Positions looked at, and those of them in which not every deal of the chosen cards fits."""
    rules = PitchRules(**RULES[name])
    tested = narrowed = 0
    for seed in seeds:
        game, deck, actions = one_hand(rules, seed)
        observer, trumps = int(game.current_player[0]), int(tables(rules).trumps[game.state.trump[0]])
        knowledge = Knowledge(game.spec)
        obs = game.observe()[0]
        cases, weight = knowledge.cases(obs), weight_of(knowledge, obs)
        pools = pools_of(game, deck, observer)
        places = chosen_places(rules, game, deck, pools, np.random.default_rng(seed))
        if len(places) > 7:
            continue
        orders = np.array(list(permutations([deck[place] for place in places])))
        decks = np.tile(np.array(deck), (len(orders), 1))
        decks[:, places] = orders
        fits = fitting(game, decks, actions, seed % rules.players)
        assert fits[0]
        s = game.state
        shown = int(np.bitwise_or.reduce(s.cards[0, :, PLAYED] | s.cards[0, :, BURNED]))
        own = int(np.bitwise_or.reduce(s.cards[0, observer, [DEALT, DRAWN, SEEN]]))
        # an observation does not say whether who looked at leftovers stopped at will or at six trumps; a replay does
        stopped = rules.kitty_mode == "one_by_one" and s.sheet[0, KITTY_TO, (s.bidder[0] + 2) % 4] > 0
        secret = stopped or rules.discarded_trump != "forbidden" or not rules.burn_visible
        shares: dict[tuple[tuple[int, int], ...], list[bool]] = {}
        for cards, fit in zip(decks.tolist(), fits.tolist(), strict=True):
            deal: dict[int, int] = {}
            for card, pool in zip(cards, pools, strict=True):
                if pool != -1 and not own >> card & 1:
                    deal[pool] = deal.get(pool, 0) | 1 << card
            shares.setdefault(tuple(sorted(deal.items())), []).append(fit)
        for key, found in shares.items():
            rows = [row_of(knowledge, case, dict(key), trumps, shown) for case in cases]
            rows = [row for row in rows if row is not None]
            assert len(rows) <= 1
            predicted = len(rows)
            if rows and weight is not None:
                predicted = float(weight(np.array(rows, np.uint64))[0])
                predicted = 0 if predicted <= IMPOSSIBLE else predicted
            if secret:  # other seats may have done other things unseen: fewer decks replay than fit
                assert predicted >= np.mean(found) - 1e-9
                continue
            assert predicted == pytest.approx(np.mean(found)), (seed, dict(key), observer, game.phase, cases[0].sizes)
        tested += 1
        narrowed += not fits.all()
    return tested, narrowed


def test_before_trump_every_deal_of_the_unseen_cards_fits() -> None:
    four = make_batch("pitch", num_games=1, seed=1)
    assert count(Knowledge(four.spec).cases(four.observe()[0])) == factorial(45) // (factorial(9) ** 3 * factorial(18))
    five = make_batch("pitch", num_games=1, seed=1, rules="five")
    assert count(Knowledge(five.spec).cases(five.observe()[0])) == factorial(44) // (factorial(10) ** 4 * factorial(4))


@pytest.mark.parametrize("name", RULES)
def test_drawn_deals_make_hands_that_can_be(name: str) -> None:
    """Hands of drawn deals: the seat's own, the trumps that others have left, nobody more than six in the play."""
    rules = PitchRules(**RULES[name])
    rng = np.random.default_rng(4)
    for seed in range(12):
        game, _, _ = one_hand(rules, 100 + seed)
        seat, knowledge = int(game.current_player[0]), Knowledge(game.spec)
        obs = game.observe()[0]
        f = knowledge.facts(obs)
        worlds = sample(knowledge.cases(obs), 20, rng, weight_of(knowledge, obs))
        held, had = trumps_held(knowledge, f, worlds), trumps_had(knowledge, f, worlds)
        trumps = knowledge.tables.trumps[f.trump]
        assert (held[:, 0] == game.state.hands[0, seat]).all()
        assert not (held & ~had).any()
        assert not (np.bitwise_or.reduce(had, axis=1) & ~trumps).any()
        assert (np.bitwise_count(had).sum(axis=1) == np.bitwise_count(np.bitwise_or.reduce(had, axis=1))).all()
        for other in range(1, rules.players):
            shown = f.played[other] | f.burned[other]
            assert not (~had[:, other] & shown).any()
            if game.phase[0] == PLAY:
                assert (np.bitwise_count(held[:, other]) + np.bitwise_count(f.played[other]) <= 6).all()
                if f.out[other]:
                    assert not held[:, other].any()
        true = np.roll(game.state.hands[0], -seat)
        if (f.asked[1:] > 1).all() and not knowledge.swaps(f, f.bidder) and rules.burn_visible:
            free = f.received[1:] + f.drew[1:] == 0  # whose number of trumps is known exactly
            counts = np.bitwise_count(held[:, 1:])
            assert (counts == np.bitwise_count(true[1:]))[:, free].all()
