"""Bad input is refused by name and changes nothing; records replay, and what cannot be replayed is refused."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidtrick.envs import make_batch, replay
from bidtrick.envs.core.errors import (
    BidtrickError,
    DealError,
    GameOverError,
    IllegalActionError,
    RecordError,
    RulesError,
    UnknownNameError,
)
from bidtrick.envs.core.records import GameRecord, read_records, write_records


def snapshot(batch: Any) -> list[bytes]:
    return [array.tobytes() for array in batch.state.arrays().values()] + [batch.legal_words().tobytes()]


def midway(steps: int = 9, **options: Any) -> Any:
    batch = make_batch("schieber", num_games=3, seed=2, **options)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        batch.step(batch.sample_actions(rng))
    return batch


def refuses(batch: Any, error: type[Exception], match: str, call: Callable[[], object]) -> None:
    before = snapshot(batch)
    with pytest.raises(error, match=match):
        call()
    assert snapshot(batch) == before


# --- actions


def test_illegal_actions() -> None:
    """The message names game, seat, phase, action and the legal ones; not even the legal part is carried out."""
    batch = midway(9)
    legal = np.argmax(batch.legal_actions(), axis=1)
    seat = batch.current_player[1]
    for action in (42, 99, -2, int(np.argmin(batch.legal_actions()[1]))):
        actions = legal.copy()
        actions[1] = action
        refuses(
            batch, IllegalActionError,
            rf"schieber game 1, seat {seat}, phase play: action {action} .* is illegal; legal: {legal[1]} \(",
            lambda actions=actions: batch.step(actions),
        )  # fmt: skip
    batch = midway(0)
    refuses(batch, IllegalActionError, "phase contract: action 0 ", lambda: batch.step([36, 36, 0]))


@pytest.mark.parametrize(
    "actions", [[36, 36], [[36, 36, 36]], 36, [36.0, 36.0, 36.0], ["36", "36", "36"], [True, True, True], None]
)
def test_shapes_and_types_of_actions(actions: Any) -> None:
    batch = midway(0)
    refuses(batch, IllegalActionError, "step takes 3 int actions, one a game; got", lambda: batch.step(actions))


def test_finished_games() -> None:
    batch = midway(0)
    while not batch.done.all():
        batch.step(batch.sample_actions(np.random.default_rng(0)))
    refuses(batch, GameOverError, "game 0 is finished: action 3 .*-1 to leave it", lambda: batch.step([3, -1, -1]))
    rewards, done = batch.step([-1, -1, -1])
    assert not rewards.any()
    assert not done.any()
    assert not batch.legal_actions().any()


# --- resets

GOOD = np.arange(36).reshape(4, 9)


def bad(*changes: tuple[int, int, int]) -> np.ndarray:
    deal = GOOD.copy()
    for seat, place, card in changes:
        deal[seat, place] = card
    return deal


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ({"deal": bad((0, 0, 35))}, DealError, r"deal of game 0: .*dealt twice: Schellen Ass"),
        ({"deal": bad((0, 0, 1))}, DealError, r"deal of game 0: hands have \[8, 9, 9, 9\] different cards"),
        ({"deal": bad((3, 8, 36))}, DealError, "from 0 to 35"),
        ({"deal": bad((0, 0, -1))}, DealError, "from 0 to 35"),
        ({"deal": GOOD[:3]}, DealError, "deal must be card numbers"),
        ({"deal": GOOD.astype(float)}, DealError, "deal must be card numbers"),
        ({"deal": np.stack([GOOD, GOOD])}, DealError, r"give one deal, or 3"),
        ({"deal": np.array([1, 2, 4, 8], np.uint64)}, DealError, "must be"),
        ({"deal": [[1, 2], [3], [4], [5]]}, DealError, "deal: the four hands must have 9 cards each"),
        ({"deal": ["Eichel 6", "", "", ""]}, DealError, "seat 0 has 1 cards, must be 9"),
        ({"deal": ["Eichel 5", "", "", ""]}, UnknownNameError, "no card is called 'Eichel 5'"),
        ({"scores": (3000, 0)}, DealError, "scores must be from 0 to below the target 3000"),
        ({"scores": (0, -1)}, DealError, "scores must be from 0"),
        ({"scores": (1, 2, 3)}, DealError, "scores must have shape"),
        ({"scores": (0.5, 1)}, DealError, "scores must hold ints"),
        ({"scores": None}, DealError, "scores must hold ints"),
        ({"dealer": 4}, DealError, "dealer must be from 0 to 3"),
        ({"dealer": -1}, DealError, "dealer must be from 0 to 3"),
        ({"dealer": "0"}, DealError, "dealer must hold ints"),
        ({"dealer": [0, 1]}, DealError, "dealer must have shape"),
        ({"hand_number": -1}, DealError, "hand_number must be from 0"),
        ({"game_id": -1}, DealError, "game_id must be a non-negative int"),
        ({"game_id": [1, 2]}, DealError, "game_id must be a non-negative int"),
        ({"hand_id": 1.5}, DealError, "hand_id must be a non-negative int"),
        ({"deck": 1}, DealError, "no reset option is called 'deck'; options: game_id, hand_id, deal, scores, dealer"),
    ],
)
def test_bad_resets(options: dict[str, Any], error: type[Exception], reason: str) -> None:
    batch = midway(9)
    refuses(batch, error, reason, lambda: batch.reset(seed=5, options=options))
    assert batch.seed == 2


def test_deals_may_be_given_in_three_ways() -> None:
    batch = make_batch("schieber", num_games=3)
    deck = batch.spec.deck
    words = np.bitwise_or.reduce(np.uint64(1) << GOOD.astype(np.uint64), axis=1)
    for deal in (GOOD, GOOD.tolist(), words, np.tile(words, (3, 1)), [deck.format_all(hand) for hand in GOOD]):
        batch.reset(seed=1)
        batch.reset(options={"deal": deal})
        assert (batch.state.hands == words).all()


# --- construction


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"rules": "bridge"}, RulesError, "no preset is called 'bridge'; presets: source"),
        ({"rules": {"wies": True}}, RulesError, "no option is called 'wies'; options: suit_names"),
        ({"rules": {"four_nines": 100}}, RulesError, r"four_nines=100 is not allowed; allowed: 0 \| 150 \(J-WEIS-02\)"),
        ({"rules": {"match_bonus": True}}, RulesError, "match_bonus=True"),
        ({"rules": {"target": 10**7}}, RulesError, "target must be at most"),
        ({"rules": 3}, RulesError, "not int"),
        ({"episode": "game"}, BidtrickError, r"episode='game' is not allowed; allowed: 'hand' \| 'match'"),
        ({"reward": "tricks"}, BidtrickError, "reward='tricks'"),
        ({"context": "middle"}, BidtrickError, "context='middle'"),
        ({"num_games": 0}, BidtrickError, "num_games=0"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        make_batch("schieber", **arguments)


def test_unknown_games_and_seats() -> None:
    with pytest.raises(UnknownNameError, match="no game is called 'skat'; games: "):
        make_batch("skat")
    batch = midway()
    for seats in (4, -1, [0, 1, 4]):
        refuses(batch, BidtrickError, r"seats must be in 0\.\.3", lambda seats=seats: batch.observe(seats))
    refuses(batch, BidtrickError, "at least one game", lambda: batch.select([]))
    with pytest.raises(UnknownNameError, match=r"action 43 is not in 0\.\.42"):
        batch.spec.action_name(43)
    with pytest.raises(UnknownNameError, match=r"no action is called 'pass'.*Trump Eichel.*Push"):
        batch.spec.parse_action("pass")


# --- records


def recorded(**options: Any) -> Any:
    """Three finished games, recorded; `begin` are reset options."""
    begin = options.pop("begin", None)
    batch = make_batch("schieber", num_games=3, seed=7, record=True, **options)
    if begin:
        batch.reset(options=begin)
    rng = np.random.default_rng(1)
    while not batch.done.all():
        batch.step(batch.sample_actions(rng))
    return batch


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"episode": "match"},
        {"episode": "match", "rules": {"hands": 2, "kreuzweis": True}},
        {"context": "sampled", "rules": "swisslos1000"},
        {"skip_forced": True, "episode": "match"},
        {"begin": {"deal": GOOD, "scores": (2900, 2500), "dealer": [0, 1, 2], "hand_number": 4}, "episode": "match"},
        {"begin": {"game_id": [5, 900, 12], "hand_id": 40}},
    ],
    ids=str,
)
def test_records_replay(options: dict[str, Any], tmp_path: Path) -> None:
    """record → JSON line → file → replay gives the same result, and the same record."""
    batch = recorded(**options)
    records = [batch.record(game) for game in range(3)]
    write_records(tmp_path / "games.jsonl", records)
    assert [r.to_json() for r in read_records(tmp_path / "games.jsonl")] == [r.to_json() for r in records]
    for game, record in enumerate(records):
        again = GameRecord.from_json(record.to_json())
        played = replay(again)
        assert played.result() == batch.result(game)
        assert played.record() == record


def test_a_record_reads_back_equal() -> None:
    record = recorded().record(0)
    assert GameRecord.from_json(record.to_json()) == record


def test_second_episode_is_recorded_alone() -> None:
    batch = recorded()
    first = batch.record(1)
    batch.reset()
    rng = np.random.default_rng(3)
    while not batch.done.all():
        batch.step(batch.sample_actions(rng))
    second = batch.record(1)
    assert (first.hand_id, second.hand_id) == (0, 1)
    assert replay(second).result() == batch.result(1)
    assert replay(first).result() == first.result


def test_records_that_are_not_kept() -> None:
    with pytest.raises(RecordError, match="record=True"):
        make_batch("schieber").record()
    with pytest.raises(RecordError, match="auto_reset"):
        make_batch("schieber", record=True, auto_reset=True).record()


def change(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda data: data.update(fields)


@pytest.mark.parametrize(
    ("garble", "reason"),
    [
        (change(game="skat"), "no game is called 'skat'"),
        (change(version=77), "is of version 77 of schieber, this is version"),
        (change(rules={"wies": 1}), "no option is called 'wies'"),
        (change(episode="game"), "episode='game'"),
        (change(context="x"), "context='x'"),
        (change(game_id=-1), "game_id must be"),
        (change(options={"deck": 1}), "no reset option is called 'deck'"),
        (change(options={"scores": [5000, 0]}), "below the target"),
        (change(options={"deal": [1, 2, 3, 4]}), "deal of game 0"),
        (change(seed=8), "action [0-9]+ of [0-9]+: schieber game 0, seat"),
        (lambda data: data["actions"].pop(), "replay gives"),
        (lambda data: data["actions"].append(3), "is finished"),
        (lambda data: data["actions"].insert(0, 3), "action 0 of .*phase contract: action 3"),
        (lambda data: data["result"].update(scores=[1, 2]), r"replay gives scores=\[.*\], the record says \[1, 2\]"),
        (lambda data: data["result"].update(winner=1), "replay gives winner=-1, the record says 1"),
    ],
)
def test_foreign_records_are_refused(garble: Callable[[dict[str, Any]], object], reason: str) -> None:
    data = json.loads(recorded().record(0).to_json())
    garble(data)
    record = GameRecord.from_json(json.dumps(data), where="games.jsonl line 3")
    with pytest.raises(RecordError, match=f"games.jsonl line 3: .*{reason}"):
        replay(record, where="games.jsonl line 3")


@pytest.mark.parametrize(
    "fields",
    [
        {"options": {"deal": {"a": 1}}},
        {"options": {"deal": [-1, 2, 3, 4]}},
        {"options": {"deal": "all"}},
        {"options": {"scores": {"a": 1}}},
        {"rules": {"preset": []}},
        {"rules": {"target": 10**30}},
        {"actions": [2**70]},
        {"game_id": 2**70},
    ],
    ids=str,
)
def test_any_garbled_record_is_refused_by_name(fields: dict[str, Any]) -> None:
    """Whatever a field holds, the refusal is a RecordError."""
    record = dataclasses.replace(recorded().record(0), **fields)
    with pytest.raises(RecordError, match="line 3: "):
        replay(record, where="line 3")


@pytest.mark.parametrize(
    ("garble", "reason"),
    [
        (lambda line: line[: len(line) // 2], "not a JSON line .*truncated"),
        (lambda line: line[:-1], "not a JSON line"),
        (lambda line: "[1, 2]", "a record is a JSON object, not list"),
        (lambda line: line.replace("bidtrick-record-1", "other-2"), "field format must be 'bidtrick-record-1'"),
        (lambda line: line.replace('"seed"', '"sead"'), "field seed is missing"),
        (lambda line: line.replace('"seed": 7', '"seed": "7"'), r"field seed has the wrong type \(str\)"),
        (lambda line: line.replace('"seed": 7', '"seed": true'), r"field seed has the wrong type \(bool\)"),
        (lambda line: line.replace('"seed": 7', '"seed": 7, "more": 1'), "unknown fields more"),
        (lambda line: line.replace('"actions": [', '"actions": [1.5, '), "field actions must hold action numbers"),
    ],
)
def test_garbled_lines_are_refused(garble: Callable[[str], str], reason: str, tmp_path: Path) -> None:
    """The message names the file, the line and the reason."""
    records = [recorded().record(game) for game in range(3)]
    path = tmp_path / "games.jsonl"
    write_records(path, records)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert garble(lines[1]) != lines[1]
    path.write_text("\n".join([lines[0], garble(lines[1]), lines[2]]), encoding="utf-8")
    found = read_records(path)
    assert next(found).to_json() == records[0].to_json()
    with pytest.raises(RecordError, match=rf"games\.jsonl line 2: .*{reason}"):
        next(found)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"none\.jsonl: cannot be read"):
        next(read_records(tmp_path / "none.jsonl"))
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordError, match="cannot be read"):
        next(read_records(tmp_path / "bytes.jsonl"))
