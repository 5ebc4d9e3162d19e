"""Tests of the reference game of 10-point Pitch: the situations of section 22 of the rule book, single
options, the figures of section 20, and the invariants [P-INV] over random play.
"""

from __future__ import annotations

import random
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import pitch_rules as R
from pitch import Oracle
from pitch_decks import bid, burn_any, card, cards, game, play, play_out, shaped, stack
from pitch_hand import Action
from pitch_score import score_hand, trick_winner

C, D, H, S = R.SUITS
ACES_TO_FOUR = "AS KS QS 9S 8S 7S 6S 5S 4S"


def refused(o: Oracle, *action: Any) -> None:
    """The action raises and changes nothing [P-ACT-01]."""
    before = [o.view(seat) for seat in range(o.players)]
    with pytest.raises(ValueError, match="not legal"):
        o.step(action)
    assert [o.view(seat) for seat in range(o.players)] == before


def settle(scores: list[int], bidder: int, b: Any, took: int, against: int, **options: Any) -> Any:
    """score_hand for a 10-point game without burned points."""
    players = 4 if len(scores) == 2 else 5
    partner = options.pop("partner", None)
    rules = R.validate(options, players)
    return score_hand(rules, 10, players, scores, bidder, partner, b, took, against)


# ------------------------------------------------------------------------------ section 22


@pytest.mark.parametrize("order", ["JS JC", "JC JS"])
def test_22_01_jack_beats_off_jack(order: str) -> None:
    """22.1, P-RNK-03: the jack of trump wins over the off-jack in either order."""
    first, second = cards(order)
    rules = R.validate({}, 4)
    winner = trick_winner([(0, first), (1, second)], S, R.Tables(rules, 4), rules)
    assert winner == [first, second].index(card("JS"))


def test_22_02_winner_without_trump_gives_the_lead_left() -> None:
    """22.2, P-OUT-02: the lead goes left of an out winner and everybody acts once per trick."""
    o = shaped({0: "AS", 1: "3S 2S", 2: "KS QS", 3: "9S 8S"})
    play(o, "AS 3S QS 9S")
    assert o.current_player == 1
    assert o.public()["outs"] == [0]
    play(o, "2S KS 8S")
    assert o.done
    assert [trick.leader for trick in o.hand.tricks] == [0, 1]
    assert [seat for seat, _ in o.hand.tricks[1].plays] == [1, 2, 3]


def test_22_02_next_seat_out_too() -> None:
    """P-OUT-02, P-OUT-03, P-PLAY-05: continue left past a seat without trump; tricks of one card."""
    o = shaped({0: "AS", 1: "2S", 2: "KS QS 7S", 3: "9S"})
    play(o, "AS 2S QS 9S")
    assert o.current_player == 2
    assert o.public()["outs"] == [0, 1]  # seat 3 has not been passed over yet
    o.step(("play", card("KS")))
    assert o.public()["outs"] == [0, 1, 3]
    o.step(("play", card("7S")))
    assert [len(trick.plays) for trick in o.hand.tricks] == [4, 1, 1]
    assert o.done
    o = shaped({0: "AS", 1: "2S", 2: "KS QS 7S", 3: "9S"}, out_reveal="at_once")
    play(o, "AS")
    assert o.public()["outs"] == [0]


def test_22_03_seven_trumps_burn_to_six() -> None:
    """22.3, P-BURN-01: nine trumps become exactly six, a defender's too; nobody over six draws."""
    deck = stack({1: ACES_TO_FOUR}, "2D 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD AD 2H 3H 4H 5H 6H")
    o = burn_any(bid(game(deck), 4, "pass", "pass", "pass"))
    assert [len(trumps) for trumps in o.hand.kept][1] == 6
    assert len(o.hand.burned[1]) == 3
    assert o.hand.asked[1] == 0
    assert o.hand.drawn_count[1] == 0


@pytest.mark.parametrize(("two_rule", "took"), [("played", 9), ("captured", 10)])
def test_22_04_two_belongs_to_its_player(two_rule: str, took: int) -> None:
    """22.4, P-TWO-01, P-TWO-03: the two counts for its player's side; dirty gives it to the winner."""
    o = shaped({0: "AS KS QS JS 10S 3S", 1: "2S", 2: "JC HJ LJ"}, two_rule=two_rule)
    play(o, "AS 2S JC")
    assert o.hand.tricks[0].winner == 0
    play_out(o)
    assert (o.hand.took, o.hand.against) == (took, 10 - took)


def test_22_05_exactly_the_target_wins() -> None:
    """22.5, P-END-01: 52 is enough, 51 is not."""
    assert settle([46, 0], 0, 4, 6, 4).winners == [0]
    assert settle([45, 0], 0, 4, 6, 4).winners == []
    assert settle([0, 48], 0, 4, 6, 4).winners == [1]  # P-END-03: by defending


def test_22_06_end_is_judged_with_this_hands_bidder() -> None:
    """22.6, P-END-02: both at the target, the side that bid this hand wins; then nothing goes on."""
    deck = stack({1: "AS KS QS JS JC HJ", 0: "LJ"})
    o = bid(game(deck, scores=[51, 51], episode="match"), "pass", 4, "pass", "pass")
    play_out(burn_any(o))
    assert min(o.scores) >= 52
    assert o.done
    assert o.winner() == [1]
    assert o.legal() == []
    assert o.current_player == -1


