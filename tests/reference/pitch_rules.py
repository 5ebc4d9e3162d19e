"""Options, presets, refusals and card tables of 10-point Pitch: the data of the reference game.

Cards are whole numbers: suit * 13 + rank with suits clubs 0, diamonds 1, hearts 2, spades 3 and ranks
2 = 0 up to A = 12; 52 is the low joker and 53 the high joker.  Rule ids in brackets, such as
[P-RNK-01], point into the rule book; [BD-n] is line n of its last section, the binding decisions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Rules = dict[str, Any]

CLUBS, DIAMONDS, HEARTS, SPADES = 0, 1, 2, 3
SUITS = (CLUBS, DIAMONDS, HEARTS, SPADES)
SAME_COLOUR = {CLUBS: SPADES, SPADES: CLUBS, DIAMONDS: HEARTS, HEARTS: DIAMONDS}
LOW_JOKER, HIGH_JOKER = 52, 53
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
FACES = ("J", "Q", "K")
MAX_TRUMPS = 6


# ------------------------------------------------------------------ versions [P-PTS-01, section 17]


@dataclass(frozen=True)
class Version:
    """One point version: what each trump is worth and how trumps rank, strongest first."""

    points: dict[str, int]
    order: tuple[str, ...]

    @property
    def total(self) -> int:
        """The number of points in one hand, N [P-VAR-01]."""
        return sum(self.points.values())


# A lower-case letter or a prime marks an off-card: same rank, other suit of the same colour.
OFF_CARDS = {"a": "A", "j": "J", "t": "10", "3'": "3", "2'": "2"}
JOKERS = {"HJ": HIGH_JOKER, "LJ": LOW_JOKER}

TEN = {"A": 1, "J": 1, "j": 1, "HJ": 1, "LJ": 1, "10": 1, "3": 3, "2": 1}  # [P-PTS-01]
TEN_ORDER = "A K Q J j HJ LJ 10 9 8 7 6 5 4 3 2"  # [P-RNK-01]


def without(points: dict[str, int], *symbols: str) -> dict[str, int]:
    """ "Not counted as points": they stay in the deck as trumps [P-VAR-02]."""
    return {symbol: value for symbol, value in points.items() if symbol not in symbols}


def ranked(*off_cards: str) -> tuple[str, ...]:
    """The order of ten points, each off-card directly below its counterpart [section 17]."""
    order: list[str] = []
    for symbol in TEN_ORDER.split():
        order += [symbol, *(off for off in off_cards if OFF_CARDS[off] == symbol)]
    return tuple(order)


def versions() -> dict[int, Version]:
    """The table of section 17, in its own words: each version is another one with cards more or less."""
    thirteen = {**TEN, "3'": 3}  # 10 + off-three (3)
    sixteen = {**thirteen, "a": 1, "t": 1, "2'": 1}  # all off-points; the off-jack has been one from the start
    few, some, all_ = ranked(), ranked("3'"), ranked("a", "t", "3'", "2'")
    return {
        5: Version(without(TEN, "HJ", "LJ", "3"), few),  # 10 - jokers - three
        7: Version(without(TEN, "3"), few),  # 10 - three
        8: Version(without(TEN, "HJ", "LJ"), few),  # 10 - jokers
        10: Version(TEN, few),
        11: Version(without(thirteen, "HJ", "LJ"), some),  # 13 - jokers
        13: Version(thirteen, some),
        14: Version(without(sixteen, "HJ", "LJ"), all_),  # 16 - jokers
        15: Version(without(sixteen, "2'"), all_),  # 16 - off-two
        16: Version(sixteen, all_),
    }


VERSIONS = versions()


# ------------------------------------------------------------------------------- options

DEFAULTS: Rules = {
    "version": 10,  # [P-VAR-01]
    "joker_order": "distinct",  # [P-EQP-03]
    "trump_only": True,  # [P-RNK-04, BD-1]
    "two_rule": "played",  # [P-TWO-01]; captured = dirty [P-TWO-03, P-DIRTY-01]
    "two_scores_when": "played",  # [P-TWO-02, BD-4]
    "off_two": "played",  # [P-VAR-03]
    "reverse": False,  # [P-REV-01]
    "uncounted": "trump",  # [P-VAR-02, BD-2]
    "misdeal_rule": "none",  # [P-MIS-01, BD-6]
    "min_bid": 4,  # [P-BID-03, P-VAR-04]
    "stuck_rule": "forced",  # [P-BID-04, BD-7]
    "stuck_dealer_may_bid_more": True,  # [P-BID-04]
    "dealer_steal": False,  # [P-BID-05, BD-8]
    "moon_overcall": "none",  # [P-BID-07, BD-9]
    "moon_allowed_below_zero": True,  # [P-BID-07, BD-10]
    "discarded_trump": "forbidden",  # [P-DSC-02, P-DSC-04, BD-12]
    "fill_order": "dealer_left",  # [P-FILL-02, BD-13]
    "kitty_mode": "keep_or_pass_all",  # [P-KIT-02]
    "burn_policy": "nonpoint_first",  # [P-BURN-03, BD-18]
    "burn_visible": True,  # [P-BURN-04, BD-19]
    "first_lead_natural": False,  # [P-PLAY-01, BD-22]
    "out_reveal": "on_turn",  # [P-OUT-03, BD-23]
    "made_score": "taken",  # [P-SCR-01]
    "defenders_score": "taken",  # [P-SCR-03, BD-26]
    "moon_mode": "source",  # [P-MOON-05]
    "moon_at_zero": "win",  # [P-MOON-03, BD-30]
    "moon_needs": "total",  # [P-MOON-07, BD-29]
    "target": 52,  # [P-END-01, P-VAR-05]
    "check": "hand_end",  # [P-END-01, BD-34]
    "both_out": "bidder",  # [P-END-02, BD-33]
    "win_requires_bid": False,  # [P-END-03, BD-32]
    "defender_cap": False,  # [P-END-03, BD-32]
    "win_by_lead": 0,  # points ahead that win at once; 0 = unused [BD-35]
    "max_hands": 200,  # [P-END-05, BD-37]
    "call_own": False,  # [P-5H-03, BD-24]
    "called_card_first_trick": True,  # [P-5H-06]
    "partner_shares_set": True,  # [P-5H-08]
    "moon_5h": "off",  # [P-5H-10, BD-31]
    "five_deck": "blind",  # [P-5H-11, BD-36]
    "suits": ("Clubs", "Diamonds", "Hearts", "Spades"),  # [P-RED-01]
    "ranks": ("2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King", "Ace"),  # [P-RED-01]
    "jokers": 2,  # [P-RED-01]
    "hand": 9,  # [P-RED-02]
}

CHOICES: dict[str, tuple[Any, ...]] = {
    "version": tuple(VERSIONS),
    "joker_order": ("distinct", "first_played_high"),
    "trump_only": (True, False),
    "two_rule": ("played", "captured"),
    "two_scores_when": ("played", "holder"),
    "off_two": ("played", "captured"),
    "reverse": (False, True),
    "uncounted": ("trump", "removed"),
    "misdeal_rule": ("none", "no_face_no_point"),
    "stuck_rule": ("forced", "redeal"),
    "stuck_dealer_may_bid_more": (True, False),
    "dealer_steal": (False, True),
    "moon_overcall": ("none", "double"),
    "moon_allowed_below_zero": (True, False),
    "discarded_trump": ("forbidden", "dead", "to_kitty"),
    "fill_order": ("dealer_left", "bidder_left", "bidder_takes_rest"),
    "kitty_mode": ("keep_or_pass_all", "one_by_one", "bidder_only", "auto_swap"),
    "burn_policy": ("nonpoint_first", "any", "misdeal_if_point"),
    "burn_visible": (True, False),
    "first_lead_natural": (False, True),
    "out_reveal": ("on_turn", "at_once"),
    "made_score": ("taken", "bid"),
    "defenders_score": ("taken", "total_on_set", "none"),
    "moon_mode": ("source", "pm20", "instant", "off"),
    "moon_at_zero": ("win", "zero"),
    "moon_needs": ("total", "in_play"),
    "check": ("hand_end", "mid_hand"),
    "both_out": ("bidder", "higher"),
    "win_requires_bid": (False, True),
    "defender_cap": (False, True),
    "call_own": (False, True),
    "called_card_first_trick": (True, False),
    "partner_shares_set": (True, False),
    "moon_5h": ("off", "on"),
    "five_deck": ("blind", "no_fours"),
    "jokers": (2, 1, 0),
    "hand": tuple(range(1, 10)),
}

LEAST = {"min_bid": 1, "target": 1, "win_by_lead": 0, "max_hands": 1}

# Section 21 in short, and nothing from the remarks elsewhere [BD-35, BD-45].
SECTION_21 = """
    source: all defaults
    literal: burn any
    literal_jokers: burn any, first joker high
    playpitch: to 54, min 5, +-20 and +-40, only bidders win, or 54 ahead, swaps by itself
    trickster10: to 32, min 5, two to its holder, bidder only
    campbell31: to 31, min 5, no moon, bidder takes all stock
    nyx: min 4, one by one
    colorado: first joker high, min 4
    mo_tournament: first joker high, min 5
