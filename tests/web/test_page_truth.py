"""The page in a browser: what it says stays true when it is left, reopened or lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import browser
from tests.runs.calibration.test_fit import files
from tests.web.conftest import Site, Sites
from tests.web.looking import looking, run_path, settled, until

from audience.llm.fake import Fake

Serving = Callable[..., AbstractContextManager[Fake]]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def legend(page: Any) -> list[int]:
    counts = page.locator(".legend").locator("b").all_inner_texts()
    return [int(one.replace(",", "")) for one in counts]


def test_a_reopened_run_counts_what_people_do_as_the_page_that_watched_it(
    chromium: Any, site: Site
) -> None:
    """So many people that the round is longer than what a page asks for when it opens."""
    everybody = "[activation]\nmethod = 'random'\nshare = 1.0\n"
    run = site.begin(paused=True, toml=f"agents = 1900\nrounds = 1\n{everybody}")
    with looking(chromium, site.address, run_path(run, "watch?view=graph")) as page:
        until(page, "Paused")
        page.get_by_role("button", name="Play", exact=True).click()
        until(page, "Finished")
        doing = [what for _, what in site.ok(f"/runs/{run}/activity")["activity"]]
        assert len(doing) > 1800
        counts = [1900 - len(doing), *(doing.count(what) for what in range(1, 5))]
        settled(page, lambda: legend(page), lambda seen: seen == counts)
        page.reload()
        until(page, "Finished")
        settled(page, lambda: legend(page), lambda seen: seen == counts)


def test_an_address_that_is_cut_short_shows_the_runs(chromium: Any, site: Site) -> None:
    with looking(chromium, site.address, "#/%E0%A4%A") as page:
        page.get_by_text("No runs yet").wait_for()


def test_try_again_opens_a_run_that_was_not_there_before(chromium: Any, site: Site) -> None:
    with looking(chromium, site.address, run_path("one"), lost=True) as page:
        again = page.get_by_role("button", name="Try again")
        again.wait_for()
        site.begin(paused=True)
        again.click()
        until(page, "Paused")


def test_answers_are_there_when_one_comes_back(chromium: Any, site: Site, serving: Serving) -> None:
    with serving() as fake:
        toml = f"agents = 20\nrounds = 1\n[llm]\nurl = '{fake.url}'\nmodel = 'fake'\n"
        run = site.begin(toml=toml)
        site.until(run, "finished")
        with looking(chromium, site.address, run_path(run, "ask")) as page:
            page.get_by_label("Everybody (20)").check()
            page.get_by_label("Question").fill("What did you like?")
            page.get_by_role("button", name="Ask", exact=True).click()
            rows = page.locator(".answers tbody tr")
            settled(page, rows.count, lambda many: many == 20)
            page.get_by_role("link", name="Watch").click()
            page.locator(".legend").wait_for()
            page.get_by_role("link", name="Ask").click()
            settled(page, rows.count, lambda many: many == 20)
            page.get_by_text("What did you like?").first.wait_for()


def test_a_pending_change_is_withdrawn(chromium: Any, site: Site) -> None:
    run = site.begin(paused=True)
    site.ok(f"/runs/{run}/interventions", {"change": {"type": "Announce", "text": "Soon"}})
    with looking(chromium, site.address, run_path(run, "change")) as page:
        page.get_by_role("button", name="Withdraw").click()
        page.get_by_text("Withdrawn.").wait_for()
        page.get_by_text("No changes yet").wait_for()
    assert site.ok(f"/runs/{run}/interventions") == []


def test_a_dataset_that_needs_a_path_asks_for_it(chromium: Any, site: Site, tmp_path: Path) -> None:
    data = files(tmp_path / "tiny")
    with looking(chromium, site.address, "#/new") as page:
        page.get_by_label("People", exact=True).fill("10")
        page.get_by_label("Rounds").fill("1")
        page.get_by_label("Items and people").select_option("recbole")
        page.get_by_label("Folder or file of the data").fill(str(data))
        page.get_by_text("Ready to start.").wait_for()
        page.get_by_label("Name of the run").fill("mine")
        page.get_by_role("button", name="Start", exact=True).click()
        until(page, "Finished")
    assert site.ok("/runs/mine")["scenario"]["dataset"]["kind"] == "recbole"


def test_every_dataset_and_recommender_of_the_form_says_what_it_needs(site: Site) -> None:
    session = site.ok("/session")
    for kind in session["datasets"]:
        reply = site.ok("/scenarios/check", {"form": {"dataset": kind, "agents": 5}})
        needs = session["needs"]["datasets"].get(kind)
        assert needs or reply["ok"] or kind == "held-out", (kind, reply)
    for group in ("datasets", "recommenders", "minds", "memories"):
        assert {kind for kind in session[group] if not session["about"][group].get(kind)} == set()
    assert session["needs"]["recommenders"] == {"http": "url", "mix": "parts"}


def test_a_scenario_that_is_served_is_the_one_that_a_new_run_begins_with(
    chromium: Any, sites: Sites, tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text('title = "My own"\nagents = 12\nrounds = 1\n')
    site = sites(found={"own": own}, begun_with="own")
    with looking(chromium, site.address) as page:
        page.get_by_text("Ready to start.").wait_for()
        assert "My own" in page.get_by_label("Scenario, in TOML").input_value()


def test_two_recommenders_are_compared_without_a_terminal(chromium: Any, site: Site) -> None:
    with looking(chromium, site.address, "#/new") as page:
        page.get_by_label("People", exact=True).fill("60")
        page.get_by_label("Rounds").fill("2")
        page.get_by_label("random", exact=True).check()
        page.get_by_label("Name of the run").fill("both")
        page.get_by_text("Ready to start.").wait_for()
        page.get_by_role("button", name="Start", exact=True).click()
        page.locator(".verdict").wait_for()
        page.get_by_text("6 of 6 finished").wait_for()
        page.locator(".forest tbody tr").first.wait_for()
        page.get_by_role("tab", name="Segments").click()
        page.get_by_text("Satisfaction by segment").wait_for()
        page.get_by_role("tab", name="Report").click()
        page.frame_locator("iframe").get_by_text("All numbers").wait_for()
        page.get_by_role("link", name="Runs", exact=True).click()
        page.get_by_role("link", name="both", exact=True).wait_for()


@pytest.mark.parametrize(
    "tab", "watch measures people calls ask notes part play change branch".split()
)
def test_a_run_is_read_on_a_phone_without_scrolling_sideways(
    chromium: Any, sites: Sites, lived: Path, tab: str
) -> None:
    size = {"width": 390, "height": 844}
    with looking(chromium, sites(lived).address, run_path("done", tab), viewport=size) as page:
        page.locator(".run-body").wait_for()
        page.wait_for_timeout(300)
        for part in ("document.documentElement", "document.querySelector('main')"):
            assert page.evaluate(f"{part}.scrollWidth") == 390


def test_from_the_unhappiest_person_to_the_prompt_of_their_decision(
    chromium: Any, site: Site, serving: Serving
) -> None:
    with serving() as fake:
        toml = f"agents = 12\nrounds = 1\nmind = 'llm'\n[llm]\nurl = '{fake.url}'\nmodel = 'fake'\n"
        run = site.begin(toml=toml)
        site.until(run, "finished")
        with looking(chromium, site.address, run_path(run, "people")) as page:
            page.get_by_label("Show").select_option("Everybody")
            page.get_by_role("button", name="Visits", exact=True).click()
            first = page.locator("tbody tr").first
            settled(page, lambda: first.locator("td").nth(1).inner_text(), lambda seen: seen != "0")
            first.get_by_role("button").click()
            page.get_by_role("tab", name="Decisions").click()
            page.locator(".drawer-body").get_by_role("button", name="prompt").first.click()
            page.get_by_role("heading", name="Prompt and reply").wait_for()
            page.locator(".message.reply").wait_for()


def test_from_the_number_of_calls_to_a_prompt(chromium: Any, site: Site, serving: Serving) -> None:
    with serving() as fake:
        toml = f"agents = 12\nrounds = 1\nmind = 'llm'\n[llm]\nurl = '{fake.url}'\nmodel = 'fake'\n"
        run = site.begin(toml=toml)
        site.until(run, "finished")
        with looking(chromium, site.address, run_path(run)) as page:
            page.locator(".inline-figures").get_by_role("link").first.click()
            page.get_by_label("For").select_option("home")
            page.get_by_role("button", name="prompt and reply").first.click()
            page.locator(".message.reply").wait_for()
