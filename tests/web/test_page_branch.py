"""The page in a browser: travelling, branching, comparing, measuring, judging."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import browser
from tests.web.conftest import SMALL, Site, Sites
from tests.web.looking import looking, run_path, settled


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def counts(page: Any) -> list[int]:
    """Return how many people the legend counts of each kind."""
    return [int(one) for one in page.locator(".legend b").all_inner_texts()]


def test_one_travels_to_a_round_and_comes_back(chromium: Any, sites: Sites, lived: Path) -> None:
    site = sites(lived)
    with looking(chromium, site.address, run_path("done")) as page:
        page.locator(".story .chapter").first.wait_for()
        page.keyboard.press("[")
        page.keyboard.press("[")
        page.locator(".scrub-told").get_by_text("Viewing round 2").wait_for()
        page.get_by_text("Round 2 is over").wait_for()
        page.get_by_text("Round 4 is over").wait_for(state="detached")
        settled(page, lambda: counts(page), lambda seen: sum(seen) == 40 and seen[0] < 40)
        page.get_by_role("tab", name="Pages", exact=True).click()
        page.locator(".slate").first.get_by_text("round 2").wait_for()
        page.get_by_role("tab", name="Story").click()
        page.keyboard.press("l")
        page.get_by_text("Round 4 is over").wait_for()


def test_a_branch_is_made_and_seen_beside_its_parent(chromium: Any, site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    with looking(chromium, site.address, run_path(run, "branch")) as page:
        page.get_by_label("Recommender", exact=True).select_option("random")
        page.get_by_role("button", name="Add to the branch").click()
        page.locator(".changes").get_by_text("random").wait_for()
        page.get_by_label("Name of the branch").fill("what-if")
        page.get_by_role("button", name="Branch and compare").click()
        page.get_by_role("button", name="Play what-if").click()
        first = page.get_by_role("region", name="First difference")
        page.get_by_text("After 4 rounds completed by both").wait_for()
        first.get_by_text("Round 3").wait_for()
        table = page.get_by_role("region", name="Metrics")
        table.get_by_text("Satisfaction").first.wait_for()
        settled(page, table.locator("tbody tr").first.inner_text, lambda seen: " to " in seen)
        page.get_by_role("region", name="Picks").get_by_text("only here").first.wait_for()
        page.get_by_role("region", name="Round by round").locator(".plot canvas").first.wait_for()
    assert site.ok("/runs/what-if")["parent"]


def test_something_is_announced_half_way_and_compared_since_the_branch(
    chromium: Any, site: Site
) -> None:
    run = site.begin()
    site.until(run, "finished")
    with looking(chromium, site.address, run_path(run, "branch")) as page:
        page.get_by_label("What changes from then on").select_option(label="An announcement")
        page.get_by_label("Text", exact=False).first.fill("Half of all films leave on Friday.")
        page.get_by_role("button", name="Add to the branch").click()
        page.locator(".changes").get_by_text("Half of all films").wait_for()
        page.get_by_label("Name of the branch").fill("told")
        page.get_by_role("button", name="Branch and compare").click()
        page.get_by_role("button", name="Play told").click()
        page.get_by_text("numbers are of rounds 3 to 4, since the branch").wait_for()
        visits = (
            page.get_by_role("region", name="Metrics")
            .get_by_role("row")
            .filter(has=page.get_by_role("rowheader", name="Visits"))
        )
        late = visits.first.inner_text()
        page.get_by_label("Only the rounds since the branch").click()
        settled(page, visits.first.inner_text, lambda seen: seen != late)
        assert "span=whole" in page.evaluate("location.hash")
        page.go_back()
        page.get_by_text("numbers are of rounds 3 to 4, since the branch").wait_for()


def test_a_branch_that_changes_nothing_is_the_same(chromium: Any, site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    with looking(chromium, site.address, run_path(run, "branch")) as page:
        page.get_by_label("What changes from then on").select_option(
            label="Nothing (the same run again)"
        )
        page.get_by_role("button", name="Branch and compare").click()
        page.get_by_role("button", name="Play").click()
        page.get_by_text("After 4 rounds completed by both").wait_for()
        page.get_by_text("both runs are identical so far").wait_for()


def test_numbers_are_drawn_and_can_be_taken_away(
    chromium: Any, sites: Sites, lived: Path, tmp_path: Path
) -> None:
    site = sites(lived)
    with looking(chromium, site.address, run_path("done", "measures")) as page:
        page.get_by_role("slider", name="Satisfaction by round").wait_for()
        settled(page, page.locator(".chart").count, lambda charts: charts > 20)
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save Ratings given as PNG").click()
        saved.value.save_as(tmp_path / "ratings.png")
        assert (tmp_path / "ratings.png").read_bytes()[:4] == b"\x89PNG"
        with page.expect_download() as table:
            page.get_by_role("link", name="CSV").click()
        table.value.save_as(tmp_path / "metrics.csv")
        assert (tmp_path / "metrics.csv").read_text().startswith("round,")
        with page.expect_popup() as report:
            page.get_by_role("link", name="Report").click()
        report.value.get_by_text("Small").first.wait_for()


def test_numbers_come_while_a_run_goes_on(chromium: Any, site: Site) -> None:
    run = site.begin(paused=True)
    with looking(chromium, site.address, run_path(run, "measures")) as page:
        page.get_by_text("Nothing to measure yet").wait_for()
        page.get_by_role("button", name="+ round").click()
        page.get_by_role("slider", name="Visits by round").wait_for()
        page.get_by_role("button", name="+ round").click()
        page.locator(".plot[aria-label*='at round 2']").first.wait_for()


def test_the_annotation_page_opens(chromium: Any, site: Site) -> None:
    run = site.begin(toml=SMALL.replace("rounds = 4", "rounds = 2") + "memory = 'recagent'\n")
    site.until(run, "finished")
    with looking(chromium, site.address, f"{run_path(run, 'notes')}?view=judge") as page:
        page.get_by_label("Your name").fill("Ann")
        page.get_by_role("button", name="Begin").click()
        with page.expect_popup() as judging:
            page.get_by_role("link", name="As a page for others").click()
        judging.value.locator("button:visible").first.wait_for()
        settled(judging.value, judging.value.locator("option").count, lambda seen: seen > 10)
