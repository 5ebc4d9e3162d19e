"""Thousand: auction, talon, dark and golden deals, contract, write-off, passed cards."""

from __future__ import annotations

import numpy as np
import pytest
from thousand_table import PLAIN, Table, cards, end, playing

from bidtrick.envs.thousand.rules import ThousandRules

#: Hearts and diamonds marriages at forehand, spades at the next seat.
RICH = ("♥K ♥Q ♦K ♦Q ♥A ♠9 ♣9", "♠K ♠Q ♠A ♣10 ♣K ♦9 ♥9", "♦A ♦10 ♣A ♥10 ♣J ♦J ♠10", "♥J ♣Q ♠J")


def amounts(table: Table) -> list[int]:
    return [int(name) for name in table.legal if name.isdigit()]


# --- auction


def test_forehand_opens() -> None:
    """T-AUC-01, T-AUC-05, situation 5: forehand bids 100 or more and cannot pass."""
    table = Table(*PLAIN)
    assert (table.seat, table.legal) == (0, ["100", "105", "110", "115", "120"])
    assert Table(*PLAIN, rules={"auction_jumps": False}).legal == ["100"]  # T-AUC-03
    table.do("100", "Pass", "Pass")
    assert (table.phase, table.seat) == ("contract", 0)


def test_forced_100() -> None:
    """T-AUC-01: the automatic 100 is no decision; the next seat speaks, and if all pass forehand plays 100."""
    table = Table(*PLAIN, rules={"auction_opening": "forced_100"})
    assert (table.seat, table.legal) == (1, ["Pass", "105", "110", "115", "120"])
    assert table.sees("said").tolist()[2][0] == 1  # seat 0 sits two places on
    assert table.do("Pass", "Pass").seat == 0
    assert table.game.state.price[0] == 100


def test_dealer_100() -> None:
    """T-AUC-01: forehand may pass at once; the dealer only speaks when overbid; T-TAL-04: then the talon is shown."""
    rules = {"auction_opening": "dealer_100"}
    table = Table(*PLAIN, rules=rules)
    assert (table.seat, table.legal[0]) == (0, "Pass")
    table.do("Pass", "Pass")
    assert (table.phase, table.seat) == ("contract", 2)
    assert not table.sees("talon_shown", 0).any()
    overbid = Table(*PLAIN, rules=rules).do("105", "Pass")
    assert (overbid.seat, overbid.phase) == (2, "auction")
    assert overbid.do("Pass").sees("talon_shown", 1).tolist() == [1]


def test_turns_and_passes() -> None:
    """T-AUC-02, T-AUC-03, T-AUC-04, situation 10: clockwise, strictly higher, a pass is final."""
    table = Table(*PLAIN).do("100", "110")
    assert (table.seat, table.legal) == (2, ["Pass", "115", "120"])
    table.do("115")
    assert table.seat == 0
    table.do("Pass", "120")
    assert table.seat == 2  # seat 0 is out
    assert table.do("Pass").seat == 1
    assert (table.phase, int(table.game.state.price[0])) == ("contract", 120)
    assert table.sees("passed", 1).tolist() == [0, 1, 1]


def test_caps() -> None:
    """T-AUC-06, T-AUC-07, T-AUC-09, T-AUC-11, situation 7: 120 and the marriages in the hand as dealt."""
    table = Table(*RICH)
    assert max(amounts(table)) == 120 + 100 + 80
    assert table.do("160").legal == ["Pass"]  # the next seat is at its own cap, and still decides
    for suit, cap in (("♠", 160), ("♣", 180), ("♦", 200), ("♥", 220)):
        pair = Table(f"{suit}K {suit}Q", "♠A ♠10 ♣A ♣10", "♦A ♦10 ♥A ♥10").keep()
        assert cap <= max(amounts(pair))
    assert max(amounts(Table(*PLAIN, rules={"auction_cap": "flat_300"}))) == 300
    assert max(amounts(Table(*PLAIN, rules={"auction_cap": "none"}))) == 400


