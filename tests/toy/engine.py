"""Deals, legal actions, transitions and scores of Dozen, for N games at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bidtrick.envs.core import deals, tricks
from bidtrick.envs.core.bits import BIT, I64, U64

from .rules import DozenRules
from .state import BID, CARDS, NO_SUIT, PLAY, RANKS, STRENGTH, SUIT_WORDS, DozenState

#: Actions: 0..11 the cards, 12 pass, 12 + n a bid of n tricks.
PASS = CARDS


class Engine:
    def __init__(self, rules: DozenRules, episode: str, reward: str, context: str) -> None:
        self.rules, self.episode, self.reward, self.context = rules, episode, reward, context

    def begin(self, s: DozenState, games: I64, seed: int, options: Mapping[str, Any]) -> None:
        keys = deals.stream_keys(seed, s.game_id[games], s.hand_id[games], deals.CONTEXT)
        s.dealer[games] = options.get("dealer", deals.integers(keys, 0, self.rules.players))
        s.scores[games] = 0
        if self.context == "sampled":
            for seat in range(self.rules.players):
                s.scores[games, seat] = deals.integers(keys, 1 + seat, self.rules.target)
        if "scores" in options:
            s.scores[games] = options["scores"]
        s.hand_number[games] = 0
        self.deal(s, games, seed, options.get("deal"))

    def deal(self, s: DozenState, games: I64, seed: int, hands: U64 | None = None) -> None:
        """D-EQP-01."""
        if hands is None:
            decks = deals.shuffle(seed, s.game_id[games], s.hand_id[games], CARDS)
            hands = deals.words_of_packets(decks, (self.rules.hand_size,) * self.rules.players)
        s.hand_id[games] += 1
        s.hands[games] = hands
        for array in (s.played, s.table, s.calls, s.taken, s.bid, s.leader, s.log_length):
            array[games] = 0
        s.bidder[games] = -1
        s.led[games], s.code[games] = NO_SUIT, tricks.EMPTY
        s.phase[games] = BID
        s.player[games] = (s.dealer[games] + 1) % self.rules.players

    def legal_words(self, s: DozenState) -> U64:
        """uint64 [N, 1]."""
        seat = np.maximum(s.player, 0)
        held = s.hands[np.arange(len(s)), seat]
        follow = held & SUIT_WORDS.take(s.led)
        cards = np.where(follow != 0, follow, held)
        size = self.rules.hand_size
        higher = (np.uint64(1 << size) - BIT.take(s.bid)) << np.uint64(PASS + 1)  # D-BID-01
        stuck = (s.bid == 0) & (seat == s.dealer)
        words = np.where(s.phase == PLAY, cards, higher | np.where(stuck, np.uint64(0), BIT[PASS]))
        return np.where(s.player < 0, np.uint64(0), words)[:, None]

    def advance(self, s: DozenState, actions: I64, rewards: Any, seed: int) -> None:
        acting = actions >= 0
        games = np.flatnonzero(acting)
        s.log[games, s.log_length[games]] = actions[games] * 4 + s.player[games]
        s.log_length[games] += 1
        bids = np.flatnonzero(acting & (s.phase == BID))
        plays = np.flatnonzero(acting & (s.phase == PLAY))
        self._bid(s, bids, actions[bids] - PASS)
        over = self._play(s, plays, actions[plays])
        if len(over):
            self._end(s, over, rewards, seed)

    def _bid(self, s: DozenState, games: I64, value: I64) -> None:
        seat = s.player[games]
        s.calls[games, seat] = value + 1
        real = value > 0
        s.bid[games[real]] = value[real]
        s.bidder[games[real]] = seat[real]
        last = seat == s.dealer[games]
        s.player[games] = np.where(last, s.bidder[games], (seat + 1) % self.rules.players)
        s.leader[games] = s.player[games]
        s.phase[games[last]] = PLAY

    def _play(self, s: DozenState, games: I64, card: I64) -> I64:
        """D-PLAY-01. Returns the games whose hand is over."""
        players, seat = self.rules.players, s.player[games]
        word = BIT.take(card)
        s.hands[games, seat] &= ~word
        s.played[games, seat] |= word
        s.table[games, seat] |= word
        s.led[games] = np.where(s.led[games] == NO_SUIT, card // RANKS, s.led[games])
        place = (seat - s.leader[games]) % players
        s.code[games] = np.maximum(s.code[games], tricks.codes(STRENGTH[s.led[games], card], place))
        s.player[games] = (seat + 1) % players
        full = games[place == players - 1]
        winner = (s.leader[full] + tricks.order_of(s.code[full])) % players
        s.taken[full, winner] += 1
        s.leader[full] = s.player[full] = winner
        s.table[full] = 0
        s.led[full], s.code[full] = NO_SUIT, tricks.EMPTY
        return full[(s.hands[full] == 0).all(axis=1)]

    def _end(self, s: DozenState, games: I64, rewards: Any, seed: int) -> None:
        """D-SCR-01, D-END-01."""
        rules, rows = self.rules, np.arange(len(games))
        bidder, bid, taken = s.bidder[games], s.bid[games], s.taken[games].astype(np.int32)
        gain = taken.copy()
        gain[rows, bidder] = np.where(taken[rows, bidder] >= bid, taken[rows, bidder], -bid)
        scores = s.scores[games] + gain
        turn = (np.arange(rules.players) - s.dealer[games, None] - 1) % rules.players
        rank = scores * 16 + 8 * (np.arange(rules.players) == bidder[:, None]) - turn
        winner = np.where((scores >= rules.target).any(axis=1), rank.argmax(axis=1), -1)
        s.scores[games] = scores
        s.hand_number[games] += 1
        for name, value in (
            ("bid", bid), ("bidder", bidder), ("taken", taken), ("gain", gain), ("scores", scores), ("winner", winner)
        ):  # fmt: skip
            getattr(s, f"last_{name}")[games] = value
        share = gain / rules.hand_size
        if self.reward == "match":
            share = (np.arange(rules.players) == winner[:, None]).astype(float)
        rewards[games] += share - (share.sum(axis=1, keepdims=True) - share) / (rules.players - 1)
        over = (winner >= 0) | (s.hand_number[games] >= rules.max_hands) | (self.episode == "hand")
        s.player[games[over]] = -1
        more = games[~over]
        s.dealer[more] = (s.dealer[more] + 1) % rules.players
        self.deal(s, more, seed)
