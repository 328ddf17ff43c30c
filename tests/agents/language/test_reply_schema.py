"""The schemas of replies: only what can be done can be named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from audience.agents.language import read, schema_of
from audience.agents.language.reply_actions import actions_of
from audience.agents.language.reply_schema import kind_of, ways
from audience.llm import Unreadable, answer
from audience.world import Friend, Item, Lived, Observation, actions as a

Scene = Callable[..., Observation]
SURFACES = ("home", "recommender", "search", "social", "conversation")


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("number", range(25))
def test_whatever_follows_the_schema_can_be_read_and_is_on_the_menu(
    scene: Scene, surface: str, number: int
) -> None:
    seen = scene(surface)
    said = msgspec.json.encode(answer(schema_of(seen), f"{surface} {number}")).decode()
    found = read(seen, said)
    assert not isinstance(found, Unreadable), found
    assert isinstance(found, kind_of(seen))
    first = actions_of(seen, found)[0]
    assert type(first).__name__ in seen.menu


def item_of(schema: dict[str, Any]) -> dict[str, Any]:
    picks: dict[str, Any] = schema["properties"]["picks"]
    item: dict[str, Any] = picks["items"]["properties"]["item"]
    return item


def test_only_what_is_on_the_page_and_was_not_picked_can_be_picked(scene: Scene) -> None:
    fresh = scene("recommender")
    assert item_of(schema_of(fresh))["enum"] == [0, 2, 4]
    here = msgspec.structs.replace(fresh.me.situation, picks=1)
    picked = scene("recommender", situation=here, history=(Lived(2, 0, 1.0),))
    assert item_of(schema_of(picked))["enum"] == [0, 4]


def test_where_nothing_can_be_picked_no_schema_offers_an_empty_choice(scene: Scene) -> None:
    schema = schema_of(scene("recommender", slate=()))
    assert schema["properties"]["picks"]["maxItems"] == 0
    assert "enum" not in item_of(schema)


def test_the_ways_on_follow_the_menu(scene: Scene) -> None:
    assert ways(scene("recommender")) == ("next_page", "search", "leave")
    assert ways(scene("search")) == ("search", "leave")
    assert schema_of(scene("search"))["properties"]["next"]["enum"] == ["search", "leave"]


def test_only_real_friends_and_posts_of_the_inbox_can_be_named(scene: Scene) -> None:
    fields = schema_of(scene("social"))["properties"]
    assert fields["say_to"]["enum"] == [-1, 7, 8]
    assert fields["forward"]["enum"] == ["", "1.7.0", "1.8.0"]
    alone = schema_of(scene("social", friends=(), inbox=()))["properties"]
    assert (alone["say_to"]["enum"], alone["forward"]["enum"]) == ([-1], [""])


def test_odd_names_do_not_reach_the_schema(scene: Scene) -> None:
    odd = scene(
        "recommender",
        tuple(Item(n, '"}], "enum": [99]') for n in range(6)),
        friends=(Friend(7, "{", "}", 0.5),),
    )
    assert schema_of(odd) == schema_of(scene("recommender"))


def test_an_action_keeps_what_was_answered(scene: Scene) -> None:
    seen = scene("recommender")
    text = (
        '{"why": "w", "picks": [{"item": 4, "watched": 30, "stars": 2, "feeling": "Meh."}],'
        ' "satisfaction": 10, "next": "leave", "query": ""}'
    )
    found = read(seen, text)
    assert not isinstance(found, Unreadable)
    assert actions_of(seen, found) == (
        a.Pick(4, 0.3),
        a.Rate(4, 2, "Meh.", "model"),
        a.Leave(1.0),
    )
