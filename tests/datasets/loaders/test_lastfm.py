from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.datasets.files import ABSENT, LASTFM, SHARED, packed, write

from audience.datasets import Corpus
from audience.datasets.loaders import LastFm
from audience.errors import BadInput

TAGS = {
    "tags.dat": "tagID\ttagValue\n1\tmetal\n2\tpop\n",
    "user_taggedartists.dat": (
        "userID\tartistID\ttagID\tday\tmonth\tyear\n2\t51\t2\t1\t4\t2009\n4\t51\t2\t1\t4\t2009\n"
        "4\t51\t1\t1\t4\t2009\n"
    ),
}


def read(path: Path) -> Corpus:
    return LastFm(path).corpus()


def test_plays_friends_and_artists(tmp_path: Path) -> None:
    found = read(packed(tmp_path / "lastfm.zip", LASTFM))
    assert [one.title for one in found.items] == ["Duran", "Morcheeba"]
    assert found.lived.rows(found.lived.users == 0).fractions.tolist() == [0.5, 0.9091]
    assert found.ties is not None
    pairs = set(zip(found.ties.firsts.tolist(), found.ties.others.tolist(), strict=True))
    assert pairs == {(0, 1), (1, 0)}
    assert [(one.reason, one.count) for one in found.skipped] == [
        ("a tie of somebody without interactions", 1)
    ]
    assert found.domain.noun == "artist"


def test_a_copy_with_counts_for_a_header_and_packed_by_gzip(tmp_path: Path) -> None:
    counts = {
        name: "9\n9\n" + text.partition("\n")[2] if name != "artists.dat" else text
        for name, text in LASTFM.items()
    }
    for name, text in counts.items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    found = read(tmp_path)
    assert (len(found.lived), len(found.people)) == (3, 2)


def test_tags_come_from_those_who_tagged(tmp_path: Path) -> None:
    assert read(write(tmp_path, {**LASTFM, **TAGS})).items[0].tags == ("pop", "metal")


def test_a_mistake_is_named_by_file_and_line(tmp_path: Path) -> None:
    wrong = {**LASTFM, "user_artists.dat": LASTFM["user_artists.dat"].replace("26\n", "-1\n", 1)}
    wrong["user_artists.dat"] += "5\t51\n"
    with pytest.raises(BadInput, match=r"user_artists.dat: line 5 has 2 cells where 3"):
        read(write(tmp_path, wrong))


def test_a_truncated_gzip_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {name: text for name, text in LASTFM.items() if name != "user_artists.dat"})
    whole = gzip.compress(("".join(f"2\t{n}\t{n * 7919 % 997}\n" for n in range(20000))).encode())
    (tmp_path / "user_artists.dat.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match=r"user_artists.dat.gz: ends early or is damaged after line"):
        read(tmp_path)


@pytest.mark.skipif(not (SHARED / "hetrec-lastfm").is_dir(), reason=ABSENT)
def test_the_whole_of_lastfm() -> None:
    found = read(SHARED / "hetrec-lastfm")
    assert (len(found.people), len(found.lived)) == (1892, 92_834)
    assert found.ties is not None
    assert len(found.ties.firsts) == 2 * 12_717
