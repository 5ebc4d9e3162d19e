"""The compiled search of the card play of Thousand: iterative, without allocation, with a table of positions.

A position is a row of numbers (`position.FIELDS`), for places instead of seats. The search
answers whether the side that maximises can reach a target from here (a null window), and returns a bound beside it:
the true value is at least the result if the result reaches the target, and at most the result if it does not.

What is worth what is data: `weights` say what a point of each place counts, and `sides` who maximises.
"""

from __future__ import annotations

import numpy as np

from ..kernels import compiled, inlined, lowest, popcount
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

#: Fields of a frame of the search after those of its position: who plays, the target from here, the best bound so far
#: and its action, actions and how many are done, gain of the action being tried, key in the table (-1: not looked up).
SEAT, TARGET, BOUND, ACTION, COUNT, DONE, GAIN, KEY = range(WIDTH, WIDTH + 8)
FRAME = WIDTH + 8
#: Cards of a deal, and one more: frames. Silent cards and declarations of one hand are at most so many.
DEPTH, MOVES = 25, 24

#: Options, as numbers (`solver.options_of`): places in play, duties, marriages.
(
    PLACES, MUST_TRUMP, MUST_OVERTRUMP, MUST_BEAT, FOREIGN, NEEDS_TRICK, LEAD_ONLY, OPTIONAL, FROM_NEXT, ACES,
    ACES_NEED, ACES_TRUMP, VALUE,
) = range(13)  # fmt: skip
ACE_VALUE = VALUE + 4
OPTIONS = VALUE + 5

NO_SUIT = 4
_SUIT = np.arange(24) // 6
QUEENS, ALL_ACES = 0o04040404, 0o40404040
_OFFSET, _BITS = 4096, 13
_UNKNOWN = 0 | (2 * _OFFSET - 1) << _BITS | 127 << (2 * _BITS)
#: Bits of a key that say where in a game one is; the deal's number comes above them.
KEY_BITS = 40
NO_ANSWER = -(1 << 20)
#: How far from a guess of the value the second question is.
STEP = 16


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
def _holds(card, held, led, trump):
    """Whether a card that leads its trick stands against a hand that must follow suit, and ruffs if it can."""
    of_led = held & (63 << (6 * led))
    if _SUIT[card] == led:
        if of_led:
            return of_led >> card == 0
        return trump == NO_SUIT or trump == led or held & (63 << (6 * trump)) == 0
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
            smear = _holds(top, others, led, trump) and _holds(top, second, led, trump)
    for k in range(count):
        action = row[k]
        card = card_of[action]
        if action == first:
            score = 1 << 20
        else:
            suit = _SUIT[card]
            score, now = 0, trump
            if action >= 24:
                score = 30
                if not options[FROM_NEXT] and (card != 6 * suit + 5 or options[ACES_TRUMP]):
                    now = suit
            if order == 0:
                if _holds(card, others, suit, now) and _holds(card, second, suit, now):
                    score += 40 + points[card]
                elif partner and not _holds(card, partner, suit, now):
                    score += 10 + points[card]
                else:
                    score -= points[card]
            elif strengths[(now * 5 + led) * 24 + card] > frame[BEST]:
                if _holds(card, others, led, now) and _holds(card, second, led, now):
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
    suit = _SUIT[card]
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


@compiled
def bounds(frame, options, weights, points12):
    """Between what the rest of a game, without the cards on the table, must be worth whoever plays how; and the card points left."""
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
    """Card points of the highest trumps, as many as one side has, and the side: it takes them. 0 while trumps may change."""
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
def _last_trick(frame, options, weights, strengths, points):
    """The value of a position in which everybody has one card."""
    places = options[PLACES]
    trump, led, best, winner, total = frame[TRUMP], 0, -1, 0, frame[BANK]
    for k in range(places):
        q = frame[LEADER] + k
        q -= places if q >= places else 0
        card = lowest(frame[HAND + q])
        if k == 0:
            led = _SUIT[card]
        total += points[card]
        strength = strengths[(trump * 5 + led) * 24 + card]
        if strength > best:
            best, winner = strength, q
    return weights[winner] * total


