"""Ranks, points, legality and Weis of Schieber as lookup tables, built once for each set of rules.

Indices: contract 0..3 = trump suit, 4 Obenabe, 5 Undenufe, 6 none yet; suit led 0..3, 4 none yet;
card = suit · 9 + rank with ranks 6 7 8 9 Banner Under Ober König Ass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import BIT, U8, U64
from ..core.cards import Deck
from ..core.layout import SeatFlags
from .rules import RANKS, SchieberRules

I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]

SUITS = ("Eichel", "Rosen", "Schilten", "Schellen")
SIX, SEVEN, EIGHT, NINE, BANNER, UNDER, OBER, KOENIG, ASS = range(9)

#: J-EQP-01, and the display names of J-EQP-02 (a pairing for the eye only).
SWISS = Deck("Schieber cards", SUITS, RANKS, ("eichel", "rosen", "schilten", "schellen"))
FRENCH = Deck(
    "Schieber cards",
    ("Clubs", "Hearts", "Spades", "Diamonds"),
    ("6", "7", "8", "9", "Ten", "Jack", "Queen", "King", "Ace"),
    ("clubs", "hearts", "spades", "diamonds"),
    ("6", "7", "8", "9", "10", "J", "Q", "K", "A"),
)

CARDS = 36
OBENABE, UNDENUFE, NO_CONTRACT = 4, 5, 6
NO_SUIT = 4
FIRST_CONTRACT, PUSH, NUM_ACTIONS = 36, 42, 43
#: Tables have 64 columns for actions, so that `action & 63` also gives NO_ACTION (-1) a column, of no effect.
COLUMNS = 64
COLUMN_BITS = 6
#: Columns of `Tables.masks`.
NOT_FORBIDDEN, PLAIN, ALLOWED, SUITED = range(4)
STRENGTHS = 32  # strengths are 0..18, and none; a power of two keeps the index a shift

#: J-RNK-02: trump ranks from low to high.
TRUMP_ORDER = (SIX, SEVEN, EIGHT, BANNER, OBER, KOENIG, ASS, NINE, UNDER)

PLAIN_POINTS = {ASS: 11, KOENIG: 4, OBER: 3, UNDER: 2, BANNER: 10}

#: Fields of the public per-seat word, and the bits above them that concern the table.
FLAGS = SeatFlags(
    4,
    (
        "declarer", "forehand", "pushed", "leader", "winning", "to_act", "declared", "stock",
        "void_eichel", "void_rosen", "void_schilten", "void_schellen",
    ),
)  # fmt: skip
CONTRACT_SHIFT = FLAGS.bits  # six bits, one a contract
LED_SHIFT = CONTRACT_SHIFT + 6  # four bits, the suit led
FIRST_HAND_BIT = LED_SHIFT + 4  # the forehand was named by a card he holds (J-DEAL-02)
PLAY_BIT = FIRST_HAND_BIT + 1  # the contract is fixed


def deck(rules: SchieberRules) -> Deck:
    return SWISS if rules.suit_names == "swiss" else FRENCH


def action_names(rules: SchieberRules) -> tuple[str, ...]:
    cards = deck(rules)
    return (
        *(cards.format(c) for c in range(CARDS)),
        *(f"Trump {suit}" for suit in cards.suits),
        "Obenabe",
        "Undenufe",
        "Push",
    )


def card_points(contract: int, rules: SchieberRules) -> list[int]:
    """Points of the 36 cards under a contract (J-PTS-01..03)."""
    points: list[int] = []
    for card in range(CARDS):
        suit, rank = divmod(card, 9)
        value = PLAIN_POINTS.get(rank, 0)
        if suit == contract:
            value = {UNDER: 20, NINE: 14}.get(rank, value)
        elif contract in (OBENABE, UNDENUFE) and rank == EIGHT:
            value = 8
        if contract == UNDENUFE and rules.undenufe_eleven == "six":
            value = {SIX: 11, ASS: 0}.get(rank, value)
        points.append(value)
    return points


def strength(contract: int, led: int, card: int) -> int:
    """Power of a card in a trick: 0 for a discard, 1..9 in the suit led, 10..18 a trump (J-RNK, J-PLAY-06)."""
    suit, rank = divmod(card, 9)
    if suit == contract:
        return 10 + TRUMP_ORDER.index(rank)
    if suit != led:
        return 0
    return 9 - rank if contract == UNDENUFE else 1 + rank


@dataclass(frozen=True)
class Tables:
    """All lookup tables of one set of rules; flat, to be read with `take`.

    A context is contract · 5 + suit led.

    context: int64 [35·64] (context, action) → context after it.
    codes: int16 [35·64] (context after the card, action) → code of the card if it is the first of its trick
        (core.tricks), EMPTY for no card.
    points: int16 [35·64] (context, action) → card points.
    shows: uint64 [35·64·2] (context after it, action, undertrumps) → flags of seat 0 that an action sets: who pushed,
        who chose the contract, the voids that a play shows.
    masks: uint64 [35·32, 4] (context, 1 + strength of the winning card, 0 for none) → NOT_FORBIDDEN, PLAIN, ALLOWED,
        SUITED: the masks of `_masks`, and all cards that are no trumps.
    multiplier: int32 [35] (context).
    pair: uint64 [64] (action) → of the possible pairs (König and Ober) those that the action leaves possible.
    scores: uint64 [*] (score) → columns SCORE, TO_GO, SAFE of a score sheet as the low bytes of a word; higher
        scores are as the last entry.
    constants: uint8 [20], the options that an observation tells.
    contracts: the actions that choose a contract, those of suits that are in the deck (J-RED-02).
    """

    context: npt.NDArray[np.int64]
    codes: I16
    points: I16
    shows: U64
    masks: U64
    multiplier: I32
    pair: U64
    scores: U64
    constants: U8
    contracts: np.uint64


#: PLAY_CARD[a]: the bit of the card that action a plays, or the empty word. uint64 [64].
PLAY_CARD: U64 = np.concatenate([BIT[:CARDS], np.zeros(COLUMNS - CARDS, np.uint64)])
PUSH_ACTION = np.uint64(1 << PUSH)


@lru_cache(maxsize=256)
def tables(rules: SchieberRules) -> Tables:
    """The tables of a set of rules (cached)."""
    power = np.full((7, 5, COLUMNS), -1, np.int16)
    shows = np.zeros((7, 5, COLUMNS, 2), np.uint64)
    shows[NO_CONTRACT, NO_SUIT, PUSH] = FLAGS.bit("pushed")
    points = np.zeros((7, 5, COLUMNS), np.int16)
    after = np.repeat(np.arange(35)[:, None], COLUMNS, axis=1).reshape(7, 5, COLUMNS)
    after[:, NO_SUIT, :CARDS] = 5 * np.arange(7)[:, None] + np.arange(CARDS) // 9
    void = [FLAGS.bit(name) for name in ("void_eichel", "void_rosen", "void_schilten", "void_schellen")]
    everything = (1 << CARDS) - 1
    masks = np.zeros((7, 5, STRENGTHS, 4), np.uint64)
    masks[..., :ALLOWED] = everything
    pair = np.full(COLUMNS, everything, np.uint64)
    for contract in range(6):
        points[contract, :, :CARDS] = card_points(contract, rules)
        trump = contract if contract < 4 else -1
        choice = FIRST_CONTRACT + contract
        after[NO_CONTRACT, NO_SUIT, choice] = 5 * contract + NO_SUIT
        shows[contract, NO_SUIT, choice] = FLAGS.bit("declarer")
        pair[choice] = (1 << (9 * trump + OBER)) | (1 << (9 * trump + KOENIG)) if trump >= 0 else 0
        if trump >= 0:
            masks[contract, ..., PLAIN] = everything & ~(0x1FF << (9 * trump))
        for led in range(4):
            for card in range(CARDS):
                suit = card // 9
                power[contract, led, card] = strength(contract, led, card)
                if suit not in (led, trump):
                    # not following a plain suit, or a trump lead, with a card that is no trump:
                    # nothing of the led suit is held (but for a lone trump Under, J-PLAY-03)
                    shows[contract, led, card] = void[led]
                elif suit == trump != led:
                    # undertrumping is legal only from a hand of nothing but trumps (J-PLAY-05)
                    shows[contract, led, card, 1] = sum(void) - void[trump]
            for best in range(19):
                masks[contract, led, 1 + best, [SUITED, ALLOWED, NOT_FORBIDDEN]] = _masks(trump, led, best)
    return Tables(
        context=after.ravel(),
        codes=tricks.first_codes(power).ravel(),
        points=points.ravel(),
        shows=shows.ravel(),
        masks=masks.reshape(-1, 4),
        multiplier=np.array([*rules.multipliers, 1], np.int32).repeat(5),
        pair=pair,
        scores=_scores(rules),
        constants=_constants(rules),
        contracts=np.uint64(sum(1 << FIRST_CONTRACT + c for c in range(6) if c < rules.suits or c >= OBENABE)),
    )


def _masks(trump: int, led: int, best: int) -> tuple[int, int, int]:
    """Masks of legality (J-PLAY-02..05) for a suit led and the strength of the winning card so far.

    Returns `suited` (holding one of these binds), `allowed` (what may then be played) and `not_forbidden`
    (what may be played otherwise; a hand of nothing but trumps may play everything).
    """
    suit = 0x1FF << (9 * led)
    if trump < 0:
        return suit, suit, (1 << CARDS) - 1
    if led == trump:
        return suit & ~(1 << (9 * trump + UNDER)), suit, (1 << CARDS) - 1
    ruffed_by = best - 10  # place of the highest trump in TRUMP_ORDER, negative if there is none
    higher = sum(1 << (9 * trump + rank) for place, rank in enumerate(TRUMP_ORDER) if place > ruffed_by)
    lower = (0x1FF << (9 * trump)) & ~higher
    return suit, suit | higher, ((1 << CARDS) - 1) & ~lower


def _scores(rules: SchieberRules) -> U64:
    """What a score looks like on the sheet (J-END-01, J-END-03)."""
    if not rules.live_target:
        return np.arange(256, dtype=np.uint64).repeat(20)
    scores = np.arange(rules.target + rules.target // 50 + 2)
    share = np.minimum(scores * 250 // rules.target, 255)
    to_go = np.clip(rules.target - scores, 0, 255)
    return (share | to_go << 8 | (2 * scores >= rules.target) << 16).astype(np.uint64)


def _constants(rules: SchieberRules) -> U8:
    """The rule options that an agent should see, as bytes (names in observation.CONSTANTS)."""
    return np.array(
        [
            *rules.multipliers,
            min(255, rules.target // 20) if rules.live_target else 0,
            min(255, rules.hands or 0),
            rules.undenufe_eleven == "six",
            rules.match_bonus > 0,
            rules.weis,
            rules.four_nines > 0,
            rules.kreuzweis,
            rules.weis_type_order == "run_first",
            ("values_only", "winner_cards", "all").index(rules.weis_reveal),
            rules.stock,
            ("off", "first_card", "any_time").index(rules.early_stock),
            rules.claim_order == "stock_trick_weis",
            rules.schneider_factor,
            rules.push_back,
        ],
        np.uint8,
    )


@dataclass(frozen=True)
class WeisTables:
    """Runs of one suit for every pattern of nine ranks, with up to two quartet ranks taken out.

    quartets: list of the rank sets that may be declared as quartets (the empty one first).
    value: int16 [S·512] points of the runs that are left. key: int16 [2·S·512] key of the best of them
        (0 if none) by direction. cards: uint64 [2·S·512] their nine-bit cards, by direction.
    quartet_value: int16 [S]; quartet_key: int16 [2·S] by direction; quartet_cards: uint64 [S].
    quartet_ranks: nine bits, the ranks that count as a quartet.
    choices: three int64 [512]: for the quartet ranks that a hand holds, its first, second and third choice
        (number of a rank set) beside the empty one, 0 if there are fewer.
    """

    quartets: list[tuple[int, ...]]
    value: I16
    key: I16
    cards: U64
    quartet_value: I16
    quartet_key: I16
    quartet_cards: U64
    quartet_ranks: int
    choices: list[npt.NDArray[np.int64]]


def weis_key(points: int, is_quartet: bool, length: int, top: int, type_order: str) -> int:
    """Comparable key of a set (J-WEIS-05): points, type, length among runs of 100, rank; bit 0 is for trump."""
    better_type = is_quartet == (type_order == "quartet_first")
    long = length if points == 100 and not is_quartet else 0
    return (points // 10) << 10 | better_type << 9 | long << 5 | top << 1


def _run_points(length: int) -> int:
    return 0 if length < 3 else {3: 20, 4: 50}.get(length, 100)


def _longest_runs(pattern: int) -> list[list[int]]:
    """Maximal runs of consecutive ranks of a pattern, each ascending."""
    runs: list[list[int]] = []
    for rank in range(9):
        if pattern >> rank & 1:
            if rank and pattern >> (rank - 1) & 1:
                runs[-1].append(rank)
            else:
                runs.append([rank])
    return runs


def weis_tables(rules: SchieberRules) -> WeisTables:
    """The Weis tables of a set of rules (cached by the options that they depend on)."""
    return _weis_tables(rules.kreuzweis, rules.four_nines, rules.weis_type_order)


@lru_cache(maxsize=16)
def _weis_tables(kreuzweis: bool, four_nines: int, type_order: str) -> WeisTables:
    values = {BANNER: 100, UNDER: 200, OBER: 100, KOENIG: 100, ASS: 100}
    if four_nines:
        values[NINE] = four_nines
    ranks = sorted(values)
    quartets: list[tuple[int, ...]] = [(), *((r,) for r in ranks), *combinations(ranks, 2)]
    sets = len(quartets)
    value = np.zeros((sets, 512), np.int16)
    key = np.zeros((2, sets, 512), np.int16)
    cards = np.zeros((2, sets, 512), np.uint64)
    for s, gone in enumerate(quartets):
        taken = 0 if kreuzweis else sum(1 << r for r in gone)
        for pattern in range(512):
            for run in _longest_runs(pattern):
                left = sum(1 << r for r in run) & ~taken
                for up in (0, 1):
                    # one set at most out of each longest run (never split): the best piece that is left
                    best = max(
                        (
                            (weis_key(_run_points(len(p)), False, len(p), 8 - p[0] if up else p[-1], type_order), p)
                            for p in _longest_runs(left)
                            if len(p) >= 3
                        ),
                        default=None,
                    )
                    if best is not None:
                        key[up, s, pattern] = max(key[up, s, pattern], best[0])
                        cards[up, s, pattern] |= np.uint64(sum(1 << r for r in best[1]))
                        if not up:
                            value[s, pattern] += _run_points(len(best[1]))
    quartet_key = np.zeros((2, sets), np.int16)
    for s, gone in enumerate(quartets):
        for rank in gone:
            for up in (0, 1):
                k = weis_key(values[rank], True, 0, 8 - rank if up else rank, type_order)
                quartet_key[up, s] = max(quartet_key[up, s], k)
    choices = [np.zeros(512, np.int64) for _ in range(3)]
    for held in range(512):
        fitting = [s for s, gone in enumerate(quartets) if gone and all(held >> r & 1 for r in gone)]
        for place, s in enumerate(fitting[:3]):  # nine cards hold two quartets at most
            choices[place][held] = s
    return WeisTables(
        quartets=quartets,
        value=value.ravel(),
        key=key.ravel(),
        cards=cards.ravel(),
        quartet_value=np.array([sum(values[r] for r in gone) for gone in quartets], np.int16),
        quartet_key=quartet_key.ravel(),
        quartet_cards=np.array(
            [sum(1 << (9 * suit + r) for r in gone for suit in range(4)) for gone in quartets], np.uint64
        ),
        quartet_ranks=sum(1 << r for r in ranks),
        choices=choices,
    )
