"""The oracle of Thousand against the rule book: sections 18 and 22, the frequencies of sections 3 and 5."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from thousand import Oracle
from thousand_auction import Auction
from thousand_cards import (
    auction_cap,
    card_points,
    count_rank,
    hand_cap,
    hand_redeal,
    legal_cards,
    marriages_in,
    sitter_bonus,
    talon_redeal,
    trick_winner,
)
from thousand_cards import (
    deck_of as cards_of,
)
from thousand_rules import PRESETS, SCHEMA, complete, make_rules, need, option_values, validate
from thousand_scoring import DealOutcome, MatchState, Settlement, half_bid, payout, round_points, settle

DEFAULT = make_rules()


def card(name: str) -> int:
    """A card by rank and suit: TH is the ten of hearts."""
    return "SCDH".index(name[1]) * 6 + "9JQKTA".index(name[0])


def cards(names: str) -> list[int]:
    return [card(name) for name in names.split()]


def deck_of(*blocks: str) -> list[int]:
    """A deck from hands in order from forehand; cards not named follow in order."""
    named = [one for block in blocks for one in cards(block)]
    return named + [one for one in range(24) if one not in named]


def shuffled(seed: object) -> Callable[[int], list[int]]:
    return lambda k: random.Random(f"{seed}/{k}").sample(range(24), 24)


def game(changes: dict[str, Any] | None = None, deck: list[int] | None = None, **how: Any) -> Oracle:
    rules = make_rules(how.pop("preset", "default"), changes)
    deals = shuffled(how.pop("seed", 1)) if deck is None else (lambda k: deck)
    return Oracle(rules, deals, **how)


def act(oracle: Oracle, *actions: tuple) -> Oracle:
    for action in actions:
        oracle.step(action)
    return oracle


def play_first(oracle: Oracle, deals: int = 1) -> Oracle:
    """Go on with the first legal action (pass, silent, lowest) until so many more deals are finished."""
    goal = len(oracle.history) + deals
    while not oracle.done and len(oracle.history) < goal:
        oracle.step(oracle.legal()[-1] if oracle.phase == "talon" else oracle.legal()[0])
    return oracle


# A deal for three (dealer 2, forehand 0) in which nobody may ask for a redeal.
PLAIN = deck_of("AS KS QS AH TH 9D JD", "AC TC KC 9C JS 9H KD", "AD TD QD TS KH QH JC", "9S QC JH")


def match_state(players: int = 3, **changes: Any) -> MatchState:
    start: dict[str, Any] = {
        "scores": [0] * players,
        "bolts": [0] * players,
        "attempts": [0] * players,
        "falls": [0] * players,
        "write_offs": [0] * players,
        "last_contracts": [120] * players,
    }
    start.update(changes)
    start.setdefault("barrel", [score == 880 for score in start["scores"]])
    return MatchState(**start)


def outcome(declarer: int = 0, contract: int = 100, cards: tuple[int, ...] = (120, 0, 0), **changes: Any) -> Any:
    players = len(cards)
    dealer = changes.pop("dealer", players - 1)
    order = [(dealer + 1 + step) % players for step in range(players)]
    start: dict[str, Any] = {
        "dealer": dealer,
        "active": order[:3],
        "declarer": declarer,
        "bid": contract,
        "contract": contract,
        "written_off": False,
        "dark": False,
        "talon": [],
        "card_points": list(cards),
        "marriage_points": [0] * players,
        "tricks": [1 if seat in order[:3] else 0 for seat in range(players)],
    }
    start.update(changes)
    return DealOutcome(**start)


def write(changes: dict[str, Any] | None = None, before: MatchState | None = None, **deal: Any) -> Settlement:
    rules = make_rules(deal.pop("preset", "default"), changes)
    return settle(rules, before or match_state(rules["players"]), outcome(**deal))


# --- exact frequencies -------------------------------------------------------------------------------


@cache
def hand_census() -> Counter:
    """Every 7-card hand by (default redeal, nines, jacks, points if below 15, cap)."""
    census: Counter = Counter()
    for hand in combinations(range(24), 7):
        points = card_points(hand)
        key = (
            hand_redeal(DEFAULT, hand, False),
            count_rank(hand, 0),
            count_rank(hand, 1),
            min(points, 15),
            hand_cap(DEFAULT, hand),
        )
        census[key] += 1
    return census


def _hands(test: Callable[[bool, int, int, int, int], bool]) -> int:
    return sum(number for key, number in hand_census().items() if test(*key))


def test_frequencies_of_redeal_hands() -> None:
    """T-RED-01 to T-RED-04: exact frequencies of section 3 over all 346,104 hands."""
    assert _hands(lambda *_: True) == 346_104
    assert _hands(lambda redeal, nines, jacks, points, cap: redeal) == 21_800
    assert _hands(lambda redeal, nines, jacks, points, cap: nines == 3) == 19_380
    assert _hands(lambda redeal, nines, jacks, points, cap: nines == 4) == 1_140
    assert _hands(lambda redeal, nines, jacks, points, cap: jacks == 4) == 1_140
    for limit, number in ((13, 1_668), (14, 2_644), (15, 3_932)):
        assert _hands(lambda redeal, nines, jacks, points, cap: points < limit) == number  # noqa: B023


def test_frequencies_of_caps() -> None:
    """T-AUC-07: exact cap distribution of section 5."""
    caps: Counter = Counter()
    for (_, _, _, _, cap), number in hand_census().items():
        caps[cap] += number
    assert caps == {
        120: 247_536, 160: 22_968, 180: 22_968, 200: 22_968, 220: 24_072, 240: 1_104, 260: 2_208,
        280: 1_104, 300: 1_122, 320: 18, 340: 18, 360: 18,
    }  # fmt: skip


def test_frequencies_of_talons() -> None:
    """T-RED-05 to T-RED-07: talon frequencies of section 3."""
    talons = list(combinations(range(24), 3))
    b_rules = make_rules(changes={"redeal": {"talon": {"jacks_eq": None}}})
    assert len(talons) == 2_024
    assert sum(talon_redeal(DEFAULT, talon, talon, True) for talon in talons) == 152
    assert sum(talon_redeal(b_rules, talon, talon, True) for talon in talons) == 148
    assert sum(card_points(talon) < 4 for talon in talons) == 52
    assert sum(card_points(talon) < 5 for talon in talons) == 100
    assert sum(count_rank(talon, 0) >= 2 for talon in talons) == 124
    assert sum(len(marriages_in(talon)) for talon in talons) == 88
    assert sum(card_points(talon) for talon in talons) == 15 * 2_024


def test_rounding_of_splits() -> None:
    """T-RND-05 and section 22 line 76: written points need not sum to 120."""
    one_exact = all_rounded = 0
    for a in range(121):
        for b in range(121 - a):
            c = 120 - a - b
            one_exact += a + round_points(b, 5) + round_points(c, 5) != 120
            all_rounded += round_points(a, 5) + round_points(b, 5) + round_points(c, 5) != 120
    assert (one_exact, all_rounded) == (5_856, 1_728)


# --- section 18, situation by situation --------------------------------------------------------------


def test_situation_01_a_missed_contract_costs_the_contract() -> None:
    """T-SCO-03: not the raw points."""
    assert write(contract=120, cards=(97, 13, 10)).entries == [-120, 15, 10]


def test_situation_02_mounting_is_no_attempt() -> None:
    """T-BAR-08."""
    done = write(before=match_state(scores=[780, 0, 0]))
    assert done.state.scores == [880, 0, 0]
    assert (done.state.barrel[0], done.state.attempts[0]) == (True, 0)


def test_situation_03_entries_are_added_once() -> None:
    """Section 20 step 5: the base is the total before the deal."""
    done = write(before=match_state(scores=[10, 20, 30]), cards=(100, 15, 5))
    assert done.state.scores == [110, 35, 35]


def test_situation_04_a_trump_must_be_played_when_void() -> None:
    """T-PLAY-03."""
    assert legal_cards(DEFAULT, cards("9D 9S"), 1, [(0, card("AH"))], 0, 0) == cards("9S")


def test_situation_05_forehand_cannot_pass() -> None:
    """T-AUC-01, T-AUC-05."""
    oracle = game(deck=PLAIN, dealer=2)
    assert ("pass",) not in oracle.legal()
    act(oracle, ("bid", 100), ("pass",), ("pass",))
    assert (oracle.deal.declarer, oracle.deal.bid, oracle.phase) == (0, 100, "contract")


def test_situation_06_dealer_and_opener_move() -> None:
    """T-DEAL-01, T-RED-11, T-WO-05: on after a write-off, not after a redeal."""
    oracle = game(deck=deck_of("9S 9C 9D 9H AS AC AD"), dealer=0)
    assert (oracle.phase, oracle.current_player) == ("hand_redeal", 1)
    act(oracle, ("redeal", True))
    assert (oracle.dealer, oracle.phase, oracle.match.deals_played) == (0, "hand_redeal", 0)
    act(oracle, ("redeal", False), ("bid", 100), ("pass",), ("pass",))
    if oracle.phase == "talon_redeal":
        act(oracle, ("redeal", False))
    act(oracle, ("write_off",))
    assert (oracle.dealer, oracle.match.deals_played) == (1, 1)


@pytest.mark.parametrize(("suit", "cap"), [("S", 160), ("C", 180), ("D", 200), ("H", 220)])
def test_situation_07_caps_of_single_marriages(suit: str, cap: int) -> None:
    """T-AUC-07."""
    assert hand_cap(DEFAULT, cards(f"K{suit} Q{suit} AS TC")) == cap


def test_situation_08_there_is_a_declarer_who_may_raise() -> None:
    """T-RAISE-01, T-RAISE-03."""
    oracle = act(game(deck=PLAIN, dealer=2), ("bid", 105), ("pass",), ("pass",))
    contracts = [action[1] for action in oracle.legal() if action[0] == "contract"]
    assert contracts == list(range(105, 161, 5))


def test_situation_09_no_rounding_before_the_check() -> None:
    """T-SCO-04; with the option of line 50 the rounded total counts."""
    deal: dict[str, Any] = {"contract": 120, "cards": (119, 1, 0)}
    assert not write(**deal).made
    assert write({"score": {"declarer_rounding": "before_check"}}, **deal).made


def test_situation_10_bids_rise_and_a_pass_is_final() -> None:
    """T-AUC-03, T-AUC-04."""
    oracle = act(game(deck=PLAIN, dealer=2), ("bid", 100))
    before = copy.deepcopy(vars(oracle.deal.auction))
    with pytest.raises(ValueError, match="not legal"):
        oracle.step(("bid", 100))
    assert vars(oracle.deal.auction) == before
    act(oracle, ("pass",), ("bid", 105))
    assert oracle.current_player == 0
    act(oracle, ("bid", 110))
    assert oracle.current_player == 2


def test_situation_11_a_follower_does_not_declare() -> None:
    """T-MAR-04: only on lead, and only with the mate in hand."""
    oracle = act(game(deck=PLAIN, dealer=2), ("bid", 100), ("pass",), ("pass",), ("contract", 100))
    act(oracle, ("give", card("9S")), ("give", card("QC")))
    act(oracle, ("play", card("9D")), ("play", card("KD")))
    assert oracle.deal.trump is None
    assert not any(action[0] == "declare" for action in oracle.legal())
    act(oracle, ("play", card("AD")))  # seat 2 has a trick and K, Q of hearts
    assert ("declare", card("KH")) in oracle.legal()
    assert ("play", card("KH")) in oracle.legal()  # T-MAR-06
    assert ("declare", card("QD")) not in oracle.legal()


def test_situation_12_cards_stay_distinct() -> None:
    """24 cards after every step, and never an empty set of actions."""
    random_match(game(seed="situation 12"), random.Random(12), 6)


def test_situation_13_one_card_to_each_opponent() -> None:
    """T-PASS-01, line 40: left first, then right."""
    oracle = act(game(deck=PLAIN, dealer=2), ("bid", 100), ("pass",), ("pass",), ("contract", 100))
    act(oracle, ("give", card("JH")), ("give", card("QC")))
    assert oracle.deal.passes == [(0, 1, card("JH")), (0, 2, card("QC"))]
    assert [len(hand) for hand in oracle.deal.hands] == [8, 8, 8]


def test_situation_14_copies_go_on_alike_and_scoring_is_idempotent() -> None:
    """A copy taken in every phase plays on to the same end; settle changes nothing it is given."""
    oracle = game(seed=14, episode="hand")
    rng = random.Random(14)
    copies: dict[str, Oracle] = {}
    while not oracle.done:
        copies.setdefault(oracle.phase, copy.deepcopy(oracle))
        action = rng.choice(oracle.legal())
        for other in copies.values():
            other.step(action)
        oracle.step(action)
    assert len(copies) >= 3
    for other in copies.values():
        assert other.history == oracle.history
    before = match_state(scores=[700, 880, 1])
    deal = outcome(contract=120, cards=(120, 0, 0))
    keep = copy.deepcopy((before, deal))
    assert settle(DEFAULT, before, deal) == settle(DEFAULT, before, deal)
    assert (before, deal) == keep


def test_situation_15_the_truck_comes_after_the_bolt_fine() -> None:
    """T-TRK-03: 675 - 120 = 555."""
    before = match_state(scores=[0, 675, 0], bolts=[0, 2, 0])
    assert write({"truck": {"plus_555": True}}, before, tricks=[7, 0, 1]).state.scores[1] == 0
    assert write(None, before, tricks=[7, 0, 1]).state.scores[1] == 555


def test_situation_16_a_worthless_trick_is_no_bolt() -> None:
    """T-BOLT-01; with basis "points" it is one (line 51)."""
    deal: dict[str, Any] = {"cards": (118, 2, 0), "tricks": [7, 1, 0]}
    assert write(**deal).state.bolts == [0, 0, 1]
    assert write({"bolt": {"basis": "points"}}, **deal).state.bolts == [0, 1, 1]


def test_situation_17_target_1001_needs_125() -> None:
    """T-BAR-02: 120 from 880 burns an attempt."""
    on = match_state(scores=[880, 0, 0])
    short = write({"target": 1001}, on, contract=120)
    assert (short.winner, short.state.scores[0], short.state.attempts[0]) == (None, 880, 1)
    won = write({"target": 1001}, on, contract=125, marriage_points=[40, 0, 0])
    assert (won.winner, won.state.scores[0]) == (0, 1005)


def test_situation_18_a_jump_over_the_barrel_mounts() -> None:
    """T-BAR-16; with jump_over "win" it ends the match (line 60)."""
    deal: dict[str, Any] = {"contract": 250, "marriage_points": [140, 0, 0]}
    before = match_state(scores=[800, 0, 0])
    assert write(None, before, **deal).state.scores[0] == 880
    won = write({"barrel": {"jump_over": "win"}}, before, **deal)
    assert (won.winner, won.state.scores[0]) == (0, 1050)


def test_situation_19_no_bolt_on_the_barrel() -> None:
    """T-BOLT-05; with on_barrel the third one is a fall (line 53)."""
    before = match_state(scores=[0, 880, 0], bolts=[0, 2, 0])
    assert write(None, before, tricks=[8, 0, 0]).state.bolts[1] == 2
    thrown = write({"bolt": {"on_barrel": True}}, before, tricks=[8, 0, 0]).state
    assert (thrown.scores[1], thrown.falls[1], thrown.bolts[1], thrown.attempts[1]) == (760, 1, 0, 0)


def test_situation_20_a_new_trump_counts_at_once() -> None:
    """T-MAR-08: hearts trump, spades declared by leading the king, a follower has hearts only."""
    trick = [(0, card("KS"))]
    hand = cards("9H TC")
    assert legal_cards(DEFAULT, hand, 1, trick, 0, 0) == sorted(hand)  # spades is trump already
    assert trick_winner([*trick, (1, card("9H")), (2, card("9S"))], 0) == 0
    assert legal_cards(DEFAULT, hand, 1, trick, 3, 2) == cards("9H")  # next_trick: hearts still is
    assert trick_winner([*trick, (1, card("9H")), (2, card("9S"))], 3) == 1


@pytest.mark.parametrize(("timing", "trump"), [("immediately", 3), ("next_trick", None)])
def test_situation_20_timing_in_the_game(timing: str, trump: int | None) -> None:
    """T-MAR-08, line 45."""
    oracle = game({"marriage": {"trump_from": timing}}, PLAIN, dealer=2)
    act(oracle, ("bid", 100), ("pass",), ("pass",), ("contract", 100))
    act(oracle, ("give", card("9S")), ("give", card("QC")))
    act(oracle, ("play", card("9D")), ("play", card("KD")), ("play", card("AD")), ("declare", card("KH")))
    assert oracle.deal.trump == trump
    assert oracle.deal.marriage_points == [0, 0, 100]  # T-MAR-07: credited at once
    act(oracle, ("play", card("AH")), ("play", card("9H")))
    assert oracle.deal.trump == 3
    assert oracle.deal.tricks[-1][0] == 0


def test_situation_21_four_nines_are_the_holders_choice() -> None:
    """T-RED-10, line 5."""
    deck = deck_of("AS AC AD AH TS TC TD", "9S 9C 9D 9H KS KC KD", "KH QS QC QD QH JS JC")
    oracle = act(game(deck=deck, dealer=2))
    assert (oracle.phase, oracle.current_player) == ("hand_redeal", 1)
    act(oracle, ("redeal", False))
    assert oracle.phase == "auction"
    decks = [deck, PLAIN]
    automatic = Oracle(make_rules(changes={"redeal": {"optional": False}}), lambda k: decks[k], dealer=2)
    assert (automatic.phase, automatic.decks_used, automatic.dealer) == ("auction", 2, 2)
    assert automatic.redeals == [{"seat": 1, "kind": "hand", "talon": None}]


# --- cards and tricks --------------------------------------------------------------------------------


def test_must_beat_and_must_overtrump() -> None:
    """T-PLAY-05, line 41."""
    beat = make_rules(changes={"play": {"must_beat": True, "must_overtrump": True}})
    free = make_rules(changes={"play": {"must_trump": False, "must_overtrump": True}})
    lead = [(0, card("TS"))]
    assert legal_cards(beat, cards("9S AS"), 1, lead, None, None) == cards("AS")
    assert legal_cards(beat, cards("9S QS"), 1, lead, None, None) == cards("9S QS")
    ruffed = [*lead, (1, card("QH"))]
    assert legal_cards(beat, cards("9S AS"), 2, ruffed, 3, 0) == cards("9S AS")
    assert legal_cards(beat, cards("9H KH AC"), 2, ruffed, 3, 0) == cards("KH")
    assert legal_cards(beat, cards("9H JH AC"), 2, ruffed, 3, 0) == cards("9H JH")
    assert legal_cards(free, cards("9H KH AC"), 2, ruffed, 3, 0) == sorted(cards("KH AC"))
    assert legal_cards(free, cards("9H JH AC"), 2, ruffed, 3, 0) == sorted(cards("9H JH AC"))


def test_foreign_trump_lead() -> None:
    """T-PLAY-07, line 42."""
    rules = make_rules("classic_c")
    assert legal_cards(rules, cards("AH 9S"), 1, [], 3, 0) == cards("9S")
    assert legal_cards(rules, cards("AH 9H"), 1, [], 3, 0) == sorted(cards("AH 9H"))
    assert legal_cards(rules, cards("AH 9S"), 0, [], 3, 0) == sorted(cards("AH 9S"))


def test_redeal_conditions() -> None:
    """T-RED-02, T-RED-05, T-RED-08, lines 3 and 6."""
    classic = make_rules("classic_c")
    three, four = cards("9S 9C 9D AS AC AD AH"), cards("9S 9C 9D 9H AC AD AH")
    assert [hand_redeal(classic, three, forehand) for forehand in (True, False)] == [True, False]
    assert hand_redeal(classic, four, False)
    assert not hand_redeal(classic, cards("JS JC JD JH AS AC AD"), True)
    changes = {"redeal": {"winner_four_nines_with_talon": True, "talon": {"only_at_100": True}}}
    strict = make_rules(changes=changes)
    poor = cards("9S 9C JH")
    assert [talon_redeal(strict, poor, poor, at_100) for at_100 in (True, False)] == [True, False]
    assert talon_redeal(strict, cards("AS TC KH"), four, False)
    assert not talon_redeal(strict, cards("AS TC KH"), three, False)


def test_caps_of_the_auction() -> None:
    """T-AUC-06 to T-AUC-08, lines 15 and 18."""
    four_aces = cards("AS AC AD AH KH QH 9S")
    assert hand_cap(make_rules("mailru"), four_aces) == 420
    assert hand_cap(make_rules("mailru", {"ace_marriage": {"in_cap": False}}), four_aces) == 220
    assert auction_cap(make_rules(changes={"auction": {"cap": "none"}}), cards("9S")) == 400
    assert auction_cap(make_rules("mailru", {"auction": {"cap": "none"}}), cards("9S")) == 600
    assert auction_cap(make_rules(changes={"auction": {"cap": "flat_300"}}), cards("9S")) == 300


def test_sitter_bonus() -> None:
    """T-4P-02 to T-4P-04, line 65."""
    half = make_rules("four", {"four_player": {"sitter_half_marriage": True, "sitter_marriage": False}})
    assert sitter_bonus(make_rules("four"), cards("KH QH AS")) == (18, 100)
    assert sitter_bonus(half, cards("KH QH AS")) == (18, 0)
    assert sitter_bonus(half, cards("KH QC AS")) == (18, 80)
    assert sitter_bonus(make_rules("four", {"four_player": {"sitter_points": "none"}}), cards("KH QH AS")) == (0, 0)


# --- auction, talon, contract ------------------------------------------------------------------------


def bidding(changes: dict[str, Any], dark: int | None = None, silent: tuple[int, ...] = ()) -> Auction:
    auction = Auction(make_rules(changes={"auction": changes}), [0, 1, 2], list(silent))
    auction.open(2, dark)
    return auction


def test_automatic_hundreds() -> None:
    """T-AUC-01, lines 11, 12, 16."""
    assert bidding({}).turn == 0
    forced = bidding({"opening": "forced_100"})
    assert (forced.bids, forced.turn) == ([(0, 100)], 1)
    dealer = bidding({"opening": "dealer_100"})
    assert (dealer.bids, dealer.turn, dealer.may_pass()) == ([(2, 100)], 0, True)
    dealer.give_up()
    dealer.give_up()
    assert (dealer.over, dealer.holder, dealer.price) == (True, 2, 100)
    assert bidding({}, silent=(0,)).bids == [(0, 100)]
    lonely = bidding({"opening": "dealer_100"}, silent=(0, 1, 2))
    assert (lonely.over, lonely.holder, lonely.bids) == (True, 2, [(2, 100), (0, 0), (1, 0)])


def test_jumps_steps_and_the_own_cap() -> None:
    """T-AUC-03, T-AUC-11, lines 13, 14, 17."""
    assert bidding({"jumps": False}).allowed(cards("9S")) == [100]
    assert bidding({"step": 10}).allowed(cards("9S")) == [100, 110, 120]
    auction = bidding({})
    auction.bid(120)
    assert auction.allowed(cards("9S")) == []
    assert auction.may_pass()


def test_silence_is_strict() -> None:
    """T-AUC-10, line 16."""
    changes = {"auction": {"silence_below": -120}}
    oracle = game(changes, PLAIN, dealer=2, context={"scores": [-125, -120, -500]})
    assert (oracle.deal.bids, oracle.current_player) == ([(0, 100)], 1)
    act(oracle, ("bid", 105))
    assert (oracle.deal.declarer, oracle.deal.bids[-2:]) == (1, [(2, 0), (0, 0)])


def test_the_talon_is_hidden_at_an_uncontested_hundred() -> None:
    """T-TAL-03 to T-TAL-05, line 32."""
    hidden = act(game(deck=PLAIN, dealer=2), ("bid", 100), ("pass",), ("pass",))
    assert hidden.public()["talon"] is None
    assert hidden.view(0)["own_talon"] == cards("9S QC JH")
    shown = act(game(deck=PLAIN, dealer=2), ("bid", 105), ("pass",), ("pass",))
    assert shown.public()["talon"] == cards("9S QC JH")
    never = act(game({"talon": {"show": False}}, PLAIN, dealer=2), ("bid", 105), ("pass",), ("pass",))
    assert never.public()["talon"] is None


def test_a_talon_claim_is_asked_in_private_and_shown() -> None:
    """T-RED-05, T-RED-14, lines 10 and 70."""
    deck = deck_of("AS KS QS AH TH 9D JD", "AC TC KC QC JS 9H KD", "AD TD QD TS KH QH JH", "9S 9C JC")
    oracle = act(game(deck=deck, dealer=2), ("bid", 100), ("pass",), ("pass",))
    assert oracle.phase == "talon_redeal"
    assert (oracle.public()["phase"], oracle.view(1)["phase"]) == ("contract", "contract")
    assert oracle.view(0)["phase"] == "talon_redeal"
    act(oracle, ("redeal", True))
    assert oracle.redeals == [{"seat": 0, "kind": "talon", "talon": cards("9S 9C JC")}]


def test_barrel_contracts() -> None:
    """T-BAR-06, line 35."""
    on = {"scores": [880, 0, 0]}
    oracle = act(game(deck=PLAIN, dealer=2, context=on), ("bid", 100), ("pass",), ("pass",))
    assert min(a[1] for a in oracle.legal() if a[0] == "contract") == 120
    seat_2 = {"scores": [0, 880, 0]}
    plain = deck_of("AC TC KC QD JS 9H KD", "AS KS JD AH TH 9D QC", "AD TD 9C KH QH JC QS", "9S TS JH")
    short = game({"target": 1001}, plain, dealer=2, context=seat_2)
    act(short, ("bid", 100), ("bid", 110), ("pass",), ("pass",))
    assert [a for a in short.legal() if a[0] == "contract"] == [("contract", 110)]


@pytest.mark.parametrize(
    ("seat", "kind", "free"), [(0, "own_turn", True), (1, "own_turn", False), (1, "free_talon", True)]
)
def test_barrel_auction(seat: int, kind: str, free: bool) -> None:
    """T-TAL-06, line 19: a shown talon at 100."""
    scores = [0, 0, 0]
    scores[seat] = 880
    oracle = game({"barrel": {"auction": kind}}, PLAIN, dealer=2, context={"scores": scores})
    assert (oracle.phase == "contract") == free
    if free:
        assert (oracle.deal.declarer, oracle.deal.bid, oracle.deal.talon_shown) == (seat, 100, True)


def test_write_off_offers() -> None:
    """T-WO-08, T-WO-09, lines 37 and 38."""
    bids = [("bid", 100), ("pass",), ("pass",)]
    assert ("write_off",) in act(game(deck=PLAIN, dealer=2), *bids).legal()
    limit = {"write_off": {"limit": 1}}
    used = act(game(limit, PLAIN, dealer=2, context={"write_offs": [1, 0, 0]}), *bids)
    assert ("write_off",) not in used.legal()
    forbidden = {"write_off": {"on_barrel": "forbidden"}}
    on_barrel = act(game(forbidden, PLAIN, dealer=2, context={"scores": [880, 0, 0]}), *bids)
    assert ("write_off",) not in on_barrel.legal()
    assert ("write_off",) in act(game(forbidden, PLAIN, dealer=2), *bids).legal()


def test_after_pass() -> None:
    """T-RAISE-02, line 33: write-off at the first card, cap of the hand after passing."""
    oracle = game({"contract": {"declare": "after_pass"}}, PLAIN, dealer=2)
    act(oracle, ("bid", 100), ("pass",), ("pass",))
    assert (oracle.phase, oracle.legal()[0]) == ("give", ("write_off",))
    act(oracle, ("give", card("KS")))
    assert ("write_off",) not in oracle.legal()
    act(oracle, ("give", card("QC")))
    assert oracle.legal() == [("contract", amount) for amount in range(100, 121, 5)]


def test_four_nines_after_the_pass() -> None:
    """T-RED-09, lines 8 and 70."""
    deck = deck_of("AS KS QS AH TH 9D JD", "9S 9C 9H TC KC QC JS", "AD TD QD TS KH QH JC", "AC JH KD")
    changes = {"redeal": {"defender_four_nines_after_pass": True, "hand": {"nines_ge": None}}}
    oracle = act(game(changes, deck, dealer=2), ("bid", 105), ("pass",), ("pass",), ("contract", 105))
    act(oracle, ("give", card("9D")), ("give", card("JD")))
    assert (oracle.phase, oracle.current_player) == ("pass_redeal", 1)
    assert (oracle.view(0)["phase"], oracle.view(0)["current_player"]) == ("play", 0)
    assert act(oracle, ("redeal", False)).phase == "play"


def test_dark_games() -> None:
    """T-DARK-01 to T-DARK-08, lines 20 to 25."""
    oracle = game({"dark": "forehand"}, PLAIN, dealer=2)
    assert [oracle.view(seat)["hand"] for seat in range(3)] == [None, None, None]
    act(oracle, ("dark", True))
    assert oracle.view(0)["hand"] is None
    assert oracle.view(1)["hand"] is not None
    outbid = act(copy.deepcopy(oracle), ("pass",), ("bid", 125))
    assert (outbid.deal.dark_seat, outbid.view(0)["hand"]) == (None, outbid.deal.hands[0])
    act(oracle, ("pass",), ("pass",))
    assert oracle.legal() == [("write_off",), ("contract", 120)]
    assert (oracle.public()["talon"], oracle.view(0)["hand"]) == (None, oracle.deal.hands[0])
    act(oracle, ("write_off",))
    assert oracle.history[-1]["entries"] == [-240, 120, 120]
    raising = act(game({"dark": "D"}, PLAIN, dealer=2), ("dark", True), ("pass",), ("pass",))
    assert raising.legal()[-1] == ("contract", 160)
    anybody = act(game({"dark": "C"}, PLAIN, dealer=2), ("dark", False), ("dark", True))
    assert (anybody.deal.declarer, anybody.legal()) == (1, [("write_off",), ("contract", 120)])
    assert game({"dark": "C"}, PLAIN, context={"scores": [0, 0, 880]}).phase == "auction"


def test_a_dark_player_cannot_ask_for_a_redeal() -> None:
    """Line 7: not for his own unseen hand."""
    deck = deck_of("9S 9C 9D 9H KS KC KD", "AS AC AD AH TS TC TD", "KH QS QC QD QH JS JC")
    oracle = game({"dark": "forehand"}, deck, dealer=2)
    assert act(copy.deepcopy(oracle), ("dark", False)).phase == "hand_redeal"
    assert act(oracle, ("dark", True)).phase == "auction"
    assert oracle.public()["bids"] == [(0, 120)]


def test_contracts_by_ten() -> None:
    """Line 14: a need of 125 means 130."""
    changes = {"auction": {"step": 10}, "target": 1001}
    oracle = game(changes, PLAIN, dealer=2, context={"scores": [880, 0, 0]})
    act(oracle, ("bid", 110), ("pass",), ("pass",))
    assert [a[1] for a in oracle.legal() if a[0] == "contract"] == [130, 140, 150, 160]


def test_two_player_layouts() -> None:
    """T-2P-01 to T-2P-04, lines 40 and 67."""
    duel = act(game(preset="duel_d", seed=3, dealer=1), ("bid", 100), ("pass",))
    assert [len(hand) for hand in duel.deal.hands] == [12, 10]
    act(duel, ("contract", 100))
    act(duel, duel.legal()[0])
    assert (duel.phase, [len(hand) for hand in duel.deal.hands]) == ("play", [11, 11])
    play_first(duel)
    assert (len(duel.history[0]["tricks"]), sum(duel.history[0]["card_points"])) == (11, 120)
    picked = game({"two_player": {"layout": "9+3+3", "take": "choice"}, "players": 2}, seed=3, dealer=1)
    while picked.phase != "talon":
        picked.step(picked.legal()[0])
    stock = list(picked.deal.stock)
    act(picked, ("talon", 1))
    assert (picked.deal.talon, picked.deal.bank) == (stock[3:], stock[:3])
    while picked.phase != "play":
        picked.step(picked.legal()[-1] if picked.phase != "talon_redeal" else ("redeal", False))
    assert [len(hand) for hand in picked.deal.hands] == [10, 10]
    assert (picked.deal.passes[1][1], len(picked.deal.bank)) == (-1, 4)
    play_first(picked)
    assert sum(picked.history[0]["card_points"]) == 120
    assert len(picked.history[0]["tricks"]) == 10


def test_golden_deals() -> None:
    """T-GOLD-02, T-GOLD-08, line 27."""
    oracle = game({"golden": {"mode": "on"}}, PLAIN, dealer=2, context={"scores": [100, 0, 0]})
    assert (oracle.legal(), oracle.deal.declarer) == ([("write_off",), ("contract", 120)], 0)
    assert oracle.public()["talon"] == cards("9S QC JH")
    for seat in range(3):
        assert oracle.deal.declarer == seat
        act(oracle, ("write_off",))
    assert oracle.history[0]["entries"] == [-240, 120, 120]
    assert oracle.history[2]["events"] == [("golden_reset",)]
    assert (oracle.scores, oracle.phase, oracle.deal.golden) == ([0, 0, 0], "auction", False)


def test_cut_ritual() -> None:
    """T-CUT-04, line 2: at once, for every deck, not on the barrel."""
    rules = make_rules(changes={"cut_ritual": "penalty_only"})
    oracle = Oracle(rules, lambda k: PLAIN, dealer=2, cut=lambda k, n: card("9S"))
    assert (oracle.scores, oracle.cut_fines) == ([0, -120, 0], [1])
    exempt = Oracle(rules, lambda k: PLAIN, 2, {"scores": [0, 880, 0]}, cut=lambda k, n: card("9S"))
    assert (exempt.scores, exempt.cut_fines) == ([0, 880, 0], [])
    lucky = Oracle(rules, lambda k: PLAIN, 2, cut=lambda k, n: card("9S") if n < 2 else card("JS"))
    assert lucky.cut_fines == []


def test_information_bonus() -> None:
    """T-INFO-01, line 80."""
    for kind, value in (("talon_suits", [0, 1, 3]), ("talon", cards("9S QC JH"))):
        oracle = game({"info_bonus": kind, "info_bonus_seats": [1]}, PLAIN, dealer=2)
        assert (oracle.view(1)["bonus"], oracle.view(0)["bonus"]) == (value, None)
    oracle = game({"info_bonus": "opponents", "info_bonus_seats": [1]}, PLAIN, dealer=2)
    assert oracle.view(1)["bonus"] == {0: oracle.deal.hands[0], 2: oracle.deal.hands[2]}
    oracle = game({"info_bonus": "talon_card", "info_bonus_seats": [1]}, PLAIN, dealer=2)
    assert (oracle.phase, oracle.current_player, oracle.view(0)["phase"]) == ("info", 1, "auction")
    act(oracle, ("info_card", 2))
    assert oracle.view(1)["bonus"] == (2, card("JH"))


# --- declarations ------------------------------------------------------------------------------------


def leading(changes: dict[str, Any], first: str, deck: list[int] = PLAIN) -> Oracle:
    oracle = act(game(changes, deck, dealer=2), ("bid", 105), ("pass",), ("pass",), ("contract", 105))
    return act(oracle, ("give", card("9S")), ("give", card(first)))


def test_declaration_options() -> None:
    """T-MAR-03, T-MAR-06, lines 43, 44, 69."""
    assert ("declare", card("KS")) not in leading({}, "QC").legal()
    early = leading({"marriage": {"needs_trick": False}}, "QC")
    assert {("declare", card("KS")), ("play", card("KS"))} <= set(early.legal())
    forced = leading({"marriage": {"needs_trick": False, "optional": False}}, "QC")
    assert ("play", card("KS")) not in forced.legal()
    follower = leading({"marriage": {"needs_trick": False, "on_lead_only": False}}, "QC")
    act(follower, ("play", card("JH")), ("play", card("9H")), ("declare", card("QH")))
    assert (follower.deal.trump, follower.deal.tricks[0][0]) == (3, 2)


def test_ace_marriage() -> None:
    """T-ACE-01 to T-ACE-05, line 46."""
    deck = deck_of("AS AC AD AH KH QH 9D", "TC KC 9C JS 9H KD TS", "TD QD KS QS JD TH JC", "9S QC JH")
    aces: dict[str, Any] = {"ace_marriage": {"on": True, "needs_trick": False}}
    oracle = leading(aces, "QC", deck)
    assert ("declare", card("KH")) not in oracle.legal()  # that one still needs a trick
    act(oracle, ("declare", card("AC")))
    assert (oracle.deal.marriage_points, oracle.deal.trump) == ([200, 0, 0], None)
    aces["ace_marriage"]["sets_trump"] = True
    assert act(leading(aces, "QC", deck), ("declare", card("AC"))).deal.trump == 1
    aces["ace_marriage"]["needs_trick"] = True
    assert ("declare", card("AC")) not in leading(aces, "QC", deck).legal()


# --- scoring -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "unit", "written"),
    [
        (52, 5, 50),
        (53, 5, 55),
        (57, 5, 55),
        (58, 5, 60),
        (17, 5, 15),
        (18, 5, 20),
        (5, 10, 10),
        (4, 10, 0),
        (7, 1, 7),
    ],
)
def test_rounding(points: int, unit: int, written: int) -> None:
    """T-RND-01, T-RND-03."""
    assert round_points(points, unit) == written


def test_half_bids() -> None:
    """T-WO-02."""
    assert [half_bid(bid) for bid in (100, 105, 110, 115, 120)] == [50, 50, 55, 55, 60]


@pytest.mark.parametrize(
    ("options", "count", "entries", "fine"),
    [
        ({}, 0, [-105, 50, 50], 0),
        ({"cost": "none", "opponents": 60}, 0, [0, 60, 60], 0),
        ({"first_free": True}, 0, [0, 50, 50], 0),
        ({"first_free": True}, 1, [-105, 50, 50], 0),
        ({"every_third_fine": 120, "cost": "none"}, 2, [0, 50, 50], 120),
        ({"every_third_fine": 120}, 1, [-105, 50, 50], 0),
    ],
)
def test_write_offs(options: dict[str, Any], count: int, entries: list[int], fine: int) -> None:
    """T-WO-E, lines 36 and 37."""
    before = match_state(write_offs=[count, 0, 0])
    done = write({"write_off": options}, before, contract=0, bid=105, cards=(0, 0, 0), written_off=True)
    assert (done.entries, done.fines[0], done.state.bolts) == (entries, fine, [0, 0, 0])
    assert done.state.scores[0] == entries[0] - fine


@pytest.mark.parametrize(("option", "total", "attempts", "falls"), [("burns_attempt", 880, 1, 0), ("falls", 760, 0, 1)])
def test_write_off_on_the_barrel(option: str, total: int, attempts: int, falls: int) -> None:
    """T-WO-07, T-WO-08, line 38."""
    before = match_state(scores=[880, 0, 0], write_offs=[2, 0, 0])
    changes = {"write_off": {"on_barrel": option, "every_third_fine": 120}}
    done = write(changes, before, contract=0, bid=100, cards=(0, 0, 0), written_off=True)
    assert (done.state.scores, done.state.attempts[0], done.state.falls[0]) == (
        [total, 50, 50],
        attempts,
        falls,
    )
    assert done.fines == [0, 0, 0]


def test_golden_scoring() -> None:
    """T-GOLD-04, T-GOLD-05, lines 28 to 31."""
    before = match_state(golden_left=2, bolts=[0, 0, 1], write_offs=[2, 0, 0])
    deal: dict[str, Any] = {
        "contract": 120,
        "cards": (108, 12, 0),
        "marriage_points": [40, 60, 0],
        "tricks": [7, 1, 0],
    }
    done = write({"golden": {"mode": "on"}}, before, **deal)
    assert (done.entries, done.fines, done.state.bolts) == ([240, 80, 0], [0, 0, 240], [0, 0, 0])
    doubled = write({"golden": {"mode": "on", "double_marriages": True}}, before, **deal)
    assert doubled.entries == [240, 140, 0]
    changes = {"golden": {"mode": "on"}, "write_off": {"every_third_fine": 120}}
    off = write(changes, before, contract=0, bid=120, cards=(0, 0, 0), written_off=True)
    assert (off.entries, off.fines) == ([-240, 120, 120], [240, 0, 0])


@pytest.mark.parametrize(
    ("fail", "scores", "left"),
    [
        ("reset_and_normal", [0, 0, 0], 0),
        ("replay", [-140, 10, 30], 3),
        ("keep", [-140, 10, 30], 0),
        ("reset_and_replay", [0, 0, 0], 3),
    ],
)
def test_a_golden_round_nobody_made(fail: str, scores: list[int], left: int) -> None:
    """T-GOLD-07, line 30."""
    before = match_state(scores=[100, 0, 0], golden_left=1)
    deal: dict[str, Any] = {"contract": 120, "cards": (100, 5, 15)}
    done = write({"golden": {"mode": "on", "fail": fail}}, before, **deal)
    assert (done.state.scores, done.state.golden_left) == (scores, left)
    assert write({"golden": {"mode": "on", "fail": fail}}, match_state(golden_left=2), **deal).state.golden_left == 1
    before.golden_made = True
    assert write({"golden": {"mode": "on", "fail": fail}}, before, **deal).state.scores == [-140, 10, 30]


@pytest.mark.parametrize(("mode", "entries"), [("C", [240, 20, 0]), ("D", [240, 40, 0]), ("forehand", [240, 40, 0])])
def test_dark_scoring(mode: str, entries: list[int]) -> None:
    """T-DARK-05, lines 24 and 25."""
    done = write({"dark": mode}, contract=120, cards=(100, 20, 0), marriage_points=[40, 0, 0], dark=True)
    assert done.entries == entries
    lost = write({"dark": mode}, contract=120, cards=(100, 20, 0), dark=True, tricks=[7, 1, 0])
    assert (lost.entries[0], lost.state.bolts) == (-240, [0, 0, 1])


def test_sitting_dealer() -> None:
    """T-4P-02, T-4P-09, lines 29 and 39, T-BAR-14."""
    talon = cards("KH QH AS")
    deal: dict[str, Any] = {"preset": "four", "cards": (120, 0, 0, 0), "talon": talon}
    done = write(None, match_state(4, scores=[0, 0, 0, 800]), **deal)
    assert (done.entries[3], done.state.scores[3], done.state.bolts[3]) == (120, 880, 0)
    on = write(None, match_state(4, scores=[0, 0, 0, 880]), **deal)
    assert (on.entries[3], on.state.attempts[3]) == (0, 0)
    golden = write({"golden": {"mode": "on"}}, match_state(4, golden_left=3), **deal)
    assert golden.entries[3] == 140
    off = write(None, None, **{**deal, "cards": (0, 0, 0, 0), "written_off": True})
    assert off.entries == [-100, 50, 50, 120]


def test_sitting_dealer_in_the_dark() -> None:
    """Lines 24 and 25: doubled when everybody's entry is, not under "C"."""
    deal: dict[str, Any] = {"preset": "four", "cards": (120, 0, 0, 0), "talon": cards("KH QH AS"), "dark": True}
    assert write({"dark": "D"}, **deal).entries == [200, 0, 0, 240]
    assert write({"dark": "C"}, **deal).entries == [200, 0, 0, 120]
    deal |= {"written_off": True, "cards": (0, 0, 0, 0)}
    assert write({"dark": "C"}, **deal).entries == [-200, 100, 100, 120]


