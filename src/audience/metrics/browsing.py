"""Visits, pages and picks, and the rates between them."""

from __future__ import annotations

from typing import Any

from audience.metrics.formulas import ratio, ratios
from audience.metrics.tally import Sums, Tally
from audience.world.events import Picked, Record, RoundStarted, SlateShown, Woke
from audience.world.rng import Floats
from audience.world.world import View


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
        self._visits, self._pages, self._picks, self._clicks = Tally(), Tally(), Tally(), Tally()
        self._shown = self._past_shown = 0
        self._unclicked = -1
        """Who has a page open on which nothing was picked yet."""
        self._people = 0
        self._add_page, self._add_pick = self._pages.agents.append, self._picks.agents.append

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        kind = type(event)
        if kind is SlateShown:
            self._unclicked = agent = event.agent
            self._add_page(agent)
            self._shown += len(event.items)
        elif kind is Picked:
            agent = event.agent
            self._add_pick(agent)
            if self._unclicked == agent:
                self._clicks.agents.append(agent)
                self._unclicked = -1
        elif kind is Woke:
            self._visits.agents.append(event.agent)
        else:
            self._people = len(world.agents)

    def _tallies(self) -> tuple[Tally, ...]:
        return self._visits, self._pages, self._picks, self._clicks

    def value(self) -> dict[str, float]:
        return _rates(self._past_shown + self._shown, *(t.whole() for t in self._tallies()))

    def close(self) -> dict[str, float]:
        rates = _rates(self._shown, *(tally.close() for tally in self._tallies()))
        self._past_shown, self._shown = self._past_shown + self._shown, 0
        return rates

    def per_agent(self) -> dict[str, Floats]:
        pages = self._pages.counts(self._people)
        clicks = self._clicks.counts(len(pages))
        return {
            "visits": self._visits.counts(self._people),
            "pages": pages,
            "picks": self._picks.counts(self._people),
            "click_rate": ratios(clicks, pages),
        }


def _rates(shown: int, visits: Sums, pages: Sums, picks: Sums, clicks: Sums) -> dict[str, float]:
    return {
        "visits": float(visits.times),
        "pages": float(pages.times),
        "shown": float(shown),
        "picks": float(picks.times),
        "click_rate": ratio(clicks.times, pages.times),
        "pick_rate": ratio(picks.times, shown),
        "exit_page": ratio(pages.times, pages.visits),
    }
