"""What a seat of Thousand knows, as one row of named segments (section 21 of the rule book, `core.layout`).

Which segments there are depends on the number of players, of amounts that can be bid, and on the information bonus.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import bits
from ..core.bits import BIT, I64, U8, U64, row_starts
from ..core.layout import ObsLayout, PlanePacker, SeatFlags
from .columns import PIECE, SHEET, Columns
from .contexts import CONTEXTS, IN_DARK, PHASE_OF, led_of, trump_of
from .lookup import Tables, tables
from .rules import ThousandRules
from .state import ThousandState
from .tables import CARDS, NUM_RANKS, PHASES, TABLE_BITS, facts, married, said_words, table_bit
from .turns import SLOTS

#: The columns of a seat's score sheet (state.SCORE …), with scale and meaning.
SHEET_SEGMENTS = (
    ("score", 1 / 255, "score in steps of 16, from -2048"),
    ("score_low", 1 / 15, "the rest of the score, 0 to 15"),
    ("to_go", 1 / 255, "points to the barrel; on it, or without one, to the target; 255 if more"),
    ("bolts", 1 / 3, "bolts that count"),
    ("attempts", 1 / 3, "failed attempts on the barrel (T-BAR-07)"),
    ("falls", 1 / 3, "falls from the barrel (T-BAR-11)"),
    ("write_offs", 1 / 8, "write-offs in this match"),
    ("last_contract", 1 / 84, "last contract named in this match, in fives (T-BAR-10)"),
    ("points", 1 / 120, "card points taken in this deal"),
    ("tricks", 1 / 8, "tricks taken in this deal"),
    ("marriages", 1 / 48, "marriage points of this deal, in tens"),
    ("last_bid", 1 / 84, "last amount said in this auction, in fives, 0 if none"),
)

_FACT_MEANINGS = {
    "declarer": "who plays the contract",
    "dealer": "who dealt (and sits out with four players)",
    "passed": "who has passed in the auction",
    "dark": "who announced a dark game and was not outbid",
    "barrel": "who is on the barrel",
    "fined": "whose cut of three nines was fined (T-CUT-04)",
    "trump_owner": "who declared the present trump",
    "leader": "who leads the present trick",
    "winning": "whose card wins the trick so far",
    "to_act": "whose turn it is",
}

_DESK = (
    ("trick_points", 1 / 33, "card points on the table"),
    ("cards_on_table", 1 / 3, "number of cards on the table"),
    ("trick_number", 1 / 11, "tricks completed in this deal"),
    ("given", 1 / 2, "cards that the declarer has given away"),
    ("bid", 1 / 84, "highest bid in fives; after the auction the declarer's"),
    ("contract", 1 / 84, "contract in fives, 0 before it is named"),
    ("redeals", 1 / 8, "how often this deal was thrown in"),
    ("deals_played", 1 / 64, "deals finished in this match"),
)

_REL = "seat-relative: own seat first, then clockwise"


@dataclass(frozen=True)
class Plan:
    """Where everything stands in a row, for a set of rules."""

    rules: ThousandRules
    tables: Tables
    layout: ObsLayout
    packer: PlanePacker
    said_bytes: int
    flag_bits: int
    bytes_at: int
    constants: U8
    bonus: bool  # the information bonus has planes
    turn: I64  # [P, P] absolute seats as each observer counts them
    words: I64  # [P, …] words of planes and amounts in a row of the state
    pieces: I64  # [P, 2 + P] pieces of it with the places of the cards and the score sheets
    context_bits: U64  # [35] trump, suit led and phase
    down: U64  # [P, 2] how `SeatFlags.turn` turns the words of facts and of `married` for each observer, …
    up: U64
    low: U64
    high: U64
    rest: U64  # [2] … and the bits that it leaves alone
    shift: np.uint64  # the flags of `married` begin at this bit, those beyond a word are `back`
    back: np.uint64


def _constants(rules: ThousandRules) -> list[tuple[str, float, int]]:
    """The rule options as bytes: name, scale, value."""
    rows: list[tuple[str, float, int]] = []
    for field in dataclasses.fields(rules):
        value, choices = getattr(rules, field.name), field.metadata["choices"]
        if field.name in ("info_bonus_seats", "deals") or field.metadata["later"]:
            continue  # the bonus has its own segments, `deals_left` the length of the match; a short deck shows nowhere
        if field.name in ("marriage_values", "payout"):
            tens = field.name == "marriage_values"
            for k, part in enumerate(value):
                number = part // 10 if tens else round(min(max(part, -100), 100)) + 100
                rows.append((f"{field.name}_{k}", 1 / 15 if tens else 1 / 200, number))
        elif choices is not None:
            rows.append((field.name, 1 / max(1, len(choices) - 1), choices.index(value)))
        else:
            rows.append((field.name, 1 / 255, _number(value)))
    return rows


def _number(value: Any) -> int:
    """None and words as 0, small numbers as they are and one more, large ones in fives."""
    if not isinstance(value, int):
        return 0
    size = abs(value)
    return min(255, 1 + (size if size <= 20 else 20 + size // 5))


@lru_cache(maxsize=256)
def plan(rules: ThousandRules) -> Plan:
    """The layout of a set of rules, and what `write` needs for it (cached)."""
    p, t = rules.players, tables(rules)
    seats, others = (p, CARDS), (p - 1, CARDS)
    planes: list[tuple[str, tuple[int, ...], float, str]] = [
        ("hand", (CARDS,), 1.0, "cards held (hidden as long as a dark game may be announced, or plays unseen)"),
        ("table", others, 1.0, f"card on the table of each other seat ({_REL})"),
        ("played", seats, 1.0, f"cards played in this deal ({_REL})"),
        ("talon", (CARDS,), 1.0, "the talon that was taken, if shown or taken by oneself (T-TAL-03 to T-TAL-05)"),
        (
            "gave",
            (2, CARDS),
            1.0,
            "first and second card that the declarer gave away, if given or received (T-PASS-02)",
        ),
    ]
    if rules.info_bonus == "opponents":
        planes.append(("bonus_hands", others, 1.0, f"bonus: the other hands ({_REL}; T-INFO-01)"))
    elif rules.info_bonus in ("talon", "talon_card"):
        planes.append(("bonus_talons", (2, CARDS), 1.0, "bonus: known cards of the first and second talon (T-INFO-01)"))
    num_planes = sum(shape[0] if len(shape) > 1 else 1 for _, shape, _, _ in planes)
    said_bytes = -(-t.space.amounts // 8)
    flags: list[tuple[str, tuple[int, ...], float, str]] = [
        (name, (p,), 1.0, f"{meaning} ({_REL})") for name, meaning in _FACT_MEANINGS.items()
    ]
    flags += [
        ("void", (4, p), 1.0, f"suit × seat: shown to hold nothing of the suit ({_REL})"),
        ("married", (5, p), 1.0, f"spades, clubs, diamonds, hearts, four aces × seat: declared ({_REL})"),
        ("trump", (4,), 1.0, "trump suit"),
        ("led", (4,), 1.0, "suit led"),
        ("phase", (len(PHASES),), 1.0, f"phase: {', '.join(PHASES)}"),
        ("talon_shown", (1,), 1.0, "the talon was shown to all"),
        ("second_talon", (1,), 1.0, "the second talon was taken (T-2P-05)"),
        ("golden_made", (1,), 1.0, "somebody made his contract in this golden round"),
    ]
    constants = _constants(rules)
    numbers: list[tuple[str, tuple[int, ...], float, str]] = [
        ("when", (CARDS,), 1 / 24, "1 + place in the order of play of this deal, 0 if not played"),
        (
            "sheet",
            (p, SHEET),
            1.0,
            f"score sheet ({_REL}), columns: " + "; ".join(f"{n}: {m}" for n, _, m in SHEET_SEGMENTS),
        ),
        *((name, (1,), scale, meaning) for name, scale, meaning in _DESK),
        ("golden_left", (1,), 1 / 4, "deals left in the golden round, this one included"),
        ("deals_left", (1,), 1 / 64, "deals left of a match of a fixed number, 255 if more, 0 without"),
        ("own_info", (1,), 1 / 6, "bonus: 1 + number of the talon card that was named, 0 if none (T-INFO-01)"),
        ("match_episode", (1,), 1.0, "the episode is a match"),
        ("reward", (1,), 1 / 2, "0 points, 1 places of the match, 2 stake"),
    ]
    if rules.info_bonus == "talon_suits":
        meaning = "bonus: 1 + suit of each undealt card, first talon first (T-INFO-01)"
        numbers.append(("bonus_suits", (rules.stock_size,), 1 / 4, meaning))
    numbers += [(f"rule_{name}", (1,), scale, f"rules: {name}") for name, scale, _ in constants]
    segments = [
        *planes,
        ("said", (p, 8 * said_bytes), 1.0, f"amounts said, 100 first ({_REL}; T-AUC)"),
        *flags,
        *numbers,
    ]
    size = sum(int(np.prod(shape)) for _, shape, _, _ in segments)
    fill = -size % 8
    if fill:
        segments.append(("fill", (fill,), 1.0, "always 0: fills the row to a multiple of 8"))
    layout = _Scaled(segments)
    turn = (np.arange(p)[:, None] + np.arange(p)) % p
    flag_bits = sum(int(np.prod(shape)) for _, shape, _, _ in flags)
    return Plan(
        rules=rules,
        tables=t,
        layout=layout,
        packer=PlanePacker(CARDS, num_planes),
        said_bytes=said_bytes,
        flag_bits=flag_bits,
        bytes_at=layout["when"].start,
        constants=np.array([*(value for _, _, value in constants), *([0] * fill)], np.uint8),
        bonus=rules.info_bonus in ("opponents", "talon", "talon_card"),
        turn=turn,
        words=_words(rules, t.columns),
        pieces=_pieces(t.columns),
        context_bits=_context_bits(p),
        **_turns((facts(p), married(p))),
        shift=np.uint64(facts(p).bits),
        back=np.uint64(64 - facts(p).bits),
    )


def _pieces(c: Columns) -> I64:
    """Where the places of the cards and then an observer's score sheets lie in a game's row. int64 [P, 2 + P]."""
    p = c.players
    first = 8 * c.when // PIECE.itemsize
    turn = (np.arange(p)[:, None] + np.arange(p)) % p
    return np.concatenate([np.tile([first, first + 1], (p, 1)), 8 * c.sheet // PIECE.itemsize + turn], axis=1)


class _Scaled(ObsLayout):
    """A layout whose score sheet has a scale for each column."""

    def __init__(self, segments: list[tuple[str, tuple[int, ...], float, str]]) -> None:
        super().__init__(segments)
        sheet = self["sheet"]
        self._scale[sheet.columns] = np.tile([scale for _, scale, _ in SHEET_SEGMENTS], sheet.shape[0])


def _context_bits(players: int) -> U64:
    """Trump, suit led and phase as flags, by context. uint64 [35]."""
    context = np.arange(CONTEXTS)
    words = np.zeros(CONTEXTS, np.uint64)
    for name, values, count in (("trump", trump_of(context), 4), ("led", led_of(context), 4), ("phase", PHASE_OF, 10)):
        bit = table_bit(players, name) + values.astype(np.int64)
        words |= np.where(values < count, BIT.take(bit), np.uint64(0))
    return words


def _turns(flags: tuple[SeatFlags, SeatFlags]) -> dict[str, U64]:
    """The tables of two `SeatFlags` side by side."""
    parts = [f.parts() for f in flags]
    return {name: np.stack([part[name] for part in parts], axis=-1) for name in parts[0]}


def _words(rules: ThousandRules, c: Columns) -> I64:
    """Where an observer's planes lie in a game's row, and then the amounts said. int64 [P, 2·P + 3 + P·A]."""
    p = rules.players
    turn = (np.arange(p)[:, None] + np.arange(p)) % p
    own = turn[:, :1]
    said = c.said + (turn[:, :, None] + p * np.arange(said_words(rules))).reshape(p, -1)
    return np.concatenate(
        [
            c.hands + own,
            c.table + turn[:, 1:],
            c.played + turn,
            c.sees_talon + own,
            c.gave + own,
            c.gave + p + own,
            said,
        ],
        axis=1,
    )


def layout(rules: ThousandRules) -> ObsLayout:
    """The layout of a set of rules."""
    return plan(rules).layout


class Constants:
    """What is equal for all games of a batch: the columns from `golden_left` to the end."""

    def __init__(self, plan_: Plan, match_episode: bool, reward: int) -> None:
        bonus = plan_.rules.stock_size if plan_.rules.info_bonus == "talon_suits" else 0
        head = [0, 0, 0, match_episode, reward, *([0] * bonus)]
        self.bytes: U8 = np.concatenate([np.array(head, np.uint8), plan_.constants])


def write(s: ThousandState, seats: I64, plan_: Plan, constants: Constants) -> U8:
    """Observations of the given seats. uint8 [N, D]."""
    rules, t = plan_.rules, plan_.tables
    c = t.columns
    n, p = len(s), rules.players
    # the columns from `when` on are not all bits: what is left over of them is overwritten
    row = np.empty((n, plan_.layout.size // 8), np.uint8)
    order = plan_.words.take(seats, axis=0)
    order += row_starts(n, c.width)[:, None]
    words: U64 = s.rows.ravel().take(order, mode="clip")
    if plan_.bonus:
        words = _with_bonus(s, seats, words, plan_)
    if rules.dark != "off":
        words[_closed(s, seats), 0] = 0
    planes = plan_.packer.planes
    plan_.packer.pack(words[:, :planes], row)
    first = plan_.packer.bytes
    said = words[:, planes:].view(np.uint8)
    size = p * plan_.said_bytes
    if said.shape[1] != size:
        said = said.reshape(n, p, -1)[:, :, : plan_.said_bytes].reshape(n, size)
    row[:, first : first + size] = said
    row[:, first + size : first + size + 16].view(np.uint64)[...] = _flags(s, seats, plan_)
    obs = np.unpackbits(row.reshape(-1), bitorder="little").reshape(n, -1)

    column = plan_.bytes_at
    order = plan_.pieces.take(seats, axis=0)
    order += row_starts(n, c.width * 8 // PIECE.itemsize)[:, None]
    pieces = s.rows.view(PIECE).ravel().take(order, mode="clip").view(np.uint8)
    obs[:, column : column + pieces.shape[1]] = pieces
    column += pieces.shape[1]
    obs[:, column : column + 8] = (s.desk | t.progress.take(s.ply)).view(np.uint8).reshape(n, 8)
    column += 8
    obs[:, column:] = constants.bytes
    if rules.golden == "on":
        obs[:, column] = s.golden_left
    if rules.deals is not None:
        obs[:, column + 1] = np.minimum(np.maximum(rules.deals - s.deals_played, 0), 255)
    if rules.info_bonus == "talon_card":
        obs[:, column + 2] = s.info[np.arange(n), seats] + 1
    if rules.info_bonus == "talon_suits":
        known = _has_bonus(s, seats, t)
        suits = s.stock[:, : rules.stock_size] // NUM_RANKS + 1
        obs[:, column + 5 : column + 5 + rules.stock_size] = np.where(known[:, None], suits, 0)
    return obs


def _closed(s: ThousandState, seats: I64) -> npt.NDArray[np.bool_]:
    """Whether the seat's own cards lie unseen (T-DARK-01, T-DARK-08). bool [N]."""
    return (s.context == IN_DARK) | (s.blind == seats)


