from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from audience.datasets.people import GRAPHS, KINDS, directed, edges_in, impact
from audience.datasets.people.follows import followers
from audience.errors import BadInput

KEYS = [f"p{number}" for number in range(6)]


def pairs(ties: object) -> set[tuple[int, int]]:
    starts, others = ties.starts, ties.others  # type: ignore[attr-defined]
    firsts = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return set(zip(firsts.tolist(), others.tolist(), strict=True))


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "edges.csv"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_graph_has_the_degree_asked_for_and_no_loops(kind: str) -> None:
    ties = directed(2_000, 1, kind, 8.0, 0.0)
    found = pairs(ties)
    assert len(found) == len(ties.others)
    assert not any(one == other for one, other in found)
    assert 6.8 < len(found) / 2_000 < 8.3
    assert found == pairs(directed(2_000, 1, kind, 8.0, 0.0))
    assert found != pairs(directed(2_000, 2, kind, 8.0, 0.0))


def test_preferential_ties_make_few_people_influential() -> None:
    def top(kind: str) -> float:
        counts = np.sort(followers(directed(5_000, 1, kind, 10.0, 0.0)))
        return float(counts[-50:].sum() / counts.sum())

    assert top("preferential") > 0.06 > 0.03 > top("random")


def test_mutual_is_the_share_that_is_answered() -> None:
    found = pairs(directed(2_000, 1, "random", 8.0, 1.0))
    assert all((other, one) in found for one, other in found)


@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("kind", GRAPHS)
def test_a_graph_of_few_people_can_be_made(people: int, kind: str) -> None:
    assert len(directed(people, 1, kind).starts) == people + 1


def test_edges_are_read_by_id_and_by_key(tmp_path: Path) -> None:
    wanted = {(0, 1), (2, 1), (5, 0)}
    for text in (
        "follower,followee\n0,1\n2,1\n5,0\n",
        "0,1\r\n2,1\r\n5,0",
        "0 1\n2 1\n5 0\n",
        "p0,p1\np2,p1\n\n# a note\np5,p0\n",
        "p0,1\n2,p1\n5,0\n5,0\n",
    ):
        assert pairs(edges_in(written(tmp_path, text), KEYS)) == wanted


def test_keys_that_are_other_numbers_than_ids_are_keys(tmp_path: Path) -> None:
    keys = ["10", "11", "12"]
    assert pairs(edges_in(written(tmp_path, "10,12\n"), keys)) == {(0, 2)}


def test_loops_are_left_out_and_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ties = edges_in(written(tmp_path, "0,0\n0,1\n3,3\n"), KEYS)
    assert pairs(ties) == {(0, 1)}
    assert "2 ties of people to themselves" in caplog.text


def test_disconnected_parts_and_no_edges_are_fine(tmp_path: Path) -> None:
    assert pairs(edges_in(written(tmp_path, "0,1\n4,5\n"), KEYS)) == {(0, 1), (4, 5)}
    assert pairs(edges_in(written(tmp_path, "follower,followee\n"), KEYS)) == set()


@pytest.mark.parametrize(
    ("text", "line", "who"),
    [
        ("follower,followee\n0,1\n2,9\n", 3, "9"),
        ("0,1\n# x\n\n-1,2\n", 4, "-1"),
        ("0,1\nnobody,2\n", 2, "nobody"),
        (f"0,{len(KEYS)}\n", 1, str(len(KEYS))),
        ("0,99999999999999999999\n", 1, "99999999999999999999"),
    ],
)
def test_an_unknown_person_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, who: str
) -> None:
    with pytest.raises(BadInput, match=f"line {line}: person '{who}' does not exist"):
        edges_in(written(tmp_path, text), KEYS)


def test_a_line_that_is_no_edge_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="line 2: '3' is not `follower,followee`"):
        edges_in(written(tmp_path, "0,1\n3\n"), KEYS)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        edges_in(tmp_path / "none.csv", KEYS)
    path = tmp_path / "edges.csv"
    path.write_bytes(b"0,1\n\xff\xfe")
    with pytest.raises(BadInput, match="not UTF-8"):
        edges_in(path, KEYS)


def test_a_million_edges_are_read(tmp_path: Path) -> None:
    people = 20_000
    rows = np.arange(1_000_000)
    firsts, others = rows % people, (rows * 7 + rows // people * 13 + 1) % people
    text = "\n".join(f"{one},{other}" for one, other in zip(firsts, others, strict=True))
    ties = edges_in(written(tmp_path, text), [""] * people)
    expected = len({*zip(firsts.tolist(), others.tolist(), strict=True)})
    assert len(ties.others) == expected - int((np.unique(firsts[firsts == others])).size)


def test_people_are_kinds_by_how_many_follow_them() -> None:
    kinds = impact(directed(1_000, 1, "preferential"))
    counts = np.bincount(kinds)
    assert dict(zip(KINDS, counts.tolist(), strict=True)) == {
        "low-impact": 590,
        "regular": 400,
        "influential": 10,
    }
    count = followers(directed(1_000, 1, "preferential"))
    mean = [count[kinds == kind].mean() for kind in range(3)]
    assert mean == sorted(mean)
