"""Rules of Schieber, sections 6 to 8: Stöck, scores, the end of a match, presets. Ids are those of RULES.md."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from schieber_table import CHOOSE, EICHEL, OBENABE, SCHELLEN, UNDENUFE, Table, cards, deal

import bidtrick.envs.schieber
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import DealError, GameOverError
from bidtrick.envs.schieber.rules import SchieberRules

RULE_BOOK = Path(bidtrick.envs.schieber.__file__).with_name("RULES.md")

# --- points of a hand


@pytest.mark.parametrize("preset", ["source", "swiss"])
def test_situation_06(preset: str) -> None:
    """J-PTS-04, J-PTS-05, J-CON-03, situation 6: all nine tricks in Undenufe are (157 + 100) x 4 = 1028."""
    rules = SchieberRules.make(preset, weis=False)
    table = Table(deal("E6 E7 E8 E9 EB EU EO EK EA"), UNDENUFE, rules).run("E6 E7 E8 E9 EB EU EO EK EA")
    assert table.scores == [1028, 0]
    assert (table.points, table.bonus) == ([157, 0], [100, 0])
    assert table.result["tricks"] == [9, 0]


def test_situation_07() -> None:
    """J-PTS-05, situation 7: opponents who won a trick worth nothing have avoided the match."""
    hands = deal("R8 EA EK EO EU EB E9 E8 E7", "R9", "R7 E6", "R6")
    table = Table(hands, EICHEL, {"weis": False, "stock": False}).play("R8 R9 R7 R6")
    table.run("EU E9 EA EK EO EB E8", keep="EU E9 EA EK EO EB E8 E6")
    assert (table.points, table.bonus, table.result["tricks"]) == ([157, 0], [0, 0], [8, 1])
    assert table.scores == [157, 0]


def test_match_bonus_option() -> None:
    """J-PTS-05: `match_bonus=0`."""
    rules = {"weis": False, "match_bonus": 0}
    table = Table(deal("E6 E7 E8 E9 EB EU EO EK EA"), OBENABE, rules).run("EA EK EO EU EB E9 E8 E7 E6")
    assert table.scores == [3 * 157, 0]


def test_last_trick() -> None:
    """J-PTS-04, decision 1: the 5 of the last trick are part of its points, one event."""
    hands = deal("E6 E7 E8 E9 EB EU EO EK EA")
    whole = Table(hands, OBENABE, {"weis": False}).run("EA EK EO EU EB E9 E8 E7 E6", tricks=8)
    last = 157 - whole.points[0]
    start = 3000 - 3 * 157
    table = Table(hands, OBENABE, {"weis": False}, scores=(start, 0)).run("EA EK EO EU EB E9 E8 E7 E6")
    assert last > 5
    # 3000 is reached by the trick's points with the 5, so the match bonus is never counted
    assert (table.scores, table.bonus, table.result["winner"]) == ([3000, 0], [0, 0], 0)
    short = Table(hands, OBENABE, {"weis": False}, scores=(start - 1, 0)).run("EA EK EO EU EB E9 E8 E7 E6")
    assert (short.scores, short.bonus, short.result["winner"]) == ([3299, 0], [100, 0], 0)


# --- Stöck

STOCK_LATE = deal(
    "EU E9 RA RK RO RU RB R9 EA", "E7 R8 T6 T7 T8 T9 TB TU TO", "E8 EB R7 L6 L7 L8 L9 LB LU",
    "EK EO E6 R6 TK TA LO LK LA",
)  # fmt: skip
ALL_LEADS = "EU E9 RA RK RO RU RB R9 EA"


def test_situation_15() -> None:
    """J-STK-01, situation 15: the second card as the last card of the hand, in a trick of the others."""
    table = Table(STOCK_LATE, EICHEL, {"weis": False}).run(ALL_LEADS, keep="EO EK", tricks=8)
    assert (table.stock, table.who("stock_scored")) == ([0, 0], [])
    table.finish()
    assert table.stock == [0, 20]
    assert table.who("stock_scored") == [3]
    assert table.scores == [257, 20]


def test_stock_is_scored_by_the_second_card() -> None:
    """J-STK-01: at the second of the two, with the multiplier, whoever takes the trick; independent of Weis."""
    hands = deal("LA LU", "LO LK", "L6", "L7")
    table = Table(hands, SCHELLEN, {"weis": False}).play("LA LO L6 L7")
    assert (table.stock, table.scores) == ([0, 0], [2 * 14, 0])
    table.play("LU LK")
    assert (table.stock, table.who("stock_scored"), table.scores) == ([0, 20], [1], [28, 40])
    split = Table(deal("LA LU", "LO", "L6 LK", "L7"), SCHELLEN, {"weis": False}).finish()
    assert split.stock == [0, 0]  # one player must hold both
    assert Table(hands, SCHELLEN, {"stock": False}).finish().stock == [0, 0]
    for contract in (EICHEL, OBENABE, UNDENUFE):  # only of trump (J-STK-01, situation 14)
        assert Table(hands, contract).finish().stock == [0, 0]


# --- the end of a match

EIGHT = deal(
    "R6 R7 R8 EA E6 T9 TU LK L9", "EK EO RA RB T6 T8 TO L6 L8", "RU R9 EB E8 TA TB LA L7 LU",
    "RK RO E7 E9 EU T7 TK LB LO",
)  # fmt: skip
AT_990: dict[str, Any] = {"scores": (990, 980), "hand_number": 3, "episode": "match"}


def test_situation_08() -> None:
    """J-END-02, J-STK-02, situation 8: the early Stöck comes before the Weis; without it the Weis wins."""
    table = Table(EIGHT, EICHEL, {"target": 1000}, **AT_990)
    assert (table.done, table.result["winner"], table.scores) == (True, 1, [990, 1000])  # decision 3 (a): at once
    assert (table.stock, table.seen("cards_on_table")) == ([0, 20], 0)
    off = Table(EIGHT, EICHEL, {"target": 1000, "early_stock": "off"}, **AT_990).play("R6 RA RU RK")
    assert (off.result["winner"], off.scores, off.weis, off.stock) == (0, [1010, 980], [20, 0], [0, 0])


def test_first_card_claim() -> None:
    """J-STK-02, decision 3 (c): with `first_card` the match ends as the first of the pair is played, in mid-trick."""
    table = Table(EIGHT, EICHEL, {"target": 1000, "early_stock": "first_card"}, **AT_990)
    assert not table.done
    table.play("EA EO")
    assert (table.done, table.result["winner"], table.scores) == (True, 1, [990, 1000])
    assert (table.seen("cards_on_table"), table.declared, table.who("declared")) == (2, [20, 0, 0, 0], [0, 1])


def test_claim_after_an_event() -> None:
    """J-STK-02, decision 3 (b): an early claim after each scoring event, in the hand of any seat of the team."""
    hands = deal("EA R6", "E6 R7", "EK EO", "E7 R8")
    start = Table(hands, EICHEL, {"weis": False}, scores=(3000 - 31, 0))
    assert not start.done
    start.play("EA E6")
    assert not start.done
    start.play("EO E7")  # 14 points: 2983; the König is still to come, and 2983 + 20 reaches the target
    assert (start.done, start.scores, start.stock, start.points) == (True, [2969 + 14 + 20, 0], [20, 0], [14, 0])
    off = Table(hands, EICHEL, {"weis": False, "early_stock": "off"}, scores=(2969, 0)).play("EA E6 EO E7")
    assert (off.done, off.scores) == (False, [2983, 0])


def test_situation_09() -> None:
    """J-STK-01, J-END-02, situation 9, decision 2: the Stöck counts when its card is played, before the trick."""
    hands = deal("EA EU", "EO EK", "E6", "E7")
    rules = {"target": 1000, "early_stock": "off", "weis": False}
    table = Table(hands, EICHEL, rules, scores=(976, 985)).play("EA EO E6 E7")
    assert table.scores == [990, 985]
    table.play("EU EK")
    assert (table.done, table.result["winner"], table.scores) == (True, 1, [990, 1005])
    assert table.seen("cards_on_table") == 2
    early = Table(hands, EICHEL, rules | {"early_stock": "any_time"}, scores=(976, 985))
    assert (early.done, early.result["winner"], early.scores) == (True, 1, [976, 1005])


def test_end_by_the_fourth_card_of_a_trick() -> None:
    """J-STK-02, decisions 2 and 3, reading (h): the match is over before the trick is taken; its cards lie there."""
    rules = {"early_stock": "first_card", "weis": False}
    table = Table(deal("EA EU", "E6", "E7", "EO EK"), EICHEL, rules, scores=(0, 2985)).play("EA E6 E7 EO")
    assert (table.done, table.scores, table.stock) == (True, [0, 3005], [0, 20])
    assert (table.sheet("tricks"), table.points) == ([0, 0], [0, 0])
    assert table.segment("table").sum() == 3  # those of the three others
    assert (table.seen("cards_on_table"), table.seen("trick_number")) == (4, 0)


@pytest.mark.parametrize("order", ["stock_weis_trick", "stock_trick_weis"])
def test_claim_order(order: str) -> None:
    """J-END-02, decision 5: Weis and points of trick 1 in order; reading (a): what comes later is not counted."""
    rules = {"target": 1000, "claim_order": order, "stock": False}
    table = Table(EIGHT, EICHEL, rules, scores=(985, 985)).play("R6 RA RU RK")
    weis_first = order == "stock_weis_trick"
    assert table.result["winner"] == (0 if weis_first else 1)
    assert table.scores == ([1005, 985] if weis_first else [985, 1002])
    assert (table.weis, table.points) == (([20, 0], [0, 0]) if weis_first else ([0, 0], [0, 17]))
    assert table.result["tricks"] == [0, 1]  # the trick has fallen, though its points do not count
    # reading (b): cards are shown when the Weis has been counted, also if it ended the match
    assert table.shown == (["R6 R7 R8", "", "", ""] if weis_first else [""] * 4)


def test_no_stock_can_be_completed_in_the_first_trick() -> None:
    """J-END-02, decision 4: "Stöck first" in trick 1 is only ever an early claim."""
    batch = make_batch("schieber", num_games=400, seed=3, rules={"early_stock": "off"})
    rng = np.random.default_rng(1)
    while (batch.state.tricks == 0).any():
        actions = batch.sample_actions(rng)
        actions[batch.state.tricks > 0] = -1
        batch.step(actions)
    assert (batch.spec.layout.view(batch.observe(), "stock_scored") == 0).all()


def test_live_end() -> None:
    """J-END-01: the team that reaches the target wins at that moment, in mid-hand; nothing more is possible."""
    table = Table(deal("EA EU"), EICHEL, {"weis": False, "stock": False}, scores=(2990, 2999), episode="match")
    while not table.done:
        table.step(table.actions()[0])
    assert table.result["winner"] in (0, 1)
    assert max(table.scores) >= 3000
    assert sum(table.points) < 157
    with pytest.raises(GameOverError, match="game 0 is finished"):
        table.step(0)


def test_target_option() -> None:
    """J-END-01, J-END-03: any positive target; scores at it are refused, below it are fine (reading d)."""
    hands = deal("EU E9")
    for target in (1000, 1500, 2500, 3000, 1, 777):
        table = Table(hands, EICHEL, {"target": target, "weis": False, "early_stock": "off"}, scores=(target - 1, 0))
        table.play("EU").finish()
        assert (table.result["winner"], table.scores[0] >= target, table.seen("trick_number")) == (0, True, 1)
        with pytest.raises(DealError, match=f"below the target {target}"):
            Table(hands, EICHEL, {"target": target}, scores=(target, 0))


@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize(("losers", "schneider"), [(1499, True), (1500, False), (0, True)])
def test_schneider(factor: int, losers: int, schneider: bool) -> None:
    """J-END-03, decision 15: strictly below half the target; changes the match reward only."""
    rules = {"schneider_factor": factor, "early_stock": "any_time"}
    hands = deal("EK EO")
    table = Table(hands, EICHEL, rules, scores=(2990, losers), reward="match", episode="match")
    assert (table.result["winner"], table.result["schneider"]) == (0, schneider)
    worth = factor if schneider else 1
    assert table.paid.tolist() == [worth, -worth, worth, -worth]
    assert table.scores == [3010, losers]
    assert table.sheet("safe") == [1, int(not schneider)]


def test_schneider_of_an_odd_target() -> None:
    """J-END-03, decision 15: half the target is exact: 388 of 777 is Schneider, 389 is not."""
    for losers, schneider in ((388, True), (389, False)):
        table = Table(deal("EK EO"), EICHEL, {"target": 777}, scores=(760, losers), episode="match")
        assert table.result["schneider"] is schneider


def test_episodes() -> None:
    """J-END-04, decision 19: one hand, with the target in force inside it, or a match."""
    hand = Table(deal("EA"), EICHEL, episode="hand").finish()
    assert (hand.result["winner"], sum(hand.points), hand.seen("match_episode")) == (-1, 157, 0)
    inside = Table(deal("EK EO"), EICHEL, episode="hand", scores=(2980, 0))
    assert (inside.done, inside.result["winner"]) == (True, 0)
    match = Table(deal("EA"), EICHEL, episode="match").finish()
    assert match.result["winner"] in (0, 1)
    assert match.seen("hand_number") > 3
    assert max(match.scores) >= 3000


def test_points_reward() -> None:
    """J-END-04: `reward="points"` is the difference of the hand's points / 100, for each hand of a match."""
    table = Table(deal("E6 E7 E8 E9 EB EU EO EK EA"), UNDENUFE, {"weis": False}).run("E6 E7 E8 E9 EB EU EO EK EA")
    assert table.paid == pytest.approx([10.28, -10.28, 10.28, -10.28], abs=1e-4)
    match = Table(deal("EA"), EICHEL, episode="match").finish()
    assert match.paid[0] == pytest.approx((match.scores[0] - match.scores[1]) / 100, abs=1e-3)


