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
from .state import (
    BONUS,
    CONTRACT,
    DECLARER,
    DRAW,
    FOREHAND,
    NO_BID,
    NO_CONTEXT,
    POINTS,
    PUSHES,
    SAFE,
    STOCK,
    TRICKS,
    UNDECIDED,
    WEIS,
    SchieberState,
)
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
    NO_SUIT,
    PLAY_BIT,
    PLAY_CARD,
    PUSH,
    PUSH_ACTION,
    SEVEN,
    STRENGTHS,
    tables,
)
from .weis import declared_sets, declared_values

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

_DECLARER = FLAGS.column("declarer")
_FOREHAND = FLAGS.column("forehand")
_PUSHED = FLAGS.column("pushed")
_STOCK = FLAGS.column("stock")
_CONTRACT_FLAG: U64 = np.array([(1 << (CONTRACT_SHIFT + c)) | (1 << PLAY_BIT) for c in range(6)], np.uint64)

#: What one more of a column adds to a score sheet read as a word; and the columns that a score decides.
_ADD = {column: np.uint64(1 << (8 * column)) for column in (POINTS, TRICKS, WEIS, STOCK, BONUS)}
_KEEP = ~np.uint64((1 << (8 * (SAFE + 1))) - 1)

_SEATS = np.arange(4)
_SIDES = np.array([1, -1, 1, -1], np.float32)

#: J-DEAL-02: the card whose holder is the first forehand of a match.
_FIRST_CARD = {"rosen_7": 9 + SEVEN, "schellen_7": 27 + SEVEN, "schellen_banner": 27 + BANNER}


