"""The end of a deal of Thousand: section 20 as a pure function, with the lines of section 22 that refine it.

``settle`` takes the match before the deal and what happened in the deal, and gives the entries, the fines,
the events in order and the match after the deal. It changes neither argument.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

from thousand_cards import sitter_bonus
from thousand_rules import Rules, need

FALL_TO = 760  # T-BAR-10


@dataclass
class MatchState:
    """What moves on from deal to deal, by seat."""

    scores: list[int]
    bolts: list[int]
    barrel: list[bool]
    attempts: list[int]  # failed attempts since mounting, 0 off the barrel
    falls: list[int]
    write_offs: list[int]
    last_contracts: list[int]  # last contract named, or bid written off, in the match (line 55)
    deals_played: int = 0
    golden_left: int = 0  # deals left in the golden round, this one included
    golden_made: bool = False  # somebody made his golden contract in this round


@dataclass
class DealOutcome:
    """What happened in one deal. A written-off deal has no cards, marriages or tricks."""

    dealer: int
    active: list[int]  # seats that play, from forehand
    declarer: int
    bid: int
    contract: int
    written_off: bool
    dark: bool  # the declarer still plays in the dark
    talon: list[int]  # the taken talon, for a sitting dealer
    card_points: list[int]
    marriage_points: list[int]
    tricks: list[int]  # number taken


@dataclass
class Settlement:
    """What a deal did: raw totals, entries and fines by seat, events in order, the match after it."""

    state: MatchState
    raw: list[int]
    made: bool = False
    entries: list[int] = field(default_factory=list)
    fines: list[int] = field(default_factory=list)
    events: list[tuple] = field(default_factory=list)
    winner: int | None = None


def round_points(points: int, unit: int) -> int:
    """Nearest multiple of the unit, a tie goes up (T-RND-01, T-RND-03)."""
    return (2 * points + unit) // (2 * unit) * unit


def half_bid(bid: int) -> int:
    """Half of a written-off bid, down to a multiple of 5 (T-WO-02)."""
    return bid // 2 // 5 * 5


def settle(rules: Rules, before: MatchState, deal: DealOutcome) -> Settlement:
    """Section 20, steps 1 to 10, then the golden round (line 30)."""
    seats = range(rules["players"])
    out = Settlement(
        state=copy.deepcopy(before),
        raw=[deal.card_points[seat] + deal.marriage_points[seat] for seat in seats],  # step 1, T-SCO-01
        entries=[0 for _ in seats],
        fines=[0 for _ in seats],
    )
    out.state.deals_played += 1  # also after a write-off (T-WO-05)
    out.state.last_contracts[deal.declarer] = deal.bid if deal.written_off else deal.contract
    if deal.written_off:
        _write_off_entries(rules, before, deal, out)
    else:
        _played_entries(rules, before, deal, out)
    _sitter_entry(rules, before, deal, out)
    if _won_from_barrel(rules, before, deal, out):
        return out
    _add_entries(rules, before, deal, out)
    _bolts(rules, before, deal, out)
    for seat in seats:
        _truck(rules, seat, out)
    if _won_by_total(rules, before, deal, out):
        return out
    _attempts(rules, before, deal, out)
    _mount(rules, before, deal, out)
    _third_falls(rules, out)
    _golden_round(rules, before, deal, out)
    return out


def _from_forehand(rules: Rules, deal: DealOutcome) -> list[int]:
    """All seats clockwise from the dealer; the dealer is the last one."""
    players = rules["players"]
    return [(deal.dealer + 1 + step) % players for step in range(players)]


def _golden(before: MatchState) -> bool:
    return before.golden_left > 0


def _factor(before: MatchState, deal: DealOutcome) -> int:
    """2 in a golden deal and in the dark; they never meet (T-GOLD-04, line 26)."""
    return 2 if _golden(before) or deal.dark else 1


# --- steps 1 to 3: what each seat would write --------------------------------------------------------


def _written(rules: Rules, before: MatchState, cards: int, marriages: int) -> int:
    """A taken total as it is written, golden doubling included (T-SCO-05, T-RND-01, line 28)."""
    unit = rules["score"]["defender_round_to"]
    if not _golden(before):
        return round_points(cards + marriages, unit)
    marriage_factor = 2 if rules["golden"]["double_marriages"] else 1
    return 2 * round_points(cards, unit) + marriage_factor * marriages


def _doubles_in_dark(rules: Rules, deal: DealOutcome, seat: int) -> bool:
    """Line 24: under "C" only the announcer's entry doubles, else everybody's."""
    return deal.dark and (rules["dark"] != "C" or seat == deal.declarer)


def _played_entries(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> None:
    options = rules["score"]
    total = out.raw[deal.declarer]
    if options["declarer_rounding"] == "before_check":  # line 50
        total = round_points(total, options["defender_round_to"])
    out.made = total >= deal.contract  # T-SCO-02, T-SCO-04
    for seat in deal.active:
        written = _written(rules, before, deal.card_points[seat], deal.marriage_points[seat])
        if seat == deal.declarer:
            if not out.made:
                written = -deal.contract * (2 if _golden(before) else 1)  # T-SCO-03
            elif options["declarer"] == "contract":
                written = deal.contract * (2 if _golden(before) else 1)
        if _doubles_in_dark(rules, deal, seat):
            written *= 2
        out.entries[seat] = written


def _write_off_entries(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> None:
    """T-WO-E and lines 25, 29, 36 to 38."""
    options = rules["write_off"]
    declarer = deal.declarer
    out.state.write_offs[declarer] += 1
    count = out.state.write_offs[declarer]
    factor = _factor(before, deal)
    cost = deal.bid if options["cost"] == "bid" else 0
    if options["first_free"] and count == 1:
        cost = 0
    share = options["opponents"] if options["opponents"] != "half_floor5" else half_bid(deal.bid)
    for seat in deal.active:
        out.entries[seat] = -cost * factor if seat == declarer else share * factor
    if count % 3 == 0 and not before.barrel[declarer]:
        fine = options["every_third_fine"] * (2 if _golden(before) else 1)
        if fine:
            out.fines[declarer] += fine
            out.events.append(("write_off_fine", declarer, fine))


def _sitter_entry(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> None:
    """The sitting dealer's bonus, also when the deal was written off (T-4P-02, lines 24, 29, 39, 65)."""
    if rules["players"] != 4:
        return
    cards, marriages = sitter_bonus(rules, deal.talon)
    # Rounded on its own: the marriages are multiples of 10 and 5.
    written = round_points(cards, rules["score"]["defender_round_to"]) + marriages
    if _golden(before):
        written = _written(rules, before, cards, marriages)
    if _doubles_in_dark(rules, deal, deal.dealer):
        written *= 2
    out.entries[deal.dealer] = written


