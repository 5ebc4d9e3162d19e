"""`bidtrick bid`: what agents would bid with a hand, and what each bid is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .shared import GameArgument, app, console, progress_bar


@app.command()
def bid(
    game: GameArgument,
    hand: Annotated[
        str, typer.Argument(help='The cards as dealt, e.g. "A♠ 10♠ K♥ Q♥ J♥ 9♦ J♣", "As 10s …", or by name.')
    ],
    auction: Annotated[
        str,
        typer.Option(
            help='The calls so far from the first one, e.g. "pass, 100": names of actions, or their last words. '
            "Questions asked in private may be left out."
        ),
    ] = "",
    talon: Annotated[str, typer.Option(help="Cards that the seat has taken up since (Thousand's talon).")] = "",
    rules: Annotated[
        str | None, typer.Option(help='Preset, or options like "{preset: swiss, target: 1000}". [default: the first]')
    ] = None,
    dealer: Annotated[
        int | None, typer.Option(help="Seat of the dealer. [default: the last one, so that seat 0 begins]")
    ] = None,
    seat: Annotated[int | None, typer.Option(help="Seat of the hand. [default: who is to act]")] = None,
    scores: Annotated[
        str | None, typer.Option(help='Scores in the order of the seats or teams, e.g. "120, 880, 0".')
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent", "-a", help="Who is asked what to bid: heuristic, checkpoint:PATH … Repeat. [default: heuristic]"
        ),
    ] = None,
    play: Annotated[str, typer.Option(help="Agent that plays the cards of the play-outs, at all seats.")] = "heuristic",
    bidder: Annotated[
        str | None, typer.Option(help="Agent that bids at all seats as the auction goes on. [default: that of --play]")
    ] = None,
    deals: Annotated[int, typer.Option(help="Deals of the unseen cards; every bid is played out on each.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same deals and values.")] = 0,
    plot: Annotated[Path | None, typer.Option(help="Draw the values to this file: .svg, .html or .png.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write everything to this file.")] = None,
) -> None:
    """What agents would bid with a hand, and what each bid is worth.

    The unseen cards are drawn uniformly from the deals that agree with the hand and in which every call so far was
    legal; each bid is played out on the same deals. Two readings: in "auction goes on" everybody bids on as --bidder
    does, and whatever comes of it is played; in "becomes the contract" all others pass from here on wherever they may.
    Points are what the own side gains in the hand more than the other sides' mean; "made" is the share of own contracts
    that are made (in Schieber: more card points than the others). ± is one standard error.

    Example: bidtrick bid thousand "A♠ 10♠ K♥ Q♥ J♥ 9♦ J♣" --auction "100, 110" -a checkpoint:runs/bidder -a heuristic
    """
    from ..agents.registry import make_agent
    from ..training.auction import find_position, read_options, report, study

    if plot is not None:
        report.check_plot(plot)
    position = find_position(
        game, hand, auction=auction, talon=talon, dealer=dealer, seat=seat, deals=deals, seed=seed,
        **read_options(rules, scores),
    )  # fmt: skip
    asked = [make_agent(name, position.spec) for name in dict.fromkeys(agent or ["heuristic"])]
    playing = make_agent(play, position.spec)
    bidding = None if bidder is None else make_agent(bidder, position.spec)
    with progress_bar() as bar:
        task = bar.add_task("playing out", total=None, note="")
        result = study(
            position, asked, playing, bidding, seed=seed,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )  # fmt: skip
    report.print_study(result, console)
    if json_file is not None:
        report.write_json(result, json_file)
        console.print(f"Written to {json_file}", soft_wrap=True)
    if plot is not None:
        report.write_plot(result, plot)
        console.print(f"Written to {plot}", soft_wrap=True)