def test_22_07_both_out_is_not_decided_by_totals() -> None:
    """22.7, P-END-02: the bidding side wins with fewer points; the option higher reverses that."""
    assert settle([46, 51], 0, 4, 6, 4).winners == [0]
    assert settle([46, 51], 0, 4, 6, 4, both_out="higher").winners == [1]
    assert settle([47, 50], 0, 4, 7, 4, both_out="higher").winners == [0]  # tie


def test_22_08_cards_taken_equal_cards_drawn() -> None:
    """22.8, P-FILL-01, P-FILL-02: asked = 6 - trumps, top of the stock, dealer's left first."""
    deck = stack({0: "AS", 1: "KS QS", 2: "JS 10S 9S"})
    o = bid(game(deck), 4, "pass", "pass", "pass")
    assert o.hand.asked == [5, 4, 3, 6]
    assert o.hand.drawn_count == [5, 4, 3, 6]
    assert o.hand.drawn == [deck[36:41], deck[41:45], deck[45:48], deck[48:54]]
    assert o.hand.kitty == []
    assert o.phase == "play"  # P-KIT-04: no leftovers, no decision


def replay(deck: list[int], actions: list[Action], seat: int) -> list[dict[str, Any]] | None:
    """What a seat would have seen in another world, None if the actions were impossible there."""
    o = game(deck)
    seen = [o.view(seat)]
    for action in actions:
        if action not in o.legal():
            return None
        o.step(action)
        seen.append(o.view(seat))
    return seen


def test_22_09_views_tell_worlds_apart_by_counts_and_outs() -> None:
    """22.9, P-INFO-02: a world that breaks a known trump count or out looks different, others do not."""
    hands = {0: "AS KS QS 3S", 1: "2S 9S", 2: "JS JC", 3: "10S 8S"}
    deck = stack(hands, "2D 3D 4D 5D 6D 7D 8D 9D 10D JD HJ LJ")
    o = game(deck)
    actions: list[Action] = [("bid", 4), ("pass",), ("pass",), ("pass",), ("trump", S)]
    for action in actions:
        o.step(action)
    while not o.done:
        actions.append(o.legal()[0])
        o.step(actions[-1])
    truth = replay(deck, actions, 0)
    assert truth is not None

    def swapped(a: str, b: str) -> list[int]:
        exchange = {card(a): card(b), card(b): card(a)}
        return [exchange.get(c, c) for c in deck]

    in_hand_1 = next(c for c in o.hand.dealt[1] if c in o.hand.discarded[1])
    in_hand_2 = next(c for c in o.hand.dealt[2] if c in o.hand.discarded[2])
    exchange = {in_hand_1: in_hand_2, in_hand_2: in_hand_1}
    assert replay([exchange.get(c, c) for c in deck], actions, 0) == truth  # same counts: possible
    assert replay(swapped("9S", "2D"), actions, 0) != truth  # seat 1 would have asked for one more
    assert replay(swapped("9S", "8S"), actions[:6], 0) == truth[:7]  # same counts: possible for now
    assert replay(swapped("9S", "8S"), actions, 0) != truth  # the cards shown rule it out
    # Seat 1 is passed over later, so it drew no trump, as seat 3 learns only then.
    drawn = next(c for c in o.hand.drawn[1] if c in o.hand.dead[1])
    exchange = {drawn: card("6S"), card("6S"): drawn}
    assert card("6S") in o.hand.kitty
    world = [exchange.get(c, c) for c in deck]
    assert replay(world, actions[:6], 3) == replay(deck, actions[:6], 3)
    assert 1 in o.hand.outs
    assert replay(world, actions, 3) != replay(deck, actions, 3)


def test_22_10_no_trump_may_go_while_dead_cards_are_held() -> None:
    """22.10, P-DSC-01, P-DSC-02: only trumps beyond six are burned, dead cards go by themselves."""
    o = bid(game(stack({0: "AS KS QS JS 10S 9S 8S", 1: "2S"}, "2D 3D 4D 5D 6D")), 4, "pass", "pass", "pass")
    refused(o, "discard", card("8S"))
    refused(o, "burn", card("8S"))  # the leftovers come first
    o.step(("kitty", "pass"))
    assert o.current_player == 0
    assert o.legal() == [
        ("burn", card("8S")),
        ("burn", card("9S")),
        ("burn", card("QS")),
        ("burn", card("KS")),
    ]
    refused(o, "burn", card("AS"))  # P-BURN-03: a point card
    dead = next(c for c in o.hand.dealt[0] if c not in o.hand.hands[0])
    refused(o, "burn", dead)
    o.step(("burn", card("8S")))
    refused(o, "burn", card("9S"))


def test_22_11_bids_below_the_minimum_and_above_ten_are_refused() -> None:
    """22.11, P-BID-02, P-BID-03, P-BID-06."""
    o = game(stack({}))
    refused(o, "bid", 3)
    refused(o, "bid", 11)
    o.step(("bid", 6))
    refused(o, "bid", 6)
    refused(o, "bid", 5)
    assert o.legal() == [("pass",), *(("bid", n) for n in range(7, 11)), ("moon",)]


def test_22_12_moon_over_ten() -> None:
    """22.12, P-BID-07, P-BID-08: a moon beats 10, afterwards only a pass, with a turn for each."""
    o = game(stack({}))
    o.step(("bid", 10))
    assert o.legal() == [("pass",), ("moon",)]
    o.step(("moon",))
    for _ in range(2):
        assert o.legal() == [("pass",)]
        o.step(("pass",))
    assert o.phase == "trump"
    assert o.current_player == 1


