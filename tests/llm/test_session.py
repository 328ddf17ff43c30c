from __future__ import annotations

import asyncio

import aiohttp

from audience.llm import open_session


def test_a_session_keeps_no_cookies_and_sets_no_limit() -> None:
    async def opened() -> tuple[str, bool, int, float | None]:
        async with open_session({"X-Run": "one"}) as session:
            jar, connector = session.cookie_jar, session.connector
            assert connector is not None
            header = session.headers["X-Run"]
            return (
                header,
                isinstance(jar, aiohttp.DummyCookieJar),
                connector.limit,
                session.timeout.total,
            )

    assert asyncio.run(opened()) == ("one", True, 0, None)
