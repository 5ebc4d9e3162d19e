"""Ranks, points, actions, flags and trick powers of Thousand.

Card = suit · 6 + rank with suits spades, clubs, diamonds, hearts and ranks 9 J Q K 10 A (T-DECK-02). Trump and
suit led are 0..3, 4 for none. Seats are absolute; with four players the dealer holds no cards (T-4P-01).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..core.bits import I64, U64
from ..core.cards import Deck
from ..core.layout import SeatFlags
from .rules import RANKS, ThousandRules

I16 = npt.NDArray[np.int16]

SUITS = ("Spades", "Clubs", "Diamonds", "Hearts")
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


#: A bit beside them that nobody is shown: the bid is 100 and came from an auction (T-TAL-04).
AT_100 = np.uint64(1 << 63)


def fact_seat(words: U64, players: int, name: str) -> npt.NDArray[np.int8]:
    """The seat that has a fact which one seat has at most, -1 if none has it. int8, shape of `words`."""
    shift = np.uint64(facts(players).fields[name] * players)
    return _SEAT_OF.take(((words >> shift) & np.uint64((1 << players) - 1)).view(np.int64))


_SEAT_OF = np.array([-1, 0, 1, -1, 2, -1, -1, -1, 3, -1, -1, -1, -1, -1, -1, -1], np.int8)


def strength(trump: int, led: int, card: int) -> int:
    """Power of a card in a trick: 0 for a discard, 1..6 in the suit led, 7..12 a trump (T-PLAY-06)."""
    suit, rank = divmod(card, 6)
    if suit == trump:
        return 7 + rank
    return 1 + rank if suit == led else 0


def active_seats(players: int, dealer: int) -> list[int]:
    """Seats that hold cards, from forehand; with four players the dealer has none (T-DEAL-01, T-4P-01)."""
    return [(dealer + 1 + k) % players for k in range(min(players, 3))]


def said_words(rules: ThousandRules) -> int:
    """Words that hold one bit for each amount."""
    return (action_space(rules).amounts + 63) // 64


@lru_cache(maxsize=256)
def marriages(rules: ThousandRules) -> I64:
    """Value of the marriages of `pair_index`. int64 [16]."""
    return np.array([sum(v for s, v in enumerate(rules.marriage_values) if k >> s & 1) for k in range(16)])


def hand_caps(hands: U64, rules: ThousandRules) -> I64:
    """120 and every marriage held, four aces too if they count (T-AUC-07, T-AUC-08). uint64 [n] → int64 [n]."""
    caps = marriages(rules).take(pair_index(hands)) + 120
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
