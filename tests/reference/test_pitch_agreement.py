"""Engine and oracle play the same games of Pitch and agree on every decision (`pitch_differential.compare`).

The default runs are samples; the soak runs play the full numbers over every preset, every option value and
every pair of point version, dirty and reverse, four- and five-handed.
"""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import Any

import numpy as np
import pytest
from pitch_differential import DEALS, POLICIES, compare, made_decks, near_scores

from bidtrick.envs.core.errors import RulesError
from bidtrick.envs.pitch.rules import RANKS, SUITS, VERSIONS, PitchRules

#: The full numbers of the soak runs: for each preset, and for each option value or pair.
FULL_HANDS, FULL_MATCHES, FULL_OPTION_HANDS = 20_000, 300, 500

#: Values of the options that are not a choice from a list.
OPEN_VALUES: dict[str, tuple[Any, ...]] = {
    "min_bid": (1, 4, 5, 7, 10),
    "target": (1, 10, 21, 32, 52, 300),
    "win_by_lead": (0, 1, 12, 54),
    "max_hands": (1, 3, 200),
    "suits": (SUITS, SUITS[:3], ("Clubs", "Spades"), ("Diamonds", "Spades"), ("Hearts",)),
    "ranks": (RANKS, ("2", "3", "9", "10", "Jack", "Ace"), RANKS[1:8]),
}

#: Options that an option needs before it can mean anything.
NEEDS: dict[str, dict[str, Any]] = {
    "off_two": {"version": 16},
    "uncounted": {"version": 14},
    "both_out": {"target": 12},
    "moon_5h": {"moon_at_zero": "zero"},
    "suits": {"hand": 3, "min_bid": 1},
    "ranks": {"hand": 5, "min_bid": 2, "moon_needs": "in_play"},
    "jokers": {"joker_order": "first_played_high"},
}


def option_values() -> list[tuple[str, Any, int]]:
    """Every option with each of its values, for four and five players where both are allowed."""
    values: list[tuple[str, Any, int]] = []
    for field in dataclasses.fields(PitchRules):
        if field.name != "players":
            for value, players in product(field.metadata["choices"] or OPEN_VALUES[field.name], (4, 5)):
                try:
                    rules_with(field.name, value, players)
                except RulesError:
                    continue
                values.append((field.name, value, players))
    return values


def rules_with(name: str, value: Any, players: int) -> PitchRules:
    """The source rules with one option changed; five-handed with moons, so that their options mean something."""
    options = {"players": players, **NEEDS.get(name, {})}
    if players == 5 and (name, value) != ("moon_mode", "off"):
        options["moon_5h"] = "on"
    return PitchRules.make({**options, name: value})


SINGLE = [pytest.param(*value, id=f"{value[0]}={value[1]}-{value[2]}") for value in option_values()]
PRESETS = list(PitchRules.presets)

#: Point version × dirty × reverse × players, with what else they touch.
PAIRS = [
    {"version": v, "two_rule": d, "reverse": r, "players": p}
    for v, d, r, p in product(VERSIONS, ("played", "captured"), (False, True), (4, 5))
]

#: Options that meet in the same corner, tried together.
CORNERS: list[dict[str, Any]] = [
    {"discarded_trump": d, "kitty_mode": k, "fill_order": f, "version": 16}
    for d, k, f in product(
        ("dead", "to_kitty"),
        ("keep_or_pass_all", "one_by_one", "bidder_only", "auto_swap"),
        ("dealer_left", "bidder_left", "bidder_takes_rest"),
    )
] + [
    {"uncounted": "removed", "version": 8, "kitty_mode": "one_by_one", "joker_order": "first_played_high"},
    {"uncounted": "removed", "version": 11, "fill_order": "bidder_left", "discarded_trump": "to_kitty"},
    {"check": "mid_hand", "made_score": "bid", "target": 12, "win_requires_bid": True},
    {"check": "mid_hand", "two_scores_when": "holder", "burn_policy": "any", "burn_visible": False, "target": 8},
    {"players": 5, "call_own": True, "called_card_first_trick": False, "first_lead_natural": True, "check": "mid_hand"},
    {"players": 5, "five_deck": "no_fours", "version": 16, "reverse": True, "joker_order": "first_played_high"},
    {
        "players": 5,
        "moon_5h": "on",
        "moon_mode": "pm20",
        "partner_shares_set": False,
        "both_out": "higher",
        "target": 9,
    },
    {"players": 5, "moon_5h": "on", "moon_mode": "instant", "defender_cap": True, "target": 9, "win_by_lead": 6},
    {"misdeal_rule": "no_face_no_point", "version": 5, "stuck_rule": "redeal", "burn_policy": "misdeal_if_point"},
    {"dealer_steal": True, "moon_overcall": "double", "moon_allowed_below_zero": False, "moon_mode": "instant"},
    {"stuck_rule": "redeal", "stuck_dealer_may_bid_more": False, "version": 5, "min_bid": 5},
    {"out_reveal": "at_once", "discarded_trump": "dead", "kitty_mode": "bidder_only"},
]