def test_match_reward_waits_for_the_end() -> None:
    """J-END-03: `reward="match"` pays +-1 when the match is decided and nothing before."""
    table = Table(deal("EA"), EICHEL, episode="match", reward="match")
    while not table.done:
        assert not table.paid.any()
        table.step(table.actions()[0])
    won = 1 if table.result["winner"] == 0 else -1
    assert table.paid.tolist() == [won, -won, won, -won]
    hand = Table(deal("EA"), EICHEL, episode="hand", reward="match").finish()
    assert not hand.paid.any()


def test_fixed_number_of_hands() -> None:
    """J-END-05, decision 6: most points win after so many hands; no target, no early Stöck, no Schneider."""
    rules = {"hands": 2, "schneider_factor": 2, "target": 100}
    table = Table(deal("EK EO"), EICHEL, rules, scores=(90, 0), episode="match", reward="match")
    assert not table.done
    table.finish()
    assert table.seen("hand_number") == 2
    assert max(table.scores) > 100
    assert (table.result["winner"], table.result["schneider"]) == (int(np.argmax(table.scores)), False)
    assert sorted(table.paid) == [-1, -1, 1, 1]
    assert (table.sheet("to_go"), table.sheet("safe")) == ([0, 0], [0, 0])
    far = Table(deal("EK EO"), rules=rules, scores=(5000, 0))  # no target: any score is fine
    assert far.scores == [5000, 0]


