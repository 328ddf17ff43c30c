"""Kills of drivers, workers and page servers at seeded moments: nothing invented, nothing lost."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path
from random import Random
from subprocess import Popen

import pytest

import audience
from audience.llm import CallStore, verify_calls
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import start
from audience.runs.calibration import with_fitted_people
from audience.scenario import parse

Serving = Callable[..., AbstractContextManager[Fake]]
RULES = """
agents = 200
rounds = 8
recommender = "item-knn"
memory = "recagent"
[run]
wave = 40
"""
CLOCKS = """
agents = 200
rounds = 8
recommender = "item-knn"
memory = "recagent"
[time]
visits = 14
"""
SPEAKING = """
agents = 12
rounds = 3
mind = "llm"
memory = "recagent"
[activation]
method = "random"
share = 0.8
[llm]
url = "{url}"
"""
STUDY = ("study", "cocoon", "--quick", "--agents", "60", "--rounds", "3", "--seeds", "2")
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(audience.__file__).parents[1]),
    "OPENBLAS_NUM_THREADS": "1",
}
LONGEST = 150.0


def begin(folder: Path, *words: object) -> Popen[str]:
    return Popen(
        [sys.executable, "-m", "audience", *map(str, words)],
        cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def end(child: Popen[str]) -> tuple[int, str, str]:
    out, err = child.communicate(timeout=LONGEST)
    assert "Traceback" not in err, err
    return child.returncode, out, err


@pytest.fixture(scope="module")
def model(serving: Serving) -> Iterator[Fake]:
    with serving(latency=(0.0, 0.02)) as fake:
        yield fake


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, model: Fake) -> dict[str, tuple[str, str]]:
    """The texts of scenarios, and the digests of runs that nobody kills."""
    root = tmp_path_factory.mktemp("whole")
    texts = {"rules": RULES, "clocks": CLOCKS, "speaking": SPEAKING.format(url=model.url)}
    return {
        name: (
            text,
            start(with_fitted_people(parse(text)).scenario, 1, root / name).measured.digest,
        )
        for name, text in texts.items()
    }


def kill_at(child: Popen[str], seconds: float) -> bool:
    """Kill a process after some time; return whether it was still there."""
    with suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    child.kill()
    child.communicate()
    return child.returncode == -signal.SIGKILL


def check(folder: Path, digest: str) -> None:
    """Check that a run ended as if nobody had killed it, and that its counts add up."""
    with Log.open(folder) as log:
        assert log.verify() == []
        assert (log.digest(), log.state) == (digest, "finished")
        named = {call for record in log.records() for call in record.calls}
    if (folder / "calls.db").is_file():
        assert verify_calls(folder / "calls.db") == []
        with closing(CallStore(folder / "calls.db", read_only=True)) as store:
            stored = {call.request.key for call in store.calls()}
            assert named <= stored, "a decision without the call behind it"
            assert len(store) == sum(len(store.of(key)) for key in stored)


def moments(name: str, count: int) -> list[tuple[str, int]]:
    return [(name, number) for number in range(count)]


def kill_driver(here: Path, whole: dict[str, tuple[str, str]], name: str, number: int) -> int:
    """Kill a run at two or three seeded moments, resume it, and return how many kills met it."""
    text, digest = whole[name]
    dice = Random(f"driver {name} {number}")
    (here / "own.toml").write_text(text)
    child, kills = begin(here, "run", "own.toml", "--no-report", "--out", "one"), 0
    for _ in range(3):
        kills += kill_at(child, dice.uniform(0.8, 3.5))
        if not (here / "one" / "run.db").is_file():
            child = begin(here, "run", "own.toml", "--no-report", "--out", "one")
            continue
        with Log.open(here / "one") as log:
            assert log.verify() == []
        child = begin(here, "resume", "one", "--no-report")
    code, _, err = end(child)
    assert code == 0, err
    check(here / "one", digest)
    return kills


def test_a_driver_is_killed(tmp_path: Path, whole: dict[str, tuple[str, str]]) -> None:
    kill_driver(tmp_path, whole, "speaking", 0)


@pytest.mark.chaos
@pytest.mark.parametrize(
    ("name", "number"),
    [
        (name, number + 1)
        for name, number in moments("rules", 14) + moments("clocks", 6) + moments("speaking", 14)
    ],
)
def test_many_drivers_are_killed(
    tmp_path: Path,
    whole: dict[str, tuple[str, str]],
    name: str,
    number: int,
    record_property: Callable[[str, object], None],
) -> None:
    record_property("kills", kill_driver(tmp_path, whole, name, number))


def children_of(parent: int) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = place.read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent:
                found.append(int(place.parent.name))
    return found


def digests_below(folder: Path) -> dict[str, str]:
    found = {}
    for place in sorted(folder.glob("**/run.db")):
        with Log.open(place.parent) as log:
            assert log.verify() == []
            found[str(place.parent.relative_to(folder))] = log.digest()
    return found


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("study")
    code, _, err = end(begin(folder, *STUDY, "--workers", "2", "--out", "whole"))
    assert code == 0, err
    return digests_below(folder / "whole")


@pytest.mark.chaos
@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="finds workers by /proc")
@pytest.mark.parametrize("number", range(10))
def test_a_worker_of_a_study_is_killed(tmp_path: Path, study: dict[str, str], number: int) -> None:
    dice = Random(f"worker {number}")
    words = (*STUDY, "--workers", "2", "--out", "mine")
    child = begin(tmp_path, *words)
    while not (workers := children_of(child.pid)) and child.poll() is None:
        time.sleep(0.01)
    time.sleep(dice.uniform(0.0, 2.5))
    workers = [one for one in workers if Path(f"/proc/{one}").exists()]
    if workers and child.poll() is None:
        os.kill(dice.choice(workers), signal.SIGKILL)
    code, _, err = end(child)
    assert code in (0, 2), err
    code, _, err = end(begin(tmp_path, *words))
    assert code == 0, err
    assert digests_below(tmp_path / "mine") == study


def _post(address: str, path: str, body: dict[str, object]) -> dict[str, object]:
    base, _, token = address.partition("/#token=")
    asked = urllib.request.Request(
        f"{base}/api{path}", json.dumps(body).encode(),
        {"Content-Type": "application/json", "X-Audience-Token": token, "Origin": base},
    )  # fmt: skip
    with urllib.request.urlopen(asked, timeout=LONGEST) as came:
        return dict(json.loads(came.read()))


def kill_page(here: Path, whole: dict[str, tuple[str, str]], name: str, number: int) -> None:
    text, digest = whole[name]
    dice = Random(f"page {name} {number}")
    server = begin(here, "serve", "--runs", "runs", "--port", "0")
    assert server.stdout is not None
    found = re.search(r"http://\S+", server.stdout.readline())
    assert found
    _post(found[0], "/runs", {"toml": text, "name": "one"})
    kill_at(server, dice.uniform(0.0, 1.5))
    with Log.open(here / "runs" / "one") as log:
        assert log.verify() == []
    code, _, err = end(begin(here, "resume", "runs/one", "--no-report"))
    assert code == 0, err
    check(here / "runs" / "one", digest)


def test_a_page_server_is_killed(tmp_path: Path, whole: dict[str, tuple[str, str]]) -> None:
    kill_page(tmp_path, whole, "speaking", 0)


@pytest.mark.chaos
@pytest.mark.parametrize(("name", "number"), moments("rules", 5) + moments("speaking", 5))
def test_many_page_servers_are_killed(
    tmp_path: Path, whole: dict[str, tuple[str, str]], name: str, number: int
) -> None:
    kill_page(tmp_path, whole, name, number + 1)
