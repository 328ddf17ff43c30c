"""Asking many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def together(asks: Iterable[Awaitable[T]]) -> list[T]:
    """Return what came of many asks; what fails is raised when all have come: they are paid for."""
    came = await asyncio.gather(*asks, return_exceptions=True)
    found: list[T] = []
    for one in came:
        if isinstance(one, BaseException):
            raise one
        found.append(one)
    return found
