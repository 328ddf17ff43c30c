"""What people and items are called, once, so that a page can tell events that hold numbers."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from audience.errors import BadInput
from audience.llm import read_dotenv
from audience.plugins import known
from audience.scenario import endpoints_of, load
from audience.web import (
    changes,
    changes as branching,
    comparison as comparing,
    graph,
    interviews as asking,
    measures,
    measures as judge,
    people,
    play as playing,
    runs,
    scenarios,
    story,
    story as calls,
    stream,
)
from audience.web.replies import Missing, tell_errors, told
from audience.web.requests import RunId
from audience.web.run_registry import Hall, Shelf
from audience.web.scenarios import Offer
from audience.web.security import Access, Guard, Limits, is_loopback
from audience.web.stream import Streams

MOST = 20_000
"""People and items that are named; the page calls the rest by number."""


def names_router(hall: Hall) -> APIRouter:
    """Return the way to names."""
    api = APIRouter()

    @api.get("/runs/{run}/names", response_class=Response)
    def names(run: RunId) -> Response:
        """Return names and titles in the order of their ids, every tag and every topic."""
        with hall.readers.reading(hall.shelf.folder_of(run)) as reader:
            world = reader.world()
            people = range(min(len(world.agents), MOST))
            return told(
                {
                    "people": [world.profile(who).name or f"person {who}" for who in people],
                    "items": [one.title for one in world.catalogue.items[:MOST]],
                    "tags": world.catalogue.tags,
                    "topics": [one.name for one in world.spread.topics],
                }
            )

    return api


KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY")


def router(
    hall: Hall, offer: Offer, access: Access, streams: Streams, opened: str | None
) -> APIRouter:
    """Return the ways to the session; `opened` is the run that is shown first."""
    api = APIRouter()

    @api.get("/session", response_class=Response)
    def session(request: Request) -> Response:
        """Return what there is here. Of keys it is told only whether they are set."""
        client = request.client.host if request.client else ""
        found: dict[str, Any] = {
            "version": version("audience"),
            "keys": _keys(offer),
            **{group: sorted(known(group)) for group in ("minds", "memories", "recommenders")},
            "datasets": sorted(known("datasets")),
            "runs_folder": str(hall.shelf.root),
            "opened": opened,
            "streams": streams.open,
        }
        if access.is_open and is_loopback(client):
            found["token"] = access.token
        return told(found)

    @api.post("/tickets", response_class=Response)
    def ticket() -> Response:
        """Return what opens one stream within a minute, for streams that can send no header."""
        return told({"ticket": access.ticket()})

    return api


def _keys(offer: Offer) -> dict[str, bool]:
    """Return the keys that are known by name, and whether each is set."""
    own = {
        one.key_env
        for scenario in offer.named().values()
        for one in endpoints_of(scenario.llm)
        if one.key_env
    }
    kept = read_dotenv()
    return {
        name: bool(os.environ.get(name, "").strip() or kept.get(name, "").strip())
        for name in sorted({*KEYS, *own})
    }


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
    door, jobs = changes.ChangeDesk(hall), asking.Jobs()
    tables = playing.PlayTables(hall, door)
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
        router(hall, offer, access, streams, opened),
        scenarios.router(offer),
        runs.router(hall, offer),
        stream.router(hall, streams),
        names_router(hall),
        people.router(hall),
        calls.calls_router(hall),
        graph.router(hall),
        story.router(hall),
        asking.router(hall, door, jobs),
        playing.router(hall, tables, streams),
        changes.router(hall, door),
        branching.branches_router(hall, offer),
        comparing.router(hall),
        measures.router(hall),
        judge.judge_router(hall),
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


PATIENCE = 2
"""Seconds that open streams get when the server stops."""


def serve(
    root: Path,
    *,
    host: str,
    port: int,
    run: Path | None = None,
    scenarios: Iterable[Path] = (),
    begun: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve a folder of runs until stopped; `begun` is told where the page is."""
    found = {path.stem: path for path in (*sorted(Path().glob("*.toml")), *scenarios)}
    for path in scenarios:
        load(path)
    root.mkdir(parents=True, exist_ok=True)
    opened = _id_in(root, run) if run is not None else None
    access = Access(host)
    listening = bound(host, port)
    try:
        server = server_of(make_app(root, access, found=found, opened=opened))
        begun(address_of(host, listening.getsockname()[1], access))
        server.run(sockets=[listening])
    finally:
        listening.close()


def server_of(app: App) -> uvicorn.Server:
    """Return what serves an app; its streams end when it is to stop."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=PATIENCE,
        server_header=False,
    )
    server = uvicorn.Server(config)
    app.streams.is_ending = lambda: server.should_exit
    return server


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens; say what to do where that cannot be."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.strip("[]"), port))
        made.listen(128)
    except OSError as error:
        made.close()
        raise BadInput(
            f"--host {host} --port {port}: {error.strerror or error}; choose another"
        ) from error
    return made


def address_of(host: str, port: int, access: Access) -> str:
    """Return where the page is, with the token, which browsers send to nobody."""
    everywhere = host.strip("[]") == "::" or not host.strip("0.")
    shown = socket.gethostname() if everywhere else host.strip("[]")
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/#token={access.token}"


def _id_in(root: Path, run: Path) -> str:
    if not run.resolve().is_relative_to(root.resolve()):
        raise BadInput(f"{run} does not lie below --runs {root}; give the folder that holds it")
    return Shelf(root).id_of(run)
