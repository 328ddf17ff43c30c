"""A key is planted, a server sends it back in every way, and all that was written is searched."""

from __future__ import annotations

import json
import sqlite3
import threading
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from tests.cli.conftest import cli, here
from tests.web.conftest import Sites, sites

from audience.llm import CallStore
from audience.llm.fake import Fake

KEY = "planted4f81d2c7a9e05b36"
TEAM = "teamkey77c1e09ab2f4d8"
UNSEEN = "\u200b\u2060\ufeff\u00ad\x07"
Cli = Callable[..., CompletedProcess[str]]
__all__ = ["cli", "here", "sites"]


def parted(key: str) -> str:
    """Return a key with characters inside that nobody sees."""
    return "".join(mark + UNSEEN[place % 5] for place, mark in enumerate(key))


class Echo:
    """A model server that answers as the fake one does, and tells every key that it gets."""

    def __init__(self, fake: Fake) -> None:
        echo = self
        self.fake, self.heard = fake, list[str]()

        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(200, {"data": [{"id": f"m {KEY}"}, {"id": parted(KEY)}]})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                echo.heard.append(str(self.headers))
                team = self.headers.get("X-Team", "")
                told = f"{KEY} {parted(KEY)} {team} {parted(team)} Bearer {KEY}"
                match zlib.crc32(body) % 9:
                    case 3:
                        self.answer(500, {"error": {"message": f"{'x' * 285} {told}"}})
                    case 5:
                        self.answer(200, {"choices": [{"message": {"refusal": told}}]})
                    case 7:
                        self.answer(200, f"not JSON at all: {told}")
                    case _:
                        self.answer(200, echo.decorated(self.path, body, told))

            def answer(self, status: int, value: object) -> None:
                payload = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(payload)))
                self.send_header("X-Key", KEY)
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def decorated(self, path: str, body: bytes, told: str) -> Any:
        """Return the fake's answer with keys in its texts and in the name of its model."""
        asked = urllib.request.Request(
            self.fake.url.removesuffix("/v1") + path, body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked) as came:
            answer = json.load(came)
        answer["model"] = f"model {told}"
        for choice in answer.get("choices", ()):
            text = choice["message"]["content"]
            try:
                value = json.loads(text)
            except ValueError:
                continue
            if isinstance(value, dict):
                value["why"] = f"Because {told}"
                choice["message"]["content"] = json.dumps(value, ensure_ascii=False)
        return answer

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def echo(
    serving: Callable[..., AbstractContextManager[Fake]], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Echo]:
    monkeypatch.setenv("HOUSE_KEY", KEY)
    monkeypatch.setenv("TEAM_KEY", TEAM)
    with serving() as fake:
        server = Echo(fake)
        yield server
        server.close()


def search(what: str, content: bytes | str) -> None:
    """Fail if a key, or most of one, is in there, also behind what nobody sees."""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    for escaped in ("\\u200b", "\\u2060", "\\ufeff", "\\u00ad", "\\u0007"):
        text = text.replace(escaped, "")
    text = "".join(mark for mark in text if mark not in UNSEEN)
    for key in (KEY, TEAM):
        place = text.find(key[:8])
        assert place < 0, (what, text[max(0, place - 60) : place + 60])


def search_folder(folder: Path) -> int:
    """Search every file, and inside every cell of every database; return how many there are."""
    count = 0
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        count += 1
        search(str(path), path.read_bytes())
        if path.suffix == ".db":
            with closing(sqlite3.connect(path)) as base:
                tables = base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
                for (table,) in tables.fetchall():
                    for row in base.execute(f'SELECT * FROM "{table}"'):
                        for cell in row:
                            search(f"{path}: {table}", unpacked(cell))
    return count


def unpacked(cell: object) -> bytes | str:
    if not isinstance(cell, bytes):
        return str(cell)
    try:
        return zlib.decompress(cell)
    except zlib.error:
        return cell


SCENARIO = """
agents = 8
rounds = 2
mind = "llm"
[memory]
kind = "recagent"
consolidation = "fused"
[activation]
method = "random"
share = 1.0
[llm]
url = "{url}"
key_env = "HOUSE_KEY"
headers = {{ X-Team = "${{TEAM_KEY}}" }}
"""


