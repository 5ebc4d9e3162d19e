"""A card table as plain data: what both renderers draw, independent of any game.

A game's ``render.py`` builds a :class:`Scene` from its state; the renderers know nothing about rules.
Everything is frozen and made of tuples, so a scene can be compared, hashed and kept.

Hidden cards: a hand is drawn face up only where ``SeatScene.show_hand`` is true. Otherwise only its size
reaches a renderer, whatever the cards are, so forgetting the flag hides too much and never too little.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .style import OUT, SUIT_ORDER, SUIT_STYLES, TO_ACT

MIN_SEATS, MAX_SEATS = 2, 5

Direction = Literal["clockwise", "counterclockwise"]


@dataclass(frozen=True)
class CardFace:
    """One face-up card."""

    rank_label: str  # short: "A", "10", "O"; it stands in the corner of the card
    suit: str  # key of SUIT_STYLES
    key: int = 0  # order inside the suit, higher is shown first; usually the engine's card number
    legal: bool = False  # may be played now: raised and framed in the picture, in brackets in the terminal

    def __post_init__(self) -> None:
        if self.suit not in SUIT_STYLES:
            raise ValueError(f"CardFace.suit: {self.suit!r} is unknown; allowed: {', '.join(SUIT_STYLES)}")

    @property
    def text(self) -> str:
        """Suit symbol and rank, e.g. ``"♥K"``: use it in events and prompts, renderers draw the symbol."""
        return SUIT_STYLES[self.suit].symbol + self.rank_label


@dataclass(frozen=True)
class TrickCard:
    """A card played to a trick."""

    seat: int  # who played it
    card: CardFace
    winning: bool = False  # takes the trick as it lies (in a completed trick: took it)


@dataclass(frozen=True)
class SeatScene:
    """One player at the table."""

    name: str
    team: str = ""  # "" where there are no teams
    hand: tuple[CardFace, ...] = ()
    show_hand: bool = False  # False: `hand` is drawn as backs and only its length matters
    face_down: int = 0  # further cards of unknown face
    badges: tuple[str, ...] = ()  # style.DEALER, TO_ACT, DECLARER … or any short text
    bubble: str = ""  # what the player just said: "push", "Weis 50", "120"
    tricks: int | None = None  # tricks taken; None: not shown
    note: str = ""  # a short fact beside the tricks: "marriage ♥100", "32 points"

    @property
    def hand_size(self) -> int:
        """Number of cards held, face up or not."""
        return len(self.hand) + self.face_down

    @property
    def shown_cards(self) -> tuple[CardFace, ...]:
        """The cards a renderer may draw face up (unsorted)."""
        return self.hand if self.show_hand else ()

    @property
    def backs(self) -> int:
        """The number of cards to draw as backs."""
        return self.hand_size - len(self.shown_cards)

    @property
    def to_act(self) -> bool:
        return TO_ACT in self.badges

    @property
    def out(self) -> bool:
        """Out of the hand: drawn dimmed."""
        return OUT in self.badges


@dataclass(frozen=True)
class Contract:
    """What is being played."""

    label: str  # "Schilten ×2", "120", "bid 6, trump Spades"
    suit: str | None = None  # trump suit, key of SUIT_STYLES; sorts first in hands
    detail: str = ""  # "declared by Zora after a push"

    def __post_init__(self) -> None:
        if self.suit is not None and self.suit not in SUIT_STYLES:
            raise ValueError(
                f"Contract.suit: {self.suit!r} is unknown; allowed: {', '.join(SUIT_STYLES)} or None"
            )


@dataclass(frozen=True)
class AuctionLine:
    """All calls of one seat so far, oldest first."""

    seat: int
    calls: tuple[str, ...]


@dataclass(frozen=True)
class Pile:
    """Cards on the table outside hands and trick: talon, kitty, stock, blind, burned cards, shown Weis."""

    label: str
    cards: tuple[CardFace, ...] = ()  # face up, in the given order
    face_down: int = 0
    note: str = ""
    center: bool = False  # drawn large in the middle while no trick lies there


@dataclass(frozen=True)
class ScoreRow:
    """One row of the score sheet; a row may be a player, a team or a past deal."""

    name: str
    values: tuple[str, ...]  # as many as Scene.score_columns
    highlight: bool = False  # own side, or the leader: as the game likes


@dataclass(frozen=True)
class Scene:
    """Everything on one picture of the table.

    Raises:
        ValueError: the scene is inconsistent (the message names the field).
    """

    title: str
    seats: tuple[SeatScene, ...]  # 2 to 5, in playing order: the player after seat i is seat i + 1
    subtitle: str = ""
    bottom_seat: int = 0  # whose seat is at the bottom of the picture
    direction: Direction = (
        "clockwise"  # clockwise: the next seat sits on the left; counterclockwise: on the right
    )
    phase: str = ""  # "auction", "trick 4 of 9"
    prompt: str = ""  # the question to the seat that is to act
    contract: Contract | None = None
    auction: tuple[AuctionLine, ...] = ()
    trick: tuple[TrickCard, ...] = ()  # in the order played, leader first
    last_trick: tuple[TrickCard, ...] = ()
    last_trick_note: str = ""  # "19 points for North/South"
    piles: tuple[Pile, ...] = ()
    score_columns: tuple[str, ...] = ()
    score_rows: tuple[ScoreRow, ...] = ()
    events: tuple[str, ...] = ()  # oldest first; renderers keep the last that fit
    footer: str = ""

    def __post_init__(self) -> None:
        n = len(self.seats)
        if not MIN_SEATS <= n <= MAX_SEATS:
            raise ValueError(f"Scene.seats: {n} seats, allowed are {MIN_SEATS} to {MAX_SEATS}")
        if not 0 <= self.bottom_seat < n:
            raise ValueError(f"Scene.bottom_seat: {self.bottom_seat} is not a seat of 0 to {n - 1}")
        if self.direction not in ("clockwise", "counterclockwise"):
            raise ValueError(f"Scene.direction: {self.direction!r}, allowed: 'clockwise', 'counterclockwise'")
        for field, entries in (
            ("trick", self.trick),
            ("last_trick", self.last_trick),
            ("auction", self.auction),
        ):
            for entry in entries:
                if not 0 <= entry.seat < n:
                    raise ValueError(f"Scene.{field}: seat {entry.seat} is not a seat of 0 to {n - 1}")
        for row in self.score_rows:
            if len(row.values) != len(self.score_columns):
                raise ValueError(
                    f"Scene.score_rows: row {row.name!r} has {len(row.values)} values "
                    f"for {len(self.score_columns)} score_columns"
                )

    @property
    def trump(self) -> str | None:
        """Key of the trump suit, None without one."""
        return self.contract.suit if self.contract else None

    @property
    def team_names(self) -> tuple[str, ...]:
        """Distinct team names in order of first seat."""
        return tuple(dict.fromkeys(s.team for s in self.seats if s.team))


def sort_hand(cards: Iterable[CardFace], first_suit: str | None = None) -> tuple[CardFace, ...]:
    """Sort for display: `first_suit` (the trump) first, then by suit, inside a suit by falling `key`."""
    return tuple(
        sorted(cards, key=lambda c: (c.suit != first_suit, SUIT_ORDER[c.suit], -c.key, c.rank_label))
    )
