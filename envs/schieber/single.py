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
from .state import POINTS, SAFE, SCORE, TO_GO, TRICKS, SchieberState
from .tables import (
    CARDS,
    COLUMNS,
    CONTRACT_ACTIONS,
    FLAGS,
    LED_SHIFT,
    NO_CONTRACT,
    NO_SUIT,
    NUM_ACTIONS,
    PUSH_ACTION,
    STRENGTHS,
    tables,
)

_SEATS = 4
_SLOT = tricks.SLOTS - 1  # a code's low bits hold _SLOT − order
_SLOT_BITS = tricks.SLOTS.bit_length() - 1
_LEADERS = [FLAGS.bit("leader", seat) for seat in range(_SEATS)]
_NOT_LEADER = ~sum(_LEADERS)
_WORD = (1 << 64) - 1

#: Nobody reaches the target, nor claims a Stöck, while this many points times the highest multiplier are missing.
_FAR = 100


def _turns() -> list[tuple[int, int]]:
    """For each observer the bits of turned flags that moved down, and those that wrapped around (`SeatFlags.turn`)."""
    fields = range(0, FLAGS.bits, _SEATS)
    down = [sum(((1 << (_SEATS - seat)) - 1) << f for f in fields) for seat in range(_SEATS)]
    return [(mask, ((1 << FLAGS.bits) - 1) & ~mask) for mask in down]


_TURNS = _turns()
_REST = _WORD ^ ((1 << FLAGS.bits) - 1)
_WINNING = [FLAGS.bit("winning", seat) for seat in range(_SEATS)]
_DECLARED = [FLAGS.bit("declared", seat) for seat in range(_SEATS)]
_TO_ACT = [FLAGS.bit("to_act", seat) for seat in range(_SEATS)]


