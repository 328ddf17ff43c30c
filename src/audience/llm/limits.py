"""How many calls an endpoint bears at once, found by watching it. Pure: no clock, no waiting."""

from __future__ import annotations

from collections import deque
from statistics import median

from audience.llm.kinds import Reply
from audience.llm.tried import Tried

FIRST = 32
_BLOCK = 16
_RECENT, _ENOUGH = 32, 20
"""Outcomes that errors and throttling are judged by, and the fewest that errors need."""
_STRAY = 0.125
"""The share of throttled calls below which they say little about the limit."""
_STEP = 20
"""Good calls that the limit grows by one for, once it was found."""
_HOLD, _RISEN = 2.0, 3.0
"""Growth ends where calls take twice as long as at best; three times as long shrinks."""
_NOTICED = 0.1
"""Seconds; what rises by less is the noise of our own machine."""
_FORGET = 1.01


class Pace:
    """How long calls of one purpose take, against the best that was seen."""

    def __init__(self) -> None:
        self.ratio = 1.0
        self._best = float("inf")
        self._recent: list[float] = []

    def note(self, seconds: float) -> None:
        """Take in one call; the verdict changes with every full block."""
        self._recent.append(seconds)
        if len(self._recent) < _BLOCK:
            return
        now = median(self._recent)
        self._recent.clear()
        # The best fades slowly, so that a lasting change becomes the measure.
        self._best = min(self._best * _FORGET, now)
        risen = now - self._best > _NOTICED
        self.ratio = now / self._best if risen else 1.0


class Limit:
    """The number of calls allowed at once.

    It grows while more than half of it is used and calls do not take longer. Only throttling,
    rising latency or a majority of errors shrinks it; a single error never does.
    """

    def __init__(self, most: int = 256, first: int = FIRST) -> None:
        self.most = most
        self.allowed = max(1, min(first, most))
        self.flying = 0
        self._begun = 0
        self._cut = 0
        self._swelling = True
        self._good = 0
        self._failed: deque[bool] = deque(maxlen=_RECENT)
        self._throttled: deque[bool] = deque(maxlen=_RECENT)
        self._paces: dict[str, Pace] = {}

    def begin(self) -> int:
        """Count a call in and return its ticket."""
        self.flying += 1
        self._begun += 1
        return self._begun

    def drop(self) -> None:
        """Count a call out that tells nothing, such as one that was given up."""
        self.flying -= 1

    def end(self, ticket: int, purpose: str, reply: Reply) -> None:
        """Count a call out and learn from it."""
        was_used = self.flying * 2 >= self.allowed
        self.flying -= 1
        # What began before the last cut says nothing about the limit since then.
        since_cut = ticket > self._cut
        throttled = isinstance(reply, Tried) and reply.throttled
        self._throttled.append(throttled)
        if throttled:
            share = sum(self._throttled) / len(self._throttled)
            if since_cut and share >= _STRAY:
                self._shrink(1.0 - min(0.5, share), swell=False)
        elif reply.outcome in ("timeout", "unreadable") or _is_fault(reply):
            self._failed.append(True)
            seen = len(self._failed)
            if since_cut and seen >= _ENOUGH and sum(self._failed) * 2 > seen:
                self._failed.clear()
                self._shrink(0.5, swell=True)
        else:
            self._failed.append(False)
            self._learn(purpose, reply.seconds, since_cut, was_used)

    def _learn(self, purpose: str, seconds: float, since_cut: bool, was_used: bool) -> None:
        pace = self._paces.setdefault(purpose, Pace())
        pace.note(seconds)
        if pace.ratio > _RISEN:
            if since_cut:
                pace.ratio = 1.0
                self._shrink(0.8, swell=False)
        elif was_used and pace.ratio <= _HOLD:
            self._good += 1
            if self._swelling or self._good >= min(self.allowed, _STEP):
                self._good = 0
                self.allowed = min(self.most, self.allowed + 1)

    def _shrink(self, factor: float, *, swell: bool) -> None:
        self.allowed = max(1, int(self.allowed * factor))
        self._cut = self._begun
        self._good = 0
        self._swelling = swell


def _is_fault(reply: Reply) -> bool:
    return isinstance(reply, Tried) and reply.outcome == "error" and reply.again
