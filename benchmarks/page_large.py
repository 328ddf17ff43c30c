"""What the page takes with ten thousand people: opening Measures, travelling to a round, memory."""

from __future__ import annotations

import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from audience.runs import start
from benchmarks.measuring import place, row, scenario, tell
from benchmarks.page import serving
from benchmarks.page_browser import FLAGS

if TYPE_CHECKING:
    from playwright.sync_api import Page

PEOPLE, ROUNDS = 10_000, 20
TRAVELS = (10, 9, 11, 3, 19, 15, 14, 6)
"""Rounds travelled to, one after the other: at a snapshot, far from one, onwards and back."""


def megabytes(pid: int) -> float:
    """Return the most memory that a process has taken so far."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) / 1000


def seconds(act: Callable[[], object], seen: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    seen()
    return time.perf_counter() - began


def measures(page: Page) -> float:
    """Return how long the tab takes until its first table is there."""
    return seconds(
        lambda: page.get_by_role("navigation", name="This run").get_by_text("Measures").click(),
        lambda: page.get_by_role("heading", name="The run so far").wait_for(),
    )


def travelled(page: Page, round_: int) -> float:
    """Return how long it takes until the end of a round is told."""
    to = f"location.hash = location.hash.split('?')[0] + '?round={round_}'"
    return seconds(
        lambda: page.evaluate(to),
        lambda: page.get_by_text(f"Round {round_} is over").first.wait_for(),
    )


def main() -> None:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        print("no Chromium here: the page is not measured", file=sys.stderr)
        tell()
        return
    with place() as folder:
        wanted = scenario(agents=PEOPLE, rounds=ROUNDS, recommender="popular")
        start(wanted, 1, folder / "runs" / "large")
        with serving(folder / "runs") as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(f"{server.address}/#/run/large/watch")
            page.get_by_text(f"Round {ROUNDS} of {ROUNDS}").wait_for()
            first = measures(page)
            page.goto(f"{server.address}/#/run/large/watch")
            travels = [travelled(page, round_) for round_ in TRAVELS]
            browser.close()
            memory = megabytes(server.child.pid)
    what = f"{PEOPLE:,} people, {ROUNDS} rounds"
    usual = statistics.median(travels)
    tell(
        row(f"opening Measures, {what}", f"{first:.2f} s", "2 s", first <= 2.0),
        row(
            f"travelling to a round, {what}",
            f"{usual:.2f} s (median of {len(travels)}, worst {max(travels):.2f} s)",
            "1 s",
            usual <= 1.0,
        ),
        row(f"the server's memory, {what}", f"{memory:.0f} MB at most", "400 MB", memory <= 400.0),
    )


if __name__ == "__main__":
    main()
