"""A decision of an auction as a player knows it: his hand and what was called, over deals that agree with both.

The unseen cards are drawn uniformly from the deals that are consistent with what the seat knows: its own cards are
where they are, and every call so far was legal for who made it (a bid of 200 in Thousand tells of a marriage). That an
agent would have called it is not asked: calls are evidence by the rules only. It is done by rejection, exactly: decks
are shuffled around the known cards, the auction is replayed in all of them at once, and those in which it can be are
kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...envs.core.bits import I64
from ...envs.core.deals import NOBODY, DealPlan
from ...envs.core.errors import BidtrickError, DealError, IllegalActionError, UnknownNameError
from ...envs.core.game import NO_ACTION, BatchedGame
from ...envs.core.spec import GameSpec
from ...envs.registry import make_batch

#: Deals drawn at once; batches in vain after which it is given up; deals drawn at most for each that is asked for.
BATCH, FRUITLESS, MOST = 4096, 6, 200


@dataclass(frozen=True)
class Position:
    """The decision, in N deals drawn for it.

    Attributes:
        games: N games that wait for it, which differ in the unseen cards only. Nobody has acted in them since.
        seat: the seat to act. dealer: who dealt. hand: its cards, with a talon it has taken.
        calls: the auction so far, as names of actions.
        drawn: deals that were drawn to find them; N / drawn of all deals are consistent.
    """

    games: BatchedGame[Any]
    seat: int
    dealer: int
    hand: tuple[int, ...]
    calls: tuple[str, ...]
    drawn: int

    @property
    def spec(self) -> GameSpec:
        return self.games.spec

    @property
    def bids(self) -> I64:
        """The legal actions. int64 [B]."""
        return self.games.select([0]).legal_actions()[0].nonzero()[0]


def find_position(
    game: str,
    hand: str,
    *,
    auction: str = "",
    talon: str = "",
    rules: str | Mapping[str, Any] | None = None,
    dealer: int | None = None,
    seat: int | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = 1000,
    seed: int = 0,
) -> Position:
    """The decision that a hand has after an auction, in drawn deals.

    Args:
        hand: the cards as dealt, e.g. "A♠ 10♠ K♥" or "Eichel Ass, Rosen 7".
        auction: the calls so far from the first one, separated by commas: names of actions, or their last words where
            these are enough ("pass, 4" for "Pass, Bid 4"). Questions asked in private may be left out.
        talon: cards that the seat has taken up since (Thousand's talon).
        dealer: a seat, by default the last one, so that seat 0 speaks first.
        seat: who holds the hand; by default who is to act after the auction.
        options: other reset options of the game (`option_names`), e.g. scores.
        deals: N. seed: equal seeds give equal deals.

    Raises: DealError, UnknownNameError or IllegalActionError, naming the card, or the first call that cannot be and
        those that can.
    """
    probe = make_batch(game, rules=rules)
    spec = probe.spec
    if deals < 1:
        raise BidtrickError(f"deals={deals} is not allowed; allowed: an int from 1")
    for name, value in (("dealer", dealer), ("seat", seat)):
        if value is not None and not 0 <= value < spec.num_seats:
            raise DealError(f"{name}={value} is not allowed; allowed: from 0 to {spec.num_seats - 1}")
    dealt_by = spec.num_seats - 1 if dealer is None else dealer
    plan = probe.deal_plan(dealt_by)
    own, taken = spec.deck.parse_hand(hand), spec.deck.parse_hand(talon)
    size = int(np.bincount(plan.owner[plan.owner >= 0]).max())
    _check_cards(spec, plan.cards, own, size, taken, int((plan.owner == NOBODY).sum()))
    calls = [text for text in (part.strip() for part in auction.split(",")) if text]
    meant = [_meanings(spec, text) for text in calls]
    with_hands = [(dealt_by + 1 + k) % spec.num_seats for k in range(spec.num_seats)]
    with_hands = [number for number in with_hands if (plan.owner == number).any()]
    if seat is not None and seat not in with_hands:
        raise DealError(f"seat={seat} is not allowed; allowed, if seat {dealt_by} deals: {with_hands}")
    drawing = _Drawing(game, rules, dealt_by, dict(options or {}), own, taken, meant, seed)
    failures: list[_Failure] = []
    for candidate in with_hands if seat is None else [seat]:
        found = drawing.find(candidate, deals)
        if isinstance(found, _Failure):
            failures.append(found)
            continue
        games, drawn = found
        names = tuple(calls)
        return Position(games, candidate, dealt_by, tuple(sorted(own + taken)), names, drawn)
    raise max(failures, key=lambda one: one.calls).error(spec, calls, seat)


def _check_cards(
    spec: GameSpec, deck: I64, own: Sequence[int], size: int, taken: Sequence[int], unowned: int
) -> None:
    names = spec.deck.format_all
    if strange := sorted({card for card in (*own, *taken) if card not in deck}):
        raise DealError(f"hand: not in the deck of these rules: {names(strange)}")
    both = [*own, *taken]
    if double := sorted({card for card in both if both.count(card) > 1}):
        raise DealError(f"hand: named twice: {names(double)}")
    if len(own) != size:
        raise DealError(f"hand: {len(own)} cards, must be {size} as dealt (cards taken up since are given as talon)")
    if taken and (not unowned or len(taken) > unowned):
        raise DealError(f"talon: {len(taken)} cards, but {unowned} are dealt to nobody")


def _meanings(spec: GameSpec, text: str) -> list[int]:
    """Actions of the auction that a call may mean: the one of this name, or all that end in it."""
    try:
        return [spec.parse_action(text)]
    except UnknownNameError:
        words = text.lower().split()
        found = [k for k, name in enumerate(spec.actions) if name.lower().split()[-len(words) :] == words]
        if not found:
            raise
        return found


@dataclass
class _Failure:
    """Why no deal was found: the furthest that a replay came (in calls), and who could have done what there."""

    calls: int
    seat: int
    phase: str
    legal: set[int]
    drawn: int = 0

    def error(self, spec: GameSpec, calls: Sequence[str], wanted: int | None) -> BidtrickError:
        legal = ", ".join(spec.actions[k] for k in sorted(self.legal)) or "nothing"
        where = f"seat {self.seat} is to act, phase {self.phase}" if self.seat >= 0 else "the hand is over"
        if self.calls < len(calls):
            return IllegalActionError(
                f"{spec.id}: call {self.calls + 1} of the auction, {calls[self.calls]!r}, is not legal in any of "
                f"{self.drawn} deals drawn with this hand: {where}; legal: {legal}"
            )
        other = f"not seat {wanted} in the auction" if wanted is not None else "which is no call of the auction"
        return IllegalActionError(f"{spec.id}: after {len(calls)} calls {where}, {other}; legal: {legal}")


class _Drawing:
    """Deals for a hand of some seat."""

    def __init__(
        self, game: str, rules: Any, dealer: int, options: dict[str, Any], own: list[int], taken: list[int],
        calls: list[list[int]], seed: int,
    ) -> None:  # fmt: skip
        self.game, self.rules, self.dealer, self.options = game, rules, dealer, options
        self.own, self.taken, self.calls, self.seed = own, taken, calls, seed

    def find(self, seat: int, deals: int) -> tuple[BatchedGame[Any], int] | _Failure:
        """Games that wait for the seat's decision, and how many deals were drawn for them."""
        places = int((self.plan().owner == NOBODY).sum())
        # where there are several talons, the cards may be of any of them
        starts = list(range(0, places - len(self.taken) + 1, len(self.taken))) if self.taken else [0]
        failure: _Failure | None = None
        for first in starts:
            try:
                kept, failed, drawn = self.search(seat, deals, first)
            except DealError:
                if first == starts[-1]:
                    raise
                continue
            if len(kept):
                games = self.begin(kept)
                self.replay(games, seat)
                return games, drawn
            failure = failed if failure is None or failed.calls > failure.calls else failure
        assert failure is not None
        return failure

    def search(self, seat: int, deals: int, first: int) -> tuple[I64, _Failure, int]:
        """Decks in which the seat is to act, int64 [n ≤ deals, D]; why others are not; how many were drawn."""
        rng = np.random.default_rng([self.seed, 53, seat, first])
        failure = _Failure(-1, -1, "", set())
        kept: list[I64] = []
        found = drawn = 0
        while found < deals and drawn < (MOST * max(deals, BATCH) if found else FRUITLESS * BATCH):
            decks = self.draw(seat, first, rng)
            good, failed = self.replay(self.begin(decks), seat)
            failure = failed if failed and failed.calls > failure.calls else failure
            used = good[: deals - found]
            kept.append(decks[used])
            found += len(used)
            # of the last batch those count that had to be looked at
            drawn += int(used[-1]) + 1 if found == deals else BATCH
            if not found and (failure.calls == len(self.calls) or failure.seat == seat):
                break  # another seat's turn, or an own call: other cards of the others change nothing
        failure.drawn = drawn
        return np.concatenate(kept), failure, drawn

    def plan(self) -> DealPlan:
        return make_batch(self.game, rules=self.rules).deal_plan(self.dealer)

    def draw(self, seat: int, first: int, rng: np.random.Generator) -> I64:
        """Decks with the hand at the seat, its talon from place `first` of what nobody is dealt. int64 [BATCH, D]."""
        plan = self.plan()
        decks = np.full((BATCH, len(plan.cards)), -1)
        decks[:, plan.owner == seat] = self.own
        decks[:, (plan.owner == NOBODY).nonzero()[0][first : first + len(self.taken)]] = self.taken
        unseen = plan.cards[~np.isin(plan.cards, [*self.own, *self.taken])]
        decks[:, decks[0] < 0] = rng.permuted(np.tile(unseen, (BATCH, 1)), axis=1)
        return decks

    def begin(self, decks: I64) -> BatchedGame[Any]:
        """The deals before the auction."""
        games = make_batch(self.game, rules=self.rules, num_games=len(decks), seed=self.seed)
        games.reset(options={**self.options, "dealer": self.dealer, "deal": decks})
        return games

    def replay(self, games: BatchedGame[Any], seat: int) -> tuple[I64, _Failure | None]:
        """Make the calls in all games, as far as they are legal.

        Questions that are asked in private and that the auction does not answer were answered in silence, since
        nobody has noticed anything.

        Returns: the games that wait for the seat's decision in the auction, int64, and why others do not.
        """
        spec, n = games.spec, games.num_games
        made, running, waits = np.zeros(n, np.int64), np.ones(n, np.bool_), np.zeros(n, np.bool_)
        silent = np.zeros(spec.num_actions, np.bool_)
        silent[list(spec.silent)] = True
        failure: _Failure | None = None
        while running.any():
            mask, player, phase = games.legal_actions(), games.current_player, games.phase.copy()
            actions = np.full(n, NO_ACTION, np.int64)
            for number, meant in enumerate(self.calls):
                rows = (running & (made == number)).nonzero()[0]
                legal = mask[np.ix_(rows, meant)]
                actions[rows] = np.where(legal.any(axis=1), np.array(meant)[legal.argmax(axis=1)], NO_ACTION)
            called = actions != NO_ACTION
            more = made < len(self.calls)
            private = running & ~called & (mask & silent).any(axis=1) & ((player != seat) | more)
            actions[private] = (mask & silent)[private].argmax(axis=1)
            stopped = running & ~called & ~private
            waits |= stopped & ~more & (player == seat) & spec.bids_in[phase]
            lost = stopped & ~waits
            if lost.any():
                most = made[lost].max()
                first = int((lost & (made == most)).argmax())
                alike = lost & (made == most) & (player == player[first])
                if failure is None or most > failure.calls:
                    legal = set(np.flatnonzero(mask[alike].any(axis=0)).tolist())
                    failure = _Failure(int(most), int(player[first]), spec.phases[int(phase[first])], legal)
            running &= ~stopped
            made += called & running
            games.step(np.where(running, actions, NO_ACTION), validate=False)
        good = waits.nonzero()[0]
        if len(good):
            self.check_hand(games.select(good), seat)
        return good, failure

    def check_hand(self, games: BatchedGame[Any], seat: int) -> None:
        """Refuse if the seat sees cards that were not given, or does not have those that were."""
        spec = games.spec
        obs = games.observe()
        held = spec.layout.view(obs, "hand").reshape(len(obs), -1)[:, : spec.deck.size].astype(np.bool_)
        given = np.zeros(spec.deck.size, np.bool_)
        given[[*self.own, *self.taken]] = True
        if (held.sum(axis=1) > given.sum()).any():
            count = int((held.sum(axis=1) - given.sum()).max())
            raise DealError(f"{spec.id}: seat {seat} has taken up {count} cards at this point; give them as talon")
        if (held != given).any():
            raise DealError(f"{spec.id}: seat {seat} has taken up no cards at this point; talon must be left out")
        differs = (obs != obs[0]).any(axis=0)
        if differs.any():
            names = [one.name for one in spec.layout.segments.values() if differs[one.columns].any()]
            raise BidtrickError(
                f"{spec.id}: seat {seat} knows more than its hand and the auction: {', '.join(names)} differ between "
                "deals, so that they are not all consistent"
            )
