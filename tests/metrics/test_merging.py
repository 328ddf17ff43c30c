"""Visits counted elsewhere and merged give the numbers of one process."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest

from audience.metrics import Mergeable, Metrics, builtin, measure
from audience.world import VISITS, Chapter, Genesis, Record, View, World, events as e


def merged(log: list[Chapter], genesis: Genesis, block: int) -> Metrics:
    """Count every other block of visits in metrics of another process, which knows less."""
    here, there, world = Metrics(builtin()), Metrics(builtin()), World(genesis)
    for (_, phase), some in groupby(log, lambda each: (each.round, each.phase)):
        chapters = list(some)
        if phase == VISITS:
            before = World(genesis)
            for number, start in enumerate(range(0, len(chapters), block)):
                part = chapters[start : start + block]
                counting = (there, before) if number % 2 else (here, world)
                there.taken()
                for chapter in part:
                    world.apply_all(chapter.entries)
                    counting[0].update_chapter(chapter, counting[1])
                if number % 2:
                    here.merge(there.taken(), world)
        else:
            for chapter in chapters:
                world.apply_all(chapter.entries)
                here.update_chapter(chapter, world)
                there.update_chapter(chapter, world)  # a fork is a copy of what is here
    return here


@pytest.mark.parametrize("block", [1, 5])
def test_merged_counts_are_those_of_one_process(
    town: Genesis, long_log: list[Chapter], block: int
) -> None:
    log = [told for chapter in long_log for told in spoken(chapter)]
    whole, parts = measure(log, town, Metrics(builtin())), merged(log, town, block)
    assert repr(parts.value()) == repr(whole.value())
    assert repr(parts.by_round()) == repr(whole.by_round())
    first, second = parts.per_agent(), whole.per_agent()
    assert first.keys() == second.keys()
    for name, numbers in first.items():
        np.testing.assert_array_equal(numbers, second[name])
    named = ("mentions", "posts", "spoken_model", "recalled", "thoughts", "failed", "lines")
    assert all(whole.value()[name] > 0.0 for name in named), "all of it is counted"


def spoken(chapter: Chapter) -> list[Chapter]:
    """Return a chapter with what the log of the town lacks: words, thoughts, wishes, failures."""
    if chapter.phase != VISITS:
        return [chapter]
    who, other = chapter.agent, (chapter.agent + 1) % 60
    more: list[e.AnyEvent] = [
        e.Felt(who, 3, "I loved <3>.", voice="model"),
        e.Wished(who, other, "Have you seen <4>?"),
        e.Reflected(who, 1, "It moved me.", 0.5, 60, (), "emotion"),
        e.Failed(who, "no answer"),
    ]
    first, *rest = chapter.entries
    entries = (first, *map(e.Entry, more), *rest)
    said = e.Said(who, other, "Have you seen <4>?", (), 0.0, "template")
    late = e.Picked(who, 3, 0)  # of the last page, as far as counting goes
    place = (chapter.round, e.CONVERSATIONS, chapter.rank, who)
    return [
        Chapter(chapter.round, VISITS, chapter.rank, who, entries),
        *([Chapter(*place, (e.Entry(said), e.Entry(late)))] if who % 7 == 0 else []),
    ]


class Doors:
    """A metric of somebody's own."""

    def __init__(self, *watches: type) -> None:
        self.watches = watches
        self.doors = 0

    def update(self, record: Record, world: View) -> None:
        self.doors += 1

    def value(self) -> dict[str, float]:
        return {"doors": float(self.doors)}


class SharedDoors(Doors):
    """The same, counted by several processes."""

    def taken(self) -> int:
        taken, self.doors = self.doors, 0
        return taken

    def merge(self, taken: Any, world: View) -> None:
        self.doors += taken


def test_metrics_are_merged_if_all_that_look_at_visits_can_be() -> None:
    assert Metrics(builtin()).is_mergeable
    assert Metrics([*builtin(), Doors(e.RoundEnded)]).is_mergeable
    assert not Metrics([*builtin(), Doors(e.RoundEnded, e.Entered)]).is_mergeable
    assert Metrics([*builtin(), SharedDoors(e.Entered)]).is_mergeable
    assert isinstance(SharedDoors(e.Entered), Mergeable)
