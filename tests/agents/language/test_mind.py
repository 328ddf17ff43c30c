from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from audience.agents.language.reply_schema import EMOTION
from audience.llm.fake_model import Faults
from audience.memory import NoMemory
from audience.world import Agent, Observation, actions as a

Scene = Callable[..., Observation]
Ask = Callable[..., Any]
PAGE = {"fits": "not at all", "picks": [], "next": "leave", "search": "", "satisfaction": 5}
LEFT = (a.Leave(0.4444),)


class Pausing(NoMemory):
    """Lets people pause on every second page."""

    def pause(self, me: Agent) -> bool:
        return me.situation.pages % 2 == 1


def said(**fields: Any) -> dict[str, str]:
    return {"": json.dumps({**PAGE, **fields})}


@pytest.mark.parametrize("surface", ["recommender", "search"])
def test_who_pauses_says_how_the_visit_feels(scene: Scene, ask: Ask, surface: str) -> None:
    asked = ask(scene(surface), memory=Pausing(), says=said(emotion="I am\n tired."))
    assert asked.decision.emotion == "I am tired."
    assert asked.decision.actions == LEFT
    (call,) = asked.calls
    schema = call.request.schema
    assert schema["properties"]["emotion"] == {"type": "string"}
    assert "emotion" in schema["required"]


def test_who_does_not_pause_is_not_asked(scene: Scene, ask: Ask) -> None:
    for memory in (Pausing(), NoMemory()):
        seen = scene("recommender")
        pages = 2 if isinstance(memory, Pausing) else 1
        here = type(seen.me.situation)(
            seen.me.situation.at, "recommender", seen.me.situation.slate, 0, pages
        )
        asked = ask(
            scene("recommender", situation=here), memory=memory, says=said(emotion="I am tired.")
        )
        assert asked.decision.emotion == ""
        assert asked.decision.actions == LEFT
        assert "emotion" not in asked.calls[0].request.schema["properties"]


@pytest.mark.parametrize(
    "given", [{}, {"emotion": ""}, {"emotion": "None"}, {"emotion": 7}, {"emotion": ["sad"]}]
)
def test_a_page_is_decided_without_an_emotion_too(
    scene: Scene, ask: Ask, given: dict[str, Any]
) -> None:
    asked = ask(scene("recommender"), memory=Pausing(), says=said(**given))
    assert asked.decision.actions == LEFT
    assert asked.decision.emotion == ""
    assert len(asked.calls) == 1


def test_the_models_own_voice_is_no_emotion_and_an_endless_one_is_cut(
    scene: Scene, ask: Ask
) -> None:
    as_ai = said(emotion="As an AI language model, I have no feelings.")
    assert ask(scene("recommender"), memory=Pausing(), says=as_ai).decision.emotion == ""
    endless = ask(scene("recommender"), memory=Pausing(), says=said(emotion="so tired " * 900))
    assert len(endless.decision.emotion) == EMOTION


def test_a_repaired_answer_may_hold_it(scene: Scene, ask: Ask) -> None:
    good = said(emotion="I am tired.")[""]
    asked = ask(scene("recommender"), memory=Pausing(), says={"could not be used": good, "": "No."})
    assert asked.decision.emotion == "I am tired."
    assert [call.request.schema for call in asked.calls[:1]] == [asked.calls[1].request.schema]


SUMMARY = {"Summary:": "Mia likes slow stories."}
CHOOSE = {"Answer in one line, one of": "[LEAVE]:: Mia leaves"}


def test_faithful_minds_pause_in_a_call_of_its_own(scene: Scene, ask: Ask) -> None:
    asked = ask(
        scene("recommender"),
        options={"prompting": "faithful"},
        memory=Pausing(),
        says={**SUMMARY, **CHOOSE, "worth going on": "I am tired."},
    )
    assert asked.purposes == ["emotion", "summary.recommender_action", "recommender_action"]
    assert asked.decision.emotion == "I am tired."
    assert asked.decision.actions == (a.Leave(),)
    assert asked.decision.calls == tuple(call.reply.key for call in asked.calls)
    assert "thought: I am tired." in asked.calls[2].request.messages[0].content


def test_a_pause_that_gives_nothing_stops_nobody(scene: Scene, ask: Ask) -> None:
    asked = ask(
        scene("recommender"),
        options={"prompting": "faithful"},
        memory=Pausing(),
        says={**SUMMARY, **CHOOSE, "worth going on": "As an AI, I do not get tired."},
    )
    assert asked.decision.emotion == ""
    assert asked.decision.actions == (a.Leave(),)
    refused = ask(
        scene("recommender"),
        options={"prompting": "faithful"},
        memory=Pausing(),
        faults=Faults({"refusal": 1.0}),
    )
    assert refused.decision.failure.startswith("summary.recommender_action: refusal")
    assert refused.purposes == ["emotion", "summary.recommender_action"]
