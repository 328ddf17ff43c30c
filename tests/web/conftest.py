"""A real server on a real port, and a browser's part played over HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest

from audience.runs import start
from audience.runs.calibration import with_fitted_people
from audience.scenario import Scenario, parse
from audience.web import Limits, make_app
from audience.web.security import Access
from audience.web.server import bound, server_of

T = TypeVar("T")
PATIENCE = 150.0
"""Seconds that anything may take: machines that run tests are busy, and nothing here is a race."""
SMALL = "title = 'Small'\nagents = 40\nrounds = 4\n"


class Stream:
    """One open stream, read event by event."""

    def __init__(self, site: Site, answer: aiohttp.ClientResponse) -> None:
        self._site, self.answer = site, answer

    def next(self, *kinds: str, seconds: float = PATIENCE) -> tuple[str, int | None, Any]:
        """Return the next event of these kinds: its kind, its number, its value."""
        while True:
            event = self._site.wait(self._event(), seconds)
            if not kinds or event[0] in kinds:
                return event

    def upto(self, last: int) -> list[int]:
        """Return the numbers of all chapters up to one."""
        numbers: list[int] = []
        while not numbers or numbers[-1] < last:
            _, number, value = self.next("chapter")
            assert number == value["n"]
            numbers.append(int(value["n"]))
        return numbers

    async def _event(self) -> tuple[str, int | None, Any]:
        kind, number, value = "", None, None
        while True:
            raw = await self.answer.content.readuntil(b"\n")
            if not raw:
                raise EOFError
            line = raw.decode().rstrip("\n")
            if line.startswith("event: "):
                kind = line[7:]
            elif line.startswith("id: "):
                number = int(line[4:])
            elif line.startswith("data: "):
                value = json.loads(line[6:])
            elif not line and kind:
                return kind, number, value

    def close(self) -> None:
        self._site.loop.call_soon_threadsafe(self.answer.close)


class Site:
    """A server that runs, and one who asks it."""

    def __init__(self, root: Path, access: Access, limits: Limits, **given: Any) -> None:
        self.root, self.access = root, access
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()
        self._session: aiohttp.ClientSession | None = None
        self.socket = bound("127.0.0.1", 0)
        self.port = self.socket.getsockname()[1]
        app = make_app(root, access, limits=limits, **given)
        self.registry, self.api = app.registry, app.api
        self.server = server_of(app)
        self._serving = threading.Thread(target=self.server.run, args=([self.socket],))
        self._serving.start()
        while not self.server.started:
            assert self._serving.is_alive()
            time.sleep(0.01)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def wait(self, work: Coroutine[Any, Any, T], seconds: float = PATIENCE) -> T:
        async def limited() -> T:
            async with asyncio.timeout(seconds):
                return await work

        return asyncio.run_coroutine_threadsafe(limited(), self.loop).result()

    async def session(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0)
            timeout = aiohttp.ClientTimeout(total=None)
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=timeout, read_bufsize=2**22
            )
        return self._session

    def raw(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        token: bool = True,
        headers: Mapping[str, str] | None = None,
        **more: str,
    ) -> tuple[int, dict[str, str], bytes]:
        """Ask for anything; return status, headers in lower case, and body."""

        async def ask() -> tuple[int, dict[str, str], bytes]:
            all_ = {**(headers or {}), **more}
            given = {name.replace("_", "-"): value for name, value in all_.items()}
            if token:
                given.setdefault("x-audience-token", self.access.token)
            session = await self.session()
            url = self.address + path
            async with session.request(method, url, data=body, headers=given) as answer:
                told = {name.lower(): value for name, value in answer.headers.items()}
                return answer.status, told, await answer.read()

        return self.wait(ask())

    def get(self, path: str) -> tuple[int, Any]:
        status, _, body = self.raw("GET", f"/api{path}", token=not self.access.is_open)
        return status, json.loads(body)

    def post(self, path: str, value: object, method: str = "POST") -> tuple[int, Any]:
        body = json.dumps(value).encode()
        status, _, found = self.raw(
            method, f"/api{path}", body=body, content_type="application/json"
        )
        return status, json.loads(found)

    def ok(self, path: str, value: object | None = None) -> Any:
        """Ask for what must be answered well."""
        status, found = self.get(path) if value is None else self.post(path, value)
        assert status < 300, found
        return found

    def begin(self, *, paused: bool = False, toml: str = SMALL, name: str = "one") -> str:
        return str(self.ok("/runs", {"toml": toml, "name": name, "paused": paused})["id"])

    def steer(self, run: str, do: str, **more: object) -> Any:
        return self.ok(f"/runs/{run}/control", {"do": do, **more})

    def until(self, run: str, *states: str) -> Any:
        """Wait until a run is in one of these states."""
        self.when(lambda: self.ok(f"/runs/{run}"), lambda one: one["control"]["state"] in states)
        # Its other figures are read before its state, so those of that reply may be a moment old.
        return self.ok(f"/runs/{run}")

    def when(self, look: Callable[[], Any], fits: Callable[[Any], bool]) -> Any:
        end, pause = time.monotonic() + PATIENCE, 0.02
        while time.monotonic() < end:
            if fits(found := look()):
                return found
            time.sleep(pause)
            pause = min(1.3 * pause, 0.3)  # who asks takes time from who answers
        raise AssertionError(f"it never came to that: {look()}")

    @contextmanager
    def stream(self, path: str, **headers: str) -> Iterator[Stream]:
        async def begin() -> aiohttp.ClientResponse:
            session = await self.session()
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            return await session.get(f"{self.address}/api{path}", headers=given)

        stream = Stream(self, self.wait(begin()))
        try:
            assert stream.answer.status == 200
            yield stream
        finally:
            stream.close()

    def stop(self) -> None:
        """Stop the server as Ctrl-C does."""
        self.server.should_exit = True
        self._serving.join(PATIENCE)
        assert not self._serving.is_alive()

    def close(self) -> None:
        if self._session is not None:
            self.wait(self._session.close())
        self.stop()
        self.socket.close()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(PATIENCE)
        self.loop.close()


Sites = Callable[..., Site]
PLENTY = Limits(reads=10_000.0, writes=10_000.0)


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[Sites]:
    """Give a function that serves a folder of runs; every server is stopped at the end."""
    made: list[Site] = []

    def serve(
        root: Path | None = None, *, host: str = "127.0.0.1", limits: Limits = PLENTY, **given: Any
    ) -> Site:
        site = Site(root or tmp_path / "runs", Access(host, "a-token"), limits, **given)
        made.append(site)
        return site

    yield serve
    for site in made:
        site.close()


@pytest.fixture
def site(sites: Sites) -> Site:
    return sites()


@contextmanager
def serving_all(root: Path, host: str = "127.0.0.1") -> Iterator[Site]:
    """Give a server for several tests, all of which leave nothing behind."""
    site = Site(root / "runs", Access(host, "a-token"), PLENTY)
    try:
        yield site
    finally:
        site.close()


@pytest.fixture(scope="session")
def small() -> Scenario:
    return with_fitted_people(parse(SMALL)).scenario


@pytest.fixture(scope="session")
def lived(tmp_path_factory: pytest.TempPathFactory, small: Scenario) -> Path:
    """A folder with a finished run called `done`; to be read only."""
    root = tmp_path_factory.mktemp("lived")
    start(small, 1, root / "done")
    return root
