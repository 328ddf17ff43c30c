"""The whole server put together: the guard, the API, the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from audience.web import (
    asking,
    branching,
    calls,
    changes,
    comparing,
    graph,
    judge,
    measures,
    names,
    people,
    playing,
    runs,
    scenarios,
    session,
    story,
    stream,
)
from audience.web.hall import Hall
from audience.web.replies import Missing, tell_errors
from audience.web.scenarios import Offer
from audience.web.security import Access, Guard, Limits

STATIC = Path(__file__).parent / "static"
_UNBUILT = (
    "<!doctype html><meta charset=utf-8><title>Audience</title>"
    "<p>The page is not built here; its sources are in ui/. The API answers under /api."
)


class App:
    """The server as it is called for each request, with what it is made of."""

    def __init__(self, guard: Guard, hall: Hall, streams: stream.Streams, api: FastAPI) -> None:
        self.guard, self.hall, self.streams, self.api = guard, hall, streams, api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.guard(scope, receive, send)


def make_app(
    root: Path,
    access: Access,
    *,
    found: Mapping[str, Path] | None = None,
    opened: str | None = None,
    limits: Limits | None = None,
    static: Path = STATIC,
) -> App:
    """Return the server over a folder of runs.

    `found` are scenario files to offer, `opened` is the run that is shown first.
    """
    limits = limits or Limits()
    hall = Hall(root)
    offer = Offer(dict(found or {}), is_open=access.is_open)
    door, jobs = changes.Door(hall), asking.Jobs()
    tables = playing.Tables(hall, door)
    streams = stream.Streams(hall, limits.streams)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        jobs.close()
        await asyncio.to_thread(hall.close)
        tables.close()

    app = FastAPI(
        title="Audience",
        version=version("audience"),
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    tell_errors(app)
    for api in (
        session.router(hall, offer, access, streams, opened),
        scenarios.router(offer),
        runs.router(hall, offer),
        stream.router(hall, streams),
        names.router(hall),
        people.router(hall),
        calls.router(hall),
        graph.router(hall),
        story.router(hall),
        asking.router(hall, door, jobs),
        playing.router(hall, tables, streams),
        changes.router(hall, door),
        branching.router(hall, offer),
        comparing.router(hall),
        measures.router(hall),
        judge.router(hall),
    ):
        app.include_router(api, prefix="/api")
    _serve_page(app, static)
    return App(Guard(app, access, limits), hall, streams, app)


def _serve_page(app: FastAPI, static: Path) -> None:
    @app.api_route("/api/{rest:path}", methods=["GET", "POST"], include_in_schema=False)
    def nothing(rest: str) -> Response:
        raise Missing(f"there is nothing at /api/{rest[:80]}")

    if (static / "index.html").is_file():
        app.mount("/", StaticFiles(directory=static, html=True))
        return

    @app.get("/", include_in_schema=False)
    def unbuilt() -> HTMLResponse:
        return HTMLResponse(_UNBUILT)