def test_aces_raise_the_cap() -> None:
    """T-AUC-08, T-ACE-06: four aces count 200 if the ace marriage is on and in the cap."""
    packets = ("♠A ♣A ♦A ♥A ♥K ♥Q ♠9", "♠10 ♠K", "♣10 ♦10")
    assert max(amounts(Table(*packets, rules={"ace_marriage": True}))) == 420
    assert max(amounts(Table(*packets, rules={"ace_marriage": True, "ace_marriage_in_cap": False}))) == 220
    assert max(amounts(Table(*packets))) == 220


def test_silence() -> None:
    """T-AUC-10: strictly below -120 a seat passes by itself; as forehand it sits on exactly 100."""
    rules = {"auction_silence_below": -120}
    assert Table(*PLAIN, rules=rules, scores=[0, -125, 0]).do("100").seat == 2
    assert Table(*PLAIN, rules=rules, scores=[0, -120, 0]).do("100").seat == 1
    forehand = Table(*PLAIN, rules=rules, scores=[-125, 0, 0])
    assert (forehand.seat, forehand.legal[1]) == (1, "105")
    assert forehand.do("105", "Pass").seat == 1  # forehand does not speak again
    assert forehand.phase == "contract"


def test_steps_of_ten() -> None:
    """T-AUC-03, T-RAISE-04: with step 10 bids and contracts are multiples of 10; a need of 125 means 130."""
    rules = {"auction_step": 10, "target": 1001}
    assert amounts(Table(*PLAIN, rules=rules)) == [100, 110, 120]
    barrel = Table(*RICH, rules=rules, scores=[880, 0, 0]).do("100", "Pass", "Pass").keep()
    assert amounts(barrel)[0] == 130


def test_barrel_players_bid_freely() -> None:
    """T-AUC-12, T-BAR-06: any bid; the contract must reach the need if the cap allows it, else it is the bid."""
    rich = Table(*RICH, scores=[880, 0, 0])
    assert amounts(rich)[0] == 100
    assert amounts(rich.do("100", "Pass", "Pass").keep()) == list(range(120, 301, 5))
    poor = Table(*PLAIN, rules={"target": 1001}, scores=[880, 0, 0]).do("110", "Pass", "Pass").keep()
    assert amounts(poor) == [110]


# --- talon


def test_talon() -> None:
    """T-TAL-02, T-TAL-03, T-TAL-04, T-TAL-05: the winner takes all three; shown, unless bought at 100."""
    shown = Table(*PLAIN).do("105", "Pass", "Pass")
    assert all(shown.seen_cards("talon", seat) == set(cards(PLAIN[3])) for seat in range(3))
    assert np.bitwise_count(shown.game.state.hands[0, 0]) == 10
    hidden = Table(*PLAIN).do("100", "Pass", "Pass")
    assert [len(hidden.seen_cards("talon", seat)) for seat in range(3)] == [3, 0, 0]
    contested = Table(*PLAIN).do("100", "105", "Pass", "110", "Pass")
    assert contested.seat == 0
    assert len(contested.seen_cards("talon", 1)) == 3
    never = Table(*PLAIN, rules={"talon_show": False}).do("105", "Pass", "Pass")
    assert not never.seen_cards("talon", 1)
    always = Table(*PLAIN, rules={"talon_hide_on_uncontested_100": False}).do("100", "Pass", "Pass")
    assert len(always.seen_cards("talon", 2)) == 3


def test_free_talon() -> None:
    """T-TAL-06, T-BAR-05: the barrel player buys at 100 without auction, the talon shown; own_turn: as forehand."""
    for kind, seat, free in (
        ("free_talon", 1, True),
        ("own_turn", 1, False),
        ("own_turn", 0, True),
        ("normal", 0, False),
    ):
        scores = [880 if s == seat else 0 for s in range(3)]
        table = Table(*PLAIN, rules={"barrel_auction": kind}, scores=scores)
        assert (table.phase == "contract") == free
        if free:
            assert (table.seat, table.sees("talon_shown", 2).tolist()) == (seat, [1])
            assert int(table.game.state.price[0]) == 100


# --- contract and write-off


