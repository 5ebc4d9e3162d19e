"""Research with open cards: tables of deals, regret of what was played, and sets of solved deals."""

from .deals import Deal, drawn_deals, read_deals
from .tables import DealTable, solve_deals

__all__ = ["Deal", "DealTable", "drawn_deals", "read_deals", "solve_deals"]
