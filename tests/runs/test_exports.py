from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.log import Log
from audience.runs import export, start
from audience.runs.exports import COLUMNS, KINDS, TYPES, columns_of, interactions
from audience.scenario import load, parse
from audience.world import events as e

OUTCOMES = ("shown", "picked", "rated")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    """A run over data with ids of its own."""
    folder = tmp_path_factory.mktemp("export")
    items = "".join(f'tt{n},"Title, {n}",{"ab"[n % 2]}|c d,{1990 + n},60,0.9\n' for n in range(30))
    (folder / "items.csv").write_text(f"id,title,tags,year,minutes,quality\n{items}")
    people = "".join(f"u-{n},Person {n},{20 + n},a\n" for n in range(25))
    (folder / "people.csv").write_text(f"id,name,age,interests\n{people}")
    (folder / "s.toml").write_text(
        "agents = 25\nrounds = 4\nrecommender = 'random'\n"
        "[dataset]\nkind = 'folder'\npath = '.'\n[activation]\nmethod = 'random'\nshare = 0.9\n"
        "[platform]\nrandom_k = 2\n"
        "[[interventions]]\nround = 2\ndo = 'add_person'\nname = 'Nova \"N\" Reed'\nkey = 'u-new'\n"
        "friends = [0]\nactivity = 50.0\n"
        "[[interventions]]\nround = 2\ndo = 'add_item'\ntitle = 'Brand \"New\"'\nkey = 'tt-new'\n"
        "tags = ['a']\n"
        "[[interventions]]\nround = 3\ndo = 'change_profile'\nagent = 1\ncareer = \"a\\tb\"\n"
    )
    start(load(folder / "s.toml"), 1, folder / "run")
    with Log.open(folder / "run") as opened:
        yield opened


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


def test_shown_but_not_taken_is_a_row_when_asked_for(log: Log, tmp_path: Path) -> None:
    (path,) = export(log, "csv", tmp_path, exposures=True)
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    slates = [r.event for r in log.records() if isinstance(r.event, e.SlateShown)]
    assert len(rows) == sum(len(slate.items) for slate in slates)
    assert len({row["exposure"] for row in rows}) == len(slates)
    outcomes = {name: [r for r in rows if r["outcome"] == name] for name in OUTCOMES}
    assert sum(map(len, outcomes.values())) == len(rows)
    assert len(outcomes["rated"]) == count(log, e.Rated) > 0
    assert len(outcomes["rated"]) + len(outcomes["picked"]) == count(log, e.Picked)
    assert {(row["fraction"], row["stars"]) for row in outcomes["shown"]} == {("0.0", "0")}
    for row in rows:
        chance = float(row["propensity"]) if row["propensity"] else None
        assert (chance is None) == (row["surface"] == "search")
        assert chance is None or 0.0 < chance <= 1.0
    by_page: dict[str, list[int]] = {}
    for row in rows:
        by_page.setdefault(row["exposure"], []).append(int(row["position"]))
    assert all(places == list(range(len(places))) for places in by_page.values())


def test_what_was_added_later_has_its_own_id(log: Log) -> None:
    rows = list(interactions(log, exposures=True))
    assert "u-new" in {row[0] for row in rows}
    assert "tt-new" in {row[1] for row in rows}
    assert not any(str(row[0]).isdecimal() or str(row[1]).isdecimal() for row in rows)


def test_columns_are_those_that_are_named(log: Log) -> None:
    columns = columns_of(interactions(log))
    assert list(columns) == list(COLUMNS)
    assert columns_of([]) == {name: [] for name in COLUMNS}
    for name, values in columns.items():
        assert {type(value) for value in values} <= {TYPES[name], type(None)}


