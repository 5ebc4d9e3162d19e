"""Bids of one hand: what agents would bid with it, and what each bid is worth over the cards that it does not see."""

from .options import read_options
from .position import Position, find_position
from .values import BidValue, Mean, Reading, Study, study

__all__ = ["BidValue", "Mean", "Position", "Reading", "Study", "find_position", "read_options", "study"]
