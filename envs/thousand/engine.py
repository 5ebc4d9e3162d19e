"""Batched Thousand: dealing, one step of games in any phase, and the end of a deal (ids of RULES.md in the comments).

One call advances N games that may be in different phases. Card plays are done on whole arrays (`play`), questions,
auction, talon and settlement on the games concerned only (`questions`, `auction`, `talon`, `scoring`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import deals, tricks
from ..core.bits import BIT, I64, U64
from . import auction, play, questions, scoring, talon
from .rules import ThousandRules
from .state import (
    ATTEMPTS,
    BOLTS,
    DEALS,
    DRAW,
    FALLS,
    LAST_CONTRACT,
    REDEALS,
    SCORE,
    SCORE_LOW,
    TO_GO,
    UNDECIDED,
    WRITE_OFFS,
    ThousandState,
)
from .tables import (
    AUCTION,
    CARDS,
    CONTRACT,
    DARK,
    GIVE,
    HAND_REDEAL,
    INFO,
    NINE,
    NO_SUIT,
    NUM_RANKS,
    PASS_REDEAL,
    PLAY,
    TALON,
    TALON_REDEAL,
    table_bit,
    tables,
)

F32 = npt.NDArray[np.float32]

#: T-CUT-04: what three nines cost the cutter.
CUT_FINE = 120
#: Redeal r of a hand is dealt as this hand of the counter-based deals: hand + r · 2⁴⁰.
_REDEAL_SHIFT = 40


class Engine:
    """Transitions of a `ThousandState`."""

    def __init__(self, rules: ThousandRules, episode: str, reward: str, context: str, reward_scale: float) -> None:
        self.rules, self.tables = rules, tables(rules)
        self.episode, self.reward, self.context, self.scale = episode, reward, context, reward_scale
        t = self.tables
        self._places = scoring.stakes(rules) if reward == "stake" else scoring.ranks(rules)
        self._yes_no = {phase: questions.legal_yes_no(t, t.space.redeal, t.space.keep)
                        for phase in (HAND_REDEAL, TALON_REDEAL, PASS_REDEAL)}  # fmt: skip
        if rules.dark != "off":
            self._yes_no[DARK] = questions.legal_yes_no(t, t.space.dark, t.space.look)
        if t.space.talon >= 0:
            self._yes_no[TALON] = questions.legal_yes_no(t, t.space.talon, t.space.talon + 1)
        if t.space.info >= 0:
            self._yes_no[INFO] = questions.legal_info(t)

        self._ahead = deals.DealsAhead(self._shuffle)

    def _shuffle(self, seed: int, games: I64, hands: I64) -> tuple[I64, U64]:
        """Decks, and their packets: hands from forehand, then the talons. int64 [n, 24], uint64 [n, A + T]."""
        decks = deals.shuffle(seed, games, hands, CARDS)
        return decks, self._packets(decks)

    def _packets(self, decks: I64) -> U64:
        rules = self.rules
        talons = 2 if rules.players == 2 else 1
        return deals.words_of_packets(decks, (rules.hand_size,) * rules.active + (rules.talon_size,) * talons)

    # Beginning.

    def begin(self, s: ThousandState, games: I64, seed: int, options: Mapping[str, Any]) -> None:
        """Begin an episode: match state from the options, drawn (context "sampled") or new; then a deal."""
        rules = self.rules
        p = rules.players
        keys = deals.stream_keys(seed, s.game_id[games], s.hand_id[games], deals.FIRST_DEALER)
        dealer = deals.integers(keys, 0, p)  # T-DEAL-01
        for array in (s.scores, s.bolts, s.attempts, s.falls, s.write_offs, s.deals_played):
            array[games] = 0
        s.last_contracts[games] = 120
        s.winner[games] = UNDECIDED
        if self.context == "sampled":
            self._sample_match(s, games, seed)
        for name in ("scores", "bolts", "attempts", "falls", "write_offs", "last_contracts", "deals_played"):
            if name in options:
                getattr(s, name)[games] = options[name]
        s.barrel[games] = s.scores[games] == rules.barrel_at if rules.barrel_at is not None else False
        s.attempts[games] *= s.barrel[games]
        s.golden_left[games] = 0
        s.golden_made[games] = False
        if rules.golden == "on":  # T-GOLD-01
            s.golden_left[games] = np.maximum(p - s.deals_played[games], 0)
            for name in ("golden_left", "golden_made"):
                if name in options:
                    getattr(s, name)[games] = options[name]
        s.dealer[games] = options.get("dealer", dealer)
        self.deal(s, games, seed, options.get("deal"))

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

    def deal(self, s: ThousandState, games: I64, seed: int, decks: I64 | None = None) -> None:
        """Deal the next hand of each game, and anew as long as it is thrown in without a decision (T-RED-11).

        Args:
            decks: int64 [n, 24], the first hand's cards in the order of dealing; drawn if None.
        """
        s.hand_id[games] += 1
        s.redeals[games] = 0
        s.facts[games] = 0
        s.start_scores[games] = s.scores[games]
        games = self._lay_out(s, games, seed, decks)
        self._deal_again(s, games, seed)

    def _deal_again(self, s: ThousandState, games: I64, seed: int) -> None:
        """Thrown-in deals: same dealer, nothing of the match moves (T-RED-11)."""
        while len(games):
            s.redeals[games] += 1
            games = self._lay_out(s, games, seed, None)

    def _lay_out(self, s: ThousandState, games: I64, seed: int, decks: I64 | None) -> I64:
        """Deal the cards (T-DEAL-02); returns the games that are thrown in at once."""
        rules, t = self.rules, self.tables
        p = rules.players
        hand = s.hand_id[games] - 1 + (s.redeals[games].astype(np.int64) << _REDEAL_SHIFT)
        if decks is not None:
            packets = self._packets(decks)
        elif s.redeals[games[0]] == 0:  # the first cards of a hand; redeals are not computed ahead
            decks, packets = self._ahead.take(seed, s.game_id[games], hand, len(s))
        else:
            decks, packets = self._shuffle(seed, s.game_id[games], hand)
        talons = 2 if p == 2 else 1
        seats = t.active.take(s.dealer[games].astype(np.int64)[:, None] * p + np.arange(rules.active))
        for array in (s.hands, s.played, s.table, s.when, s.talons, s.gave, s.sees_talon, s.sees_gave, s.said, s.desk):
            array[games] = 0
        for array in (
            s.talon, s.married, s.queue, s.price, s.out, s.silent, s.at_100, s.contract, s.gives, s.order, s.tricks,
            s.trick_points,
        ):  # fmt: skip
            array[games] = 0
        for array in (s.dark, s.blind, s.holder, s.declarer, s.trump_owner, s.next_owner):
            array[games] = -1
        s.info[games] = s.passed_at[games] = -1
        s.hands[games[:, None], seats] = packets[:, : rules.active]
        s.talons[games, :talons] = packets[:, rules.active :]
        s.stock[games] = decks[:, -rules.stock_size :]
        s.code[games] = tricks.EMPTY
        s.led[games] = s.trump[games] = s.next_trump[games] = NO_SUIT
        s.leader[games] = seats[:, 0]
        fined = np.bitwise_or.reduce(t.fact["fined"])  # a fine stays through redeals
        s.facts[games] = (s.facts[games] & fined) | t.fact["dealer"].take(s.dealer[games])
        self._cut(s, games, hand, seed)
        s.sheet[games] = 0
        s.desk[games, REDEALS] = np.minimum(s.redeals[games], 255)
        self._write_match(s, games)
        if rules.auction_silence_below is not None:  # T-AUC-10: strictly below
            s.silent[games] = (s.scores[games] < rules.auction_silence_below) @ (1 << np.arange(p))
        return questions.ask_dark(s, t, games)

    def _cut(self, s: ThousandState, games: I64, hand: I64, seed: int) -> None:
        """Three nines cut in a row fine the cutter, the seat right of the dealer (T-CUT-01, T-CUT-04)."""
        if self.rules.cut_ritual == "off":
            return
        keys = deals.stream_keys(seed, s.game_id[games], hand, deals.CHANCE)
        nines = np.ones(len(games), np.bool_)
        for draw in range(3):
            nines &= deals.integers(keys, draw, CARDS) % NUM_RANKS == NINE
        cutter = (s.dealer[games].astype(np.int64) - 1) % self.rules.players
        nines &= ~s.barrel[games, cutter]
        games, cutter = games[nines], cutter[nines]
        s.scores[games, cutter] -= CUT_FINE
        s.facts[games] |= self.tables.fact["fined"].take(cutter)

    def _write_match(self, s: ThousandState, games: I64) -> None:
        """Write the match on the score sheet; it does not change in the course of a deal."""
        rules = self.rules
        scores, barrel = s.scores[games], s.barrel[games]
        shown = np.minimum(np.maximum(scores, -2048), 2047) + 2048
        goal = np.where(barrel, rules.target, rules.barrel_at or rules.target)
        columns = np.empty((*scores.shape, LAST_CONTRACT + 1), np.uint8)
        columns[:, :, SCORE] = shown >> 4
        columns[:, :, SCORE_LOW] = shown & 15
        columns[:, :, TO_GO] = np.minimum(np.maximum(goal - scores, 0), 255)
        for column, array in ((BOLTS, s.bolts), (ATTEMPTS, s.attempts), (FALLS, s.falls), (WRITE_OFFS, s.write_offs)):
            columns[:, :, column] = np.minimum(array[games], 255)
        columns[:, :, LAST_CONTRACT] = s.last_contracts[games] // 5
        s.sheet[games, :, : LAST_CONTRACT + 1] = columns
        s.desk[games, DEALS] = np.minimum(s.deals_played[games], 255)
        if rules.barrel_at is not None:
            flags = np.where(barrel, self.tables.fact["barrel"][:-1], np.uint64(0))
            rest = s.facts[games] & ~np.bitwise_or.reduce(self.tables.fact["barrel"])
            s.facts[games] = rest | np.bitwise_or.reduce(flags, axis=1)
        if rules.golden == "on":
            s.married[games[s.golden_made[games]]] |= BIT[table_bit(rules.players, "golden_made")]

    # Legality.

    def legal_words(self, s: ThousandState) -> U64:
        """Legal actions of the seat to act. uint64 [N, W]."""
        t = self.tables
        words = np.zeros((len(s), t.space.words), np.uint64)
        words[:, 0] = play.legal(s, t)
        other = np.flatnonzero(s.phase != PLAY)
        phase = s.phase[other]
        for kind, row in self._yes_no.items():
            games = other[phase == kind]
            if len(games):
                words[games] = row
        for kind, legal in ((AUCTION, auction.legal), (CONTRACT, talon.legal_contract), (GIVE, talon.legal_give)):
            games = other[phase == kind]
            if len(games):
                words[games] = legal(s, t, games)
        finished = s.player < 0
        if finished.any():
            words[finished] = 0
        return words

    # Transitions.

    def advance(self, s: ThousandState, actions: I64, rewards: F32, seed: int) -> None:
        """Carry out legal actions; -1 leaves a game alone."""
        other = np.flatnonzero((s.phase != PLAY) & (actions >= 0))
        phase, acts = s.phase[other], actions[other]
        over = [play.advance(s, self.tables, actions)]
        thrown: list[I64] = []
        for kind in np.flatnonzero(np.bincount(phase, minlength=1)).tolist() if len(other) else []:
            chosen = phase == kind
            self._act(s, kind, other[chosen], acts[chosen], thrown, over)
        finished = np.concatenate(over)
        if len(finished):
            self._end_deal(s, finished, rewards, seed)
        if thrown:
            self._deal_again(s, np.concatenate(thrown), seed)

    def _act(self, s: ThousandState, kind: int, games: I64, actions: I64, thrown: list[I64], over: list[I64]) -> None:
        """Actions of games in one phase (not PLAY); adds to the games thrown in and to those whose deal is over."""
        t = self.tables
        if kind == DARK:
            thrown.append(questions.answer_dark(s, t, games, actions == t.space.dark))
        elif kind == HAND_REDEAL:
            thrown.append(questions.answer_hand(s, t, games, actions == t.space.redeal))
        elif kind == INFO:
            thrown.append(questions.answer_info(s, t, games, actions))
        elif kind == AUCTION:
            thrown.append(auction.act(s, t, games, actions))
        elif kind == TALON:
            thrown.append(talon.take(s, t, games, actions - t.space.talon))
        elif kind == TALON_REDEAL:
            thrown.append(talon.answer_talon(s, t, games, actions == t.space.redeal))
        elif kind == CONTRACT:
            over.append(talon.name_contract(s, t, games, actions))
        elif kind == GIVE:
            again, off = talon.give(s, t, games, actions)
            thrown.append(again)
            over.append(off)
        else:
            thrown.append(talon.answer_pass(s, t, games, actions == t.space.redeal))

    def _end_deal(self, s: ThousandState, games: I64, rewards: F32, seed: int) -> None:
        """Write the deal down, pay, and go on to the next deal or finish."""
        rules = self.rules
        scoring.settle(s, self.tables, games)
        if rules.deals is not None and self.episode == "match":  # T-TOUR-01
            last = games[(s.deals_played[games] >= rules.deals) & (s.winner[games] == UNDECIDED)]
            scores = s.scores[last]
            best = scores.max(axis=1)
            shared = (scores == best[:, None]).sum(axis=1) > 1
            s.winner[last] = s.last_winner[last] = np.where(shared, DRAW, np.argmax(scores, axis=1))
        winner = s.winner[games]
        if self.reward == "points":
            gains = s.last_gains[games]
            mean = (gains.sum(axis=1, keepdims=True) - gains) / (rules.players - 1)
            rewards[games] += ((gains - mean) / self.scale).astype(np.float32)
        else:
            decided = games[winner != UNDECIDED]
            rewards[decided] += scoring.by_rank(s.scores[decided], s.winner[decided], self._places).astype(np.float32)

        over = (winner != UNDECIDED) | (self.episode == "hand")
        s.player[games[over]] = -1
        self._write_match(s, games[over])
        more = games[~over]
        if len(more):
            s.dealer[more] = (s.dealer[more] + 1) % rules.players  # T-DEAL-01
            self.deal(s, more, seed)
