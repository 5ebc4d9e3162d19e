"""One game of a batch as plain Python values, for pictures and texts (never for play)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from ..core.bits import indices_of
from ..core.game import BatchedGame
from ..rendering.style import SUIT_STYLES
from .columns import MARRIAGES, POINTS, TRICKS
from .rules import ThousandRules
from .state import EVENTS, ThousandState
from .tables import (
    AUCTION,
    CARDS,
    CONTRACT,
    DARK,
    DECK,
    NO_SUIT,
    PLAY,
    action_space,
    declare_cards,
    strength,
    table_bit,
)

#: Default names; play runs clockwise.
NAMES = {2: ("Anna", "Boris"), 3: ("Anna", "Boris", "Clara"), 4: ("Anna", "Boris", "Clara", "Denis")}
MARRIAGE_KINDS = ("♠", "♣", "♦", "♥", "four aces")


class Play(NamedTuple):
    """A card played, perhaps as a declaration."""

    seat: int
    card: int
    declares: bool


class TableView:
    """What has happened in the present deal of one game. It holds all cards: whoever draws it decides what is seen."""

    def __init__(self, game: BatchedGame[ThousandState], index: int, names: tuple[str, ...]) -> None:
        s, i = game.state, index
        self.spec, self.names = game.spec, names
        self.rules = cast(ThousandRules, game.spec.rules)
        self.players = self.rules.players
        self.player, self.phase = int(s.player[i]), int(s.phase[i])
        self.finished = self.player < 0
        self.dealer, self.declarer = int(s.dealer[i]), int(s.declarer[i])
        self.forehand = (self.dealer + 1) % self.players
        self.sits_out = self.dealer if self.players == 4 else -1
        self.price, self.contract = int(s.price[i]), int(s.contract[i])
        self.trump, self.trump_owner = int(s.trump[i]), int(s.trump_owner[i])
        self.led = int(s.led[i])
        self.golden, self.dark, self.blind = int(s.golden_left[i]) > 0, int(s.dark[i]), int(s.blind[i])
        self.hands = [indices_of(int(w)) for w in s.hands[i]]
        self.talon = indices_of(int(s.talon[i]))
        self.sees_talon = [int(w) != 0 for w in s.sees_talon[i]]
        self.shown = bool(int(s.married[i]) >> table_bit(self.players, "talon_shown") & 1)
        self.stock_left = [] if self.declarer >= 0 and self.talon else indices_of(int(s.talons[i, 0] | s.talons[i, 1]))
        self.given = int(s.gives[i])
        self.redeals = int(s.redeals[i])
        self.scores: list[int] = s.scores[i].tolist()
        self.bolts: list[int] = s.bolts[i].tolist()
        self.attempts: list[int] = s.attempts[i].tolist()
        self.falls: list[int] = s.falls[i].tolist()
        self.barrel: list[bool] = s.barrel[i].tolist()
        sheet = s.sheet[i].astype(int)
        self.points, self.taken = sheet[:, POINTS].tolist(), sheet[:, TRICKS].tolist()
        self.marriages: list[int] = (10 * sheet[:, MARRIAGES]).tolist()
        self.deal_number = int(s.deals_played[i]) + (0 if self.finished else 1)
        self.tricks = int(s.tricks[i])
        self.winner = int(s.winner[i])
        self.legal: list[int] = np.flatnonzero(game.legal_actions()[i]).tolist()
        word = int(s.married[i])
        self.declared = [
            [kind for kind in range(5) if word >> (kind * self.players + seat) & 1] for seat in range(self.players)
        ]
        self._tokens(game, i)
        report = game.result(i)
        ended = report["declarer"] >= 0 and (self.finished or int(s.hand_id[i]) - int(s.episode_hand[i]) > 1)
        #: What ended before this deal began (or the deal itself, when the game is finished).
        self.last = report if ended else None

    def _tokens(self, game: BatchedGame[ThousandState], index: int) -> None:
        space = action_space(self.rules)
        cards = declare_cards(self.rules)
        self.calls: list[tuple[int, str]] = []
        self.plays: list[Play] = []
        tokens: list[tuple[int, int]] = game.history(0)[index].tolist()
        for seat, action in tokens:
            if seat < 0:
                break
            if action < CARDS:
                self.plays.append(Play(seat, action, False))
            elif action < space.card_actions:
                self.plays.append(Play(seat, cards[action - CARDS], True))
            elif action >= space.amount or action == space.pass_:
                self.calls.append((seat, space.names[action].lower()))
        if self.contract:
            self.calls.pop()  # the contract is shown apart

    # Tricks.

    @property
    def size(self) -> int:
        return self.rules.active

    @property
    def trick(self) -> list[Play]:
        """Cards on the table, in order."""
        return self.plays[self.size * self.tricks :]

    def trick_number(self, number: int) -> list[Play]:
        return self.plays[self.size * number : self.size * (number + 1)]

    def trump_in(self, number: int) -> int:
        """Trump at the end of a trick: the suit of the latest declaration up to it (T-MAR-08)."""
        last = NO_SUIT
        end = self.size * (number + (self.rules.marriage_trump_from == "immediately"))
        for play in self.plays[:end]:
            if play.declares and (play.card % 6 != 5 or self.rules.ace_marriage_sets_trump):
                last = play.card // 6
        return last

    def best_of(self, plays: Sequence[Play], number: int) -> int:
        """Place of the card that wins a trick so far."""
        trump = self.trump_in(number)
        strengths = [strength(trump, plays[0].card // 6, p.card) for p in plays]
        return strengths.index(max(strengths))

    # Names.

    @property
    def phase_name(self) -> str:
        if self.finished:
            return "match over" if self.winner != -1 else "deal over"
        if self.phase == PLAY:
            return f"trick {self.tricks + 1} of {self.rules.tricks}"
        return self.spec.phases[self.phase]

    def question(self) -> str:
        """What the seat to act is asked."""
        names = {
            DARK: "play in the dark, or look at your cards?",
            AUCTION: "bid or pass" if any(call for call in self.calls) else "open with 100 or more",
            CONTRACT: f"name the contract, {self.price} or more",
            PLAY: "lead a card" if not self.trick else f"play a card ({self.suit_text(self.led)} was led)",
        }
        return names.get(self.phase, self.spec.phases[self.phase])

    def card_text(self, card: int) -> str:
        suit, rank = divmod(card, 6)
        return SUIT_STYLES[DECK.suit_keys[suit]].symbol + DECK.rank_labels[rank]

    def suit_text(self, suit: int) -> str:
        return f"{SUIT_STYLES[DECK.suit_keys[suit]].symbol} {DECK.suits[suit]}"

    def marriage_value(self, kind: int) -> int:
        return self.rules.ace_marriage_value if kind == 4 else self.rules.marriage_values[kind]

    def happened(self, seat: int) -> list[str]:
        """Names of what the last deal did to a seat."""
        bits = self.last["events"][seat] if self.last else 0
        return [name for k, name in enumerate(EVENTS) if bits >> k & 1]
