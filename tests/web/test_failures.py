"""What the page says of calls and decisions that failed, and of a run that had to stop."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.chaos.hostile import hostile
from tests.chaos.kinds import KINDS
from tests.web.conftest import Site

from audience.errors import Interrupted
from audience.runs import start
from audience.scenario import SpendingOptions, parse


def scenario(url: str) -> str:
    return (
        'agents = 20\nrounds = 2\nrecommender = "popular"\nmind = "llm"\n'
        f'[llm]\nurl = "{url}"\nmodel = "hostile"\nprice = "free"\n'
    )


def test_failures_are_told_while_a_run_goes_on_and_when_it_has_ended(site: Site) -> None:
    with hostile(0.5, {"no": KINDS["status-451"]}) as server:
        run = site.begin(toml=scenario(server.url))
        now = site.until(run, "finished")["control"]
    lived = site.ok(f"/runs/{run}")["control"]
    assert lived["failures"] > 0
    assert lived["failed_calls"] > 0
    assert (now["failures"], now["failed_calls"]) == (lived["failures"], lived["failed_calls"])


def test_a_run_of_a_terminal_tells_its_failures_too(site: Site) -> None:
    with hostile(1.0, {"no": KINDS["status-451"]}) as server:
        done = start(parse(scenario(server.url)), 1, site.root / "theirs")
    told = site.ok("/runs/theirs")["control"]
    assert told["failures"] == done.measured.totals["failed"] > 0
    assert told["failed_calls"] == done.spent.failed > 0


def test_an_endpoint_that_serves_nobody_is_told_on_the_page(site: Site) -> None:
    with hostile(1.0, {"no": KINDS["status-401"]}) as server:
        run = site.begin(toml=scenario(server.url))
        found = site.until(run, "stopped")
    assert "status 401" in found["control"]["error"]


def test_a_spent_budget_is_told_on_the_page_also_of_a_run_elsewhere(site: Site) -> None:
    with hostile(0.0) as server:
        recipe = parse(scenario(server.url))
        with pytest.raises(Interrupted):
            start(recipe, 1, site.root / "theirs", spending=SpendingOptions(max_calls=5))
        told = site.ok("/runs/theirs")
        assert (told["state"], "the budget is spent" in told["control"]["error"]) == (
            "stopped",
            True,
        )
        site.post("/runs/theirs/control", {"do": "play"})
        assert site.until("theirs", "finished")["control"]["error"] is None


def test_the_time_of_a_run_is_estimated_by_a_first_call(site: Site, tmp_path: Path) -> None:
    with hostile(0.0, latency=(0.3, 0.3)) as server:
        check = {"toml": scenario(server.url).replace("agents = 20", "agents = 400")}
        slow = site.ok("/scenarios/check", check)["estimate"]
        assert "a first call took" in slow["speed"]
        assert sum(server.sent.values()) == 1
        site.ok("/scenarios/check", check)
        assert sum(server.sent.values()) == 1, "it is not asked again for a while"
    with hostile(0.0) as server:
        check = {"toml": scenario(server.url).replace("agents = 20", "agents = 400")}
        fast = site.ok("/scenarios/check", check)["estimate"]
    assert slow["calls"] == fast["calls"]
    assert slow["seconds"] > 3.0 > fast["seconds"]


def test_the_time_of_an_endpoint_that_does_not_answer_is_unknown(site: Site) -> None:
    with hostile(1.0, {"no": KINDS["status-500"]}) as server:
        found = site.ok("/scenarios/check", {"toml": scenario(server.url)})["estimate"]
    assert found["seconds"] is None
    assert "status 500" in found["speed"]
