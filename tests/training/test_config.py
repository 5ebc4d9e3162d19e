"""Configurations: YAML and overrides, and what they refuse."""

from dataclasses import dataclass, field

import pytest
import yaml

from bidtrick.training.config import ConfigError, explain, load, setting, to_plain


@dataclass(frozen=True)
class Inner:
    width: int = setting(3, "a width", low=1)


@dataclass(frozen=True)
class Outer:
    rate: float = setting(0.1, "a rate", low=0)
    kind: str = setting("a", "a kind", choices=("a", "b"))
    names: tuple[str, ...] = setting(("x",), "names")
    rules: str | dict = setting("source", "rules")
    limit: float | None = setting(None, "a limit")
    inner: Inner = field(default_factory=Inner)


def test_file_then_overrides(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("rate: 3e-4\nnames: [p, q]\ninner: {width: 7}\n")
    config = load(Outer, file, ["kind=b", "inner.width=9", "rules={preset: swiss, target: 5}", "limit=2"])
    assert config == Outer(3e-4, "b", ("p", "q"), {"preset": "swiss", "target": 5}, 2.0, Inner(9))
    assert load(Outer, file).inner.width == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rat: 1", "no key is called 'rat'; keys: rate, kind"),
        ("inner: {depth: 2}", "inner: no key is called 'depth'"),
        ("rate: fast", "rate must be float"),
        ("rate: -1", "at least 0"),
        ("kind: c", "allowed: 'a' | 'b'"),
        ("names: p", "names must be a list"),
        ("inner: 3", "inner must be a mapping"),
        ("inner: {width: 2.5}", "width must be int"),
        ("inner: {width: true}", "width must be int"),
        ("- 1", "must be a mapping"),
        ("a: [", "is not YAML"),
    ],
)
def test_refusals_name_file_key_and_values(tmp_path, text, message):
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(Outer, file)
    assert message.replace(" | ", " | ") in str(caught.value)
    assert "c.yaml" in str(caught.value)


def test_missing_file_and_bad_override(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load(Outer, tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="key=value"):
        load(Outer, None, ["rate"])
    with pytest.raises(ConfigError, match="rate"):
        load(Outer, None, ["rate.x=1", "rate=2", "rate.y=1"])


def test_round_trip_and_explanation(tmp_path):
    config = load(Outer, None, ["names=[a, b]"])
    file = tmp_path / "c.yaml"
    file.write_text(yaml.safe_dump(to_plain(config)))
    assert load(Outer, file) == config
    rows = {row[0]: row for row in explain(Outer)}
    assert rows["inner.width"][2:] == ("3", "a width")
