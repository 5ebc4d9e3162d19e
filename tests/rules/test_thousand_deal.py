"""Thousand: cards, dealing, the cut and redeals, with the exact frequencies of the rule book."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from thousand_table import Table, cards, playing

from bidtrick.envs import make_batch
from bidtrick.envs.thousand.dealing import hand_redeal, talon_redeal
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.tables import ALL_CARDS, DECK, NINES, PHASES, card_points, hand_caps, pair_index, strength

RULES_MD = Path(__file__).parents[2] / "envs" / "thousand" / "RULES.md"
NO_CLAIM = {f"redeal_hand_{name}": None for name in ("points_lt", "nines_ge", "jacks_eq")}


def words_of(size: int) -> np.ndarray:
    """Every set of so many cards. uint64 [n, 1]."""
    chosen = np.array(list(combinations(range(24), size)), np.uint64)
    return (np.uint64(1) << chosen).sum(axis=1, dtype=np.uint64)[:, None]


@pytest.fixture(scope="module")
def hands() -> np.ndarray:
    return words_of(7)


@pytest.fixture(scope="module")
def talons() -> np.ndarray:
    return words_of(3)[:, 0]


def test_every_id_is_tested() -> None:
    """Every rule of the rule book is cited by a test of this folder."""
    ids = set(re.findall(r"\*\*(T-[A-Z0-9]+-[A-Z0-9]+)\*\*", RULES_MD.read_text(encoding="utf-8")))
    cited = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_thousand*.py"))
    assert len(ids) > 190
    assert sorted(name for name in ids if name not in cited) == []


def test_deck() -> None:
    """T-DECK-01, T-DECK-03, T-DECK-04: 24 cards, a suit is worth 30 and the deck 120."""
    assert DECK.size == 24
    assert card_points(np.array([ALL_CARDS]))[0] == 120
    assert [int(card_points(np.array([np.uint64(0x3F << (6 * s))]))[0]) for s in range(4)] == [30] * 4
    assert [int(card_points(np.array([np.uint64(1 << r)]))[0]) for r in range(6)] == [0, 2, 3, 4, 10, 11]


def test_ranks() -> None:
    """T-DECK-02, T-DECK-05: the ten beats the king; tricks compare ranks, also where points are equal."""
    assert [strength(4, 0, c) for c in range(6)] == [1, 2, 3, 4, 5, 6]
    assert DECK.parse("♠10") > DECK.parse("♠K")
    nines_and_jacks = [strength(4, 0, DECK.parse(c)) for c in ("♠9", "♠J", "♥A")]
    assert nines_and_jacks == [1, 2, 0]


@pytest.mark.parametrize("text", ["♥K", "K♥", "hK", "Kh", "hearts king", "HEARTS  KING"])
def test_names_of_cards(text: str) -> None:
    """T-DECK-01: a card may be written in several ways."""
    assert DECK.format(DECK.parse(text)) == "Hearts King"


def test_dealing() -> None:
    """T-DEAL-02, T-TAL-01: seven cards each and a talon of three; every card once."""
    s = make_batch("thousand", num_games=50, seed=3).state
    assert (np.bitwise_count(s.hands) == 7).all()
    assert (np.bitwise_count(s.talons[:, 0]) == 3).all()
    assert (np.bitwise_or.reduce(np.concatenate([s.hands, s.talons], axis=1), axis=1) == ALL_CARDS).all()


def test_deals_are_uniform() -> None:
    """T-DEAL-03, T-DEAL-04, T-DEAL-05, T-DEAL-06, T-4P-07: a plain shuffle, which nothing filters."""
    s = make_batch("thousand", num_games=12_000, seed=9, rules=NO_CLAIM).state
    for words in (s.talons[:, 0], s.hands[np.arange(len(s)), s.dealer]):
        counts = ((words[:, None] >> np.arange(24, dtype=np.uint64)) & np.uint64(1)).sum(axis=0).astype(float)
        mean = counts.mean()
        assert ((counts - mean) ** 2 / mean).sum() < 60  # 23 degrees of freedom


def test_dealer_moves_on() -> None:
    """T-DEAL-01 and situation 6: the dealer moves one seat after every deal, also after a write-off (T-WO-05)."""
    table = Table(episode="match", rules=NO_CLAIM, dealer=2)
    dealers, first = [], []
    for _ in range(4):
        dealers.append(int(table.game.state.dealer[0]))
        first.append(table.seat)
        table.do("100", "Pass", "Pass").keep().do("Write off")
    assert dealers == [2, 0, 1, 2]
    assert first == [0, 1, 2, 0]
    drawn = make_batch("thousand", num_games=300, seed=1).state.dealer
    assert (np.bincount(drawn) > 70).all()


def test_cut_ritual() -> None:
    """T-CUT-01, T-CUT-02, T-CUT-04, T-CUT-05: in one deal of 216 the seat right of the dealer pays 120 at once."""
    batch = make_batch("thousand", num_games=20_000, seed=4, rules={"cut_ritual": "penalty_only", **NO_CLAIM})
    fined = (batch.state.scores == -120).any(axis=1)
    assert 60 < fined.sum() < 130
    seat = np.argmax(batch.state.scores == -120, axis=1)[fined]
    assert (seat == (batch.state.dealer[fined] - 1) % 3).all()
    plain = make_batch("thousand", num_games=20_000, seed=4, rules=NO_CLAIM)
    assert (plain.state.hands == batch.state.hands).all()  # T-CUT-03: no card is ever moved
    assert not plain.state.scores.any()


def test_cut_spares_the_barrel() -> None:
    """T-CUT-04: a cutter on the barrel pays nothing."""
    batch = make_batch("thousand", num_games=20_000, seed=4, rules={"cut_ritual": "penalty_only", **NO_CLAIM})
    batch.reset(seed=4, options={"scores": [880, 0, 0], "dealer": 1})
    assert (batch.state.scores == [880, 0, 0]).all()


# --- redeals of hands


def count(hands: np.ndarray, **options: object) -> int:
    rules = ThousandRules.make({**NO_CLAIM, **options})
    return int(hand_redeal(hands, rules).sum())


def test_frequencies_of_hand_redeals(hands: np.ndarray) -> None:
    """T-RED-01 to T-RED-04: the exact numbers among all 346,104 hands of seven cards."""
    assert len(hands) == 346_104
    assert count(hands, redeal_hand_nines_ge=3) == 19_380 + 1_140
    assert count(hands, redeal_hand_nines_ge=4) == count(hands, redeal_hand_nines_eq_4=True) == 1_140
    assert count(hands, redeal_hand_jacks_eq=4) == 1_140
    assert [count(hands, redeal_hand_points_lt=n) for n in (13, 14, 15)] == [1_668, 2_644, 3_932]
    assert int(hand_redeal(hands, ThousandRules.make("default")).sum()) == 21_800


def test_frequencies_of_talon_redeals(talons: np.ndarray) -> None:
    """T-RED-05 to T-RED-07: the exact numbers among all 2,024 talons."""
    no = {f"redeal_talon_{name}": None for name in ("points_lt", "nines_ge", "jacks_eq")}
    at_100 = np.zeros(len(talons), bool)

    def union(**options: object) -> int:
        return int(talon_redeal(talons, talons, at_100, ThousandRules.make({**no, **options})).sum())

    assert len(talons) == 2_024
    assert [union(redeal_talon_points_lt=n) for n in (4, 5)] == [52, 100]
    assert union(redeal_talon_nines_ge=2) == 124
    assert union(redeal_talon_jacks_eq=3) == 4
    assert union(redeal_talon_points_lt=5, redeal_talon_nines_ge=2) == 148
    assert int(talon_redeal(talons, talons, at_100, ThousandRules.make("default")).sum()) == 152
    assert int((pair_index(talons) > 0).sum()) == 88
    assert card_points(talons).mean() == pytest.approx(15.0)


def test_frequencies_of_caps(hands: np.ndarray) -> None:
    """T-AUC-07, T-AUC-08: the exact distribution of caps of a seven-card hand; with four aces at most 420."""
    values, counts = np.unique(hand_caps(hands[:, 0], ThousandRules.make("default")), return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {
        120: 247_536, 160: 22_968, 180: 22_968, 200: 22_968, 220: 24_072, 240: 1_104, 260: 2_208, 280: 1_104,
        300: 1_122, 320: 18, 340: 18, 360: 18,
    }  # fmt: skip
    assert hand_caps(hands[:, 0], ThousandRules.make("mailru")).max() == 420


def test_frequencies_of_deals() -> None:
    """T-RED-02: in 18.8 % of deals some seat may throw its hand in; T-RED-08: 1.98 % of winners hold four nines."""
    batch = make_batch("thousand", num_games=20_000, seed=11)
    share = (batch.phase == PHASES.index("hand redeal")).mean()
    assert abs(share - 0.188) < 0.012
    ten = batch.state.hands[:, 0] | batch.state.talons[:, 0]
    assert abs(((ten & NINES) == NINES).mean() - 0.0198) < 0.004


NINES_HELD = ("♠9 ♣9 ♦9 ♠A ♠10 ♣A ♦A", "♣10 ♣K ♦Q ♥J ♠J ♥10 ♥A", "♦10 ♥K ♠Q ♣J ♠K ♣Q ♥9", "♦K ♥Q ♦J")


def test_holders_are_asked() -> None:
    """T-RED-02, T-RED-10, T-RED-13, situation 21: the holder is asked before the auction; "no" leads on to it."""
    table = Table(*NINES_HELD)
    assert (table.phase, table.seat, table.legal) == ("hand redeal", 0, ["Redeal", "No redeal"])
    assert not Table(*NINES_HELD).do("No redeal").sees("redeals").any()
    table.do("No redeal")
    assert (table.phase, table.seat) == ("auction", 0)


def test_a_claim_deals_again() -> None:
    """T-RED-11, T-RED-12, T-RED-14: same dealer, new cards, nothing of the match moves, no fine; all see the claim."""
    table = Table(*NINES_HELD, scores=[5, 10, 15])
    before = table.game.state.hands.copy()
    table.do("Redeal")
    s = table.game.state
    assert (s.dealer[0], s.deals_played[0], s.hand_id[0], table.scores) == (2, 0, 1, [5, 10, 15])
    assert (s.hands != before).any()
    assert table.sees("redeals", 1).tolist() == [1]


def test_whose_nines() -> None:
    """T-RED-02: with "forehand" only forehand's three nines count; T-RED-01: four nines of anybody may."""
    only = {"redeal_hand_nines_who": "forehand", "redeal_hand_nines_eq_4": True}
    assert Table(*NINES_HELD, rules=only).phase == "hand redeal"
    three = (NINES_HELD[1], NINES_HELD[0], NINES_HELD[2], NINES_HELD[3])
    assert Table(*three, rules=only).phase == "auction"
    assert Table(*three).phase == "hand redeal"
    four = (NINES_HELD[1], "♠9 ♣9 ♦9 ♥9 ♠10 ♣A ♦A", "♦10 ♥K ♠Q ♣J ♠K ♣Q ♠A", NINES_HELD[3])
    assert Table(*four, rules=only).phase == "hand redeal"


