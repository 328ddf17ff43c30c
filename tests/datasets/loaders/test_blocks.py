from __future__ import annotations

from pathlib import Path

import pytest
from tests.datasets.files import write

from audience.datasets.loaders import blocks as _blocks
from audience.datasets.loaders.blocks import Block, TableFormat, table_blocks
from audience.datasets.source import Source
from audience.errors import BadInput


def blocks(folder: Path, text: str, form: TableFormat, needed: tuple[str, ...] = ()) -> list[Block]:
    return list(table_blocks(Source(write(folder, {"t.csv": text})), "t.csv", form, needed))


def test_columns_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blocks, "_ROWS", 3)
    found = blocks(tmp_path, "A, b\n" + "".join(f"{n},{n * n}\n" for n in range(7)), TableFormat())
    assert [block.line for block in found] == [2, 4, 7]
    assert [number for one in found for number in one.numbers("b").tolist()] == [
        *(float(n * n) for n in range(7))
    ]
    with pytest.raises(BadInput, match=r"line 6 has 3 cells"):
        blocks(tmp_path, "a,b\n" + "1,2\n" * 4 + "1,2,3\n", TableFormat())


def test_quotes_may_hold_separators_and_line_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_blocks, "_ROWS", 2)
    text = '\ufeffa,b\n1,2\n3,"4,\n5"\n6,7\n8,9\n'
    found = blocks(tmp_path, text, TableFormat(quoted=True))
    assert [cell for one in found for cell in one.columns["b"]] == ["2", "4,\n5", "7", "9"]


def test_numbers_and_moments(tmp_path: Path) -> None:
    text = "n,t,d\n1.5,1600000000000,2024-01-01\n,1700000000000,2024-01-01T01:00Z\n"
    (one,) = blocks(tmp_path, text, TableFormat())
    assert one.numbers("n").tolist()[0] == 1.5
    assert one.moments("t").tolist() == [1_600_000_000, 1_700_000_000]
    assert (one.moments("d")[1] - one.moments("d")[0]) == 3600
    for column, low, told in (("n", 2.0, "1.5 is out of range"), ("d", 0.0, "is not a number")):
        with pytest.raises(BadInput, match=told):
            one.numbers(column, low=low)
    (bare,) = blocks(tmp_path, "n,t\n1,100\n2,\n", TableFormat())
    with pytest.raises(BadInput, match=r"line 3, column 't': is empty; every line needs a moment"):
        bare.moments("t")
    (far,) = blocks(tmp_path, "n\ninf\n", TableFormat())
    with pytest.raises(BadInput, match=r"line 2, column 'n': inf is out of range"):
        far.numbers("n")


def test_an_empty_file_and_a_header_alone(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"t.csv: is empty; it should hold a, b"):
        blocks(tmp_path, "", TableFormat(), ("a", "b"))
    assert blocks(tmp_path, "a,b\n", TableFormat(), ("a", "b")) == []
