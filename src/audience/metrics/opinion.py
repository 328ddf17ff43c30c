"""What people say about their visits and about items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from audience.metrics.formulas import ratio, ratios
from audience.metrics.tally import Sums, Tally
from audience.world.events import Left, Rated, Record
from audience.world.rng import Floats
from audience.world.world import View

STARS = range(1, 6)


class Satisfaction:
    """satisfaction: mean of Left.satisfaction where one was given."""

    watches = (Left,)

    def __init__(self) -> None:
        self._given = Tally(1)

    def update(self, record: Record, world: View) -> None:
        del world
        event: Any = record.event
        if event.satisfaction is not None:
            self._given.agents.append(event.agent)
            self._given.amounts[0].append(event.satisfaction)

    def value(self) -> dict[str, float]:
        return {"satisfaction": _mean(self._given.whole())}

    def close(self) -> dict[str, float]:
        return {"satisfaction": _mean(self._given.close())}

    def per_agent(self) -> dict[str, Floats]:
        return {"satisfaction": ratios(self._given.sums(), self._given.counts())}


class Ratings:
    """Counts the stars given.

    ratings               number of Rated
    rating_mean           mean stars
    rating_1 to rating_5  share of each number of stars
    """

    watches = (Rated,)

    def __init__(self) -> None:
        self._given = Tally(1)
        self._past = [0 for _ in STARS]

    def update(self, record: Record, world: View) -> None:
        del world
        event: Any = record.event
        self._given.agents.append(event.agent)
        self._given.amounts[0].append(event.stars)

    def _now(self) -> list[int]:
        return [self._given.amounts[0].count(stars) for stars in STARS]

    def _both(self) -> list[int]:
        return [past + now for past, now in zip(self._past, self._now(), strict=True)]

    def value(self) -> dict[str, float]:
        return _histogram(self._given.whole(), self._both())

    def close(self) -> dict[str, float]:
        now, self._past = self._now(), self._both()
        return _histogram(self._given.close(), now)

    def per_agent(self) -> dict[str, Floats]:
        return {"rating_mean": ratios(self._given.sums(), self._given.counts())}


def _mean(sums: Sums) -> float:
    return ratio(sums.amounts[0], sums.times)


def _histogram(sums: Sums, counts: Sequence[int]) -> dict[str, float]:
    shares = {f"rating_{stars}": ratio(counts[stars - 1], sums.times) for stars in STARS}
    return {"ratings": float(sums.times), "rating_mean": _mean(sums), **shares}