"""

#: What the words of section 21 mean as options; "to" and "min" take a number.
WORDS: dict[str, Rules] = {
    "all defaults": {},
    "burn any": {"burn_policy": "any"},
    "first joker high": {"joker_order": "first_played_high"},
    "+-20 and +-40": {"moon_mode": "pm20", "moon_overcall": "double"},
    "only bidders win": {"win_requires_bid": True},
    "or 54 ahead": {"win_by_lead": 54},
    "swaps by itself": {"kitty_mode": "auto_swap"},
    "two to its holder": {"two_scores_when": "holder"},
    "bidder only": {"kitty_mode": "bidder_only"},
    "no moon": {"moon_mode": "off"},
    "bidder takes all stock": {"fill_order": "bidder_takes_rest", "kitty_mode": "bidder_only"},
    "one by one": {"kitty_mode": "one_by_one"},
}


def presets() -> dict[str, Rules]:
    found: dict[str, Rules] = {}
    for line in SECTION_21.strip().splitlines():
        name, _, words = line.strip().partition(": ")
        found[name] = options = {}
        for phrase in words.split(", "):
            word, _, number = phrase.partition(" ")
            if word in ("to", "min"):
                options["target" if word == "to" else "min_bid"] = int(number)
            else:
                options.update(WORDS[phrase])
    return found


PRESETS = presets()


def preset(name: str, **changes: Any) -> Rules:
    """All options of a named preset, with single options changed."""
    if name not in PRESETS:
        raise ValueError(f"unknown preset {name!r}")
    return {**DEFAULTS, **PRESETS[name], **changes}


def validate(rules: Rules, players: int) -> Rules:
    """The full set of options, or ValueError for an unknown value or a refused combination.

    Options that merely have no effect at this number of players (leftovers with five, the called card
    with four) are let through, so that one set of options can serve both.
    """
    if players not in (4, 5) or isinstance(players, bool):
        raise ValueError("four or five players")
    full = {**DEFAULTS, **rules}
    for key, value in full.items():
        if key in CHOICES:
            if not any(value == choice and type(value) is type(choice) for choice in CHOICES[key]):
                raise ValueError(f"{key}: {value!r} is not one of {CHOICES[key]}")
        elif key in LEAST:
            if type(value) is not int or value < LEAST[key]:
                raise ValueError(f"{key}: needs a whole number of at least {LEAST[key]}, not {value!r}")
        elif key in ("suits", "ranks"):
            if not value or [one for one in DEFAULTS[key] if one in value] != list(value):
                raise ValueError(f"{key}: {value!r} are not names in order")
        else:
            raise ValueError(f"unknown option {key!r}")
    version = VERSIONS[full["version"]]
    if not full["trump_only"]:
        raise ValueError("trump_only=False: the book has no rule for plain suits [BD-1]")
    if full["uncounted"] == "removed":
        if any(joker in version.points for joker in JOKERS):
            raise ValueError("uncounted=removed: the jokers score in this version [BD-2]")
        if players == 5:
            raise ValueError("uncounted=removed: five players need 54 cards [BD-2]")
    if full["discarded_trump"] != "forbidden" and players == 5:
        raise ValueError("discarded_trump: throwing trumps away is four-handed only [BD-12]")
    if full["min_bid"] > version.total:
        raise ValueError("min_bid: more than the points in a hand [P-BID-06, BD-42]")
    if full["moon_mode"] == "off" and full["moon_overcall"] == "double":
        raise ValueError("moon_overcall=double: there is no moon to double [P-BID-07]")
    if full["moon_mode"] == "off" and full["moon_5h"] == "on" and players == 5:
        raise ValueError("moon_5h=on: moon_mode says there is no moon [P-5H-10]")
    short = Tables(full, players)
    if players == 4 and len(short.deck) < 4 * full["hand"]:
        raise ValueError("hand: the deck is too short [P-RED-02]")
    if full["min_bid"] > short.most:
        raise ValueError("min_bid: more than the points in the deck [P-RED-03]")
    return full


# -------------------------------------------------------------------------------- tables


def printed_suit(card: int) -> int | None:
    """The suit printed on a card, None for a joker."""
    return None if card >= LOW_JOKER else card // 13


def rank_name(card: int) -> str:
    """The rank printed on a card that is not a joker."""
    return RANK_NAMES[card % 13]


def card_for(symbol: str, trump: int) -> int:
    """The card that a symbol of the order table means under this trump suit [P-RNK-02]."""
    if symbol in JOKERS:
        return JOKERS[symbol]
    if symbol in OFF_CARDS:
        return SAME_COLOUR[trump] * 13 + RANK_NAMES.index(OFF_CARDS[symbol])
    return trump * 13 + RANK_NAMES.index(symbol)


class Tables:
    """Deck, trump order and card points that follow from the options."""

    def __init__(self, rules: Rules, players: int) -> None:
        version = VERSIONS[rules["version"]]
        self.total = version.total
        self.deck = list(range(54))
        order = list(version.order)
        if rules["uncounted"] == "removed":  # only jokers leave, never the three or off-two [BD-2]
            self.deck = [card for card in self.deck if card < LOW_JOKER]
            order = [symbol for symbol in order if symbol not in JOKERS]
        if players == 5 and rules["five_deck"] == "no_fours":  # [P-5H-11]
            self.deck = [card for card in self.deck if card >= LOW_JOKER or rank_name(card) != "4"]
            order = [symbol for symbol in order if symbol != "4"]
        self.hand_size = 10 if players == 5 else rules["hand"]  # [P-DEAL-01, P-5H-01, P-RED-02]
        self.suits = [suit for suit in SUITS if DEFAULTS["suits"][suit] in rules["suits"]]
        ranks = [RANK_NAMES[DEFAULTS["ranks"].index(rank)] for rank in rules["ranks"]]
        jokers = [HIGH_JOKER, LOW_JOKER][: rules["jokers"]]
        self.deck = [  # [P-RED-01]
            card for card in self.deck
            if card in jokers or (card < LOW_JOKER and card // 13 in self.suits and rank_name(card) in ranks)
        ]  # fmt: skip
        if rules["reverse"]:  # upside down, off-cards included [P-REV-01, BD-5]
            order.reverse()
        self.order = order
        self.points_by_symbol = dict(version.points)
        #: The highest number that may be bid [P-RED-03].
        self.most = max(sum(self.points(card, suit) for card in self.deck) for suit in self.suits)
        # Twos whose point belongs to the player of the card rather than to the trick's winner.
        self.automatic: set[str] = set()
        if rules["two_rule"] == "played":  # [P-TWO-01]
            self.automatic.add("2")
            if rules["off_two"] == "played":  # [P-VAR-03]; dirty captures both [BD-3]
                self.automatic.add("2'")

    def trumps(self, trump: int) -> list[int]:
        """All trumps of a suit, strongest first [P-RNK-01]."""
        return [card for card in (card_for(symbol, trump) for symbol in self.order) if card in self.deck]

    def is_trump(self, card: int, trump: int) -> bool:
        """Whether the card belongs to the trump suit; everything else is dead [P-RNK-04]."""
        return card in self.trumps(trump)

    def strength(self, card: int, trump: int) -> int:
        """A number that is larger the stronger the trump is."""
        return -self.trumps(trump).index(card)

    def symbol(self, card: int, trump: int) -> str:
        """The name of a trump in the order table."""
        return next(symbol for symbol in self.order if card_for(symbol, trump) == card)

    def points(self, card: int, trump: int) -> int:
        """What a card is worth under this trump suit, 0 for a dead card [P-PTS-01]."""
        if not self.is_trump(card, trump):
            return 0
        return self.points_by_symbol.get(self.symbol(card, trump), 0)

    def may_call_misdeal(self, hand: list[int]) -> bool:
        """No face card and nothing that would score under any trump suit [P-MIS-01, BD-6]."""
        for card in hand:
            if card < LOW_JOKER and rank_name(card) in FACES:
                return False
            if any(self.points(card, suit) > 0 for suit in SUITS):
                return False
        return True
