from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.experiments import export, load, start
from audience.experiments.export import interactions
from audience.log import Log
from audience.world import events as e


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Log:
    """A run over data with ids of its own."""
    folder = tmp_path_factory.mktemp("export")
    items = "".join(f'tt{n},"Title, {n}",{"ab"[n % 2]}|c d,{1990 + n},60,0.9\n' for n in range(30))
    (folder / "items.csv").write_text(f"id,title,tags,year,minutes,quality\n{items}")
    people = "".join(f"u-{n},Person {n},{20 + n},a\n" for n in range(25))
    (folder / "people.csv").write_text(f"id,name,age,interests\n{people}")
    (folder / "s.toml").write_text(
        "agents = 25\nrounds = 4\nrecommender = 'random'\n"
        "[dataset]\nkind = 'folder'\npath = '.'\n[activation]\nmethod = 'random'\nshare = 0.9\n"
    )
    start(load(folder / "s.toml"), 1, folder / "run")
    return Log.open(folder / "run")


def count(log: Log, kind: type) -> int:
    return sum(isinstance(record.event, kind) for record in log.records())


def test_one_row_per_item_lived_with_ids_of_the_source(log: Log, tmp_path: Path) -> None:
    (path,) = export(log, "csv", tmp_path)
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == count(log, e.Picked) > 0
    assert all(row["person"].startswith("u-") and row["item"].startswith("tt") for row in rows)
    assert sum(int(row["stars"]) > 0 for row in rows) == count(log, e.Rated) > 0
    watched = [r.event.fraction for r in log.records() if isinstance(r.event, e.Watched)]
    assert sorted(float(row["fraction"]) for row in rows) == pytest.approx(sorted(watched))
    assert all(int(row["at"]) > 0 and 1 <= int(row["round"]) <= 4 for row in rows)


def test_every_event_is_a_line_of_json(log: Log, tmp_path: Path) -> None:
    (path,) = export(log, "jsonl", tmp_path / "deep" / "er")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == sum(1 for _ in log.records())
    assert rows[0]["event"] == "RunStarted"
    picked = next(row for row in rows if row["event"] == "Picked")
    assert set(picked) >= {"round", "phase", "step", "agent", "item", "position"}
    assert picked["phase"] == "visits"
    assert [path.name for path in (tmp_path / "deep" / "er").iterdir()] == ["events.jsonl"]


def test_messages_are_a_list_of_rounds(log: Log, tmp_path: Path) -> None:
    (path,) = export(log, "messages", tmp_path)
    rounds = json.loads(path.read_text())
    assert len(rounds) == 4
    assert {key for one in rounds for message in one for key in message} == {
        "content",
        "agent_id",
        "action",
    }
    actions = {message["action"] for one in rounds for message in one}
    assert actions <= {"RECOMMENDER", "CHAT", "POST", "STATE"}
    assert "RECOMMENDER" in actions


def test_recbole_files_have_typed_columns_and_no_stray_tabs(log: Log, tmp_path: Path) -> None:
    inter, items, users = export(log, "recbole", tmp_path)
    assert [path.suffix for path in (inter, items, users)] == [".inter", ".item", ".user"]
    for path, rows in ((inter, count(log, e.Picked)), (items, 30), (users, 25)):
        lines = path.read_text().splitlines()
        assert len(lines) == rows + 1
        assert all(":" in column for column in lines[0].split("\t"))
        assert {line.count("\t") for line in lines} == {lines[0].count("\t")}
    assert "tt1\tTitle, 1\t1991\tb c-d" in items.read_text()


def test_parquet_holds_the_same_rows_or_says_what_it_needs(log: Log, tmp_path: Path) -> None:
    try:
        from pyarrow import parquet
    except ImportError:
        with pytest.raises(BadInput, match="needs pyarrow: pip install"):
            export(log, "parquet", tmp_path / "out")
        assert not (tmp_path / "out").exists()
        return
    (path,) = export(log, "parquet", tmp_path)
    assert parquet.read_table(path).num_rows == len(list(interactions(log)))


def test_a_place_that_is_taken_is_refused(log: Log, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadInput, match="is a file; choose another folder"):
        export(log, "csv", tmp_path / "file")
    (tmp_path / "interactions.csv").mkdir()
    with pytest.raises(BadInput, match="could not be written"):
        export(log, "csv", tmp_path)
    (tmp_path / "events.jsonl").mkdir()
    with pytest.raises(BadInput, match="could not be written"):
        export(log, "jsonl", tmp_path)
    assert not list(tmp_path.glob("**/*part"))
