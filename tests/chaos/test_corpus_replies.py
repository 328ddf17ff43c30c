"""Responses that once broke a run, byte by byte: each is an outcome, kept, and the same again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.chaos.hostile import Hostile
from tests.chaos.kinds import Act

from audience.llm import ChatMessage, Endpoint, Request, open_gateway

CORPUS = Path(__file__).parents[1] / "corpus" / "replies"


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.http")), ids=lambda path: path.stem)
def test_a_response_that_once_broke_a_run_is_an_outcome(tmp_path: Path, path: Path) -> None:
    response = path.read_bytes()
    request = Request("home", (ChatMessage("user", "What do you do?"),))

    async def whole() -> None:
        async with Hostile(1.0, {path.stem: lambda answer: Act(response)}) as server:
            endpoint = Endpoint(url=server.url, model="hostile")
            async with open_gateway([endpoint], store=tmp_path / "calls.db", tries=1) as gateway:
                reply = await gateway.ask(request)
                assert gateway.meter.total().calls == 1
        async with open_gateway(store=tmp_path / "calls.db", mode="stored") as stored:
            again = await stored.ask(request)
        assert (again.outcome, again.texts, again.why) == (reply.outcome, reply.texts, reply.why)

    asyncio.run(whole())


def test_there_is_a_corpus() -> None:
    assert len(list(CORPUS.glob("*.http"))) >= 15
