"""Thousand: what is written, bolts, truck, barrel, ends of matches, four and two players, stakes, bonuses, presets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from thousand_table import PLAIN, Table, cards, end

from bidtrick.envs import make_batch
from bidtrick.envs.thousand.entries import half_bid
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.scoring import by_rank
from bidtrick.envs.thousand.tables import round_points

#: A deal in which the declarer, seat 0, makes 120 with a marriage of spades and leaves 40 to the left, 20 to the right.
MADE: dict[str, Any] = {"bid": 100, "cards": (60, 40, 20), "marriages": (40,)}
FAILED: dict[str, Any] = {"bid": 100, "cards": (60, 40, 20)}


def scored(rules: Any = None, **deal: Any) -> list[int]:
    return end(rules, **deal)[0]["scores"]


# --- what is written


def test_the_contract_is_written() -> None:
    """T-SCO-01, T-SCO-02, T-SCO-03, T-SCO-05, T-SCO-06, situation 1: ± the contract; the others what they took."""
    assert scored(**MADE) == [100, 40, 20]
    assert scored(**FAILED) == [-100, 40, 20]
    assert scored(**{**FAILED, "contract": 120}) == [-120, 40, 20]
    assert scored(bid=100, cards=(60, 40, 20), marriages=(40, 60)) == [100, 100, 20]
    assert scored({"score_declarer": "actual"}, bid=100, cards=(83, 20, 17), marriages=(40,)) == [125, 20, 15]
    assert scored({"score_declarer": "actual"}, **FAILED) == [-100, 40, 20]


def test_one_point_short() -> None:
    """T-SCO-04, T-RND-04, situation 9: 119 is less than 120; rounding before the check is an option."""
    assert scored(bid=120, cards=(119, 1, 0)) == [-120, 0, 0]
    assert scored(bid=120, cards=(120, 0, 0)) == [120, 0, 0]
    assert scored({"score_declarer_rounding": "before_check"}, bid=120, cards=(118, 2, 0)) == [120, 0, 0]
    assert scored({"score_declarer_rounding": "before_check"}, bid=120, cards=(117, 3, 0)) == [-120, 5, 0]


def test_rounding() -> None:
    """T-RND-01, T-RND-02, T-RND-03: nearest five (51, 52 → 50; 53, 54, 56, 57 → 55; 58, 59 → 60; 17 → 15; 18 → 20)."""
    points = np.array([51, 52, 53, 54, 56, 57, 58, 59, 17, 18, 0, 1, 2])
    assert round_points(points, 5).tolist() == [50, 50, 55, 55, 55, 55, 60, 60, 15, 20, 0, 0, 0]
    assert round_points(np.array([4, 5, 14, 15, 25]), 10).tolist() == [0, 10, 10, 20, 30]
    assert round_points(points, 1).tolist() == points.tolist()
    assert scored(bid=100, cards=(81, 22, 17), marriages=(40, 60)) == [100, 80, 15]


def test_rounded_sums() -> None:
    """T-RND-05: of 7,381 splits of 120, 5,856 written sums differ with one seat unrounded, 1,728 with all rounded."""
    splits = np.array([(a, b, 120 - a - b) for a in range(121) for b in range(121 - a)])
    assert len(splits) == 7_381
    rounded = round_points(splits, 5)
    assert int((rounded.sum(axis=1) != 120).sum()) == 1_728
    assert int((splits[:, 0] + rounded[:, 1] + rounded[:, 2] != 120).sum()) == 5_856


# --- bolts


def test_bolts() -> None:
    """T-BOLT-01, T-BOLT-02, T-BOLT-03, situation 16: no trick; a trick worth 2 is none; the third costs 120."""
    report, state = end(**{**FAILED, "tricks": (5, 3, 0), "bolts": [0, 0, 1]})
    assert (report["fines"], state.bolts[0].tolist()) == ([0, 0, 0], [0, 0, 2])
    report, state = end(**{**FAILED, "tricks": (5, 3, 0), "bolts": [0, 0, 2]})
    assert (report["scores"], state.bolts[0].tolist()) == ([-100, 40, 20 - 120], [0, 0, 0])
    assert ("bolt_fine", 2) in report["happened"]
    assert end(bid=100, cards=(78, 40, 2), tricks=(5, 2, 1))[1].bolts[0].tolist() == [0, 0, 0]
    assert end({"bolt_mode": "off"}, **FAILED, tricks=(5, 3, 0))[1].bolts[0].tolist() == [0, 0, 0]
    assert scored({"bolt_fine": 60}, **{**FAILED, "tricks": (5, 3, 0), "bolts": [0, 0, 2]})[2] == -40


def test_declarers_bolt() -> None:
    """T-BOLT-04: a trickless declarer gets one as well, beside losing the contract."""
    deal: dict[str, Any] = {"bid": 100, "cards": (0, 80, 40), "tricks": (0, 5, 3)}
    assert end(**deal)[1].bolts[0].tolist() == [1, 0, 0]
    assert end({"bolt_declarer": False}, **deal)[1].bolts[0].tolist() == [0, 0, 0]


def test_bolts_in_a_row() -> None:
    """T-BOLT-09: a trick ends the row, a written-off deal does not, nor a trickless declarer without a bolt."""
    row = {"bolt_mode": "consecutive3", "bolt_declarer": False}
    assert end(row, **FAILED, bolts=[2, 2, 2])[1].bolts[0].tolist() == [0, 0, 0]
    assert end("default", **FAILED, bolts=[2, 2, 2])[1].bolts[0].tolist() == [2, 2, 2]
    assert end(row, bid=100, contract=0, tricks=(0, 0, 0), bolts=[2, 2, 2])[1].bolts[0].tolist() == [2, 2, 2]
    assert end(row, bid=100, cards=(0, 80, 40), tricks=(0, 5, 3), bolts=[2, 0, 0])[1].bolts[0].tolist() == [2, 0, 0]


def test_bolts_by_points() -> None:
    """T-BOLT-01: by points a defender who writes 0 gets one; a declarer never."""
    rules = {"bolt_basis": "points"}
    assert end(rules, bid=100, cards=(118, 2, 0), tricks=(6, 1, 1))[1].bolts[0].tolist() == [0, 1, 1]
    assert end(rules, bid=100, cards=(0, 90, 30), tricks=(0, 5, 3))[1].bolts[0].tolist() == [0, 0, 0]


def test_bolts_and_barrel() -> None:
    """T-BOLT-05, T-BOLT-06, situation 19: none on the barrel; mounting and falling keep the count."""
    deal: dict[str, Any] = {**FAILED, "tricks": (5, 3, 0), "scores": [0, 0, 880]}
    assert end(**deal, bolts=[0, 0, 2])[1].bolts[0].tolist() == [0, 0, 2]
    report, state = end({"bolt_on_barrel": True}, **deal, bolts=[0, 0, 2])
    assert (report["scores"][2], state.falls[0].tolist()) == (760, [0, 0, 1])
    mounted = end(**{**MADE, "scores": [800, 0, 0], "bolts": [2, 0, 0]})[1]
    assert mounted.bolts[0].tolist() == [2, 0, 0]
    fallen = end(**{**FAILED, "scores": [880, 0, 0], "bolts": [2, 0, 0], "attempts": [2, 0, 0]})[1]
    assert fallen.bolts[0].tolist() == [2, 0, 0]


def test_sitting_dealers_get_none() -> None:
    """T-BOLT-08: the sitting dealer has no trick and no bolt."""
    assert end("four", **FAILED, tricks=(5, 2, 1, 0))[1].bolts[0].tolist() == [0, 0, 0, 0]


# --- truck


def test_truck() -> None:
    """T-TRK-01, T-TRK-02, T-TRK-04, T-TRK-05: exactly 555 or -555 becomes 0; bolts and falls stay."""
    deal = {**MADE, "scores": [455, 515, -575], "bolts": [1, 1, 1], "falls": [1, 1, 1]}
    report, state = end("mailru", **deal)
    assert report["scores"] == [0, 0, 0]
    assert (state.bolts[0].tolist(), state.falls[0].tolist()) == ([1, 1, 1], [1, 1, 1])
    assert scored({"truck_plus_555": True}, **deal) == [0, 0, -555]
    assert scored(**deal) == [555, 555, -555]
    assert scored("mailru", **{**MADE, "scores": [456, 0, 0]})[0] == 556


def test_truck_after_fines() -> None:
    """T-TRK-03, situation 15: the third bolt's 120 take 675 to 555, and the truck to 0; also an unchanged 555."""
    deal = {**FAILED, "cards": (60, 60, 0), "tricks": (5, 3, 0), "scores": [0, 0, 675], "bolts": [0, 0, 2]}
    assert scored("mailru", **deal)[2] == 0
    assert scored("mailru", **{**FAILED, "cards": (60, 60, 0), "tricks": (4, 3, 1), "scores": [0, 0, 555]})[2] == 0


