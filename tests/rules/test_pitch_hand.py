"""Rules of Pitch, sections 5 to 8: discard, fill, leftovers, burn, play. Ids are those of RULES.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pitch_table import D, S, Table, card, cards, names, shaped, stack

from bidtrick.envs.core.errors import IllegalActionError


def kitty(rules: Any = None) -> Table:
    """Seat 0 has four trumps and draws two dead cards; the leftovers begin 10S 2D 9S 8S."""
    deck = stack(
        {0: "AS KS QS JS", 1: "7S 6S 5S", 2: "4S 3S", 3: "2S JC LJ"},
        "2C 3C 4C 5C 6C 7C 8C 9C 10C QC KC AC 10S 2D 9S 8S",
    )
    return Table(deck, rules).take()


# --- discard and fill


def test_discard_is_forced() -> None:
    """P-DSC-01, P-DSC-02, P-DSC-03, situation 10: dead cards go by themselves; no trump may be thrown."""
    table = Table(stack({0: "AS KS QS JS 10S 9S 8S", 1: "2S"}, "2D 3D 4D 5D 6D")).take()
    assert table.plane("hand") == "8S 9S 10S JS QS KS AS"
    assert len(table.plane("dealt").split()) == 9
    with pytest.raises(IllegalActionError, match="phase kitty"):
        table.play("8S")
    table.step("Pass leftovers")
    assert table.player == 0
    assert table.legal == "8S 9S QS KS"
    for wrong in ("AS", "2S", "2D"):
        with pytest.raises(IllegalActionError, match="phase burn"):
            table.play(wrong)
    table.play("8S")
    assert table.phase == "play"


@pytest.mark.parametrize("option", ["dead", "to_kitty"])
def test_thrown_trumps(option: str) -> None:
    """P-DSC-04, BD-12: a phase of its own, dealer's left first; at the bottom of the leftovers, or dead."""
    deck = stack({0: "AS KS", 1: "QS 3S"}, "2D 3D")
    table = Table(deck, {"discarded_trump": option}).take()
    assert (table.phase, table.player) == ("discard", 0)
    assert table.legal == "KS AS"
    assert table.choices == ["Done discarding"]
    table.play("KS").step("Done discarding").play("3S").step("Done discarding")
    assert table.plane("thrown") == "KS"
    assert table.plane("thrown", 1) == "3S"
    table.step("Done discarding", "Done discarding")
    assert table.by_seat("asked", 2) == [6, 6, 7, 7]
    assert table.by_seat("drew", 2) == [5, 5, 6, 2]  # P-FILL-04
    assert table.seen("kitty_size", 2) == (2 if option == "to_kitty" else 0)
    if option == "to_kitty":
        table.step("Pass leftovers")
        assert table.plane("leftovers", 2) == "3S KS"
        assert {"3S", "KS"} <= set(table.plane("hand", 2).split())


def test_fill() -> None:
    """P-FILL-01, P-FILL-02, P-FILL-03, P-INFO-02, situation 8: six less the trumps, dealer's left first."""
    deck = stack({0: "AS", 1: "KS QS", 2: "JS 10S 9S"})
    table = Table(deck).take()
    for observer in range(4):
        assert table.by_seat("asked", observer) == [6, 5, 4, 7]
        assert table.by_seat("drew", observer) == [5, 4, 3, 6]
    drawn = [table.plane("drawn", seat) for seat in range(4)]
    assert drawn == [names(deck[36:41]), names(deck[41:45]), names(deck[45:48]), names(deck[48:])]
    assert table.phase == "play"  # P-KIT-04: no leftovers, no decision
    dead = [c for c in cards(drawn[0]) if names([c]) not in table.plane("hand").split()]
    assert dead
    assert not set(dead) & set(table.actions())


def test_short_stock() -> None:
    """P-FILL-04, BD-40: later players get fewer, and nothing is left over."""
    table = Table(stack({}, trump=S)).take()
    assert table.by_seat("asked") == [7, 7, 7, 7]
    assert table.by_seat("drew") == [6, 6, 6, 0]
    assert table.by_seat("received") == [0, 0, 0, 0]
    other = Table(stack({}, trump=S), {"fill_order": "bidder_left"}).take()
    assert other.by_seat("drew") == [0, 6, 6, 6]


