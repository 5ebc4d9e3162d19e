"""Thousand deals that look to a seat like the one it plays, with other cards where it does not see them.

A world says where the cards are now. Before that some were passed on: the declarer took the talon and gave cards away.
What of this the seat has not seen is drawn by a generator that the world seeds, such that the bids that were heard
could be made: the card that the other defender was given, and a talon that was not shown.

The order of an auction follows from what each seat said: amounts only rise, and who is not the next to raise has
passed.
"""

from __future__ import annotations

import numpy as np

from ....envs.core.bits import I64, U8, U64, indices_of
from ....envs.core.errors import BidtrickError
from ....envs.thousand.columns import (
    ATTEMPTS,
    BOLTS,
    FALLS,
    LAST_CONTRACT,
    REDEALS,
    SCORE,
    SCORE_LOW,
    TO_GO,
    WRITE_OFFS,
)  # fmt: skip
from ....envs.thousand.game import Thousand
from ....envs.thousand.rules import ThousandRules
from ....envs.thousand.state import START, TOTAL
from ....envs.thousand.tables import (
    AUCTION,
    CONTRACT,
    DARK,
    DECLARE,
    GIVE,
    HAND_REDEAL,
    INFO,
    PASS_REDEAL,
    PHASES,
    PLAY,
    TALON,
    TALON_REDEAL,
    action_space,
    declare_cards,
    facts,
)  # fmt: skip
from ..replay import replay
from .knowledge import Facts, Knowledge
from .seen import Seen

#: Scores on a sheet begin here (columns SCORE and SCORE_LOW).
_LOWEST, _STEP = -2048, 16
#: Draws of a talon that was not shown, until one agrees with the bids.
_DRAWS = 20


class Replays:
    """Rebuilds games of one set of rules.

    Raises: BidtrickError for an information bonus: seats of a rebuilt game are counted from the observer, those of
    the bonus are not.
    """

    def __init__(self, rules: ThousandRules, knowledge: Knowledge) -> None:
        if rules.info_bonus != "none" and rules.info_bonus_seats:
            raise BidtrickError(
                f"thousand: info_bonus={rules.info_bonus!r} cannot be replayed for search; allowed: 'none', or no "
                "seats in info_bonus_seats (T-INFO-01)"
            )
        self.rules, self._knowledge = rules, knowledge

    def games(self, obs: U8, worlds: U64) -> Thousand:
        """`base.SearchGame.games`."""
        seen = self._knowledge.seen(obs)
        known = self._knowledge.facts(obs)
        deals = [_Deal(known, seen, [int(word) for word in world]) for world in worlds]
        games = Thousand(self.rules, num_games=len(worlds))
        games.reset(options={"deal": np.array([deal.deck for deal in deals]), **self._match(seen)})
        self._set_table(games, seen)
        return replay(games, _Past(seen, np.array([deal.gifts for deal in deals])).following)

    def _match(self, seen: Seen) -> dict[str, object]:
        """The match as far as it is seen, as reset options."""
        sheet = seen.segment("sheet").astype(np.int64)
        options: dict[str, object] = {
            "dealer": seen.dealer,
            "scores": _STEP * sheet[:, SCORE] + sheet[:, SCORE_LOW] + _LOWEST,
            "bolts": sheet[:, BOLTS],
            "attempts": sheet[:, ATTEMPTS],
            "falls": sheet[:, FALLS],
            "write_offs": sheet[:, WRITE_OFFS],
            "last_contracts": 5 * sheet[:, LAST_CONTRACT],
            "deals_played": int(seen.segment("deals_played")[0]),
        }
        if self.rules.golden == "on":
            options["golden_left"] = int(seen.segment("golden_left")[0])
            options["golden_made"] = bool(seen.segment("golden_made")[0])
        return options

    def _set_table(self, games: Thousand, seen: Seen) -> None:
        """What no option sets: how often the deal was thrown in, and the fine of the cut that this deal has seen."""
        s, redeals = games.state, int(seen.segment("redeals")[0])
        s.redeals[:] = redeals
        s.desk.view(np.uint8).reshape(-1, 8)[:, REDEALS] = redeals
        if self.rules.cut_ritual != "off":
            fined = facts(self.rules.players).column("fined")[:-1]
            s.facts &= ~np.bitwise_or.reduce(fined)
            s.facts |= np.bitwise_or.reduce(fined[seen.segment("fined") > 0], initial=0)
            sheet = seen.segment("sheet").astype(np.int64)
            s.by_seat[:, :, TOTAL] = _STEP * sheet[:, SCORE] + sheet[:, SCORE_LOW] + _LOWEST
            s.by_seat[:, :, START] = s.by_seat[:, :, TOTAL]
            s.sheet[:, :, : TO_GO + 1] = seen.segment("sheet")[:, : TO_GO + 1]


