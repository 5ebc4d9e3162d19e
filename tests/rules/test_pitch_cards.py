"""Rules of Pitch, sections 1 to 5, 17 and 18: cards, seats, ranks, points, versions, deal (ids of RULES.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pitch_table import C, D, H, S, Table, card, cards, names, shaped, stack

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import DealError, IllegalActionError, RulesError, UnknownNameError
from bidtrick.envs.pitch import tables as T
from bidtrick.envs.pitch.rules import VERSIONS, PitchRules


def strength(rules: Any, trump: int, text: str) -> list[int]:
    t = T.tables(PitchRules.make(rules))
    return [int(t.strength[64 * trump + c]) for c in cards(text)]


def order(rules: Any, trump: int = S) -> str:
    """All trumps, strongest first."""
    return " ".join(names([c]) for c in T.trumps_by_strength(PitchRules.make(rules), trump))


# --- equipment and seats


def test_seats() -> None:
    """P-EQP-01: two partnerships of opposite seats; turns go clockwise to the next seat."""
    table = Table()
    assert table.batch.spec.teams == (0, 1, 0, 1)
    assert table.batch.spec.clockwise
    table.bid(4, "pass", "pass")
    assert table.player == 3
    table.bid("pass", trump=S)
    assert table.who("bidder") == [0]
    assert table.who("partner") == [2]


def test_deck() -> None:
    """P-EQP-02: 54 cards, 52 and two jokers; names both ways."""
    deck = make_batch("pitch").spec.deck
    assert deck.size == 54
    assert [deck.format(c) for c in (0, 8, 12, 51, 52, 53)] == [
        "Clubs 2", "Clubs 10", "Clubs Ace", "Spades Ace", "Low Joker", "High Joker",
    ]  # fmt: skip
    assert all(deck.parse(deck.format(c)) == c for c in range(54))
    assert [deck.parse(t) for t in ("AS", "A♠", "♠a", "Ace of Spades", "10h", "hj")] == [51, 51, 51, 51, 34, 53]
    with pytest.raises(UnknownNameError, match="no card is called"):
        deck.parse("14S")
    assert T.tables(PitchRules.make()).deck.tolist() == list(range(54))


@pytest.mark.parametrize(("joker_order", "winner"), [("distinct", 2), ("first_played_high", 1)])
def test_jokers(joker_order: str, winner: int) -> None:
    """P-EQP-03: the high joker beats the low one, or the first one played does; both lose to the off-jack."""
    table = shaped({0: "4S", 1: "LJ", 2: "HJ", 3: "2S"}, {"joker_order": joker_order})
    table.play("4S LJ HJ 2S")
    assert table.result["points"][winner] == 2
    table = shaped({0: "4S", 1: "LJ", 2: "HJ", 3: "JC"}, {"joker_order": joker_order}).play("4S LJ HJ JC")
    assert table.result["points"][3] == 3


def test_first_dealer_and_turn_of_the_deal() -> None:
    """P-EQP-04: the first dealer is random and uniform, then the deal passes left, not after a void hand."""
    batch = make_batch("pitch", num_games=4000, seed=2)
    counts = np.bincount(batch.state.dealer, minlength=4)
    assert (abs(counts - 1000) < 120).all()
    table = Table(episode="match", dealer=1)
    table.bid(4, "pass", "pass", "pass", trump=S).finish()
    assert table.dealer == 2
    table = Table(rules={"stuck_rule": "redeal"}, episode="match", dealer=1).pass_all()
    assert (table.dealer, table.hand_number, table.phase) == (1, 0, "bid")
    assert table.by_seat("bids") == [0, 0, 0, 0]


# --- ranks


def test_trump_order() -> None:
    """P-RNK-01: A K Q J offJ HJ LJ 10 … 2, sixteen trumps, for each suit."""
    assert order({}) == "AS KS QS JS JC HJ LJ 10S 9S 8S 7S 6S 5S 4S 3S 2S"
    assert order({}, H) == "AH KH QH JH JD HJ LJ 10H 9H 8H 7H 6H 5H 4H 3H 2H"


def test_off_jack() -> None:
    """P-RNK-02: the jack of the other suit of the same colour is a trump, and none in its printed suit."""
    for trump, off in ((C, "JS"), (S, "JC"), (D, "JH"), (H, "JD")):
        assert strength({}, trump, off) == [12]
        assert strength({}, card(off) // 13, off) == [13]  # its own suit named: the jack of trump
    table = Table(stack({0: "JC AC"}, trump=C)).take(trump=S)
    assert "JC" in table.plane("hand")
    assert "AC" not in table.plane("hand")


def test_jack_beats_off_jack_in_both_orders() -> None:
    """P-RNK-03, situation 1: whichever is played first."""
    for first, second in (("JS", "JC"), ("JC", "JS")):
        table = shaped({0: first, 1: second}).play(f"{first} {second}")
        assert table.result["points"][0 if first == "JS" else 1] == 2


def test_only_trumps_are_played() -> None:
    """P-RNK-04, BD-1: everything else is dead; plain cards in play are refused as an option."""
    table = Table(stack({0: "AS 2H"})).take().keep()
    assert "2H" not in table.legal
    with pytest.raises(IllegalActionError, match="illegal"):
        table.play("2H")
    with pytest.raises(RulesError, match="trump_only=False"):
        PitchRules.make({"trump_only": False})


# --- points and the two


def test_points() -> None:
    """P-PTS-01, P-PTS-03, P-PTS-04: A J offJ HJ LJ 10 2 count 1, the 3 counts 3; high, low and game are no points."""
    t = T.tables(PitchRules.make())
    worth = {names([c]): int(t.won[64 * S + c] + t.own[64 * S + c]) for c in range(54)}
    assert {n: p for n, p in worth.items() if p} == {
        "AS": 1, "JS": 1, "JC": 1, "HJ": 1, "LJ": 1, "10S": 1, "2S": 1, "3S": 3,
    }  # fmt: skip
    assert sum(worth.values()) == 10
    # the highest and the lowest trump in play, a king and a four, score nothing
    table = shaped({0: "KS", 1: "4S"}).play("KS 4S")
    assert table.result["points"] == [0, 0, 0, 0]


def test_points_go_to_the_winner_of_the_trick() -> None:
    """P-PTS-02: all but the two."""
    table = shaped({0: "AS", 1: "3S", 2: "2S", 3: "10S"}).play("AS 3S 2S 10S")
    assert table.result["points"] == [5, 0, 1, 0]


@pytest.mark.parametrize(("two_rule", "points"), [("played", [1, 1, 0, 0]), ("captured", [2, 0, 0, 0])])
def test_two(two_rule: str, points: list[int]) -> None:
    """P-TWO-01, P-TWO-03, P-DIRTY-01, situation 4: the two counts for its player; dirty: for the trick's winner."""
    table = shaped({0: "AS", 1: "2S"}, {"two_rule": two_rule})
    table.play("AS")
    table.play("2S")
    assert table.result["points"] == points