@pytest.mark.parametrize(
    ("options", "bolts", "tricks", "after", "fine"),
    [
        ({}, [0, 1, 2], [8, 0, 0], [0, 2, 0], 120),
        ({"mode": "consecutive3"}, [1, 1, 2], [4, 4, 0], [0, 0, 0], 120),
        ({"mode": "off"}, [0, 1, 2], [8, 0, 0], [0, 1, 2], 0),
        ({"declarer": False}, [1, 0, 0], [0, 4, 4], [1, 0, 0], 0),
        ({"declarer": False, "mode": "consecutive3"}, [1, 1, 0], [0, 4, 4], [1, 0, 0], 0),
        ({}, [2, 0, 0], [0, 4, 4], [0, 0, 0], 0),
    ],
)
def test_bolts(options: dict[str, Any], bolts: list[int], tricks: list[int], after: list[int], fine: int) -> None:
    """T-BOLT-02 to T-BOLT-04, T-BOLT-09, line 52."""
    done = write({"bolt": options}, match_state(bolts=bolts), tricks=tricks)
    assert (done.state.bolts, done.fines[2]) == (after, fine)


@pytest.mark.parametrize(
    ("options", "total", "falls"),
    [({}, 760, 1), ({"fall": "last_contract"}, 740, 1), ({"third_fall": "none"}, 760, 1)],
)
def test_the_third_failed_attempt(options: dict[str, Any], total: int, falls: int) -> None:
    """T-BAR-07, T-BAR-09, T-BAR-10, line 55."""
    before = match_state(scores=[0, 880, 0], attempts=[0, 2, 0], last_contracts=[120, 140, 120])
    done = write({"barrel": options}, before, cards=(20, 90, 10))
    assert (done.state.scores[1], done.state.falls[1], done.entries[1]) == (total, falls, 0)
    before.attempts[1] = 1
    assert write({"barrel": options}, before, cards=(20, 90, 10)).state.attempts[1] == 2


