"""What a seat of Thousand knows of the unseen cards (RULES.md, sections 4 to 9), as cases of the exact dealer.

Exactly:

- how many cards each seat, the talons and the bank hold; cards passed, received, shown, or seen by a bonus;
- what each play proves by the rules in force: no card of a suit, no trump, no higher card, no other suit, no mate
  (T-PLAY-02 to T-PLAY-07, T-MAR-06); marriages and aces declared, whose mates are in the same hand (T-MAR-05);
- the talon that was shown: it went to the declarer, who gave each opponent one card, so the other defender has at
  most one card of it;
- bids above 120: the hand as dealt held marriages (or four aces) worth the rest (T-AUC-07), and so does the naming of
  a contract above the bid for the hand that named it (T-RAISE-03); on the barrel a contract that does not win says
  that the hand could not name one that does (T-BAR-06). These have an "or" in them (which marriage, which card was
  given away): the cases go through the places of the cards in question.

A case says where cards are now, not how they came there; `Knowledge.gifts` counts the ways, as a weight of deals.

Left out: that hands, talons or passed cards were not thrown in where that needs no decision (`redeal_optional=False`),
the suits of a talon seen by a bonus, and all that bids, gifts and plays suggest but do not prove.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import cast

import numpy as np
import numpy.typing as npt

from ....envs.core.bits import I64, U8, U64
from ....envs.core.spec import GameSpec
from ....envs.thousand.rules import ThousandRules
from ....envs.thousand.tables import ACE, CARDS, KING, QUEEN
from ..belief import Case
from .seen import NO_SUIT, Play, Seen, cards_of

#: Places of a case: the next seat's hand, the hand of the seat after it, the talon; with two players the other hand
#: and the two talons, where the place of a talon that was taken stands for the bank (T-2P-04). While his own cards lie
#: unseen (phase "dark") the seat's own hand comes after them.
PLACES = 3
ALL = (1 << CARDS) - 1
ACES = 0o40404040
_SUIT = [63 << (6 * suit) for suit in range(4)]
_PAIR = [3 << (6 * suit + QUEEN) for suit in range(4)]

#: Cards of each place, those played from it too, → whether that may be.
Rule = Callable[[list[int]], bool]
Box = tuple[frozenset[int], ...]


class Knowledge:
    """Reads observations of one game."""

    def __init__(self, spec: GameSpec) -> None:
        self.rules, self._layout = cast(ThousandRules, spec.rules), spec.layout

    def seen(self, obs: U8) -> Seen:
        """An observation in plain numbers. uint8 [D]."""
        return Seen(obs, self._layout, self.rules)

    def facts(self, obs: U8) -> Facts:
        """What an observation proves. uint8 [D]."""
        return Facts(self.seen(obs))

    def cases(self, obs: U8) -> list[Case]:
        """Disjoint cases over the places (`PLACES`) of the unseen cards, from uint8 [D]."""
        return Facts(self.seen(obs)).cases()

    def gifts(self, obs: U8) -> Callable[[U64], npt.NDArray[np.floating]] | None:
        """A weight of deals: in how many ways the other defender's cards can be seven dealt ones and a gift.

        With it each way to deal and pass counts the same, as if the declarer gave away any card alike. None where
        nothing of the kind is hidden.
        """
        facts = Facts(self.seen(obs))
        return facts.ways if facts.gift_hidden else None


class Facts:
    """What one observation proves.

    Attributes:
        unseen: cards. room: cards in each place. open: cards that each place may hold. base: played from each place.
        hidden: a gift to the other defender that the seat has not seen. rules_: what else must hold.
    """

    def __init__(self, seen: Seen) -> None:
        self.seen, rules = seen, seen.rules
        self.two = rules.players == 2
        self.place = {seat: k for k, seat in enumerate(seen.others)}
        self.blind = not seen.hand and not seen.played[0]
        self.places = PLACES + self.blind
        self.unseen = ALL & ~(seen.hand | self._all_played())
        self.open = [self.unseen] * self.places
        self.base = [0] * self.places
        for seat, k in self.place.items():
            self.base[k] = seen.played[seat]
        self.gift_hidden = False
        self.mine = 0  # what the declarer gave to this seat
        self.gift_to = dict[int, int]()
        self._know_gifts()
        self.room = self._sizes()
        self._know_bonus()
        self.checks: list[Rule] = []
        self.special = 0
        self._talon()
        self._plays()
        self._claims()

    def _all_played(self) -> int:
        word = 0
        for played in self.seen.played:
            word |= played
        if self.two:  # the own gift to the bank, and the talon taken by oneself is in hand, given or played
            word |= self._own_bank()
        return word

    def _own_bank(self) -> int:
        seen = self.seen
        return seen.gave[1] if self.two and seen.declarer == 0 and seen.rules.gives == 2 else 0

    def _locate(self, card: int, place: int) -> None:
        """An unseen card (or nothing) is in a place."""
        card &= self.unseen
        for k in range(self.places):
            if k != place:
                self.open[k] &= ~card

    def _know_gifts(self) -> None:
        """Cards given away (T-PASS-01, T-PASS-02)."""
        seen = self.seen
        if seen.declarer < 0:
            return
        for k, to in enumerate(seen.receivers()[: seen.given]):
            card = seen.gave[k]
            if to == 0:
                self.mine = card
            elif to < 0:
                continue  # the bank: one's own gift counts as seen
            elif card:
                self.gift_to[to] = card
                self._locate(card, self.place[to])
            else:
                self.gift_hidden = True

    def _sizes(self) -> list[int]:
        seen, rules = self.seen, self.seen.rules
        sizes = [0] * self.places
        for seat, k in self.place.items():
            count = rules.hand_size - seen.played[seat].bit_count()
            if seen.declarer >= 0:
                if seat == seen.declarer:
                    count += rules.talon_size * self._taken() - seen.given
                elif seat in seen.receivers()[: seen.given]:
                    count += 1
            sizes[k] = count
        if self.two:
            taken = 1 + seen.second_talon if self._taken() else 0
            for k in (1, 2):
                if k != taken:
                    sizes[k] = rules.talon_size
                elif rules.gives == 2 and seen.given == 2 and not self._own_bank():
                    sizes[k] = 1  # the bank
        elif not self._taken():
            sizes[2] = rules.talon_size
        if self.blind:
            sizes[PLACES] = rules.hand_size
        return sizes

    def _taken(self) -> bool:
        """Whether the talon has been taken."""
        return self.seen.declarer >= 0 and self.seen.phase not in ("talon", "hand redeal", "dark", "talon card")

    def _know_bonus(self) -> None:
        """Cards that an information bonus shows (T-INFO-01)."""
        rules, seen = self.seen.rules, self.seen
        if rules.info_bonus == "opponents":
            for seat, plane in zip(range(1, rules.players), seen.segment("bonus_hands"), strict=True):
                for card in np.flatnonzero(plane):
                    self._locate(1 << int(card), self.place[seat])
        elif rules.info_bonus in ("talon", "talon_card"):
            for k, plane in enumerate(seen.segment("bonus_talons")):
                place = k + 1 if self.two else 2
                if self.room[place] and not (self.two and self._taken() and k == int(seen.second_talon)):
                    for card in np.flatnonzero(plane):
                        self._locate(1 << int(card), place)

    def _talon(self) -> None:
        """Of the talon that was shown the other defender has at most what the declarer gave him (T-TAL-03)."""
        seen = self.seen
        if not seen.talon or seen.declarer == 0:
            return
        if self.two:  # the other talon has none of it
            self.open[2 - seen.second_talon] &= ~seen.talon
        else:
            self.special |= seen.talon

    # The card play.

    def _forbid(self, seat: int, cards: int) -> None:
        if seat in self.place:
            self.open[self.place[seat]] &= ~cards

    def _plays(self) -> None:
        later = [0] * self.seen.rules.players
        for play in reversed(self.seen.plays()):
            if play.seat:
                self._proves(play, later[play.seat])
            later[play.seat] |= 1 << play.card

    def _proves(self, play: Play, later: int) -> None:
        """What a card says of the rest of the hand that it came from.

        Args:
            later: cards that the seat has played since.
        """
        rules = self.seen.rules
        suit, rank = divmod(play.card, 6)
        leads, trump = not play.trick, play.trump
        earned = play.has_trick
        if leads:
            foreign = rules.play_foreign_trump_lead == "forbidden" and play.owner != play.seat
            if foreign and trump != NO_SUIT and suit == trump:
                self._forbid(play.seat, ALL & ~_SUIT[trump])
        else:
            led = play.trick[0] // 6
            ranks = [c % 6 for c in play.trick if c // 6 == trump]
            if suit == led:
                best = max(c % 6 for c in play.trick if c // 6 == led)
                if rules.play_must_beat and not (led != trump and ranks) and rank < best:
                    self._forbid(play.seat, _SUIT[led] & -1 << (6 * led + best))
            else:
                self._forbid(play.seat, _SUIT[led])
                if trump != NO_SUIT and suit != trump and rules.play_must_trump:
                    self._forbid(play.seat, _SUIT[trump])
                if suit == trump and rules.play_must_overtrump and rank < max(ranks, default=-1):
                    self._forbid(play.seat, _SUIT[trump] & -1 << (6 * trump + max(ranks)))
        pair = rank in (QUEEN, KING)
        mates = _PAIR[suit] & ~(1 << play.card) if pair else ACES & ~(1 << play.card) if rank == ACE else 0
        if play.declares:
            for card in cards_of(mates & ~later):
                self._locate(1 << card, self.place[play.seat])
        elif not rules.marriage_optional and mates:
            needs = rules.marriage_needs_trick if pair else rules.ace_marriage_needs_trick
            may = leads or (pair and not rules.marriage_on_lead_only)
            if may and (earned or not needs) and (pair or rules.ace_marriage):
                rest = mates & ~later
                if rest.bit_count() == 1:
                    self._forbid(play.seat, rest)
                elif rest & ~self.unseen == 0 and play.seat in self.place:
                    k = self.place[play.seat]
                    self.special |= rest
                    self.checks.append(lambda hands, rest=rest, k=k: hands[k] & rest != rest)

    # Bids and contracts.

    def cap(self, cards: int) -> int:
        """What a hand may bid or name (T-AUC-07, T-AUC-08, T-RAISE-03)."""
        rules = self.seen.rules
        cap = 120 + sum(v for v, pair in zip(rules.marriage_values, _PAIR, strict=True) if cards & pair == pair)
        if rules.ace_marriage and rules.ace_marriage_in_cap and cards & ACES == ACES:
            cap += rules.ace_marriage_value
        return cap

    def _claims(self) -> None:
        """Bids and contracts that need marriages, together with the gift to the other defender."""
        seen, rules = self.seen, self.seen.rules
        self._least = {  # seat → what his hand as dealt could bid
            seat: seen.bids[seat]
            for seat in seen.others
            if seen.bids[seat] > 120 and rules.auction_cap == "marriages"
        }
        self._named, self._below = 0, 0
        if seen.declarer > 0 and seen.contract:
            free = not (seen.golden and not rules.golden_raise) and not (seen.dark and rules.dark in ("C", "forehand"))
            if seen.contract > seen.bid:
                self._named = seen.contract
            need = 100 - (100 - rules.need) // rules.auction_step * rules.auction_step
            if free and seen.barrel >> seen.declarer & 1 and seen.contract < need:
                self._below = need
        if self._least or self._named or self._below:
            for pair in _PAIR:
                self.special |= pair
            if rules.ace_marriage and rules.ace_marriage_in_cap:
                self.special |= ACES
        if self.special:
            self.checks.append(self._gift_fits)

    def _gift_fits(self, hands: list[int]) -> bool:
        return next(self._gifts_that_fit(hands), None) is not None

    def _gifts_that_fit(self, hands: list[int]):  # type: ignore[no-untyped-def]
        """Gifts to the other defender with which the shown talon, the bids and the contract agree, with their number.

        Args:
            hands: the special cards of each place, and all that was played from it.
        """
        seen = self.seen
        if seen.declarer <= 0 or self.two or not self.gift_hidden:
            other = next((s for s in seen.others if s != seen.declarer), -1) if seen.declarer > 0 else -1
            gift = self.gift_to.get(other, 0)
            if self._agrees(hands, other, gift):
                yield gift, 1
            return
        other = next(seat for seat in seen.others if seat != seen.declarer)
        cards = hands[self.place[other]]
        marked = cards & self.special
        for card in cards_of(marked):
            if self._agrees(hands, other, 1 << card):
                yield 1 << card, 1
        # any other card of his may be the gift as well
        plain = seen.rules.tricks - marked.bit_count()
        if plain and self._agrees(hands, other, 0):
            yield 0, plain

    def _agrees(self, hands: list[int], other: int, gift: int) -> bool:
        """Whether the cards of the places may be, given the gift to the other defender (0: a card without meaning)."""
        seen = self.seen
        rules = seen.rules
        if other > 0 and seen.declarer > 0 and hands[self.place[other]] & seen.talon & ~gift:
            return False
        for seat, least in self._least.items():
            cards = hands[self.place[seat]]
            if seat == seen.declarer:
                cards = self._before_giving(hands, gift) & ~seen.talon
            else:
                cards &= ~(gift if seat == other else self.gift_to.get(seat, 0))
            if self.cap(cards) < least:
                return False
        if self._named or self._below:
            early = rules.contract_declare == "before_pass"
            cap = self.cap(self._before_giving(hands, gift) if early else hands[self.place[seen.declarer]])
            if cap < self._named or (self._below and cap >= self._below):
                return False
        return True

    def _before_giving(self, hands: list[int], gift: int) -> int:
        """The declarer's cards with the talon, before he gave any away."""
        cards = hands[self.place[self.seen.declarer]] | self.mine | gift
        if self.two and self.seen.rules.gives == 2 and self.seen.given == 2:
            cards |= hands[1 + self.seen.second_talon]
        return cards

    def ways(self, worlds: U64) -> npt.NDArray[np.floating]:
        """`Knowledge.gifts`. uint64 [n, places] → float64 [n]."""
        found = np.empty(len(worlds))
        for row, world in enumerate(worlds.tolist()):
            hands = [word | base for word, base in zip(world, self.base, strict=True)]
            found[row] = sum(number for _, number in self._gifts_that_fit(hands))
        return found

    def possible_gifts(self, world: list[int]) -> int:
        """The cards that the declarer may have given the other defender, if they are now where a deal says.

        Each is as likely as any other. Empty if the deal cannot be. Only for gifts that the seat has not seen.
        """
        hands = [word | base for word, base in zip(world, self.base, strict=True)]
        other = next(seat for seat in self.seen.others if seat != self.seen.declarer)
        cards = hands[self.place[other]]
        found = 0
        for gift, _ in self._gifts_that_fit(hands):
            found |= gift or cards & ~self.special
        return found

    # Cases.

    def cases(self) -> list[Case]:
        cards = cards_of(self.unseen)
        allowed = np.array([[self.open[k] >> card & 1 for k in range(self.places)] for card in cards], np.bool_)
        allowed = allowed.reshape(len(cards), self.places)
        sizes: I64 = np.array(self.room, np.int64)
        allowed &= sizes > 0
        if not self.checks:
            return [Case(np.array(cards, np.int64), allowed, sizes)]
        special = [k for k, card in enumerate(cards) if self.special >> card & 1]
        choices = [np.flatnonzero(allowed[k]).tolist() for k in special]
        good: list[tuple[int, ...]] = []
        for where in product(*choices):
            hands, room = list(self.base), list(self.room)
            for k, place in zip(special, where, strict=True):
                hands[place] |= 1 << cards[k]
                room[place] -= 1
            if min(room) >= 0 and all(check(hands) for check in self.checks):
                good.append(where)
        found: list[Case] = []
        for box in merged(good):
            rows = allowed.copy()
            rows[special] = False
            for k, places in zip(special, box, strict=True):
                rows[k, list(places)] = True
            found.append(Case(np.array(cards, np.int64), rows, sizes))
        return found or [Case(np.array(cards, np.int64), np.zeros_like(allowed), sizes)]


def merged(choices: list[tuple[int, ...]]) -> list[Box]:
    """The same choices as few disjoint boxes: tuples of sets, which stand for every way to take one of each."""
    boxes: list[Box] = [tuple(frozenset([place]) for place in where) for where in choices]
    for at in range(len(choices[0]) if choices else 0):
        groups: dict[tuple[Box, Box], frozenset[int]] = {}
        for box in boxes:
            key = (box[:at], box[at + 1 :])
            groups[key] = groups.get(key, frozenset()) | box[at]
        boxes = [(*before, places, *after) for (before, after), places in groups.items()]
    return boxes
