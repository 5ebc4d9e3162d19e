"""The shared core: bits, cards, deals, layouts, tricks, rules."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from bidtrick.envs import make_batch
from bidtrick.envs.core import bits, deals, tricks
from bidtrick.envs.core.cards import Deck
from bidtrick.envs.core.errors import RulesError, UnknownNameError
from bidtrick.envs.core.layout import ObsLayout, PlanePacker, SeatFlags
from bidtrick.envs.core.rules import Rules, option, optional_positive_int, positive_int
from bidtrick.envs.registry import games
from bidtrick.envs.schieber.rules import SchieberRules

RNG = np.random.default_rng(0)
WORDS = np.concatenate(
    [
        RNG.integers(0, 1 << 64, 500, dtype=np.uint64),
        RNG.integers(0, 1 << 64, 500, dtype=np.uint64) & RNG.integers(0, 1 << 64, 500, dtype=np.uint64),
        np.uint64(1) << np.arange(64, dtype=np.uint64),
        np.array([0, (1 << 64) - 1], np.uint64),
    ]
)

# --- bits


def plain_bits(word: int) -> list[int]:
    return [i for i in range(64) if word >> i & 1]


def test_words_and_indices() -> None:
    for word in WORDS.tolist():
        assert bits.indices_of(word) == plain_bits(word)
        assert bits.word_of(plain_bits(word)) == word
    assert bits.popcount(WORDS).tolist() == [bin(word).count("1") for word in WORDS.tolist()]
    assert bits.BIT[:64].tolist() == [1 << i for i in range(64)]
    assert bits.BIT[64] == 0


def test_nth_set_bit() -> None:
    """Every set bit of every word, by its number."""
    pairs = [(word, n, place) for word in WORDS.tolist() for n, place in enumerate(plain_bits(word))]
    words, numbers, places = (np.array(column, np.uint64) for column in zip(*pairs, strict=True))
    assert np.array_equal(bits.nth_set_bit(words, numbers), places.astype(np.int64))


def test_lowest_bit() -> None:
    expected = [plain_bits(word)[0] if word else 64 for word in WORDS.tolist()]
    assert bits.lowest_bit(WORDS).tolist() == expected


@pytest.mark.parametrize(("width", "words"), [(36, 1), (43, 1), (64, 1), (65, 2), (100, 2), (128, 2)])
def test_pack_and_unpack(width: int, words: int) -> None:
    flags = RNG.random((50, width)) < 0.4
    packed = bits.pack(flags, words)
    assert packed.shape == (50, words)
    assert np.array_equal(bits.unpack(packed, width), flags.astype(np.uint8))
    assert [plain_bits(int(w)) for w in packed[:, 0]] == [np.flatnonzero(row[:64]).tolist() for row in flags]
    planes = bits.unpack(packed.reshape(5, 10, words), width)
    assert planes.shape == (5, 10, width)


@pytest.mark.parametrize("words", [1, 2, 3])
def test_sampled_bits_are_uniform(words: int) -> None:
    """Chi-square of a row of seven bits over all words of a mask: 6 degrees of freedom, 22.5 is the 0.1 % point."""
    chosen = np.sort(np.random.default_rng(words).choice(64 * words, 7, replace=False))
    mask = np.zeros(64 * words, bool)
    mask[chosen] = True
    rows = np.tile(bits.pack(mask, words), (70_000, 1))
    sample = bits.sample_set_bit(rows, np.random.default_rng(5))
    counts = np.bincount(sample, minlength=64 * words)
    assert counts.sum() == counts[chosen].sum() == 70_000
    assert ((counts[chosen] - 10_000) ** 2 / 10_000).sum() < 22.5


# --- cards

DECKS = [make_batch(game).spec.deck for game in games()] + [
    make_batch("schieber", rules={"suit_names": "french"}).spec.deck,
    Deck("joker pack", ("Red", "Black"), ("1", "2", "3"), ("r", "b"), extras=("Low Joker", "High Joker"),
         aliases={"hj": "High Joker"}),
]  # fmt: skip


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: f"{deck.name} {deck.suits[0]}")
def test_cards_parse_and_format(deck: Deck) -> None:
    """Every card both ways, in any case and spacing; every number both ways."""
    texts = [deck.format(card) for card in range(deck.size)]
    assert len(set(texts)) == deck.size
    for card, text in enumerate(texts):
        assert deck.parse(text) == deck.parse(text.upper()) == deck.parse(f"  {text.lower()} ") == card
        if deck.suit_of(card) >= 0:
            assert deck.card(deck.suit_of(card), deck.rank_of(card)) == card
            assert text == f"{deck.suits[deck.suit_of(card)]} {deck.ranks[deck.rank_of(card)]}"
        else:
            assert text == deck.extras[deck.rank_of(card)]
    assert deck.parse_all(deck.format_all(range(deck.size))) == list(range(deck.size))
    for card in (-1, deck.size):
        with pytest.raises(UnknownNameError, match=f"card number {card} is not in 0..{deck.size - 1}"):
            deck.format(card)
    with pytest.raises(UnknownNameError, match="no card is called 'nothing'; cards are written like"):
        deck.parse("nothing")


def test_aliases_and_jokers() -> None:
    deck = DECKS[-1]
    assert (deck.parse("HJ"), deck.suit_of(7), deck.rank_of(7), deck.size, deck.num_ranks) == (7, -1, 1, 8, 3)
    assert deck.parse_all(" , Red 1,") == [0]


@pytest.mark.parametrize("game", games())
def test_actions_parse_and_format(game: str) -> None:
    spec = make_batch(game).spec
    for action in range(spec.num_actions):
        assert spec.parse_action(spec.action_name(action)) == action


# --- deals


def test_splitmix64() -> None:
    """The published numbers of SplitMix64 with seed 1234567 (and 0)."""
    gamma = np.uint64(0x9E3779B97F4A7C15)
    states = np.uint64(1234567) + np.arange(5, dtype=np.uint64) * gamma
    assert deals.splitmix64(states).tolist() == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
    ]  # fmt: skip
    assert int(deals.splitmix64(np.zeros(1, np.uint64))[0]) == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("size", [24, 36, 54])
def test_shuffles_are_whole_decks(size: int) -> None:
    decks = deals.shuffle(3, np.arange(2000), np.zeros(2000, np.int64), size)
    assert np.array_equal(np.sort(decks, axis=1), np.tile(np.arange(size), (2000, 1)))
    assert len(np.unique(decks, axis=0)) == 2000


@pytest.mark.parametrize("along", ["games", "hands", "seeds"])
def test_deals_are_uniform(along: str) -> None:
    """Chi-square of (place, card) counts, along each of the three numbers that name a deal; 0.1 % points."""
    n, size = 20_000, 36
    count, zero = np.arange(n), np.zeros(n, np.int64)
    if along == "games":
        decks = deals.shuffle(1, count, zero, size)
    elif along == "hands":
        decks = deals.shuffle(1, zero, count, size)
    else:
        decks = np.concatenate([deals.shuffle(s, count[:1], zero[:1], size) for s in range(n)])
    expected = n / size
    table = np.zeros((size, size))
    for place in range(size):
        table[place] = np.bincount(decks[:, place], minlength=size)
    places = ((table - expected) ** 2 / expected).sum()  # (size-1)² = 1225 degrees of freedom
    assert 1225 - 3.3 * np.sqrt(2 * 1225) < places < 1225 + 3.3 * np.sqrt(2 * 1225)
    pairs = np.bincount(decks[:, 0] * size + decks[:, 1], minlength=size * size)
    pairs = pairs[pairs > 0]
    assert len(pairs) == size * (size - 1)
    follow = ((pairs - n / 1260) ** 2 / (n / 1260)).sum()
    assert abs(follow - 1259) < 3.3 * np.sqrt(2 * 1259)
    later = decks[1:, 0] == decks[:-1, 0]  # neighbours are independent
    assert abs(later.mean() - 1 / size) < 4 * np.sqrt(1 / size / n)


def test_deals_depend_on_three_numbers_only() -> None:
    """The same (seed, game, hand) in any batch, in any order; different for any change of one of them."""
    g, h = np.array([5, 0, 17, 5]), np.array([2, 0, 9, 3])
    batch = deals.shuffle(11, g, h, 36)
    for row in range(4):
        assert np.array_equal(deals.shuffle(11, g[row : row + 1], h[row : row + 1], 36)[0], batch[row])
    one = deals.shuffle(11, g[:1], h[:1], 36)
    for seed, game, hand in ((12, 5, 2), (11, 6, 2), (11, 5, 3), (11, 2, 5), (-11, 5, 2)):
        assert not np.array_equal(deals.shuffle(seed, np.array([game]), np.array([hand]), 36), one)
    assert np.array_equal(deals.shuffle(11 + (1 << 64), g[:1], h[:1], 36), one)
    assert batch[0].tolist()[:6] == FIRST_CARDS


def plain_shuffle(seed: int, game: int, hand: int, size: int) -> list[int]:
    """The same deal in Python ints, from the description at the head of `deals`."""
    mask, gamma = (1 << 64) - 1, 0x9E3779B97F4A7C15

    def mix(x: int) -> int:
        z = (x + gamma) & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return z ^ z >> 31

    key = mix(mix(mix(seed & mask) ^ game) ^ hand)
    keys = [mix((key + card * gamma) & mask) >> 6 << 6 for card in range(size)]
    return sorted(range(size), key=lambda card: (keys[card], card))


@pytest.mark.parametrize("size", [24, 36, 54])
def test_deals_are_the_documented_ones(size: int) -> None:
    rng = np.random.default_rng(size)
    for seed, game, hand in rng.integers(0, 10_000, (50, 3)).tolist():
        deck = deals.shuffle(seed - 5000, np.array([game]), np.array([hand]), size)[0]
        assert deck.tolist() == plain_shuffle(seed - 5000, game, hand, size)


#: The deal (11, 5, 2) begins with these cards for ever: records depend on it.
FIRST_CARDS = [29, 4, 7, 33, 26, 24]


def test_streams_do_not_meet() -> None:
    g, h = np.arange(1000), np.zeros(1000, np.int64)
    keys = [deals.stream_keys(1, g, h, stream) for stream in (deals.DEAL, deals.CONTEXT, deals.FIRST_DEALER)]
    assert len(np.unique(np.concatenate(keys))) == 3000
    draws = deals.integers(keys[1], 0, 4)
    assert (np.abs(np.bincount(draws, minlength=4) - 250) < 60).all()
    assert not np.array_equal(deals.integers(keys[1], 1, 4), draws)
    assert deals.integers(keys[1], 2, 1).tolist() == [0] * 1000
    many = deals.numbers(keys[0], 3)
    assert np.array_equal(many[:, :2], deals.numbers(keys[0], 2))


def test_packets() -> None:
    decks = deals.shuffle(3, np.arange(50), np.zeros(50, np.int64), 24)
    words = deals.words_of_packets(decks, (7, 7, 7, 3))
    for deck, row in zip(decks.tolist(), words.tolist(), strict=True):
        ends = (0, 7, 14, 21, 24)
        for packet in range(4):
            assert plain_bits(row[packet]) == sorted(deck[ends[packet] : ends[packet + 1]])
    assert np.bitwise_count(deals.words_of_packets(decks, (5, 5))).tolist() == [[5, 5]] * 50


# --- layouts


@pytest.mark.parametrize("game", games())
def test_segments_are_contiguous(game: str) -> None:
    """The segments cover the row without gap or overlap, each with a meaning, a scale and its shape."""
    batch = make_batch(game, num_games=3)
    layout = batch.spec.layout
    end = 0
    for name, segment in layout.segments.items():
        assert (segment.name, segment.start) == (name, end)
        assert segment.size == int(np.prod(segment.shape)) > 0
        assert segment.meaning
        assert 0 < segment.scale <= 1
        end += segment.size
    obs = batch.observe()
    assert (end, obs.shape, obs.dtype) == (layout.size, (3, layout.size), np.uint8)
    floats = layout.to_float(obs)
    assert floats.dtype == np.float32
    assert 0 <= floats.min() <= floats.max() <= 2
    for name, segment in layout.segments.items():
        view = layout.view(floats, name)
        assert view.shape == (3, *segment.shape)
        scale = layout.scale[segment.columns].reshape(segment.shape)
        assert np.allclose(view, layout.view(obs, name) * scale)
    with pytest.raises(UnknownNameError, match="no observation segment is called 'nothing'; segments: "):
        layout["nothing"]
    with pytest.raises(ValueError, match="read-only"):
        layout.scale[0] = 2


def test_layout_hash() -> None:
    rows: list[tuple[str, tuple[int, ...], float, str]] = [("a", (2, 3), 1.0, "x"), ("b", (1,), 0.5, "y")]
    one = ObsLayout(rows)
    assert (one.size, one["b"].columns, one["a"].shape) == (7, slice(6, 7), (2, 3))
    assert one.hash == ObsLayout([("a", (2, 3), 1.0, "other words"), rows[1]]).hash
    for other in ([rows[1], rows[0]], [("a", (3, 2), 1.0, "x"), rows[1]], [rows[0], ("b", (1,), 0.25, "y")]):
        assert ObsLayout(other).hash != one.hash
    with pytest.raises(ValueError, match="two observation segments are called 'a'"):
        ObsLayout([rows[0], rows[0]])
    assert [row["name"] for row in one.to_dict()] == ["a", "b"]


@pytest.mark.parametrize("width", [24, 36, 54, 64, 20])
def test_plane_packer(width: int) -> None:
    """Packed planes unpack, as one row of bits, to the planes side by side."""
    group = PlanePacker(width, 40).group
    planes = 3 * group
    packer = PlanePacker(width, planes)
    words = np.random.default_rng(width).integers(0, 1 << 64, (25, planes), dtype=np.uint64)
    words &= np.uint64((1 << width) - 1)
    out = np.zeros((25, packer.bytes + 8), np.uint8)
    packer.pack(words, out)
    assert packer.bytes * 8 == width * planes
    row = np.unpackbits(out, axis=1, bitorder="little")
    assert np.array_equal(row[:, : width * planes].reshape(25, planes, width), bits.unpack(words[:, :, None], width))
    assert not row[:, width * planes :].any()
    if group > 1:
        with pytest.raises(ValueError, match=f"multiple of {group}"):
            PlanePacker(width, planes + 1)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_seat_flags(seats: int) -> None:
    """Turning a word moves the bit of seat s + r of every field to place r, and leaves the rest alone."""
    fields = ("one", "two", "three", "four", "five")
    flags = SeatFlags(seats, fields)
    assert flags.bits == seats * 5
    words = np.random.default_rng(seats).integers(0, 1 << 64, 300, dtype=np.uint64)
    observers = np.arange(300) % seats
    turned = flags.turn(words, observers)
    for word, turn, s in zip(words.tolist(), turned.tolist(), observers.tolist(), strict=True):
        assert turn >> flags.bits == word >> flags.bits
        for name in fields:
            for r in range(seats):
                assert bool(turn & flags.bit(name, r)) == bool(word & flags.bit(name, (s + r) % seats))
    assert flags.column("two").tolist() == [1 << (seats + s) for s in range(seats)] + [0]
    with pytest.raises(ValueError, match="too many seat flags"):
        SeatFlags(seats, [str(n) for n in range(64 // seats + 1)])


def test_seat_flags_of_a_full_word() -> None:
    flags = SeatFlags(4, [str(n) for n in range(16)])
    words = np.random.default_rng(1).integers(0, 1 << 64, 100, dtype=np.uint64)
    assert np.array_equal(flags.turn(words, np.zeros(100, int)), words)
    twice = flags.turn(flags.turn(words, np.full(100, 3)), np.ones(100, int))
    assert np.array_equal(twice, words)


# --- tricks


def test_trick_codes() -> None:
    """The running maximum of codes is the strongest card, of equal ones the first played."""
    rng = np.random.default_rng(3)
    for players in (2, 3, 4, 5):
        strengths = rng.integers(0, 5, (2000, players)).astype(np.int16)
        code = np.full(2000, tricks.EMPTY, np.int16)
        for order in range(players):
            code = np.maximum(code, tricks.codes(strengths[:, order], np.full(2000, order)))
        assert np.array_equal(tricks.order_of(code), np.argmax(strengths, axis=1))
        assert np.array_equal(tricks.strength_of(code), strengths.max(axis=1))


def test_equal_strengths() -> None:
    for later in range(1, 5):
        first, second = (tricks.codes(np.array([7], np.int16), np.array([order])) for order in (0, later))
        assert first > second > tricks.codes(np.array([6], np.int16), np.array([0]))
    assert tricks.strength_of(np.array([tricks.EMPTY], np.int16)) == -1
    assert tricks.codes(np.array([0], np.int16), np.array([4])) > tricks.EMPTY


# --- rules


@dataclass(frozen=True)
class ToyRules(Rules):
    game: ClassVar[str] = "toy"
    bid: int = option(10, check=positive_int, values="any positive int", ids="X-01", doc="a bid")
    side: str = option("left", choices=("left", "right"), ids="X-02", doc="a side")
    limit: int | None = option(None, check=optional_positive_int, values="None | positive", ids="X-03", doc="a limit")
    double: bool = option(False, choices=(False, True), ids="X-04", doc="twice")
    presets: ClassVar[dict[str, dict[str, Any]]] = {"plain": {}, "long": {"bid": 20, "limit": 5}}

    def validate(self) -> None:
        if self.limit is not None and self.limit > self.bid:
            raise RulesError("toy rules: limit above bid (X-03)")


def test_rules_are_made() -> None:
    assert ToyRules.make() == ToyRules.make("plain") == ToyRules()
    assert ToyRules.make("long", side="right") == ToyRules(20, "right", 5)
    assert ToyRules.make({"preset": "long", "limit": None}) == ToyRules(20)
    assert ToyRules.make(ToyRules(7)) == ToyRules(7)
    assert ToyRules(7).replace(bid=8) == ToyRules(8)
    assert len({ToyRules(7), ToyRules(7), ToyRules(8)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        ToyRules().bid = 3  # type: ignore[misc]
    assert ToyRules.make(ToyRules(20, limit=5).to_dict()) == ToyRules.make("long")


def test_names_and_digests_of_rules() -> None:
    assert (ToyRules.make("long").preset_name, ToyRules(7).preset_name) == ("long", None)
    assert ToyRules(7).name == "plain[bid=7]"
    assert ToyRules.make("long", bid=21).name == "long[bid=21]"
    assert ToyRules(7).digest() == ToyRules(7).digest() != ToyRules(8).digest()
    assert len({SchieberRules.make(preset).digest() for preset in SchieberRules.presets}) == 7  # two are the same
    rows = ToyRules.describe()
    assert [row.name for row in rows] == ["bid", "side", "limit", "double"]
    assert rows[1].values == "'left' | 'right'"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"bid": 0}, "toy rules: bid=0 must be a positive int; allowed: any positive int (X-01)"),
        ({"bid": True}, "toy rules: bid=True must be a positive int; allowed: any positive int (X-01)"),
        ({"bid": 1.0}, "toy rules: bid=1.0 must be a positive int; allowed: any positive int (X-01)"),
        ({"limit": -1}, "toy rules: limit=-1 must be a positive int; allowed: None | positive (X-03)"),
        ({"side": "up"}, "toy rules: side='up' is not allowed; allowed: 'left' | 'right' (X-02)"),
        ({"double": 1}, "toy rules: double=1 is not allowed; allowed: False | True (X-04)"),
        ({"bid": 3, "limit": 4}, "toy rules: limit above bid (X-03)"),
        ({"bids": 3}, "toy rules: no option is called 'bids'; options: bid, side, limit, double"),
        ({"preset": "short"}, "toy rules: no preset is called 'short'; presets: plain, long"),
        ("short", "toy rules: no preset is called 'short'; presets: plain, long"),
        (5, "toy rules: give a preset name, a mapping of options or ToyRules, not int"),
        (SchieberRules(), "toy rules expected, got SchieberRules"),
    ],
)
def test_rules_are_refused(given: Any, message: str) -> None:
    with pytest.raises(RulesError) as caught:
        ToyRules.make(given)
    assert str(caught.value) == message
