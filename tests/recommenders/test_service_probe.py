from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from tests.services import Answer, example, first_items, said, serving, write_items

from audience.recommenders import Service, probe

ITEMS = [f"i{number}" for number in range(60)]
USERS = [f"u{number}" for number in range(9)]
GOOD = first_items(ITEMS)


def verdicts(way: Any, **options: Any) -> dict[str, tuple[bool, str]]:
    with serving(way) as seen:
        found = probe(Service(seen.url, tries=1, **options), USERS, ITEMS)
    return {what: (fine, told) for what, fine, told in found}


def test_the_example_passes_everything(tmp_path: Path) -> None:
    with example(write_items(tmp_path / "items.csv", ITEMS)) as server:
        found = probe(Service(server.url), USERS, ITEMS)
    assert [what for what, _, _ in found] == [
        "health", "rank", "exclusions", "unknown user", "big batch", "feedback",
        "speed, 1 user", "speed, 100 users",
    ]  # fmt: skip
    assert all(fine for _, fine, _ in found)
    told = {what: text for what, _, text in found}
    assert told["health"] == "example 1, 60 items"
    assert "p50" in told["speed, 100 users"]
    assert "p95" in told["speed, 100 users"]


def test_one_that_does_not_answer_is_asked_nothing_more() -> None:
    found = verdicts(lambda *_: said({}, 503))
    assert list(found) == ["health"]
    assert found["health"][0] is False
    assert "answered 503" in found["health"][1]


def changed(path: str, change: Any) -> Any:
    """Return the good service, but for what it answers at a path."""

    def way(where: str, body: Any, number: int) -> Answer:
        return change(body) if where == path else GOOD(where, body, number)

    return way


def ignoring(body: Any) -> Answer:
    return said({"slates": [ITEMS[: body["k"]] for _ in body["users"]]})


def known_only(body: Any) -> Answer:
    if any(user["id"] not in USERS for user in body["users"]):
        return said({"error": "who is this?"}, 404)
    return GOOD("/rank", body, 0)


def small_only(body: Any) -> Answer:
    return GOOD("/rank", body, 0) if len(body["users"]) < 500 else said({}, 413)


@pytest.mark.parametrize(
    ("way", "bad", "why"),
    [
        (changed("/rank", ignoring), {"exclusions"}, "which was to be left out"),
        (changed("/rank", known_only), {"unknown user"}, 'answered 404: {"error": "who is'),
        (changed("/rank", small_only), {"big batch"}, "answered 413"),
        (changed("/feedback", lambda _: said({}, 501)), {"feedback"}, "answered 501"),
    ],
)
def test_each_breach_has_its_line(way: Any, bad: set[str], why: str) -> None:
    found = verdicts(way)
    assert {what for what, (fine, _) in found.items() if not fine} == bad
    assert all(why in found[what][1] for what in bad)


ROWS: list[tuple[list[str], str]] = [
    (["i1", "i1", "i2", "i3", "i4"], "an item twice"),
    (["i1", "i2"], "got 2 items where 5 were asked for"),
    (["i1", "i2", "i3", "i4", "x"], "item 'x', which is not in the catalogue"),
]


@pytest.mark.parametrize(("row", "why"), ROWS)
def test_a_wrong_slate_is_named(row: list[str], why: str) -> None:
    found = verdicts(changed("/rank", lambda body: said({"slates": [row] * len(body["users"])})))
    assert found["rank"][0] is False
    assert why in found["rank"][1]


def test_one_that_draws_is_fine_and_told_so() -> None:
    turn = itertools.count()

    def turning(body: Any) -> Answer:
        start = next(turn)
        names = ITEMS[start % 7 :] + ITEMS[: start % 7]
        return first_items(names)("/rank", body, 0)

    found = verdicts(changed("/rank", turning))
    assert found["rank"][0]
    assert "it draws, or learns meanwhile" in found["rank"][1]


def test_without_a_catalogue_items_are_not_looked_up() -> None:
    with serving(GOOD) as seen:
        found = probe(Service(seen.url), ["1", "2"])
    assert all(fine for _, fine, _ in found)
