"""Rules and scores of a position as they are written on a command line."""

from __future__ import annotations

from typing import Any

import yaml

from ...envs.core.errors import DealError, RulesError


def read_options(rules: str | None, scores: str | None) -> dict[str, Any]:
    """Arguments of `find_position` from texts.

    Args:
        rules: a preset's name, or a YAML mapping of options. scores: numbers separated by commas or spaces.

    Raises: RulesError or DealError saying what cannot be read.
    """
    found: dict[str, Any] = {"rules": None, "options": {}}
    if rules is not None:
        try:
            found["rules"] = yaml.safe_load(rules)
        except yaml.YAMLError:
            found["rules"] = rules
        if not isinstance(found["rules"], str | dict):
            raise RulesError(f"rules={rules!r} is not allowed; allowed: a preset, or a mapping like {{target: 1000}}")
    if scores is not None:
        try:
            found["options"]["scores"] = [int(text) for text in scores.replace(",", " ").split()]
        except ValueError:
            raise DealError(f"scores={scores!r} is not allowed; allowed: whole numbers, e.g. '120, 880'") from None
    return found
