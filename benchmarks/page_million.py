"""What the page takes to open a run of a million people: each answer of its start, and memory."""

from __future__ import annotations

import asyncio

import aiohttp

from benchmarks.measuring import alone, clock, place, row, tell
from benchmarks.million import PEOPLE
from benchmarks.page import Server, serving
from benchmarks.page_large import megabytes

OPENING = ("/session", "/runs", "/runs/run", "/runs/run/activity")
"""What a page waits for before it shows a run."""
LATER = ("/runs/run/names", "/runs/run/overview", "/runs/run/graph", "/runs/run/people-table")
"""What it asks for then; each part shows when it is here."""


async def answers(server: Server) -> dict[str, tuple[float, float]]:
    """Return the seconds of each answer, and of a core that the server spent on it."""
    found = {}
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        for path in (*OPENING, *LATER):
            began, used = clock(), server.cpu()
            await server.ask(session, path)
            found[path] = clock() - began, server.cpu() - used
    return found


def main() -> None:
    with place() as folder:
        alone("benchmarks.million", "lived", folder)
        with serving(folder) as server:
            found = asyncio.run(answers(server))
            memory = megabytes(server.child.pid) / 1000
    opening = sum(found[path][0] for path in OPENING)
    parts = ", ".join(f"{path.rpartition('/')[2]} {found[path][0]:.1f} s" for path in LATER)
    core = sum(used for _, used in found.values())
    what = f"the page with {PEOPLE:,} people"
    tell(
        row(f"opening {what}", f"{opening:.1f} s", "5 s", opening <= 5.0),
        row(f"its other parts: {parts}", f"{core:.0f} s of a core", "60 s", core <= 60.0),
        row(f"the server's memory, {what}", f"{memory:.1f} GB", "4 GB", memory <= 4.0),
    )


if __name__ == "__main__":
    main()
