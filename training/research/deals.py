"""Deals for research: drawn as environments draw them, written in text, or taken from files and records."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from ...envs.core import deals as counter
from ...envs.core.bits import I64
from ...envs.core.deals import NOBODY
from ...envs.core.errors import BidtrickError, DealError
from ...envs.core.game import BatchedGame
from ...envs.core.records import GameRecord
from ...envs.registry import start_replay


@dataclass(frozen=True, eq=False)
class Deal:
    """A deal of a game.

    Attributes:
        deck: int64 [D], the cards in the order of dealing, as `reset(options={"deal": ...})` takes them.
        dealer: seat of the dealer. name: where it comes from, for people.
    """

    deck: I64
    dealer: int
    name: str

    def packets(self, games: BatchedGame[Any]) -> list[tuple[str, list[int]]]:
        """Who holds what: ("seat 0", cards), …, what nobody is dealt last. `games`: any batch of the same rules."""
        owners = games.deal_plan(self.dealer).owner.tolist()
        found: list[tuple[str, list[int]]] = []
        start = 0
        for owner, run in itertools.groupby(owners):
            end = start + len(list(run))
            cards = self.deck[start:end].tolist()
            # the order of a hand says nothing, that of a stock does
            found.append(("not dealt", cards) if owner == NOBODY else (f"seat {owner}", sorted(cards)))
            start = end
        return found


def drawn_deals(games: BatchedGame[Any], seed: int, numbers: Sequence[int] | I64) -> tuple[I64, I64]:
    """Deals that environments draw: game `number`, first hand of the seed. (A hand that is thrown in counts.)

    Args:
        games: any batch of the game and rules; it stays as it is. numbers: int [n], ids of games.

    Returns: decks int64 [n, D], dealers int64 [n].
    """
    from ...agents.search.deals import deal_solver

    ids = np.asarray(numbers, np.int64)
    cards = games.deal_plan(0).cards
    decks = cards[counter.shuffle(seed, ids, np.zeros(len(ids), np.int64), len(cards))]
    fresh = type(games)(games.rules, num_games=len(ids))
    fresh.reset(seed=seed, options={"game_id": ids, "hand_id": 0})
    return decks, deal_solver(games.spec).dealer(fresh)


def make_deal(games: BatchedGame[Any], deal: Any, dealer: int | None, name: str) -> Deal:
    """A checked deal.

    Args:
        games: any batch of the game and rules; it stays as it is.
        deal: packets of cards as texts, card numbers of the deck in order, or what else the game takes.
        dealer: None is the last seat, so that seat 0 speaks first.

    Raises: DealError or UnknownNameError naming what is wrong.
    """
    seats = games.spec.num_seats
    if dealer is not None and not 0 <= dealer < seats:
        raise DealError(f"{name}: dealer={dealer} is not allowed; allowed: from 0 to {seats - 1}")
    if isinstance(deal, str):
        deal = deal.split("/")
    dealer = seats - 1 if dealer is None else dealer
    try:
        if isinstance(deal, list | tuple) and deal and all(isinstance(part, str) for part in cast("list[Any]", deal)):
            deal = _deck_of_texts(games, cast("list[str]", deal), dealer)
        type(games)(games.rules).reset(options={"deal": deal, "dealer": dealer})
    except BidtrickError as error:
        raise type(error)(f"{name}: {error}") from None
    return Deal(np.asarray(deal, np.int64).ravel(), dealer, name)


def _deck_of_texts(games: BatchedGame[Any], packets: list[str], dealer: int) -> I64:
    """The deck of packets in text. Raises DealError naming the packet that has too many or too few cards."""
    spec = games.spec
    owners = games.deal_plan(dealer).owner.tolist()
    sizes = [len(list(run)) for _, run in itertools.groupby(owners)]
    cards = [spec.deck.parse_hand(packet) for packet in packets]
    loose = len(sizes) - (owners[-1] == NOBODY)  # what nobody is dealt may be written in several packets
    counts = [len(packet) for packet in cards]
    if owners[-1] == NOBODY and len(counts) > len(sizes):
        counts = [*counts[:loose], sum(counts[loose:])]
    if counts != sizes:
        raise DealError(f"deal: the packets have {counts} cards, must have {sizes} (with \"/\" between them)")
    return np.array([card for packet in cards for card in packet], np.int64)


def read_deals(games: BatchedGame[Any], file: str | Path, dealer: int | None = None) -> list[Deal]:
    """The deals of a file, one a line.

    A line is text (packets of cards with "/" between them), JSON like {"deal": ["A♠ …", …], "dealer": 2}, or a record
    (`BatchedGame.record`): then its first deal. Empty lines and lines that begin with # are left out.

    Args:
        games: any batch of the game and rules. dealer: for lines that do not name one.

    Raises: BidtrickError naming file, line and reason.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DealError(f"{file}: cannot be read ({error})") from None
    found: list[Deal] = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if line and not line.startswith("#"):
            found.append(_of_line(games, line, dealer, f"{file} line {number}"))
    if not found:
        raise DealError(f"{file}: there is no deal in it")
    return found


