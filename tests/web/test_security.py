"""Who may ask what: hosts, origins, tokens, paths, sizes, rates, and what a page may load."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest
from tests.web.conftest import SMALL, Site, Sites, serving_all

from audience.web import Limits
from audience.web.security import Access, Buckets, is_loopback

JSON = "application/json"
BODY = json.dumps({"toml": SMALL, "name": "x", "paused": True}).encode()


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server for all who are refused or only look."""
    with serving_all(tmp_path_factory.mktemp("refusing")) as site:
        yield site


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "", "10.0.0.1"]
)
def test_a_name_that_others_chose_leads_nowhere(refusing: Site, host: str) -> None:
    for path in ("/api/session", "/api/runs", "/"):
        status, _, body = refusing.raw("GET", path, host=host)
        assert status in (400, 421), "no DNS name can be made to lead here"
        assert refusing.access.token.encode() not in body


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_this_machine_is_known_by_its_names(refusing: Site, host: str) -> None:
    assert refusing.raw("GET", "/api/session", host=f"{host}:{refusing.port}")[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_other_sites_are_not_answered(refusing: Site, headers: dict[str, str]) -> None:
    for method, path in (("GET", "/api/session"), ("GET", "/api/runs"), ("POST", "/api/runs")):
        status, told, body = refusing.raw(
            method, path, body=BODY, content_type=JSON, headers=headers
        )
        assert status == 403
        assert "access-control-allow-origin" not in told
        assert refusing.access.token.encode() not in body
    assert not list(refusing.root.iterdir())


def test_the_own_page_is_answered(site: Site) -> None:
    own = {"origin": site.address, "sec_fetch_site": "same-origin"}
    assert site.raw("GET", "/api/session", headers=own)[0] == 200
    assert site.raw("POST", "/api/runs", body=BODY, content_type=JSON, headers=own)[0] == 201


@pytest.mark.parametrize("token", ["", "wrong", "a-toke", "a-token2", "ä-tøken"])
def test_nothing_is_changed_without_the_token(refusing: Site, token: str) -> None:
    given = {"x_audience_token": token} if token else {}
    for method, path in (
        ("POST", "/api/runs"),
        ("POST", "/api/runs/x/control"),
        ("POST", "/api/runs/x/branch"),
        ("POST", "/api/scenarios/check"),
        ("POST", "/api/tickets"),
        ("DELETE", "/api/runs/x/play/y"),
        ("PUT", "/api/runs"),
    ):
        found = refusing.raw(method, path, body=BODY, token=False, content_type=JSON, headers=given)
        assert found[0] == 401
    assert not list(refusing.root.iterdir())


def test_elsewhere_even_reading_needs_the_token(sites: Sites) -> None:
    site = sites(host="0.0.0.0")
    assert site.raw("GET", "/api/session", token=False)[0] == 401
    status, _, body = site.raw("GET", "/api/session")
    assert status == 200
    assert "token" not in json.loads(body), "who asks has it already"
    assert site.raw("GET", "/", token=False)[0] == 200, "the page itself holds nothing secret"
    site.ok("/runs", {"toml": SMALL, "name": "one", "paused": True})
    assert site.raw("GET", "/api/runs/one/stream", token=False)[0] == 401
    ticket = site.ok("/tickets", {})["ticket"]
    with site.stream(f"/runs/one/stream?ticket={ticket}") as stream:
        assert stream.next("state")[2]["control"]["state"] == "paused"
    assert site.raw("GET", f"/api/runs/one/stream?ticket={ticket}", token=False)[0] == 401
    assert site.raw("POST", f"/api/runs?ticket={ticket}", body=BODY, token=False)[0] == 401


def test_elsewhere_no_file_is_loaded_and_no_host_is_asked(sites: Sites, tmp_path: Path) -> None:
    site = sites(host="0.0.0.0")
    (tmp_path / "mine.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')\nclass A: pass\n")
    for toml in (
        f"recommender = '{tmp_path}/mine.py:A'",
        "recommender = 'http://127.0.0.1:1/'",
        "[recommender]\nkind = 'http'\nurl = 'http://127.0.0.1:1/'",
        f"metrics = ['{tmp_path}/mine.py:A']",
        f"[dataset]\nkind = 'folder'\npath = '{tmp_path}'",
        f"[arms.x]\nrecommender = '{tmp_path}/mine.py:A'",
    ):
        status, found = site.post("/runs", {"toml": f"{toml}\n"})
        assert (status, "not offered to other machines" in found["error"]) == (400, True)
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    "id_",
    [
        "..", "../outside", "..~outside", "%2e%2e~outside", "..%2Foutside", "~", "~~", ".",
        "a~..~..~outside", "/etc", "%2Fetc", "link", "done%00", "done~..~..~outside",
        "\\..\\outside", "..%5coutside", "a" * 2000,
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_runs_folder(sites: Sites, tmp_path: Path, id_: str) -> None:
    from audience.runs import start
    from audience.scenario import parse

    start(parse("agents = 5\nrounds = 1\n"), 1, tmp_path / "outside")
    root = tmp_path / "runs"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "outside")
    site = sites(root)
    for rest in ("", "/people", "/story", "/stream", "/metrics"):
        status, _, body = site.raw("GET", f"/api/runs/{id_}{rest}")
        assert status in (400, 404, 422), body[:200]
        assert b"agents" not in body
    assert site.ok("/runs") == [], "what a link leads to lies elsewhere"


@pytest.mark.parametrize(
    "name", ["..", "a/b", "/tmp/x", "a\\b", "a\0b", ".hidden", "x" * 61, "a~b", "a\nb"]
)
def test_no_name_makes_a_folder_elsewhere(site: Site, tmp_path: Path, name: str) -> None:
    status, _ = site.post("/runs", {"toml": SMALL, "name": name, "paused": True})
    assert status in (400, 422)
    assert not list(site.root.iterdir())
    assert {one.name for one in tmp_path.iterdir()} == {"runs"}


def test_the_page_has_no_way_out_of_its_folder(sites: Sites, tmp_path: Path) -> None:
    static = tmp_path / "static"
    static.mkdir()
    (static / "index.html").write_text("<!doctype html><title>Page</title>")
    (tmp_path / "secret.txt").write_text("secret")
    site = sites(static=static)
    assert b"Page" in site.raw("GET", "/")[2]
    for path in (
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "//etc/passwd",
        "/secret.txt",
    ):
        status, _, body = site.raw("GET", path)
        assert status in (400, 404, 405)
        assert b"secret" not in body.replace(b"secret.txt", b"")


def test_requests_have_a_size(sites: Sites) -> None:
    site = sites(limits=Limits(body=5_000, reads=1e4, writes=1e4))
    large = json.dumps({"toml": "#" * 6_000}).encode()
    status, _, body = site.raw("POST", "/api/scenarios/check", body=large, content_type=JSON)
    assert (status, b"5,000 bytes" in body) == (413, True)

    async def drip() -> int:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(20):
                yield b" " * 1_000

        session = await site.session()
        headers = {"x-audience-token": site.access.token, "content-type": JSON}
        url = f"{site.address}/api/scenarios/check"
        async with session.post(url, data=pieces(), headers=headers) as answer:
            return answer.status

    assert site.wait(drip()) == 413, "also where its length is not told before"


def test_requests_have_a_rate(sites: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Buckets, "BURST", 10_000.0)
    site = sites(limits=Limits(reads=0.001, writes=0.0005))
    found = [site.get("/runs")[0] for _ in range(15)]
    assert found[:10] == [200] * 10
    assert 429 in found
    found = [site.post("/scenarios/check", {"toml": "agents = 0"})[0] for _ in range(8)]
    assert found[:5] == [200] * 5
    assert 429 in found


def test_streams_have_a_number(sites: Sites) -> None:
    site = sites(limits=Limits(streams=1, reads=1e4, writes=1e4))
    run = site.begin(paused=True)
    with site.stream(f"/runs/{run}/stream") as stream:
        stream.next("state")
        assert site.raw("GET", f"/api/runs/{run}/stream")[0] == 429


def test_the_number_of_streams_holds_in_a_burst(sites: Sites) -> None:
    site = sites(limits=Limits(streams=3, reads=1e4, writes=1e4))
    run = site.begin(paused=True)
    seat = site.ok(f"/runs/{run}/play", {"agent": 1})["seat"]

    async def burst() -> list[aiohttp.ClientResponse]:
        session = await site.session()
        paths = [f"/api/runs/{run}/stream", f"/api/runs/{run}/play/{seat}"] * 20
        return await asyncio.gather(*(session.get(site.address + path) for path in paths))

    answers = site.wait(burst())
    found = [answer.status for answer in answers]
    assert (found.count(200), found.count(429)) == (3, 37)
    for answer in answers:
        site.loop.call_soon_threadsafe(answer.close)
    site.when(lambda: site.ok("/session")["streams"], lambda streams: streams == 0)
    with site.stream(f"/runs/{run}/stream") as stream:
        stream.next("state")


def closed(link: socket.socket) -> bytes:
    """Return all that comes until the other side closes, as it must."""
    parts = []
    with suppress(ConnectionResetError):
        while part := link.recv(65536):
            parts.append(part)
    return b"".join(parts)


HEAD = b"POST /api/scenarios/check HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Audience-Token: a-token\r\n"


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (b"", b""),
        (b"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", b""),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HT", b"200 OK"),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"200 OK"),
        (HEAD + b"Content-Length: 100\r\n\r\n{", b"408"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", b"408"),
        (HEAD.replace(b"a-token", b"wrong") + b"Content-Length: 100\r\n\r\n{", b"401"),
    ],
)
def test_nobody_keeps_a_connection_by_doing_nothing(sites: Sites, sent: bytes, says: bytes) -> None:
    site = sites(limits=Limits(headers_s=0.3, body_s=0.3, idle_s=1, reads=1e4, writes=1e4))
    with socket.create_connection(("127.0.0.1", site.port), 60) as link:
        link.sendall(sent)
        assert says in closed(link)
    assert site.ok("/runs") == []


