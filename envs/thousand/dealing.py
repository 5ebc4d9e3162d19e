"""Deals of Thousand: the cards, and what follows from them alone, for many deals at once and ahead of time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core import deals
from ..core.bits import I64, U64, row_starts
from .columns import LAST_CONTRACT, SHEET
from .lookup import Tables
from .rules import ThousandRules
from .state import Bools
from .tables import JACKS, NINES, active_seats, card_points

#: The word `luck`: bits 0 to 2 the places that may throw their hand in before the auction (a queue, used up as they are
#: asked), from TALON_BIT on the talons that may be thrown in, from DEALER_BIT on the dealer drawn for a new match.
TALON_BIT, DEALER_BIT = 3, 8
#: Redeal r of a hand is dealt as this hand of the counter-based deals: hand + r · 2⁴⁰.
REDEAL_SHIFT = 40

#: Columns of a deal: the packets (hands from forehand, then the talons), stock, luck, an empty word, score sheets.
PACKETS, _STOCK, LUCK, _EMPTY, _SHEETS = 4, 4, 5, 6, 7
_NOTHING = np.uint64(0)
_PLACES = np.uint64((1 << TALON_BIT) - 1)
_THROWN = np.uint64((1 << DEALER_BIT) - 1)


def hand_redeal(hands: U64, rules: ThousandRules) -> Bools:
    """Which hands may be thrown in before the auction (T-RED-01 to T-RED-04).

    Args:
        hands: uint64 [n, A], by place: column 0 is forehand.
    """
    nines = np.bitwise_count(hands & NINES)
    may = np.zeros(hands.shape, np.bool_)
    if rules.redeal_hand_points_lt is not None:
        may |= card_points(hands) < rules.redeal_hand_points_lt
    if rules.redeal_hand_nines_ge is not None:
        some = nines >= rules.redeal_hand_nines_ge
        if rules.redeal_hand_nines_who == "forehand":
            some[:, 1:] = False
        may |= some
    if rules.redeal_hand_nines_eq_4:
        may |= nines == 4
    if rules.redeal_hand_jacks_eq is not None:
        may |= np.bitwise_count(hands & JACKS) == rules.redeal_hand_jacks_eq
    return may


def talon_redeal(talons: U64, hands: U64, at_100: Bools, rules: ThousandRules) -> Bools:
    """Which talons may be thrown in (T-RED-05 to T-RED-08); `hands` are the winners' with the talon. bool [n]."""
    may = np.zeros(len(talons), np.bool_)
    if rules.redeal_talon_points_lt is not None:
        may |= card_points(talons) < rules.redeal_talon_points_lt
    if rules.redeal_talon_nines_ge is not None:
        may |= np.bitwise_count(talons & NINES) >= rules.redeal_talon_nines_ge
    if rules.redeal_talon_jacks_eq is not None:
        may |= np.bitwise_count(talons & JACKS) == rules.redeal_talon_jacks_eq
    if rules.redeal_talon_only_at_100:
        may &= at_100
    if rules.redeal_winner_four_nines:
        may |= (hands & NINES) == NINES
    return may


