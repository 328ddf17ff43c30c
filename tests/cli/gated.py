"""The popular items behind a gate: a run that ranks with it waits where a test wants to meet it."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import Popen

from audience.recommenders import Context, Popular, Ranked, Ranker, RecommenderView
from audience.world import CLOSING, Generator, Ints

KIND = f"{__file__}:Gated"
"""How a scenario names this recommender."""
VARIABLE = "GATE_OF_A_TEST"
"""The environment variable that names the folder of the gate; without it nobody waits."""
LONGEST = 150.0


class Gate:
    """A folder in which a run says that it waits, and a test that it may go on."""

    def __init__(self, folder: Path) -> None:
        self.place, self.reached = folder / "place", folder / "reached"
        self.opened = folder / "open"

    def put(self, log: Path, rounds: int, chapters: int = 0) -> None:
        """Let a run wait once its log holds so many complete rounds and so many chapters."""
        self.place.parent.mkdir()
        self.place.write_text(f"{rounds} {chapters} {log}")

    def wait(self) -> None:
        """Wait, in the run, at the place until the test opens."""
        if not self.opened.exists() and _is_at(*self.place.read_text().split(" ", 2)):
            self.reached.touch()
            _until(self.opened.exists)

    def meet(self, child: Popen[str]) -> None:
        """Return, in the test, once the run waits."""
        _until(lambda: self.reached.exists() or child.poll() is not None)
        assert child.poll() is None, child.communicate()

    def open(self) -> None:
        """Let the run go on, and never wait again."""
        self.opened.touch()


class Gated:
    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        return GatedRanker(Popular().fit(interactions, rng))


class GatedRanker:
    def __init__(self, inner: Ranker) -> None:
        self.inner = inner

    def rank(self, users: Ints, k: int, context: Context) -> Ints | Ranked:
        if folder := os.environ.get(VARIABLE):
            Gate(Path(folder)).wait()
        return self.inner.rank(users, k, context)


def _is_at(rounds: str, chapters: str, log: str) -> bool:
    if not Path(log).exists():
        return False
    with closing(sqlite3.connect(f"file:{log}?mode=ro", uri=True)) as found:
        counts = "SELECT coalesce(sum(phase = ?), 0), count(*) FROM chapters"
        there: tuple[int, int] = found.execute(counts, (CLOSING,)).fetchone()
    return there >= (int(rounds), int(chapters))


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
