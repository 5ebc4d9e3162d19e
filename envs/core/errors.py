"""Named errors. Every refusal in bidtrick is one of these, and a refused call changes nothing."""

from __future__ import annotations


class BidtrickError(ValueError):
    """Base class of all errors that bidtrick raises on bad input."""


class IllegalActionError(BidtrickError):
    """An action that the rules forbid in the present position; the message names game, seat, phase and legal ones."""


class GameOverError(IllegalActionError):
    """An action for a game that is already finished."""


class DealError(BidtrickError):
    """A given deal or match context that cannot be: wrong number of cards, a duplicate, an impossible score."""


class RulesError(BidtrickError):
    """An unknown rule option, a value that is not allowed, or options that exclude each other."""


class RecordError(BidtrickError):
    """A game record that cannot be read or replayed; the message names the line and the reason."""


class UnknownNameError(BidtrickError):
    """A game, preset, agent or card name that does not exist; the message lists those that do."""


class StateError(BidtrickError):
    """A saved state that does not fit this batch (other rules, other size, missing arrays)."""