def test_third_fall_and_truck_after_a_fall() -> None:
    """T-BAR-11, lines 54 and 77."""
    before = match_state(scores=[0, 880, 0], attempts=[0, 2, 0], falls=[0, 2, 0])
    done = write(None, before)
    assert (done.state.scores[1], done.state.falls[1]) == (0, 0)
    before = match_state(scores=[880, 0, 0])
    changes = {"barrel": {"fail_cost": "contract"}, "truck": {"plus_555": True}}
    done = write(changes, before, contract=325)
    assert (done.state.scores[0], done.state.falls[0]) == (0, 1)
    assert write({"barrel": {"attempt_counts": "own_contracts"}}, before, declarer=1).state.attempts[0] == 0


def test_a_barrel_win_stops_everything() -> None:
    """Section 20 step 4, line 47, T-BAR-15."""
    before = match_state(scores=[880, 555, 800], bolts=[0, 2, 0])
    done = write({"truck": {"plus_555": True}}, before, contract=120, tricks=[8, 0, 0], marriage_points=[0, 0, 200])
    assert (done.winner, done.entries) == (0, [120, 0, 0])
    assert (done.state.scores, done.state.bolts) == ([1000, 555, 800], [0, 2, 0])
    open_barrel = {"barrel": {"own_contract_only": False}}
    won = write(open_barrel, match_state(scores=[0, 880, 0]), cards=(20, 100, 0), marriage_points=[0, 20, 0])
    assert (won.winner, won.state.scores[1]) == (1, 1000)
    assert write(open_barrel, match_state(scores=[0, 880, 0]), cards=(20, 100, 0)).entries[1] == 0


