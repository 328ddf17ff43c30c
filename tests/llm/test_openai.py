from __future__ import annotations

import asyncio
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from aiohttp import web
from tests.llm.conftest import served

from audience.llm import Endpoint, Request
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults, Manners, chat
from audience.llm.openai import OpenAI
from audience.llm.request import Tried

SCHEMA = {
    "type": "object",
    "properties": {"rating": {"type": "integer", "minimum": 1, "maximum": 5}},
    "required": ["rating"],
    "additionalProperties": False,
}


async def asked(
    fake: Fake, *requests: Request, deadline: float = 100.0, **more: Any
) -> list[Tried]:
    provider = OpenAI(Endpoint(url=fake.url, model="fake", **more), deadline=deadline)
    try:
        return [await provider.ask(request) for request in requests]
    finally:
        await provider.close()


def test_a_reply_comes_with_its_tokens(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        (reply,) = await asked(fake, wish())
        assert reply.outcome == "reply"
        assert reply.text
        assert reply.key == wish().key
        assert reply.model == "fake"
        assert reply.endpoint == fake.url
        assert reply.usage.prompt > 40
        assert reply.usage.completion > 0
        assert reply.usage.cached == 32
        assert reply.seconds > 0.0

    with_fake(test)


def test_the_same_request_has_the_same_answer_and_another_salt_another(
    wish: Any, with_fake: Any
) -> None:
    async def test(fake: Fake) -> None:
        one, same, other = await asked(fake, wish(1), wish(1), wish(1, salt="else"))
        assert one.text == same.text != other.text

    with_fake(test)


@pytest.mark.parametrize(
    ("fault", "outcome", "again"),
    [
        ("429", "error", True),
        ("429-after", "error", True),
        ("429-says", "error", True),
        ("500", "error", True),
        ("hang", "timeout", True),
        ("reset", "error", True),
        ("garbage", "unreadable", True),
        ("half", "unreadable", True),
        ("empty", "unreadable", True),
        ("refusal", "refusal", False),
        ("filter", "refusal", False),
        ("broken", "reply", False),
        ("drip", "reply", False),
    ],
)
def test_every_fault_is_a_value(
    wish: Any, with_fake: Any, fault: str, outcome: str, again: bool
) -> None:
    async def test(fake: Fake) -> None:
        (bad,) = await asked(fake, wish(), deadline=2.0 if fault == "hang" else 100.0)
        assert (bad.outcome, bad.again) == (outcome, again)
        assert bool(bad.why) == (outcome != "reply")
        assert bool(bad.texts) == (outcome == "reply")
        assert bad.after == (0.25 if fault in ("429-after", "429-says") else 0.0)
        if fault != "hang":  # it may have been given up before the server saw it
            (good,) = await asked(fake, wish())
            assert good.outcome == "reply"

    with_fake(test, faults=Faults(script=(fault,)), retry_after=0.25, drip=0.1)


def test_a_drip_slower_than_the_deadline_is_a_timeout(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        (reply,) = await asked(fake, wish(), deadline=0.2)
        assert reply.outcome == "timeout"

    with_fake(test, faults=Faults(script=("drip",)), drip=3600.0)


@pytest.mark.parametrize(
    ("offered", "form"),
    [
        ("json_schema", "json_schema"),
        ("json_object", "json_object"),
        ("none", "told"),
        ("ignored", "told"),
    ],
)
def test_the_form_of_structured_output_is_found_and_remembered(
    wish: Any, with_fake: Any, offered: str, form: str
) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url, model="fake"))
        first = await provider.ask(wish(1, schema=SCHEMA))
        assert first.outcome == "reply"
        assert 1 <= json.loads(first.text)["rating"] <= 5
        assert provider.offers.form == form
        before = fake.requests
        await provider.ask(wish(2, schema=SCHEMA))
        assert fake.requests == before + 1
        await provider.close()

    with_fake(test, schema=offered)


@pytest.mark.parametrize("status", [400, 422, 500, 501])
@pytest.mark.parametrize(("offered", "form"), [("json_object", "json_object"), ("none", "told")])
def test_a_server_that_fails_on_a_form_gets_the_next_and_keeps_it(
    wish: Any,
    with_fake: Any,
    caplog: pytest.LogCaptureFixture,
    status: int,
    offered: str,
    form: str,
) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url, model="fake"))
        for number in range(3):
            reply = await provider.ask(wish(number, schema=SCHEMA))
            assert 1 <= json.loads(reply.text)["rating"] <= 5
        assert provider.offers.form == form
        before = fake.requests
        await provider.ask(wish(9, schema=SCHEMA))
        assert fake.requests == before + 1
        assert provider.offers.learnt == [
            f"schemas are sent as {form}, since the form before was answered with status {status}"
        ]
        assert caplog.messages == [f"{fake.url}: from now on {provider.offers.learnt[0]}"]
        await provider.close()

    with_fake(test, schema=offered, schema_status=status)


