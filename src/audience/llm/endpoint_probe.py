"""Probing an endpoint: reachability, models, structured output, log-probabilities, speed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import perf_counter

import msgspec

from audience.llm.embedders import request_of, vector_of
from audience.llm.endpoint import Endpoint, scrub
from audience.llm.offers import Form, Scores
from audience.llm.openai import OpenAI
from audience.llm.request import ChatMessage, Reply, Request
from audience.llm.structured import object_of

LEVELS = (1, 8, 64)
_SCHEMA = object_of(film={"type": "string"}, rating={"type": "integer"})


class ProbeSpeed(msgspec.Struct, frozen=True):
    """The throughput of a number of concurrent calls."""

    at_once: int
    answered: int
    tokens_per_second: float
    seconds: float
    """Of the median call."""


class ProbeFindings(msgspec.Struct, frozen=True):
    """What a probe found; `why` says what is wrong, if anything."""

    url: str
    reachable: bool
    why: str = ""
    models: tuple[str, ...] = ()
    model: str = ""
    form: Form | None = None
    """How structured output is requested; None if unknown."""
    scores: Scores | None = None
    many: bool = False
    """Whether one call can return several candidates."""
    vector: int = 0
    """The dimension of its embeddings; 0 if it has none."""
    speeds: tuple[ProbeSpeed, ...] = ()
    snippet: str = ""
    """The `[llm]` table for a scenario."""


async def probe(
    endpoint: Endpoint,
    *,
    levels: Sequence[int] = LEVELS,
    deadline: float = 30.0,
    seconds: float = 20.0,
) -> ProbeFindings:
    """Return what an endpoint supports; each level of concurrency is tried for `seconds`."""
    provider = OpenAI(endpoint, deadline=deadline)
    try:
        return await _probed(provider, endpoint, levels, seconds)
    finally:
        await provider.close()


async def _probed(
    provider: OpenAI, endpoint: Endpoint, levels: Sequence[int], seconds: float
) -> ProbeFindings:
    first = await provider.ask(_ask("hello", 0, max_tokens=16))
    models = await _models(provider)
    found = ProbeFindings(endpoint.name, first.outcome == "reply", first.why, models, first.model)
    if not found.reachable:
        return found
    await provider.ask(_ask("schema", 0, schema=_SCHEMA))
    await provider.ask(_ask("options", 0, options=("yes", "no"), max_tokens=1))
    await provider.ask(_ask("many", 0, candidates=2, max_tokens=16))
    vector = vector_of(await provider.ask(request_of("How long is this?")))
    speeds = [await _speed(provider, level, seconds) for level in levels]
    return msgspec.structs.replace(
        found,
        form=provider.offers.form,
        scores=provider.offers.scores,
        many=bool(provider.offers.many),
        vector=0 if vector is None else len(vector),
        speeds=tuple(speeds),
        snippet=snippet(endpoint, first.model),
    )


async def _models(provider: OpenAI) -> tuple[str, ...]:
    import aiohttp

    try:
        async with asyncio.timeout(provider.deadline):
            return await provider.models()
    except (TimeoutError, aiohttp.ClientError, OSError):
        return ()


async def _speed(provider: OpenAI, at_once: int, seconds: float) -> ProbeSpeed:
    """Make `at_once` concurrent calls and count what is answered in time."""
    began = perf_counter()
    asks = [
        asyncio.ensure_future(provider.ask(_ask("speed", at_once * 1000 + place, max_tokens=64)))
        for place in range(at_once)
    ]
    done, late = await asyncio.wait(asks, timeout=seconds)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    took = max(1e-6, perf_counter() - began)
    replies: list[Reply] = [task.result() for task in done if task.result().outcome == "reply"]
    tokens = sum(reply.usage.completion or len(reply.text) // 4 for reply in replies)
    waits = sorted(reply.seconds for reply in replies)
    middle = waits[len(waits) // 2] if waits else 0.0
    return ProbeSpeed(at_once, len(replies), tokens / took, middle)


def _ask(
    purpose: str,
    number: int,
    *,
    schema: dict[str, object] | None = None,
    options: tuple[str, ...] = (),
    candidates: int = 1,
    max_tokens: int = 128,
) -> Request:
    text = f"Say in two sentences what film number {number + 1} on your shelf is about."
    if options:
        text = "Is water wet? Answer with one word, yes or no ."
    if schema:
        text = "Name a film and rate it from 1 to 5, as JSON."
    return Request(
        f"probe-{purpose}",
        (ChatMessage("system", "You answer briefly."), ChatMessage("user", text)),
        schema=schema,
        options=options,
        candidates=candidates,
        max_tokens=max_tokens,
        salt=f"probe/{purpose}/{number}",
    )


def snippet(endpoint: Endpoint, model: str) -> str:
    """Return the `[llm]` table of a scenario for an endpoint."""
    lines = ["[llm]", f"url = {_quoted(scrub(endpoint.url))}", f"model = {_quoted(model)}"]
    if endpoint.key_env:
        lines.append(f"key_env = {_quoted(endpoint.key_env)}")
    if endpoint.price or endpoint.is_local:
        lines.append(f"price = {_quoted(endpoint.price or 'free')}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # A JSON string is a basic string of TOML.
    return msgspec.json.encode(text).decode()
