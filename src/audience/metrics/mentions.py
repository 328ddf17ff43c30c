"""What people name, and what of it they cannot know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from audience.metrics.formulas import ratio
from audience.world.events import Felt, Posted, Record, Said, Unfounded, Wished
from audience.world.titles import mentioned
from audience.world.world import View


class Mentions:
    """Counts titles in what is felt, posted and said; a wish to talk counts, its echo does not.

    mentions            titles that stand in `<…>`, each once a text
    unfounded_mentions  those that the one who named them neither saw nor heard of
    unfounded_share     unfounded_mentions / mentions
    """

    watches: tuple[type, ...] = (Felt, Posted, Wished, Said, Unfounded)

    def __init__(self) -> None:
        self._now = [0, 0]
        self._past = [0, 0]
        self._wishes: set[tuple[int, int, str]] = set()
        """The wishes of this round: a conversation begins by saying one of them."""

    def update(self, record: Record, world: View) -> None:
        del world
        event: Any = record.event
        if isinstance(event, Unfounded):
            self._now[1] += len(event.titles)
            return
        if isinstance(event, Wished):
            self._wishes.add((event.agent, event.to, event.text))
        elif isinstance(event, Said):
            wish = (event.agent, event.to, event.text)
            if wish in self._wishes:
                self._wishes.discard(wish)
                return
        self._now[0] += len(mentioned(event.text))

    def value(self) -> dict[str, float]:
        return _named(past + now for past, now in zip(self._past, self._now, strict=True))

    def close(self) -> dict[str, float]:
        found = _named(self._now)
        self._past = [past + now for past, now in zip(self._past, self._now, strict=True)]
        self._now = [0, 0]
        self._wishes.clear()
        return found


def _named(counts: Iterable[int]) -> dict[str, float]:
    mentions, unfounded = counts
    return {
        "mentions": float(mentions),
        "unfounded_mentions": float(unfounded),
        "unfounded_share": ratio(unfounded, mentions),
    }
