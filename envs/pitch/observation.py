"""What a seat knows, as one row of named segments (section 19; the regions are those of `core.layout`)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..core import bits, tricks
from ..core.bits import I64, U8, U64
from ..core.layout import FieldPacker, ObsLayout
from .rules import PitchRules
from .state import (
    BIDS,
    BURNED,
    DEALT,
    DRAWN,
    HELD,
    IN_BLIND,
    LOG,
    OWN,
    PLAYED,
    SEEN,
    SHEET_ROWS,
    TABLE,
    THROWN,
    PitchState,
    stock_width,
)  # fmt: skip
from .tables import BID, CARD, CARDS, I16, MISDEAL, PHASES, SEAT_FIELDS, SUITS, option_constants, seat_flags, tables

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
        self.known_shift = self.phase_shift + len(PHASES)
        self.packer = FieldPacker([CARDS] * self.planes + [self.known_shift + 2])
        numbers = [
            ("when", (CARDS,), 1 / (6 * players), "1 + trick · seats + distance from its leader, 0 if not played"),
            ("strength", (CARDS,), 1 / 20, "rank among the trumps from 1 up, 0 for a card that is none (P-RNK-01)"),
            *((n, (players,), scale, f"{meaning} ({_REL})") for n, scale, meaning in _SHEET),
            *((n, (1,), scale, meaning) for n, scale, meaning in _SCALARS),
            ("match_episode", (1,), 1.0, "the episode is a match"),
            ("match_reward", (1,), 1.0, "the reward is the outcome of the match"),
            *((n, (1,), scale, f"rules: {n}") for n, scale in option_constants()),
        ]
        segments = [*planes, *bits_, *numbers]
        spare = -ObsLayout(segments).size % 64  # rows of whole words unpack in one piece
        if spare:
            segments.append(("spare", (spare,), 1.0, "always 0"))
        self.layout = ObsLayout(segments)
        self.spare = spare
        turn = np.arange(players)
        self.turn = (turn[:, None] + turn) % players
        #: slots[r][s]: place of the r-th seat from s on in the flat card words of a game
        self.slots = [np.ascontiguousarray(8 * self.turn[:, r]) for r in range(players)]
        self.winning = self._winning()
        self.to_act = self.flags.column("to_act")
        self.partner = self.flags.column("partner")

    def _winning(self) -> U64:
        """(leader, distance of the winner as in a code, or 8 for an empty trick) → flag. uint64 [8·16]."""
        table = np.zeros((8, 16), np.uint64)
        for leader in range(self.players):
            for away in range(self.players):
                winner = (leader + away) % self.players
                table[leader, tricks.SLOTS - 1 - away] = self.flags.bit("winning", winner)
        return table.ravel()


@lru_cache(maxsize=2)
def shape(players: int) -> _Shape:
    return _Shape(players)


def layout(rules: PitchRules) -> ObsLayout:
    """The layout (it depends on the number of players only)."""
    return shape(rules.players).layout


def write(s: PitchState, seats: I64, rules: PitchRules, match_episode: bool, match_reward: bool) -> U8:
    """Observations of the given seats. uint8 [N, D]."""
    form, t, n = shape(rules.players), tables(rules), len(s)
    fields = np.empty((form.planes + 1, n), np.uint64)
    _planes(form, s, seats, rules, fields)
    fields[form.planes] = form.flags.turn(_flags(form, s, seats, rules), seats)
    row = np.zeros((n, form.layout.size // 64), np.uint64)
    form.packer.pack(fields, row)
    obs = np.unpackbits(row.view(np.uint8).reshape(-1), bitorder="little").reshape(n, -1)

    column = form.layout["when"].start
    obs[:, column : column + CARDS] = s.when[:, :CARDS]
    column += CARDS
    obs[:, column : column + CARDS] = t.shown_strength.take(s.trump, axis=0)
    column += CARDS
    width = _SHOWN_ROWS * rules.players
    obs[:, column : column + width] = _sheet(s, seats, rules.players)
    column += width
    for values in (s.bid, s.kitty_size, s.trick_points, s.tricks, np.minimum(s.hand_number, 255)):
        obs[:, column] = values
        column += 1
    obs[:, column:] = _constants(rules, match_episode, match_reward)
    return obs


@lru_cache(maxsize=256)
def _constants(rules: PitchRules, match_episode: bool, match_reward: bool) -> U8:
    """The last columns, equal for all games of a batch."""
    spare = np.zeros(shape(rules.players).spare, np.uint8)
    return np.concatenate([np.array([match_episode, match_reward], np.uint8), tables(rules).constants, spare])


def _sheet(s: PitchState, seats: I64, players: int) -> U8:
    """The rows of the sheet that are shown, turned to be seat-relative. uint8 [N, rows · P]."""
    if players == 4:  # a row is one word of four bytes: turning it is a rotation
        words = s.sheet.view(np.uint32)[:, BIDS:, 0]
        shift = (seats * 8).astype(np.uint32)[:, None]
        return ((words >> shift) | (words << (-shift & np.uint32(31)))).view(np.uint8)
    long = s.sheet.view(np.uint64)[:, BIDS:, 0]
    wide = (seats * 8).astype(np.uint64)[:, None]
    turned = (long >> wide) | (long << (np.uint64(8 * players) - wide))
    return turned.view(np.uint8).reshape(len(s), _SHOWN_ROWS, 8)[:, :, :players].reshape(len(s), -1)


def _planes(form: _Shape, s: PitchState, seats: I64, rules: PitchRules, planes: U64) -> None:
    """Write the card sets in the order of the layout. uint64 [≥ planes, N]."""
    n, p = len(s), form.players
    cards = s.cards.reshape(-1)
    rows = np.arange(0, 8 * p * n, 8 * p)
    for r in range(p):
        slot = rows + form.slots[r].take(seats)  # of the r-th seat from the observer on
        if r == 0:
            for place, column in enumerate(form.own):
                _gather(cards, slot, column, planes[place])
        burned = planes[form.extra + r]
        if r and not rules.burn_visible:  # P-BURN-04: one's own are known
            burned[:] = 0
        else:
            _gather(cards, slot, BURNED, burned)
        _gather(cards, slot, PLAYED, planes[form.extra + p + r])
        if r:
            _gather(cards, slot, TABLE, planes[form.extra + 2 * p + r - 1])
    unseen = tables(rules).trumps.take(s.trump)
    known = np.bitwise_or.reduce(planes[form.extra : form.extra + 2 * p])
    for place in range(1, len(form.own)):  # dealt, drawn, leftovers, thrown
        known |= planes[place]
    place = len(form.own)
    np.bitwise_and(unseen, ~known, out=planes[place])
    if p == 5:
        CARD.take(s.called, out=planes[place + 1], mode="clip")


def _gather(cards: U64, slot: I64, column: int, out: U64) -> None:
    cards[column:].take(slot, out=out, mode="clip")


def _flags(form: _Shape, s: PitchState, seats: I64, rules: PitchRules) -> U64:
    """The public word and what this seat knows beyond it, by absolute seat. uint64 [N]."""
    player, phase = s.player, s.phase
    if rules.misdeal_rule != "none":
        # BD-6: to the others an asked seat looks like the beginning of the auction
        secret = (phase == MISDEAL) & (player != seats) & (player >= 0)
        player = np.where(secret, (s.dealer + 1) % form.players, player)
        phase = np.where(secret, BID, phase)
    code = np.where(s.code < 0, 8, s.code & (tricks.SLOTS - 1))
    flags = s.flags | form.winning.take(np.maximum(s.leader, 0) * np.int64(16) + code)
    flags |= form.to_act.take(player, mode="wrap")
    flags |= _TRUMP_BITS.take(s.trump) << np.uint64(form.trump_shift)
    flags |= np.uint64(1 << form.phase_shift) << phase.astype(np.uint64)
    known = s.shown
    if form.players == 5:
        # P-5H-04: the holder knows from the call on; so does a bidder who is alone (P-5H-05, BD-24)
        alone = (seats == s.bidder) & ((s.called_from == IN_BLIND) | (s.called_from == OWN))
        known = known | (seats == s.partner) | alone
        flags |= np.where(known, form.partner.take(s.partner, mode="wrap"), 0)
    flags |= known.astype(np.uint64) << np.uint64(form.known_shift)
    if rules.misdeal_rule != "none":
        declined = (s.declined >> seats) & 1
        flags |= declined.astype(np.uint64) << np.uint64(form.known_shift + 1)
    return flags


_TRUMP_BITS = np.array([1, 2, 4, 8, 0], np.uint64)


def history(s: PitchState, seats: I64, length: int) -> I16:
    """Public actions of the present hand in order (answers about a misdeal and hidden cards are left out).

    Returns: int16 [N, length, 2] of (seat relative to the observer, action), oldest first, padded with -1.
    """
    n, p = s.cards.shape[:2]
    tokens = np.full((n, length, 2), -1, np.int16)
    game, place = np.nonzero(np.arange(LOG) < s.log_length[:, None])
    tokens[game, place, 0] = ((s.log[game, place] & 7) - seats[game]) % p
    tokens[game, place, 1] = s.log[game, place] >> 3
    order = np.argsort(s.when[:, :CARDS], axis=1, kind="stable")  # unplayed cards first
    when = np.take_along_axis(s.when[:, :CARDS], order, axis=1)
    game, column = np.nonzero(when)
    first = CARDS - np.count_nonzero(when, axis=1)
    card = order[game, column]
    place = s.log_length[game] + column - first[game]
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
    others = s.cards.reshape(n * p, 8).take(order, axis=0)
    place = np.arange(stock_width(rules))
    there = (place >= s.stock_next[:, None]) & (place < s.stock_end[:, None])
    stock = np.bitwise_or.reduce(np.where(there, CARD.take(s.stock), 0), axis=1)
    words = np.concatenate([others[:, :, HELD], others[:, :, BURNED], stock[:, None]], axis=1)
    partner = (form.turn.take(seats, axis=0) == s.partner[:, None]).astype(np.uint8)
    return np.concatenate([bits.unpack(words[:, :, None], CARDS).reshape(n, -1), partner], axis=1)
