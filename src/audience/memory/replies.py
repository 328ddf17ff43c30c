"""What a model is asked to answer with when it remembers for somebody, as JSON schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

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
        numbers = list(range(1, wanted.memories + 1))
        memory = schema(n=_one_of(numbers), sentence=text(), importance=degree())
        parts["memories"] = _array(memory, wanted.memories)
    if wanted.insights:
        insight = schema(n=_one_of(list(wanted.insights)), insight=text())
        parts["insights"] = _array(insight, len(wanted.insights))
    if wanted.sources:
        parts["reflection"] = schema(topic=text(), insight=text(), sources=cited(wanted.sources))
    return schema(**parts)


def schema(**properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with all of these."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def text() -> dict[str, Any]:
    """Return the schema of a sentence."""
    return {"type": "string", "maxLength": _LONGEST}


def degree() -> dict[str, Any]:
    """Return the schema of an importance."""
    return {"type": "integer", "minimum": 1, "maximum": HIGHEST}


def cited(sources: Sequence[int]) -> dict[str, Any]:
    """Return the schema of the thoughts that something is drawn from."""
    return {
        "type": "array",
        "items": _one_of(list(sources)),
        "minItems": 1,
        "maxItems": min(len(sources), 8),
    }


def _one_of(values: list[int] | list[str]) -> dict[str, Any]:
    return {"type": "string" if isinstance(values[0], str) else "integer", "enum": values}


def _array(items: dict[str, Any], count: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": count, "maxItems": count}
