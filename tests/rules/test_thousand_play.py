"""Thousand: legal cards, tricks, marriages, the ace marriage."""

from __future__ import annotations

from typing import Any

import numpy as np
from thousand_table import Table, cards, end, playing

from bidtrick.envs import make_batch

#: No question before the auction, so that hands may be anything.
CALM: dict[str, Any] = {
    "redeal_hand_points_lt": None, "redeal_hand_nines_ge": None, "redeal_hand_jacks_eq": None,
    "redeal_talon_points_lt": None, "redeal_talon_nines_ge": None, "redeal_talon_jacks_eq": None,
}  # fmt: skip
FREE: dict[str, Any] = {**CALM, "marriage_needs_trick": False}

#: Seat 0 leads; spades and hearts marriages are spread so that trumps can be made and changed.
HANDS = ("♠K ♠Q ♠A ♣A ♦9 ♦J ♣9", "♥K ♥Q ♦A ♦10 ♠9 ♥9 ♣10", "♣K ♣Q ♥A ♥10 ♠10 ♦K ♠J", "♥J ♣J ♦Q")
GIVE = ("♥J", "♣J")


def at_play(rules: Any = None, hands: tuple[str, ...] = HANDS, give: tuple[str, ...] = GIVE, **context: Any) -> Table:
    return playing(*hands, rules={**CALM, **(rules or {})}, give=give, **context)


# --- following


def test_the_declarer_leads() -> None:
    """T-PLAY-01, T-PLAY-09: the declarer leads the first trick, then the winner; clockwise; eight tricks."""
    table = at_play()
    assert (table.seat, len(table.cards)) == (0, 8)
    table.do("♦9")
    assert table.seat == 1
    table.do("♦A", "♦K")
    assert (table.seat, table.sees("leader", 1).tolist()) == (1, [1, 0, 0])
    rng = np.random.default_rng(0)
    while table.seat >= 0:
        table.game.step(table.game.sample_actions(rng))
    assert sum(table.report["tricks"]) == 8


def test_follow_suit() -> None:
    """T-PLAY-02, T-PLAY-10: the suit led, if held; any other card is refused by the mask."""
    table = at_play().do("♦9")
    assert table.cards == set(cards("♦A ♦10"))
    table.do("♦A")
    assert table.cards == set(cards("♦K"))


def test_void_without_trump() -> None:
    """T-PLAY-04, T-PLAY-06: without a trump anything may be discarded, and cannot win; its points go to the winner."""
    table = at_play().do("♠A", "♠9", "♠J").do("♣A", "♣10", "♣J")
    table.do("♦9", "♦A", "♦K")  # seat 1 leads
    assert table.sees("sheet", 0).reshape(3, 12)[:, 8].tolist() == [11 + 2 + 11 + 10 + 2, 11 + 4, 0]


def test_situation_4() -> None:
    """T-PLAY-03, situation 4: hand 9♦ 9♠, led A♥, trump ♠: must play 9♠."""
    hands = ("♠K ♠Q ♠A ♣A ♥A ♥10 ♥K", "♠9 ♦9 ♦J ♦Q ♦K ♦10 ♦A", "♣K ♣Q ♣10 ♣9 ♠10 ♠J ♥9", "♥J ♣J ♥Q")
    table = at_play(FREE, hands, give=("♣J", "♥J"))
    table.do("!♠K")
    assert table.cards == {0}
    table.do("♠9", "♠10")  # seat 2 takes it
    table.do("♣K", "♣A", "♣J")
    assert table.seat == 0
    table.do("♥A")
    assert table.cards == set(cards("♦9 ♦J ♦Q ♦K ♦10 ♦A"))  # no trump left: anything
    other = at_play(FREE, hands, give=("♣J", "♥J")).do("♥A")
    assert other.cards == set(cards("♠9 ♦9 ♦J ♦Q ♦K ♦10 ♦A ♣J"))
    held = at_play(FREE, ("♠K ♠Q ♠A ♣A ♥A ♥10 ♥K", "♠9 ♠J ♦9 ♦J ♦Q ♦K ♦10", hands[2].replace("♠J", "♦A"), hands[3]),
                   give=("♣J", "♥J")).do("!♠K", "♠9", "♠10", "♣K", "♣A", "♣J", "♥A")  # fmt: skip
    assert held.cards == set(cards("♠J"))
    optional = at_play({**FREE, "play_must_trump": False},
                       ("♠K ♠Q ♠A ♣A ♥A ♥10 ♥K", "♠9 ♠J ♦9 ♦J ♦Q ♦K ♦10", hands[2].replace("♠J", "♦A"), hands[3]),
                       give=("♣J", "♥J")).do("!♠K", "♠9", "♠10", "♣K", "♣A", "♣J", "♥A")  # fmt: skip
    assert optional.cards == set(cards("♠J ♦9 ♦J ♦Q ♦K ♦10"))


