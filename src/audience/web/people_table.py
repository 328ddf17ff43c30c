"""The endpoint of the people table: everybody with what they did, sorted and filtered."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Query
from msgspec.structs import replace
from starlette.responses import Response

from audience.errors import BadInput
from audience.log import failures_by_person, last_visits
from audience.runs import ABSENT
from audience.web.people import MOST, matching, person_row
from audience.web.readers import Reader
from audience.web.replies import Missing, json_reply
from audience.web.reply_types import PersonRow
from audience.web.requests import Round, RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.world import VISITS, Chapter, Failed, Floats, Left, Picked, SlateShown

Sort = Literal["id", "name", "satisfaction", "visits", "picks", "stars", "last", "failures", "then"]
Only = Literal["", "unhappy", "happy", "failed", "absent", "never", "came", "gone"]
UNHAPPY, HAPPY = 0.35, 0.65


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


def lines_of(reader: Reader) -> list[PersonLine]:
    """Return everybody as of the last complete round."""
    done, metrics = reader.metrics()
    world, each = reader.world(done), metrics.per_agent()
    last, failed = last_visits(reader.log, done), failures_by_person(reader.log, done)
    lines = []
    for who in range(len(world.agents)):
        row = msgspec.structs.asdict(person_row(world, who))
        stars = _value(each, "rating_mean", who)
        lines.append(
            PersonLine(
                **row,
                picks=int(_value(each, "picks", who) or 0),
                stars=None if stars is None else round(stars, 2),
                last=last.get(who, 0),
                failures=failed.get(who, 0),
            )
        )
    return lines


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


def _value(each: Mapping[str, Floats], metric: str, who: int) -> float | None:
    values = each.get(metric)
    if values is None or who >= len(values):
        return None
    value = float(values[who])
    return None if math.isnan(value) else value


def _filters(done: int, at: int | None) -> dict[Only, Callable[[PersonLine], bool]]:
    return {
        "": lambda one: True,
        "unhappy": lambda one: one.visits > 0 and one.satisfaction < UNHAPPY,
        "happy": lambda one: one.visits > 0 and one.satisfaction > HAPPY,
        "failed": lambda one: one.failures > 0,
        "absent": lambda one: 0 < one.last <= done - ABSENT,
        "never": lambda one: one.last == 0,
        "came": lambda one: one.visit is not None,
        "gone": lambda one: one.visit is not None and one.last == at,
    }


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
            lines = reader.remembered("people-table", done, lambda: lines_of(reader))
            chosen = [lines[who] for who in matching(reader.world(done), query)]
            if at is not None:
                visits = _visits(reader, at, done)
                chosen = [replace(line, visit=visits.get(line.id)) for line in chosen]
        chosen = [line for line in chosen if _filters(done, at)[only](line)]
        chosen = _sorted(chosen, sort, down=down)
        return json_reply(PeoplePage(len(chosen), chosen[offset : offset + limit]))

    return api


def _sorted(lines: list[PersonLine], sort: Sort, *, down: bool) -> list[PersonLine]:
    """Return people in an order; those of whom that is not known come last."""
    values: list[Any] = [
        (line.visit.satisfaction if line.visit else None) if sort == "then" else getattr(line, sort)
        for line in lines
    ]
    known = [place for place, value in enumerate(values) if value is not None]
    known.sort(key=values.__getitem__, reverse=down)
    unknown = [place for place, value in enumerate(values) if value is None]
    return [lines[place] for place in (*known, *unknown)]
