"""What the Thousand heuristic counts, in points of the score.

All numbers are least squares estimates from many games of the agent with itself, over several rounds. For the card
play the same deals were played on with every legal card, and the differences of the outcome (one's own gain less the
mean of the others') were regressed on the differences of the features. They count as a sum, so a single weight may
look odd where features overlap.
"""

from __future__ import annotations

#: Of the declarer without and with trump, of a defender without and with.
Weights = dict[str, tuple[float, float, float, float]]

#: Leading a card.
LEAD: Weights = {
    # chance to win the trick
    "win": (-69.14, -9.35, -21.45, -1.52),
    # the same, times the points of the trick (when following, with some for a seat still to play)
    "win_points": (-0.08, 0.49, 0.06, 0.18),
    # points of the card, if it does not win
    "lost_points": (0.49, -0.58, -0.01, -0.11),
    # chance that the declarer wins the trick (a defender's view)
    "declarer": (0.00, 0.00, -2.02, -2.52),
    # the same, times the points of the trick
    "declarer_points": (0.00, 0.00, 0.07, -0.69),
    # chance that the declarer ruffs a card that is high in its suit
    "declarer_sure": (0.00, 0.00, 0.00, -2.57),
    # wins one's first trick (T-BOLT-01)
    "no_bolt": (10.51, 0.00, 0.00, 0.00),
    # the same with two bolts on the sheet
    "no_fine": (8.93, 0.00, 0.00, 0.00),
    # wins the trick that is needed to declare, by the value of the best marriage in hand
    "entry": (68.50, 0.00, 0.00, 0.00),
    # wins and can declare next, by the same
    "keeps_lead": (120.91, 126.19, 51.19, 57.18),
    # chance to win, by the sure cards in hand (to four)
    "win_run": (8.68, 8.87, 9.19, 4.28),
    # ace of a plain suit
    "ace": (-3.46, 1.04, -3.14, -2.13),
    # ace of trump
    "trump_ace": (0.00, 0.01, 0.00, 4.08),
    # ten of a plain suit
    "ten": (1.06, -1.62, 2.11, 0.92),
    # ten of trump
    "trump_ten": (0.00, 2.05, 0.00, 3.27),
    # king of a plain suit
    "king": (0.61, 4.14, 2.89, 1.44),
    # king of trump
    "trump_king": (6.56, 0.26, 5.35, 1.48),
    # queen of a plain suit
    "queen": (-1.58, 4.00, 1.24, 0.51),
    # queen of trump
    "trump_queen": (7.88, -0.03, 5.79, 0.70),
    # jack of a plain suit
    "jack": (0.70, -0.25, -0.22, 0.67),
    # jack of trump
    "trump_jack": (0.00, 0.77, 0.00, 0.71),
    # high card of a plain suit
    "sure": (93.21, -6.98, 15.74, 2.98),
    # the same, by the share of tricks left
    "sure_left": (-50.62, 2.79, 0.91, -8.67),
    # a trump
    "trump": (8.67, 4.58, 6.72, -6.76),
    # the highest trump not seen yet
    "trump_sure": (7.29, -4.37, 5.55, -2.89),
    # a trump, by one's own trumps
    "trump_length": (2.98, 8.64, 1.99, 7.52),
    # plain card, by the cards held of the suit
    "length": (-5.79, 4.70, -2.58, -3.50),
    # the only card of its suit
    "single": (-11.53, 10.03, -1.38, -2.27),
    # plain card, by the cards of the suit that the others hold
    "suit_left": (1.45, -0.06, -1.06, 1.67),
    # king or queen of a marriage in hand, by its value
    "break_pair": (-51.24, -86.17, -37.63, -10.71),
    # the same, by the share of tricks left
    "break_pair_left": (-52.47, 4.62, 3.83, -49.61),
    # leaves a ten without its guard under the ace
    "unguard": (-1.43, 0.58, 4.38, 0.98),
    # plain card below a sure one of one's own
    "under_sure": (-20.06, -11.71, -9.45, -5.25),
    # plain card below another of one's own
    "under_own": (7.95, 5.24, 4.54, 0.34),
    # trump led, by the trumps that the others hold
    "draw": (-16.67, 2.23, -4.24, 0.79),
    # the same, times one's own trumps
    "draw_length": (2.63, -1.68, -0.24, -1.15),
    # the same, if one declared the trump oneself
    "draw_mine": (0.00, 3.69, 0.00, -1.57),
    # trump led, though the others have none
    "dry": (-5.22, -3.42, -3.84, 2.53),
    # chance that the suit is ruffed
    "ruffed": (0.00, 24.70, 0.00, 8.66),
    # the same, times the card's points
    "ruffed_points": (0.00, -0.13, 0.00, 0.15),
    # high card, by the cards held of the suit
    "length_sure": (9.68, 1.09, 3.76, 1.87),
    # high card, by the high cards of the suit in hand
    "run": (-4.78, 2.21, 6.30, 3.40),
    # no sure card, by the sure ones in hand
    "develop": (-3.43, -0.80, 1.31, 3.78),
    # card of a suit with a marriage in hand, by its value
    "pair_suit": (7.23, 28.08, -1.14, 10.92),
    # a declaration
    "declare": (8.67, -13.62, 6.72, -12.14),
    # its value in hundreds
    "declare_value": (50.39, 104.88, 39.47, 47.65),
    # it brings the points that the declarer still needs
    "declare_reaches": (81.73, 65.11, -1.13, 42.30),
    # it replaces one's own trump
    "declare_over_mine": (0.00, -18.77, 0.00, -10.57),
    # it replaces another's trump
    "declare_over_theirs": (0.00, 40.14, 0.00, -12.19),
    # by the cards held of the suit
    "declare_length": (2.98, -10.59, 1.99, 8.05),
    # by the value of one's other marriages × share of tricks left
    "declare_others": (0.97, 8.18, 48.88, 72.93),
}

