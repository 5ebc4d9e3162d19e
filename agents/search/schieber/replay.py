"""Schieber games that look to a seat like the one it plays, with other cards in the hands that it does not see."""

from __future__ import annotations

import numpy as np

from ....envs.core.bits import BIT, I64, U8, U64
from ....envs.schieber.game import Schieber
from ....envs.schieber.rules import SchieberRules
from ....envs.schieber.tables import CARDS, FIRST_CONTRACT, PUSH, tables
from ..replay import replay
from .knowledge import Knowledge

#: Bytes of a score sheet that the score alone decides.
_SCORE_BYTES = np.uint64(0xFFFFFF)


class Replays:
    """Rebuilds games. rules: of the game; others than those of the observation may be given, to change the target."""

    def __init__(self, rules: SchieberRules, knowledge: Knowledge) -> None:
        self.rules, self._knowledge = rules, knowledge
        self._shown: U64 = tables(rules).scores & _SCORE_BYTES

    def games(self, obs: U8, hands: U64, scores: tuple[int, int] = (0, 0)) -> Schieber:
        """Games of one hand that pay points, with given cards.

        Args:
            obs: uint8 [D], an observation of the seat to act.
            hands: uint64 [n, 4], cards that are held now, of this seat, the next, partner, previous.
            scores: of the own and the other side when the hand began.

        Returns: n games; the seat to act is seat 0.
        """
        segment = self._knowledge.segment
        dealt = hands | (segment(obs, "played").astype(np.uint64) @ BIT[:CARDS])
        options = {"deal": dealt, "scores": scores, "hand_number": self._hand_number(obs)}
        if not segment(obs, "card_named_forehand")[0]:  # else the deal names him
            options["dealer"] = (int(segment(obs, "forehand").argmax()) - 1) % 4
        games = Schieber(self.rules, num_games=len(hands))
        games.reset(options=options)
        script = self._script(obs)
        steps = iter([*script, -1])
        return replay(games, lambda games: np.full(games.num_games, next(steps), np.int64))

    def _script(self, obs: U8) -> list[int]:
        """All actions of the hand so far."""
        segment, contract = self._knowledge.segment, self._knowledge.contract(obs)
        actions = [PUSH] * int(segment(obs, "pushed").sum())
        if contract >= 0:
            actions.append(FIRST_CONTRACT + contract)
        when = segment(obs, "when")
        return actions + [int(card) for card in np.argsort(when, kind="stable") if when[card]]

    def _hand_number(self, obs: U8) -> int:
        number = int(self._knowledge.segment(obs, "hand_number")[0])
        return number if self.rules.hands is None else min(number, self.rules.hands - 1)

    def start_scores(self, obs: U8) -> tuple[int, int]:
        """Scores of both sides at the start of the hand, own first.

        Far from the target an observation shows them to a 250th of it only; then the middle of what it may be is taken.
        """
        segment, contract = self._knowledge.segment, self._knowledge.contract(obs)
        factor = self.rules.multipliers[contract] if contract >= 0 else 1
        found: list[int] = []
        for side in ("own", "their"):
            numbers = {
                name: int(segment(obs, f"{side}_{name}")[0])
                for name in ("score", "to_go", "safe", "points", "weis_scored", "stock", "bonus")
            }
            tens = numbers["weis_scored"] + numbers["stock"] + numbers["bonus"]
            gained = factor * (numbers["points"] + 10 * tens)
            shown = np.uint64(numbers["score"] | numbers["to_go"] << 8 | numbers["safe"] << 16)
            may: I64 = np.flatnonzero(self._shown == shown) - gained
            may = may[may >= 0]
            found.append(int(may[len(may) // 2]) if len(may) else 0)
        return found[0], found[1]
