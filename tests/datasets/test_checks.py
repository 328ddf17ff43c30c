from __future__ import annotations

from pathlib import Path

import pytest

from audience.datasets import check, listing
from audience.errors import BadInput


def test_check_counts_and_warns(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id,title,tag,tags\n1,A,x,Fun\n2,B,,\n3,A,,Fun|Long\n")
    (tmp_path / "people.csv").write_text("id,interests\na,Fun|Sleep\nb,\nc,Fun\n")
    (tmp_path / "ties.csv").write_text("from,to\na,b\n")
    (tmp_path / "interactions.csv").write_text("person,item\na,1\nc,2\n")
    found = check(tmp_path)
    assert (found.items, found.people, found.ties, found.interactions, found.tags) == (
        3,
        3,
        2,
        2,
        2,
    )
    assert found.warnings == (
        "items.csv: column 'tag' is not used; did you mean 'tags'?",
        "items.csv: 1 of 3 items have no tags",
        "items.csv: 1 items repeat the title and year of another",
        "people.csv: 1 of 3 people have no interests",
        "people.csv: 1 interests are no item's tag, such as 'Sleep'",
        "ties.csv: 1 of 3 people have no ties",
    )


def test_check_says_what_will_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id,title,tags\n1,A,Fun\n")
    assert check(str(tmp_path)).warnings == ("people.csv is missing: people will be drawn",)
    (tmp_path / "people.csv").write_text("id,interests\na,Fun\n")
    assert check(tmp_path).warnings == ("ties.csv is missing: ties will be drawn",)


def test_check_raises_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"items\.csv does not exist"):
        check(tmp_path)


def test_listing_names_what_there_is() -> None:
    found = {listed.name: listed for listed in listing()}
    assert list(found)[:4] == ["films", "books", "folder", "recsim"]
    assert (found["films"].items or 0) >= 600
    assert (found["books"].items or 0) >= 150
    assert (found["recsim"].items, found["recsim"].tags) == (2000, 20)
    assert found["recsim"].counts == "2,000 items, 20 tags"
    assert found["folder"].counts == ""
    for listed in found.values():
        assert listed.what.endswith(".")


def test_a_mistake_is_named_by_its_line_however_many_lines_a_cell_takes(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,1,3,5\n")
    (tmp_path / "movies.csv").write_text(
        'movieId,title,genres\n1,"A\n(1990)",Drama\n2,B (1991),Drama\n,C,Drama\n'
    )
    with pytest.raises(BadInput, match=r"movies\.csv: line 5, column"):
        check(tmp_path)


def test_a_header_after_empty_lines_is_named_by_its_own_line(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("\n\nid,titel,tags\n1,A,x\n")
    with pytest.raises(BadInput, match=r"items\.csv: line 3: column 'title' is missing"):
        check(tmp_path)