def test_truck_after_a_fall() -> None:
    """T-BAR-18, T-TRK-03: a fall by the last contract may land on 555."""
    rules = {"barrel_fall_to": "last_contract", "truck_plus_555": True}
    deal = {**FAILED, "declarer": 1, "scores": [880, 0, 0], "attempts": [2, 0, 0]}
    assert scored(rules, **deal, last_contracts=[325, 120, 120])[0] == 0
    assert scored(rules, **deal, last_contracts=[320, 120, 120])[0] == 560


# --- barrel


def test_mounting() -> None:
    """T-BAR-01, T-BAR-08, situation 2, situation 18: 880 or more is written as 880, with no attempt used."""
    for score in (780, 860):
        report, state = end(**MADE, scores=[score, 0, 0])
        assert (report["scores"][0], state.barrel[0].tolist(), state.attempts[0].tolist()) == (
            880,
            [True, False, False],
            [0] * 3,
        )
    assert scored(bid=250, cards=(110, 10, 0), marriages=(140,), scores=[800, 0, 0])[0] == 880
    assert scored(**MADE, scores=[775, 0, 0])[0] == 875
    assert scored(**MADE, scores=[0, 845, 0])[1] == 880  # a defender mounts too


@pytest.mark.parametrize(("target", "need", "wins"), [(1000, 120, True), (1001, 125, False)])
def test_winning_from_the_barrel(target: int, need: int, wins: bool) -> None:
    """T-BAR-02, T-BAR-03, T-END-01, T-END-02, situation 17: 120 wins at 1000, 125 at 1001."""
    rules = {"target": target}
    assert ThousandRules.make(rules).need == need
    report, state = end(rules, bid=120, cards=(100, 20, 0), marriages=(40,), scores=[880, 100, 0])
    assert (report["winner"] == 0) == wins
    assert report["scores"] == ([1000, 100, 0] if wins else [880, 120, 0])  # a won match stops
    assert state.attempts[0, 0] == (0 if wins else 1)
    enough = end(rules, bid=need, cards=(100, 20, 0), marriages=(40,), scores=[880, 0, 0])[0]
    assert (enough["winner"], enough["scores"][0]) == (0, 880 + need)
    assert end(rules, bid=100, cards=(120, 0, 0), tricks=(8, 1, 1), scores=[880, 0, 0])[0]["winner"] == -1


