"""The model card of an exported agent, as Markdown: everything in it is computed from the run and its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...agents.pretrained import NAMES
from ..stats import Estimate
from .history import History
from .measure import Measured

#: What a network learns decides what it is good for, in words.
_PARTS = {
    "full": "whole hands, bidding and card play",
    "bidding": "the auction; the cards are played by `{autopilot}`",
    "play": "the card play; `{autopilot}` bids",
}


def write(
    meta: dict[str, Any], history: History, played: Sequence[Measured], weaknesses: Sequence[str],
    presets: Sequence[str],
) -> str:  # fmt: skip
    """The card.

    Args:
        meta: the agent's description. played: its tournaments, the rules it was trained on first.
        weaknesses: to be named beside those that the results show.
        presets: all presets of the game, for those that it cannot read.
    """
    parts = [
        _head(meta, played[0]), _use(meta, played, presets), _results(meta, played), _statistics(meta, played[0]),
        _training(meta, history), _weak(meta, played, weaknesses), _licence(),
    ]  # fmt: skip
    return "\n".join(line for part in parts for line in part).rstrip() + "\n"


def _points(value: Estimate) -> str:
    return f"{value.mean:+.2f} ± {value.half_width:.2f}"


def _head(meta: dict[str, Any], main: Measured) -> Iterator[str]:
    first = meta["opponents"][0]
    part = _PARTS[meta["phase"]].format(autopilot=meta["autopilot"])
    hidden = " – ".join(str(width) for width in meta["network"]["hidden"])
    yield f"# {meta['name']} for {meta['game'].capitalize()}"
    yield ""
    yield (
        f"A multilayer perceptron ({meta['observation_size']} – {hidden} – {meta['num_actions']}) that plays {part}. "
        f"It was trained with `{meta['algorithm']}` on the rules `{main.presets[0]}` and takes the action that its "
        "policy thinks best."
    )
    yield ""
    yield (
        f"**{_points(main.against(first))} points a hand against `{first}`** ({main.against(first).count} duplicate "
        "deals, 95% interval by deal)."
    )
    yield ""


def _use(meta: dict[str, Any], played: Sequence[Measured], presets: Sequence[str]) -> Iterator[str]:
    supported = ", ".join(f"`{name}`" for name in meta["presets"])
    read = [name for one in played for name in one.presets]
    refused = [name for name in read if name not in meta["presets"]]
    unread = [name for name in presets if name not in read]
    yield "## Use"
    yield ""
    yield (
        f"It plays the rules {supported}: what it was trained on, and presets with the same observations and actions "
        f"with which it won at least as many points as `{meta['opponents'][0]}` below. Other rules are refused."
    )
    if refused:
        yield f"Measured and refused: {', '.join(f'`{name}`' for name in refused)}."
    if unread:
        yield f"Other observations or actions: {', '.join(f'`{name}`' for name in unread)}."
    yield ""
    rounding = meta["rounding"]
    yield (
        f"Weights are stored as {meta['precision']} and computed with as float32. Of {rounding['decisions']} decisions "
        f"with a choice in self-play, rounding changed {rounding['changed']}."
    )
    yield ""


def _results(meta: dict[str, Any], played: Sequence[Measured]) -> Iterator[str]:
    opponents = meta["opponents"]
    yield "## Results"
    yield ""
    yield (
        "Points a hand more than the opponent on duplicate deals: every deal in all seatings, dealer and match state "
        "drawn. ± is half a 95% interval, clustered by deal."
    )
    yield ""
    yield "| preset | " + " | ".join(f"against `{name}`" for name in opponents) + " | deals | plays it |"
    yield "|---|" + "---|" * (len(opponents) + 2)
    for one in played:
        for preset in one.presets:
            values = [one.against(name) for name in opponents]
            yield (
                f"| `{preset}` | " + " | ".join(map(_points, values))
                + f" | {values[0].count} | {'yes' if preset in meta['presets'] else 'no'} |"
            )  # fmt: skip
    yield ""
    config = played[0].result["config"]
    yield f"Seed of the deals: {config['seed']}. The same by hand, after `bidtrick export`:"
    yield ""
    names = " ".join(f"-a {name}" for name in opponents)
    yield "```"
    yield (
        f"bidtrick tournament -a {_named(meta)} {names} --game {meta['game']} rules={played[0].presets[0]} "
        f"--deals {played[0].against(opponents[0]).count} --seed {config['seed']}"
    )
    yield "```"
    yield ""
    ratings = played[0].result.get("ratings") or {}
    if ratings:
        yield (
            f"Bradley–Terry ratings of deals won in that tournament (`{played[0].presets[0]}`; the mean is 1500, 400 "
            "points are odds of 10 : 1):"
        )
        yield ""
        yield "| agent | rating | 95% | deals won |"
        yield "|---|---|---|---|"
        for name, one in ratings.items():
            shown = _named(meta) if name == played[0].agent else name
            low, high = round(one["low"]), round(one["high"])
            yield f"| `{shown}` | {one['rating']:.0f} | {low} to {high} | {100 * one['wins']:.0f}% |"
        yield ""


def _named(meta: dict[str, Any]) -> str:
    """How the agent is called in tournaments."""
    return meta["name"] if meta["name"] in NAMES else f"checkpoint:{meta['name']}"


def _statistics(meta: dict[str, Any], main: Measured) -> Iterator[str]:
    found = main.result.get("statistics") or []
    if not found:
        return
    names = [main.agent, *meta["opponents"]]
    yield f"## Bidding and play (`{main.presets[0]}`)"
    yield ""
    yield "| | " + " | ".join(f"`{_named(meta) if name == main.agent else name}`" for name in names) + " |"
    yield "|---|" + "---|" * len(names)
    for one in found:
        cells: list[str] = []
        for name in names:
            value = one["agents"].get(name)
            if value is None:
                cells.append("—")
            elif one["unit"] == "share":
                cells.append(f"{100 * value['mean']:.1f}%")
            else:
                cells.append(f"{value['mean']:.2f}")
        yield f"| {one['phase']}: {one['name']} | " + " | ".join(cells) + " |"
    yield ""


def _training(meta: dict[str, Any], history: History) -> Iterator[str]:
    hours = "not recorded" if history.hours is None else f"{60 * history.hours:.0f} minutes"
    commit = "not recorded"
    if history.commit:
        base, edited, _ = history.commit.partition("+")
        commit = f"`{base}`" + (" with uncommitted changes" if edited else "")
    yield "## Training"
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield f"| command | `{history.command or 'not recorded'}` |"
    yield f"| decisions | {meta['decisions']:,} in {meta['iteration']} iterations |"
    yield f"| wall-clock time | {hours} |"
    yield f"| machine | {history.machine or 'not recorded'} |"
    yield f"| seed | {meta['seed']} |"
    yield f"| commit | {commit} |"
    yield f"| versions | {', '.join(f'{name} {version}' for name, version in history.versions.items())} |"
    yield ""
    yield "The whole configuration:"
    yield ""
    yield "```yaml"
    yield history.config.rstrip()
    yield "```"
    yield ""


def _weak(meta: dict[str, Any], played: Sequence[Measured], more: Sequence[str]) -> Iterator[str]:
    first = meta["opponents"][0]
    yield "## Known weaknesses"
    yield ""
    for text in more:
        yield f"- {text}"
    for one in played:
        value = one.against(first)
        names = ", ".join(f"`{name}`" for name in one.presets)
        if value.high < 0:
            yield f"- With the rules {names} it is behind `{first}`: {_points(value)} points a hand."
        elif value.low <= 0:
            yield f"- With the rules {names} it is not clear of `{first}`: {_points(value)} points a hand."
    config = meta.get("config") or {}
    if config.get("reward") == "points":
        yield (
            "- It was trained for points, not for matches: it takes no risk because of the score unless points pay for "
            "it."
        )
    if config.get("episode") == "hand":
        yield "- It was trained on single hands that start from drawn match states, never on whole matches."
    others = config.get("opponents") or {}
    against = ", ".join(f"`{name}`" for name in others.get("agents", [])) if others.get("share") else ""
    imitate = config.get("imitate") or {}
    teacher = imitate.get("agent") if imitate.get("decisions") else None
    yield (
        (f"- It began by imitating `{teacher}`, and in" if teacher else "- In")
        + f" training it met itself{f' and {against}' if against else ''}"
        + "; nobody has searched for a strategy that exploits it, and it always answers the same in the same position."
    )
    yield ""


def _licence() -> Iterator[str]:
    yield "## Licence"
    yield ""
    yield "MIT, as the package. It was trained on games of the package alone, and on no data from elsewhere."
