"""Minds that ask a model: seconds, calls and tokens of a round, each answer taking 50 ms."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from audience.runs import Finished
from benchmarks.measuring import place, row, scenario, tell, timed

MIX = {
    "browse": 45,
    "search": 10,
    "friends": 35,
    "close": 10,
    "leave": 60,
    "next_page": 30,
}
"""RecAgent's: 55 % to the recommender (some by searching), 35 % to friends, 10 % nothing."""
ROUNDS = 3


@contextmanager
def server(latency: str = "50ms") -> Iterator[str]:
    """Give the address of a fake model in a process of its own."""
    command = [sys.executable, "-m", "audience.llm.fake", "--latency", latency]
    command += [f"--prefer={word}={weight}" for word, weight in MIX.items()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def lived(url: str, agents: int, rounds: int = ROUNDS) -> Finished:
    wanted = scenario(
        agents=agents,
        rounds=rounds,
        mind="llm",
        llm={"url": url, "model": "fake", "price": "free"},
        activation={"method": "random", "share": 1.0, "loyalty": 0.0},
    )
    with place() as folder:
        return timed(wanted, folder)


def main() -> None:
    with server() as url:
        lived(url, 10, 1)
        small, large = lived(url, 100), lived(url, 1000)
    rows = []
    for done, bar in ((small, 1.0), (large, 4.0)):
        seconds = done.seconds / ROUNDS
        what = f"{done.agents:,} people asking a 50 ms model, all awake"
        rows.append(row(what, f"{seconds:.2f} s a round", f"at most {bar} s", seconds <= bar))
    visits = small.agents * ROUNDS
    calls, tokens = small.spent.calls / visits, small.spent.prompt / visits
    rows.append(row("calls per agent-round", f"{calls:.2f}", "at most 3", calls <= 3.0))
    rows.append(
        row("prompt tokens per agent-round", f"{tokens:,.0f}", "at most 2,200", tokens <= 2200)
    )
    tell(*rows)


if __name__ == "__main__":
    main()
