"""The page for everybody: no serious barrier, by keyboard alone, in both themes, from 1100 px."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import browser
from tests.web.conftest import Sites
from tests.web.looking import find_person, looking, run_path

from audience.web.server import STATIC

SCREENS = {
    "runs": "#/",
    "new": "#/new",
    "clone": "#/new?like=done",
    "compare": "#/compare/done/done",
    "scenarios": "#/compare/done/done?show=scenario&keys=all",
    "lab": "#/lab",
    "evaluations": "#/lab?show=evaluations",
    "starting": "#/lab?start=study+cocoon",
    "trash": "#/?trash=open",
    **{
        tab: run_path("done", tab)
        for tab in "watch measures ask notes part change branch scenario".split()
    },
}
READY = {
    "runs": "table",
    "new": ".good",
    "clone": ".good",
    "compare": ".interval",
    "scenarios": ".keys-table",
    "lab": ".offer",
    "evaluations": ".offer",
    "starting": "dialog .radios",
    "trash": "dialog .empty",
    "watch": ".story .chapter",
    "notes": ".case",
    "measures": ".plot canvas",
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def barriers(page: Any) -> list[str]:
    """Return the serious barriers that axe-core finds."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:120]} {one['nodes'][0]['failureSummary'][:300]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def barriers_in_both_themes(page: Any) -> list[str]:
    """Return the serious barriers of a page in the dark and in the light."""
    found = []
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.locator(f"html[data-theme={theme}]").wait_for()
        page.evaluate(FADED)
        found += [f"{theme}: {one}" for one in barriers(page)]
    return found


FADED = """Promise.allSettled(document.getAnimations()
    .filter(one => one instanceof CSSTransition).map(one => one.finished))"""


@pytest.mark.parametrize("name", SCREENS)
def test_no_serious_barrier(chromium: Any, sites: Sites, lived: Path, name: str) -> None:
    site = sites(lived)
    with looking(chromium, site.address, SCREENS[name], bypass_csp=True) as page:
        page.locator(READY.get(name, "h2")).first.wait_for()
        assert barriers_in_both_themes(page) == []


def test_no_serious_barrier_before_what_is_opened(chromium: Any, sites: Sites, lived: Path) -> None:
    site = sites(lived)
    with looking(chromium, site.address, run_path("done"), bypass_csp=True) as page:
        find_person(page, str(site.ok("/runs/done/names")["people"][1]))
        page.locator(".drawer .facts").first.wait_for()
        assert barriers_in_both_themes(page) == []
        page.locator("body").press("?")
        page.get_by_role("dialog", name="Keyboard").wait_for()
        assert barriers_in_both_themes(page) == []


def test_all_is_reached_by_keyboard_alone(chromium: Any, sites: Sites, lived: Path) -> None:
    site = sites(lived)
    with looking(chromium, site.address) as page:
        page.get_by_role("link", name="done", exact=True).wait_for()
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "done":
                break
        page.keyboard.press("Enter")
        page.locator(".story .chapter").first.wait_for()
        page.keyboard.press("2")
        page.get_by_role("heading", name="Measures").wait_for()
        page.keyboard.press("1")
        page.locator("canvas").wait_for()
        page.keyboard.press("/")
        page.keyboard.type(str(site.ok("/runs/done/names")["people"][7]))
        page.locator("#find-person-list [role=option]").first.wait_for()
        page.keyboard.press("Enter")
        page.locator(".drawer .facts").first.wait_for()
        page.keyboard.press("Escape")
        page.locator(".drawer").wait_for(state="detached")
        page.locator("canvas").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.locator(".drawer .facts").first.wait_for()


def test_1100_pixels_are_enough(chromium: Any, sites: Sites, lived: Path) -> None:
    site = sites(lived)
    small = {"width": 1100, "height": 700}
    with looking(chromium, site.address, viewport=small) as page:
        for name, path in SCREENS.items():
            page.goto(f"{site.address}/{path}")
            page.locator(READY.get(name, "h2")).first.wait_for()
            wide = (
                "document.scrollingElement.scrollWidth, document.querySelector('main').scrollWidth"
            )
            assert page.evaluate(f"Math.max({wide})") <= 1100, name


def test_the_theme_is_kept(chromium: Any, sites: Sites, lived: Path) -> None:
    site = sites(lived)
    with looking(chromium, site.address, color_scheme="light") as page:
        page.locator("body").press("t")
        page.locator("html[data-theme=dark]").wait_for()
        page.reload()
        page.locator("html[data-theme=dark]").wait_for()


def test_the_page_is_small_and_asks_nobody_else() -> None:
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    texts = {path.name: path.read_text("utf-8") for path in files}
    assert not [name for name, text in texts.items() if "sourceMappingURL" in text]
    index = texts["index.html"]
    assert "http://" not in index
    assert "https://" not in index


def test_sources_write_no_markup_and_name_no_registry() -> None:
    root = Path(__file__).parents[2] / "ui"
    sources = [*root.glob("src/**/*.ts*"), *root.glob("*.json"), root / ".npmrc"]
    for path in sources:
        text = path.read_text("utf-8")
        assert "innerHTML" not in text, path
        assert "dangerouslySet" not in text, path
        assert "registry." not in text, path
