"""Research tools: deals from files, regret of played hands, sets of deals that are killed and resumed."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from bidtrick.cli.shared import app
from bidtrick.envs import make_batch
from bidtrick.envs.core.errors import BidtrickError, DealError
from bidtrick.envs.core.records import write_records
from bidtrick.envs.registry import start_replay

pytest.importorskip("numba")

from bidtrick.agents.registry import make_agent
from bidtrick.agents.search.judge import decision_judge
from bidtrick.agents.search.thousand import position
from bidtrick.agents.search.thousand.solver import Solver, total_of
from bidtrick.training.research import (
    DatasetSettings,
    Regret,
    drawn_deals,
    generate,
    judge_record,
    judge_records,
    load_dataset,
    make_deal,
    read_deals,
    record_hands,
    solve_deals,
    summary,
)
from bidtrick.training.research.dataset import DatasetError

# Deals.


@pytest.mark.parametrize("game", ["schieber", "pitch", "thousand"])
def test_drawn_deals_are_those_of_environments(game: str) -> None:
    batch = make_batch(game, 20, seed=9)
    decks, dealers = drawn_deals(batch, 9, range(20))
    given = make_batch(game, 20, seed=0)
    given.reset(seed=0, options={"deal": decks, "dealer": dealers})
    for seat in range(batch.spec.num_seats):
        hands = [b.spec.layout.view(b.observe(seat), "hand") for b in (batch, given)]
        np.testing.assert_array_equal(*hands)


@pytest.mark.parametrize("game", ["schieber", "pitch", "thousand"])
def test_one_deal_in_every_form(game: str, tmp_path: Path) -> None:
    """Text, JSON with names, JSON with numbers, and a record of the same deal."""
    batch = make_batch(game, 3, seed=4, record=True)
    decks, dealers = drawn_deals(batch, 4, range(3))
    deck, dealer = decks[2], int(dealers[2])
    owners = batch.deal_plan(dealer).owner
    starts = [0, *(np.flatnonzero(np.diff(owners)) + 1).tolist(), len(owners)]
    names = [
        batch.spec.deck.format_all(deck[a:b].tolist()) for a, b in itertools.pairwise(starts)
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    while (batch.current_player >= 0).any():
        batch.step(batch.sample_actions(rng))
    lines = [
        "# a remark", json.dumps({"deal": names, "dealer": dealer}),
        json.dumps({"deal": deck.tolist(), "dealer": dealer}), batch.record(2).to_json(), " / ".join(names),
    ]  # fmt: skip
    (tmp_path / "deals.txt").write_text("\n".join(lines) + "\n")
    found = read_deals(batch, tmp_path / "deals.txt")
    assert [one.dealer for one in found] == [dealer, dealer, dealer, batch.spec.num_seats - 1]
    for one in found:
        np.testing.assert_array_equal(np.array(one.deck), deck)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A♠ 10♠/K♥", "the packets have [2, 1] cards, must have [7, 7, 7, 3]"),
        ('{"deal": [1, 2]}', "deal must be card numbers"),
        ('{"deal": [], "hand": 1}', "got the fields deal, hand"),
        ('{"deal": ', "not a JSON line"),
        ('{"deal": [0,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22]}', "dealt twice: Spades 9"),
        ('{"deal": "x", "dealer": "east"}', "dealer must be a seat"),
        ("Zz/A♠/K♠/Q♠", "no card is called 'Zz'"),
    ],
)
def test_a_wrong_deal_is_refused_with_file_and_line(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "deals.txt"
    file.write_text("\n" + line + "\n")
    with pytest.raises(BidtrickError) as error:
        read_deals(make_batch("thousand"), file)
    assert message in str(error.value)
    assert str(error.value).startswith(f"{file} line 2:")
    with pytest.raises(DealError, match="dealer=3 is not allowed; allowed: from 0 to 2"):
        make_deal(make_batch("thousand"), list(range(24)), 3, "given")


def test_solve_writes_tables(tmp_path: Path) -> None:
    run = CliRunner().invoke
    files = ["--json", f"{tmp_path}/a.json", "--csv", f"{tmp_path}/a.csv"]
    assert run(app, ["solve", "pitch", "--seed", "2", "--deals", "2", *files]).exit_code == 0
    tables = json.loads((tmp_path / "a.json").read_text())
    assert [len(table["values"]) for table in tables] == [16, 16]
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 33
    lines = [json.dumps({key: table[key] for key in ("deal", "dealer")}) for table in tables]
    (tmp_path / "deals.jsonl").write_text("\n".join(lines))
    assert run(app, ["solve", "pitch", f"{tmp_path}/deals.jsonl", "--json", f"{tmp_path}/b.json"]).exit_code == 0
    again = json.loads((tmp_path / "b.json").read_text())
    assert [table["values"] for table in again] == [table["values"] for table in tables]
    shown = run(app, ["solve", "thousand", "--seed", "3"])
    assert "Diamonds King" in shown.output
    assert "bid 105" in shown.output
    assert isinstance(run(app, ["solve", "pitch", f"{tmp_path}/none.txt"]).exception, BidtrickError)


# Regret.


def played_by_judge(game: str, seed: int, begin: str, rules: Any = None) -> tuple[Any, list[float]]:
    """A hand that random play brings to a phase, and the judge plays from there. The game, values for seat 0's side."""
    batch = make_batch(game, seed=seed, rules=rules, record=True)
    judge, rng, found = decision_judge(batch.spec), np.random.default_rng(seed), []
    phases = batch.spec.phases
    while batch.current_player[0] >= 0:
        if phases.index(begin) > int(batch.phase[0]):
            batch.step(batch.sample_actions(rng))
            continue
        judged = judge(batch)
        assert judged.exact
        assert (~np.isnan(judged.values) <= batch.legal_actions()[0]).all()
        found.append((int(batch.current_player[0]), float(np.nanmax(judged.values))))
        batch.step([int(np.nanargmax(judged.values))])
    return batch, found


