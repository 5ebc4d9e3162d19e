"""One game of a batch as plain Python values, for pictures and texts (never for play)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from ..core.game import BatchedGame
from ..rendering.style import SUIT_STYLES
from .rules import FIRST_FOREHAND, SchieberRules
from .state import BONUS, POINTS, STOCK, TRICKS, WEIS, SchieberState
from .tables import (
    CARDS,
    FIRST_HAND_BIT,
    FLAGS,
    KOENIG,
    NO_CONTRACT,
    OBENABE,
    OBER,
    RANKS,
    card_points,
    deck,
    strength,
    tables,
)

#: Default names; seat 0 sits at the bottom of its own picture and play runs counterclockwise.
COMPASS = ("South", "East", "North", "West")

#: Letters on the cards of the Swiss deck.
SHORT_RANKS = ("6", "7", "8", "9", "B", "U", "O", "K", "A")

#: J-DEAL-02: the card that names the first forehand.
FIRST_CARDS = {name: 9 * suit + RANKS.index(rank) for name, (suit, rank) in FIRST_FOREHAND.items()}


class Play(NamedTuple):
    """A card played."""

    seat: int
    card: int


class TableView:
    """What has happened in the present hand of one game, with names for people.

    It holds all four hands: whoever draws it decides what may be seen.
    """

    def __init__(self, game: BatchedGame[SchieberState], index: int, names: tuple[str, ...]) -> None:
        s, i = game.state, index
        self.spec, self.names = game.spec, names
        self.rules = cast(SchieberRules, game.spec.rules)
        self.deck = deck(self.rules)
        self.labels = self.deck.rank_labels or SHORT_RANKS
        self.teams = ("N/S", "E/W") if names == COMPASS else ("Team A", "Team B")
        self.player = int(s.player[i])
        self.finished = self.player < 0
        self.contract = int(s.contract[i])
        self.multiplier = int(tables(self.rules).multiplier[s.context[i]])
        self.forehand, self.declarer, self.pushes = int(s.forehand[i]), int(s.declarer[i]), int(s.pushes[i])
        self.tricks, self.hand_number = int(s.tricks[i]), int(s.hand_number[i])
        self.winner = int(s.winner[i])
        self.schneider = self.finished and bool(game.result(i)["schneider"])
        self.hands = [int(w) for w in s.hands[i]]
        self.played = [int(w) for w in s.played[i]]
        self.shown = [int(w) for w in s.shown[i]]
        self.weis = [10 * int(t) for t in s.weis_tens[i]]
        self.flags = int(s.flags[i])
        self.pair_seat = int(s.pair_seat[i])
        sheet = s.sheet[i].astype(int)
        self.card_points, self.tricks_by_team = sheet[:, POINTS].tolist(), sheet[:, TRICKS].tolist()
        self.weis_scored, self.stock_scored = (10 * sheet[:, WEIS]).tolist(), (10 * sheet[:, STOCK]).tolist()
        self.bonus: list[int] = (10 * sheet[:, BONUS]).tolist()
        self.scores: list[int] = s.scores[i].tolist()
        self.hand_total: list[int] = (s.scores[i] - s.start_scores[i]).tolist()
        self.legal: list[int] = np.flatnonzero(game.legal_actions()[i]).tolist()
        order = np.argsort(s.when[i, :CARDS], kind="stable")
        self.plays = [Play(self._owner(int(c)), int(c)) for c in order if s.when[i, c]]
        #: What ended before this hand began, None in the first hand of an episode.
        self.previous = None
        if not self.finished and int(s.hand_id[i]) - int(s.episode_hand[i]) > 1:
            previous = game.result(i)
            self.previous = (previous["contract"], previous["points"])

    def _owner(self, card: int) -> int:
        return next(seat for seat in range(4) if self.played[seat] >> card & 1)

    def flag(self, name: str, seat: int) -> bool:
        return bool(self.flags & FLAGS.bit(name, seat))

    # -- tricks

    @property
    def trick(self) -> list[Play]:
        """Cards on the table, in order."""
        return self.plays[4 * self.tricks :]

    @property
    def last_trick(self) -> list[Play]:
        return self.plays[4 * self.tricks - 4 : 4 * self.tricks] if self.tricks else []

    def best_of(self, plays: Sequence[Play]) -> int:
        """Place of the card that wins a trick so far."""
        powers = [strength(self.contract, plays[0].card // 9, p.card) for p in plays]
        return powers.index(max(powers))

    def trick_points(self, number: int) -> int:
        """Points of a complete trick, with the five of the last one (J-PTS-04)."""
        points = card_points(self.contract, self.rules)
        last = number == self.rules.hand_size - 1
        return sum(points[p.card] for p in self.plays[4 * number : 4 * number + 4]) + 5 * last

    def tricks_of(self, seat: int) -> int:
        """Tricks that this seat has taken."""
        groups = [self.plays[4 * k : 4 * k + 4] for k in range(self.tricks)]
        return sum(g[self.best_of(g)].seat == seat for g in groups)

    # -- Weis and Stöck

    def declared(self, seat: int) -> bool:
        """Whether the seat has declared a Weis: at his first card (J-WEIS-08)."""
        return self.weis[seat] > 0 and self.played[seat] != 0

    @cached_property
    def stock_scored_at(self) -> int:
        """Place in `plays` of the card that scored a Stöck, -1 for none or an early claim (J-STK-02)."""
        if self.contract >= OBENABE or not any(self.flag("stock", seat) for seat in range(4)):
            return -1
        pair = {self.contract * 9 + OBER, self.contract * 9 + KOENIG}
        places = [i for i, p in enumerate(self.plays) if p.card in pair]
        return places[1] if len(places) == 2 else -1

    @property
    def first_card(self) -> int:
        """The card that made its holder forehand, -1 if none did (J-DEAL-02)."""
        named = self.flags >> FIRST_HAND_BIT & 1
        return FIRST_CARDS.get(self.rules.first_forehand, -1) if named else -1

    # -- names

    def card_text(self, card: int) -> str:
        """Symbol and letter, e.g. "⛨7"."""
        suit, rank = divmod(card, 9)
        return SUIT_STYLES[self.deck.suit_keys[suit]].symbol + self.labels[rank]

    def suit_text(self, suit: int) -> str:
        return f"{SUIT_STYLES[self.deck.suit_keys[suit]].symbol} {self.deck.suits[suit]}"

    def contract_name(self, contract: int) -> str:
        if contract == NO_CONTRACT:
            return "no contract"
        return self.deck.suits[contract] if contract < OBENABE else ("Obenabe", "Undenufe")[contract - OBENABE]

    def contract_label(self, contract: int) -> str:
        """The name with the symbol of the suit."""
        return self.suit_text(contract) if contract < OBENABE else self.contract_name(contract)

    def contract_symbol(self, contract: int) -> str:
        """The symbol alone, or the name of a contract without trump."""
        return SUIT_STYLES[self.deck.suit_keys[contract]].symbol if contract < OBENABE else self.contract_name(contract)
