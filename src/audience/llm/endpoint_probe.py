"""Probing an endpoint: reachability, models, structured output, log-probabilities, speed."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from time import perf_counter

import msgspec

from audience.llm.embedders import request_of, vector_of
from audience.llm.endpoint import Endpoint, scrub
from audience.llm.offers import Form, Scores
from audience.llm.openai import OpenAI
from audience.llm.request import ChatMessage, Reply, Request
from audience.llm.structured import list_of, object_of, one_of

LEVELS = (1, 8, 64)
_SIZE = 400
"""Tokens allowed for an answer, as for a decision of a run."""
_SCHEMA = object_of(
    picks=list_of(object_of(place={"type": "integer"}, stars={"type": "integer"})),
    next=one_of(["page", "leave"]),
    words={"type": "string"},
)
_SHOWN = {"temperature", "top_p", "seed", "stop", "reasoning_effort"}
"""Rejected fields that are worth a line in a scenario, since every request has them."""
_PERSON = "You are a person who watches films, with habits, friends and a long memory. " * 25
_PAGE = """This page shows:
{films}
Which of them do you watch, by place, and how many stars from 1 to 5 do you give? Then turn to the
next page or leave, and say in one sentence how you feel. Answer as JSON."""


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
    learnt: tuple[str, ...] = ()
    """What had to be changed for this server, in words."""
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


async def first_call(endpoint: Endpoint, *, deadline: float = 10.0) -> Reply:
    """Return the outcome of one call of the size of a decision, which tells how long they take."""
    provider = OpenAI(endpoint, deadline=deadline)
    try:
        return await provider.ask(_ask("speed", 0))
    finally:
        await provider.close()


async def _probed(
    provider: OpenAI, endpoint: Endpoint, levels: Sequence[int], seconds: float
) -> ProbeFindings:
    first = await provider.ask(_ask("hello", 0))
    models = await _models(provider)
    found = ProbeFindings(endpoint.name, first.outcome == "reply", first.why, models, first.model)
    if not found.reachable:
        return found
    # Twice, since a form that fails with status 500 is given up at the second time.
    for number in range(2):
        await provider.ask(_ask("schema", number, schema=_SCHEMA))
    await provider.ask(_ask("options", 0, options=("yes", "no")))
    await provider.ask(_ask("many", 0, candidates=2))
    vector = vector_of(await provider.ask(request_of("How long is this?")))
    speeds = [await _speed(provider, level, seconds) for level in levels]
    return msgspec.structs.replace(
        found,
        form=provider.offers.form,
        scores=provider.offers.scores,
        many=bool(provider.offers.many),
        vector=0 if vector is None else len(vector),
        speeds=tuple(speeds),
        learnt=tuple(provider.offers.learnt),
        snippet=snippet(endpoint, first.model, provider.offers.without & _SHOWN),
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
        asyncio.ensure_future(provider.ask(_ask("speed", at_once * 1000 + place, schema=_SCHEMA)))
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
) -> Request:
    text = f"Say in two sentences what film number {number + 1} on your shelf is about."
    if options:
        text = "Is water wet? Answer with one word, yes or no ."
    if schema:
        films = [f"{place}. Film {number + place}" for place in range(1, 6)]
        text = _PAGE.format(films="\n".join(films))
    return Request(
        f"probe-{purpose}",
        (ChatMessage("system", _PERSON), ChatMessage("user", text)),
        schema=schema,
        options=options,
        candidates=candidates,
        max_tokens=_SIZE,
        salt=f"probe/{purpose}/{number}",
    )


def snippet(endpoint: Endpoint, model: str, drop: Collection[str] = ()) -> str:
    """Return the `[llm]` table of a scenario for an endpoint; it sends no field of `drop`."""
    lines = ["[llm]", f"url = {_quoted(scrub(endpoint.url))}", f"model = {_quoted(model)}"]
    if endpoint.key_env:
        lines.append(f"key_env = {_quoted(endpoint.key_env)}")
    if drop:
        lines.append(f"drop = [{', '.join(_quoted(name) for name in sorted(drop))}]")
    if endpoint.price or endpoint.is_local:
        lines.append(f"price = {_quoted(endpoint.price or 'free')}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # A JSON string is a basic string of TOML.
    return msgspec.json.encode(text).decode()
