"""Looking at a served page in a real browser; every error and every foreign request counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_LOST = ("ERR_", "401", "404")
"""What a browser says of a server that is gone, or there again with another token."""
_REFUSED = ("status of 400", "status of 409")
"""What it says of a request that the server refuses, as the page then tells."""
SOON = 120_000
"""Milliseconds that something on the page may take on a busy machine."""


@contextmanager
def looking(
    chromium: Any,
    address: str,
    path: str = "#/",
    *,
    lost: bool = False,
    refused: bool = False,
    **context: Any,
) -> Iterator[Any]:
    """Open a page in a browser of its own.

    `lost` says that the server goes away meanwhile, `refused` that it refuses something.
    """
    given: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "accept_downloads": True}
    browsing = chromium.new_context(**{**given, **context})
    browsing.set_default_timeout(SOON)
    page = browsing.new_page()
    bad: list[str] = []
    ours = (address, "blob:", "data:")
    page.on("request", lambda one: None if one.url.startswith(ours) else bad.append(one.url))
    page.on("pageerror", lambda error: bad.append(str(error)))
    page.on(
        "console",
        lambda said: (
            bad.append(f"{said.text} {said.location['url']}") if said.type == "error" else None
        ),
    )
    page.goto(f"{address}/{path}")
    try:
        yield page
    finally:
        browsing.close()
    excused = (_LOST if lost else ()) + (_REFUSED if refused else ())
    bad = [one for one in bad if not any(word in one for word in excused)]
    assert bad == [], bad


def run_path(run: str, tab: str = "watch") -> str:
    return f"#/run/{run}/{tab}"


def state(page: Any) -> Any:
    """Return where the page says how the run stands."""
    return page.locator(".control .mark")


def until(page: Any, words: str) -> None:
    """Wait until the run stands like that."""
    state(page).get_by_text(words, exact=True).wait_for()


def settled(page: Any, look: Callable[[], Any], fits: Callable[[Any], bool]) -> Any:
    """Return what is seen once it is as it shall be."""
    for _ in range(SOON // 100):
        if fits(found := look()):
            return found
        page.wait_for_timeout(100)
    raise AssertionError(f"it never came to that: {look()}")


def start_with_a_round(page: Any, toml: str) -> None:
    """Start a run from a scenario, on the screen for new ones, and let it live one round."""
    page.get_by_role("tab", name="Scenario file").click()
    page.get_by_label("Scenario, in TOML").fill(toml)
    page.get_by_role("button", name="Start paused").click()
    until(page, "Paused")
    page.get_by_role("button", name="+ round").click()
    page.get_by_text("Round 1 is over").wait_for()


def figure(page: Any, label: str) -> str:
    """Return a figure of the state panel."""
    found = page.locator(".state-figures > div").filter(has_text=label).locator("dd").first
    return str(found.inner_text())


def find_person(page: Any, name: str, field: str = "find-person") -> None:
    """Type a name and take the first who has it."""
    page.fill(f"#{field}", name)
    page.locator(f"#{field}-list [role=option]").first.get_by_text(name).wait_for()
    page.press(f"#{field}", "Enter")
