"""The page in a browser, printed: light, without what is clicked, and nothing cut off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browsers import browser
from tests.web.conftest import Site
from tests.web.looking import looking, run_path, settled

PAPER = {"width": 720, "height": 1000}
READ = {"measures": "The run so far", "people": "People", "watch": "State"}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.mark.parametrize("tab", READ)
def test_a_printed_screen_is_light_whole_and_without_buttons(
    chromium: Any, site: Site, tab: str
) -> None:
    run = site.begin()
    site.until(run, "finished")
    with looking(chromium, site.address, run_path(run, tab)) as page:
        page.evaluate("localStorage.setItem('audience-theme', 'dark')")
        page.reload()
        page.get_by_role("heading", name=READ[tab], exact=True).first.wait_for()
        page.set_viewport_size(PAPER)
        page.emulate_media(media="print")
        theme = "document.documentElement.dataset.theme"
        settled(page, lambda: page.evaluate(theme), lambda found: found == "light")
        for role in ("navigation", "tablist"):
            assert not [one for one in page.get_by_role(role).all() if one.is_visible()]
        assert not page.get_by_role("button", name="Play", exact=True).is_visible()
        wide = "document.documentElement.scrollWidth"
        settled(page, lambda: page.evaluate(wide), lambda found: found <= PAPER["width"])
        high = "document.documentElement.scrollHeight > innerHeight"
        assert page.evaluate(high), "what is longer than the screen must go on, not scroll in a box"
        page.emulate_media(media="screen")
        settled(page, lambda: page.evaluate(theme), lambda found: found == "dark")
