"""Moments in several units: told apart or refused, by every loader."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from audience.datasets import check, moments_of, recognise
from audience.datasets.loaders.folder import read_folder
from audience.errors import BadInput

AT = 1_700_000_000
FORMS = {
    "seconds": str(AT),
    "fractions of seconds": f"{AT}.25",
    "milliseconds": str(AT * 1000 + 250),
    "microseconds": str(AT * 1_000_000 + 250),
    "nanoseconds": str(AT * 1_000_000_000),
    "ISO": "2023-11-14T22:13:20",
    "ISO with a space": "2023-11-14 22:13:20",
    "ISO in UTC": "2023-11-14T22:13:20Z",
    "ISO elsewhere": "2023-11-15T00:13:20+02:00",
}
every_form = pytest.mark.parametrize("form", FORMS)


def complain(row: int, what: str) -> BadInput:
    return BadInput(f"row {row}: {what}")


@every_form
def test_every_form_is_the_same_moment(form: str) -> None:
    assert moments_of([FORMS[form]] * 2, complain).tolist() == [AT, AT]


def test_a_day_is_its_first_second_and_old_moments_are_kept() -> None:
    assert moments_of(["2023-11-14"], complain).tolist() == [AT - 22 * 3600 - 13 * 60 - 20]
    assert moments_of(["0", "-86400", "100"], complain).tolist() == [0, -86400, 100]
    assert moments_of(["1969-12-31"], complain).tolist() == [-86400]
    assert moments_of([], complain).tolist() == []


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["20000000000"], "row 0: 20000000000 is a moment up to the year 2100 in no unit"),
        ([str(AT), str(AT * 1000)], "row 1: 1700000000000 looks like milliseconds and 1700000000"),
        ([str(AT * 1000), "100"], "row 1: 100 looks like seconds and 1700000000000 like milli"),
        (["20250131", "20250201"], "row 0: 20250131 may be a date or seconds since 1970"),
        (["2023-11-14", str(AT), str(AT * 1000)], "row 2: 1700000000000 looks like milli"),
        (["31/01/2025"], "row 0: '31/01/2025' is not a moment"),
        (["nan"], "row 0: 'nan' is not a moment"),
        (["9" * 25], "row 0: .* in no unit"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(cells: list[str], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        moments_of(cells, complain)


def folder(path: Path, *moments: str) -> Path:
    (path / "items.csv").write_text("id,title\na,A\nb,B\n", "utf-8")
    (path / "people.csv").write_text("id\np\n", "utf-8")
    lines = [f"p,{'ab'[row % 2]},{at}" for row, at in enumerate(moments)]
    (path / "interactions.csv").write_text("\n".join(["person,item,at", *lines]), "utf-8")
    return path


@every_form
def test_the_folder_loader_reads_every_form(tmp_path: Path, form: str) -> None:
    past = read_folder(folder(tmp_path, FORMS[form], "")).past
    assert past is not None
    assert [lived.at for lived in past] == [0, AT]


def test_data_check_refuses_what_the_folder_loader_cannot_tell(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"interactions.csv: line 3, column 'at': 1700000000000 loo"):
        check(folder(tmp_path, str(AT), str(AT * 1000)))


def table(path: Path, moment: str) -> Path:
    (path / "log.csv").write_text(f"user_id,item_id,timestamp\np,a,{moment}\n", "utf-8")
    return path / "log.csv"


def atomic(path: Path, moment: str) -> Path:
    header = "user_id:token\titem_id:token\ttimestamp:float"
    (path / "own.inter").write_text(f"{header}\np\ta\t{moment}\n", "utf-8")
    return path


def amazon(path: Path, moment: str) -> Path:
    review = {"user_id": "p", "parent_asin": "a", "rating": 5, "timestamp": int(moment)}
    (path / "reviews.jsonl").write_text(json.dumps(review) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("form", ["seconds", "milliseconds", "microseconds"])
@pytest.mark.parametrize("write", [table, atomic, amazon])
def test_other_loaders_read_the_units_too(
    tmp_path: Path, write: Callable[[Path, str], Path], form: str
) -> None:
    path = write(tmp_path, FORMS[form])
    assert np.array_equal(recognise(path).make(path).corpus().lived.at, [AT])


@pytest.mark.parametrize("write", [table, atomic, amazon])
def test_other_loaders_refuse_moments_of_no_unit(
    tmp_path: Path, write: Callable[[Path, str], Path]
) -> None:
    path = write(tmp_path, "20000000000")
    with pytest.raises(BadInput, match=r"line \d.*in no unit"):
        recognise(path).make(path).corpus()
