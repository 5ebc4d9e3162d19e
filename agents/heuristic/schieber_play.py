"""Card play of the Schieber heuristic: each legal card gets a value from what it does, the highest is played.

The value is a weighted sum of named features (`schieber_weights` says what each means and weighs). Leading a card and
adding one to a trick have different features, contracts with and without trump different weights.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...envs.core.layout import ObsLayout
from ...envs.schieber.rules import SchieberRules
from ..base import I64, U8, Bools
from .schieber_position import (
    NEXT,
    PARTNER,
    PREVIOUS,
    SLOT,
    TRUMP_NINE,
    TRUMP_UNDER,
    Floats,
    Position,
    above,
    by_suit_sum,
)
from .schieber_weights import FOLLOW, LEAD

Features = Iterator[tuple[str, Floats]]

#: Chance that a partner who can ruff for the trick does so.
PARTNER_RUFFS = np.float32(0.7)
#: Decisions weighed at once: their arrays stay in the processor's cache.
BLOCK = 1024
HEIGHT: Floats = np.arange(9, dtype=np.float32) / 8


def choose_cards(obs: U8, mask: Bools, layout: ObsLayout, points: Floats, rules: SchieberRules) -> I64:
    """The card to play in each row: uint8 [n, D], bool [n, 43], `ordered_points` → int64 [n]."""
    cards = np.zeros(len(obs), np.int64)
    leads = layout.view(obs, "cards_on_table")[:, 0] == 0
    for kind, weights, rows in ((Lead, LEAD, np.flatnonzero(leads)), (Follow, FOLLOW, np.flatnonzero(~leads))):
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            position = Position(obs[block], layout, points, rules)
            value = card_values(kind(position), weights)
            legal = np.take_along_axis(mask[block], position.order, axis=1)
            best = np.where(legal, value, -np.inf).argmax(axis=1)
            cards[block] = np.take_along_axis(position.order, best[:, None], axis=1)[:, 0]
    return cards


def card_values(play: Lead | Follow, weights: dict[str, tuple[float, float]]) -> Floats:
    """The value of every card, legal or not, in contract order. float32 [n, 36]."""
    plain = 1 - play.p.trump.astype(np.int64)  # column of the weights
    value, term = np.zeros_like(play.p.mine), np.empty_like(play.p.mine)
    for name, feature in play.features():
        weight = np.array(weights[name], np.float32).take(plain)
        value += np.multiply(feature, weight[:, None, None], out=term)
    return value.reshape(-1, 36)


class Play:
    """What leading and following have in common. Arrays are float32 [n, 4, 9] unless said otherwise.

    Attributes:
        p: the position. is_trump: 1 for trumps. plain: 1 for other cards.
        sure: 1 for cards above all unseen cards of their suit.
        master: chance that neither opponent holds a higher card of the suit.
        winners: [n], own sure cards. opposing_trumps: [n], expected trumps of the opponents.
        mine_declares, ours_declare: [n], 1 if one declares oneself; if one's own side does.
        left: [n, 1, 1], share of tricks left.
    """

    def __init__(self, p: Position) -> None:
        self.p = p
        self.is_trump = np.zeros_like(p.mine)
        self.is_trump[:, 0] = p.trump[:, None]
        self.plain = 1 - self.is_trump
        self.sure = (above(p.unseen) == 0).astype(np.float32)
        self.master = p.none_above[NEXT] * p.none_above[PREVIOUS]
        self.winners = by_suit_sum(p.mine * self.sure).sum(axis=1)
        self.opposing_trumps = (p.where[NEXT][:, 0] + p.where[PREVIOUS][:, 0]).sum(axis=1) * p.trump
        self.left = wide(p.tricks_left / 9)
        declarer = p.segment("declarer").astype(np.float32)
        self.mine_declares, self.ours_declare = declarer[:, 0], declarer[:, 0] + declarer[:, 2]

    def trick_features(self, win: Floats) -> Features:
        """Features of the trick, given the chance to win it."""
        p = self.p
        gain = (2 * win - 1) * (p.points + wide(p.table_points))
        yield "win_points", gain
        yield "settled_points", gain * ((win > 0.97) | (win < 0.03))
        yield "win", win
        # the match bonus (J-PTS-05), for a side that has taken every trick so far
        done = 9 - p.tricks_left
        chance = p.rules.match_bonus / 100 * (done / 9) ** 2 * (p.number("own_tricks") == done)
        yield "sweep", win * wide(chance)

    def card_features(self) -> Features:
        """Features of the card that leaves the hand."""
        yield "points", self.p.points
        yield "master_left", self.master * self.plain * self.left
        yield "sure", self.sure * self.plain
        yield "sure_trump", self.sure * self.is_trump
        yield "trump", self.is_trump
        yield "under", self._one_trump(TRUMP_UNDER)
        yield "nine", self._one_trump(TRUMP_NINE)
        yield "height", self.plain * HEIGHT

    def _one_trump(self, place: int) -> Floats:
        card = np.zeros_like(self.is_trump)
        card[:, 0, place] = self.p.trump
        return card


class Lead(Play):
    """Leading to a trick."""

    def win_chance(self) -> Floats:
        """Chance that the trick goes to one's own side, the partner doing what he can."""
        p = self.p
        partner_top = p.where[PARTNER] * p.none_above[PARTNER] * self.master
        in_suit = above(partner_top) + self.master * p.none_above[PARTNER]
        not_ruffed = 1 - p.may_ruff(NEXT)
        not_ruffed *= 1 - p.may_ruff(PREVIOUS)
        plain = in_suit * not_ruffed[:, :, None]
        plain += (1 - plain) * (PARTNER_RUFFS * p.may_ruff(PARTNER) * not_ruffed)[:, :, None]
        return np.minimum(np.where(self.is_trump > 0, in_suit, plain), 1)

    def features(self) -> Features:
        p, trump, plain, sure = self.p, self.is_trump, self.plain, self.sure
        opposing = self.opposing_trumps
        yield from self.trick_features(self.win_chance())
        yield from self.card_features()
        # trumps
        yield "draw", trump * wide(opposing)
        yield "draw_ours", trump * wide(opposing * self.ours_declare)
        yield "draw_mine", trump * wide(opposing * self.mine_declares)
        yield "draw_length", trump * wide(opposing * p.length[:, 0])
        yield "trump_length", trump * wide(p.length[:, 0])
        yield "trump_run", trump * sure * np.minimum(count(p.mine * sure), 3)
        yield "dry", trump * wide(opposing < 0.1)
        yield "strip_partner", trump * wide(p.where[PARTNER][:, 0].sum(axis=1))
        # plain suits
        ruffed = 1 - (1 - p.may_ruff(NEXT)) * (1 - p.may_ruff(PREVIOUS))
        yield "ruffed", plain * ruffed[:, :, None]
        yield "sure_danger", plain * sure * wide(np.minimum(opposing, 3))
        yield "partner_ruffs", plain * p.may_ruff(PARTNER)[:, :, None]
        yield "partner_top", plain * above(p.where[PARTNER] * p.none_above[PARTNER] * self.master)
        yield "partner_led", plain * led_by_partner(p)[:, :, None]
        yield "length", plain * p.length[:, :, None]
        own_above = above(p.mine)
        yield "under_own", plain * (own_above > 0)
        yield "under_own_top", plain * (above(p.mine * sure) > 0)
        yield "run", plain * sure * np.minimum(count(p.mine * sure), 3)
        yield "develop", plain * (1 - sure) * wide(self.winners)


