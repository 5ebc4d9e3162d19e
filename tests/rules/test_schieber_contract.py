"""Rules of Schieber, sections 1 to 3: cards, seats, deal, contract, ranks, points. Ids are those of RULES.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from schieber_table import (
    CHOOSE,
    CONTRACTS,
    EICHEL,
    OBENABE,
    PUSH,
    RANKS,
    SCHELLEN,
    SCHILTEN,
    SEVEN_OF_ROSEN,
    TRUMPS,
    UNDENUFE,
    Table,
    cards,
    deal,
)

from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import IllegalActionError, RulesError

# --- cards, seats, deal


def test_cards() -> None:
    """J-EQP-01: 36 cards of four suits and nine ranks, in ascending plain order."""
    deck = make_batch("schieber").spec.deck
    assert deck.size == 36
    assert deck.suits == ("Eichel", "Rosen", "Schilten", "Schellen")
    assert [deck.format(c) for c in (0, 4, 5, 6, 7, 8)] == [
        f"Eichel {rank}" for rank in ("6", "Banner", "Under", "Ober", "König", "Ass")
    ]
    assert deck.format(35) == "Schellen Ass"
    assert len({deck.format(c) for c in range(36)}) == 36


def test_display_names() -> None:
    """J-EQP-02: French names are for display; the multiplier stays with the suit."""
    swiss, french = make_batch("schieber").spec, make_batch("schieber", rules={"suit_names": "french"}).spec
    assert [french.deck.format(c) for c in (4, 14, 24, 34)] == [
        "Clubs Ten", "Hearts Jack", "Spades Queen", "Diamonds King",
    ]  # fmt: skip
    assert [spec.action_name(38) for spec in (swiss, french)] == ["Trump Schilten", "Trump Spades"]
    for suit in TRUMPS:
        table = Table(deal(""), suit, {"suit_names": "french"})
        assert table.seen("multiplier") == (1, 1, 2, 2)[suit]


def test_seats_and_teams() -> None:
    """J-SEAT-01: opposite seats are a team; play goes to the next seat, the one on the right."""
    table = Table(deal("E6", "E7", "E8", "E9"), EICHEL)
    order = []
    for card in cards("E6 E7 E8"):
        order.append(table.player)
        table.step(card)
    assert [*order, table.player] == [0, 1, 2, 3]
    table.play("E9")  # the 9 of trump takes the trick for seat 3
    assert table.points == [0, 14]
    assert [table.seen("own_points", seat) for seat in range(4)] == [0, 14, 0, 14]
    assert table.batch.spec.teams == (0, 1, 0, 1)
    assert not table.batch.spec.clockwise


def test_deal() -> None:
    """J-DEAL-01: nine of 36 different cards each."""
    batch = make_batch("schieber", num_games=50, seed=4)
    hands = batch.state.hands
    assert (np.bitwise_count(hands) == 9).all()
    assert (np.bitwise_or.reduce(hands, axis=1) == (1 << 36) - 1).all()
    assert len(np.unique(hands)) == 200


@pytest.mark.parametrize(
    ("value", "card"), [("rosen_7", "R7"), ("schellen_7", "L7"), ("schellen_banner", "LB")]
)
def test_first_forehand(value: str, card: str) -> None:
    """J-DEAL-02: the holder of a named card is forehand in the first hand."""
    for seat in range(4):
        given = [card if s == seat else "" for s in range(4)]
        table = Table(deal(*given), rules={"first_forehand": value}, forehand=None)
        assert (table.player, table.who("forehand")) == (seat, [seat])
        assert table.seen("card_named_forehand") == 1


def test_random_forehand() -> None:
    """J-DEAL-02: `random` gives each seat a quarter of the first hands."""
    batch = make_batch("schieber", num_games=4000, seed=1, rules={"first_forehand": "random"})
    assert (np.abs(np.bincount(batch.current_player, minlength=4) - 1000) < 110).all()
    assert not batch.spec.layout.view(batch.observe(), "card_named_forehand").any()


def test_given_dealer() -> None:
    """J-DEAL-02, decision 14: a given dealer decides; the card is not asked then."""
    table = Table(deal("R7"), forehand=3)
    assert (table.player, table.seen("card_named_forehand")) == (3, 0)


def test_deal_moves_on() -> None:
    """J-DEAL-02: the first forehand deals hand 2, so forehand moves one seat on, whatever card is held."""
    table = Table(deal("", "", "R7"), rules="jass_kit", forehand=None, episode="match")
    forehands = []
    while len(forehands) < 6:
        forehands += table.who("forehand")
        number = table.seen("hand_number")
        while table.seen("hand_number") == number:
            table.step(table.actions()[0])
    assert forehands == [2, 3, 0, 1, 2, 3]


# --- the contract


def test_contracts_and_push() -> None:
    """J-CON-01: four trumps, Obenabe, Undenufe or a push to the partner."""
    table = Table(deal(""), forehand=1)
    assert [table.batch.spec.action_name(a) for a in table.actions()] == [
        "Trump Eichel", "Trump Rosen", "Trump Schilten", "Trump Schellen", "Obenabe", "Undenufe", "Push",
    ]  # fmt: skip
    table.step(PUSH)
    assert (table.player, table.who("pushed"), table.seen("contract_fixed")) == (3, [1], 0)


def test_partner_must_choose() -> None:
    """J-CON-02: pushing back is illegal."""
    table = Table(deal("")).step(PUSH)
    assert table.actions() == list(range(36, 42))
    with pytest.raises(IllegalActionError, match=r"seat 2.*contract.*Push.*illegal.*36 \(Trump Eichel\)"):
        table.step(PUSH)
    assert table.step(CHOOSE + SCHELLEN).who("declarer") == [2]


def test_push_back() -> None:
    """J-CON-02, decision 13: with `push_back` the partner may push once, then forehand must choose."""
    table = Table(deal(""), rules={"push_back": True}, forehand=3).step(PUSH)
    assert (table.player, PUSH in table.actions()) == (1, True)
    table.step(PUSH)
    assert (table.player, table.actions(), table.who("pushed")) == (3, list(range(36, 42)), [1, 3])
    assert table.step(CHOOSE).who("declarer") == [3]


@pytest.mark.parametrize(
    ("preset", "multipliers"),
    [
        ("source", (1, 1, 2, 2, 3, 4)),
        ("swiss", (1, 1, 2, 2, 3, 4)),
        ("swisslos2500", (1, 1, 2, 2, 3, 3)),
        ("swisslos1000", (1, 1, 1, 1, 1, 1)),
        ("tournament", (1, 1, 1, 1, 1, 1)),
        ("jass_kit", (1, 1, 1, 1, 1, 1)),
    ],
)
def test_multipliers(preset: str, multipliers: tuple[int, ...]) -> None:
    """J-CON-03: the multiplier counts for everything scored in the hand."""
    for contract in CONTRACTS:
        table = Table(made(17), contract, preset).finish()
        result = table.result
        base = [sum(result[k][t] for k in ("base_points", "match_bonus", "weis", "stock")) for t in (0, 1)]
        assert sum(result["base_points"]) == 157
        assert table.scores == result["points"] == [multipliers[contract] * points for points in base]


def test_multiplier_of_everything() -> None:
    """J-CON-03: card points, last trick, match bonus, Weis and Stöck, each doubled."""
    table = Table(deal("T6 T7 T8 T9 TB TU TO TK TA"), SCHILTEN).run("TU T9 TA TK TO TB T8 T7 T6")
    assert table.result["weis"] == [100, 0]
    assert table.result["stock"] == [20, 0]
    assert table.result["match_bonus"] == [100, 0]
    assert table.scores == [2 * (157 + 100 + 100 + 20), 0]


def test_forehand_leads() -> None:
    """J-CON-04: forehand leads the first trick, also after a push."""
    for contract in CONTRACTS:
        assert Table(deal(""), contract, forehand=2).player == 2
        assert Table(deal(""), forehand=2).step(PUSH, CHOOSE + contract).player == 2


# --- ranks and points


def ranking(contract: int, suit: int) -> str:
    """Ranks of a suit from high to low, by who wins a trick of two cards of it on the table."""
    pairs = [(a, b) for a in range(9) for b in range(9) if a != b]
    deals = []
    for a, b in pairs:
        rest = [c for c in range(36) if c not in (suit * 9 + a, suit * 9 + b)]
        deals.append([[suit * 9 + a, *rest[:8]], [suit * 9 + b, *rest[8:16]], rest[16:25], rest[25:]])
    batch = make_batch("schieber", num_games=len(pairs))
    batch.reset(options={"deal": np.array(deals), "dealer": 3})
    batch.step(np.full(len(pairs), CHOOSE + contract))
    batch.step(np.array([suit * 9 + a for a, _ in pairs]))
    batch.step(np.array([suit * 9 + b for _, b in pairs]))
    first = batch.spec.layout.view(batch.observe(0), "winning")[:, 0]
    wins = np.zeros(9, int)
    for (a, b), won in zip(pairs, first.tolist(), strict=True):
        wins[a if won else b] += 1
    assert sorted(wins) == list(range(0, 18, 2))
    return "".join(RANKS[rank] for rank in np.argsort(-wins))


@pytest.mark.parametrize("contract", CONTRACTS)
def test_rank_order(contract: int) -> None:
    """J-RNK-01 plain, J-RNK-02 trump, J-RNK-03 Undenufe."""
    for suit in TRUMPS:
        expected = "AKOUB9876"
        if contract == UNDENUFE:
            expected = "6789BUOKA"
        if contract == suit:
            expected = "U9AKOB876"
        assert ranking(contract, suit) == expected


def card_values(contract: int, rules: Any) -> list[int]:
    """Points on the table after each of the 36 cards is led."""
    batch = make_batch("schieber", num_games=36, rules=rules)
    batch.reset(options={"deal": (np.arange(36)[:, None] + np.arange(36)).reshape(36, 4, 9) % 36, "dealer": 3})
    batch.step(np.full(36, CHOOSE + contract))
    batch.step(np.arange(36))
    return batch.spec.layout.view(batch.observe(0), "trick_points")[:, 0].tolist()


PLAIN = [0, 0, 0, 0, 10, 2, 3, 4, 11]
TRUMP = [0, 0, 0, 14, 10, 20, 3, 4, 11]
NO_TRUMP = [0, 0, 8, 0, 10, 2, 3, 4, 11]


@pytest.mark.parametrize("eleven", ["ace", "six"])
def test_card_points(eleven: str) -> None:
    """J-PTS-01, J-PTS-02, J-PTS-03 (decision 17): the value of every card under every contract."""
    rules = {"undenufe_eleven": eleven}
    for contract in TRUMPS:
        expected = [TRUMP if suit == contract else PLAIN for suit in range(4)]
        assert card_values(contract, rules) == [value for row in expected for value in row]
    assert card_values(OBENABE, rules) == 4 * NO_TRUMP
    undenufe = NO_TRUMP if eleven == "ace" else [11, 0, 8, 0, 10, 2, 3, 4, 0]
    assert card_values(UNDENUFE, rules) == 4 * undenufe


def test_card_points_of_presets() -> None:
    """J-PTS-03: the source gives the 11 to the Ass, all other presets to the 6."""
    sixes = {preset: card_values(UNDENUFE, preset)[0] for preset in ("source", "swiss", "swisslos2500", "jass_kit")}
    assert sixes == {"source": 0, "swiss": 11, "swisslos2500": 11, "jass_kit": 11}
    assert card_values(UNDENUFE, "tournament")[0] == card_values(UNDENUFE, "swisslos1000")[0] == 11


def made(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(36).reshape(4, 9)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_157_points(contract: int) -> None:
    """J-PTS-04: 152 in cards and 5 for the last trick."""
    table = Table(made(3), contract, "jass_kit")
    while table.seen("trick_number") < 8:
        table.step(table.actions()[0])
    before, table_cards = sum(table.points), sum(bits_points(table, contract))
    assert before + table_cards == 152
    assert sum(table.finish().points) == 157


def bits_points(table: Table, contract: int) -> list[int]:
    """Values of the cards still held, in the reading with the 11 of Undenufe at the 6."""
    values = card_values(contract, "jass_kit")
    return [values[c] for seat in range(4) for c in np.flatnonzero(table.segment("hand", seat))]


def test_rule_options_are_checked() -> None:
    """J-CON-03, J-END-01, J-END-05: values outside the book are refused by name."""
    for name, value in (
        ("multipliers", (1, 1, 2, 2, 3)), ("target", 0), ("hands", 0), ("match_bonus", 50), ("four_nines", 100),
        ("push_back", 1), ("weis", None), ("early_stock", "never"), ("first_forehand", "rosen_8"),
    ):  # fmt: skip
        with pytest.raises(RulesError, match=f"schieber rules: {name}=.*allowed: .*J-"):
            make_batch("schieber", rules={name: value})
    with pytest.raises(RulesError, match="no option is called 'multiplier'; options: suit_names, "):
        make_batch("schieber", rules={"multiplier": 3})
    with pytest.raises(RulesError, match="no preset is called 'swisslos'; presets: source, swiss, "):
        make_batch("schieber", rules="swisslos")


def test_seven_of_rosen() -> None:
    """J-DEAL-02, section 8: the preset `source` names the holder of the 7 of Rosen."""
    batch = make_batch("schieber", num_games=40, seed=2)
    holder = np.argmax((batch.state.hands >> np.uint64(SEVEN_OF_ROSEN)) & np.uint64(1), axis=1)
    assert (batch.current_player == holder).all()
    assert batch.rules.first_forehand == "rosen_7"