def test_all_tricks() -> None:
    """T-BAR-15: without a marriage all tricks are worth 120, which wins at 1000."""
    assert end(bid=120, cards=(120, 0, 0), tricks=(8, 0, 0), scores=[880, 0, 0])[0]["winner"] == 0


def test_defenders_on_the_barrel() -> None:
    """T-BAR-04: they write nothing, marriages neither; or may win by what they take."""
    deal: dict[str, Any] = {"bid": 100, "cards": (20, 100, 0), "marriages": (0, 100), "scores": [0, 880, 0]}
    assert scored(**deal) == [-100, 880, 0]
    any_way = {"barrel_own_contract_only": False}
    assert end(any_way, **deal)[0]["winner"] == 1
    assert scored(any_way, bid=100, cards=(20, 100, 0), scores=[0, 880, 0]) == [-100, 880, 0]


def test_attempts() -> None:
    """T-BAR-07, T-BAR-09, T-BAR-10: every deal is an attempt, two failures cost nothing, the third throws to 760."""
    deal = {**FAILED, "declarer": 1, "scores": [880, 0, 0]}
    for used, score, left in ((0, 880, 1), (1, 880, 2), (2, 760, 0)):
        report, state = end(**deal, attempts=[used, 0, 0])
        assert (report["scores"][0], state.attempts[0, 0], bool(state.barrel[0, 0])) == (score, left, score == 880)
    own = {"barrel_attempt_counts": "own_contracts"}
    assert end(own, **deal, attempts=[2, 0, 0])[1].attempts[0, 0] == 2
    assert scored(own, **{**FAILED, "scores": [880, 0, 0], "attempts": [2, 0, 0]})[0] == 760
    assert scored({"barrel_attempts": 1}, **deal)[0] == 760
    assert scored(**{**FAILED, "scores": [880, 0, 0]})[0] == 880
    assert scored({"barrel_fail_cost": "contract"}, **{**FAILED, "contract": 120, "scores": [880, 0, 0]})[0] == 760
    assert scored({"barrel_fail_cost": "contract"}, **{**FAILED, "contract": 160, "scores": [880, 0, 0]})[0] == 720


