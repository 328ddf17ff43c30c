"""Speaking JSON to a recommender service: time limits, retries, a header from the environment."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from audience.errors import BadInput
from audience.llm import keys
from audience.llm.endpoint import Endpoint, proxy_of, trust_of
from audience.llm.retrying import pause
from audience.llm.session import open_session
from audience.llm.waits import asked_wait

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")
PATIENCE = 3
"""Requests that may fail in a row before the others of the round are not sent at all."""
_LARGEST = 64 * 1024 * 1024
_LONGEST_WAIT = 30.0


class Unserved(Exception):
    """A service gave nothing usable; the text says what came instead."""


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where a service answers and how it is spoken to."""

    url: str
    key_env: str = ""
    """The name of the environment variable that holds the key; never the key itself."""
    header: str = "Authorization"
    """The header that carries the key: after `Bearer ` in Authorization, plain in any other."""
    timeout: float = 10.0
    """Seconds one attempt may take; what takes longer has failed and is not tried again."""
    tries: int = 3
    ca: str = ""
    """A file of certificates to trust, in PEM form."""

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
    """One service. Works in a thread of its own, so that callers may wait or await."""

    def __init__(self, address: Address) -> None:
        """Read the key now, so that a missing one is told before anything starts."""
        _check(address)
        self.address = address
        key = keys.find_key(address.key_env) if address.key_env else ""
        self._headers = {"Content-Type": "application/json", **_header(address, key)}
        self._secrets = (key,) if key else ()
        endpoint = Endpoint(url=address.url, ca=address.ca)
        self._proxy, self._trust = proxy_of(endpoint), trust_of(endpoint)
        self._misses = 0
        self._sent = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._session: aiohttp.ClientSession | None = None

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` beside this thread and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._running()).result()

    async def elsewhere(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` beside this event loop, which goes on meanwhile."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._running()))

    async def send(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """Return what the service answers; raise `Unserved` when it does not, or not in time."""
        if self._misses >= PATIENCE:
            raise Unserved(
                f"{self.address.name} failed {PATIENCE} times in a row; asked again next round"
            )
        try:
            payload = await self._tried(method, path, body)
        except Unserved as fault:
            self._misses += 1
            raise Unserved(
                keys.scrub(f"{self.address.name}{path} {fault}", self._secrets)
            ) from None
        self._misses = 0
        return payload

    def hidden(self, text: str) -> str:
        """Return a text of the service without our key."""
        return keys.scrub(text, self._secrets)

    def recover(self) -> None:
        """Forget past failures: the service may be there again."""
        self._misses = 0

    def close(self) -> None:
        """Close the connections and end the thread; sending again begins anew."""
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
        session, self._session = self._session, None
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
        session = self._session or self._open()
        parts = urlsplit(self.address.url)
        query = f"?{parts.query}" if parts.query else ""
        async with session.request(
            method,
            f"{self.address.name}{path}{query}",
            data=body,
            proxy=self._proxy,
            ssl=self._trust or True,
            allow_redirects=False,
        ) as response:
            payload = bytearray()
            async for piece in response.content.iter_any():
                payload += piece
                if len(payload) > _LARGEST:
                    raise Unserved(f"answered more than {_LARGEST // 2**20} MiB")
            return _Came(response.status, response.headers, bytes(payload))

    def _open(self) -> aiohttp.ClientSession:
        self._session = open_session(self._headers)
        return self._session


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
    parts = urlsplit(address.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(
            f"the recommender service {keys.scrub(address.url)!r} is no address; "
            "write http://host:port"
        )
    if "@" in parts.netloc:
        raise BadInput(
            f"the address of the recommender service at {parts.hostname} holds a password; put it "
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
