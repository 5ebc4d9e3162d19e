"""Rules of Pitch, sections 3, 4 and 12: misdeal, bids, trump, called card. Ids are those of RULES.md."""

from __future__ import annotations

from typing import Any

import pytest
from pitch_table import C, H, S, Table, card, stack

from bidtrick.envs.core.errors import IllegalActionError

NUMBERS = [f"Bid {n}" for n in range(4, 11)]


def test_order_of_bidding() -> None:
    """P-BID-01: dealer's left first, one turn each, the dealer last."""
    for dealer in range(4):
        table = Table(dealer=dealer)
        order = []
        for _ in range(4):
            order.append(table.player)
            table.step(table.actions()[-1] if len(order) == 1 else "Pass")
        assert order == [(dealer + k) % 4 for k in (1, 2, 3, 4)]
        assert (table.phase, table.player) == ("trump", order[0])


def test_bids_rise() -> None:
    """P-BID-02, P-BID-03, P-BID-06, P-ACT-01, BD-42, situation 11: from the minimum to N, always higher."""
    table = Table()
    assert table.choices == ["Pass", *NUMBERS, "Moon"]
    for wrong in ("Bid 3", "Double moon", "Trump Clubs", card("AS")):
        with pytest.raises(IllegalActionError, match="seat 0, phase bid"):
            table.step(wrong)
    table.bid(6)
    assert table.choices == ["Pass", "Bid 7", "Bid 8", "Bid 9", "Bid 10", "Moon"]
    for wrong in ("Bid 6", "Bid 5"):
        with pytest.raises(IllegalActionError, match="illegal"):
            table.step(wrong)
    table.bid("pass", 7)  # over the partner
    assert table.choices[1] == "Bid 8"
    assert table.by_seat("bids", 3) == [7, 1, 8, 0]  # P-BID-09: everything is public
    assert table.seen("bid", 1) == 7


@pytest.mark.parametrize(
    ("rules", "choices"),
    [
        ({}, [*NUMBERS, "Moon"]),
        ({"min_bid": 6}, [*NUMBERS[2:], "Moon"]),
        ({"stuck_dealer_may_bid_more": False}, ["Bid 4"]),
        ({"stuck_dealer_may_bid_more": False, "min_bid": 5}, ["Bid 5"]),
        ({"stuck_rule": "redeal"}, ["Pass", *NUMBERS, "Moon"]),
        ({"stuck_rule": "redeal", "stuck_dealer_may_bid_more": False}, ["Pass", "Bid 4"]),
    ],
)
def test_stuck_dealer(rules: dict[str, Any], choices: list[str]) -> None:
    """P-BID-04, BD-7."""
    table = Table(rules=rules).bid("pass", "pass", "pass")
    assert table.choices == choices
    if "Pass" in choices:
        before = table.plane("hand", 1)
        table.step("Pass")
        assert (table.phase, table.player, table.dealer) == ("bid", 0, 3)  # BD-44: the same dealer
        assert table.plane("hand", 1) != before
        assert not table.paid.any()


def test_steal() -> None:
    """P-BID-05, BD-8: only the dealer may match, a number, also his partner's."""
    assert Table().bid("pass", 6, "pass").choices[1] == "Bid 7"
    steal = {"dealer_steal": True}
    assert Table(rules=steal).bid(6).choices[1] == "Bid 7"
    assert Table(rules=steal).bid("pass", 6, "pass").choices[1] == "Bid 6"  # his partner's
    assert Table(rules=steal).bid("moon", "pass", "pass").choices == ["Pass"]
    assert Table(rules=steal).bid("pass", 6, "pass", 6).who("bidder") == [3]


def test_moon_in_the_auction() -> None:
    """P-BID-07, P-BID-08, BD-11, situation 12: over a 10; then everybody still has a turn, only to pass."""
    table = Table().bid(10)
    assert table.choices == ["Pass", "Moon"]
    table.bid("moon")
    assert table.choices == ["Pass"]
    table.bid("pass")
    assert table.choices == ["Pass"]
    table.bid("pass")
    assert (table.phase, table.player) == ("trump", 1)
    assert table.seen("bid") == 11


def test_double_moon() -> None:
    """P-BID-07, BD-9: the dealer only, directly over a moon, also his partner's."""
    rules = {"moon_overcall": "double"}
    table = Table(rules=rules).bid("pass", "moon")
    assert table.choices == ["Pass"]
    table.bid("pass")
    assert table.choices == ["Pass", "Double moon"]
    assert table.bid("double moon").who("bidder") == [3]
    assert "Double moon" not in Table(rules=rules).bid("pass", "pass", "pass").choices


