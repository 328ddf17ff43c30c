from __future__ import annotations

from audience.recommenders.service import contract, feedback
from audience.testing import tiny_genesis
from audience.world import World, events as e

WORLD = World(tiny_genesis(5, 10))
EVENTS = (
    e.Woke(3, 100),
    e.Entered(3, "recommender"),
    e.SlateShown(3, (4, 5), 0),
    e.SlateAnnotated(3, (1.0, None), ("why", "")),
    e.Picked(3, 5, 1),
    e.Watched(3, 5, 0.25),
    e.Rated(3, 5, 4),
    e.Searched(3, "x", 1),
    e.SlateShown(3, (7,), 0, "search"),
    e.Left(3),
)
CHAPTER = e.Chapter(2, e.VISITS, 9, 3, tuple(e.Entry(event) for event in EVENTS))


def test_a_visit_is_told_by_the_ids_of_the_data() -> None:
    shown, picked, watched, rated, found = feedback(CHAPTER, WORLD)
    about = {"user": "p3", "at": 100}
    assert shown == about | {
        "id": "2.3.2", "kind": "impression", "surface": "recommender", "page": 0,
        "items": ["i4", "i5"], "propensities": (1.0, None),
    }  # fmt: skip
    assert picked == about | {
        "id": "2.3.4", "kind": "pick", "impression": "2.3.2", "item": "i5", "position": 1
    }  # fmt: skip
    assert watched == about | {"id": "2.3.5", "kind": "watch", "item": "i5", "fraction": 0.25}
    assert rated == about | {"id": "2.3.6", "kind": "rating", "item": "i5", "stars": 4}
    assert (found["surface"], found["items"]) == ("search", ["i7"])


def test_what_is_told_is_what_the_contract_says() -> None:
    schemas = contract()["components"]["schemas"]
    for told in feedback(CHAPTER, WORLD):
        schema = schemas[str(told["kind"]).capitalize()]
        assert set(schema["required"]) <= set(told) <= set(schema["properties"])
        assert schema["properties"]["kind"] == {"const": told["kind"]}


def test_only_visits_are_told() -> None:
    talk = e.Chapter(2, e.CONVERSATIONS, 9, 3, (e.Entry(e.Said(3, 4, "hello")),))
    assert feedback(talk, WORLD) == []
