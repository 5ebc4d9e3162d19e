"""Properties of the Thousand engine that hold in every position: conservation, batches, copies, symmetries, leaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidtrick.envs import make_batch, replay
from bidtrick.envs.core.errors import DealError, RulesError, StateError
from bidtrick.envs.core.records import GameRecord
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.tables import PHASES, PLAY, POINTS, card_points

CARDS = 24
PRESETS = list(ThousandRules.presets)
TABLES: dict[str, dict[str, Any]] = {
    "dark": {"dark": "D", "info_bonus": "talon_card", "info_bonus_seats": (0, 2)},
    "dark C": {"dark": "C", "players": 4, "info_bonus": "opponents", "info_bonus_seats": (1,)},
    "golden": {"golden": "on", "redeal_optional": False, "info_bonus": "talon", "info_bonus_seats": (0, 1)},
    "golden asked": {"golden": "on"},
    "after pass": {"contract_declare": "after_pass", "redeal_defender_four_nines": True, "pass_visibility": "public"},
    "two talons": {
        "preset": "duel_c", "info_bonus": "talon_suits", "info_bonus_seats": (0,), "redeal_talon_nines_ge": 1,
    },
    "followers": {"marriage_on_lead_only": False, "marriage_needs_trick": False, "ace_marriage": True},
    "free talon": {"preset": "igrafan", "talon_show": False, "info_bonus": "talon", "info_bonus_seats": (1,)},
}  # fmt: skip
ALL_TABLES: dict[str, Any] = {**{name: name for name in PRESETS}, **TABLES}


def position(rules: Any, games: int, seed: int, steps: int, **options: Any) -> Any:
    """A batch after so many random decisions of each game, some games left behind."""
    batch = make_batch("thousand", num_games=games, seed=seed, rules=rules, **options)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        actions = batch.sample_actions(rng)
        actions[rng.random(games) < 0.2] = -1
        batch.step(actions)
    return batch


def snapshot(batch: Any) -> dict[str, bytes]:
    """All of a state but the byte of scratch of its rows."""
    arrays = dict(batch.state.arrays())
    arrays["rows"] = arrays["rows"].copy()
    arrays["rows"].view(np.uint8)[:, batch.state.columns.scratch] = 0
    return {name: array.tobytes() for name, array in arrays.items()}


def same(one: Any, two: Any) -> None:
    left, right = snapshot(one), snapshot(two)
    assert [name for name in left if left[name] != right[name]] == []


# --- conservation


@pytest.mark.parametrize("table", list(ALL_TABLES))
def test_conservation(table: str) -> None:
    """Section 18: after every step 24 different cards, one trump at most, points that add up, a mask for each seat."""
    rules = ThousandRules.make(ALL_TABLES[table])
    batch = make_batch("thousand", num_games=48, seed=5, rules=rules, episode="match", context="sampled")
    rng = np.random.default_rng(2)
    finished, whole = 0, sum(POINTS[card % 6] for card in rules.cards)
    for _ in range(120):
        was_playing = (batch.state.phase == PLAY) & (batch.state.player >= 0)
        last = batch.state.deals_played.copy()
        batch.step(batch.sample_actions(rng))
        s = batch.state
        live = s.player >= 0
        bank = np.where(s.gives == 2, s.gave[:, 1], 0) if rules.players == 2 else np.zeros(len(s), np.uint64)
        rest = (s.talons[:, 0] | s.talons[:, 1]) & ~s.talon
        words = np.concatenate([s.hands, s.played, rest[:, None], bank[:, None]], axis=1)[live]
        assert (np.bitwise_or.reduce(words, axis=1) == sum(1 << card for card in rules.cards)).all()
        assert (np.bitwise_count(words).sum(axis=1) == rules.deck_size).all()
        assert (batch.legal_actions().any(axis=1) == live).all()
        counted = s.sheet[:, :, 8].sum(axis=1, dtype=int) + s.trick_points
        fallen = card_points(s.played).sum(axis=1)
        assert (counted == fallen)[live].all()
        ended = was_playing & ((s.deals_played > last) | ~live)
        finished += int(ended.sum())
        report = batch.report()
        assert rules.reduced or whole == 120  # T-DECK-04
        assert (report["points"][ended].sum(axis=1) == whole).all()
        assert (report["tricks"][ended].sum(axis=1) == rules.tricks).all()
        assert (report["contract"][ended] >= report["bid"][ended]).all()  # T-RAISE-06
        if rules.barrel_at is not None and rules.barrel_jump_over == "mount":
            assert (s.scores[live] <= rules.barrel_at).all()
    assert finished > 50


# --- batches


@pytest.mark.parametrize("table", ["default", "duel_c", "four", "dark", "golden"])
@pytest.mark.parametrize(
    "options", [{"episode": "match"}, {"episode": "hand", "auto_reset": True, "context": "sampled"}]
)
def test_batch_equals_singles(table: str, options: dict[str, Any]) -> None:
    """A batch of N is N single games, out of step and over resets; the observation too, and every reward."""
    games = 5
    rules = ThousandRules.make(ALL_TABLES[table])
    batch = make_batch("thousand", num_games=games, seed=3, rules=rules, **options)
    singles = []
    for game in range(games):
        single = make_batch("thousand", num_games=1, seed=3, rules=rules, **options)
        single.reset(options={"game_id": game, "hand_id": 0})
        singles.append(single)
    rng = np.random.default_rng(4)
    for _ in range(70):
        actions = batch.sample_actions(rng)
        actions[rng.random(games) < 0.3] = -1
        rewards, done = batch.step(actions)
        seats = rng.integers(0, rules.players, games)
        obs = batch.observe(seats)
        for game, single in enumerate(singles):
            reward, over = single.step(actions[game : game + 1])
            assert (reward[0] == rewards[game]).all()
            assert over[0] == done[game]
            assert (single.observe(int(seats[game]))[0] == obs[game]).all()
            assert (single.legal_words() == batch.legal_words()[game]).all()
    for game, single in enumerate(singles):
        same(batch.select([game]), single)


def test_no_action_changes_nothing() -> None:
    batch = position("default", 40, 1, 12)
    before = snapshot(batch)
    rewards, done = batch.step(np.full(40, -1))
    assert snapshot(batch) == before
    assert not rewards.any()
    assert not done.any()


def test_skip_forced_equals_forced_plays() -> None:
    """`skip_forced` does what a player would do by hand, and pays the same."""
    options: dict[str, Any] = {"num_games": 20, "seed": 8, "episode": "hand"}
    skipping = make_batch("thousand", skip_forced=True, **options)
    plain = make_batch("thousand", **options)
    rng = np.random.default_rng(0)

    def force() -> Any:
        total = 0
        while (plain.legal_actions().sum(axis=1) == 1).any():
            counts = plain.legal_actions().sum(axis=1)
            total = total + plain.step(np.where(counts == 1, np.argmax(plain.legal_actions(), axis=1), -1))[0]
        return total

    force()
    while not skipping.done.all():
        actions = skipping.sample_actions(rng)
        rewards, _ = skipping.step(actions)
        total, _ = plain.step(actions)
        assert np.allclose(rewards, total + force())
        same(skipping, plain)


# --- copies, saved states, records


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(0, 50), table=st.sampled_from(list(ALL_TABLES)))
def test_saved_state_continues(seed: int, steps: int, table: str) -> None:
    """In every phase a loaded state continues as the saved one, deals of later hands included (section 18, 14)."""
    rules = ThousandRules.make(ALL_TABLES[table])
    options: dict[str, Any] = {"episode": "match", "record": True}
    batch = position(rules, 4, seed, steps, **options)
    other = make_batch("thousand", num_games=4, seed=seed + 1, rules=rules, **options)
    other.load_state_dict(batch.state_dict())
    rng = np.random.default_rng(seed)
    for _ in range(15):
        same(batch, other)
        assert np.array_equal(batch.legal_words(), other.legal_words())
        assert np.array_equal(batch.observe(), other.observe())
        actions = batch.sample_actions(rng)
        assert np.array_equal(batch.step(actions)[0], other.step(actions)[0])
    assert batch.record(2) == other.record(2)


def test_other_rules_are_refused() -> None:
    with pytest.raises(StateError, match="saved state is of"):
        position("mailru", 2, 1, 3).load_state_dict(position("default", 2, 1, 3).state_dict())


@pytest.mark.parametrize("table", ["default", "duel_c", "four", "dark", "golden"])
def test_records_replay(table: str) -> None:
    """A record is one line that replays to the same result, a given deal and match included."""
    rules = ThousandRules.make(ALL_TABLES[table])
    batch = make_batch("thousand", num_games=3, seed=7, rules=rules, record=True)
    deck = np.random.default_rng(1).permutation(CARDS)
    p = rules.players
    batch.reset(options={"deal": deck, "scores": [855, *[0] * (p - 1)], "bolts": [2] * p, "dealer": p - 1})
    rng = np.random.default_rng(1)
    while not batch.done.all():
        batch.step(batch.sample_actions(rng))
    for game in range(3):
        line = batch.record(game).to_json()
        assert replay(GameRecord.from_json(line)).result() == batch.result(game)


# --- symmetries


@pytest.mark.parametrize("table", ["default", "duel_d", "four", "polish", "after pass"])
def test_seats_are_alike(table: str) -> None:
    """The same deck with everything moved on by a seat: same decisions, same views, scores moved on by a seat."""
    rules = ThousandRules.make(ALL_TABLES[table])
    p, games = rules.players, 30
    rng = np.random.default_rng(3)
    decks = np.argsort(rng.random((games, CARDS)), axis=1)
    scores = 5 * rng.integers(-20, 170, (games, p))
    dealer = rng.integers(0, p, games)
    one, two = (make_batch("thousand", num_games=games, seed=1, rules=rules) for _ in range(2))
    one.reset(options={"deal": decks, "scores": scores, "dealer": dealer})
    two.reset(options={"deal": decks, "scores": np.roll(scores, 1, axis=1), "dealer": (dealer + 1) % p})
    for _ in range(45):
        live = one.state.redeals == 0  # later decks are drawn for the game, whoever deals
        assert np.array_equal(one.done, two.done)
        assert np.array_equal(one.legal_words()[live], two.legal_words()[live])
        seats = rng.integers(0, p, games)
        assert np.array_equal(one.observe(seats)[live], two.observe((seats + 1) % p)[live])
        actions = one.sample_actions(rng)
        left, right = one.step(actions)[0], two.step(actions)[0]
        assert np.allclose(np.roll(left, 1, axis=1), right)
    assert np.array_equal(np.roll(one.state.scores, 1, axis=1), two.state.scores)


# --- what a seat must not see


def known_cards(batch: Any, seats: np.ndarray) -> np.ndarray:
    """Cards whose place the seat knows, from the rule book (section 21) and not from the observation. uint64 [N]."""
    s, rules, rows = batch.state, batch.rules, np.arange(batch.num_games)
    closed = (s.phase == PHASES.index("dark")) | (s.blind == seats)
    own = s.hands[rows, seats]
    known = np.where(closed, 0, own) | np.bitwise_or.reduce(s.played, axis=1)
    shown = rules.talon_show & (s.dark < 0) & ~(s.at_100 & rules.talon_hide_on_uncontested_100)
    known |= np.where((s.declarer >= 0) & (shown | (s.declarer == seats)), s.talon, 0)
    for k in range(2):
        p = rules.players
        place = (s.declarer.astype(int) - s.dealer - 1) % p
        receiver = (s.dealer + 1 + (place + 1 + k) % rules.active) % p
        sees = (s.declarer == seats) | ((receiver == seats) if not (p == 2 and k == 1) else False)
        if rules.pass_visibility == "public":
            sees = sees | (p > 2 or k == 0)
        known |= np.where(sees, s.gave[:, k], 0)
    sits_out = (rules.players == 4) & (s.dealer == seats)
    bonus = np.isin(seats, rules.info_bonus_seats) & ~closed & ~sits_out
    stock = s.talons[:, 0] | s.talons[:, 1]
    if rules.info_bonus == "opponents":
        known |= np.where(bonus, np.bitwise_or.reduce(s.hands, axis=1), 0)
    elif rules.info_bonus == "talon":
        known |= np.where(bonus, stock, 0)
    elif rules.info_bonus == "talon_card":
        index = s.info[rows, seats]
        card = np.uint64(1) << s.stock[rows, np.maximum(index, 0)].astype(np.uint64)
        known |= np.where(bonus & (index >= 0), card, 0)
    return known


def permuted(words: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Sets of cards with card c replaced by order[c]. uint64 [N, k], int [N, 24]."""
    bits = (words[:, :, None] >> np.arange(CARDS, dtype=np.uint64)) & np.uint64(1)
    return (bits << order[:, None, :].astype(np.uint64)).sum(axis=2, dtype=np.uint64)


