"""Rules of Schieber, section 15: short decks. Ids are those of RULES.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from schieber_table import CHOOSE, EICHEL, OBENABE, ROSEN, UNDENUFE, Table, cards, names

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import DealError, RulesError
from bidtrick.envs.schieber.rules import RANKS, SchieberRules

TINY: Any = [cards("EU EO"), cards("EK RU"), cards("EA RA"), cards("RO RK")]


@pytest.mark.parametrize(("preset", "size"), [("tiny", 2), ("small", 3)])
def test_deals(preset: str, size: int) -> None:
    """J-RED-01: the cards of the suits and ranks that are kept, each once, under their usual numbers."""
    batch = make_batch("schieber", num_games=50, seed=3, rules=preset)
    hands = batch.state.hands
    assert (np.bitwise_count(hands) == size).all()
    deck = [9 * suit + RANKS.index(rank) for suit in range(2) for rank in RANKS[-4 * size // 2 :]]
    assert (np.bitwise_or.reduce(hands, axis=1) == sum(1 << card for card in deck)).all()
    assert len(np.unique(hands[:, 0])) > 10
    assert set(batch.state.forehand.tolist()) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"suits": 5}, "suits=5 is not allowed; allowed: 4 | 1 | 2 | 3"),
        ({"ranks": ["7", "6"]}, "different names in the order of the deck; allowed: some of 6, 7"),
        ({"ranks": ["7", "Ten"]}, "different names in the order of the deck"),
        ({"ranks": []}, "at least one rank"),
        ({"suits": 3}, "27 cards, which four players cannot share; allowed: 8 cards or more, a multiple of four"),
        ({"suits": 1, "ranks": RANKS[-4:]}, "4 cards, which four players cannot share"),
        ({"suits": 2, "ranks": RANKS[-4:]}, "first_forehand='rosen_7' names a card that is not in the deck"),
        ({"suits": 2, "ranks": RANKS[1:], "first_forehand": "schellen_7"}, "allowed: 'random'"),
    ],
)
def test_bad_decks(options: dict[str, Any], reason: str) -> None:
    """J-RED-01: what cannot be played is refused by name."""
    with pytest.raises(RulesError) as error:
        SchieberRules.make(options)
    assert reason in str(error.value)


def test_bad_deals() -> None:
    """J-RED-01: a deal is of the cards that are there, and the message lists them."""
    batch = make_batch("schieber", rules="tiny")
    before = batch.state_dict()
    for deal, reason in (
        ([*TINY[:3], cards("RO R6")], "the deck has Eichel Under, Eichel Ober"),
        ([cards("EU")] * 4, "deal must be card numbers"),
        (["Eichel Under, Eichel Ober", "Eichel König", "", ""], "seat 1 has 1 cards, must be 2"),
    ):
        with pytest.raises(DealError, match=reason):
            batch.reset(options={"deal": deal})
    assert all((batch.state_dict()["arrays"][name] == array).all() for name, array in before["arrays"].items())


def test_contracts() -> None:
    """J-RED-02: trumps of the deck's suits, Obenabe and Undenufe; the partner's choice too."""
    table = Table(np.array(TINY), rules="tiny")
    assert table.actions() == [36, 37, 40, 41, 42]
    assert table.step(42).actions() == [36, 37, 40, 41]
    assert Table(np.array(TINY), rules={"preset": "tiny", "push_back": True}).step(42).actions() == [36, 37, 40, 41, 42]


@pytest.mark.parametrize(("contract", "points"), [(EICHEL, 63), (ROSEN, 63), (OBENABE, 45), (UNDENUFE, 23)])
def test_points(contract: int, points: int) -> None:
    """J-RED-03: the base points that the book names, from the cards and the last of two tricks."""
    table = Table(np.array(TINY), contract, {"preset": "tiny", "stock": False}).finish()
    assert sum(table.points) == points
    assert sum(table.result["tricks"]) == 2


def test_match_bonus() -> None:
    """J-RED-03: two tricks of two are the match, one is none."""
    both = Table(np.array([cards("EU EA"), cards("EO RU"), cards("EK RA"), cards("RO RK")]), EICHEL, "tiny")
    assert both.play("EU EO EK RO EA RU RA RK").bonus == [100, 0]
    assert both.result["tricks"] == [2, 0]
    one = Table(np.array([cards("EU RO"), cards("EO RK"), cards("EA RU"), cards("EK RA")]), EICHEL, "tiny")
    assert one.play("EU EO EA EK RO RK RU RA").bonus == [0, 0]


def test_weis_and_stock() -> None:
    """J-RED-04: three neighbours are a run; where a rank between them is missing they are none; the Stöck is there."""
    hands = [cards("EU EO EK"), cards("RU RO RK"), cards("EA E9 EB"), cards("RA R9 RB")]
    table = Table(np.array(hands), EICHEL, "small").run_first_trick()
    assert table.own_weis == [20, 20, 0, 0]
    assert table.weis == [20, 0]
    assert table.finish().stock == [20, 0]
    rules = {"preset": "small", "ranks": ("9", "Banner", "Under", "König", "Ass", "8")}
    with pytest.raises(RulesError, match="order"):
        make_batch("schieber", rules=rules)
    gap = {"preset": "small", "ranks": ("8", "9", "Banner", "Under", "König", "Ass")}
    hands = [cards("EU EK EA"), cards("RU RK RA"), cards("E8 E9 EB"), cards("R8 R9 RB")]
    assert Table(np.array(hands), EICHEL, gap).run_first_trick().own_weis == [0, 0, 20, 20]


def test_observations_are_those_of_the_whole_deck() -> None:
    """J-RED-01: layout, actions and digests of rules with the whole deck are as before; names of cards stay."""
    short, whole = make_batch("schieber", rules="small").spec, make_batch("schieber").spec
    assert (short.layout.hash, short.actions) == (whole.layout.hash, whole.actions)
    assert SchieberRules.make("source").digest() == "64c8301001d66ff9"
    assert whole.layout.hash == "aedda67a7949e433"  # published networks read it
    table = Table(np.array(TINY), EICHEL, "tiny")
    assert names(np.flatnonzero(table.segment("hand"))) == "EU EO"
    assert table.step(cards("EU")[0]).seen("cards_on_table") == 1
    assert CHOOSE + EICHEL not in table.actions()
