"""Options of Thousand: the schema of sections 19 and 22, the presets, and what may not be combined.

Rules are a nested dictionary with exactly the keys of section 19 plus those of section 22, lines 78-80.
``complete`` fills a partial dictionary up from the default, ``make_rules`` starts from a preset, and
``validate`` refuses unknown keys, unknown values and combinations the rule book rules out.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Rules = dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """One of a few named values; the first is the default."""

    values: tuple[Any, ...]

    @property
    def default(self) -> Any:
        return self.values[0]

    def accepts(self, value: Any) -> bool:
        return any(type(value) is type(known) and value == known for known in self.values)

    def samples(self) -> tuple[Any, ...]:
        return self.values


@dataclass(frozen=True)
class Number:
    """A whole number from ``low`` on, or one of ``words`` (``None`` there means: switched off)."""

    default: Any
    low: int
    words: tuple[Any, ...] = ()
    multiple: int = 1
    examples: tuple[Any, ...] = ()

    def accepts(self, value: Any) -> bool:
        if any(type(value) is type(word) and value == word for word in self.words):
            return True
        return type(value) is int and value >= self.low and value % self.multiple == 0

    def samples(self) -> tuple[Any, ...]:
        return (self.default, *self.words, *self.examples)


@dataclass(frozen=True)
class Amount:
    """A payout: any whole or fractional number (T-BANK-01)."""

    default: float

    def accepts(self, value: Any) -> bool:
        return type(value) in (int, float)

    def samples(self) -> tuple[Any, ...]:
        return (self.default,)


@dataclass(frozen=True)
class Seats:
    """Seats that hold the information bonus (T-INFO-01, section 22 line 80)."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list) and all(type(seat) is int and 0 <= seat < 4 for seat in value)

    @property
    def default(self) -> list[int]:
        return []

    def samples(self) -> tuple[Any, ...]:
        return ([],)


