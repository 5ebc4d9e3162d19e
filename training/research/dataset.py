"""Sets of solved deals: as folders of npz shards, or as one npz file.

Deal k of a set is the first hand of game k of its seed, as environments draw it, and its values are those of
`solve_deals`, whatever was solved before it. So a set is a function of its settings: the number of workers changes
nothing, and a set that was interrupted and resumed is the same to the last byte. Shards are written all or nothing.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...agents.search.deals import NODES, DealSolver, deal_solver
from ...envs.core.errors import BidtrickError
from ...envs.core.game import BatchedGame
from ...envs.registry import make_batch
from .deals import Deal, drawn_deals

Arrays = dict[str, npt.NDArray[Any]]

FORMAT = "bidtrick-deals-1"
MANIFEST, README = "manifest.json", "README.md"
#: Before the name of a part of `DealValues.parts`.
PART = "part_"


class DatasetError(BidtrickError):
    """A set of deals that cannot be begun, resumed or read."""


@dataclass(frozen=True)
class DatasetSettings:
    """What a set consists of; equal settings give equal sets.

    Attributes:
        game: id. rules: preset, or None for the first one.
        deals: number of deals. seed: of the deals.
        nodes: positions that may be visited for each contract of each declarer.
        every: also the declarers that the dealer does not allow (`DealSolver.solve`).
        shard: deals of a file.
    """

    game: str
    deals: int
    seed: int = 0
    rules: str | None = None
    nodes: int = NODES
    every: bool = False
    shard: int = 50

    def __post_init__(self) -> None:
        for name in ("deals", "nodes", "shard"):
            if getattr(self, name) < 1:
                raise DatasetError(f"{name}={getattr(self, name)} is not allowed; allowed: an int from 1")

    @property
    def shards(self) -> int:
        """Number of files."""
        return -(-self.deals // self.shard)

    def ids(self, shard: int) -> range:
        """Numbers of the deals in a shard."""
        return range(shard * self.shard, min((shard + 1) * self.shard, self.deals))


def described(games: BatchedGame[Any], solver: DealSolver) -> dict[str, tuple[str, str]]:
    """The arrays of a set: name → (dtype and shape, meaning). n deals, C contracts, S seats, D cards."""
    c, s, d = len(solver.contracts), games.spec.num_seats, len(games.deal_plan(0).cards)
    return {
        "game_id": ("int64 [n]", "number of the deal: game of the seed's counter-based deals, first hand"),
        "deck": (f"int8 [n, {d}]", 'card numbers in the order of dealing, as reset(options={"deal": ...}) takes them'),
        "dealer": ("int8 [n]", "seat of the dealer"),
        "low": (f"int16 [n, {c}, {s}]", f"by contract and declarer, at least: {solver.meaning}"),
        "high": (f"int16 [n, {c}, {s}]", "the same at most; equal to low where it is solved"),
        "asked": (f"bool [n, {c}, {s}]", "whether it was asked for; where not, the other arrays hold 0"),
        "nodes": (f"int64 [n, {c}, {s}]", "positions visited for it"),
        **{
            PART + name: (f"int16 [n, {c}, {s}]", meaning) for name, meaning in solver.parts.items()
        },
        "par_low": ("float32 [n]", f"par result, at least (nan: not known): {solver.par_meaning}"),
        "par_high": ("float32 [n]", "the same at most"),
        "par_seat": ("int8 [n]", "the par result is that of this seat's side; -1: not known"),
        "par_declarer": ("int8 [n]", "who is declarer then; -1: not known, or nobody"),
        "par_contract": ("int8 [n]", "number of the contract then; -1: not known, or none"),
        "par_bid": ("int16 [n]", "what is bid then, in the game's numbers; 0: bids are no numbers, or not known"),
    }  # fmt: skip


def solve_shard(settings: DatasetSettings, shard: int, progress: Callable[[], None] | None = None) -> Arrays:
    """The arrays of a shard (`described`). progress: called after each deal."""
    games = make_batch(settings.game, rules=settings.rules)
    solver = deal_solver(games.spec)
    ids = settings.ids(shard)
    decks, dealers = drawn_deals(games, settings.seed, ids)
    rows: list[dict[str, Any]] = []
    for deck, dealer in zip(decks, dealers.tolist(), strict=True):
        values = solver.solve(deck, dealer, settings.nodes, settings.every)
        par = solver.par(values, dealer)
        rows.append({
            "low": values.low, "high": values.high, "asked": values.asked, "nodes": values.nodes,
            **{PART + name: part for name, part in values.parts.items()},
            "par_low": np.nan if par is None else par.low, "par_high": np.nan if par is None else par.high,
            "par_seat": -1 if par is None else par.seat, "par_declarer": -1 if par is None else par.declarer,
            "par_contract": -1 if par is None else par.contract, "par_bid": 0 if par is None else par.bid,
        })  # fmt: skip
        if progress is not None:
            progress()
    arrays: Arrays = {"game_id": np.array(ids, np.int64), "deck": decks, "dealer": dealers}
    arrays.update({name: np.array([row[name] for row in rows]) for name in rows[0]})
    return {name: arrays[name].astype(kind.split()[0]) for name, (kind, _) in described(games, solver).items()}


def generate(
    settings: DatasetSettings,
    out: str | Path,
    *,
    workers: int = 1,
    resume: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Path:
    """Make a set of solved deals.

    Args:
        out: a folder for shards, or a file that ends in .npz (its shards lie in "<file>.parts" until all are there).
        workers: processes. resume: go on with what is there.
        progress: called with the number of deals that are new; of those found at once, first.

    Returns: `out`.

    Raises: DatasetError if there is a set already and `resume` is not given, or if it has other settings.
    """
    target = Path(out)
    single = target.suffix == ".npz"
    folder = target.with_name(target.name + ".parts") if single else target
    manifest = _manifest(settings)
    if single and target.exists():
        if not resume:
            raise DatasetError(f"{target} is there already; --resume takes it as it is if its settings are the same")
        _same(target, load_dataset(target).manifest, manifest)
        return target
    _begin(folder, manifest, resume)
    missing = [shard for shard in range(settings.shards) if not _there(folder, shard, settings)]
    report = progress or (lambda count: None)
    report(settings.deals - sum(len(settings.ids(shard)) for shard in missing))
    if workers == 1:
        for shard in missing:
            _write(_file(folder, shard), solve_shard(settings, shard, lambda: report(1)))
    elif missing:
        with ProcessPoolExecutor(min(workers, len(missing)), mp_context=get_context("spawn")) as pool:
            jobs = {pool.submit(_work, settings, shard, str(folder)): shard for shard in missing}
            for job in as_completed(jobs):
                job.result()
                report(len(settings.ids(jobs[job])))
    if single:
        found = load_dataset(folder)
        _write(target, {**found.arrays(), "manifest": np.array(json.dumps(manifest))})
        shutil.rmtree(folder)
    return target


class Dataset:
    """A set of solved deals, read an array at a time.

    Attributes:
        manifest: its settings and what the arrays are. names: of the arrays. contracts: names by number.
    """

    def __init__(self, path: Path, manifest: dict[str, Any], files: list[Path]) -> None:
        self.path, self.manifest, self._files = path, manifest, files
        self.names: tuple[str, ...] = tuple(manifest["arrays"])
        self.contracts: tuple[str, ...] = tuple(manifest["contracts"])

    def __len__(self) -> int:
        return int(self.manifest["settings"]["deals"])

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """One array of all deals (`manifest["arrays"]` says what it is); only it is read. Raises DatasetError."""
        if name not in self.names:
            raise DatasetError(f"{self.path}: no array is called {name!r}; arrays: {', '.join(self.names)}")
        return np.concatenate([shard[name] for shard in self._shards()])

    def arrays(self) -> Arrays:
        """All arrays."""
        return {name: self[name] for name in self.names}

    def deal(self, number: int) -> Deal:
        """One deal, as `solve_deals` takes it."""
        shard, row = divmod(number, int(self.manifest["settings"]["shard"]))
        if len(self._files) == 1:
            shard, row = 0, number
        with np.load(self._files[shard]) as arrays:
            return Deal(arrays["deck"][row].astype(np.int64), int(arrays["dealer"][row]), f"{self.path} deal {number}")

    def _shards(self) -> Iterator[Any]:
        for file in self._files:
            with np.load(file) as arrays:
                yield arrays


def load_dataset(path: str | Path) -> Dataset:
    """Read a set of deals that `generate` has finished, a folder or a file.

    Raises: DatasetError if it is none, or if shards are missing.
    """
    where = Path(path)
    try:
        if where.is_dir():
            manifest: dict[str, Any] = json.loads((where / MANIFEST).read_text(encoding="utf-8"))
        else:
            with np.load(where) as arrays:
                manifest = json.loads(str(arrays["manifest"]))
    except (OSError, ValueError, KeyError) as error:
        raise DatasetError(f"{where}: no set of deals can be read here ({error})") from None
    if manifest.get("format") != FORMAT:
        raise DatasetError(f"{where}: field format must be {FORMAT!r}; got {manifest.get('format')!r}")
    if not where.is_dir():
        return Dataset(where, manifest, [where])
    settings = DatasetSettings(**cast("dict[str, Any]", manifest["settings"]))
    files = [_file(where, shard) for shard in range(settings.shards)]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise DatasetError(
            f"{where}: {len(missing)} of {len(files)} shards are missing, first {missing[0]}; --resume makes them"
        )
    return Dataset(where, manifest, files)


def _manifest(settings: DatasetSettings) -> dict[str, Any]:
    games = make_batch(settings.game, rules=settings.rules)
    solver = deal_solver(games.spec)
    return {
        "format": FORMAT, "settings": dataclasses.asdict(settings), "version": games.spec.version,
        "rules": json.loads(json.dumps(games.rules.to_dict())), "contracts": list(solver.contracts),
        "cards": [games.spec.deck.format(card) for card in range(games.spec.deck.size)],
        "arrays": {name: list(about) for name, about in described(games, solver).items()},
    }  # fmt: skip


def _same(where: Path, there: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse to go on with a set of other settings."""
    old, new = there.get("settings", {}), wanted["settings"]
    differing = [f"{key}={old.get(key)!r} there, {new[key]!r} asked" for key in new if old.get(key) != new[key]]
    if not differing and there != wanted:
        differing = [key for key in wanted if there.get(key) != wanted[key]]
    if differing:
        raise DatasetError(f"{where} has other settings and is left as it is: {'; '.join(differing)}")