@pytest.mark.parametrize("trump", R.SUITS)
def test_22_13_jokers_are_always_trump(trump: int) -> None:
    """22.13, P-RNK-01: both jokers survive the sorting under every suit."""
    o = bid(game(stack({0: "HJ LJ"}, trump=trump)), "pass", 4, "pass", "pass", trump=trump)
    assert {R.LOW_JOKER, R.HIGH_JOKER} <= set(o.hand.hands[0])
    assert not {R.LOW_JOKER, R.HIGH_JOKER} & set(o.hand.discarded[0])


def test_22_14_scores_go_below_zero() -> None:
    """22.14, P-SCR-02, P-SCR-04: 3 points and set on 7 makes -4; the defenders keep theirs."""
    result = settle([3, 0], 0, 7, 6, 4)
    assert result.scores == [-4, 4]
    assert not result.made


def test_22_15_off_jack_is_only_trump() -> None:
    """22.15, P-RNK-02: the off-jack is kept, led and never counts in its printed suit."""
    tables = R.Tables(R.validate({}, 4), 4)
    assert tables.is_trump(card("JC"), S)
    assert not tables.is_trump(card("JD"), S)
    o = burn_any(bid(game(stack({0: "JC", 1: "AS"})), 4, "pass", "pass", "pass"))
    assert ("play", card("JC")) in o.legal()
    o = bid(game(stack({0: "JC AC"}, trump=C)), 4, "pass", "pass", "pass", trump=D)
    assert card("JC") in o.hand.discarded[0]


def test_22_16_teams_are_opposite_seats() -> None:
    """22.16, P-EQP-01: seat 2 bids, seats 0 and 2 score on entry 0."""
    o = bid(game(stack({2: "AS KS QS JS JC HJ", 0: "LJ 10S 3S"})), "pass", "pass", 4, "pass")
    play_out(burn_any(o))
    assert o.scores[0] == o.hand.took
    assert o.scores[1] == o.hand.against
    assert o.hand.took == sum(o.hand.points_by_seat[s] for s in (0, 2))


def test_22_17_hand_ends_only_without_trumps() -> None:
    """22.17, P-PLAY-05: the hand goes on although bidder and partner are out."""
    o = shaped({0: "AS", 1: "3S 2S 4S", 3: "9S 8S"})
    play(o, "AS 3S 9S 2S 8S")
    assert not o.done
    play(o, "4S")
    assert o.done
    assert o.accounts(o.hand)["unplayed"] == 0


def test_22_18_called_card() -> None:
    """22.18, P-5H-02..05: own card refused; in the blind the bidder is alone and leads it."""
    deck = stack({0: "AS KS QS", 1: "JS"}, "10S 2D 3D 4D", players=5)
    o = bid(game(deck, 5, dealer=4), 4, "pass", "pass", "pass", "pass")
    refused(o, "call", card("AS"))
    refused(o, "call", card("AC"))  # no trump
    o.step(("call", card("10S")))
    assert o.hand.called_from == "blind"
    assert o.hand.partner is None
    assert o.view(0)["knows_partner"]
    assert not o.view(1)["knows_partner"]
    burn_any(o)
    assert o.legal() == [("play", card("10S"))]
    play_out(o)
    assert o.hand.took == o.hand.points_by_seat[0]


def test_22_18_called_card_in_another_hand() -> None:
    """P-5H-04, P-5H-06: the holder is the secret partner and plays the card to trick 1."""
    deck = stack({0: "AS KS QS", 3: "JS JC 2S"}, players=5)
    o = burn_any(bid(game(deck, 5, dealer=4), 4, "pass", "pass", "pass", "pass", call="JS"))
    assert o.hand.partner == 3
    assert o.public()["partner"] is None
    assert o.view(3)["partner_known"] == 3
    assert o.view(0)["partner_known"] is None
    while o.current_player != 3:
        o.step(o.legal()[0])
    assert o.legal() == [("play", card("JS"))]
    o.step(("play", card("JS")))
    assert o.public()["partner"] == 3
    play_out(o)
    assert o.scores[0] == o.scores[3] == (o.hand.took if o.hand.made else -4)
    assert o.scores[1] == o.scores[2] == o.scores[4] == o.hand.against


def test_22_19_moon_scores() -> None:
    """22.19, P-MOON-02..04, BD-27: -6 to 0, 0 to 52 and won, failure at 51 lost."""
    low = settle([-6, 30], 0, "moon", 10, 0)
    assert (low.scores, low.winners, low.moon) == ([0, 30], [], "made")
    zero = settle([0, 30], 0, "moon", 10, 0)
    assert (zero.scores, zero.winners) == ([52, 30], [0])
    failed = settle([51, 30], 0, "moon", 9, 1)
    assert (failed.scores, failed.winners, failed.moon) == ([51, 31], [1], "failed")
    assert settle([60, 0], 0, "moon", 10, 0).scores == [60, 0]  # BD-28
    assert settle([0, 0], 0, "moon", 10, 0, moon_at_zero="zero").scores == [0, 0]  # BD-30
    assert settle([5, 0], 0, "moon", 9, 0).winners == [1]  # P-MOON-07: a burned point
    assert settle([5, 0], 0, "moon", 9, 0, moon_needs="in_play").winners == [0]  # BD-29


# -------------------------------------------------------------------------- single options