@inlined
def position_key(frame, options):
    """A number for everything that the future of a position at the start of a trick depends on, given the deal."""
    key = frame[HAND] | frame[HAND + 1] | frame[HAND + 2]
    key |= frame[LEADER] << 24 | frame[TRUMP] << 26
    if options[FOREIGN]:
        key |= (frame[OWNER] + 1) << 29
    if not options[LEAD_ONLY]:  # otherwise only leaders declare, and all but the first have a trick
        for k in range(options[PLACES]):
            held = frame[HAND + k]
            if held & (held >> 1) & QUEENS:
                key |= (frame[HAS] >> k & 1) << (31 + k)
    return key


@inlined
def _swap_cost(a, b, held, live, points, declares):
    """Points by which two cards of a hand differ if they are otherwise alike; a large number if they are not."""
    if _SUIT[a] != _SUIT[b]:
        return 1 << 20
    low, high = min(a, b), max(a, b)
    between = ((1 << high) - 1) & ~((2 << low) - 1)
    if live & between & ~held:
        return 1 << 20
    pair = held & (held >> 1) & QUEENS
    special = pair | pair << 1
    if declares and held & ALL_ACES == ALL_ACES:
        special |= ALL_ACES
    if special & ((1 << a) | (1 << b)):
        return 1 << 20
    return abs(points[a] - points[b])


