"""The search of the Pitch solver, compiled with numba: cards are places in the trump order, hands are masks of them.

A node asks one question: does side A take at least `need` of the points that are still to come? Points of both sides
add up to a constant, since every trump that is held will be played (P-PLAY-03, P-PLAY-05), so that the answers to a few
such questions are the exact value. The search keeps its path in arrays that the caller owns and allocates nothing.

What makes it quick: bounds between tricks from cards that nobody can take away, a table of positions between tricks
(cards left and leader: who holds what follows from the deal), one card tried for all that do the same, and an order of
moves that tries to win what lies there, or to give it to one's partner.
"""

from __future__ import annotations

from ..kernels import compiled, highest, popcount, probe, store

#: Columns of the path: seat to play, leader, place that wins (-1 before the lead), seat that wins, points on the
#: table, points that side A still needs, moves not yet tried, move tried, 1 in the trick of the root, key in the table
#: (0 within a trick), bounds of what side A takes, its own points in hands, points in hands that go with tricks.
SEAT, LEADER, BEST, BEST_SEAT, POT, NEED, MOVES, MOVE, ROOT, KEY, LEAST, MOST, OWN_A, LEFT = range(14)
PATH_COLUMNS = 14
#: One more than the trumps of any version.
PATH_ROWS = 24

#: Answers: side A takes that many, does not, or the budget of nodes is used up.
YES, NO, UNKNOWN = 1, 0, -1

#: Positions with more trumps than these keep their place in the table.
_MANY = 8
_NO_MOVE = -1


@compiled
def points_of(mask, sums):
    """Points of a mask of places. sums: int64 [2, 1024], of the lower and the upper ten places."""
    return sums[0, mask & 1023] + sums[1, mask >> 10]


@compiled
def beyond(mask, strength):
    """Places stronger than every card of a mask, as a mask; of two equal jokers neither is stronger."""
    place = highest(mask)
    while 0 <= place < len(strength) - 1 and strength[place + 1] == strength[place]:
        place += 1
    return -1 << (place + 1)


@compiled
def representatives(moves, others, strength, kind):
    """One of each set of moves that do the same: the lowest.

    Two trumps in one hand do the same if they are worth the same and no card that others hold, or that wins the trick
    (`others`), lies between them. A joker whose equal twin is one of those does the same as no other card.
    """
    kept, seen = 0, 0
    for place in range(len(strength)):
        if others >> place & 1:
            seen = 0
        elif moves >> place & 1:
            tied = place > 0 and others >> (place - 1) & 1 and strength[place - 1] == strength[place]
            if place + 1 < len(strength) and others >> (place + 1) & 1 and strength[place + 1] == strength[place]:
                tied = True
            if tied:
                kept |= 1 << place
                seen = 0
            elif not seen >> kind[place] & 1:
                kept |= 1 << place
                seen |= 1 << kind[place]
    return kept


@compiled
def choose(moves, best, best_mine, pot, later_hands, strength, won, own):
    """The move to try first: the place with the highest score.

    Args:
        best: place that wins so far, -1 before the lead. best_mine: it is of one's own side.
        later_hands: all cards of the other side's seats that play after this one.
    """
    chosen, most = _NO_MOVE, -1 << 30
    strongest = highest(later_hands)
    safe = strength[strongest] if strongest >= 0 else -1
    for place in range(len(strength)):
        if not moves >> place & 1:
            continue
        score = 8 * own[place]
        if best < 0:
            if strength[place] > safe:  # nobody can take it: collect
                score += 200 + 40 * won[place] - place
            else:
                score += 100 - 60 * won[place] - place
        else:
            beats = strength[place] > strength[best]
            if beats and strength[place] >= safe:  # it wins for sure
                score += 100 + 60 * (pot + won[place]) - (0 if best_mine else place)
                if best_mine and strength[best] >= safe:
                    score -= 40
            elif best_mine and strength[best] >= safe:  # the partner wins for sure: feed him
                score += 90 + 60 * won[place] - place
            elif beats:
                score += 60 - 30 * won[place] + place
            else:
                score += 50 - 60 * won[place] - place
        if score > most:
            chosen, most = place, score
    return chosen


