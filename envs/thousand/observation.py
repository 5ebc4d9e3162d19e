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

from ..core import bits, tricks
from ..core.bits import BIT, I64, U8, U64
from ..core.layout import ObsLayout, PlanePacker, SeatFlags
from .rules import ThousandRules
from .state import SHEET, ThousandState
from .tables import (
    CARDS,
    DARK,
    NUM_RANKS,
    PHASES,
    PLAY,
    TABLE_BITS,
    Tables,
    active_seats,
    facts,
    married,
    table_bit,
    tables,
)

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
    turn: I64  # [P, P] absolute seats as each observer counts them
    trick_facts: U64  # (dealer, leader, no card lies, code & 7) → leader and winning, then a row of nothing
    facts: SeatFlags
    married: SeatFlags
    trump_bits: U64
    led_bits: U64
    phase_bits: U64


def _constants(rules: ThousandRules) -> list[tuple[str, float, int]]:
    """The rule options as bytes: name, scale, value."""
    rows: list[tuple[str, float, int]] = []
    for field in dataclasses.fields(rules):
        value, choices = getattr(rules, field.name), field.metadata["choices"]
        if field.name in ("info_bonus_seats", "deals"):
            continue  # the bonus has its own segments, the length of the match is in `deals_left`
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
        turn=(np.arange(p)[:, None] + np.arange(p)) % p,
        trick_facts=_trick_facts(rules, t),
        facts=facts(p),
        married=married(p),
        trump_bits=_one_hot(p, "trump", 5, 4),
        led_bits=_one_hot(p, "led", 5, 4),
        phase_bits=_one_hot(p, "phase", len(PHASES), len(PHASES)),
    )


class _Scaled(ObsLayout):
    """A layout whose score sheet has a scale for each column."""

    def __init__(self, segments: list[tuple[str, tuple[int, ...], float, str]]) -> None:
        super().__init__(segments)
        sheet = self["sheet"]
        self._scale[sheet.columns] = np.tile([scale for _, scale, _ in SHEET_SEGMENTS], sheet.shape[0])


def _one_hot(players: int, name: str, values: int, width: int) -> U64:
    first = table_bit(players, name)
    return np.array([1 << (first + v) if v < width else 0 for v in range(values)], np.uint64)


def _trick_facts(rules: ThousandRules, t: Tables) -> U64:
    """(dealer, leader, no card lies, code & 7) → who leads and who wins so far; the last entries are empty."""
    p = rules.players
    table = np.zeros((p * p + 1, 2, tricks.SLOTS), np.uint64)
    for dealer in range(p):
        for leader in active_seats(p, dealer):
            row, leads = dealer * p + leader, facts(p).bit("leader", leader)
            table[row, 1] = leads
            for low in range(tricks.SLOTS):
                table[row, 0, low] = leads | facts(p).bit("winning", int(t.winner[row * tricks.SLOTS + low]))
    return table.ravel()


def layout(rules: ThousandRules) -> ObsLayout:
    """The layout of a set of rules."""
    return plan(rules).layout