@pytest.mark.parametrize(
    ("collision", "scores"),
    [
        ("last_mounter", [880, 760, 0]),
        ("first_stays", [760, 880, 0]),
        ("coexist", [880, 880, 0]),
        ("all_fall", [760, 760, 0]),
    ],
)
def test_a_newcomer_on_the_barrel(collision: str, scores: list[int]) -> None:
    """T-BAR-12, line 57."""
    done = write({"barrel": {"collision": collision}}, match_state(scores=[800, 880, 0]))
    assert done.state.scores == scores
    assert done.state.falls == [int(score == 760) for score in scores]


@pytest.mark.parametrize(
    ("same_deal", "declarer", "scores"),
    [
        ("declarer_then_total_then_seat", 0, [880, 760, 760]),
        ("declarer_then_total_then_seat", 1, [760, 0, 880]),
        ("declarer_then_seat", 1, [880, 0, 760]),
        ("all_fined", 0, [760, 760, 760]),
    ],
)
def test_two_newcomers_in_one_deal(same_deal: str, declarer: int, scores: list[int]) -> None:
    """T-BAR-13, line 56."""
    start = [860, 860, 860] if declarer == 0 else [860, 100, 860]
    taken = (60, 30, 30) if declarer == 0 else (50, 10, 60)
    contract = 60 if declarer == 0 else 100
    done = write(
        {"barrel": {"same_deal": same_deal}},
        match_state(scores=start),
        declarer=declarer,
        contract=contract,
        cards=taken,
    )
    assert done.state.scores == scores


