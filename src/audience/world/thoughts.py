"""Remembered sentences, and pure functions that change an agent's tuple of them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from audience.world import events as e

Thoughts = tuple["Thought", ...]


class Thought(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One remembered sentence."""

    id: int
    text: str
    weight: float
    """How important it is, 0 to 1."""
    at: int
    kind: str = "observation"
    store: str = "long"
    """`short` or `long`."""
    sources: tuple[int, ...] = ()
    """The thoughts it was drawn from, forgotten ones included."""
    accessed: int = 0
    """When it was last recalled; 0: never."""
    enhancers: tuple[int, ...] = ()
    """Similar thoughts that came while it was in short-term memory."""
    items: tuple[int, ...] = ()

    @property
    def touched(self) -> int:
        """When it arose or was last recalled."""
        return self.accessed or self.at


def arisen(event: e.Remembered) -> Thought:
    """Return the thought that an observation left."""
    content = (event.thought, event.text, event.weight, event.at, event.kind, event.store)
    return Thought(*content, items=event.items)


def arising(event: e.Reflected | e.Merged) -> Thought:
    """Return the long-term thought that was drawn from others."""
    content = (event.thought, event.text, event.weight, event.at, event.kind, "long")
    return Thought(*content, event.sources, items=event.items)


def recalled(thoughts: Thoughts, ids: Iterable[int], at: int) -> Thoughts:
    """Return the thoughts, with those in `ids` marked as accessed."""
    named = frozenset(ids)
    return tuple([replace(t, accessed=at) if t.id in named else t for t in thoughts])


def enhanced(thoughts: Thoughts, id_: int, by: int) -> Thoughts:
    """Return the thoughts, with one enhanced by another; the same enhancer counts once."""

    def enhance(thought: Thought) -> Thought:
        if thought.id != id_ or by in thought.enhancers:
            return thought
        return replace(thought, enhancers=(*thought.enhancers, by))

    return tuple([enhance(thought) for thought in thoughts])


def without(thoughts: Thoughts, ids: Iterable[int]) -> Thoughts:
    """Return the thoughts without those in `ids`."""
    gone = frozenset(ids)
    return tuple([thought for thought in thoughts if thought.id not in gone])