def test_falls_by_the_last_contract() -> None:
    """T-BAR-10: 880 less the last contract that the seat named; its own failed one if it is the declarer."""
    rules = {"barrel_fall_to": "last_contract"}
    assert scored(rules, **{**FAILED, "contract": 200, "scores": [880, 0, 0], "attempts": [2, 0, 0]})[0] == 680
    assert scored(rules, **{**FAILED, "declarer": 1, "scores": [880, 0, 0], "attempts": [2, 0, 0]})[0] == 760


def test_third_fall() -> None:
    """T-BAR-11, T-BAR-17: the third fall makes score and falls 0; a failure and a knock-off are one fall."""
    deal = {**FAILED, "scores": [880, 0, 0], "attempts": [2, 0, 0], "falls": [2, 0, 0]}
    report, state = end(**deal)
    assert (report["scores"][0], state.falls[0, 0]) == (0, 0)
    report, state = end({"barrel_third_fall": "none"}, **deal)
    assert (report["scores"][0], state.falls[0, 0]) == (760, 3)
    both = {**FAILED, "scores": [880, 850, 0], "attempts": [2, 0, 0]}
    report, state = end(**both)
    assert (report["scores"][:2], state.falls[0].tolist()) == ([760, 880], [1, 0, 0])


@pytest.mark.parametrize(
    ("collision", "scores"),
    [("last_mounter", [760, 880]), ("first_stays", [880, 760]), ("coexist", [880, 880]), ("all_fall", [760, 760])],
)
def test_collisions(collision: str, scores: list[int]) -> None:
    """T-BAR-12: a newcomer meets a sitter."""
    report, state = end({"barrel_collision": collision}, **{**FAILED, "scores": [880, 850, 0]})
    assert report["scores"][:2] == scores
    assert state.falls[0, :2].tolist() == [score == 760 for score in scores]


