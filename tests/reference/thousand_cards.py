"""Cards of Thousand: points, caps, redeal tests, the legal cards of a trick and who takes it.

A card is suit * 6 + rank; suits are spades 0, clubs 1, diamonds 2, hearts 3; ranks from low to high are
9 J Q K 10 A (T-DECK-01, T-DECK-02). Rank decides tricks, points only the score (T-DECK-05).
"""

from __future__ import annotations

from collections.abc import Sequence

from thousand_rules import Rules

NINE, JACK, QUEEN, KING, TEN, ACE = range(6)
SUITS = "SCDH"
POINTS = (0, 2, 3, 4, 10, 11)  # T-DECK-03
ALL_CARDS = list(range(24))
RANKS = ["9", "Jack", "Queen", "King", "Ten", "Ace"]
ACES = [suit * 6 + ACE for suit in range(4)]

Trick = list[tuple[int, int]]  # (seat, card) in the order of play


def deck_of(rules: Rules) -> list[int]:
    """The cards of the deck (T-SHORT-01)."""
    return [card for card in ALL_CARDS if card // 6 < rules["suits"] and RANKS[card % 6] in rules["ranks"]]


def suit_of(card: int) -> int:
    return card // 6


def rank_of(card: int) -> int:
    return card % 6


def card_points(cards: Sequence[int]) -> int:
    """Points of some cards (T-DECK-03); the whole deck is worth 120 (T-DECK-04)."""
    return sum(POINTS[card % 6] for card in cards)


def count_rank(cards: Sequence[int], rank: int) -> int:
    return sum(1 for card in cards if card % 6 == rank)


def marriage_value(rules: Rules, suit: int) -> int:
    """Value of the marriage of a suit (T-MAR-02)."""
    return rules["marriage_values"][SUITS[suit]]


def marriages_in(cards: Sequence[int]) -> list[int]:
    """Suits of which both king and queen are among the cards (T-MAR-01)."""
    return [suit for suit in range(4) if suit * 6 + KING in cards and suit * 6 + QUEEN in cards]


def hand_cap(rules: Rules, cards: Sequence[int]) -> int:
    """120 plus every marriage held, plus four aces if they count (T-AUC-07, T-AUC-08, line 18)."""
    cap = 120 + sum(marriage_value(rules, suit) for suit in marriages_in(cards))
    ace = rules["ace_marriage"]
    if ace["on"] and ace["in_cap"] and count_rank(cards, ACE) == 4:
        cap += ace["value"]
    return cap


def auction_cap(rules: Rules, cards: Sequence[int]) -> int:
    """The most a hand may bid (T-AUC-06, T-AUC-07; lines 15 and 34: only the auction knows the others)."""
    kind = rules["auction"]["cap"]
    if kind == "flat_300":
        return 300
    if kind == "none":
        return hand_cap(rules, ALL_CARDS)
    return hand_cap(rules, cards)


def hand_redeal(rules: Rules, hand: Sequence[int], is_forehand: bool) -> bool:
    """May this hand be thrown in before the auction (T-RED-01 to T-RED-04, line 3)?"""
    tests = rules["redeal"]["hand"]
    nines = count_rank(hand, NINE)
    if tests["points_lt"] is not None and card_points(hand) < tests["points_lt"]:
        return True
    asks_nines = tests["nines_who"] == "any" or is_forehand
    if tests["nines_ge"] is not None and asks_nines and nines >= tests["nines_ge"]:
        return True
    if tests["nines_eq_4"] and nines == 4:
        return True
    return tests["jacks_eq"] is not None and count_rank(hand, JACK) == tests["jacks_eq"]


def talon_redeal(rules: Rules, talon: Sequence[int], hand: Sequence[int], bought_at_100: bool) -> bool:
    """May the winner throw the deal in for his talon (T-RED-05 to T-RED-08, line 6)?

    `hand` is the winner's whole hand, talon included.
    """
    if rules["redeal"]["winner_four_nines_with_talon"] and count_rank(hand, NINE) == 4:
        return True
    tests = rules["redeal"]["talon"]
    if tests["only_at_100"] and not bought_at_100:
        return False
    if tests["points_lt"] is not None and card_points(talon) < tests["points_lt"]:
        return True
    if tests["nines_ge"] is not None and count_rank(talon, NINE) >= tests["nines_ge"]:
        return True
    return tests["jacks_eq"] is not None and count_rank(talon, JACK) == tests["jacks_eq"]


def sitter_bonus(rules: Rules, talon: Sequence[int]) -> tuple[int, int]:
    """Card points and marriage points of the talon for a sitting dealer (T-4P-02 to T-4P-04, line 65)."""
    options = rules["four_player"]
    if options["sitter_points"] == "none":
        return 0, 0
    marriages = 0
    for suit in range(4):
        halves = (suit * 6 + KING in talon) + (suit * 6 + QUEEN in talon)
        if halves == 2 and options["sitter_marriage"]:
            marriages += marriage_value(rules, suit)
        if halves == 1 and options["sitter_half_marriage"]:
            marriages += marriage_value(rules, suit) // 2
    return card_points(talon), marriages


def legal_cards(
    rules: Rules, hand: Sequence[int], seat: int, trick: Trick, trump: int | None, trump_owner: int | None
) -> list[int]:
    """Cards that may be put down now, sorted (T-PLAY-02 to T-PLAY-07, lines 41 and 42)."""
    hand = sorted(hand)
    play = rules["play"]
    if not trick:
        if play["foreign_trump_lead"] == "forbidden" and trump is not None and trump_owner != seat:
            others = [card for card in hand if suit_of(card) != trump]
            return others or hand  # T-PLAY-07: waived when only trumps are left
        return hand

    led = suit_of(trick[0][1])
    following = [card for card in hand if suit_of(card) == led]
    trumps_down = [rank_of(card) for _, card in trick if suit_of(card) == trump]
    if following:  # T-PLAY-02
        ruffed = led != trump and len(trumps_down) > 0
        if play["must_beat"] and not ruffed:  # T-PLAY-05
            best = max(rank_of(card) for _, card in trick if suit_of(card) == led)
            higher = [card for card in following if rank_of(card) > best]
            return higher or following
        return following

    trumps = [card for card in hand if suit_of(card) == trump]
    if not trumps:  # T-PLAY-04
        return hand
    if play["must_overtrump"]:  # T-PLAY-05
        best = max(trumps_down, default=-1)
        trumps = [card for card in trumps if rank_of(card) > best] or trumps
    if play["must_trump"]:  # T-PLAY-03
        return trumps
    return sorted([card for card in hand if suit_of(card) != trump] + trumps)


def trick_winner(trick: Trick, trump: int | None) -> int:
    """Seat of the highest trump, else of the highest card of the led suit (T-PLAY-06)."""
    led = suit_of(trick[0][1])
    decisive = trump if any(suit_of(card) == trump for _, card in trick) else led
    candidates = [(rank_of(card), seat) for seat, card in trick if suit_of(card) == decisive]
    return max(candidates)[1]


def declarable(rules: Rules, hand: Sequence[int], card: int, leading: bool, has_trick: bool) -> int:
    """What declaring with this card of the hand would be worth now, 0 if it may not be declared.

    Marriages: T-MAR-03 to T-MAR-05, lines 43 and 69. Four aces: T-ACE-02 to T-ACE-04, line 46.
    """
    suit, rank = divmod(card, 6)
    if rank in (KING, QUEEN):
        options = rules["marriage"]
        mate = suit * 6 + (QUEEN if rank == KING else KING)
        placed = leading or not options["on_lead_only"]
        earned = has_trick or not options["needs_trick"]
        return marriage_value(rules, suit) if mate in hand and placed and earned else 0
    if rank == ACE:
        options = rules["ace_marriage"]
        earned = has_trick or not options["needs_trick"]
        if options["on"] and leading and earned and all(ace in hand for ace in ACES):
            return options["value"]
    return 0
