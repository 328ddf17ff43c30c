"""The embedded model behind a gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.llm import (
    EMBEDDED_NAME,
    CallStore,
    EmbeddedGateway,
    Reply,
    Request,
    compose,
    embedded as e,
)
from audience.scenario import Models, SpendingOptions, door_of

Wish = Callable[..., Request]
needs_model = pytest.mark.skipif(bool(e.missing()), reason=e.missing() or "it is here")


def test_nothing_is_started_before_the_first_question(tmp_path: Path) -> None:
    said: list[str] = []
    local = EmbeddedGateway(str(tmp_path / "none.gguf"), said=said.append)
    asyncio.run(local.close())
    assert said == []
    assert local.pids == ()


def test_a_missing_runtime_is_told_with_its_remedy(
    wish: Wish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(e, "find_spec", lambda name: None)

    async def ask() -> None:
        async with compose(EmbeddedGateway(), store=tmp_path / "calls.db") as door:
            await door.ask(wish())

    with pytest.raises(BadInput, match="pip install xllamacpp"):
        asyncio.run(ask())


def test_stored_calls_need_no_model(wish: Wish, tmp_path: Path) -> None:
    request = wish(model="embedded")
    store = CallStore(tmp_path / "calls.db")
    store.add(request, Reply(request.key, "reply", ("kept",)))
    store.close()

    async def ask(mode: str) -> Reply:
        models = Models(model=str(tmp_path / "none.gguf"))
        async with door_of(models, SpendingOptions(mode), tmp_path) as door:
            return await door.ask(request)

    for mode in ("reuse", "stored"):
        assert asyncio.run(ask(mode)).text == "kept"


@needs_model
def test_it_answers_many_at_once_and_starts_again_after_its_end(wish: Wish) -> None:
    said: list[str] = []

    async def ask() -> list[Reply]:
        local = EmbeddedGateway(slots=2, said=said.append)
        requests = [wish(number, max_tokens=4, candidates=2) for number in range(3)]
        replies = await asyncio.gather(*(local.ask(request) for request in requests))
        await local.close()
        assert local.pids == ()
        again = await local.ask(wish(9, max_tokens=4))
        await local.close()
        return [*replies, again]

    replies = asyncio.run(ask())
    assert [reply.outcome for reply in replies] == ["reply"] * 4
    assert {reply.endpoint for reply in replies} == {EMBEDDED_NAME}
    assert [len(reply.texts) for reply in replies] == [2, 2, 2, 1]
    assert sum(line.startswith("starting") for line in said) == 2
