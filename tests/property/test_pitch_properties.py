"""Properties of the Pitch engine that hold in every position: batches, copies, records, symmetries, leaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.core.bits import BIT
from bidtrick.envs.core.errors import RecordError, StateError
from bidtrick.envs.core.records import GameRecord
from bidtrick.envs.pitch import tables as T
from bidtrick.envs.pitch.rules import PitchRules
from bidtrick.envs.pitch.state import BURNED, DEALT, DRAWN, HELD, IN_HAND, NOT_CALLED, SEEN, THROWN
from bidtrick.envs.registry import replay

#: Rules that between them reach every phase.
MIXED: list[Any] = [
    "source",
    "five",
    "playpitch",
    "nyx",
    {"discarded_trump": "to_kitty", "kitty_mode": "one_by_one", "version": 16, "burn_policy": "misdeal_if_point"},
    {
        "misdeal_rule": "no_face_no_point",
        "stuck_rule": "redeal",
        "version": 5,
        "burn_visible": False,
        "burn_policy": "any",
    },
    {"players": 5, "moon_5h": "on", "called_card_first_trick": False, "burn_visible": False, "version": 13},
    {"check": "mid_hand", "target": 12, "out_reveal": "at_once"},
]
IDS = [str(k) for k in range(len(MIXED))]


def snapshot(batch: Any) -> dict[str, bytes]:
    """All of a state but the scratch columns of `when`."""
    arrays = dict(batch.state.arrays())
    arrays["when"] = arrays["when"][:, : T.CARDS]
    return {name: array.tobytes() for name, array in arrays.items()}


def same(one: Any, two: Any) -> None:
    left, right = snapshot(one), snapshot(two)
    assert [name for name in left if left[name] != right[name]] == []


def position(games: int, seed: int, steps: int, **options: Any) -> Any:
    """A batch after so many random decisions of each game, some games left behind."""
    batch = make_batch("pitch", num_games=games, seed=seed, **options)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        actions = batch.sample_actions(rng)
        actions[rng.random(games) < 0.3] = -1
        batch.step(actions)
    return batch


@pytest.mark.parametrize("rules", MIXED, ids=IDS)
def test_batch_equals_singles(rules: Any) -> None:
    """A batch of N is N single games, out of step and over resets; observations, masks and rewards too."""
    games, index = 5, MIXED.index(rules)
    options: dict[str, Any] = {
        "rules": rules,
        "auto_reset": True,
        "episode": ("hand", "match")[index % 2],
        "context": ("start", "sampled")[index // 2 % 2],
        "skip_forced": index % 3 == 0,
    }
    batch = make_batch("pitch", num_games=games, seed=3, **options)
    singles = []
    for game in range(games):
        single = make_batch("pitch", num_games=1, seed=3, **options)
        single.reset(options={"game_id": game, "hand_id": 0})
        singles.append(single)
    rng = np.random.default_rng(4)
    for _ in range(50):
        actions = batch.sample_actions(rng)
        actions[rng.random(games) < 0.3] = -1
        rewards, done = batch.step(actions)
        seats = rng.integers(0, batch.spec.num_seats, games)
        obs, state = batch.observe(seats), batch.state_vector(seats)
        for game, single in enumerate(singles):
            reward, over = single.step(actions[game : game + 1])
            assert (reward[0] == rewards[game]).all()
            assert over[0] == done[game]
            assert (single.observe(int(seats[game]))[0] == obs[game]).all()
            assert (single.state_vector(int(seats[game]))[0] == state[game]).all()
            assert (single.legal_words() == batch.legal_words()[game]).all()
    for game, single in enumerate(singles):
        same(batch.select([game]), single)


@pytest.mark.parametrize("rules", MIXED, ids=IDS)
def test_no_action_changes_nothing(rules: Any) -> None:
    for steps in (3, 12, 25, 60):
        batch = position(30, steps, steps, rules=rules)
        before, obs = snapshot(batch), batch.observe()
        rewards, done = batch.step(np.full(30, -1))
        assert snapshot(batch) == before
        assert (batch.observe() == obs).all()
        assert not rewards.any()
        assert not done.any()


@pytest.mark.parametrize("rules", MIXED, ids=IDS)
def test_masks_are_never_empty(rules: Any) -> None:
    """Every live game has a legal action, a finished one none; the seat observed by default is the one to act."""
    batch = make_batch("pitch", num_games=20, seed=9, rules=rules, episode="hand")
    rng = np.random.default_rng(0)
    longest = 0
    while not batch.done.all() and longest < 150:
        live = ~batch.done
        assert (batch.legal_actions().any(axis=1) == live).all()
        seats = np.maximum(batch.current_player, 0)
        assert (batch.observe() == batch.observe(seats)).all()
        batch.step(batch.sample_actions(rng))
        longest += 1
    if batch.rules.stuck_rule == "forced" and batch.rules.burn_policy != "misdeal_if_point":
        assert longest <= batch.spec.max_hand_actions


@pytest.mark.parametrize("rules", MIXED, ids=IDS)
def test_saved_state_continues(rules: Any) -> None:
    """In every phase a loaded state, a clone and a selection continue as the saved game, independently of it."""
    options: dict[str, Any] = {"rules": rules, "episode": "match"}
    for steps in (2, 9, 30):
        batch = position(5, steps, steps, **options)
        before = snapshot(batch)
        other = make_batch("pitch", num_games=5, seed=99, **options)
        other.load_state_dict(batch.state_dict())
        clone, part = batch.clone(), batch.select([3, 1])
        rng = np.random.default_rng(steps)
        for _ in range(25):
            actions = other.sample_actions(rng)
            rewards, _ = other.step(actions)
            assert np.array_equal(rewards, clone.step(actions)[0])
            assert np.array_equal(rewards[[3, 1]], part.step(actions[[3, 1]])[0])
        same(other, clone)
        same(other.select([3, 1]), part)
        assert snapshot(batch) == before
    with pytest.raises(StateError, match="of"):
        batch.load_state_dict(make_batch("schieber", num_games=5).state_dict())


@pytest.mark.parametrize("rules", MIXED, ids=IDS)
def test_records_replay(rules: Any) -> None:
    """A record replays to the same result, from given and from counter-based deals, and refuses another result."""
    options: dict[str, Any] = {"rules": rules, "episode": "match", "record": True, "seed": 6}
    batch = make_batch("pitch", num_games=3, **options)
    deck = np.random.default_rng(1).permutation(T.tables(batch.rules).deck)
    rng = np.random.default_rng(2)
    for given in (None, {"deal": deck, "scores": [3] * batch.rules.entries, "dealer": 1, "hand_number": 2}):
        batch.reset(seed=6, options=given)
        for _ in range(60):
            batch.step(batch.sample_actions(rng))
        for game in range(3):
            record = GameRecord.from_json(batch.record(game).to_json())
            assert replay(record).result() == batch.result(game)
    wrong = GameRecord.from_json(batch.record(0).to_json().replace('"took": ', '"took": 1'))
    with pytest.raises(RecordError, match="took"):
        replay(wrong)


def test_skip_forced_equals_forced_plays() -> None:
    """`skip_forced` does what a player would do by hand, and pays the same."""
    skipping = make_batch("pitch", num_games=30, seed=8, skip_forced=True)
    plain = make_batch("pitch", num_games=30, seed=8)
    rng = np.random.default_rng(0)
    while not skipping.done.all():
        actions = skipping.sample_actions(rng)
        rewards, _ = skipping.step(actions)
        total, _ = plain.step(actions)
        while (counts := plain.legal_actions().sum(axis=1) == 1).any():
            more, _ = plain.step(np.where(counts, np.argmax(plain.legal_actions(), axis=1), -1))
            total = total + more
        same(skipping, plain)
        assert np.array_equal(rewards, total)


def test_sampled_context() -> None:
    """Drawn match states are possible, differ, and are the same for the same deal."""
    batch = make_batch("pitch", num_games=500, seed=1, context="sampled")
    scores = batch.state.scores
    assert scores.min() >= -13
    assert scores.max() < 52
    assert len(np.unique(scores)) > 40
    assert set(batch.state.dealer.tolist()) == {0, 1, 2, 3}
    assert np.array_equal(scores, make_batch("pitch", num_games=500, seed=1, context="sampled").state.scores)
    lead = make_batch("pitch", num_games=500, context="sampled", rules={"win_by_lead": 20}).state.scores
    assert (lead.max(axis=1) - lead.min(axis=1) < 20).all()


@pytest.mark.parametrize("rules", MIXED, ids=IDS)
def test_history_lists_what_was_done_by_whom(rules: Any) -> None:
    """All public actions in order: no misdeal calls, no thrown trumps, no hidden burns."""
    games = 12
    batch = make_batch("pitch", num_games=games, seed=2, rules=rules)
    rng = np.random.default_rng(0)
    log: list[list[tuple[int, int]]] = [[] for _ in range(games)]
    for _ in range(100):
        player, phase, hand = batch.current_player, batch.phase, batch.state.hand_id.copy()
        actions = batch.sample_actions(rng)
        batch.step(actions)
        for game in np.flatnonzero(player >= 0):
            hidden = phase[game] == T.MISDEAL or (phase[game] == T.DISCARD and actions[game] < T.CARDS)
            if not hidden and (phase[game] != T.BURN or batch.rules.burn_visible):
                log[game].append((int(player[game]), int(actions[game])))
            if batch.state.hand_id[game] != hand[game]:
                log[game] = []
        seats = rng.integers(0, batch.spec.num_seats, games)
        tokens = batch.history(seats)
        assert tokens.shape == (games, batch.spec.max_hand_actions, 2)
        for game in rng.integers(0, games, 3):
            done = [[(seat - seats[game]) % batch.spec.num_seats, action] for seat, action in log[game]]
            assert tokens[game, : len(done)].tolist() == done
            assert (tokens[game, len(done) :] == -1).all()


# --- symmetries

#: Renamings of the suits that keep the colour pairs {♣♠}, {♦♥}.
RELABELS = [(3, 1, 2, 0), (0, 2, 1, 3), (1, 0, 3, 2), (2, 3, 0, 1), (1, 3, 0, 2)]


@pytest.mark.parametrize("rules", MIXED, ids=IDS)
def test_relabelled_suits_and_turned_seats_change_nothing(rules: Any) -> None:
    """P-INV: the same hand with suits renamed and all seats moved on has the same results."""
    options = PitchRules.make(rules)
    n, t, a = options.players, T.tables(options), T.actions(options.total, options.five)
    for seed, relabel in enumerate(RELABELS):
        turn = seed % n
        rng = np.random.default_rng(seed)
        other = np.array([relabel[c // 13] * 13 + c % 13 if c < 52 else c for c in range(54)])
        action_map = np.arange(len(a.names))
        action_map[:54] = other
        action_map[a.first_suit : a.first_suit + 4] = a.first_suit + np.array(relabel)
        decks = np.stack([rng.permutation(t.deck) for _ in range(20)])
        hands = decks[:, : t.hand_size * n].reshape(20, n, t.hand_size)
        moved = np.concatenate([np.roll(hands, turn, axis=1).reshape(20, -1), decks[:, t.hand_size * n :]], axis=1)
        one, two = (make_batch("pitch", num_games=20, rules=options) for _ in range(2))
        one.reset(options={"deal": decks, "dealer": 0})
        two.reset(options={"deal": other[moved], "dealer": turn})
        void = np.zeros(20, bool)  # games dealt again: their new deals are not related
        total = np.zeros((2, 20, n))
        for _ in range(80):
            live = ~one.done & ~void
            assert ((one.current_player + turn) % n == two.current_player)[live].all()
            mask = one.legal_actions()
            assert (two.legal_actions()[:, action_map] == mask)[live].all()
            actions = np.where(live, one.sample_actions(rng), -1)
            total[0] += one.step(actions)[0]
            total[1] += two.step(np.where(actions < 0, -1, action_map[actions]))[0]
            void |= one.state.hand_id > 1
        assert np.allclose(total[1][~void], np.roll(total[0], turn, axis=1)[~void])


# --- leaks


@pytest.mark.parametrize("rules", MIXED, ids=IDS)
def test_hidden_cards_do_not_show(rules: Any) -> None:
    """P-INFO-01, P-KIT-03, P-5H-04: whatever a seat cannot know changes neither its observation nor its mask."""
    options = PitchRules.make(rules)
    n = options.players
    rng = np.random.default_rng(5)
    changed = 0
    games = 16
    batch = make_batch("pitch", num_games=games, seed=7, rules=options)
    for _ in range(28):
        for seat in rng.permutation(n)[:2].tolist():
            twin = batch.clone()
            s = twin.state
            before = twin.observe(seat)
            words = twin.legal_words().copy()
            others = [other for other in range(n) if other != seat]
            # others' cards change places, and what they have seen is anything at all
            order = rng.permutation(others)
            s.cards[:, others, HELD] = s.cards[:, order, HELD]
            for column in (
                (DEALT, DRAWN, SEEN, THROWN) if options.burn_visible else (DEALT, DRAWN, SEEN, THROWN, BURNED)
            ):
                s.cards[:, others, column] = rng.integers(0, 1 << 54, (games, n - 1)).astype(np.uint64)
            for g in range(games):
                start, end = s.stock_next[g], s.stock_end[g]
                left = rng.permutation(s.stock[g, start:end])
                s.heads[g, start + 1 : end + 1] = s.heads[g, start] | np.bitwise_or.accumulate(BIT[left])
            if options.misdeal_rule != "none":
                own = np.int8(1 << seat)
                s.declined[:] = (s.declined & own) | (rng.integers(0, 16, games).astype(np.int8) & ~own)
            if options.five:
                secret = ~s.shown & (s.called_from == IN_HAND) & (s.partner != seat)
                choice = np.array([rng.choice([o for o in others if o != b] or others) for b in s.bidder])
                s.partner[:] = np.where(secret, choice, s.partner)
                if seat not in s.bidder[s.called_from != NOT_CALLED]:
                    alone = secret & (s.bidder != seat)
                    s.called_from[alone] = 2
            twin._legal = None
            assert (twin.observe(seat) == before).all()
            mine = twin.current_player == seat
            assert (twin.legal_words() == words)[mine].all()
            changed += int((twin.state_vector(seat) != batch.state_vector(seat)).any(axis=1).sum())
        batch.step(batch.sample_actions(rng))
    assert changed > 300


@pytest.mark.parametrize("rules", ["source", "five"])
def test_layout(rules: str) -> None:
    """Columns are whole words, named and scaled to about [0, 1]; the layout depends on the players only."""
    batch = position(60, 1, 25, rules=rules, context="sampled", episode="match")
    layout = batch.spec.layout
    assert layout.size % 64 == 0
    scaled = layout.to_float(batch.observe())
    assert scaled.min() >= 0
    assert scaled.max() <= 1.3
    other = make_batch("pitch", rules={"preset": rules, "version": 16, "target": 31}).spec.layout
    assert other.hash == layout.hash
    assert batch.state_vector().shape[1] == layout.size + batch.spec.hidden_size


def test_errors_name_everything() -> None:
    """P-ACT-01: game, seat, phase, action and the legal ones; nothing is changed."""
    batch = position(4, 2, 10)
    before = snapshot(batch)
    actions = batch.sample_actions(np.random.default_rng(0))
    actions[2] = 77
    with pytest.raises(
        ValueError, match=r"pitch game 2, seat \d, phase \w+: action 77 \(Double moon\) is illegal; legal: "
    ):
        batch.step(actions)
    assert snapshot(batch) == before
