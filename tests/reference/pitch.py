"""The reference game of 10-point Pitch: deal, auction, fill, leftovers, burn and play, step by step.

Slow on purpose and meant to be compared with the rule book line by line.  A deck is dealt in blocks by
seat number: with four players seat s gets deck[9 * s : 9 * s + 9] and the rest is the stock, top card
first; with five players seat s gets deck[10 * s : 10 * s + 10] and the rest is the blind.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pitch_score
from pitch_hand import Action, Hand, Trick, accounts, new_hand, public_view, seat_view
from pitch_legal import legal_actions
from pitch_rules import MAX_TRUMPS, Rules, Tables, validate


class Oracle:
    """One match, or one scored hand, of 10-point Pitch."""

    def __init__(
        self,
        rules: Rules,
        players: int,
        deals: Callable[[int], list[int]],
        dealer: int = 0,
        scores: list[int] | None = None,
        episode: str = "match",
    ) -> None:
        self.rules = validate(rules, players)
        self.players = players
        self.tables = Tables(self.rules, players)
        self.deals = deals
        entries = 2 if players == 4 else 5
        self.scores = [0] * entries if scores is None else list(scores)
        if len(self.scores) != entries or not 0 <= dealer < players or episode not in ("hand", "match"):
            raise ValueError("wrong dealer, scores or episode")
        self.dealer = dealer
        self.episode = episode
        self.deal_count = 0
        self.scored_hands = 0
        self.history: list[Hand] = []
        self.winners: list[int] = []
        self.truncated = False
        self.done = False
        self.phase = ""
        self.current_player = -1
        self._deal()

    # -------------------------------------------------------------------------- outside view

    def winner(self) -> list[int]:
        """Winning indices into `scores`: teams with four players, seats with five."""
        return list(self.winners)

    def legal(self) -> list[Action]:
        """All legal actions of the current player, none when the episode is over."""
        return legal_actions(self)

    def step(self, action: Action) -> None:
        """Carry out a legal action; ValueError for any other, with nothing changed [P-ACT-01]."""
        if action not in self.legal():
            raise ValueError(f"{action!r} is not legal in phase {self.phase!r}")
        handlers: dict[str, Callable[[Action], None]] = {
            "misdeal": self._do_misdeal,
            "bid": self._do_bid,
            "trump": self._do_trump,
            "call": self._do_call,
            "discard": self._do_discard,
            "kitty": self._do_kitty,
            "burn": self._do_burn,
            "play": self._do_play,
        }
        handlers[self.phase](action)

    # ------------------------------------------------------------------------------- helpers

    def _left_of(self, seat: int) -> list[int]:
        """All seats clockwise, starting left of `seat` and ending with it."""
        return [(seat + i) % self.players for i in range(1, self.players + 1)]

    def _trumps(self, cards: list[int]) -> list[int]:
        return [card for card in cards if self.tables.is_trump(card, self.hand.trump)]

    def _others(self, cards: list[int]) -> list[int]:
        return [card for card in cards if not self.tables.is_trump(card, self.hand.trump)]

    def _points(self, card: int) -> int:
        return self.tables.points(card, self.hand.trump)

    def side(self) -> list[int]:
        """The seats of the bidding side, bidder first."""
        return [self.hand.bidder] + ([] if self.hand.partner is None else [self.hand.partner])

    def points_by_side(self) -> tuple[int, int]:
        """Points so far of the bidding side and of the defenders."""
        h = self.hand
        each = [h.points_by_seat[s] + h.burn_credit[s] for s in range(self.players)]
        ours = sum(each[seat] for seat in self.side())
        return ours, sum(each) - ours

    # ------------------------------------------------------------------------ deal [section 5]

    def _deal(self) -> None:
        deck = list(self.deals(self.deal_count))
        if sorted(deck) != self.tables.deck:
            raise ValueError("the deck does not hold the right cards")
        size, n = self.tables.hand_size, self.players
        dealt = [deck[size * seat : size * seat + size] for seat in range(n)]
        self.hand: Hand = new_hand(self.deal_count, self.dealer, dealt, deck[size * n :])
        self.deal_count += 1
        self._misdeal_queue: list[int] = []
        if self.rules["misdeal_rule"] == "no_face_no_point":  # [P-MIS-01, BD-6]
            self._misdeal_queue = [s for s in self._left_of(self.dealer) if self._weak(s)]
        self._next_misdeal()

    def _weak(self, seat: int) -> bool:
        return self.tables.may_call_misdeal(self.hand.dealt[seat])

    def _next_misdeal(self) -> None:
        if self._misdeal_queue:
            self.phase, self.current_player = "misdeal", self._misdeal_queue.pop(0)
        else:
            self.phase, self.current_player = "bid", self._left_of(self.dealer)[0]  # [P-BID-01]

    def _do_misdeal(self, action: Action) -> None:
        if action[1]:
            self._void("misdeal")
        else:
            self.hand.declined.append(self.current_player)
            self._next_misdeal()

    def _void(self, reason: str) -> None:
        """The hand does not count and the same dealer deals again [P-EQP-04, BD-44]."""
        self.hand.void = reason
        self.history.append(self.hand)
        self._deal()

    # --------------------------------------------------------------------- auction [section 6]

    def _do_bid(self, action: Action) -> None:
        h = self.hand
        h.bids.append((self.current_player, action))
        if action[0] != "pass":
            h.bidder = self.current_player
            h.bid = action[1] if action[0] == "bid" else action[0]
        if self.current_player != self.dealer:
            self.current_player = self._left_of(self.current_player)[0]
        elif h.bid is None:  # only with stuck_rule=redeal [BD-7]
            self._void("all_pass")
        else:
            h.partner = (h.bidder + 2) % 4 if self.players == 4 else None  # [P-EQP-01]
            self.phase, self.current_player = "trump", h.bidder

    # ------------------------------------------------------ trump and call [sections 7 and 16]

    def _do_trump(self, action: Action) -> None:
        self.hand.trump = action[1]  # any suit [P-TRP-01]
        if self.players == 5:
            self.phase = "call"
        else:
            self._begin_discard()

    def _do_call(self, action: Action) -> None:
        """Fix the partner, then give the blind to the bidder, who may not pass it on [P-5H-04..07]."""
        h = self.hand
        h.called = action[1]
        if h.called in h.hands[h.bidder]:
            h.called_from = "own"  # the bidder is alone [BD-24]
        elif h.called in h.stock:
            h.called_from = "blind"  # [P-5H-05]
        else:
            h.called_from = "hand"
            h.partner = next(s for s in range(5) if h.called in h.hands[s])
        h.kitty, h.stock = h.stock, []
        h.kitty_seen[h.bidder] = list(h.kitty)
        h.kitty_to[h.bidder] = len(h.kitty)
        h.hands[h.bidder] = h.hands[h.bidder] + h.kitty
        self._drop_non_trumps()
        self._begin_burn()

    def _drop_non_trumps(self) -> None:
        """Forced discard of everything that is not a trump [P-DSC-01]."""
        h = self.hand
        for seat in range(self.players):
            h.discarded[seat] = self._others(h.hands[seat])
            h.hands[seat] = self._trumps(h.hands[seat])

    # -------------------------------------------------------- discard and fill [sections 8, 9]

    def _begin_discard(self) -> None:
        self._drop_non_trumps()
        if self.rules["discarded_trump"] == "forbidden":  # [P-DSC-02]
            self._fill()
        else:  # every seat has a turn, dealer's left first [BD-12]
            self.phase, self.current_player = "discard", self._left_of(self.dealer)[0]

    def _do_discard(self, action: Action) -> None:
        if action[0] == "discard":
            self.hand.hands[self.current_player].remove(action[1])
            self.hand.thrown.append((self.current_player, action[1]))
        elif self.current_player == self.dealer:
            self._fill()
        else:
            self.current_player = self._left_of(self.current_player)[0]

    def _fill(self) -> None:
        """Each in turn asks for six less the trumps kept [P-FILL-01, P-FILL-02, P-FILL-04]."""
        h = self.hand
        order = self._left_of(self.dealer)
        if self.rules["fill_order"] == "bidder_left":
            order = self._left_of(h.bidder)
        if self.rules["fill_order"] == "bidder_takes_rest":  # asked stays None [BD-13]
            order.remove(h.bidder)
        for seat in order:
            want = max(0, MAX_TRUMPS - len(h.hands[seat]))
            h.asked[seat] = want
            h.drawn[seat], h.stock = h.stock[:want], h.stock[want:]
            h.hands[seat] = h.hands[seat] + self._trumps(h.drawn[seat])
            h.dead[seat] = self._others(h.drawn[seat])
        h.filled = True
        h.kitty, h.stock = h.stock, []
        if self.rules["discarded_trump"] == "to_kitty":  # at the bottom, as thrown [BD-12]
            h.kitty = h.kitty + [card for _, card in h.thrown]
        self._begin_kitty()

    # ------------------------------------------------------------------ leftovers [section 10]

    def _give_leftovers(self, seat: int, cards: list[int]) -> None:
        """The receiver adds all trumps and drops the rest [P-KIT-03]."""
        h = self.hand
        h.kitty_seen[seat] = h.kitty_seen[seat] + cards
        h.kitty_to[seat] = h.kitty_to.get(seat, 0) + len(cards)
        h.hands[seat] = h.hands[seat] + self._trumps(cards)

    def _begin_kitty(self) -> None:
        h, mode = self.hand, self.rules["kitty_mode"]
        self._unseen = list(h.kitty)  # leftovers not yet given to anybody
        if not h.kitty:  # no decision [P-KIT-04]
            self._begin_burn()
        elif mode == "bidder_only":
            self._give_leftovers(h.bidder, h.kitty)
            self._begin_burn()
        elif mode == "auto_swap":  # [BD-15]
            for card in self._trumps(h.kitty):
                takers = [seat for seat in self.side() if len(h.hands[seat]) < MAX_TRUMPS]
                if takers:
                    h.hands[takers[0]].append(card)
                    h.kitty_seen[takers[0]].append(card)
                else:
                    h.surplus.append(card)
            self._begin_burn()
        elif mode == "keep_or_pass_all":  # [P-KIT-02, BD-16]
            self.phase, self.current_player = "kitty", h.bidder
        else:
            self._go_on_looking()

    def _go_on_looking(self) -> None:
        """one_by_one: ask again unless six trumps or the end of the leftovers stop the bidder [BD-14]."""
        h = self.hand
        if not self._unseen:
            self._begin_burn()
        elif len(h.hands[h.bidder]) >= MAX_TRUMPS:
            self._stop_looking()
        else:
            self.phase, self.current_player = "kitty", h.bidder

    def _stop_looking(self) -> None:
        self._give_leftovers(self.side()[1], self._unseen)
        self._unseen = []
        self._begin_burn()

    def _do_kitty(self, action: Action) -> None:
        h = self.hand
        if action[1] == "look":
            self._give_leftovers(h.bidder, [self._unseen.pop(0)])
            self._go_on_looking()
        elif action[1] == "stop":
            self._stop_looking()
        else:
            self._give_leftovers(h.bidder if action[1] == "keep" else self.side()[1], h.kitty)
            self._begin_burn()

    # ----------------------------------------------------------------------- burn [section 11]

    def _burn_order(self) -> list[int]:
        """[P-BURN-02, BD-17]; the secret partner must not show in the five-handed order."""
        bidder = self.hand.bidder
        if self.players == 5:
            return [bidder, *self._left_of(bidder)[:-1]]
        return [bidder, (bidder + 2) % 4, (bidder + 1) % 4, (bidder + 3) % 4]

    def _begin_burn(self) -> None:
        """Ask the first seat with more than six trumps, else start the play [P-BURN-01]."""
        for seat in self._burn_order():
            if len(self.hand.hands[seat]) > MAX_TRUMPS:
                self.phase, self.current_player = "burn", seat
                return
        self._begin_play()

    def _do_burn(self, action: Action) -> None:
        h, seat, card = self.hand, self.current_player, action[1]
        h.hands[seat].remove(card)
        h.burned[seat].append(card)
        if self.rules["burn_policy"] == "misdeal_if_point" and self._points(card) > 0:  # [BD-18]
            self._void("burned_point")
            return
        automatic = self.tables.symbol(card, h.trump) in self.tables.automatic
        if self.rules["two_scores_when"] == "holder" and automatic:  # [P-TWO-02, BD-4]
            h.burn_credit[seat] += self._points(card)
        self._begin_burn()

    # ----------------------------------------------------------------------- play [section 12]

    def _begin_play(self) -> None:
        h = self.hand
        h.kept = deepcopy(h.hands)
        self.phase = "play"
        self._reveal_at_once()
        self._lead(h.bidder)  # [P-PLAY-01]

    def _show_out(self, seat: int) -> None:
        if seat not in self.hand.outs:
            self.hand.outs.append(seat)

    def _reveal_at_once(self) -> None:
        if self.rules["out_reveal"] == "at_once":  # [P-OUT-03]
            for seat in range(self.players):
                if not self.hand.hands[seat]:
                    self._show_out(seat)

    def _lead(self, seat: int) -> None:
        """`seat` leads, or the first to the left who has a trump [P-OUT-02, BD-21]."""
        if not any(self.hand.hands):
            self._end_hand()  # [P-PLAY-05]
            return
        while not self.hand.hands[seat]:
            self._show_out(seat)  # the lead passed over [BD-23]
            seat = self._left_of(seat)[0]
        self.hand.trick = Trick(seat)
        self.current_player = seat

    def _do_play(self, action: Action) -> None:
        h, seat = self.hand, self.current_player
        assert h.trick is not None
        h.hands[seat].remove(action[1])
        h.trick.plays.append((seat, action[1]))
        self._reveal_at_once()
        for other in self._left_of(seat):
            if other == h.trick.leader:
                self._end_trick()
                return
            if h.hands[other]:
                self.current_player = other
                return
            self._show_out(other)  # out for the rest of the hand [P-OUT-01, P-OUT-03]

    def _end_trick(self) -> None:
        h = self.hand
        assert h.trick is not None
        assert h.bid is not None
        trick, h.trick = h.trick, None
        trick.winner = pitch_score.trick_winner(trick.plays, h.trump, self.tables, self.rules)
        trick.points = pitch_score.trick_points(trick.plays, trick.winner, h.trump, self.tables)
        for seat, points in trick.points.items():
            h.points_by_seat[seat] += points
        h.tricks.append(trick)
        took, _ = self.points_by_side()
        if pitch_score.reaches_target_early(self.rules, self.players, self.scores, h.bidder, h.bid, took):
            self._end_hand(early_win=True)
        else:
            self._lead(trick.winner)  # [P-PLAY-04]

    # ------------------------------------------------------ end of hand and match [13, 14, 15]

    def _end_hand(self, early_win: bool = False) -> None:
        h = self.hand
        assert h.bid is not None
        h.took, h.against = self.points_by_side()
        h.result = pitch_score.score_hand(
            self.rules, self.tables.total, self.players, self.scores,
            h.bidder, h.partner, h.bid, h.took, h.against, early_win,
        )  # fmt: skip
        self.scores = list(h.result.scores)
        self.winners = list(h.result.winners)
        self.history.append(h)
        self.scored_hands += 1
        self.truncated = not self.winners and self.scored_hands >= self.rules["max_hands"]  # [P-END-05]
        if self.winners or self.truncated or self.episode == "hand":
            self.done, self.phase, self.current_player = True, "done", -1
        else:
            self.dealer = self._left_of(self.dealer)[0]  # [P-EQP-04]
            self._deal()

    # ---------------------------------------------------------------------------- information

    def accounts(self, hand: Hand) -> dict[str, int]:
        """Where the points of a scored hand went; they add up to N [P-INV, BD-41]."""
        return accounts(hand, self.tables, self.rules["discarded_trump"])

    def public(self) -> dict[str, Any]:
        """Everything all players may know [P-INFO-01]."""
        return public_view(self)

    def view(self, seat: int) -> dict[str, Any]:
        """The public part and what this seat alone knows [P-INFO-02]."""
        return seat_view(self, seat)
