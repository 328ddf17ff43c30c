"""Recommender services on this machine: the example of the documentation, and ones that err."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parents[1] / "examples" / "recommender_service.py"
Answer = tuple[int, bytes] | tuple[int, bytes, dict[str, str]]
Way = Callable[[str, Any, int], Answer]
"""From path, body and the number of the request to status, body and headers of the answer."""


class Example:
    """The example server in a process of its own."""

    def __init__(self, items: Path, *words: str, port: int = 0, **variables: str) -> None:
        self.child = subprocess.Popen(
            [sys.executable, str(EXAMPLE), "--items", str(items), "--port", str(port), *words],
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.child.stdout is not None
        self.url = self.child.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), "the example server did not start"

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        self.child.kill()
        self.child.wait()
        if self.child.stdout is not None:
            self.child.stdout.close()


@contextmanager
def example(items: Path, *words: str, port: int = 0, **variables: str) -> Iterator[Example]:
    """Serve the example while a block lasts."""
    server = Example(items, *words, port=port, **variables)
    try:
        yield server
    finally:
        server.kill()


def write_items(path: Path, ids: Sequence[str]) -> Path:
    path.write_text("id,title\n" + "".join(f"{name},Title of {name}\n" for name in ids))
    return path


class Seen:
    """What a service was sent, in order."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[tuple[str, Any]] = []

    def bodies(self, path: str) -> list[Any]:
        return [body for where, body in self.requests if where == path]


@contextmanager
def serving(way: Way) -> Iterator[Seen]:
    """Serve answers as given, in a thread, while a block lasts."""
    seen = Seen()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65536

        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = json.loads(raw) if raw else dict(self.headers)
            seen.requests.append((self.path, body))
            status, payload, *headers = way(self.path, body, len(seen.requests))
            self.send_response(status)
            for name, value in (headers[0] if headers else {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *words: Any) -> None:  # noqa: A002
            del format, words

    class Quiet(ThreadingHTTPServer):
        request_queue_size = 128

        def handle_error(self, request: Any, address: Any) -> None:
            """A client that went away is no error of ours."""

    server = Quiet(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    seen.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def said(value: Any, status: int = 200) -> tuple[int, bytes]:
    """Return an answer in JSON."""
    return status, json.dumps(value).encode()


def first_items(items: Sequence[str]) -> Way:
    """Return a service that gives everybody the first items that are allowed."""

    def way(path: str, body: Any, number: int) -> Answer:
        if path == "/health":
            return said({"name": "first", "version": "2", "items": len(items)})
        if path == "/feedback":
            return said({})
        slates = [
            [name for name in items if name not in user["exclude"]][: body["k"]]
            for user in body["users"]
        ]
        return said({"slates": slates})

    return way
