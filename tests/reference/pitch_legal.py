"""What a player of the reference game may do: the legal actions of every phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitch_hand import Action
from pitch_rules import printed_suit
from pitch_score import bidder_index

if TYPE_CHECKING:
    from pitch import Oracle


def legal_actions(game: Oracle) -> list[Action]:
    """All legal actions of the current player, none when the episode is over [P-ACT-01]."""
    phase = game.phase
    if phase == "misdeal":
        return [("misdeal", True), ("misdeal", False)]
    if phase == "bid":
        return legal_bids(game)
    if phase == "trump":  # any suit of the deck, held or not [P-TRP-01, P-RED-03]
        return [("trump", suit) for suit in game.tables.suits]
    if phase == "call":
        return [("call", card) for card in callable_cards(game)]
    if phase == "discard":  # any number of trumps, then done [BD-12]
        cards = sorted(game.hand.hands[game.current_player])
        return [*(("discard", card) for card in cards), ("done",)]
    if phase == "kitty":
        if game.rules["kitty_mode"] == "keep_or_pass_all":
            return [("kitty", "keep"), ("kitty", "pass")]
        return [("kitty", "look"), ("kitty", "stop")]
    if phase == "burn":
        return [("burn", card) for card in burnable_cards(game)]
    if phase == "play":
        return [("play", card) for card in playable_cards(game)]
    return []


def moon_offered(game: Oracle) -> bool:
    """Whether the current player may bid a moon as far as mode and score go [P-BID-07, P-5H-10]."""
    rules = game.rules
    if rules["moon_mode"] == "off" or (game.players == 5 and rules["moon_5h"] == "off"):
        return False
    score = game.scores[bidder_index(game.players, game.current_player)]
    return rules["moon_allowed_below_zero"] or score >= 0  # [BD-10]


def legal_bids(game: Oracle) -> list[Action]:
    """Pass, numbers and moons of the current player [section 6]."""
    rules, standing = game.rules, game.hand.bid
    is_dealer = game.current_player == game.dealer
    if isinstance(standing, str):  # after a moon only a pass [P-BID-08, BD-11]
        doubling = rules["moon_overcall"] == "double" and is_dealer and moon_offered(game)  # [BD-9]
        return [("pass",), ("double_moon",)] if doubling else [("pass",)]
    stuck = is_dealer and standing is None  # all others have passed [P-BID-04]
    passing: list[Action] = [("pass",)]
    if stuck and rules["stuck_rule"] == "forced":
        passing = []
    if stuck and not rules["stuck_dealer_may_bid_more"]:  # exactly the minimum, no moon [BD-7]
        return [*passing, ("bid", rules["min_bid"])]
    lowest = rules["min_bid"]  # [P-BID-03]
    if standing is not None:  # strictly higher, or the dealer's match [P-BID-02, P-BID-05, BD-8]
        lowest = standing if is_dealer and rules["dealer_steal"] else standing + 1
    numbers: list[Action] = [("bid", n) for n in range(lowest, game.tables.most + 1)]  # [P-BID-06]
    moon: list[Action] = [("moon",)] if moon_offered(game) else []
    return passing + numbers + moon


def callable_cards(game: Oracle) -> list[int]:
    """Any trump of the deck, of the caller's own only with call_own [P-5H-02, P-5H-03]."""
    own = game.hand.hands[game.hand.bidder]
    cards = sorted(game.tables.trumps(game.hand.trump))
    return [card for card in cards if game.rules["call_own"] or card not in own]


def burnable_cards(game: Oracle) -> list[int]:
    """What a player with more than six trumps may burn next [section 11].

    The called card is never burned, and that comes before nonpoint_first [P-5H-07, BD-20].
    """
    hand = game.hand
    cards = sorted(card for card in hand.hands[game.current_player] if card != hand.called)
    if game.rules["burn_policy"] == "nonpoint_first":  # judged card by card [P-BURN-03, BD-18]
        plain = [card for card in cards if game.tables.points(card, hand.trump) == 0]
        return plain if plain else cards
    return cards


def playable_cards(game: Oracle) -> list[int]:
    """Any trump held, apart from the duties of trick 1 [P-PLAY-02, P-PLAY-03]."""
    hand = game.hand
    cards = sorted(hand.hands[game.current_player])
    if hand.tricks:
        return cards
    forced = game.rules["called_card_first_trick"] or hand.called_from == "blind"
    if hand.called in cards and forced:  # [P-5H-05, P-5H-06, BD-24]
        return [hand.called]
    leading = hand.trick is not None and not hand.trick.plays
    if leading and game.rules["first_lead_natural"]:  # [P-PLAY-01, BD-22]
        natural = [card for card in cards if printed_suit(card) == hand.trump]
        return natural if natural else cards
    return cards
