"""Patience: how long an answer is awaited, by how long others took."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

_RECENT, _ENOUGH = 64, 16
"""Calls of a purpose by which its patience is judged, and the fewest of them."""
_SHARE = 0.75
_TIMES = 6.0
"""An answer may take so many times the seconds in which three of four came."""
_LEAST = 2.0
"""Seconds that every answer may take."""
_LOOK = 1.0
"""Seconds after which a waiting call looks whether patience has changed."""
_TURNS = 50
"""Turns of the event loop in which an answer that has arrived is still accepted."""


class Patience:
    """How long the answers of one endpoint are awaited, at most for the deadline.

    A server that loses a request would otherwise hold up a whole round for the deadline. Each time
    that a request was given up, it is awaited twice as long.
    """

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self._recent: dict[str, deque[float]] = {}
        self._given_up: Counter[str] = Counter()

    def note(self, purpose: str, key: str, seconds: float, *, answered: bool) -> None:
        """Add how long a call took, also one that was given up."""
        self._recent.setdefault(purpose, deque(maxlen=_RECENT)).append(seconds)
        if answered:
            self._given_up.pop(key, None)
        else:
            self._given_up[key] += 1

    def seconds(self, purpose: str, key: str) -> float:
        """Return how long the answer to a request is awaited."""
        recent = self._recent.get(purpose, ())
        if len(recent) < _ENOUGH:
            return self.deadline
        usual = sorted(recent)[int(_SHARE * len(recent))]
        longer = 2.0 ** min(self._given_up[key], 10)
        return min(self.deadline, max(_LEAST, _TIMES * usual) * longer)


@asynccontextmanager
async def within(limit: Callable[[], float]) -> AsyncIterator[None]:
    """Raise TimeoutError if something is still awaited after the seconds that `limit` returns.

    The limit may change meanwhile. What has arrived by then is accepted, so that only a missing
    answer is late, not a slow machine.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    handle: asyncio.Handle | None = None

    def look(turns: int) -> None:
        nonlocal handle
        left = began + limit() - loop.time()
        if left > 0.0:
            handle = loop.call_later(min(left, _LOOK), look, _TURNS)
        elif turns:
            handle = loop.call_soon(look, turns - 1)
        else:
            waiting.reschedule(loop.time())

    async with asyncio.timeout(None) as waiting:
        look(_TURNS)
        try:
            yield
        finally:
            if handle is not None:
                handle.cancel()
