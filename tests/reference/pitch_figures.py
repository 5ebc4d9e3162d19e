"""The figures of the rule book's section 20 beside the engine's: `python tests/reference/pitch_figures.py [HANDS]`.

The book's model: the player with the longest trump holding is the bidder, in that suit, and keeps the leftovers. The
book's own figures come from 100,000 hands of another program, so both sides have a sampling error.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from bidtrick.envs import make_batch
from bidtrick.envs.pitch.state import ASKED, BURNED, BURNS, DREW, IN_BLIND
from bidtrick.envs.pitch.tables import BURN, CALL, KITTY, PLAY, tables

#: Hands behind the figures of the book.
BOOK_HANDS = 100_000
BATCH = 20_000


@dataclass(frozen=True)
class Figure:
    """One figure of the book beside the engine's, with its error. `exact`: the book's is a formula, no simulation."""

    name: str
    book: float
    measured: float
    error: float
    exact: bool = False
    hands: int = BOOK_HANDS

    @property
    def deviation(self) -> float:
        """Difference in standard errors of both sides, rounding of the book's figure included."""
        book_error = 0.0 if self.exact else self.error * sqrt(self.hands / BOOK_HANDS)
        digits = len(np.format_float_positional(self.book, trim="-").partition(".")[2])
        return max(0.0, abs(self.measured - self.book) - 0.5 * 10.0**-digits) / sqrt(self.error**2 + book_error**2)


def share(name: str, book: float, hits: Any, exact: bool = False) -> Figure:
    """A figure that is a share of hands."""
    values = np.asarray(hits, float)
    error = max(values.std(), sqrt(book * (1 - book))) / sqrt(len(values))
    return Figure(name, book, float(values.mean()), float(error), exact, len(values))


def longest(games: Any) -> tuple[Any, Any]:
    """Seat and suit of the longest trump holding. int64 [N], int64 [N]."""
    trumps = tables(games.rules).trumps[:4]
    length = np.bitwise_count(games.state.hands[:, :, None] & trumps).astype(np.int64)
    best = length.reshape(len(length), -1).argmax(axis=1)
    return best // 4, best % 4


def bid(games: Any, seat: Any, suit: Any) -> None:
    """The given seats bid (all others pass) and name the suits."""
    first = games.spec.parse_action("Pass")
    lowest = first + games.rules.min_bid
    for _ in range(games.spec.num_seats):
        games.step(np.where(games.current_player == seat, lowest, first))
    games.step(games.spec.parse_action("Trump Clubs") + suit)


def to_the_play(games: Any) -> None:
    """Keep leftovers, call the highest card offered, burn the first card offered."""
    while (games.phase != PLAY).any():
        phase, mask = games.phase, games.legal_actions()
        first = mask.argmax(axis=1)  # the lowest burn, and "Keep leftovers"
        last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
        waits = np.isin(phase, [KITTY, BURN, CALL])
        games.step(np.where(waits, np.where(phase == CALL, last, first), -1))


def hands(rules: Any, count: int, seed: int) -> Any:
    """Batches of fresh hands, `count` in all."""
    for start in range(0, count, BATCH):
        games = make_batch("pitch", num_games=min(BATCH, count - start), seed=seed, rules=rules)
        games.reset(options={"game_id": np.arange(start, start + games.num_games), "dealer": 3})
        yield games


