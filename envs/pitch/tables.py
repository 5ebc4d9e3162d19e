"""Cards, actions, trump orders and points of Pitch as lookup tables, built once for each set of rules.

Indices: trump 0..3 = suit, 4 none yet; card = suit · 13 + rank with ranks 2 … Ace, then the low and the high
joker; 54 is "no card"; context = phase · 5 + trump. A set of seats is a mask with bit s for seat s.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import BIT, U8, U64, word_of
from ..core.cards import Deck
from ..core.layout import SeatFlags
from .rules import LABELS, OFF_CARDS, RANKS, SAME_COLOUR, SUITS, PitchRules
from .turns import Turns, turns

I8 = npt.NDArray[np.int8]
I16 = npt.NDArray[np.int16]
I64 = npt.NDArray[np.int64]

SYMBOLS = "♣♦♥♠"
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
LOW_JOKER, HIGH_JOKER = 52, 53
CARDS = 54
NO_CARD = 54
COLUMNS = 64  # width of tables over cards; columns from NO_CARD on have no effect
NO_TRUMP = 4
MAX_TRUMPS = 6  # P-FILL-01, P-BURN-01: everybody plays with at most six
NO_FILL = 7  # of a seat that asks for nothing, where `fills` takes a number of trumps

JOKERS = {"HJ": HIGH_JOKER, "LJ": LOW_JOKER}

#: Other spellings: "AS", "A♠", "Ace of Spades", "10H", "HJ".
_ALIASES = {
    "hj": "High Joker",
    "lj": "Low Joker",
    **{
        text: f"{suit} {rank}"
        for s, suit in enumerate(SUITS)
        for label, rank in zip(LABELS, RANKS, strict=True)
        for text in (
            f"{label}{suit[0]}".lower(), f"{label}{SYMBOLS[s]}".lower(), f"{SYMBOLS[s]}{label}".lower(),
            f"{rank} of {suit}".lower(),
        )
    },
}  # fmt: skip

DECK = Deck(
    "Pitch cards",
    SUITS,
    RANKS,
    ("clubs", "diamonds", "hearts", "spades"),
    LABELS,
    ("Low Joker", "High Joker"),
    _ALIASES,
)

#: Phases of a hand, in the order in which they come (P-ACT-01; misdeal P-MIS-01, discard BD-12).
PHASES = ("misdeal", "bid", "trump", "call", "discard", "kitty", "burn", "play")
MISDEAL, BID, TRUMP, CALL, DISCARD, KITTY, BURN, PLAY = range(8)

#: Contexts: phase and trump as one number. Before trump is named there is one for each phase.
SUIT_CONTEXTS = np.int64(NO_TRUMP + 1)
CONTEXTS = len(PHASES) * (NO_TRUMP + 1)
BIDDING, NAMING = BID * 5 + NO_TRUMP, TRUMP * 5 + NO_TRUMP
DISCARDING, LOOKING, BURNING, PLAYING = DISCARD * 5, KITTY * 5, BURN * 5, PLAY * 5  # and the trump
PHASE_OF: I8 = (np.arange(CONTEXTS) // 5).astype(np.int8)
TRUMP_OF: I8 = (np.arange(CONTEXTS) % 5).astype(np.int8)

#: Columns of tables over actions; NO_ACTION is the last one, which has no effect.
ACTION_BITS = 7


@dataclass(frozen=True)
class Actions:
    """Numbers of the actions; they depend on the version and the number of players only (BD-42).

    0..53 are the cards: to play, to burn, to call, to throw away. Kitty and discard actions exist with four
    players only. Bids are `first_bid + value`: 0 pass, 1..N numbers, N + 1 moon, N + 2 double moon.
    """

    names: tuple[str, ...]
    first_suit: int
    keep: int
    give: int
    look: int
    stop: int
    done: int
    misdeal: int
    no_misdeal: int
    first_bid: int

    @property
    def words(self) -> int:
        return (len(self.names) + 63) // 64


@lru_cache(maxsize=32)
def actions(total: int, five: bool) -> Actions:
    """The actions of a version with N = `total` for four or five players."""
    names = [DECK.format(card) for card in range(CARDS)]
    numbers: dict[str, int] = {}

    def add(key: str, name: str) -> None:
        numbers[key] = len(names)
        names.append(name)

    add("first_suit", f"Trump {SUITS[0]}")
    names += [f"Trump {suit}" for suit in SUITS[1:]]
    for key, name in (
        ("keep", "Keep leftovers"), ("give", "Pass leftovers"), ("look", "Look at next"), ("stop", "Stop looking"),
        ("done", "Done discarding"),
    ):  # fmt: skip
        if five:
            numbers[key] = -1
        else:
            add(key, name)
    add("misdeal", "Call misdeal")
    add("no_misdeal", "Play on")
    add("first_bid", "Pass")
    names += [*(f"Bid {n}" for n in range(1, total + 1)), "Moon", "Double moon"]
    return Actions(tuple(names), **numbers)


#: Fields of the public word: bits of seats first (five fields turned for each observer), then of the table.
SEAT_FIELDS = ("dealer", "bidder", "partner", "leader", "winning", "to_act", "out")


@lru_cache(maxsize=2)
def seat_flags(players: int) -> SeatFlags:
    return SeatFlags(players, SEAT_FIELDS)


@lru_cache(maxsize=2)
def partner_shown(players: int) -> np.uint64:
    """The bit of the public word that says that everybody knows the bidder's partner: after trumps and phases."""
    return np.uint64(1 << (seat_flags(players).bits + NO_TRUMP + len(PHASES)))


