"""The paper's own sequence of prompts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from audience.llm.fake_model import Faults
from audience.world import Friend, Observation, actions as a

Scene = Callable[..., Observation]
Ask = Callable[..., Any]

CHOOSE = "Answer in one line, one of"
SUMMARY = {"Summary:": "Mia likes slow stories."}
FAITHFUL = {"prompting": "faithful"}


def asked(
    ask: Ask, seen: Observation, chosen: str, words: str = "I liked <Night Bus>.", stars: str = "5"
) -> Any:
    says = {**SUMMARY, CHOOSE: chosen, "one digit": stars, "": words}
    return ask(seen, options=FAITHFUL, says=says)


@pytest.mark.parametrize(
    ("chosen", "actions"),
    [
        ("[RECOMMENDER]:: Mia enters", (a.Enter("recommender"), a.Browse())),
        ("[SOCIAL]:: Mia enters the social media", (a.Enter("social"),)),
        ("[NOTHING]:: Mia does nothing", (a.Nothing(),)),
        ("Well.\n[NOTHING] :: Mia rests\n", (a.Nothing(),)),
        ("[NOTHING]", (a.Nothing(),)),
        ("[SOCIAL]\n", (a.Enter("social"),)),
    ],
)
def test_at_home(scene: Scene, ask: Ask, chosen: str, actions: tuple[a.AnyAction, ...]) -> None:
    found = asked(ask, scene("home"), chosen)
    assert found.decision.actions == actions
    assert found.purposes == ["summary.take_action", "take_action"]
    assert found.decision.calls == tuple(call.reply.key for call in found.calls)


def test_a_pick_is_felt(scene: Scene, ask: Ask) -> None:
    words = "It was warm.\nAnd long."
    found = asked(ask, scene("recommender"), "[PICK]:: <Night Bus>", words, "4 stars")
    assert found.decision.actions == (
        a.Pick(4),
        a.Rate(4, 4, "It was warm.", "model"),
        a.NextPage(),
    )
    assert found.purposes == [
        "summary.recommender_action",
        "recommender_action",
        "summary.feeling",
        "feeling",
        "summary.stars",
        "stars",
    ]
    assert "first the stars" not in found.calls[3].request.messages[0].content
    assert "Mia likes slow stories." in found.calls[1].request.messages[0].content


def test_stars_that_cannot_be_read_leave_the_feeling_and_are_counted(
    scene: Scene, ask: Ask
) -> None:
    picked = "[PICK]:: under glass || because"
    found = asked(ask, scene("search"), picked, "It was warm.", "Many.")
    assert found.decision.actions == (a.Pick(2), a.Rate(2, 0, "It was warm.", "model"), a.Leave())
    assert found.decision.unread == ("stars: no stars in 'Many.'",)


def test_those_who_do_not_rate_are_not_asked_for_stars(scene: Scene, ask: Ask) -> None:
    seen = scene("recommender")
    habits = replace(seen.me.profile.habits, watcher=0.2)
    me = replace(seen.me, profile=replace(seen.me.profile, habits=habits))
    found = asked(ask, replace(seen, me=me), "[PICK]:: <Night Bus>", "It was warm.")
    assert found.decision.actions[1] == a.Rate(4, 0, "It was warm.", "model")
    assert "stars" not in found.purposes
    assert found.decision.unread == ()


def test_results_of_a_search_are_called_so(scene: Scene, ask: Ask) -> None:
    seen = scene("search")
    here = replace(seen.me.situation, searched="old ships")
    found = asked(ask, replace(seen, me=replace(seen.me, situation=here)), "[LEAVE]")
    assert found.decision.actions == (a.Leave(),)
    prompt = found.calls[1].request.messages[0].content
    assert 'Mia Stone searched for "old ships" and found: ' in prompt
    assert "recommendations" not in prompt


@pytest.mark.parametrize(
    ("chosen", "action"),
    [
        ("[NEXT]:: Mia sees the next page", a.NextPage()),
        ("[SEARCH]:: <Salt>", a.Search("Salt")),
        ("[LEAVE]:: Mia leaves", a.Leave()),
        ("[LEAVE]", a.Leave()),
        ("LEAVE", a.Leave()),
        ("LEAVE:: Mia is tired", a.Leave()),
        ("I go. [NEXT]", a.NextPage()),
    ],
)
def test_the_other_ways_from_a_page(
    scene: Scene, ask: Ask, chosen: str, action: a.AnyAction
) -> None:
    found = asked(ask, scene("recommender"), chosen)
    assert found.decision.actions == (action,)
    assert found.purposes == ["summary.recommender_action", "recommender_action"]


def test_a_post(scene: Scene, ask: Ask) -> None:
    found = asked(ask, scene("social"), "[POST]:: Mia posts", "See <The Long Way>!\nPlease.")
    assert found.decision.actions == (a.Post("See <The Long Way>!", (3,), 1.0, "model"), a.Leave())
    assert found.purposes[2:] == ["summary.post", "post"]


def test_a_chat(scene: Scene, ask: Ask) -> None:
    found = asked(ask, scene("social"), "[CHAT]:: ada lund.", "Is <Salt> any good?")
    assert found.decision.actions == (
        a.Say(8, "Is <Salt> any good?", (5,), 0.0, "model"),
        a.Leave(),
    )
    assert found.purposes[2:] == ["summary.opening", "opening"]
    assert "begins a chat with Ada Lund" in found.calls[3].request.messages[0].content


def test_a_line_of_a_talk_and_its_end(scene: Scene, ask: Ask) -> None:
    said = asked(ask, scene("conversation"), "", "No, is <Night Bus> long?")
    assert said.decision.actions == (a.Say(7, "No, is <Night Bus> long?", (4,), 0.0, "model"),)
    assert said.purposes == ["summary.line", "line"]
    ended = asked(ask, scene("conversation"), "", "[END] Bye.")
    assert ended.decision.actions == (a.Leave(),)


@pytest.mark.parametrize(
    ("surface", "chosen", "why"),
    [
        ("home", "I would rather sleep.", "take_action: 0 answers in"),
        ("home", "[SOCIAL]:: a\n[NOTHING]:: b", "take_action: 2 answers in"),
        ("home", "[PICK]:: <Salt>", "take_action: [PICK] is not one of RECOMMENDER"),
        ("recommender", "[PICK]:: <Salt>", "recommender_action: '<Salt>' is not the title of one"),
        ("recommender", "[PICK]:: <Night>", "recommender_action: '<Night>' is not the title"),
        ("recommender", "[SEARCH]:: <>", "recommender_action: a search without words"),
        ("recommender", "[SEARCH]", "recommender_action: a search without words"),
        ("recommender", "[PICK]", "recommender_action: '' is not the title of one"),
        ("social", "[CHAT]:: Zoe", "social_action: 'Zoe' is not the name of one friend"),
    ],
)
def test_what_names_no_single_action_fails(
    scene: Scene, ask: Ask, surface: str, chosen: str, why: str
) -> None:
    found = asked(ask, scene(surface), chosen)
    assert found.decision.actions == ()
    assert len(found.decision.calls) == 2
    assert found.decision.failure.startswith(why)


def test_two_friends_of_one_name_are_neither(scene: Scene, ask: Ask) -> None:
    twins = (Friend(7, "Kim", "friend", 0.5), Friend(8, "Kim", "friend", 0.5))
    found = asked(ask, scene("social", friends=twins), "[CHAT]:: Kim")
    assert found.decision.failure == "social_action: 'Kim' is not the name of one friend"


def test_a_refused_summary_fails_with_its_call(scene: Scene, ask: Ask) -> None:
    found = ask(scene("home"), options=FAITHFUL, faults=Faults({"refusal": 1.0}))
    assert found.decision.failure.startswith("summary.take_action: refusal: ")
    assert found.decision.calls == (found.calls[0].reply.key,)