@pytest.mark.parametrize("table", list(ALL_TABLES))
def test_hidden_cards_do_not_show(table: str) -> None:
    """Exchanging cards that a seat cannot place changes neither its observation nor its mask, in every phase."""
    rules = ThousandRules.make(ALL_TABLES[table])
    p, games = rules.players, 60
    batch = make_batch("thousand", num_games=games, seed=6, rules=rules, episode="match", context="sampled")
    rng = np.random.default_rng(6)
    phases: set[int] = set()
    moved = 0
    for _ in range(70):
        seats = np.where(rng.random(games) < 0.5, np.maximum(batch.current_player, 0), rng.integers(0, p, games))
        known = known_cards(batch, seats)
        bits = (known[:, None] >> np.arange(CARDS, dtype=np.uint64)) & np.uint64(1)
        suits = np.arange(CARDS) // 6 * (rules.info_bonus == "talon_suits")  # this bonus knows suits: keep them
        key = rng.random((games, CARDS)) + 10 * suits + 1000 * bits
        hidden = np.where(bits == 0, np.arange(CARDS), 1000 + np.arange(CARDS))
        order = np.empty((games, CARDS), int)
        np.put_along_axis(order, np.argsort(hidden, axis=1), np.argsort(key, axis=1), axis=1)
        fixed = np.tile(np.arange(CARDS), (games, 1))
        order = np.where(bits == 1, fixed, order)
        assert (np.sort(order, axis=1) == np.arange(CARDS)).all()
        other = batch.clone()
        s = other.state
        for name in ("hands", "talons", "sees_talon"):
            getattr(s, name)[...] = permuted(getattr(s, name), order)
        s.sees_gave[...] = permuted(s.sees_gave.reshape(games, -1), order).reshape(games, p, 2)
        s.talon[...] = permuted(s.talon[:, None], order)[:, 0]
        stock = s.stock[:, : rules.stock_size]
        stock[...] = np.take_along_axis(order, stock.astype(int), axis=1)
        other._legal = None
        moved += int((s.hands != batch.state.hands).any(axis=1).sum())
        assert np.array_equal(batch.observe(seats), other.observe(seats))
        acts = batch.current_player == seats
        assert np.array_equal(batch.legal_words()[acts], other.legal_words()[acts])
        phases |= set(batch.phase.tolist())
        batch.step(batch.sample_actions(rng))
    assert moved > 1000
    assert {PHASES.index("contract"), PHASES.index("play")} <= phases


