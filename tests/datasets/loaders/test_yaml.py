from __future__ import annotations

from pathlib import Path

import pytest

from audience.datasets.loaders import read_yaml
from audience.errors import BadInput


def read(folder: Path, text: str) -> dict[str, object]:
    (folder / "c.yaml").write_text(text, "utf-8")
    return dict(read_yaml(folder / "c.yaml"))


def test_flat_settings(tmp_path: Path) -> None:
    text = (
        "---\n# a comment\nname: data/item.csv  # where\nempty:\nround: 30\nshare: 0.5\n"
        "on: True\nnone: None\nquoted: 'a # b'  # c\nkeys:\n  - x1\n  - 2\ninline: [a, 3]\n"
        "time: 5h\nurl: http://x:80/#top\n"
    )
    assert read(tmp_path, text) == {
        "name": "data/item.csv",
        "empty": None,
        "round": 30,
        "share": 0.5,
        "on": True,
        "none": None,
        "quoted": "a # b",
        "keys": ["x1", 2],
        "inline": ["a", 3],
        "time": "5h",
        "url": "http://x:80/#top",
    }


def test_what_yaml_means_is_what_is_read(tmp_path: Path) -> None:
    text = "empty: ''\nbroken: \"a\\nb\"\nhex: 0x10\nsingle: 'it''s'\n"
    assert read(tmp_path, text) == {"empty": "", "broken": "a\nb", "hex": 16, "single": "it's"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a:\n  b: 1\n", r"c.yaml: line 1: 'a' is not flat"),
        ("a: {b: 1}\n", r"line 1: 'a' is not flat"),
        ("a: 1\na: 2\n", r"line 2: 'a' stands there twice"),
        ("- a\n", r"line 1: there is no `key: value`"),
        ("a: 1\n- b\n", r"line 2: .*; fix the YAML there"),
        ("just words\n", r"line 1: there is no `key: value`"),
        ("a: 'open\n", r"line \d: .*; fix the YAML there"),
        ("b: 1\na: !!python/object:os.system x\n", r"line 2: .*; fix the YAML there"),
    ],
)
def test_what_is_not_flat_is_refused_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        read(tmp_path, text)


def test_what_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no.yaml does not exist"):
        read_yaml(tmp_path / "no.yaml")
    (tmp_path / "c.yaml").write_bytes(b"a: \xff\n")
    with pytest.raises(BadInput, match=r"is not UTF-8 text \(byte 3\)"):
        read_yaml(tmp_path / "c.yaml")