class Follow(Play):
    """Adding a card to a trick.

    Attributes beside those of Play (by row unless said otherwise):
        led: int64, slot of the suit led. best: int64, place 0..35 of the winning card in contract order.
        partner_wins, next_plays, partner_plays: 1 if the partner's card wins so far; if that seat is still to play.
        ruffed: 1 if a plain lead is won by a trump so far. ruffable: 1 if a plain suit is led and there are trumps.
        beats: [n, 4, 9], 1 for cards that beat the winning card.
    """

    def __init__(self, p: Position) -> None:
        super().__init__(p)
        rows = np.arange(len(p.trump))
        self.led = SLOT[p.contract, p.segment("led").argmax(axis=1)]
        winner = p.segment("winning").argmax(axis=1)
        table = p.segment("table")[rows, winner - 1]
        self.best = np.take_along_axis(table, p.order, axis=1).argmax(axis=1)
        self.partner_wins = (winner == PARTNER).astype(np.float32)
        self.next_plays = (p.placed < 3).astype(np.float32)
        self.partner_plays = (p.placed < 2).astype(np.float32)
        self.ruffable = p.trump * (self.led != 0)
        self.ruffed = self.ruffable * (self.best < 9)
        place, best = np.arange(36), self.best[:, None]
        higher = (place // 9 == best // 9) & (place > best)
        ruffs = (place < 9) & (p.trump > 0)[:, None] & (best >= 9)
        self.beats = (higher | ruffs).reshape(-1, 4, 9).astype(np.float32)

    def _of_led(self, suits: Floats) -> Floats:
        """The entry of the suit led: [n, 4] → [n]."""
        return np.take_along_axis(suits, self.led[:, None], axis=1)[:, 0]

    def _of_best(self, cards: Floats) -> Floats:
        """The entry of the winning card: [n, 4, 9] → [n]."""
        return np.take_along_axis(cards.reshape(-1, 36), self.best[:, None], axis=1)[:, 0]

    def win_chance(self) -> Floats:
        """Chance that the trick goes to one's own side."""
        p = self.p
        next_void, partner_void = self._of_led(p.void[NEXT]), self._of_led(p.void[PARTNER])
        not_ruffed = 1 - self.next_plays * next_void * p.armed[NEXT] * self.ruffable
        partner_ruffs = PARTNER_RUFFS * self.partner_plays * partner_void * p.armed[PARTNER] * self.ruffable
        partner_ruffs *= not_ruffed
        # in one suit: the next seat has nothing higher, or the partner has something higher still
        alone = 1 - wide(self.next_plays) * (1 - p.none_above[NEXT])
        partner_none = 1 - wide(self.partner_plays) * (1 - p.none_above[PARTNER])
        rescue = above(wide(self.partner_plays) * p.where[PARTNER] * p.none_above[PARTNER] * alone)
        # a card that wins so far: of the suit led, or a ruff, which only a seat out of that suit may overruff
        takes = (rescue + alone * partner_none) * wide(not_ruffed)
        takes += (1 - takes) * wide(partner_ruffs)
        overruff = wide(self.next_plays * next_void) * (1 - p.none_above[NEXT])
        takes = np.where(self.is_trump * wide(self.ruffable) > 0, 1 - overruff, takes)
        # another card: the fate of the card that wins so far, if it is the partner's or theirs
        safe = np.where(
            self.ruffed > 0,
            1 - self.next_plays * next_void * (1 - self._of_best(p.none_above[NEXT])),
            self._of_best(alone) * not_ruffed,
        )
        rescued = self._of_best(rescue)
        in_suit = rescued * not_ruffed
        rescued = np.where(self.ruffed > 0, rescued * partner_void, in_suit + (1 - in_suit) * partner_ruffs)
        leaves = np.where(self.partner_wins > 0, safe, rescued)
        return np.minimum(np.where(self.beats > 0, takes, wide(leaves)), 1)

    def features(self) -> Features:
        p, sure, beats = self.p, self.sure, self.beats
        win = self.win_chance()
        yield from self.trick_features(win)
        average = by_suit_sum(p.unseen * p.points).sum(axis=1) / np.maximum(by_suit_sum(p.unseen).sum(axis=1), 1)
        yield "win_later", (2 * win - 1) * wide(average * (3 - p.placed))
        yield from self.card_features()
        # taking the trick
        take = beats * win
        yield "take", take
        yield "take_run", take * np.minimum(wide(self.winners) - sure, 4)
        yield "sure_win", take * sure
        yield "overtake", beats * wide(self.partner_wins)
        # ruffing
        is_led = (np.arange(4) == self.led[:, None])[:, :, None]
        ruff = self.is_trump * ~is_led
        yield "ruff", ruff
        yield "ruff_left", ruff * self.left
        yield "ruff_length", ruff * wide(p.length[:, 0])
        yield "ruff_ours", ruff * wide(self.ours_declare)
        yield "ruff_dry", ruff * wide(self.opposing_trumps < 0.1)
        yield "ruff_height", ruff * HEIGHT
        yield "trump_height", self.is_trump * HEIGHT


def wide(rows: np.ndarray) -> np.ndarray:
    """One value a row, to be combined with cards: [n] → [n, 1, 1]."""
    return rows[:, None, None]


def count(cards: Floats) -> Floats:
    """Sum over each suit. [n, 4, 9] → [n, 4, 1]."""
    return by_suit_sum(cards)[:, :, None]


def led_by_partner(p: Position) -> Floats:
    """1 for suits that the partner has led before this trick. [n, 4] in contract order."""
    when = p.segment("when")
    leads = (when & 3 == 1) & (when <= 4 * (9 - p.tricks_left)[:, None])  # each trick is four places long
    cards = (leads & p.segment("played")[:, PARTNER]).reshape(-1, 4, 9)
    return p.by_suit(by_suit_sum(cards)).clip(0, 1).astype(np.float32)
