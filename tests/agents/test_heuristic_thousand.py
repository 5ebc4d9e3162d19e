"""The Thousand heuristic: clear situations, legality under all rules, strength against random play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.agents.heuristic.thousand import Heuristic
from bidtrick.agents.registry import make_agent
from bidtrick.envs.registry import make_batch
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.tables import DECK

RNG = np.random.default_rng(0)


def cards(text: str) -> list[int]:
    """Cards of "♠ A 10, ♥ K Q": a suit, then ranks."""
    found: list[int] = []
    for part in text.split(","):
        suit, *ranks = part.split()
        found += [DECK.parse(f"{suit}{rank}") for rank in ranks]
    return found


#: The default rules without redeals.
CALM: dict[str, Any] = {
    f"redeal_{what}": None
    for what in (
        "hand_points_lt", "hand_nines_ge", "hand_jacks_eq", "talon_points_lt", "talon_nines_ge", "talon_jacks_eq",
    )
}  # fmt: skip


def situation(hands: list[str], actions: list[str], rules: Any = CALM, **options: Any) -> Any:
    """One deal after some actions: hands of forehand (seat 0) and the next seats, then the talon; "" gets the rest."""
    game = make_batch("thousand", rules=rules)
    size = (game.rules.hand_size,) * game.rules.active + (game.rules.talon_size,)
    given = [cards(text) if text else [] for text in [*hands, *[""] * (len(size) - len(hands))]]
    rest = [card for card in range(24) if not any(card in hand for hand in given)]
    for hand, wanted in zip(given, size, strict=True):
        missing = wanted - len(hand)
        hand += rest[:missing]
        rest = rest[missing:]
    game.reset(options={"deal": [card for hand in given for card in hand], "dealer": game.rules.players - 1, **options})
    for action in actions:
        game.step([game.spec.parse_action(action)])
    return game


def choice(game: Any) -> str:
    """What the heuristic does next."""
    action = int(make_agent("heuristic", game.spec).act(game.observe(), game.legal_actions(), RNG)[0])
    return game.spec.action_name(action)


def played(game: Any, until: str) -> list[str]:
    """What three heuristics do until a phase is reached."""
    agent, done = make_agent("heuristic", game.spec), []
    while game.spec.phases[int(game.phase[0])] != until:
        action = agent.act(game.observe(), game.legal_actions(), RNG)
        done.append(game.spec.action_name(int(action[0])))
        game.step(action)
    return done


# Bidding.

STRONG = "♥ A K Q 10, ♠ A, ♦ A 10"
WEAK = "♠ J Q, ♣ J Q, ♦ 9 K, ♥ J"


def test_forehand_opens_and_passes_when_weak() -> None:
    assert choice(situation([WEAK], [])) == "100"
    assert choice(situation([WEAK, "", STRONG], ["100", "Pass", "105"])) == "Pass"


def test_bids_on_with_a_strong_hand() -> None:
    assert choice(situation(["", STRONG], ["100"])) == "105"
    assert choice(situation(["", STRONG], ["100", "105", "Pass", "110"])) == "115"
    assert choice(situation(["♣ K Q J", STRONG], ["150"])) == "155"


def test_passes_a_weak_hand() -> None:
    assert choice(situation(["", WEAK], ["100"])) == "Pass"


def test_names_a_contract_as_high_as_the_hand() -> None:
    game = situation([STRONG, "", "", "♣ A, ♠ 10, ♣ 10"], ["105", "Pass", "Pass"])
    assert int(choice(game)) >= 160


def test_stays_at_the_bid_with_little() -> None:
    game = situation(["♠ A 10, ♣ K J, ♦ Q 10, ♥ J", "", "", "♦ J, ♣ Q, ♠ J"], ["100", "Pass", "Pass"])
    assert choice(game) == "100"


def test_does_not_aim_beyond_the_barrel() -> None:
    """What is above 880 is lost (T-BAR-01), so there is no reason to risk more than what is missing."""
    deal = [STRONG, "", "", "♣ A, ♠ 10, ♣ 10"]
    actions = ["105", "Pass", "Pass"]
    assert int(choice(situation(deal, actions, scores=[770, 0, 0]))) <= 110
    assert int(choice(situation(deal, actions, scores=[200, 0, 0]))) > 130


def test_on_the_barrel_every_chance_is_taken() -> None:
    """A failed contract costs nothing there (T-BAR-09): he bids what he would not bid otherwise."""
    hand = "♠ A 10 J, ♣ A J, ♦ Q, ♥ 10"
    assert choice(situation(["", hand], ["115"], scores=[0, 300, 0])) == "Pass"
    assert choice(situation(["", hand], ["115"], scores=[0, 880, 0])) == "120"
    game = situation([hand], ["105", "Pass", "Pass"], scores=[880, 0, 0])
    assert choice(game) == "120"  # T-BAR-06


def test_free_write_offs_are_used() -> None:
    hand = ["♠ J 9, ♣ J 9, ♦ 9 Q, ♥ J", "", "", "♦ J, ♠ K, ♣ K"]
    assert choice(situation(hand, ["100", "Pass", "Pass"], "polish")) == "Write off"


def test_redeals_worthless_hands() -> None:
    game = situation(["", "♠ 9, ♣ 9 J, ♦ 9 Q, ♥ J 10"], [], "default")
    assert game.spec.phases[int(game.phase[0])] == "hand redeal"
    assert choice(game) == "Redeal"


# Passing cards.


def test_keeps_marriages_and_aces() -> None:
    hand = ["♥ K Q 10, ♠ A, ♣ A J, ♦ 9", "", "", "♦ A, ♣ 9, ♠ J"]
    done = played(situation(hand, ["100", "Pass", "Pass"]), "play")
    gifts = [action for action in done if action.startswith("Give")]
    assert len(gifts) == 2
    assert set(gifts) <= {"Give Diamonds 9", "Give Clubs 9", "Give Clubs Jack", "Give Spades Jack"}


# Card play. Seat 0 declares; after two gifts he leads.


def deal_of_play(declarer: str, left: str, right: str, gifts: list[str], actions: list[str]) -> Any:
    """A deal in play: ten cards of the declarer (seat 0), seven of each other seat, two cards given, cards played."""
    own = cards(declarer)
    talon = ", ".join(DECK.format(c) for c in own[7:])
    game = make_batch("thousand", rules=CALM)
    hands = [", ".join(DECK.format(c) for c in own[:7])]
    hands += [", ".join(DECK.format(c) for c in cards(text)) for text in (left, right)]
    game.reset(options={"deal": [*hands, talon], "dealer": 2})
    for action in ["100", "Pass", "Pass", "100", *[f"Give {DECK.format(DECK.parse(g))}" for g in gifts], *actions]:
        game.step([game.spec.parse_action(action)])
    return game


DEAL = ("♥ K Q J, ♠ A 10, ♣ A J, ♦ 9 J, ♠ 9", "♥ A 10, ♠ K J, ♣ 10 9, ♦ K", "♥ 9, ♠ Q, ♣ K Q, ♦ A 10 Q", ["♦9", "♦J"])


def test_takes_a_trick_and_declares() -> None:
    game = deal_of_play(*DEAL, [])
    assert choice(game) in ("Spades Ace", "Clubs Ace")
    game = deal_of_play(*DEAL, ["Spades Ace", "Spades Jack", "Spades Queen"])
    follow = played_tricks(game, 2)
    assert any(action.startswith("Declare Hearts") for action in follow)


def played_tricks(game: Any, tricks: int) -> list[str]:
    """What three heuristics play in so many tricks."""
    agent, done = make_agent("heuristic", game.spec), []
    for _ in range(3 * tricks):
        action = agent.act(game.observe(), game.legal_actions(), RNG)
        done.append(game.spec.action_name(int(action[0])))
        game.step(action)
    return done


def test_defender_takes_a_rich_trick_as_last() -> None:
    game = deal_of_play(
        "♥ K Q J, ♠ A 10, ♣ A J, ♦ 9 J, ♠ 9",
        "♥ A 10, ♠ K J, ♣ 10 9, ♦ K",
        "♥ 9, ♠ Q, ♣ K Q, ♦ A 10 Q",
        ["♠9", "♦9"],
        ["Diamonds Jack", "Diamonds King"],
    )
    assert choice(game) in ("Diamonds Ace", "Diamonds Ten")


def test_smears_on_the_friends_trick() -> None:
    game = deal_of_play(
        "♥ K Q J, ♠ A 10, ♣ J 9, ♦ 9 J, ♠ 9",
        "♥ A 10, ♠ K J, ♣ A 10, ♦ K",
        "♥ 9, ♠ Q, ♣ K Q, ♦ A 10 Q",
        ["♠9", "♦9"],
        ["Clubs Jack", "Clubs Ace"],
    )
    assert choice(game) == "Clubs King"


def test_gives_nothing_to_the_declarer() -> None:
    game = deal_of_play(
        "♥ K Q J, ♠ A 10, ♣ J 9, ♦ A J, ♠ 9",
        "♥ A 9, ♠ J, ♣ A 10, ♦ K 10",
        "♥ 10, ♠ K Q, ♣ K Q, ♦ 9 Q",
        ["♠9", "♣9"],
        ["Diamonds Ace"],
    )
    assert choice(game) == "Diamonds King"


# What every agent must do.

TABLES: dict[str, Any] = {
    **{name: name for name in ThousandRules.presets},
    "dark": {"dark": "D", "info_bonus": "talon_card", "info_bonus_seats": (0, 2)},
    "dark C": {"dark": "C", "players": 4, "info_bonus": "opponents", "info_bonus_seats": (1,)},
    "golden": {"golden": "on", "golden_raise": True, "info_bonus": "talon", "info_bonus_seats": (0, 1)},
    "after pass": {"contract_declare": "after_pass", "redeal_defender_four_nines": True, "pass_visibility": "public"},
    "two talons": {"preset": "duel_c", "info_bonus": "talon_suits", "info_bonus_seats": (0,)},
    "followers": {"marriage_on_lead_only": False, "marriage_needs_trick": False, "ace_marriage": True},
    "no aces silently": {"marriage_optional": False, "ace_marriage": True, "auction_cap": "none"},
    "dealer opens": {"auction_opening": "dealer_100", "auction_silence_below": -120, "auction_jumps": False},
    "write-offs": {"write_off_first_free": True, "write_off_every_third_fine": 60, "write_off_on_barrel": "falls"},
}


@pytest.mark.parametrize("table", list(TABLES))
def test_actions_are_legal_everywhere(table: str) -> None:
    rng = np.random.default_rng(3)
    games = 150
    game = make_batch(
        "thousand", num_games=games, seed=5, rules=TABLES[table], episode="match", context="sampled", auto_reset=True
    )
    agent = make_agent("heuristic", game.spec)
    for _ in range(70):
        mask = game.legal_actions()
        actions = agent.act(game.observe(), mask, rng)
        assert actions.dtype == np.int64
        assert mask[np.arange(games), actions].all()
        game.step(np.where(rng.random(games) < 0.6, actions, game.sample_actions(rng)))


def test_decisions_follow_from_the_observation_alone() -> None:
    """Rows in another order or alone: the same decisions."""
    rng = np.random.default_rng(4)
    game = make_batch("thousand", num_games=200, seed=6, context="sampled")
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


def margins(rules: Any, deals: int) -> np.ndarray:
    """Points by deal that one heuristic wins more than the mean of random players, over all its seats."""
    players = make_batch("thousand", rules=rules).spec.num_seats
    game = make_batch("thousand", num_games=deals * players, seed=12, rules=rules)
    ids = np.repeat(np.arange(deals), players)
    game.reset(options={"game_id": ids, "hand_id": 0, "dealer": ids % players})
    seat = np.tile(np.arange(players), deals)
    rng = np.random.default_rng(11)
    agents = make_agent("heuristic", game.spec), make_agent("random", game.spec)
    total = np.zeros((len(ids), players))
    while not game.done.all():
        obs, mask, player = game.observe(), game.legal_actions(), game.current_player
        actions = np.full(len(ids), -1, np.int64)
        for number, agent in enumerate(agents):
            rows = np.flatnonzero((player >= 0) & ((player == seat) == (number == 0)))
            if len(rows):
                actions[rows] = agent.act(obs[rows], mask[rows], rng)
        total += game.step(actions)[0]
    return game.spec.reward_scale * total[np.arange(len(ids)), seat].reshape(deals, players).mean(axis=1)


@pytest.mark.parametrize("rules", ["default", "duel_d", "duel_c", "four", "polish"])
def test_beats_random_by_far(rules: str) -> None:
    gain = margins(rules, 150)
    low = gain.mean() - 1.96 * gain.std() / len(gain) ** 0.5
    assert low > 25


def test_makes_its_contracts() -> None:
    """Among themselves, forced hundreds included: more than half are made, and most that were bid for."""
    game = make_batch("thousand", num_games=600, seed=9)
    agent = make_agent("heuristic", game.spec)
    while not game.done.all():
        rows = np.flatnonzero(~game.done)
        actions = np.full(600, -1, np.int64)
        actions[rows] = agent.act(game.observe()[rows], game.legal_actions()[rows], RNG)
        game.step(actions)
    report = game.report()
    assert report["made"].mean() > 0.5
    assert report["made"][report["bid"] > 100].mean() > 0.7
    assert report["contract"][report["bid"] > 100].mean() > 110


def test_name() -> None:
    game = make_batch("thousand")
    agent = make_agent("heuristic", game.spec)
    assert isinstance(agent, Heuristic)
    assert agent.describe() == {"name": "heuristic", "class": "Heuristic"}
