"""The endpoint of the people table: everybody with what they did, sorted and filtered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
import numpy as np
from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.errors import BadInput
from audience.web.people import MOST, matching, name_of, person_row
from audience.web.people_columns import Only, PeopleColumns, columns_of, taken
from audience.web.readers import Reader
from audience.web.replies import Missing, json_reply
from audience.web.reply_types import PersonRow
from audience.web.requests import Round, RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.world import (
    VISITS,
    Chapter,
    Failed,
    Floats,
    Ints,
    Left,
    Picked,
    SlateShown,
    World,
)

Sort = Literal["id", "name", "satisfaction", "visits", "picks", "stars", "last", "failures", "then"]


class VisitLine(msgspec.Struct, frozen=True):
    """A visit in the round that was asked for."""

    satisfaction: float | None
    """With this visit; None if nothing was said of it."""
    why: str
    """Why they left, or the last reason that was given in the visit."""
    pages: int
    picks: int
    failures: int


class PersonLine(PersonRow, frozen=True, kw_only=True):
    """A person with what they did so far."""

    picks: int
    stars: float | None
    """The mean of the stars they gave."""
    last: int
    """The round of their last visit; 0 if they never came."""
    failures: int
    visit: VisitLine | None = None


class PeoplePage(msgspec.Struct, frozen=True):
    """A page of the people table."""

    total: int
    """How many match."""
    rows: list[PersonLine]


def line_of(world: World, columns: PeopleColumns, who: int, visit: VisitLine | None) -> PersonLine:
    """Return the line of a person."""
    stars = float(columns.stars[who])
    return PersonLine(
        **msgspec.structs.asdict(person_row(world, who)),
        picks=int(columns.picks[who]),
        stars=None if math.isnan(stars) else stars,
        last=int(columns.last[who]),
        failures=int(columns.failures[who]),
        visit=visit,
    )


def visits_of(reader: Reader, round_: int) -> dict[int, VisitLine]:
    """Return the visits of a round by person, their last one if they came more than once."""
    visits: dict[int, VisitLine] = {}
    for chapter in reader.log.chapters(begin_round=round_, end_round=round_ + 1, phase=VISITS):
        if chapter.agent >= 0:
            visits[chapter.agent] = _visit(chapter)
    return visits


def _visits(reader: Reader, at: int, done: int) -> dict[int, VisitLine]:
    """Return the visits of a round, read once; those of an open one again after each chapter."""
    if at > done + 1:
        raise Missing(f"round {at} has not begun; {done} are complete")
    moment = at if at <= done else -reader.last
    return reader.remembered("visits", moment, lambda: visits_of(reader, at))


def _visit(chapter: Chapter) -> VisitLine:
    entries = [one for one in chapter.entries if getattr(one.event, "agent", -1) == chapter.agent]
    events = [entry.event for entry in entries]
    left = next((event for event in reversed(events) if isinstance(event, Left)), Left(0))
    causes = [entry.cause for entry in entries if entry.cause]
    return VisitLine(
        left.satisfaction,
        left.why or (causes[-1] if causes else ""),
        pages=sum(isinstance(event, SlateShown) for event in events),
        picks=sum(isinstance(event, Picked) for event in events),
        failures=sum(isinstance(event, Failed) for event in events),
    )


def router(registry: RunRegistry) -> APIRouter:
    """Return the endpoint of the people table."""
    api = APIRouter()

    @api.get("/runs/{run}/people-table", response_class=Response)
    def table(
        run: RunId,
        query: Annotated[str, Query(max_length=200)] = "",
        sort: Annotated[Sort, Query()] = "id",
        down: Annotated[bool, Query()] = False,
        only: Annotated[Only, Query()] = "",
        at: Annotated[Round | None, Query()] = None,
        offset: Annotated[Whole, Query()] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    ) -> Response:
        """Return people with what they did, filtered by words and by how they fare, and sorted.

        `at` is a round: lines then tell the visit in it, `only=came` are those who came in it,
        and `only=gone` those of them who have not come again.
        """
        if at is None and (only in ("came", "gone") or sort == "then"):
            raise BadInput(f"{'only' if only else 'sort'}: name the round too, as in at=3")
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            done = reader.log.complete_rounds()
            all_ = reader.remembered("people-table", done, lambda: columns_of(reader))
            world = reader.world(done)
            visits = {} if at is None else _visits(reader, at, done)
            came = np.zeros(len(all_.last), np.bool_)
            came[[who for who in visits if who < len(came)]] = True
            chosen = np.fromiter(matching(world, query), np.int64)
            chosen = chosen[taken(only, all_, came, done, at)[chosen]]
            order = _order(sort, world, all_, visits, chosen, down=down)
            page = chosen[order][offset : offset + limit].tolist()
            rows = [line_of(world, all_, who, visits.get(who)) for who in page]
        return json_reply(PeoplePage(len(chosen), rows))

    return api


def _order(
    sort: Sort,
    world: World,
    all_: PeopleColumns,
    visits: Mapping[int, VisitLine],
    chosen: Ints,
    *,
    down: bool,
) -> Ints:
    """Return the places of the chosen in an order; those of whom it is not known come last."""
    if sort == "name":
        names = [name_of(world, who) for who in chosen.tolist()]
        return np.array(sorted(range(len(names)), key=names.__getitem__, reverse=down), np.int64)
    values = _values(sort, all_, visits, chosen)
    return np.argsort(-values if down else values, kind="stable")  # NaN comes last


def _values(
    sort: Sort, all_: PeopleColumns, visits: Mapping[int, VisitLine], chosen: Ints
) -> Floats:
    """Return a number of each of the chosen; NaN where it is not known."""
    if sort == "id":
        return chosen.astype(np.float64)
    if sort != "then":
        column: Floats = getattr(all_, sort)
        return column[chosen]
    then = (visits[who].satisfaction if who in visits else None for who in chosen.tolist())
    return np.array([np.nan if value is None else value for value in then], np.float64)