def test_many_at_once_step_down_together_and_tell_it_once(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url, model="fake"))
        asks = (provider.ask(wish(number, schema=SCHEMA)) for number in range(50))
        assert {reply.outcome for reply in await asyncio.gather(*asks)} == {"reply"}
        assert provider.offers.form == "json_object"
        assert len(provider.offers.learnt) == 1
        await provider.close()

    with_fake(test, schema="json_object", schema_status=500, latency=(0.01, 0.02))


def test_errors_that_are_not_about_the_form_step_nothing_down(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        fake.manners = Manners(faults=Faults(script=("500",)))
        provider = OpenAI(Endpoint(url=fake.url, model="fake"))
        await provider.ask(wish(100, schema=SCHEMA))
        fake.manners = Manners()
        await provider.ask(wish(101, schema=SCHEMA))
        fake.manners = Manners(faults=Faults(script=("500",)))
        failed = await provider.ask(wish(102, schema=SCHEMA))
        assert failed.outcome == "error"
        assert failed.again
        assert (await provider.ask(wish(102, schema=SCHEMA))).outcome == "reply"
        assert provider.offers.form == "json_schema"
        assert provider.offers.learnt == []
        await provider.close()

    with_fake(test)


def test_one_schema_that_a_server_breaks_on_is_sent_otherwise(wish: Any) -> None:
    heavy = {**SCHEMA, "title": "heavy"}

    async def serve(request: web.Request) -> web.Response:
        body = await request.json()
        form = body.get("response_format", {})
        if form.get("json_schema", {}).get("schema", {}).get("title") == "heavy":
            return web.json_response({"error": {"message": "Internal Server Error"}}, status=500)
        return web.json_response(chat(body, body["messages"][-1]["content"], Manners()))

    async def test() -> None:
        async with served(serve) as url:
            provider = OpenAI(Endpoint(url=url, model="fake"))
            assert (await provider.ask(wish(0, schema=SCHEMA))).outcome == "reply"
            outcomes = [(await provider.ask(wish(n, schema=heavy))).outcome for n in range(6)]
            assert outcomes == ["error", "error", "reply", "reply", "reply", "reply"]
            assert provider.offers.form == "json_schema"
            assert provider.offers.forms(SCHEMA)[0] == "json_schema"
            assert provider.offers.forms(heavy)[0] == "json_object"
            await provider.close()

    asyncio.run(test())


def test_a_bad_request_does_not_spoil_what_is_remembered(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url, model="fake", body={"messages": "nonsense"}))
        reply = await provider.ask(wish(schema=SCHEMA))
        assert reply.outcome == "error"
        assert not reply.again
        assert "400" in reply.why
        assert provider.offers.form is None
        await provider.close()

    with_fake(test)


@pytest.mark.parametrize("honoured", [True, False])
def test_candidates_come_also_where_n_is_not_honoured(
    wish: Any, with_fake: Any, honoured: bool
) -> None:
    async def test(fake: Fake) -> None:
        one, two = await asked(fake, wish(1, candidates=4), wish(2, candidates=4))
        assert len(one.texts) == len(two.texts) == 4
        assert len(set(one.texts)) > 1
        assert fake.requests == (2 if honoured else 8)

    with_fake(test, many=honoured)


@pytest.mark.parametrize("offered", ["echo", "top", "none"])
def test_options_are_scored_where_that_is_offered(wish: Any, with_fake: Any, offered: str) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url, model="fake"))
        options = ("film", "feel", "about")
        for number in (1, 2):
            reply = await provider.ask(wish(number, options=options))
            assert reply.outcome == "reply"
            assert len(reply.scores) == (0 if offered == "none" else 3)
            assert all(score < 0.0 for score in reply.scores)
            assert bool(reply.text) == (offered != "echo")
        assert provider.offers.scores == offered
        before = fake.requests
        await provider.ask(wish(3, options=options))
        assert fake.requests == before + 1
        await provider.close()

    with_fake(test, scores=offered)


def test_many_at_once_learn_together_what_a_server_will_not_have(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url, model="fake"))
        replies = await asyncio.gather(*(provider.ask(wish(number)) for number in range(12)))
        assert {reply.outcome for reply in replies} == {"reply"}
        assert provider.offers.without == {"temperature", "seed"}
        await provider.close()

    with_fake(test, unwanted=("temperature", "seed"), latency=(0.02, 0.02))


