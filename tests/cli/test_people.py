"""`audience data people`."""

from __future__ import annotations

import csv
import json
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
    told = people(cli, server.url, "--agents", 5, "--out", "all.csv", "--batch", 2)
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
    assert "a.csv already exists" in again.stderr
    Path("a.csv").unlink()
    assert people(cli, server.url, "--agents", 6, "--out", "a.csv").returncode == 0
    assert Path("a.csv").read_bytes() == first
    assert server.requests == before


def test_what_could_not_be_filled_is_told(cli: Cli, some: Path, serving: Serving) -> None:
    with serving(says={"": "I know nobody."}) as fake:
        told = people(cli, fake.url, "--agents", 2, "--out", "all.csv")
    assert told.returncode == 0
    assert "warning: row 1: gender, traits, features could not be filled" in told.stderr
    assert "warning: 8 of 8 replies could not be read, 0 fields" in told.stderr
    assert rows(Path("all.csv"))[0]["name"] == "Stone, Mia"


def test_people_are_drawn_without_a_model(cli: Cli, some: Path) -> None:
    words = ("--like", "some.csv", "--agents", 4, "--fill", "drawn", "--fill", "career=none")
    told = cli("data", "people", *words, "--out", "all.csv")
    assert told.returncode == 0, told.stderr
    found = rows(Path("all.csv"))
    assert (found[0]["name"], found[0]["career"]) == ("Stone, Mia", "nurse")
    assert [row["career"] for row in found[1:]] == ["", "", ""]
    assert all(row["age"] and 0 < float(row["watcher"]) < 1 for row in found)
    assert not Path("all.calls.db").exists()


@pytest.fixture
def history(here: Path) -> Path:
    """A folder of tables with a history."""
    mine = here / "mine"
    mine.mkdir()
    (mine / "items.csv").write_text("id,title,tags\n1,One,Drama\n2,Two,Mystery\n")
    (mine / "people.csv").write_text("id,name\na,Ann\nb,\nc,Cid\n")
    lived = ["a,1,5", "a,2,4", "b,1,1", "c,1,3", "c,2,3", "c,1,3", "c,2,2"]
    (mine / "interactions.csv").write_text("person,item,stars\n" + "\n".join(lived))
    return Path("mine")


def test_people_of_a_dataset_are_completed_and_keep_their_ids(cli: Cli, history: Path) -> None:
    words = ("--data", "mine", "--agents", 3, "--fill", "drawn", "--fill", "traits=aligned")
    told = cli("data", "people", *words, "--out", "all.csv")
    assert told.returncode == 0, told.stderr
    found = rows(Path("all.csv"))
    assert [row["id"] for row in found] == ["a", "b", "c"]
    assert [row["name"] for row in found][::2] == ["Ann", "Cid"]
    assert [row["traits"].split("|")[0] for row in found] == [
        "regular visitor",
        "rare visitor",
        "frequent visitor",
    ]
    assert all(float(row["activity"]) > 0 for row in found)
    text = '[dataset]\nkind = "folder"\npath = "mine"\nprofiles = "all.csv"\n'
    Path("s.toml").write_text(f'agents = 3\nrounds = 1\nrecommender = "popular"\n{text}')
    ran = cli("run", "s.toml", "--no-report", "--out", "run")
    assert ran.returncode == 0, ran.stderr


def test_activity_laws_are_printed(cli: Cli, history: Path) -> None:
    told = cli("data", "people", "--fit", "mine")
    assert told.returncode == 0, told.stderr
    assert "3 people, 2.3 interactions each on average" in told.stdout
    assert "lognormal  KS 0." in told.stdout
    assert "x_min 1" in told.stdout
    fitted = json.loads(cli("data", "people", "--fit", "mine", "--json").stdout)
    assert fitted["pareto"]["people"] == 3
    assert fitted["best"] in ("lognormal", "pareto")
    nothing = cli("data", "people", "--fit", "nowhere")
    assert nothing.returncode == 2
    assert "'nowhere' is unknown" in nothing.stderr


def test_an_estimate_asks_nothing_for_people(
    cli: Cli, some: Path, server: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    text = '[dataset]\nkind = "films"\nprofiles = "some.csv"\nfill = "llm"\n'
    text = f'agents = 4\nrounds = 1\nrecommender = "popular"\n{text}[llm]\nurl = "{server.url}"'
    Path("s.toml").write_text(text)
    before = server.requests
    assert cli("run", "s.toml", "--estimate").returncode == 0
    assert server.requests == before
    stopped = cli("run", "s.toml", "--no-report", "--out", "run", "--max-calls", 0)
    assert stopped.returncode == 2
    assert not Path("run").exists()
    assert cli("run", "s.toml", "--no-report", "--out", "run").returncode == 0
    assert server.requests > before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,agee\nTom,3\n", "some.csv: line 1: column 'agee' is unknown (did you mean 'age'?)"),
        ("name,age\n", "some.csv: holds no people"),
        ("", "some.csv: holds no people"),
        ("name,age\nTom,3\nStone, Mia,4\n", "line 3 has 3 cells where the header has 2"),
        ("name,age\nTom,old\n", "line 2, column 'age': 'old' is not a number"),
        (b"name\nJos\xe9\n", "some.csv: line 2 is not UTF-8"),
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
        ((), "--agents is missing"),
        (("--agents", 1), "--agents 1: some.csv has 2 people already; give 2 or more"),
        (("--agents", 0, "--like", "none.csv"), "--like none.csv does not exist"),
        (("--agents", 3, "--data", "flims"), "dataset 'flims' is unknown"),
        (("--agents", 3, "--fill", "lmm"), "source 'lmm' is unknown (did you mean 'llm'?)"),
        (("--agents", 3, "--fill", "nam=llm"), "field 'nam' is unknown (did you mean 'name'?)"),
        (("--agents", 3, "--fill", "llm", "--fill", "none"), "--fill llm already fills"),
    ],
)
def test_a_mistake_is_named(cli: Cli, some: Path, words: tuple[object, ...], message: str) -> None:
    told = people(cli, "http://127.0.0.1:9", *words)
    assert told.returncode == 2
    assert message in told.stderr
