"""Pictures of Schieber: what they tell, in what words, and that they hide what a seat cannot know."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError
from bidtrick.envs.rendering import DEALER, DECLARER, FOREHAND, TO_ACT, YOU, Renderer, Scene, render_ansi, render_rgb
from bidtrick.envs.schieber.state import SETS, WINNERS

SOUTH = "Schilten Ass, Schilten König, Schilten Ober, Eichel 6, Eichel 7, Eichel 8, Rosen 6, Schellen 7, Schellen 6"
EAST = "Rosen Ass, Rosen König, Rosen Ober, Rosen Under, Eichel 9, Eichel Banner, Schilten 6, Schilten 7, Schellen 8"
NORTH = (
    "Schellen 9, Schellen Banner, Schellen Under, Schellen Ober, Eichel Under, Eichel Ober, "
    "Rosen 7, Rosen 8, Schilten 8"
)
WEST = (
    "Eichel König, Eichel Ass, Rosen 9, Rosen Banner, Schilten 9, Schilten Banner, Schilten Under, "
    "Schellen König, Schellen Ass"
)


def table(scores: tuple[int, int] = (1184, 1342), **options: Any) -> Any:
    """A table with Weis for everybody and the Stöck of Schilten in South's hand; South is forehand."""
    game = make_batch("schieber", 1, episode="match", **options)
    game.reset(options={"deal": [SOUTH, EAST, NORTH, WEST], "dealer": 3, "scores": list(scores)})
    return game


def act(game: Any, *names: str) -> None:
    for name in names:
        game.step([game.spec.parse_action(name)])


def all_texts(scene: Scene) -> str:
    return render_ansi(scene, color=False, width=132)


# -- what is told


def test_choosing_the_contract() -> None:
    game = table()
    scene = game.scene()
    assert scene.direction == "counterclockwise"
    assert scene.prompt == "South, choose: ⚲ ×1, ✿ ×1, ⛨ ×2, ⊖ ×2, Obenabe ×3, Undenufe ×4 or push to North"
    assert scene.contract is None
    assert scene.seats[0].badges == (YOU, TO_ACT, FOREHAND, "holds Weis 40")
    assert scene.seats[3].badges == (DEALER,)
    assert scene.events == ("West deals, South is forehand",)
    act(game, "Push")
    scene = game.scene()
    assert scene.seats[0].bubble == "push"
    assert "pushed" in scene.seats[0].badges
    assert scene.prompt.startswith("North, choose:")
    assert "push" not in scene.prompt
    assert [(line.seat, line.calls) for line in scene.auction] == [(0, ("push",)), (2, ())]
    act(game, "Undenufe")
    scene = game.scene()
    assert scene.contract is not None
    assert scene.contract.label == "Undenufe ×4"
    assert scene.contract.suit is None
    assert scene.contract.detail == "by North after South pushed; no trump, LOW cards win"
    assert DECLARER in scene.seats[2].badges
    assert scene.seats[2].bubble == "Undenufe"
    assert scene.prompt == "South, lead any card"


def test_first_forehand_is_explained() -> None:
    game = make_batch("schieber", 1, seed=3, episode="match")
    forehand = game.scene().seats[int(game.current_player[0])].name
    assert game.scene().events[0] == f"{forehand} holds ✿7 and is forehand"


def test_trick_weis_and_stoeck() -> None:
    game = table()
    act(game, "Trump Schilten", "Schilten Ass", "Schilten 6")
    scene = game.scene()
    assert scene.contract is not None
    assert (scene.contract.label, scene.contract.suit) == ("Trump Schilten ×2", "schilten")
    assert [(c.seat, c.card.text, c.winning) for c in scene.trick] == [(0, "⛨A", True), (1, "⛨6", False)]
    assert [seat.bubble for seat in scene.seats] == ["Weis 40", "Weis 50", "", ""]
    assert "holds Stöck" in scene.seats[0].badges
    assert not scene.piles
    act(game, "Schilten 8", "Schilten Under")
    scene = game.scene()
    assert [(p.label, [c.text for c in p.cards], p.note) for p in scene.piles] == [
        ("Weis of East", ["✿U", "✿O", "✿K", "✿A"], "50 × 2"),
        ("Weis of West", ["⛨9", "⛨B", "⛨U"], "20 × 2"),
    ]
    assert [(c.seat, c.winning) for c in scene.last_trick] == [(0, False), (1, False), (2, False), (3, True)]
    assert scene.last_trick_note == "31 × 2 = 62 for E/W"
    assert scene.events[-2:] == ("Best Weis: E/W score 70 × 2 = 140", "Trick 1: West with ⛨U, 31 points")
    assert scene.score_columns == ("total", "hand", "cards", "Weis", "Stöck")
    assert [row.values for row in scene.score_rows] == [("1184", "0", "0", "0", "0"), ("1544", "202", "31", "70", "0")]
    assert scene.prompt == "West, lead any card"
    act(game, "Schellen Ass", "Schilten Ober")
    assert game.scene().prompt == "East, play a card (⊖ Schellen was led, ruffed by ⛨O)"
    act(game, "Schellen 8", "Schellen 9", "Schilten König")
    scene = game.scene()
    assert scene.seats[0].bubble == "Stöck!"
    assert scene.events[-1] == "South has the Stöck: 20 × 2 = 40"
    assert scene.score_rows[0].values[4] == "20"
    assert "Stöck" in scene.seats[0].badges
    assert "holds Stöck" not in scene.seats[0].badges
    everything = all_texts(scene)
    assert "K König" in everything
    assert "⛨ Schilten" in everything


