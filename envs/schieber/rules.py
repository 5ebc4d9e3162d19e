"""Rule options and presets of Schieber (the ids are those of RULES.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..core.errors import RulesError
from ..core.rules import Rules, option, optional_positive_int, positive_int, ranks_option

RANKS = ("6", "7", "8", "9", "Banner", "Under", "Ober", "König", "Ass")
#: Card that makes its holder the first forehand (J-DEAL-02), as suit and rank.
FIRST_FOREHAND = {"rosen_7": (1, "7"), "schellen_7": (3, "7"), "schellen_banner": (3, "Banner")}


def _six_multipliers(value: Any) -> str | None:
    if not isinstance(value, tuple) or len(value) != 6:  # pyright: ignore[reportUnknownArgumentType]
        return "must hold six numbers, one a contract"
    if any(isinstance(m, bool) or not isinstance(m, int) or not 1 <= m <= 20 for m in value):  # pyright: ignore[reportUnknownVariableType]
        return "must hold ints from 1 to 20"
    return None


#: J-RED-01: what the presets with a short deck share.
_SHORT: dict[str, Any] = {"undenufe_eleven": "six", "first_forehand": "random", "suits": 2}


@dataclass(frozen=True)
class SchieberRules(Rules):
    """Options of Schieber; the defaults are the preset `source`."""

    game: ClassVar[str] = "schieber"

    suit_names: str = option("swiss", choices=("swiss", "french"), ids="J-EQP-02", doc="names on display")
    first_forehand: str = option(
        "rosen_7",
        choices=("rosen_7", "schellen_7", "schellen_banner", "random"),
        ids="J-DEAL-02",
        doc="whose card makes forehand in the first hand of a match",
    )
    push_back: bool = option(
        False, choices=(False, True), ids="J-CON-02", doc="the partner may push back; then forehand must choose"
    )
    multipliers: tuple[int, ...] = option(
        (1, 1, 2, 2, 3, 4),
        check=_six_multipliers,
        values="six ints from 1 to 20: Eichel, Rosen, Schilten, Schellen, Obenabe, Undenufe",
        ids="J-CON-03",
        doc="factor on everything scored in a hand, by contract",
    )
    undenufe_eleven: str = option(
        "ace", choices=("ace", "six"), ids="J-PTS-03", doc="rank worth 11 in Undenufe (the other is worth 0)"
    )
    match_bonus: int = option(100, choices=(100, 0), ids="J-PTS-05", doc="points for taking all nine tricks")
    weis: bool = option(True, choices=(True, False), ids="J-WEIS-07", doc="Weis are declared and scored")
    four_nines: int = option(0, choices=(0, 150), ids="J-WEIS-02", doc="value of four nines")
    kreuzweis: bool = option(
        False, choices=(False, True), ids="J-WEIS-03", doc="a card may serve one run and one quartet"
    )
    weis_type_order: str = option(
        "quartet_first",
        choices=("quartet_first", "run_first"),
        ids="J-WEIS-05",
        doc="which type is better at equal points",
    )
    weis_reveal: str = option(
        "winner_cards",
        choices=("winner_cards", "values_only", "all"),
        ids="J-WEIS-08",
        doc="which sets are shown after the first trick",
    )
    stock: bool = option(True, choices=(True, False), ids="J-STK-02", doc="König and Ober of trump score 20")
    early_stock: str = option(
        "any_time",
        choices=("any_time", "first_card", "off"),
        ids="J-STK-02",
        doc="from when a Stöck that wins the match may be claimed before it is played",
    )
    target: int = option(
        3000, check=positive_int, values="any positive int", ids="J-END-01", doc="points that win a match at once"
    )
    claim_order: str = option(
        "stock_weis_trick",
        choices=("stock_weis_trick", "stock_trick_weis"),
        ids="J-END-02",
        doc="order of counting in the first trick",
    )
    schneider_factor: int = option(
        1, choices=(1, 2), ids="J-END-03", doc="factor on the match reward if the losers stay below half the target"
    )
    hands: int | None = option(
        None,
        check=optional_positive_int,
        values="None | any positive int",
        ids="J-END-05",
        doc="play a fixed number of hands instead of to the target",
    )
    suits: int = option(
        4, choices=(4, 1, 2, 3), ids="J-RED-01", doc="suits of a short deck, the first so many", later=True
    )
    ranks: tuple[str, ...] = ranks_option(RANKS, ids="J-RED-01", doc="ranks of a short deck")

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "source": {},
        "swiss": {"undenufe_eleven": "six"},
        "swisslos2500": {"undenufe_eleven": "six", "multipliers": (1, 1, 2, 2, 3, 3), "target": 2500},
        "swisslos1000": {"undenufe_eleven": "six", "multipliers": (1, 1, 1, 1, 1, 1), "target": 1000},
        "tournament": {
            "undenufe_eleven": "six",
            "multipliers": (1, 1, 1, 1, 1, 1),
            "weis": False,
            "stock": False,
            "match_bonus": 0,
        },
        "jass_kit": {
            "undenufe_eleven": "six",
            "multipliers": (1, 1, 1, 1, 1, 1),
            "weis": False,
            "stock": False,
            "match_bonus": 0,
        },
        "tiny": {**_SHORT, "ranks": ("Under", "Ober", "König", "Ass")},
        "small": {**_SHORT, "ranks": ("9", "Banner", "Under", "Ober", "König", "Ass")},
    }

    @property
    def live_target(self) -> bool:
        """Whether a match ends at the target (J-END-01), not after a number of hands (J-END-05)."""
        return self.hands is None

    @property
    def reduced(self) -> bool:
        return self.suits < 4 or self.ranks != RANKS

    @property
    def cards(self) -> tuple[int, ...]:
        """Numbers of the cards in the deck, ascending (J-RED-01)."""
        return tuple(9 * suit + RANKS.index(rank) for suit in range(self.suits) for rank in self.ranks)

    @property
    def hand_size(self) -> int:
        """Cards that everybody gets, and tricks of a hand."""
        return len(self.cards) // 4

    def validate(self) -> None:
        if self.target > 1_000_000:
            raise RulesError("schieber rules: target must be at most 1000000 (J-END-01)")
        if len(self.cards) % 4 or len(self.cards) < 8:
            raise RulesError(
                f"schieber rules: suits={self.suits} of ranks={self.ranks!r} are {len(self.cards)} cards, which four "
                "players cannot share; allowed: 8 cards or more, a multiple of four (J-RED-01)"
            )
        suit, rank = FIRST_FOREHAND.get(self.first_forehand, (0, self.ranks[0]))
        if suit >= self.suits or rank not in self.ranks:
            raise RulesError(
                f"schieber rules: first_forehand={self.first_forehand!r} names a card that is not in the deck of "
                f"suits={self.suits} and ranks={self.ranks!r}; allowed: 'random' (J-RED-01)"
            )
