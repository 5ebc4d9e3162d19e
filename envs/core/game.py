"""The batched game: N games of one kind advance together, whatever phase each is in.

A game subclasses `BatchedGame` and supplies its state and five things to do with it (begin, advance,
legal words, observation, report). Checking actions, forced moves, automatic resets, copies, saved
states and records are the same for every game and live here.
"""

from __future__ import annotations

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from . import bits
from .bits import I64, U8, U64
from .deals import DealPlan
from .errors import BidtrickError, DealError, GameOverError, IllegalActionError, RecordError, StateError
from .records import GameRecord
from .rules import Rules
from .spec import GameSpec
from .state import BatchState

if TYPE_CHECKING:
    from .single import SingleGame

S = TypeVar("S", bound=BatchState)
F32 = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

#: Action that leaves a game as it is; the only one a finished game accepts.
NO_ACTION = -1

EPISODES = ("hand", "match")
REWARDS = ("points", "match")
CONTEXTS = ("start", "sampled")
#: Episodes in a row that may end before anybody is asked.
MAX_UNASKED = 1000

#: Parts of a game that decisions are asked for: all, the auction, or the card play.
PARTS = ("full", "bidding", "play")

#: (observations uint8 [n, D], legal actions bool [n, num_actions], generator) → actions int [n].
Policy = Callable[[U8, Bools, np.random.Generator], npt.NDArray[Any]]


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise BidtrickError(f"{name}={value!r} is not allowed; allowed: {' | '.join(map(repr, allowed))}")
    return value