#: Adding a card to a trick.
FOLLOW: Weights = {
    # chance to win the trick
    "win": (-30.90, 25.92, -8.36, -11.07),
    # the same, times the points of the trick (when following, with some for a seat still to play)
    "win_points": (0.69, -0.32, 1.57, 2.01),
    # points of the card, if it does not win
    "lost_points": (-0.11, -0.55, -0.51, -0.78),
    # chance that the declarer wins the trick (a defender's view)
    "declarer": (0.00, 0.00, 5.93, -2.96),
    # the same, times the points of the trick
    "declarer_points": (0.00, 0.00, -0.34, -0.27),
    # points of the card to whom the trick is as good as sure, oneself (+) or the declarer (-)
    "settled_points": (2.10, 1.50, -0.03, -0.35),
    # wins one's first trick (T-BOLT-01)
    "no_bolt": (-8.01, -0.79, -6.34, 2.02),
    # the same with two bolts on the sheet
    "no_fine": (39.32, -10.44, 29.20, 15.43),
    # wins the trick that is needed to declare, by the value of the best marriage in hand
    "entry": (81.50, 190.64, 59.41, 34.96),
    # wins and can declare next, by the same
    "keeps_lead": (184.08, 96.90, 154.55, 184.82),
    # chance to win, by the sure cards in hand (to four)
    "win_run": (7.97, -6.87, 12.51, 2.93),
    # ace of a plain suit
    "ace": (-4.15, -1.21, -10.02, -3.52),
    # ace of trump
    "trump_ace": (0.00, 1.07, 0.00, -15.93),
    # ten of a plain suit
    "ten": (0.76, -0.54, 2.05, 4.13),
    # ten of trump
    "trump_ten": (0.00, -4.58, 0.00, -10.32),
    # king of a plain suit
    "king": (1.82, 1.53, 3.59, 2.74),
    # king of trump
    "trump_king": (0.00, 0.72, 0.00, 0.78),
    # queen of a plain suit
    "queen": (0.48, 0.45, 2.78, 2.34),
    # queen of trump
    "trump_queen": (0.00, -13.74, 0.00, -3.92),
    # jack of a plain suit
    "jack": (0.62, -0.24, 1.67, 1.33),
    # jack of trump
    "trump_jack": (0.00, 3.18, 0.00, -0.87),
    # high card of a plain suit
    "sure": (-8.00, -10.83, -29.84, -4.82),
    # the same, by the share of tricks left
    "sure_left": (-0.48, -0.83, 13.95, -7.45),
    # a trump
    "trump": (0.00, 0.00, 0.00, 0.00),
    # the highest trump not seen yet
    "trump_sure": (0.00, -27.06, 0.00, -9.17),
    # a trump, by one's own trumps
    "trump_length": (0.00, 0.00, 0.00, 0.00),
    # plain card, by the cards held of the suit
    "length": (1.97, -1.76, -0.58, 0.14),
    # the only card of its suit
    "single": (0.99, -4.76, -5.94, -2.41),
    # plain card, by the cards of the suit that the others hold
    "suit_left": (-3.56, -4.74, -5.50, -3.70),
    # king or queen of a marriage in hand, by its value
    "break_pair": (3.50, -3.62, 21.55, 4.88),
    # the same, by the share of tricks left
    "break_pair_left": (-24.77, -28.03, -60.11, -35.78),
    # leaves a ten without its guard under the ace
    "unguard": (-0.11, -9.66, -8.17, -3.59),
    # plain card below a sure one of one's own
    "under_sure": (2.68, 0.35, -0.30, -1.80),
    # plain card below another of one's own
    "under_own": (-0.67, -0.27, -2.61, -0.78),
    # points of the card
    "points": (-0.03, -0.09, -0.46, -0.05),
    # wins with the highest card of a suit
    "win_sure": (1.47, 3.59, 10.22, -9.03),
    # beats the other defender's card
    "overtakes_friend": (0.00, 0.00, -9.88, -0.23),
    # ruffs
    "ruff": (0.00, 0.00, 0.00, 0.00),
    # the same, by one's own trumps
    "ruff_length": (0.00, 0.00, 0.00, 0.00),
    # the same, by the share of tricks left
    "ruff_left": (0.00, 0.00, 0.00, 0.00),
    # a declaration
    "declare": (0.00, 0.00, 0.00, 0.00),
    # its value in hundreds
    "declare_value": (0.00, 0.00, 0.00, 0.00),
    # it brings the points that the declarer still needs
    "declare_reaches": (0.00, 0.00, 0.00, 0.00),
    # it replaces one's own trump
    "declare_over_mine": (0.00, 0.00, 0.00, 0.00),
    # it replaces another's trump
    "declare_over_theirs": (0.00, 0.00, 0.00, 0.00),
    # by the cards held of the suit
    "declare_length": (0.00, 0.00, 0.00, 0.00),
    # by the value of one's other marriages × share of tricks left
    "declare_others": (0.00, 0.00, 0.00, 0.00),
}

