"""Rules of Pitch, sections 9 to 12 and 16: scores, moons, ends, five players, frequencies (ids of RULES.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pitch_table import Table, shaped, stack

from bidtrick.envs import make_batch
from bidtrick.envs.pitch import tables as T
from bidtrick.envs.pitch.rules import PitchRules
from bidtrick.envs.pitch.scoring import score_hand

MOON, DOUBLE = "moon", "double"


class Settled:
    """One hand written into given scores."""

    def __init__(self, scores: list[int], made: bool, winners: list[int]) -> None:
        self.scores, self.made, self.winners = scores, made, winners


def settle(scores: list[int], bidder: int, bid: int | str, took: int, against: int, **options: Any) -> Settled:
    partner = options.pop("partner", -1)
    players = 4 if len(scores) == 2 else 5
    rules = PitchRules.make({"players": players, **options})
    value = {MOON: rules.total + 1, DOUBLE: rules.total + 2}.get(str(bid), bid)

    def one(number: Any) -> np.ndarray:
        return np.array([number], np.int64)

    result = score_hand(
        rules, one(scores), one(bidder), one(partner), one(value), one(took), one(against), np.array([False])
    )
    return Settled(result.scores[0].tolist(), bool(result.made[0]), np.flatnonzero(result.winners[0]).tolist())


# --- numbers


def test_made_and_set() -> None:
    """P-SCR-01, P-SCR-02, P-SCR-03, BD-26: what was taken, or the bid lost; the defenders keep theirs."""
    assert settle([0, 0], 0, 4, 7, 3).scores == [7, 3]
    assert settle([0, 0], 0, 4, 4, 6).made
    assert settle([0, 0], 0, 4, 7, 3, made_score="bid").scores == [4, 3]
    assert settle([20, 0], 2, 8, 7, 3).scores == [12, 3]
    assert settle([0, 0], 1, 8, 7, 2, defenders_score="total_on_set").scores == [10, -8]
    assert settle([0, 0], 1, 4, 7, 2, defenders_score="total_on_set").scores == [2, 7]
    assert settle([0, 0], 1, 8, 7, 3, defenders_score="none").scores == [0, -8]


def test_scores_go_below_zero() -> None:
    """P-SCR-02, P-SCR-04, situation 14: 3 points and set on 7 makes −4."""
    assert settle([3, 0], 0, 7, 6, 4).scores == [-4, 4]
    table = shaped({0: "4S", 1: "5S", 2: "3S"}, scores=[2, 0]).finish()
    assert table.scores == [-2, 3]


def test_sides_are_opposite_seats() -> None:
    """P-EQP-01, situation 16: seat 2 bids; seats 0 and 2 score on the first line."""
    table = Table(stack({2: "AS KS QS JS JC HJ", 0: "LJ 10S 3S"}), episode="match").bid(
        "pass", "pass", 4, "pass", trump=3
    )
    table.keep().finish()
    report = table.result
    assert report["scores"] == [report["took"], report["against"]]
    assert report["took"] == report["points"][0] + report["points"][2]


# --- moons


def test_moons() -> None:
    """P-MOON-01..04, P-MOON-06, P-VAR-07, BD-27, BD-28, situation 19: −6 to 0; 0 to 52; failure at 51 loses."""
    low = settle([-6, 30], 0, MOON, 10, 0)
    assert (low.scores, low.winners) == ([0, 30], [])
    zero = settle([0, 30], 0, MOON, 10, 0)
    assert (zero.scores, zero.winners) == ([52, 30], [0])
    assert settle([0, 30], 0, MOON, 10, 0, target=31).scores == [31, 30]
    failed = settle([51, 30], 0, MOON, 9, 1)
    assert (failed.scores, failed.winners) == ([51, 31], [1])
    assert settle([-20, -30], 0, MOON, 9, 1).winners == [1]
    assert settle([60, 0], 0, MOON, 10, 0, win_requires_bid=True).scores == [60, 0]
    assert settle([1, 0], 0, MOON, 10, 0, version=11).winners == [1]
    assert settle([1, 0], 0, MOON, 11, 0, version=11).winners == [0]


def test_moon_at_zero() -> None:
    """P-MOON-03, BD-30."""
    other = settle([0, 0], 0, MOON, 10, 0, moon_at_zero="zero")
    assert (other.scores, other.winners) == ([0, 0], [])
    five = settle([0] * 5, 1, MOON, 10, 0, moon_at_zero="zero", moon_5h="on")
    assert five.winners == [1]  # P-5H-10


def test_moon_modes() -> None:
    """P-MOON-05, BD-9, BD-38."""
    assert settle([0, 0], 0, MOON, 10, 0, moon_mode="pm20").scores == [20, 0]
    assert settle([0, 0], 0, DOUBLE, 10, 0, moon_mode="pm20").scores == [40, 0]
    assert settle([0, 0], 0, MOON, 9, 1, moon_mode="pm20").scores == [-20, 1]
    assert settle([0, 0], 0, DOUBLE, 9, 1, moon_mode="pm20").scores == [-40, 1]
    assert settle([0, 0], 0, MOON, 16, 0, moon_mode="pm20", version=16).scores == [20, 0]
    assert settle([-9, 0], 0, MOON, 10, 0, moon_mode="instant").winners == [0]
    assert settle([-9, 0], 0, MOON, 10, 0, moon_mode="instant").scores == [52, 0]
    assert settle([5, 0], 0, DOUBLE, 10, 0).scores == [52, 0]


def test_moon_needs() -> None:
    """P-MOON-07, BD-29: a burned point spoils it, unless only the defenders' points count."""
    assert settle([5, 0], 0, MOON, 9, 0).winners == [1]
    assert settle([5, 0], 0, MOON, 9, 0, moon_needs="in_play").winners == [0]


