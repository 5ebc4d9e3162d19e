"""A whole deal of Pitch with open cards: the points of each bidder with each trump, and the par result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ....envs.core.bits import I64
from ....envs.core.game import BatchedGame
from ....envs.core.spec import GameSpec
from ....envs.pitch.game import Pitch
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.tables import BID, CARDS, DECK, MISDEAL, SUITS, TRUMP, tables
from ..deals import NODES, DealValues, Par
from .bidding import Auction, Contracts
from .finish import Finish


class Deals:
    """A `deals.DealSolver`: four trumps × bidders.

    A value is the points that the bidding side takes when this seat wins the auction and names this trump: the stock
    is filled from as it lies, and what the bidder decides before the play is searched, the called card with five
    players too (`finish`). It is the most that he can promise himself, whatever the bid was.

    The par result is how the auction ends if everybody knows all this (`bidding`), at the beginning of a match: what it
    pays the bidding side, its gain less that of the others (five-handed: the bidder's gain less the others' mean).
    """

    meaning = "points that the bidding side takes, with the best call and leftovers"
    par_meaning = "what the bidder gains more than the others, after the auction in which all know these values"
    parts: Mapping[str, str] = {
        "against": "points that the others take then; what is missing to N was burned",
        "kept": "leftovers that the bidder takes for it",
        "called": "the card that is called for it, as its number, 54 for none (four-handed)",
        "partner": "the bidder's partner, -1 for none",
    }

    def __init__(self, spec: GameSpec) -> None:
        self.rules = cast(PitchRules, spec.rules)
        self.contracts = tuple(f"Trump {suit}" for suit in SUITS)
        self._finish = Finish(self.rules)

    def dealer(self, games: BatchedGame[Any]) -> I64:
        """Who has dealt. int64 [N]."""
        return games.state.dealer.astype(np.int64)

    def solve(self, deck: I64, dealer: int, nodes: int = NODES, every: bool = False) -> DealValues:
        """See `deals.DealSolver.solve`. int64 [D]: hands by seat, then the stock or blind."""
        p, trumps = self.rules.players, len(SUITS)
        self._finish.clear()
        won = self._won(deck, dealer)
        named = won.select(np.repeat(np.arange(p), trumps))
        named.step(np.tile(tables(self.rules).actions.first_suit + np.arange(trumps), p), validate=False)
        found = self._finish(named, nodes)
        rows = found.best(p * trumps)
        highest = np.full(p * trumps, -1, np.int64)
        np.maximum.at(highest, found.root, found.high)

        def table(values: I64) -> I64:
            return np.ascontiguousarray(values.reshape(p, trumps).T)

        low = found.low[rows]
        parts = {
            "against": table(found.total[rows] - low), "kept": table(found.kept[rows]),
            "called": table(found.called[rows]), "partner": table(found.partner[rows]),
        }  # fmt: skip
        used = np.full((trumps, p), found.nodes // (p * trumps), np.int64)
        return DealValues(table(low), table(highest), used, np.ones((trumps, p), np.bool_), parts)

    def _won(self, deck: I64, dealer: int) -> Pitch:
        """Games in which seat k has won the auction and is to name the trump. P games."""
        p, a = self.rules.players, tables(self.rules).actions
        games = Pitch(self.rules, num_games=p)
        games.reset(options={"deal": deck, "dealer": dealer})
        for _ in range(2 * p):
            action = np.full(p, -1, np.int64)
            action[games.phase == MISDEAL] = a.no_misdeal
            bidding = games.phase == BID
            own = games.current_player == np.arange(p)
            action[bidding] = np.where(own, a.first_bid + self.rules.min_bid, a.first_bid)[bidding]
            if (action < 0).all():
                break
            games.step(action)
        assert (games.phase == TRUMP).all()
        return games

    def auction(self, values: DealValues, dealer: int, scores: I64 | None = None) -> Auction:
        """The auction of a deal with these values, at some scores (`bidding.Auction`)."""
        against, partner = values.parts["against"].T, values.parts["partner"].T
        return Auction(self.rules, Contracts(values.low.T, against, partner), dealer, scores)

    def par(self, values: DealValues, dealer: int) -> Par | None:
        """See the class; None unless all values are known."""
        if not values.exact:
            return None
        end = self.auction(values, dealer).result()
        if end.bidder < 0:
            return Par(0, 0, (dealer + 1) % self.rules.players, -1, -1)
        value = float(end.pays[end.bidder])
        return Par(value, value, end.bidder, end.bidder, end.trump, end.bid)

    def part_text(self, part: str, value: int) -> str:
        if part == "called":
            return DECK.format(value) if value < CARDS else "–"
        return str(value) if value >= 0 else "–"