def test_draw() -> None:
    """J-END-05: a tie is a draw."""
    rules = SchieberRules.make("jass_kit", hands=1)
    hands = deal("E6 E7 E8 E9 EB EU EO EK EA")
    leads = "EA EK EO EU EB E9 E8 E7 E6"
    table = Table(hands, OBENABE, rules, scores=(0, 157), episode="match", reward="match").run(leads)
    assert (table.scores, table.result["winner"], table.paid.tolist()) == ([157, 157], 2, [0, 0, 0, 0])
    lost = Table(hands, OBENABE, rules, scores=(0, 158), episode="match", reward="match").run(leads)
    assert (lost.result["winner"], lost.paid.tolist()) == (1, [-1, 1, -1, 1])
    # reading (e): a single hand never decides such a match
    hand = Table(hands, OBENABE, rules, scores=(0, 158), reward="match").run(leads)
    assert (hand.result["winner"], hand.paid.tolist()) == (-1, [0, 0, 0, 0])


def test_hand_number_of_a_fixed_match() -> None:
    """J-END-05: a match begun at its last hand ends with it; a hand beyond the last is refused."""
    table = Table(deal("EA"), EICHEL, {"hands": 4}, hand_number=3, episode="match").finish()
    assert table.seen("hand_number") == 4
    with pytest.raises(DealError, match="below hands=4"):
        Table(deal("EA"), rules={"hands": 4}, hand_number=4)


