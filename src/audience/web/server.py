"""The server: the session and name endpoints, the app with all routers, and serving it."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from inspect import getdoc
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from msgspec import UNSET
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from audience.errors import BadInput
from audience.llm import read_dotenv
from audience.parts import required_options
from audience.plugins import find, known
from audience.scenario import Offered, endpoints_of, load, load_offer
from audience.web import (
    calls,
    changes,
    chats,
    comparison,
    experiments,
    graph,
    interviews,
    judgements,
    lab,
    measures,
    notes,
    overview,
    own_recommenders,
    people,
    people_table,
    play,
    run_scenarios,
    runs,
    story,
    stream,
    trash,
)
from audience.web.background import Background
from audience.web.connection import connection_within
from audience.web.receipts import SessionReply, TicketReply
from audience.web.replies import Missing, add_error_handlers, json_reply
from audience.web.reply_types import NameLists
from audience.web.requests import RunId
from audience.web.run_folders import RunFolders
from audience.web.run_list import RunList
from audience.web.run_registry import RunRegistry
from audience.web.run_scenarios import origin
from audience.web.scenarios import Offer
from audience.web.security import Access, Guard, Limits, is_loopback
from audience.web.stream import Streams

MOST = 20_000
"""Maximum number of people and items that are named; the page shows the rest by number."""


def names_router(registry: RunRegistry) -> APIRouter:
    """Return the endpoint of names."""
    api = APIRouter()

    @api.get("/runs/{run}/names", response_class=Response)
    def names(run: RunId) -> Response:
        """Return names and titles in the order of their ids, every tag and every topic."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            teller = reader.teller()
            people = range(min(len(teller.names) - 1, MOST))
            return json_reply(
                NameLists(
                    people=[teller.names[who] for who in people],
                    items=teller.titles[:MOST],
                    tags=reader.genesis.catalogue.tags,
                    topics=teller.topics,
                )
            )

    return api


KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY")


def router(
    registry: RunRegistry,
    offer: Offer,
    access: Access,
    streams: Streams,
    opened: str | None,
    begun_with: str | None,
) -> APIRouter:
    """Return the endpoints of the session.

    `opened` is the run that is shown first, `begun_with` the scenario of which one is made.
    """
    api = APIRouter()

    @api.get("/session", response_class=Response)
    def session(request: Request) -> Response:
        """Return what this server offers. Of keys it says only whether they are set."""
        client = request.client.host if request.client else ""
        groups = ("minds", "memories", "recommenders", "datasets")
        held_to = offer.offered
        parts: dict[str, Any] = {
            group: held_to.names(group) if held_to else sorted(known(group)) for group in groups
        }
        root = registry.folders.root
        return json_reply(
            SessionReply(
                version("audience"),
                {} if held_to else _keys(offer),
                **parts,
                **_endpoints(offer),
                runs_folder=root.name if held_to else str(root),
                opened=opened,
                scenario=begun_with,
                needs={group: needed(group) for group in ("datasets", "recommenders")},
                is_private=held_to is None,
                about={group: told(group, kinds) for group, kinds in parts.items()},
                streams=streams.open,
                token=access.token if access.is_open and is_loopback(client) else UNSET,
            )
        )

    @api.post("/tickets", response_class=Response)
    def ticket() -> Response:
        """Return a ticket that opens a stream within a minute, as streams can send no header."""
        return json_reply(TicketReply(access.ticket()))

    return api


def _endpoints(offer: Offer) -> dict[str, Any]:
    """Return the endpoints to choose from, their models, and the names of their keys."""
    held_to = offer.offered
    if held_to:
        models = {name: list(choice) for name, choice in sorted(held_to.models.items())}
        return {"endpoints": sorted(held_to.endpoints), "models": models, "endpoint_keys": {}}
    there = {
        endpoint.url: endpoint
        for scenario in offer.named().values()
        for endpoint in endpoints_of(scenario.llm)
    }
    return {
        "endpoints": sorted(there),
        "models": {url: [one.model] for url, one in there.items() if one.model},
        "endpoint_keys": {url: one.key_env for url, one in there.items() if one.key_env},
    }


def needed(group: str) -> dict[str, str]:
    """Return the option without which a part cannot be made, by kind, where there is one."""
    options = {kind: required_options(find(group, kind)) for kind in known(group)}
    return {kind: names[0] for kind, names in options.items() if names}


def told(group: str, kinds: Iterable[str]) -> dict[str, str]:
    """Return what parts do, as the first lines of their docstrings say, by kind."""
    lines = {
        kind: (getdoc(find(group, kind)) or "").partition("\n")[0].replace("`", "")
        for kind in kinds
        if kind in known(group)
    }
    return {kind: line for kind, line in lines.items() if line}


