"""Every mistake is answered with the file, the place and the remedy; nothing is made or changed."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]

SCENARIOS = {
    "unknown key": ("agnts = 40", "s.toml: key 'agnts' is unknown (did you mean 'agents'?)|line 1"),
    "unknown key in a table": (
        '[run]\nordr = "together"',
        "s.toml: run: key 'ordr' is unknown (did you mean 'order'?)|(line 2)",
    ),
    "unknown key in an arm": (
        '[arms.a]\nrecommender = "random"\n[arms.b]\nrecomender = "random"',
        "s.toml: arm 'b': key 'recomender' is unknown (did you mean 'recommender'?)|(line 4)",
    ),
    "wrong type": (
        'seed = 1\nagents = "many"',
        "s.toml: agents: expected a whole number, got text (line 2)",
    ),
    "not TOML": ("agents = = 3", "s.toml: |line 1, column 10|fix the TOML"),
    "not a number": (
        "[activation]\nshare = nan",
        "activation: share: nan is not a finite|(line 2)",
    ),
    "infinite": ("[run]\ndeadline = inf", "run: deadline: inf is not a finite number|(line 2)"),
    "too small": ("agents = 0", "s.toml: agents: 0 is not between 1 and 10,000,000 (line 1)"),
    "not a share": ("[activation]\nshare = 1.5", "share: 1.5 is not between 0 and 1 (line 2)"),
    "no interval": ('[clock]\nstep = "1w"', "s.toml: interval '1w' is not a number with"),
    "no date": ('[clock]\nstart = "soon"', "s.toml: start 'soon' is not a date such as|(line 2)"),
    "unknown order": ('[run]\norder = "none"', "order 'none' is unknown; known: 'one-by-one'"),
    "unknown activation": ('[activation]\nmethod = "sampl"', "did you mean 'sample'?|(line 2)"),
    "unknown recommender": (
        'recommender = "populr"',
        "s.toml: recommender 'populr' is unknown (did you mean 'popular'?)",
    ),
    "unknown recommender of an arm": (
        '[arms.a]\nrecommender = "mff"',
        "s.toml: arm 'a': recommender 'mff' is unknown; known: 'als', 'bpr'",
    ),
    "unknown mind": ('mind = "ruel"', "s.toml: mind 'ruel' is unknown (did you mean 'rule'?)"),
    "unknown memory": ('memory = "total"', "memory 'total' is unknown; known:"),
    "unknown dataset": ('dataset = "film"', "dataset 'film' is unknown (did you mean 'films'?)"),
    "unknown metric": ('metrics = ["joy"]', "metric 'joy' is unknown; known:"),
    "foreign option": ('[recommender]\nkind = "popular"\nspeed = 3', "option 'speed' is unknown"),
    "an arm that leaves the folder": ('[arms."../x"]\nseed = 1', "arm '../x' names a folder"),
    "unknown deed": (
        '[[interventions]]\nround = 2\ndo = "shout"',
        "s.toml: intervention 1: do 'shout' is unknown; known: 'add_item'",
    ),
    "deed without a round": ('[[interventions]]\ndo = "silence"\nagent = 1', "as in round = 3"),
    "a stranger": (
        '[[interventions]]\nround = 2\ndo = "silence"\nagent = 99999',
        "s.toml: intervention 1 (silence): person 99999 does not exist; there are 1000",
    ),
    "an unknown title": (
        '[[interventions]]\nround = 2\ndo = "announce"\ntext = "x"\nitems = ["No Such Film"]',
        "s.toml: intervention 1 (announce): item 'No Such Film' is unknown",
    ),
    "an unknown tag": (
        '[[interventions]]\nround = 2\ndo = "add_item"\ntitle = "X"\ntags = ["Drma"]',
        "intervention 1 (add_item): tag 'Drma' is unknown (did you mean 'Drama'?)",
    ),
    "an unknown key of a deed": (
        '[[interventions]]\nround = 2\ndo = "add_item"\ntitel = "X"',
        "intervention 1 (add_item): key 'titel' is unknown (did you mean 'title'?)",
    ),
}


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
        if "__pycache__" not in path.parts and not path.name.endswith(("-shm", "-wal"))
    }


def refused(cli: Cli, here: Path, told: str, *words: object) -> None:
    """Call a command that must be refused with all parts of `told`, and touch nothing."""
    before = everything(here)
    found = cli(*words)
    assert found.returncode == 2, found.stderr
    for part in told.split("|"):
        assert part in found.stderr
    assert "Traceback" not in found.stderr
    assert found.stdout == ""
    assert everything(here) == before


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_with_a_mistake(cli: Cli, here: Path, name: str) -> None:
    text, told = SCENARIOS[name]
    (here / "s.toml").write_text(text + "\n")
    refused(cli, here, told, "run", "s.toml", "--out", "out")


def test_a_scenario_that_is_no_text(cli: Cli, here: Path) -> None:
    (here / "s.toml").write_bytes(b"title = '\xff'")
    refused(cli, here, "s.toml is not UTF-8 text (byte 9); save it as UTF-8", "run", "s.toml")


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("scenario no.toml does not exist; `audience init`", ["run", "no.toml"]),
        ("--data nowhere: there is no such folder", ["run", "--data", "nowhere"]),
        ("--data ./nowhere: there is no such folder", ["run", "--data", "./nowhere"]),
        ("no.py does not exist; give the path", ["run", "--recommender", "no.py:Mine"]),
        ("name its class too: |my.py:CLASS", ["run", "--recommender", "my.py"]),
        ("no holds no run (run.db is missing)", ["show", "no"]),
        ("no holds no run (run.db is missing)", ["digest", "no"]),
        ("no holds no run (run.db is missing)", ["resume", "no"]),
        ("no holds no run (run.db is missing)", ["branch", "no"]),
        ("no holds no run (run.db is missing)", ["replay", "no"]),
        ("no holds no run (run.db is missing)", ["report", "no"]),
        ("no holds no run (run.db is missing)", ["export", "no", "--to", "csv"]),
        ("no holds no run (run.db is missing)", ["compare", "no", "nor"]),
        ("no holds no run (run.db is missing)", ["doctor", "no"]),
        ("no is not a folder", ["runs", "no"]),
        ("no is not a folder; give the path of a folder that", ["data", "check", "no"]),
    ],
)  # fmt: skip
def test_what_is_not_there(cli: Cli, here: Path, told: str, words: list[str]) -> None:
    refused(cli, here, told, *words)


TABLES = {
    "empty catalogue": ({"items.csv": "id,title\n"}, 5, "items.csv: has no items; add a line"),
    "no catalogue": ({"people.csv": "id\np\n"}, 5, "items.csv does not exist; write it"),
    "duplicate ids": (
        {"items.csv": "id,title\na,A\nb,B\na,C\n"},
        5,
        "items.csv|line 4|'a' is already in line 2; ids must differ",
    ),
    "a tie to an unknown person": (
        {"items.csv": "id,title\na,A\n", "people.csv": "id\np\n", "ties.csv": "from,to\np,q\n"},
        1,
        "ties.csv|line 2|'q' is not in people.csv; add it there or delete this line",
    ),
    "more agents than people": (
        {"items.csv": "id,title\na,A\n", "people.csv": "id\np\nq\n"},
        5,
        "people.csv: has 2 people and 5 were requested; ask for at most 2",
    ),
    "NaN": ({"items.csv": "id,title,quality\na,A,nan\n"}, 5, "items.csv|line 2|quality|nan"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_folder_of_data_with_a_mistake(cli: Cli, here: Path, name: str) -> None:
    files, agents, told = TABLES[name]
    (here / "mine").mkdir()
    for file, text in files.items():
        (here / "mine" / file).write_text(text)
    refused(cli, here, told, "run", "--data", "mine", "--agents", agents)
    if name != "more agents than people":
        refused(cli, here, told, "data", "check", "mine")


def test_a_file_where_a_folder_should_be(cli: Cli, here: Path) -> None:
    (here / "taken").write_text("mine")
    refused(cli, here, "--out taken is a file", "run", "--agents", 20, "--out", "taken")
    (here / "full").mkdir()
    (here / "full" / "notes.txt").write_text("mine")
    told = "--out full is not empty and is not a run (notes.txt)"
    refused(cli, here, told, "run", "--agents", 20, "--out", "full")
    refused(cli, here, told, "run", "--agents", 20, "--out", "full", "--overwrite")


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "truncated": (lambda body: body[: len(body) // 2], "is cut off"),
    "cut in its header": (lambda body: body[:50], "is cut off after 50 bytes"),
    "empty": (lambda body: b"", "is empty; restore it from a copy"),
    "no database": (lambda body: b"%PDF-1.7 " * 100, "is not the file of a run"),
    "newer": (lambda body: body[:60] + b"\0\0\xff\xff" + body[64:], "a newer Audience|upgrade"),
    "scrambled": (lambda body: body[:4096] + bytes(len(body) - 4096), "is damaged"),
}


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("command", ["resume", "show", "branch"])
def test_a_run_file_that_is_damaged(cli: Cli, one: Path, name: str, command: str) -> None:
    spoil, told = DAMAGE[name]
    file = one / "run.db"
    file.write_bytes(spoil(file.read_bytes()))
    refused(cli, one.resolve(), told, command, one)


def test_a_database_of_another_program(cli: Cli, here: Path) -> None:
    (here / "theirs").mkdir()
    connection = sqlite3.connect(here / "theirs" / "run.db")
    connection.execute("CREATE TABLE diary(day, secret)")
    connection.commit()
    connection.close()
    refused(cli, here, "theirs/run.db is a database of another program", "resume", "theirs")


def test_what_cannot_be_compared(cli: Cli, one: Path, both: Path) -> None:
    here = one.resolve().parent
    refused(cli, here, "one is one run; give two or more", "compare", one)
    refused(cli, here, "both is an experiment; compare it alone", "compare", one, both)
    other = both / "random" / "seed-1"
    shutil.copytree(other, here / "other")
    refused(cli, here, "begin with different people or items", "compare", one, "other")


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("joy < 2", "--fail-if: metric 'joy' is unknown; known: "),
        ("satisfaction is low", 'is not METRIC < NUMBER, as in "satisfaction < -2%"'),
        ("satisfacton < 1", "did you mean 'satisfaction'?"),
    ],
)
def test_a_gate_that_cannot_be_understood(cli: Cli, one: Path, condition: str, told: str) -> None:
    refused(cli, one.resolve(), told, "compare", one, one, "--fail-if", condition)
    assert "metric 'joy'" in cli("compare", one, one, "--metric", "joy").stderr