def test_ruffs_and_discards() -> None:
    """T-PLAY-06: the highest trump wins, an off-suit card never."""
    batch = make_batch("thousand", num_games=300, seed=4, rules=FREE)
    rng = np.random.default_rng(1)
    checked = 0
    for _ in range(40):
        s = batch.state
        last = (s.order == 2) & (batch.phase == 9) & (s.player >= 0)
        tables, trump, led, leader = s.table.copy(), s.trump.copy(), s.led.copy(), s.leader.copy()
        actor = s.player.copy()
        actions = batch.sample_actions(rng)
        batch.step(actions)
        for g in np.flatnonzero(last & (actions < 24) & (s.player >= 0)).tolist():
            lie = {seat: int(w).bit_length() - 1 for seat, w in enumerate(tables[g].tolist()) if w}
            lie[int(actor[g])] = int(actions[g])
            trumps = {k: c for k, c in lie.items() if c // 6 == trump[g]}
            best = trumps or {k: c for k, c in lie.items() if c // 6 == led[g]}
            assert batch.state.player[g] == max(best, key=lambda k: best[k] % 6)
            assert int(leader[g]) in lie
            checked += 1
    assert checked > 500


def test_must_beat_and_overtrump() -> None:
    """T-PLAY-05: beating concerns following suit, not once the trick is ruffed; ruffs must be higher."""
    hands = ("♦9 ♦J ♠A ♣A ♠9 ♣9 ♥9", "♦Q ♦A ♥K ♥Q ♣10 ♠J ♥J", "♦K ♦10 ♣K ♣Q ♠K ♠Q ♥A", "♥10 ♠10 ♣J")
    give = ("♣J", "♠9")
    assert at_play(FREE, hands, give).do("♦J").cards == set(cards("♦Q ♦A"))
    beat = at_play({**FREE, "play_must_beat": True}, hands, give).do("♦9", "♦A")
    assert beat.cards == set(cards("♦K ♦10"))  # cannot beat: any of the suit
    beat = at_play({**FREE, "play_must_beat": True}, hands, give).do("♦9", "♦Q")
    assert beat.cards == set(cards("♦K ♦10"))
    hearts = ("♥K ♥Q ♠A ♣A ♥9 ♦9 ♦J", "♥J ♥10 ♠9 ♠J ♣9 ♣J ♦Q", "♥A ♠K ♠Q ♣K ♣Q ♦K ♦A", "♦10 ♣10 ♠10")
    over = at_play({**FREE, "play_must_overtrump": True, "play_must_beat": True}, hearts, ("♣10", "♦J"))
    over.do("!♥Q")
    assert over.cards == set(cards("♥10"))
    over.do("♥10", "♥A")
    assert over.do("♦K").cards == set(cards("♦10"))


def test_foreign_trump_leads() -> None:
    """T-PLAY-07: only who declared the present trump may lead it, unless nothing else is left."""
    hands = ("♠K ♠Q ♠9 ♣9 ♦9 ♦J ♣J", "♠A ♠J ♥A ♥K ♦A ♦K ♣A", "♥Q ♥10 ♥J ♦10 ♦Q ♣10 ♣K", "♥9 ♣Q ♠10")
    for kind, free in (("allowed", True), ("forbidden", False)):
        table = at_play({**FREE, "play_foreign_trump_lead": kind}, hands, ("♥9", "♠10")).do("!♠K", "♠A", "♠10")
        assert table.seat == 1
        assert (set(cards("♠J")) <= table.cards) == free
        own = at_play({**FREE, "play_foreign_trump_lead": kind}, hands, ("♥9", "♠10")).do("!♠Q", "♠J", "♠10")
        assert own.seat == 2
    batch = make_batch("thousand", num_games=500, seed=2, rules={**FREE, "play_foreign_trump_lead": "forbidden"})
    rng = np.random.default_rng(0)
    waived = 0
    for _ in range(40):
        s, word = batch.state, batch.legal_words()[:, 0] & np.uint64(0xFFFFFF)
        foreign = (batch.phase == 9) & (s.order == 0) & (s.trump < 4) & (s.trump_owner != s.player) & (s.player >= 0)
        for g in np.flatnonzero(foreign).tolist():
            suits = {c // 6 for c in range(24) if int(word[g]) >> c & 1}
            if int(s.trump[g]) in suits:
                held = int(s.hands[g, s.player[g]])
                assert {c // 6 for c in range(24) if held >> c & 1} == {int(s.trump[g])}
                waived += 1
        batch.step(batch.sample_actions(rng))
    assert waived


def test_played_cards_are_gone() -> None:
    """T-PLAY-08: cards of finished tricks are out of play, and everybody remembers them."""
    table = at_play().do("♦9", "♦A", "♦K")
    assert all(not (int(h) & (1 << 12 | 1 << 17 | 1 << 15)) for h in table.game.state.hands[0])
    assert [set(np.flatnonzero(p)) for p in table.sees("played", 1)] == [{17}, {15}, {12}]


# --- marriages


def test_values() -> None:
    """T-MAR-02: hearts 100, diamonds 80, clubs 60, spades 40; or as the option says."""
    for suit, value in zip("♠♣♦♥", (40, 60, 80, 100), strict=True):
        rest = [s for s in "♠♣♦♥" if s != suit]
        hands = (f"{suit}K {suit}Q {suit}A {rest[0]}9 {rest[1]}9 {rest[2]}9 {rest[0]}J",)
        for rules, factor in ((FREE, 1), ({**FREE, "marriage_values": (10, 20, 30, 40)}, None)):
            table = at_play(rules, hands, give=(f"{rest[0]}9", f"{rest[0]}J")).do(f"!{suit}K")
            tens = int(table.game.state.sheet[0, 0, 10])
            assert tens * 10 == (value if factor else 10 * (1 + "♠♣♦♥".index(suit)))


def test_needs_a_trick() -> None:
    """T-MAR-03, T-MAR-04, T-MAR-12: not on the first lead; after a trick, on one's own lead, up to trick seven."""
    table = at_play()
    assert not any(name.startswith("Declare") for name in table.legal)
    table.do("♠A", "♠9", "♠J")
    assert [name for name in table.legal if name.startswith("Declare")] == [
        "Declare Spades Queen",
        "Declare Spades King",
    ]
    assert at_play(FREE).legal.count("Declare Spades King") == 1
    for lead in ("♣A",):
        table.do(lead)
    assert not any(name.startswith("Declare") for name in table.legal)  # followers do not declare
    batch = make_batch("thousand", num_games=2_000, seed=2, rules=CALM)
    rng = np.random.default_rng(0)
    seen: set[int] = set()
    for _ in range(40):
        s = batch.state
        declares = (batch.legal_words()[:, 0] >> np.uint64(24)) & np.uint64(0xFF)
        rows = np.flatnonzero((declares != 0) & (batch.phase == 9))
        seen |= set(s.tricks[rows].tolist())
        assert (s.sheet[rows, s.player[rows], 9] > 0).all()
        batch.step(batch.sample_actions(rng))
    assert seen == set(range(1, 7))


def test_a_right() -> None:
    """T-MAR-05, T-MAR-06, T-MAR-11: silently or declared, by king or queen; the mate must be in hand; once a suit."""
    table = at_play(FREE)
    assert {"Spades King", "Spades Queen", "Declare Spades King", "Declare Spades Queen"} <= set(table.legal)
    forced = at_play({**FREE, "marriage_optional": False})
    assert "Spades King" not in forced.legal
    assert "Declare Spades King" in forced.legal
    table.do("♠K", "♠9", "♠J")
    assert "Declare Spades Queen" not in table.legal


def test_credited_at_once() -> None:
    """T-MAR-07, T-MAR-08, T-MAR-10: the value counts whoever takes the trick; the suit is trump at once."""
    table = at_play(FREE)
    assert not table.sees("trump", 1).any()
    table.do("!♠Q")
    assert table.sees("trump", 1).tolist() == [1, 0, 0, 0]
    assert table.sees("married", 2).tolist()[0] == [0, 1, 0]  # spades, by the seat after seat 2
    table.do("♠9", "♠10")
    assert (table.seat, int(table.game.state.sheet[0, 0, 10])) == (2, 4)
    assert table.game.state.sheet[0, :, 8].tolist() == [0, 0, 3 + 10]


def retrump(**rules: Any) -> Table:
    """Seat 0 makes spades trump, seat 2 takes the trick; seat 2 then leads a king of clubs, its own marriage."""
    hands = ("♠K ♠Q ♠A ♣9 ♦9 ♦J ♦Q", "♥K ♥Q ♦A ♦10 ♠9 ♠J ♥9", "♣K ♣Q ♥A ♥10 ♠10 ♦K ♣10", "♥J ♣J ♣A")
    return at_play({**FREE, **rules}, hands, give=("♥J", "♣J")).do("!♠Q", "♠9", "♠10")


def test_retrumping() -> None:
    """T-MAR-09: a defender who gets the lead declares his own marriage, and the trump changes."""
    table = retrump().do("!♣K")
    assert table.sees("trump", 0).tolist() == [0, 1, 0, 0]
    assert table.sees("trump_owner", 2).tolist() == [1, 0, 0]
    assert table.game.state.sheet[0, :, 10].tolist() == [4, 0, 6]


def test_situation_20() -> None:
    """T-MAR-08, situation 20: an old trump cannot win the trick of the new one, and nobody must ruff with it."""
    now = retrump().do("!♣K", "♣9")
    assert set(cards("♠J ♥K ♦A")) <= now.cards  # seat 1 holds no clubs: anything
    now.do("♠J")
    assert now.seat == 2
    later = retrump(marriage_trump_from="next_trick")
    assert later.seat == 2  # spades are trump only from the next trick on, and it was a spade trick
    later.do("!♣K", "♣9")
    assert later.cards == set(cards("♠J"))
    later.do("♠J")
    assert later.seat == 1
    assert later.sees("trump", 1).tolist() == [0, 1, 0, 0]


def test_situation_11() -> None:
    """T-MAR-04, situation 11: a king played as a follower changes no trump, unless followers may declare."""
    hands = ("♥9 ♠A ♣A ♦9 ♦J ♠9 ♣9", "♥K ♥Q ♥J ♦Q ♦K ♣10 ♣J", "♥A ♥10 ♠K ♠Q ♦10 ♦A ♠10", "♠J ♣K ♣Q")
    table = at_play(FREE, hands, give=("♠J", "♣Q")).do("♥9")
    assert not any(name.startswith("Declare") for name in table.legal)
    table.do("♥K")
    assert not table.sees("trump").any()
    follower = at_play({**FREE, "marriage_on_lead_only": False}, hands, give=("♠J", "♣Q")).do("♥9", "!♥K")
    assert follower.sees("trump").tolist() == [0, 0, 0, 1]
    assert follower.sees("winning", 1).tolist() == [1, 0, 0]


def test_most_marriages() -> None:
    """T-MAR-13: 280 by four pairs, never more; here it takes a first lead without a trick."""
    hands = ("♠K ♠Q ♣K ♣Q ♦K ♦Q ♥K", "", "", "♥Q ♠9 ♣9")
    table = at_play(FREE, hands, give=("♠9", "♣9"))
    for suit in "♠♣♦♥":
        if table.seat == 0:
            table.do(f"!{suit}K")
            while table.seat > 0 and table.game.state.order[0]:
                card = min(table.cards, key=lambda c: c % 6)
                table.game.step([card])
    assert int(table.game.state.sheet[0, 0, 10]) * 10 <= 280


# --- four aces

ACES = ("♠A ♣A ♦A ♥A ♠K ♠9 ♠10", "♣K ♣Q ♣9 ♣10 ♦K ♦9 ♦10", "♥K ♥Q ♥9 ♥10 ♦Q ♠J ♦J", "♠Q ♥J ♣J")


def test_four_aces() -> None:
    """T-ACE-01, T-ACE-02, T-ACE-03, T-ACE-04, T-ACE-05: led ace, after a trick won without one, all four in hand."""
    on = {**CALM, "ace_marriage": True}
    table = at_play(on, ACES, give=("♥J", "♣J"))
    assert "Declare Spades Ace" not in table.legal
    table.do("♠10", "♣9", "♠J")
    assert "Declare Hearts Ace" in table.legal
    table.do("!♥A")
    assert int(table.game.state.sheet[0, 0, 10]) == 20
    assert not table.sees("trump").any()
    assert table.sees("married", 0).tolist()[4] == [1, 0, 0]
    table.do("♥J", "♥9")
    assert "Declare Spades Ace" not in table.legal  # one of them is gone
    spent = at_play(on, ACES, give=("♥J", "♣J")).do("♠A", "♣9", "♠J")
    assert "Declare Clubs Ace" not in spent.legal
    assert "Declare Spades Ace" in at_play({**on, "ace_marriage_needs_trick": False}, ACES, give=("♥J", "♣J")).legal
    sets = at_play({**on, "ace_marriage_sets_trump": True}, ACES, give=("♥J", "♣J")).do("♠10", "♣9", "♠J", "!♥A")
    assert sets.sees("trump").tolist() == [0, 0, 0, 1]
    assert "Declare Hearts Ace" not in at_play(None, ACES, give=("♥J", "♣J")).do("♠10", "♣9", "♠J").legal


def test_aces_count_with_marriages() -> None:
    """T-ACE-06, T-SCO-01: the 200 are marriage points of the seat."""
    assert end("mailru", bid=300, cards=(110, 10, 0), marriages=(200,))[0]["entries"] == [300, 10, 0]