def _has_bonus(s: ThousandState, seats: I64, t: Tables) -> npt.NDArray[np.bool_]:
    """Seats that hold the information bonus and cards (T-INFO-01). bool [N]."""
    rules = t.rules
    holds = np.isin(seats, rules.info_bonus_seats)
    place = t.turns.place.take(t.turns.dealer.take(s.node) * rules.players + seats)
    return holds & (place < rules.active) & ~_closed(s, seats)


def _with_bonus(s: ThousandState, seats: I64, words: U64, plan_: Plan) -> U64:
    """The gathered words with the planes of the bonus after the other planes."""
    rules, t = plan_.rules, plan_.tables
    n, p = len(s), rules.players
    bonus = _has_bonus(s, seats, t)[:, None]
    if rules.info_bonus == "opponents":
        cards: U64 = np.take_along_axis(s.hands, plan_.turn.take(seats, axis=0)[:, 1:], axis=1)
    else:
        cards = s.talons
        if rules.info_bonus == "talon_card":
            index = s.info[np.arange(n), seats]
            card = BIT.take(s.stock[np.arange(n), np.maximum(index, 0)])
            cards = np.where((index >= 0)[:, None], cards & card[:, None], 0)
    planes = 2 * p + 3
    return np.concatenate([words[:, :planes], np.where(bonus, cards, 0), words[:, planes:]], axis=1)


