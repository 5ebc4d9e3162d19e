"""Plays the same games on the batched engine and on the slow oracle of Thousand and compares everything.

`compare` is the whole of it: legal sets, players, match state, rewards and results of every decision, and of a sample
of games everything that an observation shows. Random play of random deals seldom reaches a barrel, a truck or a
collision, so matches also begin in the middle (`contexts`) and several policies play.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

import numpy as np
from reference.thousand import Oracle
from reference.thousand_cards import card_points, trick_winner

from bidtrick.envs import make_batch
from bidtrick.envs.core import deals
from bidtrick.envs.thousand.observation import layout
from bidtrick.envs.thousand.rules import ThousandRules
from bidtrick.envs.thousand.tables import ACES, action_space, queens_of_pairs

CARDS, NINE = 24, 0
POLICIES = ("random", "play", "bold", "meek", "claim", "quit", "keen")
SUITS = "SCDH"
#: Options of the engine → place in the oracle's nested rules.
PATHS: dict[str, tuple[str, ...]] = {
    "players": ("players",),
    "target": ("target",),
    "cut_ritual": ("cut_ritual",),
    "redeal_hand_points_lt": ("redeal", "hand", "points_lt"),
    "redeal_hand_nines_ge": ("redeal", "hand", "nines_ge"),
    "redeal_hand_nines_who": ("redeal", "hand", "nines_who"),
    "redeal_hand_nines_eq_4": ("redeal", "hand", "nines_eq_4"),
    "redeal_hand_jacks_eq": ("redeal", "hand", "jacks_eq"),
    "redeal_talon_points_lt": ("redeal", "talon", "points_lt"),
    "redeal_talon_nines_ge": ("redeal", "talon", "nines_ge"),
    "redeal_talon_jacks_eq": ("redeal", "talon", "jacks_eq"),
    "redeal_talon_only_at_100": ("redeal", "talon", "only_at_100"),
    "redeal_winner_four_nines": ("redeal", "winner_four_nines_with_talon"),
    "redeal_defender_four_nines": ("redeal", "defender_four_nines_after_pass"),
    "redeal_optional": ("redeal", "optional"),
    "auction_opening": ("auction", "opening"),
    "auction_step": ("auction", "step"),
    "auction_jumps": ("auction", "jumps"),
    "auction_cap": ("auction", "cap"),
    "auction_silence_below": ("auction", "silence_below"),
    "dark": ("dark",),
    "golden": ("golden", "mode"),
    "golden_raise": ("golden", "raise"),
    "golden_double_marriages": ("golden", "double_marriages"),
    "golden_fail": ("golden", "fail"),
    "talon_show": ("talon", "show"),
    "talon_hide_on_uncontested_100": ("talon", "hide_on_uncontested_100"),
    "contract_declare": ("contract", "declare"),
    "write_off_cost": ("write_off", "cost"),
    "write_off_opponents": ("write_off", "opponents"),
    "write_off_limit": ("write_off", "limit"),
    "write_off_first_free": ("write_off", "first_free"),
    "write_off_every_third_fine": ("write_off", "every_third_fine"),
    "write_off_on_barrel": ("write_off", "on_barrel"),
    "pass_visibility": ("pass_visibility",),
    "play_must_trump": ("play", "must_trump"),
    "play_must_beat": ("play", "must_beat"),
    "play_must_overtrump": ("play", "must_overtrump"),
    "play_foreign_trump_lead": ("play", "foreign_trump_lead"),
    "marriage_needs_trick": ("marriage", "needs_trick"),
    "marriage_on_lead_only": ("marriage", "on_lead_only"),
    "marriage_optional": ("marriage", "optional"),
    "marriage_trump_from": ("marriage", "trump_from"),
    "ace_marriage": ("ace_marriage", "on"),
    "ace_marriage_value": ("ace_marriage", "value"),
    "ace_marriage_needs_trick": ("ace_marriage", "needs_trick"),
    "ace_marriage_sets_trump": ("ace_marriage", "sets_trump"),
    "ace_marriage_in_cap": ("ace_marriage", "in_cap"),
    "score_declarer": ("score", "declarer"),
    "score_declarer_rounding": ("score", "declarer_rounding"),
    "score_defender_round_to": ("score", "defender_round_to"),
    "bolt_mode": ("bolt", "mode"),
    "bolt_fine": ("bolt", "fine"),
    "bolt_basis": ("bolt", "basis"),
    "bolt_declarer": ("bolt", "declarer"),
    "bolt_on_barrel": ("bolt", "on_barrel"),
    "bolt_golden_weight": ("bolt", "golden_weight"),
    "barrel_at": ("barrel", "at"),
    "barrel_need": ("barrel", "need"),
    "barrel_attempts": ("barrel", "attempts"),
    "barrel_attempt_counts": ("barrel", "attempt_counts"),
    "barrel_own_contract_only": ("barrel", "own_contract_only"),
    "barrel_fail_cost": ("barrel", "fail_cost"),
    "barrel_fall_to": ("barrel", "fall"),
    "barrel_third_fall": ("barrel", "third_fall"),
    "barrel_collision": ("barrel", "collision"),
    "barrel_same_deal": ("barrel", "same_deal"),
    "barrel_auction": ("barrel", "auction"),
    "barrel_jump_over": ("barrel", "jump_over"),
    "truck_plus_555": ("truck", "plus_555"),
    "truck_minus_555": ("truck", "minus_555"),
    "sitter_points": ("four_player", "sitter_points"),
    "sitter_marriage": ("four_player", "sitter_marriage"),
    "sitter_half_marriage": ("four_player", "sitter_half_marriage"),
    "two_player_layout": ("two_player", "layout"),
    "two_player_take": ("two_player", "take"),
    "info_bonus": ("info_bonus",),
    "lock": ("lock",),
    "deals": ("deals",),
    "suits": ("suits",),
}
MATCH = ("scores", "bolts", "attempts", "falls", "write_offs", "last_contracts")
EVENTS = (
    "bolt",
    "bolt_fine",
    "write_off_fine",
    "truck",
    "attempt",
    "fall",
    "mount",
    "third_fall",
    "win",
    "golden_reset",
)


def oracle_rules(rules: ThousandRules) -> dict[str, Any]:
    """The same rules as the oracle writes them."""
    nested: dict[str, Any] = {}
    for name, path in PATHS.items():
        level = nested
        for key in path[:-1]:
            level = level.setdefault(key, {})
        level[path[-1]] = getattr(rules, name)
    nested["marriage_values"] = dict(zip(SUITS, rules.marriage_values, strict=True))
    nested["payout"] = dict(zip(("first", "middle", "last"), rules.payout, strict=True))
    nested["info_bonus_seats"] = list(rules.info_bonus_seats)
    nested["ranks"] = list(rules.ranks)
    return nested


@lru_cache(maxsize=64)
def oracle_actions(rules: ThousandRules) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Each action of the engine as the oracle's, in the auction and elsewhere (amounts are bids or contracts)."""
    space = action_space(rules)
    said: list[list[tuple[Any, ...]]] = []
    for amount_is in ("bid", "contract"):
        actions: list[tuple[Any, ...]] = []
        for number, name in enumerate(space.names):
            if number < CARDS:
                action: tuple[Any, ...] = ("play", number)
            elif number < space.card_actions:
                k = number - CARDS
                suit, rank = (k // 2, 2 + k % 2) if k < 8 else (k - 8, 5)
                action = ("declare", 6 * suit + rank)
            elif number >= space.amount:
                action = (amount_is, int(name))
            elif number >= space.give:
                action = ("give", number - space.give)
            else:
                action = {
                    "Pass": ("pass",), "Write off": ("write_off",), "Redeal": ("redeal", True),
                    "No redeal": ("redeal", False), "Dark": ("dark", True), "Look at the cards": ("dark", False),
                    "First talon": ("talon", 0), "Second talon": ("talon", 1),
                }.get(name) or ("info_card", int(name.split()[-1]) - 1)  # fmt: skip
            actions.append(action)
        said.append(actions)
    return said[0], said[1]


def contexts(rules: ThousandRules, games: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Matches in the middle: barrels, scores just below one or around ±555, bolts, falls, golden rounds."""
    p = rules.players
    kind = rng.choice(6, (games, p), p=[0.2, 0.25, 0.2, 0.15, 0.1, 0.1])
    five = 5 * rng.integers(0, 40, (games, p))
    top = rules.barrel_at or rules.target
    scores = np.select(
        [kind == 0, kind == 1, kind == 2, kind == 3, kind == 4],
        [np.full((games, p), rules.barrel_at or 900), top - 5 - five, 555 + 120 - five, -555 + 240 - five, 5 * five],
        -five,
    )
    scores = np.where((rng.random((games, 1)) < 0.15) & (scores == rules.barrel_at), 700, scores)
    if rules.lock is not None:
        scores = np.where(kind == 0, rules.lock + 5 * rng.integers(-2, 3, (games, p)), scores)
    found: dict[str, np.ndarray] = {
        "scores": np.minimum(scores, top if rules.barrel_at is not None else top - 1),
        "bolts": rng.integers(0, 3, (games, p)),
        "falls": rng.integers(0, 3, (games, p)),
        "write_offs": rng.integers(0, 6, (games, p)),
        "last_contracts": 5 * rng.integers(20, 66, (games, p)),
        "deals_played": rng.integers(0, 7, games),
    }
    if rules.deals is not None:
        found["deals_played"] %= rules.deals
    on = found["scores"] == rules.barrel_at if rules.barrel_at is not None else np.zeros((games, p), bool)
    found["attempts"] = np.where(on, rng.integers(0, rules.barrel_attempts, (games, p)), 0)
    if rules.golden == "on":
        found["golden_left"] = rng.integers(0, p + 1, games)
        found["golden_made"] = rng.random(games) < 0.3
    return found


def choose(policy: str, batch: Any, rng: np.random.Generator) -> np.ndarray:
    """One legal action a game (-1 for a finished one). int64 [games]."""
    if policy == "random":
        return batch.sample_actions(rng)
    space, mask = action_space(batch.rules), batch.legal_actions()
    weight = rng.random(mask.shape)
    amounts = np.arange(space.amounts)
    if policy != "quit":
        weight[:, space.write_off] -= 0.9
    if policy in ("play", "bold", "meek", "keen"):
        weight[:, space.redeal] -= 0.9
        weight[:, CARDS : space.card_actions] += 0.7  # declare
        weight[:, space.pass_] += 1
    if policy == "bold":  # bids up to the cap, then as high as can be
        weight[:, space.amount :] += 2 + 0.01 * amounts
        weight[:, :CARDS] += 0.2 * (np.arange(CARDS) % 6)
    elif policy == "meek":  # bids and contracts as low as can be; discards low
        weight[:, space.amount :] += 0.5 - 0.01 * amounts
        weight[:, :CARDS] -= 0.2 * (np.arange(CARDS) % 6)
    elif policy == "keen":  # plays to win: tricks, marriages, contracts of 120 with a marriage
        _keen(batch, weight, space)
    elif policy == "claim":
        weight[:, space.redeal] += 0.3
    elif policy == "quit":
        weight[:, space.write_off] += 2
        weight[:, space.amount :] -= 0.01 * amounts
    return np.where(batch.done, -1, np.argmax(np.where(mask, weight, -np.inf), axis=1))


def _keen(batch: Any, weight: np.ndarray, space: Any) -> None:
    """Weights of a policy that makes contracts and ends matches: crude, but it looks at its cards."""
    s, n = batch.state, batch.num_games
    rank = np.tile(np.arange(CARDS) % 6, (n, 1))
    seat = np.maximum(s.player, 0)
    held = s.hands[np.arange(n), seat]
    strong = (queens_of_pairs(held) != 0) | (np.bitwise_count(held & ACES) >= 2)
    amounts = 100 + space.step * np.arange(space.amounts)
    weight[:, space.amount :] = 1.5 - 0.01 * (amounts - 100)
    weight[:, space.pass_] = np.where(strong & (s.price < 120), -1, 3)
    weight[:, space.write_off] = np.where(strong, -3, 1.45)
    suit = np.arange(CARDS) // 6
    trump = suit[None, :] == s.trump[:, None]
    power = np.where(trump, 7 + rank, np.where(suit[None, :] == s.led[:, None], 1 + rank, 0))
    beats = power > (s.code[:, None] >> 3)
    leads = (s.order == 0)[:, None]
    marriage = (held[:, None] >> (6 * suit + 2).astype(np.uint64)) & np.uint64(3) == 3
    inside = marriage & ((rank == 2) | (rank == 3))
    weight[:, :CARDS] = np.where(leads, rank + 3 * trump - 9 * inside, np.where(beats, 20 + rank, -rank - 3 * inside))
    weight[:, CARDS : space.card_actions] = 40 + weight[:, CARDS : space.card_actions]
    give = weight[:, space.give : space.give + CARDS]
    give[:] = -rank - 9.0 * inside + 0.1 * give


class _Deck:
    """The counter-based decks and cuts of one game, as the oracle asks for them."""

    def __init__(self, seed: int, game: int, given: list[int] | None, cards: tuple[int, ...]) -> None:
        self.seed, self.game, self.given, self.cards = seed, game, given, cards
        self.oracle: Oracle | None = None
        self.number = 0

    def deal(self, k: int) -> list[int]:
        number = 0
        if k:
            assert self.oracle is not None
            number = len(self.oracle.history) + (len(self.oracle.redeals) << 40)
        elif self.given is not None:
            return self.given
        deck = deals.shuffle(self.seed, np.array([self.game]), np.array([number]), len(self.cards))[0]
        return [self.cards[place] for place in deck.tolist()]

    def cut(self, k: int, n: int) -> int:
        number = 0
        if k:
            assert self.oracle is not None
            number = len(self.oracle.history) + (len(self.oracle.redeals) << 40)
        keys = deals.stream_keys(self.seed, np.array([self.game]), np.array([number]), deals.CHANCE)
        return int(deals.integers(keys, n, CARDS)[0])


class Tally(Counter[str]):
    """What a comparison has seen: decisions, hands, and how often each rule fired."""


def compare(
    rules: ThousandRules,
    *,
    games: int,
    seed: int,
    episode: str = "hand",
    policy: str = "random",
    context: dict[str, np.ndarray] | None = None,
    given: np.ndarray | None = None,
    reward: str = "points",
    watched: int = 4,
    most_deals: int = 1_000_000,
) -> Tally:
    """Play `games` episodes on both and assert that they agree.

    Args:
        context: reset options of the match, one row a game.
        given: decks of the first hand, int [games, 24]; later ones are counter-based.
        most_deals: matches that have not ended after so many deals are left alone.
        watched: of how many games, drawn anew for every decision, the observation is compared too.
    """
    rng = np.random.default_rng(seed)
    batch = make_batch("thousand", num_games=games, seed=seed, rules=rules, episode=episode, reward=reward)
    dealer = rng.integers(0, rules.players, games)
    options: dict[str, Any] = {"dealer": dealer, **(context or {})}
    if given is not None:
        options["deal"] = given
    batch.reset(seed=seed, options=options)
    oracles: list[Oracle] = []
    nested = oracle_rules(rules)
    for game in range(games):
        deck = _Deck(seed, game, None if given is None else given[game].tolist(), rules.cards)
        values = {name: rows[game].tolist() for name, rows in (context or {}).items()}
        oracle = Oracle.__new__(
            Oracle
        )  # a first deal may be thrown in while the oracle is made: its decks must know it
        deck.oracle = oracle
        oracle.__init__(nested, deck.deal, int(dealer[game]), values, episode, deck.cut)  # type: ignore[misc]
        oracles.append(oracle)
    tally = Tally()
    hands_seen = [0] * games
    before = [list(map(int, row)) for row in batch.state.start_scores]
    actions_of = oracle_actions(rules)
    while True:
        players = batch.current_player.tolist()
        mask = batch.legal_actions()
        live = [g for g in range(games) if players[g] >= 0 and hands_seen[g] < most_deals]
        for g, oracle in enumerate(oracles):
            assert oracle.done == (players[g] < 0), (g, rules.name)
            _compare_match(batch, oracle, g)
            if not oracle.done:
                assert oracle.current_player == players[g], (g, rules.name, oracle.phase)
                table = actions_of[oracle.phase != "auction"]
                mine = {table[a] for a in np.flatnonzero(mask[g]).tolist()}
                legal = oracle.legal()
                assert mine == set(legal), (g, rules.name, oracle.phase, mine, legal)
                assert len(legal) == len(mine)
        if not live:
            break
        if watched and (len(live) > 12 or rng.random() < 0.2):
            check = rng.choice(live, min(len(live), watched), replace=False)
            compare_views(batch, oracles, check, rng)
        actions = np.full(games, -1)
        actions[live] = choose(policy, batch, rng)[live]
        rewards, _ = batch.step(actions)
        tally["decisions"] += len(live)
        report = None
        for g, action in zip(live, actions[live].tolist(), strict=True):
            oracle = oracles[g]
            oracle.step(actions_of[oracle.phase != "auction"][action])
            assert len(oracle.history) - hands_seen[g] in (0, 1)
            if len(oracle.history) > hands_seen[g]:
                hands_seen[g] += 1
                report = report or batch.report()
                _compare_hand(oracle, report, g, tally)
                _compare_reward(oracle, rewards[g], before[g], reward, rules)
                before[g] = [int(x) for x in batch.state.start_scores[g]]
            else:
                assert not rewards[g].any()
    for g, oracle in enumerate(oracles):
        tally["wins"] += oracle.winner is not None
        if watched and g < watched:
            compare_views(batch, oracles, np.array([g]), rng)
    tally["episodes"] += games
    return tally


def _compare_match(batch: Any, oracle: Oracle, g: int) -> None:
    s, match = batch.state, oracle.match
    for name in MATCH:
        assert getattr(s, name)[g].tolist() == list(getattr(match, name)), (g, name, batch.rules.name)
    assert s.barrel[g].tolist() == list(match.barrel)
    assert s.deals_played[g] == match.deals_played
    if oracle.winner is None:
        assert s.golden_left[g] == match.golden_left
        assert s.golden_made[g] == match.golden_made
        assert s.winner[g] == -1
    else:
        assert s.winner[g] == oracle.winner


def _compare_hand(oracle: Oracle, report: dict[str, np.ndarray], g: int, tally: Tally) -> None:
    hand = oracle.history[-1]
    for name in ("dealer", "declarer", "bid", "written_off", "golden", "made"):
        assert report[name][g] == hand[name], (name, g)
    assert report["contract"][g] == (0 if hand["written_off"] else hand["contract"])
    assert report["dark"][g] == (hand["dark_seat"] is not None)
    assert report["points"][g].tolist() == hand["card_points"]
    assert report["marriages"][g].tolist() == hand["marriage_points"]
    assert report["tricks"][g].tolist() == hand["tricks_taken"]
    assert report["entries"][g].tolist() == hand["entries"], (g, hand)
    assert report["fines"][g].tolist() == hand["fines"]
    assert report["scores"][g].tolist() == hand["after"]["scores"]
    happened: set[tuple[str, int]] = set()
    for name, *rest in hand["events"]:
        if name == "golden_reset":
            happened |= {("golden_reset", seat) for seat in range(oracle.players)}
        elif name in EVENTS:
            happened.add((name, rest[0]))
        tally[name] += 1
    bits = report["events"][g].tolist()
    assert happened == {(n, s) for s, word in enumerate(bits) for k, n in enumerate(EVENTS) if word >> k & 1}, (g, hand)
    tally["hands"] += 1
    tally["redeals"] += len(hand["redeals"])
    tally["cut_fines"] += len(hand["cut_fines"])
    for name in ("written_off", "golden", "made"):
        tally[name] += hand[name]
    tally["dark"] += hand["dark_seat"] is not None
    tally["marriages"] += len(hand["marriages"])
    tally["ace_marriages"] += sum(m["kind"] == "aces" for m in hand["marriages"])
    suits = [m["kind"] for m in hand["marriages"] if m["kind"] != "aces"]
    tally["retrumps"] += max(0, len(suits) - 1)
    if oracle.winner is not None:
        assert np.allclose(report["stakes"][g], oracle.payout)


def _compare_reward(oracle: Oracle, paid: np.ndarray, before: list[int], reward: str, rules: ThousandRules) -> None:
    after, p = oracle.history[-1]["after"]["scores"], rules.players
    if reward == "points":
        gains = [a - b for a, b in zip(after, before, strict=True)]
        expected = [(gain - (sum(gains) - gain) / (p - 1)) / 100 for gain in gains]
    elif oracle.winner is None:
        expected = [0.0] * p
    elif reward == "stake":
        assert oracle.payout is not None
        expected = oracle.payout
    else:
        key = [10**9 if seat == oracle.winner else after[seat] for seat in range(p)]
        places = [sorted(key, reverse=True).index(k) + (key.count(k) - 1) / 2 for k in key]
        expected = [1 - 2 * place / (p - 1) for place in places]
    assert np.allclose(paid, expected, atol=1e-4), (paid, expected)


# What a seat sees.


def compare_views(batch: Any, oracles: list[Oracle], check: np.ndarray, rng: np.random.Generator) -> None:
    """Everything in an observation of a random seat equals what the oracle says that this seat knows."""
    p = batch.rules.players
    seats = np.where(
        rng.random(batch.num_games) < 0.5, np.maximum(batch.current_player, 0), rng.integers(0, p, batch.num_games)
    )
    obs = batch.observe(seats)[check]
    parts = _parts(batch.rules)
    for row, g in enumerate(check.tolist()):
        numbers = obs[row].astype(int)
        view = {name: numbers[columns].reshape(shape) for name, columns, shape in parts}
        compare_view(view, oracles[g], int(seats[g]), batch, g)


@lru_cache(maxsize=64)
def _parts(rules: ThousandRules) -> list[tuple[str, slice, tuple[int, ...]]]:
    """The segments to compare: all but the rules themselves."""
    segments = layout(rules).segments.values()
    return [(s.name, s.columns, s.shape) for s in segments if not s.name.startswith("rule_")]


def compare_view(v: dict[str, np.ndarray], oracle: Oracle, seat: int, batch: Any, g: int) -> None:
    rules: ThousandRules = batch.rules
    p = rules.players
    view = oracle.view(seat)
    rel = [(seat + r) % p for r in range(p)]

    def cards(plane: np.ndarray) -> set[int]:
        return set(np.flatnonzero(plane).tolist())

    def who(name: str) -> set[int]:
        return {rel[r] for r in np.flatnonzero(v[name]).tolist()}

    def one(name: str) -> int:
        (number,) = v[name].tolist()
        return number

    def only(other: int | None) -> set[int]:
        return set() if other is None or other < 0 else {other}

    trick, tricks = view["trick"], view["tricks"]
    plays = [play for _, past in tricks for play in past] + trick
    assert cards(v["hand"]) == set(view["hand"] or []), (g, seat, oracle.phase)
    when = np.zeros(CARDS, int)
    for place, (_, card) in enumerate(plays):
        when[card] = place + 1
    assert v["when"].tolist() == when.tolist()
    for r, other in enumerate(rel):
        assert cards(v["played"][r]) == {c for who_, c in plays if who_ == other}
        if r:
            assert cards(v["table"][r - 1]) == {c for who_, c in trick if who_ == other}
    known = view["talon"] if view["talon"] is not None else view["own_talon"]
    assert cards(v["talon"]) == set(known or []), (g, seat)
    for k in range(2):
        public = view["passes"][k][2] if k < len(view["passes"]) else None
        full = oracle.deal.passes[k] if k < len(oracle.deal.passes) else None
        mine = full[2] if full in view["own_passes"] and full is not None else None
        card = public if public is not None else mine
        assert cards(v["gave"][k]) == only(card)
    said = {(s, a) for s, a in view["bids"] if a}
    step = rules.auction_step
    assert said == {(rel[r], 100 + step * int(k)) for r, k in np.argwhere(v["said"])}
    silent = set(oracle.deal.silent)
    assert who("passed") - silent == {s for s, a in view["bids"] if a == 0} - silent
    assert who("declarer") == only(view["declarer"])
    assert who("dealer") == {view["dealer"]}
    assert who("dark") == only(view["dark_seat"])
    assert who("barrel") == {s for s in range(p) if view["barrel"][s]}
    assert who("fined") == set(view["cut_fines"])
    assert who("trump_owner") == only(view["trump_owner"])
    assert cards(v["trump"]) == only(view["trump"])
    assert cards(v["led"]) == ({trick[0][1] // 6} if trick else set())
    assert bool(one("talon_shown")) == (view["talon"] is not None)
    assert one("second_talon") == (view["talon_index"] == 1)
    married = {(m["seat"], 4 if m["kind"] == "aces" else m["kind"]) for m in view["marriages"]}
    assert {(rel[r], int(suit)) for suit, r in np.argwhere(v["married"])} == married
    if not oracle.done:
        assert who("to_act") == only(view["current_player"]), (g, seat, oracle.phase)
        phase = (
            "dark",
            "hand_redeal",
            "info",
            "auction",
            "talon",
            "talon_redeal",
            "contract",
            "give",
            "pass_redeal",
            "play",
        )
        assert cards(v["phase"]) == {phase.index(view["phase"])}
        playing = view["phase"] == "play"
        assert who("leader") == ({trick[0][0] if trick else view["current_player"]} if playing else set())
        assert who("winning") == ({trick_winner(trick, view["trump"])} if trick else set())
        assert one("golden_left") == view["golden_left"]
        assert one("golden_made") == view["golden_made"]
        assert one("deals_played") == min(255, view["deals_played"])
    _compare_voids(v, oracle, rel, plays)
    assert one("trick_points") == card_points([c for _, c in trick])
    assert one("cards_on_table") == len(trick)
    assert one("trick_number") == len(tricks)
    assert one("given") == len(view["passes"])
    price = max([a for _, a in view["bids"]], default=0)
    assert one("bid") * 5 == (view["bid"] or price)
    assert one("contract") * 5 == view["contract"]
    assert one("redeals") == len(view["redeals"])
    for r, other in enumerate(rel):
        sheet = v["sheet"][r].tolist()
        score = min(max(view["scores"][other], -2048), 2047)
        goal = rules.target if view["barrel"][other] or rules.barrel_at is None else rules.barrel_at
        assert 16 * sheet[0] + sheet[1] - 2048 == score
        assert sheet[2] == min(max(goal - view["scores"][other], 0), 255)
        for k, name in ((3, "bolts"), (4, "attempts"), (5, "falls"), (6, "write_offs")):
            assert sheet[k] == view[name][other], name
        assert sheet[7] * 5 == view["last_contracts"][other]
        assert sheet[8] == view["card_points"][other]
        assert sheet[9] == sum(winner == other for winner, _ in tricks)
        assert sheet[10] * 10 == sum(m["value"] for m in view["marriages"] if m["seat"] == other)
        assert sheet[11] * 5 == max([a for s, a in view["bids"] if s == other], default=0)
    # a seat knows the number that it named, also where it may not see the card yet (T-INFO-01)
    named = oracle._deal_as_seen(seat).info_cards.get(seat, -1) if rules.info_bonus == "talon_card" else -1
    _compare_bonus(v, view, rules, rel, named)


def _compare_voids(v: dict[str, np.ndarray], oracle: Oracle, rel: list[int], plays: list[tuple[int, int]]) -> None:
    """Who does not follow is void in the suit led; what is shown never contradicts the hands."""
    shown = {(rel[r], int(suit)) for suit, r in np.argwhere(v["void"])}
    hands = oracle.deal.hands
    for other, suit in shown:
        assert not any(card // 6 == suit for card in hands[other])
    size = len(oracle.deal.active)
    for start in range(0, len(plays), size):
        led = plays[start][1] // 6
        for other, card in plays[start + 1 : start + size]:
            assert card // 6 == led or (other, led) in shown


def _compare_bonus(
    v: dict[str, np.ndarray], view: dict[str, Any], rules: ThousandRules, rel: list[int], named: int
) -> None:
    bonus, size = view["bonus"], rules.talon_size
    if rules.info_bonus == "opponents":
        for r, other in enumerate(rel[1:]):
            assert set(np.flatnonzero(v["bonus_hands"][r]).tolist()) == set((bonus or {}).get(other, []))
    elif rules.info_bonus == "talon_suits":
        assert v["bonus_suits"].tolist() == [suit + 1 for suit in bonus or []] or (
            not v["bonus_suits"].any() and not bonus
        )
    elif rules.info_bonus in ("talon", "talon_card"):
        found = [set(np.flatnonzero(v["bonus_talons"][k]).tolist()) for k in range(2)]
        if rules.info_bonus == "talon":
            stock = bonus or []
            assert found == [set(stock[:size]), set(stock[size:])]
        else:
            index, card = bonus or (-1, None)
            assert v["own_info"].tolist() == [named + 1]
            assert index in (named, -1)
            assert found[0] | found[1] == (set() if card is None else {card})
            assert card is None or card in found[index // size]
