"""Pitch as search sees it: the deals a seat thinks possible, and what its actions are worth in each of them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ....envs.core.bits import BIT, I64, U8, U64, indices_of
from ....envs.core.game import BatchedGame
from ....envs.core.spec import GameSpec
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.state import CREDIT
from ....envs.pitch.tables import BURN, CARD, CARDS, KITTY, MAX_TRUMPS, NO_CARD, PLAY
from ..base import Floats
from ..belief import Bools, Case, Weight
from .auction import Auctions
from .evidence import trumps_had, trumps_held, weight_of
from .knowledge import GAINED, SEAT_PLACES, Facts, Knowledge
from .payoff import Points, payoff, shown_scores
from .positions import Positions, duties, positions_of
from .replay import Replays
from .solver import PitchSolver


class Search:
    """`SearchGame` of Pitch. spec: the game, with its rules and layout.

    - *Card play*: every legal card by the solver, exactly.
    - *Burns*: every card that may be burned; what else must be burned, by oneself and others, is the lowest of the
      cheapest trumps. Then the solver.
    - *Leftovers*: kept or passed on, then burns as above, then the solver. One by one (in an order that the deal
      seeds): to look is to go on looking until six trumps or the end.
    - *Everything before* (misdeal, bids, trump, call, trumps thrown away): the rest of the auction, and all that is
      decided before the first card, by the heuristic agent, in the engine; then the solver. The stock lies in an order
      that the deal and its row seed. A void hand is worth nothing.

    Values are points of the hand (`payoff`), also in matches: they do not weigh how near the end is, but for moons.
    """

    #: An open deal says which cards are in the stock, not in which order: so many are looked at before the fill.
    open_orders = 16

    def __init__(self, spec: GameSpec) -> None:
        self.rules, self.visited = cast(PitchRules, spec.rules), 0
        self._knowledge = Knowledge(spec)
        self._solver = PitchSolver(self.rules)
        self._auctions = Auctions(spec, self._knowledge)
        self._points = Points(self.rules)
        self._layout = spec.layout
        self._replays: Replays | None = None

    def cases(self, obs: U8) -> list[Case]:
        """Where the unseen cards may be. uint8 [D] → cases over the places of `knowledge`."""
        return self._knowledge.cases(obs)

    def evidence(self, obs: U8) -> Weight | None:
        """What the cases leave open, as a weight of deals; None where they say it all."""
        return weight_of(self._knowledge, obs)

    def games(self, obs: U8, worlds: U64) -> BatchedGame[Any]:
        """Games in which all that the seat has seen has happened (`base.SearchGame.games`)."""
        if self._replays is None:
            self._replays = Replays(self.rules, self._knowledge)
        return self._replays.games(obs, worlds)

    def open_world(self, hidden: U8) -> U64:
        """The deal as it is, from `state_planes`: what is held and was burned. uint8 [hidden_size] → uint64 [L].

        All of it counts as got, not dealt: so a called card that the bidder holds came from the blind, as it did
        without `call_own`. Which of the cards that were burned unseen is guessed as in any deal.
        """
        k = self._knowledge
        others = k.seats - 1
        planes = hidden[: CARDS * (2 * others + 1)].reshape(-1, CARDS).astype(np.uint64) @ BIT[:CARDS]
        world = np.zeros(k.places, np.uint64)
        world[GAINED : k.stock : SEAT_PLACES] = planes[:others] | planes[others : 2 * others]
        world[k.stock] = planes[-1]
        return world

    def values(self, obs: U8, mask: Bools, worlds: U64, nodes: int) -> Floats:
        """What each legal action is worth in each deal, in points of the hand. See the class.

        Args:
            obs: uint8 [D]. mask: bool [A]. worlds: uint64 [n, L].
            nodes: positions that the solver may visit, for all deals and actions together. Where they run out the
                middle of the bounds that it has reached stands for the value.

        Returns: float64 [n, A], nan where the mask is False.
        """
        f = self._knowledge.facts(obs)
        actions = np.flatnonzero(mask)
        if f.phase == PLAY:
            worth = self._play(obs, f, actions, worlds, nodes)
        elif f.phase in (KITTY, BURN):
            worth = self._before_play(obs, f, actions, worlds, nodes)
        else:
            worth = self._auction(obs, actions, worlds, nodes)
        values: Floats = np.full((len(worlds), len(mask)), np.nan)
        values[:, actions] = worth
        return values

    def _auction(self, obs: U8, actions: I64, worlds: U64, nodes: int) -> Floats:
        """Actions before the fill. float64 [n, A]."""
        scores = shown_scores(obs, self._layout, self.rules)
        games, rows = self._auctions.play_out(obs, actions, worlds, scores)
        worth = np.zeros(len(worlds) * len(actions))
        if len(rows):
            s = games.select(rows).state
            bidder, partner = s.bidder.astype(np.int64), s.partner.astype(np.int64)
            credit: I64 = s.sheet[:, CREDIT, : self.rules.players].astype(np.int64)
            worth[rows] = self._worth(
                positions_of(s, self.rules), s.bid.astype(np.int64), bidder, partner, credit, scores, nodes
            )
        return worth.reshape(len(worlds), len(actions))

    def _worth(
        self, positions: Positions, bid: I64, bidder: I64, partner: I64, credit: I64, scores: I64, nodes: int
    ) -> Floats:
        """Whole hands: what they are worth to seat 0. credit: int64 [n, P] points that seats have without a trick."""
        side = _side(bidder, partner)
        # bids that come to the same trump and hands are solved once
        first, same = positions.distinct(side)
        bounds = self._solver.value(positions.take(first), side[first], max(nodes, 1))
        self.visited += bounds.nodes
        total = self._points.in_positions(positions)
        return self._paid(scores, bid, bidder, partner, credit, side, ((bounds.low + bounds.high) // 2)[same], total)

    def _paid(
        self, scores: I64, bid: I64, bidder: I64, partner: I64, won: I64, side: I64, more: I64, total: I64
    ) -> Floats:
        """Payoffs to seat 0. won: int64 [n, P] points so far; more: of the bidding side to come; total: to come."""
        ours = side[:, None] >> np.arange(self.rules.players) & 1
        before = (won * ours).sum(axis=1)
        others = (won * (1 - ours)).sum(axis=1)
        return payoff(self.rules, scores, bid, bidder, partner, before + more, others + total - more)

    def _partners(self, f: Facts, worlds: U64) -> tuple[I64, Bools]:
        """The bidder's partner in each deal, -1 for none, and whether the called card came from the blind."""
        n = len(worlds)
        if not self.rules.five:
            return np.full(n, (f.bidder + 2) % 4), np.zeros(n, np.bool_)
        card = CARD[f.called]
        had = trumps_had(self._knowledge, f, worlds) | f.played | f.burned
        holder = ((had & card) != 0).argmax(axis=1)
        if f.bidder:
            at = SEAT_PLACES * (f.bidder - 1) + GAINED
            got = worlds[:, at] | worlds[:, at + 1]
        else:
            got = np.full(n, np.uint64(f.got))
        return np.where(holder == f.bidder, -1, holder), (got & card) != 0

    def _credit(self, f: Facts) -> I64:
        """Points of each seat without a trick that it took: of burned cards (BD-4). int64 [P]."""
        return self._points.credited(f.burned, f.trump)

    def _play(self, obs: U8, f: Facts, actions: I64, worlds: U64, nodes: int) -> Floats:
        """Cards in the play. float64 [n, A]."""
        k, n = self._knowledge, len(worlds)
        held = trumps_held(k, f, worlds)
        winner, leader = k.one(obs, "winning"), k.one(obs, "leader")
        table = k.segment(obs, "table")
        leading = not table.any()
        partner, blind = self._partners(f, worlds)
        trump = np.full(n, f.trump)
        leaders, first_trick = np.full(n, leader), np.full(n, int(k.segment(obs, "trick_number")[0]) == 0)
        called = np.full(n, f.called)
        first = duties(self.rules, held, trump, leaders, np.full(n, leading), first_trick, called, blind)
        first[:, 0] = np.bitwise_or.reduce(BIT[actions])  # what is legal is known, whatever the deal
        positions = Positions(
            hands=held,
            trump=trump,
            seat=np.zeros(n, np.int64),
            leader=leaders,
            best=np.full(n, NO_CARD if leading else int(table[winner - 1].argmax())),
            best_seat=np.full(n, -1 if leading else winner),
            pot=np.full(n, int(k.segment(obs, "trick_points")[0])),
            first=first,
        )
        bidder = np.full(n, f.bidder)
        side = _side(bidder, partner)
        bounds = self._solver.cards(positions, side, max(nodes, 1))
        self.visited += bounds.nodes
        more = ((bounds.low + bounds.high) // 2)[:, actions]
        won = k.segment(obs, "points").astype(np.int64) + self._credit(f)
        rows = np.repeat(np.arange(n), len(actions))
        paid = self._paid(
            shown_scores(obs, self._layout, self.rules), np.full(len(rows), int(k.segment(obs, "bid")[0])),
            bidder[rows], partner[rows], np.broadcast_to(won, (len(rows), len(won))), side[rows], more.ravel(),
            self._points.in_positions(positions)[rows],
        )  # fmt: skip
        return paid.reshape(n, len(actions))

    def _before_play(self, obs: U8, f: Facts, actions: I64, worlds: U64, nodes: int) -> Floats:
        """Leftovers and burns. float64 [n, A]."""
        k, n, m = self._knowledge, len(worlds), len(actions)
        held = np.repeat(trumps_held(k, f, worlds), m, axis=0)
        chosen = np.tile(actions, n)
        burned = np.tile(f.burned, (n * m, 1))
        rows = np.repeat(np.arange(n), m)
        if f.phase == BURN:
            held[:, 0] &= ~CARD[chosen]
            burned[:, 0] |= CARD[chosen]
        else:
            self._leftovers(f, held, chosen, worlds[rows, k.stock] & k.tables.trumps[f.trump])
        self._burn(f, held, burned)
        partner, blind = self._partners(f, worlds)
        partner, blind = partner[rows], blind[rows]
        bidder, trump = np.full(len(rows), f.bidder), np.full(len(rows), f.trump)
        order = (f.bidder + np.arange(k.seats)) % k.seats
        leader = order[(held[:, order] != 0).argmax(axis=1)]
        first_trick = np.ones(len(rows), np.bool_)
        called = np.full(len(rows), f.called)
        positions = Positions(
            hands=held,
            trump=trump,
            seat=leader,
            leader=leader,
            best=np.full(len(rows), NO_CARD),
            best_seat=np.full(len(rows), -1),
            pot=np.zeros(len(rows), np.int64),
            first=duties(self.rules, held, trump, leader, first_trick, first_trick, called, blind),
        )
        bid = np.full(len(rows), int(k.segment(obs, "bid")[0]))
        credit = self._points.credited(burned, f.trump)
        worth = self._worth(
            positions, bid, bidder, partner, credit, shown_scores(obs, self._layout, self.rules), nodes
        )
        if self.rules.burn_policy == "misdeal_if_point":  # BD-18: the hand is void
            worth[(burned & k.tables.points[f.trump] != 0).any(axis=1)] = 0
        return worth.reshape(n, m)

    def _leftovers(self, f: Facts, held: U64, chosen: I64, stock: U64) -> None:
        """Give leftovers by an action: their trumps `stock`, uint64 [W]. (Seat 0 is the bidder.)"""
        a = self._knowledge.tables.actions
        keep, give = chosen == a.keep, (chosen == a.give) | (chosen == a.stop)
        held[keep, 0] |= stock[keep]
        held[give, 2] |= stock[give]
        for row in np.flatnonzero(chosen == a.look):
            cards = indices_of(int(stock[row]))
            np.random.default_rng(int(stock[row])).shuffle(cards)
            room = max(MAX_TRUMPS - int(held[row, 0]).bit_count(), 0)
            held[row, 0] |= np.bitwise_or.reduce(BIT[cards[:room]], initial=0)
            held[row, 2] |= np.bitwise_or.reduce(BIT[cards[room:]], initial=0)

    def _burn(self, f: Facts, held: U64, burned: U64) -> None:
        """Everybody burns down to six: the lowest of the cheapest (P-BURN-01), never the called card (BD-20)."""
        for card in self._knowledge.by_cost(f.trump):
            if card == f.called:
                continue
            over = (held & BIT[card] != 0) & (np.bitwise_count(held) > MAX_TRUMPS)
            held[over] ^= BIT[card]
            burned[over] |= BIT[card]


def _side(bidder: I64, partner: I64) -> I64:
    """Masks of the seats of the bidding side. int64 [n]."""
    return (1 << bidder) | np.where(partner >= 0, 1 << np.maximum(partner, 0), 0)
