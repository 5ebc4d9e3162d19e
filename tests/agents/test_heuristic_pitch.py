"""The Pitch heuristic: clear situations, legality under all rules, strength against random play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.agents.heuristic.pitch import Heuristic
from bidtrick.agents.heuristic.pitch_hand import chances, moon_chance, parts, shares
from bidtrick.agents.heuristic.pitch_position import Position, View, trump_order
from bidtrick.agents.registry import make_agent
from bidtrick.envs.pitch.rules import VERSIONS, PitchRules
from bidtrick.envs.pitch.tables import DECK
from bidtrick.envs.registry import make_batch

RNG = np.random.default_rng(0)


def cards(text: str) -> list[int]:
    return [DECK.parse(name) for name in text.split()]


def situation(hands: list[str], actions: list[str], rules: Any = "source", dealer: int = 3, **more: Any) -> Any:
    """A game after some actions. Hands are filled up with cards that nobody was given, clubs first; so is the stock.

    Tests take spades as trump and give all sixteen trumps away, so that the stock has none.
    """
    game = make_batch("pitch", rules=rules, episode=more.pop("episode", "hand"))
    given = [cards(hand) for hand in hands]
    size = 10 if game.spec.num_seats == 5 else 9
    rest = [c for c in range(54) if not any(c in hand for hand in given)]
    for hand in given:
        take = size - len(hand)
        hand += rest[:take]
        rest = rest[take:]
    game.reset(options={"deal": [c for hand in given for c in hand] + rest, "dealer": dealer, **more})
    for action in actions:
        game.step([cards(action)[0] if len(action) < 4 else game.spec.parse_action(action)])
    return game


def choice(game: Any) -> str:
    agent = make_agent("heuristic", game.spec)
    action = int(agent.act(game.observe(), game.legal_actions(), RNG)[0])
    return game.spec.action_name(action)


STRONG = "AS QS JS 3S 2S"
SPADES = ["Bid 6", "Pass", "Pass", "Pass", "Trump Spades", "Keep leftovers"]


# The auction.


def test_bids_a_strong_hand_high_and_names_its_suit() -> None:
    game = situation([STRONG, "", "", ""], [])
    assert int(choice(game).removeprefix("Bid ")) >= 6
    assert choice(situation([STRONG, "", "", ""], ["Bid 6", "Pass", "Pass", "Pass"])) == "Trump Spades"


def test_passes_a_weak_hand_after_a_high_bid() -> None:
    weak = "4C 5D 6H 7S 8C 9D 4H 5S 6C"
    assert choice(situation(["", weak, "", ""], ["Bid 7"])) == "Pass"
    assert choice(situation(["", "", weak, ""], ["Bid 6", "Pass"])) == "Pass"


def test_leaves_a_good_bid_to_the_partner() -> None:
    middling = "KS QS 9S 8S 4C 5D 6H 7H 8D"
    assert choice(situation(["", "", middling, ""], ["Bid 7", "Pass"])) == "Pass"


def test_a_stuck_dealer_bids_no_more_than_needed() -> None:
    """P-BID-04: he speaks last, so the lowest bid buys the hand; what is taken scores (P-SCR-01)."""
    weak = "4C 5D 6H 7S 8C 9D 4H 5S 6C"
    assert choice(situation(["", "", "", weak], ["Pass", "Pass", "Pass"])) == "Bid 4"
    assert choice(situation(["", "", "", STRONG], ["Pass", "Pass", "Pass"])) == "Bid 4"


def test_shoots_the_moon_when_nothing_else_can_win_the_match() -> None:
    game = situation([STRONG, "", "", ""], [], scores=[5, 51], episode="match")
    assert choice(game) == "Moon"
    assert choice(situation([STRONG, "", "", ""], [], scores=[5, 51])) != "Moon"  # only the points of the hand count
    assert choice(situation([STRONG, "", "", ""], [], scores=[45, 5], episode="match")) != "Moon"
    assert choice(situation([STRONG, "", "", ""], [], scores=[-5, 30], episode="match")) != "Moon"  # P-MOON-02


def test_shoots_a_sure_moon() -> None:
    """Six of seven highest trumps with the two: every trick is one's own. It is worth 47 points here (P-MOON-02)."""
    assert choice(situation(["AS KS QS JS JC 3S 2S", "", "", ""], [], scores=[5, 40])) == "Moon"


def test_chances_fall_with_the_level_and_rise_with_the_hand() -> None:
    for rules in ("source", "five", {"reverse": True}, {"version": 16}):
        game = make_batch("pitch", num_games=100, rules=rules)
        order = trump_order(game.spec.rules)
        view = View(game.observe(), game.spec.layout)
        share = shares(view, order)
        assert share.shape == (100, 4)
        chance = chances(share.max(axis=1), order)
        assert (np.diff(chance[:, 1:], axis=1) <= 1e-6).all()
        assert np.allclose(parts(chance).sum(axis=1), 1, atol=1e-5)
        moon = moon_chance(view, order)
        assert ((moon > 0) & (moon < 1)).all()


# Leftovers, burns, calls.


