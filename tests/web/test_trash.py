"""Deleting with undo: runs and experiments move into the trash and back, and nothing else does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.web.conftest import Site, Sites
from tests.web.test_experiments import BOTH

from audience.cli import main
from audience.log import Log
from audience.runs import conduct, start
from audience.scenario import Scenario, parse
from audience.web.trash import TRASH


@pytest.fixture(scope="module")
def _both(tmp_path_factory: pytest.TempPathFactory, small: Scenario) -> Path:
    root = tmp_path_factory.mktemp("full")
    start(small, 1, root / "one")
    conduct(parse(BOTH.replace("seeds = 3", "seeds = 1")), root / "both")
    return root


@pytest.fixture
def full(site: Site, _both: Path) -> Site:
    """A site with a run called `one` and an experiment called `both`."""
    shutil.copytree(_both, site.root, dirs_exist_ok=True)
    return site


def ids(site: Site) -> set[str]:
    return {row["id"] for row in site.ok("/runs")}


def test_a_run_goes_into_the_trash_and_comes_back_as_it_was(
    full: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    with Log.open(full.root / "one") as log:
        before = log.digest()
    full.ok("/runs/one/metrics")
    gone = full.ok("/trash", {"id": "one"})
    assert (gone["id"], gone["title"], gone["runs"]) == ("one", "Small", 1)
    assert "one" not in ids(full)
    assert full.get("/runs/one")[0] == 404
    assert full.get(f"/runs/{TRASH}~{gone['key']}~content")[0] == 404
    with pytest.raises(SystemExit):
        main(["runs", str(full.root), "--json"])
    assert TRASH not in capsys.readouterr().out
    assert [row["id"] for row in full.ok("/trash")] == ["one"]
    assert full.ok(f"/trash/{gone['key']}/restore", {})["id"] == "one"
    with Log.open(full.root / "one") as log:
        assert log.digest() == before
    assert full.ok("/trash") == []
    assert full.ok("/runs/one/metrics")["rounds"]


def test_an_experiment_goes_as_a_whole_and_never_in_part(full: Site) -> None:
    status, told = full.post("/trash", {"id": "both~random~seed-1"})
    assert (status, "delete both as a whole" in told["error"]) == (409, True)
    gone = full.ok("/trash", {"id": "both"})
    assert gone["runs"] == 2
    assert full.ok("/experiments") == []
    full.ok(f"/trash/{gone['key']}/restore", {})
    assert [one["id"] for one in full.ok("/experiments")] == ["both"]


def test_emptying_removes_for_good_and_leaves_the_rest(full: Site) -> None:
    full.ok("/trash", {"id": "one"})
    (full.root / TRASH / "note.txt").write_text("mine")
    assert full.ok("/trash/empty", {}) == {"removed": 1}
    assert full.ok("/trash") == []
    assert (full.root / TRASH / "note.txt").is_file()
    assert "both~random~seed-1" in ids(full)


def test_what_is_going_on_or_held_stays(site: Site, small: Scenario) -> None:
    run = site.begin(paused=True, name="live")
    status, told = site.post("/trash", {"id": run})
    assert (status, "stop it first" in told["error"]) == (409, True)
    start(small, 1, site.root / "held")
    code = (
        "import sys; from pathlib import Path; from audience.log import Log;"
        "log = Log.open(Path(sys.argv[1]), write=True); print('held', flush=True); input()"
    )
    command = [sys.executable, "-c", code, str(site.root / "held")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        status, told = site.post("/trash", {"id": "held"})
        assert (status, "another process" in told["error"]) == (409, True)
        other.communicate(b"\n")
    site.ok("/trash", {"id": "held"})


def test_a_name_that_is_taken_again_is_not_overwritten(full: Site, small: Scenario) -> None:
    gone = full.ok("/trash", {"id": "one"})
    start(small, 2, full.root / "one")
    status, told = full.post(f"/trash/{gone['key']}/restore", {})
    assert (status, "again" in told["error"]) == (409, True)
    assert full.ok("/runs/one")["seed"] == 2


BAD = [
    "",
    "..",
    "../one",
    "one/..",
    ".trash",
    "~",
    "one~..",
    "%2e%2e",
    "..~..~etc",
    "\0",
    "a" * 2000,
]


@pytest.mark.parametrize("id_", [*BAD, "a" * 2000])
def test_an_id_leads_nowhere_else(full: Site, tmp_path: Path, id_: str) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "run.db").write_bytes(b"mine")
    status, _ = full.post("/trash", {"id": id_})
    assert status in (404, 422)
    assert (kept / "run.db").is_file()
    assert {"one", "both~random~seed-1"} <= ids(full)


@pytest.mark.parametrize("key", ["..", "%2e%2e", ".", "x" * 16, "0" * 15, "../one", "empty2"])
def test_a_key_leads_nowhere_else(full: Site, key: str) -> None:
    status, _, _ = full.raw("POST", f"/api/trash/{key}/restore", body=b"{}")
    assert status in (404, 405, 422)


def test_links_are_not_followed_out_of_the_folder(full: Site, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "run.db").write_bytes(b"mine")
    (full.root / "link").symlink_to(outside)
    assert full.post("/trash", {"id": "link"})[0] == 404
    (full.root / "one" / "away").symlink_to(outside)
    full.ok("/trash", {"id": "one"})
    full.ok("/trash/empty", {})
    assert (outside / "run.db").read_bytes() == b"mine"


def test_a_trash_that_is_a_link_is_refused(full: Site, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (full.root / TRASH).symlink_to(outside)
    status, told = full.post("/trash", {"id": "one"})
    assert (status, "is not a folder" in told["error"]) == (409, True)
    assert list(outside.iterdir()) == []
    assert "one" in ids(full)


def test_a_note_that_was_tampered_with_restores_nothing_outside(full: Site, tmp_path: Path) -> None:
    gone = full.ok("/trash", {"id": "one"})
    note = full.root / TRASH / gone["key"] / "deleted.json"
    for parts in (["..", "stolen"], ["/tmp/stolen"], [".hidden"], [], ["a/../../b"]):
        note.write_text(json.dumps({"id": "x", "parts": parts, "title": "x", "runs": 1}))
        assert full.post(f"/trash/{gone['key']}/restore", {})[0] == 400, parts
    assert not (tmp_path / "stolen").exists()
    note.write_text("no json")
    assert full.post(f"/trash/{gone['key']}/restore", {})[0] == 404


def test_deleting_needs_the_token_and_our_own_page(full: Site) -> None:
    body = json.dumps({"id": "one"}).encode()
    json_ = {"content-type": "application/json"}
    assert full.raw("POST", "/api/trash", body=body, token=False, headers=json_)[0] == 401
    foreign = {**json_, "origin": "http://elsewhere.example"}
    assert full.raw("POST", "/api/trash", body=body, headers=foreign)[0] == 403
    assert "one" in ids(full)


def test_where_the_page_is_offered_to_others_nothing_is_deleted(
    sites: Sites, small: Scenario, tmp_path: Path
) -> None:
    start(small, 1, tmp_path / "runs" / "one")
    site = sites(host="0.0.0.0")
    for path in ("/trash", "/trash/empty", "/trash/0123456789abcdef/restore"):
        status, told = site.post(path, {"id": "one"} if path == "/trash" else {})
        assert (status, "offered to others" in told["error"]) == (409, True)
    assert site.get("/trash") == (200, [])
    assert os.listdir(tmp_path / "runs") == ["one"]