@compiled
def search(root, target, work, deal, game, budget):
    """Whether the side that maximises reaches the target from a position.

    Args:
        root: int64 [WIDTH]. target: in weighed points still to come.
        work: frames int64 [DEPTH, FRAME], actions and scores int64 [DEPTH, MOVES], and the table of
            positions int64 [2^k, 2]: space that is written to.
        deal: a number that no other deal, objective or rules had with this table, above KEY_BITS.
        game: sides (bits of the places that maximise), weights int64 [3], options int64 [OPTIONS], masks int64 [4, 400]
            (`legal_cards`), strengths int64 [600] (trump, led, card), points int64 [24], points12 int64 [4096] of sets
            of cards of two suits, declare int64 [24] card → action, card_of int64 [36].
        budget: int64 [1], positions that may still be looked at; counted down.

    Returns: a bound (see above), or NO_ANSWER if the budget ran out.
    """
    frames, actions, scores, table = work
    sides, weights, options, masks, strengths, points, points12, declare, card_of = game
    places = options[PLACES]
    mask = table.shape[0] - 1
    least, most = weights[0], weights[0]
    for k in range(1, places):
        least, most = min(least, weights[k]), max(most, weights[k])
    spread = most - least
    level = 0
    frame = frames[0]
    for k in range(WIDTH):
        frame[k] = root[k]
    frame[TARGET], frame[GAIN] = target, 0
    fresh = True  # the frame has just been entered
    while True:
        frame = frames[level]
        if fresh:
            fresh = False
            value, known = 0, False
            budget[0] -= 1
            if budget[0] < 0:
                return NO_ANSWER
            goal = frame[TARGET]
            frame[KEY] = -1
            first = 127
            if frame[ORDER] == 0:
                rest = frame[HAND + frame[LEADER]]
                if rest == 0:
                    known = True
                elif rest & (rest - 1) == 0:
                    value, known = _last_trick(frame, options, weights, strengths, points), True
                else:
                    low, high, left = bounds(frame, options, weights, points12)
                    if options[LEAD_ONLY]:
                        taken, value = cashed(frame, options, points12)
                        weight = weights[frame[LEADER]]
                        if sides >> frame[LEADER] & 1:
                            low += (weight - least) * taken + max(weight, 0) * value
                        else:
                            high += (weight - most) * taken + min(weight, 0) * value
                        value = 0
                    taken, side = top_trumps(frame, options, sides, points)
                    if taken:
                        weight = least if side == 0 else most
                        for k in range(places):
                            if sides >> k & 1 == side:
                                weight = max(weight, weights[k]) if side == 0 else min(weight, weights[k])
                        if side:
                            low = max(low, least * left + (weight - least) * taken)
                        else:
                            high = min(high, most * left + (weight - most) * taken)
                    if low >= goal:
                        value, known = low, True
                    elif high < goal:
                        value, known = high, True
                    else:
                        key = position_key(frame, options) | deal
                        frame[KEY] = key
                        slot = (key * -7046029254386353131 >> 33) & mask
                        if table[slot, 0] == key:
                            entry = table[slot, 1]
                            low = (entry & (2 * _OFFSET - 1)) - _OFFSET
                            high = (entry >> _BITS & (2 * _OFFSET - 1)) - _OFFSET
                            if low >= goal:
                                value, known = low, True
                            elif high < goal:
                                value, known = high, True
                            first = entry >> (2 * _BITS)
            if known:
                frame[BOUND] = value
                frame[COUNT], frame[DONE] = 0, 0
                frame[KEY] = -1
            else:
                seat = frame[LEADER] + frame[ORDER]
                seat -= places if seat >= places else 0
                frame[SEAT] = seat
                row, rank = actions[level], scores[level]
                count = list_actions(frame, seat, options, masks, declare, row)
                frame[COUNT], frame[DONE] = count, 0
                frame[BOUND] = -(1 << 19) if sides >> seat & 1 else 1 << 19
                frame[ACTION] = 127
                if count > 1:
                    rank_actions(frame, seat, row, rank, count, first, sides, options, strengths, points, card_of)
        maximises = sides >> frame[SEAT] & 1
        done = frame[DONE]
        over = done == frame[COUNT]
        if not over and done > 0:
            over = frame[BOUND] >= frame[TARGET] if maximises else frame[BOUND] < frame[TARGET]
        if over:
            value = frame[BOUND]
            if frame[KEY] >= 0:
                key = frame[KEY]
                slot = (key * -7046029254386353131 >> 33) & mask
                entry = table[slot, 1] if table[slot, 0] == key else _UNKNOWN
                if value >= frame[TARGET]:
                    entry = (entry & ~(2 * _OFFSET - 1)) | (value + _OFFSET)
                else:
                    entry = (entry & ~((2 * _OFFSET - 1) << _BITS)) | (value + _OFFSET) << _BITS
                if frame[ACTION] != 127:
                    entry = (entry & ((1 << (2 * _BITS)) - 1)) | frame[ACTION] << (2 * _BITS)
                table[slot, 0], table[slot, 1] = key, entry
            if level == 0:
                return value
            level -= 1
            frame = frames[level]
            value += frame[GAIN]
            done = frame[DONE]
            scores[level, done] = value
            if sides >> frame[SEAT] & 1:
                if value > frame[BOUND]:
                    frame[BOUND], frame[ACTION] = value, actions[level, done]
            elif value < frame[BOUND]:
                frame[BOUND], frame[ACTION] = value, actions[level, done]
            frame[DONE] = done + 1
            continue
        action = actions[level, done]
        if done > 0 and action < 24:
            # a card like one that has been tried differs from it by its points at most
            held, live = frame[HAND + frame[SEAT]], frame[HAND] | frame[HAND + 1] | frame[HAND + 2]
            for k in range(frame[ORDER]):
                live |= 1 << frame[CARD + k]
            skip = False
            for k in range(done):
                other = actions[level, k]
                if other >= 24:
                    continue
                cost = _swap_cost(action, other, held, live, points, options[ACES])
                if cost < 64:
                    cost *= spread
                    value = scores[level, k] + cost if maximises else scores[level, k] - cost
                    if (value < frame[TARGET]) if maximises else (value >= frame[TARGET]):
                        skip = True
                        break
            if skip:
                scores[level, done] = value
                if maximises:
                    frame[BOUND] = max(frame[BOUND], value)
                else:
                    frame[BOUND] = min(frame[BOUND], value)
                frame[DONE] = done + 1
                continue
        child = frames[level + 1]
        frame[GAIN] = apply(frame, action, child, options, weights, strengths, points, card_of)
        child[TARGET] = frame[TARGET] - frame[GAIN]
        level += 1
        fresh = True


