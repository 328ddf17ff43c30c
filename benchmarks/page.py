"""What the page costs: the server's share of a core, and how much fifty pages slow a run."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp

from benchmarks.measuring import clock, place, row, tell

PEOPLE, PAGES = 1_000, 50
PACED, SECONDS = 500.0, 8.0
"""Visits a second and seconds of the measurement at ten updates a second."""
ROUNDS, TRIES = 60, 5
"""Rounds of a run at full speed, and how many pairs of runs with and without pages there are."""
_ADDRESS = re.compile(r"Audience is at (http://[^/]+)/#token=(\S+)")
_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A server in a process of its own, and one who steers it."""

    def __init__(self, child: subprocess.Popen[str], address: str, token: str) -> None:
        self.child, self.address, self.token = child, address, token

    def cpu(self) -> float:
        """Return the seconds of a core that it has used."""
        fields = Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    async def ask(self, session: aiohttp.ClientSession, path: str, body: object = None) -> Any:  # noqa: ANN401
        headers = {"x-audience-token": self.token}
        method = "GET" if body is None else "POST"
        url = f"{self.address}/api{path}"
        async with session.request(method, url, json=body, headers=headers) as answer:
            found = await answer.json()
            assert answer.status < 300, found
            return found


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    words = [sys.executable, "-m", "audience", "serve", "--port", "0", "--runs", str(folder)]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        found = _ADDRESS.match(child.stdout.readline())
        assert found
        yield Server(child, found[1], found[2])
    finally:
        child.send_signal(signal.SIGINT)
        child.wait(60)


class Page:
    """One who reads a stream and counts, with as little work as can be: it shares the machine."""

    def __init__(self) -> None:
        self.received = self.updates = 0

    async def read(self, session: aiohttp.ClientSession, url: str) -> None:
        async with session.get(url) as answer:
            async for chunk in answer.content.iter_any():
                self.received += len(chunk)
                self.updates += chunk.count(b"\nevent: state\n") + chunk.startswith(b"event: state")


@contextmanager
def pages(session: aiohttp.ClientSession, url: str, count: int) -> Iterator[list[Page]]:
    made = [Page() for _ in range(count)]
    tasks = [asyncio.create_task(page.read(session, url)) for page in made]
    try:
        yield made
    finally:
        for task in tasks:
            task.cancel()


async def begun(server: Server, session: aiohttp.ClientSession, name: str, rounds: int) -> str:
    form = {"agents": PEOPLE, "rounds": rounds}
    body = {"form": form, "name": name, "paused": True}
    return str((await server.ask(session, "/runs", body))["id"])


async def paced(server: Server, session: aiohttp.ClientSession, count: int) -> tuple[float, Page]:
    """Return the CPU of the whole process for a run at a steady pace, and one of its pages."""
    run = await begun(server, session, f"paced-{count}", 10_000)
    with pages(session, f"{server.address}/api/runs/{run}/stream", count) as open_:
        await server.ask(session, f"/runs/{run}/control", {"do": "play", "speed": PACED})
        await asyncio.sleep(1.0)
        before = server.cpu()
        seen = open_[0].updates if open_ else 0
        await asyncio.sleep(SECONDS)
        used = (server.cpu() - before) / SECONDS
        await server.ask(session, f"/runs/{run}/control", {"do": "stop"})
        page = open_[0] if open_ else Page()
        page.updates -= seen
    return used, page


async def full(
    server: Server, session: aiohttp.ClientSession, count: int, name: str
) -> tuple[float, float]:
    """Return how long a run takes at full speed before so many pages, and the server's CPU."""
    run = await begun(server, session, name, ROUNDS)
    with pages(session, f"{server.address}/api/runs/{run}/stream", count) as open_:
        await asyncio.sleep(1.0)
        began, used = clock(), server.cpu()
        await server.ask(session, f"/runs/{run}/control", {"do": "play"})
        while (await server.ask(session, f"/runs/{run}"))["state"] != "finished":
            await asyncio.sleep(0.1)
        seconds, used = clock() - began, server.cpu() - used
        assert all(page.received for page in open_)
    return seconds, used


async def pair(
    server: Server, session: aiohttp.ClientSession, turn: int
) -> tuple[float, float, float, float]:
    """Return seconds alone and before pages, then CPU alone and before pages.

    Whoever goes first changes from pair to pair, so that neither has the warmer machine.
    """
    found: dict[int, tuple[float, float]] = {}
    for count in ((0, PAGES), (PAGES, 0))[turn % 2]:
        found[count] = await full(server, session, count, f"full-{count}-{turn}")
    return found[0][0], found[PAGES][0], found[0][1], found[PAGES][1]


async def measured(server: Server) -> None:
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(
        connector=connector, timeout=timeout, read_bufsize=2**22
    ) as session:
        alone, _ = await paced(server, session, 0)
        watched, page = await paced(server, session, 1)
        pairs = [await pair(server, session, turn) for turn in range(TRIES)]
    share = max(watched - alone, 0.0)
    alone_s, pages_s, alone_cpu, pages_cpu = (min(one) for one in zip(*pairs, strict=True))
    slower = pages_s / alone_s - 1.0
    more = pages_cpu / alone_cpu - 1.0
    typical = median(two / one for one, two, _, _ in pairs) - 1.0
    rate = page.updates / SECONDS
    tell(
        row(
            f"server's share of a core, {PEOPLE:,} people, {rate:.1f} updates/s",
            f"{share:.1%} (the run itself {alone:.1%})",
            "< 10 %",
            share < 0.10,
        ),
        row(
            f"{PAGES} pages slow a run at full speed by",
            f"{slower:+.1%}, best of {TRIES} each ({alone_s:.2f} s alone, {pages_s:.2f} s; "
            f"median of pairs {typical:+.1%}; "
            f"CPU {more:+.1%}: {alone_cpu:.2f} s, {pages_cpu:.2f} s)",
            "< 10 %",
            slower < 0.10,
        ),
    )


def main() -> None:
    with place() as folder, serving(folder) as server:
        asyncio.run(measured(server))


if __name__ == "__main__":
    main()
