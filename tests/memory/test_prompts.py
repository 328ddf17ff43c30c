from __future__ import annotations

import msgspec
import pytest

from audience.llm import Reply, answer
from audience.llm.wire import is_strict
from audience.memory.prompts import ReplyContents, schema_of
from audience.memory.replies import read

WANTED = {
    "one": ReplyContents(1),
    "many": ReplyContents(14),
    "insights": ReplyContents(3, ("A", "B")),
    "reflection": ReplyContents(3, (), (4, 7, 9)),
    "everything": ReplyContents(6, ("A", "B", "C"), (4, 7, 9, 12, 40)),
    "nothing lived": ReplyContents(0, ("A",)),
}


@pytest.mark.parametrize("name", WANTED)
@pytest.mark.parametrize("number", range(12))
def test_whatever_follows_the_schema_is_taken_whole(name: str, number: int) -> None:
    wanted = WANTED[name]
    said = msgspec.json.encode(answer(schema_of(wanted), f"{name} {number}")).decode()
    told = read(Reply("key", "reply", (said,)), wanted)
    assert len(told.memories) == wanted.memories
    assert tuple(sorted(told.insights)) == wanted.insights
    assert bool(told.reflection) == bool(wanted.sources)
    assert told.problems == ()


def test_only_what_is_asked_for_can_be_said() -> None:
    assert list(schema_of(ReplyContents(2))["properties"]) == ["memories"]
    whole = schema_of(WANTED["everything"])
    assert whole["required"] == ["memories", "insights", "reflection"]
    parts = whole["properties"]
    assert (parts["memories"]["minItems"], parts["memories"]["maxItems"]) == (6, 6)
    assert parts["memories"]["items"]["properties"]["n"]["enum"] == [1, 2, 3, 4, 5, 6]
    assert (parts["insights"]["minItems"], parts["insights"]["maxItems"]) == (3, 3)
    assert parts["reflection"]["properties"]["sources"]["items"]["enum"] == [1, 2, 3, 4, 5]
    assert all(is_strict(schema_of(wanted)) for wanted in WANTED.values())


def test_a_schema_depends_on_numbers_of_entries_alone_and_bounds_no_text() -> None:
    shown, others = ReplyContents(2, ("A",), (4, 7)), ReplyContents(2, ("A",), (40, 91))
    assert schema_of(shown) == schema_of(others)
    for wanted in WANTED.values():
        words = msgspec.json.encode(schema_of(wanted)).decode()
        assert not [bound for bound in ("Length", "minimum", "maximum") if bound in words]


def test_words_come_last() -> None:
    parts = schema_of(WANTED["everything"])["properties"]
    assert list(parts["memories"]["items"]["properties"]) == ["n", "importance", "sentence"]
    assert list(parts["reflection"]["properties"]) == ["sources", "topic", "insight"]


def test_a_reply_may_take_what_its_entries_take() -> None:
    sizes = [
        wanted.size
        for wanted in (ReplyContents(1), ReplyContents(6), ReplyContents(6, ("A",), (1,)))
    ]
    assert sizes == [250, 1000, 1300]
