from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from audience.errors import BadInput
from audience.llm import Endpoint, proxy_of
from audience.llm.endpoint import headers_of
from audience.llm.fake_model import Manners, chat
from audience.llm.openai import OpenAI


@pytest.mark.parametrize(
    ("url", "root", "query"),
    [
        ("http://127.0.0.1:8099", "http://127.0.0.1:8099/v1", ""),
        ("http://127.0.0.1:8099/", "http://127.0.0.1:8099/v1", ""),
        ("https://host/v1/", "https://host/v1", ""),
        ("https://host/v1/chat/completions", "https://host/v1", ""),
        ("https://host/open/d1?api-version=3", "https://host/open/d1", "?api-version=3"),
    ],
)
def test_addresses_are_understood(url: str, root: str, query: str) -> None:
    endpoint = Endpoint(url=url)
    assert (endpoint.root, endpoint.query) == (root, query)


@pytest.mark.parametrize(
    "url", ["https://me:pass@host/v1", "https://host/v1?key=abc", "https://host/v1#token=abc"]
)
def test_an_address_holds_nothing_secret(url: str) -> None:
    with pytest.raises(BadInput, match="export MY_KEY") as caught:
        Endpoint(url=url)
    assert "abc" not in str(caught.value)
    assert "me:pass" not in str(caught.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "host:80"},
        {"url": "ftp://host"},
        {"url": "http://h", "weight": -1.0},
        {"url": "http://h", "concurrency": -1},
        {"url": "http://h", "key_env": "sk-12345678"},
    ],
)
def test_mistakes_are_told(fields: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        Endpoint(**fields)
    assert "12345678" not in str(caught.value)


def test_a_scenario_table_is_an_endpoint() -> None:
    text = 'url = "http://h/v1"\nmodel = "m"\nbody = {top_k = 1}\nweight = 2.0\n'
    assert msgspec.toml.decode(text, type=Endpoint).body == {"top_k": 1}
    with pytest.raises(msgspec.ValidationError, match="modle"):
        msgspec.toml.decode('url = "http://h"\nmodle = "m"', type=Endpoint)


def test_proxies_come_from_the_endpoint_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert proxy_of(Endpoint(url="https://outside.example")) == "http://127.0.0.1:1"
    assert proxy_of(Endpoint(url="https://inside.example")) is None
    assert proxy_of(Endpoint(url="http://127.0.0.1:5")) is None
    assert proxy_of(Endpoint(url="https://a.example", proxy="http://p:1")) == "http://p:1"


def test_a_missing_key_stops_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="NOT_A_KEY_OF_OURS"):
        headers_of(Endpoint(url="http://h", key_env="NOT_A_KEY_OF_OURS"), tmp_path)


def test_certificates_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    with pytest.raises(BadInput, match="PEM"):
        OpenAI(Endpoint(url="https://h", ca=str(path)))
    path.write_text("not a certificate")
    with pytest.raises(BadInput, match="PEM"):
        OpenAI(Endpoint(url="https://h", ca=str(path)))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_own_certificates_are_trusted_and_others_are_not(tmp_path: Path, wish: Any) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "ca.pem"
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1"
    name = "subjectAltName=IP:127.0.0.1"
    subprocess.run(
        [*words.split(), *f"-addext {name} -keyout {key} -out {certificate}".split()],
        check=True,
        capture_output=True,
    )
    trust = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trust.load_cert_chain(certificate, key)

    async def serve(request: web.Request) -> web.Response:
        return web.json_response(chat(await request.json(), "k", Manners()))

    async def test() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", serve)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=trust).start()
        url = f"https://127.0.0.1:{runner.addresses[0][1]}"
        for ca, outcome in ((str(certificate), "reply"), ("", "error")):
            provider = OpenAI(Endpoint(url=url, model="fake", ca=ca))
            assert (await provider.ask(wish())).outcome == outcome
            await provider.close()
        await runner.cleanup()

    asyncio.run(test())