def test_moon_below_zero() -> None:
    """P-BID-07, BD-10: the option looks at the side's score; zero may."""
    rules = {"moon_allowed_below_zero": False}
    table = Table(rules=rules, scores=[-1, 0])
    assert "Moon" not in table.choices
    assert "Moon" in table.bid("pass").choices
    assert "Moon" not in table.bid("pass").choices
    assert "Moon" in Table(scores=[-1, 0]).choices
    five = Table(rules={**rules, "players": 5, "moon_5h": "on"}, scores=[0, -1, 5, 0, 0])
    assert "Moon" in five.choices
    assert "Moon" not in five.bid("pass").choices


@pytest.mark.parametrize("rules", [{"moon_mode": "off"}, {"players": 5}])
def test_no_moon(rules: dict[str, Any]) -> None:
    """P-MOON-05, P-5H-10: without moons the numbers end the auction."""
    assert Table(rules=rules).choices == ["Pass", *NUMBERS]


def test_trump() -> None:
    """P-TRP-01, P-TRP-02: after the auction, any suit, held or not, and announced."""
    table = Table(stack({0: "AS KS QS JS 10S 9S 8S 7S 6S"})).bid(4, "pass", "pass", "pass")
    assert table.choices == ["Trump Clubs", "Trump Diamonds", "Trump Hearts", "Trump Spades"]
    table.step("Trump Hearts")
    for seat in range(4):
        assert table.segment("trump", seat).tolist() == [0, 0, 1, 0]
    assert "AS" not in table.plane("hand")
    assert len(table.plane("dealt").split()) == 9


# --- misdeal

WEAK = {
    0: "4C 5C 6C 7C 8C 9C 4D 5D 6D",
    1: "KC AD AH AC KD KH QC QD QH",
    2: "4S 5S 6S 7S 8S 9S 7D 8D 9D",
    3: "10C 10D 10H JC JD JH JS 2C 2D",
}


def test_misdeal() -> None:
    """P-MIS-01, BD-6: qualifying seats from the dealer's left; the first to agree voids the hand."""
    table = Table(stack(WEAK), {"misdeal_rule": "no_face_no_point"})
    assert (table.phase, table.player) == ("misdeal", 0)
    assert table.choices == ["Call misdeal", "Play on"]
    table.step("Play on")
    assert table.player == 2
    table.step("Call misdeal")
    assert table.dealer == 3
    assert table.plane("hand", 2) != "4S 5S 6S 7S 8S 9S 7D 8D 9D"
    assert Table(stack(WEAK)).phase == "bid"  # the default has no such rule


def test_misdeal_is_secret() -> None:
    """BD-6: neither the question nor declining is public; who declined remembers it."""
    asked = Table(stack(WEAK), {"misdeal_rule": "no_face_no_point"})
    plain = Table(stack({**WEAK, 2: "4S 5S 6S 7S 8S KS 7D 8D 9D"}), {"misdeal_rule": "no_face_no_point"}).step(
        "Play on"
    )
    assert (asked.phase, plain.phase) == ("misdeal", "bid")
    for seat in (1, 3):
        assert (asked.batch.observe(seat) == plain.batch.observe(seat)).all()
    assert asked.seen("declined") == 0
    asked.step("Play on", "Play on")
    assert [asked.seen("declined", seat) for seat in range(4)] == [1, 0, 1, 0]


def test_point_cards_of_a_misdeal() -> None:
    """BD-6: what scores under some suit of this version; a joker without points is neither."""
    deck = stack({**WEAK, 0: "4C 5C 6C 7C 8C 9C LJ HJ 3S"})
    rules = {"misdeal_rule": "no_face_no_point"}
    assert Table(deck, {**rules, "version": 5}).phase == "misdeal"
    assert Table(deck, {**rules, "version": 8}).player != 0 or Table(deck, {**rules, "version": 8}).phase == "bid"
    assert Table(deck, {**rules, "version": 7}).player != 0 or Table(deck, {**rules, "version": 7}).phase == "bid"


# --- the called card


FIVE = {"players": 5}


