"""Rule options and presets of Pitch (the ids are those of RULES.md; BD-n is its n-th binding decision)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from ..core.errors import RulesError
from ..core.rules import Rules, option, ranks_option

SUITS = ("Clubs", "Diamonds", "Hearts", "Spades")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King", "Ace")
#: P-RNK-02: the other suit of the same colour, by number.
SAME_COLOUR = {0: 3, 3: 0, 1: 2, 2: 1}
#: How the symbols of a version's order write the ranks; off-cards have symbols of their own.
LABELS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
OFF_CARDS = {"a": "A", "j": "J", "t": "10", "3'": "3", "2'": "2"}

#: Limit of scores, targets and numbers of hands: far beyond any game, and safe in 32 bits.
LARGEST = 1_000_000


def _int_from(least: int) -> tuple[Callable[[Any], str | None], str]:
    values = f"an int from {least} to {LARGEST}"

    def check(value: Any) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
            return f"must be {values}"
        return None

    return check, values


def _number(default: int, least: int, ids: str, doc: str) -> Any:
    check, values = _int_from(least)
    return option(default, check=check, values=values, ids=ids, doc=doc)


def _choice(*choices: Any, ids: str, doc: str) -> Any:
    """An option whose default is the first of its choices."""
    return option(choices[0], choices=choices, ids=ids, doc=doc)


@dataclass(frozen=True)
class Version:
    """One point version (P-VAR-01): what each trump is worth, and how trumps rank.

    A lower-case letter or a prime marks an off-card: same rank, the other suit of the same colour.
    HJ and LJ are the jokers.

    Attributes:
        points: symbol → points; a symbol that is missing is a trump without points.
        order: symbols of all trumps, strongest first.
    """

    points: dict[str, int]
    order: tuple[str, ...]

    @cached_property
    def total(self) -> int:
        """N, the points of a hand."""
        return sum(self.points.values())


def _version(points: str, order: str) -> Version:
    """Points as "A J 3:3", 1 where no number is given; the order as a text."""
    pairs = [word.split(":") for word in points.split()]
    return Version({p[0]: int(p[1]) if len(p) > 1 else 1 for p in pairs}, tuple(order.split()))


_16 = "A K Q J j HJ LJ 10 9 8 7 6 5 4 3 2"
_17 = "A K Q J j HJ LJ 10 9 8 7 6 5 4 3 3' 2"
_20 = "A a K Q J j HJ LJ 10 t 9 8 7 6 5 4 3 3' 2 2'"

#: P-PTS-01, P-RNK-01 and section 17: every version is data, so a new one is one line (P-VAR-06).
VERSIONS: dict[int, Version] = {
    10: _version("A J j HJ LJ 10 3:3 2", _16),
    5: _version("A J j 10 2", _16),
    7: _version("A J j HJ LJ 10 2", _16),
    8: _version("A J j 10 3:3 2", _16),
    11: _version("A J j 10 3:3 3':3 2", _17),
    13: _version("A J j HJ LJ 10 3:3 3':3 2", _17),
    14: _version("A a J j 10 t 3:3 3':3 2 2'", _20),
    15: _version("A a J j HJ LJ 10 t 3:3 3':3 2", _20),
    16: _version("A a J j HJ LJ 10 t 3:3 3':3 2 2'", _20),
}


#: P-RED-04: what the presets with a short deck share.
_SHORT: dict[str, Any] = {
    "suits": ("Clubs", "Spades"),
    "ranks": ("2", "Jack", "Ace"),
    "moon_mode": "off",
    "target": 20,
}


@dataclass(frozen=True)
class PitchRules(Rules):
    """Options of Pitch; the defaults are the preset `source`."""

    game: ClassVar[str] = "pitch"

    # Table, cards and points.
    players: int = _choice(4, 5, ids="P-EQP-01, P-5H-01", doc="two partnerships of two, or five with a called partner")
    version: int = _choice(*VERSIONS, ids="P-PTS-01, P-VAR-01, P-VAR-06", doc="point version, by its sum N")
    five_deck: str = _choice(
        "blind", "no_fours", ids="P-5H-11, BD-36", doc="five-handed: four cards in the blind, or no fours and no blind"
    )
    uncounted: str = _choice(
        "trump", "removed", ids="P-VAR-02, BD-2", doc="jokers that do not count stay as trumps, or leave the deck"
    )
    joker_order: str = _choice(
        "distinct", "first_played_high", ids="P-EQP-03, P-REV-02", doc="which joker wins when both are in one trick"
    )
    reverse: bool = _choice(False, True, ids="P-REV-01, BD-5", doc="the order of all trumps is turned upside down")
    two_rule: str = _choice(
        "played", "captured", ids="P-TWO-01, P-TWO-03, P-DIRTY-01",
        doc="the point of the two goes to its player, or with the trick (dirty)",
    )  # fmt: skip
    off_two: str = _choice("played", "captured", ids="P-VAR-03, BD-3", doc="the same for the off-two in 14 and 16")
    two_scores_when: str = _choice(
        "played", "holder", ids="P-TWO-02, BD-4", doc="a two of its player counts if played, or also if he burns it"
    )
    trump_only: bool = option(
        True, choices=(True,), ids="P-RNK-04, BD-1", doc="only trumps are played; the book has no rule for plain cards"
    )

    # Deal and auction.
    misdeal_rule: str = _choice(
        "none", "no_face_no_point", ids="P-MIS-01, BD-6", doc="a hand without face and point cards may be thrown in"
    )
    min_bid: int = _number(4, 1, ids="P-BID-03, P-VAR-04", doc="least bid, also of the stuck dealer")
    stuck_rule: str = _choice(
        "forced",
        "redeal",
        ids="P-BID-04, BD-7",
        doc="when all others pass the dealer must bid, or may pass for a new deal",
    )
    stuck_dealer_may_bid_more: bool = _choice(True, False, ids="P-BID-04, BD-7", doc="he may bid more than the minimum")
    dealer_steal: bool = _choice(False, True, ids="P-BID-05, BD-8", doc="the dealer may match the standing number")
    moon_overcall: str = _choice(
        "none", "double", ids="P-BID-07, BD-9", doc="the dealer may bid a double moon over a moon"
    )
    moon_allowed_below_zero: bool = _choice(True, False, ids="P-BID-07, BD-10", doc="a moon may be bid below zero")

    # Discard, fill, leftovers, burn.
    discarded_trump: str = _choice(
        "forbidden",
        "dead",
        "to_kitty",
        ids="P-DSC-02, P-DSC-04, BD-12",
        doc="whether trumps may be thrown away, and where",
    )
    fill_order: str = _choice(
        "dealer_left", "bidder_left", "bidder_takes_rest", ids="P-FILL-02, BD-13, BD-40", doc="who fills when"
    )
    kitty_mode: str = _choice(
        "keep_or_pass_all", "one_by_one", "bidder_only", "auto_swap",
        ids="P-KIT-02, BD-14, BD-15, BD-16", doc="what becomes of the leftovers",
    )  # fmt: skip
    burn_policy: str = _choice(
        "nonpoint_first", "any", "misdeal_if_point", ids="P-BURN-03, BD-18, BD-20", doc="which trumps may be burned"
    )
    burn_visible: bool = _choice(
        True, False, ids="P-BURN-04, BD-19", doc="burned cards are shown (their number always)"
    )

    # Play.
    first_lead_natural: bool = _choice(
        False, True, ids="P-PLAY-01, BD-22", doc="jokers and off-cards may not lead trick 1 while another trump is held"
    )
    out_reveal: str = _choice(
        "on_turn", "at_once", ids="P-OUT-03, BD-23", doc="when it shows that a player has no trump left"
    )

    # Scores.
    made_score: str = _choice("taken", "bid", ids="P-SCR-01", doc="what a made bid scores")
    defenders_score: str = _choice(
        "taken", "total_on_set", "none", ids="P-SCR-03, BD-26", doc="what the defenders score"
    )
    moon_mode: str = _choice(
        "source", "pm20", "instant", "off", ids="P-MOON-02, P-MOON-04, P-MOON-05, BD-38", doc="what a moon pays"
    )
    moon_at_zero: str = _choice("win", "zero", ids="P-MOON-03, BD-30", doc="a made moon at exactly zero (four-handed)")
    moon_needs: str = _choice(
        "total", "in_play", ids="P-MOON-07, BD-29", doc="a moon needs all N points, or only that the others get none"
    )

    # End of the match.
    target: int = _number(52, 1, ids="P-END-01, P-VAR-05, P-MOON-06", doc="points that win a match")
    check: str = _choice(
        "hand_end", "mid_hand", ids="P-END-01, BD-34", doc="a made bid that reaches the target may end the hand at once"
    )
    both_out: str = _choice("bidder", "higher", ids="P-END-02, BD-33", doc="who wins when several reach the target")
    win_requires_bid: bool = _choice(False, True, ids="P-END-03, BD-32", doc="only a made bid of this hand wins")
    defender_cap: bool = _choice(False, True, ids="P-END-03, BD-32", doc="others than the bidder stop at target - 1")
    win_by_lead: int = _number(0, 0, ids="section 21, BD-35", doc="a lead that wins at once, 0 for none")
    max_hands: int = _number(200, 1, ids="P-END-05, BD-37", doc="a match without winner is cut off after so many hands")

    # Five-handed.
    call_own: bool = _choice(False, True, ids="P-5H-03, BD-24", doc="the bidder may call a card that he holds")
    called_card_first_trick: bool = _choice(
        True, False, ids="P-5H-06, BD-24", doc="the holder must play the called card to trick 1"
    )
    partner_shares_set: bool = _choice(True, False, ids="P-5H-08", doc="the partner too loses the bid when set")
    moon_5h: str = _choice("off", "on", ids="P-5H-10, BD-31", doc="a moon may be bid five-handed")

    # Short decks.
    suits: tuple[str, ...] = ranks_option(SUITS, ids="P-RED-01", doc="suits of a short deck")
    ranks: tuple[str, ...] = ranks_option(RANKS, ids="P-RED-01", doc="ranks of a short deck")
    jokers: int = option(
        2, choices=(2, 1, 0), ids="P-RED-01", doc="jokers of a short deck; one is the high one", later=True
    )
    hand: int = option(
        9, choices=tuple(range(9, 0, -1)), ids="P-RED-02", doc="cards of a hand with a short deck", later=True
    )

    #: Section 21, and nothing that it does not say (BD-35, BD-45); `five` is the default game for five.
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "source": {},
        "literal": {"burn_policy": "any"},
        "literal_jokers": {"burn_policy": "any", "joker_order": "first_played_high"},
        "playpitch": {
            "target": 54,
            "min_bid": 5,
            "moon_mode": "pm20",
            "moon_overcall": "double",
            "win_requires_bid": True,
            "win_by_lead": 54,
            "kitty_mode": "auto_swap",
        },
        "trickster10": {"target": 32, "min_bid": 5, "two_scores_when": "holder", "kitty_mode": "bidder_only"},
        "campbell31": {
            "target": 31,
            "min_bid": 5,
            "moon_mode": "off",
            "fill_order": "bidder_takes_rest",
            "kitty_mode": "bidder_only",
        },
        "nyx": {"min_bid": 4, "kitty_mode": "one_by_one"},
        "colorado": {"joker_order": "first_played_high", "min_bid": 4},
        "mo_tournament": {"joker_order": "first_played_high", "min_bid": 5},
        "five": {"players": 5},
        "tiny": {**_SHORT, "hand": 2, "min_bid": 3},
        "tiny_stock": {**_SHORT, "jokers": 1, "hand": 1, "min_bid": 2},
    }

    @property
    def points_map(self) -> Version:
        """The data of the point version."""
        return VERSIONS[self.version]

    @cached_property
    def total(self) -> int:
        """N, the points of a hand (P-VAR-01)."""
        return self.points_map.total

    @cached_property
    def reduced(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return (self.suits, self.ranks, self.jokers, self.hand) != (SUITS, RANKS, 2, 9)

    @cached_property
    def most_points(self) -> int:
        """What the trumps of the deck score at most, which is the highest number that can be bid (P-RED-03)."""
        if not self.reduced:
            return self.total
        return max(self._points_of(SUITS.index(suit)) for suit in self.suits)

    def _points_of(self, trump: int) -> int:
        labels = [LABELS[RANKS.index(rank)] for rank in self.ranks]
        colour = SUITS[SAME_COLOUR[trump]] in self.suits
        there = {*labels, *(off for off, label in OFF_CARDS.items() if colour and label in labels)}
        there |= {"HJ"} if self.jokers else set()
        there |= {"LJ"} if self.jokers == 2 else set()
        return sum(value for symbol, value in self.points_map.points.items() if symbol in there)

    @cached_property
    def five(self) -> bool:
        return self.players == 5

    @cached_property
    def entries(self) -> int:
        """Columns of the score sheet: two teams, or five players (P-5H-08)."""
        return 5 if self.five else 2

    @cached_property
    def moons(self) -> bool:
        """Whether moons may be bid at all (P-BID-07, P-MOON-05, P-5H-10)."""
        return self.moon_mode != "off" and (not self.five or self.moon_5h == "on")

    def validate(self) -> None:
        """Options that merely have no effect at this number of players are let through: one set serves both."""
        if self.reduced:
            self._check_short_deck()
        if self.uncounted == "removed":
            without = [n for n, version in VERSIONS.items() if "HJ" not in version.points]
            if self.version not in without:
                raise RulesError(
                    f"pitch rules: uncounted='removed' needs version {' | '.join(map(str, sorted(without)))}, "
                    f"where jokers score 0; version={self.version} (BD-2)"
                )
            if self.five:
                raise RulesError("pitch rules: uncounted='removed' needs players=4; five need 54 cards (BD-2)")
        if self.discarded_trump != "forbidden" and self.five:
            raise RulesError(
                f"pitch rules: discarded_trump={self.discarded_trump!r} needs players=4; "
                "allowed with 5: 'forbidden' (BD-12)"
            )
        if self.min_bid > self.most_points:
            there = " that are in the deck" if self.reduced else ""
            raise RulesError(
                f"pitch rules: min_bid={self.min_bid} is not allowed; allowed: 1 to {self.most_points}, "
                f"the points of version {self.version}{there} (P-BID-06, BD-42)"
            )
        if self.moon_mode == "off":
            if self.moon_overcall == "double":
                raise RulesError(
                    "pitch rules: moon_overcall='double' needs a moon; allowed with moon_mode='off': 'none' (P-BID-07)"
                )
            if self.moon_5h == "on" and self.five:
                raise RulesError(
                    "pitch rules: moon_5h='on' needs a moon; allowed with moon_mode='off': 'off' (P-5H-10)"
                )

    def _check_short_deck(self) -> None:
        """P-RED-01, P-RED-02."""
        if self.five:
            raise RulesError("pitch rules: a short deck needs players=4; allowed with 5: the whole deck (P-RED-01)")
        if self.uncounted == "removed" and self.jokers:
            raise RulesError(
                f"pitch rules: jokers={self.jokers} is not allowed with uncounted='removed' and a short deck; "
                "allowed: 0 (P-RED-01)"
            )
        cards = len(self.suits) * len(self.ranks) + self.jokers
        if cards < 4 * self.hand:
            raise RulesError(
                f"pitch rules: hand={self.hand} is not allowed with a deck of {cards} cards; allowed: at most "
                f"{cards // 4}, a quarter of them (P-RED-02)"
            )
