"""Pitch games that look to a seat like the one it plays, with other cards where it does not see them.

The deck of a world: what each seat was dealt, then the stock: what the seats drew, in the order of the fill, and the
leftovers. Which of the cards that a seat got later it drew, and which came with the leftovers, a world leaves open; so
it does which trumps were burned unseen (the cheapest, as in `evidence.trumps_held`).
"""

from __future__ import annotations

import numpy as np

from ....envs.core.bits import BIT, I64, U8, U64, indices_of, lowest_bit
from ....envs.core.errors import BidtrickError
from ....envs.pitch.game import Pitch
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.state import BURNED, HELD, KITTY_TO, PLAYED, THROWN
from ....envs.pitch.tables import BID, BURN, CALL, CARD, CARDS, DISCARD, KITTY, MISDEAL, NO_TRUMP, PLAY, TRUMP
from ..replay import replay
from .evidence import trumps_had
from .knowledge import DEALT, DEALT_REST, GAINED, GAINED_REST, SEAT_PLACES, Facts, Knowledge
from .payoff import shown_scores


class Replays:
    """Rebuilds games of one set of rules.

    Raises: BidtrickError for `discarded_trump="to_kitty"`, where nobody knows who threw what.
    """

    def __init__(self, rules: PitchRules, knowledge: Knowledge) -> None:
        if rules.discarded_trump == "to_kitty":
            raise BidtrickError(
                "pitch: discarded_trump='to_kitty' cannot be replayed for search; allowed: 'forbidden' | 'dead' (BD-12)"
            )
        self.rules, self._knowledge = rules, knowledge

    def games(self, obs: U8, worlds: U64) -> Pitch:
        """`base.SearchGame.games`."""
        k = self._knowledge
        facts = k.facts(obs)
        past = _Past(k, obs, facts, _thrown(k, facts, worlds))
        games = Pitch(self.rules, num_games=len(worlds))
        games.reset(
            options={
                "deal": _Decks(k, obs, facts, worlds).decks(),
                "dealer": k.one(obs, "dealer"),
                "scores": shown_scores(obs, k.layout, self.rules),
                "hand_number": min(int(k.segment(obs, "hand_number")[0]), self.rules.max_hands - 1),
            }
        )
        return replay(games, past.following)


def _thrown(k: Knowledge, f: Facts, worlds: U64) -> U64:
    """The trumps that each seat threw away: those of its cards that are not among the trumps it kept. uint64 [n, P]."""
    thrown: U64 = np.zeros((len(worlds), k.seats), np.uint64)
    thrown[:, 0] = np.uint64(f.thrown)
    if f.trump != NO_TRUMP and k.rules.discarded_trump != "forbidden":
        thrown[:, 1:] = worlds[:, DEALT_REST : k.stock : SEAT_PLACES] & k.tables.trumps[f.trump]
    return thrown


class _Decks:
    """The decks of worlds."""

    def __init__(self, knowledge: Knowledge, obs: U8, facts: Facts, worlds: U64) -> None:
        self._k, self._f, self._worlds = knowledge, facts, worlds
        f = facts
        #: What the observer drew from the stock.
        self._drawn = 0
        if not knowledge.rules.five:
            self._drawn = int(knowledge.segment(obs, "drawn").astype(np.uint64) @ BIT[:CARDS])
        self._dealer = knowledge.one(obs, "dealer")
        self._thrown = _thrown(knowledge, facts, worlds)
        self._swapping = f.kitty_size > 0 and knowledge.swaps(f, f.bidder)
        self._had = trumps_had(knowledge, f, worlds) if self._swapping else None

    def decks(self) -> I64:
        """Hands by seat, own first, then the stock. int64 [n, D]."""
        return np.array([self._deck(number) for number in range(len(self._worlds))], np.int64)

    def _deck(self, number: int) -> list[int]:
        k, f = self._k, self._f
        world = [int(word) for word in self._worlds[number]]
        rng = np.random.default_rng(world)
        size = k.tables.hand_size
        dealt, drawn, received = [f.own & ~self._drawn], [self._shuffled(self._drawn, rng)], [f.got]
        for seat in range(1, k.seats):
            at = SEAT_PLACES * (seat - 1)
            hand, later = world[at + DEALT] | world[at + DEALT_REST], world[at + GAINED] | world[at + GAINED_REST]
            if hand.bit_count() > size:  # one pool: nothing tells its parts apart
                first = int(self._thrown[number, seat])
                cards = indices_of(first) + self._shuffled(hand & ~first, rng)
                hand, later = _word(cards[:size]), later | _word(cards[size:])
            cards = self._shuffled(later, rng)
            if k.rules.kitty_mode == "one_by_one" and seat == f.bidder:
                self._trump_last(cards)
            dealt.append(hand)
            drawn.append(cards[: int(f.drew[seat])])
            received.append(_word(cards[int(f.drew[seat]) :]))
        stock = [card for seat in self._fill_order() for card in drawn[seat]]
        seats = [f.bidder, (f.bidder + 2) % 4] if not k.rules.five else [f.bidder]
        if f.bidder >= 0:
            if self._had is not None:
                stock += self._swapped(number, f.got | world[k.stock], rng)
            else:
                for seat in seats:
                    order = self._shuffled(received[seat], rng)
                    if k.rules.kitty_mode == "one_by_one" and seat == f.bidder:
                        self._trump_last(order)
                    stock += order
        deck = [card for hand in dealt for card in indices_of(hand)] + stock
        rest = int(np.bitwise_or.reduce(BIT[k.tables.deck])) & ~_word(deck)
        return deck + self._shuffled(rest, rng)

    def _fill_order(self) -> list[int]:
        seats = self._k.seats
        first = 1 + (self._f.bidder if self._k.rules.fill_order == "bidder_left" else self._dealer)
        return [(first + number) % seats for number in range(seats)]

    def _swapped(self, number: int, leftovers: int, rng: np.random.Generator) -> list[int]:
        """Leftovers in an order in which the rule gives everybody what he got (BD-15)."""
        f = self._f
        assert self._had is not None
        order: list[int] = []
        for seat in (f.bidder, (f.bidder + 2) % 4):
            got = leftovers & (int(self._had[number, seat]) if seat else f.got)
            order += self._shuffled(got, rng)
        return order + self._shuffled(leftovers & ~_word(order), rng)

    def _trump_last(self, cards: list[int]) -> None:
        """BD-14: who looks on until he has six trumps stops at the sixth."""
        trumps = int(self._k.tables.trumps[self._f.trump])
        for place in range(len(cards) - 1, -1, -1):
            if trumps >> cards[place] & 1:
                cards.append(cards.pop(place))
                return

    @staticmethod
    def _shuffled(word: int, rng: np.random.Generator) -> list[int]:
        cards = indices_of(word)
        rng.shuffle(cards)
        return cards


