"""The compiled search of the card play of Thousand: iterative, without allocation, with a table of positions.

A position is a row of numbers (`position.FIELDS`), for places instead of seats. The search
answers whether the side that maximises can reach a target from here (a null window), and returns a bound beside it:
the true value is at least the result if the result reaches the target, and at most the result if it does not.

What is worth what is data: `weights` say what a point of each place counts, and `sides` who maximises.
"""

from __future__ import annotations

import numpy as np

from ..kernels import compiled, inlined
from .bounds import UNLIKE, UNSETTLED, bounds, cashed, last_trick, settled, swap_cost, top_trumps
from .moves import ACES, FOREIGN, LEAD_ONLY, PLACES, QUEENS, apply, list_actions, rank_actions
from .position import CARD, HAND, HAS, LEADER, ORDER, OWNER, PTS, TRUMP, WIDTH

#: Fields of a frame of the search after those of its position: who plays, the target from here, the best bound so far
#: and its action, actions and how many are done, gain of the action being tried, key in the table (-1: not looked up).
SEAT, TARGET, BOUND, ACTION, COUNT, DONE, GAIN, KEY = range(WIDTH, WIDTH + 8)
FRAME = WIDTH + 8
#: Cards of a deal, and one more: frames. Silent cards and declarations of one hand are at most so many.
DEPTH, MOVES = 25, 24

_OFFSET, _BITS = 4096, 13
_UNKNOWN = 0 | (2 * _OFFSET - 1) << _BITS | 127 << (2 * _BITS)
#: Bits of a key that say where in a game one is; the deal's number comes above them.
KEY_BITS = 40
NO_ANSWER = -(1 << 20)
#: How far from a guess of the value the second question is.
STEP = 16


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
                    value, known = last_trick(frame, options, weights, strengths, points), True
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
            skip, now, value = False, UNSETTLED, 0
            for k in range(done):
                other = actions[level, k]
                if other >= 24:
                    continue
                cost = swap_cost(action, other, held, live, points, options[ACES])
                if cost == UNLIKE:
                    continue
                value = scores[level, k] + cost * spread if maximises else scores[level, k] - cost * spread
                if (value < frame[TARGET]) if maximises else (value >= frame[TARGET]):
                    skip = True
                    break
                if now == UNSETTLED:
                    now = settled(frame, action, weights, options, strengths)
                # the trick's owner is settled: points go where they count for the side, or stay in the hand
                if (now == most) == maximises and now in (least, most):
                    skip = points[other] >= points[action]
                elif now in (least, most):
                    skip = points[other] <= points[action]
                if skip:
                    value = scores[level, k]
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
        within: how far apart the bounds may be, the first question being the goal; -1: that question only.
        work, game: of `search`. deal: number of the first position.
        budget: positions that may be looked at for each row. out: int64 [n, 3], written: low, high, positions seen.
    """
    left = np.zeros(1, np.int64)
    for k in range(len(positions)):
        left[0] = budget
        low, high = _answer(positions[k], goals[k], within, STEP, work, (deal + k) << KEY_BITS, game, left)
        out[k, 0], out[k, 1], out[k, 2] = low, high, budget - max(left[0], 0)


@compiled
def action_values(positions, goals, within, work, deal, game, budget, out):
    """The same for each legal action of each position; out: int64 [n, 36, 3], other rows are left alone, and so are
    those whose third number is below 0."""
    _, weights, options, masks, strengths, points, _, declare, card_of = game
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
            if out[k, action, 2] < 0:
                continue
            gain = apply(root, action, child, options, weights, strengths, points, card_of)
            step = 1 if j and not within else STEP
            low, high = _answer(child, guess - gain, within, step, work, (deal + k) << KEY_BITS, game, left)
            if within == 0:  # otherwise the first question is the goal, for every action
                guess = low + gain
            row = out[k, action]
            row[0], row[1], row[2] = low + gain, high + gain, budget - max(left[0], 0)
