"""`audience play`, typed into a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

import audience
from audience.llm import CallStore
from audience.log import Log
from audience.world import events as e

Cli = Callable[..., CompletedProcess[str]]
WORDS = [sys.executable, "-m", "audience"]
ENV = {**os.environ, "PYTHONPATH": str(Path(audience.__file__).parents[1])}


def typed(folder: Path, *words: object, lines: str, command: str = "play") -> CompletedProcess[str]:
    full = [*WORDS, command, *(str(word) for word in words)]
    return subprocess.run(
        full, cwd=folder, env=ENV, input=lines, capture_output=True, text=True, check=False,
        timeout=150,
    )  # fmt: skip


def events(folder: Path, round_: int, agent: int) -> list[e.AnyEvent]:
    with Log.open(folder) as log:
        records = list(log.records(begin_round=round_, end_round=round_ + 1))
    return [one.event for one in records if getattr(one.event, "agent", None) == agent]


def test_a_person_is_played_from_standard_input(cli: Cli, here: Path, one: Path) -> None:
    told = typed(here, one, 0, lines="hm\nr\n1\n\n5\nLovely.\nl\n9\n")
    assert told.returncode == 0, told.stderr
    assert "Recommended for you, page 1:" in told.stdout
    assert "Round 5 is over. Your story: audience show one --agent 0" in told.stdout
    felt = [event for event in events(one, 5, 0) if isinstance(event, e.Felt)]
    assert [(event.text, event.voice) for event in felt] == [("Lovely.", "human")]
    assert "Lovely." in cli("show", one, "--agent", 0).stdout
    again = cli("replay", one, "--check")
    assert again.returncode == 0, again.stdout
    assert "Reproduced: the same bytes." in again.stdout


def test_somebody_new_plays_two_rounds(here: Path, one: Path) -> None:
    joining = ("--new", "Zoe", "--interest", "Drama", "--friend", 3, "--friend", 4, "--rounds", 2)
    told = typed(here, one, *joining, lines="n\nn\n")
    assert told.returncode == 0, told.stderr
    assert "You are Zoe." in told.stdout
    assert "Round 6 is over. Your story: audience show one --agent 60" in told.stdout
    with Log.open(one) as log:
        assert log.complete_rounds() == 6


def test_the_end_of_input_is_a_failed_visit(here: Path, one: Path) -> None:
    told = typed(here, one, 3, lines="")
    assert told.returncode == 0, told.stderr
    assert e.Failed(3, "nobody answered") in events(one, 5, 3)


def test_what_was_typed_before_a_kill_is_kept(here: Path, one: Path) -> None:
    child = Popen(
        [*WORDS, "play", str(one), "3"], cwd=here, env=ENV, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdin is not None
    child.stdin.write("r\n1\n50\n")
    child.stdin.flush()
    deadline = time.monotonic() + 150
    while _kept(one / "human.db") < 3:
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    child.kill()
    child.communicate(timeout=150)
    assert child.returncode == -signal.SIGKILL
    told = typed(here, one, 3, lines="2\nHalf of it.\nl\n\n")
    assert told.returncode == 0, told.stderr
    assert "How much of" not in told.stdout
    mine = events(one, 5, 3)
    assert [event.fraction for event in mine if isinstance(event, e.Watched)] == [0.5]
    assert [event.text for event in mine if isinstance(event, e.Felt)] == ["Half of it."]


def test_a_whole_run_of_people_is_played_and_can_be_replayed(cli: Cli, here: Path) -> None:
    every = '[activation]\nmethod = "random"\nshare = 1.0\nloyalty = 0.0\n'
    (here / "we.toml").write_text(f'agents = 2\nrounds = 2\nmind = "human"\n{every}')
    words = ("we.toml", "--out", "run", "--no-report")
    lines = "r\n1\n\n5\nLovely.\nl\n9\n" + "n\n" * 3
    told = typed(here, *words, lines=lines, command="run")
    assert told.returncode == 0, told.stderr
    with Log.open(here / "run") as log:
        found = [record.event for record in log.records()]
    assert len([event for event in found if isinstance(event, e.Left)]) == 4
    assert not [event for event in found if isinstance(event, e.Failed)]
    assert [event.voice for event in found if isinstance(event, e.Felt)] == ["human"]
    again = cli("replay", "run", "--check")
    assert again.returncode == 0, again.stdout
    assert "the same bytes" in again.stdout


def _kept(path: Path) -> int:
    if not path.exists():
        return 0
    try:
        store = CallStore(path, read_only=True)
    except audience.errors.AudienceError:
        return 0
    try:
        return len(store)
    finally:
        store.close()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name the person to play by id, or join with --new NAME"),
        ((1, "--new", "Zoe"), "name the person to play by id, or join with --new NAME"),
        ((1, "--friend", "2"), "--friend names friends of somebody new; give --new NAME too"),
        (("--new", "Zoe", "--friend", "999"), "person 999"),
        ((99,), "person 99 does not exist; give an id from 0 to 59"),
        (("²",), "person '²' is unknown"),
        ((1, "--rounds", 0), "--rounds 0 is too small; play at least 1"),
    ],
)
def test_a_mistake_is_named(cli: Cli, one: Path, words: tuple[object, ...], message: str) -> None:
    told = cli("play", one, *words)
    assert told.returncode == 2
    assert message in told.stderr
