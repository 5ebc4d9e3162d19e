"""The auction of Pitch with open cards, solved backwards: everybody knows what every bid would bring.

The auction is one round, so its positions are few: whose turn it is, the standing bid and who made it. A seat takes
the call that is best for its own side in the end, of equal ones the lowest. What a contract pays is the reward "points"
of a hand (`payoff`), by default at the beginning of a match, so a moon that wins the match outright is worth the whole
target.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....envs.core.bits import I64
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.tables import tables
from .payoff import payoff

Floats = npt.NDArray[np.float64]

#: Nobody has bid.
NOBODY = -1


@dataclass(frozen=True, eq=False)
class Contracts:
    """What hands bring, by bidder b and trump t.

    Attributes:
        took, against: int64 [P, 4], points of the bidding side and of the others. partner: int64 [P, 4], -1 for none.
    """

    took: I64
    against: I64
    partner: I64


@dataclass(frozen=True, eq=False)
class Ending:
    """How an auction ends. pays: float64 [P], to each seat. bidder: -1 if nobody has bid. bid, trump: -1 then."""

    pays: Floats
    bidder: int
    bid: int
    trump: int


class Auction:
    """One auction.

    Args:
        dealer: who speaks last. scores: int64 [E], by entry of the seats, before the hand; 0 by default.
    """

    def __init__(self, rules: PitchRules, contracts: Contracts, dealer: int, scores: I64 | None = None) -> None:
        self.rules, self._dealer, self._contracts = rules, dealer, contracts
        self._scores = np.zeros(rules.entries, np.int64) if scores is None else scores
        self._actions = tables(rules).actions
        self._known: dict[tuple[int, int, int], Ending] = {}
        self._played: dict[tuple[int, int], Ending] = {}

    def result(self) -> Ending:
        """The par result: how the whole auction ends."""
        return self.after((self._dealer + 1) % self.rules.players, 0, NOBODY)

    def after(self, seat: int, standing: int, bidder: int) -> Ending:
        """How the auction ends from a turn on: seat to act, standing bid (0 for none) and who made it."""
        key = (seat, standing, bidder)
        if key not in self._known:
            endings = self.calls(seat, standing, bidder)
            self._known[key] = max(endings.values(), key=lambda ending: ending.pays[seat])
        return self._known[key]

    def calls(self, seat: int, standing: int, bidder: int) -> dict[int, Ending]:
        """What each legal call leads to, lowest first: 0 is a pass, 1..N, N + 1 a moon, N + 2 a double moon."""
        found: dict[int, Ending] = {}
        for call in self._legal(seat, standing):
            bid, holder = (call, seat) if call else (standing, bidder)
            if seat != self._dealer:
                found[call] = self.after((seat + 1) % self.rules.players, bid, holder)
            elif holder == NOBODY:  # the hand is dealt again (BD-7)
                found[call] = Ending(np.zeros(self.rules.players), NOBODY, -1, -1)
            else:
                found[call] = self.played(bid, holder)
        return found

    def _legal(self, seat: int, standing: int) -> list[int]:
        """Legal calls, from the engine's table (sections 6 and 14)."""
        below = int(self._scores[seat if self.rules.five else seat % 2] < 0)
        row = 4 * standing + 2 * (seat == self._dealer) + below * (not self.rules.moon_allowed_below_zero)
        legal: list[int] = []
        for column, words in tables(self.rules).bids:
            first = 64 * column - self._actions.first_bid
            legal += [first + bit for bit in range(64) if int(words[row]) >> bit & 1]
        return sorted(call for call in legal if call >= 0)

    def played(self, bid: int, bidder: int, trump: int = -1) -> Ending:
        """What a contract pays, with the given trump, or with the one that pays the bidder best."""
        if trump < 0 and (bid, bidder) in self._played:
            return self._played[bid, bidder]
        endings = [self._paid(bid, bidder, suit) for suit in (range(4) if trump < 0 else [trump])]
        best = max(endings, key=lambda ending: ending.pays[bidder])
        if trump < 0:
            self._played[bid, bidder] = best
        return best

    def _paid(self, bid: int, bidder: int, trump: int) -> Ending:
        p, c = self.rules.players, self._contracts
        partner = int(c.partner[bidder, trump])
        pays = np.zeros(p)
        for seat in range(p):  # `payoff` pays seat 0, so each seat in turn is that
            turned = np.roll(self._scores, -(seat if self.rules.five else seat % 2))
            pays[seat] = payoff(
                self.rules, turned, np.array([bid]), np.array([(bidder - seat) % p]),
                np.array([(partner - seat) % p if partner >= 0 else -1]), c.took[bidder, [trump]],
                c.against[bidder, [trump]],
            )[0]  # fmt: skip
        return Ending(pays, bidder, bid, trump)
