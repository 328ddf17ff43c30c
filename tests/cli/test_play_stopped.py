"""Ctrl-C while a person is asked at a terminal: nothing waits for another line."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from audience.llm import CallStore
from audience.log import Log

PATIENCE = 60.0
RUN = "run --mind human --agents 3 --rounds 1 --seeds 1 --recommender popular --no-report --out one"
FIRST = "run --agents 8 --rounds 1 --seeds 1 --recommender popular --no-report --out one"


class Screen:
    """A command at a terminal, and all that it has shown."""

    def __init__(self, words: str, folder: Path) -> None:
        self._ours, theirs = pty.openpty()
        self.child = subprocess.Popen(
            [sys.executable, "-m", "audience", *words.split()],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"},
        )
        os.close(theirs)
        self.text = ""

    def until(self, mark: str) -> None:
        """Read until a mark is shown, or until the command has ended if the mark is empty."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if mark and mark in self.text:
                return
            if not select.select([self._ours], [], [], 0.1)[0]:
                continue
            try:
                self.text += os.read(self._ours, 65536).decode(errors="replace")
            except OSError:  # the command has ended
                assert not mark, self.text
                return
        raise AssertionError(self.text)

    def type(self, line: str) -> None:
        os.write(self._ours, line.encode())

    def close(self) -> int:
        self.until("")
        os.close(self._ours)
        return self.child.wait(PATIENCE)


def check_ended(screen: Screen) -> None:
    assert screen.close() == 130
    for word in ("Traceback", "ignored", "Fatal"):
        assert word not in screen.text


@pytest.fixture
def one(tmp_path: Path) -> Path:
    screen = Screen(FIRST, tmp_path)
    assert screen.close() == 0
    return tmp_path


def test_one_press_ends_a_game_and_keeps_what_was_typed(one: Path) -> None:
    screen = Screen("play one 1", one)
    screen.until("nothing >")
    screen.type("r\n")
    screen.until("[1-9] pick")
    screen.child.send_signal(signal.SIGINT)
    check_ended(screen)
    with Log.open(one / "one") as log:
        assert log.state == "stopped"
        assert log.verify() == []
    typed = CallStore(one / "one" / "human.db", read_only=True)
    replies = [call.reply for call in typed.calls() if call.reply.outcome == "reply"]
    typed.close()
    assert [reply.texts for reply in replies] == [("r",)]
    again = Screen("play one 1", one)
    again.until("[1-9] pick")
    assert "nothing >" not in again.text
    again.type("\x04")
    assert again.close() == 0


def test_two_presses_end_a_run_of_people_at_once(tmp_path: Path) -> None:
    screen = Screen(RUN, tmp_path)
    screen.until("nothing >")
    screen.child.send_signal(signal.SIGINT)
    screen.until("press again")
    screen.child.send_signal(signal.SIGINT)
    check_ended(screen)
    with Log.open(tmp_path / "one") as log:
        assert log.state == "stopped"


def test_the_end_of_input_ends_a_game(one: Path) -> None:
    screen = Screen("play one 1", one)
    screen.until("nothing >")
    screen.type("\x04")
    assert screen.close() == 0
    assert "Round 2 is over" in screen.text