@pytest.mark.parametrize(
    ("same_deal", "declarer", "stays"),
    [
        ("declarer_then_total_then_seat", 0, 0), ("declarer_then_total_then_seat", 2, 1),
        ("declarer_then_seat", 2, 0), ("all_fined", 0, None),
    ],
)  # fmt: skip
def test_same_deal(same_deal: str, declarer: int, stays: int | None) -> None:
    """T-BAR-13: several mount at once: the declarer, else the larger total, else the seat from forehand."""
    cards_won = (60, 40, 20) if declarer == 0 else (40, 60, 20)
    deal = {"bid": 100, "declarer": declarer, "cards": cards_won, "marriages": (40, 40, 0)}
    scores = [860, 870, 0] if declarer else [790, 870, 0]
    report = end({"barrel_same_deal": same_deal}, **deal, scores=scores)[0]
    assert report["scores"][:2] == [880 if seat == stays else 760 for seat in range(2)]
    tie = end({"barrel_same_deal": same_deal}, bid=100, declarer=2, cards=(40, 40, 40), scores=[850, 850, 0])[0]
    assert tie["scores"][:2] == ([760, 760] if same_deal == "all_fined" else [880, 760])


def test_jumps() -> None:
    """T-BAR-16: 720 + 300 mounts; with "win" a made contract that reaches the target wins."""
    deal: dict[str, Any] = {"bid": 300, "cards": (100, 20, 0), "marriages": (200,), "scores": [720, 0, 0]}
    assert scored(**deal)[0] == 880
    report = end({"barrel_jump_over": "win"}, **deal)[0]
    assert (report["winner"], report["scores"][0]) == (0, 1020)
    assert (
        end({"barrel_jump_over": "win"}, bid=100, cards=(0, 120, 0), marriages=(0, 200), scores=[0, 720, 0])[0][
            "winner"
        ]
        == -1
    )


def test_dark_and_barrel() -> None:
    """T-BAR-19: no dark game while anybody is on the barrel, also a sitting dealer."""
    assert Table(*PLAIN, rules={"dark": "D", "players": 4}, scores=[0, 0, 0, 880]).phase == "auction"
    assert Table(*PLAIN, rules={"dark": "D", "players": 4}).phase == "dark"


# --- the end


def test_without_a_barrel() -> None:
    """T-END-03: the declarer first, then the larger total, then the seat from forehand."""
    none = {"barrel_at": None}
    assert end(none, **MADE, scores=[900, 990, 990])[0]["winner"] == 0
    assert end(none, **MADE, scores=[0, 970, 990])[0]["winner"] == 1
    assert end(none, **{**FAILED, "cards": (60, 30, 30)}, scores=[0, 970, 970])[0]["winner"] == 1
    assert end(none, **MADE, scores=[0, 955, 0])[0]["winner"] == -1


def test_lock() -> None:
    """T-END-03: from the lock on a seat writes only its own contracts."""
    assert scored("polish", **MADE, scores=[800, 850, 790]) == [900, 850, 810]
    assert scored("polish", **FAILED, scores=[800, 0, 0])[0] == 700


def test_fixed_number_of_deals() -> None:
    """T-TOUR-01, T-END-04: the highest total wins after the last deal; equal ones are a draw."""
    batch = make_batch("thousand", num_games=200, seed=3, rules={"deals": 2}, episode="match", reward="match")
    rng, paid = np.random.default_rng(0), np.zeros((200, 3))
    while not batch.done.all():
        paid += batch.step(batch.sample_actions(rng))[0]
    scores, winner = batch.state.scores, batch.report()["winner"]
    best = scores.max(axis=1)
    shared = (scores == best[:, None]).sum(axis=1) > 1
    assert (batch.state.deals_played == 2).all()
    assert (winner[~shared] == np.argmax(scores, axis=1)[~shared]).all()
    assert (winner[shared] == -2).all()
    assert shared.any()
    assert np.allclose(paid.sum(axis=1), 0, atol=1e-5)
    assert (paid[~shared].max(axis=1) == 1).all()


def test_rewards() -> None:
    """The points reward is a seat's gain less the mean gain of the others, over 100; it sums to zero."""
    batch = make_batch("thousand", num_games=1, seed=0)
    batch.reset(options={"deal": [*range(24)], "dealer": 2})
    table = Table(*PLAIN).do("100", "Pass", "Pass")
    rewards, _ = table.game.step([table.game.spec.parse_action("Write off")])
    assert np.allclose(rewards[0], [-1.5, 0.75, 0.75])


