"""Deals written as decks (`BatchedGame.deal_plan`), for every preset; and games put back into a batch."""

from __future__ import annotations

import numpy as np
import pytest

from bidtrick.envs import games, make_batch
from bidtrick.envs.core.deals import NOBODY
from bidtrick.envs.core.errors import BidtrickError, RecordError
from bidtrick.envs.registry import game_class

PRESETS = [(game, preset) for game in games() for preset in game_class(game).rules_class.presets]


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_cards_are_dealt_to_their_owners(game: str, preset: str) -> None:
    batch = make_batch(game, rules=preset, num_games=50)
    spec, rng = batch.spec, np.random.default_rng(1)
    for dealer in range(spec.num_seats):
        plan = batch.deal_plan(dealer)
        assert np.array_equal(plan.cards, np.unique(plan.cards))
        assert len(plan.owner) == len(plan.cards)
        decks = rng.permuted(np.tile(plan.cards, (50, 1)), axis=1)
        batch.reset(options={"deal": decks, "dealer": dealer})
        # deals that are thrown in at once are dealt anew
        here = np.flatnonzero(getattr(batch.state, "redeals", np.zeros(50)) == 0)
        assert len(here) > 10
        for seat in range(spec.num_seats):
            held = spec.layout.view(batch.observe(seat), "hand")[:, : spec.deck.size].astype(bool)
            wanted = np.zeros_like(held)
            np.put_along_axis(wanted, decks[:, plan.owner == seat], True, axis=1)
            if not held.any():
                continue  # who may play in the dark has not looked at his cards
            assert np.array_equal(held[here], wanted[here]), (seat, dealer)
        assert ((plan.owner >= NOBODY) & (plan.owner < spec.num_seats)).all()


def test_put_is_the_inverse_of_select() -> None:
    batch = make_batch("pitch", num_games=6, seed=3)
    rng = np.random.default_rng(0)
    for _ in range(5):
        batch.step(batch.sample_actions(rng))
    before, part = batch.clone(), batch.select([4, 1])
    part.step(part.sample_actions(rng))
    batch.put([4, 1], part)
    assert np.array_equal(batch.observe()[[4, 1]], part.observe())
    assert np.array_equal(batch.legal_actions()[[4, 1]], part.legal_actions())
    rest = [0, 2, 3, 5]
    assert np.array_equal(batch.observe()[rest], before.observe()[rest])
    with pytest.raises(BidtrickError, match="as many games"):
        batch.put([1], part)
    with pytest.raises(BidtrickError, match="same rules"):
        batch.put([1, 2], make_batch("pitch", rules="playpitch", num_games=2))
    recorded = make_batch("pitch", num_games=2, record=True)
    with pytest.raises(RecordError, match="mix"):
        recorded.put([0, 1], part)
