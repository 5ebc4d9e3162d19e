"""Pictures of Pitch: what they tell, and that they hide what a seat cannot know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError
from bidtrick.envs.pitch.state import DRAWN, HELD, SEEN, THROWN
from bidtrick.envs.rendering import DECLARER, OUT, PARTNER, TO_ACT, render_ansi


def walk(rules: Any, steps: int, seed: int = 3, games: int = 8) -> Any:
    batch = make_batch("pitch", num_games=games, seed=seed, rules=rules)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        batch.step(batch.sample_actions(rng))
    return batch


@pytest.mark.parametrize("rules", ["source", "five", "nyx", {"burn_visible": False, "version": 16}])
@pytest.mark.parametrize("steps", [0, 3, 6, 9, 16, 60])
def test_every_position_has_a_picture(rules: Any, steps: int) -> None:
    batch = walk(rules, steps)
    for game in range(3):
        for seat in range(batch.spec.num_seats):
            scene = batch.scene(game, seat=seat)
            assert scene.bottom_seat == seat
            assert scene.direction == "clockwise"
            assert "Pitch" in render_ansi(scene, color=False, width=120)
        assert all(one.show_hand for one in batch.scene(game, open_hands=True).seats)


@pytest.mark.parametrize("rules", ["source", "five", {"burn_visible": False, "version": 16}])
def test_pictures_do_not_leak(rules: Any) -> None:
    """Nothing of a picture depends on cards that its viewer cannot see, not even how many trumps others hold."""
    for steps in (2, 8, 12, 18, 24):
        batch = walk(rules, steps)
        for game in np.flatnonzero(~batch.done)[:4].tolist():
            viewer = int((batch.current_player[game] + 1) % batch.spec.num_seats)
            twin = batch.clone()
            others = [s for s in range(batch.spec.num_seats) if s != viewer]
            if batch.state.trump[game] < 4:  # before, everybody holds all his cards, by number
                twin.state.cards[game, others, HELD] = 0
            for column in (DRAWN, SEEN, THROWN):
                twin.state.cards[game, others, column] = 12345
            assert twin.scene(game, seat=viewer) == batch.scene(game, seat=viewer)


def test_words() -> None:
    batch = make_batch("pitch", seed=1, episode="match")
    batch.reset(options={"dealer": 3})
    scene = batch.scene()
    assert scene.prompt == "South, bid"
    assert scene.seats[0].badges == ("you", TO_ACT)
    assert scene.piles[0].face_down == 18
    for name in ("Bid 5", "Pass", "Pass", "Pass", "Trump Hearts"):
        batch.step([batch.spec.parse_action(name)])
    scene = batch.scene()
    assert scene.contract is not None
    assert scene.contract.label == "Bid 5, trump ♥ Hearts"
    assert DECLARER in scene.seats[0].badges
    assert scene.events[:3] == ("East deals", "South: bid 5", "West passes")
    with pytest.raises(BidtrickError, match="seat 4"):
        batch.scene(seat=4)


def test_the_partner_is_secret() -> None:
    """P-5H-04: shown to the holder at once, to the others when the card is played."""
    batch = walk("five", 7, games=30)
    seen = 0
    for game in range(30):
        partner = int(batch.state.partner[game])
        if partner < 0 or batch.state.shown[game]:
            continue
        seen += 1
        for viewer in range(5):
            badges = batch.scene(game, seat=viewer).seats[partner].badges
            assert (PARTNER in badges) == (viewer == partner)
    assert seen > 5


def test_out_players_are_marked() -> None:
    batch = walk("source", 22, games=30)
    assert any(OUT in seat.badges for game in range(30) for seat in batch.scene(game).seats)
