"""Pictures of Thousand: what they tell, and that they hide what a seat cannot know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError
from bidtrick.envs.rendering import DECLARER, OUT, TO_ACT, YOU, render_ansi

DEAL = ["♠A, ♠10, ♠K, ♣Q, ♦J, ♦9, ♥9", "♣A, ♣10, ♣K, ♦Q, ♥J, ♠9, ♠J", "♦A, ♦10, ♥K, ♠Q, ♣J, ♣9, ♥10", "♦K, ♥A, ♥Q"]


def table(**options: Any) -> Any:
    game = make_batch("thousand", episode="match", rules=options.pop("rules", None))
    game.reset(options={"deal": DEAL, "dealer": game.rules.players - 1, **options})
    return game


def act(game: Any, *names: str) -> None:
    for name in names:
        game.step([game.spec.parse_action(name)])


def test_an_auction() -> None:
    game = table(scores=[0, 880, 0], bolts=[2, 0, 0], attempts=[0, 1, 0])
    act(game, "100", "110")
    scene = game.scene(seat=1)
    assert scene.direction == "clockwise"
    assert scene.prompt == "Clara, bid or pass"
    assert [(line.seat, line.calls) for line in scene.auction] == [(0, ("100",)), (1, ("110",))]
    assert scene.piles[0].face_down == 3
    assert scene.score_rows[0].values[1] == "——"
    assert scene.score_rows[1].values[2] == "try 2 of 3"
    assert scene.seats[1].badges[:1] == (YOU,)
    assert TO_ACT in scene.seats[2].badges
    assert scene.seats[1].bubble == "110"


def test_play() -> None:
    game = table()
    act(
        game,
        "105",
        "Pass",
        "Pass",
        "110",
        "Give Hearts 9",
        "Give Diamonds 9",
        "Spades Ace",
        "Spades Jack",
        "Spades Queen",
    )
    scene = game.scene(seat=1)
    assert scene.contract is not None
    assert scene.contract.label == "110"
    assert DECLARER in scene.seats[0].badges
    assert [c.text for c in scene.piles[0].cards] == ["♦K", "♥Q", "♥A"]
    assert scene.last_trick_note == "16 points for Anna"
    assert "Trick 1: ♠A ♠J ♠Q, Anna takes 16" in scene.events
    assert scene.seats[0].hand == ()
    assert render_ansi(scene, color=False, width=120)


def test_talon_bought_at_100_stays_hidden() -> None:
    game = table()
    act(game, "100", "Pass", "Pass")
    assert not game.scene(seat=1).piles[0].cards
    assert [c.text for c in game.scene(seat=0).piles[0].cards] == ["♦K", "♥Q", "♥A"]


@pytest.mark.parametrize("rules", ["default", "duel_c", "four", {"dark": "C"}, {"golden": "on"}, "mailru"])
def test_pictures_of_whole_games(rules: Any) -> None:
    """Every position can be drawn, and other hands never reach the picture."""
    game = make_batch("thousand", seed=3, episode="match", rules=rules, context="sampled")
    rng = np.random.default_rng(0)
    for _ in range(60):
        viewer = int(rng.integers(0, game.rules.players))
        scene = game.scene(seat=viewer)
        for seat, shown in enumerate(scene.seats):
            assert seat == viewer or not shown.hand
            assert shown.hand_size == int(np.bitwise_count(game.state.hands[0, seat])) or game.phase[0] in (1, 2, 5, 8)
        assert render_ansi(scene, color=False, width=110)
        assert game.scene(open_hands=True)
        game.step(game.sample_actions(rng))
        if game.done[0]:
            game.restart([0])


def test_a_private_question_is_not_drawn() -> None:
    game = make_batch("thousand")
    deal = ["♠9, ♣9, ♦9, ♠A, ♠10, ♣A, ♦A", "♣10, ♣K, ♦Q, ♥J, ♠J, ♥10, ♥A", "♦10, ♥K, ♠Q, ♣J, ♠K, ♣Q, ♥9", "♦K, ♥Q, ♦J"]
    game.reset(options={"deal": deal, "dealer": 1})
    assert "hand redeal" in game.scene(seat=2).phase
    assert game.scene(seat=0).phase == "auction"


def test_sitting_out_and_refusals() -> None:
    game = table(rules="four")
    assert OUT in game.scene().seats[3].badges
    with pytest.raises(BidtrickError, match="seat 4 is not in"):
        game.scene(seat=4)
    with pytest.raises(BidtrickError, match="names were given"):
        game.scene(names=["a"])
