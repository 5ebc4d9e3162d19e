"""Dozen as a `BatchedGame`: everything that bidtrick wants to know of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bidtrick.envs.core.bits import I64, U8, U64, word_of
from bidtrick.envs.core.deals import DealPlan
from bidtrick.envs.core.errors import DealError
from bidtrick.envs.core.game import BatchedGame
from bidtrick.envs.core.options import ints
from bidtrick.envs.core.rules import Rules
from bidtrick.envs.core.spec import GameSpec

from . import observation, render
from .engine import Engine
from .rules import DozenRules
from .state import CARDS, DECK, PHASES, DozenState, empty_state


class Dozen(BatchedGame[DozenState]):
    rules_class: ClassVar[type[Rules]] = DozenRules

    def _make_spec(self, rules: DozenRules) -> GameSpec:
        self._engine = Engine(rules, self.episode, self.reward, self.context)
        bids = tuple(f"Bid {n}" for n in range(1, rules.hand_size + 1))
        return GameSpec(
            id="dozen",
            version=self.version,
            title="Dozen",
            num_seats=rules.players,
            teams=tuple(range(rules.players)),
            actions=(*(DECK.format(card) for card in range(CARDS)), "Pass", *bids),
            phases=PHASES,
            bidding_phases=("bid",),
            seen_phase=observation.layout(rules.players).index_of("phase"),
            deck=DECK,
            layout=observation.layout(rules.players),
            rules=rules,
            clockwise=True,
            reward_scale=float(rules.hand_size),
            max_hand_actions=CARDS + rules.players,
            hidden_size=CARDS * (rules.players - 1),
            passes=(CARDS,),
        )

    def _empty_state(self, num_games: int) -> DozenState:
        return empty_state(num_games, self._engine.rules.players)

    def _begin(self, games: I64, options: Mapping[str, Any]) -> None:
        self._engine.begin(self.state, games, self.seed, options)

    def _advance(self, actions: I64) -> None:
        self._engine.advance(self.state, actions, self._rewards, self.seed)

    def _legal_words(self) -> U64:
        return self._engine.legal_words(self.state)

    def _write_observation(self, seats: I64) -> U8:
        return observation.write(self.state, seats, self._engine.rules.target)

    def state_planes(self, seats: I64) -> U8:
        return observation.hidden(self.state, seats)

    def history(self, seats: npt.ArrayLike | None = None) -> npt.NDArray[np.int16]:
        s, players = self.state, self._engine.rules.players
        there = np.arange(s.log.shape[1]) < s.log_length[:, None]
        seat = ((s.log & 3) - self._seats(seats)[:, None]) % players
        return np.where(there[:, :, None], np.stack([seat, s.log >> 2], axis=2), -1).astype(np.int16)

    def report(self) -> dict[str, npt.NDArray[Any]]:
        """bid (0 before the first hand), bidder, taken, gain and scores by seat, winner (-1 undecided)."""
        names = ("bid", "bidder", "taken", "gain", "scores", "winner")
        return {name: getattr(self.state, f"last_{name}").copy() for name in names}

    @property
    def phase(self) -> npt.NDArray[np.int8]:
        return self.state.phase.copy()

    def scene(
        self, index: int = 0, *, seat: int | None = None, open_hands: bool = False, names: Sequence[str] | None = None
    ) -> Any:
        return render.scene(self, index, seat, open_hands, names)

    def deal_plan(self, dealer: int) -> DealPlan:
        return DealPlan(np.arange(CARDS), np.repeat(np.arange(self.spec.num_seats), self._engine.rules.hand_size))

    def check_options(self, options: Mapping[str, Any], num_games: int) -> dict[str, Any]:
        rules = self._engine.rules
        checked: dict[str, Any] = {}
        for name, shape, low, high in (
            ("dealer", (num_games,), 0, rules.players - 1), ("scores", (num_games, rules.players), -200, 200),
        ):  # fmt: skip
            if options.get(name) is not None:
                value = ints(options[name], name, shape)
                if value.min() < low or value.max() > high:
                    raise DealError(f"{name} must be ints from {low} to {high}; got {options[name]}")
                checked[name] = value
        if options.get("deal") is not None:
            checked["deal"] = self._deal(options["deal"], num_games)
        return checked

    def _deal(self, deal: Any, num_games: int) -> U64:
        """Hands as words, given so or as lists of card numbers."""
        rules = self._engine.rules
        array = np.asarray(deal)
        if array.shape in ((CARDS,), (num_games, CARDS)) and array.dtype.kind in "iu":
            array = array.reshape(*array.shape[:-1], rules.players, rules.hand_size)
        if array.shape[-2:] == (rules.players, rules.hand_size) and array.dtype.kind in "iu":
            array = np.array([word_of(hand) for hand in array.reshape(-1, rules.hand_size)], np.uint64)
            array = array.reshape(-1, rules.players)
        words = np.broadcast_to(array.astype(np.uint64), (num_games, rules.players))
        whole = np.bitwise_or.reduce(words, axis=1) == (1 << CARDS) - 1
        if not (whole[:, None] & (np.bitwise_count(words) == rules.hand_size)).all():
            raise DealError(f"deal must give {rules.hand_size} of the {CARDS} cards to each seat; got {deal!r}")
        return words
