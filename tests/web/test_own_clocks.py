"""The page of a run by own clocks: its counts are those of the metrics, its story in order."""

from __future__ import annotations

from pathlib import Path

from tests.web.conftest import Sites

from audience.runs import start
from audience.scenario import parse

TEXT = 'agents = 30\nrounds = 3\n[mind]\nkind = "rule"\ntalkative = 1.0\n[time]\nvisits = 14\n'


def test_the_page_shows_such_a_run(sites: Sites, tmp_path: Path) -> None:
    start(parse(TEXT), 1, tmp_path / "clocks")
    page = sites(tmp_path)
    found, metrics = page.ok("/runs/clocks/overview"), page.ok("/runs/clocks/metrics")
    assert found["so_far"]["visits"] == metrics["totals"]["visits"] > 60
    story = page.ok("/runs/clocks/story?round=2&kind=Woke&limit=200")
    moments = [line["text"].rpartition(", ")[2] for line in story]
    assert len(moments) > 20
    quarters = [(moment[:13], int(moment[14:16]) // 15) for moment in moments]
    assert quarters == sorted(quarters)
    people = page.ok("/runs/clocks/people?limit=30")
    assert sum(one["visits"] for one in people) == metrics["totals"]["visits"]
    assert page.ok("/runs/clocks/activity")