def _word(cards: list[int]) -> int:
    return sum(1 << card for card in cards)


class _Past:
    """What was done up to an observation, game by game."""

    def __init__(self, knowledge: Knowledge, obs: U8, facts: Facts, thrown: U64) -> None:
        k = self._k = knowledge
        self.facts, self._thrown = facts, thrown
        f = facts
        self._a = k.tables.actions
        self._bids = k.segment(obs, "bids").astype(np.int64)
        when = k.segment(obs, "when")
        self._plays = np.append([int(c) for c in np.argsort(when, kind="stable") if when[c]], -1).astype(np.int64)
        self._by_cost = [card for card in k.by_cost(f.trump) if card != f.called] if f.trump != NO_TRUMP else []

    def following(self, games: Pitch) -> I64:
        """The next action of each game, -1 where the past is over. int64 [n]."""
        f, a, s = self.facts, self._a, games.state
        seat, at = np.maximum(s.player, 0).astype(np.int64), games.phase
        action = np.full(len(s), -1, np.int64)

        asked = at == MISDEAL
        action[asked & ((seat != 0) | (f.phase != MISDEAL))] = a.no_misdeal
        bids = self._bids[seat]
        action = np.where((at == BID) & (bids > 0), a.first_bid + bids - 1, action)
        if f.phase > TRUMP:
            action[at == TRUMP] = a.first_suit + f.trump
        if f.phase > CALL:
            action[at == CALL] = f.called
        for rows, decide in (
            ((at == DISCARD).nonzero()[0], self._discard),
            ((at == KITTY).nonzero()[0], self._leftovers),
            ((at == BURN).nonzero()[0], self._burn),
        ):
            if len(rows):
                action[rows] = decide(games, rows, seat[rows])
        playing = (at == PLAY) & (s.player >= 0)
        if playing.any():
            done = np.bitwise_count(s.cards[:, :, PLAYED]).sum(axis=1).astype(np.int64)
            action = np.where(playing, self._plays[np.minimum(done, len(self._plays) - 1)], action)
        return action

    def _discard(self, games: Pitch, rows: I64, seat: I64) -> I64:
        """Trumps thrown away, then "done" (BD-12)."""
        left = self._thrown[rows, seat] & ~games.state.cards[rows, seat, THROWN]
        done = np.where((seat == 0) & (self.facts.phase == DISCARD), -1, self._a.done)
        return np.where(left != 0, lowest_bit(left), done)

    def _cheapest(self, held: U64, rows: I64) -> U64:
        """The cheapest trump of each set, as a bit. uint64 [m]."""
        found = np.zeros(len(held), np.uint64)
        for card in reversed(self._by_cost):
            found = np.where(held & CARD[card] != 0, CARD[card], found)
        return found

    def _leftovers(self, games: Pitch, rows: I64, seat: I64) -> I64:
        """Keep or pass all; look so many times, then stop (P-KIT-02)."""
        f, a = self.facts, self._a
        got = int(f.received[f.bidder])
        if self._k.rules.kitty_mode == "keep_or_pass_all":
            return np.full(len(rows), -1 if f.phase == KITTY else a.keep if got else a.give)
        looked = games.state.sheet[rows, KITTY_TO, f.bidder]
        return np.where(looked < got, a.look, -1 if f.phase == KITTY else a.stop)

    def _burn(self, games: Pitch, rows: I64, seat: I64) -> I64:
        """The burned cards, cheapest first (P-BURN-01)."""
        f, s = self.facts, games.state
        held, burned = s.cards[rows, seat, HELD], s.cards[rows, seat, BURNED]
        shown = f.burned[seat] & ~burned
        hidden = (f.burned[seat] == 0) & (seat != 0) & (not self._k.rules.burn_visible)
        cards = self._cheapest(np.where(hidden, held & ~f.played[seat], held & shown), rows)
        # who burns after the observer has not burned yet
        return np.where(cards != 0, lowest_bit(cards), -1)