def test_version_sums_and_orders() -> None:
    """P-VAR-01, P-RNK-01, P-REV-01, BD-5: sums, trump counts and the two orders."""
    for number, version in R.VERSIONS.items():
        assert version.total == number
        assert set(version.points) <= set(version.order)
    assert [len(R.VERSIONS[n].order) for n in R.VERSIONS] == [16, 16, 16, 16, 17, 17, 20, 20, 20]
    order = R.Tables(R.validate({"version": 16, "reverse": True}, 4), 4).order
    assert " ".join(order) == "2' 2 3' 3 4 5 6 7 8 9 t 10 LJ HJ j J Q K a A"


def test_refused_options() -> None:
    """Combinations that the binding decisions refuse, and misspelt options."""
    bad: list[tuple[R.Rules, int]] = [
        ({"trump_only": False}, 4),
        ({"uncounted": "removed"}, 4),
        ({"uncounted": "removed", "version": 8}, 5),
        ({"discarded_trump": "dead"}, 5),
        ({"min_bid": 11}, 4),
        ({"moon_mode": "off", "moon_overcall": "double"}, 4),
        ({"moon_mode": "off", "moon_5h": "on"}, 5),
        ({"no_such_option": 1}, 4),
        ({"reverse": 1}, 4),
        ({"version": 9}, 4),
        ({}, 6),
    ]
    for rules, players in bad:
        with pytest.raises(ValueError, match=r"\w"):
            R.validate(rules, players)
    for version in (5, 8, 11, 14):
        R.validate({"uncounted": "removed", "version": version}, 4)


def test_first_joker_high() -> None:
    """P-EQP-03, P-REV-02: the first joker wins in both directions; a better card still wins."""
    plays = [(0, R.LOW_JOKER), (1, R.HIGH_JOKER)]
    for reverse, distinct in ((False, 1), (True, 0)):
        rules = R.validate({"reverse": reverse}, 4)
        assert trick_winner(plays, S, R.Tables(rules, 4), rules) == distinct
        assert trick_winner(plays[::-1], S, R.Tables(rules, 4), rules) == distinct
        rules["joker_order"] = "first_played_high"
        assert trick_winner(plays, S, R.Tables(rules, 4), rules) == 0
        assert trick_winner([*plays, (2, card("JC")), (3, card("9S"))], S, R.Tables(rules, 4), rules) == (
            3 if reverse else 2
        )


def test_moon_from_the_auction_to_the_win() -> None:
    """P-MOON-01, P-MOON-03: all ten points at score 0, played card by card."""
    deck = stack({0: "AS KS QS JS JC HJ", 2: "LJ 10S 3S 2S"})
    o = play_out(burn_any(bid(game(deck, episode="match"), "moon", "pass", "pass", "pass")))
    assert (o.hand.took, o.hand.moon_result, o.scores, o.winner()) == (10, "made", [52, 0], [0])


def test_wrong_set_up_is_refused() -> None:
    """P-EQP-02: a deck with wrong cards, a dealer or scores that do not fit."""
    with pytest.raises(ValueError, match="deck"):
        game([*range(53), 0])
    with pytest.raises(ValueError, match="wrong dealer"):
        game(stack({}), dealer=4)
    with pytest.raises(ValueError, match="scores"):
        game(stack({}), scores=[0])


def test_auction_options() -> None:
    """P-BID-04, P-BID-05, P-BID-07: stuck dealer, redeal, steal, double moon, moon below zero."""
    deck = stack({})
    o = game(deck)
    for _ in range(3):
        o.step(("pass",))
    assert o.legal() == [*(("bid", n) for n in range(4, 11)), ("moon",)]
    o = game(deck, stuck_dealer_may_bid_more=False, min_bid=5)
    for _ in range(3):
        o.step(("pass",))
    assert o.legal() == [("bid", 5)]
    o = game(deck, stuck_rule="redeal", episode="match")
    for _ in range(4):
        o.step(("pass",))
    assert (o.dealer, o.deal_count, o.scored_hands, o.history[0].void) == (3, 2, 0, "all_pass")
    o = game(deck, dealer_steal=True)
    for action in (("pass",), ("bid", 6), ("pass",), ("bid", 6)):
        o.step(action)
    assert (o.hand.bidder, o.hand.bid) == (3, 6)
    o = game(deck, moon_overcall="double", dealer_steal=True)
    for action in (("pass",), ("moon",), ("pass",)):
        o.step(action)
    assert o.legal() == [("pass",), ("double_moon",)]
    o.step(("double_moon",))
    assert (o.hand.bidder, o.hand.bid) == (3, "double_moon")
    o = game(deck, moon_allowed_below_zero=False, scores=[-1, 0])
    assert ("moon",) not in o.legal()
    o.step(("pass",))
    assert ("moon",) in o.legal()


def test_misdeal_call() -> None:
    """P-MIS-01, BD-6: only qualifying seats, dealer's left first; declining is not public."""
    weak = "4C 5C 6C 7C 8C 9C 4D 5D 6D"
    strong = {1: "KC AD AH AC KD KH QC QD QH", 3: "10C 10D 10H JC JD JH JS 2C 2D"}
    deck = stack({0: weak, **strong, 2: "4S 5S 6S 7S 8S 9S 7D 8D 9D"})
    o = game(deck, misdeal_rule="no_face_no_point", episode="match")
    assert (o.phase, o.current_player) == ("misdeal", 0)
    assert o.public()["current_player"] == -1
    o.step(("misdeal", False))
    assert o.current_player == 2
    o.step(("misdeal", True))
    assert (o.deal_count, o.dealer, o.history[0].void) == (2, 3, "misdeal")
    tables = R.Tables(R.validate({"version": 5}, 4), 4)
    assert tables.may_call_misdeal(cards("LJ HJ 3C"))  # worth nothing in this version
    assert not R.Tables(R.validate({}, 4), 4).may_call_misdeal(cards("3C"))


