"""Metrics of social events, failures, and groups that watch together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from audience.metrics.formulas import ratio
from audience.world import (
    COUNTED,
    MEMORY,
    VISITS,
    Delivered,
    Gathered,
    Parted,
    Rated,
    Record,
    Said,
    View,
)

_NAMES = {event: name for event, (name, _) in COUNTED.items()}


class SocialMetrics:
    """Counts the events that declare a metric.

    posts, forwards  number of Posted and of Forwarded
    lines            number of Said
    chats            conversations in which a line was said
    delivered        inboxes reached, over all Delivered
    refused          number of Refused
    failed           number of Failed, those of memories apart
    follows,
    unfollows        number of Followed and of Unfollowed, for any reason
    """

    watches = tuple(_NAMES)

    def __init__(self) -> None:
        self._now: Counter[str] = Counter()
        self._past: Counter[str] = Counter()
        self._talk = (-1, -1, -1)

    def update(self, record: Record, world: View) -> None:
        del world
        event = record.event
        if record.phase == MEMORY:
            return
        self._now[_NAMES[type(event)]] += len(event.to) if isinstance(event, Delivered) else 1
        if isinstance(event, Said):
            talk = (record.round, record.phase, record.rank)
            if talk != self._talk:
                self._talk = talk
                self._now["chats"] += 1

    def taken(self) -> dict[str, int]:
        taken, self._now = dict(self._now), Counter()
        return taken

    def merge(self, taken: Mapping[str, int], world: View) -> None:
        self._now.update(taken)

    def value(self) -> dict[str, float]:
        return _listed(self._past + self._now)

    def close(self) -> dict[str, float]:
        found = _listed(self._now)
        self._past.update(self._now)
        self._now.clear()
        return found


def _listed(counts: Counter[str]) -> dict[str, float]:
    return {name: float(counts[name]) for name in (*_NAMES.values(), "chats")}


_EVENINGS, _PEOPLE, _CONTENT, _LEAST, _ALONE, _STARS, _SHARED, _SHARED_STARS = range(8)


class Together:
    """Follows groups that watch together.

    group_visits            number of Gathered
    group_size              people / group_visits
    satisfaction_together   mean satisfaction with which people part
    misery_together         mean over evenings of the lowest expectation of a member
    rating_alone            mean stars given in visits, where there were evenings together too
    rating_together         mean stars given in company
    """

    watches: tuple[type, ...] = (Gathered, Parted, Rated)

    def __init__(self) -> None:
        self._now = [0.0] * 8
        self._past = [0.0] * 8

    def update(self, record: Record, world: View) -> None:
        del world
        event: Any = record.event
        now = self._now
        if isinstance(event, Gathered):
            now[_EVENINGS] += 1.0
            now[_PEOPLE] += len(event.members)
            now[_LEAST] += min(event.scores)
        elif isinstance(event, Parted):
            now[_CONTENT] += event.satisfaction
        else:
            count, stars = (_ALONE, _STARS) if record.phase == VISITS else (_SHARED, _SHARED_STARS)
            now[count] += 1.0
            now[stars] += event.stars

    def taken(self) -> list[float]:
        taken, self._now = self._now, [0.0] * 8
        return taken

    def merge(self, taken: Sequence[float], world: View) -> None:
        self._now = [one + more for one, more in zip(self._now, taken, strict=True)]

    def value(self) -> dict[str, float]:
        return _named([past + now for past, now in zip(self._past, self._now, strict=True)])

    def close(self) -> dict[str, float]:
        found = _named(self._now)
        self._past = [past + now for past, now in zip(self._past, self._now, strict=True)]
        self._now = [0.0] * 8
        return found


def _named(sums: list[float]) -> dict[str, float]:
    return {
        "group_visits": sums[_EVENINGS],
        "group_size": ratio(sums[_PEOPLE], sums[_EVENINGS]),
        "satisfaction_together": ratio(sums[_CONTENT], sums[_PEOPLE]),
        "misery_together": ratio(sums[_LEAST], sums[_EVENINGS]),
        "rating_alone": ratio(sums[_STARS], sums[_ALONE] if sums[_EVENINGS] else 0.0),
        "rating_together": ratio(sums[_SHARED_STARS], sums[_SHARED]),
    }
