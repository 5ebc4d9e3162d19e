"""Rules of Pitch, section 19: short decks. Ids are those of RULES.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pitch_table import cards

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import DealError, RulesError
from bidtrick.envs.pitch.rules import RANKS, PitchRules
from bidtrick.envs.pitch.tables import tables

DECKS = {"tiny": "2C JC AC 2S JS AS LJ HJ", "tiny_stock": "2C JC AC 2S JS AS HJ"}


@pytest.mark.parametrize(("preset", "size", "stock"), [("tiny", 2, 0), ("tiny_stock", 1, 3)])
def test_deals(preset: str, size: int, stock: int) -> None:
    """P-RED-01, P-RED-02, P-RED-04: the cards that are kept, by their usual numbers, the stock from the others."""
    batch = make_batch("pitch", num_games=60, seed=1, rules=preset)
    t = tables(PitchRules.make(preset))
    assert t.deck.tolist() == cards(DECKS[preset])
    assert (t.hand_size, t.stock_size) == (size, stock)
    hands = batch.state.hands
    assert (np.bitwise_count(hands) == size).all()
    assert (np.bitwise_or.reduce(hands, axis=1) & ~np.uint64(sum(1 << int(c) for c in t.deck)) == 0).all()
    assert len(np.unique(hands[:, 0])) > 5


@pytest.mark.parametrize(("preset", "points"), [("tiny", 6), ("tiny_stock", 5)])
def test_bids_trumps_and_points(preset: str, points: int) -> None:
    """P-RED-03, P-RED-04: bids up to the points that are there, trumps of the deck's suits, all points scored."""
    batch = make_batch("pitch", num_games=300, seed=2, rules=preset)
    rng, seen = np.random.default_rng(0), set()
    names, rules = batch.spec.actions, PitchRules.make(preset)
    while not batch.done.all():
        mask = batch.legal_actions()
        seen |= {names[a] for a in np.flatnonzero(mask.any(axis=0))}
        batch.step(batch.sample_actions(rng))
    assert {name for name in seen if name.startswith("Bid")} == {f"Bid {n}" for n in range(rules.min_bid, points + 1)}
    assert {name for name in seen if name.startswith("Trump")} == {"Trump Clubs", "Trump Spades"}
    assert not {"Moon", "Double moon"} & seen
    report = batch.report()
    total = report["took"] + report["against"]
    assert total.max() == points
    assert (total == points).mean() == (1.0 if preset == "tiny" else pytest.approx(0.9, abs=0.1))


def test_strength_counts_what_is_there() -> None:
    """P-RED-01, P-RED-03: ace, jack, off-jack, jokers, two; the off-jack only beside the other suit of its colour."""
    t = tables(PitchRules.make("tiny"))
    clubs = {card: int(t.shown_strength[0, card]) for card in range(54) if t.shown_strength[0, card]}
    assert clubs == dict(zip(cards("AC JC JS HJ LJ 2C"), (6, 5, 4, 3, 2, 1), strict=True))
    other = PitchRules.make({"preset": "tiny", "suits": ("Clubs", "Diamonds")})
    assert tables(other).shown_strength[0].max() == 5
    assert other.most_points == 5


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"suits": ["Spades", "Clubs"]}, "different names in the order of the deck; allowed: some of Clubs, Diamonds"),
        ({"ranks": ["2", "1"]}, "allowed: some of 2, 3, 4"),
        ({"jokers": 3}, "jokers=3 is not allowed; allowed: 2 | 1 | 0"),
        ({"suits": ["Clubs"]}, "hand=9 is not allowed with a deck of 15 cards; allowed: at most 3"),
        ({"preset": "tiny", "min_bid": 7}, "min_bid=7 is not allowed; allowed: 1 to 6, the points of version 10 that"),
        ({"preset": "tiny", "players": 5}, "a short deck needs players=4"),
        ({"ranks": RANKS[1:], "uncounted": "removed", "version": 8}, "allowed: 0"),
    ],
)
def test_bad_decks(options: dict[str, Any], reason: str) -> None:
    """P-RED-01 to P-RED-03: what cannot be played is refused by name."""
    with pytest.raises(RulesError) as error:
        PitchRules.make(options)
    assert reason in str(error.value)


def test_bad_deals() -> None:
    """P-RED-01: a deal is of the cards that are there."""
    batch = make_batch("pitch", rules="tiny")
    with pytest.raises(DealError, match="not in the deck"):
        batch.reset(options={"deal": [*cards(DECKS["tiny"])[:-1], 5]})


def test_observations_are_those_of_the_whole_deck() -> None:
    """P-RED-01: layouts, actions and the digest of rules with the whole deck are as before."""
    whole, short = make_batch("pitch").spec, make_batch("pitch", rules="tiny").spec
    assert (whole.layout.hash, whole.actions) == (short.layout.hash, short.actions)
    assert whole.layout.hash == "8ed7a2f61fc5f8cf"  # published networks read it
    assert PitchRules.make("source").digest() == "c3c01392a38a076b"