def test_keeps_leftovers_unless_it_is_full() -> None:
    bids = ["Bid 6", "Pass", "Pass", "Pass", "Trump Spades"]
    others = ["4S 5S", "6S 7S 8S", "9S LJ"]
    assert choice(situation(["AS KS QS 3S", *others], bids)) == "Keep leftovers"
    assert choice(situation(["AS KS QS JS 3S 2S", *others], bids)) == "Pass leftovers"


def test_burns_the_lowest_trump_without_points() -> None:
    hand = "AS KS QS 9S 4S 3S 2S 10S"
    game = situation([hand, "", "", ""], [*SPADES])
    assert choice(game) == "Spades 4"
    game.step([DECK.parse("4S")])
    assert choice(game) == "Spades 9"


@pytest.mark.parametrize(("hand", "called"), [("KS QS 2S", "Spades Ace"), ("AS QS 2S", "Spades King")])
def test_calls_the_highest_trump_it_lacks(hand: str, called: str) -> None:
    bids = ["Bid 6", "Pass", "Pass", "Pass", "Pass", "Trump Spades"]
    game = situation([hand, "", "", "", ""], bids, "five", dealer=4)
    assert choice(game) == called


def test_calls_no_card_of_its_own() -> None:
    """BD-24: that would be legal with call_own, and leave the bidder alone."""
    bids = ["Bid 6", "Pass", "Pass", "Pass", "Pass", "Trump Spades"]
    game = situation(["AS QS 2S", "", "", "", ""], bids, {"players": 5, "call_own": True}, dealer=4)
    assert choice(game) == "Spades King"


def test_calls_a_misdeal() -> None:
    hand = "4C 5C 6C 7C 8C 9C 4D 5D 6D"
    game = situation([hand, "", "", ""], [], {"misdeal_rule": "no_face_no_point"})
    assert choice(game) == "Call misdeal"


# Adding a card to a trick.

HANDS = ["AS KS 9S 8S", "4S 5S LJ", "3S QS 10S 2S", "JS JC HJ 6S 7S"]


def test_smears_on_the_partners_sure_trick() -> None:
    assert choice(situation(HANDS, [*SPADES, "AS", "4S"])) == "Spades 3"


def test_gives_the_opponents_no_points() -> None:
    hands = ["AS KS 9S 8S", "3S 5S 10S", "QS 2S 4S", "JS JC HJ LJ 6S 7S"]
    assert choice(situation(hands, [*SPADES, "AS"])) == "Spades 5"


def test_takes_the_three_as_last_to_play() -> None:
    hands = ["AS KS 3S 8S", "4S 5S LJ", "6S 10S 2S", "JS JC HJ QS 9S 7S"]
    game = situation(hands, [*SPADES, "3S", "4S", "6S"])
    assert choice(game) in ("Spades 7", "Spades 9", "Spades Queen", "Spades Jack", "Clubs Jack", "High Joker")


def test_does_not_waste_a_high_trump_on_a_lost_trick() -> None:
    hands = ["AS 9S 8S 10S", "KS 5S 3S", "QS 2S 4S", "JS JC HJ LJ 6S 7S"]
    assert choice(situation(hands, [*SPADES, "AS"])) == "Spades 5"


# Leading.


def test_bidder_draws_trumps_from_the_top() -> None:
    assert choice(situation(["AS KS QS 3S", "4S 5S LJ", "10S 2S JS", "JC HJ 6S 7S 8S 9S"], SPADES)) in (
        "Spades Ace", "Spades King", "Spades Queen",
    )  # fmt: skip


def test_does_not_lead_the_three_into_higher_trumps() -> None:
    hands = ["KS 10S 3S 9S", "AS 4S 5S LJ", "QS 2S 8S", "JC HJ JS 6S 7S"]
    assert choice(situation(hands, SPADES)) != "Spades 3"


# What it thinks of the others.


def test_unseen_trumps_lie_with_those_who_have_them() -> None:
    """P-INFO-02: nobody asked for cards and drew nothing, so dealt trumps tell where the unseen ones are."""
    game = situation(HANDS, [*SPADES, "AS"])
    order = trump_order(game.spec.rules)
    p = Position(game.observe(), game.spec.layout, order)
    assert p.unseen.sum() == 12
    assert p.held[0].sum() == pytest.approx(12, abs=1e-3)
    assert p.share[0, 0] == 0
    assert p.share[0].sum() == pytest.approx(1, abs=1e-5)


def test_five_handed_the_partner_is_guessed_and_then_known() -> None:
    hands = ["AS QS 2S", "KS 3S", "JS JC", "HJ LJ 10S", "9S 8S 7S"]
    bids = ["Bid 6", "Pass", "Pass", "Pass", "Pass", "Trump Spades", "Spades King", "AS"]
    game = situation(hands, bids, "five", dealer=4)
    order = trump_order(game.spec.rules)

    def ours() -> list[float]:
        return Position(game.observe(), game.spec.layout, order).ours[0].tolist()

    assert game.current_player[0] == 1
    assert ours() == [1, 0, 0, 0, 1]  # the holder knows
    game.step([DECK.parse("KS")])
    assert ours() == [1, 1, 1, 0, 0]  # seat 2 has seen it: seats 3 and 4 defend with him
    bidder = Position(game.observe(0), game.spec.layout, order).ours[0]
    assert bidder.tolist() == [1, 1, 0, 0, 0]


