"""Flipped bytes and other damage of run files: found, never a traceback, and never contagious."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from random import Random
from subprocess import CompletedProcess

import pytest
from starlette.testclient import TestClient

from audience.errors import AudienceError
from audience.llm import verify_calls
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import start
from audience.scenario import parse
from audience.web import make_app
from audience.web.security import Access

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]
TEXT = """agents = 6
rounds = 10
mind = "llm"
memory = "recagent"
[activation]
method = "random"
share = 0.5
[llm]
url = "{url}"
"""
FLIPS = 150
SHOWN = 6


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, serving: Serving) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "one"
    with serving() as server:
        start(parse(TEXT.format(url=server.url)), 1, folder)
    return folder


def _content(path: Path) -> object:
    """Return all that the tables of a file hold; None if it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)) as file:
            file.text_factory = bytes
            tables = file.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
            rows = [
                file.execute(f"SELECT * FROM {name.decode()}").fetchall()
                for name, sql in tables
                if sql is not None and sql.startswith(b"CREATE TABLE")
            ]
            version = file.execute("PRAGMA user_version").fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    return tables, rows, version


def _flip(path: Path, dice: Random) -> int:
    """Flip a byte anywhere, or in the first page with the header and the layout."""
    whole = bytearray(path.read_bytes())
    place = dice.randrange(len(whole) if dice.random() < 0.5 else 4096)
    whole[place] ^= dice.randrange(1, 256)
    path.write_bytes(whole)
    return place


def _is_found(folder: Path, name: str) -> bool:
    if name == "calls.db":
        return bool(verify_calls(folder / name))
    try:
        with Log.open(folder) as log:
            return bool(log.verify())
    except AudienceError:
        return True


@pytest.mark.parametrize("name", ["run.db", "calls.db"])
def test_every_flip_that_changes_content_is_found(sound: Path, tmp_path: Path, name: str) -> None:
    whole = _content(sound / name)
    assert whole is not None
    dice, found = Random(f"flips of {name}"), 0
    folder = tmp_path / "one"
    shutil.copytree(sound, folder)
    for _ in range(FLIPS):
        shutil.copyfile(sound / name, folder / name)
        place = _flip(folder / name, dice)
        if _content(folder / name) != whole:
            assert _is_found(folder, name), f"byte {place}"
            found += 1
    assert found > FLIPS / 3  # the rest lies in unused space, which nobody reads


def _damaged(sound: Path, root: Path, name: str, number: int) -> Path:
    dice = Random(f"{number} of {name}")
    folder = root / "runs" / "one"
    shutil.copytree(sound, folder)
    while _content(folder / name) == _content(sound / name):
        _flip(folder / name, dice)
    return folder


@pytest.mark.parametrize("number", range(SHOWN))
@pytest.mark.parametrize("name", ["run.db", "calls.db"])
def test_no_command_ends_in_a_traceback(
    cli: Cli, sound: Path, here: Path, name: str, number: int
) -> None:
    folder = _damaged(sound, here, name, number)
    shutil.copytree(sound, here / "runs" / "two")
    assert cli("doctor", folder).returncode == 2
    listed = cli("runs", "--json")
    assert listed.returncode == 0
    rows = {Path(row["run"]).name: row for row in json.loads(listed.stdout)["runs"]}
    assert rows["two"]["state"] == "finished"
    assert set(rows) == {"one", "two"}
    for words in (
        ("show", folder),
        ("show", folder, "--agent", "1"),
        ("digest", folder),
        ("compare", folder, here / "runs" / "two"),
        ("export", folder, "--to", "csv"),
        ("export", folder, "--to", "jsonl"),
        ("branch", folder, "--at", "1", "--out", "branch"),
        ("replay", folder),
        ("resume", folder, "--rounds", "11", "--no-report"),
    ):
        told = cli(*words)
        assert told.returncode in (0, 1, 2, 130), (words, told.stderr)


@pytest.fixture
def page(here: Path) -> Iterator[TestClient]:
    app = make_app(here / "runs", Access("127.0.0.1"))
    with TestClient(app.api, raise_server_exceptions=True) as client:
        yield client


@pytest.mark.parametrize("number", range(SHOWN))
@pytest.mark.parametrize("name", ["run.db", "calls.db"])
def test_the_page_answers_beside_a_damaged_run(
    sound: Path, here: Path, page: TestClient, name: str, number: int
) -> None:
    _damaged(sound, here, name, number)
    shutil.copytree(sound, here / "runs" / "two")
    rows = {row["id"]: row for row in page.get("/api/runs").json()}
    assert rows["two"]["state"] == "finished"
    assert set(rows) == {"one", "two"}
    for path in ("", "/people", "/people/1", "/story", "/graph", "/measures", "/names"):
        assert page.get(f"/api/runs/one{path}").status_code < 500
    assert page.post("/api/runs/one/control", json={"do": "play", "rounds": 11}).status_code < 500


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE meta SET value = 'many' WHERE key = 'seed'",
        "UPDATE meta SET value = '[' WHERE key = 'manifest'",
        "UPDATE meta SET value = '{}' WHERE key = 'lineage'",
        "UPDATE meta SET value = 'agents = [' WHERE key = 'scenario'",
        "UPDATE meta SET value = 'agents = 7' WHERE key = 'scenario'",
        "UPDATE meta SET value = NULL WHERE key = 'scenario'",
        "UPDATE meta SET value = x'00ff' WHERE key = 'state'",
        "DELETE FROM genesis",
        "UPDATE genesis SET body = 7",
        "UPDATE chapters SET body = '[]' WHERE seq = 3",
        "UPDATE chapters SET body = replace(CAST(body AS TEXT), '1', '2') WHERE seq = 3",
        "UPDATE chapters SET agent = 'me' WHERE seq = 3",
        "UPDATE chapters SET round = 9223372036854775807 WHERE seq = 3",
        "DELETE FROM chapters WHERE seq = 3",
        "DROP TABLE chapters",
        "DROP VIEW records",
    ],
)
def test_a_run_edited_by_hand_is_told(
    cli: Cli, sound: Path, here: Path, statement: str, page: TestClient
) -> None:
    folder = here / "runs" / "one"
    shutil.copytree(sound, folder)
    with closing(sqlite3.connect(folder / "run.db")) as file:
        file.execute(statement)
        file.commit()
    if statement != "DROP VIEW records":
        assert cli("doctor", folder).returncode == 2
    for words in (
        ("runs",),
        ("show", folder),
        ("digest", folder),
        ("branch", folder, "--out", "branch"),
        ("export", folder, "--to", "csv"),
        ("resume", folder, "--rounds", "11", "--no-report"),
    ):
        assert cli(*words).returncode in (0, 2, 130)
    assert page.get("/api/runs").status_code == 200
    assert page.get("/api/runs/one").status_code < 500


@pytest.mark.parametrize("name", ["experiment.toml", "sensitivity.json"])
@pytest.mark.parametrize("content", [b"", b"\xff\x00x", b"[[", b"{}"])
def test_a_damaged_experiment_is_told(cli: Cli, both: Path, name: str, content: bytes) -> None:
    (both / name).write_bytes(content)
    for words in (("report", both, "--format", "csv"), ("compare", both), ("runs", ".")):
        assert cli(*words).returncode in (0, 1, 2)
