from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audience.errors import BadInput
from audience.llm import (
    Budget,
    BudgetSpent,
    Endpoint,
    GatewayStack,
    Mode,
    NoVectors,
    Prices,
    RemoteEmbedder,
    Reply,
    Request,
    open_gateway,
)
from audience.llm.embedder import VectorCache
from audience.llm.embedders import LONGEST, request_of, vector_of
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults, vector
from audience.llm.openai import OpenAI

TEXTS = ["I loved <Heat>.", "I liked <Heat> a lot.", "Traffic was noisy."]


def door_to(
    fake: Fake, path: Path | None = None, mode: Mode = "reuse", **more: Any
) -> GatewayStack:
    endpoint = Endpoint(url=fake.url, model="chat")
    return open_gateway([endpoint], store=path, mode=mode, **more)


def test_vectors_come_through_the_gateway(with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        async with door_to(fake) as door:
            embedder = RemoteEmbedder(door, "tiny-embed")
            rows = await embedder.embed(TEXTS)
            assert (embedder.name, embedder.size) == ("openai/tiny-embed", 64)
            assert rows[0] == pytest.approx(np.array(vector(TEXTS[0])), abs=1e-6)
            assert rows[0] @ rows[1] > rows[0] @ rows[2]
            sums = door.meter.by_purpose["embed"]
            assert (sums.calls, sums.completion) == (3, 0)
            assert sums.prompt > 0
        assert {one["input"] for one in fake.bodies} == set(TEXTS)
        assert all(one["model"] == "tiny-embed" for one in fake.bodies)

    with_fake(test)


def test_stored_calls_replay_vectors_to_the_bit(with_fake: Any, tmp_path: Path) -> None:
    path = tmp_path / "calls.db"

    async def test(fake: Fake) -> None:
        async with door_to(fake, path) as door:
            first = await RemoteEmbedder(door, "m").embed(TEXTS)
        async with door_to(fake, path) as door:
            assert np.array_equal(await RemoteEmbedder(door, "m").embed(TEXTS), first)
        assert fake.requests == 3
        async with open_gateway(store=path, mode="stored") as door:
            stored = RemoteEmbedder(door, "m")
            assert np.array_equal(await stored.embed(TEXTS), first)
            with pytest.raises(NoVectors, match="not in the call store"):
                await stored.embed(["never asked"])

    with_fake(test)


@pytest.mark.parametrize(
    "fault", ["429", "500", "reset", "garbage", "half", "empty", "refusal", "filter"]
)
def test_faults_are_tried_again(with_fake: Any, fault: str) -> None:
    async def test(fake: Fake) -> None:
        async with door_to(fake) as door:
            rows = await RemoteEmbedder(door).embed(TEXTS[:1])
            assert rows.any()
            assert fake.outcomes == {fault: 1, "ok": 1}

    with_fake(test, faults=Faults(script=(fault,)), retry_after=0.01)


def test_a_vector_of_another_length_is_unreadable(with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        provider = OpenAI(Endpoint(url=fake.url, model="m"))
        good = await provider.ask(request_of("one"))
        assert good.outcome == "reply"
        fake.manners = type(fake.manners)(faults=Faults({"broken": 1.0}))
        bad = await provider.ask(request_of("two"))
        await provider.close()
        assert (bad.outcome, bad.again, bad.texts) == ("unreadable", True, ())
        assert "numbers" in bad.why

    with_fake(test)


def test_what_never_comes_is_no_vectors_and_the_rest_is_kept(with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        async with door_to(fake, tries=1) as door:
            kept = VectorCache(RemoteEmbedder(door, "m"))
            with pytest.raises(NoVectors, match=r"of 40 texts have no vector: .*500"):
                await kept.embed([f"text {number}" for number in range(40)])
            assert 0 < len(kept) < 40

    with_fake(test, faults=Faults({"500": 0.5}))


class Told:
    """A gateway that replies what it was told to."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    async def ask(self, request: Request) -> Reply:
        return Reply(request.key, "reply", texts=(self.texts.pop(0),))

    async def close(self) -> None:
        """There is nothing to let go of."""


def packed(*numbers: float) -> str:
    return base64.b64encode(np.array(numbers, "<f4").tobytes()).decode()


@pytest.mark.parametrize("text", ["", "no base64!", "QUJD", packed(1.0, float("nan")), packed()])
def test_replies_without_a_vector_are_no_vectors(text: str) -> None:
    with pytest.raises(NoVectors, match="1 of 1"):
        asyncio.run(RemoteEmbedder(Told(text)).embed(["one"]))


def test_stored_vectors_of_two_lengths_do_not_mix() -> None:
    embedder = RemoteEmbedder(Told(packed(3.0, 4.0), packed(1.0)))
    with pytest.raises(NoVectors, match="1 numbers where others have 2") as caught:
        asyncio.run(embedder.embed(["one", "two"]))
    assert caught.value.found["one"] == pytest.approx([0.6, 0.8])


def test_a_spent_budget_passes_through(with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        async with door_to(fake, budget=Budget(calls=1), prices=Prices()) as door:
            with pytest.raises(BudgetSpent):
                await VectorCache(RemoteEmbedder(door, "m")).embed(TEXTS)

    with_fake(test)


def test_fields_that_a_server_will_not_have_are_left_out(with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        async with door_to(fake) as door:
            assert (await RemoteEmbedder(door).embed(TEXTS[:1])).any()
        assert "encoding_format" not in fake.bodies[-1]

    with_fake(test, unwanted=("encoding_format",))


def test_keys_of_other_requests_are_as_they_were(wish: Any) -> None:
    assert wish().key == "c6803b645d5363ca18b8cdcf63a3abdc"
    assert request_of("one").key == request_of("one").key != request_of("two").key
    assert request_of("one", "m").key != request_of("one").key
    assert len(request_of("x" * 100_000).messages[0].content) == LONGEST


def test_only_replies_hold_vectors() -> None:
    assert vector_of(Reply("k", "error", texts=(packed(1.0),))) is None


def test_without_a_gateway_there_is_nothing_to_ask() -> None:
    with pytest.raises(BadInput, match="--llm"):
        RemoteEmbedder()