def _begin(folder: Path, manifest: dict[str, Any], resume: bool) -> None:
    """Make the folder with its manifest and description, or check the ones that are there."""
    file = folder / MANIFEST
    if file.exists():
        if not resume:
            raise DatasetError(f"{folder} holds a set of deals already; --resume goes on with it")
        try:
            there = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DatasetError(f"{file}: cannot be read ({error})") from None
        _same(folder, there, manifest)
        return
    if folder.is_file() or (folder.is_dir() and any(folder.glob("*.npz"))):
        raise DatasetError(f"{folder} is something else already; give a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / README).write_text(_readme(manifest), encoding="utf-8")
    part = folder / (MANIFEST + ".part")
    part.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(file)


def _readme(manifest: dict[str, Any]) -> str:
    settings = manifest["settings"]
    rows = "\n".join(f"| `{name}` | {kind} | {meaning} |" for name, (kind, meaning) in manifest["arrays"].items())
    contracts = ", ".join(f"{number} {name}" for number, name in enumerate(manifest["contracts"]))
    facts = ", ".join(f"{name} {value}" for name, value in settings.items())
    return f"""# Solved deals of {settings["game"]}

{facts}.

Each `deals-NNNNN.npz` holds n deals in the arrays below. `manifest.json` has all settings, the rules and the names of
the cards by number. In Python: `bidtrick.training.research.load_dataset(folder)["low"]`.

Contracts: {contracts}. Values are points, with open cards and best play of all.

| array | dtype and shape | meaning |
|---|---|---|
{rows}
"""


def _file(folder: Path, shard: int) -> Path:
    return folder / f"deals-{shard:05d}.npz"


def _there(folder: Path, shard: int, settings: DatasetSettings) -> bool:
    """Whether a shard is complete. (A file that cannot be read is made anew.)"""
    try:
        with np.load(_file(folder, shard)) as arrays:
            return bool(np.array_equal(arrays["game_id"], np.array(settings.ids(shard))))
    except (OSError, ValueError, KeyError, EOFError):
        return False


def _write(file: Path, arrays: Arrays) -> None:
    """Write arrays, all or nothing."""
    part = file.with_name(file.name + ".part")
    with part.open("wb") as stream:
        np.savez_compressed(stream, **cast(Any, arrays))
    part.replace(file)


def _work(settings: DatasetSettings, shard: int, folder: str) -> None:
    """What a worker does."""
    _write(_file(Path(folder), shard), solve_shard(settings, shard))