def hands(rules: PitchRules, count: int, seed: int, parts: int = 8, watched: int = 20) -> int:
    """`count` hands in `parts` of different policies, deals, scores and rewards."""
    share = -(-count // parts)
    compared = 0
    for k in range(seed, seed + parts):
        rng = np.random.default_rng(k)
        kind = DEALS[k % len(DEALS)]
        compared += compare(
            rules,
            games=share,
            seed=k,
            policy=POLICIES[k % len(POLICIES)],
            given=None if kind == "uniform" else made_decks(rules, kind, share, rng),
            scores=near_scores(rules, share, rng) if k // 2 % 2 else None,
            reward=("points", "match")[k // 4 % 2],
            watched=watched,
        )
    return compared


def matches(rules: PitchRules, count: int, seed: int, watched: int = 4) -> int:
    """`count` matches, cut off after 40 hands at the most; returns the number of hands."""
    short = rules.replace(max_hands=min(rules.max_hands, 40))
    policy, reward = ("tame", "strong", "random")[seed % 3], ("match", "points")[seed // 3 % 2]
    return compare(short, games=count, seed=seed, episode="match", policy=policy, reward=reward, watched=watched)


@pytest.mark.parametrize("preset", PRESETS)
def test_hands_of_presets(preset: str) -> None:
    assert hands(PitchRules.make(preset), 64, seed=11, parts=4, watched=8) == 64


@pytest.mark.parametrize("preset", PRESETS)
def test_matches_of_presets(preset: str) -> None:
    assert matches(PitchRules.make(preset), 3, seed=3 * PRESETS.index(preset), watched=1) > 3


@pytest.mark.parametrize(("name", "value", "players"), SINGLE)
def test_hands_of_options(name: str, value: Any, players: int) -> None:
    seed = option_values().index((name, value, players))
    assert hands(rules_with(name, value, players), 12, seed=seed, parts=2, watched=3) == 12


@pytest.mark.parametrize("options", PAIRS, ids=lambda o: ",".join(map(str, o.values())))
def test_hands_of_pairs(options: dict[str, Any]) -> None:
    assert hands(PitchRules.make(options), 6, seed=PAIRS.index(options), parts=1, watched=2) == 6


@pytest.mark.parametrize("options", CORNERS, ids=lambda o: ",".join(map(str, o.values())))
def test_hands_of_corners(options: dict[str, Any]) -> None:
    assert hands(PitchRules.make(options), 16, seed=CORNERS.index(options), parts=4, watched=4) == 16
    if options.get("target", 52) < 52:
        assert matches(PitchRules.make(options), 2, seed=1, watched=1) >= 2


def test_every_option_value_is_listed() -> None:
    listed = {name for name, _, _ in option_values()}
    assert listed == {field.name for field in dataclasses.fields(PitchRules)} - {"players"}
    assert FULL_HANDS >= 20_000
    assert FULL_MATCHES >= 300


@pytest.mark.soak
@pytest.mark.parametrize("preset", PRESETS)
def test_soak_presets(preset: str) -> None:
    rules = PitchRules.make(preset)
    for part in range(10):
        assert hands(rules, FULL_HANDS // 10, seed=1_000 * part) >= FULL_HANDS // 10
    for part in range(6):
        matches(rules, FULL_MATCHES // 6, seed=part)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "value", "players"), SINGLE)
def test_soak_options(name: str, value: Any, players: int) -> None:
    rules = rules_with(name, value, players)
    assert hands(rules, FULL_OPTION_HANDS, seed=500) >= FULL_OPTION_HANDS
    for part in range(2):
        matches(rules, 4, seed=part)


@pytest.mark.soak
@pytest.mark.parametrize("options", [*PAIRS, *CORNERS], ids=lambda o: ",".join(map(str, o.values())))
def test_soak_combinations(options: dict[str, Any]) -> None:
    assert hands(PitchRules.make(options), FULL_OPTION_HANDS, seed=700) >= FULL_OPTION_HANDS


@pytest.mark.soak
def test_soak_random_mixtures() -> None:
    """Options drawn at random together; refused mixtures are skipped."""
    rng = np.random.default_rng(99)
    played = 0
    for seed in range(1_500):
        options: dict[str, Any] = {}
        for field in dataclasses.fields(PitchRules):
            values = field.metadata["choices"] or OPEN_VALUES[field.name]
            options[field.name] = values[rng.integers(len(values))]
        try:
            rules = PitchRules.make(options)
        except RulesError:
            continue
        hands(rules, 16, seed=seed, parts=2, watched=4)
        matches(rules, 1, seed=seed, watched=1)
        played += 1
    assert played > 100
