"""A slow, plain reference implementation ("oracle") of the card game Schieber.

It follows the rule book paragraph by paragraph: ids such as J-PLAY-05 are those of the book, "line n" is
line n of its section 11 (the binding decisions).  Nothing here is meant to be fast.

Cards are ints ``suit * 9 + rank``: suits Eichel, Rosen, Schilten, Schellen = 0..3; ranks 6, 7, 8, 9,
Banner, Under, Ober, König, Ass = 0..8.  Actions: 0..35 play that card, 36..39 choose a trump suit,
40 Obenabe, 41 Undenufe, 42 push.  Contracts: 0..3 the trump suit, 4 Obenabe, 5 Undenufe.
Seats 0 and 2 are team 0, seats 1 and 3 team 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

SIX, SEVEN, EIGHT, NINE, BANNER, UNDER, OBER, KOENIG, ASS = range(9)
EICHEL, ROSEN, SCHILTEN, SCHELLEN = range(4)
OBENABE, UNDENUFE = 4, 5
CHOOSE, PUSH = 36, 42  # the action of contract c is CHOOSE + c

DEFAULTS: dict[str, Any] = {
    "suit_names": "swiss",  # J-EQP-02
    "first_forehand": "rosen_7",  # J-DEAL-02
    "push_back": False,  # J-CON-02
    "multipliers": (1, 1, 2, 2, 3, 4),  # J-CON-03
    "undenufe_eleven": "ace",  # J-PTS-03
    "match_bonus": 100,  # J-PTS-05
    "four_nines": 0,  # J-WEIS-02
    "kreuzweis": False,  # J-WEIS-03
    "weis_type_order": "quartet_first",  # J-WEIS-05
    "weis": True,  # J-WEIS-07
    "weis_reveal": "winner_cards",  # J-WEIS-08
    "early_stock": "any_time",  # J-STK-02
    "stock": True,  # J-STK-02
    "target": 3000,  # J-END-01
    "claim_order": "stock_weis_trick",  # J-END-02
    "schneider_factor": 1,  # J-END-03
    "hands": None,  # J-END-05
    "suits": 4,  # J-RED-01
    "ranks": ("6", "7", "8", "9", "Banner", "Under", "Ober", "König", "Ass"),  # J-RED-01
}
_SINGLE = (1, 1, 1, 1, 1, 1)
_BARE = {"undenufe_eleven": "six", "multipliers": _SINGLE, "weis": False, "stock": False, "match_bonus": 0}
_SHORT = {"undenufe_eleven": "six", "first_forehand": "random", "suits": 2}
PRESETS: dict[str, dict[str, Any]] = {  # section 8 with line 16
    "source": {**DEFAULTS},
    "swiss": {**DEFAULTS, "undenufe_eleven": "six"},
    "swisslos2500": {**DEFAULTS, "undenufe_eleven": "six", "multipliers": (1, 1, 2, 2, 3, 3), "target": 2500},
    "swisslos1000": {**DEFAULTS, "undenufe_eleven": "six", "multipliers": _SINGLE, "target": 1000},
    "tournament": {**DEFAULTS, **_BARE},
    "jass_kit": {**DEFAULTS, **_BARE},
    # section 15
    "tiny": {**DEFAULTS, **_SHORT, "ranks": DEFAULTS["ranks"][5:]},
    "small": {**DEFAULTS, **_SHORT, "ranks": DEFAULTS["ranks"][3:]},
}
_FOREHAND_CARD = {  # J-DEAL-02: whose holder is the first forehand
    "rosen_7": ROSEN * 9 + SEVEN,
    "schellen_7": SCHELLEN * 9 + SEVEN,
    "schellen_banner": SCHELLEN * 9 + BANNER,
}


def suit_of(card: int) -> int:
    return card // 9


def rank_of(card: int) -> int:
    return card % 9


def deck_of(rules: dict[str, Any]) -> list[int]:
    """The cards of the deck (J-RED-01)."""
    kept = [place for place, rank in enumerate(DEFAULTS["ranks"]) if rank in rules["ranks"]]
    return [suit * 9 + rank for suit in range(rules["suits"]) for rank in kept]


def team_of(seat: int) -> int:
    """J-SEAT-01."""
    return seat % 2


TRUMP_ORDER = [SIX, SEVEN, EIGHT, BANNER, OBER, KOENIG, ASS, NINE, UNDER]  # J-RNK-02, weakest first


def strength(card: int, contract: int) -> int:
    """Rank of a card inside its own suit, bigger is stronger (J-RNK-01, 02, 03)."""
    if contract == UNDENUFE:
        return ASS - rank_of(card)
    if suit_of(card) == contract:
        return TRUMP_ORDER.index(rank_of(card))
    return rank_of(card)


def card_points(card: int, contract: int, undenufe_eleven: str) -> int:
    """J-PTS-01, J-PTS-02, J-PTS-03 with line 17."""
    rank = rank_of(card)
    if suit_of(card) == contract and rank == UNDER:
        return 20
    if suit_of(card) == contract and rank == NINE:
        return 14
    if contract in (OBENABE, UNDENUFE) and rank == EIGHT:
        return 8
    if contract == UNDENUFE and undenufe_eleven == "six" and rank in (SIX, ASS):
        return 11 if rank == SIX else 0
    return {ASS: 11, KOENIG: 4, OBER: 3, UNDER: 2, BANNER: 10}.get(rank, 0)


def legal_cards(hand: Sequence[int], trick: Sequence[int], contract: int) -> list[int]:
    """The legal cards of ``hand`` when ``trick`` holds these cards, the led one first (J-PLAY-01 to 05)."""
    if not trick:
        return sorted(hand)  # J-PLAY-01
    led = suit_of(trick[0])
    of_led_suit = [card for card in hand if suit_of(card) == led]
    if contract in (OBENABE, UNDENUFE):
        return sorted(of_led_suit or hand)  # J-PLAY-02
    trumps = [card for card in hand if suit_of(card) == contract]
    if led == contract:  # J-PLAY-03
        if not trumps or trumps == [contract * 9 + UNDER]:
            return sorted(hand)
        return sorted(trumps)
    trumps_played = [card for card in trick if suit_of(card) == contract]
    if not trumps_played:  # J-PLAY-04
        return sorted(of_led_suit + trumps) if of_led_suit else sorted(hand)
    if len(trumps) == len(hand):  # J-PLAY-05: nothing but trumps
        return sorted(hand)
    highest = max(strength(card, contract) for card in trumps_played)
    higher_trumps = [card for card in trumps if strength(card, contract) > highest]
    if of_led_suit:
        return sorted(of_led_suit + higher_trumps)
    return sorted([card for card in hand if suit_of(card) != contract] + higher_trumps)


def winning_index(trick: Sequence[int], contract: int) -> int:
    """Position (0 = leader) of the card that takes the trick (J-PLAY-06)."""
    trumps = [card for card in trick if suit_of(card) == contract]
    candidates = trumps or [card for card in trick if suit_of(card) == suit_of(trick[0])]
    return list(trick).index(max(candidates, key=lambda card: strength(card, contract)))


class WeisSet(NamedTuple):
    """One set: a run (cards of one suit) or a quartet (cards of four suits); cards ascending."""

    points: int
    cards: tuple[int, ...]


def make_run(cards: Sequence[int]) -> WeisSet:
    """J-WEIS-01: three 20, four 50, five or more 100."""
    return WeisSet({3: 20, 4: 50}.get(len(cards), 100), tuple(cards))


def longest_runs(hand: Sequence[int]) -> list[list[int]]:
    """Every maximal sequence of three or more neighbours in plain order (J-WEIS-01)."""
    runs: list[list[int]] = []
    for suit in range(4):
        current: list[int] = []
        for rank in range(10):  # rank 9 does not exist and closes the last sequence of the suit
            card = suit * 9 + rank
            if rank < 9 and card in hand:
                current.append(card)
                continue
            if len(current) >= 3:
                runs.append(current)
            current = []
    return runs


def quartets(hand: Sequence[int], four_nines: int) -> list[WeisSet]:
    """J-WEIS-02."""
    values = {ASS: 100, KOENIG: 100, OBER: 100, BANNER: 100, UNDER: 200, NINE: four_nines}
    found = []
    for rank, points in values.items():
        cards = tuple(suit * 9 + rank for suit in range(4))
        if points > 0 and all(card in hand for card in cards):
            found.append(WeisSet(points, cards))
    return found


def set_strength(one: WeisSet, contract: int, type_order: str) -> tuple[int, int, int, int, int]:
    """Sort key of J-WEIS-05 without the order of play: points, type, length, rank of the top card, trump."""
    is_run = suit_of(one.cards[0]) == suit_of(one.cards[1])
    if contract == UNDENUFE:  # J-WEIS-06: the strongest card is the lowest one, for quartets too
        top = max(ASS - rank_of(card) for card in one.cards)
    else:
        top = max(rank_of(card) for card in one.cards)
    favoured = is_run == (type_order == "run_first")
    length = len(one.cards) if is_run else 0  # runs of equal points below 100 are equally long anyway
    in_trump = is_run and suit_of(one.cards[0]) == contract  # line 10
    return (one.points, int(favoured), length, top, int(in_trump))


def disjoint_choices(hand: Sequence[int], four_nines: int) -> list[list[WeisSet]]:
    """All declarations using no card twice: any quartets, at most one piece of each longest run (line 8)."""
    pieces_of_runs: list[list[WeisSet | None]] = []
    for run in longest_runs(hand):
        pieces: list[WeisSet | None] = [None]  # the run is not declared at all
        for start in range(len(run)):
            for stop in range(start + 3, len(run) + 1):
                pieces.append(make_run(run[start:stop]))
        pieces_of_runs.append(pieces)
    all_quartets = quartets(hand, four_nines)
    quartet_choices = [c for size in range(len(all_quartets) + 1) for c in combinations(all_quartets, size)]
    choices: list[list[WeisSet]] = []
    for some_quartets in quartet_choices:
        for some_pieces in product(*pieces_of_runs):
            choice = list(some_quartets) + [piece for piece in some_pieces if piece is not None]
            cards = [card for one in choice for card in one.cards]
            if len(cards) == len(set(cards)):
                choices.append(choice)
    return choices


def declared_sets(hand: Sequence[int], contract: int, rules: dict[str, Any]) -> list[WeisSet]:
    """The sets a player declares, best first (J-WEIS-03 with lines 7, 8 and 9)."""

    def key(one: WeisSet) -> tuple[int, ...]:
        return set_strength(one, contract, rules["weis_type_order"])

    if not rules["weis"]:
        return []
    if rules["kreuzweis"]:  # line 9
        everything = [make_run(run) for run in longest_runs(hand)] + quartets(hand, rules["four_nines"])
        return sorted(everything, key=key, reverse=True)
    choices = [sorted(c, key=key, reverse=True) for c in disjoint_choices(hand, rules["four_nines"])]
    largest = max(sum(one.points for one in choice) for choice in choices)
    choices = [choice for choice in choices if sum(one.points for one in choice) == largest]
    best = max([key(one) for one in choice] for choice in choices)  # best set, then second best, and so on
    choices = [choice for choice in choices if [key(one) for one in choice] == best]
    return min(choices, key=lambda choice: [one.cards for one in choice])  # then a fixed order of the cards


def weis_winner(sets: list[list[WeisSet]], forehand: int, contract: int, type_order: str) -> int | None:
    """The team with the best single set, None if nobody has a set (J-WEIS-04, 05, 06)."""
    best: tuple[int, ...] = ()
    winner: int | None = None
    for seat in [(forehand + i) % 4 for i in range(4)]:  # earlier in the order of play keeps an equal set
        for one in sets[seat]:
            if set_strength(one, contract, type_order) > best:
                best, winner = set_strength(one, contract, type_order), team_of(seat)
    return winner


class Oracle:
    """One match (or one hand) of Schieber, driven by ``step``.

    ``hand`` holds the facts of the present (or last) hand: ``tricks`` are the complete tricks as dicts with
    leader, cards [(seat, card)], winner and points; ``table`` holds the cards of the trick under way;
    ``base_points``, ``match_bonus``, ``weis`` and ``stock`` are what a team scored, before the multiplier.
    """

    # fmt: off
    def __init__(
        self, rules: dict[str, Any], deals: Callable[[int], list[list[int]]], *, episode: str = "hand",
        first_forehand: int | None = None, scores: Sequence[int] = (0, 0), hand_number: int = 0,
    ) -> None:
        # fmt: on
        unknown = set(rules) - set(DEFAULTS)
        if unknown or episode not in ("hand", "match"):
            raise ValueError(f"unknown options {sorted(unknown)} or episode {episode!r}")
        self.rules: dict[str, Any] = {**DEFAULTS, **rules}
        self.deals = deals
        self.episode = episode
        self.hand_number = hand_number
        self.scores = [int(scores[0]), int(scores[1])]
        self.target_in_force = self.rules["hands"] is None  # line 6
        if self.target_in_force and max(self.scores) >= self.rules["target"]:
            raise ValueError("the match is already over")
        self.done = False
        self.winner: int | None = None
        self.schneider = False
        self.match_reward: tuple[float, float] = (0.0, 0.0)
        self.history: list[dict[str, Any]] = []
        self.events: list[tuple[int, str, int, int, tuple[int, int]]] = []
        if first_forehand is None:  # J-DEAL-02 and line 14
            if self.rules["first_forehand"] == "random" or hand_number != 0:
                raise ValueError("the forehand must be given")
            named = _FOREHAND_CARD[self.rules["first_forehand"]]
            first_forehand = next(seat for seat, hand in enumerate(deals(0)) if named in hand)
        self._begin_hand(first_forehand)

    def _begin_hand(self, forehand: int) -> None:
        dealt = [sorted(int(card) for card in hand) for hand in self.deals(self.hand_number)]
        cards = sorted(card for hand in dealt for card in hand)
        deck = deck_of(self.rules)
        if [len(hand) for hand in dealt] != [len(deck) // 4] * 4 or cards != deck:
            raise ValueError("a deal is four equal hands, the whole deck")  # J-EQP-01, J-DEAL-01
        self.hands = [list(hand) for hand in dealt]
        self.hand: dict[str, Any] = {
            "hand_number": self.hand_number, "dealt": dealt, "forehand": forehand, "contract": None,
            "declarer": None, "pushed": 0, "pushes": [], "multiplier": None, "tricks": [], "table": [],
            "base_points": [0, 0], "match_bonus": [0, 0], "weis": [0, 0], "weis_declared": [0, 0, 0, 0],
            "weis_sets": [[], [], [], []], "weis_counted": False, "stock": [0, 0], "stock_seat": None,
            "early_claim": False,
        }  # fmt: skip
        self.current_player = forehand

    def legal(self) -> list[int]:
        """The legal actions of the player to act, ascending."""
        if self.done:
            return []
        contract = self.hand["contract"]
        if contract is not None:
            return legal_cards(self.hands[self.current_player], [c for _, c in self.hand["table"]], contract)
        pushes_allowed = 2 if self.rules["push_back"] else 1  # J-CON-01, J-CON-02, line 13
        contracts = [*range(self.rules["suits"]), OBENABE, UNDENUFE]  # J-RED-02
        return [CHOOSE + contract for contract in contracts] + ([PUSH] if self.hand["pushed"] < pushes_allowed else [])

    def step(self, action: int) -> None:
        """Perform one action; an illegal one raises ValueError and changes nothing."""
        if action not in self.legal():
            raise ValueError(f"illegal action {action}")
        action = int(action)
        if action == PUSH:
            self.hand["pushes"].append(self.current_player)
            self.hand["pushed"] += 1
            self.current_player = (self.current_player + 2) % 4  # J-CON-01
        elif action >= CHOOSE:
            self._fix_contract(action - CHOOSE)
        else:
            self._play(action)
        if self.done:
            self.current_player = -1

    def _fix_contract(self, contract: int) -> None:
        hand = self.hand
        hand["contract"], hand["declarer"] = contract, self.current_player
        hand["multiplier"] = self.rules["multipliers"][contract]  # J-CON-03
        hand["weis_sets"] = [declared_sets(cards, contract, self.rules) for cards in hand["dealt"]]
        hand["weis_declared"] = [sum(one.points for one in sets) for sets in hand["weis_sets"]]
        self.current_player = hand["forehand"]  # J-CON-04
        self._early_claim()  # line 3 (a)

    def _play(self, card: int) -> None:
        hand, seat = self.hand, self.current_player
        self.hands[seat].remove(card)
        hand["table"].append((seat, card))
        self.current_player = (seat + 1) % 4  # J-SEAT-01
        if card in self._pair() and seat == self._pair_holder():
            if any(other in self.hands[seat] for other in self._pair()):
                self._early_claim()  # line 3 (c): the first card of the pair
            else:
                hand["stock_seat"] = seat
                hand["stock"][team_of(seat)] = 20
                self._score("stock", team_of(seat), 20)  # J-STK-01, line 2: in mid-trick
        if not self.done and len(hand["table"]) == 4:
            self._complete_trick()

    def _complete_trick(self) -> None:
        hand, contract = self.hand, self.hand["contract"]
        cards = [card for _, card in hand["table"]]
        winner = hand["table"][winning_index(cards, contract)][0]
        points = sum(card_points(card, contract, self.rules["undenufe_eleven"]) for card in cards)
        last = len(hand["tricks"]) + 1 == len(deck_of(self.rules)) // 4
        points += 5 if last else 0  # J-PTS-04, line 1
        hand["tricks"].append({"leader": hand["table"][0][0], "cards": hand["table"], "winner": winner,
                               "points": points})  # fmt: skip
        hand["table"] = []
        self.current_player = winner  # J-PLAY-06
        first = len(hand["tricks"]) == 1
        if first:
            self._early_claim()  # J-END-02, line 4
        if first and self.rules["claim_order"] == "stock_weis_trick":
            self._count_weis()
        if not self.done:
            hand["base_points"][team_of(winner)] += points
            self._score("trick", team_of(winner), points)
        if first and self.rules["claim_order"] == "stock_trick_weis":  # line 5
            self._count_weis()
        if last and not self.done:
            self._finish_hand()

    def _count_weis(self) -> None:
        """J-WEIS-04 and line 12: one scoring event for the whole team."""
        if self.done:
            return
        hand, contract = self.hand, self.hand["contract"]
        hand["weis_counted"] = True
        team = weis_winner(hand["weis_sets"], hand["forehand"], contract, self.rules["weis_type_order"])
        if team is not None:
            hand["weis"][team] = hand["weis_declared"][team] + hand["weis_declared"][team + 2]
            self._score("weis", team, hand["weis"][team])

    def _finish_hand(self) -> None:
        """After trick 9: match bonus, then the next hand or the end."""
        hand = self.hand
        winners = {team_of(trick["winner"]) for trick in hand["tricks"]}
        if len(winners) == 1 and self.rules["match_bonus"] > 0:  # J-PTS-05: tricks, not points
            team = winners.pop()
            hand["match_bonus"][team] = self.rules["match_bonus"]
            self._score("match_bonus", team, self.rules["match_bonus"])
            if self.done:
                return
        self.history.append(hand)
        if self.episode == "hand":  # line 19
            self.done = True
        elif not self.target_in_force and self.hand_number + 1 == self.rules["hands"]:  # J-END-05
            self.done = True
            if self.scores[0] != self.scores[1]:
                self._declare_winner(0 if self.scores[0] > self.scores[1] else 1)
        else:
            self.hand_number += 1
            self._begin_hand((hand["forehand"] + 1) % 4)  # J-DEAL-02

    def _pair(self) -> list[int]:
        """König and Ober of trump where a Stöck exists in this hand (trump contracts only)."""
        contract = self.hand["contract"]
        if not self.rules["stock"] or contract is None or contract in (OBENABE, UNDENUFE):
            return []
        return [contract * 9 + OBER, contract * 9 + KOENIG]

    def _pair_holder(self) -> int | None:
        """The seat that was dealt the whole pair."""
        pair = self._pair()
        for seat, cards in enumerate(self.hand["dealt"]):
            if pair and all(card in cards for card in pair):
                return seat
        return None

    def _early_claim(self) -> None:
        """J-STK-02 with line 3: claim the Stöck at once if it reaches the target."""
        hand, seat = self.hand, self._pair_holder()
        if self.done or not self.target_in_force or self.rules["early_stock"] == "off":
            return
        if seat is None or hand["stock_seat"] is not None or hand["multiplier"] is None:
            return
        unplayed = [card for card in self._pair() if card in self.hands[seat]]
        if self.rules["early_stock"] == "first_card" and len(unplayed) == 2:
            return
        if self.scores[team_of(seat)] + 20 * hand["multiplier"] >= self.rules["target"]:
            hand["stock_seat"] = seat
            hand["stock"][team_of(seat)] = 20
            hand["early_claim"] = True
            self._score("early_stock", team_of(seat), 20)

    def _score(self, kind: str, team: int, base: int) -> None:
        """One scoring event; the match ends here if it reaches the target (J-END-01)."""
        points = base * self.hand["multiplier"]
        self.scores[team] += points
        self.events.append((self.hand_number, kind, team, points, (self.scores[0], self.scores[1])))
        if self.target_in_force and self.scores[team] >= self.rules["target"]:
            self.done = True
            self.history.append(self.hand)
            self._declare_winner(team)
        else:
            self._early_claim()  # line 3 (b)

    def _declare_winner(self, team: int) -> None:
        """J-END-03 and line 15; no Schneider where the number of hands is fixed (line 6)."""
        self.winner = team
        self.schneider = self.target_in_force and 2 * self.scores[1 - team] < self.rules["target"]
        worth = float(self.rules["schneider_factor"] if self.schneider else 1)
        self.match_reward = (worth, -worth) if team == 0 else (-worth, worth)

    def public(self) -> dict[str, Any]:
        """Everything all four players know (J-WEIS-08 with line 11)."""
        hand = self.hand
        played = [play for trick in hand["tricks"] for play in trick["cards"]] + hand["table"]
        has_played = {seat for seat, _ in played}
        shown: list[set[int]] = [set(), set(), set(), set()]
        if hand["weis_counted"] and self.rules["weis_reveal"] != "values_only":
            for seat in range(4):
                if self.rules["weis_reveal"] == "all" or hand["weis"][team_of(seat)] > 0:
                    shown[seat] = {card for one in hand["weis_sets"][seat] for card in one.cards}
        return {
            "hand_number": hand["hand_number"],
            "forehand": hand["forehand"],
            "contract": hand["contract"],
            "declarer": hand["declarer"],
            "pushes": list(hand["pushes"]),
            "played": played,
            "weis_values": [hand["weis_declared"][seat] if seat in has_played else None for seat in range(4)],
            "weis_shown": shown,
            "stock_scored": hand["stock_seat"],
            "scores": list(self.scores),
        }