@compiled
def after(hands, seats, remaining, seat, move, leader, best, best_seat, pot, tables):
    """The trick after a card: (seat to act, leader, best, its seat, points on the table, points of a complete trick).

    After a complete trick `best` is -1, and its seat is the one that took it. `hands` and `remaining` are without the
    card. A seat without trumps is passed over, as leader too (P-OUT-01, P-OUT-02).
    """
    pot += tables[1, move]
    if best < 0 or tables[0, move] > tables[0, best]:  # of equal ones the first wins
        best, best_seat = move, seat
    s = (seat + 1) % seats
    while s != leader and hands[s] == 0:
        s = (s + 1) % seats
    if s != leader:
        return s, leader, best, best_seat, pot, 0
    s = best_seat
    while hands[s] == 0 and remaining:
        s = (s + 1) % seats
    return s, s, -1, best_seat, 0, pot


@compiled
def ask(hands, seats, seat, leader, best, best_seat, pot, need, first, side, tables, sums, table, path, counts):
    """Does side A take at least `need` of the points to come, those on the table included? YES, NO or UNKNOWN.

    Args:
        hands: int64 [P], places held by each seat; changed on the way, as before afterwards.
        seat, leader, best, best_seat, pot: the trick as in the path; `best` is -1 if `seat` leads.
        first: int64 [P], places of which one must be played to this trick if one is held.
        side: mask of the seats of side A.
        tables: int64 [4, K], strength, points that go with the trick, points of the player, and a number that is
            equal for places of equal points. sums: see `points_of`.
        table: see `kernels`. path: int64 [PATH_ROWS, PATH_COLUMNS].
        counts: int64 [3], nodes so far, most nodes, number of this deal and side in the keys of the table.
    """
    strength, won, own, kind = tables[0], tables[1], tables[2], tables[3]
    all_a, left, own_a, remaining = 0, 0, 0, 0
    for s in range(seats):
        remaining |= hands[s]
        if side >> s & 1:
            all_a |= hands[s]
    for place in range(len(strength)):
        if remaining >> place & 1:
            left += won[place]
            if all_a >> place & 1:
                own_a += own[place]
    path[0, SEAT], path[0, LEADER], path[0, BEST], path[0, BEST_SEAT] = seat, leader, best, best_seat
    path[0, POT], path[0, NEED], path[0, ROOT], path[0, OWN_A], path[0, LEFT] = pot, need, 1, own_a, left
    ply, entering, answer = 0, True, UNKNOWN
    while True:
        node = path[ply]
        in_a = side >> node[SEAT] & 1
        move, good = _NO_MOVE, 0
        if entering:
            entering = False
            if counts[0] == counts[1]:
                for above in range(ply):
                    hands[path[above, SEAT]] |= 1 << path[above, MOVE]
                return UNKNOWN
            counts[0] += 1
            need, answer = node[NEED], UNKNOWN
            node[KEY] = 0
            if node[BEST] < 0:
                # cards stronger than all of the other side take their points home
                rest_a, rest_b = remaining & all_a, remaining & ~all_a
                least = node[OWN_A] + points_of(rest_a & beyond(rest_b, strength), sums)
                most = node[OWN_A] + node[LEFT] - points_of(rest_b & beyond(rest_a, strength), sums)
                if need <= least:
                    answer = YES
                elif need > most:
                    answer = NO
                else:
                    key = counts[2] << 24 | remaining << 3 | node[LEADER]
                    known = probe(table, key)
                    if known >= 0:
                        least, most, move = known & 31, known >> 5 & 31, (known >> 10) - 1
                        if need <= least:
                            answer = YES
                        elif need > most:
                            answer = NO
                    node[KEY], node[LEAST], node[MOST] = key, least, most
            elif need <= 0:
                answer = YES
            elif need > node[OWN_A] + node[LEFT] + node[POT]:
                answer = NO
            if answer == UNKNOWN:
                mine = hands[node[SEAT]]
                moves = mine
                if node[ROOT] and mine & first[node[SEAT]]:
                    moves = mine & first[node[SEAT]]
                if moves & (moves - 1):
                    others = remaining & ~mine
                    if node[BEST] >= 0:
                        others |= 1 << node[BEST]
                    moves = representatives(moves, others, strength, kind)
                node[MOVES] = moves
                if move >= 0 and not moves >> move & 1:
                    move = _NO_MOVE
        else:  # back from a move
            hands[node[SEAT]] |= 1 << node[MOVE]
            remaining |= 1 << node[MOVE]
            if answer != (YES if in_a else NO):
                answer = UNKNOWN
            else:
                good = node[MOVE] + 1
        if answer == UNKNOWN and move < 0:
            moves = node[MOVES]
            if moves == 0:
                answer = NO if in_a else YES
            elif moves & (moves - 1):
                later, s = 0, (node[SEAT] + 1) % seats
                while s != node[LEADER]:
                    if (side >> s & 1) != in_a:
                        later |= hands[s]
                    s = (s + 1) % seats
                with_me = node[BEST] >= 0 and (side >> node[BEST_SEAT] & 1) == in_a
                move = choose(moves, node[BEST], with_me, node[POT], later, strength, won, own)
            else:
                move = highest(moves)
        if answer != UNKNOWN:
            if node[KEY]:
                if answer == YES:
                    node[LEAST] = max(node[LEAST], node[NEED])
                else:
                    node[MOST] = min(node[MOST], node[NEED] - 1)
                value = node[LEAST] | node[MOST] << 5 | good << 10
                store(table, node[KEY], value, popcount(remaining) > _MANY)
            if ply == 0:
                return answer
            ply -= 1
            continue
        node[MOVE] = move
        node[MOVES] &= ~(1 << move)
        hands[node[SEAT]] &= ~(1 << move)
        remaining &= ~(1 << move)
        below = path[ply + 1]
        below[ROOT], below[OWN_A], below[NEED] = node[ROOT], node[OWN_A], node[NEED]
        below[LEFT] = node[LEFT] - won[move]
        if in_a:
            below[NEED] -= own[move]
            below[OWN_A] -= own[move]
        s, leader, best, best_seat, pot, taken = after(
            hands, seats, remaining, node[SEAT], move, node[LEADER], node[BEST], node[BEST_SEAT], node[POT], tables
        )
        if best < 0:
            below[ROOT] = 0
            if side >> best_seat & 1:
                below[NEED] -= taken
        below[SEAT], below[LEADER], below[BEST], below[BEST_SEAT], below[POT] = s, leader, best, best_seat, pot
        ply += 1
        entering = True


