"""Each kind of misbehaviour alone: it is an outcome, stored, counted, and the same again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.chaos.hostile import Hostile
from tests.chaos.kinds import KINDS, MESSAGES, SLOW

from audience.llm import ChatMessage, Endpoint, Reply, Request, open_gateway
from audience.llm.meter import Counts
from audience.llm.request import MOST_TOKENS

SCHEMA = {
    "type": "object",
    "properties": {"do": {"enum": ["browse", "close"]}},
    "required": ["do"],
    "additionalProperties": False,
}
STILL_GOOD = frozenset(
    "wrong-type wrong-charset marked choices-odd-index model-list model-long model-control "
    "finish-list finish-length scores-odd cookies continue hints gzip deflate".split()
)
"""Odd, but the answer can be read; other texts that arrive are read later, or not."""
NOT_COUNTED = 12
"""The place of a number with so many digits that the body is not JSON."""


def asked(kind: str, folder: Path) -> tuple[Reply, Counts, Reply]:
    """Return the outcome of a call, what was counted, and the outcome read from the store."""
    request = Request("home", (ChatMessage("user", "What do you do?"),), schema=SCHEMA)

    async def whole() -> tuple[Reply, Counts, Reply]:
        async with Hostile(1.0, {kind: KINDS[kind]}) as server:
            endpoint = Endpoint(url=server.url, model="hostile", drop=("response_format",))
            deadline = 0.3 if kind in SLOW else 60.0
            async with open_gateway(
                [endpoint], store=folder / "calls.db", deadline=deadline, tries=1
            ) as gateway:
                reply = await gateway.ask(request)
                counted = gateway.meter.total()
        async with open_gateway(store=folder / "calls.db", mode="stored") as stored:
            return reply, counted, await stored.ask(request)

    return asyncio.run(whole())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_misbehaviour_is_an_outcome_that_is_kept(tmp_path: Path, kind: str) -> None:
    reply, counted, again = asked(kind, tmp_path)
    assert counted.calls == 1
    assert counted.failed == (reply.outcome != "reply")
    assert 0 <= reply.usage.prompt <= MOST_TOKENS
    assert len(reply.why) < 1_000
    assert len(reply.model) <= 200
    kept = (again.outcome, again.texts, again.why, again.usage, again.scores, again.model)
    assert kept == (reply.outcome, reply.texts, reply.why, reply.usage, reply.scores, reply.model)
    good = kind in STILL_GOOD or (kind.startswith("usage-") and kind != f"usage-{NOT_COUNTED}")
    if good:
        assert reply.text in ('{"do":"browse"}', '{"do":"close"}')
    elif kind not in MESSAGES and kind != "nan":
        assert reply.outcome != "reply"


def test_there_are_many_kinds() -> None:
    assert len(KINDS) >= 60
