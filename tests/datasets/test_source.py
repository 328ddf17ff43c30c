from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest
from tests.datasets.files import packed, write

from audience.datasets import source as _source
from audience.datasets.source import Source, zipped
from audience.errors import BadInput


def read(source: Source, name: str) -> list[bytes]:
    return [line for _, lines in source.blocks(name) for line in lines]


def test_files_are_found_by_their_last_name(tmp_path: Path) -> None:
    write(tmp_path / "in", {"A.txt": "one\r\ntwo\n"})
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"three\nfour"))
    source = Source(tmp_path)
    assert source.names == ("b.txt.gz", "in/A.txt")
    assert "a.txt" in source
    assert "c.txt" not in source
    assert read(source, "a.txt") == [b"one", b"two"]
    assert read(source, "b.txt") == [b"three", b"four"]
    with pytest.raises(BadInput, match=r"c.txt is missing"):
        read(source, "c.txt")


def test_a_compressed_file_in_an_archive_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("deep/x.csv.gz", gzip.compress(b"a\nb\n"))
    assert read(Source(tmp_path / "a.zip"), "x.csv") == [b"a", b"b"]


def test_two_files_of_a_name_are_refused_unless_one_is_nearer(tmp_path: Path) -> None:
    write(tmp_path / "one", {"x.csv": "1"})
    write(tmp_path / "two", {"x.csv": "2"})
    with pytest.raises(BadInput, match=r"holds both one/x.csv and two/x.csv; give the folder"):
        Source(tmp_path).find("x.csv")
    write(tmp_path, {"x.csv": "0"})
    assert Source(tmp_path).find("x.csv") == "x.csv"


def test_lines_across_blocks_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_source, "BLOCK", 7)
    write(tmp_path, {"x": "".join(f"line {n}\n" for n in range(50)) + "last"})
    blocks = list(Source(tmp_path).blocks("x"))
    assert [line for _, lines in blocks for line in lines][-2:] == [b"line 49", b"last"]
    number = 1
    for first, lines in blocks:
        assert first == number
        number += len(lines)
    monkeypatch.setattr(_source, "LONGEST", 3)
    write(tmp_path, {"y": "an endless line without an end"})
    with pytest.raises(BadInput, match=r"y: line 1 is longer than"):
        list(Source(tmp_path).blocks("y"))


@pytest.mark.parametrize(
    "name", ["../out.csv", "/etc/out.csv", "a/../../out.csv", "..\\out.csv", "C:/out.csv"]
)
def test_a_name_that_leads_outside_is_refused(tmp_path: Path, name: str) -> None:
    path = packed(tmp_path / "a.zip", {"good.csv": "1", name: "2"})
    with pytest.raises(BadInput, match=r"a.zip: '.*out.csv' would lie outside"):
        Source(path)


def test_a_link_in_an_archive_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("passwords")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BadInput, match=r"'passwords' is a link"):
        Source(tmp_path / "a.zip")


def test_a_truncated_or_damaged_archive_is_refused(tmp_path: Path) -> None:
    rows = "".join(f"{n * 7919 % 9973},{n}\n" for n in range(5000))
    path = packed(tmp_path / "a.zip", {"x.csv": rows})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match=r"is not a whole zip archive .*; download it again"):
        zipped(path)
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"\0\0\0\0" + whole[middle + 4 :])
    with pytest.raises(BadInput, match=r"x.csv: ends early or is damaged"):
        read(Source(path), "x.csv")


def test_what_is_not_there_and_what_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("nothing", "nothing.zip"):
        with pytest.raises(BadInput, match=rf"{name} does not exist"):
            Source(tmp_path / name)
    monkeypatch.setattr(_source, "_MOST", 2)
    write(tmp_path, {"1": "", "2": "", "3": ""})
    with pytest.raises(BadInput, match=r"holds more than 2 files"):
        Source(tmp_path)