def test_few_points_and_jacks() -> None:
    """T-RED-03, T-RED-04: below 13 points, or all four jacks."""
    low = Table("♠9 ♣9 ♠J ♣J ♦J ♠Q ♣Q")  # 12 points, two nines
    assert (low.phase, low.seat) == ("hand redeal", 0)
    assert Table("♠9 ♣9 ♠J ♣J ♦J ♠Q ♣K", "♦A ♦10 ♦K ♦Q ♥9", "♥A ♥10 ♥K").phase == "auction"  # 13
    jacks = Table("♠J ♣J ♦J ♥J ♠A ♣A ♦A")
    assert jacks.phase == "hand redeal"
    classic = Table("♠J ♣J ♦J ♥J ♠A ♣A ♦A", rules="classic_c")
    assert classic.phase == "auction"


def test_automatic_redeals() -> None:
    """T-RED-10: optional=False asks nobody; no deal with three nines in a hand is left."""
    batch = make_batch("thousand", num_games=2_000, seed=2, rules={"redeal_optional": False})
    assert not (batch.phase == PHASES.index("hand redeal")).any()
    held = batch.state.hands[np.arange(2000)[:, None], np.arange(3)]
    assert (np.bitwise_count(held & NINES) < 3).all()
    assert 300 < (batch.state.redeals > 0).sum() < 460


