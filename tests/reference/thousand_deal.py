"""One deal of Thousand, from a shuffled deck to the last trick: questions, auction, talon, passing, play.

The deck is dealt in blocks: the first hand to forehand, the next to the seat after him and so on (dealer
last; with four at the table he gets none), then the talon; with two players the first, then the second.

A claimed redeal ends a deal in phase "redealt", a write-off or the last trick in phase "over"; what follows
is the business of the match. Phases with a decision: dark, hand_redeal, info, auction, talon, talon_redeal,
contract, give, pass_redeal, play.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thousand_auction import Auction
from thousand_cards import (
    NINE,
    Trick,
    card_points,
    count_rank,
    deck_of,
    declarable,
    hand_cap,
    hand_redeal,
    legal_cards,
    suit_of,
    talon_redeal,
    trick_winner,
)
from thousand_rules import Rules, need
from thousand_scoring import DealOutcome, MatchState

Action = tuple[Any, ...]
BANK = -1  # destination of the second card in the 9+3+3 layout (T-2P-04)


class Deal:
    """All facts of one deal. It reads the match (scores, barrel, write-offs) and never changes it."""

    def __init__(self, rules: Rules, match: MatchState, dealer: int, deck: list[int]) -> None:
        if sorted(deck) != deck_of(rules):
            raise ValueError("a deck holds each of its cards once")
        self.rules = rules
        self.match = match
        self.players: int = rules["players"]
        self.dealer = dealer
        order = [(dealer + 1 + step) % self.players for step in range(self.players)]
        self.active = order[:3]  # with four the dealer sits out (T-4P-01)
        self.forehand = order[0]
        hand_size, talon_size = 7, 3  # T-DEAL-02
        if self.players == 2:  # T-2P-01, T-2P-03
            hand_size, talon_size = (10, 2) if rules["two_player"]["layout"] == "10+2+2" else (9, 3)
        talons = 2 if self.players == 2 else 1
        hand_size -= (24 - len(deck)) // len(self.active)  # T-SHORT-02
        if len(deck) != len(self.active) * hand_size + talons * talon_size or hand_size < 1:
            raise ValueError("the deck cannot be shared")
        self.hands: list[list[int]] = [[] for _ in range(self.players)]
        for place, seat in enumerate(self.active):
            self.hands[seat] = sorted(deck[place * hand_size : (place + 1) * hand_size])
        self.stock = deck[len(self.active) * hand_size :]
        self.talons = [self.stock[i : i + talon_size] for i in range(0, len(self.stock), talon_size)]

        self.phase = ""
        self.current_player = -1
        self.queue: list[int] = []  # seats still to be asked in a phase of questions
        self.dark_answers: list[tuple[int, bool]] = []
        self.dark_seat: int | None = None  # announcer while the deal is dark
        self.blind_seat: int | None = None  # announcer while his cards lie unseen
        self.declined: list[tuple[int, str]] = []  # private answers "no"
        self.info_cards: dict[int, int] = {}
        self.silent = [seat for seat in self.active if self._is_silent(seat)]
        self.auction = Auction(rules, self.active, self.silent)
        self.declarer: int | None = None
        self.bid = 0
        self.from_auction = False
        self.talon: list[int] = []
        self.talon_index: int | None = None
        self.talon_shown = False
        self.bank: list[int] = []  # what the last trick will bring with two players
        self.contract = 0
        self.written_off = False
        self.passes: list[tuple[int, int, int]] = []  # giver, receiver or BANK, card
        self.trick: Trick = []
        self.tricks: list[tuple[int, Trick]] = []  # winner, cards
        self.trump: int | None = None
        self.trump_owner: int | None = None
        self.next_trump: tuple[int, int] | None = None
        self.marriages: list[dict[str, Any]] = []
        self.captured: list[list[int]] = [[] for _ in range(self.players)]
        self.redealt: tuple[int, str] | None = None  # who claimed a redeal, and which
        self._ask_dark()

    @property
    def golden(self) -> bool:
        """Is this a golden deal (T-GOLD-01)?"""
        return self.match.golden_left > 0

    def _is_silent(self, seat: int) -> bool:
        """Too far below zero to bid (T-AUC-10, line 16: strictly below)."""
        limit = self.rules["auction"]["silence_below"]
        return limit is not None and self.match.scores[seat] < limit

    def _redeal(self, seat: int, kind: str) -> None:
        self.redealt = (seat, kind)
        self._stop("redealt")

    def _stop(self, phase: str) -> None:
        self.phase = phase
        self.current_player = -1

    # --- before the auction --------------------------------------------------------------------------

    def _ask_dark(self) -> None:
        """T-DARK-01, T-DARK-02, T-DARK-09, lines 16, 20, 21, 26."""
        mode = self.rules["dark"]
        if mode != "off" and not self.golden and not any(self.match.barrel):
            asked = self.active if mode == "C" else self.active[:1]
            self.queue = [seat for seat in asked if seat not in self.silent]
        self._next_question("dark", self._ask_hand_redeal)

    def _next_question(self, phase: str, otherwise: Callable[[], None]) -> None:
        if self.queue:
            self.phase = phase
            self.current_player = self.queue.pop(0)
        else:
            otherwise()

    def _ask_hand_redeal(self) -> None:
        """T-RED-01 to T-RED-04, T-RED-13, lines 3 to 5 and 7."""
        self.queue = [
            seat
            for seat in self.active
            if seat != self.blind_seat and hand_redeal(self.rules, self.hands[seat], seat == self.forehand)
        ]
        if self.queue and not self.rules["redeal"]["optional"]:
            self._redeal(self.queue[0], "hand")
        else:
            self._next_question("hand_redeal", self._ask_info)

    def _ask_info(self) -> None:
        """The seats with the bonus name a talon card, last thing before the auction (line 80)."""
        if self.rules["info_bonus"] == "talon_card":
            self.queue = [seat for seat in self.active if seat in self.rules["info_bonus_seats"]]
        self._next_question("info", self._open_auction)

    # --- auction (T-AUC) -----------------------------------------------------------------------------

    def _open_auction(self) -> None:
        if self.golden:  # T-GOLD-02, line 27
            self._won_auction(self.forehand, 120)
            return
        if self.dark_seat is not None and self.rules["dark"] == "C":  # line 22: nobody may outbid
            self.auction.place(self.dark_seat, 120)
            self._won_auction(self.dark_seat, 120)
            return
        buyer = self._barrel_buyer()
        if buyer is not None:
            self._won_auction(buyer, 100)
            return
        self.phase = "auction"
        self.auction.open(self.dealer, self.dark_seat)
        self._follow_auction()

    def _follow_auction(self) -> None:
        holder = self.auction.holder
        if self.dark_seat is not None and holder != self.dark_seat:  # outbid: he looks at his cards (line 23)
            self.dark_seat = None
            self.blind_seat = None
        if self.auction.over:
            assert holder is not None
            self.from_auction = True
            self._won_auction(holder, self.auction.price)
        else:
            self.current_player = self.auction.turn

    def _barrel_buyer(self) -> int | None:
        """A barrel player who gets the talon without an auction (T-TAL-06, line 19)."""
        kind = self.rules["barrel"]["auction"]
        for seat in self.active:
            if self.match.barrel[seat] and (kind == "free_talon" or (kind == "own_turn" and seat == self.forehand)):
                return seat
        return None

    # --- talon and contract (T-TAL, T-RAISE, T-WO) ---------------------------------------------------

    def _won_auction(self, seat: int, bid: int) -> None:
        self.declarer = seat
        self.bid = bid
        if self.players == 2 and self.rules["two_player"]["take"] == "choice":  # line 67
            self.phase = "talon"
            self.current_player = seat
        else:
            self._take_talon(0)

    def _take_talon(self, index: int) -> None:
        assert self.declarer is not None
        seat = self.declarer
        self.talon_index = index
        self.talon = list(self.talons[index])
        for other, talon in enumerate(self.talons):
            if other != index:
                self.bank += talon
        options = self.rules["talon"]
        at_100 = self.from_auction and self.bid == 100  # T-TAL-04, lines 32 and 72
        hidden = (at_100 and options["hide_on_uncontested_100"]) or self.dark_seat is not None  # T-DARK-07
        self.talon_shown = options["show"] and not hidden
        self.hands[seat] = sorted(self.hands[seat] + self.talon)
        self.blind_seat = None  # T-DARK-08: only now he opens his cards
        if not talon_redeal(self.rules, self.talon, self.hands[seat], at_100):
            self._after_talon()
        elif not self.rules["redeal"]["optional"]:
            self._redeal(seat, "talon")
        else:
            self.phase = "talon_redeal"
            self.current_player = seat

    def _after_talon(self) -> None:
        assert self.declarer is not None
        self.current_player = self.declarer
        self.phase = "contract" if self._declares_first() else "give"

    def _declares_first(self) -> bool:
        return self.rules["contract"]["declare"] == "before_pass"  # T-RAISE-02

    def _contracts_allowed(self) -> list[int]:
        """T-RAISE-01, T-RAISE-03, T-RAISE-04, T-BAR-06, lines 14, 22, 27, 33, 35."""
        assert self.declarer is not None
        highest = max(self.bid, hand_cap(self.rules, self.hands[self.declarer]))
        if self.golden and not self.rules["golden"]["raise"]:
            highest = self.bid
        if self.dark_seat is not None and self.rules["dark"] != "D":
            highest = self.bid
        contracts = list(range(self.bid, highest + 1, self.rules["auction"]["step"]))
        if self.match.barrel[self.declarer]:
            enough = [contract for contract in contracts if contract >= need(self.rules)]
            return enough or [self.bid]
        return contracts

    def _offers_write_off(self) -> bool:
        """With the contract, or at the first card given (T-WO-03, T-WO-08, lines 33, 37, 38)."""
        if self.phase != ("contract" if self._declares_first() else "give") or self.passes:
            return False
        assert self.declarer is not None
        options = self.rules["write_off"]
        if options["limit"] is not None and self.match.write_offs[self.declarer] >= options["limit"]:
            return False
        return not (self.match.barrel[self.declarer] and options["on_barrel"] == "forbidden")

    # --- passing (T-PASS) ----------------------------------------------------------------------------

    def _receivers(self) -> list[int]:
        """Left opponent, then right; with 9+3+3 the opponent, then the bank (line 40)."""
        assert self.declarer is not None
        place = self.active.index(self.declarer)
        others = [self.active[(place + step) % len(self.active)] for step in range(1, len(self.active))]
        if self.players == 2 and self.rules["two_player"]["layout"] == "9+3+3":
            others.append(BANK)
        return others

    def _after_giving(self) -> None:
        """A defender with four nines is asked now (T-RED-09, line 8)."""
        defenders = [seat for seat in self._receivers() if seat != BANK]
        self.queue = [seat for seat in defenders if count_rank(self.hands[seat], NINE) == 4]
        if not self.rules["redeal"]["defender_four_nines_after_pass"]:
            self.queue = []
        if self.queue and not self.rules["redeal"]["optional"]:
            self._redeal(self.queue[0], "pass")
        else:
            self._next_question("pass_redeal", self._after_passing)

    def _after_passing(self) -> None:
        assert self.declarer is not None
        self.current_player = self.declarer
        self.phase = "play" if self._declares_first() else "contract"

    # --- play (T-PLAY, T-MAR, T-ACE) -----------------------------------------------------------------

    def _worth_declaring(self, seat: int, card: int) -> int:
        has_trick = any(winner == seat for winner, _ in self.tricks)
        return declarable(self.rules, self.hands[seat], card, not self.trick, has_trick)

    def _play_actions(self, seat: int) -> list[Action]:
        actions: list[Action] = []
        cards = legal_cards(self.rules, self.hands[seat], seat, self.trick, self.trump, self.trump_owner)
        for card in cards:
            worth = self._worth_declaring(seat, card)
            if not worth or self.rules["marriage"]["optional"]:  # T-MAR-06, line 44
                actions.append(("play", card))
            if worth:
                actions.append(("declare", card))
        return actions

    def _declare(self, seat: int, card: int) -> None:
        """Credited at once, whoever takes the trick (T-MAR-07); the suit becomes trump (T-MAR-08)."""
        aces = card % 6 == 5
        self.marriages.append(
            {
                "seat": seat,
                "kind": "aces" if aces else suit_of(card),
                "card": card,
                "value": self._worth_declaring(seat, card),
                "trick": len(self.tricks),
            }
        )
        if aces and not self.rules["ace_marriage"]["sets_trump"]:  # T-ACE-05
            return
        if self.rules["marriage"]["trump_from"] == "immediately":
            self.trump, self.trump_owner = suit_of(card), seat
        else:
            self.next_trump = (suit_of(card), seat)  # line 45

    def _put_down(self, seat: int, card: int) -> None:
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        if len(self.trick) < len(self.active):
            place = self.active.index(seat)
            self.current_player = self.active[(place + 1) % len(self.active)]
            return
        winner = trick_winner(self.trick, self.trump)
        self.captured[winner] += [played for _, played in self.trick]
        self.tricks.append((winner, self.trick))
        self.trick = []
        if self.next_trump is not None:
            self.trump, self.trump_owner = self.next_trump
            self.next_trump = None
        self.current_player = winner
        if not self.hands[winner]:
            self.captured[winner] += self.bank  # T-2P-02, T-2P-08
            self._stop("over")

    # --- what the scoring needs ---------------------------------------------------------------------

    @property
    def bids(self) -> list[tuple[int, int]]:
        """Everything said in the auction, automatic bids too; 0 is a pass."""
        return self.auction.bids

    @property
    def card_points(self) -> list[int]:
        return [card_points(cards) for cards in self.captured]

    @property
    def marriage_points(self) -> list[int]:
        return [
            sum(marriage["value"] for marriage in self.marriages if marriage["seat"] == seat)
            for seat in range(self.players)
        ]

    @property
    def tricks_taken(self) -> list[int]:
        return [sum(1 for winner, _ in self.tricks if winner == seat) for seat in range(self.players)]

    def outcome(self) -> DealOutcome:
        assert self.declarer is not None
        return DealOutcome(
            dealer=self.dealer,
            active=list(self.active),
            declarer=self.declarer,
            bid=self.bid,
            contract=self.contract,
            written_off=self.written_off,
            dark=self.dark_seat is not None,
            talon=list(self.talon),
            card_points=self.card_points,
            marriage_points=self.marriage_points,
            tricks=self.tricks_taken,
        )

    # --- acting --------------------------------------------------------------------------------------

    def legal(self) -> list[Action]:
        """Every legal action of the current player; none once the deal has ended."""
        seat = self.current_player
        if self.phase == "dark":
            return [("dark", False), ("dark", True)]
        if self.phase in ("hand_redeal", "talon_redeal", "pass_redeal"):
            return [("redeal", False), ("redeal", True)]
        if self.phase == "info":
            return [("info_card", index) for index in range(len(self.stock))]
        if self.phase == "auction":
            passing: list[Action] = [("pass",)] if self.auction.may_pass() else []
            return passing + [("bid", amount) for amount in self.auction.allowed(self.hands[seat])]
        if self.phase == "talon":
            return [("talon", index) for index in range(len(self.talons))]
        write_off: list[Action] = [("write_off",)] if self._offers_write_off() else []
        if self.phase == "contract":
            return write_off + [("contract", amount) for amount in self._contracts_allowed()]
        if self.phase == "give":
            return write_off + [("give", card) for card in self.hands[seat]]
        return self._play_actions(seat) if self.phase == "play" else []

    def step(self, action: Action) -> None:
        """Do a legal action; ValueError for any other, and nothing has changed then."""
        actions = self.legal()
        if action not in actions:
            raise ValueError(f"{action!r} is not legal for seat {self.current_player} in phase {self.phase}")
        kind = action[0]
        seat = self.current_player
        if kind == "dark":
            self._answer_dark(seat, action[1])
        elif kind == "redeal":
            self._answer_redeal(seat, action[1])
        elif kind == "info_card":
            self.info_cards[seat] = action[1]
            self._next_question("info", self._open_auction)
        elif kind == "bid":
            self.auction.bid(action[1])
            self._follow_auction()
        elif kind == "pass":
            self.auction.give_up()
            self._follow_auction()
        elif kind == "talon":
            self._take_talon(action[1])
        elif kind == "contract":
            self.contract = action[1]
            self.phase = "give" if self._declares_first() else "play"
        elif kind == "write_off":
            self.written_off = True
            self._stop("over")
        elif kind == "give":
            self._give(seat, action[1])
        else:
            if kind == "declare":
                self._declare(seat, action[1])  # both cards are still in hand (T-MAR-05)
            self._put_down(seat, action[1])

    def _answer_dark(self, seat: int, answer: bool) -> None:
        self.dark_answers.append((seat, answer))
        if answer:
            self.dark_seat = seat
            self.blind_seat = seat
            self.queue = []
        self._next_question("dark", self._ask_hand_redeal)

    def _answer_redeal(self, seat: int, answer: bool) -> None:
        kind = self.phase.removesuffix("_redeal")
        following = {"hand": self._ask_info, "talon": self._after_talon, "pass": self._after_passing}[kind]
        if answer:
            self._redeal(seat, kind)
            return
        self.declined.append((seat, kind))
        self._next_question(self.phase, following)

    def _give(self, seat: int, card: int) -> None:
        receiver = self._receivers()[len(self.passes)]
        self.hands[seat].remove(card)
        if receiver == BANK:
            self.bank.append(card)
        else:
            self.hands[receiver] = sorted([*self.hands[receiver], card])
        self.passes.append((seat, receiver, card))
        if len(self.passes) == len(self._receivers()):
            self._after_giving()