def _keys(offer: Offer) -> dict[str, bool]:
    """Return the names of known API keys, and whether each is set."""
    own = {
        endpoint.key_env
        for scenario in offer.named().values()
        for endpoint in endpoints_of(scenario.llm)
        if endpoint.key_env
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


COMPRESSION = 5
"""Level of gzip: above it, replies hardly become smaller."""


class App:
    """The ASGI application and its parts."""

    def __init__(
        self, guard: Guard, registry: RunRegistry, streams: stream.Streams, api: FastAPI
    ) -> None:
        self.guard, self.registry, self.streams, self.api = guard, registry, streams, api
        # Outside the guard, which looks for secrets in what is not yet compressed.
        self._door = GZipMiddleware(guard, minimum_size=1_000, compresslevel=COMPRESSION)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._door(scope, receive, send)


def make_app(
    root: Path,
    access: Access,
    *,
    found: Mapping[str, Path] | None = None,
    opened: str | None = None,
    begun_with: str | None = None,
    limits: Limits | None = None,
    static: Path = STATIC,
    offered: Offered | None = None,
) -> App:
    """Return the server over a folder of runs.

    `found` are scenario files to start from, `opened` is the run that is shown first, `begun_with`
    the scenario that the page begins a new run with. Requests are held to what is `offered`; where
    other machines can reach the server, always.
    """
    limits, registry = limits or Limits(), RunRegistry(root)
    held_to = offered or (None if access.is_open else Offered())
    offer = Offer(dict(found or {}), held_to)
    desk = changes.ChangeDesk(registry, offer)
    jobs = interviews.Jobs(registry, desk)
    tables = play.PlayTables(registry, desk)
    streams = stream.Streams(registry, limits.streams)
    lines = RunList(registry)
    bin_ = trash.Trash(registry)
    studies = lab.Lab(registry, offer, bin_)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        jobs.close()
        lines.close()
        await asyncio.to_thread(studies.close)
        await asyncio.to_thread(registry.close)
        tables.close()

    app = FastAPI(
        title="Audience",
        version=version("audience"),
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    add_error_handlers(app)
    for api in (
        router(registry, offer, access, streams, opened, begun_with),
        trash.router(bin_, offer, lambda id_: origin(registry, id_).title),
        lab.router(studies),
        *_routers(registry, offer, lines, streams, desk, jobs, tables),
    ):
        app.include_router(api, prefix="/api")
    _serve_page(app, static)
    guard = Guard(app, access, limits, held_to.secrets() if held_to else None)
    return App(guard, registry, streams, app)


def _routers(
    registry: RunRegistry,
    offer: Offer,
    lines: RunList,
    streams: Streams,
    desk: changes.ChangeDesk,
    jobs: interviews.Jobs,
    tables: play.PlayTables,
) -> list[APIRouter]:
    """Return the endpoints of runs, experiments and all that is done with them."""
    background = Background()
    return [
        run_scenarios.router(registry, offer),
        runs.router(registry, offer, lines),
        own_recommenders.router(registry, offer),
        stream.router(registry, streams),
        names_router(registry),
        people.router(registry),
        people_table.router(registry),
        calls.router(registry, offer, background),
        graph.router(registry),
        story.router(registry),
        interviews.router(registry, jobs, offer),
        chats.router(registry, offer, background),
        notes.router(registry),
        play.router(registry, tables, streams),
        changes.router(registry, desk, offer),
        changes.branches_router(registry, offer),
        comparison.router(registry),
        experiments.router(registry, offer, lines),
        measures.router(registry, offer),
        judgements.router(registry),
        overview.router(registry),
    ]


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
"""Seconds that open streams have to close when the server stops."""


def serve(
    root: Path,
    *,
    host: str,
    port: int,
    run: Path | None = None,
    scenarios: Iterable[Path] = (),
    offer: Path | None = None,
    begun: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve a folder of runs until stopped; `begun` gets the address of the page.

    `offer` is a file of what requests may name. Without one, other machines may name nothing here.
    """
    scenarios = list(scenarios)
    offered = load_offer(offer) if offer else None
    near = () if offered or not is_loopback(host) else sorted(Path().glob("*.toml"))
    found = {path.stem: path for path in (*near, *scenarios)}
    found |= offered.scenarios if offered else {}
    for path in scenarios:
        load(path)
    begun_with = scenarios[0].stem if scenarios else None
    root.mkdir(parents=True, exist_ok=True)
    opened = _id_in(root, run) if run is not None else None
    access = Access(host)
    listening = bound(host, port)
    try:
        server = server_of(
            make_app(
                root,
                access,
                found=found,
                opened=opened,
                begun_with=begun_with,
                offered=offered,
            )
        )
        begun(address_of(host, listening.getsockname()[1], access))
        server.run(sockets=[listening])
    finally:
        listening.close()


def server_of(app: App) -> uvicorn.Server:
    """Return the server of an app; its streams end when it stops."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=PATIENCE,
        timeout_keep_alive=app.guard.limits.idle_s,
        http=connection_within(app.guard.limits),
        ws="none",
        server_header=False,
    )
    server = uvicorn.Server(config)
    app.streams.is_ending = lambda: server.should_exit
    return server


def bound(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise if the address cannot be used."""
    if not host.strip(" []"):
        raise BadInput(
            "--host is empty, which would listen everywhere; give 127.0.0.1 for this machine "
            "alone, or 0.0.0.0 if you mean every address"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise BadInput(
            f"--host {host} --port {port}: {error.strerror or error}; choose another"
        ) from error
    return listening


def address_of(host: str, port: int, access: Access) -> str:
    """Return the address of the page with the token in its fragment, which browsers never send."""
    everywhere = host.strip("[]") == "::" or not host.strip("0.")
    shown = socket.gethostname() if everywhere else host.strip("[]")
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/#token={access.token}"


def _id_in(root: Path, run: Path) -> str:
    if not run.resolve().is_relative_to(root.resolve()):
        raise BadInput(f"{run} is not inside --runs {root}; give the folder that contains it")
    return RunFolders(root).id_of(run)
