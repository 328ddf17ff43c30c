"""Numbers, tables, reports and the judging page."""

from __future__ import annotations

import csv
import io
from functools import partial
from pathlib import Path

import pytest
from tests.web.conftest import Site, Sites

from audience.results import findings_to_csv
from audience.runs import gathered, measured


@pytest.fixture
def done(sites: Sites, lived: Path) -> Site:
    return sites(lived)


def _has_ended(round_: int, found: dict[str, int]) -> bool:
    return found["round"] == round_


def test_the_numbers_are_those_of_the_log(done: Site, lived: Path) -> None:
    found, wanted = done.ok("/runs/done/metrics"), measured(lived / "done")
    assert found["done"] == 4
    assert [one["visits"] for one in found["rounds"]] == [one["visits"] for one in wanted.rounds]
    assert found["totals"]["picks"] == wanted.totals["picks"]
    assert sum(found["histogram"]) == wanted.totals["ratings"]
    assert found["labels"]["gini"]["better"] == "lower"
    assert len(found["entropy"]["entropy_consumption"]) == 4
    assert sum(one["count"] for one in found["popularity"]["top"]) <= wanted.totals["picks"]
    counts = [count for _, count in found["popularity"]["curve"]]
    assert counts == sorted(counts, reverse=True)
    people = [one["people"] for one in found["segments"]["gender"]]
    assert sum(people) <= 40
    assert all(one["values"]["visits"] >= 0 for one in found["segments"]["interest"])


def test_the_page_and_the_report_show_the_same_number_under_the_same_label(
    done: Site, lived: Path
) -> None:
    page = done.ok("/runs/done/metrics")
    report = list(csv.DictReader(io.StringIO(findings_to_csv(gathered(lived / "done")))))
    shown = {(row["label"], row["unit"]): (row["over"], row["mean"]) for row in page["summary"]}
    assert len(shown) == len(page["summary"]), "a label and its unit name one number"
    wanted = {
        (row["label"], row["unit"]): (
            row["over"] or "one run",
            pytest.approx(float(row["mean"])) if row["mean"] else None,
        )
        for row in report
    }
    assert shown == wanted
    assert ("Picks", "per person") in shown
    assert ("Posts", "total") in shown


def test_a_chart_of_rounds_says_what_its_points_are(done: Site) -> None:
    labels = done.ok("/runs/done/metrics")["labels"]
    assert labels["picks"]["round_unit"] == "total"
    assert labels["satisfaction"]["round_unit"] == "0 to 1, mean over visits"
    assert labels["click_rate"]["round_unit"] == "share of pages"
    assert all(label["round_unit"] for label in labels.values())


def test_the_numbers_grow_with_the_run(site: Site) -> None:
    run = site.begin(paused=True)
    assert site.ok(f"/runs/{run}/metrics")["rounds"] == []
    for round_ in (1, 2):
        site.steer(run, "step_round")
        site.when(partial(site.ok, f"/runs/{run}"), partial(_has_ended, round_))
        assert site.ok(f"/runs/{run}/metrics")["done"] == round_
    site.steer(run, "stop")
    wanted = measured(site.root / run)
    assert site.ok(f"/runs/{run}/metrics")["totals"]["pages"] == wanted.totals["pages"]


def test_a_table_and_a_report_can_be_taken_along(done: Site) -> None:
    status, headers, body = done.raw("GET", "/api/runs/done/metrics.csv")
    rows = list(csv.DictReader(io.StringIO(body.decode())))
    assert (status, headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert [row["round"] for row in rows] == ["1", "2", "3", "4"]
    status, headers, body = done.raw("GET", "/api/runs/done/report")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<svg" in body
    assert "script-src" not in headers["content-security-policy"], "nothing in it runs"


def test_a_run_with_memories_can_be_judged(sites: Sites, site: Site) -> None:
    toml = "agents = 30\nrounds = 4\nmemory = 'recagent'\n"
    run = site.begin(toml=toml)
    site.until(run, "finished")
    status, headers, body = site.raw("GET", f"/api/judge?run={run}&behaviours=3")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b'id="sheet"' in body
    assert body == site.raw("GET", f"/api/judge?run={run}&behaviours=3")[2]
    assert site.get("/judge")[0] == 400
    assert site.get(f"/judge?run={run}&tasks=a")[0] == 400
    assert site.get("/judge?run=none")[0] == 404