def test_fill_orders() -> None:
    """P-FILL-02, BD-13: the bidder's left first, or the bidder takes the whole rest without asking."""
    deck = stack({0: "AS", 1: "KS QS"})
    table = Table(deck, {"fill_order": "bidder_left"}).bid("pass", 4, "pass", "pass", trump=S)
    assert table.plane("drawn", 2) == names(deck[36:42])
    assert table.by_seat("drew") == [5, 1, 6, 6]
    table = Table(deck, {"fill_order": "bidder_takes_rest"}).bid("pass", 4, "pass", "pass", trump=S)
    assert table.by_seat("asked") == [6, 0, 7, 7]
    assert table.plane("drawn") == names(deck[36:41])
    assert table.seen("kitty_size") == 1
    assert (table.phase, table.player) == ("kitty", 1)  # BD-16: one card is enough to ask


# --- leftovers


def test_keep_or_pass() -> None:
    """P-KIT-01, P-KIT-02, P-KIT-03, P-INFO-01: one choice before looking; number public, cards secret."""
    table = kitty()
    assert table.choices == ["Keep leftovers", "Pass leftovers"]
    assert table.plane("leftovers") == ""
    table.step("Pass leftovers")
    assert {"10S", "9S", "8S"} <= set(table.plane("hand", 2).split())
    assert len(table.plane("leftovers", 2).split()) == 6
    assert [table.plane("leftovers", seat) for seat in (0, 1, 3)] == ["", "", ""]
    assert table.by_seat("received", 1) == [0, 0, 6, 0]
    kept = kitty().step("Keep leftovers")
    assert {"10S", "9S", "8S"} <= set(kept.plane("hand").split())
    assert kept.by_seat("received", 1) == [6, 0, 0, 0]


def test_one_by_one() -> None:
    """P-KIT-02, BD-14: card by card; the sixth trump stops it, and the rest goes to the partner unseen."""
    table = kitty({"kitty_mode": "one_by_one"})
    assert table.choices == ["Look at next", "Stop looking"]
    table.step("Look at next")
    assert table.plane("leftovers") == "10S"
    assert table.by_seat("received", 3) == [1, 0, 0, 0]
    table.step("Look at next", "Look at next")
    assert table.phase == "play"
    assert "8S" in table.plane("hand", 2)
    assert table.by_seat("received", 3) == [3, 0, 3, 0]
    stopped = kitty({"kitty_mode": "one_by_one"}).step("Look at next", "Stop looking")
    assert stopped.by_seat("received") == [1, 0, 5, 0]
    full = Table(stack({0: "AS KS QS JS 10S 9S"}, "2D 3D"), {"kitty_mode": "one_by_one"}).take()
    assert full.phase in ("burn", "play")  # six before looking: no question
    assert full.by_seat("received")[0] == 0


def test_bidder_only_and_swap() -> None:
    """P-KIT-02, BD-15: without a choice; the swap gives trumps in stock order, the rest of them is dead."""
    table = kitty({"kitty_mode": "bidder_only"})
    assert (table.phase, table.player) == ("burn", 0)
    swapped = kitty({"kitty_mode": "auto_swap"})
    assert {"10S", "9S"} <= set(swapped.plane("hand").split())
    assert "8S" in swapped.plane("hand", 2)
    assert swapped.phase == "play"
    assert swapped.by_seat("received") == [0, 0, 0, 0]
    deck = stack({0: "AS KS QS 9S 8S 7S", 2: "JS JC HJ LJ 10S 6S"}, "2C 3C 4C 5C 6C 7C 8C 9C QC KC AC 2D 5S 4S")
    full = Table(deck, {"kitty_mode": "auto_swap"}).take()
    assert full.phase == "play"
    assert not {"5S", "4S"} & set(" ".join(full.plane("hand", s) for s in range(4)).split())


# --- burn


def test_burn_to_six() -> None:
    """P-BURN-01, situation 3: more than six become exactly six, a defender's too, who draws nothing."""
    deck = stack({1: "AS KS QS 9S 8S 7S 6S 5S 4S"}, "2D 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD AD 2H 3H 4H 5H 6H")
    table = Table(deck).take()
    assert table.by_seat("asked")[1] == 1
    table.keep()
    assert len(table.plane("hand", 1).split()) == 6
    assert table.by_seat("burned_count")[1] == 3


