"""What a trick, a hand and a match are worth in the reference game of 10-point Pitch.

Plain functions without state.  Scores are kept per team with four players (index 0 for seats 0 and 2,
index 1 for seats 1 and 3 [P-EQP-01]) and per seat with five [P-5H-08].
"""

from __future__ import annotations

from dataclasses import dataclass

from pitch_rules import LOW_JOKER, Rules, Tables

Bid = int | str  # a number, "moon" or "double_moon"
Plays = list[tuple[int, int]]  # (seat, card) in the order played


@dataclass(frozen=True)
class HandScore:
    """The outcome of one scored hand."""

    scores: list[int]
    made: bool
    moon: str | None  # None for a numeric bid, else "made" or "failed"
    winners: list[int]  # indices into scores; empty while the match goes on


def trick_winner(plays: Plays, trump: int, tables: Tables, rules: Rules) -> int:
    """The seat whose trump wins the trick [P-PLAY-04].

    With first_played_high the second joker of a trick never beats the first one [P-EQP-03, P-REV-02].
    """
    best_seat, best_card = plays[0]
    for seat, card in plays[1:]:
        both_jokers = card >= LOW_JOKER and best_card >= LOW_JOKER
        if both_jokers and rules["joker_order"] == "first_played_high":
            continue
        if tables.strength(card, trump) > tables.strength(best_card, trump):
            best_seat, best_card = seat, card
    return best_seat


def trick_points(plays: Plays, winner: int, trump: int, tables: Tables) -> dict[int, int]:
    """Points of a trick by the seat they belong to [P-PTS-02, P-TWO-01, P-TWO-03]."""
    gained: dict[int, int] = {}
    for seat, card in plays:
        owner = seat if tables.symbol(card, trump) in tables.automatic else winner
        gained[owner] = gained.get(owner, 0) + tables.points(card, trump)
    return gained


def bidder_index(players: int, bidder: int) -> int:
    """Where the bidder's score is kept."""
    return bidder % 2 if players == 4 else bidder


def bid_made(rules: Rules, total: int, bid: Bid, took: int, against: int) -> bool:
    """Whether the bidding side did what it bid [P-SCR-01, P-MOON-01, P-MOON-07]."""
    if isinstance(bid, int):
        return took >= bid
    if rules["moon_needs"] == "in_play":
        return against == 0  # the defenders are credited with nothing [BD-29]
    return took == total


def made_value(rules: Rules, bid: int, took: int) -> int:
    """What a made numeric bid scores [P-SCR-01]."""
    return took if rules["made_score"] == "taken" else bid


def defenders_value(rules: Rules, total: int, made: bool, against: int) -> int:
    """What each defending score gains [P-SCR-03, BD-26]."""
    if rules["defenders_score"] == "none":
        return 0
    if rules["defenders_score"] == "total_on_set" and not made:
        return total
    return against


def reaches_target_early(
    rules: Rules, players: int, scores: list[int], bidder: int, bid: Bid, took: int
) -> bool:
    """check=mid_hand: a made numeric bid that already carries the bidder to the target [BD-34]."""
    if rules["check"] != "mid_hand" or not isinstance(bid, int) or took < bid:
        return False
    return scores[bidder_index(players, bidder)] + made_value(rules, bid, took) >= rules["target"]


def score_hand(
    rules: Rules,
    total: int,
    players: int,
    scores: list[int],
    bidder: int,
    partner: int | None,
    bid: Bid,
    took: int,
    against: int,
    early_win: bool = False,
) -> HandScore:
    """Write the hand into the scores and say who has won, if anybody.

    `partner` matters with five players only (None when the bidder is alone).  `took` and `against` are
    the points of the bidding side and of the defenders.
    """
    target = rules["target"]
    own = bidder_index(players, bidder)
    helper = partner if players == 5 else None
    defenders = [i for i in range(len(scores)) if i not in (own, helper)]
    made = bid_made(rules, total, bid, took, against)
    new = list(scores)

    def add(index: int, amount: int) -> None:
        value = scores[index] + amount
        if rules["defender_cap"] and index != own and amount > 0:  # never lowers a score [BD-32]
            value = max(scores[index], min(value, target - 1))
        new[index] = value

    for index in defenders:
        add(index, defenders_value(rules, total, made, against))

    if isinstance(bid, int):  # [P-SCR-01, P-SCR-02, P-SCR-04, P-5H-08]
        add(own, made_value(rules, bid, took) if made else -bid)
        if helper is not None:
            if made:
                add(helper, made_value(rules, bid, took))
            elif rules["partner_shares_set"]:
                add(helper, -bid)
        winners = [own] if early_win else end_of_match(rules, new, own, made)
        return HandScore(new, made, None, winners)

    result = "made" if made else "failed"
    if rules["moon_mode"] == "pm20":  # [P-MOON-05, BD-31, BD-38]
        amount = 40 if bid == "double_moon" else 20
        add(own, amount if made else -amount)
        if helper is not None:
            if made:
                add(helper, amount)
            elif rules["partner_shares_set"]:
                add(helper, -amount)
        return HandScore(new, made, result, end_of_match(rules, new, own, made))

    # Modes source and instant; a double moon pays like a moon [BD-9].
    if not made:  # the bidder's score stays, the other side wins [P-MOON-04, BD-27, BD-31]
        others = [i for i in range(len(new)) if i != own]
        best = max(new[i] for i in others)
        return HandScore(new, made, result, [i for i in others if new[i] == best])
    if helper is not None:
        add(helper, took)
    before = scores[own]
    wins = before > 0 or rules["moon_mode"] == "instant"
    if before == 0 and (players == 5 or rules["moon_at_zero"] == "win"):  # [P-MOON-03, BD-30]
        wins = True
    if wins:  # [P-MOON-02, P-MOON-06, BD-28]
        new[own] = max(before, target)
        return HandScore(new, made, result, [own])
    new[own] = 0
    return HandScore(new, made, result, end_of_match(rules, new, own, made))


def end_of_match(rules: Rules, scores: list[int], own: int, made: bool) -> list[int]:
    """The winners after a complete hand; `own` is this hand's bidder [P-END-01]."""
    reached = [i for i, score in enumerate(scores) if score >= rules["target"]]
    if rules["win_requires_bid"]:  # took and made the bid in this hand [P-END-03, BD-32]
        if own in reached and made:
            return [own]
    elif reached:
        if own in reached and rules["both_out"] == "bidder":  # [P-END-02, P-5H-09, BD-33]
            return [own]
        best = max(scores[i] for i in reached)
        highest = [i for i in reached if scores[i] == best]
        if own in highest:
            return [own]
        if len(highest) == 1:
            return highest
        # A tie among others, five-handed only: another hand [P-5H-09].
    if rules["win_by_lead"] > 0:  # [BD-35]
        first, second = sorted(scores, reverse=True)[:2]
        if first - second >= rules["win_by_lead"]:
            return [scores.index(first)]
    return []
