from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from audience.llm import (
    TEXT,
    ChatMessage,
    Prompts,
    Questioner,
    Reply,
    Request,
    Unreadable,
    ask_for,
    list_of,
    loose_json,
    object_of,
    one_of,
    unanswered,
)
from audience.llm.structured import Structured

ASKED = (ChatMessage("user", "How many?"),)
SCHEMA = object_of(count=one_of(range(1, 6)))


class Scripted:
    """Gives some replies in turn, and errors when they are used up."""

    def __init__(self, *replies: Reply | str) -> None:
        self.replies = list(replies)
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        reply = self.replies.pop(0)
        return Reply(request.key, "reply", (reply,)) if isinstance(reply, str) else reply

    async def close(self) -> None: ...


def count_in(reply: Reply) -> int | Unreadable:
    value = unanswered(reply) or loose_json(reply.text)
    if isinstance(value, Unreadable):
        return value
    count = value.get("count") if isinstance(value, dict) else None
    return count if isinstance(count, int) else Unreadable("no count")


def asked(gateway: Scripted, tmp_path: Path) -> Structured[int | Unreadable]:
    (tmp_path / "repair.md").write_text("Wrong: $why. Again.", "utf-8")
    prompts = Prompts(folder=str(tmp_path), model="m")
    questions = Questioner(gateway, prompts, temperature=0.5, max_tokens=80, shown=4)
    return asyncio.run(questions.ask_for("counting", ASKED, 255, count_in, SCHEMA))


def test_what_can_be_read_is_asked_for_once(tmp_path: Path) -> None:
    gateway = Scripted('{"count": 3}')
    answer = asked(gateway, tmp_path)
    (request,) = gateway.asked
    assert answer.value == 3
    assert answer.calls == (request.key,)
    assert (request.purpose, request.model, request.schema) == ("counting", "m", SCHEMA)
    assert (request.max_tokens, request.temperature) == (80, 0.5)
    assert request.salt == "00000000000000ff.counting.0"


def test_an_unreadable_reply_is_asked_for_again_with_what_was_wrong(tmp_path: Path) -> None:
    gateway = Scripted('{"number": 3}', '{"count": 2}')
    answer = asked(gateway, tmp_path)
    first, second = gateway.asked
    assert answer.value == 2
    assert answer.calls == (first.key, second.key)
    assert second.messages == (
        *ASKED,
        ChatMessage("assistant", '{"nu'),
        ChatMessage("user", "Wrong: no count. Again."),
    )
    assert second.salt == "00000000000000ff.counting.1"


def test_it_is_asked_for_again_only_once(tmp_path: Path) -> None:
    gateway = Scripted("{}", "[]", '{"count": 2}')
    assert asked(gateway, tmp_path).value == Unreadable("no count")
    assert len(gateway.asked) == 2


@pytest.mark.parametrize("outcome", ["refusal", "timeout", "unreadable", "error"])
def test_no_reply_is_not_repaired(outcome: str, tmp_path: Path) -> None:
    gateway = Scripted(Reply("k", outcome, why="busy"))  # type: ignore[arg-type]
    assert asked(gateway, tmp_path).value == Unreadable(f"{outcome}: busy")


def test_without_a_repair_nothing_is_asked_again() -> None:
    gateway = Scripted("{}")
    answer = asyncio.run(ask_for(gateway, Request("x", ASKED), count_in))
    assert answer.value == Unreadable("no count")
    assert len(gateway.asked) == 1


def test_schemas_are_whole_and_closed() -> None:
    words = list_of(one_of(("a", "b")), 1, 2, unique=True)
    assert object_of(say=TEXT, to=one_of((-1, 3)), words=words) == {
        "type": "object",
        "properties": {
            "say": {"type": "string"},
            "to": {"type": "integer", "enum": [-1, 3]},
            "words": {
                "type": "array",
                "items": {"type": "string", "enum": ["a", "b"]},
                "minItems": 1,
                "maxItems": 2,
                "uniqueItems": True,
            },
        },
        "required": ["say", "to", "words"],
        "additionalProperties": False,
    }
    assert one_of(()) == {"type": "string", "enum": []}
    assert list_of(TEXT) == {"type": "array", "items": TEXT}
