"""Shortcuts for one game of Schieber, with Python ints instead of arrays of one element.

Observations and legal cards are computed without array operations. A card is played that way if nothing rare can
happen: no first or last trick is completed, no card of an unscored Stöck falls, nobody is near the target. Everything
else is left to the engine. `tests/adapters/test_single.py` compares every field of the state with the engine's.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from ..core import tricks
from ..core.bits import U8
from ..core.game import BatchedGame
from ..core.single import SingleGame
from . import observation
from .rules import SchieberRules
from .state import (
    HAND_NUMBER,
    HANDS,
    NO_CONTEXT,
    PLAYED,
    POINTS,
    SAFE,
    TABLE,
    TENS,
    TRICKS,
    SchieberState,
)
from .tables import (
    ALLOWED,
    CARDS,
    COLUMN_BITS,
    FLAGS,
    NO_SUIT,
    NOT_FORBIDDEN,
    NUM_ACTIONS,
    PLAIN,
    PUSH_ACTION,
    STRENGTHS,
    SUITED,
    tables,
)

_LAST_SLOT = tricks.SLOTS - 1  # a code's low bits hold this less the order
_SLOT_BITS = _LAST_SLOT.bit_length()
_WORD = (1 << 64) - 1

#: One more trick on a score sheet read as a word, and the columns that a score does not decide.
_TRICK = 1 << (8 * TRICKS)
_KEEP = _WORD ^ ((1 << (8 * (SAFE + 1))) - 1)

#: Nobody reaches the target, nor claims a Stöck, while this many points times the highest multiplier are missing.
_FAR = 100

#: For each observer the bits of turned flags that moved down; and the bits that do not turn (`SeatFlags.turn`).
_DOWN = [sum((0xF >> seat) << field for field in range(0, FLAGS.bits, 4)) for seat in range(4)]
_REST = _WORD ^ ((1 << FLAGS.bits) - 1)

_TRICK_FLAGS: list[int] = observation.TRICK_FLAGS.tolist()
_DECLARED: list[int] = observation.DECLARED.tolist()
_DECLARED_BYTES: list[int] = observation.DECLARED_BYTES.tolist()
_PUSHED = sum(FLAGS.bit("pushed", seat) for seat in range(4))
_TO_ACT: list[int] = FLAGS.column("to_act").tolist()


class SingleSchieber(SingleGame):
    """One game of Schieber."""

    def __init__(self, game: BatchedGame[SchieberState]) -> None:
        super().__init__(game)
        rules = cast(SchieberRules, game.spec.rules)
        t = tables(rules)
        self._context: list[int] = t.context.tolist()
        self._codes: list[int] = t.codes.tolist()
        self._points: list[int] = t.points.tolist()
        self._shows: list[int] = t.shows.tolist()
        self._masks: list[list[int]] = t.masks.tolist()
        self._multiplier: list[int] = t.multiplier.tolist()
        self._scores: list[int] = t.scores.tolist()
        self._ends = (3, len(rules.cards) - 1)  # the first and the last trick are complete
        self._contracts, self._or_push = int(t.contracts), int(t.contracts | PUSH_ACTION)
        self._max_pushes = 2 if rules.push_back else 1
        self._limit = rules.target - _FAR * max(rules.multipliers) if rules.live_target else 1 << 40
        constants = observation.Constants(rules, game.episode == "match", game.reward == "match")
        self._constants = constants.bytes.tobytes()
        self._whole = not (game.skip_forced or game.recording or game.auto_reset or game.part != "full")
        self._row_bytes = game.spec.layout.size // 8
        self._first_byte = game.spec.layout["when"].start

    # Legality.

    def _legal(self, s: SchieberState, player: int) -> int:
        """Legal actions of the seat to act as a word (J-CON-01, J-PLAY-01..05)."""
        if player < 0:
            return 0
        context = s.context.item(0)
        if context == NO_CONTEXT:
            may_push = (s.flags.item(0) & _PUSHED).bit_count() < self._max_pushes
            return self._or_push if may_push else self._contracts
        held = s.cards.item(4 * HANDS + player)
        masks = self._masks[context * STRENGTHS + (s.code.item(0) >> _SLOT_BITS) + 1]
        if held & masks[SUITED]:
            return held & masks[ALLOWED]
        if held & masks[PLAIN]:
            return held & masks[NOT_FORBIDDEN]
        return held

    def mask(self) -> U8:
        s: SchieberState = self.game.state
        word = self._legal(s, s.player.item(0))
        return np.unpackbits(np.frombuffer(word.to_bytes(8, "little"), np.uint8), count=NUM_ACTIONS, bitorder="little")

    # Playing.

    def step(self, action: int) -> list[float] | None:
        s: SchieberState = self.game.state
        player, ply = s.player.item(0), s.ply.item(0)
        if not (0 <= action < NUM_ACTIONS and self._legal(s, player) >> action & 1):
            return self._step(action, validate=True)  # refuses, naming everything
        if (
            not self._whole
            or action >= CARDS
            or s.pair.item(0) >> action & 1
            or (ply & 3 == 3 and (ply in self._ends or max(s.scores.item(0), s.scores.item(1)) >= self._limit))
        ):
            return self._step(action, validate=False)
        self._play(s, action, player, ply)
        # what the batch has computed belongs to the position before
        self.game._legal = None  # pyright: ignore[reportPrivateUsage]
        return None

    def _play(self, s: SchieberState, card: int, player: int, ply: int) -> None:
        """What `Engine.advance`, and at the end of a trick `Engine._end_trick`, do with such a card."""
        bit, code, order = 1 << card, s.code.item(0), ply & 3
        context = self._context[s.context.item(0) << COLUMN_BITS | card]
        index = context << COLUMN_BITS | card
        first = self._codes[index]
        points = s.trick_points.item(0) + self._points[index]
        cards = s.cards.reshape(-1)
        cards[4 * HANDS + player] = cards.item(4 * HANDS + player) ^ bit
        cards[4 * PLAYED + player] = cards.item(4 * PLAYED + player) | bit
        cards[4 * TABLE + player] = bit
        s.when[0, card] = s.ply[0] = ply + 1
        s.flags[0] = s.flags.item(0) | self._shows[2 * index + (first < code)] << player
        code = max(code, first - order)
        if order < 3:
            s.context[0], s.code[0], s.trick_points[0] = context, code, points
            s.player[0] = (player + 1) & 3
            return
        winner = (s.leader.item(0) + _LAST_SLOT - (code & _LAST_SLOT)) & 3
        s.context[0], s.code[0], s.trick_points[0] = context - context % 5 + NO_SUIT, tricks.EMPTY, 0
        s.cards[0, TABLE] = 0
        s.leader[0] = s.player[0] = winner
        team = winner & 1
        score = s.scores.item(team) + points * self._multiplier[context]
        sheet = s.sheet.view(np.uint64)
        columns = (sheet.item(team) + _TRICK + (points << 8 * POINTS)) & _KEEP
        s.scores[0, team] = score
        sheet[0, team] = columns | self._scores[min(score, len(self._scores) - 1)]

    # Looking.

    def observe(self, seat: int) -> U8:
        """What `observation.write` writes."""
        s: SchieberState = self.game.state
        ply, leader = s.ply.item(0), s.leader.item(0)
        hands, table, played, shown = s.cards[0].tolist()
        right, opposite, left = (seat + 1) & 3, (seat + 2) & 3, (seat + 3) & 3
        bits = shift = 0
        for word in (
            hands[seat], table[right], table[opposite], table[left],
            played[seat], played[right], played[opposite], played[left],
            shown[seat], shown[right], shown[opposite], shown[left],
        ):  # fmt: skip
            bits |= word << shift
            shift += CARDS
        trick = (35 * leader + s.context.item(0)) * tricks.SLOTS + (s.code.item(0) & _LAST_SLOT)
        first = (CARDS + 1) * leader + ply
        flags = s.flags.item(0) | _TRICK_FLAGS[trick] | _DECLARED[first] | _TO_ACT[s.player.item(0)]
        down = _DOWN[seat]
        turned = (flags >> seat) & down | (flags << (4 - seat)) & ~down & ~_REST | flags & _REST
        bits |= turned << shift

        own, sheet = 8 * (seat & 1), s.sheet.tobytes()
        values = s.weis.item(TENS) & 0xFFFFFFFF
        tens, known = values.to_bytes(4, "little"), (values & _DECLARED_BYTES[first]).to_bytes(4, "little")
        multiplier, hand_number = self._multiplier[s.context.item(0)], min(s.match.item(HAND_NUMBER), 255)
        order, number = ply & 3, ply >> 2
        if s.player.item(0) < 0:
            order, number = s.order.item(0), s.tricks.item(0)  # tells a match that a trick's fourth card ended
        small = bytes((tens[seat], s.trick_points.item(0), order, number, multiplier, hand_number))
        sheets = sheet[own : own + 8] + sheet[8 - own : 16 - own]
        tail = s.when.tobytes()[:CARDS] + sheets + known[seat:] + known[:seat] + small + self._constants
        out = np.unpackbits(np.frombuffer(bits.to_bytes(self._row_bytes, "little"), np.uint8), bitorder="little")
        out[self._first_byte :] = np.frombuffer(tail, np.uint8)
        return out
