"""The exact dealer against full enumeration."""

from math import comb, factorial

import numpy as np
import pytest
from search_enumeration import enumerate_deals

from bidtrick.agents.search.belief import Belief, BeliefError, Case, count, overlap, sample


def random_case(rng, cards, places):
    """A case with at least one deal: the sizes are those of a deal that fits."""
    allowed = rng.random((len(cards), places)) < rng.choice([0.4, 0.7, 1.0])
    where = rng.integers(0, places, len(cards))
    allowed[np.arange(len(cards)), where] = True
    return Case(cards, allowed, np.bincount(where, minlength=places))


def random_belief(rng):
    cards = rng.choice(64, int(rng.integers(1, 8)), replace=False)
    places = int(rng.integers(1, 5))
    cases = [random_case(rng, cards, places)]
    for _ in range(int(rng.integers(0, 3))):
        other = random_case(rng, cards, places)
        if not any(overlap(case, other) for case in cases):
            cases.append(other)
    return cases


def chi_square_excess(cases, rng, draws):
    """(chi-square − degrees of freedom) / its standard deviation, for the draws from a belief."""
    deals = enumerate_deals(cases)
    worlds = sample(cases, draws * len(deals), rng)
    assert {len(set(deals)), count(cases)} == {len(deals)}
    seen, times = np.unique(worlds, axis=0, return_counts=True)
    assert set(map(tuple, seen.tolist())) <= set(deals)
    freedom = len(deals) - 1
    chi = ((times - draws) ** 2 / draws).sum() + draws * (len(deals) - len(times))
    return (chi - freedom) / np.sqrt(2 * freedom) if freedom else 0.0


def test_counts_and_frequencies_match_enumeration():
    rng = np.random.default_rng(1)
    excess, several = [], 0
    while len(excess) < 200:
        cases = random_belief(rng)
        if count(cases) > 400:
            continue
        several += len(cases) > 1
        excess.append(chi_square_excess(cases, rng, draws=40))
    assert several > 20
    # each is about standard normal; five is far in the tail of any one, and the mean of 200 has deviation 0.07
    assert max(excess) < 6
    assert abs(np.mean(excess)) < 0.25


def test_contradictions_count_zero():
    cards = np.arange(3)
    nowhere = Case(cards, np.array([[True, True], [False, False], [True, True]]), np.array([1, 2]))
    too_few = Case(cards, np.array([[True, False]] * 3), np.array([1, 2]))
    for case in (nowhere, too_few):
        assert count([case]) == 0 == len(enumerate_deals([case]))
        with pytest.raises(BeliefError, match="no deal fits"):
            sample([case], 1, np.random.default_rng(0))


@pytest.mark.parametrize("sizes", [(9, 9, 9), (6, 6, 6, 6, 21)])
def test_counts_beyond_64_bits_are_exact(sizes):
    k = sum(sizes)
    case = Case(np.arange(k), np.ones((k, len(sizes)), bool), np.array(sizes))
    expected = factorial(k)
    for size in sizes:
        expected //= factorial(size)
    belief = Belief([case])
    assert belief.count == expected
    worlds = belief.sample(4000, np.random.default_rng(2))
    assert (np.bitwise_count(worlds) == np.array(sizes)).all()
    assert (np.bitwise_or.reduce(worlds, axis=1) == (1 << k) - 1).all()
    # a card is in a place with probability size / k: of 4000 draws within five deviations
    for place, size in enumerate(sizes):
        share = np.mean([(worlds[:, place] >> np.uint64(card) & np.uint64(1)).mean() for card in range(0, k, 5)])
        assert abs(share - size / k) < 5 * np.sqrt(size / k * (1 - size / k) / 4000)


def test_voids_with_large_counts():
    """45 unseen cards, of which the first place may not have nine: the count is a product of binomials."""
    allowed = np.ones((45, 5), bool)
    allowed[:9, 0] = False
    case = Case(np.arange(45), allowed, np.array([6, 6, 6, 6, 21]))
    expected = comb(36, 6) * comb(39, 6) * comb(33, 6) * comb(27, 6)
    assert count([case]) == expected > 1 << 64
    assert (sample([case], 100, np.random.default_rng(0))[:, 0] & np.uint64(511) == 0).all()


def test_nothing_unseen():
    case = Case(np.empty(0, int), np.empty((0, 3), bool), np.zeros(3, int))
    assert count([case]) == 1
    assert sample([case], 4, np.random.default_rng(0)).tolist() == [[0, 0, 0]] * 4


def test_weights_change_the_frequencies():
    case = Case(np.arange(4), np.ones((4, 2), bool), np.array([2, 2]))

    def weight(worlds):
        return np.where(worlds[:, 0] & np.uint64(1), 3.0, 1.0)

    rng = np.random.default_rng(3)
    worlds = np.concatenate([sample([case], 8, rng, weight) for _ in range(1000)])
    share = (worlds[:, 0] & np.uint64(1)).mean()
    assert abs(share - 0.75) < 0.015  # 8000 draws: 0.005 a deviation, and the resampling leans by O(1/128)
    with pytest.raises(BeliefError, match="0 to all of 32 deals"):
        sample([case], 2, rng, lambda worlds: np.zeros(len(worlds)))
    with pytest.raises(BeliefError, match="finite numbers from 0"):
        sample([case], 2, rng, lambda worlds: np.full(len(worlds), -1.0))


@pytest.mark.parametrize(
    ("cards", "allowed", "sizes", "message"),
    [
        ([0, 0], np.ones((2, 2), bool), [1, 1], "different numbers from 0 to 63"),
        ([0, 64], np.ones((2, 2), bool), [1, 1], "different numbers from 0 to 63"),
        ([0, 1], np.ones((2, 3), bool), [1, 1], r"allowed must be \[2, 2\]"),
        ([0, 1], np.ones((2, 2), bool), [1, 2], "sum to 2"),
        ([0, 1], np.ones((2, 2), bool), [3, -1], "sum to 2"),
    ],
)
def test_bad_cases_are_refused(cards, allowed, sizes, message):
    with pytest.raises(BeliefError, match=message):
        Case(np.array(cards), allowed, np.array(sizes))


def test_cases_must_agree_on_the_cards():
    a, b = (Case(np.array([card]), np.ones((1, 2), bool), np.array([1, 0])) for card in (0, 1))
    with pytest.raises(BeliefError, match="number 1 has other cards"):
        Belief([a, b])
    with pytest.raises(BeliefError, match="at least one"):
        Belief([])
