"""Journeys without a terminal: compare one's own recommender, start a study, read the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import browser
from tests.services import example, write_items
from tests.web.conftest import Site
from tests.web.looking import looking, settled
from tests.web.test_lab import STUDY
from tests.web.test_own_recommenders import MINE


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def test_my_own_recommender_is_compared_with_popular_without_a_terminal(
    chromium: Any, site: Site, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    with looking(chromium, site.address, "#/new") as page:
        page.get_by_text("A recommender of your own").click()
        page.get_by_label("Python file").set_input_files(file)
        page.get_by_text("mine.py holds Newest").wait_for()
        assert page.get_by_label("Newest (mine.py)").is_checked()
        page.get_by_role("button", name="try it").click()
        page.get_by_text("Newest works.").wait_for()
        page.get_by_label("People", exact=True).fill("60")
        page.get_by_label("Rounds", exact=True).fill("3")
        page.get_by_label("Seeds", exact=True).fill("2")
        page.get_by_label("Name of the run").fill("mine")
        page.get_by_role("button", name="Start", exact=True).click()
        verdict = page.get_by_role("region", name="Verdict").locator(".verdict")
        verdict.wait_for()
        told = verdict.inner_text()
        assert "Newest" in told
        assert "popular" in told
        page.get_by_role("link", name="Runs", exact=True).click()
        page.locator(".outcome", has_text="Newest").wait_for()
    assert site.ok("/experiments/mine")["findings"]["verdict"].startswith(told[:30])


def test_a_file_that_does_not_import_names_its_line(
    chromium: Any, site: Site, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE.replace("import numpy as np", "import numpie as np"))
    with looking(chromium, site.address, "#/new", refused=True) as page:
        page.get_by_text("A recommender of your own").click()
        page.get_by_label("Python file").set_input_files(file)
        page.get_by_text("mine.py, line 3: ModuleNotFoundError").wait_for()
        file.write_text(MINE)
        page.get_by_label("Python file").set_input_files(file)
        page.get_by_text("mine.py holds Newest").wait_for()


def test_a_service_of_ones_own_is_tried_before_it_serves(
    chromium: Any, site: Site, tmp_path: Path
) -> None:
    items = write_items(tmp_path / "items.csv", [f"i{number}" for number in range(40)])
    with looking(chromium, site.address, "#/new") as page:
        page.get_by_text("A recommender of your own").click()
        page.get_by_label("Service").fill("localhost:8090")
        page.get_by_role("button", name="Add and try").click()
        page.get_by_text("is no address").wait_for()
        with example(items) as service:
            page.get_by_label("Service").fill(service.url)
            page.get_by_role("button", name="Add and try").click()
            page.get_by_text("works.", exact=False).first.wait_for()
            host = service.url.removeprefix("http://")
            assert page.get_by_role("checkbox", name=host).is_checked()
        page.get_by_role("button", name="try it").click()
        page.get_by_text("does not work yet").wait_for()


def test_a_study_is_started_in_the_page_and_its_verdict_read(chromium: Any, site: Site) -> None:
    with looking(chromium, site.address, "#/lab") as page:
        page.get_by_text("Nothing yet").wait_for()
        page.get_by_role("button", name="Start drift").click()
        sheet = page.get_by_role("dialog", name="Start drift")
        for label, value in (("People", "12"), ("Rounds", "2"), ("Seeds", "2")):
            sheet.get_by_label(label, exact=True).fill(value)
        sheet.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("article", name="study drift").wait_for()
        page.get_by_text("runs · now").wait_for()
        page.get_by_role("link", name="Read the result").click()
        verdict = page.get_by_role("region", name="Verdict").locator(".verdict")
        verdict.wait_for()
        found = site.ok("/lab/results/study-drift-1")
        assert verdict.inner_text() == found["verdict"]
        figures = page.locator(".lab-figure img")
        settled(page, figures.count, lambda many: many == len(found["figures"]))
        wide = "one => one.complete && one.naturalWidth > 0"
        settled(page, lambda: figures.first.evaluate(wide), bool)
        assert page.locator("section[aria-label=Tables] table tbody tr").count() > 3
        page.get_by_role("tab", name="Report").click()
        page.frame_locator(".report-frame").get_by_role("heading").first.wait_for()
        page.get_by_role("link", name="Runs", exact=True).click()
        page.get_by_role("button", name="Runs of study-drift-1").wait_for()


def test_a_study_is_cancelled_and_leaves_nothing(chromium: Any, site: Site) -> None:
    site.ok("/lab/jobs", {**STUDY, "agents": 400, "rounds": 40, "seeds": 8})
    with looking(chromium, site.address, "#/lab") as page:
        page.get_by_text("runs · now").wait_for()
        page.get_by_role("button", name="Cancel drift").click()
        page.get_by_text("What it had written is in the trash").wait_for()
        page.get_by_text("Nothing yet").wait_for()
    assert site.ok("/runs") == []


def test_what_an_evaluation_needs_is_told(chromium: Any, site: Site) -> None:
    with looking(chromium, site.address, "#/lab?show=evaluations", refused=True) as page:
        page.get_by_role("button", name="Start taste").click()
        sheet = page.get_by_role("dialog", name="Start taste")
        sheet.get_by_role("button", name="Start", exact=True).click()
        sheet.get_by_text("taste needs data").wait_for()
        sheet.get_by_label("Data").fill("/nothing/there")
        sheet.get_by_role("button", name="Start", exact=True).click()
        page.get_by_text("Failed", exact=True).wait_for()
        page.locator(".job .problem", has_text="/nothing/there").wait_for()
