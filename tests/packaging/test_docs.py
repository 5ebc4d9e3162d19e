"""The documentation says what is true: commands parse, code runs, every game has its files."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from bidtrick.envs import games

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
#: First line of a Python block that the tests run (others are only compiled).
RUNS = "# runs in the tests"
#: The files that every game's folder has.
GAME_FILES = (
    "RULES.md", "__init__.py", "rules.py", "tables.py", "state.py", "engine.py", "observation.py", "render.py",
    "game.py",
)  # fmt: skip


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(language: str) -> list[tuple[str, str]]:
    """(document and heading, text) of every fenced block of a language."""
    found: list[tuple[str, str]] = []
    for name in DOCUMENTS:
        text = read(name)
        for match in re.finditer(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            heading = re.findall(r"^#+ (.*)$", text[: match.start()], re.MULTILINE)[-1]
            found.append((f"{name}: {heading}", match[1]))
    return found


def commands() -> list[str]:
    """The lines of all shell blocks, without comments."""
    lines = [line.strip() for _, text in blocks("bash") for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


BIDTRICK = [line for line in commands() if line.startswith("bidtrick")]
PYTHON = blocks("python")


def parse(line: str) -> list[str]:
    """Parse a `bidtrick` command as the program would, without running it. Returns its words."""
    from typer.main import get_command

    from bidtrick.cli import app

    _, name, *words = shlex.split(line, comments=True)
    group = get_command(app)
    subcommand = group.commands[name]  # pyright: ignore[reportAttributeAccessIssue]
    subcommand.make_context(name, list(words))
    return words


@pytest.mark.parametrize("line", BIDTRICK)
def test_commands_parse(line: str) -> None:
    for word in parse(line):
        if word.startswith("configs/"):
            assert (ROOT / word).is_file(), f"{line}: there is no {word}"


def test_a_command_with_a_wrong_option_does_not_parse() -> None:
    with pytest.raises(Exception, match="nonsense"):
        parse("bidtrick bench --nonsense")


def test_every_command_is_in_the_readme() -> None:
    from typer.main import get_command

    from bidtrick.cli import app

    known = set(get_command(app).commands)  # pyright: ignore[reportAttributeAccessIssue]
    assert known <= {line.split()[1] for line in BIDTRICK}


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    used = {line.split()[1] for line in commands() if line.startswith("make ")}
    assert {"demo", "test"} <= used <= targets


def test_the_demo_uses_files_that_exist() -> None:
    names = re.findall(r"configs/\S+\.yaml", read("Makefile"))
    assert names
    for name in names:
        assert (ROOT / name).is_file(), name


@pytest.mark.parametrize(("where", "code"), PYTHON, ids=[where for where, _ in PYTHON])
def test_python_blocks_compile_and_run(where: str, code: str) -> None:
    compiled = compile(code, where, "exec")
    if code.startswith(RUNS):
        if "sb3_contrib" in code:
            pytest.importorskip("sb3_contrib")
        exec(compiled, {"__name__": "example"})


def test_links_between_documents_lead_somewhere() -> None:
    for name in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", read(name)):
            assert (ROOT / target).exists(), f"{name} links to {target}"


def test_paths_in_the_table_of_contents_exist() -> None:
    for path in re.findall(r"\| `([a-z_/]+)` \|$", read("README.md"), re.MULTILINE):
        assert (ROOT / path).is_dir(), path


def test_changelog_has_the_present_version_and_a_place_for_the_next() -> None:
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    headings = re.findall(r"^## \[(.+?)\]", read("CHANGELOG.md"), re.MULTILINE)
    assert headings[:2] == ["Unreleased", version]


@pytest.mark.parametrize("game", games())
def test_every_game_has_its_files(game: str) -> None:
    folder = ROOT / "envs" / game
    missing = [name for name in GAME_FILES if not (folder / name).is_file()]
    assert not missing, f"envs/{game} lacks {', '.join(missing)}"


@pytest.mark.parametrize("game", games())
def test_every_game_is_in_the_readme_and_the_import_contracts(game: str) -> None:
    assert f"`envs/{game}`" in read("README.md")
    contracts = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    package = f"bidtrick.envs.{game}"
    layers = [" | ".join(map(str, contract.get("layers", []))) for contract in contracts]
    assert any(package in re.split(r"[ |]+", layer) for layer in layers), f"{package} is in no import contract"
    containers = [name for contract in contracts for name in contract.get("containers", [])]
    assert package in containers, f"{package} has no contract for its own files"


def test_constraints_are_plain_pins() -> None:
    lines = [line for line in read("constraints.txt").splitlines() if line and not line.startswith("#")]
    for line in lines:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][a-z0-9.]*", line), line
    assert lines == sorted(lines, key=lambda line: line.partition("==")[0])


def test_constraints_pin_every_requirement() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    wanted = [*project["dependencies"], *(r for rs in project["optional-dependencies"].values() for r in rs)]
    names = {re.split(r"[\[<>=!~ ;]", requirement)[0].lower().replace("_", "-") for requirement in wanted}
    pinned = {line.partition("==")[0] for line in read("constraints.txt").splitlines()}
    assert names - {"bidtrick"} <= pinned
