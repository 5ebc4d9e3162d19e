"""Peers of the benchmark: other suites, and our adapters beside them, each in a process of its own.

A contender is a function that sets things up and returns a loop; one call of the loop plays a little (a game, a
step of a batch, an iteration of training) and returns how many decisions that was. A contender that is not
installed, fails or crashes is reported and harms nobody else.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ..envs.core.errors import BidtrickError

Loop = Callable[[], int]

#: Settings of the comparison of training speeds, the same on both sides: what SB3 is fastest with.
PPO_ENVS, PPO_STEPS, PPO_BATCH, PPO_EPOCHS, PPO_HIDDEN = 64, 64, 4096, 4, (256, 256)

#: Games in one Pgx batch, and steps of one compiled loop.
PGX_GAMES, PGX_STEPS = 4096, 8


class PeerError(BidtrickError):
    """A contender that cannot be measured; the message says why."""


def play_for(loop: Loop, seconds: float) -> float:
    """Decisions per second of a loop that is called for about `seconds`."""
    count, start = 0, time.perf_counter()
    while True:
        count += loop()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return count / elapsed


def openspiel_bridge(game: str) -> Loop:
    """Bridge without double dummy from Python: dealing, legal actions and the 571 floats of each decision."""
    pyspiel: Any = importlib.import_module("pyspiel")
    observation: Any = importlib.import_module("open_spiel.python.observation")
    bridge = pyspiel.load_game("bridge(use_double_dummy_result=false)")
    observe = observation.make_observation(bridge).set_from
    uniform = random.Random(0).random

    def loop() -> int:
        state, count = bridge.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()  # the outcomes of dealing are equally likely
            if not state.is_chance_node():
                observe(state, state.current_player())
                count += 1
            state.apply_action(legal[int(uniform() * len(legal))])
        return count

    return loop


def rlcard_bridge(game: str) -> Loop:
    """RLCard's bridge with its observations."""
    env: Any = importlib.import_module("rlcard").make("bridge", config={"seed": 0})
    uniform = random.Random(0).random

    def loop() -> int:
        state, _ = env.reset()
        count = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(uniform() * len(legal))])
            count += 1
        return count

    return loop


def _pgx_bridge() -> Any:
    """Pgx's bridge bidding over the sample of solved deals that is part of Pgx (the full table is a download)."""
    import numpy as np

    module: Any = importlib.import_module("pgx.bridge_bidding")
    if not hasattr(module, "_load_sample_hash"):
        raise PeerError("needs a downloaded table of solved deals")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deals.npy"
        np.save(file, np.stack([np.asarray(part) for part in module._load_sample_hash()]))
        return module.BridgeBidding(str(file))


def pgx_auto_reset(game: str) -> Loop:
    """Pgx's bridge bidding on all cores, batch 4096, finished games begin anew within the step."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax: Any = importlib.import_module("jax")
    experimental: Any = importlib.import_module("pgx.experimental")
    env = _pgx_bridge()
    step = jax.vmap(experimental.auto_reset(env.step, env.init))

    def one(state: Any, key: Any) -> tuple[Any, Any]:
        choose, advance = jax.random.split(key)
        actions = experimental.act_randomly(choose, state.legal_action_mask)
        return step(state, actions, jax.random.split(advance, PGX_GAMES)), state.observation.sum()

    play = jax.jit(lambda state, key: jax.lax.scan(one, state, jax.random.split(key, PGX_STEPS)))
    memory = {"key": jax.random.PRNGKey(0)}
    memory["state"] = jax.jit(jax.vmap(env.init))(jax.random.split(memory["key"], PGX_GAMES))

    def loop() -> int:
        memory["key"], key = jax.random.split(memory["key"])
        memory["state"], sums = play(memory["state"], key)
        jax.block_until_ready(sums)
        return PGX_GAMES * PGX_STEPS

    return loop


def pgx_lockstep(game: str) -> Loop:
    """Pgx's bridge bidding without resets: batches of 4096 auctions of 16 calls each, only live decisions count."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax: Any = importlib.import_module("jax")
    experimental: Any = importlib.import_module("pgx.experimental")
    env = _pgx_bridge()
    init, step = jax.vmap(env.init), jax.vmap(env.step)

    def one(state: Any, key: Any) -> tuple[Any, Any]:
        actions = experimental.act_randomly(key, state.legal_action_mask)
        return step(state, actions), ((~state.terminated).sum(), state.observation.sum())

    @jax.jit
    def play(key: Any) -> Any:
        deal, moves = jax.random.split(key)
        state = init(jax.random.split(deal, PGX_GAMES))
        return jax.lax.scan(one, state, jax.random.split(moves, 2 * PGX_STEPS))[1]

    memory = {"key": jax.random.PRNGKey(0)}

    def loop() -> int:
        memory["key"], key = jax.random.split(memory["key"])
        return int(jax.block_until_ready(play(key))[0].sum())

    return loop


