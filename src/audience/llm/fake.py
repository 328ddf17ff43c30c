"""A fake model server: `python -m audience.llm.fake --latency 50ms --port 8099`.

It speaks the OpenAI protocol over HTTP on localhost. Every answer and every fault is a function of
the request and its attempt, so that order and concurrency change nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from hashlib import blake2b
from typing import Any, Self

import orjson
from aiohttp import web

from audience.errors import AudienceError, BadInput
from audience.llm.fake_answers import draw
from audience.llm.fake_model import (
    KINDS,
    Manners,
    Unwilling,
    chat,
    complete,
    embed,
    parse_faults,
    parse_latency,
    spoilt,
)

Work = Callable[[dict[str, Any], str, Manners], dict[str, Any]]
_PATHS: dict[str, Work] = {
    "/chat/completions": chat,
    "/completions": complete,
    "/embeddings": embed,
}


_LONG = 3600.0
"""Seconds after which every client has given up."""


class Fake:
    """The server: `async with Fake(Manners(…)) as fake:` serves at `fake.url`."""

    def __init__(self, manners: Manners | None = None, *, port: int = 0) -> None:
        """Port 0 takes any free one."""
        self.manners = manners or Manners()
        self.port = port
        self.outcomes: Counter[str] = Counter()
        self.requests = 0
        self.prompt_tokens = 0
        self.in_flight = self.in_flight_max = self.at_work = 0
        self.bodies: list[dict[str, Any]] = []
        """The last few request bodies, newest last."""
        self._attempts: Counter[bytes] = Counter()
        self._free = asyncio.Semaphore(self.manners.slots or 1_000_000)
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def counters(self) -> dict[str, Any]:
        """Return counts of what was asked so far."""
        return {
            "requests": self.requests,
            "outcomes": dict(self.outcomes),
            "in_flight": self.in_flight,
            "in_flight_max": self.in_flight_max,
            "prompt_tokens": self.prompt_tokens,
        }

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_get("/counters", self._show)
        app.router.add_get("/v1/models", self._models)
        for path, work in _PATHS.items():
            app.router.add_post(f"/v1{path}", self._serving(work))
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=0.05, handler_cancellation=True
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, backlog=4096).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def _serving(self, work: Work) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            raw = await request.read()
            self.requests += 1
            self.in_flight += 1
            self.in_flight_max = max(self.in_flight_max, self.in_flight)
            try:
                if 0 < self.manners.silent_after < self.requests:
                    await asyncio.sleep(_LONG)
                return await self._answer(request, raw, work)
            finally:
                self.in_flight -= 1

        return serve

    async def _answer(self, request: web.Request, raw: bytes, work: Work) -> web.StreamResponse:
        key_sent = request.headers.get("Authorization", "")
        if self.manners.key and key_sent != f"Bearer {self.manners.key}":
            return self._refuse(401, f"Incorrect API key provided: {key_sent}")
        digest = blake2b(request.path.encode() + raw, digest_size=16).digest()
        self._attempts[digest] += 1
        attempt, key = self._attempts[digest], digest.hex()
        if 0 < self.manners.most < self.in_flight:
            self.outcomes["429"] += 1
            return _throttle("429", 0.0)
        await self._work(key, attempt)
        try:
            body = orjson.loads(raw)
            self.bodies = [*self.bodies[-7:], body]
            found = work(body, key, self.manners)
        except Unwilling as unwilling:
            return self._refuse(unwilling.status, str(unwilling))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return self._refuse(400, f"the request cannot be read: {error!r}")
        fault = self.manners.faults.choose(key, attempt)
        self.outcomes[fault] += 1
        self.prompt_tokens += found["usage"]["prompt_tokens"]
        return await self._send(request, found, fault)

    async def _work(self, key: str, attempt: int) -> None:
        """Take the time that a request takes among those in work."""
        least, most = self.manners.latency
        async with self._free:
            self.at_work += 1
            crowded = self.manners.crowd * self.at_work
            try:
                await asyncio.sleep(
                    least + draw(key, attempt, "latency") * (most - least) + crowded
                )
            finally:
                self.at_work -= 1

    def _refuse(self, status: int, message: str) -> web.Response:
        self.outcomes[str(status)] += 1
        return _json({"error": {"message": message, "code": status}}, status)

    async def _send(
        self, request: web.Request, found: dict[str, Any], fault: str
    ) -> web.StreamResponse:
        payload = orjson.dumps(found)
        match fault:
            case "429" | "429-after" | "429-says":
                return _throttle(fault, self.manners.retry_after)
            case "500":
                return _json({"error": {"message": "The server had an error."}}, 500)
            case "hang":
                await asyncio.sleep(_LONG)
            case "reset" | "drip":
                return await _slowly(request, payload, fault, self.manners.drip)
            case "garbage":
                payload = b"\x00\xff<html>502 but not quite</html>"
            case "half":
                payload = payload[: len(payload) // 2]
            case "empty":
                payload = b""
            case "refusal" | "filter" | "broken":
                payload = orjson.dumps(spoilt(found, fault))
        return web.Response(body=payload, content_type="application/json")

    async def _show(self, request: web.Request) -> web.Response:
        return _json(self.counters())

    async def _models(self, request: web.Request) -> web.Response:
        rows = [{"id": name, "object": "model"} for name in self.manners.models]
        return _json({"object": "list", "data": rows})


async def _slowly(
    request: web.Request, payload: bytes, fault: str, seconds: float
) -> web.StreamResponse:
    """Send slowly, or send half and then break the connection."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(payload)
    await response.prepare(request)
    if fault == "reset":
        await response.write(payload[: len(payload) // 2])
        if request.transport is not None:
            request.transport.abort()
        return response
    step = max(1, len(payload) // 20)
    for start in range(0, len(payload), step):
        await response.write(payload[start : start + step])
        await asyncio.sleep(seconds / 20)
    await response.write_eof()
    return response


def _throttle(fault: str, after: float) -> web.Response:
    message = "Rate limit reached."
    if fault == "429-says":
        message += f" Please try again in {after * 1000:.0f}ms."
    response = _json({"error": {"message": message, "type": "requests"}}, 429)
    if fault == "429-after":
        response.headers["Retry-After"] = f"{after:g}"
    return response


def _json(body: dict[str, Any], status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(body), status=status, content_type="application/json")


def _manners(words: Sequence[str] | None) -> tuple[Manners, int]:
    parser = argparse.ArgumentParser(prog="python -m audience.llm.fake", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes any that is free")
    parser.add_argument("--latency", default="0ms", help="50ms, 0.2s, or 20ms-200ms")
    parser.add_argument(
        "--fault", action="append", default=[], help=f"NAME=RATE, of: {', '.join(KINDS)}"
    )
    parser.add_argument("--script", default="", help="faults by attempt: 429,500,ok")
    parser.add_argument(
        "--schema", default="json_schema", choices=("json_schema", "json_object", "none", "ignored")
    )
    parser.add_argument(
        "--schema-status", type=int, default=400, help="the answer to other forms: 400, 422, 500"
    )
    parser.add_argument("--scores", default="top", choices=("none", "top", "echo"))
    parser.add_argument("--no-many", action="store_true", help="do not honour n")
    parser.add_argument("--slots", type=int, default=0, help="work on that many at once")
    parser.add_argument("--crowd", default="0ms", help="added for each request in work")
    parser.add_argument("--most", type=int, default=0, help="in flight; others get status 429")
    parser.add_argument("--silent-after", type=int, default=0, help="answer that many, then none")
    parser.add_argument("--retry-after", type=float, default=1.0, help="seconds")
    parser.add_argument(
        "--prefer", action="append", default=[], metavar="WORD=WEIGHT", help="choose a word more"
    )
    parser.add_argument(
        "--invents", type=float, default=0.0, metavar="SHARE", help="name works that do not exist"
    )
    parser.add_argument("--drip", type=float, default=2.0, help="seconds a slow answer takes")
    given = parser.parse_args(words)
    if not 0.0 <= given.invents <= 1.0:
        raise BadInput(f"--invents {given.invents:g} is no share; give one between 0 and 1")
    manners = Manners(
        prefer=dict(_preferred(preference) for preference in given.prefer),
        latency=parse_latency(given.latency),
        faults=parse_faults(given.fault, given.script),
        schema=given.schema,
        schema_status=given.schema_status,
        scores=given.scores,
        many=not given.no_many,
        slots=given.slots,
        crowd=parse_latency(given.crowd)[0],
        most=given.most,
        silent_after=given.silent_after,
        retry_after=given.retry_after,
        drip=given.drip,
        invents=given.invents,
    )
    return manners, given.port


def _preferred(text: str) -> tuple[str, float]:
    word, _, weight = text.partition("=")
    try:
        return word, float(weight)
    except ValueError:
        raise BadInput(f"--prefer {text!r} is not WORD=WEIGHT, as in leave=3") from None


async def _serve(manners: Manners, port: int) -> None:
    async with Fake(manners, port=port) as fake:
        sys.stdout.write(f"{fake.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main(words: Sequence[str] | None = None) -> int:
    """Serve until interrupted; the first line printed is the address."""
    try:
        asyncio.run(_serve(*_manners(words)))
    except KeyboardInterrupt:
        return 0
    except (AudienceError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