def test_call() -> None:
    """P-5H-02, P-5H-03, situation 18: a trump of the suit, off-jack and jokers too, not one's own."""
    deck = stack({0: "AS KS QS", 1: "JS"}, "10S 2D 3D 4D", rules=FIVE)
    table = Table(deck, FIVE).take(call="")
    assert (table.phase, table.player) == ("call", 0)
    assert table.legal == "JC 2S 3S 4S 5S 6S 7S 8S 9S 10S JS LJ HJ"
    assert "10S" not in table.plane("hand")
    for wrong in ("AS", "AC"):
        with pytest.raises(IllegalActionError, match="phase call"):
            table.play(wrong)
    assert "AS" in Table(deck, {**FIVE, "call_own": True}).take().legal


def test_called_card_in_a_hand() -> None:
    """P-5H-04, P-5H-06: its holder is the partner; only he knows until he plays it, which he must in trick 1."""
    deck = stack({0: "AS KS QS", 3: "JS JC 2S"}, rules=FIVE)
    table = Table(deck, FIVE).take(call="JS").keep()
    assert all(table.plane("called", seat) == "JS" for seat in range(5))
    assert [table.seen("partner_known", seat) for seat in range(5)] == [0, 0, 0, 1, 0]
    assert [table.who("partner", seat) for seat in range(5)] == [[], [], [], [3], []]
    while table.player != 3:
        table.step(table.actions()[0])
    assert table.legal == "JS"
    table.play("JS")
    assert all(table.who("partner", seat) == [3] for seat in range(5))
    free = Table(deck, {**FIVE, "called_card_first_trick": False}).take(call="JS").keep()
    while free.player != 3:
        free.step(free.actions()[0])
    assert free.legal == "JC 2S JS"


@pytest.mark.parametrize("first", [True, False])
def test_called_card_in_the_blind(first: bool) -> None:
    """P-5H-05, BD-24, situation 18: alone against four, and the card is led, whatever the option says."""
    deck = stack({0: "AS KS QS", 1: "JS"}, "10S 2D 3D 4D", rules=FIVE)
    table = Table(deck, {**FIVE, "called_card_first_trick": first}).take(call="10S").keep()
    assert [table.seen("partner_known", seat) for seat in range(5)] == [1, 0, 0, 0, 0]
    assert table.who("partner") == []
    assert table.legal == "10S"
    table.play("10S")
    assert [table.seen("partner_known", seat) for seat in range(5)] == [1, 1, 1, 1, 1]
    table.finish()
    assert table.result["took"] == table.result["points"][0]
    assert table.result["partner"] == -1


@pytest.mark.parametrize(("first", "legal"), [(True, "AS"), (False, "7S 8S 9S QS KS AS")])
def test_own_called_card(first: bool, legal: str) -> None:
    """P-5H-03, BD-24: who calls his own card is alone; the card is bound by called_card_first_trick only."""
    rules = {**FIVE, "call_own": True, "called_card_first_trick": first}
    deck = stack({0: "AS KS QS 9S 8S 7S"}, "2D 3D 4D 5D", rules=FIVE)
    table = Table(deck, rules).take(call="AS").keep()
    assert table.legal == legal
    assert table.seen("partner_known") == 1
    assert table.finish().result["partner"] == -1


def test_blind() -> None:
    """P-5H-02, P-5H-07: after the call the bidder has fourteen cards to keep trumps of; nobody draws (BD-25)."""
    deck = stack({0: "AS KS QS 9S", 1: "8S"}, "10S 2D 7S 4D", rules=FIVE)
    table = Table(deck, FIVE).take(call="JS")
    assert table.plane("hand") == "7S 9S 10S QS KS AS"
    assert table.plane("leftovers") == "2D 4D 7S 10S"
    assert table.plane("leftovers", 1) == ""
    assert table.seen("kitty_size", 1) == 4
    assert table.by_seat("asked", 2) == [0] * 5
    assert table.by_seat("drew", 2) == [0] * 5


def test_no_fours() -> None:
    """P-5H-11, BD-36: the other deck for five: no fours, no blind."""
    rules = {**FIVE, "five_deck": "no_fours"}
    table = Table(rules=rules)
    assert table.batch.spec.num_seats == 5
    assert table.take().phase == "call"
    assert card("4S") not in table.actions()
    table.step(table.actions()[0])
    assert table.seen("kitty_size") == 0


def test_suits_of_the_call() -> None:
    """P-5H-03: under clubs the jack of spades may be called, not the jack of hearts."""
    table = Table(stack({0: "AC"}, trump=C, rules=FIVE), FIVE).take(trump=C)
    assert "JS" in table.legal
    assert "JH" not in table.legal
    assert H != S
