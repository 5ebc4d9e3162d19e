"""What the features of a card weigh, in points: (with trump, without trump).

The weights are least squares estimates. The same hands were played on with every legal card, and the differences of the
points that each side had in the end were regressed on the differences of the features, over several rounds of
self-play. They count as a sum, so a single weight may look odd where features overlap (a sure winner also has `win`
near 1).
"""

from __future__ import annotations

Weights = dict[str, tuple[float, float]]

#: Leading a card.
LEAD: Weights = {
    # points of the trick so far with this card, times (2 × chance to win it − 1)
    "win_points": (-0.18, 0.08),
    # the same, where the trick is as good as decided
    "settled_points": (0.27, -0.40),
    # chance that the trick goes to one's own side
    "win": (-5.71, 32.91),
    # chance to win × how near the match bonus is, for a side that has every trick so far
    "sweep": (7.52, 109.88),
    # points of the card
    "points": (-0.43, -0.09),
    # chance that no opponent has a higher card of the suit × share of tricks left (plain suits)
    "master_left": (3.12, -24.65),
    # highest unseen card of a plain suit
    "sure": (6.87, -6.31),
    # highest trump not seen yet
    "sure_trump": (5.80, 0.00),
    # a trump
    "trump": (-8.29, 0.00),
    # Under of trump
    "under": (3.39, 0.00),
    # nine of trump
    "nine": (2.70, 0.00),
    # place in its suit from 0 to 1 (plain suits)
    "height": (1.82, 0.58),
    # trump, by each trump that the opponents are thought to hold
    "draw": (2.14, 0.00),
    # the same, if one's own side declares
    "draw_ours": (4.41, 0.00),
    # the same, if one declares oneself
    "draw_mine": (-3.43, 0.00),
    # the same, times one's own trumps
    "draw_length": (-0.81, 0.00),
    # trump, by one's own trumps
    "trump_length": (5.62, 0.00),
    # highest trump, by how many of the highest one holds (to three)
    "trump_run": (3.92, 0.00),
    # trump, though the opponents have none
    "dry": (-17.22, 0.00),
    # trump, by the partner's trumps
    "strip_partner": (-1.91, 0.00),
    # chance that an opponent may ruff the suit
    "ruffed": (-4.08, 0.00),
    # highest card, by the opponents' trumps (to three)
    "sure_danger": (-3.15, 0.00),
    # chance that the partner may ruff the suit
    "partner_ruffs": (6.68, 0.00),
    # chance that the partner has the winning card of the suit
    "partner_top": (10.01, -1.12),
    # suit that the partner has led before
    "partner_led": (3.31, 9.50),
    # by each card held of the suit
    "length": (0.80, 2.09),
    # below another card of one's own
    "under_own": (1.06, 2.74),
    # below a sure winner of one's own
    "under_own_top": (-3.62, -8.14),
    # highest card, by how many of the highest one holds (to three)
    "run": (2.78, 12.10),
    # no sure winner, by the sure winners in hand
    "develop": (-1.32, 0.86),
}

#: Adding a card to a trick.
FOLLOW: Weights = {
    # points of the trick so far with this card, times (2 × chance to win it − 1)
    "win_points": (0.48, 0.45),
    # the same, where the trick is as good as decided
    "settled_points": (0.40, 0.27),
    # chance that the trick goes to one's own side
    "win": (6.77, 24.47),
    # chance to win × how near the match bonus is, for a side that has every trick so far
    "sweep": (136.99, 58.76),
    # points of the card
    "points": (-0.08, -0.24),
    # chance that no opponent has a higher card of the suit × share of tricks left (plain suits)
    "master_left": (-8.60, -14.86),
    # highest unseen card of a plain suit
    "sure": (-4.29, -11.72),
    # highest trump not seen yet
    "sure_trump": (-16.33, 0.00),
    # a trump
    "trump": (-18.72, 0.00),
    # Under of trump
    "under": (-10.44, 0.00),
    # nine of trump
    "nine": (-3.02, 0.00),
    # place in its suit from 0 to 1 (plain suits)
    "height": (0.82, -5.70),
    # average points of the seats still to play, times (2 × chance − 1)
    "win_later": (0.49, 1.01),
    # beats the winning card, times the chance to win
    "take": (-8.28, -9.76),
    # the same, by the other sure winners in hand (to four)
    "take_run": (3.08, 6.91),
    # the same with the highest card
    "sure_win": (4.17, 5.37),
    # beats the partner's winning card
    "overtake": (0.59, 13.56),
    # ruffs, or throws a trump away
    "ruff": (9.94, 0.00),
    # the same, by the share of tricks left
    "ruff_left": (-8.28, 0.00),
    # the same, by one's own trumps
    "ruff_length": (-0.58, 0.00),
    # the same, if one's own side declares
    "ruff_ours": (4.92, 0.00),
    # the same, if the opponents have no trump
    "ruff_dry": (5.38, 0.00),
    # the same, by the place of the trump
    "ruff_height": (-4.43, 0.00),
    # place among trumps from 0 to 1
    "trump_height": (-4.35, 0.00),
}
