"""What everybody did so far, in columns: lines are made only of the people who are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audience.log import failures_by_person, last_visits
from audience.runs import ABSENT
from audience.web.readers import Reader
from audience.world import START_SATISFACTION, Floats

Bools = NDArray[np.bool_]
Only = Literal["", "unhappy", "happy", "failed", "absent", "never", "came", "gone"]
UNHAPPY, HAPPY = 0.35, 0.65


class PeopleColumns(NamedTuple):
    """A number of everybody, by id; NaN where it is not known."""

    satisfaction: Floats
    visits: Floats
    picks: Floats
    stars: Floats
    last: Floats
    failures: Floats


def columns_of(reader: Reader) -> PeopleColumns:
    """Return everybody as of the last complete round."""
    done, metrics = reader.metrics()
    world, each = reader.world(done), metrics.per_agent()
    people, changed = len(world.agents), world.agents.changed
    contents = {who: round(me.satisfaction, 3) for who, me in changed.items()}
    return PeopleColumns(
        _column(people, contents, START_SATISFACTION),
        _column(people, {who: me.visits for who, me in changed.items()}),
        np.nan_to_num(_padded(each.get("picks"), people)),
        np.round(_padded(each.get("rating_mean"), people), 2),
        _column(people, last_visits(reader.log, done)),
        _column(people, failures_by_person(reader.log, done)),
    )


def _column(people: int, values: Mapping[int, float], usual: float = 0.0) -> Floats:
    column = np.full(people, usual)
    column[list(values)] = list(values.values())
    return column


def _padded(values: Floats | None, people: int) -> Floats:
    known = np.empty(0) if values is None else values
    return np.concatenate([known, np.full(people - len(known), np.nan)])


def taken(only: Only, all_: PeopleColumns, came: Bools, done: int, at: int | None) -> Bools:
    """Return of everybody whether a filter takes them; `came`: those who came in round `at`."""
    match only:
        case "unhappy":
            return (all_.visits > 0) & (all_.satisfaction < UNHAPPY)
        case "happy":
            return (all_.visits > 0) & (all_.satisfaction > HAPPY)
        case "failed":
            return np.greater(all_.failures, 0)
        case "absent":
            return (all_.last > 0) & (all_.last <= done - ABSENT)
        case "never":
            return np.equal(all_.last, 0)
        case "came":
            return came
        case "gone":
            return came & np.equal(all_.last, at or 0)
    return np.ones(len(came), np.bool_)
