"""Golden playthroughs: whole games as readable text, one file a case, to see at once what a change changes.

`python tests/golden/golden.py --write` writes the files anew; test_golden.py compares them. A new game adds its cases
here; every registered game must have one.

Some cases are recorded matches of heuristic agents, told by `bidtrick replay --view story`; `--record` plays them anew.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from bidtrick.agents.registry import make_agent
from bidtrick.envs import make_batch
from bidtrick.envs.core import deals
from bidtrick.envs.core.records import GameRecord, write_records
from bidtrick.replay import replay_file

FOLDER = Path(__file__).parent
#: The stream of the player's choices (`deals`), so that no other library's random numbers matter.
PLAYER = 99
#: Facts of a finished hand, by game.
RESULT = {
    "schieber": (
        "contract", "declarer", "forehand", "pushes", "base_points", "match_bonus", "weis", "stock", "points", "tricks",
        "scores", "winner", "schneider",
    ),
    "pitch": (
        "bid_name", "bidder", "partner", "trump_name", "called_name", "took", "against", "made", "moon", "tricks",
        "points", "gain", "scores", "winner", "truncated",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One game: how it is begun, and the seed of the player who plays all seats at random."""

    game: str
    name: str
    rules: Any
    seed: int
    episode: str = "hand"
    reset: dict[str, Any] = field(default_factory=dict)
    recorded: bool = False  # a record of heuristic agents lies beside the text

    @property
    def record(self) -> Path:
        return self.path.with_suffix(".jsonl")

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.game}_{self.name}.txt"


CASES = [
    Case("schieber", "source", "source", 1),
    Case("schieber", "swiss", "swiss", 2),
    Case("schieber", "swisslos2500", "swisslos2500", 3),
    Case("schieber", "swisslos1000_match", "swisslos1000", 4, "match"),
    Case("schieber", "tournament", "tournament", 5),
    Case("schieber", "jass_kit", "jass_kit", 6),
    Case("schieber", "near_the_target", "source", 7, "match", {"scores": (2890, 2870), "dealer": 0, "hand_number": 9}),
    Case("schieber", "all_shown", {"weis_reveal": "all", "kreuzweis": True, "push_back": True}, 8),
    Case("pitch", "source_match", "source", 1, "match"),
    Case("pitch", "literal", "literal", 2),
    Case("pitch", "literal_jokers", "literal_jokers", 3),
    Case("pitch", "playpitch", "playpitch", 4),
    Case("pitch", "trickster10", "trickster10", 5),
    Case("pitch", "campbell31", "campbell31", 6),
    Case("pitch", "nyx", "nyx", 7),
    Case("pitch", "colorado", "colorado", 8),
    Case("pitch", "mo_tournament", "mo_tournament", 9),
    Case("pitch", "five_match", "five", 10, "match", {"scores": (40, 45, 30, 48, 50), "dealer": 2}),
    Case("pitch", "sixteen_reverse", {"version": 16, "reverse": True, "discarded_trump": "to_kitty"}, 11),
    Case("pitch", "tiny", "tiny", 21),
    Case("pitch", "tiny_stock_match", "tiny_stock", 22, "match"),
    Case("schieber", "three_hands", {"hands": 3, "suit_names": "french", "undenufe_eleven": "six"}, 9, "match"),
    Case("schieber", "tiny", "tiny", 10),
    Case("schieber", "small_match", {"preset": "small", "target": 700}, 16, "match"),
    Case("schieber", "small", "small", 18),
    Case("thousand", "default", "default", 11),
    Case("thousand", "mailru", "mailru", 12),
    Case("thousand", "duel_d", "duel_d", 15),
    Case("thousand", "four", "four", 17),
    Case("thousand", "tiny", "tiny", 19),
    Case("thousand", "tiny_three", "tiny_three", 20),
    Case("thousand", "heuristics_match", "default", 1, "match", {"game_id": 24}, recorded=True),
]


