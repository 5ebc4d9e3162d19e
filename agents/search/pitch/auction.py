"""Sampled deals of Pitch from a decision before the fill: the rest of the auction by the heuristic agent.

The engine plays it: every deal becomes a game for every legal action, the bids that were heard are made again, then the
action; whatever is to be decided before the first card, by anybody, the heuristic agent decides.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from ....envs.core.bits import BIT, I64, U8, U64, indices_of
from ....envs.core.spec import GameSpec
from ....envs.pitch.game import Pitch
from ....envs.pitch.rules import PitchRules
from ....envs.pitch.tables import BID, DISCARD, MISDEAL, PLAY, TRUMP
from ...heuristic.pitch import Heuristic
from .knowledge import SEAT_PLACES, Knowledge

#: Most actions before the first card: bids, trump, call, "done", leftovers one by one, burns; and some void deals.
_MOST_STEPS = 200


class Auctions:
    """Plays out auctions for one game. spec: the game."""

    def __init__(self, spec: GameSpec, knowledge: Knowledge) -> None:
        self._knowledge, self._rules = knowledge, cast(PitchRules, spec.rules)
        self._heuristic = Heuristic("heuristic", spec)

    def play_out(self, obs: U8, actions: I64, worlds: U64, scores: I64) -> tuple[Pitch, I64]:
        """Games with seat 0 for the observer, and those of them that have reached the card play.

        The others were void or over before a card was played. int64 [≤ n · A].

        Args:
            obs: uint8 [D], an observation before the fill.
            actions: int64 [A], legal ones. worlds: uint64 [n, L]. scores: int64 [E], own entry first.

        The games of a deal lie together, in the order of `actions`.
        """
        k = self._knowledge
        match = bool(k.segment(obs, "match_episode")[0])
        deals = np.repeat(self._decks(obs, worlds), len(actions), axis=0)
        games = Pitch(
            self._rules,
            num_games=len(deals),
            episode="match" if match else "hand",
            reward="match" if k.segment(obs, "match_reward")[0] else "points",
        )
        options = {"deal": deals, "dealer": int(k.segment(obs, "dealer").argmax()), "scores": scores}
        games.reset(options=options)
        number = games.state.hand_id.copy()
        self._repeat(games, obs)
        chosen = np.tile(actions, len(worlds))
        games.step(chosen, validate=False)
        rng = np.random.default_rng(0)  # the heuristic draws nothing from it
        for _ in range(_MOST_STEPS):
            same = (games.state.player >= 0) & (games.state.hand_id == number)
            going = np.flatnonzero(same & (games.phase != PLAY))
            if not len(going):
                break
            acts = np.full(len(games.state), -1, np.int64)
            acts[going] = self._heuristic.act(games.observe()[going], games.legal_actions()[going], rng)
            games.step(acts, validate=False)
        same = (games.state.player >= 0) & (games.state.hand_id == number)
        return games, np.flatnonzero(same & (games.phase == PLAY))

    def _decks(self, obs: U8, worlds: U64) -> I64:
        """Whole decks: hands by seat, own first, then the stock in an order that deal and row seed. int64 [n, D]."""
        k = self._knowledge
        f = k.facts(obs)
        size = k.tables.hand_size
        deck = int(np.bitwise_or.reduce(BIT[k.tables.deck]))
        decks = np.empty((len(worlds), len(k.tables.deck)), np.int64)
        for i, world in enumerate(worlds):
            pools = world[: k.stock].reshape(-1, SEAT_PLACES)
            hands = [f.own, *(int(np.bitwise_or.reduce(seat)) for seat in pools)]
            left = indices_of(deck & ~sum(hands))  # a world with open cards lacks what was discarded
            np.random.default_rng([i, *(int(word) for word in world)]).shuffle(left)
            dealt: list[int] = []
            for hand in hands:
                cards = indices_of(hand)
                missing = size - len(cards)
                dealt += [*cards, *left[:missing]]
                left = left[missing:]
            decks[i] = [*dealt, *left]
        return decks

    def _repeat(self, games: Pitch, obs: U8) -> None:
        """All that happened before this decision: answers about a misdeal, bids, the trump, "done" of the others."""
        k = self._knowledge
        a = k.tables.actions
        phase, bids = k.one(obs, "phase"), k.segment(obs, "bids").astype(np.int64)
        trump = k.one(obs, "trump")
        for _ in range(_MOST_STEPS):
            seat, at = games.current_player.astype(np.int64), games.phase
            action = np.full(len(games.state), -1, np.int64)
            asked = at == MISDEAL
            action[asked & ((seat != 0) | (phase != MISDEAL))] = a.no_misdeal
            bidding = at == BID
            action[bidding] = np.where(bids[seat[bidding]] > 0, a.first_bid + bids[seat[bidding]] - 1, -1)
            if phase > TRUMP:
                action[at == TRUMP] = a.first_suit + trump
            if phase == DISCARD:
                action[(at == DISCARD) & (seat != 0)] = a.done
            if not (action >= 0).any():
                return
            games.step(action, validate=False)
