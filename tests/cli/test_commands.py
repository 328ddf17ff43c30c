from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

from audience.cli.commands import COMMANDS

Cli = Callable[..., CompletedProcess[str]]


def test_help_names_every_command_and_each_has_help_of_its_own(cli: Cli) -> None:
    told = cli("--help")
    assert told.returncode == 0
    for name in COMMANDS:
        assert f"\n  {name} " in told.stdout
        own = cli(name, "-h")
        assert own.returncode == 0
        assert own.stdout.startswith(f"Usage: audience {name}")


def test_the_version_is_the_packages(cli: Cli) -> None:
    from importlib.metadata import version

    assert version("audience") in cli("--version").stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["frobnicate"], "audience: command 'frobnicate' is unknown; known: 'ask'"),
        (["rnu"], "(did you mean 'run'?)"),
        (["eval", "memry"], "eval: command 'memry' is unknown (did you mean 'memory'?)"),
        (["run", "--agnts", "3"], "--agents"),
        (["run", "--agents", "many"], "'many' is not a valid integer"),
        (["export", "somewhere", "--to", "xml"], "'xml' is not one of"),
        (["digest"], "Missing argument 'RUN'"),
    ],
)
def test_what_click_refuses_is_bad_input(cli: Cli, words: list[str], told: str) -> None:
    refused = cli(*words)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert not refused.stdout


def test_python_m_audience_is_audience(here: Path, begin: Callable[..., Popen[str]]) -> None:
    child = begin(here, "--version")
    out, _ = child.communicate(timeout=150)
    assert child.returncode == 0
    assert out.startswith("audience, version")


def test_a_reader_that_goes_away_is_no_gate_and_no_traceback(one: Path) -> None:
    words = [sys.executable, "-m", "audience", "show", str(one), "--lines", "0"]
    reader, writer = os.pipe()
    os.close(reader)
    told = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, timeout=150, check=False)
    os.close(writer)
    assert told.returncode == 141
    assert told.stderr == b""


def test_what_the_system_refuses_is_told_without_a_traceback(cli: Cli, here: Path) -> None:
    (here / "taken").write_text("a file")
    refused = cli("init", "taken/inside")
    assert refused.returncode == 2
    assert "taken/inside cannot be used: Not a directory" in refused.stderr
    assert (here / "taken").read_text() == "a file"
