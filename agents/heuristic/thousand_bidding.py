"""Bidding, redeals, contract and write-off of the Thousand heuristic: what playing is worth, and what it costs not to.

Values are points of the seat less the mean of the others. A contract is worth its points times the chance to make it,
less its points times the chance to fail; a hand before the talon is worth the mean over sample talons of its best
contract. The seat bids on as long as that is more than what passing is worth.
"""

from __future__ import annotations

import itertools
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...envs.core.layout import ObsLayout
from ...envs.thousand.rules import ThousandRules
from ...envs.thousand.state import BID, SCORE, SCORE_LOW, WRITE_OFFS
from ...envs.thousand.tables import AUCTION, CARDS, CONTRACT, GIVE, HAND_REDEAL, NUM_RANKS, TALON_REDEAL, action_space
from ..base import I64, U8, Bools
from .thousand_hand import AFTER_GIVING, HOLDINGS, WITH_TALON, HandEstimate, has_pair, holdings
from .thousand_passing import best_giving
from .thousand_position import Floats
from .thousand_weights import BID as WEIGHTS

#: Sample talons to a bidding decision.
TALONS = 48
#: Where the cards of each suit begin in a set of cards.
SHIFTS: I64 = NUM_RANKS * np.arange(4)
#: Grid of expected points in the table of values.
STEP, TOP = 4, 480
GRID: Floats = np.arange(0, TOP + STEP, STEP, dtype=np.float32)
#: What a score leaves to gain before the barrel cuts it off, in the table of values.
ROOMS: Floats = np.array([20, 40, 60, 80, 100, 110, 120, 130, 140, 160, 180, 200, 240, 1000], np.float32)
#: A fall from the barrel costs this, and so does a seat's third bolt.
FALL = np.float32(120)


