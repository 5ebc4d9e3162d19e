"""One game of Dozen as a picture of the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bidtrick.envs.core.bits import indices_of
from bidtrick.envs.rendering import (
    DEALER,
    TO_ACT,
    AuctionLine,
    CardFace,
    Contract,
    Scene,
    ScoreRow,
    SeatScene,
    TrickCard,
)

from .state import DECK, PHASES

NAMES = ("You", "Left", "Right")


def face(card: int, legal: bool = False) -> CardFace:
    return CardFace(DECK.rank_labels[DECK.rank_of(card)], DECK.suit_keys[DECK.suit_of(card)], card, legal)


def scene(game: Any, index: int, seat: int | None, open_hands: bool, names: Sequence[str] | None) -> Scene:
    s, players, viewer = game.state, game.rules.players, seat or 0
    names = names or NAMES[:players]
    player, bidder, bid = int(s.player[index]), int(s.bidder[index]), int(s.bid[index])
    legal = set(np.flatnonzero(game.legal_actions()[index]).tolist())
    seats: list[SeatScene] = []
    for number in range(players):
        cards = indices_of(int(s.hands[index, number]))
        shown = open_hands or number == viewer
        hand = tuple(face(card, number == player == viewer and card in legal) for card in cards)
        badges = [text for text, who in ((DEALER, s.dealer[index]), (TO_ACT, player)) if who == number]
        seats.append(
            SeatScene(
                names[number], hand=hand if shown else (), show_hand=shown, face_down=0 if shown else len(cards),
                badges=tuple(badges), tricks=int(s.taken[index, number]),
            )
        )  # fmt: skip
    order = [(int(s.leader[index]) + k) % players for k in range(players)]
    calls = [(number, int(s.calls[index, number])) for number in range(players)]
    return Scene(
        title="Dozen",
        seats=tuple(seats),
        bottom_seat=viewer,
        phase=PHASES[int(s.phase[index])],
        prompt=f"{names[player]} to act" if player >= 0 else "The game is over",
        contract=Contract(f"{bid} tricks", detail=f"bid by {names[bidder]}") if bidder >= 0 else None,
        auction=tuple(AuctionLine(n, ("pass" if call == 1 else str(call - 1),)) for n, call in calls if call),
        trick=tuple(TrickCard(n, face(c)) for n in order for c in indices_of(int(s.table[index, n]))),
        score_columns=("score",),
        score_rows=tuple(ScoreRow(names[n], (str(int(s.scores[index, n])),)) for n in range(players)),
    )
