"""What can be said of a position of Thousand without searching it, compiled: bounds, and which cards are alike."""

from __future__ import annotations

from ..kernels import compiled, inlined, lowest, popcount
from .moves import (
    ACE_VALUE,
    ACES,
    ALL_ACES,
    FOREIGN,
    LEAD_ONLY,
    NEEDS_TRICK,
    NO_SUIT,
    PLACES,
    QUEENS,
    SUIT,
    VALUE,
    holds,
)
from .position import BANK, BEST, CARD, HAND, HAS, LEADER, LED, ORDER, OWNER, TRUMP, WINNER

#: `settled`: not asked yet, and open.
UNSETTLED, OPEN = 1 << 20, 1 << 21
#: `swap_cost` of cards that are not alike.
UNLIKE = 1 << 20


@compiled
def bounds(frame, options, weights, points12):
    """What the rest of a game, without the cards on the table, is worth at least and at most; the card points left."""
    places = options[PLACES]
    rest = frame[HAND] | frame[HAND + 1] | frame[HAND + 2]
    left = points12[rest & 4095] + points12[rest >> 12] + frame[BANK]
    low, high = weights[0], weights[0]
    for k in range(1, places):
        low, high = min(low, weights[k]), max(high, weights[k])
    low, high = low * left, high * left
    for k in range(places):
        if weights[k] == 0:
            continue
        held = frame[HAND + k]
        queens = held & (held >> 1) & QUEENS
        value = 0
        for suit in range(4):
            if queens >> (6 * suit + 2) & 1:
                value += options[VALUE + suit]
        if options[ACES] and held & ALL_ACES == ALL_ACES:
            value += options[ACE_VALUE]
        value *= weights[k]
        if value > 0:
            high += value
        else:
            low += value
    return low, high, left


@inlined
def top_trumps(frame, options, sides, points):
    """Card points of the highest trumps, as many as one side has, and that side: it takes them if trumps stay."""
    trump = frame[TRUMP]
    if trump == NO_SUIT:
        return 0, 0
    cards = 0
    for k in range(options[PLACES]):
        held = frame[HAND + k]
        if held & (held >> 1) & QUEENS or (options[ACES] and held & ALL_ACES == ALL_ACES):
            return 0, 0
        cards |= held
    taken, side = 0, -1
    for card in range(6 * trump + 5, 6 * trump - 1, -1):
        if not cards >> card & 1:
            continue
        for k in range(options[PLACES]):
            if frame[HAND + k] >> card & 1:
                of_k = sides >> k & 1
                if side < 0:
                    side = of_k
                if of_k != side:
                    return taken, side
                taken += points[card]
    return taken, side


@compiled
def cashed(frame, options, points12):
    """What a leader can take without losing the lead: card points, and then the best marriage (two numbers).

    In each suit these are his cards above all others', as many as everybody who has trumps must follow.
    """
    places = options[PLACES]
    leader, trump = frame[LEADER], frame[TRUMP]
    held = frame[HAND + leader]
    a = frame[HAND + (leader + 1 if leader + 1 < places else 0)]
    b = frame[HAND + (leader - 1 if leader else 2)] if places == 3 else 0
    pairs = held & (held >> 1) & QUEENS
    kept = pairs | pairs << 1
    if options[ACES] and held & ALL_ACES == ALL_ACES:
        kept |= ALL_ACES
    sure = 0
    for suit in range(4):
        mask = 63 << (6 * suit)
        mine = held & mask
        if not mine or (suit == trump and options[FOREIGN] and frame[OWNER] != leader):
            continue
        of_a, of_b = a & mask, b & mask
        others = of_a | of_b
        most = 6
        if suit != trump and trump != NO_SUIT:
            trumps = 63 << (6 * trump)
            if a & trumps:
                most = popcount(of_a)
            if b & trumps:
                most = min(most, popcount(of_b))
        card = 6 * suit + 5
        while most > 0 and card >= 6 * suit:
            bit = 1 << card
            if others >> (6 * suit) >> (card - 6 * suit) == 0:
                if mine & bit and not kept & bit:
                    sure |= bit
                    most -= 1
            else:
                break
            card -= 1
    taken = points12[sure & 4095] + points12[sure >> 12]
    value = 0
    if sure or not options[NEEDS_TRICK] or frame[HAS] >> leader & 1:
        for suit in range(4):
            if pairs >> (6 * suit + 2) & 1:
                value = max(value, options[VALUE + suit])
    return taken, value


@inlined
def last_trick(frame, options, weights, strengths, points):
    """The value of a position in which everybody has one card."""
    places = options[PLACES]
    trump, led, best, winner, total = frame[TRUMP], 0, -1, 0, frame[BANK]
    for k in range(places):
        q = frame[LEADER] + k
        q -= places if q >= places else 0
        card = lowest(frame[HAND + q])
        if k == 0:
            led = SUIT[card]
        total += points[card]
        strength = strengths[(trump * 5 + led) * 24 + card]
        if strength > best:
            best, winner = strength, q
    return weights[winner] * total


@compiled
def settled(frame, card, weights, options, strengths):
    """What a point of this trick will count after a silent card, whoever wins it then; OPEN if that may differ."""
    places = options[PLACES]
    order, led, trump = frame[ORDER], frame[LED], frame[TRUMP]
    if not options[LEAD_ONLY]:  # a follower's marriage may turn the trick
        return OPEN
    seat = frame[LEADER] + order
    seat -= places if seat >= places else 0
    holder, top = seat, card
    if order == 0:
        led = SUIT[card]
    elif strengths[(trump * 5 + led) * 24 + card] <= frame[BEST]:
        holder = frame[LEADER] + frame[WINNER]
        holder -= places if holder >= places else 0
        top = frame[CARD + frame[WINNER]]
    weight = weights[holder]
    for later in range(order + 1, places):
        q = frame[LEADER] + later
        q -= places if q >= places else 0
        if weights[q] != weight and not holds(top, frame[HAND + q], led, trump):
            return OPEN
    return weight


@inlined
def swap_cost(a, b, held, live, points, declares):
    """Points by which two cards of a hand differ if they are otherwise alike; a large number if they are not."""
    if SUIT[a] != SUIT[b]:
        return UNLIKE
    low, high = min(a, b), max(a, b)
    between = ((1 << high) - 1) & ~((2 << low) - 1)
    if live & between & ~held:
        return UNLIKE
    pair = held & (held >> 1) & QUEENS
    special = pair | pair << 1
    if declares and held & ALL_ACES == ALL_ACES:
        special |= ALL_ACES
    if special & ((1 << a) | (1 << b)):
        return UNLIKE
    return abs(points[a] - points[b])