def test_thrown_trumps() -> None:
    """P-DSC-04, BD-12: thrown trumps join the leftovers at the bottom, or are dead."""
    deck = stack({0: "AS KS", 1: "QS 3S"}, "2D 3D")
    for option in ("to_kitty", "dead"):
        o = bid(game(deck, discarded_trump=option), 4, "pass", "pass", "pass")
        o.step(("discard", card("KS")))
        o.step(("done",))
        o.step(("discard", card("3S")))
        for _ in range(3):
            o.step(("done",))
        assert o.hand.asked == [5, 5, 6, 6]
        assert o.hand.drawn_count == [5, 5, 6, 2]  # P-FILL-04: a short stock
        assert o.hand.kitty == (cards("KS 3S") if option == "to_kitty" else [])
        assert o.accounts(play_out(o).hand)["thrown"] == (0 if option == "to_kitty" else 3)


def test_fill_orders() -> None:
    """P-FILL-02, BD-13: bidder's left first, or the bidder takes the whole rest."""
    deck = stack({0: "AS", 1: "KS QS"})
    o = bid(game(deck, fill_order="bidder_left"), "pass", 4, "pass", "pass")
    assert o.hand.drawn[2] == deck[36:42]
    assert o.hand.drawn_count == [5, 1, 6, 6]
    o = bid(game(deck, fill_order="bidder_takes_rest"), "pass", 4, "pass", "pass")
    assert o.hand.asked == [5, None, 6, 6]
    assert o.hand.drawn[0] == deck[36:41]
    assert o.hand.kitty == deck[53:]


def kitty_game(**options: Any) -> Oracle:
    """Seat 0 has four trumps and draws two dead cards; leftovers begin 10S 2D 9S 8S."""
    deck = stack(
        {0: "AS KS QS JS", 1: "7S 6S 5S", 2: "4S 3S", 3: "2S JC LJ"},
        "2C 3C 4C 5C 6C 7C 8C 9C 10C QC KC AC 10S 2D 9S 8S",
    )
    return bid(game(deck, **options), 4, "pass", "pass", "pass")


def test_leftovers() -> None:
    """P-KIT-02, P-KIT-03, BD-14, BD-15: the four ways with leftovers."""
    o = kitty_game()
    assert o.hand.kitty[:4] == cards("10S 2D 9S 8S")
    assert len(o.hand.kitty) == 6
    o.step(("kitty", "pass"))
    assert {card("10S"), card("9S"), card("8S")} <= set(o.hand.hands[2])
    assert o.view(2)["kitty_seen"] == o.hand.kitty
    assert o.view(0)["kitty_seen"] == []
    o = kitty_game(kitty_mode="one_by_one")
    o.step(("kitty", "look"))
    assert o.phase == "kitty"
    o.step(("kitty", "look"))
    assert len(o.hand.hands[0]) == 5
    o.step(("kitty", "look"))  # the sixth trump stops him
    assert len(o.hand.hands[0]) == 6
    assert o.phase == "play"
    assert card("8S") in o.hand.kept[2]
    assert o.hand.kitty_to == {0: 3, 2: 3}
    o = kitty_game(kitty_mode="auto_swap")
    assert {card("10S"), card("9S")} <= set(o.hand.kept[0])
    assert card("8S") in o.hand.kept[2]
    o = kitty_game(kitty_mode="bidder_only")
    assert (o.phase, o.current_player) == ("burn", 0)


def test_burn_policies_and_order() -> None:
    """P-BURN-02, P-BURN-03, BD-17, BD-18: any, misdeal_if_point, and the order of the seats."""
    deck = stack({0: "2S 3S 10S JS AS JC 4S", 1: "KS QS 9S 8S 7S 6S 5S"}, "2D 3D")
    start = (4, "pass", "pass", "pass")
    o = bid(game(deck), *start)
    o.step(("kitty", "keep"))
    while o.current_player == 0:
        o.step(o.legal()[0])
    assert o.hand.burned[0][0] == card("4S")  # then only point cards were left
    assert all(o.tables.points(c, S) > 0 for c in o.hand.burned[0][1:])
    assert o.current_player == 1
    o = bid(game(deck, burn_policy="any"), *start)
    o.step(("kitty", "keep"))
    assert ("burn", card("AS")) in o.legal()
    o = bid(game(deck, burn_policy="misdeal_if_point", episode="match"), *start)
    o.step(("kitty", "keep"))
    o.step(("burn", card("3S")))
    assert (o.history[0].void, o.dealer, o.phase) == ("burned_point", 3, "bid")
    o = bid(game(deck, burn_visible=False), *start)
    o.step(("kitty", "keep"))
    o.step(("burn", card("4S")))
    assert o.public()["burned"] is None
    assert o.public()["burned_count"] == [1, 0, 0, 0]


