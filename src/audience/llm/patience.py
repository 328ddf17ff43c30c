"""Patience: how long an answer is awaited, by how long others took."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

_RECENT, _ENOUGH = 64, 16
"""Calls of a purpose by which its patience is judged, and the fewest of them."""
_SHARE, _OTHERS = 0.75, 0.9
"""The share of calls that came in the usual time: of its purpose, or of all if those are few."""
_TIMES, _LEAST = 6.0, 2.0
"""An answer may take so many times the usual time, and so many seconds in any case."""
_STRAGGLING, _LEAST_STRAGGLING = 3.0, 1.0
"""The same once most others have come: the server has little else to do, and a round waits."""
_FEW, _MANY = 8, 8
"""The part of the most calls in flight that is few, and how many must have been in flight."""
_LOOK, _LATER = 1.0, 0.125
"""Seconds after which a waiting call looks whether patience has changed; later, such a share of
what it has waited."""
_TURNS = 50
"""Turns of the event loop in which an answer that has arrived is still accepted."""


class Patience:
    """How long the answers of one endpoint are awaited, at most for the deadline.

    A server that loses a request would otherwise hold up a whole round for the deadline. Each time
    that a request was given up, it is awaited twice as long.
    """

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self._flying = self._most = 0
        self._recent: dict[str, deque[float]] = {}
        self._all: deque[float] = deque(maxlen=_RECENT)
        self._usual: dict[str, float] = {}
        """The usual time of each purpose, until another call ends."""
        self._given_up: Counter[str] = Counter()

    @contextmanager
    def flying(self) -> Iterator[None]:
        """Count a call as in flight while the block lasts."""
        self._flying += 1
        self._most = max(self._most, self._flying)
        try:
            yield
        finally:
            self._flying -= 1

    def note(self, purpose: str, key: str, seconds: float, *, answered: bool) -> None:
        """Add how long a call took, also one that was given up."""
        self._recent.setdefault(purpose, deque(maxlen=_RECENT)).append(seconds)
        self._all.append(seconds)
        self._usual.clear()
        if answered:
            self._given_up.pop(key, None)
        else:
            self._given_up[key] += 1

    def seconds(self, purpose: str, key: str) -> float:
        """Return how long the answer to a request is awaited."""
        if len(self._all) < _ENOUGH:
            return self.deadline
        usual = self._usual.get(purpose)
        if usual is None:
            usual = self._usual[purpose] = self._usually(purpose)
        times, least = _TIMES, _LEAST
        if self._most >= _MANY and self._flying * _FEW <= self._most:
            times, least = _STRAGGLING, _LEAST_STRAGGLING
        longer = 2.0 ** min(self._given_up[key], 10)
        return min(self.deadline, max(least, times * usual) * longer)

    def _usually(self, purpose: str) -> float:
        recent, share = self._recent.get(purpose, self._all), _SHARE
        if len(recent) < _ENOUGH:
            recent, share = self._all, _OTHERS
        return sorted(recent)[int(share * len(recent))]


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
        waited = loop.time() - began
        left = limit() - waited
        if left > 0.0:
            pause = max(_LOOK, waited * _LATER)
            handle = loop.call_later(min(left, pause), look, _TURNS)
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
