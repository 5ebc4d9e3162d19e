"""Engine and oracle play the same games and agree on every decision (`schieber_differential.compare`).

The default runs are samples; the soak runs play the full numbers over every preset and every option value.
"""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import Any

import numpy as np
import pytest
from schieber_differential import DEALS, POLICIES, compare, made_deals, near_target

from bidtrick.envs.schieber.rules import RANKS, SchieberRules

#: The full numbers of the soak runs, for each preset and over the values of all single options.
FULL_HANDS, FULL_MATCHES = 20_000, 300
#: No option value gets less than this in a soak run.
LEAST_HANDS, LEAST_MATCHES = 1_000, 15

#: Values of the options that are not a choice from a list.
OPEN_VALUES: dict[str, tuple[Any, ...]] = {
    "multipliers": ((1, 1, 2, 2, 3, 4), (1, 1, 2, 2, 3, 3), (1, 1, 1, 1, 1, 1), (2, 3, 1, 4, 6, 5)),
    "target": (3000, 2500, 1500, 1000, 1, 257, 777),
    "hands": (None, 1, 3, 12),
    "ranks": (RANKS, RANKS[1:], RANKS[1:8]),
}


def option_values() -> list[tuple[str, Any]]:
    """Every option with each of its values."""
    values = []
    for field in dataclasses.fields(SchieberRules):
        choices = field.metadata["choices"] or OPEN_VALUES[field.name]
        values += [(field.name, value) for value in choices]
    return values


SINGLE = [pytest.param(name, value, id=f"{name}={value}") for name, value in option_values()]
PRESETS = list(SchieberRules.presets)

#: Options that meet in the same corner, tried together.
PAIRS: list[dict[str, Any]] = [
    {"early_stock": e, "claim_order": c, "weis_reveal": r, "target": 500}
    for e, c, r in product(
        ("any_time", "first_card", "off"), ("stock_weis_trick", "stock_trick_weis"), ("winner_cards", "all")
    )
] + [
    {"kreuzweis": k, "weis_type_order": t, "four_nines": f, "weis_reveal": "all"}
    for k, t, f in product((False, True), ("quartet_first", "run_first"), (0, 150))
]


def rules_with(name: str, value: Any) -> SchieberRules:
    """The source rules with one option changed."""
    # J-RED-01: the card that names forehand may be missing in a short deck
    short: dict[str, Any] = {"first_forehand": "random", "ranks": RANKS[1:]}
    return SchieberRules.make("source").replace(**{**(short if name in ("suits", "ranks") else {}), name: value})


def hands(rules: SchieberRules, count: int, seed: int, parts: int = 10, watched: int = 25) -> int:
    """`count` hands: half plain ones, half in `parts` of different policies and deals, every other near the target."""
    decisions = compare(rules, games=count - count // 2, seed=seed, watched=watched)
    share = max(1, count // 2 // parts)
    for k in range(seed, seed + parts):
        rng = np.random.default_rng(k)
        decisions += compare(
            rules,
            games=share,
            seed=k,
            policy=POLICIES[k % len(POLICIES)],
            given=made_deals(DEALS[k % len(DEALS)], share, rng, rules),
            scores=near_target(rules, share, rng) if k // 2 % 2 and rules.hands is None else None,
            reward=("points", "match")[k // 4 % 2],
            watched=watched,
        )
    return decisions


def matches(rules: SchieberRules, count: int, seed: int, watched: int = 4) -> int:
    """`count` matches by one policy, and rewarded by one way, of several."""
    return compare(
        rules,
        games=count,
        seed=seed,
        episode="match",
        policy=("random", "sweep", "hoard")[seed % 3],
        reward=("match", "points")[seed // 3 % 2],
        watched=watched,
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_hands_of_presets(preset: str) -> None:
    rules = SchieberRules.make(preset)
    assert hands(rules, 120, seed=11, parts=4, watched=8) > 28 * len(rules.cards)


@pytest.mark.parametrize("preset", PRESETS)
def test_matches_of_presets(preset: str) -> None:
    rules = SchieberRules.make(preset)
    assert matches(rules, 3, seed=PRESETS.index(preset), watched=1) > (50 if rules.reduced else 200)


@pytest.mark.parametrize(("name", "value"), SINGLE)
def test_hands_of_options(name: str, value: Any) -> None:
    seed = option_values().index((name, value))
    assert hands(rules_with(name, value), 20, seed=seed, parts=2, watched=3) > 10


@pytest.mark.parametrize("options", PAIRS, ids=lambda o: ",".join(map(str, o.values())))
def test_hands_of_combined_options(options: dict[str, Any]) -> None:
    rules = SchieberRules.make("source").replace(**options)
    rng = np.random.default_rng(3)
    deal = made_deals("mixed", 40, rng)
    scores = near_target(rules, 40, rng)
    assert compare(rules, games=40, seed=31, scores=scores, policy="hoard", given=deal, watched=4) > 20


def test_matches_of_fixed_length() -> None:
    """J-END-05: most points win after so many hands; begun in the middle too; a draw needs equal scores."""
    rules = SchieberRules.make({"hands": 3, "schneider_factor": 2})
    assert compare(rules, games=12, seed=1, episode="match", reward="match", watched=2) > 12 * 3 * 36
    assert compare(rules, games=12, seed=2, episode="match", reward="match", hand_number=2) < 12 * 40
    # ahead by what the hand then loses: some of many such matches are drawn or turned
    scores = np.stack([np.zeros(60, int), np.arange(60)], axis=1)
    assert compare(rules, games=60, seed=3, episode="match", reward="match", hand_number=2, scores=scores) > 60 * 36


def test_every_seat_is_watched() -> None:
    """The comparison of observations is not vacuous: all games, every decision."""
    assert compare(SchieberRules.make({"weis_reveal": "all"}), games=12, seed=8, watched=12) > 12 * 36


def test_every_option_value_is_listed() -> None:
    listed = {name for name, _ in option_values()}
    assert listed == {field.name for field in dataclasses.fields(SchieberRules)}
    assert len(option_values()) == 54
    assert FULL_HANDS >= 20_000
    assert FULL_MATCHES >= 300


@pytest.mark.soak
@pytest.mark.parametrize("preset", PRESETS)
def test_soak_presets(preset: str) -> None:
    rules = SchieberRules.make(preset)
    for part in range(10):
        hands(rules, FULL_HANDS // 10, seed=1_000 * part)
    for part in range(6):
        matches(rules, FULL_MATCHES // 6, seed=part)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "value"), SINGLE)
def test_soak_options(name: str, value: Any) -> None:
    rules = rules_with(name, value)
    hands(rules, max(LEAST_HANDS, -(-FULL_HANDS // len(SINGLE))), seed=500)
    for part in range(3):
        matches(rules, -(-max(LEAST_MATCHES, -(-FULL_MATCHES // len(SINGLE))) // 3), seed=part)