#: What a hand counts for the declarer: with three or four players with the talon in hand and after giving cards away,
#: the same with two players.
HAND: Weights = {
    # each nine
    "nine": (-0.3, -1.5, -1.3, -1.3),
    # each jack
    "jack": (-0.5, -2.1, -1.5, -2.4),
    # each queen
    "queen": (-0.7, -1.9, -0.2, -0.2),
    # each king
    "king": (0.0, -1.1, 2.6, 2.6),
    # each ten
    "ten": (4.1, 7.0, 8.5, 11.5),
    # each ace
    "ace": (16.6, 16.9, 12.7, 12.5),
    # ace and ten of a suit
    "ace_ten": (7.3, 5.1, 1.3, -0.7),
    # ace, ten and king
    "ace_ten_king": (0.6, -0.2, -1.5, -2.4),
    # ace and king without the ten
    "ace_king": (0.0, 0.3, -1.6, -1.1),
    # a ten alone in its suit
    "bare_ten": (-5.5, -9.8, -5.7, -7.5),
    # a ten without the ace, third or longer
    "guarded_ten": (-2.0, -6.7, -0.4, -3.9),
    # no card of a suit
    "length_0": (2.3, 4.8, -7.1, -4.3),
    # one card
    "length_1": (1.3, 2.6, -2.8, 0.9),
    # three cards or more
    "length_3": (3.1, 6.1, 4.6, 5.7),
    # four or more
    "length_4": (6.6, 7.4, 5.0, 4.5),
    # five or more
    "length_5": (10.3, 12.7, 7.4, 7.2),
    # all six
    "length_6": (5.5, 8.1, 5.9, 4.8),
    # a marriage with its ace
    "pair_ace": (12.7, 11.6, 10.2, 9.6),
    # a marriage with its ten
    "pair_ten": (2.5, 3.9, 3.1, 2.9),
    # a marriage in a suit of four or more
    "pair_long": (-1.3, -1.4, 1.4, 2.3),
    # each marriage
    "pairs": (-25.3, -31.7, -28.0, -28.7),
    # each ten points of marriages
    "pair_values": (7.3, 8.9, 9.1, 9.5),
    # a marriage at all
    "any_pair": (43.0, 51.5, 34.3, 34.2),
    # each ace beside a marriage
    "pair_aces": (-2.5, -3.8, -1.4, -1.0),
    # marriage without any ace to get in with (T-MAR-03)
    "pair_no_ace": (-78.7, -101.2, -59.2, -62.1),
    # each ten without its ace beside a marriage
    "pair_tens": (1.8, 1.4, 1.3, 1.5),
    # two aces or more
    "aces_2": (5.0, 4.0, 0.6, -0.1),
    # each ten points of four aces, where they count
    "four_aces": (8.0, 8.0, 8.0, 8.0),
    # the rest: what is always added
    "one": (1.6, 1.8, 1.5, 1.8),
}

#: What giving a card does beside leaving the hand; "mate": a king or queen whose mate may be with an opponent.
GIVE: dict[str, float] = {
    "nine": 0.0,
    "jack": 0.1,
    "queen": 4.3,
    "king": 3.9,
    "ten": 0.3,
    "ace": 3.1,
    "mate": -5.8,
}

#: The chance to reach a contract is logistic in (expected points + shift − contract) / spread, the spread larger with a
#: marriage: with the talon in hand, after giving cards away.
MAKE: dict[str, tuple[float, float]] = {
    "shift": (12.0, 4.0),
    "spread": (8.0, 10.0),
    "spread_pair": (8.0, 6.0),
}

#: What bids and passes are worth beside the contract itself.
BID: dict[str, float] = {
    # what each of the others writes on average, and the same for each point that the declarer expects
    "others": 51.6,
    "others_points": -0.146,
    # a talon may be thrown in, a hand written off
    "choice": 15.6,
    # passing: always, by each point expected with this hand, by each point of the price, at a price of 100 (the seat
    # that must open may have nothing)
    "pass": -37.4,
    "pass_points": 0.65,
    "pass_price": -0.74,
    "pass_100": 22.3,
    # in a match: the price is held by a seat that wins from the barrel
    "barrel_threat": 40.0,
    # chance to make it from which one bids on the barrel
    "barrel_chance": 0.03,
}
