"""Folders whose names mean something to SQLite, to a shell or to a command line."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import audience
from audience.errors import shell_command
from audience.llm.fake import Fake
from audience.runs import start
from audience.scenario import parse

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]
NAMES = ("a#b?mode=rw&50%41", 'it\'s "two" $HOME', "-dash", "новый")
"""What a URI, a shell, a command line and ASCII would each read otherwise."""
TEXT = 'agents = 4\nrounds = 2\nmind = "llm"\n[activation]\nmethod = "random"\nshare = 1.0\n'


@pytest.mark.parametrize("name", NAMES)
def test_a_branch_pays_for_nothing_again(cli: Cli, here: Path, serving: Serving, name: str) -> None:
    with serving() as server:
        text = f'{TEXT}[llm]\nurl = "{server.url}"\n'
        done = start(parse(text), 1, here / name)
        asked = server.requests
        run, branch = f"./{name}", f"./{name} again"
        made = cli("branch", run, "--at", "1", "--out", branch, "--no-report", "--json")
        found = json.loads(made.stdout.splitlines()[-1])
        assert (found["digest"], found["calls"]) == (done.measured.digest, 0)
        assert server.requests == asked
    for words in (
        ("doctor", run),
        ("show", run, "--calls"),
        ("replay", run),
        ("compare", run, branch),
        ("export", run, "--to", "csv"),
        ("resume", run, "--no-report"),
    ):
        assert cli(*words).returncode == 0
    rows = json.loads(cli("runs", ".", "--json").stdout)["runs"]
    assert {(Path(row["run"]).name, row["state"]) for row in rows} == {
        (name, "finished"),
        (f"{name} again", "finished"),
    }


@pytest.mark.parametrize("name", NAMES)
def test_hints_can_be_pasted_into_a_shell(cli: Cli, here: Path, name: str) -> None:
    start(parse("agents = 4\nrounds = 2\n"), 1, here / name)
    made = cli("branch", f"./{name}", "--stay", "--out", f"{name}-two")
    hint = made.stdout.partition("Continue with: ")[2].strip()
    words = shlex.split(hint)
    assert words[:2] == ["audience", "resume"]
    assert Path(words[2]) == Path(f"{name}-two")
    assert cli(*words[1:], "--no-report").returncode == 0
    busy = cli("run", "--agents", "4", "--out", f"./{name}")
    assert shlex.split(busy.stderr.split("`")[1])[:2] == ["audience", "resume"]


def test_a_command_is_quoted() -> None:
    assert shell_command("resume", Path("a b")) == "audience resume 'a b'"
    assert shell_command("resume", Path("-a"), "--rounds", 3) == "audience resume ./-a --rounds 3"
    assert shell_command("show", Path("runs/-a")) == "audience show runs/-a"


_HINT = re.compile(r"audience (run|resume|show|branch|replay|report|compare|study|play)\b[^`\"]*{")


def test_every_hint_goes_through_one_door() -> None:
    root = Path(audience.__file__).parent
    raw = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in sorted(root.glob("**/*.py"))
        for line in path.read_text("utf-8").splitlines()
        if _HINT.search(line)
    ]
    assert raw == []