def _aec_loop(env: Any) -> Loop:
    """One whole game of a PettingZoo AEC environment, in the usual way."""
    import numpy as np

    uniform = random.Random(0).random
    env.reset(seed=0)

    def loop() -> int:
        env.reset()
        count = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(uniform() * len(legal))]))
            count += 1
        return count

    return loop


def aec_ours(game: str) -> Loop:
    """Our PettingZoo environment with its stock wrappers."""
    from ..envs.adapters.modules import module_name

    module: Any = importlib.import_module(module_name(game))
    return _aec_loop(module.env())


def aec_leduc(game: str) -> Loop:
    return _aec_loop(importlib.import_module("pettingzoo.classic.leduc_holdem_v4").env())


def aec_texas(game: str) -> Loop:
    return _aec_loop(importlib.import_module("pettingzoo.classic.texas_holdem_v4").env())


def ppo_sb3(game: str) -> Loop:
    """MaskablePPO of sb3-contrib on our vector environment: one seat learns, the others play at random."""
    contrib: Any = importlib.import_module("sb3_contrib")
    adapter: Any = importlib.import_module("..envs.adapters.sb3", __package__)
    env = adapter.make_sb3_vec_env(game, num_envs=PPO_ENVS, seed=0, mask_in_observation=False)
    model = contrib.MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=PPO_STEPS,
        batch_size=PPO_BATCH,
        n_epochs=PPO_EPOCHS,
        policy_kwargs={"net_arch": list(PPO_HIDDEN)},
        device="cpu",
        seed=0,
    )

    def loop() -> int:
        before = model.num_timesteps
        model.learn(total_timesteps=PPO_ENVS * PPO_STEPS, reset_num_timesteps=before == 0)
        return model.num_timesteps - before

    return loop


def _ppo_loop(**settings: Any) -> Loop:
    """Iterations (rollout and learning) of our trainer; what counts are decisions learned from."""
    from .ppo import NetworkSettings, PPOConfig, Trainer

    # SB3 gives policy and value a network each, so ours do the same here
    network = NetworkSettings(hidden=PPO_HIDDEN, critic="separate")
    trainer = Trainer(PPOConfig(network=network, device="cpu", **settings))

    def loop() -> int:
        before = trainer.decisions
        trainer.iterate()
        return trainer.decisions - before

    return loop


def ppo_same(game: str) -> Loop:
    """Our PPO with the peer's numbers: the same network, games, steps, batch, epochs and float32."""
    return _ppo_loop(
        game=game, num_games=PPO_ENVS, steps=PPO_STEPS, minibatch=PPO_BATCH, epochs=PPO_EPOCHS, precision="float32"
    )


def ppo_speed(game: str) -> Loop:
    """Our PPO as it comes, but for the four epochs and the network, which the comparison fixes."""
    return _ppo_loop(game=game, epochs=PPO_EPOCHS)


