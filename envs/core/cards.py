"""The one card encoding of the project: `card = suit · ranks + rank`, then the cards without a suit (jokers).

Suit-major, ranks ascending in the game's *plain* order. A card is a small int everywhere; a set of
cards is a `uint64` word with that bit set (see `bits`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .errors import UnknownNameError


@dataclass(frozen=True)
class Deck:
    """Names of the cards of a game, and their numbers both ways.

    Attributes:
        suits: long names of the suits, e.g. "Eichel".
        ranks: names of the ranks in ascending plain order, e.g. "6" … "Ass".
        suit_keys: keys of the drawing styles (`envs.rendering`), one a suit.
        rank_labels: short labels for pictures; the ranks' names when empty.
        extras: names of cards without a suit.
        aliases: other spellings that `parse` accepts, lower case → card name or suit/rank name.
    """

    name: str
    suits: tuple[str, ...]
    ranks: tuple[str, ...]
    suit_keys: tuple[str, ...]
    rank_labels: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    aliases: dict[str, str] = field(default_factory=dict[str, str], compare=False, hash=False)

    @property
    def size(self) -> int:
        return len(self.suits) * len(self.ranks) + len(self.extras)

    @property
    def num_ranks(self) -> int:
        return len(self.ranks)

    def card(self, suit: int, rank: int) -> int:
        return suit * len(self.ranks) + rank

    def suit_of(self, card: int) -> int:
        """Suit number, or -1 for a card without a suit."""
        return card // len(self.ranks) if card < len(self.suits) * len(self.ranks) else -1

    def rank_of(self, card: int) -> int:
        """Rank number; for a card without a suit its number among those."""
        plain = len(self.suits) * len(self.ranks)
        return card % len(self.ranks) if card < plain else card - plain

    def format(self, card: int) -> str:
        """Name of a card, e.g. "Eichel Under". Raises UnknownNameError for a number that is no card."""
        if not 0 <= card < self.size:
            raise UnknownNameError(f"{self.name}: card number {card} is not in 0..{self.size - 1}")
        suit = self.suit_of(card)
        if suit < 0:
            return self.extras[self.rank_of(card)]
        return f"{self.suits[suit]} {self.ranks[self.rank_of(card)]}"

    def format_all(self, cards: Iterable[int]) -> str:
        return ", ".join(self.format(card) for card in cards)

    def parse(self, text: str) -> int:
        """Number of the card named `text` (any case, "Suit Rank"). Raises UnknownNameError with examples."""
        wanted = " ".join(text.split()).lower()
        wanted = self.aliases.get(wanted, wanted).lower()
        number = _NUMBERS.setdefault(self, {self.format(c).lower(): c for c in range(self.size)}).get(wanted)
        if number is None:
            raise UnknownNameError(
                f"{self.name}: no card is called {text!r}; cards are written like {self.format(0)!r}, "
                f"with suits {', '.join(self.suits)} and ranks {', '.join(self.ranks)}"
            )
        return number

    def parse_all(self, text: str | Sequence[str]) -> list[int]:
        """Cards of a comma-separated text or a list of names."""
        parts = text.split(",") if isinstance(text, str) else text
        return [self.parse(part) for part in parts if part.strip()]

    def parse_hand(self, text: str) -> list[int]:
        """Cards of a text in which they stand one after the other, with or without commas between them.

        Raises: UnknownNameError naming what is no card.
        """
        found: list[int] = []
        for part in text.split(","):
            words = part.split()
            while words:
                # the longest name that fits: some have several words
                for length in range(min(len(words), 3), 0, -1):
                    try:
                        found.append(self.parse(" ".join(words[:length])))
                    except UnknownNameError:
                        continue
                    words = words[length:]
                    break
                else:
                    self.parse(words[0])  # says what a card is written like
        return found


_NUMBERS: dict[Deck, dict[str, int]] = {}
