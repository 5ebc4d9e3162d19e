"""Benchmark sets and the results that are stored with them."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...envs.core.errors import BidtrickError
from ...envs.registry import game_class, games, make_batch
from ..provenance import provenance
from ..report import write

FORMAT = "bidtrick-benchmark-1"
RESULT_FORMAT = "bidtrick-benchmark-result-1"
#: Where the sets are that come with the package.
HOME = Path(__file__).resolve().parent / "sets"
#: Points are kept to this many decimals: they are sums of whole points over few seatings.
DECIMALS = 3
_SET = "set.json"


class BenchmarkError(BidtrickError):
    """A benchmark set or a result that is missing, damaged, or of another set."""


@dataclass(frozen=True)
class BenchmarkSet:
    """Everything that a result on the set depends on.

    Attributes:
        name: "<game>-<number>". version: of the game. preset: name of the rules; rules: all their options.
        seed, deals: the counter-based deals `game_id` 0 … deals - 1 of the seed. context: where they start.
        block: deals that are played together, with random numbers of their own.
        references: agents that everybody plays. forfeit: points lost with a deal on which an agent fails.
        cards: SHA-256 over all cards and match states, so that other deals would be noticed.
    """

    name: str
    game: str
    version: int
    preset: str
    rules: dict[str, Any]
    seed: int
    deals: int
    context: str
    block: int
    references: tuple[str, ...]
    forfeit: float
    cards: str

    def check(self) -> None:
        """Refuse to play if this version of the package deals other cards. Raises BenchmarkError."""
        batch = make_batch(self.game, rules=self.rules)
        if batch.spec.version != self.version:
            raise BenchmarkError(
                f"{self.name} is of version {self.version} of {self.game}, this is version {batch.spec.version}; "
                "results would not be comparable: use a newer set"
            )
        if cards_checksum(self.game, self.rules, self.seed, self.deals, self.context) != self.cards:
            raise BenchmarkError(
                f"{self.name}: the cards or match states of seed {self.seed} are not those of the set (checksum); "
                "results would not be comparable: use a newer set"
            )


@dataclass(frozen=True)
class Result:
    """What an agent did on a set.

    Attributes:
        points: reference → points on each deal more than it, averaged over the seatings. float [deals].
        facts: what the agent says of itself. failures: what it lost by failing.
        made: commit, date and versions.
    """

    set: str
    cards: str
    agent: str
    points: dict[str, npt.NDArray[np.float64]]
    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    failures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    made: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def by_deal(self) -> npt.NDArray[np.float64]:
        """Points on each deal, mean over the references. float [deals]."""
        return np.mean(list(self.points.values()), axis=0)

    def plain(self) -> dict[str, Any]:
        """As data for JSON."""
        points = {name: values.tolist() for name, values in self.points.items()}
        return {"format": RESULT_FORMAT, **asdict(self), "points": points}


def cards_checksum(game: str, rules: Any, seed: int, deals: int, context: str) -> str:
    """SHA-256 over what lies on and under the table before the first decision of each deal, and the match states."""
    batch = make_batch(game, num_games=deals, seed=seed, rules=rules, episode="hand", context=context)
    batch.reset(options={"game_id": np.arange(deals), "hand_id": 0})
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(batch.current_player).tobytes())
    digest.update(np.ascontiguousarray(batch.observe()).tobytes())
    digest.update(np.ascontiguousarray(batch.state_vector()).tobytes())
    return digest.hexdigest()


def set_names(game: str | None = None, home: Path | None = None) -> list[str]:
    """Names of all sets (of a game), the oldest first."""
    found = [path.parent.name for path in (home or HOME).glob(f"*/{_SET}")]
    named = [re.fullmatch(r"([a-z_]+)-(\d+)", name) for name in found]
    rows = sorted((match[1], int(match[2])) for match in named if match)
    return [f"{own}-{number}" for own, number in rows if game in (None, own)]


def default_set(game: str, home: Path | None = None) -> BenchmarkSet:
    """The newest set of a game. Raises UnknownNameError for no game, BenchmarkError if it has no set."""
    game_class(game)
    names = set_names(game, home)
    if not names:
        others = ", ".join(set_names(None, home)) or "none"
        raise BenchmarkError(f"there is no benchmark set for {game}; sets: {others}")
    return read_set(names[-1], home)


def read_set(name: str, home: Path | None = None) -> BenchmarkSet:
    """A set by name. Raises BenchmarkError."""
    file = (home or HOME) / name / _SET
    if name not in set_names(None, home):
        raise BenchmarkError(f"no benchmark set is called {name!r}; sets: {', '.join(set_names(None, home)) or 'none'}")
    data = _read(file, FORMAT)
    try:
        return BenchmarkSet(**{**data, "references": tuple(data["references"])})
    except (TypeError, KeyError) as error:
        raise BenchmarkError(f"{file} does not describe a benchmark set: {error}") from None


def define(
    name: str, preset: str | None = None, *, seed: int = 3_000_017, deals: int = 1000, block: int = 50,
    references: tuple[str, ...] = ("heuristic",), home: Path | None = None,
) -> BenchmarkSet:  # fmt: skip
    """Write the description of a new set. For maintainers: a set that was published is never changed.

    Args:
        name: "<game>-<number>". preset: none is the game's first.

    Raises: BenchmarkError for a name that is taken or not understood.
    """
    game, _, number = name.rpartition("-")
    if game not in games() or not number.isdigit():
        raise BenchmarkError(f"a set is called <game>-<number>, not {name!r}; games: {', '.join(games())}")
    file = (home or HOME) / name / _SET
    if file.exists():
        raise BenchmarkError(f"the set {name} is there already and is never changed; choose another number")
    preset = preset or next(iter(game_class(game).rules_class.presets))
    spec = make_batch(game, rules=preset).spec
    rules = json.loads(json.dumps(spec.rules.to_dict()))
    found = BenchmarkSet(
        name=name, game=game, version=spec.version, preset=preset, rules=rules, seed=seed, deals=deals,
        context="sampled", block=block, references=references, forfeit=5 * spec.reward_scale,
        cards=cards_checksum(game, rules, seed, deals, "sampled"),
    )  # fmt: skip
    write(file, json.dumps({"format": FORMAT, **asdict(found)}, indent=1) + "\n")
    return found


def made() -> dict[str, Any]:
    """Where and with what a result is computed."""
    return {key: value for key, value in provenance().items() if key in ("commit", "created", "versions", "machine")}


def stored(of: BenchmarkSet, home: Path | None = None) -> dict[str, Result]:
    """The results that are stored with a set, by agent. Raises BenchmarkError for one that is damaged."""
    files = sorted(((home or HOME) / of.name).glob("*.json"))
    return {one.agent: one for file in files if file.name != _SET for one in load_results(file, of)}


def store(of: BenchmarkSet, result: Result, home: Path | None = None) -> Path:
    """Keep a result with its set (all or nothing). Returns the file."""
    name = re.sub(r"[^\w.-]+", "_", result.agent)
    file = (home or HOME) / of.name / f"{name}.json"
    write(file, json.dumps(result.plain(), ensure_ascii=False) + "\n")
    return file


def load_results(file: Path, of: BenchmarkSet) -> list[Result]:
    """The results in a file, one or those of `bidtrick benchmark --json`.

    Raises: BenchmarkError if they are of another set, or damaged.
    """
    data = _read(file, RESULT_FORMAT)
    rows: Any = data.get("results", [data])
    try:
        found = [Result(**{key: value for key, value in row.items() if key != "format"}) for row in rows]
        found = [
            Result(**{**vars(one), "points": {n: np.asarray(v, float) for n, v in one.points.items()}}) for one in found
        ]
    except (TypeError, ValueError, AttributeError) as error:
        raise BenchmarkError(f"{file} holds no results of a benchmark set: {error}") from None
    for one in found:
        if (one.set, one.cards) != (of.name, of.cards):
            raise BenchmarkError(f"{file}: {one.agent} played {one.set}, and this is {of.name}")
        shapes = {name: values.shape for name, values in one.points.items()}
        if shapes != dict.fromkeys(of.references, (of.deals,)):
            raise BenchmarkError(
                f"{file}: {one.agent} must have points on {of.deals} deals against {', '.join(of.references)}"
            )
    return found


def _read(file: Path, form: str) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BenchmarkError(f"{file} cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise BenchmarkError(f"{file} is damaged: {error}") from None
    if not isinstance(data, dict) or data.get("format") != form:
        raise BenchmarkError(f"{file}: format must be {form!r}")
    return {key: value for key, value in data.items() if key != "format"}
