"""The Schieber heuristic: clear situations, legality under all rules, strength against random play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bidtrick.agents.heuristic.schieber import Heuristic
from bidtrick.agents.registry import make_agent
from bidtrick.envs.core.errors import UnknownNameError
from bidtrick.envs.registry import make_batch
from bidtrick.envs.schieber.rules import SchieberRules
from bidtrick.envs.schieber.tables import SWISS

RNG = np.random.default_rng(0)


def cards(text: str) -> list[int]:
    """Cards of "Eichel Ass König, Rosen 6": a suit, then ranks."""
    found: list[int] = []
    for part in text.split(","):
        suit, *ranks = part.split()
        found += [SWISS.parse(f"{suit} {rank}") for rank in ranks]
    return found


def situation(
    hands: list[str], forehand: int, actions: list[str], rules: Any = "source", scores: tuple[int, int] = (0, 0)
) -> Any:
    """A game of one given deal after some actions. Empty texts get the cards nobody else has, in order."""
    given = [cards(hand) if hand else [] for hand in hands]
    rest = [card for card in range(36) if not any(card in hand for hand in given)]
    for hand in given:
        take = 9 - len(hand)
        hand += rest[:take]
        rest = rest[take:]
    game = make_batch("schieber", rules=rules)
    game.reset(options={"deal": given, "dealer": (forehand + 3) % 4, "scores": scores})
    for action in actions:
        game.step([game.spec.parse_action(action)])
    return game


def choice(game: Any) -> str:
    agent = make_agent("heuristic", game.spec)
    action = int(agent.act(game.observe(), game.legal_actions(), RNG)[0])
    return game.spec.action_name(action)


def choices(game: Any, agent: Any, rng: np.random.Generator) -> np.ndarray:
    """Actions of all running games, -1 for finished ones."""
    actions = np.full(game.num_games, -1, np.int64)
    rows = np.flatnonzero(~game.done)
    actions[rows] = agent.act(game.observe()[rows], game.legal_actions()[rows], rng)
    return actions


# The contract.


def test_chooses_the_trump_of_a_long_strong_suit() -> None:
    hand = "Schellen Under 9 Ass König 7 6, Eichel Ass 6, Rosen Ass"
    assert choice(situation([hand, "", "", ""], 0, [])) == "Trump Schellen"
    hand = "Eichel Under 9 Ass 8 7 6, Rosen Ass 7, Schilten 9"
    assert choice(situation([hand, "", "", ""], 0, [], "swisslos1000")) == "Trump Eichel"


def test_takes_the_sure_contract_when_little_is_missing() -> None:
    """Near the target (J-END-01) a high multiplier is no reason any more."""
    hand = "Eichel Under 9 Ass Ober Banner 8, Rosen Ober, Schilten Ober, Schellen Banner"
    assert choice(situation([hand, "", "", ""], 0, [])) != "Trump Eichel"
    assert choice(situation([hand, "", "", ""], 0, [], scores=(2940, 1000))) == "Trump Eichel"


def test_pushes_a_worthless_hand() -> None:
    hand = "Eichel 8 9 Ober, Rosen 8 9, Schilten 9 Banner, Schellen 9 Ober"
    assert choice(situation([hand, "", "", ""], 0, [])) == "Push"


def test_partner_chooses_when_pushed_to() -> None:
    hand = "Schilten Under 9 König 8 7, Eichel Ass 7, Rosen Ass, Schellen 8"
    assert choice(situation(["", "", hand, ""], 0, ["Push"])) == "Trump Schilten"


@pytest.mark.parametrize("rules", ["source", "swiss", "swisslos2500", "swisslos1000"])
def test_low_cards_are_undenufe_and_aces_obenabe(rules: str) -> None:
    low = "Eichel 6 7 8, Rosen 6 7 8, Schilten 6 7, Schellen 6"
    assert choice(situation([low, "", "", ""], 0, [], rules)) == "Undenufe"
    high = "Eichel Ass König Ober, Rosen Ass König Ober, Schilten Ass König, Schellen Ass"
    assert choice(situation([high, "", "", ""], 0, [], rules)) == "Obenabe"


# Adding a card to a trick.


def test_smears_on_the_partners_sure_trick() -> None:
    hands = ["Eichel Banner 7, Rosen 9 8 7, Schilten 9 8, Schellen 9 8", "", "Eichel Ass", "Eichel 6"]
    game = situation(hands, 2, ["Obenabe", "Eichel Ass", "Eichel 6"])
    assert choice(game) == "Eichel Banner"


def test_smears_as_last_to_play_from_a_void() -> None:
    hands = ["Rosen Banner 9 7 6, Schilten 9 8 7 6 Under", "Eichel 7", "Eichel Ass 9", "Eichel 6"]
    game = situation(hands, 1, ["Trump Schellen", "Eichel 7", "Eichel Ass", "Eichel 6"])
    assert choice(game) == "Rosen Banner"


def test_gives_no_points_to_the_opponents_sure_trick() -> None:
    hands = ["Eichel Banner 7, Rosen 9 8 7, Schilten 9 8, Schellen 9 8", "", "", "Eichel Ass"]
    assert choice(situation(hands, 3, ["Obenabe", "Eichel Ass"])) == "Eichel 7"
    trump = situation(hands, 3, ["Trump Rosen", "Eichel Ass"])
    assert choice(trump) in ("Eichel 7", "Rosen 7", "Rosen 8", "Rosen 9")


def test_wins_with_the_cheapest_card_when_last() -> None:
    hands = ["Eichel Ass Ober 6, Rosen 9 8 7, Schilten 9 8, Schellen 9", "Eichel 9", "Eichel 7", "Eichel Banner"]
    game = situation(hands, 1, ["Obenabe", "Eichel 9", "Eichel 7", "Eichel Banner"])
    assert choice(game) == "Eichel Ober"


def test_ruffs_a_rich_trick_with_a_small_trump() -> None:
    hands = ["Rosen Under 7 6, Schilten 9 8 7, Schellen 9 8 7", "Eichel Ass", "Eichel 7", "Eichel Banner"]
    game = situation(hands, 1, ["Push", "Trump Rosen", "Eichel Ass", "Eichel 7", "Eichel Banner"])
    assert choice(game) in ("Rosen 6", "Rosen 7")


@pytest.mark.parametrize("card", ["Under", "9"])
def test_keeps_the_great_trumps_from_a_worthless_trick(card: str) -> None:
    hands = [f"Rosen {card} Ass, Schilten 9 8 7, Schellen 9 8 7 6", "Eichel 9", "Eichel 7", "Eichel 6"]
    game = situation(hands, 1, ["Push", "Trump Rosen", "Eichel 9", "Eichel 7", "Eichel 6"])
    assert choice(game) != f"Rosen {card}"


# Leading.


def test_declarer_draws_trumps() -> None:
    hand = "Schellen Under 9 Ass König 7 6, Eichel Ass 6, Rosen Ass"
    # Under, 9, Ass and König are equals: nobody else holds a trump that beats any of them
    trumps = [f"Schellen {rank}" for rank in ("Under", "9", "Ass", "König")]
    assert choice(situation([hand, "", "", ""], 0, ["Trump Schellen"])) in trumps
    hand = "Schellen Under 9 8 7 6, Eichel 7 6, Rosen 8, Schilten 7"
    assert choice(situation([hand, "", "", ""], 0, ["Trump Schellen"])).startswith("Schellen")


def test_stops_drawing_when_the_opponents_are_out() -> None:
    hands = [
        "Schellen Under 9 Ass König 7, Eichel Ass König, Rosen Ass 6",
        "Schellen 6 8, Rosen 7 8 9 Banner Under Ober König",
        "Schellen Banner Ober, Eichel 6 7 8 9 Banner Under Ober",
        "",
    ]
    # the previous seat shows that it has no trump, the next one plays both of his
    actions = ["Trump Schellen", "Schellen Under", "Schellen 6", "Schellen Banner", "Schilten 6"]
    actions += ["Schellen 9", "Schellen 8", "Schellen Ober", "Schilten 7"]
    assert choice(situation(hands, 0, actions)) in ("Eichel Ass", "Rosen Ass")


def test_cashes_winners_without_trump() -> None:
    hand = "Eichel Ass König Ober 9, Rosen 9 8, Schilten 9 8, Schellen 9"
    assert choice(situation([hand, "", "", ""], 0, ["Obenabe"])).startswith("Eichel")
    assert choice(situation([hand, "", "", ""], 0, ["Obenabe"])) != "Eichel 9"
    hand = "Eichel 6 7 8 Banner, Rosen Under Banner, Schilten Banner Under, Schellen Under"
    assert choice(situation([hand, "", "", ""], 0, ["Undenufe"])) in ("Eichel 6", "Eichel 7", "Eichel 8")


# What every agent must do.

PRESETS = [
    *SchieberRules.presets,
    {"push_back": True, "hands": 4},
    {"multipliers": (1, 3, 1, 3, 1, 1), "kreuzweis": True},
]


@pytest.mark.parametrize("rules", PRESETS, ids=str)
def test_actions_are_legal_everywhere(rules: Any) -> None:
    rng = np.random.default_rng(3)
    game = make_batch("schieber", num_games=200, seed=5, rules=rules, context="sampled", auto_reset=True)
    agent = make_agent("heuristic", game.spec)
    for _ in range(80):
        mask = game.legal_actions()
        actions = agent.act(game.observe(), mask, rng)
        assert actions.dtype == np.int64
        assert mask[np.arange(200), actions].all()
        game.step(np.where(rng.random(200) < 0.5, actions, game.sample_actions(rng)))


def test_decisions_follow_from_the_observation_alone() -> None:
    """Hidden cards dealt anew, rows in another order or alone: the same decisions."""
    rng = np.random.default_rng(4)
    game = make_batch("schieber", num_games=300, seed=6, context="sampled")
    agent = make_agent("heuristic", game.spec)
    for _ in range(37):
        obs, mask = game.observe(), game.legal_actions()
        running = np.flatnonzero(~game.done)
        if not len(running):
            break
        actions = choices(game, agent, rng)
        turned = running[::-1]
        assert (agent.act(obs[turned], mask[turned], RNG) == actions[turned]).all()
        one = running[:1]
        assert (agent.act(obs[one], mask[one], RNG) == actions[one]).all()
        game.step(actions)


def test_hidden_cards_do_not_matter() -> None:
    own = "Schellen Under 9 Ass König, Eichel Ass 6, Rosen Ass 7 8"
    rng = np.random.default_rng(8)
    rest = [card for card in range(36) if card not in cards(own)]
    for actions in ([], ["Trump Schellen"]):
        seen: set[str] = set()
        for _ in range(20):
            shuffled = rng.permutation(rest).reshape(3, 9).tolist()
            game = make_batch("schieber", rules={"weis": False})
            game.reset(options={"deal": [cards(own), *shuffled], "dealer": 3})
            for action in actions:
                game.step([game.spec.parse_action(action)])
            seen.add(choice(game))
        assert len(seen) == 1


def paired_differences(rules: str, pairs: int, first: Callable[[Any], Any], second: Callable[[Any], Any]) -> np.ndarray:
    """Points of `first` less those of `second`, a hand; each deal played twice, teams exchanged. float64 [pairs]."""
    rng = np.random.default_rng(11)
    game = make_batch("schieber", num_games=2 * pairs, seed=12, rules=rules)
    ids = np.tile(np.arange(pairs), 2)
    game.reset(options={"game_id": ids, "hand_id": 0, "dealer": ids % 4})
    side = np.repeat([0, 1], pairs)
    agents = first(game.spec), second(game.spec)
    while not game.done.all():
        obs, mask, player = game.observe(), game.legal_actions(), game.current_player
        actions = np.full(2 * pairs, -1, np.int64)
        for number, agent in enumerate(agents):
            rows = np.flatnonzero((player >= 0) & ((player & 1 == side) == (number == 0)))
            if len(rows):
                actions[rows] = agent.act(obs[rows], mask[rows], rng)
        game.step(actions)
    points = game.report()["points"].astype(float)
    gain = (points[:, 0] - points[:, 1]) * np.where(side == 0, 1, -1)
    return (gain[:pairs] + gain[pairs:]) / 2


@pytest.mark.parametrize("rules", ["source", "swiss", "swisslos1000", "tournament"])
def test_beats_random_by_far(rules: str) -> None:
    gain = paired_differences(
        rules, 300, lambda spec: make_agent("heuristic", spec), lambda spec: make_agent("random", spec)
    )
    low = gain.mean() - 1.96 * gain.std() / len(gain) ** 0.5
    assert low > 25


def test_name_and_unknown_games() -> None:
    game = make_batch("schieber")
    agent = make_agent("heuristic", game.spec)
    assert isinstance(agent, Heuristic)
    assert agent.describe() == {"name": "heuristic", "class": "Heuristic"}
    with pytest.raises(UnknownNameError, match="heuristics"):
        make_agent("heuristics", game.spec)
