"""The record of one hand of the reference game, its point accounts, and who may see what of it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pitch_rules import Tables
from pitch_score import Bid, HandScore, Plays

if TYPE_CHECKING:
    from pitch import Oracle

Action = tuple[Any, ...]


@dataclass
class Trick:
    """One trick: who led, what was played, who won and which seat the points went to."""

    leader: int
    plays: Plays = field(default_factory=list)
    winner: int = -1
    points: dict[int, int] = field(default_factory=dict)


@dataclass
class Hand:
    """Everything that happened in one deal; lists of lists are indexed by seat."""

    deal: int  # number of the deck in the match, void deals included
    dealer: int
    dealt: list[list[int]]
    hands: list[list[int]]  # before the sorting all cards, afterwards the trumps held
    stock: list[int]  # what has not been given out, top first; five-handed the blind
    bids: list[tuple[int, Action]] = field(default_factory=list)
    declined: list[int] = field(default_factory=list)  # misdeals not called, never public
    bidder: int = -1
    bid: Bid | None = None
    trump: int = -1
    called: int = -1
    called_from: str = ""  # "hand", "blind" or "own"
    partner: int | None = None  # five-handed: None before the call and for a lone bidder
    dead: list[list[int]] = field(default_factory=list)  # drawn cards that are no trumps [P-FILL-03]
    discarded: list[list[int]] = field(default_factory=list)  # non-trumps dropped [P-DSC-01]
    thrown: list[tuple[int, int]] = field(default_factory=list)  # (seat, trump) thrown away [P-DSC-04]
    filled: bool = False
    asked: list[int | None] = field(default_factory=list)
    drawn: list[list[int]] = field(default_factory=list)
    kitty: list[int] = field(default_factory=list)  # all leftovers, or the blind
    kitty_seen: list[list[int]] = field(default_factory=list)  # leftovers each seat received or saw
    kitty_to: dict[int, int] = field(default_factory=dict)  # seat -> number of leftovers
    surplus: list[int] = field(default_factory=list)  # auto_swap: trumps nobody could take [BD-15]
    burned: list[list[int]] = field(default_factory=list)
    burn_credit: list[int] = field(default_factory=list)  # burned twos credited to the burner [BD-4]
    kept: list[list[int]] = field(default_factory=list)  # trumps at the start of play
    outs: list[int] = field(default_factory=list)  # seats shown to be out, in the order shown
    tricks: list[Trick] = field(default_factory=list)
    trick: Trick | None = None
    points_by_seat: list[int] = field(default_factory=list)  # won in tricks, own twos included
    took: int = 0  # final points of the bidding side and of the defenders
    against: int = 0
    result: HandScore | None = None
    void: str = ""  # why the hand does not count: "misdeal", "all_pass" or "burned_point"

    @property
    def drawn_count(self) -> list[int]:
        """Cards each seat really took from the stock [P-FILL-01, P-FILL-04]."""
        return [len(cards) for cards in self.drawn]

    @property
    def made(self) -> bool | None:
        """True for a made bid, False for a set, None before the end."""
        return None if self.result is None else self.result.made

    @property
    def moon_result(self) -> str | None:
        """ "made" or "failed" after a moon, else None."""
        return None if self.result is None else self.result.moon


def new_hand(deal: int, dealer: int, dealt: list[list[int]], stock: list[int]) -> Hand:
    """A hand before the auction."""
    hand = Hand(deal, dealer, dealt, deepcopy(dealt), stock)
    n = len(dealt)
    for name in ("dead", "discarded", "drawn", "kitty_seen", "burned", "kept"):
        setattr(hand, name, [[] for _ in range(n)])
    hand.asked = [None] * n
    hand.burn_credit = [0] * n
    hand.points_by_seat = [0] * n
    return hand


def accounts(hand: Hand, tables: Tables, discarded_trump: str) -> dict[str, int]:
    """Where the points of a scored hand went; the values add up to N [P-INV, BD-41].

    taken: scored by playing, burn_credit: burned twos that count for the burner, and the lost ones:
    burned, thrown (dead trumps), surplus (auto_swap), unplayed (hand stopped by check=mid_hand).
    """

    def worth(cards: list[int]) -> int:
        return sum(tables.points(card, hand.trump) for card in cards)

    credit = sum(hand.burn_credit)
    thrown = [card for _, card in hand.thrown] if discarded_trump == "dead" else []
    return {
        "taken": sum(hand.points_by_seat),
        "burn_credit": credit,
        "burned": sum(worth(cards) for cards in hand.burned) - credit,
        "thrown": worth(thrown),
        "surplus": worth(hand.surplus),
        "unplayed": sum(worth(cards) for cards in hand.hands),
    }


def _record(hand: Hand) -> dict[str, Any]:
    """The public line about a finished hand."""
    return {
        "dealer": hand.dealer,
        "void": hand.void,
        "bids": hand.bids,
        "bidder": hand.bidder,
        "bid": hand.bid,
        "trump": hand.trump,
        "partner": hand.partner if not hand.void else None,
        "took": hand.took,
        "against": hand.against,
        "made": hand.made,
        "moon": hand.moon_result,
        "scores": None if hand.result is None else hand.result.scores,
    }


def partner_shown(game: Oracle) -> bool:
    """Four-handed always; five-handed once the called card has been played [P-5H-04]."""
    hand = game.hand
    if game.players == 4:
        return True
    tricks = [*hand.tricks, hand.trick] if hand.trick is not None else hand.tricks
    return any(card == hand.called for trick in tricks for _, card in trick.plays) or game.done


def public_view(game: Oracle) -> dict[str, Any]:
    """Everything all players may know [P-INFO-01].

    Who is asked about a misdeal is not shown, since declining is not public [BD-6].  Burned cards hide
    behind their number when they are not laid open [BD-19].  Points by side show only while the sides
    are known and no face-down burned two could be among them.
    """
    hand, rules = game.hand, game.rules
    shown = partner_shown(game)
    secret_credit = rules["two_scores_when"] == "holder" and not rules["burn_visible"]
    # Five-handed nobody asks for cards, so trump counts stay private [BD-25].
    filled = hand.filled and game.players == 4
    fact: dict[str, Any] = {
        "players": game.players,
        "phase": game.phase,
        "current_player": -1 if game.phase == "misdeal" else game.current_player,
        "dealer": game.dealer,
        "scores": game.scores,
        "history": [_record(old) for old in game.history],
        "bids": hand.bids,
        "bidder": hand.bidder,
        "bid": hand.bid,
        "trump": hand.trump,
        "called": hand.called,
        "partner_shown": shown,
        "partner": hand.partner if shown else None,
        "asked": hand.asked if filled else None,
        "drawn": hand.drawn_count if filled else None,
        "kitty_size": len(hand.kitty) if filled or game.players == 5 else None,
        "kitty_to": hand.kitty_to,
        "burned_count": [len(cards) for cards in hand.burned],
        "burned": hand.burned if rules["burn_visible"] else None,
        "tricks": [(t.leader, t.plays, t.winner, t.points) for t in hand.tricks],
        "trick": None if hand.trick is None else (hand.trick.leader, hand.trick.plays),
        "outs": sorted(hand.outs),
        "points_by_seat": hand.points_by_seat,
        "points_by_side": game.points_by_side()
        if hand.bidder >= 0 and shown and (game.done or not secret_credit)
        else None,
    }
    return deepcopy(fact)


def seat_view(game: Oracle, seat: int) -> dict[str, Any]:
    """The public facts and what this seat alone knows [P-INFO-02, P-KIT-03]."""
    hand = game.hand
    knows_partner = partner_shown(game)
    if game.players == 5 and hand.called >= 0:
        # The holder knows, and a bidder who finds the card in his blind or called his own [P-5H-04].
        knows_partner = knows_partner or seat == hand.partner
        knows_partner = knows_partner or (seat == hand.bidder and hand.called_from != "hand")
    private: dict[str, Any] = {
        "seat": seat,
        "legal": game.legal() if seat == game.current_player else [],
        "dealt": hand.dealt[seat],
        "hand": sorted(hand.hands[seat]),
        "dead": hand.dead[seat],
        "discarded": hand.discarded[seat],
        "thrown": [card for thrower, card in hand.thrown if thrower == seat],
        "drawn_cards": hand.drawn[seat],
        "kitty_seen": hand.kitty_seen[seat],
        "burned_own": hand.burned[seat],
        "misdeal_declined": seat in hand.declined,
        "knows_partner": knows_partner,
        "partner_known": hand.partner if knows_partner else None,
    }
    return {**public_view(game), **deepcopy(private)}
