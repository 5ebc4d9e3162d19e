"""Batched Schieber: state transitions and scoring (ids of RULES.md in the comments).

One call advances N games that may be in different phases. Card plays are done on whole arrays, with a
column of no effect in every table for games that do something else; the rare events (a choice of contract,
a Stöck, the end of a trick, of a hand, of a match) are done on the games concerned only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import deals, tricks
from ..core.bits import BIT, I64, U64
from .rules import SchieberRules
from .state import BONUS, DRAW, POINTS, SCORES, STOCK, TRICKS, UNDECIDED, WEIS, SchieberState
from .tables import (
    BANNER,
    CARDS,
    COLUMN_BITS,
    COLUMNS,
    CONTRACT_ACTIONS,
    CONTRACT_SHIFT,
    FIRST_CONTRACT,
    FIRST_HAND_BIT,
    FLAGS,
    NO_CONTRACT,
    NO_SUIT,
    PLAY_BIT,
    PLAY_CARD,
    PUSH,
    PUSH_ACTION,
    SEVEN,
    STRENGTHS,
    Tables,
    tables,
)  # fmt: skip
from .weis import declared_sets, declared_values

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

_LEADER = FLAGS.column("leader")
_DECLARER = FLAGS.column("declarer")
_FOREHAND = FLAGS.column("forehand")
_PUSHED = FLAGS.column("pushed")
_STOCK = FLAGS.column("stock")
_NOT_LEADER = ~np.bitwise_or.reduce(_LEADER)
_CONTRACT_FLAG: U64 = np.array([(1 << (CONTRACT_SHIFT + c)) | (1 << PLAY_BIT) for c in range(6)], np.uint64)

#: J-DEAL-02: the card whose holder is the first forehand of a match.
_FIRST_CARD = {"rosen_7": 9 + SEVEN, "schellen_7": 27 + SEVEN, "schellen_banner": 27 + BANNER}


class Engine:
    """Transitions of a `SchieberState`. It holds no state of its own but scratch for rewards."""

    def __init__(self, rules: SchieberRules, episode: str, reward: str, context: str, reward_scale: float) -> None:
        self.rules, self.tables = rules, tables(rules)
        self.episode, self.reward, self.context, self.scale = episode, reward, context, reward_scale
        self.early = rules.early_stock if rules.live_target and rules.stock else "off"

    # Beginning.

    def begin(self, s: SchieberState, games: I64, seed: int, options: Mapping[str, Any]) -> None:
        """Begin an episode: match state from the options, drawn (context "sampled") or new; then a deal."""
        s.scores[games] = 0
        s.hand_number[games] = 0
        forehand = np.full(len(games), -1, np.int64)
        if self.context == "sampled":
            keys = deals.stream_keys(seed, s.game_id[games], s.hand_id[games], deals.CONTEXT)
            forehand = deals.integers(keys, 0, 4)
            limit = self.rules.target if self.rules.live_target else 1
            for team in (0, 1):
                s.scores[games, team] = deals.integers(keys, 1 + team, limit)
            s.hand_number[games] = 1
        if "scores" in options:
            s.scores[games] = options["scores"]
        if "hand_number" in options:
            s.hand_number[games] = options["hand_number"]
        if "dealer" in options:
            forehand = (np.asarray(options["dealer"], np.int64) + 1) & 3
        s.winner[games] = UNDECIDED
        self.deal(s, games, seed, forehand, options.get("deal"))

    def deal(self, s: SchieberState, games: I64, seed: int, forehand: I64, hands: U64 | None = None) -> None:
        """Deal a hand (J-DEAL-01); `forehand` -1 is decided by the cards (J-DEAL-02)."""
        if hands is None:
            deck = deals.shuffle(seed, s.game_id[games], s.hand_id[games], CARDS)
            hands = deals.words_of_packets(deck, (9, 9, 9, 9))
        by_card = forehand < 0
        if by_card.any():
            if self.rules.first_forehand == "random":
                keys = deals.stream_keys(seed, s.game_id[games], s.hand_id[games], deals.FIRST_DEALER)
                named = deals.integers(keys, 0, 4)
            else:
                named = np.argmax((hands & BIT[_FIRST_CARD[self.rules.first_forehand]]) != 0, axis=1)
            forehand = np.where(by_card, named, forehand)
        s.hand_id[games] += 1
        s.hands[games] = hands
        for array in (s.played, s.table, s.when, s.weis_cards, s.shown, s.sheet):
            array[games] = 0
        for array in (s.weis_tens, s.weis_key, s.pair, s.order, s.tricks, s.trick_points, s.pushes):
            array[games] = 0
        s.flags[games] = _FOREHAND.take(forehand) | _LEADER.take(forehand)
        if self.rules.first_forehand != "random":
            s.flags[games[by_card]] |= BIT[FIRST_HAND_BIT]
        s.code[games] = tricks.EMPTY
        s.led[games] = NO_SUIT
        s.contract[games] = NO_CONTRACT
        s.multiplier[games] = 1
        s.declarer[games] = s.pair_seat[games] = -1
        s.forehand[games] = s.leader[games] = s.player[games] = forehand
        s.start_scores[games] = s.scores[games]
        if self.rules.weis:
            # the sum of a hand's sets does not depend on the contract: each seat knows its own from the deal
            tens = declared_values(hands.ravel(), self.rules) // np.int16(10)
            s.weis_tens[games] = tens.reshape(-1, 4)
        s.sheet[games, :, SCORES] = self.tables.score_bytes.take(s.scores[games], axis=0, mode="clip")

    # Legality.

    def legal_words(self, s: SchieberState) -> U64:
        """Legal actions of the seat to act, one word a game. uint64 [N, 1]."""
        t: Tables = self.tables
        held = s.hands.ravel().take(np.arange(0, 4 * len(s), 4) + (s.player & 3), mode="clip")
        best = np.maximum(tricks.strength_of(s.code), 0)
        index = ((s.contract.astype(np.int64) * 5 + s.led) * STRENGTHS) | best
        # holding a suited card: the allowed ones; nothing but trumps: everything; else what is not forbidden
        words = held & t.not_forbidden.take(index, mode="clip")
        only_trumps = (held & t.plain.take(s.contract, mode="clip")) == 0
        np.copyto(words, held, where=only_trumps)
        bound = (held & t.suited.take(index, mode="clip")) != 0
        np.copyto(words, held & t.allowed.take(index, mode="clip"), where=bound)
        choosing = np.flatnonzero(s.contract == NO_CONTRACT)
        if len(choosing):
            # J-CON-01, J-CON-02: forehand may push; the partner only once more, if the rules let him push back
            may_push = s.pushes[choosing] < (2 if self.rules.push_back else 1)
            words[choosing] = np.where(may_push, CONTRACT_ACTIONS | PUSH_ACTION, CONTRACT_ACTIONS)
        finished = s.player < 0
        if finished.any():
            words[finished] = 0
        return words[:, None]

    # Transitions.

    def advance(self, s: SchieberState, actions: I64, rewards: F32, seed: int) -> None:
        """Carry out legal actions; -1 leaves a game alone."""
        t = self.tables
        a = actions & (COLUMNS - 1)  # NO_ACTION becomes a column of no effect
        playing = a < CARDS
        seat = s.player & np.int8(3)
        rows = np.arange(len(s))
        slot = rows * 4 + seat
        card = PLAY_CARD.take(a, mode="clip")
        led = t.led.take((s.led.astype(np.int64) << COLUMN_BITS) | a, mode="clip")
        contract = s.contract.astype(np.int64)
        index = ((contract * 5 + led) << COLUMN_BITS) | a
        power = t.strength.take(index, mode="clip")
        under = power < tricks.strength_of(s.code)

        s.hands.ravel()[slot] &= ~card
        s.played.ravel()[slot] |= card
        s.table.ravel()[slot] |= card
        s.when.ravel()[(rows << COLUMN_BITS) | a] = (s.tricks << np.int8(2)) + s.order + np.int8(1)
        s.flags |= t.voids.take((index << 1) | under, mode="clip") << seat.astype(np.uint64)
        s.trick_points += t.points.take((contract << COLUMN_BITS) | a, mode="clip")
        s.led = led.astype(np.int8)
        np.maximum(s.code, tricks.codes(power, s.order), out=s.code)
        s.order += playing
        s.player += playing  # a finished game stays at -1: its action is NO_ACTION
        s.player -= (s.player == 4).view(np.int8) << np.int8(2)

        ended: list[I64] = []
        choosing = np.flatnonzero(actions >= FIRST_CONTRACT)
        if len(choosing):
            self._choose(s, choosing, a[choosing])
            ended.append(choosing[s.winner[choosing] >= 0])
        paired = np.flatnonzero(card & s.pair)
        if len(paired):
            self._play_pair(s, paired, card[paired])
            ended.append(paired[s.winner[paired] >= 0])
        complete = np.flatnonzero(s.order == 4)
        if len(complete):
            complete = complete[s.winner[complete] < 0]
            self._end_trick(s, complete)
            over = (s.winner[complete] >= 0) | (s.tricks[complete] == 9)
            ended.append(complete[over])
        finished = np.concatenate(ended) if ended else np.zeros(0, np.int64)
        if len(finished):
            self._end_hand(s, finished, rewards, seed)

    def _choose(self, s: SchieberState, games: I64, actions: I64) -> None:
        """Push, or fix the contract (J-CON-01..04)."""
        seat = s.player[games]
        push = actions == PUSH
        pushing = games[push]
        s.pushes[pushing] += 1
        s.flags[pushing] |= _PUSHED.take(seat[push])
        s.player[pushing] = (seat[push] + 2) & 3
        games, seat = games[~push], seat[~push]
        if not len(games):
            return
        contract = actions[~push] - FIRST_CONTRACT
        forehand = s.forehand[games]
        s.contract[games] = contract
        s.declarer[games] = seat
        s.multiplier[games] = self.tables.multiplier.take(contract)
        s.player[games] = forehand
        s.flags[games] |= _DECLARER.take(seat) | _CONTRACT_FLAG.take(contract)
        hands = s.hands[games]
        pair = self.tables.pair.take(contract)[:, None]
        whole = ((hands & pair) == pair) & (pair != 0)
        some = whole.any(axis=1)
        s.pair[games] = np.where(some, pair[:, 0], 0)
        s.pair_seat[games] = np.where(some, np.argmax(whole, axis=1), -1)
        if self.rules.weis:
            row, seat = np.nonzero(s.weis_tens[games])
            _, key, cards = declared_sets(hands[row, seat], contract[row], self.rules)
            s.weis_key[games[row], seat] = key
            s.weis_cards[games[row], seat] = cards
        self._claim_early(s, games)

    def _play_pair(self, s: SchieberState, games: I64, card: U64) -> None:
        """A card of an unscored Stöck is played (J-STK-01): the second scores at once, also in mid-trick."""
        left = s.pair[games] & ~card
        s.pair[games] = left
        second = games[left == 0]
        seat = s.pair_seat[second]
        s.sheet[second, seat & 1, STOCK] = 2
        s.flags[second] |= _STOCK.take(seat)
        self._score(s, second, seat & 1, np.full(len(second), 20))
        self._claim_early(s, games[left != 0])

    def _end_trick(self, s: SchieberState, games: I64) -> None:
        winner = (s.leader[games] + tricks.order_of(s.code[games]).astype(np.int8)) & np.int8(3)
        team = winner & 1
        number = s.tricks[games] + np.int8(1)
        points = s.trick_points[games] + np.int16(5) * (number == 9)
        s.tricks[games] = number
        s.sheet[games, team, TRICKS] += 1
        s.table[games] = 0
        s.order[games] = 0
        s.trick_points[games] = 0
        s.code[games] = tricks.EMPTY
        s.led[games] = NO_SUIT
        s.leader[games] = s.player[games] = winner
        s.flags[games] = (s.flags[games] & _NOT_LEADER) | _LEADER.take(winner)

        first = games[number == 1]
        weis_first = self.rules.claim_order == "stock_weis_trick"
        if self.rules.weis and weis_first and len(first):
            self._score_weis(s, first)
        # J-END-02: the match ends at the first event that reaches the target, so a decided one counts no more
        open_ = s.winner[games] < 0
        games, team, points, number = games[open_], team[open_], points[open_], number[open_]
        s.sheet[games, team, POINTS] += points.astype(np.uint8)
        self._score(s, games, team, points)
        if self.rules.weis and not weis_first and len(first):
            self._score_weis(s, first[s.winner[first] < 0])
        if self.rules.match_bonus:
            last = games[number == 9]
            if len(last):
                won = s.sheet[last, :, TRICKS]
                swept = ((won == 9).any(axis=1)) & (s.winner[last] < 0)
                sweep, team = last[swept], np.argmax(won[swept], axis=1)
                s.sheet[sweep, team, BONUS] = self.rules.match_bonus // 10
                self._score(s, sweep, team, np.full(len(sweep), self.rules.match_bonus))

    def _score_weis(self, s: SchieberState, games: I64) -> None:
        """The team with the best set scores all sets of both its players (J-WEIS-04, J-WEIS-05)."""
        key = s.weis_key[games].astype(np.int32)
        order = (np.arange(4) - s.forehand[games][:, None]) & 3  # nearer to the first leader wins
        best = np.argmax(key * 4 + (3 - order), axis=1)
        some = key.max(axis=1) > 0
        games, team = games[some], best[some] & 1
        tens = s.weis_tens[games]
        total = np.where(team == 0, tens[:, 0] + tens[:, 2], tens[:, 1] + tens[:, 3])
        s.sheet[games, team, WEIS] = total
        if self.rules.weis_reveal != "values_only":
            mine = (np.arange(4)[None, :] & 1) == team[:, None]
            s.shown[games] = np.where(mine | (self.rules.weis_reveal == "all"), s.weis_cards[games], 0)
        self._score(s, games, team, total * np.int32(10))

    def _score(self, s: SchieberState, games: I64, team: npt.NDArray[Any], points: npt.NDArray[Any]) -> None:
        """One scoring event of undecided games (J-END-01), then an early claim (J-STK-02)."""
        total = s.scores[games, team] + points * s.multiplier[games]
        s.scores[games, team] = total
        s.sheet[games, team, SCORES] = self.tables.score_bytes.take(total, axis=0, mode="clip")
        if self.rules.live_target:
            reached = total >= self.rules.target
            if reached.any():
                s.winner[games[reached]] = team[reached]
            self._claim_early(s, games[~reached])

    def _claim_early(self, s: SchieberState, games: I64) -> None:
        """A Stöck not yet scored that reaches the target wins at once (J-STK-02)."""
        if self.early == "off" or not len(games):
            return
        if int(s.scores[games].max()) + 20 * max(self.rules.multipliers) < self.rules.target:
            return  # nobody is near: the usual case, decided at once
        pair = s.pair[games]
        may = pair != 0
        if self.early == "first_card":
            may &= np.bitwise_count(pair) == 1
        games = games[may]
        team = s.pair_seat[games] & 1
        total = s.scores[games, team] + 20 * s.multiplier[games]
        wins = total >= self.rules.target
        games, team = games[wins], team[wins]
        s.scores[games, team] = total[wins]
        s.sheet[games, team, STOCK] = 2
        s.sheet[games, team, SCORES] = self.tables.score_bytes.take(total[wins], axis=0, mode="clip")
        s.flags[games] |= _STOCK.take(s.pair_seat[games])
        s.pair[games] = 0
        s.winner[games] = team

    def _end_hand(self, s: SchieberState, games: I64, rewards: F32, seed: int) -> None:
        """Write the hand down, pay, and go on to the next hand or finish."""
        points = s.scores[games] - s.start_scores[games]
        s.hand_number[games] += 1
        hands = self.rules.hands
        if hands is not None and self.episode == "match":
            full = games[s.hand_number[games] >= hands]
            lead = s.scores[full, 0] - s.scores[full, 1]
            s.winner[full] = np.where(lead == 0, DRAW, (lead < 0).astype(np.int8))
        winner = s.winner[games]
        scores = s.scores[games]
        schneider = (winner >= 0) & (winner < DRAW) & (2 * scores.min(axis=1) < self.rules.target)
        if hands is not None:
            schneider[:] = False
        s.last_contract[games] = s.contract[games]
        s.last_declarer[games] = s.declarer[games]
        s.last_forehand[games] = s.forehand[games]
        s.last_pushes[games] = s.pushes[games]
        s.last_sheet[games] = s.sheet[games]
        s.last_points[games] = points
        s.last_scores[games] = scores
        s.last_winner[games] = winner
        s.last_schneider[games] = schneider

        if self.reward == "points":
            gain = (points[:, 0] - points[:, 1]) / self.scale
        else:  # J-END-03
            gain = np.array([1.0, -1.0, 0.0, 0.0])[winner] * np.where(schneider, self.rules.schneider_factor, 1)
        rewards[games] += np.stack([gain, -gain, gain, -gain], axis=1).astype(np.float32)

        over = (winner >= 0) | (self.episode == "hand")
        s.player[games[over]] = -1
        more = games[~over]
        if len(more):
            self.deal(s, more, seed, (s.forehand[more].astype(np.int64) + 1) & 3)