def test_ten_and_moon_below_zero() -> None:
    """P-MOON-08: from −9 to −1 a ten is better than a moon; at −10 they pay the same."""
    for score in range(-10, 0):
        ten, moon = settle([score, 0], 0, 10, 10, 0), settle([score, 0], 0, MOON, 10, 0)
        assert ten.scores[0] == score + 10 >= moon.scores[0] == 0
        assert settle([score, 0], 0, 10, 9, 1).winners == []
        assert settle([score, 0], 0, MOON, 9, 1).winners == [1]


@pytest.mark.parametrize(("two", "made"), [("2", False), ("0", True)])
def test_moon_played(two: str, made: bool) -> None:
    """P-MOON-01: all points, from the auction to the win; the opponents' two makes it impossible."""
    hands = {0: "AS KS QS JS JC HJ", 2: "LJ 10S 3S" + (" 2S" if made else ""), 1: "" if made else "2S"}
    table = Table(stack(hands), episode="match").bid(MOON, "pass", "pass", "pass", trump=3)
    assert table.keep().phase == "play"
    table.finish()
    assert table.done
    assert table.result["moon"] == (1 if made else 2)
    assert table.result["winner"] == (0 if made else 1)
    assert table.scores == ([52, 0] if made else [0, 1])
    # reading (a): what a failed moon costs
    value = 52 / 10 if made else -(52 + 1) / 10
    assert np.allclose(table.paid, np.array([1, -1, 1, -1]) * value)


# --- the end


def test_target() -> None:
    """P-END-01, P-END-04, P-VAR-05, situation 5: exactly the target wins, 51 does not; also by defending."""
    assert settle([46, 0], 0, 4, 6, 4).winners == [0]
    assert settle([45, 0], 0, 4, 6, 4).winners == []
    assert settle([0, 48], 0, 4, 6, 4).winners == [1]
    assert settle([50, 48], 0, 7, 6, 4).winners == [1]  # the bidder set


