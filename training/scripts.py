"""The training scripts by name: what `algorithm:` in a config may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from . import bidding, dmc, maskable_ppo, ppo
from .config import ConfigError
from .learner import LearnerConfig


@dataclass(frozen=True)
class Script:
    """A training script. watched: the logged number that the progress bar shows."""

    name: str
    config: type[LearnerConfig]
    train: Callable[..., Path]
    watched: str


SCRIPTS: dict[str, Script] = {
    "ppo": Script("ppo", ppo.PPOConfig, ppo.train, "policy/entropy"),
    "dmc": Script("dmc", dmc.DMCConfig, dmc.train, "value/loss"),
    "maskable_ppo": Script(
        "maskable_ppo", maskable_ppo.MaskablePPOConfig, maskable_ppo.train, "reward/mean"
    ),
    "bidding": Script("bidding", bidding.BiddingConfig, bidding.train, "value/differences_loss"),
}


def algorithm_of(path: str | Path | None, overrides: Sequence[str] = ()) -> str:
    """The `algorithm` of a config file and overrides, "ppo" if they name none. Raises ConfigError."""
    name: Any = None
    if path is not None and Path(path).is_file():
        try:
            data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError):
            data = None  # loading the settings says what is wrong with the file
        name = data.get("algorithm") if isinstance(data, dict) else None
    for override in overrides:
        key, _, value = override.partition("=")
        name = value if key.strip() == "algorithm" else name
    name = "ppo" if name is None else name
    if name not in SCRIPTS:
        raise ConfigError(f"algorithm={name!r} is not allowed; allowed: {' | '.join(map(repr, SCRIPTS))}")
    return name
