"""A table for tests of Thousand: deals written as text, actions by name, ends of deals without the play before them."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidtrick.envs.thousand import scoring
from bidtrick.envs.thousand.columns import MARRIAGES, NAMED, POINTS, PRICE, TRICKS
from bidtrick.envs.thousand.game import Thousand
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.state import EVENTS
from bidtrick.envs.thousand.tables import DECK, PHASES

#: Declares nothing and cannot be thrown in: hands of forehand, the next, the last seat, then the talon.
PLAIN = ("♠A ♠10 ♠K ♣Q ♦J ♦9 ♥9", "♣A ♣10 ♣K ♦Q ♥J ♠9 ♠J", "♦A ♦10 ♥K ♠Q ♣J ♣9 ♥10", "♦K ♥A ♥Q")


def cards(text: str) -> list[int]:
    return [DECK.parse(name) for name in text.split()]


def deck(rules: ThousandRules, *packets: str) -> list[int]:
    """A deck of the given packets (from forehand, then the talons), each filled up with cards that are left."""
    talons = 2 if rules.players == 2 else 1
    sizes = [rules.hand_size] * rules.active + [rules.talon_size] * talons
    given = [cards(packet) for packet in packets] + [[] for _ in range(len(sizes) - len(packets))]
    named = [c for packet in given for c in packet]
    assert len(set(named)) == len(named), "a card is dealt twice"
    rest = [c for c in range(24) if c not in named]
    found: list[int] = []
    for packet, size in zip(given, sizes, strict=True):
        assert len(packet) <= size
        found += packet + [rest.pop() for _ in range(size - len(packet))]
    return found


class Table:
    """One game. Seat 0 is forehand unless `dealer` says otherwise."""

    def __init__(
        self, *packets: str, rules: Any = None, dealer: int | None = None, episode: str = "hand", **context: Any
    ) -> None:
        made = ThousandRules.make(rules)
        self.rules = made
        self.game = Thousand(made, num_games=1, episode=episode)
        options: dict[str, Any] = {"dealer": made.players - 1 if dealer is None else dealer, **context}
        if packets:
            options["deal"] = deck(made, *packets)
        self.game.reset(seed=0, options=options)

    @property
    def phase(self) -> str:
        return PHASES[int(self.game.phase[0])]

    @property
    def seat(self) -> int:
        return int(self.game.current_player[0])

    @property
    def legal(self) -> list[str]:
        return [self.game.spec.actions[a] for a in np.flatnonzero(self.game.legal_actions()[0])]

    @property
    def cards(self) -> set[int]:
        """Cards that may be played silently."""
        return {a for a in np.flatnonzero(self.game.legal_actions()[0]).tolist() if a < 24}

    def do(self, *actions: str) -> Table:
        """Actions by name; "♠K" plays a card, "!♠K" declares with it, ">♠K" gives it away."""
        for text in actions:
            name = text
            if text[0] == "!":
                name = f"Declare {DECK.format(DECK.parse(text[1:]))}"
            elif text[0] == ">":
                name = f"Give {DECK.format(DECK.parse(text[1:]))}"
            elif text[0] in "♠♣♦♥":
                name = DECK.format(DECK.parse(text))
            self.game.step([self.game.spec.parse_action(name)])
        return self

    def keep(self) -> Table:
        """Decline every redeal that is offered."""
        while self.phase.endswith("redeal") and self.seat >= 0:
            self.do("No redeal")
        return self

    def sees(self, name: str, seat: int | None = None) -> np.ndarray:
        """A segment of a seat's observation."""
        obs = self.game.observe(self.seat if seat is None else seat)[0]
        return self.game.spec.layout.view(obs, name).astype(int)

    def seen_cards(self, name: str, seat: int | None = None) -> set[int]:
        return set(np.flatnonzero(self.sees(name, seat)).tolist())

    @property
    def report(self) -> dict[str, Any]:
        return self.game.result(0)

    @property
    def scores(self) -> list[int]:
        return self.game.state.scores[0].tolist()


def playing(*packets: str, rules: Any = None, bid: str = "100", give: tuple[str, ...] = (), **context: Any) -> Table:
    """Seat 0 buys the talon, keeps its contract at the bid and gives the two cards: on to the play."""
    table = Table(*packets, rules=rules, **context).keep().do(bid)
    while table.phase == "auction":
        table.do("Pass")
    table.keep()
    return table.do(bid, *(f">{card}" for card in give))


def end(
    rules: Any = None,
    *,
    declarer: int = 0,
    bid: int = 100,
    contract: int | None = None,
    cards: tuple[int, ...] = (),
    marriages: tuple[int, ...] = (),
    tricks: tuple[int, ...] = (),
    dealer: int | None = None,
    dark: bool = False,
    talon: str = "",
    **context: Any,
) -> tuple[dict[str, Any], Any]:
    """The end of a deal that has come to these totals; `contract` 0 writes it off.

    Returns: the report, with `happened`: (event, seat) pairs, and the state after it.
    """
    table = Table(rules=rules, dealer=dealer, **context)
    s, p = table.game.state, table.rules.players
    fact = table.game._engine.tables.fact
    for name, seat in (("declarer", declarer), ("dark", declarer if dark else -1)):
        s.facts[0] = (s.facts[0] & ~np.bitwise_or.reduce(fact[name])) | fact[name][seat]
    numbers = s.desk.view(np.uint8)
    numbers[PRICE], numbers[NAMED] = bid // 5, (bid if contract is None else contract) // 5
    for column, values in ((POINTS, cards), (MARRIAGES, [m // 10 for m in marriages]), (TRICKS, tricks or (1,) * p)):
        s.sheet[0, :, column] = [*values, *[0] * (p - len(values))]
    s.talon[0] = sum(1 << c for c in map(DECK.parse, talon.split()))
    scoring.settle(s, table.game._engine.tables, np.array([0]))
    report = table.report
    names = {
        (name, seat) for seat, bits in enumerate(report["events"]) for k, name in enumerate(EVENTS) if bits >> k & 1
    }
    return {**report, "happened": names}, s
