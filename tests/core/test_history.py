"""`history()`: the public actions of the present hand in order."""

import numpy as np
import pytest

from bidtrick.envs import make_batch


@pytest.mark.parametrize("steps", [0, 1, 3, 25, 37])
def test_history_lists_what_was_done_by_whom(steps):
    games = make_batch("schieber", num_games=40, seed=2, rules={"push_back": True})
    rng = np.random.default_rng(0)
    log: list[list[tuple[int, int]]] = [[] for _ in range(40)]
    for _ in range(steps):
        player, actions = games.current_player, games.sample_actions(rng)
        games.step(actions)
        for game in range(40):
            log[game].append((int(player[game]), int(actions[game])))
    seats = rng.integers(0, 4, 40)
    tokens = games.history(seats)
    assert tokens.shape == (40, games.spec.max_hand_actions, 2)
    for game in range(40):
        expected = [[(seat - seats[game]) % 4, action] for seat, action in log[game]]
        assert tokens[game, :steps].tolist() == expected
        assert (tokens[game, steps:] == -1).all()