# --- step 4: the barrel seats ------------------------------------------------------------------------


def _won_from_barrel(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> bool:
    """A made own contract of at least the need wins and stops everything (step 4, line 47)."""
    winner = None
    if not deal.written_off:
        declarer = deal.declarer
        if before.barrel[declarer] and out.made and deal.contract >= need(rules):
            winner = declarer
        elif not rules["barrel"]["own_contract_only"]:  # line 59
            sitters = [
                seat
                for seat in deal.active
                if seat != declarer and before.barrel[seat] and out.entries[seat] >= need(rules)
            ]
            if sitters:
                winner = max(sitters, key=lambda seat: (out.entries[seat], -deal.active.index(seat)))
    if winner is None:
        return False
    entry = out.entries[winner]
    out.entries = [entry if seat == winner else 0 for seat in range(rules["players"])]
    out.state.scores[winner] += entry
    out.winner = winner
    out.events.append(("win", winner))
    return True


# --- steps 5 to 7 ------------------------------------------------------------------------------------


def _add_entries(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> None:
    for seat in range(rules["players"]):
        if before.barrel[seat]:
            out.entries[seat] = 0  # T-BAR-04, T-BAR-09, T-BAR-14, T-WO-07, T-WO-08
        lock = rules["lock"]
        if lock is not None and before.scores[seat] >= lock and seat != deal.declarer:
            out.entries[seat] = 0  # line 79: only his own contracts
        out.state.scores[seat] += out.entries[seat] - out.fines[seat]


def _bolts(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> None:
    """Step 6 (T-BOLT-01 to T-BOLT-09, lines 29, 31, 51 to 53)."""
    options = rules["bolt"]
    if options["mode"] == "off" or deal.written_off:
        return
    for seat in deal.active:
        if before.barrel[seat] and not options["on_barrel"]:
            continue
        rounded = round_points(out.raw[seat], rules["score"]["defender_round_to"])
        by_points = options["basis"] == "points"
        if seat == deal.declarer:
            bolt = not by_points and options["declarer"] and deal.tricks[seat] == 0
        else:
            bolt = rounded == 0 if by_points else deal.tricks[seat] == 0
        if not bolt:
            earned = deal.tricks[seat] > 0 and (not by_points or rounded > 0)
            if options["mode"] == "consecutive3" and earned:
                out.state.bolts[seat] = 0  # T-BOLT-09, line 52
            continue
        weight = options["golden_weight"] if _golden(before) else 1
        out.state.bolts[seat] += weight
        out.events.append(("bolt", seat, weight))
        if out.state.bolts[seat] >= 3:  # T-BOLT-02, T-BOLT-03, line 31
            out.state.bolts[seat] = 0
            if before.barrel[seat]:
                out.events.append(("bolt_fine", seat, 0))
                _fall(out, seat, FALL_TO)  # line 53
            else:
                fine = options["fine"] * (2 if _golden(before) else 1)
                out.fines[seat] += fine
                out.state.scores[seat] -= fine
                out.events.append(("bolt_fine", seat, fine))


def _truck(rules: Rules, seat: int, out: Settlement) -> None:
    """Step 7 for one seat: exactly 555 or -555 off the barrel becomes 0 (T-TRK-01 to T-TRK-03, line 63)."""
    total = out.state.scores[seat]
    plus = rules["truck"]["plus_555"] and total == 555
    minus = rules["truck"]["minus_555"] and total == -555
    if (plus or minus) and not out.state.barrel[seat]:
        out.state.scores[seat] = 0
        out.events.append(("truck", seat))


def _won_by_total(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> bool:
    """Ends by reaching the target: no barrel at all (line 62), or a jump over it (line 60)."""
    scores = out.state.scores
    reached = [seat for seat in _from_forehand(rules, deal) if scores[seat] >= rules["target"]]
    if rules["barrel"]["at"] is not None:
        if rules["barrel"]["jump_over"] != "win":
            return False
        defenders = [] if rules["barrel"]["own_contract_only"] else deal.active
        reached = [
            seat
            for seat in reached
            if not before.barrel[seat] and (out.made if seat == deal.declarer else seat in defenders)
        ]
    if not reached:
        return False
    if deal.declarer in reached:  # T-END-03
        out.winner = deal.declarer
    else:
        out.winner = max(reached, key=lambda seat: (scores[seat], -reached.index(seat)))
    out.events.append(("win", out.winner))
    return True


# --- steps 8 to 10 -----------------------------------------------------------------------------------


def _fall(out: Settlement, seat: int, total: int) -> None:
    """A seat goes off the barrel, or never gets on it, and a fall is counted."""
    out.state.scores[seat] = total
    out.state.barrel[seat] = False
    out.state.attempts[seat] = 0
    out.state.falls[seat] += 1
    out.events.append(("fall", seat, total))


def _attempts(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> None:
    """Step 8 (T-BAR-07 to T-BAR-10, T-BAR-14, lines 38, 54, 55, 58, 77)."""
    options = rules["barrel"]
    for seat in deal.active:
        if not (before.barrel[seat] and out.state.barrel[seat]):
            continue
        own = seat == deal.declarer
        if own and deal.written_off and rules["write_off"]["on_barrel"] == "falls":
            _fall(out, seat, FALL_TO)
        elif own and not deal.written_off and not out.made and options["fail_cost"] == "contract":
            lost = deal.contract * _factor(before, deal)
            out.events.append(("fail_cost", seat, lost))
            _fall(out, seat, options["at"] - lost)
        elif own or options["attempt_counts"] == "every_deal":
            out.state.attempts[seat] += 1
            out.events.append(("attempt", seat, out.state.attempts[seat]))
            if out.state.attempts[seat] >= options["attempts"]:
                if options["fall"] == "last_contract":
                    _fall(out, seat, options["at"] - out.state.last_contracts[seat])
                else:
                    _fall(out, seat, FALL_TO)
        if not out.state.barrel[seat]:
            _truck(rules, seat, out)  # line 77


def _mount(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> None:
    """Step 9 (T-BAR-01, T-BAR-12, T-BAR-13, T-BAR-16, lines 56 and 57)."""
    options = rules["barrel"]
    if options["at"] is None:
        return
    state = out.state
    order = _from_forehand(rules, deal)
    newcomers = [seat for seat in order if not state.barrel[seat] and state.scores[seat] >= options["at"]]
    sitters = [seat for seat in order if state.barrel[seat]]
    if not newcomers:
        return

    losers: list[int] = []
    if options["collision"] != "coexist":
        if sitters and options["collision"] == "first_stays":
            losers += newcomers
        elif sitters and options["collision"] == "all_fall":
            losers += sitters + newcomers
        else:
            losers += sitters
            if len(newcomers) > 1:
                losers += [seat for seat in newcomers if seat != _stays(rules, deal, out, newcomers)]
    mounted = [seat for seat in newcomers if seat not in losers]
    for seat in losers:
        _fall(out, seat, FALL_TO)
    for seat in mounted:
        state.scores[seat] = options["at"]
        state.barrel[seat] = True
        state.attempts[seat] = 0  # T-BAR-08: this deal is not an attempt
        out.events.append(("mount", seat))


def _stays(rules: Rules, deal: DealOutcome, out: Settlement, newcomers: list[int]) -> int | None:
    """Which of several newcomers of one deal stays (T-BAR-13); they come in order from forehand."""
    kind = rules["barrel"]["same_deal"]
    if kind == "all_fined":
        return None
    if deal.declarer in newcomers:
        return deal.declarer
    if kind == "declarer_then_seat":
        return newcomers[0]
    return max(newcomers, key=lambda seat: (out.state.scores[seat], -newcomers.index(seat)))


def _third_falls(rules: Rules, out: Settlement) -> None:
    """Step 10 (T-BAR-11)."""
    if rules["barrel"]["third_fall"] != "zero":
        return
    for seat in range(rules["players"]):
        if out.state.falls[seat] >= 3:
            out.state.scores[seat] = 0
            out.state.falls[seat] = 0
            out.events.append(("third_fall", seat))


def _golden_round(rules: Rules, before: MatchState, deal: DealOutcome, out: Settlement) -> None:
    """The end of a golden round that nobody made (T-GOLD-07, line 30)."""
    if not _golden(before):
        return
    state = out.state
    state.golden_made = state.golden_made or out.made
    state.golden_left -= 1
    if state.golden_left > 0 or state.golden_made:
        return
    fail = rules["golden"]["fail"]
    if fail in ("reset_and_normal", "reset_and_replay"):
        for seat in range(rules["players"]):
            state.scores[seat] = 0
            state.barrel[seat] = False
            state.attempts[seat] = 0
        out.events.append(("golden_reset",))
    if fail in ("replay", "reset_and_replay"):
        state.golden_left = rules["players"]
        state.golden_made = False
        out.events.append(("golden_replay",))


# --- the stake ---------------------------------------------------------------------------------------


#: Who has won a match that is a draw.
DRAW = -2


def payout(rules: Rules, scores: list[int], winner: int) -> list[float]:
    """What each seat wins or loses of the stake (T-BANK-01, T-BANK-02, line 64: ties share; a draw has no winner)."""
    options = rules["payout"]
    players = rules["players"]
    places = [options["first"]] + [options["middle"]] * (players - 2) + [options["last"]]
    losers = [seat for seat in range(players) if seat != winner]
    paid = [0.0] * players
    first = 0 if winner == DRAW else 1
    if first:
        paid[winner] = float(places[0])
    for seat in losers:
        ahead = first + sum(1 for other in losers if scores[other] > scores[seat])
        level = sum(1 for other in losers if scores[other] == scores[seat])
        paid[seat] = sum(places[ahead : ahead + level]) / level
    return paid
