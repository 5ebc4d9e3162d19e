"""Tables of whole deals: against the engine, brute force and plain Python, for all three games."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from bidtrick.envs import games, make_batch
from bidtrick.envs.core.bits import BIT
from bidtrick.envs.core.errors import UnknownNameError
from bidtrick.envs.pitch.tables import tables, trumps_by_strength
from bidtrick.envs.registry import game_class

pytest.importorskip("numba")

from bidtrick.agents.search.deals import deal_solver
from bidtrick.agents.search.pitch.bidding import Auction, Contracts
from bidtrick.agents.search.pitch.payoff import payoff
from bidtrick.agents.search.pitch.positions import Positions, duties
from bidtrick.agents.search.pitch.solver import PitchSolver
from bidtrick.agents.search.schieber.solver import Position as SchieberPosition
from bidtrick.agents.search.schieber.solver import Solver as SchieberSolver
from bidtrick.agents.search.thousand import position
from bidtrick.agents.search.thousand.gifts import Giving
from bidtrick.agents.search.thousand.solver import Solver, total_of
from bidtrick.training.research import drawn_deals

ALL = [(game, preset) for game in games() if game != "dozen" for preset in game_class(game).rules_class.presets]
PRESETS = [(game, preset) for game, preset in ALL if not make_batch(game, rules=preset).rules.reduced]


@pytest.mark.parametrize(("game", "preset"), sorted({*ALL} - {*PRESETS}))
def test_short_decks_have_no_tables(game: str, preset: str) -> None:
    with pytest.raises(UnknownNameError, match=f"no solver of deals for {game} with a short deck \\({preset}\\)"):
        deal_solver(make_batch(game, rules=preset).spec)


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_every_preset_has_tables(game: str, preset: str) -> None:
    """Bounds hold, seats without cards are not asked, and a deal's answer does not depend on the one before it."""
    batch = make_batch(game, rules=preset)
    solver = deal_solver(batch.spec)
    decks, dealers = drawn_deals(batch, 5, range(2))
    nodes = {"schieber": 3_000, "thousand": 60_000, "pitch": 200_000}[game]
    first, second = (solver.solve(deck, int(dealer), nodes) for deck, dealer in zip(decks, dealers, strict=True))
    again = solver.solve(decks[0], int(dealers[0]), nodes)
    for name in ("low", "high", "nodes", "asked"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert set(first.parts) == set(solver.parts)
    for values in (first, second):
        assert values.low.shape == (len(solver.contracts), batch.spec.num_seats)
        assert (values.low <= values.high).all()
        assert (values.low == 0)[~values.asked].all()
        assert values.asked.any()
    if game == "pitch":
        assert first.exact
        assert first.asked.all()


def test_schieber_forgets_the_deal_before() -> None:
    """A solver that has cleared its table takes the nodes of the first time, one that has not takes others."""
    solver = SchieberSolver(make_batch("schieber").rules, table_bits=6)
    hands = [np.random.default_rng(seed).permutation(36)[:20].reshape(4, 5) for seed in (0, 1)]
    one, other = (SchieberPosition(tuple((1 << hand).sum(axis=1).tolist()), 1, 0, (), (False, False)) for hand in hands)
    first = solver.value(one).nodes
    for _ in range(20):
        solver.value(other)
    assert solver.value(one).nodes != first
    solver.clear()
    assert solver.value(one).nodes == first


@pytest.mark.parametrize(
    ("game", "solver"), [("schieber", SchieberSolver), ("thousand", Solver), ("pitch", PitchSolver)]
)
def test_every_deal_begins_with_a_clear_table(game: str, solver: type, monkeypatch: pytest.MonkeyPatch) -> None:
    batch, cleared = make_batch(game), []
    deals = deal_solver(batch.spec)
    monkeypatch.setattr(solver, "clear", lambda self: cleared.append(self))
    decks, dealers = drawn_deals(batch, 1, [0])
    deals.solve(decks[0], int(dealers[0]), 10)
    assert len(cleared) == 1


@pytest.mark.parametrize("preset", ["default", "duel_d", "duel_c", "four", "polish"])
def test_thousand_as_the_engine_plays_it(preset: str) -> None:
    """The auction won, the talon taken, the gifts made in the engine: its position is worth the table's value."""
    batch = make_batch("thousand", rules=preset)
    solver = deal_solver(batch.spec)
    decks, dealers = drawn_deals(batch, 11, range(2))
    cards = Solver(batch.rules)
    checked = 0
    for deck, dealer in zip(decks, dealers.tolist(), strict=True):
        values = solver.solve(deck, dealer, 1_500_000)
        for seat in np.flatnonzero(values.asked[0]).tolist():
            parts = {name: int(part[0, seat]) for name, part in values.parts.items()}
            state = with_declarer(batch, deck, dealer, seat, parts)
            if state is None:
                continue
            rows, seats = position.of_games(state, batch.rules)
            place = seats[0].tolist().index(seat)
            found = cards.values(rows, total_of(place))
            assert found.low[0] == found.high[0] == values.low[0, seat]
            made = parts["made"]
            assert made == 0 or 100 <= made <= values.low[0, seat]
            checked += 1
    assert checked >= 3


def with_declarer(batch: Any, deck: Any, dealer: int, seat: int, parts: dict[str, int]) -> Any:
    """The engine's state before the first trick with this seat as declarer; None if others may not pass."""
    game = type(batch)(batch.rules)
    game.reset(options={"deal": deck, "dealer": dealer})
    spec = game.spec
    gifts = [parts["gift"], parts["gift_2"]]
    while True:
        phase = spec.phases[int(game.phase[0])]
        names = {spec.action_name(a): int(a) for a in np.flatnonzero(game.legal_actions()[0])}
        if phase == "play":
            return game.state if int(game.state.declarer[0]) == seat else None
        if phase == "auction":
            bids = [a for name, a in names.items() if name.split()[-1].isdigit()]
            passes = [a for a in names.values() if a in spec.passes]
            own = int(game.current_player[0]) == seat
            action = (bids or passes)[0] if own else (passes or bids)[0]
        elif phase == "give":
            card = gifts.pop(0)
            action = next(a for name, a in names.items() if name.endswith(spec.deck.format(card)))
        elif phase == "talon":
            action = list(names.values())[parts["talon"]]
        elif phase == "contract":
            action = next(a for name, a in names.items() if name.split()[-1].isdigit())
        else:
            silent = [a for a in names.values() if a in spec.silent]
            action = silent[0] if silent else next(iter(names.values()))
        game.step([action])


def test_gifts_are_the_best_of_all() -> None:
    """Brute force over every way to give, and bounds that hold it when the nodes run out."""
    rules = make_batch("thousand").rules
    giving, solver = Giving(rules), Solver(rules)
    deck = np.random.default_rng(6).permutation(24)
    packets = [sum(1 << int(card) for card in part) for part in (deck[:10], deck[10:17], deck[17:])]
    totals = []
    for first, second in permutations([int(card) for card in deck[:10]], 2):
        after = [packets[0] & ~(1 << first | 1 << second), packets[1] | 1 << first, packets[2] | 1 << second]
        totals.append(int(solver.values(position.at_the_start([after]), total_of(0)).low[0]))
    found = giving.best(packets, 0, 0, 0, 5_000_000)
    assert found.low == found.high == max(totals)
    for nodes in (1, 500, 20_000, 60_000):
        giving.clear()
        bounds = giving.best(packets, 0, 0, 0, nodes)
        assert bounds.low <= max(totals) <= bounds.high


def test_thousands_par_is_the_highest_bidders_contract() -> None:
    """A limit counts before the talon, the contract after it; nobody makes 100: the opener loses 100 (T-AUC-01)."""
    solver = deal_solver(make_batch("thousand").spec)
    deck = drawn_deals(make_batch("thousand"), 3, [3])[0][0]
    values = solver.solve(deck, 2)
    assert values.low[0].tolist() == [33, 181, 120]
    assert values.parts["made"][0].tolist() == [0, 180, 120]
    par = solver.par(values, 2)
    # seats 1 and 2 may bid 120 and no more: seat 1 speaks first, and names 180 with the talon
    assert (par.low, par.declarer, par.bid) == (180, 1, 180)
    par = solver.par(values, 1)  # the same totals, but seat 2 speaks before seat 1
    assert (par.low, par.declarer, par.bid) == (120, 2, 120)
    values.parts["limit"][:] = 0
    par = solver.par(values, 1)
    assert (par.low, par.high, par.declarer) == (-100, -100, 2)


def test_pitch_against_a_fill_in_plain_python() -> None:
    """Preset source: discard, fill from the dealer's left, keep or pass the rest, burn; then the solver."""
    batch = make_batch("pitch")
    rules = batch.rules
    solver, cards = deal_solver(batch.spec), PitchSolver(rules)
    t = tables(rules)
    decks, dealers = drawn_deals(batch, 8, range(3))
    burned = 0
    for deck, dealer in zip(decks, dealers.tolist(), strict=True):
        values = solver.solve(deck, dealer)
        for trump in range(4):
            order = trumps_by_strength(rules, trump)
            worth = {card: int(t.won.reshape(5, -1)[trump, card] + t.own.reshape(5, -1)[trump, card]) for card in order}
            dealt = [[c for c in deck[9 * k : 9 * k + 9].tolist() if c in order] for k in range(4)]
            stock = deck[36:].tolist()
            for seat in ((dealer + 1 + k) % 4 for k in range(4)):
                need = max(6 - len(dealt[seat]), 0)
                dealt[seat] += [c for c in stock[:need] if c in order]
                stock = stock[need:]
            for bidder in range(4):
                best = -1
                for receiver in (bidder, bidder ^ 2):
                    hands = [list(hand) for hand in dealt]
                    hands[receiver] += [c for c in stock if c in order]
                    for hand in hands:
                        hand.sort(key=lambda card: (worth[card], -order.index(card)))
                        burned += len(hand) > 6
                        del hand[: max(len(hand) - 6, 0)]
                    words = np.array([[int(np.bitwise_or.reduce(BIT[hand], initial=0)) for hand in hands]], np.uint64)
                    leader = next(s for s in ((bidder + k) % 4 for k in range(4)) if hands[s])
                    yes, lead = np.ones(1, np.bool_), np.array([leader])
                    first = duties(rules, words, np.array([trump]), lead, yes, yes, np.array([54]), ~yes)
                    nobody, pot = np.array([-1]), np.zeros(1, np.int64)
                    start = Positions(words, np.array([trump]), lead, lead, np.array([54]), nobody, pot, first)
                    best = max(best, int(cards.value(start, 0b101 << bidder % 2).low[0]))
                assert values.low[trump, bidder] == values.high[trump, bidder] == best
                assert values.low[trump, bidder] + values.parts["against"][trump, bidder] <= rules.total
    assert burned > 3


def test_pitchs_auction_against_a_naive_recursion() -> None:
    """Preset source: one turn each, strictly higher, the dealer is stuck with 4 or more; two sides, so minimax."""
    batch = make_batch("pitch")
    rules, rng = batch.rules, np.random.default_rng(2)
    for trial in range(6):
        took = rng.integers(0, 9 + trial % 3, (4, 4))
        contracts = Contracts(took, 10 - took, np.tile((np.arange(4) ^ 2)[:, None], 4))
        dealer = trial % 4

        def paid(bid: int, bidder: int, took: Any = took) -> float:
            """To seats 0 and 2."""
            own = bidder % 2
            rows = took[bidder]
            ones = np.ones(4, np.int64)
            pays = payoff(rules, np.zeros(2, np.int64), bid * ones, 0 * ones, 2 * ones, rows, 10 - rows)
            return float(pays.max()) * (1 - 2 * own)

        def value(turn: int, bid: int, bidder: int, dealer: int = dealer, paid: Any = paid) -> float:
            seat = (dealer + 1 + turn) % 4
            found = []
            for call in [0, *range(max(4, bid + 1), 12)]:
                if not call and turn == 3 and not bid:
                    continue
                now = (call, seat) if call else (bid, bidder)
                found.append(paid(*now) if turn == 3 else value(turn + 1, *now))
            return max(found) if seat % 2 == 0 else min(found)

        end = Auction(rules, contracts, dealer).result()
        assert end.pays[0] == -end.pays[1] == value(0, 0, -1)
        assert end.pays[0] == paid(end.bid, end.bidder)