def test_without_a_barrel_the_target_decides() -> None:
    """T-END-03, line 62; the lock of line 79."""
    off = {"barrel": {"at": None}}
    before = match_state(scores=[950, 990, 0])
    assert write(off, before, cards=(100, 20, 0)).winner == 0
    assert write(off, before, declarer=2, cards=(60, 30, 30)).winner == 1
    locked = write(None, match_state(scores=[0, 800, 790]), preset="polish", contract=100, cards=(20, 50, 50))
    assert locked.entries == [-100, 0, 50]
    assert write(None, match_state(scores=[900, 0, 0]), preset="polish", contract=100).winner == 0


def test_jumps_and_trucks() -> None:
    """Lines 60 and 63: a defender's jump counts only when any points do; minus 555 is a truck too."""
    jump: dict[str, Any] = {"barrel": {"jump_over": "win"}}
    before = match_state(scores=[0, 875, -555])
    deal: dict[str, Any] = {"contract": 120, "cards": (20, 100, 0), "marriage_points": [0, 60, 0]}
    assert write(jump, before, **deal).state.scores[1] == 880
    jump["barrel"]["own_contract_only"] = False
    won = write(jump, before, **deal)
    assert (won.winner, won.state.scores) == (1, [-120, 1035, -555])
    assert write({"truck": {"minus_555": True}}, before).state.scores[2] == 0
    assert write({"truck": {"plus_555": True}}, before).state.scores[2] == -555


