"""Taking the talon of Thousand, the contract or a write-off, the passed cards (T-TAL, T-RAISE, T-WO, T-PASS).

Functions return the games that are thrown in at once (see `questions`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.bits import BIT, I64, U64
from .rules import ThousandRules
from .state import GIVEN, NAMED, PRICE, Bools, ThousandState
from .tables import (
    CARDS,
    CONTRACT,
    GIVE,
    JACKS,
    NINES,
    PASS_REDEAL,
    PLAY,
    TALON,
    TALON_REDEAL,
    Tables,
    card_points,
    hand_caps,
    table_bit,
)

NONE: I64 = np.zeros(0, np.int64)
#: Lowest set bit of a set of up to four places.
_LOWEST = np.array([0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0])


def next_question(s: ThousandState, t: Tables, games: I64, phase: int, queue: npt.NDArray[np.integer]) -> I64:
    """Ask the first seat of each queue (places as bits); returns the games in which nobody is to be asked."""
    some = queue != 0
    if not some.any():
        return games
    asked, waiting = games[some], queue[some]
    s.queue[asked] = waiting & (waiting - 1)
    s.phase[asked] = phase
    s.player[asked] = t.active.take(s.dealer[asked].astype(np.int64) * t.rules.players + _LOWEST.take(waiting))
    return games[~some]


# The talon.


def won(s: ThousandState, t: Tables, games: I64, seats: npt.NDArray[np.integer], bid: int | None) -> I64:
    """A seat becomes declarer at its bid (None: at the price) and takes the talon (T-TAL-02, T-2P-05)."""
    if not len(games):
        return games
    if bid is not None:
        s.price[games] = bid
        s.desk[games, PRICE] = bid // 5
    s.declarer[games] = s.player[games] = seats
    s.facts[games] |= t.fact["declarer"].take(seats)
    if t.rules.players == 2 and t.rules.two_player_take == "choice":
        s.phase[games] = TALON
        return NONE
    return take(s, t, games, np.zeros(len(games), np.int64))


def take(s: ThousandState, t: Tables, games: I64, index: I64) -> I64:
    """The talon goes to the declarer's hand, shown or not (T-TAL-03, T-TAL-04, T-DARK-07); he may throw it in."""
    rules = t.rules
    talon = s.talons[games, index]
    seats = s.declarer[games].astype(np.int64)
    hand = s.hands[games, seats] | talon
    s.hands[games, seats] = hand
    s.talon[games] = talon
    s.sees_talon[games, seats] = talon
    hidden = s.dark[games] >= 0
    if rules.talon_hide_on_uncontested_100:
        hidden |= s.at_100[games]
    if rules.talon_show:
        s.sees_talon[games[~hidden]] = talon[~hidden][:, None]
        s.married[games[~hidden]] |= BIT[table_bit(rules.players, "talon_shown")]
    s.married[games[index == 1]] |= BIT[table_bit(rules.players, "second_talon")]
    s.blind[games] = -1  # T-DARK-08: only now does he open his cards
    may = talon_redeal(talon, hand, s.at_100[games], rules)
    if not rules.redeal_optional:
        _after_talon(s, t, games[~may])
        return games[may]
    s.phase[games[may]] = TALON_REDEAL
    _after_talon(s, t, games[~may])
    return NONE


def talon_redeal(talons: U64, hands: U64, at_100: Bools, rules: ThousandRules) -> Bools:
    """Which talons may be thrown in (T-RED-05 to T-RED-08); `hands` are the winners' with the talon. bool [n]."""
    may = np.zeros(len(talons), np.bool_)
    if rules.redeal_talon_points_lt is not None:
        may |= card_points(talons) < rules.redeal_talon_points_lt
    if rules.redeal_talon_nines_ge is not None:
        may |= np.bitwise_count(talons & NINES) >= rules.redeal_talon_nines_ge
    if rules.redeal_talon_jacks_eq is not None:
        may |= np.bitwise_count(talons & JACKS) == rules.redeal_talon_jacks_eq
    if rules.redeal_talon_only_at_100:
        may &= at_100
    if rules.redeal_winner_four_nines:
        may |= (hands & NINES) == NINES
    return may


def answer_talon(s: ThousandState, t: Tables, games: I64, yes: Bools) -> I64:
    _after_talon(s, t, games[~yes])
    return games[yes]


def _after_talon(s: ThousandState, t: Tables, games: I64) -> None:
    s.phase[games] = CONTRACT if t.rules.contract_declare == "before_pass" else GIVE  # T-RAISE-02


# The contract, or a write-off.


