"""Beliefs by brute force, for the tests of search."""

from itertools import product

import numpy as np


def enumerate_deals(cases):
    """All deals that fit a case, as tuples of words; a deal of two cases comes twice."""
    deals = []
    for case in cases:
        places = [np.flatnonzero(row) for row in case.allowed]
        for where in product(*places):
            if (np.bincount(np.array(where, int), minlength=len(case.sizes)) == case.sizes).all():
                words = [0] * len(case.sizes)
                for card, place in zip(case.cards.tolist(), where, strict=True):
                    words[place] |= 1 << card
                deals.append(tuple(words))
    return deals
