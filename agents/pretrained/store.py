"""Which trained agents come with the package, and which of them plays given rules. Reads descriptions only."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...envs.core.errors import BidtrickError, UnknownNameError
from ...envs.core.spec import GameSpec

#: Names under which agents are shipped, and what they are. A new one is a line here.
NAMES = {
    "pretrained": "the trained network for whole games that comes with the package",
    "pretrained-bidder": "the network trained for the auction that comes with the package; its autopilot plays cards",
}
#: Where they are.
HOME = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Shipped:
    """One network that comes with the package.

    Attributes:
        name: the agent's name, e.g. "pretrained".
        folder: where it is: <home>/<game>/<name>, or <name>.<more> where several share a name.
        meta: its description (`training.export` writes it).
    """

    game: str
    name: str
    folder: Path
    meta: dict[str, Any]

    @property
    def presets(self) -> dict[str, str]:
        """Presets that it plays: name → digest of the rules."""
        return self.meta["presets"]

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(path.stat().st_size for path in self.folder.iterdir() if path.is_file())

    @property
    def trained_on(self) -> str:
        """The preset whose rules it was trained on."""
        own = self.meta["rules_digest"]
        return next((name for name, digest in self.presets.items() if digest == own), "its own rules")

    @property
    def headline(self) -> dict[str, Any] | None:
        """Its result against its first opponent with the rules it was trained on: preset, mean, half_width, deals."""
        return next((one for one in self.meta["results"] if one["preset"] == self.trained_on), None)


def shipped(game: str | None = None, home: Path | None = None) -> list[Shipped]:
    """All networks that come with the package (for one game), by game and name.

    Args:
        home: another folder of the same form.

    Raises: BidtrickError for a folder whose description cannot be read.
    """
    found: list[Shipped] = []
    for file in sorted((home or HOME).glob("*/*/meta.json")):
        folder = file.parent
        if folder.name.startswith(".") or (game is not None and folder.parent.name != game):
            continue
        try:
            meta = json.loads(file.read_text(encoding="utf-8"))
            one = Shipped(folder.parent.name, folder.name.partition(".")[0], folder, meta)
            complete = {"game", "presets", "results", "rules_digest"} <= set(meta) and meta["game"] == one.game
        except (OSError, ValueError, TypeError) as error:
            raise BidtrickError(f"{file} cannot be read: {error}") from None
        if not complete:
            raise BidtrickError(f"{file} does not describe an exported agent of {one.game}")
        found.append(one)
    return found


def find(name: str, spec: GameSpec, home: Path | None = None) -> Shipped:
    """The network that plays under a name with the rules of a game.

    Raises: UnknownNameError naming what is shipped for the game, or the presets that are supported.
    """
    here = shipped(spec.id, home)
    named = [one for one in here if one.name == name]
    if not named:
        others = ", ".join(dict.fromkeys(one.name for one in here)) or "none"
        raise UnknownNameError(f"no {name} agent is shipped for {spec.id}; shipped for it: {others}")
    digest = spec.rules.digest()
    for one in named:
        if digest in one.presets.values():
            return one
    presets = ", ".join(preset for one in named for preset in one.presets)
    raise UnknownNameError(
        f"the {name} agent of {spec.id} does not play the rules {spec.rules.name}; it plays the presets {presets}"
    )
