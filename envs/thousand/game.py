"""Thousand as a `BatchedGame`: the engine, its observations and its reports under one roof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

from ..core.bits import I64, U8, U64
from ..core.deals import NOBODY, DealPlan
from ..core.errors import DealError
from ..core.game import BatchedGame
from ..core.options import bounded
from ..core.rules import Rules
from ..core.spec import GameSpec
from ..core.statistics import Statistic
from . import observation, scoring, stats
from .contexts import IN_HAND_REDEAL
from .engine import Engine
from .history import history
from .lookup import tables as rule_tables
from .rules import ThousandRules
from .state import DRAW, EVENTS, UNDECIDED, ThousandState, empty_state
from .tables import CARDS, DECK, INFO, PHASES, PRIVATE, action_space, active_seats

if TYPE_CHECKING:
    from ..rendering import Scene

_PRIVATE = np.isin(np.arange(len(PHASES)), PRIVATE)
#: Points that make a reward of 1: a reward is a seat's gain less the mean gain of the others, / 100.
REWARD_SCALE = 100.0


@lru_cache(maxsize=256)
def spec(rules: ThousandRules) -> GameSpec:
    space = action_space(rules)
    shown = range(space.info, space.info + rules.stock_size) if space.info >= 0 else ()
    return GameSpec(
        id="thousand",
        version=Thousand.version,
        title="Thousand",
        num_seats=rules.players,
        teams=tuple(range(rules.players)),
        actions=space.names,
        phases=PHASES,
        bidding_phases=("dark", "hand redeal", "talon card", "auction", "talon", "talon redeal", "contract"),
        seen_phase=observation.layout(rules).index_of("phase"),
        deck=DECK,
        layout=observation.layout(rules),
        rules=rules,
        clockwise=True,
        reward_scale=REWARD_SCALE,
        # questions, every amount and every pass, talon, contract, passed cards, plays; of one deal without redeals
        max_hand_actions=12 + space.amounts + 3 + 3 + rules.tricks * rules.active,
        hidden_size=(rules.players + 3) * CARDS,
        passes=(space.pass_,),
        silent=(space.keep, *shown),
    )


class Thousand(BatchedGame[ThousandState]):
    """N games of Thousand (`BatchedGame` has the arguments and methods).

    Rewards: "points" (a seat's gain in the deal less the mean gain of the other seats, / 100: it sums to zero over
    the seats; a win, a fall or a truck counts by what it does to the score), "match" (places of a decided match in
    even steps from 1 to -1, equal totals share) and "stake" (the payout of the rules for these places).

    Reset options beside the shared ones: the match by seat (`bolts`, `attempts`, `falls`, `write_offs`,
    `last_contracts`) and `deals_played`, `golden_left`, `golden_made`. A seat whose score is `barrel_at` is on the
    barrel. A deal is a deck of 24 card numbers in the order of dealing, int [24] or [N, 24]: forehand's hand first,
    then the hands of the next seats, then the talon or both; or a list of texts of card names, one for each of these.
    """

    rules_class: ClassVar[type[Rules]] = ThousandRules
    version: ClassVar[int] = 0
    rewards: ClassVar[tuple[str, ...]] = ("points", "match", "stake")
    option_names: ClassVar[tuple[str, ...]] = (
        *BatchedGame.option_names, "bolts", "attempts", "falls", "write_offs", "last_contracts", "deals_played",
        "golden_left", "golden_made",
    )  # fmt: skip

    def _make_spec(self, rules: Any) -> GameSpec:
        self._engine = Engine(rules, self.episode, self.reward, self.context, REWARD_SCALE, self.auto_reset)
        self._plan = observation.plan(rules)
        reward = self.rewards.index(self.reward)
        self._constants = observation.Constants(self._plan, self.episode == "match", reward)
        return spec(rules)

    @property
    def rules(self) -> ThousandRules:
        return cast(ThousandRules, self.spec.rules)

    def _empty_state(self, num_games: int) -> ThousandState:
        return empty_state(num_games, self.rules)

    def _begin(self, games: I64, options: Mapping[str, Any]) -> None:
        self._engine.begin(self.state, games, self.seed, options)

    def _advance(self, actions: I64) -> None:
        self._engine.advance(self.state, actions, self._rewards, self.seed)

    def _legal_words(self) -> U64:
        return self._engine.legal_words(self.state)

    def _write_observation(self, seats: I64) -> U8:
        s = self.state
        obs = self._observe(s, seats)
        other = s.player != seats
        if np.count_nonzero(other):
            asked = other & _PRIVATE.take(s.phase) & (s.player >= 0)
            if np.count_nonzero(asked):
                self._hide_questions(asked.nonzero()[0], seats, obs)
        return obs

    def _observe(self, state: ThousandState, seats: I64) -> U8:
        return observation.write(state, seats, self._plan, self._constants)

    def _hide_questions(self, games: I64, seats: I64, obs: U8) -> None:
        """Others see a private question as if it had been answered "no" (T-RED-13, T-INFO-01)."""
        part = self._unasked(self.state.select(games), seats[games])
        same = part.redeals == self.state.redeals[games]  # a deal that would now be thrown in shows nothing yet
        obs[games[same]] = self._observe(part, seats[games])[same]

    def _unasked(self, part: ThousandState, seats: I64) -> ThousandState:
        """The state (changed in place) with the private questions to seats other than these answered "no".

        Where that makes somebody declarer at once (no auction: golden, dark "C", the barrel's free talon), the talon
        is not taken yet: the seats wait for him, and do not see who is asked (RULES.md, reading i).
        """
        space = action_space(self.rules)
        rewards = np.zeros((len(part), self.rules.players), np.float32)
        redeals, asked = part.redeals.copy(), part.copy()
        for _ in range(12):  # questions in a row: three hands, three bonuses, talon, pass
            waiting = _PRIVATE.take(part.phase) & (part.player >= 0) & (part.player != seats)
            waiting &= part.redeals == redeals
            if not waiting.any():
                break
            answers = np.where(part.phase == INFO, space.info, space.keep)
            self._engine.advance(part, np.where(waiting, answers, -1), rewards, self.seed)
        early = np.flatnonzero((part.declarer >= 0) & (asked.declarer < 0))
        if len(early):
            turns, waits = rule_tables(self.rules).turns, asked.select(early)
            waits.player[:] = part.declarer[early]
            waits.context[:] = IN_HAND_REDEAL
            waits.node[:] = turns.seated.take(waits.dealer.astype(np.int64) * self.rules.players + waits.player)
            part.put(early, waits)
        return part

    def seen_by(self, index: int, seat: int) -> Self:
        """One game as a batch of its own, without the questions that the seat does not notice (section 21)."""
        game = self.select([index])
        part = self._unasked(game.state.copy(), np.array([seat]))
        if part.redeals[0] == game.state.redeals[0]:
            game.state = part
            game._legal = None
        return game

    def state_planes(self, seats: I64) -> U8:
        return observation.hidden_planes(self.state, seats, self.rules)

    def history(self, seats: npt.ArrayLike | None = None) -> npt.NDArray[np.int16]:
        return history(self.state, self._seats(seats), rule_tables(self.rules), self.spec.max_hand_actions)

    @property
    def phase(self) -> npt.NDArray[np.int8]:
        return self.state.phase

    def report(self) -> dict[str, npt.NDArray[Any]]:
        """Facts of the last finished deal, one row a game.

        dealer, declarer (-1: none finished yet), bid, contract (0: written off), written_off, made, golden, dark;
        by seat: points (card points), marriages, tricks, entries (what was written, before fines), fines, scores
        after the deal, gains (change of the score, everything included) and events (bits of state.EVENTS); winner of
        the match (-1 undecided, -2 a draw) and stakes (what each seat gets of the stake, 0 if undecided).
        """
        facts: dict[str, npt.NDArray[Any]] = self.state.report()
        winner = facts["winner"]
        paid = scoring.by_rank(facts["scores"], winner, scoring.stakes(self.rules))
        facts["stakes"] = np.where((winner != UNDECIDED)[:, None], paid, 0.0)
        return facts

    def seat_statistics(self) -> list[Statistic]:
        """How each seat bid and played in the last finished hand of each game."""
        return stats.of_hands(self.report(), self.rules)

    def result(self, game: int = 0) -> dict[str, Any]:
        """The report of one game as plain data, with `happened`: names of the events of each seat."""
        facts = super().result(game)
        names = [[name for k, name in enumerate(EVENTS) if bits >> k & 1] for bits in facts["events"]]
        return {**facts, "happened": names}

    def scene(
        self,
        index: int = 0,
        *,
        seat: int | None = None,
        open_hands: bool = False,
        names: Sequence[str] | None = None,
    ) -> Scene:
        from . import render  # pictures are rare: training does not load them

        return render.scene(self, index, seat=seat, open_hands=open_hands, names=names)

    def story(self, action: int, after: Thousand) -> list[str]:
        """The deal that this action ends, in words and with all cards open; nothing for other actions.

        Args:
            action: of this batch of one game. after: the game after the action.
        """
        from .story import deal_story  # rare, as pictures are

        thrown = after.state.redeals[0] > self.state.redeals[0]
        if not (thrown or after.done[0] or after.state.hand_id[0] > self.state.hand_id[0]):
            return []
        return deal_story(self, action, after)

    def deal_plan(self, dealer: int) -> DealPlan:
        return _plan(self.rules, dealer)

    def check_options(self, options: Mapping[str, Any], num_games: int) -> dict[str, Any]:
        rules = self.rules
        p = rules.players
        checked: dict[str, Any] = {}
        if options.get("deal") is not None:
            checked["deal"] = _checked_deal(options["deal"], num_games, rules)
        top = rules.barrel_at if rules.barrel_at is not None else rules.target - 1
        by_seat = {
            "scores": (-100_000, top),
            "bolts": (0, 2),
            "attempts": (0, max(rules.barrel_attempts - 1, 0)),
            "falls": (0, 2 if rules.barrel_third_fall == "zero" else 1000),
            "write_offs": (0, 1000),
            "last_contracts": (100, 1000),
        }
        for name, (low, high) in by_seat.items():
            if options.get(name) is not None:
                checked[name] = bounded(options[name], name, (num_games, p), low, high)
        last = 10**6 if rules.deals is None or self.episode == "hand" else rules.deals - 1
        for name, high in (("dealer", p - 1), ("deals_played", last), ("golden_left", p)):
            if options.get(name) is not None:
                checked[name] = bounded(options[name], name, (num_games,), 0, high)
        if options.get("golden_made") is not None:
            checked["golden_made"] = (
                bounded(np.asarray(options["golden_made"]) + 0, "golden_made", (num_games,), 0, 1) > 0
            )
        if rules.golden == "off" and ("golden_left" in checked or "golden_made" in checked):
            raise DealError("golden_left and golden_made need rules with golden='on' (T-GOLD-01)")
        return checked


@lru_cache(maxsize=64)
def _plan(rules: ThousandRules, dealer: int) -> DealPlan:
    """T-DEAL-02: hands from forehand, then what nobody is dealt."""
    seats = np.repeat(active_seats(rules.players, dealer), rules.hand_size)
    owner = np.append(seats, np.full(rules.stock_size, NOBODY))
    talon = rules.players + np.arange(rules.talons).repeat(rules.talon_size)
    if rules.info_bonus in ("talon_card", "talon_suits"):  # T-INFO-01: the cards of the talon have places
        talon = rules.players + np.arange(rules.stock_size)
    return DealPlan(np.array(rules.cards), owner, np.append(seats, talon))


def _checked_deal(deal: Any, num_games: int, rules: ThousandRules) -> I64:
    """A deck a game, int64 [N, 24] (fewer of a short deck). Raises DealError saying what is wrong with it."""
    sizes, count = [rules.hand_size] * rules.active + [rules.talon_size] * rules.talons, rules.deck_size
    if isinstance(deal, list | tuple) and deal and all(isinstance(part, str) for part in cast("list[Any]", deal)):
        parts = [DECK.parse_all(part) for part in cast("list[str]", deal)]
        if [len(part) for part in parts] != sizes:
            raise DealError(f"deal: the packets have {[len(part) for part in parts]} cards, must have {sizes}")
        deal = [card for part in parts for card in part]
    array: npt.NDArray[Any]
    try:
        array = np.asarray(cast(Any, deal))
    except ValueError:
        raise DealError(f"deal: give {count} card numbers, or as many for each game") from None
    if array.dtype.kind not in "iu" or array.shape not in ((count,), (num_games, count)):
        raise DealError(
            f"deal must be card numbers [{count}] or [{num_games}, {count}] in the order of dealing, or texts of card "
            f"names; got {array.dtype}{list(array.shape)}"
        )
    decks = np.broadcast_to(array, (num_games, count)).astype(np.int64)
    for game in np.flatnonzero((np.sort(decks, axis=1) != np.array(rules.cards)).any(axis=1)):
        numbers, counts = np.unique(decks[game], return_counts=True)
        double = [DECK.format(int(c)) if 0 <= c < CARDS else f"card {c}" for c in numbers[counts > 1]]
        missing = DECK.format_all(sorted(set(rules.cards) - set(decks[game].tolist())))
        raise DealError(
            f"deal of game {game}: not every card once; missing: {missing}"
            + (f"; dealt twice: {', '.join(double)}" if double else "")
        )
    return decks


__all__ = ["DRAW", "UNDECIDED", "Thousand", "spec"]