class BatchedGame(ABC, Generic[S]):
    """N games of one kind.

    Args:
        rules: rules of the game, a preset's name or a mapping of options.
        num_games: N.
        seed: seed of the counter-based deals; game i, hand h deals the same in every batch.
        episode: "hand" (one deal) or "match".
        reward: "points" (a hand's points, centred, divided by `spec.reward_scale`), "match"
            (the outcome of the match, when it is decided), or another of the game's `rewards`.
        context: "start" (an episode begins at the start of a match) or "sampled" (scores, dealer and other
            match state are drawn for each episode, for training on single hands).
        auto_reset: a finished game begins its next episode within the same step.
        skip_forced: decisions with one legal action are played by the engine.
        phase: "full", or the part of a game that is asked for: "bidding" (up to the contract; the card play that
            follows pays the reward) or "play" (an episode begins at the first decision after the auction).
        autopilot: plays the decisions of the other part, e.g. the `act` of an agent.
        record: keep every action, so that `record(i)` can write the game down.
    """

    rules_class: ClassVar[type[Rules]]
    #: Version of the game (see `GameSpec.version`), known before any game is made: it names the environments.
    version: ClassVar[int] = 0
    #: What `reward` may be.
    rewards: ClassVar[tuple[str, ...]] = REWARDS
    #: Keys that `reset(options=…)` understands.
    option_names: ClassVar[tuple[str, ...]] = ("game_id", "hand_id", "deal", "scores", "dealer")

    spec: GameSpec
    state: S

    def __init__(
        self,
        rules: str | Mapping[str, Any] | Rules | None = None,
        *,
        num_games: int = 1,
        seed: int = 0,
        episode: str = "hand",
        reward: str = "points",
        context: str = "start",
        auto_reset: bool = False,
        skip_forced: bool = False,
        record: bool = False,
        phase: str = "full",
        autopilot: Policy | None = None,
    ) -> None:
        if not isinstance(num_games, int | np.integer) or num_games < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BidtrickError(f"num_games={num_games!r} is not allowed; allowed: an int from 1")
        self.episode = one_of("episode", episode, EPISODES)
        self.reward = one_of("reward", reward, self.rewards)
        self.context = one_of("context", context, CONTEXTS)
        self.auto_reset, self.skip_forced, self.recording = auto_reset, skip_forced, record
        self.part = one_of("phase", phase, PARTS)
        if (phase == "full") != (autopilot is None):
            raise BidtrickError(f"phase={phase!r} {'leaves nothing for' if autopilot else 'needs'} an autopilot")
        self._autopilot = autopilot
        self._autopilot_rng = np.random.default_rng(int(seed) % (1 << 64))
        self.seed = int(seed)
        self.spec = self._make_spec(self.rules_class.make(rules))
        self._options: dict[str, Any] = {}
        self._start(num_games)
        self.reset(seed=seed)

    # What a game supplies.

    @abstractmethod
    def _make_spec(self, rules: Any) -> GameSpec: ...

    @abstractmethod
    def _empty_state(self, num_games: int) -> S:
        """A state of N finished games (`player` -1, `hand_id` 0)."""

    @abstractmethod
    def _begin(self, games: I64, options: Mapping[str, Any]) -> None:
        """Begin an episode of the given games; `options` hold checked arrays with one row a game."""

    @abstractmethod
    def _advance(self, actions: I64) -> None:
        """Carry out one legal action a game (or NO_ACTION), adding to `self._rewards`."""

    @abstractmethod
    def _legal_words(self) -> U64:
        """Legal actions as words. uint64 [N, action_words]; empty for finished games."""

    @abstractmethod
    def _write_observation(self, seats: I64) -> U8:
        """Observations of the given seats, a new array. uint8 [N, D]."""

    @abstractmethod
    def state_planes(self, seats: I64) -> U8:
        """What the seats cannot see, seat-relative, for `state()`. uint8 [N, *]."""

    @abstractmethod
    def history(self, seats: npt.ArrayLike | None = None) -> npt.NDArray[np.int16]:
        """Public actions of the present hand in order, for sequence models.

        Returns: int16 [N, spec.max_hand_actions, 2] of (seat relative to the observer, action), padded with -1.
        """

    @abstractmethod
    def report(self) -> dict[str, npt.NDArray[Any]]:
        """Facts of each game's last finished hand and of the running episode, one row a game."""

    @abstractmethod
    def check_options(self, options: Mapping[str, Any], num_games: int) -> dict[str, Any]:
        """Checked and broadcast reset options. Raises DealError naming the option."""

    @abstractmethod
    def scene(
        self,
        index: int = 0,
        *,
        seat: int | None = None,
        open_hands: bool = False,
        names: Sequence[str] | None = None,
    ) -> Any:
        """One game as a picture of the table (an `envs.rendering.Scene`, which this layer does not know).

        Args:
            seat: who sits at the bottom and sees his own cards; None is seat 0.
            open_hands: show all cards; otherwise nothing depends on cards that the seat cannot see.
            names: a name for each seat.
        """

    def deal_plan(self, dealer: int) -> DealPlan:
        """How the reset option `deal` is given as decks, int [N, D], when this seat deals (`deals.DealPlan`).

        A game need not offer it; then hands cannot be studied with the other cards drawn at random (`bidtrick bid`).
        """
        raise BidtrickError(f"{self.spec.id} does not say how its deals are written (BatchedGame.deal_plan)")

    def single(self) -> SingleGame:
        """This batch of one game, to be played decision by decision (games may have shortcuts for it)."""
        from .single import SingleGame

        return SingleGame(self)

    @property
    @abstractmethod
    def phase(self) -> npt.NDArray[np.int8]:
        """Index into `spec.phases` of each game. int8 [N]."""

    # What every game shares.

    def _start(self, num_games: int) -> None:
        self.state = self._empty_state(num_games)
        self.num_games = num_games
        self._rows = np.arange(num_games)
        self._own_seat = np.append(np.arange(self.spec.num_seats), 0)  # the last entry for finished games (-1)
        self._rewards = np.zeros((num_games, self.spec.num_seats), np.float32)
        self._legal: U64 | None = None
        self._log = np.zeros((num_games, 0), np.int16)
        self._log_length = np.zeros(num_games, np.int64)

    @property
    def rules(self) -> Rules:
        return self.spec.rules

    @property
    def current_player(self) -> npt.NDArray[np.int8]:
        """The seat to act, -1 for a finished game. int8 [N] (a copy)."""
        return self.state.player.copy()

    @property
    def done(self) -> Bools:
        """Whether each game is finished. bool [N]."""
        return self.state.player < 0

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new episode of every game.

        Args:
            seed: restart the counter-based deals from this seed; without it the hands count on.
            options: any of `option_names`, each one value for all games or one a game: `game_id` and
                `hand_id` (numbers in the counter-based deals), `deal`, `scores`, `dealer` and the game's own.

        Raises: DealError naming the option that cannot be; nothing is changed then.
        """
        options = dict(options or {})
        for name in options:
            if name not in self.option_names:
                raise DealError(
                    f"{self.spec.id}: no reset option is called {name!r}; options: {', '.join(self.option_names)}"
                )
        checked = self.check_options(options, self.num_games)
        checked.update(_identities(options, self.num_games))
        if seed is not None:
            self.seed = int(seed)
            self._autopilot_rng = np.random.default_rng(int(seed) % (1 << 64))
            self.state.hand_id[:] = 0
            self.state.game_id[:] = np.arange(self.num_games)
        if "game_id" in checked:
            self.state.game_id[:] = checked.pop("game_id")
        if "hand_id" in checked:
            self.state.hand_id[:] = checked.pop("hand_id")
        self._options = checked
        self._start_episodes(self._rows, checked)

    def _start_episodes(self, games: I64, options: Mapping[str, Any]) -> None:
        paid = self._rewards
        if self.skip_forced or self._autopilot is not None:
            self._rewards = np.zeros_like(paid)  # what is paid before anybody is asked is nobody's
        for _ in range(MAX_UNASKED):
            self._legal = None
            self._log_length[games] = 0
            self.state.episode_hand[games] = self.state.hand_id[games]
            self._begin(games, options)
            self._play_on()
            over = self.state.player[games] < 0
            if not self.auto_reset or not np.count_nonzero(over):
                self._rewards = paid
                return
            games, options = games[over], {}  # an episode in which nobody was asked is not seen
        raise BidtrickError(f"{self.spec.id}: {MAX_UNASKED} episodes in a row asked for no decision")

    def restart(self, games: npt.ArrayLike) -> None:
        """Begin the next episode of the given games (their indices), finished or not; the others stay as they are.

        Raises: RecordError if actions are recorded and the last reset gave options, which the next episode has not.
        """
        index = np.asarray(games, dtype=np.int64)
        if self.recording and self._options:
            raise RecordError(f"{self.spec.id}: restart would record the options of the last reset; use reset instead")
        if len(index):
            self._start_episodes(index, {})

    def legal_words(self) -> U64:
        """Legal actions of the seat to act, as words (empty for a finished game). uint64 [N, W], do not write."""
        if self._legal is None:
            self._legal = self._legal_words()
        return self._legal

    def legal_actions(self) -> Bools:
        """Legal actions of the seat to act; all False for a finished game. bool [N, num_actions]."""
        return bits.unpack(self.legal_words(), self.spec.num_actions).view(np.bool_)

    def sample_actions(self, rng: np.random.Generator) -> I64:
        """A uniformly random legal action of each game, NO_ACTION for a finished one. int64 [N]."""
        actions = bits.sample_set_bit(self.legal_words(), rng)
        if not self.auto_reset:
            actions[self.state.player < 0] = NO_ACTION
        return actions

    def step(self, actions: npt.ArrayLike, *, validate: bool = True) -> tuple[F32, Bools]:
        """Carry out one action a game.

        Args:
            actions: int [N]; NO_ACTION (-1) leaves a game as it is.
            validate: check that each action is legal; pass False only for actions taken from the mask.

        Returns:
            rewards, float32 [N, seats], and done, bool [N]: the games whose episode ended in this step (with
            `auto_reset` they have begun the next one; `report()` still tells how the last hand ended).

        Raises: IllegalActionError or GameOverError naming game, seat, phase, action and the legal ones;
            nothing is changed then.
        """
        if validate:
            acts = self._checked(actions)
        else:
            acts = np.asarray(actions, dtype=np.int64)
        self._rewards = np.zeros((self.num_games, self.spec.num_seats), np.float32)
        alive = None if self.auto_reset else self.state.player >= 0
        if self.recording:
            self._append(self._rows, acts)
        self._advance(acts)
        self._legal = None
        self._play_on()
        done = self.state.player < 0
        if alive is not None:
            done &= alive
        elif np.count_nonzero(done):
            self._start_episodes(done.nonzero()[0], {})
        return self._rewards, done

    def _play_on(self) -> None:
        """Play the decisions that are not asked for until every game waits at one that is.

        These are decisions with one legal action (`skip_forced`) and those of the other part (`phase`).
        """
        while self.skip_forced or self._autopilot is not None:
            words = self.legal_words()
            forced = np.bitwise_count(words).sum(axis=1) == 1
            if not self.skip_forced:
                forced[:] = False
            other = np.zeros_like(forced)
            if self._autopilot is not None:
                other = (self.spec.bids_in[self.phase] == (self.part == "play")) & (self.state.player >= 0) & ~forced
            games = (forced | other).nonzero()[0]
            if not len(games):
                return
            part = self._part(self.state.select(games))
            part._legal = words[games]
            column = np.argmax(part._legal != 0, axis=1)
            actions = bits.lowest_bit(part._legal[np.arange(len(games)), column]) + 64 * column
            rows = other[games].nonzero()[0]
            if self._autopilot is not None and len(rows):
                obs, mask = part.observe(), part.legal_actions()
                actions[rows] = self._autopilot(obs[rows], mask[rows], self._autopilot_rng)
                actions = part._checked(actions)
            if self.recording:
                self._append(games, actions)
            part._advance(actions)
            self.state.put(games, part.state)
            self._rewards[games] += part._rewards
            self._legal = words.copy()
            self._legal[games] = part._legal_words()

    def _checked(self, actions: npt.ArrayLike) -> I64:
        acts = np.asarray(actions)
        if acts.shape != (self.num_games,) or acts.dtype.kind not in "iu":
            raise IllegalActionError(
                f"{self.spec.id}: step takes {self.num_games} int actions, one a game; "
                f"got {acts.dtype}{list(acts.shape)}"
            )
        acts = acts.astype(np.int64)
        words = self.legal_words()
        inside = (acts >= 0) & (acts < self.spec.num_actions)
        safe = np.where(inside, acts, 0)
        places: I64 = self._rows * words.shape[1] + (safe >> 6)
        word = words.ravel().take(places)
        legal = inside & ((word >> (safe & 63).astype(np.uint64)) & bits.ONE).astype(np.bool_)
        legal |= acts == NO_ACTION
        if not legal.all():
            self._refuse(int(np.argmin(legal)), acts)
        return acts

    def _refuse(self, game: int, acts: I64) -> None:
        spec, action = self.spec, int(acts[game])
        name = spec.actions[action] if 0 <= action < spec.num_actions else "no action of this game"
        seat = int(self.state.player[game])
        if seat < 0:
            raise GameOverError(
                f"{spec.id} game {game} is finished: action {action} ({name}) is refused; "
                f"reset the game, or pass {NO_ACTION} to leave it as it is"
            )
        mask = self.legal_actions()[game]
        legal = ", ".join(f"{a} ({spec.actions[a]})" for a in np.flatnonzero(mask))
        raise IllegalActionError(
            f"{spec.id} game {game}, seat {seat}, phase {spec.phases[int(self.phase[game])]}: "
            f"action {action} ({name}) is illegal; legal: {legal}"
        )

    # Observations.

    def _seats(self, seats: npt.ArrayLike | None) -> I64:
        if seats is None:
            return self._own_seat.take(self.state.player, mode="wrap")
        array = np.asarray(seats)
        if array.dtype.kind not in "iu" or array.shape not in ((), (self.num_games,)):
            raise BidtrickError(
                f"{self.spec.id}: seats must be one int or {self.num_games}; got {array.dtype}{list(array.shape)}"
            )
        array = np.broadcast_to(array, (self.num_games,)).astype(np.int64)
        if array.min() < 0 or array.max() >= self.spec.num_seats:
            raise BidtrickError(f"{self.spec.id}: seats must be in 0..{self.spec.num_seats - 1}")
        return array

    def observe(self, seats: npt.ArrayLike | None = None, out: U8 | None = None) -> U8:
        """What a seat knows, as `spec.layout` describes.

        Args:
            seats: int, int [N], or None for the seat to act (seat 0 of a finished game).
            out: uint8 [N, D] to write into.

        Returns: uint8 [N, D].
        """
        obs = self._write_observation(self._seats(seats))
        if out is None:
            return obs
        if out.shape != obs.shape or out.dtype != obs.dtype:
            raise BidtrickError(f"out must be {obs.dtype}{list(obs.shape)}; got {out.dtype}{list(out.shape)}")
        out[...] = obs
        return out

    def state_vector(self, seats: npt.ArrayLike | None = None) -> U8:
        """The perfect-information state, seen from a seat: its observation and everything it cannot see."""
        turned = self._seats(seats)
        return np.concatenate([self._write_observation(turned), self.state_planes(turned)], axis=1)

    # Copies and saved states.

    def _part(self, state: S) -> Self:
        """A game object over another state of the same rules (shares nothing that changes)."""
        part = copy.copy(self)
        part.state = state
        part.num_games = len(state)
        part._rows = np.arange(len(state))
        part._rewards = np.zeros((len(state), self.spec.num_seats), np.float32)
        part._legal = None
        return part

    def select(self, indices: npt.ArrayLike) -> Self:
        """An independent batch of copies of the given games, in that order (repeats allowed)."""
        index = np.asarray(indices)
        if index.dtype == np.bool_:
            index = np.flatnonzero(index)
        if not index.size or index.ndim != 1 or index.dtype.kind not in "iu":
            raise BidtrickError(f"{self.spec.id}: select takes a list of at least one game number")
        if index.min() < -self.num_games or index.max() >= self.num_games:
            raise BidtrickError(f"{self.spec.id}: select: game numbers must be below {self.num_games}")
        part = self._part(self.state.select(index))
        part._log, part._log_length = self._log[index], self._log_length[index]
        part._options = {name: value[index] for name, value in self._options.items()}
        return part

    def put(self, indices: npt.ArrayLike, other: Self) -> None:
        """Replace the given games by those of `other`, in that order: the inverse of `select`.

        Raises: BidtrickError if `other` is of other rules or as many games as there are indices it has not, or if
            actions are recorded (a record is of one game from its beginning).
        """
        index = np.asarray(indices, dtype=np.int64)
        if other.rules != self.rules or index.shape != (other.num_games,):
            raise BidtrickError(f"{self.spec.id}: put takes as many games of the same rules as there are indices")
        if self.recording:
            raise RecordError(f"{self.spec.id}: put would mix the records of two games")
        self.state.put(index, other.state)
        self._legal = None

    def clone(self) -> Self:
        """An independent copy of the whole batch."""
        return self.select(self._rows)

    def state_dict(self) -> dict[str, Any]:
        """Everything needed to continue this batch elsewhere: arrays by name, and what they belong to."""
        return {
            "game": self.spec.id,
            "version": self.spec.version,
            "rules": self.rules.digest(),
            "episode": self.episode,
            "seed": self.seed,
            "arrays": {name: array.copy() for name, array in self.state.arrays().items()},
            "log": self._log[:, : int(self._log_length.max(initial=0))].copy(),
            "log_length": self._log_length.copy(),
            "options": dict(self._options),
        }

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Continue from `state_dict()`. Raises StateError, changing nothing, if it belongs to something else."""
        missing = {"game", "version", "rules", "episode", "seed", "arrays", "log", "log_length", "options"} - set(saved)
        if missing:
            raise StateError(f"{self.spec.id}: saved state lacks {', '.join(sorted(missing))}")
        own = (self.spec.id, self.spec.version, self.rules.digest(), self.episode)
        other = (saved["game"], saved["version"], saved["rules"], saved["episode"])
        if own != other:
            raise StateError(f"saved state is of (game, version, rules, episode) {other}, this batch of {own}")
        try:
            seed, options = int(saved["seed"]), dict(saved["options"])
            log, length = np.array(saved["log"], np.int16), np.array(saved["log_length"], np.int64)
        except (TypeError, ValueError) as error:
            raise StateError(f"{self.spec.id}: saved state is unreadable: {error}") from None
        n = self.num_games
        if log.ndim != 2 or len(log) != n or length.shape != (n,) or length.max() > log.shape[1] or length.min() < 0:
            raise StateError(f"{self.spec.id}: saved log has shapes {log.shape} and {length.shape} for {n} games")
        self.state.load(saved["arrays"])
        self.seed, self._options = seed, options
        self._log, self._log_length = log, length
        self._legal = None

    # Records.

    def _append(self, games: I64, actions: I64) -> None:
        real = actions >= 0
        games, actions = games[real], actions[real]
        if len(games) and int(self._log_length[games].max()) >= self._log.shape[1]:
            wider = np.zeros((len(self._log), max(64, 2 * self._log.shape[1])), np.int16)
            wider[:, : self._log.shape[1]] = self._log
            self._log = wider
        self._log[games, self._log_length[games]] = actions
        self._log_length[games] += 1

    def record(self, game: int = 0) -> GameRecord:
        """The episode of one game so far, as a record that replays. Raises RecordError without `record=True`."""
        if not self.recording:
            raise RecordError(f"{self.spec.id}: this batch keeps no actions; make it with record=True")
        if self.auto_reset:
            raise RecordError(f"{self.spec.id}: a batch with auto_reset has begun the next episode; make it without")
        return GameRecord(
            game=self.spec.id,
            version=self.spec.version,
            rules=json.loads(json.dumps(self.rules.to_dict())),  # as it is read back
            episode=self.episode,
            context=self.context,
            seed=self.seed,
            game_id=int(self.state.game_id[game]),
            hand_id=int(self.state.episode_hand[game]),
            options={name: np.asarray(value[game]).tolist() for name, value in self._options.items()},
            actions=self._log[game, : self._log_length[game]].tolist(),
            result=self.result(game),
        )

    def result(self, game: int = 0) -> dict[str, Any]:
        """The report of one game as plain data."""
        return {name: np.asarray(array[game]).tolist() for name, array in self.report().items()}


def _identities(options: dict[str, Any], num_games: int) -> dict[str, I64]:
    """Checked `game_id` and `hand_id` options."""
    found: dict[str, I64] = {}
    for name in ("game_id", "hand_id"):
        if name in options:
            value = np.asarray(options[name])
            if value.dtype.kind not in "iu" or value.shape not in ((), (num_games,)) or value.min() < 0:
                raise DealError(f"{name} must be a non-negative int, or one a game; got {options[name]!r}")
            found[name] = np.broadcast_to(value, (num_games,)).astype(np.int64)
    return found