class Bidder:
    """Decides everything before the first card but what to give away, for one set of rules."""

    def __init__(self, rules: ThousandRules, layout: ObsLayout, estimate: HandEstimate) -> None:
        self._rules, self._layout, self._estimate = rules, layout, estimate
        self._space = action_space(rules)
        self.amounts: Floats = 100 + np.arange(self._space.amounts, dtype=np.float32) * self._space.step
        undealt = CARDS - rules.hand_size
        every = np.array(list(itertools.combinations(range(undealt), rules.talon_size)))
        self._talons: I64 = every[np.random.default_rng(0).permutation(len(every))[:TALONS]]
        self._values = self._table()

    # What playing is worth.

    def _table(self) -> Floats:
        """Value of the best contract from each amount up. float32 [rooms, pair or none, amounts, points]."""
        made = np.minimum(self.amounts, ROOMS[:, None])[:, None, :, None]
        chances = np.stack([self._chances(GRID[None, :], pair, WITH_TALON) for pair in (0, 1)])
        values = chances * made - (1 - chances) * self.amounts[:, None]
        return np.maximum.accumulate(values[:, :, ::-1], axis=2)[:, :, ::-1]

    def _chances(self, points: Floats, pair: Any, stage: int) -> Floats:
        """Chance to make each amount: points [..., 1?] against amounts. → [amounts, ...]."""
        return self._estimate.chance(points, self.amounts.reshape(-1, *[1] * (points.ndim - 1)), pair, stage)

    def before_talon(self, obs: U8, low: I64) -> Floats:
        """Value of playing at least amount number `low`, the talon unseen. uint8 [n, D], int64 [n] → float32 [n]."""
        points, pair = self._sampled(obs)
        grid = np.clip(points / STEP + np.float32(0.5), 0, len(GRID) - 1).astype(np.int64)
        room = np.searchsorted(ROOMS, np.minimum(self._room(obs), ROOMS[-1]))
        value = self._values[room[:, None], pair, low[:, None], grid].mean(axis=1)
        return value - self._others(points.mean(axis=1)) + np.float32(WEIGHTS["choice"])

    def chance_before_talon(self, obs: U8, low: I64) -> Floats:
        """Chance to make amount number `low`, the talon unseen. float32 [n]."""
        points, pair = self._sampled(obs)
        return self._estimate.chance(points, self.amounts[low][:, None], pair, WITH_TALON).mean(axis=1)

    def _sampled(self, obs: U8) -> tuple[Floats, I64]:
        """Points with each sample talon, float32 [n, T], and whether a marriage is there, int64 [n, T]."""
        hand = self._segment(obs, "hand")
        unseen = np.argsort(hand, axis=1, kind="stable")[:, : CARDS - self._rules.hand_size]
        # the bits of a card in its suit, the four suits one after the other
        drawn = np.zeros((len(obs), len(self._talons)), np.int64)
        for column in range(self._rules.talon_size):
            drawn |= 1 << unseen[:, self._talons[:, column]]
        held = holdings(hand)[:, None, :] | drawn[:, :, None] >> SHIFTS & (HOLDINGS - 1)
        return self._estimate.points(held, WITH_TALON), has_pair(held)

    def with_talon(self, obs: U8, legal: Bools) -> tuple[I64, Floats]:
        """The best legal amount with the talon in hand, and its value. uint8 [n, D], bool [n, A] → int64, float32 [n].

        Without a legal amount (cards are given before the contract is named) every amount from the bid up counts.
        """
        hand = self._segment(obs, "hand")
        held = holdings(hand)
        given = self._number(obs, "given")
        points = np.zeros(len(obs), np.float32)
        for gives in range(self._rules.gives + 1):
            rows = np.flatnonzero(self._rules.gives - given == gives)
            if len(rows) and gives:
                points[rows] = best_giving(hand[rows], gives, self._estimate)[1]
            elif len(rows):
                points[rows] = self._estimate.points(held[rows], AFTER_GIVING)
        bid = 5 * self._number(obs, "bid")[:, None]
        legal = np.where(legal.any(axis=1, keepdims=True), legal, self.amounts >= bid)
        pair = has_pair(held)
        chances = self._chances(points[None, :], pair[None, :], AFTER_GIVING).T
        made = np.minimum(self.amounts, self._room(obs)[:, None])
        barrel = self._flag(obs, "barrel")[:, None]
        values = chances * made - (1 - chances) * np.where(barrel, 0, self.amounts)
        values = np.where(legal, values, -np.inf)
        best = values.argmax(axis=1)
        return best, values[np.arange(len(obs)), best] - self._others(points)

    def _others(self, points: Floats) -> Floats:
        """Mean of what the others write."""
        return np.float32(WEIGHTS["others"]) + np.float32(WEIGHTS["others_points"]) * points

    def _room(self, obs: U8) -> Floats:
        """What the seat can gain: to the barrel no more than is missing (T-BAR-01). float32 [n]."""
        sheet = self._segment(obs, "sheet")[:, 0].astype(np.float32)
        score = 16 * sheet[:, SCORE] - 2048 + sheet[:, SCORE_LOW]
        barrel = self._rules.barrel_at
        if barrel is None:
            return np.full(len(obs), ROOMS[-1])
        return np.where(score < barrel, barrel - score, ROOMS[-1])

    # Decisions.

    def choose(self, obs: U8, mask: Bools, phase: int) -> I64:
        """Actions of rows in one phase: uint8 [n, D], bool [n, num_actions] → int64 [n]."""
        space = self._space
        amounts = mask[:, space.amount : space.amount + space.amounts]
        if phase == AUCTION:
            return self._bid(obs, mask, amounts)
        if phase == HAND_REDEAL:
            opens = self._flag(obs, "dealer", self._rules.players - 1)  # the seat left of the dealer must play
            low = np.zeros(len(obs), np.int64)
            worth = np.where(opens, self.before_talon(obs, low), self._pass_value(obs))
            return np.where(worth > 0, space.keep, space.redeal)
        if phase == TALON_REDEAL:
            return np.where(self.with_talon(obs, amounts)[1] > 0, space.keep, space.redeal)
        if phase in (CONTRACT, GIVE):
            best, value = self.with_talon(obs, amounts)
            off = mask[:, space.write_off] & (self._write_off_value(obs) > value)
            return np.where(off, space.write_off, space.amount + best)
        raise ValueError(f"no decision of the bidder: phase {phase}")

    def _bid(self, obs: U8, mask: Bools, amounts: Bools) -> I64:
        space = self._space
        low = amounts.argmax(axis=1)
        worth, passing = self.before_talon(obs, low), self._pass_value(obs)
        bids = worth > passing
        barrel = self._flag(obs, "barrel")
        if barrel.any():  # nothing is lost by failing there (T-BAR-09)
            rows = np.flatnonzero(barrel)
            bids[rows] = self.chance_before_talon(obs[rows], low[rows]) > WEIGHTS["barrel_chance"]
        bids &= amounts.any(axis=1)
        return np.where(bids | ~mask[:, space.pass_], space.amount + low, space.pass_)

    def _pass_value(self, obs: U8) -> Floats:
        """What the seat may expect as a defender of the price as it stands. float32 [n]."""
        hand = self._segment(obs, "hand")
        held = holdings(hand)
        points = self._estimate.points(held, WITH_TALON)
        price = np.maximum(5 * self._number(obs, "bid"), 100)
        value = WEIGHTS["pass"] + WEIGHTS["pass_points"] * points + WEIGHTS["pass_price"] * (price - 100)
        value += WEIGHTS["pass_100"] * (price == 100)  # who sits on the hundred may have nothing
        # a seat on the barrel that holds the bid may win the match
        sheet = self._segment(obs, "sheet")
        threat = self._segment(obs, "barrel")[:, 1:] * (sheet[:, 1:, BID] == self._segment(obs, "bid"))
        match = self._flag(obs, "match_episode")
        value -= WEIGHTS["barrel_threat"] * (threat.any(axis=1) & match)
        return value.astype(np.float32)

    def _write_off_value(self, obs: U8) -> Floats:
        """What a write-off brings (T-WO). float32 [n]."""
        rules = self._rules
        bid = 5 * self._number(obs, "bid")
        done = self._segment(obs, "sheet")[:, 0, WRITE_OFFS]
        cost = bid if rules.write_off_cost == "bid" else np.zeros_like(bid)
        if rules.write_off_first_free:
            cost = np.where(done == 0, 0, cost)
        if rules.write_off_every_third_fine:
            cost = cost + rules.write_off_every_third_fine * ((done + 1) % 3 == 0)
        share = bid // 10 * 5 if rules.write_off_opponents == "half_floor5" else np.full_like(bid, 60)
        on_barrel = FALL if rules.write_off_on_barrel == "falls" else np.float32(0)
        return -np.where(self._flag(obs, "barrel"), on_barrel, cost) - share

    def _segment(self, obs: U8, name: str) -> U8:
        return cast(U8, self._layout.view(obs, name))

    def _number(self, obs: U8, name: str) -> Floats:
        return self._segment(obs, name)[:, 0].astype(np.float32)

    def _flag(self, obs: U8, name: str, seat: int = 0) -> npt.NDArray[np.bool_]:
        return self._segment(obs, name)[:, seat] == 1