def test_sampled_context() -> None:
    """J-DEAL-02, reading (f): drawn forehand and scores, hand number 1; no card names the forehand."""
    batch = make_batch("schieber", num_games=8000, seed=5, context="sampled", rules={"target": 1000})
    scores = batch.state.scores
    assert scores.min() >= 0
    assert scores.max() == 999
    assert np.allclose(scores.mean(axis=0), 499.5, atol=15)
    assert abs(np.corrcoef(scores.T)[0, 1]) < 0.04
    assert (np.abs(np.bincount(batch.current_player, minlength=4) - 2000) < 160).all()
    assert (batch.state.hand_number == 1).all()
    assert not batch.spec.layout.view(batch.observe(), "card_named_forehand").any()
    fixed = make_batch("schieber", num_games=100, context="sampled", rules={"hands": 4})
    assert not fixed.state.scores.any()


# --- presets and the book

PRESETS: dict[str, dict[str, Any]] = {
    "source": {},
    "swiss": {"undenufe_eleven": "six"},
    "swisslos2500": {"undenufe_eleven": "six", "multipliers": (1, 1, 2, 2, 3, 3), "target": 2500},
    "swisslos1000": {"undenufe_eleven": "six", "multipliers": (1,) * 6, "target": 1000},
    "tournament": {
        "undenufe_eleven": "six", "multipliers": (1,) * 6, "weis": False, "stock": False, "match_bonus": 0,
    },
    "jass_kit": {
        "undenufe_eleven": "six", "multipliers": (1,) * 6, "weis": False, "stock": False, "match_bonus": 0,
    },
    "tiny": {
        "undenufe_eleven": "six", "first_forehand": "random", "suits": 2, "ranks": ("Under", "Ober", "König", "Ass"),
    },
    "small": {
        "undenufe_eleven": "six", "first_forehand": "random", "suits": 2,
        "ranks": ("9", "Banner", "Under", "Ober", "König", "Ass"),
    },
}  # fmt: skip
SOURCE = {
    "suit_names": "swiss", "first_forehand": "rosen_7", "push_back": False, "multipliers": (1, 1, 2, 2, 3, 4),
    "undenufe_eleven": "ace", "match_bonus": 100, "weis": True, "four_nines": 0, "kreuzweis": False,
    "weis_type_order": "quartet_first", "weis_reveal": "winner_cards", "stock": True, "early_stock": "any_time",
    "target": 3000, "claim_order": "stock_weis_trick", "schneider_factor": 1, "hands": None,
    "suits": 4, "ranks": ("6", "7", "8", "9", "Banner", "Under", "Ober", "König", "Ass"),
}  # fmt: skip