def test_two_alone_wins_its_trick() -> None:
    """P-TWO-01: as a card it loses to every other trump, but a trick of one card is its own."""
    assert strength({}, S, "2S 3S 4S") == [1, 2, 3]
    table = shaped({0: "AS", 1: "2S 4S", 3: "3S"}).play("AS 4S 3S")
    assert table.player == 1
    table.play("2S")
    assert table.result["points"] == [4, 1, 0, 0]


def test_two_is_seen_at_once_as_its_players_point() -> None:
    """P-TWO-01: the point is public when the two is played, not only when the trick is over."""
    table = shaped({0: "AS", 1: "2S", 2: "4S"}).play("AS 2S")
    assert table.by_seat("points") == [0, 1, 0, 0]
    assert table.seen("trick_points") == 1


@pytest.mark.parametrize(
    ("rules", "took"),
    [
        ({}, 0),
        ({"two_scores_when": "holder"}, 1),
        ({"two_scores_when": "holder", "two_rule": "captured"}, 0),
    ],
)
def test_burned_two(rules: dict[str, Any], took: int) -> None:
    """P-TWO-02, BD-4: a burned two is lost, or counts for its holder unless it is a captured one."""
    deck = stack({0: "AS KS QS 9S 8S 7S 2S", 1: "JS JC HJ LJ 10S 3S"})
    table = Table(deck, {"burn_policy": "any", **rules}).take().step("Pass leftovers").play("2S")
    assert table.plane("burned", of=0) == "2S"
    table.finish()
    assert table.result["took"] + table.result["against"] == 9 + took
    assert table.result["points"][0] >= took


# --- deal


@pytest.mark.parametrize(("rules", "sizes"), [({}, (9, 18)), ({"players": 5}, (10, 4))])
def test_deal(rules: dict[str, Any], sizes: tuple[int, int]) -> None:
    """P-DEAL-01, P-5H-01: nine each and a stock of 18; five-handed ten each and four in the blind."""
    batch = make_batch("pitch", num_games=50, seed=4, rules=rules)
    hands = batch.state.cards[:, :, 0]
    assert (np.bitwise_count(hands) == sizes[0]).all()
    assert (np.bitwise_count(np.bitwise_or.reduce(hands, axis=1)) == 54 - sizes[1]).all()
    assert (batch.state.stock_end == sizes[1]).all()