def test_contracts() -> None:
    """T-RAISE-01, T-RAISE-03, T-RAISE-05, T-RAISE-06, situation 8: from the bid to 120 and the marriages now held."""
    table = Table(*RICH).do("110", "Pass", "Pass").keep()
    assert amounts(table) == list(range(110, 301, 5))
    talon_marriage = Table("♥K ♥A ♠A ♠10 ♣A ♣9 ♦9", "♥10 ♦A", "♦10 ♣10", "♥Q ♠9 ♣J").do("115", "Pass", "Pass").keep()
    assert amounts(talon_marriage) == list(range(115, 221, 5))
    table.do("200")
    assert (table.phase, table.seat) == ("give", 0)
    over = Table("♠K ♠Q ♣9", "♥A", "♥10", rules={"auction_cap": "flat_300"}).keep().do("300", "Pass", "Pass").keep()
    assert amounts(over) == [300]  # the bid, if it is above the cap


def test_contract_after_the_pass() -> None:
    """T-RAISE-02, T-WO-03: the cap is that of the hand after passing; the write-off comes with the first card."""
    table = Table(*RICH, rules={"contract_declare": "after_pass"}).do("110", "Pass", "Pass").keep()
    assert table.phase == "give"
    assert "Write off" in table.legal
    table.do(">♦K")
    assert "Write off" not in table.legal
    table.do(">♠9")
    assert (table.phase, amounts(table)) == ("contract", list(range(110, 221, 5)))
    assert table.do("120").phase == "play"


@pytest.mark.parametrize(("bid", "half"), [(100, 50), (105, 50), (110, 55), (115, 55), (120, 60)])
def test_write_off(bid: int, half: int) -> None:
    """T-WO-E, T-WO-01, T-WO-02, T-WO-04, T-WO-06: minus the bid, half (down to fives) to each opponent, no bolts."""
    report, state = end(bid=bid, contract=0, tricks=(0, 0, 0))
    assert report["entries"] == [-bid, half, half]
    assert not state.bolts.any()


def test_write_off_in_play() -> None:
    """T-WO-03, T-WO-05, T-WO-09: instead of the contract, also at 100; the deal counts."""
    table = Table(*PLAIN).do("100", "Pass", "Pass", "Write off")
    assert table.scores == [-100, 50, 50]
    assert table.game.state.deals_played[0] == 1


def test_write_off_versions() -> None:
    """T-WO-C1, T-WO-C2, T-WO-D: 60 each; free the first time, or always; limited; every third fined."""
    assert end("classic_c", bid=110, contract=0)[0]["entries"] == [-110, 60, 60]
    assert end("duel_d", bid=110, contract=0)[0]["entries"] == [-110, 60]
    assert end("polish", bid=110, contract=0)[0]["entries"] == [0, 60, 60]
    first = {"write_off_first_free": True}
    assert end(first, bid=110, contract=0)[0]["entries"][0] == 0
    assert end(first, bid=110, contract=0, write_offs=[1, 0, 0])[0]["entries"][0] == -110
    third = {"write_off_every_third_fine": 120}
    fined = end(third, bid=100, contract=0, write_offs=[2, 0, 0])[0]
    assert (fined["fines"], fined["scores"]) == ([120, 0, 0], [-220, 50, 50])
    assert end(third, bid=100, contract=0, write_offs=[3, 0, 0])[0]["fines"] == [0, 0, 0]
    table = Table(*PLAIN, rules={"write_off_limit": 1}, write_offs=[1, 0, 0]).do("100", "Pass", "Pass")
    assert "Write off" not in table.legal


def test_write_off_on_the_barrel() -> None:
    """T-WO-07, T-WO-08: it burns an attempt, is forbidden, or throws off; an opponent there gets nothing."""
    report, state = end(bid=100, contract=0, scores=[880, 0, 0])
    assert (report["scores"], state.attempts[0].tolist()) == ([880, 50, 50], [1, 0, 0])
    falls, state = end({"write_off_on_barrel": "falls"}, bid=100, contract=0, scores=[880, 0, 0])
    assert (falls["scores"], state.falls[0].tolist()) == ([760, 50, 50], [1, 0, 0])
    table = (
        Table(*RICH, rules={"write_off_on_barrel": "forbidden"}, scores=[880, 0, 0]).do("100", "Pass", "Pass").keep()
    )
    assert "Write off" not in table.legal
    assert end(bid=100, contract=0, scores=[0, 880, 0])[0]["scores"] == [-100, 880, 50]