def test_both_out() -> None:
    """P-END-02, situations 6 and 7: this hand's bidding side wins whatever the totals; `higher` reverses that."""
    assert settle([46, 51], 0, 4, 6, 4).winners == [0]
    assert settle([46, 51], 0, 4, 6, 4, both_out="higher").winners == [1]
    assert settle([47, 50], 0, 4, 7, 4, both_out="higher").winners == [0]
    deck = stack({1: "AS KS QS JS JC HJ", 0: "LJ"})
    table = Table(deck, scores=[51, 51], episode="match").bid("pass", 4, "pass", "pass", trump=3).keep().finish()
    assert min(table.scores) >= 52
    assert table.done
    assert (table.result["winner"], table.player) == (1, -1)


def test_who_may_win() -> None:
    """P-END-03, BD-32, BD-35: only a made bid, a cap for the others, or a lead."""
    assert settle([0, 50], 0, 4, 5, 5, defender_cap=True).scores == [5, 51]
    assert settle([0, 50], 0, 4, 5, 5, win_requires_bid=True).winners == []
    assert settle([60, 0], 0, 4, 3, 7, win_requires_bid=True).winners == []
    assert settle([50, 0], 0, 4, 5, 5, win_requires_bid=True).winners == [0]
    assert settle([-40, 10], 0, 4, 3, 7, win_by_lead=54).winners == [1]
    assert settle([-40, 9], 0, 4, 5, 5, win_by_lead=54).winners == []
    five = settle([0, 50, 60, 0, 0], 1, 4, 6, 4, win_requires_bid=True, partner=2)
    assert five.winners == [1]
    capped = settle([50, 0, 60, 0, 50], 1, 4, 5, 5, defender_cap=True, partner=4)
    assert capped.scores == [51, 5, 60, 5, 51]


def test_cut_off() -> None:
    """P-END-05, BD-37: after `max_hands` scored hands; void ones do not count."""
    rules = {"max_hands": 2, "stuck_rule": "redeal"}
    table = Table(rules=rules, episode="match").pass_all()
    assert table.hand_number == 0
    for number in (1, 2):
        table.bid(4, "pass", "pass", "pass", trump=3).finish()
        assert table.hand_number == number
    assert table.done
    assert table.result["truncated"]
    assert table.result["winner"] == -1
    later = Table(rules=rules, episode="match", hand_number=1).bid(4, "pass", "pass", "pass", trump=3).finish()
    assert later.done


def test_mid_hand() -> None:
    """P-END-01, BD-34: a made bid that reaches the target ends the hand after the trick."""
    keep = {0: "AS KS", 1: "3S 2S", 2: "4S 5S"}
    rules = {"check": "mid_hand", "min_bid": 3}
    deck = stack({0: "AS KS QS 10S 4S 5S", 1: "JS JC HJ LJ"}, "2D 3D")
    table = Table(deck, {"check": "mid_hand", "min_bid": 1}, scores=[51, 0]).take(1).keep().play("AS")
    while table.seen("trick_number") < 1:
        table.step(table.actions()[0])
    assert table.done
    assert table.result["winner"] == 0
    assert table.result["took"] + table.result["against"] < 10
    assert table.who("leader") == []  # reading (d)
    assert shaped(keep, rules, scores=[51, 0]).play("AS 3S").done is False  # the trick must be complete


# --- five players


def test_individual_scores() -> None:
    """P-5H-08, P-5H-09: bidder and partner share; every defender scores the defenders' total; nothing extra alone."""
    assert settle([0] * 5, 1, 4, 6, 4, partner=3).scores == [4, 6, 4, 6, 4]
    assert settle([0] * 5, 1, 4, 3, 7, partner=3).scores == [7, -4, 7, -4, 7]
    assert settle([0] * 5, 1, 4, 3, 7, partner=3, partner_shares_set=False).scores == [7, -4, 7, 0, 7]
    assert settle([0] * 5, 1, 4, 6, 4).scores == [4, 6, 4, 4, 4]


