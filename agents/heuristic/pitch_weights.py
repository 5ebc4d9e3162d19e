"""What the features of the Pitch heuristic weigh.

All weights are estimates from many hands that the heuristic played against itself. Hands and bids: every trump suit was
tried, every bid was made, and the points in the end were regressed on the counts. Cards: the same hands were played on
with every legal card, and the differences of the points in the end were regressed on the differences of the features,
over several rounds. Point versions, dirty and reverse Pitch were in the mixture. Weights count as a sum: a single one
may look odd where features overlap.
"""

from __future__ import annotations

#: Expected share of the points that the bidding side takes: (four-handed, five-handed, reverse order).
HAND: dict[str, tuple[float, float, float]] = {
    # the strongest trump
    "top_1": (0.147, 0.131, 0.083),
    # the second
    "top_2": (0.033, 0.042, 0.047),
    "top_3": (0.047, 0.065, 0.052),
    "top_4": (0.036, 0.068, 0.037),
    "top_5": (0.018, 0.027, 0.028),
    "top_6": (-0.001, 0.002, 0.015),
    "top_7": (-0.01, -0.003, 0.014),
    # each trump below the seventh
    "low": (-0.007, -0.002, 0.008),
    # three trumps or more
    "length_3": (0.051, 0.042, 0.038),
    "length_4": (0.04, 0.036, 0.019),
    "length_5": (0.034, 0.036, 0.02),
    "length_6": (0.038, 0.023, 0.028),
    # points of cards whose points are their player's (the two)
    "own": (0.521, 0.626, 0.503),
    # points of cards worth one point
    "won": (0.059, 0.133, -0.14),
    # points of cards worth more
    "threes": (0.121, 0.042, 0.379),
    # the two strongest together
    "top_two": (0.031, 0.013, 0.063),
    # the second without the strongest
    "guarded": (0.029, 0.046, 0.035),
    # the rest: what is always added
    "one": (0.472, 0.464, 0.339),
    # the same by 10/N: versions with fewer points
    "small": (-0.032, 0.005, 0.103),
    # what the partner has said; his bid as a share of all points
    "partner_passed": (-0.017, 0.0, -0.031),
    "partner_bid": (-0.032, 0.0, 0.02),
    "partner_value": (0.064, 0.0, -0.057),
    # what the others have said: how many passed, how many bid, the highest as a share
    "others_passed": (0.016, -0.005, 0.031),
    "others_bid": (-0.012, -0.016, -0.0),
    "others_value": (0.035, 0.114, 0.006),
}

#: Chance to take a number of points, as a logistic function: (four-handed, five-handed, reverse order).
CHANCE: dict[str, tuple[float, float, float]] = {
    # expected share less the level
    "slope": (4.44, 5.46, 4.48),
    # what is always added
    "one": (-0.37, -1.07, -0.37),
    # the level as a share of all points
    "level": (-1.59, -1.57, -1.66),
    # all points
    "all": (-0.68, -0.8, 0.05),
    # the expected share
    "strength": (2.85, 3.89, 2.82),
}

#: Chance to take all points, as a logistic function of the counts of HAND: (four-handed, five-handed, reverse order).
MOON: dict[str, tuple[float, float, float]] = {
    "top_1": (0.69, 0.45, 0.71),
    "top_2": (0.31, 0.2, 0.45),
    "top_3": (0.35, 0.43, 0.38),
    "top_4": (0.22, 0.38, 0.08),
    "top_5": (0.0, 0.08, -0.03),
    "top_6": (-0.17, -0.09, -0.1),
    "top_7": (-0.21, -0.05, -0.15),
    "low": (-0.18, -0.15, -0.22),
    "length_3": (0.18, -0.24, 0.29),
    "length_4": (0.27, 0.31, 0.36),
    "length_5": (0.28, 0.26, 0.24),
    "length_6": (0.34, 0.25, 0.4),
    "own": (6.39, 9.26, 0.34),
    "won": (0.87, 1.03, -0.04),
    "threes": (0.25, 0.2, 0.69),
    "top_two": (0.14, 0.12, 0.43),
    "guarded": (0.17, 0.08, 0.02),
    "one": (-3.58, -3.39, -3.05),
    "small": (0.34, 0.47, 0.71),
    "partner_passed": (-0.1, 0.0, -0.16),
    "partner_bid": (-0.25, 0.0, -0.43),
    "partner_value": (0.59, 0.0, 0.86),
    "others_passed": (-0.05, -0.13, -0.02),
    "others_bid": (0.12, -0.07, -0.12),
    "others_value": (-0.24, 0.52, 0.25),
}

