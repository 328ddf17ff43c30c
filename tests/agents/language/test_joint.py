"""Several people in one call: dialogues and evenings, read as strictly as single replies."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from audience.agents import Mark, Scene
from audience.agents.language.joint import read_dialogue, read_marks
from audience.llm import Broken, CallStore
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import Finished, start
from audience.scenario import parse
from audience.world import Friend, Observation, Profile, events as e

Serving = Callable[..., AbstractContextManager[Fake]]
Make = Callable[..., Observation]


@pytest.fixture
def pair(scene: Make) -> Scene:
    """Mia [1] is asked by Tom [2] whether she has seen <Night Bus>."""
    mia = scene("conversation")
    other = replace(mia.me, profile=Profile(7, "Tom Reed"), history=(), heard=(), inbox=())
    tom = replace(mia, me=other, friends=(Friend(0, "Mia Stone", "friend", 0.8),))
    return Scene("dialogue", (mia, tom), 3)


def spoken(*lines: tuple[Any, str]) -> dict[str, Any]:
    return {"lines": [{"speaker": who, "say": text, "stance": 1} for who, text in lines]}


def test_lines_go_to_the_other_and_name_what_the_speaker_may_know(pair: Scene) -> None:
    told = spoken((1, "Not yet, but <The Long Way> is great."), (2, "<The Long Way>? <Salt>?"))
    (first, one), (second, two) = read_dialogue(pair, told).lines
    assert (first, one.to, one.items, one.voice) == (0, 7, (3,), "model")
    # Tom heard of one of them just now, from her; of the other he never did.
    assert (second, two.to, two.items) == (7, 0, (3,))
    assert one.stance == 1.0


def test_a_speaker_may_be_named_and_an_empty_line_ends_it(pair: Scene) -> None:
    found = read_dialogue(pair, spoken(("Tom Reed", "Well?"), (1, ""), (2, "Hello?")))
    assert [who for who, _ in found.lines] == [7]
    assert read_dialogue(pair, {"lines": []}).lines == ()


def test_lines_beyond_the_limit_are_not_said(pair: Scene) -> None:
    found = read_dialogue(pair, spoken((1, "a"), (2, "b"), (1, "c"), (2, "d")))
    assert [say.text for _, say in found.lines] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({}, "no lines"),
        ({"lines": "Hello."}, "not a list"),
        ({"lines": ["Hello."]}, "not a list"),
        (spoken((5, "I am somebody else.")), "unknown person: 5; there are 1 Mia Stone, 2 Tom"),
        ({"lines": [{"say": "Who speaks?"}]}, "no speaker"),
        (spoken((0, "Nobody speaks.")), "no speaker: .*1 to 2"),
        (spoken((1, "Have you seen <Night Bus>?")), "echo"),
        ({"lines": [{"speaker": 1, "say": {"text": "x"}}]}, "not a text"),
    ],
)
def test_what_cannot_be_read_is_not_mended(pair: Scene, told: Any, why: str) -> None:
    with pytest.raises(Broken, match=why):
        read_dialogue(pair, told)


@pytest.fixture
def family(scene: Make) -> Scene:
    mia = scene("recommender")
    tom = replace(mia, me=replace(mia.me, profile=Profile(7, "Tom Reed")))
    return Scene("together", (mia, tom))


def rated(*rows: tuple[Any, Any]) -> dict[str, Any]:
    return {"people": [{"person": who, "stars": stars} for who, stars in rows]}


def test_everybody_marks_everything(family: Scene) -> None:
    found = read_marks(family, rated((2, [1, 2, 3]), (1, [5, 4, 5])))
    assert found.marks == (
        (Mark(0.9, 5), Mark(0.7, 4), Mark(0.9, 5)),
        (Mark(0.1, 1), Mark(0.3, 2), Mark(0.5, 3)),
    )


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (rated((1, [1, 2, 3])), "person 2 is missing"),
        (rated((1, [1, 2, 3]), (2, [1, 2])), "not a list: stars of 2"),
        (rated((1, [1, 2, 3]), (2, [1, 2, 9])), "out of range"),
        (rated((1, [1, 2, 3]), (2, [1, 2, "none"])), "out of range: stars of 2"),
        (rated((1, [1, 2, 3]), (1, [3, 2, 1]), (2, [1, 1, 1])), "contradiction: person 1"),
        (rated((1, [1, 2, 3]), (9, [1, 1, 1])), "unknown person: 9"),
        ([1, 2, 3], "not a list"),
    ],
)
def test_marks_that_cannot_be_read_are_not_mended(family: Scene, told: Any, why: str) -> None:
    with pytest.raises(Broken, match=why):
        read_marks(family, told)


SCENARIO = """
agents = 20
rounds = 2
mind = "llm"
memory = "{memory}"
[llm]
url = "{url}"
price = "free"
[run]
dialogue = "{dialogue}"
max_lines = 5
order = "{order}"
[activation]
method = "random"
share = 1.0
"""
CHATTY = {"What do you do now?": json.dumps({"do": "friends"})}


def blocks_of(prompt: str) -> list[str]:
    """Return the lines of a prompt that begin the description of a person."""
    before = prompt.partition("So far:")[0].splitlines()
    return [line for line in before if line.startswith(("[1] ", "[2] "))]


def live(folder: Path, url: str, dialogue: str = "joint", **more: str) -> Finished:
    holes = {"memory": "none", "order": "together", **more}
    return start(parse(SCENARIO.format(url=url, dialogue=dialogue, **holes)), 1, folder)


@pytest.mark.parametrize("order", ["together", "one-by-one"])
def test_a_dialogue_is_one_call_with_both_people_in_it(
    serving: Serving, tmp_path: Path, order: str
) -> None:
    with serving(says=CHATTY) as fake:
        done = live(tmp_path / "run", fake.url, memory="recagent", order=order)
    with Log.open(tmp_path / "run") as log:
        records = list(log.records())
        names = {one.name for one in log.genesis().profiles}
    # What a server may happen to say: a line twice, or a talk too long to remember whole.
    chance = ("dialogue: echo", "memory: observation cut")
    failed = [record.event.why for record in records if isinstance(record.event, e.Failed)]
    assert [why for why in failed if not why.startswith(chance)] == []
    chats = done.measured.totals["chats"]
    assert chats > 3
    assert "talk" not in done.purposes
    store = CallStore(tmp_path / "run" / "calls.db", read_only=True)
    asked = [call for call in store.calls() if call.request.purpose == "dialogue"]
    store.close()
    # One call a talk; a line that echoes another is asked for once more.
    assert sum(call.request.salt.endswith(".dialogue.0") for call in asked) == chats
    assert done.purposes["dialogue"].calls == len(asked) < 1.5 * chats
    written = {call.reply.key for call in asked}
    spoken = [record for record in records if isinstance(record.event, e.Said)]
    assert len(spoken) > 1.5 * chats
    assert {key for record in spoken for key in record.calls} <= written
    for call in asked:
        text = call.request.messages[1].content
        speakers = call.request.schema["properties"]["lines"]["items"]["properties"]["speaker"]  # type: ignore[index]
        assert speakers["enum"] == [1, 2]
        both = [line.partition("] ")[2].split(",")[0] for line in blocks_of(text)]
        assert len(set(both) & names) == 2


def test_turns_ask_each_for_itself_and_are_the_default(serving: Serving, tmp_path: Path) -> None:
    with serving(says=CHATTY) as fake:
        turns = live(tmp_path / "turns", fake.url, "turns")
        plain = SCENARIO.replace('dialogue = "{dialogue}"\n', "")
        plain = plain.format(url=fake.url, memory="none", order="together")
        default = start(parse(plain), 1, tmp_path / "default")
    assert "dialogue" not in turns.purposes
    assert turns.purposes["talk"].calls > turns.measured.totals["chats"]
    assert turns.measured.digest == default.measured.digest


def test_a_dialogue_that_cannot_be_read_fails_after_one_repair_ask(
    serving: Serving, tmp_path: Path
) -> None:
    says = CHATTY | {"How does the talk go on?": "They part.", "could not be used": "They do."}
    with serving(says=says) as fake:
        done = live(tmp_path / "run", fake.url)
    with Log.open(tmp_path / "run") as log:
        events = [record.event for record in log.records()]
    failed = [event for event in events if isinstance(event, e.Failed)]
    assert failed
    assert all(event.why.startswith("dialogue: no JSON") for event in failed)
    assert done.purposes["dialogue"].calls == 2 * len(failed)
    # Only the openings were said.
    assert sum(isinstance(event, e.Said) for event in events) == len(failed)


def test_rule_minds_talk_in_turns_whatever_is_asked_for(tmp_path: Path) -> None:
    text = "agents = 30\nrounds = 2\n[run]\ndialogue = '{}'\n"
    joint = start(parse(text.format("joint")), 1, tmp_path / "joint")
    turns = start(parse(text.format("turns")), 1, tmp_path / "turns")
    assert joint.measured.digest == turns.measured.digest
