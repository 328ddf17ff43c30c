"""Remembered sentences, and how a person's tuple of them changes. Pure."""

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
    """The thoughts it was drawn from, also those that are forgotten."""
    accessed: int = 0
    """When it last came to mind; 0: not since it arose."""
    enhancers: tuple[int, ...] = ()
    """The thoughts that resembled it while it was in short-term."""
    items: tuple[int, ...] = ()

    @property
    def touched(self) -> int:
        """When it arose or last came to mind."""
        return self.accessed or self.at


def arisen(event: e.Remembered) -> Thought:
    """Return the thought that an observation left."""
    return Thought(
        event.thought,
        event.text,
        event.weight,
        event.at,
        event.kind,
        event.store,
        items=event.items,
    )


def arising(event: e.Reflected | e.Merged) -> Thought:
    """Return the long-term thought that was drawn from others."""
    return Thought(
        event.thought,
        event.text,
        event.weight,
        event.at,
        event.kind,
        "long",
        event.sources,
        items=event.items,
    )


def recalled(thoughts: Thoughts, ids: Iterable[int], at: int) -> Thoughts:
    """Return the thoughts with those named refreshed."""
    named = frozenset(ids)
    return tuple([replace(one, accessed=at) if one.id in named else one for one in thoughts])


def enhanced(thoughts: Thoughts, id_: int, by: int) -> Thoughts:
    """Return the thoughts with one strengthened by another; twice by the same counts once."""
    return tuple(
        [
            replace(one, enhancers=(*one.enhancers, by))
            if one.id == id_ and by not in one.enhancers
            else one
            for one in thoughts
        ]
    )


def without(thoughts: Thoughts, ids: Iterable[int]) -> Thoughts:
    """Return the thoughts less those named."""
    gone = frozenset(ids)
    return tuple([one for one in thoughts if one.id not in gone])