@dataclass(frozen=True)
class Contender:
    """Something whose speed is measured in a process of its own.

    Attributes:
        group: "engine" (compared with our engine), "aec" or "ppo" (compared with ours in the same group).
        modules: what must be installed, by import name.
        ours: ours, not a peer.
    """

    title: str
    group: str
    make: Callable[[str], Loop]
    modules: tuple[str, ...] = ()
    ours: bool = False

    def missing(self) -> list[str]:
        """Modules that are not installed."""
        return [name for name in self.modules if importlib.util.find_spec(name) is None]


CONTENDERS: dict[str, Contender] = {
    "openspiel": Contender("OpenSpiel bridge", "engine", openspiel_bridge, ("pyspiel", "open_spiel")),
    "pgx": Contender("Pgx bridge bidding, auto-reset", "engine", pgx_auto_reset, ("pgx", "jax")),
    "pgx-lockstep": Contender("Pgx bridge bidding, lockstep", "engine", pgx_lockstep, ("pgx", "jax")),
    "rlcard": Contender("RLCard bridge", "engine", rlcard_bridge, ("rlcard",)),
    "aec": Contender("bidtrick AEC", "aec", aec_ours, ("pettingzoo",), ours=True),
    "aec-leduc": Contender("PettingZoo Leduc hold'em", "aec", aec_leduc, ("pettingzoo", "rlcard", "pygame")),
    "aec-texas": Contender("PettingZoo Texas hold'em", "aec", aec_texas, ("pettingzoo", "rlcard", "pygame")),
    "ppo": Contender("bidtrick PPO", "ppo", ppo_speed, ("torch",), ours=True),
    "ppo-same": Contender("bidtrick PPO, SB3's sizes", "ppo", ppo_same, ("torch",), ours=True),
    "ppo-sb3": Contender("SB3 MaskablePPO", "ppo", ppo_sb3, ("torch", "sb3_contrib")),
}


def _serve(pipe: Connection, make: Callable[[str], Loop], game: str) -> None:
    """The child: set up, warm up, then a measurement for every number of seconds that comes in."""
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  peers print banners
    try:
        loop = make(game)
        loop()
        pipe.send(("ready", 0.0))
        while (seconds := pipe.recv()) is not None:
            pipe.send(("rate", play_for(loop, seconds)))
    except EOFError:
        pass
    except BaseException as error:  # a peer may even call sys.exit
        pipe.send(("error", f"{type(error).__name__}: {error}"))


class PeerProcess:
    """A contender in a child process. Use as a context manager, or `close` it.

    Args:
        make: top-level function that sets the contender up.
        patience: seconds to wait for the set-up, and for an answer beyond the asked-for time.

    Raises: PeerError if it cannot be set up.
    """

    def __init__(self, make: Callable[[str], Loop], game: str, patience: float = 180.0) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._patience = patience
        self._process = context.Process(target=_serve, args=(other, make, game), daemon=True)
        self._process.start()
        other.close()
        try:
            self._answer(patience)
        except PeerError:
            self.close()
            raise

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def rate(self, seconds: float) -> float:
        """Decisions per second over about `seconds`. Raises PeerError if it fails or crashes."""
        try:
            self._pipe.send(seconds)
        except OSError:
            raise PeerError("the process has ended") from None
        return self._answer(seconds + self._patience)

    def _answer(self, patience: float) -> float:
        if not self._pipe.poll(patience):
            raise PeerError(f"no answer within {patience:.0f} s")
        try:
            kind, value = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join(10)
            raise PeerError(f"the process crashed (exit code {self._process.exitcode})") from None
        if kind == "error":
            raise PeerError(str(value))
        return float(value)

    def close(self) -> None:
        """End the child process."""
        with contextlib.suppress(OSError):
            self._pipe.send(None)
        self._process.join(2)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(10)
        self._pipe.close()