def test_presets() -> None:
    """Section 8, decision 16: every preset, option by option."""
    assert list(SchieberRules.presets) == list(PRESETS)
    for preset, changes in PRESETS.items():
        assert SchieberRules.make(preset).to_dict() == SOURCE | changes
        assert make_batch("schieber", rules=preset).rules.target == (SOURCE | changes)["target"]


def test_the_book_has_every_rule() -> None:
    """Each id is in the rule book and cited by a rule test; so are the situations and decisions."""
    ids = {f"J-{part}-{n:02d}" for part, count in (
        ("SEAT", 1), ("EQP", 2), ("DEAL", 2), ("CON", 4), ("RNK", 3), ("PTS", 5), ("PLAY", 6), ("WEIS", 8), ("STK", 2),
        ("END", 5), ("RED", 4),
    ) for n in range(1, count + 1)}  # fmt: skip
    book = RULE_BOOK.read_text(encoding="utf-8")
    assert set(re.findall(r"J-[A-Z]+-\d\d", book)) == ids
    tests = "".join(p.read_text(encoding="utf-8") for p in Path(__file__).parent.glob("test_schieber_*.py"))
    docs = "".join(re.findall(r'"""(.*?)"""', tests, re.DOTALL))
    assert set(re.findall(r"J-[A-Z]+-\d\d", docs)) == ids
    assert {f"test_situation_{n:02d}" for n in range(1, 17)} <= set(re.findall(r"test_situation_\d\d", tests))
    cited = {int(n) for found in re.findall(r"decisions? ([\d, and]+)", tests) for n in re.findall(r"\d+", found)}
    assert set(range(1, 20)) <= cited
    for number in range(1, 20):
        assert f"\n{number}. " in book.split("## 11.")[1]
    for field in dataclasses.fields(SchieberRules):
        assert f"`{field.name}`" in book
        for choice in field.metadata["choices"] or ():
            assert f"`{choice}`" in book, (field.name, choice)
    for preset in PRESETS:
        assert f"`{preset}`" in book


def test_actions() -> None:
    """J-CON-01: the numbers of the actions, which records keep."""
    spec = make_batch("schieber").spec
    assert spec.num_actions == 43
    assert [spec.parse_action(t) for t in ("Eichel 6", "schellen ass", "Trump Eichel", "Undenufe", "Push")] == [
        cards("E6")[0], cards("LA")[0], CHOOSE, 41, 42,
    ]  # fmt: skip