class _Deal:
    """A world as it was dealt.

    Attributes:
        deck: list of 24 cards in the order of dealing. gifts: the cards given away so far, in order, padded with -1.
    """

    def __init__(self, known: Facts, seen: Seen, world: list[int]) -> None:
        self._seen, self._rules, self._known = seen, seen.rules, known
        self._rng = np.random.default_rng(world)
        self._place = {seat: k for k, seat in enumerate(seen.others)}
        hands = {0: seen.hand | seen.played[0]}
        hands.update({seat: world[k] | seen.played[seat] for seat, k in self._place.items()})
        if not hands[0]:  # one's own cards lie unseen
            hands[0] = world[3]
        talons = [world[1], world[2]] if self._rules.players == 2 else [world[2]]
        given = [self._gift(known, k, to, hands, world) for k, to in enumerate(self._receivers())]
        self.gifts = [word.bit_length() - 1 for word in given] + [-1] * (2 - len(given))
        for word, to in zip(given, self._receivers(), strict=True):
            hands[seen.declarer] |= word
            if to >= 0:
                hands[to] &= ~word
        if seen.declarer >= 0 and self._taken():
            talon = seen.talon or self._hidden_talon(hands[seen.declarer])
            hands[seen.declarer] &= ~talon
            talons[int(seen.second_talon)] = talon
        order = [(seen.dealer + 1 + k) % self._rules.players for k in range(self._rules.active)]
        self.deck = [card for word in [*(hands[seat] for seat in order), *talons] for card in indices_of(word)]

    def _receivers(self) -> list[int]:
        return self._seen.receivers()[: self._seen.given] if self._seen.declarer >= 0 else []

    def _taken(self) -> bool:
        return self._seen.phase not in ("talon", "hand redeal", "dark", "talon card")

    def _gift(self, known: Facts, k: int, to: int, hands: dict[int, int], world: list[int]) -> int:
        """The k-th card given away, as a bit."""
        seen = self._seen
        if seen.gave[k]:
            return seen.gave[k]
        if to < 0:  # the bank lies in the place of the talon that was taken
            return world[1 + int(seen.second_talon)]
        return 1 << int(self._rng.choice(indices_of(known.possible_gifts(world) or hands[to])))

    def _hidden_talon(self, hand: int) -> int:
        """A talon among the declarer's cards, such that the rest could make his bid if any can."""
        cards, seen = indices_of(hand), self._seen
        kept = cards
        for _ in range(_DRAWS):
            kept = self._rng.permutation(cards)[: self._rules.hand_size].tolist()
            rest = sum(1 << card for card in kept)
            if self._rules.auction_cap != "marriages" or self._known.cap(rest) >= seen.bids[seen.declarer]:
                break
        return hand & ~sum(1 << card for card in kept)


class _Past:
    """What was done up to an observation, game by game. gifts: int64 [n, 2], cards given away, -1 none."""

    def __init__(self, seen: Seen, gifts: I64) -> None:
        self._seen, self._gifts = seen, gifts
        rules, self._space = seen.rules, action_space(seen.rules)
        self._now = PHASES.index(seen.phase)
        declared = {card: DECLARE + k for k, card in enumerate(declare_cards(rules))}
        plays = [declared[play.card] if play.declares else play.card for play in seen.plays()]
        self._plays: I64 = np.array([*plays, -1], np.int64)
        said = seen.segment("said")[:, : self._space.amounts]
        #: Who said each amount, -1 nobody. int64 [amounts + 1].
        self._sayer: I64 = np.append(np.where(said.any(axis=0), said.argmax(axis=0), -1), -1)
        self._passed = np.array([bool(seen.passed >> seat & 1) for seat in range(rules.players)])
        #: The first amount from each on that somebody said, `amounts` if none. int64 [amounts + 2].
        following = np.full(self._space.amounts + 2, self._space.amounts)
        for number in range(self._space.amounts - 1, -1, -1):
            following[number] = number if self._sayer[number] >= 0 else following[number + 1]
        self._following: I64 = following

    def following(self, games: Thousand) -> I64:
        """The next action of each game, -1 where the past is over. int64 [n]."""
        s, space, seen = games.state, self._space, self._seen
        seat, phase = s.player.astype(np.int64), games.phase
        action = np.full(len(s), -1, np.int64)
        own_turn = (seat == 0) & (phase == self._now)  # where this is the decision itself, but for what is said twice

        asked = (phase == HAND_REDEAL) | (phase == TALON_REDEAL) | (phase == PASS_REDEAL)
        action[asked & ~own_turn] = space.keep
        if space.dark >= 0:
            dark = (seen.dark >> np.maximum(seat, 0)) & 1
            action = np.where((phase == DARK) & ~own_turn, np.where(dark, space.dark, space.look), action)
        if space.info >= 0:
            action[(phase == INFO) & ~own_turn] = space.info
        bidding = (phase == AUCTION).nonzero()[0]
        if len(bidding):
            action[bidding] = self._bid(games, bidding, seat[bidding])
        if space.talon >= 0 and self._now > TALON:
            action[phase == TALON] = space.talon + int(seen.second_talon)
        if seen.contract:
            action[phase == CONTRACT] = space.amount + (seen.contract - 100) // space.step
        giving = (phase == GIVE).nonzero()[0]
        if len(giving):
            cards = self._gifts[giving, np.minimum(s.gives[giving], 1)]
            action[giving] = np.where((cards >= 0) & (s.gives[giving] < seen.given), space.give + cards, -1)
        playing = (phase == PLAY).nonzero()[0]
        if len(playing):
            done = np.bitwise_count(s.played[playing]).sum(axis=1).astype(np.int64)
            action[playing] = self._plays[np.minimum(done, len(self._plays) - 1)]
        return np.where(s.player < 0, -1, action)

    def _bid(self, games: Thousand, rows: I64, seat: I64) -> I64:
        """A raise if the seat made the next one, else the pass that it must have made, or its turn now."""
        space = self._space
        price = games.state.price[rows].astype(np.int64)
        above = np.where(price > 0, (price - 100) // space.step + 1, 0)
        number = self._following[np.minimum(above, space.amounts)]
        raises = self._sayer[number] == seat
        return np.where(raises, space.amount + number, np.where(self._passed[seat], space.pass_, -1))
