"""Rules of Thousand, section 18: short decks. Ids are those of RULES.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import DealError, RulesError
from bidtrick.envs.thousand.rules import RANKS, ThousandRules

CARDS = {"tiny": [2, 3, 4, 5, 8, 9, 10, 11], "tiny_three": [2, 3, 5, 8, 9, 11, 14, 15, 17]}


@pytest.mark.parametrize(("preset", "talons", "size"), [("tiny", 2, 2), ("tiny_three", 1, 3)])
def test_deals(preset: str, talons: int, size: int) -> None:
    """T-SHORT-01, T-SHORT-02, T-SHORT-04: hands of two, the talons as ever; each card once, by its usual number."""
    batch = make_batch("thousand", num_games=60, seed=1, rules=preset)
    rules: Any = batch.rules
    assert (rules.hand_size, rules.talons, rules.talon_size, rules.tricks) == (2, talons, size, 3)
    hands, stock = batch.state.hands, batch.state.stock[:, : rules.stock_size]
    assert (np.bitwise_count(hands).sum(axis=1) + rules.stock_size == len(CARDS[preset])).all()
    deck = sum(1 << card for card in CARDS[preset])
    whole = np.bitwise_or.reduce(hands, axis=1) | (np.uint64(1) << stock.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    assert (whole == deck).all()
    assert len(np.unique(hands[:, 0])) > 10


@pytest.mark.parametrize("preset", ["tiny", "tiny_three"])
def test_points_of_a_deal(preset: str) -> None:
    """T-SHORT-03: card points sum to what the deck has, and marriages are scored."""
    batch = make_batch("thousand", num_games=400, seed=2, rules=preset)
    rng, married = np.random.default_rng(0), False
    names = batch.spec.actions
    while not batch.done.all():
        actions = batch.sample_actions(rng)
        married |= any(names[a].startswith("Declare") for a in actions if a >= 0)
        batch.step(actions)
    report = batch.report()
    played = report["tricks"].sum(axis=1) == 3
    assert 0 < played.sum() < 400  # the others were written off
    assert (report["points"][played].sum(axis=1) == {"tiny": 56, "tiny_three": 54}[preset]).all()
    assert married
    gains = report["gains"]
    made = gains[np.arange(400), report["declarer"]] > 0
    assert 0 < made.sum() < 400


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"suits": 0}, "suits=0 is not allowed; allowed: 4 | 1 | 2 | 3"),
        ({"ranks": ["Ten", "King"]}, "different names in the order of the deck; allowed: some of 9, Jack"),
        ({"ranks": RANKS[1:]}, "20 cards; allowed: so many that 3 seats share what 3 cards of the talon leave"),
        ({"suits": 1, "ranks": RANKS[:3]}, "3 cards; allowed"),
        ({"players": 2, "suits": 1, "ranks": RANKS[1:]}, "2 seats share what 4 cards of the talon leave"),
        ({"suits": 2, "cut_ritual": "penalty_only"}, "cut_ritual='penalty_only' needs the whole deck"),
    ],
)
def test_bad_decks(options: dict[str, Any], reason: str) -> None:
    """T-SHORT-01, T-SHORT-02: what cannot be played is refused by name."""
    with pytest.raises(RulesError) as error:
        ThousandRules.make(options)
    assert reason in str(error.value)


def test_bad_deals() -> None:
    """T-SHORT-01: a deal is of the cards that are there."""
    batch = make_batch("thousand", rules="tiny")
    with pytest.raises(DealError, match=r"card numbers \[8\]"):
        batch.reset(options={"deal": np.arange(24)})
    with pytest.raises(DealError, match="missing: Clubs Ace"):
        batch.reset(options={"deal": [2, 3, 4, 5, 8, 9, 10, 0]})


def test_observations_are_those_of_the_whole_deck() -> None:
    """T-SHORT-01: rules with the whole deck have the digest that they had, and a short one changes no layout."""
    assert ThousandRules.make("default").digest() == "18f2ae7bdec3a71e"
    assert make_batch("thousand").spec.layout.hash == "672a078ea9ff73fe"  # published networks read it
    options = {"auction_step": 10, "players": 2, "marriage_values": (80, 100, 80, 100)}
    whole, short = make_batch("thousand", rules=options).spec, make_batch("thousand", rules="tiny").spec
    assert (whole.layout.hash, whole.actions) == (short.layout.hash, short.actions)
