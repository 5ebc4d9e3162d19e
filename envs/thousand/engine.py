"""Batched Thousand: dealing, one step of games in any phase, and the end of a deal (ids of RULES.md in the comments).

One call advances N games that may be in different phases. Card plays are done on whole arrays by tables that have no
effect for other actions (`contexts`), and who is to act follows from one number (`turns`); what is rarer is done on the
games concerned only: declarations and ends of tricks (`play`), questions, auction, talon and settlement (`questions`,
`auction`, `talon`, `scoring`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import deals
from ..core.bits import I64, U64, row_starts
from . import auction, play, questions, scoring, talon
from .columns import DEALS, LAST_CONTRACT, REDEALS
from .contexts import (
    BIDS,
    CONTEXTS,
    DECLARES,
    EVENT_KINDS,
    GIVES,
    GIVES_SECOND,
    IDLE,
    IN_AUCTION,
    IN_GIVE,
    IN_GIVE_SECOND,
    IN_PLAY,
    OVER,
)
from .dealing import REDEAL_SHIFT, Dealing, drawn_dealer, places_that_may_redeal
from .lookup import SCORES, tables
from .rules import ThousandRules
from .state import (
    BARREL,
    BOLTS,
    DEALS_PLAYED,
    DRAW,
    GOLDEN_LEFT,
    GOLDEN_MADE,
    MATCH_WORDS,
    SEAT_WORDS,
    START,
    TOTAL,
    UNDECIDED,
    WINNER,
    ThousandState,
)
from .tables import CARDS, NINE, NO_SUIT, NUM_RANKS, table_bit

F32 = npt.NDArray[np.float32]

#: T-CUT-04: what three nines cost the cutter.
CUT_FINE = 120
_REDEALS, _DEALS = np.uint64(8 * REDEALS), np.uint64(0xFF << (8 * DEALS))
_FIRST_GIFT = np.uint8(GIVES)
_GIVING = np.isin(np.arange(CONTEXTS), (IN_GIVE, IN_GIVE_SECOND))
#: Options of a reset that are columns of a seat in the match.
_SEAT_OPTIONS = ("scores", "bolts", "attempts", "falls", "write_offs")
_TABLE_OPTIONS = {"deals_played": DEALS_PLAYED, "golden_left": GOLDEN_LEFT, "golden_made": GOLDEN_MADE}


class Engine:
    """Transitions of a `ThousandState`. It holds no state of its own but deals computed ahead."""

    def __init__(
        self, rules: ThousandRules, episode: str, reward: str, context: str, reward_scale: float, resets: bool
    ) -> None:
        self.rules, self.tables = rules, tables(rules)
        #: Finished games begin anew before anybody sees them: their score sheets need not be brought up to date.
        self._resets = resets
        self.episode, self.reward, self.context, self.scale = episode, reward, context, reward_scale
        t = self.tables
        self._places = scoring.stakes(rules) if reward == "stake" else scoring.ranks(rules)
        self._dealing = Dealing(t)
        self._mask = np.int64((1 << t.moves.bits) - 1)
        self._card_byte: I64 = np.where(t.moves.byte < CARDS, t.moves.byte + 8 * t.columns.when, t.columns.scratch)
        match = np.zeros(SEAT_WORDS * rules.players + MATCH_WORDS, np.int32)
        match[LAST_CONTRACT:-MATCH_WORDS:SEAT_WORDS] = 120 // 5
        match[GOLDEN_LEFT - MATCH_WORDS] = rules.players if rules.golden == "on" else 0  # T-GOLD-01
        match[WINNER - MATCH_WORDS] = UNDECIDED
        self._new_match = match
        self._ones = np.ones(rules.players)
        #: The first two words (as uint32) of each seat's score sheet in a row. int64 [2·P].
        self._sheet_places: I64 = 2 * t.columns.sheet + (np.arange(rules.players)[:, None] * 3 + np.arange(2)).ravel()
        self._kept = t.all_of["fined"] | t.all_of["barrel"]  # facts that stay when the cards are thrown in

    # Beginning.

    def begin(self, s: ThousandState, games: I64, seed: int, options: Mapping[str, Any]) -> None:
        """Begin an episode: match state from the options, drawn (context "sampled") or new; then a deal."""
        rules = self.rules
        s.match[games] = self._new_match
        plain = self.context != "sampled" and not options
        if not plain:
            self._set_match(s, games, seed, options)
        numbers = s.hand_id.take(games)
        dealt = self._dealing.take(seed, s.game_id.take(games), numbers, len(s))
        dealer = np.asarray(options["dealer"], np.int64) if "dealer" in options else drawn_dealer(dealt)
        if options.get("deal") is not None:
            dealt = self._dealing.of_decks(options["deal"])
        self._deal(s, games, seed, numbers, dealt, dealer, fresh=plain and rules.cut_ritual == "off")
        s.player[games] = self.tables.turns.turn.take(s.node.take(games))

    def _set_match(self, s: ThousandState, games: I64, seed: int, options: Mapping[str, Any]) -> None:
        rules = self.rules
        if self.context == "sampled":
            self._sample_match(s, games, seed)
        for name in _SEAT_OPTIONS:
            if name in options:
                getattr(s, name)[games] = options[name]
        if "last_contracts" in options:
            s.by_seat[games, :, LAST_CONTRACT] = np.asarray(options["last_contracts"]) // 5
        if "deals_played" in options:
            s.deals_played[games] = options["deals_played"]
        scores = s.scores[games]
        on = scores == rules.barrel_at if rules.barrel_at is not None else np.zeros(scores.shape, np.bool_)
        s.by_seat[games, :, BARREL] = on
        s.by_seat[games, :, START] = scores
        s.attempts[games] *= on
        if rules.golden == "on":  # T-GOLD-01
            s.golden_left[games] = np.maximum(rules.players - s.deals_played[games], 0)
            for name, column in _TABLE_OPTIONS.items():
                if name in options:
                    s.by_table[games, column] = options[name]

    def _sample_match(self, s: ThousandState, games: I64, seed: int) -> None:
        """Match state for training on single hands: any score, now and then a barrel, bolts and falls."""
        rules = self.rules
        keys = deals.stream_keys(seed, s.game_id[games], s.hand_id[games], deals.CONTEXT)
        top = (rules.barrel_at or rules.target) // 5
        draw = 0

        def number(bound: int) -> I64:
            nonlocal draw
            draw += 1
            return deals.integers(keys, draw, bound)

        for seat in range(rules.players):
            s.scores[games, seat] = 5 * (number(top + 40) - 40)  # -200 to just below the barrel
            s.bolts[games, seat] = number(3)
            s.falls[games, seat] = number(3)
            s.attempts[games, seat] = number(rules.barrel_attempts)
        if rules.barrel_at is not None:
            sits = number(8)  # in one deal of eight for each seat somebody is on the barrel
            on = sits < rules.players
            s.scores[games[on], sits[on]] = rules.barrel_at
        s.deals_played[games] = number(20)

    def _deal_next(self, s: ThousandState, games: I64, seed: int) -> None:
        """Deal the next hand of a match, and anew as long as it is thrown in without a decision (T-RED-11)."""
        numbers = s.hand_id.take(games)
        dealt = self._dealing.take(seed, s.game_id.take(games), numbers, len(s))
        dealer = self.tables.turns.dealer.take(s.node.take(games)) + 1  # T-DEAL-01
        dealer[dealer == self.rules.players] = 0
        s.by_seat[games, :, START] = s.by_seat[games, :, TOTAL]
        self._deal(s, games, seed, numbers, dealt, dealer, fresh=False)

    def _deal(
        self, s: ThousandState, games: I64, seed: int, numbers: I64, dealt: U64, dealer: I64, fresh: bool
    ) -> None:
        """Deal a hand (T-DEAL-02), and anew as long as it is thrown in without a decision (T-RED-11).

        Args:
            fresh: the match is a new one, as the score sheets of a deal show it.
        """
        s.hand_id[games] = numbers + 1
        s.redeals[games] = 0
        s.rows[games] = self._dealing.rows(dealt, dealer)
        s.facts[games] = self.tables.fact["dealer"].take(dealer)
        s.desk[games] = 0
        if self.rules.cut_ritual != "off":
            self._cut(s, games, seed, dealer)
        if not fresh:
            self._write_match(s, games)
        thrown = self._open(s, games, dealt, dealer)
        if len(thrown):
            self._deal_again(s, thrown, seed)

    def _deal_again(self, s: ThousandState, games: I64, seed: int) -> None:
        """Thrown-in deals: same dealer, nothing of the match moves (T-RED-11)."""
        t, c = self.tables, self.tables.columns
        while len(games):
            redeals = s.redeals.take(games) + np.int16(1)
            s.redeals[games] = redeals
            ids, numbers = s.game_id.take(games), s.hand_id.take(games) - 1
            dealt = self._dealing.again(seed, ids, numbers, len(s), redeals)
            dealer = t.turns.dealer.take(s.node.take(games))
            rows = self._dealing.rows(dealt, dealer)
            # the match stays on the score sheets, what was bid goes
            sheets = slice(2 * c.sheet, 2 * c.sheet + 3 * c.players)
            kept = s.rows.view(np.uint32)[games, sheets]
            kept[:, 2::3] = 0
            rows.view(np.uint32)[:, sheets] = kept
            s.rows[games] = rows
            s.facts[games] = (s.facts.take(games) & self._kept) | t.fact["dealer"].take(dealer)
            thrown_in = np.minimum(redeals, np.int16(255)).astype(np.uint64) << _REDEALS
            s.desk[games] = (s.desk.take(games) & _DEALS) | thrown_in
            if self.rules.cut_ritual != "off":
                self._cut(s, games, seed, dealer)
                self._write_match(s, games)
            games = self._open(s, games, dealt, dealer)

    def _open(self, s: ThousandState, games: I64, dealt: U64, dealer: I64) -> I64:
        """Go on to the first decision of new deals; returns the games that are thrown in at once."""
        rules, t = self.rules, self.tables
        s.married[games] = 0
        s.code[games] = IDLE
        s.ply[games] = 0
        if rules.info_bonus == "talon_card":
            s.info[games] = -1
        if rules.marriage_trump_from == "next_trick":
            s.next_trump[games] = NO_SUIT
        self._tell_golden(s, games)
        return questions.begin(s, t, games, dealer, places_that_may_redeal(dealt))

    def _cut(self, s: ThousandState, games: I64, seed: int, dealer: I64) -> None:
        """Three nines cut in a row fine the cutter, the seat right of the dealer (T-CUT-01, T-CUT-04)."""
        hand = s.hand_id[games] - 1 + (s.redeals[games].astype(np.int64) << REDEAL_SHIFT)
        keys = deals.stream_keys(seed, s.game_id[games], hand, deals.CHANCE)
        nines = np.ones(len(games), np.bool_)
        for draw in range(3):
            nines &= deals.integers(keys, draw, CARDS) % NUM_RANKS == NINE
        cutter = (dealer - 1) % self.rules.players
        nines &= s.by_seat[games, cutter, BARREL] == 0
        games, cutter = games[nines], cutter[nines]
        s.by_seat[games, cutter, TOTAL] -= CUT_FINE
        s.facts[games] |= self.tables.fact["fined"].take(cutter)

    def _write_match(self, s: ThousandState, games: I64) -> None:
        """Write the match on the score sheet; it does not change in the course of a deal."""
        rules, t = self.rules, self.tables
        p, c = rules.players, t.columns
        match = s.match.take(games, axis=0)
        by_seat = match[:, :-MATCH_WORDS].reshape(-1, p, SEAT_WORDS)
        index = np.minimum(by_seat[:, :, TOTAL] + SCORES // 2, SCORES - 1)
        if rules.barrel_at is not None:
            on = by_seat[:, :, BARREL] != 0
            facts = s.facts.take(games)
            # the usual case: nobody is on the barrel, nor was
            if np.count_nonzero(on) or np.count_nonzero(facts & t.all_of["barrel"]):
                np.maximum(index, 0, out=index)
                index += SCORES * on
                flags = np.bitwise_or.reduce(np.where(on, t.fact["barrel"][:-1], np.uint64(0)), axis=1)
                s.facts[games] = (facts & ~t.all_of["barrel"]) | flags
        columns = np.empty((len(games), p, 2), np.uint32)
        columns[:, :, 0] = t.sheets.take(index, mode="clip")
        columns.view(np.uint8)[:, :, BOLTS:] = np.minimum(by_seat[:, :, BOLTS:], 255)
        place = (games * (2 * c.width))[:, None] + self._sheet_places
        s.rows.view(np.uint32).ravel()[place] = columns.reshape(len(games), -1)
        s.desk.view(np.uint8)[games * 8 + DEALS] = np.minimum(match[:, DEALS_PLAYED - MATCH_WORDS], 255)

    def _tell_golden(self, s: ThousandState, games: I64) -> None:
        """Whether somebody made his contract in this golden round is on the table."""
        if self.rules.golden == "on":
            made = games[s.by_table[games, GOLDEN_MADE] != 0]
            s.married[made] |= np.uint64(1 << table_bit(self.rules.players, "golden_made"))

    # Legality.

    def legal_words(self, s: ThousandState) -> U64:
        """Legal actions of the seat to act. uint64 [N, W]."""
        t = self.tables
        held = play.held_by_player(s, t)
        words = np.zeros((len(s), t.actions), np.uint64)
        words[:, 0] = play.legal(s, t, held)
        other = (s.context < IN_PLAY).nonzero()[0]
        context = s.context.take(other)
        naming = (context >= IN_AUCTION).nonzero()[0]
        if len(naming):
            games = other.take(naming)
            words[games] = auction.legal(s, t, games, held.take(games))
        if len(naming) < len(other):
            giving = _GIVING.take(context).nonzero()[0]
            if len(giving):
                games = other.take(giving)
                words[games] = talon.legal_give(s, t, games, held.take(games))
            if len(naming) + len(giving) < len(other):
                asked = (context < IN_GIVE).nonzero()[0]
                words[other.take(asked)] = t.answers.take(context.take(asked), axis=0)
        finished = s.player < 0
        if np.count_nonzero(finished):
            words[finished] = 0
        return words

    # Transitions.

    def advance(self, s: ThousandState, actions: I64, rewards: F32, seed: int) -> None:
        """Carry out legal actions; -1 leaves a game alone."""
        t = self.tables
        moves, width = t.moves, t.columns.width
        a = actions & self._mask  # NO_ACTION becomes a column of no effect
        index = (s.context << moves.bits) | a
        event = moves.event.take(index)
        seat = (s.player & np.int8(3)).astype(np.int64)
        plays = moves.plays.take(a)
        order = s.ply & 3

        words = s.rows.ravel()
        places = (row_starts(len(s), width) + seat) + t.places
        words[places] = words.take(places) ^ moves.card.take(a)
        s.rows.view(np.uint8).ravel()[row_starts(len(s), 8 * width) + self._card_byte.take(a)] = t.place.take(s.ply)
        s.desk += moves.desk.take(index)
        s.facts |= moves.voids.take(index) << seat.view(np.uint64)
        np.maximum(s.code, moves.first.take(index) - order, out=s.code)
        s.context = moves.context.take(index)
        s.ply += plays
        order += plays

        over: list[I64] = []
        thrown: list[I64] = []
        special = event.nonzero()[0]
        if len(special):
            self._special(s, special, event.take(special), a, thrown, over)
        complete = (order == t.active).nonzero()[0]
        if len(complete):
            over.append(play.end_tricks(s, t, complete))
        finished = over[0] if len(over) == 1 else np.concatenate(over) if over else complete
        if len(finished):
            self._end_deal(s, finished, rewards, seed)
        thrown = [games for games in thrown if len(games)]
        if thrown:
            self._deal_again(s, thrown[0] if len(thrown) == 1 else np.concatenate(thrown), seed)
        s.player = t.turns.turn.take(s.node + (s.ply & 3))

    def _special(
        self, s: ThousandState, games: I64, kinds: npt.NDArray[np.uint8], a: I64, thrown: list[I64], over: list[I64]
    ) -> None:
        """Events beyond the tables, by kind; adds to the games thrown in and to those whose deal is over."""
        t = self.tables
        sort = kinds.argsort(kind="stable")
        games = games.take(sort)
        actions = a.take(games)
        counts = np.bincount(kinds, minlength=EVENT_KINDS).tolist()
        counts[GIVES] += counts[GIVES_SECOND]
        counts[GIVES_SECOND] = end = 0
        for kind, count in enumerate(counts):
            if not count:
                continue
            start, end = end, end + count
            some, acts = games[start:end], actions[start:end]
            if kind == DECLARES:
                play.declare(s, t, some, acts)
            elif kind == BIDS:
                thrown.append(auction.act(s, t, some, acts))
            elif kind == GIVES:
                thrown.append(talon.give(s, t, some, kinds.take(sort[start:end]) - _FIRST_GIFT, acts))
            elif kind == OVER:
                over.append(some)
            else:
                thrown += questions.answer(s, t, some, acts)

    def _end_deal(self, s: ThousandState, games: I64, rewards: F32, seed: int) -> None:
        """Write the deal down, pay, and go on to the next deal or finish."""
        rules = self.rules
        gains = scoring.settle(s, self.tables, games)
        if rules.deals is not None and self.episode == "match":  # T-TOUR-01
            last = games[(s.deals_played[games] >= rules.deals) & (s.winner[games] == UNDECIDED)]
            scores = s.scores[last]
            best = scores.max(axis=1)
            shared = (scores == best[:, None]).sum(axis=1) > 1
            scoring.decide(s, last, np.where(shared, DRAW, np.argmax(scores, axis=1)))
        winner = s.winner[games]
        if self.reward == "points":
            change = gains.astype(np.float64)
            mean = (change.dot(self._ones)[:, None] - change) / (rules.players - 1)
            rewards[games] = (change - mean) / self.scale
        else:
            decided = games[winner != UNDECIDED]
            rewards[decided] = scoring.by_rank(s.scores[decided], s.winner[decided], self._places)

        over, more = games, games[:0]
        if self.episode != "hand":
            open_ = winner == UNDECIDED
            over, more = games[~open_], games[open_]
        if len(over):
            s.node[over] = s.node.take(over) + self.tables.turns.finished
            if not self._resets:
                self._write_match(s, over)
                self._tell_golden(s, over)
        if len(more):
            self._deal_next(s, more, seed)