def test_points_bolts_in_a_row() -> None:
    """Lines 51 and 52: a declarer never gets one, and taking points ends the row."""
    duel = make_rules("duel_d")
    deal = outcome(contract=100, cards=(118, 2), tricks=[10, 1])
    done = settle(duel, match_state(2, bolts=[1, 1]), deal)
    assert done.state.bolts == [0, 2]
    deal = outcome(contract=100, cards=(0, 120), tricks=[0, 11])
    assert settle(duel, match_state(2, bolts=[1, 1]), deal).state.bolts == [1, 0]


def test_actual_points() -> None:
    """Line 48."""
    actual = {"score": {"declarer": "actual"}}
    assert write(actual, contract=100, cards=(108, 12, 0)).entries[0] == 110
    assert write(actual, contract=110, cards=(108, 12, 0)).entries[0] == -110


def test_payout() -> None:
    """T-BANK-01, T-BANK-02, line 64."""
    assert payout(DEFAULT, [1000, 300, 500], 0) == [1, -1, 0]
    assert payout(DEFAULT, [1000, 300, 300], 0) == [1, -0.5, -0.5]
    assert payout(make_rules("duel_d"), [5, 1000], 1) == [-1, 1]
    assert payout(make_rules("four"), [1, 1000, 2, 3], 1) == [-1, 1, 0, 0]


