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
from ..core.bits import BIT, I64, U64, row_starts
from .rules import FIRST_FOREHAND, SchieberRules
from .state import (
    BONUS,
    CARD_WORDS,
    DRAW,
    HAND_NUMBER,
    HANDS,
    LAST_CONTEXT,
    LAST_FLAGS,
    LAST_SCORES,
    LAST_SHEET,
    LAST_START,
    LAST_WINNER,
    LAST_WORDS,
    NEW_MATCH,
    NO_CONTEXT,
    PLAYED,
    POINTS,
    SAFE,
    SETS,
    SHOWN,
    START,
    STOCK,
    TABLE,
    TENS,
    TRICKS,
    UNDECIDED,
    WEIS,
    WEIS_WORDS,
    WHEN,
    WINNER,
    WINNERS,
    SchieberState,
    forehand_of,
)
from .tables import (
    ALLOWED,
    CARDS,
    COLUMN_BITS,
    COLUMNS,
    FIRST_CONTRACT,
    FIRST_HAND_BIT,
    FLAGS,
    NOT_FORBIDDEN,
    PLAIN,
    PLAY_CARD,
    PUSH,
    PUSH_ACTION,
    RANKS,
    STRENGTHS,
    SUITED,
    UNDENUFE,
    tables,
)
from .weis import facts, winners

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

_FOREHAND = FLAGS.column("forehand")
_STOCK = FLAGS.column("stock")
_PUSHED = np.uint64(sum(FLAGS.bit("pushed", seat) for seat in range(4)))

#: What one more of a column adds to a score sheet read as a word; and the columns that a score decides.
_ADD = {column: np.uint64(1 << (8 * column)) for column in (POINTS, TRICKS, WEIS, STOCK, BONUS)}
_POINTS_SHIFT = np.uint64(8 * POINTS)
_SCHNEIDER = np.array([0, 256], np.uint32)
_ONE_STRONGER = np.int16(tricks.SLOTS)
_KEEP = ~np.uint64((1 << (8 * (SAFE + 1))) - 1)

_SEATS = np.arange(4)
_SIDES = np.array([1, -1, 1, -1], np.float32)
_TEAMS: I64 = _SEATS & 1
#: The next seat, of seats 0 … 3 and one more; the last entry is that of a finished game (-1).
_NEXT = np.array([0, 1, 2, 3, 0, -1], np.int8)

#: Where the words lie that a card played changes: taken from the hand, laid on the table, among those played.
_MOVES: I64 = np.array([[4 * HANDS], [4 * TABLE], [4 * PLAYED]])

#: Columns of a deal: four hands, the pairs (König and Ober of a suit) in one hand, and what `SchieberState.weis` holds.
_PAIR, _FACTS = 4, 5
_NAMED_SHIFT = np.uint64(32)
_TEAM_TENS: U64 = np.array([48, 56], np.uint64)

#: J-DEAL-02: the card whose holder is the first forehand of a match.
_FIRST_CARD = {name: 9 * suit + RANKS.index(rank) for name, (suit, rank) in FIRST_FOREHAND.items()}

#: Context after a trick: the same contract, nothing led.
_LED_NOTHING: I64 = np.arange(35) // 5 * 5 + 4

