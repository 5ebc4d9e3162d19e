"""Card play of the Schieber heuristic: a weighted sum of what a card does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .schieber_position import F32, NEXT, PARTNER, PREVIOUS, SLOT, TRUMP_NINE, TRUMP_UNDER, Bools, I64, Position, _above

Feature = tuple[str, F32]


class Lead:
    """Features of leading a card."""

    def __init__(self, p: Position) -> None:
        self.p = p

    def win_chance(self) -> F32:
        """Chance that the trick goes to one's own side, the partner playing to win if need be. [n, 4, 9]."""
        p = self.p
        alone = p.none_above[NEXT] * p.none_above[PREVIOUS]
        partner_top = p.where[PARTNER] * p.none_above[PARTNER] * alone
        chance = _above(partner_top) + alone * p.none_above[PARTNER]
        plain = chance.copy()
        ruffs = 1 - self.ruffed()
        partner = p.void[PARTNER] * p.armed[PARTNER][:, None]
        plain *= ruffs[:, :, None]
        plain += (1 - plain) * (0.7 * partner * ruffs)[:, :, None]
        plain[:, 0] = np.where(p.trump[:, None] > 0, chance[:, 0], plain[:, 0])
        return np.minimum(plain, 1)

    def ruffed(self) -> F32:
        """Chance that an opponent is out of the suit and has a trump. [n, 4]."""
        p = self.p
        one = p.void[NEXT] * p.armed[NEXT][:, None]
        other = p.void[PREVIOUS] * p.armed[PREVIOUS][:, None]
        return 1 - (1 - one) * (1 - other)

    def features(self) -> Iterator[Feature]:
        p = self.p
        n = len(p.trump)
        trump = np.zeros((n, 4, 9), np.float32)
        trump[:, 0] = p.trump[:, None]
        plain = 1 - trump
        win = self.win_chance()
        net = 2 * win - 1
        last = (p.tricks_left == 1).astype(np.float32)
        average = (p.unseen * p.points).sum(axis=(1, 2)) / np.maximum(p.unseen.sum(axis=(1, 2)), 1)
        left = (p.tricks_left / 9)[:, None, None]
        yield "win_points", net * (p.points + p.table_points[:, None, None])
        settled = (win > 0.97) | (win < 0.03)
        yield "settled_points", net * settled * (p.points + p.table_points[:, None, None])
        yield "win_later", net * (average * 3)[:, None, None]
        yield "win", win
        yield "win_left", win * left
        yield "points", p.points
        yield "points_left", p.points * left
        master = p.none_above[NEXT] * p.none_above[PREVIOUS]
        sure = (_above(p.unseen) == 0).astype(np.float32)
        yield "master", master * plain
        yield "master_left", master * plain * left
        yield "sure", sure * plain
        yield "sure_trump", sure * trump
        yield "trump", trump
        under, nine = np.zeros_like(trump), np.zeros_like(trump)
        under[:, 0, TRUMP_UNDER] = p.trump
        nine[:, 0, TRUMP_NINE] = p.trump
        yield "under", under
        yield "nine", nine
        opponents = (p.where[NEXT][:, 0].sum(axis=1) + p.where[PREVIOUS][:, 0].sum(axis=1)) * p.trump
        partner = p.where[PARTNER][:, 0].sum(axis=1) * p.trump
        declarer = p.segment("declarer").astype(np.float32)
        ours = declarer[:, 0] + declarer[:, 2]
        yield "draw", trump * opponents[:, None, None]
        yield "draw_ours", trump * (opponents * ours)[:, None, None]
        yield "draw_mine", trump * (opponents * declarer[:, 0])[:, None, None]
        yield "trump_ours", trump * ours[:, None, None]
        yield "trump_mine", trump * declarer[:, 0][:, None, None]
        yield "draw_length", trump * (opponents * p.length[:, 0])[:, None, None]
        yield "trump_length", trump * p.length[:, 0][:, None, None]
        yield "draw_sure", trump * sure * opponents[:, None, None]
        yield "dry", trump * (opponents < 0.1)[:, None, None]
        yield "strip_partner", trump * partner[:, None, None]
        yield "ruffed", plain * self.ruffed()[:, :, None]
        yield "partner_ruffs", plain * (p.void[PARTNER] * p.armed[PARTNER][:, None])[:, :, None]
        led = _led_suits(p)
        yield "partner_led", plain * led[PARTNER][:, :, None]
        yield "own_led", plain * led[0][:, :, None]
        yield "their_led", plain * np.minimum(led[NEXT] + led[PREVIOUS], 1)[:, :, None]
        yield "length", plain * p.length[:, :, None]
        single = plain * (p.length == 1)[:, :, None]
        yield "single", single
        yield "single_armed", single * (p.length[:, 0] * p.trump > 0)[:, None, None]
        yield "height", plain * (np.arange(9, dtype=np.float32) / 8)
        yield "trump_height", trump * (np.arange(9, dtype=np.float32) / 8)
        beaten = (p.where[PARTNER] * p.none_above[PARTNER] * master)
        yield "partner_top", plain * _above(beaten)
        guard = _above(p.mine) * plain  # cards left above it
        yield "under_own_top", plain * (_above(p.mine * sure) > 0)
        yield "under_own", plain * (guard > 0)
        yield "run", plain * np.minimum(_sum_suit(p.mine * sure), 3) * sure
        yield "trump_run", trump * np.minimum(_sum_suit(p.mine * sure), 3) * sure
        unseen_above = _above(p.unseen)
        second = (unseen_above == 1) * plain
        yield "second", second
        yield "forces", second * (p.length[:, :, None] - 1) * (guard == 0)
        entries = (p.mine * sure).sum(axis=(1, 2))[:, None, None]
        yield "develop", plain * (1 - sure) * entries
        yield "develop_low", plain * (1 - sure) * (guard > 0) * entries
        yield "certain", (win > 0.97).astype(np.float32)
        yield "sure_danger", sure * plain * np.minimum(opponents, 3)[:, None, None]
        yield from _sweep(p, win)


