from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from audience.results import Arm, Difference, Findings, Measured, summary
from audience.results.summary_lines import Line, headline

Make = Callable[..., Findings]


def line(findings: Findings, metric: str) -> Line:
    return next(found for found in summary(findings) if found.metric == metric)


def test_several_seeds_are_averaged_over_seeds(make: Make) -> None:
    findings = make(seeds=5)
    cell = line(findings, "picks").cells[0]
    assert (cell.over, cell.count) == ("seeds", 5)
    assert cell.mean == pytest.approx(findings.arms[0].values("picks").mean())
    assert cell.low < cell.mean < cell.high


def test_one_seed_is_averaged_over_people_and_says_so(make: Make) -> None:
    findings = make(seeds=1)
    picks, satisfaction = line(findings, "picks"), line(findings, "satisfaction")
    assert picks.unit == "per person"
    assert (picks.cells[0].over, picks.cells[0].count) == ("people", 200)
    assert satisfaction.cells[0].count == 195
    assert satisfaction.unit == "0 to 1"


def test_one_seed_takes_percentages_of_the_mean_person(make: Make) -> None:
    found = line(make(seeds=1), "picks")
    assert found.contrasts[0].percent == pytest.approx(11.0, abs=3.0)
    share = 100.0 * found.contrasts[0].difference / found.cells[0].mean
    assert found.contrasts[0].percent == pytest.approx(share)


def test_what_only_the_run_has_is_its_total_without_an_interval(make: Make) -> None:
    found = line(make(seeds=1), "gini")
    assert found.cells[0].over == ""
    assert math.isnan(found.cells[0].low)
    assert found.contrasts[0].judgement == ""
    assert found.contrasts[0].percent > 10.0


@pytest.mark.parametrize(
    ("metric", "low", "high", "said"),
    [
        ("satisfaction", 0.1, 0.3, "better"),
        ("satisfaction", -0.3, -0.1, "worse"),
        ("gini", 0.1, 0.3, "worse"),
        ("gini", -0.3, -0.1, "better"),
        ("satisfaction", -0.1, 0.3, "unclear"),
        ("pages", 0.1, 0.3, "different"),
        ("gini", math.nan, math.nan, ""),
    ],
)
def test_a_difference_is_judged_by_what_is_better(
    metric: str, low: float, high: float, said: str
) -> None:
    middle = 0.2 if math.isnan(low) else (low + high) / 2
    run = Measured("", 1, "", {metric: 1.0}, (), {})
    found = Difference(metric, "a", "b", 1.0, 1.0 + middle, middle, low, high, 9, "seeds")
    arms = (Arm("a", (run, run)), Arm("b", (run, run)))
    assert summary(Findings("", arms, (found,), "", "", {}))[0].contrasts[0].judgement == said


def test_known_metrics_come_first_and_the_round_is_none() -> None:
    run = Measured("", 1, "", {"mine": 1.0, "gini": 0.5, "round": 3.0, "picks": 4.0}, (), {})
    lines = summary(Findings("", (Arm("a", (run,)),), (), "", "", {}))
    assert [found.metric for found in lines] == ["picks", "gini", "mine"]
    assert [found.metric for found in headline(lines)] == ["picks", "gini"]


def test_a_zero_reference_has_no_percentage(make: Make) -> None:
    assert math.isnan(line(make(), "failed").contrasts[0].percent)