def contract_limits(s: ThousandState, t: Tables, games: I64) -> tuple[I64, I64]:
    """Numbers of the lowest and the highest amount that the declarer may name (T-RAISE-01, T-RAISE-03, T-BAR-06)."""
    rules, step = t.rules, t.space.step
    seats = s.declarer[games]
    bid = s.price[games].astype(np.int64)
    high = np.maximum(bid, hand_caps(s.hands[games, seats], rules))
    if rules.golden == "on" and not rules.golden_raise:  # T-GOLD-03
        high = np.where(s.golden_left[games] > 0, bid, high)
    if rules.dark in ("C", "forehand"):  # T-DARK-04
        high = np.where(s.dark[games] >= 0, bid, high)
    low, high = (bid - 100) // step, (high - 100) // step
    sits = s.barrel[games, seats]
    if sits.any():
        enough = np.maximum(low, -((100 - rules.need) // step))
        reached = sits & (enough <= high)
        low = np.where(reached, enough, low)
        high = np.where(sits & ~reached, low, high)
    return low, high


def _may_write_off(s: ThousandState, t: Tables, games: I64) -> Bools:
    """With the contract, or at the first card given (T-WO-03, T-WO-08). bool [n]."""
    rules = t.rules
    may = np.ones(len(games), np.bool_) if rules.contract_declare == "before_pass" else s.gives[games] == 0
    seats = s.declarer[games]
    if rules.write_off_limit is not None:
        may &= s.write_offs[games, seats] < rules.write_off_limit
    if rules.write_off_on_barrel == "forbidden":
        may &= ~s.barrel[games, seats]
    return may


def legal_contract(s: ThousandState, t: Tables, games: I64) -> U64:
    """Contracts and perhaps a write-off. uint64 [n, W]."""
    low, high = contract_limits(s, t, games)
    words = t.below.take(high + 1, axis=0) & ~t.below.take(low, axis=0)
    if t.rules.contract_declare == "before_pass":
        _add_write_off(s, t, games, words)
    return words


def legal_give(s: ThousandState, t: Tables, games: I64) -> U64:
    """Any card of the hand (T-PASS-01), and perhaps a write-off. uint64 [n, W]."""
    words = np.zeros((len(games), t.space.words), np.uint64)
    hand = s.hands[games, s.player[games]]
    word, shift = divmod(t.space.give, 64)
    words[:, word] = hand << np.uint64(shift)
    if shift + CARDS > 64:
        words[:, word + 1] = hand >> np.uint64(64 - shift)
    if t.rules.contract_declare == "after_pass":
        _add_write_off(s, t, games, words)
    return words


def _add_write_off(s: ThousandState, t: Tables, games: I64, words: U64) -> None:
    action = t.space.write_off
    words[:, action >> 6] |= np.where(_may_write_off(s, t, games), BIT[action & 63], np.uint64(0))


def name_contract(s: ThousandState, t: Tables, games: I64, actions: I64) -> I64:
    """Contracts; returns the games that are written off and thereby over (T-WO)."""
    off = actions == t.space.write_off
    named, amounts = games[~off], (actions[~off] - t.space.amount) * t.space.step + 100
    s.contract[named] = amounts
    s.desk[named, NAMED] = amounts // 5
    if t.rules.contract_declare == "before_pass":
        s.phase[named] = GIVE
    else:
        _start_play(s, named)
    return games[off]


# Passing.


def give(s: ThousandState, t: Tables, games: I64, actions: I64) -> tuple[I64, I64]:
    """Cards given away, to the left and to the right (T-PASS-01); returns the games thrown in and those written off."""
    rules = t.rules
    off = actions == t.space.write_off
    over = games[off]
    games, cards = games[~off], BIT.take(actions[~off] - t.space.give)
    seats, count = s.declarer[games].astype(np.int64), s.gives[games].astype(np.int64)
    s.hands[games, seats] &= ~cards
    receiver = t.receiver.take((s.dealer[games].astype(np.int64) * rules.players + seats) * 2 + count)
    to_seat = receiver >= 0  # not to the bank (T-2P-04)
    s.hands[games[to_seat], receiver[to_seat]] |= cards[to_seat]
    s.gave[games, count] = cards
    if rules.pass_visibility == "public":
        s.sees_gave[games[to_seat], :, count[to_seat]] = cards[to_seat][:, None]
    s.sees_gave[games, seats, count] = cards
    s.sees_gave[games[to_seat], receiver[to_seat], count[to_seat]] = cards[to_seat]
    s.gives[games] += 1
    s.desk[games, GIVEN] += 1
    done = games[count + 1 == rules.gives]
    if not len(done):
        return NONE, over
    if rules.redeal_defender_four_nines:  # T-RED-09: no two seats can hold four nines
        p = rules.players
        nines = (s.hands[done] & NINES) == NINES
        nines[np.arange(len(done)), s.declarer[done]] = False
        place = t.place.take(s.dealer[done].astype(np.int64)[:, None] * p + np.arange(p))
        queue = (nines * (1 << place)).sum(axis=1)
        if not rules.redeal_optional:
            _after_passing(s, t, done[queue == 0])
            return done[queue != 0], over
        done = next_question(s, t, done, PASS_REDEAL, queue)
    _after_passing(s, t, done)
    return NONE, over


def answer_pass(s: ThousandState, t: Tables, games: I64, yes: Bools) -> I64:
    _after_passing(s, t, games[~yes])
    return games[yes]


def _after_passing(s: ThousandState, t: Tables, games: I64) -> None:
    s.player[games] = s.declarer[games]
    if t.rules.contract_declare == "before_pass":
        _start_play(s, games)
    else:
        s.phase[games] = CONTRACT


def _start_play(s: ThousandState, games: I64) -> None:
    """The declarer leads (T-PLAY-01)."""
    s.phase[games] = PLAY
    s.leader[games] = s.player[games] = s.declarer[games]