# --- four players


def test_four_players() -> None:
    """T-4P-01, T-4P-06: the dealer sits out, sees no more than a defender and has nothing to decide."""
    table = Table(*PLAIN, rules="four", dealer=1)
    assert (table.seat, np.bitwise_count(table.game.state.hands[0]).tolist()) == (2, [7, 0, 7, 7])
    seats = []
    while table.seat >= 0:
        seats.append(table.seat)
        if table.phase == "contract":
            assert not table.seen_cards("talon", 1)
            table.do("100")
        else:
            table.do("Pass" if "Pass" in table.legal else table.legal[0])
    assert set(seats) == {0, 2, 3}
    assert table.report["entries"][1] == 20  # ♦K ♥A ♥Q: 18 points


def test_sitting_dealers() -> None:
    """T-4P-02, T-4P-03, T-4P-04, T-4P-05, T-4P-09: the talon's points, rounded, and marriages, or halves."""
    deal: dict[str, Any] = {**FAILED, "talon": "♥K ♥Q ♠J"}
    assert end("four", **deal)[0]["entries"][3] == 10 + 100
    assert end({"players": 4, "sitter_marriage": False}, **deal)[0]["entries"][3] == 10
    assert end({"players": 4, "sitter_points": "none"}, **deal)[0]["entries"][3] == 0
    half = {"players": 4, "sitter_half_marriage": True}
    assert end(half, **FAILED, talon="♥K ♦Q ♠9")[0]["entries"][3] == 5 + 50 + 40
    assert end(half, **deal)[0]["entries"][3] == 110
    assert end("four", **FAILED, talon="♥K ♦Q ♠9")[0]["entries"][3] == 5
    assert end("four", bid=100, contract=0, talon="♥A ♦A ♠A")[0]["entries"][3] == 35  # T-WO-05
    assert scored("four", **FAILED, talon="♥A ♦A ♠A", scores=[0, 0, 0, 850])[3] == 880


def test_sitting_on_the_barrel() -> None:
    """T-BAR-14, T-4P-08: the deal that the barrel seat deals is no attempt, and its talon is not written."""
    report, state = end("four", **FAILED, talon="♥A ♦A ♠A", scores=[0, 0, 0, 880], attempts=[0, 0, 0, 2])
    assert (report["scores"][3], state.attempts[0, 3]) == (880, 2)


# --- two players


def test_ten_two_two() -> None:
    """T-2P-01, T-2P-02, T-2P-06, T-2P-08, T-2P-10, T-PASS-04, T-BAR-20: eleven tricks, and the other talon."""
    table = Table(rules="duel_d", dealer=1)
    assert (table.seat, np.bitwise_count(table.game.state.hands[0]).tolist()) == (0, [10, 10])
    table.do("100", "Pass", "100")
    assert len(table.legal) == 12
    table.do(table.legal[0])
    rng = np.random.default_rng(5)
    while table.seat >= 0:
        table.game.step(table.game.sample_actions(rng))
    report = table.report
    assert sum(report["tricks"]) == 11
    assert sum(report["points"]) == 120  # so 120 stays within reach
    assert ThousandRules.make("duel_d").need == 125


def test_nine_three_three() -> None:
    """T-2P-03, T-2P-04, T-2P-05, T-2P-07: choice of talon unseen, one card each to opponent and bank, ten tricks."""
    table = Table(rules="duel_c", dealer=1, scores=[0, 0])
    table.keep().do("Pass").keep()
    assert (table.phase, table.seat, table.legal) == ("talon", 0, ["First talon", "Second talon"])
    assert not table.seen_cards("talon", 0)
    second = int(table.game.state.talons[0, 1])
    table.do("Second talon").keep()
    assert int(table.game.state.talon[0]) == second
    table.do("100")
    assert len(table.legal) == 12
    table.do(table.legal[0], table.legal[1])
    assert np.bitwise_count(table.game.state.hands[0]).tolist() == [10, 10]
    assert not table.sees("gave", 1)[1].any()  # the opponent does not see the bank
    rng = np.random.default_rng(5)
    while table.seat >= 0:
        table.game.step(table.game.sample_actions(rng))
    assert (sum(table.report["tricks"]), sum(table.report["points"])) == (10, 120)


