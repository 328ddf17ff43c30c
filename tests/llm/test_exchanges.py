"""What providers answer to requests they do not take, and what is sent next.

Each file of `exchanges` holds a request that is refused, the answer as its provider words it, where
that was read, and what the next request must be. A server plays it over HTTP.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.llm.conftest import served

from audience.llm import Endpoint
from audience.llm.fake_model import Manners, chat
from audience.llm.openai import OpenAI
from audience.llm.request import Tried

FILES = sorted((Path(__file__).parent / "exchanges").glob("*.json"))
KEY = "key-of-the-exchange"


class Provider:
    """A server that refuses as recorded and answers everything else."""

    def __init__(self, exchange: dict[str, Any]) -> None:
        self.exchange = exchange
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    async def serve(self, request: web.Request) -> web.Response:
        text = await request.text()
        body = json.loads(text)
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        if self._refuses(body, text, self.headers[-1]):
            answer, status = self.exchange["answer"], self.exchange["status"]
            return web.json_response(answer, status=status)
        return web.json_response(chat(body, text, Manners()))

    def _refuses(self, body: dict[str, Any], text: str, headers: dict[str, str]) -> bool:
        tokens = body.get("max_tokens", body.get("max_completion_tokens", 0))
        match self.exchange["refused"]:
            case {"field": name}:
                return name in body
            case {"text": words}:
                return words in json.dumps(body.get("response_format"), separators=(",", ":"))
            case {"tokens_below": number}:
                return bool(tokens < number)
            case {"tokens_above": number}:
                return bool(tokens > number)
            case {"header_missing": name}:
                return headers.get(name) != KEY
        raise AssertionError(self.exchange["refused"])


def played(
    exchange: dict[str, Any], wish: Any, asks: int, **more: Any
) -> tuple[Provider, OpenAI, list[Tried]]:
    """Return the provider, the client and its replies after so many requests."""
    fields = dict(exchange.get("request", {}))
    for name in ("options", "stop"):
        if name in fields:
            fields[name] = tuple(fields[name])

    async def whole() -> tuple[Provider, OpenAI, list[Tried]]:
        provider = Provider(exchange)
        async with served(provider.serve) as url:
            own = {"key_env": "EXCHANGE_KEY", **more}
            endpoint = Endpoint(url=url, model=exchange["model"], **own)
            client = OpenAI(endpoint)
            replies = [await client.ask(wish(number, **fields)) for number in range(asks)]
            await client.close()
        return provider, client, replies

    return asyncio.run(whole())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_refusal_is_understood_once_and_for_all(
    path: Path, wish: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXCHANGE_KEY", KEY)
    exchange = json.loads(path.read_text("utf-8"))
    provider, client, replies = played(exchange, wish, 3)
    assert [reply.outcome for reply in replies] == ["reply"] * 3
    assert all(reply.text for reply in replies)
    assert client.offers.learnt
    last = provider.bodies[-1]
    assert not set(exchange.get("lacks", ())) & set(last)
    assert set(exchange.get("keeps", ())) <= set(last)
    if "tokens" in exchange:
        assert last["max_tokens"] == exchange["tokens"]
    if "form" in exchange:
        assert client.offers.form == exchange["form"]
    if "header" in exchange:
        assert provider.headers[-1][exchange["header"]] == KEY
        assert "Authorization" not in provider.headers[-1]
    before = len(provider.bodies)
    again, _, _ = played(exchange, wish, 4)
    assert len(again.bodies) == before + 1, "the fourth request is right at once"


def test_a_dropped_field_is_never_sent(wish: Any) -> None:
    async def test() -> None:
        provider = Provider({"refused": {"field": "nothing"}})
        async with served(provider.serve) as url:
            endpoint = Endpoint(url=url, model="m", drop=("seed", "response_format"))
            client = OpenAI(endpoint)
            schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
            assert (await client.ask(wish(schema=schema))).outcome == "reply"
            await client.close()
        assert not {"seed", "response_format"} & set(provider.bodies[-1])
        assert "JSON schema" in provider.bodies[-1]["messages"][-1]["content"]

    asyncio.run(test())


def test_a_model_that_only_thinks_is_given_up_with_the_reason(wish: Any) -> None:
    exchange = json.loads((FILES[0].parent / "openai-thinking.json").read_text("utf-8"))
    exchange["refused"] = {"tokens_below": 10**9}

    async def test() -> None:
        provider = Provider(exchange)
        async with served(provider.serve) as url:
            client = OpenAI(Endpoint(url=url, model="m"))
            reply = await client.ask(wish(max_tokens=400))
            await client.close()
        assert (reply.outcome, reply.again) == ("unreadable", False)
        assert "no text within" in reply.why
        assert reply.usage.reasoning == 400 * len(provider.bodies)
        assert [body["max_tokens"] - 400 for body in provider.bodies] == [
            0,
            2048,
            4096,
            8192,
            16384,
        ]

    asyncio.run(test())


def test_blanks_without_end_are_no_thoughts(wish: Any) -> None:
    exchange = json.loads((FILES[0].parent / "openai-thinking.json").read_text("utf-8"))
    exchange["refused"] = {"tokens_below": 10**9}
    exchange["answer"]["choices"][0]["message"]["content"] = "\n" * 400
    exchange["answer"]["usage"].pop("completion_tokens_details")
    provider, client, (reply,) = played(exchange | {"model": "small"}, wish, 1, key_env="")
    assert reply.outcome == "unreadable"
    assert len(provider.bodies) == 1
    assert client.offers.room == {}


def test_an_answer_that_thinking_cut_short_is_asked_for_again_with_more_room(wish: Any) -> None:
    exchange = json.loads((FILES[0].parent / "openai-thinking.json").read_text("utf-8"))
    exchange["answer"]["choices"][0]["message"]["content"] = '{"picks": [1'
    exchange["answer"]["usage"]["completion_tokens_details"]["reasoning_tokens"] = 390
    provider, _, (reply,) = played(exchange, wish, 1, key_env="")
    assert reply.outcome == "reply"
    assert [body["max_tokens"] for body in provider.bodies] == [400, 2448]


def test_a_field_that_the_user_sets_is_not_asked_about_for_ever(wish: Any) -> None:
    exchange = json.loads((FILES[0].parent / "claude-temperature.json").read_text("utf-8"))
    body = {"temperature": 0.5}
    provider, _, (reply,) = played(exchange, wish, 1, key_env="", body=body)
    assert (reply.outcome, reply.again) == ("error", False)
    assert "deprecated" in reply.why
    assert len(provider.bodies) == 2
