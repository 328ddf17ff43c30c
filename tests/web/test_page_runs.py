"""The list of runs in a browser: grouped, sorted, cloned, compared by scenario, deleted, undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import browser
from tests.web.conftest import SMALL, Site
from tests.web.looking import looking, run_path, settled, until
from tests.web.test_experiments import BOTH, aside

from audience.runs import conduct, start
from audience.scenario import parse


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture
def full(site: Site) -> Site:
    """A site with two runs and an experiment of two."""
    start(parse(SMALL), 1, site.root / "one")
    start(parse(SMALL.replace("agents = 40", "agents = 50")), 1, site.root / "two")
    conduct(parse(BOTH.replace("seeds = 3", "seeds = 1")), site.root / "both")
    return site


def names(page: Any) -> list[str]:
    """Return what is listed, from top to bottom."""
    return [str(text) for text in page.locator(".runs .name-cell a").all_inner_texts()]


def test_runs_are_folded_below_their_experiment_and_sorted(chromium: Any, full: Site) -> None:
    with looking(chromium, full.address, "#/?sort=name") as page:
        settled(page, lambda: names(page), lambda seen: seen == ["both", "one", "two"])
        page.get_by_role("button", name="Runs of both").click()
        inside = ["popular · seed-1", "random · seed-1"]
        settled(page, lambda: names(page), lambda seen: seen == ["both", *inside, "one", "two"])
        page.get_by_role("button", name="People").click()
        settled(page, lambda: names(page), lambda seen: seen[0] == "both")
        assert "sort=people" in page.url
        page.reload()
        settled(page, lambda: names(page), lambda seen: seen[-2:] == ["two", "one"])
        page.get_by_role("button", name="People").click()
        settled(page, lambda: names(page), lambda seen: seen[:2] == ["one", "two"])
        page.locator(".runs .outcome", has_text="Satisfaction: popular").wait_for()
        settled(page, page.locator(".outcome", has_text="satisfied").count, lambda many: many == 4)


def test_an_experiment_that_had_stopped_shows_its_verdict_as_soon_as_it_is_whole(
    chromium: Any, full: Site
) -> None:
    with looking(chromium, full.address, "#/") as page:
        with aside(full.root / "both" / "popular" / "seed-1"):
            page.goto(f"{full.address}/#/experiment/both")
            page.locator(".mark").get_by_text("Stopped", exact=True).wait_for()
            page.get_by_text("No verdict yet").wait_for()
        page.get_by_role("region", name="Verdict").locator(".verdict").wait_for()


def test_a_run_is_deleted_undone_and_restored(chromium: Any, full: Site) -> None:
    with looking(chromium, full.address, "#/?sort=name") as page:
        for id_ in ("one", "both"):
            page.get_by_label(f"Choose {id_}", exact=True).check()
        page.get_by_role("button", name="Delete").click()
        settled(page, lambda: names(page), lambda seen: seen == ["two"])
        page.get_by_role("button", name="Undo").click()
        settled(page, lambda: names(page), lambda seen: len(seen) == 2)
        page.reload()
        page.get_by_role("button", name="Undo").click()
        settled(page, lambda: names(page), lambda seen: seen == ["both", "one", "two"])
        page.get_by_label("Choose two", exact=True).check()
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Trash").click()
        trash = page.get_by_role("dialog", name="Trash")
        trash.get_by_role("button", name="Restore").click()
        trash.get_by_text("The trash is empty").wait_for()
        page.keyboard.press("Escape")
        settled(page, lambda: names(page), lambda seen: seen == ["both", "one", "two"])


def test_a_run_that_is_going_on_is_not_deleted(chromium: Any, site: Site) -> None:
    site.begin(paused=True, name="live")
    with looking(chromium, site.address, refused=True) as page:
        page.get_by_label("Choose live", exact=True).check()
        page.get_by_role("button", name="Delete").click()
        page.get_by_text("stop it first").wait_for()
        assert names(page) == ["live"]


def test_a_clone_says_what_differs_before_it_starts(chromium: Any, full: Site) -> None:
    with looking(chromium, full.address) as page:
        page.get_by_label("Choose two", exact=True).check()
        page.get_by_role("link", name="Clone with changes").click()
        page.get_by_role("heading", name="A run like two").wait_for()
        assert page.get_by_label("People", exact=True).input_value() == "50"
        page.get_by_text("Nothing: it will be lived again in the same way.").wait_for()
        page.get_by_label("Rounds", exact=True).fill("2")
        changes = page.get_by_role("region", name="Changes")
        changes.get_by_role("row", name="run.rounds 4 2").wait_for()
        page.get_by_role("tab", name="Scenario file").click()
        assert "rounds = 2" in page.get_by_label("Scenario, in TOML").input_value()
        changes.get_by_role("row", name="run.rounds 4 2").wait_for()
        page.get_by_label("Name of the run").fill("third")
        page.get_by_role("button", name="Start", exact=True).click()
        until(page, "Finished")
    assert full.ok("/runs/third")["agents"] == 50


def test_what_a_run_was_and_how_two_differ(chromium: Any, full: Site) -> None:
    with looking(chromium, full.address, run_path("one", "scenario")) as page:
        page.locator("pre", has_text="agents = 40").wait_for()
        page.get_by_label("Beside").select_option("two")
        page.get_by_role("row", name="agents 40 50").wait_for()
        assert page.locator(".keys-table tbody tr").count() == 1
        address = page.url
        page.get_by_label("Differences only").uncheck()
        settled(page, page.locator(".keys-table tbody tr").count, lambda many: many > 30)
        page.goto("about:blank")
        page.goto(address)
        page.get_by_role("row", name="agents 40 50").wait_for()


def test_others_neither_delete_nor_upload(chromium: Any, sites: Any, tmp_path: Path) -> None:
    start(parse(SMALL), 1, tmp_path / "runs" / "one")
    site = sites(host="0.0.0.0")
    path = f"#token={site.access.token}"
    with looking(chromium, site.address, path, bypass_csp=True) as page:
        page.get_by_label("Choose one", exact=True).check()
        page.get_by_role("link", name="Clone with changes").wait_for()
        assert page.get_by_role("button", name="Delete").count() == 0
        assert page.get_by_role("button", name="Trash").count() == 0
        page.get_by_role("link", name="New run").first.click()
        page.get_by_text("Ready to start.").wait_for()
        assert page.get_by_text("A recommender of your own").count() == 0