# What every agent must do.

EXTREME: list[Any] = [
    *({"version": v, "min_bid": 3, "reverse": v % 2 == 0, "players": p} for v in VERSIONS for p in (4, 5)),
    {"uncounted": "removed", "version": 8, "two_rule": "captured"},
    {"discarded_trump": "to_kitty", "fill_order": "bidder_takes_rest", "two_scores_when": "holder"},
    {"discarded_trump": "dead", "kitty_mode": "one_by_one", "out_reveal": "at_once"},
    {"misdeal_rule": "no_face_no_point", "stuck_rule": "redeal", "stuck_dealer_may_bid_more": False},
    {"players": 5, "moon_5h": "on", "call_own": True, "five_deck": "no_fours"},
    {"players": 5, "called_card_first_trick": False, "burn_policy": "any"},
    {"burn_policy": "misdeal_if_point", "burn_visible": False, "check": "mid_hand"},
    {"moon_overcall": "double", "dealer_steal": True, "first_lead_natural": True, "moon_mode": "pm20"},
]


@pytest.mark.parametrize("episode", ["hand", "match"])
@pytest.mark.parametrize("rules", [*PitchRules.presets, *EXTREME], ids=str)
def test_actions_are_legal_everywhere(rules: Any, episode: str) -> None:
    rng = np.random.default_rng(3)
    game = make_batch(
        "pitch", num_games=60, seed=5, rules=rules, episode=episode, context="sampled", auto_reset=True
    )  # fmt: skip
    agent = make_agent("heuristic", game.spec)
    phases: set[int] = set()
    for _ in range(60):
        mask = game.legal_actions()
        actions = agent.act(game.observe(), mask, rng)
        assert actions.dtype == np.int64
        assert mask[np.arange(60), actions].all()
        phases |= set(game.phase.tolist())
        game.step(np.where(rng.random(60) < 0.5, actions, game.sample_actions(rng)))
    assert len(phases) >= 3


@pytest.mark.parametrize("rules", ["source", "five"])
def test_decisions_follow_from_the_observation_alone(rules: str) -> None:
    """Rows in another order or alone: the same decisions."""
    rng = np.random.default_rng(4)
    game = make_batch("pitch", num_games=200, seed=6, rules=rules, context="sampled")
    agent = make_agent("heuristic", game.spec)
    while not game.done.all():
        obs, mask = game.observe(), game.legal_actions()
        running = np.flatnonzero(~game.done)
        actions = np.full(200, -1, np.int64)
        actions[running] = agent.act(obs[running], mask[running], rng)
        turned = running[::-1]
        assert (agent.act(obs[turned], mask[turned], RNG) == actions[turned]).all()
        one = running[:1]
        assert (agent.act(obs[one], mask[one], RNG) == actions[one]).all()
        game.step(actions)


@pytest.mark.parametrize(
    "rules", ["source", "nyx", "playpitch", {"two_rule": "captured"}, {"reverse": True}, {"version": 16}], ids=str
)
def test_beats_random_by_far(rules: Any) -> None:
    game = make_batch("pitch", num_games=600, seed=12, rules=rules)
    ids = np.tile(np.arange(300), 2)
    game.reset(options={"game_id": ids, "hand_id": 0, "dealer": ids % 4})
    side = np.repeat([0, 1], 300)
    paid = np.zeros((600, 4))
    agent, rng = make_agent("heuristic", game.spec), np.random.default_rng(1)
    while not game.done.all():
        actions = game.sample_actions(rng)
        rows = np.flatnonzero((game.current_player >= 0) & (game.current_player % 2 == side))
        actions[rows] = agent.act(game.observe()[rows], game.legal_actions()[rows], rng)
        paid += game.step(actions)[0]
    gain = paid[np.arange(600), side].reshape(2, 300).mean(axis=0) * game.spec.reward_scale
    assert gain.mean() - 2 * gain.std() / 300**0.5 > 0.5 * game.rules.total


def test_beats_random_five_handed() -> None:
    """One seat plays the heuristic, four play at random."""
    game = make_batch("pitch", num_games=500, seed=13, rules="five")
    seats = np.arange(500) % 5
    paid = np.zeros((500, 5))
    agent, rng = make_agent("heuristic", game.spec), np.random.default_rng(1)
    while not game.done.all():
        actions = game.sample_actions(rng)
        rows = np.flatnonzero(game.current_player == seats)
        actions[rows] = agent.act(game.observe()[rows], game.legal_actions()[rows], rng)
        paid += game.step(actions)[0]
    gain = paid[np.arange(500), seats] * 10
    assert gain.mean() - 2 * gain.std() / 500**0.5 > 1.5


def test_name() -> None:
    agent = make_agent("heuristic", make_batch("pitch").spec)
    assert isinstance(agent, Heuristic)
    assert agent.describe() == {"name": "heuristic", "class": "Heuristic"}
