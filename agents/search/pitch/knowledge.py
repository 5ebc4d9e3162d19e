"""What a seat of Pitch knows of the unseen cards (RULES.md, sections 5 to 8, 12 and 15), as cases of the exact dealer.

A deal says for each other seat which cards it was dealt and which it got afterwards (drew, or received of the
leftovers or the blind), and which nobody got. Every such deal is as likely as any other. Known are

- how many trumps a seat kept, from the cards it asked for, if fewer than six (P-INFO-02);
- how many it has had in all: six and what it burned, if it burned; what it played and burned, if it is shown to be
  out; at most six, if it did not burn;
- what it has played or burned (where burns are shown), of which only its source is open;
- the called card: dealt to the bidder only with `call_own`, in the blind only while he has led no other card, and with
  nobody who has played another card where he would have had to play it (P-5H-03..06);
- a burned point card says that nothing else was left (BD-18), a joker or off-card led first that no natural trump was
  (BD-22).

A *pool* is what a seat was dealt, or what it got. Where the number of its trumps is known it is two places, trumps and
the rest; so an unknown number becomes one case for each number that can be. Where that would be many cases the number
is left open, and a weight of deals says what cannot be (`evidence.Weight`): five-handed that nobody keeps more than
six; that who is not shown to be out holds a trump (`out_reveal="at_once"`); how leftovers fall that are looked at one
by one, or swapped without a word (BD-14, BD-15).

Left out: with `discarded_trump="to_kitty"`, who threw how many trumps, and that those of others among the leftovers are
trumps; and all that bids, burns and cards suggest but do not prove.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import cast

import numpy as np

from ....envs.core.bits import BIT, I64, U8, U64
from ....envs.core.spec import GameSpec
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.tables import (
    BURN,
    CARDS,
    COLUMNS,
    KITTY,
    MAX_TRUMPS,
    NO_CARD,
    NO_TRUMP,
    PLAY,
    tables,
    trumps_by_strength,
)
from ..belief import Bools, Case

#: Places of each other seat, next seat first: trumps dealt (or all cards dealt, where their number is open), the rest
#: of the cards dealt, and the same for cards got later. The last place is the stock, or blind, that nobody has.
DEALT, DEALT_REST, GAINED, GAINED_REST = range(4)
SEAT_PLACES = 4

#: The number of trumps in a pool is open.
_OPEN = -1


@dataclass(frozen=True)
class Facts:
    """An observation by name, seats relative to the observer (own seat first).

    phase, trump (4 none yet), bidder (-1 none), called (54 none). asked: 1 + cards asked for, 0 for not asked.
    drew, received, burns: numbers of cards. out: bool [P]. played, burned: uint64 [P], cards known to be.
    own, got: words of what the observer was dealt or drew, and of the leftovers or the blind that it saw;
    thrown: its own trumps that it threw away.
    first: the card that each seat played to trick 1, or 54.
    lead: who led trick 1, -1 if nobody has.
    """

    phase: int
    trump: int
    bidder: int
    called: int
    asked: I64
    drew: I64
    received: I64
    burns: I64
    kitty_size: int
    out: Bools
    played: U64
    burned: U64
    own: int
    got: int
    thrown: int
    first: I64
    lead: int


def _words(planes: U8) -> U64:
    """Card planes as words. uint8 [..., 54] → uint64 [...]."""
    return planes.astype(np.uint64) @ BIT[:CARDS]


class Reader:
    """Reads observations of one game. spec: the game; its layout says where things stand."""

    def __init__(self, spec: GameSpec) -> None:
        self.rules = cast(PitchRules, spec.rules)
        self.layout = spec.layout

    def segment(self, obs: U8, name: str) -> U8:
        """A segment of one observation. uint8 [D] → uint8 [*shape]."""
        return cast(U8, self.layout.view(obs, name))

    def one(self, obs: U8, name: str) -> int:
        """The place of the one that is set, -1 if none is."""
        values = self.segment(obs, name)
        return int(values.argmax()) if values.any() else -1

    def facts(self, obs: U8) -> Facts:
        """uint8 [D] → the facts."""
        get, players = self.segment, self.rules.players
        own = ("dealt",) if self.rules.five else ("dealt", "drawn")
        called = self.one(obs, "called") if self.rules.five else -1
        when, played = get(obs, "when").astype(np.int64), get(obs, "played")
        first, lead = np.full(players, NO_CARD, np.int64), -1
        for card in np.flatnonzero((when > 0) & (when <= players)).tolist():
            seat = int(played[:, card].argmax())
            first[seat] = card
            lead = seat if when[card] == 1 else lead
        numbers = {name: get(obs, name).astype(np.int64) for name in ("asked", "drew", "received", "burned_count")}
        return Facts(
            phase=self.one(obs, "phase"),
            trump=self.one(obs, "trump") if get(obs, "trump").any() else NO_TRUMP,
            bidder=self.one(obs, "bidder"),
            called=NO_CARD if called < 0 else called,
            asked=numbers["asked"],
            drew=numbers["drew"],
            received=numbers["received"],
            burns=numbers["burned_count"],
            kitty_size=int(get(obs, "kitty_size")[0]),
            out=get(obs, "out") > 0,
            played=_words(played),
            burned=_words(get(obs, "burned")),
            own=int(np.bitwise_or.reduce([_words(get(obs, name)) for name in own])),
            got=int(_words(get(obs, "leftovers"))),
            thrown=0 if self.rules.five else int(_words(get(obs, "thrown"))),
            first=first,
            lead=lead,
        )


@dataclass(frozen=True)
class _Pools:
    """How many trumps are in the two pools of a seat, or _OPEN, and how many cards."""

    dealt: int
    dealt_size: int
    gained: int
    gained_size: int

    def sizes(self) -> list[int]:
        """Of the four places of a seat."""
        row: list[int] = []
        for trumps, size in ((self.dealt, self.dealt_size), (self.gained, self.gained_size)):
            row += [size, 0] if trumps == _OPEN else [trumps, size - trumps]
        return row

    def possible(self) -> bool:
        return self.dealt <= self.dealt_size and self.gained <= self.gained_size


class Knowledge(Reader):
    """What seats know, for one game."""

    def __init__(self, spec: GameSpec) -> None:
        super().__init__(spec)
        self.tables = tables(self.rules)
        self.seats = self.rules.players
        self.places = SEAT_PLACES * (self.seats - 1) + 1
        self.stock = self.places - 1
        self._worth = (self.tables.won + self.tables.own).reshape(5, COLUMNS)
        self._deck = int(np.bitwise_or.reduce(BIT[self.tables.deck]))

    def cases(self, obs: U8) -> list[Case]:
        """Where the unseen cards may be (`belief.Case`), over the places above; the cases exclude each other.

        Args:
            obs: uint8 [D], an observation of the seat to act.
        """
        f = self.facts(obs)
        cards = np.array([c for c in range(CARDS) if (self._deck & ~(f.own | f.got)) >> c & 1], np.int64)
        sizes_of_seats = [self._pools(f, seat) for seat in range(1, self.seats)]
        found: list[Case] = []
        for pools in product(*sizes_of_seats):
            sizes = [size for seat in pools for size in seat.sizes()]
            left = len(cards) - sum(sizes)
            if left < 0 and self.rules.discarded_trump == "to_kitty":
                # what was thrown is among the leftovers that somebody got: take it out of the discards
                for place in range(DEALT_REST, self.stock, SEAT_PLACES):
                    taken = min(-left, sizes[place])
                    sizes[place], left = sizes[place] - taken, left + taken
            found.append(Case(cards, self._allowed(f, cards, pools), np.array([*sizes, left])))
        return found

    def _pools(self, f: Facts, seat: int) -> list[_Pools]:
        """The numbers of trumps that the pools of a seat may have."""
        size = self.tables.hand_size
        returned = f.thrown.bit_count() if seat == self.taker(f) else 0  # the observer knows these
        gained = int(f.drew[seat] + f.received[seat]) - returned
        if f.trump == NO_TRUMP or f.phase < KITTY:
            return [_Pools(_OPEN, size, _OPEN, gained)]
        total, most = self._total(f, seat)
        total, most = max(total - returned, _OPEN), most - returned
        asked = int(f.asked[seat])
        if asked == 0 and not self.rules.five:  # bidder_takes_rest: one pool, as nothing tells its parts apart
            whole = size + gained
            if total == _OPEN and most < whole:
                return [_Pools(n, whole, 0, 0) for n in range(most + 1)]
            return [_Pools(total, whole, 0, 0)]
        if asked == 0:
            if total == _OPEN:
                return [_Pools(_OPEN, size, _OPEN, gained)]
            found = [_Pools(total - n, size, n, gained) for n in range(min(gained, total) + 1)]
            return [pools for pools in found if pools.possible()]
        kept = [MAX_TRUMPS + 1 - asked] if asked > 1 else list(range(MAX_TRUMPS, size + 1))
        found = []
        for dealt in kept:
            if total != _OPEN:
                found += [_Pools(dealt, size, total - dealt, gained)] if total >= dealt else []
            elif dealt + gained > most:
                found += [_Pools(dealt, size, n, gained) for n in range(most - dealt + 1)]
            else:
                found.append(_Pools(dealt, size, _OPEN, gained))
        return [pools for pools in found if pools.possible()]

    def taker(self, f: Facts) -> int:
        """Who got the trumps that the observer threw away, -1 if nobody has (`discarded_trump="to_kitty"`, BD-12)."""
        if self.rules.discarded_trump != "to_kitty" or not f.thrown or f.bidder < 0:
            return -1
        last = (f.bidder + 2) % self.seats  # they lie at the bottom
        return last if f.received[last] else f.bidder if f.received[f.bidder] else -1

    def _total(self, f: Facts, seat: int) -> tuple[int, int]:
        """Trumps that a seat has had in all, with those played and burned: (number or _OPEN, most)."""
        if f.burns[seat] and self.has_burned(f, seat):
            return MAX_TRUMPS + int(f.burns[seat]), CARDS
        if self.swaps(f, seat):
            return _OPEN, CARDS
        if f.phase == PLAY and f.out[seat]:
            return int(np.bitwise_count(f.played[seat])) + int(f.burns[seat]), CARDS
        return _OPEN, MAX_TRUMPS if self.has_burned(f, seat) else CARDS

    def has_burned(self, f: Facts, seat: int) -> bool:
        """The seat has burned what it had to, or had nothing to burn (BD-17)."""
        if f.phase != BURN:
            return f.phase == PLAY
        order = list(range(5)) if self.seats == 5 else [0, 2, 1, 3]
        places = [order.index((s - f.bidder) % self.seats) for s in (seat, 0)]
        return places[0] < places[1]

    def swaps(self, f: Facts, seat: int) -> bool:
        """The seat may have got trumps of the leftovers that nobody counted (BD-15)."""
        side = seat == f.bidder or (seat - f.bidder) % self.seats == 2
        return self.rules.kitty_mode == "auto_swap" and self.seats == 4 and f.kitty_size > 0 and side

    def _allowed(self, f: Facts, cards: I64, pools: tuple[_Pools, ...]) -> Bools:
        """Where each card may be. bool [k, L]."""
        allowed: Bools = np.ones((len(cards), self.places), np.bool_)
        trumps = self._in(cards, int(self.tables.trumps[f.trump]))
        for seat, numbers in enumerate(pools, start=1):
            at = SEAT_PLACES * (seat - 1)
            for place, number in ((DEALT, numbers.dealt), (GAINED, numbers.gained)):
                if number != _OPEN:
                    allowed[~trumps, at + place] = False
                    if not (place == DEALT and self.rules.discarded_trump != "forbidden"):
                        allowed[trumps, at + place + 1] = False
            shown = int(f.played[seat] | f.burned[seat])
            mine, sources = np.flatnonzero(self._in(cards, shown)), [at + DEALT, at + GAINED]
            if self.swaps(f, seat):
                sources.append(self.stock)
            keep = allowed[mine][:, sources]
            allowed[mine] = False
            allowed[mine[:, None], sources] = keep
        mine = (f.own | f.got) & int(self.tables.trumps[f.trump])
        if f.bidder == 0 and self.swaps(f, 0) and mine.bit_count() < MAX_TRUMPS:
            allowed[trumps, self.stock] = False  # one would have got them
        for seat in range(1, self.seats):
            self._proofs(f, cards, seat, trumps, allowed)
        if f.called != NO_CARD:
            self._place_called(f, cards, allowed)
        return allowed

    def _proofs(self, f: Facts, cards: I64, seat: int, trumps: Bools, allowed: Bools) -> None:
        """What a seat has proved not to hold by what it burned and led."""
        places = slice(SEAT_PLACES * (seat - 1), SEAT_PLACES * seat)
        shown = self._in(cards, int(f.played[seat] | f.burned[seat]))
        if self.rules.burn_policy == "nonpoint_first" and int(f.burned[seat]) & int(self.tables.points[f.trump]):
            plain = trumps & ~self._in(cards, int(self.tables.points[f.trump])) & ~shown & (cards != f.called)
            allowed[plain, places] = False
        hidden_burns = f.burns[seat] and not self.rules.burn_visible
        if self.rules.first_lead_natural and seat == f.lead and not hidden_burns:
            natural = int(self.tables.natural[f.trump])
            led = int(f.first[seat])
            if not natural >> led & 1 and led != f.called:
                had = self._in(cards, natural) & trumps & ~self._in(cards, int(f.burned[seat]))
                for place in (DEALT, GAINED):
                    allowed[had, places.start + place] = False

    def _place_called(self, f: Facts, cards: I64, allowed: Bools) -> None:
        """Who may hold the called card (P-5H-03..06, BD-24)."""
        row = np.flatnonzero(cards == f.called)
        for seat in range(1, self.seats):
            at = SEAT_PLACES * (seat - 1)
            other = f.first[seat] not in (NO_CARD, f.called)  # he has played another card to trick 1
            must_have = other and self.rules.called_card_first_trick
            if seat == f.bidder:
                if must_have or not self.rules.call_own:
                    allowed[row, at + DEALT] = False
                if other:  # from the blind he would have had to lead it
                    allowed[row, at + GAINED] = False
            elif must_have:
                allowed[row, at : at + SEAT_PLACES] = False

    @staticmethod
    def _in(cards: I64, word: int) -> Bools:
        """Which of the cards are in a set."""
        return (np.uint64(word) & BIT[cards]) != 0

    def by_cost(self, trump: int) -> list[int]:
        """The trumps in the order in which one would burn them: cheapest first, of equal ones the lowest."""
        cards = trumps_by_strength(self.rules, trump)[::-1]
        worth = {card: int(self._worth[trump, card]) for card in cards}
        return sorted(cards, key=lambda card: worth[card])