class Engine:
    """Transitions of a `SchieberState`. It holds no state of its own but deals computed ahead."""

    def __init__(self, rules: SchieberRules, episode: str, reward: str, context: str, reward_scale: float) -> None:
        self.rules, self.tables = rules, tables(rules)
        self.episode, self.reward, self.context, self.scale = episode, reward, context, reward_scale
        self.early = rules.early_stock if rules.live_target and rules.stock else "off"
        self._near = rules.target - 20 * max(rules.multipliers)
        self._deals = deals.DealsAhead(self._make_deals)

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

    def _make_deals(self, seed: int, games: I64, hands: I64) -> tuple[npt.NDArray[Any], ...]:
        """Hands as words, and the tens of their Weis (J-DEAL-01). uint64 [n, 4], uint8 [n, 4]."""
        words = deals.words_of_packets(deals.shuffle(seed, games, hands, CARDS), (9, 9, 9, 9))
        return words, self._weis_tens(words)

    def _weis_tens(self, hands: U64) -> npt.NDArray[np.uint8]:
        # the sum of a hand's sets does not depend on the contract: each seat knows its own from the deal
        if not self.rules.weis:
            return np.zeros(hands.shape, np.uint8)
        return (declared_values(hands.ravel(), self.rules) // np.int16(10)).astype(np.uint8).reshape(-1, 4)

    def deal(self, s: SchieberState, games: I64, seed: int, forehand: I64, hands: U64 | None = None) -> None:
        """Deal a hand (J-DEAL-01); `forehand` -1 is decided by the cards (J-DEAL-02)."""
        ids, numbers = s.game_id[games], s.hand_id[games]
        if hands is None:
            hands, tens = self._deals.take(seed, ids, numbers, len(s))
        else:
            tens = self._weis_tens(hands)
        by_card = forehand < 0
        if by_card.any():
            if self.rules.first_forehand == "random":
                named = deals.integers(deals.stream_keys(seed, ids, numbers, deals.FIRST_DEALER), 0, 4)
            else:
                named = np.argmax((hands & BIT[_FIRST_CARD[self.rules.first_forehand]]) != 0, axis=1)
            forehand = np.where(by_card, named, forehand)
        flags = _FOREHAND.take(forehand)
        if self.rules.first_forehand != "random":
            flags |= by_card.astype(np.uint64) << np.uint64(FIRST_HAND_BIT)
        scores = s.scores[games]
        s.hand_id[games] = numbers + 1
        s.hands[games] = hands
        s.weis_tens[games] = tens
        s.flags[games] = flags
        s.sheet.view(np.uint64)[games, :, 0] = self.tables.scores.take(scores, mode="clip")
        for array in (s.played, s.before, s.when, s.weis_cards, s.shown, s.weis_key, s.pair, s.ply, s.trick_points):
            array[games] = 0
        s.code[games] = tricks.EMPTY
        s.context[games] = NO_CONTEXT
        s.bid[games] = NO_BID
        s.bid[games, FOREHAND] = forehand
        s.multiplier[games] = 1
        s.pair_seat[games] = -1
        s.leader[games] = forehand
        s.player[games] = forehand
        s.start_scores[games] = scores

    # Legality.

    def legal_words(self, s: SchieberState) -> U64:
        """Legal actions of the seat to act, one word a game. uint64 [N, 1]."""
        t = self.tables
        held = s.hands.ravel().take(np.arange(0, 4 * len(s), 4) + (s.player & 3), mode="clip")
        index = (s.context * STRENGTHS) + np.maximum(tricks.strength_of(s.code), 0)
        # holding a suited card: the allowed ones; nothing but trumps: everything; else what is not forbidden
        words = held & t.not_forbidden.take(index, mode="clip")
        np.copyto(words, held, where=(held & t.plain.take(index, mode="clip")) == 0)
        bound = (held & t.suited.take(index, mode="clip")) != 0
        np.copyto(words, held & t.allowed.take(index, mode="clip"), where=bound)
        choosing = np.flatnonzero(s.context == NO_CONTEXT)
        if len(choosing):
            # J-CON-01, J-CON-02: forehand may push; the partner only once more, if the rules let him push back
            may_push = s.bid[choosing, PUSHES] < (2 if self.rules.push_back else 1)
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
        rows = np.arange(len(s))
        seat = s.player & np.int8(3)
        slot = rows * 4 + seat
        card = PLAY_CARD.take(a, mode="clip")
        context = t.context.take((s.context << COLUMN_BITS) | a, mode="clip")
        index = (context << COLUMN_BITS) | a
        first = t.codes.take(index, mode="clip")
        order = s.ply & np.int8(3)

        s.hands.ravel()[slot] &= ~card
        s.played.ravel()[slot] |= card
        s.when.ravel()[(rows << COLUMN_BITS) | a] = s.ply + np.int8(1)
        s.trick_points += t.points.take(index, mode="clip")
        index <<= 1
        index |= first < s.code  # of two trumps the lower: an undertrump
        s.flags |= t.voids.take(index, mode="clip") << seat.astype(np.uint64)
        s.context = context
        np.maximum(s.code, first - order, out=s.code)
        s.ply += playing
        s.player += playing
        s.player[s.player == 4] = 0

        ended: list[I64] = []
        choosing = np.flatnonzero(actions >= FIRST_CONTRACT)
        if len(choosing):
            self._choose(s, choosing, a[choosing])
            ended.append(choosing[s.winner[choosing] >= 0])
        paired = np.flatnonzero(card & s.pair)
        if len(paired):
            self._play_pair(s, paired, card[paired])
            ended.append(paired[s.winner[paired] >= 0])
        complete = np.flatnonzero(order + playing == 4)
        if len(complete):
            if len(paired):
                complete = complete[s.winner[complete] < 0]
            self._end_trick(s, complete)
            over = (s.winner[complete] >= 0) | (s.ply[complete] == CARDS)
            ended.append(complete[over])
        finished = np.concatenate(ended) if ended else np.zeros(0, np.int64)
        if len(finished):
            self._end_hand(s, finished, rewards, seed)

    def _choose(self, s: SchieberState, games: I64, actions: I64) -> None:
        """Push, or fix the contract (J-CON-01..04)."""
        seat = s.player[games]
        push = actions == PUSH
        pushing = games[push]
        if len(pushing):
            s.bid[pushing, PUSHES] += 1
            s.flags[pushing] |= _PUSHED.take(seat[push])
            s.player[pushing] = (seat[push] + 2) & 3
            games, seat, actions = games[~push], seat[~push], actions[~push]
            if not len(games):
                return
        contract = actions - FIRST_CONTRACT
        s.context[games] = contract * 5 + NO_SUIT
        s.bid[games, CONTRACT] = contract
        s.bid[games, DECLARER] = seat
        s.multiplier[games] = self.tables.multiplier.take(contract)
        s.player[games] = s.bid[games, FOREHAND]
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
        if len(second):
            seat = s.pair_seat[second]
            s.flags[second] |= _STOCK.take(seat)
            self._score(s, second, seat & 1, 20, 2 * _ADD[STOCK])
        if self.early == "first_card":
            self._claim_early(s, games[left != 0])

    def _end_trick(self, s: SchieberState, games: I64) -> None:
        ply = s.ply[games]
        winner = (s.leader[games] + tricks.order_of(s.code[games]).astype(np.int8)) & np.int8(3)
        points = s.trick_points[games]
        points[ply == CARDS] += 5  # J-PTS-04
        s.before[games] = s.played[games]
        s.trick_points[games] = 0
        s.code[games] = tricks.EMPTY
        context = s.context[games]
        s.context[games] = context - context % 5 + NO_SUIT
        s.leader[games] = winner
        s.player[games] = winner
        sheet = s.sheet.view(np.uint64).ravel()
        sheet[games * 2 + (winner & 1)] += _ADD[TRICKS]

        first = games[ply == 4] if self.rules.weis else games[:0]
        weis_first = self.rules.claim_order == "stock_weis_trick"
        counted, team = games, winner & 1
        if len(first) and weis_first:
            self._score_weis(s, first)
            # J-END-02: the match ends at the first event that reaches the target, a decided one counts no more
            open_ = s.winner[games] < 0
            counted, team, points = games[open_], team[open_], points[open_]
        self._score(s, counted, team, points, points.astype(np.uint64) << np.uint64(8 * POINTS))
        if len(first) and not weis_first:
            self._score_weis(s, first[s.winner[first] < 0])
        if self.rules.match_bonus:
            last = games[ply == CARDS]
            if len(last):
                won = s.sheet[last, :, TRICKS]
                swept = ((won == 9).any(axis=1)) & (s.winner[last] < 0)
                if swept.any():
                    bonus = self.rules.match_bonus
                    self._score(s, last[swept], np.argmax(won[swept], axis=1), bonus, bonus // 10 * _ADD[BONUS])

    def _score_weis(self, s: SchieberState, games: I64) -> None:
        """The team with the best set scores all sets of both its players (J-WEIS-04, J-WEIS-05)."""
        key = s.weis_key[games].astype(np.int32)
        order = (_SEATS - s.bid[games, FOREHAND][:, None]) & 3  # nearer to the first leader wins
        best = np.argmax(key * 4 + (3 - order), axis=1)
        some = key.any(axis=1)
        games, team = games[some], best[some] & 1
        if not len(games):
            return
        tens = s.weis_tens[games]
        total = np.where(team == 0, tens[:, 0] + tens[:, 2], tens[:, 1] + tens[:, 3])
        if self.rules.weis_reveal != "values_only":
            mine = team[:, None] == (_SEATS & 1)
            s.shown[games] = np.where(mine | (self.rules.weis_reveal == "all"), s.weis_cards[games], 0)
        self._score(s, games, team, total * np.int32(10), total.astype(np.uint64) << np.uint64(8 * WEIS))

    def _score(self, s: SchieberState, games: I64, team: Any, points: Any, columns: Any) -> None:
        """One scoring event of undecided games (J-END-01), then an early claim (J-STK-02).

        `columns` is what the event adds to the team's score sheet, read as a word.
        """
        slot = games * 2 + team
        scores, sheet = s.scores.ravel(), s.sheet.view(np.uint64).ravel()
        total = scores[slot] + points * s.multiplier[games]
        scores[slot] = total
        sheet[slot] = ((sheet[slot] + columns) & _KEEP) | self.tables.scores.take(total, mode="clip")
        if self.rules.live_target:
            reached = total >= self.rules.target
            if reached.any():
                s.winner[games[reached]] = team[reached]
                games = games[~reached]
            self._claim_early(s, games)

    def _claim_early(self, s: SchieberState, games: I64) -> None:
        """A Stöck not yet scored that reaches the target wins at once (J-STK-02)."""
        if self.early == "off" or not len(games):
            return
        if int(s.scores[games].max()) < self._near:
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
        slot = games * 2 + team
        s.scores.ravel()[slot] = total[wins]
        sheet = s.sheet.view(np.uint64).ravel()
        claimed = self.tables.scores.take(total[wins], mode="clip")
        sheet[slot] = ((sheet[slot] + 2 * _ADD[STOCK]) & _KEEP) | claimed
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
        s.last_bid[games] = s.bid[games]
        s.last_sheet[games] = s.sheet[games]
        s.last_points[games] = points
        s.last_scores[games] = scores
        s.last_winner[games] = winner
        s.last_schneider[games] = schneider

        if self.reward == "points":
            gain = (points[:, 0] - points[:, 1]) / self.scale
        else:  # J-END-03
            gain = np.array([1.0, -1.0, 0.0, 0.0])[winner] * np.where(schneider, self.rules.schneider_factor, 1)
        rewards[games] += gain[:, None] * _SIDES

        over = (winner >= 0) | (self.episode == "hand")
        s.player[games[over]] = -1
        more = games[~over]
        if len(more):
            self.deal(s, more, seed, (s.bid[more, FOREHAND].astype(np.int64) + 1) & 3)