class Follow:
    """Features of adding a card to a trick."""

    def __init__(self, p: Position) -> None:
        self.p = p
        n = len(p.trump)
        rows = np.arange(n)
        self.led = SLOT[p.contract, p.segment("led").argmax(axis=1)]
        winner = p.segment("winning").argmax(axis=1)
        self.partner_wins = (winner == PARTNER).astype(np.float32)
        raw = p.segment("table")[rows, winner - 1]
        self.best = np.take_along_axis(raw, p.order, axis=1).argmax(axis=1)  # place of the winning card
        self.best_slot = self.best // 9
        self.ruffed_in = p.trump * (self.best_slot == 0) * (self.led != 0)
        place = np.arange(36)
        slot = place // 9
        higher = (slot == self.best_slot[:, None]) & (place > self.best[:, None])
        ruffs = (slot == 0) & (p.trump > 0)[:, None] & (self.best_slot != 0)[:, None]
        self.beats = (higher | ruffs).reshape(n, 4, 9).astype(np.float32)
        self.next_plays = (p.placed < 3).astype(np.float32)
        self.partner_plays = (p.placed < 2).astype(np.float32)
        self.is_led = (np.arange(4) == self.led[:, None]).astype(np.float32)[:, :, None]

    def _at_led(self, values: F32) -> F32:
        return np.take_along_axis(values, self.led[:, None], axis=1)[:, 0]

    def _at_best(self, values: F32) -> F32:
        return np.take_along_axis(values.reshape(-1, 36), self.best[:, None], axis=1)[:, 0]

    def win_chance(self) -> F32:
        """Chance that the trick goes to one's own side. [n, 4, 9]."""
        p = self.p
        nexts, partners = self.next_plays[:, None, None], self.partner_plays[:, None, None]
        alone = 1 - nexts * (1 - p.none_above[NEXT])  # the next seat has nothing higher of the suit
        partner_none = 1 - partners * (1 - p.none_above[PARTNER])
        partner_top = partners * p.where[PARTNER] * p.none_above[PARTNER] * alone
        rescue = _above(partner_top)
        plain_led = p.trump * (self.led != 0)
        next_void, partner_void = self._at_led(p.void[NEXT]), self._at_led(p.void[PARTNER])
        next_ruffs = self.next_plays * next_void * p.armed[NEXT] * plain_led
        partner_ruffs = self.partner_plays * partner_void * p.armed[PARTNER] * plain_led
        # a card of the suit led that wins so far, or a trump on a trump lead
        chance = (rescue + alone * partner_none) * (1 - next_ruffs)[:, None, None]
        chance += (1 - chance) * (0.7 * partner_ruffs * (1 - next_ruffs))[:, None, None]
        # a ruff: only a seat out of the suit led may go over it
        over = 1 - (self.next_plays * next_void)[:, None] * (1 - p.none_above[NEXT][:, 0])
        chance[:, 0] = np.where(plain_led[:, None] > 0, over, chance[:, 0])
        # a card that does not win: what becomes of the card that does
        best_safe = self._at_best(alone) * (1 - next_ruffs)
        best_rescue = self._at_best(rescue)
        ruffed_safe = 1 - self.next_plays * next_void * (1 - self._at_best(p.none_above[NEXT]))
        ruffed_rescue = best_rescue * partner_void
        theirs = best_rescue * (1 - next_ruffs)
        theirs += (1 - theirs) * 0.7 * partner_ruffs * (1 - next_ruffs)
        theirs = np.where(self.ruffed_in > 0, ruffed_rescue, theirs)
        partners_own = np.where(self.ruffed_in > 0, ruffed_safe, best_safe)
        lost = np.where(self.partner_wins > 0, partners_own, theirs)[:, None, None]
        self.without = lost
        return np.minimum(self.beats * chance + (1 - self.beats) * lost, 1)

    def features(self) -> Iterator[Feature]:
        p = self.p
        n = len(p.trump)
        trump = np.zeros((n, 4, 9), np.float32)
        trump[:, 0] = p.trump[:, None]
        plain = 1 - trump
        win = self.win_chance()
        net = 2 * win - 1
        later = (3 - p.placed)[:, None, None]
        left = (p.tricks_left / 9)[:, None, None]
        average = (p.unseen * p.points).sum(axis=(1, 2)) / np.maximum(p.unseen.sum(axis=(1, 2)), 1)
        yield "win_points", net * (p.points + p.table_points[:, None, None])
        settled = (win > 0.97) | (win < 0.03)
        yield "settled_points", net * settled * (p.points + p.table_points[:, None, None])
        yield "win_later", net * average[:, None, None] * later
        yield "win", win
        yield "win_left", win * left
        yield "points", p.points
        yield "points_left", p.points * left
        master = p.none_above[NEXT] * p.none_above[PREVIOUS]
        sure = (_above(p.unseen) == 0).astype(np.float32)
        yield "master", master * plain
        yield "master_left", master * plain * left
        yield "sure", sure * plain
        yield "sure_trump", sure * trump
        yield "trump", trump
        under, nine = np.zeros_like(trump), np.zeros_like(trump)
        under[:, 0, TRUMP_UNDER] = p.trump
        nine[:, 0, TRUMP_NINE] = p.trump
        yield "under", under
        yield "nine", nine
        ruff = trump * (1 - self.is_led)
        yield "ruff", ruff
        yield "ruff_left", ruff * left
        yield "ruff_length", ruff * p.length[:, 0][:, None, None]
        declarer = p.segment("declarer").astype(np.float32)
        yield "ruff_ours", ruff * (declarer[:, 0] + declarer[:, 2])[:, None, None]
        opponents = (p.where[NEXT][:, 0].sum(axis=1) + p.where[PREVIOUS][:, 0].sum(axis=1)) * p.trump
        yield "ruff_dry", ruff * (opponents < 0.1)[:, None, None]
        yield "trump_height", trump * (np.arange(9, dtype=np.float32) / 8)
        yield "height", plain * (np.arange(9, dtype=np.float32) / 8)
        yield "overtake", self.beats * self.partner_wins[:, None, None]
        yield "beats", self.beats
        discard = plain * (1 - self.is_led)
        yield "discard_length", discard * p.length[:, :, None]
        single = plain * (p.length == 1)[:, :, None]
        yield "single", single
        yield "single_armed", single * (p.length[:, 0] * p.trump > 0)[:, None, None]
        top = (p.mine * sure).max(axis=2)
        yield "discard_under_top", discard * top[:, :, None]
        led = _led_suits(p)
        yield "discard_partner_led", discard * led[PARTNER][:, :, None]
        yield "discard_their_led", discard * np.minimum(led[NEXT] + led[PREVIOUS], 1)[:, :, None]
        # a card of worth that loses its last small companion
        rest_points = _sum_suit(p.mine * p.points * (1 - sure)) - p.points * (1 - sure)
        winners = (p.mine * sure).sum(axis=(1, 2))[:, None, None]
        yield "take_run", self.beats * win * np.minimum(winners - sure, 4)
        yield "take", self.beats * win
        yield "ruff_height", ruff * (np.arange(9, dtype=np.float32) / 8)
        unseen_above = _above(p.unseen)
        own_above = _above(p.mine)
        own_top = p.mine * (own_above == 0)
        guards = _sum_suit(own_top * unseen_above)  # cards that must fall before the own top is high
        top_points = _sum_suit(own_top * p.points)
        breaks = plain * (p.length[:, :, None] == guards + 1) * (guards > 0) * (own_above > 0)
        yield "breaks", breaks
        yield "breaks_points", breaks * top_points
        yield "sure_win", sure * self.beats * win
        yield "certain", (win > 0.97).astype(np.float32)
        yield "bares", plain * (p.length == 2)[:, :, None] * rest_points
        yield from _sweep(p, win)


def _sum_suit(values: F32) -> F32:
    return values.sum(axis=2, keepdims=True)


def _sweep(p: Position, win: F32) -> Iterator[Feature]:
    """The match bonus (J-PTS-05): chased by a side that took every trick so far, spoilt by the other."""
    done = 9 - p.tricks_left
    bonus = (p.rules.match_bonus / 100) * (done / 9) ** 2
    yield "sweep", win * (bonus * (p.number("own_tricks") == done))[:, None, None]
    yield "spoil", win * (bonus * (p.number("their_tricks") == done))[:, None, None]


def _led_suits(p: Position) -> list[F32]:
    """Whether each relative seat has led a suit before. Four float32 [n, 4] in contract order."""
    when = p.segment("when")
    led = (when & 3) == 1
    on_table = p.placed > 0
    played = p.segment("played")
    current = (when == (4 * (9 - p.tricks_left) + 1)[:, None]) & on_table[:, None]
    led &= ~current
    return [
        p.by_suit((led & (played[:, seat] > 0)).reshape(-1, 4, 9).any(axis=2)).astype(np.float32) for seat in range(4)
    ]
