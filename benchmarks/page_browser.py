"""What the page costs a browser: first paint, bytes, and its processor time while people come."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING

from benchmarks.measuring import place, row, tell
from benchmarks.page import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page

FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
PEOPLE, SECONDS, SPEED = 1_000, 15.0, 100
"""A hundred visits a second come in ten updates a second."""
SCENARIO = f"agents = {PEOPLE}\nrounds = 60\nrecommender = 'popular'\n"
START = """async ([toml, speed]) => {
  const { token } = await (await fetch("/api/session")).json();
  const headers = { "X-Audience-Token": token, "Content-Type": "application/json" };
  const ask = async (path, body) => {
    const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    return answer.json();
  };
  const { id } = await ask("/api/runs", { toml, name: "measured", paused: true });
  await ask(`/api/runs/${id}/control`, { do: "speed", speed });
  return id;
}"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
SIZE = """["resource", "navigation"].flatMap((kind) => performance.getEntriesByType(kind))
  .filter((one) => !one.name.includes("/api/"))
  .reduce((sum, one) => sum + one.decodedBodySize, 0)"""
NEWEST = "(run) => fetch(`/api/runs/${run}`).then((one) => one.json()).then((one) => one.n)"


def spent(devtools: CDPSession) -> float:
    """Return the processor time of all processes of the browser."""
    found = devtools.send("SystemInfo.getProcessInfo")["processInfo"]
    return float(sum(one["cpuTime"] for one in found))


def first_paint(browser: Browser, address: str) -> tuple[float, int]:
    """Return when the page first paints, the best of five, and its bytes."""
    times = []
    for _ in range(5):
        page = browser.new_page()
        page.goto(f"{address}/#/")
        page.get_by_role("heading", name="Runs").wait_for()
        times.append(float(page.evaluate(PAINT)))
        size = int(page.evaluate(SIZE))
        page.close()
    return min(times), size


def watching(browser: Browser, address: str) -> tuple[float, float]:
    """Return the share of a core the browser takes, and updates a second, while a run goes on."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}/#/")
    run = page.evaluate(START, [SCENARIO, SPEED])
    page.goto(f"{address}/#/run/{run}/watch")
    page.get_by_role("button", name="Play", exact=True).click()
    time.sleep(10.0)  # people are placed, once
    devtools = browser.new_browser_cdp_session()
    before, began, done = spent(devtools), time.monotonic(), visits(page, run)
    time.sleep(SECONDS)
    took = time.monotonic() - began
    share = (spent(devtools) - before) / took
    rate = (visits(page, run) - done) / took
    page.close()
    return share, rate


def visits(page: Page, run: str) -> int:
    return int(page.evaluate(NEWEST, run))


def main() -> None:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        print("no Chromium here: the page is not measured", file=sys.stderr)
        tell()
        return
    with place() as folder, serving(folder / "runs") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        paint, size = first_paint(browser, server.address)
        share, rate = watching(browser, server.address)
        browser.close()
    tell(
        row("first paint of the page", f"{paint:.0f} ms", "800 ms", paint <= 800),
        row("the page, unpacked", f"{size / 1000:.0f} kB", "1 MB", size <= 1_000_000),
        row(
            f"browser watching {PEOPLE:,} people, {rate:.0f} chapters/s in 10 updates/s",
            f"{share:.0%} of a core",
            "40 %",
            share <= 0.4,
        ),
    )


if __name__ == "__main__":
    main()