def test_legal_cards_are_marked_for_who_may_see_them() -> None:
    game = table()
    act(game, "Trump Schilten", "Schilten Ass")
    hands = game.scene(seat=1).seats
    assert {c.text for c in hands[1].hand if c.legal} == {"⛨6", "⛨7"}
    assert not any(c.legal for s in game.scene(seat=0).seats for c in s.hand)
    assert {c.text for c in game.scene(seat=0, open_hands=True).seats[1].hand if c.legal} == {"⛨6", "⛨7"}


def test_hand_and_match_over() -> None:
    game = make_batch("schieber", 1, seed=3, episode="hand")
    rng = np.random.default_rng(0)
    while not game.done[0]:
        game.step(game.sample_actions(rng))
    scene, report = game.scene(), game.result()
    points = report["points"]
    assert scene.phase == "hand over"
    assert scene.prompt == f"Hand over: N/S {points[0]}, E/W {points[1]}"
    assert sum(f.startswith("Trick ") for f in scene.events) == 9
    assert not any(seat.hand_size for seat in scene.seats)
    game = table((2900, 100))
    act(game, "Obenabe")
    while not game.done[0]:
        game.step(game.sample_actions(rng))
    scene = game.scene()
    winner = game.result()["winner"]
    assert scene.phase == "match over"
    assert f"{('N/S', 'E/W')[winner]} win the match" in scene.prompt
    assert ("Schneider" in scene.prompt) == game.result()["schneider"]
    assert scene.events[-1].endswith("reach 3000 and win the match")


def test_all_nine_tricks_and_the_last() -> None:
    """J-PTS-04, J-PTS-05: seat 0 holds all of the trump suit and takes every trick."""
    game = make_batch("schieber", 1)
    game.reset(options={"deal": np.arange(36).reshape(4, 9).tolist(), "dealer": 3})
    act(game, "Trump Eichel")
    while not game.done[0]:
        game.step([int(np.argmax(game.legal_actions()[0]))])
    scene = game.scene()
    assert [row.values[2:] for row in scene.score_rows] == [("157+100", "200", "20"), ("0", "0", "0")]
    assert scene.events[-1] == "N/S took all nine tricks: 100 points"
    assert sum(int(event.rsplit(", ")[1].split()[0]) for event in scene.events if event.startswith("Trick ")) == 157
    assert scene.seats[0].tricks == 9


def test_match_of_a_fixed_number_of_hands_and_the_hand_before() -> None:
    game = make_batch("schieber", 1, seed=1, episode="match", rules={"hands": 2, "preset": "swiss"})
    assert game.scene().subtitle == "hand 1 of 2 · rules: custom"
    assert make_batch("schieber", 1, rules="swiss").scene().subtitle == "hand 1 · match to 3000 · rules: swiss"
    rng = np.random.default_rng(0)
    while not game.done[0]:
        if game.state.hand_number[0] == 1 and not game.state.played.any() and game.state.contract[0] == 6:
            points = game.result()["points"]
            name = game.result()["contract_name"].removeprefix("Trump ")
            assert game.scene().events[0] == f"Last hand ({name}): N/S {points[0]}, E/W {points[1]}"
        game.step(game.sample_actions(rng))
    assert game.scene().subtitle == "hand 2 of 2 · rules: custom"


def test_early_stoeck_is_told() -> None:
    game = table((2970, 0))
    act(game, "Trump Schilten")
    scene = game.scene()
    assert game.done[0]
    assert "South shows the Stöck early and wins: 20 × 2 = 40" in scene.events
    assert "N/S win the match 3010 to 0, Schneider" in scene.prompt


