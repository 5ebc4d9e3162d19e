"""Rules of Schieber, section 4: legal cards and tricks. Ids are those of RULES.md."""

from __future__ import annotations

import numpy as np
import pytest
from schieber_table import (
    CONTRACTS,
    EICHEL,
    OBENABE,
    ROSEN,
    SCHELLEN,
    UNDENUFE,
    Table,
    deal,
    names,
)

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import IllegalActionError


def made(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(36).reshape(4, 9)


def test_leader_plays_anything() -> None:
    """J-PLAY-01."""
    for contract in CONTRACTS:
        assert Table(deal("E6 EU R7 R9 TB TA L8 LO LK"), contract).legal == "E6 EU R7 R9 TB TA L8 LO LK"


@pytest.mark.parametrize("contract", [OBENABE, UNDENUFE])
def test_follow_suit(contract: int) -> None:
    """J-PLAY-02: follow the suit led, otherwise any card."""
    hands = deal("EA", "E6 EU R7 R9 TB TA L8 LO LK", "R6 R8 RB T6 T7 L6 L7 L9 LA")
    table = Table(hands, contract).play("EA")
    assert table.legal == "E6 EU"
    assert table.play("E6").legal == "R6 R8 RB T6 T7 L6 L7 L9 LA"


def test_situation_04() -> None:
    """J-PLAY-03, situation 4: a lone trump Under may be withheld; with another trump it must be one of the two."""
    alone = Table(deal("EA", "EU R6 R7 R8 T6 T7 T8 L6 L7"), EICHEL).play("EA")
    assert alone.legal == "EU R6 R7 R8 T6 T7 T8 L6 L7"
    assert Table(deal("EA", "EU E6 R7 R8 T6 T7 T8 L6 L7"), EICHEL).play("EA").legal == "E6 EU"
    assert Table(deal("EA", "E9 R6 R7 R8 T6 T7 T8 L6 L7"), EICHEL).play("EA").legal == "E9"
    assert Table(deal("EA", "RU R6 R7 R8 T6 T7 T8 L6 L7"), EICHEL).play("EA").legal == "R6 R7 R8 RU T6 T7 T8 L6 L7"


def test_situation_05() -> None:
    """J-PLAY-04, situation 5: trump voluntarily although the suit is held; not below a ruff (J-PLAY-05)."""
    hands = deal("RA", "EO R7", "R6 R8 E7 T6 T7 L6 L7 L8 L9")
    assert Table(hands, EICHEL).play("RA R7").legal == "E7 R6 R8"
    assert Table(hands, EICHEL).play("RA EO").legal == "R6 R8"
    void = deal("RA", "R6", "E6 E7 T6 T7 T8 L6 L7 L8 L9")
    assert Table(void, EICHEL).play("RA R6").legal == "E6 E7 T6 T7 T8 L6 L7 L8 L9"


def test_situation_01() -> None:
    """J-PLAY-05, situation 1: void in the led suit, trumps below the highest may not be played."""
    hands = deal(
        "RA RK RO RU RB E6 E7 E8 E9", "LU LO R9 R8 TA TK TO TU T9", "LB L7 L8 LK R7 EB EU EO EK",
        "LA L9 L6 TB R6 T8 T7 T6 EA",
    )  # fmt: skip
    table = Table(hands, SCHELLEN).run("RA RK RO RU RB", keep="LU LO LB L7 L8 LK LA L9 L6 TB", tricks=5)
    table.play("E6 LU LB")  # seat 2 holds nothing but trumps and may undertrump (decision 18: every seat)
    assert names(np.flatnonzero(table.segment("hand", 3))) == "TB L6 L9 LA"
    assert table.legal == "TB"
    with pytest.raises(IllegalActionError, match=r"seat 3, phase play.*Schellen Ass.*legal: 22 \(Schilten Banner\)$"):
        table.play("LA")


def test_situation_02() -> None:
    """J-PLAY-05, situation 2: with the led suit, a trump below the highest one is not legal (decision 18)."""
    hands = deal("TK", "E6", "EK", "TU T8 T6 EO R6 R7 L6 L7 L8")
    assert Table(hands, EICHEL).play("TK E6 EK").legal == "T6 T8 TU"
    higher = deal("TK", "E6", "EK", "TU T8 T6 EA R6 R7 L6 L7 L8")
    assert Table(higher, EICHEL).play("TK E6 EK").legal == "EA T6 T8 TU"


def test_situation_03() -> None:
    """J-PLAY-05, situation 3: nothing but trumps in hand, every card is legal, lower and higher ones."""
    hands = deal(
        "TA TK TO TU TB T9 L7 EA EU", "RB RA T8 R6 R7 R8 LA LK E6", "T7 R9 RU RO L6 L8 E7 EK EO",
        "T6 RK LO LU LB L9 EB E8 E9",
    )  # fmt: skip
    table = Table(hands, EICHEL).run("EU TA TK TO TU TB T9", keep="RB RA EK EO E8 E9", tricks=7)
    table.play("L7 RB EK")
    assert table.legal == "E8 E9"
    assert names(np.flatnonzero(table.segment("hand", 3))) == "E8 E9"


@pytest.mark.parametrize(
    ("contract", "played", "winner"),
    [
        (EICHEL, "R6 RA E6 R8", 2),  # a trump beats the suit led
        (EICHEL, "R6 EA E9 R8", 2),  # the higher of two trumps
        (OBENABE, "R6 EA E9 R8", 3),  # no card acts as trump
        (UNDENUFE, "R6 EA E9 R8", 0),
        (SCHELLEN, "R6 EA E9 R8", 3),  # a discard never wins
        (ROSEN, "R6 RA E9 R8", 1),
        (ROSEN, "R6 RA E9 R9", 3),  # 9 of trump above the Ass
    ],
)
def test_who_wins(contract: int, played: str, winner: int) -> None:
    """J-PLAY-06: the highest trump wins, else the highest card of the led suit; the winner leads next."""
    if "EA" in played:
        hands = deal("R6 R7", "EA T6 T7 T8 T9 TB TU TO TK", "E9 L6 L7 L8 L9 LB LU LO LK", "R8 R9 RB RU RO RK RA")
    else:
        hands = deal("R6 R7", "RA RK", "E6 E9 L6 L7 L8 L9 LB LU LO", "R8 R9 RB RU RO")
    table = Table(hands, contract).play(played)
    assert (table.player, table.who("leader")) == (winner, [winner])


@pytest.mark.parametrize("contract", [OBENABE, UNDENUFE])
def test_situation_14(contract: int) -> None:
    """J-PLAY-02, J-STK-01, situation 14: without trump no card acts as trump and there is no Stöck."""
    for seed in range(12):
        table = Table(made(seed), contract)
        rng = np.random.default_rng(seed)
        while not table.done:
            seat = table.player
            hand = np.flatnonzero(table.segment("hand", seat))
            led = np.flatnonzero(table.segment("led"))
            follow = [c for c in hand if c // 9 in led]
            assert table.actions() == (follow or hand.tolist())
            table.step(int(rng.choice(table.actions())))
        assert table.result["stock"] == [0, 0]


def test_never_without_a_legal_action() -> None:
    """Section 4: the legal set is never empty."""
    batch = make_batch("schieber", num_games=300, seed=9)
    rng = np.random.default_rng(0)
    while not batch.done.all():
        assert (batch.legal_actions().any(axis=1) == ~batch.done).all()
        batch.step(batch.sample_actions(rng))


def test_observed_voids() -> None:
    """J-PLAY-02 to 05: what a play shows of a hand; nothing of a withheld trump Under."""
    hands = deal("EA", "EU R6 R7 R8 T6 T7 T8 L6 L7", "E7 E8", "E9 EB")
    table = Table(hands, EICHEL).play("EA R6 E7 E9")  # seat 1 keeps the trump Under
    assert np.argwhere(table.segment("void")).tolist() == [[EICHEL, 1]]
    assert np.argwhere(table.segment("void", seat=3)).tolist() == [[EICHEL, 2]]  # the seat opposite to seat 3
    ruffed = Table(deal("RA R7", "R8", "E6 R9"), EICHEL).play("RA R8 E6")
    assert not ruffed.segment("void").any()  # trumped voluntarily: nothing is known


def test_sources_of_a_void_in_trumps() -> None:
    """J-PLAY-05: undertrumping shows that nothing but trumps is held."""
    hands = deal(
        "TA TK TO TU TB T9 L7 EA EU", "RB RA T8 R6 R7 R8 LA LK E6", "T7 R9 RU RO L6 L8 E7 EK EO",
        "T6 RK LO LU LB L9 EB E8 E9",
    )  # fmt: skip
    table = Table(hands, EICHEL).run("EU TA TK TO TU TB T9", keep="RB RA EK EO E8 E9", tricks=7)
    assert table.play("L7 RB EK").segment("void")[ROSEN, 3] == 0
    assert table.play("E8").segment("void")[:, 3].tolist() == [0, 1, 1, 1]