def drip(link: socket.socket) -> None:
    while True:
        link.sendall(b"X-A: b\r\n")
        time.sleep(0.05)


def test_a_drip_of_headers_ends_too(sites: Sites) -> None:
    site = sites(limits=Limits(headers_s=0.5, reads=1e4, writes=1e4))
    with socket.create_connection(("127.0.0.1", site.port), 60) as link:
        link.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            drip(link)


def test_a_reader_that_reads_nothing_is_let_go(sites: Sites) -> None:
    site = sites(limits=Limits(stall_s=0.3, reads=1e5, writes=1e4))
    with socket.socket() as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.connect(("127.0.0.1", site.port))
        mine = link.getsockname()[1]
        link.sendall(b"GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1000)

        def ports() -> list[int]:
            links = list(site.server.server_state.connections)
            return [one.client[1] for one in links if one.client]  # type: ignore[union-attr]

        site.when(ports, lambda open_: mine in open_)
        site.when(ports, lambda open_: mine not in open_)
    assert site.ok("/runs") == []


def test_a_stream_that_is_quiet_stays(sites: Sites) -> None:
    site = sites(limits=Limits(headers_s=0.2, body_s=0.2, idle_s=1, stall_s=0.2))
    run = site.begin(paused=True)
    with site.stream(f"/runs/{run}/stream") as stream:
        stream.next("state")
        time.sleep(1.0)
        site.steer(run, "play")
        assert stream.next("chapter")


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 900_000,
        b'{"toml":' * 90_000,
        b'{"form":{"seed":' + b"9" * 900_000 + b"}}",
        b"\xff\xfe",
    ],
)
def test_a_body_that_cannot_be_parsed_is_refused(site: Site, body: bytes) -> None:
    status, _, said = site.raw("POST", "/api/scenarios/check", body=body, content_type=JSON)
    assert status in (400, 422), said[:200]
    assert len(said) < 10_000
    assert site.ok("/runs") == []


