"""What people tell each other, and what went wrong."""

from __future__ import annotations

from collections import Counter

from audience.world.events import (
    MEMORY,
    Delivered,
    Failed,
    Followed,
    Forwarded,
    Posted,
    Record,
    Refused,
    Said,
    Unfollowed,
)
from audience.world.world import View

_NAMES: dict[type, str] = {
    Posted: "posts",
    Forwarded: "forwards",
    Said: "lines",
    Delivered: "delivered",
    Refused: "refused",
    Failed: "failed",
    Followed: "follows",
    Unfollowed: "unfollows",
}


class Social:
    """Counts events.

    posts, forwards  number of Posted and of Forwarded
    lines            number of Said
    chats            conversations in which a line was said
    delivered        inboxes reached, over all Delivered
    refused          number of Refused
    failed           number of Failed, those of memories apart
    follows,
    unfollows        number of Followed and of Unfollowed, whoever brought it about
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

    def value(self) -> dict[str, float]:
        return _listed(self._past + self._now)

    def close(self) -> dict[str, float]:
        found = _listed(self._now)
        self._past.update(self._now)
        self._now.clear()
        return found


def _listed(counts: Counter[str]) -> dict[str, float]:
    return {name: float(counts[name]) for name in (*_NAMES.values(), "chats")}
