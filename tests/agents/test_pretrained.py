"""The agents that come with the package: there, small, legal, and refused where they are not meant to play."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from bidtrick.agents.neural.agent import load_agent
from bidtrick.agents.neural.checkpoint import CheckpointError
from bidtrick.agents.pretrained import NAMES, find, shipped
from bidtrick.agents.pretrained.store import HOME
from bidtrick.agents.registry import make_agent
from bidtrick.cli import app
from bidtrick.envs import games, make_batch
from bidtrick.envs.core.errors import BidtrickError, UnknownNameError
from bidtrick.envs.registry import game_class
from bidtrick.training.tournament import duplicate_margin

ALL = shipped()
IDS = [f"{one.game}-{one.folder.name}" for one in ALL]
PLAYED = [(one, preset) for one in ALL for preset in one.presets]


def test_every_game_has_a_pretrained_agent_and_all_are_small():
    assert {one.game for one in ALL if one.name == "pretrained"} == set(games())
    assert {one.name for one in ALL} <= set(NAMES)
    assert sum(one.size for one in ALL) < 5e6


@pytest.mark.parametrize(("one", "preset"), PLAYED, ids=[f"{one.game}-{one.name}-{preset}" for one, preset in PLAYED])
def test_it_plays_legally_with_every_preset_that_it_names(one, preset):
    batch = make_batch(one.game, num_games=24, seed=4, rules=preset, context="sampled")
    agent, rng = make_agent(one.name, batch.spec), np.random.default_rng(1)
    assert find(one.name, batch.spec).folder == one.folder
    while not batch.done.all():
        running = np.flatnonzero(~batch.done)
        actions = np.full(24, -1)
        actions[running] = agent.act(batch.observe()[running], batch.legal_actions()[running], rng)
        batch.step(actions)  # refuses illegal ones
    assert make_agent(one.name, make_batch(one.game, rules=preset).spec) is agent  # loaded once


@pytest.mark.parametrize("one", [one for one in ALL if one.name == "pretrained"], ids=lambda one: one.game)
def test_it_is_far_better_than_chance(one):
    spec = make_batch(one.game, rules=one.trained_on).spec
    margin = duplicate_margin(make_agent(one.name, spec), make_agent("random", spec), deals=60, seed=11)
    assert margin.low > 0


@pytest.mark.parametrize("one", ALL, ids=IDS)
def test_the_card_and_the_description_agree(one):
    card, best = (one.folder / "CARD.md").read_text(), one.headline
    assert best is not None
    assert f"**{best['mean']:+.2f} ± {best['half_width']:.2f} points a hand against `{best['opponent']}`**" in card
    assert best["deals"] >= 1000
    assert all(f"| `{preset}` |" in card for preset in one.presets)
    for heading in ("## Use", "## Results", "## Training", "## Known weaknesses", "## Licence"):
        assert heading in card
    assert "not recorded" not in card
    assert "/tmp" not in card + json.dumps(one.meta)
    assert "/home" not in card + json.dumps(one.meta)


@pytest.mark.parametrize("one", ALL, ids=IDS)
def test_other_rules_are_refused_with_those_that_it_plays(one):
    others = [preset for preset in game_class(one.game).rules_class.presets if preset not in one.presets]
    for preset in others:
        spec = make_batch(one.game, rules=preset).spec
        with pytest.raises(UnknownNameError) as error:
            find(one.name, spec)
        # equal presets have the name of the first of them
        assert f"does not play the rules {spec.rules.name}; it plays the presets" in str(error.value)
        assert all(name in str(error.value) for name in one.presets)


def test_what_is_not_shipped_is_refused(tmp_path):
    spec = make_batch("schieber").spec
    with pytest.raises(UnknownNameError, match="no pretrained agent is shipped for schieber; shipped for it: none"):
        find("pretrained", spec, tmp_path)
    with pytest.raises(UnknownNameError, match="no agent is called 'pretrained:x'"):
        make_agent("pretrained:x", spec)


def test_damage_is_noticed(tmp_path):
    source = ALL[0]
    folder = tmp_path / source.game / "pretrained"
    shutil.copytree(source.folder, folder)
    spec = make_batch(source.game).spec
    load_agent(folder, spec, make_agent)
    weights = bytearray((folder / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "model.safetensors").write_bytes(weights)
    with pytest.raises(CheckpointError, match="damaged"):
        load_agent(find("pretrained", spec, tmp_path).folder, spec, make_agent)
    (folder / "meta.json").write_text("{}")
    with pytest.raises(BidtrickError, match="does not describe an exported agent"):
        shipped(home=tmp_path)
    (folder / "meta.json").write_text("{")
    with pytest.raises(BidtrickError, match="cannot be read"):
        shipped(home=tmp_path)


def test_listing_needs_no_torch():
    code = (
        "import sys\nfrom bidtrick.agents.registry import agent_names\nfrom bidtrick.agents.pretrained import shipped\n"
        "assert shipped() and 'pretrained' in agent_names()\nprint('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_command_lists_them_and_shows_their_cards():
    listed = CliRunner().invoke(app, ["agents"], env={"COLUMNS": "200"})
    assert listed.exit_code == 0, listed.output
    for one in ALL:
        assert f"{one.headline['mean']:+.2f} ± {one.headline['half_width']:.2f}" in listed.output
        assert one.game in listed.output
    shown = CliRunner().invoke(app, ["agents", "--card", ALL[0].game])
    assert (HOME / ALL[0].game / "pretrained" / "CARD.md").read_text().strip() in shown.output
    refused = CliRunner().invoke(app, ["agents", "--card", "bridge"])
    assert "no shipped agent is called 'bridge'; shipped: pitch/pretrained" in str(refused.exception)
