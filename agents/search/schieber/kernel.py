"""The compiled search of Schieber with open cards: is at least so much to be made from here on?

Cards are in *contract order* (`solver`): card = 9 · slot + place, slot 0 the trump suit, places ascending in strength,
so that of one suit the higher number wins. Seats 0 and 2 are the maximizing team. What is searched is

    points taken from here on by team 0  +  half the match bonus × (team 0 sweeps) − the same × (team 1 sweeps),

which makes a game of constant sum out of one in which the bonus is paid on top. The search is alpha-beta with a
window of one point and fail-soft bounds (the bound that comes back may be better than what was asked for), a loop over
frames instead of a recursion, on arrays that are handed in: it allocates nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import compiled, highest, inlined, lowest, popcount, probe, store

SUIT = 0x1FF
UNDER = 1 << 8
#: Frames of a search: one for each card played, and one more.
FRAMES = 37
#: Columns of a frame. LED: slot of the suit led, -1 none. BEST, BEST_SEAT: the card that wins so far. LYING: points on
#: the table. NEED: what team 0 must still make. SWEEP: bit 0 team 0 may still sweep, bit 1 team 1. MOVES: legal cards
#: not yet tried are in the list from NEXT on. FOUND: best bound so far. KEY: of the table. ALIVE: unplayed cards, with
#: those on the table. PLAYED_CARD: the card that is being tried. FIRST: the card that was best. ORDER_OF: cards on the
#: table. LEFT: points not taken yet, with the last trick's 5, when the trick began. START: positions visited before.
#: NODES (of frame 0): positions visited.
(
    SEAT, LED, BEST, BEST_SEAT, LYING, NEED, SWEEP, COUNT, NEXT, FOUND, KEY, ALIVE, PLAYED_CARD, FIRST, ORDER_OF,
    LEFT, START, NODES, COLUMNS,
) = range(19)  # fmt: skip

#: `search` stopped because it had no nodes left.
OUT_OF_NODES = -10_000
#: Beyond every value.
INFINITE = 5_000
#: Bounds in the table are stored with this added.
OFFSET = 128


@inlined
def legal_cards(hand: int, led: int, best: int, trump: bool) -> int:
    """Legal cards of a hand (J-PLAY-01..05), with the card that wins so far."""
    if led < 0:
        return hand
    suit = hand & (SUIT << (9 * led))
    if not trump:
        return suit if suit else hand
    if led == 0:
        return suit if suit & ~UNDER else hand
    if hand & ~SUIT == 0:
        return hand
    higher = SUIT
    if best < 9:  # ruffed: lower trumps are not allowed
        higher = SUIT & ~((2 << best) - 1)
    return (suit if suit else hand & ~SUIT) | (hand & higher)


@inlined
def beats(card: int, best: int, trump: bool) -> bool:
    """Whether a card takes the trick from the one that wins so far."""
    if card // 9 == best // 9:
        return card > best
    return trump and card < 9


@inlined
def _without_equals(moves: int, alive: int, points: Any) -> int:
    """Moves without those that are as good as a lower one: same points, no card of others between them."""
    kept = 0
    rest = moves
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        below = alive & ((1 << card) - 1) & (SUIT << (9 * (card // 9)))
        if below:
            other = highest(below)
            if moves >> other & 1 and points[other] == points[card]:
                continue
        kept |= 1 << card
    return kept


@inlined
def _lead_score(card: int, seat: int, hands: Any, points: Any, trump: bool) -> int:
    """How promising it is to lead a card."""
    suit = SUIT << (9 * (card // 9))
    above = suit & ~((2 << card) - 1)
    partner = hands[(seat + 2) & 3]
    enemy, other = hands[(seat + 1) & 3], hands[(seat + 3) & 3]
    ruffed = False
    if trump and card >= 9:
        ruffed = (enemy & suit == 0 and enemy & SUIT != 0) or (other & suit == 0 and other & SUIT != 0)
    higher = (enemy | other) & above
    if not ruffed:
        if higher == 0:
            return 60 + 2 * points[card] + (20 if trump and card < 9 else 0)
        if partner & above > higher:
            return 35 - points[card] + 2 * (card % 9)
    return 2 * (card % 9 - points[card]) - (10 if ruffed else 0)


@inlined
def _follow_score(
    card: int, order: int, seat: int, best: int, best_seat: int, hands: Any, points: Any, trump: bool
) -> int:  # fmt: skip
    """How promising it is to play a card on a trick."""
    after = hands[(seat + 1) & 3] if order < 3 else 0  # the one opponent who still plays, if any
    takes = beats(card, best, trump)
    top = card if takes else best
    suit = SUIT << (9 * (top // 9))
    beaten = after & suit & ~((2 << top) - 1)
    if top >= 9 and trump:
        beaten |= after & SUIT
    if takes:
        if beaten == 0:
            return 90 + points[card] + card % 9 - (8 if card < 9 and trump else 0)
        return -2 * (points[card] + card % 9)
    if ((best_seat ^ seat) & 1) == 0 and beaten == 0:
        return 60 + 3 * points[card] - (20 if card < 9 and trump else 0)
    return -3 * points[card] - 2 * (card % 9) - (10 if card < 9 and trump else 0)


@compiled
def list_moves(f: Any, d: int, hands: Any, points: Any, trump: bool, first: int, history: Any, list_: Any) -> None:
    """Write the moves of a frame down, most promising first."""
    seat, led, best = f[d, SEAT], f[d, LED], f[d, BEST]
    moves = _without_equals(legal_cards(hands[seat], led, best, trump), f[d, ALIVE], points)
    count = 0
    while moves:
        card = lowest(moves)
        moves &= moves - 1
        if card == first:
            score = 1 << 40
        elif led < 0:
            score = _lead_score(card, seat, hands, points, trump)
        else:
            score = _follow_score(
                card, f[d, ORDER_OF], seat, best, f[d, BEST_SEAT], hands, points, trump
            )
        if card != first:
            score = score * 64 + history[seat, card]
        place = count
        while place and list_[d, place - 1, 0] < score:
            list_[d, place, 0] = list_[d, place - 1, 0]
            list_[d, place, 1] = list_[d, place - 1, 1]
            place -= 1
        list_[d, place, 0] = score
        list_[d, place, 1] = card
        count += 1
    f[d, COUNT], f[d, NEXT] = count, 0


@inlined
def _cash(hand: int, alive: int, safe: bool, sums: Any) -> tuple[int, int]:
    """The tricks that the leader can take one after the other with the best cards of suits, and their own points.

    `safe`: cards beside trumps count too, as opponents cannot ruff.
    """
    tricks, total = 0, 0
    for slot in range(4 if safe else 1):
        mine = hand >> (9 * slot) & SUIT
        if mine:
            others = alive >> (9 * slot) & SUIT & ~mine
            top = mine & ~((2 << highest(others)) - 1) if others else mine
            tricks += popcount(top)
            total += sums[slot, top]
    return tricks, total


@inlined
def _last_trick(f: Any, d: int, hands: Any, points: Any, trump: bool, half: int) -> int:
    """What the last trick brings: everybody has one card."""
    seat = f[d, SEAT]
    best, winner, total = lowest(hands[seat]), seat, 5
    total += points[best]
    for k in range(1, 4):
        other = (seat + k) & 3
        card = lowest(hands[other])
        total += points[card]
        if beats(card, best, trump):
            best, winner = card, other
    if winner & 1:
        return -half if f[d, SWEEP] & 2 else 0
    return total + half if f[d, SWEEP] & 1 else total


@compiled
def play(f: Any, d: int, card: int, hands: Any, points: Any, trump: bool) -> None:
    """Fill the frame after d in: a card is played there."""
    seat, e = f[d, SEAT], d + 1
    hands[seat] ^= 1 << card
    lying = f[d, LYING] + points[card]
    best, best_seat = f[d, BEST], f[d, BEST_SEAT]
    if f[d, LED] < 0 or beats(card, best, trump):
        best, best_seat = card, seat
    if f[d, ORDER_OF] < 3:
        f[e, SEAT] = (seat + 1) & 3
        f[e, LED] = card // 9 if f[d, LED] < 0 else f[d, LED]
        f[e, BEST], f[e, BEST_SEAT], f[e, LYING] = best, best_seat, lying
        f[e, NEED], f[e, SWEEP], f[e, ALIVE], f[e, LEFT] = f[d, NEED], f[d, SWEEP], f[d, ALIVE], f[d, LEFT]
        f[e, ORDER_OF] = f[d, ORDER_OF] + 1
        return
    if hands[0] | hands[1] | hands[2] | hands[3] == 0:
        lying += 5
    f[e, SEAT], f[e, LED], f[e, BEST], f[e, LYING], f[e, ORDER_OF] = best_seat, -1, -1, 0, 0
    f[e, NEED] = f[d, NEED] if best_seat & 1 else f[d, NEED] - lying
    f[e, SWEEP] = f[d, SWEEP] & (2 if best_seat & 1 else 1)
    f[e, ALIVE] = hands[0] | hands[1] | hands[2] | hands[3]
    f[e, LEFT] = f[d, LEFT] - lying


@compiled
def search(
    f: Any, list_: Any, history: Any, hands: Any, points: Any, sums: Any, trump: bool, half: int, table: Any, deal: int,
    horizon: int, budget: int
) -> int:  # fmt: skip
    """Search from frame 0, which is filled in.

    Args:
        f: int64 [FRAMES, COLUMNS]. list_: int64 [FRAMES, 9, 2], room for moves. history: int64 [8, 36], how often
            cards were good, and zeros. hands: int64 [4], as it was on return.
        points: int64 [36]. half: half the match bonus. table: `kernels.new_table`. deal: number of hands and contract
            (and horizon), below 2^22, for the table. horizon: where so many cards are left in all hands, between
            tricks, the rest is played out by `play_out` instead of being searched; 0 searches to the end.
        budget: positions that may be visited.

    Returns: a bound on the value from frame 0 on: from below if it is at least NEED of frame 0, else from above; or
    OUT_OF_NODES. NODES of frame 0 is what was visited.
    """
    d, nodes, value = 0, 0, 0
    entering, returned = True, False
    while True:
        if entering:  # frame d has been filled in
            entering = False
            nodes += 1
            if nodes > budget:
                while d > 0:  # take the cards back
                    d -= 1
                    hands[f[d, SEAT]] |= 1 << f[d, PLAYED_CARD]
                f[0, NODES] = nodes - 1
                return OUT_OF_NODES
            first = -1
            if f[d, LED] < 0:
                need, sweep = f[d, NEED], f[d, SWEEP]
                most = f[d, LEFT] + (half if sweep & 1 else 0)
                least = -half if sweep & 2 else 0
                left = popcount(f[d, ALIVE])
                if left == 0:
                    value, returned = (half if sweep & 1 else 0) + least, True
                elif left == 4:
                    value, returned = _last_trick(f, d, hands, points, trump, half), True
                if not returned:
                    # the leader's sure tricks narrow the bounds
                    seat = f[d, SEAT]
                    enemies = hands[(seat + 1) & 3] | hands[(seat + 3) & 3]
                    tricks, sure = _cash(hands[seat], f[d, ALIVE], not trump or enemies & SUIT == 0, sums)
                    if 4 * tricks >= left:
                        least, most = (least, least) if seat & 1 else (most, most)
                    elif tricks and seat & 1:
                        most = f[d, LEFT] - sure
                    elif tricks:
                        least = sure
                if returned:
                    pass
                elif least >= need:
                    value, returned = least, True
                elif most < need:
                    value, returned = most, True
                elif left <= horizon:
                    value, returned = play_out(f, d, list_, history, hands, points, trump, half), True
                    nodes += left
                else:
                    key = f[d, ALIVE] | f[d, SEAT] << 36 | sweep << 38 | deal << 40
                    f[d, KEY] = key
                    entry = probe(table, key)
                    if entry >= 0:
                        low, high = (entry & 0x3FF) - OFFSET, (entry >> 10 & 0x3FF) - OFFSET
                        if low >= need:
                            value, returned = low, True
                        elif high < need:
                            value, returned = high, True
                        first = (entry >> 20 & 63) - 1
            if not returned:
                list_moves(f, d, hands, points, trump, first, history, list_)
                f[d, FOUND] = INFINITE if f[d, SEAT] & 1 else -INFINITE
                f[d, FIRST] = -1
                f[d, START] = nodes
        if returned:  # frame d is worth `value`
            returned = False
            if d == 0:
                f[0, NODES] = nodes
                return value
            d -= 1
            seat, card = f[d, SEAT], f[d, PLAYED_CARD]
            hands[seat] |= 1 << card
            value += f[d, NEED] - f[d + 1, NEED]  # what the trick brought, if the card completed one
            if seat & 1:
                if value < f[d, FOUND]:
                    f[d, FOUND], f[d, FIRST] = value, card
            elif value > f[d, FOUND]:
                f[d, FOUND], f[d, FIRST] = value, card

        seat, found, need = f[d, SEAT], f[d, FOUND], f[d, NEED]
        decided = (found < need) if seat & 1 else (found >= need)
        if decided or f[d, NEXT] == f[d, COUNT]:
            if decided and f[d, COUNT] > 1:
                _reward(history, seat, f[d, FIRST])
            if f[d, LED] < 0:
                _remember(table, f[d, KEY], found, need, f[d, FIRST], nodes - f[d, START])
            value, returned = found, True
            continue
        card = list_[d, f[d, NEXT], 1]
        f[d, NEXT] += 1
        f[d, PLAYED_CARD] = card
        play(f, d, card, hands, points, trump)
        d += 1
        entering = True


@compiled
def play_out(f: Any, d: int, list_: Any, history: Any, hands: Any, points: Any, trump: bool, half: int) -> int:
    """What frame d, between two tricks, is worth if everybody plays what looks best at once, with open cards.

    A quick estimate, not a bound. Frames after d are used up; hands are as they were on return.
    """
    held0, held1, held2, held3 = hands[0], hands[1], hands[2], hands[3]
    need, e = f[d, NEED], d
    while f[e, ALIVE]:
        list_moves(f, e, hands, points, trump, -1, history[4:], list_)
        play(f, e, list_[e, 0, 1], hands, points, trump)
        e += 1
    hands[0], hands[1], hands[2], hands[3] = held0, held1, held2, held3
    sweep = f[e, SWEEP]
    return need - f[e, NEED] + (half if sweep & 1 else 0) - (half if sweep & 2 else 0)


@inlined
def _reward(history: Any, seat: int, card: int) -> None:
    """A card has decided: try it earlier from now on."""
    history[seat, card] += 1
    if history[seat, card] > 500:
        for s in range(4):
            for c in range(36):
                history[s, c] >>= 1


@inlined
def _remember(table: Any, key: int, found: int, need: int, first: int, work: int) -> None:
    """Write a bound and the best card into the table."""
    low, high = -OFFSET, 0x3FF - OFFSET
    entry = probe(table, key)
    if entry >= 0:
        low, high = (entry & 0x3FF) - OFFSET, (entry >> 10 & 0x3FF) - OFFSET
    if found >= need:
        low = max(low, found)
    else:
        high = min(high, found)
    store(table, key, (low + OFFSET) | (high + OFFSET) << 10 | (first + 1) << 20, work > 200)


@compiled
def solve(
    f: Any, list_: Any, history: Any, hands: Any, points: Any, sums: Any, trump: bool, half: int, table: Any, deal: int,
    horizon: int, low: int, high: int, guess: int, budget: int
) -> tuple[int, int, int]:  # fmt: skip
    """The value from frame 0 on, by searches with windows of one point, from a guess on.

    Args: as of `search`; the value is known to be from `low` to `high`.

    Returns: (low, high, positions visited); both bounds are equal unless the budget ran out.
    """
    used, tries = 0, 0
    while low < high:
        f[0, NEED] = min(max(guess, low + 1), high)
        found = search(f, list_, history, hands, points, sums, trump, half, table, deal, horizon, budget - used)
        used += f[0, NODES]
        if found == OUT_OF_NODES:
            break
        tries += 1
        if found >= f[0, NEED]:
            low = max(low, found)
            guess = found + 1
        else:
            high = min(high, found)
            guess = found
        if tries > 2:
            guess = (low + high + 1) // 2
    return low, high, used


@compiled
def solve_cards(
    f: Any, list_: Any, history: Any, hands: Any, points: Any, sums: Any, trump: bool, half: int, table: Any, deal: int,
    horizon: int, mask: int, root: Any, budget: int, lows: Any, highs: Any
) -> int:  # fmt: skip
    """The value of each card of a mask for the seat to act of `root`, int64 [COLUMNS] like a frame.

    Args: as of `search`. lows, highs: int64 [36], the bounds are written here.

    Returns: positions visited. Where the budget ran out bounds differ.
    """
    used = 0
    guess = root[LEFT] // 2
    f[0] = root
    list_moves(f, 0, hands, points, trump, -1, history, list_)
    count = f[0, COUNT]
    tried = np.empty(9, np.int64)
    for k in range(count):
        tried[k] = list_[0, k, 1]
    for k in range(count):
        card = tried[k]
        f[0] = root
        f[0, NEED] = 0
        play(f, 0, card, hands, points, trump)
        gain = -f[1, NEED]
        f[0] = f[1]
        low = -half if f[0, SWEEP] & 2 else 0
        high = f[0, LEFT] + (half if f[0, SWEEP] & 1 else 0)
        low, high, nodes = solve(
            f, list_, history, hands, points, sums, trump, half, table, deal, horizon, low, high, guess - gain,
            budget - used,
        )  # fmt: skip
        hands[root[SEAT]] |= 1 << card
        used += nodes
        lows[card], highs[card] = low + gain, high + gain
        guess = (low + high) // 2 + gain
    # cards that are as good as one that was tried
    for card in range(36):
        if mask >> card & 1 and lows[card] > highs[card]:
            below = root[ALIVE] & ((1 << card) - 1)
            lows[card], highs[card] = lows[highest(below)], highs[highest(below)]
    return used


@compiled
def play_out_cards(
    f: Any, list_: Any, history: Any, hands: Any, points: Any, trump: bool, half: int, mask: int, values: Any
) -> int:
    """`play_out` after each card of a mask for the seat to act in frame 0; values int64 [36] are written.

    Returns: cards played.
    """
    used = 0
    seat = f[0, SEAT]
    for card in range(36):
        if mask >> card & 1:
            play(f, 0, card, hands, points, trump)
            gain = f[0, NEED] - f[1, NEED]
            values[card] = gain + play_out(f, 1, list_, history, hands, points, trump, half)
            hands[seat] |= 1 << card
            used += popcount(f[0, ALIVE])
    return used
