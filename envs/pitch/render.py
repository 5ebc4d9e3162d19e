"""One game of Pitch as a `Scene`: what the table looks like to one seat, or with all cards open.

Everything is read from the state of one game and never written. A hand is put into the scene only if it may be
seen. Even the number of trumps in another hand is a secret, so closed hands show six cards less those played.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from ..core.bits import indices_of
from ..core.errors import BidtrickError
from ..core.game import BatchedGame
from ..rendering import (
    DEALER,
    DECLARER,
    OUT,
    PARTNER,
    SUIT_STYLES,
    TO_ACT,
    YOU,
    AuctionLine,
    CardFace,
    Contract,
    Pile,
    Scene,
    ScoreRow,
    SeatScene,
    TrickCard,
)  # fmt: skip
from .reports import facts_of
from .rules import PitchRules
from .state import BURNED, HELD, IN_BLIND, OWN, PLAYED, POINTS, SEEN, PitchState
from .tables import (
    BURN,
    CALL,
    CARDS,
    COLUMNS,
    DISCARD,
    HIGH_JOKER,
    KITTY,
    LABELS,
    LOW_JOKER,
    MISDEAL,
    NO_CARD,
    NO_TRUMP,
    PHASES,
    PLAY,
    SUITS,
    seat_flags,
    tables,
)  # fmt: skip

_COMPASS = ("South", "West", "North", "East")
_FIVE = ("Anna", "Ben", "Carl", "Dora", "Emil")


class Play(NamedTuple):
    """A card played."""

    seat: int
    card: int


def scene(
    game: BatchedGame[PitchState],
    index: int = 0,
    *,
    seat: int | None = None,
    open_hands: bool = False,
    names: Sequence[str] | None = None,
) -> Scene:
    """The picture of game `index` (see `BatchedGame.scene`).

    Raises: BidtrickError for a game, seat or number of names that does not exist.
    """
    seats = game.spec.num_seats
    if not 0 <= index < game.num_games:
        raise BidtrickError(f"pitch: game {index} is not in 0..{game.num_games - 1}")
    if seat is not None and not 0 <= seat < seats:
        raise BidtrickError(f"pitch: seat {seat} is not in 0..{seats - 1}")
    if names is not None and len(names) != seats:
        raise BidtrickError(f"pitch: {len(names)} names were given for {seats} seats")
    return _Painter(game, index, tuple(names or (_COMPASS if seats == 4 else _FIVE)), seat or 0, open_hands).scene()


class _Painter:
    """Puts a scene together for one viewer."""

    def __init__(
        self, game: BatchedGame[PitchState], index: int, names: tuple[str, ...], viewer: int, open_hands: bool
    ) -> None:
        s = game.state
        self.spec, self.names, self.viewer, self.open_hands = game.spec, names, viewer, open_hands
        self.rules = cast(PitchRules, game.spec.rules)
        self.tables = tables(self.rules)
        self.players = self.rules.players
        self.cards: list[list[int]] = s.cards[index].tolist()
        self.player, self.phase = int(s.player[index]), int(s.phase[index])
        self.finished = self.player < 0
        self.dealer, self.bidder, self.bid = int(s.dealer[index]), int(s.bidder[index]), int(s.bid[index])
        self.trump, self.called = int(s.trump[index]), int(s.called[index])
        self.partner, self.called_from = int(s.partner[index]), int(s.called_from[index])
        self.shown = bool(s.shown[index])
        self.flags = int(s.flags[index])
        self.points: list[int] = s.sheet[index, POINTS, : self.players].tolist()
        self.scores: list[int] = s.scores[index].tolist()
        self.gain: list[int] = facts_of(s, self.rules)["gain"][index].tolist()
        self.hand_number = int(s.hand_number[index])
        self.kitty_size, self.filled = int(s.kitty_size[index]), bool(s.filled[index])
        self.left = int(s.stock_end[index]) - int(s.stock_next[index])
        self.winners = np.flatnonzero(s.winners[index]).tolist()
        self.result: dict[str, Any] = game.result(index) if self.finished else {}
        self.legal: set[int] = set(np.flatnonzero(game.legal_actions()[index]).tolist())
        log: list[int] = s.log[index, : int(s.log_length[index])].tolist()
        self.log = [(entry & 7, entry >> 3) for entry in log]
        when: list[int] = s.when[index, :CARDS].tolist()
        order = sorted((place, card) for card, place in enumerate(when) if place)
        self.plays = [((place - 1) // self.players, Play(self._owner(card), card)) for place, card in order]
        self.complete = int(s.tricks[index])
        self.teams = ("N/S", "E/W") if names == _COMPASS else ("Team A", "Team B")

    def _owner(self, card: int) -> int:
        return next(seat for seat in range(self.players) if self.cards[seat][PLAYED] >> card & 1)

    def flag(self, name: str, seat: int) -> bool:
        return bool(self.flags & seat_flags(self.players).bit(name, seat))

    def sees(self, seat: int) -> bool:
        return self.open_hands or seat == self.viewer

    @property
    def knows_partner(self) -> bool:
        """P-5H-04: everybody once the card is played, its holder, and a bidder who is alone."""
        alone = self.viewer == self.bidder and self.called_from in (IN_BLIND, OWN)
        return self.shown or self.open_hands or (self.partner >= 0 and self.viewer == self.partner) or alone

    @property
    def acting(self) -> int:
        """Whose turn it is, as the viewer sees it (who is asked about a misdeal is secret, BD-6)."""
        secret = self.phase == MISDEAL and not self.finished and not self.sees(self.player)
        return (self.dealer + 1) % self.players if secret else self.player

    # -- words

    def face(self, card: int, legal: bool = False) -> CardFace:
        """The face of a card; trumps are sorted by strength."""
        power = int(self.tables.strength[self.trump * COLUMNS + card])
        if card >= LOW_JOKER:
            return CardFace("HJ" if card == HIGH_JOKER else "LJ", "joker", max(power, card), legal)
        return CardFace(LABELS[card % 13], self.spec.deck.suit_keys[card // 13], card % 13, legal)

    def text(self, card: int) -> str:
        return self.face(card).text

    def trump_text(self, trump: int) -> str:
        return f"{SUIT_STYLES[self.spec.deck.suit_keys[trump]].symbol} {SUITS[trump]}"

    def action_text(self, seat: int, action: int) -> str:
        a, name = self.tables.actions, self.names[seat]
        if action >= a.first_bid:
            call = self.spec.actions[action].lower()
            return f"{name} passes" if action == a.first_bid else f"{name}: {call}"
        if a.first_suit <= action < a.first_suit + 4:
            return f"{name} names {self.trump_text(action - a.first_suit)}"
        if action < CARDS:
            return f"{name} {'calls' if action == self.called and seat == self.bidder else 'burns'} {self.text(action)}"
        words = {
            a.keep: "keeps the leftovers", a.give: "passes the leftovers on", a.look: "looks at a card",
            a.stop: "stops looking", a.done: "is done discarding",
        }  # fmt: skip
        return f"{name} {words[action]}"

    # -- tricks

    @cached_property
    def tricks(self) -> list[list[Play]]:
        """All tricks, the present one last if cards lie on the table."""
        count = self.plays[-1][0] + 1 if self.plays else 0
        return [[play for number, play in self.plays if number == k] for k in range(count)]

    def best(self, plays: Sequence[Play]) -> int:
        """Place of the winning card (of two equal jokers the first played)."""
        power = [int(self.tables.strength[self.trump * COLUMNS + p.card]) for p in plays]
        return power.index(max(power))

    def trick_cards(self, plays: Sequence[Play]) -> tuple[TrickCard, ...]:
        best = self.best(plays) if plays else -1
        return tuple(TrickCard(p.seat, self.face(p.card), i == best) for i, p in enumerate(plays))

    def tricks_of(self, seat: int) -> int:
        return sum(t[self.best(t)].seat == seat for t in self.tricks[: self.complete])

    # -- the scene

    def scene(self) -> Scene:
        lying = self.tricks[self.complete] if len(self.tricks) > self.complete else []
        last = self.tricks[self.complete - 1] if self.complete else []
        return Scene(
            title=self.spec.title,
            subtitle=self._subtitle(),
            seats=tuple(self._seat(seat) for seat in range(self.players)),
            bottom_seat=self.viewer,
            direction="clockwise",
            phase=self._phase(),
            prompt=self._prompt(),
            contract=self._contract(),
            auction=self._auction(),
            trick=self.trick_cards(lying),
            last_trick=self.trick_cards(last),
            last_trick_note=f"taken by {self.names[last[self.best(last)].seat]}" if last else "",
            piles=tuple(self._piles()),
            score_columns=("total", "hand"),
            score_rows=self._score_rows(),
            events=tuple(self._events()),
            footer=self._footer(),
        )

    def _subtitle(self) -> str:
        preset = next((name for name in self.rules.presets if PitchRules.make(name) == self.rules), "custom")
        number = self.hand_number + (not self.finished)
        return f"hand {number} · {self.rules.total} points · match to {self.rules.target} · rules: {preset}"

    def _footer(self) -> str:
        worth = self.rules.points_map.points
        return "points: " + " ".join(f"{symbol} {value}" for symbol, value in worth.items())

    def _phase(self) -> str:
        if self.finished:
            return "match over" if self.winners or self.result.get("truncated") else "hand over"
        if self.phase == PLAY:
            return f"trick {self.complete + 1}"
        return "auction" if self.phase == MISDEAL and not self.sees(self.player) else PHASES[self.phase]

    def _prompt(self) -> str:
        if self.finished:
            return self._outcome()
        name = self.names[self.acting]
        if self.phase == MISDEAL and self.sees(self.player):
            return f"{name}, call a misdeal or play on?"
        a = self.tables.actions
        if self.phase == KITTY:
            choice = "keep or pass" if a.keep in self.legal else "look at the next of"
            return f"{name}, {choice} the {self.left} leftovers"
        words = {
            PHASES.index("trump"): "name trump", CALL: "call a card", DISCARD: "throw trumps away, or be done",
            BURN: "burn down to six trumps", PLAY: "play a trump",
        }  # fmt: skip
        return f"{name}, {words.get(self.phase, 'bid')}"

    def _outcome(self) -> str:
        r = self.result
        side = self.names[self.bidder]
        verdict = "made" if r["made"] else "set"
        text = f"Hand over: {r['bid_name']} by {side} {verdict} with {r['took']}, the others {r['against']}"
        if self.winners:
            who = self.names if self.players == 5 else self.teams
            text += f". The match goes to {', '.join(who[w] for w in self.winners)}"
        return text

    def _contract(self) -> Contract | None:
        if self.bidder < 0 or self.phase < PHASES.index("trump"):
            return None
        bid = self.spec.actions[self.tables.actions.first_bid + self.bid]
        detail = f"by {self.names[self.bidder]}"
        if self.called != NO_CARD:
            detail += f", called {self.text(self.called)}"
            if self.knows_partner:
                detail += f" ({self.names[self.partner]})" if self.partner >= 0 else " (alone)"
        if self.trump == NO_TRUMP:
            return Contract(bid, None, detail)
        return Contract(f"{bid}, trump {self.trump_text(self.trump)}", self.spec.deck.suit_keys[self.trump], detail)

    def _auction(self) -> tuple[AuctionLine, ...]:
        first = self.tables.actions.first_bid
        calls = [(seat, self.spec.actions[action]) for seat, action in self.log if action >= first]
        return tuple(AuctionLine(seat, (call,)) for seat, call in calls)

    def _seat(self, seat: int) -> SeatScene:
        seen = self.sees(seat)
        held = indices_of(self.cards[seat][HELD])
        legal = self.legal if seen and seat == self.player else set[int]()
        closed = 0
        if not seen and not self.finished:
            if self.trump == NO_TRUMP:
                closed = len(held)
            elif not self.flag("out", seat):
                closed = max(0, 6 - self.cards[seat][PLAYED].bit_count())
        points = self.points[seat]
        return SeatScene(
            name=self.names[seat],
            team="" if self.players == 5 else self.teams[seat % 2],
            hand=tuple(self.face(card, card in legal) for card in held) if seen else (),
            show_hand=seen,
            face_down=closed,
            badges=self._badges(seat),
            bubble=self._bubble(seat),
            tricks=self.tricks_of(seat) if self.phase == PLAY else None,
            note=f"{points} points" if points else "",
        )

    def _badges(self, seat: int) -> tuple[str, ...]:
        roles = {
            YOU: seat == self.viewer and not self.open_hands,
            TO_ACT: seat == self.acting,
            DECLARER: self.flag("bidder", seat),
            PARTNER: self.players == 5 and self.partner == seat and self.knows_partner,
            DEALER: seat == self.dealer,
            OUT: self.flag("out", seat),
        }
        return tuple(badge for badge, applies in roles.items() if applies)

    def _bubble(self, seat: int) -> str:
        """The last call, while the auction lasts."""
        if self.phase >= CALL:
            return ""
        first = self.tables.actions.first_bid
        return next((self.spec.actions[a].lower() for who, a in self.log if who == seat and a >= first), "")

    def _piles(self) -> list[Pile]:
        piles: list[Pile] = []
        if not self.finished and self.phase <= KITTY and self.left:
            label = "Leftovers" if self.filled else "Blind" if self.players == 5 else "Stock"
            piles.append(Pile(label, face_down=self.left, center=self.phase == KITTY))
        for seat in range(self.players):
            seen = indices_of(self.cards[seat][SEEN])
            if seen and self.sees(seat):
                piles.append(Pile(f"Leftovers seen by {self.names[seat]}", tuple(self.face(c) for c in seen)))
            burned = indices_of(self.cards[seat][BURNED])
            if burned:
                open_ = self.rules.burn_visible or self.sees(seat)
                cards = tuple(self.face(c) for c in burned) if open_ else ()
                piles.append(Pile(f"Burned by {self.names[seat]}", cards, 0 if open_ else len(burned)))
        return piles

    def _score_rows(self) -> tuple[ScoreRow, ...]:
        """Totals, and what a finished hand has changed or the points won so far."""
        if self.players == 5:
            hand = self.gain if self.finished else self.points
            rows = zip(self.names, self.scores, hand, strict=True)
        else:
            sides = [self.points[0] + self.points[2], self.points[1] + self.points[3]]
            rows = zip(self.teams, self.scores, self.gain if self.finished else sides, strict=True)
        own = self.viewer if self.players == 5 else self.viewer % 2
        return tuple(ScoreRow(name, (str(x), str(y)), k == own) for k, (name, x, y) in enumerate(rows))

    def _events(self) -> list[str]:
        lines = [f"{self.names[self.dealer]} deals"]
        lines += [self.action_text(seat, action) for seat, action in self.log]
        for number, plays in enumerate(self.tricks):
            if number < self.complete:
                best = plays[self.best(plays)]
                lines.append(f"Trick {number + 1}: {self.names[best.seat]} with {self.text(best.card)}")
            else:
                lines += [f"{self.names[p.seat]} plays {self.text(p.card)}" for p in plays]
        return lines
