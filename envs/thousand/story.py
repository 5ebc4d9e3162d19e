"""Whole deals of Thousand in words, all cards open: for replays that a player can follow and check by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..core.bits import indices_of
from .log import EVENT_TEXTS
from .tables import ACE, CARDS, NUM_RANKS, active_seats, declare_cards
from .tables import POINTS as CARD_POINTS
from .view import MARRIAGE_KINDS, NAMES, Play, TableView

if TYPE_CHECKING:
    from .game import Thousand


def deal_story(before: Thousand, action: int, after: Thousand) -> list[str]:
    """One deal of a batch of one game.

    Args:
        before: the game before the last action of the deal. action: that action. after: the game after it.
    """
    names = NAMES[before.rules.players]
    view = TableView(before, 0, names)
    lines = [f"Deal {view.deal_number}: {names[view.dealer]} deals, {names[view.forehand]} is forehand"]
    lines += _hands(before, view)
    if int(after.state.redeals[0]) > view.redeals and int(after.state.hand_id[0]) == int(before.state.hand_id[0]):
        lines += _auction(view)
        lines.append(f"  {names[view.player]} has the cards thrown in: the same dealer deals again")
        return lines
    lines += _auction(view)
    lines += _contract(before, view, action)
    if action < before.spec.deck.size + len(declare_cards(before.rules)):
        lines += _tricks(before, view, action)
    return [*lines, *_scores(after, names)]


def _cards(view: TableView, cards: Iterable[int]) -> str:
    return " ".join(view.card_text(card) for card in sorted(cards, reverse=True))


def _hands(game: Thousand, view: TableView) -> list[str]:
    """The cards as they were dealt."""
    s = game.state
    dealt = [int(s.hands[0, seat] | s.played[0, seat]) for seat in range(view.players)]
    for seat, card in _gifts(game, view):
        dealt[view.declarer] |= 1 << card
        if seat >= 0:
            dealt[seat] &= ~(1 << card)
    if view.talon:
        dealt[view.declarer] &= ~sum(1 << card for card in view.talon)
    width = max(map(len, view.names))
    lines = [
        f"  {name:<{width}}  {_cards(view, indices_of(cards))}"
        for seat, (name, cards) in enumerate(zip(view.names, dealt, strict=True))
        if seat != view.sits_out
    ]
    talons = [indices_of(int(word)) for word in s.talons[0] if word]
    return [*lines, f"  {'talon':<{width}}  " + " | ".join(_cards(view, talon) for talon in talons)]


def _gifts(game: Thousand, view: TableView) -> list[tuple[int, int]]:
    """Receiver (-1: the bank) and card of each gift, in order."""
    if not view.given:
        return []
    seats = active_seats(view.players, view.dealer)
    turn = seats.index(view.declarer)
    others = [*seats[turn + 1 :], *seats[:turn], -1, -1]
    return [(others[k], indices_of(int(game.state.gave[0, k]))[0]) for k in range(view.given)]


def _auction(view: TableView) -> list[str]:
    calls = ", ".join(f"{view.names[seat]} {call}" for seat, call in view.calls)
    return [f"  Auction: {calls}"] if calls else []


def _contract(game: Thousand, view: TableView, action: int) -> list[str]:
    if view.declarer < 0:
        return []
    name = view.names[view.declarer]
    lines = [f"  {name} takes the talon{'' if view.shown else ', not shown,'} for {view.price}"]
    if action == game.spec.parse_action("Write off"):
        return [f"{lines[0]} and writes off"]
    lines[0] += f" and plays {view.contract}"
    to = (*view.names, "the bank")  # seat -1
    given = ", ".join(f"{view.card_text(card)} to {to[seat]}" for seat, card in _gifts(game, view))
    return [*lines, f"  {name} gives {given}"]


def _tricks(game: Thousand, view: TableView, action: int) -> list[str]:
    """A line for each trick, the last one completed by the action."""
    card = action if action < CARDS else declare_cards(game.rules)[action - CARDS]
    view.plays.append(Play(view.player, card, action >= CARDS))
    lines: list[str] = []
    taken = [0] * view.players
    for number in range(view.tricks + 1):
        plays = view.trick_number(number)
        winner = plays[view.best_of(plays, number)].seat
        points = sum(CARD_POINTS[p.card % NUM_RANKS] for p in plays)
        taken[winner] += points
        told = ", ".join(f"{view.names[p.seat]} {_declared(view, p)}{view.card_text(p.card)}" for p in plays)
        trump = view.trump_in(number)
        note = f" (trump {MARRIAGE_KINDS[trump]})" if trump < 4 else ""
        lines.append(f"  {number + 1:>2}. {told}: {view.names[winner]} {points}, together {taken[winner]}{note}")
    return lines


def _declared(view: TableView, play: Play) -> str:
    if not play.declares:
        return ""
    kind = 4 if play.card % NUM_RANKS == ACE else play.card // NUM_RANKS
    return f"declares {MARRIAGE_KINDS[kind]} {view.marriage_value(kind)} with "


def _scores(game: Thousand, names: tuple[str, ...]) -> list[str]:
    """What each seat took, wrote and has, and what happened to it."""
    facts = game.result()
    lines: list[str] = []
    if not facts["written_off"]:
        taken = [
            f"{name} {points}{f' + {married}' if married else ''}"
            for name, points, married in zip(names, facts["points"], facts["marriages"], strict=True)
        ]
        verdict = "made" if facts["made"] else "missed"
        lines.append(f"  Taken: {', '.join(taken)}; {names[facts['declarer']]} {verdict} {facts['contract']}")
    lines.append("  Written: " + ", ".join(f"{n} {e:+d}" for n, e in zip(names, facts["entries"], strict=True)))
    for name, happened, fine in zip(names, facts["happened"], facts["fines"], strict=True):
        told = [EVENT_TEXTS[event].format(name) for event in happened]
        if told:
            lines.append(f"  {'; '.join(told)}{f' ({-fine})' if fine else ''}")
    bolts = game.state.bolts[0].tolist()
    scores = [
        f"{name} {score}{' ' + '—' * bolt if bolt else ''}"
        for name, score, bolt in zip(names, facts["scores"], bolts, strict=True)
    ]
    return [*lines, f"  Score: {', '.join(scores)}", ""]
