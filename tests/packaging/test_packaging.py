"""What a wheel of the present tree holds, and that it works away from the tree."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Folders at the root that are packages of bidtrick.
FOLDERS = ("envs", "agents", "training")
DATA = (".md", ".yaml", ".typed", ".safetensors", ".json")


def tree_files() -> list[str]:
    """Files of the tree: tracked, or new and not ignored (a deleted one is neither)."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return sorted(name for name in listing.stdout.split("\0") if name and os.path.lexists(ROOT / name))


def wheel_names(files: list[str]) -> set[str]:
    """Where each file of the packages belongs in a wheel."""
    names: set[str] = set()
    for name in files:
        path = Path(name)
        if path.suffix == ".py" or path.suffix in DATA:
            if path.parts[0] in FOLDERS:
                names.add(f"bidtrick/{name}")
            elif path.parts[:2] == ("src", "bidtrick"):
                names.add("/".join(path.parts[1:]))
    return names


@pytest.fixture(scope="module")
def files() -> list[str]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    return tree_files()


@pytest.fixture(scope="module")
def wheel(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the tree that has nothing but its files."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in files:
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target, follow_symlinks=False)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(tree)]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel alone; its dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    site = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet"]
    done = subprocess.run([*command, str(wheel)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # A line of a .pth file adds the folder but, unlike a site folder, none of its own .pth files, so the
    # editable installation of the tree stays out.
    numpy = importlib.util.find_spec("numpy")
    assert numpy is not None
    assert numpy.origin is not None
    (Path(site) / "dependencies.pth").write_text(f"{Path(numpy.origin).parents[1]}\n")
    return python


def run(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_package_list_is_the_folders_that_are_packages(files: list[str]) -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    inits = [Path(name).parent for name in wheel_names(files) if name.endswith("/__init__.py")]
    found = {folder.as_posix().replace("/", ".") for folder in inits}
    assert sorted(listed) == sorted(found), "every package folder must be in tool.setuptools.packages, and no other"


def test_folders_with_sources_are_packages(files: list[str]) -> None:
    names = wheel_names(files)
    for name in names:
        if name.endswith(".py"):
            assert f"{Path(name).parent.as_posix()}/__init__.py" in names, f"{name} is in a folder without __init__.py"


def test_wheel_has_every_source_and_data_file_and_nothing_else(files: list[str], wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == wheel_names(files)
    assert "bidtrick/py.typed" in held


def test_wheel_carries_licence_and_command(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = {name.partition(".dist-info/")[2]: name for name in archive.namelist() if ".dist-info/" in name}
    assert "licenses/LICENSE" in names
    assert "bidtrick = bidtrick.cli:main" in archive.read(names["entry_points.txt"]).decode()
    assert archive.read(names["top_level.txt"]).decode().split() == ["bidtrick"]


def test_installed_package_is_the_wheel_and_makes_games(installed: Path, tmp_path: Path) -> None:
    code = (
        "import bidtrick, numpy as np\n"
        "from bidtrick.envs import make_batch\n"
        "games = make_batch('schieber', num_games=3, seed=1)\n"
        "games.step(games.sample_actions(np.random.default_rng(0)))\n"
        "print(bidtrick.__file__, bidtrick.__version__)"
    )
    done = run([str(installed), "-c", code], tmp_path)
    assert done.returncode == 0, done.stderr
    place, version = done.stdout.split()
    assert Path(place).is_relative_to(installed.parents[1])
    assert version == tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def test_installed_package_has_its_trained_agents_and_benchmark_sets(installed: Path, tmp_path: Path) -> None:
    code = (
        "import numpy as np\n"
        "from bidtrick.agents.registry import make_agent\n"
        "from bidtrick.envs import games, make_batch\n"
        "from bidtrick.training.benchmark import default_set\n"
        "for game in games():\n"
        "    batch = make_batch(game, num_games=4, seed=2)\n"
        "    agent = make_agent('pretrained', batch.spec)\n"
        "    batch.step(agent.act(batch.observe(), batch.legal_actions(), np.random.default_rng(0)))\n"
        "    default_set(game).check()\n"
        "    print(game)"
    )
    done = run([str(installed), "-c", code], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["schieber", "pitch", "thousand"]


def test_command_lists_the_games_from_anywhere(installed: Path, tmp_path: Path) -> None:
    done = run([str(installed.with_name("bidtrick")), "games"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "schieber" in done.stdout


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_are_no_packages_of_their_own(name: str, installed: Path, tmp_path: Path) -> None:
    for python in (str(installed), sys.executable):
        done = run([python, "-c", f"import {name}"], tmp_path)
        assert f"No module named '{name}'" in done.stderr, python


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_are_not_importable_in_these_tests(name: str) -> None:
    """pytest must not put the root on the path, or an import that is wrong elsewhere would work here."""
    spec = importlib.util.find_spec(name)  # tests has folders of these names too; they are no matter
    places = list(spec.submodule_search_locations or ()) if spec else []
    assert str(ROOT / name) not in places
