"""The page in a browser: a server that goes and comes back, several pages, a run of a terminal."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import browser
from tests.ports import own_port
from tests.web.conftest import SMALL, Site, Sites
from tests.web.looking import looking, run_path, settled, start_with_a_round, state, until


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


@contextmanager
def served(root: Path, port: int) -> Iterator[str]:
    """Serve a folder as the command does; give the address, and stop as Ctrl-C does."""
    words = [sys.executable, "-m", "audience", "serve", "--runs", str(root), "--port", str(port)]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        yield child.stdout.readline().split()[-1].partition("/#")[0]
    finally:
        child.terminate()
        child.wait(150.0)
        if child.stdout is not None:
            child.stdout.close()


def rounds_told(page: Any) -> list[str]:
    told = page.locator(".chapter li").all_inner_texts()
    return sorted(one for one in told if one.endswith("is over"))


def test_a_page_catches_up_when_the_server_is_there_again(
    chromium: Any, sites: Sites, tmp_path: Path
) -> None:
    root = tmp_path / "runs"
    port = own_port()
    with ExitStack() as open_:
        with served(root, port) as address:
            page = open_.enter_context(looking(chromium, address, "#/new", lost=True))
            start_with_a_round(page, SMALL)
        page.get_by_text("Connection lost").wait_for()
        with served(root, port):
            page.get_by_text("Connection lost").wait_for(state="detached")
            for round_ in (2, 3):
                page.get_by_role("button", name="+ round").click()
                page.get_by_text(f"Round {round_} is over").wait_for()
            told = [f"Round {round_} is over" for round_ in (1, 2, 3)]
            settled(page, lambda: rounds_told(page), lambda seen: seen == told)


def test_two_pages_see_the_same(chromium: Any, site: Site) -> None:
    run = site.begin(paused=True)
    with (
        looking(chromium, site.address, run_path(run)) as one,
        looking(chromium, site.address, run_path(run)) as two,
    ):
        one.get_by_role("button", name="+ round").click()
        for page in (one, two):
            page.get_by_text("Round 1 is over").wait_for()
        two.get_by_role("button", name="Play", exact=True).click()
        for page in (one, two):
            until(page, "Finished")
            page.get_by_text("Round 4 is over").wait_for()
        settled(
            one,
            lambda: [page.locator(".state-figures").inner_text() for page in (one, two)],
            lambda texts: texts[0] == texts[1],
        )


def test_a_run_that_is_not_there_is_told_of(chromium: Any, site: Site) -> None:
    with looking(chromium, site.address, run_path("nobody"), lost=True) as page:
        page.get_by_role("alert").get_by_text("there is no run").wait_for()


def test_a_finished_run_of_a_terminal_is_opened_and_goes_on(
    chromium: Any, sites: Sites, tmp_path: Path
) -> None:
    root = tmp_path / "runs"
    words = [sys.executable, "-m", "audience", "run", "--agents", "20", "--rounds", "2"]
    words += ["--recommender", "popular", "--no-report", "--out", str(root / "from-a-terminal")]
    subprocess.run(words, check=True, capture_output=True)
    site = sites(root)
    with looking(chromium, site.address) as page:
        page.get_by_role("link", name="from-a-terminal").click()
        until(page, "Finished")
        page.get_by_role("button", name="More rounds").click()
        page.get_by_label("Rounds to add").fill("1")
        page.get_by_role("button", name="Continue").click()
        page.get_by_text("Round 3 is over").wait_for()
        assert state(page).count() == 1


def test_a_link_opens_what_was_looked_at_and_back_returns(chromium: Any, site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    with looking(chromium, site.address, run_path(run, "people")) as page:
        page.get_by_label("Show").select_option("happy")
        page.get_by_role("button", name="Picks", exact=True).click()
        page.locator("button.person").first.click()
        drawer = page.get_by_role("complementary", name="Person")
        drawer.get_by_role("tab", name="Decisions").click()
        name = drawer.get_by_role("heading", level=2).inner_text()
        link = page.evaluate("location.hash")
        page.go_back()
        drawer.get_by_role("tab", name="Profile", selected=True).wait_for()
        page.go_back()
        drawer.wait_for(state="detached")
        assert page.get_by_label("Show").input_value() == "happy"
        page.go_back()
        page.go_back()
        settled(page, lambda: page.get_by_label("Show").input_value(), lambda value: value == "")
    with looking(chromium, site.address, link) as page:
        drawer = page.get_by_role("complementary", name="Person")
        drawer.get_by_role("tab", name="Decisions", selected=True).wait_for()
        assert drawer.get_by_role("heading", level=2).inner_text() == name
        assert page.get_by_label("Show").input_value() == "happy"
        assert page.locator("th[aria-sort=descending]").inner_text().startswith("Picks")


def test_a_link_leads_to_a_round_and_stays_there_on_other_tabs(chromium: Any, site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    with looking(chromium, site.address, f"{run_path(run)}?round=2&person=1") as page:
        page.get_by_text("Viewing round 2").wait_for()
        page.get_by_role("navigation", name="This run").get_by_text("Measures").click()
        page.get_by_text("Viewing round 2").wait_for()
        page.get_by_role("complementary", name="Person").get_by_text("end of round 2").wait_for()
    with looking(chromium, site.address, f"{run_path(run)}?round=x%zz&person=-1") as page:
        page.get_by_text("Round 4 of 4").wait_for()
        assert not page.get_by_role("complementary", name="Person").count()
