"""Taking the talon of Thousand, the contract or a write-off, the passed cards (T-TAL, T-RAISE, T-WO, T-PASS).

Functions return the games that are thrown in at once (see `questions`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.bits import BIT, I64, ONE, U8, U64
from .columns import PRICE, WRITE_OFFS
from .contexts import (
    FIRST_LEAD,
    IDLE,
    IN_CONTRACT,
    IN_GIVE,
    IN_PASS_REDEAL,
    IN_TALON,
    IN_TALON_REDEAL,
    LEAD,
)
from .dealing import TALON_BIT, talon_redeal
from .lookup import Tables, hand_amounts
from .state import BARREL, GOLDEN_LEFT, Bools, ThousandState
from .tables import AT_100, CARDS, NINES, table_bit

NONE: I64 = np.zeros(0, np.int64)
#: Lowest set bit of a set of up to four places.
_LOWEST = np.array([0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0])
_QUEUE = np.uint64(7)
_TALON, _TWO = np.uint64(TALON_BIT), np.int64(2)


def queue_of(s: ThousandState, t: Tables, games: I64) -> I64:
    """Places (from forehand) still to be asked a question, as bits."""
    c = t.columns
    return (s.rows.ravel().take(games * c.width + c.luck) & _QUEUE).view(np.int64)


def next_question(s: ThousandState, t: Tables, games: I64, context: int, queue: I64) -> I64:
    """Ask the first seat of each queue (places as bits); returns the games in which nobody is to be asked."""
    some = queue != 0
    number = np.count_nonzero(some)
    if not number:
        return games
    asked, waiting = games[some], queue[some]
    place: I64 = asked * t.columns.width + t.columns.luck
    words = s.rows.ravel()
    words[place] = (words.take(place) & ~_QUEUE) | (waiting & (waiting - 1)).view(np.uint64)
    s.context[asked] = context
    dealer = t.turns.dealer.take(s.node.take(asked))
    s.node[asked] = t.turns.placed.take(dealer * t.rules.players + _LOWEST.take(waiting))
    return games[~some] if number < len(games) else NONE


# The talon.


def won(s: ThousandState, t: Tables, games: I64, at_100: Bools) -> I64:
    """The seat to act becomes declarer at the price and takes the talon (T-TAL-02, T-2P-05).

    Args:
        at_100: the bid is 100 and came from an auction.
    """
    if not len(games):
        return games
    seats = t.turns.turn.take(s.node.take(games))
    s.facts[games] = s.facts.take(games) | t.fact["declarer"].take(seats)
    if t.rules.players == 2 and t.rules.two_player_take == "choice":
        s.married[games] |= np.where(at_100, AT_100, np.uint64(0))
        s.context[games] = IN_TALON
        return NONE
    return _take(s, t, games, seats, 0, at_100)


def take(s: ThousandState, t: Tables, games: I64, index: I64) -> I64:
    """The declarer has chosen his talon (T-2P-05)."""
    seats = t.turns.turn.take(s.node.take(games))
    return _take(s, t, games, seats, index, (s.married.take(games) & AT_100) != 0)


def _take(s: ThousandState, t: Tables, games: I64, seats: npt.NDArray[np.int8], index: I64 | int, at_100: Bools) -> I64:
    """The talon goes to the declarer's hand, shown or not (T-TAL-03, T-TAL-04, T-DARK-07); he may throw it in.

    T-DARK-08: only now does he who plays in the dark open his cards.
    """
    rules, c, words = t.rules, t.columns, s.rows.ravel()
    start: I64 = games * c.width
    talon = words.take(start + (c.talons + index))
    if not rules.talon_show:
        shown = np.zeros(len(games), np.bool_)
    elif rules.talon_hide_on_uncontested_100:
        shown = ~at_100
    else:
        shown = np.ones(len(games), np.bool_)
    if rules.dark != "off":
        shown &= (s.facts[games] & t.all_of["dark"]) == 0
    places = t.takes.take(seats * _TWO + shown, axis=0)
    places += start[:, None]
    words[places] = words.take(places) | talon[:, None]
    told = t.told.take(at_100 * _TWO + shown)
    shift = _TALON
    if not isinstance(index, int):
        shift = (index + TALON_BIT).view(np.uint64)
        told[index == 1] |= BIT[table_bit(rules.players, "second_talon")]
    s.married[games] = s.married.take(games) | told

    if rules.redeal_talon_only_at_100 or rules.redeal_winner_four_nines:
        may = talon_redeal(talon, words.take(start + seats), at_100, rules)
    else:  # T-RED-05 to T-RED-07: what the cards of the talon decide is known since the deal
        may = (words.take(start + c.luck) >> shift) & ONE
    s.context[games] = _after_talon(t)
    asked = games[may.nonzero()[0]]
    if len(asked):
        if not rules.redeal_optional:
            return asked
        s.context[asked] = IN_TALON_REDEAL
    return NONE


def answer_talon(s: ThousandState, t: Tables, games: I64, yes: Bools) -> I64:
    s.context[games[~yes]] = _after_talon(t)
    return games[yes]


def _after_talon(t: Tables) -> int:
    return IN_CONTRACT if t.rules.contract_declare == "before_pass" else IN_GIVE  # T-RAISE-02


# The contract, or a write-off.


def contracts_differ(s: ThousandState, t: Tables, games: I64) -> bool:
    """Whether more than price and hand may decide what some declarer of these games may say."""
    rules = t.rules
    if rules.golden == "on" or rules.dark != "off" or rules.write_off_limit is not None:
        return True
    on: U64 = s.facts.take(games) & t.all_of["barrel"]
    return rules.barrel_at is not None and bool(np.count_nonzero(on))


def contract_limits(s: ThousandState, t: Tables, games: I64, seats: I64) -> tuple[I64, I64]:
    """Numbers of the lowest and the highest amount that the declarer may name (T-RAISE-01, T-RAISE-03, T-BAR-06)."""
    rules, step = t.rules, t.space.step
    low: I64 = (s.desk.view(np.uint8).take(games * 8 + PRICE) * np.int64(5) - 100) // step
    high = np.maximum(low, hand_amounts(s.hands[games, seats], t) - 1)
    if rules.golden == "on" and not rules.golden_raise:  # T-GOLD-03
        high = np.where(s.by_table[games, GOLDEN_LEFT] > 0, low, high)
    if rules.dark in ("C", "forehand"):  # T-DARK-04
        high = np.where(s.facts[games] & t.all_of["dark"], low, high)
    sits = s.by_seat[games, seats, BARREL] != 0
    if sits.any():
        enough = np.maximum(low, -((100 - rules.need) // step))
        reached = sits & (enough <= high)
        low = np.where(reached, enough, low)
        high = np.where(sits & ~reached, low, high)
    return low, high


def legal_contract(s: ThousandState, t: Tables, games: I64) -> U64:
    """Contracts and perhaps a write-off. uint64 [n, W]."""
    seats = s.player.take(games).astype(np.int64)
    low, high = contract_limits(s, t, games, seats)
    words = t.named_below.take(high + 1, axis=0) & ~t.named_below.take(low, axis=0)
    if t.rules.contract_declare == "before_pass":
        add_write_off(s, t, games, words)
    return words


def legal_give(s: ThousandState, t: Tables, games: I64, held: U64) -> U64:
    """Any card of the hand (T-PASS-01), and perhaps a write-off. uint64 [n, W].

    Args:
        held: the cards of the seats to act.
    """
    word, shift = divmod(t.space.give, 64)
    words = np.zeros((len(games), t.actions), np.uint64)
    words[:, word] = held << np.uint64(shift)
    if shift + CARDS > 64:
        words[:, word + 1] = held >> np.uint64(64 - shift)
    if t.rules.contract_declare == "after_pass":
        first = s.context.take(games) == IN_GIVE
        may = words[first]
        add_write_off(s, t, games[first], may)
        words[first] = may
    return words


def add_write_off(s: ThousandState, t: Tables, games: I64, words: U64) -> None:
    """With the contract, or at the first card given (T-WO-03, T-WO-08)."""
    rules = t.rules
    seats = s.player[games]
    may = np.ones(len(games), np.bool_)
    if rules.write_off_limit is not None:
        may &= s.by_seat[games, seats, WRITE_OFFS] < rules.write_off_limit
    if rules.write_off_on_barrel == "forbidden":
        may &= s.by_seat[games, seats, BARREL] == 0
    action = t.space.write_off
    words[:, action >> 6] |= np.where(may, BIT[action & 63], np.uint64(0))


# Passing.


def give(s: ThousandState, t: Tables, games: I64, second: U8, actions: I64) -> I64:
    """Cards given away, first to the left and then to the right (T-PASS-01); returns the games thrown in.

    Args:
        second: 1 for the second card, 0 for the first.
    """
    rules, words = t.rules, s.rows.ravel()
    places = t.gifts.take(s.node.take(games) + second, axis=0)
    places += (games * t.columns.width)[:, None]
    words[places] = words.take(places) ^ BIT.take(actions - t.space.give)[:, None]
    return _ask_defenders(s, t, games[second + 1 == t.gives]) if rules.redeal_defender_four_nines else NONE


def _ask_defenders(s: ThousandState, t: Tables, games: I64) -> I64:
    """All cards are given: four nines of a defender may be thrown in (T-RED-09); no two seats can hold four nines."""
    p, c = t.rules.players, t.columns
    nines = (s.rows[games, c.hands : c.hands + p] & NINES) == NINES
    nines[np.arange(len(games)), s.player[games]] = False
    place = t.turns.place.take(t.turns.dealer.take(s.node[games])[:, None] * p + np.arange(p))
    queue = (nines * (1 << place)).sum(axis=1)
    asked = games[queue != 0]
    if not t.rules.redeal_optional:
        return asked
    next_question(s, t, asked, IN_PASS_REDEAL, queue[queue != 0])
    s.code[asked] = IDLE
    return NONE


def answer_pass(s: ThousandState, t: Tables, games: I64, yes: Bools) -> I64:
    """The declarer goes on if nothing is thrown in."""
    rest = games[~yes]
    dealer = t.turns.dealer.take(s.node[rest])
    s.node[rest] = t.turns.seated.take(dealer * t.rules.players + s.declarer[rest])
    if t.rules.contract_declare == "before_pass":
        s.context[rest] = FIRST_LEAD  # T-PLAY-01
        s.code[rest] = LEAD
    else:
        s.context[rest] = IN_CONTRACT
    return games[yes]
