"""The page in a browser: starting a run, steering it, and watching what happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browsers import browser
from tests.web.conftest import SMALL, Site
from tests.web.looking import figure, looking, run_path, settled, state, until


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def test_a_run_is_started_from_a_form_that_is_checked_as_one_types(
    chromium: Any, site: Site
) -> None:
    with looking(chromium, site.address) as page:
        page.get_by_text("No runs yet").wait_for()
        page.get_by_role("link", name="New run").first.click()
        page.get_by_text("Ready to start.").wait_for()
        page.get_by_label("People", exact=True).fill("none")
        page.get_by_text("Must be a whole number, at least 1").wait_for()
        assert page.get_by_role("button", name="Start", exact=True).is_disabled()
        page.get_by_label("People", exact=True).fill("30")
        page.get_by_label("Rounds").fill("3")
        page.get_by_label("Name of the run").fill("mine")
        page.get_by_text("Ready to start.").wait_for()
        page.get_by_role("button", name="Start", exact=True).click()
        until(page, "Finished")
        assert "/run/mine/" in page.url
        settled(page, lambda: figure(page, "People"), lambda seen: seen == "30")
        page.get_by_role("link", name="Runs", exact=True).click()
        page.get_by_role("link", name="mine", exact=True).wait_for()
    assert site.ok("/runs/mine")["agents"] == 30


def test_a_scenario_with_a_mistake_says_where_it_is(chromium: Any, site: Site) -> None:
    with looking(chromium, site.address, "#/new") as page:
        page.get_by_role("tab", name="Scenario file").click()
        page.get_by_label("Scenario, in TOML").fill('agents = 20\nmind = "sage"\n')
        page.locator(".problems").get_by_text("sage").wait_for()
        assert page.get_by_role("button", name="Start paused").is_disabled()
        page.get_by_label("Scenario, in TOML").fill('agents = 20\nrounds = 2\nmind = "rule"\n')
        page.get_by_text("Ready to start.").wait_for()


def test_play_pause_and_steps(chromium: Any, site: Site) -> None:
    everybody = "[activation]\nmethod = 'random'\nshare = 1.0\n"
    run = site.begin(paused=True, toml=SMALL + everybody)  # so many that a slow run lasts
    with looking(chromium, site.address, run_path(run)) as page:
        until(page, "Paused")
        page.get_by_text("Nothing has happened yet").wait_for()
        page.get_by_role("button", name="+ visit").click()
        page.locator(".chapter:not(.quiet-chapter)").first.wait_for()
        assert page.locator(".chapter:not(.quiet-chapter)").count() == 1
        page.get_by_role("button", name="+ round").click()
        page.get_by_text("Round 1 is over").wait_for()
        until(page, "Paused")
        page.get_by_label("Speed").select_option(label="1 visits/s")
        page.keyboard.press("Escape")
        page.locator("body").press(" ")
        until(page, "Running")
        page.get_by_role("button", name="Pause").click()
        until(page, "Paused")
        page.get_by_label("Speed").select_option(label="full speed")
        page.get_by_role("button", name="Play", exact=True).click()
        until(page, "Finished")
        page.locator(".scrub-told").get_by_text("Round 4 of 4").wait_for()


def test_what_people_do_is_seen_in_every_way(chromium: Any, sites: Any, lived: Any) -> None:
    site = sites(lived)
    with looking(chromium, site.address, run_path("done")) as page:
        page.locator(".story .picked").first.wait_for()
        legend = page.locator(".legend")
        legend.get_by_text("watching").wait_for()
        settled(
            page,
            lambda: [int(one) for one in legend.locator("b").all_inner_texts()],
            lambda counts: sum(counts) == 40 and counts[2] > 0,
        )
        page.get_by_role("tab", name="Pages", exact=True).click()
        picked = page.locator(".slate li.picked").first
        picked.wait_for()
        assert "picked" in picked.inner_text()
        page.get_by_role("tab", name="Dialogues").click()
        page.locator(".bubble").first.wait_for()
        page.get_by_role("tab", name="Posts").click()
        page.locator(".post").first.get_by_text("reached").wait_for()
        page.get_by_role("tab", name="Story").click()
        page.get_by_label("Kind of event").select_option("Rated")
        page.locator(".lines li").get_by_text("★").first.wait_for()
        settled(
            page,
            page.locator(".lines li").all_inner_texts,
            lambda lines: all("★" in one for one in lines),
        )
        page.get_by_label("Words in the story").fill("no such words at all")
        page.get_by_text("No matches").wait_for()


def test_stop_is_clean_and_reset_begins_anew(chromium: Any, site: Site) -> None:
    run = site.begin(paused=True)
    with looking(chromium, site.address, run_path(run)) as page:
        page.get_by_role("button", name="+ round").click()
        page.get_by_text("Round 1 is over").wait_for()
        page.get_by_role("button", name="Stop").click()
        until(page, "Stopped")
        page.get_by_role("button", name="Reset").click()
        page.get_by_role("dialog").get_by_role("button", name="Reset").click()
        page.get_by_text("Nothing has happened yet").wait_for()
        page.get_by_role("button", name="+ round").click()
        page.get_by_text("Round 1 is over").wait_for()
        assert state(page).inner_text() in ("Paused", "Running")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 1)
