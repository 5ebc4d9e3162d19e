"""How good an exported agent is: tournaments for every preset that it could play, and what rounding changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...agents.base import Agent
from ...envs.core.errors import BidtrickError
from ...envs.core.spec import GameSpec
from ...envs.registry import game_class, make_batch
from .. import report
from .. import tournament as tournaments
from ..config import ConfigError
from ..stats import Estimate


@dataclass(frozen=True)
class Measured:
    """A tournament of the agent with the rules of some presets (equal ones share it).

    Attributes:
        presets: their names. agent: what the agent is called in `result`.
        result: the tournament's JSON (`report.to_json`).
    """

    presets: tuple[str, ...]
    agent: str
    result: dict[str, Any]

    def against(self, opponent: str) -> Estimate:
        """Points per hand against an opponent, to four decimals. Raises BidtrickError if they did not meet."""
        for pair in self.result["pairs"]:
            if {pair["first"], pair["second"]} == {self.agent, opponent}:
                found, sign = pair["points_per_hand"], 1 if pair["first"] == self.agent else -1
                half_width = (found["high"] - found["low"]) / 2
                return Estimate(round(sign * found["mean"], 4), round(half_width, 4), found["clusters"])
        raise BidtrickError(f"the results for {', '.join(self.presets)} have no pair with {opponent}")

    def rows(self, opponents: Sequence[str]) -> list[dict[str, Any]]:
        """Its results as plain data, a row for each preset and opponent."""
        found: list[dict[str, Any]] = []
        for preset in self.presets:
            for opponent in opponents:
                value = self.against(opponent)
                found.append({
                    "preset": preset, "opponent": opponent, "mean": value.mean, "half_width": value.half_width,
                    "deals": value.count, "seed": self.result["config"]["seed"],
                })  # fmt: skip
        return found


def fitting(spec: GameSpec) -> dict[str, tuple[str, ...]]:
    """Rules that a network for `spec` can read: digest → names of the presets (those of `spec` first).

    Rules fit if observations have the same layout and actions the same numbers, unless only their deck is short. Rules
    that are no preset have the name that describes them.
    """
    own = spec.rules.digest()
    found: dict[str, tuple[str, ...]] = {own: ()}
    for preset in game_class(spec.id).rules_class.presets:
        other = make_batch(spec.id, rules=preset).spec
        same = (other.layout.hash, other.actions) == (spec.layout.hash, spec.actions)
        if same and (other.rules.digest() == own or not other.rules.reduced):
            digest = other.rules.digest()
            found[digest] = (*found.get(digest, ()), preset)
    found[own] = found[own] or (spec.rules.name,)
    return found


def play(
    agent: str, spec: GameSpec, presets: tuple[str, ...], opponents: Sequence[str], *, deals: int, seed: int,
    workers: int, bootstrap: int, file: Path, progress: Callable[[int, int], None] | None,
) -> Measured:  # fmt: skip
    """A tournament with the rules of some presets.

    Args:
        file: what was played is kept here, and taken from here after an interruption.
    """
    rules = presets[0] if presets[0] in game_class(spec.id).rules_class.presets else spec.rules.to_dict()
    config = tournaments.TournamentConfig(
        agents=(agent, *opponents), game=spec.id, rules=rules, deals=deals, seed=seed, workers=workers,
        bootstrap=bootstrap,
    )
    result = tournaments.run(config, progress, results=file)
    return Measured(presets, agent, json.loads(json.dumps(report.to_json(result))))


def given(file: Path, spec: GameSpec, facts: dict[str, Any], names: dict[str, tuple[str, ...]]) -> Measured:
    """The results in a tournament's JSON file, in which the agent played under some name.

    Args:
        facts: what `Agent.describe` says of the agent's checkpoint.
        names: digest of the rules → presets (`fitting`).

    Raises: ConfigError saying what the file is instead.
    """
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
        config, agents, game = result["config"], result["agents"], result["config"]["game"]
        digest = make_batch(game, rules=config["rules"]).spec.rules.digest() if game == spec.id else ""
    except OSError as error:
        raise ConfigError(f"results: {file} cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"results: {file} is no result of `bidtrick tournament --json` ({error!r})") from None
    if digest not in names:
        allowed = ", ".join(name for presets in names.values() for name in presets)
        raise ConfigError(f"results: {file} is of {game} with rules that the agent cannot play; allowed: {allowed}")
    for name, described in agents.items():
        if _holds(described, facts):
            return Measured(names[digest], name, result)
    raise ConfigError(f"results: {file} has no agent of this checkpoint; its agents: {', '.join(agents)}")


def _holds(described: Any, facts: dict[str, Any]) -> bool:
    """Whether a description, or one of an agent inside it, says all of these facts."""
    if not isinstance(described, dict):
        return False
    if all(described.get(key) == value for key, value in facts.items()):
        return True
    return any(_holds(part, facts) for part in described.values())


def changed_decisions(exact: Agent, rounded: Agent, part: str, deals: int, seed: int) -> tuple[int, int]:
    """How many decisions of the exact agent's self-play the rounded one takes otherwise.

    Args:
        part: "full", "bidding" or "play": the decisions that the network takes.
        deals: of self-play, each with a drawn match state.

    Returns: (decisions with a choice, those that differ).
    """
    spec = exact.spec
    games = make_batch(spec.id, num_games=deals, seed=seed, rules=spec.rules, context="sampled")
    games.reset()
    rng = np.random.default_rng([seed, 31])
    count = other = 0
    while not games.done.all():
        running = np.flatnonzero(~games.done)
        obs, mask = games.observe()[running], games.legal_actions()[running]
        actions, again = exact.act(obs, mask, rng), rounded.act(obs, mask, rng)
        counts = mask.sum(axis=1) > 1
        if part != "full":
            counts &= spec.is_bidding(obs) == (part == "bidding")
        count += int(counts.sum())
        other += int((counts & (actions != again)).sum())
        full = np.full(games.num_games, -1, np.int64)
        full[running] = actions
        games.step(full)
    return count, other
