"""The interview on leaving: one more question, whose answer is how the agent leaves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audience.agents.language.exit_interview import SCHEMA, answer_in
from audience.llm import Reply, Unreadable
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import start, story
from audience.scenario import parse
from audience.world import Observation, actions as a, events as e

Ask = Callable[..., Any]
Scene = Callable[..., Observation]
Serving = Callable[..., AbstractContextManager[Fake]]
PAGE = '{"fits": "not at all", "picks": [], "next": "NEXT", "satisfaction": 3}'
TOLD = '{"satisfaction": 10, "reason": "I found what I came for."}'


INTERVIEW = {"interview": True}


def says(next_: str = "leave", told: str = TOLD) -> dict[str, str]:
    return {"Which do you take": PAGE.replace("NEXT", next_), "": told}


def test_whoever_leaves_says_how_satisfied_they_are_and_why(scene: Scene, ask: Ask) -> None:
    came = ask(scene("recommender"), options=INTERVIEW, says=says())
    assert came.decision.actions == (a.Leave(1.0, "I found what I came for."),)
    assert came.purposes == ["page", "exit"]
    assert len(came.decision.calls) == 2


def test_whoever_stays_is_not_asked(scene: Scene, ask: Ask) -> None:
    for surface, options in (("recommender", says("next_page")), ("social", {"": "{}"})):
        came = ask(scene(surface), options=INTERVIEW, says=options)
        assert "exit" not in came.purposes
    assert ask(scene("recommender"), says=says()).purposes == ["page"]


def test_an_answer_that_cannot_be_read_leaves_the_decision(scene: Scene, ask: Ask) -> None:
    came = ask(scene("recommender"), options=INTERVIEW, says=says(told="no idea"))
    assert came.decision.actions == (a.Leave(round(2 / 9, 4)),)
    assert came.purposes == ["page", "exit", "exit"]
    assert [why.partition(":")[0] for why in came.decision.unread] == ["exit"]


def test_faithful_minds_are_interviewed_too(scene: Scene, ask: Ask) -> None:
    told = {"Answer in one line, one of": "[LEAVE]", "How satisfied are you": TOLD, "": "Fine."}
    came = ask(
        scene("recommender"), options={"interview": True, "prompting": "faithful"}, says=told
    )
    assert came.decision.actions == (a.Leave(1.0, "I found what I came for."),)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (TOLD, (10, "I found what I came for.")),
        (
            '{"satisfaction": "7", "reason": "I was bored\\nat the end."}',
            (7, "I was bored at the end."),
        ),
        ('{"satisfaction": 6.6, "reason": "I liked one."}', (7, "I liked one.")),
    ],
)
def test_answers_are_read(text: str, answer: tuple[int, str]) -> None:
    assert answer_in(Reply("", "reply", (text,))) == answer


@pytest.mark.parametrize(
    "text",
    [
        "fine",
        "[]",
        '{"satisfaction": 11, "reason": "I liked it."}',
        '{"satisfaction": true, "reason": "I liked it."}',
        '{"satisfaction": 5, "reason": ""}',
        '{"satisfaction": 5, "reason": "As an AI language model, I cannot feel."}',
    ],
)
def test_what_is_no_answer_is_unreadable(text: str) -> None:
    assert isinstance(answer_in(Reply("", "reply", (text,))), Unreadable)


def test_the_schema_is_constant_and_without_ranges() -> None:
    assert SCHEMA["required"] == ["satisfaction", "reason"]
    assert not {"minimum", "maximum", "maxLength"} & set(str(SCHEMA).replace("'", " ").split())


def test_a_run_records_it_counts_it_and_shows_it(serving: Serving, tmp_path: Path) -> None:
    text = """
agents = 6
rounds = 1
recommender = "popular"
mind = { kind = "llm", interview = true }
activation = { method = "random", share = 1.0, loyalty = 0.0 }
"""
    with serving(prefer={"browse": 50, "leave": 50}) as fake:
        done = start(parse(f'{text}[llm]\nurl = "{fake.url}"\n'), 1, tmp_path / "run")
    assert done.purposes["exit"].calls > 0
    with Log.open(tmp_path / "run") as log:
        left = [r.event for r in log.records() if isinstance(r.event, e.Left)]
        said = [event for event in left if event.satisfaction is not None and event.why]
        assert len(said) == done.purposes["exit"].calls - done.purposes["exit"].failed
        told = "\n".join(story(log, 1))
    assert said[0].why in told
    assert "leaves, satisfied" in told
