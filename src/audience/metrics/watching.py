"""How long and how far people stay with what they take up."""

from __future__ import annotations

from typing import Any

from audience.metrics.formulas import ratio, ratios
from audience.metrics.tally import Sums, Tally
from audience.world.events import Record, RoundStarted, Watched, Woke
from audience.world.rng import Floats
from audience.world.world import View


class Watching:
    """Counts minutes and fractions of Watched.

    watch_hours        sum of minutes x fraction / 60
    minutes_per_visit  sum of minutes x fraction / visits
    completion         mean fraction
    """

    watches = (RoundStarted, Woke, Watched)

    def __init__(self) -> None:
        self._lived = Tally(2)
        self._visits = self._past_visits = 0
        self._people = 0
        self._minutes, self._fractions = self._lived.amounts

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        kind = type(event)
        if kind is Watched:
            fraction = event.fraction
            self._lived.agents.append(event.agent)
            self._minutes.append(world.catalogue.items[event.item].minutes * fraction)
            self._fractions.append(fraction)
        elif kind is Woke:
            self._visits += 1
        else:
            self._people = len(world.agents)

    def value(self) -> dict[str, float]:
        return _figures(self._past_visits + self._visits, self._lived.whole())

    def close(self) -> dict[str, float]:
        figures = _figures(self._visits, self._lived.close())
        self._past_visits, self._visits = self._past_visits + self._visits, 0
        return figures

    def per_agent(self) -> dict[str, Floats]:
        minutes, fractions = (self._lived.sums(measure, self._people) for measure in (0, 1))
        return {
            "watch_minutes": minutes,
            "completion": ratios(fractions, self._lived.counts(self._people)),
        }


def _figures(visits: int, lived: Sums) -> dict[str, float]:
    minutes, fractions = lived.amounts
    return {
        "watch_hours": minutes / 60.0,
        "minutes_per_visit": ratio(minutes, visits),
        "completion": ratio(fractions, lived.times),
    }
