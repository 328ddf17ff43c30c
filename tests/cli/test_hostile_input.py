"""Input that ended in a traceback once: each is a message with its place, and code 2."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

import audience
from audience.llm.fake import Fake
from audience.log import Log

Cli = Callable[..., CompletedProcess[str]]
Begin = Callable[..., Popen[str]]
Serving = Callable[..., AbstractContextManager[Fake]]
LONG = "a" * 300
ADDRESSES = ("http://[::1", "http://[::1]:x", "http://h:99999", f"http://{LONG}.example", "http://")


def _told(told: CompletedProcess[str], *parts: str) -> None:
    assert told.returncode == 2, (told.stdout, told.stderr)
    assert "Traceback" not in told.stderr
    for part in parts:
        assert part in told.stderr


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_nobody_can_have(cli: Cli, here: Path, url: str) -> None:
    few = ("--agents", 4, "--rounds", 1)
    _told(cli("run", *few, "--mind", "llm", "--llm", url), "is no address")
    _told(cli("run", *few, "--recommender", url), "is no address")
    _told(cli("doctor", "--llm", url), "is no address")
    assert "is no address" in cli("doctor", "--recommender", url).stdout
    (here / "own.toml").write_text(f'[[llm.endpoints]]\nurl = "{url}"\n')
    _told(cli("run", "own.toml"), "is no address")


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_never_ends_is_no_data(cli: Cli, here: Path, kind: str) -> None:
    def put(name: str) -> str:
        if kind == "pipe":
            os.mkfifo(here / name)
        else:
            os.symlink("/dev/zero", here / name)
        return name

    for number, words in enumerate(
        (("run", "--rounds", 1, "--data"), ("data", "check"), ("data", "import"))
    ):
        _told(cli(*words, put(f"it{number}")), f"it{number}", "device or a pipe")
    _told(cli("run", put("own.toml")), "own.toml")
    _told(cli("study", put("study.toml")), "study.toml")
    (here / "d").mkdir()
    (here / "d" / "items.csv").write_text("id,title\na,A\nb,B\n")
    put("d/people.csv")
    _told(cli("data", "check", "d"), "d/people.csv", "device or a pipe")
    _told(cli("run", "--data", "d", "--rounds", 1), "people.csv", "device or a pipe")


@pytest.mark.parametrize("moment", ["9" * 20, "-" + "9" * 20, "1e300", "9" * 5_000, "nan", "inf"])
def test_a_time_of_twenty_digits(cli: Cli, here: Path, moment: str) -> None:
    (here / "d").mkdir()
    (here / "d" / "items.csv").write_text("id,title\na,A\nb,B\n")
    (here / "d" / "people.csv").write_text("id,name\np,P\nq,Q\n")
    rows = "".join(f"{who},{item},{moment}\n" for who in "pq" for item in "ab")
    (here / "d" / "interactions.csv").write_text(f"person,item,at\n{rows}")
    told = cli("data", "check", "d")
    assert "interactions.csv: line" in told.stderr
    _told(told)
    (here / "m").mkdir()
    (here / "m" / "movies.csv").write_text("movieId,title,genres\n1,A (1990),Drama\n2,B,Drama\n")
    head = "userId,movieId,rating,timestamp\n"
    (here / "m" / "ratings.csv").write_text(f"{head}1,1,4.0,{moment}\n1,2,4.0,{moment}\n")
    _told(cli("data", "check", "m"), "ratings.csv")
    _told(cli("run", "--data", "m", "--agents", 1, "--rounds", 1), "ratings.csv")


def test_an_archive_that_unpacks_to_far_too_much(cli: Cli, here: Path) -> None:
    row = b"1,1,4.0,1000000000\n" * 100_000
    with zipfile.ZipFile(here / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("movies.csv", "movieId,title,genres\n1,A (1990),Drama\n")
        with archive.open("ratings.csv", "w") as file:
            file.write(b"userId,movieId,rating,timestamp\n")
            for _ in range(40):
                file.write(row)
    assert (here / "bomb.zip").stat().st_size < 1_000_000
    for words in (("data", "check", "bomb.zip"), ("run", "--data", "bomb.zip", "--rounds", 1)):
        _told(cli(*words), "bomb.zip", "times its own size")
    (here / "d").mkdir()
    (here / "d" / "movies.csv").write_text("movieId,title,genres\n1,A (1990),Drama\n")
    with gzip.open(here / "d" / "ratings.csv.gz", "wb") as packed:
        packed.write(b"userId,movieId,rating,timestamp\n")
        for _ in range(40):
            packed.write(row)
    _told(cli("data", "check", "d"), "times its own size")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors(here: Path, closed: str) -> None:
    source = str(Path(audience.__file__).parents[1])
    words = "run --agents 5 --rounds 1 --seeds 1 --recommender popular --no-report --out one"
    line = f"{sys.executable} -m audience {words} {closed}; echo $? > code"
    done = subprocess.run(
        ["bash", "-c", line], cwd=here, env={**os.environ, "PYTHONPATH": source},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (here / "code").read_text() == "0\n"
    assert "Traceback" not in done.stderr
    with Log.open(here / "one") as log:
        assert (log.complete_rounds(), log.verify()) == (1, [])


def test_a_full_device_as_output_is_told(here: Path) -> None:
    source = str(Path(audience.__file__).parents[1])
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m audience runs --json > /dev/full"],
        cwd=here, env={**os.environ, "PYTHONPATH": source},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert "ignored" not in done.stderr


def test_stopping_twice_while_models_answer(begin: Begin, here: Path, serving: Serving) -> None:
    with serving(latency=(30.0, 30.0)) as server:
        (here / "own.toml").write_text(
            'agents = 6\nrounds = 2\nmind = "llm"\nmemory = "recagent"\n'
            '[activation]\nmethod = "random"\nshare = 1.0\n'
            f'[llm]\nurl = "{server.url}"\n'
        )
        child = begin(here, "run", "own.toml", "--no-report", "--out", "one", "--json")
        while not server.requests:
            assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert child.stderr is not None
        line = ""
        while "press again" not in line:
            line = child.stderr.readline()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Traceback" not in err
    assert "ignored" not in err
    assert not out.strip() or json.loads(out.splitlines()[-1])
    with Log.open(here / "one") as log:
        assert log.verify() == []
        assert log.state == "stopped"