@compiled
def bisect(hands, seats, seat, leader, best, best_seat, pot, first, side, low, high, guess, tables, sums, table, path,
           counts):  # fmt: skip
    """The value in [low, high] as bounds that are equal, or as near as the budget allows.

    Args: as in `ask`; guess: where to look first. Steps away from it double.
    """
    middle, step = guess, 1
    while low < high:
        middle = min(max(middle, low + 1), high)
        answer = ask(
            hands, seats, seat, leader, best, best_seat, pot, middle, first, side, tables, sums, table, path, counts
        )
        if answer == UNKNOWN:
            break
        if answer == YES:
            low = middle
            middle = low + step
        else:
            high = middle - 1
            middle = high - step + 1
        step *= 2
    return low, high


@compiled
def start(hands, seats, side, pot, tables):
    """(places held, least, most points of side A to come) before any search."""
    remaining, least, most = 0, 0, pot
    for s in range(seats):
        remaining |= hands[s]
        for place in range(tables.shape[1]):
            if hands[s] >> place & 1:
                most += tables[1, place]
                if side >> s & 1:
                    least += tables[2, place]
    return remaining, least, most + least


@compiled
def solve(hands, seat, leader, best, best_seat, pot, first, side, each, budget, tables, sums, table, path, counts,
          scratch, bounds):  # fmt: skip
    """Positions one after the other: int64 [W, P] and [W] with the meanings of `ask`, one row a position.

    Args:
        each: True for the value of every card that may be played now, False for the value of the position.
        budget: most nodes for all of them; what one leaves the next may use.
        scratch: int64 [2, P], the second row is 0.
        bounds: int64 [W, K + 1, 2], written: least and most points of side A to come by the place of the card
            played now, -1 for cards that may not be played; the last row is the position.

    Returns: nodes in all.
    """
    size, seats = tables.shape[1], hands.shape[1]
    own, kind = tables[2], tables[3]
    total, mine_now = 0, scratch[0]
    for w in range(len(hands)):
        counts[0], counts[1] = 0, (budget - total) // (len(hands) - w)
        counts[2] += 1
        mine_now[:] = hands[w]
        bounds[w] = -1
        remaining, low, high = start(mine_now, seats, side[w], pot[w], tables)
        guess = (low + high + 1) // 2
        me, a = seat[w], side[w]
        if not each or remaining == 0:
            bounds[w, size] = bisect(
                mine_now, seats, me, leader[w], best[w], best_seat[w], pot[w], first[w], a, low, high, guess,
                tables, sums, table, path, counts,
            )  # fmt: skip
            total += counts[0]
            continue
        mine = mine_now[me]
        moves = mine & first[w, me] if mine & first[w, me] else mine
        others = remaining & ~mine
        if best[w] >= 0:
            others |= 1 << best[w]
        kept = representatives(moves, others, tables[0], kind)
        in_a = a >> me & 1
        least, most = (-1, -1) if in_a else (high, high)
        for place in range(size):
            if not moves >> place & 1:
                continue
            if not kept >> place & 1:  # does the same as a lower one
                lower = place - 1
                while not (kept >> lower & 1 and kind[lower] == kind[place]):
                    lower -= 1
                bounds[w, place] = bounds[w, lower]
                continue
            mine_now[me] = mine & ~(1 << place)
            s, lead, top_card, top_seat, on_table, taken = after(
                mine_now, seats, remaining & ~(1 << place), me, place, leader[w], best[w], best_seat[w], pot[w], tables
            )
            gain = own[place] if in_a else 0
            if top_card < 0 and a >> top_seat & 1:
                gain += taken
            bound = scratch[1] if top_card < 0 else first[w]
            one, other = bisect(
                mine_now, seats, s, lead, top_card, top_seat, on_table, bound, a, max(low - gain, 0),
                max(high - gain, 0), guess - gain, tables, sums, table, path, counts,
            )  # fmt: skip
            mine_now[me] = mine
            bounds[w, place, 0], bounds[w, place, 1] = one + gain, other + gain
            guess = one + gain
            if in_a:
                least, most = max(least, one + gain), max(most, other + gain)
            else:
                least, most = min(least, one + gain), min(most, other + gain)
        bounds[w, size, 0], bounds[w, size, 1] = least, most
        total += counts[0]
    return total


@compiled
def decide(hands, seat, leader, best, best_seat, pot, first, side, need, budget, tables, sums, table, path, counts,
           scratch, answers):  # fmt: skip
    """`ask` for positions one after the other, arguments as in `solve`; need, answers: int64 [W]. Returns nodes."""
    seats, total = hands.shape[1], 0
    for w in range(len(hands)):
        counts[0], counts[1] = 0, (budget - total) // (len(hands) - w)
        counts[2] += 1
        scratch[0] = hands[w]
        answers[w] = ask(
            scratch[0], seats, seat[w], leader[w], best[w], best_seat[w], pot[w], need[w], first[w], side[w],
            tables, sums, table, path, counts,
        )  # fmt: skip
        total += counts[0]
    return total
