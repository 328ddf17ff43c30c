"""Control of a run from outside: play, pause, step, speed, stop, and queued changes.

The run lives in its own thread and asks here before it starts a visit. Callers only set what the
run will find: nothing outside ever waits for the run, and the run waits only for permission.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from audience.agents import Mind
from audience.errors import BadInput
from audience.world import AnyChange, Chapter, View

Hearer = Callable[[Chapter, View], None]
Keep = Callable[[Sequence["Queued"]], None]
MakeMind = Callable[[Mind], Mind]
MOST = 500
"""Visits that start together at full speed; a pause takes effect after that many."""
TICK = 0.1
"""Seconds between the groups of visits started at a limited speed."""
FASTEST = 1_000_000.0
log = logging.getLogger(__name__)


class Queued(msgspec.Struct, frozen=True):
    """A change queued for the opening of a round, and its form in a scenario."""

    round: int
    change: AnyChange
    written: dict[str, Any]


class Steering(msgspec.Struct, frozen=True):
    """The current state of control, and the progress of the run."""

    going: bool
    """Whether visits may start."""
    speed: float
    """Visits per second; 0: full speed."""
    round: int
    visits_done: int
    visits_total: int
    pace: float
    """Measured visits per second since the run last continued; 0: unknown yet."""


class Control:
    """Controls a run; safe to use from any thread."""

    def __init__(self, *, paused: bool = False, speed: float = 0.0, opened: int = 0) -> None:
        """Start paused or not; `opened` is the last round opened by a resumed run."""
        self._lock = threading.Lock()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._playing = not paused
        self._steps = 0
        self._upto = 0
        self._stopping = False
        self._speed = _checked(speed)
        self._next = 0.0
        self._opened = opened
        self._closed = opened
        self._queued: list[Queued] = []
        self._done: list[Queued] = []
        self._minds: dict[int, MakeMind] = {}
        self._hearers: list[Hearer] = []
        self._progress = (opened, 0, 0)
        self._since = (0.0, 0)
        self._visits = 0

    # ── for callers ──

    def play(self) -> None:
        """Continue the run."""
        with self._lock:
            self._set(playing=True)

    def pause(self) -> None:
        """Start no further visits; those in progress finish."""
        with self._lock:
            self._set(playing=False)

    def step_visit(self) -> None:
        """Run one more visit or conversation, then pause."""
        with self._lock:
            self._set(playing=False, steps=self._steps + 1)

    def step_round(self) -> None:
        """Continue to the end of the open round, or of the next one, then pause."""
        with self._lock:
            self._set(playing=False, upto=max(self._upto, self._closed) + 1)

    def stop(self) -> None:
        """Stop the run at its next commit point."""
        with self._lock:
            self._stopping = True
            self._wake()

    def set_speed(self, speed: float) -> None:
        """Start that many visits per second; 0: full speed."""
        with self._lock:
            self._speed, self._next = _checked(speed), 0.0
            self._wake()

    def queue(self, change: AnyChange, written: dict[str, Any]) -> int:
        """Queue a change for the opening of the next round, and return that round."""
        with self._lock:
            round_ = self._opened + 1
            self._queued.append(Queued(round_, change, {**written, "round": round_}))
            return round_

    def withdraw(self, place: int) -> bool:
        """Take back a queued change; return False if it is not there any more."""
        with self._lock:
            if not 0 <= place < len(self._queued):
                return False
            del self._queued[place]
            return True

    @property
    def next_round(self) -> int:
        """The round in which a queued change would be made."""
        return self._opened + 1

    @property
    def pending(self) -> tuple[Queued, ...]:
        return tuple(self._queued)

    @property
    def made(self) -> tuple[Queued, ...]:
        """The queued changes that have happened."""
        return tuple(self._done)

    def seat(self, agent: int, make: MakeMind) -> None:
        """Give an agent a mind of its own from the next round on; it then comes every round.

        `make` receives the mind that the agent would otherwise have.
        """
        with self._lock:
            self._minds[agent] = make

    def unseat(self, agent: int) -> None:
        with self._lock:
            self._minds.pop(agent, None)

    def listen(self, hearer: Hearer) -> None:
        """Call a listener with each chapter, in the run's thread; one that raises is removed."""
        with self._lock:
            self._hearers = [*self._hearers, hearer]

    @property
    def steering(self) -> Steering:
        with self._lock:
            round_, done, total = self._progress
            began, before = self._since
            seconds = time.monotonic() - began if began else 0.0
            pace = (self._visits - before) / seconds if seconds > 0.5 else 0.0
            return Steering(self._is_going, self._speed, round_, done, total, pace)

    # ── for the run ──

    @property
    def stopping(self) -> bool:
        return self._stopping

    @property
    def is_free(self) -> bool:
        """Whether visits start at full speed, and not step by step."""
        with self._lock:
            return self._is_going and not self._steps and not self._speed

    async def may_open(self) -> bool:
        """Wait until a round may start; return False if the run shall stop instead."""
        while True:
            with self._lock:
                if self._stopping:
                    return False
                if self._is_going:
                    return True
                woken = self._listening()
            await woken.wait()

    async def allowed(self, most: int) -> int:
        """Wait until visits may start; return how many, 0 if the run shall stop instead."""
        while True:
            with self._lock:
                if self._stopping:
                    return 0
                count, seconds = self._count(most)
                if count:
                    return count
                woken = self._listening()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await woken.wait()

    def open(self, round_: int, keep: Keep) -> tuple[AnyChange, ...]:
        """Open a round: return the changes queued for it, after `keep` has stored them."""
        with self._lock:
            due = [queued for queued in self._queued if queued.round <= round_]
            if due:
                keep(due)
            self._queued = [queued for queued in self._queued if queued.round > round_]
            self._done += due
            self._opened = round_
            return tuple(queued.change for queued in due)

    def close(self, round_: int) -> None:
        """Note that a round has ended."""
        with self._lock:
            self._opened = max(self._opened, round_)
            self._closed = round_
            if self._upto <= round_:
                self._upto = 0

    def reopen(self, round_: int) -> None:
        """Note that a round continues which had been opened before."""
        with self._lock:
            self._opened, self._closed = round_, round_ - 1

    def seated(self) -> Mapping[int, MakeMind]:
        with self._lock:
            return dict(self._minds)

    def advance(self, round_: int, done: int, total: int) -> None:
        """Note how many visits of a round are done."""
        with self._lock:
            before = self._progress
            self._visits += max(done - before[1], 0) if round_ == before[0] else done
            self._progress = (round_, done, total)
            if not self._since[0]:
                self._since = (time.monotonic(), self._visits)

    def tell(self, chapter: Chapter, world: View) -> None:
        for hearer in self._hearers:
            try:
                hearer(chapter, world)
            except Exception:
                log.exception("a listener of the run raised an exception and was removed")
                with self._lock:
                    self._hearers = [other for other in self._hearers if other is not hearer]

    # ── inside the lock ──

    @property
    def _is_going(self) -> bool:
        return self._playing or self._steps > 0 or self._upto > self._closed

    def _count(self, most: int) -> tuple[int, float | None]:
        """Return how many visits may start now, or how long to wait before asking again."""
        if not (self._playing or self._upto > self._closed):
            count = min(most, self._steps)
            self._steps -= count
            return count, None
        if not self._speed:
            return min(most, MOST), None
        now = time.monotonic()
        if now < self._next:
            return 0, self._next - now
        count = min(most, max(1, int(self._speed * TICK)))
        # Late starts are caught up, but by no more than a few groups.
        self._next = max(self._next, now - 5 * TICK) + count / self._speed
        return count, None

    def _set(self, *, playing: bool, steps: int = 0, upto: int = 0) -> None:
        self._playing, self._steps, self._upto = playing, steps, upto
        self._next, self._since = 0.0, (0.0, 0)
        self._wake()

    def _listening(self) -> asyncio.Event:
        woken = asyncio.Event()
        self._waiting.append((asyncio.get_running_loop(), woken))
        return woken

    def _wake(self) -> None:
        for loop, woken in self._waiting:
            with suppress(RuntimeError):  # the run has ended meanwhile, and its loop with it
                loop.call_soon_threadsafe(woken.set)
        self._waiting.clear()


def _checked(speed: float) -> float:
    if not 0.0 <= speed <= FASTEST:
        raise BadInput(f"speed {speed:g} is not a number of visits a second; 0 means full speed")
    return speed
