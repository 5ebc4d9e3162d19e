"""Pictures of a card table, in a terminal and as pixels, shared by all games."""

from ._deps import MissingRenderDependencyError
from .ansi import render_ansi
from .renderer import RENDER_FPS, RENDER_MODES, Renderer
from .scene import (
    AuctionLine,
    CardFace,
    Contract,
    Direction,
    Pile,
    Scene,
    ScoreRow,
    SeatScene,
    TrickCard,
    sort_hand,
)
from .style import (
    DEALER,
    DECLARER,
    FOREHAND,
    OUT,
    PARTNER,
    SUIT_STYLES,
    TO_ACT,
    YOU,
    SuitStyle,
)
from .table import TableWindow, render_rgb

__all__ = [
    "DEALER",
    "DECLARER",
    "FOREHAND",
    "OUT",
    "PARTNER",
    "RENDER_FPS",
    "RENDER_MODES",
    "SUIT_STYLES",
    "TO_ACT",
    "YOU",
    "AuctionLine",
    "CardFace",
    "Contract",
    "Direction",
    "MissingRenderDependencyError",
    "Pile",
    "Renderer",
    "Scene",
    "ScoreRow",
    "SeatScene",
    "SuitStyle",
    "TableWindow",
    "TrickCard",
    "render_ansi",
    "render_rgb",
    "sort_hand",
]
