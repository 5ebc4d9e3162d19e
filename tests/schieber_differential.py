"""Plays the same random games on the batched engine and on the slow oracle and compares everything."""

from __future__ import annotations

from typing import Any

import numpy as np
from reference.schieber import Oracle

from bidtrick.envs import make_batch
from bidtrick.envs.core import bits, deals
from bidtrick.envs.schieber.rules import SchieberRules

CARDS = 36


def oracle_rules(rules: SchieberRules) -> dict[str, Any]:
    return rules.to_dict()


def hands_of(seed: int, game: int, hand: int) -> list[list[int]]:
    deck = deals.shuffle(seed, np.array([game]), np.array([hand]), CARDS)[0]
    return [sorted(deck[9 * s : 9 * s + 9].tolist()) for s in range(4)]


def compare(
    rules: SchieberRules,
    *,
    games: int,
    seed: int,
    episode: str = "hand",
    scores: np.ndarray | None = None,
    policy: str = "random",
) -> int:
    """Play `games` episodes on both and assert that they agree; returns the number of decisions compared."""
    rng = np.random.default_rng(seed)
    dealer = rng.integers(0, 4, games)
    by_card = rng.random(games) < 0.5 if rules.first_forehand != "random" else np.zeros(games, bool)
    batch = make_batch("schieber", num_games=games, seed=seed, rules=rules, episode=episode, reward="points")
    if scores is None:
        scores = np.zeros((games, 2), int)
    # games whose first forehand is named by a card are set up apart: a dealer option is given for all or none
    batch.reset(seed=seed, options={"dealer": dealer, "scores": scores})
    if by_card.any():
        named = make_batch("schieber", num_games=games, seed=seed, rules=rules, episode=episode, reward="points")
        named.reset(seed=seed, options={"scores": scores})
        batch.state.put(np.flatnonzero(by_card), named.state.select(np.flatnonzero(by_card)))
    oracles = [
        Oracle(
            oracle_rules(rules),
            lambda hand, game=game: hands_of(seed, game, hand),
            episode=episode,
            first_forehand=None if by_card[game] else (int(dealer[game]) + 1) % 4,
            scores=tuple(int(x) for x in scores[game]),
        )
        for game in range(games)
    ]
    decisions = 0
    hands_seen = [0] * games
    paid = np.zeros(games)
    while True:
        players = batch.current_player
        mask = batch.legal_actions()
        live = [g for g in range(games) if players[g] >= 0]
        for g, oracle in enumerate(oracles):
            assert oracle.done == (players[g] < 0), (g, rules.name)
            if oracle.done:
                continue
            assert oracle.current_player == players[g], (g, rules.name)
            assert oracle.legal() == np.flatnonzero(mask[g]).tolist(), (g, rules.name)
            assert list(oracle.scores) == batch.state.scores[g].tolist(), (g, rules.name)
        if not live:
            break
        compare_public(batch, oracles, live, rng)
        if policy == "random":
            actions = batch.sample_actions(rng)
        else:  # choose by suit order: makes long runs of trumps and sweeps more often
            actions = np.where(players < 0, -1, np.argmax(mask, axis=1))
        actions[players < 0] = -1
        rewards, _ = batch.step(actions)
        paid += rewards[:, 0]
        assert np.allclose(rewards[:, 0], -rewards[:, 1])
        assert np.allclose(rewards[:, 0], rewards[:, 2])
        assert np.allclose(rewards[:, 1], rewards[:, 3])
        for g in live:
            oracles[g].step(int(actions[g]))
            decisions += 1
        report = batch.report()
        for g in live:
            if len(oracles[g].history) > hands_seen[g]:
                hands_seen[g] += 1
                compare_hand(oracles[g], report, g)
    for g, oracle in enumerate(oracles):
        gained = (oracle.scores[0] - int(scores[g][0])) - (oracle.scores[1] - int(scores[g][1]))
        assert np.isclose(paid[g], gained / batch.spec.reward_scale, atol=1e-3), g
        compare_result(oracle, batch, g, rules, episode)
    return decisions