def test_names_and_french_cards() -> None:
    game = make_batch("schieber", 1, rules={"suit_names": "french"})
    scene = game.scene(names=["Anna", "Beat", "Cécile", "Dominik"])
    assert [seat.name for seat in scene.seats] == ["Anna", "Beat", "Cécile", "Dominik"]
    assert scene.seats[0].team == scene.seats[2].team == "Team A"
    assert {c.suit for c in scene.seats[0].hand} <= {"clubs", "hearts", "spades", "diamonds"}
    for bad in ({"seat": 4}, {"seat": -1}, {"index": 1}, {"names": ["Anna"]}):
        with pytest.raises(BidtrickError, match="schieber"):
            game.scene(**bad)


@pytest.mark.parametrize("seed", range(3))
def test_every_moment_of_a_match_can_be_drawn(seed: int) -> None:
    """Facts of each picture against the engine: hand sizes, cards on the table, tricks, scores."""
    rules = {"target": 300, "push_back": seed == 1, "weis_reveal": ("winner_cards", "all", "values_only")[seed]}
    game = make_batch("schieber", 2, seed=seed, episode="match", rules=rules)
    rng = np.random.default_rng(seed)
    while not game.done.all():
        for index in range(2):
            scene = game.scene(index, seat=seed, open_hands=seed == 2)
            s = game.state
            assert [seat.hand_size for seat in scene.seats] == np.bitwise_count(s.hands[index]).tolist()
            assert len(scene.trick) == np.bitwise_count(s.table[index]).sum()
            assert sum(seat.tricks or 0 for seat in scene.seats) == s.tricks[index]
            assert [row.values[0] for row in scene.score_rows] == [str(v) for v in s.scores[index]]
            player = int(s.player[index])
            assert [seat.to_act for seat in scene.seats] == [seat == player for seat in range(4)]
            legal = {c.text for seat in scene.seats for c in seat.hand if c.legal}
            if player >= 0 and (seed == 2 or player == seed):
                assert len(legal) == game.legal_actions()[index, :36].sum()
            assert render_ansi(scene)
        game.step(game.sample_actions(rng))


# -- what is hidden


def swapped(game: Any, seat: int, rng: np.random.Generator) -> Any:
    """A copy of the game in which the other seats' unplayed cards are dealt again, with the same public facts."""
    other = game.clone()
    s = other.state
    hidden = [q for q in range(4) if q != seat]
    cards = [c for q in hidden for c in range(36) if int(s.hands[0, q]) >> c & 1]
    rng.shuffle(cards)
    for q in hidden:
        size = int(np.bitwise_count(s.hands[0, q]))
        s.hands[0, q] = np.uint64(sum(1 << c for c in cards[:size]))
        cards = cards[size:]
        # Weis and Stöck follow the cards where they are not public yet
        if s.tricks[0] == 0 and not int(s.played[0, q]):
            s.weis_tens[0, q] = rng.integers(0, 10)
        s.weis[0, [SETS + q, SETS + 4 + q]] = rng.integers(0, 1 << 36, 2)
    s.weis[0, WINNERS] = rng.integers(0, 1 << 62)
    if int(s.pair_seat[0]) != seat:
        s.pair[0] = 0
    other._legal = None
    return other


@pytest.mark.parametrize("seat", range(4))
def test_hidden_cards_do_not_change_the_picture(seat: int) -> None:
    """Whatever the other hands hold, the scene of a seat is the same, in words and in pixels."""
    rng = np.random.default_rng(seat)
    game = table()
    act(game, ("Trump Schilten", "Trump Rosen", "Push", "Obenabe")[seat])
    compared = differed = 0
    while not game.done[0] and game.state.hand_number[0] == 0:
        other = swapped(game, seat, rng)
        scene = game.scene(seat=seat)
        assert scene == other.scene(seat=seat)
        assert [s.show_hand for s in scene.seats] == [q == seat for q in range(4)]
        assert all(not s.hand for q, s in enumerate(scene.seats) if q != seat)
        if compared % 12 == 0:
            assert np.array_equal(render_rgb(scene), render_rgb(other.scene(seat=seat)))
        if not np.array_equal(game.state.hands, other.state.hands):
            assert game.scene(seat=seat, open_hands=True) != other.scene(seat=seat, open_hands=True)
            differed += 1
        compared += 1
        game.step(game.sample_actions(rng))
    assert compared >= 36
    assert differed > 20


# -- the renderer of the adapters


def test_renderer_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    scene = table().scene()
    assert Renderer(None).render(scene) is None
    text = Renderer("ansi", color=False).render(scene)
    assert text == render_ansi(scene, color=False)
    assert re.search("choose", str(text))
    pixels = Renderer("rgb_array", size=(480, 320)).render(scene)
    assert isinstance(pixels, np.ndarray)
    assert pixels.shape == (320, 480, 3)
    window = Renderer("human", fps=0)
    assert window.render(scene) is None
    assert window.window.is_open
    window.close()
    window.close()
    assert not window.window.is_open
    with pytest.raises(BidtrickError, match="render_mode='svg'"):
        Renderer("svg")