def burning(version: int, book: tuple[float, ...], count: int, seed: int) -> list[Figure]:
    """The columns of the book's table."""
    trumps_dealt, burns, points, seven, kitty = [], [], [], [], []
    for games in hands({"version": version}, count, seed):
        t = tables(games.rules)
        lengths = np.bitwise_count(games.state.hands & t.trumps[0])  # clubs: any suit is as good
        trumps_dealt.append(lengths.sum(axis=1))
        seven.append(lengths[:, 0] >= 7)
        seat, suit = longest(games)
        bid(games, seat, suit)
        to_the_play(games)
        rows = np.arange(games.num_games)
        burns.append(games.state.sheet[rows, BURNS, seat])
        points.append((games.state.cards[rows, seat, BURNED] & t.points.take(games.state.trump)) != 0)
        kitty.append(games.state.kitty_size)
    burned = np.concatenate(burns)
    dealt = np.concatenate(trumps_dealt)
    mean = Figure(
        "mean trumps dealt, random suit", book[0], float(dealt.mean()), dealt.std() / sqrt(count), True, count
    )
    figures = [
        mean,
        share("the bidder must burn", book[1], burned >= 1),
        share("he burns two or more", book[2], burned >= 2),
        share("he must burn a point card", book[3], np.concatenate(points)),
        share("a given hand has seven of a suit", book[4], np.concatenate(seven)),
    ]
    if version == 10:
        left = np.concatenate(kitty)
        figures.append(share("three to eight leftovers", 0.97, (left >= 3) & (left <= 8)))
    return [Figure(f"{version} points: {f.name}", f.book, f.measured, f.error, f.exact, f.hands) for f in figures]


def short_draws(rules: dict[str, Any], book: float, count: int, seed: int) -> Figure:
    """The stock runs out in a random suit (P-FILL-04)."""
    short = []
    for games in hands({**rules, "kitty_mode": "bidder_only"}, count, seed):
        bid(games, np.zeros(games.num_games, np.int64), np.arange(games.num_games) % 4)
        sheet = games.state.sheet.astype(np.int64)
        short.append((sheet[:, ASKED] - 1).sum(axis=1) > sheet[:, DREW].sum(axis=1))
    jokers = " without jokers" if "uncounted" in rules else ""
    return share(f"{rules['version']} points{jokers}: short draw, random suit", book, np.concatenate(short))


def five_handed(count: int, seed: int) -> list[Figure]:
    """The bidder takes up the blind. For the called card he is any player in any suit.

    The one with the longest suit of all finds 11 % of the called cards in the blind: the other hands are short of it.
    """
    burns, blind = [], []
    for games in hands("five", count, seed):
        other = games.clone()
        seat, suit = longest(games)
        bid(games, seat, suit)
        to_the_play(games)
        burns.append(games.state.sheet[np.arange(games.num_games), BURNS, seat] >= 1)
        bid(other, np.zeros(other.num_games, np.int64), np.arange(other.num_games) % 4)
        to_the_play(other)
        blind.append(other.state.called_from == IN_BLIND)
    return [
        share("five-handed: the bidder must burn", 0.459, np.concatenate(burns)),
        share("five-handed: the called card is in the blind", 4 / 44, np.concatenate(blind), exact=True),
    ]


def figures(count: int, seed: int = 0) -> list[Figure]:
    """All figures of section 20, each from `count` hands."""
    return [
        *burning(10, (10.67, 0.494, 0.162, 0.0016, 0.0016), count, seed),
        *burning(13, (11.33, 0.659, 0.290, 0.0069, 0.0026), count, seed + 1),
        *burning(16, (13.33, 0.954, 0.771, 0.102, 0.0090), count, seed + 2),
        short_draws({"version": 10}, 6.2e-4, count, seed + 3),
        short_draws({"version": 13}, 1.6e-4, count, seed + 4),
        short_draws({"version": 16}, 1.0e-6, count, seed + 5),
        short_draws({"version": 8, "uncounted": "removed"}, 0.071, count, seed + 6),
        short_draws({"version": 11, "uncounted": "removed"}, 0.030, count, seed + 7),
        short_draws({"version": 14, "uncounted": "removed"}, 0.0009, count, seed + 8),
        *five_handed(count, seed + 9),
    ]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else BOOK_HANDS
    print(f"{count} hands a figure; deviation in standard errors of book and engine together")
    print(f"{'':50} {'book':>9} {'engine':>9} {'±':>8} {'deviation':>9}")
    for f in figures(count):
        print(f"{f.name:50} {f.book:9.6g} {f.measured:9.6f} {1.96 * f.error:8.6f} {f.deviation:9.1f}")


if __name__ == "__main__":
    main()