@pytest.mark.filterwarnings("ignore:constrained_layout")  # of so few people
def test_a_planted_key_is_nowhere(
    cli: Cli,
    here: Path,
    echo: Echo,
    sites: Sites,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG", "audience")
    (here / "own.toml").write_text(SCENARIO.format(url=echo.url))
    told = cli("run", "own.toml", "--out", "runs/one", "--json")
    assert told.returncode in (0, 1), told.stderr  # some decisions fail, and it says so
    assert all(KEY in heard and TEAM in heard for heard in echo.heard), "the keys were sent"
    commands = (
        ("show", "runs/one"), ("show", "runs/one", "--person", "1"), ("runs", "runs"),
        ("runs", "runs", "--json"), ("report", "runs/one"), ("ask", "runs/one", "Why?"),
        ("export", "runs/one", "--out", "out"), ("doctor", "runs/one"),
        ("doctor", "--llm", echo.url, "--key-env", "HOUSE_KEY"), ("replay", "runs/one"),
    )  # fmt: skip
    for words in commands:
        done = cli(*words)
        search(f"{words}", done.stdout + done.stderr)
    search("run", told.stdout + told.stderr)
    site = sites(here / "runs")
    run = "one"
    asked = site.ok(f"/runs/{run}/ask", {"everyone": True, "question": "Why?"})["interview"]
    path = f"/runs/{run}/interviews/{asked}"
    site.when(lambda: site.ok(path), lambda found: found["state"] != "asking")
    with closing(CallStore(here / "runs/one/calls.db", read_only=True)) as store:
        calls = list(store.calls())
    assert any("***" in call.reply.model for call in calls)
    assert any("***" in text for call in calls for text in call.reply.texts)
    paths = ["session", "scenarios", "runs", path.removeprefix("/")]
    paths += [f"runs/{run}{one}" for one in ("", "/story", "/people/1", "/report", "/metrics")]
    paths += [f"runs/{run}/calls/{call.request.key}" for call in calls[:20]]
    for path in paths:
        search(path, site.raw("GET", f"/api/{path}")[2])
    with site.stream(f"/runs/{run}/stream") as stream:
        for _ in range(8):
            search("stream", json.dumps(stream.next()[2]))
    search("log", caplog.text)
    out, err = capfd.readouterr()
    search("terminal", out + err)
    assert search_folder(here) > 5


ADDRESSES = [
    "http://me:{key}@127.0.0.1:1/v1",
    "http://{key}@127.0.0.1:1/v1",
    "http://127.0.0.1:1/v1?key={key}",
    "http://127.0.0.1:1/v1?api-version=1&api_key={key}",
    "http://127.0.0.1:1/v1?access_token={key}",
    "http://127.0.0.1:1/v1?subscription-key={key}",
    "http://127.0.0.1:1/v1?sig={key}",
    "http://127.0.0.1:1/v1?x=sk-{key}",
    "http://127.0.0.1:1/sk-{key}/v1",
    "http://127.0.0.1:1/v1#key={key}",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_holds_no_key(cli: Cli, here: Path, address: str) -> None:
    url = address.format(key=KEY)
    (here / "llm.toml").write_text(f"agents = 5\nrounds = 1\n[llm]\nurl = '{url}'\n")
    (here / "proxy.toml").write_text(
        f"agents = 5\nrounds = 1\n[llm]\nurl = 'http://127.0.0.1:1/v1'\nproxy = '{url}'\n"
    )
    (here / "service.toml").write_text(f"agents = 5\nrounds = 1\nrecommender = '{url}'\n")
    (here / "listed.toml").write_text(
        f"agents = 5\nrounds = 1\n[[llm.endpoints]]\nurl = '{url}'\nweight = 1.0\n"
    )
    for words in (
        ("run", "llm.toml", "--out", "a"),
        ("run", "proxy.toml", "--out", "a"),
        ("run", "listed.toml", "--out", "a"),
        ("run", "service.toml", "--out", "a"),
        ("run", "--llm", url, "--mind", "llm", "--agents", "5", "--rounds", "1", "--out", "a"),
        ("run", "--recommender", f"popular,{url}", "--agents", "5", "--rounds", "1", "--out", "a"),
        ("doctor", "--llm", url),
        ("doctor", "--recommender", url),
    ):
        done = cli(*words)
        assert done.returncode == (1 if words[:2] == ("doctor", "--recommender") else 2), done
        search(f"{words}", done.stdout + done.stderr)
        assert "environment" in done.stdout + done.stderr
        assert not (here / "a").exists()


@pytest.mark.parametrize(
    "table",
    [
        "headers = {{ Authorization = 'Bearer {key}' }}",
        "headers = {{ X-Api-Key = '{key}' }}",
        "headers = {{ X-Other = 'sk-{key}' }}",
        "body = {{ user = {{ name = 'sk-{key}' }} }}",
        "key_env = 'sk-{key}'",
    ],
)
def test_a_table_holds_no_key(cli: Cli, here: Path, table: str) -> None:
    (here / "own.toml").write_text(
        f"agents = 5\nrounds = 1\n[llm]\nurl = 'http://127.0.0.1:1/v1'\n{table.format(key=KEY)}\n"
    )
    done = cli("run", "own.toml", "--out", "a")
    assert done.returncode == 2
    search("run", done.stdout + done.stderr)
    assert "environment" in done.stderr
    assert not (here / "a").exists()


def test_no_key_follows_to_another_host(cli: Cli, here: Path, echo: Echo) -> None:
    class Away(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(307)
            self.send_header("Location", f"{echo.url}/chat/completions?{KEY}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Away) as away:
        threading.Thread(target=away.serve_forever, daemon=True).start()
        url = f"http://localhost:{away.server_port}/v1"
        toml = SCENARIO.format(url=url).replace("[llm]\n", "[llm]\nmodel = 'm'\n")
        (here / "own.toml").write_text(toml)
        done = cli("run", "own.toml", "--out", "runs/one")
        away.shutdown()
    assert not echo.heard, "a key went to another host"
    search("run", done.stdout + done.stderr)
    search_folder(here)
