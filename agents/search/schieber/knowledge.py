"""What a seat of Schieber knows of the unseen cards (RULES.md, sections 4, 5 and 14).

Exactly, as a case of the dealer:

- how many cards each seat holds, and which are out of play;
- what was proved by not following: nothing of the suit led; of trumps nothing but perhaps the Under, which alone may
  be kept back (J-PLAY-03); by undertrumping: nothing but trumps (J-PLAY-05). No other play proves anything: whoever
  has the suit led may also take a higher trump, and the leader may play what he likes. So each proof forbids cards to
  a seat, one by one, and one case says it all;
- cards shown as Weis that are not played (J-WEIS-08), and the card that named forehand (J-DEAL-02).

As a weight of deals (`WeisEvidence`): the value of each seat's declared Weis, of which 0 says that he was dealt no
run and no quartet, and whose Weis was better. That takes whole hands, so it is no matter of single cards.

Left out: that a Stöck was *not* claimed early near the target (J-STK-02), and all that the choice of a contract or of
a card suggests but does not prove.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ....envs.core.bits import BIT, U8, U64
from ....envs.core.spec import GameSpec
from ....envs.schieber.rules import SchieberRules
from ....envs.schieber.tables import CARDS, OBENABE, UNDENUFE, UNDER
from ....envs.schieber.view import FIRST_CARDS
from ....envs.schieber.weis import facts, winners
from ..belief import Case

#: Places of a case: the hands of the next, partner, previous seat.
PLACES = 3
#: How much a deal counts that does not give the declared Weis: so little that it is drawn only if there is no other.
IMPOSSIBLE = 1e-9
#: A Weis that has not been declared.
UNKNOWN = -1

_SUITS = np.arange(CARDS) // 9


class Knowledge:
    """Reads observations of one game.

    Args:
        spec: the game; its layout says where things stand.
    """

    def __init__(self, spec: GameSpec) -> None:
        self.rules = cast(SchieberRules, spec.rules)
        self._layout = spec.layout
        self._named = FIRST_CARDS.get(self.rules.first_forehand, -1)

    def segment(self, obs: U8, name: str) -> U8:
        """A segment of one observation. uint8 [D] → uint8 [*shape]."""
        return cast(U8, self._layout.view(obs, name))

    def contract(self, obs: U8) -> int:
        """0..3 the trump suit, 4 Obenabe, 5 Undenufe; -1 before it is chosen."""
        contract = self.segment(obs, "contract")
        return int(contract.argmax()) if contract.any() else -1

    def cases(self, obs: U8) -> list[Case]:
        """One case over the hands of the three other seats (`belief.Case`), from uint8 [D]."""
        played, shown = self.segment(obs, "played"), self.segment(obs, "shown")
        unseen = ~(played.any(axis=0) | (self.segment(obs, "hand") > 0))
        allowed = np.repeat(unseen[:, None], PLACES, axis=1)
        contract, void = self.contract(obs), self.segment(obs, "void")
        for place in range(PLACES):
            forbidden = void[:, place + 1].astype(bool)[_SUITS]
            if 0 <= contract < OBENABE:
                forbidden[9 * contract + UNDER] = False
            allowed[forbidden, place] = False
        for place, cards in enumerate(shown[1:]):
            held = (cards > 0) & unseen
            allowed[held] = False
            allowed[held, place] = True
        if self._named >= 0 and unseen[self._named] and self.segment(obs, "card_named_forehand")[0]:
            allowed[self._named] &= self.segment(obs, "forehand")[1:] > 0
        cards = np.flatnonzero(unseen)
        sizes = 9 - played[1:].sum(axis=1, dtype=np.int64)
        return [Case(cards, allowed[cards], sizes)]

    def weis_evidence(self, obs: U8) -> WeisEvidence | None:
        """The weight of deals by declared Weis; None if they say nothing."""
        declared = self.segment(obs, "declared") > 0
        if not self.rules.weis or not declared[1:].any():
            return None
        scored = [int(self.segment(obs, f"{team}_weis_scored")[0]) for team in ("own", "their")]
        side = 1 + int(scored[1] > 0) if any(scored) else 0
        return WeisEvidence(
            self.rules,
            tens=np.where(declared[1:], self.segment(obs, "declared_weis")[1:].astype(np.int64), UNKNOWN),
            own=int((self.segment(obs, "hand") | self.segment(obs, "played")[0]).astype(np.uint64) @ BIT[:CARDS]),
            played=self.segment(obs, "played")[1:].astype(np.uint64) @ BIT[:CARDS],
            winners_at=2 * (4 * self.contract(obs) + int(self.segment(obs, "forehand").argmax())),
            side=side,
            shown=self.segment(obs, "shown")[1:].astype(np.uint64) @ BIT[:CARDS],
            down=self.contract(obs) == UNDENUFE,
        )


class WeisEvidence:
    """Whether the hands that a deal makes of the other seats declare what they have declared (J-WEIS-01..05).

    Args:
        tens: int [3], the value in tens that each of the others declared, or UNKNOWN.
        own: the nine cards that the seat itself was dealt. played: uint64 [3], cards that the others have played.
        winners_at: place in the words of `weis.winners`, by contract and forehand.
        side: 1 if the own side scored its Weis, 2 if the other did, 0 if none did or it is not known.
        shown: uint64 [3], the cards of the Weis that the others have shown: whole sets, so that a longer run is none.
        down: ranks count up from the Ass (Undenufe).
    """

    def __init__(
        self, rules: SchieberRules, tens: npt.NDArray[Any], own: int, played: U64, winners_at: int, side: int,
        shown: U64, down: bool,
    ) -> None:  # fmt: skip
        self.rules, self._own, self._played = rules, np.uint64(own), played
        self._tens, self._known = tens, tens != UNKNOWN
        self._at, self._side = np.uint64(winners_at), side
        self._shown, self._down = shown, int(down)

    def __call__(self, worlds: U64) -> npt.NDArray[np.floating[Any]]:
        """uint64 [n, 3] → float64 [n]: 1, or IMPOSSIBLE."""
        n = len(worlds)
        hands = np.full((n, 4), self._own)
        hands[:, 1:] = worlds | self._played
        tens, keys, sets = facts(hands.ravel(), self.rules)
        fits = ((tens.reshape(n, 4)[:, 1:] == self._tens) | ~self._known).all(axis=1)
        if self._shown.any():
            fits &= ((sets[self._down].reshape(n, 4)[:, 1:] == self._shown) | (self._shown == 0)).all(axis=1)
        if self._side:
            won = winners(keys.reshape(2, n, 4)) >> self._at & np.uint64(3)
            fits &= won == np.uint64(self._side)
        return np.where(fits, 1.0, IMPOSSIBLE)
