from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.lab.evaluation import read_source


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")
    return folder


def own(folder: Path) -> Path:
    return write(
        folder,
        items="id,title\na,One\nb,Two\nc,Three\n",
        people="id\nx\ny\n",
        ties="from,to,closeness,direction\nx,y,0.5,one\n",
        interactions="person,item,at,stars\nx,b,2020-01-02,4\nx,a,2020-01-01,5\ny,c,2020-01-03,\n",
    )


def test_a_folder_of_ones_own_is_read(tmp_path: Path) -> None:
    found = read_source(own(tmp_path))
    assert (len(found.catalogue), found.people) == (3, 2)
    assert found.lived.users.tolist() == [0, 0, 1]
    assert found.lived.items.tolist() == [0, 1, 2]
    assert found.lived.stars.tolist() == [5, 4, 0]
    assert found.ties is not None
    assert found.ties.neighbours(0) == (1,)


def test_atomic_files_are_read(tmp_path: Path) -> None:
    rows = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    rows += "7\t3\t4.5\t20\n7\t9\t2\t10\n8\t3\t5\t30\n"
    (tmp_path / "small.inter").write_text(rows, "utf-8")
    found = read_source(tmp_path)
    assert (len(found.catalogue), found.people) == (2, 2)
    assert sorted(found.lived.at.tolist()) == [10, 20, 30]
    assert sorted(found.lived.stars.tolist()) == [2, 5, 5]


def test_a_folder_without_interactions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no interactions"):
        read_source(write(tmp_path, items="id,title\na,One\n"))
