"""Rule options as data: a frozen, hashable dataclass a game, validated at construction.

A game subclasses `Rules`, declares each option with `option(...)` and lists its presets. Everything
else (validation, printing, (de)serialisation, digests for checkpoints) is shared.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

from .errors import RulesError

#: Says why a value is refused, or returns None when it is fine.
Check = Callable[[Any], str | None]


def option(
    default: Any,
    *,
    ids: str,
    doc: str,
    choices: tuple[Any, ...] | None = None,
    check: Check | None = None,
    values: str | None = None,
    later: bool = False,
) -> Any:
    """One rule option: its default, the rule ids it belongs to, and what it may be.

    Args:
        choices: the allowed values; or
        check: a function that says why a value is refused, with `values` describing the allowed ones.
        later: the option is younger than agents and results that were published: rules that leave it at its
            default are those of before, with the same digest; and no observation has a place for it.
    """
    allowed = values if values is not None else " | ".join(map(repr, choices or ()))
    return dataclasses.field(
        default=default,
        metadata={"ids": ids, "doc": doc, "choices": choices, "check": check, "values": allowed, "later": later},
    )


def positive_int(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        return "must be a positive int"
    return None


def optional_positive_int(value: Any) -> str | None:
    return None if value is None else positive_int(value)


def ranks_option(ranks: tuple[str, ...], *, ids: str, doc: str) -> Any:
    """The ranks (or suits) that a short deck keeps, by name, in the order of `ranks`, which are all (the default)."""

    def check(value: Any) -> str | None:
        if not isinstance(value, tuple) or not value:
            return "must be a list of at least one rank"
        places = [ranks.index(rank) if rank in ranks else -1 for rank in cast("tuple[Any, ...]", value)]
        if -1 in places or places != sorted(set(places)):
            return "must hold different names in the order of the deck"
        return None

    values = f"some of {', '.join(ranks)}, in this order"
    return option(ranks, check=check, values=values, ids=ids, doc=doc, later=True)


@dataclass(frozen=True)
class OptionInfo:
    """One row of the table that `bidtrick rules GAME` prints."""

    name: str
    default: Any
    values: str
    ids: str
    doc: str


@dataclass(frozen=True)
class Rules:
    """Base class of a game's rule options. Instances are immutable, hashable and always valid."""

    game: ClassVar[str]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]]

    def __post_init__(self) -> None:
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, list):  # YAML and JSON have no tuples
                value = tuple(cast("list[Any]", value))
                object.__setattr__(self, spec.name, value)
            problem = _problem(value, spec.metadata)
            if problem:
                raise RulesError(
                    f"{self.game} rules: {spec.name}={value!r} {problem}; "
                    f"allowed: {spec.metadata['values']} ({spec.metadata['ids']})"
                )
        self.validate()

    def validate(self) -> None:
        """Refuse options that exclude each other. Games override this; it raises RulesError."""

    @property
    def reduced(self) -> bool:
        """Whether the deck is shorter than the game's own: for exact computations, not for players."""
        return False

    @classmethod
    def make(cls, rules: str | Mapping[str, Any] | Self | None = None, **overrides: Any) -> Self:
        """Rules from a preset's name, a mapping of options, or rules; then `overrides`.

        A mapping may name a `preset` it starts from. Raises RulesError for an unknown preset or option.
        """
        if rules is None:
            rules = next(iter(cls.presets))
        if isinstance(rules, Rules):
            if not isinstance(rules, cls):
                raise RulesError(f"{cls.game} rules expected, got {type(rules).__name__}")
            return rules.replace(**overrides) if overrides else rules
        if isinstance(rules, str):
            options: dict[str, Any] = {"preset": rules}
        elif isinstance(rules, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            options = dict(rules)
        else:
            raise RulesError(
                f"{cls.game} rules: give a preset name, a mapping of options or {cls.__name__}, "
                f"not {type(rules).__name__}"
            )
        preset = options.pop("preset", None)
        if preset is not None:
            if not isinstance(preset, str) or preset not in cls.presets:
                raise RulesError(
                    f"{cls.game} rules: no preset is called {preset!r}; presets: {', '.join(cls.presets)}"
                )
            options = {**cls.presets[preset], **options}
        return cls._construct({**options, **overrides})

    @classmethod
    def _construct(cls, options: Mapping[str, Any]) -> Self:
        known = [spec.name for spec in dataclasses.fields(cls)]
        for name in options:
            if name not in known:
                raise RulesError(f"{cls.game} rules: no option is called {name!r}; options: {', '.join(known)}")
        return cls(**options)

    def replace(self, **overrides: Any) -> Self:
        """The same rules with some options changed. Raises RulesError as the constructor does."""
        return self._construct({**self.to_dict(), **overrides})

    def to_dict(self) -> dict[str, Any]:
        """All options by name."""
        return {spec.name: getattr(self, spec.name) for spec in dataclasses.fields(self)}

    @property
    def preset_name(self) -> str | None:
        """Name of the preset that equals these rules, if one does."""
        return next((name for name in self.presets if type(self).make(name) == self), None)

    @property
    def name(self) -> str:
        """A short description: the preset's name, or the preset with fewest differences and those."""
        own = self.to_dict()
        best: tuple[int, str] | None = None
        for name in self.presets:
            other = type(self).make(name).to_dict()
            changes = [f"{k}={v!r}" for k, v in own.items() if other[k] != v]
            label = name if not changes else f"{name}[{', '.join(changes)}]"
            if best is None or len(changes) < best[0]:
                best = (len(changes), label)
        assert best is not None
        return best[1]

    def digest(self) -> str:
        """Hash of all options: equal exactly for equal rules of one game. 16 hex digits."""
        younger = {s.name: s.default for s in dataclasses.fields(self) if s.metadata.get("later")}
        own = {k: v for k, v in self.to_dict().items() if k not in younger or v != younger[k]}
        text = json.dumps([self.game, own], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @classmethod
    def describe(cls) -> list[OptionInfo]:
        """Every option with its default, allowed values, rule ids and meaning."""
        return [
            OptionInfo(
                s.name, s.default, str(s.metadata["values"]), str(s.metadata["ids"]), str(s.metadata["doc"])
            )
            for s in dataclasses.fields(cls)
        ]


def _problem(value: Any, metadata: Mapping[str, Any]) -> str | None:
    choices = metadata["choices"]
    if choices is not None:
        # `is`-typed comparison: True must not pass for 1, nor 1.0 for 1
        return None if any(value == c and type(value) is type(c) for c in choices) else "is not allowed"
    check = metadata["check"]
    return check(value) if check is not None else None
