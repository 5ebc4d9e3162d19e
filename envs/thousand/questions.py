"""What is asked before the auction of Thousand: dark games, redeals of hands, bonuses (T-DARK, T-RED, T-INFO).

Each function takes the games concerned (indices), moves them on to their next decision and returns those that are
thrown in at once: the engine deals them anew.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import I64
from . import auction, talon
from .contexts import IN_AUCTION, IN_DARK, IN_HAND_REDEAL, IN_INFO, IN_PASS_REDEAL, IN_TALON, IN_TALON_REDEAL
from .dealing import hand_redeal
from .lookup import Tables
from .state import BARREL, GOLDEN_LEFT, Bools, ThousandState
from .talon import next_question, queue_of

_PLACE_BITS: I64 = np.array([1, 2, 4])


def _active(s: ThousandState, t: Tables, games: I64) -> I64:
    """Seats that hold cards, from forehand. int64 [n, A]."""
    dealer = t.turns.dealer.take(s.node.take(games))
    return t.turns.active.take(dealer[:, None] * t.rules.players + np.arange(t.rules.active))


def answer(s: ThousandState, t: Tables, games: I64, actions: I64) -> list[I64]:
    """Answers to the questions of this phase and of later ones; returns the games thrown in, in several parts."""
    space = t.space
    contexts = s.context.take(games)
    thrown: list[I64] = []
    for context in set(contexts.tolist()):
        chosen = contexts == context
        some, acts = games[chosen], actions[chosen]
        if context == IN_DARK:
            thrown.append(answer_dark(s, t, some, acts == space.dark))
        elif context == IN_HAND_REDEAL:
            thrown.append(answer_hand(s, t, some, acts == space.redeal))
        elif context == IN_INFO:
            thrown.append(answer_info(s, t, some, acts))
        elif context == IN_TALON:
            thrown.append(talon.take(s, t, some, acts - space.talon))
        elif context == IN_TALON_REDEAL:
            thrown.append(talon.answer_talon(s, t, some, acts == space.redeal))
        else:
            assert context == IN_PASS_REDEAL
            thrown.append(talon.answer_pass(s, t, some, acts == space.redeal))
    return thrown


def begin(s: ThousandState, t: Tables, games: I64, dealer: I64, queue: I64) -> I64:
    """The first questions of new deals, or their auction.

    Args:
        queue: places that may throw their hand in (see `dealing`), as bits.
    """
    if not t.plain_auction or t.rules.info_bonus == "talon_card":
        s.node[games] = t.turns.placed.take(dealer * t.rules.players)
        return _ask_dark(s, t, games)
    # the usual case: an auction that waits for nothing but redeals
    s.context[games] = IN_AUCTION
    s.node[games] = t.turns.opening.take(dealer)
    asked = queue.nonzero()[0]
    if not len(asked):
        return asked
    games = games.take(asked)
    return next_question(s, t, games, IN_HAND_REDEAL, queue.take(asked)) if t.rules.redeal_optional else games


def _ask_dark(s: ThousandState, t: Tables, games: I64) -> I64:
    """Who may announce a dark game is asked, before anybody sees his cards (T-DARK-01, T-DARK-02, T-DARK-09)."""
    rules = t.rules
    if rules.dark == "off":
        return ask_hands(s, t, games)
    seats = _active(s, t, games)
    asked = np.ones(seats.shape, np.bool_)
    if rules.auction_silence_below is not None:
        asked = s.scores[games[:, None], seats] >= rules.auction_silence_below
    on = s.by_seat[games, :, BARREL].any(axis=1)
    asked &= ((s.by_table[games, GOLDEN_LEFT] == 0) & ~on)[:, None]
    if rules.dark != "C":
        asked[:, 1:] = False
    return ask_hands(s, t, next_question(s, t, games, IN_DARK, asked @ _PLACE_BITS[: rules.active]))


def answer_dark(s: ThousandState, t: Tables, games: I64, yes: Bools) -> I64:
    """The first "yes" ends the question (T-DARK-02)."""
    takers = games[yes]
    s.facts[takers] |= t.fact["dark"].take(s.player[takers])
    queue = np.where(yes, 0, queue_of(s, t, games))
    return ask_hands(s, t, next_question(s, t, games, IN_DARK, queue))


def ask_hands(s: ThousandState, t: Tables, games: I64) -> I64:
    """Redeals on one's own hand, in the order of the auction (T-RED-13)."""
    if not len(games):
        return games
    if t.rules.dark == "off":
        queue = queue_of(s, t, games)
    else:  # the queue of the dark game has taken the place of the other; nobody claims on cards that he has not seen
        seats = _active(s, t, games)
        may = hand_redeal(s.hands[games[:, None], seats], t.rules)
        may &= seats != s.dark[games][:, None]
        queue = may @ _PLACE_BITS[: t.rules.active]
    if not t.rules.redeal_optional:  # T-RED-10
        return np.concatenate([games[queue != 0], ask_info(s, t, games[queue == 0])])
    return ask_info(s, t, next_question(s, t, games, IN_HAND_REDEAL, queue))


def answer_hand(s: ThousandState, t: Tables, games: I64, yes: Bools) -> I64:
    """A "no" is final and invisible; the first "yes" throws the deal in (T-RED-10, T-RED-13)."""
    rest = games[~yes]
    if not len(rest):
        return games
    thrown = ask_info(s, t, next_question(s, t, rest, IN_HAND_REDEAL, queue_of(s, t, rest)))
    return np.concatenate([games[yes], thrown])


def ask_info(s: ThousandState, t: Tables, games: I64) -> I64:
    """The seats with the bonus name a talon card, last thing before the auction (T-INFO-01)."""
    if t.rules.info_bonus == "talon_card" and len(games):
        holders = np.isin(_active(s, t, games), t.rules.info_bonus_seats)
        games = next_question(s, t, games, IN_INFO, holders @ _PLACE_BITS[: t.rules.active])
    return auction.begin(s, t, games)


def answer_info(s: ThousandState, t: Tables, games: I64, actions: I64) -> I64:
    s.info[games, s.player[games]] = actions - t.space.info
    return auction.begin(s, t, next_question(s, t, games, IN_INFO, queue_of(s, t, games)))
