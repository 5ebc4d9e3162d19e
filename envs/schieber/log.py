"""The story of a hand of Schieber in short sentences, for pictures, terminals and logs."""

from __future__ import annotations

from .tables import NO_CONTRACT
from .view import TableView


def events(view: TableView) -> tuple[str, ...]:
    """What everybody at the table has seen in the present hand, oldest first."""
    return (*_opening(view), *_contract(view), *_plays(view), *_ending(view))


def hand_points(points: int, multiplier: int) -> str:
    """Points as they are counted, e.g. "13 × 2 = 26"."""
    return f"{points} points" if multiplier == 1 else f"{points} × {multiplier} = {points * multiplier}"


def _opening(view: TableView) -> list[str]:
    lines: list[str] = []
    if view.previous is not None:
        contract, points = view.previous
        result = f"{view.teams[0]} {points[0]}, {view.teams[1]} {points[1]}"
        lines.append(f"Last hand ({view.contract_name(contract)}): {result}")
    forehand, dealer = view.names[view.forehand], view.names[(view.forehand + 3) % 4]
    if view.first_card >= 0:
        lines.append(f"{forehand} holds {view.card_text(view.first_card)} and is forehand")
    else:
        lines.append(f"{dealer} deals, {forehand} is forehand")
    return lines


def _contract(view: TableView) -> list[str]:
    seats = (view.forehand, (view.forehand + 2) % 4)
    lines = [f"{view.names[seats[k % 2]]} pushes to {view.names[seats[1 - k % 2]]}" for k in range(view.pushes)]
    if view.contract != NO_CONTRACT:
        lines.append(f"{view.names[view.declarer]} chooses {view.contract_label(view.contract)} (×{view.multiplier})")
    return lines


def _plays(view: TableView) -> list[str]:
    """One line a complete trick, one a card of the present trick; Weis and Stöck where they were scored."""
    lines: list[str] = []
    for place, play in enumerate(view.plays):
        number, order = divmod(place, 4)
        name, card = view.names[play.seat], view.card_text(play.card)
        if number == view.tricks:
            lines.append(f"{name} leads {card}" if order == 0 else f"{name} plays {card}")
        if number == 0 and view.declared(play.seat):
            lines.append(f"{name} declares a Weis of {view.weis[play.seat]}")
        if place == view.stock_scored_at:
            lines.append(f"{name} has the Stöck: {hand_points(20, view.multiplier)}")
        if order == 3 and number < view.tricks:
            lines += _trick(view, number)
    return lines


def _trick(view: TableView, number: int) -> list[str]:
    plays = view.plays[4 * number : 4 * number + 4]
    best = plays[view.best_of(plays)]
    points = view.trick_points(number)
    counted = sum(view.card_points) or number or view.winner < 0  # the Weis may have ended the match first (J-END-02)
    value = f"{points} points" if counted else "not counted"
    taken = f"Trick {number + 1}: {view.names[best.seat]} with {view.card_text(best.card)}, {value}"
    weis = [
        f"Best Weis: {view.teams[team]} score {hand_points(view.weis_scored[team], view.multiplier)}"
        for team in (0, 1)
        if view.weis_scored[team] and number == 0
    ]
    weis_first = view.rules.claim_order == "stock_weis_trick"
    return [*weis, taken] if weis_first else [taken, *weis]


def _ending(view: TableView) -> list[str]:
    lines: list[str] = []
    for team in (0, 1):
        if view.stock_scored[team] and view.stock_scored_at < 0:
            name = next(view.names[s] for s in range(4) if view.flag("stock", s))
            lines.append(f"{name} shows the Stöck early and wins: {hand_points(20, view.multiplier)}")
        if view.bonus[team]:
            lines.append(f"{view.teams[team]} took all nine tricks: {hand_points(view.bonus[team], view.multiplier)}")
    if view.finished and view.winner in (0, 1) and view.rules.live_target:
        lines.append(f"{view.teams[view.winner]} reach {view.rules.target} and win the match")
    return lines
