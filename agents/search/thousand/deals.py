"""A whole deal of Thousand with open cards: the total that each seat makes as declarer, and the par result.

A declarer takes the talon (of two, the one that the rules give him, or the better one), gives away the cards that leave
him most (`gifts`: every way is searched), leads, and plays against all others, who see all cards and play together.
His total has the card points of his tricks and the marriages that he declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ....envs.core.bits import BIT, I64, U64
from ....envs.core.game import BatchedGame
from ....envs.core.spec import GameSpec
from ....envs.thousand.rules import ThousandRules
from ....envs.thousand.tables import DECK, active_seats, auction_caps, round_points
from ..deals import NODES, DealValues, Par
from .gifts import Given, Giving

#: The lowest bid.
LEAST = 100


class Deals:
    """A `deals.DealSolver`: one contract, "declarer", for each seat that holds cards.

    The par result: every seat bids as long as it makes what it bids, and no further than its cards allow before it has
    the talon (T-AUC-07). The seat that can bid highest plays, of equal ones the first to speak, and then names the
    highest contract that it makes. If nobody makes 100, whoever opens at 100 in the end must play it, and loses 100.
    Barrels, golden and dark deals, write-offs and what the defenders write are not looked at.
    """

    contracts = ("declarer",)
    meaning = "total of the declarer, cards and marriages, with the best gifts, against all others"
    par_meaning = "what is written for the declarer of the auction in which nobody bids more than he makes"
    parts: Mapping[str, str] = {
        "made": "the highest contract that is made for sure, 0 for none",
        "limit": "the highest bid that is made and allowed by the hand as dealt, 0 for none",
        "talon": "which talon was taken",
        "gift": "the card given first, as its number",
        "gift_2": "the card given second, as its number, -1 for none",
    }

    def __init__(self, spec: GameSpec) -> None:
        self.rules = cast(ThousandRules, spec.rules)
        self._giving = Giving(self.rules)

    def dealer(self, games: BatchedGame[Any]) -> I64:
        """Who has dealt. int64 [N]."""
        return games.state.dealer.astype(np.int64)

    def solve(self, deck: I64, dealer: int, nodes: int = NODES, every: bool = False) -> DealValues:
        """See `deals.DealSolver.solve`. int64 [24]: hands from forehand, then the talon or both."""
        rules = self.rules
        self._giving.clear()
        shape = (1, rules.players)
        low, high, used = (np.zeros(shape, np.int64) for _ in range(3))
        asked = np.zeros(shape, np.bool_)
        parts = {name: np.zeros(shape, np.int64) for name in self.parts}
        hands, talons = packets(deck, rules)
        for place, seat in enumerate(active_seats(rules.players, dealer)):
            tried = range(len(talons)) if rules.two_player_take == "choice" else [0]
            ways: list[Given] = []
            for talon in tried:
                left = max(nodes - sum(way.nodes for way in ways), 1)
                ways.append(self._with_talon(hands, talons, place, talon, left // (len(tried) - talon)))
            best = max(tried, key=lambda talon: ways[talon].low)
            here = (0, seat)
            low[here], high[here] = ways[best].low, max(way.high for way in ways)
            used[here], asked[here] = sum(way.nodes for way in ways), True
            made = self._contract(int(low[here]), hands[place] | talons[best])
            parts["made"][here], parts["talon"][here] = made, best
            parts["limit"][here] = self._contract(int(low[here]), hands[place])
            parts["gift"][here], parts["gift_2"][here] = (*ways[best].cards, -1)[:2]
        return DealValues(low, high, used, asked, parts)

    def _with_talon(self, hands: list[int], talons: list[int], place: int, talon: int, nodes: int) -> Given:
        after = hands.copy()
        after[place] |= talons[talon]
        bank = sum(cards for number, cards in enumerate(talons) if number != talon)
        return self._giving.best(after, place, bank, 0, nodes)

    def _contract(self, total: int, hand: int) -> int:
        """The highest amount that a total makes and a hand may name, 0 if it does not make the lowest."""
        rules = self.rules
        if rules.score_declarer_rounding == "before_check":  # T-SCO-04
            total = int(round_points(np.array([total]), rules.score_defender_round_to)[0])
        most = min(total, int(auction_caps(np.array([hand], np.uint64), rules)[0]))
        most -= most % rules.auction_step
        return most if most >= LEAST else 0

    def par(self, values: DealValues, dealer: int) -> Par | None:
        """See the class; None unless all totals are known."""
        if not values.exact:
            return None
        rules = self.rules
        seats = active_seats(rules.players, dealer)
        limits = [int(values.parts["limit"][0, seat]) for seat in seats]
        if not any(limits):
            seat = dealer if rules.auction_opening == "dealer_100" else seats[0]  # T-AUC-01
            return Par(-LEAST, -LEAST, seat, seat, 0, LEAST)
        seat = seats[limits.index(max(limits))]
        made = int(values.parts["made"][0, seat])
        value = int(values.low[0, seat]) if rules.score_declarer == "actual" else made
        return Par(value, value, seat, seat, 0, made)

    def part_text(self, part: str, value: int) -> str:
        if part.startswith("gift"):
            return DECK.format(value) if value >= 0 else "–"
        if part == "talon":
            return str(value + 1)
        return str(value) if value else "–"


def packets(deck: I64, rules: ThousandRules) -> tuple[list[int], list[int]]:
    """Hands by place, from forehand, and talons of a deck in the order of dealing, as bits. int64 [24]."""
    bits: U64 = BIT[deck]
    dealt = rules.active * rules.hand_size
    hands = np.bitwise_or.reduce(bits[:dealt].reshape(rules.active, -1), axis=1)
    talons = np.bitwise_or.reduce(bits[dealt:].reshape(-1, rules.talon_size), axis=1)
    return hands.tolist(), talons.tolist()
