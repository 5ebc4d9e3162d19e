"""Benchmark sets: fixed deals with the results of the agents that come with the package, to compare a new one with.

A set (`sets/<game>-<number>/set.json`) says everything that a result depends on: rules, seed and number of the deals,
how they are begun, the reference opponents, the size of a block. Every agent plays each reference on the same deals,
in all seatings; its *points* on a deal are its margin over the references there, averaged. Agents never meet each
other, so a new one changes no number of the others, and two agents are compared deal by deal.

`sets` finds, reads and writes them, `play` lets an agent play one, `compare` says where it stands.
"""

from .compare import Difference, Standings, standings
from .play import evaluate
from .sets import BenchmarkSet, Result, default_set, define, load_results, read_set, set_names

__all__ = [
    "BenchmarkSet", "Difference", "Result", "Standings", "default_set", "define", "evaluate", "load_results",
    "read_set", "set_names", "standings",
]  # fmt: skip
