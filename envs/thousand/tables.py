"""Ranks, points, actions, seats and trick powers of Thousand as lookup tables, built once for each set of rules.

Card = suit · 6 + rank with suits spades, clubs, diamonds, hearts and ranks 9 J Q K 10 A (T-DECK-02). Trump and
suit led are 0..3, 4 for none. Seats are absolute; with four players the dealer holds no cards (T-4P-01).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import BIT, I64, U8, U64
from ..core.cards import Deck
from ..core.layout import SeatFlags
from .rules import ThousandRules

I16 = npt.NDArray[np.int16]

SUITS = ("Spades", "Clubs", "Diamonds", "Hearts")
RANKS = ("9", "Jack", "Queen", "King", "Ten", "Ace")
NINE, JACK, QUEEN, KING, TEN, ACE = range(6)
POINTS = (0, 2, 3, 4, 10, 11)  # T-DECK-03
CARDS, NUM_RANKS, NO_SUIT = 24, 6, 4

#: Phases of a deal, as `phase` and `spec.phases` number them.
PHASES = (
    "dark", "hand redeal", "talon card", "auction", "talon", "talon redeal", "contract", "give", "pass redeal", "play",
)  # fmt: skip
DARK, HAND_REDEAL, INFO, AUCTION, TALON, TALON_REDEAL, CONTRACT, GIVE, PASS_REDEAL, PLAY = range(10)
#: Phases whose question nobody else notices (T-RED-10, T-INFO-01).
PRIVATE = (HAND_REDEAL, INFO, TALON_REDEAL, PASS_REDEAL)


def _short_names() -> dict[str, str]:
    """ "♥K", "K♥", "hK" and "Kh" for "Hearts King", and so on."""
    names: dict[str, str] = {}
    for suit, symbol in zip(SUITS, "♠♣♦♥", strict=True):
        for rank, label in zip(RANKS, ("9", "J", "Q", "K", "10", "A"), strict=True):
            for key in (symbol, suit[0]):
                names[f"{key}{label}".lower()] = names[f"{label}{key}".lower()] = f"{suit} {rank}"
    return names


DECK = Deck(
    "Thousand cards",
    SUITS,
    RANKS,
    ("spades", "clubs", "diamonds", "hearts"),
    ("9", "J", "Q", "K", "10", "A"),
    aliases=_short_names(),
)

ALL_CARDS = np.uint64((1 << CARDS) - 1)
SUIT_MASK: U64 = np.array([0x3F << (6 * s) for s in range(4)] + [0], np.uint64)


def _rank_mask(rank: int) -> np.uint64:
    return np.uint64(sum(1 << (6 * s + rank) for s in range(4)))


NINES, JACKS, QUEENS, KINGS, ACES = (_rank_mask(r) for r in (NINE, JACK, QUEEN, KING, ACE))

#: Points of every set of twelve cards (two suits): a hand is two lookups. int16 [4096].
_POINTS12: I16 = np.array([sum(POINTS[c % 6] for c in range(12) if w >> c & 1) for w in range(4096)], np.int16)
_LOW12, _TWELVE = np.uint64(0xFFF), np.uint64(12)


def card_points(words: U64) -> I16:
    """Card points of sets of cards (T-DECK-03). uint64 [...] → int16 [...]."""
    points = _POINTS12.take((words & _LOW12).view(np.int64))
    points += _POINTS12.take((words >> _TWELVE).view(np.int64))
    return points


_ONE, _GATHER, _SIXTEEN = np.uint64(1), np.uint64((1 << 18) | (1 << 13) | (1 << 8) | (1 << 3)), np.uint64(15)


def queens_of_pairs(words: U64) -> U64:
    """The queens whose king is in the set too: one bit a marriage (T-MAR-01). uint64 [...]."""
    return words & (words >> _ONE) & QUEENS


def pair_index(words: U64) -> I64:
    """Marriages in each set as four bits, one a suit. uint64 [...] → int64 [...] in 0..15."""
    return (((queens_of_pairs(words) >> np.uint64(2)) * _GATHER >> np.uint64(18)) & _SIXTEEN).view(np.int64)


@dataclass(frozen=True)
class ActionSpace:
    """Where each kind of action begins; -1 for a kind that the rules do not need.

    Cards to play are 0..23. `declare` K, Q (and aces) follow, so actions below `card_actions` put a card down.
    """

    names: tuple[str, ...]
    card_actions: int
    pass_: int
    write_off: int
    redeal: int
    keep: int
    dark: int
    look: int
    talon: int
    info: int
    give: int
    amount: int
    amounts: int
    step: int

    @property
    def words(self) -> int:
        return (len(self.names) + 63) // 64


DECLARE = CARDS


def declare_cards(rules: ThousandRules) -> list[int]:
    """The cards with which something can be declared, in the order of their actions."""
    cards = [6 * suit + rank for suit in range(4) for rank in (QUEEN, KING)]
    return cards + [6 * suit + ACE for suit in range(4)] if rules.ace_marriage else cards


@lru_cache(maxsize=256)
def action_space(rules: ThousandRules) -> ActionSpace:
    """The actions of a set of rules (cached)."""
    names = [DECK.format(c) for c in range(CARDS)]
    names += [f"Declare {DECK.format(c)}" for c in declare_cards(rules)]
    first: dict[str, int] = {"card_actions": len(names)}

    def add(kind: str, texts: list[str], wanted: bool = True) -> None:
        first[kind] = len(names) if wanted else -1
        names.extend(texts if wanted else [])

    add("pass_", ["Pass"])
    add("write_off", ["Write off"])
    add("redeal", ["Redeal"])
    add("keep", ["No redeal"])
    add("dark", ["Dark"], rules.dark != "off")
    add("look", ["Look at the cards"], rules.dark != "off")
    choice = rules.players == 2 and rules.two_player_take == "choice"
    add("talon", ["First talon", "Second talon"], choice)
    add("info", [f"See talon card {k + 1}" for k in range(rules.stock_size)], rules.info_bonus == "talon_card")
    add("give", [f"Give {DECK.format(c)}" for c in range(CARDS)])
    amounts = range(100, rules.highest_amount + 1, rules.auction_step)
    add("amount", [str(amount) for amount in amounts])
    return ActionSpace(names=tuple(names), amounts=len(amounts), step=rules.auction_step, **first)


#: Fields of the public per-seat words.
_FACTS = (
    "declarer", "dealer", "passed", "dark", "barrel", "fined", "trump_owner", "leader", "winning", "to_act",
    "void_spades", "void_clubs", "void_diamonds", "void_hearts",
)  # fmt: skip
_MARRIED = ("spades", "clubs", "diamonds", "hearts", "aces")


@lru_cache(maxsize=4)
def facts(players: int) -> SeatFlags:
    """The public facts of seats."""
    return SeatFlags(players, _FACTS)


@lru_cache(maxsize=4)
def married(players: int) -> SeatFlags:
    """Who declared what; the bits above concern the table (TABLE_BITS)."""
    return SeatFlags(players, _MARRIED)


#: Bits about the table, above those of `married`: name and number of bits.
TABLE_BITS = (("trump", 4), ("led", 4), ("phase", 10), ("talon_shown", 1), ("second_talon", 1), ("golden_made", 1))


def table_bit(players: int, name: str) -> int:
    """Number of the first bit of a field of TABLE_BITS."""
    bit = married(players).bits
    for field, width in TABLE_BITS:
        if field == name:
            return bit
        bit += width
    raise KeyError(name)


def strength(trump: int, led: int, card: int) -> int:
    """Power of a card in a trick: 0 for a discard, 1..6 in the suit led, 7..12 a trump (T-PLAY-06)."""
    suit, rank = divmod(card, 6)
    if suit == trump:
        return 7 + rank
    return 1 + rank if suit == led else 0


@dataclass(frozen=True)
class Tables:
    """All lookup tables of one set of rules; flat, to be read with `take`. C = card actions + 1 (no card).

    Cards, by action: card uint64 [C] its bit; points int16 [C]; led int64 [5·C] (led, action) → suit led after
        it; strength int16 [5·5·C] (trump, led, action), -1 for no card; voids uint64 [5·5·C] → void flags of
        seat 0 that this play shows.
    Legality, by (trump, led, strength of the winning card): beat, follow, overtrump, ruff uint64 [5·5·16]; the
        first of them that meets the hand binds.
    declare_low, declare_high: uint64 [4096] cards of two suits → declare actions (bits of word 0).
    Seats: place int64 [P·P] (dealer, seat) → place from forehand; active int64 [P·P] (dealer, place) → seat;
        next int8 [P·P] (dealer, seat); next_in int8 [P·P·2^P] (dealer, seat, seats that are out) → the next seat
        that is in; receiver int8 [P·P·2] (dealer, declarer, card given) → seat, -1 the bank;
        winner int8 [P·P·8] (dealer, leader, code & 7) → seat.
    marriages: int64 [16] value of the marriages of `pair_index`. below: uint64 [A + 1, W] actions of the first k
        amounts. card_index: uint8 [C] the card of an action, 24 for none.
    fact, marry: flag of each seat, by name (SeatFlags.column).
    """

    space: ActionSpace
    card: U64
    points: I16
    led: I64
    strength: I16
    voids: U64
    beat: U64
    follow: U64
    overtrump: U64
    ruff: U64
    declare_low: U64
    declare_high: U64
    place: I64
    active: I64
    next: npt.NDArray[np.int8]
    next_in: npt.NDArray[np.int8]
    receiver: npt.NDArray[np.int8]
    winner: npt.NDArray[np.int8]
    marriages: I64
    below: U64
    card_index: U8
    rules: ThousandRules
    fact: dict[str, U64]
    marry: dict[str, U64]


STRENGTHS = 16


def active_seats(players: int, dealer: int) -> list[int]:
    """Seats that hold cards, from forehand; with four players the dealer has none (T-DEAL-01, T-4P-01)."""
    return [(dealer + 1 + k) % players for k in range(min(players, 3))]


@lru_cache(maxsize=256)
def tables(rules: ThousandRules) -> Tables:
    """The tables of a set of rules (cached)."""
    space = action_space(rules)
    columns = space.card_actions + 1
    cards = [*range(CARDS), *declare_cards(rules)]
    power = np.full((5, 5, columns), -1, np.int16)
    voids = np.zeros((5, 5, columns), np.uint64)
    led_after = np.repeat(np.arange(5)[:, None], columns, axis=1)
    led_after[NO_SUIT, :-1] = np.array(cards) // 6
    void = [facts(rules.players).bit(f"void_{suit.lower()}") for suit in SUITS]
    masks = np.zeros((4, 5, 5, STRENGTHS), np.uint64)
    for trump in range(5):
        for led in range(4):
            for action, card in enumerate(cards):
                suit = card // 6
                power[trump, led, action] = strength(trump, led, card)
                if suit != led:
                    voids[trump, led, action] = void[led]
                    if trump not in (NO_SUIT, suit) and rules.play_must_trump:
                        voids[trump, led, action] |= np.uint64(void[trump])
            for best in range(STRENGTHS):
                masks[:, trump, led, best] = _masks(rules, trump, led, best)
    return Tables(
        space=space,
        card=np.concatenate([BIT[cards], np.zeros(1, np.uint64)]),
        points=np.array([*(POINTS[c % 6] for c in cards), 0], np.int16),
        led=led_after.ravel(),
        strength=power.ravel(),
        voids=voids.ravel(),
        beat=masks[0].ravel(),
        follow=masks[1].ravel(),
        overtrump=masks[2].ravel(),
        ruff=masks[3].ravel(),
        declare_low=_declare_bits(rules, 0),
        declare_high=_declare_bits(rules, 12),
        marriages=np.array([sum(v for s, v in enumerate(rules.marriage_values) if k >> s & 1) for k in range(16)]),
        below=_below(space),
        card_index=np.array([*range(CARDS), *declare_cards(rules), CARDS], np.uint8),
        rules=rules,
        fact={name: facts(rules.players).column(name) for name in _FACTS},
        marry={name: married(rules.players).column(name) for name in _MARRIED},
        **_seat_tables(rules),
    )


def _masks(rules: ThousandRules, trump: int, led: int, best: int) -> tuple[int, int, int, int]:
    """What binds a follower, in order (T-PLAY-02 to T-PLAY-05): beat, follow, overtrump, ruff; 0 binds nobody."""
    suit = int(SUIT_MASK[led])
    trumps = int(SUIT_MASK[trump])
    ruffed = led != trump and best >= 7
    high = best - 7 if led == trump else best - 1  # rank of the winning card of the suit led
    beat = 0
    if rules.play_must_beat and not ruffed:
        beat = sum(1 << (6 * led + r) for r in range(6) if r > high)
    over = sum(1 << (6 * trump + r) for r in range(6) if r > (best - 7 if ruffed else -1)) if trump < 4 else 0
    return beat, suit, over if rules.play_must_overtrump else 0, trumps if rules.play_must_trump else 0


def _declare_bits(rules: ThousandRules, shift: int) -> U64:
    """Sets of twelve cards → their declare actions. uint64 [4096]."""
    actions = {card - shift: DECLARE + k for k, card in enumerate(declare_cards(rules))}
    return np.array(
        [sum(1 << a for c, a in actions.items() if 0 <= c < 12 and w >> c & 1) for w in range(4096)], np.uint64
    )


def _below(space: ActionSpace) -> U64:
    rows = [((1 << (space.amount + k)) - (1 << space.amount)) for k in range(space.amounts + 1)]
    return np.array([[row >> (64 * w) & ((1 << 64) - 1) for w in range(space.words)] for row in rows], np.uint64)


def _seat_tables(rules: ThousandRules) -> dict[str, Any]:
    p = rules.players
    place = np.array([[(seat - dealer - 1) % p for seat in range(p)] for dealer in range(p)])
    active = np.array([[(dealer + 1 + k) % p for k in range(p)] for dealer in range(p)])
    following = np.zeros((p, p), np.int8)
    next_in = np.full((p, p, 1 << p), -1, np.int8)
    receiver = np.full((p, p, 2), -1, np.int8)
    winner = np.zeros((p, p, tricks.SLOTS), np.int8)
    for dealer in range(p):
        seats = active_seats(p, dealer)
        n = len(seats)
        for k, seat in enumerate(seats):
            turn = [seats[(k + j) % n] for j in range(1, n + 1)]
            following[dealer, seat] = turn[0]
            receiver[dealer, seat, : rules.gives] = [*turn[:-1], -1, -1][: rules.gives]
            for out in range(1 << p):
                next_in[dealer, seat, out] = next((s for s in turn if not out >> s & 1), -1)
            for low in range(tricks.SLOTS):
                winner[dealer, seat, low] = seats[(k + tricks.SLOTS - 1 - low) % n]
    return {
        "place": place.ravel(), "active": active.ravel(), "next": following.ravel(), "next_in": next_in.ravel(),
        "receiver": receiver.ravel(), "winner": winner.ravel(),
    }  # fmt: skip


def hand_caps(hands: U64, rules: ThousandRules) -> I64:
    """120 and every marriage held, four aces too if they count (T-AUC-07, T-AUC-08). uint64 [n] → int64 [n]."""
    caps = tables(rules).marriages.take(pair_index(hands)) + 120
    if rules.ace_marriage and rules.ace_marriage_in_cap:
        caps += rules.ace_marriage_value * ((hands & ACES) == ACES)
    return caps


def auction_caps(hands: U64, rules: ThousandRules) -> I64:
    """The most that a hand may bid (T-AUC-06, T-AUC-07). uint64 [n] → int64 [n]."""
    if rules.auction_cap == "flat_300":
        return np.full(len(hands), 300)
    if rules.auction_cap == "none":
        return hand_caps(np.full(len(hands), ALL_CARDS), rules)
    return hand_caps(hands, rules)


def round_points(points: npt.NDArray[np.integer], unit: int) -> npt.NDArray[np.integer]:
    """Nearest multiple of the unit, a tie goes up (T-RND-01, T-RND-03)."""
    return (2 * points + unit) // (2 * unit) * unit
