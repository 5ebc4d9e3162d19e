"""One game of Schieber as a `Scene`: what the table looks like to one seat, or with all cards open.

Everything is read from the state of one game and never written. Cards of a hand are put into the scene only
if that hand may be seen; of the others the scene knows the number, so a picture cannot leak them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..core.bits import indices_of
from ..core.errors import BidtrickError
from ..core.game import BatchedGame
from ..rendering import (
    DEALER,
    DECLARER,
    FOREHAND,
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
from .log import events, hand_points
from .state import DRAW, SchieberState
from .tables import FIRST_CONTRACT, NO_CONTRACT, OBENABE, PUSH, TRUMP_ORDER, UNDENUFE
from .view import COMPASS, Play, TableView

NUM_SEATS = 4


def scene(
    game: BatchedGame[SchieberState],
    index: int = 0,
    *,
    seat: int | None = None,
    open_hands: bool = False,
    names: Sequence[str] | None = None,
) -> Scene:
    """The picture of game `index` (see `BatchedGame.scene`).

    Raises: BidtrickError for a game, seat or number of names that does not exist.
    """
    if not 0 <= index < game.num_games:
        raise BidtrickError(f"schieber: game {index} is not in 0..{game.num_games - 1}")
    if seat is not None and not 0 <= seat < NUM_SEATS:
        raise BidtrickError(f"schieber: seat {seat} is not in 0..{NUM_SEATS - 1}")
    if names is not None and len(names) != NUM_SEATS:
        raise BidtrickError(f"schieber: {len(names)} names were given for {NUM_SEATS} seats")
    return _Painter(TableView(game, index, tuple(names or COMPASS)), seat or 0, open_hands).scene()


class _Painter:
    """Puts a scene together for one viewer."""

    def __init__(self, view: TableView, viewer: int, open_hands: bool) -> None:
        self.view, self.viewer, self.open_hands = view, viewer, open_hands

    def sees(self, seat: int) -> bool:
        return self.open_hands or seat == self.viewer

    def scene(self) -> Scene:
        view = self.view
        return Scene(
            title=view.spec.title,
            subtitle=self._subtitle(),
            seats=tuple(self._seat(seat) for seat in range(NUM_SEATS)),
            bottom_seat=self.viewer,
            direction="counterclockwise",
            phase=self._phase(),
            prompt=self._prompt(),
            contract=self._contract(),
            auction=self._auction(),
            trick=self._trick(view.trick),
            last_trick=self._trick(view.last_trick),
            last_trick_note=self._last_trick_note(),
            piles=self._piles(),
            score_columns=("total", "hand", "cards", "Weis", "Stöck"),
            score_rows=tuple(self._score_row(team) for team in (0, 1)),
            events=events(view),
            footer=self._footer,
        )

    # -- head and foot

    def _subtitle(self) -> str:
        view = self.view
        rules = view.rules
        number = view.hand_number + (0 if view.finished else 1)
        length = f"of {rules.hands}" if rules.hands is not None else f"· match to {rules.target}"
        preset = next((name for name in rules.presets if type(rules).make(name) == rules), "custom")
        return f"hand {number} {length} · rules: {preset}"

    @cached_property
    def _footer(self) -> str:
        """What the letters and symbols on the cards mean."""
        names, labels = self.view.deck.ranks, self.view.labels
        letters = [f"{labels[r]} {names[r]}" for r in range(8, 3, -1) if labels[r] != names[r]]
        suits = [self.view.suit_text(suit) for suit in range(4)]
        return "   ".join((*letters, *suits))

    def _phase(self) -> str:
        view = self.view
        if view.finished:
            return "match over" if view.winner >= 0 else "hand over"
        if view.contract == NO_CONTRACT:
            return "choosing the contract"
        return f"trick {view.tricks + 1} of 9"

    def _prompt(self) -> str:
        view = self.view
        if view.finished:
            return self._outcome()
        name = view.names[view.player]
        if view.contract != NO_CONTRACT:
            return f"{name}, {self._play_prompt()}"
        choices = [
            f"{view.contract_symbol(a - FIRST_CONTRACT)} ×{view.rules.multipliers[a - FIRST_CONTRACT]}"
            for a in view.legal
            if FIRST_CONTRACT <= a < PUSH
        ]
        if PUSH in view.legal:
            choices.append(f"push to {view.names[(view.player + 2) % 4]}")
        return f"{name}, choose: {', '.join(choices[:-1])} or {choices[-1]}"

    def _play_prompt(self) -> str:
        view = self.view
        if not view.trick:
            return "lead any card"
        led = view.trick[0].card // 9
        best = view.trick[view.best_of(view.trick)].card
        asked = f"{view.suit_text(led)} was led"
        if best // 9 != led:
            asked += f", ruffed by {view.card_text(best)}"
        return f"play a card ({asked})"

    def _outcome(self) -> str:
        view = self.view
        points = view.hand_total
        text = f"Hand over: {view.teams[0]} {points[0]}, {view.teams[1]} {points[1]}"
        if view.winner == DRAW:
            return f"{text}. The match is a draw."
        if view.winner >= 0:
            schneider = ", Schneider" if view.schneider else ""
            scores = f"{view.scores[view.winner]} to {view.scores[1 - view.winner]}"
            return f"{text}. {view.teams[view.winner]} win the match {scores}{schneider}"
        return text

    # -- contract

    def _contract(self) -> Contract | None:
        view = self.view
        if view.contract == NO_CONTRACT:
            return None
        how = f"by {view.names[view.declarer]}"
        if view.pushes == 1:
            how += f" after {view.names[view.forehand]} pushed"
        elif view.pushes:
            how += " after two pushes"
        if view.contract == OBENABE:
            order = "no trump, high cards win"
        elif view.contract == UNDENUFE:
            order = "no trump, LOW cards win"
        else:
            order = "order " + " ".join(view.labels[r] for r in reversed(TRUMP_ORDER))
        suit = view.deck.suit_keys[view.contract] if view.contract < OBENABE else None
        name = ("Trump " if suit else "") + view.contract_name(view.contract)
        return Contract(f"{name} ×{view.multiplier}", suit, f"{how}; {order}")

    def _auction(self) -> tuple[AuctionLine, ...]:
        view = self.view
        if view.player < 0 and view.contract == NO_CONTRACT:
            return ()
        forehand, partner = view.forehand, (view.forehand + 2) % 4
        calls: dict[int, list[str]] = {forehand: []}
        for number in range(view.pushes):
            calls.setdefault((forehand, partner)[number % 2], []).append("push")
        if view.contract != NO_CONTRACT:
            calls.setdefault(view.declarer, []).append(view.contract_label(view.contract))
        elif view.player >= 0:
            calls.setdefault(view.player, [])
        return tuple(AuctionLine(seat, tuple(said)) for seat, said in calls.items())

    # -- seats

    def _seat(self, seat: int) -> SeatScene:
        view, seen = self.view, self.sees(seat)
        cards = indices_of(view.hands[seat])
        legal = set(view.legal) if seen and seat == view.player else set[int]()
        return SeatScene(
            name=view.names[seat],
            team=view.teams[seat % 2],
            hand=tuple(self._face(c, c in legal) for c in cards) if seen else (),
            show_hand=seen,
            face_down=0 if seen else len(cards),
            badges=self._badges(seat),
            bubble=self._bubble(seat),
            tricks=view.tricks_of(seat),
        )

    def _badges(self, seat: int) -> tuple[str, ...]:
        """Roles, then what is known of Weis and Stöck: their holder knows it first."""
        view = self.view
        roles = {
            YOU: seat == self.viewer and not self.open_hands,
            TO_ACT: seat == view.player,
            DECLARER: seat == view.declarer,
            FOREHAND: seat == view.forehand,
            DEALER: seat == (view.forehand + 3) % 4,
            f"Weis {view.weis[seat]}": view.declared(seat),
            f"holds Weis {view.weis[seat]}": self._holds_weis(seat),
            "Stöck": view.flag("stock", seat),
            "holds Stöck": self.sees(seat) and view.pair_seat == seat,
            "pushed": view.flag("pushed", seat),
        }
        return tuple(badge for badge, applies in roles.items() if applies)

    def _holds_weis(self, seat: int) -> bool:
        view = self.view
        return self.sees(seat) and view.weis[seat] > 0 and not view.declared(seat) and not view.finished

    def _bubble(self, seat: int) -> str:
        """What the player said last, while it is news."""
        view = self.view
        last = view.plays[-1] if view.plays else None
        if last and last.seat == seat and view.stock_scored_at == len(view.plays) - 1:
            return "Stöck!"
        if view.contract == NO_CONTRACT:
            return "push" if view.flag("pushed", seat) else ""
        if not view.plays:
            return view.contract_label(view.contract) if seat == view.declarer else ""
        if len(view.plays) <= 4 and view.declared(seat):
            return f"Weis {view.weis[seat]}"
        return ""

    # -- cards

    def _face(self, card: int, legal: bool = False) -> CardFace:
        """The face of a card; the strongest of a suit is sorted first."""
        view = self.view
        suit, rank = divmod(card, 9)
        key = rank
        if view.contract == suit:
            key = TRUMP_ORDER.index(rank)
        elif view.contract == UNDENUFE:
            key = 8 - rank
        return CardFace(view.labels[rank], view.deck.suit_keys[suit], key, legal)

    def _trick(self, plays: Sequence[Play]) -> tuple[TrickCard, ...]:
        best = self.view.best_of(plays) if plays else -1
        return tuple(TrickCard(p.seat, self._face(p.card), i == best) for i, p in enumerate(plays))

    def _last_trick_note(self) -> str:
        view = self.view
        if not view.last_trick:
            return ""
        points = view.trick_points(view.tricks - 1)
        winner = view.last_trick[view.best_of(view.last_trick)].seat
        return f"{hand_points(points, view.multiplier)} for {view.teams[winner % 2]}"

    def _piles(self) -> tuple[Pile, ...]:
        """The cards of Weis that lie open (J-WEIS-08)."""
        view = self.view
        piles: list[Pile] = []
        for seat in range(NUM_SEATS):
            cards = indices_of(view.shown[seat])
            if cards:
                counts = view.weis_scored[seat % 2] > 0
                note = f"{view.weis[seat]}{f' × {view.multiplier}' if counts else ', does not count'}"
                piles.append(Pile(f"Weis of {view.names[seat]}", tuple(self._face(c) for c in cards), note=note))
        return tuple(piles)

    # -- scores

    def _score_row(self, team: int) -> ScoreRow:
        view = self.view
        extra = view.bonus[team]
        cards = f"{view.card_points[team]}" + (f"+{extra}" if extra else "")
        values = (
            view.scores[team],
            view.hand_total[team],
            cards,
            view.weis_scored[team],
            view.stock_scored[team],
        )
        return ScoreRow(view.teams[team], tuple(map(str, values)), highlight=team == self.viewer % 2)

