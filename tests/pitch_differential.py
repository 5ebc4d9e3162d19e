"""Plays the same games on the batched Pitch engine and on the slow oracle and compares everything.

`compare` is the whole of it: legal sets, players, scores, rewards and results of every decision, and of a sample
of games everything that an observation shows. Deals and policies are of several kinds, because random play of
random deals seldom reaches the odd corners: short stocks, burning defenders, a bidder without trump, made moons.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "reference"))

from pitch import Oracle
from pitch_hand import Action

from bidtrick.envs import make_batch
from bidtrick.envs.core import deals
from bidtrick.envs.pitch import tables as T
from bidtrick.envs.pitch.rules import PitchRules

POLICIES = ("tame", "random", "strong", "contrary")
DEALS = ("uniform", "suited", "paired")
#: Scores at which something decides: around zero, a moon, a bid or a few points from the target, beyond it.
NEAR = (-21, -10, -9, -4, -1, 0, 0, 1, 3)
AWAY = (1, 1, 2, 3, 4, 5, 7, 9, 10, 11, 16, 20, 40)


def oracle_rules(rules: PitchRules) -> dict[str, Any]:
    """The options under the oracle's names; it takes the number of players apart."""
    return {name: value for name, value in rules.to_dict().items() if name != "players"}


def number_of(action: Action, a: T.Actions) -> int:
    """Number of the oracle's action in the engine."""
    kind = action[0]
    if kind in ("play", "burn", "call", "discard"):
        return action[1]
    if kind == "bid":
        return a.first_bid + action[1]
    last = len(a.names) - 1
    words = {"pass": a.first_bid, "moon": last - 1, "double_moon": last, "done": a.done}
    if kind in words:
        return words[kind]
    if kind == "trump":
        return a.first_suit + action[1]
    if kind == "misdeal":
        return a.misdeal if action[1] else a.no_misdeal
    assert kind == "kitty"
    return {"keep": a.keep, "pass": a.give, "look": a.look, "stop": a.stop}[action[1]]


def bid_number(bid: Any, total: int) -> int:
    """The oracle's bid as the engine counts it."""
    return {None: 0, "moon": total + 1, "double_moon": total + 2}.get(bid, bid)


def deck_of(rules: PitchRules, seed: int, game: int, hand: int) -> list[int]:
    """The counter-based deck of a game and hand."""
    cards = T.deck_cards(rules)
    return [cards[i] for i in deals.shuffle(seed, np.array([game]), np.array([hand]), len(cards))[0]]


