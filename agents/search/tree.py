"""Trees of information sets in arrays: many trees grow at once, each by its own descents.

A tree is of the seat that searches: its nodes are the sequences of actions since the decision, whoever took them and
whatever the cards. As these differ from deal to deal, so does what is legal at a node; hence each action counts how
often it was there to be chosen (availability, Cowling, Powley and Whitehouse 2012), and that stands where UCT has the
visits of the node.

Descents of one tree that are under way together count as visits, but not as values, until they come back (Liu et al.,
"Watch the unobserved", 2020): so they spread out.
"""

from __future__ import annotations

import numpy as np

from ..base import F64, I64, Bools

#: Keeps bonuses comparable while no values differ yet.
_LEAST_SPREAD = 1e-9


class Forest:
    """Trees with room for a number of nodes each. Node 0 of a tree is its root; nodes are numbered over all trees.

    Args:
        trees: R. room: nodes that each may have. actions: A.

    Attributes:
        visits, done, available: int32 [R · room, A], of each action: times chosen, times come back, times legal.
        total: float64 [R · room, A], sum of what came back, for the seat that chose. squares: the same of squares.
    """

    def __init__(self, trees: int, room: int, actions: int) -> None:
        shape = (trees * room, actions)
        self.room = room
        self.visits, self.done = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        self.available, self._child = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        self.total, self.squares = np.zeros(shape), np.zeros(shape)
        self._size = np.ones(trees, np.int64)

    def root(self, trees: I64) -> I64:
        """The roots of trees. int64 [n]."""
        return trees * self.room

    def choose(self, nodes: I64, legal: Bools, prior: F64, spread: F64, c: float) -> I64:
        """The action of each of n different nodes by PUCT: mean + c · spread · prior · √availability / (1 + visits).

        What has not been tried counts as the mean of what has (0 if nothing has): a node that is good or bad for a seat
        is so whatever the seat does there, and should not make it try everything, or nothing.

        Args:
            nodes: int64 [n], no two the same. legal: bool [n, A]. prior: float64 [n, A]. spread: float64 [n], the scale
                of the values.

        Returns: int64 [n]; their visits are counted.
        """
        self.available[nodes] += legal
        done, total = self.done[nodes], self.total[nodes]
        usual = total.sum(axis=1, keepdims=True) / np.maximum(done.sum(axis=1, keepdims=True), 1)
        mean = np.where(done > 0, total / np.maximum(done, 1), usual)
        bonus = prior * np.sqrt(self.available[nodes]) / (1 + self.visits[nodes])
        return self._take(nodes, legal, mean + c * np.maximum(spread, _LEAST_SPREAD)[:, None] * bonus)

    def challenge(self, nodes: I64, legal: Bools, weight: F64, spread: F64, c: float) -> I64:
        """The same by UCT: mean + c · spread · √(weight · ln(1 + availability) / (1 + visits)).

        What has not been tried counts as 0, the value of the line that all are compared with.
        """
        self.available[nodes] += legal
        mean = self.total[nodes] / np.maximum(self.done[nodes], 1)
        bonus = np.sqrt(weight * np.log1p(self.available[nodes]) / (1 + self.visits[nodes]))
        return self._take(nodes, legal, mean + c * np.maximum(spread, _LEAST_SPREAD)[:, None] * bonus)

    def _take(self, nodes: I64, legal: Bools, scores: F64) -> I64:
        actions: I64 = np.where(legal, scores, -np.inf).argmax(axis=1)
        self.visits[nodes, actions] += 1
        return actions

    def follow(self, nodes: I64, actions: I64) -> tuple[I64, Bools]:
        """The nodes that actions lead to, and whether they are new; a full tree gives its root, as new.

        int64 [n], bool [n]. The nodes given are of different trees.
        """
        child = self._child[nodes, actions].astype(np.int64)
        new = child == 0
        trees = nodes[new] // self.room
        fits = self._size[trees] < self.room
        made = trees * self.room + np.where(fits, self._size[trees], 0)
        self._child[nodes[new][fits], actions[new][fits]] = made[fits]
        self._size[trees[fits]] += 1
        child[new] = made
        return child, new

    def back_up(self, nodes: I64, actions: I64, values: F64) -> None:
        """Descents have come back. values: float64 [n], for the seats that chose there; nodes may be the same."""
        np.add.at(self.done, (nodes, actions), 1)
        np.add.at(self.total, (nodes, actions), values)
        np.add.at(self.squares, (nodes, actions), values**2)
