"""The `bidtrick` command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)  # fmt: skip
from rich.table import Table
from rich.text import Text

from . import __version__
from .envs.core.errors import BidtrickError
from .envs.core.records import write_records
from .envs.registry import game_class, games, make_batch

app = typer.Typer(
    name="bidtrick",
    help="Train, judge and study agents for card games with bidding and tricks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
console = Console()
errors = Console(stderr=True)

GameArgument = Annotated[str, typer.Argument(help="Id of the game; `bidtrick games` lists them.")]


def main() -> None:
    """Run the command; errors that bidtrick names are printed without a traceback."""
    try:
        app()
    except BidtrickError as error:
        errors.print(Text(f"{type(error).__name__}: {error}", style="red"))
        raise SystemExit(2) from None


def _version(show: bool) -> None:
    if show:
        console.print(f"bidtrick {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command("games")
def list_games() -> None:
    """List the games with their presets, seats, actions and observation size."""
    table = Table(title="Games", title_justify="left")
    for column in ("game", "seats", "actions", "observation", "presets"):
        table.add_column(column, justify="right" if column in ("seats", "actions", "observation") else "left")
    for game in games():
        spec = make_batch(game).spec
        presets = ", ".join(game_class(game).rules_class.presets)
        table.add_row(game, str(spec.num_seats), str(spec.num_actions), f"{spec.layout.size} bytes", presets)
    console.print(table)


@app.command()
def rules(
    game: GameArgument,
    differences: Annotated[
        bool, typer.Option("--presets", help="Show only how the presets differ, side by side.")
    ] = False,
) -> None:
    """Print every rule option of a game: its values, its default, its rule ids; and how the presets differ.

    The rule book itself is RULES.md in the game's folder. Options are given to environments, configs and this
    command as a preset's name, or as a mapping like {preset: swiss, target: 1000}.
    """
    cls = game_class(game).rules_class
    if not differences:
        console.print(f"Rule options of {game}: name = default, its values, its meaning and rule ids\n", style="italic")
        for row in cls.describe():
            console.print(Text.assemble((row.name, "bold"), f" = {row.default!r}"))
            console.print(Padding(Text(row.values), (0, 0, 0, 4)))
            console.print(Padding(Text.assemble(row.doc, (f" ({row.ids})", "dim")), (0, 0, 1, 4)))
    for table in _preset_tables(game, {name: cls.make(name).to_dict() for name in cls.presets}, console.width):
        console.print(table)


def _preset_tables(game: str, presets: dict[str, dict[str, Any]], width: int) -> Iterator[Table]:
    """The first preset beside as many others as fit on a line, where one of them differs from it."""

    def text(value: Any) -> str:
        return value if isinstance(value, str) else repr(value)

    (base, usual), *others = presets.items()
    differing = {name: {k: text(v) for k, v in options.items() if v != usual[k]} for name, options in others}
    # an option's name, a value, and for each column two spaces and a rule
    sizes = {name: max(len(name), *map(len, values.values()), 0) + 3 for name, values in differing.items()}
    names = list(differing)
    while names:
        here = names[:1]
        while len(here) < len(names):
            more = names[: len(here) + 1]
            rows = {option for name in more for option in differing[name]}
            first = max(map(len, rows), default=0) + max((len(text(usual[k])) for k in rows), default=0) + 7
            if first + sum(sizes[name] for name in more) > width:
                break
            here = more
        names = names[len(here) :]
        table = Table(title=f"Presets of {game}, where they differ from {base}", title_justify="left")
        table.add_column("option", no_wrap=True)
        for name in (base, *here):
            table.add_column(name, overflow="fold")
        for option, value in usual.items():
            values = [differing[name].get(option, "") for name in here]
            if any(values):
                table.add_row(option, Text(text(value)), *(Text(value, style="bold") for value in values))
        if not table.rows:
            table.add_row("(nothing differs)", "", *("" for _ in here))
        yield table


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
    from .training import config as configs
    from .training.scripts import SCRIPTS, algorithm_of

    config, overrides = _settings_first(config, overrides)
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
    with _progress() as bar:
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


@app.command()
def tournament(
    config: Annotated[
        Path | None, typer.Argument(help="YAML file, e.g. configs/tournaments/schieber.yaml; none: the defaults.")
    ] = None,
    overrides: Annotated[
        list[str] | None, typer.Argument(help="Settings that replace those of the file, as key=value.")
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            help="An agent, instead of the file's: random, heuristic, checkpoint:PATH, MODULE:ATTRIBUTE. Repeat.",
        ),
    ] = None,
    game: Annotated[str | None, typer.Option(help="Id of the game.")] = None,
    deals: Annotated[int | None, typer.Option(help="Duplicate deals of each pair; with --until, at most.")] = None,
    until: Annotated[float | None, typer.Option(help="Stop when every ± is at most this many points.")] = None,
    matches: Annotated[int | None, typer.Option(help="Duplicate matches of each pair.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same result.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that play; the result is the same.")] = None,
    results: Annotated[
        Path | None,
        typer.Option(help="Keep what was played in this file; the same command goes on from it after an interruption."),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the result to this file.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a report to this file, and beside it the same as .json and .csv.")
    ] = None,
    records: Annotated[
        Path | None, typer.Option(help="Write games of the first deals of each pair here, for `bidtrick replay`.")
    ] = None,
) -> None:
    """Let agents play each other on duplicate deals.

    Every deal is replayed with the agents' seats exchanged, so all play the same cards. Differences are points per
    hand with 95% intervals clustered by deal. An agent that crashes, takes too long or answers illegally loses the
    deal.

    Example: bidtrick tournament -a checkpoint:runs/schieber-ppo -a heuristic -a random --deals 2000
    """
    from .training import config as configs
    from .training import report, report_html
    from .training import tournament as tournaments

    config, overrides = _settings_first(config, overrides)
    given = list(overrides or [])
    if agent:
        given.append(f"agents={json.dumps(agent)}")
    numbers = {"deals": deals, "matches": matches, "seed": seed, "until": until, "workers": workers, "game": game}
    given += [f"{key}={value}" for key, value in numbers.items() if value is not None]
    if records is not None:
        given.insert(0, "records=5")
    loaded = configs.load(tournaments.TournamentConfig, config, given)
    with _progress() as bar:
        task = bar.add_task("playing", total=None, note="")
        result = tournaments.run(
            loaded, lambda done, total: bar.update(task, completed=done, total=total), results=results
        )
    report.print_report(result, console)
    if json_file is not None:
        report.write_json(result, json_file)
        console.print(f"Written to {json_file}", soft_wrap=True)
    if html is not None:
        for file in report_html.write_report(result, html):
            console.print(f"Written to {file}", soft_wrap=True)
    if records is not None:
        write_records(records, result.records)
        console.print(f"{len(result.records)} games written to {records}", soft_wrap=True)


class View(StrEnum):
    """How `replay` shows a game."""

    actions = "actions"
    story = "story"
    table = "table"
    window = "window"


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="Records, one JSON line a game.")],
    game: Annotated[int, typer.Option(help="Number of the record in the file, from 1; 0 for all.")] = 1,
    view: Annotated[
        View, typer.Option(help="A line for each action, each deal in words, the table after each action, or a window.")
    ] = View.actions,
    seat: Annotated[int, typer.Option(help="Seat at the bottom of the table.")] = 0,
    hidden: Annotated[bool, typer.Option("--hidden", help="Show only the cards that this seat sees.")] = False,
    color: Annotated[bool, typer.Option("--color/--no-color", help="Suits in colour.")] = True,
) -> None:
    """Replay recorded games, check that they end as recorded, and show them."""
    from .replay import replay_file

    replay_file(file, number=game, view=view.value, seat=seat, open_hands=not hidden, color=color, console=console)


@app.command()
def bench(
    game: Annotated[list[str] | None, typer.Option("--games", help="Games to measure; all by default.")] = None,
    peers: Annotated[
        bool,
        typer.Option("--peers", help="Measure OpenSpiel, RLCard, Pgx, PettingZoo and SB3 beside, where installed."),
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Short measurements (noisy).")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures to this file.")] = None,
) -> None:
    """Measure decisions per second, beside other libraries in the same run.

    One decision is a legal mask, a random choice among it, an observation and a step, with dealing, bidding and
    automatic resets. Compare ratios of one run; absolute figures depend on the machine and what else it does.
    """
    from .training import bench as benchmark

    result = benchmark.run(games=game or games(), peers=peers, quick=quick)
    benchmark.print_report(result, console)
    if json_file is not None:
        benchmark.write_json(result, json_file)
        console.print(f"Written to {json_file}", soft_wrap=True)


def _settings_first(config: Path | None, overrides: list[str] | None) -> tuple[Path | None, list[str]]:
    """`key=value` where a config could stand is a setting, and there is no config."""
    given = list(overrides or [])
    if config is not None and "=" in str(config) and not config.exists():
        return None, [str(config), *given]
    return config, given


def _progress() -> Progress:
    columns: list[Any] = [
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("{task.fields[note]}"),
    ]  # fmt: skip
    return Progress(*columns, console=errors)


if __name__ == "__main__":
    main()