# --- options -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        {"players": 5},
        {"players": True},
        {"unknown": 1},
        {"barrel": {"unknown": 1}},
        {"redeal": {"optional": 1}},
        {"dark": "C", "players": 2},
        {"auction": {"opening": "dealer_100"}, "players": 4},
        {"lock": 800},
        {"info_bonus_seats": [3]},
        {"marriage_values": "no_such_table"},
        {"barrel": {"fall": 760, "fall_to": "last_contract"}},
        {"barrel": 3},
    ],
)
def test_refused_options(bad: dict[str, Any]) -> None:
    """Lines 12, 26 and 79, and anything the schema does not know."""
    with pytest.raises(ValueError, match=r"."):
        complete(bad)


@pytest.mark.parametrize(
    "how",
    [
        {"episode": "week"},
        {"dealer": 3},
        {"context": {"scores": [0, 0]}},
        {"context": {"scores": [885, 0, 0]}},
        {"context": {"points": [0, 0, 0]}},
        {"changes": {"cut_ritual": "penalty_only"}},
        {"deck": [0] * 24},
        {"preset": "no_such_preset"},
    ],
)
def test_refused_starts(how: dict[str, Any]) -> None:
    """A game that cannot start says so (T-BAR-01, T-DECK-01)."""
    with pytest.raises(ValueError, match=r"."):
        game(**how)


def test_presets_and_spellings() -> None:
    """Section 19 presets, lines 61, 68, 71, 78, 79."""
    for name in PRESETS:
        validate(make_rules(name))
    assert [need(make_rules(name)) for name in ("default", "igrafan", "duel_d")] == [120, 125, 125]
    assert make_rules("duel_d", {"barrel": {"fall_to": 760}})["barrel"]["fall"] == 760
    assert make_rules(changes={"marriage_values": "clubs_high"})["marriage_values"]["C"] == 100
    assert set(make_rules()) == set(SCHEMA)


# --- random play -------------------------------------------------------------------------------------


def random_action(oracle: Oracle, rng: random.Random) -> tuple:
    actions = oracle.legal()
    if oracle.phase == "auction" and ("pass",) in actions and rng.random() < 0.6:
        return ("pass",)
    if oracle.phase in ("auction", "contract", "give") and rng.random() < 0.7:
        return actions[min(len(actions) - 1, rng.randrange(1, 4))]
    declarations = [action for action in actions if action[0] == "declare"]
    return rng.choice(declarations if declarations and rng.random() < 0.7 else actions)


def check_state(oracle: Oracle) -> None:
    """Each card of the deck once, a decision with legal actions, and sane counters (section 18)."""
    deal = oracle.deal
    if not oracle.done:
        untaken = deal.stock if deal.declarer is None or deal.phase == "talon" else []
        places = [*deal.hands, untaken, deal.bank, [one for _, one in deal.trick], *deal.captured]
        assert sorted(one for place in places for one in place) == cards_of(oracle.rules)
        assert oracle.legal()
        assert len(set(oracle.legal())) == len(oracle.legal())
        assert oracle.current_player in deal.active
    assert deal.trump is None or any(marriage["kind"] in (deal.trump, "aces") for marriage in deal.marriages)
    match = oracle.match
    barrel = oracle.rules["barrel"]
    if barrel["at"] is not None and oracle.winner is None:
        assert max(match.scores) <= 880
        assert match.barrel == [score == 880 for score in match.scores]
    assert all(0 <= bolts < 3 for bolts in match.bolts)
    assert all(0 <= attempts < barrel["attempts"] for attempts in match.attempts)
    if barrel["third_fall"] == "zero":
        assert all(0 <= falls < 3 for falls in match.falls)


