"""Imitation of an agent, and agents as opponents, in rollouts."""

import numpy as np
import pytest
import torch

from bidtrick.agents.neural.network import NetworkConfig, PolicyValueNet
from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.training.config import load
from bidtrick.training.opponents import OpponentSettings, seat_opponents
from bidtrick.training.ppo import PPOConfig, Trainer
from bidtrick.training.rollout import advantages, collect

CPU = torch.device("cpu")


def batch(n=24, **options):
    return make_batch("schieber", num_games=n, seed=3, auto_reset=True, **options)


@pytest.mark.parametrize("symmetry", [True, False])
def test_a_teacher_plays_all_seats(symmetry):
    """The games go exactly as the teacher alone would play them, and its actions are legal in the network's form."""
    games, twin = batch(), batch()
    teacher = make_agent("heuristic", games.spec)
    net = PolicyValueNet(games.spec, NetworkConfig((8,), symmetry=symmetry))
    rollout = collect(games, net, 60, torch.Generator().manual_seed(0), CPU, teacher)
    rng = np.random.default_rng(0)
    for t in range(60):
        rewards, done = twin.step(teacher.act(twin.observe(), twin.legal_actions(), rng))
        assert (rewards == rollout.reward[t]).all()
        assert (done == rollout.done[t]).all()
    assert rollout.learner.all()
    assert np.take_along_axis(rollout.mask, rollout.action[:, :, None], axis=2).all()


def test_imitation_learns_the_teachers_choices():
    config = load(
        PPOConfig, None,
        ["num_games=128", "steps=32", "minibatch=1024", "decisions=120000", "network.hidden=[64]", "threads=1",
         "evaluate.every=0", "imitate.decisions=1e9", "learning_rate=3e-3", "precision=float32"],
    )  # fmt: skip
    trainer = Trainer(config)

    def agreement():
        games = make_batch("schieber", num_games=300, seed=77, skip_forced=True)
        teacher, pupil, rng = make_agent("heuristic", games.spec), trainer.agent(), np.random.default_rng(0)
        same = []
        while not games.done.all():
            live = np.flatnonzero(~games.done)
            obs, mask = games.observe()[live], games.legal_actions()[live]
            theirs = teacher.act(obs, mask, rng)
            same.append(theirs == pupil.act(obs, mask, rng))
            actions = np.full(300, -1)
            actions[live] = theirs
            games.step(actions)
        return np.concatenate(same).mean()

    before = agreement()
    while trainer.iteration < config.iterations:
        trainer.iterate()
    assert agreement() > before + 0.15


def test_opponents_play_one_side_of_their_share():
    games = batch(24)
    agent = make_agent("heuristic", games.spec)
    opponents = seat_opponents(games, [agent], OpponentSettings(share=0.5))
    assert opponents is not None
    assert (opponents.seats[12:] == -1).all()
    for game in range(12):
        assert sorted(opponents.seats[game].tolist()) == [-1, -1, 0, 0]
        assert opponents.seats[game, 0] == opponents.seats[game, 2]
    assert {tuple(row) for row in opponents.seats[:12].tolist()} == {(-1, 0, -1, 0), (0, -1, 0, -1)}
    assert seat_opponents(games, [agent], OpponentSettings(share=0.0)) is None


def test_opponents_decisions_are_theirs_and_not_learned_from():
    games = batch(24)
    agent = make_agent("heuristic", games.spec)
    opponents = seat_opponents(games, [agent], OpponentSettings(share=0.5))
    net = PolicyValueNet(games.spec, NetworkConfig((8,), symmetry=False))
    rollout = collect(games, net, 50, torch.Generator().manual_seed(0), CPU, opponents=opponents)
    theirs = np.take_along_axis(np.tile(opponents.seats, (50, 1, 1)), rollout.player[:, :, None].astype(int), 2)[..., 0]
    assert (rollout.learner == (theirs < 0)).all()
    _, _, valid = advantages(rollout, 1.0, 0.95)
    assert not (valid & ~rollout.learner).any()
    # played again: the network's recorded actions and the agent's own choices lead through the same games
    twin, rng = batch(24), np.random.default_rng(0)
    for t in range(50):
        choice = agent.act(twin.observe(), twin.legal_actions(), rng)
        rewards, _ = twin.step(np.where(rollout.learner[t], rollout.action[t], choice))
        assert (rewards == rollout.reward[t]).all()
