"""Duplicate tournaments: every deal is replayed with the agents' seats exchanged.

Agents meet on the same deals, dealer and match state; each deal is played once in every seating (in a game of two
teams: twice). An agent's points on a deal are averaged over the seatings, so the luck of the cards cancels.
Intervals treat deals as independent, never single plays.

`seating` says who sits where, `play` plays a block of deals, `guard` catches agents that fail, `pool` plays blocks in
several processes, `results_file` keeps them, `run` leads the tournament, `results` draws the conclusions.
"""

from .config import TournamentConfig
from .play import Forfeit, duplicate_margin, match_shares, play, play_pair
from .results import PairResult, StatisticResult, TableResult, TournamentResult
from .run import Progress, run
from .seating import Contest, seatings

__all__ = [
    "Contest", "Forfeit", "PairResult", "Progress", "StatisticResult", "TableResult", "TournamentConfig",
    "TournamentResult", "duplicate_margin", "match_shares", "play", "play_pair", "run", "seatings",
]  # fmt: skip