def card_of(symbol: str, trump: int) -> int:
    """The card that a symbol of a trump order means under a trump suit (P-RNK-02)."""
    if symbol in JOKERS:
        return JOKERS[symbol]
    if symbol in OFF_CARDS:
        return SAME_COLOUR[trump] * 13 + LABELS.index(OFF_CARDS[symbol])
    return trump * 13 + LABELS.index(symbol)


def deck_cards(rules: PitchRules) -> list[int]:
    """The cards of the deck in ascending order (P-EQP-02, P-VAR-02, P-5H-11)."""
    cards = list(range(CARDS))
    if rules.uncounted == "removed":
        cards = cards[:LOW_JOKER]
    if rules.five and rules.five_deck == "no_fours":
        cards = [card for card in cards if card >= LOW_JOKER or LABELS[card % 13] != "4"]
    if rules.reduced:  # P-RED-01
        kept = {13 * SUITS.index(suit) + RANKS.index(rank) for suit in rules.suits for rank in rules.ranks}
        kept |= set(range(CARDS - rules.jokers, CARDS))
        cards = [card for card in cards if card in kept]
    return cards


def trump_order(rules: PitchRules) -> list[str]:
    """Symbols of the trumps in the deck, strongest first (P-RNK-01, P-VAR-01, P-REV-01)."""
    order = list(rules.points_map.order)
    if rules.uncounted == "removed":
        order = [symbol for symbol in order if symbol not in JOKERS]
    if rules.five and rules.five_deck == "no_fours":
        order.remove("4")
    return order[::-1] if rules.reverse else order


def trumps_by_strength(rules: PitchRules, trump: int) -> list[int]:
    """The trump cards of a suit, strongest first."""
    return [card_of(symbol, trump) for symbol in trump_order(rules)]


def automatic_symbols(rules: PitchRules) -> set[str]:
    """Twos whose point belongs to the player of the card (P-TWO-01, P-TWO-03, P-VAR-03, BD-3)."""
    if rules.two_rule == "captured":
        return set()
    return {"2", "2'"} if rules.off_two == "played" else {"2"}


@dataclass(frozen=True)
class Tables:
    """All lookup tables of one set of rules; flat where read with `take`.

    players, actions: number of seats, numbers of the actions.
    dealer_flag: uint64 [P + 1] the bit of a public seat fact by seat, the empty word for seat -1.
    bidder_flag: uint64 [P] what everybody knows when the auction is over, by bidder: him, four-handed his partner.
    deck: int64 [D], the cards of the deck. hand_size, stock_size: cards dealt to each seat, and left.
    strength: int16 [5·64] (trump, card) → 1 (weakest) upwards, -1 for dead cards and no card.
    shown_strength: uint8 [5, 54] the same for observations, 0 for dead cards.
    won, own: uint8 [5·64] points that go with the trick, and points that go to the player of the card.
    play_card: uint64 [40·128] (context, action) → the card played, the empty word if none is.
    play_code: int16, the same index → code (core.tricks) of the card, to be lowered by its place in the trick from 1.
    play_won, play_own: int8, the same index → `won` and `own` of the card, 0 if none is played.
    trumps, points, automatic: uint64 [5] trumps, point cards, cards whose points are `own`, by trump.
    natural: uint64 [5] the cards of the printed suit. face_or_point: cards that forbid a misdeal call.
    turns: the course of tricks. next_seat: int8 [P] the seat to the left.
    burner: int8 [P·32] (bidder, seats) → who of them burns first, -1 if none.
    fills: uint64 [4·8⁴, 3] (the seat whose left fills first, trumps of seats 0..3 in the radix 8, at most 6, or
        NO_FILL) → cards given out up to and with each seat, and before each seat, one byte each; cards asked for as on
        the sheet, and drawn; cards given out in all.
    bids: words of actions and what they hold of the legal bids, uint64 [(N+3)·2·2] by (standing bid, is the dealer,
        may not bid a moon as his score is below zero).
    menus: uint64 [40, W] the legal actions by context, where cards must be held as well; empty for bids.
    """

    rules: PitchRules
    players: int
    actions: Actions
    dealer_flag: U64
    bidder_flag: U64
    deck: I64
    hand_size: int
    stock_size: int
    strength: I16
    shown_strength: U8
    won: U8
    own: U8
    play_card: U64
    play_code: I16
    play_won: I8
    play_own: I8
    trumps: U64
    points: U64
    automatic: U64
    natural: U64
    face_or_point: np.uint64
    turns: Turns
    next_seat: I8
    burner: I8
    fills: U64
    bids: list[tuple[int, U64]]
    menus: U64


