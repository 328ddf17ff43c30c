"""The wire to a recommender service: HTTP with retries, and its requests and answers."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Coroutine, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec
import numpy as np

from audience.address import split_address
from audience.errors import BadInput
from audience.llm import (
    BadBody,
    BodyReader,
    Endpoint,
    asked_wait,
    find_key,
    key_in,
    open_session,
    pause,
    proxy_of,
    scrub,
    trust_of,
)
from audience.recommenders.recommender import Context, Ranked
from audience.recommenders.view import AnyCatalogue
from audience.world import Floats, Ints

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")
PATIENCE = 3
"""Failures in a row after which no further requests are sent in the round."""
_LARGEST = 64 * 1024 * 1024
_LONGEST_WAIT = 30.0


class Unserved(Exception):
    """A service returned nothing usable; the text says what came instead."""


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """The address of a service and how to connect to it."""

    url: str
    key_env: str = ""
    """The environment variable that holds the key; never the key itself."""
    header: str = "Authorization"
    """The header that carries the key: after `Bearer ` in Authorization, plain in any other."""
    timeout: float = 10.0
    """Seconds one attempt may take; a timeout is not retried."""
    tries: int = 3
    ca: str = ""
    """A file of trusted certificates in PEM format."""

    @property
    def name(self) -> str:
        """The address without its query."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


class _Came(NamedTuple):
    status: int
    headers: Mapping[str, str]
    payload: bytes


class Wire:
    """The connection to one service, in its own thread, so that callers may wait or await."""

    def __init__(self, address: Address) -> None:
        """Read the key now, so that a missing one is reported before anything starts."""
        _check(address)
        self.address = address
        key = find_key(address.key_env) if address.key_env else ""
        self._headers = {"Content-Type": "application/json", **_header(address, key)}
        self._secrets = (key,) if key else ()
        endpoint = Endpoint(url=address.url, ca=address.ca)
        self._proxy, self._trust = proxy_of(endpoint), trust_of(endpoint)
        self._misses = 0
        self._sent = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._session: aiohttp.ClientSession | None = None
        self._bodies: BodyReader | None = None

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` in the connection's thread and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._running()).result()

    async def elsewhere(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` in the connection's thread and await it."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._running()))

    async def send(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """Return the service's answer; raise `Unserved` if there is none in time."""
        if self._misses >= PATIENCE:
            raise Unserved(
                f"{self.address.name} failed {PATIENCE} times in a row; asked again next round"
            )
        try:
            payload = await self._tried(method, path, body)
        except Unserved as fault:
            self._misses += 1
            raise Unserved(scrub(f"{self.address.name}{path} {fault}", self._secrets)) from None
        self._misses = 0
        return payload

    def hidden(self, text: str) -> str:
        """Return a text of the service without our key."""
        return scrub(text, self._secrets)

    def recover(self) -> None:
        """Forget past failures, since the service may be back."""
        self._misses = 0

    def close(self) -> None:
        """Close the connections and end the thread; later requests start again."""
        loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._leave(), loop).result(10.0)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10.0)
        loop.close()

    async def _leave(self) -> None:
        pending = asyncio.all_tasks() - {asyncio.current_task()}
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        session, self._session, self._bodies = self._session, None, None
        if session is not None:
            await session.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
            self._thread.start()
        return self._loop

    async def _tried(self, method: str, path: str, body: bytes | None) -> bytes:
        import aiohttp

        self._sent += 1
        number, attempt = self._sent, 0
        while True:
            attempt += 1
            try:
                async with asyncio.timeout(self.address.timeout):
                    came = await self._once(method, path, body)
            except TimeoutError:
                raise Unserved(f"gave no answer within {self.address.timeout:g} s") from None
            except (aiohttp.ClientError, OSError) as error:
                told = str(error).replace(" ssl:default", "")
                why, wait = f"cannot be reached: {told or type(error).__name__}", 0.0
            else:
                if came.status < 300:
                    return came.payload
                why, wait = _refused(came), asked_wait(came.headers, "")
                if came.status != 429 and came.status < 500:
                    raise Unserved(why)
            if attempt >= self.address.tries:
                raise Unserved(f"{why} (after {attempt} attempts)" if attempt > 1 else why)
            await asyncio.sleep(min(wait, _LONGEST_WAIT) + pause(f"{path}/{number}", attempt))

    async def _once(self, method: str, path: str, body: bytes | None) -> _Came:
        if self._session is None or self._bodies is None:
            self._session, self._bodies = open_session(self._headers), BodyReader(_LARGEST)
        parts = urlsplit(self.address.url)
        query = f"?{parts.query}" if parts.query else ""
        async with self._session.request(
            method,
            f"{self.address.name}{path}{query}",
            data=body,
            proxy=self._proxy,
            ssl=self._trust or True,
            allow_redirects=False,
        ) as response:
            try:
                payload = await self._bodies.read(response)
            except BadBody as bad:
                raise Unserved(f"answered what cannot be read: {bad}") from None
            return _Came(response.status, response.headers, payload)


def _refused(came: _Came) -> str:
    text = " ".join(came.payload[:800].decode("utf-8", "replace").split())[:200]
    told = f"answered {came.status}" + (f": {text}" if text else "")
    if came.status in (401, 403):
        return f"{told}; name the variable that holds its key with key_env"
    return told


def _header(address: Address, key: str) -> dict[str, str]:
    if not key:
        return {}
    bearer = address.header.lower() == "authorization"
    return {address.header: f"Bearer {key}" if bearer else key}