@pytest.mark.parametrize("seed", range(4))
def test_thousand_judged_play_keeps_its_value(seed: int) -> None:
    """If all play what the judge likes best, the declarer ends with the total of the first judgment."""
    batch, found = played_by_judge("thousand", seed, "play")
    report = batch.result()
    declarer = report["declarer"]
    total = report["points"][declarer] + report["marriages"][declarer]
    assert found[0] == (declarer, total)
    start = start_replay(batch.record())
    for action in batch.record().actions:
        if start.spec.phases[int(start.phase[0])] == "play":
            break
        start.step([action])
    rows, seats = position.of_games(start.state, start.rules)
    solved = Solver(start.rules).values(rows, total_of(seats[0].tolist().index(declarer)))
    assert solved.low[0] == solved.high[0] == total
    assert sum(one.regret for one in judge_record(batch.record()) if one.phase == "play") == 0


@pytest.mark.parametrize("rules", ["source", "five"])
def test_pitch_judged_hands_keep_their_value(rules: str) -> None:
    """From the trump on: the bidding side takes what the first judgment says."""
    for seed in range(4):
        batch, found = played_by_judge("pitch", seed, "trump", rules)
        report = batch.result()
        assert found[0] == (report["bidder"], report["took"])
        later = [one for one in judge_record(batch.record()) if one.phase != "bid"]
        assert len(later) > 8
        assert sum(one.regret for one in later) == 0


def test_regret_is_what_a_worse_card_costs() -> None:
    """Schieber, Obenabe: after every card of the last five tricks the judge plays on, and the hand ends as it said."""
    batch = make_batch("schieber", seed=3, rules={"target": 100_000}, record=True)
    judge, rng = decision_judge(batch.spec), np.random.default_rng(1)
    batch.step([batch.spec.parse_action("Obenabe")])
    wanted = []

    def ends(game: Any, action: int) -> int:
        """What seats 0 and 2 have more in the end, if all play on as the judge likes best."""
        game.step([action])
        while game.current_player[0] >= 0:
            game.step([int(np.nanargmax(judge(game).values))])
        score = game.result()["scores"]
        return score[0] - score[1]

    while batch.current_player[0] >= 0:
        mask, seat = batch.legal_actions()[0], int(batch.current_player[0])
        action = int(rng.choice(np.flatnonzero(mask)))
        if mask.sum() > 1 and int(batch.state.hands[0, seat]).bit_count() <= 5:
            judged = judge(batch)
            assert judged.exact
            best = int(np.nanargmax(judged.values))
            cost = (ends(batch.clone(), best) - ends(batch.clone(), action)) * (1 - 2 * (seat % 2))
            assert judged.values[best] - judged.values[action] == cost
            wanted.append(cost)
        batch.step([action])
    found = judge_record(batch.record(), nodes=5_000)
    assert [one.regret for one in found[-len(wanted) :]] == wanted
    assert max(wanted) > 0
    assert all(one.regret >= 0 for one in found)
    assert not found[0].exact  # six contracts with 5,000 nodes each: an estimate, and marked as one


def test_means_and_errors_by_hand() -> None:
    def one(record: int, seat: int, cost: float, exact: bool = True) -> Regret:
        return Regret(record, 1, 1, seat, "", "play", "a", "b", -cost, 0.0, exact)

    rows = summary([one(1, 0, 3), one(1, 0, 1), one(2, 0, 1), one(2, 1, 5, False), one(3, 1, 0)], {"play": "points"})
    seat0, seat1, guess = rows[:3]
    assert (seat0.who, seat0.hands, seat0.decisions, seat0.mean) == ("seat 0", 3, 3, pytest.approx(5 / 3))
    assert seat0.error == pytest.approx(np.std([4, 1, 0], ddof=1) / np.sqrt(3))
    assert (seat1.who, seat1.exact, seat1.best, seat1.mean) == ("seat 1", True, 1.0, 0.0)
    assert (guess.exact, guess.mean) == (False, pytest.approx(5 / 3))
    assert [(row.who, row.exact) for row in rows[3:]] == [("all", True), ("all", False)]