def test_shuffle_is_uniform() -> None:
    """P-DEAL-02: every card is equally likely in every place."""
    batch = make_batch("pitch", num_games=5400, seed=7)
    hands = batch.state.cards[:, :, 0]
    for seat in range(4):
        bits = (hands[:, seat][:, None] >> np.arange(54, dtype=np.uint64)) & np.uint64(1)
        assert (abs(bits.sum(axis=0).astype(int) - 900) < 150).all()


def test_given_deals() -> None:
    """P-EQP-02: a given deck must hold the right cards; texts of names do too."""
    deck = stack({0: "AS"})
    table = Table(deck)
    texts = [", ".join(T.DECK.format(c) for c in deck[9 * k : 9 * k + 9]) for k in range(4)]
    texts.append(", ".join(T.DECK.format(c) for c in deck[36:]))
    other = make_batch("pitch")
    other.reset(options={"deal": texts, "dealer": 3})
    assert np.array_equal(other.state.cards, table.batch.state.cards)
    assert np.array_equal(other.state.stock, table.batch.state.stock)
    for wrong, reason in (
        ([*deck[:53], deck[0]], "dealt twice"),
        (deck[:53], "must be the deck in order"),
        ([*deck[:53], 60], "not in the deck"),
        (["AS", "KS"], "the texts name"),
    ):
        with pytest.raises(DealError, match=reason):
            Table(wrong)
    for options, reason in (
        ({"scores": [52, 0]}, "scores must be"),
        ({"dealer": 4}, "dealer must be"),
        ({"hand_number": 200}, "hand_number must be"),
        ({"bolts": 1}, "no reset option"),
    ):
        with pytest.raises(DealError, match=reason):
            other.reset(options=options)


# --- versions


@pytest.mark.parametrize("version", VERSIONS)
def test_version_sums(version: int) -> None:
    """P-VAR-01, P-VAR-06: the points of every version add up to N under every trump; versions are maps."""
    rules = PitchRules.make({"version": version})
    t = T.tables(rules)
    assert rules.total == version
    for trump in range(4):
        row = slice(64 * trump, 64 * trump + 54)
        assert int(t.won[row].sum() + t.own[row].sum()) == version
        assert int(np.bitwise_count(t.trumps[trump])) == {11: 17, 13: 17, 14: 20, 15: 20, 16: 20}.get(version, 16)


def test_off_cards() -> None:
    """P-VAR-01, P-VAR-07: off-cards rank directly below their counterpart; in 16 they are a, j, t, 3', 2'."""
    assert order({"version": 13}) == "AS KS QS JS JC HJ LJ 10S 9S 8S 7S 6S 5S 4S 3S 3C 2S"
    assert order({"version": 16}) == "AS AC KS QS JS JC HJ LJ 10S 10C 9S 8S 7S 6S 5S 4S 3S 3C 2S 2C"
    assert VERSIONS[16].points == {
        "A": 1, "a": 1, "J": 1, "j": 1, "HJ": 1, "LJ": 1, "10": 1, "t": 1, "3": 3, "3'": 3, "2": 1, "2'": 1,
    }  # fmt: skip


def test_uncounted_cards() -> None:
    """P-VAR-02, BD-2: jokers and three without points stay trumps; the option removes jokers that score nothing."""
    assert order({"version": 5}) == order({})
    removed = PitchRules.make({"version": 8, "uncounted": "removed"})
    assert len(T.tables(removed).deck) == 52
    assert T.tables(removed).stock_size == 16
    assert "HJ" not in order(removed)
    for options, reason in (
        ({"uncounted": "removed"}, "version=10"),
        ({"uncounted": "removed", "version": 7}, "version=7"),
        ({"uncounted": "removed", "version": 8, "players": 5}, "players=4"),
    ):
        with pytest.raises(RulesError, match=reason):
            PitchRules.make(options)


@pytest.mark.parametrize(
    ("rules", "points"),
    [
        ({}, [0, 1, 1, 0]),
        ({"off_two": "captured"}, [1, 0, 1, 0]),
        ({"two_rule": "captured"}, [2, 0, 0, 0]),  # BD-3: dirty captures both, whatever off_two says
    ],
)
def test_off_two(rules: dict[str, Any], points: list[int]) -> None:
    """P-VAR-03, BD-3: the off-two in 14 and 16 is kept by its player, or captured."""
    table = shaped({0: "KS", 1: "2C", 2: "2S"}, {"version": 16, **rules}).play("KS 2C 2S")
    assert table.result["points"] == points


