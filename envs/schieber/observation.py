"""What a seat knows, as one row of named segments (J-WEIS-08, design of `core.layout`)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..core import bits, tricks
from ..core.bits import I64, U8, U64, row_starts
from ..core.layout import ObsLayout, PlanePacker
from .rules import SchieberRules
from .state import CARD_WORDS, HANDS, PLAYED, SHOWN, TABLE, TENS, SchieberState
from .tables import CARDS, CONTRACT_SHIFT, FIRST_CONTRACT, FLAGS, LED_SHIFT, NO_CONTRACT, PLAY_BIT, PUSH, tables

I16 = npt.NDArray[np.int16]

_PLANES = PlanePacker(CARDS, 12)
_FLAG_BITS = PLAY_BIT + 1
_WHEN = CARDS * 12 + _FLAG_BITS
_ROW_BYTES = (_WHEN + CARDS + 48) // 8
_SHEETS = _WHEN + CARDS  # from here on six words, the last 22 bytes the constants

#: The columns of a team's score sheet (state.SCORE …), with scale and meaning.
SHEET = (
    ("score", 1 / 250, "score, 250 at the target (20 points each without target)"),
    ("to_go", 1 / 255, "points to the target, 255 if more (0 without target)"),
    ("safe", 1.0, "has half the target (no Schneider, J-END-03)"),
    ("points", 1 / 157, "card points in this hand, before the multiplier"),
    ("tricks", 1 / 9, "tricks in this hand"),
    ("weis_scored", 1 / 20, "Weis scored in this hand in tens, before the multiplier"),
    ("stock", 1 / 2, "Stöck scored in this hand in tens, before the multiplier"),
    ("bonus", 1 / 10, "match bonus in tens (seen only when the hand is over)"),
)

#: Names of the rule constants at the end of an observation, as `tables._constants` lists them.
CONSTANTS = (
    "target", "hands", "undenufe_six", "match_bonus", "weis", "four_nines", "kreuzweis", "run_first", "weis_reveal",
    "stock", "early_stock", "stock_trick_weis", "schneider_factor", "push_back",
)  # fmt: skip

_REL = "seat-relative: own seat, next, partner, previous"


@lru_cache(maxsize=1)
def layout() -> ObsLayout:
    """The layout of Schieber (the same for all rules)."""
    flags = [
        (name, (4,), 1.0, f"{meaning} ({_REL})")
        for name, meaning in (
            ("declarer", "who chose the contract"),
            ("forehand", "who leads the first trick"),
            ("pushed", "who pushed in this hand"),
            ("leader", "who leads the present trick"),
            ("winning", "whose card wins the trick so far"),
            ("to_act", "whose turn it is"),
            ("declared", "whose Weis value is public (from his first card on, J-WEIS-08)"),
            ("stock_scored", "who has scored the Stöck in this hand"),
        )
    ]
    return ObsLayout(
        [
            ("hand", (CARDS,), 1.0, "cards held"),
            ("table", (3, CARDS), 1.0, "card on the table of the next, partner, previous seat"),
            ("played", (4, CARDS), 1.0, f"cards played in this hand ({_REL})"),
            ("shown", (4, CARDS), 1.0, f"cards of Weis shown to all (J-WEIS-08; {_REL})"),
            *flags,
            (
                "void", (4, 4), 1.0,
                f"suit × seat: shown to hold nothing of the suit, but for a lone trump Under (J-PLAY-03; {_REL})",
            ),
            ("contract", (6,), 1.0, "trump Eichel, Rosen, Schilten, Schellen, Obenabe, Undenufe"),
            ("led", (4,), 1.0, "suit led"),
            ("card_named_forehand", (1,), 1.0, "forehand was named by a card he holds (J-DEAL-02)"),
            ("contract_fixed", (1,), 1.0, "the contract is chosen"),
            ("when", (CARDS,), 1 / 36, "1 + place in the order of play of this hand, 0 if not played"),
            *((f"own_{name}", (1,), scale, f"own team: {meaning}") for name, scale, meaning in SHEET),
            *((f"their_{name}", (1,), scale, f"other team: {meaning}") for name, scale, meaning in SHEET),
            ("declared_weis", (4,), 1 / 20, f"public value of each seat's Weis in tens ({_REL})"),
            ("own_weis", (1,), 1 / 20, "value of one's own Weis in tens"),
            ("trick_points", (1,), 1 / 56, "card points on the table"),
            ("cards_on_table", (1,), 1 / 3, "number of cards on the table"),
            ("trick_number", (1,), 1 / 9, "tricks completed in this hand"),
            ("multiplier", (1,), 1 / 4, "multiplier of the contract, 1 before it is chosen"),
            ("hand_number", (1,), 1 / 16, "hands finished in this match"),
            ("match_episode", (1,), 1.0, "the episode is a match"),
            ("match_reward", (1,), 1.0, "the reward is the outcome of the match"),
            ("multipliers", (6,), 1 / 4, "rules: multipliers"),
            *((name, (1,), 1 / 255 if name in ("target", "hands") else 1.0, f"rules: {name}") for name in CONSTANTS),
        ]
    )  # fmt: skip


#: Relative order of absolute seats for an observer: row s is (s, s+1, s+2, s+3) mod 4.
_TURN: I64 = (np.arange(4)[:, None] + np.arange(4)) % 4
#: Where the words of an observer's twelve planes lie in a game's cards. int64 [4, 12].
_PLANE_WORDS: I64 = np.concatenate(
    [4 * HANDS + _TURN[:, :1], 4 * TABLE + _TURN[:, 1:], 4 * PLAYED + _TURN, 4 * SHOWN + _TURN], axis=1
)


def _trick_flags() -> U64:
    """(leader, context, code & 7) → contract, leader, winning seat and suit led as flags. uint64 [4·35·8]."""
    table = np.zeros((4, NO_CONTRACT + 1, 5, tricks.SLOTS), np.uint64)
    for contract in range(NO_CONTRACT):
        table[:, contract] = 1 << (CONTRACT_SHIFT + contract) | 1 << PLAY_BIT
    for leader in range(4):
        table[leader] |= np.uint64(FLAGS.bit("leader", leader))
        for led in range(4):
            for low in range(tricks.SLOTS):
                seat = (leader + tricks.SLOTS - 1 - low) % 4
                table[leader, :, led, low] |= np.uint64(FLAGS.bit("winning", seat) | 1 << (LED_SHIFT + led))
    return table.ravel()


def _declared() -> tuple[U64, U64]:
    """(leader, cards played) → declared flags, and 0xFF bytes of those seats. Two uint64 [4·37].

    The leader counts in the first trick only: after it, all have declared.
    """
    seats = [[(leader + k) % 4 for k in range(min(ply, 4))] for leader in range(4) for ply in range(CARDS + 1)]
    flags = [sum(FLAGS.bit("declared", s) for s in some) for some in seats]
    return np.array(flags, np.uint64), np.array([sum(0xFF << (8 * s) for s in some) for some in seats], np.uint64)


TRICK_FLAGS = _trick_flags()
DECLARED, DECLARED_BYTES = _declared()
_TO_ACT = FLAGS.column("to_act")
_CONTEXTS, _SLOTS, _SLOT, _PLIES = np.int64(35), np.int64(tricks.SLOTS), np.int16(tricks.SLOTS - 1), np.int64(CARDS + 1)
_SHIFTS: U64 = np.arange(4, dtype=np.uint64) * np.uint64(8)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_TWICE = np.uint64((1 << 32) + 1)
_BYTE, _EIGHT, _HALF, _FIVE_BYTES = np.uint64(0xFF), np.uint64(8), np.uint64(32), np.uint64(40)
#: By the number of cards played: cards on the table and tricks completed as bytes 6 and 7 of a word. uint64 [37].
_PROGRESS: U64 = np.array([(ply % 4) << 48 | (ply // 4) << 56 for ply in range(CARDS + 1)], np.uint64)


class Constants:
    """What is equal for all games of a batch: the columns from `match_episode` to the end, and the multipliers.

    bytes: uint8 [22]. word: the first six of them as the high bytes of a word. words: uint64 [2], the others.
    multiplier: uint64 [35], by context.
    """

    def __init__(self, rules: SchieberRules, match_episode: bool, match_reward: bool) -> None:
        t = tables(rules)
        self.bytes: U8 = np.concatenate([np.array([match_episode, match_reward], np.uint8), t.constants])
        self.word = np.uint64(int.from_bytes(bytes(2) + self.bytes[:6].tobytes(), "little"))
        self.words: U64 = self.bytes[6:].copy().view(np.uint64)
        self.multiplier: U64 = t.multiplier.astype(np.uint64)


def write(s: SchieberState, seats: I64, constants: Constants) -> U8:
    """Observations of the given seats. uint8 [N, D]."""
    n = len(s)
    # the last column of words is not all bits: what is left over is overwritten
    row = np.empty((n, _ROW_BYTES), np.uint8)
    words = _PLANE_WORDS.take(seats, axis=0)
    words += row_starts(n, CARD_WORDS)[:, None]
    _PLANES.pack(s.cards.ravel().take(words, mode="clip"), row)

    trick = (s.leader * _CONTEXTS + s.context) * _SLOTS + (s.code & _SLOT)
    first = s.leader * _PLIES + s.ply
    flags = s.flags | TRICK_FLAGS.take(trick, mode="clip")
    flags |= DECLARED.take(first, mode="clip")
    flags |= _TO_ACT.take(s.player, mode="wrap")
    row[:, _PLANES.bytes : _PLANES.bytes + 8].view(np.uint64)[:, 0] = FLAGS.turn(flags, seats)

    obs = np.unpackbits(row.reshape(-1), bitorder="little").reshape(n, -1)
    obs[:, _WHEN:_SHEETS] = s.when[:, :CARDS]
    obs[:, _SHEETS:] = _words(s, seats, first, constants).view(np.uint8)
    return obs


def _words(s: SchieberState, seats: I64, first: I64, constants: Constants) -> U64:
    """The columns from the score sheets to the end as words. uint64 [N, 6]."""
    n = len(s)
    out = np.empty((n, 6), np.uint64)
    own = row_starts(n, 2) + (seats & 1)
    sheet = s.sheet.view(np.uint64).ravel()
    out[:, 0] = sheet.take(own, mode="clip")
    out[:, 1] = sheet.take(own ^ 1, mode="clip")
    # four values of one byte each, hidden until declared, turned to be seat-relative; one's own in byte 4
    tens = s.weis[:, TENS] & _LOW_HALF
    shift = _SHIFTS.take(seats, mode="clip")
    word = (((tens & DECLARED_BYTES.take(first, mode="clip")) * _TWICE) >> shift) & _LOW_HALF
    word |= ((tens >> shift) & _BYTE) << _HALF
    word |= s.trick_points.astype(np.uint64) << _FIVE_BYTES
    if np.count_nonzero(s.player < 0):  # tells a match that ended with four cards on the table
        word |= s.order.astype(np.uint64) << np.uint64(48) | s.tricks.astype(np.uint64) << np.uint64(56)
    else:
        word |= _PROGRESS.take(s.ply, mode="clip")
    out[:, 2] = word
    word = np.minimum(s.hand_number, 255).astype(np.uint64)
    word <<= _EIGHT
    word |= constants.multiplier.take(s.context, mode="clip")
    word |= constants.word
    out[:, 3] = word
    out[:, 4:] = constants.words
    return out


def history(s: SchieberState, seats: I64) -> I16:
    """Public actions of the present hand in order, for sequence models.

    Returns: int16 [N, 39, 2] of (seat-relative seat, action), oldest first, padded with -1.
    """
    n = len(s)
    tokens = np.full((n, CARDS + 3, 2), -1, np.int16)
    partner = (s.forehand + 2) % 4
    bids = [
        (s.forehand, np.where(s.pushes > 0, PUSH, -1)),
        (partner, np.where(s.pushes > 1, PUSH, -1)),
        (s.declarer, np.where(s.contract < NO_CONTRACT, FIRST_CONTRACT + s.contract, -1)),
    ]
    length = np.zeros(n, np.int64)
    for seat, action in bids:
        there = np.flatnonzero(action >= 0)
        tokens[there, length[there], 0] = (seat[there] - seats[there]) % 4
        tokens[there, length[there], 1] = action[there]
        length[there] += 1
    when = s.when[:, :CARDS].astype(np.int64)
    game, card = np.nonzero(when)
    place = length[game] + when[game, card] - 1
    owners = bits.unpack(s.played[:, :, None], CARDS)
    tokens[game, place, 0] = (np.argmax(owners[game, :, card], axis=1) - seats[game]) % 4
    tokens[game, place, 1] = card
    return tokens


def hidden_planes(s: SchieberState, seats: I64) -> U8:
    """Hands of the next, partner, previous seat, for critics and oracles that may see all. uint8 [N, 108]."""
    order = 4 * HANDS + _TURN.take(seats, axis=0)[:, 1:] + row_starts(len(s), CARD_WORDS)[:, None]
    return bits.unpack(s.cards.ravel().take(order)[:, :, None], CARDS).reshape(len(s), -1)


assert layout().size == _SHEETS + 48
assert layout().size == 8 * _ROW_BYTES
