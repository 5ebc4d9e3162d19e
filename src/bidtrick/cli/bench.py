"""`bidtrick bench`: decisions per second."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..envs.registry import games
from .shared import app, console, progress_bar


@app.command()
def bench(
    game: Annotated[list[str] | None, typer.Option("--games", help="Games to measure; all by default.")] = None,
    peers: Annotated[
        bool,
        typer.Option("--peers", help="Measure OpenSpiel, RLCard, Pgx, PettingZoo and SB3 beside, where installed."),
    ] = False,
    solvers: Annotated[
        bool,
        typer.Option("--solvers", help="Time the exact solvers instead, beside DDS (bridge) if endplay is installed."),
    ] = False,
    positions: Annotated[int, typer.Option(min=1, help="With --solvers: positions of each kind.")] = 100,
    quick: Annotated[bool, typer.Option("--quick", help="Short measurements (noisy).")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures to this file.")] = None,
) -> None:
    """Measure decisions per second (or the times of the exact solvers), beside other libraries in the same run.

    One decision is a legal mask, a random choice among it, an observation and a step, with dealing, bidding and
    automatic resets. Compare ratios of one run; absolute figures depend on the machine and what else it does.
    """
    if solvers:
        _solvers(min(positions, 10) if quick else positions, json_file)
        return
    from ..training import bench as benchmark

    result = benchmark.run(games=game or games(), peers=peers, quick=quick)
    benchmark.print_report(result, console)
    if json_file is not None:
        benchmark.write_json(result, json_file)
        console.print(f"Written to {json_file}", soft_wrap=True)


def _solvers(positions: int, json_file: Path | None) -> None:
    from ..training import bench_solvers

    with progress_bar() as bar:
        task = bar.add_task("measuring", total=None, note="")
        times = bench_solvers.measure_solvers(positions, progress=lambda text: bar.update(task, note=text))
    bench_solvers.print_solvers(times, console)
    if json_file is not None:
        bench_solvers.write_solvers(times, json_file)
        console.print(f"Written to {json_file}", soft_wrap=True)