#: CARD[c]: the bit of a card, or the empty word for columns that are none. uint64 [64].
CARD: U64 = np.concatenate([BIT[:CARDS], np.zeros(COLUMNS - CARDS, np.uint64)])
ALL_CARDS = np.uint64((1 << CARDS) - 1)


@lru_cache(maxsize=256)
def tables(rules: PitchRules) -> Tables:
    """The tables of a set of rules (cached)."""
    deck = deck_cards(rules)
    size = 10 if rules.five else rules.hand
    strength = np.full((5, COLUMNS), -1, np.int16)
    won, own = np.zeros((5, COLUMNS), np.uint8), np.zeros((5, COLUMNS), np.uint8)
    order, automatic = trump_order(rules), automatic_symbols(rules)
    words: dict[str, list[int]] = {"trumps": [], "points": [], "automatic": [], "natural": []}
    for trump in range(4):
        there = [symbol for symbol in order if card_of(symbol, trump) in deck]  # P-RED-01
        for place, symbol in enumerate(there):
            card = card_of(symbol, trump)
            strength[trump, card] = len(there) - place
            value = rules.points_map.points.get(symbol, 0)
            (own if symbol in automatic else won)[trump, card] = value
        if rules.joker_order == "first_played_high" and {LOW_JOKER, HIGH_JOKER} <= set(deck):
            # equal strength: of two equal cards the one played first wins (core.tricks)
            strength[trump, [LOW_JOKER, HIGH_JOKER]] = strength[trump, [LOW_JOKER, HIGH_JOKER]].max()
        words["trumps"].append(word_of(np.flatnonzero(strength[trump] > 0)))
        words["points"].append(word_of(np.flatnonzero(won[trump] + own[trump])))
        words["automatic"].append(word_of(np.flatnonzero(own[trump])))
        words["natural"].append(((1 << 13) - 1) << 13 * trump)
    masks = {name: np.array([*values, 0], np.uint64) for name, values in words.items()}
    # BD-6: before trump is known a point card is one that scores under at least one trump suit
    faces = word_of([13 * suit + rank for suit in range(4) for rank in (9, 10, 11)])
    seats, flags = np.arange(rules.players), seat_flags(rules.players)
    known = flags.column("bidder")[:-1]
    if not rules.five:  # P-EQP-01
        known = known | flags.column("partner")[(seats + 2) % 4] | partner_shown(4)
    shape = (CONTEXTS, 1 << ACTION_BITS)
    cards, codes, points = np.zeros(shape, np.uint64), np.zeros(shape, np.int16), np.zeros((2, *shape), np.int8)
    for trump in range(4):
        row = slice(PLAYING + trump, PLAYING + trump + 1), slice(0, CARDS)
        cards[row] = np.where(strength[trump, :CARDS] > 0, BIT[:CARDS], 0)
        codes[row] = tricks.first_codes(strength[trump, :CARDS]) + 1
        points[0][row], points[1][row] = won[trump, :CARDS], own[trump, :CARDS]
    return Tables(
        rules=rules,
        players=rules.players,
        actions=actions(rules.total, rules.five),
        dealer_flag=flags.column("dealer"),
        bidder_flag=known,
        deck=np.array(deck, np.int64),
        hand_size=size,
        stock_size=len(deck) - size * rules.players,
        strength=strength.ravel(),
        shown_strength=np.maximum(strength[:, :CARDS], 0).astype(np.uint8),
        won=won.ravel(),
        own=own.ravel(),
        play_card=cards.ravel(),
        play_code=codes.ravel(),
        play_won=points[0].ravel(),
        play_own=points[1].ravel(),
        **masks,
        face_or_point=np.uint64(faces) | np.bitwise_or.reduce(masks["points"]),
        turns=turns(rules.players, rules.out_reveal == "at_once", flags),
        next_seat=np.roll(seats, -1).astype(np.int8),
        burner=_burners(rules),
        fills=_fills(rules, len(deck) - size * rules.players),
        bids=_bid_table(rules),
        menus=_menus(rules, masks["trumps"], masks["points"]),
    )


