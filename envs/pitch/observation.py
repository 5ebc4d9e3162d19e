"""What a seat knows, as one row of named segments (section 19; the regions are those of `core.layout`)."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any

import numpy as np

from ..core import bits, tricks
from ..core.bits import I64, U8, U64, row_starts
from ..core.layout import ObsLayout, PlanePacker
from .rules import PitchRules
from .state import (
    BIDS,
    BURNED,
    DEALT,
    DRAWN,
    HELD,
    IN_BLIND,
    LOG,
    PLAYED,
    SEAT_WORDS,
    SEEN,
    SHEET_ROWS,
    SHOWN_NUMBERS,
    THROWN,
    PitchState,
)
from .tables import (
    BIDDING,
    CARD,
    CARDS,
    CONTEXTS,
    I16,
    MISDEAL,
    PHASE_OF,
    PHASES,
    SEAT_FIELDS,
    SUITS,
    TRUMP_OF,
    partner_shown,
    seat_flags,
    tables,
)
from .turns import turns

_REL = "seat-relative: own seat first, then clockwise"
_SHOWN_ROWS = SHEET_ROWS - BIDS  # rows of the sheet that everybody knows

#: Own card sets: column of `PitchState.cards` → name and meaning.
_OWN = {
    HELD: ("hand", "cards held: all of them before trump is named, the trumps after"),
    DEALT: ("dealt", "cards dealt to oneself"),
    DRAWN: ("drawn", "cards drawn from the stock, dead ones included (P-FILL-03)"),
    SEEN: ("leftovers", "leftovers (or the blind) looked at or received (P-KIT-03)"),
    THROWN: ("thrown", "own trumps thrown away (BD-12)"),
}
_OWN_FOUR = (HELD, DEALT, DRAWN, SEEN, THROWN)
_OWN_FIVE = (HELD, DEALT, SEEN)  # nobody draws or throws trumps away

_SEAT_MEANINGS = (
    "dealer", "who has won the auction", "the bidder's partner, if one knows him (P-5H-04)",
    "who leads the present trick", "whose trump wins the trick so far",
    "whose turn it is (who is asked about a misdeal is secret, BD-6)", "shown to have no trump left (P-OUT-03)",
)  # fmt: skip

#: Rows of the sheet from BIDS on, with scale and meaning.
_SHEET = (
    ("bids", 1 / 19, "call of each seat: 0 none yet, 1 pass, 1 + value (N + 1 moon, N + 2 double moon)"),
    ("asked", 1 / 7, "1 + cards asked for in the fill, 0 if not asked (P-INFO-02)"),
    ("drew", 1 / 6, "cards drawn in the fill (fewer than asked on a short stock, P-FILL-04)"),
    ("received", 1 / 18, "number of leftovers received or looked at (P-INFO-01)"),
    ("burned_count", 1 / 8, "number of cards burned (BD-19)"),
    ("points", 1 / 10, "points won in this hand, with one's own two (P-TWO-01)"),
    ("score", 1 / 255, "score of the seat's side: 128 at zero, 64 more at the target, clipped"),
    ("to_go", 1 / 255, "points to the target, clipped to 0..255"),
    ("sign", 1 / 2, "score below zero 0, zero 1, above 2 (P-MOON-02, P-MOON-03)"),
)

_SCALARS = (
    ("bid", 1 / 18, "standing bid: 0 none, 1..N, N + 1 moon, N + 2 double moon"),
    ("kitty_size", 1 / 18, "number of leftovers after the fill; five-handed of the blind once taken up"),
    ("trick_points", 1 / 10, "points on the table that go with the trick"),
    ("trick_number", 1 / 6, "tricks completed in this hand"),
    ("hand_number", 1 / 16, "hands scored in this match, 255 if more"),
)


def _option_constants() -> list[tuple[str, float]]:
    """Names and scales of the rule options that an observation shows, one byte each."""
    found: list[tuple[str, float]] = []
    for field in dataclasses.fields(PitchRules):
        choices = field.metadata["choices"]
        if field.name not in ("players", "trump_only") and not field.metadata["later"]:
            scale = 1 / (len(choices) - 1) if choices else 1 / 20 if field.name == "min_bid" else 1 / 255
            found.append((field.name, scale))
    return found


def _constants(rules: PitchRules) -> U8:
    """The values of `option_constants`: the place among the choices, or the number (255 if more)."""
    values: list[int] = []
    for name, _ in _option_constants():
        value: Any = getattr(rules, name)
        choices = PitchRules.__dataclass_fields__[name].metadata["choices"]
        values.append(choices.index(value) if choices else min(value, 255))
    return np.array(values, np.uint8)


class _Shape:
    """Where things are in an observation with a number of players."""

    def __init__(self, players: int) -> None:
        five = players == 5
        self.players = players
        self.flags = seat_flags(players)
        self.own = _OWN_FIVE if five else _OWN_FOUR
        planes = [(_OWN[column][0], (CARDS,), 1.0, _OWN[column][1]) for column in self.own]
        planes.append(("unseen", (CARDS,), 1.0, "trumps of which one does not know where they are or were"))
        if five:
            planes.append(("called", (CARDS,), 1.0, "the called card (P-5H-02)"))
        self.extra = len(planes)  # first plane of the table
        planes += [
            ("burned", (players, CARDS), 1.0, f"burned cards that one knows (P-BURN-04; {_REL})"),
            ("played", (players, CARDS), 1.0, f"cards played in this hand ({_REL})"),
            ("table", (players - 1, CARDS), 1.0, "card on the table of the other seats, clockwise"),
        ]
        self.planes = self.extra + 3 * players - 1
        bits_ = [(n, (players,), 1.0, f"{m} ({_REL})") for n, m in zip(SEAT_FIELDS, _SEAT_MEANINGS, strict=True)]
        bits_ += [
            ("trump", (4,), 1.0, "trump " + ", ".join(SUITS)),
            ("phase", (len(PHASES),), 1.0, "phase: " + ", ".join(PHASES)),
            ("partner_known", (1,), 1.0, "one knows who is the bidder's partner, or that he has none (P-5H-04)"),
            ("declined", (1,), 1.0, "one has declined to call a misdeal (BD-6)"),
        ]
        self.trump_shift = self.flags.bits
        self.phase_shift = self.trump_shift + 4
        self.known = partner_shown(players)
        self.declined_shift = np.uint64(self.phase_shift + len(PHASES) + 1)
        # the flags are packed as if they were a plane; what comes after them is overwritten
        group = PlanePacker(CARDS, 0).group
        self.packed = -(-(self.planes + 1) // group) * group
        self.packer = PlanePacker(CARDS, self.packed)
        numbers = [
            ("when", (CARDS,), 1 / (6 * players), "1 + trick · seats + distance from its leader, 0 if not played"),
            ("strength", (CARDS,), 1 / 20, "rank among the trumps from 1 up, 0 for a card that is none (P-RNK-01)"),
            *((n, (players,), scale, f"{meaning} ({_REL})") for n, scale, meaning in _SHEET),
            *((n, (1,), scale, meaning) for n, scale, meaning in _SCALARS),
            ("match_episode", (1,), 1.0, "the episode is a match"),
            ("match_reward", (1,), 1.0, "the reward is the outcome of the match"),
            *((n, (1,), scale, f"rules: {n}") for n, scale in _option_constants()),
        ]
        segments = [*planes, *bits_, *numbers]
        spare = -ObsLayout(segments).size % 64  # rows of whole words unpack in one piece
        if spare:
            segments.append(("spare", (spare,), 1.0, "always 0"))
        self.layout = ObsLayout(segments)
        self.spare = spare
        turn = np.arange(players)
        self.turn = (turn[:, None] + turn) % players
        self.words = self._words()
        self.numbers_start = self.layout["when"].start
        self.sheet_start = self.layout[_SHEET[0][0]].start - self.numbers_start
        self.scalars_start = self.layout[_SCALARS[0][0]].start - self.numbers_start
        self.to_act = self.flags.column("to_act")
        self.partner = self.flags.column("partner")
        self.context = self._context()
        self.course = turns(players, False, self.flags).flags
        #: What turns the rows of the sheet, by seat: bits to the right, and those of the wrap to the left.
        kind = np.uint32 if players == 4 else np.uint64
        self.right = np.repeat(8 * np.arange(players, dtype=kind)[:, None], SHEET_ROWS, axis=1)
        self.wrap = kind(8 * players) - self.right
        self.row_kind = np.dtype({"names": ["low", "high"], "formats": ["<u4", "u1"], "itemsize": 5, "offsets": [0, 4]})

    def _words(self) -> I64:
        """Where the words of an observer's planes lie in a game's cards; anywhere for computed ones. [P, packed]."""
        seat = SEAT_WORDS * self.turn
        words = np.zeros((self.players, self.packed), np.int64)
        words[:, : len(self.own)] = seat[:, :1] + np.array(self.own)
        first = self.extra
        for column, some in ((BURNED, seat), (PLAYED, seat), (PLAYED, seat[:, 1:])):
            words[:, first : first + some.shape[1]] = some + column
            first += some.shape[1]
        return words

    def _context(self) -> U64:
        """Trump and phase as flags. uint64 [40]."""
        trump = np.array([1, 2, 4, 8, 0], np.uint64).take(TRUMP_OF) << np.uint64(self.trump_shift)
        return trump | np.uint64(1) << (PHASE_OF + self.phase_shift).astype(np.uint64)


@lru_cache(maxsize=2)
def shape(players: int) -> _Shape:
    return _Shape(players)


def layout(rules: PitchRules) -> ObsLayout:
    """The layout (it depends on the number of players only)."""
    return shape(rules.players).layout


class View:
    """What is equal for all observations of a batch.

    template: uint8 [40, T] the numbers of an observation by context, as far as they follow from it.
    """

    def __init__(self, rules: PitchRules, match_episode: bool, match_reward: bool) -> None:
        self.form = form = shape(rules.players)
        self.misdeals = rules.misdeal_rule != "none"
        self.burn_visible = rules.burn_visible
        t = tables(rules)
        self.template = np.zeros((CONTEXTS, form.layout.size - form.numbers_start), np.uint8)
        self.template[:, CARDS : 2 * CARDS] = t.shown_strength.take(TRUMP_OF, axis=0)
        rest = form.scalars_start + SHOWN_NUMBERS
        constants = np.concatenate([np.array([match_episode, match_reward], np.uint8), _constants(rules)])
        self.template[:, rest : rest + len(constants)] = constants


def write(s: PitchState, seats: I64, view: View) -> U8:
    """Observations of the given seats. uint8 [N, D]."""
    form, n = view.form, len(s)
    # the last columns of these words are not all bits: what is left over is overwritten
    row = np.empty((n, form.layout.size // 8), np.uint8)
    form.packer.pack(_planes(view, s, seats), row, spare=True)
    obs = np.unpackbits(row.reshape(-1), bitorder="little").reshape(n, -1)

    numbers = view.template.take(s.context, axis=0, mode="clip")
    numbers[:, :CARDS] = s.when[:, :CARDS]
    _sheet(form, s, seats, numbers[:, form.sheet_start : form.scalars_start])
    numbers[:, form.scalars_start : form.scalars_start + SHOWN_NUMBERS] = s.hand.view(np.uint8)[:, :SHOWN_NUMBERS]
    obs[:, form.numbers_start :] = numbers
    return obs


def _sheet(form: _Shape, s: PitchState, seats: I64, out: U8) -> None:
    """The rows of the sheet that are shown, turned to be seat-relative. uint8 [N, rows · P]."""
    n = len(s)
    words = s.sheet.view(form.right.dtype).reshape(n, SHEET_ROWS)
    turned = words >> form.right.take(seats, axis=0, mode="clip")
    wrapped = words << form.wrap.take(seats, axis=0, mode="clip")
    if form.players == 4:
        np.bitwise_or(turned[:, BIDS:], wrapped[:, BIDS:], out=out.view(np.uint32))
    else:
        turned |= wrapped
        rows = out.view(form.row_kind)
        rows["low"] = turned[:, BIDS:]
        rows["high"] = turned.view(np.uint8).reshape(n, SHEET_ROWS, 8)[:, BIDS:, 4]


def _planes(view: View, s: PitchState, seats: I64) -> U64:
    """The card sets in the order of the layout, then the flags. uint64 [N, packed]."""
    form = view.form
    p, own, first = form.players, len(form.own), form.extra
    index = form.words.take(seats, axis=0, mode="clip")
    index += row_starts(len(s), p * SEAT_WORDS)[:, None]
    words: U64 = s.cards.ravel().take(index, mode="clip")
    known = words[:, 1] | words[:, 2]  # dealt, drawn, leftovers, thrown
    for place in range(3, own):
        known |= words[:, place]
    np.bitwise_and(s.left, ~known, out=words[:, own])
    if p == 5:
        words[:, own + 1] = CARD.take(s.called, mode="clip")
    if not view.burn_visible:  # P-BURN-04: one's own are known
        words[:, first + 1 : first + p] = 0
    for place in range(first + 2 * p, form.planes):
        words[:, place] &= s.table
    words[:, form.planes] = form.flags.turn(_flags(view, s, seats), seats)
    return words


_TURN_BITS, _LOW = np.int64(63), np.int16(tricks.SLOTS - 1)


def _flags(view: View, s: PitchState, seats: I64) -> U64:
    """The public word and what this seat knows beyond it, by absolute seat. uint64 [N]."""
    form = view.form
    player, context = s.player, s.context
    if view.misdeals:
        # BD-6: to the others an asked seat looks like the beginning of the auction
        secret = (s.phase == MISDEAL) & (player != seats) & (player >= 0)
        player = np.where(secret, (s.dealer + 1) % form.players, player)
        context = np.where(secret, BIDDING, context)
    index = (s.turn & _TURN_BITS) << tricks.SLOT_BITS
    index |= s.code & _LOW
    flags = s.flags | form.course.take(index, mode="clip")
    flags |= form.to_act.take(player, mode="wrap")
    flags |= form.context.take(context, mode="clip")
    if form.players == 5:
        # P-5H-04: the holder knows from the call on; so does a bidder who is alone (P-5H-05, BD-24)
        partner = s.partner
        known = (seats == partner) | s.shown
        known |= (seats == s.bidder) & (s.called_from >= IN_BLIND)
        flags |= (form.partner.take(partner, mode="wrap") | form.known) * known
    if view.misdeals:
        declined = (s.declined >> seats) & 1
        flags |= declined.astype(np.uint64) << form.declined_shift
    return flags


def history(s: PitchState, seats: I64, length: int) -> I16:
    """Public actions of the present hand in order (answers about a misdeal and hidden cards are left out).

    Returns: int16 [N, length, 2] of (seat relative to the observer, action), oldest first, padded with -1.
    """
    n, p = s.cards.shape[:2]
    log_length = s.log_length.astype(np.int64)
    tokens = np.full((n, length, 2), -1, np.int16)
    game, place = np.nonzero(np.arange(LOG) < log_length[:, None])
    tokens[game, place, 0] = ((s.log[game, place] & 7) - seats[game]) % p
    tokens[game, place, 1] = s.log[game, place] >> 3
    order = np.argsort(s.when[:, :CARDS], axis=1, kind="stable")  # unplayed cards first
    when = np.take_along_axis(s.when[:, :CARDS], order, axis=1)
    game, column = np.nonzero(when)
    first = CARDS - np.count_nonzero(when, axis=1)
    card = order[game, column]
    place = log_length[game] + column - first[game]
    owner = np.argmax((s.cards[game, :, PLAYED] & CARD.take(card)[:, None]) != 0, axis=1)
    tokens[game, place, 0] = (owner - seats[game]) % p
    tokens[game, place, 1] = card
    return tokens


def hidden_size(players: int) -> int:
    """Columns of `hidden_planes`."""
    return CARDS * (2 * players - 1) + players


def hidden_planes(s: PitchState, seats: I64, rules: PitchRules) -> U8:
    """What no single seat sees, for critics and oracles: others' cards, their burned cards, the stock or
    leftovers not yet given out, the partner. uint8 [N, 54·(2P - 1) + P]."""
    n, p, form = len(s), rules.players, shape(rules.players)
    order = form.turn.take(seats, axis=0)[:, 1:] + np.arange(0, p * n, p)[:, None]
    others = s.cards.reshape(n * p, SEAT_WORDS).take(order, axis=0)
    rows = np.arange(n)
    stock = s.heads[rows, s.stock_end] ^ s.heads[rows, s.stock_next]
    words = np.concatenate([others[:, :, HELD], others[:, :, BURNED], stock[:, None]], axis=1)
    partner = (form.turn.take(seats, axis=0) == s.partner[:, None]).astype(np.uint8)
    return np.concatenate([bits.unpack(words[:, :, None], CARDS).reshape(n, -1), partner], axis=1)