# --- passing


def test_passing() -> None:
    """T-PASS-01, T-PASS-02, situation 13: one card to the left, then one to the right; known to giver and receiver."""
    table = Table(*PLAIN).do("100", "Pass", "Pass", "100")
    assert len(table.legal) == 10
    table.do(">♥A")
    assert ">♥A" not in table.legal
    table.do(">♦9")
    s = table.game.state
    assert (np.bitwise_count(s.hands[0]) == 8).all()
    given = {seat: [set(np.flatnonzero(plane)) for plane in table.sees("gave", seat)] for seat in range(3)}
    assert given == {0: [{23}, {12}], 1: [{23}, set()], 2: [set(), {12}]}
    public = Table(*PLAIN, rules={"pass_visibility": "public"}).do("100", "Pass", "Pass", "100", ">♥A", ">♦9")
    assert [set(np.flatnonzero(plane)) for plane in public.sees("gave", 1)] == [{23}, {12}]


def test_a_passed_card_completes_a_marriage() -> None:
    """T-PASS-03, T-MAR-01: the receiver may declare it."""
    table = playing("♥K ♠9 ♣9 ♦9 ♦J ♠10 ♣J", "♥Q ♠A ♣A ♦A ♥A", "♠K ♥10", rules={"redeal_hand_nines_ge": None},
                    give=("♥K", "♦9"))  # fmt: skip
    table.do("♠9", "♠A", "♠K")
    assert "Declare Hearts King" in table.legal


# --- dark games


def test_dark_question() -> None:
    """T-DARK-01, T-DARK-02, T-DARK-09: asked before anybody sees his cards; who is asked depends on the text."""
    table = Table(*RICH, rules={"dark": "D"})
    assert (table.phase, table.seat, table.legal) == ("dark", 0, ["Dark", "Look at the cards"])
    assert all(not table.seen_cards("hand", seat) for seat in range(3))
    assert table.do("Look at the cards").phase == "auction"
    assert len(table.seen_cards("hand", 1)) == 7
    every = Table(*RICH, rules={"dark": "C"}).do("Look at the cards")
    assert (every.phase, every.seat) == ("dark", 1)
    assert Table(*RICH, rules={"dark": "D"}, scores=[0, 880, 0]).phase == "auction"
    assert Table(*RICH, rules={"dark": "D", "golden": "on"}).phase == "contract"
    silent = Table(*RICH, rules={"dark": "C", "auction_silence_below": -120}, scores=[-200, 0, 0])
    assert (silent.phase, silent.seat) == ("dark", 1)


def test_dark_auctions() -> None:
    """T-DARK-03, T-DARK-04, T-DARK-07, T-DARK-08: at 120; "C" nobody outbids, "D" may raise, outbid ends it."""
    c = Table(*RICH, rules={"dark": "C"}).do("Dark")
    assert (c.phase, c.seat, amounts(c)) == ("contract", 0, [120])
    assert len(c.seen_cards("hand", 0)) == 10
    assert not c.seen_cards("talon", 1)
    d = Table(*RICH, rules={"dark": "D"}).do("Dark")
    assert (d.seat, amounts(d)[0]) == (1, 125)
    assert not d.seen_cards("hand", 0)  # he has not looked yet
    raised = Table(*RICH, rules={"dark": "D"}).do("Dark", "Pass", "Pass")
    assert amounts(raised) == list(range(120, 301, 5))
    assert amounts(Table(*RICH, rules={"dark": "forehand"}).do("Dark", "Pass", "Pass")) == [120]
    outbid = Table(*RICH, rules={"dark": "D"}).do("Dark", "125", "Pass")
    assert (outbid.seat, len(outbid.seen_cards("hand", 0))) == (0, 7)
    outbid.do("Pass")
    assert len(outbid.seen_cards("talon", 2)) == 3


