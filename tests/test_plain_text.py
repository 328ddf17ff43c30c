"""Texts of others without what steers a terminal or is not seen."""

from __future__ import annotations

import io
import sys

import click
import pytest
from rich.table import Table

from audience.plain_text import PlainStream, plain_output, without_controls, without_unseen
from audience.terminal import Console


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07a\x1b]8;;http://h\x1b\\b", "ab"),
        ("\x9b2Ja\x9d0;t\x9cb\x90q\x9cc", "abc"),
        ("\x1bcback", "back"),
        ("one\rtwo\x08\x7f\x00", "onetwo"),
        ("a\u202eb\u2066c\u2028d", "abcd"),
        ("\x1b", ""),
        ("\x1b\x1b[[31m", "31m"),
        ("العربية 👩\u200d🚀 naïve", "العربية 👩\u200d🚀 naïve"),
    ],
)
def test_nothing_is_left_that_steers(text: str, plain: str) -> None:
    assert without_controls(text) == plain


def test_many_beginnings_take_no_time() -> None:
    assert without_controls("\x1b[0;" * 100_000).startswith("0;")
    assert without_controls("\x1b]" * 100_000) == ""


def test_unseen_characters_go_and_words_stay() -> None:
    assert without_unseen("k\u200be\u00ady\U000e0041 é\n") == "key é\n"


def test_whoever_prints_prints_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    with plain_output():
        sys.stdout.write("a\x1b[2Jb\n")
        click.echo("c\x1b]0;t\x07d")
        sys.stderr.writelines(["e\x9b1Af\n"])
        Console(stderr=True).print("g\x07h")
        assert not hasattr(sys.stdout, "buffer"), "bytes would pass by"
    out, err = capsys.readouterr()
    assert (out, err) == ("ab\ncd\n", "ef\ngh\n")


def test_a_console_keeps_its_own_colours() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system="standard", width=40)
    table = Table("a\x1b[5m", title="t\x1b]0;x\x07")
    table.add_row("cell\x1b[2J")
    console.print(table, style="red")
    assert "\x1b[31m" in stream.getvalue()
    assert not any(bad in stream.getvalue() for bad in ("\x1b[5m", "\x1b]", "\x1b[2J", "\x07"))


def test_a_terminal_of_few_characters_gets_what_it_knows() -> None:
    raw = io.BytesIO()
    stream = PlainStream(io.TextIOWrapper(raw, "ascii", write_through=True))
    stream.write("naïve\n")
    assert raw.getvalue() == b"na?ve\n"
