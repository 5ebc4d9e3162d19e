"""What is asked before the auction of Thousand: dark games, redeals of hands, bonuses (T-DARK, T-RED, T-INFO).

Each function takes the games concerned (indices), moves them on to their next decision and returns those that are
thrown in at once: the engine deals them anew.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import BIT, I64, U64
from . import auction
from .rules import ThousandRules
from .state import Bools, ThousandState
from .tables import DARK, HAND_REDEAL, INFO, JACKS, NINES, Tables, card_points
from .talon import next_question

_PLACE_BITS: I64 = np.array([1, 2, 4])


def _active(s: ThousandState, t: Tables, games: I64) -> I64:
    """Seats that hold cards, from forehand. int64 [n, A]."""
    p = t.rules.players
    return t.active.take(s.dealer[games].astype(np.int64)[:, None] * p + np.arange(t.rules.active))


def hand_redeal(hands: U64, rules: ThousandRules) -> Bools:
    """Which hands may be thrown in before the auction (T-RED-01 to T-RED-04).

    Args:
        hands: uint64 [n, A], by place: column 0 is forehand.
    """
    nines = np.bitwise_count(hands & NINES)
    may = np.zeros(hands.shape, np.bool_)
    if rules.redeal_hand_points_lt is not None:
        may |= card_points(hands) < rules.redeal_hand_points_lt
    if rules.redeal_hand_nines_ge is not None:
        some = nines >= rules.redeal_hand_nines_ge
        if rules.redeal_hand_nines_who == "forehand":
            some[:, 1:] = False
        may |= some
    if rules.redeal_hand_nines_eq_4:
        may |= nines == 4
    if rules.redeal_hand_jacks_eq is not None:
        may |= np.bitwise_count(hands & JACKS) == rules.redeal_hand_jacks_eq
    return may


def ask_dark(s: ThousandState, t: Tables, games: I64) -> I64:
    """Who may announce a dark game is asked, before anybody sees his cards (T-DARK-01, T-DARK-02, T-DARK-09)."""
    if t.rules.dark == "off":
        return ask_hands(s, t, games)
    seats = _active(s, t, games)
    asked = (s.silent[games][:, None] >> seats & 1) == 0
    asked &= ((s.golden_left[games] == 0) & ~s.barrel[games].any(axis=1))[:, None]
    if t.rules.dark != "C":
        asked[:, 1:] = False
    return ask_hands(s, t, next_question(s, t, games, DARK, asked @ _PLACE_BITS))


def answer_dark(s: ThousandState, t: Tables, games: I64, yes: Bools) -> I64:
    """The first "yes" ends the question (T-DARK-02)."""
    takers, seats = games[yes], s.player[games[yes]]
    s.dark[takers] = s.blind[takers] = seats
    s.facts[takers] |= t.fact["dark"].take(seats)
    s.queue[takers] = 0
    return ask_hands(s, t, next_question(s, t, games, DARK, s.queue[games]))


def ask_hands(s: ThousandState, t: Tables, games: I64) -> I64:
    """Redeals on one's own hand, in the order of the auction (T-RED-13)."""
    if not len(games):
        return games
    seats = _active(s, t, games)
    may = hand_redeal(s.hands[games[:, None], seats], t.rules)
    if t.rules.dark != "off":
        may &= seats != s.blind[games][:, None]  # nobody claims on cards that he has not seen
    queue = may @ _PLACE_BITS[: t.rules.active]
    if not t.rules.redeal_optional:  # T-RED-10
        return np.concatenate([games[queue != 0], ask_info(s, t, games[queue == 0])])
    return ask_info(s, t, next_question(s, t, games, HAND_REDEAL, queue))


def answer_hand(s: ThousandState, t: Tables, games: I64, yes: Bools) -> I64:
    """A "no" is final and invisible; the first "yes" throws the deal in (T-RED-10, T-RED-13)."""
    rest = games[~yes]
    return np.concatenate([games[yes], ask_info(s, t, next_question(s, t, rest, HAND_REDEAL, s.queue[rest]))])


def ask_info(s: ThousandState, t: Tables, games: I64) -> I64:
    """The seats with the bonus name a talon card, last thing before the auction (T-INFO-01)."""
    if t.rules.info_bonus == "talon_card" and len(games):
        holders = np.isin(_active(s, t, games), t.rules.info_bonus_seats)
        games = next_question(s, t, games, INFO, holders @ _PLACE_BITS[: t.rules.active])
    return auction.begin(s, t, games)


def answer_info(s: ThousandState, t: Tables, games: I64, actions: I64) -> I64:
    s.info[games, s.player[games]] = actions - t.space.info
    return auction.begin(s, t, next_question(s, t, games, INFO, s.queue[games]))


def legal_yes_no(t: Tables, yes: int, no: int) -> U64:
    """The two answers to a question. uint64 [W]."""
    words = np.zeros(t.space.words, np.uint64)
    for action in (yes, no):
        words[action >> 6] |= BIT[action & 63]
    return words


def legal_info(t: Tables) -> U64:
    """Any of the undealt cards. uint64 [W]."""
    words = np.zeros(t.space.words, np.uint64)
    for action in range(t.space.info, t.space.info + t.rules.stock_size):
        words[action >> 6] |= BIT[action & 63]
    return words