#: What a pass is worth, as a share of the points of a hand: (four-handed, five-handed). The number says how many speak
#: afterwards (three or more are 3). The standing bid is nobody's (`free`), the partner's (`ours`) or an opponent's.
PASS: dict[str, tuple[float, float]] = {
    "ours_0": (0.52, 0.0),
    "ours_0_share": (-0.92, 0.0),
    "ours_0_could": (1.0, 0.0),
    # by the standing bid as a share of all points
    "ours_0_bid": (-1.1, 0.0),
    "theirs_0": (-0.48, -0.12),
    "theirs_0_share": (-0.85, -0.36),
    "theirs_0_could": (0.44, 0.72),
    "theirs_0_bid": (2.01, 1.31),
    # always
    "free_1": (1.29, -0.96),
    # by the expected share of one's best suit
    "free_1_share": (2.57, 2.49),
    # by the chance to make the next bid
    "free_1_could": (-2.72, -0.91),
    "ours_1": (-0.01, 0.0),
    "ours_1_share": (0.05, 0.0),
    "ours_1_could": (0.57, 0.0),
    "ours_1_bid": (1.61, 0.0),
    "theirs_1": (-0.42, -0.44),
    "theirs_1_share": (-1.74, -0.41),
    "theirs_1_could": (1.42, 0.83),
    "theirs_1_bid": (3.8, 1.58),
    "free_2": (0.65, 0.34),
    "free_2_share": (-3.31, -0.81),
    "free_2_could": (2.43, 0.85),
    "ours_2": (0.0, 0.0),
    "ours_2_share": (0.0, 0.0),
    "ours_2_could": (0.0, 0.0),
    "ours_2_bid": (0.0, 0.0),
    "theirs_2": (0.09, -0.51),
    "theirs_2_share": (-0.36, -0.09),
    "theirs_2_could": (0.41, 0.62),
    "theirs_2_bid": (0.02, 1.35),
    "free_3": (-0.23, -0.78),
    "free_3_share": (-0.16, 0.22),
    "free_3_could": (-0.33, 0.09),
    "ours_3": (0.0, 0.0),
    "ours_3_share": (0.0, 0.0),
    "ours_3_could": (0.0, 0.0),
    "ours_3_bid": (0.0, 0.0),
    "theirs_3": (0.0, -0.43),
    "theirs_3_share": (0.0, -0.4),
    "theirs_3_could": (0.0, 0.44),
    "theirs_3_bid": (0.0, 0.52),
}

#: What a bid is worth, in the same way.
BIDS: dict[str, tuple[float, float]] = {
    # always
    "one_0": (0.11, 0.12),
    # chance to make it
    "made_0": (-1.23, 0.51),
    # the same, by the expected share
    "made_share_0": (1.5, 1.23),
    # chance to be set, by the bid as a share of all points
    "set_0": (-1.58, 0.04),
    # by the expected share
    "share_0": (0.88, 0.36),
    # by the bid as a share of all points
    "level_0": (-0.36, -0.58),
    # over an opponent's bid
    "over_0": (0.48, 0.12),
    # over the partner's bid
    "over_ours_0": (-0.52, 0.0),
    "one_1": (0.22, 0.44),
    "made_1": (-0.23, -0.87),
    "made_share_1": (0.87, 1.58),
    "set_1": (-1.7, -0.93),
    "share_1": (0.88, 0.39),
    "level_1": (0.72, -0.31),
    "over_1": (0.42, 0.44),
    "over_ours_1": (0.01, 0.0),
    "one_2": (-0.11, 0.49),
    "made_2": (-0.08, -1.66),
    "made_share_2": (-0.24, 1.17),
    "set_2": (-2.53, -2.32),
    "share_2": (0.46, 0.11),
    "level_2": (1.18, 1.02),
    "over_2": (-0.09, 0.51),
    "over_ours_2": (0.0, 0.0),
    "one_3": (0.23, 0.61),
    "made_3": (-0.94, -1.75),
    "made_share_3": (-0.72, 0.35),
    "set_3": (-3.26, -2.62),
    "share_3": (0.16, 0.09),
    "level_3": (1.22, 0.59),
    "over_3": (0.0, 0.43),
    "over_ours_3": (0.0, 0.0),
}

