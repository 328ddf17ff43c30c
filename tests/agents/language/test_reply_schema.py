"""The schemas of replies: only what can be done can be named, and all people share them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from audience.agents.language import read, schema_of
from audience.agents.language.reply_actions import actions_of
from audience.agents.language.reply_schema import (
    WORDS,
    Wording,
    examples_of,
    kind_of,
    may_search,
)
from audience.errors import BadInput
from audience.llm import Unreadable, answer
from audience.world import (
    LAST_PAGE,
    MENUS,
    NO_HABITS,
    Friend,
    Habits,
    Item,
    Lived,
    Message,
    Observation,
    Profile,
    actions as a,
)

Scene = Callable[..., Observation]
SURFACES = ("home", "recommender", "search", "social", "conversation")
WORDINGS = (Wording(), *(Wording(words, ("save",), True) for words in WORDS))


def fields(seen: Observation, wording: Wording = WORDINGS[0]) -> dict[str, Any]:
    found: dict[str, Any] = schema_of(seen, wording)["properties"]
    return found


def pick_fields(seen: Observation, wording: Wording = WORDINGS[0]) -> dict[str, Any]:
    found: dict[str, Any] = fields(seen, wording)["picks"]["items"]["properties"]
    return found


def habits(**known: float) -> Profile:
    return Profile(0, "Mia Stone", habits=Habits(**known))


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("wording", WORDINGS, ids=["default", *WORDS])
@pytest.mark.parametrize("number", range(10))
def test_whatever_follows_the_schema_can_be_read_and_is_on_the_menu(
    scene: Scene, surface: str, wording: Wording, number: int
) -> None:
    seen = scene(surface)
    said = msgspec.json.encode(answer(schema_of(seen, wording), f"{surface} {number}")).decode()
    found = read(seen, said, wording.also)
    assert not isinstance(found, Unreadable), found
    assert isinstance(found, kind_of(seen))
    first = actions_of(seen, found)[0]
    assert type(first).__name__ in {*seen.menu, "Save"}


@pytest.mark.parametrize("surface", SURFACES)
def test_a_schema_is_the_same_for_everybody_before_as_much(scene: Scene, surface: str) -> None:
    mia = scene(surface)
    inbox = tuple(Message(f"9.{n}.0", n, f"Words {n}") for n in range(2))
    friends = (Friend(31, "Kim", "family", 0.9), Friend(5, "Lee", "friend", 0.4))
    slate = mia.me.situation.slate and tuple(range(1, 1 + len(mia.me.situation.slate)))
    profile = Profile(3, "Kim Vale", age=60, habits=mia.me.profile.habits)
    kim = scene(surface, profile=profile, slate=slate, inbox=inbox, friends=friends, history=())
    for wording in WORDINGS:
        assert schema_of(mia, wording) == schema_of(kim, wording)


def test_a_place_on_the_page_is_picked_and_what_was_picked_keeps_its_place(scene: Scene) -> None:
    fresh = scene("recommender")
    assert pick_fields(fresh)["place"]["enum"] == [1, 2, 3]
    here = replace(fresh.me.situation, picks=1)
    picked = scene("recommender", situation=here, history=(Lived(2, 0, 1.0),))
    assert schema_of(picked) == schema_of(fresh)


def test_where_nothing_can_be_picked_no_schema_offers_an_empty_choice(scene: Scene) -> None:
    for wording in WORDINGS:
        empty = fields(scene("recommender", slate=()), wording)
        assert not {"fits", "picks", "save"} & set(empty)
        assert {"next", "search", "satisfaction"} <= set(empty)


def test_the_ways_on_follow_the_menu(scene: Scene) -> None:
    page = scene("recommender")
    assert fields(page)["next"]["enum"] == ["next_page", "leave"]
    assert "next" not in fields(replace(page, menu=LAST_PAGE))
    assert "next" not in fields(scene("search"))


def test_only_listed_friends_and_posts_can_be_named(scene: Scene) -> None:
    do = fields(scene("social"))["do"]["enum"]
    wanted = ["read", "post", "write to 1", "write to 2", "forward 1", "forward 2"]
    assert do == wanted
    assert fields(scene("social", friends=(), inbox=()))["do"]["enum"] == ["read", "post"]


def test_odd_names_do_not_reach_the_schema(scene: Scene) -> None:
    odd = scene(
        "recommender",
        tuple(Item(n, '"}], "enum": [99]') for n in range(6)),
        friends=(Friend(7, "{", "}", 0.5),),
    )
    assert schema_of(odd) == schema_of(scene("recommender"))


def test_an_action_keeps_what_was_answered(scene: Scene) -> None:
    seen = scene("recommender")
    pick = {"place": 3, "watched": "half", "opinion": "weak", "feeling": "Meh."}
    reply = {"fits": "a little", "picks": [pick], "next": "leave", "satisfaction": 10}
    found = read(seen, json.dumps(reply))
    assert not isinstance(found, Unreadable)
    assert actions_of(seen, found) == (
        a.Pick(4, 0.5),
        a.Rate(4, 2, "Meh.", "model"),
        a.Leave(1.0),
    )


@pytest.mark.parametrize("fits", ["not at all", "Not at all", "NOT AT ALL "])
def test_where_nothing_fits_nothing_is_picked(scene: Scene, fits: str) -> None:
    reply = {"fits": fits, "picks": [{"place": 1}], "next": "leave", "satisfaction": 1}
    found = read(scene("recommender"), json.dumps(reply))
    assert not isinstance(found, Unreadable)
    assert actions_of(scene("recommender"), found) == (a.Leave(0.0),)


@pytest.mark.parametrize(
    ("words", "feels", "reasons"),
    [("none", False, False), ("short", True, False), ("full", True, True)],
)
def test_words_say_how_much_is_said(scene: Scene, words: str, feels: bool, reasons: bool) -> None:
    silent = scene("recommender", profile=habits(watcher=0.1, explorer=0.9))
    for seen in (silent, scene("recommender")):
        wording = Wording(words)
        assert ("feeling" in pick_fields(seen, wording)) == feels
        assert ("why" in fields(seen, wording)) == reasons
        assert ("feeling" in examples_of(seen, wording)) == feels
    for surface in ("home", "social"):
        assert ("why" in fields(scene(surface), Wording(words))) == reasons
    assert "why" not in fields(scene("conversation"), Wording(words))


def test_without_a_choice_of_words_those_comment_who_have_the_habit(scene: Scene) -> None:
    def says(profile: Profile) -> bool:
        return "feeling" in pick_fields(scene("recommender", profile=profile))

    assert says(habits(watcher=0.5))
    assert not says(habits(watcher=0.4, explorer=0.9))
    assert says(Profile(0, habits=NO_HABITS))
    assert "why" not in fields(scene("recommender"))


def test_unknown_words_and_deeds_are_refused() -> None:
    with pytest.raises(BadInput, match=r"words 'shrt' is unknown .*did you mean 'short'"):
        Wording("shrt")
    with pytest.raises(BadInput, match="also 'eat' is unknown"):
        Wording(also=("eat",))


@pytest.mark.parametrize(
    ("profile", "searches"),
    [
        (habits(explorer=0.5), True),
        (habits(explorer=0.4), False),
        (habits(watcher=0.9), False),
        (Profile(0, habits=NO_HABITS), True),
    ],
)
def test_only_who_looks_for_things_is_offered_to_search(
    scene: Scene, profile: Profile, searches: bool
) -> None:
    home, page = scene("home", profile=profile), scene("recommender", profile=profile)
    assert ("search" in fields(home)["do"]["enum"]) == ("query" in fields(home)) == searches
    assert ("search" in fields(page)) == may_search(page) == searches
    results = replace(scene("search", profile=profile), menu=MENUS["search"])
    assert "search" not in fields(results)
    assert "search" not in fields(replace(page, menu=LAST_PAGE[:1]))


def test_who_heard_of_nothing_new_is_not_offered_to_search(scene: Scene) -> None:
    known = (Lived(4, 0, 1.0), Lived(5, 0, 1.0))
    for life in ({"heard": ()}, {"history": known}):
        assert "search" not in fields(scene("home", **life))["do"]["enum"]
        assert "search" not in fields(scene("recommender", **life))
    half = scene("home", history=known[:1])
    assert "search" in fields(half)["do"]["enum"]


def test_words_to_search_for_are_a_search_once_a_visit(scene: Scene) -> None:
    seen = scene("recommender")
    reply = {"fits": "not at all", "picks": [], "next": "leave", "search": "a salt mine"}
    found = read(seen, json.dumps(reply))
    assert not isinstance(found, Unreadable)
    assert actions_of(seen, found) == (a.Search("a salt mine"),)
    again = scene("recommender", situation=replace(seen.me.situation, searched="a salt mine"))
    assert "search" not in fields(again)
    later = read(again, json.dumps(reply))
    assert not isinstance(later, Unreadable)
    assert actions_of(again, later) == (a.Leave(),)
