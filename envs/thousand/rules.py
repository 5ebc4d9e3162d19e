"""Rule options and presets of Thousand (the ids are those of RULES.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from ..core.errors import RulesError
from ..core.rules import Check, Rules, option, optional_positive_int, ranks_option

RANKS = ("9", "Jack", "Queen", "King", "Ten", "Ace")

_YES_NO, _NO_YES = (True, False), (False, True)


def _whole(low: int, high: int, multiple: int = 1, words: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Check and description of a whole number from `low` to `high`, or one of `words`."""

    def check(value: Any) -> str | None:
        if any(type(value) is type(word) and value == word for word in words):
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high or value % multiple:
            return "is not allowed"
        return None

    of = f" in steps of {multiple}" if multiple > 1 else ""
    values = " | ".join([*map(repr, words), f"an int from {low} to {high}{of}"])
    return {"check": cast(Check, check), "values": values}


def _marriage_values(value: Any) -> str | None:
    if not isinstance(value, tuple) or len(value) != 4:  # pyright: ignore[reportUnknownArgumentType]
        return "must hold four numbers, one a suit"
    if any(isinstance(v, bool) or not isinstance(v, int) or v % 10 or not 10 <= v <= 150 for v in value):  # pyright: ignore[reportUnknownVariableType]
        return "must hold ints from 10 to 150 in steps of 10"
    return None


def _payout(value: Any) -> str | None:
    if not isinstance(value, tuple) or len(value) != 3:  # pyright: ignore[reportUnknownArgumentType]
        return "must hold three numbers: first, middle, last"
    if any(isinstance(v, bool) or not isinstance(v, int | float) or not -100 <= v <= 100 for v in value):  # pyright: ignore[reportUnknownVariableType]
        return "must hold numbers from -100 to 100"
    return None


def _seats(value: Any) -> str | None:
    if not isinstance(value, tuple):
        return "must be a list of seats"
    seats = cast("tuple[Any, ...]", value)
    if any(isinstance(v, bool) or not isinstance(v, int) or not 0 <= v < 4 for v in seats) or len(set(seats)) < len(
        seats
    ):
        return "must hold different seats"
    return None


#: Section 19 for presets that play without redeals.
_NO_REDEAL: dict[str, Any] = {
    "redeal_hand_points_lt": None,
    "redeal_hand_nines_ge": None,
    "redeal_hand_jacks_eq": None,
    "redeal_talon_points_lt": None,
    "redeal_talon_nines_ge": None,
    "redeal_talon_jacks_eq": None,
}
#: Text C (binding decision 68).
_CLASSIC: dict[str, Any] = {
    "redeal_hand_points_lt": 15,
    "redeal_hand_nines_who": "forehand",
    "redeal_hand_nines_eq_4": True,
    "redeal_hand_jacks_eq": None,
    "redeal_talon_nines_ge": None,
    "redeal_talon_jacks_eq": None,
    "auction_opening": "forced_100",
    "write_off_opponents": 60,
    "bolt_mode": "consecutive3",
    "play_foreign_trump_lead": "forbidden",
}


#: T-SHORT-04: what the presets with a short deck share.
_SHORT: dict[str, Any] = {
    **_NO_REDEAL,
    "marriage_values": (80, 100, 80, 100),
    "auction_opening": "forced_100",
    "auction_step": 10,
    "auction_jumps": False,
    "score_defender_round_to": 10,
}


