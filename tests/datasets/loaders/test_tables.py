from __future__ import annotations

from pathlib import Path

import pytest
from tests.datasets.files import gzipped, write

from audience.datasets import Corpus
from audience.datasets.loaders import MappedTables
from audience.errors import BadInput

ROWS = "Who;When;What;Points\nann;2024-01-02;b1;9\nbob;2024-01-01T10:00;b2;\nann;2023-01-01;b2;10\n"
MAPPING = {"user": "Who", "item": "What", "rating": "Points", "time": "When", "separator": ";"}


def read(path: Path, **options: object) -> Corpus:
    return MappedTables(path, **options).corpus()


def test_columns_by_mapping(tmp_path: Path) -> None:
    write(tmp_path, {"log.csv": ROWS, "books.csv": "What;Name;Genre\nb1;Salt;Drama|Sea\n"})
    found = read(
        tmp_path, **MAPPING, interactions="log.csv", items="books.csv", best=10, noun="book"
    )
    assert [one.key for one in found.people] == ["ann", "bob"]
    assert found.lived.users.tolist() == [0, 1, 0]
    assert found.lived.stars.tolist() == [5.0, 0.0, 4.5]
    salt, bare = found.items
    assert (salt.title, salt.tags, bare.title) == ("Salt", ("Drama", "Sea"), "b2")
    assert found.domain.noun == "book"


def test_one_file_with_usual_names_needs_no_mapping(tmp_path: Path) -> None:
    text = 'user_id,item_id,timestamp\n"u,1",a,1700000000000\nu2,a,1600000000000\n'
    for path in (gzipped(tmp_path / "log.csv.gz", text), write(tmp_path / "f", {"l.csv": text})):
        found = read(path)
        assert [one.key for one in found.people] == ["u,1", "u2"]
        assert found.lived.at.tolist() == [1_600_000_000, 1_700_000_000]


def test_a_file_without_a_header(tmp_path: Path) -> None:
    folder = write(tmp_path, {"log.tsv": "u\ti\t3\nv\ti\t4\n"})
    found = read(folder, columns=["user", "item", "rating"], separator="\t")
    assert len(found.lived) == 2
    assert not found.dated


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        (ROWS, {**MAPPING, "separator": ","}, r"log.csv: line 1: user = 'who' is not a column"),
        (ROWS, {**MAPPING, "rating": "Stars"}, r"rating = 'stars' is not a column \(found: 'who'"),
        (ROWS.replace("bob;", "bob;x;"), MAPPING, r"line 3 has 5 cells where 4 are expected"),
        (ROWS.replace("b2;\n", "b2;bad\n"), MAPPING, r"line 3, column 'rating': 'bad' is not a nu"),
        (
            ROWS.replace("2024-01-02", "soon"),
            MAPPING,
            r"line 2, column 'time': 'soon' is not a",
        ),
        (ROWS.replace("2024-01-02", ""), MAPPING, r"line 2, column 'time': is empty"),
        (ROWS.replace(";9", ";-9"), MAPPING, r"line 2, column 'rating': -9 is out of range"),
        (ROWS, {**MAPPING, "encoding": "klingon"}, r"encoding 'klingon' is unknown"),
        (ROWS.replace("Points", "Who"), MAPPING, r"column 'who' appears twice"),
        ("", MAPPING, r"log.csv: is empty"),
        ("a,b\nx,y\n", {}, r"no column is known as the user .* say which one it is: user = '…'$"),
        ("user;item\nx;y\n", {}, r"known as the user .* separated by ';': set separator$"),
        ('user,item\na,"b\nc,d\n', {}, r"near line 3: .*; check the quotes"),
        (ROWS.replace("bob", "b\0b"), MAPPING, r"line 3 holds a NUL byte"),
    ],
)
def test_a_mistake_is_named_by_file_and_line(
    tmp_path: Path, text: str, options: dict[str, str], told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        read(write(tmp_path, {"log.csv": text}), **options)


def test_another_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, {"log.csv": "user,item\nann,a\nzoé,b\n"}, "latin-1")
    with pytest.raises(BadInput, match=r"log.csv: line 3 is not utf-8; give its encoding"):
        read(tmp_path)
    assert read(tmp_path, encoding="latin-1").people[1].key == "zoé"


def test_which_table_must_be_said_where_there_are_several(tmp_path: Path) -> None:
    write(tmp_path, {"a.csv": ROWS, "b.csv": ROWS})
    with pytest.raises(BadInput, match=r"Say interactions = '…' \(found: a.csv, b.csv\)"):
        read(tmp_path, **MAPPING)
