"""`phase="bidding"` and `phase="play"`: one part of a game is asked for, an autopilot plays the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError, IllegalActionError
from bidtrick.envs.registry import games, replay

GAMES = games()


def last_legal(obs: Any, mask: Any, rng: Any) -> Any:
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("part", ["bidding", "play"])
def test_only_one_part_is_asked_for(game: str, part: str) -> None:
    batch = make_batch(game, num_games=32, seed=1, auto_reset=True, phase=part, autopilot=last_legal)
    spec, rng = batch.spec, np.random.default_rng(0)
    paid = ended = 0
    for _ in range(60):
        assert (batch.current_player >= 0).all()
        assert (spec.bids_in[batch.phase] == (part == "bidding")).all()
        assert (spec.is_bidding(batch.observe()) == (part == "bidding")).all()
        rewards, done = batch.step(batch.sample_actions(rng))
        assert np.allclose(rewards[~done], 0)  # hands: paid at their ends only
        paid += int((rewards != 0).any(axis=1).sum())
        ended += int(done.sum())
    assert ended >= 32
    assert paid > ended // 2


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("part", ["bidding", "play"])
def test_a_part_is_the_whole_game_with_the_autopilot_for_the_rest(game: str, part: str) -> None:
    """The recorded actions, played in the whole game, pay the same; the other part's are the autopilot's."""
    batch = make_batch(game, num_games=8, seed=5, phase=part, autopilot=last_legal, record=True)
    rng = np.random.default_rng(1)
    asked = ~batch.done
    total, expected = np.zeros((8, batch.spec.num_seats)), np.zeros((8, batch.spec.num_seats))
    while not batch.done.all():
        total += batch.step(batch.sample_actions(rng))[0]
    assert asked.sum() > 4  # a hand may end in the auction
    whole = make_batch(game, num_games=8, seed=5)
    records = [batch.record(index).actions for index in range(8)]
    for step in range(max(map(len, records))):
        actions = np.array([record[step] if step < len(record) else -1 for record in records])
        other = (whole.spec.bids_in[whole.phase] == (part == "play")) & (actions >= 0)
        assert np.array_equal(actions[other], last_legal(None, whole.legal_actions(), rng)[other])
        expected += whole.step(actions)[0]
    assert whole.done.all()
    assert np.allclose(total[asked], expected[asked])
    assert not total[~asked].any()
    for name, values in batch.report().items():
        assert np.array_equal(values, whole.report()[name]), name
    assert replay(batch.record(0)).done.all()


def test_skip_forced_and_matches_go_together_with_parts() -> None:
    agent = make_agent("heuristic", make_batch("schieber").spec)
    batch = make_batch(
        "schieber", num_games=4, seed=2, episode="match", phase="play", autopilot=agent.act, skip_forced=True
    )
    rng = np.random.default_rng(0)
    hands = 0
    while not batch.done.all():
        live = ~batch.done
        assert (batch.legal_actions()[live].sum(axis=1) > 1).all()
        batch.step(batch.sample_actions(rng))
        hands = int(batch.state.hand_number.max())
    assert hands > 3


def test_a_seed_reproduces_what_a_random_autopilot_does() -> None:
    def run() -> Any:
        agent = make_agent("random", make_batch("schieber").spec)
        batch = make_batch("schieber", num_games=16, seed=3, phase="bidding", autopilot=agent.act)
        batch.reset(seed=9)
        return batch.step(batch.legal_actions().argmax(axis=1))[0]

    assert np.array_equal(run(), run())


def test_bad_arguments_and_illegal_autopilots_are_refused() -> None:
    with pytest.raises(BidtrickError, match=r"'full' \| 'bidding' \| 'play'"):
        make_batch("schieber", phase="auction", autopilot=last_legal)
    with pytest.raises(BidtrickError, match="phase='play' needs an autopilot"):
        make_batch("schieber", phase="play")
    with pytest.raises(BidtrickError, match="phase='full' leaves nothing for an autopilot"):
        make_batch("schieber", autopilot=last_legal)
    with pytest.raises(IllegalActionError, match="phase contract: action 0"):
        make_batch("schieber", phase="play", autopilot=lambda obs, mask, rng: np.zeros(len(obs), np.int64))