def compare_public(batch: Any, oracles: list[Oracle], live: list[int], rng: np.random.Generator) -> None:
    """Everything public in an observation of a random seat equals what the oracle says is public."""
    games = batch.num_games
    seats = rng.integers(0, 4, games)
    obs = batch.observe(seats)
    view = batch.spec.layout.view
    v = {name: view(obs, name).astype(int) for name in batch.spec.layout.segments}
    check = live if games <= 50 else rng.choice(live, min(len(live), 50), replace=False)
    for g in check:
        oracle, s = oracles[g], int(seats[g])
        public = oracle.public()
        rel = [(s + r) % 4 for r in range(4)]
        hand = oracle.hand
        played = public["played"]
        mine = [c for seat, c in played if seat == s]
        assert set(np.flatnonzero(v["hand"][g])) == set(hand["dealt"][s]) - set(mine)
        when = np.zeros(CARDS, int)
        for place, (_, card) in enumerate(played):
            when[card] = place + 1
        assert v["when"][g].tolist() == when.tolist()
        for r, seat in enumerate(rel):
            assert set(np.flatnonzero(v["played"][g][r])) == {c for who, c in played if who == seat}
            assert set(np.flatnonzero(v["shown"][g][r])) == set(public["weis_shown"][seat])
            value = public["weis_values"][seat]
            assert v["declared"][g][r] == (value is not None)
            assert v["declared_weis"][g][r] * 10 == (value or 0)
            assert v["pushed"][g][r] == (seat in public["pushes"])
            assert v["forehand"][g][r] == (seat == public["forehand"])
            assert v["declarer"][g][r] == (seat == public["declarer"])
            assert v["stock_scored"][g][r] == (seat == public["stock_scored"])
            assert v["to_act"][g][r] == (seat == oracle.current_player)
        on_table = played[len(hand["tricks"]) * 4 :]
        for r, seat in enumerate(rel[1:]):
            assert set(np.flatnonzero(v["table"][g][r])) == {c for who, c in on_table if who == seat}
        contract = public["contract"]
        assert np.flatnonzero(v["contract"][g]).tolist() == ([] if contract is None else [contract])
        assert v["hand_number"][g][0] == min(255, public["hand_number"])
        team = s % 2
        for side, t in (("own", team), ("their", 1 - team)):
            assert v[f"{side}_points"][g][0] == hand["base_points"][t]
            assert v[f"{side}_weis_scored"][g][0] * 10 == hand["weis"][t]
            assert v[f"{side}_stock"][g][0] * 10 == hand["stock"][t]
        # shown voids never contradict the true hands (but for the lone trump Under)
        for suit in range(4):
            for r, seat in enumerate(rel):
                if v["void"][g][suit][r]:
                    held = bits.indices_of(int(batch.state.hands[g, seat]))
                    left = [c for c in held if c // 9 == suit]
                    assert not left or (contract == suit and left == [suit * 9 + 5])


def compare_hand(oracle: Oracle, report: dict[str, np.ndarray], g: int) -> None:
    hand = oracle.history[-1]
    assert report["contract"][g] == (6 if hand["contract"] is None else hand["contract"])
    assert report["forehand"][g] == hand["forehand"]
    assert report["declarer"][g] == hand["declarer"]
    for name in ("base_points", "match_bonus", "weis", "stock"):
        assert report[name][g].tolist() == list(hand[name]), (name, g)
    if len(hand["tricks"]) == 9:
        won = [sum(t["winner"] % 2 == team for t in hand["tricks"]) for team in (0, 1)]
        assert report["tricks"][g].tolist() == won


def compare_result(oracle: Oracle, batch: Any, g: int, rules: SchieberRules, episode: str) -> None:
    report = batch.report()
    assert report["scores"][g].tolist() == list(oracle.scores), g
    winner = int(report["winner"][g])
    if oracle.winner is None:
        draw = rules.hands is not None and episode == "match"
        assert winner == (2 if draw else -1)
    else:
        assert winner == oracle.winner
        assert bool(report["schneider"][g]) == oracle.schneider
