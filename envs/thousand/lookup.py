"""Everything of a set of Thousand rules that the engine looks up, built once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..core.bits import BIT, I64, U8, U64
from .columns import BID, SHEET, Columns, columns
from .contexts import (
    CONTEXTS,
    IN_DARK,
    IN_HAND_REDEAL,
    IN_INFO,
    IN_PASS_REDEAL,
    IN_TALON,
    IN_TALON_REDEAL,
    Legality,
    Transitions,
    legality,
    transitions,
)
from .rules import ThousandRules
from .tables import (
    ACES,
    AT_100,
    CARDS,
    DECLARE,
    ActionSpace,
    action_space,
    active_seats,
    auction_caps,
    declare_cards,
    fact_seat,
    facts,
    marriages,
    married,
    pair_index,
    round_points,
    said_words,
    table_bit,
)
from .turns import Turns, turns

U32 = npt.NDArray[np.uint32]

#: Card points and marriages that one seat can take in a deal are below this.
MOST_TAKEN = 1024
#: Scores of which a score sheet knows the bytes: from -2048 on, then the same on the barrel.
SCORES = 4096
_LOW12 = np.uint64(0xFFF)


@dataclass(frozen=True)
class Tables:
    """All lookup tables of one set of rules; flat, to be read with `take`. W columns of actions as in `Transitions`.

    active, gives: as the rules have them. last_ply: 4 · tricks of a deal. actions: W', words of a set of actions.
    plain_auction: every deal has an auction that forehand opens, without a bid said by itself.
    fact, marry: flag of each seat, then of nobody, by name (SeatFlags.column). all_of: the flags of a fact, all seats.
    declarer: int64 [2^P] the flags of the declarer, the lowest ones → his seat.
    declare_low, declare_high: uint64 [4096] cards of two suits → declare actions (bits of word 0).
    declared: uint64 [W·P] (declare action, seat) → flag in `married`. declared_tens: uint32 [W] what it adds to the
        last word of a score sheet.
    Naming amounts: cap_low, cap_high int64 [4096]: cards of two suits → share of the number of amounts that a hand may
        name (T-AUC-07). named_from, floor: by price in fives + 256 · (contract, not auction): uint64 [512, W'] all
        amounts from the lowest that may be named on, and what else may be said; int64 [512] the number of amounts at
        least. named_below: uint64 [amounts + 1, W'] the first k amounts, and whatever else can be said.
    answers: uint64 [35, W'] the legal actions of contexts that ask a question.
    In `rows`: places int64 [3, 1] words of seat 0 that a card put down changes; said int64 [W] word of an amount of
        seat 0; said_bit uint64 [W]; speaks int64 [2·P, 2] (seat, passes) → bytes that a bid or a pass writes;
        takes int64 [2·P, P + 2] (declarer, shown) → words that get the talon; told uint64 [4] shown + 2 · at 100 → what
        `married` says of it; gifts int64 [8·P·P, …] (seated node +
        first or second card) → words that a card given away changes; taken int64 [8·P·P] seated node → the last word of
        the seat's score sheet, counted in halves.
    Of numbers: place uint8 [64] ply → place of the next card; progress uint64 [64] ply → bytes of the desk;
        rounded int64 [1024] points as they are written (T-RND-01); shares int64 [256] bid in fives → what a write-off
        gives each opponent; sheets uint32 [2·4096] score + 2048 (+ 4096 on the barrel) → its bytes on a score sheet.
    """

    rules: ThousandRules
    active: int
    gives: int
    last_ply: int
    actions: int
    plain_auction: bool
    space: ActionSpace
    columns: Columns
    turns: Turns
    moves: Transitions
    legal: Legality
    fact: dict[str, U64]
    all_of: dict[str, np.uint64]
    declarer: I64
    marry: dict[str, U64]
    declare_low: U64
    declare_high: U64
    declared: U64
    declared_tens: U32
    cap_low: I64
    cap_high: I64
    named_from: U64
    floor: I64
    named_below: U64
    answers: U64
    places: I64
    said: I64
    said_bit: U64
    speaks: I64
    takes: I64
    told: U64
    gifts: I64
    taken: I64
    place: U8
    progress: U64
    rounded: I64
    shares: I64
    sheets: U32


@lru_cache(maxsize=256)
def tables(rules: ThousandRules) -> Tables:
    """The tables of a set of rules (cached)."""
    p = rules.players
    space, c, around, moves = action_space(rules), columns(p, said_words(rules)), turns(p), transitions(rules)
    fact = {name: facts(p).column(name) for name in facts(p).fields}
    marry = {name: married(p).column(name) for name in married(p).fields}
    width = 1 << moves.bits
    number = np.arange(space.amounts)
    said, said_bit = np.full(width, c.said), np.zeros(width, np.uint64)
    said[space.amount : space.amount + space.amounts] += (number >> 6) * p
    said_bit[space.amount : space.amount + space.amounts] = BIT[number & 63]
    ply = np.arange(64)
    named_from, floor = _named_from(rules, space)
    everything = _amounts(space, np.arange(space.amounts + 1))
    for action in (space.pass_, space.write_off):
        everything[:, action >> 6] |= BIT[action & 63]
    seat, shown = np.arange(p), BIT[table_bit(p, "talon_shown")]
    return Tables(
        rules=rules,
        active=rules.active,
        gives=rules.gives,
        last_ply=4 * rules.tricks,
        actions=space.words,
        plain_auction=_opens_plainly(rules),
        space=space,
        columns=c,
        turns=around,
        moves=moves,
        legal=legality(rules),
        fact=fact,
        all_of={name: np.bitwise_or.reduce(bits) for name, bits in fact.items()},
        declarer=fact_seat(np.arange(1 << p, dtype=np.uint64), p, "declarer").astype(np.int64),
        marry=marry,
        declare_low=_declare_bits(rules, 0),
        declare_high=_declare_bits(rules, 12),
        declared=_declared(rules, width, marry),
        declared_tens=_declared_tens(rules, width),
        cap_low=_caps(rules, 0),
        cap_high=_caps(rules, 12),
        named_from=named_from,
        floor=floor,
        named_below=everything,
        answers=_answers(rules, space),
        places=np.array([[c.hands], [c.table], [c.played]]),
        said=said,
        said_bit=said_bit,
        speaks=np.array(
            [
                [c.spoke + s, c.scratch if passes else 8 * c.sheet + SHEET * s + BID]
                for s in range(p)
                for passes in (0, 1)
            ]
        ),
        takes=np.array(
            [
                [c.taken, c.hands + s, *(c.sees_talon + (r if shown else s) for r in range(p))]
                for s in range(p)
                for shown in (False, True)
            ]
        ),
        told=np.array([0, shown, AT_100, shown | AT_100], np.uint64),
        gifts=_gifts(rules, c),
        taken=np.repeat(np.tile(2 * c.sheet + 3 * seat + 2, p), 8),
        place=np.minimum((ply >> 2) * rules.active + (ply & 3) + 1, CARDS).astype(np.uint8),
        progress=((ply & 3) << 8 | (ply >> 2) << 16).astype(np.uint64),
        rounded=round_points(np.arange(MOST_TAKEN), rules.score_defender_round_to).astype(np.int64),
        shares=_shares(rules),
        sheets=_sheets(rules),
    )


def _opens_plainly(rules: ThousandRules) -> bool:
    special = (rules.golden == "on", rules.dark != "off", rules.barrel_auction != "normal")
    return rules.auction_opening == "at_least_100" and rules.auction_silence_below is None and not any(special)


def _declare_bits(rules: ThousandRules, shift: int) -> U64:
    """Sets of twelve cards → their declare actions. uint64 [4096]."""
    actions = {card - shift: DECLARE + k for k, card in enumerate(declare_cards(rules))}
    return np.array(
        [sum(1 << a for c, a in actions.items() if 0 <= c < 12 and w >> c & 1) for w in range(4096)], np.uint64
    )


def _declared(rules: ThousandRules, width: int, marry: dict[str, U64]) -> U64:
    table = np.zeros((width, rules.players), np.uint64)
    for k, card in enumerate(declare_cards(rules)):
        table[DECLARE + k] = list(marry.values())[4 if card % 6 == 5 else card // 6][:-1]
    return table.ravel()


def _declared_tens(rules: ThousandRules, width: int) -> U32:
    table = np.zeros(width, np.uint32)
    for k, card in enumerate(declare_cards(rules)):
        value = rules.ace_marriage_value if card % 6 == 5 else rules.marriage_values[card // 6]
        table[DECLARE + k] = value // 10 << 16
    return table


def _caps(rules: ThousandRules, shift: int) -> I64:
    """Numbers of amounts for the marriages of two suits; the first table counts 100 to 120 too. int64 [4096]."""
    sets = np.arange(4096, dtype=np.uint64) << np.uint64(shift)
    values = marriages(rules).take(pair_index(sets)) // rules.auction_step
    return values if shift else values + 20 // rules.auction_step + 1


def hand_amounts(hands: U64, t: Tables) -> I64:
    """How many amounts, from 100 on, a hand may name (T-AUC-07, T-AUC-08). uint64 [n] → int64 [n]."""
    count = t.cap_low.take((hands & _LOW12).view(np.int64))
    count += t.cap_high.take((hands >> np.uint64(12)).view(np.int64))
    if t.rules.ace_marriage and t.rules.ace_marriage_in_cap:
        count += t.rules.ace_marriage_value // t.space.step * ((hands & ACES) == ACES)
    return count


def auction_amounts(t: Tables) -> int:
    """How many amounts may be bid whatever the hand (T-AUC-06)."""
    cap = int(auction_caps(np.zeros(1, np.uint64), t.rules)[0])
    return min((cap - 100) // t.space.step + 1, t.space.amounts)


def _amounts(space: ActionSpace, counts: I64) -> U64:
    """The first k amounts as actions. uint64 [n, W']."""
    rows = [((1 << (space.amount + k)) - (1 << space.amount)) for k in counts.tolist()]
    return np.array([[row >> (64 * w) & ((1 << 64) - 1) for w in range(space.words)] for row in rows], np.uint64)


def _named_from(rules: ThousandRules, space: ActionSpace) -> tuple[U64, I64]:
    """`Tables.named_from` and `Tables.floor` (T-AUC-03, T-AUC-05, T-RAISE-01)."""
    price = np.arange(256) * 5
    at = np.maximum(price - 100, 0) // space.step
    lowest = np.concatenate([np.where(price > 0, at + 1, 0), at])
    lowest = np.minimum(lowest, space.amounts)
    words = ~_amounts(space, lowest)
    for action in (space.pass_, space.write_off):
        words[:, action >> 6] &= ~BIT[action & 63]
    words[1:256, space.pass_ >> 6] |= BIT[space.pass_ & 63]
    if rules.contract_declare == "before_pass":
        words[256:, space.write_off >> 6] |= BIT[space.write_off & 63]
    return words, lowest + np.repeat([0, 1], 256)


def _answers(rules: ThousandRules, space: ActionSpace) -> U64:
    redeal = [space.redeal, space.keep]
    asked = {IN_HAND_REDEAL: redeal, IN_TALON_REDEAL: redeal, IN_PASS_REDEAL: redeal}
    if space.dark >= 0:
        asked[IN_DARK] = [space.dark, space.look]
    if space.talon >= 0:
        asked[IN_TALON] = [space.talon, space.talon + 1]
    if space.info >= 0:
        asked[IN_INFO] = list(range(space.info, space.info + rules.stock_size))
    words = np.zeros((CONTEXTS, space.words), np.uint64)
    for context, actions in asked.items():
        for action in actions:
            words[context, action >> 6] |= BIT[action & 63]
    return words


def _gifts(rules: ThousandRules, c: Columns) -> I64:
    """Words that a card given away changes: the two hands, and where it is known (T-PASS-01, T-PASS-02, T-2P-04)."""
    p = rules.players
    table = np.zeros((p * p * 8, 2 + p), np.int64)
    for dealer in range(p):
        seats = active_seats(p, dealer)
        for seat in range(p):
            if seat not in seats:
                continue
            others = [seats[(seats.index(seat) + j) % len(seats)] for j in range(1, len(seats))]
            for k in range(rules.gives):
                known = c.gave + k * p
                to = others[k] if k < len(others) else -1  # -1: to the bank
                if to < 0:
                    words = [c.hands + seat, known + seat]
                elif rules.pass_visibility == "public":
                    words = [c.hands + seat, c.hands + to, *(known + r for r in range(p))]
                else:
                    words = [c.hands + seat, c.hands + to, known + seat, known + to]
                # a word named twice is written twice with the same value
                table[(dealer * p + seat) * 8 + k] = (words + words[-1:] * p)[: 2 + p]
    needed = 2 + p if rules.pass_visibility == "public" else 4
    return np.ascontiguousarray(table[:, :needed])


def _shares(rules: ThousandRules) -> I64:
    """What each opponent gets of a write-off: half the bid, down to a multiple of 5, or 60 (T-WO-02)."""
    bids = np.arange(256) * 5
    return bids // 2 // 5 * 5 if rules.write_off_opponents == "half_floor5" else np.full(256, 60)


def _sheets(rules: ThousandRules) -> U32:
    """Bytes SCORE, SCORE_LOW and TO_GO of each score, first off the barrel and then on it. uint32 [2·4096]."""
    shown = np.arange(SCORES)
    parts: list[U32] = []
    for goal in (rules.barrel_at or rules.target, rules.target):
        to_go = np.minimum(np.maximum(goal - (shown - SCORES // 2), 0), 255)
        parts.append((shown >> 4 | (shown & 15) << 8 | to_go << 16).astype(np.uint32))
    return np.concatenate(parts)


assert all(facts(p).fields["declarer"] == 0 for p in (2, 3, 4))
