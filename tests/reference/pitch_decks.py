"""Stacked decks and shortcuts for situations of the reference game of 10-point Pitch.

Cards are written as rank and suit, '10S' for the ten of spades, and 'HJ' and 'LJ' for the jokers.
"""

from __future__ import annotations

from typing import Any

import pitch_rules as R
from pitch import Oracle

RANKS = {name: i for i, name in enumerate(R.RANK_NAMES)}


def card(name: str) -> int:
    """'10S' is the ten of spades, 'HJ' and 'LJ' are the jokers."""
    if name in R.JOKERS:
        return R.JOKERS[name]
    return "CDHS".index(name[-1]) * 13 + RANKS[name[:-1]]


def cards(names: str) -> list[int]:
    return [card(name) for name in names.split()]


def stack(
    hands: dict[int, str], stock: str = "", players: int = 4, trump: int = R.SPADES, **rules: Any
) -> list[int]:
    """A deck that deals the named cards; hands are filled up with dead cards, the stock with the rest.

    Named stock cards come first; trumps that are not named end up at the bottom of the stock.
    """
    tables = R.Tables(R.validate(rules, players), players)
    named = [c for text in (*hands.values(), stock) for c in cards(text)]
    rest = [c for c in tables.deck if c not in named]
    rest.sort(key=lambda c: tables.is_trump(c, trump))
    size = 9 if players == 4 else 10
    deck: list[int] = []
    for seat in range(players):
        hand = cards(hands.get(seat, ""))
        while len(hand) < size:
            hand.append(rest.pop(0))
        deck += hand
    return deck + cards(stock) + rest


def game(deck: list[int], players: int = 4, dealer: int = 3, **options: Any) -> Oracle:
    """One hand of the given deck; seat 0 speaks first unless the dealer is changed."""
    episode = options.pop("episode", "hand")
    scores = options.pop("scores", None)
    return Oracle(options, players, lambda _: list(deck), dealer, scores, episode)


def bid(o: Oracle, *bids: Any, trump: int = R.SPADES, call: str = "") -> Oracle:
    """Bid in order (a number, 'pass' or 'moon'), name trump and call."""
    for b in bids:
        o.step(("bid", b) if isinstance(b, int) else (b,))
    o.step(("trump", trump))
    if call:
        o.step(("call", card(call)))
    return o


def burn_any(o: Oracle) -> Oracle:
    """Keep the leftovers and burn the first card offered until the play starts."""
    while o.phase in ("kitty", "burn"):
        o.step(o.legal()[0])
    return o


def shaped(keep: dict[int, str], **options: Any) -> Oracle:
    """Seat 0 has bid 4, and exactly the named spade trumps are in play; all others were thrown away."""
    tables = R.Tables(R.validate({}, 4), 4)
    hands = {seat: cards(keep.get(seat, "")) for seat in range(4)}
    spare = [c for c in tables.trumps(R.SPADES) if not any(c in hand for hand in hands.values())]
    dead = [c for c in tables.deck if not tables.is_trump(c, R.SPADES)]
    deck: list[int] = []
    for seat in range(4):
        filler = (spare + dead)[: 9 - len(hands[seat])]
        deck += hands[seat] + filler
        spare = [c for c in spare if c not in filler]
        dead = [c for c in dead if c not in filler]
    o = bid(game(deck + dead, discarded_trump="dead", **options), 4, "pass", "pass", "pass")
    while o.phase == "discard":
        away = [a for a in o.legal() if a[1:] and a[1] not in hands[o.current_player]]
        o.step(away[0] if away else ("done",))
    if o.phase == "kitty":
        o.step(("kitty", "keep"))
    assert [sorted(hand) for hand in o.hand.kept] == [sorted(hands[seat]) for seat in range(4)]
    return o


def play(o: Oracle, names: str) -> Oracle:
    for c in cards(names):
        o.step(("play", c))
    return o


def play_out(o: Oracle) -> Oracle:
    """Everybody plays the first legal card to the end of the hand."""
    hands = len(o.history)
    while not o.done and len(o.history) == hands:
        o.step(o.legal()[0])
    return o
