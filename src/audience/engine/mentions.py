"""Titles that people name: whether they can know of them. What they cannot is flagged, not mended.

A title counts as known where the item was lived, heard of, remembered or shown in this visit, or
where the title stands in a message, a line or a thought that this person had before its eyes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audience.world import events as e
from audience.world.agent import Agent
from audience.world.items import Catalogue
from audience.world.titles import covers, mentioned, same, titled
from audience.world.world import View


def flagged(
    world: View, me: Agent, text: str, lines: Sequence[e.Said] = ()
) -> tuple[e.Unfounded, ...]:
    """Return what words of `me` name without ground, if anything; `lines` were said before them."""
    said = mentioned(text)
    if not said or _is_own(me, world.catalogue, said):
        return ()
    known = {same(title) for title in _met(world.catalogue, me, lines)}
    strange = tuple(title for title in said if not covers(known, title))
    if not strange:
        return ()
    there = titled(world.catalogue)
    items = [item for title in strange for item in there.get(same(title), ())[:1]]
    return (e.Unfounded(me.profile.id, strange, tuple(items)),)


def _is_own(me: Agent, catalogue: Catalogue, said: Sequence[str]) -> bool:
    """Say whether all that is named was lived or heard of of late, the usual case."""
    near = [one.item for one in me.history[-3:]] + [one.item for one in me.heard[-3:]]
    titles = {catalogue[item].title for item in near}
    return all(title in titles for title in said)


def _met(catalogue: Catalogue, me: Agent, lines: Sequence[e.Said]) -> Iterator[str]:
    items = {*me.situation.shown, *(one.item for one in me.history), *(h.item for h in me.heard)}
    for thought in me.thoughts:
        items.update(thought.items)
        yield from mentioned(thought.text)
    for line in lines:
        items.update(line.items)
        yield from mentioned(line.text)
    for message in me.inbox:
        items.update(message.items)
        yield from mentioned(message.text)
    for reason in me.situation.reasons:
        yield from mentioned(reason)
    yield from (catalogue[item].title for item in items)