def test_private_questions_do_not_show() -> None:
    """Section 21: whether a seat may throw its hand in is not visible to the others, unless it does so."""
    batch = make_batch("thousand", num_games=400, seed=2)
    asked = batch.phase == PHASES.index("hand redeal")
    assert 40 < asked.sum() < 110
    seats = (batch.current_player + 1) % 3
    declined = batch.clone()
    while (declined.phase == PHASES.index("hand redeal")).any():
        keep = declined.spec.parse_action("No redeal")
        declined.step(np.where(declined.phase == PHASES.index("hand redeal"), keep, -1))
    mine = declined.current_player == seats  # who would be asked next sees what he will be asked
    assert np.array_equal(batch.observe(seats)[asked & ~mine], declined.observe(seats)[asked & ~mine])


def test_talon_does_not_show_while_a_hand_is_thrown_in() -> None:
    """Reading (i): without an auction the others wait for the declarer to be, with the talon where it lay."""
    batch = make_batch("thousand", num_games=400, seed=2, rules={"golden": "on"})
    forehand = (batch.state.dealer + 1) % 3
    view, checked = batch.spec.layout.view, 0
    asked = batch.phase == PHASES.index("hand redeal")
    for turn in (1, 2):
        seats = (batch.current_player + turn) % 3
        obs = batch.observe(seats)
        own = np.array([batch.seen_by(game, int(seats[game])).current_player[0] for game in range(400)]) == seats
        rows = np.flatnonzero(asked & ~own)  # another seat may be asked next: it sees its own question
        assert not view(obs, "declarer")[rows].any()
        assert not view(obs, "talon")[rows].any()
        assert (view(obs, "to_act")[rows].argmax(axis=1) == ((forehand - seats) % 3)[rows]).all()
        assert (view(obs, "phase")[rows].argmax(axis=1) == PHASES.index("hand redeal")).all()
        checked += len(rows)
    assert checked > 50