def made_decks(rules: PitchRules, kind: str, games: int, rng: np.random.Generator) -> np.ndarray:
    """Decks in which long suits, empty stocks and hands without a suit are frequent. int64 [games, D]."""
    cards = np.array(T.deck_cards(rules))
    noise = rng.random((games, len(cards)))
    if kind == "uniform":
        key = noise
    else:
        # whole suits together (or colours, so that off-cards are near), turned at random, more or less mixed
        group = np.where(cards >= T.LOW_JOKER, 4, cards // 13)
        if kind == "paired":
            group = np.array([0, 1, 1, 0, 2])[group]
        place = np.argsort(rng.random((games, 5)), axis=1)
        key = np.take_along_axis(place, np.broadcast_to(group, (games, len(cards))), axis=1) * 13.0
        key += noise * rng.choice([5, 20, 40], (games, 1))
    decks = cards[np.argsort(key, axis=1)]
    turn = rng.integers(0, len(cards), games) * (kind != "uniform")
    return np.stack([np.roll(deck, k) for deck, k in zip(decks, turn, strict=True)])


def near_scores(rules: PitchRules, games: int, rng: np.random.Generator) -> np.ndarray:
    """Scores from which something in one hand is likely to decide the match. int [games, E]."""
    shape = (games, rules.entries)
    away = rules.target - rng.choice(AWAY, shape)
    scores = np.where(rng.random(shape) < 0.5, away, rng.choice(NEAR, shape))
    if rules.win_requires_bid or rules.five:
        scores = np.where(rng.random(shape) < 0.1, rules.target + rng.integers(0, 3, shape), scores)
    else:
        scores = np.minimum(scores, rules.target - 1)
    return scores


def choose(policy: str, batch: Any, rng: np.random.Generator) -> np.ndarray:
    """One legal action a game (-1 for a finished one). int64 [games]."""
    if policy == "random":
        return batch.sample_actions(rng)
    mask, s, rules = batch.legal_actions(), batch.state, batch.spec.rules
    live = s.player >= 0
    a = T.actions(rules.total, rules.five)
    weight = rng.random(mask.shape)
    weight[:, a.misdeal] -= 0.6
    bids = np.arange(mask.shape[1] - a.first_bid) / (rules.total + 2)
    weight[:, a.first_bid :] -= bids * rng.choice([0, 1, 2])  # low, middling and any bids
    weight[:, a.first_bid] += 0.3
    if policy != "tame":
        seat = np.maximum(s.player, 0)
        ours = ((seat == s.bidder) | (seat == s.partner)) == (policy == "strong")
        power = T.tables(rules).shown_strength[s.trump] / 20
        weight[:, :54] += 3 * np.where(ours[:, None], power, -power)
        held = s.cards[np.arange(len(live)), seat, 0]
        length = np.bitwise_count(held[:, None] & T.tables(rules).trumps[:4]) / 10
        weight[:, a.first_suit : a.first_suit + 4] += 3 * (length if policy == "strong" else -length)
        weight[:, a.first_bid + rules.total + 1 :] += 0.8
    return np.where(live, np.argmax(np.where(mask, weight, -np.inf), axis=1), -1)


def compare(
    rules: PitchRules,
    *,
    games: int,
    seed: int,
    episode: str = "hand",
    policy: str = "tame",
    scores: np.ndarray | None = None,
    given: np.ndarray | None = None,
    reward: str = "points",
    watched: int = 10,
) -> int:
    """Play `games` episodes on both and assert that they agree; returns the number of scored hands compared.

    Args:
        given: decks of the first hand, int [games, D]; later ones are counter-based.
        watched: of how many games, drawn anew for every decision, the observation is compared too.
    """
    rng = np.random.default_rng(seed)
    players = rules.players
    numbers = T.actions(rules.total, rules.five)
    dealer = rng.integers(0, players, games)
    if scores is None:
        scores = np.zeros((games, rules.entries), int)
    options: dict[str, Any] = {"scores": scores, "dealer": dealer}
    if given is not None:
        options["deal"] = given
    batch = make_batch("pitch", num_games=games, seed=seed, rules=rules, episode=episode, reward=reward)
    batch.reset(seed=seed, options=options)

    def deal_of(game: int, hand: int) -> list[int]:
        return given[game].tolist() if given is not None and hand == 0 else deck_of(rules, seed, game, hand)

    oracles = [
        Oracle(
            oracle_rules(rules),
            players,
            lambda hand, game=game: deal_of(game, hand),
            int(dealer[game]),
            [int(x) for x in scores[game]],
            episode,
        )
        for game in range(games)
    ]
    scored = [0] * games
    total_hands = 0
    paid = np.zeros((games, players))
    due = np.zeros((games, players))
    while True:
        current, words = batch.current_player.tolist(), batch.legal_words()
        phases, now = batch.phase.tolist(), batch.state.scores.tolist()
        live = [g for g in range(games) if current[g] >= 0]
        legal: dict[int, dict[int, Action]] = {}
        for g, oracle in enumerate(oracles):
            assert oracle.done == (current[g] < 0), (g, rules.name)
            assert oracle.scores == now[g], (g, rules.name)
            if not oracle.done:
                assert oracle.phase == T.PHASES[phases[g]], (g, rules.name, oracle.hand)
                assert oracle.current_player == current[g], (g, rules.name, oracle.hand)
                legal[g] = {number_of(action, numbers): action for action in oracle.legal()}
                word = sum(int(w) << (64 * k) for k, w in enumerate(words[g]))
                assert sum(1 << a for a in legal[g]) == word, (g, rules.name, oracle.phase, oracle.hand)
        if not live:
            break
        compare_public(batch, oracles, rng.choice(live, min(len(live), watched), replace=False), rng)
        actions = choose(policy, batch, rng)
        rewards, done = batch.step(actions)
        paid += rewards
        report = None
        for g in live:
            oracles[g].step(legal[g][int(actions[g])])
            assert done[g] == oracles[g].done
            if oracles[g].scored_hands > scored[g]:
                scored[g] += 1
                total_hands += 1
                report = report or batch.report()
                compare_hand(oracles[g], report, g, rules)
                due[g] += reward_of(oracles[g], now[g], rules, reward)
    compare_public(batch, oracles, rng.choice(games, min(games, 4 * watched), replace=False), rng)
    assert np.allclose(paid, due, atol=1e-3), rules.name
    return total_hands


def last_scored(oracle: Oracle) -> Any:
    return next(hand for hand in reversed(oracle.history) if not hand.void)


def reward_of(oracle: Oracle, before: list[int], rules: PitchRules, reward: str) -> np.ndarray:
    """What the engine documents to pay each seat for the hand just scored."""
    hand = last_scored(oracle)
    if reward == "match":
        values = [1 / len(oracle.winners) if e in oracle.winners else 0.0 for e in range(rules.entries)]
    else:
        values = [(after - was) / rules.total for after, was in zip(hand.result.scores, before, strict=True)]
        if hand.result.moon == "failed" and rules.moon_mode in ("source", "instant"):
            values[hand.bidder if rules.five else hand.bidder % 2] = -rules.target / rules.total
    centred = [v - (sum(values) - v) / (len(values) - 1) for v in values]
    return np.array([centred[s if rules.five else s % 2] for s in range(rules.players)])


def compare_hand(oracle: Oracle, report: dict[str, np.ndarray], g: int, rules: PitchRules) -> None:
    hand = last_scored(oracle)
    facts = {name: report[name][g].tolist() for name in report}
    where = (g, rules.name, hand)
    assert facts["bid"] == bid_number(hand.bid, rules.total), where
    assert facts["bidder"] == hand.bidder, where
    assert facts["partner"] == (-1 if hand.partner is None else hand.partner), where
    assert facts["dealer"] == hand.dealer, where
    assert facts["trump"] == hand.trump, where
    assert facts["called"] == (T.NO_CARD if hand.called < 0 else hand.called), where
    assert facts["called_from"] == ("", "hand", "blind", "own").index(hand.called_from), where
    assert (facts["took"], facts["against"]) == (hand.took, hand.against), where
    assert facts["made"] == hand.made, where
    assert facts["moon"] == (None, "made", "failed").index(hand.moon_result), where
    assert facts["tricks"] == len(hand.tricks), where
    assert facts["points"] == [p + c for p, c in zip(hand.points_by_seat, hand.burn_credit, strict=True)], where
    assert facts["scores"] == hand.result.scores, where
    winners = hand.result.winners
    assert [e for e, won in enumerate(facts["winners"]) if won] == winners, where
    assert facts["winner"] == (winners[0] if winners else -1), where
    assert facts["truncated"] == (not winners and oracle.scored_hands >= rules.max_hands), where


def compare_public(batch: Any, oracles: list[Oracle], check: np.ndarray, rng: np.random.Generator) -> None:
    """Everything in an observation of a random seat equals what the oracle says that this seat knows."""
    players = batch.spec.num_seats
    seats = rng.integers(0, players, batch.num_games)
    act = rng.random(batch.num_games) < 0.3  # and of the seat to act, often
    seats = np.where(act & (batch.current_player >= 0), batch.current_player, seats)
    obs = batch.observe(seats)[check]
    layout = batch.spec.layout
    views = {name: layout.view(obs, name).astype(int) for name in layout.segments}
    for row, g in enumerate(check.tolist()):
        v = {name: view[row] for name, view in views.items()}
        compare_view(v, oracles[g], int(seats[g]), batch.spec.rules)


def compare_view(v: dict[str, np.ndarray], oracle: Oracle, s: int, rules: PitchRules) -> None:
    view, n = oracle.view(s), rules.players
    t, trump = oracle.tables, oracle.hand.trump
    rel = [(s + r) % n for r in range(n)]

    def cards(plane: np.ndarray) -> set[int]:
        return set(np.flatnonzero(plane).tolist())

    def who(name: str) -> set[int]:
        return {rel[r] for r in np.flatnonzero(v[name]).tolist()}

    def one(name: str) -> int:
        (number,) = v[name].tolist()
        return number

    def seats(name: str, values: list[int]) -> None:
        assert v[name].tolist() == [values[seat] for seat in rel], (name, s, values, v[name])

    # cards
    assert cards(v["hand"]) == set(view["hand"])
    assert cards(v["dealt"]) == set(view["dealt"])
    assert cards(v["leftovers"]) == set(view["kitty_seen"])
    if n == 4:
        assert cards(v["drawn"]) == set(view["drawn_cards"])
        assert cards(v["thrown"]) == set(view["thrown"])
    trumps = t.trumps(trump) if trump >= 0 else []
    strength = np.zeros(54, int)
    for place, card in enumerate(reversed(trumps)):
        strength[card] = place + 1
    if rules.joker_order == "first_played_high" and {52, 53} <= set(trumps):
        strength[[52, 53]] = strength[[52, 53]].max()
    assert v["strength"].tolist() == strength.tolist()
    tricks = [(leader, plays) for leader, plays, _, _ in view["tricks"]]
    if view["trick"] is not None:
        tricks.append(view["trick"])
    when = np.zeros(54, int)
    played: list[set[int]] = [set() for _ in range(n)]
    for number, (leader, plays) in enumerate(tricks):
        for seat, card in plays:
            when[card] = 1 + number * n + (seat - leader) % n
            played[seat].add(card)
    assert v["when"].tolist() == when.tolist()
    table = dict(view["trick"][1]) if view["trick"] is not None else {}
    burned = [set(cs) for cs in view["burned"]] if view["burned"] is not None else [set() for _ in range(n)]
    burned[s] = set(view["burned_own"])
    for r, seat in enumerate(rel):
        assert cards(v["played"][r]) == played[seat]
        assert cards(v["burned"][r]) == burned[seat]
        if r:
            assert cards(v["table"][r - 1]) == ({table[seat]} if seat in table else set())
    if n == 5:
        assert cards(v["called"]) == ({view["called"]} if view["called"] >= 0 else set())
    own = (view["dealt"], view["drawn_cards"], view["kitty_seen"], view["thrown"])
    assert cards(v["unseen"]) == set(trumps).difference(*own, *burned, *played)

    # seats
    asked_secretly = view["phase"] == "misdeal" and s != oracle.current_player
    phase = "bid" if asked_secretly else view["phase"]
    if not oracle.done:
        assert [T.PHASES[i] for i in np.flatnonzero(v["phase"])] == [phase]
        assert who("to_act") == {(oracle.dealer + 1) % n if asked_secretly else oracle.current_player}
    else:
        assert who("to_act") == set()
    assert who("dealer") == {oracle.dealer}
    over = view["phase"] not in ("misdeal", "bid")  # the auction
    assert who("bidder") == ({view["bidder"]} if over else set())
    knows = over and (n == 4 or view["called"] >= 0) and view["knows_partner"]
    assert one("partner_known") == knows
    assert who("partner") == ({view["partner_known"]} if knows and view["partner_known"] is not None else set())
    assert who("out") == set(view["outs"])
    assert who("leader") == ({view["trick"][0]} if view["trick"] is not None else set())
    best = set()
    if table:
        from pitch_score import trick_winner

        best = {trick_winner(view["trick"][1], trump, t, oracle.rules)}
    assert who("winning") == best
    assert one("declined") == view["misdeal_declined"]
    assert cards(v["trump"]) == ({trump} if trump >= 0 else set())

    # numbers
    calls = [0] * n
    for seat, action in view["bids"]:
        value = action[1] if action[0] == "bid" else action[0]
        calls[seat] = 1 if value == "pass" else 1 + bid_number(value, rules.total)
    seats("bids", calls)
    assert one("bid") == bid_number(view["bid"], rules.total)
    seats("asked", [0 if a is None else a + 1 for a in view["asked"] or [None] * n])
    seats("drew", view["drawn"] or [0] * n)
    seats("received", [view["kitty_to"].get(seat, 0) for seat in range(n)])
    seats("burned_count", view["burned_count"])
    points = list(view["points_by_seat"])
    for seat, card in table.items():  # the engine credits a two of its player at once
        if t.symbol(card, trump) in t.automatic:
            points[seat] += t.points(card, trump)
    seats("points", points)
    on_table = sum(t.points(c, trump) for c in table.values() if t.symbol(c, trump) not in t.automatic)
    assert one("trick_points") == on_table
    known_size = view["kitty_size"] if n == 4 or view["called"] >= 0 else None
    assert one("kitty_size") == (known_size or 0)
    assert one("trick_number") == len(view["tricks"])
    assert one("hand_number") == oracle.scored_hands
    scores = [oracle.scores[seat if n == 5 else seat % 2] for seat in range(n)]
    seats("score", [min(max(128 + x * 64 // rules.target, 0), 255) for x in scores])
    seats("to_go", [min(max(rules.target - x, 0), 255) for x in scores])
    seats("sign", [(x > 0) - (x < 0) + 1 for x in scores])
