"""`bidtrick dataset`: many solved deals as arrays."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from .shared import GameArgument, app, console, progress_bar


@app.command()
def dataset(
    game: GameArgument,
    deals: Annotated[int, typer.Option(min=1, help="Number of deals.")],
    out: Annotated[Path, typer.Option(help="A folder for npz files and their description, or one file FILE.npz.")],
    rules: Annotated[str | None, typer.Option(help="Preset of the rules; none: the first.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the deals: those of games 0, 1, ..., as in environments.")] = 0,
    nodes: Annotated[
        int, typer.Option(min=1, help="Positions that may be visited for each contract of each declarer.")
    ] = 3_000_000,
    every: Annotated[bool, typer.Option("--all", help="All four forehands (Schieber).")] = False,
    shard: Annotated[int, typer.Option(min=1, help="Deals of a file.")] = 50,
    workers: Annotated[int, typer.Option(min=1, help="Processes that solve; the result is the same.")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the set that is there, exactly.")] = False,
) -> None:
    """Write a set of deals with what `bidtrick solve` says of them, for learning and statistics.

    Arrays (C contracts, S seats; the folder's README.md has all of them): game_id int64 [n]; deck int8 [n, cards], as
    reset takes a deal; dealer int8 [n]; low and high int16 [n, C, S], the values in points for the declarer's side,
    equal where they are solved; asked bool and nodes int64 [n, C, S]; part_... int16 [n, C, S], the game's own; par_low
    and par_high float32 [n], par_seat, par_declarer, par_contract int8 [n], par_bid int16 [n].
    In Python: bidtrick.training.research.load_dataset(out)["low"].

    Example: bidtrick dataset pitch --deals 10000 --out runs/pitch-deals --workers 2
    """
    from ..training.research import DatasetSettings, generate

    settings = DatasetSettings(game, deals, seed, rules, nodes, every, shard)
    done, began = [], time.perf_counter()
    with progress_bar() as bar:
        task = bar.add_task(f"solving {game}", total=deals, note="")

        def show(count: int) -> None:
            done.append(count)
            rate = sum(done[1:]) / max(time.perf_counter() - began, 1e-9)
            bar.update(task, advance=count, note=f"{rate:.2f} deals/s")

        generate(settings, out, workers=workers, resume=resume, progress=show)
    console.print(f"{deals} deals in {out}", soft_wrap=True)