class SingleSchieber(SingleGame):
    """One game of Schieber."""

    def __init__(self, game: BatchedGame[SchieberState]) -> None:
        super().__init__(game)
        rules = cast(SchieberRules, game.spec.rules)
        t = tables(rules)
        self._strength: list[int] = t.strength.tolist()
        self._points: list[int] = t.points.tolist()
        self._voids: list[int] = t.voids.tolist()
        self._suited: list[int] = t.suited.tolist()
        self._allowed: list[int] = t.allowed.tolist()
        self._not_forbidden: list[int] = t.not_forbidden.tolist()
        self._plain: list[int] = t.plain.tolist()
        self._max_pushes = 2 if rules.push_back else 1
        self._target = rules.target if rules.live_target else 0
        self._limit = rules.target - _FAR * max(rules.multipliers) if rules.live_target else 1 << 40
        self._constants = observation.constants(rules, game.episode == "match", game.reward == "match")
        self._whole = not (game.skip_forced or game.recording or game.auto_reset)
        self._row_bytes = (observation.FIRST_BYTE + 7) // 8

    # -- legality

    def _legal(self, s: SchieberState, player: int) -> int:
        """Legal actions of the seat to act as a word (J-CON-01, J-PLAY-01..05)."""
        if player < 0:
            return 0
        contract = s.contract.item(0)
        if contract == NO_CONTRACT:
            may_push = s.pushes.item(0) < self._max_pushes
            return int(CONTRACT_ACTIONS) | (int(PUSH_ACTION) if may_push else 0)
        held = s.hands.item(player)
        best = s.code.item(0) >> _SLOT_BITS
        index = (contract * 5 + s.led.item(0)) * STRENGTHS + (best if best > 0 else 0)
        if held & self._suited[index]:
            return held & self._allowed[index]
        if held & self._plain[contract] == 0:
            return held
        return held & self._not_forbidden[index]

    def mask(self) -> U8:
        s = self.game.state
        word = self._legal(s, s.player.item(0))
        return np.unpackbits(np.frombuffer(word.to_bytes(8, "little"), np.uint8), count=NUM_ACTIONS, bitorder="little")

    # -- playing

    def step(self, action: int) -> list[float] | None:
        s: SchieberState = self.game.state
        player = s.player.item(0)
        if not (0 <= action < NUM_ACTIONS and self._legal(s, player) >> action & 1):
            return self._step(action, validate=True)  # refuses, naming everything
        if not self._whole or action >= CARDS or s.pair.item(0) >> action & 1:
            return self._step(action, validate=False)
        contract, order, number = s.contract.item(0), s.order.item(0), s.tricks.item(0)
        if order == 3 and (number in (0, 8) or max(s.scores.item(0), s.scores.item(1)) >= self._limit):
            return self._step(action, validate=False)
        self._play(s, action, player, contract, order, number)
        # what the batch has computed belongs to the position before
        self.game._legal = None  # pyright: ignore[reportPrivateUsage]
        return None

    def _play(self, s: SchieberState, card: int, player: int, contract: int, order: int, number: int) -> None:
        led = card // 9 if order == 0 else s.led.item(0)
        index = (contract * 5 + led) * COLUMNS + card
        power, code = self._strength[index], s.code.item(0)
        under = power < code >> _SLOT_BITS
        bit = 1 << card
        s.hands[0, player] = s.hands.item(player) & ~bit
        s.played[0, player] = s.played.item(player) | bit
        s.when[0, card] = 4 * number + order + 1
        flags = s.flags.item(0) | self._voids[2 * index + under] << player
        points = s.trick_points.item(0) + self._points[contract * COLUMNS + card]
        code = max(code, (power << _SLOT_BITS) + _SLOT - order)
        if order < 3:
            s.table[0, player] = bit
            s.flags[0] = flags
            s.trick_points[0], s.led[0], s.code[0] = points, led, code
            s.order[0], s.player[0] = order + 1, (player + 1) & 3
            return
        winner = (s.leader.item(0) + _SLOT - (code & _SLOT)) & 3
        team = winner & 1
        s.table[0] = 0
        s.flags[0] = (flags & _NOT_LEADER) | _LEADERS[winner]
        s.trick_points[0], s.led[0], s.code[0] = 0, NO_SUIT, tricks.EMPTY
        s.order[0], s.tricks[0] = 0, number + 1
        s.leader[0] = s.player[0] = winner
        sheet = s.sheet[0, team]
        sheet[TRICKS] += 1
        sheet[POINTS] += points
        score = s.scores.item(team) + points * s.multiplier.item(0)
        s.scores[0, team] = score
        if self._target:  # the score sheet as `Engine` writes it
            sheet[SCORE] = min(score * 250 // self._target, 255)
            sheet[TO_GO] = min(max(self._target - score, 0), 255)
            sheet[SAFE] = 2 * score >= self._target
        else:
            sheet[SCORE] = min(score // 20, 255)

    # -- looking

    def observe(self, seat: int) -> U8:
        s: SchieberState = self.game.state
        order, number, leader = s.order.item(0), s.tricks.item(0), s.leader.item(0)
        table, played, shown = s.table[0].tolist(), s.played[0].tolist(), s.shown[0].tolist()
        right, opposite, left = (seat + 1) & 3, (seat + 2) & 3, (seat + 3) & 3
        bits = shift = 0
        for word in (
            s.hands.item(seat), table[right], table[opposite], table[left],
            played[seat], played[right], played[opposite], played[left],
            shown[seat], shown[right], shown[opposite], shown[left],
        ):  # fmt: skip
            bits |= word << shift
            shift += CARDS
        flags = s.flags.item(0)
        if order:
            flags |= _WINNING[(leader + _SLOT - (s.code.item(0) & _SLOT)) & 3]
            flags |= 1 << (LED_SHIFT + s.led.item(0))
        weis = s.weis_tens[0].tolist()
        own_weis = weis[seat]
        if number:
            flags |= sum(_DECLARED)
        else:
            for place in range(_SEATS):
                declarer = (leader + place) & 3
                if place < order:
                    flags |= _DECLARED[declarer]
                else:
                    weis[declarer] = 0
        player = s.player.item(0)
        if player >= 0:
            flags |= _TO_ACT[player]
        down, wrap = _TURNS[seat]
        # relative place r of a field comes from seat + r
        turned = ((flags >> seat) & down) | ((flags << (_SEATS - seat)) & wrap) | (flags & _REST)
        bits |= turned << shift
        sheet = s.sheet.tobytes()
        own = 8 * (seat & 1)
        tail = b"".join(
            (
                s.when.tobytes()[:CARDS],
                sheet[own : own + 8],
                sheet[8 - own : 16 - own],
                bytes(
                    (
                        weis[seat], weis[right], weis[opposite], weis[left], own_weis, s.trick_points.item(0), order,
                        number, s.multiplier.item(0), min(s.hand_number.item(0), 255),
                    )
                ),
                self._constants,
            )
        )  # fmt: skip
        out = np.empty(observation.FIRST_BYTE + len(tail), np.uint8)
        packed = np.frombuffer(bits.to_bytes(self._row_bytes, "little"), np.uint8)
        out[: observation.FIRST_BYTE] = np.unpackbits(packed, count=observation.FIRST_BYTE, bitorder="little")
        out[observation.FIRST_BYTE :] = np.frombuffer(tail, np.uint8)
        return out
