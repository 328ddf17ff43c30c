"""A spent budget, a dead endpoint and a crashed recommender tell what happened and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import browser
from tests.chaos.hostile import hostile
from tests.chaos.kinds import KINDS
from tests.web.conftest import Site, Sites
from tests.web.looking import looking, run_path, until
from tests.web.test_failures import scenario
from tests.web.test_own_recommenders import MINE

from audience.errors import Interrupted
from audience.runs import start
from audience.scenario import SpendingOptions, parse

CRASHES = MINE.replace("        rows = [[i for", "        self.model\n        rows = [[i for")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def test_a_spent_budget_is_told_and_the_run_goes_on(chromium: Any, site: Site) -> None:
    with hostile(0.0) as server:
        recipe = parse(scenario(server.url))
        with pytest.raises(Interrupted):
            start(recipe, 1, site.root / "spent", spending=SpendingOptions(max_calls=5))
        with looking(chromium, site.address) as page:
            row = page.get_by_role("row", name="spent")
            row.get_by_text("the budget is spent: 5 of 5 calls").wait_for()
            row.get_by_text("Stopped").wait_for()
            row.get_by_role("link", name="spent").click()
            page.get_by_role("alert").get_by_text("the budget is spent").wait_for()
            page.get_by_text("with a larger one").wait_for()
            page.get_by_role("button", name="Play", exact=True).click()
            until(page, "Finished")
            assert page.get_by_role("alert").count() == 0


def test_a_dead_endpoint_is_told_and_leads_to_its_calls(chromium: Any, site: Site) -> None:
    with hostile(1.0, {"no": KINDS["status-401"]}) as server:
        run = site.begin(toml=scenario(server.url), name="dead")
        site.until(run, "stopped")
        with looking(chromium, site.address, run_path(run)) as page:
            page.get_by_role("alert").get_by_text("status 401 (is the key right?)").wait_for()
            page.get_by_text("Once that is fixed, press Play").wait_for()
            page.get_by_role("link", name="Runs", exact=True).click()
            page.get_by_role("row", name="dead").get_by_text("status 401").wait_for()
    with hostile(0.5, {"no": KINDS["status-451"]}) as server:
        site.until(site.begin(toml=scenario(server.url), name="ill"), "finished")
        with looking(chromium, site.address) as page:
            row = page.get_by_role("row", name="ill")
            row.locator("a.warn").click()
            page.get_by_label("Ended as").wait_for()
            assert page.get_by_label("Ended as").input_value() == "failed"
            page.locator("td.warn").first.wait_for()


def test_a_crashed_recommender_is_told_also_after_a_restart(
    chromium: Any, sites: Sites, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(CRASHES)
    site = sites()
    form = {"agents": 30, "rounds": 2, "recommender": f"{file}:Newest"}
    run = site.ok("/runs", {"form": form, "name": "crashed"})["id"]
    site.until(run, "failed")
    line = CRASHES[: CRASHES.index("self.model")].count("\n") + 1
    told = f"mine.py, line {line}"
    for again in (False, True):
        place = sites(site.root) if again else site
        with looking(chromium, place.address, run_path(run)) as page:
            page.get_by_role("alert").get_by_text(told).wait_for()
            page.get_by_text("press Play to go on, or").wait_for()
            page.get_by_role("link", name="Runs", exact=True).click()
            page.get_by_role("row", name="crashed").get_by_text(told).wait_for()
            page.get_by_role("row", name="crashed").get_by_text("Failed").wait_for()
        site.stop()
    file.write_text(MINE)
    with looking(chromium, place.address, run_path(run)) as page:
        page.get_by_role("button", name="Play", exact=True).click()
        until(page, "Finished")
