"""Metrics of visits: pages and picks, watching, and returning."""

from __future__ import annotations

from typing import Any

import numpy as np

from audience.metrics.formulas import (
    NAN,
    AgentTally,
    Sums,
    packed,
    ratio,
    ratios,
    resized,
    unpacked,
)
from audience.world import (
    Bools,
    Floats,
    Picked,
    Record,
    RoundEnded,
    RoundStarted,
    SlateShown,
    View,
    Watched,
    Woke,
)


class Browsing:
    """Counts what happens on pages, of recommendations and of search results alike.

    visits      number of Woke
    pages       number of SlateShown
    shown       number of items on those pages
    picks       number of Picked
    click_rate  pages with at least one pick / pages
    pick_rate   picks / shown
    exit_page   pages / visits that saw a page
    """

    watches = (RoundStarted, Woke, SlateShown, Picked)

    def __init__(self) -> None:
        self._visits, self._pages = AgentTally(), AgentTally()
        self._picks, self._clicks = AgentTally(), AgentTally()
        self._shown = self._past_shown = 0
        self._opened = self._past_opened = 0
        """Visits that saw a page."""
        self._pageless = -1
        """The agent whose visit has seen no page yet."""
        self._unclicked = -1
        """The agent with an open page on which nothing was picked yet."""
        self._people = 0
        self._add_page, self._add_pick = self._pages.agents.append, self._picks.agents.append

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        kind = type(event)
        if kind is SlateShown:
            self._unclicked = agent = event.agent
            self._add_page(agent)
            self._shown += len(event.items)
            if self._pageless == agent:
                self._opened += 1
                self._pageless = -1
        elif kind is Picked:
            agent = event.agent
            self._add_pick(agent)
            if self._unclicked == agent:
                self._clicks.agents.append(agent)
                self._unclicked = -1
        elif kind is Woke:
            self._pageless = event.agent
            self._visits.agents.append(event.agent)
        else:
            self._people = len(world.agents)

    def _tallies(self) -> tuple[AgentTally, ...]:
        return self._visits, self._pages, self._picks, self._clicks

    def value(self) -> dict[str, float]:
        shown, opened = self._past_shown + self._shown, self._past_opened + self._opened
        return _rates(shown, opened, *(tally.whole() for tally in self._tallies()))

    def close(self) -> dict[str, float]:
        rates = _rates(self._shown, self._opened, *(tally.close() for tally in self._tallies()))
        self._past_shown, self._shown = self._past_shown + self._shown, 0
        self._past_opened, self._opened = self._past_opened + self._opened, 0
        return rates

    def taken(self) -> list[Any]:
        counts = [self._shown, self._opened, self._pageless, self._unclicked]
        self._shown = self._opened = 0
        return [counts, [tally.taken() for tally in self._tallies()]]

    def merge(self, taken: Any, world: View) -> None:  # noqa: ANN401
        (shown, opened, self._pageless, self._unclicked), tallies = taken
        self._shown += shown
        self._opened += opened
        for tally, more in zip(self._tallies(), tallies, strict=True):
            tally.merge(more)

    def per_agent(self) -> dict[str, Floats]:
        pages = self._pages.counts(self._people)
        clicks = self._clicks.counts(len(pages))
        return {
            "visits": self._visits.counts(self._people),
            "pages": pages,
            "picks": self._picks.counts(self._people),
            "click_rate": ratios(clicks, pages),
        }


def _rates(
    shown: int, opened: int, visits: Sums, pages: Sums, picks: Sums, clicks: Sums
) -> dict[str, float]:
    return {
        "visits": float(visits.times),
        "pages": float(pages.times),
        "shown": float(shown),
        "picks": float(picks.times),
        "click_rate": ratio(clicks.times, pages.times),
        "pick_rate": ratio(picks.times, shown),
        "exit_page": ratio(pages.times, opened),
    }


class Watching:
    """Counts minutes and fractions of Watched.

    watch_hours        sum of minutes x fraction / 60
    minutes_per_visit  sum of minutes x fraction / visits
    completion         mean fraction
    """

    watches = (RoundStarted, Woke, Watched)

    def __init__(self) -> None:
        self._lived = AgentTally(2)
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

    def taken(self) -> list[Any]:
        visits, self._visits = self._visits, 0
        return [visits, self._lived.taken()]

    def merge(self, taken: Any, world: View) -> None:  # noqa: ANN401
        visits, lived = taken
        self._visits += visits
        self._lived.merge(lived)

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


NOBODY: Bools = np.zeros(0, np.bool_)


class Returning:
    """Compares the visitors of complete rounds.

    S_r is the set of visitors of round r, and c the first round with any.
    return_rate  sum over r of |S_r and S_(r+1)| / sum over r of |S_r|, r before the last round;
                 of a round alone: |S_(r-1) and S_r| / |S_(r-1)|
    retention    |S_c and S_r| / |S_c|, r the newest round; by round this is the retention curve
    """

    watches = (Woke, RoundEnded)

    def __init__(self) -> None:
        self._seen: list[int] = []
        self._first = self._last = NOBODY
        self._chances: Floats = np.zeros(0)
        self._returns: Floats = np.zeros(0)
        self._newest = (NAN, NAN)

    def update(self, record: Record, world: View) -> None:
        event = record.event
        if isinstance(event, Woke):
            self._seen.append(event.agent)
        else:
            agents = np.array(self._seen, np.int64)
            self._turn(np.bincount(agents, minlength=len(world.agents)) > 0)
            self._seen.clear()

    def taken(self) -> bytes:
        taken = packed(self._seen, "i")
        self._seen.clear()
        return taken

    def merge(self, taken: bytes, world: View) -> None:
        self._seen.extend(unpacked(taken, "i"))

    def _turn(self, seen: Bools) -> None:
        first, last = (self._first if self._first.any() else seen), self._last
        back = seen[: len(last)] & last
        self._chances = resized(self._chances, len(seen))
        self._returns = resized(self._returns, len(seen))
        self._chances[: len(last)] += last
        self._returns[: len(last)] += back
        self._newest = (_share(seen, last), _share(seen, first))
        self._first, self._last = first, seen

    def value(self) -> dict[str, float]:
        rate = ratio(float(self._returns.sum()), float(self._chances.sum()))
        return {"return_rate": rate, "retention": self._newest[1]}

    def close(self) -> dict[str, float]:
        return {"return_rate": self._newest[0], "retention": self._newest[1]}

    def per_agent(self) -> dict[str, Floats]:
        return {"return_rate": ratios(self._returns, self._chances)}


def _share(seen: Bools, among: Bools) -> float:
    return ratio(int((seen[: len(among)] & among).sum()), int(among.sum()))