class Dealing:
    """Deals of a set of rules. It holds no state but deals computed ahead."""

    def __init__(self, t: Tables) -> None:
        rules, c = t.rules, t.columns
        self._rules, self._t = rules, t
        self._sizes = (rules.hand_size,) * rules.active + (rules.talon_size,) * rules.talons
        self._cards: I64 | None = np.array(rules.cards) if rules.reduced else None  # T-SHORT-01
        self._hands = rules.active
        self._ahead = deals.DealsAhead(self._make, keep=True)
        sheets = np.zeros((rules.players, SHEET), np.uint8)
        sheets.view(np.uint32)[:, 0] = t.sheets[2048]
        sheets[:, LAST_CONTRACT] = 120 // 5
        after = np.zeros(8 * (c.said - c.sheet), np.uint8)
        after[: sheets.size] = sheets.ravel()
        self._fresh: U64 = after.view(np.uint64)
        self.width = _SHEETS + len(self._fresh)
        self._order = self._orders()

    def _orders(self) -> I64:
        """Which word of a deal goes to each word of a game's row, by dealer. int64 [P, width of rows]."""
        c, rules = self._t.columns, self._rules
        order = np.full((rules.players, c.width), _EMPTY)
        for dealer in range(rules.players):
            for place, seat in enumerate(active_seats(rules.players, dealer)):
                order[dealer, c.hands + seat] = place
        for talon in range(len(self._sizes) - self._hands):
            order[:, c.talons + talon] = self._hands + talon
        order[:, c.stock], order[:, c.luck] = _STOCK, LUCK
        order[:, c.sheet : c.said] = np.arange(_SHEETS, self.width)
        return order

    # Deals: uint64 [n, width].

    def take(self, seed: int, games: I64, hands: I64, batch: int) -> U64:
        """Deals of hands of the counter-based deals, with a dealer drawn."""
        return self._ahead.take(seed, games, hands, batch)[0]

    def again(self, seed: int, games: I64, hands: I64, batch: int, redeals: npt.NDArray[np.int16]) -> U64:
        """Deals of hands that were thrown in so often."""
        dealt = self._ahead.take(seed, games, hands, batch)[1]
        # not ahead: what follows a second redeal, a deal given by hand, or one thrown in for more than its luck
        missing = ((redeals != 1) | (dealt[:, 0] == _NOTHING)).nonzero()[0]
        if len(missing):
            numbers: I64 = hands[missing] + (redeals[missing].astype(np.int64) << REDEAL_SHIFT)
            dealt[missing] = self._shuffled(seed, games[missing], numbers)
        return dealt

    def _shuffled(self, seed: int, games: I64, hands: I64) -> U64:
        return self.of_decks(deals.shuffle(seed, games, hands, self._rules.deck_size, self._cards))

    def of_decks(self, decks: I64) -> U64:
        """Deals of given decks. int64 [n, cards of the deck]."""
        out = np.empty((len(decks), self.width), np.uint64)
        packets = out[:, :PACKETS]
        packets[...] = deals.words_of_packets(decks, self._sizes)
        stock = np.zeros((len(decks), 8), np.uint8)
        stock[:, : self._rules.stock_size] = decks[:, -self._rules.stock_size :]
        out[:, _STOCK] = stock.view(np.uint64)[:, 0]
        hands, talons = packets[:, : self._hands], packets[:, self._hands :]
        luck = np.packbits(hand_redeal(hands, self._rules), axis=1, bitorder="little")[:, 0]
        for k in range(talons.shape[1]):
            # by its cards alone: what depends on the price or on the winner's hand is seen when it is taken
            thrown = talon_redeal(talons[:, k], talons[:, k], np.ones(len(decks), np.bool_), self._rules)
            luck |= thrown.view(np.uint8) << np.uint8(TALON_BIT + k)
        out[:, LUCK] = luck
        out[:, _EMPTY] = 0
        out[:, _SHEETS:] = self._fresh
        return out

    def _make(self, seed: int, games: I64, hands: I64) -> tuple[U64, U64]:
        """Deals with a dealer drawn (T-DEAL-01), and the next ones of those that may be thrown in (else empty)."""
        made = self._shuffled(seed, games, hands)
        again = np.zeros_like(made)
        some = (made[:, LUCK] & _THROWN).nonzero()[0]
        if len(some):
            again[some] = self._shuffled(seed, games[some], hands[some] + (1 << REDEAL_SHIFT))
        keys = deals.stream_keys(seed, games, hands, deals.FIRST_DEALER)
        drawn = deals.integers(keys, 0, self._rules.players)
        made[:, LUCK] |= drawn.astype(np.uint64) << np.uint64(DEALER_BIT)
        return made, again

    def rows(self, dealt: U64, dealer: I64) -> U64:
        """Rows of the state after dealing (T-DEAL-02). uint64 [n, width of rows]."""
        order = self._order.take(dealer, axis=0)
        order += row_starts(len(dealt), self.width)[:, None]
        return dealt.ravel().take(order)


def places_that_may_redeal(dealt: U64) -> I64:
    """Who may throw his hand in before the auction, as bits. int64 [n]."""
    return (dealt[:, LUCK] & _PLACES).view(np.int64)


def drawn_dealer(dealt: U64) -> I64:
    """The dealer drawn for a new match. int64 [n]."""
    return (dealt[:, LUCK] >> np.uint64(DEALER_BIT)).view(np.int64)