#: Leading a card, in points: (bidding side, defenders).
LEAD: dict[str, tuple[float, float]] = {
    # points of the trick so far with this card, times (2 × chance to win it − 1)
    "gain": (-0.54, 0.39),
    # the same, while the bid is neither made nor lost
    "gain_open": (0.54, 0.19),
    # the same, where these points decide the bid
    "gain_needed": (0.72, -0.11),
    # points as above, where the trick is as good as decided
    "gain_settled": (1.66, 0.56),
    # points that later seats may add, times (2 × chance − 1)
    "to_come": (1.13, 1.14),
    # chance that the trick goes to one's own side
    "win": (2.18, 3.65),
    # points of the card that go with the trick
    "points": (-0.81, -0.32),
    # the same, by the share of cards left in hand
    "points_left": (-0.63, -1.79),
    # a card of more than one point
    "three": (-2.59, -0.99),
    # points of whoever plays the card
    "two": (0.12, 0.34),
    # the same, by the share of cards left
    "two_left": (-0.49, -1.21),
    # no unseen trump beats it
    "sure": (-0.78, -1.49),
    # the same, by the share of cards left
    "sure_left": (1.06, -1.6),
    # chance that no opponent holds a higher trump
    "master": (-1.12, -1.74),
    # the same, by the share of cards left
    "master_left": (4.29, -0.29),
    # place among the trumps from 0 to 1
    "height": (-1.53, -0.27),
    # the same, by the share of cards left
    "height_left": (0.81, 1.18),
    # no unseen trump beats it, by the other such trumps in hand
    "sure_others": (1.81, 2.34),
    # points of one's other cards that may be lost, for a card that is not sure to win
    "risk_kept": (0.56, 1.37),
    # points of one's cards that may be lost, for a card that is sure to win
    "sure_protects": (-0.72, -2.02),
    # chance to win, by the opponents' trumps and the share of cards left
    "draws": (-0.71, -0.15),
    # no unseen trump beats it, by the opponents' trumps
    "sure_draws": (-0.58, 0.09),
    # chance to win, by the points that opponents still to play may hold
    "catch": (-0.14, -0.73),
    # chance not to win, by the partner's share of the unseen trumps and the points
    "partner": (0.66, 1.61),
    # beats the trick so far, times the chance to win
    "takes": (0.0, 0.0),
    # beats the trick that is ours so far
    "overtakes": (0.0, 0.0),
    # the same, if ours would win anyway
    "overtakes_safe": (0.0, 0.0),
    # points added below a trick that is ours so far
    "smears": (0.0, 0.0),
    # beats the trick as the last to play
    "last": (0.0, 0.0),
}

#: Adding a card to a trick.
FOLLOW: dict[str, tuple[float, float]] = {
    # points of the trick so far with this card, times (2 × chance to win it − 1)
    "gain": (0.19, 0.33),
    # the same, while the bid is neither made nor lost
    "gain_open": (1.27, 0.72),
    # the same, where these points decide the bid
    "gain_needed": (0.12, 0.31),
    # points as above, where the trick is as good as decided
    "gain_settled": (0.29, 0.44),
    # points that later seats may add, times (2 × chance − 1)
    "to_come": (0.51, 0.17),
    # chance that the trick goes to one's own side
    "win": (0.91, 0.1),
    # points of the card that go with the trick
    "points": (0.03, -0.38),
    # the same, by the share of cards left in hand
    "points_left": (-2.52, -1.54),
    # a card of more than one point
    "three": (-1.15, -0.25),
    # points of whoever plays the card
    "two": (0.12, -0.28),
    # the same, by the share of cards left
    "two_left": (0.16, -0.1),
    # no unseen trump beats it
    "sure": (0.05, -1.61),
    # the same, by the share of cards left
    "sure_left": (1.23, 5.43),
    # chance that no opponent holds a higher trump
    "master": (-2.34, -2.91),
    # the same, by the share of cards left
    "master_left": (1.33, -2.16),
    # place among the trumps from 0 to 1
    "height": (-0.89, 1.21),
    # the same, by the share of cards left
    "height_left": (1.25, -4.77),
    # no unseen trump beats it, by the other such trumps in hand
    "sure_others": (1.33, 0.33),
    # points of one's other cards that may be lost, for a card that is not sure to win
    "risk_kept": (1.11, 1.9),
    # points of one's cards that may be lost, for a card that is sure to win
    "sure_protects": (-1.31, -1.92),
    # chance to win, by the opponents' trumps and the share of cards left
    "draws": (-0.21, -0.43),
    # no unseen trump beats it, by the opponents' trumps
    "sure_draws": (-0.67, 0.07),
    # chance to win, by the points that opponents still to play may hold
    "catch": (0.03, 0.04),
    # chance not to win, by the partner's share of the unseen trumps and the points
    "partner": (-0.88, -1.41),
    # beats the trick so far, times the chance to win
    "takes": (0.96, 1.09),
    # beats the trick that is ours so far
    "overtakes": (0.16, -0.36),
    # the same, if ours would win anyway
    "overtakes_safe": (-1.03, 0.14),
    # points added below a trick that is ours so far
    "smears": (0.01, 0.13),
    # beats the trick as the last to play
    "last": (-1.37, -0.42),
}