class Engine:
    """Transitions of a `SchieberState`. It holds no state of its own but deals computed ahead."""

    def __init__(self, rules: SchieberRules, episode: str, reward: str, context: str, reward_scale: float) -> None:
        self.rules, self.tables = rules, tables(rules)
        self.episode, self.reward, self.context, self.scale = episode, reward, context, reward_scale
        self.early = rules.early_stock if rules.live_target and rules.stock else "off"
        self._cards: I64 | None = np.array(rules.cards) if rules.reduced else None  # J-RED-01
        self._hand_size = rules.hand_size
        self._all = 4 * rules.hand_size  # cards of the deck, and plays of a hand
        #: Points for the last trick (J-PTS-04), by the number of cards played. int16.
        self._last_trick = np.array([0] * self._all + [5], np.int16)
        self._near = rules.target - 20 * max(rules.multipliers)
        self._deals = deals.DealsAhead(self._make_deals)
        # J-CON-01, J-CON-02: forehand may push; the partner only once more, if the rules let him push back
        pushes = 2 if rules.push_back else 1
        contracts = self.tables.contracts
        self._choices: U64 = np.array([contracts | PUSH_ACTION] * pushes + [contracts], np.uint64)
        #: Games whose match was decided within the present call of `advance`.
        self._decided: list[I64] = []

    # Beginning.

    def begin(self, s: SchieberState, games: I64, seed: int, options: Mapping[str, Any]) -> None:
        """Begin an episode: match state from the options, drawn (context "sampled") or new; then a deal."""
        s.scores[games] = 0
        s.match[games] = NEW_MATCH
        forehand = None
        if self.context == "sampled":
            keys = deals.stream_keys(seed, s.game_id[games], s.hand_id[games], deals.CONTEXT)
            forehand = deals.integers(keys, 0, 4)
            limit = self.rules.target if self.rules.live_target else 1
            for team in (0, 1):
                s.scores[games, team] = deals.integers(keys, 1 + team, limit)
            s.match[games, HAND_NUMBER] = 1
        if "scores" in options:
            s.scores[games] = options["scores"]
        if "hand_number" in options:
            s.hand_number[games] = options["hand_number"]
        if "dealer" in options:
            forehand = (np.asarray(options["dealer"], np.int64) + 1) & 3
        self.deal(s, games, seed, forehand, options.get("deal"))

    def _make_deals(self, seed: int, games: I64, hands: I64) -> tuple[U64]:
        """Deals and what follows from their cards (J-DEAL-01). uint64 [n, 5 + WEIS_WORDS]."""
        decks = deals.shuffle(seed, games, hands, self._all, self._cards)
        words = deals.words_of_packets(decks, (self._hand_size,) * 4)
        return (self._facts(words, seed, games, hands),)

    def _facts(self, words: U64, seed: int, games: I64, numbers: I64) -> U64:
        out = np.zeros((len(words), _FACTS + WEIS_WORDS), np.uint64)
        out[:, :4] = words
        if self.rules.stock:
            for action in range(FIRST_CONTRACT, FIRST_CONTRACT + 4):
                pair = self.tables.pair[action]
                out[:, _PAIR] |= np.where(((words & pair) == pair).any(axis=1), pair, 0)
        if self.rules.weis:
            tens, keys, cards = facts(words.ravel(), self.rules)
            tens = tens.reshape(-1, 4)
            out[:, _FACTS + TENS] = tens.view(np.uint32)[:, 0]
            teams = (tens[:, :2] + tens[:, 2:]).view(np.uint16)[:, 0].astype(np.uint64)
            out[:, _FACTS + WINNERS] = winners(keys.reshape(2, -1, 4)) | teams << _TEAM_TENS[0]
            for down in (0, 1):
                out[:, _FACTS + SETS + 4 * down :][:, :4] = cards[down].reshape(-1, 4)
        if self.rules.first_forehand == "random":
            named = deals.integers(deals.stream_keys(seed, games, numbers, deals.FIRST_DEALER), 0, 4)
        else:
            named = np.argmax((words & BIT[_FIRST_CARD[self.rules.first_forehand]]) != 0, axis=1)
        out[:, _FACTS + TENS] |= named.astype(np.uint64) << _NAMED_SHIFT
        return out

    def deal(self, s: SchieberState, games: I64, seed: int, forehand: I64 | None, hands: U64 | None = None) -> None:
        """Deal a hand (J-DEAL-01); without a `forehand` the cards decide (J-DEAL-02)."""
        ids, numbers = s.game_id.take(games), s.hand_id.take(games)
        if hands is None:
            (dealt,) = self._deals.take(seed, ids, numbers, len(s))
        else:
            dealt = self._facts(hands, seed, ids, numbers)
        if forehand is None:
            forehand = (dealt[:, _FACTS + TENS] >> _NAMED_SHIFT).view(np.int64)
            flags = _FOREHAND.take(forehand)
            if self.rules.first_forehand != "random":
                flags |= np.uint64(1 << FIRST_HAND_BIT)
        else:
            flags = _FOREHAND.take(forehand)
        scores = s.scores.take(games, axis=0)
        s.match[games, START:HAND_NUMBER] = scores
        s.hand_id[games] = numbers + 1
        s.cards[games] = 0
        s.cards[games, HANDS] = dealt[:, :_PAIR]
        s.pair[games] = dealt[:, _PAIR]
        s.weis[games] = dealt[:, _FACTS:]
        s.flags[games] = flags
        s.sheet.view(np.uint64)[games, :, 0] = self.tables.scores.take(scores, mode="clip")
        s.when[games] = 0
        s.ply[games] = 0
        s.trick_points[games] = 0
        s.code[games] = tricks.EMPTY
        s.context[games] = NO_CONTEXT
        s.leader[games] = forehand
        s.player[games] = forehand

    # Legality.

    def legal_words(self, s: SchieberState) -> U64:
        """Legal actions of the seat to act, one word a game. uint64 [N, 1]."""
        held = s.cards.ravel().take(row_starts(len(s), CARD_WORDS) + (s.player & np.int8(3)), mode="clip")
        index = s.context * STRENGTHS + ((s.code + _ONE_STRONGER) >> tricks.SLOT_BITS)
        masks: U64 = self.tables.masks.take(index, axis=0, mode="clip")
        masks &= held[:, None]
        # holding a suited card: the allowed ones; nothing but trumps: everything; else what is not forbidden
        words: U64 = masks[:, NOT_FORBIDDEN].copy()
        np.copyto(words, held, where=masks[:, PLAIN] == 0)
        np.copyto(words, masks[:, ALLOWED], where=masks[:, SUITED] != 0)
        choosing = (s.context == NO_CONTEXT).nonzero()[0]
        if len(choosing):
            words[choosing] = self._choices.take(np.bitwise_count(s.flags[choosing] & _PUSHED))
        finished = s.player < 0
        if np.count_nonzero(finished):
            words[finished] = 0
        return words[:, None]

    # Transitions.

    def advance(self, s: SchieberState, actions: I64, rewards: F32, seed: int) -> None:
        """Carry out legal actions; -1 leaves a game alone."""
        t = self.tables
        a = actions & (COLUMNS - 1)  # NO_ACTION becomes a column of no effect
        playing = a < CARDS
        seat = s.player & np.int8(3)
        card = PLAY_CARD.take(a, mode="clip")
        context = t.context.take((s.context << COLUMN_BITS) | a, mode="clip")
        index = (context << COLUMN_BITS) | a
        first = t.codes.take(index, mode="clip")
        order = s.ply & np.int8(3)

        cards = s.cards.ravel()
        moves = (row_starts(len(s), CARD_WORDS) + seat) + _MOVES
        cards[moves] = cards.take(moves, mode="clip") ^ card
        s.when.ravel()[row_starts(len(s), WHEN) + a] = s.ply + np.int8(1)
        s.trick_points += t.points.take(index, mode="clip")
        index <<= 1
        index |= first < s.code  # of two trumps the lower: an undertrump
        s.flags |= t.shows.take(index, mode="clip") << seat.astype(np.uint64)
        s.context = context
        np.maximum(s.code, first - order, out=s.code)
        s.ply += playing
        s.player = _NEXT.take(s.player + playing, mode="wrap")

        self._decided = []
        paired = (card & s.pair).nonzero()[0]
        choosing = (actions >= FIRST_CONTRACT).nonzero()[0]
        complete = (order + playing == 4).nonzero()[0]
        if len(choosing):
            self._choose(s, choosing, a.take(choosing), seat.take(choosing))
        if len(paired):
            self._play_pair(s, paired, card.take(paired), seat.take(paired))
            if self._decided:
                complete = complete[s.winner[complete] < 0]
        finished = self._end_trick(s, complete) if len(complete) else complete
        if self._decided:
            finished = np.concatenate([finished[s.winner[finished] < 0], *self._decided])
        if len(finished):
            self._end_hand(s, finished, rewards, seed)

    def _choose(self, s: SchieberState, games: I64, actions: I64, seat: npt.NDArray[np.int8]) -> None:
        """Push, or fix the contract (J-CON-01..04)."""
        s.player[games] = np.where(actions == PUSH, seat ^ 2, s.leader.take(games))
        s.pair[games] &= self.tables.pair.take(actions)
        if self.early == "any_time":
            self._claim_early(s, games[actions < PUSH])

    def _play_pair(self, s: SchieberState, games: I64, card: U64, seat: npt.NDArray[np.int8]) -> None:
        """A card of an unscored Stöck is played (J-STK-01): the second scores at once, also in mid-trick."""
        left = s.pair.take(games) ^ card
        s.pair[games] = left
        last = left == 0
        second = games[last]
        if len(second):
            owner = seat[last]
            s.flags[second] |= _STOCK.take(owner)
            self._score(s, second, owner & 1, 20, 2 * _ADD[STOCK])
        if self.early == "first_card":
            self._claim_early(s, games[~last])

    def _end_trick(self, s: SchieberState, games: I64) -> I64:
        """The winner takes the trick, and all is scored that scores then. Returns the games that played all cards."""
        ply, code, context, leader = s.ply.take(games), s.code.take(games), s.context.take(games), s.leader.take(games)
        winner = tricks.seat_of(code, leader) & 3
        points = s.trick_points.take(games) + self._last_trick.take(ply)
        s.trick_points[games] = 0
        s.code[games] = tricks.EMPTY
        s.cards[games, TABLE] = 0
        s.context[games] = _LED_NOTHING.take(context)
        s.leader[games] = winner
        s.player[games] = winner
        team = winner & 1
        columns = (points.astype(np.uint64) << _POINTS_SHIFT) + _ADD[TRICKS]

        first = ply == 4
        weis = self.rules.weis and np.count_nonzero(first)
        weis_first = self.rules.claim_order == "stock_weis_trick"
        if weis and weis_first:
            self._score_weis(s, games[first], leader[first])
        if self._decided and (decided := s.winner[games] >= 0).any():
            # J-END-02: the match ends at the first event that reaches the target, a decided one counts no more
            s.sheet.view(np.uint64).reshape(-1, 2)[games[decided], team[decided]] += _ADD[TRICKS]
            open_ = ~decided
            self._score(s, games[open_], team[open_], points[open_], columns[open_])
        else:
            self._score(s, games, team, points, columns)
        if weis and not weis_first:
            first &= s.winner[games] < 0
            self._score_weis(s, games[first], leader[first])
        last = (ply == self._all).nonzero()[0]
        ending = games[last]
        if len(last) and self.rules.match_bonus:
            team = team[last]
            swept = s.sheet[ending, team, TRICKS] == self._hand_size
            if np.count_nonzero(swept):
                swept &= s.winner[ending] < 0
                bonus = self.rules.match_bonus
                self._score(s, ending[swept], team[swept], bonus, bonus // 10 * _ADD[BONUS])
        return ending

    def _score_weis(self, s: SchieberState, games: I64, leader: npt.NDArray[np.int8]) -> None:
        """The team with the best set scores all sets of both its players (J-WEIS-04, J-WEIS-05)."""
        weis = s.weis.take(games, axis=0)
        contract = s.context.take(games) // 5
        place = 8 * contract + 2 * leader
        side = (weis[:, WINNERS] >> place.view(np.uint64)).view(np.int64) & 3
        some = side.nonzero()[0]
        if len(some) < len(games):
            games, weis, contract, side = games[some], weis[some], contract[some], side[some]
            if not len(games):
                return
        team = side - 1
        tens = (weis[:, WINNERS] >> _TEAM_TENS.take(team)) & np.uint64(0xFF)
        if self.rules.weis_reveal != "values_only":
            sets = weis[:, SETS : SETS + 4]
            down = contract == UNDENUFE
            if np.count_nonzero(down):
                sets = np.where(down[:, None], weis[:, SETS + 4 :], sets)
            if self.rules.weis_reveal != "all":
                sets *= team[:, None] == _TEAMS
            s.cards[games, SHOWN] = sets
        self._score(s, games, team, tens.view(np.int64) * 10, tens << np.uint64(8 * WEIS))

    def _score(self, s: SchieberState, games: I64, team: Any, points: Any, columns: Any) -> None:
        """One scoring event of undecided games (J-END-01), then an early claim (J-STK-02).

        `columns` is what the event adds to the team's score sheet, read as a word.
        """
        slot: I64 = games * 2 + team
        scores, sheet = s.scores.ravel(), s.sheet.view(np.uint64).ravel()
        total: I32 = scores.take(slot) + points * self.tables.multiplier.take(s.context[games])
        scores[slot] = total
        sheet[slot] = ((sheet.take(slot) + columns) & _KEEP) | self.tables.scores.take(total, mode="clip")
        if self.rules.live_target and np.count_nonzero(total >= self._near):
            reached = total >= self.rules.target
            if np.count_nonzero(reached):
                self._decide(s, games[reached], team[reached])
                games = games[~reached]
            self._claim_early(s, games)

    def _decide(self, s: SchieberState, games: I64, team: Any) -> None:
        s.winner[games] = team
        self._decided.append(games)

    def _claim_early(self, s: SchieberState, games: I64) -> None:
        """A Stöck not yet scored that reaches the target wins at once (J-STK-02)."""
        if self.early == "off" or not len(games):
            return
        if not np.count_nonzero(s.scores.take(games, axis=0) >= self._near):
            return  # nobody is near: the usual case, decided at once
        pair = s.pair.take(games)
        may = pair != 0
        if self.early == "first_card":
            may &= np.bitwise_count(pair) == 1
        games, pair = games[may], pair[may]
        seat = np.argmax((s.cards[games, HANDS] & pair[:, None]) != 0, axis=1)
        team = seat & 1
        total = s.scores[games, team] + 20 * self.tables.multiplier.take(s.context.take(games))
        wins = total >= self.rules.target
        games, team, seat, total = games[wins], team[wins], seat[wins], total[wins]
        s.scores[games, team] = total
        slot = games * 2 + team
        sheet = s.sheet.view(np.uint64).ravel()
        claimed = self.tables.scores.take(total, mode="clip")
        sheet[slot] = ((sheet[slot] + 2 * _ADD[STOCK]) & _KEEP) | claimed
        s.flags[games] |= _STOCK.take(seat)
        s.pair[games] = 0
        self._decide(s, games, team)

    def _end_hand(self, s: SchieberState, games: I64, rewards: F32, seed: int) -> None:
        """Write the hand down, pay, and go on to the next hand or finish."""
        match, scores = s.match.take(games, axis=0), s.scores.take(games, axis=0)
        match[:, HAND_NUMBER] += 1
        winner = match[:, WINNER]
        hands = self.rules.hands
        lead = scores[:, 0] - scores[:, 1]
        if hands is not None and self.episode == "match":
            full = match[:, HAND_NUMBER] >= hands
            winner[full] = np.where(lead == 0, DRAW, lead < 0)[full]
        s.match[games] = match
        over = winner != UNDECIDED
        schneider = over & False
        if hands is None and np.count_nonzero(over):
            schneider = over & (2 * scores.min(axis=1) < self.rules.target)

        last = np.empty((len(games), LAST_WORDS), np.uint64)
        last[:, LAST_FLAGS] = s.flags.take(games)
        last[:, LAST_CONTEXT] = s.context.take(games)
        last[:, LAST_SHEET : LAST_SHEET + 2] = s.sheet.view(np.uint64)[games, :, 0]
        last[:, LAST_SCORES] = scores.view(np.uint64)[:, 0]
        last[:, LAST_START] = match.view(np.uint64)[:, 0]
        last[:, LAST_WINNER] = match.view(np.uint32)[:, WINNER] + np.uint32(1) + _SCHNEIDER.take(schneider)
        s.last[games] = last

        if self.reward == "points":
            gain = (lead - match[:, START] + match[:, START + 1]) / self.scale
        else:  # J-END-03
            gain = np.array([1.0, -1.0, 0.0, 0.0])[winner] * np.where(schneider, self.rules.schneider_factor, 1)
        rewards[games] = gain[:, None] * _SIDES

        if self.episode == "hand":
            s.player[games] = -1
            return
        s.player[games[over]] = -1
        more = games[~over]
        if len(more):
            self.deal(s, more, seed, (forehand_of(s.flags.take(more)).astype(np.int64) + 1) & 3)
