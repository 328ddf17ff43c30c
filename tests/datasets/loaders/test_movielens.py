from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.datasets.files import ABSENT, ML_1M, ML_100K, ML_CSV, POSITIONS, SHARED, packed, write

from audience.datasets import Corpus
from audience.datasets.loaders import MovieLens
from audience.errors import BadInput
from audience.world import Clock

LATIN = "latin-1"


def read(path: Path) -> Corpus:
    return MovieLens(path).corpus()


@pytest.mark.parametrize("inside", ["", "ml-100k/"])
def test_100k_from_an_archive_and_a_folder(tmp_path: Path, inside: str) -> None:
    for path in (
        write(tmp_path / "folder" / inside, ML_100K, LATIN).parent if inside else None,
        packed(tmp_path / "ml.zip", ML_100K, LATIN, inside),
    ):
        if path is None:
            continue
        found = read(path)
        assert (found.name, len(found.items), len(found.people)) == ("MovieLens 100K", 3, 3)
        assert found.items[0].title == "The Café"
        assert (found.items[0].year, found.items[0].tags) == (1995, ("Comedy", "Drama"))
        assert [found.items[item].key for item in found.lived.items] == ["10", "20", "10"]
        assert found.lived.at.tolist() == [100, 200, 300]
        assert found.lived.stars.tolist() == [3.0, 4.0, 5.0]
        ann, ben, _ = found.people
        assert (ann.gender, ann.age, ann.career, ann.key) == ("male", 24, "technician", "1")
        assert (ben.gender, ben.career) == ("female", "")
        assert found.notes == ("1 people have no history",)


def test_1m_as_published(tmp_path: Path) -> None:
    found = read(write(tmp_path, ML_1M, LATIN))
    assert found.name == "MovieLens 1M"
    assert [(one.title, one.year) for one in found.items] == [("The Café", 1995), ("Amélie", 2001)]
    assert (found.people[0].age, found.people[0].career) == (15, "K-12 student")
    assert found.lived.users.tolist() == [1, 0, 0]
    assert found.dated


def test_the_csv_layout_has_half_stars_and_nothing_about_people(tmp_path: Path) -> None:
    found = read(packed(tmp_path / "ml-25m.zip", ML_CSV, inside="ml-25m/"))
    assert [one.key for one in found.people] == ["1", "2"]
    assert found.lived.stars.tolist() == [3.0, 4.5, 0.5]
    assert found.items[1].tags == ()
    past = MovieLens(tmp_path / "ml-25m.zip").genesis(2, 1, Clock()).past
    assert [one.stars for one in past] == [3, 5, 1]


def test_positions_keep_the_order_of_each_person(tmp_path: Path) -> None:
    found = read(write(tmp_path, POSITIONS, LATIN))
    mine = found.lived.rows(found.lived.users == 0)
    assert [found.items[item].key for item in mine.items] == ["20", "10"]
    assert (np.diff(mine.at) > 0).all()
    assert not found.dated
    assert not found.lived.stars.any()


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("ratings.dat", "2::10::3::100", "2::10::6::100", r"ratings.dat: line 2, .*6 is out of"),
        ("ratings.dat", "2::10::3::100", "2::10::0::100", r"line 2, .*0 is out of range"),
        ("ratings.dat", "2::10::3::100", "2::10::good::100", r"line 2, .*'good' is not a number"),
        ("ratings.dat", "2::10::3::100", "2::10::3", r"line 2 has 3 cells where 4 are expected"),
        ("ratings.dat", "2::10::3::100", "2::10::3::soon", r"line 2, .*'soon' is not a moment"),
        ("ratings.dat", "2::10::3::100", "::10::3::100", r"line 2, column 'user': is empty"),
        ("ratings.dat", "::", ",", r"line 1 has 1 cells .*separated by ',': set separator"),
        ("movies.dat", "10::Caf", "::Caf", r"movies.dat: line 1, column 'id': is empty"),
        ("users.dat", "1::F::1::", "1::F::old::", r"users.dat: line 1, column 'age': 'old' is not"),
        ("users.dat", "2::M::56::16", "2::M::56::99", r"users.dat: line 2, .*99 is out of range"),
    ],
)
def test_a_mistake_is_named_by_file_and_line(
    tmp_path: Path, file: str, old: str, new: str, told: str
) -> None:
    files = {**ML_1M, file: ML_1M[file].replace(old, new)}
    assert files != ML_1M
    with pytest.raises(BadInput, match=told):
        read(write(tmp_path, files, LATIN))


def test_what_is_twice_is_left_out_and_counted(tmp_path: Path) -> None:
    again = ML_1M["ratings.dat"] + "1::10::2::300\n1::10::2::900\n"
    movies = ML_1M["movies.dat"] + "10::Again (1999)::War\n"
    found = read(write(tmp_path, {**ML_1M, "ratings.dat": again, "movies.dat": movies}, LATIN))
    told = {one.reason: one.count for one in found.skipped}
    assert told == {"the same item again": 1, "the same person, item and moment again": 1}
    assert found.lived.stars.tolist() == [3.0, 4.0, 5.0, 2.0]
    assert found.items[0].title == "The Café"


def test_a_film_without_text_is_called_by_its_id(tmp_path: Path) -> None:
    more = ML_1M["ratings.dat"] + "1::77::2::400\n"
    found = read(write(tmp_path, {**ML_1M, "ratings.dat": more}, LATIN))
    assert (found.items[2].title, found.items[2].key) == ("77", "77")
    assert found.notes == ("1 items have no text: their id stands for the title",)


def test_no_movielens_and_no_interactions(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"is not MovieLens; it should hold one of: u.data"):
        read(write(tmp_path / "other", {"x.txt": "1"}))
    with pytest.raises(BadInput, match=r"ratings.dat: holds no interactions"):
        read(write(tmp_path / "empty", {**ML_1M, "ratings.dat": ""}, LATIN))


@pytest.mark.skipif(not (SHARED / "ml-1m").is_dir(), reason=ABSENT)
def test_the_whole_of_1m_in_positions() -> None:
    found = MovieLens(SHARED / "ml-1m")
    corpus = found.corpus()
    assert (len(corpus.items), len(corpus.people), len(corpus.lived)) == (3883, 6040, 1_000_209)
    assert corpus.skipped == ()
    genesis = found.genesis(50, 1, Clock())
    assert len(genesis.past) == int((corpus.lived.users < 50).sum())