def _of_line(games: BatchedGame[Any], line: str, dealer: int | None, where: str) -> Deal:
    if not line.startswith("{"):
        return make_deal(games, line, dealer, where)
    try:
        data: dict[str, Any] = json.loads(line)
    except json.JSONDecodeError as error:
        raise DealError(f"{where}: not a JSON line ({error.msg} at column {error.colno})") from None
    if "format" in data:
        return deal_of_record(GameRecord.from_json(line, where), where, games)
    unknown = sorted(set(data) - {"deal", "dealer"})
    if unknown or "deal" not in data:
        raise DealError(f"{where}: a line is {{\"deal\": …, \"dealer\": …}}; got the fields {', '.join(sorted(data))}")
    given = data.get("dealer", dealer)
    if given is not None and (isinstance(given, bool) or not isinstance(given, int)):
        raise DealError(f"{where}: dealer must be a seat; got {given!r}")
    return make_deal(games, data["deal"], given, where)


def deal_of_record(record: GameRecord, where: str, games: BatchedGame[Any] | None = None) -> Deal:
    """The first deal of a record, as it was first dealt. `games`: what the rules must be, if given.

    Raises: RecordError or DealError naming `where`.
    """
    from ...agents.search.deals import deal_solver

    game = start_replay(record, where)
    if games is not None and (record.game != games.spec.id or game.rules != games.rules):
        raise DealError(
            f"{where}: a record of {record.game} with rules {game.rules.name}; "
            f"asked for: {games.spec.id} with rules {games.rules.name}"
        )
    dealer = int(deal_solver(game.spec).dealer(game)[0])
    given = record.options.get("deal")
    if given is not None:
        words = np.array(given, np.uint64)
        if len(words) == game.spec.num_seats and words.max() > game.spec.deck.size:  # hands as words
            deck: I64 = np.array([c for w in words.tolist() for c in range(64) if w >> c & 1], np.int64)
        else:
            deck = words.astype(np.int64)
        return Deal(deck, dealer, where)
    cards = game.deal_plan(dealer).cards
    ids = np.array([record.game_id]), np.array([record.hand_id])
    return Deal(cards[counter.shuffle(record.seed, *ids, len(cards))][0], dealer, where)


def deals_of(games: BatchedGame[Any], seed: int, count: int) -> Iterator[Deal]:
    """The first drawn deals of a seed."""
    decks, dealers = drawn_deals(games, seed, range(count))
    for number, (deck, dealer) in enumerate(zip(decks, dealers.tolist(), strict=True)):
        yield Deal(deck, dealer, f"seed {seed}, game {number}" if count > 1 else f"seed {seed}")
