"""A model server whose answers are those of the fake one, under another name."""

from __future__ import annotations

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from audience.llm.fake import Fake


class Renamed:
    """Passes requests on; in every answer, the model has this name, and errors tell it."""

    def __init__(self, fake: Fake, name: str) -> None:
        count = [0]

        class Passing(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(200, {"data": [{"id": name}]})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                count[0] += 1
                if count[0] % 7 == 5:
                    self.answer(500, {"error": {"message": name}})
                    return
                asked = urllib.request.Request(
                    fake.url.removesuffix("/v1") + self.path,
                    body,
                    {"Content-Type": "application/json"},
                )
                with urllib.request.urlopen(asked) as came:
                    self.answer(200, {**json.load(came), "model": name})

            def answer(self, status: int, value: Any) -> None:
                payload = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Passing)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
