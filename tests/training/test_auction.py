"""Positions of an auction and values of their bids: against plain loops, over deals that agree, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from bidtrick.agents.base import Agent
from bidtrick.agents.registry import make_agent
from bidtrick.cli import app
from bidtrick.cli.shared import console
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError, DealError, IllegalActionError, RulesError, UnknownNameError
from bidtrick.envs.thousand.tables import hand_caps
from bidtrick.training.auction import Position, find_position, read_options, study

THOUSAND = "A♠ 10♠ K♥ Q♥ J♥ 9♦ J♣"
SCHIEBER = (
    "Eichel Ass, Eichel König, Eichel Under, Rosen 6, Rosen 7, Rosen Ass, Schellen 9, Schellen 8, Schilten Ass"
)
PITCH = "A♣ K♣ J♣ 2♣ 3♦ 5♥ 9♠ 8♠ 7♦"
#: Positions: game, hand, auction, other arguments, seat to act.
POSITIONS: list[tuple[str, str, str, dict[str, Any], int]] = [
    ("thousand", THOUSAND, "", {}, 0),
    ("thousand", THOUSAND, "100, 105", {}, 2),
    ("thousand", THOUSAND, "120, pass, pass", {"talon": "A♥ 9♣ Q♦"}, 0),
    ("thousand", THOUSAND, "110", {"rules": "four", "dealer": 1}, 3),
    ("schieber", SCHIEBER, "", {}, 0),
    ("schieber", SCHIEBER, "push", {"options": {"scores": [900, 850]}}, 2),
    ("pitch", PITCH, "pass, 4", {}, 2),
    ("pitch", PITCH, "pass, bid 6, pass, pass", {}, 1),
]


def held(position: Position, seat: int) -> Any:
    """Cards that a seat holds in each deal, as it sees them. bool [N, cards]."""
    spec = position.spec
    return spec.layout.view(position.games.observe(seat), "hand")[:, : spec.deck.size].astype(bool)


@pytest.mark.parametrize(("game", "hand", "auction", "more", "seat"), POSITIONS)
def test_the_hand_is_where_it_is_and_the_others_differ(
    game: str, hand: str, auction: str, more: dict[str, Any], seat: int
) -> None:
    position = find_position(game, hand, auction=auction, deals=60, **more)
    spec = position.spec
    assert position.seat == seat
    assert (position.games.current_player == seat).all()
    assert spec.bids_in[position.games.phase].all()
    own = np.zeros(spec.deck.size, bool)
    own[[*spec.deck.parse_hand(hand), *spec.deck.parse_hand(more.get("talon", ""))]] = True
    assert (held(position, seat) == own).all()
    other = held(position, (seat + 1) % spec.num_seats)
    assert len(np.unique(other, axis=0)) > 50
    assert not (other & own).any()
    # equal seeds, equal deals
    again = find_position(game, hand, auction=auction, deals=60, **more)
    assert np.array_equal(again.games.state_vector(), position.games.state_vector())
    another = find_position(game, hand, auction=auction, deals=60, seed=1, **more)
    assert not np.array_equal(another.games.state_vector(), position.games.state_vector())


def test_unseen_cards_are_uniform() -> None:
    position = find_position("schieber", SCHIEBER, deals=6000)
    others = np.stack([held(position, seat) for seat in (1, 2, 3)])  # [3, N, 36]
    unseen = others[:, 0].any(axis=0)
    assert unseen.sum() == 27
    share = others.mean(axis=1)[:, unseen]  # 81 shares, each 1/3 with an error of 0.006
    assert abs(share - 1 / 3).max() < 0.027
    # two given cards are in one hand with probability 8/26
    one, two = np.flatnonzero(unseen)[[0, 13]]
    assert abs((others[:, :, one] & others[:, :, two]).any(axis=0).mean() - 8 / 26) < 0.025


def test_calls_tell_what_they_must_tell_by_the_rules() -> None:
    """A bid above 120 tells of a marriage (T-AUC-06, T-AUC-07): the deals are those that have one, and all of them."""
    free = find_position("thousand", THOUSAND, seat=2, auction="100, pass", deals=4000, seed=3)
    caller = held(free, 1)
    assert free.games.num_games == free.drawn
    words = np.array([sum(1 << int(c) for c in np.flatnonzero(row)) for row in caller], np.uint64)
    may = hand_caps(words, free.games.rules) >= 150  # type: ignore[arg-type]
    told = find_position("thousand", THOUSAND, seat=2, auction="100, 150", deals=1000, seed=4)
    caller = held(told, 1)
    words = np.array([sum(1 << int(c) for c in np.flatnonzero(row)) for row in caller], np.uint64)
    assert (hand_caps(words, told.games.rules) >= 150).all()  # type: ignore[arg-type]
    assert 1000 / told.drawn == pytest.approx(may.mean(), abs=0.035)


def test_questions_asked_in_private_are_passed_over_in_silence() -> None:
    """T-RED-13: others with three nines have been asked, and have said nothing; those deals are not left out."""
    position = find_position("thousand", THOUSAND, deals=3000)
    assert position.drawn == 3000
    nines = position.spec.deck.parse_hand("9♠ 9♣ 9♥")
    assert (held(position, 1)[:, nines].sum(axis=1) == 3).sum() > 20
    # one's own question is a decision
    asked = find_position("thousand", "9♠ 9♣ 9♥ A♠ K♦ J♦ Q♣", deals=20)
    assert [asked.spec.actions[k] for k in asked.bids] == ["Redeal", "No redeal"]
    after = find_position("thousand", "9♠ 9♣ 9♥ A♠ K♦ J♦ Q♣", auction="no redeal", deals=20)
    assert after.spec.actions[after.bids[0]] == "100"


def alone(position: Position, action: int, play: Agent, contract: bool) -> list[float]:
    """Points of a bid in each deal, game by game and decision by decision."""
    spec, rng = position.spec, np.random.default_rng(0)
    points: list[float] = []
    for number in range(position.games.num_games):
        game = position.games.select([number])
        paid = game.step([action])[0][0].astype(float)
        while not game.done[0]:
            mask = game.legal_actions()
            move = play.act(game.observe(), mask, rng)
            gives_way = [k for k in spec.passes if mask[0, k]]
            if contract and spec.bids_in[game.phase[0]] and gives_way:
                move = np.array(gives_way)
            paid += game.step(move)[0][0]
        points.append(float(paid[position.seat] * spec.reward_scale))
    return points


@pytest.mark.parametrize("number", [1, 2, 5, 6])
def test_values_are_those_of_games_played_one_by_one(number: int) -> None:
    game, hand, auction, more, _ = POSITIONS[number]
    position = find_position(game, hand, auction=auction, deals=3, **more)
    play = make_agent("heuristic", position.spec)
    result = study(position, [play], play)
    assert [bid.action for bid in result.bids] == position.bids.tolist()
    best = max(result.bids, key=lambda bid: bid.auction.points.mean)
    chosen = {0, 1, len(result.bids) - 1, result.bids.index(best)}
    top = alone(position, best.action, play, False)
    for k in sorted(chosen):
        bid = result.bids[k]
        points = alone(position, bid.action, play, False)
        assert bid.auction.points.mean == pytest.approx(np.mean(points), abs=1e-3)
        assert bid.auction.points.error == pytest.approx(np.std(points, ddof=1) / np.sqrt(3), abs=1e-3)
        assert bid.behind.mean == pytest.approx(np.mean(top) - np.mean(points), abs=1e-3)
        assert (bid.contract is None) == (bid.action in position.spec.passes)
        if bid.contract is not None:
            points = alone(position, bid.action, play, True)
            assert bid.contract.points.mean == pytest.approx(np.mean(points), abs=1e-3)
            assert bid.contract.declares is not None
    assert sum(result.agents["heuristic"]) == pytest.approx(1)


def test_success_is_that_of_own_contracts() -> None:
    position = find_position("thousand", THOUSAND, auction="100", deals=40)
    play = make_agent("heuristic", position.spec)
    result = study(position, [], play)
    by_name = {bid.name: bid for bid in result.bids}
    lost = by_name["220"].contract
    assert lost is not None
    assert lost.declares is not None
    assert lost.made is not None
    assert lost.declares.mean > 0.8  # but for talons that are thrown in (T-RED-05)
    # a contract of 220 loses at least as much as it is worth, unless it is made
    assert lost.made.mean < 0.5
    assert lost.points.mean < 0
    given_up = by_name["Pass"].auction.declares
    assert given_up is not None
    assert given_up.mean == 0
    assert by_name["Pass"].auction.made is None


class Coin(Agent):
    """Bids the lowest or the highest, and plays the first card."""

    def act(self, obs: Any, mask: Any, rng: np.random.Generator) -> Any:
        last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
        return np.where(rng.random(len(mask)) < 0.25, last, mask.argmax(axis=1))


def test_probabilities_of_agents() -> None:
    position = find_position("pitch", PITCH, auction="pass, 4", deals=2)
    spec = position.spec
    obs, mask = position.games.observe()[:1], position.games.legal_actions()[:1]

    def shares(agent: Agent) -> Any:
        found = agent.probabilities(obs, mask, np.random.default_rng(0))
        assert found.shape == mask.shape
        assert found.sum() == pytest.approx(1)
        assert (found[~mask] == 0).all()
        return found[0, mask[0]]

    assert np.allclose(shares(make_agent("random", spec)), 1 / mask.sum())
    assert sorted(shares(make_agent("heuristic", spec)))[-1] == 1
    assert shares(make_agent("always:Moon", spec))[-1] == 1
    assert np.allclose(shares(make_agent("combine:bid=random,play=heuristic", spec)), 1 / mask.sum())
    drawn = shares(Coin("coin", spec))
    assert drawn[-1] == pytest.approx(0.25, abs=0.1)
    assert drawn[0] == pytest.approx(0.75, abs=0.1)


@pytest.mark.parametrize(
    ("game", "hand", "more", "error", "message"),
    [
        ("thousand", "A♠ 10♠", {}, DealError, "hand: 2 cards, must be 7"),
        ("thousand", "A♠ A♠ K♥ Q♥ J♥ 9♦ J♣", {}, DealError, "named twice: Spades Ace"),
        ("thousand", "A♠ 7♠ K♥ Q♥ J♥ 9♦ J♣", {}, UnknownNameError, "no card is called '7♠'"),
        ("thousand", THOUSAND, {"auction": "100, 95"}, UnknownNameError, "no action is called '95'"),
        (
            "thousand", THOUSAND, {"auction": "110, 105"}, IllegalActionError,
            r"call 2 of the auction, '105', is not legal .* seat 1 is to act, phase auction; legal: Pass, 115, 120",
        ),
        ("thousand", THOUSAND, {"auction": "pass"}, IllegalActionError, r"call 1 .* 'pass'.*legal: 100, 105"),
        ("thousand", THOUSAND, {"auction": "100", "seat": 0}, IllegalActionError, "seat 1 is to act.*not seat 0"),
        ("thousand", THOUSAND, {"auction": "100, pass, pass"}, DealError, "seat 0 has taken up 3 cards .* as talon"),
        ("thousand", THOUSAND, {"talon": "A♥ 9♣ Q♦"}, DealError, "has taken up no cards"),
        ("thousand", THOUSAND, {"dealer": 3}, DealError, "dealer=3 is not allowed; allowed: from 0 to 2"),
        ("thousand", THOUSAND, {"rules": "four", "dealer": 0, "seat": 0}, DealError, "seat=0 is not allowed"),
        ("thousand", THOUSAND, {"options": {"scores": [1, 2]}}, DealError, "scores must have shape"),
        ("thousand", THOUSAND, {"deals": 0}, BidtrickError, "deals=0 is not allowed"),
        ("schieber", SCHIEBER, {"auction": "push, push"}, IllegalActionError, r"call 2 .*legal: Trump Eichel"),
        ("schieber", SCHIEBER, {"auction": "Obenabe"}, IllegalActionError, "no call of the auction"),
        ("schieber", SCHIEBER, {"talon": "Rosen 8"}, DealError, "talon: 1 cards, but 0"),
        ("pitch", PITCH, {"auction": "4, 3"}, IllegalActionError, r"call 2 .* '3'.* legal: Pass, Bid 5"),
        ("pitch", PITCH, {"options": {"colour": 1}}, DealError, "no reset option is called 'colour'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    game: str, hand: str, more: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        find_position(game, hand, **more)


def test_options_as_texts() -> None:
    assert read_options("swiss", "1, 2 3") == {"rules": "swiss", "options": {"scores": [1, 2, 3]}}
    assert read_options("{preset: swiss, target: 1000}", None)["rules"] == {"preset": "swiss", "target": 1000}
    with pytest.raises(DealError, match="'a' is not allowed"):
        read_options(None, "a")
    with pytest.raises(RulesError, match="a preset, or a mapping"):
        read_options("[1]", None)


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "width", 200)  # it may have been made long ago, for another terminal
    out, page, picture = tmp_path / "b.json", tmp_path / "b.html", tmp_path / "b.svg"

    def text(*words: Any, code: int = 0) -> str:
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == code, result.output
        return result.output + str(result.exception or "")

    command = ("bid", "pitch", PITCH, "--auction", "pass, 4", "--deals", 30, "-a", "heuristic", "-a", "random")
    shown = text(*command, "--json", out, "--plot", page)
    assert "as the contract" in shown
    assert "12%" in shown
    data = json.loads(out.read_text())
    assert data["seat"] == 2
    assert [bid["name"] for bid in data["bids"]] == [
        "Pass", "Bid 5", "Bid 6", "Bid 7", "Bid 8", "Bid 9", "Bid 10", "Moon",
    ]  # fmt: skip
    assert data["bids"][0]["becomes_the_contract"] is None
    assert sum(bid["probability"]["random"] for bid in data["bids"]) == pytest.approx(1)
    assert page.read_text().count("<svg") == 3
    text(*command[:7], "--plot", picture)
    assert picture.read_text().startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    text(*command[:7], "--plot", tmp_path / "b.png")
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    assert make_batch("pitch").spec.actions[data["bids"][1]["action"]] == "Bid 5"
    assert "allowed: a file that ends in" in text(*command, "--plot", "b.pdf", code=1)
    assert "no agent is called 'nobody'" in text("bid", "pitch", PITCH, "-a", "nobody", code=1)
