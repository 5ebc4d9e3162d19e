"""Thousand as search sees it: what each action is worth in a sampled deal (`base.SearchGame`).

Values are points of the deal for the seat to act: its own gain less the mean gain of the others. Exact is the card play
with open cards: whether the declarer makes his contract against both defenders, and what a defender can take himself.
Approximated, and no more than that:

- both sides see all cards of a sampled deal, as everywhere in this kind of search;
- a defender's own points are what he takes if the others are all against him;
- the declarer gives away the cards that the heuristic agent would give; when he is asked for one, the best few by that
  count are tried, each followed by the heuristic's next;
- a bid is worth the contract at that price with the talon of each deal; a pass is worth the deal as defender against
  whoever holds the bid, at that price; that others may raise once more is not looked at;
- bolts, barrels, locks, trucks and the target are not looked at.

Where the nodes run out a value is the middle of its bounds.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ....envs.core import bits
from ....envs.core.bits import I64, U8, U64
from ....envs.core.game import BatchedGame
from ....envs.core.spec import GameSpec
from ....envs.thousand.rules import ThousandRules
from ....envs.thousand.tables import ALL_CARDS, CARDS, action_space, card_points, strength
from ...heuristic.thousand_hand import AFTER_GIVING, HandEstimate, holdings
from ...heuristic.thousand_passing import best_giving, give_costs
from ..base import Floats
from ..belief import Bools, Case, Weight
from . import position
from .knowledge import Knowledge
from .replay import Replays
from .seen import NO_SUIT, Seen
from .solver import Objective, Solver, Values, total_of

#: How near the bounds of a total must come. Whether what is needed is reached is always exact (it is the first
#: question). The rest counts half, but coarser totals cost a lot: with 64 in place of 8, and 16 where every bid is
#: looked at, `cheat` won half as much.
WITHIN = 8
#: Cards to give away that are tried.
GIFTS = 5


def middle(values: Values) -> Floats:
    """The middle of bounds."""
    return (values.low + values.high) / 2


class Search:
    """Thousand for agents that search (`SearchGame`)."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec, self.rules = spec, cast(ThousandRules, spec.rules)
        self.space = action_space(self.rules)
        self._knowledge, self._solver = Knowledge(spec), Solver(self.rules)
        self._estimate = HandEstimate(self.rules)
        self._replays: Replays | None = None

    @property
    def visited(self) -> int:
        """Positions that the solver has looked at."""
        return self._solver.visited

    def cases(self, obs: U8) -> list[Case]:
        """Where the unseen cards may be (`knowledge.Knowledge.cases`)."""
        return self._knowledge.cases(obs)

    def evidence(self, obs: U8) -> Weight | None:
        """The ways to deal and pass that each deal stands for (`knowledge.Knowledge.gifts`)."""
        return self._knowledge.gifts(obs)

    def games(self, obs: U8, worlds: U64) -> BatchedGame[Any]:
        """Games in which all that the seat has seen has happened (`base.SearchGame.games`)."""
        if self._replays is None:
            self._replays = Replays(self.rules, self._knowledge)
        return self._replays.games(obs, worlds)

    def open_world(self, hidden: U8) -> U64:
        """The deal as it is, from `observation.hidden_planes`. uint8 [(P + 3) · 24] → uint64 [3]."""
        planes = hidden.reshape(-1, CARDS).astype(np.uint64) @ bits.BIT[:CARDS]
        others = self.rules.players - 1
        hands = planes[:others]
        if self.rules.players == 4:  # the sitting dealer holds nothing
            hands = np.append(hands[hands > 0], np.zeros(2, np.uint64))[:2]
        talons = planes[others : others + (1 if others > 1 else 2)]
        return np.concatenate([hands, talons])

    def values(self, obs: U8, mask: Bools, worlds: U64, nodes: int) -> Floats:
        """What each legal action is worth in each deal (`SearchGame.values`). float64 [n, A], nan where illegal."""
        seen = self._knowledge.seen(obs)
        values = np.full((len(worlds), len(mask)), np.nan)
        values[:, mask] = 0
        if len(worlds) and mask.sum() > 1:
            if seen.phase == "play":
                self._play(seen, worlds, nodes, values)
            elif seen.phase == "give":
                self._give(seen, worlds, nodes, mask, values)
            elif seen.phase == "contract":
                self._contract(seen, worlds, nodes, mask, values)
            elif seen.phase == "auction":
                self._auction(seen, worlds, nodes, mask, values)
            elif seen.phase.endswith("redeal"):
                self._redeal(seen, worlds, nodes, values)
            elif seen.phase == "dark":
                values[:, self.space.dark] = -1
        values[:, ~mask] = np.nan
        return values

    # The card play.

    def _play(self, seen: Seen, worlds: U64, nodes: int, values: Floats) -> None:
        rows = self.positions(seen, worlds)
        active = seen.active
        declarer = active.index(seen.declarer)
        needs = seen.contract - seen.points[seen.declarer] - seen.marriages[seen.declarer]
        stake = self._stake(seen, seen.contract)
        choices = int((~np.isnan(values[0])).sum())
        legal = ~np.isnan(values[0, : self._solver.actions])
        if declarer == 0:
            budget = max(nodes // (len(worlds) * choices), 1)
            found = self._solver.action_values(rows, total_of(0), needs, WITHIN, budget, legal)
            worth = np.where(middle(found) >= needs, stake, -stake) + middle(found) / 2
        else:
            budget = max(nodes // (2 * len(worlds) * choices), 1)
            made = self._solver.actions_at_least(rows, total_of(declarer), needs, budget, legal)
            weights = [2, 0, 0]
            for place in range(1, len(active)):
                weights[place] = 0 if place == declarer else -1
            goal = Objective((2, weights[1], weights[2]), (0,))
            own = self._solver.action_values(rows, goal, 20, 2 * WITHIN, budget, legal)
            worth = np.where(made == 1, -stake, np.where(made == 0, stake, 0)) / 2 + middle(own) / 2
        values[:, : self._solver.actions][:, legal] = worth[:, legal]

    def _stake(self, seen: Seen, contract: int) -> int:
        """What a contract counts in this deal (T-GOLD-04, T-DARK-05)."""
        return contract * (2 if seen.golden or seen.dark else 1)

    def positions(self, seen: Seen, worlds: U64) -> I64:
        """Positions of the card play: the own seat is place 0. uint64 [n, places] → int64 [n, position.WIDTH]."""
        plays = seen.plays()
        active, count = seen.active, self.rules.active
        hands = np.empty((len(worlds), count), np.uint64)
        hands[:, 0] = seen.hand
        hands[:, 1:] = worlds[:, : count - 1]
        rows = position.at_the_start(hands, active.index(seen.leader), card_points(self._rest(seen, worlds)))
        rows[:, position.TRUMP] = seen.trump
        rows[:, position.OWNER] = active.index(seen.owner) if seen.owner >= 0 else -1
        rows[:, position.HAS] = sum(1 << k for k, seat in enumerate(active) if seen.tricks[seat])
        suit, owner = seen.next_trump
        rows[:, position.NEXT_TRUMP] = suit
        rows[:, position.NEXT_OWNER] = active.index(owner) if suit != NO_SUIT else -1
        if seen.order:
            table = [play.card for play in plays[-seen.order :]]
            strengths = [strength(seen.trump, seen.led, card) for card in table]
            rows[:, position.ORDER], rows[:, position.LED] = seen.order, seen.led
            rows[:, position.BEST], rows[:, position.PTS] = max(strengths), seen.trick_points
            rows[:, position.WINNER] = strengths.index(max(strengths))
            for k, card in enumerate(table):
                rows[:, position.CARD + k] = card
        return rows

    def _rest(self, seen: Seen, worlds: U64) -> U64:
        """The cards that the last trick brings besides, with two players and the talon taken: all that are left."""
        if self.rules.players > 2:
            return np.zeros(len(worlds), np.uint64)
        known = np.uint64(seen.hand | seen.played[0] | seen.played[1])
        return ALL_CARDS & ~(worlds[:, 0] | known)

    # Before it.

    def _totals(self, hands: U64, declarer: int, bank: U64, guess: int, nodes: int) -> Floats:
        """The declarer's total of each deal, given all hands after the passing. uint64 [n, active], [n] → [n]."""
        rows = position.at_the_start(hands, declarer, card_points(bank))
        budget = max(nodes // max(len(rows), 1), 1)
        return middle(self._solver.values(rows, total_of(declarer), guess, WITHIN, budget))

    def _given_away(self, hands: U64, declarer: int, given: int, bank: U64) -> tuple[U64, U64]:
        """The hands and the bank after the heuristic's gifts, from the given number on. uint64 [n, active], [n]."""
        hands, bank, rows = hands.copy(), bank.copy(), np.arange(len(hands))
        for number in range(given, self.rules.gives):
            planes = bits.unpack(hands[:, declarer, None], CARDS)
            cards, _ = best_giving(planes, self.rules.gives - number, self._estimate)
            gift = np.uint64(1) << cards.astype(np.uint64)
            hands[:, declarer] &= ~gift
            if number + 1 < self.rules.active:
                hands[rows, (declarer + 1 + number) % self.rules.active] |= gift
            else:
                bank |= gift
        return hands, bank

    def _score(self, totals: Floats, contract: int, seen: Seen) -> Floats:
        """What a declarer's total is worth to him: the contract, and what it leaves the others."""
        stake = self._stake(seen, contract)
        return np.where(totals >= contract, stake, -stake) - np.maximum(120 - totals, 0) / (self.rules.active - 1)

    def _to_defender(self, totals: Floats, contract: int, seen: Seen) -> Floats:
        """The same to a defender: his share of the points less the others' mean."""
        stake, others = self._stake(seen, contract), self.rules.active - 1
        share = np.maximum(120 - totals, 0) / others
        return share - (np.where(totals >= contract, stake, -stake) + share * (others - 1)) / others

    def _written_off(self, seen: Seen) -> float:
        """What a write-off is worth (T-WO): its cost and what each opponent gets."""
        rules = self.rules
        cost = 0 if rules.write_off_cost == "none" else seen.bid
        share = seen.bid // 2 // 5 * 5 if rules.write_off_opponents == "half_floor5" else 60
        return -float(cost + share) * (2 if seen.golden or seen.dark else 1)

    def _own_hands(self, seen: Seen, worlds: U64) -> U64:
        hands = np.empty((len(worlds), self.rules.active), np.uint64)
        hands[:, 0] = seen.hand
        hands[:, 1:] = worlds[:, : self.rules.active - 1]
        return hands

    def _give(self, seen: Seen, worlds: U64, nodes: int, mask: Bools, values: Floats) -> None:
        space, left = self.space, self.rules.gives - seen.given
        plane = np.array([seen.hand >> card & 1 for card in range(CARDS)], np.uint8)
        cards = np.flatnonzero(plane)
        after = np.repeat(plane[None], len(cards), axis=0)
        after[np.arange(len(cards)), cards] = 0
        # the rest of the hand as the heuristic counts it, after the best of what is still to be given
        worth = give_costs(plane[None], self._estimate)[0, cards]
        if left > 1:
            worth = worth + best_giving(after, left - 1, self._estimate)[1]
        else:
            worth = worth + self._estimate.points(holdings(after), AFTER_GIVING)
        tried = cards[np.argsort(-worth, kind="stable")[:GIFTS]]
        target = seen.contract or seen.bid
        hands, bank = self._own_hands(seen, worlds), self._rest(seen, worlds)
        for card in tried.tolist():
            gift = np.uint64(1 << card)
            now, rest = hands.copy(), bank.copy()
            now[:, 0] &= ~gift
            if seen.given + 1 < self.rules.active:
                now[:, seen.given + 1] |= gift
            else:
                rest |= gift
            now, rest = self._given_away(now, 0, seen.given + 1, rest)
            totals = self._totals(now, 0, rest, target, nodes // len(tried))
            values[:, space.give + card] = self._score(totals, target, seen)
        others = [card for card in cards.tolist() if card not in tried]
        low = values[:, space.give + tried].min(axis=1) - 1
        for card in others:
            values[:, space.give + card] = low
        if mask[space.write_off]:
            values[:, space.write_off] = self._written_off(seen)

    def _contract(self, seen: Seen, worlds: U64, nodes: int, mask: Bools, values: Floats) -> None:
        hands, bank = self._own_hands(seen, worlds), self._rest(seen, worlds)
        if self.rules.contract_declare == "before_pass":
            hands, bank = self._given_away(hands, 0, 0, bank)
        totals = self._all_totals(hands, bank, nodes)
        for contract, action in self._amounts(mask):
            values[:, action] = self._score(totals, contract, seen)
        if mask[self.space.write_off]:
            values[:, self.space.write_off] = self._written_off(seen)

    def _all_totals(self, hands: U64, bank: U64, nodes: int) -> Floats:
        """Totals to the point, since every amount may be named."""
        rows = position.at_the_start(hands, 0, card_points(bank))
        return middle(self._solver.values(rows, total_of(0), 120, 0, max(nodes // len(rows), 1)))

    def _amounts(self, mask: Bools) -> list[tuple[int, int]]:
        space = self.space
        named = np.flatnonzero(mask[space.amount : space.amount + space.amounts])
        return [(100 + space.step * int(k), space.amount + int(k)) for k in named]

    def _with_talon(self, seen: Seen, worlds: U64, declarer: int) -> tuple[U64, U64]:
        """Hands and bank of each deal in which this place buys the (first) talon and gives away."""
        hands = self._own_hands(seen, worlds)
        bank = np.zeros(len(worlds), np.uint64)
        talon = worlds[:, 1] if self.rules.players == 2 else worlds[:, 2]
        hands[:, declarer] |= talon
        if self.rules.players == 2:
            bank |= worlds[:, 2]
        return self._given_away(hands, declarer, 0, bank)

    def _auction(self, seen: Seen, worlds: U64, nodes: int, mask: Bools, values: Floats) -> None:
        hands, bank = self._with_talon(seen, worlds, 0)
        totals = self._all_totals(hands, bank, nodes // 2)
        for bid, action in self._amounts(mask):
            values[:, action] = self._score(totals, bid, seen)
        if mask[self.space.pass_]:
            values[:, self.space.pass_] = self._as_defender(seen, worlds, nodes // 2)

    def _as_defender(self, seen: Seen, worlds: U64, nodes: int) -> Floats:
        """What the deal is worth if the holder of the highest bid plays it at that price."""
        holder = max(range(len(seen.active)), key=lambda place: (place > 0) * (1 + seen.bids[seen.active[place]]))
        hands, bank = self._with_talon(seen, worlds, holder)
        price = max(seen.bid, 100)
        return self._to_defender(self._totals(hands, holder, bank, price, nodes), price, seen)

    def _redeal(self, seen: Seen, worlds: U64, nodes: int, values: Floats) -> None:
        """New cards are worth nothing on average; the deal as it is what it brings at the present price, or at 100."""
        price = seen.contract or seen.bid or 100
        if seen.phase == "hand redeal":
            hands, bank = self._with_talon(seen, worlds, 0)
            mine = self._score(self._totals(hands, 0, bank, 100, nodes // 2), 100, seen)
            keep = np.maximum(mine.mean(), self._as_defender(seen, worlds, nodes // 2).mean())
        elif seen.phase == "talon redeal":
            hands, bank = self._given_away(self._own_hands(seen, worlds), 0, 0, self._rest(seen, worlds))
            keep = self._score(self._totals(hands, 0, bank, price, nodes), price, seen)
            keep = np.maximum(keep.mean(), self._written_off(seen))
        else:
            declarer = seen.active.index(seen.declarer)
            hands = self._own_hands(seen, worlds)
            keep = self._to_defender(self._totals(hands, declarer, self._rest(seen, worlds), price, nodes), price, seen)
        values[:, self.space.keep] = keep

