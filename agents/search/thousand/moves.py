"""Actions of the card play of Thousand for the compiled search: what is legal, what it does, what to try first.

Legality is that of the engine, from its tables (`envs.thousand.contexts.legality`).
"""

from __future__ import annotations

import numpy as np

from ..kernels import compiled, inlined, lowest
from .position import (
    BANK,
    BEST,
    CARD,
    HAND,
    HAS,
    LEADER,
    LED,
    NEXT_OWNER,
    NEXT_TRUMP,
    ORDER,
    OWNER,
    PTS,
    TRUMP,
    WIDTH,
    WINNER,
)

#: Options of the rules, as numbers (`solver.solver_tables`): places in play, duties, marriages, values.
(
    PLACES, MUST_TRUMP, MUST_OVERTRUMP, MUST_BEAT, FOREIGN, NEEDS_TRICK, LEAD_ONLY, OPTIONAL, FROM_NEXT, ACES,
    ACES_NEED, ACES_TRUMP, VALUE,
) = range(13)  # fmt: skip
ACE_VALUE = VALUE + 4

NO_SUIT = 4
QUEENS, ALL_ACES = 0o04040404, 0o40404040
SUIT = np.arange(24) // 6


@inlined
def legal_cards(held, frame, seat, options, masks):
    """Cards that may be played, as `envs.thousand.play.legal` says: the first duty that the hand meets binds."""
    trump, led = frame[TRUMP], frame[LED]
    if led == NO_SUIT:
        if options[FOREIGN] and trump != NO_SUIT and frame[OWNER] != seat:
            others = held & ~(63 << (6 * trump))
            if others:
                return others
        return held
    row = (trump * 5 + led) * 16 + frame[BEST]
    if options[MUST_BEAT]:
        beat = held & masks[0, row]
        if beat:
            return beat
    follow = held & masks[1, row]
    if follow:
        return follow
    if options[MUST_OVERTRUMP]:
        over = held & masks[2, row]
        if over:
            if options[MUST_TRUMP] or trump == NO_SUIT:
                return over
            return over | (held & ~(63 << (6 * trump)))
    ruff = held & masks[3, row]
    return ruff if ruff else held


@inlined
def declarable(held, frame, seat, options):
    """Cards that a seat could declare with now, if it may play them."""
    cards = 0
    leads = frame[LED] == NO_SUIT
    has_trick = frame[HAS] >> seat & 1
    if (leads or not options[LEAD_ONLY]) and (has_trick or not options[NEEDS_TRICK]):
        queens = held & (held >> 1) & QUEENS
        cards = queens | queens << 1
    if options[ACES] and leads and held & ALL_ACES == ALL_ACES and (has_trick or not options[ACES_NEED]):
        cards |= ALL_ACES
    return cards


@inlined
def holds(card, held, led, trump):
    """Whether a card that leads its trick stands against a hand that must follow suit, and ruffs if it can."""
    of_led = held & (63 << (6 * led))
    if SUIT[card] == led:
        if of_led:
            return of_led >> card == 0
        return trump in (NO_SUIT, led) or held & (63 << (6 * trump)) == 0
    return of_led != 0 or (held & (63 << (6 * trump))) >> card == 0


