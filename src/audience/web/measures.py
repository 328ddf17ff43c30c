"""The numbers of a run: by round, in all, by segment, and as a report."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.errors import BadInput, unknown
from audience.lab.judging import JUDGE, WRITE, Sources, make, page_of
from audience.metrics import LABELS
from audience.results import csv_text, html
from audience.runs import gathered
from audience.web.readers import Reader
from audience.web.replies import told
from audience.web.requests import RunId
from audience.web.run_registry import Hall
from audience.world import HABITS, Floats, World

REPORTS = 4
CURVE = 500
TOP = 50
FEWEST = 5
"""Segments of fewer people are left out: a mean of so few says little."""
_ENTROPY = ("entropy_exposure", "entropy_consumption", "entropy_taste")
_REPORT = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)


class Reports:
    """Reports as they were asked for last; drawing one takes seconds."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._lock = threading.Lock()  # figures are drawn one at a time
        self._kept: OrderedDict[Path, tuple[tuple[int, int], str]] = OrderedDict()

    def page(self, folder: Path) -> str:
        """Return the report of a run as it stands."""
        with self._hall.readers.reading(folder) as reader:
            stand = self._hall.lives.get(folder, 0), reader.last
        with self._lock:
            if folder not in self._kept or self._kept[folder][0] != stand:
                self._kept[folder] = stand, html(gathered(folder))
            self._kept.move_to_end(folder)
            while len(self._kept) > REPORTS:
                self._kept.popitem(last=False)
            return self._kept[folder][1]


def router(hall: Hall) -> APIRouter:
    """Return the ways to numbers."""
    api = APIRouter()
    reports = Reports(hall)

    @api.get("/runs/{run}/metrics", response_class=Response)
    def metrics(run: RunId) -> Response:
        """Return every number of the complete rounds."""
        with hall.readers.reading(hall.shelf.folder_of(run)) as reader:
            done = reader.log.complete_rounds()
            return told(reader.remembered("metrics", done, lambda: numbers(reader)))

    @api.get("/runs/{run}/metrics.csv", response_class=Response)
    def table(run: RunId) -> Response:
        """Return the numbers of each round as a table."""
        with hall.readers.reading(hall.shelf.folder_of(run)) as reader:
            rounds = reader.metrics()[1].by_round()
        names = list(rounds[0]) if rounds else ["round"]
        rows = ([_cell(row.get(name, np.nan)) for name in names] for row in rounds)
        text = csv_text(names, rows)
        named = {"content-disposition": 'attachment; filename="metrics.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=named)

    @api.get("/runs/{run}/report", response_class=Response)
    def report(run: RunId) -> Response:
        """Return the report as one page that opens offline."""
        page = reports.page(hall.shelf.folder_of(run))
        headers = {"content-security-policy": _REPORT}
        return Response(page, media_type="text/html; charset=utf-8", headers=headers)

    return api


def _cell(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.10g}"


def numbers(reader: Reader) -> dict[str, Any]:
    """Return all that the charts of a run are drawn from."""
    done, metrics = reader.metrics()
    world = reader.world(done)
    rounds, totals = metrics.by_round(), metrics.value()
    stars = [
        round(totals.get("ratings", 0.0) * totals.get(f"rating_{one}", 0.0))
        if totals.get("ratings")
        else 0
        for one in range(1, 6)
    ]
    return {
        "done": done,
        "labels": {
            name: {"label": label, "unit": unit, "better": better}
            for name, (label, unit, better) in LABELS.items()
        },
        "rounds": rounds,
        "totals": totals,
        "segments": segments(world, metrics.per_agent()),
        "histogram": stars,
        "popularity": popularity(world),
        "entropy": {name: [one.get(name) for one in rounds] for name in _ENTROPY},
    }


def popularity(world: World) -> dict[str, Any]:
    """Return how often each item was taken up in the run, most popular first."""
    lived = world.interactions.items[len(world.genesis.past) :]
    counts = np.bincount(lived, minlength=len(world.catalogue))
    order = np.argsort(-counts, kind="stable")
    top = [one for one in order[:TOP].tolist() if counts[one]]
    curve = counts[order]
    curve = curve[curve > 0]
    picked = np.unique(np.linspace(0, max(len(curve) - 1, 0), CURVE).astype(int))
    return {
        "curve": [[int(place) + 1, int(curve[place])] for place in picked] if len(curve) else [],
        "top": [
            {"item": one, "title": world.catalogue[one].title, "count": int(counts[one])}
            for one in top
        ],
    }


def segments(world: World, each: dict[str, Floats]) -> dict[str, list[dict[str, Any]]]:
    """Return the means of every number that people have, by who they are."""
    groups: dict[str, dict[str, list[int]]] = {}
    for who in range(len(world.agents)):
        for by, name in _segments_of(world, who):
            groups.setdefault(by, {}).setdefault(name, []).append(who)
    return {
        by: [
            _means(name, members, each)
            for name, members in sorted(named.items())
            if len(members) >= FEWEST
        ]
        for by, named in groups.items()
    }


def _segments_of(world: World, who: int) -> list[tuple[str, str]]:
    profile = world.profile(who)
    found = [("interest", one) for one in profile.interests]
    if profile.gender:
        found.append(("gender", profile.gender))
    if profile.age is not None:
        decade = profile.age // 10 * 10
        found.append(("age", f"{decade}-{decade + 9}"))
    habits = [(getattr(profile.habits, name), name) for name in HABITS]
    if max(habits)[0] > 0:
        found.append(("habit", max(habits)[1]))
    return found


def _means(name: str, members: list[int], each: dict[str, Floats]) -> dict[str, Any]:
    chosen = np.array(members)
    values = {}
    for metric, numbers_ in each.items():
        mine = numbers_[chosen[chosen < len(numbers_)]]
        mine = mine[~np.isnan(mine)]
        values[metric] = float(mine.mean()) if len(mine) else None
    return {"segment": name, "people": len(members), "values": values}


_TASKS = (WRITE, JUDGE)
_POLICY = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""The page brings its own policy, which forbids every request and every script but its own."""


def judge_router(hall: Hall) -> APIRouter:
    """Return the way to the judging page."""
    api = APIRouter()

    @api.get("/judge", response_class=Response)
    def judge(
        run: Annotated[str, Query(max_length=1000)] = "",
        tasks: Annotated[str, Query(max_length=20)] = "c",
        cases: Annotated[int, Query(ge=1, le=200)] = 20,
        behaviours: Annotated[int, Query(ge=1, le=200)] = 15,
        seed: Annotated[int, Query(ge=0, le=2**31 - 1)] = 1,
    ) -> Response:
        """Return a page of tasks about a run with memories: b, texts to write; c, to judge.

        The same run, tasks and seed give the same page, so `audience eval people make` gives its
        key.
        """
        if not run:
            raise BadInput("run: say which run is judged, as in /api/judge?run=NAME")
        wanted = tuple(one.strip() for one in tasks.split(",") if one.strip())
        for one in wanted or ("",):
            if one not in _TASKS:
                raise unknown("task", one, _TASKS)
        sources = Sources(run=hall.shelf.folder_of(run))
        key = make(sources, wanted, cases=cases, behaviours=behaviours, seed=seed)
        headers = {"content-security-policy": _POLICY}
        return Response(page_of(key.sheet), media_type="text/html; charset=utf-8", headers=headers)

    return api
