"""`audience data people`."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.llm.fake import Fake

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]


@pytest.fixture(scope="module")
def server(serving: Serving) -> Iterator[Fake]:
    with serving() as fake:
        yield fake


@pytest.fixture
def some(here: Path) -> Path:
    """A table of two people, one of them hardly known."""
    text = 'id,name,age,interests,career\n7,"Stone, Mia",34,Drama|Mystery,nurse\n9,Tom,,,\n'
    (here / "some.csv").write_text(text, "utf-8-sig")
    return Path("some.csv")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def people(cli: Cli, url: str, *words: object) -> CompletedProcess[str]:
    return cli("data", "people", "--like", "some.csv", "--llm", url, *words)


def test_a_table_is_completed_and_extended(cli: Cli, some: Path, server: Fake) -> None:
    told = people(cli, server.url, "--agents", 5, "--out", "all.csv")
    assert told.returncode == 0, told.stderr
    assert "5 people in all.csv" in told.stdout
    found = rows(Path("all.csv"))
    assert [row["id"] for row in found] == ["1", "2", "3", "4", "5"]
    assert found[0]["name"] == "Stone, Mia"
    assert (found[0]["age"], found[0]["interests"]) == ("34", "Drama|Mystery")
    assert found[1]["name"] == "Tom"
    assert len({row["name"] for row in found}) == 5
    assert all(all(row.values()) for row in found)


def test_what_comes_out_is_a_dataset(cli: Cli, some: Path, server: Fake, here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "items.csv").write_text("id,title,tags\n1,One,Drama\n2,Two,Mystery\n")
    assert people(cli, server.url, "--agents", 4, "--out", "mine/people.csv").returncode == 0
    checked = cli("data", "check", "mine")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    words = ("--agents", 4, "--rounds", 1, "--recommender", "popular", "--no-report")
    assert cli("run", "--data", "mine", *words, "--out", "run").returncode == 0


def test_what_was_answered_is_not_asked_for_twice(cli: Cli, some: Path, server: Fake) -> None:
    stopped = people(cli, server.url, "--agents", 6, "--out", "a.csv", "--max-calls", 3)
    assert stopped.returncode == 2
    assert "3 of 3 calls" in stopped.stderr
    assert not Path("a.csv").exists()
    assert people(cli, server.url, "--agents", 6, "--out", "a.csv").returncode == 0
    first, before = Path("a.csv").read_bytes(), server.requests
    again = people(cli, server.url, "--agents", 6, "--out", "a.csv")
    assert again.returncode == 2
    assert "a.csv exists already" in again.stderr
    Path("a.csv").unlink()
    assert people(cli, server.url, "--agents", 6, "--out", "a.csv").returncode == 0
    assert Path("a.csv").read_bytes() == first
    assert server.requests == before


def test_what_could_not_be_filled_is_told(cli: Cli, some: Path, serving: Serving) -> None:
    with serving(says={"": "I know nobody."}) as fake:
        told = people(cli, fake.url, "--agents", 2, "--out", "all.csv")
    assert told.returncode == 0
    assert "warning: row 1: gender, traits, features could not be filled" in told.stderr
    assert rows(Path("all.csv"))[0]["name"] == "Stone, Mia"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,agee\nTom,3\n", "some.csv, line 1: column 'agee' is unknown (did you mean 'age'?)"),
        ("name,agee\n", "column 'agee' is unknown"),
        ("", "some.csv, line 1: column '' is unknown"),
        ("name,age\nTom,3\nStone, Mia,4\n", "line 3: there are more values than columns"),
        (b"name\nJos\xe9\n", "some.csv cannot be read as CSV in UTF-8"),
    ],
)
def test_a_bad_table_is_named_with_its_line(
    cli: Cli, here: Path, text: str | bytes, message: str
) -> None:
    (here / "some.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    told = people(cli, "http://127.0.0.1:9", "--agents", 3)
    assert told.returncode == 2
    assert message in told.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--agents", 1), "--agents 1: some.csv has 2 people already; give 2 or more"),
        (("--agents", 3, "--like", "none.csv"), "--like none.csv does not exist"),
        (("--agents", 3, "--data", "flims"), "dataset 'flims' is unknown"),
    ],
)
def test_a_mistake_is_named(cli: Cli, some: Path, words: tuple[object, ...], message: str) -> None:
    told = people(cli, "http://127.0.0.1:9", *words)
    assert told.returncode == 2
    assert message in told.stderr
