from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from audience.llm import Endpoint, probe
from audience.llm.endpoint_probe import ProbeFindings
from audience.llm.fake import Fake


@pytest.mark.parametrize(
    ("manners", "form", "scores", "many"),
    [
        ({}, "json_schema", "top", True),
        ({"schema": "json_object", "scores": "echo"}, "json_object", "echo", True),
        ({"schema": "none", "scores": "none", "many": False}, "told", "none", False),
    ],
)
def test_what_an_endpoint_offers_is_found(
    with_fake: Any, manners: dict[str, Any], form: str, scores: str, many: bool
) -> None:
    async def test(fake: Fake) -> None:
        found = await probe(Endpoint(url=fake.url), levels=(1, 8))
        assert found.reachable
        assert found.models == ("fake", "other")
        assert found.vector == 64
        assert (found.model, found.form, found.scores, found.many) == ("fake", form, scores, many)
        assert [(speed.at_once, speed.answered) for speed in found.speeds] == [(1, 1), (8, 8)]
        assert all(speed.tokens_per_second > 0.0 for speed in found.speeds)
        table = msgspec.toml.decode(found.snippet)["llm"]
        assert msgspec.convert(table, Endpoint) == Endpoint(
            url=fake.url, model="fake", price="free"
        )

    with_fake(test, models=("fake", "other"), **manners)


def test_what_had_to_be_changed_is_told_and_written_into_the_table(with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        found = await probe(Endpoint(url=fake.url, model="m"), levels=(1,))
        assert found.form == "json_object"
        assert found.learnt == (
            "seed is left out",
            "max_completion_tokens is sent instead of max_tokens",
            "schemas are sent as json_object, since the form before was answered with status 500",
        )
        table = msgspec.toml.decode(found.snippet)["llm"]
        assert table["drop"] == ["seed"]
        assert fake.bodies[-1]["max_completion_tokens"] == 400
        assert found.speeds[0].answered == 1

    with_fake(test, unwanted=("seed", "max_tokens"), schema="json_object", schema_status=500)


def test_slow_calls_do_not_hold_it_up(with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        found = await probe(Endpoint(url=fake.url, model="m"), levels=(8,), seconds=0.35)
        assert found.speeds[0].answered < 8

    with_fake(test, latency=(0.1, 0.1), slots=2)


def test_an_endpoint_that_is_not_there_is_a_finding() -> None:
    async def test() -> ProbeFindings:
        return await probe(Endpoint(url="http://127.0.0.1:9", model="m"))

    found = asyncio.run(test())
    assert not found.reachable
    assert "cannot be reached" in found.why
    assert found.speeds == ()