# --- refusals


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"deal": np.zeros(24, int)}, "dealt twice: Spades 9"),
        ({"deal": np.arange(23)}, "card numbers"),
        ({"deal": ["♠9"]}, "packets have"),
        ({"scores": [881, 0, 0]}, "scores must be from"),
        ({"bolts": 3}, "bolts must be from 0 to 2"),
        ({"golden_left": 1}, "golden"),
        ({"dealer": 3}, "dealer must be from 0 to 2"),
        ({"falls": [0, 0]}, "shape"),
        ({"trump": 1}, "no reset option"),
    ],
)
def test_bad_options(options: dict[str, Any], reason: str) -> None:
    batch = position("default", 3, 1, 9)
    before = snapshot(batch)
    with pytest.raises(DealError, match=reason):
        batch.reset(seed=5, options=options)
    assert snapshot(batch) == before


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ({"players": 5}, "players=5"),
        ({"players": 2, "dark": "C"}, "T-DARK-09"),
        ({"players": 4, "auction_opening": "dealer_100"}, "T-AUC-01"),
        ({"lock": 800}, "barrel_at"),
        ({"info_bonus_seats": (3,)}, "seats from 0 to 2"),
        ({"marriage_values": (40, 60, 80)}, "four numbers"),
        ({"marriage_values": (45, 60, 80, 100)}, "steps of 10"),
        ({"auction_silence_below": 10}, "auction_silence_below"),
        ({"barrel_need": 121}, "barrel_need"),
        ({"payout": (1, 2)}, "payout"),
        ({"golden": True}, "golden"),
    ],
)
def test_bad_rules(rules: dict[str, Any], reason: str) -> None:
    with pytest.raises(RulesError, match=reason):
        ThousandRules.make(rules)


