"""What one call costs the client in CPU, at 256 in flight against the fake server."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from audience.llm import ChatMessage, Endpoint, Request, open_gateway
from benchmarks.measuring import clock, place, row, tell

AT_ONCE, CALLS, WARM = 256, 6_000, 2_000
LATENCY = "300ms"
"""Long enough that the server, and not our own core, is what calls wait for."""
SCHEMA = {
    "type": "object",
    "properties": {
        "picks": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
        "feeling": {"type": "string"},
        "next": {"enum": ["page", "leave"]},
    },
    "required": ["picks", "feeling", "next"],
    "additionalProperties": False,
}
STABLE = "You are a person who watches films, with habits, friends and a long memory. " * 30


def request(number: int) -> Request:
    """Return a request of a page: about 700 tokens, of which most are stable."""
    page = " ".join(f"[{item}] Film {item}, a story of people." for item in range(5))
    return Request(
        "page",
        (ChatMessage("system", STABLE), ChatMessage("user", f"Agent {number}. {page}")),
        model="fake",
        schema=SCHEMA,
        salt=f"1/{number}",
    )


def used() -> float:
    times = resource.getrusage(resource.RUSAGE_SELF)
    return times.ru_utime + times.ru_stime


class Measured(NamedTuple):
    cpu: float
    rate: float
    in_flight: float
    failed: int


async def measure(url: str, store: Path) -> Measured:
    """Return CPU milliseconds per call, calls per second, how many flew at once and failed."""
    async with open_gateway([Endpoint(url=url, model="fake", price="free")], store=store) as door:
        numbers = iter(range(WARM + CALLS))

        async def work(until: int) -> None:
            for number in numbers:
                await door.ask(request(number))
                if number >= until:
                    return

        await asyncio.gather(*(work(WARM - AT_ONCE) for _ in range(AT_ONCE)))
        warm, before, began = door.meter.total(), used(), clock()
        await asyncio.gather(*(work(WARM + CALLS) for _ in range(AT_ONCE)))
        door.flush()
        took, total = clock() - began, door.meter.total()
        done = total.calls - warm.calls
        return Measured(
            cpu=1000.0 * (used() - before) / done,
            rate=done / took,
            in_flight=(total.seconds - warm.seconds) / took,
            failed=total.failed,
        )


def main() -> None:
    command = [sys.executable, "-m", "audience.llm.fake", "--latency", LATENCY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, place() as folder:
        try:
            url = str(server.stdout.readline()).strip() if server.stdout else ""
            found = asyncio.run(measure(url, folder / "calls.db"))
        finally:
            server.terminate()
    tell(
        row(
            f"client, {found.in_flight:.0f} in flight, calls stored, {found.rate:,.0f} calls/s",
            f"{found.cpu:.2f} ms CPU per call, {found.failed} failed",
            f"at most 1 ms at {AT_ONCE}",
            found.cpu <= 1.0 and found.failed == 0 and found.in_flight > 0.8 * AT_ONCE,
            kept=("client", found.cpu, "ms"),
        )
    )


if __name__ == "__main__":
    main()
