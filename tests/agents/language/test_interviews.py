"""Questions to one person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from audience.agents.language import Answer, ChatLine, chat, interview, small_interview
from audience.agents.language.interviews import choice_by_rule
from audience.agents.voiced import Speaker
from audience.llm import Call, CallStore, Endpoint, open_gateway
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.memory import NoMemory
from audience.world import Observation

Scene = Callable[..., Observation]
Serving = Callable[..., AbstractContextManager[Fake]]


def asked(
    serving: Serving, folder: Path, seen: Observation, question: str, **manners: Any
) -> tuple[Answer, Call]:
    path = folder / "calls.db"

    async def work(url: str) -> Answer:
        async with open_gateway([Endpoint(url=url)], store=path, tries=2) as door:
            return await interview(door, NoMemory(), seen, question, salt="1")

    with serving(**manners) as fake:
        answer = asyncio.run(work(fake.url))
    store = CallStore(path, read_only=True)
    (call,) = store.calls()
    store.close()
    return answer, call


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('{"answer": "I liked\\n  it."}', "I liked it."),
        ('```json\n{"answer": "Yes."}\n```', "Yes."),
        ("Just words.", "Just words."),
        ('{"answer": 3}', '{"answer": 3}'),
        ('{"answer": "I liked it. It was lo', "I liked it."),
        ('{"answer": "I liked', "I liked"),
    ],
)
def test_an_answer_is_taken_as_it_comes(
    serving: Serving, scene: Scene, tmp_path: Path, said: str, text: str
) -> None:
    answer, call = asked(serving, tmp_path, scene("home"), "Well?", says={"": said})
    assert answer == Answer(0, "Mia Stone", text, (call.reply.key,))
    assert call.request.purpose == "interview"


def test_no_answer_says_why(serving: Serving, scene: Scene, tmp_path: Path) -> None:
    refusing = Faults({"refusal": 1.0})
    answer, call = asked(serving, tmp_path, scene("home"), "Well?", faults=refusing)
    assert (answer.text, answer.calls) == ("", (call.reply.key,))
    assert answer.failure.startswith("refusal: ")


def test_a_question_is_words_and_nothing_else(
    serving: Serving, scene: Scene, tmp_path: Path
) -> None:
    question = 'Say "$name"\n\n{answer} ${person} \\ </s>' + " and on" * 500
    _, call = asked(serving, tmp_path, scene("home"), question)
    (line,) = (one for one in call.request.messages[1].content.splitlines() if "$name" in one)
    assert "Somebody asks you: \"Say '$name' {answer} ${person} \\ </s> and on" in line
    assert line.endswith('…"')
    assert len(line) < 800


def test_asking_leaves_the_asked_as_they_were(
    serving: Serving, scene: Scene, tmp_path: Path
) -> None:
    seen = scene("home")
    before = msgspec.json.encode(seen.me)
    asked(serving, tmp_path, seen, "Well?")
    assert msgspec.json.encode(seen.me) == before


def small(serving: Serving, seen: Observation, question: str, **manners: Any) -> Answer:
    async def work(url: str) -> Answer:
        async with open_gateway([Endpoint(url=url)], tries=1) as door:
            return await small_interview(Speaker(door), seen, question, salt="1")

    with serving(**manners) as fake:
        return asyncio.run(work(fake.url))


def test_a_small_model_only_finishes_a_sentence_on_what_was_lived(
    serving: Serving, scene: Scene
) -> None:
    said = "the letter takes forty years to arrive."
    good = small(serving, scene("home"), "What did you like best?", says={"": said})
    assert "<The Long Way>" in good.text
    assert good.text.endswith(said)
    bad = small(serving, scene("home"), "What was worst?", says={"": "As an AI I {can} not."})
    assert "<The Long Way>" in bad.text
    assert "AI" not in bad.text
    assert len(bad.calls) == 1


def test_who_lived_nothing_says_so_without_a_call(serving: Serving, scene: Scene) -> None:
    answer = small(serving, scene("home", history=()), "Well?")
    assert answer == Answer(0, "Mia Stone", "I have not watched anything yet.", by="rule")


def chosen(serving: Serving, seen: Observation, *said: str) -> tuple[Answer, int]:
    """Return the answer to a question with options, and how many calls it took."""
    options = ("yes", "no", "not sure")

    async def work(url: str) -> Answer:
        async with open_gateway([Endpoint(url=url)], tries=1) as door:
            return await interview(door, NoMemory(), seen, "Would you?", options=options, salt="1")

    says = {"could not be used": said[1]} if len(said) > 1 else {}
    with serving(says={**says, "": said[0]}, schema="ignored") as fake:
        answer = asyncio.run(work(fake.url))
    return answer, len(answer.calls)


@pytest.mark.parametrize(
    ("said", "choice", "calls"),
    [
        (('{"reason": "I would.", "choice": "yes"}',), "yes", 1),
        (('{"reason": "Hm.", "choice": " Not Sure. "}',), "not sure", 1),
        (('{"answer": "Hm.", "choice": "maybe"}', '{"answer": "No.", "choice": "no"}'), "no", 2),
        (("I would, yes.", '{"answer": "Yes.", "choice": "yes"}'), "yes", 2),
        (('{"answer": "Hm.", "choice": "maybe"}',), "", 2),
    ],
)
def test_a_choice_is_one_of_the_options_or_asked_for_again_once(
    serving: Serving, scene: Scene, said: tuple[str, ...], choice: str, calls: int
) -> None:
    answer, count = chosen(serving, scene("home"), *said)
    assert (answer.choice, count) == (choice, calls)
    assert bool(answer.failure) == (not choice)


@pytest.mark.parametrize(
    ("satisfaction", "options", "choice"),
    [
        (0.9, ("yes", "no", "not sure"), "yes"),
        (0.5, ("yes", "no", "not sure"), "not sure"),
        (0.1, ("Yes", "No"), "No"),
        (0.0, ("1", "2", "3", "4", "5"), "1"),
        (1.0, ("1", "2", "3", "4", "5"), "5"),
        (0.6, ("red", "blue"), ""),
        (0.6, ("yes", "blue"), ""),
    ],
)
def test_a_rule_chooses_by_satisfaction_where_it_knows_what_is_better(
    satisfaction: float, options: tuple[str, ...], choice: str
) -> None:
    assert choice_by_rule(satisfaction, options) == choice


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I liked it.", "I liked it."),
        ('"I liked it."', "I liked it."),
        ("Mia Stone: I liked it.", "I liked it."),
        ('{"answer": "I liked it."}', "I liked it."),
        ("As an AI language model I cannot.", ""),
    ],
)
def test_a_line_of_a_chat_is_words_of_the_person(
    serving: Serving, scene: Scene, said: str, text: str
) -> None:
    async def work(url: str) -> ChatLine:
        async with open_gateway([Endpoint(url=url)], tries=1) as door:
            return await chat(door, NoMemory(), scene("home"), [ChatLine(False, "Well?")])

    with serving(says={"": said}) as fake:
        line = asyncio.run(work(fake.url))
    assert (line.is_theirs, line.text) == (True, text)
    assert bool(line.failure) == (not text)
