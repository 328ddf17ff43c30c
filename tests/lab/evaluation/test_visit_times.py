"""When people come: what is fitted is found again, and own clocks are told from daily rounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from audience.engine import OWN, Timetable
from audience.errors import BadInput
from audience.lab.evaluation import clock_foot, clock_table
from audience.lab.evaluation.activity import fit_of
from audience.lab.evaluation.report import write_activity
from audience.lab.evaluation.source import Real
from audience.lab.evaluation.visit_times import (
    DAILY,
    DAY,
    HEADS,
    REAL,
    ClockScore,
    Comings,
    comings_of,
    fit_clocks,
    halves,
    lived_by_clocks,
    lived_by_days,
    score_clocks,
)
from audience.scenario import parse
from audience.world import Catalogue, Ints

EVENINGS = tuple(3.0 if hour >= 18 else 0.4 for hour in range(24))
WEEKENDS = (1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0)
START = 19_000 * DAY


def spans(people: int, visits: int, days: int) -> Comings:
    """Return people who came so many times in so many days."""
    each = np.linspace(START, START + days * DAY, visits).astype(np.int64)
    return Comings((each,) * people)


def drawn(gaps: str, people: int = 120) -> Comings:
    clocks = Timetable(OWN, gaps=gaps, sigma=1.5, alpha=3.0, hours=EVENINGS, weekdays=WEEKENDS)
    return lived_by_clocks(spans(people, 80, 280), clocks, 3)


@pytest.mark.parametrize("gaps", ["lognormal", "pareto"])
def test_fitted_clocks_are_those_from_which_visits_were_drawn(gaps: str) -> None:
    fitted = fit_clocks(drawn(gaps))
    assert fitted.gaps == gaps
    assert fitted.sigma == pytest.approx(1.5, abs=0.2) or gaps == "pareto"
    assert fitted.alpha == pytest.approx(3.0, abs=0.7) or gaps == "lognormal"
    assert fitted.visits == pytest.approx(2.0, rel=0.15)
    evening = sum(fitted.hours[18:]) / sum(fitted.hours)
    assert evening == pytest.approx(sum(EVENINGS[18:]) / sum(EVENINGS), abs=0.03)
    assert sum(fitted.weekdays[5:]) / sum(fitted.weekdays) == pytest.approx(4 / 9, abs=0.03)


def test_interactions_with_short_pauses_are_one_visit() -> None:
    visits = [START + DAY * day for day in range(7)]
    at = np.array([moment + minute * 60 for moment in visits for minute in (0, 20, 40)])
    users = np.concatenate([np.zeros(len(at)), np.ones(3)]).astype(np.int64)
    found = comings_of(users, np.concatenate([at, at[:3]]))
    assert [own.tolist() for own in found.moments] == [visits]


def test_daily_rounds_have_one_visit_a_day_at_most() -> None:
    people = spans(50, 60, 90)
    days = lived_by_days(people, 1)
    assert sum(map(len, days.moments)) == pytest.approx(50 * 60, rel=0.1)
    assert all((np.diff(own // DAY) > 0).all() for own in days.moments)


def real_of(comings: Comings, *, dated: bool = True) -> Real:
    users = np.concatenate([np.full(len(own), who) for who, own in enumerate(comings.moments)])
    at: Ints = np.concatenate(comings.moments)
    order = np.argsort(at, kind="stable")
    items, stars = np.zeros(len(at), np.int64), np.zeros(len(at))
    columns = (users[order], items, at[order], stars)
    return Real("drawn", Catalogue(()), len(comings.moments), *columns, dated=dated)


@pytest.fixture(scope="module")
def score() -> ClockScore:
    return score_clocks(real_of(drawn("pareto")), 1)


def test_own_clocks_are_nearer_than_daily_rounds_to_people_who_have_some(
    score: ClockScore,
) -> None:
    clocks, daily = score.values["own clocks, pareto"], score.values[DAILY]
    for head in ("KS gaps", "hours", "weekdays"):
        assert clocks[head].high < daily[head].low, head
    assert clocks["same day"].mean > 0.05 > daily["same day"].mean
    assert (score.fitted, score.scored) == (60, 60)


def test_nothing_of_the_scored_people_but_their_rate_is_used() -> None:
    """Later hours of the scored half change their distance, and not what was fitted."""
    comings = drawn("pareto", 60)
    before = score_clocks(real_of(comings), 1)
    _, scored = halves(comings, 1)
    theirs = {id(own) for own in scored.moments}
    moved = [own + 6 * 3_600 if id(own) in theirs else own for own in comings.moments]
    after = score_clocks(real_of(Comings(tuple(moved))), 1)
    assert after.times == before.times
    name = "own clocks, pareto"
    assert after.values[name]["hours"].mean > before.values[name]["hours"].mean + 0.2


def test_data_without_time_stamps_or_with_few_people_are_left_out_with_a_reason() -> None:
    with pytest.raises(BadInput, match="no time stamps"):
        score_clocks(real_of(drawn("pareto", 50), dated=False), 1)
    with pytest.raises(BadInput, match="12 people came 6 times or more; 40 are needed"):
        score_clocks(real_of(drawn("pareto", 12)), 1)


def test_the_result_has_a_table_a_note_and_clocks_for_a_scenario(
    score: ClockScore, tmp_path: Path
) -> None:
    rows = clock_table(score).rows
    assert [row[0] for row in rows] == [
        REAL, "own clocks, pareto", "own clocks, lognormal", DAILY
    ]  # fmt: skip
    assert "fitted to 60 people (pareto is nearer" in clock_foot(score, 1)
    fit = replace(fit_of("drawn", np.arange(1, 200), 1), clocks=score)
    written = write_activity([fit], [], 1, tmp_path)
    assert {"time.toml", "visits.md", "visits.csv"} <= {path.name for path in written}
    scenario = parse((tmp_path / "time.toml").read_text())
    assert scenario.time.kind == OWN
    assert scenario.time.alpha == score.times.alpha
    assert len((tmp_path / "visits.csv").read_text().splitlines()) == 5
    assert (tmp_path / "visits.csv").read_text().count(",") > 3 * len(HEADS)
