"""Advantage estimates against closed forms and a slow implementation seat by seat."""

import numpy as np
import pytest
import torch

from bidtrick.agents.neural.network import NetworkConfig, PolicyValueNet
from bidtrick.envs import make_batch
from bidtrick.training.rollout import Rollout, advantages, collect


def make_rollout(player, value, reward, done) -> Rollout:
    player = np.array(player, np.int8)
    shape = player.shape
    return Rollout(
        obs=np.zeros((*shape, 1), np.uint8),
        hidden=np.zeros((*shape, 0), np.uint8),
        mask=np.ones((*shape, 2), bool),
        action=np.zeros(shape, np.int64),
        log_prob=np.zeros(shape, np.float32),
        value=np.array(value, np.float32),
        player=player,
        reward=np.array(reward, np.float32),
        done=np.array(done, bool),
        learner=np.ones(shape, bool),
    )


def test_one_seat_reduces_to_textbook_gae():
    """With one seat: A_t = Σ (γλ)^k δ_{t+k}, closed form for a three-step episode."""
    gamma, lam = 0.9, 0.8
    v, r = [1.0, 2.0, 3.0], [0.5, -1.0, 4.0]
    rollout = make_rollout([[0]] * 3, [[x] for x in v], [[[x]] for x in r], [[False], [False], [True]])
    advantage, returns, valid = advantages(rollout, gamma, lam)
    d2 = r[2] - v[2]
    d1 = r[1] + gamma * v[2] - v[1]
    d0 = r[0] + gamma * v[1] - v[0]
    assert valid.all()
    expected = [d0 + gamma * lam * d1 + (gamma * lam) ** 2 * d2, d1 + gamma * lam * d2, d2]
    assert advantage[:, 0] == pytest.approx(expected)
    assert returns == pytest.approx(advantage + rollout.value)


def test_lambda_one_gives_the_sum_of_rewards():
    """γ = λ = 1: the return of every decision is all that its seat is paid from there to the end."""
    player = [[0], [1], [0], [1]]
    reward = [[[1.0, -1.0]], [[2.0, -2.0]], [[4.0, -4.0]], [[8.0, -8.0]]]
    rollout = make_rollout(player, [[5.0], [6.0], [7.0], [8.0]], reward, [[False]] * 3 + [[True]])
    _, returns, valid = advantages(rollout, 1.0, 1.0)
    assert valid.all()
    assert returns[:, 0] == pytest.approx([15.0, -14.0, 12.0, -8.0])


def test_reward_between_two_decisions_belongs_to_the_earlier_one():
    """Paid by another seat's move, after this seat's decision and before its next."""
    rollout = make_rollout(
        [[0], [1], [0], [0]], [[0.0]] * 4, [[[0, 0]], [[3, 0]], [[0, 0]], [[0, 0]]], [[False]] * 3 + [[True]]
    )
    _, returns, _ = advantages(rollout, 1.0, 0.0)
    assert returns[0, 0] == 3.0
    assert returns[2, 0] == 0.0


def test_cut_sequences_bootstrap_from_their_last_decision():
    """A seat's last decision before the cut has no estimate; the one before is bootstrapped from its value."""
    rollout = make_rollout([[0], [1], [0]], [[1.0], [2.0], [10.0]], [[[0.5, 0]], [[0.25, 0]], [[0, 0]]], [[False]] * 3)
    advantage, _, valid = advantages(rollout, 0.9, 0.95)
    assert valid[:, 0].tolist() == [True, False, False]
    assert advantage[0, 0] == pytest.approx(0.75 + 0.9 * 10.0 - 1.0)


def test_nothing_flows_over_the_end_of_an_episode():
    """Rewards and values of the next episode do not reach decisions of the one before."""
    player = [[0], [0], [0]]
    reward = [[[1.0]], [[2.0]], [[100.0]]]
    rollout = make_rollout(player, [[0.0], [0.0], [50.0]], reward, [[False], [True], [False]])
    _, returns, valid = advantages(rollout, 1.0, 1.0)
    assert returns[:2, 0].tolist() == [3.0, 2.0]
    assert valid[:, 0].tolist() == [True, True, False]


