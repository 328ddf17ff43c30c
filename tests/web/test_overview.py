"""The overview: its numbers are those of the metrics, and no call reads the log again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.web.conftest import Site, Sites

from audience.log import Log, last_arrival
from audience.runs import start
from audience.scenario import Scenario
from audience.web.overview import OverviewFold, spans_of
from audience.world import Left


@pytest.fixture
def done(sites: Sites, lived: Path) -> Site:
    return sites(lived)


def test_its_counts_are_those_of_the_metrics(done: Site) -> None:
    found, metrics = done.ok("/runs/done/overview"), done.ok("/runs/done/metrics")
    rounds = metrics["rounds"]
    assert (found["round"], found["progress"]) == (4, 1.0)
    for name, metric in {"visits": "visits", "items_shown": "shown", "picks": "picks"}.items():
        assert found["now"][name] == rounds[-1][metric]
        assert found["so_far"][name] == sum(one[metric] for one in rounds)
    assert found["so_far"]["ratings"] == sum(metrics["histogram"])
    whole = found["so_far"]
    assert whole["returned"] / whole["known"] == pytest.approx(metrics["totals"]["return_rate"])
    assert whole["visits"] >= whole["shown"] >= whole["picked"] >= whole["rated"] > 0


def test_satisfaction_is_that_of_the_people_who_told_it(done: Site, lived: Path) -> None:
    with Log.open(lived / "done") as log:
        events = [entry.event for chapter in log.chapters() for entry in chapter.entries]
    told = {one.agent for one in events if isinstance(one, Left) and one.satisfaction is not None}
    people = [one for one in done.ok("/runs/done/people?limit=500") if one["id"] in told]
    found = done.ok("/runs/done/overview")
    assert sum(found["satisfaction"]) == len(people) == len(told)
    mean = sum(one["satisfaction"] for one in people) / len(people)
    assert found["mean"] == pytest.approx(mean, abs=1e-3)


def test_an_earlier_round_is_as_it_was_then(done: Site) -> None:
    second = done.ok("/runs/done/overview?at=2")
    rounds = done.ok("/runs/done/metrics")["rounds"]
    assert second["round"] == 2
    assert second["so_far"]["picks"] == rounds[0]["picks"] + rounds[1]["picks"]
    assert second["spans"] == [[1, 1], [2, 2]]
    assert done.ok("/runs/done/overview?at=0")["so_far"]["visits"] == 0
    assert done.get("/runs/done/overview?at=9")[0] == 404
    assert done.get("/runs/nowhere/overview")[0] == 404


def test_heat_tells_what_is_shown_and_picked(done: Site) -> None:
    found = done.ok("/runs/done/overview")
    assert 0 < len(found["genres"]) <= 10
    first, top = found["items"][0], done.ok("/runs/done/metrics")["popularity"]["top"][0]
    assert first["name"] == top["title"]
    assert all(len(row["shown"]) == len(row["picked"]) == 4 for row in found["items"])
    assert all(0 <= share <= 1 for row in found["genres"] for share in row["picked"])


def test_the_return_of_the_newest_visits_is_not_known_yet(done: Site) -> None:
    assert done.ok("/runs/done/overview")["now"]["known"] == 0
    third = done.ok("/runs/done/overview?at=3")["now"]
    assert third["known"] == third["visits"]


def test_a_long_log_is_read_in_parts_to_the_same_end(tmp_path: Path, small: Scenario) -> None:
    start(small, 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        last, done = last_arrival(log), log.complete_rounds()
        catalogue = log.genesis().catalogue
        at_once, by_parts = OverviewFold(log, catalogue), OverviewFold(log, catalogue)
        at_once.extend()
        by_parts.extend(30)
        assert 0 < by_parts.reply(None, last, done).progress < 1
        while by_parts.after < last:
            by_parts.extend(30)
        assert by_parts.reply(None, last, done) == at_once.reply(None, last, done)


@pytest.mark.parametrize("last", [1, 7, 12, 13, 100, 365])
def test_spans_hold_every_round_once(last: int) -> None:
    spans = spans_of(last)
    assert len(spans) <= 12
    held = [round_ for first, end in spans for round_ in range(first, end + 1)]
    assert held == list(range(1, last + 1))
