"""Pitch as a `BatchedGame`: the engine, its observations and its reports under one roof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from ..core.bits import I64, U8, U64
from ..core.deals import NOBODY, DealPlan
from ..core.errors import DealError
from ..core.game import BatchedGame
from ..core.options import bounded, ints
from ..core.rules import Rules
from ..core.spec import GameSpec
from ..core.statistics import Statistic
from . import observation, stats
from .engine import Engine
from .reports import facts_of
from .rules import LARGEST, PitchRules
from .state import PitchState, empty_state
from .symmetry import SuitSymmetry
from .tables import CARDS, DECK, NO_CARD, NO_TRUMP, PHASES, SUITS, actions, tables

if TYPE_CHECKING:
    from ..rendering import Scene


@lru_cache(maxsize=256)
def spec(rules: PitchRules) -> GameSpec:
    calls = actions(rules.total, rules.five)
    return GameSpec(
        id="pitch",
        version=Pitch.version,
        title="Pitch",
        num_seats=rules.players,
        teams=(0, 1, 2, 3, 4) if rules.five else (0, 1, 0, 1),
        actions=calls.names,
        phases=PHASES,
        bidding_phases=("misdeal", "bid", "trump", "call"),
        seen_phase=observation.layout(rules).index_of("phase"),
        deck=DECK,
        layout=observation.layout(rules),
        rules=rules,
        clockwise=True,
        reward_scale=float(rules.total),
        # misdeal calls, bids, trump, call, discards, leftovers one by one, burns, 6 cards a seat
        max_hand_actions=2 * rules.players + 2 + (0 if rules.five else 24 + 38) + 14 + 6 * rules.players,
        hidden_size=observation.hidden_size(rules.players),
        symmetry=SuitSymmetry(rules),
        passes=(calls.first_bid,),
        silent=(calls.no_misdeal,),
    )


class Pitch(BatchedGame[PitchState]):
    """N games of Pitch (`BatchedGame` has the arguments and methods).

    Reset options beside the shared ones: `hand_number` (hands already scored in the match). A deal is the whole
    deck in order, int [D] or [N, D]: the hands in blocks by seat, then the stock (or the blind), top card first;
    or one text of card names for each seat and one for the stock. Scores are of two teams, or of five players.

    Under `reward="points"` a hand is worth the change of one's score less that of the others (their mean,
    five-handed), divided by N. A failed moon that loses the match outright counts as losing the whole target.
    """

    rules_class: ClassVar[type[Rules]] = PitchRules
    version: ClassVar[int] = 0
    option_names: ClassVar[tuple[str, ...]] = (*BatchedGame.option_names, "hand_number")

    def _make_spec(self, rules: Any) -> GameSpec:
        made = spec(rules)
        self._engine = Engine(rules, self.episode, self.reward, self.context, made.reward_scale)
        self._view = observation.View(rules, self.episode == "match", self.reward == "match")
        return made

    @property
    def rules(self) -> PitchRules:
        return cast(PitchRules, self.spec.rules)

    def _empty_state(self, num_games: int) -> PitchState:
        return empty_state(num_games, self.rules)

    def _begin(self, games: I64, options: Mapping[str, Any]) -> None:
        self._engine.begin(self.state, games, self.seed, options)

    def _advance(self, actions: I64) -> None:
        self._engine.advance(self.state, actions, self._rewards, self.seed)

    def _legal_words(self) -> U64:
        return self._engine.legal_words(self.state)

    def _write_observation(self, seats: I64) -> U8:
        return observation.write(self.state, seats, self._view)

    def state_planes(self, seats: I64) -> U8:
        return observation.hidden_planes(self.state, seats, self.rules)

    def history(self, seats: npt.ArrayLike | None = None) -> npt.NDArray[np.int16]:
        return observation.history(self.state, self._seats(seats), self.spec.max_hand_actions)

    @property
    def phase(self) -> npt.NDArray[np.int8]:
        return self.state.phase

    def report(self) -> dict[str, npt.NDArray[Any]]:
        """Facts of the last scored hand, one row a game.

        bid (0 no hand yet, 1..N, N + 1 moon, N + 2 double moon), bidder, partner (-1 for none), dealer, trump
        (4 no hand yet), called (54 none), called_from (1 a hand, 2 the blind, 3 the bidder's own), took and
        against (points of the bidding side and of the defenders), made, moon (1 made, 2 failed), tricks, points by
        seat; gain and scores after the hand by team (five-handed by seat); winner of the match (-1 undecided;
        the first of `winners`, which may be several five-handed) and truncated (P-END-05).
        """
        return facts_of(self.state, self.rules)

    def seat_statistics(self) -> list[Statistic]:
        """How each seat bid and played in the last finished hand of each game."""
        return stats.of_hands(self.report(), self.rules)

    def result(self, game: int = 0) -> dict[str, Any]:
        """The report of one game as plain data, with `bid_name` and `trump_name` ("" before the first hand)."""
        facts = super().result(game)
        bid: int = facts["bid"]
        trump: int = facts["trump"]
        called: int = facts["called"]
        bids = actions(self.rules.total, self.rules.five)
        names: dict[str, str] = {
            "bid_name": bids.names[bids.first_bid + bid] if bid else "",
            "trump_name": "" if trump == NO_TRUMP else SUITS[trump],
            "called_name": "" if called == NO_CARD else DECK.format(called),
        }
        return {**names, **facts}

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
        t = tables(self.rules)
        hands = np.repeat(np.arange(self.rules.players), t.hand_size)
        return DealPlan(t.deck.astype(np.int64), np.append(hands, np.full(t.stock_size, NOBODY)))

    def check_options(self, options: Mapping[str, Any], num_games: int) -> dict[str, Any]:
        rules = self.rules
        checked: dict[str, Any] = {}
        if options.get("deal") is not None:
            checked["deal"] = _checked_deal(options["deal"], num_games, rules)
        if options.get("scores") is not None:
            scores = ints(options["scores"], "scores", (num_games, rules.entries))
            # a score at the target goes on only where reaching it need not win (BD-32, P-5H-09)
            limit = LARGEST if rules.win_requires_bid or rules.five else rules.target - 1
            if scores.min() < -LARGEST or scores.max() > limit:
                raise DealError(f"scores must be from {-LARGEST} to {limit}; got {options['scores']}")
            checked["scores"] = scores.astype(np.int32)
        for name, bound in (("dealer", rules.players), ("hand_number", rules.max_hands)):
            if options.get(name) is not None:
                checked[name] = bounded(options[name], name, (num_games,), 0, bound - 1)
        return checked


def _checked_deal(deal: Any, num_games: int, rules: PitchRules) -> I64:
    """The decks in order, int64 [N, D]. Raises DealError saying what is wrong with them."""
    t = tables(rules)
    size = len(t.deck)
    sizes = [t.hand_size] * rules.players + ([t.stock_size] if t.stock_size else [])
    if isinstance(deal, list | tuple) and all(isinstance(part, str) for part in cast("list[Any]", deal)):
        parts = [DECK.parse_all(text) for text in cast("list[str]", deal)]
        if [len(part) for part in parts] != sizes:
            raise DealError(f"deal: the texts name {[len(part) for part in parts]} cards, must be {sizes}")
        deal = [card for part in parts for card in part]
    try:
        array: npt.NDArray[Any] = np.asarray(cast("Any", deal))
    except ValueError:
        raise DealError(f"deal: every deck must have {size} cards") from None
    if array.dtype.kind not in "iu" or array.shape not in ((size,), (num_games, size)):
        raise DealError(
            f"deal must be the deck in order, int [{size}] or [{num_games}, {size}] (hands of {t.hand_size} by seat, "
            f"then {t.stock_size} more), or texts of card names for each of these; got {array.dtype}{list(array.shape)}"
        )
    decks = np.broadcast_to(array, (num_games, size)).astype(np.int64)
    wrong = (np.sort(decks, axis=1) != t.deck).any(axis=1)
    for game in np.flatnonzero(wrong):
        cards = decks[game].tolist()
        unknown = sorted({card for card in cards if card not in t.deck})
        double = sorted({card for card in cards if cards.count(card) > 1 and 0 <= card < CARDS})
        missing = sorted(set(t.deck.tolist()) - set(cards))
        facts = [f"not in the deck: {unknown}"] if unknown else []
        if double:
            facts.append(f"dealt twice: {DECK.format_all(double)}")
        raise DealError(
            f"deal of game {game}: {'; '.join(facts) or 'wrong cards'}; missing: {DECK.format_all(missing)}"
        )
    return decks


__all__ = ["Pitch", "spec"]
