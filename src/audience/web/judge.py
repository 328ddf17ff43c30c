"""The page on which people judge, made from a run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.errors import BadInput, unknown
from audience.experiments.judging.making import JUDGE, WRITE, Sources, make
from audience.experiments.judging.page import page_of
from audience.web.hall import Hall

_TASKS = (WRITE, JUDGE)
_POLICY = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""The page brings its own policy, which forbids every request and every script but its own."""


def router(hall: Hall) -> APIRouter:
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
