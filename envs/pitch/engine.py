"""Batched Pitch: deals, the order of the stages of a hand, and its end (ids of RULES.md in the comments).

One call advances N games that may be in different phases. Cards are played on whole arrays (`play`); every
other event is done on the games concerned. The stages of a hand follow each other, so each takes the games
that an action brought to it and those that the stage before has just let through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import deals, tricks
from ..core.bits import BIT, I64, U64, row_starts
from . import auction, fill, play
from .outcomes import Scorer, ShownScores
from .rules import PitchRules
from .scoring import own_entry
from .state import (
    DEALT,
    HELD,
    LAST_MATCH,
    LAST_POINTS,
    LAST_TRUMP,
    LOG,
    NUMBER,
    SCORE,
    SEAT_WORDS,
    SHEET_ROWS,
    PitchState,
    new_hand,
    sheet_width,
    stock_width,
)  # fmt: skip
from .tables import (
    ACTION_BITS,
    ALL_CARDS,
    BIDDING,
    BURN,
    BURNING,
    CALL,
    CARDS,
    DISCARD,
    KITTY,
    MISDEAL,
    NAMING,
    PLAYING,
    SUIT_CONTEXTS,
    partner_shown,
    tables,
)
from .turns import NOBODY

F32 = npt.NDArray[np.float32]

#: A sampled score lies between minus this part of the target and the target (context "sampled").
SAMPLED_BELOW = 4

_COLUMN = np.int64((1 << ACTION_BITS) - 1)
_NOT_CARDS = ~ALL_CARDS
_NO_GAMES = np.zeros(0, np.int64)
_ONE, _TWO, _FOUR, _SEATS = np.int8(1), np.int64(2), np.int64(4), np.int8(3)


class Engine:
    """Transitions of a `PitchState`. It holds no state of its own but deals computed ahead."""

    def __init__(self, rules: PitchRules, episode: str, reward: str, context: str, reward_scale: float) -> None:
        self.rules, self.tables = rules, tables(rules)
        self.episode, self.reward, self.context, self.scale = episode, reward, context, reward_scale
        t = self.tables
        self.entries, self.total = rules.entries, rules.total
        self._own_deck = len(t.deck) < CARDS
        self._deals = deals.DealsAhead(self._make_deals)
        #: A row of `PitchState.hand` by dealer, as words. uint64 [P, 2].
        rows = [new_hand(dealer, t.stock_size) for dealer in range(t.players)]
        self._new_hands: U64 = np.array(rows, np.int8).view(np.uint64)
        self._whole_stock = stock_width(rules) == t.stock_size
        self._first_trick = t.players == 5 or rules.first_lead_natural
        self._secret = rules.misdeal_rule != "none" or rules.discarded_trump != "forbidden" or not rules.burn_visible
        self._shown = ShownScores(rules)
        self._new_sheet = np.zeros((SHEET_ROWS, sheet_width(rules.players)), np.uint8)
        self._new_sheet[SCORE:] = self._shown.rows(np.zeros((1, self.entries), np.int64))[0]
        self._scorer = Scorer(rules, reward, reward_scale)

    # Beginning.

    def begin(self, s: PitchState, games: I64, seed: int, options: Mapping[str, Any]) -> None:
        """Begin an episode: match state from the options, drawn (context "sampled") or new; then a deal."""
        s.match[games] = 0
        s.sheet[games] = self._new_sheet
        if self.context == "sampled":
            self._sample(s, games, seed)
        for name, array in (("scores", s.scores), ("hand_number", s.hand_number)):
            if name in options:
                array[games] = options[name]
        if options or self.context == "sampled":
            s.sheet[games, SCORE:] = self._shown.rows(s.scores[games])
        self._deal(s, games, seed, options.get("dealer"), options.get("deal"))
        if options or self.context == "sampled":
            self._write_number(s, games)

    def _sample(self, s: PitchState, games: I64, seed: int) -> None:
        """Draw the match state of an episode: scores from below zero to below the target, hands played so far."""
        keys = deals.stream_keys(seed, s.game_id[games], s.hand_id[games], deals.CONTEXT)
        target = self.rules.target
        below = target // SAMPLED_BELOW
        for entry in range(self.entries):
            s.scores[games, entry] = deals.integers(keys, entry, target + below) - below
        if self.rules.win_by_lead:  # a lead that has won the match already is cut
            scores = s.scores[games]
            s.scores[games] = np.maximum(scores, scores.max(axis=1, keepdims=True) - self.rules.win_by_lead + 1)
        s.hand_number[games] = deals.integers(keys, 5, min(self.rules.max_hands, 12))

    def _make_deals(self, seed: int, games: I64, hands: I64) -> tuple[U64]:
        """Deals, and the dealer if an episode begins with them. uint64 [n, P + stock + 2], see `_facts`."""
        deck = deals.shuffle(seed, games, hands, len(self.tables.deck))
        if self._own_deck:
            deck = self.tables.deck.take(deck)
        facts = self._facts(deck)
        keys = deals.stream_keys(seed, games, hands, deals.FIRST_DEALER)
        facts[:, -1] = deals.integers(keys, 0, self.rules.players).view(np.uint64)  # P-EQP-04
        return (facts,)

    def _facts(self, deck: I64) -> U64:
        """The hands (P-DEAL-01, P-5H-01: blocks of cards by seat), the first k cards of the stock or the blind for
        every k, and a column for the dealer. int64 [n, D] → uint64 [n, P + stock + 2]."""
        t = self.tables
        out = np.zeros((len(deck), t.players + t.stock_size + 2), np.uint64)
        heads: U64 = BIT.take(deck, mode="clip")
        np.bitwise_or.accumulate(heads, axis=1, out=heads)
        dealt = t.players * t.hand_size
        out[:, : t.players] = heads[:, t.hand_size - 1 : dealt : t.hand_size]
        if t.stock_size:
            out[:, t.players + 1 : -1] = heads[:, dealt:] ^ heads[:, dealt - 1 : dealt]
        out[:, 1 : t.players] ^= heads[:, t.hand_size - 1 : dealt - t.hand_size : t.hand_size]
        return out

    def deal(self, s: PitchState, games: I64, seed: int, dealer: npt.NDArray[np.integer]) -> None:
        """Deal the next hand of a match."""
        s.sheet[games, :SCORE] = 0
        self._deal(s, games, seed, dealer)
        self._write_number(s, games)

    def _deal(self, s: PitchState, games: I64, seed: int, dealer: Any = None, deck: I64 | None = None) -> None:
        """Deal a hand to a clear sheet; without a `dealer` he is drawn (P-EQP-04)."""
        t = self.tables
        ids, numbers = s.game_id.take(games), s.hand_id.take(games)
        if deck is None:
            (dealt,) = self._deals.take(seed, ids, numbers, len(s))
        else:
            dealt = self._facts(deck)
            if dealer is None:
                keys = deals.stream_keys(seed, ids, numbers, deals.FIRST_DEALER)
                dealer = deals.integers(keys, 0, t.players)
        if dealer is None:
            dealer = dealt[:, -1].view(np.int64)
        s.hand_id[games] = numbers + 1
        cards = np.zeros((len(games), t.players, SEAT_WORDS), np.uint64)
        cards[:, :, HELD] = cards[:, :, DEALT] = dealt[:, : t.players]
        s.cards[games] = cards
        if self._whole_stock:
            s.heads[games] = dealt[:, t.players : -1]
        else:
            s.heads[games, : t.stock_size + 1] = dealt[:, t.players : -1]
        s.when.view(np.uint64)[games] = 0
        s.hand.view(np.uint64)[games] = self._new_hands.take(dealer, axis=0)
        s.left[games] = s.table[games] = 0
        s.code[games] = tricks.EMPTY
        s.turn[games] = NOBODY
        s.flags[games] = t.dealer_flag.take(dealer)
        s.context[games] = BIDDING
        s.player[games] = t.next_seat.take(dealer)  # P-BID-01
        if self.rules.misdeal_rule != "none":
            auction.ask_about_misdeal(t, s, games)

    def _write_number(self, s: PitchState, games: I64) -> None:
        s.hand.view(np.uint8)[:, NUMBER][games] = np.minimum(s.hand_number[games], 255)

    # Legality.

    def legal_words(self, s: PitchState) -> U64:
        """Legal actions of the seat to act. uint64 [N, W], empty for finished games."""
        t, n = self.tables, len(s)
        seat = s.player & _SEATS if t.players == 4 else np.maximum(s.player, 0)
        held = s.cards.ravel().take(row_starts(n, t.players * SEAT_WORDS) + seat * SEAT_WORDS, mode="clip")
        words: U64 = t.menus.take(s.context, axis=0, mode="clip")
        words[:, 0] &= held | _NOT_CARDS
        other = (s.context < PLAYING).nonzero()[0]
        if len(other):
            self._other_words(s, other, held, words)
        if self._first_trick:
            first = ((s.context >= PLAYING) & (s.tricks == 0)).nonzero()[0]
            words[first, 0] = play.bind_first_trick(t, s, first, held[first])
        finished = s.player < 0
        if np.count_nonzero(finished):
            words[finished] = 0
        return words

    def _other_words(self, s: PitchState, games: I64, held: U64, words: U64) -> None:
        """Write the legal actions of games that are in another phase than the play where the menu does not do."""
        t, rules = self.tables, self.rules
        context = s.context.take(games)
        bidders = games[(context == BIDDING).nonzero()[0]]
        seat = s.player.take(bidders)
        row = s.bid[bidders] * _FOUR
        row += (seat == s.dealer[bidders]) * _TWO
        if not rules.moon_allowed_below_zero:  # BD-10
            row += s.scores[bidders, own_entry(rules, seat)] < 0
        for column, bids in t.bids:
            words[:, column][bidders] = bids.take(row, mode="clip")
        burning = games[(context >= BURNING).nonzero()[0]]
        if len(burning) and (t.players == 5 or np.count_nonzero(words[:, 0][burning]) < len(burning)):
            words[burning, 0] = fill.burnable(t, s, burning, held[burning])
        if t.players == 5:
            calling = games[((context >= CALL * 5) & (context < DISCARD * 5)).nonzero()[0]]
            if len(calling):  # P-5H-02, P-5H-03
                callable_ = s.left.take(calling)
                if not rules.call_own:
                    callable_ = callable_ & ~held[calling]
                words[calling, 0] = callable_

    # Transitions.

    def advance(self, s: PitchState, actions: I64, rewards: F32, seed: int) -> None:
        """Carry out legal actions; -1 leaves a game alone."""
        t = self.tables
        columns = actions & _COLUMN  # NO_ACTION becomes a column of no effect
        index = (s.context << ACTION_BITS) | columns
        card = t.play_card.take(index, mode="clip")
        played = card != 0
        other = ((actions >= 0) > played).nonzero()[0]
        complete = play.play(t, s, columns, index, card, played)
        over = play.end_trick(t, s, complete) if len(complete) else complete
        if len(other):
            chosen: I64 = actions[other]
            more, void = self._other(s, other, chosen)
            if len(more):
                over = np.concatenate([over, more])
            if len(void):  # P-EQP-04, BD-44: the same dealer deals again
                self.deal(s, void, seed, s.dealer[void])
        if len(over):
            self._end_hand(s, over, rewards, seed)

    def _write_log(self, s: PitchState, games: I64, phase: npt.NDArray[np.integer], actions: I64) -> None:
        """Keep the public ones of these actions: no answers about a misdeal (BD-6), no cards that are not shown."""
        if self._secret:
            secret = phase == MISDEAL
            if self.rules.discarded_trump != "forbidden":
                secret |= (phase == DISCARD) & (actions < CARDS)
            if not self.rules.burn_visible:
                secret |= phase == BURN
            games, actions = games[~secret], actions[~secret]
        length = s.log_length
        place = length[games]
        s.log.ravel()[games * LOG + place] = actions * 8 + s.player.take(games)
        length[games] = place + _ONE

    def _other(self, s: PitchState, games: I64, actions: I64) -> tuple[I64, I64]:
        """All that is no play of a card. Returns hands that are over without a trick, and void hands."""
        t = self.tables
        context = s.context.take(games)
        phase = context // SUIT_CONTEXTS
        self._write_log(s, games, phase, actions)

        def at(number: int) -> tuple[I64, I64]:
            index = (phase == number).nonzero()[0]
            return games[index], actions[index]

        void: list[I64] = []
        ready: list[I64] = []  # to burn
        if self.rules.misdeal_rule != "none":
            void.append(auction.answer_misdeal(t, s, *at(MISDEAL)))
        index = (context == BIDDING).nonzero()[0]
        if len(index):
            void.append(auction.bid(t, s, games[index], actions[index]))
        naming = (context == NAMING).nonzero()[0]
        named, trump = games[naming], actions[naming] - t.actions.first_suit
        if t.players == 5:
            if len(named):
                auction.ask_for_card(t, s, named, trump)
            calling, cards = at(CALL)
            if len(calling):
                ready.append(auction.call(t, s, calling, cards))
        else:
            if self.rules.discarded_trump != "forbidden":
                if len(named):
                    auction.discard_first(t, s, named, trump)
                named = fill.discard(t, s, *at(DISCARD))
                trump = s.context.take(named) % SUIT_CONTEXTS
            deciding, choices = at(KITTY)
            if len(deciding):
                ready.append(fill.decide_leftovers(t, s, deciding, choices))
            if len(named):
                ready.append(fill.fill(t, s, named, trump))
        burned, cards = at(BURN)
        if len(burned):
            going_on, spoilt = fill.burn(t, s, burned, cards)
            void.append(spoilt)
            ready.append(going_on)
        over = _NO_GAMES
        burning = np.concatenate(ready) if ready else over
        if len(burning):
            over = play.start(t, s, *fill.ask_to_burn(t, s, burning))
        return over, np.concatenate(void) if void else _NO_GAMES

    # The end of a hand.

    def _end_hand(self, s: PitchState, games: I64, rewards: F32, seed: int) -> None:
        """Write the hand down, pay, and go on to the next hand or finish (P-PLAY-05, sections 13 to 16)."""
        n, entries, width = len(games), self.entries, s.match.shape[1]
        hand, match = s.hand.take(games, axis=0), s.match.take(games, axis=0)
        points = play.points_by_seat(self.tables, s, games)
        scores, won, paid = self._scorer(hand, match, points)
        rewards[games] = paid

        last = np.zeros((n, s.last.shape[1]), np.uint64)
        last[:, :LAST_POINTS] = hand.view(np.uint64)
        facts = last[:, LAST_POINTS:LAST_MATCH].view(np.uint8)
        facts[:, : points.shape[1]] = points
        facts[:, LAST_TRUMP] = s.context.take(games) - PLAYING
        numbers = last[:, LAST_MATCH:].view(np.int32)
        np.subtract(scores, match[:, :entries], out=numbers[:, width : width + entries], casting="same_kind")
        match[:, :entries] = scores
        match[:, entries] += 1
        match[:, entries + 1] = won
        numbers[:, :width] = match
        s.match[games] = match
        s.last[games] = last
        s.sheet[games, SCORE:] = self._shown.rows(scores)

        if self.episode == "hand":
            finished, more = games, _NO_GAMES
        else:
            over = (won > 0) | (match[:, entries] >= self.rules.max_hands)  # P-END-05
            finished, more = games[over], games[~over]
        s.player[finished] = -1
        self._write_number(s, finished)
        if entries == 5:
            s.flags[finished] |= partner_shown(5)
        if len(more):
            self.deal(s, more, seed, self.tables.next_seat.take(s.dealer[more]))  # P-EQP-04
