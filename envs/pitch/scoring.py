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


def does_what_it_bid(rules: PitchRules, bid: Ints, took: Ints, against: Ints) -> Bools:
    """The bidding side has made a number or a moon. bool [n]."""
    moon = bid > rules.total
    if rules.moon_needs == "total":  # P-MOON-01, P-MOON-07, BD-29
        shot = took == rules.total
    else:
        shot = against == 0
    return ((took >= bid) & ~moon) | (shot & moon)


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
    total, target, entries = rules.total, rules.target, rules.entries
    before = scores.astype(np.int64)
    rows = np.arange(len(before))
    own_index = own_entry(rules, bidder)
    slot = rows * entries + own_index
    moon = bid > total
    made = does_what_it_bid(rules, bid, took, against)

    # The defenders score what they took (P-SCR-03, BD-26).
    if rules.defenders_score == "none":
        defence = np.zeros_like(against)
    elif rules.defenders_score == "total_on_set":
        defence = np.where(made, against, total)
    else:
        defence = against
    gain = np.empty(before.shape, np.int64)
    gain[:] = defence[:, None]

    # A number: what was taken, or the bid lost (P-SCR-01, P-SCR-02, P-5H-08). A moon of pm20: ±20, ±40 (BD-38).
    value = took if rules.made_score == "taken" else bid
    loss = bid
    if rules.moon_mode == "pm20":
        stake = np.where(bid == total + 2, 40, 20)
        value, loss = np.where(moon, stake, value), np.where(moon, stake, loss)
    own_gain = np.where(made, value, -loss)
    outright = moon if rules.moon_mode != "pm20" else np.zeros_like(moon)  # moons of the modes source and instant
    gain.ravel()[slot] = own_gain * ~outright
    if rules.five:
        # BD-31: the partner of a moon scores the side's points on success and nothing on failure
        helper = (partner >= 0).nonzero()[0]
        failed = -loss if rules.partner_shares_set else np.zeros_like(loss)
        shared = np.where(outright, took * made, np.where(made, value, failed))
        gain[helper, partner[helper]] = shared[helper]

    after = before + gain
    if rules.defender_cap:  # BD-32: everyone but the bidder's entry stops at target - 1; no score is lowered
        capped = np.maximum(before, np.minimum(after, target - 1))
        own_after = after.ravel().take(slot)
        after = np.where(gain > 0, capped, after)
        after.ravel()[slot] = own_after

    winners = np.zeros(before.shape, np.bool_)
    # nearly always nobody has won: the end of the match is decided for the few games where anybody may have
    some = _may_end(rules, after, outright)
    if len(some):
        winners[some], after[some] = _decide(
            rules, before[some], after[some], own_index[some], made[some], outright[some]
        )
    if np.count_nonzero(early):
        winners[early] = np.arange(entries) == own_index[early][:, None]
    return HandScore(after, made, winners)


def _may_end(rules: PitchRules, after: I64, outright: Bools) -> I64:
    """The hands after which the match may be at an end. int64 [≤ n]."""
    may = outright
    reached = after >= rules.target
    if np.count_nonzero(reached):
        may = may | reached.any(axis=1)
    if rules.win_by_lead:
        may = may | (after.max(axis=1) - after.min(axis=1) >= rules.win_by_lead)
    return may.nonzero()[0]


def _decide(
    rules: PitchRules, before: I64, after: I64, own_index: I64, made: Bools, outright: Bools
) -> tuple[Bools, I64]:
    """Winners, and scores with the moons of the modes source and instant (section 14).

    A double moon pays like a moon (BD-9). bool [n, E], int64 [n, E].
    """
    rows = np.arange(len(after))
    own = np.arange(rules.entries) == own_index[:, None]
    shot, failed = (outright & made).nonzero()[0], (outright & ~made).nonzero()[0]
    wins = shot
    if len(shot):
        score = before[rows, own_index][shot]
        winning = score > 0  # P-MOON-02
        if rules.moon_mode == "instant":
            winning = np.ones_like(winning)
        elif rules.five or rules.moon_at_zero == "win":  # P-MOON-03, BD-30
            winning |= score == 0
        # P-MOON-06, BD-28: a winning moon writes the target; one from below zero writes 0 and the match goes on
        after[shot, own_index[shot]] = np.where(winning, np.maximum(score, rules.target), 0)
        wins = shot[winning]
    if len(failed) == len(rows):
        winners: Bools = np.zeros(after.shape, np.bool_)
    else:
        winners = _end_of_match(rules, after, own_index, made)
        winners[wins] = own[wins]
    if len(failed):
        # P-MOON-04, BD-27, BD-31: a failed moon loses the match to the best other score, ties are shared
        others = np.where(own[failed], -(1 << 60), after[failed])
        winners[failed] = others == others.max(axis=1, keepdims=True)
    return winners, after


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