def _burners(rules: PitchRules) -> I8:
    """BD-17: bidder, partner, left, right; five-handed clockwise, since the partner is secret."""
    order = range(5) if rules.five else (0, 2, 1, 3)
    table = np.full((rules.players, 32), -1, np.int8)
    for bidder in range(rules.players):
        seats = [(bidder + k) % rules.players for k in order]
        for over in range(1, 1 << rules.players):
            table[bidder, over] = next(s for s in seats if over >> s & 1)
    return table.ravel()


def _fills(rules: PitchRules, stock: int) -> U64:
    """P-FILL-01, P-FILL-02, P-FILL-04: everybody asks in turn for six less the trumps kept."""
    if rules.five:
        return np.zeros((0, 3), np.uint64)
    kept = np.stack([np.arange(8**4) >> 3 * seat & 7 for seat in range(4)], axis=1)
    want = np.maximum(MAX_TRUMPS - kept, 0)
    table = np.zeros((4, 8**4, 3), np.uint64)
    for seat in range(4):
        order = [(seat + k) % 4 for k in range(1, 5)]
        ends, starts = np.zeros_like(want), np.zeros_like(want)
        ends[:, order] = np.minimum(np.cumsum(want[:, order], axis=1), stock)
        starts[:, order[1:]] = ends[:, order[:-1]]
        asked = np.where(kept == NO_FILL, 0, want + 1)
        rows = np.concatenate([ends, starts, asked, ends - starts], axis=1).astype(np.uint8)
        table[seat, :, :2] = rows.view(np.uint64)
        table[seat, :, 2] = ends.max(axis=1)
    return table.reshape(-1, 3)


def mask_words(numbers: list[int], words: int) -> list[int]:
    """A set of action numbers as words of 64 bits."""
    return [sum(1 << (a - 64 * w) for a in numbers if a // 64 == w) for w in range(words)]


def legal_bids(rules: PitchRules, standing: int, dealer: bool, moon: bool) -> list[int]:
    """Values of the legal bids (section 6): 0 pass, 1..N, N + 1 moon, N + 2 double moon.

    Args:
        standing: the standing bid, 0 if all have passed so far.
        dealer: the bidder is the dealer, who speaks last.
        moon: he may bid a moon as far as mode and score go.
    """
    total, lowest = rules.total, rules.min_bid
    if standing > total:  # P-BID-08, BD-11: only a pass after a moon, or the dealer's double moon (BD-9)
        double = standing == total + 1 and rules.moon_overcall == "double" and dealer and moon
        return [0, total + 2] if double else [0]
    stuck = dealer and standing == 0  # P-BID-04
    passing = [] if stuck and rules.stuck_rule == "forced" else [0]
    if stuck and not rules.stuck_dealer_may_bid_more:  # BD-7
        return [*passing, lowest]
    if standing:  # P-BID-02, P-BID-05, BD-8
        lowest = standing if dealer and rules.dealer_steal else standing + 1
    return [*passing, *range(lowest, rules.most_points + 1), *([total + 1] if moon else [])]  # P-RED-03


def _bid_table(rules: PitchRules) -> list[tuple[int, U64]]:
    numbers = actions(rules.total, rules.five)
    rows: list[list[int]] = []
    for standing in range(rules.total + 3):
        for dealer in (False, True):
            for moon in (rules.moons, False):
                values = legal_bids(rules, standing, dealer, moon)
                rows.append(mask_words([numbers.first_bid + v for v in values], numbers.words))
    words = np.array(rows, np.uint64)
    return [(column, words[:, column].copy()) for column in range(numbers.words) if words[:, column].any()]


def _menus(rules: PitchRules, trumps: U64, points: U64) -> U64:
    a = actions(rules.total, rules.five)
    fixed: dict[int, list[int]] = {
        MISDEAL: [a.misdeal, a.no_misdeal],
        TRUMP: [a.first_suit + SUITS.index(suit) for suit in rules.suits],  # P-TRP-01: any suit, held or not; P-RED-03
    }
    if not rules.five:
        fixed[KITTY] = [a.keep, a.give] if rules.kitty_mode == "keep_or_pass_all" else [a.look, a.stop]
        fixed[DISCARD] = [a.done]
    rows = np.array([mask_words(fixed.get(phase, []), a.words) for phase in range(len(PHASES))], np.uint64)
    menus = np.repeat(rows, NO_TRUMP + 1, axis=0)
    for trump in range(4):
        for phase in (CALL, DISCARD, BURN, PLAY):
            menus[phase * 5 + trump, 0] |= trumps[trump]
        if rules.burn_policy == "nonpoint_first":  # BD-18: as long as there are any
            menus[BURNING + trump, 0] &= ~points[trump]
    return menus
