"""One game of Thousand as a `Scene`: what the table looks like to one seat, or with all cards open.

Cards of a hand, or of a talon, are put into the scene only if they may be seen; of the others it knows the number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.errors import BidtrickError
from ..rendering import (
    DEALER,
    DECLARER,
    FOREHAND,
    OUT,
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
)
from .log import events
from .tables import DARK, DECK, NO_SUIT, PLAY
from .tables import POINTS as CARD_POINTS
from .view import MARRIAGE_KINDS, NAMES, Play, TableView

if TYPE_CHECKING:
    from .game import Thousand


def scene(
    game: Thousand,
    index: int = 0,
    *,
    seat: int | None = None,
    open_hands: bool = False,
    names: Sequence[str] | None = None,
) -> Scene:
    """The picture of game `index` (see `BatchedGame.scene`).

    Raises: BidtrickError for a game, seat or number of names that does not exist.
    """
    players = game.rules.players
    if not 0 <= index < game.num_games:
        raise BidtrickError(f"thousand: game {index} is not in 0..{game.num_games - 1}")
    if seat is not None and not 0 <= seat < players:
        raise BidtrickError(f"thousand: seat {seat} is not in 0..{players - 1}")
    if names is not None and len(names) != players:
        raise BidtrickError(f"thousand: {len(names)} names were given for {players} seats")
    viewer = seat or 0
    one = game.select([index]) if open_hands else game.seen_by(index, viewer)
    return _Painter(TableView(one, 0, tuple(names or NAMES[players])), viewer, open_hands).scene()


class _Painter:
    """Puts a scene together for one viewer."""

    def __init__(self, view: TableView, viewer: int, open_hands: bool) -> None:
        self.view, self.viewer, self.open_hands = view, viewer, open_hands

    def sees(self, seat: int) -> bool:
        """Whether the viewer sees a seat's cards; his own only when he has looked at them (T-DARK-01)."""
        if self.open_hands:
            return True
        return seat == self.viewer and self.view.phase != DARK and self.view.blind != seat

    def scene(self) -> Scene:
        view = self.view
        last = view.trick_number(view.tricks - 1) if view.tricks else []
        return Scene(
            title=view.spec.title,
            subtitle=self._subtitle(),
            seats=tuple(self._seat(seat) for seat in range(view.players)),
            bottom_seat=self.viewer,
            direction="clockwise",
            phase=view.phase_name,
            prompt=self._prompt(),
            contract=self._contract(),
            auction=self._auction(),
            trick=self._trick(view.trick, view.tricks),
            last_trick=self._trick(last, view.tricks - 1),
            last_trick_note=self._last_note(last),
            piles=self._piles(),
            score_columns=("score", "bolts", "barrel", "deal"),
            score_rows=tuple(self._score_row(seat) for seat in range(view.players)),
            events=events(view),
            footer="9 0 · J 2 · Q 3 · K 4 · 10 10 · A 11   marriages "
            + " ".join(f"{MARRIAGE_KINDS[s]}{view.rules.marriage_values[s]}" for s in range(4)),
        )

    def _subtitle(self) -> str:
        view = self.view
        kind = "golden deal" if view.golden else "deal"
        return f"{kind} {view.deal_number} · match to {view.rules.target} · rules: {view.rules.preset_name or 'custom'}"

    def _prompt(self) -> str:
        view = self.view
        if not view.finished:
            return f"{view.names[view.player]}, {view.question()}"
        if view.winner >= 0:
            return f"{view.names[view.winner]} wins the match with {view.scores[view.winner]}"
        return "The match is a draw" if view.winner < -1 else "Deal over"

    def _contract(self) -> Contract | None:
        view = self.view
        if view.declarer < 0:
            return None
        amount = str(view.contract or view.price)
        trump = view.trump if view.trump != NO_SUIT else -1
        owner = f", trump by {view.names[view.trump_owner]}" if trump >= 0 else ", no trump yet"
        dark = " in the dark" if view.dark == view.declarer else ""
        suit = DECK.suit_keys[trump] if trump >= 0 else None
        return Contract(amount, suit, f"{view.names[view.declarer]}{dark}{owner if view.phase == PLAY else ''}")

    def _auction(self) -> tuple[AuctionLine, ...]:
        said: dict[int, list[str]] = {}
        for seat, call in self.view.calls:
            said.setdefault(seat, []).append(call)
        return tuple(AuctionLine(seat, tuple(calls)) for seat, calls in said.items())

    def _seat(self, seat: int) -> SeatScene:
        view, seen = self.view, self.sees(seat)
        cards = view.hands[seat]
        mine = seen and seat == view.player
        legal = {action for action in view.legal if action < DECK.size} if mine and view.phase == PLAY else set[int]()
        if mine and view.phase == PLAY:
            legal |= self._declarable()
        roles = {
            YOU: seat == self.viewer and not self.open_hands,
            TO_ACT: seat == view.player,
            DECLARER: seat == view.declarer,
            FOREHAND: seat == view.forehand,
            DEALER: seat == view.dealer,
            OUT: seat == view.sits_out,
            "barrel": view.barrel[seat],
            "dark": view.dark == seat,
        }
        marriages = [f"{MARRIAGE_KINDS[kind]} {view.marriage_value(kind)}" for kind in view.declared[seat]]
        calls = [call for who, call in view.calls if who == seat]
        return SeatScene(
            name=view.names[seat],
            hand=tuple(self._face(c, c in legal) for c in cards) if seen else (),
            show_hand=seen,
            face_down=0 if seen else len(cards),
            badges=tuple(badge for badge, applies in roles.items() if applies),
            bubble=calls[-1] if calls and not view.plays and not view.contract else "",
            tricks=None if seat == view.sits_out else view.taken[seat],
            note=", ".join(marriages),
        )

    def _declarable(self) -> set[int]:
        names = {f"Declare {DECK.format(c)}": c for c in range(DECK.size)}
        return {names[self.view.spec.actions[a]] for a in self.view.legal if self.view.spec.actions[a] in names}

    def _face(self, card: int, legal: bool = False) -> CardFace:
        suit, rank = divmod(card, 6)
        return CardFace(DECK.rank_labels[rank], DECK.suit_keys[suit], rank, legal)

    def _trick(self, plays: Sequence[Play], number: int) -> tuple[TrickCard, ...]:
        best = self.view.best_of(plays, number) if plays else -1
        return tuple(TrickCard(p.seat, self._face(p.card), i == best) for i, p in enumerate(plays))

    def _last_note(self, plays: Sequence[Play]) -> str:
        if not plays:
            return ""
        view = self.view
        winner = plays[view.best_of(plays, view.tricks - 1)].seat
        return f"{sum(CARD_POINTS[p.card % 6] for p in plays)} points for {view.names[winner]}"

    def _piles(self) -> tuple[Pile, ...]:
        """The talon: face down in the auction, open when it was shown, known to the declarer anyway."""
        view = self.view
        if view.phase == PLAY and not view.shown and not self.open_hands and not view.sees_talon[self.viewer]:
            return ()
        if not view.talon:
            if self.open_hands:
                return (Pile("talon", tuple(self._face(c) for c in view.stock_left), center=True),)
            return (Pile("talon", face_down=len(view.stock_left), center=True),)
        if self.open_hands or view.sees_talon[self.viewer]:
            note = "shown to all" if view.shown else "seen by the declarer only"
            return (Pile("talon", tuple(self._face(c) for c in view.talon), note=note, center=view.phase != PLAY),)
        return (Pile("talon", face_down=len(view.talon), note="not shown", center=view.phase != PLAY),)

    def _score_row(self, seat: int) -> ScoreRow:
        """As players write it: a dash for each bolt, the tries on the barrel."""
        view = self.view
        barrel = ""
        if view.barrel[seat]:
            barrel = f"try {view.attempts[seat] + 1} of {view.rules.barrel_attempts}"
        elif view.falls[seat]:
            barrel = f"fell {view.falls[seat]}×"
        marriages = f"+{view.marriages[seat]}" if view.marriages[seat] else ""
        deal = "" if seat == view.sits_out else f"{view.points[seat]}{marriages}"
        values = (str(view.scores[seat]), "—" * view.bolts[seat], barrel, deal)
        return ScoreRow(view.names[seat], values, highlight=seat == self.viewer)