def _flags(s: ThousandState, seats: I64, plan_: Plan) -> U64:
    """The flag region of each row. uint64 [N, 2]."""
    t = plan_.tables
    out = np.empty((len(s), 2), np.uint64)
    words = s.facts | t.turns.flags.take(s.node + (s.code & (SLOTS - 1)))
    words |= t.fact["to_act"].take(s.player, mode="wrap")
    out[:, 0] = words
    out[:, 1] = s.married | plan_.context_bits.take(s.context)
    # both words turned to be seat-relative as `SeatFlags.turn` does one
    turned = (out >> plan_.down.take(seats, axis=0)) & plan_.low.take(seats, axis=0)
    turned |= (out << plan_.up.take(seats, axis=0)) & plan_.high.take(seats, axis=0)
    out &= plan_.rest
    out |= turned
    other = out[:, 1].copy()
    out[:, 0] |= other << plan_.shift
    out[:, 1] = other >> plan_.back
    return out


def hidden_planes(s: ThousandState, seats: I64, rules: ThousandRules) -> U8:
    """Hands of the other seats, both talons and the cards given away, for critics. uint8 [N, (P + 3)·24]."""
    order = plan(rules).turn.take(seats, axis=0)[:, 1:]
    words = np.concatenate([np.take_along_axis(s.hands, order, axis=1), s.talons, s.gave], axis=1)
    return bits.unpack(words[:, :, None], CARDS).reshape(len(s), -1)


assert sum(width for _, width in TABLE_BITS) == 21
