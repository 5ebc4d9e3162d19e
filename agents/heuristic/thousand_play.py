"""Card play of the Thousand heuristic: each legal card gets a value from what it does, the highest is played.

The value is a weighted sum of named features (`thousand_weights` says what each means and weighs). Leading and
adding a card to a trick have different features; the declarer and the defenders different weights, with and without
trump. A declaration is the lead of its card with the suit as trump, and what the marriage brings.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...envs.core.layout import ObsLayout
from ...envs.thousand.rules import ThousandRules
from ...envs.thousand.tables import ACE, CARDS, JACK, KING, NUM_RANKS, QUEEN, TEN, declare_cards
from ..base import I64, U8, Bools
from .thousand_position import Floats, Other, Position, above, suit_sum, wide
from .thousand_weights import FOLLOW, LEAD, Weights

Features = Iterator[tuple[str, Floats]]

#: Decisions weighed at once: their arrays stay in the processor's cache.
BLOCK = 1024
#: Points that a seat still to play adds to a trick, about.
LATER_POINTS = np.float32(5)


def choose_cards(obs: U8, mask: Bools, layout: ObsLayout, rules: ThousandRules) -> I64:
    """The action of each row: uint8 [n, D], bool [n, num_actions] → int64 [n]."""
    actions = np.zeros(len(obs), np.int64)
    leads = layout.view(obs, "cards_on_table")[:, 0] == 0
    for lead, rows in ((True, np.flatnonzero(leads)), (False, np.flatnonzero(~leads))):
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            position = Position(obs[block], layout, rules)
            legal, action = card_actions(mask[block], rules)
            values = action_values(position, lead, bool(legal[:, CARDS:].any()))
            best = np.where(legal[:, : values.shape[1]], values, -np.inf).argmax(axis=1)
            actions[block] = action[best]
    return actions


def card_actions(mask: Bools, rules: ThousandRules) -> tuple[Bools, I64]:
    """Legal plays, cards silently and then declared, bool [n, 48], and the action of each, int64 [48]."""
    declared = declare_cards(rules)
    action = np.zeros(2 * CARDS, np.int64)
    action[:CARDS] = np.arange(CARDS)
    action[CARDS + np.array(declared)] = CARDS + np.arange(len(declared))
    legal = np.zeros((len(mask), 2 * CARDS), np.bool_)
    legal[:, :CARDS] = mask[:, :CARDS]
    legal[:, CARDS + np.array(declared)] = mask[:, CARDS : CARDS + len(declared)]
    return legal, action


def action_values(p: Position, lead: bool, declaring: bool) -> Floats:
    """Values of all cards, legal or not, played silently and, if asked for, declared. float32 [n, 24 or 48]."""
    weights = LEAD if lead else FOLLOW
    column = situation(p)
    values: list[Floats] = []
    for declared in (False, True) if declaring else (False,):
        play = Lead(p, declared) if lead else Follow(p, declared)
        value, term = np.zeros_like(p.mine), np.empty_like(p.mine)
        for name, feature in play.features():
            value += np.multiply(feature, weight(weights, name).take(column)[:, None, None], out=term)
        values.append(value.reshape(len(column), CARDS))
    return np.concatenate(values, axis=1)


def situation(p: Position) -> I64:
    """Column of the weights: declarer without and with trump, defender without and with. int64 [n]."""
    return (2 * (1 - p.declares) + p.has_trump).astype(np.int64)


def weight(weights: Weights, name: str) -> Floats:
    return np.array(weights[name], np.float32)


class Play:
    """What leading and following have in common. Arrays are float32 [n, 4, 6] unless said otherwise.

    Attributes:
        p: the position. declared: whether the cards are declared, each making its suit trump.
        is_trump, plain: 1 for trumps, for other cards.
        sure: 1 for cards above all unseen cards of their suit.
        winners: [n], own sure cards of plain suits and trump.
        pending: [n], value in hundreds of the best marriage in hand. tricks_share: [n, 1, 1], share of tricks left.
    """

    def __init__(self, p: Position, declared: bool) -> None:
        self.p, self.declared = p, declared
        trump = np.ones_like(p.trump) if declared else p.trump
        self.is_trump = np.broadcast_to(trump[:, :, None], p.mine.shape)
        self.plain = 1 - self.is_trump
        self.sure = (above(p.unseen) == 0).astype(np.float32)
        self.winners = (p.mine * self.sure).sum(axis=(1, 2))
        self.pending = (p.pairs * p.pair_values).max(axis=1)
        self.tricks_share = wide(p.tricks_left / p.rules.tricks)

    def first_trick(self, win: Floats) -> Features:
        """A first trick spares the seat a bolt, and lets it declare (T-BOLT-01, T-MAR-03)."""
        p = self.p
        none = (p.tricks == 0).astype(np.float32)
        yield "no_bolt", win * wide(none)
        yield "no_fine", win * wide(none * (p.bolts >= 2))
        yield "entry", win * wide(self.pending * (1 - p.may_declare))
        yield "keeps_lead", win * wide(self.pending * p.may_declare)
        yield "win_run", win * wide(np.minimum(self.winners, 4))

    def card_features(self) -> Features:
        """Features of the card that leaves the hand."""
        p, plain, trump = self.p, self.plain, self.is_trump
        for name, rank in (("ace", ACE), ("ten", TEN), ("king", KING), ("queen", QUEEN), ("jack", JACK)):
            yield name, one_rank(plain, rank)
            yield f"trump_{name}", one_rank(trump, rank)
        yield "sure", self.sure * plain
        yield "sure_left", self.sure * plain * self.tricks_share
        yield "trump", trump
        yield "trump_sure", trump * self.sure
        yield "trump_length", trump * p.length[:, :, None]
        yield "length", plain * p.length[:, :, None]
        yield "single", plain * (p.length == 1)[:, :, None]
        yield "suit_left", plain * p.left[:, :, None]
        pair = np.zeros_like(p.mine)
        pair[:, :, QUEEN : KING + 1] = (p.pairs * p.pair_values)[:, :, None]
        if not self.declared:
            yield "break_pair", pair
            yield "break_pair_left", pair * self.tricks_share
        # a ten that loses its guard
        bare_ten = (p.mine[:, :, TEN] * p.unseen[:, :, ACE] * (p.length == 2))[:, :, None]
        yield "unguard", plain * bare_ten * UNDER_TEN
        yield "under_sure", plain * (above(p.mine * self.sure) > 0)
        yield "under_own", plain * (above(p.mine) > 0)

    def declare_features(self) -> Features:
        """What a declaration brings, beside the lead of a trump."""
        if not self.declared:
            return
        p = self.p
        pairs = np.broadcast_to((p.pairs * p.pair_values)[:, :, None], p.mine.shape)
        value = pairs.copy()
        value[:, :, ACE] = p.rules.ace_marriage_value / 100  # T-ACE
        yield "declare", np.ones_like(value)
        yield "declare_value", value
        yield "declare_reaches", (value * 100 >= wide(p.needs)) * wide(p.needs > 0)
        yield "declare_over_mine", np.broadcast_to(wide(p.my_trump), value.shape)
        yield "declare_over_theirs", np.broadcast_to(wide(p.has_trump - p.my_trump), value.shape)
        yield "declare_length", np.broadcast_to(p.length[:, :, None], value.shape)
        others = ((p.pairs * p.pair_values).sum(axis=1)[:, None, None] - pairs) * self.tricks_share
        yield "declare_others", others


UNDER_TEN: Floats = (np.arange(NUM_RANKS) < TEN).astype(np.float32)


def one_rank(cards: Floats, rank: int) -> Floats:
    """The given cards of one rank."""
    only = np.zeros_like(cards)
    only[:, :, rank] = cards[:, :, rank]
    return only


class Lead(Play):
    """Leading to a trick."""

    def loses_to(self, seat: Other) -> Floats:
        """Chance that a seat can beat a card that is led: with a higher one, or by ruffing."""
        beaten = 1 - seat.none_above
        ruffed = seat.ruffs[:, :, None] * self.plain
        return beaten + (1 - beaten) * ruffed

    def features(self) -> Features:
        p, trump, plain = self.p, self.is_trump, self.plain
        by_a, by_b = self.loses_to(p.a), self.loses_to(p.b)
        win = (1 - by_a) * (1 - by_b)
        declarer = by_a * wide(p.a.declares) + by_b * wide(p.b.declares)
        points = p.points
        yield "win", win
        yield "win_points", win * points
        yield "lost_points", (1 - win) * points
        yield "declarer", declarer
        yield "declarer_points", declarer * points
        yield "declarer_sure", declarer * (self.sure > 0)
        yield from self.first_trick(win)
        yield from self.card_features()
        # trumps
        draw = suit_sum(p.a.where + p.b.where)[:, :, None]
        yield "draw", trump * draw
        yield "draw_length", trump * draw * p.length[:, :, None]
        yield "draw_mine", trump * draw * wide(p.my_trump)
        yield "dry", trump * (draw < 0.1)
        ruffs = 1 - (1 - p.a.ruffs) * (1 - p.b.ruffs)
        yield "ruffed", plain * ruffs[:, :, None]
        yield "ruffed_points", plain * ruffs[:, :, None] * points
        # plain suits
        yield "length_sure", plain * self.sure * p.length[:, :, None]
        yield "run", plain * self.sure * suit_sum(p.mine * self.sure)[:, :, None]
        yield "develop", plain * (1 - self.sure) * wide(self.winners)
        own_pair = np.broadcast_to((p.pairs * p.pair_values)[:, :, None], plain.shape)
        yield "pair_suit", plain * own_pair
        yield from self.declare_features()


class Follow(Play):
    """Adding a card to a trick.

    Attributes beside those of Play:
        led: int64 [n], suit led. best: int64 [n], the winning card so far.
        beats: [n, 4, 6], 1 for cards that beat it. declarer_wins: [n], 1 if it is the declarer's.
    """

    def __init__(self, p: Position, declared: bool) -> None:
        super().__init__(p, declared)
        self.led = p.segment("led").argmax(axis=1)
        winner = p.segment("winning").argmax(axis=1)
        table = p.segment("table")[p.rows, np.maximum(winner - 1, 0)]
        self.best = table.argmax(axis=1)
        self.declarer_wins = p.of_seat("declarer", winner)
        suit, rank = self.best // NUM_RANKS, self.best % NUM_RANKS
        same = np.arange(4)[None, :] == suit[:, None]
        higher = same[:, :, None] & (np.arange(NUM_RANKS) > rank[:, None])[:, None, :]
        best_trump = p.trump[p.rows, suit]
        ruffs = p.trump * (1 - best_trump)[:, None]
        self.beats = np.maximum(higher, ruffs[:, :, None]).astype(np.float32)

    def a_beats(self) -> tuple[Floats, Floats]:
        """Chance that A, if still to play, beats each card that wins so far; and the card that does now, [n]."""
        p = self.p
        rows, led = p.rows, self.led
        led_trump = p.trump[rows, led]
        void, ruffs = p.a.void[rows, led], p.a.ruffs[rows, led]
        higher = 1 - p.a.none_above
        in_led = higher + (1 - higher) * wide(ruffs)
        over = higher * wide(void)  # a ruff is beaten by a higher ruff
        ruffing = self.is_trump * wide(1 - led_trump)
        beaten = np.where(ruffing > 0, over, in_led) * wide(p.a.plays)
        return beaten, beaten.reshape(len(rows), CARDS)[rows, self.best]

    def features(self) -> Features:
        p, beats = self.p, self.beats
        beaten, now = self.a_beats()
        win = beats * (1 - beaten)
        by_a = beats * beaten + (1 - beats) * wide(now)
        stays = (1 - beats) * wide(1 - now)
        declarer = by_a * wide(p.a.declares) + stays * wide(self.declarer_wins)
        points = p.points + wide(p.table_points)
        later = wide(p.a.plays) * LATER_POINTS
        yield "win", win
        yield "win_points", win * (points + later)
        yield "lost_points", (1 - win) * points
        yield "declarer", declarer
        yield "declarer_points", declarer * (points + later)
        settled = (win > 0.97) | (declarer > 0.97)
        yield "settled_points", (win - declarer) * points * settled
        yield from self.first_trick(win)
        yield from self.card_features()
        yield "points", np.broadcast_to(p.points, win.shape)
        yield "win_sure", win * self.sure
        yield "overtakes_friend", beats * wide((1 - self.declarer_wins) * (1 - p.declares))
        is_led = (np.arange(4) == self.led[:, None])[:, :, None]
        ruff = self.is_trump * ~is_led
        yield "ruff", ruff
        yield "ruff_length", ruff * p.length[:, :, None]
        yield "ruff_left", ruff * self.tricks_share
        yield from self.declare_features()
