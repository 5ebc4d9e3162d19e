"""Configurations: frozen dataclasses ← YAML ← command line. Unknown keys and wrong types are refused."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml

from ..envs.core.errors import BidtrickError

C = TypeVar("C")


class ConfigError(BidtrickError):
    """A configuration with an unknown key, a missing key or a value of the wrong kind; the message names it."""


def setting(default: Any, help: str, *, low: float | None = None, choices: tuple[Any, ...] | None = None) -> Any:
    """A field of a configuration with its explanation and what it may be."""
    metadata = {"help": help, "low": low, "choices": choices}
    if isinstance(default, dict | list):
        return dataclasses.field(default_factory=lambda: type(default)(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def load(cls: type[C], path: str | Path | None, overrides: Sequence[str] = ()) -> C:
    """A configuration from a YAML file and `key=value` overrides (values are YAML, keys may be dotted).

    Raises: ConfigError naming file, key and the allowed ones.
    """
    data: dict[str, Any] = {}
    where = cls.__name__
    if path is not None:
        where = str(path)
        try:
            loaded = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
        except yaml.YAMLError as error:
            raise ConfigError(f"{path}: is not YAML: {error}") from None
        if not isinstance(loaded, dict):
            raise ConfigError(f"{path}: must be a mapping of keys to values")
        data = loaded
    for override in overrides:
        key, separator, text = override.partition("=")
        if not separator:
            raise ConfigError(f"override {override!r} must be written key=value")
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ConfigError(f"override {override!r}: value is not YAML: {error}") from None
        target = data
        *parents, last = key.strip().split(".")
        for parent in parents:
            target = target.setdefault(parent, {})
            if not isinstance(target, dict):
                raise ConfigError(f"override {override!r}: {parent} holds no keys")
        target[last] = value
    return build(cls, data, where)


def build(cls: type[C], data: Mapping[str, Any], where: str) -> C:
    """A configuration dataclass from plain data; nested dataclasses from nested mappings."""
    fields = {f.name: f for f in dataclasses.fields(cls)}  # pyright: ignore[reportArgumentType]
    hints = typing.get_type_hints(cls)
    for key in data:
        if key not in fields:
            raise ConfigError(f"{where}: no key is called {key!r}; keys: {', '.join(fields)}")
    values: dict[str, Any] = {}
    for name, field in fields.items():
        if name in data:
            values[name] = _convert(data[name], hints[name], f"{where}: {name}")
            _check(values[name], field.metadata, f"{where}: {name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise ConfigError(f"{where}: key {name} is missing")
    return cls(**values)


def _convert(value: Any, hint: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        options = typing.get_args(hint)
        if value is None and type(None) in options:
            return None
        problems = []
        for option in options:
            if option is not type(None):
                try:
                    return _convert(value, option, where)
                except ConfigError as error:
                    problems.append(str(error))
        raise ConfigError(problems[0])
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} must be a mapping, got {value!r}")
        return build(typing.cast(type, hint), value, where)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ConfigError(f"{where} must be a list, got {value!r}")
        return tuple(_convert(item, typing.get_args(hint)[0], where) for item in value)
    if origin is dict or hint is dict:
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} must be a mapping, got {value!r}")
        return dict(value)
    if hint in (int, float) and isinstance(value, str):
        try:
            value = float(value)  # YAML reads 3e-4 and 2e7 as texts
        except ValueError:
            raise ConfigError(f"{where} must be {hint.__name__}, got {value!r}") from None
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if hint in (int, str, bool) and type(value) is hint:
        return value
    if hint is Any:
        return value
    raise ConfigError(f"{where} must be {getattr(hint, '__name__', hint)}, got {value!r}")


def _check(value: Any, metadata: Mapping[str, Any], where: str) -> None:
    low, choices = metadata.get("low"), metadata.get("choices")
    if choices is not None and value not in choices:
        raise ConfigError(f"{where}={value!r} is not allowed; allowed: {' | '.join(map(repr, choices))}")
    if low is not None and value is not None and value < low:
        raise ConfigError(f"{where}={value!r} is not allowed; allowed: at least {low}")


def to_plain(config: Any) -> dict[str, Any]:
    """A configuration as plain data, for YAML and JSON."""

    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return [plain(item) for item in value]
        if isinstance(value, Mapping):
            return {key: plain(item) for key, item in value.items()}
        return value

    return plain(dataclasses.asdict(config))


def explain(cls: type) -> list[tuple[str, str, str, str]]:
    """Rows (key, type, default, help) of a configuration, nested keys dotted; for `--help` texts and docs."""
    rows: list[tuple[str, str, str, str]] = []
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        if dataclasses.is_dataclass(hint):
            rows += [(f"{field.name}.{k}", t, d, h) for k, t, d, h in explain(typing.cast(type, hint))]
            continue
        if field.default is not dataclasses.MISSING:
            default = repr(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            default = repr(field.default_factory())
        else:
            default = "required"
        kind = hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)
        rows.append((field.name, kind.replace("typing.", ""), default, str(field.metadata.get("help", ""))))
    return rows
