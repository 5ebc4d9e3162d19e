"""Properties of the Schieber engine that hold in every position: conservation, batches, copies, symmetries, leaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.schieber import Oracle, card_points, declared_sets

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import StateError
from bidtrick.envs.schieber.rules import SchieberRules
from bidtrick.envs.schieber.state import SETS, WINNERS

PRESETS = list(SchieberRules.presets)
FULL = np.uint64((1 << 36) - 1)
SUIT = np.uint64(0x1FF)


def snapshot(batch: Any) -> dict[str, bytes]:
    """All of a state but the scratch columns of `when`."""
    arrays = dict(batch.state.arrays())
    arrays["when"] = arrays["when"][:, :36]
    return {name: array.tobytes() for name, array in arrays.items()}


def same(one: Any, two: Any) -> None:
    left, right = snapshot(one), snapshot(two)
    assert [name for name in left if left[name] != right[name]] == []


def position(games: int, seed: int, steps: int, **options: Any) -> Any:
    """A batch after so many random decisions of each game, some games left behind."""
    batch = make_batch("schieber", num_games=games, seed=seed, **options)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        actions = batch.sample_actions(rng)
        actions[rng.random(games) < 0.2] = -1
        batch.step(actions)
    return batch


# --- conservation


@pytest.mark.parametrize("preset", PRESETS)
def test_conservation(preset: str) -> None:
    """Section 9: after every step the cards, points and masks are whole, and scores are what the sheet says."""
    rules = SchieberRules.make(preset)
    batch = make_batch("schieber", num_games=64, seed=5, rules=rules, episode="match")
    multipliers = np.array([*rules.multipliers, 1])
    rng = np.random.default_rng(2)
    values = np.array([[card_points(c, k, rules.undenufe_eleven) for c in range(36)] for k in range(6)] + [[0] * 36])
    sums = values[:, list(rules.cards)].sum(axis=1) + 5
    assert rules.reduced or (sums[:6] == 157).all()
    seen_hands, previous = 0, batch.state.hand_number.copy()
    for _ in range(260):
        batch.step(batch.sample_actions(rng))
        s = batch.state
        live = s.player >= 0
        cards = np.concatenate([s.hands, s.played], axis=1)
        assert (np.bitwise_or.reduce(cards, axis=1) == sum(1 << card for card in rules.cards)).all()
        assert (np.bitwise_count(cards).sum(axis=1) == len(rules.cards)).all()
        assert (batch.legal_actions().any(axis=1) == live).all()
        played = np.bitwise_or.reduce(s.played, axis=1)
        assert (np.bitwise_count(played) == 4 * s.tricks + s.order).all()
        bits = (played[:, None] >> np.arange(36, dtype=np.uint64)) & np.uint64(1)
        fallen = (bits * values[s.contract].astype(np.uint64)).sum(axis=1)
        counted = s.sheet[:, :, 3].sum(axis=1, dtype=int)
        whole = live | (s.tricks < rules.hand_size)
        cut = s.winner >= 0  # the match may end before the trick's points are counted
        assert (counted + s.trick_points == fallen)[whole & ~cut].all()
        assert (counted <= fallen + 5).all()
        sheet = s.sheet.astype(int)
        hand = sheet[:, :, 3] + 10 * (sheet[:, :, 5] + sheet[:, :, 6] + sheet[:, :, 7])
        assert (s.scores - s.start_scores == hand * multipliers[s.contract][:, None]).all()
        report = batch.report()
        ended = s.hand_number != previous
        seen_hands += int(ended.sum())
        previous = s.hand_number.copy()
        over = ended & (report["winner"] < 0)
        assert (report["base_points"][over].sum(axis=1) == sums[report["contract"][over]]).all()
        assert (report["tricks"][over].sum(axis=1) == rules.hand_size).all()
        assert (report["weis"].min(axis=1) == 0).all()
        assert np.isin(report["stock"].sum(axis=1), (0, 20)).all()
    assert seen_hands > 300


# --- batches


@pytest.mark.parametrize(
    "options",
    [
        {"episode": "match"},
        {"episode": "hand", "auto_reset": True},
        {"episode": "match", "auto_reset": True, "rules": "swisslos1000", "context": "sampled"},
        {"episode": "hand", "auto_reset": True, "skip_forced": True},
    ],
    ids=lambda o: ",".join(f"{k}={v}" for k, v in o.items()),
)
def test_batch_equals_singles(options: dict[str, Any]) -> None:
    """A batch of N is N single games, out of step and over resets; the observation too, and every reward."""
    games = 7
    batch = make_batch("schieber", num_games=games, seed=3, **options)
    singles = []
    for game in range(games):
        single = make_batch("schieber", num_games=1, seed=3, **options)
        single.reset(options={"game_id": game, "hand_id": 0})
        singles.append(single)
    rng = np.random.default_rng(4)
    ended = 0
    for _ in range(150):
        actions = batch.sample_actions(rng)
        actions[rng.random(games) < 0.3] = -1
        rewards, done = batch.step(actions)
        seats = rng.integers(0, 4, games)
        obs, state = batch.observe(seats), batch.state_vector(seats)
        for game, single in enumerate(singles):
            reward, over = single.step(actions[game : game + 1])
            assert (reward[0] == rewards[game]).all()
            assert over[0] == done[game]
            assert (single.observe(int(seats[game]))[0] == obs[game]).all()
            assert (single.state_vector(int(seats[game]))[0] == state[game]).all()
            assert (single.legal_words() == batch.legal_words()[game]).all()
        ended += int(done.sum())
    assert ended or options == {"episode": "match"}
    for game, single in enumerate(singles):
        same(batch.select([game]), single)


def test_no_action_changes_nothing() -> None:
    batch = position(40, 1, 20)
    before = snapshot(batch)
    rewards, done = batch.step(np.full(40, -1))
    assert snapshot(batch) == before
    assert not rewards.any()
    assert not done.any()


@pytest.mark.parametrize("episode", ["hand", "match"])
def test_skip_forced_equals_forced_plays(episode: str) -> None:
    """`skip_forced` does what a player would do by hand, and pays the same."""
    options: dict[str, Any] = {"num_games": 30, "seed": 8, "episode": episode, "rules": "swisslos1000"}
    skipping = make_batch("schieber", skip_forced=True, **options)
    plain = make_batch("schieber", **options)
    rng = np.random.default_rng(0)
    forced_plays = 0
    while not skipping.done.all():
        actions = skipping.sample_actions(rng)
        rewards, _ = skipping.step(actions)
        total, _ = plain.step(actions)
        while True:
            counts = plain.legal_actions().sum(axis=1)
            if not (counts == 1).any():
                break
            forced = np.where(counts == 1, np.argmax(plain.legal_actions(), axis=1), -1)
            forced_plays += int((forced >= 0).sum())
            more, _ = plain.step(forced)
            total = total + more
        same(skipping, plain)
        assert np.array_equal(rewards, total)
        counts = skipping.legal_actions().sum(axis=1)
        assert not (counts == 1).any()
    assert forced_plays > 200


# --- copies and saved states


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(0, 60), preset=st.sampled_from(PRESETS))
def test_saved_state_continues(seed: int, steps: int, preset: str) -> None:
    """In every phase a loaded state continues as the saved one, deals of later hands included."""
    options: dict[str, Any] = {"rules": preset, "episode": "match", "record": True}
    batch = position(5, seed, steps, **options)
    saved = batch.state_dict()
    other = make_batch("schieber", num_games=5, seed=seed + 1, **options)
    other.load_state_dict(saved)
    rng = np.random.default_rng(seed)
    for _ in range(45):
        same(batch, other)
        assert np.array_equal(batch.legal_words(), other.legal_words())
        assert np.array_equal(batch.observe(), other.observe())
        actions = batch.sample_actions(rng)
        assert np.array_equal(batch.step(actions)[0], other.step(actions)[0])
    assert batch.record(2) == other.record(2)


def test_saved_state_is_a_copy() -> None:
    batch = position(5, 1, 10)
    saved = batch.state_dict()
    before = {name: array.copy() for name, array in saved["arrays"].items()}
    batch.step(batch.sample_actions(np.random.default_rng(0)))
    assert all(np.array_equal(saved["arrays"][name], array) for name, array in before.items())
    again = make_batch("schieber", num_games=5)
    again.load_state_dict(saved)
    again.step(again.sample_actions(np.random.default_rng(0)))
    assert all(np.array_equal(saved["arrays"][name], array) for name, array in before.items())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d.pop("seed"), "lacks seed"),
        (lambda d: d["arrays"].pop("cards"), "has arrays"),
        (lambda d: d["arrays"].update(when=d["arrays"]["when"][:3]), r"when is uint8\[3, 64\]"),
        (lambda d: d["arrays"].update(player=d["arrays"]["player"].astype(int)), "player is int64"),
        (lambda d: d.update(game="pitch"), "pitch"),
        (lambda d: d.update(version=99), "99"),
        (lambda d: d.update(rules=SchieberRules.make("swiss").digest()), "is of"),
    ],
)
def test_foreign_states_are_refused(change: Any, reason: str) -> None:
    batch = position(5, 1, 10)
    saved = position(5, 2, 15).state_dict()
    change(saved)
    before = snapshot(batch)
    with pytest.raises(StateError, match=reason):
        batch.load_state_dict(saved)
    assert snapshot(batch) == before


def test_clone_and_select_are_independent() -> None:
    batch = position(6, 4, 12, record=True)
    before = snapshot(batch)
    clone, part = batch.clone(), batch.select([4, 1, 1])
    same(clone, batch)
    for column, game in enumerate((4, 1, 1)):
        same(part.select([column]), batch.select([game]))
        assert part.record(column) == batch.record(game)
    rng = np.random.default_rng(0)
    for _ in range(50):
        clone.step(clone.sample_actions(rng))
        part.step(part.sample_actions(rng))
    assert snapshot(batch) == before
    assert clone.done.all()
    mask = np.array([False, True, False, False, True, False])
    same(batch.select(mask), batch.select([1, 4]))


def test_returned_arrays_are_not_reused() -> None:
    """Observations, masks, rewards and reports of an earlier step stay as they were."""
    batch = position(8, 6, 5)
    rng = np.random.default_rng(0)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(40):
        actions = batch.sample_actions(rng)
        arrays = [batch.observe(), batch.observe(2), batch.legal_actions(), batch.current_player, batch.state_vector()]
        arrays += [*batch.step(actions), *batch.report().values()]
        kept += [(array, array.copy()) for array in arrays]
    assert all(np.array_equal(array, copy) for array, copy in kept)
    out = np.zeros((8, batch.spec.layout.size), np.uint8)
    assert batch.observe(1, out=out) is out
    assert np.array_equal(out, batch.observe(1))


# --- symmetries

SWAPS = [(1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)]


def swap_words(words: np.ndarray, swap: tuple[int, ...]) -> np.ndarray:
    out = np.zeros_like(words)
    for old, new in enumerate(swap):
        out |= ((words >> np.uint64(9 * old)) & SUIT) << np.uint64(9 * new)
    return out


def swap_actions(swap: tuple[int, ...]) -> np.ndarray:
    """Action under the exchange of suits; the last place stands for NO_ACTION."""
    cards = [9 * swap[c // 9] + c % 9 for c in range(36)]
    return np.array([*cards, *(36 + swap[s] for s in range(4)), 40, 41, 42, -1])


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("swap", SWAPS)
def test_suit_relabelling(swap: tuple[int, ...], near: bool) -> None:
    """Section 9: exchanging suits of equal multiplier leaves the outcome unchanged."""
    games = 200
    rng = np.random.default_rng(1)
    scores = rng.integers(2700, 3000, (games, 2)) if near else np.zeros((games, 2), int)
    batch = make_batch("schieber", num_games=games, seed=6)
    batch.reset(options={"dealer": rng.integers(0, 4, games), "scores": scores})
    dealer = (batch.state.forehand.astype(int) + 3) % 4
    other = make_batch("schieber", num_games=games)
    other.reset(options={"deal": swap_words(batch.state.hands, swap), "dealer": dealer, "scores": scores})
    mapping = swap_actions(swap)
    while not batch.done.all():
        assert np.array_equal(other.legal_actions()[:, mapping[:-1]], batch.legal_actions())
        actions = batch.sample_actions(rng)
        rewards, _ = batch.step(actions)
        assert np.array_equal(other.step(mapping[actions])[0], rewards)
        assert np.array_equal(other.current_player, batch.current_player)
        assert np.array_equal(other.state.shown, swap_words(batch.state.shown, swap))
        assert np.array_equal(other.state.weis_tens, batch.state.weis_tens)
    one, two = batch.report(), other.report()
    assert all(np.array_equal(one[name], two[name]) for name in one if name != "contract")


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_seat_rotation(turn: int) -> None:
    """Section 9: turning the seats turns the outcome; each seat sees what the seat before the turn saw."""
    games = 200
    rng = np.random.default_rng(2)
    scores = rng.integers(2600, 3000, (games, 2))
    batch = make_batch("schieber", num_games=games, seed=7)
    batch.reset(options={"dealer": rng.integers(0, 4, games), "scores": scores})
    dealer = (batch.state.forehand.astype(int) + 3 + turn) % 4
    other = make_batch("schieber", num_games=games)
    turned = np.roll(scores, turn, axis=1)
    other.reset(options={"deal": np.roll(batch.state.hands, turn, axis=1), "dealer": dealer, "scores": turned})
    while not batch.done.all():
        assert np.array_equal(other.legal_words(), batch.legal_words())
        for seat in range(4):
            assert np.array_equal(other.observe((seat + turn) % 4), batch.observe(seat))
        actions = batch.sample_actions(rng)
        rewards, _ = batch.step(actions)
        assert np.array_equal(other.step(actions)[0], np.roll(rewards, turn, axis=1))
    assert np.array_equal(np.roll(batch.report()["points"], turn, axis=1), other.report()["points"])


# --- leaks


@pytest.mark.parametrize("preset", ["source", "jass_kit"])
def test_hidden_cards_do_not_leak(preset: str) -> None:
    """Exchanging the cards that a seat cannot know changes nothing that it sees, nor its mask.

    The exchange is made in the state, with all that the engine keeps about hidden cards (Weis not yet declared,
    cards of Weis, the pair of the Stöck) drawn anew; what is public stays.
    """
    batch = make_batch("schieber", num_games=16, seed=11, rules=preset, episode="match")
    rng = np.random.default_rng(3)
    changed = 0
    for _ in range(110):
        for seat in range(4):
            twin = batch.clone()
            s = twin.state
            for game in range(16):
                others = [(seat + r) % 4 for r in (1, 2, 3)]
                pool = [c for o in others for c in range(36) if int(s.hands[game, o]) >> c & 1]
                pool = rng.permutation(pool).tolist()
                for other in others:
                    count = int(np.bitwise_count(s.hands[game, other]))
                    s.hands[game, other] = sum(1 << c for c in pool[:count])
                    pool = pool[count:]
                    played = s.played[game, other] != 0
                    if not played and rules_of(batch).weis:
                        s.weis_tens[game, other] = rng.integers(0, 30)
                    s.weis[game, [SETS + other, SETS + 4 + other]] = rng.integers(0, 1 << 36, 2)
                s.weis[game, WINNERS] = rng.integers(0, 1 << 62)
                if s.pair_seat[game] != seat:
                    s.pair[game] = rng.integers(0, 1 << 36)
            changed += int((s.hands != batch.state.hands).any(axis=1).sum())
            twin._legal = None
            assert np.array_equal(twin.observe(seat), batch.observe(seat))
            mine = batch.current_player == seat
            assert np.array_equal(twin.legal_words()[mine], batch.legal_words()[mine])
            differ = (s.hands != batch.state.hands).any(axis=1)
            assert (twin.state_vector(seat) != batch.state_vector(seat)).any(axis=1)[differ].all()
        batch.step(batch.sample_actions(rng))
        if batch.done.all():
            break
    assert changed > 4_000


def rules_of(batch: Any) -> SchieberRules:
    return batch.rules


@pytest.mark.parametrize("reveal", ["winner_cards", "values_only", "all"])
def test_two_real_deals_look_alike(reveal: str) -> None:
    """Two deals that agree in a seat's hand and in all that is public look the same to this seat, by real play."""
    rules = SchieberRules.make("source", weis_reveal=reveal)
    rng = np.random.default_rng(9)
    compared = [0] * 40
    for number in range(120):
        seat, forehand = int(rng.integers(4)), int(rng.integers(4))
        pack = rng.permutation(36).reshape(4, 9)
        twin = pack.copy()
        others = [s for s in range(4) if s != seat]
        if number % 2:  # exchange two cards of two hands
            a, b = rng.choice(others, 2, replace=False)
            i, j = rng.integers(9, size=2)
            twin[a, i], twin[b, j] = pack[b, j], pack[a, i]
        else:
            twin[others] = rng.permutation(pack[others].ravel()).reshape(3, 9)
        games = []
        for hands in (pack, twin):
            batch = make_batch("schieber", rules=rules)
            batch.reset(options={"deal": hands, "dealer": (forehand + 3) % 4})
            oracle = Oracle(rules.to_dict(), lambda _, hands=hands: hands.tolist(), first_forehand=forehand)
            games.append((batch, oracle))
        (one, first), (two, second) = games
        for step in range(40):
            if first.public() != second.public():
                break
            assert one.observe(seat).tobytes() == two.observe(seat).tobytes()
            hidden = one.state_vector(seat).tobytes() != two.state_vector(seat).tobytes()
            assert hidden == (first.hands != second.hands)
            if one.current_player[0] == seat:
                assert np.array_equal(one.legal_words(), two.legal_words())
            compared[step] += 1
            both = [a for a in first.legal() if a in second.legal()]
            if first.done or second.done or not both:
                break
            action = int(rng.choice(both))
            for batch, oracle in games:
                batch.step([action])
                oracle.step(action)
    assert compared[0] == 120
    assert compared[3] > 25
    assert compared[8] > 3


def test_own_declarations_only() -> None:
    """A seat sees the value of its own Weis from the deal on, and those of others when they have played."""
    batch = make_batch("schieber", num_games=300, seed=3)
    rules = rules_of(batch).to_dict()
    view = batch.spec.layout.view
    for seat in range(4):
        obs = batch.observe(seat)
        assert not view(obs, "declared_weis").any()
        for game in range(0, 300, 10):
            hand = [c for c in range(36) if int(batch.state.hands[game, seat]) >> c & 1]
            value = sum(one.points for one in declared_sets(hand, 0, rules))
            assert view(obs, "own_weis")[game, 0] * 10 == value
