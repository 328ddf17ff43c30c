"""Nothing that others wrote steers the terminal, looked at in a real one."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from audience.llm.fake import Fake

HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31;5mred\x1b]52;c;b3duZWQ=\x1b\\\x9b1A\x9d0;t\x9c\x1bc\r\x08"
    "\x1bP+q544e\x1b\\\u202eevil\u2066\x85\x00\x1b"
)
OURS = re.compile(rb"\x1b\[[0-9;]*m|\x1b\[\?25[hl]|\x1b\[[0-9]*[AK]|\x1b\[2K")
"""Colours, and what moves a progress bar."""


NEXT = b"\x1e"
"""Written between two commands."""
EACH = """
import json, sys
from audience.cli import main
for words in json.loads(sys.argv[1]):
    try:
        main(words)
    except SystemExit:
        print("\x1e", end="", flush=True)
"""


def seen(*words: object, folder: Path, typed: bytes = b"") -> bytes:
    """Return every byte that a command sends to its terminal."""
    return shown("-m", "audience", *map(str, words), folder=folder, typed=typed)


def seen_each(commands: Sequence[Sequence[str]], folder: Path) -> list[bytes]:
    """Return what each of some commands sends to the terminal of one process."""
    *screens, rest = shown("-c", EACH, json.dumps(commands), folder=folder).split(NEXT)
    assert (len(screens), rest) == (len(commands), b"")
    return screens


def shown(*words: str, folder: Path, typed: bytes = b"") -> bytes:
    """Return every byte that Python sends to its terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, *words]
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "200", "FORCE_COLOR": ""}
    child = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=env
    )
    os.close(theirs)
    if typed:
        os.write(ours, typed)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the last one who had it open is gone
            break
        if not part:
            break
        parts.append(part)
    child.wait(120)
    os.close(ours)
    return b"".join(parts)


def check(screen: bytes) -> None:
    left = OURS.sub(b"", screen).replace(b"\r\n", b"\n")
    left = re.sub(rb"\r(?=\n|rounds|\x1b|$)", b"", left)
    text = left.decode()
    bad = [mark for mark in text if mark != "\n" and mark != "\t" and _steers(mark)]
    assert not bad, (bad, text[-3000:])
    assert b"\x1b[31;5m" not in screen, "colours of others"


def _steers(mark: str) -> bool:
    code = ord(mark)
    return code < 32 or 127 <= code < 160 or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    title = HOSTILE.replace("\x00", "").encode("unicode_escape").decode()
    escaped = re.sub(r"\\x(..)", r"\\u00\1", title)
    (tmp_path / "own.toml").write_text(
        f'title = "{escaped}"\nagents = 12\nrounds = 2\n'
        f'[[interventions]]\nround = 1\ndo = "announce"\ntext = "{escaped}"\n'
        f'[[interventions]]\nround = 1\ndo = "add_item"\ntitle = "{escaped}"\ntags = ["Drama"]\n'
        f'[[interventions]]\nround = 1\ndo = "change_profile"\nagent = 1\nname = "{escaped}"\n'
    )
    return tmp_path


def test_titles_and_folders_steer_nothing(folder: Path) -> None:
    name = f"runs/a{HOSTILE}".replace("\x00", "").replace("\r", "")
    commands = (
        ("run", "own.toml", "--out", name, "--no-report"),
        ("runs", "runs"),
        ("show", name),
        ("show", name, "--agent", "1"),
        ("doctor", name),
        ("doctor", f"nothing{HOSTILE}".replace("\x00", "")),
        ("run", f"nothing{HOSTILE}".replace("\x00", "")),
        (f"comm{HOSTILE}".replace("\x00", ""),),
        ("run", "--mind", f"m{HOSTILE}".replace("\x00", "")),
        ("branch", name, "--at", "1", "--out", f"{name}-b", "--no-report"),
        ("compare", name, f"{name}-b"),
        ("replay", name),
        ("digest", name),
    )
    for words, screen in zip(commands, seen_each(commands, folder), strict=True):
        assert screen, words
        check(screen)


def test_a_server_steers_nothing(
    folder: Path, serving: Callable[..., AbstractContextManager[Fake]]
) -> None:
    from tests.hostile_names import Renamed

    with serving() as fake, Renamed(fake, f"model {HOSTILE}") as server:
        toml = f"{(folder / 'own.toml').read_text()}[llm]\nurl = '{server.url}'\n"
        (folder / "own.toml").write_text(f"mind = 'llm'\n{toml}")
        for words in (
            ("run", "own.toml", "--out", "one", "--no-report"),
            ("ask", "one", "Why?"),
            ("show", "one"),
            ("doctor", "--llm", server.url),
        ):
            screen = seen(*words, folder=folder)
            assert screen, words
            check(screen)


def test_a_game_steers_nothing(folder: Path) -> None:
    seen("run", "own.toml", "--out", "one", "--no-report", folder=folder)
    check(seen("play", "one", "1", "--rounds", "1", folder=folder, typed=b"h\nl\n\x04"))