def test_burned_two_of_the_holder() -> None:
    """P-TWO-02, BD-4: the burner's side gets a burned two, unless twos are captured."""
    deck = stack({0: "AS KS QS JS 10S 3S 2S", 1: "4S"}, "2D 3D")
    cases: list[tuple[R.Rules, int]] = [
        ({}, 0),
        ({"two_scores_when": "holder"}, 1),
        ({"two_scores_when": "holder", "two_rule": "captured"}, 0),
    ]
    for options, credit in cases:
        o = bid(game(deck, burn_policy="any", **options), 4, "pass", "pass", "pass")
        o.step(("kitty", "pass"))
        o.step(("burn", card("2S")))
        assert o.hand.burn_credit[0] == credit
        assert sum(o.accounts(play_out(o).hand).values()) == 10


def test_bidder_without_trump() -> None:
    """P-PLAY-01, BD-21, BD-23: the lead passes left and shows the bidder out."""
    names = {1: "AS KS QS JS JC HJ LJ", 3: "10S 9S 8S 7S 6S 5S 4S", 2: "3S 2S"}
    o = bid(game(stack(names, "2D 3D 4D 5D 6D 7D")), 4, "pass", "pass", "pass")
    o.step(("kitty", "pass"))
    while o.phase == "burn":
        o.step(o.legal()[0])
    assert o.current_player == 1
    assert o.public()["outs"] == [0]


def test_first_lead_natural() -> None:
    """P-PLAY-01, BD-22: no joker or off-card on the first lead while holding the printed suit."""
    o = shaped({0: "AS 4S JC HJ LJ", 1: "2S"}, first_lead_natural=True)
    assert o.legal() == [("play", card("4S")), ("play", card("AS"))]
    o = shaped({0: "JC HJ LJ", 1: "2S"}, first_lead_natural=True)
    assert len(o.legal()) == 3


def test_score_options() -> None:
    """P-SCR-01, P-SCR-03, P-END-03, P-MOON-05, BD-26, BD-32, BD-35."""
    assert settle([0, 0], 0, 4, 7, 3, made_score="bid").scores == [4, 3]
    assert settle([0, 0], 1, 8, 7, 2, defenders_score="total_on_set").scores == [10, -8]
    assert settle([0, 0], 1, 8, 7, 3, defenders_score="none").scores == [0, -8]
    assert settle([0, 50], 0, 4, 5, 5, defender_cap=True).scores == [5, 51]
    assert settle([0, 50], 0, 4, 5, 5, win_requires_bid=True).winners == []
    assert settle([60, 0], 0, 4, 3, 7, win_requires_bid=True).winners == []
    assert settle([50, 0], 0, 4, 5, 5, win_requires_bid=True).winners == [0]
    assert settle([-40, 10], 0, 4, 3, 7, win_by_lead=54).winners == [1]
    assert settle([0, 0], 0, "double_moon", 10, 0, moon_mode="pm20").scores == [40, 0]
    assert settle([0, 0], 0, "moon", 9, 1, moon_mode="pm20").scores == [-20, 1]
    assert settle([-9, 0], 0, "moon", 10, 0, moon_mode="instant").winners == [0]


def test_five_handed_scores() -> None:
    """P-5H-08..10, BD-31, BD-33: individual scores, ends and moons."""
    assert settle([0] * 5, 1, 4, 3, 7, partner=3).scores == [7, -4, 7, -4, 7]
    assert settle([0] * 5, 1, 4, 3, 7, partner=3, partner_shares_set=False).scores == [7, -4, 7, 0, 7]
    assert settle([0] * 5, 1, 4, 6, 4).scores == [4, 6, 4, 4, 4]
    assert settle([50, 46, 0, 51, 0], 1, 4, 6, 4, partner=3).winners == [1]
    assert settle([50, 46, 0, 51, 0], 1, 4, 6, 4, partner=3, both_out="higher").winners == [3]
    assert settle([50, 0, 50, 0, 0], 1, 4, 6, 4, partner=3).winners == []  # a tie: another hand
    assert settle([50, 0, 49, 0, 0], 1, 4, 6, 4, partner=3).winners == [0]
    made = settle([0, -3, 0, 45, 0], 1, "moon", 10, 0, partner=3, moon_5h="on")
    assert (made.scores, made.winners) == ([0, 0, 0, 55, 0], [3])
    failed = settle([8, 40, 8, 0, 1], 1, "moon", 8, 2, partner=3, moon_5h="on")
    assert (failed.scores, failed.winners) == ([10, 40, 10, 0, 3], [0, 2])
    both = settle([0] * 5, 1, "moon", 8, 2, partner=3, moon_5h="on", moon_mode="pm20")
    assert both.scores == [2, -20, 2, -20, 2]
    good = settle([0] * 5, 1, "moon", 10, 0, partner=3, moon_5h="on", moon_mode="pm20")
    assert good.scores == [0, 20, 0, 20, 0]


def test_five_handed_burn_and_duties() -> None:
    """P-5H-07, BD-17, BD-20, BD-24: the called card stays, and the duty in trick 1 can be switched off."""
    names = {0: "AS", 2: "KS QS 9S 8S 7S 6S 5S"}
    o = bid(game(stack(names, players=5), 5, dealer=4), 4, "pass", "pass", "pass", "pass", call="KS")
    while o.phase == "burn" and o.current_player == 0:
        o.step(o.legal()[0])
    assert o.current_player == 2
    assert ("burn", card("KS")) not in o.legal()
    for first, n in ((True, 1), (False, 6)):
        options = {"call_own": True, "called_card_first_trick": first}
        deck = stack({0: "AS KS QS 9S 8S 7S"}, "2D 3D 4D 5D", players=5)
        o = bid(game(deck, 5, dealer=4, **options), 4, "pass", "pass", "pass", "pass", call="AS")
        assert o.hand.called_from == "own"
        burn_any(o)
        assert len(o.legal()) == n


