"""Rules of Schieber, section 5: Weis. Ids are those of RULES.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from schieber_table import (
    CONTRACTS,
    EICHEL,
    OBENABE,
    ROSEN,
    SCHELLEN,
    SCHILTEN,
    TRUMPS,
    UNDENUFE,
    Table,
    deal,
)

from bidtrick.envs import make_batch

#: Single multipliers and no Stöck, so that a score is the Weis and the points.
QUIET: dict[str, Any] = {"multipliers": (1, 1, 1, 1, 1, 1), "stock": False}


def own(hand: str, rules: Any = None) -> int:
    """What a hand declares, as its player sees it from the deal on."""
    return Table(deal(hand), rules=rules or {}).own_weis[0]


def counted(hands: np.ndarray, contract: int, forehand: int = 0, rules: Any = None) -> list[int]:
    """The Weis scored when the first trick is complete."""
    return Table(hands, contract, rules or {}, forehand=forehand).run_first_trick().weis


@pytest.mark.parametrize(
    ("hand", "value"),
    [
        ("E6 E7 R6 R7 T6 T7 L6 L7 LO", 0),
        ("E6 E7 E8 R7 R9 T6 T7 L6 LO", 20),
        ("EO EK EA R7 R9 T6 T7 L6 LO", 20),
        ("E6 E7 E8 E9 R9 T6 T7 L6 LO", 50),
        ("E6 E7 E8 E9 EB T6 T7 L6 LO", 100),
        ("E6 E7 E8 E9 EB EU T7 L6 LO", 100),
        ("E6 E7 E8 E9 EB EU EO L6 LO", 100),
        ("E6 E7 E8 E9 EB EU EO EK LO", 100),
        ("E6 E7 E8 E9 EB EU EO EK EA", 100),
        ("E6 E7 E8 EB EU EO L6 L7 L8", 60),  # three runs, two in one suit
        ("E6 E7 E8 E9 R9 RB RU RO T6", 100),  # two runs of four
        ("E8 E9 EB EU EO RK RA R6 R7", 100),  # a run does not go round the corner
        ("EK EA R6 R7 T8 T9 LB LU L6", 0),  # nor over two suits: Ass of Eichel, 6 and 7 of Rosen
    ],
)
def test_runs(hand: str, value: int) -> None:
    """J-WEIS-01: three 20, four 50, five to nine 100; decision 8: a run is declared once, never split."""
    assert own(hand) == value


def test_trump_runs_are_plain() -> None:
    """J-WEIS-01: plain order in trumps too: 9, Banner, Under is a run; Under, 9, Ass is none."""
    assert counted(deal("E9 EB EU R6 R8 T6 T8 L6 L8"), EICHEL) == [20, 0]
    assert Table(deal("E9 EU EA R6 R8 T6 T8 L6 L8"), EICHEL).own_weis[0] == 0


@pytest.mark.parametrize(
    ("rank", "value"), list(zip("6789BUOKA", [0, 0, 0, 0, 100, 200, 100, 100, 100], strict=True))
)
def test_quartets(rank: str, value: int) -> None:
    """J-WEIS-02: four Ass, König, Ober or Banner 100, four Under 200, others nothing."""
    others = "E6 R8 TK L8 EB" if rank not in "68KB" else "E7 R9 TU L9 EO"
    given = f"E{rank} R{rank} T{rank} L{rank}"
    hand = given + " " + " ".join(w for w in others.split() if w not in given.split())
    assert own(hand) == value


def test_situation_16() -> None:
    """J-WEIS-02, situation 16: four nines, 0 or 150."""
    hand = "E9 R9 T9 L9 EA RK TU L6 E7"
    assert own(hand) == 0
    assert own(hand, {"four_nines": 150}) == 150
    hands = deal(hand, "RB TB LB EB R6 T6 L8 R8 T8")
    assert counted(hands, OBENABE) == [0, 100]
    assert counted(hands, OBENABE, rules={"four_nines": 150}) == [150, 0]


def test_situation_11() -> None:
    """J-WEIS-03, situation 11: the run is shortened beside four Under; `kreuzweis` (decision 9) uses a card twice."""
    hands = deal("EA EK EO EU RU TU LU R6 T7")
    table = Table(hands, SCHELLEN, QUIET).run_first_trick()
    assert table.weis == [220, 0]
    assert table.shown[0] == "EU EO EK EA RU TU LU"
    assert own("EA EK EO EU RU TU LU R6 T7", {"kreuzweis": True}) == 250
    assert counted(hands, SCHELLEN, rules={"kreuzweis": True}) == [250, 0]


@pytest.mark.parametrize(
    ("hand", "value", "crossed"),
    [
        ("E9 EB EU R9 RB RU TU LU L6", 200, 240),  # no run of two; each run through the Under is lost
        ("EB EU EO EK EA RU TU LU R6", 220, 300),  # the Under splits a run of five
        ("E8 E9 EB EU EO EK EA TB LB", 100, 100),  # three Banner are no quartet
        ("EB RB TB LB EU RU TU LU E6", 300, 300),  # two quartets
        ("EB EU EO RB TB LB RU TU LU", 300, 320),  # two quartets and the run between them
        ("E6 E7 E8 E9 EB RB TB LB R6", 150, 200),  # the end of a run is freed: 100 + 50
        ("E8 E9 EB EU EO RB TB LB R6", 100, 200),  # its middle: one of the two kinds only
    ],
)
def test_overlaps(hand: str, value: int, crossed: int) -> None:
    """J-WEIS-03, decisions 8 and 9: the largest total of sets that share no card; at most one piece of each run."""
    assert own(hand) == value
    assert own(hand, {"kreuzweis": True}) == crossed


def test_equal_totals() -> None:
    """J-WEIS-03, decision 7: at equal totals the choice whose best set ranks highest: quartet or run, by type."""
    hands = deal("EA EK EO EU EB RO TO LO R6")
    assert Table(hands, OBENABE).run_first_trick().shown[0] == "EO RO TO LO"
    swapped = {"weis_type_order": "run_first"}
    assert Table(hands, OBENABE, swapped).run_first_trick().shown[0] == "EB EU EO EK EA"


def test_best_team_scores_all() -> None:
    """J-WEIS-04, decision 12: the team of the best set scores all its sets, multiplied, the other none."""
    hands = deal("E6 E7 E8 R9 RU TU TK L7 LO", "EB EU EO EK R6 T7 T9 L6 L9", "RB TB LB R7 R8 T6 T8 L8 EA", "")
    table = Table(hands, UNDENUFE).run_first_trick()
    assert table.own_weis[:2] == [20, 50]
    assert table.weis == [0, table.own_weis[1] + table.own_weis[3]]
    assert table.scores[1] == 4 * (table.weis[1] + table.points[1])
    assert table.result["contract"] == 6  # no hand is over yet


def test_situation_10() -> None:
    """J-WEIS-01, J-WEIS-04, J-WEIS-05, situation 10: nine cards beat six; 100 + 20 + 20 against 50 and 20."""
    hands = deal("E6 E7 E8 E9 EB EU EO EK EA", "R6 R7 R8 R9 RB RU")
    for forehand in range(4):
        assert counted(hands, OBENABE, forehand) == [100, 0]
    hands = deal(
        "E6 E7 E8 E9 EB R6 R7 R8 TU", "T6 T7 T8 T9 LA LK EO RB EU", "L6 L7 L8 RU TA TK EA LB R9",
        "RO RK RA EK TB TO L9 LU LO",
    )  # fmt: skip
    table = Table(hands, ROSEN).run_first_trick()
    assert table.own_weis == [120, 50, 20, 20]
    assert table.weis == [140, 0]


def against(one: str, two: str, contract: int, rules: Any = None) -> str:
    """Which of two hands has the better set, whoever leads; "forehand" if it is the one of the leader."""
    hands = deal(one, two)
    hands = np.stack([hands[0], hands[1], *_harmless(hands)])
    winners = [int(np.argmax(counted(hands, contract, forehand, rules))) for forehand in (0, 1)]
    return {(0, 0): "first", (1, 1): "second", (0, 1): "forehand", (1, 0): "the last to play"}[*winners]


def _harmless(hands: np.ndarray) -> np.ndarray:
    """The rest of the pack in two hands without any set. int64 [2, 9]."""
    rng = np.random.default_rng(0)
    rest = rng.permuted(np.tile(np.setdiff1d(np.arange(36), hands[:2]), (4000, 1)), axis=1).reshape(-1, 2, 9)
    batch = make_batch("schieber", num_games=4000)
    batch.reset(options={"deal": np.concatenate([np.tile(hands[:2], (4000, 1, 1)), rest], axis=1)})
    weis = [batch.spec.layout.view(batch.observe(seat), "own_weis")[:, 0] for seat in (2, 3)]
    return rest[np.flatnonzero((weis[0] == 0) & (weis[1] == 0))[0]]


COMPARISONS = [
    # points
    ("E6 E7 E8 E9 R8 T6 TB L8 LK", "EU EO EK R9 RU T8 TK L6 LB", OBENABE, "first"),
    # type: a quartet of 100 before any run of 100, however long, in trumps too
    ("EO RO TO LO R6 R8 T6 L6 L8", "E6 E7 E8 E9 EB EU T8 RK LK", OBENABE, "first"),
    ("EO RO TO LO R6 R8 T6 L6 L8", "E6 E7 E8 E9 EB EU T8 RK LK", EICHEL, "first"),
    # length among runs of 100, before the rank and before trump
    ("E6 E7 E8 E9 EB EU R8 T7 L8", "RB RU RO RK RA EK T9 L6 TK", OBENABE, "first"),
    ("E6 E7 E8 E9 EB EU R8 T7 L8", "RB RU RO RK RA EK T9 L6 TK", ROSEN, "first"),
    # rank of the top card, before trump
    ("EO EK EA R8 RU T6 TB L7 LO", "R6 R7 R9 T8 T9 TU LB L8 E9", OBENABE, "first"),
    ("EU EO EK R8 RK T6 TB L7 LK", "T7 T8 T9 R6 RB E8 EB LU L9", SCHILTEN, "first"),
    # trump
    ("E7 E8 E9 R6 RU T6 TB L7 LO", "R7 R8 R9 EB EO T8 TU LK L6", ROSEN, "second"),
    # order of play
    ("E7 E8 E9 R6 RU T6 TB L7 LO", "R7 R8 R9 EB EO T8 TU LK L6", OBENABE, "forehand"),
    ("E7 E8 E9 R6 RU T6 TB L7 LO", "R7 R8 R9 EB EO T8 TU LK L6", SCHELLEN, "forehand"),
    # Undenufe: rank reversed
    ("E6 E7 E8 R9 RU T7 TB L7 LO", "RO RK RA EB EU T8 TU LK L6", UNDENUFE, "first"),
    ("E6 E7 E8 R9 RU T7 TB L7 LO", "RO RK RA EB EU T8 TU LK L6", OBENABE, "second"),
    ("EB RB TB LB E6 R8 T6 L8 LK", "EO RO TO LO E9 R6 T8 L6 EA", UNDENUFE, "first"),
    ("EB RB TB LB E6 R8 T6 L8 LK", "EO RO TO LO E9 R6 T8 L6 EA", SCHELLEN, "second"),
    ("EO RO TO LO E6 R8 T6 L8 L9", "EK RK TK LK E9 R6 T8 L6 RB", UNDENUFE, "first"),
    ("EK RK TK LK E6 R8 T6 L8 L9", "EA RA TA LA E9 R6 T8 L6 RB", UNDENUFE, "first"),
    ("EK RK TK LK E6 R8 T6 L8 L9", "EA RA TA LA E9 R6 T8 L6 RB", EICHEL, "second"),
    # four Under are worth more, not ranked higher
    ("EU RU TU LU E6 R8 T6 L8 L9", "EB RB TB LB E9 R6 T8 L6 RK", UNDENUFE, "first"),
    # length is not reversed
    ("E6 E7 E8 E9 EB R7 T8 L8 L9", "RU RB R9 R8 RO RK T6 L6 EA", UNDENUFE, "second"),
]


@pytest.mark.parametrize(("one", "two", "contract", "better"), COMPARISONS)
def test_comparison(one: str, two: str, contract: int, better: str) -> None:
    """J-WEIS-05, J-WEIS-06, decision 10: points, type, length, rank, trump, order of play; Undenufe reverses rank."""
    assert against(one, two, contract, QUIET) == better


def test_type_order_option() -> None:
    """J-WEIS-05: `weis_type_order="run_first"` prefers a run of 100 to a quartet of 100, not to one of 200."""
    run = "E6 E7 E8 E9 EB T8 L9 RK LK"
    swapped = QUIET | {"weis_type_order": "run_first"}
    assert against("EO RO TO LO R6 R8 T6 L6 L8", run, OBENABE, QUIET) == "first"
    assert against("EO RO TO LO R6 R8 T6 L6 L8", run, OBENABE, swapped) == "second"
    assert against("EU RU TU LU R6 R8 T6 L6 L8", run, OBENABE, swapped) == "first"


def test_situation_12() -> None:
    """J-WEIS-05, situation 12: three equal runs; the one in trump, else the first in order of play."""
    hands = deal(
        "E6 E8 EU RB RO TU TK T6 LB", "R7 R8 R9 E7 EB TB TO LU LK", "L7 L8 L9 E9 EO RU RK TA LO",
        "T7 T8 T9 EK EA R6 RA LA L6",
    )  # fmt: skip
    assert Table(hands).own_weis == [0, 20, 20, 20]
    assert counted(hands, SCHELLEN) == [20, 0]  # seat 2 in trump
    assert counted(hands, SCHILTEN, forehand=2) == [0, 40]  # seat 3 in trump
    for contract in (EICHEL, OBENABE, UNDENUFE):
        assert counted(hands, contract, forehand=0) == [0, 40]  # seat 1 comes first
        assert counted(hands, contract, forehand=2) == [20, 0]  # seat 2 comes first


def test_situation_13() -> None:
    """J-WEIS-06, situation 13: 7-8-9 beats 9-Banner-Under in Undenufe, whoever comes first."""
    hands = deal(
        "E7 E8 E9 EU R6 RO T6 TU LK", "R9 RB RU EA T8 TK L6 L9 LA", "E6 EO RK R8 T9 TO L7 LB LU",
        "EB EK RA R7 T7 TB TA L8 LO",
    )  # fmt: skip
    for forehand in range(4):
        assert counted(hands, UNDENUFE, forehand) == [20, 0]
        assert counted(hands, OBENABE, forehand) == [0, 20]


def test_weis_option() -> None:
    """J-WEIS-07: the contract is known when the Weis are compared; `weis=False` turns them off."""
    hands = deal("E6 E7 E8 E9 EB EU EO EK EA", "R6 R7 R8 R9 RB RU")
    for contract in CONTRACTS:
        assert Table(hands, contract, {"weis": False}).run_first_trick().weis == [0, 0]
    table = Table(hands, EICHEL, {"weis": False}).play("E6")
    assert table.own_weis == [0, 0, 0, 0]
    assert (table.who("declared"), table.declared) == ([0], [0, 0, 0, 0])  # known to be 0, as all play without


FOUR = deal(
    "EA EK EO EU R6 R8 T6 T8 L6", "RA RK RO E6 E8 T7 T9 L7 L9", "TA TK TO E7 E9 R7 R9 LU LB",
    "EB RU RB TU TB L8 LO LK LA",
)  # fmt: skip


@pytest.mark.parametrize(
    ("reveal", "shown"),
    [
        ("winner_cards", ["EU EO EK EA", "", "TO TK TA", ""]),
        ("all", ["EU EO EK EA", "RO RK RA", "TO TK TA", "LO LK LA"]),
        ("values_only", ["", "", "", ""]),
    ],
)
def test_what_others_learn(reveal: str, shown: list[str]) -> None:
    """J-WEIS-08, decision 11: a value with its player's first card, the cards when the Weis is counted."""
    table = Table(FOUR, UNDENUFE, {"weis_reveal": reveal})
    values = [50, 20, 20, 20]
    for seat, card in enumerate(["R6", "RA", "R7", "RB"]):
        assert table.who("declared") == list(range(seat))
        assert table.declared == [v if s < seat else 0 for s, v in enumerate(values)]  # before the multiplier
        assert table.shown == ["", "", "", ""]
        table.play(card)
    assert table.declared == values
    assert table.weis == [70, 0]
    assert table.shown == shown
    for seat in range(4):  # the same to everybody, turned to his own place
        turned = [np.flatnonzero(plane).tolist() for plane in table.segment("shown", seat)]
        assert [len(cards) for cards in turned] == [len(shown[(seat + r) % 4].split()) for r in range(4)]


def test_nobody_has_a_set() -> None:
    """J-WEIS-08, decision 11: where nobody has a set nothing is scored and nothing is shown."""
    hands = np.arange(36).reshape(9, 4).T
    table = Table(hands, EICHEL, {"weis_reveal": "all"}).run_first_trick()
    assert (table.own_weis, table.weis, table.shown) == ([0] * 4, [0, 0], [""] * 4)


def test_own_weis_before_the_contract() -> None:
    """J-WEIS-03: the sum of a hand's sets does not depend on the contract, so its player knows it from the deal."""
    assert Table(FOUR).own_weis == [50, 20, 20, 20]
    for contract in TRUMPS:
        assert Table(FOUR, contract).own_weis == [50, 20, 20, 20]
