from __future__ import annotations

from audience.testing import tiny_genesis
from audience.world import covers, mentioned, same, titled


def test_titles_are_found_in_angle_brackets_only() -> None:
    assert mentioned("<Heat> and <heat (1995)>, not <title> or Casablanca. <Heat>") == [
        "Heat",
        "heat (1995)",
    ]
    assert mentioned("no mark, no title") == []
    assert mentioned("<" * 50_000) == []


def test_the_same_title_is_known_in_any_dress() -> None:
    known = {same("The Matrix"), same("A very long title that a page cannot hold")}
    for said in ("Matrix, The (1999)", "MATRIX!", "A very long title that…"):
        assert covers(known, said), said
    for said in ("Matrix Reloaded", "A very long title that", "…of the world"):
        assert not covers(known, said), said


def test_a_catalogue_is_found_by_title() -> None:
    catalogue = tiny_genesis(2, 5).catalogue
    assert titled(catalogue)[same(catalogue[3].title)] == (3,)
