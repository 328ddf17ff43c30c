"""What a model is asked to answer with when it remembers for somebody, as JSON schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from audience.llm.structured import list_of, object_of, one_of, text_of, whole_of

HIGHEST = 10
"""The highest degree of importance."""
_LONGEST = 240
"""Characters of a sentence that a schema allows."""


class Wanted(msgspec.Struct, frozen=True):
    """What a reply is to hold."""

    memories: int = 0
    insights: tuple[str, ...] = ()
    """The letters of what to draw them from."""
    sources: tuple[int, ...] = ()
    """The thoughts that a reflection may cite; none: there is no reflection."""

    @property
    def size(self) -> int:
        """Tokens that the reply may take."""
        return 60 + 60 * (self.memories + len(self.insights)) + 100 * bool(self.sources)


def schema_of(wanted: Wanted) -> dict[str, Any]:
    """Return the JSON schema of a reply: as many entries as lines, only sources that were shown."""
    parts: dict[str, Any] = {}
    if wanted.memories:
        numbers = range(1, wanted.memories + 1)
        memory = object_of(n=one_of(numbers), sentence=text(), importance=degree())
        parts["memories"] = list_of(memory, wanted.memories, wanted.memories)
    if wanted.insights:
        insight = object_of(n=one_of(wanted.insights), insight=text())
        parts["insights"] = list_of(insight, len(wanted.insights), len(wanted.insights))
    if wanted.sources:
        parts["reflection"] = object_of(topic=text(), insight=text(), sources=cited(wanted.sources))
    return object_of(**parts)


def text() -> dict[str, Any]:
    """Return the schema of a sentence."""
    return text_of(_LONGEST)


def degree() -> dict[str, Any]:
    """Return the schema of an importance."""
    return whole_of(1, HIGHEST)


def cited(sources: Sequence[int]) -> dict[str, Any]:
    """Return the schema of the thoughts that something is drawn from."""
    return list_of(one_of(sources), 1, min(len(sources), 8))