def slow_advantages(rollout: Rollout, gamma: float, lam: float):
    """Game by game and seat by seat, as one would write it down."""
    steps, n = rollout.action.shape
    advantage = np.zeros((steps, n))
    valid = np.zeros((steps, n), bool)
    for g in range(n):
        for seat in range(rollout.reward.shape[2]):
            episodes: list[list[int]] = [[]]
            for t in range(steps):
                if rollout.player[t, g] == seat:
                    episodes[-1].append(t)
                if rollout.done[t, g]:
                    episodes.append([])
            ends = [t for t in range(steps) if rollout.done[t, g]] + [None]
            for decisions, end in zip(episodes, ends, strict=True):
                following = 0.0
                for k in range(len(decisions) - 1, -1, -1):
                    t = decisions[k]
                    last = k == len(decisions) - 1
                    if last and end is None:
                        continue
                    until = end if last else decisions[k + 1] - 1
                    paid = rollout.reward[t : until + 1, g, seat].sum()
                    v_next = 0.0 if last else rollout.value[decisions[k + 1], g]
                    following = paid + gamma * v_next - rollout.value[t, g] + gamma * lam * following
                    advantage[t, g], valid[t, g] = following, True
    return advantage, valid


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_agrees_with_a_slow_implementation_on_real_rollouts(episode):
    games = make_batch(
        "schieber", num_games=6, seed=3, rules={"target": 150}, episode=episode, auto_reset=True, skip_forced=True
    )
    net = PolicyValueNet(games.spec, NetworkConfig((8,)))
    rollout = collect(games, net, 90, torch.Generator().manual_seed(1), torch.device("cpu"))
    assert rollout.done.any()
    advantage, returns, valid = advantages(rollout, 0.97, 0.9)
    expected, known = slow_advantages(rollout, 0.97, 0.9)
    assert (valid == known).all()
    assert advantage == pytest.approx(expected, abs=1e-4)
    assert not valid.all()
    assert returns == pytest.approx(advantage + rollout.value)


def test_rollout_actions_are_legal_and_probabilities_those_of_the_network():
    games = make_batch("schieber", num_games=32, seed=3, auto_reset=True)
    net = PolicyValueNet(games.spec, NetworkConfig((16,)))
    rollout = collect(games, net, 50, torch.Generator().manual_seed(1), torch.device("cpu"))
    assert np.take_along_axis(rollout.mask, rollout.action[:, :, None], axis=2).all()
    logits, value = net(torch.from_numpy(rollout.obs[7]))
    masked = logits.detach().numpy() - 1e9 * ~rollout.mask[7]
    p = np.exp(masked - masked.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    assert rollout.log_prob[7] == pytest.approx(np.log(p[np.arange(32), rollout.action[7]]), abs=1e-4)
    assert rollout.value[7] == pytest.approx(value.detach().numpy(), abs=1e-5)


def test_samples_follow_the_policy():
    """Frequencies of the first action of many equal positions match the network's probabilities (chi-square)."""
    games = make_batch("schieber", num_games=20000, seed=3)
    games.reset(options={"game_id": 0, "dealer": 0})
    net = PolicyValueNet(games.spec, NetworkConfig((16,)))
    torch.nn.init.normal_(net.policy_head.weight, std=0.7)
    rollout = collect(games, net, 1, torch.Generator().manual_seed(1), torch.device("cpu"))
    counts = np.bincount(rollout.action[0], minlength=43)
    logits, _ = net(torch.from_numpy(rollout.obs[0][:1]))
    p = torch.softmax(logits[0].masked_fill(~torch.from_numpy(rollout.mask[0][0]), -1e9), 0).detach().numpy()
    legal = np.flatnonzero(rollout.mask[0][0])
    chi2 = ((counts[legal] - 20000 * p[legal]) ** 2 / (20000 * p[legal])).sum()
    assert counts[legal].sum() == 20000
    assert chi2 < 30  # six degrees of freedom: far beyond the 99.99 % quantile means a wrong sampler
