"""Schieber as a `BatchedGame`: the engine, its observations and its reports under one roof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from ..core.bits import BIT, I64, U8, U64
from ..core.deals import DealPlan
from ..core.errors import DealError
from ..core.game import BatchedGame
from ..core.options import bounded, ints
from ..core.rules import Rules
from ..core.spec import GameSpec
from ..core.statistics import Statistic
from . import observation, stats
from .engine import Engine
from .rules import SchieberRules
from .state import (
    BONUS,
    LAST_CONTEXT,
    LAST_FLAGS,
    LAST_SCORES,
    LAST_SHEET,
    LAST_START,
    LAST_WINNER,
    POINTS,
    STOCK,
    TRICKS,
    UNDECIDED,
    WEIS,
    SchieberState,
    contract_of,
    declarer_of,
    empty_state,
    forehand_of,
    pushes_of,
)
from .symmetry import SuitSymmetry
from .tables import CARDS, FIRST_CONTRACT, NO_CONTRACT, action_names, deck

if TYPE_CHECKING:
    from ..core.single import SingleGame
    from ..rendering import Scene

#: Points that make a reward of 1 (documented in the README: a reward is a difference of hand points / 100).
REWARD_SCALE = 100.0


@lru_cache(maxsize=64)
def spec(rules: SchieberRules) -> GameSpec:
    fixed = observation.layout()["contract_fixed"].start
    return GameSpec(
        id="schieber",
        version=Schieber.version,
        title="Schieber",
        num_seats=4,
        teams=(0, 1, 0, 1),
        actions=action_names(rules),
        phases=("contract", "play"),
        bidding_phases=("contract",),
        seen_phase=lambda obs: obs[:, fixed].astype(np.int64),
        deck=deck(rules),
        layout=observation.layout(),
        rules=rules,
        clockwise=False,
        reward_scale=REWARD_SCALE,
        max_hand_actions=CARDS + 3,
        hidden_size=3 * CARDS,
        symmetry=SuitSymmetry(),
    )


class Schieber(BatchedGame[SchieberState]):
    """N games of Schieber (`BatchedGame` has the arguments and methods).

    Reset options beside the shared ones: `hand_number` (hands already played in the match). A deal is
    four hands: int [4, 9] or [N, 4, 9] card numbers (or [36], [N, 36], one hand after the other), uint64 [4] or [N, 4]
    words, or four texts of card names.
    """

    rules_class: ClassVar[type[Rules]] = SchieberRules
    version: ClassVar[int] = 0
    option_names: ClassVar[tuple[str, ...]] = (*BatchedGame.option_names, "hand_number")

    def _make_spec(self, rules: Any) -> GameSpec:
        self._engine = Engine(rules, self.episode, self.reward, self.context, REWARD_SCALE)
        self._constants = observation.Constants(rules, self.episode == "match", self.reward == "match")
        return spec(rules)

    @property
    def rules(self) -> SchieberRules:
        return cast(SchieberRules, self.spec.rules)

    def _empty_state(self, num_games: int) -> SchieberState:
        return empty_state(num_games)

    def _begin(self, games: I64, options: Mapping[str, Any]) -> None:
        self._engine.begin(self.state, games, self.seed, options)

    def _advance(self, actions: I64) -> None:
        self._engine.advance(self.state, actions, self._rewards, self.seed)

    def _legal_words(self) -> U64:
        return self._engine.legal_words(self.state)

    def _write_observation(self, seats: I64) -> U8:
        return observation.write(self.state, seats, self._constants)

    def state_planes(self, seats: I64) -> U8:
        return observation.hidden_planes(self.state, seats)

    def history(self, seats: npt.ArrayLike | None = None) -> npt.NDArray[np.int16]:
        return observation.history(self.state, self._seats(seats))

    def single(self) -> SingleGame:
        from .single import SingleSchieber

        return SingleSchieber(self)

    @property
    def phase(self) -> npt.NDArray[np.int8]:
        return (self.state.contract != NO_CONTRACT).astype(np.int8)

    def report(self) -> dict[str, npt.NDArray[Any]]:
        """Facts of the last finished hand, one row a game.

        contract (0..3 trump, 4 Obenabe, 5 Undenufe, 6 no hand finished yet), declarer, forehand, pushes;
        by team and before the multiplier: base_points (card points and last trick), match_bonus, weis, stock;
        points (everything, multiplied), tricks; scores after the hand; winner of the match (-1 undecided,
        2 a draw) and schneider (J-END-03).
        """
        s = self.state
        last, flags = s.last, s.last[:, LAST_FLAGS]
        sheet = last[:, LAST_SHEET : LAST_SHEET + 2].view(np.uint8).reshape(-1, 2, 8).astype(np.int32)
        scores = last[:, LAST_SCORES : LAST_START + 1].view(np.int32)
        outcome = last[:, LAST_WINNER].view(np.int64)
        return {
            "contract": contract_of(last[:, LAST_CONTEXT].view(np.int64)),
            "declarer": declarer_of(flags),
            "forehand": forehand_of(flags),
            "pushes": pushes_of(flags),
            "base_points": sheet[:, :, POINTS],
            "match_bonus": sheet[:, :, BONUS] * 10,
            "weis": sheet[:, :, WEIS] * 10,
            "stock": sheet[:, :, STOCK] * 10,
            "points": scores[:, :2] - scores[:, 2:],
            "tricks": sheet[:, :, TRICKS],
            "scores": scores[:, :2].copy(),
            "winner": ((outcome & 0xFF) - 1).astype(np.int8),
            "schneider": outcome > 0xFF,
        }

    def seat_statistics(self) -> list[Statistic]:
        """How each seat bid and played in the last finished hand of each game."""
        return stats.of_hands(self.report(), self.rules)

    def result(self, game: int = 0) -> dict[str, Any]:
        """The report of one game as plain data, with `contract_name` ("Trump Rosen" …, "" before the first)."""
        facts = super().result(game)
        contract: int = facts["contract"]
        name = "" if contract == NO_CONTRACT else self.spec.actions[FIRST_CONTRACT + contract]
        return {"contract_name": name, **facts}

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

    def deal_plan(self, dealer: int) -> DealPlan:
        return DealPlan(np.array(self.rules.cards), np.repeat(np.arange(4), self.rules.hand_size))

    def check_options(self, options: Mapping[str, Any], num_games: int) -> dict[str, Any]:
        checked: dict[str, Any] = {}
        if options.get("deal") is not None:
            checked["deal"] = _checked_deal(options["deal"], num_games, self.rules)
        if "scores" in options:
            scores = ints(options["scores"], "scores", (num_games, 2))
            if scores.min() < 0 or (self.rules.live_target and scores.max() >= self.rules.target):
                raise DealError(
                    f"scores must be from 0 to below the target {self.rules.target}; got {options['scores']}"
                )
            if scores.max() > 10**6:
                raise DealError("scores must be at most 1000000")
            checked["scores"] = scores.astype(np.int32)
        for name, bound in (("dealer", 4), ("hand_number", 10**6)):
            if options.get(name) is not None:
                checked[name] = bounded(options[name], name, (num_games,), 0, bound - 1)
        hands = self.rules.hands
        if hands is not None and "hand_number" in checked and checked["hand_number"].max() >= hands:
            raise DealError(f"hand_number must be below hands={hands}; got {options['hand_number']}")
        return checked


def _checked_deal(deal: Any, num_games: int, rules: SchieberRules) -> U64:
    """Four hands a game, of nine cards without a short deck, as words. Raises DealError saying what is wrong."""
    names, size, count = deck(rules), rules.hand_size, len(rules.cards)
    if isinstance(deal, list | tuple) and len(cast("list[Any]", deal)) == 4:
        hands = cast("list[Any]", deal)
        if all(isinstance(hand, str) for hand in hands):
            deal = [names.parse_all(hand) for hand in hands]
            for seat, hand in enumerate(deal):
                if len(hand) != size:
                    raise DealError(f"deal: seat {seat} has {len(hand)} cards, must be {size}")
    words: U64
    try:
        array: npt.NDArray[Any] = np.asarray(cast(Any, deal))
    except ValueError:
        raise DealError(f"deal: the four hands must have {size} cards each") from None
    if array.dtype.kind in "iu" and array.shape in ((count,), (num_games, count)):
        array = array.reshape(*array.shape[:-1], 4, size)
    if array.dtype == np.uint64 and array.shape[-1:] == (4,):
        words = array
    elif array.dtype.kind in "iu" and array.shape[-2:] == (4, size):
        if array.min() < 0 or array.max() >= CARDS:
            raise DealError(f"deal: card numbers must be from 0 to {CARDS - 1}")
        words = np.bitwise_or.reduce(BIT[array], axis=-1)
    else:
        raise DealError(
            f"deal must be card numbers [4, {size}] or [{num_games}, 4, {size}], words uint64 [4] or [{num_games}, 4], "
            f"or four texts of {size} card names; got {array.dtype}{list(array.shape)}"
        )
    if len(words.shape) > 2 or words.shape[:-1] not in ((), (num_games,)):
        raise DealError(f"deal: give one deal, or {num_games}; got {list(words.shape)}")
    words = np.broadcast_to(words, (num_games, 4)).copy()
    whole = np.bitwise_or.reduce(BIT[list(rules.cards)])
    wrong = (np.bitwise_count(words) != size).any(axis=1) | (np.bitwise_or.reduce(words, axis=1) != whole)
    for game in np.flatnonzero(wrong):
        hands = [[c for c in range(64) if int(word) >> c & 1] for word in words[game]]
        counts = [sum(card in hand for hand in hands) for card in range(64)]
        double = [names.format(c) if c < CARDS else f"card {c}" for c in range(64) if counts[c] > 1]
        sizes = [len(hand) for hand in hands]
        raise DealError(
            f"deal of game {game}: hands have {sizes} different cards, must be {[size] * 4}"
            + (f"; dealt twice: {', '.join(double)}" if double else "")
            + (f"; the deck has {', '.join(names.format(c) for c in rules.cards)}" if rules.reduced else "")
        )
    return words


__all__ = ["UNDECIDED", "Schieber", "spec"]