@dataclass(frozen=True)
class Ranks:
    """Ranks of a short deck (T-SHORT-01)."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list) and bool(value) and [r for r in self.default if r in value] == value

    @property
    def default(self) -> list[str]:
        return ["9", "Jack", "Queen", "King", "Ten", "Ace"]

    def samples(self) -> tuple[Any, ...]:
        return (self.default,)


def _flag(default: bool) -> Choice:
    return Choice((default, not default))


def _optional(default: int | None, low: int, *examples: int) -> Number:
    return Number(default, low, (None,), examples=examples)


SCHEMA: Rules = {
    "players": Choice((3, 2, 4)),
    "target": Choice((1000, 1001)),
    "deck": Choice((24,)),
    "suits": Choice((4, 1, 2, 3)),
    "ranks": Ranks(),
    # T-MAR-02; "clubs_high" is accepted by `complete` for C 100, D 80 ... see MARRIAGE_TABLES.
    "marriage_values": {
        "H": Number(100, 10, multiple=10),
        "D": Number(80, 10, multiple=10),
        "C": Number(60, 10, multiple=10),
        "S": Number(40, 10, multiple=10),
    },
    "cut_ritual": Choice(("off", "penalty_only")),
    "redeal": {
        "hand": {
            "points_lt": _optional(13, 0, 15),
            "nines_ge": _optional(3, 1),
            "nines_who": Choice(("any", "forehand")),
            "nines_eq_4": _flag(False),
            "jacks_eq": _optional(4, 1),
            "who": Choice(("any",)),
        },
        "talon": {
            "points_lt": _optional(5, 0, 4),
            "nines_ge": _optional(2, 1),
            "jacks_eq": _optional(3, 1),
            "only_at_100": _flag(False),
        },
        "winner_four_nines_with_talon": _flag(False),
        "defender_four_nines_after_pass": _flag(False),
        "optional": _flag(True),
        "dealer": Choice(("same",)),
    },
    "auction": {
        "opening": Choice(("at_least_100", "forced_100", "dealer_100")),
        "step": Choice((5, 10)),
        "jumps": _flag(True),
        "cap": Choice(("marriages", "none", "flat_300")),
        "silence_below": Number(None, -100_000, (None,), examples=(-120,)),
    },
    "dark": Choice(("off", "C", "D", "forehand")),
    "golden": {
        "mode": Choice(("off", "on")),
        "raise": _flag(False),
        "double_marriages": _flag(False),
        "fail": Choice(("reset_and_normal", "replay", "keep", "reset_and_replay")),
    },
    "talon": {"show": _flag(True), "hide_on_uncontested_100": _flag(True)},
    "contract": {
        "declare": Choice(("before_pass", "after_pass")),
        "cap": Choice(("120+marriages_in_hand",)),
    },
    "write_off": {
        "cost": Choice(("bid", "none")),
        "opponents": Choice(("half_floor5", 60)),
        "limit": _optional(None, 0, 1),
        "first_free": _flag(False),
        "every_third_fine": Number(0, 0, examples=(120,)),
        "on_barrel": Choice(("burns_attempt", "forbidden", "falls")),
    },
    "pass_visibility": Choice(("recipient", "public")),
    "play": {
        "must_trump": _flag(True),
        "must_beat": _flag(False),
        "must_overtrump": _flag(False),
        "foreign_trump_lead": Choice(("allowed", "forbidden")),
    },
    "marriage": {
        "needs_trick": _flag(True),
        "on_lead_only": _flag(True),
        "optional": _flag(True),
        "trump_from": Choice(("immediately", "next_trick")),
    },
    "ace_marriage": {
        "on": _flag(False),
        "value": Number(200, 10, multiple=10),
        "needs_trick": _flag(True),
        "sets_trump": _flag(False),
        "in_cap": _flag(True),
    },
    "score": {
        "declarer": Choice(("contract", "actual")),
        "declarer_rounding": Choice(("none", "before_check")),
        "defender_round_to": Choice((5, 1, 10)),
    },
    "bolt": {
        "mode": Choice(("total3", "consecutive3", "off")),
        "fine": Number(120, 0),
        "basis": Choice(("tricks", "points")),
        "declarer": _flag(True),
        "on_barrel": _flag(False),
        "golden_weight": Number(2, 1, examples=(1,)),
    },
    "barrel": {
        "at": Choice((880, None)),
        "need": Number("auto", 5, ("auto",), multiple=5, examples=(125,)),
        "attempts": Number(3, 1),
        "attempt_counts": Choice(("every_deal", "own_contracts")),
        "own_contract_only": _flag(True),
        "fail_cost": Choice((0, "contract")),
        "fall": Choice((760, "last_contract")),
        "third_fall": Choice(("zero", "none")),
        "collision": Choice(("last_mounter", "first_stays", "coexist", "all_fall")),
        "same_deal": Choice(("declarer_then_total_then_seat", "declarer_then_seat", "all_fined")),
        "auction": Choice(("normal", "free_talon", "own_turn")),
        "jump_over": Choice(("mount", "win")),
    },
    "truck": {"plus_555": _flag(False), "minus_555": _flag(False)},
    "four_player": {
        "sitter_points": Choice(("talon", "none")),
        "sitter_marriage": _flag(True),
        "sitter_half_marriage": _flag(False),
    },
    "two_player": {
        "layout": Choice(("10+2+2", "9+3+3")),
        "take": Choice(("first", "choice")),
        "second_talon": Choice(("last_trick",)),
    },
    "payout": {"first": Amount(1), "middle": Amount(0), "last": Amount(-1)},
    "info_bonus": Choice(("none", "opponents", "talon_suits", "talon", "talon_card")),
    "info_bonus_seats": Seats(),
    "lock": Number(None, 5, (None,), multiple=5, examples=(800,)),
    "deals": Number(None, 1, (None,), examples=(3,)),  # T-TOUR-01
}

# T-MAR-02: the alternative table, accepted as a word in place of the four values.
MARRIAGE_TABLES: dict[str, dict[str, int]] = {"clubs_high": {"C": 100, "S": 80, "H": 60, "D": 40}}

# Differences from the default, section 19 with section 22 lines 68, 71 and 79.
_CLASSIC: Rules = {
    "redeal": {
        "hand": {
            "points_lt": 15,
            "nines_ge": 3,
            "nines_who": "forehand",
            "nines_eq_4": True,
            "jacks_eq": None,
        },
        "talon": {"points_lt": 5, "nines_ge": None, "jacks_eq": None},
    },
    "auction": {"opening": "forced_100"},
    "write_off": {"cost": "bid", "opponents": 60},
    "bolt": {"mode": "consecutive3"},
    "play": {"foreign_trump_lead": "forbidden"},
}
_NO_REDEAL: Rules = {
    "hand": {"points_lt": None, "nines_ge": None, "nines_eq_4": False, "jacks_eq": None},
    "talon": {"points_lt": None, "nines_ge": None, "jacks_eq": None},
}
PRESETS: dict[str, Rules] = {
    "default": {},
    "mailru": {"truck": {"plus_555": True, "minus_555": True}, "ace_marriage": {"on": True}},
    "classic_c": _CLASSIC,
    # A: 1001, talon without an auction on the barrel; need "auto" is then 125.
    "igrafan": {"target": 1001, "barrel": {"auction": "free_talon"}},
    "duel_d": {
        "players": 2,
        "redeal": _NO_REDEAL,
        "write_off": {"cost": "bid", "opponents": 60},
        "ace_marriage": {"on": True},
        "bolt": {"mode": "consecutive3", "basis": "points"},
        "barrel": {"need": 125, "fall": "last_contract"},
    },
    "duel_c": {**_CLASSIC, "players": 2, "two_player": {"layout": "9+3+3", "take": "choice"}},
    # Not spelled out in the book: the default with four at the table and the four_player defaults.
    "four": {"players": 4},
    "pagat": {
        "talon": {"hide_on_uncontested_100": False},
        "write_off": {"cost": "none", "opponents": 60, "every_third_fine": 120},
        "redeal": {"defender_four_nines_after_pass": True},
    },
    "polish": {
        "auction": {"step": 10},
        "score": {"defender_round_to": 10},
        "play": {"must_beat": True, "must_overtrump": True},
        "marriage": {"needs_trick": False},
        "barrel": {"at": None},
        "bolt": {"mode": "off"},
        "write_off": {"cost": "none", "opponents": 60},
        "lock": 800,
        "redeal": _NO_REDEAL,
    },
}


def _defaults(schema: Rules) -> Rules:
    return {key: _defaults(leaf) if isinstance(leaf, dict) else leaf.default for key, leaf in schema.items()}


def _merge(base: Rules, changes: Rules) -> Rules:
    """A deep merge; a key that `base` lacks is kept, so that `validate` can name it."""
    merged = copy.deepcopy(base)
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merge(merged[key], value)
        else:
            merged[key] = copy.deepcopy(value)
    return merged


def _spell_out(rules: Rules) -> Rules:
    """Replace two short spellings: a marriage table by name, and barrel.fall_to for barrel.fall."""
    changes = copy.deepcopy(rules)
    table = changes.get("marriage_values")
    if isinstance(table, str):
        if table not in MARRIAGE_TABLES:
            raise ValueError(f"marriage_values: unknown table {table!r}")
        changes["marriage_values"] = dict(MARRIAGE_TABLES[table])
    barrel = changes.get("barrel")
    if isinstance(barrel, dict) and "fall_to" in barrel:
        fall_to = barrel.pop("fall_to")
        if barrel.setdefault("fall", fall_to) != fall_to:
            raise ValueError("barrel.fall (section 19) and barrel.fall_to (section 22 line 78) differ")
    return changes


def complete(rules: Rules) -> Rules:
    """The full, checked rules for a partial dictionary; ValueError when they do not fit together."""
    full = _merge(_defaults(SCHEMA), _spell_out(rules))
    validate(full)
    return full


def make_rules(preset: str = "default", changes: Rules | None = None) -> Rules:
    """Complete rules: a preset with changes on top of it."""
    if preset not in PRESETS:
        raise ValueError(f"unknown preset {preset!r}")
    return complete(_merge(PRESETS[preset], _spell_out(changes or {})))


def _check(rules: Any, schema: Rules, path: str) -> None:
    if not isinstance(rules, dict) or set(rules) != set(schema):
        raise ValueError(f"{path or 'rules'}: the keys must be {sorted(schema)}")
    for key, leaf in schema.items():
        if isinstance(leaf, dict):
            _check(rules[key], leaf, f"{path}{key}.")
        elif not leaf.accepts(rules[key]):
            raise ValueError(f"{path}{key}: {rules[key]!r} is not allowed")


def validate(rules: Rules) -> None:
    """ValueError for rules that are incomplete, unknown, or impossible together."""
    _check(rules, SCHEMA, "")
    if rules["players"] == 2 and rules["dark"] != "off":
        raise ValueError("no dark game with two players (T-DARK-09, section 22 line 26)")
    if rules["players"] == 4 and rules["auction"]["opening"] == "dealer_100":
        raise ValueError("the sitting dealer has no hand to hold the hundred with (section 22 line 12)")
    if rules["lock"] is not None and rules["barrel"]["at"] is not None:
        raise ValueError("the lock stands in place of a barrel, not beside it (section 22 line 79)")
    if any(seat >= rules["players"] for seat in rules["info_bonus_seats"]):
        raise ValueError("info_bonus_seats names a seat that is not at the table")


def option_values() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every (path of an option, value worth trying) of the schema."""

    def walk(schema: Rules, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        for key, leaf in schema.items():
            if isinstance(leaf, dict):
                yield from walk(leaf, (*path, key))
            else:
                for value in leaf.samples():
                    yield (*path, key), value

    yield from walk(SCHEMA, ())


def need(rules: Rules) -> int:
    """What a barrel player must contract for (T-BAR-02, section 22 lines 61 and 71)."""
    fixed = rules["barrel"]["need"]
    if fixed != "auto":
        return fixed
    gap = rules["target"] - rules["barrel"]["at"]
    return -(-gap // 5) * 5