def test_mid_hand_end() -> None:
    """P-END-01, BD-34: a made bid that reaches the target ends the hand after the trick."""
    deck = stack({0: "AS KS QS 10S 4S 5S", 1: "JS JC HJ LJ"}, "2D 3D")
    o = burn_any(bid(game(deck, check="mid_hand", min_bid=1, scores=[51, 0]), 1, "pass", "pass", "pass"))
    o.step(("play", card("AS")))
    while len(o.hand.tricks) < 1:
        o.step(o.legal()[0])
    assert o.done
    assert o.winner() == [0]
    assert o.accounts(o.hand)["unplayed"] > 0
    assert sum(o.accounts(o.hand).values()) == 10


# ------------------------------------------------------------------------ figures of section 20


def longest(rng: random.Random, players: int) -> Oracle:
    """A random hand in which only the player with the most trumps of one suit bids, up to the burn."""
    tables = R.Tables(R.validate({}, players), players)
    deck = list(range(54))
    rng.shuffle(deck)
    size = 9 if players == 4 else 10
    sets = {suit: set(tables.trumps(suit)) for suit in R.SUITS}
    holdings = [(len(sets[t] & set(deck[size * s : size * s + size])), rng.random(), s, t)
                for s in range(players) for t in R.SUITS]  # fmt: skip
    _, _, bidder, trump = max(holdings)
    o = game(deck, players, dealer=bidder)
    for _ in range(players - 1):
        o.step(("pass",))
    o.step(("bid", 4))
    o.step(("trump", trump))
    if o.phase == "call":
        o.step(max(o.legal(), key=lambda a: tables.strength(a[1], trump)))
    if o.phase == "kitty":
        o.step(("kitty", "keep"))
    return o


def test_20_half_of_the_bidders_burn() -> None:
    """Section 20, P-BURN-05: the bidder burns in 49 % of the hands; leftovers are nearly always 3 to 8."""
    rng = random.Random(20)
    hands = [longest(rng, 4) for _ in range(1500)]
    burns = [o for o in hands if o.phase == "burn" and o.current_player == o.hand.bidder]
    assert abs(len(burns) / len(hands) - 0.494) < 0.045
    usual = [o for o in hands if 3 <= len(o.hand.kitty) <= 8]
    assert len(usual) / len(hands) > 0.95


def test_20_five_handed_blind() -> None:
    """Section 20: called card in the blind 4/44, the bidder burns in 46 % of the hands."""
    rng = random.Random(21)
    hands = [longest(rng, 5) for _ in range(1500)]
    blind = [o for o in hands if o.hand.called_from == "blind"]
    assert abs(len(blind) / len(hands) - 4 / 44) < 0.026
    burns = [o for o in hands if o.phase == "burn" and o.current_player == o.hand.bidder]
    assert abs(len(burns) / len(hands) - 0.459) < 0.045


# ------------------------------------------------------------------------ invariants [P-INV]


def shuffled(seed: int, deck: list[int]) -> Any:
    """A source of decks: the k-th deck depends on seed and k only."""

    def deal(k: int) -> list[int]:
        result = list(deck)
        random.Random(f"{seed}/{k}").shuffle(result)
        return result

    return deal


def pick(rng: random.Random, legal: list[Action]) -> Action:
    """A random action with few moons, so that matches last."""
    tame = [a for a in legal if a[0] not in ("moon", "double_moon") and a != ("misdeal", True)]
    return rng.choice(tame) if tame and rng.random() < 0.9 else rng.choice(legal)


def check_hand(o: Oracle, h: Any) -> None:
    """[P-INV]: points, kept trumps, plays and tricks of one finished hand."""
    if h.void:
        assert h.result is None
        return
    parts = o.accounts(h)
    assert sum(parts.values()) == sum(o.tables.points(card, h.trump) for card in o.tables.deck)  # P-VAR-01, P-RED-03
    assert h.took + h.against == parts["taken"] + parts["burn_credit"]
    if o.rules == R.preset("source", version=o.rules["version"]):
        assert parts["taken"] + parts["burned"] == o.tables.total
    played = [(seat, c) for trick in h.tricks for seat, c in trick.plays]
    for seat in range(o.players):
        assert len(h.kept[seat]) <= 6
        assert sorted(c for s, c in played if s == seat) == sorted(set(h.kept[seat]) - set(h.hands[seat]))
        assert len(h.burned[seat]) == 0 or len(h.kept[seat]) == 6
        if o.players == 4 and h.asked[seat] is not None:
            assert h.drawn_count[seat] <= h.asked[seat]
    assert len(h.tricks) <= 6
    assert parts["unplayed"] == 0 or o.rules["check"] == "mid_hand"
    everywhere = [c for cs in (*h.kept, *h.burned, h.surplus) for c in cs]
    dead = [c for _, c in h.thrown] if o.rules["discarded_trump"] == "dead" else []
    assert sorted(everywhere + dead) == sorted(o.tables.trumps(h.trump))