def check_record(oracle: Oracle, record: dict[str, Any]) -> None:
    """Points of a finished deal (T-DECK-04, T-SCO, section 18)."""
    rules = oracle.rules
    declarer = record["declarer"]
    assert declarer in record["active"]
    unit = rules["score"]["defender_round_to"]
    assert all(entry % 5 == 0 or unit == 1 for entry in record["entries"])
    if record["written_off"]:
        assert record["tricks"] == []
        assert record["entries"][declarer] <= 0
        return
    assert sum(record["card_points"]) == card_points(cards_of(rules))
    assert record["bid"] <= record["contract"]
    expected = {2: 11 if rules["two_player"]["layout"] == "10+2+2" else 10}.get(rules["players"], 8)
    expected -= (24 - len(cards_of(rules))) // len(record["active"])  # T-SHORT-02
    assert len(record["tricks"]) == sum(record["tricks_taken"]) == expected
    if rules["score"]["declarer"] == "contract":
        assert abs(record["entries"][declarer]) in (0, record["contract"], 2 * record["contract"])
    if record["winner"] is not None:
        assert record["after"]["scores"][record["winner"]] >= min(1000, rules["target"])


def relabel(value: Any, swap: dict[int, int]) -> Any:
    if isinstance(value, list):
        return [relabel(one, swap) for one in value]
    return swap.get(value, value)


def check_secrecy(oracle: Oracle, rng: random.Random) -> None:
    """Two cards a seat cannot have seen change places: its view stays the same (section 21)."""
    if oracle.done or oracle.rules["info_bonus"] != "none":
        return
    seat = rng.randrange(oracle.players)
    view = oracle.view(seat)
    seen = [*(view["hand"] or []), *(view["talon"] or []), *(view["own_talon"] or [])]
    seen += [one for _, one in view["trick"]] + [one for _, trick in view["tricks"] for _, one in trick]
    seen += [one for _, _, one in view["own_passes"]]
    seen += [one for _, _, one in view["passes"] if one is not None]
    unseen = [one for one in range(24) if one not in seen]
    if len(unseen) < 2:
        return
    first, second = rng.sample(unseen, 2)
    swap = {first: second, second: first}
    other = copy.deepcopy(oracle)
    for name in ("hands", "stock", "talons", "talon", "bank"):
        setattr(other.deal, name, relabel(getattr(other.deal, name), swap))
    other.deal.hands = [sorted(hand) for hand in other.deal.hands]
    other.deal.passes = [(giver, taker, swap.get(one, one)) for giver, taker, one in other.deal.passes]
    assert other.view(seat) == view


def random_match(oracle: Oracle, rng: random.Random, deals: int) -> Oracle:
    """Random legal play, checked after every step, until so many deals are finished or the match is won."""
    steps = 0
    while not oracle.done and len(oracle.history) < deals:
        check_state(oracle)
        if steps % 7 == 0:
            check_secrecy(oracle, rng)
        finished = len(oracle.history)
        oracle.step(random_action(oracle, rng))
        steps += 1
        for record in oracle.history[finished:]:
            check_record(oracle, record)
    check_state(oracle)
    return oracle


def start_for(rules: dict[str, Any], rng: random.Random, high: bool) -> dict[str, Any]:
    """A context of the middle of a match: low, or near and on the barrel."""
    players = rules["players"]
    values = [rng.randrange(120, 172) * 5 if high else rng.randrange(-60, 100) * 5 for _ in range(players)]
    if high and rng.random() < 0.7:
        values[rng.randrange(players)] = 880
    return {
        "scores": values,
        "bolts": [rng.randrange(3) for _ in range(players)],
        "attempts": [rng.randrange(rules["barrel"]["attempts"]) if value == 880 else 0 for value in values],
        "falls": [rng.randrange(3) for _ in range(players)],
        "deals_played": rng.choice((0, 1, 2, 9)),
    }


def cut_for(seed: object) -> Callable[[int, int], int]:
    return lambda k, n: random.Random(f"{seed}/{k}/{n}").choice((0, 6, 1, 5))


@pytest.mark.parametrize("preset", PRESETS)
def test_random_matches(preset: str) -> None:
    """Every preset, from a fresh start and from the middle of a match."""
    rules = make_rules(preset)
    for seed in range(2):
        rng = random.Random(f"{preset} {seed}")
        random_match(Oracle(rules, shuffled((preset, seed)), dealer=seed), rng, 6)
        for high in (False, True):
            context = start_for(rules, rng, high)
            random_match(Oracle(rules, shuffled((preset, high, seed)), context=context), rng, 4)


#: Short decks have tests of their own (tests/rules/test_thousand_short_decks.py).
WHOLE_DECKS = [(path, value) for path, value in option_values() if path not in (("suits",), ("ranks",))]

COMPANIONS: dict[str, dict[str, Any]] = {
    "golden": {"golden": {"mode": "on"}},
    "ace_marriage": {"ace_marriage": {"on": True}},
    "four_player": {"players": 4},
    "two_player": {"players": 2},
    "info_bonus": {"info_bonus_seats": [0, 1]},
    "lock": {"barrel": {"at": None}},
}


def with_option(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Complete rules with one option set, and what that option needs to matter."""
    changes = copy.deepcopy(COMPANIONS.get(path[0], {}))
    if path == ("lock",) and value is None:
        changes = {}
    inner = changes
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = value
    return complete(changes)


@pytest.mark.parametrize(("path", "value"), WHOLE_DECKS, ids=str)
def test_every_option_value(path: tuple[str, ...], value: Any) -> None:
    """Every value of every option of sections 19 and 22 plays on without breaking an invariant."""
    rules = with_option(path, value)
    for high in (False, True):
        seed = (path, value, high)
        rng = random.Random(str(seed))
        context = start_for(rules, rng, high)
        if path[0] == "golden":
            context["deals_played"] = 0
        random_match(Oracle(rules, shuffled(seed), context=context, cut=cut_for(seed)), rng, 3)


def test_random_mixtures_of_options() -> None:
    """Options drawn together: what validation lets through can be played."""
    rng = random.Random(22)
    values: dict[tuple[str, ...], list[Any]] = {}
    for path, value in WHOLE_DECKS:
        values.setdefault(path, []).append(value)
    played = 0
    for attempt in range(60):
        changes: dict[str, Any] = {}
        for path in rng.sample(sorted(values), 25):
            inner = changes
            for key in path[:-1]:
                inner = inner.setdefault(key, {})
            inner[path[-1]] = rng.choice(values[path])
        try:
            rules = complete(changes)
        except ValueError:
            continue
        played += 1
        context = start_for(rules, rng, attempt % 2 == 0)
        random_match(Oracle(rules, shuffled(attempt), context=context, cut=cut_for(attempt)), rng, 3)
    assert played > 20


def test_whole_matches_end() -> None:
    """T-END-02, T-BANK-01: a match started late is won from the barrel, and everybody is paid."""
    ended = 0
    for seed in range(4):
        rng = random.Random(seed)
        oracle = Oracle(DEFAULT, shuffled(seed), context={"scores": [880, 700, 650]})
        random_match(oracle, rng, 40)
        if oracle.done:
            ended += 1
            assert oracle.winner is not None
            assert oracle.payout is not None
            assert sum(oracle.payout) == 0
            assert oracle.scores[oracle.winner] >= 1000
            assert oracle.barrel[oracle.winner] is not None
            assert (oracle.legal(), oracle.current_player) == ([], -1)
            with pytest.raises(ValueError, match="over"):
                oracle.step(("pass",))
    assert ended > 0