def test_talon_redeals() -> None:
    """T-RED-05, T-RED-06: the winner is asked after he has seen the talon, at any price."""
    packets = ("♠A ♠10 ♣A ♦A ♦10 ♥9 ♠9", "♥A ♥10 ♣K", "♣10 ♦K ♥K", "♣9 ♦9 ♥Q")
    table = Table(*packets).do("105", "Pass", "Pass")
    assert (table.phase, table.seat, table.legal) == ("talon redeal", 0, ["Redeal", "No redeal"])
    assert table.do("Redeal").sees("redeals", 1).tolist() == [1]
    only = {"redeal_talon_only_at_100": True}
    assert Table(*packets, rules=only).do("105", "Pass", "Pass").phase == "contract"
    assert Table(*packets, rules=only).do("100", "Pass", "Pass").phase == "talon redeal"
    jacks = Table("♠A ♠10 ♣A ♦A ♦10 ♥9 ♠9", "♥A ♥10 ♣K", "♣10 ♦K ♥K", "♠J ♣J ♦J").do("100", "Pass", "Pass")
    assert jacks.phase == "talon redeal"  # T-RED-07


def test_four_nines_of_the_winner() -> None:
    """T-RED-08: hand and talon together; not gated by only_at_100."""
    packets = ("♠A ♠10 ♣A ♦A ♦9 ♥9 ♠9", "♥A ♥10 ♣K", "♣10 ♦K ♥K", "♣9 ♥Q ♥J")
    base = {**NO_CLAIM, "redeal_talon_only_at_100": True}
    assert Table(*packets, rules=base).do("105", "Pass", "Pass").phase == "contract"
    rules = {**base, "redeal_winner_four_nines": True}
    assert Table(*packets, rules=rules).do("105", "Pass", "Pass").phase == "talon redeal"


def test_four_nines_after_the_pass() -> None:
    """T-RED-09: a defender with four nines is asked after the last passed card; others see play."""
    packets = ("♠A ♠10 ♣A ♦A ♦10 ♣J ♥9", "♠9 ♣9 ♦9 ♥A ♥10", "♥K ♠Q")
    rules = {"redeal_defender_four_nines": True, "redeal_hand_nines_ge": None, "redeal_hand_points_lt": None}
    table = playing(*packets, rules=rules, give=("♥9", "♣J"))
    assert (table.phase, table.seat) == ("pass redeal", 1)
    assert table.sees("phase", 2)[PHASES.index("play")] == 1
    assert table.sees("to_act", 2).tolist() == [0, 1, 0]
    assert table.do("No redeal").phase == "play"
    again = playing(*packets, rules=rules, give=("♥9", "♣J"), last_contracts=[155, 120, 120]).do("Redeal")
    assert again.game.state.last_contracts[0].tolist() == [155, 120, 120]  # T-RED-11
    assert cards("♥9") == [18]