def test_minimum_and_target_of_the_versions() -> None:
    """P-VAR-04, P-VAR-05, BD-42: four and 52 for all; the minimum is an option from 1 to N."""
    for version in VERSIONS:
        rules = PitchRules.make({"version": version})
        assert (rules.min_bid, rules.target) == (4, 52)
        table = Table(rules=rules)
        assert table.choices[1] == "Bid 4"
        assert table.choices[-2] == f"Bid {version}"
    assert Table(rules={"version": 5, "min_bid": 2}).choices[:2] == ["Pass", "Bid 2"]
    with pytest.raises(RulesError, match="min_bid=6"):
        PitchRules.make({"version": 5, "min_bid": 6})


def test_reverse() -> None:
    """P-REV-01, P-REV-02, BD-5, BD-39: the whole order upside down, off-cards too; points and the two as ever."""
    assert order({"version": 16, "reverse": True}) == ("2C 2S 3C 3S 4S 5S 6S 7S 8S 9S 10C 10S LJ HJ JC JS QS KS AC AS")
    table = shaped({0: "AS", 1: "2S", 2: "3S"}, {"reverse": True}).play("AS 2S 3S")
    assert table.result["points"] == [0, 5, 0, 0]  # the two takes the trick
    table = shaped({0: "AS", 1: "2C", 2: "2S"}, {"version": 16, "reverse": True}).play("AS 2C 2S")
    assert table.result["points"] == [0, 2, 1, 0]  # the off-two outranks the two, which keeps its point
    for joker_order, winner in (("distinct", 1), ("first_played_high", 0)):
        table = shaped({0: "HJ", 1: "LJ"}, {"reverse": True, "joker_order": joker_order}).play("HJ LJ")
        assert table.result["points"][winner] == 2


# --- options and presets


def test_refused_options_name_field_and_values() -> None:
    """Section 23: combinations that exclude each other, and values that are not allowed."""
    for options, reason in (
        ({"discarded_trump": "dead", "players": 5}, r"discarded_trump='dead' needs players=4.*BD-12"),
        ({"moon_mode": "off", "moon_overcall": "double"}, "moon_overcall='double' needs a moon"),
        ({"moon_mode": "off", "moon_5h": "on", "players": 5}, "moon_5h='on' needs a moon"),
        ({"players": 6}, "players=6 is not allowed; allowed: 4 | 5"),
        ({"version": 9}, "version=9 is not allowed"),
        ({"reverse": 1}, "reverse=1 is not allowed"),
        ({"target": 0}, "target=0 must be an int from 1"),
        ({"max_hands": True}, "max_hands=True must be"),
        ({"misdeal": "none"}, "no option is called 'misdeal'"),
    ):
        with pytest.raises(RulesError, match=reason.replace("|", r"\|")):
            PitchRules.make(options)


def test_presets() -> None:
    """Section 21, BD-35, BD-45: presets say what the book says and nothing else."""
    changes = {
        name: {k: v for k, v in PitchRules.make(name).to_dict().items() if v != getattr(PitchRules(), k)}
        for name in PitchRules.presets
    }
    assert changes == {
        "source": {},
        "literal": {"burn_policy": "any"},
        "literal_jokers": {"burn_policy": "any", "joker_order": "first_played_high"},
        "playpitch": {
            "target": 54, "min_bid": 5, "moon_mode": "pm20", "moon_overcall": "double", "win_requires_bid": True,
            "win_by_lead": 54, "kitty_mode": "auto_swap",
        },
        "trickster10": {"target": 32, "min_bid": 5, "two_scores_when": "holder", "kitty_mode": "bidder_only"},
        "campbell31": {
            "target": 31, "min_bid": 5, "moon_mode": "off", "fill_order": "bidder_takes_rest",
            "kitty_mode": "bidder_only",
        },
        "nyx": {"kitty_mode": "one_by_one"},
        "colorado": {"joker_order": "first_played_high"},
        "mo_tournament": {"joker_order": "first_played_high", "min_bid": 5},
        "five": {"players": 5},
        "tiny": {
            "suits": ("Clubs", "Spades"), "ranks": ("2", "Jack", "Ace"), "hand": 2, "min_bid": 3, "moon_mode": "off",
            "target": 20,
        },
        "tiny_stock": {
            "suits": ("Clubs", "Spades"), "ranks": ("2", "Jack", "Ace"), "jokers": 1, "hand": 1, "min_bid": 2,
            "moon_mode": "off", "target": 20,
        },
    }  # fmt: skip


def test_every_option_has_ids() -> None:
    """Every option names the rules it belongs to, and is documented in RULES.md."""
    book = (Path(T.__file__).parent / "RULES.md").read_text(encoding="utf-8")
    for info in PitchRules.describe():
        assert info.ids
        assert f"`{info.name}`" in book, info.name
