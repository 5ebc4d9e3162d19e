"""Plays the same games on the batched engine and on the slow oracle and compares everything.

`compare` is the whole of it: legal sets, players, scores, rewards and results of every decision, and of a sample
of games everything that an observation shows. Deals and policies are of several kinds, because random play of
random deals seldom reaches the odd corners: quartets beside long runs, sweeps, a Stöck played late, a match
that ends in mid-trick.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np
from reference.schieber import Oracle, card_points, deck_of, legal_cards, winning_index

from bidtrick.envs import make_batch
from bidtrick.envs.core import bits, deals
from bidtrick.envs.schieber.rules import SchieberRules

CARDS, UNDER, NO_CONTRACT, UNDENUFE, PUSH = 36, 5, 6, 5, 42
DEFAULT_RULES = SchieberRules()
POLICIES = ("random", "low", "high", "sweep", "hoard")
DEALS = ("uniform", "runs", "quartets", "mixed")
#: Distances to the target at which something decides: Stöck and Weis by multiplier, tricks, hands, sweeps.
DISTANCES = (1, 5, 20, 21, 40, 41, 50, 60, 80, 81, 100, 140, 157, 162, 257, 300, 400, 520, 628, 1028)


def hands_of(seed: int, game: int, hand: int, cards: list[int]) -> list[list[int]]:
    """The counter-based deal of a game and hand, of a deck of these cards."""
    deck = [cards[place] for place in deals.shuffle(seed, np.array([game]), np.array([hand]), len(cards))[0]]
    size = len(cards) // 4
    return [sorted(deck[size * s : size * s + size]) for s in range(4)]


def made_deals(
    kind: str, games: int, rng: np.random.Generator, rules: SchieberRules = DEFAULT_RULES
) -> np.ndarray:
    """Deals in which Weis are frequent. int64 [games, 4, cards of a hand]."""
    order = np.argsort(rng.random((games, CARDS)), axis=1)
    card = np.arange(CARDS)
    noise = rng.random((games, CARDS))
    suits = np.argsort(rng.random((games, 4)), axis=1)
    turn = rng.integers(0, CARDS, (games, 1))
    by_suit = (suits[:, card // 9] * 9 + card % 9 + turn) % CARDS + noise * rng.choice([0.5, 4, 9], (games, 1))
    by_rank = (card % 9 * 4 + turn) % CARDS + noise * rng.choice([0.5, 3, 6], (games, 1))
    if kind == "runs":
        order = np.argsort(by_suit, axis=1)
    elif kind == "quartets":
        order = np.argsort(by_rank, axis=1)
    elif kind == "mixed":  # up to three quartets are set aside, one a seat, the rest goes round by suits
        ranks = np.argsort(rng.random((games, 9)), axis=1)[:, :3]
        seats = rng.integers(0, 4, (games, 3))
        key = by_suit.copy()
        for game in range(games):
            hands: list[list[int]] = [[], [], [], []]
            for rank, seat in zip(ranks[game], seats[game], strict=True):
                if len(hands[seat]) <= 4:
                    hands[seat] += [9 * suit + int(rank) for suit in range(4)]
            given = {c for hand in hands for c in hand}
            rest = iter(c for c in np.argsort(key[game]).tolist() if c not in given)
            for hand in hands:
                hand += [next(rest) for _ in range(9 - len(hand))]
            order[game] = np.concatenate(hands)
    deck = deck_of(rules.to_dict())
    return order[np.isin(order, deck)].reshape(games, 4, len(deck) // 4)  # a short deck keeps the order of its cards


def near_target(rules: SchieberRules, games: int, rng: np.random.Generator) -> np.ndarray:
    """Scores from which something in one hand is likely to decide the match. int [games, 2]."""
    away = rng.choice(DISTANCES, (games, 2)) + rng.choice([-1, 0, 0, 0, 1], (games, 2))
    return np.clip(rules.target - away, 0, rules.target - 1)


def choose(policy: str, batch: Any, rng: np.random.Generator) -> np.ndarray:
    """One legal action a game (-1 for a finished one). int64 [games]."""
    mask, s = batch.legal_actions(), batch.state
    live = s.player >= 0
    if policy == "random":
        return batch.sample_actions(rng)
    if policy == "low":
        weight = -np.tile(np.arange(43.0), (len(live), 1))
    elif policy == "high":
        weight = np.tile(np.arange(43.0), (len(live), 1))
    else:
        weight = rng.random((len(live), 43))
        trump = np.arange(CARDS)[None, :] // 9 == s.contract[:, None]
        rank = np.tile(np.arange(CARDS) % 9, (len(live), 1))
        if policy == "sweep":  # one team plays to win every trick, the other to lose it; trumps of length
            power = np.where(s.contract[:, None] == UNDENUFE, 8 - rank, rank) + 20 * trump
            weight[:, :CARDS] += np.where((s.player % 2 == 0)[:, None], power, -power)
            held = s.hands[np.arange(len(live)), np.maximum(s.player, 0)]
            length = np.bitwise_count(held[:, None] & (np.uint64(0x1FF) << np.arange(0, 36, 9, dtype=np.uint64)))
            weight[:, 36:40] += length
            weight[:, 40:42] += 3
            weight[:, PUSH] += 4
        else:  # keep König and Ober of trump for the end
            weight[:, :CARDS] -= 9.0 * (trump & np.isin(rank, (6, 7)))
            weight[:, 40:42] -= 0.9
    return np.where(live, np.argmax(np.where(mask, weight, -np.inf), axis=1), -1)


def compare(
    rules: SchieberRules,
    *,
    games: int,
    seed: int,
    episode: str = "hand",
    scores: np.ndarray | None = None,
    policy: str = "random",
    given: np.ndarray | None = None,
    reward: str = "points",
    hand_number: int = 0,
    watched: int = 10,
) -> int:
    """Play `games` episodes on both and assert that they agree; returns the number of decisions compared.

    Args:
        given: deals of the first hand, int [games, 4, 9]; later ones are counter-based.
        watched: of how many games, drawn anew for every decision, the observation is compared too.
    """
    rng = np.random.default_rng(seed)
    dealer = rng.integers(0, 4, games)
    by_card = rng.random(games) < 0.5 if rules.first_forehand != "random" and not hand_number else np.zeros(games, bool)
    made: dict[str, Any] = {"num_games": games, "seed": seed, "rules": rules, "episode": episode, "reward": reward}
    if scores is None:
        scores = np.zeros((games, 2), int)
    options: dict[str, Any] = {"scores": scores, "hand_number": hand_number}
    if given is not None:
        options["deal"] = given
    batch = make_batch("schieber", **made)
    # games whose first forehand is named by a card are set up apart: a dealer option is given for all or none
    batch.reset(seed=seed, options={"dealer": dealer, **options})
    if by_card.any():
        named = make_batch("schieber", **made)
        named.reset(seed=seed, options=options)
        batch.state.put(np.flatnonzero(by_card), named.state.select(np.flatnonzero(by_card)))

    def deal_of(game: int, hand: int) -> list[list[int]]:
        if given is not None and hand == hand_number:
            return given[game].tolist()
        return hands_of(seed, game, hand - hand_number, deck_of(rules.to_dict()))

    oracles = [
        Oracle(
            rules.to_dict(),
            lambda hand, game=game: deal_of(game, hand),
            episode=episode,
            first_forehand=None if by_card[game] else (int(dealer[game]) + 1) % 4,
            scores=tuple(int(x) for x in scores[game]),
            hand_number=hand_number,
        )
        for game in range(games)
    ]
    decisions = 0
    hands_seen = [0] * games
    paid = np.zeros((games, 4))
    while True:
        players, words = batch.current_player.tolist(), batch.legal_words()[:, 0].tolist()
        now = batch.state.scores.tolist()
        live = [g for g in range(games) if players[g] >= 0]
        for g, oracle in enumerate(oracles):
            assert oracle.done == (players[g] < 0), (g, rules.name)
            assert oracle.scores == now[g], (g, rules.name)
            if not oracle.done:
                assert oracle.current_player == players[g], (g, rules.name)
                assert sum(1 << a for a in oracle.legal()) == words[g], (g, rules.name, oracle.hand)
        if not live:
            break
        compare_public(batch, oracles, rng.choice(live, min(len(live), watched), replace=False), rng)
        actions = choose(policy, batch, rng)
        rewards, _ = batch.step(actions)
        paid += rewards
        for g, action in zip(live, actions[live].tolist(), strict=True):
            oracles[g].step(action)
        decisions += len(live)
        report = None
        for g in live:
            if len(oracles[g].history) > hands_seen[g]:
                hands_seen[g] += 1
                report = report or batch.report()
                compare_hand(oracles[g], report, g)
    compare_public(batch, oracles, rng.choice(games, min(games, 4 * watched), replace=False), rng)
    report = batch.report()
    for g, oracle in enumerate(oracles):
        if reward == "match":
            expected = oracle.match_reward[0]
        else:
            gain = (oracle.scores[0] - int(scores[g][0])) - (oracle.scores[1] - int(scores[g][1]))
            expected = gain / batch.spec.reward_scale
        assert np.allclose(paid[g], np.array([1, -1, 1, -1]) * expected, atol=1e-3), g
        compare_result(oracle, report, g, rules, episode)
    return decisions


@cache
def _excluded(contract: int, led: int, top_trump: int, card: int) -> frozenset[int]:
    """Suits of which nobody who may play `card` can hold another card, the trump Under apart."""
    trick = [led] if top_trump < 0 or top_trump == led else [led, top_trump]
    excluded: set[int] = set()
    for suit in range(4):
        others = [9 * suit + rank for rank in range(9) if not (suit == contract and rank == UNDER)]
        if not any(card in legal_cards([card, other], trick, contract) for other in others if other != card):
            excluded.add(suit)
    return frozenset(excluded)


def derived_voids(oracle: Oracle) -> set[tuple[int, int]]:
    """(suit, seat) for all that legality proves: derived from each play and the cards before it in the trick."""
    contract = oracle.hand["contract"]
    found: set[tuple[int, int]] = set()
    tables = [*(trick["cards"] for trick in oracle.hand["tricks"]), oracle.hand["table"]]
    for table in tables:
        for place in range(1, len(table)):
            seat, card = table[place]
            before = [c for _, c in table[:place]]
            trumps = [c for c in before if c // 9 == contract]
            top = trumps[winning_index(trumps, contract)] if trumps else -1
            found |= {(suit, seat) for suit in _excluded(contract, before[0], top, card)}
    return found


def compare_public(batch: Any, oracles: list[Oracle], check: np.ndarray, rng: np.random.Generator) -> None:
    """Everything in an observation of a random seat equals what the oracle says that this seat knows."""
    seats = rng.integers(0, 4, batch.num_games)
    obs = batch.observe(seats)[check]
    layout = batch.spec.layout
    views = {name: layout.view(obs, name).astype(int) for name in layout.segments}
    for row, g in enumerate(check.tolist()):
        v = {name: view[row] for name, view in views.items()}
        compare_view(v, oracles[g], int(seats[g]), batch.spec.rules)
        for suit in range(4):  # what is shown never contradicts the true hands (but for the lone trump Under)
            for r in range(4):
                if v["void"][suit][r]:
                    held = bits.indices_of(int(batch.state.hands[g, (int(seats[g]) + r) % 4]))
                    left = [c for c in held if c // 9 == suit]
                    assert not left or (oracles[g].hand["contract"] == suit and left == [suit * 9 + UNDER])


def compare_view(v: dict[str, np.ndarray], oracle: Oracle, s: int, rules: SchieberRules) -> None:
    public, hand = oracle.public(), oracle.hand
    rel = [(s + r) % 4 for r in range(4)]
    played, table, contract = public["played"], hand["table"], public["contract"]
    mine = {c for seat, c in played if seat == s}

    def cards(plane: np.ndarray) -> set[int]:
        return set(np.flatnonzero(plane).tolist())

    def who(name: str) -> set[int]:
        return {rel[r] for r in np.flatnonzero(v[name]).tolist()}

    def one(name: str) -> int:
        (number,) = v[name].tolist()
        return number

    def nobody(seat: int | None) -> set[int]:
        return set() if seat is None or seat < 0 else {seat}

    assert cards(v["hand"]) == set(hand["dealt"][s]) - mine
    when = np.zeros(CARDS, int)
    for place, (_, card) in enumerate(played):
        when[card] = place + 1
    assert v["when"].tolist() == when.tolist()
    for r, seat in enumerate(rel):
        assert cards(v["played"][r]) == {c for player, c in played if player == seat}
        assert cards(v["shown"][r]) == set(public["weis_shown"][seat])
        value = public["weis_values"][seat]
        assert v["declared"][r] == (value is not None)
        assert v["declared_weis"][r] * 10 == (value or 0)
        if r:
            assert cards(v["table"][r - 1]) == {c for player, c in table if player == seat}
    assert one("own_weis") * 10 == _own_weis(tuple(hand["dealt"][s]), rules)
    assert who("pushed") == set(public["pushes"])
    assert who("forehand") == {public["forehand"]}
    assert who("declarer") == nobody(public["declarer"])
    assert who("stock_scored") == nobody(public["stock_scored"])
    assert who("to_act") == nobody(oracle.current_player)
    if not oracle.done:
        assert who("leader") == {table[0][0] if table else oracle.current_player if contract is not None
                                 else public["forehand"]}  # fmt: skip
    best = table[winning_index([c for _, c in table], contract)][0] if table else None
    assert who("winning") == nobody(best)
    assert {(suit, rel[r]) for suit, r in np.argwhere(v["void"]).tolist()} == derived_voids(oracle)
    assert cards(v["contract"]) == nobody(contract)
    assert one("contract_fixed") == (contract is not None)
    assert cards(v["led"]) == ({table[0][1] // 9} if table else set())
    assert one("multiplier") == (1 if contract is None else rules.multipliers[contract])
    assert one("cards_on_table") == len(table)
    assert one("trick_number") == len(hand["tricks"])
    points = sum(card_points(c, contract, rules.undenufe_eleven) for _, c in table)
    assert one("trick_points") == points
    # the number of hands goes up when the hand ends
    assert one("hand_number") == min(255, public["hand_number"] + oracle.done)
    for side, team in (("own", s % 2), ("their", 1 - s % 2)):
        score = oracle.scores[team]
        if rules.hands is None:
            assert one(f"{side}_score") == min(score * 250 // rules.target, 255)
            assert one(f"{side}_to_go") == min(max(rules.target - score, 0), 255)
            assert one(f"{side}_safe") == (2 * score >= rules.target)
        else:
            assert one(f"{side}_score") == min(score // 20, 255)
            assert one(f"{side}_to_go") == one(f"{side}_safe") == 0
        assert one(f"{side}_points") == hand["base_points"][team]
        assert one(f"{side}_weis_scored") * 10 == hand["weis"][team]
        assert one(f"{side}_stock") * 10 == hand["stock"][team]
        assert one(f"{side}_bonus") * 10 == hand["match_bonus"][team]
        assert one(f"{side}_tricks") == sum(trick["winner"] % 2 == team for trick in hand["tricks"])


@lru_cache(maxsize=100_000)
def _own_weis(dealt: tuple[int, ...], rules: SchieberRules) -> int:
    """What a hand declares; it does not depend on the contract, so a player knows it from the deal."""
    from reference.schieber import declared_sets

    values = {sum(one.points for one in declared_sets(dealt, contract, rules.to_dict())) for contract in (0, UNDENUFE)}
    assert len(values) == 1
    return values.pop()


def compare_hand(oracle: Oracle, report: dict[str, np.ndarray], g: int) -> None:
    hand = oracle.history[-1]
    assert report["contract"][g] == (NO_CONTRACT if hand["contract"] is None else hand["contract"])
    assert report["forehand"][g] == hand["forehand"]
    assert report["declarer"][g] == hand["declarer"]
    assert report["pushes"][g] == hand["pushed"]
    for name in ("base_points", "match_bonus", "weis", "stock"):
        assert report[name][g].tolist() == list(hand[name]), (name, g)
    won = [sum(t["winner"] % 2 == team for t in hand["tricks"]) for team in (0, 1)]
    assert report["tricks"][g].tolist() == won
    everything = [sum(hand[name][team] for name in ("base_points", "match_bonus", "weis", "stock")) for team in (0, 1)]
    assert report["points"][g].tolist() == [hand["multiplier"] * points for points in everything]


def compare_result(
    oracle: Oracle, report: dict[str, np.ndarray], g: int, rules: SchieberRules, episode: str
) -> None:
    assert report["scores"][g].tolist() == list(oracle.scores), g
    winner = int(report["winner"][g])
    assert bool(report["schneider"][g]) == oracle.schneider
    if oracle.winner is None:
        draw = rules.hands is not None and episode == "match"
        assert winner == (2 if draw else -1)
    else:
        assert winner == oracle.winner