def test_caps_count_cards_in_hand() -> None:
    """T-2P-09: half of a marriage in a talon raises no cap."""
    hand = "♥K ♠9 ♠J ♣9 ♣J ♦9 ♦J ♥9 ♥J ♠A"
    table = Table(hand, "", "♥Q ♣A", rules="duel_d", dealer=1)
    assert [int(name) for name in table.legal][-1] == 120


# --- stakes, bonuses, presets


def test_stakes() -> None:
    """T-BANK-01, T-BANK-02: +S, 0, -S by places; equal totals share."""

    def pay(*scores: int, winner: int = 0, places: tuple[float, ...] = (1, 0, -1)) -> list[float]:
        return by_rank(np.array([scores]), np.array([winner]), places)[0].tolist()

    assert pay(1000, 400, 300) == [1, 0, -1]
    assert pay(1000, 300, 300) == [1, -0.5, -0.5]
    assert pay(990, 1000, 300, winner=1) == [0, 1, -1]
    assert pay(1000, 300, places=(1, -1)) == [1, -1]
    assert pay(1000, 5, 3, 1, places=(1, 0, 0, -1)) == [1, 0, 0, -1]
    report = end(bid=120, cards=(100, 20, 0), marriages=(40,), scores=[880, 100, 0])[0]
    assert report["stakes"] == [1, 0, -1]
    assert end(**MADE)[0]["stakes"] == [0, 0, 0]


def test_information_bonus() -> None:
    """T-INFO-01: seats with the bonus see more; the rules and the others' views do not change."""
    plain = Table(*PLAIN)
    for kind, name in (("opponents", "bonus_hands"), ("talon", "bonus_talons"), ("talon_suits", "bonus_suits")):
        table = Table(*PLAIN, rules={"info_bonus": kind, "info_bonus_seats": (1,)})
        assert table.legal == plain.legal
        assert table.sees(name, 1).any()
        assert not table.sees(name, 0).any()
    assert Table(*PLAIN, rules={"info_bonus": "talon", "info_bonus_seats": (1,)}).sees("bonus_talons", 1)[0].sum() == 3
    card = Table(*PLAIN, rules={"info_bonus": "talon_card", "info_bonus_seats": (1,)})
    assert (card.phase, card.seat, len(card.legal)) == ("talon card", 1, 3)
    card.do("See talon card 2")
    assert set(np.flatnonzero(card.sees("bonus_talons", 1)[0])) == {cards(PLAIN[3])[1]}
    assert (card.phase, card.seat) == ("auction", 0)


def test_presets() -> None:
    """T-CONV-01: the presets of the rule book, by what makes them different."""
    assert list(ThousandRules.presets)[:8] == [
        "default", "mailru", "classic_c", "igrafan", "duel_d", "duel_c", "four", "polish",
    ]  # fmt: skip
    assert ThousandRules.make(None) == ThousandRules.make("default") == ThousandRules()
    needs = {name: ThousandRules.make(name).need for name in ThousandRules.presets}
    assert needs == {**dict.fromkeys(needs, 120), "igrafan": 125, "duel_d": 125}
    assert half_bid(np.array([105])).tolist() == [50]


def test_order_of_the_end() -> None:
    """Section 10: bolts before the truck, the truck before mounting, situations 3 and 14: nothing is counted twice."""
    report = end(
        "mailru", **{**FAILED, "cards": (60, 60, 0), "tricks": (4, 4, 0), "scores": [0, 820, 675], "bolts": [0, 0, 2]}
    )[0]
    assert report["scores"] == [-100, 880, 0]
    assert {("bolt", 2), ("bolt_fine", 2), ("truck", 2), ("mount", 1)} == report["happened"]
