"""Full disks, two writers, files of a newer version and clocks that jump."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from random import Random

import pytest
from tests.chaos.test_kills import ENVIRONMENT, RULES, SPEAKING, begin, check, end

from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import start
from audience.runs.calibration import with_fitted_people
from audience.scenario import parse

Serving = Callable[..., AbstractContextManager[Fake]]


@pytest.fixture(scope="module")
def model(serving: Serving) -> Iterator[Fake]:
    with serving() as fake:
        yield fake


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, model: Fake) -> dict[str, tuple[str, str, int]]:
    """The texts of scenarios, the digests of undisturbed runs, and the size of their files."""
    root = tmp_path_factory.mktemp("whole")
    texts = {
        "rules": RULES.replace("agents = 200", "agents = 60"),
        "speaking": SPEAKING.format(url=model.url),
    }
    found = {}
    for name, text in texts.items():
        digest = start(with_fitted_people(parse(text)).scenario, 1, root / name).measured.digest
        size = max(place.stat().st_size for place in (root / name).glob("*.db"))
        found[name] = (text, digest, size)
    return found


def fill(here: Path, whole: dict[str, tuple[str, str, int]], name: str, number: int) -> None:
    """Run where no file may grow beyond a seeded size, then resume where there is room."""
    text, digest, size = whole[name]
    room = int(size * Random(f"disk {name} {number}").uniform(0.0, 1.2))
    (here / "own.toml").write_text(text)
    words = ["run", "own.toml", "--no-report", "--out", "one"]
    failed = subprocess.run(
        [sys.executable, "-m", "audience", *words],
        cwd=here,
        env=ENVIRONMENT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert failed.returncode in (0, 2), failed.stderr
    assert "Traceback" not in failed.stderr
    if failed.returncode == 2:
        assert "room" in failed.stderr or "space" in failed.stderr or "disk" in failed.stderr
    if (here / "one" / "run.db").is_file():
        with Log.open(here / "one") as log:
            assert log.verify() == []
        code, _, err = end(begin(here, "resume", "one", "--no-report"))
    else:
        code, _, err = end(begin(here, *words))
    assert code == 0, err
    check(here / "one", digest)


def test_a_disk_is_full(tmp_path: Path, whole: dict[str, tuple[str, str, int]]) -> None:
    fill(tmp_path, whole, "speaking", 0)


@pytest.mark.chaos
@pytest.mark.parametrize("number", range(1, 13))
@pytest.mark.parametrize("name", ["rules", "speaking"])
def test_a_disk_is_full_at_any_write(
    tmp_path: Path, whole: dict[str, tuple[str, str, int]], name: str, number: int
) -> None:
    fill(tmp_path, whole, name, number)


def test_of_two_writers_one_is_refused(
    tmp_path: Path, whole: dict[str, tuple[str, str, int]]
) -> None:
    text, digest, _ = whole["speaking"]
    start(parse(text.replace("rounds = 3", "rounds = 1")), 1, tmp_path / "one")
    two = [begin(tmp_path, "resume", "one", "--rounds", "3", "--no-report") for _ in range(2)]
    ends = [end(child) for child in two]
    codes = sorted(code for code, _, _ in ends)
    assert codes in ([0, 0], [0, 2])  # the second may come after the first
    for code, _, err in ends:
        assert code == 0 or "is being written by" in err
    check(tmp_path / "one", digest)


def test_a_newer_file_is_left_as_it_is(tmp_path: Path) -> None:
    start(parse("agents = 20\nrounds = 2\n"), 1, tmp_path / "runs" / "one")
    shutil.copytree(tmp_path / "runs" / "one", tmp_path / "runs" / "two")
    file = tmp_path / "runs" / "one" / "run.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = file.read_bytes()
    for words in (
        ("resume", "runs/one", "--rounds", "3"),
        ("doctor", "runs/one"),
    ):
        code, out, err = end(begin(tmp_path, *words))
        assert code == 2
        assert "written by a newer Audience" in out + err
    assert file.read_bytes() == before
    code, out, _ = end(begin(tmp_path, "runs", "--json"))
    assert (code, "finished" in out, "newer Audience" in out) == (0, True, True)


_JUMPS = """
import time as _time
from random import Random as _Random

_dice, _true = _Random({seed}), _time.time
_time.time = lambda: _true() + _dice.uniform(-1e9, 1e9)
_time.time_ns = lambda: int(_time.time() * 1e9)
"""


@pytest.mark.parametrize("name", ["speaking", pytest.param("rules", marks=pytest.mark.chaos)])
def test_a_clock_jumps_by_decades(
    tmp_path: Path, whole: dict[str, tuple[str, str, int]], name: str
) -> None:
    text, digest, _ = whole[name]
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(_JUMPS.format(seed=7))
    (tmp_path / "own.toml").write_text(text)
    path = f"{tmp_path / 'site'}{os.pathsep}{ENVIRONMENT['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "audience", "run", "own.toml", "--no-report", "--out", "one"],
        cwd=tmp_path,
        env={**ENVIRONMENT, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    check(tmp_path / "one", digest)
    for moment in (0, 4_000_000_000):
        os.utime(tmp_path / "one" / "run.db", (moment, moment))
        code, out, _ = end(begin(tmp_path, "digest", "one"))
        assert (code, out.strip()) == (0, digest)
