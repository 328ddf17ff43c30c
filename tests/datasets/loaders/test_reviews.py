from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.datasets import files as f

from audience.datasets import Corpus
from audience.datasets.loaders import Amazon, Steam
from audience.datasets.loaders.reviews import literal
from audience.errors import BadInput


def amazon(path: Path) -> Corpus:
    return Amazon(path).corpus()


def test_amazon_of_2018(tmp_path: Path) -> None:
    path = f.gzipped(tmp_path / "Beauty_5.json.gz", f.lines(f.AMAZON_2018))
    found = amazon(path)
    assert [one.key for one in found.people] == ["A", "B"]
    assert found.lived.stars.tolist() == [3.0, 5.0]
    assert found.items[0].title == "P1"
    (lost,) = found.skipped
    assert (lost.reason, lost.count) == ("a review without its user", 1)
    assert lost.first.endswith("Beauty_5.json.gz: line 3")


def test_amazon_of_2023_with_its_meta_file(tmp_path: Path) -> None:
    f.gzipped(tmp_path / "Home.jsonl.gz", f.lines(f.AMAZON_2023))
    f.gzipped(tmp_path / "meta_Home.jsonl.gz", f.lines(f.AMAZON_META))
    found = amazon(tmp_path)
    (lamp,) = found.items
    assert (lamp.key, lamp.title, lamp.tags) == ("P1", "A Lamp", ("Home", "Lamps"))
    assert lamp.about == "Bright. Warm."
    assert found.lived.at.tolist() == [200_000_000, 300_000_000]


def test_amazon_mistakes(tmp_path: Path) -> None:
    whole = f.lines(f.AMAZON_2018)
    path = f.gzipped(tmp_path / "a.json.gz", whole + '{"reviewerID": "A", "as')
    with pytest.raises(BadInput, match=r"a.json.gz: line 4 cannot be read: .*truncated"):
        amazon(path)
    f.gzipped(path, whole.replace("5.0", '"five"'))
    with pytest.raises(BadInput, match=r"line 1 cannot be read: Expected `float \| null`"):
        amazon(path)
    f.gzipped(path, whole.replace("5.0", "50.0"))
    with pytest.raises(BadInput, match=r"line 1: rating 50 is out of range"):
        amazon(path)
    cut = gzip.compress((whole * 4000).encode())
    path.write_bytes(cut[: len(cut) // 2])
    with pytest.raises(BadInput, match=r"ends early or is damaged"):
        amazon(path)
    f.write(tmp_path / "two", {"a.json": whole, "b.json": whole})
    with pytest.raises(BadInput, match=r"say reviews = '…', the file of reviews \(found: a.json"):
        amazon(tmp_path / "two")


def test_steam_with_its_games(tmp_path: Path) -> None:
    f.gzipped(tmp_path / "steam_reviews.json.gz", f.STEAM)
    f.gzipped(tmp_path / "steam_games.json.gz", f.STEAM_GAMES)
    found = Steam(tmp_path).corpus()
    assert [one.key for one in found.people] == ["Max", "Zoé"] or [
        one.key for one in found.people
    ] == ["Zoé", "Max"]
    (portal,) = found.items
    assert (portal.title, portal.tags, portal.year) == ("Portal", ("Action", "Puzzle"), 2007)
    assert found.lived.fractions.tolist() == [0.5, 0.5]
    assert {one.reason: one.count for one in found.skipped} == {
        "an item without its id": 1,
        "a review without its moment": 1,
    }


@pytest.mark.parametrize(
    "line",
    [
        b"__import__('os').system('true')",
        b"{'a': open('x')}",
        b"[1, 2]",
        b"{'a': ",
        b"[" * 5000,
        b"{'a': '" + b"x" * 70_000 + b"'}",
        b"\xff",
    ],
)
def test_what_is_no_plain_dictionary_is_never_run(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"literal|malformed|dictionary|longer|decode"):
        literal(line)


def test_a_steam_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = f.gzipped(tmp_path / "steam_reviews.json.gz", f.STEAM + "{'username': \n")
    with pytest.raises(BadInput, match=r"line 4 cannot be read: is not a Python literal"):
        Steam(path).corpus()
