"""Who plays the seats that do not learn, and one batched game seen from the seat that does.

`LearningTable` is what the Gymnasium and Stable-Baselines3 adapters stand on: N games, one learning seat in each.
After every call all games wait for a decision of their learning seat, or are finished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import deals
from ..core.bits import I64, U8
from ..core.errors import BidtrickError, DealError, IllegalActionError
from ..core.game import NO_ACTION, BatchedGame, Policy
from ..core.spec import GameSpec
from .common import Bools
from .policies import Opponent, as_policy

F32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Lineup:
    """Who plays the other seats of some of the games.

    Attributes:
        opponents: one policy for all places, or one a place in playing order after the learning seat.
        partner: who plays the partner's place instead, in games with fixed partners.
        weight: part of the games, beside the weights of the other line-ups.
    """

    opponents: Opponent | Sequence[Opponent]
    partner: Opponent | None = None
    weight: float = 1.0


Opponents = Opponent | Sequence[Opponent] | Sequence[Lineup]

#: Stream of the counter-based numbers that draw a seat for each episode (core.deals uses 0, 1, 2).
SEAT_STREAM = 16

#: Episodes in a row that may end before the learning seat decides anything, until `begin` gives up.
MAX_SKIPPED = 1000

ILLEGAL_ACTIONS = ("terminate", "raise")


def policies_by_place(
    spec: GameSpec, opponents: Opponent | Sequence[Opponent], partner: Opponent | None
) -> list[Policy]:
    """Policies of the seats after the learning one, in playing order (place 1 is the next seat).

    Raises: BidtrickError if their number is wrong, or a partner is given in a game without fixed partners.
    """
    others = spec.num_seats - 1
    if isinstance(opponents, Sequence) and not isinstance(opponents, str):
        listed = list(opponents)
        if len(listed) != others:
            raise BidtrickError(
                f"{spec.id}: opponents lists {len(listed)} policies; allowed: one for all, or {others} in playing "
                "order, starting with the seat after the learning one"
            )
        policies = [as_policy(opponent, spec) for opponent in listed]
    else:
        policies = [as_policy(opponents, spec)] * others
    if partner is not None:
        places = [
            place
            for place in range(1, spec.num_seats)
            if all(spec.teams[s] == spec.teams[(s + place) % spec.num_seats] for s in range(spec.num_seats))
        ]
        if not places:
            raise BidtrickError(f"{spec.id}: partner is not allowed; this game has no fixed partners")
        for place in places:
            policies[place - 1] = as_policy(partner, spec)
    return policies


def lineups_of(opponents: Opponents, partner: Opponent | None) -> list[Lineup]:
    """What `opponents` and `partner` of a table say, as line-ups. Raises BidtrickError for weights that cannot be."""
    if isinstance(opponents, Sequence) and not isinstance(opponents, str):
        lineups = [lineup for lineup in opponents if isinstance(lineup, Lineup)]
        if lineups:
            if len(lineups) != len(opponents) or partner is not None:
                raise BidtrickError("opponents: line-ups name everybody; allowed: line-ups only, and no partner")
            if not all(0 <= lineup.weight < float("inf") for lineup in lineups) or not any(x.weight for x in lineups):
                weights = ", ".join(f"{lineup.weight}" for lineup in lineups)
                raise BidtrickError(f"opponents: weights {weights} are not allowed; allowed: from 0, not all 0")
            return lineups
    return [Lineup(opponents, partner)]  # pyright: ignore[reportArgumentType]


def share_out(weights: Sequence[float], num_games: int) -> I64:
    """Number of the line-up of each game: blocks as large as the weights say, to within one game. int64 [N]."""
    ends = np.cumsum(weights) / np.sum(weights) * num_games
    return np.minimum(np.searchsorted(ends, np.arange(num_games) + 0.5), len(weights) - 1)


class LearningTable:
    """N games in which one seat learns and policies play the others.

    Args:
        game: a batch without automatic resets; the table owns it.
        seat: the learning seat, or "random": drawn for each episode from (seed, game, hand).
        opponents: a policy for all other seats, one a place in playing order, or line-ups that share the games.
        partner: who plays the partner's place instead, in games with fixed partners.
        illegal_action: "raise" (IllegalActionError, nothing changes) or "terminate" (the episode ends).
        illegal_reward: reward of an illegal action that terminates.

    Attributes:
        seats: int64 [N], the learning seat of each game.
        lineup: int64 [N], number of the line-up (0 without any) that plays each game's other seats.
        hand_ended: bool [N], a hand ended during the last call: `game.report()` tells how.
        rng: the generator of the opponents.
    """

    def __init__(
        self,
        game: BatchedGame[Any],
        *,
        seat: int | str = 0,
        opponents: Opponents = "random",
        partner: Opponent | None = None,
        illegal_action: str = "raise",
        illegal_reward: float = -1.0,
    ) -> None:
        spec = game.spec
        fixed = isinstance(seat, int | np.integer) and 0 <= seat < spec.num_seats
        if not fixed and seat != "random":
            raise BidtrickError(f"{spec.id}: seat={seat!r} is not allowed; allowed: 0..{spec.num_seats - 1} | 'random'")
        if illegal_action not in ILLEGAL_ACTIONS:
            raise BidtrickError(f"illegal_action={illegal_action!r} is not allowed; allowed: 'terminate' | 'raise'")
        self.game, self.seat = game, seat
        self.illegal_action, self.illegal_reward = illegal_action, float(illegal_reward)
        n = game.num_games
        lineups = lineups_of(opponents, partner)
        self.lineup = share_out([lineup.weight for lineup in lineups], n)
        # Seats with the same policy are asked together: (policy, bool [N, seats], whether it plays that place).
        self._groups: list[tuple[Policy, Bools]] = []
        for number, lineup in enumerate(lineups):
            games = self.lineup == number
            for place, policy in enumerate(policies_by_place(spec, lineup.opponents, lineup.partner), start=1):
                plays = next((plays for known, plays in self._groups if known == policy), None)
                if plays is None:
                    plays = np.zeros((n, spec.num_seats), np.bool_)
                    self._groups.append((policy, plays))
                plays[games, place] = True
        self.rng = np.random.default_rng(0)
        self.seats = np.zeros(n, np.int64)
        self.stopped = np.zeros(n, np.bool_)  # games ended by an illegal action
        self.hand_ended = np.zeros(n, np.bool_)
        self._hand_id = game.state.hand_id.copy()
        self._draw_seats(np.arange(n))

    @property
    def num_games(self) -> int:
        return self.game.num_games

    @property
    def done(self) -> Bools:
        """Whether each game is finished, by its rules or by an illegal action. bool [N]."""
        return self.game.done | self.stopped

    # -- saving

    def state_dict(self) -> dict[str, Any]:
        """Where the table is: the games, the learning seats, the opponents' generator (opponents are not included)."""
        return {
            "game": self.game.state_dict(),
            "seats": self.seats.copy(),
            "stopped": self.stopped.copy(),
            "rng": self.rng.bit_generator.state,
        }

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Continue from `state_dict()`. Raises StateError, changing nothing, if it belongs to something else."""
        rng = np.random.default_rng()
        rng.bit_generator.state = saved["rng"]
        self.game.load_state_dict(saved["game"])
        self.seats, self.stopped, self.rng = saved["seats"].copy(), saved["stopped"].copy(), rng
        self.hand_ended[:] = False

    # -- beginning

    def reset(
        self, seed: int | None, rng: np.random.Generator, options: Mapping[str, Any] | None = None
    ) -> None:
        """Begin an episode of every game, up to the first decision of the learning seats.

        Raises: DealError if an option cannot be (nothing is changed then), or if the given episode ends before the
            learning seat decides anything.
        """
        self.game.reset(seed=seed, options=options)
        self.rng = rng
        self._begin(np.arange(self.num_games), given=bool(options))

    def restart(self, games: I64) -> None:
        """Begin the next episode of the given games, up to the first decision of their learning seats."""
        self.game.restart(games)
        self._begin(games)

    def _begin(self, games: I64, given: bool = False) -> None:
        self.hand_ended[games] = False
        for _ in range(MAX_SKIPPED):
            self.stopped[games] = False
            self._draw_seats(games)
            self._hand_id[games] = self.game.state.hand_id[games]
            self._let_opponents_play(np.zeros(self.num_games, np.float32))
            games = games[self.game.state.player[games] < 0]
            if not len(games):
                return
            # An early Stöck and its like can decide a match before the learning seat has its first turn.
            if given:
                break
            self.game.restart(games)
        raise DealError(
            f"{self.game.spec.id} game {games[0]}: the episode ends before seat {self.seats[games[0]]} decides"
        )

    def _draw_seats(self, games: I64) -> None:
        if self.seat != "random":
            self.seats[games] = int(self.seat)
            return
        s = self.game.state
        keys = deals.stream_keys(self.game.seed, s.game_id[games], s.hand_id[games], SEAT_STREAM)
        self.seats[games] = deals.integers(keys, 0, self.game.spec.num_seats)

    # -- playing

    def step(self, actions: npt.ArrayLike) -> tuple[F32, Bools, Bools]:
        """Actions of the learning seats, then the opponents' answers. A finished game ignores its action.

        Returns: rewards of the learning seats float32 [N], done bool [N], and illegal bool [N]: games that an illegal
            action has ended in this call.

        Raises: IllegalActionError naming game, seat, phase, action and the legal ones; nothing is changed then.
        """
        acts = np.asarray(actions)
        if acts.shape != (self.num_games,) or acts.dtype.kind not in "iu":
            raise IllegalActionError(
                f"{self.game.spec.id}: step takes {self.num_games} int actions, one a game; "
                f"got {acts.dtype}{list(acts.shape)}"
            )
        acts = acts.astype(np.int64)
        live = ~self.done
        illegal = live & ~self._legal(acts)
        if illegal.any() and self.illegal_action == "raise":
            self._refuse(int(np.argmax(illegal)), int(acts[np.argmax(illegal)]))
        np.copyto(self._hand_id, self.game.state.hand_id)
        self.stopped |= illegal
        rewards, _ = self.game.step(np.where(live & ~illegal, acts, NO_ACTION), validate=False)
        own = rewards[np.arange(self.num_games), self.seats]
        own[illegal] = self.illegal_reward
        self._let_opponents_play(own)
        done = self.done
        self.hand_ended = (self.game.state.hand_id != self._hand_id) | (self.game.done & live & ~illegal)
        return own, done & live, illegal

    def _legal(self, acts: I64) -> Bools:
        inside = (acts >= 0) & (acts < self.game.spec.num_actions)
        return inside & self.game.legal_actions()[np.arange(self.num_games), np.where(inside, acts, 0)]

    def _refuse(self, game: int, action: int) -> None:
        if action == NO_ACTION:
            raise IllegalActionError(f"{self.game.spec.id} game {game}: {action} is no action of this game")
        one = np.full(self.num_games, NO_ACTION)
        one[game] = action
        self.game.step(one)  # refuses, naming everything

    def _let_opponents_play(self, own: F32) -> None:
        """Play the other seats until every game waits for its learning seat; their steps' rewards go to `own`."""
        game, seats = self.game, self.game.spec.num_seats
        rows = np.arange(self.num_games)
        while True:
            player = game.state.player.astype(np.int64)
            place = np.where((player < 0) | self.stopped, 0, (player - self.seats) % seats)
            if not place.any():
                return
            obs, masks = game.observe(), game.legal_actions()
            actions = np.full(self.num_games, NO_ACTION, np.int64)
            for policy, plays in self._groups:
                which = np.flatnonzero(plays[rows, place])
                if len(which):
                    actions[which] = policy(obs[which], masks[which], self.rng)
            rewards, _ = game.step(actions)
            own += rewards[rows, self.seats]

    # -- looking

    def observe(self) -> U8:
        """The learning seats' views. uint8 [N, D]."""
        return self.game.observe(self.seats)

    def masks(self) -> Bools:
        """Legal actions of the learning seats, none for a finished game. bool [N, num_actions]."""
        masks = self.game.legal_actions()
        masks[self.stopped] = False
        return masks
