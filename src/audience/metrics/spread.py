"""Metrics of topics: reach, emotion, opinion, and cascades of messages."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from audience.metrics.formulas import NAN, ratio
from audience.metrics.opinion import tone
from audience.world import (
    Delivered,
    Floats,
    Forwarded,
    Intervened,
    Posted,
    Record,
    RoundEnded,
    SpreadView,
    View,
)

NUMBERS = tuple(
    """reach emotion positive emotion_words told cascades cascade_scale cascade_depth
    cascade_breadth""".split()
)
"""The numbers reported as soon as there is a topic."""


class Cascade(msgspec.Struct, frozen=True):
    """The size of a tree of messages."""

    scale: int
    """Messages in it, its root included."""
    depth: int
    """Forwards from the root to the furthest message."""
    breadth: int
    """The most messages at one depth."""


class Cascades:
    """The trees of forwarded messages, one for each original message."""

    def __init__(self) -> None:
        self._place: dict[str, tuple[str, int]] = {}
        """Root and depth of each message."""
        self._width: dict[str, list[int]] = {}
        """Messages at each depth, by root."""
        self.topic: dict[str, int] = {}

    def add(self, event: Posted | Forwarded) -> None:
        """Add a message on a topic."""
        root, depth = event.post, 0
        if isinstance(event, Forwarded):
            root, depth = self._place.get(event.source, (event.root, 0))
            depth += 1
        self._place[event.post] = (root, depth)
        width = self._width.setdefault(root, [])
        width.extend([0] * (depth + 1 - len(width)))
        width[depth] += 1
        self.topic.setdefault(root, event.topic)

    def sizes(self) -> dict[str, Cascade]:
        """Return the size of every cascade by its root."""
        return {
            root: Cascade(sum(width), len(width) - 1, max(width))
            for root, width in self._width.items()
        }

    def largest(self) -> Cascade:
        """Return the greatest scale, depth and breadth over all cascades."""
        sizes = self.sizes().values()
        if not sizes:
            return Cascade(0, 0, 0)
        return Cascade(
            max(cascade.scale for cascade in sizes),
            max(cascade.depth for cascade in sizes),
            max(cascade.breadth for cascade in sizes),
        )


class Spreading:
    """Follows topics; reports nothing while there are none.

    reach             people who know of a topic, as a share, over all topics
    emotion           mean level / 2 of those who know
    emotion_words     mean tone of what was written and passed on, extracted from the texts
    positive          share of those with a view who are for it
    told              messages on topics, written or passed on
    cascades          messages that were passed on at least once
    cascade_scale, cascade_depth, cascade_breadth   the greatest there are
    """

    watches = (Intervened, Posted, Forwarded, Delivered, RoundEnded)

    def __init__(self) -> None:
        self.cascades = Cascades()
        self._now = [0.0, 0.0]
        """Messages and their summed tone in this round, and before it."""
        self._past = [0.0, 0.0]
        self._standing: dict[str, float] = {}

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        if not world.spread.topics:
            return
        if isinstance(event, (Posted, Forwarded)) and event.topic >= 0:
            self.cascades.add(event)
            self._now[0] += 1.0
            self._now[1] += tone(event.text)
        elif isinstance(event, (RoundEnded, Intervened)):
            self._standing = standing(world.spread)

    def taken(self) -> None:
        """Return nothing: where there are topics, metrics are not merged."""

    def merge(self, taken: None, world: View) -> None: ...

    def value(self) -> dict[str, float]:
        total = [now + past for now, past in zip(self._now, self._past, strict=True)]
        return self._numbers(*total)

    def close(self) -> dict[str, float]:
        found = self._numbers(*self._now)
        self._past = [now + past for now, past in zip(self._now, self._past, strict=True)]
        self._now = [0.0, 0.0]
        return found

    def _numbers(self, told: float, toned: float) -> dict[str, float]:
        if not self._standing:
            return {}
        sizes, most = self.cascades.sizes().values(), self.cascades.largest()
        return {
            **self._standing,
            "emotion_words": ratio(toned, told),
            "told": told,
            "cascades": float(sum(cascade.scale > 1 for cascade in sizes)),
            "cascade_scale": float(most.scale),
            "cascade_depth": float(most.depth),
            "cascade_breadth": float(most.breadth),
        }


def standing(spread: SpreadView, topic: int | None = None) -> dict[str, float]:
    """Return reach, emotion and support of one topic or of all."""
    rows = slice(None) if topic is None else slice(topic, topic + 1)
    knowing = spread.aware[rows] > 0
    view: Floats = spread.stance[rows][knowing].astype(np.float64)
    levels = spread.level[rows][knowing]
    return {
        "reach": float(knowing.mean()) if knowing.size else NAN,
        "emotion": float(levels.mean()) / 2.0 if levels.size else NAN,
        "positive": ratio(float((view > 0).sum()), float((view != 0).sum())),
    }
