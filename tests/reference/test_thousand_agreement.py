"""Engine and oracle of Thousand play the same games and agree on every decision (`thousand_differential.compare`).

The default runs are samples; the soak runs play the full numbers over every preset and every option value.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from thousand_differential import POLICIES, Tally, compare, contexts

from bidtrick.envs.thousand.rules import RANKS, ThousandRules

#: The full numbers of the soak runs: for each preset, and for each value of an option.
FULL_HANDS, FULL_MATCHES, FULL_OPTION_HANDS = 20_000, 300, 500
REWARDS = ("points", "match", "stake")

#: Values of the options that are not a choice from a list.
OPEN_VALUES: dict[str, tuple[Any, ...]] = {
    "marriage_values": ((40, 60, 80, 100), (80, 100, 40, 60), (10, 150, 20, 70)),
    "redeal_hand_points_lt": (13, None, 15, 20),
    "redeal_talon_points_lt": (5, None, 4, 15),
    "auction_silence_below": (None, -120, 0),
    "write_off_limit": (None, 0, 1, 4),
    "write_off_every_third_fine": (0, 120),
    "ace_marriage_value": (200, 100),
    "bolt_fine": (120, 0, 60),
    "barrel_need": ("auto", 125, 200),
    "barrel_attempts": (3, 1, 2),
    "lock": (None, 800),
    "deals": (None, 3),
    "payout": ((1, 0, -1), (2, -0.5, -1.5)),
    "info_bonus_seats": ((), (1,), (0, 2)),
    "ranks": (RANKS, ("Queen", "King", "Ace")),
}
#: What an option value needs beside it, to be allowed or to matter.
COMPANIONS: dict[str, dict[str, Any]] = {
    "golden_raise": {"golden": "on"},
    "golden_double_marriages": {"golden": "on"},
    "golden_fail": {"golden": "on"},
    "bolt_golden_weight": {"golden": "on"},
    "sitter_points": {"players": 4},
    "sitter_marriage": {"players": 4},
    "sitter_half_marriage": {"players": 4},
    "two_player_layout": {"players": 2},
    "two_player_take": {"players": 2},
    "info_bonus": {"info_bonus_seats": (0, 2)},
    "info_bonus_seats": {"info_bonus": "talon_card"},
    "play_must_overtrump": {"play_must_trump": False, "marriage_needs_trick": False},
    "play_must_beat": {"marriage_needs_trick": False},
    "marriage_on_lead_only": {"marriage_needs_trick": False},
    "marriage_trump_from": {"marriage_needs_trick": False},
    "play_foreign_trump_lead": {"marriage_needs_trick": False},
    "barrel_same_deal": {"barrel_collision": "coexist"},
    "auction_silence_below": {"auction_opening": "forced_100"},
}


def option_values() -> list[tuple[str, Any]]:
    """Every option with each of its values."""
    values = []
    for field in dataclasses.fields(ThousandRules):
        choices = field.metadata["choices"] or OPEN_VALUES[field.name]
        values += [(field.name, value) for value in choices]
    return values


def rules_with(name: str, value: Any) -> ThousandRules:
    """Default rules with one option changed, and what the option needs beside it."""
    changes: dict[str, Any] = {name: value}
    if name.startswith("ace_marriage"):
        changes = {"ace_marriage": True, "ace_marriage_needs_trick": False, **changes}
    if value is not None and name == "lock":
        changes["barrel_at"] = None
    if name == "barrel_at" or name == "barrel_jump_over":
        changes["score_declarer"] = "actual"
    return ThousandRules.make({**COMPANIONS.get(name, {}), **changes})


SINGLE = [pytest.param(name, value, id=f"{name}={value}") for name, value in option_values()]
PRESETS = list(ThousandRules.presets)

#: Options that meet in the same corner, tried together.
TOGETHER: list[dict[str, Any]] = [
    {"dark": "D", "players": 4, "sitter_half_marriage": True, "auction_opening": "forced_100"},
    {"dark": "C", "info_bonus": "talon_card", "info_bonus_seats": (0, 1), "redeal_hand_nines_ge": 2},
    {"dark": "forehand", "auction_opening": "dealer_100", "auction_silence_below": 0},
    {"dark": "forehand", "info_bonus": "opponents", "info_bonus_seats": (0, 1, 2), "pass_visibility": "public"},
    {"contract_declare": "after_pass", "redeal_defender_four_nines": True, "redeal_winner_four_nines": True},
    {"contract_declare": "after_pass", "players": 2, "two_player_layout": "9+3+3", "two_player_take": "choice",
     "info_bonus": "talon", "info_bonus_seats": (0,), "pass_visibility": "public"},
    {"redeal_optional": False, "redeal_hand_nines_ge": 2, "cut_ritual": "penalty_only", "players": 4},
    {"redeal_optional": False, "redeal_talon_nines_ge": 1, "dark": "C", "info_bonus": "talon_suits",
     "info_bonus_seats": (1, 2)},
    {"golden": "on", "golden_fail": "reset_and_replay", "golden_double_marriages": True, "players": 4,
     "sitter_half_marriage": True, "bolt_on_barrel": True, "write_off_every_third_fine": 60},
    {"golden": "on", "golden_fail": "replay", "golden_raise": True, "barrel_fail_cost": "contract"},
    {"barrel_collision": "all_fall", "barrel_same_deal": "all_fined", "barrel_third_fall": "none", "players": 4},
    {"barrel_collision": "first_stays", "barrel_same_deal": "declarer_then_seat", "score_declarer": "actual"},
    {"barrel_collision": "coexist", "barrel_own_contract_only": False, "barrel_need": 100},
    {"barrel_jump_over": "win", "barrel_own_contract_only": False, "score_declarer": "actual", "truck_plus_555": True},
    {"barrel_auction": "free_talon", "target": 1001, "auction_step": 10, "barrel_collision": "coexist"},
    {"barrel_fall_to": "last_contract", "truck_plus_555": True, "barrel_attempts": 1, "write_off_on_barrel": "falls"},
    {"marriage_on_lead_only": False, "marriage_needs_trick": False, "play_must_beat": True, "play_must_overtrump": True,
     "ace_marriage": True, "ace_marriage_sets_trump": True, "ace_marriage_needs_trick": False},
    {"marriage_on_lead_only": False, "marriage_optional": False, "marriage_trump_from": "next_trick",
     "marriage_needs_trick": False, "players": 2, "play_foreign_trump_lead": "forbidden"},
    {"play_must_trump": False, "play_must_overtrump": True, "marriage_needs_trick": False, "players": 2},
    {"lock": 800, "barrel_at": None, "bolt_basis": "points", "score_defender_round_to": 1, "players": 4},
    {"auction_cap": "none", "ace_marriage": True, "auction_jumps": False, "auction_silence_below": -120},
]  # fmt: skip


def play(rules: ThousandRules, hands: int, seed: int, parts: int = len(POLICIES), watched: int = 3) -> Tally:
    """`hands` hands in parts: each policy, every other part with matches begun in the middle."""
    tally = Tally()
    share = -(-hands // parts)
    for k in range(parts):
        number = seed + k
        rng = np.random.default_rng(number)
        made = contexts(rules, share, rng) if (k + k // len(POLICIES)) % 2 == 0 else None
        tally += compare(
            rules,
            games=share,
            seed=number,
            policy=POLICIES[number % len(POLICIES)],
            context=made,
            reward=REWARDS[number % 3],
            watched=watched,
        )
    return tally


def matches(rules: ThousandRules, count: int, seed: int, watched: int = 1, most_deals: int = 60) -> Tally:
    """`count` matches from constructed contexts, most of them to their end."""
    rng = np.random.default_rng(seed)
    return compare(
        rules,
        games=count,
        seed=seed,
        episode="match",
        policy="keen",
        context=contexts(rules, count, rng),
        reward=REWARDS[seed % 3],
        watched=watched,
        most_deals=most_deals,
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_hands_of_presets(preset: str) -> None:
    assert play(ThousandRules.make(preset), 60, seed=11)["hands"] >= 60


@pytest.mark.parametrize("preset", PRESETS)
def test_matches_of_presets(preset: str) -> None:
    assert matches(ThousandRules.make(preset), 4, seed=PRESETS.index(preset), most_deals=12)["hands"] > 4


@pytest.mark.parametrize(("name", "value"), SINGLE)
def test_hands_of_options(name: str, value: Any) -> None:
    seed = option_values().index((name, value))
    assert play(rules_with(name, value), 12, seed=seed, parts=2, watched=2)["hands"] >= 12


@pytest.mark.parametrize("options", TOGETHER, ids=lambda o: ",".join(o))
def test_hands_of_combined_options(options: dict[str, Any]) -> None:
    assert play(ThousandRules.make(options), 32, seed=31, parts=4)["hands"] >= 32


def test_matches_of_a_fixed_number_of_deals() -> None:
    """T-TOUR-01: the match ends after the last deal, with a winner or a draw."""
    assert matches(rules_with("deals", 3), 6, seed=1)["wins"] >= 6


def test_a_dark_seat_knows_which_talon_card_it_named() -> None:
    """T-INFO-01: it sees the card only with its own cards, but has chosen the number itself."""
    rules = ThousandRules.make(TOGETHER[1])
    tally = compare(rules, games=84, seed=705, policy=POLICIES[705 % len(POLICIES)], reward="points", watched=3)
    assert tally["dark"]


def test_every_option_value_is_listed() -> None:
    assert {name for name, _ in option_values()} == {field.name for field in dataclasses.fields(ThousandRules)}
    assert FULL_HANDS >= 20_000
    assert FULL_MATCHES >= 300
    assert FULL_OPTION_HANDS >= 500


@pytest.mark.soak
@pytest.mark.parametrize("preset", PRESETS)
def test_soak_presets(preset: str) -> None:
    rules = ThousandRules.make(preset)
    tally = play(rules, FULL_HANDS, seed=1_000, parts=60, watched=8)
    for part in range(6):
        tally += matches(rules, FULL_MATCHES // 6, seed=part)
    print(preset, dict(sorted(tally.items())))


@pytest.mark.soak
@pytest.mark.parametrize(("name", "value"), SINGLE)
def test_soak_options(name: str, value: Any) -> None:
    rules = rules_with(name, value)
    tally = play(rules, FULL_OPTION_HANDS, seed=500, parts=12)
    tally += matches(rules, 6, seed=1)
    print(name, value, dict(sorted(tally.items())))


@pytest.mark.soak
@pytest.mark.parametrize("options", TOGETHER, ids=lambda o: ",".join(o))
def test_soak_combined_options(options: dict[str, Any]) -> None:
    rules = ThousandRules.make(options)
    play(rules, 4 * FULL_OPTION_HANDS, seed=700, parts=24)
    matches(rules, 6, seed=2)