def test_order_of_burning() -> None:
    """P-BURN-02, BD-17: bidder, partner, left, right; after the leftovers."""
    hands = {0: "AS KS QS 9S 8S 7S 6S", 1: "JS JC HJ LJ 10S 3S 2S"}
    table = Table(stack(hands, "2D 3D")).bid("pass", 4, "pass", "pass", trump=S)
    table.step("Pass leftovers")
    order = []
    while table.phase == "burn":
        order.append(table.player)
        table.step(table.actions()[0])
    assert order[0] == 1
    assert order[-1] == 0
    assert list(dict.fromkeys(order)) in ([1, 0], [1, 3, 0])
    five = {"players": 5}
    hands = {1: "AS KS QS 9S 8S 7S 6S", 3: "JS JC HJ LJ 10S 3S 2S"}
    table = Table(stack(hands, "2D 3D 4D 2H", rules=five), five).bid(
        "pass", "pass", 4, "pass", "pass", trump=S, call="AS"
    )
    assert table.player == 3
    table.play("2S")
    assert table.player == 1


@pytest.mark.parametrize("policy", ["nonpoint_first", "any", "misdeal_if_point"])
def test_burn_policies(policy: str) -> None:
    """P-BURN-03, P-BURN-06, BD-18: plain trumps first, card by card; anything; or a point card voids the hand."""
    deck = stack({0: "2S 3S 10S JS AS JC 4S"}, "2D 3D 4D 5D 6D 7D 8D 9D 10D QD KD AD 2C 3H")
    table = Table(deck, {"burn_policy": policy}).take().step("Pass leftovers")
    assert table.player == 0
    if policy == "nonpoint_first":
        assert table.legal == "4S"
        return
    assert table.legal == "JC 2S 3S 4S 10S JS AS"
    before = table.plane("dealt")
    table.play("3S")
    if policy == "any":
        table.finish()
        assert table.result["took"] + table.result["against"] == 7
    else:
        assert (table.phase, table.dealer, table.hand_number) == ("bid", 3, 0)
        assert table.plane("dealt") != before


def test_point_cards_only_when_nothing_else_is_left() -> None:
    """P-BURN-03, BD-18: judged card by card."""
    deck = stack({0: "2S 3S 10S JS AS JC 4S HJ"}, "2D 3D 4D 5D 6D 7D 8D 9D 10D QD KD AD 2C 3H")
    table = Table(deck).take().step("Pass leftovers")
    assert table.legal == "4S"
    table.play("4S")
    assert table.legal == "JC 2S 3S 10S JS AS HJ"


@pytest.mark.parametrize("visible", [True, False])
def test_burned_cards_shown(visible: bool) -> None:
    """P-BURN-04, BD-19: seen at once, or only counted."""
    deck = stack({0: "AS KS QS 9S 8S 7S 6S 5S"}, "2D 3D 4D 5D 6D 7D 8D 9D 10D QD KD AD 2C 3H")
    table = Table(deck, {"burn_visible": visible}).take().step("Pass leftovers").play("5S")
    assert table.plane("burned", of=0) == "5S"
    assert table.plane("burned", 1, of=0) == ("5S" if visible else "")
    assert table.by_seat("burned_count", 1) == [1, 0, 0, 0]


def test_called_card_is_not_burned() -> None:
    """P-5H-07, BD-20: before nonpoint_first; the bidder burns from fourteen cards."""
    five = {"players": 5}
    hands = {0: "AS", 2: "KS QS JS 10S 3S 2S JC"}
    table = Table(stack(hands, "2D 3D 4D 5D", rules=five), five).take(call="QS")
    while table.player != 2:
        table.step(table.actions()[0])
    assert table.legal == "KS"
    table = Table(stack(hands, "2D 3D 4D 5D", rules=five), five).take(call="KS")
    while table.player != 2:
        table.step(table.actions()[0])
    assert table.legal == "QS"


# --- play


def test_any_trump_may_be_led_and_played() -> None:
    """P-PLAY-01, P-PLAY-02, P-PLAY-03: the bidder leads; nobody must beat, everybody must play."""
    table = shaped({0: "AS 2S HJ", 1: "KS 4S", 2: "QS 3S", 3: "9S"})
    assert table.player == 0
    assert table.legal == "2S AS HJ"
    table.play("2S")
    assert table.legal == "4S KS"
    assert table.choices == []
    table.play("4S")
    assert table.legal == "3S QS"


