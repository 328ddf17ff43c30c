"""The curves of a run's topics, from its log or as it goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from audience.log import Log
from audience.metrics.spreading import Cascades, standing
from audience.metrics.tone import tone
from audience.world import Chapter, View, World
from audience.world.events import CLOSING, Forwarded, Posted


class Curves(msgspec.Struct, frozen=True):
    """How one topic went, one number a round."""

    topic: str
    reach: tuple[float, ...]
    """Share of people who know."""
    active: tuple[float, ...]
    """Share of people who ever told it."""
    emotion: tuple[float, ...]
    emotion_words: tuple[float, ...]
    positive: tuple[float, ...]
    scale: tuple[float, ...]
    """Of the largest cascade so far; so are depth and breadth."""
    depth: tuple[float, ...]
    breadth: tuple[float, ...]


_ROW = tuple(name for name in Curves.__struct_fields__ if name != "topic")


class Following:
    """A listener that follows every topic round by round."""

    def __init__(self) -> None:
        self._rows: list[list[tuple[float, ...]]] = []
        self._names: list[str] = []
        self._tellers: list[set[int]] = []
        self._trees: list[Cascades] = []
        self._toned: list[list[float]] = []

    def __call__(self, chapter: Chapter, world: View) -> None:
        for topic in world.spread.topics[len(self._names) :]:
            self._names.append(topic.name)
            self._rows.append([])
            self._tellers.append(set())
            self._trees.append(Cascades())
            self._toned.append([])
        for entry in chapter.entries:
            event: Any = entry.event
            if isinstance(event, (Posted, Forwarded)) and event.topic >= 0:
                self._tellers[event.topic].add(event.agent)
                self._trees[event.topic].add(event)
                self._toned[event.topic].append(tone(event.text))
        if chapter.phase == CLOSING:
            for number in range(len(self._names)):
                self._close(number, world)

    def _close(self, number: int, world: View) -> None:
        now, most = standing(world.spread, number), self._trees[number].largest()
        toned = self._toned[number]
        self._rows[number].append(
            (
                now["reach"],
                len(self._tellers[number]) / len(world.agents),
                now["emotion"],
                sum(toned) / len(toned) if toned else 0.0,
                now["positive"],
                float(most.scale),
                float(most.depth),
                float(most.breadth),
            )
        )
        toned.clear()

    def curves(self) -> tuple[Curves, ...]:
        """Return the curves so far, one for each topic, from the round it began in."""
        return tuple(
            Curves(name, *(tuple(column) for column in zip(*rows, strict=True)))
            if rows
            else Curves(name, *(() for _ in _ROW))
            for name, rows in zip(self._names, self._rows, strict=True)
        )


def curves_of(folder: Path) -> tuple[Curves, ...]:
    """Return the curves of a run's topics from its log alone."""
    following = Following()
    with Log.open(folder) as log:
        world = World(log.genesis())
        for chapter in log.chapters():
            for entry in chapter.entries:
                world.apply(entry.event)
            following(chapter, world)
    return following.curves()
