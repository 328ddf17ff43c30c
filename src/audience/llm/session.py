"""The connection to a server over HTTP, for models and for recommenders alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp


def open_session(headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """Return a session of as many connections as are asked for, without cookies or limits."""
    import aiohttp

    return aiohttp.ClientSession(
        headers=headers,
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
    )
