"""What each bid of a position is worth, by play-outs, and what agents would bid there.

Every bid is played out on the same deals, so differences between bids have much smaller errors than the values. It is
read in two ways. "The auction goes on": everybody bids on as an agent does, and whatever contract comes of it is
played. "It becomes the contract": all others pass from here on, wherever they may; this says what the contract is
worth, if one gets it at this price.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...agents.base import Agent
from ...envs.core.bits import I64
from ...envs.core.game import BatchedGame
from ..playouts import play_to_end
from ..tournament.play import HasStatistics
from .position import Position

F64 = npt.NDArray[np.float64]

#: Games played at once.
BATCH = 4096


@dataclass(frozen=True)
class Mean:
    """A mean over deals and its standard error (nan if it is of one deal)."""

    mean: float
    error: float


@dataclass(frozen=True)
class Reading:
    """What came of a bid in one way of reading it.

    Attributes:
        points: what the own side gains more than the other sides' mean, in points of the hand.
        declares: share of the deals in which the contract is the own side's.
        made: share of those in which it is made; None if there are none, or the game does not say.
    """

    points: Mean
    declares: Mean | None
    made: Mean | None


@dataclass(frozen=True)
class BidValue:
    """A bid: `auction`, the auction goes on; `contract`, all others pass (None for a pass).

    behind: points that the bid is worth less than the best one, over the same deals (0 ± 0 for that).
    """

    action: int
    name: str
    auction: Reading
    contract: Reading | None
    behind: Mean


@dataclass(frozen=True)
class Study:
    """The bids of a position, in the order of their actions.

    agents: probability of each bid, by agent. best: the bid of the highest value as the auction goes on.
    """

    position: Position
    play: str
    bidder: str
    deals: int
    seed: int
    bids: list[BidValue]
    agents: dict[str, list[float]]

    @property
    def best(self) -> BidValue:
        return max(self.bids, key=lambda bid: bid.auction.points.mean)


def study(
    position: Position,
    agents: Sequence[Agent],
    play: Agent,
    bidder: Agent | None = None,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """Values of all bids of a position, and the agents' probabilities.

    Args:
        agents: who is asked for probabilities.
        play: plays the cards of the play-outs, at all seats.
        bidder: bids at all seats as the auction goes on, by default `play`.
        progress: called with the play-outs done and their number.
    """
    bidder = play if bidder is None else bidder
    games, bids = position.games, position.bids
    one = games.select([0])
    obs, mask = one.observe(), one.legal_actions()
    asked = {
        agent.name: agent.probabilities(obs, mask, np.random.default_rng([seed, 59, k]))[0][bids].tolist()
        for k, agent in enumerate(agents)
    }
    done, total = 0, 2 * len(bids) * games.num_games

    def count(number: int) -> None:
        nonlocal done
        done += number
        if progress is not None:
            progress(done, total)

    goes_on = _play_out(position, bids, play, bidder, False, seed, count)
    wins: list[_Outcome | None] = []
    for action, one_bid in zip(bids.tolist(), goes_on, strict=True):
        # where nobody could pass, both readings are the same
        wins.append(None if action in position.spec.passes or one_bid.contested else one_bid)
    others = [k for k, action in enumerate(bids.tolist()) if wins[k] is None and action not in position.spec.passes]
    count((len(bids) - len(others)) * games.num_games)
    for k, outcome in zip(others, _play_out(position, bids[others], play, bidder, True, seed, count), strict=True):
        wins[k] = outcome
    found = list(zip(goes_on, wins, strict=True))
    points = np.stack([goes_on.points for goes_on, _ in found])
    best = points[points.mean(axis=1).argmax()]
    return Study(
        position=position,
        play=play.name,
        bidder=bidder.name,
        deals=games.num_games,
        seed=seed,
        bids=[
            BidValue(
                action, position.spec.actions[action], goes_on.reading(), wins.reading() if wins else None,
                _mean(best - goes_on.points),
            )
            for action, (goes_on, wins) in zip(bids.tolist(), found, strict=True)
        ],
        agents=asked,
    )  # fmt: skip


@dataclass(frozen=True)
class _Outcome:
    """A bid in all deals. points: float64 [N]. declared, made: float64 [N] of 0 and 1, None if the game does not say.

    contested: somebody could pass after the bid.
    """

    points: F64
    declared: F64 | None
    made: F64 | None
    contested: bool

    def reading(self) -> Reading:
        if self.declared is None or self.made is None:
            return Reading(_mean(self.points), None, None)
        return Reading(_mean(self.points), _mean(self.declared), _share(self.made, self.declared))


def _mean(values: F64) -> Mean:
    return Mean(float(values.mean()), _error(values))


def _share(made: F64, declared: F64) -> Mean | None:
    """Σ made / Σ declared, with the error of a ratio (linearised)."""
    if not declared.any():
        return None
    share = float(made.sum() / declared.sum())
    return Mean(share, _error(made - share * declared) / float(declared.mean()))


def _error(values: F64) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _play_out(
    position: Position, bids: I64, play: Agent, bidder: Agent, pass_on: bool, seed: int, count: Callable[[int], None]
) -> list[_Outcome]:
    """Make each bid in all deals, and play them to the end."""
    if not len(bids):
        return []
    spec, seat, deals = position.spec, position.seat, position.games.num_games
    points, declared, made = (np.zeros((len(bids), deals)) for _ in range(3))
    contested = np.zeros(len(bids), np.bool_)
    says = False
    passes = np.zeros(spec.num_actions, np.bool_)
    passes[list(spec.passes)] = True
    size = max(1, BATCH // len(bids))
    for start in range(0, deals, size):
        rng = np.random.default_rng([seed, 61, int(pass_on), start])
        here = np.arange(start, min(start + size, deals))
        bid = np.repeat(np.arange(len(bids)), len(here))
        deal = np.tile(here, len(bids))

        def decide(
            games: BatchedGame[Any], rows: I64, bid: I64 = bid, rng: np.random.Generator = rng
        ) -> I64:
            actions = np.empty(len(rows), np.int64)
            obs, mask = games.observe(), games.legal_actions()
            bidding = spec.bids_in[games.phase]
            passing = bidding & (mask & passes).any(axis=1)
            contested[bid[rows[passing]]] = True
            if pass_on:
                actions[passing] = (mask & passes)[passing].argmax(axis=1)
            else:
                passing[:] = False
            for agent, chosen in ((bidder, bidding & ~passing), (play, ~bidding)):
                some = chosen.nonzero()[0]
                if len(some):
                    actions[some] = agent.act(obs[some], mask[some], rng)
            return actions

        part = position.games.select(deal)
        part.skip_forced = True  # a decision with one legal action need not be asked for
        paid, _ = part.step(bids[bid])
        points[bid, deal] = (paid + play_to_end(part, decide))[:, seat] * spec.reward_scale
        own = _contracts(part, seat)
        if own is not None:
            says = True
            declared[bid, deal], made[bid, deal] = own
        count(part.num_games)
    return [
        _Outcome(points[k], declared[k] if says else None, made[k] if says else None, bool(contested[k]))
        for k in range(len(bids))
    ]


def _contracts(games: BatchedGame[Any], seat: int) -> tuple[F64, F64] | None:
    """Whether the contract of each finished hand was the seat's side's, and made by it; None if the game is silent."""
    if not isinstance(games, HasStatistics):
        return None
    side = np.array(games.spec.teams) == games.spec.teams[seat]
    roles = {one.role: one.value[:, side].sum(axis=1) for one in games.seat_statistics() if one.role}
    return (roles["declarer"], roles["made"]) if {"declarer", "made"} <= set(roles) else None