def test_winner_leads() -> None:
    """P-PLAY-04: the highest trump, whatever its place."""
    table = shaped({0: "9S 8S", 1: "JS 7S", 2: "LJ 6S", 3: "QS 5S"}).play("9S")
    assert table.who("winning") == [0]
    table.play("JS LJ")
    assert table.who("winning") == [1]
    table.play("QS")
    assert table.who("leader") == [3]
    assert table.player == 3
    assert table.seen("trick_number") == 1


def test_natural_lead() -> None:
    """P-PLAY-01, BD-22: no joker or off-card on the first lead while a natural trump is held; later all may be led."""
    natural = {"first_lead_natural": True}
    table = shaped({0: "AS 4S JC HJ", 1: "2S"}, natural)
    assert table.legal == "4S AS"
    table.play("AS 2S")
    assert table.legal == "JC 4S HJ"
    assert shaped({0: "JC HJ LJ", 1: "2S"}, natural).legal == "JC LJ HJ"
    assert shaped({1: "JC KS", 3: "2S"}, natural).legal == "KS"  # whoever leads trick 1


def test_out_players() -> None:
    """P-OUT-01, P-OUT-02, P-OUT-03, situation 2: the lead goes left, nobody acts twice; seen when passed over."""
    table = shaped({0: "AS", 1: "3S 2S", 2: "KS QS", 3: "9S 8S"}).play("AS")
    assert table.who("out") == []
    table.play("3S QS 9S")
    assert table.player == 1
    assert table.who("out", 2) == [0]
    acted = []
    while not table.done:
        acted.append(table.player)
        table.step(table.actions()[0])
    assert acted == [1, 2, 3]


def test_lead_passes_several_seats() -> None:
    """P-OUT-02, P-OUT-03, P-PLAY-05: past a second seat without trumps; tricks of one card."""
    keep = {0: "AS", 1: "2S", 2: "KS QS 7S", 3: "9S"}
    table = shaped(keep).play("AS 2S QS 9S")
    assert table.player == 2
    assert table.who("out") == [0, 1]
    table.play("KS")
    assert table.who("out") == [0, 1, 3]
    table.play("7S")
    assert table.done
    assert table.result["tricks"] == 3
    assert shaped(keep, {"out_reveal": "at_once"}).play("AS").who("out", 1) == [0]


def test_bidder_without_trump() -> None:
    """P-OUT-02, BD-21, BD-23: the first to his left with a trump leads, and the bidder is shown to be out."""
    table = shaped({1: "AS", 3: "2S"})
    assert table.player == 1
    assert table.who("out", 2) == [0]


def test_end_of_the_hand() -> None:
    """P-PLAY-05, BD-43, situation 17: only when nobody has a trump, although bidder and partner are out."""
    table = shaped({0: "AS", 1: "3S 2S 4S", 3: "9S 8S"}).play("AS 3S 9S 2S 8S")
    assert not table.done
    table.play("4S")
    assert table.done
    nothing = shaped({})
    assert nothing.done
    assert nothing.result["tricks"] == 0


def test_counting_trumps() -> None:
    """P-INFO-03: once the leftovers are searched all trumps lie in play or are burned."""
    rng = np.random.default_rng(1)
    for seed in range(20):
        table = Table(seed=seed).bid(4, "pass", "pass", "pass", trump=int(rng.integers(4))).keep()
        everywhere = " ".join(table.plane("hand", s) + " " + table.plane("burned", of=s) for s in range(4))
        assert len(set(everywhere.split())) == len(everywhere.split()) == 16
        known = " ".join(table.plane(name) for name in ("dealt", "drawn", "leftovers")).split()
        known += [c for s in range(4) for c in table.plane("burned", of=s).split()]
        assert set(table.plane("unseen").split()) == set(everywhere.split()) - set(known)


def test_jokers_are_always_trump() -> None:
    """Situation 13, P-RNK-01: both jokers survive the discard under every suit."""
    for trump in range(4):
        table = Table(stack({0: "HJ LJ"}, trump=trump)).bid("pass", 4, "pass", "pass", trump=trump)
        assert {"LJ", "HJ"} <= set(table.plane("hand").split())


def test_off_jack_is_only_trump() -> None:
    """Situation 15, P-RNK-02: kept, led and never of its printed suit."""
    table = Table(stack({0: "JC", 1: "AS"})).take().keep()
    assert "JC" in table.legal
    table = Table(stack({0: "JC AC"}, trump=0)).take(trump=D)
    assert "JC" not in table.plane("hand")
    assert card("JC") not in table.keep().actions()
