"""Bids of one hand: what agents would bid with it, and what each bid is worth over the cards that it does not see."""

from .position import Position, find_position
from .values import BidValue, Study, study

__all__ = ["BidValue", "Position", "Study", "find_position", "study"]