@compiled
def solve(root, low, high, guess, step, within, work, deal, game, budget):
    """Narrow the value of a position down from what is known of it. Returns (low, high), no further apart
    than `within` if the budget lasted.

    From the guess the steps to the next question grow until the value lies between two answers; then it is halved.
    """
    goal = min(max(guess, low + 1), high)
    above, below = False, False
    while high - low > within:
        value = search(root, goal, work, deal, game, budget)
        if value == NO_ANSWER:
            break
        if value >= goal:
            low, above = value, True
        else:
            high, below = value, True
        if above and below:
            goal = (low + high + 1) >> 1
        elif above:
            goal = min(low + step, high)
        else:
            goal = max(high + 1 - step, low + 1)
        step = min(4 * step, STEP)
    return low, high


@compiled
def _answer(root, goal, within, step, work, deal, game, budget):
    """The value of a position, or bounds that say whether it reaches the goal. Returns (low, high)."""
    low, high, _ = bounds(root, game[2], game[1], game[6])
    if root[ORDER] > 0:  # the cards on the table count with the rest
        least, most = game[1][0], game[1][0]
        for k in range(1, game[2][PLACES]):
            least, most = min(least, game[1][k]), max(most, game[1][k])
        low, high = low + least * root[PTS], high + most * root[PTS]
    if within >= 0:
        return solve(root, low, high, goal, step, within, work, deal, game, budget)
    if low < goal <= high:
        value = search(root, goal, work, deal, game, budget)
        if value != NO_ANSWER:
            if value >= goal:
                low = max(low, value)
            else:
                high = min(high, value)
    return low, high


@compiled
def values(positions, goals, within, work, deal, game, budget, out):
    """Value of each position, or whether it reaches its goal.

    Args:
        positions: int64 [n, WIDTH]. goals: int64 [n], a guess of the value, or what is to be reached.
        within: how far apart the bounds may be, the first question being the goal; -1: that question only. work, game: of `search`. deal: number of the first position.
        budget: positions that may be looked at for each row. out: int64 [n, 3], written: low, high, positions seen.
    """
    left = np.zeros(1, np.int64)
    for k in range(len(positions)):
        left[0] = budget
        low, high = _answer(positions[k], goals[k], within, STEP, work, (deal + k) << KEY_BITS, game, left)
        out[k, 0], out[k, 1], out[k, 2] = low, high, budget - max(left[0], 0)


@compiled
def action_values(positions, goals, within, work, deal, game, budget, out):
    """The same for each legal action of each position; out: int64 [n, 36, 3], other rows are left alone."""
    sides, weights, options, masks, strengths, points, points12, declare, card_of = game
    left = np.zeros(1, np.int64)
    legal = np.zeros(MOVES, np.int64)
    child = np.zeros(WIDTH, np.int64)
    for k in range(len(positions)):
        root, guess = positions[k], goals[k]
        seat = (root[LEADER] + root[ORDER]) % options[PLACES]
        count = list_actions(root, seat, options, masks, declare, legal)
        for j in range(count):
            left[0] = budget
            action = legal[j]
            gain = apply(root, action, child, options, weights, strengths, points, card_of)
            low, high = _answer(child, guess - gain, within, 1 if j and not within else STEP, work, (deal + k) << KEY_BITS, game, left)
            if within == 0:
                guess = low + gain
            row = out[k, action]
            row[0], row[1], row[2] = low + gain, high + gain, budget - max(left[0], 0)
