"""Notes and scores on decisions, talk and people, from a page, and as labels."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Site, Sites

from audience.cli import main
from audience.log import Log
from audience.runs import notes_in


@pytest.fixture
def lived_run(site: Site) -> str:
    run = site.begin()
    site.until(run, "finished")
    return run


def write(site: Site, run: str, about: str, author: str, **note: object) -> Any:
    status, found = site.post(f"/runs/{run}/notes/{about}", {"author": author, **note}, "PUT")
    assert status == 200, found
    return found


def digest(folder: Path) -> str:
    with Log.open(folder) as log:
        return log.digest()


def talk_in(site: Site, run: str) -> str:
    lines = site.ok(f"/runs/{run}/story?kind=Said,Posted&limit=5")
    assert lines
    return f"talk.{lines[0]['n']}.{lines[0]['step']}"


def test_notes_are_kept_beside_the_run_and_outlive_the_server(
    sites: Sites, site: Site, lived_run: str
) -> None:
    run, before = lived_run, digest(site.root / lived_run)
    case = site.ok(f"/runs/{run}/decisions?count=1")[0]
    write(site, run, case["about"], "Ann", score=4, text="Sound.")
    write(site, run, case["about"], "Ann", score=2, text="On second thoughts, no.")
    write(site, run, case["about"], "Bo", score=5)
    write(site, run, "person.3", "Ann", text="Watches late.")
    write(site, run, talk_in(site, run), "Ann", score=1)
    write(site, run, "person.5", "Ann", score=3)
    write(site, run, "person.5", "Ann")
    again = sites(site.root)
    rows = again.ok(f"/runs/{run}/notes")
    assert [(one["subject"]["kind"], one["author"], one["score"]) for one in rows] == [
        ("talk", "Ann", 1),
        ("person", "Ann", None),
        ("decision", "Bo", 5),
        ("decision", "Ann", 2),
    ], "newest first, the last of each author, without what was taken back"
    assert rows[3]["words"] == "; ".join(case["lines"])
    about = again.ok(f"/runs/{run}/notes/{case['about']}")
    assert [one["author"] for one in about["notes"]] == ["Ann", "Bo"]
    assert digest(site.root / run) == before
    _, headers, text = again.raw("GET", f"/api/runs/{run}/notes.csv")
    assert "attachment" in headers["content-disposition"]
    table = list(csv.DictReader(io.StringIO(text.decode())))
    assert [row["score"] for row in table] == ["2", "5", "", "1"]
    assert table[0]["note"] == "On second thoughts, no."
    _, _, text = again.raw("GET", f"/api/runs/{run}/notes.json")
    assert json.loads(text) == rows[::-1]


def test_half_a_line_of_a_crash_costs_no_other_note(site: Site, lived_run: str) -> None:
    write(site, lived_run, "person.1", "Ann", score=3)
    path = site.root / lived_run / "notes.jsonl"
    with path.open("ab") as file:
        file.write(b'{"subject": {"kind": "per')
    assert len(site.ok(f"/runs/{lived_run}/notes")) == 1
    write(site, lived_run, "person.2", "Ann", score=4)
    assert [note.score for note in notes_in(site.root / lived_run)] == [3, 4]


def test_decisions_to_score_are_drawn_by_a_seed(site: Site, lived_run: str) -> None:
    path = f"/runs/{lived_run}/decisions?count=20"
    first = site.ok(path)
    assert len(first) == 20
    assert len({one["about"] for one in first}) == 20
    assert first == site.ok(path)
    assert first != site.ok(f"{path}&seed=2")
    assert all(one["lines"] and one["who"] and one["round"] for one in first)
    assert any(one["shown"] for one in first)


@pytest.mark.parametrize(
    ("about", "note", "status"),
    [
        ("person.999", {"author": "Ann", "score": 3}, 404),
        ("decision.999999.0", {"author": "Ann", "score": 3}, 404),
        ("talk.1.9999", {"author": "Ann", "score": 3}, 404),
        ("film.3", {"author": "Ann", "score": 3}, 422),
        ("person.1", {"author": "Ann", "score": 6}, 422),
        ("person.1", {"author": "", "score": 3}, 422),
        ("person.1", {"author": " \t", "score": 3}, 400),
        ("person.1", {"author": "x" * 81, "score": 3}, 422),
        ("person.1", {"author": "Ann", "text": "x" * 4001}, 422),
    ],
)
def test_a_note_that_cannot_be_kept(
    site: Site, lived_run: str, about: str, note: dict[str, Any], status: int
) -> None:
    assert site.post(f"/runs/{lived_run}/notes/{about}", note, "PUT")[0] == status
    assert site.ok(f"/runs/{lived_run}/notes") == []
    assert site.raw("PUT", f"/api/runs/{lived_run}/notes/person.1", token=False)[0] == 401


def test_scores_are_labels_with_the_agreement_of_two_people(
    site: Site, lived_run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*words: object) -> str:
        with pytest.raises(SystemExit):
            main(["eval", "people", "labels", str(folder), *map(str, words)])
        captured = capsys.readouterr()
        return captured.out + captured.err

    folder = site.root / lived_run
    assert "nobody scored anything" in told()
    cases = site.ok(f"/runs/{lived_run}/decisions?count=10")
    for place, case in enumerate(cases):
        write(site, lived_run, case["about"], "Ann", score=1 + place % 5)
        write(site, lived_run, case["about"], "Bo", score=1 + place % 5)
    write(site, lived_run, "person.1", "Ann", score=2)
    out = tmp_path / "labels.csv"
    found = json.loads(told("--out", out, "--json"))
    assert len(found["labels"]) == 21
    means = {row["kind"]: row for row in found["means"]}
    assert means["decision"]["mean"]["mean"] == 3.0
    assert (means["decision"]["things"], means["decision"]["authors"]) == (10, 2)
    agreed = {row["what"]: row["agreement"] for row in found["agreed"]}
    assert agreed["decision"]["alpha"] == 1.0
    assert agreed["person"]["alpha"] is None
    assert len(list(csv.DictReader(io.StringIO(out.read_text())))) == 21
    shown = told()
    assert "Krippendorff" in shown
    assert "1.00" in shown
