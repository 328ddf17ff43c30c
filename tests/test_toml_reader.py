from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as s

from audience.errors import BadInput
from audience.scenario import load
from audience.toml_reader import read_toml, read_toml_file

_HOSTILE = {
    "deep lists": "a = " + "[" * 2_000 + "]" * 2_000,
    "deep tables": "a = " + "{b = " * 2_000 + "1" + "}" * 2_000,
    "dotted key": ".".join(["a"] * 5_000) + " = 1",
    "dotted key with blanks and quotes": ' . "a"'.join(["a"] * 5_000) + " = 1",
    "dotted header": "[" + ".".join(["a"] * 5_000) + "]",
    "digits": "seed = " + "1" * 5_000,
    "digits of base 16": "seed = 0x" + "f" * 5_000,
    "past 64 bits": "seed = 9223372036854775808",
    "in a list": "a = [{ b = -9223372036854775809 }]",
    "half a character": 'title = "\ud800"',
    "an open string": 'title = """' + "a" * 100,
    "an open list": "a = [" + "1, " * 100,
    "too long": "#" * 1_100_000,
}


@pytest.mark.parametrize("text", _HOSTILE.values(), ids=_HOSTILE.keys())
def test_what_no_file_of_ours_holds_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(BadInput, match=r"^there\.toml: .*; .") as error:
        read_toml(text, "there.toml")
    assert len(str(error.value)) < 300


def test_the_line_is_named() -> None:
    with pytest.raises(BadInput, match="line 3"):
        read_toml("a = 1\n# [[[[\nb = " + "[" * 100, "there.toml")


@pytest.mark.parametrize(
    "text",
    [
        'a = "[[[[' + "[" * 100 + '"',
        "a = '" + "[" * 100 + "'",
        "a = '''\n" + "[\n" * 100 + "'''",
        'a = """\\"""' + "{." * 100 + '"""',
        "# " + "[." * 100 + "\na = 1",
        'a = "' + "1" * 10_000 + '"',
        "a = " + "[" * 20 + "]" * 20,
        "a = [" + "1.5, " * 1_000 + "]",
        "a = " + ".".join(["1", "5"]) + "\n" + "\n".join(f"b{n}.c.d = 1.5" for n in range(500)),
    ],
)
def test_brackets_dots_and_digits_in_text_are_text(text: str) -> None:
    assert read_toml(text, "there.toml") == tomllib.loads(text)


@given(s.text(alphabet="ab\"'\\[]{}.=,#\n 1", max_size=60))
def test_every_text_is_read_as_the_standard_reads_it_or_refused(text: str) -> None:
    try:
        expected = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        with pytest.raises(BadInput):
            read_toml(text, "there.toml")
    else:
        assert read_toml(text, "there.toml") == expected


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(b'title = "\xff"')
    with pytest.raises(BadInput, match="UTF-8"):
        read_toml_file(file)
    with pytest.raises(BadInput, match="cannot be read"):
        read_toml_file(tmp_path / "nobody.toml")
    with pytest.raises(BadInput, match="not a file"):
        read_toml_file(Path("/dev/zero"))


@pytest.mark.parametrize("path", sorted(Path("tests/corpus/scenarios").glob("*.toml")), ids=str)
def test_hostile_scenarios_are_refused(path: Path) -> None:
    with pytest.raises(BadInput):
        load(path)
