"""Every study runs, small, and what it says follows from its numbers."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from audience.lab.studies import NAMES, conduct_study, find, with_changes

SMALL = {"agents": 24, "rounds": 3, "seeds": 2, "dataset": "books"}


@pytest.mark.parametrize("name", NAMES)
def test_a_study_runs_small_and_measures_all_it_promises(name: str, tmp_path: Path) -> None:
    recipe = with_changes(find(name), SMALL)
    studied = conduct_study(recipe, tmp_path / name, workers=1)
    findings = studied.findings
    assert findings.verdict.endswith(".")
    assert findings.verdict[0].isupper()
    assert [arm.name for arm in findings.arms] == list(recipe.scenario.arms)
    totals = findings.arms[0].runs[0].totals
    assert set(recipe.study.labels) <= set(totals)
    some = [totals[name] for name in recipe.study.labels]
    assert sum(math.isfinite(value) for value in some) >= 3
    for chart in recipe.study.charts:
        if chart.kind == "rounds":
            assert all(chart.metrics[0] in row for row in findings.arms[0].runs[0].rounds)