@compiled
def rank_actions(frame, seat, row, rank, count, first, sides, options, strengths, points, card_of):
    """Order the actions of a frame: sure tricks with many points, points to the own side's trick, then cheap cards."""
    places = options[PLACES]
    order, leader = frame[ORDER], frame[LEADER]
    led, trump = frame[LED], frame[TRUMP]
    side = sides >> seat & 1
    others, partner = 0, 0  # hands of the other side still to play, and of the own
    second = 0
    for later in range(order + 1, places):
        q = leader + later
        q -= places if q >= places else 0
        if sides >> q & 1 == side:
            partner = frame[HAND + q]
        elif others:
            second = frame[HAND + q]
        else:
            others = frame[HAND + q]
    smear = False
    if order:
        holder = leader + frame[WINNER]
        holder -= places if holder >= places else 0
        if sides >> holder & 1 == side:
            top = frame[CARD + frame[WINNER]]
            smear = holds(top, others, led, trump) and holds(top, second, led, trump)
    for k in range(count):
        action = row[k]
        card = card_of[action]
        if action == first:
            score = 1 << 20
        else:
            suit = SUIT[card]
            score, now = 0, trump
            if action >= 24:
                score = 30
                if not options[FROM_NEXT] and (card != 6 * suit + 5 or options[ACES_TRUMP]):
                    now = suit
            if order == 0:
                if holds(card, others, suit, now) and holds(card, second, suit, now):
                    score += 40 + points[card]
                elif partner and not holds(card, partner, suit, now):
                    score += 10 + points[card]
                else:
                    score -= points[card]
            elif strengths[(now * 5 + led) * 24 + card] > frame[BEST]:
                if holds(card, others, led, now) and holds(card, second, led, now):
                    score += 40 + points[card]
                else:
                    score -= points[card]
            elif smear:
                score += 20 + points[card]
            else:
                score -= points[card]
        place = k
        while place > 0 and rank[place - 1] < score:
            rank[place], row[place] = rank[place - 1], row[place - 1]
            place -= 1
        rank[place], row[place] = score, action


@compiled
def list_actions(frame, seat, options, masks, declare, actions):
    """Write the legal actions of a position: silent cards, then declarations. Returns how many."""
    held = frame[HAND + seat]
    cards = legal_cards(held, frame, seat, options, masks)
    declared = cards & declarable(held, frame, seat, options)
    if not options[OPTIONAL]:
        cards &= ~declared
    count = 0
    while cards:
        actions[count] = lowest(cards)
        cards &= cards - 1
        count += 1
    while declared:
        actions[count] = declare[lowest(declared)]
        declared &= declared - 1
        count += 1
    return count


@compiled
def apply(frame, action, child, options, weights, strengths, points, card_of):
    """The position after an action. Returns what it brings, weighed."""
    places = options[PLACES]
    for k in range(WIDTH):
        child[k] = frame[k]
    order = frame[ORDER]
    seat = frame[LEADER] + order
    seat -= places if seat >= places else 0
    card = card_of[action]
    suit = SUIT[card]
    child[HAND + seat] ^= 1 << card
    if order == 0:
        child[LED] = suit
    led = child[LED]
    gain = 0
    if action >= 24:
        aces = card == 6 * suit + 5
        gain = weights[seat] * (options[ACE_VALUE] if aces else options[VALUE + suit])
        if not aces or options[ACES_TRUMP]:
            if options[FROM_NEXT]:
                child[NEXT_TRUMP], child[NEXT_OWNER] = suit, seat
            else:
                child[TRUMP], child[OWNER] = suit, seat
                for k in range(order):  # the cards on the table are weighed again
                    strength = strengths[(suit * 5 + led) * 24 + child[CARD + k]]
                    if k == 0 or strength > child[BEST]:
                        child[BEST], child[WINNER] = strength, k
    strength = strengths[(child[TRUMP] * 5 + led) * 24 + card]
    if order == 0 or strength > child[BEST]:
        child[BEST], child[WINNER] = strength, order
    child[CARD + order] = card
    child[PTS] += points[card]
    order += 1
    child[ORDER] = order
    if order < places:
        return gain
    winner = frame[LEADER] + child[WINNER]
    winner -= places if winner >= places else 0
    gain += weights[winner] * child[PTS]
    child[LEADER] = winner
    child[HAS] |= 1 << winner
    child[ORDER], child[LED], child[BEST], child[WINNER], child[PTS] = 0, NO_SUIT, -1, 0, 0
    child[CARD], child[CARD + 1], child[CARD + 2] = -1, -1, -1
    if child[NEXT_TRUMP] != NO_SUIT:
        child[TRUMP], child[OWNER] = child[NEXT_TRUMP], child[NEXT_OWNER]
        child[NEXT_TRUMP], child[NEXT_OWNER] = NO_SUIT, -1
    if child[HAND] | child[HAND + 1] | child[HAND + 2] == 0:
        gain += weights[winner] * child[BANK]
    return gain
