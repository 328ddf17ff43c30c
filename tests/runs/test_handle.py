from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.files import claim
from audience.log import Log
from audience.runs import conduct, make_room, start
from audience.scenario import parse

SMALL = parse("agents = 20\nrounds = 1\nrecommender = 'popular'")


def test_a_new_or_empty_folder_has_room(tmp_path: Path) -> None:
    make_room(tmp_path / "new")
    make_room(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_creation_left_is_no_obstacle(tmp_path: Path) -> None:
    for name in ("lock", "run.db.partial", "run.db.partial-journal"):
        (tmp_path / name).write_text("half")
    make_room(tmp_path)
    start(SMALL, 1, tmp_path)


def test_a_run_and_an_experiment_are_removed_whole_when_told(tmp_path: Path) -> None:
    one, both = tmp_path / "one", tmp_path / "both"
    start(SMALL, 1, one)
    conduct(parse("agents = 20\nrounds = 1\nseeds = 2"), both)
    for folder in (one, both):
        (folder / "figures").mkdir()
        (folder / "figures" / "a.svg").write_text("drawn")
        (folder / "report.html").write_text("written")
        with pytest.raises(BadInput, match="already holds a run; continue with"):
            make_room(folder)
        make_room(folder, overwrite=True)
        assert list(folder.iterdir()) == []


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    one, taken, other = tmp_path / "one", tmp_path / "taken", tmp_path / "other"
    start(SMALL, 1, one)
    (one / "thesis").mkdir()
    other.mkdir()
    (other / "photo.png").write_text("mine")
    taken.write_text("mine")
    for folder, told in (
        (one, "holds thesis besides a run"),
        (other, "is not a run"),
        (taken, "is a file"),
    ):
        with pytest.raises(BadInput, match=told):
            make_room(folder, overwrite=True)
    assert (one / "run.db").exists()
    assert (other / "photo.png").exists()
    assert taken.read_text() == "mine"


def test_a_run_that_is_being_written_is_not_removed(tmp_path: Path) -> None:
    start(SMALL, 1, tmp_path / "one")
    with Log.open(tmp_path / "one", write=True), pytest.raises(BadInput, match="is being written"):
        make_room(tmp_path / "one", overwrite=True)
    assert (tmp_path / "one" / "run.db").exists()


def test_a_folder_is_claimed_once_and_by_the_same_words_again(tmp_path: Path) -> None:
    mark = tmp_path / "new" / "study.toml"
    claim(mark, "a = 1\n", "another study")
    claim(mark, "a = 1\n", "another study")
    with pytest.raises(BadInput, match="new holds another study; choose another folder"):
        claim(mark, "a = 2\n", "another study")
    assert mark.read_text() == "a = 1\n"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("")
    (tmp_path / "file").write_text("")
    for name, why in (("full", "is not empty"), ("file", "is a file")):
        with pytest.raises(BadInput, match=f"{name} {why}"):
            claim(tmp_path / name / "study.toml", "a = 1\n", "another study")
