"""A slow, plain oracle of the card game Thousand, written from the rule book: a hand or a whole match.

``deals(k)`` gives the k-th shuffled deck (k from 0, redealt decks included); `thousand_deal` says in which
order it is dealt. ``cut(k, n)`` gives the bottom card seen after the n-th cut (n from 0) of deck k, for
``cut_ritual``; at most three are asked for.

Actions are tuples: ("dark", bool), ("redeal", bool), ("info_card", index), ("bid", n), ("pass",),
("talon", index), ("contract", n), ("write_off",), ("give", card), ("play", card), ("declare", card).
The facts of the running deal are the attributes of ``oracle.deal``; finished deals are in ``history``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from thousand_cards import NINE, rank_of, suit_of
from thousand_deal import Action, Deal
from thousand_rules import Rules, complete
from thousand_scoring import DRAW, MatchState, Settlement, payout, settle

CUT_FINE = 120  # T-CUT-04
PRIVATE_PHASES = ("hand_redeal", "talon_redeal", "pass_redeal", "info")  # section 21, lines 70 and 80


class Oracle:
    """The game. `context` may hold any of: scores, bolts, attempts, falls, write_offs, last_contracts (a
    list by seat each), deals_played, golden_left, golden_made. A seat whose score is barrel.at is on the
    barrel; attempts are those it has failed since mounting.
    """

    def __init__(
        self,
        rules: Rules,
        deals: Callable[[int], list[int]],
        dealer: int = 0,
        context: dict[str, Any] | None = None,
        episode: str = "match",
        cut: Callable[[int, int], int] | None = None,
    ) -> None:
        self.rules = complete(rules)
        self.players: int = self.rules["players"]
        if episode not in ("hand", "match"):
            raise ValueError("episode is hand or match")
        if not 0 <= dealer < self.players:
            raise ValueError("no such dealer")
        if self.rules["cut_ritual"] != "off" and cut is None:
            raise ValueError("the cut ritual needs cut()")
        self.deals = deals
        self.cut = cut
        self.episode = episode
        self.dealer = dealer  # line 1: the first dealer is the caller's business
        self.match = self._match_from(context or {})
        self.decks_used = 0
        self.redeals: list[dict[str, Any]] = []  # of the running deal
        self.cut_fines: list[int] = []
        self.history: list[dict[str, Any]] = []
        self.done = False
        self.winner: int | None = None
        self.payout: list[float] | None = None
        self.deal = self._new_deck()
        self._move_on()

    def _match_from(self, context: dict[str, Any]) -> MatchState:
        per_seat = {
            "scores": 0,
            "bolts": 0,
            "attempts": 0,
            "falls": 0,
            "write_offs": 0,
            "last_contracts": 120,
        }
        unknown = set(context) - set(per_seat) - {"deals_played", "golden_left", "golden_made"}
        if unknown:
            raise ValueError(f"unknown context {sorted(unknown)}")
        lists = {key: list(context.get(key, [start] * self.players)) for key, start in per_seat.items()}
        if any(len(values) != self.players for values in lists.values()):
            raise ValueError("the context needs one value a seat")
        at = self.rules["barrel"]["at"]
        if at is not None and max(lists["scores"]) > at:
            raise ValueError("880 or more is written as exactly 880 (T-BAR-01)")
        deals_played = context.get("deals_played", 0)
        golden = self.players - deals_played if self.rules["golden"]["mode"] == "on" else 0  # T-GOLD-01
        return MatchState(
            barrel=[at is not None and score == at for score in lists["scores"]],
            deals_played=deals_played,
            golden_left=context.get("golden_left", max(0, golden)),
            golden_made=context.get("golden_made", False),
            **lists,
        )

    # --- playing --------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return "done" if self.done else self.deal.phase

    @property
    def current_player(self) -> int:
        return self.deal.current_player

    @property
    def scores(self) -> list[int]:
        return self.match.scores

    @property
    def bolts(self) -> list[int]:
        return self.match.bolts

    @property
    def barrel(self) -> list[int | None]:
        """Failed attempts of the seats on the barrel, None for the others."""
        return [
            attempts if on_it else None for attempts, on_it in zip(self.match.attempts, self.match.barrel, strict=True)
        ]

    def legal(self) -> list[Action]:
        """Every legal action of the current player; empty only when done."""
        return [] if self.done else self.deal.legal()

    def step(self, action: Action) -> None:
        """Do a legal action; ValueError for any other, and nothing has changed then."""
        if self.done:
            raise ValueError("the game is over")
        self.deal.step(action)
        self._move_on()

    def _new_deck(self) -> Deal:
        k = self.decks_used
        self.decks_used += 1
        self._cut_ritual(k)  # a redeal has a new cut (line 2)
        return Deal(self.rules, self.match, self.dealer, list(self.deals(k)))

    def _cut_ritual(self, k: int) -> None:
        """Three nines in a row fine the cutter at once (T-CUT-04, T-CUT-05, line 2)."""
        if self.rules["cut_ritual"] == "off" or self.cut is None:
            return
        for attempt in range(3):
            if rank_of(self.cut(k, attempt)) != NINE:
                return
        cutter = (self.dealer - 1) % self.players  # T-CUT-01
        if not self.match.barrel[cutter]:
            self.match.scores[cutter] -= CUT_FINE
            self.cut_fines.append(cutter)

    def _move_on(self) -> None:
        """Deal anew after a claim, write a finished deal down, and go on to a decision or the end."""
        while not self.done and self.deal.phase in ("redealt", "over"):
            if self.deal.redealt is not None:
                seat, kind = self.deal.redealt
                shown = list(self.deal.talon) if kind == "talon" else None  # line 10
                self.redeals.append({"seat": seat, "kind": kind, "talon": shown})
                self.deal = self._new_deck()  # T-RED-11: same dealer, nothing of the match moves
            else:
                self._write_down()

    def _write_down(self) -> None:
        settlement = settle(self.rules, self.match, self.deal.outcome())
        self.history.append(self._record(settlement))
        self.match = settlement.state
        self.winner = settlement.winner
        limit = self.rules["deals"]
        if self.winner is None and limit is not None and self.episode == "match" and self.match.deals_played >= limit:
            best = max(self.match.scores)  # T-TOUR-01: the highest total; equal ones are a draw
            self.winner = self.match.scores.index(best) if self.match.scores.count(best) == 1 else DRAW
        if self.winner is not None:
            self.payout = payout(self.rules, self.match.scores, self.winner)
        if self.winner is not None or self.episode == "hand":
            self.done = True
            return
        self.dealer = (self.dealer + 1) % self.players  # T-DEAL-01, section 20 step 11
        self.redeals = []
        self.cut_fines = []
        self.deal = self._new_deck()

    def _record(self, settlement: Settlement) -> dict[str, Any]:
        """All facts of a finished deal, hidden ones too; the match as it stands after it."""
        deal = self.deal
        record = {
            "dealer": deal.dealer,
            "active": deal.active,
            "redeals": self.redeals,
            "cut_fines": self.cut_fines,
            "golden": deal.golden,
            "dark_seat": deal.dark_seat,
            "bids": deal.bids,
            "declarer": deal.declarer,
            "bid": deal.bid,
            "contract": deal.contract,
            "written_off": deal.written_off,
            "talon": deal.talon,
            "talon_index": deal.talon_index,
            "talon_shown": deal.talon_shown,
            "passes": deal.passes,
            "tricks": deal.tricks,
            "tricks_taken": deal.tricks_taken,
            "marriages": deal.marriages,
            "card_points": deal.card_points,
            "marriage_points": deal.marriage_points,
            "raw": settlement.raw,
            "made": settlement.made,
            "entries": settlement.entries,
            "fines": settlement.fines,
            "events": settlement.events,
            "after": vars(settlement.state),
            "winner": settlement.winner,
        }
        return copy.deepcopy(record)

    # --- who knows what (section 21) ------------------------------------------------------------------

    def _deal_as_seen(self, seat: int | None) -> Deal:
        """The deal as if no private question to somebody else were open (section 21, lines 70 and 80)."""
        if self.done or self.deal.phase not in PRIVATE_PHASES or self.deal.current_player == seat:
            return self.deal
        seen = copy.deepcopy(self.deal)
        while seen.phase in PRIVATE_PHASES and seen.current_player != seat:
            seen.step(seen.legal()[0])  # "no", or any talon card
        # A deal that would now be thrown in by itself shows nothing yet.
        if seen.phase == "redealt":
            return self.deal
        if seen.declarer is not None and self.deal.declarer is None:
            # reading (i) of RULES.md: no auction follows, and the declarer to be has not taken the talon yet
            waits = copy.deepcopy(self.deal)
            waits.phase, waits.current_player = "hand_redeal", seen.declarer
            return waits
        return seen

    def public(self) -> dict[str, Any]:
        """What everybody at the table knows."""
        return self._public(self._deal_as_seen(None))

    def _public(self, deal: Deal) -> dict[str, Any]:
        open_passes = self.rules["pass_visibility"] == "public"
        facts: dict[str, Any] = {
            **vars(self.match),
            "phase": "done" if self.done else deal.phase,
            "current_player": deal.current_player,
            "dealer": deal.dealer,
            "active": deal.active,
            "redeals": self.redeals,
            "cut_fines": self.cut_fines,
            "golden": deal.golden,
            "dark_answers": deal.dark_answers,
            "dark_seat": deal.dark_seat,
            "bids": deal.bids,
            "declarer": deal.declarer,
            "bid": deal.bid,
            "talon_index": deal.talon_index,
            "talon": deal.talon if deal.talon_shown else None,  # T-TAL-03, T-TAL-04
            "contract": deal.contract,
            "written_off": deal.written_off,
            "passes": [
                (giver, receiver, card if open_passes and receiver >= 0 else None)  # T-PASS-02
                for giver, receiver, card in deal.passes
            ],
            "hand_sizes": [len(hand) for hand in deal.hands],
            "trick": deal.trick,
            "tricks": deal.tricks,
            "trump": deal.trump,
            "trump_owner": deal.trump_owner,
            "marriages": deal.marriages,
            "card_points": deal.card_points,
            "results": [
                {key: past[key] for key in ("dealer", "declarer", "bid", "contract", "raw", "entries", "fines")}
                for past in self.history
            ],
            "winner": self.winner,
            "payout": self.payout,
        }
        return copy.deepcopy(facts)

    def view(self, seat: int) -> dict[str, Any]:
        """The public part and what this seat knows besides; a sitting dealer knows no more (line 66)."""
        deal = self._deal_as_seen(seat)
        closed = deal.phase == "dark" or deal.blind_seat == seat  # T-DARK-01, T-DARK-08, line 20
        private: dict[str, Any] = {
            "seat": seat,
            "hand": None if closed else deal.hands[seat],
            "own_talon": deal.talon if deal.declarer == seat else None,  # T-TAL-05
            "own_passes": [passed for passed in deal.passes if seat in passed[:2]],  # T-PASS-02
            "declined": [kind for asked, kind in deal.declined if asked == seat],
            "legal": deal.legal() if self.deal.current_player == seat == deal.current_player and not self.done else [],
            "bonus": None if closed else self._bonus(deal, seat),
        }
        return {**self._public(deal), **copy.deepcopy(private)}

    def _bonus(self, deal: Deal, seat: int) -> Any:
        """T-INFO-01 and line 80; with two talons "the talon" is every undealt card."""
        kind = self.rules["info_bonus"]
        if seat not in self.rules["info_bonus_seats"] or seat not in deal.active:
            return None
        if kind == "opponents":
            return {other: deal.hands[other] for other in deal.active if other != seat}
        if kind == "talon_suits":
            return [suit_of(card) for card in deal.stock]
        if kind == "talon":
            return deal.stock
        if kind == "talon_card" and seat in deal.info_cards:
            index = deal.info_cards[seat]
            return index, deal.stock[index]
        return None