@pytest.mark.parametrize("order", ["together", "one-by-one"])
def test_dialogues_and_posts_are_lines_of_json(order: str, tmp_path: Path) -> None:
    text = f"agents = 40\nrounds = 3\n[run]\norder = '{order}'\n"
    news = "[[interventions]]\nround = 2\ndo = 'announce'\ntext = 'Hear, hear'\n"
    start(parse(text + news), 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        talks, posts = export(log, "dialogues", tmp_path)
        said = count(log, e.Said)
        posted = count(log, e.Posted) + count(log, e.Forwarded)
        delivered = [r.event for r in log.records() if isinstance(r.event, e.Delivered)]
    lines = [json.loads(line) for line in talks.read_text().splitlines()]
    assert sum(len(one["lines"]) for one in lines) == said > 0
    for one in lines:
        assert {line["person"] for line in one["lines"]} <= set(one["people"])
        assert all(line["text"] for line in one["lines"])
    told = [json.loads(line) for line in posts.read_text().splitlines()]
    assert len(told) == posted + 1 > 1
    heard = [one for one in told if one["text"] == "Hear, hear"]
    assert [one["person"] for one in heard if "forwards" not in one] == [""]
    assert {one["author"] for one in heard if "forwards" in one} <= {""}
    assert sum(one["reached"] for one in told) == sum(len(one.to) for one in delivered)
    assert any("forwards" in one for one in told)


def test_metrics_are_one_tidy_table(log: Log, tmp_path: Path) -> None:
    (path,) = export(log, "metrics", tmp_path)
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    whole = {row["metric"]: row["value"] for row in rows if row["scope"] == "run"}
    assert float(whole["picks"]) == count(log, e.Picked)
    rounds = [row for row in rows if row["scope"] == "round" and row["metric"] == "picks"]
    assert [row["round"] for row in rounds] == ["1", "2", "3", "4"]
    assert sum(float(row["value"]) for row in rounds) == float(whole["picks"])
    people = {row["person"]: row for row in rows if row["metric"] == "picks" and row["person"]}
    assert len(people) == 26
    assert "u-new" in people
    assert people["u-3"]["label"] == "Picks"


def test_recbole_files_have_typed_columns_and_no_stray_tabs(log: Log, tmp_path: Path) -> None:
    inter, items, users, net = export(log, "recbole", tmp_path)
    files = (inter, items, users, net)
    assert [path.suffix for path in files] == [".inter", ".item", ".user", ".net"]
    ties = len(net.read_text().splitlines()) - 1
    assert ties > 25
    for path, rows in ((inter, count(log, e.Picked)), (items, 31), (users, 26), (net, ties)):
        lines = path.read_text().splitlines()
        assert len(lines) == rows + 1
        assert all(":" in column for column in lines[0].split("\t"))
        assert {line.count("\t") for line in lines} == {lines[0].count("\t")}
        assert '"' not in path.read_text()
    assert "tt1\tTitle, 1\t1991\tb c-d" in items.read_text()
    assert "tt-new\tBrand 'New'" in items.read_text()
    assert "u-1\t21\t\ta b" in users.read_text()
    assert "u-new\tu-0" in net.read_text()
    labels = {line.split("\t")[4] for line in inter.read_text().splitlines()[1:]}
    assert labels == {"1"}
    shown, *_ = export(log, "recbole", tmp_path, exposures=True)
    assert {line.split("\t")[4] for line in shown.read_text().splitlines()[1:]} == {"0", "1"}


@pytest.mark.parametrize("exposures", [False, True])
def test_a_parquet_file_holds_the_same_rows_with_their_types(
    log: Log, tmp_path: Path, exposures: bool
) -> None:
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="pyarrow is in the extras 'parquet' and 'dev'"
    )
    (path,) = export(log, "parquet", tmp_path, exposures=exposures)
    table = parquet.read_table(path)
    assert path.name == "interactions.parquet"
    assert table.to_pydict() == columns_of(interactions(log, exposures=exposures))
    kinds = {"int64": int, "double": float, "string": str}
    assert {field.name: kinds[str(field.type)] for field in table.schema} == TYPES


def test_parquet_without_pyarrow_says_what_it_needs(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BadInput, match="needs pyarrow: pip install"):
        export(log, "parquet", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_knows_every_kind() -> None:
    from audience.cli import runs as command

    assert command.KINDS == KINDS


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