def lines(case: Case) -> Iterator[str]:
    """The text of a game: deal, every action with its seat, what is scored and when, the result."""
    batch = make_batch(case.game, seed=case.seed, rules=case.rules, episode=case.episode)
    batch.reset(seed=case.seed, options=case.reset)
    spec, decision = batch.spec, 0
    key = deals.stream_keys(case.seed, np.array([0]), np.array([0]), PLAYER)
    yield f"{spec.title}, rules {spec.rules.name}, seed {case.seed}, episode {case.episode}"
    for name, value in case.reset.items():
        yield f"  {name}: {value}"
    hand = None
    total = np.zeros(spec.num_seats)
    while not batch.done[0]:
        number = int(batch.state.hand_id[0])
        if number != hand:
            hand = number
            yield ""
            yield f"Hand {number}"
            for seat in range(spec.num_seats):
                cards = [c for c in range(spec.deck.size) if int(batch.state.hands[0, seat]) >> c & 1]
                yield f"  seat {seat}: {spec.deck.format_all(cards)}"
        seat, legal = int(batch.current_player[0]), np.flatnonzero(batch.legal_actions()[0])
        count, action = len(legal), int(legal[deals.integers(key, decision, len(legal))[0]])
        decision += 1
        before = _facts(batch)
        rewards, _ = batch.step([action])
        total += rewards[0]
        after = _facts(batch)
        changes = [f"{name} {value}" for name, value in after.items() if value != before.get(name)]
        yield f"  seat {seat}: {spec.action_name(action)} (of {count})" + "".join(f" | {text}" for text in changes)
        if rewards[0].any():
            yield "  rewards " + " ".join(f"{reward:+.2f}" for reward in rewards[0])
        if int(batch.state.hand_id[0]) != hand or batch.done[0]:
            result = batch.result()
            yield "  hand: " + ", ".join(f"{name} {result[name]}" for name in RESULT.get(spec.id, tuple(result)))
    yield ""
    yield "Rewards of the episode: " + " ".join(f"{reward:+.2f}" for reward in total)


def _facts(batch: Any) -> dict[str, str]:
    """What seat 0 sees that is worth telling when it changes."""
    layout, obs = batch.spec.layout, batch.observe(0)

    def seen(name: str) -> list[int]:
        return layout.view(obs, name)[0].ravel().astype(int).tolist()

    if batch.spec.id == "pitch":
        return {
            "scores": " : ".join(map(str, batch.state.scores[0].tolist())),
            "points": " ".join(map(str, seen("points"))),
            "asked": " ".join(str(value - 1) if value else "-" for value in seen("asked")),
            "leftovers": " ".join(map(str, seen("received"))),
            "out": " ".join(map(str, seen("out"))),
            "tricks": str(seen("trick_number")[0]),
        }
    if batch.spec.id == "thousand":
        return {"scores": " : ".join(map(str, batch.state.scores[0].tolist()))}
    shown = layout.view(obs, "shown")[0]
    return {
        "scores": " : ".join(map(str, batch.state.scores[0].tolist())),
        "declared": " ".join(str(10 * value) for value in seen("declared_weis")),
        "weis": f"{10 * seen('own_weis_scored')[0]} : {10 * seen('their_weis_scored')[0]}",
        "shown": "; ".join(batch.spec.deck.format_all(np.flatnonzero(plane)) or "-" for plane in shown),
        "stock": f"{10 * seen('own_stock')[0]} : {10 * seen('their_stock')[0]}",
        "tricks": f"{seen('own_tricks')[0]} : {seen('their_tricks')[0]}",
    }


def play_heuristics(case: Case) -> GameRecord:
    """The match of a recorded case, played by heuristic agents."""
    batch = make_batch(case.game, seed=case.seed, rules=case.rules, episode=case.episode, record=True)
    batch.reset(seed=case.seed, options=case.reset)
    agent, rng = make_agent("heuristic", batch.spec), np.random.default_rng(0)
    while not batch.done[0]:
        batch.step(agent.act(batch.observe(), batch.legal_actions(), rng))
    return batch.record(0)


def told(case: Case) -> str:
    """A recorded case as `bidtrick replay --view story --no-color` prints it."""
    output = StringIO()
    console = Console(file=output, width=120, color_system=None)
    replay_file(case.record, number=1, view="story", seat=0, open_hands=True, color=False, console=console)
    return output.getvalue()


def text(case: Case) -> str:
    if case.recorded:
        return told(case)
    return "\n".join(line.rstrip() for line in lines(case)) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the files anew instead of comparing them")
    parser.add_argument("--record", action="store_true", help="play the recorded matches anew")
    options = parser.parse_args()
    write, record = options.write, options.record
    for case in CASES:
        if record and case.recorded:
            write_records(case.record, [play_heuristics(case)])
        new = text(case)
        old = case.path.read_text(encoding="utf-8") if case.path.exists() else ""
        print(f"{case.path.name}: {'same' if new == old else 'changed'}")
        if write:
            case.path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