def test_regret_of_agents_and_of_files(tmp_path: Path) -> None:
    spec = make_batch("pitch").spec
    agents = [make_agent(name, spec) for name in ("heuristic", "random")]
    hands = record_hands(agents, 3, seed=1)
    assert [names for _, names in hands[:2]] == [("heuristic", "random") * 2, ("random", "heuristic") * 2]
    found, units = judge_records(hands)
    rows = {row.who: row for row in summary(found, units) if row.phase == "play"}
    assert rows["heuristic"].mean < rows["random"].mean
    write_records(tmp_path / "hands.jsonl", [record for record, _ in hands])
    done = CliRunner().invoke(app, ["regret", f"{tmp_path}/hands.jsonl", "--csv", f"{tmp_path}/r.csv", "--each"])
    assert done.exit_code == 0, done.output
    assert "exactly" in done.output
    assert len((tmp_path / "r.csv").read_text().splitlines()) == len(found) + 1
    for args in (["regret"], ["regret", "x", "-a", "random"]):
        assert "--agent" in str(CliRunner().invoke(app, args).exception)


# Sets of deals.


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_killed_set_is_resumed_to_the_last_byte(tmp_path: Path) -> None:
    settings = DatasetSettings("pitch", 40, seed=3, shard=4)
    generate(settings, tmp_path / "whole")
    command = [
        sys.executable, "-m", "bidtrick.cli", "dataset", "pitch", "--deals", "40", "--seed", "3", "--shard", "4",
        "--out", str(tmp_path / "killed"),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "killed").glob("*.npz"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    shards = len(list((tmp_path / "killed").glob("deals-*.npz")))
    assert 2 <= shards < settings.shards
    with pytest.raises(DatasetError, match="shards are missing"):
        load_dataset(tmp_path / "killed")
    with pytest.raises(DatasetError, match="--resume goes on with it"):
        generate(settings, tmp_path / "killed")
    with pytest.raises(DatasetError, match="seed=3 there, 4 asked"):
        generate(DatasetSettings("pitch", 40, seed=4, shard=4), tmp_path / "killed", resume=True)
    done: list[int] = []
    generate(settings, tmp_path / "killed", resume=True, progress=done.append)
    assert done[0] == 4 * shards
    assert sum(done) == 40
    left = {name: data for name, data in contents(tmp_path / "killed").items() if not name.endswith(".part")}
    assert left == contents(tmp_path / "whole")


def test_workers_and_files_change_nothing(tmp_path: Path) -> None:
    settings = DatasetSettings("pitch", 10, seed=1, shard=5, rules="five")
    one, two, file = tmp_path / "one", tmp_path / "two", tmp_path / "three.npz"
    generate(settings, one)
    generate(settings, two, workers=2)
    assert contents(one) == contents(two)
    generate(settings, file)
    assert not (tmp_path / "three.npz.parts").exists()
    assert len(load_dataset(file)) == 10
    for name, array in load_dataset(one).arrays().items():
        np.testing.assert_array_equal(load_dataset(file)[name], array)
        assert f"`{name}` | {array.dtype} [n" in (one / "README.md").read_text()
    with pytest.raises(DatasetError, match="no array is called 'score'"):
        load_dataset(one)["score"]


@pytest.mark.parametrize("game", ["schieber", "pitch", "thousand"])
def test_values_are_those_of_solve(game: str, tmp_path: Path) -> None:
    generate(DatasetSettings(game, 4, seed=2, nodes=4_000, shard=3), tmp_path / "set")
    found, batch = load_dataset(tmp_path / "set"), make_batch(game)
    tables = list(solve_deals(batch, [found.deal(k) for k in range(4)], nodes=4_000))
    for name in ("low", "high", "nodes", "asked"):
        np.testing.assert_array_equal(found[name], np.array([getattr(table.values, name) for table in tables]))
    for name in tables[0].values.parts:
        np.testing.assert_array_equal(found[f"part_{name}"], [table.values.parts[name] for table in tables])
    known = [np.nan if table.par is None else table.par.low for table in tables]
    np.testing.assert_array_equal(found["par_low"], np.array(known, np.float32))
    decks, dealers = drawn_deals(batch, 2, range(4))
    np.testing.assert_array_equal(found["deck"], decks)
    np.testing.assert_array_equal(found["dealer"], dealers)
