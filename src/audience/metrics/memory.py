"""Metrics of memory: what was remembered, recalled and forgotten."""

from __future__ import annotations

from collections import Counter
from typing import Any

from audience.metrics.formulas import ratio
from audience.world import Remind, View, events as e

_NAMES: dict[type, str] = {
    e.Enhanced: "enhanced",
    e.Settled: "settled",
    e.Reflected: "reflected",
    e.Merged: "merged",
    e.Forgot: "forgotten",
}
_COUNTED = ("remembered", "faded_at_once", *_NAMES.values(), "recall_cut", "memory_failed")


class Remembering:
    """Counts what happens to thoughts.

    remembered           number of Remembered in short-term or long-term memory
    faded_at_once        number of Remembered that stayed in sensory memory
    enhanced, settled, reflected, merged, forgotten
                         number of Enhanced, Settled, Reflected, Merged and Forgot
    recalled             thoughts recalled / decisions with recalled thoughts
    recall_cut           thoughts without room in a prompt
    memory_failed        number of Failed while memories consolidated
    thoughts             thoughts kept at the end / people
    """

    watches = (e.RoundEnded, e.Intervened, e.Recalled, e.Remembered, e.Failed, *_NAMES)

    def __init__(self) -> None:
        self._now: Counter[str] = Counter()
        self._past: Counter[str] = Counter()
        self._thoughts = self._people = 0

    def update(self, record: e.Record, world: View) -> None:
        event, now = record.event, self._now
        match event:
            case e.Recalled():
                now["decisions"] += 1
                now["recalled"] += len(event.thoughts)
                now["recall_cut"] += event.cut
            case e.Remembered():
                is_kept = event.store != "sensory"
                now["remembered" if is_kept else "faded_at_once"] += 1
                self._thoughts += is_kept
            case e.Failed():
                now["memory_failed"] += record.phase == e.MEMORY
            case e.RoundEnded():
                self._people = len(world.agents)
            case e.Intervened():
                self._thoughts += isinstance(event.change, Remind)
            case _:
                now[_NAMES[type(event)]] += 1
                self._thoughts += _change(event)

    def taken(self) -> list[Any]:
        taken = [dict(self._now), self._thoughts]
        self._now, self._thoughts = Counter(), 0
        return taken

    def merge(self, taken: Any, world: View) -> None:  # noqa: ANN401
        now, thoughts = taken
        self._now.update(now)
        self._thoughts += thoughts

    def value(self) -> dict[str, float]:
        return self._listed(self._past + self._now)

    def close(self) -> dict[str, float]:
        found = self._listed(self._now)
        self._past.update(self._now)
        self._now.clear()
        return found

    def _listed(self, counts: Counter[str]) -> dict[str, float]:
        return {
            **{name: float(counts[name]) for name in _COUNTED},
            "recalled": ratio(counts["recalled"], counts["decisions"]),
            "thoughts": ratio(self._thoughts, self._people),
        }


def _change(event: e.AnyEvent) -> int:
    """Return the change in the number of thoughts by an event."""
    match event:
        case e.Reflected():
            return 1
        case e.Merged():
            return 1 - len(event.sources)
        case e.Forgot():
            return -1
    return 0
