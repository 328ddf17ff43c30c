"""The endpoint of the people table: everybody with what they did, sorted and filtered."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.log import failures_by_person, last_visits
from audience.runs import ABSENT
from audience.web.people import MOST, matching, person_row
from audience.web.readers import Reader
from audience.web.replies import json_reply
from audience.web.reply_types import PersonRow
from audience.web.requests import RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.world import Floats

Sort = Literal["id", "name", "satisfaction", "visits", "picks", "stars", "last", "failures"]
Only = Literal["", "unhappy", "happy", "failed", "absent", "never"]
UNHAPPY, HAPPY = 0.35, 0.65


class PersonLine(PersonRow, frozen=True, kw_only=True):
    """A person with what they did so far."""

    picks: int
    stars: float | None
    """The mean of the stars they gave."""
    last: int
    """The round of their last visit; 0 if they never came."""
    failures: int


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


def _value(each: Mapping[str, Floats], metric: str, who: int) -> float | None:
    values = each.get(metric)
    if values is None or who >= len(values):
        return None
    value = float(values[who])
    return None if math.isnan(value) else value


def _filters(done: int) -> dict[Only, Callable[[PersonLine], bool]]:
    return {
        "": lambda one: True,
        "unhappy": lambda one: one.visits > 0 and one.satisfaction < UNHAPPY,
        "happy": lambda one: one.visits > 0 and one.satisfaction > HAPPY,
        "failed": lambda one: one.failures > 0,
        "absent": lambda one: 0 < one.last <= done - ABSENT,
        "never": lambda one: one.last == 0,
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
        offset: Annotated[Whole, Query()] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    ) -> Response:
        """Return people with what they did, filtered by words and by how they fare, and sorted."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            done = reader.log.complete_rounds()
            lines = reader.remembered("people-table", done, lambda: lines_of(reader))
            fits = _filters(done)[only]
            chosen = [lines[who] for who in matching(reader.world(done), query)]
        chosen = [line for line in chosen if fits(line)]
        chosen.sort(key=lambda line: _order(getattr(line, sort)), reverse=down)
        return json_reply(PeoplePage(len(chosen), chosen[offset : offset + limit]))

    return api


def _order(value: object) -> tuple[bool, object]:
    """Return a key by which what is not known comes first."""
    return value is not None, value if value is not None else 0
