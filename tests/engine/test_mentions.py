"""Nobody names what it neither saw nor heard of without being flagged."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from msgspec.structs import replace

from audience.agents.rule import RuleMind
from audience.engine import Rules
from audience.engine.rules import flagged, speech
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import start, story
from audience.scenario import parse
from audience.testing import ScriptedMind, simulate, tiny_genesis
from audience.testing.worlds import Turn
from audience.world import (
    Agent,
    Heard,
    Lived,
    Message,
    Situation,
    Thought,
    World,
    actions as a,
    events as e,
    mentioned,
    same,
)

GENESIS = tiny_genesis(4, 12)
WORLD = World(GENESIS)
TITLES = [item.title for item in GENESIS.catalogue.items]
Serving = Callable[..., AbstractContextManager[Fake]]


def me(**known: object) -> Agent:
    return replace(WORLD.agents[0], **known)


@pytest.mark.parametrize(
    "known",
    [
        {"history": (Lived(3, 0, 1.0),)},
        {"heard": (Heard(3, 1, 0.5),)},
        {"situation": Situation(0, "social", shown=(3,))},
        {"thoughts": (Thought(0, "I saw something.", 0.5, 0, items=(3,)),)},
        {"thoughts": (Thought(0, f"I read of <{TITLES[3]}>.", 0.5, 0),)},
        {"inbox": (Message("1.2.0", 2, f"See <{TITLES[3]}>!"),)},
        {"inbox": (Message("1.2.0", 2, "See it!", (3,)),)},
    ],
)
def test_what_was_met_may_be_named(known: dict[str, object]) -> None:
    text = f"Have you seen <{TITLES[3].upper()}>?"
    assert flagged(WORLD, me(**known), a.Post(text)) == ()
    assert flagged(WORLD, me(), a.Post(text)) == (e.Unfounded(0, (TITLES[3].upper(),), (3,)),)


def test_what_was_said_just_now_may_be_named() -> None:
    by_item, by_words = e.Said(1, 0, "That one!", (3,)), e.Said(1, 0, "<Nowhere>!")
    assert flagged(WORLD, me(), a.Say(1, f"<{TITLES[3]}>?"), (by_item,)) == ()
    assert flagged(WORLD, me(), a.Say(1, "<Nowhere>?"), (by_words,)) == ()


def test_a_human_may_name_what_the_person_they_play_never_met() -> None:
    post = a.Post(f"See <{TITLES[3]}>!", (3,), voice="human")
    assert flagged(WORLD, me(), post) == ()
    assert speech(WORLD, me(), post) == ""
    assert speech(WORLD, me(), replace(post, voice="")) == "item 3 was neither seen nor heard of"


def test_known_and_unknown_and_invented_are_told_apart() -> None:
    text = f"<{TITLES[1]}> beats <{TITLES[2]}> and <Nowhere Fast>."
    found = flagged(WORLD, me(history=(Lived(1, 0, 1.0),)), a.Post(text))
    assert found == (e.Unfounded(0, (TITLES[2], "Nowhere Fast"), (2,)),)


def test_a_feeling_a_post_a_wish_and_a_line_are_all_looked_at() -> None:
    strange = "<Nowhere Fast> is better."
    visit = [
        (a.Enter("recommender"), a.Browse()),
        (a.Pick(0), a.Rate(0, 4, strange), a.Enter("social")),
        (a.Post(strange), a.Say(1, strange), a.Leave()),
    ]
    minds: Mapping[int, Sequence[Turn]] = {
        0: [*visit, a.Leave()],
        1: [a.Leave(), a.Say(0, "<Elsewhere> too.")],
    }
    mind = ScriptedMind(minds, otherwise=a.Leave())
    _, keeper = simulate(GENESIS, mind=mind, rules=Rules(rounds=1, max_lines=2))
    events = keeper.events()
    for place, event in enumerate(events):
        if isinstance(event, e.Unfounded):
            assert same(event.titles[0]) in same(events[place - 1].text)  # type: ignore[union-attr]
    found = [event.titles for event in events if isinstance(event, e.Unfounded)]
    assert found == [("Nowhere Fast",)] * 3 + [("Elsewhere",)]


def test_rule_minds_speak_of_what_they_know() -> None:
    mind = RuleMind(talkative=1.0, to_social=0.6, no_pick=0.0)
    _, keeper = simulate(tiny_genesis(40, 30), mind=mind, rules=Rules(rounds=6))
    events = keeper.events()
    texts = [one.text for one in events if isinstance(one, e.Felt | e.Posted | e.Said)]
    assert sum(len(mentioned(text)) for text in texts) > 50
    assert not any(isinstance(event, e.Unfounded) for event in events)


SCENARIO = """
agents = 12
rounds = 2
mind = "{mind}"
[llm]
url = "{url}"
price = "free"
[activation]
method = "random"
share = 1.0
"""


@pytest.mark.parametrize("mind", ["llm", "voiced"])
def test_a_model_that_invents_titles_is_flagged_or_not_heard(
    serving: Serving, tmp_path: Path, mind: str
) -> None:
    says = {
        "What do you do now?": json.dumps({"do": "friends"}),
        "Your friends:": json.dumps({"do": "post", "text": "See <Nowhere Fast>, everybody!"}),
    }
    if mind == "voiced":
        says = {"": "I liked <Nowhere Fast> so much."}
    with serving(says=says) as fake:
        done = start(parse(SCENARIO.format(mind=mind, url=fake.url)), 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        events = [record.event for record in log.records()]
        told = list(story(log, 2, only=(e.Unfounded,)))
    posts = [one for one in events if isinstance(one, e.Posted)]
    strange = sum(isinstance(one, e.Unfounded) for one in events)
    totals = done.measured.totals
    assert totals["unfounded_mentions"] == strange == len(told)
    if mind == "llm":
        # Whoever reads a post of somebody else first has heard of it then.
        assert 12 <= strange <= len(posts)
        # Nobody posts what they have read word for word; then the fake says something else.
        assert totals["mentions"] == sum("<Nowhere Fast>" in post.text for post in posts)
        assert "neither saw nor heard of <Nowhere Fast>" in told[0]
    else:
        assert strange == 0
        assert totals["mentions"] > 0
        assert not any("Nowhere" in getattr(one, "text", "") for one in events)
