"""A table of one game for the rule tests: cards in two letters, positions reached by play, public facts read back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bidtrick.envs import make_batch

EICHEL, ROSEN, SCHILTEN, SCHELLEN, OBENABE, UNDENUFE = range(6)
TRUMPS, CONTRACTS = range(4), range(6)
CHOOSE, PUSH = 36, 42
SUITS, RANKS = "ERTL", "6789BUOKA"
SEVEN_OF_ROSEN = 10


def cards(text: str) -> list[int]:
    """Cards from words such as "E6 TU": E Eichel, R Rosen, T Schilten, L Schellen; 6 7 8 9 B U O K A."""
    return [SUITS.index(word[0]) * 9 + RANKS.index(word[1]) for word in text.split()]


def names(numbers: Any) -> str:
    """The inverse of `cards`, in ascending order."""
    return " ".join(SUITS[card // 9] + RANKS[card % 9] for card in sorted(int(n) for n in numbers))


def deal(*given: str) -> np.ndarray:
    """Four full hands: the given cards first, the rest of the pack dealt round to whoever has room. int64 [4, 9]."""
    hands = [cards(text) for text in given] + [[] for _ in range(4 - len(given))]
    rest = [card for card in range(36) if not any(card in hand for hand in hands)]
    assert sum(map(len, hands)) + len(rest) == 36, "a card is given twice"
    assert max(map(len, hands)) <= 9, "a hand has too many cards"
    while rest:
        for hand in hands:
            if len(hand) < 9:
                hand.append(rest.pop(0))
    return np.array(hands)


class Table:
    """One game; seat 0 is forehand unless said otherwise, and the contract is chosen at once if one is given."""

    def __init__(
        self,
        hands: np.ndarray,
        contract: int | None = None,
        rules: Any = None,
        *,
        scores: Sequence[int] = (0, 0),
        forehand: int | None = 0,
        hand_number: int = 0,
        **more: Any,
    ) -> None:
        self.batch = make_batch("schieber", rules=rules or {}, **more)
        options: dict[str, Any] = {"deal": hands, "scores": scores, "hand_number": hand_number}
        if forehand is not None:
            options["dealer"] = (forehand + 3) % 4
        self.batch.reset(options=options)
        self.paid = np.zeros(4)
        if contract is not None:
            self.step(CHOOSE + contract)

    def step(self, *actions: int) -> Table:
        for action in actions:
            rewards, _ = self.batch.step([action])
            self.paid += rewards[0]
        return self

    def play(self, text: str) -> Table:
        return self.step(*cards(text))

    def run(self, leads: str, keep: str = "", tricks: int = 9) -> Table:
        """Seat 0 leads these cards; all others play the lowest legal card, those of `keep` only if forced."""
        queue, kept = cards(leads), cards(keep)
        while not self.done and self.seen("trick_number") < tricks:
            if self.player == 0 and not self.seen("cards_on_table"):
                self.step(queue.pop(0))
            else:
                legal = self.actions()
                self.step(([card for card in legal if card not in kept] or legal)[0])
        return self

    def run_first_trick(self) -> Table:
        """Everybody plays his lowest legal card until the first trick is complete."""
        while not self.done and not self.seen("trick_number"):
            self.step(self.actions()[0])
        return self

    def finish(self) -> Table:
        """Everybody plays his lowest legal card to the end of the episode."""
        while not self.done:
            self.step(self.actions()[0])
        return self

    def actions(self) -> list[int]:
        return np.flatnonzero(self.batch.legal_actions()[0]).tolist()

    @property
    def legal(self) -> str:
        return names(self.actions())

    @property
    def player(self) -> int:
        return int(self.batch.current_player[0])

    @property
    def done(self) -> bool:
        return bool(self.batch.done[0])

    def segment(self, name: str, seat: int = 0) -> np.ndarray:
        return self.batch.spec.layout.view(self.batch.observe(seat), name)[0]

    def seen(self, name: str, seat: int = 0) -> int:
        """A segment of one number."""
        return int(self.segment(name, seat).item())

    def who(self, name: str) -> list[int]:
        """The seats of a flag."""
        return np.flatnonzero(self.segment(name)).tolist()

    def sheet(self, name: str, factor: int = 1) -> list[int]:
        """A column of the score sheet of team 0 and team 1."""
        return [factor * self.seen(f"own_{name}"), factor * self.seen(f"their_{name}")]

    @property
    def points(self) -> list[int]:
        return self.sheet("points")

    @property
    def weis(self) -> list[int]:
        return self.sheet("weis_scored", 10)

    @property
    def stock(self) -> list[int]:
        return self.sheet("stock", 10)

    @property
    def bonus(self) -> list[int]:
        return self.sheet("bonus", 10)

    @property
    def declared(self) -> list[int]:
        return [10 * int(value) for value in self.segment("declared_weis")]

    @property
    def own_weis(self) -> list[int]:
        return [10 * self.seen("own_weis", seat) for seat in range(4)]

    @property
    def shown(self) -> list[str]:
        return [names(np.flatnonzero(plane)) for plane in self.segment("shown")]

    @property
    def scores(self) -> list[int]:
        return self.batch.state.scores[0].tolist()

    @property
    def result(self) -> dict[str, Any]:
        return self.batch.result()