def test_one_answer_that_tells_no_options_apart_does_not_end_scoring(
    wish: Any, with_fake: Any
) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url, model="fake"))
        odd = await provider.ask(wish(1, options=("qqq", "zzz")))
        assert (odd.outcome, odd.scores) == ("reply", ())
        sound = await provider.ask(wish(2, options=("film", "feel", "about")))
        assert len(sound.scores) == 3
        await provider.close()

    with_fake(test, scores="top")


def test_fields_that_a_server_will_not_have_are_left_out(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        one, two = await asked(fake, wish(1), wish(2))
        assert one.outcome == two.outcome == "reply"
        assert fake.outcomes["400"] == 3
        last = fake.bodies[-1]
        assert last["max_completion_tokens"] == 512
        assert not {"max_tokens", "temperature", "seed"} & set(last)

    with_fake(test, unwanted=("max_tokens", "temperature", "seed"))


def test_extras_of_the_endpoint_reach_the_server(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        await asked(fake, wish(), body={"top_k": 3}, reasoning="low", headers={"X-A": "b"})
        assert fake.bodies[-1]["top_k"] == 3
        assert fake.bodies[-1]["reasoning_effort"] == "low"

    with_fake(test)


def test_without_a_model_the_first_listed_is_used(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url))
        assert (await provider.ask(wish())).model == "tiny"
        assert (await provider.ask(wish(model="large"))).model == "large"
        await provider.close()

    with_fake(test, models=("tiny", "large"))


def test_an_endpoint_that_is_not_there_is_an_error(wish: Any) -> None:
    async def test() -> Tried:
        async with Fake() as fake:
            url = fake.url
        provider = OpenAI(Endpoint(url=url, model="fake"))
        try:
            return await provider.ask(wish())
        finally:
            await provider.close()

    reply = asyncio.run(test())
    assert reply.outcome == "error"
    assert reply.again
    assert reply.elsewhere
    assert "cannot be reached" in reply.why


def test_a_refused_key_is_told_without_the_key(
    wish: Any, with_fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", "very-secret-0123456789")

    async def test(fake: Fake) -> None:
        (reply,) = await asked(fake, wish(), key_env="A_KEY")
        assert reply.outcome == "error"
        assert not reply.again
        assert "401" in reply.why
        assert "secret" not in repr(reply)

    with_fake(test, key="another")


def test_a_right_key_is_let_in(wish: Any, with_fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "right")

    async def test(fake: Fake) -> None:
        by_key, by_header = (
            await asked(fake, wish(), key_env="A_KEY"),
            await asked(fake, wish(), headers={"Authorization": "Bearer ${A_KEY}"}),
        )
        assert by_key[0].outcome == by_header[0].outcome == "reply"

    with_fake(test, key="right")


def test_a_proxy_is_gone_through(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        proxy = fake.url.removesuffix("/v1")
        endpoint = Endpoint(url="http://models.invalid/v1", model="fake", proxy=proxy)
        provider = OpenAI(endpoint)
        reply = await provider.ask(wish())
        await provider.close()
        assert reply.outcome == "reply"
        assert reply.endpoint == "http://models.invalid/v1"

    with_fake(test)


class Impatient(BaseHTTPRequestHandler):
    """A server that answers every chat alike and soon closes a connection that is not used."""

    protocol_version = "HTTP/1.1"
    timeout = 0.3

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        said = json.dumps({"choices": [{"message": {"role": "assistant", "content": "Hello."}}]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said.encode())

    def log_message(self, *_: object) -> None: ...


def test_a_connection_that_the_server_may_have_closed_is_not_used(
    wish: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audience.llm.openai._IDLE", 0.1)

    async def test(url: str) -> tuple[Tried, Tried]:
        provider = OpenAI(Endpoint(url=url, model="fake"), deadline=60.0)
        try:
            first = await provider.ask(wish())
            time.sleep(0.8)  # busy: the end of the connection is not heard of meanwhile
            return first, await provider.ask(wish())
        finally:
            await provider.close()

    with ThreadingHTTPServer(("127.0.0.1", 0), Impatient) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        first, second = asyncio.run(test(f"http://127.0.0.1:{server.server_port}/v1"))
        server.shutdown()
    assert (first.outcome, second.outcome, second.why) == ("reply", "reply", "")


def test_it_opens_again_after_it_was_closed(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url, model="fake"))
        for number in range(2):
            assert (await provider.ask(wish(number))).outcome == "reply"
            await provider.close()
        await provider.close()

    with_fake(test)
