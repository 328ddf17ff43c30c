"""The overview of a run: what came of visits, how satisfied people are, which items are taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from numpy.typing import NDArray
from starlette.responses import Response

from audience.log import Log
from audience.web.overview_types import Funnel, HeatRow, OverviewReply
from audience.web.replies import Missing, json_reply
from audience.web.requests import Round, RunId
from audience.web.run_registry import RunRegistry
from audience.world import HABITUAL, START_SATISFACTION, AddItem, Catalogue, events as e

BATCH = 4_000
"""Maximum number of chapters that one request reads: a long log is read over several."""
BINS = 10
COLUMNS = 12
ROWS = 10


Counts = NDArray[np.int64]


class RoundTally:
    """What happened in a round; mutable while it goes on."""

    def __init__(self) -> None:
        self.visits = self.shown = self.picked = self.rated = self.returned = 0
        self.who: set[int] = set()
        self.items_shown: Counter[int] = Counter()
        self.items_picked: Counter[int] = Counter()
        self.ratings = 0
        self.closed: tuple[Counts, Counts] | None = None
        """Items shown and picked with their counts, once the round is over."""
        self.steps: list[int] = [0] * BINS
        self.mean: float | None = None

    def close(self) -> None:
        """Pack the counts of items, of which a long run has many."""
        self.closed = _packed(self.items_shown), _packed(self.items_picked)
        self.items_shown, self.items_picked = Counter(), Counter()

    def counts(self) -> tuple[Counts, Counts]:
        """Return the items shown and picked, each as rows of an item and its count."""
        return self.closed or (_packed(self.items_shown), _packed(self.items_picked))


def _packed(counts: Counter[int]) -> Counts:
    return np.array(list(counts.items()), np.int64).reshape(-1, 2)


class OverviewFold:
    """A fold of a log in the order of arrival, extended as the run goes on."""

    def __init__(self, log: Log, catalogue: Catalogue) -> None:
        self._log = log
        self._items, self._tags = list(catalogue.items), catalogue.tags
        self._satisfaction: dict[int, float] = {}
        self._rounds = [RoundTally()]
        self.after = 0

    def extend(self, most: int = BATCH) -> None:
        """Read what has arrived, at most so many chapters."""
        for seq, chapter in self._log.follow(self.after, limit=most):
            self._take(chapter)
            self.after = seq

    def reply(self, at: int | None, last: int, done: int) -> OverviewReply:
        """Return a round, by default the newest, and the run up to it.

        `last` is the newest chapter of the log, `done` the number of complete rounds.
        """
        newest = len(self._rounds) - 1
        is_whole = self.after >= last
        if is_whole and at is not None and at > newest:
            raise Missing(f"round {at} has not begun; {newest} have")
        round_ = newest if at is None else min(at, newest)
        self._measure(self._rounds[newest])
        tally = self._rounds[round_]
        spans = spans_of(round_)
        shown, picked = self._by_span(spans)
        return OverviewReply(
            round_,
            1.0 if is_whole else self.after / last,
            self._funnel(range(round_, round_ + 1), done),
            self._funnel(range(1, round_ + 1), done),
            list(tally.steps),
            tally.mean,
            spans,
            self._genres(shown, picked),
            self._popular(shown, picked),
        )

    def _take(self, chapter: e.Chapter) -> None:
        tally = self._tally(chapter.round)
        kinds = {type(entry.event) for entry in chapter.entries}
        if chapter.phase == e.VISITS:
            tally.shown += e.SlateShown in kinds
            tally.picked += e.Picked in kinds
            tally.rated += e.Rated in kinds
        for entry in chapter.entries:
            self._count(tally, entry.event, chapter.round)

    def _count(self, tally: RoundTally, event: e.AnyEvent, round_: int) -> None:
        match event:
            case e.SlateShown():
                tally.items_shown.update(event.items)
            case e.Picked():
                tally.items_picked[event.item] += 1
            case e.Rated():
                tally.ratings += event.stars > 0
            case e.Left() if event.satisfaction is not None:
                self._content(event.agent, event.satisfaction)
            case e.Parted():
                self._content(event.agent, event.satisfaction)
            case e.Woke():
                self._woke(tally, event.agent, round_)
            case e.Intervened(AddItem(item)):
                self._items.append(item)

    def _woke(self, tally: RoundTally, who: int, round_: int) -> None:
        tally.visits += 1
        tally.who.add(who)
        before = self._rounds[round_ - 1]
        before.returned += who in before.who

    def _content(self, who: int, satisfaction: float) -> None:
        now = self._satisfaction.get(who, START_SATISFACTION)
        self._satisfaction[who] = now + HABITUAL * (satisfaction - now)

    def _tally(self, round_: int) -> RoundTally:
        while len(self._rounds) <= round_:
            over = self._rounds[-1]
            self._measure(over)
            over.close()
            if len(self._rounds) > 1:
                self._rounds[-2].who.clear()
            self._rounds.append(RoundTally())
        return self._rounds[round_]

    def _measure(self, tally: RoundTally) -> None:
        values = np.fromiter(self._satisfaction.values(), float, len(self._satisfaction))
        tally.steps = np.histogram(values, BINS, (0.0, 1.0))[0].tolist()
        tally.mean = round(float(values.mean()), 4) if len(values) else None

    def _funnel(self, rounds: range, done: int) -> Funnel:
        tallies = [self._rounds[round_] for round_ in rounds if round_ < len(self._rounds)]
        known = [self._rounds[round_] for round_ in rounds if round_ < done]
        counts = [tally.counts() for tally in tallies]
        return Funnel(
            visits=sum(tally.visits for tally in tallies),
            shown=sum(tally.shown for tally in tallies),
            picked=sum(tally.picked for tally in tallies),
            rated=sum(tally.rated for tally in tallies),
            returned=sum(tally.returned for tally in known),
            known=sum(tally.visits for tally in known),
            items_shown=sum(int(shown[:, 1].sum()) for shown, _ in counts),
            picks=sum(int(picked[:, 1].sum()) for _, picked in counts),
            ratings=sum(tally.ratings for tally in tallies),
        )

    def _by_span(self, spans: Sequence[tuple[int, int]]) -> tuple[Counts, Counts]:
        """Return [spans, items]: how often each item was shown, and how often picked."""
        shape = len(spans), len(self._items)
        shown, picked = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, (first, last) in enumerate(spans):
            for tally in self._rounds[first : last + 1]:
                for into, counts in zip((shown, picked), tally.counts(), strict=True):
                    into[row, counts[:, 0]] += counts[:, 1]
        return shown, picked

    def _genres(self, shown: Counts, picked: Counts) -> list[HeatRow]:
        members: dict[str, list[int]] = {}
        for place, item in enumerate(self._items):
            for tag in item.tags:
                members.setdefault(tag, []).append(place)
        rows = [
            (tag, -1, shown[:, places].sum(axis=1), picked[:, places].sum(axis=1))
            for tag, places in members.items()
        ]
        rows.sort(key=lambda row: (-int(row[3].sum()), -int(row[2].sum()), row[0]))
        return [self._row(row, shown, picked) for row in rows[:ROWS] if row[2].sum()]

    def _popular(self, shown: Counts, picked: Counts) -> list[HeatRow]:
        order = np.lexsort((-shown.sum(axis=0), -picked.sum(axis=0)))[:ROWS].tolist()
        rows = [(self._items[item].title, item, shown[:, item], picked[:, item]) for item in order]
        return [self._row(row, shown, picked) for row in rows if row[2].sum()]

    def _row(self, row: tuple[str, int, Counts, Counts], shown: Counts, picked: Counts) -> HeatRow:
        name, item, seen, taken = row
        return HeatRow(name, item, _shares(seen, shown), _shares(taken, picked))


def _shares(part: Counts, whole: Counts) -> list[float | None]:
    sums = whole.sum(axis=1).tolist()
    return [
        round(count / all_, 4) if all_ else None
        for count, all_ in zip(part.tolist(), sums, strict=True)
    ]


def spans_of(last: int) -> list[tuple[int, int]]:
    """Return the first and last rounds of up to twelve spans from round 1 to the last."""
    length = max(1, -(-last // COLUMNS))
    return [(first, min(first + length - 1, last)) for first in range(1, last + 1, length)]


def router(registry: RunRegistry) -> APIRouter:
    """Return the endpoint of the overview."""
    api = APIRouter()

    @api.get("/runs/{run}/overview", response_class=Response)
    def overview(run: RunId, at: Annotated[Round | None, Query()] = None) -> Response:
        """Return a round, by default the newest even if it goes on, and the run up to it."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            fold = reader.remembered(
                "overview", 0, lambda: OverviewFold(reader.log, reader.genesis.catalogue)
            )
            fold.extend()
            return json_reply(fold.reply(at, reader.last, reader.log.complete_rounds()))

    return api
