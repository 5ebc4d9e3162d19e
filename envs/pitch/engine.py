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
from ..core.bits import I64, U64
from . import auction, fill, play
from .rules import PitchRules
from .scoring import makes_target, own_entry, score_hand
from .state import (
    DEALT,
    HELD,
    MOON_FAILED,
    MOON_MADE,
    NO_MOON,
    NOT_CALLED,
    SCORE,
    SIGN,
    TO_GO,
    PitchState,
)  # fmt: skip
from .tables import BID, BURN, CALL, CARDS, DISCARD, KITTY, MISDEAL, NO_CARD, NO_TRUMP, PLAY, TRUMP, tables

F32 = npt.NDArray[np.float32]

#: A sampled score lies between minus this part of the target and the target (context "sampled").
SAMPLED_BELOW = 4


class Engine:
    """Transitions of a `PitchState`. It holds no state of its own."""

    def __init__(self, rules: PitchRules, episode: str, reward: str, context: str, reward_scale: float) -> None:
        self.rules, self.tables = rules, tables(rules)
        self.episode, self.reward, self.context, self.scale = episode, reward, context, reward_scale

    # Beginning.

    def begin(self, s: PitchState, games: I64, seed: int, options: Mapping[str, Any]) -> None:
        """Begin an episode: match state from the options, drawn (context "sampled") or new; then a deal."""
        s.scores[games] = 0
        s.hand_number[games] = 0
        keys = deals.stream_keys(seed, s.game_id[games], s.hand_id[games], deals.FIRST_DEALER)
        s.dealer[games] = deals.integers(keys, 0, self.rules.players)  # P-EQP-04
        if self.context == "sampled":
            self._sample(s, games, seed)
        for name, array in (("scores", s.scores), ("hand_number", s.hand_number), ("dealer", s.dealer)):
            if name in options:
                array[games] = options[name]
        s.winners[games] = False
        self._write_scores(s, games)
        self.deal(s, games, seed, options.get("deal"))

    def _sample(self, s: PitchState, games: I64, seed: int) -> None:
        """Draw the match state of an episode: scores from below zero to below the target, hands played so far."""
        keys = deals.stream_keys(seed, s.game_id[games], s.hand_id[games], deals.CONTEXT)
        target = self.rules.target
        below = target // SAMPLED_BELOW
        for entry in range(self.rules.entries):
            s.scores[games, entry] = deals.integers(keys, entry, target + below) - below
        if self.rules.win_by_lead:  # a lead that has won the match already is cut
            scores = s.scores[games]
            s.scores[games] = np.maximum(scores, scores.max(axis=1, keepdims=True) - self.rules.win_by_lead + 1)
        s.hand_number[games] = deals.integers(keys, 5, min(self.rules.max_hands, 12))

    def deal(self, s: PitchState, games: I64, seed: int, deck: I64 | None = None) -> None:
        """Deal a hand (P-DEAL-01, P-5H-01): blocks of cards by seat, then the stock or the blind."""
        t = self.tables
        if deck is None:
            deck = deals.shuffle(seed, s.game_id[games], s.hand_id[games], len(t.deck))
            if len(t.deck) < CARDS:
                deck = t.deck.take(deck)
        s.hand_id[games] += 1
        hands = deals.words_of_packets(deck, (t.hand_size,) * t.players)
        s.cards[games] = 0
        s.cards[games, :, HELD] = s.cards[games, :, DEALT] = hands
        s.when[games] = 0
        if t.stock_size:
            s.stock[games, : t.stock_size] = deck[:, t.hand_size * t.players :]
        s.stock_end[games] = t.stock_size
        s.sheet[games, :SCORE] = 0
        for array in (s.stock_next, s.bid, s.kitty_size, s.tricks, s.trick_points, s.leader, s.alive, s.log_length):
            array[games] = 0
        s.shown[games] = s.filled[games] = False
        s.bidder[games] = s.partner[games] = -1
        s.trump[games] = NO_TRUMP
        s.called[games] = NO_CARD
        s.called_from[games] = NOT_CALLED
        s.code[games] = tricks.EMPTY
        s.flags[games] = t.dealer_flag.take(s.dealer[games])
        auction.begin(t, s, games)

    def _write_scores(self, s: PitchState, games: I64) -> None:
        """The scores as an observation shows them, one byte a seat (SCORE, TO_GO, SIGN)."""
        scores = s.scores[games].astype(np.int64)
        if not self.rules.five:
            scores = scores[:, [0, 1, 0, 1]]
        p = self.rules.players
        # 64 steps to the target, zero at 128: clipped two targets away from zero on either side
        s.sheet[games, SCORE, :p] = np.clip(128 + scores * 64 // self.rules.target, 0, 255)
        s.sheet[games, TO_GO, :p] = np.clip(self.rules.target - scores, 0, 255)
        s.sheet[games, SIGN, :p] = np.sign(scores) + 1

    # Legality.

    def legal_words(self, s: PitchState) -> U64:
        """Legal actions of the seat to act. uint64 [N, W], empty for finished games."""
        t = self.tables
        n = len(s)
        words = np.zeros((n, t.actions.words), np.uint64)
        seat = np.maximum(s.player, 0)
        held = s.cards.reshape(-1).take((np.arange(n) * t.players + seat) * 8 + HELD)
        playing = (s.phase == PLAY) & (s.player >= 0)
        words[:, 0] = np.where(playing, held, 0)
        other = np.flatnonzero(~playing & (s.player >= 0))
        if len(other):
            self._other_words(s, other, words)
        if t.players == 5 or self.rules.first_lead_natural:
            first = np.flatnonzero(playing & (s.tricks == 0))
            words[first, 0] = play.bind_first_trick(t, s, first, held[first])
        return words

    def _other_words(self, s: PitchState, games: I64, words: U64) -> None:
        """Write the legal actions of games that are in another phase than the play."""
        t, rules = self.tables, self.rules
        phase = s.phase[games]
        fixed = t.phase_words.take(phase, axis=0)
        bidding = np.flatnonzero(phase == BID)
        bidders = games[bidding]
        seat = s.player[bidders]
        moon = np.ones(len(bidders), np.int64)
        if not rules.moon_allowed_below_zero:  # BD-10
            moon = s.scores[bidders, own_entry(rules, seat)] >= 0
        row = (s.bid[bidders].astype(np.int64) * 2 + (seat == s.dealer[bidders])) * 2 + moon
        fixed[bidding] = t.bids.take(row, axis=0)
        words[games] = fixed
        burning = games[phase == BURN]
        if len(burning):
            words[burning, 0] = fill.burnable(t, s, burning)
        calling = games[phase == CALL]
        if len(calling):  # P-5H-02, P-5H-03
            callable_ = t.trumps.take(s.trump[calling])
            if not rules.call_own:
                callable_ = callable_ & ~s.cards[calling, s.player[calling], HELD]
            words[calling, 0] = callable_
        if rules.discarded_trump != "forbidden":
            throwing = games[phase == DISCARD]
            words[throwing, 0] |= s.cards[throwing, s.player[throwing], HELD]

    # Transitions.

    def advance(self, s: PitchState, actions: I64, rewards: F32, seed: int) -> None:
        """Carry out legal actions; -1 leaves a game alone."""
        t = self.tables
        acting = actions >= 0
        playing = acting & (s.phase == PLAY)
        other = np.flatnonzero(acting & ~playing)
        phase, chosen = s.phase[other], actions[other]
        if len(other):
            self._write_log(s, other, phase, chosen)
        complete = play.play(t, s, actions, playing)
        over = play.end_trick(t, s, complete) if len(complete) else complete
        if len(other):
            more, void = self._other(s, other, phase, chosen)
            over = np.concatenate([over, more])
            if len(void):  # P-EQP-04, BD-44: the same dealer deals again
                self.deal(s, void, seed)
        if len(over):
            self._end_hand(s, over, rewards, seed)

    def _write_log(self, s: PitchState, games: I64, phase: npt.NDArray[np.int8], actions: I64) -> None:
        """Keep the public ones of these actions: no answers about a misdeal (BD-6), no cards that are not shown."""
        secret = phase == MISDEAL
        if self.rules.discarded_trump != "forbidden":
            secret |= (phase == DISCARD) & (actions < CARDS)
        if not self.rules.burn_visible:
            secret |= phase == BURN
        games, actions = games[~secret], actions[~secret]
        s.log[games, s.log_length[games]] = actions * 8 + s.player[games]
        s.log_length[games] += 1

    def _other(self, s: PitchState, games: I64, phase: npt.NDArray[np.int8], actions: I64) -> tuple[I64, I64]:
        """All that is no play of a card. Returns hands that are over without a trick, and void hands."""
        t = self.tables

        def at(number: int) -> tuple[I64, I64]:
            index = np.flatnonzero(phase == number)
            return games[index], actions[index]

        void: list[I64] = []
        if self.rules.misdeal_rule != "none":
            void.append(auction.answer_misdeal(t, s, *at(MISDEAL)))
        void.append(auction.bid(t, s, *at(BID)))
        filling = auction.name_trump(t, s, *at(TRUMP))
        if t.players == 5:
            burning = auction.call(t, s, *at(CALL))
        else:
            if self.rules.discarded_trump != "forbidden":
                filling = np.concatenate([filling, fill.discard(t, s, *at(DISCARD))])
            burning = fill.decide_leftovers(t, s, *at(KITTY))
            if len(filling):
                burning = np.concatenate([burning, fill.leftovers(t, s, fill.fill(t, s, filling))])
        burned, cards = at(BURN)
        if len(burned):
            going_on, spoilt = fill.burn(t, s, burned, cards)
            void.append(spoilt)
            burning = np.concatenate([burning, going_on])
        ready = fill.ask_to_burn(t, s, burning)
        return play.start(t, s, ready), np.concatenate(void)

    # The end of a hand.

    def _end_hand(self, s: PitchState, games: I64, rewards: F32, seed: int) -> None:
        """Write the hand down, pay, and go on to the next hand or finish (P-PLAY-05, sections 13 to 16)."""
        rules, t = self.rules, self.tables
        bidder, bid = s.bidder[games].astype(np.int64), s.bid[games].astype(np.int64)
        took, against = play.points_by_side(t, s, games)
        before = s.scores[games].astype(np.int64)
        early = np.zeros(len(games), np.bool_)
        if rules.check == "mid_hand":  # BD-34
            early = makes_target(rules, before, bidder, bid, took) & (s.tricks[games] > 0)
        scores, made, winners = score_hand(rules, before, bidder, s.partner[games], bid, took, against, early)
        s.scores[games] = scores
        s.winners[games] = winners
        s.hand_number[games] += 1
        self._write_scores(s, games)
        decided = winners.any(axis=1)
        moon = bid > rules.total
        s.last_bid[games] = bid
        s.last_bidder[games] = bidder
        for name in ("partner", "dealer", "trump", "called", "called_from", "tricks"):
            getattr(s, f"last_{name}")[games] = getattr(s, name)[games]
        s.last_took[games] = took
        s.last_against[games] = against
        s.last_made[games] = made
        s.last_moon[games] = np.where(moon, np.where(made, MOON_MADE, MOON_FAILED), NO_MOON)
        s.last_points[games] = play.points_by_seat(t, s, games)
        s.last_gain[games] = scores - before
        s.last_scores[games] = scores
        s.last_winners[games] = winners
        s.last_truncated[games] = ~decided & (s.hand_number[games] >= rules.max_hands)  # P-END-05

        gain = scores - before
        if self.reward == "match":
            share = winners / np.maximum(winners.sum(axis=1, keepdims=True), 1)
        else:
            lost = moon & ~made & (rules.moon_mode in ("source", "instant"))
            # a failed moon loses the match although it leaves the score as it is: it costs the whole target
            share = (
                np.where(
                    lost[:, None] & (np.arange(rules.entries) == own_entry(rules, bidder)[:, None]), -rules.target, gain
                )
                / self.scale
            )
        rewards[games] += self._centred(share)

        finished = decided | s.last_truncated[games] | (self.episode == "hand")
        s.player[games[finished]] = -1
        s.shown[games[finished]] = True
        more = games[~finished]
        if len(more):
            s.dealer[more] = (s.dealer[more] + 1) % rules.players  # P-EQP-04
            self.deal(s, more, seed)

    def _centred(self, share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Rewards of the seats from values of the score entries: own value less the mean of the others'. [n, P]."""
        total = share.sum(axis=1, keepdims=True)
        others = (total - share) / (self.rules.entries - 1)
        reward = share - others
        return reward if self.rules.five else reward[:, [0, 1, 0, 1]]