def test_several_at_the_target() -> None:
    """P-5H-09, BD-33: the bidder first; else the highest; a tie of others means another hand."""
    assert settle([50, 46, 0, 51, 0], 1, 4, 6, 4, partner=3).winners == [1]
    assert settle([50, 46, 0, 51, 0], 1, 4, 6, 4, partner=3, both_out="higher").winners == [3]
    assert settle([50, 0, 50, 0, 0], 1, 4, 6, 4, partner=3).winners == []
    assert settle([50, 0, 49, 0, 0], 1, 4, 6, 4, partner=3).winners == [0]
    assert settle([54, 58, 54, 0, 0], 1, 4, 3, 7).winners == [1]  # set, but still there


def test_five_handed_moon() -> None:
    """P-5H-10, BD-31."""
    made = settle([0, -3, 0, 45, 0], 1, MOON, 10, 0, partner=3, moon_5h="on")
    assert (made.scores, made.winners) == ([0, 0, 0, 55, 0], [3])
    failed = settle([8, 40, 8, 0, 1], 1, MOON, 8, 2, partner=3, moon_5h="on")
    assert (failed.scores, failed.winners) == ([10, 40, 10, 0, 3], [0, 2])
    for shares, partner in ((True, -20), (False, 0)):
        twenty = settle([0] * 5, 1, MOON, 8, 2, partner=3, moon_5h="on", moon_mode="pm20", partner_shares_set=shares)
        assert twenty.scores == [2, -20, 2, partner, 2]
    good = settle([0] * 5, 1, MOON, 10, 0, partner=3, moon_5h="on", moon_mode="pm20")
    assert good.scores == [0, 20, 0, 20, 0]


def test_five_handed_rewards() -> None:
    """Section 15: own gain less the mean of the others'; the winner's 1 less the mean."""
    batch = make_batch("pitch", num_games=200, seed=3, rules="five")
    paid = np.zeros((200, 5))
    rng = np.random.default_rng(0)
    while not batch.done.all():
        paid += batch.step(batch.sample_actions(rng))[0]
    gain = batch.report()["gain"] / 10
    assert np.allclose(paid, gain - (gain.sum(axis=1, keepdims=True) - gain) / 4, atol=1e-5)
    assert np.allclose(paid.sum(axis=1), 0, atol=1e-4)


# --- accounts and frequencies


@pytest.mark.parametrize(
    "rules", ["source", "literal", "five", {"version": 16}, {"two_rule": "captured", "version": 13}]
)
def test_points_taken_and_burned(rules: Any) -> None:
    """P-INV, BD-41: taken and burned points sum to N; kept trumps are at most six and all are played."""
    batch = make_batch("pitch", num_games=300, seed=5, rules=rules)
    t = T.tables(batch.spec.rules)
    rng = np.random.default_rng(1)
    while not batch.done.all():
        batch.step(batch.sample_actions(rng))
    report, s = batch.report(), batch.state
    burned = np.bitwise_or.reduce(s.cards[:, :, 5], axis=1)
    bits = ((burned[:, None] >> np.arange(54, dtype=np.uint64)) & np.uint64(1)).astype(int)
    rows = s.trump[:, None].astype(int) * 64 + np.arange(54)
    lost = (bits * (t.won[rows] + t.own[rows])).sum(axis=1)
    assert (report["took"] + report["against"] + lost == batch.spec.rules.total).all()
    assert (report["points"].sum(axis=1) == report["took"] + report["against"]).all()
    played = s.cards[:, :, 6]
    assert (np.bitwise_count(played) <= 6).all()
    assert (s.cards[:, :, 0] == 0).all()
    trumps = np.bitwise_or.reduce(played, axis=1) | burned
    assert (trumps == t.trumps[s.trump]).all()
    assert (report["tricks"] <= 6).all()