def test_every_answer_says_what_a_page_may_load(site: Site) -> None:
    run = site.begin(paused=True)
    for path in ("/", "/api/session", "/api/nothing", f"/api/runs/{run}", "/api/runs/none"):
        _, headers, _ = site.raw("GET", path)
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
    assert site.raw("GET", "/api/session")[1]["cache-control"] == "no-store"


def test_words_of_people_stay_words(site: Site) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\u2028"
    run = site.begin(paused=True, toml=f"title = {json.dumps(evil)}\nagents = 30\nrounds = 2\n")
    site.ok(f"/runs/{run}/interventions", {"change": {"type": "Announce", "text": evil}})
    site.ok(
        f"/runs/{run}/interventions",
        {"change": {"type": "ChangeProfile", "agent": 1, "fields": {"name": evil}}},
    )
    site.steer(run, "play")
    site.until(run, "finished")
    for path in ("story?text=script", "people/1", "interventions", "people?query=script"):
        _, headers, body = site.raw("GET", f"/api/runs/{run}/{path}")
        assert headers["content-type"] == "application/json", "no browser takes it for a page"
        assert "<script>" in json.dumps(json.loads(body))
    _, headers, body = site.raw("GET", f"/api/runs/{run}/report")
    assert b"<script" not in body
    assert "&lt;script&gt;" in body.decode()
    assert headers["content-security-policy"].startswith("default-src 'none'")


def test_keys_are_never_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    _, _, body = site.raw("GET", "/api/session")
    assert json.loads(body)["keys"]["OPENAI_API_KEY"] is True
    assert b"very-secret" not in body
    monkeypatch.delenv("OPENAI_API_KEY")
    assert site.ok("/session")["keys"]["OPENAI_API_KEY"] is False


def test_an_error_carries_no_traceback(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret of the machine")

    monkeypatch.setattr(site.registry.folders, "found", broken)
    status, found = site.get("/runs")
    assert status == 500
    assert "secret" not in json.dumps(found)
    assert "Traceback" not in json.dumps(found)
    assert site.get("/nothing/here") == (404, {"error": "there is nothing at /api/nothing/here"})


def test_what_is_reachable_from_this_machine_alone() -> None:
    assert all(is_loopback(one) for one in ("127.0.0.1", "localhost", "::1", "[::1]", "127.8.8.8"))
    assert not any(is_loopback(one) for one in ("0.0.0.0", "::", "10.1.1.1", "example.com", ""))
    assert Access("0.0.0.0").token != Access("0.0.0.0").token


def test_a_bucket_empties_and_fills() -> None:
    buckets = Buckets(1.0)
    taken = sum(buckets.take("a") for _ in range(20_000))
    assert 5 <= taken < 20_000
    assert buckets.take("b"), "others have buckets of their own"
    for number in range(3000):
        buckets.take(str(number))
    assert len(buckets._left) <= Buckets.MOST
