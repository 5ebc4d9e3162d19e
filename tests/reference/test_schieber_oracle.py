"""Tests of the reference implementation: the situations of section 10 and the invariants of section 9."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import schieber as S

EICHEL, ROSEN, SCHILTEN, SCHELLEN, OBENABE, UNDENUFE = range(6)
PUSH = 42


def cards(text: str) -> list[int]:
    """Cards from words such as "E6 TU": E Eichel, R Rosen, T Schilten, L Schellen; 6 7 8 9 B U O K A."""
    return ["ERTL".index(word[0]) * 9 + "6789BUOKA".index(word[1]) for word in text.split()]


def deal(*given: str) -> list[list[int]]:
    """Four full hands: the given cards first, the rest of the pack dealt round to whoever has room."""
    hands = [cards(text) for text in given]
    rest = [card for card in range(36) if not any(card in hand for hand in hands)]
    while rest:
        for hand in hands:
            if len(hand) < 9:
                hand.append(rest.pop(0))
    return hands


def start(hands: list[list[int]], contract: int, rules: Any = None, **more: Any) -> S.Oracle:
    """A game with seat 0 as forehand (if not given otherwise) and this contract chosen."""
    more.setdefault("first_forehand", 0)
    game = S.Oracle(rules or {}, lambda k: hands, **more)
    game.step(36 + contract)
    return game


def play(game: S.Oracle, text: str) -> None:
    for card in cards(text):
        game.step(card)


def run(game: S.Oracle, leads: str, keep: str = "", tricks: int = 9) -> None:
    """Seat 0 leads these cards; all others play the lowest legal card, those of ``keep`` only if forced."""
    queue, kept = cards(leads), cards(keep)
    while not game.done and len(game.hand["tricks"]) < tricks:
        legal = game.legal()
        if game.current_player == 0 and not game.hand["table"]:
            game.step(queue.pop(0))
        else:
            game.step(([card for card in legal if card not in kept] or legal)[0])


def counted_weis(hands: list[list[int]], contract: int, forehand: int = 0) -> list[int]:
    """The Weis counted after the first trick of a hand."""
    game = start(hands, contract, first_forehand=forehand)
    while not game.hand["tricks"]:
        game.step(game.legal()[0])
    return game.hand["weis"]


# --- section 10


def test_situation_01() -> None:
    """J-PLAY-05: no undertrumping, void in the led suit, another suit in hand."""
    hands = deal(
        "RA RK RO RU RB E6 E7 E8 E9", "LU LO R9 R8 TA TK TO TU T9", "LB L7 L8 LK R7 EB EU EO EK",
        "LA L9 L6 TB R6 T8 T7 T6 EA",
    )  # fmt: skip
    game = start(hands, SCHELLEN)
    run(game, "RA RK RO RU RB", keep="LU LO LB L7 L8 LK LA L9 L6 TB", tricks=5)
    play(game, "E6 LU LB")
    assert game.legal() == cards("TB")
    assert len(game.hands[3]) == 4
    with pytest.raises(ValueError, match="illegal"):
        play(game, "LA")
    assert game.hands[3] == sorted(cards("LA L9 L6 TB"))
    assert game.current_player == 3


def test_situation_02() -> None:
    """J-PLAY-05, line 18: with the led suit, a trump below the highest one is not legal."""
    game = start(deal("TK", "E6", "EK", "TU T8 T6 EO R6 R7 L6 L7 L8"), EICHEL)
    play(game, "TK E6 EK")
    assert game.legal() == cards("T6 T8 TU")


def test_situation_03() -> None:
    """J-PLAY-05: nothing but trumps in hand, every card is legal."""
    hands = deal(
        "TA TK TO TU TB T9 L7 EA EU", "RB RA T8 R6 R7 R8 LA LK E6", "T7 R9 RU RO L6 L8 E7 EK EO",
        "T6 RK LO LU LB L9 EB E8 E9",
    )  # fmt: skip
    game = start(hands, EICHEL)
    run(game, "EU TA TK TO TU TB T9", keep="RB RA EK EO E8 E9", tricks=7)
    play(game, "L7 RB EK")
    assert game.legal() == game.hands[3] == cards("E8 E9")


def test_situation_04() -> None:
    """J-PLAY-03: the lone trump Under may be withheld, with a second trump it may not."""
    alone = start(deal("EA", "EU R6 R7 R8 T6 T7 T8 L6 L7", "", ""), EICHEL)
    play(alone, "EA")
    assert alone.legal() == sorted(alone.hands[1]) == cards("EU R6 R7 R8 T6 T7 T8 L6 L7")
    two = start(deal("EA", "EU E6 R7 R8 T6 T7 T8 L6 L7", "", ""), EICHEL)
    play(two, "EA")
    assert two.legal() == cards("E6 EU")


def test_situation_05() -> None:
    """J-PLAY-04: trump voluntarily; J-PLAY-05: not below a ruff."""
    hands = deal("RA", "EO R7", "R6 R8 E7 T6 T7 L6 L7 L8 L9", "")
    game = start(hands, EICHEL)
    play(game, "RA R7")
    assert game.legal() == cards("E7 R6 R8")
    game = start(hands, EICHEL)
    play(game, "RA EO")
    assert game.legal() == cards("R6 R8")


@pytest.mark.parametrize("preset", ["source", "swiss"])
def test_situation_06(preset: str) -> None:
    """J-PTS-04/05, J-CON-03: all nine tricks in Undenufe are worth (157 + 100) * 4 = 1028."""
    hands = deal("E6 E7 E8 E9 EB EU EO EK EA", "", "", "")
    game = start(hands, UNDENUFE, {**S.PRESETS[preset], "weis": False})
    run(game, "E6 E7 E8 E9 EB EU EO EK EA")
    assert game.scores == [1028, 0]
    assert game.hand["base_points"] == [157, 0]
    assert game.hand["match_bonus"] == [100, 0]


def test_situation_07() -> None:
    """J-PTS-05: a trick without points, won by the losers, avoids the match."""
    hands = deal("R8 EA EK EO EU EB E9 E8 E7", "R9", "R7 E6", "R6")
    game = start(hands, EICHEL, {"weis": False, "stock": False})
    play(game, "R8 R9 R7 R6")
    run(game, "EU E9 EA EK EO EB E8", keep="EU E9 EA EK EO EB E8 E6")  # trick 2 is ruffed with E7
    assert [trick["winner"] for trick in game.hand["tricks"]] == [1] + [0] * 8
    assert game.hand["base_points"] == [157, 0]
    assert game.hand["match_bonus"] == [0, 0]


def test_situation_08() -> None:
    """J-END-02, J-STK-02: the early claim comes before the Weis; without it the Weis wins."""
    hands = deal(
        "R6 R7 R8 EA E6 T9 TU LK L9", "EK EO RA RB T6 T8 TO L6 L8", "RU R9 EB E8 TA TB LA L7 LU",
        "RK RO E7 E9 EU T7 TK LB LO",
    )  # fmt: skip
    start_at: dict[str, Any] = {"scores": (990, 980), "hand_number": 3}
    any_time = start(hands, EICHEL, {"target": 1000}, **start_at)
    assert (any_time.winner, any_time.scores, any_time.current_player) == (1, [990, 1000], -1)
    assert any_time.events == [(3, "early_stock", 1, 20, (990, 1000))]
    assert any_time.hand["early_claim"]
    first_card = start(hands, EICHEL, {"target": 1000, "early_stock": "first_card"}, **start_at)
    play(first_card, "EA EO")
    assert first_card.winner == 1
    assert first_card.public()["played"] == [(0, 8), (1, 6)]
    assert first_card.public()["weis_values"] == [20, 0, None, None]
    off = start(hands, EICHEL, {"target": 1000, "early_stock": "off"}, **start_at)
    play(off, "R6 RA RU RK")
    assert (off.winner, off.scores, off.events[-1][1]) == (0, [1010, 980], "weis")
    assert off.public()["weis_shown"] == [set(cards("R6 R7 R8")), set(), set(), set()]
    trick_first = {"target": 1000, "early_stock": "off", "claim_order": "stock_trick_weis"}
    swapped = start(hands, EICHEL, trick_first, **start_at)
    play(swapped, "R6 RA RU RK")
    assert [event[1:4] for event in swapped.events] == [("trick", 1, 17), ("weis", 0, 20)]


def test_situation_09() -> None:
    """J-STK-01, line 2: the Stöck counts when its card is played, in the trick of the other team."""
    hands = deal("EA EU", "EO EK", "E6", "E7")
    rules = {"target": 1000, "early_stock": "off", "weis": False}
    game = start(hands, EICHEL, rules, scores=(976, 985), hand_number=1)
    play(game, "EA EO E6 E7")
    assert game.scores == [990, 985]
    play(game, "EU EK")
    assert (game.winner, game.scores, game.done) == (1, [990, 1005], True)
    assert [card for _, card in game.hand["table"]] == cards("EU EK")  # two cards on the table
    early = start(hands, EICHEL, {**rules, "early_stock": "any_time"}, scores=(976, 985), hand_number=1)
    assert early.winner == 1
    assert early.hand["early_claim"]


def test_situation_10() -> None:
    """J-WEIS-01, 04, 05: nine cards are one set; only the team with the best set scores, and all of it."""
    hands = deal("E6 E7 E8 E9 EB EU EO EK EA", "R6 R7 R8 R9 RB RU", "", "")
    game = start(hands, OBENABE, first_forehand=1)
    assert game.hand["weis_sets"][0] == [(100, tuple(range(9)))]
    assert game.hand["weis_declared"] == [100, 100, 0, 0]
    assert counted_weis(hands, OBENABE, forehand=1) == [100, 0]
    hands = deal(
        "E6 E7 E8 E9 EB R6 R7 R8 TU", "T6 T7 T8 T9 LA LK EO RB EU", "L6 L7 L8 RU TA TK EA LB R9",
        "RO RK RA EK TB TO L9 LU LO",
    )  # fmt: skip
    assert start(hands, ROSEN).hand["weis_declared"] == [120, 50, 20, 20]
    assert counted_weis(hands, ROSEN) == [140, 0]


def test_situation_11() -> None:
    """J-WEIS-03: a shortened run next to the four Under; nothing is shortened with kreuzweis."""
    hands = deal("EA EK EO EU RU TU LU R6 T7", "", "", "")
    game = start(hands, SCHELLEN)
    assert game.hand["weis_sets"][0] == [(200, tuple(cards("EU RU TU LU"))), (20, tuple(cards("EO EK EA")))]
    crossed = start(hands, SCHELLEN, {"kreuzweis": True})
    assert crossed.hand["weis_declared"][0] == 250


def test_situation_12() -> None:
    """J-WEIS-05: the run in trump wins, else the earliest in the order of play."""
    hands = deal(
        "E6 E8 EU RB RO TU TK T6 LB", "R7 R8 R9 E7 EB TB TO LU LK", "L7 L8 L9 E9 EO RU RK TA LO",
        "T7 T8 T9 EK EA R6 RA LA L6",
    )  # fmt: skip
    assert start(hands, EICHEL).hand["weis_declared"] == [0, 20, 20, 20]
    assert counted_weis(hands, SCHELLEN) == [20, 0]  # seat 2 in trump
    assert counted_weis(hands, SCHILTEN, forehand=2) == [0, 40]  # seat 3 in trump
    for contract in (EICHEL, OBENABE, UNDENUFE):
        assert counted_weis(hands, contract, forehand=0) == [0, 40]  # seat 1 comes first
        assert counted_weis(hands, contract, forehand=2) == [20, 0]  # seat 2 comes first


def test_situation_13() -> None:
    """J-WEIS-06: ranks are reversed in Undenufe, whoever comes first."""
    hands = deal(
        "E7 E8 E9 EU R6 RO T6 TU LK", "R9 RB RU EA T8 TK L6 L9 LA", "E6 EO RK R8 T9 TO L7 LB LU",
        "EB EK RA R7 T7 TB TA L8 LO",
    )  # fmt: skip
    for forehand in range(4):
        assert counted_weis(hands, UNDENUFE, forehand) == [20, 0]
        assert counted_weis(hands, OBENABE, forehand) == [0, 20]


@pytest.mark.parametrize("contract", [OBENABE, UNDENUFE])
def test_situation_14(contract: int) -> None:
    """J-PLAY-02, J-STK-01: no trump, no Stöck."""
    for seed in range(20):
        rng = random.Random(seed)
        game = start(shuffled(rng, {}), contract, first_forehand=seed % 4)
        while not game.done:
            legal = game.legal()
            if game.hand["table"]:
                led = game.hand["table"][0][1] // 9
                held = game.hands[game.current_player]
                assert legal == ([card for card in held if card // 9 == led] or held)
            game.step(rng.choice(legal))
        for trick in game.hand["tricks"]:
            led = trick["cards"][0][1] // 9
            ranks = {seat: card % 9 for seat, card in trick["cards"] if card // 9 == led}
            assert ranks[trick["winner"]] == (min if contract == UNDENUFE else max)(ranks.values())
        assert not any("stock" in event[1] for event in game.events)


def test_situation_15() -> None:
    """J-STK-01: the second card as the very last card of the hand, all tricks going to the other team."""
    hands = deal(
        "EU E9 RA RK RO RU RB R9 EA", "E7 R8 T6 T7 T8 T9 TB TU TO", "E8 EB R7 L6 L7 L8 L9 LB LU",
        "EK EO E6 R6 TK TA LO LK LA",
    )  # fmt: skip
    game = start(hands, EICHEL, {"weis": False})
    run(game, "EU E9 RA RK RO RU RB R9 EA", keep="EO EK")
    assert game.hand["tricks"][-1]["cards"][-1] == (3, cards("EK")[0])
    assert [event[1:3] for event in game.events[-3:]] == [("stock", 1), ("trick", 0), ("match_bonus", 0)]
    assert game.scores == [257, 20]
    assert game.public()["stock_scored"] == 3


def test_situation_16() -> None:
    """J-WEIS-02: four nines."""
    hands = deal("E9 R9 T9 L9 EA RK TU L6 E7", "", "", "")
    assert start(hands, EICHEL).hand["weis_declared"][0] == 0
    assert start(hands, EICHEL, {"four_nines": 150}).hand["weis_declared"][0] == 150


# --- further rules


def test_card_values() -> None:
    """J-PTS-01 to 04: single values and the total of 152 without the last trick."""
    for contract in range(6):
        for eleven in ("ace", "six"):
            assert sum(S.card_points(card, contract, eleven) for card in range(36)) == 152
    assert [S.card_points(c, UNDENUFE, "six") for c in range(9)] == [11, 0, 8, 0, 10, 2, 3, 4, 0]
    assert [S.card_points(c, UNDENUFE, "ace") for c in range(9)] == [0, 0, 8, 0, 10, 2, 3, 4, 11]
    assert [S.card_points(c, OBENABE, "six") for c in range(9)] == [0, 0, 8, 0, 10, 2, 3, 4, 11]
    assert [S.card_points(c, EICHEL, "six") for c in range(18)] == [
        0, 0, 0, 14, 10, 20, 3, 4, 11, 0, 0, 0, 0, 10, 2, 3, 4, 11,
    ]  # fmt: skip


def test_pushing_and_forehand() -> None:
    """J-DEAL-02, J-CON-01, 02, 04 and line 13; an illegal action changes nothing."""
    hands = deal("", "", "R7 EA", "L7 LB")
    game = S.Oracle({}, lambda k: hands)
    assert game.current_player == 2
    assert game.legal() == list(range(36, 43))
    game.step(PUSH)
    assert game.current_player == 0
    assert game.legal() == list(range(36, 42))
    with pytest.raises(ValueError, match="illegal"):
        game.step(PUSH)
    game.step(36)
    assert game.current_player == 2
    assert game.hand["declarer"] == 0
    assert game.public()["pushes"] == [2]
    back = S.Oracle({"push_back": True, "first_forehand": "schellen_7"}, lambda k: hands)
    for seat in (3, 1):
        assert back.current_player == seat
        back.step(PUSH)
    assert back.current_player == 3
    assert PUSH not in back.legal()
    with pytest.raises(ValueError, match="forehand"):
        S.Oracle({"first_forehand": "random"}, lambda k: hands)


@pytest.mark.parametrize(
    ("reveal", "seats"), [("winner_cards", {0, 2}), ("all", {0, 1, 2, 3}), ("values_only", set())]
)
def test_public_weis(reveal: str, seats: set[int]) -> None:
    """J-WEIS-08, line 11: a value with the first card of its player, the cards after the first trick."""
    hands = deal(
        "EA EK EO EU R6 R8 T6 T8 L6", "RA RK RO E6 E8 T7 T9 L7 L9", "TA TK TO E7 E9 R7 R9 LU LB",
        "EB RU RB TU TB L8 LO LK LA",
    )  # fmt: skip
    game = start(hands, OBENABE, {"weis_reveal": reveal})
    for seat, card in enumerate(cards("R6 RA R7 RB")):
        values = [50, 20, 20, 20]
        assert game.public()["weis_values"] == [values[i] if i < seat else None for i in range(4)]
        assert not any(game.public()["weis_shown"])
        game.step(card)
    assert {seat for seat in range(4) if game.public()["weis_shown"][seat]} == seats
    assert game.hand["weis"] == [70, 0]


def test_best_set_settles_equal_totals() -> None:
    """Line 7: among choices of equal total and equal best set nothing is left to choose (random hands)."""
    rng = random.Random(7)
    for _ in range(300):
        rank, other = rng.choice([4, 5, 6, 7, 8]), rng.randrange(4)
        hand = [suit * 9 + rank for suit in range(4)]
        near = [card for card in range(36) if card not in hand and (card // 9 == other or rng.random() < 0.2)]
        hand += rng.sample(near, 5)
        contract = rng.randrange(6)
        choices = S.disjoint_choices(hand, 0)
        largest = max(sum(one.points for one in choice) for choice in choices)
        best = S.declared_sets(hand, contract, S.DEFAULTS)[0]
        same = [c for c in choices if sum(one.points for one in c) == largest and best in c]
        assert len(same) == 1


def test_overlap_tie() -> None:
    """J-WEIS-03/05: four Ober against a run of five through an Ober, both 100."""
    hand = cards("EA EK EO EU EB RO TO LO R6")
    rules = dict(S.DEFAULTS)
    assert [one.cards for one in S.declared_sets(hand, OBENABE, rules)] == [tuple(cards("EO RO TO LO"))]
    rules["weis_type_order"] = "run_first"
    assert [one.cards for one in S.declared_sets(hand, OBENABE, rules)] == [tuple(cards("EB EU EO EK EA"))]


# --- section 9


def shuffled(rng: random.Random, rules: dict[str, Any]) -> list[list[int]]:
    pack = S.deck_of({**S.DEFAULTS, **rules})
    rng.shuffle(pack)
    size = len(pack) // 4
    return [sorted(pack[size * seat : size * seat + size]) for seat in range(4)]


def random_game(seed: int, rules: dict[str, Any], **more: Any) -> tuple[S.Oracle, list[int]]:
    rng = random.Random(seed)
    if {**S.DEFAULTS, **rules}["first_forehand"] == "random":
        more.setdefault("first_forehand", seed % 4)
    game = S.Oracle(rules, lambda k: shuffled(random.Random(1000 * seed + k), rules), **more)
    actions: list[int] = []
    while not game.done:
        legal = game.legal()
        assert legal
        assert legal == sorted(set(legal))
        actions.append(rng.choice(legal))
        game.step(actions[-1])
    return game, actions


def check_invariants(game: S.Oracle, before: Sequence[int]) -> None:
    """Section 9, from the facts of the hands and the list of events."""
    scores, target = list(before), game.rules["target"]
    for index, (_, _, team, points, after) in enumerate(game.events):
        scores[team] += points
        assert tuple(scores) == after
        if game.target_in_force:  # a match ends exactly at the event that reaches the target
            reached = max(scores) >= target
            assert not reached or (index == len(game.events) - 1 and game.winner == team)
    assert scores == game.scores
    assert game.current_player == -1
    totals = list(before)
    for hand in game.history:
        seen = [play[1] for trick in [*hand["tricks"], {"cards": hand["table"]}] for play in trick["cards"]]
        assert len(seen) == len(set(seen))
        deck = S.deck_of(game.rules)
        eleven = game.rules["undenufe_eleven"]
        points = 5 + sum(S.card_points(card, hand["contract"], eleven) for card in deck)  # J-PTS-01..04, J-RED-03
        assert points == 157 or len(deck) < 36
        if len(hand["tricks"]) == len(deck) // 4:
            assert sum(trick["points"] for trick in hand["tricks"]) == points
            assert len(seen) == len(deck)
        cut_short = hand is game.history[-1] and game.winner is not None and game.target_in_force
        assert sum(hand["base_points"]) == points or (cut_short and sum(hand["base_points"]) < points)
        assert 0 in hand["weis"]
        assert sum(hand["stock"]) in (0, 20)
        for seat in range(4):
            used = [card for one in hand["weis_sets"][seat] for card in one.cards]
            assert set(used) <= set(hand["dealt"][seat])
            assert len(used) == len(set(used)) or game.rules["kreuzweis"]
        for team in (0, 1):
            base = sum(hand[part][team] for part in ("base_points", "match_bonus", "weis", "stock"))
            totals[team] += base * (hand["multiplier"] or 0)
    assert totals == game.scores
    forehands = [hand["forehand"] for hand in game.history]
    assert forehands == [(forehands[0] + index) % 4 for index in range(len(forehands))]  # J-DEAL-02


@pytest.mark.parametrize("preset", sorted(S.PRESETS))
def test_random_hands(preset: str) -> None:
    """Section 9 on single hands, some of them close to the target."""
    target = S.PRESETS[preset]["target"]
    for seed in range(60):
        before = (0, 0) if seed % 2 else (target - 1 - seed, target - 60 + seed)
        game, _ = random_game(seed, S.PRESETS[preset], scores=before)
        check_invariants(game, before)
        assert len(game.history) == 1


OPTIONS: list[dict[str, Any]] = [
    {"early_stock": "first_card", "claim_order": "stock_trick_weis", "schneider_factor": 2},
    {"early_stock": "off", "push_back": True, "kreuzweis": True, "weis_type_order": "run_first"},
    {"hands": 3},
    *S.PRESETS.values(),
]


@pytest.mark.parametrize("options", OPTIONS)
def test_random_matches(options: dict[str, Any]) -> None:
    """Section 9 on whole matches; J-END-03, J-END-05, lines 6 and 15."""
    for seed in range(4):
        game, _ = random_game(seed, options, episode="match")
        check_invariants(game, (0, 0))
        if game.rules["hands"] is None:
            assert game.winner is not None
            assert game.scores[game.winner] >= game.rules["target"]
            assert game.schneider == (2 * game.scores[1 - game.winner] < game.rules["target"])
            factor = game.rules["schneider_factor"] if game.schneider else 1
            assert game.match_reward[game.winner] == factor == -game.match_reward[1 - game.winner]
        else:
            assert len(game.history) == game.rules["hands"]
            assert not game.schneider
            best = [team for team in (0, 1) if game.scores[team] == max(game.scores)]
            assert game.winner == (best[0] if len(best) == 1 else None)


def replay(hands: list[list[int]], actions: list[int], forehand: int, scores: Sequence[int]) -> S.Oracle:
    game = S.Oracle({}, lambda k: hands, first_forehand=forehand, scores=scores)
    for action in actions:
        game.step(action)
    return game


def relabelled(action: int, suits: Sequence[int]) -> int:
    if action < 36:
        return suits[action // 9] * 9 + action % 9
    return 36 + suits[action - 36] if action < 40 else action


SUIT_MAPS: list[tuple[int, ...]] = [(1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)]


def test_symmetries() -> None:
    """Section 9: relabelled suits (same multipliers) and rotated seats leave the outcome unchanged."""
    for seed in range(60):
        before = (0, 0) if seed % 2 else (2900, 2940)
        game, actions = random_game(seed, {}, scores=before, first_forehand=seed % 4)
        hands = game.hand["dealt"]
        suits = SUIT_MAPS[seed % 3]
        mapped = [[relabelled(card, suits) for card in hand] for hand in hands]
        other = replay(mapped, [relabelled(action, suits) for action in actions], seed % 4, before)
        assert other.done
        assert (other.scores, other.events) == (game.scores, game.events)
        assert other.hand["weis_declared"] == game.hand["weis_declared"]
        turned = replay([hands[(seat - 1) % 4] for seat in range(4)], actions, (seed + 1) % 4, before[::-1])
        assert turned.done
        assert turned.scores == game.scores[::-1]
        assert [event[1] for event in turned.events] == [event[1] for event in game.events]
        declared = game.hand["weis_declared"]
        assert turned.hand["weis_declared"] == [declared[3], *declared[:3]]
