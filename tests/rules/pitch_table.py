"""A table of one game of Pitch for the rule tests: stacked decks, positions reached by play, facts read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bidtrick.envs import make_batch
from bidtrick.envs.core.bits import indices_of
from bidtrick.envs.pitch import tables as T
from bidtrick.envs.pitch.rules import PitchRules

C, D, H, S = range(4)
PASS = "pass"


def card(name: str) -> int:
    """ "10S" is the ten of spades, "HJ" and "LJ" are the jokers."""
    return T.DECK.parse(name)


def cards(text: str) -> list[int]:
    return [card(name) for name in text.split()]


def name(number: int) -> str:
    if number >= T.LOW_JOKER:
        return ("LJ", "HJ")[number - T.LOW_JOKER]
    return T.LABELS[number % 13] + "CDHS"[number // 13]


def names(numbers: Any) -> str:
    """Cards by name, in ascending order of their numbers."""
    return " ".join(name(int(number)) for number in sorted(numbers))


def stack(hands: Mapping[int, str], stock: str = "", *, trump: int = S, rules: Any = None) -> list[int]:
    """A deck that deals the named cards; the rest of the hands is dead if it can be, as the top of the stock is."""
    options = PitchRules.make(rules or {})
    t = T.tables(options)
    trumps = set(indices_of(int(t.trumps[trump])))
    given = [c for text in (*hands.values(), stock) for c in cards(text)]
    assert len(given) == len(set(given)), "a card is given twice"
    rest = sorted((c for c in t.deck.tolist() if c not in given), key=lambda c: (c in trumps, c))
    deck: list[int] = []
    for seat in range(options.players):
        hand = cards(hands.get(seat, ""))
        fill = t.hand_size - len(hand)
        deck += hand + rest[:fill]
        rest = rest[fill:]
    return deck + cards(stock) + rest


class Table:
    """One game; seat 0 speaks first unless the dealer is changed. The episode is one hand, or a match on request."""

    def __init__(
        self,
        deck: Sequence[int] | None = None,
        rules: Any = None,
        *,
        dealer: int | None = None,
        scores: Sequence[int] | None = None,
        hand_number: int = 0,
        **more: Any,
    ) -> None:
        self.batch = make_batch("pitch", rules=rules or {}, **more)
        self.rules: PitchRules = self.batch.spec.rules
        self.players = self.rules.players
        self.actions_ = T.actions(self.rules.total, self.rules.five)
        options: dict[str, Any] = {"dealer": self.players - 1 if dealer is None else dealer}
        if deck is not None:
            options["deal"] = list(deck)
        if scores is not None:
            options["scores"] = list(scores)
        options["hand_number"] = hand_number
        self.batch.reset(options=options)
        self.paid = np.zeros(self.players)

    # -- acting

    def step(self, *actions: int | str) -> Table:
        for action in actions:
            number = self.batch.spec.parse_action(action) if isinstance(action, str) else action
            rewards, _ = self.batch.step([number])
            self.paid += rewards[0]
        return self

    def bid(self, *calls: int | str, trump: int | None = None, call: str = "") -> Table:
        """Calls in turn (a number, "pass", "moon", "double moon"), then trump and called card if given."""
        for value in calls:
            self.step(f"Bid {value}" if isinstance(value, int) else value)
        if trump is not None:
            self.step(f"Trump {T.SUITS[trump]}")
        if call:
            self.step(card(call))
        return self

    def pass_all(self) -> Table:
        """Everybody passes once, as long as he may."""
        for _ in range(self.players):
            if self.actions_.first_bid in self.actions():
                self.step("Pass")
        return self

    def take(self, value: int | str = 4, trump: int = S, call: str = "") -> Table:
        """Seat 0 bids, the others pass; then trump and call."""
        return self.bid(value, *[PASS] * (self.players - 1), trump=trump, call=call)

    def play(self, text: str) -> Table:
        return self.step(*cards(text))

    def keep(self, burn: str = "") -> Table:
        """Keep the leftovers, burn the named cards where legal and else the first offered, up to the play."""
        wanted = cards(burn)
        while self.phase in ("kitty", "burn"):
            legal = self.actions()
            self.step(next((c for c in wanted if c in legal), legal[0]))
        return self

    def finish(self) -> Table:
        """Everybody takes his first legal action to the end of the hand."""
        hand = self.hand_number
        while not self.done and self.hand_number == hand:
            self.step(self.actions()[0])
        return self

    # -- looking

    def actions(self) -> list[int]:
        return np.flatnonzero(self.batch.legal_actions()[0]).tolist()

    @property
    def legal(self) -> str:
        """The legal cards, by name."""
        return names(a for a in self.actions() if a < T.CARDS)

    @property
    def choices(self) -> list[str]:
        """The legal actions that are no cards, by name."""
        return [self.batch.spec.action_name(a) for a in self.actions() if a >= T.CARDS]

    @property
    def player(self) -> int:
        return int(self.batch.current_player[0])

    @property
    def phase(self) -> str:
        return self.batch.spec.phases[int(self.batch.phase[0])]

    @property
    def done(self) -> bool:
        return bool(self.batch.done[0])

    @property
    def scores(self) -> list[int]:
        return self.batch.state.scores[0].tolist()

    @property
    def dealer(self) -> int:
        return int(self.batch.state.dealer[0])

    @property
    def hand_number(self) -> int:
        return int(self.batch.state.hand_number[0])

    @property
    def result(self) -> dict[str, Any]:
        return self.batch.result()

    def segment(self, name: str, seat: int = 0) -> np.ndarray:
        return self.batch.spec.layout.view(self.batch.observe(seat), name)[0]

    def seen(self, name: str, seat: int = 0) -> int:
        """A segment of one number."""
        return int(self.segment(name, seat).item())

    def who(self, name: str, seat: int = 0) -> list[int]:
        """The seats of a flag, as `seat` sees them (absolute numbers)."""
        return sorted((seat + int(r)) % self.players for r in np.flatnonzero(self.segment(name, seat)))

    def by_seat(self, name: str, seat: int = 0) -> list[int]:
        """A number of each seat, by absolute seat."""
        return np.roll(self.segment(name, seat).astype(int), seat).tolist()

    def plane(self, name: str, seat: int = 0, of: int | None = None) -> str:
        """A card set as `seat` sees it, of another seat if `of` is given."""
        plane = self.segment(name, seat)
        return names(np.flatnonzero(plane if of is None else plane[(of - seat) % self.players]))


def shaped(keep: Mapping[int, str], rules: Mapping[str, Any] | None = None, **more: Any) -> Table:
    """Seat 0 has bid 4, and exactly the named spade trumps are in play; all others were thrown away."""
    options = {"discarded_trump": "dead", "kitty_mode": "bidder_only", **(rules or {})}
    t = T.tables(PitchRules.make(options))
    wanted = {seat: cards(keep.get(seat, "")) for seat in range(4)}
    named = [c for hand in wanted.values() for c in hand]
    spare = [c for c in indices_of(int(t.trumps[S])) if c not in named]
    rest = spare + [c for c in t.deck.tolist() if c not in spare and c not in named]
    deck: list[int] = []
    for seat in range(4):
        room = 9 - len(wanted[seat])
        deck += wanted[seat] + rest[:room]
        rest = rest[room:]
    table = Table(deck + rest, options, **more).take()
    while table.phase == "discard":
        away = [a for a in table.actions() if a < T.CARDS and a not in wanted[table.player]]
        table.step(away[0] if away else "Done discarding")
    held = [indices_of(int(w)) for w in table.batch.state.cards[0, :, 0]]
    assert [sorted(wanted[seat]) for seat in range(4)] == held
    return table
