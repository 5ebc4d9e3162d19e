"""Ten million random decisions over all presets, with the invariants checked on whole arrays at every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.schieber.rules import SchieberRules
from bidtrick.envs.schieber.tables import card_points

#: Decisions of a whole soak run, over all presets, episodes and contexts together.
DECISIONS = 10_000_000
GAMES = 1024

OTHER_RULES: list[dict[str, Any]] = [
    {"early_stock": "first_card", "claim_order": "stock_trick_weis", "weis_reveal": "all", "push_back": True},
    {"hands": 3, "kreuzweis": True, "four_nines": 150, "weis_type_order": "run_first", "first_forehand": "random"},
]
RULES: list[Any] = [*SchieberRules.presets, *OTHER_RULES]
PLANS = [
    {"rules": rules, "episode": episode, "context": context, "reward": reward}
    for rules in RULES
    for episode, context, reward in (
        ("hand", "start", "points"),
        ("hand", "sampled", "match"),
        ("match", "start", "match"),
        ("match", "sampled", "points"),
    )
]


def play(decisions: int, *, games: int, seed: int, **options: Any) -> dict[str, int]:
    """So many random decisions in one batch that begins again by itself; returns what happened how often."""
    batch = make_batch("schieber", num_games=games, seed=seed, auto_reset=True, **options)
    rng = np.random.default_rng(seed)
    rules, s = batch.rules, batch.state
    deck = np.bitwise_or.reduce(np.uint64(1) << np.array(rules.cards, np.uint64))  # J-RED-01
    size = len(rules.cards) // 4
    multipliers = np.array([*rules.multipliers, 1])
    count = {"hands": 0, "episodes": 0, "cut": 0, "weis": 0, "stock": 0, "sweeps": 0}
    hand_id = s.hand_id.copy()
    for _ in range(max(1, decisions // games)):
        words = batch.legal_words()[:, 0]
        assert (words != 0).all()
        choosing = s.contract == 6
        assert ((words >> np.uint64(36) != 0) == choosing).all()
        held = s.hands[np.arange(games), s.player]
        assert ((words & np.uint64((1 << 36) - 1) & ~held) == 0).all()
        before = s.scores.copy()
        rewards, done = batch.step(batch.sample_actions(rng))
        assert (s.player >= 0).all()
        # cards: each in one hand or played, hands of equal size but for the trick under way
        cards = np.concatenate([s.hands, s.played], axis=1)
        assert (np.bitwise_or.reduce(cards, axis=1) == deck).all()
        assert (np.bitwise_count(cards).sum(axis=1) == 4 * size).all()
        sizes = np.bitwise_count(s.hands).astype(int)
        assert (sizes.sum(axis=1) == 4 * size - 4 * s.tricks - s.order).all()
        on_table = np.bitwise_count(s.table).astype(int)
        assert (sizes + on_table == (size - s.tricks)[:, None]).all()
        assert (on_table.sum(axis=1) == s.order).all()
        # points of the running hand
        sheet = s.sheet.astype(int)
        hand = sheet[:, :, 3] + 10 * sheet[:, :, 5:8].sum(axis=2)
        assert (s.scores - s.start_scores == hand * multipliers[s.contract][:, None]).all()
        chosen = ~choosing & (s.contract < 6)
        assert (sheet[:, :, 3].sum(axis=1) + s.trick_points <= totals(rules)[s.contract])[chosen].all()
        assert (sheet[:, :, 4].sum(axis=1) == s.tricks).all()
        assert (sheet[:, :, 5].min(axis=1) == 0).all()
        assert (sheet[:, :, 6].sum(axis=1) <= 2).all()
        if rules.live_target:
            assert (s.scores < rules.target).all()
        # rewards
        assert (rewards[:, 0] == rewards[:, 2]).all()
        assert (rewards[:, 1] == rewards[:, 3]).all()
        assert (rewards[:, 0] == -rewards[:, 1]).all()
        ended = s.hand_id != hand_id
        assert not rewards[~ended].any()
        assert (ended | ~done).all()
        hand_id[:] = s.hand_id
        if ended.any():
            check_ended(batch, ended, done, rewards, before, count)
    return count


def totals(rules: SchieberRules) -> np.ndarray:
    """Card points of the deck by contract (J-PTS-01, J-RED-03). int64 [7], the last for none."""
    return np.array([*(sum(card_points(k, rules)[card] for card in rules.cards) for k in range(6)), 0])


def check_ended(
    batch: Any, ended: np.ndarray, done: np.ndarray, rewards: np.ndarray, before: np.ndarray, count: dict[str, int]
) -> None:
    rules = batch.rules
    report = {name: value[ended] for name, value in batch.report().items()}
    won, points = report["winner"], report["points"]
    cut = (won >= 0) & (won < 2) & rules.live_target
    base = report["base_points"].sum(axis=1)
    tricks, everywhere = len(rules.cards) // 4, totals(rules)[report["contract"]] + 5
    assert (base[~cut] == everywhere[~cut]).all()
    assert (base <= everywhere).all()
    assert (report["tricks"].sum(axis=1)[~cut] == tricks).all()
    assert (report["weis"].min(axis=1) == 0).all()
    assert np.isin(report["stock"].sum(axis=1), (0, 20)).all()
    sweep = (report["tricks"] == tricks) & ~cut[:, None]
    assert (report["match_bonus"][~cut] == rules.match_bonus * sweep[~cut]).all()
    everything = sum(report[name] for name in ("base_points", "match_bonus", "weis", "stock"))
    multiplier = np.array(rules.multipliers)[report["contract"]]
    assert (points == everything * multiplier[:, None]).all()
    if batch.reward == "points":
        assert np.allclose(rewards[ended, 0] * 100, points[:, 0] - points[:, 1], atol=0.01)
    else:
        worth = np.where(report["schneider"], rules.schneider_factor, 1)
        assert (rewards[ended, 0] == np.array([1, -1, 0, 0])[won] * worth).all()
    if rules.live_target:
        # a match ends exactly at the event that reaches the target
        assert ((report["scores"] >= rules.target).sum(axis=1) == cut).all()
        assert (np.argmax(report["scores"], axis=1)[cut] == won[cut]).all()
        assert (before[ended] < rules.target).all()
        assert (report["schneider"] == (cut & (2 * report["scores"].min(axis=1) < rules.target))).all()
    if not rules.weis:
        assert not report["weis"].any()
    if not rules.stock:
        assert not report["stock"].any()
    assert (done[ended] == ((won >= 0) | (batch.episode == "hand"))).all()
    count["hands"] += int(ended.sum())
    count["episodes"] += int(done.sum())
    count["cut"] += int(cut.sum())
    count["weis"] += int((report["weis"] > 0).any(axis=1).sum())
    count["stock"] += int((report["stock"] > 0).any(axis=1).sum())
    count["sweeps"] += int(sweep.any(axis=1).sum())


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: " ".join(map(str, plan.values())))
def test_short_run(plan: dict[str, Any]) -> None:
    """A sample of the soak run."""
    count = play(9_000, games=64, seed=1, **plan)
    assert count["hands"] > 150


@pytest.mark.soak
def test_ten_million_decisions() -> None:
    totals: dict[str, int] = {}
    for seed, plan in enumerate(PLANS):
        for name, number in play(DECISIONS // len(PLANS), games=GAMES, seed=seed, **plan).items():
            totals[name] = totals.get(name, 0) + number
    assert totals["hands"] > DECISIONS // 45
    assert min(totals.values()) > 50