def _check(address: Address) -> None:
    split_address(scrub(address.url), "the recommender service")
    parts = urlsplit(address.url)
    if what := key_in(address.url):
        raise BadInput(
            f"the address of the recommender service at {parts.hostname} holds {what}; put it "
            "into the environment and name the variable with key_env"
        )
    if address.key_env and not address.key_env.isidentifier():
        raise BadInput(
            "key_env of the recommender service is not the name of a variable; put the key into "
            'the environment, as in `export MY_KEY=…`, and write key_env = "MY_KEY"'
        )
    if not address.timeout > 0.0 or address.tries < 1:
        raise BadInput(
            f"the recommender service has timeout = {address.timeout:g} and tries = "
            f"{address.tries}; give more than 0 seconds and at least 1 try"
        )


class RankedUser(msgspec.Struct, frozen=True):
    """One user of a rank request."""

    id: str
    moment: int
    surface: str
    page: int
    query: str
    exclude: list[str]


class RankRequest(msgspec.Struct, frozen=True):
    run: str
    k: int
    users: list[RankedUser]


class RankAnswer(msgspec.Struct, frozen=True):
    """One entry per user, in the order they were asked for."""

    slates: list[list[str | int]]
    scores: list[list[float | None]] | None = None
    propensities: list[list[float | None]] | None = None
    reasons: list[list[str | None]] | None = None


class Health(msgspec.Struct, frozen=True):
    name: str
    version: str = ""
    items: int | None = None
    """How many items it can recommend."""


class Keys:
    """Items by their ids in the source data."""

    def __init__(self, catalogue: AnyCatalogue) -> None:
        self.names = tuple([item.key or str(item.id) for item in catalogue.items])
        self.ids = {name: number for number, name in reversed(list(enumerate(self.names)))}


@lru_cache(maxsize=2)
def keys_in(catalogue: AnyCatalogue) -> Keys:
    """Return the keys of a catalogue, cached."""
    return Keys(catalogue)


def request(run: str, users: Ints, k: int, context: Context, keys: Keys) -> bytes:
    """Return the body of a rank request."""
    told = zip(
        users.tolist(),
        context.moments.tolist(),
        context.pages.tolist(),
        context.exclude,
        strict=True,
    )
    names = keys.names
    asked = [
        RankedUser(
            context.key_of(user), at, "recommender", page, "", [names[item] for item in barred]
        )
        for user, at, page, barred in told
    ]
    return msgspec.json.encode(RankRequest(run, k, asked))


def decoded(payload: bytes, kind: type[T]) -> T:
    """Return an answer decoded; raise `Unserved` with what is wrong."""
    try:
        return msgspec.json.decode(payload, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        shown = payload[:80].decode("utf-8", "replace")
        raise Unserved(f"answered what the contract does not allow: {error} ({shown!r})") from None


def ranked(
    answer: RankAnswer, k: int, exclude: Sequence[tuple[int, ...]], keys: Keys, fewest: int
) -> Ranked:
    """Return an answer as slates; a row that cannot be shown is a failure with a reason."""
    users = len(exclude)
    for name in RankAnswer.__struct_fields__:
        rows = getattr(answer, name)
        if rows is not None and len(rows) != users:
            raise Unserved(f"answered {len(rows)} {name} for {users} users")
    items = np.full((users, k), -1, np.int64)
    failures: dict[int, str] = {}
    for row, barred in enumerate(exclude):
        found = _row(answer, row, k, barred, keys, fewest)
        if isinstance(found, str):
            failures[row] = found
        else:
            items[row, : len(found)] = found
    reasons = None
    if answer.reasons is not None:
        reasons = [[text or "" for text in row] for row in answer.reasons]
    return Ranked(
        items,
        _numbers(answer.scores, items.shape, failures),
        _numbers(answer.propensities, items.shape, failures),
        reasons,
        failures,
    )


def _row(
    answer: RankAnswer, row: int, k: int, barred: tuple[int, ...], keys: Keys, fewest: int
) -> list[int] | str:
    names = [str(name) for name in answer.slates[row]]
    found = [keys.ids.get(name, -1) for name in names]
    if -1 in found:
        return f"item {names[found.index(-1)][:80]!r} is not in the catalogue"
    if len(set(found)) < len(found):
        twice = next(name for name in names if names.count(name) > 1)
        return f"item {twice!r} comes twice"
    left_out = set(barred).intersection(found)
    if left_out:
        return f"item {keys.names[min(left_out)]!r} was to be left out"
    needed = min(k, len(keys.names) - len(set(barred)))
    if fewest:
        needed = min(needed, fewest)
    if not needed <= len(found) <= k:
        asked = f"at least {needed}" if fewest else f"{needed}"
        return f"{len(found)} items came where {asked} of {k} were asked for and could be shown"
    return _annotations(answer, row, len(found)) or found


def _annotations(answer: RankAnswer, row: int, count: int) -> str:
    for name in ("scores", "propensities", "reasons"):
        rows = getattr(answer, name)
        if rows is not None and len(rows[row]) != count:
            return f"{len(rows[row])} {name} came for {count} items"
    for chance in answer.propensities[row] if answer.propensities else ():
        if chance is not None and not 0.0 < chance <= 1.0:
            return f"propensity {chance:g} is not above 0 and at most 1"
    return ""


def _numbers(
    rows: list[list[float | None]] | None, shape: tuple[int, ...], failures: dict[int, str]
) -> Floats | None:
    if rows is None:
        return None
    table = np.full(shape, math.nan)
    for row, numbers in enumerate(rows):
        if row not in failures:
            table[row, : len(numbers)] = [math.nan if n is None else n for n in numbers]
    return table