@dataclass(frozen=True)
class ThousandRules(Rules):
    """Options of Thousand; the defaults are the preset `default` (three players, text E)."""

    game: ClassVar[str] = "thousand"

    players: int = option(3, choices=(3, 2, 4), ids="T-4P-01, T-2P-01", doc="players at the table")
    target: int = option(1000, choices=(1000, 1001), ids="T-END-01", doc="score that wins a match")
    marriage_values: tuple[int, ...] = option(
        (40, 60, 80, 100),
        check=_marriage_values,
        values="four ints from 10 to 150 in steps of 10: spades, clubs, diamonds, hearts",
        ids="T-MAR-02",
        doc="values of the marriages; clubs-high tables use (80, 100, 40, 60)",
    )
    cut_ritual: str = option(
        "off", choices=("off", "penalty_only"), ids="T-CUT-05", doc="three nines cut in a row fine the cutter 120"
    )

    # Redeals (T-RED).
    redeal_hand_points_lt: int | None = option(
        13, **_whole(1, 20, words=(None,)), ids="T-RED-03", doc="a hand of fewer card points may be thrown in"
    )
    redeal_hand_nines_ge: int | None = option(
        3, choices=(3, None, 2, 4), ids="T-RED-02", doc="a hand of so many nines may be thrown in"
    )
    redeal_hand_nines_who: str = option(
        "any", choices=("any", "forehand"), ids="T-RED-02", doc="whose nines count for redeal_hand_nines_ge"
    )
    redeal_hand_nines_eq_4: bool = option(
        False, choices=_NO_YES, ids="T-RED-01", doc="anybody's four nines may be thrown in"
    )
    redeal_hand_jacks_eq: int | None = option(
        4, choices=(4, None, 3), ids="T-RED-04", doc="a hand of exactly so many jacks may be thrown in"
    )
    redeal_talon_points_lt: int | None = option(
        5, **_whole(1, 15, words=(None,)), ids="T-RED-05", doc="a talon of fewer points may be thrown in"
    )
    redeal_talon_nines_ge: int | None = option(
        2, choices=(2, None, 1, 3), ids="T-RED-06", doc="a talon of so many nines may be thrown in"
    )
    redeal_talon_jacks_eq: int | None = option(
        3, choices=(3, None, 2), ids="T-RED-07", doc="a talon of exactly so many jacks may be thrown in"
    )
    redeal_talon_only_at_100: bool = option(
        False, choices=_NO_YES, ids="T-RED-05", doc="talons are thrown in only after an auction won at 100"
    )
    redeal_winner_four_nines: bool = option(
        False, choices=_NO_YES, ids="T-RED-08", doc="four nines in hand and talon may be thrown in"
    )
    redeal_defender_four_nines: bool = option(
        False, choices=_NO_YES, ids="T-RED-09", doc="a defender's four nines after the pass may be thrown in"
    )
    redeal_optional: bool = option(
        True, choices=_YES_NO, ids="T-RED-10", doc="the entitled player is asked; otherwise redeals are automatic"
    )

    # The auction (T-AUC).
    auction_opening: str = option(
        "at_least_100",
        choices=("at_least_100", "forced_100", "dealer_100"),
        ids="T-AUC-01",
        doc="who opens: forehand with 100 or more, forehand with 100 by itself, the dealer with 100 by itself",
    )
    auction_step: int = option(5, choices=(5, 10), ids="T-AUC-03", doc="bids and contracts are multiples of this")
    auction_jumps: bool = option(True, choices=_YES_NO, ids="T-AUC-03", doc="a bid may skip steps")
    auction_cap: str = option(
        "marriages",
        choices=("marriages", "none", "flat_300"),
        ids="T-AUC-07",
        doc="highest bid: 120 and the marriages held, no limit but all marriages, or 300",
    )
    auction_silence_below: int | None = option(
        None, **_whole(-100_000, 0, words=(None,)), ids="T-AUC-10", doc="who is below this passes by himself"
    )
    dark: str = option(
        "off", choices=("off", "C", "D", "forehand"), ids="T-DARK-01", doc="dark game: how text C, text D, or forehand"
    )

    # The golden round (T-GOLD).
    golden: str = option(
        "off", choices=("off", "on"), ids="T-GOLD-01", doc="first deals at 120 without auction, doubled"
    )
    golden_raise: bool = option(False, choices=_NO_YES, ids="T-GOLD-03", doc="a golden contract may be raised")
    golden_double_marriages: bool = option(
        False, choices=_NO_YES, ids="T-GOLD-05", doc="defenders' marriages double in golden deals too"
    )
    golden_fail: str = option(
        "reset_and_normal",
        choices=("reset_and_normal", "replay", "keep", "reset_and_replay"),
        ids="T-GOLD-07",
        doc="what follows a golden round in which nobody made it",
    )

    # Talon, contract, write-off, passing (T-TAL, T-RAISE, T-WO, T-PASS).
    talon_show: bool = option(True, choices=_YES_NO, ids="T-TAL-03", doc="the talon is shown to all")
    talon_hide_on_uncontested_100: bool = option(
        True, choices=_YES_NO, ids="T-TAL-04", doc="but not when the auction was won at 100"
    )
    contract_declare: str = option(
        "before_pass", choices=("before_pass", "after_pass"), ids="T-RAISE-02", doc="when the contract is named"
    )
    write_off_cost: str = option("bid", choices=("bid", "none"), ids="T-WO-01", doc="what a write-off costs")
    write_off_opponents: str | int = option(
        "half_floor5", choices=("half_floor5", 60), ids="T-WO-02", doc="what each opponent gets"
    )
    write_off_limit: int | None = option(
        None, **_whole(0, 1000, words=(None,)), ids="T-WO-C1", doc="write-offs of a seat in a match"
    )
    write_off_first_free: bool = option(
        False, choices=_NO_YES, ids="T-WO-C2", doc="a seat's first write-off costs nothing"
    )
    write_off_every_third_fine: int = option(
        0, **_whole(0, 1000), ids="T-WO-01", doc="fine for a seat's 3rd, 6th … write-off"
    )
    write_off_on_barrel: str = option(
        "burns_attempt", choices=("burns_attempt", "forbidden", "falls"), ids="T-WO-08", doc="write-off on the barrel"
    )
    pass_visibility: str = option(
        "recipient", choices=("recipient", "public"), ids="T-PASS-02", doc="who sees the passed cards"
    )

    # Play, marriages (T-PLAY, T-MAR, T-ACE).
    play_must_trump: bool = option(True, choices=_YES_NO, ids="T-PLAY-03", doc="who cannot follow must trump")
    play_must_beat: bool = option(False, choices=_NO_YES, ids="T-PLAY-05", doc="who follows must beat")
    play_must_overtrump: bool = option(False, choices=_NO_YES, ids="T-PLAY-05", doc="who trumps must overtrump")
    play_foreign_trump_lead: str = option(
        "allowed", choices=("allowed", "forbidden"), ids="T-PLAY-07", doc="leading a trump declared by another"
    )
    marriage_needs_trick: bool = option(True, choices=_YES_NO, ids="T-MAR-03", doc="declaring needs a trick taken")
    marriage_on_lead_only: bool = option(True, choices=_YES_NO, ids="T-MAR-04", doc="only the leader declares")
    marriage_optional: bool = option(True, choices=_YES_NO, ids="T-MAR-06", doc="king or queen may be led silently")
    marriage_trump_from: str = option(
        "immediately", choices=("immediately", "next_trick"), ids="T-MAR-08", doc="from when the suit is trump"
    )
    ace_marriage: bool = option(False, choices=_NO_YES, ids="T-ACE-01", doc="four aces in hand may be declared")
    ace_marriage_value: int = option(200, **_whole(10, 300, 10), ids="T-ACE-01", doc="value of the four aces")
    ace_marriage_needs_trick: bool = option(True, choices=_YES_NO, ids="T-ACE-02", doc="it needs a trick taken")
    ace_marriage_sets_trump: bool = option(
        False, choices=_NO_YES, ids="T-ACE-05", doc="the suit of the led ace is trump"
    )
    ace_marriage_in_cap: bool = option(True, choices=_YES_NO, ids="T-ACE-06", doc="four aces raise the cap of bids")

    # Scores (T-SCO, T-RND, T-BOLT).
    score_declarer: str = option(
        "contract", choices=("contract", "actual"), ids="T-SCO-02", doc="what a made contract is worth"
    )
    score_declarer_rounding: str = option(
        "none", choices=("none", "before_check"), ids="T-SCO-04", doc="round the declarer's total before the check"
    )
    score_defender_round_to: int = option(5, choices=(5, 1, 10), ids="T-RND-01", doc="unit of written totals")
    bolt_mode: str = option(
        "total3", choices=("total3", "consecutive3", "off"), ids="T-BOLT-02", doc="which three bolts are fined"
    )
    bolt_fine: int = option(120, **_whole(0, 1000), ids="T-BOLT-02", doc="fine for three bolts")
    bolt_basis: str = option(
        "tricks", choices=("tricks", "points"), ids="T-BOLT-01", doc="a bolt is no trick, or no points written"
    )
    bolt_declarer: bool = option(True, choices=_YES_NO, ids="T-BOLT-04", doc="a trickless declarer gets a bolt too")
    bolt_on_barrel: bool = option(False, choices=_NO_YES, ids="T-BOLT-05", doc="bolts count on the barrel")
    bolt_golden_weight: int = option(2, choices=(2, 1), ids="T-BOLT-07", doc="bolts of a golden deal")

    # The barrel, the truck, the end (T-BAR, T-TRK, T-END).
    barrel_at: int | None = option(880, choices=(880, None), ids="T-BAR-01", doc="score of the barrel; None: no barrel")
    barrel_need: str | int = option(
        "auto", **_whole(100, 400, 5, words=("auto",)), ids="T-BAR-02", doc="contract that wins from the barrel"
    )
    barrel_attempts: int = option(3, **_whole(1, 100), ids="T-BAR-07", doc="deals on the barrel before a fall")
    barrel_attempt_counts: str = option(
        "every_deal", choices=("every_deal", "own_contracts"), ids="T-BAR-07", doc="what counts as an attempt"
    )
    barrel_own_contract_only: bool = option(
        True, choices=_YES_NO, ids="T-BAR-04", doc="only an own contract wins from the barrel"
    )
    barrel_fail_cost: int | str = option(
        0, choices=(0, "contract"), ids="T-BAR-09", doc="cost of a failed own contract on the barrel"
    )
    barrel_fall_to: int | str = option(
        760, choices=(760, "last_contract"), ids="T-BAR-10", doc="score after the last failed attempt"
    )
    barrel_third_fall: str = option(
        "zero", choices=("zero", "none"), ids="T-BAR-11", doc="the third fall costs everything"
    )
    barrel_collision: str = option(
        "last_mounter",
        choices=("last_mounter", "first_stays", "coexist", "all_fall"),
        ids="T-BAR-12",
        doc="a second seat reaches the barrel",
    )
    barrel_same_deal: str = option(
        "declarer_then_total_then_seat",
        choices=("declarer_then_total_then_seat", "declarer_then_seat", "all_fined"),
        ids="T-BAR-13",
        doc="who stays when several reach it in one deal",
    )
    barrel_auction: str = option(
        "normal",
        choices=("normal", "free_talon", "own_turn"),
        ids="T-TAL-06",
        doc="a barrel player gets the talon without auction",
    )
    barrel_jump_over: str = option(
        "mount", choices=("mount", "win"), ids="T-BAR-16", doc="a score beyond the target at once"
    )
    truck_plus_555: bool = option(False, choices=_NO_YES, ids="T-TRK-01", doc="exactly 555 becomes 0")
    truck_minus_555: bool = option(False, choices=_NO_YES, ids="T-TRK-02", doc="exactly -555 becomes 0")
    lock: int | None = option(
        None, **_whole(5, 995, 5, words=(None,)), ids="T-END-03", doc="from this score a seat writes only own contracts"
    )
    deals: int | None = option(
        None,
        check=optional_positive_int,
        values="None | any positive int",
        ids="T-TOUR-01",
        doc="a match is at most so many deals; then the highest total wins",
    )

    # Four and two players (T-4P, T-2P), stake and bonus (T-BANK, T-INFO).
    sitter_points: str = option("talon", choices=("talon", "none"), ids="T-4P-02", doc="what the sitting dealer writes")
    sitter_marriage: bool = option(True, choices=_YES_NO, ids="T-4P-03", doc="a marriage in the talon counts for him")
    sitter_half_marriage: bool = option(False, choices=_NO_YES, ids="T-4P-04", doc="king or queen alone counts half")
    two_player_layout: str = option("10+2+2", choices=("10+2+2", "9+3+3"), ids="T-2P-01", doc="cards and talons")
    two_player_take: str = option("first", choices=("first", "choice"), ids="T-2P-05", doc="which talon is taken")
    payout: tuple[float, ...] = option(
        (1, 0, -1), check=_payout, values="three numbers: first, middle, last", ids="T-BANK-01", doc='reward="stake"'
    )
    info_bonus: str = option(
        "none",
        choices=("none", "opponents", "talon_suits", "talon", "talon_card"),
        ids="T-INFO-01",
        doc="hidden cards that some seats see (never changes the rules)",
    )
    info_bonus_seats: tuple[int, ...] = option(
        (), check=_seats, values="different seats", ids="T-INFO-01", doc="the seats that hold the bonus"
    )

    # Short decks (T-SHORT).
    suits: int = option(
        4, choices=(4, 1, 2, 3), ids="T-SHORT-01", doc="suits of a short deck, the first so many", later=True
    )
    ranks: tuple[str, ...] = ranks_option(RANKS, ids="T-SHORT-01", doc="ranks of a short deck")

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {},
        "mailru": {"truck_plus_555": True, "truck_minus_555": True, "ace_marriage": True},
        "classic_c": _CLASSIC,
        "igrafan": {"target": 1001, "barrel_auction": "free_talon"},
        "duel_d": {
            **_NO_REDEAL,
            "players": 2,
            "write_off_opponents": 60,
            "ace_marriage": True,
            "bolt_mode": "consecutive3",
            "bolt_basis": "points",
            "barrel_need": 125,
            "barrel_fall_to": "last_contract",
        },
        "duel_c": {**_CLASSIC, "players": 2, "two_player_layout": "9+3+3", "two_player_take": "choice"},
        "four": {"players": 4},
        "polish": {
            **_NO_REDEAL,
            "auction_step": 10,
            "score_defender_round_to": 10,
            "play_must_beat": True,
            "play_must_overtrump": True,
            "marriage_needs_trick": False,
            "barrel_at": None,
            "bolt_mode": "off",
            "write_off_cost": "none",
            "write_off_opponents": 60,
            "lock": 800,
        },
        "pagat": {
            "talon_hide_on_uncontested_100": False,
            "write_off_cost": "none",
            "write_off_opponents": 60,
            "write_off_every_third_fine": 120,
            "redeal_defender_four_nines": True,
        },
        "tiny": {**_SHORT, "players": 2, "suits": 2, "ranks": ("Queen", "King", "Ten", "Ace")},
        "tiny_three": {**_SHORT, "suits": 3, "ranks": ("Queen", "King", "Ace")},
    }

    def validate(self) -> None:
        if self.hand_size < 1 or self.deck_size != self.active * self.hand_size + self.talons * self.talon_size:
            talons = self.talons * self.talon_size
            raise RulesError(
                f"thousand rules: suits={self.suits} of ranks={self.ranks!r} are {self.deck_size} cards; allowed: so "
                f"many that {self.active} seats share what {talons} cards of the talon leave, one each or more "
                "(T-SHORT-02)"
            )
        if self.reduced and self.cut_ritual != "off":
            raise RulesError(
                f"thousand rules: cut_ritual={self.cut_ritual!r} needs the whole deck; allowed with a short one: 'off' "
                "(T-SHORT-01)"
            )
        if self.players == 2 and self.dark != "off":
            raise RulesError(
                f"thousand rules: dark={self.dark!r} needs 3 or 4 players; allowed with 2: 'off' (T-DARK-09)"
            )
        if self.players == 4 and self.auction_opening == "dealer_100":
            raise RulesError(
                "thousand rules: auction_opening='dealer_100' is not allowed with players=4, whose dealer has no hand; "
                "allowed: 'at_least_100' | 'forced_100' (T-AUC-01)"
            )
        if self.lock is not None and self.barrel_at is not None:
            raise RulesError(
                f"thousand rules: lock={self.lock} stands in place of a barrel; "
                f"allowed with barrel_at={self.barrel_at}: None (T-END-03)"
            )
        if any(seat >= self.players for seat in self.info_bonus_seats):
            raise RulesError(
                f"thousand rules: info_bonus_seats={self.info_bonus_seats} is not allowed with players={self.players}; "
                f"allowed: seats from 0 to {self.players - 1} (T-INFO-01)"
            )

    # Facts that follow from the options.

    @property
    def active(self) -> int:
        """Seats that hold cards in a deal (T-4P-01)."""
        return min(self.players, 3)

    @property
    def hand_size(self) -> int:
        """Cards dealt to each seat (T-DEAL-02, T-2P-01, T-2P-03)."""
        return (self.deck_size - self.talons * self.talon_size) // self.active

    @property
    def reduced(self) -> bool:
        return self.suits < 4 or self.ranks != RANKS

    @property
    def deck_size(self) -> int:
        return self.suits * len(self.ranks)

    @property
    def cards(self) -> tuple[int, ...]:
        """Numbers of the cards in the deck, ascending (T-SHORT-01)."""
        return tuple(6 * suit + RANKS.index(rank) for suit in range(self.suits) for rank in self.ranks)

    @property
    def talons(self) -> int:
        return 2 if self.players == 2 else 1

    @property
    def talon_size(self) -> int:
        return 2 if self.players == 2 and self.two_player_layout == "10+2+2" else 3

    @property
    def stock_size(self) -> int:
        """Cards in all talons (T-TAL-01)."""
        return self.talons * self.talon_size

    @property
    def gives(self) -> int:
        """Cards that the declarer gives away, one to the bank in the layout 9+3+3 (T-PASS-01, T-2P-04)."""
        return 1 if self.players == 2 and self.two_player_layout == "10+2+2" else 2

    @property
    def tricks(self) -> int:
        """Tricks of a deal (T-PLAY-09)."""
        return self.hand_size + self.talon_size - self.gives

    @property
    def need(self) -> int:
        """Contract that wins from the barrel (T-BAR-02)."""
        if isinstance(self.barrel_need, int):
            return self.barrel_need
        return -(-(self.target - 880) // 5) * 5

    @property
    def highest_amount(self) -> int:
        """The highest bid or contract that can ever be named (T-AUC-07, T-AUC-08)."""
        top = 120 + sum(self.marriage_values)
        if self.ace_marriage and self.ace_marriage_in_cap:
            top += self.ace_marriage_value
        return max(top, 300 if self.auction_cap == "flat_300" else 0)
