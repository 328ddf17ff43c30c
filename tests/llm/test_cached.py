from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from audience.errors import BadInput
from audience.llm import CallStore, Endpoint
from audience.llm.call_store import Cached
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.llm.openai import OpenAI


def cached(fake: Fake, path: Path, mode: Any) -> Cached:
    return Cached(OpenAI(Endpoint(url=fake.url, model="fake")), CallStore(path), mode)


def test_reuse_asks_only_for_what_was_not_replied(
    tmp_path: Path, wish: Any, with_fake: Any
) -> None:
    async def test(fake: Fake) -> None:
        path = tmp_path / "calls.db"
        first = cached(fake, path, "reuse")
        one = [await first.ask(wish(number)) for number in range(40)]
        await first.close()
        failed = sum(reply.outcome != "reply" for reply in one)
        assert 0 < failed < 40
        second = cached(fake, path, "reuse")
        other = [await second.ask(wish(number)) for number in range(40)]
        await second.close()
        assert fake.requests == 40 + failed
        for before, after in zip(one, other, strict=True):
            assert after.reused == (before.outcome == "reply")
            if after.reused:
                assert after.texts == before.texts

    with_fake(test, faults=Faults(rates={"500": 0.5}))


def test_stored_gives_back_every_outcome_and_asks_nothing(
    tmp_path: Path, wish: Any, with_fake: Any
) -> None:
    async def test(fake: Fake) -> None:
        path = tmp_path / "calls.db"
        live = cached(fake, path, "fresh")
        asked = [wish(number % 12) for number in range(36)]
        before = [await live.ask(request) for request in asked]
        await live.close()
        requests = fake.requests
        kept = Cached(None, CallStore(path, read_only=True), "stored")
        after = [await kept.ask(request) for request in asked]
        missing = await kept.ask(wish(99))
        await kept.close()
        assert fake.requests == requests
        outcomes = [reply.outcome for reply in before]
        assert {"reply", "refusal"} <= set(outcomes)
        assert [(reply.outcome, reply.texts, reply.why) for reply in after] == [
            (reply.outcome, reply.texts, reply.why) for reply in before
        ]
        assert all(reply.reused for reply in after)
        assert missing.outcome == "error"
        assert "not in the call store" in missing.why

    with_fake(test, faults=Faults(rates={"refusal": 0.4, "garbage": 0.2}))


def test_after_a_restart_the_new_outcome_counts(tmp_path: Path, wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        path = tmp_path / "calls.db"
        outcomes = []
        for _ in range(2):
            run = cached(fake, path, "reuse")
            outcomes.append((await run.ask(wish())).outcome)
            await run.close()
        assert outcomes == ["error", "reply"]
        kept = Cached(None, CallStore(path), "stored")
        assert (await kept.ask(wish())).outcome == "reply"
        assert len(kept.store.of(wish().key)) == 2
        await kept.close()

    with_fake(test, faults=Faults(script=("500",)))


def test_fresh_always_asks(tmp_path: Path, wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        for _ in range(2):
            run = cached(fake, tmp_path / "calls.db", "fresh")
            assert not (await run.ask(wish())).reused
            await run.close()
        assert fake.requests == 2

    with_fake(test)


def test_a_call_that_was_given_up_is_kept_as_a_timeout(
    tmp_path: Path, wish: Any, with_fake: Any
) -> None:
    async def test(fake: Fake) -> None:
        run = cached(fake, tmp_path / "calls.db", "reuse")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await run.ask(wish())
        (call,) = run.store.of(wish().key)
        assert call.reply.outcome == "timeout"
        await run.close()

    with_fake(test, faults=Faults(rates={"hang": 1.0}))


def test_an_unknown_mode_is_told(tmp_path: Path) -> None:
    store = CallStore(tmp_path / "calls.db")
    with pytest.raises(BadInput, match="'fresh', 'reuse', 'stored'"):
        Cached(None, store, "sometimes")  # type: ignore[arg-type]
    store.close()


def test_no_key_is_ever_in_the_store(
    tmp_path: Path, wish: Any, with_fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "very-secret-0123456789"
    monkeypatch.setenv("A_KEY", secret)

    async def test(fake: Fake) -> None:
        for key in ("A_KEY", ""):
            headers = {} if key else {"Authorization": "Bearer ${A_KEY}"}
            endpoint = Endpoint(url=fake.url, model="fake", key_env=key, headers=headers)
            run = Cached(OpenAI(endpoint), CallStore(tmp_path / "calls.db"), "fresh")
            reply = await run.ask(wish())
            assert "401" in reply.why
            (*_, call) = run.store.calls()
            assert secret not in repr(call)
            await run.close()

    with_fake(test, key="another")
    assert secret.encode() not in (tmp_path / "calls.db").read_bytes()


def test_answers_last_soon_without_anybody_committing_them(
    tmp_path: Path, wish: Any, with_fake: Any
) -> None:
    """A process that is killed pays again only for what it asked at the end."""

    async def test(fake: Fake) -> None:
        path = tmp_path / "calls.db"
        door = cached(fake, path, "reuse")
        for turn in (1, 2):
            for number in range(3):
                await door.ask(wish(10 * turn + number))
            async with asyncio.timeout(100):
                while not _all_last(path, 3 * turn):
                    await asyncio.sleep(0.02)
        await door.close()

    with_fake(test)


def _all_last(path: Path, calls: int) -> bool:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as other:
        (found,) = other.execute("SELECT count(*) FROM calls").fetchone()
    other.close()
    return bool(found == calls)
