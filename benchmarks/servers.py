"""Four model servers of different speed, alone and together, while one dies and comes back."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from typing import NamedTuple

from audience.llm import Endpoint, open_gateway
from benchmarks.client import request
from benchmarks.measuring import clock, row, tell

SLOTS = ((8, "50ms"), (4, "50ms"), (4, "100ms"), (2, "100ms"))
"""How many requests each server works on at once, and how long each takes: 300 a second in all."""
AT_ONCE, PEOPLE = 64, 300
"""Calls asked at once, and people whose prompts begin alike: theirs go to the same server."""
WARM, ALONE, PHASE = 2.0, 8.0, 10.0
"""Seconds before anything counts, of each server alone, and of each third of the common run: with
all servers, without the fastest, and again with all of them once it is back."""
BAR = 0.9


class FakeServer:
    """A fake model server in a process of its own, which can be killed and started again."""

    def __init__(self, slots: int, latency: str) -> None:
        self._flags = ["--slots", str(slots), "--latency", latency]
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> None:
        """Start it and return when it listens; the second time at the same address."""
        port = ["--port", self.url.rpartition(":")[2].partition("/")[0]] if self.url else []
        command = [sys.executable, "-m", "audience.llm.fake", *self._flags, *port]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


class Measured(NamedTuple):
    answered: int
    failed: int
    seconds: float
    dead: float
    """Seconds in which the killed server did not listen."""

    @property
    def rate(self) -> float:
        return self.answered / self.seconds


async def measure(servers: list[FakeServer], seconds: float, mortal: FakeServer | None) -> Measured:
    """Ask for some seconds; `mortal` is killed after a third of them and started after another."""
    endpoints = [Endpoint(url=server.url, model="fake", price="free") for server in servers]
    answered = failed = number = 0
    until = clock() + WARM + seconds
    async with open_gateway(endpoints) as door:

        async def work() -> None:
            nonlocal answered, failed, number
            while clock() < until:
                number += 1
                reply = await door.ask(request(number % PEOPLE))
                ended = clock()
                if until - seconds <= ended < until:
                    answered += reply.outcome == "reply"
                    failed += reply.outcome != "reply"

        asking = asyncio.gather(*(work() for _ in range(AT_ONCE)))
        dead = 0.0
        if mortal is not None:
            dead = await _die_and_return(mortal, until - seconds, seconds / 3.0)
        await asking
    return Measured(answered, failed, seconds, dead)


async def _die_and_return(mortal: FakeServer, began: float, phase: float) -> float:
    """Kill a server for a phase and return for how long it did not listen."""
    await asyncio.sleep(began + phase - clock())
    killed = clock()
    mortal.kill()
    await asyncio.sleep(began + 2.0 * phase - clock())
    await asyncio.to_thread(mortal.start)
    return clock() - killed


def main() -> None:
    logging.disable()  # that the server went and came is what happens here
    servers = [FakeServer(*manners) for manners in SLOTS]
    try:
        for server in servers:
            server.start()
        alone = [asyncio.run(measure([server], ALONE, None)).rate for server in servers]
        found = asyncio.run(measure(servers, 3 * PHASE, servers[0]))
    finally:
        for server in servers:
            server.kill()
    possible = sum(alone) * found.seconds - alone[0] * found.dead
    share = found.answered / possible
    each = " + ".join(f"{rate:.0f}" for rate in alone)
    tell(
        row(
            f"four servers of {each} calls/s together for {found.seconds:.0f} s, the fastest dead "
            f"for {found.dead:.1f} s of them",
            f"{share:.1%} of the sum of each alone, {found.failed} failed",
            f"at least {BAR:.0%}, none failed",
            share >= BAR and found.failed == 0,
            kept=("servers", share, "share"),
        )
    )


if __name__ == "__main__":
    main()