def write(s: ThousandState, seats: I64, plan_: Plan, match_episode: bool, reward: int) -> U8:
    """Observations of the given seats. uint8 [N, D]."""
    rules, t = plan_.rules, plan_.tables
    n, p = len(s), rules.players
    order = plan_.turn.take(seats, axis=0) + np.arange(0, p * n, p)[:, None]
    row = np.zeros((n, plan_.layout.size // 8), np.uint8)
    _write_planes(s, seats, order, plan_, t, row)
    first = plan_.packer.bytes
    said = s.said.reshape(n * p, -1).view(np.uint8)[:, : plan_.said_bytes]
    row[:, first : first + p * plan_.said_bytes] = said.take(order.ravel(), axis=0).reshape(n, -1)
    first += p * plan_.said_bytes
    words = row[:, first : first + 16].view(np.uint64)
    words[:, 0], words[:, 1] = _flags(s, seats, plan_)
    obs = np.unpackbits(row.reshape(-1), bitorder="little").reshape(n, -1)

    column = plan_.bytes_at
    obs[:, column : column + CARDS] = s.when[:, :CARDS]
    column += CARDS
    obs[:, column : column + p * SHEET] = s.sheet.reshape(n * p, SHEET).take(order.ravel(), axis=0).reshape(n, -1)
    column += p * SHEET
    obs[:, column : column + 8] = _desk(s).view(np.uint8).reshape(n, 8)
    column += 8
    obs[:, column] = s.golden_left
    obs[:, column + 1] = 0 if rules.deals is None else np.clip(rules.deals - s.deals_played, 0, 255)
    obs[:, column + 2] = 0
    if rules.info_bonus == "talon_card":
        obs[:, column + 2] = s.info[np.arange(n), seats] + 1
    obs[:, column + 3] = match_episode
    obs[:, column + 4] = reward
    column += 5
    if rules.info_bonus == "talon_suits":
        known = _has_bonus(s, seats, t)
        obs[:, column : column + rules.stock_size] = np.where(known[:, None], s.stock // NUM_RANKS + 1, 0)
        column += rules.stock_size
    obs[:, column:] = plan_.constants
    return obs


def _closed(s: ThousandState, seats: I64) -> npt.NDArray[np.bool_]:
    """Whether the seat's own cards lie unseen (T-DARK-01, T-DARK-08). bool [N]."""
    return (s.phase == DARK) | (s.blind == seats)


def _has_bonus(s: ThousandState, seats: I64, t: Tables) -> npt.NDArray[np.bool_]:
    """Seats that hold the information bonus and cards (T-INFO-01). bool [N]."""
    rules = t.rules
    holds = np.isin(seats, rules.info_bonus_seats)
    place = t.place.take(s.dealer.astype(np.int64) * rules.players + seats, mode="wrap")
    return holds & (place < rules.active) & ~_closed(s, seats)


def _write_planes(s: ThousandState, seats: I64, order: I64, plan_: Plan, t: Tables, row: U8) -> None:
    rules = t.rules
    n, p = len(s), rules.players
    planes = np.empty((n, plan_.packer.planes), np.uint64)
    planes[:, 0] = s.hands.ravel().take(order[:, 0])
    if rules.dark != "off":
        planes[_closed(s, seats), 0] = 0
    planes[:, 1:p] = s.table.ravel().take(order[:, 1:])
    planes[:, p : 2 * p] = s.played.ravel().take(order)
    planes[:, 2 * p] = s.sees_talon.ravel().take(order[:, 0])
    planes[:, 2 * p + 1 : 2 * p + 3] = s.sees_gave.reshape(n * p, 2).take(order[:, 0], axis=0)
    if rules.info_bonus in ("opponents", "talon", "talon_card"):
        bonus = _has_bonus(s, seats, t)[:, None]
        column = 2 * p + 3
        if rules.info_bonus == "opponents":
            planes[:, column:] = np.where(bonus, s.hands.ravel().take(order[:, 1:]), 0)
        else:
            cards = s.talons
            if rules.info_bonus == "talon_card":
                index = s.info[np.arange(n), seats]
                card = BIT.take(s.stock[np.arange(n), np.maximum(index, 0)])
                cards = np.where((index >= 0)[:, None], cards & card[:, None], 0)
            planes[:, column:] = np.where(bonus, cards, 0)
    plan_.packer.pack(planes, row)


def _flags(s: ThousandState, seats: I64, plan_: Plan) -> tuple[U64, U64]:
    """The flag region of each row as two words."""
    p = plan_.rules.players
    trick: npt.NDArray[np.int16] = (s.dealer * np.int16(p) + s.leader) * np.int16(2 * tricks.SLOTS)
    trick += (s.order == 0) * np.int16(tricks.SLOTS) + (s.code & np.int16(tricks.SLOTS - 1))
    trick[s.phase != PLAY] = 2 * p * p * tricks.SLOTS
    words = s.facts | plan_.trick_facts.take(trick, mode="clip")
    words |= plan_.tables.fact["to_act"].take(s.player, mode="wrap")
    turned = plan_.facts.turn(words, seats)
    table = s.married | plan_.trump_bits.take(s.trump, mode="clip")
    table |= plan_.led_bits.take(s.led, mode="clip")
    table |= plan_.phase_bits.take(s.phase, mode="clip")
    other = plan_.married.turn(table, seats)
    shift = plan_.facts.bits
    return turned | (other << np.uint64(shift)), other >> np.uint64(64 - shift)


def _desk(s: ThousandState) -> U64:
    """The eight numbers of _DESK as the bytes of one word. uint64 [N]."""
    trick = s.trick_points.astype(np.uint32)
    trick |= s.order.astype(np.uint32) << np.uint32(8)
    trick |= s.tricks.astype(np.uint32) << np.uint32(16)
    return s.desk.view(np.uint64)[:, 0] | trick


def hidden_planes(s: ThousandState, seats: I64, rules: ThousandRules) -> U8:
    """Hands of the other seats, both talons and the cards given away, for critics. uint8 [N, (P + 3)·24]."""
    n, p = len(s), rules.players
    order = plan(rules).turn.take(seats, axis=0)[:, 1:] + np.arange(0, p * n, p)[:, None]
    words = np.concatenate([s.hands.ravel().take(order), s.talons, s.gave], axis=1)
    return bits.unpack(words[:, :, None], CARDS).reshape(n, -1)


assert sum(width for _, width in TABLE_BITS) == 21
