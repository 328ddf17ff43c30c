"""A run of 200 people with language minds and memory, a fifth of whose replies is hostile.

The server is a process of its own, so that its memory is not the run's. The clean run and the
hostile one meet the same server with the same latency, one after the other.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from audience.runs import Finished, start
from audience.scenario import parse
from benchmarks.measuring import clock, peak_gigabytes, place, row, tell

PEOPLE, ROUNDS = 200, 3
SHARE = 0.2
LATENCY = (0.5, 1.5)
SLOWER, LARGEST = 1.6, 1.0
"""The bars: times the clean run, and GB of memory."""
ALL_AT_ONCE = "overall = 15.0\nconcurrency = 256\n[activation]\nmethod = 'random'\nshare = 1.0\n"
ENORMOUS = "large endless endless-chunks gzip-bomb deflate-bomb model-long choices-many"
_SERVE = """
import asyncio, sys
from tests.chaos.hostile import Hostile
from tests.chaos.kinds import KINDS, bomb

for name in ("gzip", "deflate"):
    bomb(name)  # which takes a second

async def serve(share, least, most, names):
    kinds = {name: KINDS[name] for name in names or KINDS}
    async with Hostile(float(share), kinds, latency=(float(least), float(most))) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()

share, least, most, *names = sys.argv[1:]
asyncio.run(serve(share, least, most, names))
"""


@contextmanager
def served(share: float, names: str = "") -> Iterator[str]:
    """Give the address of a server in a process of its own, with some kinds or all."""
    latency = (0.0, 0.0) if names else LATENCY
    words = [sys.executable, "-c", _SERVE, str(share), *map(str, latency), *names.split()]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.communicate()


def lived(
    share: float, folder: Path, names: str = "", more: str = "", rounds: int = ROUNDS
) -> tuple[Finished, float]:
    """Return a run against a server, and the seconds that it took."""
    with served(share, names) as url:
        scenario = parse(
            f'agents = {PEOPLE}\nrounds = {rounds}\nrecommender = "popular"\nmind = "llm"\n'
            f'memory = "recagent"\n[llm]\nurl = "{url}"\nmodel = "hostile"\nprice = "free"\n'
            f"{more}"
        )
        began = clock()
        done = start(scenario, 1, folder)
        return done, clock() - began


def main() -> None:
    """Measure and tell."""
    logging.disable(logging.WARNING)
    with place() as folder:
        _, clean = lived(0.0, folder / "clean")
        done, hostile = lived(SHARE, folder / "hostile")
        lived(1.0, folder / "enormous", ENORMOUS, ALL_AT_ONCE, 1)
    summary = done.summary
    failed, calls = summary["failed_calls"], summary["calls"]
    counted = sum(done.spent.outcomes.values()) == calls
    peak = peak_gigabytes()
    tell(
        row(
            f"{PEOPLE} language minds, {SHARE:.0%} hostile replies: seconds, clean and hostile",
            f"{clean:.1f}, {hostile:.1f}: {hostile / clean:.2f} times; {failed} of {calls} failed",
            f"{SLOWER} times, each failure counted",
            hostile <= SLOWER * clean and counted,
        ),
        row(
            "peak memory of these runs, and of one to which all replies are enormous",
            f"{peak:.2f} GB",
            f"{LARGEST} GB",
            peak <= LARGEST,
        ),
    )


if __name__ == "__main__":
    main()