def random_match(rules: R.Rules, players: int, seed: int, steps: int = 100_000) -> Oracle:
    """Play at random, checking every finished hand and, now and then, a refusal."""
    rng = random.Random(seed)
    deck = R.Tables(R.validate(rules, players), players).deck
    entries = 2 if players == 4 else 5
    scores = [rng.choice([0, 0, 20, -5, 46]) for _ in range(entries)]
    o = Oracle({"max_hands": 8, **rules}, players, shuffled(seed, deck), rng.randrange(players), scores)
    for _ in range(steps):
        legal = o.legal()
        assert legal
        assert len(legal) == len(set(legal))
        if rng.random() < 0.02:
            refused(o, "play", -1)
        o.step(pick(rng, legal))
        if o.done:
            break
    for h in o.history:
        check_hand(o, h)
    if o.done:
        assert bool(o.winner()) != o.truncated
        assert o.legal() == []
    return o


@pytest.mark.parametrize("players", [4, 5])
@pytest.mark.parametrize("name", R.PRESETS)
def test_presets_keep_the_invariants(name: str, players: int) -> None:
    """P-INV, section 21, BD-35, BD-45: short matches of every preset."""
    for seed in range(6):
        assert random_match(R.PRESETS[name], players, seed).done


CASES = [
    (key, value, players)
    for key, values in R.CHOICES.items()
    for value in values
    for players in (4, 5)
    if value != R.DEFAULTS[key] and key != "trump_only"
]


@pytest.mark.parametrize(("key", "value", "players"), CASES)
def test_option_values_keep_the_invariants(key: str, value: Any, players: int) -> None:
    """P-INV, BD-41: a short match of every value of every option that is not refused."""
    rules: R.Rules = {key: value, "moon_5h": "on"}
    if value == "removed":
        rules["version"] = 14
    if value == "off":
        rules["moon_5h"] = "off"
    try:
        R.validate(rules, players)
    except ValueError:
        assert (key, players) in (("uncounted", 5), ("discarded_trump", 5))
        return
    random_match({**rules, "max_hands": 4}, players, 7)


def test_random_mixtures_keep_the_invariants() -> None:
    """P-INV, BD-41: options drawn at random together."""
    rng = random.Random(99)
    played = 0
    for seed in range(600):
        rules = {key: rng.choice(values) for key, values in R.CHOICES.items() if key != "trump_only"}
        players = rng.choice([4, 5])
        if players == 5:  # the two refusals that would drop most mixtures
            rules.update(uncounted="trump", discarded_trump="forbidden")
        try:
            R.validate(rules, players)
        except ValueError:
            continue
        random_match({**rules, "max_hands": 2}, players, seed, steps=400)
        played += 1
    assert played > 100


RELABELS = [
    (C, D, H, S), (S, D, H, C), (C, H, D, S), (S, H, D, C),
    (D, C, S, H), (H, C, S, D), (D, S, C, H), (H, S, C, D),
]  # fmt: skip


@pytest.mark.parametrize("relabel", RELABELS)
@pytest.mark.parametrize(("players", "turn"), [(4, 1), (5, 3)])
def test_relabelled_suits_and_turned_seats_change_nothing(
    relabel: tuple[int, ...], players: int, turn: int
) -> None:
    """P-INV: the same hand with suits renamed inside and across colours and all seats moved on."""

    def other(c: int) -> int:
        return c if c >= R.LOW_JOKER else relabel[c // 13] * 13 + c % 13

    def translate(action: Action) -> Action:
        if action[0] == "trump":
            return ("trump", relabel[action[1]])
        return (action[0], other(action[1])) if action[0] in ("call", "burn", "discard", "play") else action

    size = 9 if players == 4 else 10
    for seed in range(4):
        rng = random.Random(seed)
        deck = list(range(54))
        rng.shuffle(deck)
        hands = [deck[size * s : size * s + size] for s in range(players)]
        moved = [other(c) for s in range(players) for c in hands[(s - turn) % players]]
        moved += [other(c) for c in deck[size * players :]]
        rules: R.Rules = {"version": 16, "moon_5h": "on", "kitty_mode": "one_by_one"}
        one, two = game(deck, players, 0, **rules), game(moved, players, turn % players, **rules)
        while not one.done:
            assert (one.current_player + turn) % players == two.current_player
            assert sorted(map(translate, one.legal())) == sorted(two.legal())
            action = rng.choice(one.legal())
            one.step(action)
            two.step(translate(action))
        assert two.done
        entries = len(one.scores)
        assert [two.scores[(i + turn) % entries] for i in range(entries)] == one.scores
        assert sorted((w + turn) % entries for w in one.winner()) == sorted(two.winner())


def test_views_hold_no_secrets_and_no_handles() -> None:
    """P-INFO-01, P-KIT-03: changing hidden cards leaves the public part alone; views are copies."""
    rng = random.Random(5)
    for seed in range(20):
        o = longest(random.Random(seed), 4)
        while o.phase == "burn":
            o.step(rng.choice(o.legal()))
        while not o.done and rng.random() < 0.9:
            o.step(rng.choice(o.legal()))
        twin = deepcopy(o)
        if o.done:
            continue
        twin.hand.dealt = twin.hand.dealt[::-1]
        twin.hand.drawn = [cs[::-1] for cs in twin.hand.drawn]
        twin.hand.hands = [cs[::-1] for cs in twin.hand.hands]
        twin.hand.kitty = twin.hand.kitty[::-1]
        assert twin.public() == o.public()
        o.public()["scores"].append(1)
        o.view(0)["hand"].append(1)
        assert len(o.scores) == 2
