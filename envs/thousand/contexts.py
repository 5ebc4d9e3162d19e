"""The context of a game of Thousand, and what every action does in it.

A context is a phase, the second card given away, or in the play a trump and a suit led: one number, by which tables
say what may be done and what follows. An action that means nothing in a context has a row of no effect, so that all
games of a batch are advanced by the same few array operations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core import tricks
from ..core.bits import BIT, I64, U8, U64
from .columns import GIVEN, NAMED
from .rules import ThousandRules
from .tables import (
    ACE,
    AUCTION,
    CARDS,
    CONTRACT,
    DARK,
    DECLARE,
    GIVE,
    HAND_REDEAL,
    INFO,
    NO_SUIT,
    PASS_REDEAL,
    PLAY,
    POINTS,
    SUIT_MASK,
    SUITS,
    TALON,
    TALON_REDEAL,
    action_space,
    declare_cards,
    facts,
    strength,
)

I8 = npt.NDArray[np.int8]

#: Contexts outside the play. Those before IN_GIVE are questions; the last two name amounts; the play comes after them.
(
    IN_DARK, IN_HAND_REDEAL, IN_INFO, IN_TALON, IN_TALON_REDEAL, IN_PASS_REDEAL, IN_GIVE, IN_GIVE_SECOND, IN_AUCTION,
    IN_CONTRACT, IN_PLAY,
) = range(11)  # fmt: skip
CONTEXTS = IN_PLAY + 25
#: The first trick: no trump, nothing led; and of a game that has never been dealt to.
FIRST_LEAD = IN_PLAY + NO_SUIT * 5 + NO_SUIT
NO_CONTEXT = FIRST_LEAD

#: Phase of each context. int8 [35].
PHASE_OF: I8 = np.array(
    [DARK, HAND_REDEAL, INFO, TALON, TALON_REDEAL, PASS_REDEAL, GIVE, GIVE, AUCTION, CONTRACT] + [PLAY] * 25, np.int8
)
_TRUMP_OF: I8 = np.array([NO_SUIT] * IN_PLAY + [k // 5 for k in range(25)], np.int8)
_LED_OF: I8 = np.array([NO_SUIT] * IN_PLAY + [k % 5 for k in range(25)], np.int8)
#: Context after a trick: the same trump, nothing led. int64 [35].
LED_NOTHING: I64 = np.array([*range(IN_PLAY), *(IN_PLAY + k // 5 * 5 + NO_SUIT for k in range(25))])

#: Winning codes (core.tricks) before a card lies: in the play, and outside of it. Their low bits are no card's, which
#: tells them apart from the codes of cards, and any card beats them.
LEAD, IDLE = -8, -15
_NO_EFFECT = -99

#: What needs more than the tables: kinds of events, in the order in which they are carried out.
DECLARES, BIDS, GIVES, GIVES_SECOND, OVER, ANSWERS = range(1, 7)
EVENT_KINDS = 7

#: Slots of a context in the tables of legality, for strengths of the winning card from -2 (they may be negative:
#: the slots 14 and 15 of the context before are free).
STRENGTHS = 16
STRENGTH_BITS = 4


def trump_of(contexts: I64) -> I8:
    """Trump of each context, 4 if none."""
    return _TRUMP_OF.take(contexts)


def led_of(contexts: I64) -> I8:
    """Suit led of each context, 4 if none."""
    return _LED_OF.take(contexts)


def play_context(trump: int, led: int) -> int:
    return IN_PLAY + 5 * trump + led


@dataclass(frozen=True)
class Transitions:
    """What actions do. W = 1 << bits columns, more than there are actions: NO_ACTION & (W - 1) has no effect.

    By action: card uint64 [W] its bit, empty for none; plays int64 [W] 1 for a card put down; byte int64 [W] the card
        as a byte of `when` (24: none); fives uint8 [W] an amount in fives, 0 for none.
    By (context, action), [35·W]: context int64 the context after it; event uint8 its kind, 0 for none; desk uint64
        what it adds to the desk; first int64 the code of a card played first (of a later one it is less by its place);
        voids uint64 void flags of seat 0 that it shows.
    """

    bits: int
    card: U64
    plays: I64
    byte: I64
    fives: U8
    context: I64
    event: U8
    desk: U64
    first: I64
    voids: U64


def transitions(rules: ThousandRules) -> Transitions:
    """The transitions of a set of rules."""
    space = action_space(rules)
    bits = len(space.names).bit_length()
    width = 1 << bits
    cards = [*range(CARDS), *declare_cards(rules)]
    context = np.repeat(np.arange(CONTEXTS)[:, None], width, axis=1)
    event = np.zeros((CONTEXTS, width), np.uint8)
    desk = np.zeros((CONTEXTS, width), np.uint64)
    first = np.full((CONTEXTS, width), _NO_EFFECT, np.int64)
    voids = np.zeros((CONTEXTS, width), np.uint64)
    void = [facts(rules.players).bit(f"void_{suit.lower()}") for suit in SUITS]

    for trump in range(5):
        for led in range(5):
            row = play_context(trump, led)
            event[row, DECLARE : space.card_actions] = DECLARES
            for action, card in enumerate(cards):
                suit = card // 6
                new_led = suit if led == NO_SUIT else led
                new_trump = suit if action >= DECLARE and _sets_trump(rules, card) else trump
                context[row, action] = play_context(new_trump, new_led)
                first[row, action] = strength(new_trump, new_led, card) * tricks.SLOTS + tricks.SLOTS - 1
                desk[row, action] = POINTS[card % 6]
                if suit != new_led:
                    voids[row, action] = void[new_led]
                    if new_trump not in (NO_SUIT, suit) and rules.play_must_trump:
                        voids[row, action] |= np.uint64(void[new_trump])

    amounts = slice(space.amount, space.amount + space.amounts)
    fives = np.zeros(width, np.uint8)
    fives[amounts] = 20 + np.arange(space.amounts) * space.step // 5
    event[:IN_GIVE, : len(space.names)] = ANSWERS
    event[IN_AUCTION, amounts] = event[IN_AUCTION, space.pass_] = BIDS
    event[[IN_CONTRACT, IN_GIVE], space.write_off] = OVER
    before = rules.contract_declare == "before_pass"  # T-RAISE-02
    desk[IN_CONTRACT, amounts] = fives[amounts].astype(np.uint64) << np.uint64(8 * NAMED)
    context[IN_CONTRACT, amounts] = IN_GIVE if before else FIRST_LEAD
    gifts = slice(space.give, space.give + CARDS)
    for k, row in enumerate((IN_GIVE, IN_GIVE_SECOND)[: rules.gives]):
        last = k == rules.gives - 1
        context[row, gifts] = IN_GIVE_SECOND if not last else FIRST_LEAD if before else IN_CONTRACT
        event[row, gifts] = GIVES + k
        desk[row, gifts] = 1 << (8 * GIVEN)
    # who leads first leads with nothing on the table (T-PLAY-01)
    first[:IN_PLAY][context[:IN_PLAY] == FIRST_LEAD] = LEAD

    card = np.zeros(width, np.uint64)
    card[: len(cards)] = BIT[cards]
    byte = np.full(width, CARDS)
    byte[: len(cards)] = cards
    return Transitions(
        bits=bits,
        card=card,
        plays=(np.arange(width) < space.card_actions).astype(np.int64),
        byte=byte,
        fives=fives,
        context=context.ravel(),
        event=event.ravel(),
        desk=desk.ravel(),
        first=first.ravel(),
        voids=voids.ravel(),
    )


def _sets_trump(rules: ThousandRules, card: int) -> bool:
    """Whether a declaration with this card changes the trump at once (T-MAR-08, T-ACE-05)."""
    if rules.marriage_trump_from == "next_trick":
        return False
    return card % 6 != ACE or rules.ace_marriage_sets_trump


@dataclass(frozen=True)
class Legality:
    """What binds who plays a card. By (context, strength of the winning card), uint64 [35·16]: beat, follow, overtrump,
    ruff (the first of them that meets the hand binds). By context, uint64 [35]: trumps, and queens of the marriages
    that may be declared, aces if four of them may.
    """

    beat: U64
    follow: U64
    overtrump: U64
    ruff: U64
    trumps: U64
    queens: U64
    aces: U64


def legality(rules: ThousandRules) -> Legality:
    """The legality tables of a set of rules."""
    masks = np.zeros((4, CONTEXTS, STRENGTHS), np.uint64)
    trumps, queens, aces = np.zeros((3, CONTEXTS), np.uint64)
    for trump in range(5):
        for led in range(5):
            row = play_context(trump, led)
            trumps[row] = SUIT_MASK[trump]
            if led == NO_SUIT or not rules.marriage_on_lead_only:  # T-MAR-04
                queens[row] = 0o04040404
            if led == NO_SUIT and rules.ace_marriage:
                aces[row] = 0o40404040
            for best in range(STRENGTHS - 2):
                if led != NO_SUIT:
                    masks[:, row, best] = _masks(rules, trump, led, best)
    return Legality(*(mask.ravel() for mask in masks), trumps=trumps, queens=queens, aces=aces)


def _masks(rules: ThousandRules, trump: int, led: int, best: int) -> tuple[int, int, int, int]:
    """What binds a follower, in order (T-PLAY-02 to T-PLAY-05): beat, follow, overtrump, ruff; 0 binds nobody."""
    suit = int(SUIT_MASK[led])
    trumps = int(SUIT_MASK[trump])
    ruffed = led != trump and best >= 7
    high = best - 7 if led == trump else best - 1  # rank of the winning card of the suit led
    beat = 0
    if rules.play_must_beat and not ruffed:
        beat = sum(1 << (6 * led + r) for r in range(6) if r > high)
    over = sum(1 << (6 * trump + r) for r in range(6) if r > (best - 7 if ruffed else -1)) if trump < 4 else 0
    return beat, suit, over if rules.play_must_overtrump else 0, trumps if rules.play_must_trump else 0
