"""The auction of Thousand (T-AUC): who speaks, what may be bid, and who is left (section 22 lines 11 to 18).

It knows seats and numbers, no cards but the hand it is shown for a cap. Golden deals, dark games of kind
"C" and a barrel player's free talon have no auction; then it stays unopened.
"""

from __future__ import annotations

from thousand_cards import auction_cap
from thousand_rules import Rules

PASS = 0  # stands for a pass in the list of bids


class Auction:
    """One auction; `turn` is the seat to speak, -1 before and after, `over` says that one seat is left."""

    def __init__(self, rules: Rules, active: list[int], silent: list[int]) -> None:
        self.rules = rules
        self.active = active  # from forehand
        self.silent = silent  # seats that pass by themselves (T-AUC-10)
        self.bids: list[tuple[int, int]] = []
        self.price = 0
        self.holder: int | None = None
        self.passed: list[int] = []
        self.turn = -1
        self.over = False

    def place(self, seat: int, amount: int) -> None:
        """Write a bid down, said or automatic."""
        self.bids.append((seat, amount))
        self.price = amount
        self.holder = seat

    def open(self, dealer: int, dark_seat: int | None) -> None:
        """Put the automatic bids down and give the first seat its turn.

        T-AUC-01, lines 11, 12, 16: the hundred of forehand, of a silent forehand, or of the dealer. A dark
        120 of forehand (T-DARK-03) stands in its place; the others may go over it.
        """
        opening = self.rules["auction"]["opening"]
        forehand = self.active[0]
        if opening == "dealer_100":
            self.place(dealer, 100)
        elif dark_seat is None and (opening == "forced_100" or forehand in self.silent):
            self.place(forehand, 100)
        if dark_seat is not None:
            self.place(dark_seat, 120)
        if self.holder == forehand:
            self._after(forehand)
        else:
            self._offer(forehand)

    def allowed(self, hand: list[int]) -> list[int]:
        """Bids open to the seat that speaks (T-AUC-03, T-AUC-07, T-AUC-11, lines 13, 14, 17)."""
        options = self.rules["auction"]
        lowest = 100 if self.holder is None else self.price + options["step"]
        bids = list(range(lowest, auction_cap(self.rules, hand) + 1, options["step"]))
        return bids if options["jumps"] else bids[:1]

    def may_pass(self) -> bool:
        """Nobody may pass the deal out: the opening seat has to bid (T-AUC-05)."""
        return self.holder is not None

    def bid(self, amount: int) -> None:
        """The seat on turn raises."""
        seat = self.turn
        self.place(seat, amount)
        self._after(seat)

    def give_up(self) -> None:
        """The seat on turn passes, for good (T-AUC-04)."""
        self._pass(self.turn)

    def _pass(self, seat: int) -> None:
        self.bids.append((seat, PASS))
        self.passed.append(seat)
        self._after(seat)

    def _after(self, seat: int) -> None:
        """Clockwise to the next seat that has not passed (T-AUC-02); at the latest it is the holder."""
        place = self.active.index(seat)
        for step in range(1, len(self.active)):
            other = self.active[(place + step) % len(self.active)]
            if other not in self.passed:
                self._offer(other)
                return

    def _offer(self, seat: int) -> None:
        if seat == self.holder:  # nobody else is left (T-AUC-05)
            self._close()
        elif seat in self.silent:
            self._pass(seat)
        else:
            self.turn = seat

    def _close(self) -> None:
        self.turn = -1
        self.over = True
