"""What a hand and a match are worth (sections 13 to 16): pure functions over arrays, one row a game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.bits import I64
from .rules import PitchRules

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[Any]


class HandScore(NamedTuple):
    """The outcome of scored hands; E score entries are two teams or five players."""

    scores: I64  # [n, E] after the hand
    made: Bools  # [n] the bidding side did what it bid
    winners: Bools  # [n, E] of the match; no one while it goes on


def own_entry(rules: PitchRules, bidder: Ints) -> I64:
    """Where the bidder's score is kept. int [n] → int64 [n]."""
    return bidder.astype(np.int64) if rules.five else bidder.astype(np.int64) % 2


def makes_target(rules: PitchRules, scores: Ints, bidder: Ints, bid: Ints, took: Ints) -> Bools:
    """check=mid_hand: a made numeric bid that carries the bidder to the target already (BD-34). bool [n]."""
    own = own_entry(rules, bidder)
    value = took if rules.made_score == "taken" else bid
    reached = scores[np.arange(len(own)), own] + value >= rules.target
    return reached & (bid <= rules.total) & (took >= bid)


def score_hand(
    rules: PitchRules, scores: Ints, bidder: Ints, partner: Ints, bid: Ints, took: Ints, against: Ints, early: Bools
) -> HandScore:
    """Write hands into the scores and say who has won, if anybody.

    Args:
        scores: int [n, E] before the hand.
        bidder, partner: seats; -1 for no partner (only five-handed; a team's partner has no score of his own).
        bid: 1..N, N + 1 moon, N + 2 double moon.
        took, against: points of the bidding side and of the defenders.
        early: the hand was stopped because the bidder has reached the target (BD-34).
    """
    total, target = rules.total, rules.target
    before = scores.astype(np.int64)
    entry = np.arange(rules.entries)
    own_index = own_entry(rules, bidder)
    own = entry == own_index[:, None]
    helper = (entry == partner[:, None]) if rules.five else np.zeros_like(own)
    moon = bid > total
    if rules.moon_needs == "total":  # P-MOON-01, P-MOON-07, BD-29
        moon_made = took == total
    else:
        moon_made = against == 0
    made = np.where(moon, moon_made, took >= bid)

    # The defenders score what they took (P-SCR-03, BD-26).
    if rules.defenders_score == "none":
        defence = np.zeros_like(against)
    elif rules.defenders_score == "total_on_set":
        defence = np.where(made, against, total)
    else:
        defence = against
    gain = np.where(own | helper, 0, defence[:, None]).astype(np.int64)

    # A number: what was taken, or the bid lost (P-SCR-01, P-SCR-02, P-5H-08). A moon of pm20: ±20, ±40 (BD-38).
    value = took if rules.made_score == "taken" else bid
    loss = bid
    if rules.moon_mode == "pm20":
        stake = np.where(bid == total + 2, 40, 20)
        value, loss = np.where(moon, stake, value), np.where(moon, stake, loss)
    outright = moon & (rules.moon_mode != "pm20")  # moons of the modes source and instant
    gain += own * np.where(outright, 0, np.where(made, value, -loss))[:, None]
    shared = loss if rules.partner_shares_set else np.zeros_like(loss)
    # BD-31: the partner of a moon scores the side's points on success and nothing on failure
    gain += helper * np.where(outright, np.where(made, took, 0), np.where(made, value, -shared))[:, None]

    after = before + gain
    if rules.defender_cap:  # BD-32: everyone but the bidder's entry stops at target - 1; no score is lowered
        capped = np.maximum(before, np.minimum(after, target - 1))
        after = np.where(~own & (gain > 0), capped, after)

    winners = _end_of_match(rules, after, own_index, made)
    if outright.any():
        after, winners = _outright_moons(rules, before, after, own_index, made, outright, winners)
    winners[early] = own[early]
    return HandScore(after, made, winners)


def _outright_moons(
    rules: PitchRules, before: I64, after: I64, own_index: I64, made: Bools, outright: Bools, winners: Bools
) -> tuple[I64, Bools]:
    """Moons of the modes source and instant (section 14); a double moon pays like a moon (BD-9)."""
    rows = np.arange(len(after))
    own = np.arange(rules.entries) == own_index[:, None]
    score = before[rows, own_index]
    wins = score > 0  # P-MOON-02
    if rules.moon_mode == "instant":
        wins = np.ones_like(wins)
    elif rules.five or rules.moon_at_zero == "win":  # P-MOON-03, BD-30
        wins |= score == 0
    after = after.copy()
    shot = np.flatnonzero(outright & made)
    # P-MOON-06, BD-28: a winning moon writes the target; one from below zero writes 0 and the match goes on
    after[shot, own_index[shot]] = np.where(wins[shot], np.maximum(score[shot], rules.target), 0)
    winners = np.where((outright & made)[:, None], _end_of_match(rules, after, own_index, made), winners)
    winners[outright & made & wins] = own[outright & made & wins]
    # P-MOON-04, BD-27, BD-31: a failed moon loses the match to the best other score, ties are shared
    others = np.where(own, np.iinfo(np.int64).min, after)
    best = others == others.max(axis=1, keepdims=True)
    return after, np.where((outright & ~made)[:, None], best & ~own, winners)


def _end_of_match(rules: PitchRules, scores: I64, own_index: I64, made: Bools) -> Bools:
    """The winners after a complete hand; `own_index` is this hand's bidder (section 15). bool [n, E]."""
    rows = np.arange(len(scores))
    own = np.arange(rules.entries) == own_index[:, None]
    reached = scores >= rules.target  # P-END-01
    own_reached = reached[rows, own_index]
    winners: Bools = np.zeros_like(reached)
    if rules.win_requires_bid:  # P-END-03, BD-32: took and made the bid in this hand
        winners[own_reached & made] = own[own_reached & made]
    else:
        some = reached.any(axis=1)
        highest = reached & (scores == scores.max(axis=1, keepdims=True))
        single = highest.sum(axis=1) == 1
        # P-END-02, P-5H-09, BD-33: the bidder first, or the highest with ties to the bidder
        first = own_reached & ((rules.both_out == "bidder") | highest[rows, own_index])
        winners = (first[:, None] & own) | (~first[:, None] & highest & (single & some)[:, None])
    if rules.win_by_lead:  # BD-35
        ranked = np.sort(scores, axis=1)
        lead = (ranked[:, -1] - ranked[:, -2] >= rules.win_by_lead) & ~winners.any(axis=1)
        winners |= lead[:, None] & (scores == ranked[:, -1:])
    return winners
