"""What remembering does to a person: the parts of its fold that memory needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from audience.world import events as e
from audience.world import thoughts
from audience.world.thoughts import Thought, arisen, arising, without

if TYPE_CHECKING:
    from audience.world.agent import Agent, Laws


def recalled(me: Agent, event: e.Recalled, laws: Laws) -> Agent:
    return replace(me, thoughts=thoughts.recalled(me.thoughts, event.thoughts, event.at))


def remembered(me: Agent, event: e.Remembered, laws: Laws) -> Agent:
    if event.store == "sensory":
        return replace(me, thoughts_had=max(me.thoughts_had, event.thought + 1))
    return thinking(me, arisen(event), brewing=event.weight if event.store == "long" else 0.0)


def enhanced(me: Agent, event: e.Enhanced, laws: Laws) -> Agent:
    return replace(me, thoughts=thoughts.enhanced(me.thoughts, event.thought, event.by))


def settled(me: Agent, event: e.Settled, laws: Laws) -> Agent:
    moved = next((one for one in me.thoughts if one.id == event.thought), None)
    if moved is None or moved.store == "long":
        return me
    rest = without(me.thoughts, (event.thought,))
    settled = replace(moved, store="long")
    return replace(me, thoughts=(*rest, settled), brewing=me.brewing + moved.weight)


def reflected(me: Agent, event: e.Reflected, laws: Laws) -> Agent:
    if event.kind == "reflection":
        return replace(thinking(me, arising(event)), brewing=0.0)
    return thinking(me, arising(event), brewing=event.weight)


def merged(me: Agent, event: e.Merged, laws: Laws) -> Agent:
    merged = [one for one in me.thoughts if one.id in event.sources]
    sources = (*event.sources, *(source for one in merged for source in one.sources))
    thought = replace(arising(event), sources=tuple(dict.fromkeys(sources)))
    return thinking(replace(me, thoughts=without(me.thoughts, event.sources)), thought)


def forgot(me: Agent, event: e.Forgot, laws: Laws) -> Agent:
    return replace(me, thoughts=without(me.thoughts, (event.thought,)))


def thinking(me: Agent, thought: Thought, *, brewing: float = 0.0) -> Agent:
    """Return the agent with one more thought."""
    return replace(
        me,
        thoughts=(*me.thoughts, thought),
        thoughts_had=max(me.thoughts_had, thought.id + 1),
        brewing=me.brewing + brewing,
    )
