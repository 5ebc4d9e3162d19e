"""An agent plays a benchmark set."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ...agents.registry import make_agent
from ...envs.registry import make_batch
from .. import tournament as tournaments
from .sets import DECIMALS, BenchmarkSet, Result, made


def evaluate(
    of: BenchmarkSet,
    agent: str,
    *,
    deals: int | None = None,
    workers: int = 1,
    seconds: float | None = None,
    results: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Let an agent play each reference on the deals of a set, in all seatings.

    Against itself a reference has no points by symmetry; that is not played.

    Args:
        agent: its name. deals: only so many of the first blocks' deals (a multiple of `of.block`), for tests.
        workers: processes; seconds: for one decision; results: file to go on from after an interruption. As in
            tournaments; none of them changes a number, but for decisions that take too long.

    Raises: BenchmarkError if this package deals other cards; UnknownNameError for an agent that is none.
    """
    of.check()
    spec = make_batch(of.game, rules=of.rules).spec
    facts = json.loads(json.dumps(make_agent(agent, spec).describe(), default=str))
    plays = len(tournaments.seatings(spec.teams))
    count = of.deals if deals is None else deals
    points: dict[str, np.ndarray] = {}
    failures: list[tournaments.Forfeit] = []
    for number, reference in enumerate(of.references):
        if reference == agent:
            points[reference] = np.zeros(count)
            continue

        def tell(done: int, total: int, number: int = number) -> None:
            if progress is not None:
                progress(number * total + done, len(of.references) * total)

        config = tournaments.TournamentConfig(
            agents=(agent, reference), game=of.game, rules=of.rules, context=of.context, deals=count, seed=of.seed,
            batch=of.block * plays, workers=workers, seconds=seconds, forfeit=of.forfeit, bootstrap=20,
        )  # fmt: skip
        found = tournaments.run(config, tell, results)
        points[reference] = np.round(found.pairs[0].deals, DECIMALS) + 0.0  # no negative zeros
        failures += found.failures
    return Result(of.name, of.cards, agent, points, facts, [dataclasses.asdict(one) for one in failures], made())
