"""The guard before every request: access, limits on size and rate, and security headers."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
import socket
import time
from collections import OrderedDict
from collections.abc import Mapping
from urllib.parse import parse_qs

import msgspec
from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from audience.web.replies import error_reply

TOKEN = "x-audience-token"  # noqa: S105
TICKET_S = 60.0
_SAFE = ("GET", "HEAD", "OPTIONS")
_NAMES = ("localhost", "127.0.0.1", "::1")
_POLICY = (
    "default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; style-src 'self'; "
    "script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
OPENER = {"cross-origin-opener-policy": "same-origin"}
"""Sent on this machine only: without encryption, browsers reject it elsewhere."""


class Limits(msgspec.Struct, frozen=True):
    """Limits on the requests of a client."""

    body: int = 1_000_000
    """Bytes of a request."""
    reads: float = 200.0
    """Mean requests per second that change nothing; five times as many in a burst."""
    writes: float = 20.0
    """Mean requests per second that change something; five times as many in a burst."""
    streams: int = 200
    """Streams that all clients together may have open."""
    headers_s: float = 10.0
    """Seconds within which the head of a request arrives."""
    body_s: float = 30.0
    """Seconds within which its body arrives."""
    idle_s: int = 5
    """Seconds that a connection may wait for its next request."""
    stall_s: float = 60.0
    """Seconds that a client may read nothing of what it is sent."""


def is_loopback(host: str) -> bool:
    """Return whether an address can only be reached from this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Access:
    """The token of this server, and tickets for streams."""

    def __init__(self, host: str = "127.0.0.1", token: str = "") -> None:
        self.host = host
        self.token = token or secrets.token_urlsafe(24)
        self.is_open = is_loopback(host)
        """Whether reading needs no token, as only this machine can reach the server."""
        self._tickets: dict[str, float] = {}
        self._hosts = {*_NAMES, host.strip("[]").lower(), socket.gethostname().lower()}

    def knows_host(self, header: str) -> bool:
        """Return whether a Host header names this server, to prevent DNS rebinding."""
        name = _host_of(header)
        if name in self._hosts:
            return True
        try:  # an address cannot be rebound, as a name can
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return not self.is_open

    def accepts(self, token: str) -> bool:
        """Compare a token in constant time."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def ticket(self) -> str:
        """Return a ticket for a stream: in a browser, a stream can send no header."""
        now = time.monotonic()
        self._tickets = {ticket: end for ticket, end in self._tickets.items() if end > now}
        ticket = secrets.token_urlsafe(18)
        self._tickets[ticket] = now + TICKET_S
        return ticket

    def redeem(self, ticket: str) -> bool:
        return self._tickets.pop(ticket, 0.0) > time.monotonic()


def _host_of(header: str) -> str:
    name = header.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0] if name.count(":") <= 1 else name


class Guard:
    """Lets allowed requests through, and adds headers to every response."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        limits: Limits,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        """`secrets` are texts that no reply of the API may contain, and what replaces each."""
        self.app, self.access, self.limits = app, access, limits
        self._secrets = {text.encode(): name.encode() for text, name in (secrets or {}).items()}
        self._reads = Buckets(limits.reads)
        self._writes = Buckets(limits.writes)
        self._headers = {**HEADERS, **(OPENER if access.is_open else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no other protocol is served
        headers = Headers(scope=scope)
        if self._secrets and scope["path"].startswith("/api"):
            send = _without(send, self._secrets)
        with_headers = _adding(send, scope["path"], self._headers)
        why = self._objection(scope, headers)
        if why is not None:
            await error_reply(*why)(scope, receive, with_headers)
            return
        measured = _Measured(receive, self.limits)
        await self.app(scope, measured.receive, with_headers)

    def _objection(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the reason if a request is refused."""
        host = headers.get("host", "")
        if not self.access.knows_host(host):
            return 421, f"host {host[:80]!r} is not this server; open the address it printed"
        if not scope["path"].startswith("/api"):
            return None if scope["method"] in _SAFE else (405, "nothing here takes that")
        if (foreign := _foreign(headers, host)) is not None:
            return 403, f"requests from {foreign[:80]!r} are not answered"
        if not self._has_token(scope, headers):
            return 401, "the token is missing or wrong; open the address that the server printed"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self.limits.body:
            return 413, _too_large(self.limits.body)
        client = scope["client"][0] if scope.get("client") else ""
        buckets = self._reads if scope["method"] in _SAFE else self._writes
        if not buckets.take(client):
            return 429, "too many requests; wait a second"
        return None

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        if self.access.is_open and scope["method"] in _SAFE:
            return True
        if self.access.accepts(headers.get(TOKEN, "")):
            return True
        ticket = parse_qs(scope["query_string"].decode("latin-1")).get("ticket", [""])[0]
        return scope["method"] == "GET" and bool(ticket) and self.access.redeem(ticket)


def _too_large(most: int) -> str:
    return f"a request may have at most {most:,} bytes"


def _foreign(headers: Headers, host: str) -> str | None:
    """Return the other site that a browser acts for, if it names one."""
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != host.lower():
        return origin
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return site
    return None


def _adding(send: Send, path: str, headers: Mapping[str, str]) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            added = [
                (name.encode(), value.encode())
                for name, value in headers.items()
                if name.encode() not in present
            ]
            if path.startswith("/api") and b"cache-control" not in present:
                added.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return send_with_headers


def _without(send: Send, secrets: Mapping[bytes, bytes]) -> Send:
    """Return a `send` that replaces texts in bodies; a reply begins with the first of its body."""
    begin: list[Message] = []

    async def send_without(message: Message) -> None:
        if message["type"] == "http.response.start":
            begin.append(message)
            return
        body = message.get("body", b"")
        for text, name in secrets.items():
            body = body.replace(text, name)
        if begin:
            start = begin.pop()
            headers = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
            if not message.get("more_body"):
                headers.append((b"content-length", str(len(body)).encode()))
            await send({**start, "headers": headers})
        await send({**message, "body": body})

    return send_without


class _Measured:
    """Counts the bytes of a request as they arrive, and the seconds until all are here."""

    def __init__(self, inner: Receive, limits: Limits) -> None:
        self._inner, self._left, self._limits = inner, limits.body, limits
        self._until: float | None = None
        self._is_whole = False

    async def receive(self) -> Message:
        if self._is_whole:
            return await self._inner()
        clock = asyncio.get_running_loop().time
        self._until = self._until or clock() + self._limits.body_s
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._inner()
        except TimeoutError:
            seconds = f"{self._limits.body_s:g} s"
            raise HTTPException(408, f"the request did not arrive within {seconds}") from None
        self._is_whole = not message.get("more_body")
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, _too_large(self._limits.body))
        return message


class Buckets:
    """A token bucket for each client."""

    MOST = 1000
    BURST = 5.0

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> bool:
        """Take a token out of a client's bucket; return whether there was one."""
        now, most = time.monotonic(), self._rate * self.BURST
        left, at = self._left.pop(client, (most, now))
        left = min(most, left + (now - at) * self._rate)
        self._left[client] = (left - 1.0 if left >= 1.0 else left, now)
        while len(self._left) > self.MOST:
            self._left.popitem(last=False)
        return left >= 1.0