def test_dark_scores() -> None:
    """T-DARK-05, T-DARK-06, T-DARK-08, T-DARK-10, T-4P-10: doubled for all, under "C" for one; bolts are not."""
    won = {"bid": 120, "cards": (100, 20, 0), "marriages": (40,), "tricks": (7, 1, 0), "dark": True}
    assert end({"dark": "D"}, **won)[0]["entries"] == [240, 40, 0]
    assert end({"dark": "C"}, **won)[0]["entries"] == [240, 20, 0]
    lost = {"bid": 120, "cards": (60, 40, 20), "dark": True}
    assert end({"dark": "forehand"}, **lost)[0]["entries"] == [-240, 80, 40]
    for kind in ("C", "D", "forehand"):
        assert end({"dark": kind}, bid=120, contract=0, dark=True)[0]["entries"] == [-240, 120, 120]  # T-WO-DD
    bolts = end({"dark": "D"}, **{**won, "bolts": [0, 0, 2]})[0]
    assert bolts["fines"] == [0, 0, 120]
    four = end({"dark": "D", "players": 4}, **won, talon="♥K ♥Q ♠9")[0]
    assert four["entries"][3] == 2 * (5 + 100)


# --- golden deals


def test_golden_deals() -> None:
    """T-GOLD-01, T-GOLD-02, T-GOLD-03, T-GOLD-08: a deal a player, forehand at 120, talon shown."""
    for players in (2, 3, 4):
        table = Table(rules={"golden": "on", "players": players, "redeal_optional": False})
        assert table.game.state.golden_left[0] == players
    table = Table(*PLAIN, rules={"golden": "on"})
    assert (table.phase, table.seat, amounts(table)) == ("contract", 0, [120])
    assert "Write off" in table.legal
    assert table.sees("talon_shown", 1).tolist() == [1]
    raised = Table(*RICH, rules={"golden": "on", "golden_raise": True}).keep()
    assert amounts(raised) == list(range(120, 301, 5))
    assert Table(*PLAIN, rules={"golden": "on"}, deals_played=3).phase == "auction"


def test_golden_scores() -> None:
    """T-GOLD-04, T-GOLD-05, T-GOLD-06, T-GOLD-09, T-WO-DG, T-BOLT-07: doubled, fines and bolts too."""
    played = {"bid": 120, "cards": (70, 33, 17), "marriages": (60, 40, 0)}
    assert end({"golden": "on"}, **played)[0]["entries"] == [240, 70 + 40, 30]
    assert end({"golden": "on", "golden_double_marriages": True}, **played)[0]["entries"] == [240, 70 + 80, 30]
    # the plain total decides: 118 is less than 120
    assert end({"golden": "on"}, bid=120, cards=(118, 1, 1))[0]["entries"] == [-240, 0, 0]
    assert end({"golden": "on"}, bid=120, contract=0)[0]["entries"] == [-240, 120, 120]
    bolts, state = end({"golden": "on"}, bid=120, cards=(120,), tricks=(8, 0, 0), bolts=[0, 0, 1])
    assert bolts["fines"] == [0, 0, 240]
    assert state.bolts[0].tolist() == [0, 2, 0]
    light = {"golden": "on", "bolt_golden_weight": 1}
    assert end(light, bid=120, cards=(120,), tricks=(8, 0, 0))[1].bolts[0].tolist() == [0, 1, 1]
    four = end({"golden": "on", "players": 4}, **played, talon="♥K ♥Q ♠9")[0]
    assert four["entries"][3] == 2 * 5 + 100


@pytest.mark.parametrize(
    ("fail", "scores", "left"),
    [
        ("reset_and_normal", [0, 0, 0], 0),
        ("keep", [60, 50, 340], 0),
        ("replay", [60, 50, 340], 3),
        ("reset_and_replay", [0, 0, 0], 3),
    ],
)
def test_golden_round_that_fails(fail: str, scores: list[int], left: int) -> None:
    """T-GOLD-07: nobody made 120 in the whole round; T-GOLD-10: no other meaning of the word is played."""
    given = {"bid": 120, "cards": (70, 25, 20), "scores": [300, 0, 300], "golden_left": 1}
    report, state = end({"golden": "on", "golden_fail": fail}, **given)
    assert (report["scores"], state.golden_left[0]) == (scores, left)
    made = end({"golden": "on", "golden_fail": fail}, **given, golden_made=True)
    assert (made[0]["scores"], made[1].golden_left[0]) == ([60, 50, 340], 0)
    assert "golden_without_talon" not in ThousandRules.make("default").to_dict()
