"""The fuse of the test suite blows: nothing here can reach a provider."""

from __future__ import annotations

import asyncio
import os
import socket

import aiohttp
import pytest


def test_a_plain_connection_beyond_this_machine_fails() -> None:
    with socket.socket() as plain, pytest.raises(AssertionError, match="stays on loopback"):
        plain.connect(("192.0.2.1", 443))


def test_the_client_of_models_is_behind_it_too() -> None:
    async def ask() -> None:
        async with aiohttp.ClientSession() as session:
            await session.get("http://192.0.2.1/v1/models")

    with pytest.raises((AssertionError, aiohttp.ClientError)) as blown:
        asyncio.run(ask())
    assert "stays on loopback" in str(blown.value)


def test_no_key_is_in_the_environment() -> None:
    assert not [name for name in os.environ if name.endswith("_API_KEY")]