def longest(rules: Any, games: int) -> Any:
    """Hands up to the burn in which only the longest trump holding bids, and keeps the leftovers (section 16)."""
    batch = make_batch("pitch", num_games=games, seed=20, rules=rules)
    options = batch.spec.rules
    a, t = T.actions(options.total, options.five), T.tables(options)
    rng = np.random.default_rng(3)
    counts = np.bitwise_count(batch.state.cards[:, :, 0][:, :, None] & t.trumps[:4]).astype(float)
    best = (counts + rng.random(counts.shape) / 2).reshape(games, -1).argmax(axis=1)
    bidder, trump = best // 4, best % 4
    dealt = counts.sum(axis=1)
    for _ in range(options.players):
        # the dealer bids, but for him everybody passes; with bids only from the chosen seat
        bid = np.where(batch.current_player == bidder, a.first_bid + 4, a.first_bid)
        legal = batch.legal_actions()
        stuck = ~legal[np.arange(games), bid]  # the dealer after nobody, or a bid of four that stands
        batch.step(np.where(stuck, np.argmax(legal[:, a.first_bid :], axis=1) + a.first_bid, bid))
    mine = batch.state.bidder == bidder
    batch.step(a.first_suit + trump)
    if options.five:
        strength = t.shown_strength[trump]
        batch.step(np.argmax(np.where(batch.legal_actions()[:, :54], strength + 1, 0), axis=1))
    else:
        phase = batch.phase == T.KITTY
        batch.step(np.where(phase, a.keep, -1))
    held = np.bitwise_count(batch.state.cards[np.arange(games), batch.state.bidder, 0]).astype(int)
    return batch, mine, held, dealt


@pytest.mark.parametrize(
    ("version", "burn", "two", "mean"),
    [(10, 0.494, 0.162, 10.67), (13, 0.659, 0.290, 11.33), (16, 0.954, 0.771, 13.33)],
)
def test_bidders_burn(version: int, burn: float, two: float, mean: float) -> None:
    """P-BURN-05, section 16: how often the bidder burns one, or two and more; trumps of a random suit in 36 cards."""
    batch, mine, held, dealt = longest({"version": version}, 12_000)
    assert mine.all()
    assert abs((held > 6).mean() - burn) < 0.02
    assert abs((held > 7).mean() - two) < 0.02
    assert abs(dealt.mean() - mean) < 0.03
    if version == 10:
        size = batch.state.kitty_size
        assert ((size >= 3) & (size <= 8)).mean() > 0.95


def test_called_card_in_the_blind_4_of_44() -> None:
    """P-5H-05, section 16: 4 of 44, and the bidder burns in 45.9 %."""
    batch, mine, held, _ = longest("five", 12_000)
    assert mine.all()
    assert abs((batch.state.called_from == 2).mean() - 4 / 44) < 0.012
    assert abs((held > 6).mean() - 0.459) < 0.02


# --- the book


def test_every_rule_is_cited() -> None:
    """Every id of RULES.md is cited by a test, and every id that a test cites is in RULES.md."""
    book = (Path(T.__file__).parent / "RULES.md").read_text(encoding="utf-8")
    ids = set(re.findall(r"\*\*(P-[A-Z0-9]+(?:-\d\d)?)\*\*", book))
    decisions = {f"BD-{n}" for n in re.findall(r"^(\d+)\. ", book.split("## 17.")[1].split("## 18.")[0], re.MULTILINE)}
    assert len(ids) == 102
    assert len(decisions) == 45
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_pitch_*.py"))
    cited = set(re.findall(r"(?:P-[A-Z0-9]+-\d\d|P-INV|BD-\d+)", tests))
    for first, last in re.findall(r"(P-[A-Z0-9]+-\d\d)\.\.(\d\d)", tests):
        cited |= {f"{first[:-2]}{n:02d}" for n in range(int(first[-2:]), int(last) + 1)}
    assert sorted((ids | decisions) - cited) == []
    assert sorted(cited - ids - decisions) == []
