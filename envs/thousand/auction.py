"""The auction of Thousand (T-AUC), and the deals that have none: golden, dark "C", a barrel player's free talon.

Functions return the games that are thrown in at once (see `questions`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.bits import BIT, I64, U64
from . import talon
from .columns import BID, PRICE, SHEET
from .contexts import IN_AUCTION, IN_CONTRACT
from .lookup import Tables, auction_amounts, hand_amounts
from .state import BARREL, GOLDEN_LEFT, Bools, ThousandState
from .turns import auction_node

NONE: I64 = np.zeros(0, np.int64)


def begin(s: ThousandState, t: Tables, games: I64) -> I64:
    """Open the auction, or name the declarer where there is none."""
    rules = t.rules
    if not len(games):
        return games
    dealer = t.turns.dealer.take(s.node.take(games))
    if t.plain_auction:
        s.context[games] = IN_AUCTION
        s.node[games] = t.turns.opening.take(dealer)
        return NONE
    thrown: list[I64] = []

    def declare(which: npt.NDArray[np.bool_], seats: npt.NDArray[np.integer], bid: int) -> None:
        nonlocal games, dealer
        named = games[which]
        s.node[named] = t.turns.seated.take(dealer[which] * rules.players + seats[which])
        s.desk.view(np.uint8)[named * 8 + PRICE] = bid // 5
        thrown.append(talon.won(s, t, named, np.zeros(len(named), np.bool_)))
        games, dealer = games[~which], dealer[~which]

    if rules.golden == "on":  # T-GOLD-02
        declare(s.by_table[games, GOLDEN_LEFT] > 0, _forehand(t, dealer), 120)
    if rules.dark == "C":  # T-DARK-04: nobody may outbid
        seats = s.dark[games]
        dark = games[seats >= 0]
        place_bid(s, t, dark, seats[seats >= 0], 120)
        announced: Bools = seats >= 0
        declare(announced, seats, 120)
    if rules.barrel_auction != "normal":  # T-TAL-06
        p = rules.players
        seats = t.turns.active.take(dealer[:, None] * p + np.arange(t.active))
        sits: Bools = s.by_seat[games[:, None], seats, BARREL] != 0
        if rules.barrel_auction == "own_turn":
            sits[:, 1:] = False
        buyer = seats[np.arange(len(games)), np.argmax(sits, axis=1)]
        some: Bools = np.logical_or.reduce(sits, axis=1)
        declare(some, buyer, 100)
    thrown.append(_open(s, t, games, dealer))
    return np.concatenate(thrown)


def _forehand(t: Tables, dealer: I64) -> I64:
    return t.turns.active.take(dealer * t.rules.players)


def place_bid(s: ThousandState, t: Tables, games: I64, seats: npt.NDArray[np.integer], amount: int) -> None:
    """Write an automatic bid down."""
    c = t.columns
    number = (amount - 100) // t.space.step
    words, numbers, seats = s.rows.ravel(), s.rows.view(np.uint8).ravel(), seats.astype(np.int64)
    words[games * c.width + c.said + (number >> 6) * c.players + seats] |= BIT[number & 63]
    numbers[games * (8 * c.width) + 8 * c.sheet + seats * SHEET + BID] = amount // 5
    numbers[games * (8 * c.width) + c.spoke + seats] = amount // 5
    s.desk.view(np.uint8)[games * 8 + PRICE] = amount // 5


def _open(s: ThousandState, t: Tables, games: I64, dealer: I64) -> I64:
    """Put the automatic bids down and give the first seat its turn (T-AUC-01, T-AUC-10, T-DARK-03)."""
    if not len(games):
        return games
    rules = t.rules
    p = rules.players
    forehand = _forehand(t, dealer)
    silent = np.zeros(len(games), np.int64)
    if rules.auction_silence_below is not None:  # T-AUC-10: strictly below
        silent = (s.scores[games] < rules.auction_silence_below) @ (1 << np.arange(p))
    holder = np.full(len(games), -1)
    dark = s.dark[games]
    if rules.auction_opening == "dealer_100":
        place_bid(s, t, games, dealer, 100)
        holder = dealer.copy()
    else:
        forced = ((silent >> forehand) & 1) != 0
        if rules.auction_opening == "forced_100":
            forced[:] = True
        forced &= dark < 0
        place_bid(s, t, games[forced], forehand[forced], 100)
        holder[forced] = forehand[forced]
    if rules.dark != "off":
        place_bid(s, t, games[dark >= 0], dark[dark >= 0], 120)
        holder = np.where(dark >= 0, dark, holder)
    # the seat before forehand "has spoken", so that forehand is next, unless he sits on a bid already
    last = t.turns.active.take(dealer * p + t.active - 1)
    spoke = np.where(holder == forehand, forehand, last)
    # a silent seat passes on its turn without a decision, but the holder of an automatic 100 is never passed over
    passed_over = silent & ~np.where(holder >= 0, np.left_shift(1, np.maximum(holder, 0)), 0)
    following = t.turns.next_in.take(((dealer * p + spoke) << p) | passed_over)
    closed = following == holder
    s.context[games] = IN_AUCTION
    seated = t.turns.seated.take(dealer * p + following)
    s.node[games] = np.where(closed, seated, auction_node(p, dealer, following, holder, silent))
    return _close(s, t, games[closed])


def _close(s: ThousandState, t: Tables, games: I64) -> I64:
    """The auction is over; the seat to act has won it (T-AUC-02)."""
    return talon.won(s, t, games, s.desk.view(np.uint8).take(games * 8 + PRICE) == 20)


def act(s: ThousandState, t: Tables, games: I64, actions: I64) -> I64:
    """Bids and passes (T-AUC-03, T-AUC-04)."""
    c = t.columns
    seats = s.player.take(games).astype(np.int64)
    passes: Bools = actions == t.space.pass_
    node: I64 = t.turns.after.take(s.node.take(games) + passes)
    s.node[games] = node
    if t.rules.dark != "off":  # T-DARK-04: outbid, he looks at his cards
        s.facts[games[~passes]] &= ~t.all_of["dark"]

    desk, words = s.desk.view(np.uint8), s.rows.ravel()
    place: I64 = games * 8 + PRICE
    price = np.maximum(desk.take(place), t.moves.fives.take(actions))
    desk[place] = price
    start: I64 = games * c.width
    said = start + t.said.take(actions) + seats
    words[said] = words.take(said) | t.said_bit.take(actions)
    start *= 8
    spoken: I64 = t.speaks.take(seats * 2 + passes, axis=0)
    spoken += start[:, None]
    s.rows.view(np.uint8).ravel()[spoken] = price[:, None]
    passing = passes.nonzero()[0]
    passed = games.take(passing)
    s.facts[passed] = s.facts.take(passed) | t.fact["passed"].take(seats.take(passing))

    closed = (node < t.turns.auction).nonzero()[0]
    return _close(s, t, games.take(closed)) if len(closed) else NONE


def legal(s: ThousandState, t: Tables, games: I64, held: U64) -> U64:
    """Amounts of games in the auction (from the lowest bid to the cap of the hand, T-AUC-05 to T-AUC-11, and a pass
    unless the seat must open) and of those that name a contract (T-RAISE), with a write-off. uint64 [n, W].

    Args:
        held: the cards of the seats to act.
    """
    rules = t.rules
    contract = s.context.take(games) - IN_AUCTION
    key = contract << 8 | s.desk.view(np.uint8).take(games * 8 + PRICE)
    floor = t.floor.take(key)
    most = hand_amounts(held, t)
    if rules.auction_cap != "marriages":
        most = np.where(contract, most, auction_amounts(t))
    if not rules.auction_jumps:
        most = np.where(contract, most, np.minimum(most, floor + 1))
    words = t.named_below.take(np.maximum(most, floor), axis=0, mode="clip")
    words &= t.named_from.take(key, axis=0)
    if talon.contracts_differ(s, t, games) and np.count_nonzero(contract):
        naming = contract.nonzero()[0]
        words[naming] = talon.legal_contract(s, t, games[naming])
    return words


assert IN_CONTRACT == IN_AUCTION + 1