@pytest.mark.parametrize("table", ["default", "mailru", "duel_c", "four", "polish"])
def test_history_lists_what_was_done_by_whom(table: str) -> None:
    """`history()`: the public actions of the present deal in order, automatic bids apart."""
    rules = ThousandRules.make(ALL_TABLES[table]).replace(redeal_optional=False)
    games, p = 30, rules.players
    batch = make_batch("thousand", num_games=games, seed=2, rules=rules)
    rng = np.random.default_rng(0)
    log: list[list[tuple[int, int]]] = [[] for _ in range(games)]
    automatic = rules.auction_opening == "forced_100"
    for game in range(games):
        if automatic:
            log[game].append(((int(batch.state.dealer[game]) + 1) % p, batch.spec.parse_action("100")))
    while not batch.done.all():
        phase, redeals = batch.phase, batch.state.redeals.copy()
        player, actions = batch.current_player, batch.sample_actions(rng)
        batch.step(actions)
        for game in np.flatnonzero(player >= 0).tolist():
            if batch.state.redeals[game] > redeals[game]:
                log[game] = [((int(batch.state.dealer[game]) + 1) % p, batch.spec.parse_action("100"))] * automatic
            elif PHASES[int(phase[game])] != "give" and actions[game] != batch.spec.parse_action("Write off"):
                log[game].append((int(player[game]), int(actions[game])))
        seats = rng.integers(0, p, games)
        tokens = batch.history(seats)
        assert tokens.shape == (games, batch.spec.max_hand_actions, 2)
        for game in range(games):
            expected = [[(seat - int(seats[game])) % p, action] for seat, action in log[game]]
            assert tokens[game, : len(expected)].tolist() == expected
            assert (tokens[game, len(expected) :] == -1).all()
