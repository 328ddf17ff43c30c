from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.datasets.files import ABSENT, ATOMIC, SHARED, packed, write

from audience.datasets import Corpus
from audience.datasets.loaders import Atomic
from audience.datasets.loaders.tables import installed_ml100k
from audience.errors import BadInput


def read(path: Path, **options: object) -> Corpus:
    return Atomic(path, **options).corpus()


def test_all_four_files(tmp_path: Path) -> None:
    for path in (write(tmp_path / "tiny", ATOMIC), packed(tmp_path / "tiny.zip", ATOMIC)):
        found = read(path)
        first, second = found.items
        assert (first.title, first.year, first.tags) == ("The First", 1990, ("Drama", "War"))
        assert (second.title, second.year, second.tags) == ("y", None, ())
        ann, bob = found.people
        assert (ann.key, ann.age, ann.gender, ann.career) == ("a", 30, "female", "nurse")
        assert bob.key == "b"
        assert found.lived.at.tolist() == [10, 20, 30]
        assert found.ties is not None
        assert (found.ties.firsts.tolist(), found.ties.others.tolist()) == ([0], [1])
        (lost,) = found.skipped
        assert (lost.reason, lost.count) == ("a tie of somebody without interactions", 1)
        assert lost.first.endswith("tiny.net: line 3")


def test_roles_can_be_given(tmp_path: Path) -> None:
    inter = "who:token\twhat:token\tliked:float\tplays:float\na\tx\t4\t30\nb\ty\t2\t10\n"
    folder = write(tmp_path, {"odd.inter": inter})
    with pytest.raises(BadInput, match=r"odd.inter: line 1: no column is known as the user .*who"):
        read(folder)
    with pytest.raises(BadInput, match=r"user = 'whom' is not a column \(found: 'who', 'what'"):
        read(folder, user="whom", item="what")
    found = read(folder, user="who", item="what", rating="liked", half=10.0)
    assert found.lived.stars.tolist() == [4.0, 2.0]
    assert found.lived.fractions.tolist() == [0.75, 0.5]
    assert not found.dated


def test_an_unknown_option_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="colour"):
        Atomic(tmp_path, colour="red")


def test_a_scale_to_ten_is_seen_and_another_must_be_told(tmp_path: Path) -> None:
    head = "user_id:token\titem_id:token\trating:float\n"
    rows = "".join(f"u\ti{n}\t{n}\n" for n in range(11))
    found = read(write(tmp_path / "ten", {"b.inter": head + rows}))
    assert found.lived.stars.tolist() == [0.0, *(n / 2 for n in range(1, 11))]
    assert found.notes[0] == "ratings are on a scale to 10; 5 stars are its best"
    folder = write(tmp_path / "far", {"b.inter": f"{head}u\ti\t3\nu\tj\t77\n"})
    with pytest.raises(BadInput, match=r"b.inter: line 3: rating 77 is out of range; .*set best"):
        read(folder)
    assert read(folder, best=100.0).lived.stars.tolist() == [0.5, 3.85]


def test_several_datasets_need_a_name(tmp_path: Path) -> None:
    folder = write(tmp_path, {**ATOMIC, "more.inter": ATOMIC["tiny.inter"]})
    with pytest.raises(BadInput, match=r"several datasets \(more, tiny\); choose with name"):
        read(folder)
    assert read(folder, name="tiny").name == "tiny"
    with pytest.raises(BadInput, match="'huge' is unknown"):
        read(folder, name="huge")
    with pytest.raises(BadInput, match=r"holds no \.inter file"):
        read(write(tmp_path / "none", {"a.txt": ""}))


def test_an_installed_recbole_is_found_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    write(tmp_path / "recbole", {"__init__.py": "raise RuntimeError('imported')"})
    assert installed_ml100k() is None
    files = {name.replace("tiny", "ml-100k"): text for name, text in ATOMIC.items()}
    place = write(tmp_path / "recbole" / "dataset_example" / "ml-100k", files)
    assert installed_ml100k() == place
    assert "recbole" not in sys.modules
    assert read(place).domain.noun == "film"


@pytest.mark.skipif(not (SHARED / "ml-100k").is_dir(), reason=ABSENT)
def test_the_whole_of_100k() -> None:
    found = read(SHARED / "ml-100k")
    assert (len(found.items), len(found.people), len(found.lived)) == (1682, 943, 100_000)
    assert round(float(found.lived.stars.mean()), 2) == 3.53
    assert found.people[0].career == "technician"
