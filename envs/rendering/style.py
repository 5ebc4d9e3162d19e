"""How suits and badges look, shared by every game and by both renderers (terminal and picture).

One table for all games: a game names a suit by its key (``"hearts"``, ``"schilten"``) and never chooses
symbols or colours itself, so two games cannot drift apart. Nothing here needs pygame or rich.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

RGB = tuple[int, int, int]


@dataclass(frozen=True)
class SuitStyle:
    """The look of one suit."""

    key: str  # name used in CardFace.suit
    name: str  # for people: legends and headings
    symbol: str  # one terminal cell wide; also recognised inside any text and drawn as a shape in pictures
    rich: str  # rich style; must be readable on dark and on light terminals
    rgb: RGB  # rank letters and one-colour shapes on a white card
    rgb_dark: RGB  # the same on dark panels, where black ink would vanish
    shape: str  # key of the vector drawing in suits.py


# The order is the order of suits in a hand; black and red alternate so that neighbours are told apart.
# Unicode has no Swiss suits, so these are look-alikes one cell wide: an acorn on its stem, a rose, a
# shield, a round bell with its slit. Emoji are two cells wide in some terminals and one in others.
SUIT_STYLES: dict[str, SuitStyle] = {
    s.key: s
    for s in (
        SuitStyle("spades", "Spades", "♠", "bold", (22, 22, 28), (236, 236, 240), "spade"),
        SuitStyle("hearts", "Hearts", "♥", "bold red", (196, 22, 34), (255, 116, 116), "heart"),
        SuitStyle("clubs", "Clubs", "♣", "bold green", (22, 22, 28), (236, 236, 240), "club"),
        SuitStyle("diamonds", "Diamonds", "♦", "bold magenta", (196, 22, 34), (255, 116, 116), "diamond"),
        SuitStyle("eichel", "Eichel", "⚲", "bold green", (74, 96, 28), (168, 206, 96), "acorn"),
        SuitStyle("rosen", "Rosen", "✿", "bold red", (190, 34, 62), (255, 128, 140), "rose"),
        SuitStyle("schilten", "Schilten", "⛨", "bold cyan", (26, 72, 150), (138, 182, 255), "shield"),
        SuitStyle("schellen", "Schellen", "⊖", "bold yellow", (158, 104, 0), (255, 206, 84), "bell"),
        SuitStyle("joker", "Joker", "★", "bold blue", (98, 42, 148), (206, 160, 255), "star"),
    )
}
SUIT_ORDER: dict[str, int] = {key: i for i, key in enumerate(SUIT_STYLES)}
SUIT_OF_SYMBOL: dict[str, SuitStyle] = {s.symbol: s for s in SUIT_STYLES.values()}

# Badges with a meaning all games share. Games may use any other text as a badge; it is drawn in grey.
YOU, DEALER, FOREHAND, TO_ACT = "you", "dealer", "forehand", "to act"
DECLARER, PARTNER, OUT = "declarer", "partner", "out"

BADGE_RGB: dict[str, RGB] = {
    YOU: (70, 130, 210),
    DEALER: (120, 84, 48),
    FOREHAND: (44, 120, 120),
    TO_ACT: (236, 178, 36),
    DECLARER: (176, 58, 58),
    PARTNER: (150, 80, 140),
    OUT: (88, 88, 88),
}
BADGE_RICH: dict[str, str] = {
    YOU: "bold blue",
    DEALER: "yellow",
    FOREHAND: "cyan",
    TO_ACT: "bold reverse",
    DECLARER: "bold red",
    PARTNER: "magenta",
    OUT: "dim",
}

_SYMBOLS = re.compile("([" + "".join(SUIT_OF_SYMBOL) + "])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def split_symbols(text: str) -> list[str]:
    """Cut text at suit symbols: ``"plays ♥K"`` -> ``["plays ", "♥", "K"]``."""
    return [part for part in _SYMBOLS.split(text) if part]


def clean_text(text: str) -> str:
    """Replace control characters by spaces: a player's name must not move the cursor or break a line."""
    return _CONTROL.sub(" ", text)
