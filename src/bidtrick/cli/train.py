"""`bidtrick train`: run a training script."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from .shared import app, console, progress_bar, settings_first


@app.command()
def train(
    config: Annotated[Path | None, typer.Argument(help="YAML file, e.g. configs/schieber/ppo.yaml.")] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Argument(help="Settings that replace those of the file, as key=value (dotted for nested ones)."),
    ] = None,
    run_dir: Annotated[
        Path | None, typer.Option(help="Folder of the run. [default: runs/<game>-<algorithm>]")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in its folder, exactly.")] = False,
    minutes: Annotated[float | None, typer.Option(help="Stop after this much wall-clock time.")] = None,
    device: Annotated[str | None, typer.Option(help="auto, cpu, cuda, cuda:0 …")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of deals, weights and actions.")] = None,
    settings: Annotated[
        bool, typer.Option("--settings", help="Print every setting with its meaning, and stop.")
    ] = False,
) -> None:
    """Train an agent.

    Example: bidtrick train configs/schieber/ppo.yaml decisions=5e6 network.hidden='[512, 256]' --run-dir runs/a

    The run's folder holds config.yaml, checkpoints and TensorBoard files (tensorboard --logdir runs).
    Its agent is called checkpoint:<folder> everywhere.
    """
    from ..training import config as configs
    from ..training.scripts import SCRIPTS, algorithm_of

    config, overrides = settings_first(config, overrides)
    given = list(overrides or [])
    script = SCRIPTS[algorithm_of(config, given)]
    if settings:
        table = Table(title=f"Settings of {script.name}", title_justify="left")
        for column in ("key", "type", "default", "meaning"):
            table.add_column(column, overflow="fold")
        for key, kind, default, text in configs.explain(script.config):
            table.add_row(key, Text(kind), Text(default), Text(text))
        console.print(table)
        return
    if config is None:
        raise configs.ConfigError("give a config, e.g. configs/schieber/ppo.yaml; --settings prints what it may say")
    given += [f"{k}={v}" for k, v in (("minutes", minutes), ("device", device), ("seed", seed)) if v is not None]
    loaded = configs.load(script.config, config, given)
    folder = run_dir or Path("runs") / f"{loaded.game}-{loaded.algorithm}"
    total = loaded.iterations * loaded.num_games * loaded.steps
    with progress_bar() as bar:
        task = bar.add_task(f"training in {folder}", total=total, note="")

        def show(trainer: Any, logs: dict[str, float]) -> None:
            speed = logs["speed/decisions_per_second"] / 1000
            note = f"{speed:.1f} k decisions/s, {script.watched.partition('/')[2]} {logs[script.watched]:.2f}"
            bar.update(task, completed=trainer.decisions, note=note)
            margins = [
                f"{name} {logs[f'margin/{name}']:+.1f} ± {logs[f'margin/{name}_interval']:.1f}"
                for name in loaded.evaluate.opponents
                if f"margin/{name}" in logs
            ]
            if margins:
                bar.console.print(
                    f"{trainer.decisions / 1e6:8.2f} M decisions: points per hand against {', '.join(margins)}"
                )

        last = script.train(loaded, folder, resume=resume, on_iteration=show)
    console.print(f"Checkpoint: {last}. The agent's name is checkpoint:{folder}", soft_wrap=True)
